#!/bin/bash
# Named cases by every method, and by the programs of bench/peers whose libraries are there: tools/peers.sh BUILD [FACTOR]
# FACTOR multiplies the precisions. Writes BUILD/bench.json, BUILD/peer-NAME-CASE.json and, for a FACTOR of 1 (the default),
# docs/performance.md; else the table to the terminal.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
factor=${2:-1}
references=$build/references.txt
files=("$build/bench.json")

# What a peer is compiled with and linked to.
command_of() {
  case $1 in
    mujoco) echo "${CC:-cc} -std=c17 -O3 -I bench/peers bench/peers/mujoco.c -lmujoco -lm" ;;
    ida)
      echo "${CC:-cc} -std=c17 -O3 -I bench/peers -I /usr/include/suitesparse bench/peers/ida.c -lsundials_ida \
-lsundials_nvecserial -lsundials_sunmatrixsparse -lsundials_sunmatrixdense -lsundials_sunlinsolklu \
-lsundials_sunlinsoldense -lm"
      ;;
    simbody)
      echo "${CXX:-c++} -std=c++11 -O3 -I bench/peers -I /usr/include/simbody bench/peers/simbody.cpp -lSimTKsimbody \
-lSimTKmath -lSimTKcommon"
      ;;
    ode) echo "${CC:-cc} -std=c17 -O3 -I bench/peers bench/peers/ode.c -lode -lm" ;;
  esac
}

[ -s "$references" ] || "$build/flyball" bench --references "$references"
"$build/flyball" bench --precision "$factor" --json "$build/bench.json"
for name in mujoco simbody ida ode; do
  read -ra words <<<"$(command_of "$name")"
  if ! "${words[@]}" -o "$build/peer-$name" 2>"$build/peer-$name.log"; then
    echo "peers: $name is not there (see $build/peer-$name.log)"
    continue
  fi
  # one thread, as ours; a case that takes minutes to find a setting for has none
  for case in $("$build/flyball" bench --list | awk '{print $1}'); do
    file=$build/peer-$name-$case.json
    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 timeout 300 taskset -c 0 "$build/peer-$name" "$references" "$factor" "$case" \
      >"$file" || echo "peers: $name finds no setting for $case in 300 s"
    if python3 -m json.tool "$file" >/dev/null 2>&1; then files+=("$file"); fi
  done
done
if [ "$factor" = 1 ]; then
  python3 tools/performance.py "${files[@]}" >"$build/performance.md"
  mv "$build/performance.md" docs/performance.md
  echo "peers: docs/performance.md"
else
  python3 tools/performance.py --table "${files[@]}"
fi
