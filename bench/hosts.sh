#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hosts.sh BUILD [N]: `papaver check --only poppy.protocol-version` of N (2,000) companies on loopback, each with a name and
# a TLS handshake of its own, 100 at once, against `curl --parallel --parallel-max 100` of the same poppy.json files with the
# same file of one root. Whole processes in turn, wall time, the best of several rounds; on a machine so busy that we got less
# than 70 % of one processor, wall time tells nothing, and CPU time is judged instead, of which both need much more than
# nginx. How the two come to know the addresses matters, so each way is measured:
#   names       --resolve HOST:PORT:ADDRESS for each host, which is what a list of hosts without DNS needs
#   connect-to  one --connect-to ::ADDRESS:PORT
#   wildcard    one --resolve *:PORT:ADDRESS
# Then how the cost grows: N / 10 hosts against N.
set -u
build=$(cd "$1" && pwd) || exit 1
n=${2:-2000}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tests/lib/nginx.sh"
dir=$(mktemp -d) || exit 1
trap 'web_stop; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
web_new "$dir" && web_site any.crawl.test 'name=*.crawl.test' || exit 1
sed -i 's/server_name .*/server_name .crawl.test;/' "$dir/servers/any.crawl.test"
mkdir -p "$dir/sites/any.crawl.test/.well-known"
{
    cat <<'END'
{ "protocol_version": "0.1",
  "organization": { "name": "Shop", "domain": "shop.example" },
  "auth": { "issuer": "https://id.shop.example", "direct": { "scopes": ["poppy:read"] } },
  "apis": [
END
    for i in $(seq 30); do
        printf '    { "type": "openapi", "url": "https://api.shop.example/v%d/openapi.json", "description": "Orders, returns and delivery on the same day, part %d" },\n' "$i" "$i"
    done
    echo '    { "type": "mcp", "url": "https://mcp.shop.example/mcp", "description": "Search" } ] }'
} >"$dir/sites/any.crawl.test/.well-known/poppy.json"
web_start || exit 1

# hosts WAY COUNT: files ours.WAY.COUNT (arguments) and curls.WAY.COUNT (configuration).
hosts() {
    case $1 in connect-to) port= ;; *) port=:$WEB_PORT ;; esac
    case $1 in
    names) seq "$2" | sed "s/.*/--resolve\nh&.crawl.test$port:127.0.0.1/" ;;
    connect-to) printf -- '--connect-to\n::127.0.0.1:%s\n' "$WEB_PORT" ;;
    wildcard) printf -- '--resolve\n*%s:127.0.0.1\n' "$port" ;;
    esac >"$dir/address"
    { cat "$dir/address"; seq "$2" | sed "s/.*/h&.crawl.test$port/"; } >"$dir/ours.$1.$2"
    {
        paste -d' ' - - <"$dir/address" | sed 's/^--\([a-z-]*\) \(.*\)/\1 = "\2"/'
        seq "$2" | sed "s,.*,url = \"https://h&.crawl.test$port/.well-known/poppy.json\"\noutput = \"/dev/null\","
    } >"$dir/curls.$1.$2"
}
# measure WAY COUNT ROUNDS: lines "WAY COUNT PROGRAM ...", see bench_turns.
measure() {
    hosts "$1" "$2"
    "$build/bench/bench_turns" "$3" \
        ours "$build/papaver" check --only poppy.protocol-version --jobs 100 --cacert "$dir/ca.pem" --allow-private \
        "@$dir/ours.$1.$2" \
        -- curl curl --silent --no-progress-meter --cacert "$dir/ca.pem" --parallel --parallel-max 100 \
        --config "$dir/curls.$1.$2" >"$dir/turns" || exit 1
    sed "s/^/$1 $2 /" "$dir/turns" >>"$dir/out"
}
for way in names connect-to wildcard; do
    measure $way "$((n / 10))" 3
    measure $way "$n" 3
done
asked=$(grep -c 'GET /.well-known/poppy.json' "$dir/access.log")
others=$(grep -vc 'GET /.well-known/poppy.json' "$dir/access.log")
awk -v n="$n" -v others="$others" -v asked="$asked" '
    function say(good, what) { printf "   %s: %s\n", what, good ? "yes" : "NO"; bad = bad || !good }
    { wall[$1, $2, $3] = $4; cpu[$1, $2, $3] = $6; status[$1, $2, $3] = $9; rss[$1, $2, $3] = $8 }
    function line(way, who, name) {
        printf "   %-8s %6.2f s, %5.0f hosts/s, %.2f ms CPU each, %.1f MB; with a tenth of the hosts %.2f ms CPU each\n", name,
            wall[way, n, who] / 1000, n * 1000 / wall[way, n, who], cpu[way, n, who] / n, rss[way, n, who] / 1024,
            cpu[way, n / 10, who] / (n / 10)
    }
    END {
        split("names connect-to wildcard", ways, " ")
        for (i = 1; i <= 3; i++) {
            way = ways[i]
            printf "%s\n", way
            line(way, "ours", "papaver")
            line(way, "curl", "curl")
            rate = wall[way, n, "curl"] / wall[way, n, "ours"]
            less = cpu[way, n, "curl"] / cpu[way, n, "ours"]
            busy = cpu[way, n, "ours"] / wall[way, n, "ours"] < 0.7
            printf "   rate %.2f times that of curl, CPU %.2f times less%s\n", rate, less,
                busy ? "; the machine is busy: CPU counts" : ""
            if (way == "names")
                say((busy ? less : rate) >= 2.5, "at least 2.5 times")
            say(status[way, n, "ours"] == 0 && status[way, n, "curl"] == 0, "every host was judged, and none wrong")
            say(cpu[way, n, "ours"] / n <= 1.3 * cpu[way, n / 10, "ours"] / (n / 10),
                "ten times the hosts cost at most 1.3 times as much each")
        }
        printf "%d requests for poppy.json, %d others\n", asked, others
        say(others == 0, "nothing but the one document is fetched")
        exit bad
    }' "$dir/out"
