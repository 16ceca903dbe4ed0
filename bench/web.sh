#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# web.sh BUILD [SECONDS]: papaver web over a census of 10,000 sites, one worker on a core of its own.
#   report     rendered from the store: under 2 ms of CPU time
#   unchanged  the same with If-None-Match that fits, 304: 5,000 a second
#   sites      a page of the list of 10,000: under 5 ms
set -u
build=$1 seconds=${2:-3}
for tool in wrk taskset curl; do command -v $tool >/dev/null || { echo "$tool is missing"; exit 1; }; done
dir=$(mktemp -d) || exit 1
pid=
trap 'kill $pid 2>/dev/null; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
"$build/bench/bench_web_world" "$dir/web.db" 10000 || exit 1
taskset -c 0 "$build/papaver" web --origin http://localhost --contact a@b.example --database "$dir/web.db" --listen 127.0.0.1:0 \
    --insecure-loopback --only-show --no-log --workers 1 2>"$dir/log" & pid=$!
for _ in $(seq 100); do grep -q 'listening' "$dir/log" && break; sleep 0.1; done
url=$(sed -n 's,.*listening on \(http://.*\)/,\1,p' "$dir/log")
status=0
# Clock ticks of CPU time, of all threads.
ticks() { awk '{ print $14 + $15 }' "/proc/$pid/stat"; }
# measure NAME PATH WHAT MOST [FIELD]: WHAT is cpu (at most so many ms each) or rate (at least so many a second of CPU time)
measure() {
    before=$(ticks)
    taskset -c 1 wrk -t1 -c4 -d"${seconds}s" ${5:+-H} ${5:+"$5"} "$url$2" >"$dir/wrk"
    after=$(ticks)
    requests=$(awk '/requests in/ { print $1 }' "$dir/wrk")
    ! grep -q 'Non-2xx' "$dir/wrk" || [ "$3" = rate ] || { cat "$dir/wrk"; status=1; }
    awk -v name="$1" -v n="$requests" -v t=$((after - before)) -v hz="$(getconf CLK_TCK)" -v what="$3" -v most="$4" 'BEGIN {
        ms = t * 1000 / hz / n; rate = 1000 / ms; good = what == "cpu" ? ms < most : rate >= most
        printf "%-10s %8d requests, %7.3f ms of CPU time each, %8.0f a second of it; %s %s: %s\n", name, n, ms, rate,
            what == "cpu" ? "under" : "at least", what == "cpu" ? most " ms" : most, good ? "yes" : "NO"
        exit !good }' || status=1
}
tag=$(curl -s -o /dev/null -D - "$url/check/shop5.example" | tr -d '\r' | sed -n 's/^ETag: //p')
measure report /check/shop5.example cpu 2
measure unchanged /check/shop5.example rate 5000 "If-None-Match: $tag"
measure sites /sites cpu 5
measure sorted '/sites?sort=errors&order=desc&page=37' cpu 5
measure searched '/sites?q=shop99&skills=with' cpu 5
exit $status
