# SPDX-License-Identifier: Apache-2.0
# What an operator does to `papaver serve`, or suffers: whoever reads the log stops reading, a release is taken into use by
# turning a link or moving a folder, a certificate is renewed in one second or one file at a time, and mistakes at the start.
set -u
papaver=$(readlink -f "$1") failures=0
missing=$(for tool in curl openssl python3; do command -v $tool >/dev/null || echo $tool; done)
[ -z "$missing" ] || { echo "skipped: missing are" $missing; exit 77; }
. tests/lib/nginx.sh
. tests/flows/server.sh
patience=15
dir=$(mktemp -d)
trap 'stop; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT PIPE TERM
wrong() { echo "WRONG: $*"; failures=$((failures + 1)); }

# serve ARGUMENT...: on a port that is free, which becomes $port.
serve() {
    : >"$dir/log"
    "$papaver" serve --listen 127.0.0.1:0 "$@" >"$dir/access" 2>"$dir/log" & server=$!
    until_ grep -q 'serving' "$dir/log" || { cat "$dir/log"; exit 1; }
    port=$(sed -n 's,.*listening on https*://127.0.0.1:\([0-9]*\)/$,\1,p' "$dir/log")
}
index=/.well-known/agent-skills/index.json

# tree NAME TEXT: a tree whose only skill says so.
tree() {
    mkdir -p "$dir/project/skills/water-plants"
    printf -- '---\nname: water-plants\ndescription: Water plants %s. Use when somebody asks for watering.\n---\n\n# Water\n\nAsk first.\n' \
        "$2" >"$dir/project/skills/water-plants/SKILL.md"
    "$papaver" publish --quiet --fresh "$dir/project" --out "$1" || exit 1
}
tree "$dir/tree" daily

# Nobody reads what it prints, until the end or until later: it answers and ends all the same, and tells what is missing.
python3 - "$papaver" "$dir/tree" <<'END_' || wrong "see above"
import http.client, os, re, signal, subprocess, sys, threading, time, urllib.request
MANY = 16000 # more than wait for a reader, with a target so long
def begin(errors, *more):
    ours, its = os.pipe()
    p = subprocess.Popen([sys.argv[1], "serve", sys.argv[2], "--listen", "127.0.0.1:0", "--drain", "1", *more], stdout=its,
        stderr=its if errors else subprocess.PIPE)
    os.close(its)
    said = b""
    while b"serving" not in said:
        said += os.read(ours if errors else p.stderr.fileno(), 4096) or sys.exit("it ended: %r" % said)
    return p, ours, said
def ask(c, n):
    for _ in range(n):
        c.request("GET", "/.well-known/nothing-to-be-found-" + 100 * "a")
        answer = c.getresponse()
        assert answer.status == 404 and answer.read(), answer.status
def end(p):
    p.send_signal(signal.SIGTERM)
    assert p.wait(25) == 0, p.returncode

# Both streams are one pipe.
p, ours, said = begin(True)
c = http.client.HTTPConnection("127.0.0.1", int(re.search(rb"127.0.0.1:(\d+)/\n", said).group(1)), timeout=20)
ask(c, 3000)
for _ in range(3):
    p.send_signal(signal.SIGHUP)
ask(c, 10)
end(p)

# The reader goes on: what was lost, at its place.
p, ours, said = begin(False, "--admin", "127.0.0.1:0")
c = http.client.HTTPConnection("127.0.0.1", int(re.search(rb"127.0.0.1:(\d+)/\n", said).group(1)), timeout=20)
ask(c, MANY)
metrics = urllib.request.urlopen(re.search(rb"http\S*/-/", said).group().decode() + "metrics").read().decode()
lost = int(re.search(r"^papaver_access_log_lost_lines_total (\d+)$", metrics, re.M).group(1))
assert 0 < lost < MANY, lost
got = []
reader = threading.Thread(target=lambda: got.extend(line.rstrip("\n") for line in open(ours)))
reader.start()
while not any(" lost" in line for line in got):
    time.sleep(0.01)
ask(c, 5)
end(p)
reader.join()
gaps = [re.fullmatch(r'- - - \[.*\] "(\d+) lines lost" 0 0', line) for line in got]
assert [int(gap.group(1)) for gap in gaps if gap] == [lost], (lost, len(got))
assert all(gap or re.fullmatch(r'127.0.0.1 - - \[.*\] "GET /.well-known/nothing\S*a HTTP/1.1" 404 \d+', line)
    for gap, line in zip(gaps, got)), "a line is torn"
assert len(got) - 1 + lost == MANY + 5 and " lost" not in got[-5], (len(got), lost)

# A full disk is no reason either.
full = open("/dev/full", "w")
p = subprocess.Popen([sys.argv[1], "serve", sys.argv[2], "--listen", "127.0.0.1:0", "--drain", "1"], stdout=full, stderr=subprocess.PIPE)
c = http.client.HTTPConnection("127.0.0.1", int(re.search(rb"127.0.0.1:(\d+)/\n", p.stderr.readline()).group(1)), timeout=20)
ask(c, 100)
end(p)
END_

# Releases: a link that is turned, and a folder that is moved, above the folder that is served. Certificates meanwhile.
mkdir -p "$dir/app/releases" "$dir/app2"
for v in 1 2 3; do tree "$dir/app/releases/$v/tree" "in release $v"; done
tree "$dir/app2/current/tree" "in release 4"
ln -s releases/1 "$dir/app/current"
certificate() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1.example" \
        -addext "subjectAltName=DNS:$1.example" -keyout "$dir/$1.key" -out "$dir/$1.pem" 2>/dev/null || exit 1
}
for name in a b c d; do certificate $name; done
cp "$dir/a.pem" "$dir/chain.pem"; cp "$dir/a.key" "$dir/key.pem"
says() { curl -sk "https://127.0.0.1:$port$index" | grep -q "in release $1[.]"; }
shown() { openssl s_client -connect "127.0.0.1:$port" </dev/null 2>/dev/null | grep -q "CN = $1.example"; }
turn() { ln -s "releases/$1" "$dir/turned" && mv -T "$dir/turned" "$dir/app/current"; }
serve "$dir/app/current/tree" --tls-cert "$dir/chain.pem" --tls-key "$dir/key.pem"
says 1 && shown a || wrong "not release 1 with certificate a"
# Two certificates in one second, with times as if they were the first one.
turn 2
for name in b c; do cp "$dir/$name.pem" "$dir/chain.pem"; cp "$dir/$name.key" "$dir/key.pem"; done
touch -r "$dir/a.pem" "$dir/chain.pem" "$dir/key.pem"
until_ says 2
until_ shown c
# One file, and its key later: said once, and tried until they are a pair.
cp "$dir/d.pem" "$dir/chain.pem"
turn 3
until_ grep -q 'the certificate before is kept' "$dir/log"
until_ says 3
shown c || wrong "the certificate before is not kept"
cp "$dir/d.key" "$dir/key.pem"
mv "$dir/app" "$dir/old" && mv "$dir/app2" "$dir/app"
until_ says 4
until_ shown d
[ "$(grep -c 'the certificate before is kept' "$dir/log")" -eq 1 ] || wrong "said more than once"
rm -r "$dir/old"
tree "$dir/app/current/tree" "in release 5" # in the folder that is served now: at once
until_ says 5
stop || wrong "SIGTERM: exit status $?"

# Mistakes at the start: each with its sentence and its exit status. Started all the same: 0, by SIGTERM.
# refused STATUS TEXT ARGUMENT...
refused() {
    wanted=$1 text=$2 status=0
    shift 2
    timeout 20 "$papaver" serve "$@" >"$dir/out" 2>"$dir/err" || status=$?
    [ $status -eq "$wanted" ] && grep -qF -e "$text" "$dir/err" || { wrong "$status, not $wanted: $text"; cat "$dir/err"; }
}
started() {
    text=$1
    shift
    serve "$@"
    until_ grep -qF -e "$text" "$dir/log" || cat "$dir/log"
    stop || wrong "SIGTERM: exit status $?"
}
free=127.0.0.1:0
serve "$dir/tree"
refused 3 'Address already in use; another program listens there' "$dir/tree" --listen "127.0.0.1:$port"
stop
refused 3 'it is no address of this machine' "$dir/tree" --listen 192.0.2.1:8080 --plain-http
if [ "$(id -u)" -ne 0 ] && [ "$(cat /proc/sys/net/ipv4/ip_unprivileged_port_start 2>/dev/null)" = 1024 ]; then
    refused 3 'ports below 1024 need a privilege' "$dir/tree" --listen 127.0.0.1:80
fi
refused 1 'b.key does not fit the certificate' "$dir/tree" --listen $free --tls-cert "$dir/a.pem" --tls-key "$dir/b.key"
openssl genrsa -out "$dir/rsa.key" 2048 2>/dev/null
refused 1 'rsa.key does not fit the certificate' "$dir/tree" --listen $free --tls-cert "$dir/a.pem" --tls-key "$dir/rsa.key"
openssl ec -in "$dir/a.key" -aes256 -passout pass:secret -out "$dir/closed.key" 2>/dev/null
refused 1 'closed.key needs a passphrase' "$dir/tree" --listen $free --tls-cert "$dir/a.pem" --tls-key "$dir/closed.key"
refused 1 'there is none in it (PEM)' "$dir/tree" --listen $free --tls-cert "$dir/a.pem" --tls-key "$dir/a.pem"
refused 2 'missing.key: No such file' "$dir/tree" --listen $free --tls-cert "$dir/a.pem" --tls-key "$dir/missing.key"
refused 2 'a certificate needs its key' "$dir/tree" --listen $free --tls-cert "$dir/a.pem"
(WEB=$dir && web_authority old && web_certificate "$dir/expired" localhost old expired) >/dev/null 2>&1
started 'clients refuse the certificate: ' "$dir/tree" --tls-cert "$dir/expired.pem" --tls-key "$dir/expired.key"
refused 3 'there is no folder' "$dir/nowhere" --listen $free
mkdir -p "$dir/nothing" "$dir/hollow/.well-known"
refused 3 'there is nothing to serve' "$dir/nothing" --listen $free
started 'there is neither an index of skills' "$dir/hollow"
echo '{"serve": {"max-agee": 60}}' >"$dir/wrong.json"
refused 2 'wrong.json:1:24: there is no setting "max-agee"; did you mean "max-age"?' "$dir/tree" --listen $free --config "$dir/wrong.json"
# A socket that was said to be there, and is not: what the log is written to is another thing.
{
    timeout 20 sh -c 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"' sh "$papaver" serve "$dir/tree" --plain-http 2>"$dir/err" 3>&-
    echo $? >"$dir/status"
} | cat # a pipe
[ "$(cat "$dir/status")" -eq 3 ] && grep -q 'there is no socket 3' "$dir/err" || { wrong "no socket: $(cat "$dir/status")"; cat "$dir/err"; }
# limited N: from now on it may have so many open files.
program=$papaver
limited() {
    printf '#!/bin/sh\nulimit -n %d\nexec "%s" "$@"\n' "$1" "$program" >"$dir/limited"
    chmod +x "$dir/limited"
    papaver=$dir/limited
}
limited 8
refused 3 'Too many open files' "$dir/tree" --listen $free
limited 600
started '536 connections at a time, not 1000: this process may have 600 open files' "$dir/tree" --max-connections 1000
papaver=$program

# A slip in what is not needed: how skills are published, when they are.
cp -r "$dir/project" "$dir/slip" && cp -r "$dir/tree" "$dir/slip/tree" && cd "$dir/slip" || exit 1
echo '{"publish": {"rooot": "skills"}, "serve": {"max-age": 60}}' >papaver.json
started 'serving 1 skill' tree
refused 2 'there is no setting "rooot"; did you mean "root"?' . --listen $free
refused 2 'there is no setting "rooot"; did you mean "root"?' --listen $free # which tree, if any, stands there
printf '{"publish": {"rooot": "skills"}, "serve": {"sites": {"a.example": {"folder": "tree"}}}}' >papaver.json
started 'serving a.example: 1 skill' --config papaver.json
printf '{"publish": {"rooot": "skills"}, "serve": {"sites": {"a.example": {"folder": "tree"}, "b.example": {"folder": "."}}}}' >papaver.json
refused 2 'there is no setting "rooot"' --config papaver.json --listen $free

[ $failures -eq 0 ] && echo "all as it should be"
exit $((failures > 0))
