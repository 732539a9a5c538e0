// The functions of the language: what the manual shows, and how each is built from operations.
#ifndef FLY_EXPR_FUNCTION_H
#define FLY_EXPR_FUNCTION_H

#include "expr/build.h"

typedef struct fly_function fly_function;

// Builds a call whose number of arguments fits; b->at is where it stands.
typedef fly_operand fly_function_emit(fly_builder *b, const fly_function *f, const fly_operand *argument, int count);

struct fly_function {
  fly_expr_function shown;
  fly_function_emit *emit;
  fly_op op; // for those that are one operation, or differ by one
};

const fly_function *fly_function_find(const char *name); // NULL if there is none

// Is argument k of f the name of a table?
bool fly_function_wants_table(const fly_function *f, int k);

#endif
