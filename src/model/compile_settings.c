// What joints have beside their rows, friction and limits, is given as {key: number} and made of texts, held numbers,
// loads, rows that come and go, and events.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "expr/expr.h"
#include "model/compile.h"

const char *fly_setting(const fly_item *item, const char *parameter, const char *key) {
  const fly_value *value = fly_item_value(item, parameter);
  for (int k = 0; k < value->count; k += 2)
    if (strcmp(value->word[k], key) == 0)
      return value->word[k + 1];
  return NULL;
}

static bool is_fit(double x, fly_sign sign) {
  return fabs(x) < 1e100 && (sign == FLY_ANY_SIGN || x > 0 || (sign == FLY_NOT_NEGATIVE && x == 0));
}

fly_status fly_setting_number(const fly_model *m, const fly_item *item, const char *parameter, const char *key,
                              double fallback, fly_sign sign, double *out, fly_error *error) {
  const char *text = fly_setting(item, parameter, key);
  fly_error why = {0};
  *out = fallback;
  if (!text && isnan(fallback))
    return fly_setting_fail(item, parameter, NULL, error, "`%s` needs `%s`.", parameter, key);
  if (!text)
    return FLY_OK;
  if (fly_model_number(m, text, out, &why))
    return fly_setting_fail(item, parameter, key, error,
                            "`%s`: `%s` is a number, or an expression over parameters and units that does not change "
                            "with time or motion; in '%.80s', %s",
                            parameter, key, text, why.message);
  if (!is_fit(*out, sign))
    return fly_setting_fail(item, parameter, key, error, "`%s`: `%s` is %.6g and must be %s.", parameter, key, *out,
                            sign == FLY_POSITIVE       ? "positive"
                            : sign == FLY_NOT_NEGATIVE ? "0 or more"
                                                       : "finite");
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ expressions

fly_status fly_compile_own(fly_model *m, const fly_item *item, const char *parameter, const char *text,
                           fly_expr_resolve *resolve, void *user, int *expression, fly_error *error) {
  const fly_expr_scope scope = {.resolve = resolve, .user = user};
  fly_error why = {0};
  if (fly_expr_compile(&m->expression[m->nexpression], text, &scope, &why))
    return fly_item_fail(item, error, "`%s`: %s", parameter, why.message);
  *expression = m->nexpression++;
  int count;
  const int *input = fly_expr_inputs(m->expression[*expression], &count);
  for (int k = 0; k < count; k++)
    fly_feel(m, input[k]);
  return FLY_OK;
}

int fly_signal_of(fly_model *m, fly_signal signal, int number) {
  return fly_measure_input(m,
                           &(fly_model_measure){.kind = number, .joint = -1, .marker = {-1, -1, -1}, .signal = signal});
}

int fly_joint_reaction(fly_model *m, int item, fly_reaction_kind kind, int pair, int axes) {
  const fly_model_pair *p = &m->pair[pair];
  return fly_measure_input(
      m, &(fly_model_measure){.kind = (int)kind, .joint = item, .pair = pair, .marker = {p->mi, p->mj, axes}});
}

int fly_joint_rate(fly_model *m, int pair, int component, int axes) {
  const fly_model_pair *p = &m->pair[pair];
  const int kind =
      component < 3 ? (int)FLY_MEASURE_VX + component : (int)FLY_MEASURE_WX + component - FLY_LOAD_COMPONENTS / 2;
  return fly_measure_input(m, &(fly_model_measure){.kind = kind, .joint = -1, .marker = {p->mj, p->mi, axes}});
}

int fly_joint_coordinate(fly_model *m, int pair, bool turn) {
  const fly_model_pair *p = &m->pair[pair];
  const fly_measure_kind kind = turn ? FLY_MEASURE_AZ : FLY_MEASURE_DZ;
  return fly_measure_input(
      m, &(fly_model_measure){.kind = (int)kind, .joint = -1, .marker = {p->mj, p->mi, turn ? -1 : p->mi}});
}

// ------------------------------------------------------------------------------------------ parts

int fly_add_held(fly_model *m, int item, const char *part) {
  m->held[m->nheld] = (fly_model_given){.item = item, .value = 0.0, .part = part};
  return m->nheld++;
}

// Each measure once.
static void list_inputs(fly_model_applied *a, const fly_expr *e) {
  int count;
  const int *input = fly_expr_inputs(e, &count);
  for (int k = 0; k < count; k++) {
    bool known = input[k] == FLY_EXPR_TIME;
    for (int i = 0; i < a->ninput; i++)
      known = known || a->input[i] == input[k] - 1;
    if (!known)
      a->input[a->ninput++] = input[k] - 1;
  }
}

fly_status fly_add_joint_load(fly_model *m, int item, const fly_model_applied *load, fly_error *error) {
  fly_model_applied *a = &m->applied[m->napplied];
  size_t most = 0;
  int count;
  *a = *load;
  a->item = item;
  a->type = &fly_load_wrench;
  for (int c = 0; c < FLY_LOAD_COMPONENTS; c++)
    if (a->expression[c] >= 0) {
      (void)fly_expr_inputs(m->expression[a->expression[c]], &count);
      most += (size_t)count;
    }
  a->input = fly_arena_ints(&m->memory, most);
  if (m->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the loads of `%s`.", m->spec->item[item].name);
  for (int c = 0; c < FLY_LOAD_COMPONENTS; c++)
    if (a->expression[c] >= 0)
      list_inputs(a, m->expression[a->expression[c]]);
  m->napplied++;
  m->nown++;
  return FLY_OK;
}

int fly_add_crossed(fly_model *m, int marker) {
  const fly_model_marker *k = &m->marker[marker];
  double A[9];
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      A[3 * r + c] = k->m.A[3 * r + (c + 2) % 3];
  return fly_add_marker(m, k->name, k->body, k->m.s, A);
}

void fly_add_lock(fly_model *m, int item, int pair, bool turn, const char *direction, int held) {
  fly_add_coordinate(m, pair, turn, 2, m->nrow, 1.0);
  fly_add_lock_row(m, item, direction, held);
}

void fly_add_lock_row(fly_model *m, int item, const char *direction, int held) {
  fly_add_row(m, item, direction);
  m->row[m->nrow - 1].counted = true;
  m->row[m->nrow - 1].held = held;
}

void fly_add_own_event(fly_model *m, int item, const char *part, int when, int naction,
                       const fly_model_action *action) {
  m->event[m->nevent++] =
      (fly_model_event){.item = item, .when = when, .action = m->naction, .naction = naction, .part = part};
  memcpy(m->action + m->naction, action, (size_t)naction * sizeof *action);
  m->naction += naction;
  m->nroot++;
}
