// Parameters with the name of a unit: where m is 0.75, 6*m is not six metres.
//
// A unit stands behind a number or another unit: 6*m, 50*km/h, 9.81*m/s^2. A parameter that hides one may not stand
// there. In another product (m*l^2, l*m) it is what it says, and noted once; alone, in sums and in names it cannot be
// mistaken.
#include <stdio.h>
#include <string.h>

#include "expr/expr.h"
#include "expr/lexer.h"
#include "io/reader.h"

typedef struct fly_hidden {
  fly_expr_number parameter;
  const fly_expr_number *unit;
  fly_place place; // of the parameter
  bool multiplied; // it stands in a product
} fly_hidden;

bool fly_reader_list_hidden(fly_reader *r, const fly_tree_node *parameters) {
  int count, most;
  fly_expr_units(&most);
  r->hidden = fly_arena_take(&r->memory, (size_t)most, sizeof *r->hidden);
  if (r->hidden == NULL)
    return fly_reader_no_memory(r);
  count = parameters != NULL ? parameters->count : 0;
  for (int k = 0; k < count && r->nhidden < most; k++) {
    const fly_expr_number *unit = fly_expr_unit_named(parameters->entry[k].key);
    if (unit != NULL)
      r->hidden[r->nhidden++] = (fly_hidden){.parameter = {.name = r->spec->parameter_name[k]},
                                             .unit = unit,
                                             .place = fly_reader_key_place(r, &parameters->entry[k])};
  }
  return true;
}

// The first use as a unit, as an index of hidden; -1: none. Other products are noted.
static int find_use(fly_reader *r, const char *text, int *offset) {
  fly_expr_number names[64];
  fly_expr_scope scope = {.nparameters = r->nhidden < 64 ? r->nhidden : 64, .parameter = names};
  for (int k = 0; k < scope.nparameters; k++)
    names[k] = r->hidden[k].parameter;
  for (*offset = 0;; ++*offset) {
    bool as_unit;
    const int k = fly_expr_hidden_unit(text, &scope, &as_unit, offset);
    if (k < 0 || as_unit)
      return k;
    r->hidden[k].multiplied = true;
  }
}

static void explain(char *text, size_t size, const fly_hidden *h) {
  char place[300];
  fly_place_text(place, sizeof place, h->place);
  const size_t end = strlen(place);
  if (end >= 2)
    place[end - 2] = 0; // ": "
  snprintf(text, size, "'%s' looks like the unit (%s), but is a parameter of this model%s%s. Rename the parameter",
           h->unit->name, h->unit->about, end >= 2 ? ", " : "", place);
}

bool fly_reader_check_units(fly_reader *r, const fly_tree_node *node, const char *name) {
  int offset;
  char why[500];
  const int k = r->nhidden > 0 ? find_use(r, node->text, &offset) : -1;
  if (k < 0)
    return true;
  fly_tree_node at = *node;
  at.column += node->made ? 0 : fly_token_column(node->text, offset) - 1 + node->quoted;
  explain(why, sizeof why, &r->hidden[k]);
  return fly_reader_fault(r, &at, "'%.60s': %s.", name, why);
}

bool fly_reader_check_units_set(fly_reader *r, const char *name, const char *text) {
  int offset;
  char why[500];
  const int k = r->nhidden > 0 ? find_use(r, text, &offset) : -1;
  if (k < 0)
    return true;
  explain(why, sizeof why, &r->hidden[k]);
  return fly_reader_fault_text(r, "%.60s=%.100s: %s.", name, text, why);
}

void fly_reader_warn_hidden(fly_reader *r) {
  for (int k = 0; k < r->nhidden; k++) {
    const fly_hidden *h = &r->hidden[k];
    char place[300], *text = r->spec->warnings;
    const size_t used = strlen(text);
    if (!h->multiplied)
      continue;
    fly_place_text(place, sizeof place, h->place);
    snprintf(text + used, sizeof r->spec->warnings - used,
             "%sparameter `%s` hides the unit of that name (%s) in products; another name would be clearer.\n", place,
             h->unit->name, h->unit->about);
  }
}
