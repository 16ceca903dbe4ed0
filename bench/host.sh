#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# host.sh BUILD [SECONDS]: `papaver serve` of a tree of 1,000 skills of 5 kB against nginx that serves the same tree by the rules
# that `papaver publish --rules nginx` prints: one artifact, keep-alive, 64 connections.
#   rate      plain, with TLS, and 304 for the artifact's ETag: at least 1.0 times nginx
#   p99       of the latency: at most 1.5 times
#   memory    10,000 idle connections: at most 1.1 times; all of it, with 1,000 skills and load on 64 connections: at most
#             32 MB, from the tree and straight from the skills
#   reload    trees that are swapped under that load: no request is lost
set -u
build=$(cd "$1" && pwd) || exit 1
seconds=${2:-2}
. "$(dirname "$0")/lib/http.sh"
http_begin
python3 - "$dir/project" <<'END' || exit 1
import os, random, sys
random.seed(1)
words = ["".join(random.choices("abcdefghijklmnoprstuvw", k=random.randint(2, 10))) for _ in range(3000)]
for i in range(1000):
    folder = "%s/skills/skill-%04d" % (sys.argv[1], i)
    os.makedirs(folder)
    text = "---\nname: skill-%04d\ndescription: Does thing number %d when asked to.\n---\n\n# Skill\n\n" % (i, i)
    while len(text) < 5000:
        text += random.choice(words) + " "
    with open(folder + "/SKILL.md", "w") as f:
        f.write(text[:4999] + "\n")
END
publish() { "$build/papaver" publish --quiet "$dir/project" --out "$dir/tree"; }
export XDG_CACHE_HOME="$dir/cache"
publish || exit 1
path_nginx=$(cd "$dir/tree" && find . -name 'sha256-*.md' | sort | sed -n '500s/^\.//p') path_ours=$path_nginx
http_nginx "$dir/tree" "$("$build/papaver" publish --rules nginx | sed "s,DIR,$dir/tree,")"
served=$dir/tree
ours() {
    if [ "$2" = 1 ]; then set -- "$1" --tls-cert "$dir/bench.pem" --tls-key "$dir/bench.key"; else set -- "$1"; fi
    address=127.0.0.1:$1
    shift
    taskset -c 0 "$build/papaver" serve "$served" --listen $address --workers 1 --access-log none --max-connections 20000 \
        --idle 600 "$@" >/dev/null 2>"$dir/log" & parent=$! pid=$!
}
status=0
say() { # say GOOD TEXT
    [ "$1" = 1 ] && echo "$2: yes" || { echo "$2: NO"; status=1; }
}
compare plain 0 || status=1
compare TLS 1 || status=1
compare 304 0 || status=1
most=$(($(ulimit -n) - 100))
[ $most -gt 10000 ] && most=10000
memory plain 0 $most || status=1
memory TLS 1 $((most > 2000 ? 2000 : most)) || status=1

# loaded FOLDER TLS: kilobytes under load.
loaded() {
    served=$1
    start ours "$2"
    taskset -c 1 wrk -t1 -c64 "-d$seconds" "$url" >"$dir/wrk" &
    sleep 1
    resident
    wait $!
    stop
    served=$dir/tree
}
for from in tree project; do
    for tls in 0 1; do
        kb=$(loaded "$dir/$from" $tls)
        say $((kb > 0 && kb <= 32 * 1024)) "1,000 skills from the $from, $([ $tls = 1 ] && echo TLS || echo plain), 64 connections: $((kb / 1024)) MB, at most 32"
    done
done

# Each second another tree.
start ours 0
taskset -c 1 wrk -t1 -c64 -d8 "$url" >"$dir/wrk" & client=$!
for i in 1 2 3 4 5 6; do
    sed -i "s/^# Skill.*/# Skill $i/" "$dir/project/skills/skill-0001/SKILL.md"
    publish
    sleep 1
done
wait $client
kb=$(resident)
stop
swapped=$(grep -c ': serving ' "$dir/log")
lost=$(grep -c -e 'Non-2xx' -e 'Socket errors' "$dir/wrk")
say $((lost == 0 && swapped > 4)) "$((swapped - 1)) trees swapped under load, $(awk '/requests in/ { print $1 }' "$dir/wrk") requests, $((kb / 1024)) MB afterwards; none lost"
exit $status
