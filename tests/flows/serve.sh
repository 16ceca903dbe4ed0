# SPDX-License-Identifier: Apache-2.0
# What papaver serves, papaver check finds nothing wrong with: a whole company over TLS, and a project just published. A
# change is served by itself, a wrong one is not; SIGTERM ends.
. tests/flows/flow.sh
. tests/flows/served.sh
mkdir "$dir/web" && web_new "$dir/web" && sites_fill demo/sites && web_start || exit 1

# The company of the demo: shop.example by papaver, the other hosts by nginx.
serve "$WEB/sites/shop.example"
check_served 0 shop.example
clean warning
grep -q '"GET /.well-known/poppy.json HTTP/1.1" 200 ' "$dir/access" || wrong "not asked for poppy.json here"
! grep -vE '" (200|304|404) [0-9]+$' "$dir/access" || wrong "other answers"
# Another certificate without a pause; a key that does not fit changes nothing.
cp "$WEB/shop.example.ca.key" "$dir/right.key"
cp "$WEB/default.example.ca.key" "$WEB/shop.example.ca.key"
kill -HUP $server
until_ grep -q 'the certificate before is kept' "$dir/log"
cp "$dir/right.key" "$WEB/shop.example.ca.key"
kill -HUP $server
until_ grep -q 'certificate read' "$dir/log"
check_served 0 shop.example
stop || wrong "SIGTERM: exit status $?"
grep -q stopping "$dir/log" || wrong "it does not say that it stops"

# A project.
mkdir -p "$dir/project/skills/water-plants/references" "$dir/project/skills/opening-hours"
cat >"$dir/project/skills/water-plants/SKILL.md" <<'END'
---
name: water-plants
description: Water the plants of an order. Use when somebody asks for watering.
---

# Water plants

This file grants nothing. Ask the person first.

1. Read [the table](references/table.md).
2. Say when the plants are watered.
END
echo 'Cactus: monthly.' >"$dir/project/skills/water-plants/references/table.md"
cat >"$dir/project/skills/opening-hours/SKILL.md" <<'END'
---
name: opening-hours
description: Say when the shop is open. Use when somebody asks for opening hours.
---

Open every day from nine to six.
END
"$papaver" publish "$dir/project" >"$dir/out" 2>&1 || { wrong "not published"; cat "$dir/out"; }
serve "$dir/project/dist" --admin 127.0.0.1:0
index=https://shop.example/.well-known/agent-skills/index.json
check_served 0 $index
clean warning
[ "$(grep -c 'artifacts/sha256-[0-9a-f]*[.]\(md\|tar.gz\) HTTP/1.1" 200' "$dir/access")" -ge 2 ] || wrong "artifacts were not fetched"

# Published again: served by itself, whole.
sed -i 's/nine to six/nine to seven/' "$dir/project/skills/opening-hours/SKILL.md"
"$papaver" publish "$dir/project" >"$dir/out" 2>&1 || wrong "not published again"
until_ sh -c "[ \"\$(grep -c serving '$dir/log')\" -ge 2 ]"
check_served 0 $index
clean warning

# A list that goes away is half of a change: what was good before is served, and it is said; until it is there again.
stale() { python3 -c 'import sys, urllib.request
text = urllib.request.urlopen(sys.argv[1] + "metrics").read().decode()
sys.exit(("papaver_tree_stale " + sys.argv[2] + "\n") not in text)' "$(sed -n 's,.*listening on \(http://.*/-/\)$,\1,p' "$dir/log")" "$1"; }
well_known=$dir/project/dist/.well-known/agent-skills
mv "$well_known/index.json" "$dir/index.json"
until_ grep -q 'still is: /.well-known/agent-skills/index.json is gone, as if a change was under way' "$dir/log"
until_ stale 1
check_served 0 $index
cp "$dir/index.json" "$well_known/index.json"
until_ stale 0
check_served 0 $index

# A tree that is wrong is not served; what was good before is.
sed -i 's/"sha256:[0-9a-f]\{8\}/"sha256:00000000/' "$dir/project/dist/.well-known/agent-skills/index.json"
until_ grep -q 'what was good before still is: .*links.digest' "$dir/log"
check_served 0 $index
clean warning

# A command says that it is meant: then an index that is gone is gone.
rm "$well_known/index.json"
sleep 0.3
kill -HUP $server
until_ stale 0
check_served 1 $index
stop || wrong "SIGTERM: exit status $?"

# Straight from the skills: the digests are those of what is served, a change is published by itself.
serve "$dir/project" --admin 127.0.0.1:0 --access-log json
check_served 0 $index
clean warning
fetch() { curl -s --cacert "$WEB/ca.pem" --connect-to "shop.example:443:127.0.0.1:$port" "$@"; }
fetch $index >"$dir/before.json"
head -n 1 "$dir/access" | python3 -c 'import json, sys; assert json.load(sys.stdin)["status"] == 200' || wrong "the log is no JSON"
sed -i 's/nine to seven/nine to eight/' "$dir/project/skills/opening-hours/SKILL.md"
until_ sh -c "[ \"\$(grep -c serving '$dir/log')\" -ge 2 ]"
check_served 0 $index
clean warning
# Who holds the list of before still gets what it names.
for url in $(sed -n 's,.*"url": "\([^"]*\)".*,\1,p' "$dir/before.json"); do
    digest=${url##*sha256-} digest=${digest%%.*}
    [ "$(fetch "${index%/*}/$url" | sha256sum | cut -c -64)" = "$digest" ] || wrong "$url is not served any more"
done
sed -i 's/^name: .*/name: other/' "$dir/project/skills/opening-hours/SKILL.md"
until_ grep -q 'what was good before still is' "$dir/log"
check_served 0 $index
admin=$(sed -n 's,.*listening on \(http://.*/-/\)$,\1,p' "$dir/log")
python3 - "$admin" <<'END' || wrong "see above"
import sys, urllib.request
get = lambda name: urllib.request.urlopen(sys.argv[1] + name).read().decode()
assert get("healthz") == "ok\n", get("healthz")
metrics = dict(line.rsplit(" ", 1) for line in get("metrics").splitlines() if not line.startswith("#"))
assert metrics["papaver_skills"] == "2" and metrics["papaver_tree_stale"] == "1", metrics
assert metrics["papaver_reloads_total"] == "1" and int(metrics['papaver_answers_total{status="2xx"}']) > 2, metrics
END
stop || wrong "SIGTERM: exit status $?"

# By the settings of papaver publish: the same bytes, and nothing of the project is written.
(cd "$dir/project" && sed -i 's/^name: .*/name: opening-hours/' skills/opening-hours/SKILL.md && mv skills team && rm -r dist &&
    echo '{"publish": {"root": "team", "format": "zip", "archive": true}}' >papaver.json)
serve "$dir/project" --config "$dir/project/papaver.json"
fetch $index >"$dir/served.json"
[ ! -e "$dir/project/dist" ] || wrong "something was written"
"$papaver" publish "$dir/project" --config "$dir/project/papaver.json" >"$dir/out" 2>&1 || wrong "not published"
cmp "$dir/served.json" "$dir/project/dist/.well-known/agent-skills/index.json" || wrong "served and published differ"
grep -q '[.]zip"' "$dir/served.json" || wrong "no zip"
stop || wrong "SIGTERM: exit status $?"

# A socket that was opened before it started, as systemd does.
python3 - "$papaver" "$WEB/sites/shop.example" <<'END' || wrong "see above"
import os, signal, socket, subprocess, sys, urllib.request
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(64)
pid = os.fork()
if pid == 0:
    os.dup2(s.fileno(), 3)
    os.set_inheritable(3, True) # where it was 3 already
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
    os.execv(sys.argv[1], [sys.argv[1], "serve", sys.argv[2], "--plain-http", "--quiet", "--access-log", "none"])
url = "http://127.0.0.1:%d/.well-known/poppy.json" % s.getsockname()[1]
s.close()
with urllib.request.urlopen(url) as answer:
    assert answer.headers["ETag"].startswith('"sha256:'), answer.headers
# An http URL without a path is a domain, as an https one is: everything that it publishes is judged.
origin = url.removesuffix("/.well-known/poppy.json")
checked = subprocess.run([sys.argv[1], "check", "--insecure-http", "--only", "index.http.*", origin], capture_output=True, text=True)
os.kill(pid, signal.SIGTERM)
assert os.waitpid(pid, 0)[1] == 0
assert origin + "/.well-known/agent-skills/index.json" in checked.stdout, checked
END

# Limits that are options: of a head, and of the time for a body.
serve "$WEB/sites/shop.example" --max-head 1024 --body-time 200ms --send-time 5
python3 - "$port" "$WEB/ca.pem" <<'END' || wrong "see above"
import socket, ssl, sys
context = ssl.create_default_context(cafile=sys.argv[2])
def ask(text):
    raw = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
    with context.wrap_socket(raw, server_hostname="shop.example") as s:
        s.sendall(text.encode())
        return s.recv(16).decode()
head = "GET / HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n"
assert ask(head + "X: " + 800 * "a" + "\r\n\r\n").startswith("HTTP/1.1 200"), "a small head"
assert ask(head + "X: " + 1000 * "a" + "\r\n\r\n").startswith("HTTP/1.1 431"), "a large head"
assert ask(head + "Content-Length: 5\r\n\r\nabc").startswith("HTTP/1.1 408"), "a slow body"
END
stop || wrong "SIGTERM: exit status $?"

# Wrong from the start; an address that others could hear in the clear.
sed -i 's/"sha256:[0-9a-f]\{8\}/"sha256:00000000/' "$dir/project/dist/.well-known/agent-skills/index.json"
status=0
timeout 20 "$papaver" serve "$dir/project/dist" --listen 127.0.0.1:0 >"$dir/out" 2>"$dir/err" || status=$?
[ $status -eq 1 ] && grep -q links.digest "$dir/err" || wrong "a wrong tree: exit status $status"
status=0
"$papaver" serve "$WEB/sites/shop.example" --listen 0.0.0.0:0 >"$dir/out" 2>"$dir/err" || status=$?
[ $status -eq 2 ] && grep -q 'without TLS' "$dir/err" || wrong "plain http for everybody: exit status $status"
status=0
timeout 20 "$papaver" serve "$WEB/sites/shop.example" --listen localhost:8080 >"$dir/out" 2>"$dir/err" || status=$?
[ $status -eq 2 ] && grep -q 'it names a host' "$dir/err" || wrong "a name to listen on: exit status $status"
mkdir "$dir/nothing"
status=0
program=$(readlink -f "$papaver")
(cd "$dir/nothing" && timeout 20 "$program" serve) >"$dir/out" 2>"$dir/err" || status=$?
[ $status -eq 3 ] && grep -q 'papaver publish writes one' "$dir/err" || wrong "nothing to serve: exit status $status"
done_
