// Consistent values: positions and velocities on their constraints, accelerations and multipliers, third derivatives.
//
//   | M  G^T |  d(position):     M delta + G^T mu = 0, G delta = -g
//   | G   0  |  d(velocity):     M delta + G^T mu = 0, G delta = -(G v + g_t)
//               acceleration:    M v' + G^T lambda = f, G v' = -gamma
//
// with the rows of nonholonomic constraints, states and outputs in the same matrix (the KKT matrix of matrix.h).
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "dae/index1.h"
#include "dae/newmark.h"
#include "dae/outcome.h"
#include "math/so3.h"

enum { MEETINGS = 6 }; // corrections of a position between the ends of a step

static fly_index1 index1_of(fly_solver *s) { return (fly_index1){&s->e, &s->kkt, s->dz, &s->stats.kkt_solves, NULL}; }

static fly_outcome factor_kkt(fly_solver *s, const fly_dae_state *at) {
  const fly_index1 f = index1_of(s);
  return fly_index1_factor(&f, at);
}

// For projections: the family that begins there takes the derivatives of forces itself.
static fly_outcome factor_start(fly_solver *s, const fly_dae_state *at) {
  const fly_index1 f = index1_of(s);
  return fly_index1_factor_alone(&f, at);
}

static void solve_kkt(fly_solver *s, double *b) {
  const fly_index1 f = index1_of(s);
  fly_index1_solve(&f, b);
}

// dz = increment of velocities (first nv) that changes the constraint rows by -rows.
static void constraint_correction(fly_solver *s, const double *rows, double *dz) {
  memset(dz, 0, (size_t)s->kkt.n * sizeof(double));
  for (int i = 0; i < s->e.nl; i++)
    dz[s->e.p.nv + i] = -rows[i];
  solve_kkt(s, dz);
}

// ------------------------------------------------------------------------------------------ positions, velocities

static fly_status no_projection(fly_solver *s, fly_error *error) {
  int worst = 0;
  char name[160];
  for (int i = 1; i < s->e.p.ng; i++)
    if (fabs(s->rows[i]) > fabs(s->rows[worst]))
      worst = i;
  fly_constraint_text(&s->e, worst, name, sizeof name);
  return fly_fail(error, FLY_INCONSISTENT, s->now.t,
                  "The start does not fit the constraints and cannot be projected onto them: %s is left with %.3g. "
                  "Check the initial positions, or whether the constraints can be met at all.",
                  name, s->rows[worst]);
}

static fly_status explain(fly_solver *s, fly_outcome why, fly_error *error) {
  if (why == FLY_NO_FACTOR)
    return fly_explain_singular(s, s->now.t, s->now.q, error);
  if (why == FLY_OUT_OF_MEMORY)
    return fly_fail(error, FLY_NO_MEMORY, s->now.t, "Out of memory while factorizing the start's matrix.");
  return fly_explain_callback(s, s->now.t, error);
}

// One Newton correction of the positions, halved until |g| falls. Sets *moved to its weighted size; < 0: no way down.
static fly_outcome correct_positions(fly_solver *s, double before, double *moved) {
  fly_dae_state at = fly_point_state(&s->now);
  fly_outcome outcome = factor_start(s, &at);
  if (outcome)
    return outcome;
  memset(s->rows + s->e.p.ng, 0, (size_t)s->e.p.nb * sizeof(double));
  constraint_correction(s, s->rows, s->dz);
  *moved = fly_weighted(s, s->dz);
  bool rounding = *moved <= 100 * fly_round_off(s);
  for (int halvings = 0; halvings < 12; halvings++) {
    fly_eval_plus(&s->e, s->work, s->now.q, s->dz);
    outcome = outcome_of(fly_eval_constraint(&s->e, s->rows2, s->now.t, s->work));
    if (outcome == FLY_FATAL)
      return outcome;
    if (outcome == FLY_SOLVED && (largest(s->rows2, s->e.p.ng) < before || rounding)) {
      memcpy(s->now.q, s->work, (size_t)s->e.p.nq * sizeof(double));
      return FLY_SOLVED;
    }
    for (int i = 0; i < s->e.p.nv; i++)
      s->dz[i] *= 0.5;
  }
  *moved = -1;
  return FLY_SOLVED;
}

static fly_status project_positions(fly_solver *s, fly_error *error) {
  double total = 0, moved = 0;
  for (int k = 0; k < 60; k++) {
    fly_outcome outcome = outcome_of(fly_eval_constraint(&s->e, s->rows, s->now.t, s->now.q));
    if (outcome)
      return explain(s, outcome, error);
    double before = largest(s->rows, s->e.p.ng);
    if (before == 0 || (k > 0 && moved <= 100 * fly_round_off(s)))
      break;
    outcome = correct_positions(s, before, &moved);
    if (outcome)
      return explain(s, outcome, error);
    if (moved < 0 && before <= 100 * DBL_EPSILON * largest(s->now.q, s->e.p.nq)) // a long chain adds up its roundings
      break;
    if (moved < 0 || !isfinite(moved))
      return no_projection(s, error);
    total += moved;
    if (k == 59)
      return no_projection(s, error);
  }
  s->certificate.start_position = fmax(s->certificate.start_position, total);
  return FLY_OK;
}

// v moved onto G v + g_t = 0, B v + b = 0 at (t, q), whose KKT matrix is factorized and kinematics evaluated. What is
// at rest stays so: nothing is solved for nothing.
static fly_outcome project_velocity(fly_solver *s, double *v, double t, const double *q, double *moved) {
  *moved = 0;
  for (int k = 0; k < 3 && s->e.nl > 0; k++) {
    fly_outcome outcome = outcome_of(fly_eval_velocity_rows(&s->e, s->rows, t, q, v));
    if (outcome)
      return outcome;
    if (largest(s->rows, s->e.nl) == 0)
      break;
    constraint_correction(s, s->rows, s->dz);
    for (int i = 0; i < s->e.p.nv; i++)
      v[i] += s->dz[i];
    *moved += fly_weighted(s, s->dz);
  }
  return FLY_SOLVED;
}

fly_outcome fly_meet_constraints(fly_solver *s, fly_point *at) {
  const fly_dae_state here = fly_point_state(at);
  double moved = INFINITY;
  for (int k = 0; k < MEETINGS && moved > 100 * fly_round_off(s); k++) {
    fly_outcome outcome = outcome_of(fly_eval_constraint(&s->e, s->rows, at->t, at->q));
    if (outcome == FLY_SOLVED)
      outcome = factor_kkt(s, &here);
    if (outcome)
      return outcome;
    memset(s->rows + s->e.p.ng, 0, (size_t)s->e.p.nb * sizeof(double));
    constraint_correction(s, s->rows, s->dz);
    const double before = moved;
    moved = fly_weighted(s, s->dz);
    if (!(moved < before))
      return FLY_UNSOLVED;
    fly_eval_plus(&s->e, s->work, at->q, s->dz);
    memcpy(at->q, s->work, (size_t)s->e.p.nq * sizeof(double));
  }
  fly_outcome outcome = factor_kkt(s, &here);
  return outcome ? outcome : project_velocity(s, at->v, at->t, at->q, &moved);
}

// M x + G^T mu + B^T nu = M e, G x = 0, B x = B e: nonholonomic constraints put no position back. The derivatives J[0]
// are the last that were taken.
fly_outcome fly_free_part(fly_solver *s, const double *e, double *free) {
  const fly_coef limit = {0};
  fly_step_matrix_fill(&s->kkt, &s->e, &limit, NULL);
  fly_status status = fly_step_matrix_factor(&s->kkt);
  if (status)
    return status == FLY_NO_MEMORY ? FLY_OUT_OF_MEMORY : FLY_NO_FACTOR;
  int nv = s->e.p.nv;
  memset(s->dz, 0, (size_t)s->kkt.n * sizeof(double));
  fly_csc_multiply_add(s->dz, &s->e.M, 1.0, e);
  fly_csc_multiply_add(s->dz + nv + s->e.p.ng, &s->e.B, 1.0, e);
  solve_kkt(s, s->dz);
  memcpy(free, s->dz, (size_t)nv * sizeof(double));
  return FLY_SOLVED;
}

// ------------------------------------------------------------------------------------------ accelerations

static fly_outcome solve_accelerations(fly_solver *s, const fly_dae_state *at, double *z) {
  const fly_index1 f = index1_of(s);
  return fly_index1_accelerations(&f, at, z);
}

fly_outcome fly_find_accelerations(fly_solver *s, double t, const double *q, const double *v, const double *x,
                                   double *z) {
  const fly_index1 f = index1_of(s);
  return fly_index1_find(&f, t, q, v, x, z);
}

fly_outcome fly_find_nearby(fly_solver *s, double t, const double *q, const double *v, const double *x,
                            const double *guess, double *z) {
  const fly_dae_state at = fly_index1_state(&s->e, t, q, v, x, z);
  memcpy(z, guess, (size_t)s->kkt.n * sizeof *z);
  if (solve_accelerations(s, &at, z) == FLY_SOLVED)
    return FLY_SOLVED;
  memcpy(z, guess, (size_t)s->kkt.n * sizeof *z);
  return fly_find_accelerations(s, t, q, v, x, z);
}

fly_outcome fly_find_others(fly_solver *s, double t, const double *q, const double *v, const double *x, double *z,
                            const bool *held) {
  fly_index1 f = index1_of(s);
  f.held = held;
  return fly_index1_find(&f, t, q, v, x, z);
}

// What the caller gave: where Newton's iteration begins, and where the matrices before it are taken.
static void take_guess(fly_solver *s) {
  const fly_dae_problem *p = &s->e.p;
  const double *z = s->guess;
  if (!s->guessed || s->started)
    return;
  memcpy(s->now.vdot, z, (size_t)p->nv * sizeof(double));
  memcpy(s->now.lambda, z + p->nv, (size_t)s->e.nl * sizeof(double));
  memcpy(s->now.xdot, z + p->nv + s->e.nl, (size_t)p->nx * sizeof(double));
  memcpy(s->now.y, z + p->nv + s->e.nl + p->nx, (size_t)p->ny * sizeof(double));
}

// The same, and after an event what there was before it.
static void first_guess(fly_solver *s) {
  const fly_dae_problem *p = &s->e.p;
  double *z = s->z;
  memcpy(z, s->now.vdot, (size_t)p->nv * sizeof(double));
  memcpy(z + p->nv, s->now.lambda, (size_t)s->e.nl * sizeof(double));
  memcpy(z + p->nv + s->e.nl, s->now.xdot, (size_t)p->nx * sizeof(double));
  memcpy(z + p->nv + s->e.nl + p->nx, s->now.y, (size_t)p->ny * sizeof(double));
}

static fly_status accelerations(fly_solver *s, fly_error *error) {
  fly_dae_state at = fly_index1_state(&s->e, s->now.t, s->now.q, s->now.v, s->now.x, s->z);
  memset(s->z, 0, (size_t)s->kkt.n * sizeof(double));
  if (s->guessed)
    first_guess(s);
  fly_outcome outcome = fly_find_accelerations(s, at.t, at.q, at.v, at.x, s->z);
  if (outcome == FLY_UNSOLVED && s->started)
    return fly_fail(error, FLY_INCONSISTENT, s->now.t,
                    "No accelerations and multipliers satisfy the equations at t = %.9g s, where something changes "
                    "(Newton's iteration does not converge). Check forces that depend on reactions, and output "
                    "equations, or try another method or formulation.",
                    s->now.t);
  if (outcome == FLY_UNSOLVED)
    return fly_fail(
        error, FLY_INCONSISTENT, s->now.t,
        "No accelerations and multipliers satisfy the equations at the start (Newton's iteration does not "
        "converge%s). Check forces that depend on reactions, and output equations, or give a guess for them "
        "(fly_solver_guess).",
        s->guessed ? " from the guess given" : " from zero");
  if (outcome)
    return explain(s, outcome, error);
  const fly_dae_problem *p = &s->e.p;
  memcpy(s->now.vdot, at.vdot, (size_t)p->nv * sizeof(double));
  memcpy(s->now.lambda, at.lambda, (size_t)s->e.nl * sizeof(double));
  memcpy(s->now.xdot, at.xdot, (size_t)p->nx * sizeof(double));
  memcpy(s->now.y, at.y, (size_t)p->ny * sizeof(double));
  return FLY_OK;
}

fly_status fly_make_consistent(fly_solver *s, fly_error *error) {
  fly_status status = FLY_OK;
  const bool kept = s->crossing.kept;
  take_guess(s);
  if (s->e.nl > 0 && !s->crossing.checked) // dependent rows are told by name before any solve trips over them
    status = fly_check_rank(s, s->now.t, s->now.q, error);
  if (status == FLY_OK && s->e.p.ng > 0 && !kept)
    status = project_positions(s, error);
  if (status)
    return status;
  if (kept)
    return accelerations(s, error);
  fly_dae_state at = fly_point_state(&s->now);
  fly_outcome outcome = factor_start(s, &at);
  double moved = 0;
  if (outcome == FLY_SOLVED)
    outcome = project_velocity(s, s->now.v, s->now.t, s->now.q, &moved);
  if (outcome)
    return explain(s, outcome, error);
  s->certificate.start_velocity = fmax(s->certificate.start_velocity, moved);
  return accelerations(s, error);
}

// ------------------------------------------------------------------------------------------ third derivatives

// Accelerations at a neighbouring time along the motion: q (+) e v + e^2/2 v', v + e v', x + e x'.
static fly_outcome neighbour(fly_solver *s, double e, double *z) {
  const fly_dae_problem *p = &s->e.p;
  for (int i = 0; i < p->nv; i++) {
    s->work[i] = e * (fly_own(s)->jerk.v_clean[i] + 0.5 * e * s->z[i]);
    s->side.v[i] = fly_own(s)->jerk.v_clean[i] + e * s->z[i];
  }
  fly_eval_plus(&s->e, s->side.q, s->now.q, s->work);
  const double *xdot = s->z + p->nv + s->e.nl;
  for (int i = 0; i < p->nx; i++)
    s->side.x[i] = s->now.x[i] + e * xdot[i];
  memcpy(z, s->z, (size_t)s->kkt.n * sizeof(double));
  fly_dae_state at = fly_index1_state(&s->e, s->now.t + e, s->side.q, s->side.v, s->side.x, z);
  return solve_accelerations(s, &at, z);
}

// Width of the difference: a share of the step, so its own error is of second order; the larger the noisier the field.
static double difference_width(const fly_solver *s) {
  const fly_dae_problem *p = &s->e.p;
  bool noisy = p->ng > 0 && !(p->constraint_jacobian && p->constraint_gamma);
  double speed = fly_weighted(s, fly_own(s)->jerk.v_clean), acceleration = fly_weighted(s, s->z);
  double scale = speed > 0 ? speed / fmax(acceleration, 1e-300) : s->t_end - s->t0;
  double span = s->at.h > 0 ? fmin(s->at.h, s->t_end - s->t0) : s->t_end - s->t0;
  double width = (noisy ? 1.0 : 0.05) * fmin(scale, span), room = 0.5 * (fly_stops_limit(s) - s->now.t);
  return room > 0 ? fmin(width, room) : width;
}

// Slopes of the field over the width e: central, unless those to the two sides have nothing in common. Then a force
// jumps, or has a kink, on one of them, and the other, the smaller, is that of the motion (docs/theory/newmark.md, 10).
static void slopes_of_field(fly_solver *s, double e) {
  const double *ahead = s->side_u[0], *here = s->z, *behind = s->side_u[1];
  int nv = s->e.p.nv, first = nv + s->e.nl;
  double *change = s->work;
  double size[3];
  const double weight[3][3] = {{1, -1, 0}, {0, 1, -1}, {1, -2, 1}}; // forward, backward, their difference
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < nv; i++)
      change[i] = weight[k][0] * ahead[i] + weight[k][1] * here[i] + weight[k][2] * behind[i];
    size[k] = fly_weighted(s, change);
  }
  const double *from = behind, *to = ahead;
  double width = 2 * e;
  if (size[2] > 0.5 * fmax(size[0], size[1])) {
    from = size[0] < size[1] ? here : behind;
    to = size[0] < size[1] ? ahead : here;
    width = e;
  }
  for (int i = 0; i < nv; i++)
    fly_own(s)->jerk.v[i] = (to[i] - from[i]) / width;
  for (int i = 0; i < s->e.p.nx; i++)
    fly_own(s)->jerk.x[i] = (to[first + i] - from[first + i]) / width;
}

// Behind a break, where the past is another problem's: from the accelerations at t, t + e and t + 2e, of second order.
static void forward_slopes(fly_solver *s, double e) {
  const double *near = s->side_u[0], *far = s->side_u[1], *here = s->z;
  const int first = s->e.p.nv + s->e.nl;
  for (int i = 0; i < s->e.p.nv; i++)
    fly_own(s)->jerk.v[i] = (4 * near[i] - far[i] - 3 * here[i]) / (2 * e);
  for (int i = first; i < first + s->e.p.nx; i++)
    fly_own(s)->jerk.x[i - first] = (4 * near[i] - far[i] - 3 * here[i]) / (2 * e);
}

static fly_outcome difference(fly_solver *s, double e) {
  const bool forward = s->now.t - e < s->stops.passed;
  fly_outcome outcome = neighbour(s, e, s->side_u[0]);
  if (outcome == FLY_SOLVED)
    outcome = neighbour(s, forward ? 2 * e : -e, s->side_u[1]);
  if (outcome == FLY_SOLVED)
    (forward ? forward_slopes : slopes_of_field)(s, e);
  return outcome;
}

// Consistent v and v' at now, then v'' and x'' by a central difference of the acceleration field along the motion. The
// field is the index-1 one, so its derivative carries no noise of the integration (numerics 5: other sources do).
static fly_outcome field_jerk(fly_solver *s) {
  const fly_dae_problem *p = &s->e.p;
  fly_dae_state at = fly_point_state(&s->now);
  const bool kept = fly_own(s)->use.valid; // derivatives that a kept matrix is made of are those of here, too
  fly_outcome outcome = (kept ? factor_kkt : factor_start)(s, &at);
  double moved;
  memcpy(fly_own(s)->jerk.v_clean, fly_own(s)->mem.v,
         (size_t)p->nv * sizeof(double)); // the recursion's own, whatever was reported
  if (outcome == FLY_SOLVED)
    outcome = project_velocity(s, fly_own(s)->jerk.v_clean, s->now.t, s->now.q, &moved);
  if (outcome)
    return outcome;
  fly_dae_state clean = fly_index1_state(&s->e, s->now.t, s->now.q, fly_own(s)->jerk.v_clean, s->now.x, s->z);
  memcpy(s->z, s->now.vdot, (size_t)p->nv * sizeof(double));
  memcpy(s->z + p->nv, s->now.lambda, (size_t)s->e.nl * sizeof(double));
  memcpy(s->z + p->nv + s->e.nl, s->now.xdot, (size_t)p->nx * sizeof(double));
  memcpy(s->z + p->nv + s->e.nl + p->nx, s->now.y, (size_t)p->ny * sizeof(double));
  outcome = solve_accelerations(s, &clean, s->z);
  return outcome == FLY_SOLVED ? difference(s, difference_width(s)) : outcome;
}

// offset: M offset + G^T mu = 0, G offset = G E, E = constant v'' + (1/12) w x w' on rotations (N-offset).
static fly_outcome index3_offset(fly_solver *s) {
  const fly_dae_problem *p = &s->e.p;
  for (int i = 0; i < p->nv; i++)
    s->work[i] = fly_own(s)->error_constant * fly_own(s)->jerk.v[i];
  for (int k = 0; k < p->nrotation; k++) {
    int i = p->rotation_v[k];
    double cross[3];
    fly_cross(cross, fly_own(s)->jerk.v_clean + i, s->z + i);
    for (int j = 0; j < 3; j++)
      s->work[i + j] += cross[j] / 12;
  }
  int code = fly_eval_kinematics(&s->e, s->now.t, s->now.q);
  if (code)
    return outcome_of(code);
  memset(s->rows, 0, (size_t)s->e.nl * sizeof(double));
  fly_csc_multiply_add(s->rows, &s->e.G, -1.0, s->work);
  constraint_correction(s, s->rows, s->dz);
  memcpy(fly_own(s)->jerk.offset, s->dz, (size_t)p->nv * sizeof(double));
  return FLY_SOLVED;
}

// In index 3 the computed accelerations are too noisy to be differenced; elsewhere their history is both cheaper and
// safe in stiff systems, where the field's derivative is not.
fly_outcome fly_find_jerk(fly_solver *s) {
  bool index3 = s->o.formulation == FLY_INDEX3 && s->e.p.ng > 0;
  fly_outcome outcome = FLY_SOLVED;
  if (index3 || !fly_history_jerk(s, fly_own(s)->jerk.v, fly_own(s)->jerk.x)) {
    outcome = field_jerk(s);
    if (outcome == FLY_SOLVED && index3)
      outcome = index3_offset(s);
  }
  fly_own(s)->jerk.known = true;
  fly_own(s)->jerk.trusted = outcome == FLY_SOLVED;
  return outcome;
}
