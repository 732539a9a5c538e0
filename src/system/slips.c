// Nonholonomic rows B v = 0: discs that roll and blades that do not move sideways (element/slip.h).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "system/parts.h"

enum { LARGEST = FLY_SLIP_ROWS * FLY_PAIR, SQUARE = FLY_PAIR * FLY_PAIR };

static bool has_row(const fly_model_slip *slip, int r) { return slip->rows >> r & 1; }

static void rows_of(const fly_system *s, const fly_model_slip *slip, double *B, double *D) {
  const fly_pair p = pair_of(s, slip->pair);
  fly_slip_rows(B, D, slip->kind, &p, slip->radius);
}

// ------------------------------------------------------------------------------------------ pattern

size_t fly_system_count_slip_places(const fly_model *m) { return (size_t)LARGEST * (size_t)m->nslip; }

static int append(fly_system *s, int k, int *row, int *col, int n) {
  const fly_model_slip *slip = &s->model->slip[k];
  int column[FLY_PAIR];
  fly_system_pair_columns(s->model, slip->pair, column);
  for (int r = 0, place = slip->row; r < FLY_SLIP_ROWS; r++) {
    for (int c = 0; c < FLY_PAIR; c++) {
      const bool here = has_row(slip, r) && column[c] >= 0;
      s->slip_place[LARGEST * k + FLY_PAIR * r + c] = here ? n : -1;
      if (!here)
        continue;
      row[n] = place;
      col[n++] = column[c];
    }
    place += has_row(slip, r);
  }
  return n;
}

fly_status fly_system_slip_pattern(fly_system *s, fly_error *error) {
  const fly_model *m = s->model;
  const size_t most = fly_system_count_slip_places(m);
  fly_arena work = {0};
  int *row = fly_arena_ints(&work, most), *col = fly_arena_ints(&work, most), *place = fly_arena_ints(&work, most);
  int n = 0;
  fly_status status = FLY_OK;
  if (work.failed)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d rows that roll.", m->nsliprow);
  for (int k = 0; k < m->nslip && status == FLY_OK; k++)
    n = append(s, k, row, col, n);
  if (status == FLY_OK && m->nslip > 0)
    status = fly_csc_from_entries(&s->B, m->nsliprow, fly_wide(m), n, row, col, place, error);
  for (size_t k = 0; k < most && status == FLY_OK; k++)
    if (s->slip_place[k] >= 0)
      s->slip_place[k] = place[s->slip_place[k]];
  fly_arena_free(&work);
  return status;
}

// ------------------------------------------------------------------------------------------ callbacks

static void scatter(const fly_system *s, int k, const double *rows, double *values) {
  const int *place = s->slip_place + (size_t)LARGEST * (size_t)k;
  for (int c = 0; c < LARGEST; c++)
    if (place[c] >= 0)
      values[place[c]] += rows[c];
}

int fly_problem_nonholonomic(double *B, double t, const double *q, void *user) {
  fly_system *s = user;
  double rows[LARGEST] = {0};
  (void)t;
  fly_system_update(s, q, NULL);
  for (int k = 0; k < s->model->nslip; k++) {
    rows_of(s, &s->model->slip[k], rows, NULL);
    scatter(s, k, rows, B);
  }
  return 0;
}

// d(B v)/dq, rows x 12.
static void velocity_slopes(const fly_system *s, const fly_model_slip *slip, double *Z) {
  const fly_pair p = pair_of(s, slip->pair);
  double B[LARGEST], D[FLY_SLIP_ROWS * SQUARE] = {0}, v[FLY_PAIR];
  rows_of(s, slip, B, D);
  fly_pair_velocities(v, &p);
  memset(Z, 0, LARGEST * sizeof *Z);
  for (int r = 0; r < FLY_SLIP_ROWS; r++)
    for (int c = 0; c < FLY_PAIR; c++)
      for (int q = 0; q < FLY_PAIR; q++)
        Z[FLY_PAIR * r + q] += D[SQUARE * r + FLY_PAIR * c + q] * v[c];
}

int fly_problem_nonholonomic_velocity_jacobian(double *out, double t, const double *q, const double *v, void *user) {
  fly_system *s = user;
  double Z[LARGEST];
  (void)t;
  fly_system_update(s, q, v);
  for (int k = 0; k < s->model->nslip; k++) {
    velocity_slopes(s, &s->model->slip[k], Z);
    scatter(s, k, Z, out);
  }
  return 0;
}

// Nothing depends on time, so it is d(B v)/dq v.
int fly_problem_nonholonomic_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  fly_system *s = user;
  (void)t;
  fly_system_update(s, q, v);
  for (int k = 0; k < s->model->nslip; k++) {
    const fly_model_slip *slip = &s->model->slip[k];
    const fly_pair p = pair_of(s, slip->pair);
    double Z[LARGEST], own[FLY_PAIR];
    velocity_slopes(s, slip, Z);
    fly_pair_velocities(own, &p);
    for (int r = 0, row = slip->row; r < FLY_SLIP_ROWS; r++) {
      if (!has_row(slip, r))
        continue;
      gamma[row] = 0;
      for (int c = 0; c < FLY_PAIR; c++)
        gamma[row] += Z[FLY_PAIR * r + c] * own[c];
      row++;
    }
  }
  return 0;
}

// ------------------------------------------------------------------------------------------ what they carry

// lambda: of all rows, the nonholonomic ones behind the others.
static void multipliers(const fly_system *s, const fly_model_slip *slip, const double *lambda,
                        double own[FLY_SLIP_ROWS]) {
  for (int r = 0, row = slip->row; r < FLY_SLIP_ROWS; r++)
    own[r] = has_row(slip, r) ? lambda[s->nactive + row++] : 0.0;
}

void fly_system_slip_curvature(const fly_system *s, int k, const double *lambda, double *H) {
  double B[LARGEST], D[FLY_SLIP_ROWS * SQUARE] = {0}, own[FLY_SLIP_ROWS];
  rows_of(s, &s->model->slip[k], B, D);
  multipliers(s, &s->model->slip[k], lambda, own);
  for (int r = 0; r < fly_slip_types[s->model->slip[k].kind].rows; r++)
    for (int c = 0; c < SQUARE; c++)
      H[c] += own[r] * D[SQUARE * r + c];
}

void fly_system_slip_load(const fly_system *s, int k, const double *lambda, double Q[6]) {
  double B[LARGEST], own[FLY_SLIP_ROWS];
  rows_of(s, &s->model->slip[k], B, NULL);
  multipliers(s, &s->model->slip[k], lambda, own);
  for (int r = 0; r < fly_slip_types[s->model->slip[k].kind].rows; r++)
    for (int c = 0; c < 6; c++)
      Q[c] -= own[r] * B[FLY_PAIR * r + 6 + c];
}

void fly_system_slip_name(const fly_system *s, char *text, size_t size, int row) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nslip; k++)
    for (int r = 0, own = m->slip[k].row; r < FLY_SLIP_ROWS; r++) {
      if (has_row(&m->slip[k], r) && own == row)
        snprintf(text, size, "%s, %s", m->spec->item[m->slip[k].item].name,
                 fly_slip_types[m->slip[k].kind].direction[r]);
      own += has_row(&m->slip[k], r);
    }
}
