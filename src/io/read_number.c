// Numbers, texts, and mappings of numbers.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/forms.h"
#include "io/reader.h"

// "[kg]" with a blank before it, or ""
static void unit_text(char *text, size_t size, const fly_parameter *row) {
  snprintf(text, size, row->unit[0] != 0 ? " [%s]" : "%s", row->unit);
}

static bool wrong_type(fly_reader *r, const fly_tree_node *node, const fly_parameter *row) {
  char takes[200], unit[60];
  fly_takes_text(takes, sizeof takes, row);
  unit_text(unit, sizeof unit, row);
  if (fly_tree_is_null(node))
    return fly_reader_fault(r, node, "'%s' has no value; it takes %s%s.", row->name, takes, unit);
  return fly_reader_fault(r, node, "'%s' takes %s%s, not %s.", row->name, takes, unit, fly_tree_kind_name(node));
}

static bool check_range(fly_reader *r, const fly_tree_node *node, const fly_parameter *row, double x) {
  char range[80], unit[60], is[60] = "";
  if (x >= row->low && x <= row->high)
    return true;
  fly_range_text(range, sizeof range, row);
  unit_text(unit, sizeof unit, row);
  double plain;
  if (!fly_tree_number(node, &plain))
    snprintf(is, sizeof is, " = %g", x);
  const bool not = strncmp(range, "not ", 4) == 0; // "not negative"
  return fly_reader_fault(r, node, "'%s' must %s %s%s, but is %.60s%s.", row->name, not ? "not be" : "be",
                          not ? range + 4 : range, unit, node->text, is);
}

// Squares and cubes of what a model says are taken (lengths, inertias): beyond this they overflow.
static const double MOST = 1e100;

static bool is_sane(fly_reader *r, const fly_tree_node *node, const fly_parameter *row, double x) {
  char unit[60];
  if (!(fabs(x) > MOST))
    return true;
  unit_text(unit, sizeof unit, row);
  return fly_reader_fault(r, node, "'%s' is %.60s: nothing can be computed with numbers beyond %g%s.", row->name,
                          node->text, MOST, unit);
}

bool fly_reader_value(fly_reader *r, const fly_tree_node *node, const fly_parameter *row, double *out) {
  bool truth;
  if (strcmp(row->name, "on") == 0 && fly_tree_bool(node, &truth)) { // a switch
    *out = truth;
    return true;
  }
  if (node->kind != FLY_TREE_SCALAR || fly_tree_is_null(node) || fly_tree_bool(node, &truth))
    return wrong_type(r, node, row);
  if (!fly_tree_number(node, out))
    return fly_reader_evaluate(r, node, row->name, out);
  if (!isfinite(*out))
    return fly_reader_fault(r, node, "'%s' must be a finite number, not %.60s.", row->name, node->text);
  return true;
}

bool fly_reader_number(fly_reader *r, const fly_tree_node *node, const fly_parameter *row, double *out) {
  return fly_reader_value(r, node, row, out) && check_range(r, node, row, *out) && is_sane(r, node, row, *out);
}

static bool wrong_length(fly_reader *r, const fly_tree_node *node, const fly_parameter *row, int low, int high) {
  char unit[60];
  unit_text(unit, sizeof unit, row);
  if (low == high)
    return fly_reader_fault(r, node, "'%s' takes %d numbers%s, not %d.", row->name, low, unit, node->count);
  if (node->count < low)
    return fly_reader_fault(r, node, "'%s' takes at least %d number%s%s.", row->name, low, low > 1 ? "s" : "", unit);
  return fly_reader_fault(r, node, "'%s' takes %d or %d numbers%s, not %d.", row->name, low, high, unit, node->count);
}

bool fly_reader_reserve(fly_reader *r, int count) {
  return fly_reserve(&r->number, &r->number_capacity, count, sizeof *r->number) || fly_reader_no_memory(r);
}

// The longest list a row takes; a table has at most so many points.
enum { ANY_LENGTH = 1 << 28 };

int fly_reader_numbers(fly_reader *r, const fly_tree_node *node, const fly_parameter *row, int low, int high) {
  if (node->kind != FLY_TREE_SEQUENCE)
    return wrong_type(r, node, row) - 1;
  if (high == 0)
    high = ANY_LENGTH;
  if (node->count < low || node->count > high)
    return wrong_length(r, node, row, low, high) - 1;
  if (!fly_reader_reserve(r, node->count))
    return -1;
  bool good = true;
  for (int k = 0; k < node->count && fly_reader_goes_on(r); k++)
    good = fly_reader_number(r, node->entry[k].value, row, &r->number[k]) && good;
  return good ? node->count : -1;
}

const char *fly_reader_text(fly_reader *r, const fly_tree_node *node, const char *name, const char *takes) {
  if (node->kind == FLY_TREE_SCALAR && !fly_tree_is_null(node) && node->text[0] != 0)
    return node->text;
  if (node->kind == FLY_TREE_SCALAR)
    fly_reader_fault(r, node, "'%s' has no value; it takes %s.", name, takes);
  else
    fly_reader_fault(r, node, "'%s' takes %s, not %s.", name, takes, fly_tree_kind_name(node));
  return NULL;
}

// ------------------------------------------------------------------------------------------ mappings

static int find_row(const fly_parameter *rows, const char *name) {
  for (int k = 0; rows[k].name != NULL; k++)
    if (strcmp(rows[k].name, name) == 0)
      return k;
  return -1;
}

static bool unknown_field(fly_reader *r, const fly_tree_entry *entry, const char *what, const fly_parameter *rows,
                          const char *const *also) {
  char list[300] = "";
  const char *words[32];
  int count = 0;
  for (; also != NULL && also[count] != NULL && count < 20; count++)
    words[count] = also[count];
  for (int k = 0; rows[k].name != NULL && count < 31; k++)
    words[count++] = rows[k].name;
  words[count] = NULL;
  for (int k = 0; k < count; k++) {
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, k > 0 ? ", %s" : "%s", words[k]);
  }
  char suggestion[100];
  fly_reader_suggest(suggestion, sizeof suggestion, entry->key, words);
  return fly_reader_fault_key(r, entry, "%s takes no '%.60s'.%s It takes %s.", what, entry->key, suggestion, list);
}

// One number, a list of them, or an orientation. Other types are left to the caller.
static bool read_field(fly_reader *r, const fly_parameter *row, fly_field *field) {
  const fly_tree_node *node = field->entry->value;
  if (row->type == FLY_ORIENTATION)
    return fly_reader_orientation(r, node, field->number);
  if (row->type != FLY_NUMBER || row->count < 1)
    return true;
  if (row->count == 1)
    return fly_reader_number(r, node, row, field->number);
  field->count = fly_reader_numbers(r, node, row, row->count, row->count);
  if (field->count > 0)
    memcpy(field->number, r->number, (size_t)field->count * sizeof(double));
  return field->count > 0;
}

bool fly_reader_fields(fly_reader *r, const fly_tree_node *node, const char *what, const fly_parameter *rows,
                       const char *const *also, fly_field *field) {
  bool good = true;
  if (node->kind != FLY_TREE_MAPPING)
    return fly_reader_fault(r, node, "%s takes a mapping {key: value}, not %s.", what, fly_tree_kind_name(node));
  for (int k = 0; k < node->count && fly_reader_goes_on(r); k++) {
    const fly_tree_entry *entry = &node->entry[k];
    const int row = find_row(rows, entry->key);
    if (row < 0) {
      good = (fly_reader_knows(also, entry->key) || unknown_field(r, entry, what, rows, also)) && good;
      continue;
    }
    field[row].entry = entry;
    good = read_field(r, &rows[row], &field[row]) && good;
  }
  return good;
}
