// An expression while it is being compiled: operations are appended, and constants folded on the way.
#ifndef FLY_EXPR_BUILD_H
#define FLY_EXPR_BUILD_H

#include <stddef.h>

#include "expr/expr.h"
#include "expr/op.h"

enum { FLY_QUOTE_SIZE = 64 };

typedef enum fly_operand_kind {
  FLY_OPERAND_CONSTANT,
  FLY_OPERAND_INPUT,  // index in the list of inputs
  FLY_OPERAND_RESULT, // index of the node that computes it
  FLY_OPERAND_WORD,   // an argument without value: a marker, the name of a table
  FLY_OPERAND_KINDS,
} fly_operand_kind;

typedef struct fly_operand {
  fly_operand_kind kind;
  int index;
  double value;     // of a constant
  const char *word; // if it is an argument that is a bare word, constant or not
  int offset;       // in the text, of an argument
} fly_operand;

// An operation on non-constant operands, or one whose constant result is not finite: that is an error only if the
// result is needed, as 1/n is not in if(n > 0, 1/n, 0).
typedef struct fly_node {
  fly_op op;
  fly_operand a, b, c; // unused ones are like a
  fly_spline table;    // of functions of one
  int offset;          // of the operator or function in the text
  bool not_finite;
  bool live; // the expression needs it
  int place; // among the values of the compiled expression
} fly_node;

typedef struct fly_input {
  int number, offset;
  bool live;
  int place;
} fly_input;

// The text of a formula that is being put into the text that calls it.
typedef struct fly_inside {
  const fly_expr_formula *formula;
  const fly_operand *argument; // (formula->count)
  const char *text;            // that calls it, NULL: nothing does, it is looked at for itself,
  int at;                      // and where
  const struct fly_inside *outer;
} fly_inside;

typedef struct fly_builder {
  const char *text;
  const fly_expr_scope *scope;
  fly_error *error;
  fly_status status;        // the first failure; what is emitted afterwards does not matter
  int at;                   // offset in the text of what is being emitted
  const fly_inside *inside; // the formula the text is of; NULL: none
  int ncalls;               // of formulas so far
  fly_node *node;           // (nnodes)
  fly_input *input;         // distinct (ninputs)
  int nnodes, node_capacity, ninputs, input_capacity;
} fly_builder;

void fly_build_free(fly_builder *b);

// Writes "column 7: " and a printf message into the error, if it is the first; offset is a place in the text.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void fly_build_fail(fly_builder *b, int offset, const char *format, ...);
void fly_build_no_memory(fly_builder *b);
int fly_build_place(const fly_builder *b, int offset); // in the text that was asked for, where formulas are called

// A piece of the text as it can stand in a message: cut if long, without control characters.
const char *fly_build_quote(char quote[FLY_QUOTE_SIZE], const char *text, int length);

// As fly_reserve; without memory the build has failed.
bool fly_build_reserve(fly_builder *b, void *array, int *capacity, int count, size_t size);

fly_operand fly_build_constant(double value);
fly_operand fly_build_input(fly_builder *b, int number);
fly_operand fly_build_unary(fly_builder *b, fly_op op, fly_operand x);
fly_operand fly_build_binary(fly_builder *b, fly_op op, fly_operand x, fly_operand y);
fly_operand fly_build_select(fly_builder *b, fly_operand condition, fly_operand x, fly_operand y);
fly_operand fly_build_spline(fly_builder *b, fly_op op, fly_operand x, const fly_spline *table);

bool fly_build_is(fly_operand x, double value); // the constant of this value?

// Marks what the result needs; fails if some of that is not finite.
void fly_build_mark(fly_builder *b, fly_operand result);
// The compiled expression of what is marked; NULL on failure. See compile.c.
fly_expr *fly_build_lay_out(fly_builder *b, fly_operand result);

#endif
