# SPDX-License-Identifier: Apache-2.0
# Fills the web sites of tests/lib/nginx.sh from a folder of plain files; to be sourced after it:
#
#   web_new "$dir" && sites_fill demo/sites && web_start || exit 1
#   papaver check shop.example $(sites_options)
#
# FOLDER/HOST/... is what https://HOST serves (a company's host also as www.HOST); FOLDER/HOST.conf are directives for its
# server, and a line `# options: ...` in it is for web_site. In a site: NAME.tar.gz.d/ is packed into NAME.tar.gz,
# NAME.crlf becomes NAME with CRLF line ends (its digest stays that of the LF bytes: a fault to show), and "@DIGEST@" in a
# .json file becomes the digest of the file that the "url" above it names.

sites_options() {
    echo "--cacert $WEB/ca.pem --connect-to ::127.0.0.1:$WEB_PORT --allow-private"
}

sites_archives() {
    find . -type d -name '*.tar.gz.d' | while read -r folder; do
        (cd "$folder" && find . -type f | sed 's,^\./,,' | LC_ALL=C sort |
            tar -c --format=ustar --owner=0 --group=0 --numeric-owner --mtime=@0 --mode=u=rw,go=r -T -) |
            gzip -n -9 >"${folder%.d}" && rm -r "$folder"
    done
}

sites_digests() {
    grep -rl '@DIGEST@' --include='*.json' . | while read -r index; do
        while IFS= read -r line; do
            case $line in
            *'"url": "/'*) file=.$(echo "$line" | cut -d'"' -f4); [ -f "$file" ] || file=$file.crlf ;;
            *@DIGEST@*) line=$(echo "$line" | sed "s/@DIGEST@/sha256:$(sha256sum "$file" | cut -d' ' -f1)/") ;;
            esac
            printf '%s\n' "$line"
        done <"$index" >"$index.new" && mv "$index.new" "$index"
    done
    find . -name '*.crlf' | while read -r file; do
        sed 's/$/\r/' "$file" >"${file%.crlf}" && rm "$file"
    done
}

sites_add() {
    web_site "$2" $(sed -n 's/^# options: //p' "$1.conf" 2>/dev/null) || return 1
    web_rule "$2" 'default_type application/json; charset utf-8; charset_types text/markdown;'
    web_rule "$2" 'expires 5m; add_header Access-Control-Allow-Origin *;'
    [ ! -f "$1.conf" ] || web_rule "$2" "$(cat "$1.conf")"
    cp -R "$1/." "$WEB/sites/$2" && (cd "$WEB/sites/$2" && sites_archives && sites_digests)
}

sites_fill() {
    for folder in "$1"/*/; do
        folder=${folder%/} host=$(basename "$folder")
        sites_add "$folder" "$host" || return 1
        case $host in *.*.*) ;; *) sites_add "$folder" "www.$host" || return 1 ;; esac
    done
}
