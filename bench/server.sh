#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# server.sh BUILD [SECONDS]: the HTTP server alone against nginx: an artifact of 5 kB from memory, keep-alive, 64 connections.
#   rate      plain, with TLS, and 304 for an If-None-Match that fits: at least 1.0 times nginx
#   p99       of the latency: at most 1.5 times
#   memory    what 10,000 idle connections (fewer where ulimit says so; 2,000 with TLS), each after one request, add to the
#             resident size: at most 1.1 times nginx
set -u
build=$1 seconds=${2:-2}
. "$(dirname "$0")/lib/http.sh"
http_begin
mkdir "$dir/site"
head -c 5000 /dev/zero | tr '\0' x >"$dir/site/artifact.md"
http_nginx "$dir/site" "add_header Cache-Control 'public, max-age=31536000, immutable'; add_header X-Content-Type-Options nosniff;"
path_nginx=/artifact.md path_ours=/artifact.md
ours() {
    if [ "$2" = 1 ]; then set -- "$1" "$dir/bench.pem" "$dir/bench.key"; else set -- "$1"; fi
    taskset -c 0 "$build/bench/bench_server" "$@" & parent=$! pid=$!
}
status=0
compare plain 0 || status=1
compare TLS 1 || status=1
compare 304 0 || status=1
most=$(($(ulimit -n) - 100))
[ $most -gt 10000 ] && most=10000
memory plain 0 $most || status=1
memory TLS 1 $((most > 2000 ? 2000 : most)) || status=1
exit $status
