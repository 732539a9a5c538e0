# The program and its library take nothing from the current folder, and are built so that a mistake with memory ends in a
# signal: what readelf shows of them.
set -u
program=$1
library=$(dirname "$program")/libflyball.so
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

fail() {
  echo "$1"
  failures=$((failures + 1))
}

# Every element of the search path begins at / or at the place of the file.
check_path() {
  local file=$1 path element
  path=$(readelf -d "$file" | sed -n 's/.*\(RUNPATH\|RPATH\).*\[\(.*\)\]/\2/p')
  case ":$path:" in
    ::) return ;;
    *::*) fail "$file looks for libraries in the current folder: '$path'" ;;
  esac
  for element in ${path//:/ }; do
    case $element in
      /* | \$ORIGIN*) ;;
      *) fail "$file looks for libraries in '$element'" ;;
    esac
  done
}

check_file() {
  local file=$1
  check_path "$file"
  readelf -hW "$file" | grep -q 'Type: *DYN' || fail "$file is not position independent"
  readelf -lW "$file" | grep -q GNU_RELRO || fail "$file has no RELRO"
  readelf -dW "$file" | grep -q 'BIND_NOW\|Flags:.* NOW' || fail "$file binds functions late: RELRO is not full"
  readelf -lW "$file" | grep 'GNU_STACK' | grep -q 'RWE' && fail "$file has an executable stack"
  readelf -sW "$file" | grep -q '__stack_chk_fail' || fail "$file has no stack protector"
  readelf -sW "$file" | grep -q '__asan_init' && return # where copies are watched anyway
  [ "${CHECKING:-}" = 1 ] || readelf -sW "$file" | grep -q '__[a-z]*printf_chk' || fail "$file is without _FORTIFY_SOURCE"
}

# A build for checking is not optimized as that for users is.
grep -q 'CMAKE_C_FLAGS_RELEASE:STRING=-O3' "$(dirname "$program")/CMakeCache.txt" 2>/dev/null || CHECKING=1
grep -q -- -fstack-clash-protection "$(dirname "$program")/compile_commands.json" || fail "no stack clash protection"
check_file "$program"
check_file "$library"

# A library of the current folder is not taken.
cd "$scratch" || exit 1
echo "not a library" >libm.so.6
cp libm.so.6 libc.so.6
"$program" --version >out 2>&1 || fail "in a folder with a libm.so.6 of its own: $(cat out)"

exit $((failures > 0))
