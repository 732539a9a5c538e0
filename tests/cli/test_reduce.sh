# A block of tetrahedra from mesh to stress: held at one end and loaded at the other, it bends and is stressed as a beam
# is; from Gmsh's format and from matrices the same body comes; CalculiX, where it is installed, finds its frequencies.
set -u
program=$(realpath "$1")
source=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0

fail() {
  echo "$1"
  failures=$((failures + 1))
}

# near WHAT VALUE WANTED RELATIVE
near() {
  awk -v x="$2" -v y="$3" -v e="$4" 'BEGIN { d = x/y - 1; exit !(d < e && d > -e) }' || fail "$1: $2, not $3"
}

box="$source/tools/mesh_box.py"
python3 "$box" 0.4 0.05 0.03 --cells 10 2 1 >box.inp || exit 1
python3 "$box" 0.4 0.05 0.03 --cells 10 2 1 --gmsh >box.msh
"$program" reduce box.inp --interface root=set:LEFT --interface tip=set:RIGHT --modes 10 --json >inp.json || exit 1
"$program" reduce box.msh --youngs-modulus 2.1e11 --poisson-ratio 0.3 --density 7850 --interface root=set:LEFT \
  --interface tip=set:RIGHT --modes 10 --out gmsh.h5 --json >msh.json || exit 1

first() { python3 -c "import json; print(repr(json.load(open('$1'))['frequencies'][0]))"; }
near "first frequency of both formats" "$(first inp.json)" "$(first msh.json)" 1e-9

cat >model.yaml <<'END'
flyball: 1
bodies:
  bar: {type: flexible, file: box.h5, position: [0, -0.025, -0.015], markers: {root: {node: root}, tip: {node: tip}}}
joints: {clamp: {type: fixed, from: ground, to: bar.root}}
forces: {load: {type: force, at: bar.tip, force: [0, 0, -100]}}
outputs: {sag: "dz(bar.tip, ground)"}
simulate: {end: 0.001}
END
"$program" statics model.yaml --out rest >/dev/null || fail "statics"
"$program" modes model.yaml --at equilibrium >modes.txt || fail "modes"
slowest=$(awk '$1 == 1 && NF > 4 { print $2; exit }' modes.txt)
near "first frequency of the cantilever" "$slowest" 156.66 0.02
"$program" stress rest.h5 bar box.h5 --spots 1 --json >stress.json || fail "stress"
peak=$(python3 -c "import json; print(json.load(open('stress.json'))['spots'][0]['von_mises'])")
near "stress at the root" "$peak" 5333333 0.15
"$program" stress rest.h5 bar box.h5 --contour shown >/dev/null && "$program" info shown.h5 >shown.txt && grep -q stress.json shown.txt || fail "a contour"
"$program" report shown.h5 --out shown.html >/dev/null && grep -q '"mises":' shown.html || fail "a contour in the page"

"$program" kinematics model.yaml --out stiff >log 2>&1 && grep -q "\`bar\` is stiff here" log || fail "kinematics of a body that deforms"

# What cannot be done is told, with the status of bad input.
"$program" reduce box.inp --interface a=99999 >log 2>&1
[ $? -eq 2 ] && grep -q "no node 99999" log || fail "a node that is not there"
"$program" reduce box.inp --interface a >log 2>&1
[ $? -eq 2 ] || fail "an interface without a place"
"$program" stress rest.h5 bar model.yaml >log 2>&1
[ $? -eq 2 ] || fail "a file that is none"

if command -v ccx >/dev/null; then
  { cat box.inp && printf '*STEP\n*FREQUENCY\n12\n*END STEP\n'; } >free.inp
  ccx free >/dev/null 2>&1
  theirs=$(awk '/E I G E N/ { on = 1 } on && $1 == 7 { print $4; exit }' free.dat)
  "$program" reduce box.inp --modes 6 --out free.h5 --json >free.json
  near "CalculiX's first frequency" "$(first free.json)" "$theirs" 1e-3
else
  echo "CalculiX is not installed: its frequencies are not compared"
fi
exit "$failures"
