// Random small models whose forces and motions depend on time in short pulses, steps, tables and kinks, and an
// independent judge: the same equations in one coordinate or two, by Runge and Kutta's rule from break to break, each
// piece with values of its own side.
#ifndef FLY_TESTS_PROPERTIES_PULSES_H
#define FLY_TESTS_PROPERTIES_PULSES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "flyball/model.h"
#include "math/spline.h"
#include "support/motion.h"

enum { PULSE_TEXT = 6000, PULSE_BREAKS = 400, PULSE_SIGNALS = 3, PULSE_ROWS = 21 };

// ------------------------------------------------------------------------------------------ signals

typedef enum signal_kind { BOX, STEPS, RAMP, BELL, TRIANGLE, AKIMA, RECTIFIED, SAWTOOTH, SIGNAL_KINDS } signal_kind;

typedef struct signal {
  signal_kind kind;
  double at, width, size; // begins at, lasts, is as large
  double x[9], y[9], slope[9];
} signal;

// A pulse somewhere in 0 ... end, as short as a millionth of it, whose integral is about `impulse`.
static inline signal random_signal(uint64_t *seed, double end, double impulse) {
  signal s = {.kind = (signal_kind)random_int(seed, SIGNAL_KINDS)};
  const bool lasting = s.kind == RECTIFIED || s.kind == SAWTOOTH;
  s.width = end * (lasting ? uniform(seed, 0.05, 0.3) : pow(10, uniform(seed, -6, -0.6)));
  s.at = uniform(seed, 0.02 * end, 0.95 * end - (lasting ? 0 : s.width));
  s.size = impulse * uniform(seed, 0.3, 1) * (random_double(seed) < 0 ? -1 : 1) / (lasting ? end : s.width);
  const double shape[] = {0, 0, 0, 0.7, 1, 0.4, 0, 0, 0};
  for (int k = 0; k < 9; k++) {
    const double inside = s.at + s.width * (k - 2) / 4.0;
    s.x[k] = k == 0 ? -1 : k == 1 ? s.at - 0.2 * s.width : k == 7 ? s.at + 1.2 * s.width : k == 8 ? end + 1 : inside;
    s.y[k] = s.size * shape[k];
  }
  fly_spline_akima(s.slope, s.x, s.y, 9);
  return s;
}

static inline double signal_value(const signal *s, double t) {
  const double u = (t - s->at) / s->width, w = u * 5, down = 5 * (1 - u);
  const fly_spline line = {.n = 9, .x = s->x, .y = s->y}, curve = {.n = 9, .x = s->x, .y = s->y, .slope = s->slope};
  double y[4];
  switch (s->kind) {
  case BOX:
    return u > 0 && u < 1 ? s->size : 0;
  case STEPS:
    return u <= 0 || u >= 1 ? 0 : s->size * (w < 1 ? w * w * (3 - 2 * w) : down < 1 ? down * down * (3 - 2 * down) : 1);
  case RAMP:
    return u <= 0 || u >= 1 ? 0 : s->size * (0.5 - 0.5 * cos(2 * 3.14159265358979323846 * u));
  case BELL:
    return s->size * exp(-pow(6 * u - 3, 2));
  case TRIANGLE:
    fly_spline_evaluate(y, &line, t);
    return y[0];
  case AKIMA:
    fly_spline_evaluate(y, &curve, t);
    return y[0];
  case RECTIFIED:
    return s->size * fmax(0, sin(3.14159265358979323846 * u));
  default:
    return s->size * (u - floor(u));
  }
}

// Where it is not smooth, or where the judge should look closely.
static inline int signal_breaks(const signal *s, double end, double *out) {
  int n = 0;
  if (s->kind == TRIANGLE || s->kind == AKIMA)
    for (int k = 1; k < 8; k++)
      out[n++] = s->x[k];
  else if (s->kind == RECTIFIED || s->kind == SAWTOOTH)
    for (double k = floor(-s->at / s->width); s->at + k * s->width < end; k++)
      out[n++] = s->at + k * s->width;
  else
    for (int k = s->kind == BELL ? -5 : 0; k <= (s->kind == BELL ? 10 : 5); k++)
      out[n++] = s->at + s->width * k / 5;
  return n;
}

// Numbers are written so that they are read back exactly.
static inline void signal_text(const signal *s, int number, char *expression, char *table) {
  const double a = s->at, w = s->width, z = s->size;
  table[0] = 0;
  switch (s->kind) {
  case BOX:
    sprintf(expression, "if(time > %.17g and time < %.17g, %.17g, 0)", a, a + w, z);
    break;
  case STEPS:
    sprintf(expression, "(step(time, %.17g, 0, %.17g, %.17g) - step(time, %.17g, 0, %.17g, %.17g))", a, a + w / 5, z,
            a + 4 * w / 5, a + w, z);
    break;
  case RAMP:
    sprintf(expression, "(havsin(time, %.17g, 0, %.17g, %.17g) - havsin(time, %.17g, 0, %.17g, %.17g))", a, a + w / 2,
            z, a + w / 2, a + w, z);
    break;
  case BELL:
    sprintf(expression, "%.17g*exp(-((6*(time - %.17g)/%.17g - 3)^2))", z, a, w);
    break;
  case RECTIFIED:
    sprintf(expression, "%.17g*max(0, sin(pi*(time - %.17g)/%.17g))", z, a, w);
    break;
  case SAWTOOTH:
    sprintf(expression, "%.17g*mod((time - %.17g)/%.17g, 1)", z, a, w);
    break;
  default:
    sprintf(expression, "%s(time, table%d)", s->kind == AKIMA ? "akima" : "linear", number);
    table += sprintf(table, "  table%d: {x: [", number);
    for (int k = 0; k < 9; k++)
      table += sprintf(table, "%s%.17g", k ? ", " : "", s->x[k]);
    table += sprintf(table, "], y: [");
    for (int k = 0; k < 9; k++)
      table += sprintf(table, "%s%.17g", k ? ", " : "", s->y[k]);
    sprintf(table, "]}\n");
  }
}

// ------------------------------------------------------------------------------------------ models

// cart: m x'' = u - k x - c x'; pendulum: J p'' = -m g l sin p + u; quarter car: a wheel on a road u, a body on the
// wheel; crank: a pendulum whose support is driven along u(t), a sum of kinks.
typedef enum model_kind { CART, PENDULUM, QUARTER_CAR, CRANK, MODEL_KINDS } model_kind;

typedef struct pulsed {
  model_kind kind;
  double end, m, k, c, start;
  bool resting; // from equilibrium
  int nsignal;
  signal signal[PULSE_SIGNALS];
  int nbreak;
  double breaks[PULSE_BREAKS];
  char text[PULSE_TEXT];
} pulsed;

static const double PULSED_G = 9.81, PULSED_J = 0.1, PULSED_TYRE = 400;

static inline int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static inline double row_time(const pulsed *p, int k) { return fmin(p->end * k / (PULSE_ROWS - 1), p->end); }

static inline void find_breaks(pulsed *p) {
  double all[3 * PULSE_BREAKS];
  int n = 0;
  for (int k = 0; k < p->nsignal; k++) {
    if (p->kind == CRANK)
      all[n++] = p->signal[k].at;
    else
      n += signal_breaks(&p->signal[k], p->end, all + n);
  }
  for (int k = 1; k < PULSE_ROWS; k++)
    all[n++] = row_time(p, k);
  qsort(all, (size_t)n, sizeof *all, ascending);
  for (int k = 0; k < n; k++)
    if (all[k] > 0 && all[k] <= p->end && (p->nbreak == 0 || all[k] > p->breaks[p->nbreak - 1]))
      p->breaks[p->nbreak++] = all[k];
}

static inline void write_signals(const pulsed *p, char *sum, char *tables) {
  sum[0] = tables[0] = 0;
  for (int k = 0; k < p->nsignal; k++) {
    char expression[600], table[1000];
    signal_text(&p->signal[k], k, expression, table);
    if (p->kind == CRANK)
      sprintf(expression, "%.17g*(abs(time - %.17g) - %.17g)", p->signal[k].size, p->signal[k].at, p->signal[k].at);
    else
      strcat(tables, table);
    sprintf(sum + strlen(sum), "%s%s", k ? " + " : "", expression);
  }
}

static inline void write_model(pulsed *p) {
  char sum[3000], tables[3000];
  write_signals(p, sum, tables);
  char *t = p->text;
  t += sprintf(t, "flyball: 1\ngravity: [0, %g, 0]\n", p->kind == CART ? 0 : -PULSED_G);
  if (tables[0])
    t += sprintf(t, "tables:\n%s", tables);
  switch (p->kind) {
  case CART:
    sprintf(t,
            "bodies:\n  a: {mass: %.17g, inertia: [1, 1, 1], markers: {far: [1, 0, 0]}}\n"
            "joints:\n  rail: {type: translational, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
            "forces:\n  push: {type: force, at: a, force: [\"%s - %.17g*dx(a) - %.17g*vx(a)\", 0, 0]}\n"
            "outputs: {x: dx(a)}\n",
            p->m, sum, p->k, p->c);
    break;
  case PENDULUM:
    sprintf(t,
            "bodies:\n  a: {mass: %.17g, inertia: [1, 1, %.17g], position: [0, -1, 0]}\n"
            "joints:\n  pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
            "forces:\n  push: {type: force, at: a, torque: [0, 0, \"%s - %.17g*wz(a)\"]}\n"
            "outputs: {x: \"az(a, ground)\"}\n",
            p->m, PULSED_J, sum, p->c);
    break;
  case QUARTER_CAR:
    sprintf(t,
            "bodies:\n  w: {mass: 0.5, inertia: [1, 1, 1]}\n"
            "  a: {mass: %.17g, inertia: [1, 1, 1], position: [0, 1, 0]}\n"
            "joints:\n  r: {type: translational, bodies: [ground, w], at: [0, 0, 0], axis: [0, 1, 0]}\n"
            "  s: {type: translational, bodies: [w, a], at: [0, 1, 0], axis: [0, 1, 0]}\n"
            "forces:\n  tyre: {type: force, at: w, force: [0, \"%g*(0.01*(%s) - dy(w))\", 0]}\n"
            "  strut: {type: spring, from: w, to: a, stiffness: %.17g, damping: %.17g, free_length: 1}\n"
            "outputs: {x: dy(w), z: dy(a) - 1}\n",
            p->m, PULSED_TYRE, sum, p->k, p->c);
    break;
  default:
    sprintf(t,
            "bodies:\n  s: {mass: 1, inertia: [1, 1, 1]}\n"
            "  a: {mass: %.17g, inertia: [1, 1, %.17g], position: [0, -1, 0]}\n"
            "joints:\n  r: {type: translational, bodies: [ground, s], at: [0, 0, 0], axis: [1, 0, 0]}\n"
            "  p: {type: revolute, bodies: [s, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
            "motions:\n  drive: {joint: r, displacement: \"%s\"}\n"
            "outputs: {x: \"az(a, ground)\"}\n",
            p->m, PULSED_J, sum);
  }
}

static inline pulsed random_model(uint64_t *seed) {
  pulsed p = {.kind = (model_kind)random_int(seed, MODEL_KINDS)};
  p.end = pow(10, uniform(seed, 0, 1));
  p.m = uniform(seed, 0.5, 2);
  p.k = p.kind == QUARTER_CAR ? uniform(seed, 20, 60) : random_int(seed, 2) * uniform(seed, 1, 30);
  p.c = p.kind == QUARTER_CAR ? uniform(seed, 1, 4) : random_int(seed, 2) * uniform(seed, 0.1, 1);
  p.resting = p.kind == QUARTER_CAR || (p.kind == PENDULUM && random_int(seed, 2));
  p.nsignal = 1 + random_int(seed, PULSE_SIGNALS);
  for (int k = 0; k < p.nsignal; k++) {
    p.signal[k] = random_signal(seed, p.end, p.kind == CART && p.k == 0 ? 1 / p.end : 0.5);
    if (p.kind == CRANK)
      p.signal[k].size = uniform(seed, -0.3, 0.3);
  }
  find_breaks(&p);
  write_model(&p);
  return p;
}

// ------------------------------------------------------------------------------------------ the judge

static inline double pulsed_input(const pulsed *p, double t) {
  double u = 0;
  for (int k = 0; k < p->nsignal && p->kind != CRANK; k++)
    u += signal_value(&p->signal[k], t);
  return u;
}

static inline void pulsed_slope(const pulsed *p, double t, const double *y, double *f) {
  const double u = pulsed_input(p, t), turn = p->m + PULSED_J;
  f[0] = y[1];
  f[1] = p->kind == CART       ? (u - p->k * y[0] - p->c * y[1]) / p->m
         : p->kind == PENDULUM ? (u - p->c * y[1] - p->m * PULSED_G * sin(y[0])) / turn
         : p->kind == CRANK    ? -p->m * PULSED_G * sin(y[0]) / turn
                               : 0;
  f[2] = f[3] = 0;
  if (p->kind != QUARTER_CAR)
    return;
  const double strut = p->k * (y[2] - y[0]) + p->c * (y[3] - y[1]); // pulls the body down
  f[1] = (PULSED_TYRE * (0.01 * u - y[0]) + strut) / 0.5 - PULSED_G;
  f[2] = y[3];
  f[3] = -strut / p->m - PULSED_G;
}

static inline void runge_kutta(const pulsed *p, double t, double h, double *y) {
  double k[4][4], z[4];
  const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++)
      z[j] = y[j] + (i > 0 ? part[i] * h * k[i - 1][j] : 0);
    pulsed_slope(p, t + part[i] * h, z, k[i]);
  }
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 4; i++)
      y[j] += h * weight[i] * k[i][j];
}

// The judge's time stays off the ends of a piece by a rounding, so that each is seen from inside.
static inline void judge_piece(const pulsed *p, double a, double b, double *y) {
  const int n = (int)fmax(40, ceil((b - a) / (p->kind == QUARTER_CAR ? 5e-4 : 1e-3)));
  const double inner = 4e-16 * fmax(1, b), from = a + inner, h = (b - a - 2 * inner) / n;
  for (int i = 0; i < n && h > 0; i++)
    runge_kutta(p, from + i * h, h, y);
}

// The speed of the crank's support changes by twice the size of its kink, and the pendulum's by what the pin's blow
// does: (m l^2 + J) dw = -m l cos p dv.
static inline void judge_break(const pulsed *p, double t, double *y) {
  for (int k = 0; k < p->nsignal && p->kind == CRANK; k++)
    if (p->signal[k].at == t)
      y[1] -= p->m * cos(y[0]) * 2 * p->signal[k].size / (p->m + PULSED_J);
}

// Where the outputs are at each row: row (PULSE_ROWS) of x, z.
static inline void judge(const pulsed *p, double row[PULSE_ROWS][2]) {
  double y[4] = {0}, t = 0;
  if (p->kind == QUARTER_CAR) {
    y[0] = -(p->m + 0.5) * PULSED_G / PULSED_TYRE + 0.01 * pulsed_input(p, 0);
    y[2] = y[0] - p->m * PULSED_G / p->k;
  }
  if (p->resting && p->kind == PENDULUM)
    y[0] = asin(pulsed_input(p, 0) / (p->m * PULSED_G));
  if (p->kind == CRANK)
    for (int k = 0; k < p->nsignal; k++) // it hangs still in space: the support starts moving under it
      y[1] += p->m * p->signal[k].size / (p->m + PULSED_J);
  row[0][0] = y[0], row[0][1] = y[2];
  for (int k = 0, r = 1; k < p->nbreak; k++) {
    judge_piece(p, t, p->breaks[k], y);
    t = p->breaks[k];
    judge_break(p, t, y);
    if (r < PULSE_ROWS && t == row_time(p, r)) {
      row[r][0] = y[0];
      row[r++][1] = y[2];
    }
  }
}

// ------------------------------------------------------------------------------------------ the runs

typedef struct verdict {
  fly_status status;
  double wrong; // largest error of a row over that asked for
  fly_stats stats;
  fly_error error;
} verdict;

typedef struct pulse_rows {
  int count;
  double row[PULSE_ROWS][2];
  int x, z;
} pulse_rows;

static inline void keep_row(const double *row, void *user) {
  pulse_rows *r = user;
  if (r->count < PULSE_ROWS) {
    r->row[r->count][0] = row[r->x];
    r->row[r->count++][1] = r->z > 0 ? row[r->z] : 0;
  }
}

static inline verdict try_method(const pulsed *p, const char *method, const char *formulation, double asked,
                                 double truth[PULSE_ROWS][2]) {
  verdict v = {.wrong = 0};
  pulse_rows rows = {.x = 1, .z = p->kind == QUARTER_CAR ? 2 : 0};
  fly_error error = {0};
  fly_mechanism *m = NULL;
  fly_run *run = NULL;
  fly_run_options o = fly_run_options_default();
  o.method.name = method;
  o.formulation = formulation;
  o.end = p->end;
  o.error = asked;
  o.output = p->end / (PULSE_ROWS - 1);
  o.channels = "outputs";
  o.start = p->resting ? "equilibrium" : "given";
  o.row = keep_row;
  o.user = &rows;
  v.status = fly_mechanism_parse(&m, "pulses", p->text, strlen(p->text), 0, NULL, &error);
  if (v.status == FLY_OK)
    v.status = fly_run_create(&run, m, &o, &error);
  if (v.status == FLY_OK)
    v.status = fly_run_start(run, &error);
  if (v.status == FLY_OK)
    v.status = fly_run_go(run, &error);
  if (run)
    v.stats = fly_run_stats(run);
  const double turn = p->kind == PENDULUM || p->kind == CRANK ? 2 * 3.14159265358979323846 : 1e300;
  for (int r = 0; r < rows.count; r++)
    for (int c = 0; c < 2; c++)
      v.wrong = fmax(v.wrong, fabs(remainder(rows.row[r][c] - truth[r][c], turn)) / asked);
  v.error = error;
  fly_run_free(run);
  fly_mechanism_free(m);
  return v;
}

typedef struct pulse_way {
  const char *method, *formulation;
} pulse_way;

static const pulse_way pulse_ways[] = {{"ch", "ggl"},     {"ch", "index3"},  {"ch", "index2"},
                                       {"hht", "ggl"},    {"radau", "ggl"},  {"partition", "ggl"},
                                       {"hybrid", "ggl"}, {"direct", "ggl"}, {"baumgarte", "ggl"}};
enum { PULSE_WAYS = sizeof pulse_ways / sizeof *pulse_ways };

#endif
