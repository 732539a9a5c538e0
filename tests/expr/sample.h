// A scope for tests: inputs u1, u2, ... (input k), parameters, tables, and one measure dx(marker, marker).
#ifndef FLY_TESTS_EXPR_SAMPLE_H
#define FLY_TESTS_EXPR_SAMPLE_H

#include "base/check.h"

#include <stdbool.h>
#include <string.h>

#include "expr/expr.h"

enum { SAMPLE_INPUTS = 64, SAMPLE_DX = 50 };

static const fly_expr_number sample_parameters[] = {
    {"r", 0.15, NULL}, {"zero", 0, NULL}, {"N", 7, NULL}, {"gr\u00F6\u00DFe", 3, NULL}};
static const char *const sample_words[] = {"u1", "u2", "speed", NULL};
static const char *const sample_calls[] = {"dx", "distance", NULL};
static const double sample_x[] = {-2.5, -1, 0.2, 0.9, 2, 3}, sample_y[] = {0.3, -1, 0.5, 2, 1, 1.5};
static double sample_slopes[18];
static const double sample_across[] = {-2, -0.4, 0.5, 1.7};
static const double sample_values[] = {1, 2, -1, 0.3, 0.8, 1.5, 0,   1, 2, -1, 0.4, 1,
                                       2, 2, 1,  0,   -1,  0.2, 0.5, 1, 1, 3,  2,   1};
static fly_expr_table sample_tables[2];

static inline int sample_resolve(fly_expr_answer *answer, const fly_expr_reference *asked, void *user) {
  if (asked->call) {
    if (strcmp(asked->name, "dx") != 0 || asked->count == 0)
      return FLY_EXPR_UNKNOWN;
    for (int k = 0; k < asked->count; k++)
      if (asked->argument[k].word == NULL || strcmp(asked->argument[k].word, "crank.pin") != 0) {
        answer->argument = k;
        snprintf(answer->message, sizeof answer->message, "there is no marker '%s'",
                 asked->argument[k].word != NULL ? asked->argument[k].word : "of a number");
        return FLY_EXPR_UNKNOWN;
      }
    return SAMPLE_DX + asked->count;
  }
  if (strcmp(asked->name, "speed") == 0) {
    answer->value = 120;
    return FLY_EXPR_CONSTANT;
  }
  if (asked->name[0] == 'u' && asked->name[1] >= '1' && asked->name[1] <= '9')
    return atoi(asked->name + 1);
  return FLY_EXPR_UNKNOWN;
}

static inline fly_expr_scope sample_scope(void) {
  fly_expr_scope scope = fly_expr_scope_default();
  fly_expr_table_make(&sample_tables[0], "table", 6, sample_x, sample_y, sample_slopes);
  scope.nparameters = sizeof sample_parameters / sizeof sample_parameters[0];
  scope.parameter = sample_parameters;
  static fly_arena kept;
  if (sample_tables[1].rows == 0 &&
      !fly_expr_surface_make(&sample_tables[1], "map", 6, sample_x, 4, sample_across, sample_values, &kept))
    fail();
  scope.ntables = 2;
  scope.table = sample_tables;
  scope.resolve = sample_resolve;
  scope.words = sample_words;
  scope.calls = sample_calls;
  return scope;
}

static inline fly_expr *sample_compile(const char *text) {
  const fly_expr_scope scope = sample_scope();
  fly_error error;
  fly_expr *e;
  if (fly_expr_compile(&e, text, &scope, &error) != FLY_OK)
    fail_msg("%.200s: %s", text, error.message);
  return e;
}

// Value at inputs[k] = 0.1 k + 0.3.
static inline double sample_value(const char *text) {
  double inputs[SAMPLE_INPUTS];
  for (int k = 0; k < SAMPLE_INPUTS; k++)
    inputs[k] = 0.1 * k + 0.3;
  fly_expr *e = sample_compile(text);
  const double value = fly_expr_value(e, inputs);
  fly_expr_free(e);
  return value;
}

#endif
