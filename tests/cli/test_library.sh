# labels: slow
# The complete programs of docs/library.md are compiled against the library as a user would, and run.
set -u
program=$1
source=$(realpath "$2")
build=$(dirname "$(realpath "$program")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0

# Blocks of C that have a main function.
awk '/^```c$/ { inside = 1; n++; file = "program" n ".c"; next }
     /^```$/ { inside = 0; next }
     inside { print > file }' "$source/docs/library.md"
found=0
for file in program*.c; do
  grep -q '^int main' "$file" || continue
  found=$((found + 1))
  if ! ${CC:-cc} -std=c17 -Wall -Wextra -Werror -I "$source/include" "$file" -o "${file%.c}" -L "$build" -lflyball -lm \
    -Wl,-rpath,"$build" >log 2>&1; then
    echo "$file does not compile:"
    head -n 20 log
    failures=$((failures + 1))
  elif ! "./${file%.c}" >log 2>&1; then
    echo "$file ended with $?:"
    cat log
    failures=$((failures + 1))
  else
    cat log
  fi
done
[ "$found" -ge 3 ] || { echo "docs/library.md has $found complete programs"; failures=$((failures + 1)); }
exit $((failures > 0))
