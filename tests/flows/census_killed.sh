# SPDX-License-Identifier: Apache-2.0
# papaver census run, killed at any moment, again and again: nothing is lost and nothing is there twice. In a file, or in
# PAPAVER_TEST_POSTGRES. CENSUS_ROUNDS: how often it is killed (50).
set -u
papaver=$1 rounds=${CENSUS_ROUNDS-50} failures=0
. tests/lib/nginx.sh
. tests/lib/world.sh
missing=$(web_missing; command -v python3 >/dev/null || echo python3; [ -z "${PAPAVER_TEST_POSTGRES-}" ] || command -v psql)
missing=$(echo "$missing" | grep -v /psql)
[ -z "$missing" ] || { echo "skipped: missing are" $missing; exit 77; }
case $papaver in /*) ;; *) papaver=$(pwd)/$papaver ;; esac
dir=$(mktemp -d) || exit 1
trap 'web_stop; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
world_new "$dir" && echo 'good 20 publishes|0.1|0|0' | world_fill && web_start || exit 1
export PAPAVER_DATABASE="${PAPAVER_TEST_POSTGRES-$dir/killed.db}"

# So many that the last round still has something to do.
absent=$((rounds * 12))
seq $absent | sed 's/.*/absent-&.crawl.test/' >"$dir/many"
cat "$WEB/domains" >>"$dir/many"
"$papaver" census add "$dir/many" >/dev/null || exit 1
killed=0
for i in $(seq "$rounds"); do
    "$papaver" census run $(world_options) --jobs 4 --threads $((i % 3 + 1)) >"$dir/out" 2>&1 &
    sleep "0.$(printf '%03d' $(((i * 37) % 120 + 5)))"
    kill -9 $! 2>/dev/null && killed=$((killed + 1))
    wait $! 2>/dev/null
done
"$papaver" census run $(world_options) --jobs 20 >"$dir/run" || { cat "$dir/run"; failures=1; }
grep -q '"held_by_others":0' "$dir/run" || { echo "WRONG: leases of the dead are left"; failures=1; }
one() {
    case $PAPAVER_DATABASE in
    postgres*) psql -X -A -t -c "SET search_path TO papaver_census" -c "$1" "$PAPAVER_DATABASE" | tail -n 1 ;;
    *) python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])' "$PAPAVER_DATABASE" "$1" ;;
    esac
}
fact() { # WHAT WANT SQL
    got=$(one "SELECT count(*) FROM $3")
    [ "$got" = "$2" ] || { echo "WRONG: after $killed kills: $1: $got and not $2"; failures=1; }
}
fact domains $((absent + 20)) domain
fact "never asked" 0 "domain WHERE outcome = 0"
fact publish 20 "domain WHERE outcome = 1"
fact absent $absent "domain WHERE outcome = 2"
fact "kept of those that publish nothing" $absent quiet
fact sites 20 site
fact observations 20 observation
fact "observed twice" 0 "(SELECT 1 FROM observation GROUP BY domain_id HAVING count(*) > 1) x"
fact "leases" 0 "domain WHERE lease_until IS NOT NULL"
[ $failures = 0 ] || exit 1
echo "census: $killed kills lost and doubled nothing"
