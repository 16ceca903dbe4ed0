# SPDX-License-Identifier: Apache-2.0
# Every skill of the tests that can be published, published in every form, served over TLS by papaver, and checked: nothing
# is found but what the publisher had said already. With PAPAVER_CASES the skills in there, too.
. tests/flows/flow.sh
. tests/flows/served.sh
mkdir "$dir/web" && web_new "$dir/web" && sites_fill demo/sites || exit 1
web_rule www.shop.example 'return 301 https://shop.example$request_uri;'
web_start || exit 1

# All of them in one project. In the first line `name:` stands another name, so that none is like another.
mkdir -p "$dir/all/skills"
for cases in tests demo/sites ${PAPAVER_CASES:+"$PAPAVER_CASES"}; do
    find "$cases" -name '*SKILL.md' -o -path '*/skill-md/*.md' | sort
done >"$dir/list"
seen=0
while read -r file; do
    seen=$((seen + 1)) skill=$dir/all/skills/fixture-$seen
    case $file in
    */SKILL.md) cp -R "${file%/SKILL.md}" "$skill" ;;
    *) mkdir "$skill" && cp "$file" "$skill/SKILL.md" ;;
    esac
done <"$dir/list"
chmod -R u+w "$dir/all"
for skill in "$dir"/all/skills/*; do sed -i "0,/^name:/s/^name:.*/name: ${skill##*/}/" "$skill/SKILL.md"; done

# What is refused goes away. What has a warning goes to a project of its own, and so does what the 0.1 layout cannot hold; the
# others to as many as it takes for one check to fetch all of one.
named() { sed -n "s,^papaver: skills/\(fixture-[0-9]*\)[/:].*: *$1: .*,\1,p; s,^papaver: skills/\(fixture-[0-9]*\): $1: .*,\1,p" "$dir/out" | sort -u; }
"$papaver" publish "$dir/all" --dry-run >"$dir/out" 2>&1
named error >"$dir/errors"
named warning >"$dir/warnings"
for name in $(cat "$dir/errors"); do rm -r "$dir/all/skills/$name"; done
"$papaver" publish "$dir/all" --dry-run --legacy >"$dir/out" 2>&1
named error >"$dir/modern-only"
most=130 n=0 # with 150, poppy.json may be larger than 64 KiB, which is a warning
for name in $(ls "$dir/all/skills"); do
    if grep -qx "$name" "$dir/warnings"; then to=warned
    elif grep -qx "$name" "$dir/modern-only"; then to=modern
    else to=clean$((n / most)) n=$((n + 1)); fi
    mkdir -p "$dir/$to/skills" && mv "$dir/all/skills/$name" "$dir/$to/skills/"
done
echo "$seen skills: $n without a finding, $(wc -l <"$dir/modern-only") not for 0.1, $(ls "$dir/warned/skills" | wc -l) with" \
    "warnings, $(wc -l <"$dir/errors") refused"
[ $n -ge 60 ] || wrong "too few can be published"

# try PROJECT FAIL-ON OPTION...: published, served, checked as the index of a company that has no other documents.
index=https://shop.example/.well-known/agent-skills/index.json
try() {
    project=$1 level=$2; shift 2
    echo "+ papaver publish $(basename "$project") $*"
    rm -rf "$dir/tree"
    "$papaver" publish "$project" --quiet --out "$dir/tree" "$@" >"$dir/out" 2>&1 || { wrong "not published"; cat "$dir/out"; return; }
    try_served "$dir/tree" "$level" $index
}
try_served() {
    serve "$1"
    check_served 0 "$3" --fail-on "$2"
    clean "$2"
    stop || wrong "SIGTERM: exit status $?"
}
for project in "$dir"/clean* ${PAPAVER_CASES:+"$PAPAVER_CASES/remote-skills/publisher/source"}; do
    try "$project" warning
    try "$project" warning --format zip --base-url /
    try "$project" warning --archive --legacy
    try "$project" warning --archive --format zip --base-url https://shop.example
    try_served "$project" warning $index
done
for options in '' --archive '--format zip --base-url /'; do try "$dir/modern" warning $options; done
try "$dir/warned" error --legacy
try "$dir/warned" error --archive --format zip
try_served "$dir/warned" error $index

# With poppy.json: the whole company of the demo, whose index comes from the skills now. Its API has not all that the skills
# name.
for project in "$dir"/clean*; do
    mkdir "$project/site" && cp -R "$WEB/sites/shop.example/.well-known" "$project/site/" || exit 1
    rm -r "$project/site/.well-known/agent-skills"
    "$papaver" publish "$project" --quiet --out "$project/site" --poppy "$project/site/.well-known/poppy.json" \
        >"$dir/out" 2>&1 || { wrong "not published"; cat "$dir/out"; }
    serve "$project/site"
    check_served 0 shop.example
    [ -z "$(findings warning | grep -v '^warning links.skill-')" ] || { wrong findings; findings warning | sort | uniq -c; }
    stop || wrong "SIGTERM: exit status $?"
done
done_
