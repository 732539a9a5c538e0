// Joints and motions that give way: what `compliance` and `damping` say becomes the stiffness and damping of their
// rows (docs/theory/soft.md, S-row).
#include <math.h>

#include "model/compile.h"

static const double SOFTEST = 1e3; // [m/N, rad/(N m)]: beyond, a stiffness was meant

static bool covers(const fly_term *t, int row) {
  int last = t->row;
  for (int bits = t->rows; bits; bits >>= 1)
    last += bits & 1;
  return row >= t->row && row < last;
}

// All of its terms are angles, or axes that lean.
static bool is_turning(const fly_model *m, int row) {
  for (int k = 0; k < m->nterm; k++)
    if (covers(&m->term[k], row) && m->term[k].kind != FLY_DOT && m->term[k].kind != FLY_ANGLE)
      return false;
  return true;
}

static double number(const fly_item *item, const char *own, const char *other) {
  return fly_item_given(item, own)              ? fly_item_number(item, own)
         : other && fly_item_given(item, other) ? fly_item_number(item, other)
                                                : 0.0;
}

static fly_status check(const fly_item *item, fly_error *error) {
  static const char *const compliances[] = {"compliance", "rotational_compliance"};
  bool any = false;
  for (int k = 0; k < 2; k++) {
    const double c = number(item, compliances[k], NULL);
    any = any || c > 0;
    if (c > SOFTEST)
      return fly_item_fail(item, error,
                           "`%s` is %g %s: that holds nothing. A compliance is one over a stiffness; 1e-8 m/N is that "
                           "of a bearing of 1e8 N/m.",
                           compliances[k], c, k ? "rad/(N m)" : "m/N");
    if (c > 0 && !isfinite(1 / c))
      return fly_item_fail(item, error, "`%s` is %g %s, too little to tell it from rigid: leave it out.",
                           compliances[k], c, k ? "rad/(N m)" : "m/N");
  }
  const bool damped = fly_item_given(item, "damping") || fly_item_given(item, "rotational_damping");
  return damped && !any ? fly_item_fail(item, error,
                                        "`damping` is that of a joint that gives way: give its `compliance` [m/N] too. "
                                        "A damper alone would let it part, slowly and without end.")
                        : FLY_OK;
}

static void give_way(const fly_item *item, fly_row *row) {
  const double c =
      row->turning ? number(item, "rotational_compliance", "compliance") : number(item, "compliance", NULL);
  row->stiffness = c > 0 ? 1 / c : 0.0;
  row->damping = c <= 0         ? 0.0
                 : row->turning ? number(item, "rotational_damping", "damping")
                                : number(item, "damping", NULL);
}

// Of a joint or a motion, when its rows are there and no others have come to it.
fly_status fly_add_compliance(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  bool any = false;
  if (fly_parameter_find(it->type, "compliance") < 0)
    return FLY_OK;
  const fly_status status = check(it, error);
  for (int k = 0; k < m->nrow && status == FLY_OK; k++)
    if (m->row[k].item == item) {
      m->row[k].turning = is_turning(m, k);
      give_way(it, &m->row[k]);
      any = any || m->row[k].stiffness > 0;
    }
  if (status == FLY_OK && !any && number(it, "compliance", "rotational_compliance") > 0)
    return fly_item_fail(it, error, "`%s` says nothing here: it holds no %s.",
                         fly_item_given(it, "compliance") ? "compliance" : "rotational_compliance",
                         fly_item_given(it, "compliance") ? "place" : "turn");
  return status;
}
