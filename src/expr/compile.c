#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "expr/build.h"
#include "expr/compiled.h"
#include "expr/lexer.h"
#include "expr/parse.h"

// Where the constants of an expression go while it is laid out.
enum { SLOTS = 2 * FLY_EXPR_VALUES };

typedef struct constants {
  double value[FLY_EXPR_VALUES];
  int count;
  short slot[SLOTS]; // by the bits of a value: 1 + its place; 0: none. An expression may be long, and used often
} constants;

static uint64_t bits_of(double value) { // 0 and -0 differ
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static unsigned slot_of(double value) { return (unsigned)((bits_of(value) * 0x9E3779B97F4A7C15u) >> 40) % SLOTS; }

// The place of a constant among the constants, added if it is new. -1 if there is no more room.
static int place_constant(constants *c, double value) {
  unsigned i = slot_of(value);
  for (; c->slot[i] > 0; i = (i + 1) % SLOTS)
    if (bits_of(c->value[c->slot[i] - 1]) == bits_of(value))
      return c->slot[i] - 1;
  if (c->count == FLY_EXPR_VALUES)
    return -1;
  c->value[c->count++] = value;
  c->slot[i] = (short)c->count;
  return c->count - 1;
}

static bool collect(constants *c, fly_operand *x) {
  if (x->kind == FLY_OPERAND_CONSTANT)
    x->index = place_constant(c, x->value);
  return x->index >= 0;
}

// Gives places to the constants that are needed; false if there are too many.
static bool collect_constants(constants *c, const fly_builder *b, fly_operand *result) {
  bool room = collect(c, result);
  for (int k = 0; k < b->nnodes && room; k++) {
    fly_node *node = &b->node[k];
    room = !node->live || (collect(c, &node->a) && collect(c, &node->b) && collect(c, &node->c));
  }
  return room;
}

// Constants first, then inputs, then results. Returns the number of all.
static int place_all(fly_builder *b, const constants *c) {
  int place = c->count;
  for (int k = 0; k < b->ninputs; k++)
    if (b->input[k].live)
      b->input[k].place = place++;
  for (int k = 0; k < b->nnodes; k++)
    if (b->node[k].live)
      b->node[k].place = place++;
  return place;
}

static int place_of(const fly_builder *b, fly_operand x) {
  return x.kind == FLY_OPERAND_CONSTANT ? x.index
         : x.kind == FLY_OPERAND_INPUT  ? b->input[x.index].place
                                        : b->node[x.index].place;
}

static void count(fly_expr *e, int *ntables, const fly_builder *b, const constants *c) {
  e->nconstants = c->count;
  for (int k = 0; k < b->ninputs; k++)
    e->ninputs += b->input[k].live;
  for (int k = 0; k < b->nnodes; k++) {
    e->ninstructions += b->node[k].live;
    *ntables += b->node[k].live && b->node[k].op >= FLY_OP_FIRST_TABLE;
  }
}

// An expression in its own arena, with arrays of the right length; NULL if there is no memory.
static fly_expr *allocate(const fly_builder *b, const constants *c) {
  int ntables = 0;
  fly_expr size = {0};
  count(&size, &ntables, b, c);
  fly_expr *e = fly_arena_take(&size.arena, 1, sizeof *e);
  size.constant = fly_arena_doubles(&size.arena, (size_t)size.nconstants);
  size.input = fly_arena_ints(&size.arena, (size_t)size.ninputs);
  size.input_offset = fly_arena_ints(&size.arena, (size_t)size.ninputs);
  size.instruction = fly_arena_take(&size.arena, (size_t)size.ninstructions, sizeof *e->instruction);
  size.offset = fly_arena_ints(&size.arena, (size_t)size.ninstructions);
  size.table = fly_arena_take(&size.arena, (size_t)ntables, sizeof *e->table);
  if (size.arena.failed) {
    fly_arena_free(&size.arena);
    return NULL;
  }
  *e = size;
  return e;
}

static void fill_instructions(fly_expr *e, const fly_builder *b) {
  int n = 0, ntables = 0;
  for (int k = 0; k < b->nnodes; k++) {
    const fly_node *node = &b->node[k];
    if (!node->live)
      continue;
    e->offset[n] = node->offset;
    fly_instruction *i = &e->instruction[n++];
    *i = (fly_instruction){node->op, place_of(b, node->a), place_of(b, node->b), place_of(b, node->c)};
    if (node->op >= FLY_OP_FIRST_TABLE) {
      e->table[ntables] = node->table;
      i->c = ntables++;
    }
  }
}

static void fill(fly_expr *e, const fly_builder *b, const constants *c, fly_operand result) {
  memcpy(e->constant, c->value, (size_t)c->count * sizeof *c->value);
  int n = 0;
  e->time_only = true;
  for (int k = 0; k < b->ninputs; k++) {
    if (!b->input[k].live)
      continue;
    e->input_offset[n] = b->input[k].offset;
    e->input[n++] = b->input[k].number;
    e->time_only = e->time_only && b->input[k].number == FLY_EXPR_TIME;
  }
  fill_instructions(e, b);
  e->result = place_of(b, result);
}

fly_expr *fly_build_lay_out(fly_builder *b, fly_operand result) {
  constants c = {.count = 0};
  if (!collect_constants(&c, b, &result) || place_all(b, &c) > FLY_EXPR_VALUES) {
    fly_build_fail(b, 0, "the expression is too long: more than %d operations, constants and inputs. Split it",
                   FLY_EXPR_VALUES);
    return NULL;
  }
  fly_expr *e = allocate(b, &c);
  if (e == NULL)
    fly_build_no_memory(b);
  else
    fill(e, b, &c, result);
  if (e != NULL && !(fly_expr_find_breaks(e) && fly_expr_find_relations(e))) {
    fly_expr_free(e);
    e = NULL;
    fly_build_no_memory(b);
  }
  return e;
}

// Parsed, with what the result needs marked.
static fly_operand build(fly_builder *b) {
  const fly_operand result = fly_parse(b);
  if (b->status == FLY_OK)
    fly_build_mark(b, result);
  return result;
}

fly_status fly_expr_compile(fly_expr **out, const char *text, const fly_expr_scope *scope, fly_error *error) {
  assert(text != NULL && scope != NULL);
  fly_builder b = {.text = text, .scope = scope, .error = error};
  *out = NULL;
  const fly_operand result = build(&b);
  if (b.status == FLY_OK)
    *out = fly_build_lay_out(&b, result);
  fly_build_free(&b);
  return b.status;
}

fly_status fly_expr_check_formula(const fly_expr_formula *f, const fly_expr_scope *scope, fly_error *error) {
  enum { FIRST = 1 << 20 }; // inputs that nobody else has
  fly_builder b = {.text = f->text, .scope = scope, .error = error};
  fly_operand *argument = calloc((size_t)f->count + 1, sizeof *argument);
  if (argument == NULL) {
    fly_build_no_memory(&b);
    return b.status;
  }
  for (int k = 0; k < f->count; k++)
    argument[k] = fly_build_input(&b, FIRST + k);
  const fly_inside inside = {.formula = f, .argument = argument};
  b.inside = &inside;
  build(&b);
  free(argument);
  fly_build_free(&b);
  return b.status;
}

// The first input that is needed makes it not constant.
static void complain_of_input(fly_builder *b) {
  for (int k = 0; k < b->ninputs; k++) {
    if (!b->input[k].live)
      continue;
    char quote[FLY_QUOTE_SIZE];
    const int offset = b->input[k].offset;
    const fly_token t = fly_token_at(b->text, offset);
    fly_build_quote(quote, b->text + offset, t.length);
    fly_build_fail(b, offset, "'%s' is not constant: a number may depend on parameters and units only", quote);
    return;
  }
}

fly_status fly_expr_evaluate(double *value, const char *text, const fly_expr_scope *scope, fly_error *error) {
  assert(text != NULL && scope != NULL);
  fly_builder b = {.text = text, .scope = scope, .error = error};
  const fly_operand result = build(&b);
  if (b.status == FLY_OK)
    complain_of_input(&b);
  *value = result.value;
  fly_build_free(&b);
  return b.status;
}
