#!/bin/bash
# flyball bench: cases, methods, its JSON, and how it compares with itself. Times are not looked at: where processor time
# is limited the clock ticks every 4 ms. Files to compare with are crafted.
# timeout: 900
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

# --------------------------------------------------------------------------------- what is refused

# STATUS PATTERN COMMAND... : so it ends, and says so
says() {
  local pattern=$2
  expect "$1" "${@:3}"
  grep -q -- "$pattern" out || fail "flyball ${*:3}: does not say '$pattern'"
}

# PATTERN COMMAND... : before anything is measured
refuse() {
  says 2 "$@"
  ! grep -q '^case' out || fail "flyball ${*:2}: measured before it was refused"
}

# FILE PATTERN : as a baseline
refuse_file() { refuse "$2" bench pendulum --methods radau --repeats 1 --compare "$1"; }

refuse "did you mean pendulum" bench pendulm
refuse "names no method" bench --methods ' ,'
refuse "unknown method 'nothing'" bench pendulum --methods radau,nothing
refuse "at most 16 methods" bench --methods a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q
refuse "no method 'aaaaaaa" bench --methods "$(printf 'a%.0s' {1..600})"
refuse "so --whole has no use" bench stiff --references r --whole
refuse "so --json has no use" bench --list --json r
refuse "so --references has no use" bench --list --references r
refuse "belongs to --compare" bench pendulum --limit 2

# Paths are looked at first, and nothing is touched.
refuse "missing.json: there is no such file" bench pendulum --compare missing.json
refuse "missing.json: there is no such file" bench pendulum --compare missing.json --json missing.json
refuse "a folder, not a file" bench pendulum --compare .
refuse "there is no folder 'missing'" bench pendulum --json missing/a.json
refuse "cannot write ." bench pendulum --json .
refuse "is empty" bench pendulum --json ''
refuse "there is no folder 'missing'" bench stiff --references missing/r
refuse "'a.json' is a file, not a folder" bench pendulum --json a.json/b
says 1 "cannot write /dev/full" bench pendulum --methods radau --repeats 1 --json /dev/full
if [ "$(id -u)" -ne 0 ]; then
  mkdir closed && chmod a-w closed
  refuse "you may not write in the folder 'closed'" bench pendulum --json closed/a.json
  cp a.json shut.json && chmod a-w shut.json
  refuse "cannot write shut.json" bench pendulum --json shut.json
fi

# Files that are damaged, or another's.
head -c 500 a.json >cut.json
refuse_file cut.json "cut.json: line 22: the file ends in the middle"
{ cat a.json && echo more; } >more.json
refuse_file more.json "not JSON ('more')"
: >empty.json
refuse_file empty.json "it is empty"
printf '{"bench": 1}\0' >zero.json
refuse_file zero.json "it is no text"
refuse_file /dev/zero "far too large"
echo '{"a": 1}' >other.json
refuse_file other.json 'it has no "bench"'
echo '{"bench": 2}' >later.json
refuse_file later.json '"bench" is not 1'
echo '{"bench": 1, "program": "flyball", "version": "0"}' >listless.json
refuse_file listless.json "no list of results"
echo '{"bench": 1, "results": []}' >nameless.json
refuse_file nameless.json "which program and version"
for bad in '{"a": 01}' '{"a": 1.}' '{"a": 1e}' '{"a": .5}' '{"a" 1}' '{"a": 1,}' '[1 2]' '"\x"' '"\u00g0"' '{1: 2}' 'nul' \
  "$(printf '[%.0s' {1..101})$(printf ']%.0s' {1..101})" "\"$(printf '\t')\""; do
  echo "$bad" >bad.json
  refuse_file bad.json "not JSON"
done
for bad in 0 -1 1e999 true '"1"' '[1]'; do
  sed "s/\"seconds\": .*/\"seconds\": $bad,/" a.json >bad.json
  refuse_file bad.json "bad.json: the seconds of pendulum, radau are not a number above 0"
done
sed 's/"seconds": .*/"seconds": nan,/' a.json >bad.json
refuse_file bad.json "not JSON"
sed '/"seconds"/d' a.json >bad.json
refuse_file bad.json "the seconds of pendulum, radau"
sed 's/"precision": .*/"precision": null,/' a.json >bad.json
refuse_file bad.json "the precision of pendulum, radau"
sed '/"method"/d' a.json >bad.json
refuse_file bad.json "result 1 does not say its case and method"

# --------------------------------------------------------------------------------- what cannot be compared

baseline() { # baseline CASE METHOD PRECISION SECONDS : a file of one row
  printf '{"results": [ {"x\\n": ["\\u00e9\\"", {}], "case": "%s", "method":"%s", "precision" : %s, "seconds":%s}, ' "$@"
  printf '{"case": "%s", "method": "none", "precision": 1, "seconds": 1}],\n"bench": 1,' "$1"
  printf '"program": "flyball", "version": "0.0.1"}\n'
}
pendulum=(bench pendulum --repeats 1 --limit 1e6)

baseline pendulum ch 5e-5 1 >old.json
refuse "pendulum, radau: not in old.json" "${pendulum[@]}" --methods radau --compare old.json
baseline pendulum radau 5e-6 1 >old.json
refuse "not in old.json to this precision: 5e-06 J there, 5e-05 J here" "${pendulum[@]}" --methods radau --compare old.json
says 0 "with old.json: flyball 0.0.1 then, flyball [0-9.]* now" "${pendulum[@]}" --methods radau --precision 0.1 --compare old.json
says 0 "^pendulum  *partition  *- .* -  not in old.json$" "${pendulum[@]}" --methods radau,partition --precision 0.1 --compare old.json
grep -q "1 of 2 rows could not be compared" out || fail "what could not be compared is not counted"
says 1 "<- the precision is no longer reached" "${pendulum[@]}" --methods radau --precision 0.1 --patience 1e-9 --compare old.json
baseline pendulum radau 5e-5 null >old.json
says 0 "the precision was not reached before" "${pendulum[@]}" --methods radau --compare old.json
says 1 "not compared: the precision was not reached" "${pendulum[@]}" --methods radau --patience 1e-9 --compare old.json
grep -q "nothing could be compared with old.json" out || fail "a comparison of nothing is not told"
! grep -q nan out || fail "a row says nan"

# The file to compare with is read before it is written.
baseline stiff partition 1e-4 1e-9 >same.json
says 1 "<- slower" bench stiff --methods partition --repeats 1 --json same.json --compare same.json
grep -q '"case": "stiff"' same.json || fail "the new results are not in the file"
! grep -q '"method": "none"' same.json || fail "the old results are still in the file"

# --------------------------------------------------------------------------------- what is told

expect 0 bench pendulum stiff pendulum --methods radau,radau --repeats 1 --json twice.json
[ "$(grep -c '^pendulum' out)" -eq 1 ] || fail "a case that is named twice is told twice"
[ "$(grep -c '"case"' twice.json)" -eq 2 ] || fail "a case that is named twice is written twice"
expect 0 bench --list stiff stiff
[ "$(grep -c . out)" -eq 1 ] || fail "the list has more than was asked for"
says 0 "^pendulum, radau: a run at tolerance 1.0e-02 took more than --patience 1e-09 s" "${pendulum[@]::4}" --methods radau \
  --patience 1e-9 --json dash.json
grep -q '"message": "a run at tolerance' dash.json || fail "the reason is not in the file"
says 0 "^- pendulum, radau: the tightest tolerance, 1.0e-11, has an error of [^ ]* J; 5e-17 J is asked for" \
  "${pendulum[@]::4}" --methods radau --precision 1e-12 --markdown
says 0 "^  1.0e-11 " bench stiff --methods radau --repeats 1 --whole
[ "$(grep -c '^  [0-9]\.[0-9]e-[0-9]* ' out)" -eq 19 ] || fail "the whole curve is not two tolerances a decade"
says 0 "^  a run at tolerance .* took more than --patience 0.02 s" bench stiff --methods hht --repeats 1 --whole --patience 0.02

ln -s linked.json link.json
expect 0 bench pendulum --methods radau --repeats 1 --json link.json
{ [ -L link.json ] && [ -s linked.json ]; } || fail "a link was replaced"

# --------------------------------------------------------------------------------- references

echo old >r
refuse "none of these cases has one" bench pendulum four-bars --references r
grep -q "^pendulum: measured by its energy" out || fail "a case without a reference is not told"
[ "$(cat r)" = old ] || fail "nothing was to be written, and the file is another"
says 0 "^pendulum: measured by its energy" bench pendulum stiff --references r
[ "$(head -n 1 r)" = "stiff 101 2" ] || fail "the reference has another head"
[ "$(grep -c . r)" -eq 102 ] || fail "the reference has not 101 rows"
says 0 "^flyball: rods-100: its reference is written as it is" bench rods-100 --references rods # a floor of round-off
grep -q "Nothing was written" out && fail "what was written is called not written"
[ "$(head -n 1 rods)" = "rods-100 101 2" ] || fail "a reference at the floor of round-off is not written"

# --------------------------------------------------------------------------------- interrupted

# Whether some rows were finished, after so many seconds: those of 1000 rods take much longer than that of the pendulum.
# In the foreground timeout sends one signal; else it sends a second one, which kills.
stopped_after() {
  timeout --foreground --preserve-status -s TERM "$1" "$flyball" bench pendulum rods-1000 --methods radau,direct --repeats 1 \
    --patience 1e4 --precision 1e-3 --json part.json >out 2>&1
  [ $? -eq 143 ] || fail "SIGTERM does not end with 143"
  grep -q "stopped by SIGTERM: finished [123] of 4 rows; the others are missing in part.json" out
}
echo old >part.json
seconds=1
until stopped_after $seconds || [ $seconds -gt 100 ]; do
  grep -q "finished no row; nothing was written to part.json" out || fail "it does not say that nothing was written"
  [ "$(cat part.json)" = old ] || fail "nothing was finished, and the file is another"
  seconds=$((2 * seconds))
done
grep -q '^pendulum  *radau' out || fail "what was finished is not told"
python3 - <<'END' || fail "what was finished is not what was written"
import json
written = json.load(open("part.json"))
assert not written["complete"] and 1 <= len(written["results"]) <= 3, written
assert json.load(open("a.json"))["complete"]
END
timeout --foreground --preserve-status -s TERM 0.5 "$flyball" bench rods-1000 --references r >out 2>&1
[ $? -eq 143 ] || fail "SIGTERM does not end references with 143"
[ "$(head -n 1 r)" = "stiff 101 2" ] || fail "references that were interrupted took the place of others"
rm -f closed/*.part
[ -z "$(find . -name '*.part')" ] || fail "a part is left"
exit $((failures > 0))
