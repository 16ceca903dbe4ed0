#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""streams.py PROGRAM: terminals, closed pipes, full disks and signals; prints TAP.

What users of such tools complain about most: bars and colours in log files, prompts that hang, reports cut short with
status 0, and an interrupt that leaves half a file.
"""
import os
import pathlib
import pty
import re
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time

PROGRAM = os.path.abspath(sys.argv[1])
BASE = {"PATH": os.defpath, "TERM": "xterm"}
BAR = re.compile(rb"\[[# ]{20}\] \d+/\d+")


def run_on_terminal(args, env=None, streams=(0, 1, 2), columns=80):
    """Runs with the given streams on one terminal, the others piped; returns (status, what the terminal got, stdout)."""
    main, side = pty.openpty()
    termios.tcsetwinsize(side, (24, columns))
    on = [side if n in streams else subprocess.PIPE for n in (0, 1, 2)]
    p = subprocess.Popen([PROGRAM, *args], env=env or BASE, stdin=on[0], stdout=on[1], stderr=on[2], start_new_session=True)
    os.close(side)
    seen = []

    def read():
        try:
            while data := os.read(main, 65536):
                seen.append(data)
        except OSError:  # the program ended
            pass

    reader = threading.Thread(target=read)
    reader.start()
    out, _ = p.communicate(timeout=20)
    reader.join(timeout=20)
    os.close(main)
    return p.returncode, b"".join(seen), out or b""


def run(args, **more):
    return subprocess.run([PROGRAM, *args], env=BASE, capture_output=True, timeout=20, stdin=subprocess.DEVNULL, **more)


def many_files(folder, n):
    for i in range(n):
        (folder / f"s{i:05}").mkdir()
        (folder / f"s{i:05}" / "SKILL.md").write_text(f"---\nname: s{i:05}\ndescription: Does a thing.\n---\n" + "text\n" * 400)


def silent_server():
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    s.listen()
    return s, ["check", "--allow-private", "--insecure-http", f"http://127.0.0.1:{s.getsockname()[1]}/.well-known/poppy.json"]


# ---- tests: each raises AssertionError -----------------------------------------------------------------------------


def test_no_color_and_no_bar_without_a_terminal(folder):
    many_files(folder, 300)
    r = run(["check", str(folder)])
    assert b"\x1b" not in r.stdout + r.stderr and b"\r" not in r.stdout + r.stderr, r.stderr
    assert r.stdout, "never silent after having done something"


def test_color_on_a_terminal(folder):
    (folder / "poppy.json").write_text("{}")
    args = ["check", str(folder / "poppy.json")]
    assert b"\x1b[" in run_on_terminal(args)[1]
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}):
        assert b"\x1b[" not in run_on_terminal(args, env={**BASE, **env})[1], env
    assert b"\x1b[" in run_on_terminal(args, env={**BASE, "NO_COLOR": ""})[1], "an empty NO_COLOR is none"
    assert b"\x1b[" not in run_on_terminal([*args, "--color", "never"])[1]
    assert b"\x1b[" in run([*args, "--color", "always"]).stdout
    assert b"\x1b[" not in run([*args], ).stdout
    assert b"\x1b" not in run_on_terminal(args, streams=(0, 2))[2], "standard output is a pipe"
    out = folder / "report.txt"
    run_on_terminal([*args, "--output", str(out)])
    assert b"\x1b" not in out.read_bytes()


def slow_check(extra=(), **more):
    """Three targets that do not answer for 0.4 seconds each, one after the other."""
    server, args = silent_server()
    with server:
        return run_on_terminal([*args, args[-1] + "?2", args[-1] + "?3", "--timeout", "400ms", "--jobs", "1", *extra], **more)


def test_bar_on_a_terminal_only(folder):
    begun = time.monotonic()
    status, seen, out = slow_check(streams=(2,), columns=60)
    bars = BAR.findall(seen)
    assert status == 3, status
    assert b"[                    ] 0/3" in bars, seen
    assert len(bars) <= 10 * (time.monotonic() - begun) + 1, f"{len(bars)} bars"
    assert not BAR.search(out) and b"\x1b" not in out, out
    assert seen.endswith(b"\r\x1b[K"), f"the bar is left behind: {seen[-80:]}"
    for line in re.split(rb"[\r\n]+", seen):
        assert line.startswith(b"papaver: WARNING") or len(line.replace(b"\x1b[K", b"")) < 60, line
    assert not BAR.search(slow_check(streams=(0, 1))[1]), "standard error is no terminal"


def test_bar_is_out_of_the_way(folder):
    """Report and bar on one terminal: the bar is taken away before each piece of the report."""
    seen = slow_check()[1]
    assert BAR.search(seen), seen
    pieces = re.split(rb"\r(?=\[[# ]{20}\])", seen)[1:]
    for piece in pieces:
        bar, _, rest = piece.partition(b"\x1b[K")
        assert b"\n" not in bar, bar
        assert not rest or rest.startswith(b"\r\x1b[K"), rest[:80]


def test_no_bar_when_dumb_or_quiet(folder):
    assert not BAR.search(slow_check(["--quiet"])[1])
    assert not BAR.search(slow_check(env={**BASE, "TERM": "dumb"})[1])


def test_full_disk(folder):
    (folder / "poppy.json").write_text("{}")
    for args in (["version"], ["explain"], ["--help"], ["check", "--help"], ["check", str(folder / "poppy.json")]):
        with open("/dev/full", "wb") as full:
            r = subprocess.run([PROGRAM, *args], env=BASE, stdout=full, stderr=subprocess.PIPE, timeout=20)
        assert r.returncode == 3, (args, r.returncode)
        assert r.stderr == b"papaver: cannot write to standard output: No space left on device\n", (args, r.stderr)


def test_closed_output(folder):
    (folder / "poppy.json").write_text("{}")
    r = subprocess.run(["sh", "-c", f"exec {PROGRAM} check {folder}/poppy.json >&-"], env=BASE, capture_output=True, timeout=20)
    assert r.returncode == 3 and b"standard output" in r.stderr, r
    everything = f"exec {PROGRAM} check {folder}/poppy.json --output {folder}/report.txt <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", everything], env=BASE, timeout=20).returncode == 1
    text = (folder / "report.txt").read_text()
    assert text.startswith("poppy.json") and "papaver:" not in text, text


def test_reader_goes_away(folder):
    """papaver ... | head: quiet, and by SIGPIPE like everybody."""
    many_files(folder, 3000)
    for args in (["check", "--format", "json", str(folder)], ["explain", "--json"]):
        p = subprocess.Popen([PROGRAM, *args], env=BASE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                             bufsize=0)
        p.stdout.close()
        err = p.stderr.read()
        assert p.wait(timeout=20) == -signal.SIGPIPE, (args, p.returncode)
        assert err == b"", err


def interrupt(p, number, most):
    time.sleep(0.5)
    assert p.poll() is None, "ended before the signal"
    p.send_signal(number)
    try:
        p.wait(timeout=most)  # its standard input stays open
    finally:
        p.kill()
        p.communicate()


def start(args):
    return subprocess.Popen([PROGRAM, *args], env=BASE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_interrupt(folder):
    report = folder / "report.txt"
    report.write_text("old")
    server, args = silent_server()
    with server:
        for number in (signal.SIGINT, signal.SIGTERM):
            p = start([*args, "--output", str(report)])
            interrupt(p, number, 2)
            assert p.returncode == 128 + number, p.returncode
            assert report.read_text() == "old"
            assert os.listdir(folder) == ["report.txt"], os.listdir(folder)


def test_interrupt_while_reading(folder):
    p = start(["check", "-", "--output", str(folder / "report.txt")])
    interrupt(p, signal.SIGINT, 2)
    assert p.returncode == 130, p.returncode
    assert os.listdir(folder) == [], os.listdir(folder)


def test_ignored_interrupt_stays_ignored(folder):
    p = subprocess.Popen([PROGRAM, "check", "-"], env=BASE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    time.sleep(0.3)
    p.send_signal(signal.SIGHUP)
    time.sleep(0.8)
    assert p.poll() is None, "nohup is broken"
    p.communicate(b"{}", timeout=20)


def test_no_prompt(folder):
    """Standard input is a terminal and nobody types: nothing waits for it unless it is the target."""
    (folder / "poppy.json").write_text("{}")
    begun = time.monotonic()
    run_on_terminal(["check", str(folder / "poppy.json")])
    run_on_terminal(["check"])
    assert time.monotonic() - begun < 5


def main():
    tests = [(name[5:].replace("_", " "), test) for name, test in globals().items() if name.startswith("test_")]
    print(f"1..{len(tests)}")
    failed = 0
    for number, (name, test) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(pathlib.Path(folder))
                print(f"ok {number} - {name}", flush=True)
            except Exception as why:  # a test that cannot run has not passed
                failed += 1
                print(f"not ok {number} - {name}\n# {type(why).__name__}: {str(why)[:600]!r}", flush=True)
    return failed != 0


sys.exit(main())
