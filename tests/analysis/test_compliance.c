// Joints that give way, in models: the share of each hinge of a door against a hand calculation, at rest and in motion;
// positions tend to those of rigid joints with the compliance; as many iterations over six decades of stiffness; runs
// that are not slower than those of rigid joints; what is refused.
#include "analysis/driven.h"
#include "base/check.h"
#include "flyball/modes.h"

static const char *example(const char *name) {
  static char text[20000];
  char file[500];
  snprintf(file, sizeof file, "%s/examples/%s.yaml", FLY_TEST_SOURCE_DIR, name);
  FILE *f = fopen(file, "r");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  return text;
}

// ------------------------------------------------------------------------------------------ a door

static const double CU = 2e-7, CL = 1e-7, CR = 1e-5, WEIGHT = 30 * 9.81, ARM = 0.4, APART = 1.5;

static double at_rest(const fly_run *run, const char *name, const char *label) {
  for (int k = 0; k < fly_run_rest_lines(run); k++) {
    const fly_rest_line line = fly_run_rest_line(run, k);
    for (int c = 0; strcmp(line.name, name) == 0 && c < line.count; c++)
      if (strcmp(line.label[c], label) == 0)
        return line.value[c];
  }
  fail_msg("%s has no %s", name, label);
  return NAN;
}

static void a_door_at_rest(void **state) {
  const char *text = example("door");
  fly_mechanism *m = NULL;
  fly_run *run = NULL;
  fly_error error = {0};
  fly_run_options o = fly_run_options_default();
  assert_ok(fly_mechanism_parse(&m, "door", text, strlen(text), 0, NULL, &error), &error);
  assert_ok(fly_run_create(&run, m, &o, &error), &error);
  assert_ok(fly_run_rest(run, NULL, &error), &error);
  const double upper = WEIGHT * CL / (CU + CL), couple = WEIGHT * ARM / (APART + 2 * (CU + CL) / (APART * CR));
  assert_near(at_rest(run, "upper", "fz"), upper, 1e-4 * upper);
  assert_near(at_rest(run, "lower", "fz"), WEIGHT - upper, 1e-4 * WEIGHT);
  assert_near(at_rest(run, "upper", "fx"), -couple, 1e-4 * couple);
  assert_near(at_rest(run, "lower", "fx"), couple, 1e-4 * couple);
  assert_near(at_rest(run, "upper", "ty"), -(CU + CL) * couple / APART / CR, 1e-3);
  fly_run_free(run);
  fly_mechanism_free(m);
}

// It swings, and the weight is shared as at rest; hinges have given way by what they carry, from the start on.
static void a_door_that_swings(void **state) {
  driven d = driven_default(FLY_DYNAMICS, 0.4, 0.01);
  drive(&d, example("door"), "upper_share upper_share_by_hand upper.gap upper.fx upper.fy upper.fz");
  assert_ok(d.status, &d.error);
  for (long k = 0; k < d.rows; k++) {
    const double *v = row_of(&d, k);
    const double load = sqrt(v[4] * v[4] + v[5] * v[5] + v[6] * v[6]);
    assert_near(v[1], v[2], 1e-4);
    assert_near(v[3], CU * load, 0.01 * CU * load);
  }
  assert_int_equal(fly_run_info(d.run).soft, 10);
  driven_free(&d);
}

// Hinges as stiff as numbers are: what they carry is what the stages of a step do, also between its ends, and not what
// k and d make of a polynomial that is off by a little. The ledger counts no heat that is not there.
static driven stiff_door(double c, const char *method) {
  static char text[1500];
  driven d = driven_default(FLY_DYNAMICS, 1.2, 0.01);
  snprintf(
      text, sizeof text,
      "flyball: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  door: {mass: 30, inertia: [10, 11.6, 1.6], position: [0.4, 0, 1]}\njoints:\n"
      "  upper: {type: revolute, bodies: [ground, door], at: [0, 0, 1.75], axis: [0, 0, 1], angular_velocity: 1.2,\n"
      "    compliance: %g, damping: %g, rotational_compliance: %g, rotational_damping: %g}\n"
      "  lower: {type: revolute, bodies: [ground, door], at: [0, 0, 0.25], axis: [0, 0, 1],\n"
      "    compliance: %g, damping: %g, rotational_compliance: %g, rotational_damping: %g}\n",
      2 * c, 2e-3 / c, 100 * c, 1e-5 / c, c, 2e-3 / c, 100 * c, 1e-5 / c);
  d.options.method.name = method;
  d.options.error = 1e-6;
  drive(&d, text, "upper.fz lower.fz");
  assert_ok(d.status, &d.error);
  return d;
}

static void a_door_on_very_stiff_hinges(void **state) {
  static const double compliances[] = {1e-8, 1e-10, 1e-12};
  static const char *const methods[] = {"radau", "auto", "ch"};
  for (int i = 0; i < 9; i++) {
    const double c = compliances[i % 3];
    driven d = stiff_door(c, methods[i / 3]);
    double off = 0;
    for (long k = 0; k < d.rows; k++)
      off = fmax(off, fmax(fabs(row_of(&d, k)[1] - WEIGHT / 3), fabs(row_of(&d, k)[2] - 2 * WEIGHT / 3)));
    const fly_ledger l = fly_run_ledger(d.run);
    say("%s, %g m/N: loads off by %g N, ledger by %g of %g J, %ld steps\n", methods[i / 3], c, off, l.worst, l.moved,
        fly_run_stats(d.run).steps);
    assert_true(off < 5e-3 * WEIGHT);
    assert_true(l.worst < 1e-5 * l.moved);
    assert_true(fly_run_stats(d.run).steps < (i < 6 ? 200 : 4000));
    driven_free(&d);
  }
}

// Where compliances are beyond what positions can tell, shares are not known, and the verdict says so.
static void shares_that_cannot_be_told(void **state) {
  static const double compliances[] = {1e-14, 1e-16, 1e-20};
  for (int i = 0; i < 3; i++) {
    driven d = stiff_door(compliances[i], "radau");
    const fly_verdict v = fly_run_verdict(d.run);
    if (!strstr(v.sentence, "Loads of joints that give way are not known as well"))
      fail_msg("%g m/N: %s", compliances[i], v.sentence);
    driven_free(&d);
  }
  driven d = stiff_door(1e-9, "ch");
  assert_null(strstr(fly_run_verdict(d.run).sentence, "Loads of joints"));
  driven_free(&d);
}

// Rigid joints of the same places share by their compliances where kinematics and inverse dynamics take them for rigid.
static void inverse_dynamics_shares_alike(void **state) {
  static const char text[] =
      "flyball: 1\ngravity: [0, 0, -9.81]\nbodies:\n  door: {mass: 30, inertia: [10, 11.6, 1.6], position: [0.4, 0, "
      "1]}\n"
      "joints:\n"
      "  upper: {type: revolute, bodies: [ground, door], at: [0, 0, 1.75], axis: [0, 0, 1], compliance: 2e-7}\n"
      "  lower: {type: revolute, bodies: [ground, door], at: [0, 0, 0.25], axis: [0, 0, 1], compliance: 1e-7}\n"
      "motions:\n  turn: {joint: upper, angle: 0.3*time}\n";
  driven d = driven_default(FLY_INVERSE, 1, 0.5);
  drive(&d, text, "upper.fz lower.fz");
  assert_ok(d.status, &d.error);
  assert_near(row_of(&d, 1)[1], WEIGHT / 3, 1e-3);
  assert_near(row_of(&d, 1)[2], 2 * WEIGHT / 3, 1e-3);
  driven_free(&d);
}

// ------------------------------------------------------------------------------------------ a loop

#define LOOP                                                                                                           \
  "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n"                                                                      \
  "  a: {mass: 1, inertia: [0.01, 0.02, 0.03], position: [0.3, 0.4, 0]}\n"                                             \
  "  c: {mass: 2, inertia: [0.02, 0.2, 0.2], position: [1.1, 0.8, 0]}\n"                                               \
  "  b: {mass: 1, inertia: [0.01, 0.02, 0.03], position: [1.3, 0.5, 0]}\n"                                             \
  "joints:\n"                                                                                                          \
  "  A: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]%s}\n"                                     \
  "  B: {type: revolute, bodies: [a, c], at: [0.6, 0.8, 0], axis: [0, 0, 1]%s}\n"                                      \
  "  C: {type: revolute, bodies: [c, b], at: [1.6, 0.8, 0], axis: [0, 0, 1]%s}\n"                                      \
  "  D: {type: revolute, bodies: [ground, b], at: [1.0, 0.2, 0], axis: [0, 0, 1]%s}\n"

static driven loop(double compliance, double end, double error, const char *method) {
  char text[3000], more[200] = "";
  driven d = driven_default(FLY_DYNAMICS, end, end);
  d.options.method.name = method;
  d.options.error = error;
  if (compliance > 0)
    snprintf(more, sizeof more, ", compliance: %g, damping: %g", compliance, 1e-3 / compliance);
  snprintf(text, sizeof text, LOOP, more, more, more, more);
  drive(&d, text, "c.x c.y A.fx A.fy");
  assert_ok(d.status, &d.error);
  return d;
}

// Order 2 in epsilon, which is the root of the compliance; of loads too.
static void rigid_in_the_limit(void **state) {
  driven rigid = loop(0, 0.3, 1e-8, "radau");
  double off[3], load[3];
  for (int k = 0; k < 3; k++) {
    driven d = loop(4e-6 * pow(0.25, k), 0.3, 1e-8, "radau");
    const double *one = row_of(&d, d.rows - 1), *two = row_of(&rigid, rigid.rows - 1);
    off[k] = hypot(one[1] - two[1], one[2] - two[2]);
    load[k] = hypot(one[3] - two[3], one[4] - two[4]);
    driven_free(&d);
  }
  say("positions %g %g %g, loads %g %g %g\n", off[0], off[1], off[2], load[0], load[1], load[2]);
  for (int k = 0; k < 2; k++) {
    assert_true(log(off[k] / off[k + 1]) / log(2.0) > 1.9 && log(off[k] / off[k + 1]) / log(2.0) < 2.1);
    assert_true(load[k + 1] < load[k]);
  }
  driven_free(&rigid);
}

// A start on the smooth motion: what is stiff and damped does not make steps short.
static void as_few_steps_as_rigid(void **state) {
  static const char *const methods[] = {"ch", "radau"};
  for (int k = 0; k < 2; k++) {
    driven rigid = loop(0, 0.5, 1e-5, methods[k]), soft = loop(1e-9, 0.5, 1e-5, methods[k]);
    say("%s: %ld steps rigid, %ld soft\n", methods[k], fly_run_stats(rigid.run).steps, fly_run_stats(soft.run).steps);
    assert_true(fly_run_stats(soft.run).steps <= 2 * fly_run_stats(rigid.run).steps + 60);
    driven_free(&rigid);
    driven_free(&soft);
  }
}

// ------------------------------------------------------------------------------------------ iterations

static double iterations(const char *text, double step, double epsilon) {
  driven d = driven_default(FLY_DYNAMICS, 100 * step, 100 * step);
  d.options.step = step;
  d.options.formulation = "stiff";
  d.options.epsilon = epsilon;
  d.options.estimate_error = "no";
  drive(&d, text, "");
  assert_ok(d.status, &d.error);
  const fly_stats s = fly_run_stats(d.run);
  const double each = (double)s.newton_iterations / (double)s.steps;
  assert_int_equal(s.cut_steps, 0);
  driven_free(&d);
  return each;
}

// From a tenth of the step on: of a machine, of a linkage, of one with redundant joints; and of one that moves only
// because it is overconstrained, as long as its loads are not all rounding.
static void as_many_iterations_at_any_stiffness(void **state) {
  static const char *const names[] = {"slider-crank", "four-bar", NULL, "bricard"};
  static const int decades[] = {6, 6, 5, 3};
  static const double steps[] = {1e-4, 1e-3, 1e-3, 1e-3};
  char loop_of_four[3000];
  snprintf(loop_of_four, sizeof loop_of_four, LOOP, "", "", "", "");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    double least = INFINITY, most = 0;
    for (int k = 0; k <= decades[i]; k++) {
      const double n = iterations(names[i] ? example(names[i]) : loop_of_four, steps[i], 0.1 * steps[i] * pow(0.1, k));
      least = fmin(least, n);
      most = fmax(most, n);
    }
    say("%s: %g to %g iterations a step\n", names[i] ? names[i] : "loop", least, most);
    assert_true(most - least <= 2);
  }
}

// Fixed steps by radau stay as long as asked: what the rounding of positions does to a stiff load through the step is
// no reason to divide one.
static void fixed_steps_at_any_stiffness(void **state) {
  for (int k = 0; k < 3; k++) {
    driven d = driven_default(FLY_DYNAMICS, 2.6, 0.1);
    d.options.step = 1e-3;
    d.options.method.name = "radau";
    d.options.formulation = "stiff";
    d.options.epsilon = pow(10, -4 - k);
    d.options.estimate_error = "no";
    drive(&d, example("four-bar"), "");
    assert_ok(d.status, &d.error);
    say("epsilon %g: %ld steps\n", d.options.epsilon, fly_run_stats(d.run).steps);
    assert_int_equal(fly_run_stats(d.run).steps, 2600);
    driven_free(&d);
  }
}

// ------------------------------------------------------------------------------------------ friction, forms

// A block slides to rest on a guide that gives way, and sticks there.
static void friction_of_what_gives_way(void **state) {
  static const char text[] =
      "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
      "  s: {mass: 1, inertia: [0.01, 0.01, 0.01], velocity: [1, 0, 0]}\n"
      "joints:\n  g: {type: translational, bodies: [ground, s], at: [0, 0, 0], axis: [1, 0, 0], compliance: 1e-7,\n"
      "    damping: 2000, friction: {law: coulomb, mu: 0.3}}\n";
  driven d = driven_default(FLY_DYNAMICS, 0.5, 0.5);
  drive(&d, text, "s.x s.vx g.fy");
  assert_ok(d.status, &d.error);
  const double *end = row_of(&d, d.rows - 1);
  assert_near(end[1], 1 / (2 * 0.3 * 9.81), 2e-5);
  assert_near(end[2], 0, 1e-9);
  assert_near(end[3], 9.81, 1e-5);
  driven_free(&d);
}

// A body that a weld holds which gives way: w^2 = 1/(c m), 1/(c_r I); damping d/2 sqrt(c/m).
static void modes_of_a_weld(void **state) {
  static const char text[] = "flyball: 1\nbodies:\n  a: {mass: 2, inertia: [0.1, 0.16, 0.25]}\njoints:\n"
                             "  w: {type: fixed, bodies: [ground, a], at: [0, 0, 0], compliance: 1e-4, damping: 8,\n"
                             "    rotational_compliance: 1e-3}\n";
  const double w[] = {sqrt(1e3 / 0.25), sqrt(1e4 / 2), sqrt(1e4 / 2), sqrt(1e4 / 2), sqrt(1e3 / 0.16), sqrt(1e3 / 0.1)};
  const double damping[] = {8 / sqrt(4e3 * 0.25), 8 / sqrt(4e4 * 2),    8 / sqrt(4e4 * 2),
                            8 / sqrt(4e4 * 2),    8 / sqrt(4e3 * 0.16), 8 / sqrt(4e3 * 0.1)};
  fly_mechanism *m = NULL;
  fly_modes *modes = NULL;
  fly_error error = {0};
  const fly_modes_options o = fly_modes_options_default();
  assert_ok(fly_mechanism_parse(&m, "weld", text, strlen(text), 0, NULL, &error), &error);
  assert_ok(fly_modes_create(&modes, m, &o, &error), &error);
  assert_int_equal(fly_modes_count(modes), 6);
  for (int k = 0; k < 6; k++) {
    const fly_mode *mode = fly_modes_get(modes, k);
    assert_near(hypot(mode->real, mode->imag), w[k], 1e-6 * w[k]);
    assert_near(mode->damping, damping[k], 1e-6);
  }
  fly_modes_free(modes);
  fly_mechanism_free(m);
}

// The same motion in both forms, and by a method that has no unknown loads.
static void forms_agree(void **state) {
  static const char *const forms[] = {"stiff", "stiff-ode", "stiff"}, *const methods[] = {"radau", "radau",
                                                                                          "partition"};
  double x[3];
  for (int k = 0; k < 3; k++) {
    driven d = driven_default(FLY_DYNAMICS, 0.1, 0.1);
    d.options.method.name = methods[k];
    d.options.formulation = forms[k];
    d.options.epsilon = 3e-3;
    d.options.error = 1e-7;
    drive(&d, example("four-bar"), "");
    assert_ok(d.status, &d.error);
    x[k] = fly_run_ledger(d.run).gravity;
    driven_free(&d);
  }
  say("%.12g %.12g %.12g\n", x[0], x[1], x[2]);
  assert_near(x[1], x[0], 1e-5);
  assert_near(x[2], x[0], 1e-5);
}

// ------------------------------------------------------------------------------------------ what is refused

static void refused(const char *keys, const char *options, const char *says) {
  char text[2000];
  driven d = driven_default(FLY_DYNAMICS, NAN, 1);
  snprintf(text, sizeof text,
           "flyball: 1\nbodies:\n  a: {mass: 2, inertia: [0.01, 0.1, 0.1], position: [0.5, 0, 0]}\n"
           "joints:\n  j: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]%s}\n"
           "simulate: {end: 1%s}\n",
           keys, options);
  drive(&d, text, "");
  if (d.status != FLY_BAD_INPUT || !strstr(d.error.message, says) || !strstr(d.error.message, "test:"))
    fail_msg("%s%s: %s", keys, options, d.error.message);
  driven_free(&d);
}

static void bad_input(void **state) {
  refused(", compliance: 0", "", "test:5:88: 'compliance' must be positive [m/N, rad/(N m)]");
  refused(", compliance: -1e-8", "", "must be positive");
  refused(", compliance: 1e9", "", "A compliance is one over a stiffness");
  refused(", compliance: 1e-24", "", "too little to tell it from rigid");
  refused(", compliance: rubber", "", "unknown word");
  refused(", damping: 20", "", "give its `compliance`");
  refused(", compliance: 1e-8, damping: -1", "", "must not be negative");
  refused("", ", formulation: stiff, epsilon: -1", "test:6:49: `epsilon` is -1");
  refused("", ", formulation: damped, delta: 0", "`delta` is 0");
  refused("", ", formulation: stiff", "needs `epsilon`");
  refused("", ", epsilon: 1e-3", "goes with formulation stiff");
  refused(", compliance: 1e-8, limits: {high: 1, restitution: 0.5}", "", "a blow between rigid joints");
  refused(", limits: {high: 1, restitution: 0.5}", ", formulation: stiff, epsilon: 1e-3", "all of them give way");
  refused(", friction: {law: coulomb, mu: 0.2, radius: 0.1}", ", formulation: stiff-ode, epsilon: 1e-3",
          "which formulation stiff-ode puts into the forces");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_door_at_rest),
                                     cmocka_unit_test(a_door_that_swings),
                                     cmocka_unit_test(a_door_on_very_stiff_hinges),
                                     cmocka_unit_test(shares_that_cannot_be_told),
                                     cmocka_unit_test(inverse_dynamics_shares_alike),
                                     cmocka_unit_test(rigid_in_the_limit),
                                     cmocka_unit_test(as_few_steps_as_rigid),
                                     cmocka_unit_test(as_many_iterations_at_any_stiffness),
                                     cmocka_unit_test(fixed_steps_at_any_stiffness),
                                     cmocka_unit_test(friction_of_what_gives_way),
                                     cmocka_unit_test(modes_of_a_weld),
                                     cmocka_unit_test(forms_agree),
                                     cmocka_unit_test(bad_input)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
