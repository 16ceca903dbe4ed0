#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""outside.py INCLUDE LIBRARY PROGRAM CC...: libpapaver as others see it; prints TAP.

Each public header compiles alone, as C17 without extensions and as C++17. The library exports what the headers declare
and nothing else. The program loads no library that costs more to load than a check of a file does.
"""
import pathlib
import re
import shutil
import subprocess
import sys

INCLUDE, LIBRARY, PROGRAM = (pathlib.Path(p) for p in sys.argv[1:4])
CC = sys.argv[4:]
HEADERS = sorted((INCLUDE / "papaver").glob("*.h"))
WARN = ["-Wall", "-Wextra", "-Wpedantic", "-pedantic-errors", "-Wstrict-overflow", "-Wundef", "-Werror", "-fsyntax-only"]


def compiles(compiler, standard, language, text):
    r = subprocess.run([*compiler, standard, *WARN, f"-I{INCLUDE}", "-x", language, "-"], input=text, capture_output=True,
                       text=True)
    assert r.returncode == 0, r.stderr


def plus_plus():
    found = shutil.which("g++") or shutil.which("clang++") or shutil.which("clang++-14")
    return [found] if found else [shutil.which("clang") or shutil.which("clang-14")]


def test_headers_alone_as_c17():
    for header in HEADERS:
        include = f"#include <papaver/{header.name}>\n"
        compiles(CC, "-std=c17", "c", include + include + "int x;\n")


def test_headers_alone_as_cpp17():
    if not plus_plus()[0]:
        return "skip no C++ compiler here"
    for header in HEADERS:
        compiles(plus_plus(), "-std=c++17", "c++", f"#include <papaver/{header.name}>\n")


def test_headers_know_only_each_other():
    for header in HEADERS:
        for name in re.findall(r"#include [<\"](.*)[>\"]", header.read_text()):
            assert name.startswith("papaver/") or name in ("stdbool.h", "stddef.h", "stdint.h"), f"{header.name}: {name}"


def declared():
    names = []
    for header in HEADERS:
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        names += re.findall(r"^PAP_PUBLIC [^;(]*?\b(pap_\w+)\(", text, flags=re.M)
        # a function that was declared without PAP_PUBLIC would be missing in the library
        assert len(re.findall(r"^(?!typedef|#|static)\w[^;{}]*\bpap_\w+\(", text, flags=re.M)) == len(
            re.findall(r"^PAP_PUBLIC ", text, flags=re.M)), header.name
    return sorted(names)


def test_exports_are_the_headers():
    lines = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    exported = sorted(line.split()[2].split("@")[0] for line in lines.splitlines() if line.split()[1] != "A")
    assert declared(), "no function found in the headers"
    assert exported == declared(), f"exported {exported}, declared {declared()}"


def needed(path):
    text = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"NEEDED.*\[(.*)\]", text))


def test_few_libraries_are_loaded():
    """libcurl, libssl, libcrypto and libpsl are opened on first use: 15 ms, 5 ms, ... of every start otherwise."""
    for path in (PROGRAM, LIBRARY):
        libs = {lib for lib in needed(path) if not re.match(r"lib(asan|ubsan|gcc_s|clang)", lib)}
        extra = {lib for lib in libs if not re.match(r"(libyaml-0|libz|libutf8proc|libc|libm|ld-linux.*)\.so", lib)}
        assert not extra, f"{path.name} loads {sorted(extra)}"


def test_hardened():
    for path in (PROGRAM, LIBRARY):
        text = subprocess.run(["readelf", "-hld", path], capture_output=True, text=True, check=True).stdout
        assert "GNU_RELRO" in text and "DYN (" in text, path
        assert not re.search(r"GNU_STACK.*\n.*RWE", text), f"{path.name}: executable stack"
        assert not re.search(r"R(UN)?PATH.*\[/(usr|lib)", text)


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
            print(f"not ok {number} - {name}")
            for line in str(why).splitlines()[:20]:
                print(f"# {line}")
    return failed != 0


sys.exit(main())
