# SPDX-License-Identifier: Apache-2.0
# The client that most people install skills with (npm's `skills`, 1.7.4) takes what papaver publishes and serves: each file as
# it was. It is fetched with npm, and needs Node 22, which npm's package `node` brings where there is none; where npm is not
# here or reaches nothing, the flow is skipped. SKILLS_CLIENT names a folder where it may stay for the next time. The client
# itself reaches this machine only: a guard inside it says so.
set -u
papaver=$1 failures=0
command -v npm >/dev/null || { echo "skipped: there is no npm"; exit 77; }
case $papaver in /*) ;; *) papaver=$(pwd)/$papaver ;; esac
dir=$(mktemp -d) server=
stop() { [ -z "$server" ] || { kill "$server" 2>/dev/null; wait "$server"; server=; }; }
trap 'stop; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
wrong() {
    echo "WRONG: $*"
    failures=$((failures + 1))
}
client=${SKILLS_CLIENT:-$dir/client} node22=node@22
mkdir -p "$client" && client=$(cd "$client" && pwd) || exit 1
case $(node --version 2>/dev/null) in v2[2-9].* | v[3-9][0-9].*) node22= ;; esac
if [ ! -e "$client/node_modules/skills/package.json" ]; then
    (cd "$client" && timeout 100 npm install --no-audit --no-fund --loglevel=error --fetch-retries=1 --fetch-timeout=20000 \
        skills@1.7.4 $node22) >"$dir/npm" 2>&1 || { rm -rf "$client/node_modules"; tail -n 3 "$dir/npm"; echo "skipped: npm could not fetch the client"; exit 77; }
fi
PATH=$client/node_modules/.bin:$PATH
echo "skills $(sed -n 's/.*"version": "\(.*\)".*/\1/p' "$client/node_modules/skills/package.json"), node $(node --version)"

# Every connection that is asked for goes to the log; those to others than this machine are not made.
cat >"$dir/guard.cjs" <<'END'
const net = require('net'), fs = require('fs'), connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...all) {
    const given = Array.isArray(all[0]) ? all[0][0] : all[0], to = given.path || given.host || 'localhost';
    fs.appendFileSync(process.env.GUARD_LOG, `${to}\n`);
    if (!['localhost', '127.0.0.1', '::1'].includes(to)) throw new Error(`not from here: ${to}`);
    return connect.apply(this, all);
};
END

# Skills: one file; folders, an empty file, bytes that are no text, a script.
mkdir -p "$dir/project" && cd "$dir/project" || exit 1
"$papaver" skill new water-plants >/dev/null && "$papaver" skill new cut-grass >/dev/null || exit 1
mkdir -p skills/cut-grass/references/deep skills/cut-grass/assets skills/cut-grass/scripts
echo 'Größe: 5 cm.' >skills/cut-grass/references/deep/heights.md
: >skills/cut-grass/assets/empty.txt
openssl rand 70000 >skills/cut-grass/assets/picture.bin 2>/dev/null || head -c 70000 /dev/urandom >skills/cut-grass/assets/picture.bin
printf '#!/bin/sh\necho grass\n' >skills/cut-grass/scripts/cut.sh

# try NAME FOLDER: served, installed, compared.
export XDG_STATE_HOME="$dir/state" DISABLE_TELEMETRY=1 DO_NOT_TRACK=1 CI=1 GUARD_LOG="$dir/guard.log"
try() {
    echo "+ $1"
    : >"$dir/log" # what the one before said
    "$papaver" serve "$2" --dev-tls --listen 127.0.0.1:0 >"$dir/access" 2>"$dir/log" &
    server=$!
    for _ in $(seq 100); do
        grep -q ': serving ' "$dir/log" && break
        sleep 0.1
    done
    port=$(sed -n 's,.*listening on https://127.0.0.1:\([0-9]*\)/,\1,p' "$dir/log")
    home=$dir/home-$1 && mkdir -p "$home/garden" && : >"$GUARD_LOG"
    (cd "$home/garden" && HOME=$home NODE_EXTRA_CA_CERTS=$dir/state/papaver/dev-tls/localhost/ca.pem \
        NODE_OPTIONS="--require=$dir/guard.cjs" timeout 60 skills add "https://localhost:$port" --agent claude-code --copy --yes) \
        >"$dir/out" 2>&1 </dev/null || { wrong "$1: the client ends with $?"; tail -n 20 "$dir/out"; cat "$dir/log"; }
    stop
    diff -r "$dir/project/skills" "$home/garden/.claude/skills" || wrong "$1: not installed as it was"
    grep -q localhost "$GUARD_LOG" || wrong "$1: the guard saw nothing"
    [ -z "$(grep -vx localhost "$GUARD_LOG")" ] || { wrong "$1: others were asked:"; sort -u "$GUARD_LOG"; }
    ! grep -vE '" (200|404) [0-9]+$' "$dir/access" || wrong "$1: other answers"
}
try sources "$dir/project"
for form in tar.gz zip 'tar.gz --archive' 'zip --base-url /' 'tar.gz --legacy'; do
    name=$(echo "$form" | tr -d ' /')
    "$papaver" publish --quiet --out "$dir/$name" --format $form || wrong "not published: $form"
    try "$name" "$dir/$name"
done
rm -r "$dir/tar.gz--legacy/.well-known/agent-skills" # a client that knows 0.1 alone
try 0.1 "$dir/tar.gz--legacy"
[ $failures -eq 0 ] || { echo "$failures wrong"; exit 1; }
