#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples.sh FOR_MODEL ORIGINS HOOKS: the examples do what their first lines say, with a folder as the origin.
set -eu
for_model=$1 origins=$2 hooks=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/skills/water-plants" "$dir/skills/returns"
printf -- '---\nname: water-plants\ndescription: Waters the plants of a shop.\n---\n\nGently.\n' >"$dir/skills/water-plants/SKILL.md"
printf -- '---\nname: returns\ndescription: Sends an order back.\n---\n\nAsk first.\n' >"$dir/skills/returns/SKILL.md"

"$for_model" "$dir/skills/" send an order >"$dir/out"
grep -q '^Ask first\.$' "$dir/out"
grep -q 'not the words of the person' "$dir/out"
! grep -q Gently "$dir/out"
! "$for_model" "$dir/skills/" nothing fits here 2>/dev/null

SKILL_CACHE="$dir/cache" "$origins" "$dir/skills" ./none/ >"$dir/out"
grep -q '	water-plants	Waters the plants of a shop\.$' "$dir/out"
grep -q '^./none/	origin_unavailable	' "$dir/out"

"$hooks" >"$dir/out"
grep -q '^Remote-Skills-Scope: staff$' "$dir/out"
grep -q '^Authorization: Bearer from-a-key-ring$' "$dir/out"
grep -q '^catalog_invalid: ' "$dir/out"
echo "the examples do what they say"
