#!/bin/bash
# Libraries that take long to load, and that few commands need, are loaded by those commands; one that is missing is told.
set -u
flyball=$1
source=$2
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
failures=0

fail() {
  echo "$1"
  failures=$((failures + 1))
}

late='libhdf5|libcurl|lapack|blas|libarpack'
if readelf -d "$flyball" "$(dirname "$flyball")/libflyball.so" | grep NEEDED | grep -E "$late"; then
  fail "the libraries above are loaded with the program"
fi

# loads COMMAND... : which of them a command loads
loads() {
  LD_DEBUG=files LD_DEBUG_OUTPUT="$folder/debug" "$flyball" "$@" >"$folder/out" 2>&1 || fail "flyball $*: $(cat "$folder/out")"
  cat "$folder"/debug.* | grep 'calling init' | grep -oE "$late" | sort -u
  rm "$folder"/debug.*
}
case $(loads --version; loads check "$source/examples/bricard.yaml"; loads explain revolute) in
  "") ;;
  *) fail "they are loaded by commands that do not need them" ;;
esac
loads run "$source/examples/four-bar.yaml" --end 0.01 --out "$folder/run" | grep -q hdf5 || fail "a run is written without HDF5"
loads info "$folder/run.h5" | grep -q . && fail "results are read by libraries"

# One that is damaged comes before the good one in the search.
hdf5=$(strings -a "$(dirname "$flyball")/libflyball.so" | grep -E '^libhdf5.*so\.')
mkdir "$folder/bad"
echo "not a library" | tee "$folder/bad/$hdf5" >"$folder/bad/liblapack.so.3"
without() {
  LD_LIBRARY_PATH="$folder/bad" "$flyball" "$@" >"$folder/out" 2>&1 && fail "flyball $* does without its library"
}
without run "$source/examples/four-bar.yaml" --end 0.01 --out "$folder/none"
grep -q "The library $hdf5 cannot be loaded: .*Results are written with HDF5" "$folder/out" || fail "$(cat "$folder/out")"
if compgen -G "$folder/none*"; then fail "a result that could not be created left the above"; fi
without modes "$source/examples/four-bar.yaml" --anyway
grep -q "The library liblapack.so.3 cannot be loaded: .*apt-get install" "$folder/out" || fail "$(cat "$folder/out")"

exit $((failures > 0))
