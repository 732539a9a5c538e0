#include "system/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "element/applied.h"
#include "expr/expr.h"
#include "math/so3.h"

static const double TAU = 6.283185307179586476925;
static const fly_primitive ABOUT_Z = {2, 0, 0.0};

// ------------------------------------------------------------------------------------------ kinematics

// Bodies at (q, v); v NULL: velocities are not asked for. Callbacks come with the same q many times, so it is looked at
// first.
static void update(fly_system *s, const double *q, const double *v) {
  const fly_model *m = s->model;
  size_t nq = (size_t)m->nq * sizeof *q, nv = (size_t)m->nv * sizeof *v;
  if (!s->q_known || memcmp(q, s->q_seen, nq) != 0) {
    for (int k = 0; k < m->nbody; k++)
      fly_body_position(&m->body[k], q + m->body[k].iq, &s->body[k]);
    memcpy(s->q_seen, q, nq);
    s->q_known = true;
    s->value_known = false;
  }
  if (v && (!s->v_known || memcmp(v, s->v_seen, nv) != 0)) {
    for (int k = 0; k < m->nbody; k++)
      fly_body_velocity(&m->body[k], v + m->body[k].iv, &s->body[k]);
    memcpy(s->v_seen, v, nv);
    s->v_known = true;
  }
}

void fly_system_update(fly_system *s, const double *q, const double *v) { update(s, q, v); }

static int body_index(const fly_system *s, int marker) {
  int body = s->model->marker[marker].body;
  return body == FLY_GROUND ? s->model->nbody : body;
}

static fly_pair pair_of(const fly_system *s, int pair) { return s->pair[pair]; }

// Velocity column of the DAE for each of the 12 columns of a pair; -1: the body does not move along it.
static void pair_columns(const fly_model *m, int pair, int column[FLY_PAIR]) {
  for (int side = 0; side < 2; side++) {
    int body = m->marker[side ? m->pair[pair].mj : m->pair[pair].mi].body;
    for (int c = 0; c < 6; c++)
      column[6 * side + c] = -1;
    for (int c = 0; body != FLY_GROUND && c < m->body[body].columns; c++)
      column[6 * side + m->body[body].column[c]] = m->body[body].iv + c;
  }
}

// ------------------------------------------------------------------------------------------ mass

static int mass(double *M, double t, const double *q, void *user) {
  const fly_system *s = user;
  (void)t, (void)q;
  memcpy(M, s->M.val, (size_t)fly_csc_nnz(&s->M) * sizeof *M);
  return 0;
}

// ------------------------------------------------------------------------------------------ constraints

// Adds the values of a term (of its up to three rows) to the kept rows.
static void add_to_rows(const fly_system *s, const fly_term *term, const double value[3], double *rows) {
  for (int r = 0, row = term->row; r < fly_primitive_types[term->kind].rows; r++)
    if (term->rows & (1 << r)) {
      int kept = s->place_of[row++];
      if (kept >= 0)
        rows[kept] += term->factor * value[r];
    }
}

static void add_value(const fly_system *s, double t, int k, const fly_pair *p, double *rows) {
  const fly_term *term = &s->model->term[k];
  double g[3];
  fly_primitive_types[term->kind].value(g, p, &term->k);
  if (term->kind == FLY_ANGLE && s->model->row[term->row].counted)
    g[0] = fly_count_turns(s, &s->turn[k], t, g[0]);
  add_to_rows(s, term, g, rows);
}

static void begin_values(fly_system *s, double t) {
  for (int k = 0; k < s->nactive; k++)
    s->value[k] = -s->offset[k];
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
static int go_on(const fly_system *s) { return s->stop && s->stop(s->stop_user) ? -1 : 0; }

static int constraint(double *g, double t, const double *q, void *user) {
  fly_system *s = user;
  const fly_model *m = s->model;
  double f[3];
  update(s, q, NULL);
  if (!s->value_known || s->value_t != t) {
    begin_values(s, t);
    for (int k = 0; k < m->nterm; k++) {
      fly_pair p = pair_of(s, m->term[k].pair);
      add_value(s, t, k, &p, s->value);
    }
  }
  memcpy(g, s->value, (size_t)s->nactive * sizeof *g);
  for (int k = 0; k < m->nmotion; k++) {
    int i = moved_row(s, k, t, f);
    if (i >= 0)
      g[i] = m->row[m->motion[k].row].angular ? remainder(g[i] - f[0], TAU) : g[i] - f[0];
  }
  return go_on(s);
}

static int constraint_rate(double *gt, double t, const double *q, void *user) {
  const fly_system *s = user;
  double f[3];
  (void)q;
  memset(gt, 0, (size_t)s->nactive * sizeof *gt);
  for (int k = 0; k < s->model->nmotion; k++) {
    int i = moved_row(s, k, t, f);
    if (i >= 0)
      gt[i] = -f[1];
  }
  return 0;
}

// Adds rows (rows x 12) of a term to the values of G's pattern.
static void scatter_rows(const fly_system *s, int k, const double *rows, double *values) {
  double factor = s->model->term[k].factor;
  for (int e = s->G_start[k]; e < s->G_start[k + 1]; e++)
    values[s->G_place[e]] += factor * rows[s->G_from[e]];
}

// Values are asked for next at the same place, so they are found in the same pass.
static int constraint_jacobian(double *G, double t, const double *q, void *user) {
  fly_system *s = user;
  const fly_model *m = s->model;
  update(s, q, NULL);
  begin_values(s, t);
  for (int k = 0; k < m->nterm; k++) {
    double rows[3 * FLY_PAIR];
    fly_pair p = pair_of(s, m->term[k].pair);
    fly_primitive_types[m->term[k].kind].jacobian(rows, &p, &m->term[k].k);
    scatter_rows(s, k, rows, G);
    add_value(s, t, k, &p, s->value);
  }
  return 0;
}

static int constraint_velocity_jacobian(double *Z, double t, const double *q, const double *v, void *user) {
  fly_system *s = user;
  const fly_model *m = s->model;
  (void)t;
  update(s, q, v);
  for (int k = 0; k < m->nterm; k++) {
    double rows[3 * FLY_PAIR];
    fly_pair p = pair_of(s, m->term[k].pair);
    fly_primitive_velocity(rows, m->term[k].kind, &p, &m->term[k].k);
    scatter_rows(s, k, rows, Z);
  }
  return 0;
}

static int constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  fly_system *s = user;
  const fly_model *m = s->model;
  double f[3];
  update(s, q, v);
  memset(gamma, 0, (size_t)s->nactive * sizeof *gamma);
  for (int k = 0; k < m->nterm; k++) {
    const fly_term *term = &m->term[k];
    double g[3];
    fly_pair p = pair_of(s, term->pair);
    fly_primitive_types[term->kind].gamma(g, &p, &term->k);
    add_to_rows(s, term, g, gamma);
  }
  for (int k = 0; k < m->nmotion; k++) {
    int i = moved_row(s, k, t, f);
    if (i >= 0)
      gamma[i] -= f[2];
  }
  return 0;
}

// ------------------------------------------------------------------------------------------ forces

// Gravity on every body, and -w x J w on rigid ones.
static void body_forces(const fly_system *s, double *f) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    for (int c = 0; c < b->columns && b->column[c] < 3; c++)
      f[b->iv + c] += b->mass * m->gravity[b->column[c]];
    if (b->kind != FLY_RIGID)
      continue;
    double L[3], wL[3];
    fly_to_space(L, b->J, s->body[k].w);
    fly_cross(wL, s->body[k].w, L);
    for (int c = 0; c < 3; c++)
      f[b->iv + 3 + c] -= wL[c];
  }
}

// Generalized forces of a pair into those of the DAE.
static void scatter_force(const fly_system *s, int pair, const double Q[FLY_PAIR], double *f) {
  const fly_model *m = s->model;
  for (int side = 0; side < 2; side++) {
    int body = m->marker[side ? m->pair[pair].mj : m->pair[pair].mi].body;
    for (int c = 0; body != FLY_GROUND && c < m->body[body].columns; c++)
      f[m->body[body].iv + c] += Q[6 * side + m->body[body].column[c]];
  }
}

static double angle_rate(const fly_pair *p) { return fly_primitive_rate(FLY_ANGLE, p, &ABOUT_Z); }

// The angle a torsion spring feels, turns counted.
static double torsion_angle(const fly_system *s, double t, int k, const fly_pair *p) {
  double angle;
  fly_primitive_types[FLY_ANGLE].value(&angle, p, &ABOUT_Z);
  return fly_count_turns(s, &s->torsion_turn[k], t, angle);
}

static void pair_forces(const fly_system *s, double t, double *f) {
  const fly_model *m = s->model;
  double Q[FLY_PAIR];
  for (int k = 0; k < m->nspring; k++) {
    fly_pair p = pair_of(s, m->spring[k].pair);
    fly_spring_force(Q, &p, &m->spring[k].k);
    scatter_force(s, m->spring[k].pair, Q, f);
  }
  for (int k = 0; k < m->ntorsion; k++) {
    fly_pair p = pair_of(s, m->torsion[k].pair);
    double G[FLY_PAIR];
    fly_primitive_types[FLY_ANGLE].jacobian(G, &p, &ABOUT_Z);
    fly_torsion_force(Q, &m->torsion[k].k, torsion_angle(s, t, k, &p), angle_rate(&p), G);
    scatter_force(s, m->torsion[k].pair, Q, f);
  }
  for (int k = 0; k < m->nbushing; k++) {
    fly_pair p = pair_of(s, m->bushing[k].pair);
    fly_bushing_force(Q, &p, &m->bushing[k].k);
    scatter_force(s, m->bushing[k].pair, Q, f);
  }
}

// ------------------------------------------------------------------------------------------ expressions

static fly_triple triple_of(const fly_system *s, const int marker[3]) {
  const fly_kinematics *body[3] = {NULL};
  const fly_marker *frame[3] = {NULL};
  for (int k = 0; k < 3; k++)
    if (marker[k] >= 0) {
      body[k] = &s->body[body_index(s, marker[k])];
      frame[k] = &s->model->marker[marker[k]].m;
    }
  return (fly_triple){body[0], body[1], body[2], frame[0], frame[1], frame[2]};
}

// Velocity column of the DAE for each of the 18 columns of a triple; -1: none.
static void triple_columns(const fly_model *m, const int marker[3], int column[FLY_TRIPLE]) {
  for (int side = 0; side < 3; side++) {
    int body = marker[side] >= 0 ? m->marker[marker[side]].body : FLY_GROUND;
    for (int c = 0; c < 6; c++)
      column[6 * side + c] = -1;
    for (int c = 0; body != FLY_GROUND && c < m->body[body].columns; c++)
      column[6 * side + m->body[body].column[c]] = m->body[body].iv + c;
  }
}

static double measure_value(const fly_system *s, double t, int k, const double *acceleration) {
  const fly_model_measure *measure = &s->model->measure[k];
  fly_triple p = triple_of(s, measure->marker);
  double value = fly_measure_value((fly_measure_kind)measure->kind, &p, acceleration);
  return fly_measure_is_angle(measure) ? fly_count_turns(s, &s->measure_turn[k], t, value) : value;
}

// Multipliers of a term's rows times its factor; those of removed rows are 0.
static void term_multipliers(const fly_system *s, const fly_term *term, const double *all, double lambda[3]) {
  for (int r = 0, place = term->row; r < 3; r++) {
    int kept = term->rows & (1 << r) ? s->place_of[place++] : -1;
    lambda[r] = kept < 0 ? 0.0 : term->factor * all[kept];
  }
}

// Generalized force W (6) of the joint of a reaction on its second body; dW: its derivatives (6 x 12), or NULL.
static void joint_load(const fly_system *s, int measure, const double *all, double W[6], double *dW) {
  memset(W, 0, 6 * sizeof *W);
  if (dW)
    memset(dW, 0, 6 * FLY_PAIR * sizeof *dW);
  for (int i = s->reaction_start[measure]; i < s->reaction_start[measure + 1]; i++) {
    const fly_term *term = &s->model->term[s->reaction_term[i]];
    const fly_primitive_type *type = &fly_primitive_types[term->kind];
    fly_pair p = pair_of(s, term->pair);
    double lambda[3], rows[3 * FLY_PAIR], H[FLY_PAIR * FLY_PAIR] = {0};
    term_multipliers(s, term, all, lambda);
    type->jacobian(rows, &p, &term->k);
    for (int r = 0; r < type->rows; r++)
      for (int c = 0; c < 6; c++)
        W[c] -= lambda[r] * rows[FLY_PAIR * r + 6 + c];
    if (!dW)
      continue;
    type->curvature(H, lambda, &p, &term->k);
    for (int c = 0; c < 6 * FLY_PAIR; c++)
      dW[c] -= H[6 * FLY_PAIR + c];
  }
}

static void triple_accelerations(const fly_model *m, const int marker[3], const double *vdot, double a[FLY_TRIPLE]) {
  int column[FLY_TRIPLE];
  triple_columns(m, marker, column);
  for (int c = 0; c < FLY_TRIPLE; c++)
    a[c] = column[c] >= 0 ? vdot[column[c]] : 0.0;
}

// A measure from positions, velocities, accelerations and multipliers, at the bodies' present state.
static double input_value(const fly_system *s, const fly_dae_state *at, int k) {
  const fly_model_measure *measure = &s->model->measure[k];
  double a[FLY_TRIPLE] = {0}, W[6];
  if (measure->joint >= 0) {
    fly_triple p = triple_of(s, measure->marker);
    joint_load(s, k, at->lambda, W, NULL);
    return fly_reaction_value((fly_reaction_kind)measure->kind, W, &p);
  }
  if (fly_model_measure_level(measure) == FLY_OF_ACCELERATION)
    triple_accelerations(s->model, measure->marker, at->vdot, a);
  return measure_value(s, at->t, k, a);
}

// Inputs of the expressions of forces: what needs accelerations or multipliers is an output y, if they feel it at all.
static void update_input(fly_system *s, const fly_dae_state *at, int k) {
  const fly_model_measure *measure = &s->model->measure[k];
  if (measure->output >= 0)
    s->input[1 + k] = at->y[measure->output];
  else if (measure->felt)
    s->input[1 + k] = measure_value(s, at->t, k, NULL);
}

static void update_inputs(fly_system *s, const fly_dae_state *at) {
  s->input[0] = at->t;
  for (int k = 0; k < s->model->nmeasure; k++)
    update_input(s, at, k);
}

const double *fly_system_felt(fly_system *s, const fly_dae_state *at) {
  update(s, at->q, at->v);
  update_inputs(s, at);
  return s->input;
}

static int outputs(double *h, const fly_dae_state *at, void *user) {
  fly_system *s = user;
  const fly_model *m = s->model;
  update(s, at->q, at->v);
  for (int k = 0; k < m->nmeasure; k++)
    if (m->measure[k].output >= 0)
      h[m->measure[k].output] = input_value(s, at, k);
  return 0;
}

// Generalized forces P f (18) of a load's components f; what P is depends on its kind. Rows of columns it has not are
// 0.
static void load_matrix(const fly_system *s, const fly_model_applied *a, double *P) {
  fly_triple t = triple_of(s, a->marker);
  if (a->kind == FLY_LOAD_WRENCH) {
    fly_applied_matrix(P, &t);
    return;
  }
  fly_pair p = {t.ba, t.bb, t.ma, t.mb};
  double G[FLY_PAIR];
  memset(P, 0, 6 * FLY_TRIPLE * sizeof *P);
  if (a->kind == FLY_LOAD_LENGTH)
    fly_length(G, NULL, &p);
  else
    fly_primitive_types[FLY_ANGLE].jacobian(G, &p, &ABOUT_Z);
  for (int i = 0; i < FLY_PAIR; i++)
    P[6 * i] = G[i]; // a positive component lets the coordinate grow
}

// H += d(P f)/dq at fixed f, 18 x 18
static void load_curvature(const fly_system *s, const fly_model_applied *a, const double f[6], double *H) {
  fly_triple t = triple_of(s, a->marker);
  if (a->kind == FLY_LOAD_WRENCH) {
    fly_applied_curvature(H, f, &t);
    return;
  }
  fly_pair p = {t.ba, t.bb, t.ma, t.mb};
  double K[FLY_PAIR * FLY_PAIR] = {0}, one = 1.0;
  if (a->kind == FLY_LOAD_LENGTH)
    fly_length(NULL, K, &p);
  else
    fly_primitive_types[FLY_ANGLE].curvature(K, &one, &p, &ABOUT_Z);
  for (int i = 0; i < FLY_PAIR; i++)
    for (int j = 0; j < FLY_PAIR; j++)
      H[FLY_TRIPLE * i + j] += f[0] * K[FLY_PAIR * i + j];
}

static void applied_components(const fly_system *s, const fly_model_applied *a, double f[6]) {
  for (int c = 0; c < 6; c++)
    f[c] = a->expression[c] >= 0 ? fly_expr_value(s->model->expression[a->expression[c]], s->input) : 0.0;
}

// Adds the generalized forces of one load.
static void applied_force(const fly_system *s, int k, double f[6], double *out) {
  const fly_model *m = s->model;
  double P[FLY_TRIPLE * 6];
  int column[FLY_TRIPLE];
  load_matrix(s, &m->applied[k], P);
  applied_components(s, &m->applied[k], f);
  triple_columns(m, m->applied[k].marker, column);
  for (int i = 0; i < FLY_TRIPLE; i++)
    for (int c = 0; column[i] >= 0 && c < 6; c++)
      out[column[i]] += P[6 * i + c] * f[c];
}

static void applied_forces(const fly_system *s, double *out) {
  double f[6];
  for (int k = 0; k < s->model->napplied; k++)
    applied_force(s, k, f, out);
}

static int force(double *f, const fly_dae_state *at, void *user) {
  fly_system *s = user;
  update(s, at->q, at->v);
  body_forces(s, f);
  pair_forces(s, at->t, f);
  if (s->model->napplied > 0) {
    update_inputs(s, at);
    applied_forces(s, f);
  }
  return go_on(s);
}

// ------------------------------------------------------------------------------------------ derivatives

// Rows of the DAE in group g of a pair (dr_i, dtheta_i, dr_j, dtheta_j): those of its body that belong there, which
// follow each other. Returns how many; *first is the first, of[] says which of the group's three each is.
static int group_rows(const fly_model *m, int pair, int g, int *first, int of[3]) {
  int body = m->marker[g < 2 ? m->pair[pair].mi : m->pair[pair].mj].body, count = 0;
  for (int c = 0; body != FLY_GROUND && c < m->body[body].columns; c++)
    if (m->body[body].column[c] / 3 == g % 2) {
      if (count == 0)
        *first = m->body[body].iv + c;
      of[count++] = m->body[body].column[c] % 3;
    }
  return count;
}

// Adds factor times a 12 x 12 block of a pair to the values of J's pattern.
static void scatter_block(const fly_system *s, int pair, const double *H, double factor, double *values) {
  for (int g = 0; g < 4; g++) {
    int first, of[3], count = group_rows(s->model, pair, g, &first, of);
    const int *base = s->pair_base + 48 * pair + FLY_PAIR * g;
    for (int j = 0; j < FLY_PAIR; j++)
      for (int c = 0; base[j] >= 0 && c < count; c++)
        values[base[j] + c] += factor * H[FLY_PAIR * (3 * g + of[c]) + j];
  }
}

// d(w x J w)/dw = [w] J - [J w]
static void gyroscopic(const fly_system *s, double *J1) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    if (b->kind != FLY_RIGID)
      continue;
    double L[3], W[9], WJ[9], S[9];
    fly_to_space(L, b->J, s->body[k].w);
    fly_skew(W, s->body[k].w);
    fly_multiply3(WJ, W, b->J);
    fly_skew(S, L);
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++)
        J1[s->body_base[3 * k + j] + i] += WJ[3 * i + j] - S[3 * i + j];
  }
}

static void pair_derivatives(const fly_system *s, double t, double *J1, double *J2) {
  const fly_model *m = s->model;
  double K[FLY_PAIR * FLY_PAIR], C[FLY_PAIR * FLY_PAIR];
  for (int k = 0; k < m->nspring; k++) {
    fly_pair p = pair_of(s, m->spring[k].pair);
    fly_spring_derivatives(K, C, &p, &m->spring[k].k);
    scatter_block(s, m->spring[k].pair, K, -1.0, J2);
    scatter_block(s, m->spring[k].pair, C, -1.0, J1);
  }
  for (int k = 0; k < m->ntorsion; k++) {
    fly_pair p = pair_of(s, m->torsion[k].pair);
    double G[FLY_PAIR], v[FLY_PAIR], H[FLY_PAIR * FLY_PAIR] = {0}, one = 1.0;
    fly_primitive_types[FLY_ANGLE].jacobian(G, &p, &ABOUT_Z);
    fly_primitive_types[FLY_ANGLE].curvature(H, &one, &p, &ABOUT_Z);
    fly_pair_velocities(v, &p);
    fly_torsion_derivatives(K, C, &m->torsion[k].k, torsion_angle(s, t, k, &p), v, G, H);
    scatter_block(s, m->torsion[k].pair, K, -1.0, J2);
    scatter_block(s, m->torsion[k].pair, C, -1.0, J1);
  }
  for (int k = 0; k < m->nbushing; k++) {
    fly_pair p = pair_of(s, m->bushing[k].pair);
    fly_bushing_derivatives(K, C, &p, &m->bushing[k].k);
    scatter_block(s, m->bushing[k].pair, K, -1.0, J2);
    scatter_block(s, m->bushing[k].pair, C, -1.0, J1);
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
    fly_expr_gradient(e, s->input, &f[c], gradient);
    for (int i = 0; i < a->ninput; i++)
      for (int k = 0; k < count; k++)
        if (inputs[k] == 1 + a->input[i])
          df[i][c] = gradient[k];
  }
}

// P df in the column of an output.
static void scatter_output(const int *place, const double *P, const double df[6], double *J0) {
  for (int i = 0; i < FLY_TRIPLE; i++)
    for (int c = 0; place[i] >= 0 && c < 6; c++)
      J0[place[i]] -= P[6 * i + c] * df[c];
}

// Places in J that a load needs for one of its measures.
static size_t measure_places(const fly_model_measure *measure) {
  return measure->output >= 0 ? FLY_TRIPLE : FLY_TRIPLE * FLY_TRIPLE;
}

static void applied_derivatives(const fly_system *s, double *J0, double *J1, double *J2) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->napplied; k++) {
    const fly_model_applied *a = &m->applied[k];
    const int *place = s->applied_place + s->applied_start[k];
    double P[FLY_TRIPLE * 6], H[FLY_TRIPLE * FLY_TRIPLE] = {0}, f[6], df[FLY_LOAD_INPUTS][6];
    load_matrix(s, a, P);
    component_slopes(s, a, f, df);
    load_curvature(s, a, f, H);
    scatter_applied(place, H, -1.0, J2);
    place += FLY_TRIPLE * FLY_TRIPLE;
    for (int i = 0; i < a->ninput; place += measure_places(&m->measure[a->input[i++]])) {
      const fly_model_measure *measure = &m->measure[a->input[i]];
      double dq[FLY_TRIPLE], dv[FLY_TRIPLE], da[FLY_TRIPLE], none[FLY_TRIPLE] = {0};
      if (measure->output >= 0) {
        scatter_output(place, P, df[i], J0);
        continue;
      }
      fly_triple t = triple_of(s, measure->marker);
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
static void reaction_gradient(const fly_system *s, const fly_dae_state *at, int k, double weight[6],
                              double dq[FLY_TRIPLE]) {
  const fly_model_measure *measure = &s->model->measure[k];
  double W[6], dW[6 * FLY_PAIR];
  fly_triple t = triple_of(s, measure->marker);
  joint_load(s, k, at->lambda, W, dW);
  fly_reaction_gradient(weight, dq, (fly_reaction_kind)measure->kind, W, &t);
  for (int c = 0; c < 6; c++)
    for (int j = 0; j < FLY_PAIR; j++)
      dq[j] += weight[c] * dW[FLY_PAIR * c + j];
}

static void reaction_derivatives(const fly_system *s, const fly_dae_state *at, int k, double *J0, double *J2) {
  const fly_model_measure *measure = &s->model->measure[k];
  const int *place = s->applied_place + s->feedback_start[measure->output];
  double weight[6], dq[FLY_TRIPLE];
  reaction_gradient(s, at, k, weight, dq);
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
    if (measure->output < 0)
      continue;
    if (measure->joint >= 0) {
      reaction_derivatives(s, at, k, J0, J2);
      continue;
    }
    const int *place = s->applied_place + s->feedback_start[measure->output];
    double a[FLY_TRIPLE], dq[FLY_TRIPLE], dv[FLY_TRIPLE], da[FLY_TRIPLE];
    fly_triple t = triple_of(s, measure->marker);
    triple_accelerations(m, measure->marker, at->vdot, a);
    fly_measure_gradient(dq, dv, da, (fly_measure_kind)measure->kind, &t, a);
    scatter_gradient(place, dq, J2);
    scatter_gradient(place, dv, J1);
    scatter_gradient(place, da, J0);
  }
}

static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *at, void *user) {
  fly_system *s = user;
  const fly_model *m = s->model;
  update(s, at->q, at->v);
  gyroscopic(s, J1);
  pair_derivatives(s, at->t, J1, J2);
  if (m->napplied > 0) {
    update_inputs(s, at);
    applied_derivatives(s, J0, J1, J2);
    output_derivatives(s, at, J0, J1, J2);
  }
  for (int k = 0; k < m->nterm; k++) {
    const fly_term *term = &m->term[k];
    double lambda[3], H[FLY_PAIR * FLY_PAIR] = {0};
    fly_pair p = pair_of(s, term->pair);
    term_multipliers(s, term, at->lambda, lambda);
    fly_primitive_types[term->kind].curvature(H, lambda, &p, &term->k);
    scatter_block(s, term->pair, H, 1.0, J2);
  }
  return 0;
}

// ------------------------------------------------------------------------------------------ energy

void fly_system_energy(fly_system *s, double t, const double *q, const double *v, fly_energy *out) {
  const fly_model *m = s->model;
  update(s, q, v);
  *out = (fly_energy){0};
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    const fly_kinematics *at = &s->body[k];
    double L[3];
    fly_to_space(L, b->J, at->w);
    out->kinetic += 0.5 * (b->mass * fly_dot3(at->v, at->v) + fly_dot3(at->w, L));
    out->gravity -= b->mass * fly_dot3(m->gravity, at->r);
  }
  for (int k = 0; k < m->nspring; k++) {
    fly_pair p = pair_of(s, m->spring[k].pair);
    out->springs += fly_spring_energy(&p, &m->spring[k].k);
  }
  for (int k = 0; k < m->ntorsion; k++) {
    fly_pair p = pair_of(s, m->torsion[k].pair);
    out->springs += fly_torsion_energy(&m->torsion[k].k, torsion_angle(s, t, k, &p));
  }
  for (int k = 0; k < m->nbushing; k++) {
    fly_pair p = pair_of(s, m->bushing[k].pair);
    out->springs += fly_bushing_energy(&p, &m->bushing[k].k);
  }
}

// With M v' = f - G^T lambda and G v = -g_t, the constraints give v . (-G^T lambda) = lambda . g_t: those that stand
// still give nothing, and a motion gives what its force -lambda along the coordinate does at the rate -g_t.
static double motion_power(fly_system *s, const fly_dae_state *at) {
  double power = 0;
  constraint_rate(s->row, at->t, at->q, s);
  for (int k = 0; k < s->nactive; k++)
    power += at->lambda[k] * s->row[k];
  return power;
}

static double applied_power(fly_system *s, const fly_dae_state *at) {
  double power = 0;
  if (s->model->napplied == 0)
    return power;
  memset(s->Q, 0, (size_t)s->model->nv * sizeof *s->Q);
  update_inputs(s, at);
  applied_forces(s, s->Q);
  for (int i = 0; i < s->model->nv; i++)
    power += s->Q[i] * at->v[i];
  return power;
}

void fly_system_applied(fly_system *s, const fly_dae_state *at, int k, double f[6], double *Q) {
  memset(Q, 0, (size_t)s->model->nv * sizeof *Q);
  update(s, at->q, at->v);
  update_inputs(s, at);
  applied_force(s, k, f, Q);
}

static double damping_power(const fly_system *s) {
  const fly_model *m = s->model;
  double power = 0;
  for (int k = 0; k < m->nspring; k++) {
    fly_pair p = pair_of(s, m->spring[k].pair);
    power += fly_spring_dissipation(&p, &m->spring[k].k);
  }
  for (int k = 0; k < m->ntorsion; k++) {
    fly_pair p = pair_of(s, m->torsion[k].pair);
    power += fly_torsion_dissipation(&m->torsion[k].k, angle_rate(&p));
  }
  for (int k = 0; k < m->nbushing; k++) {
    fly_pair p = pair_of(s, m->bushing[k].pair);
    power += fly_bushing_dissipation(&p, &m->bushing[k].k);
  }
  return power;
}

void fly_system_power(fly_system *s, const fly_dae_state *at, fly_power *out) {
  update(s, at->q, at->v);
  *out = (fly_power){applied_power(s, at), motion_power(s, at), damping_power(s)};
}

bool fly_system_has_power(const fly_system *s) {
  const fly_model *m = s->model;
  bool has = m->napplied > 0 || m->nbushing > 0;
  for (int k = 0; k < m->nrow && !has; k++)
    has = m->row[k].motion >= 0;
  for (int k = 0; k < m->nspring && !has; k++)
    has = m->spring[k].k.damping != 0;
  for (int k = 0; k < m->ntorsion && !has; k++)
    has = m->torsion[k].k.damping != 0;
  return has;
}

static int energy(double *e, double t, const double *q, const double *v, void *user) {
  fly_energy parts;
  fly_system_energy(user, t, q, v, &parts);
  *e = parts.kinetic + parts.gravity + parts.springs;
  return 0;
}

// Generalized forces -G^T lambda on the second body of each pair (6 a pair).
static void sum_reactions(fly_system *s, const double *lambda, double *Q) {
  const fly_model *m = s->model;
  memset(Q, 0, 6 * (size_t)m->npair * sizeof *Q);
  for (int k = 0; k < m->nterm; k++) {
    const fly_term *term = &m->term[k];
    double rows[3 * FLY_PAIR], multiplier[3];
    fly_pair p = pair_of(s, term->pair);
    fly_primitive_types[term->kind].jacobian(rows, &p, &term->k);
    term_multipliers(s, term, lambda, multiplier);
    for (int r = 0; r < fly_primitive_types[term->kind].rows; r++)
      for (int c = 0; c < 6; c++)
        Q[6 * term->pair + c] -= rows[FLY_PAIR * r + 6 + c] * multiplier[r];
  }
}

void fly_system_reactions(fly_system *s, const fly_dae_state *at, double *wrench) {
  const fly_model *m = s->model;
  update(s, at->q, at->v);
  sum_reactions(s, at->lambda, wrench);
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

static void applied_state(fly_system *s, const fly_dae_state *at, int k, double out[6]) {
  const fly_model_applied *a = &s->model->applied[k];
  s->input[0] = at->t;
  for (int i = 0; i < a->ninput; i++) // its own alone: channels of all forces ask for one after another
    update_input(s, at, a->input[i]);
  applied_components(s, a, out);
  if (a->kind == FLY_LOAD_WRENCH)
    return;
  fly_triple t = triple_of(s, a->marker);
  fly_pair p = {t.ba, t.bb, t.ma, t.mb};
  out[1] = out[0];
  if (a->kind == FLY_LOAD_LENGTH)
    out[0] = fly_length(NULL, NULL, &p);
  else
    fly_primitive_types[FLY_ANGLE].value(out, &p, &ABOUT_Z);
}

void fly_system_force(fly_system *s, const fly_dae_state *at, fly_force_kind kind, int k, double out[6]) {
  const fly_model *m = s->model;
  update(s, at->q, at->v);
  if (kind == FLY_FORCE_APPLIED) {
    applied_state(s, at, k, out);
    return;
  }
  fly_pair p = pair_of(s, kind == FLY_FORCE_SPRING    ? m->spring[k].pair
                          : kind == FLY_FORCE_TORSION ? m->torsion[k].pair
                                                      : m->bushing[k].pair);
  if (kind == FLY_FORCE_SPRING) {
    out[0] = fly_length(NULL, NULL, &p);
    out[1] = -fly_spring_tension(&p, &m->spring[k].k);
  } else if (kind == FLY_FORCE_TORSION) {
    const fly_torsion *spring = &m->torsion[k].k;
    out[0] = torsion_angle(s, at->t, k, &p);
    out[1] = -(spring->stiffness * (out[0] - spring->free_angle) + spring->damping * angle_rate(&p));
  } else {
    fly_bushing_load(out, &p, &m->bushing[k].k);
    for (int c = 0; c < 6; c++)
      out[c] = -out[c];
  }
}

fly_pair fly_system_pair(fly_system *s, const fly_dae_state *at, int pair) {
  update(s, at->q, at->v);
  return pair_of(s, pair);
}

void fly_system_outputs(fly_system *s, const fly_dae_state *at, double *out) {
  const fly_model *m = s->model;
  if (m->noutput == 0)
    return;
  update(s, at->q, at->v);
  s->input[0] = at->t;
  for (int k = 0; k < m->nmeasure; k++)
    s->input[1 + k] = input_value(s, at, k);
  for (int k = 0; k < m->noutput; k++)
    out[k] = fly_expr_value(m->expression[m->output[k].expression], s->input);
}

// ------------------------------------------------------------------------------------------ inputs and outputs

static void add_columns(const fly_model *m, const int marker[3], double factor, const double gradient[FLY_TRIPLE],
                        double *out) {
  int column[FLY_TRIPLE];
  triple_columns(m, marker, column);
  for (int c = 0; c < FLY_TRIPLE; c++)
    if (column[c] >= 0)
      out[column[c]] += factor * gradient[c];
}

// Adds factor times the derivatives of a reaction; W = -G^T lambda.
static void add_reaction_slopes(const fly_system *s, const fly_dae_state *at, int k, double factor,
                                const fly_slopes *out) {
  const fly_model_measure *measure = &s->model->measure[k];
  double weight[6], dq[FLY_TRIPLE];
  reaction_gradient(s, at, k, weight, dq);
  add_columns(s->model, measure->marker, factor, dq, out->q);
  for (int i = s->reaction_start[k]; i < s->reaction_start[k + 1]; i++) {
    const fly_term *term = &s->model->term[s->reaction_term[i]];
    double rows[3 * FLY_PAIR];
    fly_pair p = pair_of(s, term->pair);
    fly_primitive_types[term->kind].jacobian(rows, &p, &term->k);
    for (int r = 0, place = term->row; r < 3; r++) {
      int kept = term->rows & (1 << r) ? s->place_of[place++] : -1;
      for (int c = 0; kept >= 0 && c < 6; c++)
        out->lambda[kept] -= factor * weight[c] * term->factor * rows[FLY_PAIR * r + 6 + c];
    }
  }
}

static void add_measure_slopes(const fly_system *s, const fly_dae_state *at, int k, double factor,
                               const fly_slopes *out) {
  const fly_model_measure *measure = &s->model->measure[k];
  double a[FLY_TRIPLE], dq[FLY_TRIPLE], dv[FLY_TRIPLE], da[FLY_TRIPLE];
  if (measure->joint >= 0) {
    add_reaction_slopes(s, at, k, factor, out);
    return;
  }
  fly_triple t = triple_of(s, measure->marker);
  triple_accelerations(s->model, measure->marker, at->vdot, a);
  fly_measure_gradient(dq, dv, da, (fly_measure_kind)measure->kind, &t, a);
  add_columns(s->model, measure->marker, factor, dq, out->q);
  add_columns(s->model, measure->marker, factor, dv, out->v);
  add_columns(s->model, measure->marker, factor, da, out->vdot);
}

void fly_system_output_slopes(fly_system *s, const fly_dae_state *at, int output, const fly_slopes *out) {
  const fly_model *m = s->model;
  const fly_expr *e = m->expression[m->output[output].expression];
  double value;
  int count = 0;
  const int *inputs = fly_expr_inputs(e, &count);
  memset(out->q, 0, (size_t)m->nv * sizeof *out->q);
  memset(out->v, 0, (size_t)m->nv * sizeof *out->v);
  memset(out->vdot, 0, (size_t)m->nv * sizeof *out->vdot);
  memset(out->lambda, 0, (size_t)s->nactive * sizeof *out->lambda);
  update(s, at->q, at->v);
  s->input[0] = at->t;
  for (int k = 0; k < m->nmeasure; k++)
    s->input[1 + k] = input_value(s, at, k);
  fly_expr_gradient(e, s->input, &value, out->work);
  for (int k = 0; k < count; k++)
    if (inputs[k] > 0)
      add_measure_slopes(s, at, inputs[k] - 1, out->work[k], out);
}

void fly_system_load_direction(fly_system *s, const fly_dae_state *at, int applied, int component, double *Q) {
  const fly_model_applied *a = &s->model->applied[applied];
  double P[FLY_TRIPLE * 6], column[FLY_TRIPLE];
  update(s, at->q, at->v);
  load_matrix(s, a, P);
  for (int i = 0; i < FLY_TRIPLE; i++)
    column[i] = P[6 * i + component];
  memset(Q, 0, (size_t)s->model->nv * sizeof *Q);
  add_columns(s->model, a->marker, 1.0, column, Q);
}

void fly_system_spring_direction(fly_system *s, const fly_dae_state *at, int pair, bool angle, double *Q) {
  double G[FLY_PAIR];
  update(s, at->q, at->v);
  fly_pair p = pair_of(s, pair);
  if (angle)
    fly_primitive_types[FLY_ANGLE].jacobian(G, &p, &ABOUT_Z);
  else
    fly_length(G, NULL, &p);
  memset(Q, 0, (size_t)s->model->nv * sizeof *Q);
  scatter_force(s, pair, G, Q);
}

static void row_name(char *text, size_t size, int row, void *user) {
  const fly_system *s = user;
  const fly_row *r = &s->model->row[s->active[row]];
  const fly_item *item = &s->model->spec->item[r->item];
  snprintf(text, size, "%s%s%s", item->name, r->direction[0] ? ", " : "", r->direction);
}

// ------------------------------------------------------------------------------------------ patterns

static fly_status mass_pattern(fly_system *s, fly_error *error) {
  const fly_model *m = s->model;
  size_t most = 12 * (size_t)m->nbody + 1;
  fly_arena work = {0};
  int *row = fly_arena_ints(&work, most), *col = fly_arena_ints(&work, most), *place = fly_arena_ints(&work, most);
  double *value = fly_arena_doubles(&work, most);
  int n = 0;
  fly_status status =
      work.failed ? fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d bodies.", m->nbody) : FLY_OK;
  for (int k = 0; k < m->nbody && status == FLY_OK; k++) {
    const fly_body *b = &m->body[k];
    for (int i = 0; i < b->columns; i++)
      for (int j = 0; j < b->columns; j++) {
        bool turn = b->column[i] >= 3 && b->column[j] >= 3;
        if (!turn && i != j)
          continue;
        row[n] = b->iv + i;
        col[n] = b->iv + j;
        value[n++] = turn ? b->J[3 * (b->column[i] - 3) + b->column[j] - 3] : b->mass;
      }
  }
  if (status == FLY_OK)
    status = fly_csc_from_entries(&s->M, m->nv, m->nv, n, row, col, place, error);
  for (int k = 0; k < n && status == FLY_OK; k++)
    s->M.val[place[k]] = value[k];
  fly_arena_free(&work);
  return status;
}

// Entries of a term in G, one after another from n on; row and col may be NULL to count them.
static int append_term(fly_system *s, int k, int *row, int *col, int n) {
  const fly_model *m = s->model;
  const fly_term *term = &m->term[k];
  int column[FLY_PAIR], model_row = term->row;
  pair_columns(m, term->pair, column);
  for (int r = 0; r < 3; r++) {
    bool exists = (term->rows >> r) & 1;
    int kept = exists ? s->place_of[model_row++] : -1;
    for (int c = 0; c < FLY_PAIR; c++) {
      if (kept < 0 || column[c] < 0 || !(fly_primitive_types[term->kind].columns[r] >> c & 1))
        continue;
      if (row) {
        row[n] = kept;
        col[n] = column[c];
        s->G_from[n] = (unsigned char)(FLY_PAIR * r + c);
      }
      n++;
    }
  }
  return n;
}

static fly_status constraint_pattern(fly_system *s, fly_error *error) {
  const fly_model *m = s->model;
  int n = 0;
  for (int k = 0; k < m->nterm; k++)
    n = append_term(s, k, NULL, NULL, n);
  fly_arena work = {0};
  int *row = fly_arena_ints(&work, (size_t)n), *col = fly_arena_ints(&work, (size_t)n);
  s->G_place = fly_arena_ints(&s->memory, (size_t)n);
  s->G_from = fly_arena_take(&s->memory, (size_t)n, sizeof *s->G_from);
  fly_status status = FLY_OK;
  if (work.failed || s->memory.failed)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d constraint rows.", m->nrow);
  for (int k = 0; k < m->nterm && status == FLY_OK; k++)
    s->G_start[k + 1] = append_term(s, k, row, col, s->G_start[k]);
  if (status == FLY_OK)
    status = fly_csc_from_entries(&s->G, s->nactive, m->nv, n, row, col, s->G_place, error);
  fly_arena_free(&work);
  return status;
}

static int count_reaction_terms(const fly_model *m) {
  int n = 0;
  for (int k = 0; k < m->nmeasure; k++)
    for (int i = 0; m->measure[k].joint >= 0 && i < m->nterm; i++)
      n += m->term[i].pair == m->joint_pair[m->measure[k].joint];
  return n;
}

static void find_reaction_terms(fly_system *s) {
  const fly_model *m = s->model;
  int n = 0;
  for (int k = 0; k < m->nmeasure; k++) {
    s->reaction_start[k] = n;
    for (int i = 0; m->measure[k].joint >= 0 && i < m->nterm; i++)
      if (m->term[i].pair == m->joint_pair[m->measure[k].joint])
        s->reaction_term[n++] = i;
  }
  s->reaction_start[m->nmeasure] = n;
}

// Places that applied forces need: a block of their own bodies, one a measure they use; then those of the rows of y.
static size_t count_applied_places(const fly_model *m) {
  size_t n = FLY_TRIPLE * (size_t)m->ny + 3 * (size_t)count_reaction_terms(m);
  for (int k = 0; k < m->napplied; k++) {
    n += FLY_TRIPLE * FLY_TRIPLE;
    for (int i = 0; i < m->applied[k].ninput; i++)
      n += measure_places(&m->measure[m->applied[k].input[i]]);
  }
  return n;
}

static int append_place(int *place, int r, int c, int *row, int *col, int n, int first) {
  *place = r >= 0 && c >= 0 ? n - first : -1;
  if (*place < 0)
    return n;
  row[n] = r;
  col[n] = c;
  return n + 1;
}

// Rows of the outputs y: columns of their markers, and multipliers of their joints.
static int append_outputs(fly_system *s, int *place, int *row, int *col, int n, int first) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nmeasure; k++) {
    const fly_model_measure *measure = &m->measure[k];
    int columns[FLY_TRIPLE];
    if (measure->output < 0)
      continue;
    s->feedback_start[measure->output] = (int)(place - s->applied_place);
    triple_columns(m, measure->marker, columns);
    for (int c = 0; c < FLY_TRIPLE; c++)
      n = append_place(place++, m->nv + measure->output, columns[c], row, col, n, first);
    for (int i = s->reaction_start[k]; i < s->reaction_start[k + 1]; i++) {
      const fly_term *term = &m->term[s->reaction_term[i]];
      for (int r = 0, model_row = term->row; r < 3; r++) {
        int kept = term->rows & (1 << r) ? s->place_of[model_row++] : -1;
        n = append_place(place++, m->nv + measure->output, kept < 0 ? -1 : m->nv + kept, row, col, n, first);
      }
    }
  }
  return n;
}

static int append_block(const int rows[FLY_TRIPLE], const int columns[FLY_TRIPLE], int *place, int *row, int *col,
                        int n, int first) {
  for (int i = 0; i < FLY_TRIPLE * FLY_TRIPLE; i++) {
    int r = rows[i / FLY_TRIPLE], c = columns[i % FLY_TRIPLE];
    place[i] = r >= 0 && c >= 0 ? n - first : -1;
    if (place[i] < 0)
      continue;
    row[n] = r;
    col[n++] = c;
  }
  return n;
}

// Entries of applied forces; their places are counted from the first of them until the pattern is made.
static int append_applied(fly_system *s, int *row, int *col, int n) {
  const fly_model *m = s->model;
  int *place = s->applied_place, first = n;
  for (int k = 0; k < m->napplied; k++) {
    int rows[FLY_TRIPLE], columns[FLY_TRIPLE];
    triple_columns(m, m->applied[k].marker, rows);
    s->applied_start[k] = (int)(place - s->applied_place);
    n = append_block(rows, rows, place, row, col, n, first);
    place += FLY_TRIPLE * FLY_TRIPLE;
    for (int i = 0; i < m->applied[k].ninput; i++) {
      const fly_model_measure *measure = &m->measure[m->applied[k].input[i]];
      triple_columns(m, measure->marker, columns);
      for (int r = 0; measure->output >= 0 && r < FLY_TRIPLE; r++)
        n = append_place(&place[r], rows[r], m->nv + s->nactive + measure->output, row, col, n, first);
      if (measure->output < 0)
        n = append_block(rows, columns, place, row, col, n, first);
      place += measure_places(measure);
    }
  }
  return append_outputs(s, place, row, col, n, first);
}

// Which blocks of its 12 x 12 each pair needs (npair): of constraints what they can fill, of forces all.
static void mark_blocks(const fly_model *m, unsigned short *blocks) {
  for (int k = 0; k < m->nterm; k++)
    blocks[m->term[k].pair] |= (unsigned short)fly_primitive_types[m->term[k].kind].blocks;
  for (int k = 0; k < m->nspring; k++)
    blocks[m->spring[k].pair] = 0xffff;
  for (int k = 0; k < m->ntorsion; k++)
    blocks[m->torsion[k].pair] = 0xffff;
  for (int k = 0; k < m->nbushing; k++)
    blocks[m->bushing[k].pair] = 0xffff;
}

// Entries of one pair.
static int append_pair(const fly_model *m, int pair, unsigned blocks, int *row, int *col, int n) {
  int column[FLY_PAIR];
  pair_columns(m, pair, column);
  for (int i = 0; i < FLY_PAIR; i++)
    for (int j = 0; j < FLY_PAIR; j++)
      if (column[i] >= 0 && column[j] >= 0 && (blocks >> (4 * (i / 3) + j / 3) & 1)) {
        row[n] = column[i];
        col[n++] = column[j];
      }
  return n;
}

// Blocks of pairs, the angular block of each rigid body, and those of applied forces.
static fly_status jacobian_pattern(fly_system *s, fly_error *error) {
  const fly_model *m = s->model;
  size_t places = count_applied_places(m);
  size_t most = 144 * (size_t)m->npair + 9 * (size_t)m->nbody + places + 1;
  fly_arena work = {0};
  int *row = fly_arena_ints(&work, most), *col = fly_arena_ints(&work, most);
  unsigned short *used = fly_arena_take(&work, (size_t)m->npair, sizeof *used);
  int n = 0;
  fly_status status =
      work.failed ? fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d element pairs.", m->npair) : FLY_OK;
  if (status == FLY_OK)
    mark_blocks(m, used);
  for (int k = 0; k < m->npair && status == FLY_OK; k++)
    n = append_pair(m, k, used[k], row, col, n);
  for (int k = 0; k < m->nbody && status == FLY_OK; k++)
    for (int i = 0; m->body[k].kind == FLY_RIGID && i < 9; i++) {
      row[n] = m->body[k].iv + 3 + i / 3;
      col[n++] = m->body[k].iv + 3 + i % 3;
    }
  int applied = n;
  if (status == FLY_OK)
    n = append_applied(s, row, col, n);
  int *place = fly_arena_ints(&work, most);
  if (status == FLY_OK && !place)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d forces.", m->napplied);
  if (status == FLY_OK)
    status = fly_csc_from_entries(&s->J, m->nv + m->ny, m->nv + s->nactive + m->ny, n, row, col, place, error);
  for (size_t k = 0; k < places && status == FLY_OK; k++)
    if (place && s->applied_place[k] >= 0)
      s->applied_place[k] = place[applied + s->applied_place[k]];
  fly_arena_free(&work);
  return status;
}

static void jacobian_places(fly_system *s) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->npair; k++) {
    int column[FLY_PAIR];
    pair_columns(m, k, column);
    for (int g = 0; g < 4; g++) {
      int first, of[3], count = group_rows(m, k, g, &first, of);
      for (int j = 0; j < FLY_PAIR; j++)
        s->pair_base[48 * k + FLY_PAIR * g + j] =
            count > 0 && column[j] >= 0 ? fly_csc_find(&s->J, first, column[j]) : -1;
    }
  }
  for (int k = 0; k < m->nbody; k++)
    for (int j = 0; m->body[k].kind == FLY_RIGID && j < 3; j++)
      s->body_base[3 * k + j] = fly_csc_find(&s->J, m->body[k].iv + 3, m->body[k].iv + 3 + j);
}

// ------------------------------------------------------------------------------------------ creation

static void take(fly_system *s) {
  const fly_model *m = s->model;
  fly_arena *a = &s->memory;
  s->active = fly_arena_ints(a, (size_t)m->nrow);
  s->place_of = fly_arena_ints(a, (size_t)m->nrow);
  s->offset = fly_arena_doubles(a, (size_t)m->nrow);
  s->row = fly_arena_doubles(a, (size_t)m->nrow);
  s->value = fly_arena_doubles(a, (size_t)m->nrow);
  s->motion = fly_arena_take(a, (size_t)m->nmotion, sizeof *s->motion);
  size_t angles = (size_t)(m->nterm + m->ntorsion + m->nmeasure + m->npair);
  s->turn = fly_arena_take(a, angles, sizeof *s->turn);
  s->angle = fly_arena_take(a, angles, sizeof *s->angle);
  s->walked = fly_arena_take(a, angles, sizeof *s->walked);
  s->applied_place = fly_arena_ints(a, count_applied_places(m));
  s->feedback_start = fly_arena_ints(a, (size_t)m->ny);
  s->reaction_start = fly_arena_ints(a, (size_t)m->nmeasure + 1);
  s->reaction_term = fly_arena_ints(a, (size_t)count_reaction_terms(m));
  s->applied_start = fly_arena_ints(a, (size_t)m->napplied);
  s->input = fly_arena_doubles(a, 1 + (size_t)m->nmeasure);
  s->body = fly_arena_take(a, (size_t)m->nbody + 1, sizeof *s->body);
  s->pair = fly_arena_take(a, (size_t)m->npair, sizeof *s->pair);
  s->q_seen = fly_arena_doubles(a, (size_t)m->nq);
  s->v_seen = fly_arena_doubles(a, (size_t)m->nv);
  s->G_start = fly_arena_ints(a, (size_t)m->nterm + 1);
  s->pair_base = fly_arena_ints(a, 48 * (size_t)m->npair);
  s->body_base = fly_arena_ints(a, 3 * (size_t)m->nbody);
  s->scale = fly_arena_doubles(a, (size_t)m->nv);
  s->rotation_q = fly_arena_ints(a, (size_t)m->nrotation);
  s->rotation_v = fly_arena_ints(a, (size_t)m->nrotation);
  s->q0 = fly_arena_doubles(a, (size_t)m->nq);
  s->v0 = fly_arena_doubles(a, (size_t)m->nv);
  s->Q = fly_arena_doubles(a, (size_t)m->nv);
}

static void choose_rows(fly_system *s, int count, const int *keep) {
  const fly_model *m = s->model;
  s->nactive = keep ? count : m->nrow;
  for (int k = 0; k < m->nrow; k++)
    s->place_of[k] = -1;
  for (int k = 0; k < s->nactive; k++) {
    s->active[k] = keep ? keep[k] : k;
    s->place_of[s->active[k]] = k;
  }
}

static void set_bodies(fly_system *s) {
  const fly_model *m = s->model;
  int rotation = 0;
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    for (int c = 0; c < b->columns; c++)
      s->scale[b->iv + c] = b->column[c] < 3 ? m->size : 1.0;
    memcpy(s->q0 + b->iq, b->q0, (size_t)(b->columns + (b->kind == FLY_RIGID)) * sizeof(double));
    memcpy(s->v0 + b->iv, b->v0, (size_t)b->columns * sizeof(double));
    if (b->kind == FLY_RIGID) {
      s->rotation_q[rotation] = b->iq + 3;
      s->rotation_v[rotation++] = b->iv + 3;
    }
  }
  s->body[m->nbody] = (fly_kinematics){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int k = 0; k < m->npair; k++) {
    int mi = m->pair[k].mi, mj = m->pair[k].mj;
    s->pair[k] =
        (fly_pair){&s->body[body_index(s, mi)], &s->body[body_index(s, mj)], &m->marker[mi].m, &m->marker[mj].m};
  }
}

static double measure_rate(const fly_system *s, int k) {
  const fly_model_measure *measure = &s->model->measure[k];
  double dq[FLY_TRIPLE], dv[FLY_TRIPLE], da[FLY_TRIPLE], none[FLY_TRIPLE] = {0}, rate = 0;
  fly_triple p = triple_of(s, measure->marker);
  const fly_kinematics *body[3] = {p.ba, p.bb, p.bc};
  fly_measure_gradient(dq, dv, da, (fly_measure_kind)measure->kind, &p, none);
  for (int c = 0; c < FLY_TRIPLE; c++)
    if (body[c / 6])
      rate += dq[c] * (c % 6 < 3 ? body[c / 6]->v[c % 3] : body[c / 6]->w[c % 3]);
  return rate;
}

void fly_system_angle_now(const fly_system *s, const fly_angle *a, double *angle, double *rate) {
  const fly_model *m = s->model;
  if (a->kind == FLY_ANGLE_OF_MEASURE) {
    fly_triple p = triple_of(s, m->measure[a->which].marker);
    *angle = fly_measure_value((fly_measure_kind)m->measure[a->which].kind, &p, NULL);
    *rate = measure_rate(s, a->which);
    return;
  }
  const fly_term *term = a->kind == FLY_ANGLE_OF_TERM ? &m->term[a->which] : NULL;
  const fly_primitive *k = term ? &term->k : &ABOUT_Z;
  fly_pair p = pair_of(s, term ? term->pair : a->kind == FLY_ANGLE_OF_TORSION ? m->torsion[a->which].pair : a->which);
  fly_primitive_types[FLY_ANGLE].value(angle, &p, k);
  *rate = fly_primitive_rate(FLY_ANGLE, &p, k);
}

static void add_angle(fly_system *s, fly_angle_kind kind, int which, bool felt) {
  s->angle[s->nangle++] = (fly_angle){kind, which, felt};
}

static void list_angles(fly_system *s) {
  const fly_model *m = s->model;
  for (int i = 0; i < m->nangle; i++)
    add_angle(s, FLY_ANGLE_OF_TERM, m->angle[i], m->row[m->term[m->angle[i]].row].counted);
  for (int k = 0; k < m->ntorsion; k++)
    add_angle(s, FLY_ANGLE_OF_TORSION, k, true);
  for (int k = 0; k < m->nmeasure; k++)
    if (fly_measure_is_angle(&m->measure[k]))
      add_angle(s, FLY_ANGLE_OF_MEASURE, k, m->measure[k].felt);
  for (int k = 0; k < m->spec->nitem; k++)
    if (m->joint_pair[k] >= 0 && fly_joint_turns(&m->spec->item[k]))
      add_angle(s, FLY_ANGLE_OF_JOINT, m->joint_pair[k], false);
}

// Motions given by velocities or accelerations go on from where their coordinates are at the start.
static void start_motions(fly_system *s) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nmotion; k++)
    s->motion[k] = (fly_motion){.expression = m->expression[m->motion[k].expression], .level = m->motion[k].level};
  for (int k = 0; k < m->nterm; k++) {
    int motion = m->row[m->term[k].row].motion;
    fly_pair p = pair_of(s, m->term[k].pair);
    if (motion < 0 || s->motion[motion].level == 0)
      continue;
    fly_primitive_types[m->term[k].kind].value(&s->motion[motion].s, &p, &m->term[k].k);
    s->motion[motion].v = fly_primitive_rate(m->term[k].kind, &p, &m->term[k].k);
  }
}

// Couplers and screws hold the sum of their coordinates as it is at the start.
static void set_offsets(fly_system *s) {
  const fly_model *m = s->model;
  update(s, s->q0, s->v0);
  start_motions(s);
  (void)fly_system_accept(s, 0.0, s->q0, s->v0);
  memset(s->offset, 0, (size_t)s->nactive * sizeof *s->offset);
  for (int k = 0; k < m->nterm; k++) {
    fly_pair p = pair_of(s, m->term[k].pair);
    add_value(s, s->accepted, k, &p, s->offset);
  }
  for (int k = 0; k < s->nactive; k++)
    if (!m->row[s->active[k]].counted)
      s->offset[k] = 0.0;
}

static void fill_problem(fly_system *s) {
  const fly_model *m = s->model;
  s->dae = (fly_dae_problem){.name = m->spec->name,
                             .nq = m->nq,
                             .nv = m->nv,
                             .ng = s->nactive,
                             .ny = m->ny,
                             .nrotation = m->nrotation,
                             .rotation_q = s->rotation_q,
                             .rotation_v = s->rotation_v,
                             .mass_pattern = {s->M.start, s->M.row},
                             .constraint_pattern = {s->G.start, s->G.row},
                             .jacobian_pattern = {s->J.start, s->J.row},
                             .mass_constant = true,
                             .mass = mass,
                             .force = force,
                             .outputs = outputs,
                             .constraint = constraint,
                             .constraint_jacobian = constraint_jacobian,
                             .constraint_rate = constraint_rate,
                             .constraint_gamma = constraint_gamma,
                             .constraint_velocity_jacobian = constraint_velocity_jacobian,
                             .jacobian = jacobian,
                             .energy = energy,
                             .row_name = row_name,
                             .autonomous = s->ntimed == 0,
                             .next_break = s->ntimed ? fly_system_next_break : NULL,
                             .longest_step = s->ntimed ? fly_system_longest_step : NULL,
                             .leap = s->nlurking > 0 ? fly_system_leap : NULL,
                             .scale_v = s->scale,
                             .user = s};
}

fly_status fly_system_create(fly_system *s, const fly_model *model, int count, const int *keep, fly_error *error) {
  *s = (fly_system){.model = model};
  take(s);
  if (s->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a system of %d bodies.", model->nbody);
  s->torsion_turn = s->turn + model->nterm;
  s->measure_turn = s->torsion_turn + model->ntorsion;
  s->joint_turn = s->measure_turn + model->nmeasure;
  choose_rows(s, count, keep);
  find_reaction_terms(s);
  set_bodies(s);
  list_angles(s);
  fly_status status = mass_pattern(s, error);
  if (status == FLY_OK)
    status = constraint_pattern(s, error);
  if (status == FLY_OK)
    status = jacobian_pattern(s, error);
  if (status)
    return status;
  jacobian_places(s);
  set_offsets(s);
  if (!fly_system_find_timed(s) || !fly_system_find_lurking(s))
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a system of %d bodies.", model->nbody);
  fill_problem(s);
  return FLY_OK;
}

fly_status fly_system_keep(fly_system *s, const int *keep, fly_error *error) {
  fly_system fresh;
  fly_status status = fly_system_create(&fresh, s->model, s->nactive, keep, error);
  if (status) {
    fly_system_free(&fresh);
    return status;
  }
  fly_system_copy_turns(&fresh, s);
  fresh.smooth_until = s->smooth_until;
  fresh.run_end = s->run_end;
  fly_system_free(s);
  *s = fresh;
  s->dae.user = s;
  return FLY_OK;
}

void fly_system_free(fly_system *s) {
  fly_csc_free(&s->M);
  fly_csc_free(&s->G);
  fly_csc_free(&s->J);
  fly_arena_free(&s->memory);
}
