// Square systems of constraints: Newton for positions, linear equations for the rest.
#include "analysis/square.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/so3.h"

enum { MOST_ITERATIONS = 12 };
// Increments (in sizes of the model and radians) below which positions are known to rounding: Newton's iteration
// squares them once more.
static const double SMALL = 1e-9;
// Corrections must shrink at least so fast: where they do, there is no other solution near.
static const double CONTRACTION = 0.25;
static const double SMALLEST_RCOND = 1e-12;

// ------------------------------------------------------------------------------------------ life

fly_status fly_square_create(fly_square *s, fly_system *system, int held, fly_error *error) {
  const fly_model *m = system->model;
  *s = (fly_square){.system = system, .n = m->nv, .nrow = system->nactive, .held = held};
  size_t all = (size_t)system->nactive + (size_t)m->nv;
  s->row = fly_arena_ints(&s->memory, (size_t)m->nv);
  s->place = fly_arena_ints(&s->memory, all);
  s->rows = fly_arena_doubles(&s->memory, all);
  s->x = fly_arena_doubles(&s->memory, (size_t)m->nv + (size_t)m->ny);
  if (s->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d coordinates.", m->nv);
  return fly_eval_create(&s->e, &system->dae, error);
}

fly_status fly_square_stiffen(fly_square *s, int *modes, fly_error *error) {
  const fly_model *m = s->system->model;
  bool *stiff = fly_arena_take(&s->memory, (size_t)s->n, sizeof *stiff);
  *modes = 0;
  if (s->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d coordinates.", s->n);
  for (int k = 0; k < m->nbody; k++)
    for (int c = m->body[k].type->nv; c < m->body[k].columns; c++, (*modes)++)
      stiff[m->body[k].iv + c] = true;
  s->stiff = *modes > 0 ? stiff : NULL;
  return FLY_OK;
}

static void forget_choice(fly_square *s) {
  fly_lu_free(s->lu);
  fly_lu_free(s->k_lu);
  fly_csc_free(&s->A);
  fly_csc_free(&s->K);
  fly_arena_free(&s->chosen);
  s->lu = s->k_lu = NULL;
  s->fresh = 0;
  s->A = s->K = (fly_csc){0};
  s->chosen = (fly_arena){0};
}

void fly_square_free(fly_square *s) {
  forget_choice(s);
  fly_eval_free(&s->e);
  fly_arena_free(&s->memory);
}

void fly_pose_take(fly_pose *p, const fly_square *s, fly_arena *memory) {
  const fly_model *m = s->system->model;
  p->q = fly_arena_doubles(memory, (size_t)m->nq);
  p->v = fly_arena_doubles(memory, (size_t)m->nv);
  p->vdot = fly_arena_doubles(memory, (size_t)m->nv);
  p->lambda = fly_arena_doubles(memory, (size_t)s->nrow + (size_t)m->nv);
  p->y = fly_arena_doubles(memory, (size_t)m->ny);
}

void fly_pose_copy(fly_pose *to, const fly_pose *from, const fly_square *s) {
  const fly_model *m = s->system->model;
  to->t = from->t;
  memcpy(to->q, from->q, (size_t)m->nq * sizeof(double));
  memcpy(to->v, from->v, (size_t)m->nv * sizeof(double));
  memcpy(to->vdot, from->vdot, (size_t)m->nv * sizeof(double));
  memcpy(to->lambda, from->lambda, ((size_t)s->nrow + (size_t)m->nv) * sizeof(double));
  memcpy(to->y, from->y, (size_t)m->ny * sizeof(double));
}

fly_dae_state fly_pose_state(const fly_pose *p) {
  return (fly_dae_state){.t = p->t, .q = p->q, .v = p->v, .vdot = p->vdot, .lambda = p->lambda, .y = p->y};
}

// ------------------------------------------------------------------------------------------ which rows

// G, and below it, if they are wanted, a one for each coordinate; of one that is stiff nothing else.
static fly_status all_rows(fly_square *s, fly_csc *out, double t, const double *q, bool wanted, fly_error *error) {
  const fly_csc *G = &s->e.G;
  const bool units = wanted || s->stiff;
  const int entries = fly_csc_nnz(G) + (units ? s->n : 0);
  fly_arena work = {0};
  int *row = fly_arena_ints(&work, (size_t)entries), *col = fly_arena_ints(&work, (size_t)entries), n = 0;
  int *place = fly_arena_ints(&work, (size_t)entries);
  fly_status status = FLY_OK;
  if (work.failed)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d constraint rows.", s->nrow);
  else if (fly_eval_constraint_jacobian(&s->e, s->e.G.val, t, q) != 0)
    status =
        fly_fail(error, FLY_NOT_FINITE, t, "The constraints have derivatives that are not finite at t = %.9g s.", t);
  for (int j = 0; j < s->n && status == FLY_OK; j++) {
    for (int k = G->start[j]; k < G->start[j + 1]; k++, n++) {
      row[n] = G->row[k];
      col[n] = j;
    }
    if (units) {
      row[n] = s->nrow + j;
      col[n++] = j;
    }
  }
  if (status == FLY_OK)
    status = fly_csc_from_entries(out, s->nrow + (units ? s->n : 0), s->n, n, row, col, place, error);
  for (int j = 0, k = 0, e = 0; j < s->n && status == FLY_OK; j++) {
    const bool stiff = s->stiff && s->stiff[j];
    for (; k < G->start[j + 1]; k++)
      out->val[place[e++]] = stiff ? 0.0 : G->val[k];
    if (units)
      out->val[place[e++]] = wanted || stiff ? 1.0 : 0.0;
  }
  fly_arena_free(&work);
  return status;
}

// Pattern of A: the entries of G in the rows chosen, and the ones.
static fly_status make_matrix(fly_square *s, fly_error *error) {
  const fly_csc *G = &s->e.G;
  int n = 0, most = fly_csc_nnz(G) + s->n;
  int *start = fly_arena_ints(&s->chosen, (size_t)s->n + 1), *row = fly_arena_ints(&s->chosen, (size_t)most);
  s->from = fly_arena_ints(&s->chosen, (size_t)most);
  if (s->chosen.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d coordinates.", s->n);
  for (int j = 0; j < s->n; j++) {
    start[j] = n;
    for (int k = G->start[j]; k < G->start[j + 1]; k++)
      if (s->place[G->row[k]] >= 0) {
        row[n] = s->place[G->row[k]];
        s->from[n++] = k;
      }
    if (s->place[s->nrow + j] >= 0) {
      row[n] = s->place[s->nrow + j];
      s->from[n++] = -1;
    }
  }
  start[s->n] = n;
  fly_status status = fly_csc_create(&s->A, s->n, s->n, start, row, error);
  return status ? status : fly_lu_create(&s->lu, &s->A, error);
}

// Pattern of K, for models whose forces feel accelerations or reactions.
static fly_status make_force_matrix(fly_square *s, fly_error *error) {
  const int ny = s->e.p.ny, na = fly_csc_nnz(&s->A), nj = fly_csc_nnz(&s->e.J[0]), most = na + nj + ny;
  fly_arena work = {0};
  int *row = fly_arena_ints(&work, (size_t)most), *col = fly_arena_ints(&work, (size_t)most);
  int *place = fly_arena_ints(&work, (size_t)most), n = 0;
  s->k_g = fly_arena_ints(&s->chosen, (size_t)na);
  s->k_j = fly_arena_ints(&s->chosen, (size_t)nj);
  s->k_one = fly_arena_ints(&s->chosen, (size_t)ny);
  if (work.failed || s->chosen.failed) {
    fly_arena_free(&work);
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d coordinates.", s->n);
  }
  for (int j = 0; j < s->n; j++)
    for (int k = s->A.start[j]; k < s->A.start[j + 1]; k++, n++) {
      row[n] = j;
      col[n] = s->A.row[k];
    }
  for (int c = 0; c < s->e.ncol; c++)
    for (int k = s->e.J[0].start[c]; k < s->e.J[0].start[c + 1]; k++) {
      int multiplier = c - s->n, output = multiplier - s->nrow;
      int column = multiplier < 0 ? -1 : output >= 0 ? s->n + output : s->place[multiplier];
      s->k_j[k] = column < 0 ? -1 : n;
      if (column < 0)
        continue;
      row[n] = s->e.J[0].row[k];
      col[n++] = column;
    }
  for (int i = 0; i < ny; i++, n++)
    row[n] = col[n] = s->n + i;
  fly_status status = fly_csc_from_entries(&s->K, s->n + ny, s->n + ny, n, row, col, place, error);
  for (int k = 0; k < na && status == FLY_OK; k++)
    s->k_g[k] = place[k];
  for (int k = 0; k < nj && status == FLY_OK; k++)
    s->k_j[k] = s->k_j[k] < 0 ? -1 : place[s->k_j[k]];
  for (int i = 0; i < ny && status == FLY_OK; i++)
    s->k_one[i] = place[n - ny + i];
  fly_arena_free(&work);
  return status ? status : fly_lu_create(&s->k_lu, &s->K, error);
}

// The rows that are not among the dependent ones of a rank.
static void take_rows(const fly_rank *rank, int rows, int *row) {
  for (int k = 0, d = 0, n = 0; k < rows; k++) {
    bool dependent = d < rank->ndependent && rank->dependent[d] == k;
    d += dependent;
    if (!dependent)
      row[n++] = k;
  }
}

fly_status fly_square_choose(fly_square *s, double t, const double *q, double tolerance, bool units, int *found,
                             bool *same, fly_error *error) {
  fly_csc G = {0};
  fly_rank rank = {0};
  fly_status status = all_rows(s, &G, t, q, units, error);
  *same = false;
  if (status == FLY_OK)
    status = fly_rank_find(&rank, &G, tolerance, error);
  *found = rank.rank;
  if (status == FLY_OK && rank.rank == s->n) {
    int *row = (int *)(void *)s->x; // n ints fit into n doubles
    take_rows(&rank, G.rows, row);
    *same = s->lu && memcmp(row, s->row, (size_t)s->n * sizeof *row) == 0;
    if (!*same) {
      forget_choice(s);
      memcpy(s->row, row, (size_t)s->n * sizeof *row);
      for (int k = 0; k < s->nrow + s->n; k++)
        s->place[k] = -1;
      for (int k = 0; k < s->n; k++)
        s->place[s->row[k]] = k;
      status = make_matrix(s, error);
      if (status == FLY_OK && s->e.p.ny > 0)
        status = make_force_matrix(s, error);
    }
  }
  fly_rank_free(&rank);
  fly_csc_free(&G);
  return status;
}

// ------------------------------------------------------------------------------------------ solving

double fly_square_size(const fly_square *s, const double *delta) {
  double most = 0;
  for (int i = 0; i < s->n; i++)
    if (!(fabs(delta[i]) <= most * s->e.p.scale_v[i]))
      most = fabs(delta[i]) / s->e.p.scale_v[i];
  return most;
}

fly_solved fly_square_factor(fly_square *s, double t, const double *q) {
  if (fly_eval_constraint_jacobian(&s->e, s->e.G.val, t, q) != 0)
    return FLY_NAN;
  for (int k = 0; k < fly_csc_nnz(&s->A); k++)
    s->A.val[k] = s->from[k] < 0 ? 1.0 : s->e.G.val[s->from[k]];
  s->factorizations++;
  fly_status status = fly_lu_factor(s->lu, &s->A);
  if (status == FLY_OK && fly_lu_rcond(s->lu) < 0.1 * s->fresh) { // kept pivots make it look worse than it is
    fly_lu_forget(s->lu);
    status = fly_lu_factor(s->lu, &s->A);
    s->fresh = status == FLY_OK ? fly_lu_rcond(s->lu) : 0.0;
  }
  s->rcond = status == FLY_OK ? fly_lu_rcond(s->lu) : 0.0;
  s->fresh = fmax(s->fresh, s->rcond);
  return status == FLY_NO_MEMORY ? FLY_CROWDED : s->rcond < SMALLEST_RCOND ? FLY_ROWS_DEPENDENT : FLY_FOUND;
}

// What is left of the rows chosen, with the other sign; rows given by data are as they should be.
static void right_side(const fly_square *s, const double *rows) {
  for (int k = 0; k < s->n; k++)
    s->x[k] = s->row[k] < s->held ? 0.0 - rows[s->row[k]] : 0.0; // no -0
}

fly_solved fly_square_positions(fly_square *s, fly_pose *p, double most, double *moved) {
  double before = INFINITY;
  *moved = 0;
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    if (fly_eval_constraint(&s->e, s->rows, p->t, p->q) != 0)
      return FLY_NAN;
    fly_solved solved = fly_square_factor(s, p->t, p->q);
    if (solved)
      return solved;
    right_side(s, s->rows);
    fly_lu_solve(s->lu, s->x);
    fly_eval_plus(&s->e, p->q, p->q, s->x);
    s->iterations++;
    double size = fly_square_size(s, s->x), noise = 1e-15 / s->rcond;
    *moved += size;
    if (size <= fmax(SMALL, noise))
      return fly_square_factor(s, p->t, p->q);
    if (!(size <= CONTRACTION * before) || *moved > most)
      return FLY_FAR;
    before = size;
  }
  return FLY_FAR;
}

// The rows of A, given by data, of a motion that data say.
static void add_given(const fly_square *s, const double *given) {
  for (int j = 0; j < s->n; j++)
    for (int k = s->A.start[j]; k < s->A.start[j + 1]; k++)
      if (s->row[s->A.row[k]] >= s->held)
        s->x[s->A.row[k]] += s->A.val[k] * given[j];
}

static fly_solved solve_into(fly_square *s, double *out, const double *given) {
  right_side(s, s->rows);
  if (given)
    add_given(s, given);
  fly_lu_solve(s->lu, s->x);
  memcpy(out, s->x, (size_t)s->n * sizeof *out);
  for (int i = 0; i < s->n; i++)
    if (!isfinite(out[i]))
      return FLY_NAN;
  return FLY_FOUND;
}

fly_solved fly_square_rates(fly_square *s, fly_pose *p, const double *v, const double *vdot) {
  if (fly_eval_constraint_rate(&s->e, s->rows, p->t, p->q) != 0)
    return FLY_NAN;
  fly_solved solved = solve_into(s, p->v, v);
  if (solved)
    return solved;
  if (fly_eval_gamma(&s->e, s->rows, p->t, p->q, p->v) != 0)
    return FLY_NAN;
  return solve_into(s, p->vdot, vdot);
}

// ------------------------------------------------------------------------------------------ forces

// Minus the rows M v' + G^T lambda - f, y - h at p into x.
static fly_solved force_rows(fly_square *s, fly_pose *p) {
  fly_dae_state at = fly_pose_state(p);
  if (fly_eval_equations(&s->e, s->x, &at) != 0)
    return FLY_NAN;
  fly_csc_multiply_add(s->x, &s->e.M, 1.0, p->vdot);
  for (int i = 0; i < s->n; i++)
    s->x[i] += p->lambda[s->nrow + i];
  for (int i = 0; i < s->n + s->e.p.ny; i++)
    s->x[i] = -s->x[i];
  return FLY_FOUND;
}

static fly_solved factor_forces(fly_square *s, const fly_pose *p) {
  fly_dae_state at = fly_pose_state(p);
  if (fly_eval_jacobian(&s->e, &at) != 0)
    return FLY_NAN;
  fly_csc_zero(&s->K);
  for (int k = 0; k < fly_csc_nnz(&s->A); k++)
    s->K.val[s->k_g[k]] += s->A.val[k];
  for (int k = 0; k < fly_csc_nnz(&s->e.J[0]); k++)
    if (s->k_j[k] >= 0)
      s->K.val[s->k_j[k]] += s->e.J[0].val[k];
  for (int i = 0; i < s->e.p.ny; i++)
    s->K.val[s->k_one[i]] += 1.0;
  fly_status status = fly_lu_factor(s->k_lu, &s->K);
  return status == FLY_OK ? FLY_FOUND : status == FLY_NO_MEMORY ? FLY_CROWDED : FLY_ROWS_DEPENDENT;
}

// Adds what x says of multipliers and outputs. Returns its size relative to what they are.
static double add_forces(const fly_square *s, fly_pose *p) {
  double change = 0, size = 0;
  for (int k = 0; k < s->n; k++) {
    p->lambda[s->row[k]] += s->x[k];
    change = fmax(change, fabs(s->x[k]));
    size = fmax(size, fabs(p->lambda[s->row[k]]));
  }
  for (int i = 0; i < s->e.p.ny; i++) {
    p->y[i] += s->x[s->n + i];
    change = fmax(change, fabs(s->x[s->n + i]));
    size = fmax(size, fabs(p->y[i]));
  }
  return size > 0 ? change / size : 0.0;
}

fly_solved fly_square_forces(fly_square *s, fly_pose *p) {
  const bool linear = s->e.p.ny == 0;
  memset(p->lambda, 0, (size_t)(s->nrow + s->n) * sizeof(double));
  if (fly_eval_kinematics(&s->e, p->t, p->q) != 0)
    return FLY_NAN;
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    fly_solved solved = force_rows(s, p);
    if (solved == FLY_FOUND && !linear)
      solved = factor_forces(s, p);
    if (solved)
      return solved;
    if (linear)
      fly_lu_solve_transposed(s->lu, s->x);
    else
      fly_lu_solve(s->k_lu, s->x);
    double change = add_forces(s, p);
    if (!isfinite(change))
      return FLY_NAN;
    if (k > 0 && change < 1e-13)
      return FLY_FOUND;
    if (linear && k > 0)
      return FLY_FOUND; // once more against rounding is all that is needed
  }
  return FLY_FAR;
}

// ------------------------------------------------------------------------------------------ null vectors

static double make_unit(double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i];
  sum = sqrt(sum);
  for (int i = 0; i < n; i++)
    x[i] /= sum;
  return sum;
}

double fly_square_null(fly_square *s, double *left, double *right) {
  double *length = s->rows, grown = 1; // of the rows of A
  memset(length, 0, (size_t)s->n * sizeof *length);
  for (int k = 0; k < fly_csc_nnz(&s->A); k++)
    length[s->A.row[k]] += s->A.val[k] * s->A.val[k];
  for (int k = 0; k < s->n; k++) {
    length[k] = sqrt(length[k]);
    right[k] = 1 + 0.3 * sin(1.0 + k);
  }
  make_unit(right, s->n);
  for (int round = 0; round < 6; round++) { // inverse iteration on (D^-1 A)^T (D^-1 A), D the lengths of rows
    memcpy(left, right, (size_t)s->n * sizeof *left);
    fly_lu_solve_transposed(s->lu, left);
    for (int k = 0; k < s->n; k++)
      left[k] *= length[k];
    make_unit(left, s->n);
    for (int k = 0; k < s->n; k++)
      right[k] = left[k] * length[k];
    fly_lu_solve(s->lu, right);
    grown = make_unit(right, s->n);
  }
  return 1 / grown;
}
