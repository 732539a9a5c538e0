// A struct with pointers into its own memory, put down and taken up by another whose memory lies elsewhere.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/image.h"

typedef struct thing {
  int belongs; // to it
  double *here, *there, *empty;
  long count;
} thing;

// Memory whose blocks touch, as those of some allocators do, in this order or the other.
static fly_arena touching(double *room, bool reversed) {
  fly_arena a = {.count = 2, .capacity = 2, .block = calloc(2, sizeof *a.block)};
  a.block[0] = (fly_arena_block){room + (reversed ? 2 : 0), 2 * sizeof *room};
  a.block[1] = (fly_arena_block){room + (reversed ? 0 : 2), 2 * sizeof *room};
  return a;
}

static thing thing_in(const fly_arena *a) {
  return (thing){.here = a->block[0].start, .there = a->block[1].start, .empty = (double *)a->block[1].start + 2};
}

static void travel(thing *t, const fly_arena *a, fly_image *m) {
  fly_image_arena(m, a);
  FLY_IMAGE_FROM(m, t, here, a);
}

static void test_touching_blocks(void **state) {
  double one[4] = {1, 2, 3, 4}, two[4] = {0};
  fly_arena a = touching(one, false), b = touching(two, true);
  thing from = thing_in(&a), to = thing_in(&b);
  double *swap = from.here; // as arrays that change places do
  from.here = from.there;
  from.there = swap;
  from.count = 7;
  from.belongs = 1;
  fly_image m = fly_image_write();
  travel(&from, &a, &m);
  fly_image read = fly_image_read(m.bytes, m.size);
  travel(&to, &b, &read);
  assert_int_equal(read.failure, FLY_IMAGE_FINE);
  assert_int_equal(read.at, read.size);
  assert_int_equal(to.count, 7);
  assert_int_equal(to.belongs, 0);
  assert_ptr_equal(to.here, b.block[1].start);
  assert_ptr_equal(to.there, b.block[0].start);
  assert_true(to.here[0] == 3 && to.here[1] == 4 && to.there[0] == 1 && to.there[1] == 2);
  fly_image_free(&m);
  free(a.block);
  free(b.block);
}

// Another make: other blocks, a pointer where there is none.
static void test_strange(void **state) {
  double one[4] = {0}, two[4] = {0};
  fly_arena a = touching(one, false), b = touching(two, false);
  thing from = thing_in(&a), to = thing_in(&b);
  fly_image m = fly_image_write();
  travel(&from, &a, &m);
  to.there = NULL;
  fly_image read = fly_image_read(m.bytes, m.size);
  travel(&to, &b, &read);
  assert_int_equal(read.failure, FLY_IMAGE_STRANGE);
  to = thing_in(&b);
  b.block[1].size = sizeof(double);
  read = fly_image_read(m.bytes, m.size);
  travel(&to, &b, &read);
  assert_int_equal(read.failure, FLY_IMAGE_STRANGE);
  b.block[1].size = 2 * sizeof(double);
  read = fly_image_read(m.bytes, m.size - 1);
  travel(&to, &b, &read);
  assert_int_equal(read.failure, FLY_IMAGE_STRANGE);
  fly_image_free(&m);
  free(a.block);
  free(b.block);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_touching_blocks), cmocka_unit_test(test_strange)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
