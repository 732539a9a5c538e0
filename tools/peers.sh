#!/bin/bash
# Builds and runs the programs of bench/peers whose libraries are there: tools/peers.sh BUILD. Writes BUILD/bench.json,
# BUILD/peer-NAME.json and docs/performance.md.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
files=("$build/bench.json")
"$build/flyball" bench --json "$build/bench.json"
for source in bench/peers/*.c; do
  name=$(basename "$source" .c)
  if ! ${CC:-cc} -std=c17 -O3 -I bench/peers "$source" -o "$build/peer-$name" "-l$name" -lm 2>"$build/peer-$name.log"; then
    echo "peers: $name is not there (see $build/peer-$name.log)"
    continue
  fi
  "$build/peer-$name" >"$build/peer-$name.json"
  files+=("$build/peer-$name.json")
done
python3 tools/performance.py "${files[@]}" >docs/performance.md
echo "peers: docs/performance.md"
