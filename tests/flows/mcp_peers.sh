# SPDX-License-Identifier: Apache-2.0
# papaver mcp with programs of others: scenarios of the protocol's conformance suite, and the command line of the Inspector,
# which reads every file of every skill and compares the digests, in both eras and over both transports. They come by npm
# and need Node 22, which npm brings too; they are kept in the build folder. Without npm, or where its registry cannot be
# reached, this is skipped.
set -u
papaver=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") peers=$(dirname "$papaver")/mcp-peers failures=0
command -v npm >/dev/null || { echo "skipped: npm is missing"; exit 77; }
mkdir -p "$peers" && cd tests/mcp || exit 1
dir=$(mktemp -d) server=
tidy() { [ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$dir"; }
trap tidy EXIT
trap 'exit 1' HUP INT PIPE TERM
wrong() { echo "WRONG: $*"; failures=$((failures + 1)); }

fetch() { # fetch FOLDER PACKAGE...
    folder=$peers/$1; shift
    [ -e "$folder/whole" ] && return
    mkdir -p "$folder" && (cd "$folder" && timeout 200 npm install --no-audit --no-fund "$@") >"$dir/npm" 2>&1 &&
        touch "$folder/whole" || { echo "skipped: npm cannot bring $*"; tail -n 3 "$dir/npm"; exit 77; }
}
fetch node node@22
PATH=$peers/node/node_modules/node/bin:$PATH
case $(node --version 2>/dev/null) in v2[2-9].*) ;; *) echo "skipped: no Node 22"; exit 77 ;; esac
fetch peers @modelcontextprotocol/conformance @modelcontextprotocol/inspector
modules=$peers/peers/node_modules
export HOME="$dir" # neither is to leave anything

"$papaver" mcp ./garden/ ./shop/ --no-cache --no-token --listen 127.0.0.1:0 2>"$dir/log" &
server=$!
for _ in $(seq 50); do grep -q listening "$dir/log" && break; sleep 0.1; done
url=$(sed -n 's/.*listening on //p' "$dir/log")
for scenario in server-initialize ping tools-list resources-list prompts-list; do
    timeout 60 node "$modules/@modelcontextprotocol/conformance/dist/index.js" server --url "$url" --scenario $scenario \
        >"$dir/out" 2>&1 || { wrong "conformance: $scenario"; cat "$dir/out"; }
    echo "conformance: $scenario: $(grep -a Passed "$dir/out")"
done

inspect() { timeout 60 node "$modules/.bin/mcp-inspector" --cli "$@"; }
verified() { # verified WHAT ARGUMENT...: three skills, each with all its files
    what=$1; shift
    inspect --method skills/list --verify "$@" >"$dir/out" 2>"$dir/err" || wrong "inspector: $what: exit status $?"
    [ "$(grep -c '"outcome":"verified"' "$dir/out")" -eq 3 ] || { wrong "inspector: $what"; cat "$dir/out" "$dir/err"; }
    echo "inspector: $what: $(tail -n 1 "$dir/err")"
}
for era in legacy modern; do
    verified "$era, http" --protocol-era $era --transport http --server-url "$url"
    verified "$era, stdio" --protocol-era $era "$papaver" mcp ./garden/ ./shop/ --no-cache
done
inspect --method tools/list --strict --transport http --server-url "$url" >"$dir/out" 2>&1 || { wrong "inspector: schemas"; cat "$dir/out"; }
kill $server
wait $server 2>/dev/null

# The suite wants pages of this machine to be let in; we want them to be named.
port=${url##*127.0.0.1:} port=${port%/mcp}
"$papaver" mcp ./garden/ --no-cache --no-token --listen 127.0.0.1:$port --allow-origin http://127.0.0.1:$port \
    --allow-origin http://localhost:$port 2>"$dir/log" &
server=$!
for _ in $(seq 50); do grep -q listening "$dir/log" && break; sleep 0.1; done
timeout 60 node "$modules/@modelcontextprotocol/conformance/dist/index.js" server --url "$url" \
    --scenario dns-rebinding-protection >"$dir/out" 2>&1 || { wrong "conformance: dns-rebinding-protection"; cat "$dir/out"; }
echo "conformance: dns-rebinding-protection: $(grep -a Passed "$dir/out")"
[ "$failures" -eq 0 ] && echo "all as it should be"
exit "$((failures > 0))"
