# SPDX-License-Identifier: Apache-2.0
# From an empty folder to a published tree that `papaver check` finds nothing wrong with: over the files, and (where there
# is an nginx) over TLS with the rules that `papaver publish --rules nginx` prints.
. tests/flows/flow.sh
case $papaver in /*) ;; *) papaver=$(pwd)/$papaver ;; esac
here=$(pwd)
mkdir "$dir/project" && cd "$dir/project" || exit 1

# publish STATUS ARGUMENT...
publish() {
    wanted=$1; shift
    echo "+ papaver publish $*"
    status=0
    "$papaver" publish "$@" >"$dir/out" 2>"$dir/err" </dev/null || status=$?
    [ "$status" -eq "$wanted" ] || { wrong "exit status $status, not $wanted"; tail -n 12 "$dir/out" "$dir/err"; }
}
says() { grep -q -- "$1" "$dir/out" "$dir/err" || { wrong "nothing says: $1"; cat "$dir/out" "$dir/err"; }; }

"$papaver" skill new water-plants >/dev/null || wrong "skill new"
"$papaver" skill new cut-grass >/dev/null || wrong "skill new"
mkdir skills/cut-grass/references
echo '# Heights' >skills/cut-grass/references/heights.md
echo 'SECRET=1' >skills/cut-grass/.env
mkdir -p dist/.well-known
printf '{\n    "protocol_version": "0.3",\n    "organization": {"name": "Garden", "domain": "garden.example"},\n    "web": {}\n}\n' >dist/.well-known/poppy.json
cp dist/.well-known/poppy.json before.json

publish 1 --check
publish 0 --dry-run
says '^+ cut-grass 0.1.0  archive, '
says 'left out: cut-grass/.env'
[ ! -e dist/.well-known/agent-skills ] || wrong "a dry run wrote"
publish 0 --poppy dist/.well-known/poppy.json --legacy
publish 0 --check --poppy dist/.well-known/poppy.json --legacy
says 'dist is up to date'
head -n 4 dist/.well-known/poppy.json | cmp -s - /dev/null && wrong "poppy.json is empty"
head -n 3 before.json | cmp -s - "$(head -n 3 dist/.well-known/poppy.json >top; echo top)" || wrong "poppy.json changed elsewhere"
check 0 ./dist
says 'nothing found'
cp -r dist first

# A second version: the first release stays, the old index is still right.
sed -i 's/0\.1\.0/0.2.0/; s/^1\. .*/1. Water them./' skills/water-plants/SKILL.md
publish 1 --check --poppy dist/.well-known/poppy.json --legacy
publish 0 --poppy dist/.well-known/poppy.json --legacy
check 0 ./dist
for old in first/.well-known/agent-skills/artifacts/*; do
    cmp -s "$old" "dist/${old#first/}" || wrong "$old is gone"
done

# A link to a folder of skills is said by a check, not passed over; one to any other folder is.
mkdir "$dir/linked"
ln -s "$dir/project/skills" "$dir/linked/skills"
ln -s "$dir/project/dist" "$dir/linked/elsewhere"
check 3 "$dir/linked"
says 'linked/skills is a link to a folder'
grep -q elsewhere "$dir/out" && wrong "a link to any folder is said"

# What must not happen.
mv skills/water-plants aside
publish 1
says 'publish.removal'
mv aside skills/water-plants
ln -s /etc/hostname skills/cut-grass/host
publish 1
says 'skills/cut-grass/host: error: it is a symbolic link'
rm skills/cut-grass/host

# Repairs: shown first, then asked for at a terminal; without one nothing is written unless --yes.
cp -r skills sound
sed -i "s/\$/$(printf '\r')/" skills/water-plants/SKILL.md
cp skills/water-plants/SKILL.md broken.md
publish 1 --fix
says '^skills/water-plants/SKILL.md:1-[0-9]*: without CRLF$'
says '1 file to repair, not written'
# at_terminal ANSWER: --fix with a terminal at both ends.
at_terminal() {
    python3 - "$papaver" "$1" >"$dir/out" 2>"$dir/err" <<'END'
import os, pty, sys
seen = b""
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "publish", "--fix"])
while True:
    try:
        part = os.read(fd, 4096)
    except OSError:
        break
    if not part:
        break
    seen += part
    if b"[y/N] " in part:
        os.write(fd, sys.argv[2].encode() + b"\n")
print(seen.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
}
at_terminal n && wrong "--fix answered with n is no finding"
says 'Write it? \[y/N\]'
at_terminal '' && wrong "--fix answered with nothing is no finding"
cmp -s broken.md skills/water-plants/SKILL.md || wrong "--fix wrote without a yes"
at_terminal y || wrong "--fix answered with y fails"
says '1 file repaired'
diff -r sound skills >"$dir/out" || { wrong "--fix did something else"; cat "$dir/out"; }
cp broken.md skills/water-plants/SKILL.md
publish 0 --fix --yes
diff -r sound skills >"$dir/out" || { wrong "--fix --yes did something else"; cat "$dir/out"; }
rm -r sound broken.md

# A limit on the size of files is a failure like a full disk: nothing changes and nothing is left behind.
cp -r dist kept
sed -i 's/the page/its page/; s/^1\. .*/1. Water them twice./; s/0\.2\.0/0.2.1/' skills/water-plants/SKILL.md
echo "+ papaver publish (files of no more than 512 bytes)"
(ulimit -f 1; exec "$papaver" publish --poppy dist/.well-known/poppy.json) >"$dir/out" 2>"$dir/err" && wrong "it publishes without room"
says 'File too large'
diff -r kept dist >"$dir/out" || { wrong "a failed run changed the tree"; cat "$dir/out"; }
rm -r kept
publish 0 --poppy dist/.well-known/poppy.json

# Over TLS, by nginx with the printed rules.
cd "$here" || exit 1
mkdir "$dir/web" && web_new "$dir/web" || exit 1
for host in garden.example www.garden.example; do web_site $host; done
web_rule www.garden.example 'return 301 https://garden.example$request_uri;'
cp -r "$dir/project/dist/.well-known" "$WEB/sites/garden.example/"
rules=$("$papaver" publish --rules nginx | sed "s,DIR,$WEB/sites/garden.example,")
web_rule garden.example "$rules"
web_start || wrong "nginx does not start with the printed rules"
check_web 0 garden.example --only 'index.*' --only 'artifact.*' --only 'links.digest' --only 'archive.*' --only 'skill.*'
[ -z "$(findings warning)" ] || wrong "served by nginx: $(findings warning)"

# A fresh checkout has no tree: releases come from the live origin.
cd "$dir/project" || exit 1
sed -i 's/0\.2\.1/0.3.0/' skills/water-plants/SKILL.md
publish 0 --prior https://garden.example --out "$dir/fresh" $(sites_options)
for version in 0.1.0 0.2.0 0.3.0; do
    grep -q "\"version\": \"$version\"" "$dir/fresh/.well-known/agent-skills/index.json" || wrong "$version is not carried on"
done
check 0 "$dir/fresh"
says 'nothing found'
publish 3 --prior https://nowhere.example --out "$dir/fresh" --resolve nowhere.example:443:127.0.0.1 --allow-private
cd "$here" || exit 1

[ $failures -eq 0 ] || { echo "$failures wrong"; exit 1; }
