# SPDX-License-Identifier: Apache-2.0
# static_host.py RULES TREE CERTIFICATE KEY: a small host that serves a folder over https by a _headers and a _redirects file,
# as those who deploy folders document them: "RULES" is what `papaver publish --rules HOST` prints. Prints its port, and
# serves until it is killed. Refuses rules that such a host would not take, or take otherwise.
#
#   a line that begins with / is a path: * stands for anything, once at most; the lines below, indented, are fields
#   all rules that fit count; a field that two rules give comes twice (or joined), so none may
#   "from  to  status" is a redirect
import hashlib
import http.server
import os
import re
import ssl
import sys

rules_text, tree, certificate, key = open(sys.argv[1]).read(), *sys.argv[2:]
TYPES = {".json": "application/json", ".md": "text/markdown", ".gz": "application/gzip", ".zip": "application/zip"}


def split():
    """The text of each file that the rules speak of."""
    files, name = {}, None
    for line in rules_text.splitlines():
        named = re.match(r"# .*the file (_[a-z]+)", line)
        name = named[1] if named else name
        if line.strip() and not line.lstrip().startswith("#"):
            assert name, "a line before the name of its file: %r" % line
            files.setdefault(name, []).append(line)
    assert set(files) == {"_headers", "_redirects"}, files.keys()
    return files


def read_headers(lines):
    rules = []
    for line in lines:
        assert len(line) <= 2000 and line == line.rstrip() and line.isascii(), line
        if line.startswith("/"):
            assert line.count("*") <= 1 and ":" not in line and " " not in line, line
            rules.append((re.compile(re.escape(line).replace(r"\*", ".*") + r"\Z"), {}))
        else:
            name, value = re.fullmatch(r"  ([A-Za-z-]+): (\S.*)", line).groups()
            assert name.lower() not in rules[-1][1], line
            rules[-1][1][name.lower()] = value
    assert 0 < len(rules) <= 100
    return rules


def read_redirects(lines):
    redirects = {}
    for line in lines:
        source, target, status = line.split()
        assert source.startswith("/") and target.startswith("/") and "*" not in source and len(line) <= 1000, line
        redirects[source] = (target, int(status))
    return redirects


files = split()
headers, redirects = read_headers(files["_headers"]), read_redirects(files["_redirects"])


def fields_of(path):
    fields = {"content-type": TYPES.get(os.path.splitext(path)[1], "application/octet-stream")}
    seen = set()
    for pattern, more in headers:
        if pattern.match(path):
            assert not seen & more.keys(), "two rules give a field of %s: %s" % (path, seen & more.keys())
            seen |= more.keys()
            fields.update(more)
    return fields


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        file = tree + self.path
        found = ".." not in self.path and os.path.isfile(file)
        target, status = redirects.get(self.path, (None, 404))
        body = open(file, "rb").read() if found else b"not here\n"
        fields = fields_of(self.path) if found else {"content-type": "text/plain"}
        if found:
            fields["etag"] = '"%s"' % hashlib.md5(body).hexdigest()
            status = 304 if self.headers.get("if-none-match") == fields["etag"] else 200
        elif target:
            fields["location"] = target
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command == "GET" and status != 304:
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
