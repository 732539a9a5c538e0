// A model file into a mechanism: read, then compile.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "flyball/model.h"
#include "io/read.h"
#include "io/scene.h"
#include "model/mechanism.h"

// text NULL: the name of a file.
static fly_status make(fly_mechanism **out, const char *name, const char *text, size_t length, int nset,
                       const char *const *set, fly_error *error) {
  fly_mechanism *m = calloc(1, sizeof *m);
  if (!m)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a model.");
  m->scene = fly_scene_make;
  fly_status status = text ? fly_model_read_text(&m->spec, name, text, length, nset, set, error)
                           : fly_model_read(&m->spec, name, nset, set, error);
  if (status) {
    free(m);
    return status;
  }
  status = fly_model_compile(&m->model, &m->spec, error);
  if (status)
    fly_mechanism_free(m);
  else
    *out = m;
  return status;
}

const char *fly_mechanism_warnings(const fly_mechanism *m) { return m ? m->model.warnings : ""; }

static fly_status check(const char *call, fly_mechanism **out, const char *name, int nset, const char *const *set,
                        fly_error *error) {
  if (!out)
    return fly_missing(error, call, "place for the model");
  *out = NULL;
  if (!name)
    return fly_missing(error, call, "name");
  if (nset < 0 || (nset > 0 && !set))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: nset = %d does not fit the settings given.", call, nset);
  for (int k = 0; k < nset; k++)
    if (!set[k])
      return fly_missing(error, call, "text of a setting");
  return FLY_OK;
}

fly_status fly_mechanism_load(fly_mechanism **out, const char *file, int nset, const char *const *set,
                              fly_error *error) {
  fly_status status = check("fly_mechanism_load", out, file, nset, set, error);
  return status ? status : make(out, file, NULL, 0, nset, set, error);
}

fly_status fly_mechanism_parse(fly_mechanism **out, const char *name, const char *text, size_t length, int nset,
                               const char *const *set, fly_error *error) {
  fly_status status = check("fly_mechanism_parse", out, name, nset, set, error);
  if (status == FLY_OK && !text)
    status = fly_missing(error, "fly_mechanism_parse", "text");
  return status ? status : make(out, name, text, length, nset, set, error);
}

void fly_mechanism_free(fly_mechanism *m) {
  if (!m)
    return;
  fly_model_free(&m->model);
  fly_spec_free(&m->spec);
  free(m);
}
