// The choice of independent coordinates by itself: on matrices, where what is best can be seen.
//
// labels: valgrind
#include "dae/partition.h"

#include <string.h>

#include "support/motion.h"

enum { NV = 5 };

typedef struct rows {
  double G[2 * NV], B[NV]; // column by column
} rows;

static int unit_mass(double *M, double t, const double *q, void *user) {
  for (int i = 0; i < NV; i++)
    M[i * (NV + 1)] = 1;
  return 0;
}
static int no_force(double *f, const fly_dae_state *s, void *user) { return 0; }
static int no_constraint(double *g, double t, const double *q, void *user) { return 0; }
static int holonomic(double *G, double t, const double *q, void *user) {
  memcpy(G, ((const rows *)user)->G, sizeof(double[2 * NV]));
  return 0;
}
static int nonholonomic(double *B, double t, const double *q, void *user) {
  memcpy(B, ((const rows *)user)->B, sizeof(double[NV]));
  return 0;
}

static fly_dae_problem problem(rows *r, int nb, const double *scale) {
  return (fly_dae_problem){.nq = NV,
                           .nv = NV,
                           .ng = 2,
                           .nb = nb,
                           .mass = unit_mass,
                           .force = no_force,
                           .constraint = no_constraint,
                           .constraint_jacobian = holonomic,
                           .nonholonomic = nb ? nonholonomic : NULL,
                           .scale_v = scale,
                           .user = r};
}

static void begin(fly_partition *p, fly_eval *e, const fly_dae_problem *d) {
  const double q[NV] = {0};
  assert_int_equal(fly_eval_create(e, d, NULL), FLY_OK);
  assert_int_equal(fly_eval_kinematics(e, 0, q), 0);
  assert_int_equal(fly_partition_create(p, e, NULL), FLY_OK);
}

static void end(fly_partition *p, fly_eval *e) {
  fly_partition_free(p);
  fly_eval_free(e);
}

// Rows 0.1 d0 + d1 + 0.2 d2 = 0, 0.3 d1 + 0.1 d2 - 4 d3 = 0: d1 and d3 move least when others move, in the same
// units; where the third counts in hundredths of them, and so moves by a hundredth only, the first two change places.
static void test_choice(void **state) {
  rows r = {.G = {0.1, 0, 1, 0.3, 0.2, 0.1, 0, -4, 0, 0}};
  const double scale[] = {1, 0.01, 1, 1, 1};
  const fly_dependence plain[] = {FLY_INDEPENDENT, FLY_DEPENDENT, FLY_INDEPENDENT, FLY_DEPENDENT, FLY_INDEPENDENT};
  const fly_dependence scaled[] = {FLY_INDEPENDENT, FLY_INDEPENDENT, FLY_DEPENDENT, FLY_DEPENDENT, FLY_INDEPENDENT};
  for (int k = 0; k < 2; k++) {
    const fly_dae_problem d = problem(&r, 0, k ? scale : NULL);
    fly_eval e;
    fly_partition p;
    begin(&p, &e, &d);
    assert_int_equal(fly_partition_choose(&p, NULL), FLY_OK);
    for (int i = 0; i < NV; i++)
      assert_int_equal(p.kind[i], (k ? scaled : plain)[i]);
    end(&p, &e);
  }
}

// d1 = -0.1 d0 - 0.2 d2, in halves.
static void test_units(void **state) {
  rows r = {.G = {0.1, 0, 1, 0.3, 0.2, 0.1, 0, -4, 0, 0}};
  const double scale[] = {1, 0.5, 1, 1, 1};
  const fly_dae_problem d = problem(&r, 0, scale);
  fly_eval e;
  fly_partition p;
  begin(&p, &e, &d);
  assert_int_equal(fly_partition_choose(&p, NULL), FLY_OK);
  assert_close(p.reference, 0.6, 1e-12);
  end(&p, &e);
}

// The dependent ones solve the rows; the independent ones stay.
static void test_solve(void **state) {
  rows r = {.G = {0.1, 0, 1, 0.3, 0.2, 0.1, 0, -4, 0, 0}};
  const fly_dae_problem d = problem(&r, 0, NULL);
  const double missed[] = {0.7, -0.2};
  double delta[NV], left[2] = {0.7, -0.2};
  fly_eval e;
  fly_partition p;
  begin(&p, &e, &d);
  assert_int_equal(fly_partition_choose(&p, NULL), FLY_OK);
  fly_partition_solve(&p, delta, missed);
  fly_csc_multiply_add(left, &e.G, 1, delta);
  for (int i = 0; i < 2; i++)
    assert_close(left[i], 0, 1e-15);
  assert_true(delta[0] == 0 && delta[2] == 0 && delta[4] == 0);
  end(&p, &e);
}

// When what was dependent comes to move most, growth says so, and the next choice is another.
static void test_growth(void **state) {
  rows r = {.G = {0.1, 0, 1, 0.3, 0.2, 0.1, 0, -4, 0, 0}};
  const fly_dae_problem d = problem(&r, 0, NULL);
  const double q[NV] = {0};
  fly_eval e;
  fly_partition p;
  begin(&p, &e, &d);
  assert_int_equal(fly_partition_choose(&p, NULL), FLY_OK);
  assert_at_most(fly_partition_growth(&p), 1);
  r.G[2] = 0.05; // of d1 in the first row: now d2 has 0.2 there
  assert_int_equal(fly_eval_kinematics(&e, 0, q), 0);
  assert_int_equal(fly_partition_factor(&p), FLY_OK);
  assert_at_least(fly_partition_growth(&p), 2);
  assert_int_equal(fly_partition_choose(&p, NULL), FLY_OK);
  assert_int_equal(p.kind[1], FLY_INDEPENDENT);
  assert_int_equal(p.kind[2], FLY_DEPENDENT);
  assert_at_most(fly_partition_growth(&p), 1);
  end(&p, &e);
}

// The velocity of a nonholonomic row is dependent, the position is not.
static void test_nonholonomic(void **state) {
  rows r = {.G = {0.1, 0, 1, 0.3, 0.2, 0.1, 0, -4, 0, 0}, .B = {0, 2, 0, 0.1, 1}};
  const fly_dae_problem d = problem(&r, 1, NULL);
  fly_eval e;
  fly_partition p;
  begin(&p, &e, &d);
  assert_int_equal(fly_partition_choose(&p, NULL), FLY_OK);
  int kinds[3] = {0};
  for (int i = 0; i < NV; i++)
    kinds[p.kind[i]]++;
  assert_int_equal(kinds[FLY_INDEPENDENT], 2);
  assert_int_equal(kinds[FLY_DEPENDENT], 2);
  assert_int_equal(kinds[FLY_DEPENDENT_VELOCITY], 1);
  assert_int_equal(p.kind[4], FLY_DEPENDENT_VELOCITY); // no holonomic row has it
  end(&p, &e);
}

static void test_dependent_rows(void **state) {
  rows r = {.G = {1, 2, 1, 2, 0, 0, 0, 0, 0, 0}};
  const fly_dae_problem d = problem(&r, 0, NULL);
  fly_eval e;
  fly_partition p;
  begin(&p, &e, &d);
  assert_int_equal(fly_partition_choose(&p, NULL), FLY_SINGULAR);
  end(&p, &e);
}

// ------------------------------------------------------------------------------------------ a large one

enum { PAIRS = 1500, CHANGED = 5 };

// Pairs of velocities, one row each: d(2k) + share[k] d(2k+1) = 0.
static int pair_mass(double *M, double t, const double *q, void *user) {
  for (int i = 0; i < 2 * PAIRS; i++)
    M[i] = 1;
  return 0;
}
static int pair_rows(double *G, double t, const double *q, void *user) {
  for (int k = 0; k < PAIRS; k++) {
    G[2 * k] = 1;
    G[2 * k + 1] = ((const double *)user)[k];
  }
  return 0;
}

static fly_dae_problem pairs(double *share, int *start, int *diagonal, int *row) {
  for (int i = 0; i <= 2 * PAIRS; i++)
    start[i] = diagonal[i] = i;
  for (int i = 0; i < 2 * PAIRS; i++)
    row[i] = i / 2;
  return (fly_dae_problem){.nq = 2 * PAIRS,
                           .nv = 2 * PAIRS,
                           .ng = PAIRS,
                           .mass = pair_mass,
                           .force = no_force,
                           .constraint = no_constraint,
                           .constraint_jacobian = pair_rows,
                           .mass_pattern = {start, diagonal},
                           .constraint_pattern = {start, row},
                           .user = share};
}

// Of 1500 velocities the few that came to move others too much are found without asking each.
static void test_large(void **state) {
  static double share[PAIRS], q[2 * PAIRS];
  static int start[2 * PAIRS + 1], diagonal[2 * PAIRS + 1], row[2 * PAIRS], empty[3 * PAIRS + 1];
  fly_eval e;
  fly_partition p;
  for (int k = 0; k < PAIRS; k++)
    share[k] = 0.5;
  fly_dae_problem d = pairs(share, start, diagonal, row);
  d.jacobian_pattern = (fly_pattern){empty, row};
  assert_int_equal(fly_eval_create(&e, &d, NULL), FLY_OK);
  assert_int_equal(fly_eval_kinematics(&e, 0, q), 0);
  assert_int_equal(fly_partition_create(&p, &e, NULL), FLY_OK);
  assert_int_equal(fly_partition_choose(&p, NULL), FLY_OK);
  for (int k = 0; k < CHANGED; k++)
    share[100 + 300 * k] = 3 + k;
  assert_int_equal(fly_eval_kinematics(&e, 0, q), 0);
  const long before = fly_partition_count(&p).solves;
  assert_int_equal(fly_partition_choose(&p, NULL), FLY_OK);
  assert_at_most((double)(fly_partition_count(&p).solves - before), 60);
  for (int k = 0; k < PAIRS; k++) {
    const bool changed = k % 300 == 100 && k / 300 < CHANGED;
    assert_int_equal(p.kind[2 * k], changed ? FLY_INDEPENDENT : FLY_DEPENDENT);
    assert_int_equal(p.kind[2 * k + 1], changed ? FLY_DEPENDENT : FLY_INDEPENDENT);
  }
  end(&p, &e);
}

// The same with rows that hang together, d(2k) + share[k] d(2k+1) - 0.4 d(2k+2) = 0: columns that change places one
// behind the other, without factors between, feel each other.
static int chained_rows(double *G, double t, const double *q, void *user) {
  for (int k = 0, at = 0; k < PAIRS; k++) {
    if (k > 0)
      G[at++] = -0.4;
    G[at++] = 1;
    G[at++] = ((const double *)user)[k];
  }
  return 0;
}

static double most_moved(const fly_partition *p, const fly_eval *e, int j, double *b) {
  memset(b, 0, PAIRS * sizeof *b);
  for (int i = e->G.start[j]; i < e->G.start[j + 1]; i++)
    b[e->G.row[i]] = e->G.val[i];
  fly_lu_solve(p->lu, b);
  double most = 0;
  for (int i = 0; i < PAIRS; i++)
    most = fmax(most, fabs(b[i]));
  return most;
}

static void test_large_chained(void **state) {
  enum { FIRST = 700, NEIGHBOURS = 6 };
  static double share[PAIRS], q[2 * PAIRS], b[PAIRS];
  static int start[2 * PAIRS + 1], diagonal[2 * PAIRS + 1], row[2 * PAIRS], empty[3 * PAIRS + 1];
  static int chained_start[2 * PAIRS + 1], chained_row[3 * PAIRS];
  fly_eval e;
  fly_partition p;
  for (int k = 0; k < PAIRS; k++)
    share[k] = 0.5;
  fly_dae_problem d = pairs(share, start, diagonal, row);
  for (int k = 0, at = 0; k < PAIRS; k++) {
    if (k > 0)
      chained_row[at++] = k - 1;
    chained_row[at++] = k;
    chained_start[2 * k + 1] = at;
    chained_row[at++] = k;
    chained_start[2 * k + 2] = at;
  }
  d.constraint_jacobian = chained_rows;
  d.constraint_pattern = (fly_pattern){chained_start, chained_row};
  d.jacobian_pattern = (fly_pattern){empty, row};
  assert_int_equal(fly_eval_create(&e, &d, NULL), FLY_OK);
  assert_int_equal(fly_eval_kinematics(&e, 0, q), 0);
  assert_int_equal(fly_partition_create(&p, &e, NULL), FLY_OK);
  assert_int_equal(fly_partition_choose(&p, NULL), FLY_OK);
  for (int k = 0; k < NEIGHBOURS; k++)
    share[FIRST + k] = 3 + k;
  assert_int_equal(fly_eval_kinematics(&e, 0, q), 0);
  const long before = fly_partition_count(&p).factorizations;
  assert_int_equal(fly_partition_choose(&p, NULL), FLY_OK);
  assert_int_equal(fly_partition_count(&p).factorizations - before, 1);
  for (int k = 0; k < PAIRS; k++)
    assert_int_equal(p.kind[2 * k] == FLY_INDEPENDENT, k >= FIRST && k < FIRST + NEIGHBOURS);
  for (int k = 0; k < PAIRS; k++)
    assert_at_most(most_moved(&p, &e, p.independent[k], b), 1.5);
  end(&p, &e);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_choice), cmocka_unit_test(test_units),         cmocka_unit_test(test_solve),
      cmocka_unit_test(test_growth), cmocka_unit_test(test_nonholonomic),  cmocka_unit_test(test_dependent_rows),
      cmocka_unit_test(test_large),  cmocka_unit_test(test_large_chained),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
