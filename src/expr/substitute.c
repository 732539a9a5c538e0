// Expressions in the place of inputs: their operations are appended again, with constants folded on the way.
#include <assert.h>
#include <stdlib.h>

#include "expr/build.h"
#include "expr/compiled.h"

// An input that has been replaced, and by what.
typedef struct replaced {
  int input;
  fly_operand by;
} replaced;

typedef struct copier {
  fly_builder *b;
  fly_expr_by *by;
  void *user;
  replaced *done; // (ndone)
  int ndone, capacity;
} copier;

static fly_operand copy(copier *c, const fly_expr *e, int inside);

static void note(copier *c, int input, fly_operand by) {
  if (fly_build_reserve(c->b, &c->done, &c->capacity, c->ndone + 1, sizeof *c->done))
    c->done[c->ndone++] = (replaced){input, by};
}

static fly_operand copy_input(copier *c, int input, int offset) {
  for (int k = 0; k < c->ndone; k++)
    if (c->done[k].input == input)
      return c->done[k].by;
  const fly_expr *by = c->by(input, c->user);
  c->b->at = offset;
  if (by == NULL)
    return fly_build_input(c->b, input);
  const fly_operand result = copy(c, by, offset);
  note(c, input, result);
  return result;
}

static fly_operand copy_operation(fly_builder *b, const fly_expr *e, const fly_instruction *i, const fly_operand *v) {
  if (i->op >= FLY_OP_FIRST_TABLE)
    return fly_build_spline(b, i->op, v[i->a], &e->table[i->c]);
  if (i->op == FLY_OP_SELECT)
    return fly_build_select(b, v[i->c], v[i->a], v[i->b]);
  if (i->op >= FLY_OP_FIRST_UNARY || i->op == FLY_OP_NEGATE || i->op == FLY_OP_NOT)
    return fly_build_unary(b, i->op, v[i->a]);
  return fly_build_binary(b, i->op == FLY_OP_POWER_CONSTANT ? FLY_OP_POWER : i->op, v[i->a], v[i->b]);
}

// inside: where the input stands in the text that e replaces; -1: e is what was asked for.
static fly_operand copy(copier *c, const fly_expr *e, int inside) {
  fly_builder *b = c->b;
  const int first = e->nconstants + e->ninputs;
  fly_operand result = fly_build_constant(0), *v = calloc((size_t)fly_expr_size(e), sizeof *v);
  if (v == NULL) {
    fly_build_no_memory(b);
    return result;
  }
  for (int k = 0; k < e->nconstants; k++)
    v[k] = fly_build_constant(e->constant[k]);
  for (int k = 0; k < e->ninputs && b->status == FLY_OK; k++)
    v[e->nconstants + k] = copy_input(c, e->input[k], inside >= 0 ? inside : e->input_offset[k]);
  for (int k = 0; k < e->ninstructions && b->status == FLY_OK; k++) {
    b->at = inside >= 0 ? inside : e->offset[k];
    v[first + k] = copy_operation(b, e, &e->instruction[k], v);
  }
  if (b->status == FLY_OK)
    result = v[e->result];
  free(v);
  return result;
}

fly_status fly_expr_substitute(fly_expr **out, const fly_expr *e, const char *text, fly_expr_by *by, void *user,
                               fly_error *error) {
  assert(e != NULL && text != NULL && by != NULL);
  const fly_expr_scope scope = {0};
  fly_builder b = {.text = text, .scope = &scope, .error = error};
  copier c = {.b = &b, .by = by, .user = user};
  *out = NULL;
  const fly_operand result = copy(&c, e, -1);
  if (b.status == FLY_OK)
    fly_build_mark(&b, result);
  if (b.status == FLY_OK)
    *out = fly_build_lay_out(&b, result);
  free(c.done);
  fly_build_free(&b);
  return b.status;
}
