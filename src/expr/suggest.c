#include "expr/suggest.h"

#include <stdlib.h>
#include <string.h>

#include "expr/function.h"
#include "expr/scope.h"
#include "flyball/words.h"

// What people write who come from elsewhere.
static const struct {
  const char *typed, *meant;
  bool call;
} habits[] = {
    {"t", "time", false},         {"e", "exp(1)", false},     {"dtor", "deg", false},    {"rtod", "1/deg", false},
    {"degree", "deg", false},     {"degrees", "deg", false},  {"\u03C0", "pi", false},   {"inch", "in", false},
    {"ton", "tonne", false},      {"\u00B5m", "um", false},   {"\u03BCm", "um", false},  {"true", "1", false},
    {"false", "0", false},        {"ln", "log", true},        {"arcsin", "asin", true},  {"arccos", "acos", true},
    {"arctan", "atan", true},     {"arctan2", "atan2", true}, {"fabs", "abs", true},     {"sgn", "sign", true},
    {"int", "floor", true},       {"trunc", "floor", true},   {"aint", "floor", true},   {"anint", "round", true},
    {"nint", "round", true},      {"akispl", "akima", true},  {"cubspl", "cubic", true}, {"interp", "spline", true},
    {"haversin", "havsin", true}, {"select", "if", true},     {"ifelse", "if", true},    {"power", "pow", true},
};

static const char *habit(const char *typed, fly_suggest_kind kind) {
  for (size_t i = 0; i < sizeof habits / sizeof habits[0]; i++)
    if (habits[i].call == (kind == FLY_SUGGEST_CALL) && kind != FLY_SUGGEST_TABLE &&
        strcmp(habits[i].typed, typed) == 0)
      return habits[i].meant;
  return NULL;
}

static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

static bool same_but_for_case(const char *a, const char *b) {
  while (*a != 0 && lower(*a) == lower(*b))
    a++, b++;
  return lower(*a) == lower(*b);
}

static const char *in_other_case(const char *typed, const char *const *words) {
  for (; *words != NULL; words++)
    if (same_but_for_case(typed, *words))
      return *words;
  return NULL;
}

static int length_of(const char *const *list) {
  int n = 0;
  while (list != NULL && list[n] != NULL)
    n++;
  return n;
}

static bool contains(const char *const *list, const char *word) {
  for (; list != NULL && *list != NULL; list++)
    if (strcmp(*list, word) == 0)
      return true;
  return false;
}

// ---------------------------------------------------------------------------------- everything that has a name

static int append_list(const char **words, int n, const char *const *list) {
  for (; list != NULL && *list != NULL; list++)
    words[n++] = *list;
  return n;
}

static int append_numbers(const char **words, int n, const fly_expr_number *number, int count) {
  for (int i = 0; i < count; i++)
    words[n++] = number[i].name;
  return n;
}

static int append_functions(const char **words, int n) {
  for (int i = 0; fly_expr_function_at(i) != NULL; i++)
    words[n++] = fly_expr_function_at(i)->name;
  return n;
}

static int append_tables(const char **words, int n, const fly_expr_scope *scope) {
  for (int i = 0; i < scope->ntables; i++)
    words[n++] = scope->table[i].name;
  return n;
}

// The list of what means something, ended by NULL; NULL if there is no memory.
static const char **known(const fly_expr_scope *scope, fly_suggest_kind kind) {
  int room = 2 + scope->nparameters + scope->nunits + scope->ntables + scope->nformulas;
  room += length_of(scope->words) + length_of(scope->more_words) + length_of(scope->calls);
  for (int i = 0; fly_expr_function_at(i) != NULL; i++)
    room++;
  const char **words = malloc((size_t)room * sizeof *words);
  int n = 0;
  if (words == NULL)
    return NULL;
  if (kind == FLY_SUGGEST_CALL) {
    n = append_functions(words, n);
    for (int i = 0; i < scope->nformulas; i++)
      words[n++] = scope->formula[i].name;
    n = append_list(words, n, scope->calls);
  } else if (kind == FLY_SUGGEST_TABLE) {
    n = append_tables(words, n, scope);
  } else {
    words[n++] = "time";
    n = append_numbers(words, n, scope->parameter, scope->nparameters);
    n = append_numbers(words, n, scope->unit, scope->nunits);
    n = append_list(words, n, scope->words);
    n = append_list(words, n, scope->more_words);
  }
  words[n] = NULL;
  return words;
}

// ---------------------------------------------------------------------------------- messages

// Known, but not in this form.
static bool misused(fly_builder *b, int offset, const char *typed, fly_suggest_kind kind) {
  const fly_expr_scope *scope = b->scope;
  const fly_function *f = fly_function_find(typed);
  const bool call = kind == FLY_SUGGEST_CALL, word = kind == FLY_SUGGEST_WORD;
  if (word && f != NULL)
    fly_build_fail(b, offset, "'%s' is a function: write %s(%s)", typed, typed, f->shown.arguments);
  else if (word && fly_scope_table(scope, typed) >= 0)
    fly_build_fail(b, offset, "'%s' is a table: write akima(x, %s)", typed, typed);
  else if (word && (contains(scope->calls, typed) || fly_scope_formula(scope, typed) != NULL))
    fly_build_fail(b, offset, "'%s' is a function: write %s( )", typed, typed);
  else if (call && (strcmp(typed, "time") == 0 || fly_scope_number(scope, typed) || contains(scope->words, typed) ||
                    contains(scope->more_words, typed)))
    fly_build_fail(b, offset, "'%s' is a number, not a function: is an operator missing before the ( ?", typed);
  else if (call && contains(scope->calls, typed))
    fly_build_fail(b, offset, "'%s' does not take these arguments", typed);
  return b->status != FLY_OK;
}

// Does the word stand in left-wheel?
static bool is_dashed(const char *text, int offset, int length) {
  const char *end = text + offset + length;
  const bool before = offset > 1 && text[offset - 1] == '-' && strchr(" (,-+*/^", text[offset - 2]) == NULL;
  return before || (end[0] == '-' && end[1] != 0 && strchr(" (,-+.0123456789", end[1]) == NULL);
}

void fly_suggest(fly_builder *b, int offset, const char *typed, fly_suggest_kind kind) {
  static const char *const names[] = {"unknown word", "unknown function", "there is no table"};
  if (misused(b, offset, typed, kind))
    return;
  char quote[FLY_QUOTE_SIZE];
  const int length = (int)strlen(typed);
  const char *meant = habit(typed, kind), **words = NULL;
  if (meant == NULL)
    words = known(b->scope, kind);
  if (words != NULL)
    meant = in_other_case(typed, words);
  if (words != NULL && meant == NULL)
    meant = fly_nearest_word(typed, words);
  fly_build_fail(b, offset, "%s '%s'%s%s%s%s", names[kind], fly_build_quote(quote, typed, length),
                 meant != NULL ? ". Did you mean " : "", meant != NULL ? meant : "", meant != NULL ? "?" : "",
                 is_dashed(b->text, offset, length) ? " (A dash is a minus here.)" : "");
  free(words);
}
