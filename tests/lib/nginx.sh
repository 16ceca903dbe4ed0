# SPDX-License-Identifier: Apache-2.0
# nginx.sh: throw-away web sites over real TLS on loopback, for tests, benchmarks and the demo. To be sourced:
#
#     . tests/lib/nginx.sh
#     web_new "$dir"                    # an empty folder: certificates, sites, configuration and logs go there
#     web_site shop.example             # a host; its files are in $dir/sites/shop.example
#     web_rule shop.example 'location = /old { return 301 https://www.shop.example/new; }'
#     web_site old.example tls12        # options below
#     web_start || exit 1               # sets WEB_PORT, waits until nginx answers
#     papaver check shop.example --cacert "$dir/ca.pem" --connect-to "::127.0.0.1:$WEB_PORT" --allow-private
#     web_stop                          # also on EXIT: trap web_stop EXIT
#
# All sites listen on 127.0.0.1:$WEB_PORT and are told apart by name; a site with option tls12 listens on
# 127.0.0.2:$WEB_PORT instead, because nginx chooses the TLS versions by address. So `--connect-to "::127.0.0.1:$WEB_PORT"` leads
# every URL there (a name without a site gets an answer, too: 404 and a certificate for default.example), and
# `--connect-to "old.example:443:127.0.0.2:$WEB_PORT"` before it the odd one.
#
# Options of web_site, any of:
#   tls12      speaks TLS 1.2 only, on 127.0.0.2
#   tls11      speaks TLS 1.1 only, on 127.0.0.4
#   h2         speaks HTTP/2 (and 1.1), on 127.0.0.3, because that, too, goes by address
#   expired    the certificate has expired
#   stranger   the certificate is of an authority that ca.pem does not hold
#   name=HOST  the certificate is for HOST (may be *.crawl.test)
#   as=NAMES   answers to these names (nginx's server_name), such as '.crawl.test' for all below it
#   port=N     the site listens on 127.0.0.1:N, too
#
# web_rule takes nginx directives for the site's server block. Ready-made ones, each a function that prints directives:
#   web_moved FROM TO [STATUS]    a redirect                           web_rule a.example "$(web_moved /a /b 302)"
#   web_type PATH TYPE            one file with that content type
#   web_field PATH 'NAME: VALUE'  a header field more
#   web_soft_404                  200 and a page for what does not exist
#   web_slow PATH                 10 bytes a second
#   web_gzip PATH                 the file PATH is gzip already: sent with that content coding
# Files that are hard to keep: web_zeros FILE MIB makes one of so many MiB that takes no room on disk; web_bomb FILE MIB
# makes its gzip.
#
# Works as root and as anybody; needs nginx and openssl (web_missing prints what is not there).

web_missing() {
    command -v openssl >/dev/null || echo openssl
    PATH=$PATH:/usr/sbin:/sbin command -v nginx >/dev/null || echo nginx
}

# web_authority NAME: $WEB/NAME.key and NAME.pem
web_authority() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj "/CN=papaver test $1" \
        -addext 'basicConstraints=critical,CA:TRUE' -addext 'keyUsage=critical,keyCertSign,cRLSign' \
        -keyout "$WEB/$1.key" -out "$WEB/$1.pem" 2>/dev/null
}

# web_certificate FILE HOST AUTHORITY [expired]: FILE.key and FILE.pem
web_certificate() {
    # The start lies back so that a clock which is a little behind does no harm.
    from=$(date -u -d '-2 days' +%y%m%d%H%M%SZ) to=$(date -u -d '+20 days' +%y%m%d%H%M%SZ)
    [ "${4-}" = expired ] && from=$(date -u -d '-30 days' +%y%m%d%H%M%SZ) to=$(date -u -d '-1 day' +%y%m%d%H%M%SZ)
    mkdir -p "$1.ca" && : >"$1.ca/index" && openssl rand -hex 8 >"$1.ca/serial" &&
        openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$2" -addext "subjectAltName=DNS:$2" \
            -keyout "$1.key" -out "$1.csr" 2>/dev/null || return 1
    cat >"$1.ca/conf" <<END
[ca]
default_ca = this
[this]
new_certs_dir = $1.ca
database = $1.ca/index
serial = $1.ca/serial
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
END
    openssl ca -batch -config "$1.ca/conf" -cert "$WEB/$3.pem" -keyfile "$WEB/$3.key" -startdate "$from" -enddate "$to" \
        -notext -in "$1.csr" -out "$1.pem" 2>"$1.log" || { cat "$1.log" >&2; return 1; }
    rm -rf "$1.ca" "$1.csr" "$1.log"
}

web_new() {
    WEB=$(cd "$1" && pwd) || return 1
    mkdir -p "$WEB/sites" "$WEB/servers" "$WEB/rules" "$WEB/tmp"
    web_authority ca && web_site default.example
}

web_site() {
    : "${WEB:?web_new comes first}"
    name=$1 names=$1 for=$1 authority=ca age='' listen='listen 127.0.0.1:@PORT@ ssl' versions='TLSv1.2 TLSv1.3' more=''
    shift
    for option; do
        case $option in
        tls12) listen='listen 127.0.0.2:@PORT@ ssl' versions=TLSv1.2 ;;
        tls11) listen='listen 127.0.0.4:@PORT@ ssl' versions='TLSv1.1' more='ssl_ciphers DEFAULT@SECLEVEL=0;' ;;
        h2) listen='listen 127.0.0.3:@PORT@ ssl http2' ;;
        expired) age=expired ;;
        stranger) authority=stranger ;;
        as=*) names=${option#as=} ;;
        name=*) for=${option#name=} ;;
        port=*) more="listen 127.0.0.1:${option#port=} ssl;" ;;
        *) echo "web_site: no such option: $option" >&2; return 1 ;;
        esac
    done
    mkdir -p "$WEB/sites/$name"
    [ $authority = ca ] || [ -e "$WEB/$authority.pem" ] || web_authority $authority || return 1
    # One certificate serves all sites that ask for the same.
    file=$WEB/$(printf '%s' "$for.$authority$age" | tr '*' _)
    [ -e "$file.pem" ] || web_certificate "$file" "$for" $authority $age || return 1
    default=''
    [ "$name" = default.example ] && default=' default_server'
    cat >"$WEB/servers/$name" <<END
server {
    $listen$default;
    $more
    server_name $names;
    ssl_protocols $versions;
    ssl_certificate $file.pem;
    ssl_certificate_key $file.key;
    root $WEB/sites/$name;
    include $WEB/rules/$name;
}
END
    : >"$WEB/rules/$name"
}

web_rule() {
    : "${WEB:?web_new comes first}"
    printf '%s\n' "$2" >>"$WEB/rules/$1"
}

web_moved() { echo "location = $1 { return ${3-302} $2; }"; }
web_type() { echo "location = $1 { types { } default_type '$2'; }"; }
web_field() { echo "location = $1 { add_header '${2%%: *}' '${2#*: }' always; }"; }
web_soft_404() { echo 'error_page 404 =200 /index.html;'; }
web_slow() { echo "location = $1 { limit_rate 10; }"; }
web_gzip() { echo "location = $1 { gzip off; types { } default_type application/json; add_header Content-Encoding gzip; }"; }
web_zeros() { truncate -s "$2M" "$1"; }
web_bomb() { head -c "$2M" /dev/zero | gzip -9 >"$1"; }

# The configuration for port $1.
web_configuration() {
    [ "$(id -u)" = 0 ] && echo 'user root;'
    cat <<END
worker_processes 1;
pid $WEB/nginx.pid;
error_log $WEB/error.log;
worker_rlimit_nofile 8192;
events { worker_connections 4096; }
http {
    access_log $WEB/access.log;
    client_body_temp_path $WEB/tmp; proxy_temp_path $WEB/tmp; fastcgi_temp_path $WEB/tmp; uwsgi_temp_path $WEB/tmp;
    scgi_temp_path $WEB/tmp;
    types { application/json json; text/html html; text/markdown md; text/yaml yaml; application/gzip gz; application/zip zip; }
    default_type application/octet-stream;
    server_names_hash_max_size 4096;
    absolute_redirect off; # Location as written: the real port is nobody's business
    keepalive_requests 100000;
    open_file_cache max=1000;
END
    sed "s/@PORT@/$1/" "$WEB"/servers/*
    echo '}'
}

# web_start: nginx as a daemon on a port that is free.
web_start() {
    PATH=$PATH:/usr/sbin:/sbin
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        WEB_PORT=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
        WEB_PORT=$((20000 + WEB_PORT % 12000)) # below the range of ports that the kernel gives out
        web_configuration "$WEB_PORT" >"$WEB/nginx.conf"
        nginx -p "$WEB" -c "$WEB/nginx.conf" -e "$WEB/error.log" 2>"$WEB/start.log" || continue
        for _ in 1 2 3 4 5 6 7 8 9 10; do # the sockets are open already; the worker may still be starting
            [ -s "$WEB/nginx.pid" ] && return 0
            sleep 0.05
        done
    done
    echo "nginx does not start:" >&2
    cat "$WEB/start.log" >&2
    return 1
}

# Stops it and waits until it is gone.
web_stop() {
    [ -s "${WEB-}/nginx.pid" ] || return 0
    pid=$(cat "$WEB/nginx.pid")
    kill "$pid" 2>/dev/null
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.05
    done
    rm -f "$WEB/nginx.pid"
}
