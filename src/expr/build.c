#include "expr/build.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "expr/compiled.h"
#include "expr/lexer.h"

void fly_build_free(fly_builder *b) {
  free(b->node);
  free(b->input);
}

// ---------------------------------------------------------------------------------- failing

// The call that stands in the text that was asked for; NULL: that text is being read.
static const fly_inside *outermost(const fly_builder *b) {
  const fly_inside *call = b->inside;
  while (call != NULL && call->outer != NULL && call->outer->text != NULL)
    call = call->outer;
  return call != NULL && call->text != NULL ? call : NULL;
}

int fly_build_place(const fly_builder *b, int offset) {
  const fly_inside *call = outermost(b);
  return call != NULL ? call->at : offset;
}

void fly_build_fail(fly_builder *b, int offset, const char *format, ...) {
  if (b->status != FLY_OK)
    return;
  char message[sizeof b->error->message - 160];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  const fly_inside *call = outermost(b);
  const int column = fly_token_column(b->text, offset);
  if (call == NULL)
    b->status = fly_fail(b->error, FLY_BAD_INPUT, NAN, "column %d: %s", column, message);
  else
    b->status = fly_fail(b->error, FLY_BAD_INPUT, NAN, "column %d: in '%.60s', column %d: %s",
                         fly_token_column(call->text, call->at), b->inside->formula->name, column, message);
}

void fly_build_no_memory(fly_builder *b) {
  if (b->status == FLY_OK)
    b->status =
        fly_fail(b->error, FLY_NO_MEMORY, NAN, "no memory to compile an expression of %zu characters", strlen(b->text));
}

const char *fly_build_quote(char quote[FLY_QUOTE_SIZE], const char *text, int length) {
  enum { LONGEST = FLY_QUOTE_SIZE - 8 };
  int n = length <= LONGEST ? length : LONGEST;
  while (n < length && n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80) // not in the middle of a UTF-8 character
    n--;
  for (int i = 0; i < n; i++)
    quote[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7F ? '?' : text[i];
  strcpy(quote + n, n < length ? "..." : "");
  return quote;
}

bool fly_build_reserve(fly_builder *b, void *array, int *capacity, int count, size_t size) {
  const bool room = fly_reserve(array, capacity, count, size);
  if (!room)
    fly_build_no_memory(b);
  return room;
}

// Whether one more place is left for a node or an input. The final count, with the constants, is checked at the end.
static bool fits(fly_builder *b, int count) {
  if (count >= FLY_EXPR_VALUES)
    fly_build_fail(b, b->at, "the expression is too long: more than %d operations. Split it", FLY_EXPR_VALUES);
  return b->status == FLY_OK;
}

// ---------------------------------------------------------------------------------- operands

fly_operand fly_build_constant(double value) { return (fly_operand){.kind = FLY_OPERAND_CONSTANT, .value = value}; }

static bool is_constant(fly_operand x) { return x.kind == FLY_OPERAND_CONSTANT; }

bool fly_build_is(fly_operand x, double value) { return is_constant(x) && x.value == value; }

static bool append_input(fly_builder *b, int number) {
  const int k = b->ninputs;
  if (!fits(b, k) || !fly_build_reserve(b, &b->input, &b->input_capacity, k + 1, sizeof *b->input))
    return false;
  b->input[b->ninputs++] = (fly_input){.number = number, .offset = fly_build_place(b, b->at)};
  return true;
}

fly_operand fly_build_input(fly_builder *b, int number) {
  int k = 0;
  while (k < b->ninputs && b->input[k].number != number)
    k++;
  if (k == b->ninputs && !append_input(b, number))
    return fly_build_constant(0);
  return (fly_operand){.kind = FLY_OPERAND_INPUT, .index = k};
}

static fly_operand append(fly_builder *b, fly_node node) {
  const int k = b->nnodes;
  if (!fits(b, k) || !fly_build_reserve(b, &b->node, &b->node_capacity, k + 1, sizeof node))
    return fly_build_constant(0);
  node.offset = fly_build_place(b, b->at);
  b->node[b->nnodes++] = node;
  return (fly_operand){.kind = FLY_OPERAND_RESULT, .index = k};
}

// The operation, done now if all its operands are constant.
static fly_operand emit(fly_builder *b, fly_node node) {
  if (is_constant(node.a) && is_constant(node.b) && is_constant(node.c)) {
    const double v[3] = {node.a.value, node.b.value, node.c.value};
    const bool has_table = node.op >= FLY_OP_FIRST_TABLE;
    const fly_instruction i = {.op = node.op, .a = 0, .b = 1, .c = has_table ? 0 : 2};
    const double value = fly_op_value(&i, v, has_table ? &node.table : NULL);
    if (isfinite(value))
      return fly_build_constant(value);
    node.not_finite = true;
  }
  return append(b, node);
}

fly_operand fly_build_unary(fly_builder *b, fly_op op, fly_operand x) {
  return emit(b, (fly_node){.op = op, .a = x, .b = x, .c = x});
}

fly_operand fly_build_spline(fly_builder *b, fly_op op, fly_operand x, const fly_spline *table) {
  return emit(b, (fly_node){.op = op, .a = x, .b = x, .c = x, .table = *table});
}

// Powers that are something simpler, and powers whose exponent has no derivative.
static fly_operand power(fly_builder *b, fly_operand x, fly_operand y) {
  if (is_constant(x) || !is_constant(y))
    return emit(b, (fly_node){.op = FLY_OP_POWER, .a = x, .b = y, .c = x});
  if (y.value == 0)
    return fly_build_constant(1);
  if (y.value == 1)
    return x;
  if (y.value == 2)
    return fly_build_binary(b, FLY_OP_MULTIPLY, x, x);
  if (y.value == 3)
    return fly_build_binary(b, FLY_OP_MULTIPLY, fly_build_binary(b, FLY_OP_MULTIPLY, x, x), x);
  if (y.value == 0.5)
    return fly_build_unary(b, FLY_OP_SQRT, x);
  if (y.value == -1)
    return fly_build_binary(b, FLY_OP_DIVIDE, fly_build_constant(1), x);
  return emit(b, (fly_node){.op = FLY_OP_POWER_CONSTANT, .a = x, .b = y, .c = x});
}

// What logic knows from one side alone; the other may then be anything.
static bool decided(fly_op op, fly_operand x, fly_operand y, fly_operand *known) {
  const bool either = op == FLY_OP_OR;
  for (int k = 0; k < 2; k++) {
    const fly_operand side = k == 0 ? x : y;
    if (is_constant(side) && (side.value != 0) == either) {
      *known = fly_build_constant(either);
      return true;
    }
  }
  return false;
}

fly_operand fly_build_binary(fly_builder *b, fly_op op, fly_operand x, fly_operand y) {
  fly_operand known;
  if (op == FLY_OP_POWER)
    return power(b, x, y);
  if ((op == FLY_OP_AND || op == FLY_OP_OR) && decided(op, x, y, &known))
    return known;
  if ((op == FLY_OP_MULTIPLY || op == FLY_OP_DIVIDE) && fly_build_is(y, 1)) // units that are 1
    return x;
  if ((op == FLY_OP_MULTIPLY && fly_build_is(x, 1)))
    return y;
  if (op == FLY_OP_SUBTRACT && fly_build_is(y, 0))
    return x;
  const bool zero_division = op == FLY_OP_DIVIDE && fly_build_is(y, 0);
  return emit(b, (fly_node){.op = op, .a = x, .b = y, .c = x, .not_finite = zero_division});
}

fly_operand fly_build_select(fly_builder *b, fly_operand condition, fly_operand x, fly_operand y) {
  if (is_constant(condition))
    return condition.value != 0 ? x : y;
  return emit(b, (fly_node){.op = FLY_OP_SELECT, .a = x, .b = y, .c = condition});
}

// ---------------------------------------------------------------------------------- what is needed

static void complain(fly_builder *b, const fly_node *node) {
  char quote[FLY_QUOTE_SIZE], x[FLY_NUMBER_SIZE], y[FLY_NUMBER_SIZE];
  const fly_token t = fly_token_at(b->text, node->offset);
  const bool of_two = node->op < FLY_OP_FIRST_UNARY && node->op != FLY_OP_NEGATE;
  fly_build_quote(quote, b->text + t.offset, t.length);
  fly_number_text(x, node->a.value);
  fly_number_text(y, node->b.value);
  if (node->op == FLY_OP_DIVIDE && fly_build_is(node->b, 0) && t.kind == FLY_TOKEN_OVER)
    fly_build_fail(b, node->offset, "division by zero: what follows this / is 0");
  else
    fly_build_fail(b, node->offset, "'%s' of %s%s%s is not a finite number", quote, x, of_two ? " and " : "",
                   of_two ? y : "");
}

static void mark(fly_builder *b, fly_operand x) {
  if (x.kind == FLY_OPERAND_RESULT)
    b->node[x.index].live = true;
  else if (x.kind == FLY_OPERAND_INPUT)
    b->input[x.index].live = true;
}

void fly_build_mark(fly_builder *b, fly_operand result) {
  mark(b, result);
  for (int k = b->nnodes - 1; k >= 0; k--) {
    if (!b->node[k].live)
      continue;
    mark(b, b->node[k].a);
    mark(b, b->node[k].b);
    mark(b, b->node[k].c);
  }
  for (int k = 0; k < b->nnodes; k++)
    if (b->node[k].live && b->node[k].not_finite)
      complain(b, &b->node[k]);
}
