# labels: slow
# timeout: 600
# Every line of tutorial and manual that starts with `$`, in order, with the exit status it announces. Lines marked
# `# needs ...` and `# minutes` are left out.
set -u
program=$1
source=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$(realpath "$program")" "$scratch/bin/flyball"
PATH=$scratch/bin:$PATH
failures=0

try() { # try PAGE LINE
  local wanted=0 status=0
  case "$2" in
    *"# needs "* | *"# minutes"*) return ;;
    *"# exit "*) wanted=${2##*# exit } ;;
  esac
  # In this shell: a tutorial changes folders.
  eval "$2" >"$scratch/log" 2>&1 </dev/null || status=$?
  [ "$status" -eq "$wanted" ] && return
  echo "$1: '$2' ended with $status, not $wanted:"
  tail -n 5 "$scratch/log"
  failures=$((failures + 1))
}

for page in tutorial manual; do
  mkdir "$scratch/$page"
  cd "$scratch/$page" || exit 1
  ln -s "$source/examples" examples
  lines=0
  while IFS= read -r line; do
    try "$page" "$line"
    lines=$((lines + 1))
  done < <(sed -n 's/^    \$ //p' "$source/docs/$page.md")
  [ "$lines" -gt 15 ] || { echo "docs/$page.md has $lines lines to try"; failures=$((failures + 1)); }
done

# Links of contents lead to headings, and every heading is in the contents.
for page in tutorial manual reference; do
  sed -n 's/^##* //p' "$source/docs/$page.md" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9\n-' |
    awk '{ n = seen[$0]++; print n ? $0 "-" n : $0 }' | sort >"$scratch/headings"
  grep -oE '\]\(#[^)]*\)' "$source/docs/$page.md" | sed 's/](#//; s/)//' | sort -u >"$scratch/links"
  if comm -13 "$scratch/headings" "$scratch/links" | grep .; then
    echo "docs/$page.md links to the headings above, which it does not have"
    failures=$((failures + 1))
  fi
done
sed -n 's/^## //p' "$source/docs/manual.md" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9\n-' | sort >"$scratch/headings"
grep -oE '^[0-9]+\. \[.*\]\(#[^)]*\)' "$source/docs/manual.md" | sed 's/.*(#//; s/)//' | sort >"$scratch/links"
diff "$scratch/headings" "$scratch/links" || failures=$((failures + 1))

[ "$failures" -eq 0 ]
