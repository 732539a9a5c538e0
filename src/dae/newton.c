// The corrector: modified Newton with a kept matrix, stopped by the estimated contraction rate (HHT 3.4, numerics 7);
// a line search when even a fresh matrix does not help.
#include <math.h>
#include <string.h>

#include "base/wide.h"
#include "dae/newmark.h"
#include "dae/outcome.h"
#include "math/sizes.h"

static const double SLOW_RATE = 0.35;        // a kept matrix that contracts worse than this is renewed
static const double COEFFICIENT_RATIO = 1.5; // one whose c_q or c_x is off by this factor is formed again
static const double CURVATURE_SHARE = 0.003;
static const double OUTPUT_LEFT = 1e-8; // of an output: what its row may leave
static const double ROUNDED = 4.0;      // corrections of so many rounding errors are at round-off
static const int ROUNDING_SAMPLES = 3;
static const double STILL = 2.0;                               // corrections at round-off differ by such factors
static const double FORCE_LEFT = 1e-8, FORCE_LEFT_MOST = 1e-2; // of joints' forces, relative (C-forces),
static const double FORCE_SHARE = 0.1;                         // between these of what steps make of accelerations
static const double FORCE_LEAST = 1e-2; // of the largest force of a joint: smaller ones are seen against that
static const double MOVES = 1e-6;       // of the largest velocity: it moves
static const double FIXED = 1e-6;       // of what a push would do to a free body: constraints determine it
static const double FORCE_RATE = 0.05;  // contraction of forces that is believed without having been seen
static const int LINE_SEARCH_FIXED = 60, LINE_SEARCH_ADAPTIVE = 15;

typedef enum verdict { CONVERGED, SLOW, DIVERGED, BROKEN } verdict;

// What is left of the iteration must not disturb the error estimate: it is small against the error a step makes, which
// is the tolerance or, when that is smaller, what the last step made (HHT 45). Nor may it add up: an error of v' that
// keeps its sign grows over the run like the method's own velocity error, h^2 v''' in each v', and goes straight into
// the multipliers. So it is small against that too, which HHT 45 does not ask (docs/theory/newmark.md, N-corrector).
double fly_newton_tolerance(const fly_solver *s) {
  double h = s->at.h, expected = s->estimate_last, curvature = fly_own(s)->history.curvature;
  if (s->h_last > 0) {
    expected *= pow(h / s->h_last, 3);
    curvature *= pow(h / s->h_last, 2);
  }
  double allowed = expected;
  if (s->o.step == 0) {
    allowed = s->o.error_per == FLY_PER_RUN ? s->o.error * h / (s->t_end - s->t0) : s->o.error;
    if (expected > 0)
      allowed = fmin(allowed, expected);
  }
  double tolerance = s->o.newton_factor * allowed;
  tolerance = curvature > 0 ? fmin(tolerance, CURVATURE_SHARE * s->at.coef.c_q * curvature) : 0.01 * tolerance;
  return s->o.step > 0 ? 1e-3 * tolerance
                       : tolerance; // fixed steps are asked for to see the formulas, not the corrector
}

// ------------------------------------------------------------------------------------------ the matrix

static void row_maxima(double *row, const fly_csc *a) {
  const int n = fly_csc_nnz(a), *at = a->row;
  for (int k = 0; k < n; k++) {
    const double size = fabs(a->val[k]);
    row[at[k]] = size > row[at[k]] ? size : row[at[k]]; // fmax is a call
  }
}

// The largest entry of G, as what a weighted velocity of 1 does to a row.
static double largest_entry(const fly_solver *s) {
  const fly_csc *G = &s->e.G;
  double largest = 0;
  for (int j = 0, k = 0; j < s->e.p.nv; j++) {
    const double scale = s->e.p.scale_v ? s->e.p.scale_v[j] : 1.0;
    for (const int end = G->start[j + 1]; k < end; k++) {
      const double size = fabs(G->val[k]) * scale;
      largest = size > largest ? size : largest;
    }
  }
  return largest;
}

// (G^T l)_j of all constraint rows, holonomic first, as work over the scale of the velocity.
static double force_of(const fly_solver *s, const double *l, int j) {
  const fly_csc *G = &s->e.G, *B = &s->e.B;
  double sum = 0;
  for (int k = G->start[j]; k < G->start[j + 1]; k++)
    sum += G->val[k] * l[G->row[k]];
  for (int k = B->start[j]; k < B->start[j + 1]; k++)
    sum += B->val[k] * l[s->e.p.ng + B->row[k]];
  return s->e.p.scale_v ? sum * s->e.p.scale_v[j] : sum;
}

static double largest_force(const fly_solver *s, const double *l) {
  double largest = 0;
  for (int j = 0; j < s->e.p.nv; j++)
    largest = fly_larger(largest, fabs(force_of(s, l, j)));
  return largest;
}

// du = S^-1 of some rounding errors: kept if it moves positions further than those before.
static void keep_shaken(fly_solver *s, const double *du) {
  fly_shaken *to = &s->shaken;
  const fly_coef *c = &s->at.coef;
  const double size = fly_correction_norm(s, du), *eta = s->step.kind == FLY_MATRIX_GGL ? du + s->step.ncore : NULL;
  if (!(size > to->rounded))
    return;
  to->rounded = size;
  for (int i = 0; i < s->e.p.nv; i++) {
    to->vdot[i] = du[i];
    to->v[i] = c->c_v * du[i];
    to->q[i] = c->c_q * (eta ? du[i] + eta[i] : du[i]);
  }
  memcpy(to->lambda, du + s->e.p.nv, (size_t)s->e.nl * sizeof *du);
}

// How far rounding errors of the constraints move the unknowns through this matrix. Near a singular position that is
// many times further than elsewhere, and no iteration gets closer (docs/theory/control.md, C-amplified).
static void find_rounding(fly_solver *s) {
  int nv = s->e.p.nv, ng = s->e.p.ng, n = s->step.ncore;
  double *du = s->at.du, *row = s->rows2, position, velocity;
  uint32_t random = 1;
  fly_own(s)->use.rounding = fly_own(s)->use.noise = fly_own(s)->use.force_noise = s->shaken.rounded = 0;
  if (ng == 0)
    return;
  fly_own(s)->use.row_size = largest_entry(s);
  fly_rounding(s, &position, &velocity);
  memset(row, 0, (size_t)s->e.nl * sizeof(double));
  row_maxima(row, &s->e.G);
  row_maxima(row + ng, &s->e.B);
  bool positions = s->step.kind == FLY_MATRIX_INDEX3;
  for (int k = 0; k < ROUNDING_SAMPLES; k++) {
    memset(du, 0, (size_t)s->step.n * sizeof(double));
    for (int i = 0; i < s->e.nl; i++)
      du[nv + i] = fly_next_random(&random) * row[i] *
                   (i < ng && positions ? position / s->at.coef.c_q : velocity / s->at.coef.c_v);
    for (int i = 0; s->step.kind == FLY_MATRIX_GGL && i < ng; i++)
      du[n + nv + i] = fly_next_random(&random) * row[i] * position / s->at.coef.c_q;
    fly_matrix_solve(s, du);
    fly_own(s)->use.rounding = fmax(fly_own(s)->use.rounding, fly_correction_norm(s, du));
    fly_own(s)->use.noise = fmax(fly_own(s)->use.noise, s->at.coef.c_q * fly_weighted(s, du));
    keep_shaken(s, du);
  }
  fly_own(s)->use.force_noise = largest_force(s, s->shaken.lambda);
  fly_own(s)->use.rounded_with = s->at.coef;
}

// The same for other coefficients with the derivatives there are: rounding errors of velocities move v' and the
// multipliers like 1/c_v, so positions like c_q/c_v; those of positions go into eta, which moves these as before.
static void scale_rounding(fly_solver *s) {
  fly_matrix_use *use = &fly_own(s)->use;
  const fly_coef *then = &use->rounded_with, *now = &s->at.coef;
  const double faster = then->c_v / now->c_v, way = now->c_q / then->c_q * faster, most = fmax(1, way);
  use->noise *= way;
  use->rounding *= most;
  use->force_noise *= faster;
  s->shaken.rounded *= most;
  for (int i = 0; i < s->e.p.nv; i++) {
    s->shaken.vdot[i] *= faster;
    s->shaken.q[i] *= most;
  }
  for (int i = 0; i < s->e.nl; i++)
    s->shaken.lambda[i] *= faster;
  use->rounded_with = *now;
}

static double diagonal(const fly_csc *a, int j) {
  double value = 0;
  for (int k = a->start[j]; k < a->start[j + 1]; k++)
    value += a->row[k] == j ? a->val[k] : 0.0;
  return value;
}

// Which velocities do constraints determine? Those that no push changes. All are pushed at once, at random.
static void find_fixed(fly_solver *s) {
  fly_matrix_use *use = &fly_own(s)->use;
  double *du = s->at.du;
  uint32_t random = 1;
  use->any_fixed = false;
  if (s->e.nl == 0)
    return;
  memset(du, 0, (size_t)s->step.n * sizeof(double));
  for (int j = 0; j < s->e.p.nv; j++)
    du[j] = use->fixed[j] = (1.5 + 0.5 * fly_next_random(&random)) * diagonal(&s->e.M, j);
  fly_matrix_solve(s, du);
  for (int j = 0; j < s->e.p.nv; j++) {
    use->fixed[j] = use->fixed[j] > 0 && fabs(du[j]) <= FIXED ? 1 : 0;
    use->any_fixed = use->any_fixed || use->fixed[j] != 0;
  }
}

static fly_outcome factor(fly_solver *s) {
  fly_status status = fly_matrix_factor(s);
  fly_own(s)->use.valid = status == FLY_OK;
  fly_own(s)->use.rate = fly_own(s)->use.still = fly_own(s)->use.force_rate = fly_own(s)->use.force_still = 0;
  if (fly_own(s)->use.valid)
    (fly_matrix_is_scaled(s) ? scale_rounding : find_rounding)(s);
  return status == FLY_OK ? FLY_SOLVED : status == FLY_NO_MEMORY ? FLY_OUT_OF_MEMORY : FLY_NO_FACTOR;
}

static fly_outcome renew(fly_solver *s) {
  fly_dae_state at = fly_point_state(&s->at.end);
  fly_outcome outcome = outcome_of(fly_eval_jacobian(&s->e, &at));
  if (outcome)
    return outcome;
  fly_own(s)->use.fresh = true;
  fly_own(s)->use.travelled = 0;
  return factor(s);
}

static bool far(double a, double b) { return a > b * COEFFICIENT_RATIO || b > a * COEFFICIENT_RATIO; }

// The matrix to begin with: the kept one if its coefficients still fit, else the kept derivatives with new ones.
static fly_outcome prepare(fly_solver *s) {
  fly_own(s)->use.fresh = false;
  if (!fly_own(s)->use.valid) {
    const fly_outcome outcome = renew(s);
    if (outcome == FLY_SOLVED)
      find_fixed(s);
    return outcome;
  }
  if (far(s->at.coef.c_q, fly_own(s)->use.coef.c_q) || far(s->at.coef.c_x, fly_own(s)->use.coef.c_x))
    return factor(s);
  return FLY_SOLVED;
}

// ------------------------------------------------------------------------------------------ plain iteration

static void reset_unknowns(fly_solver *s) {
  memcpy(s->at.u, s->at.u_start, (size_t)s->step.n * sizeof(double));
  fly_step_expand(s);
}

// du = S^-1 r at the present unknowns, where r was; with the holonomic rows, or as if they were met.
static fly_outcome correction(fly_solver *s, bool met) {
  fly_outcome outcome = outcome_of(fly_step_residual(s));
  if (outcome)
    return outcome;
  if (met)
    memset(s->at.r + s->e.p.nv, 0, (size_t)s->e.p.ng * sizeof(double));
  fly_matrix_solve(s, s->at.du);
  s->stats.newton_iterations++;
  return FLY_SOLVED;
}

FLY_WIDE static void subtract_many(double *restrict u, double share, const double *restrict du, int n) {
  for (int i = 0; i < n; i++)
    u[i] -= share * du[i];
}

static void apply(fly_solver *s, double share) {
  if (s->step.n >= FLY_MANY)
    subtract_many(s->at.u, share, s->at.du, s->step.n);
  for (int i = 0; i < s->step.n && s->step.n < FLY_MANY; i++)
    s->at.u[i] -= share * s->at.du[i];
  fly_step_expand(s);
}

// Is so much left of each output little enough? left: of the outputs, times a factor.
static bool outputs_small(fly_solver *s, const double *left, double factor) {
  const double *y = s->at.u + s->e.p.nv + s->e.nl + s->e.p.nx;
  bool rough = false;
  for (int i = 0; i < s->e.p.ny; i++) {
    if (factor * fabs(left[i]) <= OUTPUT_LEFT * (1 + fabs(y[i])))
      continue;
    if (!rough)
      fly_find_rough(s, s->rough);
    rough = true;
    if (!(factor * fabs(left[i]) <= s->rough[i]))
      return false;
  }
  return true;
}

// Outputs that drive nothing do not show in the positions, so they are asked separately.
static bool outputs_settled(fly_solver *s, double rate) {
  return outputs_small(s, s->at.du + s->e.p.nv + s->e.nl + s->e.p.nx, rate / (1 - rate));
}

// Are the rows of outputs met? Positions at round-off do not tell of a y that moves them little, and a row may have no
// solution any more. The corrections of y tell of most; else what is left of the rows themselves. It takes the place of
// du.
static bool outputs_met(fly_solver *s) {
  if (outputs_settled(s, 0.5))
    return true;
  return !fly_step_residual(s) && outputs_small(s, s->at.r + s->e.p.nv + s->e.nl + s->e.p.nx, 1.0);
}

// Is a correction of this size, the one in du, no more than some rounding errors, as this matrix passes them on? That
// is known of a matrix that is fresh, or so to say: the smallest singular value changes as much as positions do.
static bool at_round_off(const fly_solver *s, double size, double floor, double share) {
  if (size <= floor)
    return true;
  bool known = fly_own(s)->use.fresh || fly_own(s)->use.travelled * fly_own(s)->use.rounding <= 0.3 * floor;
  return known && size <= share * ROUNDED * fly_own(s)->use.rounding &&
         s->at.coef.c_q * fly_weighted(s, s->at.du) <= share * fmax(floor, ROUNDED * fly_own(s)->use.noise);
}

// ------------------------------------------------------------------------------------------ forces of joints

// How much the correction in du changes the forces of joints: the largest change over the force itself, or over a
// hundredth of the largest where it is smaller; 0: no more than rounding does.
static double force_change(const fly_solver *s) {
  const double *l = s->at.u + s->e.p.nv, *dl = s->at.du + s->e.p.nv;
  const double least = FORCE_LEAST * largest_force(s, l), noise = 8 * ROUNDED * fly_own(s)->use.force_noise;
  double largest = 0;
  for (int j = 0; j < s->e.p.nv; j++) {
    const double change = fly_own(s)->use.fixed[j] != 0 ? fabs(force_of(s, dl, j)) : 0.0;
    if (!(change <= noise))
      largest = fly_larger(largest, change / fmax(least, fabs(force_of(s, l, j))));
  }
  return largest;
}

// Those that constraints hold at rest need no look: nothing turns there.
static bool any_fixed_moves(const fly_solver *s) {
  const double least = MOVES * fly_weighted(s, s->at.v1);
  bool any = false;
  for (int j = 0; j < s->e.p.nv && !any; j++)
    any = fly_own(s)->use.fixed[j] != 0 && fabs(s->at.v1[j]) > least * (s->e.p.scale_v ? s->e.p.scale_v[j] : 1.0);
  return any;
}

// What may be left of forces: a share of what a step makes of accelerations, h^2 v''' of v'.
static double force_tolerance(const fly_solver *s) {
  const double grown = s->h_last > 0 ? s->at.h / s->h_last : 1.0;
  const double made = fly_own(s)->history.curvature * grown * grown, size = fly_weighted(s, s->at.u);
  return made < size ? fmin(fmax(FORCE_SHARE * made / size, FORCE_LEFT), FORCE_LEFT_MOST) : FORCE_LEFT_MOST;
}

// Velocities that constraints determine do not tell of forces on them: with a kept matrix they arrive, while what
// it leaves of the multipliers is predicted on, and grows from step to step. So forces have a test and a rate of their
// own (docs/theory/control.md, C-forces). last: the change before, with the same matrix; 0: not looked at.
static verdict judge_forces(fly_solver *s, double *last) {
  fly_matrix_use *use = &fly_own(s)->use;
  use->driven = use->driven || (use->any_fixed && any_fixed_moves(s));
  const double size = use->driven ? force_change(s) : 0.0;
  const bool seen = *last > 0;
  double rate = use->force_rate > 0 ? fmax(use->force_rate, FORCE_RATE) : 0.5;
  if (seen) {
    rate = size / *last;
    use->force_rate = fmax(rate, 0.5 * use->force_rate);
    if (use->fresh && rate > 0.8)
      use->force_still = fmin(size, *last);
  }
  *last = size;
  if (size <= STILL * use->force_still || rate / (1 - fmin(rate, 0.9)) * size <= force_tolerance(s))
    return CONVERGED;
  return seen && rate > SLOW_RATE && !use->fresh ? DIVERGED : SLOW;
}

// ------------------------------------------------------------------------------------------ verdicts

// What a correction changes: positions and states, and by itself the velocity's part of it, c_q |v'| (weighted).
typedef struct sizes {
  double all, speed;
} sizes;

static sizes sizes_of(const fly_solver *s) {
  return (sizes){fly_correction_norm(s, s->at.du), s->at.coef.c_q * fly_weighted(s, s->at.du)};
}

static bool arrived(fly_solver *s, double rate, double size, double tolerance) {
  return rate / (1 - rate) * size <= tolerance && outputs_settled(s, rate);
}

static double expected_rate(const fly_solver *s) {
  return fly_own(s)->use.rate > 0 ? fmax(fly_own(s)->use.rate, 0.02) : 0.5;
}

// Corrections below the rounding of positions. They are noise if they are below that of this kind too, or stand still
// with a fresh matrix; where they stand still is remembered. Such a correction brings its own noise, of which this
// matrix leaves the share `rate`: one more gains nothing. Until then the matrix must contract, and v' arrive: what is
// left of it in every step adds up in the velocities (docs/theory/control.md, C-speed).
static verdict judge_rounded(fly_solver *s, int k, double size, double last, double tolerance, double noise) {
  if (k == 0)
    return arrived(s, expected_rate(s), size, tolerance) ? CONVERGED : SLOW;
  double rate = last > 0 ? size / last : 0.0;
  bool rounded = fly_own(s)->use.fresh || size <= noise;
  if (rounded && rate > 0.8)
    fly_own(s)->use.still = fmin(size, last);
  if (size <= STILL * fly_own(s)->use.still || (rounded && (rate > 0.8 || k >= 5)))
    return CONVERGED;
  if (rate >= 1)
    return DIVERGED;
  fly_own(s)->use.rate = fmax(rate, 0.5 * fly_own(s)->use.rate);
  if (arrived(s, rate, size, tolerance))
    return CONVERGED;
  return rate > SLOW_RATE && !fly_own(s)->use.fresh ? DIVERGED : SLOW;
}

// In index 3 the constraints' rounding, 1/h^2, is in v' itself, and hides whether the free directions have arrived.
static bool must_settle(const fly_solver *s, double tolerance, double floor) {
  return s->step.kind == FLY_MATRIX_INDEX3 && s->e.p.ng > 0 && tolerance < floor;
}

// Stabilized, the rounding of positions, 1/h^2 in accelerations, goes into eta alone; v' answers to the velocity rows,
// whose rounding is only 1/h, and shows how the matrix contracts where positions stand still.
static verdict judge_low(fly_solver *s, int k, sizes now, sizes before, double tolerance, double floor) {
  if (must_settle(s, tolerance, floor))
    return k > 0 ? CONVERGED : SLOW; // the positions, by the second correction; then the free directions
  if (s->step.kind == FLY_MATRIX_GGL)
    return judge_rounded(s, k, now.speed, before.speed, tolerance, 8 * ROUNDED * fly_own(s)->use.noise);
  return judge_rounded(s, k, now.all, before.all, tolerance, INFINITY);
}

static verdict judge(fly_solver *s, int k, sizes now, sizes before, double tolerance, double floor, bool was_low) {
  double size = now.all, last = before.all;
  if (!isfinite(size))
    return DIVERGED;
  if (at_round_off(s, size, floor, 1))
    return judge_low(s, k, now, before, tolerance, floor);
  if (k == 0)
    return arrived(s, expected_rate(s), size, tolerance) ? CONVERGED : SLOW;
  double rate = size / last;
  if (rate >= 1)
    return was_low ? CONVERGED : DIVERGED;
  fly_own(s)->use.rate = fmax(rate, 0.5 * fly_own(s)->use.rate);
  if (arrived(s, rate, size, tolerance))
    return CONVERGED;
  double left = size / (1 - rate) * pow(rate, s->o.newton_max - k - 1);
  bool hopeless = left > fmax(tolerance, fmax(floor, ROUNDED * fly_own(s)->use.rounding)) && k > 1;
  return hopeless || (rate > SLOW_RATE && !fly_own(s)->use.fresh) ? DIVERGED : SLOW;
}

// Index 3 with the positions at round-off: corrections of all rows but the constraints', whose residuals are rounding
// errors and say nothing. They show, and correct, the free directions.
static fly_outcome settle(fly_solver *s, double tolerance, verdict *end) {
  double last = 0, forces = 0;
  *end = SLOW;
  for (int k = 0; k < s->o.newton_max && *end == SLOW; k++) {
    fly_outcome outcome = correction(s, true);
    if (outcome) {
      *end = BROKEN;
      return outcome;
    }
    double size = sizes_of(s).speed;
    *end = judge_rounded(s, k, size, last, tolerance, 0.0);
    if (*end == CONVERGED)
      *end = judge_forces(s, &forces);
    apply(s, 1.0);
    if (*end == CONVERGED && !outputs_met(s))
      *end = SLOW;
    last = size;
  }
  return *end == CONVERGED || (fly_own(s)->use.fresh && outputs_met(s)) ? FLY_SOLVED : FLY_UNSOLVED;
}

static fly_outcome iterate(fly_solver *s, double tolerance, double floor, verdict *end) {
  sizes last = {0};
  double forces = 0;
  bool was_low = false;
  for (int k = 0; k < s->o.newton_max; k++) {
    fly_outcome outcome = correction(s, false);
    if (outcome) {
      *end = BROKEN;
      return outcome;
    }
    sizes size = sizes_of(s);
    *end = judge(s, k, size, last, tolerance, floor, was_low);
    if (*end == DIVERGED && k > 0 && size.all >= last.all)
      return FLY_UNSOLVED; // leave the iterate where it was
    if (*end == CONVERGED)
      *end = judge_forces(s, &forces);
    apply(s, 1.0);
    if (*end == CONVERGED && must_settle(s, tolerance, floor))
      return settle(s, tolerance, end);
    if (*end == CONVERGED && !outputs_met(s))
      *end = SLOW;
    if (*end != SLOW)
      return *end == CONVERGED ? FLY_SOLVED : FLY_UNSOLVED;
    last = size;
    was_low = size.all <= 8 * floor || at_round_off(s, size.all, floor, 8);
  }
  *end = DIVERGED;
  return FLY_UNSOLVED;
}

// ------------------------------------------------------------------------------------------ line search

// Takes the longest of the shares 1, 1/2, ... of du for which the next correction (same matrix) is shorter: the natural
// monotonicity test, which does not depend on how rows are scaled.
static fly_outcome damped_correction(fly_solver *s, double *size, double *share) {
  double *kept_u = fly_own(s)->newton_u, *kept_du = fly_own(s)->newton_du;
  size_t bytes = (size_t)s->step.n * sizeof(double);
  memcpy(kept_u, s->at.u, bytes);
  memcpy(kept_du, s->at.du, bytes);
  for (*share = 1.0; *share > 1e-4; *share *= 0.5) {
    for (int i = 0; i < s->step.n; i++)
      s->at.u[i] = kept_u[i] - *share * kept_du[i];
    fly_step_expand(s);
    fly_outcome outcome = correction(s, false);
    if (outcome == FLY_FATAL)
      return outcome;
    double next = outcome == FLY_SOLVED ? fly_correction_norm(s, s->at.du) : (double)INFINITY;
    if (next <= (1 - 0.25 * *share) * *size) {
      *size = next;
      return FLY_SOLVED;
    }
  }
  return FLY_UNSOLVED;
}

static fly_outcome line_search(fly_solver *s, double tolerance, double floor) {
  int most = s->o.step > 0 ? LINE_SEARCH_FIXED : LINE_SEARCH_ADAPTIVE;
  s->stats.line_searches++;
  reset_unknowns(s);
  for (int k = 0; k < most; k++) {
    const bool here = k == 0 && fly_own(s)->use.fresh && fly_own(s)->use.valid; // derivatives are those of the start
    fly_outcome outcome = here ? FLY_SOLVED : renew(s);
    if (outcome == FLY_SOLVED)
      outcome = correction(s, false);
    if (outcome)
      return outcome;
    double size = fly_correction_norm(s, s->at.du), before = size, share;
    fly_own(s)->use.rough = k > 1;
    if (!isfinite(size))
      return FLY_UNSOLVED;
    if (size <= fmax(0.1 * tolerance, floor)) {
      apply(s, 1.0);
      return FLY_SOLVED;
    }
    outcome = damped_correction(s, &size, &share);
    if (outcome)
      return outcome == FLY_UNSOLVED && before <= 100 * floor ? FLY_SOLVED : outcome;
    if (share == 1.0 && size / before < 0.5 && size * size / before <= tolerance) {
      apply(s, 1.0);
      return FLY_SOLVED;
    }
  }
  return FLY_UNSOLVED;
}

// ------------------------------------------------------------------------------------------ the sentence

// From the beginning, with a fresh matrix.
static fly_outcome iterate_anew(fly_solver *s, double tolerance, double floor) {
  verdict end;
  reset_unknowns(s);
  const fly_outcome outcome = renew(s);
  return outcome == FLY_SOLVED ? iterate(s, tolerance, floor, &end) : outcome;
}

fly_outcome fly_solve_step(fly_solver *s) {
  double tolerance = fly_newton_tolerance(s), floor = fly_round_off(s);
  if (s->e.p.ng > 0 && !s->e.p.constraint_jacobian)
    floor = fmax(floor, 10 * tolerance); // constraint forces by differences are no better than that
  verdict end;
  fly_step_expand(s);
  const bool rough = fly_own(s)->use.rough;
  fly_outcome outcome = rough ? renew(s) : prepare(s);
  if (outcome == FLY_NO_FACTOR && !fly_own(s)->use.fresh)
    outcome = renew(s);
  if (outcome)
    return outcome;
  outcome = rough ? FLY_UNSOLVED : iterate(s, tolerance, floor, &end);
  if (outcome == FLY_UNSOLVED && !fly_own(s)->use.fresh)
    outcome = iterate_anew(s, tolerance, floor);
  if (outcome == FLY_UNSOLVED && !rough && fly_matrix_keep_whole(s))
    outcome = iterate_anew(s, tolerance, floor);
  if (outcome == FLY_UNSOLVED || (outcome == FLY_NOT_HERE && s->o.step > 0)) {
    outcome = line_search(s, tolerance, floor);
    if (outcome == FLY_SOLVED && !outputs_met(s))
      outcome = FLY_UNSOLVED;
  }
  if (outcome != FLY_SOLVED)
    fly_own(s)->use.valid = false; // derivatives of a failed attempt are no good start
  return outcome;
}
