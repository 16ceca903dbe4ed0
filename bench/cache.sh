#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cache.sh BUILD: a skill of 5 kB activated from the cache through the library, and taken out of the cache alone, against a
# program that opens the file, reads and hashes it. CPU, the median of 3,000; best of three runs.
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
        printf "a cached skill of 5 kB, microseconds of CPU:\n"
        printf "   open, read and hash the file (yardstick)  %7.1f\n", best["read"]
        printf "   out of the cache, held                    %7.1f\n", best["get"]
        printf "   activated, a SKILL.md                     %7.1f\n", best["skill-md"]
        printf "   activated, a tar.gz                       %7.1f\n", best["archive"]
        say(best["get"] <= 4 * best["read"], "the cache alone at most 4 times the yardstick")
        say(best["skill-md"] < 300, "activating a SKILL.md below 0.3 ms")
        say(best["archive"] < 300, "activating a tar.gz below 0.3 ms")
        exit bad
    }' "$dir/out"
