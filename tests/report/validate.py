#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""validate.py SAMPLE SOURCE [--write]: reads made-up reports back, as the programs they are made for would.

SAMPLE is the program that writes them, SOURCE the root of the project. Every format is parsed; JSON is held against
docs/report.schema.json, SARIF against the schema of $PAPAVER_CASES where that is set, and every report against its golden
file in tests/golden/report (--write renews those; read the difference before committing it).
"""
import base64
import hashlib
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

SAMPLE, SOURCE, WRITE = sys.argv[1], pathlib.Path(sys.argv[2]), "--write" in sys.argv
FORMATS = ["text", "json", "sarif", "junit", "github", "html", "markdown"]
UNSAFE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]"
)
failures = []


def check(fact, what):
    if not fact:
        failures.append(what)
        print("FAIL", what)


def written(*args):
    return subprocess.run([SAMPLE, *args], check=True, stdout=subprocess.PIPE).stdout.decode("utf-8")


def schema_of(path, name):
    """A validator for the schema, or None, and then it is said why."""
    try:
        import jsonschema
    except ImportError:
        print(f"skip  {name}: python3-jsonschema is not installed")
        return None
    schema = json.loads(path.read_text(encoding="utf-8"))
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


def against(validator, value, what):
    for error in list(validator.iter_errors(value))[:5] if validator else []:
        check(False, f"{what}: /{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")


# ---- what a format must say, whatever the texts in it ----


def text_like(name, out):
    check(not UNSAFE.search(out), f"{name}: an invisible or control character")
    # Build services obey "::name ...::" at the start of a line and "##name[" anywhere in one.
    check(name.endswith(".github") or not re.search(r"^\s*::", out, re.M), f"{name}: a line begins with ::")
    check(not name.endswith(".text") or not re.search(r"##[a-z]*\[", out, re.I), f"{name}: a log command")


def json_report(name, out, schema):
    report = json.loads(out)
    against(schema, report, name)
    check(not UNSAFE.search(out), f"{name}: an invisible or control character")
    check(report["papaver"], f"{name}: version")
    for finding in report["findings"]:
        check(finding["target"] in [t["target"] for t in report["targets"]], f"{name}: finding of no target")


def sarif_report(name, out, schema):
    log = json.loads(out)
    against(schema, log, name)
    check(not UNSAFE.search(out), f"{name}: an invisible or control character")
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    check(len({r["id"] for r in rules}) == len(rules), f"{name}: a rule twice")
    for rule in rules:
        for member in ("name", "shortDescription", "fullDescription", "help", "defaultConfiguration", "properties"):
            check(rule.get(member), f"{name}: rule {rule['id']} without {member}")
    for result in run["results"]:
        if "ruleIndex" in result:
            check(rules[result["ruleIndex"]]["id"] == result["ruleId"], f"{name}: wrong ruleIndex")
        message = result["message"]["text"]
        check(not re.search(r"(?<!\\)\[[^\]\\]*\]\(", message), f"{name}: untrusted text makes a link: {message}")
        check(not re.search(r"(?<!\{)\{[0-9]+\}(?!\})", message), f"{name}: untrusted text makes a placeholder: {message}")
        for location in result.get("locations", []):
            uri = location["physicalLocation"]["artifactLocation"]["uri"]
            check(re.fullmatch(r"(%[0-9A-F]{2}|[A-Za-z0-9\-._~/!$&'()*+,;=@:?#])*", uri), f"{name}: no URI: {uri}")


def junit_report(name, out):
    root = xml.etree.ElementTree.fromstring(out)
    check(root.tag == "testsuites", f"{name}: root")
    for suite in root:
        cases = suite.findall("testcase")
        check(len(cases) == int(suite.get("tests")), f"{name}: tests")
        check(len(suite.findall("testcase/failure")) == int(suite.get("failures")), f"{name}: failures")
        check(len(suite.findall("testcase/error")) == int(suite.get("errors")), f"{name}: errors")
        check({e.tag for e in suite.iter()} <= {"testsuite", "testcase", "failure", "error", "system-out"}, f"{name}: elements")
    text_like(name, out)


def github_report(name, out):
    *commands, summary = out.splitlines()
    check(summary.startswith("papaver: "), f"{name}: summary")
    for line in commands:
        match = re.fullmatch(r"::(error|warning|notice) (.*?)::(.+)", line)
        check(match, f"{name}: no command: {line}")
        for prop in match.group(2).split(",") if match else []:
            check(re.fullmatch(r"(file|line|col|title)=[^:,\r\n]*", prop), f"{name}: no property: {prop}")
    text_like(name, out)


class Page(html.parser.HTMLParser):
    VOID = {"meta", "circle", "br"}
    ALLOWED = set(
        "html head meta title style body a header p svg g circle main div nav ul ol li section h1 h2 h3 h4 span article"
        " code pre mark figure figcaption strong details summary dl dt dd footer".split()
    )

    def __init__(self, name):
        super().__init__(convert_charrefs=True)
        self.name, self.open, self.ids, self.links, self.levels = name, [], [], [], []

    def handle_starttag(self, tag, attrs):
        check(tag in self.ALLOWED, f"{self.name}: element {tag}")
        for key, value in attrs:
            check(not key.startswith("on") and key not in ("style", "src", "srcset"), f"{self.name}: attribute {key}")
            if key == "href":
                check(value.startswith("#"), f"{self.name}: link to {value}")
                self.links.append(value[1:])
            if key in ("id", "aria-labelledby"):
                (self.ids if key == "id" else self.links).append(value)
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.VOID:
            return
        check(self.open and self.open[-1] == tag, f"{self.name}: </{tag}> closes {self.open[-1:]}")
        self.open = self.open[:-1]

    def handle_comment(self, data):
        check(False, f"{self.name}: a comment")


def html_report(name, out):
    page = Page(name)
    page.feed(out)
    page.close()
    check(not page.open, f"{name}: left open: {page.open}")
    twice = {i for i in page.ids if page.ids.count(i) > 1}
    check(not twice, f"{name}: ids twice: {twice}")
    check(set(page.links) <= set(page.ids), f"{name}: links to nothing: {set(page.links) - set(page.ids)}")
    steps = [b - a for a, b in zip([0] + page.levels, page.levels)]
    check(page.levels.count(1) == 1 and max(steps) <= 1, f"{name}: headings {page.levels}")
    style = re.search(r"<style>(.*?)</style>", out, re.S).group(1)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    check(f"style-src 'sha256-{digest}'" in out and "default-src 'none'" in out, f"{name}: policy")
    check(not re.search(r"url\(|@import|https?:", style), f"{name}: the style loads something")
    text_like(name, out)


class Rendered(html.parser.HTMLParser):
    """What a reader of Markdown makes of a report: text in places of ours, and no element of anybody else's."""

    ALLOWED = set("h1 h2 h3 h4 p code pre strong ul li".split())

    def __init__(self, name):
        super().__init__(convert_charrefs=True)
        self.name, self.in_code = name, 0

    def handle_starttag(self, tag, attrs):
        self.in_code += tag == "code"
        check(tag in self.ALLOWED, f"{self.name}: element {tag}")
        check(not attrs or (tag, attrs) == ("code", [("class", "language-text")]), f"{self.name}: attributes {attrs}")

    def handle_comment(self, data):
        check(data == " ", f"{self.name}: comment {data}")

    def handle_endtag(self, tag):
        self.in_code -= tag == "code"

    def handle_data(self, data):  # each piece is a text of its own to whoever looks for mentions and addresses
        check(self.in_code or not re.search(r"[@#]\w|://|www\.", data), f"{self.name}: a mention or a link: {data}")


def markdown_report(name, out):
    page = Rendered(name)
    page.feed(subprocess.run(["cmark", "--unsafe"], input=out, capture_output=True, text=True, check=True).stdout)
    page.close()
    text_like(name, out)


def contrast():
    """Every pair of colours that text is written in, by WCAG 2: at least 4.5 to 1."""
    style = (SOURCE / "src/report/page.css").read_text(encoding="ascii")

    def light(colour):
        colour = colour if len(colour) == 6 else "".join(c + c for c in colour)
        parts = [int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        parts = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    blocks = re.findall(r":root \{([^}]*--paper[^}]*--error[^}]*)\}", style)
    check(len(blocks) == 2, "colours: light and dark")
    for block in blocks:
        colours = dict(re.findall(r"--([a-z-]+): #([0-9a-f]+)", block))
        pairs = [(ink, paper) for ink in ("ink", "soft", "link") for paper in ("paper", "card", "code")]
        pairs += [(kind, kind + "-bg") for kind in ("error", "warning", "info", "good")]
        pairs += [("good", "card"), ("error", "card")]
        for ink, paper in pairs:
            a, b = sorted((light(colours[ink]), light(colours[paper])))
            check((b + 0.05) / (a + 0.05) >= 4.5, f"contrast of {ink} on {paper}: {(b + 0.05) / (a + 0.05):.2f}")


# ---- golden files ----


def golden(name, out):
    """Without what changes with every release: the version, the style and the rules."""
    out = re.sub(r"<style>.*?</style>", "<style></style>", out, flags=re.S)
    out = re.sub(r"sha256-[^']*", "sha256-", out)
    if name.endswith(".sarif"):
        log = json.loads(out)
        log["runs"][0]["tool"]["driver"]["rules"] = []
        out = json.dumps(log, indent=1) + "\n"
    out = re.sub(r'("papaver": |"version": |"semanticVersion": |, version )"?[0-9]+\.[0-9]+\.[0-9]+(?!\d)(?=["<])', r'\1"VERSION', out)
    path = SOURCE / "tests/golden/report" / name
    if WRITE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(out, encoding="utf-8")
    elif not path.exists():
        check(False, f"{name}: no golden file")
    elif path.read_text(encoding="utf-8") != out:
        check(False, f"{name}: differs from its golden file")
        before, after = path.read_text(encoding="utf-8").splitlines(), out.splitlines()
        for a, b in [(a, b) for a, b in zip(before, after) if a != b][:3]:
            print("  was", a[:160], "\n  is ", b[:160])


def main():
    ours = schema_of(SOURCE / "docs/report.schema.json", "JSON against its schema")
    sarif = None
    if os.environ.get("PAPAVER_CASES"):
        path = pathlib.Path(os.environ["PAPAVER_CASES"]) / "schemas/sarif-schema-2.1.0.json"
        sarif = schema_of(path, "SARIF against its schema")
    else:
        print("skip  SARIF against its schema: PAPAVER_CASES is not set")
    readers = {
        "text": text_like,
        "json": lambda name, out: json_report(name, out, ours),
        "sarif": lambda name, out: sarif_report(name, out, sarif),
        "junit": junit_report,
        "github": github_report,
        "html": html_report,
        "markdown": markdown_report,
    }
    n = 0
    for sample in written().split():
        for form in FORMATS:
            for extra in [[], ["exchanges"]] if form == "text" else [[]]:
                out = written(sample, form, *extra)
                name = "-".join([sample, *extra]) + "." + form
                check("s3cr3t" not in out, f"{name}: a secret is shown")
                readers[form](name, out)
                golden(name, out)
                n += 1
    golden("company-color.text", written("company", "text", "color"))
    contrast()
    print(f"{n} reports read back, {len(failures)} failures")
    sys.exit(bool(failures))


main()
