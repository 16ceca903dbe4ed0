# SPDX-License-Identifier: Apache-2.0
# How papaver behaves towards others: only GET and HEAD, nothing that identifies the person, no cookie carried on, no
# proxy of the environment, nothing sent to a private address unless allowed, no request with --offline.
. tests/flows/flow.sh
mkdir "$dir/web" && web_new "$dir/web" && sites_fill demo/sites || exit 1
for host in shop.example id.shop.example api.shop.example mcp.shop.example; do
    web_rule $host 'if ($http_cookie$http_authorization$http_referer) { return 418; }'
    web_rule $host 'add_header Set-Cookie "seen=1; Domain=shop.example; Path=/" always;'
done
web_start || exit 1
log=$WEB/access.log

https_proxy=http://127.0.0.1:9 HTTPS_PROXY=http://127.0.0.1:9 ALL_PROXY=http://127.0.0.1:9
export https_proxy HTTPS_PROXY ALL_PROXY
check_web 0 shop.example
clean warning
unset https_proxy HTTPS_PROXY ALL_PROXY
[ "$(wc -l <"$log")" -ge 8 ] || wrong "hardly a request in the log"
! grep -vE '"(GET|HEAD) ' "$log" || wrong "other methods than GET and HEAD"
! grep -q ' 418 ' "$log" || wrong "a cookie, a credential or a referrer was sent"
! grep -v '"papaver/' "$log" || wrong "a request without papaver's name"
[ "$(wc -l <"$log")" -le 40 ] || wrong "more requests than a company of this size needs"

: >"$log"
check 3 shop.example --cacert "$WEB/ca.pem" --connect-to "::127.0.0.1:$WEB_PORT"
check 3 shop.example --cacert "$WEB/ca.pem" --resolve "shop.example:443:127.0.0.1"
check 3 https://127.0.0.1/.well-known/poppy.json
check_web 3 shop.example --offline
[ ! -s "$log" ] || { wrong "requests were sent:"; cat "$log"; }

# A stranger's certificate: not trusted without --cacert, and then nothing of the answer is used.
check 1 shop.example --connect-to "::127.0.0.1:$WEB_PORT" --allow-private --format json
has poppy.http.status
[ ! -s "$log" ] || wrong "a request was sent to a server that was not trusted"

# Only what the selected rows need is fetched.
check_web 0 shop.example --only 'poppy.organization.*'
[ "$(wc -l <"$log")" -le 1 ] || { wrong "fetched more than poppy.json:"; cat "$log"; }
check_web 1 stall.example --only links.digest
has links.digest
check_web 0 stall.example --only links.skill-scopes
has links.skill-scopes
grep -q '"kind": "openapi"' "$dir/out" || wrong "the API description that may name the scope was not fetched"
done_
