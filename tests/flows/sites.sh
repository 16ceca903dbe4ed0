# SPDX-License-Identifier: Apache-2.0
# `papaver serve` with several domains, and with skills that only some callers see: real TLS, each name with a certificate of
# its own, tokens, somebody who is asked, reloads of one site that leave the others alone, and mistakes in the file.
set -u
papaver=$1 failures=0
. tests/lib/nginx.sh
missing=$(for tool in curl openssl python3; do command -v $tool >/dev/null || echo $tool; done)
[ -z "$missing" ] || { echo "skipped: missing are" $missing; exit 77; }
case $papaver in /*) ;; *) papaver=$(pwd)/$papaver ;; esac
source=$(pwd) dir=$(mktemp -d) server= asked=
WEB=$dir
stop() { [ -z "$server" ] || { kill "$server" 2>/dev/null; wait "$server"; status=$?; server=; return $status; }; }
trap 'stop; [ -z "$asked" ] || kill "$asked"; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
wrong() {
    echo "WRONG: $*"
    failures=$((failures + 1))
}
until_() {
    for _ in $(seq 100); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    wrong "in vain: $*"
}
web_authority ca
for host in shop.example bakery.example; do web_certificate "$dir/$host" $host ca || exit 1; done
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=www.shop.example \
    -addext subjectAltName=DNS:shop.example,DNS:www.shop.example -keyout "$dir/both.key" -out "$dir/both.pem" 2>/dev/null

# skill FOLDER NAME TEXT
skill() {
    mkdir -p "$1/skills/$2"
    printf -- '---\nname: %s\ndescription: Test %s. Use when somebody tests.\n---\n\n%s\n' "$2" "$2" "$3" >"$1/skills/$2/SKILL.md"
}
for name in opening-hours refund-order deploy-shop; do skill "$dir/shop" $name "Of the shop."; done
for name in bread-today; do skill "$dir/bakery" $name "Of the bakery."; done
"$papaver" publish --quiet "$dir/shop" && "$papaver" publish --quiet "$dir/bakery" || exit 1

# Tokens: the file has their hashes.
for who in staff deploy; do
    openssl rand -base64 32 >"$dir/$who.token"
    "$papaver" serve --hash-token <"$dir/$who.token" >"$dir/$who.hash" || wrong "no hash"
    printf %s "$(cat "$dir/$who.token")" | sha256sum | sed 's/^\([0-9a-f]*\).*/sha256:\1/' | cmp -s - "$dir/$who.hash" ||
        wrong "the hash is another one"
done
for weak in secret 111111111111111111111111111111 ''; do
    status=0
    echo "$weak" | "$papaver" serve --hash-token >"$dir/out" 2>"$dir/err" || status=$?
    [ $status -eq 2 ] && [ ! -s "$dir/out" ] || wrong "a hash of $weak: $status"
done

# Who is asked: knows "Basic partner"; the log of what was asked stays here.
cat >"$dir/asked.py" <<'END_'
import http.server, json, sys, time
class Asked(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with open(sys.argv[1], "a") as log:
            print(json.dumps(question), file=log)
        who = question["authorization"]
        if who == "Basic slow":
            time.sleep(10)
        if who == "Basic cut":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n")
            self.close_connection = True
            return
        status = {"Basic partner": 204, "Basic stranger": 403, "Basic broken": 500, "Basic away": 302}.get(who, 401)
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/yes")
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *a): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Asked)
print(server.server_address[1], flush=True)
server.serve_forever()
END_
python3 "$dir/asked.py" "$dir/questions" >"$dir/asked.port" & asked=$!
until_ test -s "$dir/asked.port"
ask=http://127.0.0.1:$(cat "$dir/asked.port")/may

config() {
    cat >"$dir/papaver.json" <<END_
{
  "serve": {
    "listen": "127.0.0.1:0",
    "admin": "127.0.0.1:0",
    "access-log": "json",
    "sites": {
      "shop.example": {
        "folder": "shop/dist", "tls-cert": "both.pem", "tls-key": "both.key", "aliases": ["www.shop.example"],
        "ask": "$ask",
        "scopes": {
          "staff": {"skills": ["refund-order"], "tokens": ["$(cat "$dir/staff.hash")"]},
          "deploy": {"skills": "deploy-*", "tokens": ["$(cat "$dir/deploy.hash")"]},
          "partners": {"skills": ["refund-*", "opening-hours"]},
          "hours": {"skills": ["opening-hours"], "anybody": true}
        },
        "open": ["opening-hours"]
      },
      "bakery.example": {"folder": "bakery/dist", "tls-cert": "bakery.example.pem", "tls-key": "bakery.example.key"}
    }$1
  }
}
END_
}
serve() {
    echo "+ papaver serve --config papaver.json $*"
    : >"$dir/log"
    "$papaver" serve --config "$dir/papaver.json" "$@" >"$dir/access" 2>"$dir/log" &
    server=$!
    until_ grep -q 'serving bakery' "$dir/log"
    kill -0 $server || { cat "$dir/log"; exit 1; }
    port=$(sed -n 's,.*listening on https://127.0.0.1:\([0-9]*\)/,\1,p' "$dir/log")
    admin=$(sed -n 's,.*listening on \(http://.*/-/\)$,\1,p' "$dir/log")
}
index=/.well-known/agent-skills/index.json
# get WANTED SNI PATH [CURL...]: the status, and the body in $dir/body, the head in $dir/head
get() {
    wanted=$1 name=$2 path=$3
    shift 3
    got=$(curl -s --max-time 20 --cacert "$dir/trusted.pem" --connect-to "::127.0.0.1:$port" -o "$dir/body" -D "$dir/head" \
        -w '%{http_code}' "$@" "https://$name$path")
    [ "$got" = "$wanted" ] || { wrong "$name$path $*: $got, not $wanted"; sed 's/^/    /' "$dir/head"; }
}
cat "$dir/ca.pem" "$dir/both.pem" >"$dir/trusted.pem"
names() { python3 -c 'import json, sys; print(*(s["name"] for s in json.load(open(sys.argv[1]))["skills"]))' "$dir/body"; }
shows() { [ "$(names)" = "$1" ] || wrong "the list is: $(names); not $1"; }
says() { grep -qi "^$1"'.$' "$dir/head" || { wrong "no field $1"; sed 's/^/    /' "$dir/head"; }; }

config ''
serve
# Names: each with its certificate (curl compares it), without a port, in any case, with a dot.
get 200 shop.example $index; shows opening-hours
get 200 www.shop.example $index; shows opening-hours
get 200 bakery.example $index; shows bread-today
get 200 bakery.example $index -H 'Host: BAKERY.example.:8443'; shows bread-today
get 200 shop.example $index -H 'Host: www.shop.example'; shows opening-hours
get 421 shop.example $index -H 'Host: bakery.example'
get 421 bakery.example / -H 'Host: shop.example'
get 421 shop.example / -H 'Host: other.example'
get 421 shop.example / -H 'Host: shop.example.evil'
get 421 shop.example / -H 'Host: 127.0.0.1'
says 'Cache-Control: no-store'
get 421 nobody.example / --insecure
get 421 nobody.example / --insecure -H 'Host: shop.example'
# Without a name in the handshake Host decides.
got=$(curl -s --insecure -o "$dir/body" -w '%{http_code}' -H 'Host: bakery.example' "https://127.0.0.1:$port$index")
[ "$got" = 200 ] && shows bread-today || wrong "without a name: $got"

# Scopes.
staff="Authorization: Bearer $(cat "$dir/staff.token")" deploy="Authorization: Bearer $(cat "$dir/deploy.token")"
get 401 shop.example $index -H 'Remote-Skills-Scope: staff'
says 'WWW-Authenticate: Bearer realm="skills"'
get 200 shop.example $index -H 'Remote-Skills-Scope: staff' -H "$staff"; shows refund-order
says 'Remote-Skills-Scope: staff'; says 'Cache-Control: no-store'
etag=$(sed -n 's/^ETag: \(.*\).$/\1/p' "$dir/head")
get 304 shop.example $index -H 'Remote-Skills-Scope: staff' -H "$staff" -H "If-None-Match: $etag"
says 'Remote-Skills-Scope: staff'
get 403 shop.example $index -H 'Remote-Skills-Scope: staff' -H "$deploy"
get 200 shop.example $index -H 'Remote-Skills-Scope: deploy' -H "$deploy"; shows deploy-shop
get 200 shop.example $index -H 'Remote-Skills-Scope: hours'; shows opening-hours
get 200 shop.example / ; ! grep -e refund -e deploy "$dir/body" || wrong "the page names hidden skills"
get 200 bakery.example $index -H 'Remote-Skills-Scope: staff' -H "$staff"; shows bread-today
! grep -i '^remote-skills-scope' "$dir/head" || wrong "a site without scopes confirms one"
artifact=/.well-known/agent-skills/artifacts/sha256-$(sha256sum <"$dir/shop/skills/refund-order/SKILL.md" | cut -c 1-64).md
get 401 shop.example $artifact
get 200 shop.example $artifact -H "$staff"; cmp -s "$dir/body" "$dir/shop/skills/refund-order/SKILL.md" || wrong "other bytes"
get 403 shop.example $artifact -H "$deploy"
get 404 bakery.example $artifact -H "$staff"

# Somebody is asked: yes, no, who, and whatever is no answer closes.
get 200 shop.example $index -H 'Remote-Skills-Scope: partners' -H 'Authorization: Basic partner'; shows 'opening-hours refund-order'
get 304 shop.example $index -H 'Remote-Skills-Scope: partners' -H 'Authorization: Basic partner' \
    -H "If-None-Match: $(sed -n 's/^ETag: \(.*\).$/\1/p' "$dir/head")"
get 200 shop.example $artifact -H 'Authorization: Basic partner'; cmp -s "$dir/body" "$dir/shop/skills/refund-order/SKILL.md" || wrong "other bytes"
get 200 shop.example $artifact -H 'Authorization: Basic partner' --head
get 403 shop.example $index -H 'Remote-Skills-Scope: partners' -H 'Authorization: Basic stranger'
get 401 shop.example $index -H 'Remote-Skills-Scope: partners' -H 'Authorization: Basic nobody'
get 503 shop.example $index -H 'Remote-Skills-Scope: partners' -H 'Authorization: Basic broken'
get 503 shop.example $index -H 'Remote-Skills-Scope: partners' -H 'Authorization: Basic away'
get 503 shop.example $index -H 'Remote-Skills-Scope: partners' -H 'Authorization: Basic cut' # in the head of a yes
get 503 shop.example $index -H 'Remote-Skills-Scope: partners' -H 'Authorization: Basic slow'
says 'Retry-After: 1'
python3 - "$dir/questions" <<'END_' || wrong "see above"
import json, sys
asked = [json.loads(line) for line in open(sys.argv[1])]
assert {"site": "shop.example", "scopes": ["partners"], "authorization": "Basic partner"} in asked, asked
assert {"site": "shop.example", "scopes": ["staff", "partners"], "authorization": "Basic partner"} in asked, asked
assert len(asked) == 10, asked
END_
# One that waits holds nobody up, though a worker is all there is.
stop
serve --workers 1
get_slow() { curl -s -o /dev/null -w '%{http_code}' --insecure --connect-to "::127.0.0.1:$port" -H 'Remote-Skills-Scope: partners' \
    -H 'Authorization: Basic slow' "https://shop.example$index" >"$dir/slow"; }
get_slow & slow=$!
sleep 0.3
for _ in 1 2 3 4 5; do get 200 shop.example $index; done
[ ! -s "$dir/slow" ] || wrong "it did not wait: $(cat "$dir/slow")"
wait $slow
[ "$(cat "$dir/slow")" = 503 ] || wrong "too slow, but $(cat "$dir/slow")"
# Nobody answers there any more.
kill $asked; wait $asked 2>/dev/null; asked=
get 503 shop.example $index -H 'Remote-Skills-Scope: partners' -H 'Authorization: Basic partner'
get 200 shop.example $index -H 'Remote-Skills-Scope: staff' -H "$staff"; shows refund-order

# What was logged: every request, none of the secrets.
! grep -rF -e "$(cat "$dir/staff.token")" -e "$(cat "$dir/deploy.token")" -e 'Basic ' "$dir/access" "$dir/log" || wrong "a secret is logged"
python3 - "$dir/access" <<'END_' || wrong "see above"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
slow = [l for l in lines if l["status"] == 503]
assert len(slow) == 2 and max(l["ms"] for l in slow) > 2000, slow
assert all(l["host"] == "shop.example" and l["bytes"] > 0 for l in lines), lines
END_

# A change of one site; one that is wrong; each on its own.
skill "$dir/bakery" bread-today "Of the bakery, fresh."
"$papaver" publish --quiet "$dir/bakery"
until_ sh -c "[ \$(grep -c 'serving bakery' '$dir/log') -ge 2 ]"
[ "$(grep -c 'serving shop' "$dir/log")" -eq 1 ] || wrong "the other site was read, too"
sed -i 's/"sha256:[0-9a-f]\{8\}/"sha256:00000000/' "$dir/shop/dist$index"
until_ grep -q 'what was good before still is: shop.example: ' "$dir/log"
get 200 shop.example $index; shows opening-hours
get 200 bakery.example $index; shows bread-today
python3 - "$admin" <<'END_' || wrong "see above"
import sys, urllib.request
text = urllib.request.urlopen(sys.argv[1] + "metrics").read().decode()
metrics = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
assert metrics['papaver_tree_stale{site="shop.example"}'] == "1" and metrics['papaver_tree_stale{site="bakery.example"}'] == "0", metrics
assert metrics['papaver_reloads_total{site="bakery.example"}'] == "1" and metrics['papaver_skills{site="shop.example"}'] == "3", metrics
assert int(metrics['papaver_answers_total{status="5xx"}']) == 2, metrics
assert len({line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}) == text.count("# TYPE"), text
END_
stop || wrong "SIGTERM: exit status $?"
"$papaver" publish --quiet --fresh "$dir/shop"

# A skill that goes, and whose scope would be of nothing: refused, for the name may have been a slip.
config ',"fallback": "bakery.example"'
serve
get 200 nobody.example / --insecure
get 200 shop.example / -H 'Host: shop.example'
get 421 shop.example / -H 'Host: other.example'
rm -r "$dir/shop/skills/deploy-shop"
"$papaver" publish --quiet --allow-removal deploy-shop "$dir/shop"
until_ grep -q 'deploy names "deploy-\*", but there is no such skill' "$dir/log"
get 200 shop.example $index -H 'Remote-Skills-Scope: deploy' -H "$deploy"; shows deploy-shop
# Certificates of all, again.
cp "$dir/both.pem" "$dir/first.pem"; cp "$dir/both.key" "$dir/first.key"
cp "$dir/shop.example.pem" "$dir/both.pem"; cp "$dir/shop.example.key" "$dir/both.key"
until_ grep -q 'the certificate before is kept: the certificate .*both.pem is not for www.shop.example' "$dir/log"
get 200 shop.example /
stop || wrong "SIGTERM: exit status $?"

# One folder with scopes, found beside the program: it may not ask anybody. Named it may.
cat >"$dir/bakery/papaver.json" <<END_
{"serve": {"scopes": {"all": {"skills": "*", "tokens": ["$(cat "$dir/staff.hash")"]}},
  "ask": "http://127.0.0.1:1/"}}
END_
# refused STATUS TEXT ARGUMENT...
refused() {
    wanted=$1 text=$2 status=0
    shift 2
    (cd "$dir/bakery" && "$papaver" serve --listen 127.0.0.1:0 "$@") >"$dir/out" 2>"$dir/err" || status=$?
    [ $status -eq "$wanted" ] && grep -qF -e "$text" "$dir/err" || { wrong "$status, not $wanted: $text"; cat "$dir/err"; }
}
refused 2 'papaver.json:2:10: "ask" cannot be set by a file that was merely found in the folder'
mistake() {
    printf '{"serve": %s}' "$1" >"$dir/bakery/wrong.json"
    refused 2 "$2" --config wrong.json
}
mistake '{"sites": {"a.example": {"folder": "dist", "tls_cert": "x"}}}' 'wrong.json:1:66: there is no setting "tls_cert"; did you mean "tls-cert"?'
mistake '{"sites": {"a.example": {}}}' 'wrong.json:1:35: a.example: a site needs "folder"'
mistake '{"sites": {"a.example": "dist"}}' 'wrong.json:1:35: "a.example" needs an object'
mistake '{"sites": ["a.example"]}' 'wrong.json:1:22: "sites" needs an object with an object for each name'
mistake '{"sites": {"a.example": {"folder": "dist"}}, "scopes": {"a": {"skills": "*", "anybody": true}}}' 'each has "scopes"'
mistake '{"sites": {"a_b": {"folder": "dist"}}}' '"a_b" is no domain'
mistake '{"sites": {"a.example": {"folder": "dist", "aliases": "A.EXAMPLE"}}}' 'A.EXAMPLE is the name of two sites'
mistake '{"sites": {"a.example": {"folder": "dist"}}, "fallback": "b.example"}' 'b.example is the domain of no site'
mistake '{"scopes": {"a": {"tokens": []}}}' 'wrong.json:1:28: a: a scope needs "skills"'
mistake '{"scopes": {"a": {"skills": "*", "tokens": "secret"}}}' 'wrong.json:1:54: tokens: a token stands in a file as its hash'
mistake '{"scopes": {"a": {"skills": "*"}}}' 'nobody may see scope "a"'
mistake '{"scopes": {"a b": {"skills": "*", "anybody": true}}}' '"a b" is no name of a scope'
mistake '{"scopes": {"a": {"skills": "Up_per", "anybody": true}}}' '"Up_per" is no name of a skill'
mistake '{"scopes": {"a": {"skills": "*", "anybody": true}}, "ask": "http://other.example/"}' 'credentials go over https, or to this machine'
mistake '{"scopes": {"a": {"skills": "*", "anybody": true}}, "ask": "ftp://localhost/"}' 'is no URL that can be asked'
mistake '{"open": "*"}' 'needs scopes'
mistake '{"max-age": 0}' 'wrong.json:1:23: max-age: "0" is no number'
printf '{"serve": {"scopes": {"a": {"skills": "bread", "anybody": true}}}}' >"$dir/bakery/wrong.json"
refused 1 'a names "bread", but there is no such skill in the index' --config wrong.json
printf '{"serve": {"sites": {"bakery.example": {"folder": "dist", "tls-cert": "../shop.example.pem", "tls-key": "../shop.example.key"}}}}' >"$dir/bakery/wrong.json"
refused 1 'is not for bakery.example' --config wrong.json
printf '{"serve": {"sites": {"bakery.example": {"folder": "dist"}}}}' >"$dir/bakery/wrong.json"
refused 2 'have folders of their own' --config wrong.json dist
# The example of the documentation, with files that are here.
sed -e "s,/etc/papaver/shop,$dir/both," -e "s,/etc/papaver/bakery,$dir/bakery.example," -e "s,/srv,$dir," \
    -e 's,"0.0.0.0:443".*"\[::\]:443","127.0.0.1:0",' -e 's,:9464,:0,' -e 's,partner-offer,refund-order,' -e 's,order-\*,*-order,' \
    "$source/docs/papaver.example.json" >"$dir/papaver.json"
cp "$dir/first.pem" "$dir/both.pem"; cp "$dir/first.key" "$dir/both.key"
serve
get 200 www.shop.example $index; shows 'opening-hours refund-order'
get 200 shop.example $index -H 'Remote-Skills-Scope: orders'; shows refund-order
stop || wrong "SIGTERM: exit status $?"
[ "$failures" -eq 0 ] && echo "all as it should be"
exit "$((failures > 0))"
