#include "model/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/memory.h"
#include "expr/expr.h"
#include "model/block.h"

// Beside the model file, and always with a folder: a bare name would be searched for in the system's.
static void path_of(char *path, size_t size, const fly_item *item) {
  const char *name = fly_item_word(item, "file", 0), *file = item->place.file;
  const char *slash = file && name[0] != '/' ? strrchr(file, '/') : NULL;
  snprintf(path, size, "%.*s%s%s", slash ? (int)(slash - file) + 1 : 0, file ? file : "",
           slash || name[0] == '/' ? "" : "./", name);
}

static const char *fault_of(const fly_plugin *code) {
  const bool counts = code->inputs >= 0 && code->states >= 0 && code->held >= 0 && code->outputs >= 0 &&
                      code->roots >= 0 && code->parameters >= 0;
  return !counts                                             ? "one of its numbers of inputs, states ... is negative"
         : !code->evaluate                                   ? "it has no `evaluate`"
         : code->roots > 0 && !code->event                   ? "it has roots, but no `event`"
         : code->roots > 0 && code->states + code->held == 0 ? "it has roots, and nothing that they could change"
         : code->parameters > 0 && !code->parameter_name     ? "its parameters have no names"
         : code->parameters > 0 && !code->parameter_value    ? "its parameters have no values"
                                                             : NULL;
}

bool fly_plugin_open(const fly_item *item, const fly_plugin **code, void **library, char *why, size_t size) {
  typedef const fly_plugin *entry(void);
  char path[1000], reason[300];
  path_of(path, sizeof path, item);
  fly_symbol *symbol = fly_library_open(library, path, "flyball_plugin", reason, sizeof reason);
  if (!symbol) {
    snprintf(why, size, "'%.200s' cannot be loaded: %s.", path, reason);
    return false;
  }
  *code = ((entry *)symbol)();
  if (!*code || (*code)->version != FLYBALL_PLUGIN_VERSION)
    snprintf(why, size, "'%.200s' is a plugin of version %d, and this program takes version %d: compile it anew.", path,
             *code ? (*code)->version : 0, (int)FLYBALL_PLUGIN_VERSION);
  else if (fault_of(*code))
    snprintf(why, size, "'%.200s' is no plugin: %s.", path, fault_of(*code));
  else
    return true;
  fly_library_close(*library);
  *library = NULL;
  return false;
}

static int find_parameter(const fly_plugin *code, const char *name) {
  for (int k = 0; k < code->parameters; k++)
    if (strcmp(code->parameter_name[k], name) == 0)
      return k;
  return -1;
}

static bool set_parameters(const fly_value *value, const fly_plugin *code, const fly_expr_scope *scope, double *out,
                           char *why, size_t size) {
  for (int i = 0; value->given && i < value->count; i += 2) {
    fly_error error = {0};
    const int k = find_parameter(code, value->word[i]);
    if (k < 0) {
      snprintf(why, size, "it has no parameter '%.60s'.", value->word[i]);
      return false;
    }
    if (fly_expr_evaluate(&out[k], value->word[i + 1], scope, &error) != FLY_OK) {
      snprintf(why, size, "its parameter '%.60s': %.200s.", value->word[i], error.message);
      return false;
    }
  }
  return true;
}

bool fly_plugin_parameters(const fly_spec *spec, const fly_item *item, const fly_plugin *code, double *out, char *why,
                           size_t size) {
  fly_expr_number *number = fly_zeroed((size_t)spec->nparameter, sizeof *number);
  fly_expr_scope scope = fly_expr_scope_default();
  if (!number) {
    snprintf(why, size, "out of memory.");
    return false;
  }
  for (int k = 0; k < spec->nparameter; k++)
    number[k] = (fly_expr_number){spec->parameter_name[k], spec->parameter_value[k], NULL};
  scope.nparameters = spec->nparameter;
  scope.parameter = number;
  for (int k = 0; k < code->parameters; k++)
    out[k] = code->parameter_value[k];
  const bool good = set_parameters(fly_item_value(item, "parameters"), code, &scope, out, why, size);
  free(number);
  return good;
}

int fly_plugin_plain(const fly_plugin *code) { return code->states + code->outputs + code->roots; }

int fly_plugin_components(const fly_plugin *code) {
  return fly_plugin_plain(code) + code->roots * (code->states + code->held);
}

void fly_plugin_name(char *name, size_t size, const fly_spec *spec, int block, const fly_plugin *code, int component) {
  const char *of = spec->item[block].name;
  int k = component;
  if (k < code->states)
    snprintf(name, size, "%.250s.f%d", of, k + 1);
  else if ((k -= code->states) < code->outputs && code->outputs == 1)
    snprintf(name, size, "%.250s.y", of);
  else if (k < code->outputs)
    snprintf(name, size, "%.250s.y%d", of, k + 1);
  else if ((k -= code->outputs) < code->roots)
    snprintf(name, size, "%.250s.r%d", of, k + 1);
  else {
    k -= code->roots;
    const int of_root = code->states + code->held, i = k % of_root;
    snprintf(name, size, "%.250s.%c%d.after%d", of, i < code->states ? 'x' : 'z',
             i < code->states ? i + 1 : i - code->states + 1, k / of_root + 1);
  }
}
