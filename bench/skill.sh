#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# skill.sh BUILD: the skills client without a network between.
#   cached    a cached skill of 5 kB is activated by the library: below 0.3 ms of CPU
#   archive   a tar.gz of 40 MB with 4,000 files (limits raised) is fetched, hashed, verified and unpacked on tmpfs, with no
#             more CPU than GNU `tar xz` of it takes and below 24 MB of memory
#   list      `papaver skill list` of a loopback index against one `curl` of it: 1.3 times, our start-up taken off
set -u
build=$(cd "$1" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tests/lib/nginx.sh"
dir=$(mktemp -d -p /dev/shm) || dir=$(mktemp -d) || exit 1
trap 'web_stop; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
bad=0
# say WORDS VALUE MOST: a target.
say() {
    awk -v words="$1" -v v="$2" -v most="$3" 'BEGIN {
        good = v <= most
        printf "   %s: %s\n", words, good ? "yes" : "NO"
        exit !good }' || bad=1
}

echo cached
for _ in 1 2 3; do
    mkdir -p "$dir/cache" && "$build/bench/bench_skill" cached 200 "$dir/cache" || exit 1
    rm -rf "$dir/cache"
done | sort -n | head -n 1 >"$dir/out"
read -r mean least <"$dir/out"
say "$mean us of CPU on average ($least at best), below 300" "$mean" 300

echo archive
mkdir "$dir/skill" "$dir/tar"
printf -- '---\nname: large\ndescription: d\n---\n' >"$dir/skill/SKILL.md"
(cd "$dir/skill" && head -c 41943040 /dev/urandom | split -b 10486 -a 4 -d - part-) || exit 1
tar -C "$dir/skill" --format=ustar --sort=name -cf - $(cd "$dir/skill" && ls) | gzip -1 >"$dir/large.tar.gz" || exit 1
rm -rf "$dir/skill"
for _ in 1 2 3; do
    "$build/bench/bench_skill" archive "$dir/large.tar.gz" large "$dir/cache" >>"$dir/ours" || exit 1
    rm -rf "$dir/cache"
    command time -f '%U %S' -o "$dir/time" tar -C "$dir/tar" -xzf "$dir/large.tar.gz" || exit 1
    awk '{ print $1 + $2 }' "$dir/time" >>"$dir/theirs"
    rm -rf "$dir/tar" && mkdir "$dir/tar"
done
ours=$(sort -n "$dir/ours" | head -n 1 | cut -d' ' -f1) files=$(head -n 1 "$dir/ours" | cut -d' ' -f2)
rss=$(cut -d' ' -f3 "$dir/ours" | sort -n | tail -n 1) theirs=$(sort -n "$dir/theirs" | head -n 1)
say "$files files in $ours s of CPU, tar xz $theirs s, no more than that" "$ours" "$theirs"
say "$rss kB of memory, below 24,576" "$rss" 24576

echo list
web_new "$dir" && web_site shop.example || exit 1
printf '{"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[]}' \
    >"$dir/sites/shop.example/index.json"
web_start || exit 1
url=https://shop.example:$WEB_PORT/index.json at=shop.example:$WEB_PORT:127.0.0.1
"$build/bench/bench_turns" 15 \
    start "$build/papaver" version \
    -- ours "$build/papaver" skill list --no-cache --allow-private --cacert "$dir/ca.pem" --resolve "$at" "$url" \
    -- curl curl --silent --fail --cacert "$dir/ca.pem" --resolve "$at" "$url" >"$dir/turns" || exit 1
awk '{ wall[$1] = $2; bad = bad || $7 } END { if (bad) exit 1; printf "%.2f %.2f %.2f\n", wall["ours"], wall["curl"], wall["start"] }' "$dir/turns" >"$dir/out" ||
    { echo "a program failed"; exit 1; }
read -r ours curl start <"$dir/out"
say "$ours ms, curl $curl ms, start-up $start ms; 1.3 times curl and start-up" "$ours" \
    "$(awk -v c="$curl" -v s="$start" 'BEGIN { print 1.3 * c + s }')"
exit $bad
