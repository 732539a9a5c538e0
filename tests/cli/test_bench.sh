#!/bin/bash
# flyball bench: cases, methods, its JSON, and how it compares with itself. Times are not looked at: where processor time
# is limited the clock ticks every 4 ms, and most of them are 0.
set -u
flyball=$1
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
  echo "$1"
  cat out
  failures=$((failures + 1))
}

# STATUS COMMAND... : its exit status
expect() {
  local wanted=$1 status=0
  shift
  "$flyball" "$@" >out 2>&1 || status=$?
  [ $status -eq "$wanted" ] || fail "flyball $*: status $status, not $wanted"
}

expect 0 bench --list
for name in pendulum four-bars seven-body bricard rods-10 rods-100 rods-1000 stiff; do
  grep -q "^  $name " out || fail "there is no case $name"
done
expect 0 bench pendulum stiff --methods radau,partition --repeats 1 --json a.json
grep -Eq '^pendulum +partition +[0-9.e-]+ +[0-9.e-]+ +[0-9.]' out || fail "no row of the pendulum"
python3 - <<'END' || fail "its JSON is not what it should be"
import json
results = json.load(open("a.json"))["results"]
assert [(r["case"], r["method"]) for r in results] == [
    (c, m) for c in ("pendulum", "stiff") for m in ("radau", "partition")], results
for r in results:
    assert 0 < r["error"] <= r["precision"] and r["seconds"] >= 0 and r["steps"] > 5, r
    last = r["curve"][-1]
    assert last["tolerance"] == r["tolerance"] and all(p["error"] > r["precision"] for p in r["curve"][:-1]), r
END
expect 0 bench pendulum --methods radau --repeats 1 --precision 0.01 --markdown --json b.json
grep -q '^| pendulum ' out || fail "no Markdown"
python3 -c 'import json; r = json.load(open("b.json"))["results"][0]; assert r["error"] <= 5e-7' || fail "no more precise"
sed 's/"seconds": .*/"seconds": 1e9,/' a.json >slow.json
expect 0 bench pendulum --methods radau --repeats 1 --compare slow.json --limit 1000
grep -q '<- slower' out && fail "what is faster is told to be slower"
sed 's/"seconds": .*/"seconds": 1e-9,/' a.json >fast.json
expect 1 bench stiff --methods partition --repeats 1 --compare fast.json --limit 1000
grep -q '<- slower' out || fail "what is slower is not told"
expect 2 bench pendulum --methods radau --repeats 1 --compare out
expect 2 bench nothing
grep -q "no case 'nothing'" out || fail "the wrong message"
expect 2 bench pendulum --methods nothing
grep -q "nothing" out || fail "the wrong message"
exit $((failures > 0))
