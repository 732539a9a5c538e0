// The state of a solver saved and restored: by itself, by another, by one that was never started; to the same bits.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dae/choice.h"
#include "dae/newmark.h"
#include "dae/radau.h"
#include "dae/solver.h"
#include "dae/statespace.h"
#include "support/motion.h"

typedef struct sample {
  const char *name, *variant;
  double t_end, error;
  int n;
} sample;

// Constraints and none, rotations, states and outputs, rows that are not holonomic, two matrices of half the size.
static const sample samples[] = {{"seven-body", NULL, 0.01, 1e-4, 0},   {"heavy-top", NULL, 0.05, 1e-4, 0},
                                 {"spring-mass", NULL, 2, 1e-4, 0},     {"rolling-coin", NULL, 0.5, 1e-3, 0},
                                 {"slider-crank", NULL, 0.02, 1e-4, 0}, {"four-bar", "grashof", 1, 1e-4, 0},
                                 {"oscillator", "damped", 2, 1e-5, 0},  {"stiff-double-pendulum", NULL, 1e-3, 1e-5, 0}};
enum { SAMPLES = sizeof samples / sizeof *samples };
static const sample large = {"chain", NULL, 0.05, 1e-3, 150};

typedef struct way {
  const char *method;
  fly_formulation formulation;
  bool fixed;
} way;
static const way ways[] = {{"ch", FLY_GGL, false},     {"ch", FLY_INDEX3, false},     {"ch", FLY_INDEX2, false},
                           {"ch", FLY_GGL, true},      {"trapezoid", FLY_GGL, false}, {"radau", FLY_GGL, false},
                           {"radau", FLY_GGL, true},   {"partition", FLY_GGL, false}, {"partition", FLY_GGL, true},
                           {"hybrid", FLY_GGL, false}, {"direct", FLY_GGL, false},    {"baumgarte", FLY_GGL, false},
                           {"auto", FLY_GGL, false}};
enum { WAYS = sizeof ways / sizeof *ways, MOST_STEPS = 120 };

static fly_dae_options options_for(const sample *k, const way *w) {
  const fly_dae_options o = options_of(w->method, NAN, w->formulation);
  return w->fixed ? with_step(o, k->t_end / 64) : with_error(o, k->error);
}

// ---------------------------------------------------------------------------------------------- bits

static uint64_t mix(uint64_t hash, const void *data, size_t size) { return fly_fingerprint(hash, data, size); }

// Everything a user sees of a solver, but the time it took.
static uint64_t look(fly_solver *s, uint64_t hash) {
  const fly_dae_problem *p = &s->e.p;
  const size_t n = sizeof(double);
  fly_dae_state at[2] = {fly_solver_state(s)};
  assert_int_equal(fly_solver_interpolate(s, 0.7 * s->now.t + 0.3 * s->last.t, &at[1], NULL), FLY_OK);
  for (int k = 0; k < 2; k++) {
    hash = mix(hash, &at[k].t, n);
    hash = mix(hash, at[k].q, n * (size_t)p->nq);
    hash = mix(hash, at[k].v, n * (size_t)p->nv);
    hash = mix(hash, at[k].vdot, n * (size_t)p->nv);
    hash = mix(hash, at[k].lambda, n * (size_t)s->e.nl);
    hash = mix(hash, at[k].x, n * (size_t)p->nx);
    hash = mix(hash, at[k].xdot, n * (size_t)p->nx);
    hash = mix(hash, at[k].y, n * (size_t)p->ny);
  }
  fly_stats stats = fly_solver_stats(s);
  const fly_certificate c = fly_solver_certificate(s);
  const double seen[] = {c.position, c.velocity, c.acceleration, c.estimate, c.singular, stats.h_min, stats.h_max};
  stats.wall_s = 0;
  return mix(mix(hash, &stats, sizeof stats), seen, sizeof seen);
}

// Goes on for some steps, or to the end.
static uint64_t go_on(fly_solver *s, int steps) {
  uint64_t hash = 0;
  for (int k = 0; k < steps && !fly_solver_done(s); k++) {
    if (fly_solver_step(s, NULL) != FLY_OK)
      break;
    hash = look(s, hash);
  }
  return hash;
}

typedef struct state {
  void *bytes;
  size_t size;
} state;

static state saved(fly_solver *s) {
  fly_error error = {0};
  state out;
  assert_ok(fly_solver_save(s, &out.bytes, &out.size, &error), &error);
  return out;
}

static void restored(fly_solver *s, const state *from) {
  fly_error error = {0};
  assert_ok(fly_solver_restore(s, from->bytes, from->size, &error), &error);
}

static fly_solver *created(const fly_problem *p, const fly_dae_options *o) {
  fly_error error = {0};
  fly_solver *s;
  assert_ok(fly_solver_create(&s, &p->dae, o, &error), &error);
  return s;
}

// ---------------------------------------------------------------------------------------------- the tests

static long steps_compared;

// One run that is never saved; one saved after every step; and from some of these states: once more by the same solver,
// by another that is elsewhere, and by one that was never started.
static void goes_on_alike(const sample *k, const way *w) {
  fly_problem p = problem_of(k->name, k->variant, k->n);
  const fly_dae_options o = options_for(k, w);
  fly_solver *plain = solver_started(&p, &o, k->t_end), *s = solver_started(&p, &o, k->t_end);
  for (int step = 0; step < MOST_STEPS && !fly_solver_done(plain) && s->stage == FLY_SOLVER_STARTED; step++) {
    state here = saved(s);
    if (step % 19 == 3) {
      fly_solver *fresh = created(&p, &o);
      restored(fresh, &here);
      const uint64_t expected = go_on(s, 25), by_fresh = go_on(fresh, 25);
      steps_compared += 25;
      assert_true(by_fresh == expected);
      restored(s, &here);
      assert_true(go_on(s, 25) == expected);
      restored(fresh, &here);
      assert_true(go_on(fresh, 25) == expected);
      restored(s, &here);
      state again = saved(s);
      assert_int_equal(again.size, here.size);
      assert_memory_equal(again.bytes, here.bytes, here.size);
      free(again.bytes);
      fly_solver_free(fresh);
    }
    free(here.bytes);
    assert_true(go_on(s, 1) == go_on(plain, 1));
  }
  fly_solver_free(plain);
  fly_solver_free(s);
  fly_problem_free(&p);
}

static void test_goes_on_alike(void **unused) {
  for (int k = 0; k < SAMPLES; k++)
    for (int w = 0; w < WAYS; w++)
      goes_on_alike(&samples[k], &ways[w]);
  goes_on_alike(&large, &ways[0]);
  assert_true(steps_compared > 8000);
}

// Method auto makes the matrices of a family when that is at work for the first time: a state from before has none, and
// one from behind has them, whoever takes it up.
static void test_matrices_of_one_that_was_not_asked(void **unused) {
  enum { ALL = 1000000 };
  fly_problem p = problem_of("oscillator", "stiff", 0); // by radau, and then by ch
  const fly_dae_options o = with_error(options_of("auto", NAN, FLY_GGL), 1e-3);
  fly_solver *s = solver_started(&p, &o, p.t_end), *fresh = created(&p, &o);
  go_on(s, 3);
  const long before = fly_solver_stats(s).switches;
  assert_false(s->choice->member[FLY_MEMBERS - 1].shaped);
  state early = saved(s);
  const uint64_t expected = go_on(s, ALL);
  assert_true(fly_solver_stats(s).switches > before);
  assert_true(s->choice->member[FLY_MEMBERS - 1].shaped);
  state late = saved(s);
  restored(s, &early);
  assert_true(go_on(s, ALL) == expected);
  restored(fresh, &late);
  state again = saved(fresh);
  assert_int_equal(again.size, late.size);
  assert_memory_equal(again.bytes, late.bytes, late.size);
  restored(fresh, &early);
  assert_true(go_on(fresh, ALL) == expected);
  free(early.bytes);
  free(late.bytes);
  free(again.bytes);
  fly_solver_free(s);
  fly_solver_free(fresh);
  fly_problem_free(&p);
}

// What is not copied must not change: whoever adds a field to the wrong half of a struct, or keeps a number of a run in
// it, is told here.
static void assert_kept(const void *now, const void *then, size_t size, const char *what) {
  for (size_t k = 0; k < size; k++)
    if (((const char *)now)[k] != ((const char *)then)[k])
      fail_msg("byte %zu of %s has changed in a run, and does not travel", k, what);
}

#define BEFORE(type, field) offsetof(type, field)

static void compare(const fly_solver *s, fly_solver *then, const void *own) {
  then->clock_start = s->clock_start;
  then->stage = s->stage;
  then->kkt.known = s->kkt.known; // a matrix travels by a function of its own
  then->e.failed = s->e.failed;   // for messages
  then->e.failed_code = s->e.failed_code;
  then->e.failed_index = s->e.failed_index;
  assert_kept(&s->e, &then->e, BEFORE(fly_eval, residuals), "fly_eval");
  then->e = s->e;
  const bool changed = s->family != then->family; // method auto: who is at work travels with the choice
  if (changed) {
    assert_non_null(s->choice);
    then->family = s->family;
    then->own = s->own;
    then->step = s->step;
  }
  assert_kept(s, then, BEFORE(fly_solver, t0), "fly_solver");
  if (changed)
    return;
  if (s->family == &fly_family_newmark)
    assert_kept(s->own, own, BEFORE(fly_newmark_own, half_core), "fly_newmark_own");
  if (s->family == &fly_family_radau)
    assert_kept(s->own, own, BEFORE(fly_radau, val), "fly_radau");
  if (s->family == &fly_family_statespace) {
    const state_space *now = s->own;
    state_space before = *(const state_space *)own;
    assert_kept(&now->adams, &before.adams, BEFORE(fly_adams, gamma), "fly_adams");
    before.adams = now->adams;
    before.part.u = now->part.u; // shaped by the kinds of the velocities
    before.part.lu = now->part.lu;
    before.part.tree = now->part.tree;
    assert_kept(&now->part, &before.part, BEFORE(fly_partition, reference), "fly_partition");
    before.part = now->part;
    assert_kept(now, &before, BEFORE(state_space, state), "state_space");
  }
}

static void test_place_is_constant(void **unused) {
  for (int k = 0; k < SAMPLES; k++)
    for (int w = 0; w < WAYS; w++) {
      fly_problem p = problem_of(samples[k].name, samples[k].variant, samples[k].n);
      const fly_dae_options o = options_for(&samples[k], &ways[w]);
      fly_solver *s = solver_started(&p, &o, samples[k].t_end), then;
      union {
        fly_newmark_own newmark;
        fly_radau radau;
        state_space space;
      } own;
      memcpy(&then, s, sizeof then);
      memcpy(&own, s->own,
             s->family == &fly_family_newmark ? sizeof own.newmark
             : s->family == &fly_family_radau ? sizeof own.radau
                                              : sizeof own.space);
      go_on(s, MOST_STEPS);
      compare(s, &then, &own);
      fly_solver_free(s);
      fly_problem_free(&p);
    }
}

static void refuses(fly_solver *s, const void *bytes, size_t size, const char *why) {
  fly_error error = {0};
  const fly_dae_state before = fly_solver_state(s);
  assert_int_equal(fly_solver_restore(s, bytes, size, &error), FLY_BAD_INPUT);
  assert_says(&error, why);
  assert_true(fly_solver_state(s).t == before.t && fly_solver_state(s).q[0] == before.q[0]);
}

static void test_refuses(void **unused) {
  fly_problem p = problem_of("heavy-top", NULL, 0), other = problem_of("seven-body", NULL, 0);
  fly_dae_options o = with_error(fly_dae_options_default(), 1e-4);
  fly_solver *s = solver_started(&p, &o, 0.05), *stranger = solver_started(&other, &o, 0.005);
  fly_error error = {0};
  go_on(s, 5);
  state here = saved(s);
  unsigned char *bytes = here.bytes;
  refuses(stranger, bytes, here.size, "another solver");
  o.error = 1e-5;
  fly_solver *tighter = solver_started(&p, &o, 0.05);
  refuses(tighter, bytes, here.size, "another solver");
  refuses(s, bytes, here.size - 1, "damaged");
  refuses(s, bytes, 20, "not the saved state");
  refuses(s, "hello", 5, "not the saved state");
  for (size_t k = 100; k < here.size; k += here.size / 50) {
    bytes[k] ^= 4;
    refuses(s, bytes, here.size, "damaged");
    bytes[k] ^= 4;
  }
  bytes[8] = '9'; // of the version
  refuses(s, bytes, here.size, "saved by version 9");
  assert_int_equal(fly_solver_restore(s, NULL, 0, &error), FLY_BAD_INPUT);
  assert_int_equal(fly_solver_save(NULL, &here.bytes, &here.size, &error), FLY_BAD_INPUT);
  free(bytes);
  fly_solver_free(s);
  fly_solver_free(stranger);
  fly_solver_free(tighter);
  fly_problem_free(&p);
  fly_problem_free(&other);
}

// Each says why it cannot: not every method without a state in a file is a library's.
static void test_rival_that_cannot(void **unused) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  fly_dae_options o = fly_dae_options_default();
  fly_method_request r = fly_method_request_default();
  fly_error error = {0};
  fly_solver *s;
  void *bytes;
  size_t size;
  r.name = "sdirk";
  o.family = FLY_FAMILY_TABLEAU;
  o.formulation = FLY_INDEX2;
  o.step = 1e-2;
  assert_ok(fly_tableau_make(&o.tableau, &r, &error), &error);
  assert_ok(fly_solver_create(&s, &p.dae, &o, &error), &error);
  assert_ok(fly_solver_start(s, 0, 1, p.q0, p.v0, NULL, &error), &error);
  assert_int_equal(fly_solver_save(s, &bytes, &size, &error), FLY_BAD_INPUT);
  assert_says(&error, "there to be compared with");
  fly_solver_free(s);
  fly_problem_free(&p);
}

static void test_method_that_cannot(void **unused) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  fly_dae_options o = fly_dae_options_default();
  fly_error error = {0};
  fly_solver *s;
  o.family = FLY_FAMILY_BDF;
  o.error_per = FLY_PER_STEP;
  if (fly_solver_create(&s, &p.dae, &o, &error) == FLY_OK) { // SUNDIALS is there
    void *bytes;
    size_t size;
    assert_ok(fly_solver_start(s, 0, 1, p.q0, p.v0, NULL, &error), &error);
    assert_int_equal(fly_solver_save(s, &bytes, &size, &error), FLY_BAD_INPUT);
    assert_says(&error, "method bdf cannot be saved");
    fly_solver_free(s);
  }
  fly_problem_free(&p);
}

// One state, many solvers, each in a thread of its own.
typedef struct job {
  fly_solver *s;
  uint64_t hash;
} job;

static void *work(void *argument) {
  job *j = argument;
  uint64_t hash = 0;
  for (int k = 0; k < 25; k++) {
    if (fly_solver_step(j->s, NULL))
      break;
    hash = mix(hash, fly_solver_state(j->s).q, 7 * sizeof(double));
  }
  j->hash = hash;
  return NULL;
}

static void test_copies_in_threads(void **unused) {
  enum { N = 8 };
  fly_problem p = problem_of("seven-body", NULL, 0);
  const fly_dae_options o = with_error(fly_dae_options_default(), 1e-4);
  fly_solver *s = solver_started(&p, &o, 0.01);
  fly_error error = {0};
  pthread_t thread[N];
  job jobs[N], alone = {.s = s};
  go_on(s, 10);
  for (int k = 0; k < N; k++) {
    jobs[k] = (job){.s = created(&p, &o)};
    assert_ok(fly_solver_copy(jobs[k].s, s, &error), &error);
  }
  for (int k = 0; k < N; k++)
    assert_int_equal(pthread_create(&thread[k], NULL, work, &jobs[k]), 0);
  work(&alone);
  for (int k = 0; k < N; k++) {
    pthread_join(thread[k], NULL);
    assert_true(jobs[k].hash == alone.hash);
    fly_solver_free(jobs[k].s);
  }
  fly_solver_free(s);
  fly_problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_goes_on_alike),     cmocka_unit_test(test_matrices_of_one_that_was_not_asked),
      cmocka_unit_test(test_place_is_constant), cmocka_unit_test(test_refuses),
      cmocka_unit_test(test_rival_that_cannot), cmocka_unit_test(test_method_that_cannot),
      cmocka_unit_test(test_copies_in_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
