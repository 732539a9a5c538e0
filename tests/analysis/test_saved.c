// The state of a run: saved between two steps, restored, given to another run; what comes after is the same to the last
// bit, channels, ledger, record and estimate of the error alike.
#include "analysis/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static fly_mechanism *example(const char *name) {
  char path[500];
  fly_mechanism *m;
  fly_error error = {0};
  snprintf(path, sizeof path, "%s/examples/%s.yaml", FLY_TEST_SOURCE_DIR, name);
  if (fly_mechanism_load(&m, path, 0, NULL, &error))
    fail_msg("%s", error.message);
  return m;
}

// Blows, samples, a switch; a ball that bounces ever lower.
static fly_mechanism *with_events(void) {
  static const char text[] =
      "flyball: 1\ngravity: [0, 0, -9.81]\n"
      "bodies:\n  ball: {type: point, mass: 1, position: [0, 0, 0.1]}\n"
      "  cart: {type: point, mass: 2, position: [1, 0, 0]}\n  ground: {markers: {hook: [1, 0, 2]}}\n"
      "joints: {rail: {type: distance, from: ground.hook, to: cart}}\n"
      "held: {u: 0, mode: 1}\nforces: {push: {type: force, at: cart, force: [\"u + mode - 50*max(0, dx(cart) - "
      "0.95)\", 0, 0]}}\n"
      "events:\n  hit: {when: \"dz(ball) < 0\", velocity: {ball.vz: -0.9*vz(ball)}}\n"
      "  sample: {every: 0.017, set: {u: -40*dx(cart) - 3*vx(cart)}}\n"
      "  turn: {when: \"dx(cart) < 0.9\", set: {mode: -mode}}\n";
  fly_mechanism *m;
  fly_error error = {0};
  if (fly_mechanism_parse(&m, "events", text, strlen(text), 0, NULL, &error))
    fail_msg("%s", error.message);
  return m;
}

// What was, a delay of it, and a sampled filter.
static fly_mechanism *with_blocks(void) {
  static const char text[] =
      "flyball: 1\nbodies:\n  cart: {type: point, mass: 2, position: [1, 0, 0]}\n"
      "blocks:\n  late: {type: delay, input: dx(cart), time: 0.05, start: 0.9}\n"
      "  later: {type: delay, input: late.y + f.y, time: 0.013}\n"
      "  f: {type: transfer, numerator: [1, 2], denominator: [4, -1], input: vx(cart), every: 0.01}\n"
      "forces: {push: {type: force, at: cart, force: [-90*late.y - f.y + later.y, 0, 0]}}\n";
  fly_mechanism *m;
  fly_error error = {0};
  if (fly_mechanism_parse(&m, "blocks", text, strlen(text), 0, NULL, &error))
    fail_msg("%s", error.message);
  return m;
}

// Rows that come and go: a pin with friction that breaks, a guide that sticks and slips, a stop; and rows too many, of
// a door on two hinges.
static fly_mechanism *with_rows(void) {
  static const char text[] =
      "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n  bob: {type: planar, mass: 2, inertia: 0.1, position: [0, -0.1]}\n"
      "  block: {type: planar, mass: 2, inertia: 0.1}\n  ball: {type: planar, mass: 1, inertia: 0.1}\n"
      "  door: {mass: 3, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 1], angular_velocity: [0, 1, 0]}\n"
      "joints:\n  upper: {type: revolute, bodies: [ground, door], at: [0, 1, 1], axis: [0, 1, 0]}\n"
      "  lower: {type: revolute, bodies: [ground, door], at: [0, -1, 1], axis: [0, 1, 0]}\n"
      "  pin: {type: revolute, bodies: [ground, bob], at: [0, 0, 0], angle: 1, friction: {mu: 0.3, radius: "
      "0.03}}\n"
      "  slide: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: [1, 0, 0], friction: {mu: 0.2, "
      "mu_static: 0.4}}\n"
      "  drop: {type: translational, bodies: [ground, ball], at: [0, 0, 0], axis: [0, 1, 0], displacement: 0.02, "
      "limits: "
      "{low: 0, restitution: 0.7}}\n"
      "forces: {pull: {type: force, at: block, force: [12*sin(40*time), 0, 0]}}\n"
      "events:\n  snap: {at: 0.25, set: {pin.on: 0}}\n";
  fly_mechanism *m;
  fly_error error = {0};
  if (fly_mechanism_parse(&m, "rows", text, strlen(text), 0, NULL, &error))
    fail_msg("%s", error.message);
  return m;
}

// Contacts: a ball with spin that touches the floor and then a ball at rest.
static fly_mechanism *with_contacts(void) {
  static const char text[] =
      "flyball: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: {shapes: [{type: plane, width: 2}]}\n"
      "  ball: {position: [0, 0, 0.11], velocity: [0.5, 0, -1], angular_velocity: [0, 30, 3], shapes: [{type: sphere, "
      "radius: 0.1, density: 1000}]}\n"
      "  other: {position: [0.205, 0.02, 0.1], shapes: [{type: sphere, radius: 0.1, density: 800}]}\n"
      "contacts:\n  floor: {bodies: [ball, other], with: [ground], stiffness: 1e5, restitution: 0.5, friction: {mu: "
      "0.3}}\n"
      "  balls: {bodies: [ball, other], stiffness: 1e5, restitution: 0.8, friction: {mu: 0.2}}\n";
  fly_mechanism *m;
  fly_error error = {0};
  if (fly_mechanism_parse(&m, "contacts", text, strlen(text), 0, NULL, &error))
    fail_msg("%s", error.message);
  return m;
}

static void ok(fly_status status, const fly_error *error) {
  if (status)
    fail_msg("%s", error->message);
}

typedef struct rows {
  uint64_t hash;
  long count;
  int width;
} rows;

static void add_row(const double *row, void *user) {
  rows *r = user;
  r->hash = fly_fingerprint(r->hash, row, (size_t)r->width * sizeof *row);
  r->count++;
}

static fly_run *started_until(const fly_mechanism *m, const char *method, double end, rows *seen) {
  fly_run_options o = fly_run_options_default();
  fly_error error = {0};
  fly_run *r;
  o.method.name = method;
  o.end = end;
  o.output = 1e-3;
  o.error = 1e-5;
  o.calibrate = "no";
  o.estimate_error = "no";
  o.row = add_row;
  o.user = seen;
  ok(fly_run_create(&r, m, &o, &error), &error);
  *seen = (rows){.width = 1 + r->channels.count};
  ok(fly_run_start(r, &error), &error);
  return r;
}

static fly_run *started(const fly_mechanism *m, const char *method, rows *seen) {
  return started_until(m, method, 0.4, seen);
}

static void steps(fly_run *r, int count) {
  fly_error error = {0};
  for (int k = 0; k < count && !r->mover->done(r); k++)
    ok(fly_run_once(r, &error), &error);
}

static uint64_t to_the_end(fly_run *r, rows *seen) {
  fly_error error = {0};
  seen->hash = 0;
  ok(fly_run_go(r, &error), &error);
  return fly_fingerprint(seen->hash, &r->book.ledger, sizeof r->book.ledger);
}

// Closed loops, rotations, counted turns, motions given by rates, redundant rows that change, tables and steps in time.
static const char *const models[] = {"four-bar",       "heavy-top", "governor",    "bricard",
                                     "engine-mounts",  "gear-pair", "screw-jack",  "manipulator",
                                     "planetary-gear", "dc-motor",  "rolling-coin"};
static const char *const methods[] = {"ch", "radau", "partition", "hybrid", "auto"};

static void check_until(const fly_mechanism *m, const char *method, int at, double end) {
  rows plain, first, second, third;
  fly_error error = {0};
  void *bytes, *again;
  size_t size, size_again;
  fly_run *whole = started_until(m, method, end, &plain), *one = started_until(m, method, end, &first);
  fly_run *two = started_until(m, method, end, &second), *clone = started_until(m, method, end, &third);
  steps(whole, at);
  steps(one, at);
  steps(clone, 2 * at + 3); // it is elsewhere
  ok(fly_run_save(one, &bytes, &size, &error), &error);
  const uint64_t expected = to_the_end(whole, &plain);
  assert_true(to_the_end(one, &first) == expected); // to save changes nothing
  ok(fly_run_restore(two, bytes, size, &error), &error);
  ok(fly_run_restore(clone, bytes, size, &error), &error);
  ok(fly_run_save(two, &again, &size_again, &error), &error);
  assert_int_equal(size, size_again);
  assert_memory_equal(bytes, again, size);
  assert_true(to_the_end(two, &second) == expected);
  assert_true(to_the_end(clone, &third) == expected);
  free(bytes);
  free(again);
  fly_run *const list[] = {whole, one, two, clone};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    fly_run_free(list[k]);
}

static void check(const fly_mechanism *m, const char *method, int at) { check_until(m, method, at, 0.4); }

static void test_goes_on_alike(void **state) {
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    fly_mechanism *m = example(models[k]);
    const size_t n = k < 2 ? sizeof methods / sizeof *methods : 1;
    for (size_t i = 0; i < n; i++)
      check(m, methods[i], 7 + 5 * (int)k);
    fly_mechanism_free(m);
  }
}

static void test_events(void **state) {
  fly_mechanism *m = with_events();
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (int at = 5; at < 200; at += 13) // also at points where something is announced and has not taken place
      check(m, methods[i], at);
  fly_mechanism_free(m);
}

static void test_rows(void **state) {
  (void)state;
  fly_mechanism *m = with_rows();
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    check(m, methods[k], 3);
    check(m, methods[k], 60);
  }
  fly_mechanism_free(m);
}

static void test_contacts(void **state) {
  (void)state;
  fly_mechanism *m = with_contacts();
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
    check_until(m, methods[k], 150, 0.03);
  fly_mechanism_free(m);
}

static void test_blocks(void **state) {
  fly_mechanism *m = with_blocks();
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (int at = 5; at < 150; at += 29)
      check(m, methods[i], at);
  fly_mechanism_free(m);
}

static uint64_t hash_of(const fly_arena *a) {
  uint64_t hash = 0;
  for (int k = 0; k < a->count; k++)
    hash = fly_fingerprint(hash, a->block[k].start, a->block[k].size);
  return hash;
}

// What does not travel must not change in a run: whoever adds a number that does to the wrong half is told here.
static void rest_is_constant(fly_mechanism *m) {
  rows seen;
  fly_run *r = started(m, "ch", &seen), *then = malloc(sizeof *then);
  memcpy(then, r, sizeof *then);
  steps(r, 60);
  then->assembly = r->assembly;
  assert_memory_equal(r, then, offsetof(fly_run, book));
  fly_system *s = &r->assembly.system, before = *s;
  const uint64_t tables = hash_of(&s->memory);
  steps(r, 60);
  before.q_known = s->q_known, before.v_known = s->v_known;
  before.value_known = s->value_known, before.value_t = s->value_t;
  assert_memory_equal(s, &before, offsetof(fly_system, accepted));
  assert_true(hash_of(&s->memory) == tables);
  free(then);
  fly_run_free(r);
  fly_mechanism_free(m);
}

static void test_rest_is_constant(void **state) {
  for (size_t k = 0; k < sizeof models / sizeof *models; k++)
    if (strcmp(models[k], "bricard") != 0) // its rows change, and its system is made anew
      rest_is_constant(example(models[k]));
  rest_is_constant(with_contacts());
}

static void refuses(fly_run *r, const void *bytes, size_t size, const char *why) {
  fly_error error = {0};
  assert_int_equal(fly_run_restore(r, bytes, size, &error), FLY_BAD_INPUT);
  if (!strstr(error.message, why))
    fail_msg("'%s' does not say '%s'", error.message, why);
}

static void test_refuses(void **state) {
  fly_mechanism *m = example("four-bar"), *other = example("heavy-top");
  rows seen, seen_by_stranger, unused;
  fly_run *r = started(m, "ch", &seen), *stranger = started(other, "ch", &seen_by_stranger);
  fly_run *by = started(m, "radau", &unused);
  fly_error error = {0};
  void *bytes;
  size_t size;
  steps(r, 5);
  ok(fly_run_save(r, &bytes, &size, &error), &error);
  refuses(stranger, bytes, size, "another run");
  refuses(by, bytes, size, "another run");
  refuses(r, bytes, size / 2, "damaged");
  refuses(r, "something", 9, "not the saved state of a run");
  steps(stranger, 2); // nothing has happened to it
  free(bytes);
  fly_run_free(r);
  fly_run_free(stranger);
  fly_run_free(by);
  fly_mechanism_free(m);
  fly_mechanism_free(other);
}

// Motions move it: it says so.
static void test_cannot(void **state) {
  fly_mechanism *m = example("driven-slider-crank");
  fly_run_options o = fly_run_options_default();
  fly_error error = {0};
  fly_run *r;
  void *bytes;
  size_t size;
  o.analysis = FLY_KINEMATICS;
  o.end = 0.1;
  ok(fly_run_create(&r, m, &o, &error), &error);
  assert_int_equal(fly_run_save(r, &bytes, &size, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "was not started"));
  ok(fly_run_start(r, &error), &error);
  assert_int_equal(fly_run_save(r, &bytes, &size, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "follows motions"));
  fly_run_free(r);
  fly_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_goes_on_alike),    cmocka_unit_test(test_events),
                                     cmocka_unit_test(test_blocks),           cmocka_unit_test(test_rows),
                                     cmocka_unit_test(test_rest_is_constant), cmocka_unit_test(test_refuses),
                                     cmocka_unit_test(test_contacts),         cmocka_unit_test(test_cannot)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
