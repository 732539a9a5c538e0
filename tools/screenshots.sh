#!/bin/bash
# Makes the pictures in docs/pictures: tools/screenshots.sh [PROGRAM]. Needs Chromium.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-build/flyball}")
pictures=$PWD/docs/pictures
examples=$PWD/examples
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir -p "$pictures"

# EXAMPLE TIME OPTIONS... : runs it and draws it at that time.
picture() {
  local name=$1 time=$2
  shift 2
  "$program" run "$examples/$name.yaml" >/dev/null
  "$program" render "$name" -o "$pictures/$name.png" --time "$time" --size 960x540 "$@"
}

picture slider-crank 0.0272
picture governor 1
picture spatial-slider-crank 1
picture engine-mounts 1.3
picture bricard 1.2
"$program" run "$examples/car.yaml" --end 0.3 --error 1e-3 >/dev/null # nearer by than the whole way
"$program" render car -o "$pictures/car.png" --time 0.15 --size 960x540 --view iso
"$program" render slider-crank -o "$pictures/report.png" --time 0.0272 --size 1440x900 --page \
  --plot 'stroke|main.tz|slider.vx'
