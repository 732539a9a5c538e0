// Modes of models with stiff and soft parts: what grows is found beside any damper or spring, and never hidden in
// silence.
//
// labels: blas
#include "base/check.h"

#include <string.h>

#include "flyball/modes.h"
#include "support/motion.h"

// Point masses that move along x only; forces are laws of their displacements u and rates w.
typedef struct line {
  char bodies[4000], forces[4000];
  int count;
} line;

static void add_mass(line *l, double mass, const char *law) {
  const int i = l->count++;
  size_t b = strlen(l->bodies), f = strlen(l->forces);
  snprintf(l->bodies + b, sizeof l->bodies - b, "%sb%d: {type: point, mass: %.17g, position: [0, %d, 0]}",
           i ? ", " : "", i, mass, i);
  if (law)
    snprintf(l->forces + f, sizeof l->forces - f, "%sf%d: {type: force, at: b%d, force: ['%s', 0, 0]}", f ? ", " : "",
             i, i, law);
}

static fly_modes_info modes_of(const line *l, fly_modes_way way, double *growth) {
  static char text[12000];
  fly_mechanism *m = NULL;
  fly_modes *modes = NULL;
  fly_error error = {0};
  fly_modes_options o = fly_modes_options_default();
  int used = snprintf(text, sizeof text, "{flyball: 1, bodies: {%s}, joints: {", l->bodies);
  for (int i = 0; i < l->count; i++)
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "%sr%d: {type: in-line, bodies: [ground, b%d], at: [0, %d, 0], axis: [1, 0, 0]}", i ? ", " : "", i,
                     i, i);
  snprintf(text + used, sizeof text - (size_t)used, "}, forces: {%s}}", l->forces);
  o.way = way;
  o.count = way == FLY_MODES_ARPACK ? 6 : 0;
  assert_ok(fly_mechanism_parse(&m, "text", text, strlen(text), 0, NULL, &error), &error);
  assert_ok(fly_modes_create(&modes, m, &o, &error), &error);
  const fly_modes_info info = fly_modes_info_of(modes);
  *growth = 0;
  for (int k = 0; k < fly_modes_count(modes); k++)
    *growth = fmax(*growth, fly_modes_get(modes, k)->real);
  fly_modes_free(modes);
  fly_mechanism_free(m);
  return info;
}

// Growth from 1e-3 to 10 1/s beside springs and dampers from 1 to 1e8 (of 0.1 kg: |s| up to 1e9), and a free mass.
static void growth_beside_stiff_parts(void **state) {
  for (int damped = 0; damped < 2; damped++)
    for (double growth = 1e-3; growth < 20; growth *= 10)
      for (double stiff = 1; stiff < 2e8; stiff *= 100) {
        line l = {0};
        char law[200];
        double found;
        snprintf(law, sizeof law, "%.17g*dx(b0)", 2 * growth * growth);
        add_mass(&l, 2, law);
        snprintf(law, sizeof law, "-%.17g*%s(b1)", stiff, damped ? "vx" : "dx");
        add_mass(&l, 0.1, law);
        add_mass(&l, 1, NULL);
        const fly_modes_info i = modes_of(&l, FLY_MODES_DENSE, &found);
        assert_int_equal(i.unstable, 1);
        assert_int_equal(i.unresolved, 0);
        assert_int_equal(i.rigid, 1 + damped); // what only a damper slows is held by nothing
        assert_near(found, growth, 1e-9 * growth);
      }
}

// The same through a stiff spring: m1 m2 x^2 + (m1 k + m2 (k - a)) x - a k = 0, x = s^2. What rounding hides is said.
static void growth_through_a_stiff_spring(void **state) {
  for (int damped = 0; damped < 2; damped++)
    for (double growth = 1e-3; growth < 20; growth *= 10)
      for (double k = 1e2; k < 2e12; k *= 100) {
        const double m1 = 2, m2 = 0.3, a = m1 * growth * growth, B = m1 * k + m2 * (k - a);
        const double exact = sqrt(2 * a * k / (B + sqrt(B * B + 4 * m1 * m2 * a * k)));
        line l = {0};
        char law[300];
        double found;
        snprintf(law, sizeof law, "%.17g*dx(b0) - %.17g*(dx(b0) - dx(b1))", a, k);
        add_mass(&l, m1, law);
        snprintf(law, sizeof law, "%.17g*(dx(b0) - dx(b1))", k);
        add_mass(&l, m2, law);
        add_mass(&l, 0.1, damped ? "-1e8*vx(b2)" : NULL);
        const fly_modes_info i = modes_of(&l, FLY_MODES_DENSE, &found);
        assert_true(i.unstable == 1 || i.unresolved > 0 || exact <= i.hidden);
        if (i.unstable == 1)
          assert_near(found, exact, 0.1 * exact);
        if (k <= 1e6 && growth > 0.05)
          assert_int_equal(i.unstable, 1);
      }
}

// However large the mass and soft the spring, a damper slows them: s = -c/2m.
static void slow_and_damped(void **state) {
  for (double scale = 1; scale < 2e8; scale *= 100) {
    line l = {0};
    char law[200];
    double unused;
    snprintf(law, sizeof law, "-%.17g*dx(b0) - 1e-5*vx(b0)", 1 / scale);
    add_mass(&l, scale, law);
    const fly_modes_info i = modes_of(&l, FLY_MODES_DENSE, &unused);
    assert_false(i.undamped);
  }
}

// Nothing holds two masses that a stiff damper joins, and one of them is driven a little.
static void a_driven_pair(void **state) {
  for (double c = 1; c < 2e12; c *= 10) {
    line l = {0};
    char law[300];
    double found;
    snprintf(law, sizeof law, "-%.17g*(vx(b0) - vx(b1)) - 2.7e6*(dx(b0) - dx(b1)) + 0.02*vx(b0)", c);
    add_mass(&l, 0.8, law);
    snprintf(law, sizeof law, "%.17g*(vx(b0) - vx(b1)) + 2.7e6*(dx(b0) - dx(b1))", c);
    add_mass(&l, 1.1, law);
    const fly_modes_info i = modes_of(&l, FLY_MODES_DENSE, &found);
    assert_true(i.unstable > 0 || i.unresolved > 0 || i.hidden > 0.01);
    if (c <= 1e4)
      assert_near(found, 0.02 / 1.9, 1e-4);
  }
}

// Free pairs joined by anything are rigid, and nothing of them grows.
static void free_pairs_are_rigid(void **state) {
  for (double k = 1; k < 2e10; k *= 10)
    for (double c = 0; c<2e8; c = c> 0 ? 100 * c : 1) {
      line l = {0};
      char law[300];
      double found;
      snprintf(law, sizeof law, "-%.17g*(vx(b0) - vx(b1)) - %.17g*(dx(b0) - dx(b1))", c, k);
      add_mass(&l, 0.37, law);
      snprintf(law, sizeof law, "%.17g*(vx(b0) - vx(b1)) + %.17g*(dx(b0) - dx(b1))", c, k);
      add_mass(&l, 1.9, law);
      const fly_modes_info i = modes_of(&l, FLY_MODES_DENSE, &found);
      assert_int_equal(i.unstable, 0);
      if (c * c < 1e14 * k) { // else -k/c is zero beside c
        assert_int_equal(i.rigid, 1);
        assert_int_equal(i.unresolved, 0);
      }
    }
}

// By ARPACK: twelve masses on springs, some with stiff dampers, one that grows.
static void growth_in_a_large_model(void **state) {
  for (double growth = 1e-3; growth < 2; growth *= 10) {
    line l = {0};
    char law[200];
    double found;
    for (int k = 0; k < 12; k++) {
      snprintf(law, sizeof law, k == 5 ? "%.17g*dx(b%d)" : "-%.17g*dx(b%d) - %g*vx(b%d)",
               k == 5 ? growth * growth : 100.0 * (k + 1), k, k % 3 == 0 ? 1e6 : 0.1, k);
      add_mass(&l, 1, law);
    }
    const fly_modes_info i = modes_of(&l, FLY_MODES_ARPACK, &found);
    assert_int_equal(i.unstable, 1);
    assert_near(found, growth, 1e-6 * growth);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(growth_beside_stiff_parts), cmocka_unit_test(growth_through_a_stiff_spring),
      cmocka_unit_test(slow_and_damped),           cmocka_unit_test(a_driven_pair),
      cmocka_unit_test(free_pairs_are_rigid),      cmocka_unit_test(growth_in_a_large_model)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
