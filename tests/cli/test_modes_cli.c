// flyball modes: table, JSON, files, and what it refuses.
#define _POSIX_C_SOURCE 200809L
#define SCRATCH "modes-cli"
#include "cli/program.h"

static int make_folder(void **state) { return mkdtemp(folder) == NULL; }

static int run(const char *arguments) {
  char line[1000];
  snprintf(line, sizeof line, "$F 2>&1 modes %s", arguments);
  return shell(line);
}

static void test_table(void **state) {
  assert_int_equal(run("$E/rotor.yaml"), 0);
  assert_says("rotor on two bearings at t = 0 s, moving: 6 degrees of freedom");
  assert_says("   1               -            -               0  rigid-body           rotor 100 %");
  assert_says("      18.0265909            0               0  oscillating          rotor 100 %");
  assert_says("6 modes, 1 rigid-body: nothing holds it, none unstable");
  assert_int_equal(run("$E/cart-pole.yaml --count 2"), 0);
  assert_says("2 modes, not all");
  assert_silent_about("files");
}

static void test_json(void **state) {
  assert_int_equal(run("$E/rotor.yaml --set speed=0 --json"), 0);
  assert_int_equal((int)json_number("dof"), 6);
  assert_says("\"undamped\": true");
  assert_says("\"kind\": \"oscillating\"");
  assert_int_equal(shell("$F modes $E/rotor.yaml --json | python3 -c 'import json, sys; d = json.load(sys.stdin); "
                         "assert len(d[\"modes\"]) == 6 and len(d[\"modes\"][5][\"shape\"]) == 12'"),
                   0);
}

static void test_matrices(void **state) {
  assert_int_equal(run("$E/cart-pole.yaml --matrices --input push --output angle"), 0);
  assert_says("4 modes, 1 rigid-body: nothing holds it, 1 UNSTABLE");
  assert_says("state matrices (states: 4, inputs: 1, outputs: 1): cart_pole.m, cart_pole.json");
  assert_int_equal(shell("cat cart_pole.m"), 0);
  assert_says("A = [ ...");
  assert_says("inputs = {'push.fx'};");
  assert_says("outputs = {'angle'};");
  // from the equations of cart and pole: the cart's acceleration is the push over M + m/4
  assert_int_equal(shell("python3 -c 'import json; d = json.load(open(\"cart_pole.json\"))[\"matrices\"]; i = "
                         "d[\"states\"].index(\"cart.x.rate\"); assert abs(d[\"B\"][i][0] - 1/(1 + 0.2/4)) < 1e-12'"),
                   0);
  assert_int_equal(run("$E/cart-pole.yaml --matrices nowhere/a"), 1);
  assert_says("cannot write nowhere/a.m: there is no folder 'nowhere'; make it first (mkdir -p).\n");
}

static void test_result(void **state) {
  assert_int_equal(run("$E/rotor.yaml --out rotor"), 0);
  assert_says("result: rotor.h5");
  assert_int_equal(shell("$F info rotor.h5"), 0);
  assert_says("modes.json");
  assert_says("scene.json");
  assert_int_equal(shell("$F report rotor.h5 --out rotor.html && test -s rotor.html"), 0);
}

static void test_loop(void **state) {
  assert_int_equal(run("$E/dc-motor.yaml --at 1.48 --loop wanted --plot"), 0);
  assert_says("  closed loop           stable, the rightmost at -10.07");
  assert_says("  phase margin          83.4");
  assert_says("phase of L [deg]");
  assert_says("(Nyquist)");
  assert_int_equal(
      shell("$F modes $E/dc-motor.yaml --at 1.48 --loop wanted --json | python3 -c 'import json, sys; d = "
            "json.load(sys.stdin)[\"loop\"]; assert d[\"stable\"] and abs(d[\"phase\"][\"degrees\"] - 83.4) "
            "< 0.1 and d[\"gain_up\"][\"frequency\"] is None and len(d[\"real\"]) > 20'"),
      0);
  assert_int_equal(run("$E/dc-motor.yaml --at 1.48 --loop wantd"), 2);
  assert_says("There is no variable `wantd` to open a loop at; did you mean `wanted`?");
  assert_int_equal(run("$E/dc-motor.yaml --plot"), 2);
  assert_says("give --loop VARIABLE too");
  assert_int_equal(run("$E/dc-motor.yaml --loop wanted --out x"), 2);
  assert_says("--loop is not with --out");
}

static void test_refusals(void **state) {
  assert_int_equal(run("$E/simple-pendulum.yaml"), 1);
  assert_says("not in equilibrium");
  assert_int_equal(run("$E/simple-pendulum.yaml --anyway"), 0);
  assert_says("largest acceleration of body `bob`: 9.8 m/s^2");
  assert_int_equal(run("$E/cart-pole.yaml --at sometime"), 2);
  assert_says("neither start, equilibrium nor a time");
  assert_int_equal(run("$E/cart-pole.yaml --input puhs"), 2);
  assert_says("did you mean `push`?");
  assert_int_equal(run("$E/universal-joint.yaml"), 2);
  assert_says("no degree of freedom");
  assert_int_equal(run("nothing.yaml"), 2);
  assert_int_equal(run(""), 2);
  assert_says("one model file");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table),  cmocka_unit_test(test_json), cmocka_unit_test(test_matrices),
      cmocka_unit_test(test_result), cmocka_unit_test(test_loop), cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
