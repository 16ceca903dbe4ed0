# SPDX-License-Identifier: Apache-2.0
# installed.sh BUILD COMPILER...: what `make install` puts below DESTDIR is enough for somebody else's program: papaver.pc
# finds the headers and the library, and the program that was installed runs.
set -eu
build=$1
shift
command -v pkg-config >/dev/null || { echo "skipped: pkg-config is missing"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
DESTDIR="$dir" meson install -C "$build" --no-rebuild --quiet >/dev/null

pc=$(find "$dir" -name papaver.pc)
export PKG_CONFIG_LIBDIR="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$dir"
cat >"$dir/count.c" <<'END'
#include <papaver/check.h>
#include <papaver/config.h>
#include <stdio.h>
int main(void)
{
    printf("%zu\n", pap_rule_count());
    return 0;
}
END
"$@" -o "$dir/count" "$dir/count.c" $(pkg-config --cflags --libs papaver)
libraries=$(dirname "$(find "$dir" -name libpapaver.so)")
count=$(LD_LIBRARY_PATH="$libraries" "$dir/count")
[ "$count" -gt 100 ] || { echo "the library knows $count rules"; exit 1; }
[ "$(pkg-config --modversion papaver)" = "$("$(find "$dir" -path '*/bin/papaver')" version | cut -d' ' -f2)" ]
for page in papaver papaver-check papaver-explain; do
    [ -s "$(find "$dir" -name "$page.1")" ] || { echo "no manual page $page"; exit 1; }
done
echo "$count rules by way of papaver.pc"
