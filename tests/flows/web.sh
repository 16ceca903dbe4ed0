# SPDX-License-Identifier: Apache-2.0
# papaver web over real TLS on this machine: a check of a company from the page and from the API, told while it runs; what it
# publishes itself is right; a stop in the middle; what would reach out is refused.
set -u
papaver=$1 failures=0
command -v curl >/dev/null || { echo "skipped: curl is missing"; exit 77; }
case $papaver in /*) ;; *) papaver=$(pwd)/$papaver ;; esac
dir=$(mktemp -d) shop= web=
tidy() { for p in $web $shop; do kill "$p" 2>/dev/null; done; rm -rf "$dir"; }
trap tidy EXIT
trap 'exit 1' HUP INT PIPE TERM
wrong() { echo "WRONG: $*"; failures=$((failures + 1)); }
export XDG_STATE_HOME="$dir/state"
mkdir -p "$dir/public/.well-known" && cd "$dir" || exit 1
echo '{"protocol_version": "0.1", "organization": {"name": "Shop", "domain": "shop.test"}, "web": {}}' >public/.well-known/poppy.json

started() { # started LOG WORDS
    for _ in $(seq 100); do grep -q "$2" "$1" && return; sleep 0.1; done
    cat "$1"; exit 1
}
"$papaver" serve public --dev-tls --dev-host shop.test --dev-host check.test --listen 127.0.0.1:0 --access-log none 2>serve.log &
shop=$!
started serve.log ': serving '
port=$(sed -n 's,.*listening on https://127.0.0.1:\([0-9]*\)/,\1,p' serve.log)
leaf=$(find "$dir/state" -name leaf.pem) ca=$(find "$dir/state" -name ca.pem)
[ -n "$leaf" ] && [ -n "$ca" ] || { cat serve.log; exit 1; }

set -- --origin https://check.test --contact ops@check.test --database "$dir/web.db"
refuses() { # refuses WHY ARGUMENT...
    why=$1; shift
    timeout 10 "$papaver" web "$@" >out 2>&1
    [ $? -eq 2 ] && grep -q "$why" out || { wrong "papaver web $*: $(cat out)"; }
}
refuses 'write --contact' --origin https://check.test
refuses 'write --origin' --contact ops@check.test
refuses 'mail address' --origin https://check.test --contact nobody --database "$dir/web.db"
refuses 'origin of the site' --origin check.test --contact ops@check.test --database "$dir/web.db"
refuses 'with --insecure-loopback' "$@" --cacert "$ca"
refuses 'this machine only' "$@" --insecure-loopback --plain-http --listen 0.0.0.0:0
refuses 'without TLS' "$@" --listen 0.0.0.0:0
refuses 'IP address' "$@" --trust-proxy proxy.test

"$papaver" web "$@" --listen 127.0.0.1:0 --tls-cert "$leaf" --tls-key "$leaf" --insecure-loopback --cacert "$ca" \
    --connect-to "shop.test:443:127.0.0.1:$port" --connect-to "www.shop.test:443:127.0.0.1:1" >access.log 2>web.log &
web=$!
started web.log 'listening on'
at=$(sed -n 's,.*listening on https://127.0.0.1:\([0-9]*\)/,\1,p' web.log)
ask() { curl --silent --max-time 60 --cacert "$ca" --connect-to "check.test:443:127.0.0.1:$at" "$@"; }

ask -o home https://check.test/ && grep -q '<h1>' home || wrong "no home page"
[ "$(ask -o none -w '%{http_code}' https://check.test/check/shop.test)" = 404 ] || wrong "a report before any check"
ask -N -X POST -H 'Accept: text/event-stream' https://check.test/check/shop.test >events
grep -q '"url":"https://shop.test/.well-known/poppy.json","status":200' events && grep -q '^event: done' events ||
    { wrong "no events"; cat events; }
ask -L https://check.test/?domain=SHOP.test >report
grep -q '<h1>shop.test</h1>' report && grep -q 'Requests and answers' report || { wrong "no report"; head -c 2000 report; }
ask https://check.test/api/v1/check/shop.test >report.json
grep -q '"target": "shop.test"' report.json || wrong "no report from the API"
ask https://check.test/badge/shop.test.svg | grep -q '<svg' || wrong "no badge"
for name in 127.0.0.1 localhost metadata.google.internal "shop.test:$port" other.local; do
    [ "$(ask -o none -w '%{http_code}' -X POST "https://check.test/check/$name")" = 400 ] || wrong "$name may be checked"
done
# Loopback is asked with --insecure-loopback only, and then on port 443 unless it is told where that is.
ask -X POST -o none https://check.test/check/nobody.test
! grep -q set-cookie home report || wrong "a cookie"

# What the site itself publishes.
"$papaver" check --cacert "$ca" --allow-private --connect-to "check.test:443:127.0.0.1:$at" --fail-on info \
    --connect-to "www.check.test:443:127.0.0.1:1" check.test >own 2>&1 || { wrong "its own poppy.json"; cat own; }

[ "$(grep -c '"POST /check/shop.test HTTP/1.1" 200' access.log)" = 1 ] || { wrong "the log"; cat access.log; }
kill -TERM "$web"; wait "$web"; status=$?; web=
[ $status -eq 0 ] || wrong "stopped with $status"
[ "$(stat -c %a "$dir/web.db")" = 600 ] || wrong "the database is not private"
exit "$failures"
