#!/bin/bash
# A limit of memory that leaves OpenBLAS no buffer: every command ends, with its answer or with a sentence. It waited
# for ever, at exit at the latest.
set -euo pipefail
flyball=$1
source=$2
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# Sanitizers need more addresses than any limit gives.
(ulimit -v 1000000 && "$flyball" --version >/dev/null 2>&1) || exit 0

# KILOBYTES COMMAND... : its status; 124: it did not end
limited() {
  local limit=$1 status=0
  shift
  (ulimit -v "$limit" && OPENBLAS_NUM_THREADS=2 timeout 100 "$flyball" "$@" >"$folder/out" 2>&1) || status=$?
  if [ $status -ge 124 ] && [ $status -ne 127 ]; then
    echo "flyball $* with $limit kB of memory: status $status" >&2
    cat "$folder/out" >&2
    exit 1
  fi
}

for limit in 120000 180000 220000 350000; do
  limited $limit --version
  limited $limit run "$source/examples/four-bar.yaml" --end 0.1 --out "$folder/run"
  limited $limit modes "$source/examples/hanging-chain.yaml" --at equilibrium
  limited $limit statics "$source/examples/hanging-chain.yaml" --by energy --out "$folder/statics"
done
