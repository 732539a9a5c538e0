// What an expression of time can be over an interval of time: enclosures of values and derivatives, by interval
// arithmetic over its operations (docs/theory/control.md, C-cells).
#ifndef FLY_EXPR_ENCLOSE_H
#define FLY_EXPR_ENCLOSE_H

#include "expr/compiled.h"
#include "math/interval.h"

// Holds value, first and second derivative in time wherever they exist in an interval; with a kink inside it the
// second, with a jump both derivatives are entire.
typedef struct fly_jet {
  fly_interval value, slope, bend;
} fly_jet;

// Of all values of e that depend on time only, up to and including place last, over times a to b; out (last + 1). Those
// that depend on other inputs are entire.
void fly_expr_enclose(const fly_expr *e, double a, double b, int last, fly_jet *out);
// Of all values, from those of the inputs, which the caller has put where they belong, behind the constants.
void fly_expr_enclose_from(const fly_expr *e, int last, fly_jet *out);
// The same where nothing breaks from a to b: every switch stands as in the middle.
void fly_expr_enclose_between(const fly_expr *e, double a, double b, int last, fly_jet *out);
// Room for the values of one enclosure, some 400 kB: searches keep it, as taking it costs more than a short expression.
typedef struct fly_jets {
  fly_jet over[FLY_EXPR_VALUES], middle[FLY_EXPR_VALUES];
} fly_jets;
void fly_expr_enclose_in(fly_jets *work, const fly_expr *e, double a, double b, int last); // the values are in `over`
// Of value `one` less value `other`; other < 0: of the first alone.
fly_jet fly_expr_enclose_difference(fly_jets *work, const fly_expr *e, double a, double b, int one, int other);
// Of how far a condition is from its switch, from the enclosures of all values.
fly_jet fly_expr_enclose_margin(const fly_expr *e, const fly_jet *v, int place);

#endif
