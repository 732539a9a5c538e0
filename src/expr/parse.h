#ifndef FLY_EXPR_PARSE_H
#define FLY_EXPR_PARSE_H

#include "expr/build.h"

// Builds the operations of b->text; the result of the whole, or a failure in b->status.
fly_operand fly_parse(fly_builder *b);

// The text of a formula in the place of a call at an offset of the text, which has so many arguments.
fly_operand fly_parse_inside(fly_builder *b, const fly_expr_formula *f, const fly_operand *argument, int count, int at);

#endif
