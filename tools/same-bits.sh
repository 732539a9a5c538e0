#!/bin/bash
# The same run gives the same bits in every process, with the kernels of other processors, and wherever the stack and the
# heap begin: tools/same-bits.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
model=$(dirname "$0")/../examples/n-four-bar.yaml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# NAME METHOD, with the environment it is given: 40 windows of bars, to 1e-7.
run() {
  "$program" run "$model" --set N=40 --error 1e-7 --end 0.2 --output 0.01 --method "$2" --calibrate no \
    --estimate-error no --csv -o "$folder/$1" >/dev/null
}

for method in auto ch radau partition; do
  run first "$method"
  for core in Haswell Sandybridge Prescott; do
    OPENBLAS_CORETYPE=$core run other "$method"
    cmp "$folder/first.csv" "$folder/other.csv"
  done
  for padding in 1 100 5000; do
    PADDING=$(head -c "$padding" /dev/zero | tr '\0' x) MALLOC_TOP_PAD_=$((padding * 16)) run other "$method"
    cmp "$folder/first.csv" "$folder/other.csv"
  done
  echo "$method: the same $(wc -c <"$folder/first.csv") bytes in seven processes"
done
