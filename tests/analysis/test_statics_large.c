// Equilibrium of large models, which only sparse matrices make possible.
// timeout: 60
//
// labels: blas
#define _POSIX_C_SOURCE 200809L
#include "analysis/rest.h"

static void chain_of_a_thousand(void **state) {
  rest r = find_example("hanging-chain", "newton", "n=1000");
  assert_found(&r, FLY_POISE_STABLE);
  assert_near(r.at->lowest, 57.8576, 1e-4); // as all eigenvalues of the reduced matrices give it
  check_chain(&r, 1000, 1e-13);
  assert_true(r.at->iterations < 30);
  done(&r);
}

// n links of a pendulum of 1 m, hanging (side -1) or standing (1), and beside them a rod of which way and length.
static const char rods[] =
    "flyball: 1\ngravity: [0, -9.81, 0]\nparameters: {n: 300, side: -1, rod: 0.1, way: -1, l: 1/n}\n"
    "repeat:\n"
    "  links:\n"
    "    count: n\n"
    "    bodies:\n"
    "      link$i: {type: planar, mass: l, inertia: l^3/12, position: [0, side*(i - 1/2)*l], angle: side*90*deg, "
    "markers: {head: [-l/2, 0], tip: [l/2, 0]}}\n"
    "  pins:\n"
    "    count: n - 1\n"
    "    joints: {pin$i: {type: revolute, from: link$i.tip, to: link$(i+1).head}}\n"
    "bodies:\n"
    "  rod: {type: planar, mass: 1, inertia: rod^2, position: [1, way*rod]}\n"
    "joints:\n"
    "  hook: {type: revolute, from: ground, to: link1.head}\n"
    "  axle: {type: revolute, bodies: [ground, rod], at: [1, 0, 0], axis: [0, 0, 1]}\n";

// Slowest: Bernoulli's chain, mu = (j0/2)^2 g/L with j0 the first zero of J0, to second order in 1/n.
static void hanging(void **state) {
  rest r = find(rods, "newton", 0, NULL);
  assert_found(&r, FLY_POISE_STABLE);
  assert_near(r.at->lowest, 2.404825557695773 * 2.404825557695773 / 4 * G, 1e-4);
  done(&r);
}

// One direction out of 301 that is not stable, wherever it is in the spectrum: mu = -g/(2 rod).
static void one_unstable(void **state) {
  static const char *const sets[][2] = {
      {"way=1", "rod=10"}, {"way=1", "rod=0.1"}, {"way=1", "rod=1e-3"}, {"way=1", "rod=1e-5"}, {"way=1", "rod=1e-9"}};
  static const double rod[] = {10, 0.1, 1e-3, 1e-5, 1e-9};
  for (int k = 0; k < 5; k++) {
    rest r = find(rods, "newton", 2, sets[k]);
    assert_found(&r, FLY_POISE_UNSTABLE);
    assert_int_equal(r.at->unstable, 1);
    assert_near(r.at->lowest, -G / (2 * rod[k]), 1e-6 * G / rod[k]);
    assert_non_null(strstr(r.at->notes, "Unstable: pushed a little, `rod` "));
    done(&r);
  }
}

static void all_unstable(void **state) {
  const char *const set[] = {"side=1"};
  rest r = find(rods, "newton", 1, set);
  assert_found(&r, FLY_POISE_UNSTABLE);
  say("at least %d of 300 found\n", r.at->unstable);
  assert_true(r.at->unstable >= 10 && r.at->unstable <= 300);
  done(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(chain_of_a_thousand), cmocka_unit_test(hanging),
                                     cmocka_unit_test(one_unstable), cmocka_unit_test(all_unstable)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
