// flyball kinematics and flyball inverse as a user calls them.
#define _POSIX_C_SOURCE 200809L
#define SCRATCH "driven-cli"
#include "cli/program.h"

static int make_folder(void **state) { return mkdtemp(folder) == NULL; }

static int run(const char *arguments) {
  char line[1000];
  snprintf(line, sizeof line, "$F 2>&1 %s", arguments);
  return shell(line);
}

// The values of a channel are between two numbers.
static void assert_channel(const char *result, const char *channel, double low, double high) {
  char line[400];
  snprintf(line, sizeof line,
           "python3 -c \"import csv; r = list(csv.DictReader(open('%s.csv'))); k = [c for c in r[0] if c.split(' ')[0] "
           "== '%s'][0]; v = [float(x[k]) for x in r]; print(min(v), max(v))\"",
           result, channel);
  assert_int_equal(shell(line), 0);
  char *end;
  const double least = strtod(output, &end), most = strtod(end, NULL);
  if (!(least >= low && most <= high))
    fail_msg("%s of %s is from %g to %g, not in [%g, %g]", channel, result, least, most, low, high);
}

static void test_kinematics(void **state) {
  assert_int_equal(run("kinematics $E/driven-slider-crank.yaml --csv --stats"), 0);
  assert_says("0 by rank");
  assert_says("done as asked");
  assert_says("801 rows in driven-slider-crank.h5 and driven-slider-crank.csv");
  assert_silent_about("ledger");
  assert_channel("driven-slider-crank", "wrong", -1e-15, 1e-15);
  assert_int_equal(run("kinematics $E/slider-crank.yaml --set speed=10 --end 1 --output 0.1 --report --csv -o slow"),
                   0);
  assert_says("11 rows in slow.h5");
  assert_channel("slow", "crank.w", 10 - 1e-12, 10 + 1e-12);
  assert_int_equal(shell("test -s slow.html"), 0);
  assert_int_equal(run("info slow"), 0);
  assert_says("slider.accx");
  assert_int_equal(run("plot slow stroke"), 0);
}

static void test_record(void **state) {
  assert_int_equal(run("kinematics $E/slider-crank.yaml --json -o k"), 0);
  assert_says("\"analysis\": \"kinematics\"");
  assert_says("\"conditioning\": 0.");
  assert_says("\"status\": \"ok\"");
  assert_int_equal(run("inverse $E/slider-crank.yaml --json -o k"), 0);
  assert_says("\"analysis\": \"inverse\"");
}

static void test_inverse(void **state) {
  assert_int_equal(run("inverse $E/manipulator.yaml --csv"), 0);
  assert_says("What the motions take");
  assert_says("lift.torque [N m]                     -0.77435  1                      32.5431  0.46\n");
  assert_says("Energy ledger");
  assert_channel("manipulator", "wrong", -1e-13, 1e-13);
  assert_channel("manipulator", "bend.torque", 0.9, 9.5);
}

static void test_follow(void **state) {
  assert_int_equal(run("run $E/double-pendulum.yaml --end 1 --csv --channels bodies,accelerations --out swing"), 0);
  assert_int_equal(run("inverse $E/double-pendulum.yaml --follow swing --csv --out forces"), 0);
  assert_says("What is missing");
  assert_says("shoulder.missing_torque [N m]");
  assert_says("101 rows, moved by at most");
  assert_channel("forces", "elbow.missing_torque", -1e-4, 1e-4);
  assert_channel("forces", "shoulder.missing_torque", -1e-4, 1e-4);
  assert_channel("forces", "shoulder.fy", -100, 100);
  assert_int_equal(run("inverse $E/double-pendulum.yaml --follow swing.csv --end 0.5 --out forces"), 0);
  assert_says("51 rows in forces.h5");
  assert_int_equal(run("inverse $E/double-pendulum.yaml --follow swing --channels energies --out forces"), 2);
  assert_says("`energies` is not known here");
  assert_int_equal(run("inverse $E/double-pendulum.yaml --follow nothing --out forces"), 2);
}

static void test_what_cannot_be(void **state) {
  assert_int_equal(run("kinematics $E/double-pendulum.yaml"), 1);
  assert_says("2 degrees of freedom");
  assert_says("{joint: shoulder, angle: ...}");
  assert_int_equal(run("inverse $E/four-bar.yaml"), 1);
  assert_says("1 degree of freedom");
  assert_int_equal(run("kinematics $E/slider-crank.yaml --channels joints"), 2);
  assert_says("flyball inverse");
  assert_int_equal(run("kinematics $E/slider-crank.yaml --end 0"), 2);
  assert_int_equal(run("kinematics"), 2);
  assert_says("takes one model file");
  assert_int_equal(run("kinematics $E/slider-crank.yaml --follow x"), 2);
  assert_int_equal(run("kinematics nowhere.yaml"), 2);
  assert_int_equal(run("kinematics --help"), 0);
  assert_says("--output DT");
  assert_int_equal(run("inverse --help"), 0);
  assert_says("--follow RESULT");
  assert_int_equal(run("--help"), 0);
  assert_says("flyball kinematics");
  assert_says("flyball inverse");
}

// The rod is too short for a whole turn: results up to the dead point stay, and can be looked at.
static void test_lock_up(void **state) {
  assert_int_equal(run("kinematics $E/slider-crank.yaml --set l=0.15 --set r=0.2 --out lock --report"), 1);
  assert_says("locks up");
  assert_says("`drive` gets no further than 0.848062 rad"); // sin phi = l/r
  assert_int_equal(run("info lock"), 0);
  assert_says("locks up");
  assert_int_equal(shell("test -s lock.html"), 0);
}

// What may load code says so; a model of states alone has nothing to see, and no motion.
static void test_plugins_and_states(void **state) {
  static const char *const commands[] = {"kinematics", "inverse", "view", "check", "statics", "modes", "run"};
  for (int k = 0; k < 7; k++) {
    char line[200];
    snprintf(line, sizeof line, "%s $E/plugin/motor.yaml", commands[k]);
    assert_int_equal(run(line), 2);
    assert_says("say --allow-plugins");
    snprintf(line, sizeof line, "%s $E/plugin/motor.yaml --allow-plugins", commands[k]);
    assert_int_not_equal(run(line), 0); // it was not built
    assert_says("motor.so");
    assert_silent_about("say --allow-plugins");
  }
  assert_int_equal(shell("printf 'flyball: 1\\nstates: {x: {rate: 1 - x}}\\nsimulate: {end: 1}\\n' > alone.yaml"), 0);
  assert_int_equal(run("run alone.yaml"), 0);
  assert_says("done as asked");
  assert_int_equal(run("check alone.yaml"), 0);
  assert_int_equal(run("statics alone.yaml"), 0);
  assert_says("all rates vanish, and no body can move");
  assert_says("`x` = 1");
  assert_int_equal(run("modes alone.yaml --at equilibrium"), 0);
  assert_says("1 mode, none unstable");
  assert_int_equal(run("view alone.yaml"), 2);
  assert_says("The model has no bodies: there is nothing to see.");
  assert_int_equal(run("kinematics alone.yaml"), 2);
  assert_says("knows no states");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plugins_and_states),
      cmocka_unit_test(test_kinematics),
      cmocka_unit_test(test_record),
      cmocka_unit_test(test_inverse),
      cmocka_unit_test(test_follow),
      cmocka_unit_test(test_what_cannot_be),
      cmocka_unit_test(test_lock_up),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
