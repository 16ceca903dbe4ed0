# SPDX-License-Identifier: Apache-2.0
"""web_load.py names | run PROGRAM LEAF CA FOLDER: hostile companies on one port of loopback, papaver web that checks them, and
many visitors behind one proxy. Counts what the companies saw; prints what is wrong, and its status says whether anything was."""
import asyncio, http.client, json, logging, os, re, signal, ssl, subprocess, sys, threading, time

SLOW, GOOD = "slow.test", ["good%d.test" % i for i in range(12)]
NAMES = GOOD + [SLOW, "drip.test", "endless.test", "circle.test", "inside.test", "many.test", "rude.test"]
wrong = []
logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # it tells of each visitor that goes away


def check(good, what):
    if not good:
        print("WRONG:", what, flush=True)
        wrong.append(what)


# ---- the companies ----

class Companies:
    """Of each host: how many requests for its poppy.json came, and how many there were at most at once."""

    def __init__(self, leaf):
        self.lock, self.now, self.most, self.total, self.paths = threading.Lock(), {}, {}, {}, []
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(leaf)
        self.loop, self.ready = asyncio.new_event_loop(), threading.Event()
        threading.Thread(target=self.run, daemon=True).start()
        self.ready.wait()

    def run(self):
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=self.context, backlog=500))
        self.port = server.sockets[0].getsockname()[1]
        self.loop.set_exception_handler(lambda *_: None)  # those that go away
        self.ready.set()
        self.loop.run_forever()

    def count(self, host, n):
        with self.lock:
            self.now[host] = self.now.get(host, 0) + n
            self.most[host] = max(self.most.get(host, 0), self.now[host])
            self.total[host] = self.total.get(host, 0) + (n > 0)

    async def serve(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path = head.split(b" ")[1].decode()
                host = re.search(rb"(?i)\r\nhost: *([^\r:]*)", head).group(1).decode()
                first = path == "/.well-known/poppy.json"
                with self.lock:
                    self.paths.append(host + path)
                if first:
                    self.count(host, 1)
                try:
                    await self.answer(host, path, writer, head.startswith(b"HEAD "))
                finally:
                    if first:
                        self.count(host, -1)
        except (asyncio.IncompleteReadError, OSError, ssl.SSLError):
            pass
        finally:
            writer.close()

    async def answer(self, host, path, writer, no_body):
        def send(status, body, *fields):
            writer.write("\r\n".join(["HTTP/1.1 %s" % status, "Content-Type: application/json",
                                      "Content-Length: %d" % len(body), *fields, "", ""]).encode() + (b"" if no_body else body))

        poppy = {"protocol_version": "0.1", "organization": {"name": "Shop", "domain": host}, "web": {}}
        skills = [{"name": "s%d" % i, "type": "skill-md", "description": "Does it. Use it when asked.", "url": "/s/%d" % i,
                   "digest": "sha256:" + "0" * 64} for i in range(300)]
        index = {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": skills}
        if host == SLOW:
            await asyncio.sleep(0.05)
            if path == "/.well-known/poppy.json":
                await asyncio.sleep(1.5)
        if host in GOOD + [SLOW, "many.test"] and path == "/.well-known/poppy.json":
            send("200 OK", json.dumps(poppy).encode())
        elif host == "many.test" and path == "/.well-known/agent-skills/index.json":
            send("200 OK", json.dumps(index).encode())
        elif host == "many.test" and path == "/robots.txt":
            send("200 OK", b"User-agent: *\nDisallow: /s/1\n")
        elif host in ("drip.test", "endless.test"):
            size, pause = (400, 0.5) if host == "drip.test" else (65536, 0)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{")
            while not writer.is_closing():
                writer.write(b" " * size)
                await writer.drain()
                await asyncio.sleep(pause)
        elif host == "circle.test":
            send("302 Found", b"", "Location: https://circle.test%s" % ("/b" if path != "/b" else "/.well-known/poppy.json"))
        elif host == "inside.test":
            send("302 Found", b"", "Location: https://%s/latest" % ("10.0.0.1" if "poppy" in path else "169.254.169.254"))
        elif host == "rude.test":
            writer.write(b"\x00\xff" * 100)
            await writer.drain()
            raise OSError
        else:
            send("404 Not Found", b"{}")
        await writer.drain()


# ---- the visitors ----

class Site:
    def __init__(self, port):
        self.port = port

    def ask(self, method, path, visitor, leave=False, **fields):
        """Status, header fields and body; with `leave` only what came until the first event."""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            c.request(method, path, headers={"X-Forwarded-For": visitor, **fields})
            r = c.getresponse()
            if leave:
                r.fp.readline()
                return r.status, r.headers, b""
            return r.status, r.headers, r.read()
        finally:
            c.close()

    def stream(self, name, visitor, leave=False):
        return self.ask("POST", "/check/" + name, visitor, leave, Accept="text/event-stream")


def at_once(calls):
    """The results of functions that run in threads of their own."""
    results = [None] * len(calls)

    def run(i):
        results[i] = calls[i]()

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(calls))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return results


def visitors(site, companies):
    # A crowd wants one slow company: it is asked once, everybody hears of it, and who leaves disturbs nobody.
    calls = [lambda i=i: site.stream(SLOW, "192.0.2.%d" % i, leave=i % 3 == 0) for i in range(60)]
    calls += [lambda i=i: site.ask("POST", "/check/" + SLOW, "2001:db8:0:%x::1" % i) for i in range(20)]
    calls += [lambda i=i: site.ask("GET", path, "192.0.2.9")
              for i in range(10) for path in ("/", "/explain", "/sites", "/check/" + SLOW)]
    results = at_once(calls)
    streams = [r for i, r in enumerate(results[:60]) if i % 3]
    check(all(r and r[0] == 200 and b"event: done" in r[2] for r in streams), "each stream ends well")
    check(all(r and r[0] == 303 for r in results[60:80]), "each page leads to the report")
    check(all(r and r[0] in (200, 404) for r in results[80:]), "pages are shown meanwhile")
    check(companies.total.get(SLOW) == 1, "a crowd costs the company one check: %s" % companies.total.get(SLOW))
    # Many companies at once, each by several: never two checks of one.
    results = at_once([lambda n=n, i=i: site.stream(n, "198.51.100.%d" % i) for i, n in enumerate(GOOD * 4)])
    check(all(r and b"event: done" in r[2] for r in results), "many companies at once")
    check(all(n == 1 for h, n in companies.most.items() if h in GOOD + [SLOW]), "one check of a company at a time: %s" % companies.most)


def hostile(site, companies):
    names = ["endless.test", "circle.test", "inside.test", "rude.test", "many.test"]
    results = at_once([lambda n=n, i=i: site.stream(n, "203.0.113.%d" % i) for i, n in enumerate(names)])
    for name, r in zip(names, results):
        check(r and b"event: done" in r[2], "%s: the check ends: %r" % (name, r and r[2][-300:]))
        status, _, body = site.ask("GET", "/api/v1/check/" + name, "203.0.113.50")
        check(status == 200 and json.loads(body), name + ": a report")
    report = json.loads(site.ask("GET", "/api/v1/check/inside.test", "203.0.113.50")[2])
    check("10.0.0.1" in json.dumps(report), "where it leads is told")
    asked = [p for p in companies.paths if p.startswith("many.test/s/")]
    check(0 < len(asked) <= 200 and not [p for p in asked if p.startswith("many.test/s/1")],
          "artifacts: %d, those that robots.txt allows: %r" % (len(asked), results[-1]))


def limits(site):
    # 20 checks an hour for a visitor: an address, or a network of 64 bits; what stands on the left of the field anybody can write.
    def spend(visitor, n=20):
        return [site.ask("POST", "/check/good0.test", visitor)[0] for _ in range(n)]

    check(spend("192.0.2.200") == [303] * 20, "20 are allowed")
    status, fields, body = site.ask("POST", "/check/good0.test", "192.0.2.200")
    check(status == 429 and int(fields["Retry-After"]) > 0 and b"<h1>" in body, "then 429, as a page")
    status, fields, body = site.ask("POST", "/api/v1/check/good0.test", "10.9.9.9, 192.0.2.200")
    check(status == 429 and fields["Content-Type"] == "application/problem+json", "whatever else the field says, and as an object")
    check(site.ask("POST", "/check/good0.test", "192.0.2.201")[0] == 303, "another one may")
    check(spend("2001:db8:1:2::1") == [303] * 20, "20 for IPv6, too")
    check(site.ask("POST", "/check/good0.test", "2001:db8:1:2:ffff::9")[0] == 429, "the same network of 64 bits")
    check(site.ask("POST", "/check/good0.test", "2001:db8:1:3::1")[0] == 303, "another network")
    check(site.ask("GET", "/check/good0.test", "192.0.2.200")[0] == 200, "reading costs nothing")


def one_waits(site):
    # Eight checks of one visitor may wait; the ninth is told so at once. drip.test holds eight places for as long as it likes.
    gone = [http.client.HTTPConnection("127.0.0.1", site.port, timeout=60) for _ in range(8)]
    for c in gone:
        c.request("POST", "/check/drip.test", headers={"X-Forwarded-For": "192.0.2.77", "Accept": "text/event-stream"})
    heads = [c.getresponse().status for c in gone]
    status, fields, body = site.ask("POST", "/check/drip.test", "192.0.2.77")
    check(heads == [200] * 8 and status == 503 and int(fields["Retry-After"]) > 0, "the ninth waits elsewhere: %s %s" % (heads, status))
    for c in gone:
        c.sock and c.sock.close()
        c.close()
    for _ in range(100):  # once the server has seen that they left, the visitor may again
        r = http.client.HTTPConnection("127.0.0.1", site.port, timeout=60)
        r.request("POST", "/check/drip.test", headers={"X-Forwarded-For": "192.0.2.77", "Accept": "text/event-stream"})
        status = r.getresponse().status
        if status == 200:
            return r
        r.close()
        time.sleep(0.1)
    check(False, "who left counts for ever: %d" % status)


def resident(pid):
    return int(re.search(r"VmRSS:\s*(\d+)", open("/proc/%d/status" % pid).read()).group(1))


def run(program, leaf, ca, folder):
    companies = Companies(leaf)
    log = open(os.path.join(folder, "web.log"), "w+")
    args = [program, "web", "--origin", "http://localhost", "--contact", "ops@check.test", "--database", folder + "/web.db",
            "--listen", "127.0.0.1:0", "--no-log", "--insecure-loopback", "--cacert", ca, "--visitor-checks", "20", "--trust-proxy",
            "127.0.0.1", "--workers", "2"]
    for name in NAMES:
        args += ["--connect-to", "%s:443:127.0.0.1:%d" % (name, companies.port), "--connect-to", "www.%s:443:127.0.0.1:1" % name]
    web = subprocess.Popen(args, stderr=log)
    try:
        for _ in range(200):
            found = re.search(r"listening on http://127.0.0.1:(\d+)/", open(log.name).read())
            if found or web.poll() is not None:
                break
            time.sleep(0.1)
        site = Site(int(found.group(1)))
        visitors(site, companies)
        hostile(site, companies)
        limits(site)
        stays = one_waits(site)
        check(web.poll() is None, "it runs to the end")
        print("%d requests to companies, %d kB" % (len(companies.paths), resident(web.pid)), flush=True)
        web.send_signal(signal.SIGTERM)  # with a check under way, and somebody who waits for it
        check(web.wait(30) == 0, "it stops: %s" % web.returncode)
        if stays:
            stays.close()
    finally:
        web.kill()
        log.seek(0)
        text = log.read()
        if wrong or "ERROR" in text or "WARNING: " in text:
            print(text[-4000:])
            wrong.append("the log")
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1] == "names":
        print("\n".join(NAMES))
    else:
        sys.exit(run(*sys.argv[2:]))
