#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# json.sh BUILD [FILE...]: the JSON reader against cJSON, on generated documents and on these files.
build=$1
shift
exec "$build/bench/bench_json" "$@"
