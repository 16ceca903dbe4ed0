# SPDX-License-Identifier: Apache-2.0
# `papaver serve --dev-tls`: the lines that it prints work as they are; the certificate stays for the next start, and is made
# anew when it has expired or when somebody could have read its key.
set -u
papaver=$1 failures=0
missing=$(for tool in curl openssl; do command -v $tool >/dev/null || echo $tool; done)
[ -z "$missing" ] || { echo "skipped: missing are" $missing; exit 77; }
case $papaver in /*) ;; *) papaver=$(pwd)/$papaver ;; esac
dir=$(mktemp -d) server=
stop() { [ -z "$server" ] || { kill "$server" 2>/dev/null; wait "$server"; status=$?; server=; return $status; }; }
trap 'stop; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
wrong() {
    echo "WRONG: $*"
    failures=$((failures + 1))
}
mkdir -p "$dir/my project" && cd "$dir/my project" && "$papaver" skill new water-plants >/dev/null || exit 1
export XDG_STATE_HOME="$dir/state"

# serve ARGUMENT...: waits until it serves; what it said is in $dir/log.
serve() {
    echo "+ papaver serve --dev-tls $*"
    : >"$dir/log"
    "$papaver" serve --dev-tls --listen 127.0.0.1:0 "$@" >"$dir/access" 2>"$dir/log" &
    server=$!
    for _ in $(seq 100); do
        grep -q ': serving ' "$dir/log" && break
        kill -0 $server 2>/dev/null || break
        sleep 0.1
    done
    grep -q ': serving ' "$dir/log" || { cat "$dir/log"; exit 1; }
}
# printed WORD: runs the line that begins so, as a shell would where somebody copies it.
printed() {
    sed -n "s/^papaver:   \($1 .*\)/\1/p" "$dir/log" >"$dir/line"
    [ "$(wc -l <"$dir/line")" -eq 1 ] || { wrong "no line that begins with $1"; return; }
    echo "+ $(cat "$dir/line")"
    PATH=${papaver%/*}:$PATH sh "$dir/line" >"$dir/out" 2>"$dir/err" 
}
# stays_same YES|NO: whether the certificate is that of the last time.
stays_same() {
    sum=$(sha256sum <"$leaf")
    [ "$([ "$sum" = "$before" ] && echo YES || echo NO)" = "$1" ] || wrong "the same certificate: not $1"
    before=$sum
}

serve
leaf=$dir/state/papaver/dev-tls/localhost/leaf.pem ca=$dir/state/papaver/dev-tls/localhost/ca.pem before=
printed curl && grep -q 'water-plants' "$dir/out" || wrong "curl did not get the page"
printed 'papaver check --cacert' || { wrong "papaver check"; cat "$dir/out"; }
[ "$(stat -c %a "$leaf")" = 600 ] || wrong "the key is not private: $(stat -c %a "$leaf")"
[ "$(find "$dir/state" -type f | wc -l)" -eq 2 ] || wrong "other files: $(find "$dir/state" -type f)"
! grep -q PRIVATE "$ca" || wrong "the key of the authority is kept"
openssl verify -x509_strict -purpose sslserver -verify_hostname localhost -CAfile "$ca" "$leaf" >"$dir/out" 2>&1 || { wrong "openssl verify"; cat "$dir/out"; }
openssl x509 -in "$ca" -noout -text | grep -A 5 'Name Constraints: critical' | grep -q 'DNS:localhost' || wrong "no name constraints"
for url in https://127.0.0.1:PORT/ https://localhost:PORT/; do
    url=$(echo "$url" | sed "s/PORT/$(sed -n 's,.*listening on https://127.0.0.1:\([0-9]*\)/,\1,p' "$dir/log")/")
    curl --fail --silent --cacert "$ca" "$url" >/dev/null || wrong "$url: curl ends with $?"
    ! curl --silent "$url" >/dev/null || wrong "trusted by everybody"
done
stays_same NO
stop || wrong "SIGTERM: exit status $?"

# The next start, and one for other names beside it.
serve
stays_same YES
stop
serve --dev-host shop.example --dev-host www.shop.example
printed 'papaver check' || grep -q '^ *SKILL.md *200' "$dir/out" || wrong "shop.example does not answer"
openssl verify -verify_hostname www.shop.example -CAfile "${ca%/*/*}/shop.example,www.shop.example/ca.pem" \
    "${ca%/*/*}/shop.example,www.shop.example/leaf.pem" >"$dir/out" 2>&1 || { wrong "openssl verify"; cat "$dir/out"; }
stays_same YES
stop

# Expired: made with openssl, by another authority, two weeks ago.
(
    . "$OLDPWD/tests/lib/nginx.sh"
    WEB=$dir
    web_authority old && web_certificate "$dir/expired" localhost old expired
) || exit 1
cp "$dir/old.pem" "$ca" && cat "$dir/expired.pem" "$dir/expired.key" >"$leaf"
stays_same NO
serve
stays_same NO
printed curl || { wrong "curl"; cat "$dir/err"; }
stop
chmod 644 "$leaf"
serve
stays_same NO
[ "$(stat -c %a "$leaf")" = 600 ] || wrong "the key is not private"
stop

# Domains of a configuration need no --dev-host.
mkdir "$dir/two" && cp -R skills "$dir/two/"
printf '{ "serve": { "sites": { "shop.example": { "folder": "my project" }, "stall.example": { "folder": "two", "aliases": ["www.stall.example"] } } } }\n' >"$dir/papaver.json"
serve --config "$dir/papaver.json"
printed curl || { wrong "curl"; cat "$dir/err"; }
grep -q water-plants "$dir/out" || wrong "curl did not get the page of the first domain"
port=$(sed -n 's,.*listening on https://127.0.0.1:\([0-9]*\)/,\1,p' "$dir/log")
for host in shop.example www.stall.example; do
    curl --fail --silent --cacert "$(sed -n 's/.*throw-away authority: //p' "$dir/log")" --connect-to "::127.0.0.1:$port" https://$host/ >"$dir/out" ||
        wrong "$host: curl ends with $?"
done
stop

# A folder whose name a shell would take for two words; no folder at all; two certificates.
XDG_STATE_HOME="$dir/state of things"
serve
printed curl || { wrong "curl"; cat "$dir/err"; }
stop
unset XDG_STATE_HOME
for arguments in "" "--tls-cert $ca --tls-key $leaf" "--dev-host a/b"; do
    status=0
    HOME= "$papaver" serve --dev-tls $arguments >"$dir/out" 2>&1 </dev/null || status=$?
    [ $status -eq 2 ] || { wrong "$arguments: exit status $status"; cat "$dir/out"; }
done
[ $failures -eq 0 ] || { echo "$failures wrong"; exit 1; }
