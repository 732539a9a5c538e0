// The list of problems: names, shapes, starts, and every derivative of every problem against differences.
//
// labels: valgrind
// link: -Wl,--wrap=calloc -Wl,--wrap=free
#include "oracle.h"

#include <stdlib.h>

// ---------------------------------------------------------------------------------------------- memory that fails

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void __real_free(void *memory);
void __wrap_free(void *memory);

static int live;            // blocks taken and not given back
static int fail_after = -1; // allocations until one fails; < 0: none fails

void *__wrap_calloc(size_t count, size_t size) {
  if (fail_after == 0)
    return NULL;
  fail_after -= fail_after > 0;
  live++;
  return __real_calloc(count, size);
}

void __wrap_free(void *memory) {
  live -= memory != NULL;
  __real_free(memory);
}

// ---------------------------------------------------------------------------------------------- walking the list

typedef void visit_fn(const fly_problem *p, const char *label);

static void visit(visit_fn *fn, const fly_problem_info *info, const char *variant) {
  fly_problem p;
  fly_error error = {0};
  char label[128];
  snprintf(label, sizeof label, "%s%s%s", info->name, variant ? ":" : "", variant ? variant : "");
  if (fly_problem_make(&p, info->name, variant, 0, &error) != FLY_OK)
    fail_msg("%s: %s", label, error.message);
  fn(&p, label);
  fly_problem_free(&p);
}

// Calls fn for every problem, by default and in every named variant.
static void walk(visit_fn *fn) {
  for (const fly_problem_info *info = fly_problem_list; info->name; info++) {
    char variants[200];
    snprintf(variants, sizeof variants, "%s", info->variants);
    visit(fn, info, NULL);
    for (char *word = strtok(variants, " "); word; word = strtok(NULL, " "))
      visit(fn, info, word);
  }
  assert_int_equal(live, 0);
}

// ---------------------------------------------------------------------------------------------- derivatives

// A state near the start, off the constraints, with everything nonzero (multipliers that do not exist too).
static point random_point(const fly_problem *p, uint64_t *seed) {
  const fly_dae_problem *d = &p->dae;
  point s = start_of(p);
  double delta[MAX] = {0};
  for (int i = 0; i < d->nv; i++) {
    delta[i] = 0.3 * scale_of(d, i) * noise(seed);
    s.v[i] = s.v[i] * (1 + 0.3 * noise(seed)) + 3 * scale_of(d, i) * noise(seed);
    s.vdot[i] = 20 * scale_of(d, i) * noise(seed);
  }
  positions_plus(s.q, d, delta);
  for (int i = 0; i < MAX; i++)
    s.lambda[i] = 5 * noise(seed);
  for (int i = 0; i < d->nx; i++) {
    s.x[i] = noise(seed);
    s.xdot[i] = noise(seed);
  }
  for (int i = 0; i < d->ny; i++)
    s.y[i] = noise(seed);
  s.t = p->t_end * (noise(seed) + 1) / 2;
  return s;
}

// Compares column c of A with a difference of its first rows.
static void compare(const char *label, const char *what, matrix *A, int c, const difference *diff) {
  for (int r = 0; r < A->rows; r++) {
    const double given = *entry(A, r, c), expected = diff->value[r];
    const double roundoff = diff->roundoff[r], truncation = diff->truncation[r];
    if (!(fabs(given - expected) <= 1e-9 * fabs(expected) + 10 * (roundoff + truncation)))
      fail_msg("%s, %s: d(row %d)/d(%d) is %.12g, differences give %.12g (errors %.1e, %.1e)", label, what, r, c, given,
               expected, roundoff, truncation);
    if (truncation > 1e-6 * (1 + fabs(expected)) + roundoff)
      fail_msg("%s, %s: d(row %d)/d(%d): the difference %.12g is too rough (%.1e)", label, what, r, c, expected,
               truncation);
  }
}

static void compare_columns(const char *label, const char *what, matrix *A, int first, int count, vector_fn *fn,
                            move_fn *move, const fly_dae_problem *d, const point *at, bool scaled) {
  for (int i = 0; i < count; i++) {
    const double h = 0.02 * (scaled ? scale_of(d, i) : 1);
    const difference diff = differentiate(fn, A->rows, d, at, move, i, h);
    compare(label, what, A, first + i, &diff);
  }
}

static void compare_jacobian(const char *label, const fly_dae_problem *d, const point *at) {
  static matrix J0, J1, J2;
  const int nv = d->nv, nc = d->ng + d->nb, nx = d->nx, ny = d->ny;
  jacobians_of(&J0, &J1, &J2, d, at);
  compare_columns(label, "J2", &J2, 0, nv, equations, move_q, d, at, true);
  compare_columns(label, "J1, v", &J1, 0, nv, equations, move_v, d, at, true);
  compare_columns(label, "J1, x", &J1, nv + nc, nx, equations, move_x, d, at, false);
  compare_columns(label, "J0, v'", &J0, 0, nv, equations_bare, move_vdot, d, at, true);
  compare_columns(label, "J0, lambda", &J0, nv, nc, equations_bare, move_lambda, d, at, false);
  compare_columns(label, "J0, x'", &J0, nv + nc, nx, equations_bare, move_xdot, d, at, false);
  compare_columns(label, "J0, y", &J0, nv + nc + nx, ny, equations_bare, move_y, d, at, false);
  for (int c = nv; c < J0.cols; c++) // columns the header reserves
    for (int r = 0; r < J0.rows; r++) {
      assert_true(*entry(&J2, r, c) == 0);
      assert_true(*entry(&J1, r, c) == 0 || (c >= nv + nc && c < nv + nc + nx));
    }
}

static void compare_constraints(const char *label, const fly_dae_problem *d, const point *at) {
  static matrix A;
  compare_columns(label, "G", holonomic_of(&A, d, at), 0, d->nv, positions_residual, move_q, d, at, true);
  clear(&A, d->ng, 1);
  assert_int_equal(d->constraint_rate(poison(A.a, d->ng), at->t, at->q, d->user), 0);
  compare_columns(label, "g_t", &A, 0, 1, positions_residual, move_t, d, at, false);
  double *value = values(d->ng, d->nv);
  assert_int_equal(d->constraint_velocity_jacobian(value, at->t, at->q, at->v, d->user), 0);
  expand(clear(&A, d->ng, d->nv), &d->constraint_pattern, value);
  compare_columns(label, "d(Gv + g_t)/dq", &A, 0, d->nv, velocities_residual, move_q, d, at, true);
}

// The nonholonomic rows of the velocity residual.
static void slip_residual(double *out, const fly_dae_problem *d, const point *p) {
  double all[MAX];
  velocities_residual(all, d, p);
  memcpy(out, all + d->ng, (size_t)d->nb * sizeof *out);
}

static void compare_nonholonomic(const char *label, const fly_dae_problem *d, const point *at) {
  static matrix A;
  double *value = values(d->nb, d->nv);
  assert_int_equal(d->nonholonomic_velocity_jacobian(value, at->t, at->q, at->v, d->user), 0);
  expand(clear(&A, d->nb, d->nv), &d->nonholonomic_pattern, value);
  compare_columns(label, "d(Bv + b)/dq", &A, 0, d->nv, slip_residual, move_q, d, at, true);
}

static void compare_gamma(const char *label, const fly_dae_problem *d, const point *at) {
  static matrix gamma;
  clear(&gamma, d->ng + d->nb, 1);
  gammas(gamma.a, d, at);
  const double speed = fmax(1, largest(at->v, d->nv));
  const difference diff = differentiate(velocities_residual, gamma.rows, d, at, move_along, 0, 0.02 / speed);
  compare(label, "gamma", &gamma, 0, &diff);
}

static void check_derivatives(const fly_problem *p, const char *label) {
  uint64_t seed = 2024;
  for (int n = 0; n < 5; n++) {
    const point at = random_point(p, &seed);
    compare_jacobian(label, &p->dae, &at);
    if (p->dae.ng > 0)
      compare_constraints(label, &p->dae, &at);
    if (p->dae.nb > 0)
      compare_nonholonomic(label, &p->dae, &at);
    if (p->dae.ng + p->dae.nb > 0)
      compare_gamma(label, &p->dae, &at);
  }
}

static void test_derivatives(void **state) {
  (void)state;
  walk(check_derivatives);
}

// ---------------------------------------------------------------------------------------------- shapes

static void check_pattern(const char *label, const fly_pattern *pattern, int rows, int cols) {
  if (!pattern->start)
    return;
  assert_int_equal(pattern->start[0], 0);
  for (int c = 0; c < cols; c++)
    for (int k = pattern->start[c]; k < pattern->start[c + 1]; k++) {
      if (pattern->row[k] < 0 || pattern->row[k] >= rows)
        fail_msg("%s: column %d has a row %d outside", label, c, pattern->row[k]);
      if (k > pattern->start[c] && pattern->row[k] <= pattern->row[k - 1])
        fail_msg("%s: column %d is not ascending", label, c);
    }
}

static void check_patterns(const fly_problem *p, const char *label) {
  const fly_dae_problem *d = &p->dae;
  check_pattern(label, &d->mass_pattern, d->nv, d->nv);
  check_pattern(label, &d->constraint_pattern, d->ng, d->nv);
  check_pattern(label, &d->nonholonomic_pattern, d->nb, d->nv);
  check_pattern(label, &d->jacobian_pattern, d->nv + d->nx + d->ny, d->nv + d->ng + d->nb + d->nx + d->ny);
}

// Everything a run could ask for is given, so that nothing is left to differences.
static void check_complete(const fly_problem *p, const char *label) {
  const fly_dae_problem *d = &p->dae;
  assert_non_null(d->name);
  assert_true(strncmp(d->name, label, strlen(d->name)) == 0);
  assert_int_equal(d->nq, d->nv + d->nrotation);
  assert_true(d->mass && d->force && d->jacobian);
  assert_true(d->ng == 0 || (d->constraint && d->constraint_jacobian && d->constraint_rate && d->constraint_gamma &&
                             d->constraint_velocity_jacobian));
  assert_true(d->nb == 0 || (d->nonholonomic && d->nonholonomic_gamma && d->nonholonomic_velocity_jacobian));
  assert_true(d->ng + d->nb == 0 || d->row_name);
  assert_true(d->nx == 0 || (d->states && p->x0));
  assert_true(d->ny == 0 || d->outputs);
  assert_true(p->t_end > p->t0);
  assert_true(!p->reference_q || p->reference_t > p->t0);
}

static void check_names(const fly_problem *p, const char *label) {
  const fly_dae_problem *d = &p->dae;
  for (int i = 0; i < d->nq; i++) {
    assert_non_null(p->q_names[i]);
    for (int j = 0; j < i; j++)
      assert_string_not_equal(p->q_names[i], p->q_names[j]);
  }
  char row[MAX][80];
  for (int i = 0; i < d->ng + d->nb; i++) {
    d->row_name(row[i], sizeof row[i], i, d->user);
    for (int j = 0; j < i; j++)
      if (strcmp(row[i], row[j]) == 0)
        fail_msg("%s: rows %d and %d are both called %s", label, j, i, row[i]);
    char cut[4];
    d->row_name(cut, sizeof cut, i, d->user);
    assert_int_equal(strlen(cut), 3);
  }
  for (int i = 0; i < d->nv; i++)
    assert_true(scale_of(d, i) > 0);
}

static void test_shapes(void **state) {
  (void)state;
  walk(check_patterns);
  walk(check_complete);
  walk(check_names);
}

// Symmetric, and Cholesky's pivots are positive.
static void check_mass(const fly_problem *p, const char *label) {
  static matrix M, first;
  const fly_dae_problem *d = &p->dae;
  uint64_t seed = 7;
  for (int n = 0; n < 10; n++) {
    const point at = random_point(p, &seed);
    mass_of(&M, d, &at);
    if (n == 0)
      first = M;
    if (d->mass_constant)
      assert_memory_equal(M.a, first.a, sizeof(double) * (size_t)(d->nv * d->nv));
    for (int k = 0; k < d->nv; k++) {
      for (int i = 0; i < k; i++)
        assert_true(*entry(&M, i, k) == *entry(&M, k, i) || *entry(&M, k, i) == 0); // the lower part is used up below
      if (!(*entry(&M, k, k) > 0))
        fail_msg("%s: the mass matrix is not positive", label);
      for (int i = k + 1; i < d->nv; i++)
        assert_true(*entry(&M, i, k) == *entry(&M, k, i));
      for (int j = k + 1; j < d->nv; j++)
        for (int i = j; i < d->nv; i++) {
          *entry(&M, i, j) -= *entry(&M, i, k) * *entry(&M, j, k) / *entry(&M, k, k);
          *entry(&M, j, i) = *entry(&M, i, j);
        }
    }
  }
}

static void test_mass(void **state) {
  (void)state;
  walk(check_mass);
}

// ---------------------------------------------------------------------------------------------- starts and references

// Sizes are compared with the terms of the sums: lengths below 4 m, speeds below 200.
static void check_start(const fly_problem *p, const char *label) {
  const fly_dae_problem *d = &p->dae;
  const point s = start_of(p);
  double g[MAX] = {0}, rate[MAX] = {0};
  positions_residual(g, d, &s);
  velocities_residual(rate, d, &s);
  const double speed = fmax(1, largest(s.v, d->nv));
  if (largest(g, d->ng) > 1e-15 || largest(rate, d->ng + d->nb) > 4e-15 * speed)
    fail_msg("%s: the start leaves %.2e in positions, %.2e in velocities", label, largest(g, d->ng),
             largest(rate, d->ng + d->nb));
}

// The end values lie on the constraints, as far as their digits go.
static void check_reference(const fly_problem *p, const char *label) {
  const fly_dae_problem *d = &p->dae;
  point s = {.t = p->reference_t};
  double g[MAX] = {0}, rate[MAX] = {0};
  if (!p->reference_q)
    return;
  const double digits = strcmp(d->name, "slider-crank") == 0 ? 1e-12 : 1e-14;
  memcpy(s.q, p->reference_q, (size_t)d->nq * sizeof *s.q);
  if (p->reference_v)
    memcpy(s.v, p->reference_v, (size_t)d->nv * sizeof *s.v);
  positions_residual(g, d, &s);
  velocities_residual(rate, d, &s);
  if (largest(g, d->ng) > digits || (p->reference_v && largest(rate, d->ng + d->nb) > 1e-11))
    fail_msg("%s: the reference leaves %.2e in positions, %.2e in velocities", label, largest(g, d->ng),
             largest(rate, d->ng + d->nb));
}

static void test_starts(void **state) {
  (void)state;
  walk(check_start);
  walk(check_reference);
}

// ---------------------------------------------------------------------------------------------- making

static void check_no_memory(const fly_problem *unused, const char *label) {
  (void)unused;
  char name[128];
  snprintf(name, sizeof name, "%s", label);
  char *variant = strchr(name, ':');
  if (variant)
    *variant++ = 0;
  const int before = live;
  for (int n = 0;; n++) {
    fly_problem p;
    fly_error error = {0};
    fail_after = n;
    const fly_status status = fly_problem_make(&p, name, variant, 0, &error);
    const bool failed = fail_after == 0;
    fail_after = -1;
    if (!failed) {
      assert_int_equal(status, FLY_OK);
      fly_problem_free(&p);
      assert_int_equal(live, before);
      assert_true(n > 1);
      return;
    }
    if (status == FLY_OK) { // it needed exactly n
      fly_problem_free(&p);
      continue;
    }
    assert_int_equal(status, FLY_NO_MEMORY);
    assert_int_equal(error.status, FLY_NO_MEMORY);
    assert_true(strlen(error.message) > 10);
    assert_null(p.q0);
    assert_int_equal(live, before);
  }
}

static void test_no_memory(void **state) {
  (void)state;
  walk(check_no_memory);
}

static void expect_message(const char *name, const char *variant, int n, const char *part) {
  fly_problem p;
  fly_error error = {0};
  assert_int_equal(fly_problem_make(&p, name, variant, n, &error), FLY_BAD_INPUT);
  assert_int_equal(error.status, FLY_BAD_INPUT);
  assert_true(isnan(error.time));
  if (!strstr(error.message, part))
    fail_msg("\"%s\" does not say \"%s\"", error.message, part);
  assert_null(p.q0);
  assert_int_equal(fly_problem_make(&p, name, variant, n, NULL), FLY_BAD_INPUT);
}

static void test_messages(void **state) {
  (void)state;
  expect_message("pendulm", NULL, 0, "Did you mean \"pendulum\"?");
  expect_message("seven_body", NULL, 0, "Did you mean \"seven-body\"?");
  expect_message("nonsense", NULL, 0, "pendulum pendulum-family double-pendulum");
  expect_message("nonsense", NULL, 0, "redundant lock.");
  expect_message("", NULL, 0, "There is no problem \"\"");
  expect_message("pendulum", "iftom", 0, "Did you mean \"iftomm\"?");
  expect_message("pendulum", "newmark iftomm", 0, "has no variant");
  expect_message("pendulum", "", 0, "Its variants are: newmark iftomm.");
  expect_message("chain", "long", 0, "no variants");
  expect_message("pendulum", NULL, 5, "fixed size");
  expect_message("chain", NULL, -1, "1 to 10000000 links, not -1");
  char long_name[3000];
  memset(long_name, 'x', sizeof long_name - 1);
  long_name[sizeof long_name - 1] = 0;
  expect_message(long_name, NULL, 0, "redundant lock.");
  expect_message("pendulum", long_name, 0, "Its variants are");
}

static void test_list(void **state) {
  (void)state;
  for (const fly_problem_info *a = fly_problem_list; a->name; a++) {
    assert_true(a->source[0] && a->summary[0] && a->make);
    assert_null(strchr(a->summary, '\n'));
    assert_non_null(a->variants);
    for (const fly_problem_info *b = fly_problem_list; b != a; b++)
      assert_string_not_equal(a->name, b->name);
    const bool fails = strcmp(a->name, "redundant") == 0 || strcmp(a->name, "lock") == 0;
    assert_int_equal(strstr(a->summary, "meant to fail") != NULL, fails);
  }
  fly_problem_free(NULL);
}

// The default is the first variant, and the other ones differ from it.
static void check_default(const fly_problem *p, const char *label) {
  const char *variant = strchr(label, ':');
  if (!variant)
    return;
  const fly_problem_info *info = fly_problem_list;
  while (strcmp(info->name, p->dae.name) != 0)
    info++;
  fly_problem other;
  assert_int_equal(fly_problem_make(&other, info->name, NULL, 0, NULL), FLY_OK);
  const size_t first_word = strcspn(info->variants, " ");
  const bool first = strlen(variant + 1) == first_word && memcmp(info->variants, variant + 1, first_word) == 0;
  bool same = other.t_end == p->t_end && memcmp(other.q0, p->q0, (size_t)p->dae.nq * sizeof *p->q0) == 0;
  same = same && memcmp(other.v0, p->v0, (size_t)p->dae.nv * sizeof *p->v0) == 0;
  if (p->reference_q && other.reference_q) // oscillators start alike
    same = same && memcmp(other.reference_q, p->reference_q, (size_t)p->dae.nq * sizeof *p->q0) == 0;
  assert_int_equal(same, first);
  fly_problem_free(&other);
}

static void test_default_variant(void **state) {
  (void)state;
  walk(check_default);
}

// The chain's patterns, and so its memory, grow in proportion to n; one link works too.
static void test_chain_sizes(void **state) {
  (void)state;
  for (int n = 1; n <= 1000000; n = n < 4 ? n + 1 : n * 50) {
    fly_problem p;
    assert_int_equal(fly_problem_make(&p, "chain", NULL, n, NULL), FLY_OK);
    assert_int_equal(p.dae.nv, 2 * n);
    assert_int_equal(p.dae.mass_pattern.start[2 * n], 2 * n);
    assert_int_equal(p.dae.constraint_pattern.start[2 * n], 4 * n - 2);
    assert_int_equal(p.dae.jacobian_pattern.start[3 * n], 6 * n - 4);
    check_patterns(&p, "chain");
    if (n <= 10) {
      check_derivatives(&p, "chain");
      check_start(&p, "chain");
    }
    assert_true(p.q0[2 * n - 2] == 1 && p.q0[2 * n - 1] == 0);
    char last[20], link[40];
    snprintf(last, sizeof last, "y%d", n);
    assert_string_equal(p.q_names[2 * n - 1], last);
    assert_string_equal(p.q_names[0], "x1");
    p.dae.row_name(link, sizeof link, 0, p.dae.user);
    assert_string_equal(link, "link 1, length");
    fly_problem_free(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_list),      cmocka_unit_test(test_messages),    cmocka_unit_test(test_default_variant),
      cmocka_unit_test(test_no_memory), cmocka_unit_test(test_shapes),      cmocka_unit_test(test_mass),
      cmocka_unit_test(test_starts),    cmocka_unit_test(test_derivatives), cmocka_unit_test(test_chain_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
