#!/bin/sh
# What an installed program must do, wherever it is: tests/package/smoke.sh [PREFIX] (/usr)
set -eu
prefix=${1:-/usr}
flyball=$prefix/bin/flyball
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$flyball" --version | grep -q '^flyball [0-9]'
"$flyball" new pendulum >log
"$flyball" run pendulum.yaml --report >log
grep -q 'done as asked' log
grep -q 'Error controlled and kept' log
"$flyball" info pendulum --check >log
test -s pendulum.html
"$flyball" statics pendulum.yaml | grep -q stable
"$flyball" modes pendulum.yaml --at equilibrium | grep -q oscillating
"$flyball" explain simulate | grep -q 'error of the run'
echo "smoke: ok"
