#!/bin/bash
# SUNDIALS IDA without its hundred packages, to check the method bdf: what the build needs of Debian's own packages,
# unpacked into a folder and installed nowhere. tools/sundials.sh FOLDER; then cmake -DCMAKE_PREFIX_PATH=FOLDER/usr.
# Ends with status 3 where packages cannot be had.
set -euo pipefail
folder=${1:?usage: tools/sundials.sh FOLDER}

mkdir -p "$folder/packages"
folder=$(cd "$folder" && pwd)
cd "$folder/packages"
if ! ls ./*.deb >/dev/null 2>&1 &&
  ! apt-get -qq download libsundials-dev libsundials-ida6 libsundials-nvecserial6 libsundials-sunmatrix4 \
    libsundials-sunlinsol3 >/dev/null 2>&1; then
  echo "SUNDIALS: its Debian packages cannot be had here" >&2
  exit 3
fi
for package in ./*.deb; do
  dpkg -x "$package" "$folder"
done
# Debian keeps the libraries where only its own compiler looks.
cp -P "$folder"/usr/lib/*/libsundials_* "$folder/usr/lib/"
