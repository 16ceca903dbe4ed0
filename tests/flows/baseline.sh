# SPDX-License-Identifier: Apache-2.0
# Known findings are reported and not counted; a new one fails, and so does an entry that is stale.
. tests/flows/flow.sh
mkdir "$dir/web" && web_new "$dir/web" && sites_fill demo/sites || exit 1
site=$WEB/sites/stall.example/.well-known

check 1 "$site/poppy.json"
check 1 "$site/poppy.json" --write-baseline="$dir/known.json"
check 0 "$site/poppy.json" --baseline "$dir/known.json"
grep -q known "$dir/out" || wrong "the text does not say that findings are known"

cp "$site/poppy.json" "$dir/keep"
sed -i 's/"name": "Market Stall"/"name": ""/' "$site/poppy.json"
check 1 "$site/poppy.json" --baseline "$dir/known.json" --format json
has 'poppy.organization.name'

cp "$dir/keep" "$site/poppy.json"
sed -i 's/"poppy:admin": "Everything"/"box:write": "Change the box"/; s/"poppy:admin", //' "$site/poppy.json"
check 1 "$site/poppy.json" --baseline "$dir/known.json"
grep -qi stale "$dir/out" || wrong "the text does not name the stale entry"
done_
