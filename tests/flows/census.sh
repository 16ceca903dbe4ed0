# SPDX-License-Identifier: Apache-2.0
# papaver census against a generated world of sites (tests/lib/world.sh): its report has to equal the table that the world was
# made from; manners; two workers on one database; lists with junk.
set -u
papaver=$1 failures=0
. tests/lib/nginx.sh
. tests/lib/world.sh
missing=$(web_missing; command -v python3 >/dev/null || echo python3)
[ -z "$missing" ] || { echo "skipped: missing are" $missing; exit 77; }
case $papaver in /*) ;; *) papaver=$(pwd)/$papaver ;; esac
dir=$(mktemp -d) || exit 1
trap 'web_stop; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
wrong() {
    echo "WRONG: $*"
    failures=$((failures + 1))
}
same() { # WHAT WANT GOT: two files
    diff "$2" "$3" >"$dir/differ" || { wrong "$1"; cat "$dir/differ"; }
}
asked() { sed -n "s,.*GET \(/.well-known/poppy.json\).*,\1,p" "$WEB/access.log" | wc -l; }

# ---- the table, and what the census must say of it ----
cat >"$dir/table" <<'END'
absent 60 absent
gone410 5 absent
page 40 other document
json 5 other document
busy 10 other status
closed 5 other status
circle 5 redirects
plain 5 redirects
huge 3 too large
slow 3 time-out
expired 5 TLS
stranger 3 TLS
refused 3 unreachable
noname 3 no such name
good 20 publishes|0.1|0|0
wrongname 5 publishes|0.1|0|1
skills 5 publishes|0.1|1|0
stale 5 publishes|0.1|1|1
indexonly 5 publishes||1|1
END
world_new "$dir" && world_fill <"$dir/table" && web_start || exit 1
export PAPAVER_DATABASE="$dir/state/census.db"
"$papaver" census add "$WEB/domains" --source world >"$dir/out" || wrong "add"
grep -q '"added":195,"known":0,"opted_out":0,"junk":0' "$dir/out" || wrong "195 domains are added: $(cat "$dir/out")"
"$papaver" census run $(world_options) --timeout 5 --jobs 20 >"$dir/run" || wrong "run"
tail -1 "$dir/run" | grep -q '"event":"end","done":195,.*"publishing":40,"failed":17,"changed":40,' || wrong "the end: $(tail -1 "$dir/run")"
sed 's/ /|/; s/ /|/' "$dir/table" | sort >"$dir/want"
"$papaver" census export --json | python3 -c '
import json, sys, collections
seen = collections.Counter()
for line in sys.stdin:
    d = json.loads(line)
    row = d["domain"].split("-")[0], d["outcome"]
    seen[row + ((d["version"], str(d["skills"]), str(d["errors"])) if d["site"] else ())] += 1
for row, n in seen.items(): print("|".join((row[0], str(n)) + row[1:]))' | sort >"$dir/got"
same "each class, as the table has it" "$dir/want" "$dir/got"
"$papaver" census report --unlisted --json | python3 -c '
import json, sys
r = json.load(sys.stdin)
for what, words in sorted(r["counts"].items()):
    for w in words: print(what, w["word"] or "-", w["n"])
print("sites", len(r["sites"]))' | sort >"$dir/got"
cat >"$dir/want" <<'END'
channel web 35
rule links.apex-www 35
rule links.digest 5
rule poppy.domain-match 5
rule poppy.http.status 5
sites 40
sites clean 25
sites listed 0
sites publishing 40
sites skills 15
version - 5
version 0.1 35
END
same "the report's counts" "$dir/want" "$dir/got"
"$papaver" census report --unlisted --html "$dir/html" && [ -s "$dir/html/index.html" ] && [ -s "$dir/html/sites.csv" ] &&
    [ "$(wc -l <"$dir/html/sites.csv")" = 41 ] || wrong "pages"
pages() { find "$dir/html/site" -name '*.html' | wc -l; }
[ "$(pages)" = 40 ] && [ "$(grep -c 'href="site/' "$dir/html/index.html")" = 40 ] || wrong "a page a site: $(pages)"
grep -q '<td>error</td><td>links.digest</td><td>1</td>' "$dir/html/site/stale-1.crawl.test.html" || wrong "the page of a site"
# A page of an earlier report whose site is not in this one goes; a file of somebody else stays.
sed 's/a site, [^ ]*/a site, 2020-01-01T00:00:00Z/' "$dir/html/site/good-1.crawl.test.html" >"$dir/html/site/old.example.html"
echo mine >"$dir/html/site/mine.html"
"$papaver" census report --unlisted --html "$dir/html" && [ "$(pages)" = 41 ] && [ -s "$dir/html/site/mine.html" ] || wrong "pages, again"
"$papaver" census judge >"$dir/out" && grep -q '"judged":0,' "$dir/out" || wrong "nothing is to be judged again"
python3 -c 'import sqlite3, sys, re
rows = sqlite3.connect(sys.argv[1]).execute("SELECT DISTINCT rules FROM observation").fetchall()
sys.exit(not (len(rows) == 1 and re.fullmatch(r"[0-9.a-z-]+[+][0-9a-f]{8}", rows[0][0])))' "$PAPAVER_DATABASE" || wrong "the version of the rules"
# As if an earlier version had judged: the same answers, judged again without asking anybody, come to the same.
python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1]); db.execute("UPDATE observation SET rules = ?", ("0.0.9",)); db.commit()' "$PAPAVER_DATABASE"
"$papaver" census export --json >"$dir/before"
requests=$(wc -l <"$WEB/access.log")
"$papaver" census judge >"$dir/out" && grep -q '"judged":40,"changed":0,"skipped":0' "$dir/out" || wrong "judged again: $(cat "$dir/out")"
[ "$(wc -l <"$WEB/access.log")" = "$requests" ] || wrong "nobody is asked when history is judged"
"$papaver" census export --json >"$dir/after"
same "judged again" "$dir/before" "$dir/after"

# ---- manners: those that publish nothing are asked twice and no more; nothing is due now ----
[ "$(grep -c 'GET /' "$WEB/access.log")" -le 520 ] || wrong "too many requests: $(grep -c 'GET /' "$WEB/access.log")"
before=$(asked)
"$papaver" census run $(world_options) >"$dir/run" && [ "$(asked)" = "$before" ] || wrong "what is not due is not asked"
grep -q '"event":"end","done":0,' "$dir/run" || wrong "nothing is due"
"$papaver" census run --allow-private >/dev/null 2>"$dir/err"
[ $? = 2 ] && grep -q -- '--contact is missing' "$dir/err" || wrong "who asks strangers says who asks"
"$papaver" census run --unlimited --contact https://a.example/ >/dev/null 2>"$dir/err"
[ $? = 2 ] || wrong "no limits off this machine"
"$papaver" census diff now now >"$dir/out" && [ ! -s "$dir/out" ] || wrong "nothing differs from itself"
"$papaver" census diff 2020-01-01 now >"$dir/out"
[ $? = 1 ] && [ "$(grep -c '"what":"new"' "$dir/out")" = 40 ] || wrong "40 are new since 2020"

# ---- lists ----
printf '\357\273\277rank;Website\r\n1;"https://WWW.B\303\274cher.example/x?y"\r\n2;shop.example.\r\n3;1.2.3.4\r\n4;=cmd()\r\n5\r\n6;shop.example:8443\r\n' >"$dir/list.csv"
PAPAVER_DATABASE="$dir/lists.db" "$papaver" census add "$dir/list.csv" --column website >"$dir/out" 2>"$dir/err"
grep -q '"lines":7,"added":2,"known":1,"opted_out":0,"junk":3' "$dir/out" || wrong "the list: $(cat "$dir/out")"
grep -q 'line 4: "1.2.3.4" is an IP address' "$dir/err" || wrong "junk is shown with its line"
PAPAVER_DATABASE="$dir/lists.db" "$papaver" census export --csv | cut -d, -f1,2 | tail -n +2 | sort >"$dir/got"
printf 'shop.example,shop.example\nxn--bcher-kva.example,xn--bcher-kva.example\n' >"$dir/want"
same "names as the DNS has them" "$dir/want" "$dir/got"
echo shop.example | PAPAVER_DATABASE="$dir/lists.db" "$papaver" census add - --opt-out >/dev/null
PAPAVER_DATABASE="$dir/lists.db" "$papaver" census status | grep -q '"opted_out":1,' || wrong "opted out"

# ---- two workers on one database (PAPAVER_TEST_POSTGRES, or a file), one of them with three threads: each domain is asked once ----
seq 600 | sed 's/.*/absent-&.crawl.test/' >"$dir/many"
grep '^good' "$WEB/domains" >>"$dir/many"
export PAPAVER_DATABASE="${PAPAVER_TEST_POSTGRES-$dir/two.db}"
"$papaver" census add "$dir/many" >/dev/null
: >"$WEB/access.log"
"$papaver" census run $(world_options) --jobs 12 --threads 3 >"$dir/one" & first=$!
"$papaver" census run $(world_options) --jobs 4 >"$dir/other" || wrong "the second worker"
wait $first || wrong "the first worker"
done=$(sed -n 's/.*"event":"end","done":\([0-9]*\),.*/\1/p' "$dir/one" "$dir/other" | paste -sd+ | sed 's/^/echo $((/; s/$/))/' | sh)
[ "$done" = 620 ] || wrong "two workers asked $done domains and not 620"
[ "$(asked)" = 620 ] || wrong "$(asked) questions for 620 domains"
[ $failures = 0 ] || exit 1
echo "census: the report equals the table; two workers lost and doubled nothing"
