#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mcp.sh BUILD [CALLS]: `papaver mcp` on standard input and output, as a client that starts it sees it: from the start of the
# process to its first answer (at most 20 ms, the best of 20 starts); then load_skill of one skill of 5 kB that is loaded, one
# after the other and many at once (5,000 a second), each answer counted and its label looked for.
set -u
build=$(cd "$1" && pwd) || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
mkdir -p "$dir/skills/water-plants/references"
{
    printf -- '---\nname: water-plants\ndescription: Waters plants on a schedule that fits the season.\n---\n\n# Water plants\n\n'
    for i in $(seq 80); do echo "$i. Pour 0.2 l slowly, not on the leaves, and wait for a while."; done
} >"$dir/skills/water-plants/SKILL.md"
echo 'Cactus: monthly.' >"$dir/skills/water-plants/references/table.md"
python3 - "$build/papaver" "$dir/skills/" "${2:-20000}" <<'END'
import json, subprocess, sys, threading, time

program, folder, calls = sys.argv[1], sys.argv[2], int(sys.argv[3])
HELLO = {"jsonrpc": "2.0", "id": "hello", "method": "initialize",
         "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}}


def start():
    return subprocess.Popen([program, "mcp", "s=" + folder, "--no-cache"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def first_answer():
    begun = time.perf_counter()
    p = start()
    p.stdin.write((json.dumps(HELLO) + "\n").encode())
    p.stdin.flush()
    assert json.loads(p.stdout.readline())["id"] == "hello"
    took = time.perf_counter() - begun
    p.stdin.close()
    assert p.wait(10) == 0
    return took * 1000


def message(i):
    return b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"load_skill","arguments":{"name":"water-plants"}}}\n' % i


def answer(p):
    while True:
        line = p.stdout.readline()
        if b'"id"' in line[:40]:
            assert b'"result"' in line and b"not the words of the person" in line, line
            return line


def one_by_one(p, n):
    begun = time.perf_counter()
    for i in range(n):
        p.stdin.write(message(i))
        p.stdin.flush()
        answer(p)
    return n / (time.perf_counter() - begun)


def many(p, n, at_once=64):
    room = threading.Semaphore(at_once)

    def ask():
        for i in range(n):
            room.acquire()
            p.stdin.write(message(i))
            p.stdin.flush()

    begun = time.perf_counter()
    threading.Thread(target=ask).start()
    for _ in range(n):
        answer(p)
        room.release()
    return n / (time.perf_counter() - begun)


starts = sorted(first_answer() for _ in range(20))
p = start()
p.stdin.write(message(0))
p.stdin.flush()
size = len(answer(p))
alone = max(one_by_one(p, calls // 4) for _ in range(2))
together = max(many(p, calls) for _ in range(2))
p.stdin.close()
assert p.wait(10) == 0
good = starts[0] < 20, together >= 5000
print("start to first answer %.1f ms (median %.1f ms); below 20 ms: %s" % (starts[0], starts[10], "yes" if good[0] else "NO"))
print("answers of %d bytes, one after the other: %d calls/s" % (size, alone))
print("64 at once: %d calls/s; at least 5000: %s" % (together, "yes" if good[1] else "NO"))
sys.exit(not all(good))
END
