#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# origins.sh BUILD [N]: the skill indexes of N (1,000) origins on loopback, each with a name and a TLS handshake of its own,
# opened at once by the library (a list read, judged and kept for each), against `curl --parallel --parallel-max 100` of the
# same files with the same file of one root and one wildcard for the addresses. Whole processes in turn, the best of several
# rounds; where the machine gave us less than 70 % of one processor, CPU time is judged instead of wall time.
set -u
build=$(cd "$1" && pwd) || exit 1
n=${2:-1000}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tests/lib/nginx.sh"
dir=$(mktemp -d) || exit 1
trap 'web_stop; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
web_new "$dir" && web_site any.crawl.test 'name=*.crawl.test' || exit 1
sed -i 's/server_name .*/server_name .crawl.test;/' "$dir/servers/any.crawl.test"
{
    printf '{"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":['
    for i in $(seq 20); do
        [ "$i" = 1 ] || printf ','
        printf '{"name":"skill-%d","description":"What the skill of that number does and when it is used.","type":"skill-md","url":"artifacts/%d.md","digest":"sha256:%064d"}' "$i" "$i" "$i"
    done
    printf ']}'
} >"$dir/sites/any.crawl.test/index.json"
web_start || exit 1
"$build/bench/bench_turns" 3 \
    ours "$build/bench/bench_skill" origins "$n" 100 "$dir/ca.pem" "$WEB_PORT" \
    -- curl curl --silent --no-progress-meter --fail --cacert "$dir/ca.pem" --resolve "*:$WEB_PORT:127.0.0.1" \
    --parallel --parallel-max 100 --output /dev/null "https://h[1-$n].crawl.test:$WEB_PORT/index.json" >"$dir/out" ||
    exit 1
awk -v n="$n" '
    { wall[$1] = $2; cpu[$1] = $4; rss[$1] = $6; status[$1] = $7 }
    function line(who) { printf "   %-5s %6.2f s, %.2f ms CPU each, %.1f MB\n", who, wall[who] / 1000, cpu[who] / n, rss[who] / 1024 }
    END {
        line("ours"); line("curl")
        busy = cpu["ours"] < 0.7 * wall["ours"]
        ratio = busy ? cpu["ours"] / cpu["curl"] : wall["ours"] / wall["curl"]
        good = ratio <= 1.5 && status["ours"] == 0
        printf "   %.2f times the %s of curl, at most 1.5: %s\n", ratio, busy ? "CPU time" : "time", good ? "yes" : "NO"
        exit !good
    }' "$dir/out"
