// Functions with arguments: read before all numbers, which may call them.
#include <string.h>

#include "element/measure.h"
#include "element/reaction.h"
#include "expr/expr.h"
#include "io/reader.h"
#include "model/model.h"

// The last name of speed.clip.
static const char *last_name(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot != NULL ? dot + 1 : name;
}

static bool check_name(fly_reader *r, const fly_tree_entry *entry) {
  const char *name = last_name(entry->key);
  const char *is = fly_expr_is_function(name)     ? "a function of the language"
                   : fly_measure_find(name) >= 0  ? "a measure"
                   : fly_reaction_find(name) >= 0 ? "a reaction"
                                                  : NULL;
  return is == NULL ||
         fly_reader_fault_key(r, entry, "'%.60s' is %s already; give the function another name.", name, is);
}

// Each a name, and each once.
static bool check_arguments(fly_reader *r, const fly_tree_entry *entry) {
  const fly_tree_node *list = fly_tree_find(entry->value, "arguments");
  for (int k = 0; list != NULL && list->kind == FLY_TREE_SEQUENCE && k < list->count; k++) {
    const fly_tree_node *one = list->entry[k].value;
    const fly_tree_entry named = {one->kind == FLY_TREE_SCALAR ? one->text : "", one->line, one->column, one};
    if (!fly_reader_check_name(r, &named, "argument"))
      return false;
    for (int i = 0; i < k; i++)
      if (strcmp(list->entry[i].value->text, one->text) == 0)
        return fly_reader_fault_key(r, entry, "the argument '%.60s' is there twice.", one->text);
  }
  return true;
}

bool fly_reader_functions(fly_reader *r, const fly_tree_node *root) {
  const fly_tree_node *node;
  if (!fly_reader_section(r, root, "functions", &node))
    return false;
  if (node == NULL)
    return true;
  bool good = true;
  for (int k = 0; k < node->count && fly_reader_goes_on(r); k++)
    good = check_name(r, &node->entry[k]) && check_arguments(r, &node->entry[k]) && good;
  if (!good || !fly_reader_items(r, "functions", node))
    return false;
  r->formula = fly_spec_formulas(r->spec, &r->memory, &r->nformula);
  return r->formula != NULL || fly_reader_no_memory(r);
}
