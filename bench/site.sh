#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# site.sh BUILD [SKILLS]: a whole check of one company on loopback over TLS, with 20 skills, its issuer and its API, against
# one `curl --parallel` that knows beforehand what the check has to find out: every URL, and fetches the same documents.
# Wall time of whole processes in turn, the best of several rounds.
set -u
build=$(cd "$1" && pwd) || exit 1
skills=${2:-20}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tests/lib/nginx.sh"
dir=$(mktemp -d) || exit 1
trap 'web_stop; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
web_new "$dir" || exit 1
for host in shop.example www.shop.example id.shop.example api.shop.example; do
    web_site "$host" && web_rule "$host" 'charset utf-8; charset_types text/markdown; add_header Cache-Control max-age=60;
        add_header Access-Control-Allow-Origin *;' || exit 1
done
web_rule www.shop.example 'return 301 https://shop.example$request_uri;'
web_rule id.shop.example 'default_type application/json;'

known=$dir/sites/shop.example/.well-known
mkdir -p "$known" "$dir/sites/id.shop.example/.well-known"
"$build/bench/bench_skills" write "$known/agent-skills" "$skills" || exit 1
{
    printf '{ "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": ['
    comma=
    for file in "$known"/agent-skills/*/SKILL.md; do
        name=$(basename "$(dirname "$file")")
        printf '%s\n{ "name": "%s", "type": "skill-md", "description": "%s",\n  "url": "/.well-known/agent-skills/%s/SKILL.md", "digest": "sha256:%s" }' \
            "$comma" "$name" "$(sed -n 's/^description: //p' "$file" | sed 's/"/\\"/g')" "$name" \
            "$(sha256sum "$file" | cut -d' ' -f1)"
        comma=,
    done
    printf '] }\n'
} >"$known/agent-skills/index.json"
{
    cat <<'END'
{ "protocol_version": "0.1", "organization": { "name": "Shop", "domain": "shop.example" },
  "auth": { "issuer": "https://id.shop.example", "direct": { "scopes": ["poppy:read", "poppy:write"] } },
  "apis": [{ "type": "openapi", "url": "https://api.shop.example/openapi.json", "description": "Orders" }],
  "skill_index":
END
    cat "$known/agent-skills/index.json"
    echo '}'
} >"$known/poppy.json"
cat >"$dir/sites/id.shop.example/.well-known/oauth-authorization-server" <<'END'
{ "issuer": "https://id.shop.example", "poppy_domains": ["shop.example"],
  "authorization_endpoint": "https://id.shop.example/authorize", "token_endpoint": "https://id.shop.example/token",
  "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"] }
END
cat >"$dir/sites/api.shop.example/openapi.json" <<'END'
{ "openapi": "3.1.0", "info": { "title": "Orders", "version": "1" }, "servers": [{ "url": "https://api.shop.example" }],
  "paths": { "/orders": { "get": { "operationId": "my_orders", "responses": { "200": { "description": "a list" } } } } } }
END
web_start || exit 1
to="--cacert $dir/ca.pem --connect-to ::127.0.0.1:$WEB_PORT"

# What the check asks, hop by hop, is what curl gets.
"$build/papaver" check --format json $to --allow-private shop.example >"$dir/report.json"
[ $? -le 1 ] || { cat "$dir/report.json"; exit 1; }
sed -n 's/^ *"url": "\(https:[^"]*\)",*$/\1/p' "$dir/report.json" | sort >"$dir/asked"
sort -u "$dir/asked" | sed 's/.*/url = "&"\noutput = "\/dev\/null"/' >"$dir/urls"
documents=$(grep -c '^url' "$dir/urls")
[ "$documents" -gt "$skills" ] || { echo "only $documents documents were asked for"; exit 1; }

"$build/bench/bench_turns" 25 check "$build/papaver" check $to --allow-private shop.example \
    -- curl curl --silent --no-progress-meter --parallel $to --config "$dir/urls" >"$dir/out" || exit 1
awk -v documents="$documents" '
    { best[$1] = $2; median[$1] = $3; cpu[$1] = $4; status[$1] = $7 }
    END {
        printf "%d documents of one company\n", documents
        for (name in best)
            printf "   %-6s %6.1f ms (median %.1f ms), %.1f ms CPU\n", name, best[name], median[name], cpu[name]
        good = best["check"] <= 1.5 * best["curl"] && status["check"] < 2 && status["curl"] == 0
        printf "   %.2f times the time of curl; at most 1.5 times: %s\n", best["check"] / best["curl"], good ? "yes" : "NO"
        exit !good
    }' "$dir/out"
