#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# unpack.sh BUILD: a 40 MB tar.gz of 4,000 files, hashed, verified and unpacked by the skills client onto tmpfs, against
# GNU `tar xz` alone. CPU time of the processes (of tar with its gzip), the best of several rounds, in turn; memory.
set -u
build=$(cd "$1" && pwd) || exit 1
dir=$(mktemp -d -p /dev/shm) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
cd "$dir" || exit 1

python3 - <<'END' || exit 1
import os, random, tarfile
random.seed(1)
words = ["".join(random.choices("abcdefghijklmnoprstuvw", k=random.randint(2, 10))) for _ in range(3000)]
text = " ".join(random.choices(words, weights=range(3000, 0, -1), k=2000000)).encode()
os.makedirs("src")
with open("src/SKILL.md", "w") as f:
    f.write("---\nname: bench\ndescription: Many files.\n---\n")
for i in range(3999):
    folder = f"src/part-{i // 100:02}"
    os.makedirs(folder, exist_ok=True)
    at = random.randrange(len(text) - 60000)
    with open(f"{folder}/file-{i:04}.md", "wb") as f:
        f.write(text[at:at + random.randint(2000, 51000)])
END
tar --sort=name --owner=0 --group=0 --mtime=@0 --format=ustar -C src -cf - SKILL.md $(cd src && ls -d part-*) | gzip -n >a.tar.gz
"$build/bench/bench_unpack" -d a.tar.gz >a.tar.gz.digest
echo 'mkdir "theirs.$$" && exec tar xzf a.tar.gz -C "theirs.$$"' >tar.sh
echo "mkdir \"ours.\$\$\" && exec '$build/bench/bench_unpack' a.tar.gz \"ours.\$\$\"" >ours.sh
"$build/bench/bench_turns" "${ROUNDS:-7}" tar sh tar.sh -- ours sh ours.sh >out || exit 1
same=1
for made in theirs.[0-9]* ours.[0-9]*; do diff -r src "$made" >/dev/null || same=; done
awk -v bytes="$(wc -c <a.tar.gz)" -v files="$(find src -type f | wc -l)" -v same="$same" '
    function say(good, what) { printf "   %s: %s\n", what, good ? "yes" : "NO"; bad = bad || !good }
    { cpu[$1] = $4; wall[$1] = $2; rss[$1] = $6; status[$1] = $7 }
    END {
        printf "%.1f MB, %d files\ntar xz:                  %6.0f ms CPU, %6.0f ms\n", bytes / 1e6, files, cpu["tar"], wall["tar"]
        printf "hash, verify and unpack: %6.0f ms CPU, %6.0f ms, %.2f times, %.1f MB\n", cpu["ours"], wall["ours"],
            cpu["ours"] / cpu["tar"], rss["ours"] / 1024
        say(cpu["ours"] <= cpu["tar"], "no more CPU than tar xz alone")
        say(rss["ours"] < 24 * 1024, "less than 24 MB of memory")
        say(same && status["ours"] == 0 && status["tar"] == 0, "the same files")
        exit bad
    }' out
