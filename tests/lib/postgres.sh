#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# postgres.sh COMMAND...: runs it with PAPAVER_TEST_POSTGRES, the URL of a cluster of PostgreSQL that is there for this one
# run: on a socket in a temporary folder, without a port. Root cannot run a server, so somebody else does. Status 77, and a
# word, where there is none to be had. $POSTGRES_CONTROL stop|start|restart|kill is a script for who needs a server that goes away.
set -u
bin=
for dir in /usr/lib/postgresql/*/bin; do
    [ -x "$dir/initdb" ] && bin=$dir
done
[ -n "$bin" ] || { echo "skipped: no PostgreSQL server is installed (Debian: postgresql)"; exit 77; }

# The folder is short: the path of a socket has 107 bytes at most. In memory where there is some, unless the disk is the point.
sync=${POSTGRES_FSYNC:-off}
place=/tmp
[ "$sync" = off ] && [ -w /dev/shm ] && place=/dev/shm
dir=$(mktemp -d $place/papaver-pg.XXXXXX) || exit 1
as=
if [ "$(id -u)" = 0 ]; then
    user=postgres
    id $user >/dev/null 2>&1 || user=nobody
    chown $user "$dir"
    as="setpriv --reuid=$user --regid=$(id -g $user) --clear-groups --"
fi
control=$dir/control
tidy() {
    [ ! -e "$control" ] || sh "$control" stop >/dev/null 2>&1
    rm -rf "$dir"
}
trap tidy EXIT
trap 'exit 1' HUP INT PIPE TERM
cd "$dir" || exit 1
if ! LC_ALL=C $as "$bin/initdb" -D "$dir/data" -U papaver -A trust -E UTF8 --no-locale --no-sync >"$dir/initdb.log" 2>&1; then
    echo "skipped: initdb does not work here"; tail -n 3 "$dir/initdb.log"; exit 77
fi
cat >>"$dir/data/postgresql.conf" <<END
listen_addresses = ''
unix_socket_directories = '$dir'
fsync = $sync
max_connections = 40
shared_buffers = 32MB
END
cat >"$control" <<END
case \$1 in
stop) exec $as $bin/pg_ctl -D $dir/data -m fast -w -t 30 stop ;;
start) exec $as $bin/pg_ctl -D $dir/data -l $dir/log -w -t 60 start ;;
restart) exec $as $bin/pg_ctl -D $dir/data -l $dir/log -m fast -w -t 60 restart ;;
kill) exec $as $bin/pg_ctl -D $dir/data -m immediate -w -t 30 stop ;;
esac
END
if ! sh "$control" start >"$dir/start.log" 2>&1; then
    echo "skipped: PostgreSQL does not start here"; cat "$dir/start.log" "$dir/log" 2>/dev/null | tail -n 5; exit 77
fi
cd - >/dev/null || exit 1
PAPAVER_TEST_POSTGRES="postgres://papaver@/postgres?host=$dir" POSTGRES_CONTROL=$control "$@"
