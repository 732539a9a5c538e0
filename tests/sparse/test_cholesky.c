// Factors by fronts: solutions of grids of springs against what was put in, unknowns that are held, many right sides.
// labels: valgrind blas
#include <stdlib.h>
#include <string.h>

#include "matrices.h"
#include "sparse/cholesky.h"

static void assert_close(double a, double b, double error) {
  if (!(fabs(a - b) <= error))
    fail_msg("%.17g is not %.17g", a, b);
}

typedef struct grid {
  int n, groups;
  int *start;
  double *place;
  bool *held;
  fly_csc a;
} grid;

enum { SIDE = 9, EACH = 2 }; // nodes along an edge, unknowns of a node

static int node_at(int i, int j, int k) { return i + SIDE * (j + SIDE * k); }

// Neighbours are joined by springs of random size, and each node to ground by a weak one.
static grid make_grid(void) {
  grid g = {.groups = SIDE * SIDE * SIDE};
  const int most = 40 * g.groups * EACH * EACH;
  int *row = malloc((size_t)most * sizeof *row), *col = malloc((size_t)most * sizeof *col), count = 0;
  double *value = malloc((size_t)most * sizeof *value);
  int *place = malloc((size_t)most * sizeof *place);
  uint64_t seed = 5;
  g.n = EACH * g.groups;
  g.start = malloc((size_t)(g.groups + 1) * sizeof *g.start);
  g.place = malloc(3 * (size_t)g.groups * sizeof *g.place);
  g.held = calloc((size_t)g.groups, sizeof *g.held);
  for (int k = 0; k <= g.groups; k++)
    g.start[k] = EACH * k;
  for (int p = 0; p < g.groups; p++) {
    const int at[3] = {p % SIDE, p / SIDE % SIDE, p / SIDE / SIDE};
    for (int i = 0; i < 3; i++)
      g.place[3 * p + i] = at[i];
    for (int c = 0; c < EACH; c++) {
      row[count] = col[count] = EACH * p + c;
      value[count++] = 1e-3;
    }
    for (int i = 0; i < 3; i++) {
      int to[3] = {at[0], at[1], at[2]};
      if (++to[i] == SIDE)
        continue;
      const int q = node_at(to[0], to[1], to[2]);
      for (int c = 0; c < EACH; c++)
        for (int d = 0; d < EACH; d++) {
          const double s = (c == d ? 1.5 : 0.4) + 0.3 * (c == d) * random_double(&seed);
          const int at_row[4] = {EACH * p + c, EACH * q + c, EACH * p + c, EACH * q + c};
          const int at_col[4] = {EACH * p + d, EACH * q + d, EACH * q + d, EACH * p + d};
          for (int e = 0; e < 4; e++) {
            row[count] = at_row[e];
            col[count] = at_col[e];
            value[count++] = e < 2 ? s : -s;
          }
        }
    }
  }
  assert_int_equal(fly_csc_from_entries(&g.a, g.n, g.n, count, row, col, place, NULL), FLY_OK);
  for (int e = 0; e < count; e++)
    g.a.val[place[e]] += value[e];
  free(row), free(col), free(value), free(place);
  return g;
}

static void free_grid(grid *g) {
  free(g->start), free(g->place), free(g->held);
  fly_csc_free(&g->a);
}

static fly_cholesky *factor(const grid *g, const double *B, double shift) {
  fly_cholesky *c = NULL;
  const fly_cholesky_order order = {g->groups, g->start, g->place, g->held};
  assert_int_equal(fly_cholesky_create(&c, &g->a, &order, NULL), FLY_OK);
  assert_int_equal(fly_cholesky_factor(c, g->a.val, B, shift, NULL, NULL, NULL), FLY_OK);
  return c;
}

static void what_was_put_in_comes_out(void **state) {
  grid g = make_grid();
  fly_cholesky *c = factor(&g, NULL, 0);
  double *x = calloc((size_t)g.n, sizeof *x), *b = calloc(3 * (size_t)g.n, sizeof *b);
  uint64_t seed = 1;
  for (int i = 0; i < g.n; i++)
    x[i] = random_double(&seed);
  for (int k = 0; k < 3; k++)
    fly_csc_multiply_add(b + (size_t)k * (size_t)g.n, &g.a, k + 1, x);
  assert_int_equal(fly_cholesky_solve(c, b, 3, NULL), FLY_OK);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < g.n; i++)
      assert_close(b[k * g.n + i], (k + 1) * x[i], 1e-9);
  memset(b, 0, (size_t)g.n * sizeof *b);
  fly_csc_multiply_add(b, &g.a, 1, x);
  assert_int_equal(fly_cholesky_solve(c, b, 1, NULL), FLY_OK); // one column goes another way
  for (int i = 0; i < g.n; i++)
    assert_close(b[i], x[i], 1e-9);
  assert_true(fly_cholesky_entries(c) < (size_t)g.n * (size_t)g.n / 3);
  free(x), free(b);
  fly_cholesky_free(c);
  free_grid(&g);
}

static void what_is_held_is_zero(void **state) {
  grid g = make_grid();
  for (int k = 0; k < g.groups; k += 7)
    g.held[k] = true;
  fly_cholesky *c = factor(&g, g.a.val, 0.5); // A + A/2
  double *x = calloc((size_t)g.n, sizeof *x), *b = calloc((size_t)g.n, sizeof *b);
  uint64_t seed = 2;
  for (int i = 0; i < g.n; i++)
    x[i] = g.held[i / EACH] ? 0 : random_double(&seed);
  fly_csc_multiply_add(b, &g.a, 1.5, x);
  assert_int_equal(fly_cholesky_solve(c, b, 1, NULL), FLY_OK);
  for (int i = 0; i < g.n; i++)
    assert_close(b[i], x[i], 1e-9);
  assert_int_equal(fly_cholesky_free_count(c), g.n - EACH * ((g.groups + 6) / 7));
  free(x), free(b);
  fly_cholesky_free(c);
  free_grid(&g);
}

static void what_is_not_positive_is_told(void **state) {
  grid g = make_grid();
  fly_cholesky *c = NULL;
  const fly_cholesky_order order = {g.groups, g.start, g.place, g.held};
  assert_int_equal(fly_cholesky_create(&c, &g.a, &order, NULL), FLY_OK);
  assert_int_equal(fly_cholesky_factor(c, g.a.val, g.a.val, -2, NULL, NULL, NULL), FLY_SINGULAR);
  fly_cholesky_free(c);
  free_grid(&g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_put_in_comes_out),
      cmocka_unit_test(what_is_held_is_zero),
      cmocka_unit_test(what_is_not_positive_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
