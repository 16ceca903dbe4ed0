# SPDX-License-Identifier: Apache-2.0
# A folder that is to be published gives the findings that its documents give online, without a request.
. tests/flows/flow.sh
mkdir "$dir/web" && web_new "$dir/web" && sites_fill demo/sites || exit 1
cd "$WEB/sites" || exit 1
case $papaver in /*) ;; *) papaver=$OLDPWD/$papaver ;; esac

check 0 ./shop.example --format json
clean warning
check 1 ./stall.example --format json
has 'poppy.scope.reserved'
has 'yaml[.].*'
findings | grep digest >/dev/null || wrong "the stale digest of a file beside the index is not seen"
check 1 ./stall.example/.well-known/poppy.json --format json
has 'poppy.scope.reserved'
check 0 ./shop.example/.well-known/agent-skills/change-delivery/SKILL.md --format json
clean warning

# Standard input, and a document cut short.
status=0
head -c 200 shop.example/.well-known/poppy.json | "$papaver" check - --kind poppy --format json >"$dir/out" || status=$?
[ "$status" -eq 1 ] || wrong "a document cut short: exit status $status"
has 'json[.].*'

check 3 ./not-there.json
check 2
check 2 ./shop.example --no-such-option
done_
