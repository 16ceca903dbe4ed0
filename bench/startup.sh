#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# startup.sh BUILD [ROUNDS]: how long a process takes from its start to its end: `papaver version` and a check of one
# small file, against /bin/true started in the same way in turn. The best of all rounds counts.
set -u
build=$(cd "$1" && pwd) || exit 1
rounds=${2:-200}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
cat >"$dir/poppy.json" <<'END'
{ "protocol_version": "0.1",
  "organization": { "name": "Shop", "domain": "shop.example" },
  "auth": { "issuer": "https://id.shop.example", "direct": { "scopes": ["poppy:read"] } },
  "apis": [{ "type": "openapi", "url": "https://api.shop.example/openapi.json", "description": "Orders" }] }
END
cd "$dir" || exit 1
"$build/bench/bench_turns" "$rounds" true /bin/true -- version "$build/papaver" version \
    -- check "$build/papaver" check ./poppy.json >"$dir/out" || exit 1
awk '
    function judge(name, most) {
        good = best[name] / best["true"] <= most && best[name] < 15 && status[name] == 0
        printf "%-8s %6.2f ms, %.2f times /bin/true (median %.2f ms); at most %d times and below 15 ms: %s\n", name,
            best[name], best[name] / best["true"], median[name], most, good ? "yes" : "NO"
        bad = bad || !good
    }
    { best[$1] = $2; median[$1] = $3; status[$1] = $7 }
    END {
        printf "%-8s %6.2f ms (median %.2f ms)\n", "true", best["true"], median["true"]
        judge("version", 3)
        judge("check", 4)
        exit bad
    }' "$dir/out"
