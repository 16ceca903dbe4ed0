# SPDX-License-Identifier: Apache-2.0
# What `papaver publish --rules HOST` prints makes HOST serve the tree so that papaver check finds nothing wrong: a real nginx,
# a real Caddy where there is one, and for the hosts that deploy a folder a small one that reads the same files. The company
# is the one of the demo, with skills of each form, one after the other.
. tests/flows/flow.sh
mkdir "$dir/web" && web_new "$dir/web" && sites_fill demo/sites || exit 1
web_rule www.shop.example 'return 301 https://shop.example$request_uri;'
host=
tidy() { [ -z "$host" ] || { kill $host && wait $host; } 2>/dev/null; [ -z "$WEB" ] || web_stop; rm -rf "$dir"; }

# The tree, and the file of the demo that publish knows nothing of.
tree=$dir/tree
mkdir -p "$dir/project/skills" "$tree" && cp -R "$WEB/sites/shop.example/.well-known" "$tree/" || exit 1
rm -r "$tree/.well-known/agent-skills"
case $papaver in /*) ;; *) papaver=$(pwd)/$papaver ;; esac
(cd "$dir/project" && "$papaver" skill new water-plants && "$papaver" skill new cut-grass) >/dev/null || exit 1
mkdir "$dir/project/skills/cut-grass/references" && echo '# Heights' >"$dir/project/skills/cut-grass/references/heights.md"
release=0
publish() {
    release=$((release + 1))
    sed -i "s/^  version: .*/  version: \"0.$release.0\"/" "$dir"/project/skills/*/SKILL.md
    "$papaver" publish "$dir/project" --quiet --out "$tree" --poppy "$tree/.well-known/poppy.json" "$@" >"$dir/out" 2>&1 ||
        { wrong "not published: $*"; cat "$dir/out"; }
}
publish
rules() { "$papaver" publish --rules "$1" | sed "s,DIR,$tree,"; }

# ask PATH, then wants FIELD VALUE: what the host answers at $port.
ask() {
    asked=$1
    curl --silent --cacert "$WEB/ca.pem" --connect-to "::127.0.0.1:$port" --head "https://shop.example$1" | tr -d '\r' >"$dir/head"
}
wants() {
    got=$(sed -n "s/^$1: //Ip" "$dir/head")
    [ "$got" = "$2" ] || wrong "$name: $1 of $asked is \"$got\", not \"$2\""
}
# try NAME PORT: once for each form of the archive; then the fields of each file.
try() {
    name=$1 port=$2
    echo "== $1"
    for form in '--format zip --archive' '--format tar.gz --archive' ''; do
        publish $form
        check 0 shop.example --format json --connect-to "shop.example:443:127.0.0.1:$port" $(sites_options)
        clean warning
    done
    for file in "$tree"/.well-known/agent-skills/artifacts/*; do
        ask "${file#"$tree"}"
        wants cache-control 'public, max-age=31536000, immutable, no-transform'
        wants access-control-allow-origin '*'
        wants x-content-type-options nosniff
        case $file in
        *.md) wants content-type 'text/markdown; charset=utf-8' ;;
        *.zip) wants content-type application/zip ;;
        *.tar.gz) wants content-type application/gzip ;;
        esac
    done
    for file in agent-skills/index.json poppy.json; do
        ask /.well-known/$file
        wants content-type application/json
        wants cache-control 'public, max-age=300, must-revalidate'
        wants access-control-allow-origin '*'
    done
    ask /.well-known/agent-skills/artifacts/sha256-00.md # must not stay away for a year when it comes
    wants cache-control ''
    ask /.well-known/skills/index.json
    sed -i 's,^\(location: \)https://shop.example,\1,I' "$dir/head"
    wants location /.well-known/agent-skills/index.json
}

# nginx
web_site shop.example && web_rule shop.example "$(rules nginx)"
web_rule shop.example "location = /.well-known/oauth-protected-resource { root $tree; default_type application/json; }"
web_start || { wrong "nginx does not take the rules"; done_; }
try nginx "$WEB_PORT"

# Caddy
if command -v caddy >/dev/null; then
    other=$((WEB_PORT + 1))
    cat >"$dir/Caddyfile" <<END
{
    admin off
    auto_https off
}
https://shop.example:$other {
    bind 127.0.0.1
    tls $WEB/shop.example.ca.pem $WEB/shop.example.ca.key
$(rules caddy)
    handle /.well-known/oauth-protected-resource {
        root * $tree
        header Content-Type application/json
        header Cache-Control max-age=300
        header Access-Control-Allow-Origin *
        file_server
    }
}
END
    HOME=$dir/caddy XDG_DATA_HOME=$dir/caddy XDG_CONFIG_HOME=$dir/caddy caddy run --config "$dir/Caddyfile" --adapter caddyfile >"$dir/caddy.log" 2>&1 &
    host=$!
    for _ in $(seq 100); do
        curl --silent --cacert "$WEB/ca.pem" --connect-to "::127.0.0.1:$other" -o "$dir/out" https://shop.example/ && break
        kill -0 $host 2>/dev/null || break
        sleep 0.1
    done
    kill -0 $host 2>/dev/null || { wrong "Caddy does not take the rules"; cat "$dir/caddy.log"; }
    try Caddy $other
    kill $host && wait $host 2>/dev/null
    host=
else
    echo "without Caddy: its rules are not tried"
fi

# Netlify, Cloudflare
for name in netlify cloudflare; do
    rules $name >"$dir/rules"
    printf '/.well-known/oauth-protected-resource\n  Content-Type: application/json\n  Cache-Control: max-age=300\n  Access-Control-Allow-Origin: *\n' >"$dir/more"
    sed "/ the file _headers/r $dir/more" "$dir/rules" >"$dir/all"
    : >"$dir/port" # of the one before
    python3 tests/lib/static_host.py "$dir/all" "$tree" "$WEB/shop.example.ca.pem" "$WEB/shop.example.ca.key" >"$dir/port" 2>"$dir/host.log" &
    host=$!
    for _ in $(seq 100); do
        [ -s "$dir/port" ] && break
        kill -0 $host 2>/dev/null || break
        sleep 0.1
    done
    [ -s "$dir/port" ] || { wrong "$name: no such rules"; cat "$dir/host.log"; continue; }
    try $name "$(cat "$dir/port")"
    [ ! -s "$dir/host.log" ] || { wrong "$name: see"; cat "$dir/host.log"; }
    kill $host && wait $host 2>/dev/null
    host=
done

# GitHub Pages: a command, and advice in comments.
rules github >"$dir/rules"
sh -eu "$dir/rules" && [ -e "$tree/.nojekyll" ] || wrong "GitHub Pages: no .nojekyll"
done_
