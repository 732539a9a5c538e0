#include "model/model.h"

fly_status fly_model_number(const fly_model *model, const char *text, double *out, fly_error *error) {
  fly_expr_scope scope = fly_expr_scope_default();
  scope.nparameters = model->spec->nparameter;
  scope.parameter = model->constant;
  scope.names = &model->names;
  scope.nformulas = model->nformula;
  scope.formula = model->formula;
  return fly_expr_evaluate(out, text, &scope, error);
}
