// A model file into a mechanism: read, then compile.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "flyball/model.h"
#include "io/read.h"
#include "io/scene.h"
#include "model/mechanism.h"

// text NULL: the name of a file.
static fly_status make(fly_mechanism **out, const char *name, const char *text, size_t length,
                       const fly_read_options *o, fly_error *error) {
  fly_mechanism *m = calloc(1, sizeof *m);
  if (!m)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a model.");
  m->scene = fly_scene_make;
  fly_status status = text ? fly_model_read_text(&m->spec, name, text, length, o->nset, o->set, error)
                           : fly_model_read_with(&m->spec, name, o, error);
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
  return status ? status : make(out, file, NULL, 0, &(fly_read_options){.nset = nset, .set = set}, error);
}

fly_load_options fly_load_options_default(void) { return (fly_load_options){.size = sizeof(fly_load_options)}; }

fly_status fly_mechanism_load_with(fly_mechanism **out, const char *file, const fly_load_options *options,
                                   fly_error *error) {
  static const char call[] = "fly_mechanism_load_with";
  fly_load_options o = fly_load_options_default();
  if (options && (options->size < sizeof options->size || options->size > sizeof o))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: begin with fly_load_options_default().", call);
  if (options)
    memcpy(&o, options, options->size);
  fly_status status = check(call, out, file, o.nset, o.set, error);
  if (status == FLY_OK)
    status = check(call, out, file, o.ninput, o.input, error);
  const fly_read_options read = {
      .nset = o.nset, .set = o.set, .ninput = o.ninput, .input = o.input, .plugins = o.plugins};
  return status ? status : make(out, file, NULL, 0, &read, error);
}

fly_status fly_mechanism_parse(fly_mechanism **out, const char *name, const char *text, size_t length, int nset,
                               const char *const *set, fly_error *error) {
  fly_status status = check("fly_mechanism_parse", out, name, nset, set, error);
  if (status == FLY_OK && !text)
    status = fly_missing(error, "fly_mechanism_parse", "text");
  return status ? status : make(out, name, text, length, &(fly_read_options){.nset = nset, .set = set}, error);
}

void fly_mechanism_free(fly_mechanism *m) {
  if (!m)
    return;
  fly_model_free(&m->model);
  fly_spec_free(&m->spec);
  free(m);
}
