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

struct fly_expr {
  int nconstants, ninputs, ninstructions;
  double *constant;             // (nconstants)
  int *input;                   // numbers of the inputs (ninputs)
  fly_instruction *instruction; // (ninstructions)
  int *offset;                  // in the text, of each instruction (ninstructions)
  fly_spline *table;            // points referenced, not owned; indexed by c of the instructions
  int result;                   // place of the result among the values
  bool time_only;
  fly_arena arena; // owns the above
};

void fly_expr_run(const fly_expr *e, const double *inputs, double *v); // all values, forward

#endif
