#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# census.sh BUILD [N]: `papaver census run` of N (20,000) domains on loopback, each with a name and a TLS handshake of its own,
# 3 % publishing, the rest 404 or a page, 100 at once, against `curl --parallel --parallel-max 100` of the poppy.json files of
# the same list with the same time-out and the same file of one root. Whole processes in turn; the database is made anew for
# each turn. Then memory with N against 1,000,000 queued, and the size of the database for each domain that does not publish.
set -u
build=$(cd "$1" && pwd) || exit 1
n=${2:-20000}
queued=${3:-1000000}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tests/lib/nginx.sh"
dir=$(mktemp -d) || exit 1
trap 'web_stop; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
web_new "$dir" && web_site page.crawl.test 'name=*.crawl.test' 'as=~^page' && web_site shop.crawl.test 'name=*.crawl.test' 'as=~^shop' &&
    web_site zero.crawl.test 'name=*.crawl.test' 'as=~[.]crawl[.]test$' || exit 1
web_rule page.crawl.test 'location / { default_type text/html; return 200 "<!doctype html><title>Home</title><p>Welcome"; }'
web_rule zero.crawl.test 'location / { return 404; }'
web_rule shop.crawl.test 'location = /.well-known/poppy.json { default_type application/json; return 200 "{ \"protocol_version\": \"0.1\", \"organization\": { \"name\": \"Shop\", \"domain\": \"$host\" }, \"web\": {} }"; }'
web_start || exit 1
sed -i 's/access_log .*access.log;/access_log off;/' "$dir/nginx.conf" && kill -HUP "$(cat "$dir/nginx.pid")"

awk -v n="$n" 'BEGIN { for (i = 1; i <= n; i++) print (i % 100 < 3 ? "shop" : i % 2 ? "page" : "none") i ".crawl.test" }' >"$dir/list"
{
    printf 'connect-to = "::127.0.0.1:%s"\n' "$WEB_PORT"
    sed 's,.*,url = "https://&/.well-known/poppy.json"\noutput = "/dev/null",' "$dir/list"
} >"$dir/curls"
"$build/papaver" census add "$dir/list" --database "$dir/all.db" >/dev/null || exit 1
cat >"$dir/ours" <<END
cp "$dir/all.db" "$dir/turn.db" && rm -f "$dir/turn.db-wal" "$dir/turn.db-shm" &&
    exec "$build/papaver" census run --quiet --database "$dir/turn.db" --jobs 100 --timeout 10 --cacert "$dir/ca.pem" --allow-private \
    --unlimited --only poppy --connect-to ::127.0.0.1:$WEB_PORT
END
"$build/bench/bench_turns" 3 \
    ours sh "$dir/ours" \
    -- curl curl --silent --no-progress-meter --max-time 10 --cacert "$dir/ca.pem" --parallel --parallel-max 100 \
    --config "$dir/curls" >"$dir/turns" || exit 1
"$build/papaver" census status --json --database "$dir/turn.db" >"$dir/status"

# Memory: a run of a moment with many more queued.
awk -v n="$queued" 'BEGIN { for (i = 1; i <= n; i++) print "none" i ".crawl.test" }' |
    "$build/papaver" census add - --database "$dir/many.db" >/dev/null
"$build/bench/bench_turns" 1 \
    many timeout -s INT 5 "$build/papaver" census run --quiet --database "$dir/many.db" --jobs 100 --cacert "$dir/ca.pem" --allow-private \
    --unlimited --connect-to "::127.0.0.1:$WEB_PORT" >>"$dir/turns"
bytes=$(wc -c <"$dir/many.db")
awk -v n="$n" -v queued="$queued" -v bytes="$bytes" -v status="$(cat "$dir/status")" '
    function say(good, what) { printf "   %s: %s\n", what, good ? "yes" : "NO"; bad = bad || !good }
    { wall[$1] = $2; cpu[$1] = $4; rss[$1] = $6; code[$1] = $7 }
    END {
        printf "census    %6.2f s, %5.0f domains/s, %.2f ms CPU each, %.1f MB; status %d\n", wall["ours"] / 1000, n * 1000 / wall["ours"], cpu["ours"] / n, rss["ours"] / 1024, code["ours"]
        printf "curl      %6.2f s, %5.0f domains/s, %.2f ms CPU each, %.1f MB; status %d\n", wall["curl"] / 1000, n * 1000 / wall["curl"], cpu["curl"] / n, rss["curl"] / 1024, code["curl"]
        printf "with %d queued %.1f MB; %.0f bytes of database for each queued\n", queued, rss["many"] / 1024, bytes / queued
        print status
        rate = wall["curl"] / wall["ours"]; less = cpu["curl"] / cpu["ours"]
        busy = cpu["ours"] / wall["ours"] < 0.5
        printf "rate %.2f times that of curl, CPU %.2f times less%s\n", rate, less, busy ? "; the machine is busy: CPU counts" : ""
        say((busy ? less : rate) >= 2, "at least twice the rate of curl")
        say(rss["ours"] < 200 * 1024 && rss["many"] < 200 * 1024, "memory below 200 MB")
        say(rss["many"] < rss["ours"] * 1.2 + 4096, "and flat in the length of the queue")
        say(status ~ /"due":0,/ && status !~ /time-out/, "every domain was asked and none timed out")
        exit bad
    }' "$dir/turns"
