// Parameters that may change while a model runs: those that only expressions use.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "model/model.h"

fly_status fly_model_tunable(const fly_spec *spec, int parameter, fly_error *error) {
  const char *use = spec->parameter_use ? spec->parameter_use[parameter] : NULL;
  char place[300];
  if (!use)
    return FLY_OK;
  fly_place_text(place, sizeof place, spec->parameter_place[parameter]);
  const size_t length = strlen(place);
  place[length >= 2 ? length - 2 : 0] = 0; // ": "
  return fly_fail_at(
      error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, spec->parameter_name[parameter],
      "The parameter `%s` cannot change while the model runs: `%s`%s%s%s is built with it. Only parameters that "
      "nothing but expressions of forces, states and variables use can; let this one be an input.",
      spec->parameter_name[parameter], use, place[0] ? " (" : "", place, place[0] ? ")" : "");
}

static bool same_inputs(const fly_expr *a, const fly_expr *b) {
  int na, nb;
  const int *one = fly_expr_inputs(a, &na), *other = fly_expr_inputs(b, &nb);
  return na == nb && memcmp(one, other, (size_t)na * sizeof *one) == 0;
}

bool fly_model_fits(const fly_model *tuned, const fly_model *model) {
  bool same = tuned->nmeasure == model->nmeasure && tuned->nexpression == model->nexpression &&
              tuned->ny == model->ny && tuned->noutput == model->noutput;
  for (int k = 0; k < tuned->nmeasure && same; k++)
    same = tuned->measure[k].output == model->measure[k].output && tuned->measure[k].kind == model->measure[k].kind;
  for (int k = 0; k < tuned->noutput && same; k++)
    same = tuned->output[k].row == model->output[k].row;
  for (int k = 0; k < tuned->nexpression && same; k++)
    same = same_inputs(tuned->expression[k], model->expression[k]) &&
           fly_expr_relations(tuned->expression[k]) == fly_expr_relations(model->expression[k]);
  return same;
}
