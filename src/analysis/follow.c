// A motion given by data is followed: channels of a result, made to fit the joints, and the forces it needs.
#include "analysis/follow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/so3.h"

enum { ROWS_AT_ONCE = 256 };
static const double MOST_MOVED = 0.2; // data further from fitting the joints are of another model

// ------------------------------------------------------------------------------------------ the channels

// Where the channels of a body stand. False: one is missing, named in text.
static bool find_channels(fly_follow *f, const fly_body *b, const fly_quantity *list, int count, int *column,
                          char *text, size_t size) {
  for (int k = 0; k < count; k++) {
    snprintf(text, size, "%s.%s", b->name, list[k].name);
    *column = fly_result_find(f->result, text);
    if (*column++ < 0)
      return false;
  }
  return true;
}

static fly_status find_all(fly_follow *f, fly_error *error) {
  const fly_model *m = &f->with.model;
  int *q = f->column + 1, *v = q + m->nq, *a = v + m->nv;
  char name[300];
  f->has_v = f->has_a = true;
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    if (!find_channels(f, b, b->state, b->nq, q + b->iq, name, sizeof name))
      return fly_fail_at(
          error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, name,
          "%s has no channel `%s`: to follow a motion takes the positions of all bodies. A run writes them "
          "with --channels bodies,accelerations.",
          fly_result_info_of(f->result)->path, name);
    f->has_v &= find_channels(f, b, b->state + b->nq, b->columns, v + b->iv, name, sizeof name);
    f->has_a &= find_channels(f, b, b->acceleration, b->columns, a + b->iv, name, sizeof name);
  }
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ the data

static double number(const fly_follow *f, int column, long row) {
  return f->data[(long)column * f->count + row - f->first];
}

// Rows first .. last are in data.
static fly_status need_rows(fly_follow *f, long first, long last, fly_error *error) {
  const fly_model *m = &f->with.model;
  if (first >= f->first && last < f->first + f->count)
    return FLY_OK;
  f->first = first;
  f->count = f->rows - first < ROWS_AT_ONCE ? f->rows - first : ROWS_AT_ONCE;
  const int parts[] = {1 + m->nq, f->has_v ? m->nv : 0, f->has_a ? m->nv : 0},
            from[] = {0, 1 + m->nq, 1 + m->nq + m->nv};
  for (int k = 0; k < 3; k++) {
    if (parts[k] == 0)
      continue;
    fly_status status = fly_result_read(f->result, f->data + (long)from[k] * f->count, f->column + from[k], parts[k],
                                        first, f->count, error);
    if (status)
      return status;
    for (long i = 0; i < parts[k] * f->count; i++)
      if (!isfinite(f->data[from[k] * f->count + i]))
        return fly_fail_at(error, FLY_BAD_INPUT, NAN, FLY_NOWHERE,
                           fly_result_info_of(f->result)->channel[f->column[from[k] + i / f->count]].name,
                           "%s: `%s` is not a number in row %ld.", fly_result_info_of(f->result)->path,
                           fly_result_info_of(f->result)->channel[f->column[from[k] + i / f->count]].name,
                           first + i % f->count + 1);
  }
  return FLY_OK;
}

// Positions of a row; the quaternions of a file have few digits.
static void row_positions(const fly_follow *f, long row, double *q) {
  const fly_model *m = &f->with.model;
  for (int i = 0; i < m->nq; i++)
    q[i] = number(f, 1 + i, row);
  for (int k = 0; k < m->nrotation; k++)
    fly_quat_normalize(q + f->system.rotation_q[k]);
}

// Velocities (or accelerations, by their first column) of a row, of rotations in the axes of their bodies at q.
static void row_rates(const fly_follow *f, int column, long row, const double *q, double *v) {
  const fly_model *m = &f->with.model;
  for (int i = 0; i < m->nv; i++)
    v[i] = number(f, column + i, row);
  for (int k = 0; k < m->nrotation; k++) {
    const double *p = q + f->system.rotation_q[k], back[4] = {p[0], -p[1], -p[2], -p[3]};
    double *w = v + f->system.rotation_v[k], turned[3];
    fly_quat_rotate(turned, back, w);
    memcpy(w, turned, sizeof turned);
  }
}

// Weights of the first and second derivative at z of the polynomial through n points (B. Fornberg, Math. Comp. 51
// (1988) 699-706).
static void derivative_weights(double z, const double *x, int n, double w[3][FLY_FOLLOW_WINDOW]) {
  double c1 = 1, c4 = x[0] - z;
  memset(w, 0, 3 * sizeof *w);
  w[0][0] = 1;
  for (int i = 1; i < n; i++) {
    double c2 = 1, c5 = c4;
    int most = i < 2 ? i : 2;
    c4 = x[i] - z;
    for (int j = 0; j < i; j++) {
      double c3 = x[i] - x[j];
      c2 *= c3;
      if (j == i - 1) {
        for (int k = most; k >= 1; k--)
          w[k][i] = c1 * (k * w[k - 1][i - 1] - c5 * w[k][i - 1]) / c2;
        w[0][i] = -c1 * c5 * w[0][i - 1] / c2;
      }
      for (int k = most; k >= 1; k--)
        w[k][j] = (c4 * w[k][j] - k * w[k - 1][j]) / c3;
      w[0][j] *= c4 / c3;
    }
    c1 = c2;
  }
}

static void add_times(double *to, double factor, const double *x, int n) {
  for (int i = 0; i < n; i++)
    to[i] += factor * x[i];
}

// What the data say of velocities and accelerations in a row, from the rows around it where they do not say it.
static fly_status given_rates(fly_follow *f, long row, const double *q, fly_error *error) {
  const fly_model *m = &f->with.model;
  const int vs = 1 + m->nq, as = vs + m->nv;
  const long window = f->rows < FLY_FOLLOW_WINDOW ? f->rows : FLY_FOLLOW_WINDOW;
  long first = row - window / 2;
  first = first < 0 ? 0 : first > f->rows - window ? f->rows - window : first;
  fly_status status = need_rows(f, first, first + window - 1, error);
  if (status)
    return status;
  double t[FLY_FOLLOW_WINDOW], w[3][FLY_FOLLOW_WINDOW];
  for (long k = 0; k < window; k++) {
    t[k] = number(f, 0, first + k);
    if (k > 0 && !(t[k] > t[k - 1]))
      return fly_fail(error, FLY_BAD_INPUT, t[k], "%s: the time %.9g s in row %ld is not later than the one before.",
                      fly_result_info_of(f->result)->path, t[k], first + k + 1);
  }
  if (f->has_v && f->has_a) {
    row_rates(f, vs, row, q, f->given_v);
    row_rates(f, as, row, q, f->given_a);
    return FLY_OK;
  }
  if (f->rows < 3)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s has %ld rows; accelerations take at least 3.",
                    fly_result_info_of(f->result)->path, f->rows);
  double *other = f->drive.trial.q, *rate = f->drive.trial.v;
  derivative_weights(number(f, 0, row), t, (int)window, w);
  memset(f->given_v, 0, (size_t)m->nv * sizeof *f->given_v);
  memset(f->given_a, 0, (size_t)m->nv * sizeof *f->given_a);
  for (long k = 0; k < window; k++) {
    row_positions(f, first + k, other);
    if (f->has_v) {
      row_rates(f, vs, first + k, other, rate);
      add_times(f->given_a, w[1][k], rate, m->nv);
      continue;
    }
    fly_eval_minus(&f->drive.square.e, rate, other, q);
    add_times(f->given_v, w[1][k], rate, m->nv);
    add_times(f->given_a, w[2][k], rate, m->nv);
  }
  if (f->has_v)
    row_rates(f, vs, row, q, f->given_v);
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ a row

static fly_status no_fit(const fly_follow *f, fly_solved solved, fly_error *error) {
  const double t = f->drive.now.t;
  const char *path = fly_result_info_of(f->result)->path;
  if (solved == FLY_CROWDED)
    return fly_fail(error, FLY_NO_MEMORY, t, "Out of memory at t = %.9g s.", t);
  if (solved == FLY_ROWS_DEPENDENT)
    return fly_fail(error, FLY_SINGULAR, t,
                    "At t = %.9g s of %s the mechanism is in a singular position: reactions and missing forces are not "
                    "determined there. Follow a part of the motion that does not reach it.",
                    t, path);
  if (solved == FLY_NAN)
    return fly_fail(error, FLY_NOT_FINITE, t, "Forces or reactions are not finite at t = %.9g s of %s.", t, path);
  return fly_fail(error, FLY_INCONSISTENT, t,
                  "The positions at t = %.9g s of %s do not fit the joints of the model: are they of the same model?",
                  t, path);
}

// Rows of constraints that are not among those chosen.
static bool others_hold(fly_follow *f) {
  fly_square *s = &f->drive.square;
  fly_eval_constraint(&s->e, s->rows, f->drive.now.t, f->drive.now.q);
  for (int k = 0; k < s->held; k++)
    if (s->place[k] < 0 && !(fabs(s->rows[k]) <= 1e-5 * fmax(1.0, f->with.model.size)))
      return false;
  return true;
}

// Positions of the row on the constraints, the coordinates that are given kept.
static fly_status fit_positions(fly_follow *f, fly_error *error) {
  double moved;
  fly_solved solved = fly_square_positions(&f->drive.square, &f->drive.now, MOST_MOVED, &moved);
  if (solved)
    return no_fit(f, solved, error);
  f->moved = fmax(f->moved, moved);
  return FLY_OK;
}

static fly_status read_row(fly_follow *f, fly_error *error) {
  fly_drive *d = &f->drive;
  fly_status status = need_rows(f, f->next, f->next, error);
  if (status)
    return status;
  double before = d->now.t;
  d->now.t = number(f, 0, f->next);
  d->record.t = d->now.t;
  d->record.h = d->last_h = d->stats.steps ? d->now.t - before : 0.0;
  row_positions(f, f->next, d->now.q);
  return FLY_OK;
}

// What is left once positions are known: velocities, accelerations, forces.
static fly_status finish_row(fly_follow *f, fly_error *error) {
  fly_drive *d = &f->drive;
  row_positions(f, f->next, d->last.q); // as given: increments are counted from there
  fly_status status = given_rates(f, f->next, d->last.q, error);
  if (status)
    return status;
  fly_solved solved = fly_square_rates(&d->square, &d->now, f->given_v, f->given_a);
  if (solved == FLY_FOUND)
    solved = fly_square_forces(&d->square, &d->now);
  if (solved == FLY_FOUND && !others_hold(f))
    solved = FLY_FAR;
  if (solved)
    return no_fit(f, solved, error);
  for (int i = 0; i < d->square.n; i++)
    d->delta[i] = d->now.v[i] - f->given_v[i];
  f->moved_v = fmax(f->moved_v, fly_square_size(&d->square, d->delta));
  d->certificate.start_position = f->moved;
  d->certificate.start_velocity = f->moved_v;
  fly_drive_certify(d);
  d->stats.steps = ++f->next;
  d->stats.newton_iterations = d->square.iterations;
  d->stats.residuals = d->square.e.residuals;
  d->stats.factorizations = d->square.factorizations;
  return FLY_OK;
}

fly_status fly_follow_step(fly_follow *f, fly_error *error) {
  fly_status status = read_row(f, error);
  if (status == FLY_OK)
    status = fit_positions(f, error);
  return status ? status : finish_row(f, error);
}

bool fly_follow_done(const fly_follow *f) {
  const double slack = 1e-9 * fabs(f->end);
  return f->next >= f->rows || (f->next < f->first + f->count && number(f, 0, f->next) > f->end + slack);
}

int fly_follow_rank(const fly_follow *f) {
  int rank = 0;
  while (rank < f->drive.square.n && f->drive.square.row[rank] < f->drive.square.held)
    rank++;
  return rank;
}

// ------------------------------------------------------------------------------------------ life

static fly_status take(fly_follow *f, fly_error *error) {
  const fly_model *m = &f->with.model;
  fly_drive *d = &f->drive;
  fly_pose *const poses[] = {&d->last, &d->now, &d->trial};
  for (size_t k = 0; k < sizeof poses / sizeof *poses; k++)
    fly_pose_take(poses[k], &d->square, &f->memory);
  f->width = 1 + m->nq + 2 * m->nv;
  f->column = fly_arena_ints(&f->memory, (size_t)f->width);
  f->data = fly_arena_doubles(&f->memory, (size_t)f->width * ROWS_AT_ONCE);
  f->given_v = fly_arena_doubles(&f->memory, (size_t)m->nv);
  f->given_a = fly_arena_doubles(&f->memory, (size_t)m->nv);
  d->delta = fly_arena_doubles(&f->memory, (size_t)m->nv);
  return f->memory.failed ? fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d channels.", f->width) : FLY_OK;
}

// Which rows are independent is known only where the joints fit, so it is asked twice.
static fly_status choose(fly_follow *f, fly_error *error) {
  fly_drive *d = &f->drive;
  int found;
  bool same;
  fly_status status = read_row(f, error);
  if (status == FLY_OK)
    status = fly_square_choose(&d->square, d->now.t, d->now.q, 1e-4, true, &found, &same, error);
  if (status == FLY_OK)
    status = fit_positions(f, error);
  if (status == FLY_OK)
    status = fly_square_choose(&d->square, d->now.t, d->now.q, 1e-9, true, &found, &same, error);
  if (status == FLY_OK && !same)
    status = fit_positions(f, error);
  return status ? status : finish_row(f, error);
}

// Those of the model itself, of the rows that are there.
static int own_rows(const fly_system *s, int nrow) {
  int n = 0;
  while (n < s->nactive && s->active[n] < nrow)
    n++;
  return n;
}

static fly_status create(fly_follow *f, const fly_mechanism *m, fly_error *error) {
  fly_drive *d = &f->drive;
  f->with = (fly_mechanism){.spec = m->spec, .scene = m->scene};
  fly_status status = fly_model_compile_held(&f->with.model, m->model.spec, FLY_HOLD_COORDINATES, error);
  if (status == FLY_OK)
    status = fly_system_create_soft(&f->system, &f->with.model, &(fly_softness){.rigid = true}, 0, NULL, error);
  if (status == FLY_OK)
    status = fly_square_create(&d->square, &f->system, own_rows(&f->system, m->model.nrow), error);
  if (status == FLY_OK)
    status = take(f, error);
  if (status == FLY_OK)
    status = find_all(f, error);
  return status ? status : choose(f, error);
}

fly_status fly_follow_create(fly_follow *f, const fly_mechanism *m, const char *result, double end, fly_error *error) {
  fly_status status = fly_result_open(&f->result, result, error);
  if (status)
    return status;
  f->rows = fly_result_info_of(f->result)->rows;
  f->end = isnan(end) ? HUGE_VAL : end;
  f->drive.forces = true;
  f->drive.rcond = 1;
  f->drive.certificate =
      (fly_certificate){.energy_start = NAN, .energy_drift = NAN, .estimate = NAN, .time = FLY_TIME_UNKNOWN};
  if (f->rows == 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s has no rows to follow.", fly_result_info_of(f->result)->path);
  return create(f, m, error);
}

void fly_follow_free(fly_follow *f) {
  fly_square_free(&f->drive.square);
  fly_share_free(&f->drive.share);
  fly_system_free(&f->system);
  fly_model_free(&f->with.model);
  fly_result_close(f->result);
  fly_arena_free(&f->memory);
}
