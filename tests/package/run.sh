#!/bin/bash
# The installed package, used as strangers use it: tests/package/run.sh BUILD
set -euo pipefail
build=$(realpath "${1:-build}")
here=$(realpath "$(dirname "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Installed, then moved: nothing may remember where it was.
cmake --install "$build" --prefix "$scratch/staged" >/dev/null
mv "$scratch/staged" "$scratch/prefix"
prefix=$scratch/prefix
library=$(find "$prefix" -name 'libflyball.so')
libdir=$(dirname "$library")

echo "package: every public function is exported, and nothing else"
sed 's://.*::' "$prefix"/include/flyball/*.h | grep -oE '\bfly_[a-z0-9_]+\(' | tr -d '(' | grep -v -E '_fn$|^fly_sink$' | sort -u >"$scratch/declared"
nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$scratch/exported"
diff "$scratch/declared" "$scratch/exported"

echo "package: pkg-config"
export PKG_CONFIG_PATH=$libdir/pkgconfig
version=$(pkg-config --modversion flyball)
# shellcheck disable=SC2046 # flags are words
"${CC:-cc}" -std=c17 "$here/client.c" $(pkg-config --cflags --libs flyball) -lm -o "$scratch/client"
LD_LIBRARY_PATH=$libdir "$scratch/client" "$version"

if command -v c++ >/dev/null; then
  echo "package: headers as C++"
  for header in "$prefix"/include/flyball/*.h; do
    c++ -x c++ -Wall -Wextra -Werror -fsyntax-only -I "$prefix/include" "$header"
  done
fi

echo "package: find_package"
cmake -S "$here" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$scratch/cmake" --target client >/dev/null
cmake --build "$scratch/cmake" --target run | grep '^t '

echo "package: the installed program"
LD_LIBRARY_PATH='' "$prefix/bin/flyball" --version
LD_LIBRARY_PATH='' "$here/smoke.sh" "$prefix"

echo "package: manual page and completion"
grep -q '^\.SS run' "$prefix/share/man/man1/flyball.1"
if command -v groff >/dev/null; then
  groff -man -Tutf8 -ww "$prefix/share/man/man1/flyball.1" 2>"$scratch/groff" >/dev/null
  [ ! -s "$scratch/groff" ] || { cat "$scratch/groff" >&2; exit 1; }
fi
# COMPLETES LINE WORD: what bash would offer for the last word of LINE has WORD.
completes() {
  local line=$1
  # shellcheck disable=SC2034 # read by _flyball
  read -ra COMP_WORDS <<<"$line"
  case $line in *" ") COMP_WORDS+=("") ;; esac
  COMP_WORDS[0]=$prefix/bin/flyball
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _flyball
  printf '%s\n' "${COMPREPLY[@]}" | grep -qx -- "$2" || { echo "'$line' does not offer $2" >&2; exit 1; }
}
# shellcheck source=/dev/null
. "$prefix/share/bash-completion/completions/flyball"
completes "flyball ki" kinematics
completes "flyball run --err" --error-per
completes "flyball run x.yaml --method ra" radau
completes "flyball explain revolute-" revolute-spherical
completes "flyball problem seven-body-" seven-body-cartesian
(
  cd "$scratch"
  "$prefix/bin/flyball" new swing >/dev/null
  "$prefix/bin/flyball" run swing.yaml --end 0.1 >/dev/null
  completes "flyball plot swing bar.v" bar.vx
)
if command -v zsh >/dev/null; then zsh -n "$prefix/share/zsh/site-functions/_flyball"; fi
echo "package: ok"
