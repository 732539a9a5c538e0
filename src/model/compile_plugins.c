// Plugins: their libraries, and which signals of the model are their arguments and results.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model/block.h"
#include "model/compile.h"
#include "model/plugin.h"

static int argument(fly_model *m, int block, const char *letter, int number) {
  char name[FLY_BLOCK_NAME];
  fly_block_name(name, m->spec, block, letter, number);
  const int input = fly_signal_input(m, name);
  fly_feel(m, input);
  return input - 1;
}

// An input has a row of its own: the plugin sees a number, and J a column.
static void find_arguments(fly_model *m, const fly_model_plugin *p) {
  const fly_plugin *code = p->code;
  for (int k = 0; k < code->inputs; k++) {
    p->input[k] = argument(m, p->item, "u", code->inputs > 1 ? k + 1 : 0);
    m->output[m->measure[p->input[k]].kind].row = true;
  }
  for (int k = 0; k < code->states; k++)
    p->x[k] = argument(m, p->item, "x", k + 1);
  for (int k = 0; k < code->held; k++)
    p->z[k] = argument(m, p->item, "z", k + 1);
}

static void find_results(fly_model *m, int plugin) {
  const fly_model_plugin *p = &m->plugin[plugin];
  char name[FLY_BLOCK_NAME];
  for (int k = 0; k < p->components; k++) {
    fly_plugin_name(name, sizeof name, m->spec, p->item, p->code, k);
    fly_model_output *v = &m->output[m->signal_of_item[fly_spec_find(m->spec, "variables", name) - m->spec->item]];
    v->plugin = 1 + plugin;
    v->component = k;
  }
}

static fly_status take(fly_model *m, fly_model_plugin *p, fly_error *error) {
  p->parameter = fly_arena_doubles(&m->memory, (size_t)p->code->parameters);
  p->input = fly_arena_ints(&m->memory, (size_t)p->code->inputs);
  p->x = fly_arena_ints(&m->memory, (size_t)p->code->states);
  p->z = fly_arena_ints(&m->memory, (size_t)p->code->held);
  return m->memory.failed
             ? fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the plugin `%s`.", m->spec->item[p->item].name)
             : FLY_OK;
}

static fly_status add_plugin(fly_model *m, int item, fly_error *error) {
  fly_model_plugin *p = &m->plugin[m->nplugin];
  const fly_item *it = &m->spec->item[item];
  char why[600];
  *p = (fly_model_plugin){.item = item};
  if (!fly_plugin_open(it, &p->code, &p->library, why, sizeof why))
    return fly_item_fail(it, error, "%s", why);
  m->nplugin++; // its library is to be closed
  const fly_status status = take(m, p, error);
  if (status)
    return status;
  if (!fly_plugin_parameters(m->spec, it, p->code, p->parameter, why, sizeof why))
    return fly_item_fail(it, error, "%s", why);
  p->components = fly_plugin_components(p->code);
  p->first = m->nplugged;
  m->nplugged += p->components;
  find_arguments(m, p);
  find_results(m, m->nplugin - 1);
  return FLY_OK;
}

fly_status fly_add_plugins(fly_model *m, fly_error *error) {
  fly_status status = FLY_OK;
  for (int k = 0; k < m->spec->nitem && status == FLY_OK; k++)
    if (fly_item_is(&m->spec->item[k], "plugin") && strcmp(m->spec->item[k].type->section, "blocks") == 0)
      status = add_plugin(m, k, error);
  return status;
}
