// Factors in panels against the same factors entry by entry: panels of every width, padded and not.
// labels: valgrind
#include "matrices.h"

#include <string.h>

#include "sparse/panels.h"

enum { N = 60 };

// A strict triangle as a dense array, its vectors in compressed form. Neighbours share most of their pattern.
typedef struct triangle {
  double value[N][N]; // of vector k at an index
  int start[N + 1], index[N * N];
} triangle;

static void make(triangle *t, int group, double density, uint64_t *seed) {
  memset(t, 0, sizeof *t);
  bool shared[N] = {0};
  for (int k = 0; k < N; k++) {
    for (int i = 0; i < N && k % group == 0; i++)
      shared[i] = random_double(seed) < 2 * density - 1;
    t->start[k + 1] = t->start[k];
    for (int i = k + 1; i < N; i++)
      if (shared[i] != (random_double(seed) > 0.95)) {
        t->value[k][i] = 0.3 * random_double(seed);
        t->index[t->start[k + 1]++] = i;
      }
  }
}

static void fill(fly_panels *f, const triangle *t) {
  assert_true(fly_panels_build(f, N, t->start, t->index));
  for (int round = 0; round < 2; round++) { // twice, as for a matrix with kept pivots
    for (int k = 0; k < N; k++) {
      int hint = 0;
      for (int e = t->start[k]; e < t->start[k + 1]; e++)
        *fly_panels_at(f, k, t->index[e], &hint) = t->value[k][t->index[e]];
    }
  }
}

static void check(int group, double density, uint64_t *seed, bool *seen) {
  triangle t;
  fly_panels f = {0};
  double x[N], y[N];
  make(&t, group, density, seed);
  fill(&f, &t);
  for (int p = 0; p < f.count; p++)
    seen[f.first[p + 1] - f.first[p]] = true;
  for (int i = 0; i < N; i++)
    x[i] = y[i] = random_double(seed);
  fly_panels_forward(&f, x);
  for (int k = 0; k < N; k++)
    for (int i = k + 1; i < N; i++)
      y[i] -= t.value[k][i] * y[k];
  for (int i = 0; i < N; i++)
    assert_near(x[i], y[i], 1e-13 * (1 + fabs(y[i])));
  fly_panels_backward(&f, x);
  for (int k = N - 1; k >= 0; k--)
    for (int i = k + 1; i < N; i++)
      y[k] -= t.value[k][i] * y[i];
  for (int i = 0; i < N; i++)
    assert_near(x[i], y[i], 1e-12 * (1 + fabs(y[i])));
  fly_panels_free(&f);
}

static void panels_solve_as_their_vectors(void **state) {
  (void)state;
  uint64_t seed = 5;
  bool seen[16] = {0};
  for (int group = 1; group <= 9; group++)
    for (int repeat = 0; repeat < 10; repeat++)
      check(group, 0.1 * repeat, &seed, seen);
  for (int width = 1; width <= 6; width++)
    assert_true(seen[width]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(panels_solve_as_their_vectors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
