#ifndef FLY_EXPR_PARSE_H
#define FLY_EXPR_PARSE_H

#include "expr/build.h"

// Builds the operations of b->text; the result of the whole, or a failure in b->status.
fly_operand fly_parse(fly_builder *b);

#endif
