// Parameters that change while a run stands: the model is compiled with them, and its systems go on with that one.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run.h"
#include "base/error.h"
#include "flyball/run.h"

static size_t count_of(const fly_run *r) { return (size_t)r->mechanism->spec.nparameter; }

bool fly_run_take_parameters(fly_run *r) {
  r->parameter = fly_arena_doubles(&r->memory, count_of(r));
  r->wanted = fly_arena_doubles(&r->memory, count_of(r));
  for (size_t k = 0; k < count_of(r) && !r->memory.failed; k++)
    r->parameter[k] = r->wanted[k] = r->mechanism->spec.parameter_value[k];
  return !r->memory.failed;
}

static void free_model(fly_model *m) {
  if (m)
    fly_model_free(m);
  free(m);
}

void fly_run_free_tuned(fly_run *r) {
  free_model(r->tuned);
  free_model(r->pending);
}

// The model with the parameters that are wanted.
static fly_status compile(fly_run *r, fly_error *error) {
  free_model(r->pending);
  r->pending = calloc(1, sizeof *r->pending);
  fly_status status = r->pending ? fly_model_compile_tuned(r->pending, &r->mechanism->spec, r->wanted, error)
                                 : fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for other parameters.");
  if (status) {
    free_model(r->pending);
    r->pending = NULL;
    memcpy(r->wanted, r->parameter, count_of(r) * sizeof *r->wanted);
  }
  return status;
}

fly_status fly_run_use_wanted(fly_run *r, fly_error *error) {
  const fly_model *before = r->assembly.system.model;
  if (!r->pending)
    return FLY_OK;
  fly_status status = fly_system_use_model(&r->assembly.system, r->pending, error);
  if (status == FLY_OK) {
    status = fly_system_use_model(&r->assembly.all, r->pending, error);
    if (status)
      (void)fly_system_use_model(&r->assembly.system, before, NULL);
  }
  free_model(status ? r->pending : r->tuned);
  r->tuned = status ? r->tuned : r->pending;
  r->pending = NULL;
  memcpy(status ? r->wanted : r->parameter, status ? r->parameter : r->wanted, count_of(r) * sizeof *r->wanted);
  return status;
}

static int find(const fly_run *r, const char *name) {
  const fly_spec *spec = &r->mechanism->spec;
  for (int k = 0; k < spec->nparameter; k++)
    if (strcmp(spec->parameter_name[k], name) == 0)
      return k;
  return -1;
}

fly_status fly_run_tune(fly_run *r, const char *parameter, double value, fly_error *error) {
  fly_status status = fly_run_allow(r, FLY_CALL_SET, error);
  if (status)
    return status;
  if (!parameter)
    return fly_missing(error, "fly_run_tune", "name of a parameter");
  const int k = find(r, parameter);
  if (k < 0 || !isfinite(value))
    return fly_fail_at(error, FLY_BAD_INPUT, r->reached, FLY_NOWHERE, parameter,
                       k < 0 ? "fly_run_tune: the model has no parameter `%s`."
                             : "fly_run_tune: the parameter `%s` is to be no finite number.",
                       parameter);
  if (!fly_run_stands(r) || r->mover != &fly_mover_dynamics)
    return fly_fail_at(error, FLY_BAD_INPUT, r->reached, FLY_NOWHERE, parameter,
                       "fly_run_tune: the run does not stand at t = %.9g s, where `%s` is to change. Advance with "
                       "FLY_ADVANCE_STOP to there; only runs that forces move can be stepped.",
                       r->reached, parameter);
  status = fly_model_tunable(&r->mechanism->spec, k, error);
  if (status)
    return status;
  r->wanted[k] = value;
  return compile(r, error);
}

// ------------------------------------------------------------------------------------------ saving

// Parameters travel, and the model is made of them where they arrive: of those in use first, then of those that wait.
fly_status fly_run_image_tuned(fly_run *r, fly_image *m, fly_error *error) {
  const size_t size = count_of(r) * sizeof *r->wanted;
  const bool reading = m->reading;
  double *waiting = reading ? malloc(size + 1) : r->wanted;
  fly_status status = FLY_OK;
  if (!waiting)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for other parameters.");
  double *in_use = reading ? r->wanted : r->parameter;
  fly_image_bytes(m, in_use, size);
  fly_image_bytes(m, waiting, size);
  if (!reading)
    return FLY_OK;
  if (!m->failure && memcmp(r->wanted, r->parameter, size) != 0) {
    status = compile(r, error);
    if (status == FLY_OK)
      status = fly_run_use_wanted(r, error);
  }
  if (!m->failure && status == FLY_OK && memcmp(waiting, r->parameter, size) != 0) {
    memcpy(r->wanted, waiting, size);
    status = compile(r, error);
  }
  free(waiting);
  return status;
}
