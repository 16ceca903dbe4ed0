#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# store.sh BUILD: the store of a census on SQLite, and on PostgreSQL where it is installed. On the disk, each commit waited for.
set -u
build=$(cd "$1" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
echo "SQLite"
"$build/bench/bench_store" "$dir/census.db" "cat $dir/census.db* | wc -c" || bad=1
echo "PostgreSQL"
POSTGRES_FSYNC=on sh "$here/../tests/lib/postgres.sh" sh -c "\"$build/bench/bench_store\" \"\$PAPAVER_TEST_POSTGRES\" \
    \"psql -qAtX \$PAPAVER_TEST_POSTGRES -c 'VACUUM ANALYZE' -c \\\"SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c \
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'papaver_census' AND c.relkind = 'r'\\\"\""
status=$?
[ $status -eq 77 ] || [ $status -eq 0 ] || bad=1
exit ${bad:-0}
