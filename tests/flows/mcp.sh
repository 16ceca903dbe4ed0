# SPDX-License-Identifier: Apache-2.0
# papaver mcp as clients start it: a company over TLS, the cache of one run for the next, HTTP with its token, and the entries
# for configurations.
. tests/flows/flow.sh
mkdir "$dir/web" && web_new "$dir/web" && sites_fill demo/sites && web_start || exit 1

# talk ARGUMENT...: the messages of standard input, one a line; the answers in $dir/out.
talk() {
    status=0
    timeout 60 "$papaver" mcp "$@" >"$dir/out" 2>"$dir/err" || status=$?
    [ "$status" -eq 0 ] || { wrong "papaver mcp $*: exit status $status"; cat "$dir/err"; }
}
# answer ID EXPRESSION: what Python makes of `r`, the result or error with that id, has to be true.
answer() {
    python3 - "$dir/out" "$1" "$2" <<'END' || { wrong "answer $1: $2"; cut -c 1-1500 "$dir/out"; }
import json, sys
path, id, expression = sys.argv[1:]
found = [m for m in map(json.loads, open(path)) if m.get("id") == json.loads(id)]
assert len(found) == 1, found
r = found[0].get("result", found[0].get("error"))
sys.exit(0 if eval(expression) else 1)
END
}
call() { # call ID TOOL ARGUMENTS
    printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2" "$3"
}
list() { printf '{"jsonrpc":"2.0","id":%s,"method":"%s"}\n' "$1" "$2"; }

skill=$(python3 -c 'import json; print(json.load(open("demo/sites/shop.example/.well-known/agent-skills/index.json"))["skills"][0]["name"])')
{
    list 1 skills/list
    call 2 search_skills '{"query":"order delivery flowers skill","limit":50}'
    call 3 load_skill "{\"label\":\"shop.example\",\"name\":\"$skill\"}"
    call 4 load_skill '{"label":"evil","name":"x"}'
} | talk shop.example gone=stall.example --cache "$dir/cache" $(sites_options)
answer 1 'r["skills"] == []'
answer 2 'r["structuredContent"]["unavailable"][0]["label"] == "gone"'
answer 2 "any(s['name'] == '$skill' for s in r['structuredContent']['skills'])"
answer 3 'not r.get("isError") and "not the words of the person" in r["content"][0]["text"]'
answer 4 'r["isError"]'

# The next process lists what the cache has, without asking anybody; nothing else of the company is there.
{ list 1 skills/list; list 2 prompts/list; } | talk shop.example --cache "$dir/cache" --offline
answer 1 "[s['frontmatter']['name'] for s in r['skills']] == ['$skill'] and r['skills'][0]['uri'] == 'skill://shop.example/$skill/SKILL.md'"
answer 2 "[p['name'] for p in r['prompts']] == ['shop.example.$skill']"
# With another name for the company, and a skill that is named at the start.
{ list 1 skills/list; } | talk shop=shop.example --load "shop/$skill" --no-cache $(sites_options)
answer 1 "r['skills'][0]['uri'] == 'skill://shop/$skill/SKILL.md'"
{ list 1 skills/list; } | talk shop=shop.example --load shop/none --no-cache $(sites_options)
answer 1 "r['skills'] == []"
grep -q 'not loaded: shop/none: ' "$dir/err" || wrong "nothing is said of a skill that cannot be loaded"
# A scope, with the credential that opens it; without one it is closed.
mkdir -p "$dir/scoped/skills/refund-order"
printf -- '---\nname: refund-order\ndescription: Refunds an order. Use when staff is asked for it.\n---\n\nRefund it.\n' \
    >"$dir/scoped/skills/refund-order/SKILL.md"
openssl rand -base64 32 >"$dir/token"
cat >"$dir/scoped/papaver.json" <<END
{"serve": {"scopes": {"staff": {"skills": "*", "tokens": ["$("$papaver" serve --hash-token <"$dir/token")"]}}}}
END
"$papaver" serve "$dir/scoped" --config "$dir/scoped/papaver.json" --listen 127.0.0.1:0 >/dev/null 2>"$dir/serve.log" &
server=$!
for _ in $(seq 50); do grep -q 'serving' "$dir/serve.log" && break; sleep 0.1; done
origin=$(sed -n 's/.*listening on //p' "$dir/serve.log")
export SHOP_TOKEN="Bearer $(cat "$dir/token")"
{ call 1 load_skill '{"label":"shop","name":"refund-order"}'; } |
    talk "shop=$origin" garden="$dir/web/sites/" --insecure-http --no-cache --scope shop/staff \
        --header-env "$(echo "$origin" | cut -d/ -f3)/Authorization=SHOP_TOKEN"
answer 1 'not r.get("isError") and "Refund it." in r["content"][0]["text"]'
{ call 1 load_skill '{"label":"shop","name":"refund-order"}'; } | talk "shop=$origin" --insecure-http --no-cache --scope staff
answer 1 'r["isError"] and r["content"][0]["text"].startswith("authentication_failed: ")'
kill -TERM $server
wait $server || wrong "SIGTERM: exit status $?"

# A company that is refused, with the reason.
call 1 load_skill '{"name":"any"}' | talk stall.example --no-cache $(sites_options)
answer 1 'r["isError"] and r["content"][0]["text"].startswith("company_refused: ")'

# HTTP.
"$papaver" mcp "$dir/web/sites/" --no-cache --listen 127.0.0.1:0 2>"$dir/log" &
server=$!
for _ in $(seq 50); do grep -q '^}' "$dir/log" && break; sleep 0.1; done
url=$(sed -n 's/.*listening on //p' "$dir/log") token=$(sed -n 's/.*Bearer \([^"]*\)".*/\1/p' "$dir/log")
ask() { # ask STATUS ARGUMENT...
    wanted=$1; shift
    got=$(curl -s -o "$dir/body" -w '%{http_code}' --max-time 10 -H 'Content-Type: application/json' \
        -H 'Accept: application/json, text/event-stream' -d '{"jsonrpc":"2.0","id":1,"method":"ping"}' "$@" "$url")
    [ "$got" = "$wanted" ] || wrong "$* gives $got, not $wanted"
}
ask 200 -H "Authorization: Bearer $token"
ask 401
ask 401 -H "Authorization: Bearer x$token"
ask 403 -H "Authorization: Bearer $token" -H 'Host: evil.example'
ask 403 -H "Authorization: Bearer $token" -H 'Origin: https://evil.example'
ask 403 -H "Authorization: Bearer $token" -H 'Origin: null'
[ ${#token} -ge 40 ] || wrong "the token is short: $token"
kill -TERM $server
wait $server || wrong "SIGTERM: exit status $?"

# Other machines are not served without a certificate, and never without a token.
for arguments in '--listen 0.0.0.0:0' "--listen 0.0.0.0:0 --no-token --tls-cert $WEB/ca.pem --tls-key $WEB/ca.key" \
    '--listen 127.0.0.1:0 --allow-origin null' '--token-file /etc/passwd' 'shop=a.example shop=b.example' \
    '--load shop/x' 'shop=' 'Shop=https://a.example/' 'word' './none/'; do
    status=0
    timeout 10 "$papaver" mcp $arguments >/dev/null 2>"$dir/err" </dev/null || status=$?
    [ "$status" -eq 2 ] || { wrong "papaver mcp $arguments: exit status $status"; cat "$dir/err"; }
done

# Entries for configurations are what their readers read.
mkdir "$dir/a\"b"
for client in claude claude-desktop cursor vscode gemini zed codex; do
    "$papaver" mcp shop.example demo=./demo/ "quoted=$dir/a\"b/" --print-config $client --offline >"$dir/$client" 2>"$dir/err" ||
        wrong "--print-config $client"
    python3 - "$dir/$client" $client "$dir" <<'END' || { wrong "the entry for $client"; cat "$dir/$client"; }
import json, os, sys, tomllib
path, client, folder = sys.argv[1:]
text = open(path).read()
top = tomllib.loads(text)["mcp_servers"] if client == "codex" else json.loads(text)
key = {"codex": None, "vscode": "servers", "zed": "context_servers"}.get(client, "mcpServers")
entry = (top if key is None else top[key])["papaver"]
assert os.path.isabs(entry["command"]) and os.access(entry["command"], os.X_OK), entry
assert entry["args"] == ["mcp", "shop.example", "demo=" + os.getcwd() + "/demo/", "quoted=" + folder + '/a"b/', "--offline"], entry
assert (entry.get("type") == "stdio") == (client == "vscode")
END
done
"$papaver" mcp shop.example --print-config gemini --listen 127.0.0.1:7420 2>/dev/null |
    python3 -c 'import json, sys; assert json.load(sys.stdin)["mcpServers"]["papaver"]["httpUrl"] == "http://127.0.0.1:7420/mcp"' ||
    wrong "the entry of a URL"
done_
