// The family's parameters by name, their linear stability, and every way to ask for them wrongly.
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dae/radau.h"

#define PI 3.14159265358979323846

// CMPLX is missing where the compiler is not gcc.
static double complex complex_of(double re, double im) {
  double complex z;
  memcpy(&z, (double[2]){re, im}, sizeof z);
  return z;
}

static void assert_near(double x, double expected, double tolerance) {
  if (!(fabs(x - expected) <= tolerance))
    fail_msg("%.17g differs from %.17g by %.3g > %.3g", x, expected, fabs(x - expected), tolerance);
}

static fly_method_request request_of(const char *name) {
  fly_method_request r = fly_method_request_default();
  r.name = name;
  return r;
}

static fly_newmark method_of(const fly_method_request *r, fly_theta *states) {
  fly_newmark method;
  fly_error error = {0};
  if (fly_method_make(&method, states, r, &error) != FLY_OK)
    fail_msg("refused: %s", error.message);
  return method;
}

static fly_newmark method_rho(const char *name, double rho) {
  fly_method_request r = request_of(name);
  fly_theta states;
  r.rho = rho;
  return method_of(&r, &states);
}

static void assert_newmark(fly_newmark m, double alpha_m, double alpha_f, double beta, double gamma) {
  assert_near(m.alpha_m, alpha_m, 1e-15);
  assert_near(m.alpha_f, alpha_f, 1e-15);
  assert_near(m.beta, beta, 1e-15);
  assert_near(m.gamma, gamma, 1e-15);
}

static void assert_theta(fly_theta s, double delta_m, double delta_f, double theta) {
  assert_near(s.delta_m, delta_m, 1e-15);
  assert_near(s.delta_f, delta_f, 1e-15);
  assert_near(s.theta, theta, 1e-15);
}

// ---------------------------------------------------------------------------------------------- the table

static void test_default_request(void **state) {
  const fly_method_request r = fly_method_request_default();
  assert_string_equal(r.name, "ch");
  const double all[] = {r.rho, r.alpha, r.gamma, r.phi0, r.alpha_m, r.alpha_f, r.beta};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    assert_true(isnan(all[i]));
  assert_newmark(method_rho("ch", NAN), 0.2 / 1.6, 0.6 / 1.6, 1.0 / 2.56, 0.5 + 0.4 / 1.6);
  assert_newmark(method_rho(NULL, NAN), 0.2 / 1.6, 0.6 / 1.6, 1.0 / 2.56, 0.5 + 0.4 / 1.6);
}

static void test_trapezoid(void **state) {
  fly_theta s;
  const fly_method_request r = request_of("trapezoid");
  assert_newmark(method_of(&r, &s), 0.0, 0.0, 0.25, 0.5);
  assert_theta(s, 0.0, 0.0, 0.5);
}

static void test_newmark(void **state) {
  fly_theta s;
  fly_method_request r = request_of("newmark");
  r.gamma = 0.75;
  assert_newmark(method_of(&r, &s), 0.0, 0.0, 1.5625 / 4.0, 0.75);
  assert_theta(s, 0.0, 0.0, 0.75);
  r.beta = 0.5;
  assert_newmark(method_of(&r, &s), 0.0, 0.0, 0.5, 0.75);
  // numerics.md: gamma = 3/4 is rho = 0.6
  assert_newmark(method_rho("newmark", 0.6), 0.0, 0.0, 1.0 / 2.56, 0.75);
  assert_newmark(method_rho("newmark", NAN), 0.0, 0.0, 1.0 / 2.56, 0.75);
}

static void test_hht(void **state) {
  fly_theta s;
  fly_method_request r = request_of("hht");
  assert_newmark(method_of(&r, &s), 0.0, 0.3, 1.69 / 4.0, 0.8);
  const double rho = 0.7 / 1.3;
  assert_theta(s, (3.0 * rho - 1.0) / (2.0 * rho + 2.0), rho / (rho + 1.0), 1.0 / (1.0 + rho));
  r.alpha = -1.0 / 3.0;
  assert_newmark(method_of(&r, &s), 0.0, 1.0 / 3.0, 4.0 / 9.0, 5.0 / 6.0);
  assert_newmark(method_rho("hht", 0.5), 0.0, 1.0 / 3.0, 4.0 / 9.0, 5.0 / 6.0);
  assert_newmark(method_rho("hht", 1.0), 0.0, 0.0, 0.25, 0.5);
}

static void test_wbz_and_ch(void **state) {
  assert_newmark(method_rho("wbz", 0.5), -1.0 / 3.0, 0.0, 1.0 / 2.25, 5.0 / 6.0);
  assert_newmark(method_rho("wbz", NAN), -0.25, 0.0, 1.0 / 2.56, 0.75);
  assert_newmark(method_rho("ch", 0.5), 0.0, 1.0 / 3.0, 1.0 / 2.25, 5.0 / 6.0);
  assert_newmark(method_rho("ch", 0.0), -1.0, 0.0, 1.0, 1.5);
  assert_newmark(method_rho("ch", 1.0), 0.5, 0.5, 0.25, 0.5);
  // GENALPHA 13
  fly_theta s;
  fly_method_request r = request_of("ch");
  r.rho = 0.8;
  (void)method_of(&r, &s);
  assert_theta(s, 1.4 / 3.6, 0.8 / 1.8, 0.5 - 1.4 / 3.6 + 0.8 / 1.8);
}

static void test_gen_at_pi_is_ch(void **state) {
  for (double rho = 0.0; rho <= 1.0; rho += 0.125) {
    fly_method_request r = request_of("gen");
    fly_theta s;
    r.rho = rho;
    r.phi0 = PI;
    const fly_newmark ch = method_rho("ch", rho);
    assert_newmark(method_of(&r, &s), ch.alpha_m, ch.alpha_f, ch.beta, ch.gamma);
  }
}

// The requirement Gen is made for: principal roots rho exp(+-i (pi - (pi-phi0)(1-rho))) at infinity.
static void test_gen_roots_at_infinity(void **state) {
  fly_method_request r = request_of("gen");
  fly_theta s;
  double real[3], imag[3];
  r.rho = 0.7;
  for (r.phi0 = 0.0; r.phi0 < 3.0; r.phi0 += 0.5) {
    const fly_newmark m = method_of(&r, &s);
    fly_newmark_roots(real, imag, &m, INFINITY);
    const double angle = PI - (PI - r.phi0) * (1.0 - r.rho);
    assert_near(real[0], 0.7 * cos(angle), 1e-14);
    assert_near(fabs(imag[0]), 0.7 * sin(angle), 1e-14);
    assert_near(real[2], -0.7, 1e-15);
  }
}

static void test_custom(void **state) {
  fly_theta s;
  fly_method_request r = request_of("custom");
  r.alpha_m = 0.1;
  r.alpha_f = 0.3;
  assert_newmark(method_of(&r, &s), 0.1, 0.3, 1.44 / 4.0, 0.7);
  assert_theta(s, 0.1, 0.3, 0.7);
  r.gamma = 0.8;
  assert_newmark(method_of(&r, &s), 0.1, 0.3, 1.69 / 4.0, 0.8);
  r.beta = 0.5;
  assert_newmark(method_of(&r, &s), 0.1, 0.3, 0.5, 0.8);
}

// ---------------------------------------------------------------------------------------------- stability

// det(L mu - R) of FAMILY 4.15, independent of the polynomial the library solves.
static double complex determinant(const fly_newmark *m, double z, double complex mu) {
  const double complex a[3][3] = {
      {mu - 1.0, -1.0, -m->beta * mu - (0.5 - m->beta)},
      {0.0, mu - 1.0, -m->gamma * mu - (1.0 - m->gamma)},
      {z * z * ((1.0 - m->alpha_f) * mu + m->alpha_f), 0.0, (1.0 - m->alpha_m) * mu + m->alpha_m},
  };
  return a[0][0] * a[1][1] * a[2][2] + a[2][0] * (a[0][1] * a[1][2] - a[0][2] * a[1][1]);
}

static void check_roots(const fly_newmark *m, double z) {
  double real[3], imag[3];
  const double radius = fly_newmark_roots(real, imag, m, z);
  double largest = 0.0;
  double complex product = 1.0;
  for (int i = 0; i < 3; i++) {
    const double complex mu = complex_of(real[i], imag[i]);
    assert_true(cabs(determinant(m, z, mu)) <= 1e-13 * (1.0 + z * z));
    largest = fmax(largest, cabs(mu));
    product *= mu;
  }
  assert_near(radius, largest, 0.0);
  assert_near(imag[0], -imag[1], 0.0);
  const double lead = (1.0 - m->alpha_m) + z * z * (1.0 - m->alpha_f) * m->beta;
  const double last = m->alpha_m + z * z * m->alpha_f * (0.5 + m->beta - m->gamma);
  assert_near(creal(product), -last / lead, 1e-13);
}

static void test_roots_of_matrix(void **state) {
  static const char *const names[] = {"trapezoid", "newmark", "hht", "wbz", "ch", "gen"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const fly_newmark m = method_rho(names[i], NAN);
    for (double z = 1e-6; z < 1e7; z *= 3.0)
      check_roots(&m, z);
  }
}

// FAMILY 4.19 and 4.23; the trapezoid conserves for every z.
static void test_roots_closed(void **state) {
  double real[3], imag[3];
  const fly_newmark ch = method_rho("ch", 0.8), trapezoid = method_rho("trapezoid", NAN);
  assert_near(fly_newmark_roots(real, imag, &ch, 0.0), 1.0, 0.0);
  assert_near(real[0], 1.0, 0.0);
  assert_near(real[1], 1.0, 0.0);
  assert_near(real[2], -(0.6 / 1.8) / (1.2 / 1.8), 1e-15);
  assert_near(fly_newmark_roots(real, imag, &ch, INFINITY), 0.8, 1e-15);
  for (int i = 0; i < 3; i++)
    assert_near(real[i], -0.8, 1e-15);
  for (double z = 1e-4; z < 1e5; z *= 7.0) {
    assert_near(fly_newmark_roots(real, imag, &trapezoid, z), 1.0, 1e-14);
    // tan(phase/2) = z/2
    assert_near(atan2(imag[0], real[0]), 2.0 * atan(0.5 * z), 1e-14);
  }
}

// The roots leave the triple -rho like z^(-2/3): digits a companion matrix would lose. Values from 60-digit arithmetic.
static void test_roots_near_triple(void **state) {
  double real[3], imag[3];
  const fly_newmark ch = method_rho("ch", 0.6);
  assert_near(fly_newmark_roots(real, imag, &ch, 1e6), 0.600080636301, 2e-12);
  assert_near(fly_newmark_roots(real, imag, &ch, 1e8), 0.600003742746, 2e-12);
  assert_near(fly_newmark_roots(real, imag, &ch, 1e12), 0.600000008063, 2e-12);
  assert_near(fly_newmark_roots(real, imag, &ch, 1e200), 0.6, 1e-15);
}

static void test_rho_infinity(void **state) {
  static const char *const names[] = {"newmark", "hht", "wbz", "ch", "gen"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    for (double rho = 0.5; rho <= 1.0; rho += 1.0 / 16.0) {
      const fly_newmark m = method_rho(names[i], rho);
      const fly_stability s = fly_newmark_stability(&m);
      assert_near(s.rho_infinity, rho, 2e-15);
      assert_true(s.zero_stable && s.stable_at_infinity && s.unconditional);
      assert_int_equal(s.strictly_at_infinity, rho < 1.0);
      assert_int_equal(s.order, i == 0 && rho < 1.0 ? 1 : 2);
      assert_int_equal(s.violated[0] == 0, s.order == 2);
    }
  const fly_newmark l_stable = method_rho("ch", 0.0);
  assert_near(fly_newmark_stability(&l_stable).rho_infinity, 0.0, 0.0);
}

static void test_spurious_root_at_zero(void **state) {
  const fly_newmark hht = method_rho("hht", 0.7), ch = method_rho("ch", 0.5), wbz = method_rho("wbz", 0.0);
  assert_near(fly_newmark_stability(&hht).spurious_zero, 0.0, 0.0);
  assert_near(fly_newmark_stability(&ch).spurious_zero, 0.0, 0.0); // FAMILY remark 4.11 (c)
  assert_near(fly_newmark_stability(&wbz).spurious_zero, 0.5, 1e-15);
}

// FAMILY 4.25: order 3, and by Dahlquist's barrier not stable at infinity.
static void test_third_order(void **state) {
  static const double alpha_f[] = {-1.0, 0.0, 0.1, 0.2, 0.7};
  for (size_t i = 0; i < sizeof alpha_f / sizeof alpha_f[0]; i++) {
    const double af = alpha_f[i], am = (12.0 * af * af - 6.0 * af - 1.0) / (12.0 * af - 6.0);
    const fly_newmark m = {.alpha_m = am, .alpha_f = af, .beta = 1.0 / 6.0 + 0.5 * (af - am), .gamma = 0.5 - am + af};
    const fly_stability s = fly_newmark_stability(&m);
    assert_int_equal(s.order, 3);
    assert_true(s.zero_stable);
    assert_false(s.stable_at_infinity || s.strictly_at_infinity || s.unconditional);
    assert_non_null(strstr(s.violated, "Stability at infinity needs"));
    assert_true(s.rho_infinity > 1.0);
  }
}

// Order, measured: the principal root leaves exp(iz) by C z^(p+1).
static void test_order_is_measured(void **state) {
  const double af = 0.1, am = (12.0 * af * af - 6.0 * af - 1.0) / (12.0 * af - 6.0);
  const fly_newmark cases[] = {method_rho("newmark", 0.6),
                               method_rho("ch", 0.6),
                               {am, af, 1.0 / 6.0 + 0.5 * (af - am), 0.5 - am + af},
                               {0.2, 0.4, 0.5, 0.9}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double error[2], real[3], imag[3];
    for (int k = 0; k < 2; k++) {
      const double z = k == 0 ? 0.02 : 0.01;
      fly_newmark_roots(real, imag, &cases[i], z);
      error[k] = cabs(complex_of(real[0], imag[0]) - cexp(complex_of(0.0, z)));
    }
    assert_near(log2(error[0] / error[1]) - 1.0, fly_newmark_stability(&cases[i]).order, 0.05);
  }
}

// FAMILY figure 4.3: stable at zero and at infinity, unstable between.
static void test_unstable_between(void **state) {
  fly_newmark m = method_rho("ch", 0.6);
  m.alpha_m = -0.5;
  const fly_stability s = fly_newmark_stability(&m);
  assert_true(s.zero_stable && s.stable_at_infinity && !s.unconditional);
  assert_int_equal(s.order, 1);
  assert_non_null(strstr(s.violated, "unstable for some steps"));
  double largest = 0.0, real[3], imag[3];
  for (double z = 0.01; z < 100.0; z *= 1.1)
    largest = fmax(largest, fly_newmark_roots(real, imag, &m, z));
  assert_true(largest > 1.01);
}

// Central differences: beta = 0. A root at infinity, and unstable from z = 2 on.
static void test_explicit_member(void **state) {
  const fly_newmark m = {.alpha_m = 0.0, .alpha_f = 0.0, .beta = 0.0, .gamma = 0.5};
  double real[3], imag[3];
  assert_true(isinf(fly_newmark_stability(&m).rho_infinity));
  assert_near(fly_newmark_roots(real, imag, &m, 1.99), 1.0, 1e-14);
  assert_true(fly_newmark_roots(real, imag, &m, 2.01) > 1.05);
  const fly_newmark degenerate = {.alpha_m = 1.0, .alpha_f = 0.0, .beta = 0.0, .gamma = 0.5};
  assert_true(isinf(fly_newmark_roots(real, imag, &degenerate, 1.0)));
}

// ---------------------------------------------------------------------------------------------- bad input

static fly_newmark last_method; // what a refused request left behind

static void assert_refused(const fly_method_request *r, const char *part) {
  fly_theta s;
  fly_error error = {0};
  last_method = (fly_newmark){NAN, NAN, NAN, NAN};
  assert_int_equal(fly_method_make(&last_method, &s, r, &error), FLY_BAD_INPUT);
  assert_int_equal(error.status, FLY_BAD_INPUT);
  assert_true(isnan(error.time));
  if (strstr(error.message, part) == NULL)
    fail_msg("'%s' is not in '%s'", part, error.message);
  assert_int_equal(fly_method_make(&last_method, &s, r, NULL), FLY_BAD_INPUT);
}

static void test_other_families(void **state) {
  (void)state;
  fly_dae_options o = fly_dae_options_default();
  fly_method_request r = request_of("baumgarte");
  fly_error error = {0};
  r.alpha = 3.0;
  assert_int_equal(fly_dae_options_method(&o, &r, &error), FLY_OK);
  assert_int_equal(o.family, FLY_FAMILY_BAUMGARTE);
  assert_float_equal(o.baumgarte_alpha, 3.0, 0.0);
  assert_float_equal(o.baumgarte_beta, 0.0, 0.0);
  assert_refused(&r, "method baumgarte is not of the Newmark family.");
  r = request_of("radau");
  r.rho = 0.5;
  assert_int_equal(fly_dae_options_method(&o, &r, &error), FLY_BAD_INPUT);
  assert_string_equal(error.message,
                      "method radau does not take rho; it takes stages (3 or 5). "
                      "Methods that take it: newmark, hht, wbz, ch, gen, sdirk, lobatto-cd, lobatto-acd, "
                      "bdf-alpha, ch-first.");
  r = request_of("hht");
  assert_int_equal(fly_dae_options_method(&o, &r, &error), FLY_OK);
  assert_int_equal(o.family, FLY_FAMILY_NEWMARK);
  assert_float_equal(o.method.alpha_f, 0.3, 1e-15);
}

// Five stages only where they are asked for, and only of radau itself.
static void test_stages(void **state) {
  (void)state;
  fly_dae_options o = fly_dae_options_default();
  fly_method_request r = request_of("radau");
  fly_error error = {0};
  assert_int_equal(fly_dae_options_method(&o, &r, &error), FLY_OK);
  assert_int_equal(fly_radau_stages(&o), 3);
  o.error = 1e-12;
  assert_int_equal(fly_radau_stages(&o), 3);
  r.stages = 5;
  assert_int_equal(fly_dae_options_method(&o, &r, &error), FLY_OK);
  assert_int_equal(fly_radau_stages(&o), 5);
  o.family = FLY_FAMILY_AUTO;
  assert_int_equal(fly_radau_stages(&o), 3);
  r.stages = 4;
  assert_int_equal(fly_dae_options_method(&o, &r, &error), FLY_BAD_INPUT);
  assert_string_equal(error.message, "method radau: stages = 4: there are 3 (order 5) and 5 (order 9).");
  r = request_of("auto");
  r.stages = 5;
  const char *because = NULL;
  assert_string_equal(fly_method_meant(&r, FLY_GGL, NULL, &because), "radau");
  assert_string_equal(because, "stages");
  r = request_of("bdf");
  r.stages = 5;
  assert_int_equal(fly_dae_options_method(&o, &r, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "does not take stages"));
}

static void test_unknown_method(void **state) {
  fly_method_request r = request_of("hth");
  assert_refused(&r, "unknown method 'hth'. Did you mean hht? The methods are trapezoid, newmark, hht, wbz, ch, gen, "
                     "custom, direct, baumgarte, partition, hybrid, radau, bdf, sdirk, lobatto-cd, lobatto-acd, "
                     "bdf-alpha, ch-first, auto.");
  r.name = "newmrk";
  assert_refused(&r, "Did you mean newmark?");
  r.name = "runge-kutta-with-a-very-long-name";
  assert_refused(&r, "unknown method 'runge-kutta-with-a-very-long-name'. The methods are");
  r.name = "";
  assert_refused(&r, "unknown method ''.");
}

static void test_rho_out_of_range(void **state) {
  static const char *const names[] = {"newmark", "wbz", "ch", "gen"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    fly_method_request r = request_of(names[i]);
    r.rho = 1.2;
    assert_refused(&r, names[i]);
    assert_refused(&r, "rho = 1.2 is out of range; rho, the damping at infinite frequency, lies between 0");
    r.rho = -0.1;
    assert_refused(&r, "rho = -0.1 is out of range");
  }
  fly_method_request r = request_of("hht");
  r.rho = 0.3;
  assert_refused(&r,
                 "method hht: rho = 0.3 is out of range; hht takes rho, the damping at infinite frequency, from 1/2");
}

static void test_alpha_out_of_range(void **state) {
  fly_method_request r = request_of("hht");
  r.alpha = 0.1;
  assert_refused(&r, "method hht: alpha = 0.1 is out of range; hht takes alpha from -1/3");
  r.alpha = -0.34;
  assert_refused(&r, "alpha = -0.34 is out of range");
}

static void test_phi0_out_of_range(void **state) {
  fly_method_request r = request_of("gen");
  r.phi0 = 3.2;
  assert_refused(&r, "method gen: phi0 = 3.2 is out of range; phi0, an angle in radians, lies between 0");
  r.phi0 = -0.1;
  assert_refused(&r, "phi0 = -0.1");
}

static void test_foreign_parameters(void **state) {
  fly_method_request r = request_of("hht");
  r.phi0 = 0.5;
  assert_refused(&r, "method hht does not take phi0; it takes alpha (-1/3 to 0) or rho (1/2 to 1).");
  r = request_of("trapezoid");
  r.rho = 0.5;
  assert_refused(&r, "method trapezoid does not take rho; it takes no parameters.");
  r = request_of("ch");
  r.alpha = -0.1;
  assert_refused(&r, "method ch does not take alpha; it takes rho (0 to 1).");
  r = request_of("wbz");
  r.alpha_m = -0.1;
  assert_refused(&r, "method wbz does not take alpha_m");
  r = request_of("gen");
  r.alpha_f = 0.1;
  assert_refused(&r, "method gen does not take alpha_f; it takes rho (0 to 1) and phi0 (0 to pi).");
  r = request_of("ch");
  r.beta = 0.3;
  assert_refused(&r, "method ch does not take beta");
  r = request_of("custom");
  r.gamma = 0.5;
  r.rho = 0.5;
  assert_refused(&r, "method custom does not take rho; it takes alpha_m, alpha_f, beta and gamma.");
}

static void test_contradicting_parameters(void **state) {
  fly_method_request r = request_of("newmark");
  r.rho = 0.5;
  r.gamma = 0.6;
  assert_refused(&r, "method newmark takes rho, or gamma and beta, not both.");
  r = request_of("newmark");
  r.beta = 0.3;
  assert_refused(&r, "beta is given, so gamma must be given too");
  r = request_of("hht");
  r.rho = 0.6;
  r.alpha = -0.1;
  assert_refused(&r, "method hht takes alpha or rho, not both.");
  r = request_of("ch");
  r.rho = INFINITY;
  assert_refused(&r, "rho is not a finite number");
}

static void test_unstable_newmark(void **state) {
  fly_method_request r = request_of("newmark");
  r.gamma = 0.4;
  assert_refused(&r, "method newmark with these parameters is unstable. Stability at infinity needs gamma >= 1/2");
  r.gamma = 0.75;
  r.beta = 0.3;
  assert_refused(&r, "needs beta >= gamma/2 = 0.375, here 0.3.");
}

static void test_bad_custom(void **state) {
  fly_method_request r = request_of("custom");
  assert_refused(&r, "method custom needs alpha_m and alpha_f");
  r.alpha_m = 0.7;
  r.alpha_f = 0.3;
  r.gamma = 0.9;
  assert_refused(&r, "Zero-stability needs alpha_m <= 1/2, here 0.7");
  assert_refused(&r, "Order 2 needs gamma = 1/2 - alpha_m + alpha_f = 0.1, here 0.9.");
  // still there, to be analysed
  assert_newmark(last_method, 0.7, 0.3, 1.96 / 4.0, 0.9);
  r.alpha_m = 0.2;
  r.alpha_f = 0.6;
  assert_refused(&r, "Stability at infinity needs alpha_f <= 1/2, here 0.6.");
  r.alpha_f = 0.3;
  r.beta = 0.1;
  r.gamma = 0.6;
  assert_refused(&r, "Stability at infinity needs beta >= gamma/2 = 0.3, here 0.1.");
  r.beta = NAN;
  r.gamma = 0.3;
  assert_refused(&r, "Stability at infinity needs gamma >= 1/2, here 0.3.");
}

// Order 1 is allowed, and said; all conditions broken at once fit the text.
static void test_violated_text(void **state) {
  const fly_newmark all = {.alpha_m = 0.9123456789, .alpha_f = 0.8123456789, .beta = -0.1123456789, .gamma = 0.1};
  const fly_stability s = fly_newmark_stability(&all);
  assert_true(strlen(s.violated) < sizeof s.violated - 1);
  assert_int_equal(s.violated[strlen(s.violated) - 1], '.');
  const fly_newmark nan = {.alpha_m = NAN, .alpha_f = 0.0, .beta = 0.25, .gamma = 0.5};
  assert_int_equal(fly_newmark_stability(&nan).order, 0);
}

// Gains and the tolerance of constraints reach the options; what is not positive, or not theirs, is refused.
static void test_state_space_parameters(void **state) {
  fly_dae_options o = fly_dae_options_default();
  fly_method_request r = fly_method_request_default();
  fly_error error = {0};
  r.name = "hybrid";
  r.alpha = 5;
  r.constraint = 1e-8;
  assert_int_equal(fly_dae_options_method(&o, &r, &error), FLY_OK);
  assert_true(o.family == FLY_FAMILY_HYBRID && o.baumgarte_alpha == 5 && o.baumgarte_beta == 0 &&
              o.constraint_error == 1e-8);
  r.alpha = -5;
  assert_int_equal(fly_dae_options_method(&o, &r, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "alpha = -5 is not positive"));
  r.name = "baumgarte";
  r.alpha = 5;
  assert_int_equal(fly_dae_options_method(&o, &r, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "does not take constraint"));
  r.name = "partition";
  r.constraint = NAN;
  assert_int_equal(fly_dae_options_method(&o, &r, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "does not take alpha"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_default_request),
      cmocka_unit_test(test_trapezoid),
      cmocka_unit_test(test_newmark),
      cmocka_unit_test(test_hht),
      cmocka_unit_test(test_wbz_and_ch),
      cmocka_unit_test(test_gen_at_pi_is_ch),
      cmocka_unit_test(test_gen_roots_at_infinity),
      cmocka_unit_test(test_custom),
      cmocka_unit_test(test_roots_of_matrix),
      cmocka_unit_test(test_roots_closed),
      cmocka_unit_test(test_roots_near_triple),
      cmocka_unit_test(test_rho_infinity),
      cmocka_unit_test(test_spurious_root_at_zero),
      cmocka_unit_test(test_third_order),
      cmocka_unit_test(test_order_is_measured),
      cmocka_unit_test(test_unstable_between),
      cmocka_unit_test(test_explicit_member),
      cmocka_unit_test(test_other_families),
      cmocka_unit_test(test_stages),
      cmocka_unit_test(test_unknown_method),
      cmocka_unit_test(test_rho_out_of_range),
      cmocka_unit_test(test_alpha_out_of_range),
      cmocka_unit_test(test_phi0_out_of_range),
      cmocka_unit_test(test_foreign_parameters),
      cmocka_unit_test(test_contradicting_parameters),
      cmocka_unit_test(test_unstable_newmark),
      cmocka_unit_test(test_bad_custom),
      cmocka_unit_test(test_violated_text),
      cmocka_unit_test(test_state_space_parameters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
