# SPDX-License-Identifier: Apache-2.0
# What flows share that have papaver serve a tree as shop.example, over TLS; after flow.sh, when $WEB is there.
. tests/flows/server.sh
tidy() { stop; [ -z "$WEB" ] || web_stop; rm -rf "$dir"; }

# serve FOLDER OPTION...: on a port that is free, which becomes $port.
serve() {
    echo "+ papaver serve $*"
    : >"$dir/log" # what the one before said
    "$papaver" serve "$@" --listen 127.0.0.1:0 --tls-cert "$WEB/shop.example.ca.pem" --tls-key "$WEB/shop.example.ca.key" \
        >"$dir/access" 2>"$dir/log" &
    server=$!
    until_ grep -q 'serving' "$dir/log" || { cat "$dir/log"; exit 1; }
    port=$(sed -n 's,.*listening on https://127.0.0.1:\([0-9]*\)/,\1,p' "$dir/log")
}

# check_served STATUS ARGUMENT...: shop.example by papaver, the other hosts by nginx.
check_served() {
    wanted=$1; shift
    check "$wanted" "$@" --format json --connect-to "shop.example:443:127.0.0.1:$port" $(sites_options)
}
