#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""skills.py PROGRAM SCHEMA: papaver skill on terminals and for programs; prints TAP.

The question of an install is asked on a terminal only, and what is not answered with yes is not done; what a stranger wrote
cannot move the cursor there; --json of every command is as docs/skill.schema.json says.
"""
import http.server
import json
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time

PROGRAM = os.path.abspath(sys.argv[1])
SCHEMA = json.loads(pathlib.Path(sys.argv[2]).read_text())
ENV = {"PATH": os.defpath, "TERM": "xterm"}
HOSTILE = "Water \u202eplants\u200b\x1b]0;owned\x07 them.\r\n"


def put(folder, name, text):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(text.encode())


def skills(folder, version="1.0.0", words="Water them."):
    put(folder, "skills/water-plants/SKILL.md",
        f'---\nname: water-plants\ndescription: Waters the plants.\nmetadata:\n  version: "{version}"\n---\n{words}\nSee [amounts](references/amounts.md).\n')
    put(folder, "skills/water-plants/references/amounts.md", "one litre\n")
    put(folder, "skills/feed-birds/SKILL.md", "---\nname: feed-birds\ndescription: Feeds the birds.\n---\nFeed them.\n")
    r = run(folder, ["publish"])
    assert r.returncode == 0, r.stderr


def run(folder, args, env=None, stdin=b""):
    return subprocess.run([PROGRAM, *args], cwd=folder, env={**ENV, **(env or {})}, input=stdin, capture_output=True, timeout=30)


def on_terminal(folder, args, answer=None, send=None, streams=(0, 1, 2), columns=80):
    """Everything on one terminal; `answer` is typed (or the signal `send` sent) when the question is there. Returns the status,
    what was seen, and standard output where that is a pipe."""
    main, side = pty.openpty()
    termios.tcsetwinsize(side, (24, columns))
    on = [side if n in streams else subprocess.PIPE for n in (0, 1, 2)]
    p = subprocess.Popen([PROGRAM, *args], cwd=folder, env=ENV, stdin=on[0], stdout=on[1], stderr=on[2], start_new_session=True)
    os.close(side)
    seen, end = b"", time.monotonic() + 20
    while time.monotonic() < end:
        if select.select([main], [], [], 0.1)[0]:
            try:
                data = os.read(main, 65536)
            except OSError:
                break
            if not data:
                break
            seen += data
        elif p.poll() is not None:
            break
        if b"[y/N]" in seen and send is not None:
            p.send_signal(send)
            send = None
        if b"[y/N]" in seen and answer is not None:
            os.write(main, answer)
            answer = None
    out = p.stdout.read() if p.stdout else b""
    if p.stdin:
        p.stdin.close()
    status = p.wait(timeout=20)
    os.close(main)
    return status, seen, out


def nothing_done(folder):
    return not (folder / ".agents/skills").exists() and not (folder / "papaver-skills.lock").exists()


# ---- tests: each raises AssertionError -----------------------------------------------------------------------------


def test_yes_installs_what_was_shown(folder):
    skills(folder)
    for answer in (b"y\n", b"Yes\n"):
        status, seen, _ = on_terminal(folder, ["skill", "add", "./dist/", "water-plants"], answer)
        assert status == 0, (status, seen)
        lock = json.loads((folder / "papaver-skills.lock").read_text())["skills"]["water-plants"]
        assert lock["digest"].encode() in seen and b"says     Waters the plants." in seen, seen
        assert b"references/amounts.md  10" in seen and b"to       .agents/skills/water-plants" in seen, seen
        assert b"installed water-plants 1.0.0" in seen, seen
        assert (folder / ".agents/skills/water-plants/references/amounts.md").read_text() == "one litre\n"
        run(folder, ["skill", "remove", "water-plants"])


def test_anything_else_does_nothing(folder):
    skills(folder)
    for answer in (b"n\n", b"\n", b"\x04", b"yesterday\n", b"yy\n"):
        status, seen, _ = on_terminal(folder, ["skill", "add", "./dist/"], answer)
        assert status == 1 and b"nothing was done" in seen, (answer, status, seen)
        assert nothing_done(folder), answer
    status, seen, _ = on_terminal(folder, ["skill", "add", "./dist/"], send=signal.SIGINT)
    assert status in (-signal.SIGINT, 130), (status, seen)
    assert nothing_done(folder)


def test_no_question_without_a_terminal(folder):
    """A pipe for standard input, or for what the question is shown on: a usage error at once, and nothing done."""
    skills(folder)
    for streams in ((1, 2), (0, 1)):
        begun = time.monotonic()
        status, seen, _ = on_terminal(folder, ["skill", "add", "./dist/"], streams=streams)
        assert status == 2 and nothing_done(folder), (streams, status, seen)
        assert time.monotonic() - begun < 10
    r = run(folder, ["skill", "add", "./dist/"], stdin=b"y\n")
    assert r.returncode == 2 and b"--yes" in r.stderr and nothing_done(folder), r
    r = run(folder, ["skill", "add", "./dist/", "--json"])
    assert r.returncode == 2 and nothing_done(folder), r


def test_output_in_a_pipe_question_on_the_terminal(folder):
    skills(folder)
    status, seen, out = on_terminal(folder, ["skill", "add", "./dist/", "water-plants"], b"y\n", streams=(0, 2))
    assert status == 0 and b"Install this? [y/N]" in seen and b"sha256:" in seen, (status, seen)
    assert out.startswith(b"new\twater-plants\t1.0.0\tsha256:") and out.count(b"\n") == 1, out


def test_update_shows_both_digests_and_the_difference(folder):
    skills(folder)
    assert run(folder, ["skill", "add", "./dist/", "--yes"]).returncode == 0
    before = json.loads((folder / "papaver-skills.lock").read_text())["skills"]["water-plants"]["digest"]
    skills(folder, "1.1.0", "Water them \u202ewell.")
    status, seen, _ = on_terminal(folder, ["skill", "update"], b"n\n", columns=200)
    assert status == 1 and f"before   {before}".encode() in seen and b"after    sha256:" in seen, (status, seen)
    assert b"-Water them." in seen and b"+Water them \\u{202E}well." in seen and "\u202e".encode() not in seen, seen
    assert b"water-plants 1.0.0 -> 1.1.0" in seen and b"feed-birds" in seen and b"up to date" in seen, seen
    assert before in (folder / "papaver-skills.lock").read_text()
    r = run(folder, ["skill", "outdated"])
    assert r.stdout == b"water-plants\t1.0.0\t1.1.0\t1.1.0\t./dist/\n", r.stdout
    status, seen, _ = on_terminal(folder, ["skill", "update"], b"y\n")
    assert status == 0 and before not in (folder / "papaver-skills.lock").read_text(), seen
    assert "well." in (folder / ".agents/skills/water-plants/SKILL.md").read_text()
    assert run(folder, ["skill", "verify", "papaver-skills.lock"]).returncode == 0
    status, seen, _ = on_terminal(folder, ["skill", "update"])
    assert status == 0 and b"[y/N]" not in seen, "nothing to ask about"


def test_changed_files_stop_an_update(folder):
    skills(folder)
    assert run(folder, ["skill", "add", "./dist/", "--yes"]).returncode == 0
    put(folder, ".agents/skills/water-plants/SKILL.md", "my own")
    skills(folder, "1.1.0")
    r = run(folder, ["skill", "update", "--yes"])
    assert r.returncode == 1 and b"was changed since it was installed" in r.stderr, r
    r = run(folder, ["skill", "verify", "papaver-skills.lock"])
    assert r.returncode == 1 and b"changed\t.agents/skills/water-plants/SKILL.md\n" in r.stdout, r
    r = run(folder, ["skill", "remove", "--dry-run", "water-plants"])
    assert r.returncode == 0 and b"would be kept: .agents/skills/water-plants/SKILL.md, which was changed" in r.stderr, r
    assert r.stderr.count(b"kept") == 1 and (folder / ".agents/skills/water-plants/references/amounts.md").exists(), r
    r = run(folder, ["skill", "remove", "water-plants", "--dry-run", "--json"])
    r = json.loads(r.stdout)
    assert r["kept"] == [".agents/skills/water-plants/SKILL.md"] and not r["applied"], r
    r = run(folder, ["skill", "remove", "water-plants"])
    assert r.returncode == 0 and b"kept: .agents/skills/water-plants/SKILL.md" in r.stderr, r
    assert (folder / ".agents/skills/water-plants/SKILL.md").read_text() == "my own"


def test_a_release_that_was_replaced(folder):
    """The same version with other bytes: never without a word, and never unseen."""
    skills(folder)
    assert run(folder, ["skill", "add", "./dist/", "--yes"]).returncode == 0
    before = json.loads((folder / "papaver-skills.lock").read_text())["skills"]["water-plants"]["digest"]
    (folder / "dist").rename(folder / "old")
    skills(folder, words="Drown them.")
    now = {s["name"]: s["digest"] for s in json.loads((folder / "dist/.well-known/agent-skills/index.json").read_text())["skills"]}["water-plants"]
    both = f"{before} is installed, and {now} is offered now".encode()
    r = run(folder, ["skill", "outdated"])
    assert r.returncode == 1 and b"water-plants: release 1.0.0 was replaced by another under the same version: " + both in r.stderr, r
    r = run(folder, ["skill", "outdated", "--json"])
    assert [s.get("replaced") for s in json.loads(r.stdout)["skills"]] == [None, True], r.stdout
    for command in ("update", "add ./dist/"):
        r = run(folder, ["skill", *command.split(), "--yes"])
        assert r.returncode == 1 and both in r.stderr and b"[lock_mismatch]" in r.stderr, r
        assert before in (folder / "papaver-skills.lock").read_text(), "installed unseen"
    r = run(folder, ["skill", "update", "--dry-run", "--json"])
    assert [c.get("replaced") for c in json.loads(r.stdout)["changes"]] == [None, True], r.stdout
    status, seen, _ = on_terminal(folder, ["skill", "update"], b"y\n", columns=200)
    assert status == 0 and b"WARNING  release 1.0.0 was replaced" in seen and now.encode() in seen, (status, seen)
    assert now in (folder / "papaver-skills.lock").read_text()


def test_a_lower_release(folder):
    """What an origin took back: never without a word, and by its name all the same."""
    skills(folder, version="1.2.0")
    assert run(folder, ["skill", "add", "./dist/", "water-plants@^1.0.0", "--yes"]).returncode == 0
    (folder / "dist").rename(folder / "old")
    skills(folder, version="1.1.0")
    r = run(folder, ["skill", "outdated"])
    assert r.returncode == 1 and b"water-plants: release 1.2.0 is installed" in r.stderr and b"lower: 1.1.0" in r.stderr, r
    r = run(folder, ["skill", "outdated", "--json"])
    assert [s.get("lower") for s in json.loads(r.stdout)["skills"]] == [True], r.stdout
    for command in ("update", "add ./dist/ water-plants", "add ./dist/ water-plants@1.x", "update --json"):
        r = run(folder, ["skill", *command.split(), "--yes"])
        assert r.returncode == 1 and b"papaver skill add ./dist/ water-plants@1.1.0" in r.stdout + r.stderr, r
        assert b"1.2.0" in (folder / ".agents/skills/water-plants/SKILL.md").read_bytes(), "went back without a word"
    r = run(folder, ["skill", "update", "--dry-run"])
    assert r.returncode == 0 and b"WARNING  release 1.1.0 is lower than 1.2.0" in r.stdout, r
    r = run(folder, ["skill", "update", "--dry-run", "--json"])
    assert [c.get("lower") for c in json.loads(r.stdout)["changes"]] == [True], r.stdout
    status, seen, _ = on_terminal(folder, ["skill", "update"], b"n\n", columns=200)
    assert status == 1 and b"WARNING  release 1.1.0 is lower than 1.2.0" in seen, (status, seen)
    r = run(folder, ["skill", "add", "./dist/", "water-plants@1.1.0", "--yes"])
    assert r.returncode == 0 and r.stdout.startswith(b"update\twater-plants\t1.1.0\t"), r
    assert run(folder, ["skill", "update", "--yes"]).returncode == 0


def test_hunks_say_where_they_are(folder):
    """What update shows is what patch takes."""
    lines = [f"Line {i}." for i in range(40)]
    skills(folder, words="\n".join(lines))
    assert run(folder, ["skill", "add", "./dist/", "water-plants", "--yes"]).returncode == 0
    (folder / "dist").rename(folder / "old")
    changed = ["Begin.", *lines[:10], *lines[12:30], "Another.", *lines[30:]]
    skills(folder, version="1.1.0", words="\n".join(changed))
    r = run(folder, ["skill", "update", "--dry-run"])
    assert r.returncode == 0, r
    diff = r.stdout[r.stdout.index(b"@@"):]
    (folder / "diff").write_bytes(b"--- a\n+++ b\n" + diff)
    heads = [line for line in diff.splitlines() if line.startswith(b"@@")]
    assert heads[0] == b"@@ -2,8 +2,9 @@", heads
    seen, left = 0, [0, 0]
    for line in diff.splitlines():
        if line.startswith(b"@@"):
            assert left == [0, 0], (heads, line)
            left = [int(part.split(b",")[1]) for part in line.split()[1:3]]
        elif line[:1] in (b" ", b"+", b"-"):
            left[0] -= line[:1] != b"+"
            left[1] -= line[:1] != b"-"
            seen += 1
    assert left == [0, 0] and seen, (heads, left)
    if subprocess.run(["which", "patch"], capture_output=True).returncode == 0:
        p = subprocess.run(["patch", "-s", "-o", "-", str(folder / ".agents/skills/water-plants/SKILL.md"), str(folder / "diff")], capture_output=True, timeout=20)
        assert p.returncode == 0 and p.stdout == (folder / "skills/water-plants/SKILL.md").read_bytes(), p


def test_a_url_that_opens_something_is_said(folder):
    """A lock is committed."""
    skills(folder)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(folder / "dist"))

        def log_message(self, *args):
            pass
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{server.server_port}/.well-known/agent-skills/index.json"
        network = ["--allow-private", "--insecure-http", "--no-cache", "--yes"]
        r = run(folder, ["skill", "add", origin, "feed-birds", *network])
        assert r.returncode == 0 and b"WARNING" not in r.stderr, r
        assert run(folder, ["skill", "remove", "feed-birds"]).returncode == 0
        index = folder / "dist/.well-known/agent-skills/index.json"
        index.write_text(index.read_text().replace('.md"', '.md?token=s3cr3t"'))
        r = run(folder, ["skill", "add", origin, "feed-birds", *network])
        assert r.returncode == 0 and b"WARNING: the lock will hold all of http" in r.stderr and b"token=[hidden]" in r.stderr, r
        assert b"s3cr3t" not in r.stderr, r
        server.shutdown()


def test_a_lock_elsewhere(folder):
    """A folder in a lock is named from the lock's own folder."""
    (folder / "shop").mkdir()
    (folder / "elsewhere/deep").mkdir(parents=True)
    skills(folder / "shop")
    lock = folder / "shop/papaver-skills.lock"
    assert run(folder, ["skill", "add", "shop/dist/", "water-plants", "--yes", "--lock", "shop/papaver-skills.lock"]).returncode == 0
    before = lock.read_bytes()
    assert json.loads(before)["skills"]["water-plants"]["origin"] == "./dist", before
    for here, path in ((folder / "elsewhere/deep", "../../shop/papaver-skills.lock"), (folder / "shop", "papaver-skills.lock"), (folder, str(lock))):
        for command in ("add --frozen", "update --yes", "outdated", "search water"):
            r = run(here, ["skill", *command.split(), "--lock", path])
            assert r.returncode == 0, (command, here, r)
            assert lock.read_bytes() == before, (command, here)
    lock.write_bytes(before.replace(b"./dist", b"dist/../dist/"))
    assert run(folder, ["skill", "add", "--frozen", "--lock", str(lock)]).returncode == 0
    lock.write_bytes(before)
    for here, place in ((folder / "elsewhere", "../shop/dist/"), (folder, str(folder / "shop/dist"))):
        r = run(here, ["skill", "add", place, "water-plants", "--yes", "--lock", str(lock)])
        assert r.returncode == 0 and lock.read_bytes() == before, r


def test_frozen_says_what_differs(folder):
    skills(folder)
    lock = folder / "papaver-skills.lock"
    assert run(folder, ["skill", "add", "./dist/", "water-plants@^1.0.0", "--yes"]).returncode == 0
    right = lock.read_text()
    for old, new, says in (('"size": 10', '"size": 11', '"11" there, and "10" would be installed'),
                           ("^1.0.0", "^2.0.0", 'at "1.0.0", which is not in its range "^2.0.0"'),
                           ('"size": 10', '"executable": true,\n          "size": 10', 'executable of references/amounts.md of water-plants is "true" there')):
        assert right.count(old) == 1, right
        lock.write_text(right.replace(old, new))
        r = run(folder, ["skill", "add", "--frozen"])
        assert r.returncode == 1 and says.encode() in r.stderr and b"[lock_mismatch]" in r.stderr, r
        assert lock.read_text() == right.replace(old, new), "written"
    (folder / ".agents/skills/water-plants/SKILL.md").unlink()
    ugly = json.dumps(json.loads(right))
    lock.write_text(ugly)
    assert run(folder, ["skill", "add", "--frozen"]).returncode == 0
    assert lock.read_text() == ugly and (folder / ".agents/skills/water-plants/SKILL.md").exists()
    put(folder, "dist/" + json.loads(right)["skills"]["water-plants"]["url"], "x")
    (folder / ".agents/skills/water-plants/SKILL.md").unlink()
    r = run(folder, ["skill", "add", "--frozen"])
    assert r.returncode == 1 and b"what is wanted has sha256:" in r.stderr and b"the list" not in r.stderr, r


def test_without_a_lock(folder):
    """What is missing is said before what would be needed then."""
    for command in ("update", "outdated"):
        r = run(folder, ["skill", command])
        assert r.returncode == 2 and b"names no skills" in r.stderr and b"--yes" not in r.stderr, r
    r = run(folder, ["skill", "add", "nothing"])
    assert r.returncode == 2 and b"is no origin" in r.stderr and b"--yes" not in r.stderr, r


def test_exact_bytes_or_harmless_ones(folder):
    put(folder, "skills/water-plants/SKILL.md", "---\nname: water-plants\ndescription: Waters.\n---\nWater \u202eplants\u200b.\r\n")
    put(folder, "skills/water-plants/raw.bin", "\x00\x1b[2J")
    args = ["skill", "get", "./skills/", "water-plants"]
    assert run(folder, args).stdout == (folder / "skills/water-plants/SKILL.md").read_bytes()
    read = ["skill", "read", "./skills/", "water-plants", "raw.bin"]
    assert run(folder, read).stdout == b"\x00\x1b[2J"
    for command in (args, read, ["skill", "get", "--wrap", "./skills/", "water-plants"]):
        status, seen, _ = on_terminal(folder, command)
        assert status == 0 and b"\x1b" not in seen and b"\x00" not in seen and b"\x07" not in seen, (command, seen)
        assert "\u202e".encode() not in seen and "\u200b".encode() not in seen, seen
        assert (b"\\x00\\x1B[2J" if command == read else b"\\u{202E}plants\\u{200B}") in seen, seen


def test_tables_on_a_terminal(folder):
    skills(folder)
    status, seen, _ = on_terminal(folder, ["skill", "list", "./dist/"], columns=50)
    assert status == 0 and b"NAME" in seen and b"\t" not in seen, seen
    assert all(len(line) <= 50 for line in seen.splitlines()[1:]), seen
    status, seen, _ = on_terminal(folder, ["skill", "show", "./dist/", "water-plants"])
    assert b"Nothing was fetched" in seen, seen
    status, seen, _ = on_terminal(folder, ["skill", "verify", "./dist/"])
    assert b"2 verified, 0 not" in seen, seen


def test_credentials(folder):
    """A value of the environment goes to the list's own host, and nowhere else: not into output, cache or lock."""
    skills(folder)
    asked, secret = [], "Bearer s3cr3t-of-the-shop"
    root = folder / "dist"

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, self.headers.get("Authorization")))
            path = root / self.path.lstrip("/")
            status = 401 if asked[-1][1] != secret else 200 if path.is_file() else 404
            body = path.read_bytes() if status == 200 else b""
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{server.server_port}"
        network = ["--allow-private", "--insecure-http"]
        env = {"SHOP_TOKEN": secret, "XDG_CACHE_HOME": str(folder / "cache")}
        r = run(folder, ["skill", "list", origin, *network], env)
        assert r.returncode == 1 and b"[authentication_failed]" in r.stderr and b"--header-env" in r.stderr, r
        with_header = [*network, "--header-env", "Authorization=SHOP_TOKEN"]
        r = run(folder, ["skill", "list", origin, *with_header], env)
        assert r.returncode == 0 and b"water-plants" in r.stdout, r
        r = run(folder, ["skill", "add", origin, "water-plants", "--yes", "--json", *with_header], env)
        assert r.returncode == 0 and json.loads(r.stdout)["applied"], r
        bad = run(folder, ["skill", "list", origin, *network, "--header-env", "Authorization=SHOP_TOKEN", "--header-env", "Host=SHOP_TOKEN"], env)
        before = len(asked)
        r2 = run(folder, ["skill", "list", origin, "http://127.0.0.1:9/", *with_header], env)
        assert r2.returncode == 2 and origin.encode() in r2.stderr and b"http://127.0.0.1:9;" in r2.stderr, r2
        assert len(asked) == before, "a request before the refusal"
        bound = [*network, "--header-env", f"127.0.0.1:{server.server_port}/Authorization=SHOP_TOKEN"]
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as other:
            threading.Thread(target=other.serve_forever, daemon=True).start()
            r3 = run(folder, ["skill", "list", f"http://127.0.0.1:{other.server_port}", origin, *bound], env)
            other.shutdown()
        assert r3.returncode == 1 and r3.stdout.count(b"water-plants") == 1, r3
        strangers = [h for _, h in asked[before:] if h is None]
        assert len(strangers) == 1 and len(asked) == before + 2, asked[before:]
        del asked[before:]
        server.shutdown()
    assert asked[0][1] is None and {h for _, h in asked[1:]} == {secret}, asked
    everything = r.stdout + r.stderr + bad.stdout + bad.stderr
    everything += b"".join(p.read_bytes() for p in folder.rglob("*") if p.is_file())
    assert b"s3cr3t" not in everything, "the secret is somewhere"


def test_cache_names_each_url(folder):
    skills(folder)
    env = {"XDG_CACHE_HOME": str(folder / "cache")}

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(folder / "dist"))

        def log_message(self, *_):
            pass

    urls = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as one, http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as two:
        for server in (one, two):
            threading.Thread(target=server.serve_forever, daemon=True).start()
            origin = f"http://127.0.0.1:{server.server_port}"
            r = run(folder, ["skill", "get", origin, "feed-birds", "--allow-private", "--insecure-http"], env)
            assert r.returncode == 0, r
            urls.append(origin)
        one.shutdown(), two.shutdown()
    listed = json.loads(run(folder, ["skill", "cache", "list", "--json"], env).stdout)["objects"][0]["origins"]
    assert len(listed) == 2 and all(any(u.startswith(o) for u in listed) for o in urls), listed
    line = run(folder, ["skill", "cache", "list"], env).stdout.decode()
    assert line.split("\t")[-1] == " ".join(listed) + "\n", line


def test_json_is_as_documented(folder):
    try:
        import jsonschema
    except ImportError:
        return "skip there is no jsonschema"
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    skills(folder)
    put(folder, "bad/.well-known/agent-skills/index.json", json.dumps({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [{"name": "a", "type": "skill-md", "description": HOSTILE, "url": "a.md", "digest": "sha256:" + "0" * 64},
                   {"name": "B"}]}))
    put(folder, "bad/.well-known/agent-skills/a.md", "---\nname: a\ndescription: A.\n---\n")
    cache = {"XDG_CACHE_HOME": str(folder / "cache")}
    seen = set()
    for want, args in (
            (0, "list ./dist/"), (0, "list ./bad/"), (1, "list --strict ./bad/"), (0, "search -o ./dist/ water"),
            (0, "show ./dist/ water-plants"), (1, "show ./dist/ nothing"), (0, "get ./dist/ water-plants"),
            (0, "get --wrap ./dist/ water-plants"), (0, "get ./dist/ water-plants --to out"), (1, "get ./dist/ water-plants --to out"),
            (0, "read ./dist/ water-plants references/amounts.md"), (1, "read ./dist/ water-plants none"), (0, "verify ./dist/"),
            (1, "verify ./bad/"), (0, "add ./dist/ --dry-run"), (0, "add ./dist/ --yes --agent claude"), (0, "update --yes"),
            (0, "outdated"), (0, "verify papaver-skills.lock"), (0, "remove feed-birds"), (1, "remove feed-birds"),
            (3, "list --offline shop.example"), (3, "verify ./nope.lock"), (2, "list skills"), (0, "cache path"), (0, "cache list"), (0, "cache verify"),
            (0, "cache prune"), (2, "cache purge")):
        r = run(folder, ["skill", *args.split(), "--json"], env=cache)
        assert r.returncode == want, (args, r)
        document = json.loads(r.stdout)
        jsonschema.validate(document, SCHEMA)
        assert document["exit"] == want, args
        assert b"\x1b" not in r.stdout and b"\x1b" not in r.stderr
        assert want in (0, 2) or document["errors"] or "verify" in args, args
        seen.add(document["command"])
    assert seen == set(SCHEMA["properties"]["command"]["enum"]), seen
    document["errors"] = [{"code": "no_such"}]
    try:
        jsonschema.validate(document, SCHEMA)
    except jsonschema.ValidationError:
        return None
    raise AssertionError("the schema refuses nothing")


def main():
    tests = [(name[5:].replace("_", " "), test) for name, test in globals().items() if name.startswith("test_")]
    print(f"1..{len(tests)}")
    failed = 0
    for number, (name, test) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                skip = test(pathlib.Path(folder))
                print(f"ok {number} - {name}{' # ' + skip if skip else ''}", flush=True)
            except Exception as why:  # a test that cannot run has not passed
                failed += 1
                print(f"not ok {number} - {name}\n# {type(why).__name__}: {str(why)[:900]!r}", flush=True)
    return failed != 0


sys.exit(main())
