#!/bin/sh
# The demonstration: the seven-body mechanism, simulated to a tolerance that means something.
# Shows a table of the motion, the solver's statistics, the certificate of the run and a plot.
set -eu
flyball=${1:-build/flyball}

show() {
  echo
  echo "\$ $*"
  "$@"
}

show "$flyball" problem seven-body --error 1e-6 --output 0.003 --stats --plot

# And a mechanism from a model file: what it is, how it moves, where to look.
results=$(dirname "$flyball")/demo
mkdir -p "$results"
show "$flyball" check examples/bricard.yaml
show "$flyball" run examples/bricard.yaml --error 1e-5 --out "$results/bricard" --report
show "$flyball" plot "$results/bricard" rod2.x rod2.y
echo
echo "Open $results/bricard.html in a browser: the mechanism moving, its plots, its certificate."
echo "Numbers: $results/bricard.h5. Models: examples/. The manual: docs/manual.md."
