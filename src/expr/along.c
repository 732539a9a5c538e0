// What an expression can do along a motion, between the points at which the motion is known (docs/theory/control.md,
// C-leaps).
#include <math.h>

#include "expr/compiled.h"
#include "expr/enclose.h"

typedef fly_interval I;

static const double BENT = 0.1; // of the range of an input: a fourth difference beyond says that five points are few
static const double ROUNDED = 1e-12; // of an input: rounding errors
enum { SHORT = 64 };                 // values of an expression of which there is little
static const double LOOSE = 4;       // fourth differences that it may be off five points which are too few

// ---------------------------------------------------------------------------------- terms that can lurk

// Sums, differences and products change over as long a way as what they are made of.
static bool is_even(const fly_expr *e, const fly_instruction *i) {
  switch (i->op) {
  case FLY_OP_ADD:
  case FLY_OP_SUBTRACT:
  case FLY_OP_MULTIPLY:
  case FLY_OP_NEGATE:
    return true;
  case FLY_OP_DIVIDE:
    return i->b < e->nconstants;
  case FLY_OP_POWER_CONSTANT:
    return e->constant[i->b] == 2 || e->constant[i->b] == 3 || e->constant[i->b] == 4;
  default:
    return false;
  }
}

// Values that depend on the motion through an operation that is not even, or on an input that is sudden itself.
static void find_rough(const fly_expr *e, const bool *sudden, bool *rough) {
  const int first = e->nconstants + e->ninputs;
  for (int k = 0; k < first; k++)
    rough[k] = sudden && k >= e->nconstants && sudden[k - e->nconstants];
  for (int k = 0; k < e->ninstructions; k++) {
    const fly_instruction *i = &e->instruction[k];
    const bool within = rough[i->a] || rough[i->b] || (i->op == FLY_OP_SELECT && rough[i->c]);
    rough[first + k] = !e->timed[first + k] && (within || !is_even(e, i));
  }
}

static int gather(const fly_expr *e, int place, const bool *rough, int *out, int count) {
  const int first = e->nconstants + e->ninputs;
  if (!rough[place])
    return count;
  const fly_instruction *i = place < first ? NULL : &e->instruction[place - first];
  const bool adds = i && (i->op == FLY_OP_ADD || i->op == FLY_OP_SUBTRACT);
  if (adds || (i && i->op == FLY_OP_NEGATE)) {
    count = gather(e, i->a, rough, out, count);
    return adds ? gather(e, i->b, rough, out, count) : count;
  }
  if (out && count < FLY_EXPR_TERMS)
    out[count] = place;
  return count + 1;
}

int fly_expr_lurking(const fly_expr *e, int *place) { return fly_expr_lurking_beside(e, NULL, place); }

int fly_expr_lurking_beside(const fly_expr *e, const bool *sudden, int *place) {
  bool rough[FLY_EXPR_VALUES];
  find_rough(e, sudden, rough);
  const int count = gather(e, e->result, rough, place, 0);
  if (count <= FLY_EXPR_TERMS)
    return count;
  if (place) // too many to be looked at one by one
    *place = e->result;
  return 1;
}

static bool keeps_slope(const fly_expr *e, const fly_instruction *i, const bool *of) {
  switch (i->op) {
  case FLY_OP_ADD:
  case FLY_OP_SUBTRACT:
  case FLY_OP_NEGATE:
    return true;
  case FLY_OP_MULTIPLY:
    return i->a < e->nconstants || i->b < e->nconstants;
  case FLY_OP_DIVIDE:
    return !of[i->b] && i->b < e->nconstants;
  default:
    return false;
  }
}

bool fly_expr_bends_in(const fly_expr *e, int input) {
  bool of[FLY_EXPR_VALUES];
  const int first = e->nconstants + e->ninputs;
  for (int k = 0; k < first; k++)
    of[k] = k >= e->nconstants && e->input[k - e->nconstants] == input;
  for (int k = 0; k < e->ninstructions; k++) {
    const fly_instruction *i = &e->instruction[k];
    of[first + k] = of[i->a] || of[i->b] || (i->op == FLY_OP_SELECT && of[i->c]);
    if (of[first + k] && !keeps_slope(e, i, of))
      return true;
  }
  return false;
}

double fly_expr_term(const fly_expr *e, int place, const double *inputs) {
  double v[FLY_EXPR_VALUES];
  fly_expr_run(e, inputs, v);
  return v[place];
}

// ---------------------------------------------------------------------------------- between five points

static I hull_of(const double *x, int n, double factor, double more) {
  I out = fly_exactly(x[0] * factor);
  for (int k = 1; k < n; k++)
    out = fly_hull(out, fly_exactly(x[k] * factor));
  return (I){out.lo - more, out.hi + more};
}

// An input as the polynomial through its five values, in Bernstein's form: its coefficients, and those of its
// derivatives, hold all it does. What five points cannot know of a smooth curve is a part of their fourth difference.
// False: they are too few.
static bool input_jet(const double f[FLY_EXPR_SAMPLES], double length, fly_jet *out) {
  const double b[5] = {f[0], (-39 * f[0] + 144 * f[1] - 108 * f[2] + 48 * f[3] - 9 * f[4]) / 36,
                       (26 * f[0] - 128 * f[1] + 240 * f[2] - 128 * f[3] + 26 * f[4]) / 36,
                       (-9 * f[0] + 48 * f[1] - 108 * f[2] + 144 * f[3] - 39 * f[4]) / 36, f[4]};
  double b1[4], b2[3];
  for (int k = 0; k < 4; k++)
    b1[k] = 4 * (b[k + 1] - b[k]);
  for (int k = 0; k < 3; k++)
    b2[k] = 3 * (b1[k + 1] - b1[k]);
  const double bent = fabs(f[0] - 4 * f[1] + 6 * f[2] - 4 * f[3] + f[4]);
  const I range = hull_of(f, 5, 1, 0);
  const double rounded = ROUNDED * fly_magnitude(range);
  const double unknown = 0.05 * bent + rounded;
  out->value = hull_of(b, 5, 1, unknown);
  out->slope = hull_of(b1, 4, 1 / length, 10 * unknown / length);
  out->bend = hull_of(b2, 3, 1 / (length * length), 100 * unknown / (length * length));
  return bent <= BENT * fly_width(range) + 32 * rounded;
}

// A straight line, whose values are rounded and whose slope is not.
static fly_jet time_jet(const double *const input[FLY_EXPR_SAMPLES]) {
  return (fly_jet){fly_between(input[0][FLY_EXPR_TIME], input[FLY_EXPR_SAMPLES - 1][FLY_EXPR_TIME]), fly_exactly(1),
                   fly_exactly(0)};
}

// Five points that are too few, as of what is nothing but rounding errors, tell how large it is all the same.
static fly_jet rough_jet(const double f[FLY_EXPR_SAMPLES]) {
  const double bent = fabs(f[0] - 4 * f[1] + 6 * f[2] - 4 * f[3] + f[4]);
  return (fly_jet){hull_of(f, FLY_EXPR_SAMPLES, 1, LOOSE * bent), fly_entire, fly_entire};
}

// rough: inputs of which five points are too few may be anything that they allow, instead of nothing known.
static bool input_jets(const fly_expr *e, const double *const input[FLY_EXPR_SAMPLES], double length, bool rough,
                       fly_jet *out) {
  bool enough = true;
  for (int k = 0; k < e->ninputs; k++) {
    double f[FLY_EXPR_SAMPLES];
    for (int j = 0; j < FLY_EXPR_SAMPLES; j++)
      f[j] = input[j][e->input[k]];
    if (e->input[k] == FLY_EXPR_TIME)
      out[k] = time_jet(input);
    else if (!input_jet(f, length, &out[k])) {
      enough = false;
      out[k] = rough ? rough_jet(f) : out[k];
    }
  }
  return enough || rough;
}

// From its chord it is off by no more than its second derivative, its slopes or its range allow.
static double off_chord(const fly_jet *r, double h) {
  return fmin(fmin(fly_magnitude(r->bend) * h * h / 8, fly_width(r->slope) * h / 4), fly_width(r->value));
}

bool fly_expr_along(const fly_expr *e, int place, const double *const input[FLY_EXPR_SAMPLES], double length,
                    double allowed, double value[FLY_EXPR_SAMPLES]) {
  fly_jet over[FLY_EXPR_VALUES];
  for (int j = 0; j < FLY_EXPR_SAMPLES; j++)
    value[j] = fly_expr_term(e, place, input[j]);
  if (!input_jets(e, input, length, false, over + e->nconstants))
    return false;
  fly_expr_enclose_from(e, place, over);
  return off_chord(&over[place], length) <= allowed;
}

// ---------------------------------------------------------------------------------- conditions

// Between two of the five points it is off their chord by what its derivatives allow.
static I range_of(const double value[FLY_EXPR_SAMPLES], const fly_jet *r, double length) {
  const double off = off_chord(r, length / (FLY_EXPR_SAMPLES - 1));
  return fly_meet(r->value, hull_of(value, FLY_EXPR_SAMPLES, 1, off));
}

static void margin_in(fly_jet *over, const fly_expr *e, const double *const input[FLY_EXPR_SAMPLES], double length,
                      fly_margin_along *out) {
  input_jets(e, input, length, true, over + e->nconstants);
  fly_expr_enclose_from(e, e->result, over);
  const fly_jet margin = fly_expr_enclose_margin(e, over, e->result);
  const I range = range_of(out->value, &margin, length);
  out->lo = range.lo;
  out->hi = range.hi;
  out->steady = margin.slope.lo >= 0 || margin.slope.hi <= 0;
}

// Room for all that an expression can be is some 200 kB: taking it costs more than a short one.
static void margin_in_full(const fly_expr *e, const double *const input[FLY_EXPR_SAMPLES], double length,
                           fly_margin_along *out) {
  fly_jet over[FLY_EXPR_VALUES];
  margin_in(over, e, input, length, out);
}

void fly_expr_margin_along(const fly_expr *e, const double *const input[FLY_EXPR_SAMPLES], double length,
                           fly_margin_along *out) {
  fly_jet over[SHORT];
  for (int j = 0; j < FLY_EXPR_SAMPLES; j++)
    out->value[j] = fly_expr_margin(e, input[j]);
  if (fly_expr_size(e) > SHORT)
    margin_in_full(e, input, length, out);
  else
    margin_in(over, e, input, length, out);
}

double fly_expr_margin_rounding(const fly_expr *e, const double *inputs) {
  fly_jet over[FLY_EXPR_VALUES];
  for (int k = 0; k < e->ninputs; k++) {
    const double x = inputs[e->input[k]], off = e->input[k] == FLY_EXPR_TIME ? 0 : ROUNDED * fabs(x);
    over[e->nconstants + k] = (fly_jet){{x - off, x + off}, fly_exactly(0), fly_exactly(0)};
  }
  fly_expr_enclose_from(e, e->result, over);
  return fly_width(fly_expr_enclose_margin(e, over, e->result).value);
}
