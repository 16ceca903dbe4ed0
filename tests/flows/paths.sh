# SPDX-License-Identifier: Apache-2.0
# Ways that are right though not plain: an issuer with a path, poppy.json served elsewhere after a redirect, a relative
# skill URL that resolves against where the document came from; and ways that are not.
. tests/flows/flow.sh
mkdir "$dir/web" && web_new "$dir/web" || exit 1
put() { mkdir -p "$(dirname "$WEB/sites/$1")" && cat >"$WEB/sites/$1"; }
for host in tenant.example id.tenant.example elsewhere.example moved.example host.example lost.example loop.example; do
    web_site $host
    web_rule $host 'default_type application/json; expires 5m; add_header Access-Control-Allow-Origin *;'
done
for host in tenant.example elsewhere.example moved.example; do
    web_site www.$host && web_rule www.$host "return 301 https://$host\$request_uri;"
done

# An issuer with a path has its metadata behind the well-known part (RFC 8414, 3).
put tenant.example/.well-known/poppy.json <<'END'
{
  "protocol_version": "0.1",
  "organization": { "name": "Tenant", "domain": "tenant.example" },
  "auth": { "issuer": "https://id.tenant.example/realms/one", "direct": { "scopes": ["poppy:read"] } },
  "web": { "browser_session_endpoint": "https://tenant.example/join" }
}
END
put id.tenant.example/.well-known/oauth-authorization-server/realms/one <<'END'
{
  "issuer": "https://id.tenant.example/realms/one",
  "poppy_domains": ["tenant.example", "moved.example"],
  "authorization_endpoint": "https://id.tenant.example/realms/one/authorize",
  "token_endpoint": "https://id.tenant.example/realms/one/token",
  "revocation_endpoint": "https://id.tenant.example/realms/one/revoke",
  "response_types_supported": ["code"],
  "grant_types_supported": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:jwt-bearer"],
  "token_endpoint_auth_methods_supported": ["private_key_jwt"],
  "token_endpoint_auth_signing_alg_values_supported": ["ES256"],
  "dpop_signing_alg_values_supported": ["ES256"],
  "code_challenge_methods_supported": ["S256"],
  "authorization_response_iss_parameter_supported": true,
  "client_id_metadata_document_supported": true
}
END
# The same issuer, whose metadata is had only by a redirect to another host.
put elsewhere.example/.well-known/poppy.json <<'END'
{
  "protocol_version": "0.1",
  "organization": { "name": "Elsewhere", "domain": "elsewhere.example" },
  "auth": { "issuer": "https://elsewhere.example/one", "direct": { "scopes": ["poppy:read"] } },
  "web": { "browser_session_endpoint": "https://elsewhere.example/join" }
}
END
sed 's,"https://id.tenant.example/realms/one","https://elsewhere.example/one",; s/"moved.example"/"elsewhere.example"/' \
    "$WEB/sites/id.tenant.example/.well-known/oauth-authorization-server/realms/one" |
    put id.tenant.example/elsewhere.json
web_rule elsewhere.example \
    "$(web_moved /.well-known/oauth-authorization-server/one https://id.tenant.example/elsewhere.json 302)"
# Served by a provider on another host; the skill's URL is relative to where the document came from.
web_rule moved.example "$(web_moved /.well-known/poppy.json https://host.example/customers/moved.json 308)"
put host.example/customers/skills/help/SKILL.md <<'END'
---
name: help
description: Say when the shop is open. Use when somebody asks for opening hours.
---

Open every day from nine to six.
END
digest=$(sha256sum "$WEB/sites/host.example/customers/skills/help/SKILL.md" | cut -d' ' -f1)
put host.example/customers/moved.json <<END
{
  "protocol_version": "0.1",
  "organization": { "name": "Moved", "domain": "moved.example" },
  "auth": { "issuer": "https://id.tenant.example/realms/one" },
  "web": { "browser_session_endpoint": "https://moved.example/join" },
  "skill_index": {
    "\$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
    "skills": [
      {
        "name": "help",
        "type": "skill-md",
        "description": "Say when the shop is open. Use when somebody asks for opening hours.",
        "url": "skills/help/SKILL.md",
        "digest": "sha256:$digest"
      }
    ]
  }
}
END
web_rule host.example 'types { application/json json; text/markdown md; }'
web_rule lost.example "$(web_moved /.well-known/poppy.json http://lost.example/poppy.json)"
web_rule loop.example 'location /.well-known/poppy.json { return 302 /.well-known/poppy.json?again; }'
web_start || exit 1

check_web 0 tenant.example
clean warning
grep -q 'id.tenant.example/.well-known/oauth-authorization-server/realms/one' "$dir/out" || wrong "asked elsewhere"
check_web 0 elsewhere.example
[ "$(findings warning)" = 'warning metadata.http.other-host' ] || wrong "another warning: $(findings warning)"
check_web 0 moved.example
clean warning
has http.redirected
grep -q 'host.example/customers/skills/help/SKILL.md' "$dir/out" || wrong "the skill was not asked for where the document came from"

check_web 1 lost.example
has http.redirect-https
check_web 1 loop.example
has http.redirects
has poppy.http.status

# Nothing there at all, and a name that nobody answers for.
check_web 1 nothing.example
has poppy.http.status
check 3 nothing.example --connect-to ::127.0.0.1:1 --allow-private --timeout 5
done_
