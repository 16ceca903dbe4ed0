#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""completions.py PROGRAM FOLDER: manual pages and completions of FOLDER; prints TAP. Tools that are not installed are
skipped by name."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

PROGRAM, DOCS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
ENV = {"PATH": f"{PROGRAM.parent}:{os.defpath}", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"}


def out(*args, **more):
    r = subprocess.run(args, env=ENV, capture_output=True, text=True, timeout=30, **more)
    assert r.returncode == 0, (args, r.stderr)
    return r.stdout


def options_of(command):
    return set(re.findall(r"^ +(?:-., )?(--[a-z-]+)", out(PROGRAM, *command.split(), "--help"), flags=re.M))


def test_every_option_is_everywhere():
    bash, zsh, fish = ((DOCS / name).read_text() for name in ("papaver", "_papaver", "papaver.fish"))
    skill = re.findall(r"^  ([a-z]+) +", out(PROGRAM, "skill", "--help").partition("Commands\n")[2].partition("\n\n")[0], flags=re.M)
    assert "list" in skill and "outdated" in skill, skill
    for command in ("check", "publish", "explain", "version", "help", *(f"skill {name}" for name in skill)):
        page = (DOCS / f"papaver-{command.replace(' ', '-')}.1").read_text().replace("\\-", "-")
        for option in options_of(command):
            assert f"\\fB{option}\\fR" in page, (command, option)
            assert option in bash and option in zsh, (command, option)
            assert f"-l {option[2:]}" in fish, (command, option)


def test_pages_are_clean():
    if not shutil.which("groff"):
        return "skip no groff here"
    for page in sorted(DOCS.glob("*.1")):
        r = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-z", page], capture_output=True, text=True, timeout=30)
        assert r.returncode == 0 and not r.stderr, (page.name, r.stderr)
    text = out("groff", "-man", "-Tascii", "-P-cbou", DOCS / "papaver.1")
    for word in ("EXIT STATUS", "papaver.json", "allow-private", "NO_COLOR"):
        assert word in text, word


def bash_words(line):
    script = (f"source {DOCS}/papaver; COMP_WORDS=({line}); [[ '{line}' == *' ' ]] && COMP_WORDS+=(''); "
              "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _papaver 2>/dev/null; echo \"${COMPREPLY[@]}\"")
    return out("bash", "-c", script).split()


def test_bash():
    assert "check" in bash_words("papaver ") and "explain" in bash_words("papaver ex")
    assert bash_words("papaver check --format = js") == ["json"]
    assert bash_words("papaver check -f sa") == ["sarif"]
    assert bash_words("papaver check --fail-on w") == ["warning"]
    assert "--allow-private" in bash_words("papaver check --al")
    assert "poppy.auth.issuer" in bash_words("papaver explain poppy.auth.i")
    assert "poppy.auth.issuer" in bash_words("papaver check --only poppy.auth.i")
    assert bash_words("papaver help ch") == ["check"]
    assert bash_words("papaver skill upd") == ["update"]
    assert bash_words("papaver skill add --agent cl") == ["claude"]
    assert "--frozen" in bash_words("papaver skill add --fr") and not bash_words("papaver skill list --fr")


def test_fish():
    if not shutil.which("fish"):
        return "skip no fish here"
    def words(line):
        text = out("fish", "-N", "-c", f"source {DOCS}/papaver.fish; complete -C '{line}'")
        return [row.split("\t")[0] for row in text.splitlines()]
    assert "check" in words("papaver ")
    assert words("papaver check --format js") == ["json"]
    assert words("papaver skill upd") == ["update"]
    assert words("papaver skill add --agent cl") == ["claude"]
    assert "poppy.auth.issuer" in words("papaver explain poppy.auth.i")


def test_zsh():
    if not shutil.which("zsh"):
        return "skip no zsh here"
    out("zsh", "-n", DOCS / "_papaver")


def main():
    tests = [(name[5:].replace("_", " "), test) for name, test in globals().items() if name.startswith("test_")]
    print(f"1..{len(tests)}")
    failed = 0
    for number, (name, test) in enumerate(tests, 1):
        try:
            skip = test()
            print(f"ok {number} - {name}{' # ' + skip if skip else ''}")
        except Exception as why:  # a test that cannot run has not passed
            failed += 1
            print(f"not ok {number} - {name}\n# {type(why).__name__}: {str(why)[:600]!r}")
    return failed != 0


sys.exit(main())
