#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# growth.sh BUILD: how the cost of judging grows with documents made of what could cost most.
exec "$1/bench/bench_growth"
