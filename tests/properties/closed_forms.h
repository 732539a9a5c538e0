// Random closed forms of time with narrow features, written in ways that hide where these are, pushing a free mass; and
// a judge that knows where they are, because it made them: Gauss' rule from edge to edge, twice integrated.
#ifndef FLY_TESTS_PROPERTIES_CLOSED_FORMS_H
#define FLY_TESTS_PROPERTIES_CLOSED_FORMS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "flyball/model.h"
#include "support/motion.h"

enum { FEATURE_EDGES = 4000, FEATURE_ROWS = 21, FEATURE_TEXT = 2000, FEATURE_TERMS = 2 };

typedef enum feature_kind {
  SQUARE,    // a parabola multiplied out, below a threshold
  FACTORS,   // a product of two factors
  CUBIC,     // of three
  PEAKS,     // a sine near its top
  COSINES,   // a squared cosine near its top
  FLOORS,    // the difference of two stairs
  ROUNDED,   // a rounded time that equals a number
  REST,      // the rest of a division, small
  RING,      // a bell between two values
  HUMP,      // a parabola cut off at zero
  SIGNS,     // two signs of the square of the time
  NESTED,    // a step over a sine
  CLIPPED,   // a rectified sine, cut off
  MONOTONE,  // square root and arc tangent of the time, compared
  STAIRCASE, // a sine in steps
  TENT,      // two kinks in one another
  FEATURE_KINDS
} feature_kind;

typedef struct feature {
  feature_kind kind;
  double c, w, size;          // where, how wide, how large
  double wave, level, level2; // circular frequency, thresholds
  double p, q, whole;         // as the kind needs them
  double blur;                // [s] what rounding errors may do to its edges
} feature;

typedef struct featured {
  double end;
  int nterm, nedge;
  feature term[FEATURE_TERMS];
  double edge[FEATURE_EDGES];
  double noise; // of positions, by the blur of the edges
  char text[FEATURE_TEXT];
} featured;

static inline double feature_between(uint64_t *seed, double lo, double hi) {
  return lo + (hi - lo) * (random_double(seed) + 1) / 2;
}

// The two roots of x^2 - p x + q, from the numbers as they are written.
static inline void feature_roots(const feature *f, double root[2]) {
  const long double half = (long double)f->p / 2, far = half + sqrtl(half * half - f->q);
  root[0] = (double)(f->q / far);
  root[1] = (double)far;
}

static inline feature random_feature(uint64_t *seed, double end) {
  feature f = {.kind = (feature_kind)random_int(seed, FEATURE_KINDS)};
  f.w = end * pow(10, feature_between(seed, -6, -1.5));
  f.c = feature_between(seed, 0.1 * end, 0.9 * end);
  f.wave = feature_between(seed, 1, 12) / end * 3;
  const double narrow =
      pow(10, feature_between(seed, f.kind == NESTED ? -5 : -9, -1)); // a curve, not a jump: roundings
  f.level = 1 - narrow;
  double on = f.w; // how long it acts, about
  if (f.kind == SQUARE) {
    f.w = fmax(f.w, 1e-4 * end);
    f.p = 2 * f.c;
    f.q = f.c * f.c - f.w * f.w / 4;
    f.blur = 1e-15 * f.c * f.c / f.w;
  } else if (f.kind == PEAKS || f.kind == COSINES || f.kind == NESTED) {
    f.level2 = 1 - 0.1 * narrow;
    on = fmin(end, 2 * sqrt(2 * narrow) / f.wave * fmax(1, end * f.wave / 6.3));
    f.blur = 1e-15 * (1 + f.wave * end) / sqrt(2 * narrow) / f.wave;
  } else if (f.kind == FLOORS || f.kind == REST) {
    f.p = feature_between(seed, 0.05, 0.6) * end;
    on = f.w * end / f.p;
  } else if (f.kind == ROUNDED) {
    f.q = floor(1 / f.w) + 1;
    f.whole = floor(f.c * f.q);
    on = 1 / f.q;
  } else if (f.kind == CLIPPED || f.kind == STAIRCASE) {
    f.level = f.kind == CLIPPED ? fmax(narrow, 1e-6) : 1 + random_int(seed, 40);
    on = end * (f.kind == CLIPPED ? f.level : 1);
  } else if (f.kind == TENT) {
    on = end;
  } else if (f.kind == SIGNS) {
    f.blur = 4e-16 * f.c;
  }
  f.size = feature_between(seed, 0.3, 1) * (random_double(seed) < 0 ? -1 : 1) / end / on;
  return f;
}

static inline double feature_value(const feature *f, double t) {
  const double x = t - f->c, u = x / f->w, a = f->c - f->w / 2, b = f->c + f->w / 2, sine = sin(f->wave * t);
  double root[2], rest, bell, rise;
  switch (f->kind) {
  case SQUARE:
    feature_roots(f, root);
    return t > root[0] && t < root[1] ? f->size : 0;
  case FACTORS:
  case CUBIC:
  case SIGNS:
  case MONOTONE:
    return t > a && t < b ? f->size : 0;
  case PEAKS:
    return sine > f->level ? f->size : 0;
  case COSINES:
    return 1 - sine * sine > f->level ? f->size : 0;
  case FLOORS:
  case REST:
    rest = x - f->p * floor(x / f->p);
    return (f->kind == REST ? rest < f->w : rest > f->p - f->w) ? f->size : 0;
  case ROUNDED:
    return fabs(t * f->q - f->whole) < 0.5 ? f->size : 0;
  case RING:
    bell = exp(-u * u);
    return bell > 0.4 && bell < 0.6 ? f->size : 0;
  case HUMP:
    return f->size * fmax(0, 1 - u * u);
  case NESTED:
    rise = fmin(fmax((sine - f->level) / (f->level2 - f->level), 0), 1);
    return f->size * rise * rise * (3 - 2 * rise);
  case CLIPPED:
    return f->size * fmin(fabs(sine), f->level);
  case STAIRCASE:
    return f->size * floor(f->level * sine) / f->level;
  default:
    return f->size * fabs(fabs(x) - f->w) / f->w * 1e-2;
  }
}

// Every time at which the sine is at a level, added to the edges.
static inline int feature_crossings(const feature *f, double level, double end, double *out) {
  const double pi = 3.14159265358979323846, angle = asin(level);
  int n = 0;
  for (int k = -1; (k - 1) * pi < f->wave * end; k++) {
    out[n++] = (2 * k * pi + angle) / f->wave;
    out[n++] = ((2 * k + 1) * pi - angle) / f->wave;
  }
  return n;
}

static inline int feature_edges(const feature *f, double end, double *out) {
  const double a = f->c - f->w / 2, b = f->c + f->w / 2;
  int n = 0;
  switch (f->kind) {
  case SQUARE:
    feature_roots(f, out);
    return 2;
  case PEAKS:
    return feature_crossings(f, f->level, end, out);
  case COSINES:
    n = feature_crossings(f, sqrt(1 - f->level), end, out);
    return n + feature_crossings(f, -sqrt(1 - f->level), end, out + n);
  case NESTED:
    n = feature_crossings(f, f->level, end, out);
    return n + feature_crossings(f, f->level2, end, out + n);
  case FLOORS:
  case REST:
    for (double k = floor(-f->c / f->p) - 1; f->c + k * f->p < end + f->p; k++) {
      out[n++] = f->c + k * f->p;
      out[n++] = f->c + k * f->p + (f->kind == REST ? f->w : -f->w);
    }
    return n;
  case ROUNDED:
    out[0] = (f->whole - 0.5) / f->q, out[1] = (f->whole + 0.5) / f->q;
    return 2;
  case RING:
    for (int k = 0; k < 4; k++)
      out[k] = f->c + (k % 2 ? f->w : -f->w) * sqrt(-log(k < 2 ? 0.4 : 0.6));
    return 4;
  case HUMP:
  case TENT:
    out[0] = f->c - f->w, out[1] = f->c, out[2] = f->c + f->w;
    return 3;
  case CLIPPED:
    n = feature_crossings(f, f->level, end, out);
    n += feature_crossings(f, -f->level, end, out + n);
    return n + feature_crossings(f, 0, end, out + n);
  case STAIRCASE:
    for (double k = -f->level; k <= f->level; k++)
      n += feature_crossings(f, k / f->level, end, out + n);
    return n;
  default:
    out[0] = a, out[1] = b;
    return 2;
  }
}

static inline void feature_text(const feature *f, char *out) {
  const double a = f->c - f->w / 2, b = f->c + f->w / 2, s = f->size;
  switch (f->kind) {
  case SQUARE:
    sprintf(out, "if(time*time - %.17g*time + %.17g < 0, %.17g, 0)", f->p, f->q, s);
    break;
  case FACTORS:
    sprintf(out, "if((time - %.17g)*(time - %.17g) < 0, %.17g, 0)", a, b, s);
    break;
  case CUBIC:
    sprintf(out, "if((time - %.17g)*(time + 3)*(time - %.17g) < 0, %.17g, 0)", a, b, s);
    break;
  case PEAKS:
    sprintf(out, "if(sin(%.17g*time) > %.17g, %.17g, 0)", f->wave, f->level, s);
    break;
  case COSINES:
    sprintf(out, "if(cos(%.17g*time)^2 > %.17g, %.17g, 0)", f->wave, f->level, s);
    break;
  case FLOORS:
    sprintf(out, "%.17g*(floor((time - %.17g)/%.17g) - floor((time - %.17g)/%.17g))", s, f->c - f->w, f->p, f->c, f->p);
    break;
  case ROUNDED:
    sprintf(out, "if(round(time*%.17g)/%.17g == %.17g, %.17g, 0)", f->q, f->q, f->whole / f->q, s);
    break;
  case REST:
    sprintf(out, "if(mod(time - %.17g, %.17g) < %.17g, %.17g, 0)", f->c, f->p, f->w, s);
    break;
  case RING:
    sprintf(out, "if(abs(exp(-((time - %.17g)/%.17g)^2) - 0.5) < 0.1, %.17g, 0)", f->c, f->w, s);
    break;
  case HUMP:
    sprintf(out, "%.17g*max(0, 1 - ((time - %.17g)/%.17g)^2)", s, f->c, f->w);
    break;
  case SIGNS:
    sprintf(out, "%.17g*(sign(time^2 - %.17g^2) - sign(time^2 - %.17g^2))", s / 2, a, b);
    break;
  case NESTED:
    sprintf(out, "step(sin(%.17g*time), %.17g, 0, %.17g, %.17g)", f->wave, f->level, f->level2, s);
    break;
  case CLIPPED:
    sprintf(out, "%.17g*min(abs(sin(%.17g*time)), %.17g)", s, f->wave, f->level);
    break;
  case MONOTONE:
    sprintf(out, "if(sqrt(1 + time) > sqrt(1 + %.17g) and atan(time/10) < atan(%.17g/10), %.17g, 0)", a, b, s);
    break;
  case STAIRCASE:
    sprintf(out, "%.17g*floor(%.17g*sin(%.17g*time))", s / f->level, f->level, f->wave);
    break;
  default:
    sprintf(out, "%.17g*abs(abs(time - %.17g) - %.17g)", s / f->w * 1e-2, f->c, f->w);
  }
}

// ------------------------------------------------------------------------------------------ models

static inline int feature_ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static inline double feature_row_time(const featured *p, int k) { return p->end * k / (FEATURE_ROWS - 1); }

static inline featured random_featured(uint64_t *seed) {
  featured p = {.end = pow(10, feature_between(seed, 0, 1.3)), .nterm = 1 + random_int(seed, FEATURE_TERMS)};
  char sum[1200] = "", term[600];
  for (int k = 0; k < p.nterm; k++) {
    feature *f = &p.term[k];
    *f = random_feature(seed, p.end);
    p.nedge += feature_edges(f, p.end, p.edge + p.nedge);
    feature_text(f, term);
    sprintf(sum + strlen(sum), "%s%s", k ? " + " : "", term);
    p.noise += 20 * fabs(f->size) * f->blur * p.end;
  }
  for (int k = 0; k < FEATURE_ROWS; k++)
    p.edge[p.nedge++] = feature_row_time(&p, k);
  qsort(p.edge, (size_t)p.nedge, sizeof *p.edge, feature_ascending);
  sprintf(p.text,
          "flyball: 1\nbodies: {a: {type: point, mass: 1}}\n"
          "forces: {push: {type: force, at: a, force: [\"%s\", 0, 0]}}\noutputs: {x: dx(a), v: vx(a)}\n",
          sum);
  return p;
}

static inline double featured_force(const featured *p, double t) {
  double sum = 0;
  for (int k = 0; k < p->nterm; k++)
    sum += feature_value(&p->term[k], t);
  return sum;
}

// x and v from a to b, nothing being unsmooth between them.
static inline void feature_piece(const featured *p, double a, double b, double y[2]) {
  static const double node[] = {0.23861918608319690863, 0.66120938646626451366, 0.93246951420315202781};
  static const double weight[] = {0.46791393457269104739, 0.36076157304813860757, 0.17132449237917034504};
  enum { PARTS = 24 };
  for (int part = 0; part < PARTS; part++) {
    const double from = a + (b - a) * part / PARTS, to = a + (b - a) * (part + 1) / PARTS, half = (to - from) / 2;
    double v = 0, x = 0;
    for (int k = 0; k < 6; k++) {
      const double t = (from + to) / 2 + (k < 3 ? -half : half) * node[k % 3];
      v += half * weight[k % 3] * featured_force(p, t);
      x += half * weight[k % 3] * (to - t) * featured_force(p, t);
    }
    y[0] += y[1] * (to - from) + x;
    y[1] += v;
  }
}

static inline void featured_judge(const featured *p, double row[FEATURE_ROWS][2]) {
  double y[2] = {0}, t = 0;
  for (int k = 0, r = 0; k < p->nedge && r < FEATURE_ROWS; k++) {
    const double to = p->edge[k];
    if (to > t) {
      feature_piece(p, t, to, y);
      t = to;
    }
    if (to == feature_row_time(p, r)) {
      row[r][0] = y[0];
      row[r++][1] = y[1];
    }
  }
}

// ------------------------------------------------------------------------------------------ the runs

typedef struct feature_rows {
  int count;
  double row[FEATURE_ROWS][2];
} feature_rows;

static inline void feature_keep(const double *row, void *user) {
  feature_rows *r = user;
  if (r->count < FEATURE_ROWS)
    memcpy(r->row[r->count++], row + 1, 2 * sizeof(double));
}

typedef struct feature_verdict {
  fly_status status;
  double wrong; // largest error of a position, or of the end's velocity times the run, over that asked for
  fly_stats stats;
  fly_error error;
} feature_verdict;

static inline feature_verdict featured_run(const featured *p, const char *method, double asked,
                                           double truth[FEATURE_ROWS][2]) {
  feature_verdict v = {.wrong = 0};
  feature_rows rows = {0};
  fly_mechanism *m = NULL;
  fly_run *run = NULL;
  fly_run_options o = fly_run_options_default();
  o.method.name = method;
  o.end = p->end;
  o.error = asked;
  o.output = p->end / (FEATURE_ROWS - 1);
  o.channels = "outputs";
  o.row = feature_keep;
  o.user = &rows;
  v.status = fly_mechanism_parse(&m, "features", p->text, strlen(p->text), 0, NULL, &v.error);
  if (v.status == FLY_OK)
    v.status = fly_run_create(&run, m, &o, &v.error);
  if (v.status == FLY_OK)
    v.status = fly_run_start(run, &v.error);
  if (v.status == FLY_OK)
    v.status = fly_run_go(run, &v.error);
  if (run)
    v.stats = fly_run_stats(run);
  double wrong = 0;
  for (int r = 0; r < rows.count; r++)
    wrong = fmax(wrong, fabs(rows.row[r][0] - truth[r][0]));
  if (rows.count == FEATURE_ROWS)
    wrong = fmax(wrong, p->end * fabs(rows.row[FEATURE_ROWS - 1][1] - truth[FEATURE_ROWS - 1][1]));
  v.wrong = fmax(0, wrong - p->noise) / asked;
  fly_run_free(run);
  fly_mechanism_free(m);
  return v;
}

static const char *const feature_methods[] = {"ch", "radau", "partition", "hybrid", "hht"};
enum { FEATURE_METHODS = sizeof feature_methods / sizeof *feature_methods };

#endif
