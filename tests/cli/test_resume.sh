# labels: slow
# Runs with checkpoints that are killed or stopped at any instant, some of them several times, go on to the results of
# one that was not, all channels bit for bit, and to the same record. FLY_RESUMES=100 is for an afternoon.
set -u
program=$1
examples=$2/examples
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
resumes=${FLY_RESUMES:-2}
failures=0
RANDOM=12

fail() {
  echo "$1"
  [ ! -s log ] || tail -n 5 log
  failures=$((failures + 1))
}

record() { # record FILE: what a run says of itself, but how long it took
  grep -v '"wall_s"' "$1"
}

# A four-bar linkage whose rows change on the way would be gone in a moment: output and error make these last.
run_of() { # run_of NAME: the words of a run
  case $1 in
    ch) echo "$examples/four-bar.yaml --end 4 --output 1e-3 --error 1e-6" ;;
    radau) echo "$examples/double-pendulum.yaml --method radau --end 2 --calibrate no --estimate-error no --output 1e-3" ;;
    partition) echo "$examples/slider-crank-torque.yaml --method partition --end 2 --csv" ;;
    redundant) echo "$examples/bricard.yaml --end 1" ;;
  esac
}

for name in ch radau partition redundant; do
  # shellcheck disable=SC2046 # words
  "$program" run $(run_of $name) --out plain --json >plain.json 2>log || fail "$name: the run itself"
  rm -f log
  # shellcheck disable=SC2046
  "$program" run $(run_of $name) --out whole --checkpoint 0.05 --json >whole.json 2>log || fail "$name: with checkpoints"
  [ "$(record plain.json | grep '"hash"')" = "$(record whole.json | grep '"hash"')" ] || fail "$name: checkpoints change it"
  [ ! -e whole.checkpoint ] || fail "$name: a complete run leaves its checkpoint"
  went_on=0
  for i in $(seq "$resumes"); do
    rm -f cut.*
    # shellcheck disable=SC2046
    set -- run $(run_of $name) --out cut --checkpoint 0.05 --json
    for try in 1 2 3 4 5 6 7 8; do # the last three are left to themselves
      "$program" "$@" >cut.json 2>log &
      job=$!
      if [ "$try" -lt 6 ]; then
        sleep "0.$(printf %03d $((RANDOM % (try * 150))))"
        kill "-$([ $((RANDOM % 2)) -eq 0 ] && echo TERM || echo KILL)" $job 2>/dev/null
      fi
      wait $job 2>/dev/null
      status=$?
      [ $status -eq 0 ] && break
      if [ $status -eq 2 ]; then # it was interrupted when all was done, and had not said so yet
        grep -q 'there is no checkpoint' log || { fail "$name $i: not gone on with" && break; }
        # shellcheck disable=SC2046
        set -- run $(run_of $name) --out cut --checkpoint 0.05 --json
      elif [ -e cut.checkpoint ]; then
        set -- run --resume cut.h5
        went_on=$((went_on + 1))
      fi
    done
    [ "$status" -eq 0 ] || fail "$name $i ended with $status"
    [ "$(record cut.json)" = "$(record whole.json)" ] || fail "$name $i: another record"
    "$program" info cut.h5 --check >log 2>&1 || fail "$name $i is not whole"
    [ ! -e whole.csv ] || cmp cut.csv whole.csv || fail "$name $i: other rows"
    files=(cut.*) expected=(whole.*)
    [ "${files[*]}" = "${expected[*]//whole/cut}" ] || fail "$name $i: left ${files[*]}"
  done
  echo "$name: went on $went_on times"
  rm -f plain.* whole.* cut.*
done

# --------------------------------------------------------------------------------- what cannot go on
refused() { # refused PATTERN ARGUMENTS...
  local pattern=$1
  shift
  "$program" "$@" >log 2>&1
  [ $? -eq 2 ] || fail "$*: exit status"
  grep -q -- "$pattern" log || fail "$*: no line with '$pattern'"
}

interrupted() { # leaves cut.checkpoint: a run that is stopped where it has one
  rm -f cut.*
  "$program" run swing.yaml --out cut --end 1e5 --step 1e-3 --output 1e-2 --checkpoint 0.5 >/dev/null 2>&1 &
  job=$!
  tries=400
  until [ -e cut.checkpoint ] || [ $((tries--)) -eq 0 ]; do sleep 0.02; done
  [ "${1:-}" ] || kill $job
  [ "${1:-}" ] || wait $job 2>/dev/null
}

"$program" new swing >/dev/null
refused 'there is no checkpoint' run --resume nothing.h5
refused 'stands alone' run swing.yaml --resume cut.h5
refused 'must be' run swing.yaml --checkpoint 0
interrupted
[ -e cut.h5 ] || fail "a run that is stopped keeps its results"
sed -i 's/^name:.*/name: another name/; s/9.81/9.82/' swing.yaml
refused 'the model has changed since this checkpoint' run --resume cut
[ -e cut.h5 ] || fail "a refused run took the results away"
sed -i 's/9.82/9.81/' swing.yaml
cp cut.checkpoint good
printf x | dd of=cut.checkpoint bs=1 seek=2000 conv=notrunc 2>/dev/null
refused 'is damaged' run --resume cut.h5
sed 's/flystate0\.[0-9]*/flystate9.9/' good >cut.checkpoint
refused 'was saved by version 9' run --resume cut.h5
cp good cut.checkpoint
"$program" run swing.yaml --out other --end 0.1 >/dev/null && cp other.h5 cut.h5
refused 'belongs to .* rows of results' run --resume cut.h5

# A run goes on wherever one stands: its model is looked for as seen from its result, then from here.
mkdir models results elsewhere
cp swing.yaml models/cam.yaml
printf 'time,u\n0,0\n1e6,1\n' >models/u.csv
printf 'inputs: {u: {value: 0}}\n' >>models/cam.yaml
(cd models && "$program" run cam.yaml --input u=u.csv --out ../results/cut --end 1e5 --step 1e-3 --output 1 --checkpoint 0.5 \
  --max-time 1 >/dev/null 2>&1)
[ -e results/cut.checkpoint ] || fail "no checkpoint to go on from elsewhere"
goes_on() { # goes_on RESULT: from another folder, until its max_time ends it again, and then once more
  for _ in 1 2; do
    (cd elsewhere && "$program" run --resume "$1" >log 2>&1)
    grep -q 'Stopped at t = ' elsewhere/log || { fail "$1: not gone on with from another folder" && tail -n 3 elsewhere/log; }
  done
  rm elsewhere/log
}
goes_on ../results/cut.h5
[ "$(ls elsewhere)" = "" ] || fail "a run that goes on leaves its files elsewhere"
mv results moved
goes_on ../moved/cut.h5
mkdir far && mv moved far/
refused 'cam.yaml: there is no such file. The run was started .* far/moved/../models/cam.yaml, where it was' run --resume far/moved/cut.h5
mv far/moved results
if grep -a -q "$scratch" results/cut.checkpoint; then fail "a checkpoint says where its user works"; fi

# Rows that were put aside are not lost to a part that was begun and has none of them.
interrupted
mv cut.h5 cut.resume.h5
: >cut.part.h5
"$program" run --resume cut >log 2>&1 &
job=$!
sleep 1
kill $job 2>/dev/null
wait $job 2>/dev/null
[ $? -ne 2 ] || fail "rows that were put aside are lost"
interrupted running
refused 'has not ended' run --resume cut.h5
kill -KILL $job
wait $job 2>/dev/null
exit $((failures > 0))
