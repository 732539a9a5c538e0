// The order of elimination: multipliers behind all they wait for, children before their parents; of two orders the one
// with fewer products. labels: valgrind
#include <string.h>

#include "matrices.h"
#include "sparse/elimination.h"

enum { DOF = 3, ROWS = 2, MOST_JOINTS = 4000 };

// [A G^T; V 0]: bodies of three unknowns, joints of two rows each. coupled: neighbours across a joint feel each other.
typedef struct mechanism {
  int bodies, joints, pair[MOST_JOINTS][2];
  bool coupled;
} mechanism;

static void add_joint(mechanism *m, int a, int b) {
  assert_true(m->joints < MOST_JOINTS);
  m->pair[m->joints][0] = a;
  m->pair[m->joints++][1] = b;
}

static fly_csc pattern_of(const mechanism *m) {
  const int nv = DOF * m->bodies, n = nv + ROWS * m->joints, most = nv + m->joints * 42;
  int *row = calloc((size_t)most, sizeof *row), *col = calloc((size_t)most, sizeof *col);
  fly_entries e = {0, row, col};
  for (int i = 0; i < nv; i++)
    fly_entries_add(&e, i, i);
  for (int k = 0; k < m->joints; k++) {
    const int *b = m->pair[k];
    for (int i = 0; m->coupled && i < 9; i++) {
      fly_entries_add(&e, DOF * b[0] + i / 3, DOF * b[1] + i % 3);
      fly_entries_add(&e, DOF * b[1] + i / 3, DOF * b[0] + i % 3);
    }
    for (int i = 0; i < 2 * ROWS * DOF; i++) {
      const int multiplier = nv + ROWS * k + i % ROWS, unknown = DOF * b[i / (ROWS * DOF)] + i / ROWS % DOF;
      fly_entries_add(&e, multiplier, unknown);
      fly_entries_add(&e, unknown, multiplier);
    }
  }
  fly_csc a;
  assert_true(e.count <= most);
  assert_int_equal(fly_csc_from_entries(&a, n, n, e.count, row, col, NULL, NULL), FLY_OK);
  free(row);
  free(col);
  return a;
}

// Bars between the corners of n x n windows; at each corner all hang on one of them.
static mechanism grid(int n) {
  mechanism m = {0};
  int first[40][40];
  memset(first, -1, sizeof first);
  for (int i = 0; i <= n; i++)
    for (int k = 0; k <= n; k++)
      for (int upright = 0; upright < 2; upright++) {
        const int end[2][2] = {{i, k}, {i + !upright, k + upright}};
        if (end[1][0] > n || end[1][1] > n)
          continue;
        const int bar = m.bodies++;
        for (int side = 0; side < 2; side++) {
          int *at = &first[end[side][0]][end[side][1]];
          if (*at >= 0)
            add_joint(&m, *at, bar);
          *at = *at < 0 ? bar : *at;
        }
      }
  return m;
}

static mechanism line(int bodies, bool star) {
  mechanism m = {.bodies = bodies};
  for (int k = 1; k < bodies; k++)
    add_joint(&m, star ? 0 : k - 1, k);
  return m;
}

// Entries below the diagonal in each column are found by eliminating the graph, nothing clever; products as they are
// counted. Checks the order on the way.
static double products_of(const fly_elimination *e, int nv) {
  const int n = e->n;
  unsigned char *full = calloc((size_t)n * (size_t)n, 1);
  double products = 0;
  for (int k = 0; k < n; k++)
    for (int i = e->start[e->order[k]]; i < e->start[e->order[k] + 1]; i++)
      full[(size_t)k * (size_t)n + (size_t)e->place[e->next[i]]] = 1;
  for (int k = 0; k < n; k++) {
    const unsigned char *row = full + (size_t)k * (size_t)n;
    int count = 0, parent = -1;
    for (int i = k + 1; i < n; i++) {
      if (!row[i])
        continue;
      parent = parent < 0 ? i : parent;
      count++;
      for (int j = k + 1; j < n; j++)
        full[(size_t)i * (size_t)n + (size_t)j] |= row[j];
    }
    assert_int_equal(e->parent[k], parent);
    assert_int_equal(e->place[e->order[k]], k);
    for (int i = e->start[e->order[k]]; e->order[k] >= nv && i < e->start[e->order[k] + 1]; i++)
      assert_true(e->place[e->next[i]] < k || e->next[i] >= nv); // all it waits for
    products += (double)count * count;
  }
  free(full);
  return products;
}

// Of the order that is chosen, and of AMD's of all unknowns with waiting; the order once more is the same.
static void compare(const mechanism *m, double *chosen, double *all) {
  fly_csc a = pattern_of(m);
  fly_elimination e, again;
  assert_true(fly_elimination_find(&e, &a, NULL));
  *chosen = products_of(&e, DOF * m->bodies);
  *all = e.products_all;
  assert_true(e.products == *chosen);
  assert_true(fly_elimination_find(&again, &a, e.order));
  assert_memory_equal(again.order, e.order, (size_t)a.cols * sizeof *e.order);
  fly_elimination_free(&e);
  fly_elimination_free(&again);
  fly_csc_free(&a);
}

static void grids_have_few_products(void **state) {
  (void)state;
  for (int n = 8; n <= 16; n += 8) {
    const mechanism m = grid(n);
    double chosen, all;
    compare(&m, &chosen, &all);
    print_message("grid of %d x %d: %.3g of %.3g products\n", n, n, chosen, all);
    assert_true(chosen < 0.6 * all);
  }
}

// Never more, whatever is coupled; a body that carries all others is left to AMD.
static void others_have_no_more(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int repeat = 0; repeat < 24; repeat++) {
    mechanism m = line(40 + 3 * repeat, repeat % 4 == 3);
    for (int k = 0; k < repeat % 7 * 5; k++)
      add_joint(&m, random_int(&seed, m.bodies / 2), m.bodies / 2 + random_int(&seed, m.bodies / 2));
    m.coupled = repeat % 3 == 0;
    double chosen, all;
    compare(&m, &chosen, &all);
    assert_true(chosen <= all);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grids_have_few_products),
      cmocka_unit_test(others_have_no_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
