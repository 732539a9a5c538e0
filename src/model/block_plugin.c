// A plugin as rows of the model: a variable with a row of its own for each input and for each number it computes,
// states and held numbers, and an event for each root.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/memory.h"
#include "model/block.h"
#include "model/plugin.h"

typedef struct making {
  fly_spec *spec;
  int block;
  const fly_plugin *code;
  fly_block_fault *fault;
} making;

static bool add_text(const making *w, const char *section, const char *name, const char *parameter, const char *text) {
  fly_item *item = fly_block_add(w->spec, w->block, section, name, w->fault);
  return item && fly_block_words(w->spec, item, parameter, 1, &text, w->fault);
}

static bool add_inputs(const making *w) {
  char name[FLY_BLOCK_NAME];
  const fly_value *inputs = fly_item_value(&w->spec->item[w->block], "inputs");
  const char *const *text = inputs->word;
  const int given = inputs->given ? inputs->count : 0;
  if (given != w->code->inputs)
    return fly_block_says(w->fault, given > 0 ? "inputs" : NULL, "it takes %d inputs, and has %d.", w->code->inputs,
                          given);
  for (int k = 0; k < given; k++) {
    fly_block_name(name, w->spec, w->block, "u", given > 1 ? k + 1 : 0);
    if (!add_text(w, "variables", name, "value", text[k]))
      return false;
  }
  return true;
}

// Each stands for itself: what it is is put there when the model is compiled.
static bool add_results(const making *w) {
  char name[FLY_BLOCK_NAME];
  for (int k = 0; k < fly_plugin_components(w->code); k++) {
    fly_plugin_name(name, sizeof name, w->spec, w->block, w->code, k);
    if (!add_text(w, "variables", name, "value", name))
      return false;
  }
  return true;
}

static bool add_numbers(const making *w, const double *x, const double *z) {
  char name[FLY_BLOCK_NAME], rate[FLY_BLOCK_NAME];
  for (int k = 0; k < w->code->states; k++) {
    const double size = w->code->state_size ? w->code->state_size[k] : 1;
    fly_block_name(name, w->spec, w->block, "x", k + 1);
    fly_plugin_name(rate, sizeof rate, w->spec, w->block, w->code, k);
    if (!add_text(w, "states", name, "rate", rate))
      return false;
    fly_item *item = fly_spec_find(w->spec, "states", name);
    if (!fly_block_number(w->spec, item, "start", x[k], w->fault) ||
        !fly_block_number(w->spec, item, "scale", fmax(size, fabs(x[k])), w->fault))
      return false;
  }
  for (int k = 0; k < w->code->held; k++) {
    fly_block_name(name, w->spec, w->block, "z", k + 1);
    fly_item *item = fly_block_add(w->spec, w->block, "held", name, w->fault);
    if (!item || !fly_block_number(w->spec, item, "value", z[k], w->fault))
      return false;
  }
  return true;
}

static bool add_event(const making *w, int root) {
  const int n = w->code->states + w->code->held;
  char name[FLY_BLOCK_NAME], value[FLY_BLOCK_NAME];
  const char **word = fly_zeroed(2 * (size_t)n, sizeof *word);
  w->fault->no_memory = !word;
  for (int k = 0; k < n && !w->fault->no_memory; k++) {
    const bool state = k < w->code->states;
    fly_block_name(name, w->spec, w->block, state ? "x" : "z", state ? k + 1 : k - w->code->states + 1);
    fly_plugin_name(value, sizeof value, w->spec, w->block, w->code, fly_plugin_plain(w->code) + root * n + k);
    word[2 * k] = fly_spec_text(w->spec, name);
    word[2 * k + 1] = fly_spec_text(w->spec, value);
    w->fault->no_memory = !word[2 * k] || !word[2 * k + 1];
  }
  fly_block_name(name, w->spec, w->block, "event", root + 1);
  fly_item *event = w->fault->no_memory ? NULL : fly_block_add(w->spec, w->block, "events", name, w->fault);
  fly_plugin_name(value, sizeof value, w->spec, w->block, w->code, w->code->states + w->code->outputs + root);
  const char *when = value;
  const bool good = event && fly_block_words(w->spec, event, "when", 1, &when, w->fault) &&
                    fly_block_words(w->spec, event, "set", 2 * n, word, w->fault);
  free((void *)word);
  return good;
}

static bool find_start(const making *w, const double *parameter, double *x, double *z) {
  void *self = NULL;
  if (!w->code->start)
    return true;
  const int code = w->code->create ? w->code->create(&self, parameter) : 0;
  if (code != 0)
    return fly_block_says(w->fault, NULL, "its `create` fails with %d.", code);
  w->code->start(self, x, z);
  if (w->code->destroy)
    w->code->destroy(self);
  return true;
}

static bool start(const making *w, double *x, double *z) {
  char why[400];
  double *parameter = fly_zeroed((size_t)w->code->parameters, sizeof *parameter);
  w->fault->no_memory = !parameter;
  const bool good = parameter &&
                    (fly_plugin_parameters(w->spec, &w->spec->item[w->block], w->code, parameter, why, sizeof why) ||
                     fly_block_says(w->fault, "parameters", "%s", why)) &&
                    find_start(w, parameter, x, z);
  free(parameter);
  return good;
}

static bool make(const making *w) {
  const fly_plugin *code = w->code;
  double *x = fly_zeroed((size_t)(code->states + code->held) + 1, sizeof *x);
  w->fault->no_memory = !x;
  bool good =
      x && start(w, x, x + code->states) && add_inputs(w) && add_results(w) && add_numbers(w, x, x + code->states);
  for (int k = 0; k < code->roots && good; k++)
    good = add_event(w, k);
  free(x);
  return good;
}

bool fly_block_make_plugin(fly_spec *spec, int block, fly_block_fault *fault) {
  char why[600];
  void *library;
  making w = {spec, block, NULL, fault};
  if (!spec->plugins)
    return fly_block_says(
        fault, NULL,
        "it is code, which runs with all your rights, and a model may come from anybody. If you trust "
        "it, say --allow-plugins.");
  if (!fly_plugin_open(&spec->item[block], &w.code, &library, why, sizeof why))
    return fly_block_says(fault, "file", "%s", why);
  const bool good = make(&w);
  fly_library_close(library);
  return good;
}
