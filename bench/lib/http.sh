# SPDX-License-Identifier: Apache-2.0
# http.sh: what the benchmarks of the HTTP server and of the host share: nginx and ours in turn, one core for the server
# (one worker each), another for wrk. To be sourced where $build and $seconds are set; then:
#
#     http_begin                                # $dir, certificates, $port: the first of four that are free
#     http_nginx ROOT RULES                     # nginx in its best setting for a folder, RULES in its server block
#     ours() { ... }                            # the caller's: PORT TLS; starts ours on core 0, sets parent and pid
#     path_nginx=/a path_ours=/a                # what is asked for
#     compare NAME TLS                          # rate and p99, the best of five; NAME 304: with each one's own ETag
#     memory NAME TLS COUNT                     # what idle connections add
#
# Rates are requests per second of the server's CPU time, so that a busy machine does little harm.
. "$(dirname "$0")/../tests/lib/nginx.sh"

http_begin() {
    command -v wrk >/dev/null || { echo "wrk is missing: install the package wrk"; exit 1; }
    missing=$(web_missing)
    [ -z "$missing" ] || { echo "missing:" $missing; exit 1; }
    dir=$(mktemp -d) || exit 1
    pids=
    trap 'kill $pids 2>/dev/null; rm -rf "$dir"' EXIT
    trap 'exit 1' HUP INT PIPE TERM
    ulimit -n "$(ulimit -H -n)"
    PATH=$PATH:/usr/sbin:/sbin
    WEB=$dir
    mkdir -p "$dir/tmp"
    web_authority ca && web_certificate "$dir/bench" bench.example ca || exit 1
    port=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
    port=$((20000 + port % 12000))
}

http_nginx() {
    cat >"$dir/nginx.conf" <<END
worker_processes 1;
daemon off;
pid $dir/nginx.pid;
error_log $dir/error.log;
worker_rlimit_nofile 20000;
events { worker_connections 16000; }
http {
    access_log off; sendfile off; tcp_nodelay on; keepalive_requests 1000000000; keepalive_timeout 600;
    open_file_cache max=2000 inactive=600s; open_file_cache_valid 600s;
    types { text/markdown md; }
    charset utf-8; charset_types text/markdown;
    server {
        listen 127.0.0.1:$port backlog=4096;
        listen 127.0.0.1:$((port + 1)) ssl backlog=4096;
        ssl_certificate $dir/bench.pem; ssl_certificate_key $dir/bench.key; ssl_protocols TLSv1.2 TLSv1.3;
        root $1;
        $2
    }
}
END
    [ "$(id -u)" = 0 ] && sed -i '1i user root;' "$dir/nginx.conf"
    return 0
}

# start WHO TLS: sets `url` and `at`, its port, and `pid`, the process to measure: nginx's worker, or ours.
start() {
    case $1 in
    nginx)
        taskset -c 0 nginx -p "$dir" -c "$dir/nginx.conf" -e "$dir/error.log" & parent=$!
        for _ in $(seq 40); do
            pid=$(pgrep -P $parent) && break
            sleep 0.05
        done
        at=$((port + $2)) path=$path_nginx ;;
    ours)
        at=$((port + 2 + $2)) path=$path_ours
        ours $at "$2" ;;
    esac
    pids=$parent
    [ "$2" = 1 ] && url=https://127.0.0.1:$at$path || url=http://127.0.0.1:$at$path
    for _ in $(seq 200); do
        curl -sk -o "$dir/body" "$url" && break
        sleep 0.05
    done
}
stop() { kill "$parent"; wait "$parent" 2>/dev/null; pids=; }
# Nanoseconds of CPU time, of all its threads.
spent() { cat /proc/"$pid"/task/*/schedstat | awk '{ ns += $1 } END { printf "%.0f\n", ns }'; }

# measure WHO TLS: "requests per CPU second" and "p99 in microseconds", one line
measure() {
    start "$1" "$2"
    who=$1
    set -- -H 'X-None: 1'
    [ "$status_wanted" != 304 ] || set -- -H "If-None-Match: $(curl -skI "$url" | tr -d '\r' | sed -n 's/^ETag: //Ip')"
    curl -sk -o "$dir/body" -w '%{http_code}' "$@" "$url" | grep -qx "$status_wanted" ||
        { echo "$who does not answer $status_wanted" >&2; stop; return 1; }
    taskset -c 1 wrk -t1 -c64 -d1 "$@" "$url" >/dev/null
    before=$(spent)
    taskset -c 1 wrk -t1 -c64 "-d$seconds" --latency "$@" "$url" >"$dir/wrk"
    after=$(spent)
    grep -q -e 'Non-2xx' -e 'Socket errors' "$dir/wrk" && cat "$dir/wrk" >&2
    awk -v ns=$((after - before)) '
        /requests in/ { n = $1 }
        $1 == "99%" { p = $2 + 0; if ($2 ~ /ms$/) p *= 1000; else if ($2 !~ /us$/) p *= 1000000 }
        END { printf "%.0f %.0f\n", n * 1e9 / ns, p }' "$dir/wrk"
    stop
}
# compare NAME TLS
compare() {
    name=$1 status_wanted=200
    [ "$name" != 304 ] || status_wanted=304
    rm -f "$dir/nginx" "$dir/ours"
    for _ in 1 2 3 4 5; do
        measure nginx "$2" >>"$dir/nginx" && measure ours "$2" >>"$dir/ours" || return 1
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
    "$build/bench/bench_idle" "$at" "$3" "$2" "$path" >"$dir/idle" & client=$!
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
