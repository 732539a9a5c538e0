# flyball verify: names, verdicts, exit status, JSON, and the page with its plots.
# timeout: 600
set -u
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

expect() { # expect STATUS PATTERN ARGUMENTS...: the exit status, and a line of the output
  local status=$1 pattern=$2 found
  shift 2
  "$program" verify "$@" >"$scratch/out" 2>&1
  found=$?
  if [ "$found" -ne "$status" ] || ! grep -q -- "$pattern" "$scratch/out"; then
    echo "flyball verify $*: exit status $found, not $status, or no line with '$pattern':"
    tail -n 20 "$scratch/out"
    failures=$((failures + 1))
  fi
}

expect 0 '^  newmark-2 ' --list
expect 0 'usage: flyball verify' --help
expect 2 'did you mean newmark-1' newmrk-1
expect 2 'leave the names out' newmark-1 --docs

expect 0 '1 of 1 checks passed' newmark-1
expect 0 'PASS  Table 2' newmark-2
expect 0 'PASS  Table 3' newmark-3
expect 0 'step change none: order in q' sequence
expect 0 'GGL, scaled' condition
expect 0 'jacobians per accepted step' cost
expect 0 'updated (29): order in x' mechatronic
expect 0 'grows before it is damped' pendulum-lambda
expect 0 'radius at infinity' stability
expect 0 'overshoot of CH over that of HHT' overshoot
expect 0 'printed weight: smallest deviation' rivals --quick
expect 0 'a window longer than the run is refused' soft --quick
expect 0 'partition: largest error over its estimate' promise --quick

# In pieces: cells that were measured are kept, and what is kept is not measured again.
expect 0 'radau: 7 cells say ok' promise --only 'oscillator damped' --keep "$scratch/cells"
cp "$scratch/out" "$scratch/measured"
sed -i 's/^radau, oscillator damped, 1e-03\t[^\t]*/radau, oscillator damped, 1e-03\tkept/' "$scratch/cells"
expect 0 'oscillator damped *kept' promise --only 'oscillator damped' --keep "$scratch/cells"
for from in measured out; do grep 'errors of channels' "$scratch/$from" | grep -v flyball: >"$scratch/$from.lines"; done
cmp "$scratch/measured.lines" "$scratch/out.lines" || { echo "kept cells add up to something else"; failures=$((failures + 1)); }

expect 0 '"passed": true' newmark-2 stability --json
if command -v python3 >/dev/null && ! python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$scratch/out"; then
  echo "flyball verify --json: not JSON"
  failures=$((failures + 1))
fi

expect 0 '8 of 8 checks passed' newmark-2 newmark-1 stability --docs --folder "$scratch/docs"
grep -q '| 2^-11 |' "$scratch/docs/verification.md" || { echo "no table on the page"; failures=$((failures + 1)); }
if command -v gnuplot >/dev/null; then
  grep -q '</svg>' "$scratch/docs/figures/stability.svg" || { echo "no plot"; failures=$((failures + 1)); }
else
  grep -q 'stability is missing' "$scratch/docs/verification.md" || { echo "no note"; failures=$((failures + 1)); }
fi

[ "$failures" -eq 0 ]
