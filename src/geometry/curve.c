#include "geometry/curve.h"

#include <math.h>
#include <string.h>

#include "math/constants.h"

static const double FLAT = 0.02; // of the chord: how far a piece may be from it
static const double SAME = 1e-9; // of the size: points at one place
enum { HALVES = 5, SWEEPS = 60 };

static double cross2(const double a[2], const double b[2]) { return a[0] * b[1] - a[1] * b[0]; }

// ------------------------------------------------------------------------------------------ circle and arc

void fly_curve_circle(fly_curve *out, double radius) {
  *out = (fly_curve){.kind = FLY_CURVE_CIRCLE, .closed = true, .radius = radius, .reach = radius, .thickness = radius};
}

void fly_curve_arc(fly_curve *out, double radius, double from, double to) {
  const double half = fmin((to - from) / 2, FLY_PI);
  *out = (fly_curve){.kind = FLY_CURVE_ARC,
                     .radius = radius,
                     .from = from,
                     .to = to,
                     .reach = radius,
                     .thickness = radius * (1 - cos(half)) / 2};
}

// ------------------------------------------------------------------------------------------ points

static double area_of(int count, double (*x)[2]) {
  double sum = 0;
  for (int k = 0; k < count; k++)
    sum += cross2(x[k], x[(k + 1) % count]) / 2;
  return sum;
}

// What is closed runs against the clock.
static void turn_round(int count, double (*x)[2]) {
  for (int k = 0; k < count / 2; k++) {
    double keep[2];
    memcpy(keep, x[k], sizeof keep);
    memcpy(x[k], x[count - 1 - k], sizeof keep);
    memcpy(x[count - 1 - k], keep, sizeof keep);
  }
}

static double reach_of(int count, const double *point) {
  double reach = 0;
  for (int k = 0; k < count; k++)
    reach = fmax(reach, hypot(point[2 * k], point[2 * k + 1]));
  return reach;
}

// Do a b and c d cross, inside of both?
static bool cross_each_other(const double *a, const double *b, const double *c, const double *d) {
  const double ab[2] = {b[0] - a[0], b[1] - a[1]}, cd[2] = {d[0] - c[0], d[1] - c[1]};
  const double ac[2] = {c[0] - a[0], c[1] - a[1]}, ad[2] = {d[0] - a[0], d[1] - a[1]};
  const double cb[2] = {b[0] - c[0], b[1] - c[1]};
  return cross2(ab, ac) * cross2(ab, ad) < 0 && -cross2(cd, ac) * cross2(cd, cb) < 0;
}

// The first chord of a closed chain that crosses another; -1: none does.
static int crossing(int count, double (*x)[2]) {
  for (int k = 0; k < count; k++)
    for (int j = k + 2; j < count; j++)
      if ((j + 1) % count != k && cross_each_other(x[k], x[k + 1], x[j], x[(j + 1) % count]))
        return k;
  return -1;
}

static bool is_same(const double *a, const double *b, double size) {
  return hypot(a[0] - b[0], a[1] - b[1]) <= SAME * size;
}

static fly_curve_verdict check_points(int *wrong, int count, const double *point, bool closed, int least) {
  const double size = reach_of(count, point);
  *wrong = 0;
  if (count < least)
    return FLY_CURVE_FEW;
  if (count > FLY_CURVE_POINTS)
    return FLY_CURVE_MANY;
  for (int k = 0; k < count - !closed; k++)
    if (is_same(point + 2 * (size_t)k, point + 2 * (size_t)((k + 1) % count), size)) {
      *wrong = k;
      return FLY_CURVE_TWICE;
    }
  return FLY_CURVE_GOOD;
}

static double thickness_of(int count, double (*x)[2]) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int k = 0; k < 2 * count; k++) {
    low[k % 2] = fmin(low[k % 2], x[k / 2][k % 2]);
    high[k % 2] = fmax(high[k % 2], x[k / 2][k % 2]);
  }
  return fmin(high[0] - low[0], high[1] - low[1]) / 2;
}

fly_curve_verdict fly_curve_lines(fly_curve *out, int *wrong, int count, const double *point, fly_arena *memory) {
  const bool closed = count > 3 && is_same(point, point + 2 * (size_t)(count - 1), reach_of(count, point));
  const int own = closed ? count - 1 : count;
  const fly_curve_verdict verdict = check_points(wrong, own, point, closed, 2);
  if (verdict != FLY_CURVE_GOOD)
    return verdict;
  *out = (fly_curve){.kind = FLY_CURVE_LINES,
                     .closed = closed,
                     .count = own,
                     .point = fly_arena_take(memory, (size_t)own, sizeof *out->point),
                     .reach = reach_of(own, point),
                     .thickness = INFINITY};
  if (!out->point)
    return FLY_CURVE_NO_MEMORY;
  memcpy(out->point, point, (size_t)own * sizeof *out->point);
  if (!closed)
    return FLY_CURVE_GOOD;
  *wrong = crossing(own, out->point);
  out->thickness = thickness_of(own, out->point);
  if (area_of(own, out->point) < 0)
    turn_round(own, out->point);
  return *wrong < 0 ? FLY_CURVE_GOOD : FLY_CURVE_CROSSES;
}

// ------------------------------------------------------------------------------------------ splines

// Slopes m of the closed cubic spline through y at knots h apart (de Boor, A Practical Guide to Splines, 1978, IV):
//   h_i m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_{i-1} m_{i+1} = 3 (h_i (y_i - y_{i-1})/h_{i-1} + h_{i-1} (y_{i+1} -
//   y_i)/h_i)
// A sweep halves at least what is wrong.
static void set_slopes(fly_curve *c) {
  const int n = c->count;
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (int i = 0; i < n; i++) {
      const int before = (i + n - 1) % n, next = (i + 1) % n;
      const double h0 = c->knot[before + 1] - c->knot[before], h1 = c->knot[i + 1] - c->knot[i];
      for (int k = 0; k < 2; k++) {
        const double rise =
            3 * (h1 * (c->value[i][k] - c->value[before][k]) / h0 + h0 * (c->value[next][k] - c->value[i][k]) / h1);
        c->slope[i][k] = (rise - h1 * c->slope[before][k] - h0 * c->slope[next][k]) / (2 * (h0 + h1));
      }
    }
}

// Value and two derivatives of its cubic in an interval: y0 + m0 u + a u^2 + b u^3.
static void cubic_at(double out[3], const fly_curve *c, int knot, int k, double s) {
  const int next = (knot + 1) % c->count;
  const double h = c->knot[knot + 1] - c->knot[knot], u = s - c->knot[knot];
  const double y0 = c->value[knot][k], m0 = c->slope[knot][k], m1 = c->slope[next][k];
  const double rise = (c->value[next][k] - y0) / h;
  const double a = (3 * rise - 2 * m0 - m1) / h, b = (m0 + m1 - 2 * rise) / (h * h);
  out[0] = y0 + u * (m0 + u * (a + u * b));
  out[1] = m0 + u * (2 * a + u * 3 * b);
  out[2] = 2 * a + 6 * b * u;
}

// Polar: x = r e, x' = r' e + r f, x'' = (r'' - r) e + 2 r' f, with e the direction and f across it.
void fly_curve_at(double x[3][2], const fly_curve *c, int knot, double s) {
  double y[2][3];
  for (int k = 0; k < 2; k++)
    cubic_at(y[k], c, knot, k, s);
  if (!c->polar) {
    for (int n = 0; n < 3; n++)
      for (int k = 0; k < 2; k++)
        x[n][k] = y[k][n];
    return;
  }
  const double *r = y[0], e[2] = {cos(s), sin(s)}, f[2] = {-e[1], e[0]};
  for (int k = 0; k < 2; k++) {
    x[0][k] = r[0] * e[k];
    x[1][k] = r[1] * e[k] + r[0] * f[k];
    x[2][k] = (r[2] - r[0]) * e[k] + 2 * r[1] * f[k];
  }
}

// No x'' of an interval is longer: of a cubic it is longest at an end.
static double most_bent(const fly_curve *c, int knot) {
  const double h = c->knot[knot + 1] - c->knot[knot];
  double y[2][2][3];
  for (int k = 0; k < 4; k++)
    cubic_at(y[k / 2][k % 2], c, knot, k / 2, c->knot[knot + k % 2]);
  double most[2];
  for (int k = 0; k < 2; k++)
    most[k] = fmax(fabs(y[k][0][2]), fabs(y[k][1][2]));
  if (!c->polar)
    return hypot(most[0], most[1]);
  const double steep = fmin(fabs(y[0][0][1]), fabs(y[0][1][1])) + most[0] * h;
  const double far = fmin(fabs(y[0][0][0]), fabs(y[0][1][0])) + steep * h;
  return most[0] + far + 2 * steep;
}

// Into how many pieces an interval is cut, all of them nearly straight.
static int cuts_of(const fly_curve *c, int knot) {
  const double h = c->knot[knot + 1] - c->knot[knot], bent = most_bent(c, knot);
  int n = 1;
  for (int half = 0; half < HALVES; half++, n *= 2) {
    bool flat = true;
    const double step = h / n;
    for (int k = 0; k < n && flat; k++) {
      double a[3][2], b[3][2];
      fly_curve_at(a, c, knot, c->knot[knot] + k * step);
      fly_curve_at(b, c, knot, c->knot[knot] + (k + 1) * step);
      flat = bent * step * step / 8 <= FLAT * hypot(b[0][0] - a[0][0], b[0][1] - a[0][1]);
    }
    if (flat)
      break;
  }
  return n;
}

static void fill_pieces(fly_curve *c) {
  int at = 0;
  for (int knot = 0; knot < c->count; knot++) {
    const int n = cuts_of(c, knot);
    const double step = (c->knot[knot + 1] - c->knot[knot]) / n, bent = most_bent(c, knot);
    for (int k = 0; k < n; k++) {
      fly_curve_piece *p = &c->piece[at++];
      double x[3][2];
      *p = (fly_curve_piece){.knot = knot, .from = c->knot[knot] + k * step, .sag = bent * step * step / 8};
      p->to = k + 1 < n ? p->from + step : c->knot[knot + 1];
      fly_curve_at(x, c, knot, p->from);
      memcpy(p->x, x[0], sizeof p->x);
      memcpy(p->way, x[1], sizeof p->way);
      c->reach = fmax(c->reach, hypot(p->x[0], p->x[1]) + p->sag);
    }
  }
}

static bool take_room(fly_curve *c, fly_arena *memory) {
  const size_t n = (size_t)c->count;
  c->knot = fly_arena_doubles(memory, n + 1);
  c->value = fly_arena_take(memory, n, sizeof *c->value);
  c->slope = fly_arena_take(memory, n, sizeof *c->slope);
  return c->knot && c->value && c->slope;
}

// The chords of all pieces cross nowhere. *wrong: the knot there.
static fly_curve_verdict look_for_crossing(fly_curve *c, int *wrong, fly_arena *memory) {
  double(*x)[2] = fly_arena_take(memory, (size_t)c->pieces, sizeof *x);
  if (!x)
    return FLY_CURVE_NO_MEMORY;
  for (int k = 0; k < c->pieces; k++)
    memcpy(x[k], c->piece[k].x, sizeof x[k]);
  c->thickness = thickness_of(c->pieces, x);
  const int at = crossing(c->pieces, x);
  *wrong = at < 0 ? 0 : c->piece[at].knot;
  return at < 0 ? FLY_CURVE_GOOD : FLY_CURVE_CROSSES;
}

static fly_curve_verdict finish(fly_curve *c, int *wrong, fly_arena *memory) {
  set_slopes(c);
  for (int knot = 0; knot < c->count; knot++)
    c->pieces += cuts_of(c, knot);
  c->piece = fly_arena_take(memory, (size_t)c->pieces, sizeof *c->piece);
  if (!c->piece)
    return FLY_CURVE_NO_MEMORY;
  fill_pieces(c);
  fly_arena work = {0};
  const fly_curve_verdict verdict = look_for_crossing(c, wrong, &work);
  fly_arena_free(&work);
  return verdict;
}

fly_curve_verdict fly_curve_spline(fly_curve *out, int *wrong, int count, const double *point, fly_arena *memory) {
  const bool again = count > 3 && is_same(point, point + 2 * (size_t)(count - 1), reach_of(count, point));
  const int own = again ? count - 1 : count;
  const fly_curve_verdict verdict = check_points(wrong, own, point, true, 3);
  if (verdict != FLY_CURVE_GOOD)
    return verdict;
  *out = (fly_curve){.kind = FLY_CURVE_SPLINE, .closed = true, .count = own};
  if (!take_room(out, memory))
    return FLY_CURVE_NO_MEMORY;
  memcpy(out->value, point, (size_t)own * sizeof *out->value);
  if (area_of(own, out->value) < 0)
    turn_round(own, out->value);
  out->knot[0] = 0;
  for (int k = 0; k < own; k++) {
    const double *a = out->value[k], *b = out->value[(k + 1) % own];
    out->knot[k + 1] = out->knot[k] + hypot(b[0] - a[0], b[1] - a[1]);
  }
  return finish(out, wrong, memory);
}

fly_curve_verdict fly_curve_polar(fly_curve *out, int *wrong, int count, const double *radius, double first,
                                  fly_arena *memory) {
  *wrong = 0;
  if (count < 3)
    return FLY_CURVE_FEW;
  if (count > FLY_CURVE_POINTS)
    return FLY_CURVE_MANY;
  *out = (fly_curve){.kind = FLY_CURVE_SPLINE, .closed = true, .polar = true, .count = count};
  if (!take_room(out, memory))
    return FLY_CURVE_NO_MEMORY;
  out->knot[0] = first;
  for (int k = 0; k < count; k++) {
    out->value[k][0] = radius[k];
    out->knot[k + 1] = first + FLY_TAU * (k + 1) / count;
  }
  return finish(out, wrong, memory);
}
