# SPDX-License-Identifier: Apache-2.0
# The sample companies of the demo: the right one is clean, the faulty one gives exactly the findings it was made for.
. tests/flows/flow.sh
mkdir "$dir/web" && web_new "$dir/web" && sites_fill demo/sites && web_start || exit 1

check_web 0 shop.example
clean warning
check_web 0 www.shop.example
clean warning

check_web 1 stall.example
findings warning | sort | uniq -c | sed 's/^ *//' >"$dir/got"
diff tests/flows/stall.expected "$dir/got" || wrong "other findings than in tests/flows/stall.expected"

# What README.md shows is what comes, whole.
check 1 stall.example --only links.issuer $(sites_options)
sed -n '/^[$] papaver check stall/,/^```/{/^[$`]/d;p}' README.md | sed 's/in [0-9]* ms/in N ms/' >"$dir/readme"
sed 's/in [0-9]* ms/in N ms/' "$dir/out" | diff "$dir/readme" - || wrong "README.md shows another report"

# Both in one call: the findings of each under its own name, and one exit status.
check_web 1 shop.example stall.example
findings warning | sort | uniq -c | sed 's/^ *//' | cmp -s - "$dir/got" || wrong "other findings together than alone"

# The text alone says what to change: both issuers and the digest in full.
check 1 stall.example $(sites_options)
for words in 'https://id.stall.example/' 'sha256:[0-9a-f]{64}' 'CR LF' 'poppy:admin'; do
    grep -qE "$words" "$dir/out" || wrong "the text does not show $words"
done
done_
