# SPDX-License-Identifier: Apache-2.0
# papaver watch: a site that changes, what is told of it and what is not, and a webhook with its signature, its failures and a
# redirect that is not followed.
set -u
papaver=$1 failures=0
. tests/lib/nginx.sh
. tests/lib/world.sh
missing=$(web_missing; command -v python3 >/dev/null || echo python3)
[ -z "$missing" ] || { echo "skipped: missing are" $missing; exit 77; }
case $papaver in /*) ;; *) papaver=$(pwd)/$papaver ;; esac
dir=$(mktemp -d) || exit 1
hook=
trap '[ -z "$hook" ] || kill "$hook"; web_stop; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
wrong() {
    echo "WRONG: $*"
    failures=$((failures + 1))
}
world_new "$dir" && echo "skills 1 publishes" | world_fill && web_start || exit 1
site=skills-1.crawl.test folder=$dir/world/skills-1.crawl.test
# look STATUS OPTIONS...: one look; what it told is in $dir/told
look() {
    want=$1
    shift
    "$papaver" watch $site --once --quiet --state "$dir/state/watch.json" --again 500ms "$@" $(world_options | sed 's/--unlimited//') \
        >"$dir/told" 2>"$dir/err"
    status=$?
    [ $status = "$want" ] || wrong "status $status and not $want: $(cat "$dir/told" "$dir/err")"
}
told() { [ "$(sed -n 's/.*"what":"\([a-z-]*\)".*/\1/p; s/.*"what": "\([a-z-]*\)".*/\1/p' "$dir/told" | sort | paste -sd' ')" = "$*" ] || wrong "told: $(cat "$dir/told"), and not: $*"; }
again() { index=$(world_skill "$folder") && world_poppy "$folder" "$site" ", \"skill_index\": $index${1-}"; }

look 0 && told
[ "$(stat -c %a "$dir/state/watch.json")" = 600 ] || wrong "the state is for nobody else"
look 0 && told
# a digest goes stale; then it is mended by a new release of the text
echo 'Ten to six.' >>"$folder/s/opening-hours/SKILL.md"
look 1 && told error-new
grep -q 'links.digest' "$dir/told" || wrong "a stale digest is told: $(cat "$dir/told")"
look 0 && told
digest=$(sha256sum "$folder/s/opening-hours/SKILL.md" | cut -d' ' -f1)
sed -i "s/sha256:[0-9a-f]*/sha256:$digest/" "$folder/.well-known/poppy.json"
look 1 && told error-mended skill-changed
# another version, a new fault
sed -i 's/"0.1"/"0.2"/; s/"Shop"/""/' "$folder/.well-known/poppy.json"
look 1
grep -q 'version-changed' "$dir/told" && grep -q 'error-new' "$dir/told" || wrong "a version and a fault: $(cat "$dir/told")"
again
look 1
# the text of a skill changes together with its digest: the diff shows it
printf -- '---\nname: opening-hours\ndescription: Tells when the shop is open. Use when somebody asks for opening hours.\n---\n\nEight to four.\n' >"$folder/s/opening-hours/SKILL.md"
digest=$(sha256sum "$folder/s/opening-hours/SKILL.md" | cut -d' ' -f1)
sed -i "s/sha256:[0-9a-f]*/sha256:$digest/" "$folder/.well-known/poppy.json"
look 1 && told skill-changed
grep -q -- '-Nine to five' "$dir/told" && grep -q -- '+Eight to four' "$dir/told" || wrong "a diff: $(cat "$dir/told")"
# away: only that is told, once; back again
mv "$folder/.well-known" "$folder/away"
look 1 && told outcome-changed
look 0 && told
mv "$folder/away" "$folder/.well-known"
look 1 && told outcome-changed
look 0 && told

# ---- webhook ----
cat >"$dir/hook.py" <<'END'
import base64, hashlib, hmac, http.server, sys
answers = {"/ok": 204, "/moved": 302, "/busy": 503}
class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        signed = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + body
        want = "v1," + base64.b64encode(hmac.new(b"0123456789abcdef secret", signed, hashlib.sha256).digest()).decode()
        good = "good" if want == self.headers["webhook-signature"] else "bad"
        open(sys.argv[1] + "/hook.log", "a").write(f"{self.path} {good} {body.decode()}\n")
        self.send_response(answers.get(self.path, 404))
        if self.path == "/moved": self.send_header("location", "/ok")
        self.end_headers()
    def log_message(self, *a): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Hook)
open(sys.argv[1] + "/hook.port", "w").write(str(server.server_port))
server.serve_forever()
END
python3 "$dir/hook.py" "$dir" & hook=$!
for _ in $(seq 100); do [ -s "$dir/hook.port" ] && break; sleep 0.05; done
port=$(cat "$dir/hook.port")
echo '0123456789abcdef secret' >"$dir/secret"
hooked() { want=$1 path=$2; shift 2; look "$want" --webhook "http://localhost:$port$path" --webhook-secret-file "$dir/secret" --connect-to "localhost:$port:127.0.0.1:$port" --insecure-http "$@"; }
echo 'Nine to six.' >>"$folder/s/opening-hours/SKILL.md"
hooked 3 /ok
grep -q 'not allowed\|not delivered' "$dir/err" || wrong "a private address needs a word: $(cat "$dir/err")"
[ ! -s "$dir/hook.log" ] || wrong "nothing is sent there"
hooked 3 /moved --webhook-private
[ "$(grep -c '^/moved good' "$dir/hook.log")" = 1 ] && ! grep -q '^/ok' "$dir/hook.log" || wrong "no redirect: $(cat "$dir/hook.log")"
hooked 3 /busy --webhook-private
[ "$(grep -c '^/busy good' "$dir/hook.log")" = 4 ] || wrong "four tries: $(cat "$dir/hook.log")"
hooked 1 /ok --webhook-private
told error-new
grep -q '^/ok good {"domain":"skills-1.crawl.test","time":"[^"]*","changes":\[{"what":"error-new",' "$dir/hook.log" || wrong "delivered and signed: $(cat "$dir/hook.log")"
hooked 0 /ok --webhook-private
[ "$(grep -c '^/ok' "$dir/hook.log")" = 1 ] || wrong "told once"
# another text with its digest: the webhook has what changed in it
echo 'Closed on Sundays.' >>"$folder/s/opening-hours/SKILL.md"
digest=$(sha256sum "$folder/s/opening-hours/SKILL.md" | cut -d' ' -f1)
sed -i "s/sha256:[0-9a-f]*/sha256:$digest/" "$folder/.well-known/poppy.json"
hooked 1 /ok --webhook-private
tail -n 1 "$dir/hook.log" | sed 's,^/ok good ,,' | python3 -c 'import json, sys
changes = json.load(sys.stdin)["changes"]
diffs = [c["diff"] for c in changes if c["what"] == "skill-changed"]
sys.exit(not (len(diffs) == 1 and "\n+Closed on Sundays.\n" in diffs[0] and not any("diff" in c for c in changes if c["what"] != "skill-changed")))' ||
    wrong "the diff in the webhook: $(tail -n 1 "$dir/hook.log")"
look 2 --webhook https://a.example/
look 2 --webhook http://a.example/ --webhook-secret-file "$dir/secret"
echo short >"$dir/short" && look 2 --webhook https://a.example/ --webhook-secret-file "$dir/short"
echo '{"watch": 2}' >"$dir/state/watch.json"
look 3
"$papaver" watch 2>"$dir/err"
[ $? = 2 ] && grep -q 'papaver watch shop.example' "$dir/err" || wrong "a domain is missing: $(cat "$dir/err")"
[ $failures = 0 ] || exit 1
echo "watch: changes are told once, to people, programs and a webhook"
