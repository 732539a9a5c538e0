#!/bin/bash
# The Debian package: tests/package/deb.sh BUILD. Made, looked into, unpacked and tried; where a bare Debian can be made,
# installed there with apt and tried again.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
package=$(tools/deb.sh "$build")

echo "deb: what it says and holds"
dpkg-deb --field "$package" Depends | tee "$scratch/depends"
for library in libc6 libhdf5 blas libklu libfyaml libarpack zlib1g; do
  grep -q "$library" "$scratch/depends" || { echo "deb: it does not depend on $library" >&2; exit 1; }
done
if grep flyball "$scratch/depends"; then exit 1; fi # on itself
dpkg-deb --contents "$package" >"$scratch/contents"
for file in usr/bin/flyball usr/share/man/man1/flyball.1.gz usr/share/bash-completion/completions/flyball \
  usr/share/zsh/site-functions/_flyball usr/share/doc/flyball/copyright usr/share/doc/flyball/examples/bricard.yaml; do
  grep -q " ./$file\$" "$scratch/contents" || { echo "deb: no $file" >&2; exit 1; }
done
if grep -v ' root/root ' "$scratch/contents"; then exit 1; fi

echo "deb: unpacked"
dpkg-deb -x "$package" "$scratch/root"
tests/package/smoke.sh "$scratch/root/usr"

if [ "$(id -u)" = 0 ] && command -v mmdebstrap >/dev/null && [ -n "${FLY_CHROOT:-}" ]; then
  echo "deb: installed in a bare Debian"
  mmdebstrap --quiet --variant=apt --include="$(realpath "$package")" bookworm "$scratch/chroot"
  cp tests/package/smoke.sh "$scratch/chroot/tmp/"
  chroot "$scratch/chroot" /tmp/smoke.sh
fi
echo "deb: ok"
