// Hulls in model files: as heavy as the box they are, mirrored too; and what is
// wrong with them is told with its line and column.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "element/inertia.h"
#include "flyball/model.h"
#include "model/mechanism.h"
#include "model/model.h"

#define CUBE                                                                                                           \
  "[[0, 0, 0], [0.2, 0, 0], [0, 0.4, 0], [0.2, 0.4, 0], [0, 0, 0.6], [0.2, 0, 0.6], [0, 0.4, 0.6], "                   \
  "[0.2, 0.4, 0.6], [0.1, 0.1, 0.1]]"

static fly_status parse(fly_mechanism **m, const char *shape, fly_error *error) {
  char text[2000];
  snprintf(text, sizeof text, "flyball: 1\nbodies:\n  b:\n    shapes:\n      - %s\n", shape);
  return fly_mechanism_parse(m, "hull.yaml", text, strlen(text), 0, NULL, error);
}

static fly_inertia weigh(const char *shape) {
  fly_error error = {0};
  fly_mechanism *m = NULL;
  if (parse(&m, shape, &error) != FLY_OK)
    fail_msg("%s", error.message);
  const fly_body *b = &m->model.body[0];
  fly_inertia out = {.mass = b->own.mass};
  memcpy(out.center, b->own.center, sizeof out.center);
  memcpy(out.I, b->own.J, sizeof out.I);
  fly_mechanism_free(m);
  return out;
}

static void assert_alike(const fly_inertia *a, const fly_inertia *b) {
  assert_near(a->mass, b->mass, 1e-12);
  for (int k = 0; k < 3; k++)
    assert_near(a->center[k], b->center[k], 1e-13);
  for (int k = 0; k < 9; k++)
    assert_near(a->I[k], b->I[k], 1e-13);
}

static void a_hull_is_as_heavy_as_the_box_it_is(void **state) {
  const fly_inertia box = weigh("{type: box, x: 0.2, y: 0.4, z: 0.6, at: [0.1, 0.2, 0.3], density: 500}");
  const fly_inertia hull = weigh("{type: hull, points: " CUBE ", density: 500}");
  const fly_inertia mirrored = weigh("{type: hull, points: " CUBE ", scale: -1, at: [0.2, 0.4, 0.6], density: 500}");
  assert_alike(&hull, &box);
  assert_alike(&mirrored, &box);
}

static void refuse(const char *shape, const char *says) {
  fly_error error = {0};
  fly_mechanism *m = NULL;
  assert_int_equal(parse(&m, shape, &error), FLY_BAD_INPUT);
  fly_mechanism_free(m);
  if (!strstr(error.message, says) || !strstr(error.message, "hull.yaml:5:"))
    fail_msg("%s\ndoes not say: %s", error.message, says);
}

static void what_is_wrong_with_a_hull_is_told(void **state) {
  refuse("{type: hull}", "takes 'points' or a 'file'");
  refuse("{type: hull, points: [[0, 0], [1, 1]]}", "not of 2 numbers each");
  refuse("{type: hull, points: [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]}",
         "all points of this hull are at one place");
  refuse("{type: hull, points: [[0, 0, 0], [1, 0, 0], [2, 0, 0], [5, 0, 0]]}", "are on one line");
  refuse("{type: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.3, 0.2, 0]]}", "are in one plane");
  refuse("{type: hull, scale: 0, points: " CUBE "}", "'scale' of a hull cannot be 0");
  refuse("{type: hul, points: " CUBE "}", "Did you mean");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_hull_is_as_heavy_as_the_box_it_is),
                                     cmocka_unit_test(what_is_wrong_with_a_hull_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
