// What the tests of whole models share: a model from text or file, its system without redundant rows, and a run.
#ifndef FLY_TESTS_SYSTEM_MACHINE_H
#define FLY_TESTS_SYSTEM_MACHINE_H

#include <stdlib.h>
#include <string.h>

#include "io/read.h"
#include "support/motion.h"
#include "system/system.h"

// Does not move: the model points to the spec, the system to the model.
typedef struct machine {
  fly_spec spec;
  fly_model model;
  fly_system system;
  fly_solver *solver;
  int rank;
} machine;

static inline void machine_compile(machine *m) {
  fly_error error = {0};
  assert_ok(fly_model_compile(&m->model, &m->spec, &error), &error);
}

static inline machine *machine_text(const char *text) {
  machine *m = calloc(1, sizeof *m);
  fly_error error = {0};
  assert_non_null(m);
  assert_ok(fly_model_read_text(&m->spec, "text", text, strlen(text), 0, NULL, &error), &error);
  machine_compile(m);
  return m;
}

// Is a text that reads well no model? The error says why.
static inline bool machine_refused(const char *text, fly_error *error) {
  machine m = {0};
  assert_ok(fly_model_read_text(&m.spec, "text", text, strlen(text), 0, NULL, error), error);
  fly_status status = fly_model_compile(&m.model, &m.spec, error);
  fly_model_free(&m.model);
  fly_spec_free(&m.spec);
  return status != FLY_OK;
}

static inline machine *machine_file(const char *file) {
  machine *m = calloc(1, sizeof *m);
  fly_error error = {0};
  assert_non_null(m);
  assert_ok(fly_model_read(&m->spec, file, 0, NULL, &error), &error);
  machine_compile(m);
  return m;
}

static inline machine *machine_example(const char *name) {
  char file[1000];
  snprintf(file, sizeof file, "%s/examples/%s.yaml", FLY_TEST_SOURCE_DIR, name);
  return machine_file(file);
}

static inline void machine_free(machine *m) {
  fly_solver_free(m->solver);
  fly_system_free(&m->system);
  fly_model_free(&m->model);
  fly_spec_free(&m->spec);
  free(m);
}

static inline void machine_all_rows(machine *m) {
  fly_error error = {0};
  assert_ok(fly_system_create(&m->system, &m->model, 0, NULL, &error), &error);
}

// The rows that are independent at the start.
static inline void machine_independent_rows(machine *m) {
  fly_error error = {0};
  fly_system all;
  fly_csc G = {0};
  fly_rank rank = {0};
  m->rank = 0;
  int *keep = calloc((size_t)m->model.nrow + 1, sizeof *keep);
  assert_ok(fly_system_create(&all, &m->model, 0, NULL, &error), &error);
  if (all.nactive > 0) {
    assert_ok(fly_csc_create(&G, all.nactive, m->model.nv, all.G.start, all.G.row, &error), &error);
    all.dae.constraint_jacobian(G.val, 0.0, all.q0, &all);
    assert_ok(fly_rank_find(&rank, &G, 1e-9, &error), &error);
    for (int k = 0, d = 0; k < all.nactive; k++) {
      bool dependent = d < rank.ndependent && rank.dependent[d] == k;
      d += dependent;
      if (!dependent)
        keep[m->rank++] = all.active[k];
    }
  }
  assert_ok(fly_system_create(&m->system, &m->model, m->rank, keep, &error), &error);
  fly_csc_free(&G);
  fly_rank_free(&rank);
  fly_system_free(&all);
  free(keep);
}

// Ready to run by the default method.
static inline void machine_start(machine *m, double tolerance, double end) {
  fly_error error = {0};
  fly_dae_options o = fly_dae_options_default();
  o.error = tolerance;
  machine_independent_rows(m);
  assert_ok(fly_solver_create(&m->solver, &m->system.dae, &o, &error), &error);
  assert_ok(fly_solver_start(m->solver, 0.0, end, m->system.q0, m->system.v0, m->system.x0, &error), &error);
}

// The state at t, which is not before the last one.
static inline fly_dae_state machine_at(machine *m, double t) {
  fly_error error = {0};
  fly_dae_state at;
  while (fly_solver_state(m->solver).t < t && !fly_solver_done(m->solver))
    assert_ok(fly_solver_step(m->solver, &error), &error);
  assert_ok(fly_solver_interpolate(m->solver, t, &at, &error), &error);
  return at;
}

static inline const fly_body *machine_body(const machine *m, const char *name) {
  int k = fly_model_body(&m->model, name);
  assert_true(k >= 0);
  return &m->model.body[k];
}

static inline double machine_output(machine *m, const fly_dae_state *at, const char *name) {
  double *out = calloc((size_t)m->model.noutput + 1, sizeof *out), value = NAN;
  fly_system_outputs(&m->system, at, out);
  for (int k = 0; k < m->model.noutput; k++)
    if (strcmp(m->spec.item[m->model.output[k].item].name, name) == 0)
      value = out[k];
  free(out);
  return value;
}

#endif
