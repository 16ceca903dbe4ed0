# SPDX-License-Identifier: Apache-2.0
# The units of docs/serve.md: systemd finds nothing wrong with them, and they are shut in. The program takes over the sockets
# that systemd-socket-activate opens. Without these tools the flow is skipped.
. tests/flows/flow.sh
missing=$(for tool in systemd-analyze systemd-socket-activate curl; do command -v $tool >/dev/null || echo $tool; done)
[ -z "$missing" ] || { echo "skipped: missing are" $missing; exit 77; }
case $papaver in /*) ;; *) papaver=$(pwd)/$papaver ;; esac
server=
stop() { [ -z "$server" ] || { kill "$server" 2>/dev/null; wait "$server"; status=$?; server=; return $status; }; }
tidy() { stop; rm -rf "$dir"; }

# The units as they stand in the page, but for the program's place.
mkdir "$dir/units"
for unit in papaver.socket papaver.service; do
    awk -v unit="/etc/systemd/system/$unit" '
        index($0, "`" unit "`:") == 1 { here = 1; next }
        here && /^```ini/ { inside = 1; next }
        inside && /^```/ { exit }
        inside' docs/serve.md | sed "s,/usr/bin/papaver,$papaver," >"$dir/units/$unit"
    [ -s "$dir/units/$unit" ] || wrong "docs/serve.md has no $unit"
done
systemd-analyze verify "$dir"/units/* >"$dir/out" 2>&1 || { wrong "systemd-analyze verify"; cat "$dir/out"; }
! grep "$dir" "$dir/out" || wrong "systemd has something to say"
# At most 2.0 of 10 is open, which systemd calls OK.
systemd-analyze security --offline=true --threshold=20 "$dir/units/papaver.service" >"$dir/out" 2>&1 ||
    { wrong "systemd-analyze security"; grep -v '^✓' "$dir/out"; }
tail -n 1 "$dir/out"

# Activation, as the unit says: over TLS, the certificate from where the credentials are, two sockets.
mkdir -p "$dir/web" "$dir/skills/skills" && WEB=$dir/web && web_authority ca && web_certificate "$WEB/shop" shop.example ca || exit 1
(cd "$dir/skills" && "$papaver" skill new water-plants >/dev/null) || exit 1
WEB=
port=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
port=$((20000 + port % 12000))
systemd-socket-activate --listen=127.0.0.1:$port --listen=127.0.0.1:$((port + 1)) -E CREDENTIALS_DIRECTORY="$dir/web" \
    "$papaver" serve "$dir/skills" --tls-cert "$dir/web/shop.pem" --tls-key "$dir/web/shop.key" >"$dir/access" 2>"$dir/log" &
server=$!
for at in $port $((port + 1)); do
    for _ in $(seq 50); do # the first request starts the program, and waits for it
        curl --silent --fail --cacert "$dir/web/ca.pem" --connect-to "::127.0.0.1:$at" https://shop.example/ >"$dir/out" && break
        sleep 0.1
    done
    grep -q water-plants "$dir/out" || { wrong "nobody answers at $at"; cat "$dir/log"; }
done
grep -q 'a socket that was given, https, port' "$dir/log" || wrong "it does not say that the socket was given"
! grep -q 8080 "$dir/log" || wrong "it listens on its own, too"
kill -HUP $server
sleep 0.2
stop || wrong "SIGTERM: exit status $?"
done_
