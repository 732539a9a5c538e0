// A compiled expression, seen from inside the room.
//
// One array of values: first the constants, then the inputs, then the result of each instruction, in order, so that an
// instruction only reads what stands before it.
#ifndef FLY_EXPR_COMPILED_H
#define FLY_EXPR_COMPILED_H

#include "base/memory.h"
#include "expr/expr.h"
#include "expr/op.h"

// Bound on the length of that array: evaluation keeps it on the stack (96 kB for second derivatives).
enum { FLY_EXPR_VALUES = 4096 };

// breaks.c: finds sources and parts of an expression whose instructions are filled in. False: no memory.
struct fly_expr;
bool fly_expr_find_breaks(struct fly_expr *e);

// relation.c: likewise its relations.
bool fly_expr_find_relations(struct fly_expr *e);

// Where an operation is not smooth: where its argument, a value or the difference of two, meets a level.
typedef enum fly_levels {
  FLY_LEVEL_ZERO,
  FLY_LEVEL_ENDS,   // 0 and 1
  FLY_LEVEL_WHOLE,  // all multiples of unit
  FLY_LEVEL_HALF,   // halfway between two whole numbers
  FLY_LEVEL_KNOTS,  // of a table
  FLY_LEVEL_CUT,    // atan2: the first is 0 and the second not above
  FLY_LEVEL_ORIGIN, // both are 0
} fly_levels;

typedef struct fly_source {
  fly_levels levels;
  int a, b;       // places; b < 0: there is no second
  int order;      // of the lowest derivative that jumps
  double unit;    // of whole multiples
  int table;      // of knots
  double most[4]; // of knots: the largest value of each derivative anywhere in the table
  bool affine;    // a - b = slope time + offset
  double slope, offset;
} fly_source;

struct fly_expr {
  int nconstants, ninputs, ninstructions;
  double *constant;             // (nconstants)
  int *input;                   // numbers of the inputs (ninputs),
  int *input_offset;            // and where each stands in the text first (ninputs)
  fly_instruction *instruction; // (ninstructions)
  int *offset;                  // in the text, of each instruction (ninstructions)
  fly_spline *table;            // points referenced, not owned; indexed by c of the instructions
  int result;                   // place of the result among the values
  bool time_only;
  bool *timed;        // values that depend on nothing but time (nconstants + ninputs + ninstructions)
  int nsources;       // operations on such values that are not smooth
  fly_source *source; // (nsources)
  int nparts;         // the largest of its parts that depend on time alone and are more than a straight line
  int *part;          // their places (nparts)
  int nrelations;     // operations that choose a side by values that depend on more than time
  int *relation;      // which instructions (nrelations), in order
  fly_arena arena;    // owns the above
};

void fly_expr_run(const fly_expr *e, const double *inputs, double *v);  // all values, forward
void fly_expr_load(const fly_expr *e, const double *inputs, double *v); // constants and inputs
// Backwards: from all values the derivatives of the result, with respect to the inputs. side: where relations are held;
// NULL: nowhere.
void fly_expr_adjoints(const fly_expr *e, const double *v, const signed char *side, double *adjoint); // of all values
void fly_expr_back(const fly_expr *e, const double *v, const signed char *side, double *gradient);
void fly_expr_run_held(const fly_expr *e, const double *inputs, const signed char *side, double *v);
fly_partials fly_relation_slopes(const fly_instruction *i, signed char side); // of one that is held

#endif
