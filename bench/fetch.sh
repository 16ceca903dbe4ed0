#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fetch.sh BUILD [HOSTS]: documents of 5 kB from 2,000 hosts on loopback, each with a TLS handshake of its own, 100 at
# once, by the client and by `curl --parallel --parallel-max 100`, whole processes, in turn, with the same file of one
# root and the same addresses. Two ways to give the addresses:
#   names     `--resolve HOST:PORT:ADDRESS` for each host. The rate is to be at least 2.5 times that of curl, which reads
#             all of them for each of its transfers; the client reads them once.
#   wildcard  one `--resolve *:PORT:ADDRESS`. What is left is the handshake, which costs both the same: a bare OpenSSL
#             client that keeps one SSL_CTX needs the time that ours needs. It is to take no more CPU than curl.
set -u
build=$1 hosts=${2:-2000}
. "$(dirname "$0")/../tests/lib/nginx.sh"
dir=$(mktemp -d) || exit 1
trap 'web_stop; rm -rf "$dir"' EXIT
web_new "$dir" && web_site any.crawl.test 'name=*.crawl.test' as=.crawl.test || exit 1
{ printf '{"filler": "'; head -c 5000 /dev/zero | tr '\0' x; echo '"}'; } >"$dir/sites/any.crawl.test/poppy.json"
web_start || exit 1
for n in $(seq "$hosts"); do echo "resolve = h$n.crawl.test:$WEB_PORT:127.0.0.1"; done >"$dir/names"
echo "resolve = *:$WEB_PORT:127.0.0.1" >"$dir/wildcard"

# Wall and CPU seconds of a command, one line.
timed() {
    command time -f '%e %U %S' -o "$dir/time" "$@" >/dev/null || return 1
    awk '{ printf "%.2f %.2f\n", $1, $2 + $3 }' "$dir/time"
}
ours() { timed "$build/bench/bench_fetch" "$hosts" 100 "$dir/ca.pem" "$WEB_PORT" ${1-}; }
curls() {
    timed curl --silent --no-progress-meter --fail --cacert "$dir/ca.pem" --config "$1" --parallel --parallel-max 100 \
        --output /dev/null "https://h[1-$hosts].crawl.test:$WEB_PORT/poppy.json"
}
best() { sort -n -k "$2" "$dir/$1" | awk -v k="$2" 'NR == 1 { print $k }'; }

# compare NAME COLUMN TARGET [ARGUMENT]: COLUMN 1 judges the rate, 2 the CPU time.
compare() {
    rm -f "$dir/ours" "$dir/curls"
    for _ in 1 2 3; do
        ours ${4-} >>"$dir/ours" && curls "$dir/$1" >>"$dir/curls" || return 1
    done
    awk -v o="$(best ours 1)" -v c="$(best curls 1)" -v oc="$(best ours 2)" -v cc="$(best curls 2)" -v n="$hosts" \
        -v name="$1" -v column="$2" -v target="$3" 'BEGIN {
        printf "%s\n", name
        printf "   client: %5.2f s, %4.0f hosts/s, %.2f ms CPU each\n", o, n / o, oc * 1000 / n
        printf "   curl:   %5.2f s, %4.0f hosts/s, %.2f ms CPU each\n", c, n / c, cc * 1000 / n
        good = (column == 1 ? c / o : cc / oc) >= target
        printf "   rate %.2f times that of curl, CPU %.2f times less; %s at least %s: %s\n", c / o, cc / oc,
            column == 1 ? "rate" : "CPU", target, good ? "yes" : "NO"
        exit !good
    }'
}
status=0
compare names 1 2.5 names || status=1
compare wildcard 2 1.0 || status=1
exit $status
