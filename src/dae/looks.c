// Looking between the ends of a step at a problem that says nothing of its dependence on time. The state is held and
// only the time moves, so that what changes is that dependence alone. Over the step that is planned it must be the
// smooth curve that five of its points say; where it is not, and matters, the step must end before (C-looks).
#include <math.h>
#include <string.h>

#include "dae/solver.h"

static const double SPACING = 1.0 / 2000; // of the run: a pulse of a thousandth of it is met twice
static const double ROUGH = 0.1;          // of what the five points range over: off the curve by more is a surprise
static const double NOISE = 1e-10;        // of a value, likewise: rounding errors

enum { NODES = FLY_LOOK_NODES };

// Chebyshev's points, ends included.
static const double node[NODES] = {0, 0.14644660940672623780, 0.5, 0.85355339059327376220, 1};

bool fly_looks_needed(const fly_solver *s) {
  const fly_dae_problem *p = &s->e.p;
  return s->o.step == 0 && !p->autonomous && !p->longest_step;
}

static int rows(const fly_solver *s) { return s->e.nrow + s->e.p.ng + s->e.p.nb; }

bool fly_looks_take(fly_solver *s) {
  if (!fly_looks_needed(s))
    return true;
  for (int k = 0; k < NODES; k++)
    s->looks.value[k] = fly_arena_doubles(&s->memory, (size_t)rows(s));
  s->looks.here = fly_arena_doubles(&s->memory, (size_t)rows(s));
  s->looks.weight = fly_arena_doubles(&s->memory, (size_t)rows(s));
  s->looks.y = fly_arena_doubles(&s->memory, (size_t)s->e.p.ny);
  return !s->memory.failed;
}

double fly_looks_spacing(const fly_solver *s) { return s->o.look > 0 ? s->o.look : SPACING * (s->t_end - s->t0); }

// -f, d, -h, g, b at the present state and another time; forces feel the outputs as they would be then.
static int look(fly_solver *s, double t, double *out) {
  const fly_dae_problem *p = &s->e.p;
  fly_dae_state at = fly_point_state(&s->now);
  at.t = t;
  s->stats.looks++;
  int code = fly_eval_applied(&s->e, out, &at);
  if (code == 0 && p->ny > 0) {
    for (int i = 0; i < p->ny; i++)
      s->looks.y[i] = -out[p->nv + p->nx + i];
    at.y = s->looks.y;
    code = fly_eval_applied(&s->e, out, &at);
  }
  if (code == 0 && p->ng > 0)
    code = fly_eval_constraint(&s->e, out + s->e.nrow, t, s->now.q);
  if (code == 0 && p->nb > 0)
    code = fly_eval_nonholonomic_rate(&s->e, out + s->e.nrow + p->ng, t, s->now.q);
  return code;
}

void fly_row_sizes(const fly_csc *a, double *out) {
  for (int i = 0; i < a->rows; i++)
    out[i] = 0;
  for (int j = 0; j < a->cols; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
      out[a->row[k]] = fmax(out[a->row[k]], fabs(a->val[k]));
}

// What a unit of each row does to positions and states within h, weighted: forces over the mass, states by their
// rates, constraints over the largest entry of their Jacobian.
static void set_weights(fly_solver *s, double h) {
  const fly_dae_problem *p = &s->e.p;
  double *w = s->looks.weight, smallest = INFINITY;
  fly_row_sizes(&s->e.M, w);
  for (int i = 0; i < p->nv; i++) {
    const double scale = p->scale_v ? p->scale_v[i] : 1.0;
    smallest = fmin(smallest, scale);
    w[i] = w[i] > 0 ? h * h / 2 / w[i] / scale : 0.0;
  }
  for (int i = 0; i < p->nx; i++)
    w[p->nv + i] = h / (p->scale_x ? p->scale_x[i] : 1.0);
  for (int i = 0; i < p->ny; i++)
    w[p->nv + p->nx + i] = 0;
  double *g = w + s->e.nrow, *b = g + p->ng;
  if (p->ng > 0)
    fly_row_sizes(&s->e.G, g);
  if (p->nb > 0)
    fly_row_sizes(&s->e.B, b);
  for (int i = 0; i < p->ng; i++)
    g[i] = g[i] > 0 ? 1 / g[i] / smallest : 0.0;
  for (int i = 0; i < p->nb; i++)
    b[i] = b[i] > 0 ? h / b[i] / smallest : 0.0;
}

static void lagrange(double r, double c[NODES]) {
  for (int k = 0; k < NODES; k++) {
    c[k] = 1;
    for (int j = 0; j < NODES; j++)
      c[k] *= j == k ? 1 : (r - node[j]) / (node[k] - node[j]);
  }
}

// Is what is there at the share r of the step another thing than the curve says, and does it matter?
static bool surprises(const fly_solver *s, double r, double allowed) {
  double c[NODES];
  lagrange(r, c);
  for (int i = 0; i < rows(s); i++) {
    double curve = 0, lo = INFINITY, hi = -INFINITY, here = s->looks.here[i];
    for (int k = 0; k < NODES; k++) {
      const double value = s->looks.value[k][i];
      curve += c[k] * value;
      lo = fmin(lo, value);
      hi = fmax(hi, value);
    }
    const double off = fabs(here - curve);
    if (off * s->looks.weight[i] > allowed && off > ROUGH * (hi - lo) + NOISE * fmax(fabs(here), fabs(curve)))
      return true;
  }
  return false;
}

static double allowed(const fly_solver *s, double h) {
  return s->o.error_per == FLY_PER_RUN ? s->o.error * h / (s->t_end - s->t0) : s->o.error;
}

// A look that fails says nothing: the step itself will.
double fly_looks_longest(fly_solver *s, double h) {
  const double spacing = fly_looks_spacing(s), t = s->now.t;
  if (!(h > spacing) || (t == s->looks.from && h <= s->looks.free))
    return h;
  const int n = (int)fmin(ceil(h / spacing), 1e6);
  for (int k = 0; k < NODES; k++)
    if (look(s, t + node[k] * h, s->looks.value[k]))
      return h;
  set_weights(s, h);
  double free = h;
  for (int k = 1; k < n && free == h; k++) {
    if (look(s, t + h * k / n, s->looks.here))
      return h;
    if (surprises(s, (double)k / n, allowed(s, h)))
      free = k > 1 ? h * (k - 1) / n : 0.5 * h / n;
  }
  s->looks.from = t;
  s->looks.free = free;
  s->stats.surprises += free < h;
  return free;
}
