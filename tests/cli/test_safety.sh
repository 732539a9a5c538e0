# Nothing finished is lost: two runs of one name, runs that are killed, stopped or fail, full disks; and nothing in a file
# reaches the terminal that is not text. FLY_PAIRS=100 FLY_KILLS=100 is for an afternoon.
set -u
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
pairs=${FLY_PAIRS:-6}
kills=${FLY_KILLS:-6}
failures=0

fail() {
  echo "$1"
  [ ! -s log ] || tail -n 5 log
  failures=$((failures + 1))
}

says() { # says PATTERN WHAT: a line of log
  grep -q -- "$1" log || fail "$2: no line with '$1'"
}

checks() { # checks RESULT: all its rows are those of its record
  "$program" info "$1" --check >log 2>&1 || fail "$1 is not whole"
}

record() { # record RESULT KEY: the first value of a key
  "$program" info "$1" --json | sed -n "s/^ *\"$2\": \"*\([^\",]*\)\"*,*$/\1/p" | head -n 1
}

wait_for() { # wait_for RESULT: until a run has begun to write it
  local tries=200
  until "$program" info "$1.part.h5" >/dev/null 2>&1 || [ $((tries--)) -eq 0 ]; do sleep 0.05; done
}

"$program" new swing >/dev/null
long="--end 1e5 --step 1e-4 --output 1e-3" # a row each millisecond, for hours

# --------------------------------------------------------------------------------- two runs, one name
"$program" run swing.yaml --out pair >/dev/null || fail "the first run"
for i in $(seq "$pairs"); do
  "$program" run swing.yaml --out pair --end 0.2 --set mass="$i" >log.a 2>&1 &
  first=$!
  "$program" run swing.yaml --out pair --end 0.3 --set mass="$i" >log.b 2>&1
  b=$?
  wait $first
  a=$?
  cat log.a log.b >log
  case "$a $b" in
    "0 0") ;;
    "0 2" | "2 0") says "another run is writing this result" "pair $i" ;;
    *) fail "pair $i ended with $a and $b" ;;
  esac
  checks pair.h5
  [ ! -e pair.part.h5 ] || fail "pair $i left a part"
done

# A second run is refused before it touches anything, and the first goes on.
rm -f pair.*
# shellcheck disable=SC2086 # words
"$program" run swing.yaml --out pair $long >log.a 2>&1 &
first=$!
wait_for pair
before=$(stat -c %i pair.part.h5)
"$program" run swing.yaml --out pair >log 2>&1
[ $? -eq 2 ] || fail "a second run was not refused"
says "pair.part.h5: another run is writing this result" "second run"
if [ "$before" != "$(stat -c %i pair.part.h5)" ] || [ -e pair.h5 ]; then fail "the refused run touched something"; fi
if ! "$program" info pair >log 2>&1 || ! "$program" report pair -o grows.html >>log 2>&1; then fail "what grows cannot be read"; fi
kill -TERM $first
wait $first
[ $? -eq 143 ] || fail "SIGTERM does not end with 143"
checks pair.h5

# --------------------------------------------------------------------------------- signals
for signal in TERM HUP XCPU; do # a shell's background jobs ignore SIGINT; test_model_cli.c has it
  # shellcheck disable=SC2086
  "$program" run swing.yaml --out stopped $long >log 2>&1 &
  job=$!
  wait_for stopped
  sleep 0.1
  kill -$signal $job
  wait $job
  [ "$(record stopped status)" = stopped ] || fail "after SIG$signal the record says '$(record stopped status)'"
  record stopped message | grep -q "SIG$signal" || fail "after SIG$signal the record does not say why"
  checks stopped.h5
  rm -f stopped.*
done

# --------------------------------------------------------------------------------- killed at any instant
"$program" run swing.yaml --out kept >/dev/null
cp kept.h5 kept.before
for i in $(seq "$kills"); do
  signal=$([ $((i % 2)) -eq 0 ] && echo TERM || echo KILL)
  # shellcheck disable=SC2086
  "$program" run swing.yaml --out kept $long >/dev/null 2>&1 &
  job=$!
  sleep "$((RANDOM % 2)).$((RANDOM % 1000))"
  kill "-$signal" $job
  wait $job 2>/dev/null
  if [ "$signal" = KILL ]; then
    cmp -s kept.h5 kept.before || fail "a killed run harmed the earlier result"
    [ ! -s kept.part.h5 ] || "$program" info kept.part.h5 >log 2>&1 || grep -q 'damaged or cut short: it has\|empty' log ||
      fail "what a killed run left cannot be read"
  else
    checks kept.h5
    cp kept.h5 kept.before
  fi
done

# --------------------------------------------------------------------------------- runs that fail
cp kept.h5 kept.before
cat >open.yaml <<END
flyball: 1
bodies: {a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], markers: {m: [1, 0, 0]}}}
joints:
  one: {type: spherical, bodies: [ground, a], at: [0, 0, 0]}
  two: {type: distance, from: ground, to: a.m, length: 5}
simulate: {end: 1}
END
"$program" run open.yaml --out kept --report >log 2>&1 && fail "a model that cannot be closed was run"
cmp -s kept.h5 kept.before || fail "a bad start harmed the earlier result"
"$program" run open.yaml --out alone >log 2>&1
[ "$(record alone status)" = "inconsistent start" ] || fail "a bad start without an earlier result leaves no record"
"$program" run swing.yaml --out kept --csv >/dev/null
cp kept.h5 kept.before
rm kept.csv && mkdir kept.csv
"$program" run swing.yaml --out kept --csv --end 0.1 >log 2>&1 && fail "a CSV file that cannot be written was not noticed"
cmp -s kept.h5 kept.before || fail "a CSV file that cannot be written cost the earlier result"
ls kept.part* >/dev/null 2>&1 && fail "a run that was refused left a part"
rmdir kept.csv

# --------------------------------------------------------------------------------- full disks
(ulimit -f 5000 && "$program" run swing.yaml --out full --output 1e-4 --end 20 --step 1e-3 >log 2>&1)
[ $? -eq 1 ] || fail "a full disk was not noticed"
[ "$(record full status)" = "file not written" ] || fail "on a full disk the record says '$(record full status)'"
checks full.h5
(ulimit -f 1 && "$program" new little >log 2>&1) && fail "a full disk was not noticed by new"
[ ! -e little.yaml ] || fail "new left a piece of a model"

# --------------------------------------------------------------------------------- what is printed
printf 'flyball: 1\nname: "a\\e[31mred\\x9b"\nbodies: {b: {type: point, mass: 1}}\nsimulate: {end: 1}\n' >red.yaml
printf 'time [s],x\033]0;title\007 [m]\n0,1\n' >red.csv
for arguments in "check red.yaml" "info red.csv" "plot red.csv nothing" "run red.yaml --end 0.1 --step 0.1"; do
  # shellcheck disable=SC2086
  "$program" $arguments >log 2>&1
  tr -d '\n\t -\176\200-\377' <log | grep -q . && fail "$arguments prints control characters"
  grep -q $'\xc2\x9b' log && fail "$arguments prints a control character of UTF-8"
done
echo "secret: squeamish: ossifrage" >secret
echo "password: squeamish" >key
for name in secret key; do
  printf 'flyball: 1\ninclude: %s\n' $name >curious.yaml
  "$program" check curious.yaml >log 2>&1 && fail "a file that is no model was included"
  grep -q squeamish log && fail "a line of an included file is shown"
  says "$name:1:" "$name"
done

# --------------------------------------------------------------------------------- names
refused() { # refused PATTERN ARGUMENTS...
  local pattern=$1
  shift
  "$program" "$@" >log 2>&1
  [ $? -eq 2 ] || fail "$*: exit status"
  says "$pattern" "$*"
}
refused 'the name is empty' run swing.yaml --out ''
refused 'has 3000 characters' run swing.yaml --out "$(printf '%3000s' x | tr ' ' x)"
refused 'File name too long' run swing.yaml --out "$(printf '%300s' x | tr ' ' x)"
cp swing.yaml ./-swing.yaml
"$program" check --set mass=2 -- -swing.yaml >log 2>&1 || fail "a name behind -- is not taken"
"$program" run - --end 0.1 <swing.yaml >log 2>&1 || fail "a model from standard input is not run"
says 'rows in model.h5' "standard input"

exit $((failures > 0))
