// Several mechanisms in one problem, without any coupling: each moves as if it were alone. Rotations, holonomic and
// nonholonomic rows, states and outputs of all of them share the arrays, so a wrong offset anywhere shows.
#include <stdlib.h>
#include <string.h>

#include "support/motion.h"

enum { PARTS = 4, MOST = 64 };

typedef struct part {
  fly_problem problem;
  int q, v, g, b, x, y; // first of its numbers in the sum
} part;

typedef struct sum {
  part part[PARTS];
  int nq, nv, ng, nb, nx, ny, nrotation;
  int rotation_q[PARTS], rotation_v[PARTS];
  double q0[MOST], v0[MOST], x0[MOST], scale_v[MOST];
} sum;

// ---------------------------------------------------------------------------------------------- callbacks

// The state of one part, its multipliers gathered from the two groups of rows.
static fly_dae_state state_of(const part *k, const sum *s, const fly_dae_state *at, double *lambda) {
  const fly_dae_problem *d = &k->problem.dae;
  for (int i = 0; i < d->ng; i++)
    lambda[i] = at->lambda[k->g + i];
  for (int i = 0; i < d->nb; i++)
    lambda[d->ng + i] = at->lambda[s->ng + k->b + i];
  return (fly_dae_state){at->t,           at->q + k->q, at->v + k->v, at->vdot + k->v, lambda, at->x + k->x,
                         at->xdot + k->x, at->y + k->y, NULL};
}

// Copies a dense block (rows x cols) of a part into the dense matrix of the sum, whose columns have `height` rows.
static void put(double *out, int height, int row, int col, const double *block, int rows, int cols) {
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++)
      out[(size_t)(col + j) * (size_t)height + (size_t)(row + i)] = block[j * rows + i];
}

static int sum_mass(double *M, double t, const double *q, void *user) {
  const sum *s = user;
  for (const part *k = s->part; k < s->part + PARTS; k++) {
    const fly_dae_problem *d = &k->problem.dae;
    double block[MOST * MOST] = {0};
    if (d->mass(block, t, q + k->q, d->user))
      return 1;
    put(M, s->nv, k->v, k->v, block, d->nv, d->nv);
  }
  return 0;
}

static int sum_force(double *f, const fly_dae_state *at, void *user) {
  const sum *s = user;
  double lambda[MOST] = {0};
  for (const part *k = s->part; k < s->part + PARTS; k++) {
    const fly_dae_state own = state_of(k, s, at, lambda);
    if (k->problem.dae.force(f + k->v, &own, k->problem.dae.user))
      return 1;
  }
  return 0;
}

static int sum_states(double *out, const fly_dae_state *at, void *user) {
  const sum *s = user;
  double lambda[MOST] = {0};
  for (const part *k = s->part; k < s->part + PARTS; k++) {
    const fly_dae_state own = state_of(k, s, at, lambda);
    if (k->problem.dae.nx && k->problem.dae.states(out + k->x, &own, k->problem.dae.user))
      return 1;
  }
  return 0;
}

static int sum_outputs(double *out, const fly_dae_state *at, void *user) {
  const sum *s = user;
  double lambda[MOST] = {0};
  for (const part *k = s->part; k < s->part + PARTS; k++) {
    const fly_dae_state own = state_of(k, s, at, lambda);
    if (k->problem.dae.ny && k->problem.dae.outputs(out + k->y, &own, k->problem.dae.user))
      return 1;
  }
  return 0;
}

static int sum_constraint(double *g, double t, const double *q, void *user) {
  const sum *s = user;
  for (const part *k = s->part; k < s->part + PARTS; k++)
    if (k->problem.dae.ng && k->problem.dae.constraint(g + k->g, t, q + k->q, k->problem.dae.user))
      return 1;
  return 0;
}

static int sum_constraint_jacobian(double *G, double t, const double *q, void *user) {
  const sum *s = user;
  for (const part *k = s->part; k < s->part + PARTS; k++) {
    const fly_dae_problem *d = &k->problem.dae;
    double block[MOST * MOST] = {0};
    if (d->ng && d->constraint_jacobian(block, t, q + k->q, d->user))
      return 1;
    put(G, s->ng, k->g, k->v, block, d->ng, d->nv);
  }
  return 0;
}

static int sum_nonholonomic(double *B, double t, const double *q, void *user) {
  const sum *s = user;
  for (const part *k = s->part; k < s->part + PARTS; k++) {
    const fly_dae_problem *d = &k->problem.dae;
    double block[MOST * MOST] = {0};
    if (d->nb && d->nonholonomic(block, t, q + k->q, d->user))
      return 1;
    put(B, s->nb, k->b, k->v, block, d->nb, d->nv);
  }
  return 0;
}

static int sum_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  const sum *s = user;
  for (const part *k = s->part; k < s->part + PARTS; k++) {
    const fly_dae_problem *d = &k->problem.dae;
    if (d->ng && d->constraint_gamma(gamma + k->g, t, q + k->q, v + k->v, d->user))
      return 1;
  }
  return 0;
}

static int sum_nonholonomic_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  const sum *s = user;
  for (const part *k = s->part; k < s->part + PARTS; k++) {
    const fly_dae_problem *d = &k->problem.dae;
    if (d->nb && d->nonholonomic_gamma(gamma + k->b, t, q + k->q, v + k->v, d->user))
      return 1;
  }
  return 0;
}

static int sum_velocity_jacobian(double *Z, double t, const double *q, const double *v, void *user) {
  const sum *s = user;
  for (const part *k = s->part; k < s->part + PARTS; k++) {
    const fly_dae_problem *d = &k->problem.dae;
    double block[MOST * MOST] = {0};
    if (d->ng && d->constraint_velocity_jacobian(block, t, q + k->q, v + k->v, d->user))
      return 1;
    put(Z, s->ng, k->g, k->v, block, d->ng, d->nv);
  }
  return 0;
}

static int sum_nonholonomic_velocity_jacobian(double *Z, double t, const double *q, const double *v, void *user) {
  const sum *s = user;
  for (const part *k = s->part; k < s->part + PARTS; k++) {
    const fly_dae_problem *d = &k->problem.dae;
    double block[MOST * MOST] = {0};
    if (d->nb && d->nonholonomic_velocity_jacobian(block, t, q + k->q, v + k->v, d->user))
      return 1;
    put(Z, s->nb, k->b, k->v, block, d->nb, d->nv);
  }
  return 0;
}

// Places of a part's rows (v, x, y) and columns (v, g, b, x, y) in the sum.
static int rows_of(const part *k, const sum *s, int *row) {
  const fly_dae_problem *d = &k->problem.dae;
  int n = 0;
  for (int i = 0; i < d->nv; i++)
    row[n++] = k->v + i;
  for (int i = 0; i < d->nx; i++)
    row[n++] = s->nv + k->x + i;
  for (int i = 0; i < d->ny; i++)
    row[n++] = s->nv + s->nx + k->y + i;
  return n;
}

static int columns_of(const part *k, const sum *s, int *col) {
  const fly_dae_problem *d = &k->problem.dae;
  const int nl = s->ng + s->nb;
  int n = 0;
  for (int i = 0; i < d->nv; i++)
    col[n++] = k->v + i;
  for (int i = 0; i < d->ng; i++)
    col[n++] = s->nv + k->g + i;
  for (int i = 0; i < d->nb; i++)
    col[n++] = s->nv + s->ng + k->b + i;
  for (int i = 0; i < d->nx; i++)
    col[n++] = s->nv + nl + k->x + i;
  for (int i = 0; i < d->ny; i++)
    col[n++] = s->nv + nl + s->nx + k->y + i;
  return n;
}

static int sum_jacobian(double *J0, double *J1, double *J2, const fly_dae_state *at, void *user) {
  const sum *s = user;
  const int height = s->nv + s->nx + s->ny;
  double *const J[3] = {J0, J1, J2};
  for (const part *k = s->part; k < s->part + PARTS; k++) {
    static double block[3][MOST * MOST];
    double lambda[MOST] = {0};
    int row[MOST], col[MOST];
    const int rows = rows_of(k, s, row), cols = columns_of(k, s, col);
    const fly_dae_state own = state_of(k, s, at, lambda);
    memset(block, 0, sizeof block);
    if (k->problem.dae.jacobian(block[0], block[1], block[2], &own, k->problem.dae.user))
      return 1;
    for (int level = 0; level < 3; level++)
      for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
          J[level][col[j] * height + row[i]] = block[level][j * rows + i];
  }
  return 0;
}

// ---------------------------------------------------------------------------------------------- the sum

static void add(sum *s, int index, const char *name) {
  part *k = &s->part[index];
  *k = (part){problem_of(name, NULL, 0), s->nq, s->nv, s->ng, s->nb, s->nx, s->ny};
  const fly_dae_problem *d = &k->problem.dae;
  memcpy(s->q0 + s->nq, k->problem.q0, (size_t)d->nq * sizeof(double));
  memcpy(s->v0 + s->nv, k->problem.v0, (size_t)d->nv * sizeof(double));
  if (d->nx)
    memcpy(s->x0 + s->nx, k->problem.x0, (size_t)d->nx * sizeof(double));
  for (int i = 0; i < d->nrotation; i++) {
    s->rotation_q[s->nrotation] = s->nq + d->rotation_q[i];
    s->rotation_v[s->nrotation++] = s->nv + d->rotation_v[i];
  }
  s->nq += d->nq, s->nv += d->nv, s->ng += d->ng, s->nb += d->nb, s->nx += d->nx, s->ny += d->ny;
}

static fly_problem problem_of_sum(sum *s) {
  return (fly_problem){.dae = {.nq = s->nq,
                               .nv = s->nv,
                               .ng = s->ng,
                               .nb = s->nb,
                               .nx = s->nx,
                               .ny = s->ny,
                               .nrotation = s->nrotation,
                               .rotation_q = s->rotation_q,
                               .rotation_v = s->rotation_v,
                               .mass = sum_mass,
                               .force = sum_force,
                               .states = sum_states,
                               .outputs = sum_outputs,
                               .constraint = sum_constraint,
                               .constraint_jacobian = sum_constraint_jacobian,
                               .constraint_gamma = sum_gamma,
                               .constraint_velocity_jacobian = sum_velocity_jacobian,
                               .nonholonomic = sum_nonholonomic,
                               .nonholonomic_gamma = sum_nonholonomic_gamma,
                               .nonholonomic_velocity_jacobian = sum_nonholonomic_velocity_jacobian,
                               .jacobian = sum_jacobian,
                               .user = s},
                       .q0 = s->q0,
                       .v0 = s->v0,
                       .x0 = s->x0};
}

static double largest(const double *a, const double *b, int n) {
  double size = 0;
  for (int i = 0; i < n; i++)
    size = fmax(size, fabs(a[i] - b[i]));
  return size;
}

static void compare_part(const part *k, const sum *s, const motion *all, const fly_dae_options *o, double t_end) {
  motion alone = motion_run(&k->problem, o, t_end);
  double q = 0, v = 0, l = 0, x = 0;
  assert_int_equal(alone.count, all->count);
  for (int i = 0; i < all->count; i++) {
    const fly_dae_state at = motion_at(all, i), a = motion_at(&alone, i);
    double lambda[MOST] = {0};
    const fly_dae_state b = state_of(k, s, &at, lambda);
    q = fmax(q, largest(a.q, b.q, alone.nq));
    v = fmax(v, largest(a.v, b.v, alone.nv));
    l = fmax(l, largest(a.lambda, b.lambda, alone.nl));
    x = fmax(x, fmax(largest(a.x, b.x, alone.nx), largest(a.y, b.y, alone.ny)));
  }
  say("formulation %d, %-14s: q %.1e, v %.1e, lambda %.1e, x and y %.1e\n", o->formulation, k->problem.dae.name, q, v,
      l, x);
  assert_at_most(q, 1e-10);
  assert_at_most(v, o->formulation == FLY_INDEX3 ? 1e-5 : 1e-8); // index 3: cleaned with a kept matrix
  assert_at_most(l, 1e-3);
  assert_at_most(x, 1e-7);
  motion_free(&alone);
}

static void run_sum(const char *const name[PARTS], bool filled) {
  for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
    sum *s = calloc(1, sizeof *s);
    for (int k = 0; k < PARTS; k++)
      add(s, k, name[k]);
    fly_problem p = problem_of_sum(s);
    if (filled)
      p.dae.jacobian = NULL;
    const fly_dae_options o = with_step(options_of("ch", 0.8, f), 2e-4);
    const double t_end = 0.02;
    motion m = motion_run(&p, &o, t_end);
    for (int k = 0; k < PARTS; k++)
      compare_part(&s->part[k], s, &m, &o, t_end);
    motion_free(&m);
    for (int k = 0; k < PARTS; k++)
      fly_problem_free(&s->part[k].problem);
    free(s);
  }
}

static const char *const one_order[PARTS] = {"heavy-top", "spring-mass", "knife-edge", "rolling-coin"};
static const char *const other_order[PARTS] = {"rolling-coin", "knife-edge", "heavy-top", "spring-mass"};

static void test_one_order(void **state) { run_sum(one_order, false); }
static void test_other_order(void **state) { run_sum(other_order, false); }
static void test_differences(void **state) { run_sum(one_order, true); }

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_order), cmocka_unit_test(test_other_order),
                                     cmocka_unit_test(test_differences)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
