// Functions with arguments: read before all numbers, which may call them.
#include <string.h>

#include "element/measure.h"
#include "element/reaction.h"
#include "expr/expr.h"
#include "io/naming.h"
#include "model/model.h"

// ------------------------------------------------------------------------------------------ the short form

static bool bad_function(fly_reader *r, const fly_tree_entry *entry) {
  return fly_reader_fault_key(r, entry,
                              "a function is written name(arguments): value, as \"clip(x, m)\": \"max(-m, "
                              "min(m, x))\", or name: {arguments: [x, m], value: ...}.");
}

// The next name of "x, m)": its length; 0: none. *s moves behind it and its comma; at the end it is "".
static size_t next_argument(const char **s, const char **name) {
  *s += strspn(*s, " ");
  *name = *s;
  const size_t length = strcspn(*s, " ,()");
  *s += length;
  *s += strspn(*s, " ");
  if (**s == ',')
    ++*s;
  else if (strcmp(*s, ")") == 0)
    *s = "";
  else
    return 0;
  return length;
}

static const fly_tree_node *scalar(fly_reader *r, const fly_tree_node *like, const char *text, size_t length) {
  fly_tree_node *node = fly_tree_take(r->tree, sizeof *node);
  const char *copy = fly_tree_copy_text(r->tree, text, length);
  if (node == NULL || copy == NULL) {
    fly_reader_no_memory(r);
    return NULL;
  }
  *node = (fly_tree_node){.kind = FLY_TREE_SCALAR,
                          .made = true,
                          .quoted = true,
                          .line = like->line,
                          .column = like->column,
                          .source = like->source,
                          .use = like->use,
                          .text = copy};
  return node;
}

// "clip(x, m)": "..." as clip: {arguments: [x, m], value: "..."}; *out has neither name nor value: a fault.
static void read_short_function(fly_reader *r, const fly_tree_entry *entry, fly_tree_entry *out) {
  const char *s = strchr(entry->key, '('), *name;
  fly_tree_entry argument[64] = {{0}}, pair[2];
  int count = 0;
  const char *key = fly_tree_copy_text(r->tree, entry->key, strcspn(entry->key, " ("));
  for (s++; *s != 0 && count < 64; count++) {
    const size_t length = next_argument(&s, &name);
    argument[count].value = length > 0 ? scalar(r, entry->value, name, length) : NULL;
    if (length == 0)
      bad_function(r, entry);
    if (argument[count].value == NULL)
      return;
  }
  const fly_tree_node *list = fly_naming_make(r, entry->value, FLY_TREE_SEQUENCE, argument, count);
  pair[0] = (fly_tree_entry){"arguments", entry->key_line, entry->key_column, list};
  pair[1] = (fly_tree_entry){"value", entry->key_line, entry->key_column, entry->value};
  const fly_tree_node *value = list != NULL ? fly_naming_make(r, entry->value, FLY_TREE_MAPPING, pair, 2) : NULL;
  if (key == NULL)
    fly_reader_no_memory(r);
  else if (value != NULL)
    *out = (fly_tree_entry){key, entry->key_line, entry->key_column, value};
}

bool fly_reader_function_form(fly_reader *r, const fly_tree_entry *entry, fly_tree_entry *out) {
  *out = *entry;
  if (strchr(entry->key, '(') != NULL) {
    *out = (fly_tree_entry){0};
    read_short_function(r, entry, out);
    return out->value != NULL;
  }
  return entry->value->kind == FLY_TREE_MAPPING || bad_function(r, entry);
}

// ------------------------------------------------------------------------------------------ reading

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
