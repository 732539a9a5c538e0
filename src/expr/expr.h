// User expressions over numbered inputs: compiled once, then evaluated with exact derivatives.
//
//   2*k*(dx(crank.pin, ground) - 150*mm) + if(time < 1, 0, step(time, 1, 0, 1.2, 500*N))
//
// The language. From loose to tight: or, and, not, comparisons (< <= > >= == !=, they do not chain), + -, * /, the
// sign, ^ (from right to left: -2^2 is -4, 2^-1 is 0.5). Comparisons and logic give 0 or 1; what is not 0 is true.
// Words are letters, digits, _ and dots; a dash is minus. Angles are in radian. fly_expr_function_at lists the
// functions.
//
// What this room does not know, bare word or call, it asks the resolver, who answers with the number of an input (or
// with a constant). It never learns what an input is. Input 0 is the time.
//
// Derivatives are those of the branch that was taken; what the other one does is not felt. At a kink:
//   from the right         abs at 0; spline, linear, stairs at a point of their table
//   of the first           min, max of equals
//   of the constant side   step, step5, havsin at their ends; impact, bistop at touch
//   0                      comparisons, sign, floor, ceil, round; and where the value is finite but the slope infinite
//                          or without limit: sqrt, cbrt, x^0.5 at 0, asin, acos, acosh at 1, hypot, atan2 at (0, 0).
//                          So sqrt(x^2 + y^2) has a derivative everywhere.
// A negative x in x^y has no derivative in y: NaN, unless y is constant.
#ifndef FLY_EXPR_EXPR_H
#define FLY_EXPR_EXPR_H

#include <stdbool.h>

#include "base/memory.h"
#include "flyball/status.h"
#include "math/spline.h"

enum {
  FLY_EXPR_TIME = 0,      // the input that is the time
  FLY_EXPR_UNKNOWN = -1,  // answers of a resolver beside the number of an input
  FLY_EXPR_CONSTANT = -2, //
  FLY_EXPR_TEXT = -3,     //
};

// A parameter or a unit.
typedef struct fly_expr_number {
  const char *name;
  double value;
  const char *about; // one line for the manual; may be NULL
} fly_expr_number;

// Curves through the points of a table.
typedef enum fly_expr_curve {
  FLY_CURVE_AKIMA,
  FLY_CURVE_CUBIC,
  FLY_CURVE_LINEAR,
  FLY_CURVE_HOLD,
  FLY_CURVES
} fly_expr_curve;

// Surfaces over two abscissas: the sum over rows of a curve along each times a curve across that is 1 there and 0 at
// the others.
typedef enum fly_expr_surface { FLY_SURFACE_LINEAR, FLY_SURFACE_CUBIC, FLY_SURFACES } fly_expr_surface;

typedef struct fly_expr_table {
  const char *name;
  fly_spline curve[FLY_CURVES];
  int rows;                                                     // of a surface; 0: it is a curve
  const fly_spline *along[FLY_SURFACES], *across[FLY_SURFACES]; // (rows)
  bool swapped; // rows are along the second abscissa, which has more points
} fly_expr_table;

// The curves of a table that passed fly_spline_check; slopes (3 n) are theirs and must live as long, as the points.
void fly_expr_table_make(fly_expr_table *table, const char *name, int n, const double *x, const double *y,
                         double *slopes);

// A surface with nx by ny values, a row for each y, of abscissas that ascend; memory is of the arena. False: there is
// none. At most FLY_SURFACE_ROWS along one of the two.
enum { FLY_SURFACE_ROWS = 500 };
bool fly_expr_surface_make(fly_expr_table *table, const char *name, int nx, const double *x, int ny, const double *y,
                           const double *values, fly_arena *memory);

// ---------------------------------------------------------------------------------- the resolver

// crank.pin in dx(crank.pin, 2*r) is a word, 2*r a constant; r alone is both if it is a parameter or a unit.
typedef struct fly_expr_argument {
  const char *word; // NULL if it is not a bare word
  bool constant;
  double value; // if constant
} fly_expr_argument;

// What stands in the text; gone when the resolver returns.
typedef struct fly_expr_reference {
  const char *name;
  bool call;                         // with parentheses, perhaps with nothing in them
  int count;                         // of arguments, at most 32
  const fly_expr_argument *argument; // (count)
} fly_expr_reference;

// Zeroed before the resolver is asked; argument is -1.
typedef struct fly_expr_answer {
  double value;      // of FLY_EXPR_CONSTANT
  const char *text;  // of FLY_EXPR_TEXT: an expression that stands for the word; it must not lead back to the word
  int argument;      // of FLY_EXPR_UNKNOWN: the argument at fault, -1: the name
  char message[512]; // of FLY_EXPR_UNKNOWN: why, without column; empty: unknown word, or unknown function
} fly_expr_answer;

// Returns the number of an input (>= 0), FLY_EXPR_CONSTANT, FLY_EXPR_TEXT or FLY_EXPR_UNKNOWN. It is asked about every
// occurrence.
typedef int fly_expr_resolve(fly_expr_answer *answer, const fly_expr_reference *asked, void *user);

// ---------------------------------------------------------------------------------- compiling

// Where the numbers of a list are by their names, for lists so long that looking through them costs: open addressing,
// at most half full; n > 0 is number n - 1. A name that is there twice is its first.
typedef struct fly_expr_names {
  int *slot, slots; // slots: a power of two
  int count;        // numbers of the list that are in it: the first ones
} fly_expr_names;
int fly_expr_names_slots(int count); // how many ints fly_expr_names_fill needs at `slot`, zeroed
void fly_expr_names_fill(fly_expr_names *names, int *slot, const fly_expr_number *list, int count);

typedef void fly_expr_use(int parameter, void *user); // which of the scope

// A function of the user: a text in which words stand for what is given to it. A call is the text put in its place,
// each argument there once; what else the text names is looked up in the scope of the call.
typedef struct fly_expr_formula {
  const char *name;
  int count;                   // of arguments
  const char *const *argument; // their names (count); they hide all others
  const char *text;
} fly_expr_formula;

// Names are looked up in this order; functions and calls, having parentheses, never collide with words: min is both.
typedef struct fly_expr_scope {
  int nparameters, nunits, ntables;
  const fly_expr_number *parameter; // (nparameters) they hide units
  const fly_expr_names *names;      // of the parameters, or of the first of them; may be NULL
  const fly_expr_number *unit;      // (nunits)
  const fly_expr_table *table;      // (ntables) their points are not copied and must outlive the expression
  int nformulas;
  const fly_expr_formula *formula; // (nformulas) they may call each other, but not lead back to themselves
  fly_expr_resolve *resolve;       // may be NULL
  void *user;
  // What the resolver knows, ended by NULL, to find the word that was meant; may be NULL. A word that is a parameter
  // too is refused: it could mean both. If calls is given, it is the complete list: a call that is not on it is refused
  // without asking.
  const char *const *words;
  const char *const *calls;
  const char *const *more_words; // as words, but a parameter of such a name hides it
  fly_expr_use *use;             // told of every parameter that a text uses; may be NULL
  void *use_user;
} fly_expr_scope;

typedef struct fly_expr fly_expr; // immutable: any number of threads may evaluate it

// The units of fly_expr_units, and nothing else.
fly_expr_scope fly_expr_scope_default(void);

// FLY_BAD_INPUT with "column 7: ..." (counted in characters from 1), or FLY_NO_MEMORY; *out is then NULL. Texts of up
// to 100000 bytes, parentheses up to 200 deep, up to 4096 operations, constants and inputs. Scope and text are copied,
// but for the points of tables. *out is the caller's, to be freed.
fly_status fly_expr_compile(fly_expr **out, const char *text, const fly_expr_scope *scope, fly_error *error);
void fly_expr_free(fly_expr *e); // may be NULL

// The value of a text that must be constant. What is not is an error that names it.
fly_status fly_expr_evaluate(double *value, const char *text, const fly_expr_scope *scope, fly_error *error);

// Whether a text that calls a formula of the scope could be compiled: the column is that in the text of the formula.
fly_status fly_expr_check_formula(const fly_expr_formula *f, const fly_expr_scope *scope, fly_error *error);

// The same expression with others in the place of inputs, each there once however often it is used, and constants
// folded again. by: what stands for an input, NULL: the input stays; it must not lead back to itself. text: of e, for
// messages; what was put in stands where its input stands. *out is the caller's.
typedef const fly_expr *fly_expr_by(int input, void *user);
fly_status fly_expr_substitute(fly_expr **out, const fly_expr *e, const char *text, fly_expr_by *by, void *user,
                               fly_error *error);
int fly_expr_size(const fly_expr *e); // operations, constants and inputs

// The parameter with a name; NULL: none.
const fly_expr_number *fly_expr_find_number(const fly_expr_scope *scope, const char *name);

// ---------------------------------------------------------------------------------- what it is

const int *fly_expr_inputs(const fly_expr *e, int *count);   // those it depends on, each once, in order of the text
bool fly_expr_is_constant(const fly_expr *e, double *value); // no inputs; value may be NULL
bool fly_expr_is_time_only(const fly_expr *e);               // no input but the time; true for a constant

// Does it add, compare or choose between quantities of different units? Those of inputs are told; NULL: not known, as
// of constants and of whatever is multiplied. If so, one and other are two that do not fit.
typedef const char *fly_expr_unit(int input, void *user);
bool fly_expr_mixes(const fly_expr *e, fly_expr_unit *unit_of, void *user, const char **one, const char **other);

// A parameter that hides a unit, in a product of the text: as a unit, behind a number or another unit (m in 6*m, h in
// 50*km/h), or otherwise (m in m*l^2). Which parameter of the scope; -1: none. *offset: where, from *offset on.
int fly_expr_hidden_unit(const char *text, const fly_expr_scope *scope, bool *as_unit, int *offset);
const fly_expr_number *fly_expr_unit_named(const char *name); // NULL: no unit

// ---------------------------------------------------------------------------------- evaluating: nothing is allocated

// inputs is indexed by the number of the input. NaN and infinity are passed on as C does.
double fly_expr_value(const fly_expr *e, const double *inputs);

// gradient[k] is the derivative with respect to the k-th of fly_expr_inputs.
void fly_expr_gradient(const fly_expr *e, const double *inputs, double *value, double *gradient);

// Value, first and second derivative in time; only if fly_expr_is_time_only.
void fly_expr_time(const fly_expr *e, double time, double value[3]);

// Does it jump between two places? True if one of its switches (sign, comparisons, if, floor, ceil, round, mod) stands
// differently there; *offset: where in the text the first of them is.
bool fly_expr_switch(const fly_expr *e, const double *one, const double *other, int *offset);
int fly_expr_token(const char *text, int offset); // length of the word or the operator there

// How far a condition is from its switch: continuous where its parts are, above 0 where it holds, below where not. Of a
// < b: b - a; of `and` the smaller, of `or` the larger; of anything else its value.
double fly_expr_margin(const fly_expr *e, const double *inputs);

// Relations: operations that choose one of two sides by values that depend on more than time, each smooth by itself:
// comparisons, min, max, abs, sign. An expression can be evaluated with its relations held where they stand, on side +1
// (the comparison holds; the first of min and max; the argument of abs and sign is positive) or -1; 0: as it comes.
int fly_expr_relations(const fly_expr *e);
// With side NULL they are fly_expr_value and fly_expr_gradient. Where a side that is held gives no finite number, all
// come as they come.
double fly_expr_value_held(const fly_expr *e, const double *inputs, const signed char *side);
void fly_expr_gradient_held(const fly_expr *e, const double *inputs, const signed char *side, double *value,
                            double *gradient);
// How far each relation is inside its side +1, below 0: inside -1; 0: on neither; NAN: the value does not feel it.
void fly_expr_relation_margins(const fly_expr *e, const double *inputs, const signed char *side, double *margin);

// Lengths: sizes of vectors, which have a corner at zero: hypot and sqrt of values that depend on more than time, and
// inputs for which `size` holds, by their numbers. Values of all of them, and the slope of the result in one.
int fly_expr_lengths(const fly_expr *e, const bool *size);
void fly_expr_length_values(const fly_expr *e, const bool *size, const double *inputs, double *length);
double fly_expr_length_slope(const fly_expr *e, const bool *size, int which, const double *inputs);

// ---------------------------------------------------------------------------------- how it depends on time

enum { FLY_EXPR_UNSEEN = 4 }; // order of a break that only says how far a search came

// Where an expression is not smooth in time: it is up to `before` and again from `after` on, a few roundings later.
typedef struct fly_expr_break {
  double before, after;
  int order;  // of the lowest derivative that can jump; 3: that or higher
  bool table; // at a point of a table
} fly_expr_break;

double fly_expr_break_half(double t); // half the width of a break at t that nothing blurs but the time itself

// Operations of its parts that depend on time alone and are not smooth everywhere; each has breaks of its own.
int fly_expr_sources(const fly_expr *e);
// The first break of one of them with after > t and before <= until. Nothing that time alone makes break is passed
// over: arguments that are straight lines in time are solved for, others searched by interval arithmetic; where that
// would take long, a break of order FLY_EXPR_UNSEEN says how far the search came. least: of tables, derivatives that
// jump by a smaller share of the largest in the table are no breaks, and third ones of smooth curves by less than a
// twentieth.
bool fly_expr_next_break(const fly_expr *e, int source, double t, double until, double least, fly_expr_break *out);
// Of an expression of time only: the order a break really has, by its values on both sides.
int fly_expr_break_order(const fly_expr *e, const fly_expr_break *at);

// Whether the largest of its parts that depend on time alone hold no surprise from a to b, a <= b, between which
// nothing breaks: each stays as near to a straight line as the values at a, b and between them tell (C-cells), but for
// `floor` times its size.
bool fly_expr_is_plain(const fly_expr *e, double a, double b, const double *floor);
bool fly_expr_is_straight(const fly_expr *e, double a, double b, const double *floor); // likewise, without the values
int fly_expr_parts(const fly_expr *e); // how many there are: one floor each
// The largest value one of them can have from a to b; INFINITY: not known.
double fly_expr_part_size(const fly_expr *e, int part, double a, double b);

// ---------------------------------------------------------------------------------- how it depends on the motion

// Terms of the sum it is that can be nothing, or the same, but in a short stretch of the motion: contact, a bump, a
// bell. Such a stretch may lie between two steps. How many there are, at most FLY_EXPR_TERMS; where (may be NULL).
enum { FLY_EXPR_TERMS = 32, FLY_EXPR_SAMPLES = 5 };
int fly_expr_lurking(const fly_expr *e, int *place);
// Likewise, where some of its inputs (sudden, in the order of fly_expr_inputs) can do so themselves.
int fly_expr_lurking_beside(const fly_expr *e, const bool *sudden, int *place);

bool fly_expr_bends_in(const fly_expr *e, int input); // may its slope in that input change?

double fly_expr_term(const fly_expr *e, int place, const double *inputs); // the value of one of them

// One of them along a motion, of which the inputs are known at five times, evenly spaced over `length` [s]: its values
// there, and whether these tell what it does between them, but for `allowed` (C-leaps).
bool fly_expr_along(const fly_expr *e, int place, const double *const input[FLY_EXPR_SAMPLES], double length,
                    double allowed, double value[FLY_EXPR_SAMPLES]);

// Likewise of a condition: how far it is from its switch (C-conditions).
typedef struct fly_margin_along {
  double value[FLY_EXPR_SAMPLES]; // at the five times,
  double lo, hi;                  // and all it can be between them
  bool steady;                    // it only grows, or only falls
} fly_margin_along;
void fly_expr_margin_along(const fly_expr *e, const double *const input[FLY_EXPR_SAMPLES], double length,
                           fly_margin_along *out);
double fly_expr_margin_rounding(const fly_expr *e,
                                const double *inputs); // what rounding errors of the inputs make of it

// ---------------------------------------------------------------------------------- lists for the manual

typedef struct fly_expr_function {
  const char *name;
  const char *arguments; // "x, x0, h0, x1, h1"; "..." at the end: any number more; "table" is the name of a table
  const char *about;     // one line
  const char *units;     // of arguments and result; "" if there is nothing to say
} fly_expr_function;

const fly_expr_function *fly_expr_function_at(int i);                        // NULL behind the last
int fly_expr_function_arguments(const fly_expr_function *f, bool *any_more); // the least number it takes
const fly_expr_number *fly_expr_units(int *count);
bool fly_expr_is_function(const char *name); // one of them?
bool fly_expr_is_word(const char *text);     // can it be used in an expression? Not so my-pin, 2nd, and, time

#endif
