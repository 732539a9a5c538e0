// Derivatives a problem does not give, by central differences: docs/theory/control.md, section 13. Columns that share
// no row are moved together (Curtis, Powell, Reid), so a sparse Jacobian costs a number of evaluations that does not
// grow with the problem.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "dae/eval.h"
#include "dae/outcome.h"

static const double STEP = 6e-6;                // about cbrt(machine epsilon): balances round-off and truncation
static const double WIDEST = 0.1;               // of differences whose width is looked for, in scales of the positions
static const double FIRST_SHARE = 0.1;          // of it, to begin with
static const double FIRST_SHARE_IN_TIME = 1e-3; // how fast time works is not known: no wider than it looks smooth

// ------------------------------------------------------------------------------------------ colouring

// For each row the columns that meet it, as a compressed list.
static void transpose_pattern(int *start, int *col, const fly_csc *a) {
  memset(start, 0, (size_t)(a->rows + 1) * sizeof *start);
  for (int k = 0; k < fly_csc_nnz(a); k++)
    start[a->row[k] + 1]++;
  for (int i = 0; i < a->rows; i++)
    start[i + 1] += start[i];
  for (int j = 0; j < a->cols; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
      col[start[a->row[k]]++] = j;
  for (int i = a->rows; i > 0; i--)
    start[i] = start[i - 1];
  start[0] = 0;
}

static int smallest_free_colour(int *seen, const fly_csc *a, int j, const int *start, const int *col,
                                const int *colour) {
  for (int k = a->start[j]; k < a->start[j + 1]; k++)
    for (int m = start[a->row[k]]; m < start[a->row[k] + 1]; m++)
      if (col[m] < j)
        seen[colour[col[m]]] = j + 1;
  int c = 0;
  while (seen[c] == j + 1)
    c++;
  return c;
}

fly_status fly_eval_colour(fly_colouring *c, const fly_csc *a, fly_arena *memory, fly_error *error) {
  fly_arena work = {0};
  int *start = fly_arena_ints(&work, (size_t)a->rows + 1);
  int *col = fly_arena_ints(&work, (size_t)fly_csc_nnz(a));
  int *seen = fly_arena_ints(&work, (size_t)a->cols + 1);
  c->colour = fly_arena_ints(memory, (size_t)a->cols);
  if (work.failed || memory->failed) {
    fly_arena_free(&work);
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a colouring of %d columns.", a->cols);
  }
  transpose_pattern(start, col, a);
  c->count = 0;
  for (int j = 0; j < a->cols; j++) {
    c->colour[j] = smallest_free_colour(seen, a, j, start, col, c->colour);
    if (c->colour[j] >= c->count)
      c->count = c->colour[j] + 1;
  }
  fly_arena_free(&work);
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ positions

// A step of a position: relative to itself, or to its scale where it is smaller.
static double position_step(const fly_eval *e, const double *q, int iv) {
  int iq = e->q_of_v[iv];
  double scale = e->p.scale_v ? e->p.scale_v[iv] : 1.0;
  return STEP * (iq < 0 ? 1.0 : fmax(scale, fabs(q[iq])));
}

// out = q moved by sign times the step in all columns of one colour.
static void move_positions(fly_eval *e, double *out, const double *q, const fly_colouring *c, int colour, double sign) {
  for (int i = 0; i < e->p.nv; i++)
    e->delta[i] = c->colour[i] == colour ? sign * position_step(e, q, i) : 0.0;
  fly_eval_plus(e, out, q, e->delta);
}

// values[...] = (plus - minus) / width in the columns of one colour.
static void store_positions(double *values, const fly_csc *a, const fly_eval *e, const double *q,
                            const fly_colouring *c, int colour, const double *plus, const double *minus) {
  for (int j = 0; j < e->p.nv; j++) {
    if (c->colour[j] != colour)
      continue;
    double width = 2 * position_step(e, q, j);
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
      values[k] = (plus[a->row[k]] - minus[a->row[k]]) / width;
  }
}

static double scale_of(const fly_eval *e, int iv) { return e->p.scale_v ? e->p.scale_v[iv] : 1.0; }

// What rows change by when all positions move by their scales, as far as the last evaluation of G or B tells.
static void find_row_units(fly_eval *e, bool holonomic) {
  const fly_csc *a = holonomic ? &e->G : &e->B;
  memset(e->row_unit, 0, (size_t)a->rows * sizeof *e->row_unit);
  for (int j = 0; j < a->cols; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
      e->row_unit[a->row[k]] += fabs(a->val[k]) * scale_of(e, j);
  for (int i = 0; i < a->rows; i++)
    e->row_unit[i] = e->row_unit[i] > 0 ? e->row_unit[i] : 1.0;
}

// Rounding error of g: that of the largest position.
static double position_rounding(const fly_eval *e, const double *q) {
  double largest = 1;
  for (int i = 0; i < e->p.nv; i++)
    if (e->q_of_v[i] >= 0)
      largest = fmax(largest, fabs(q[e->q_of_v[i]]) / scale_of(e, i));
  return DBL_EPSILON * largest;
}

// g where the columns of one colour have moved by tau times their scales.
static int column_rows(fly_eval *e, double *rows, double tau, const fly_curve *c) {
  for (int i = 0; i < e->p.nv; i++)
    e->delta[i] = e->colour_G.colour[i] == c->colour ? tau * scale_of(e, i) : 0.0;
  fly_eval_plus(e, e->dq, c->q, e->delta);
  return fly_eval_constraint(e, rows, c->t, e->dq);
}

int fly_differences_constraint_jacobian(fly_eval *e, double *values, double t, const double *q) {
  fly_curve c = {.rows = column_rows, .n = e->p.ng, .t = 0, .q = q, .widest = WIDEST, .first_share = FIRST_SHARE};
  find_row_units(e, true);
  c.rounding = position_rounding(e, q);
  c.t = t;
  for (c.colour = 0; c.colour < e->colour_G.count; c.colour++) {
    const int code = fly_curve_derive(e, &c, false, &e->width_G[c.colour], e->slope);
    if (code)
      return code;
    for (int j = 0; j < e->p.nv; j++)
      for (int k = e->G.start[j]; k < e->G.start[j + 1] && e->colour_G.colour[j] == c.colour; k++)
        values[k] = e->slope[e->G.row[k]] / scale_of(e, j);
  }
  return 0;
}

static int resting_rows(fly_eval *e, double *rows, double tau, const fly_curve *c) {
  return fly_eval_constraint(e, rows, c->t + tau, c->q);
}

int fly_differences_rate(fly_eval *e, double *gt, double t, const double *q) {
  find_row_units(e, true);
  const fly_curve c = {.rows = resting_rows,
                       .n = e->p.ng,
                       .t = t,
                       .q = q,
                       .widest = e->time_widest,
                       .first_share = FIRST_SHARE_IN_TIME,
                       .rounding = position_rounding(e, q)};
  return fly_curve_derive(e, &c, false, &e->width_rate, gt);
}

// A moment later, if v stayed as it is.
static void move_along(fly_eval *e, double tau, const fly_curve *c) {
  for (int i = 0; i < e->p.nv; i++)
    e->delta[i] = tau * c->v[i];
  fly_eval_plus(e, e->outer_q, c->q, e->delta);
}

static int moving_rows(fly_eval *e, double *rows, double tau, const fly_curve *c) {
  move_along(e, tau, c);
  return fly_eval_constraint(e, rows, c->t + tau, e->outer_q);
}

static int velocity_rows(fly_eval *e, double *rows, double tau, const fly_curve *c) {
  move_along(e, tau, c);
  return fly_eval_velocity_rows_at(e, rows, c->holonomic, c->t + tau, e->outer_q, c->v);
}

// gamma = d/dt (G v + g_t) along q' = v at fixed v; where G or g_t would be a difference itself, the second derivative
// of g there, which is the same (D-gamma).
int fly_differences_gamma(fly_eval *e, double *gamma, bool holonomic, double t, const double *q, const double *v) {
  const bool second = holonomic && !(e->p.constraint_jacobian && e->p.constraint_rate);
  double speed = 0;
  for (int i = 0; i < e->p.nv; i++)
    speed = fmax(speed, fabs(v[i]) / scale_of(e, i));
  find_row_units(e, holonomic);
  const fly_curve c = {.rows = second ? moving_rows : velocity_rows,
                       .n = holonomic ? e->p.ng : e->p.nb,
                       .t = t,
                       .q = q,
                       .v = v,
                       .holonomic = holonomic,
                       .widest = speed > 0 ? fmin(WIDEST / speed, e->time_widest) : e->time_widest,
                       .first_share = FIRST_SHARE,
                       .rounding = second ? position_rounding(e, q) : DBL_EPSILON * speed + DBL_MIN};
  return fly_curve_derive(e, &c, second, holonomic ? &e->width_gamma : &e->width_nonholonomic, gamma);
}

int fly_differences_velocity(fly_eval *e, double *values, bool holonomic, double t, const double *q, const double *v) {
  const fly_colouring *c = holonomic ? &e->colour_G : &e->colour_B;
  const fly_csc *a = holonomic ? &e->Zg : &e->Zb;
  for (int k = 0; k < c->count; k++) {
    for (int sign = 1; sign >= -1; sign -= 2) {
      move_positions(e, e->outer_q, q, c, k, sign);
      double *rows = sign > 0 ? e->outer_plus : e->outer_minus;
      int code = fly_eval_velocity_rows_at(e, rows, holonomic, t, e->outer_q, v);
      if (code)
        return code;
    }
    store_positions(values, a, e, q, c, k, e->outer_plus, e->outer_minus);
  }
  return 0;
}

// ------------------------------------------------------------------------------------------ equations

typedef struct moved_block {
  int level;         // 0, 1, 2: which of J0, J1, J2
  int column, count; // columns of the Jacobian
  const double *value;
  double *moved; // NULL: positions, moved on their manifold
  double size;   // largest value of the block, 1 if all are zero
} moved_block;

static double block_step(const fly_eval *e, const moved_block *b, const double *q, int j) {
  return b->moved ? STEP * b->size : position_step(e, q, j);
}

// What the callbacks give or, where positions move, all that depends on them: M v' + G^T lambda as well.
static int rows_at(fly_eval *e, double *out, const fly_dae_state *s, bool positions) {
  if (!positions)
    return fly_eval_applied(e, out, s);
  return fly_eval_motion(e, out, s);
}

static void move_block(fly_eval *e, const moved_block *b, const fly_dae_state *s, int colour, double sign) {
  const int *of = e->colour_J.colour + b->column;
  double *target = b->moved ? b->moved : e->delta;
  for (int j = 0; j < b->count; j++) {
    double step = of[j] == colour ? sign * block_step(e, b, s->q, j) : 0.0;
    target[j] = b->moved ? b->value[j] + step : step;
  }
  if (!b->moved)
    fly_eval_plus(e, e->outer_q, s->q, e->delta);
}

static void store_block(fly_eval *e, const moved_block *b, const double *q, int colour) {
  fly_csc *a = &e->J[b->level];
  for (int j = 0; j < b->count; j++) {
    int column = b->column + j;
    if (e->colour_J.colour[column] != colour)
      continue;
    double width = 2 * block_step(e, b, q, j);
    for (int k = a->start[column]; k < a->start[column + 1]; k++)
      a->val[k] = (e->outer_plus[a->row[k]] - e->outer_minus[a->row[k]]) / width;
  }
}

static int difference_block(fly_eval *e, const moved_block *b, const fly_dae_state *s, const fly_dae_state *moved) {
  for (int colour = 0; colour < e->colour_J.count; colour++) {
    for (int sign = 1; sign >= -1; sign -= 2) {
      move_block(e, b, s, colour, sign);
      int code = rows_at(e, sign > 0 ? e->outer_plus : e->outer_minus, moved, !b->moved);
      if (code)
        return code;
    }
    store_block(e, b, s->q, colour);
  }
  if (b->moved) // leave the moved copy as it was for the next block
    memcpy(b->moved, b->value, (size_t)b->count * sizeof *b->value);
  return 0;
}

int fly_differences_jacobian(fly_eval *e, const fly_dae_state *s) {
  const fly_dae_problem *p = &e->p;
  int cl = p->nv, cx = cl + e->nl, cy = cx + p->nx;
  moved_block blocks[] = {{0, 0, p->nv, s->vdot, e->da, 0},   {0, cl, e->nl, s->lambda, e->dl, 0},
                          {0, cx, p->nx, s->xdot, e->dxd, 0}, {0, cy, p->ny, s->y, e->dy, 0},
                          {1, 0, p->nv, s->v, e->dv, 0},      {1, cx, p->nx, s->x, e->dx, 0},
                          {2, 0, p->nv, NULL, NULL, 0}};
  const size_t count = sizeof blocks / sizeof *blocks;
  for (size_t k = 0; k + 1 < count; k++) {
    for (int j = 0; j < blocks[k].count; j++)
      blocks[k].size = fmax(blocks[k].size, fabs(blocks[k].value[j]));
    if (blocks[k].size == 0)
      blocks[k].size = 1;
    if (blocks[k].count)
      memcpy(blocks[k].moved, blocks[k].value, (size_t)blocks[k].count * sizeof(double));
  }
  const fly_dae_state moved = {s->t, s->q, e->dv, e->da, e->dl, e->dx, e->dxd, e->dy, s->side};
  int code = 0;
  for (size_t k = 0; k + 1 < count && code == 0; k++)
    if (blocks[k].count)
      code = difference_block(e, &blocks[k], s, &moved);
  if (code)
    return code;
  fly_dae_state turned = *s;
  turned.q = e->outer_q;
  code = difference_block(e, &blocks[count - 1], s, &turned);
  return code ? code : fly_eval_kinematics(e, s->t, s->q); // leave M, G, B at s
}

// ------------------------------------------------------------------------------------------ bends

// By Richardson's extrapolation of central differences: G and gamma may be exact, their common derivative is not given.
int fly_differences_bend(fly_eval *e, double *out, const fly_dae_state *s, const double *dq, const double *dv,
                         double *work) {
  const int nv = e->p.nv;
  double *q = work, *v = q + e->p.nq, *rows = v + nv;
  double speed = largest(s->v, nv), rate = speed > 0 ? largest(dv, nv) / speed : 0;
  double h = 1e-3 / fmax(largest(dq, nv), rate > 0 ? rate : largest(dv, nv));
  memset(out, 0, (size_t)e->nl * sizeof *out);
  for (int level = 0; level < 2 && isfinite(h); level++)
    for (int sign = -1; sign <= 1; sign += 2) {
      double step = sign * (level ? h / 2 : h), weight = (level ? 4.0 : -1.0) / 3 / (2 * step);
      for (int i = 0; i < nv; i++) {
        e->delta[i] = step * dq[i];
        v[i] = s->v[i] + step * dv[i];
      }
      fly_eval_plus(e, q, s->q, e->delta);
      int code = fly_eval_acceleration_rows_at(e, rows, s, q, v);
      for (int i = 0; i < e->nl; i++)
        out[i] += weight * rows[i];
      if (code)
        return code;
    }
  return 0;
}
