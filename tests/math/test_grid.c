// Boxes that overlap, found by the grid, against all pairs one by one: of one size, of sizes from millimetres to
// kilometres, crowded and far apart, flat ones, ones at the edges of cells, and ones that are not finite.
#include "base/check.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/grid.h"
#include "math/noise.h"

enum { MOST = 600 };

typedef struct found {
  unsigned char count[MOST][MOST];
  long pairs;
} found;

static void note(int i, int k, void *user) {
  found *f = user;
  assert_true(i < k);
  f->count[i][k]++;
  f->pairs++;
}

static bool touch(const fly_box *a, const fly_box *b) {
  bool both = true;
  for (int c = 0; c < 3; c++)
    both = both && isfinite(a->lo[c] + a->hi[c] + b->lo[c] + b->hi[c]) && a->lo[c] <= b->hi[c] && b->lo[c] <= a->hi[c];
  return both;
}

static long check(const fly_box *box, int count) {
  static int first[2 * MOST + 17];
  static fly_grid_entry entry[MOST];
  static found f;
  fly_grid g = {fly_grid_slots(count), first, entry};
  long pairs = 0;
  memset(&f, 0, sizeof f);
  fly_grid_pairs(&g, box, count, note, &f);
  for (int i = 0; i < count; i++)
    for (int k = i + 1; k < count; k++) {
      assert_int_equal(f.count[i][k], touch(&box[i], &box[k]));
      pairs += f.count[i][k];
    }
  assert_int_equal(pairs, f.pairs);
  return pairs;
}

static double drawn(int seed, int k) { return 0.5 + 0.5 * sin(1e4 * fly_noise_sample((uint64_t)seed, k)); }

static void random_boxes(void **state) {
  static fly_box box[MOST];
  long pairs = 0;
  for (int seed = 0; seed < 60; seed++) {
    const int count = 1 + (int)(drawn(seed, -1) * (MOST - 1));
    const double room = pow(10, 3 * drawn(seed, -2)), spread = seed % 3 * 3;
    for (int k = 0; k < count; k++)
      for (int c = 0; c < 3; c++) {
        const double middle = room * (drawn(seed, 7 * k + c) - 0.3);
        const double half = pow(10, spread * (drawn(seed, 7 * k + 3) - 0.8)) * (k % 5 ? 1 : drawn(seed, 7 * k + 4));
        box[k].lo[c] = middle - half;
        box[k].hi[c] = middle + half;
      }
    pairs += check(box, count);
  }
  print_message("%ld pairs\n", pairs);
  assert_true(pairs > 10000);
}

static void edges_of_cells(void **state) {
  static fly_box box[64];
  for (int k = 0; k < 64; k++)
    for (int c = 0; c < 3; c++) {
      box[k].lo[c] = (k >> (2 * c) & 3) - 2;
      box[k].hi[c] = box[k].lo[c] + (k % 2 ? 1 : 0.5);
    }
  assert_true(check(box, 64) > 64);
}

static void odd_boxes(void **state) {
  fly_box box[] = {{{0, 0, 0}, {1, 1, 1}},        {{0, NAN, 0}, {1, 1, 1}},          {{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}},
                   {{0, 0, 0}, {INFINITY, 1, 1}}, {{-1e300, -1, -1}, {1e300, 1, 1}}, {{1e200, 0, 0}, {1e201, 0.1, 0.1}},
                   {{0, 0, 0}, {1e-300, 0, 0}}};
  assert_int_equal(check(box, 7), 6);
  assert_int_equal(check(box + 1, 1), 0);
  assert_int_equal(check(box, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_boxes), cmocka_unit_test(edges_of_cells),
                                     cmocka_unit_test(odd_boxes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
