#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# skills.sh BUILD [N]: `papaver check` of N (1,000) SKILL.md files of 4.4 kB in one call, named by their folder and one by
# one, against a process that does nothing but read them. CPU time of the whole process, the best of several rounds.
# Then ten times as many, and with BENCH_LARGE=1 a hundred times: the cost of each must stay, and the memory too.
set -u
build=$(cd "$1" && pwd) || exit 1
n=${2:-1000}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
cd "$dir" || exit 1

# measure GROUPS ROUNDS: lines "WHO N ..." (see bench_turns) for so many folders of 1,000 skills or whatever N is.
measure() {
    for group in $(seq "$1"); do
        mkdir -p many
        "$build/bench/bench_skills" write "many/group-$group" "$n" $(((group - 1) * n)) || exit 1
    done
    all=$((n * $1))
    find ./many -name SKILL.md | LC_ALL=C sort >list
    # What a process has in memory before it becomes another program counts as that one's: the list comes later.
    "$build/bench/bench_turns" "$2" "read $all" "$build/bench/bench_skills" read many/* \
        -- "folder $all" "$build/papaver" check ./many >>out || exit 1
    if [ "$all" -le 10000 ]; then # so many names fit on a command line
        "$build/bench/bench_turns" "$2" "list $all" "$build/papaver" check @list >>out || exit 1
    fi
    rm -rf many
}
measure 1 15
measure 10 3
[ "${BENCH_LARGE-}" = 1 ] && measure 100 2

awk -v n="$n" '
    function say(good, what) { printf "   %s: %s\n", what, good ? "yes" : "NO"; bad = bad || !good }
    { cpu[$1, $2] = $5; rss[$1, $2] = $7; status[$1, $2] = $8 }
    END {
        for (all = n; ("read", all) in cpu; all *= 10)
            for (i = split("read folder list", kinds, " "); i > 0; i--)
                if ((kinds[i], all) in cpu)
                    printf "%-7s %6d files: %8.1f ms CPU, %.2f times reading, %5.1f us each, %5.2f MB\n", kinds[i], all,
                        cpu[kinds[i], all], cpu[kinds[i], all] / cpu["read", all], cpu[kinds[i], all] * 1000 / all,
                        rss[kinds[i], all] / 1024
        for (i = 2; i <= 3; i++) {
            kind = kinds[i]
            say(cpu[kind, n] <= 4.5 * cpu["read", n], kind ": at most 4.5 times reading (45 ms where that takes 10)")
            say(status[kind, n] == 0, kind ": nothing but warnings is found")
            for (all = n * 10; (kind, all) in cpu; all *= 10) {
                say(cpu[kind, all] / all <= 1.3 * cpu[kind, n] / n, kind ": " all " files cost at most 1.3 times as much each")
                if (kind == "folder") # the names of a list are in memory, whoever reads it
                    say(rss[kind, all] <= 1.2 * rss[kind, n], kind ": " all " files take at most 1.2 times the memory")
            }
        }
        exit bad
    }' out
