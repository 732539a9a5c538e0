// Contacts that come and go with those who are near (docs/theory/contact.md, T-near): the same motion as with all pairs
// looked at always, nothing missed, however fast, and the same bits in runs that are saved, restored and cloned.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run.h"
#include "analysis/simulation.h"
#include "base/check.h"
#include "flyball/run.h"
#include "system/machine.h"

enum { LANES = 6, BALLS = 2 * LANES };

// On each lane two balls of one mass meet head on, elastically, and one of them then meets a wall: 66 pairs of balls,
// 12 with the wall.
static const char *const billiards =
    "flyball: 1\n"
    "name: billiards\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  ground: {shapes: [{type: plane, width: 4, at: [-1.5, 0, 0], orientation: {z: [1, 0, 0]}}]}\n"
    "repeat:\n"
    "  lanes:\n"
    "    count: 6\n"
    "    bodies:\n"
    "      a$i: {mass: 1, inertia: [1, 1, 1], position: [-1, 0.4*i, 0], velocity: [1 + 0.05*i, 0, 0], shapes: [{type: "
    "sphere, radius: 0.1}]}\n"
    "      b$i: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0.4*i, 0], velocity: [-1, 0, 0], shapes: [{type: sphere, "
    "radius: 0.1}]}\n"
    "    outputs: {xa$i: dx(a$i), xb$i: dx(b$i)}\n"
    "contacts:\n"
    "  each: {bodies: [a1, b1, a2, b2, a3, b3, a4, b4, a5, b5, a6, b6], pairs: %s, "
    "law: hunt-crossley, stiffness: 1e6}\n"
    "  wall: {bodies: [a1, b1, a2, b2, a3, b3, a4, b4, a5, b5, a6, b6], with: "
    "[ground], pairs: %s, law: hunt-crossley, stiffness: 1e6%s}\n";

typedef struct rows {
  double last[1 + BALLS];
} rows;

static void keep(const double *row, void *user) { memcpy(((rows *)user)->last, row, sizeof(rows)); }

static char *billiards_with(const char *pairs, const char *friction) {
  static char text[4000];
  snprintf(text, sizeof text, billiards, pairs, pairs, friction);
  return text;
}

static rows play(const char *method, const char *pairs, double error, fly_stats *stats) {
  rows r = {{0}};
  simulation s = {.options = fly_run_options_default()};
  s.options.method.name = method;
  s.options.error = error;
  s.options.calibrate = s.options.estimate_error = "no";
  s.options.end = 2;
  s.options.output = 0.5;
  s.options.channels = "outputs";
  s.options.row = keep;
  s.options.user = &r;
  simulate_text(&s, billiards_with(pairs, ""));
  assert_ok(s.status, &s.error);
  *stats = fly_run_stats(s.run);
  simulation_free(&s);
  return r;
}

static void the_same_motion_as_with_all_pairs(void **state) {
  static const char *const methods[] = {"ch", "radau", "partition"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    fly_stats near, all;
    const rows a = play(methods[i], "near", 1e-4, &near), b = play(methods[i], "all", 1e-4, &all);
    double apart = 0;
    for (int k = 1; k <= BALLS; k++)
      apart = fmax(apart, fabs(a.last[k] - b.last[k]));
    print_message("%s: apart %.2e m, %ld and %ld steps, entries of factors %ld and %ld\n", methods[i], apart,
                  near.steps, all.steps, near.factor_entries, all.factor_entries);
    assert_true(apart < 2e-4);
    // they exchange velocities, and b comes back from the wall
    for (int lane = 1; lane <= LANES; lane++)
      assert_true(a.last[2 * lane - 1] > -1.4 && a.last[2 * lane] > 0.5);
  }
}

// A ball of 1 mm at 300 m/s through a crowd of others to a plate of 1 mm, beyond which it must not get.
static const char *const shot =
    "flyball: 1\n"
    "name: shot\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  plate: {mass: 1000, inertia: [1000, 1000, 1000], position: [0, 0, 0], shapes: [{type: box, x: 0.2, y: 0.2, z: "
    "0.001}]}\n"
    "  ball: {mass: 4e-6, inertia: [1e-12, 1e-12, 1e-12], position: [0, 0, 3], velocity: [0, 0, -300], shapes: [{type: "
    "sphere, radius: 0.0005}]}\n"
    "repeat:\n"
    "  others:\n"
    "    count: 20\n"
    "    bodies:\n"
    "      other$i: {mass: 1, inertia: [1, 1, 1], position: [0.3*cos(i), 0.3*sin(i), 0.15*i], shapes: [{type: sphere, "
    "radius: 0.02}]}\n"
    "    contacts:\n"
    "      meets$i: {bodies: [ball, other$i], law: hertz, young: [2e11, 2e11]}\n"
    "contacts:\n"
    "  stops: {bodies: [ball, plate], law: hertz, young: [2e11, 2e11]}\n"
    "outputs: {z: dz(ball)}\n";

static void keep_first(const double *row, void *user) { *(double *)user = row[1]; }

static void nothing_is_outrun(void **state) {
  static const char *const methods[] = {"ch", "radau", "partition"};
  for (size_t i = 0; i < 2 * sizeof methods / sizeof *methods; i++) {
    double z = 0;
    simulation s = {.options = fly_run_options_default()};
    s.options.method.name = methods[i / 2];
    s.options.error = i % 2 ? 1e-2 : 1e-3; // in free flight steps of radau grow fivefold, beyond what is searched
    s.options.calibrate = s.options.estimate_error = "no";
    s.options.end = s.options.output = i % 2 ? 0.1 : 0.02;
    s.options.channels = "outputs";
    s.options.row = keep_first;
    s.options.user = &z;
    simulate_text(&s, shot);
    assert_ok(s.status, &s.error);
    print_message("%s: the ball is at %.3f m, %ld steps\n", methods[i / 2], z, fly_run_stats(s.run).steps);
    assert_close(z, 300 * (s.options.end - 0.01), 0.01); // 10 ms down, then up
    simulation_free(&s);
  }
}

// ---------------------------------------------------------------------------------------------- one step

enum { MOST = 200 };

// A straight flight of the ball with velocity u; all others rest.
typedef struct straight {
  const machine *m;
  int iq, iv; // of the ball
  double u[3], q[MOST], v[MOST], zeros[MOST];
} straight;

static fly_dae_state fly_on(double t, void *user) {
  straight *w = user;
  memcpy(w->q, w->m->system.q0, (size_t)w->m->model.nq * sizeof *w->q);
  for (int i = 0; i < 3; i++) {
    w->q[w->iq + i] += t * w->u[i];
    w->v[w->iv + i] = w->u[i];
  }
  return (fly_dae_state){.t = t,
                         .q = w->q,
                         .v = w->v,
                         .vdot = w->zeros,
                         .lambda = w->zeros,
                         .x = w->zeros,
                         .xdot = w->zeros,
                         .y = w->zeros};
}

// Who is near is known from the start, where the ball has not yet gone a step: one of 20 ms that goes 6 m.
static fly_leap leap_of(double x, double y, double z) {
  machine *m = machine_text(shot);
  machine_all_rows(m);
  assert_true(m->model.nq <= MOST);
  straight w = {.m = m, .u = {x, y, z}};
  for (int k = 0; k < m->model.nbody; k++)
    if (strcmp(m->model.body[k].name, "ball") == 0) {
      w.iq = m->model.body[k].iq;
      w.iv = m->model.body[k].iv;
    }
  fly_system *s = &m->system;
  const fly_dae_state start = fly_on(0, &w);
  fly_leap leap = {0};
  assert_true(s->dae.accepted(&start, NULL, s) != FLY_EFFECT_NOTHING);
  assert_true(s->dae.cross(&s->dae, 0, w.q, w.v, w.zeros, s) != FLY_CROSSED_REFUSED);
  assert_int_equal(s->nlive, 0);
  const fly_step_taken step = {
      .from = 0, .to = 0.02, .impulse = w.zeros, .at = fly_on, .motion = &w, .change = w.zeros};
  s->dae.leap(&leap, &step, s);
  machine_free(m);
  return leap;
}

// Nobody is near at the start. A step through the plate is cut before it gets there, after 2.9985 m; one that goes as
// far the other way meets nobody and is good.
static void a_step_that_meets_who_was_not_near_is_cut(void **state) {
  const fly_leap down = leap_of(0, 0, -300), up = leap_of(0, 0, 300);
  assert_true(down.found && !up.found);
  assert_between(down.from, 1e-9, 2.9985 / 300);
}

// ---------------------------------------------------------------------------------------------- saved and cloned

static fly_run *begin(fly_mechanism *m, const char *method) {
  fly_run_options o = fly_run_options_default();
  fly_run *r;
  fly_error error = {0};
  o.method.name = method;
  o.error = 1e-4;
  o.calibrate = o.estimate_error = "no";
  o.end = 2;
  o.output = 0.5;
  assert_ok(fly_run_create(&r, m, &o, &error), &error);
  assert_ok(fly_run_start(r, &error), &error);
  return r;
}

static void read_all(fly_run *r, double *out) {
  fly_error error = {0};
  for (int i = 0; i < BALLS; i++) {
    char name[20];
    snprintf(name, sizeof name, "%c%d.x", i % 2 ? 'b' : 'a', i / 2 + 1);
    const int channel = fly_run_channel(r, name);
    assert_ok(fly_run_read(r, &channel, 1, &out[i], &error), &error);
  }
}

static void the_same_bits_from_what_was_saved(void **state) {
  static const char *const methods[] = {"ch", "radau", "partition", "auto"};
  char file[] = "/tmp/flyball-simulation-XXXXXX";
  const char *text = billiards_with("near", ", friction: {mu: 0.3}");
  const int handle = mkstemp(file);
  fly_mechanism *m;
  fly_error error = {0};
  assert_int_equal(write(handle, text, strlen(text)), strlen(text));
  close(handle);
  assert_ok(fly_mechanism_load(&m, file, 0, NULL, &error), &error);
  unlink(file);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    fly_run *r = begin(m, methods[i]), *clone, *other = begin(m, methods[i]);
    double x[4][BALLS];
    void *bytes;
    size_t size;
    assert_ok(fly_run_advance(r, 0.9, FLY_ADVANCE_STOP, &error), &error);
    assert_true(r->assembly.system.near_changes > 1);
    assert_ok(fly_run_save(r, &bytes, &size, &error), &error);
    assert_ok(fly_run_clone(&clone, r, &error), &error);
    fly_run *const runs[] = {r, clone, r, other};
    for (int k = 0; k < 4; k++) {
      if (k >= 2)
        assert_ok(fly_run_restore(runs[k], bytes, size, &error), &error);
      assert_ok(fly_run_advance(runs[k], 2, FLY_ADVANCE_STOP, &error), &error);
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

// Balls in a cube with a little room between them: neighbours are near, and none across a corner, though boxes around
// them overlap there (54 pairs of 27 balls of 351; 26 of each would be near by their boxes).
static void corners_of_boxes_do_not_count(void **state) {
  (void)state;
  char text[6000] = "flyball: 1\nname: cube\ngravity: [0, 0, 0]\nbodies:\n";
  for (int k = 0; k < 27; k++)
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "  b%d: {position: [%g, %g, %g], material: ball, shapes: [{type: sphere, radius: 0.05, density: 1000}]}\n",
             k, 0.108 * (k % 3), 0.108 * (k / 3 % 3), 0.108 * (k / 9));
  strcat(text, "contacts: {each: {materials: [ball, ball], stiffness: 1e6}}\n");
  simulation s = {.options = fly_run_options_default()};
  s.options.end = 0.1;
  s.options.step = 0.01;
  simulate_text(&s, text);
  assert_int_equal(s.status, FLY_OK);
  const fly_run *r = s.run;
  assert_int_equal(r->assembly.system.nlive, 54);
  simulation_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_motion_as_with_all_pairs), cmocka_unit_test(nothing_is_outrun),
      cmocka_unit_test(a_step_that_meets_who_was_not_near_is_cut), cmocka_unit_test(corners_of_boxes_do_not_count),
      cmocka_unit_test(the_same_bits_from_what_was_saved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
