#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples.sh FOR_MODEL ORIGINS HOOKS INSTALL MCP_SERVER: the examples do what their first lines say, with a folder as the origin.
set -eu
for_model=$1 origins=$2 hooks=$3 install=$4 mcp_server=$5
case $install in /*) ;; *) install=$(pwd)/$install ;; esac
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
(cd "$dir" && "$install" ./skills/ water-plants) >"$dir/out"
grep -q '^water-plants sha256:' "$dir/out"
grep -q '^all as the lock says$' "$dir/out"
grep -q '^Gently\.$' "$dir/.claude/skills/water-plants/SKILL.md"
echo mine >"$dir/.agents/skills/water-plants/SKILL.md"
! (cd "$dir" && "$install" ./skills/ water-plants) 2>"$dir/err"
grep -q '^lock_mismatch: ' "$dir/err"

echo '{"jsonrpc":"2.0","id":1,"method":"skills/list"}' | "$mcp_server" "$dir/skills/" >"$dir/out"
grep -q '"uri":"skill://shop/returns/SKILL.md"' "$dir/out"
echo "the examples do what they say"
