// What names mean.
#ifndef FLY_EXPR_SCOPE_H
#define FLY_EXPR_SCOPE_H

#include "expr/build.h"

const fly_expr_number *fly_scope_number(const fly_expr_scope *scope, const char *name);   // NULL: no parameter, no unit
int fly_scope_table(const fly_expr_scope *scope, const char *name);                       // -1: no table
const fly_expr_formula *fly_scope_formula(const fly_expr_scope *scope, const char *name); // NULL: none
bool fly_scope_resolves_call(const fly_expr_scope *scope, const char *name);              // is it worth asking?

// The meaning of a bare word.
fly_operand fly_scope_word(fly_builder *b, const char *name, int offset);

// What the resolver says to a reference. The offsets are those of its name and arguments (asked->count), for messages.
fly_operand fly_scope_ask(fly_builder *b, const fly_expr_reference *asked, int name, const int *argument);

#endif
