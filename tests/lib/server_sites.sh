#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# server_sites.sh start|stop FOLDER: what tests/unit/test_server.c compares our server with, and its certificates:
# FOLDER/{ca,one.example,two.example}.pem and .key, and nginx answering /hello over plain HTTP. `start` prints nginx's port,
# or what is missing.
set -u
. "$(dirname "$0")/nginx.sh"
WEB=$2
case $1 in
start)
    missing=$(web_missing; command -v curl >/dev/null || echo curl)
    [ -z "$missing" ] || { echo "missing:" $missing; exit 0; }
    web_new "$WEB" || exit 1
    web_certificate "$WEB/one.example" one.example ca && web_certificate "$WEB/two.example" '*.two.example' ca || exit 1
    plain=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
    plain=$((20000 + plain % 12000))
    web_rule default.example "listen 127.0.0.1:$plain; location = /hello { return 200 hello; }"
    web_start && echo "$plain"
    ;;
stop)
    web_stop
    ;;
esac
