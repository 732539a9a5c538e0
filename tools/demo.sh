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
