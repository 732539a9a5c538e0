// Any bytes as an expression: it compiles and evaluates, or is refused with a column. Run by tools/fuzz.sh.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"

enum { INPUTS = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HOLDS(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                  \
      abort();                                                                                                         \
    }                                                                                                                  \
  } while (0)

static int resolve(fly_expr_answer *answer, const fly_expr_reference *asked, void *user) {
  (void)user;
  HOLDS(asked->name[0] != 0 && asked->count >= 0 && asked->count <= 32);
  for (int k = 0; k < asked->count; k++)
    HOLDS(asked->argument[k].word != NULL || asked->argument[k].constant);
  if (asked->name[0] == 'q') { // not ours
    answer->argument = asked->count - 1;
    snprintf(answer->message, sizeof answer->message, "%s is not known", asked->name);
    return FLY_EXPR_UNKNOWN;
  }
  if (asked->name[0] == 'w')
    return FLY_EXPR_UNKNOWN;
  answer->value = (double)strlen(asked->name);
  return asked->name[0] == 'k' ? FLY_EXPR_CONSTANT : (asked->name[0] + asked->count) % INPUTS;
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static void evaluate(const fly_expr *e, double scale) {
  int n;
  double inputs[INPUTS], gradient[INPUTS], value, t[3];
  for (int k = 0; k < INPUTS; k++)
    inputs[k] = scale * (k - 3.5);
  const int *list = fly_expr_inputs(e, &n);
  HOLDS(n >= 0 && n <= INPUTS);
  for (int k = 0; k < n; k++)
    HOLDS(list[k] >= 0 && list[k] < INPUTS);
  fly_expr_gradient(e, inputs, &value, gradient);
  HOLDS(same(value, fly_expr_value(e, inputs)));
  if (!fly_expr_is_time_only(e))
    return;
  fly_expr_time(e, inputs[FLY_EXPR_TIME], t);
  HOLDS(same(value, t[0]));
  if (fly_expr_is_constant(e, &value))
    HOLDS(same(value, t[0]) && t[1] == 0 && t[2] == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const double x[] = {-1, 0, 2, 3}, y[] = {1, -1, 0.5, 0};
  static const fly_expr_number parameter[] = {{"a", 2, NULL}, {"zero", 0, NULL}};
  double slopes[12];
  fly_expr_table table[1];
  fly_expr_table_make(&table[0], "T", 4, x, y, slopes);
  static const char *const words[] = {"x", "y", NULL}, *const calls[] = {"dx", "q", "w", "k", NULL};
  fly_expr_scope scope = fly_expr_scope_default();
  scope.nparameters = 2;
  scope.parameter = parameter;
  scope.ntables = 1;
  scope.table = table;
  scope.resolve = resolve;
  scope.words = words;
  scope.calls = size % 2 == 0 ? calls : NULL;
  char *text = malloc(size + 1);
  if (text == NULL)
    return 0;
  if (size > 0)
    memcpy(text, data, size);
  text[size] = 0;
  fly_error error = {.message = ""};
  fly_expr *e;
  double value;
  const fly_status status = fly_expr_compile(&e, text, &scope, &error);
  HOLDS((status == FLY_OK) == (e != NULL));
  HOLDS(status == FLY_OK || strncmp(error.message, "column ", 7) == 0);
  if (e != NULL)
    for (double scale = 1e-3; scale < 1e5; scale *= 10)
      evaluate(e, scale);
  const bool constant = e != NULL && fly_expr_is_constant(e, NULL);
  HOLDS((fly_expr_evaluate(&value, text, &scope, NULL) == FLY_OK) == constant);
  fly_expr_free(e);
  free(text);
  return 0;
}
