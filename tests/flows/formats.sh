# SPDX-License-Identifier: Apache-2.0
# The same findings in every format, each well formed; and in a file with --output.
. tests/flows/flow.sh
mkdir "$dir/web" && web_new "$dir/web" && sites_fill demo/sites && web_start || exit 1

for format in text json sarif junit github html markdown; do
    check 1 stall.example --format $format $(sites_options)
    mv "$dir/out" "$dir/$format"
    [ ! -s "$dir/err" ] || { wrong "$format: diagnostics"; cat "$dir/err"; }
done
# What a URL of its own may open stands in no format.
for format in text json sarif junit github html markdown; do
    check 1 "https://stall.example/.well-known/poppy.json?token=SECRETP" --format $format $(sites_options)
    ! grep -q SECRETP "$dir/out" || wrong "$format shows the token of the URL asked"
    grep -qF 'token=[hidden]' "$dir/out" || wrong "$format does not show the URL asked"
done
check 0 shop.example --format json $(sites_options)
mv "$dir/out" "$dir/right.json"
check 1 stall.example --format json --output "$dir/file.json" $(sites_options)
[ ! -s "$dir/out" ] || wrong "--output also writes to standard output"

python3 - "$dir" <<'END' || wrong "see above"
import json, re, sys, os
import xml.etree.ElementTree as tree
at = lambda name: open(os.path.join(sys.argv[1], name), encoding="utf-8").read()
report = json.loads(at("json"))
ids = sorted(f["id"] for f in report["findings"])
faults = []
def say(text): faults.append(text)

if report["exit"] != 1: say("json: exit is %r" % report["exit"])
counted = sum(report["counts"][k] for k in ("errors", "warnings", "infos"))
if counted != len(ids): say("json: %d findings, %d counted" % (len(ids), counted))
if sorted(f["id"] for f in json.loads(at("file.json"))["findings"]) != ids: say("--output: other findings")
try:
    import jsonschema
    for name in ("json", "right.json"):
        jsonschema.validate(json.loads(at(name)), json.loads(open("docs/report.schema.json").read()))
except ImportError:
    print("jsonschema is not installed: the schema was not tried")
except jsonschema.ValidationError as e:
    say("json: " + e.message)

sarif = json.loads(at("sarif"))["runs"][0]
if sorted(r["ruleId"] for r in sarif["results"]) != ids: say("sarif: other findings")
rules = {r["id"]: r for r in sarif["tool"]["driver"]["rules"]}
for i in set(ids):
    if not rules.get(i, {}).get("help", {}).get("text"): say("sarif: no help for " + i)

junit = tree.fromstring(at("junit"))
errors = [f["id"] for f in report["findings"] if f["severity"] == "error"]
if len(list(junit.iter("failure"))) < len(set(errors)): say("junit: fewer failures than errors")
for line in at("github").splitlines():
    if line and not re.match(r"papaver: |::(error|warning|notice)( [^:]*)?::", line): say("github: " + line)
page = at("html")
if re.search(r"<script[^>]*\bsrc=|<link[^>]*\bhref=|<img[^>]*\bsrc=[\"']http", page): say("html: not self-contained")
for i in set(ids):
    for name in ("text", "html"):
        if i not in at(name): say("%s: no %s" % (name, i))
if "\x1b" in at("text"): say("text: colours though the output is no terminal")
for fault in faults: print(fault)
sys.exit(bool(faults))
END
done_
