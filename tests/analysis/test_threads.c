// Runs, equilibria, modes and reports in eight threads at once, each with a model of its own, and eight runs of one
// model that they share: the same bits as alone. Under the thread sanitizer and helgrind (.ci/run threads) it shows
// that nothing is shared that is written.
//
// labels: threads
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flyball/flyball.h"
#include "support/motion.h"

enum { THREADS = 8 };

// Bodies on springs, a loop, an expression and a motion: all that has tables or histories of its own.
static const char MODEL[] =
    "flyball: 1\nname: threads\ngravity: [0, -9.81, 0]\nparameters: {length: 1}\nbodies:\n"
    "  arm: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [length/2, 0, 0], markers: {hinge: [-length/2, 0, 0], end: "
    "[length/2, 0, 0]}}\n"
    "  bob: {mass: 1, inertia: [0.1, 0.2, 0.1], position: [length, -1, 0], markers: {top: [0, 1, 0]}}\n"
    "joints:\n"
    "  hinge: {type: revolute, from: ground, to: arm.hinge}\n"
    "  ball: {type: spherical, from: arm.end, to: bob.top}\n"
    "forces:\n"
    "  coil: {type: spring, from: ground, to: bob, stiffness: 40, damping: 0.5, free_length: 1.2}\n"
    "outputs: {x: \"dx(bob, ground)\", reach: \"sqrt(dx(bob, ground)^2 + dy(bob, ground)^2)\"}\n"
    "simulate: {end: 0.2, error: 1e-4, output: 0.05}\n";

// What one thread finds. Failures are kept: cmocka may be asked in one thread only.
typedef struct work {
  const fly_mechanism *shared; // NULL: a model of its own
  char base[100];              // of its results
  uint64_t hash;               // of all numbers
  fly_error error;
  fly_status status;
  const char *where;
} work;

static void note_row(const double *row, void *user) {
  work *w = user;
  w->hash = fly_hash_doubles(w->hash, row, 4);
}

static bool passes(work *w, fly_status status, const char *where) {
  w->status = status;
  w->where = where;
  return status == FLY_OK;
}

static void run(work *w, const fly_mechanism *m) {
  fly_run *r = NULL;
  fly_run_options o = fly_run_options_default();
  o.out = w->base;
  o.hdf5 = true;
  o.row = note_row;
  o.user = w;
  if (passes(w, fly_run_create(&r, m, &o, &w->error), "create") && passes(w, fly_run_start(r, &w->error), "start"))
    passes(w, fly_run_go(r, &w->error), "go");
  fly_run_free(r);
}

static void rest(work *w, const fly_mechanism *m) {
  fly_run *r = NULL;
  fly_run_options o = fly_run_options_default();
  o.row = note_row;
  o.user = w;
  if (passes(w, fly_run_create(&r, m, &o, &w->error), "create at rest") &&
      passes(w, fly_run_rest(r, "newton", &w->error), "rest"))
    passes(w, fly_run_show(r, &w->error), "show");
  fly_run_free(r);
}

static void modes(work *w, const fly_mechanism *m) {
  fly_modes *modes = NULL;
  fly_modes_options o = fly_modes_options_default();
  o.equilibrium = o.anyway = o.matrices = true;
  if (passes(w, fly_modes_create(&modes, m, &o, &w->error), "modes"))
    for (int k = 0; k < fly_modes_count(modes); k++)
      w->hash = fly_hash_doubles(w->hash, &fly_modes_get(modes, k)->real, 2);
  fly_modes_free(modes);
}

static void report(work *w) {
  char page[120];
  const char *result = w->base;
  snprintf(page, sizeof page, "%s.html", w->base);
  passes(w, fly_report_write(page, 1, &result, NULL, NULL, &w->error), "report");
}

static void *do_all(void *user) {
  work *w = user;
  fly_mechanism *own = NULL;
  w->hash = fly_hash_start();
  if (!w->shared && !passes(w, fly_mechanism_parse(&own, "m", MODEL, strlen(MODEL), 0, NULL, &w->error), "parse"))
    return NULL;
  const fly_mechanism *m = w->shared ? w->shared : own;
  run(w, m);
  if (w->status == FLY_OK)
    rest(w, m);
  if (w->status == FLY_OK)
    modes(w, m);
  if (w->status == FLY_OK)
    report(w);
  fly_mechanism_free(own);
  return NULL;
}

static char folder[] = "/tmp/flyball-threads-XXXXXX";

static work work_of(const fly_mechanism *shared, int k) {
  work w = {.shared = shared, .where = ""};
  snprintf(w.base, sizeof w.base, "%s/%s%d", folder, shared ? "shared" : "own", k);
  return w;
}

static void check(const work *w, uint64_t expected) {
  if (w->status != FLY_OK)
    fail_msg("%s: %s", w->where, w->error.message);
  assert_true(w->hash == expected);
}

static void together(const fly_mechanism *shared) {
  pthread_t thread[THREADS];
  work list[THREADS], alone = work_of(NULL, THREADS);
  do_all(&alone);
  check(&alone, alone.hash);
  for (int k = 0; k < THREADS; k++) {
    list[k] = work_of(shared, k);
    assert_int_equal(pthread_create(&thread[k], NULL, do_all, &list[k]), 0);
  }
  for (int k = 0; k < THREADS; k++)
    assert_int_equal(pthread_join(thread[k], NULL), 0);
  for (int k = 0; k < THREADS; k++)
    check(&list[k], alone.hash);
}

static void models_of_their_own(void **state) { together(NULL); }

static void one_model_for_all(void **state) {
  fly_mechanism *m = NULL;
  fly_error error = {0};
  assert_ok(fly_mechanism_parse(&m, "m", MODEL, strlen(MODEL), 0, NULL, &error), &error);
  together(m);
  fly_mechanism_free(m);
}

static int make_folder(void **state) { return mkdtemp(folder) == NULL; }

static int remove_folder(void **state) {
  char line[100];
  snprintf(line, sizeof line, "rm -r '%s'", folder);
  return system(line); // NOLINT(cert-env33-c)
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(models_of_their_own), cmocka_unit_test(one_model_for_all)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
