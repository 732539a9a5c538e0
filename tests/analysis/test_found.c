// Contacts whose pairs are found while a model runs (docs/theory/contact.md, T-found): the same motion as with pairs
// that are listed, by the same rules, in slots that grow; the same bits in runs that are saved, restored and cloned.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run.h"
#include "analysis/simulation.h"
#include "base/check.h"
#include "flyball/run.h"

enum { LANES = 10, BALLS = 2 * LANES };

// On each lane two balls meet, not quite head on, and rub; one of them comes to a wall later. No pair is near at the
// start, and all lanes have one at the same time: more than there are slots at first.
static const char *const lanes =
    "flyball: 1\n"
    "name: lanes\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  ground: {shapes: [{type: plane, width: 4, at: [-0.75, 0, 0], orientation: {z: [1, 0, 0]}}]}\n"
    "repeat:\n"
    "  lanes:\n"
    "    count: 10\n"
    "    bodies:\n"
    "      a$i: {material: steel, mass: 1, inertia: [0.004, 0.004, 0.004], position: [-0.5, 0.4*i, 0],\n"
    "           velocity: [1 + 0.002*i, 0, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
    "      b$i: {material: steel, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0.5, 0.4*i + 0.05, 0],\n"
    "           velocity: [-1, 0, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
    "    outputs: {xa$i: dx(a$i), xb$i: dx(b$i), ya$i: dy(a$i), yb$i: dy(b$i)}\n"
    "    contacts:\n"
    "      wall$i: {bodies: [a$i, b$i], with: [ground], law: hunt-crossley, stiffness: 1e6}\n"
    "%s";

static const char *const found =
    "contacts:\n"
    "  each: {materials: [steel, steel], pairs: found, stiffness: 1e5, restitution: 0.7, friction: {mu: 0.3}}\n";
static const char *const listed =
    "      each$i: {bodies: [a$i, b$i], stiffness: 1e5, restitution: 0.7, friction: {mu: 0.3}}\n";

typedef struct rows {
  double last[1 + 2 * BALLS];
} rows;

static void keep(const double *row, void *user) { memcpy(((rows *)user)->last, row, sizeof(rows)); }

static const char *lanes_with(const char *pairs) {
  static char text[4000];
  snprintf(text, sizeof text, lanes, pairs);
  return text;
}

static rows play(const char *method, const char *pairs, fly_hot_contact hot[3], char name[3][100], int *slots) {
  rows r = {{0}};
  simulation s = {.options = fly_run_options_default()};
  s.options.method.name = method;
  s.options.error = 1e-4;
  s.options.calibrate = s.options.estimate_error = "no";
  s.options.end = 0.9;
  s.options.output = 0.45;
  s.options.channels = "outputs";
  s.options.row = keep;
  s.options.user = &r;
  simulate_text(&s, lanes_with(pairs));
  assert_ok(s.status, &s.error);
  assert_int_equal(fly_run_hottest(s.run, hot, 3), 3);
  for (int k = 0; k < 3; k++)
    snprintf(name[k], 100, "%s", strpbrk(hot[k].name, "0123456789")); // the lane begins it
  *slots = s.run->assembly.system.model->nslot;
  simulation_free(&s);
  return r;
}

static void the_same_motion_as_with_listed_pairs(void **state) {
  static const char *const methods[] = {"radau", "partition"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    fly_hot_contact hot[2][3];
    char name[2][3][100];
    int slots[2];
    const rows a = play(methods[i], found, hot[0], name[0], &slots[0]);
    const rows b = play(methods[i], listed, hot[1], name[1], &slots[1]);
    double apart = 0;
    for (int k = 1; k <= 2 * BALLS; k++)
      apart = fmax(apart, fabs(a.last[k] - b.last[k]));
    print_message("%s: apart %.2e m, %d slots, hottest %s %.6f J and %s %.6f J\n", methods[i], apart, slots[0],
                  name[0][0], hot[0][0].heat, name[1][0], hot[1][0].heat);
    assert_true(apart < 2e-4);
    assert_true(slots[0] > 8); // they have grown
    assert_int_equal(slots[1], 0);
    for (int k = 0; k < 3; k++) {
      assert_int_equal(atoi(name[0][k]), atoi(name[1][k]));
      assert_true(fabs(hot[0][k].heat - hot[1][k].heat) < 1e-3 * hot[1][k].heat);
    }
    for (int lane = 0; lane < LANES; lane++) // they have met, and turned each other aside
      assert_true(a.last[1 + 4 * lane + 2] < 0.4 * (lane + 1) - 0.02 &&
                  a.last[1 + 4 * lane + 3] > 0.4 * (lane + 1) + 0.07);
  }
}

// ---------------------------------------------------------------------------------------------- saved and cloned

static fly_mechanism *load(const char *text, fly_error *error) {
  char file[] = "/tmp/flyball-simulation-XXXXXX";
  const int handle = mkstemp(file);
  fly_mechanism *m = NULL;
  assert_int_equal(write(handle, text, strlen(text)), strlen(text));
  close(handle);
  (void)fly_mechanism_load(&m, file, 0, NULL, error);
  unlink(file);
  return m;
}

static fly_run *begin(fly_mechanism *m, const char *method) {
  fly_run_options o = fly_run_options_default();
  fly_run *r;
  fly_error error = {0};
  o.method.name = method;
  o.error = 1e-3;
  o.calibrate = o.estimate_error = "no";
  o.end = 0.41;
  o.output = 0.2;
  assert_ok(fly_run_create(&r, m, &o, &error), &error);
  assert_ok(fly_run_start(r, &error), &error);
  return r;
}

static void read_all(fly_run *r, double *out) {
  fly_error error = {0};
  for (int i = 0; i < BALLS; i++) {
    char name[20];
    snprintf(name, sizeof name, "%c%d.y", i % 2 ? 'b' : 'a', i / 2 + 1);
    const int channel = fly_run_channel(r, name);
    assert_ok(fly_run_read(r, &channel, 1, &out[i], &error), &error);
  }
}

// Restored into a run that has fewer slots, and into one that has as many, in the middle of the blows.
static void the_same_bits_from_what_was_saved(void **state) {
  static const char *const methods[] = {"radau", "auto"};
  fly_error error = {0};
  fly_mechanism *m = load(lanes_with(found), &error);
  assert_non_null(m);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    fly_run *r = begin(m, methods[i]), *clone, *other = begin(m, methods[i]);
    double x[4][BALLS];
    void *bytes;
    size_t size;
    assert_ok(fly_run_advance(r, 0.402, FLY_ADVANCE_STOP, &error), &error);
    assert_true(r->assembly.system.model->nslot > other->assembly.system.model->nslot);
    assert_ok(fly_run_save(r, &bytes, &size, &error), &error);
    assert_ok(fly_run_clone(&clone, r, &error), &error);
    fly_run *const runs[] = {r, clone, r, other};
    for (int k = 0; k < 4; k++) {
      if (k >= 2)
        assert_ok(fly_run_restore(runs[k], bytes, size, &error), &error);
      assert_ok(fly_run_advance(runs[k], 0.41, FLY_ADVANCE_STOP, &error), &error);
      read_all(runs[k], x[k]);
      assert_memory_equal(x[k], x[0], sizeof x[0]);
    }
    free(bytes);
    fly_run_free(r);
    fly_run_free(clone);
    fly_run_free(other);
  }
  fly_mechanism_free(m);
}

// ---------------------------------------------------------------------------------------------- rules

// Balls in a row, so near that all neighbours overlap: a - b are joined, c - d excepted, so that b - c and d - e are
// left.
static const char *const rules =
    "flyball: 1\n"
    "name: rules\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
    "  b: {mass: 1, inertia: [1, 1, 1], position: [0.19, 0, 0], markers: {m: [0, 0, 0]}, shapes: [{type: sphere, "
    "radius: 0.1}]}\n"
    "  c: {mass: 1, inertia: [1, 1, 1], position: [0.38, 0, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
    "  d: {mass: 1, inertia: [1, 1, 1], position: [0.57, 0, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
    "  e: {mass: 1, inertia: [1, 1, 1], position: [0.76, 0, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
    "joints: {j: {type: spherical, bodies: [a, b], at: [0.1, 0, 0]}}\n"
    "contacts: {row: {bodies: [a, b, c, d, e], except: [c, d], pairs: found, law: linear, stiffness: 1e3%s}}\n";

static void who_may_not_touch_does_not(void **state) {
  char text[3000];
  fly_error error = {0};
  snprintf(text, sizeof text, rules, "");
  fly_mechanism *m = load(text, &error);
  assert_non_null(m);
  assert_non_null(strstr(fly_mechanism_warnings(m), "2 of its pairs overlap"));
  assert_non_null(strstr(fly_mechanism_warnings(m), "10 mm"));
  fly_run *r = begin(m, "radau");
  fly_hot_contact hot[9];
  assert_ok(fly_run_advance(r, 0.1, FLY_ADVANCE_STOP, &error), &error);
  const int count = fly_run_hottest(r, hot, 9);
  for (int k = 0; k < count; k++)
    print_message("%s: %g N\n", hot[k].name, hot[k].largest);
  assert_int_equal(count, 2);
  for (int k = 0; k < 2; k++) {
    assert_true(strcmp(hot[k].name, "row.b-c") == 0 || strcmp(hot[k].name, "row.d-e") == 0);
    assert_true(fabs(hot[k].largest - 10) < 0.3); // 1e3 N/m, 10 mm, and falling from the first step on
  }
  fly_run_free(r);
  fly_mechanism_free(m);
}

static void what_overlaps_may_begin_relaxed(void **state) {
  char text[3000];
  fly_error error = {0};
  fly_hot_contact hot[9];
  snprintf(text, sizeof text, rules, ", overlap: relax");
  fly_mechanism *m = load(text, &error);
  assert_non_null(m);
  assert_null(strstr(fly_mechanism_warnings(m), "overlap"));
  fly_run *r = begin(m, "radau");
  assert_ok(fly_run_advance(r, 0.1, FLY_ADVANCE_STOP, &error), &error);
  for (int k = fly_run_hottest(r, hot, 9); k > 0; k--)
    assert_true(hot[k - 1].largest < 1e-6);
  fly_run_free(r);
  fly_mechanism_free(m);
}

static void what_cannot_find_them_says_so(void **state) {
  char text[3000];
  fly_error error = {0};
  fly_run *r = NULL;
  fly_run_options o = fly_run_options_default();
  snprintf(text, sizeof text, rules, "");
  fly_mechanism *m = load(text, &error);
  o.analysis = FLY_INVERSE;
  o.end = 1;
  assert_int_equal(fly_run_create(&r, m, &o, &error), FLY_BAD_INPUT);
  print_message("%s\n", error.message);
  assert_non_null(strstr(error.message, "pairs: near"));
  fly_mechanism_free(m);
}

// ---------------------------------------------------------------------------------------------- on each body

// A spinning ball between a plane and another ball: what contacts do to each body is what moves it, beside its weight.
typedef struct sums {
  double worst, largest;
  int most;
} sums;

// Rows: time, accelerations of a (6), of b, then force, torque and number of contacts of a, of b.
static void compare(const double *row, void *user) {
  sums *s = user;
  for (int body = 0; body < 2; body++) {
    const double *a = row + 1 + 6 * body, *f = row + 13 + 7 * body;
    for (int c = 0; c < 3; c++) {
      const double force = 0.5 * (a[c] + (c == 2 ? 9.81 : 0)), torque = 0.002 * a[3 + c];
      s->worst = fmax(s->worst, fmax(fabs(force - f[c]), fabs(torque - f[3 + c])));
      s->largest = fmax(s->largest, fabs(f[3 + c]));
    }
    s->most = (int)fmax(s->most, f[6]);
  }
}

static void what_contacts_do_to_bodies_moves_them(void **state) {
  static const char *const text =
      "flyball: 1\n"
      "name: two\n"
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  ground: {shapes: [{type: plane, width: 2}]}\n"
      "  a: {mass: 0.5, inertia: [0.002, 0.002, 0.002], position: [0, 0, 0.1], angular_velocity: [0, 30, 5],\n"
      "      shapes: [{type: sphere, radius: 0.1}]}\n"
      "  b: {mass: 0.5, inertia: [0.002, 0.002, 0.002], position: [0.03, 0.02, 0.3], shapes: [{type: sphere, radius: "
      "0.1}]}\n"
      "contacts: {c: {bodies: [ground, a, b], pairs: %s, stiffness: 1e5, damping: 0.3, friction: {mu: 0.3}}}\n";
  for (int k = 0; k < 2; k++) {
    char model[2000];
    sums sum = {0};
    simulation s = {.options = fly_run_options_default()};
    snprintf(model, sizeof model, text, k ? "found" : "near");
    s.options.method.name = "radau";
    s.options.error = 1e-4;
    s.options.calibrate = s.options.estimate_error = "no";
    s.options.end = 0.1;
    s.options.output = 0.001;
    s.options.channels = "accelerations,contacts";
    s.options.row = compare;
    s.options.user = &sum;
    simulate_text(&s, model);
    assert_ok(s.status, &s.error);
    print_message("off by %.1e N, N m (as rows lie between steps); torques to %.2g N m; %d contacts\n", sum.worst,
                  sum.largest, sum.most);
    assert_true(sum.worst < 1e-3 && sum.largest > 0.5);
    assert_int_equal(sum.most, 2);
    simulation_free(&s);
  }
}

// ---------------------------------------------------------------------------------------------- many

// Reading and starting: memory and time that grow as the balls do, not as their pairs (5e7).
static void ten_thousand_balls_are_read(void **state) {
  fly_error error = {0};
  fly_mechanism *m =
      load("flyball: 1\n"
           "name: many\n"
           "repeat:\n"
           "  rows:\n"
           "    count: 100\n"
           "    index: a\n"
           "    repeat:\n"
           "      balls:\n"
           "        count: 100\n"
           "        bodies:\n"
           "          ball$(a)_$i: {material: steel, mass: 1, inertia: [1, 1, 1], position: [0.21*a, 0.3*i, 0],\n"
           "                        shapes: [{type: sphere, radius: 0.1}]}\n"
           "contacts: {each: {materials: [steel, steel], stiffness: 1e6}}\n",
           &error);
  assert_ok(error.status, &error);
  fly_run *r = begin(m, "radau");
  const fly_model *model = r->assembly.system.model;
  print_message("%d slots for %d balls\n", model->nslot, model->nbody);
  assert_true(model->nbody == 10000 && model->nslot >= 9900 && model->nslot < 20000); // 9900 are 1 cm apart
  fly_run_free(r);
  fly_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_motion_as_with_listed_pairs), cmocka_unit_test(the_same_bits_from_what_was_saved),
      cmocka_unit_test(who_may_not_touch_does_not),           cmocka_unit_test(what_overlaps_may_begin_relaxed),
      cmocka_unit_test(what_cannot_find_them_says_so),        cmocka_unit_test(what_contacts_do_to_bodies_moves_them),
      cmocka_unit_test(ten_thousand_balls_are_read)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
