#!/bin/bash
# A Debian package of what is built: tools/deb.sh BUILD. Writes BUILD/flyball_VERSION_ARCHITECTURE.deb and says so.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/debian/flyball # where dpkg-shlibdeps looks for libraries of the package itself
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
architecture=$(dpkg --print-architecture)

DESTDIR=$root cmake --install "$build" --prefix /usr >/dev/null
library=$(find "$root/usr/lib" -name 'libflyball.so.*' -type f)
program=$root/usr/bin/flyball
strip --strip-unneeded "$library" "$program"
gzip -9n "$root/usr/share/man/man1/flyball.1"
mkdir -p "$root/usr/share/doc/flyball" "$root/DEBIAN"
cp -r examples "$root/usr/share/doc/flyball/"
gzip -9nc CHANGELOG.md >"$root/usr/share/doc/flyball/changelog.gz"
cp LICENSE "$root/usr/share/doc/flyball/copyright"
chmod -R u=rwX,go=rX "$root"

# Which packages hold the libraries, and from which version on. The package's own library is no dependency. What is
# loaded only when it is needed is linked into a library that nobody installs, so that it is asked for as well.
xargs -a "$build/late.txt" "${CC:-cc}" -shared -o "$scratch/late.so" -x c /dev/null -x none -Wl,--no-as-needed
printf 'Source: flyball\n\nPackage: flyball\nArchitecture: any\n' >"$scratch/debian/control"
depends=$(cd "$scratch" && dpkg-shlibdeps -O --ignore-missing-info -l"$(dirname "$library")" "$program" "$library" late.so 2>/dev/null |
  sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { echo "deb.sh: dpkg-shlibdeps found no dependencies" >&2; exit 1; }

cat >"$root/DEBIAN/control" <<END
Package: flyball
Version: $version
Architecture: $architecture
Section: science
Priority: optional
Maintainer: The authors of Flyball <flyball@localhost>
Installed-Size: $(du -k -s "$root/usr" | cut -f 1)
Depends: $depends
Recommends: libopenblas0-pthread
Suggests: chromium, ffmpeg, bash-completion
Description: multibody dynamics with an error control that holds
 Simulates constrained mechanical systems from model files, to the error asked
 for, and certifies every run. With the library and its headers, the manual
 page, completion for bash and zsh, and examples.
END
echo "activate-noawait ldconfig" >"$root/DEBIAN/triggers"
package=$build/flyball_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "${package#"$PWD"/}"
