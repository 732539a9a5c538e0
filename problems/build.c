#include "build.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fly_status fly_problem_fail(fly_error *error, fly_status status, const char *format, ...) {
  if (!error)
    return status;
  va_list list;
  va_start(list, format);
  vsnprintf(error->message, sizeof error->message, format, list);
  va_end(list);
  error->status = status;
  error->time = (double)NAN;
  return status;
}

bool fly_variant_is(const char *variant, const char *name) { return variant && strcmp(variant, name) == 0; }

// Zeroed memory, with the first bytes copied from source unless that is NULL. Size 0 gives NULL, which is no failure.
static void *take(bool *failed, const void *source, size_t count, size_t size) {
  if (count == 0)
    return NULL;
  void *memory = calloc(count, size);
  if (!memory)
    *failed = true;
  else if (source)
    memcpy(memory, source, count * size);
  return memory;
}

static double *take_optional(bool *failed, const double *source, int count) {
  return source ? take(failed, source, (size_t)count, sizeof *source) : NULL;
}

fly_status fly_problem_build(fly_problem *out, const fly_problem_parts *parts, fly_error *error) {
  const fly_dae_problem *dae = parts->dae;
  bool failed = false;
  *out = (fly_problem){.dae = *dae, .t_end = parts->t_end, .reference_t = parts->reference_t};
  out->dae.autonomous = true; // none of them knows the time
  out->q0 = take(&failed, parts->q0, (size_t)dae->nq, sizeof *out->q0);
  out->v0 = take(&failed, parts->v0, (size_t)dae->nv, sizeof *out->v0);
  out->x0 = take(&failed, parts->x0, (size_t)dae->nx, sizeof *out->x0);
  out->q_names = take(&failed, parts->q_names, (size_t)dae->nq, sizeof *out->q_names);
  out->data = take(&failed, parts->data, parts->data_size, 1);
  out->patterns = take(&failed, NULL, parts->pattern_ints, sizeof *out->patterns);
  out->reference_q = take_optional(&failed, parts->reference_q, dae->nq);
  out->reference_v = take_optional(&failed, parts->reference_v, dae->nv);
  out->dae.user = out->data;
  if (!failed)
    return FLY_OK;
  fly_problem_free(out);
  return fly_problem_fail(error, FLY_NO_MEMORY, "There is not enough memory for a problem with %d coordinates.",
                          dae->nv);
}
