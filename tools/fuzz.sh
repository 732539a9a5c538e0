#!/bin/bash
# Runs the fuzzers for so many seconds each: tools/fuzz.sh [BUILD [SECONDS]]. Seeds are the examples, results of two of
# them, the bad files of the tests and fuzz/expressions.txt; what they find is left in BUILD/found and fails.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build-fuzz}
seconds=${2:-20}

CC=clang cmake -S . -B "$build" -DFLYBALL_FUZZ=ON -DFLYBALL_SANITIZE=fuzzer-no-link,address,undefined \
  -DCMAKE_C_FLAGS_RELEASE="-O1 -g" >/dev/null
cmake --build "$build" --target fuzzers flyball-program -j "$(nproc)" >"$build/log" 2>&1 || {
  tail -30 "$build/log"
  exit 1
}

rm -rf "$build/seeds" "$build/found"
mkdir -p "$build/seeds/expr" "$build/seeds/model" "$build/seeds/tree" "$build/seeds/result" "$build/found"
grep -v '^#' fuzz/expressions.txt | split -l 1 - "$build/seeds/expr/line"
cp examples/*.yaml fuzz/*.yaml "$build/seeds/model"
for file in tests/io/bad/*.yaml; do
  cp "$file" "$build/seeds/model/bad-$(basename "$file")"
done
cp "$build"/seeds/model/* "$build/seeds/tree"
for name in simple-pendulum four-bar; do
  "$build/flyball" run "examples/$name.yaml" --channels energies,bodies --end 0.2 --error 1e-3 --output 0.01 \
    --out "$build/seeds/result/$name" >/dev/null
done
echo "leak:libfyaml" >"$build/suppressions" # it leaks on some quotes that are not closed

for name in expr tree model result; do
  start=$SECONDS
  longest=4096
  [ "$name" != result ] || longest=200000
  if LSAN_OPTIONS=suppressions=$build/suppressions:print_suppressions=0 "$build/fuzz/fuzz_$name" \
    -max_total_time="$seconds" -timeout=30 -rss_limit_mb=2048 -max_len=$longest -print_final_stats=1 \
    -artifact_prefix="$build/found/$name-" "$build/seeds/$name" >"$build/$name.log" 2>&1; then
    echo "fuzz_$name: $(grep -oE 'number_of_executed_units: [0-9]+' "$build/$name.log" | grep -oE '[0-9]+') inputs in \
$((SECONDS - start)) s, nothing found"
  else
    tail -40 "$build/$name.log"
    echo "fuzz_$name: FAILED; the input is in $build/found"
    exit 1
  fi
done
