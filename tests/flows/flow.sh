# SPDX-License-Identifier: Apache-2.0
# What the flows share; a flow begins with `. tests/flows/flow.sh`. It gets the program as its only argument, a folder
# $dir of its own that goes away with it, and the web server of tests/lib/nginx.sh. Without nginx a flow is skipped.
set -u
papaver=$1 failures=0
. tests/lib/nginx.sh
. demo/sites.sh
[ -z "$(web_missing)" ] || { echo "skipped: missing are" $(web_missing); exit 77; }
dir=$(mktemp -d)
WEB=
tidy() { [ -z "$WEB" ] || web_stop; rm -rf "$dir"; }
trap tidy EXIT
trap 'exit 1' HUP INT PIPE TERM

wrong() {
    echo "WRONG: $*"
    failures=$((failures + 1))
}

# check STATUS ARGUMENT...: runs `papaver check`; its output is in $dir/out and $dir/err.
check() {
    wanted=$1; shift
    echo "+ papaver check $*"
    status=0
    "$papaver" check "$@" >"$dir/out" 2>"$dir/err" </dev/null || status=$?
    [ "$status" -eq "$wanted" ] || { wrong "exit status $status, not $wanted"; tail -n 12 "$dir/out" "$dir/err"; }
}

# check_web STATUS ARGUMENT...: the same over the web server, as JSON.
check_web() {
    wanted=$1; shift
    check "$wanted" "$@" --format json $(sites_options)
}

# Of the JSON report in $dir/out: a line `severity id` for each finding at or above a severity.
findings() {
    python3 - "$dir/out" "${1:-info}" <<'END'
import json, sys
try:
    report = json.load(open(sys.argv[1]))
except ValueError as e:
    sys.exit("the report is no JSON: %s" % e)
order = ["info", "warning", "error"]
for f in report["findings"]:
    if order.index(f["severity"]) >= order.index(sys.argv[2]):
        print(f["severity"], f["id"])
END
}
has() { findings | grep -E "^[a-z]* $1\$" >/dev/null || { wrong "no finding $1"; findings | sed 's/^/    /'; }; }
has_not() { ! findings | grep -E "^[a-z]* $1\$" >/dev/null || wrong "a finding $1"; }
# clean SEVERITY: nothing at or above it.
clean() { [ -z "$(findings "$1")" ] || { wrong "findings:"; findings "$1" | sed 's/^/    /'; }; }

done_() {
    [ "$failures" -eq 0 ] && echo "all as it should be"
    exit "$((failures > 0))"
}
