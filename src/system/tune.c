// A system goes on with other parameters in its expressions, between steps.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "expr/expr.h"
#include "system/parts.h"

// What was found of an expression's dependence on time and motion must stay true, and fit the memory it has.
static bool is_alike(const fly_system *s, const fly_expr *a, const fly_expr *b) {
  int one[FLY_EXPR_TERMS], other[FLY_EXPR_TERMS];
  (void)fly_trace_reads_delay(s->model, a, s->sudden);
  const int n = fly_expr_lurking_beside(a, s->sudden, one);
  return fly_expr_sources(a) == fly_expr_sources(b) && fly_expr_parts(a) == fly_expr_parts(b) &&
         fly_expr_lurking_beside(b, s->sudden, other) == n && memcmp(one, other, (size_t)n * sizeof *one) == 0;
}

static bool fits(const fly_system *s, const fly_model *tuned, const fly_model *before) {
  bool alike = fly_model_fits(tuned, before);
  for (int k = 0; k < tuned->nexpression && alike; k++)
    alike = is_alike(s, tuned->expression[k], before->expression[k]);
  return alike;
}

// The expression in the place of one of another model.
static const fly_expr *in_place_of(const fly_expr *e, const fly_model *of, const fly_model *in) {
  for (int k = 0; k < of->nexpression; k++)
    if (of->expression[k] == e)
      return in->expression[k];
  return e;
}

fly_status fly_system_use_model(fly_system *s, const fly_model *tuned, fly_error *error) {
  const fly_model *before = s->model;
  if (!fits(s, tuned, before))
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "With this value expressions of the model use other quantities than before, as behind an `if` of a "
                    "parameter: the equations would be others. Run the model anew with --set.");
  tuned = fly_pool_model(tuned, before->nslot, before->slot_kind, &s->memory);
  if (!tuned)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d contacts.", before->nslot);
  s->model = tuned;
  for (int k = 0; k < tuned->nforce; k++)
    s->forces[k] = tuned->force[k];
  if (tuned->nslot > 0)
    fly_pool_use_model(s);
  for (int k = 0; k < s->ntimed; k++)
    s->timed[k].expression = in_place_of(s->timed[k].expression, before, tuned);
  for (int k = 0; k < s->nlurking; k++)
    s->lurking[k].expression = in_place_of(s->lurking[k].expression, before, tuned);
  for (int k = 0; k < tuned->nmotion; k++)
    s->motion[k].expression = in_place_of(s->motion[k].expression, before, tuned);
  fly_system_forget_timed(s);
  return FLY_OK;
}
