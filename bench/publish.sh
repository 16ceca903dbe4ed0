#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# publish.sh BUILD: `papaver publish` of 1,000 skills of 10 files (5 kB of words each) against one `tar | gzip -9` stream
# and one sha256sum over the same bytes; then the same again with nothing changed, against `git status`. CPU time of the
# processes, the best of several rounds, in turn.
set -u
build=$(cd "$1" && pwd) || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
cd "$dir" || exit 1

python3 - <<'END' || exit 1
import os, random
random.seed(1)
words = ["".join(random.choices("abcdefghijklmnoprstuvw", k=random.randint(2, 10))) for _ in range(3000)]
def text(n):
    return " ".join(random.choices(words, weights=range(3000, 0, -1), k=n // 6))[:n] + "\n"
for i in range(1000):
    folder = f"skills/skill-{i:04}/references"
    os.makedirs(folder)
    with open(f"skills/skill-{i:04}/SKILL.md", "w") as f:
        f.write(f"---\nname: skill-{i:04}\ndescription: Does thing number {i} when asked to.\n---\n\n# Skill {i}\n\n{text(4900)}")
    for k in range(9):
        with open(f"{folder}/part-{k}.md", "w") as f:
            f.write(text(5000))
END
cat >yardstick.sh <<'END'
tar cf - skills | gzip -9 >yardstick.tar.gz
find skills -type f -exec cat {} + | sha256sum >yardstick.sum
END
cat >publish.sh <<END
rm -rf dist
"$build/papaver" publish --quiet --fresh
END
git init -q . 2>/dev/null && git add skills && git -c user.name=b -c user.email=b@b.example commit -qm x
"$build/bench/bench_turns" "${ROUNDS:-3}" "yardstick 1000" sh yardstick.sh -- "publish 1000" sh publish.sh >out || exit 1
export XDG_CACHE_HOME="$dir/cache"
"$build/papaver" publish --quiet
sleep 3 # files as new as the clock can tell are not remembered
"$build/papaver" publish --quiet
git status --porcelain skills >clean
"$build/bench/bench_turns" "${ROUNDS:-3}" "status 1000" git status --porcelain skills -- "again 1000" "$build/papaver" publish --quiet >>out || exit 1

awk '
    function say(good, what) { printf "   %s: %s\n", what, good ? "yes" : "NO"; bad = bad || !good }
    { cpu[$1] = $5; rss[$1] = $7; status[$1] = $8 }
    END {
        printf "tar | gzip -9, sha256sum: %8.0f ms CPU\npublish:                  %8.0f ms CPU, %.2f times, %.0f MB\n", cpu["yardstick"],
            cpu["publish"], cpu["publish"] / cpu["yardstick"], rss["publish"] / 1024
        printf "git status:               %8.1f ms CPU\npublish again:            %8.1f ms CPU, %.2f times\n", cpu["status"], cpu["again"],
            cpu["again"] / cpu["status"]
        say(cpu["publish"] <= 2 * cpu["yardstick"], "publish: at most 2 times the CPU of one stream and one sum")
        say(status["publish"] == 0 && status["again"] == 0, "every skill is published")
        say(cpu["again"] <= 1.5 * cpu["status"], "publishing again: at most 1.5 times git status")
        exit bad
    }' out
