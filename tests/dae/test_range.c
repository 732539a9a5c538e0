// Accelerations by the multipliers alone, against the equations they solve: masses with and without products of
// inertia, holonomic and nonholonomic rows; and where they must not be used.
//
// labels: valgrind
#include "dae/range.h"

#include <math.h>
#include <string.h>

#include "support/motion.h"

enum { NV = 6, NG = 2, NB = 1, NL = NG + NB };

typedef struct model {
  double M[NV * NV], G[NG * NV], B[NB * NV]; // column by column
} model;

static int mass(double *M, double t, const double *q, void *user) {
  memcpy(M, ((const model *)user)->M, sizeof(double[NV * NV]));
  return 0;
}
static int no_force(double *f, const fly_dae_state *s, void *user) { return 0; }
static int no_constraint(double *g, double t, const double *q, void *user) { return 0; }
static int holonomic(double *G, double t, const double *q, void *user) {
  memcpy(G, ((const model *)user)->G, sizeof(double[NG * NV]));
  return 0;
}
static int nonholonomic(double *B, double t, const double *q, void *user) {
  memcpy(B, ((const model *)user)->B, sizeof(double[NB * NV]));
  return 0;
}

// Two bodies of three velocities; products of inertia: of the second one.
static model two_bodies(double product) {
  model m = {.G = {1, 0, 0.2, 1, 0.5, -1, -1, 0.3, 0, 2, 0.7, 0.1}, .B = {0.1, 0.4, 0, 1, -2, 0.3}};
  const double masses[] = {1, 2, 0.5, 3, 1e-3, 4};
  for (int i = 0; i < NV; i++)
    m.M[i * (NV + 1)] = masses[i];
  m.M[3 * NV + 5] = m.M[5 * NV + 3] = product;
  return m;
}

static void begin(fly_eval *e, model *m, int nb, bool constant) {
  const double q[NV] = {0};
  const fly_dae_problem d = {.nq = NV,
                             .nv = NV,
                             .ng = NG,
                             .nb = nb,
                             .mass = mass,
                             .mass_constant = constant,
                             .force = no_force,
                             .constraint = no_constraint,
                             .constraint_jacobian = holonomic,
                             .nonholonomic = nb ? nonholonomic : NULL,
                             .user = m};
  assert_int_equal(fly_eval_create(e, &d, NULL), FLY_OK);
  assert_int_equal(fly_eval_kinematics(e, 0, q), 0);
}

// M a + A^T l - r and A a - s, the largest.
static double left(const model *m, int nl, const double *x, const double *b) {
  double worst = 0;
  for (int i = 0; i < NV; i++) {
    double sum = -b[i];
    for (int j = 0; j < NV; j++)
      sum += m->M[j * NV + i] * x[j];
    for (int k = 0; k < nl; k++)
      sum += (k < NG ? m->G[i * NG + k] : m->B[i]) * x[NV + k];
    worst = fmax(worst, fabs(sum));
  }
  for (int k = 0; k < nl; k++) {
    double sum = -b[NV + k];
    for (int i = 0; i < NV; i++)
      sum += (k < NG ? m->G[i * NG + k] : m->B[i]) * x[i];
    worst = fmax(worst, fabs(sum));
  }
  return worst;
}

// A v by Y and by the rows themselves.
static void check_product(fly_range *r, const fly_eval *e, const double *v) {
  double by_rows[NL] = {0}, by_range[NL] = {0};
  fly_csc_multiply_add(by_rows, &e->G, 1.0, v);
  if (e->p.nb > 0)
    fly_csc_multiply_add(by_rows + e->p.ng, &e->B, 1.0, v);
  fly_range_multiply(r, by_range, v);
  for (int i = 0; i < e->nl; i++)
    assert_true(fabs(by_range[i] - by_rows[i]) < 1e-14);
}

static void test_solves(void **state) {
  for (int kind = 0; kind < 4; kind++) {
    model m = two_bodies(kind & 1 ? 1.1 : 0.0);
    const int nb = kind & 2 ? NB : 0;
    const double b[NV + NL] = {1, -2, 3, 0.4, 0.01, -1, 0.7, -0.2, 0.5};
    double x[NV + NL];
    fly_eval e;
    fly_range r = {0};
    begin(&e, &m, nb, true);
    assert_int_equal(fly_range_build(&r, &e, INFINITY, NULL), FLY_OK);
    assert_true(fly_range_serves(&r, &e));
    fly_range_place(&r, &e);
    assert_true(fly_range_factor(&r));
    if (r.diagonal)
      check_product(&r, &e, b);
    memcpy(x, b, sizeof x);
    fly_range_solve(&r, &e, x);
    const double off = left(&m, NG + nb, x, b);
    if (!(off < 1e-12))
      fail_msg("kind %d: %.2e is left", kind, off);
    fly_range_free(&r);
    fly_eval_free(&e);
  }
}

// Masses that change, or are none; forces that feel accelerations; a price that is too high; rows that depend on each
// other.
static void test_refuses(void **state) {
  model m = two_bodies(0);
  fly_eval e;
  fly_range r = {0};
  begin(&e, &m, 0, false);
  assert_int_equal(fly_range_build(&r, &e, INFINITY, NULL), FLY_OK);
  assert_false(fly_range_serves(&r, &e));
  fly_eval_free(&e);
  begin(&e, &m, 0, true);
  assert_int_equal(fly_range_build(&r, &e, 1.0, NULL), FLY_OK);
  assert_false(fly_range_serves(&r, &e));
  assert_int_equal(fly_range_build(&r, &e, INFINITY, NULL), FLY_OK);
  e.M.val[0] = 1.5;
  assert_false(fly_range_serves(&r, &e));
  e.M.val[0] = 1;
  assert_true(fly_range_serves(&r, &e));
  e.J[0].val[0] = 0.1;
  assert_false(fly_range_serves(&r, &e));
  for (int j = 0; j < NV; j++)
    e.G.val[j * NG + 1] = 2 * e.G.val[j * NG];
  fly_range_place(&r, &e);
  assert_false(fly_range_factor(&r));
  fly_range_free(&r);
  e.M.val[0] = 0;
  assert_int_equal(fly_range_build(&r, &e, INFINITY, NULL), FLY_OK);
  assert_false(fly_range_serves(&r, &e));
  fly_range_free(&r);
  fly_eval_free(&e);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_solves), cmocka_unit_test(test_refuses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
