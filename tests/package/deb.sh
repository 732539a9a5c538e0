#!/bin/bash
# The Debian package: tests/package/deb.sh BUILD. Made, looked into, unpacked and tried.
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

# FLY_CHROOT=1: apt installs it in a bare Debian, with what it needs. Takes a minute and a network.
if [ -n "${FLY_CHROOT:-}" ]; then
  echo "deb: installed in a bare Debian"
  cat >"$scratch/hook" <<'END'
#!/bin/sh
set -eu
if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
  mkdir -p "$1/etc/ssl/certs"
  cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
fi
cp /etc/hosts "$1/etc/hosts"
chroot "$1" sh -c 'apt-get -qq install -y /tmp/*.deb >/dev/null && /tmp/smoke.sh && flyball --version'
END
  chmod 755 "$scratch/hook" "$scratch"
  apt-config dump | grep -E '^Acquire::(http|https|Retries|Check-Valid-Until|ForceIPv[46])' >"$scratch/apt.conf" || true
  mmdebstrap --quiet --variant=apt --aptopt="$scratch/apt.conf" --dpkgopt=force-unsafe-io \
    --customize-hook="copy-in $(realpath "$package") $PWD/tests/package/smoke.sh /tmp" \
    --customize-hook="$scratch/hook \"\$1\"" --format=null bookworm /dev/null
fi
echo "deb: ok"
