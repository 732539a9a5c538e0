// Parameters: expressions over each other in any order, and those that a caller sets.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"
#include "io/reader.h"

typedef enum progress { NEW, OPEN, DONE } progress;

// Parameters being evaluated: one that needs another waits on a stack until that is done. Functions that it calls are
// behind the parameters in all lists: they need what their texts name.
typedef struct parameters {
  fly_reader *r;
  const fly_tree_node *node; // the section, or NULL
  int count;                 // of parameters
  const char **set;          // expression given by the caller instead, or NULL (count)
  unsigned char *progress;   // (count + functions)
  int *stack;                // those that wait, each for the one above it (depth)
  const char **rest;         // of the text of each on the stack, not looked at yet
  int depth;
} parameters;

static const char *text_of(const parameters *p, int k) {
  if (k >= p->count)
    return p->r->formula[k - p->count].text;
  assert(p->node != NULL);
  return p->set[k] != NULL ? p->set[k] : p->node->entry[k].value->text;
}

// ------------------------------------------------------------------------------------------ order

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The end of the number at s: its exponent is not a name.
static const char *skip_number(const char *s) {
  while (is_digit(*s) || *s == '.')
    s++;
  if ((*s == 'e' || *s == 'E') && (is_digit(s[1]) || ((s[1] == '+' || s[1] == '-') && is_digit(s[2]))))
    s += 2;
  while (is_digit(*s))
    s++;
  return s;
}

// The next name in a text: returns its length and moves to its end. 0: there is none.
static int next_name(const char **text, const char **name) {
  const char *s = *text;
  while (*s != 0 && !is_letter(*s))
    s = is_digit(*s) || *s == '.' ? skip_number(s) : s + 1;
  *name = s;
  while (is_letter(*s) || is_digit(*s) || *s == '.')
    s++;
  *text = s;
  return (int)(s - *name);
}

// Number of the parameter with a name, or -1.
static int find(const parameters *p, const char *name, int length) {
  char copy[FLY_TREE_KEY + 1];
  if (length > FLY_TREE_KEY)
    return -1;
  snprintf(copy, sizeof copy, "%.*s", length, name);
  const fly_tree_entry *entry = fly_tree_find_entry(p->node, copy);
  return entry != NULL ? (int)(entry - p->node->entry) : -1;
}

static bool is_argument(const fly_expr_formula *f, const char *name) {
  for (int k = 0; k < f->count; k++)
    if (strcmp(f->argument[k], name) == 0)
      return true;
  return false;
}

// What a name in the text of `by` needs: a parameter, a function, or -1, nothing.
static int find_needed(const parameters *p, int by, const char *name, int length) {
  char copy[FLY_TREE_KEY + 1];
  if (length == 0 || length > FLY_TREE_KEY)
    return -1;
  snprintf(copy, sizeof copy, "%.*s", length, name);
  if (by >= p->count && is_argument(&p->r->formula[by - p->count], copy))
    return -1;
  for (int k = 0; k < p->r->nformula; k++)
    if (strcmp(p->r->formula[k].name, copy) == 0 && p->progress[p->count + k] == NEW)
      return p->count + k;
  return find(p, name, length);
}

static const char *name_of(const parameters *p, int k) {
  return k < p->count ? p->node->entry[k].key : p->r->formula[k - p->count].name;
}

static bool cycle(const parameters *p, int k) {
  char chain[300] = "";
  int first = p->depth - 1;
  while (p->stack[first] != k)
    first--;
  for (int i = first; i < p->depth; i++) {
    const size_t used = strlen(chain);
    snprintf(chain + used, sizeof chain - used, "%.60s needs ", name_of(p, p->stack[i]));
  }
  const fly_tree_entry *entry = &p->node->entry[k];
  if (first == p->depth - 1)
    return fly_reader_fault(p->r, entry->value, "the parameter '%.60s' needs itself.", entry->key);
  return fly_reader_fault(p->r, entry->value, "these parameters need each other: %s%.60s.", chain, entry->key);
}

static void push(parameters *p, int k) {
  p->progress[k] = OPEN;
  p->rest[p->depth] = text_of(p, k);
  p->stack[p->depth++] = k;
}

// ------------------------------------------------------------------------------------------ values

static bool evaluate_set(const parameters *p, int k, double *out) {
  fly_error one = {0};
  const fly_expr_scope scope = fly_reader_scope(p->r);
  if (!fly_reader_check_units_set(p->r, p->node->entry[k].key, p->set[k]))
    return false;
  const fly_status status = fly_expr_evaluate(out, p->set[k], &scope, &one);
  if (status == FLY_NO_MEMORY)
    return fly_reader_no_memory(p->r);
  if (status == FLY_OK && isfinite(*out))
    return true;
  return fly_reader_fault_text(p->r, "%.60s=%.100s: %s", p->node->entry[k].key, p->set[k],
                               status == FLY_OK ? "this is not a finite number." : one.message);
}

static bool evaluate(const parameters *p, int k) {
  static const fly_parameter any = {.type = FLY_NUMBER, .count = 1, .unit = "", .low = -INFINITY, .high = INFINITY};
  fly_parameter row = any;
  double value = NAN;
  row.name = p->node->entry[k].key;
  const bool good =
      p->set[k] != NULL ? evaluate_set(p, k, &value) : fly_reader_value(p->r, p->node->entry[k].value, &row, &value);
  p->r->spec->parameter_value[k] = value;
  p->r->parameter[k].value = value;
  return good;
}

// Evaluates a parameter after those it needs.
static bool settle(parameters *p, int k) {
  push(p, k);
  while (p->depth > 0) {
    const char *name;
    const int top = p->depth - 1, length = next_name(&p->rest[top], &name);
    const int needed = find_needed(p, p->stack[top], name, length);
    if (needed >= 0 && p->progress[needed] == OPEN)
      return cycle(p, needed);
    if (needed >= 0 && p->progress[needed] == NEW)
      push(p, needed);
    else if (length == 0) {
      if (p->stack[top] < p->count && !evaluate(p, p->stack[top]))
        return false;
      p->progress[p->stack[top]] = DONE;
      p->depth--;
    }
  }
  return true;
}

// ------------------------------------------------------------------------------------------ names

static bool take(parameters *p, int count) {
  fly_spec *s = p->r->spec;
  s->parameter_name = fly_arena_take(&s->memory, (size_t)count, sizeof *s->parameter_name);
  s->parameter_value = fly_arena_doubles(&s->memory, (size_t)count);
  s->parameter_use = fly_arena_take(&s->memory, (size_t)count, sizeof *s->parameter_use);
  s->parameter_place = fly_arena_take(&s->memory, (size_t)count, sizeof *s->parameter_place);
  p->r->parameter = fly_arena_take(&p->r->memory, (size_t)count + FLY_READER_INDICES, sizeof *p->r->parameter);
  const size_t all = (size_t)count + (size_t)p->r->nformula + 1;
  p->count = count;
  p->set = calloc((size_t)count + 1, sizeof *p->set);
  p->progress = calloc(all, sizeof *p->progress);
  p->stack = calloc(all, sizeof *p->stack);
  p->rest = calloc(all, sizeof *p->rest);
  return !s->memory.failed && !p->r->memory.failed && p->set != NULL && p->progress != NULL && p->stack != NULL &&
         p->rest != NULL;
}

static bool read_names(parameters *p) {
  fly_spec *s = p->r->spec;
  bool good = true;
  for (int k = 0; k < p->node->count && fly_reader_goes_on(p->r); k++) {
    const fly_tree_entry *entry = &p->node->entry[k];
    good = fly_reader_check_name(p->r, entry, "parameter") && good;
    if (entry->value->kind != FLY_TREE_SCALAR)
      good = fly_reader_fault(p->r, entry->value, "the parameter '%.60s' takes a number, not %s.", entry->key,
                              fly_tree_kind_name(entry->value));
    s->parameter_name[k] = fly_spec_text(s, entry->key);
    if (s->parameter_name[k] == NULL)
      return fly_reader_no_memory(p->r);
    p->r->parameter[k].name = s->parameter_name[k];
    s->nparameter = k + 1;
  }
  return good;
}

// Before any of them is looked for.
static bool index_names(parameters *p) {
  fly_reader *r = p->r;
  int *slot = fly_arena_ints(&r->memory, (size_t)fly_expr_names_slots(r->spec->nparameter));
  if (slot == NULL)
    return fly_reader_no_memory(r);
  fly_expr_names_fill(&r->names, slot, r->parameter, r->spec->nparameter);
  return true;
}

static bool no_parameter(parameters *p, const char *name) {
  const int count = p->node != NULL ? p->node->count : 0;
  const char **names = calloc((size_t)count + 1, sizeof *names);
  char suggestion[100];
  if (names == NULL)
    return fly_reader_no_memory(p->r);
  for (int k = 0; k < count; k++)
    names[k] = p->node->entry[k].key;
  fly_reader_suggest(suggestion, sizeof suggestion, name, names);
  free(names);
  return fly_reader_fault_text(p->r, "The model has no parameter '%.60s'%s.%s", name,
                               count == 0 ? ", nor any other" : "", suggestion);
}

// One "name=expression".
static bool apply(parameters *p, const char *set) {
  const int length = (int)strcspn(set, "=");
  char name[FLY_TREE_KEY + 1];
  if (set[length] == 0 || length == 0 || set[length + 1] == 0)
    return fly_reader_fault_text(p->r, "'%.100s' does not set a parameter; write name=value.", set);
  snprintf(name, sizeof name, "%.*s", length, set);
  const int k = p->node != NULL ? find(p, set, length) : -1;
  if (k < 0)
    return no_parameter(p, name);
  p->set[k] = set + length + 1;
  return true;
}

static bool read_all(parameters *p, int nset, const char *const *set) {
  bool good = p->node == NULL || (read_names(p) && index_names(p));
  good = good && fly_reader_list_hidden(p->r, p->node);
  for (int k = 0; k < nset && good; k++)
    good = apply(p, set[k]);
  for (int k = 0; good && p->node != NULL && k < p->node->count; k++)
    if (p->progress[k] == NEW)
      good = settle(p, k);
  return good;
}

bool fly_reader_parameters(fly_reader *r, const fly_tree_node *node, int nset, const char *const *set) {
  parameters p = {.r = r, .node = node};
  const bool good = take(&p, node != NULL ? node->count : 0) ? read_all(&p, nset, set) : fly_reader_no_memory(r);
  free(p.set);
  free(p.progress);
  free(p.stack);
  free(p.rest);
  return good;
}
