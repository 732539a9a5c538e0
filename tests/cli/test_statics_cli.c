// flyball statics, and flyball run from an equilibrium, as a user sees them.
// timeout: 60
#define _POSIX_C_SOURCE 200809L
#define SCRATCH "statics-cli"
#include "cli/program.h"

static int run(const char *arguments) {
  char line[1000];
  snprintf(line, sizeof line, "$F 2>&1 %s", arguments);
  return shell(line);
}

static const char box[] = "flyball: 1\ngravity: [0, 0, -9.81]\nbodies:\n  box: {mass: 1, inertia: [1, 1, 1]}\n";

static const char arm[] = "flyball: 1\ngravity: [0, -9.81, 0]\nparameters: {T: 0}\n"
                          "bodies: {arm: {type: planar, mass: 2, inertia: 0.1, position: [0.5, 0]}}\n"
                          "joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
                          "forces: {motor: {type: force, at: arm, torque: [0, 0, T]}}\n";

static const char door[] = "flyball: 1\ngravity: [0, 0, -9.81]\n"
                           "bodies: {door: {mass: 20, inertia: [7, 8, 1.5], position: [0.4, 0, 1]}}\n"
                           "joints:\n"
                           "  low: {type: revolute, bodies: [ground, door], at: [0, 0, 0.3], axis: [0, 0, 1]}\n"
                           "  high: {type: revolute, bodies: [ground, door], at: [0, 0, 1.7], axis: [0, 0, 1]}\n"
                           "forces: {wind: {type: force, at: door, force: [3*sin(time), 0, 0]}}\n";

static int make_folder(void **state) {
  if (mkdtemp(folder) == NULL)
    return 1;
  write_file("box.yaml", box);
  write_file("arm.yaml", arm);
  write_file("door.yaml", door);
  return 0;
}

static void report(void **state) {
  assert_int_equal(run("statics $E/toggle.yaml"), 0);
  assert_says("toggle: 2 bodies, 1 degree of freedom\n"
              "  equilibrium   stable, in every direction it can move in\n");
  assert_says("found by      newton, ");
  assert_says("  left                          0.46053     0.194709            0          0.1\n");
  assert_says("Joints: on the second body, along the axes of the first marker\n");
  assert_says("1 row in toggle-statics.h5\n");
  assert_int_equal(run("statics $E/toggle.yaml --set tilt=0 --out flat"), 0);
  assert_says("  equilibrium   unstable in 1 of 1 direction\n");
  assert_says("  note          Unstable: pushed a little, `left` turns about ");
  assert_says("  spring                              1      1578.78\n");
  assert_int_equal(run("statics $E/suspension-corner.yaml --by settling"), 0);
  assert_says(" s of motion\n");
}

// What the reader must know: reactions that are not unique, what time would change, what nothing holds.
static void notes(void **state) {
  assert_int_equal(run("statics door.yaml"), 0);
  assert_says("  equilibrium   neutral in 1 of 1 direction\n");
  assert_says("  note          Neutral: `door` turns about z, and nothing holds it. A joint or a spring would.\n"
              "  note          Forces that depend on time hold the value they have at t = 0 s.\n"
              "  redundant     5 of 10 constraint rows, taken out; the reactions of these sets are not unique:\n"
              "                `high, x` follows from `low, x`, `low, tilt about y`\n");
  // F = M/(2 (a + L^2/a)), T = L^2 F/a: the smallest, M = 78.48 N m, a = 0.7 m, L^2 = 0.65 m^2
  assert_says("  low                           24.0947            0         98.1            0     -22.3737 ");
  assert_says("  high                         -24.0947            0         98.1            0     -22.3737 ");
}

// What is written reads as the results of a run do.
static void result(void **state) {
  assert_int_equal(run("statics $E/hanging-chain.yaml --by energy --csv --out chain"), 0);
  assert_int_equal(run("info chain"), 0);
  assert_says("chain.h5: HDF5, 1 row");
  assert_int_equal(shell("cut -d, -f2 chain.csv"), 0);
  assert_says("link1.x [m]\n0.01702029");
  assert_int_equal(run("report chain"), 0);
  assert_int_equal(run("plot chain sag"), 0);
}

static void json(void **state) {
  assert_int_equal(run("statics $E/hanging-chain.yaml --json"), 0);
  assert_says("\"analysis\": \"statics\"");
  assert_says("\"poise\": \"stable\"");
  assert_says("\"by\": \"newton\"");
  assert_true(json_number("freedoms") == 8);
  assert_says("\"hook\": {\n        \"fx\": -3.196");
}

static void failures(void **state) {
  assert_int_equal(run("statics box.yaml"), 1);
  assert_says("flyball: box.yaml:4:3: There is no equilibrium: `box` moves along -z and nothing holds it; wherever it "
              "is, 9.81 N push it on. Hold it by a joint, a spring or a motion, or take that load away.\n");
  assert_int_equal(run("statics arm.yaml --set T=11"), 1);
  assert_says("flyball: No equilibrium was found: `arm` turns about z on and on. ");
  assert_int_equal(run("statics arm.yaml --by force"), 2);
  assert_says("flyball: There is no way `force` to find an equilibrium");
  assert_int_equal(run("statics"), 2);
  assert_says("statics takes one model file");
  assert_int_equal(run("statics nothing.yaml"), 2);
  assert_int_equal(run("run arm.yaml --end 1 --start equilibrium --set T=11"), 1);
  assert_says("No equilibrium was found");
  assert_int_equal(run("run arm.yaml --end 1 --start rest"), 2);
  assert_says("start `rest` is unknown");
}

static void run_from_equilibrium(void **state) {
  assert_int_equal(run("run arm.yaml --end 1 --start equilibrium --set T=5 --csv --out still"), 0);
  assert_says("  from equilibrium          stable, by newton; flyball statics tells more\n");
  assert_int_equal(shell("tail -n +2 still.csv | cut -d, -f4 | cut -c1-10 | sort -u"), 0);
  assert_string_equal(output, "-1.0359788\n"); // asin(5/9.81) - 90 deg, all the time
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(report),   cmocka_unit_test(notes),
                                     cmocka_unit_test(result),   cmocka_unit_test(json),
                                     cmocka_unit_test(failures), cmocka_unit_test(run_from_equilibrium)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
