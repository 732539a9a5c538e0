#include "support/motion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- saying and asserting

static int verbose(void) { return getenv("FLY_TEST_VERBOSE") != NULL; }

void say(const char *format, ...) {
  if (!verbose())
    return;
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
  fflush(stdout);
}

void check_range(const char *what, double value, double low, double high, const char *file, int line) {
  say("%s:%d: %s = %.4g in [%.4g, %.4g]\n", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line, what, value, low,
      high);
  if (value >= low && value <= high)
    return;
  print_error("%s = %.17g is not in [%g, %g]\n", what, value, low, high);
  _fail(file, line);
}

void check_close(const char *what, double value, double expected, double tolerance, const char *file, int line) {
  const double off = fabs(value - expected);
  say("%s:%d: %s = %.9g, off by %.2e of %.2e\n", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line, what, value,
      off, tolerance);
  if (off <= tolerance)
    return;
  print_error("%s = %.17g, not %.17g: off by %g, allowed %g\n", what, value, expected, off, tolerance);
  _fail(file, line);
}

void check_ok(fly_status status, const fly_error *error, const char *file, int line) {
  if (status == FLY_OK)
    return;
  print_error("%s: %s\n", fly_status_name(status), error ? error->message : "");
  _fail(file, line);
}

void check_says(const fly_error *error, const char *text, const char *file, int line) {
  say("  (%s) %s\n", fly_status_name(error->status), error->message);
  if (strstr(error->message, text))
    return;
  print_error("the message lacks \"%s\": %s\n", text, error->message);
  _fail(file, line);
}

// ---------------------------------------------------------------------------------------------- problems and methods

fly_problem problem_of(const char *name, const char *variant, int n) {
  fly_problem p;
  fly_error error = {0};
  assert_ok(fly_problem_make(&p, name, variant, n, &error), &error);
  return p;
}

fly_dae_options options_of(const char *method, double rho, fly_formulation formulation) {
  fly_dae_options o = fly_dae_options_default();
  fly_method_request request = fly_method_request_default();
  fly_error error = {0};
  request.name = method;
  request.rho = rho;
  assert_ok(fly_dae_options_method(&o, &request, &error), &error);
  o.formulation = formulation;
  return o;
}

fly_dae_options with_step(fly_dae_options o, double step) {
  o.step = step;
  return o;
}

fly_dae_options with_error(fly_dae_options o, double error) {
  o.step = 0;
  o.error = error;
  return o;
}

fly_dae_options with_sequence(fly_dae_options o, double step, const double *sequence, int n) {
  o.step = step;
  o.sequence = sequence;
  o.nsequence = n;
  return o;
}

// ---------------------------------------------------------------------------------------------- motions

motion motion_begin(const fly_problem *p) {
  const fly_dae_problem *d = &p->dae;
  motion m = {.nq = d->nq, .nv = d->nv, .nl = d->ng + d->nb, .nx = d->nx, .ny = d->ny};
  m.width = 1 + m.nq + 2 * m.nv + m.nl + 2 * m.nx + m.ny;
  m.nrotation = d->nrotation;
  m.rotation_q = d->rotation_q;
  return m;
}

static double *put(double *row, const double *from, int n) {
  if (n > 0)
    memcpy(row, from, (size_t)n * sizeof *row);
  return row + n;
}

void motion_add(motion *m, const fly_dae_state *s) {
  if (m->count == m->room) {
    m->room = m->room ? 2 * m->room : 256;
    m->data = realloc(m->data, (size_t)m->room * (size_t)m->width * sizeof *m->data);
    assert_non_null(m->data);
  }
  double *row = m->data + (size_t)m->count++ * (size_t)m->width;
  *row++ = s->t;
  row = put(row, s->q, m->nq);
  row = put(row, s->v, m->nv);
  row = put(row, s->vdot, m->nv);
  row = put(row, s->lambda, m->nl);
  row = put(row, s->x, m->nx);
  row = put(row, s->xdot, m->nx);
  put(row, s->y, m->ny);
}

fly_dae_state motion_at(const motion *m, int i) {
  const double *row = m->data + (size_t)i * (size_t)m->width;
  fly_dae_state s = {.t = row[0], .q = row + 1};
  s.v = s.q + m->nq;
  s.vdot = s.v + m->nv;
  s.lambda = s.vdot + m->nv;
  s.x = s.lambda + m->nl;
  s.xdot = s.x + m->nx;
  s.y = s.xdot + m->nx;
  return s;
}

fly_dae_state motion_end(const motion *m) { return motion_at(m, m->count - 1); }

void motion_free(motion *m) {
  free(m->data);
  *m = (motion){0};
}

fly_solver *solver_started(const fly_problem *p, const fly_dae_options *o, double t_end) {
  fly_solver *s;
  fly_error error = {0};
  assert_ok(fly_solver_create(&s, &p->dae, o, &error), &error);
  assert_ok(fly_solver_start(s, p->t0, t_end, p->q0, p->v0, p->x0, &error), &error);
  return s;
}

motion motion_try(const fly_problem *p, const fly_dae_options *o, double t_end) {
  motion m = motion_begin(p);
  fly_solver *s;
  m.status = fly_solver_create(&s, &p->dae, o, &m.error);
  if (m.status == FLY_OK)
    m.status = fly_solver_start(s, p->t0, t_end, p->q0, p->v0, p->x0, &m.error);
  while (m.status == FLY_OK) {
    const fly_dae_state now = fly_solver_state(s);
    if (m.count == 0 || now.t > motion_end(&m).t)
      motion_add(&m, &now);
    if (fly_solver_done(s))
      break;
    m.status = fly_solver_step(s, &m.error);
  }
  if (s) {
    m.stats = fly_solver_stats(s);
    m.certificate = fly_solver_certificate(s);
  }
  fly_solver_free(s);
  return m;
}

motion motion_run(const fly_problem *p, const fly_dae_options *o, double t_end) {
  motion m = motion_try(p, o, t_end);
  assert_ok(m.status, &m.error);
  assert_true(motion_end(&m).t == t_end);
  return m;
}

uint64_t motion_hash(const motion *m) { // FNV-1a
  uint64_t hash = 14695981039346656037u;
  const unsigned char *byte = (const unsigned char *)m->data;
  const size_t n = (size_t)m->count * (size_t)m->width * sizeof *m->data;
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ byte[i]) * 1099511628211u;
  return hash;
}

// ---------------------------------------------------------------------------------------------- errors

static double largest_difference(const double *a, const double *b, int n) {
  double largest = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= largest))
      largest = fabs(a[i] - b[i]);
  return largest;
}

// Angle of the turn from p to r: 2 asin |vector part of conj(p) r|.
static double turn_between(const double *p, const double *r) {
  const double x = p[0] * r[1] - p[1] * r[0] - p[2] * r[3] + p[3] * r[2];
  const double y = p[0] * r[2] - p[2] * r[0] - p[3] * r[1] + p[1] * r[3];
  const double z = p[0] * r[3] - p[3] * r[0] - p[1] * r[2] + p[2] * r[1];
  return 2 * asin(fmin(1.0, sqrt(x * x + y * y + z * z)));
}

static double position_difference(const motion *m, const double *a, const double *b) {
  double largest = 0;
  for (int i = 0, k = 0; i < m->nq;) {
    if (k < m->nrotation && m->rotation_q[k] == i) {
      largest = fmax(largest, turn_between(a + i, b + i));
      i += 4, k++;
    } else {
      largest = fmax(largest, fabs(a[i] - b[i]));
      i++;
    }
  }
  return largest;
}

errors errors_between(const motion *m, const fly_dae_state *a, const fly_dae_state *b) {
  return (errors){.q = position_difference(m, a->q, b->q),
                  .v = largest_difference(a->v, b->v, m->nv),
                  .vdot = largest_difference(a->vdot, b->vdot, m->nv),
                  .lambda = largest_difference(a->lambda, b->lambda, m->nl),
                  .x = largest_difference(a->x, b->x, m->nx),
                  .y = largest_difference(a->y, b->y, m->ny)};
}

static errors errors_at(const motion *m, int i, truth_fn *truth, const void *user) {
  point p = {0};
  const fly_dae_state a = motion_at(m, i);
  p.t = a.t;
  truth(&p, a.t, user);
  const fly_dae_state b = {p.t, p.q, p.v, p.vdot, p.lambda, p.x, p.xdot, p.y, NULL};
  return errors_between(m, &a, &b);
}

errors motion_errors(const motion *m, truth_fn *truth, const void *user) {
  errors all = {0};
  for (int i = 0; i < m->count; i++) {
    const errors e = errors_at(m, i, truth, user);
    all.q = fmax(all.q, e.q);
    all.v = fmax(all.v, e.v);
    all.vdot = fmax(all.vdot, e.vdot);
    all.lambda = fmax(all.lambda, e.lambda);
    all.x = fmax(all.x, e.x);
    all.y = fmax(all.y, e.y);
  }
  return all;
}

errors motion_end_errors(const motion *m, truth_fn *truth, const void *user) {
  return errors_at(m, m->count - 1, truth, user);
}

void say_errors(const char *what, double h, errors e) {
  say("%-34s h %.3e  q %.3e  v %.3e  v' %.3e  lambda %.3e  x %.3e  y %.3e\n", what, h, e.q, e.v, e.vdot, e.lambda, e.x,
      e.y);
}

static errors errors_with(const fly_problem *p, const fly_dae_options *o, double t_end, truth_fn *truth,
                          const void *user) {
  motion m = motion_run(p, o, t_end);
  const errors e = motion_errors(&m, truth, user);
  motion_free(&m);
  return e;
}

orders orders_with(const char *what, const fly_problem *p, fly_dae_options o, double h, double t_end, truth_fn *truth,
                   const void *user) {
  orders r;
  o.step = h;
  r.coarse = errors_with(p, &o, t_end, truth, user);
  o.step = h / 2;
  r.fine = errors_with(p, &o, t_end, truth, user);
  say_errors(what, h, r.coarse);
  say_errors(what, h / 2, r.fine);
  r.q = order_of(r.coarse.q, r.fine.q, 2);
  r.v = order_of(r.coarse.v, r.fine.v, 2);
  r.vdot = order_of(r.coarse.vdot, r.fine.vdot, 2);
  r.lambda = order_of(r.coarse.lambda, r.fine.lambda, 2);
  r.x = order_of(r.coarse.x, r.fine.x, 2);
  r.y = order_of(r.coarse.y, r.fine.y, 2);
  say("%-34s orders  q %.3f  v %.3f  v' %.3f  lambda %.3f  x %.3f  y %.3f\n", what, r.q, r.v, r.vdot, r.lambda, r.x,
      r.y);
  return r;
}

void assert_second_order(const orders *r) {
  assert_between(r->q, 1.9, 2.1);
  assert_between(r->v, 1.9, 2.1);
  assert_between(r->vdot, 1.9, 2.1);
  assert_between(r->lambda, 1.9, 2.1);
}

double order_of(double coarse, double fine, double ratio) { return log(coarse / fine) / log(ratio); }

double slope_of(const double *x, const double *y, int n) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    const double a = log(x[i]), b = log(y[i]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}
