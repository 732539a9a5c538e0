// What flyball bench is asked to measure: names of cases and methods, each taken once.
#include <string.h>

#include "bench.h"
#include "cli.h"
#include "flyball/words.h"

static bool fail_unknown(const char *word) {
  const char *name[BENCH_CASES + 1] = {NULL};
  for (int k = 0; k < bench_case_count && k < BENCH_CASES; k++)
    name[k] = bench_cases[k].name;
  const char *nearest = fly_nearest_word(word, name);
  if (nearest)
    cli_message("there is no case '%s'; did you mean %s?", word, nearest);
  else
    cli_message("there is no case '%s'; flyball bench --list tells them.", word);
  return false;
}

static void add_case(bench_rows *rows, const bench_case *c) {
  for (int k = 0; k < rows->ncase; k++)
    if (rows->c[k] == c)
      return;
  rows->c[rows->ncase++] = c;
}

bool bench_choose_cases(bench_rows *rows, const char *const *name, int count) {
  for (int k = 0; k < count; k++) {
    const bench_case *c = bench_case_find(name[k]);
    if (!c)
      return fail_unknown(name[k]);
    add_case(rows, c);
  }
  for (int k = 0; count == 0 && k < bench_case_count; k++)
    add_case(rows, &bench_cases[k]);
  return true;
}

static bool is_chosen(const bench_rows *rows, const char *name, size_t length) {
  for (int k = 0; k < rows->nmethod; k++)
    if (strlen(rows->method[k]) == length && strncmp(rows->method[k], name, length) == 0)
      return true;
  return false;
}

static bool add_method(bench_rows *rows, const char *name, size_t length) {
  if (is_chosen(rows, name, length))
    return true;
  if (length >= BENCH_NAME) {
    cli_message("--methods: there is no method '%.*s'.", (int)length, name);
    return false;
  }
  if (rows->nmethod == BENCH_METHODS) {
    cli_message("--methods: at most %d methods are measured at once; leave some out.", BENCH_METHODS);
    return false;
  }
  snprintf(rows->method[rows->nmethod++], BENCH_NAME, "%.*s", (int)length, name);
  return true;
}

bool bench_choose_methods(bench_rows *rows, const char *list) {
  static const char BETWEEN[] = ", ";
  for (const char *at = list + strspn(list, BETWEEN); *at; at += strspn(at, BETWEEN)) {
    const size_t length = strcspn(at, BETWEEN);
    if (!add_method(rows, at, length))
      return false;
    at += length;
  }
  if (rows->nmethod == 0)
    cli_message("--methods: '%s' names no method; try --methods auto,radau.", list);
  return rows->nmethod > 0;
}
