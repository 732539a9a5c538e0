#include <math.h>
#include <string.h>

#include "model/model.h"

enum { INPUTS = 64 };

const char *fly_signal_unit(const fly_model *m, fly_signal signal, int number) {
  if (signal == FLY_SIGNAL_VARIABLE)
    return fly_model_output_unit(m, number);
  if (signal == FLY_SIGNAL_DELAY)
    return "";
  const int item = signal == FLY_SIGNAL_STATE   ? m->state[number].item
                   : signal == FLY_SIGNAL_INPUT ? m->input[number].item
                                                : m->held[number].item;
  const fly_item *of = &m->spec->item[item];
  if (signal == FLY_SIGNAL_HELD && m->held[number].part)
    return "";
  if (signal == FLY_SIGNAL_STATE && m->state[number].part)
    return "m";
  return fly_item_given(of, "unit") ? fly_item_word(of, "unit", 0) : "";
}

const char *fly_model_input_unit(const fly_model *m, int input) {
  if (input == FLY_EXPR_TIME)
    return "s";
  const fly_model_measure *measure = &m->measure[input - 1];
  if (measure->signal)
    return fly_signal_unit(m, measure->signal, measure->kind);
  return measure->joint >= 0 ? fly_reaction_types[measure->kind].unit : fly_measure_types[measure->kind].unit;
}

// Adds what the slopes at one point tell: 1 or -1 wherever it depends on an input, or it is not of that input's kind.
static bool keeps_unit(const fly_model *m, const fly_expr *e, const double *inputs, const char **unit) {
  int count;
  const int *input = fly_expr_inputs(e, &count);
  double value, slope[INPUTS];
  bool any = false;
  if (count > INPUTS)
    return false;
  fly_expr_gradient(e, inputs, &value, slope);
  for (int k = 0; k < count; k++) {
    const char *own = fly_model_input_unit(m, input[k]);
    if (slope[k] == 0)
      continue;
    if (fabs(slope[k]) != 1 || (*unit && strcmp(*unit, own) != 0))
      return false;
    *unit = own;
    any = true;
  }
  return any;
}

// A sum or difference of measures, their larger, their size: of the unit they share. Found by the slopes at a few
// points; what is scaled or mixed otherwise has a unit only its author knows.
static const char *derived_unit(const fly_model *m, const fly_expr *e) {
  double inputs[1 + INPUTS];
  const char *unit = NULL;
  if (m->nmeasure > INPUTS)
    return "";
  for (int point = 0; point < 3; point++) {
    for (int k = 0; k <= m->nmeasure; k++)
      inputs[k] = 0.3 + sin(1.7 * k + 2.3 * point);
    if (!keeps_unit(m, e, inputs, &unit))
      return "";
  }
  return unit;
}

const char *fly_model_output_unit(const fly_model *model, int output) {
  const fly_item *item = &model->spec->item[model->output[output].item];
  if (fly_item_given(item, "unit"))
    return fly_item_word(item, "unit", 0);
  if (model->output[output].row || model->output[output].expression < 0) // it may depend on itself
    return "";
  return derived_unit(model, model->expression[model->output[output].expression]);
}
