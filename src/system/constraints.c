// Mass, constraint rows with their derivatives, and what they carry.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/so3.h"
#include "system/parts.h"

int fly_problem_mass(double *M, double t, const double *q, void *user) {
  const fly_system *s = user;
  (void)t, (void)q;
  memcpy(M, s->M.val, (size_t)fly_csc_nnz(&s->M) * sizeof *M);
  return 0;
}

void fly_system_term_value(const fly_system *s, double t, int k, const fly_pair *p, double g[3]) {
  const fly_term *term = &s->model->term[k];
  fly_primitive_types[term->kind].value(g, p, &term->k);
  if (term->kind == FLY_ANGLE && s->model->row[term->row].counted)
    g[0] = fly_count_turns(s, &s->turn[k], t, g[0]);
}

double fly_system_row_value(const fly_system *s, double t, int row) {
  double sum = 0;
  for (int k = 0; k < s->model->nterm; k++) {
    const fly_term *term = &s->model->term[k];
    const fly_pair p = pair_of(s, term->pair);
    double g[3];
    int place = term->row;
    if (row < place || row >= place + 3)
      continue;
    fly_system_term_value(s, t, k, &p, g);
    for (int r = 0; r < fly_primitive_types[term->kind].rows; r++)
      if (term->rows & (1 << r) && place++ == row)
        sum += term->factor * g[r];
  }
  return sum;
}

// Of a row of primitives of one row each.
double fly_system_row_rate(const fly_system *s, int row) {
  double sum = 0;
  for (int k = 0; k < s->model->nterm; k++) {
    const fly_term *term = &s->model->term[k];
    const fly_pair p = pair_of(s, term->pair);
    if (term->row == row)
      sum += term->factor * fly_primitive_rate(term->kind, &p, &term->k);
  }
  return sum;
}

static void begin_values(fly_system *s, double t) {
  for (int k = 0; k < s->nactive; k++)
    s->value[k] = -s->offset[s->active[k]];
  s->value_t = t;
  s->value_known = true;
}

// Position, velocity and acceleration of motion k, and its kept row; -1: it was removed.
static int moved_row(const fly_system *s, int k, double t, double f[3]) {
  int kept = s->place_of[s->model->motion[k].row];
  if (kept >= 0)
    fly_motion_at(&s->motion[k], t, f);
  return kept;
}

// < 0: somebody wants this to end.
int fly_system_go_on(const fly_system *s) { return s->stop && s->stop(s->stop_user) ? -1 : 0; }

int fly_problem_constraint(double *g, double t, const double *q, void *user) {
  fly_system *s = user;
  const fly_model *m = s->model;
  double f[3];
  fly_system_update(s, q, NULL);
  if (!s->value_known || s->value_t != t) {
    begin_values(s, t);
    for (int k = 0; k < m->nterm; k++) {
      double value[3];
      fly_system_term_value(s, t, k, &s->pair[m->term[k].pair], value);
      fly_system_add_to_rows(s, k, value, s->value);
    }
  }
  memcpy(g, s->value, (size_t)s->nactive * sizeof *g);
  for (int k = 0; k < m->nmotion; k++) {
    int i = moved_row(s, k, t, f);
    if (i >= 0)
      g[i] = m->row[m->motion[k].row].angular ? remainder(g[i] - f[0], FLY_TAU) : g[i] - f[0];
  }
  return fly_system_go_on(s);
}

int fly_problem_constraint_rate(double *gt, double t, const double *q, void *user) {
  const fly_system *s = user;
  double f[3];
  (void)q;
  memset(gt, 0, (size_t)s->nactive * sizeof *gt);
  for (int k = 0; k < s->model->nmotion; k++) {
    int i = moved_row(s, k, t, f);
    if (i >= 0)
      gt[i] = -f[1];
  }
  for (int k = 0; k < s->model->nlimit; k++) {
    const int i = s->place_of[s->model->limit[k].row];
    if (i >= 0)
      gt[i] = -fly_system_held(s, s->model->limit[k].rebound);
  }
  return 0;
}

// Values are asked for next at the same place, so they are found in the same pass.
int fly_problem_constraint_jacobian(double *G, double t, const double *q, void *user) {
  fly_system *s = user;
  fly_system_update(s, q, NULL);
  begin_values(s, t);
  fly_system_put_rows(s, t, G);
  return 0;
}

int fly_problem_constraint_velocity_jacobian(double *Z, double t, const double *q, const double *v, void *user) {
  fly_system *s = user;
  (void)t;
  fly_system_update(s, q, v);
  fly_system_put_velocity_rows(s, Z);
  return 0;
}

int fly_problem_constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  fly_system *s = user;
  double f[3];
  fly_system_update(s, q, v);
  memset(gamma, 0, (size_t)s->nactive * sizeof *gamma);
  fly_system_add_gammas(s, gamma);
  for (int k = 0; k < s->model->nmotion; k++) {
    int i = moved_row(s, k, t, f);
    if (i >= 0)
      gamma[i] -= f[2];
  }
  return 0;
}

// Multipliers of a term's rows times its factor; those of removed rows are 0.
void fly_system_term_multipliers(const fly_system *s, const fly_term *term, const fly_dae_state *at, double lambda[3]) {
  for (int r = 0, row = term->row; r < 3; r++)
    lambda[r] = term->rows & (1 << r) ? term->factor * fly_system_multiplier(s, at, row++) : 0.0;
}

// W (6) += -G^T lambda of a term on the second body of its pair.
static void add_term_load(const fly_system *s, const fly_term *term, const fly_dae_state *at, double *W) {
  const fly_primitive_type *type = &fly_primitive_types[term->kind];
  const fly_pair p = pair_of(s, term->pair);
  double lambda[3], rows[3 * FLY_PAIR];
  fly_system_term_multipliers(s, term, at, lambda);
  type->jacobian(rows, &p, &term->k);
  for (int r = 0; r < type->rows; r++)
    for (int c = 0; c < 6; c++)
      W[c] -= lambda[r] * rows[FLY_PAIR * r + 6 + c];
}

// Generalized force W (6) of the joint of a reaction on its second body; dW: its derivatives (6 x 12), or NULL.
void fly_system_joint_load(const fly_system *s, int measure, const fly_dae_state *at, double W[6], double *dW) {
  memset(W, 0, 6 * sizeof *W);
  if (dW)
    memset(dW, 0, 6 * FLY_PAIR * sizeof *dW);
  for (int i = s->reaction_start[measure]; i < s->reaction_start[measure + 1]; i++) {
    const fly_term *term = &s->model->term[s->reaction_term[i]];
    const fly_primitive_type *type = &fly_primitive_types[term->kind];
    fly_pair p = pair_of(s, term->pair);
    double lambda[3], H[FLY_PAIR * FLY_PAIR] = {0};
    add_term_load(s, term, at, W);
    if (!dW)
      continue;
    fly_system_term_multipliers(s, term, at, lambda);
    type->curvature(H, lambda, &p, &term->k);
    for (int c = 0; c < 6 * FLY_PAIR; c++)
      dW[c] -= H[6 * FLY_PAIR + c];
  }
}

// Generalized forces -G^T lambda on the second body of each pair (6 a pair).
static void sum_reactions(fly_system *s, const fly_dae_state *at, double *Q) {
  const fly_model *m = s->model;
  memset(Q, 0, 6 * (size_t)m->npair * sizeof *Q);
  for (int k = 0; k < m->nterm; k++)
    add_term_load(s, &m->term[k], at, Q + 6 * (size_t)m->term[k].pair);
  for (int k = 0; k < m->nslip; k++)
    fly_system_slip_load(s, k, at->lambda, Q + 6 * (size_t)m->slip[k].pair);
}

void fly_system_reactions(fly_system *s, const fly_dae_state *at, double *wrench) {
  const fly_model *m = s->model;
  fly_system_update(s, at->q, at->v);
  fly_system_find_carried(s, at->t);
  sum_reactions(s, at, wrench);
  for (int k = 0; k < m->npair; k++) {
    fly_pair p = pair_of(s, k);
    double *F = wrench + 6 * k, *T = F + 3, arm[3], moment[3], torque[3], axis[3], out[6];
    fly_to_space(arm, p.bj->R, p.mj->s);
    fly_cross(moment, arm, F);
    fly_to_space(torque, p.bj->R, T);
    for (int c = 0; c < 3; c++)
      torque[c] -= moment[c];
    for (int c = 0; c < 3; c++) {
      fly_axis_space(axis, p.bi, p.mi, c);
      out[c] = fly_dot3(axis, F);
      out[3 + c] = fly_dot3(axis, torque);
    }
    memcpy(wrench + 6 * k, out, sizeof out);
  }
}

void fly_problem_row_name(char *text, size_t size, int row, void *user) {
  const fly_system *s = user;
  if (row >= s->nactive) {
    fly_system_slip_name(s, text, size, row - s->nactive);
    return;
  }
  const fly_row *r = &s->model->row[s->active[row]];
  const fly_item *item = &s->model->spec->item[r->item];
  snprintf(text, size, "%s%s%s", item->name, r->direction[0] ? ", " : "", r->direction);
}
