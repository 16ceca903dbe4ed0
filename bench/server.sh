#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# server.sh BUILD [SECONDS]: the HTTP server against nginx: an artifact of 5 kB, keep-alive, 64 connections. One core for
# the server (one worker each), another for wrk. nginx in its best setting: open_file_cache, sendfile off, no access log.
# Rates are requests per second of the server's CPU time, so that a busy machine does little harm; the two run in turn,
# and the best of each counts.
#   rate      plain, with TLS, and 304 for an If-None-Match that fits: at least 1.0 times nginx
#   p99       of the latency: at most 1.5 times
#   memory    what 10,000 idle connections (fewer where ulimit says so; 2,000 with TLS), each after one request, add to the
#             resident size: at most 1.1 times nginx
set -u
build=$1 seconds=${2:-2}
. "$(dirname "$0")/../tests/lib/nginx.sh"
command -v wrk >/dev/null || { echo "wrk is missing: install the package wrk"; exit 1; }
missing=$(web_missing)
[ -z "$missing" ] || { echo "missing:" $missing; exit 1; }
dir=$(mktemp -d) || exit 1
pids=
trap 'kill $pids 2>/dev/null; rm -rf "$dir"' EXIT
ulimit -n "$(ulimit -H -n)"
WEB=$dir
mkdir -p "$dir/sites" "$dir/servers" "$dir/rules" "$dir/tmp"
web_authority ca && web_certificate "$dir/bench" bench.example ca || exit 1
head -c 5000 /dev/zero | tr '\0' x >"$dir/sites/artifact.md"
touch -d @784111777 "$dir/sites/artifact.md" # so that nginx makes the ETag and the date that bench_server has
port=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
port=$((20000 + port % 12000))
cat >"$dir/nginx.conf" <<END
worker_processes 1;
daemon off;
pid $dir/nginx.pid;
error_log $dir/error.log;
worker_rlimit_nofile 20000;
events { worker_connections 16000; }
http {
    access_log off; sendfile off; tcp_nodelay on; keepalive_requests 1000000000; keepalive_timeout 600;
    open_file_cache max=1000 inactive=600s; open_file_cache_valid 600s;
    types { text/markdown md; }
    charset utf-8; charset_types text/markdown;
    server {
        listen 127.0.0.1:$port backlog=4096;
        listen 127.0.0.1:$((port + 1)) ssl backlog=4096;
        ssl_certificate $dir/bench.pem; ssl_certificate_key $dir/bench.key; ssl_protocols TLSv1.2 TLSv1.3;
        root $dir/sites;
        add_header Cache-Control 'public, max-age=31536000, immutable';
        add_header X-Content-Type-Options nosniff;
    }
}
END
PATH=$PATH:/usr/sbin:/sbin
[ "$(id -u)" = 0 ] && sed -i '1i user root;' "$dir/nginx.conf"
# start WHO TLS: sets `at`, the port to ask, and `pid`, the process to measure: nginx's worker, or ours.
start() {
    case $1 in
    nginx)
        taskset -c 0 nginx -p "$dir" -c "$dir/nginx.conf" -e "$dir/error.log" & parent=$!
        for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            pid=$(pgrep -P $parent) && break
            sleep 0.05
        done
        at=$((port + $2)) ;;
    ours)
        at=$((port + 2 + $2))
        if [ "$2" = 1 ]; then set -- "$dir/bench.pem" "$dir/bench.key"; else set --; fi
        taskset -c 0 "$build/bench/bench_server" $at "$@" & parent=$! pid=$! ;;
    esac
    pids=$parent
    sleep 0.3
}
stop() { kill "$parent"; wait "$parent" 2>/dev/null; pids=; }
# Nanoseconds of CPU time, of all its threads.
spent() { cat /proc/"$pid"/task/*/schedstat | awk '{ ns += $1 } END { printf "%.0f\n", ns }'; }

# measure WHO TLS SCHEME [wrk's options]: "requests per CPU second" and "p99 in microseconds", one line
measure() {
    who=$1 tls=$2 scheme=$3
    shift 3
    start "$who" "$tls"
    curl -sk -o "$dir/body" -w '%{http_code}' "$@" "$scheme://127.0.0.1:$at/artifact.md" | grep -qx "$status_wanted" ||
        { echo "$who does not answer $status_wanted" >&2; return 1; }
    taskset -c 1 wrk -t1 -c64 -d1 "$@" "$scheme://127.0.0.1:$at/artifact.md" >/dev/null
    before=$(spent)
    taskset -c 1 wrk -t1 -c64 "-d$seconds" --latency "$@" "$scheme://127.0.0.1:$at/artifact.md" >"$dir/wrk"
    after=$(spent)
    grep -q -e 'Non-2xx' -e 'Socket errors' "$dir/wrk" && cat "$dir/wrk" >&2
    awk -v ns=$((after - before)) '
        /requests in/ { n = $1 }
        $1 == "99%" { p = $2 + 0; if ($2 ~ /ms$/) p *= 1000; else if ($2 !~ /us$/) p *= 1000000 }
        END { printf "%.0f %.0f\n", n * 1e9 / ns, p }' "$dir/wrk"
    stop
}
# compare NAME TLS SCHEME [wrk's options]
compare() {
    name=$1 status_wanted=200
    [ "$name" = 304 ] && status_wanted=304
    shift
    rm -f "$dir/nginx" "$dir/ours"
    for _ in 1 2 3 4 5; do
        measure nginx "$@" >>"$dir/nginx" && measure ours "$@" >>"$dir/ours" || return 1
    done
    awk -v name="$name" -v n="$(sort -rn "$dir/nginx" | awk 'NR == 1 { print $1 }')" -v o="$(sort -rn "$dir/ours" | awk 'NR == 1 { print $1 }')" \
        -v np="$(sort -n -k 2 "$dir/nginx" | awk 'NR == 1 { print $2 }')" -v op="$(sort -n -k 2 "$dir/ours" | awk 'NR == 1 { print $2 }')" 'BEGIN {
        good = o >= n && op <= 1.5 * np
        printf "%-6s nginx %6d, ours %6d requests per CPU second: %.2f times, at least 1.0; p99 %d us to %d us: %.2f times, at most 1.5: %s\n",
            name, n, o, o / n, np, op, op / np, good ? "yes" : "NO"
        exit !good
    }'
}

# Kilobytes of the server.
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$pid/status"; }
# idle WHO TLS COUNT: kilobytes that so many idle connections add.
idle() {
    start "$1" "$2"
    before=$(resident)
    "$build/bench/bench_idle" "$at" "$3" "$2" >"$dir/idle" & client=$!
    for _ in $(seq 600); do
        grep -q ready "$dir/idle" && break
        kill -0 $client 2>/dev/null || break
        sleep 0.1
    done
    grep -q ready "$dir/idle" && echo $(($(resident) - before)) || echo failed
    kill $client 2>/dev/null
    wait $client 2>/dev/null
    stop
}
# memory NAME TLS COUNT
memory() {
    n=$(idle nginx "$2" "$3") o=$(idle ours "$2" "$3")
    awk -v name="$1" -v n="$n" -v o="$o" -v count="$3" 'BEGIN {
        good = n > 0 && o > 0 && o <= 1.1 * n
        printf "%-6s %d idle connections: nginx %.2f kB each, ours %.2f kB each: %.2f times, at most 1.1: %s\n", name, count,
            n / count, o / count, o / n, good ? "yes" : "NO"
        exit !good
    }'
}
status=0
compare plain 0 http || status=1
compare TLS 1 https || status=1
compare 304 0 http -H 'If-None-Match: "2ebc98a1-1388"' || status=1
most=$(($(ulimit -n) - 100))
[ $most -gt 10000 ] && most=10000
memory plain 0 $most || status=1
memory TLS 1 $((most > 2000 ? 2000 : most)) || status=1
exit $status
