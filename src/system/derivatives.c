// The derivatives of all forces, into the pattern of J.
#include <stddef.h>
#include <string.h>

#include "expr/expr.h"
#include "math/so3.h"
#include "system/parts.h"

// Rows of the DAE in a group of a marker (dr, or dtheta): those of its body that belong there, which follow each other.
// Returns how many; *first is the first, of[] says which of the group's three each is.
int fly_system_group_rows(const fly_model *m, int marker, bool turn, int *first, int of[3]) {
  int body = m->marker[marker].body, count = 0;
  if (m->marker[marker].frame >= 0) {
    *first = fly_frame_column(m, m->marker[marker].frame) + 3 * turn;
    for (; count < 3; count++)
      of[count] = count;
    return count;
  }
  if (body != FLY_GROUND && m->body[body].column == fly_turning_columns) { // all six, in their order
    *first = m->body[body].iv + 3 * turn;
    for (; count < 3; count++)
      of[count] = count;
    return count;
  }
  for (int c = 0; body != FLY_GROUND && c < m->body[body].framed; c++) {
    const int column = m->body[body].column[c] - 3 * turn; // of six
    if (column >= 0 && column < 3) {
      if (count == 0)
        *first = m->body[body].iv + c;
      of[count++] = column;
    }
  }
  return count;
}

// Adds factor times a block of n markers (6 n x 6 n) to the values of J's pattern.
static void scatter_block(const fly_system *s, int n, const int *marker, const int *base, const double *H,
                          double factor, double *values) {
  const int columns = 6 * n;
  for (int g = 0; g < 2 * n; g++, base += columns) {
    int first, of[3], count = fly_system_group_rows(s->model, marker[g / 2], g % 2, &first, of);
    for (int j = 0; j < columns; j++)
      for (int c = 0; base[j] >= 0 && c < count; c++)
        values[base[j] + c] += factor * H[columns * (3 * g + of[c]) + j];
  }
}

// Of a group's three rows those that are there: mostly all.
static inline void add_column(double *restrict values, const double *restrict H, int count, const int of[3]) {
  if (count == 3 && of[0] == 0 && of[1] == 1) {
    values[0] += H[0];
    values[1] += H[FLY_PAIR];
    values[2] += H[2 * FLY_PAIR];
    return;
  }
  for (int c = 0; c < count; c++)
    values[c] += H[FLY_PAIR * of[c]];
}

// The same of a pair, of which only some blocks of 3 x 3 can be other than zero: bit 4 i + j is that of group i of the
// rows and group j of the columns.
static void scatter_pair(const fly_system *s, int pair, unsigned blocks, const double *H, double *values) {
  const int marker[2] = {s->model->pair[pair].mi, s->model->pair[pair].mj}, *base = s->pair_base + 48 * pair;
  for (int g = 0; g < 4; g++, base += FLY_PAIR, blocks >>= 4) {
    if (!(blocks & 15))
      continue;
    int first, of[3], count = fly_system_group_rows(s->model, marker[g / 2], g % 2, &first, of);
    for (int h = 0; h < 4; h++)
      for (int j = 3 * h; (blocks >> h & 1) && j < 3 * h + 3; j++)
        if (base[j] >= 0)
          add_column(values + base[j], H + (ptrdiff_t)FLY_PAIR * 3 * g + j, count, of);
  }
}

// From row and column `first` on only the diagonal.
static void scatter_body(int n, int first, const int *base, const double *block, double factor, double *J) {
  for (int j = 0; j < n; j++) {
    const int rows = j < first ? n : first;
    for (int i = 0; i < rows; i++)
      J[base[j] + i] += factor * block[n * i + j];
    if (j >= first)
      J[base[j] + j] += factor * block[(n + 1) * j];
  }
}

// Of the forces that bodies have by themselves, and of M a.
static void body_derivatives(const fly_system *s, const fly_dae_state *at, double *J1, double *J2) {
  const fly_model *m = s->model;
  const int *base = s->body_base;
  for (int k = 0; k < m->nbody; base += m->body[k++].blocks) {
    const fly_body *b = &m->body[k];
    const fly_body_type *type = b->type;
    fly_body_at here = fly_system_body_at(s, k);
    const int first = s->leans ? s->lean->first[k] - type->block : b->blocks;
    here.lean = first < b->blocks;
    if (type->derivatives)
      type->derivatives(s->body_stiffness, s->body_block, &here, m->gravity, &b->own);
    if (type->derivatives)
      scatter_body(b->blocks, first, base, s->body_block, -1.0, J1);
    if (type->stiff)
      scatter_body(b->blocks, first, base, s->body_stiffness, -1.0, J2);
    if (!type->mass_slope)
      continue;
    type->mass_slope(s->body_block, &here, at->vdot + b->iv, &b->own);
    scatter_body(b->blocks, first, base, s->body_block, 1.0, J2);
  }
}

static void typed_derivatives(const fly_system *s, double t, double *J1, double *J2) {
  double K[FLY_FORCE_COLUMNS * FLY_FORCE_COLUMNS], C[FLY_FORCE_COLUMNS * FLY_FORCE_COLUMNS];
  for (int n = 0; n < s->nlive; n++) {
    const int k = s->live[n];
    const fly_model_force *f = &s->forces[k];
    if (!fly_system_is_on(s, f->item))
      continue;
    const int *base = s->force_base + s->force_start[k];
    f->type->derivatives(K, C, fly_system_force_at(s, t, k), f->k);
    scatter_block(s, f->count, f->marker, base, K, -1.0, J2);
    scatter_block(s, f->count, f->marker, base, C, -1.0, J1);
  }
}

static void scatter_applied(const int *place, const double *block, double factor, double *values) {
  for (int i = 0; i < FLY_TRIPLE * FLY_TRIPLE; i++)
    if (place[i] >= 0)
      values[place[i]] += factor * block[i];
}

// The six components' derivatives with respect to one input, times that input's own derivative: P df/dm dm/dq.
static void measure_block(const double *P, const double df[6], const double *dm, double *block) {
  for (int i = 0; i < FLY_TRIPLE; i++) {
    double row = 0;
    for (int c = 0; c < 6; c++)
      row += P[6 * i + c] * df[c];
    for (int j = 0; j < FLY_TRIPLE; j++)
      block[FLY_TRIPLE * i + j] = row * dm[j];
  }
}

// The components, and df[i][c] of each with respect to each measure the load uses.
static void component_slopes(const fly_system *s, const fly_model_applied *a, double f[6],
                             double df[FLY_LOAD_INPUTS][6]) {
  memset(df, 0, (size_t)a->ninput * sizeof *df);
  for (int c = 0; c < 6; c++) {
    int count = 0;
    f[c] = 0;
    if (a->expression[c] < 0)
      continue;
    const fly_expr *e = s->model->expression[a->expression[c]];
    const int *inputs = fly_expr_inputs(e, &count);
    double gradient[FLY_LOAD_INPUTS + 1]; // and time
    fly_system_expression_slopes(s, a->expression[c], &f[c], gradient);
    for (int i = 0; i < a->ninput; i++)
      for (int k = 0; k < count; k++)
        if (inputs[k] == 1 + a->input[i])
          df[i][c] = gradient[k];
  }
}

// P df in the column of an output or a state.
static void scatter_column(const int *place, const double *P, const double df[6], double *J) {
  for (int i = 0; i < FLY_TRIPLE; i++)
    for (int c = 0; place[i] >= 0 && c < 6; c++)
      J[place[i]] -= P[6 * i + c] * df[c];
}

// Places in J that a load needs for one of its measures.
size_t fly_system_measure_places(const fly_model_measure *measure) {
  return measure->output >= 0 || measure->signal ? FLY_TRIPLE : FLY_TRIPLE * FLY_TRIPLE;
}

static void applied_derivatives(const fly_system *s, double *J0, double *J1, double *J2) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->napplied; k++) {
    const fly_model_applied *a = &m->applied[k];
    const int *place = s->applied_place + s->applied_start[k];
    if (!fly_system_is_on(s, a->item))
      continue;
    double P[FLY_TRIPLE * 6], H[FLY_TRIPLE * FLY_TRIPLE] = {0}, f[6], df[FLY_LOAD_INPUTS][6];
    fly_triple own = fly_system_triple_of(s, a->marker);
    a->type->matrix(P, &own);
    component_slopes(s, a, f, df);
    a->type->curvature(H, f, &own);
    scatter_applied(place, H, -1.0, J2);
    place += FLY_TRIPLE * FLY_TRIPLE;
    for (int i = 0; i < a->ninput; place += fly_system_measure_places(&m->measure[a->input[i++]])) {
      const fly_model_measure *measure = &m->measure[a->input[i]];
      double dq[FLY_TRIPLE], dv[FLY_TRIPLE], da[FLY_TRIPLE], none[FLY_TRIPLE] = {0};
      if (measure->output >= 0 || measure->signal) { // inputs and held numbers have no places
        scatter_column(place, P, df[i], measure->output >= 0 ? J0 : J1);
        continue;
      }
      fly_triple t = fly_system_triple_of(s, measure->marker);
      fly_measure_gradient(dq, dv, da, (fly_measure_kind)measure->kind, &t, none);
      measure_block(P, df[i], dq, H);
      scatter_applied(place, H, -1.0, J2);
      measure_block(P, df[i], dv, H);
      scatter_applied(place, H, -1.0, J1);
    }
  }
}

// Adds -gradient (18) to a row of J.
static void scatter_gradient(const int *place, const double *gradient, double *J) {
  for (int c = 0; c < FLY_TRIPLE; c++)
    if (place[c] >= 0)
      J[place[c]] -= gradient[c];
}

// Derivatives of a reaction with respect to the load of its joint, and at a fixed lambda with respect to q.
void fly_system_reaction_gradient(const fly_system *s, const fly_dae_state *at, int k, double weight[6],
                                  double dq[FLY_TRIPLE]) {
  const fly_model_measure *measure = &s->model->measure[k];
  double W[6], dW[6 * FLY_PAIR];
  fly_triple t = fly_system_triple_of(s, measure->marker);
  fly_system_joint_load(s, k, at, W, dW);
  fly_reaction_gradient(weight, dq, (fly_reaction_kind)measure->kind, W, &t);
  for (int c = 0; c < 6; c++)
    for (int j = 0; j < FLY_PAIR; j++)
      dq[j] += weight[c] * dW[FLY_PAIR * c + j];
}

static void reaction_derivatives(const fly_system *s, const fly_dae_state *at, int k, double *J0, double *J2) {
  const fly_model_measure *measure = &s->model->measure[k];
  const int *place = s->applied_place + s->feedback_start[measure->output];
  double weight[6], dq[FLY_TRIPLE];
  fly_system_reaction_gradient(s, at, k, weight, dq);
  scatter_gradient(place, dq, J2);
  place += FLY_TRIPLE;
  for (int i = s->reaction_start[k]; i < s->reaction_start[k + 1]; i++, place += 3) {
    const fly_term *term = &s->model->term[s->reaction_term[i]];
    double rows[3 * FLY_PAIR];
    fly_pair p = pair_of(s, term->pair);
    fly_primitive_types[term->kind].jacobian(rows, &p, &term->k);
    for (int r = 0; r < 3; r++)
      for (int c = 0; place[r] >= 0 && c < 6; c++)
        J0[place[r]] += weight[c] * term->factor * rows[FLY_PAIR * r + 6 + c]; // W = -G^T lambda
  }
}

// Rows y - h.
static void output_derivatives(const fly_system *s, const fly_dae_state *at, double *J0, double *J1, double *J2) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nmeasure; k++) {
    const fly_model_measure *measure = &m->measure[k];
    if (measure->output < 0 || measure->signal)
      continue;
    if (measure->joint >= 0) {
      reaction_derivatives(s, at, k, J0, J2);
      continue;
    }
    const int *place = s->applied_place + s->feedback_start[measure->output];
    double a[FLY_TRIPLE], dq[FLY_TRIPLE], dv[FLY_TRIPLE], da[FLY_TRIPLE];
    fly_triple t = fly_system_triple_of(s, measure->marker);
    fly_system_triple_accelerations(m, measure->marker, s->wide_acceleration, a);
    fly_measure_gradient(dq, dv, da, (fly_measure_kind)measure->kind, &t, a);
    scatter_gradient(place, dq, J2);
    scatter_gradient(place, dv, J1);
    scatter_gradient(place, da, J0);
  }
}

// d(G^T lambda)/dq of term k
void fly_system_add_curvature(const fly_system *s, const fly_dae_state *at, int k, double *J) {
  const fly_term *term = &s->model->term[k];
  const fly_primitive_type *type = &fly_primitive_types[term->kind];
  double lambda[3], H[FLY_PAIR * FLY_PAIR] = {0};
  fly_system_term_multipliers(s, term, at, lambda);
  type->curvature(H, lambda, &s->pair[term->pair], &term->k);
  scatter_pair(s, term->pair, type->blocks, H, J);
}

int fly_problem_jacobian(double *J0, double *J1, double *J2, const fly_dae_state *at, void *user) {
  fly_system *s = user;
  const fly_model *m = s->model;
  fly_system_update(s, at->q, at->v);
  *s->beside = (fly_beside){at->side, at->x};
  fly_system_wide_accelerations(s, at);
  fly_system_find_carried(s, at->t);
  body_derivatives(s, at, J1, J2);
  typed_derivatives(s, at->t, J1, J2);
  if (m->napplied > 0 || m->nstate + m->ny > 0) {
    fly_system_update_inputs(s, at);
    if (m->nplugin > 0 && !fly_plugins_differentiate(s))
      return 1;
    applied_derivatives(s, J0, J1, J2);
    output_derivatives(s, at, J0, J1, J2);
    fly_system_signal_derivatives(s, J0, J1, J2);
    fly_system_own_derivatives(s, at->t, J1, J2);
  }
  fly_system_soft_derivatives(s, J0, J1, J2);
  fly_system_add_curvatures(s, at, J2);
  for (int k = 0; k < m->nslip; k++) {
    double H[FLY_PAIR * FLY_PAIR] = {0};
    fly_system_slip_curvature(s, k, at->lambda, H);
    scatter_pair(s, m->slip[k].pair, 0xffff, H, J2);
  }
  return 0;
}
