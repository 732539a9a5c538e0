// The reference solution that `flyball verify` measures against, itself measured against numbers from outside.
//
// labels: valgrind
#include "base/check.h"
#include "problems/problems.h"
#include "problems/reference.h"

#include <string.h>

enum { MAX = 64 };

typedef struct point {
  double q[MAX], v[MAX], vdot[MAX], lambda[MAX], x[MAX], y[MAX];
} point;

typedef struct follower {
  fly_problem p;
  fly_reference *r;
  point at;
} follower;

static follower follow(const char *name, const char *variant) {
  follower f = {.r = NULL};
  fly_error error = {0};
  if (fly_problem_make(&f.p, name, variant, 0, &error) != FLY_OK ||
      fly_reference_create(&f.r, &f.p.dae, f.p.t0, f.p.t_end, f.p.q0, f.p.v0, f.p.x0, FLY_REFERENCE_TOLERANCE,
                           &error) != FLY_OK)
    fail_msg("%s: %s", name, error.message);
  return f;
}

static void go(follower *f, double t) {
  point *p = &f->at;
  if (fly_reference_at(f->r, t, p->q, p->v, p->vdot, p->lambda, p->x, p->y) != FLY_OK)
    fail_msg("%s", fly_reference_error(f->r)->message);
}

static void done(follower *f) {
  fly_reference_free(f->r);
  fly_problem_free(&f->p);
}

// Each number to a relative tolerance.
static void assert_all_near(const double *a, const double *b, int n, double relative) {
  for (int i = 0; i < n; i++)
    assert_near(a[i], b[i], relative * fabs(b[i]));
}

static double energy(const follower *f, const double *q, const double *v) {
  double E = 0;
  assert_int_equal(f->p.dae.energy(&E, 0, q, v, f->p.dae.user), 0);
  return E;
}

// ---------------------------------------------------------------------------------------------- outside numbers

// shared/reference A1, the independent float128 column.
static void test_seven_body_end(void **state) {
  const double q[] = {15.81077119515370709711939,   -15.75637105841183946972775, 0.04082224011964580485828232,
                      -0.5347301163420795937701850, 0.5244099658799540693716558, 0.5347301163420795937701850,
                      1.048080741041937873068515};
  const double v[] = {1139.920302259106064198097, -1424.379295177540073196026, 11.03291191061859374532731,
                      19.29337410503204083162756, 0.5735699148295024538176879, -19.29337410503204083162756,
                      0.3231791492491308749907484};
  const double a[] = {-24631.76312287463447005080, 51850.31963646423153375400, 324102.6007075786058119411,
                      566749.4220009953264932948,  16743.63541834544460964463, -566749.4220009953264932948,
                      9826.507801544162688490504};
  const double lambda[] = {199.1753481045386281862395, -29.75530997497176332441573, 23.06654361162215112861737,
                           31.45272527577113707538454, 22.64249478639437857771292,  11.61739235261125590680148};
  follower f = follow("seven-body", NULL);
  go(&f, 0.03);
  assert_all_near(f.at.q, q, 7, 1e-12);
  assert_all_near(f.at.v, v, 7, 5e-11);
  assert_all_near(f.at.vdot, a, 7, 5e-11);
  assert_all_near(f.at.lambda, lambda, 6, 5e-11);
  done(&f);
}

// Sparse patterns; the same mechanism in 21 coordinates.
static void test_seven_body_cartesian_end(void **state) {
  follower f = follow("seven-body-cartesian", NULL);
  go(&f, 0.03);
  for (int i = 0; i < 21; i++) {
    assert_near(f.at.q[i], f.p.reference_q[i], 1e-11);
    assert_near(f.at.v[i], f.p.reference_v[i], 1e-8);
  }
  done(&f);
}

// Asking at many times changes nothing but the last digits.
static void test_many_times_agree_with_one(void **state) {
  follower one = follow("seven-body", NULL), many = follow("seven-body", NULL);
  go(&one, 0.03);
  for (int i = 0; i <= 700; i++)
    go(&many, i < 700 ? 0.03 * i / 700 : 0.03);
  assert_all_near(many.at.q, one.at.q, 7, 1e-12);
  assert_all_near(many.at.lambda, one.at.lambda, 6, 1e-10);
  done(&one);
  done(&many);
}

// shared/reference B1, elliptic functions.
static void test_pendulum_history(void **state) {
  const double table[][3] = {{1, 0.9862917511318736, -0.1650108531255508},
                             {2, -0.7935661953432432, -0.6084839304438941},
                             {5, -0.9423054350438086, -0.3347543384138564},
                             {9.99, -0.3164364699132249, -0.9486137045757124},
                             {10, -0.2750874625763147, -0.9614192050990685}};
  follower f = follow("pendulum", "iftomm");
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    go(&f, table[i][0]);
    assert_near(f.at.q[0], table[i][1], 2e-12);
    assert_near(f.at.q[1], table[i][2], 2e-12);
  }
  done(&f);
}

// shared/reference A3, the independent float128 column. The elastic coordinates are small beside what rounding the
// crank angle (15 rad) does to them. x3 see problems/slider_crank.c.
static void test_slider_crank_end(void **state) {
  const double a[] = {0,
                      6488.737541124978478608943,
                      2167.938629337737304854297,
                      33.91137062121661546502559,
                      0.1715134343021158798688204,
                      -1.422449326175436667683495,
                      1.003946265185321266371934};
  const double lambda[] = {-62.32935832773677402392477, -163.7920993237247288563519, 25.29857947000306628580961};
  follower f = follow("slider-crank", NULL);
  go(&f, 0.1);
  for (int i = 0; i < 7; i++) {
    assert_near(f.at.q[i], f.p.reference_q[i], 5e-9 * f.p.dae.scale_v[i]);
    assert_near(f.at.v[i], f.p.reference_v[i], 1e-4 * f.p.dae.scale_v[i]);
    assert_near(f.at.vdot[i], a[i], i < 3 ? 3e-9 * fabs(a[i]) : 1e-5 + 1e-7 * fabs(a[i]));
  }
  assert_all_near(f.at.lambda, lambda, 3, 5e-9);
  done(&f);
}

// problems/spring_mass.c: float128, without the outputs.
static void test_spring_mass_end(void **state) {
  follower f = follow("spring-mass", NULL);
  go(&f, 20);
  assert_near(f.at.q[0], -0.108891845422092386, 1e-12);
  assert_near(f.at.v[0], 0.0126413129173565717, 1e-12);
  assert_near(f.at.x[0], -0.11054538094908393, 1e-12);
  assert_near(f.at.y[1], tanh(f.at.x[0]), 1e-14);
  done(&f);
}

// ---------------------------------------------------------------------------------------------- known motions

static void test_heavy_top_energy(void **state) {
  follower f = follow("heavy-top", NULL);
  const double E0 = energy(&f, f.p.q0, f.p.v0);
  for (int i = 1; i <= 10; i++) {
    go(&f, 0.1 * i);
    assert_near(energy(&f, f.at.q, f.at.v), E0, 1e-11 * E0 / 10);
  }
  assert_all_near(f.at.q, f.p.reference_q, 7, 1e-11);
  done(&f);
}

static void test_knife_edge_is_exact(void **state) {
  const double slope = 9.81 * 0.5, w = 2;
  follower f = follow("knife-edge", NULL);
  for (int i = 0; i <= 10; i++) {
    const double t = 0.5 * i, p = w * t, k = slope / (2 * w * w);
    go(&f, t);
    assert_near(f.at.q[0], k * sin(p) * sin(p), 1e-12);
    assert_near(f.at.q[1], k * (p - sin(p) * cos(p)), 1e-11);
    assert_near(f.at.lambda[0], -2 * slope * sin(p), 1e-11); // across: m speed theta' + m slope sin(theta)
    assert_near(-f.at.v[0] * sin(f.at.q[2]) + f.at.v[1] * cos(f.at.q[2]), 0, 1e-14);
  }
  done(&f);
}

// ---------------------------------------------------------------------------------------------- differences, failures

// Derivatives that are not given: the same motion.
static void test_missing_derivatives(void **state) {
  const char *const names[] = {"heavy-top", "spring-mass", "rolling-coin", "slider-crank"};
  for (int i = 0; i < 4; i++) {
    follower f = follow(names[i], NULL), g = follow(names[i], NULL);
    fly_dae_problem *d = &g.p.dae;
    d->jacobian = NULL;
    d->constraint_gamma = d->nonholonomic_gamma = NULL;
    d->constraint_rate = NULL;
    fly_reference_free(g.r);
    assert_int_equal(fly_reference_create(&g.r, d, 0, g.p.t_end, g.p.q0, g.p.v0, g.p.x0, 1e-9, NULL), FLY_OK);
    const double t = 0.02 * g.p.t_end;
    go(&f, t);
    go(&g, t);
    for (int k = 0; k < d->nq; k++)
      assert_near(g.at.q[k], f.at.q[k], 1e-8);
    for (int k = 0; k < d->ng + d->nb; k++)
      assert_near(g.at.lambda[k], f.at.lambda[k], 1e-5 * (1 + fabs(f.at.lambda[k])));
    done(&f);
    done(&g);
  }
}

static void test_goes_forward_only(void **state) {
  follower f = follow("pendulum", NULL);
  go(&f, 0.5);
  const point before = f.at;
  go(&f, 0.5);
  assert_memory_equal(&before, &f.at, sizeof before);
  assert_int_equal(fly_reference_at(f.r, 0.4, NULL, NULL, NULL, NULL, NULL, NULL), FLY_BAD_INPUT);
  assert_non_null(strstr(fly_reference_error(f.r)->message, "earlier"));
  done(&f);
}

static void test_says_why_it_fails(void **state) {
  fly_problem p;
  fly_reference *r = NULL;
  fly_error error = {0};
  assert_int_equal(fly_problem_make(&p, "redundant", NULL, 0, NULL), FLY_OK);
  assert_int_not_equal(fly_reference_create(&r, &p.dae, 0, 1, p.q0, p.v0, p.x0, 1e-12, &error), FLY_OK);
  assert_null(r);
  assert_true(strlen(error.message) > 20);
  fly_problem_free(&p);
  follower f = follow("lock", NULL); // driven past its reach at 0.8 s
  assert_int_not_equal(fly_reference_at(f.r, 1, NULL, NULL, NULL, NULL, NULL, NULL), FLY_OK);
  assert_near(fly_reference_error(f.r)->time, 0.8, 1e-3);
  done(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_seven_body_end),
      cmocka_unit_test(test_seven_body_cartesian_end),
      cmocka_unit_test(test_many_times_agree_with_one),
      cmocka_unit_test(test_pendulum_history),
      cmocka_unit_test(test_slider_crank_end),
      cmocka_unit_test(test_spring_mass_end),
      cmocka_unit_test(test_heavy_top_energy),
      cmocka_unit_test(test_knife_edge_is_exact),
      cmocka_unit_test(test_missing_derivatives),
      cmocka_unit_test(test_goes_forward_only),
      cmocka_unit_test(test_says_why_it_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
