#include "expr/scope.h"

#include <string.h>

#include "expr/parse.h"
#include "expr/suggest.h"

static const fly_expr_number *find(const fly_expr_number *list, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(list[i].name, name) == 0)
      return &list[i];
  return NULL;
}

static unsigned hash_of(const char *name) {
  unsigned hash = 2166136261u;
  for (; *name != 0; name++)
    hash = (hash ^ (unsigned char)*name) * 16777619u; // FNV-1a
  return hash;
}

int fly_expr_names_slots(int count) {
  int slots = 16;
  while (slots < 2 * count && slots < 1 << 30)
    slots *= 2;
  return slots;
}

void fly_expr_names_fill(fly_expr_names *names, int *slot, const fly_expr_number *list, int count) {
  *names = (fly_expr_names){slot, fly_expr_names_slots(count), count};
  const unsigned mask = (unsigned)names->slots - 1;
  for (int k = count - 1; k >= 0; k--) { // the first of a name is the last to come
    unsigned i = hash_of(list[k].name) & mask;
    while (slot[i] > 0 && strcmp(list[slot[i] - 1].name, list[k].name) != 0)
      i = (i + 1) & mask;
    slot[i] = k + 1;
  }
}

const fly_expr_number *fly_expr_find_number(const fly_expr_scope *scope, const char *name) {
  const fly_expr_names *names = scope->names;
  const int indexed = names != NULL ? names->count : 0;
  for (unsigned i = indexed > 0 ? hash_of(name) : 0; indexed > 0; i++) {
    const int n = names->slot[i & ((unsigned)names->slots - 1)];
    if (n == 0)
      break;
    if (strcmp(scope->parameter[n - 1].name, name) == 0)
      return &scope->parameter[n - 1];
  }
  return find(scope->parameter + indexed, scope->nparameters - indexed, name);
}

const fly_expr_number *fly_scope_number(const fly_expr_scope *scope, const char *name) {
  const fly_expr_number *parameter = fly_expr_find_number(scope, name);
  return parameter != NULL ? parameter : find(scope->unit, scope->nunits, name);
}

void fly_expr_table_make(fly_expr_table *table, const char *name, int n, const double *x, const double *y,
                         double *slopes) {
  double *akima = slopes, *cubic = slopes + n, *work = slopes + 2L * n;
  fly_spline_akima(akima, x, y, n);
  fly_spline_cubic(cubic, x, y, n, work);
  *table = (fly_expr_table){.name = name,
                            .curve = {[FLY_CURVE_AKIMA] = {.n = n, .x = x, .y = y, .slope = akima},
                                      [FLY_CURVE_CUBIC] = {.n = n, .x = x, .y = y, .slope = cubic},
                                      [FLY_CURVE_LINEAR] = {.n = n, .x = x, .y = y},
                                      [FLY_CURVE_HOLD] = {.n = n, .x = x, .y = y, .hold = true}}};
}

int fly_scope_table(const fly_expr_scope *scope, const char *name) {
  for (int i = 0; i < scope->ntables; i++)
    if (strcmp(scope->table[i].name, name) == 0)
      return i;
  return -1;
}

bool fly_scope_resolves_call(const fly_expr_scope *scope, const char *name) {
  if (scope->resolve == NULL || scope->calls == NULL)
    return scope->resolve != NULL;
  for (const char *const *call = scope->calls; *call != NULL; call++)
    if (strcmp(*call, name) == 0)
      return true;
  return false;
}

fly_operand fly_scope_ask(fly_builder *b, const fly_expr_reference *asked, int name, const int *argument) {
  fly_expr_answer answer = {.argument = -1};
  int input = FLY_EXPR_UNKNOWN;
  if (b->scope->resolve != NULL)
    input = b->scope->resolve(&answer, asked, b->scope->user);
  b->at = name;
  if (input >= 0)
    return fly_build_input(b, input);
  if (input == FLY_EXPR_CONSTANT)
    return fly_build_constant(answer.value);
  if (input == FLY_EXPR_TEXT)
    return fly_parse_inside(b, &(fly_expr_formula){.name = asked->name, .text = answer.text}, NULL, 0, name);
  answer.message[sizeof answer.message - 1] = 0;
  const bool at_argument = argument != NULL && answer.argument >= 0 && answer.argument < asked->count;
  if (answer.message[0] != 0)
    fly_build_fail(b, at_argument ? argument[answer.argument] : name, "%s", answer.message);
  else
    fly_suggest(b, name, asked->name, asked->call ? FLY_SUGGEST_CALL : FLY_SUGGEST_WORD);
  return fly_build_constant(0);
}

// Does the resolver know a word that is also a parameter?
static bool is_known_word(const fly_expr_scope *scope, const char *name) {
  if (fly_expr_find_number(scope, name) == NULL)
    return false;
  for (const char *const *word = scope->words; word != NULL && *word != NULL; word++)
    if (strcmp(*word, name) == 0)
      return true;
  return false;
}

static bool is_parameter(const fly_expr_scope *scope, const fly_expr_number *number) {
  return scope->nparameters > 0 && number >= scope->parameter && number < scope->parameter + scope->nparameters;
}

const fly_expr_formula *fly_scope_formula(const fly_expr_scope *scope, const char *name) {
  for (int k = 0; k < scope->nformulas; k++)
    if (strcmp(scope->formula[k].name, name) == 0)
      return &scope->formula[k];
  return NULL;
}

// What was given for an argument of the formula that is being put in; NULL: it has no such argument.
static const fly_operand *argument_of(const fly_inside *call, const char *name) {
  for (int k = 0; call != NULL && k < call->formula->count; k++)
    if (strcmp(call->formula->argument[k], name) == 0)
      return &call->argument[k];
  return NULL;
}

fly_operand fly_scope_word(fly_builder *b, const char *name, int offset) {
  b->at = offset;
  const fly_operand *given = argument_of(b->inside, name);
  if (given != NULL)
    return (fly_operand){.kind = given->kind, .index = given->index, .value = given->value};
  if (strcmp(name, "time") == 0)
    return fly_build_input(b, FLY_EXPR_TIME);
  const fly_expr_number *number = fly_scope_number(b->scope, name);
  if (number != NULL && is_known_word(b->scope, name))
    fly_build_fail(b, offset,
                   "'%s' is a parameter, and also what this expression knows by that name. Rename the "
                   "parameter",
                   name);
  if (number != NULL && b->scope->use != NULL && is_parameter(b->scope, number))
    b->scope->use((int)(number - b->scope->parameter), b->scope->use_user);
  if (number != NULL)
    return fly_build_constant(number->value);
  return fly_scope_ask(b, &(fly_expr_reference){.name = name}, offset, NULL);
}
