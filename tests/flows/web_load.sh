# SPDX-License-Identifier: Apache-2.0
# papaver web under load: many visitors at once, some of whom leave, and companies that are slow, endless, lead in circles or into
# a network (tests/flows/web_load.py).
set -u
papaver=$1
for tool in python3 openssl; do command -v $tool >/dev/null || { echo "skipped: $tool is missing"; exit 77; }; done
case $papaver in /*) ;; *) papaver=$(pwd)/$papaver ;; esac
script=$(pwd)/tests/flows/web_load.py
dir=$(mktemp -d) serve=
tidy() { [ -z "$serve" ] || kill "$serve" 2>/dev/null; rm -rf "$dir"; }
trap tidy EXIT
trap 'exit 1' HUP INT PIPE TERM
export XDG_STATE_HOME="$dir/state"
cd "$dir" && mkdir -p public/.well-known || exit 1
echo '{"protocol_version": "0.1", "organization": {"name": "Shop", "domain": "slow.test"}, "web": {}}' >public/.well-known/poppy.json
# Its certificate is all that is wanted of this one.
set --
for name in $(python3 "$script" names); do set -- "$@" --dev-host "$name"; done
"$papaver" serve public --dev-tls "$@" --listen 127.0.0.1:0 --access-log none 2>serve.log &
serve=$!
for _ in $(seq 200); do grep -q ': listening on ' serve.log && break; sleep 0.1; done
leaf=$(find "$dir/state" -name leaf.pem) ca=$(find "$dir/state" -name ca.pem)
[ -n "$leaf" ] && [ -n "$ca" ] || { cat serve.log; exit 1; }
kill "$serve"; wait "$serve"; serve=
python3 "$script" run "$papaver" "$leaf" "$ca" "$dir"
