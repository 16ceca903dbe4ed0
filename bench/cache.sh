#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cache.sh BUILD: a skill of 5 kB and an artifact of 2 MB taken out of the cache, against a program that opens the file,
# reads and hashes it. CPU, the median of 1,000; best of three runs.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
for run in 1 2 3; do
    "$1/bench/bench_cache" "$dir/$run" >>"$dir/out" || exit 1
done
awk '
    function say(good, what) { printf "   %s: %s\n", what, good ? "yes" : "NO"; bad = bad || !good }
    !($1 in best) || $2 < best[$1] { best[$1] = $2 }
    END {
        printf "microseconds of CPU                5 kB      2 MB\n"
        printf "   open, read, hash (yardstick) %7.1f   %7.1f\n", best["read-5000"], best["read-2097152"]
        printf "   out of the cache, held       %7.1f   %7.1f\n", best["get-5000"], best["get-2097152"]
        say(best["get-5000"] <= 4 * best["read-5000"], "5 kB at most 4 times the yardstick")
        say(best["get-2097152"] <= 1.5 * best["read-2097152"], "2 MB at most 1.5 times")
        exit bad
    }' "$dir/out"
