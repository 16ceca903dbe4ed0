#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# skills.sh BUILD: one check of 1,000 and of 10,000 SKILL.md files of 4.4 kB against only reading them.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
"$1/bench/bench_skills" "$dir"
