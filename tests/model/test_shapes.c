// Mass, mass centre and inertia of bodies in a model: from shapes with a density, from numbers, and from both.
// labels: valgrind
#include "base/check.h"

#include <string.h>

#include "io/read.h"
#include "model/model.h"

static const double PI = 3.14159265358979323846;

typedef struct compiled {
  fly_spec spec;
  fly_model model;
  fly_status status;
  fly_error error;
} compiled;

// The body `a` with these keys.
static compiled *body(const char *keys) {
  char text[2000];
  compiled *c = calloc(1, sizeof *c);
  assert_non_null(c);
  snprintf(text, sizeof text, "flyball: 1\nbodies:\n  a: {%s}\n", keys);
  if (fly_model_read_text(&c->spec, "text", text, strlen(text), 0, NULL, &c->error) != FLY_OK)
    fail_msg("%s", c->error.message);
  c->status = fly_model_compile(&c->model, &c->spec, &c->error);
  return c;
}

static void compiled_free(compiled *c) {
  fly_model_free(&c->model);
  fly_spec_free(&c->spec);
  free(c);
}

static void assert_body(const char *keys, double mass, const double center[3], const double J[9]) {
  compiled *c = body(keys);
  if (c->status != FLY_OK)
    fail_msg("%s", c->error.message);
  const fly_body *b = &c->model.body[0];
  assert_near(b->own.mass, mass, 1e-12 * mass);
  for (int k = 0; k < 3; k++)
    assert_near(b->own.center[k], center[k], 1e-12);
  for (int k = 0; k < 9; k++)
    assert_near(b->own.J[k], J[k], 1e-12 * (J[0] + J[4] + J[8]));
  compiled_free(c);
}

static void assert_refused(const char *keys, const char *message) {
  compiled *c = body(keys);
  assert_int_equal(c->status, FLY_BAD_INPUT);
  if (strstr(c->error.message, message) == NULL || strncmp(c->error.message, "text:3:3: ", 10) != 0)
    fail_msg("'%s' is not in '%s'", message, c->error.message);
  compiled_free(c);
}

#define ORIGIN ((const double[]){0, 0, 0})
#define DIAGONAL(x, y, z) ((const double[]){x, 0, 0, 0, y, 0, 0, 0, z})

static void one_shape(void **state) {
  const double m = 1000 * 0.1 * 0.2 * 0.3;
  assert_body("shapes: [{type: box, x: 0.1, y: 0.2, z: 0.3, density: 1000}]", m, ORIGIN,
              DIAGONAL(m * 0.13 / 12, m * 0.1 / 12, m * 0.05 / 12));
  // turned so that its z lies along y, and moved
  assert_body("shapes: [{type: box, x: 0.1, y: 0.2, z: 0.3, density: 1000, at: [1, 2, 3], "
              "orientation: {axis: [1, 0, 0], angle: -90*deg}}]",
              m, (const double[]){1, 2, 3}, DIAGONAL(m * 0.13 / 12, m * 0.05 / 12, m * 0.1 / 12));
  const double ball = 7850 * 4 * PI / 3 * 1e-6;
  assert_body("shapes: [{type: sphere, radius: 10*mm, density: 7850}, {type: box, x: 1, y: 1, z: 1}]", ball, ORIGIN,
              DIAGONAL(0.4 * ball * 1e-4, 0.4 * ball * 1e-4, 0.4 * ball * 1e-4)); // the box is only seen
}

// A dumb-bell of two balls and a rod, off its frame: parallel axes by hand.
static void several_shapes(void **state) {
  const double b = 2000 * 4 * PI / 3 * 1e-3, r = 500 * PI * 1e-4 * 0.8, Ib = 0.4 * b * 0.01;
  const double along = 2 * Ib + r * 1e-4 / 2, across = 2 * (Ib + b * 0.25) + r * (3e-4 + 0.64) / 12;
  assert_body(
      "shapes: [{type: sphere, radius: 0.1, density: 2000, at: [-0.4, 0.2, 0]}, "
      "{type: cylinder, radius: 10*mm, length: 0.8, density: 500, at: [0.1, 0.2, 0], orientation: {z: [1, 0, 0]}}, "
      "{type: sphere, radius: 0.1, density: 2000, at: [0.6, 0.2, 0]}]",
      2 * b + r, (const double[]){0.1, 0.2, 0}, DIAGONAL(along, across, across));
}

// Two unequal balls on a diagonal: the product of inertia has the sign of the matrix.
static void products_of_inertia(void **state) {
  const double m = 1000 * 4 * PI / 3 * 1e-6, M = 3 * m, mu = m * M / (m + M), I = 0.4 * (m + M) * 1e-4;
  assert_body("shapes: [{type: sphere, radius: 10*mm, density: 1000, at: [1, 1, 0]}, "
              "{type: sphere, radius: 10*mm, density: 3000}]",
              m + M, (const double[]){0.25, 0.25, 0},
              (const double[]){I + mu, -mu, 0, -mu, I + mu, 0, 0, 0, I + 2 * mu});
}

// A tube is a cylinder with a hole.
static void a_hole(void **state) {
  compiled *tube = body("shapes: [{type: tube, radius: 0.1, inner_radius: 0.06, length: 0.5, density: 100}]");
  assert_int_equal(tube->status, FLY_OK);
  assert_body("shapes: [{type: cylinder, radius: 0.1, length: 0.5, density: 100}, "
              "{type: cylinder, radius: 0.06, length: 0.5, density: -100}]",
              tube->model.body[0].own.mass, ORIGIN, tube->model.body[0].own.J);
  compiled_free(tube);
}

#define BALL "shapes: [{type: sphere, radius: 10*mm, density: 1000, at: [1, 0, 0]}]"

// A given mass scales the inertia of the shapes; a given inertia or centre takes the place of theirs.
static void numbers_win(void **state) {
  assert_body("mass: 5, " BALL, 5, (const double[]){1, 0, 0}, DIAGONAL(2e-4, 2e-4, 2e-4));
  assert_body("mass: 5, inertia: [1, 2, 2.5], " BALL, 5, (const double[]){1, 0, 0}, DIAGONAL(1, 2, 2.5));
  assert_body("mass: 5, inertia: [1, 2, 2.5], center: [0, 3, 0], " BALL, 5, (const double[]){0, 3, 0},
              DIAGONAL(1, 2, 2.5));
  const double m = 1000 * 4 * PI / 3 * 1e-6;
  assert_body("inertia: [1, 2, 2.5], " BALL, m, (const double[]){1, 0, 0}, DIAGONAL(1, 2, 2.5));
}

// The frame stays where it is put: markers and the start are seen from the mass centre.
static void the_frame_stays(void **state) {
  compiled *c = body("position: [0, 0, 7], orientation: {axis: [0, 0, 1], angle: 90*deg}, angular_velocity: [0, 0, 2], "
                     "markers: {p: [0.5, 0, 0]}, " BALL);
  assert_int_equal(c->status, FLY_OK);
  const fly_body *b = &c->model.body[0];
  const double place[3] = {0, 1, 7}, speed[3] = {-2, 0, 0}, marker[3] = {-0.5, 0, 0};
  for (int k = 0; k < 3; k++) {
    assert_near(b->q0[k], place[k], 1e-15);
    assert_near(b->v0[k], speed[k], 1e-15);
    assert_near(c->model.marker[b->first_marker + 1].m.s[k], marker[k], 1e-15);
  }
  compiled_free(c);
}

static void what_no_body_can_have(void **state) {
  assert_refused("inertia: [1, 1, 1]", "`mass` is missing [kg]: give it, or a density to its shapes.");
  assert_refused("mass: 1", "`inertia` is missing [kg m^2]");
  assert_refused("mass: 1, shapes: [{type: sphere, radius: 1}]", "`inertia` is missing [kg m^2]");
  assert_refused("shapes: [{type: sphere, radius: 1}]", "`mass` is missing");
  assert_refused("shapes: []", "`mass` is missing");
  assert_refused("shapes: [{type: sphere, radius: 0.1, density: -1000}]", "a mass of -4.189 kg in all; holes");
  assert_refused("shapes: [{type: sphere, radius: 0.1, density: 0}]", "a mass of 0 kg in all");
  assert_refused("center: [1, 0, 0], " BALL, "`center` is given, but the inertia of its shapes is about their own");
  // a hole that sticks out at the sides: mass is left, but no inertia
  assert_refused(
      "shapes: [{type: box, x: 1, y: 1, z: 1, density: 100}, {type: box, x: 9, y: 0.1, z: 0.1, density: -100}]",
      "a principal moment of inertia is negative");
  assert_refused("mass: 1, inertia: [1, 1, 3]", "one principal moment of inertia exceeds the sum of the other two");
  assert_refused("mass: 1, inertia: [1, 1, 1, 2, 0, 0]", "a principal moment of inertia is negative");
  assert_refused("mass: 1, inertia: [0, 1, 1]", "a principal moment of inertia is zero");
  assert_refused("mass: 1, inertia: [1, 1]", "`inertia` takes 3 or 6 numbers, not 2.");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_shape),
      cmocka_unit_test(several_shapes),
      cmocka_unit_test(products_of_inertia),
      cmocka_unit_test(a_hole),
      cmocka_unit_test(numbers_win),
      cmocka_unit_test(the_frame_stays),
      cmocka_unit_test(what_no_body_can_have),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
