// Relations in the expressions of forces, rates of states and variables, such as x > gap, and then those of forces of
// types: numbered through, so that the solver can hold each on a side (docs/theory/control.md, C-relations).
#include <math.h>

#include "expr/expr.h"
#include "system/parts.h"

static void note(fly_system *s, int expression) {
  if (expression < 0 || s->relation_start[expression] >= 0)
    return;
  s->relation_start[expression] = s->nrelation;
  s->nrelation += fly_expr_relations(s->model->expression[expression]);
}

static int own_relations(const fly_model_force *f) { return f->type->relations ? f->type->relations(f->k) : 0; }

void fly_system_take_relations(fly_system *s) {
  const fly_model *m = s->model;
  size_t firm = 0;
  for (int k = 0; k < m->nforce; k++)
    firm += (size_t)own_relations(&m->force[k]);
  s->relation_start = fly_arena_ints(&s->memory, (size_t)m->nexpression);
  s->force_relation = fly_arena_ints(&s->memory, (size_t)m->nforce + 1);
  s->firm_jumps = fly_arena_take(&s->memory, firm, sizeof *s->firm_jumps);
}

void fly_system_find_relations(fly_system *s) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nexpression; k++)
    s->relation_start[k] = -1;
  for (int k = 0; k < m->napplied; k++)
    for (int c = 0; c < 6; c++)
      note(s, m->applied[k].expression[c]);
  for (int k = 0; k < m->nstate; k++)
    note(s, m->state[k].rate);
  for (int k = 0; k < m->noutput; k++)
    if (m->output[k].row)
      note(s, m->output[k].expression);
  s->nfirm = 0;
  for (int k = 0; k < m->nforce; k++) {
    const int own = own_relations(&m->force[k]);
    s->force_relation[k] = s->nrelation;
    s->nrelation += own;
    for (int i = 0; i < own; i++)
      s->firm_jumps[s->nfirm++] = !m->force[k].type->jumps || m->force[k].type->jumps(i, m->force[k].k);
  }
  s->force_relation[m->nforce] = s->nrelation;
}

static void put_margins(const fly_system *s, int expression, double *margin) {
  const int first = expression < 0 ? 0 : s->relation_start[expression];
  const signed char *side = s->beside->side;
  if (expression >= 0 && fly_expr_relations(s->model->expression[expression]) > 0)
    fly_expr_relation_margins(s->model->expression[expression], s->input, side ? side + first : NULL, margin + first);
}

// Gaps of a pair that is far apart are open; each has two relations, of which the second matters only where it touches.
static void put_open(const fly_system *s, int force, double *margin) {
  for (int k = s->force_relation[force]; k < s->force_relation[force + 1]; k += 2)
    margin[k] = -1;
}

// Nothing depends on those of a force that is off.
int fly_problem_relations(double *margin, const fly_dae_state *at, void *user) {
  fly_system *s = user;
  const fly_model *m = s->model;
  fly_system_felt(s, at);
  for (int k = 0; k < s->nrelation; k++)
    margin[k] = NAN;
  for (int k = 0; k < s->near.naway; k++)
    put_open(s, s->near.away[k], margin);
  for (int k = 0; k < m->napplied; k++)
    for (int c = 0; c < 6 && fly_system_is_on(s, m->applied[k].item); c++)
      put_margins(s, m->applied[k].expression[c], margin);
  for (int k = 0; k < m->nstate; k++)
    put_margins(s, m->state[k].rate, margin);
  for (int k = 0; k < m->noutput; k++)
    if (m->output[k].row)
      put_margins(s, m->output[k].expression, margin);
  for (int n = 0; n < s->nlive; n++) {
    const int k = s->live[n];
    const fly_model_force *f = &s->forces[k];
    if (s->force_relation[k] < s->force_relation[k + 1] && fly_system_is_on(s, f->item))
      f->type->margins(margin + s->force_relation[k], fly_system_force_at(s, at->t, k), f->k);
  }
  return fly_system_go_on(s);
}
