# SPDX-License-Identifier: Apache-2.0
# Functions to serve a folder of sites over HTTPS on loopback, for the demo and for tests; to be read with `.`
#
#   sites_start FOLDER WORK   serves FOLDER/HOST/... as https://HOST (and www.HOST), everything made below WORK; sets
#                             sites_port and sites_ca, so that `papaver check HOST $(sites_options)` finds them
#   sites_stop                ends the server; call it from a trap
#
# In FOLDER: HOST.conf is read into the server of HOST. In a site: NAME.tar.gz.d/ is packed into NAME.tar.gz, NAME.crlf
# becomes NAME with CRLF line ends (its digest stays that of the LF bytes: a fault to show), and "@DIGEST@" in a .json
# file becomes the digest of the file that the "url" above it names.

sites_pid= sites_port= sites_ca=

sites_stop() {
    [ -z "$sites_pid" ] || kill "$sites_pid" 2>/dev/null || true
    sites_pid=
}

sites_options() {
    echo "--cacert $sites_ca --connect-to ::127.0.0.1:$sites_port --allow-private"
}

# One certificate for every host, and one that ended yesterday.
sites_certificates() {
    names=$(for host; do printf ',DNS:%s,DNS:www.%s' "$host" "$host"; done)
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=throw-away CA" \
        -keyout ca.key -out ca.pem &&
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout key.pem -out leaf.csr &&
        echo "subjectAltName=${names#,}" >leaf.ext || return 1
    for kind in good:2 expired:-1; do
        openssl x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -days "${kind#*:}" -extfile leaf.ext \
            -out "${kind%:*}.pem" || return 1
    done
    rm -f ca.key
}

sites_archives() {
    find www -type d -name '*.tar.gz.d' | while read -r folder; do
        (cd "$folder" && find . -type f | sed 's,^\./,,' | LC_ALL=C sort |
            tar -c --format=ustar --owner=0 --group=0 --numeric-owner --mtime=@0 --mode=u=rw,go=r -T -) |
            gzip -n -9 >"${folder%.d}" && rm -r "$folder"
    done
}

# In a .json file of the site HOST: "@DIGEST@" after a "url". A digest is of the bytes before CRLF is put in.
sites_digests() {
    grep -rl '@DIGEST@' --include='*.json' www | while read -r index; do
        root=$(echo "$index" | cut -d/ -f1-2)
        while IFS= read -r line; do
            case $line in
            *'"url": "/'*) file=$root$(echo "$line" | cut -d'"' -f4); [ -f "$file" ] || file=$file.crlf ;;
            *@DIGEST@*) line=$(echo "$line" | sed "s/@DIGEST@/sha256:$(sha256sum "$file" | cut -d' ' -f1)/") ;;
            esac
            printf '%s\n' "$line"
        done <"$index" >"$index.new" && mv "$index.new" "$index"
    done
    find www -name '*.crlf' | while read -r file; do
        sed 's/$/\r/' "$file" >"${file%.crlf}" && rm "$file"
    done
}

# A port of 127.0.0.1 that nobody listens on.
sites_free_port() {
    port=$((20000 + $$ % 20000))
    while grep -q ":$(printf %04X "$port") 00000000:0000 0A" /proc/net/tcp; do port=$((port + 1)); done
    echo "$port"
}

sites_configuration() {
    cat <<END
pid nginx.pid;
error_log error.log;
worker_processes 1;
events { worker_connections 512; }
http {
    types { application/json json; text/markdown md; application/gzip gz; application/zip zip; text/html html; }
    default_type application/json;
    charset utf-8;
    charset_types text/markdown;
    access_log off;
    client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp; uwsgi_temp_path tmp; scgi_temp_path tmp;
    ssl_certificate good.pem;
    ssl_certificate_key key.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
    expires 5m;
    add_header Access-Control-Allow-Origin *;
END
    for host; do
        echo "    server { listen 127.0.0.1:$sites_port ssl; server_name $host www.$host; root www/$host; include $host.con[f]; }"
    done
    echo "}"
}

sites_start() {
    sites_from=$(cd "$1" && pwd) || return 1
    sites_at=$(mkdir -p "$2" && cd "$2" && pwd) || return 1
    hosts=$(cd "$sites_from" && find . -mindepth 1 -maxdepth 1 \( -type d -o -name '*.conf' \) |
        sed 's,^\./,,; s,\.conf$,,' | sort -u)
    chmod 755 "$sites_at" && mkdir -p "$sites_at/www" "$sites_at/tmp" &&
        cp "$sites_from"/*.conf "$sites_at" && cp -R "$sites_from"/*/ "$sites_at/www" || return 1
    sites_port=$(sites_free_port) sites_ca=$sites_at/ca.pem
    (
        cd "$sites_at" && sites_certificates $hosts >openssl.log 2>&1 && sites_archives && sites_digests &&
            sites_configuration $hosts >nginx.conf && /usr/sbin/nginx -p "$sites_at" -c nginx.conf -e error.log
    ) || { echo "sites: could not start nginx, see $sites_at" >&2; return 1; }
    sites_pid=$(cat "$sites_at/nginx.pid")
}
