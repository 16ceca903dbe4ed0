#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# client_sites.sh start|stop FOLDER: the sites of tests/unit/test_client.c. `start` prints the port, or what is missing.
set -u
. "$(dirname "$0")/nginx.sh"

fill() {
    web_new "$WEB" || return 1
    web_site shop.example || return 1
    web_site www.shop.example
    web_site old.example tls12
    web_site new.example h2
    web_site ancient.example tls11
    web_site expired.example expired
    web_site stranger.example stranger
    web_site wrong.example name=other.example
    web_site any.crawl.test 'name=*.crawl.test' as=.crawl.test
    printf '{"host": "any"}\n' >"$WEB/sites/any.crawl.test/poppy.json"
    shop=$WEB/sites/shop.example
    printf '{"a": 1}\n' >"$shop/poppy.json"
    cp "$shop/poppy.json" "$WEB/sites/www.shop.example/"
    cp "$shop/poppy.json" "$WEB/sites/old.example/"
    cp "$shop/poppy.json" "$WEB/sites/new.example/"
    web_zeros "$shop/endless" 2048
    web_bomb "$shop/bomb" 64
    web_zeros "$shop/slow" 1
    yes '{"some": "text to compress"}' | head -n 400 >"$shop/plain.json"
    gzip -9 <"$shop/plain.json" >"$shop/whole.gz"
    head -c 60 "$shop/whole.gz" >"$shop/cut.gz"
    { cat "$shop/whole.gz"; echo junk; } >"$shop/junk.gz"
    { cat "$shop/whole.gz"; cat "$shop/whole.gz"; } >"$shop/twice.gz"
    for name in bomb whole.gz cut.gz junk.gz twice.gz; do
        web_rule shop.example "$(web_gzip /$name)"
    done
    web_rule shop.example 'location = /br { types { } default_type text/plain; return 200 "no brotli"; add_header Content-Encoding br; }'
    web_rule shop.example "$(web_slow /slow)"
    web_rule shop.example "$(web_moved /other https://www.shop.example/poppy.json 301)"
    web_rule shop.example "$(web_moved /http http://shop.example/poppy.json)"
    web_rule shop.example "$(web_moved /inside https://inside.example/poppy.json)"
    web_rule shop.example "$(web_moved /loop /loop2)"
    web_rule shop.example "$(web_moved /loop2 /loop)"
    web_rule shop.example 'location ~ ^/six/([0-9])$ { return 302 /six/$1x; }'
    web_rule shop.example 'location ~ ^/six/([0-9])(x+)$ { return 302 /six/$1x$2; }'
    web_rule shop.example 'location = /echo { types { } default_type text/plain; return 200 "$request_method|$http_user_agent|$http_accept|$http_accept_encoding|$http_cookie|$http_authorization|$http_referer|$http_x_extra|$content_type|$http_expect|$request_uri"; }'
    web_rule shop.example "$(web_moved /away https://www.shop.example/echo)"
    web_rule www.shop.example 'location = /echo { types { } default_type text/plain; return 200 "$http_x_extra|$http_referer"; }'
}

case $1 in
start)
    missing=$(web_missing)
    [ -z "$missing" ] || { echo "missing:" $missing; exit 0; }
    WEB=$2
    fill && web_start || exit 1
    echo "$WEB_PORT"
    ;;
stop)
    WEB=$2
    web_stop
    ;;
esac
