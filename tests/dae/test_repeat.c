// The same bits: twice, beside another solver, and in two threads at once.
#include <pthread.h>
#include <string.h>

#include "support/motion.h"

typedef struct sample {
  const char *name;
  double t_end, error;
} sample;

static const sample samples[] = {{"seven-body", 0.005, 1e-4}, {"heavy-top", 0.05, 1e-3}, {"spring-mass", 2, 1e-4},
                                 {"rolling-coin", 0.5, 1e-3}, {"chain", 0.2, 1e-3},      {"pendulum-family", 1, 1e-4}};
enum { SAMPLES = sizeof samples / sizeof *samples };

static uint64_t hash_of(const sample *k, fly_formulation f) {
  fly_problem p = problem_of(k->name, NULL, 0);
  const fly_dae_options o = with_error(options_of("ch", 0.6, f), k->error);
  motion m = motion_run(&p, &o, k->t_end);
  const uint64_t hash = motion_hash(&m);
  motion_free(&m);
  fly_problem_free(&p);
  return hash;
}

static void test_twice(void **state) {
  for (int k = 0; k < SAMPLES; k++)
    for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++)
      assert_true(hash_of(&samples[k], f) == hash_of(&samples[k], f));
}

// One solver, started again from the same start.
static void test_started_again(void **state) {
  for (int k = 0; k < SAMPLES; k++) {
    fly_problem p = problem_of(samples[k].name, NULL, 0);
    const fly_dae_options o = with_error(fly_dae_options_default(), samples[k].error);
    fly_solver *s = solver_started(&p, &o, samples[k].t_end);
    fly_error error = {0};
    double first[POINT];
    assert_ok(fly_solver_advance(s, samples[k].t_end, &error), &error);
    memcpy(first, fly_solver_state(s).q, (size_t)p.dae.nq * sizeof(double));
    assert_ok(fly_solver_start(s, p.t0, samples[k].t_end, p.q0, p.v0, p.x0, &error), &error);
    assert_ok(fly_solver_advance(s, samples[k].t_end, &error), &error);
    assert_memory_equal(first, fly_solver_state(s).q, (size_t)p.dae.nq * sizeof(double));
    fly_solver_free(s);
    fly_problem_free(&p);
  }
}

// ---------------------------------------------------------------------------------------------- side by side

static void add_point(motion *m, const fly_solver *s) {
  const fly_dae_state now = fly_solver_state(s);
  motion_add(m, &now);
}

static void test_interleaved(void **state) {
  enum { N = 3 };
  fly_problem p[N];
  fly_solver *s[N];
  motion m[N];
  fly_error error = {0};
  for (int k = 0; k < N; k++) {
    p[k] = problem_of(samples[k].name, NULL, 0);
    const fly_dae_options o = with_error(options_of("ch", 0.6, FLY_GGL), samples[k].error);
    s[k] = solver_started(&p[k], &o, samples[k].t_end);
    m[k] = motion_begin(&p[k]);
    add_point(&m[k], s[k]);
  }
  for (int busy = 1; busy;) {
    busy = 0;
    for (int k = 0; k < N; k++)
      if (!fly_solver_done(s[k])) {
        busy = 1;
        assert_ok(fly_solver_step(s[k], &error), &error);
        add_point(&m[k], s[k]);
      }
  }
  for (int k = 0; k < N; k++) {
    assert_true(motion_hash(&m[k]) == hash_of(&samples[k], FLY_GGL));
    fly_solver_free(s[k]);
    motion_free(&m[k]);
    fly_problem_free(&p[k]);
  }
}

// cmocka's assertions do not work outside the main thread: the thread only computes.
typedef struct job {
  const sample *sample;
  uint64_t hash;
  fly_status status;
} job;

static void *work(void *argument) {
  job *j = argument;
  fly_problem p;
  j->status = fly_problem_make(&p, j->sample->name, NULL, 0, NULL);
  if (j->status != FLY_OK)
    return NULL;
  fly_dae_options o = fly_dae_options_default();
  o.error = j->sample->error;
  motion m = motion_try(&p, &o, j->sample->t_end);
  j->status = m.status;
  j->hash = motion_hash(&m);
  motion_free(&m);
  fly_problem_free(&p);
  return NULL;
}

static void test_threads(void **state) {
  enum { N = 4 };
  job jobs[N], alone[N];
  pthread_t threads[N];
  for (int k = 0; k < N; k++) {
    jobs[k] = alone[k] = (job){.sample = &samples[k % 2]};
    work(&alone[k]);
  }
  for (int k = 0; k < N; k++)
    assert_int_equal(pthread_create(&threads[k], NULL, work, &jobs[k]), 0);
  for (int k = 0; k < N; k++)
    pthread_join(threads[k], NULL);
  for (int k = 0; k < N; k++) {
    assert_int_equal(jobs[k].status, FLY_OK);
    assert_true(jobs[k].hash == alone[k].hash);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_twice), cmocka_unit_test(test_started_again),
                                     cmocka_unit_test(test_interleaved), cmocka_unit_test(test_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
