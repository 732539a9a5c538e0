// Joints and motions that give way: what `compliance` and `damping` say becomes the stiffness and damping of their
// rows (docs/theory/soft.md, S-row).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "model/compile.h"

static const double SOFTEST = 1e3;   // [m/N, rad/(N m)]: beyond, a stiffness was meant
static const double HARDEST = 1e-23; // below, the rounding of a metre makes ten million newtons

// A row whose terms are all angles, or axes that lean, holds a turn.
static void mark_turns(fly_model *m) {
  for (int row = 0; row < m->nrow; row++)
    m->row[row].turning = true;
  for (int k = 0; k < m->nterm; k++) {
    int row = m->term[k].row;
    for (int bits = m->term[k].rows; bits && m->term[k].kind != FLY_DOT && m->term[k].kind != FLY_ANGLE; bits >>= 1)
      if (bits & 1)
        m->row[row++].turning = false;
  }
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
    if (c > 0 && c < HARDEST)
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

static bool may_give_way(const fly_item *item) { return fly_parameter_find(item->type, "compliance") >= 0; }

static fly_status check_all(const fly_model *m, const bool *gives, fly_error *error) {
  for (int k = 0; k < m->spec->nitem; k++) {
    const fly_item *it = &m->spec->item[k];
    const bool joint = strcmp(it->type->section, "joints") == 0 || strcmp(it->type->section, "motions") == 0;
    const fly_status status = joint && may_give_way(it) ? check(it, error) : FLY_OK;
    if (status)
      return status;
    if (joint && may_give_way(it) && !gives[k] && number(it, "compliance", "rotational_compliance") > 0)
      return fly_item_fail(it, error, "`%s` says nothing here: it holds no %s.",
                           fly_item_given(it, "compliance") ? "compliance" : "rotational_compliance",
                           fly_item_given(it, "compliance") ? "place" : "turn");
  }
  return FLY_OK;
}

// Of joints and motions, when their rows are there and no others have come to them.
fly_status fly_add_compliances(fly_model *m, fly_error *error) {
  fly_arena work = {0};
  bool *gives = fly_arena_take(&work, (size_t)m->spec->nitem, sizeof *gives);
  fly_status status =
      work.failed ? fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d elements.", m->spec->nitem) : FLY_OK;
  mark_turns(m);
  for (int k = 0; k < m->nrow && status == FLY_OK; k++) {
    const fly_item *it = &m->spec->item[m->row[k].item];
    if (!may_give_way(it))
      continue;
    give_way(it, &m->row[k]);
    gives[m->row[k].item] |= m->row[k].stiffness > 0;
  }
  if (status == FLY_OK)
    status = check_all(m, gives, error);
  fly_arena_free(&work);
  return status;
}

// A blow in no time is shared by what is rigid; what gives way would hand it on, and the limit be met again and again.
fly_status fly_check_rebounds(fly_model *m, fly_error *error) {
  for (int k = 0; k < m->nlimit; k++)
    for (int row = 0; row < m->nrow; row++)
      if (m->row[row].item == m->limit[k].item && m->row[row].stiffness > 0)
        return fly_item_fail(&m->spec->item[m->limit[k].item], error,
                             "it gives way, and its limit has a `restitution`, which is a blow between rigid joints: "
                             "give the limit a `stiffness` and a `damping`.");
  return FLY_OK;
}
