# SPDX-License-Identifier: Apache-2.0
# site.sh PROGRAM WORLD: papaver web in Chromium, driven by playwright-core and judged by axe-core (WCAG 2.2 AA). Both come by npm
# and are kept in the build folder; without npm, or where its registry cannot be reached, and without Chromium this is skipped.
# With PAPAVER_SHOTS=FOLDER pictures of the pages are left there.
set -u
papaver=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") world=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
here=$(cd "$(dirname "$0")" && pwd) modules=$(dirname "$papaver")/browser
for tool in npm node chromium; do command -v $tool >/dev/null || { echo "skipped: $tool is missing"; exit 77; }; done
dir=$(mktemp -d) shop= web=
tidy() { for p in $web $shop; do kill "$p" 2>/dev/null; done; rm -rf "$dir"; }
trap tidy EXIT
trap 'exit 1' HUP INT PIPE TERM
if [ ! -e "$modules/whole" ]; then
    mkdir -p "$modules" && (cd "$modules" && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 timeout 200 npm install --no-audit --no-fund \
        playwright-core@1 axe-core@4) >"$dir/npm" 2>&1 && touch "$modules/whole" ||
        { echo "skipped: npm cannot bring playwright-core and axe-core"; tail -n 3 "$dir/npm"; exit 77; }
fi
export XDG_STATE_HOME="$dir/state" HOME="$dir"
cd "$dir" && mkdir -p public/.well-known &&
    echo '{"protocol_version": "0.1", "organization": {"name": "Shop", "domain": "wrong.test"}, "web": {}}' >public/.well-known/poppy.json &&
    "$world" "$dir/web.db" 250 || exit 1
started() { # started LOG WORDS
    for _ in $(seq 300); do grep -qs "$2" "$1" && return; sleep 0.1; done
    cat "$1"; exit 1
}
"$papaver" serve public --dev-tls --dev-host shop.test --listen 127.0.0.1:0 --access-log none 2>serve.log &
shop=$!
started serve.log ': serving '
port=$(sed -n 's,.*listening on https://127.0.0.1:\([0-9]*\)/,\1,p' serve.log)
"$papaver" web --origin http://localhost --contact ops@check.test --database "$dir/web.db" --listen 127.0.0.1:0 --no-log \
    --insecure-loopback --cacert "$(find "$dir/state" -name ca.pem)" --visitor-checks 1000 \
    --connect-to "shop.test:443:127.0.0.1:$port" --connect-to "www.shop.test:443:127.0.0.1:1" 2>web.log &
web=$!
started web.log 'listening on'
NODE_PATH=$modules/node_modules timeout 350 node "$here/site.js" "$(sed -n 's,.*listening on \(http://.*\)/,\1,p' web.log)" "${PAPAVER_SHOTS:-}"
