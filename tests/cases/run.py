#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""run.py PROGRAM [CASE...]: runs the program as the files *.case beside this script say, and prints TAP.

A case is text in sections; a line that begins with "--- " begins one:
    --- args            the arguments, one a line
    --- before          arguments of a run before that one, which may end as it likes
    --- file NAME       a file in the folder where the program runs (folders of NAME are made)
    --- link NAME       a symbolic link to what the text says
    --- stdin           what it reads; none: nothing
    --- env NAME        a variable of the environment
    --- status          the exit status; none: 0
    --- stdout          exactly this; `--- stdout has`: each line occurs; `--- stdout lacks`: no line occurs
    --- stderr          the same; none: nothing is said there
    --- output NAME     the content of a file afterwards; `--- output NAME gone`: there is no such file
What stands before the first section says what the case is about. In expected text {VERSION} is the version.
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def read_case(path):
    sections, title = [], []
    for line in path.read_text().splitlines(keepends=True):
        if line.startswith("--- "):
            sections.append((line[4:].strip(), []))
        elif sections:
            sections[-1][1].append(line)
        else:
            title.append(line.strip())
    return " ".join(title), [(name, "".join(lines)) for name, lines in sections]


def compare(name, how, want, got):
    if how == "has":
        missing = [line for line in want.splitlines() if line not in got]
        return [f"{name} lacks: {line}" for line in missing] + ([f"{name} is:\n{got}"] if missing else [])
    if how == "lacks":
        return [f"{name} has: {line}" for line in want.splitlines() if line in got]
    return [] if want == got else [f"{name} is:\n{got}", f"want:\n{want}"]


def judge(sections, result, folder, version):
    wrong, said, status = [], False, 0
    for name, text in sections:
        text = text.replace("{VERSION}", version)
        word, *rest = name.split()
        if word == "status":
            status = int(text)
        elif word in ("stdout", "stderr"):
            said |= word == "stderr"
            wrong += compare(word, rest[0] if rest else "is", text, getattr(result, word).decode(errors="replace"))
        elif word == "output":
            path = folder / rest[0]
            got = path.read_text() if path.exists() else "(no such file)"
            wrong += compare(rest[0], "is", "(no such file)" if rest[1:] == ["gone"] else text, got)
    if not said:
        wrong += compare("stderr", "is", "", result.stderr.decode(errors="replace"))
    return wrong + ([f"status is {result.returncode}, want {status}"] if result.returncode != status else [])


def run(program, sections, version):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        args, before, stdin, env = [], [], "", {"PATH": os.defpath}
        for name, text in sections:
            word, *rest = name.split()
            if word == "args":
                args = text.splitlines()
            elif word == "before":
                before.append(text.splitlines())
            elif word == "stdin":
                stdin = text
            elif word == "env":
                env[rest[0]] = text.rstrip("\n")
            elif word == "file":
                (folder / rest[0]).parent.mkdir(parents=True, exist_ok=True)
                (folder / rest[0]).write_text(text)
            elif word == "link":
                (folder / rest[0]).parent.mkdir(parents=True, exist_ok=True)
                (folder / rest[0]).symlink_to(text.strip())
            elif word not in ("status", "stdout", "stderr", "output"):
                return [f"unknown section: {name}"]
        for earlier in before:
            subprocess.run([program, *earlier], cwd=folder, env=env, capture_output=True, timeout=20, stdin=subprocess.DEVNULL)
        result = subprocess.run([program, *args], cwd=folder, env=env, input=stdin.encode(), capture_output=True, timeout=20)
        return judge(sections, result, folder, version)


def main():
    program = os.path.abspath(sys.argv[1])
    here = pathlib.Path(__file__).parent
    cases = [here / f"{name}.case" for name in sys.argv[2:]] or sorted(here.glob("*.case"))
    version = subprocess.run([program, "version"], capture_output=True, check=True, text=True).stdout.split()[1]
    failed = 0
    print(f"1..{len(cases)}")
    for number, path in enumerate(cases, 1):
        title, sections = read_case(path)
        wrong = run(program, sections, version)
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {path.stem}: {title}")
        for line in "\n".join(wrong).splitlines():
            print(f"# {line}")
    if not cases:
        print("Bail out! there is no case")
    return 1 if failed or not cases else 0


sys.exit(main())
