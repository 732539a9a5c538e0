// Accelerations, multipliers, rates of states and outputs of a state (docs/theory/statespace.md, SS-acceleration): by
// the multipliers alone where that is all there is to it (SS-range), else by the matrix of all of them.
#include <math.h>
#include <string.h>

#include "base/phase.h"
#include "dae/outcome.h"
#include "dae/statespace.h"

enum {
  SOLVES = 8,  // corrections of accelerations before their matrix is renewed
  RENEWALS = 5 // of it, before the state is refused
};

// What may be left of accelerations, relative to them: no more than rounding leaves, or than this part of the error.
static const double ROUNDED = 1e-14, LEFT = 1e-13;
static const double PREDICTED = 1e-5; // of a step's share of the error: what accelerations at a prediction may leave

// ------------------------------------------------------------------------------------------ the matrix

// A matrix of all unknowns that costs so little is not worth another.
fly_status fly_space_build_range(state_space *w, fly_error *error) {
  const fly_solver *s = w->s;
  const double most = FLY_REFACTOR_WORK * (double)fly_lu_entries(s->kkt.lu) + 2.0 * s->kkt.n;
  const fly_status status = fly_range_build(&w->range, &s->e, most, error);
  w->by_range = false;
  w->placed = -1;
  w->ranges = status == FLY_OK && fly_range_serves(&w->range, &s->e);
  return status;
}

// What it is made of is all in the equations; its factors are those of a step, and made anew in the next.
void fly_space_image_range(state_space *w, fly_image *m) {
  uint64_t built = w->range.built;
  fly_image_bytes(m, &built, sizeof built);
  w->placed = -1;
  if (!m->reading || m->failure || built == w->range.built)
    return;
  if (built && fly_range_build(&w->range, &w->s->e, INFINITY, NULL))
    m->failure = FLY_IMAGE_NO_MEMORY;
  if (!built)
    fly_range_free(&w->range);
}

// Y of the kinematics at hand.
static void place(state_space *w) {
  if (w->placed != w->s->e.places)
    fly_range_place(&w->range, &w->s->e);
  w->placed = w->s->e.places;
}

fly_outcome fly_space_velocity_rows(state_space *w, double *r, double t, const double *q, const double *v) {
  fly_eval *e = &w->s->e;
  if (!w->ranges || !w->range.diagonal)
    return outcome_of(fly_eval_velocity_rows(e, r, t, q, v));
  const fly_outcome outcome = outcome_of(fly_eval_rates(e, r, t, q));
  if (outcome)
    return outcome;
  place(w);
  fly_range_multiply(&w->range, r, v);
  return FLY_SOLVED;
}

static fly_outcome factor(state_space *w) {
  fly_solver *s = w->s;
  const fly_coef limit = {0};
  if (w->ranges)
    place(w);
  w->by_range = w->ranges && fly_range_factor(&w->range);
  if (w->ranges)
    fly_range_count_factor(&w->range, &w->ranged);
  if (w->by_range)
    return FLY_SOLVED;
  fly_step_matrix_fill(&s->kkt, &s->e, &limit, NULL);
  return outcome_of_factor(fly_step_matrix_factor(&s->kkt));
}

void fly_space_solve(state_space *w, double *b) {
  w->s->stats.kkt_solves++;
  if (w->by_range) {
    fly_range_count_solve(&w->range, &w->ranged);
    fly_range_solve(&w->range, &w->s->e, b);
  } else
    fly_lu_solve(w->s->kkt.lu, b);
}

// ------------------------------------------------------------------------------------------ what is left

// gamma, and with feedback 2 alpha (G v + g_t) + beta^2 g; of nonholonomic rows 2 alpha (B v + b)  (SS-baumgarte).
static int right_side(state_space *w, double t, const double *q, const double *v) {
  fly_eval *e = &w->s->e;
  int code = fly_eval_gamma(e, w->right, t, q, v);
  if (code || !w->feedback || w->ill_conditioned)
    return code;
  code = fly_eval_velocity_rows(e, w->rows, t, q, v);
  for (int i = 0; i < e->nl && code == 0; i++)
    w->right[i] += 2 * w->alpha * w->rows[i];
  if (code == 0)
    code = fly_eval_constraint(e, w->rows, t, q);
  for (int i = 0; i < e->p.ng && code == 0; i++)
    w->right[i] += w->beta * w->beta * w->rows[i];
  return code;
}

// dz = residuals of M v' + G^T lambda = f, G v' = -right, d = 0, y = h at z.
static int residual(state_space *w, const fly_dae_state *at) {
  fly_eval *e = &w->s->e;
  const fly_dae_problem *p = &e->p;
  const int nv = p->nv, nl = e->nl;
  double *r = w->dz;
  const int code = fly_eval_equations(e, r, at);
  if (code)
    return code;
  fly_csc_multiply_add(r, &e->M, 1.0, at->vdot);
  memmove(r + nv + nl, r + nv, (size_t)(p->nx + p->ny) * sizeof *r);
  memcpy(r + nv, w->right, (size_t)nl * sizeof *r);
  if (p->ng)
    fly_csc_multiply_add(r + nv, &e->G, 1.0, at->vdot);
  if (p->nb)
    fly_csc_multiply_add(r + nv + p->ng, &e->B, 1.0, at->vdot);
  return 0;
}

// The correction relative to the unknowns: each kind beside its own, and all beside all.
typedef struct relative {
  double kinds, all;
} relative;

static relative relative_size(const state_space *w) {
  const fly_eval *e = &w->s->e;
  const int count[] = {e->p.nv, e->nl, e->p.nx, e->p.ny};
  double size = 0, most_d = 0, most_z = 1e-300;
  for (int k = 0, first = 0; k < 4; first += count[k++]) {
    if (count[k] == 0)
      continue;
    const double d = largest(w->dz + first, count[k]), z = largest(w->z + first, count[k]);
    if (d > 0)
      size = fmax(size, d / fmax(z, 1e-300));
    most_d = fmax(most_d, d);
    most_z = fmax(most_z, z);
  }
  return (relative){isfinite(most_d) ? size : (double)INFINITY, most_d / most_z};
}

// Where forces feel neither v' nor lambda they are evaluated once, and multipliers are all there is to correct.
static bool by_multipliers(const state_space *w) { return w->by_range && w->s->e.p.rates_constant; }

static int correct_once(state_space *w, const fly_dae_state *at, bool first) {
  fly_solver *s = w->s;
  if (by_multipliers(w)) {
    const int code = first ? fly_eval_applied(&s->e, w->dz, at) : 0;
    if (code)
      return code;
    if (first)
      fly_range_begin(&w->range, w->dz, w->right, at->lambda);
    s->stats.kkt_solves++;
    fly_range_count_solve(&w->range, &w->ranged);
    fly_range_correct(&w->range, &s->e, w->z, w->dz);
    return 0;
  }
  const int code = residual(w, at);
  if (code)
    return code;
  fly_space_solve(w, w->dz);
  for (int i = 0; i < s->kkt.n; i++)
    w->z[i] -= w->dz[i];
  return 0;
}

// What a prediction's first correction leaves, if its matrix leaves as much as last seen: nothing of what the step may
// err by, or of the accelerations.
static bool prediction_does(const state_space *w, double size) {
  const fly_solver *s = w->s;
  if (w->rate * size <= 1e-12)
    return true;
  const double moved = w->adams.at.h * w->velocity_time * fly_weighted(s, w->dz);
  return s->o.step == 0 && w->rate < 1e-3 && w->rate * moved <= PREDICTED * fly_adams_allowed(&w->adams);
}

// Corrects z with the matrix at hand until it stays. One correction is enough if the matrix is known to leave nothing
// of it.
static fly_outcome correct(state_space *w, const fly_dae_state *at, bool fresh, bool exact) {
  fly_solver *s = w->s;
  const double enough = s->o.step > 0 ? ROUNDED : fmax(ROUNDED, LEFT * s->o.error);
  double last = INFINITY;
  for (int k = 0; k < SOLVES; k++) {
    const int code = correct_once(w, at, k == 0);
    if (code)
      return outcome_of(code);
    const relative r = relative_size(w);
    const double size = r.kinds, rounding = r.all;
    if (!isfinite(size))
      return FLY_UNSOLVED;
    if (k == 1 && fresh)
      w->rate = rounding <= 1e-13 ? 0 : size / last;
    if (size <= enough || (k == 0 && !exact && prediction_does(w, size)) || (k > 0 && size / last * size <= enough))
      return FLY_SOLVED;
    if (k > 0 && size > 0.3 * last) // round-off, or a matrix of somewhere else
      return rounding <= 1e-11 ? FLY_SOLVED : FLY_UNSOLVED;
    last = size;
  }
  return FLY_UNSOLVED;
}

// Without loops nothing is left to correct. Multipliers at a prediction are nobody's.
static fly_outcome accelerate_joints(state_space *w, const fly_dae_state *at) {
  fly_eval *e = &w->s->e;
  double *xdot = w->z + e->p.nv + e->nl;
  for (int i = 0; i < e->p.nx; i++) // d(x') = x' - its rate
    xdot[i] = 0;
  int code = fly_eval_applied(e, w->dz, at);
  if (code)
    return outcome_of(code);
  for (int i = 0; i < e->p.nv; i++)
    w->dz[i] = -w->dz[i];
  for (int i = 0; i < e->p.nx; i++)
    xdot[i] = -w->dz[e->p.nv + i];
  const fly_phase before = fly_phase_enter(FLY_PHASE_SOLVE);
  code = e->p.tree->accelerate(w->z, w->exact ? w->z + e->p.nv : NULL, w->exact ? &w->lost : NULL, at->q, at->v, w->dz,
                               e->p.user);
  fly_phase_leave(before);
  w->s->stats.kkt_solves++;
  w->reuse = w->kinematics = false;
  return outcome_of(fly_eval_note(e, "tree, accelerate", code, w->z, e->p.nv));
}

// z at a state, from that of the evaluation before. M and G are those of the state; the matrix may be that of the
// prediction close by, and has the J0 of the last renewal.
fly_outcome fly_space_accelerations(state_space *w, double t, const double *q, const double *v, const double *x) {
  fly_solver *s = w->s;
  fly_eval *e = &s->e;
  const double *lambda = w->z + e->p.nv, *xdot = lambda + e->nl;
  const fly_dae_state at = {t, q, v, w->z, lambda, x, xdot, xdot + e->p.nx, NULL};
  if (w->hangs)
    return accelerate_joints(w, &at);
  const bool reuse = w->reuse, kinematics = w->kinematics;
  const bool exact =
      w->exact || e->p.ny > 0; // what a matrix leaves of equations that bend in y is not known beforehand
  w->reuse = w->kinematics = false;
  fly_outcome outcome = outcome_of(kinematics ? 0 : fly_eval_kinematics(e, t, q));
  if (outcome == FLY_SOLVED)
    outcome = outcome_of(right_side(w, t, q, v));
  if (outcome == FLY_SOLVED && !reuse)
    outcome = factor(w);
  else if (outcome == FLY_SOLVED && by_multipliers(w))
    place(w);
  if (outcome == FLY_SOLVED)
    outcome = correct(w, &at, !reuse, exact);
  for (int k = 0; k < RENEWALS && outcome == FLY_UNSOLVED; k++) {
    outcome = outcome_of(fly_eval_index1(e, &at));
    w->ranges = k == 0 && outcome == FLY_SOLVED && fly_range_serves(&w->range, e);
    if (outcome == FLY_SOLVED)
      outcome = factor(w);
    if (outcome == FLY_SOLVED)
      outcome = correct(w, &at, true, true);
    w->ranges = fly_range_serves(&w->range, e); // at other places it may do
  }
  return outcome;
}
