# SPDX-License-Identifier: Apache-2.0
# Ways to a server and questions to it that have to be asked for: --resolve, --proxy, --mcp; and how much is asked at most.
. tests/flows/flow.sh
mkdir "$dir/web" && web_new "$dir/web" && sites_fill demo/sites || exit 1
put() { mkdir -p "$(dirname "$WEB/sites/$1")" && cat >"$WEB/sites/$1"; }

# An MCP server that talks to everybody, and an index with more skills on a foreign host than one check asks for.
web_site talk.example && web_site files.example
web_rule talk.example 'types { application/json json; }'
web_rule talk.example 'location = /mcp {
    default_type application/json;
    if ($request_method = POST) {
        return 200 "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";
    }
    return 405;
}'
put talk.example/.well-known/poppy.json <<'END'
{
  "protocol_version": "0.1",
  "organization": { "name": "Talk", "domain": "talk.example" },
  "auth": { "issuer": "https://id.shop.example" },
  "apis": [ { "type": "mcp", "url": "https://talk.example/mcp", "description": "Talk" } ]
}
END
{
    echo '{ "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": ['
    for i in $(seq 30); do
        [ "$i" -eq 1 ] || echo ,
        echo "{\"name\": \"s$i\", \"type\": \"skill-md\", \"description\": \"d\", \"url\": \"https://files.example/$i/SKILL.md\","
        echo "\"digest\": \"sha256:$(printf '%064d' 0)\"}"
    done
    echo ']}'
} | put talk.example/.well-known/agent-skills/index.json
web_start || exit 1
log=$WEB/access.log

check 0 "https://shop.example:$WEB_PORT/.well-known/poppy.json" --resolve "shop.example:$WEB_PORT:127.0.0.1" \
    --cacert "$WEB/ca.pem" --allow-private --only poppy.domain-match,poppy.http.status --format json
grep -q '"status": 200' "$dir/out" || wrong "--resolve: no answer"

: >"$log"
check_web 1 talk.example --skip links.poppy-domains
! grep POST "$log" || wrong "something was posted without --mcp"
[ "$(grep -c 'GET /[0-9]*/SKILL.md' "$log")" -eq 20 ] || wrong "not 20 requests to a foreign host"
has http.not-asked
: >"$log"
check_web 0 talk.example --mcp --only mcp
[ "$(grep -c 'POST /mcp' "$log")" -eq 1 ] || wrong "--mcp: not one initialize"
clean info

# A proxy that leads every CONNECT to the web server; what names lead to is not seen here, and the report says so.
cat >"$dir/proxy.py" <<'END'
import socket, sys, threading
def copy(a, b):
    while data := a.recv(65536):
        b.sendall(data)
    b.shutdown(socket.SHUT_WR)
def serve(c):
    head = b""
    while b"\r\n\r\n" not in head:
        head += c.recv(4096)
    open(sys.argv[1], "a").write(head.split(b"\r\n")[0].decode() + "\n")
    s = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
    c.sendall(b"HTTP/1.1 200 ok\r\n\r\n")
    threading.Thread(target=copy, args=(c, s), daemon=True).start()
    copy(s, c)
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
END
python3 "$dir/proxy.py" "$dir/asked" "$WEB_PORT" >"$dir/port" 2>/dev/null &
proxy=$!
trap 'kill "$proxy"; tidy' EXIT
for i in 1 2 3 4 5 6 7 8 9 10; do [ -s "$dir/port" ] && break; sleep 0.2; done
check 0 shop.example --proxy "http://127.0.0.1:$(cat "$dir/port")" --cacert "$WEB/ca.pem"
grep -q 'names were not resolved here' "$dir/out" || wrong "the report does not say that names were not resolved here"
grep -q '^CONNECT shop.example:443 ' "$dir/asked" || wrong "the proxy was not used"
: >"$dir/asked"
check 3 https://127.0.0.1/.well-known/poppy.json --proxy "http://127.0.0.1:$(cat "$dir/port")" --cacert "$WEB/ca.pem"
[ ! -s "$dir/asked" ] || wrong "a private address was asked for through the proxy"
done_
