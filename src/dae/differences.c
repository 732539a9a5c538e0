// Derivatives a problem does not give, by central differences. Columns that share no row are moved together
// (Curtis, Powell, Reid), so a sparse Jacobian costs a number of evaluations that does not grow with the problem.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "dae/eval.h"

static const double STEP = 6e-6; // about cbrt(machine epsilon): balances round-off and truncation

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

int fly_differences_constraint_jacobian(fly_eval *e, double *values, double t, const double *q) {
  const fly_colouring *c = &e->colour_G;
  for (int k = 0; k < c->count; k++) {
    move_positions(e, e->dq, q, c, k, 1.0);
    int code = fly_eval_constraint(e, e->plus, t, e->dq);
    move_positions(e, e->dq, q, c, k, -1.0);
    if (code == 0)
      code = fly_eval_constraint(e, e->minus, t, e->dq);
    if (code)
      return code;
    store_positions(values, &e->G, e, q, c, k, e->plus, e->minus);
  }
  return 0;
}

int fly_differences_rate(fly_eval *e, double *gt, double t, const double *q) {
  double h = e->time_step;
  int code = fly_eval_constraint(e, e->plus, t + h, q);
  if (code == 0)
    code = fly_eval_constraint(e, e->minus, t - h, q);
  for (int i = 0; i < e->p.ng && code == 0; i++)
    gt[i] = (e->plus[i] - e->minus[i]) / (2 * h);
  return code;
}

// gamma = d/dt (G v + g_t) along q' = v at fixed v.
int fly_differences_gamma(fly_eval *e, double *gamma, bool holonomic, double t, const double *q, const double *v) {
  double speed = 0;
  for (int i = 0; i < e->p.nv; i++)
    speed = fmax(speed, fabs(v[i]) / position_step(e, q, i));
  double h = speed > 0 ? fmin(1.0 / speed, e->time_step) : e->time_step;
  for (int sign = 1; sign >= -1; sign -= 2) {
    for (int i = 0; i < e->p.nv; i++)
      e->delta[i] = sign * h * v[i];
    fly_eval_plus(e, e->outer_q, q, e->delta);
    double *rows = sign > 0 ? e->outer_plus : e->outer_minus;
    int code = fly_eval_velocity_rows_at(e, rows, holonomic, t + sign * h, e->outer_q, v);
    if (code)
      return code;
  }
  int n = holonomic ? e->p.ng : e->p.nb;
  for (int i = 0; i < n; i++)
    gamma[i] = (e->outer_plus[i] - e->outer_minus[i]) / (2 * h);
  return 0;
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
  int code = fly_eval_kinematics(e, s->t, s->q);
  if (code == 0)
    code = fly_eval_equations(e, out, s);
  if (code == 0)
    fly_csc_multiply_add(out, &e->M, 1.0, s->vdot);
  return code;
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
  const fly_dae_state moved = {s->t, s->q, e->dv, e->da, e->dl, e->dx, e->dxd, e->dy};
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
