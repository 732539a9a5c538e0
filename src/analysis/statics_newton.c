// Equilibrium by Newton's iteration on its equations, docs/theory/statics.md (S-newton, S-shift, S-release).
//
// First plain, off the constraints, with steps as long as the next correction gets shorter, and only downhill. Where
// that fails, with a shift: (K + sigma M) p = M a on the constraints, sigma as large as it must be for a step to stay
// inside a trusted length and to go downhill. With sigma > 0 this is a step of the motion without inertia, so it ends
// where the model would come to rest. If that runs away or gets stuck, forces that hold the start in balance are let go
// along a path that may turn back (pseudo-arclength).
#include <math.h>
#include <string.h>

#include "analysis/statics.h"
#include "base/error.h"

static const int MOST_STEPS = 1000, MOST_PATH_STEPS = 400;
static const int MOST_PLAIN_STEPS = 50;
static const double PLAIN_TURN = 0.3;   // in one step of the plain iteration [rad]
static const double BALANCED = 1e-13;   // of the loads: rounding
static const double GOOD_ENOUGH = 1e-9; // of the loads, where rounding does not let it fall further
static const double TINY_STEP = 1e-11;  // radians, model sizes
static const double MOST_TURN = 1.5;    // in one step [rad]: turns are counted
static const double TRACE = 1e-8;       // of the largest stiffness over mass
static const double TINY_PIVOT = 1e-15; // reciprocal condition below which a matrix counts as singular

// ------------------------------------------------------------------------------------------ a step

// Length of a step against what is trusted: turns are limited besides.
static double stretch(const fly_balance *b, const double *p, double trusted) {
  return fmax(fly_balance_weighted(b, p) / trusted, fly_balance_turn(b, p) / MOST_TURN);
}

// b->p from the factors of K + sigma M: right side M a.
static void solve_step(fly_balance *b) {
  fly_balance_mass(b, b->p, b->now.z);
  memset(b->p + b->nv, 0, (size_t)(b->n - b->nv) * sizeof *b->p);
  fly_lu_solve(b->tangent.lu, b->p);
}

// Downhill and inside the trusted length, with the smallest shift that does it; M a is in b->Ma.
static bool find_step(fly_balance *b, double *sigma, double trusted) {
  double least = 1e-4 * fly_balance_weighted(b, b->now.z) / fmin(trusted, MOST_TURN);
  for (int k = 0; k < 60; k++) {
    bool solved = fly_balance_factor(b, *sigma) && (*sigma > 0 || fly_lu_rcond(b->tangent.lu) > TINY_PIVOT);
    if (solved) {
      solve_step(b);
      double down = fly_balance_dot(b->p, b->Ma, b->nv), long_as = stretch(b, b->p, trusted);
      if (down > 0 && long_as <= 1)
        return true;
      if (down == 0 && b->now.size == 0)
        return true;
    }
    *sigma = fmax(4 * *sigma, least);
  }
  return false;
}

// The place behind the step, in b->next. False: it cannot be reached.
static bool take_step(fly_balance *b) {
  fly_eval_plus(&b->e, b->next.q, b->now.q, b->p);
  memcpy(b->next.z, b->now.z, (size_t)b->n * sizeof *b->next.z);
  return fly_balance_project(b, b->next.q) && fly_balance_at(b, &b->next);
}

// ------------------------------------------------------------------------------------------ the plain iteration

typedef enum verdict { FOUND, STUCK, RAN_AWAY } verdict;

// Minus the rows of equilibrium and of the constraints at a place, solved with the factors there are: a correction (n).
static bool correction(fly_balance *b, const fly_rest *at, double *u) {
  fly_dae_state s = fly_balance_state(b, at);
  if (fly_eval_kinematics(&b->e, b->t, at->q) || fly_eval_equations(&b->e, b->equations, &s) ||
      fly_eval_constraint(&b->e, b->rows, b->t, at->q))
    return false;
  for (int i = 0; i < b->nv; i++)
    u[i] = -b->equations[i];
  for (int i = 0; i < b->ng; i++)
    u[b->nv + i] = -b->rows[i];
  for (int i = 0; i < b->nx + b->ny; i++)
    u[b->nv + b->ng + i] = -b->equations[b->nv + i];
  fly_lu_solve(b->tangent.lu, u);
  return isfinite(fly_balance_length(b, u));
}

// p^T K p of the correction p: -p.r + g.dlambda, as K p + G^T dlambda = -r and G p = -g.
static double curvature(const fly_balance *b) {
  return fly_balance_dot(b->rows, b->p + b->nv, b->ng) - fly_balance_dot(b->p, b->equations, b->nv);
}

// The natural monotonicity test (Deuflhard, Newton Methods for Nonlinear Problems, 2004, 3.1): a share of the step is
// good if the correction that would follow, by the same matrix, is shorter. b->next becomes the place.
static bool shorten(fly_balance *b, double length) {
  double share = PLAIN_TURN / fmax(PLAIN_TURN, fly_balance_turn(b, b->p));
  for (int k = 0; k < 8; k++, share /= 2) {
    for (int i = 0; i < b->nv; i++)
      b->delta[i] = share * b->p[i];
    fly_eval_plus(&b->e, b->next.q, b->now.q, b->delta);
    for (int i = b->nv; i < b->n; i++)
      b->next.z[i] = b->now.z[i] + share * b->p[i];
    for (int i = 0; i < b->nx; i++)
      b->next.x[i] = b->now.x[i] + share * b->p[b->nv + b->ng + i];
    if (correction(b, &b->next, b->work) && fly_balance_length(b, b->work) <= (1 - share / 4) * length)
      return true;
  }
  return false;
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

// The tangent without a shift; with states, for which there is no other way, with a trace of one where a motion is that
// nothing holds: along it there is then no step, and elsewhere it does not matter.
static bool plain_factor(fly_balance *b) {
  if (fly_balance_factor(b, 0.0) && fly_lu_rcond(b->tangent.lu) >= TINY_PIVOT)
    return true;
  const double stiffness = largest(b->e.J[2].val, fly_csc_nnz(&b->e.J[2])), mass = largest(b->M, fly_csc_nnz(&b->e.M));
  return b->nx > 0 && fly_balance_factor(b, TRACE * stiffness / mass) && fly_lu_rcond(b->tangent.lu) >= TINY_PIVOT;
}

static verdict iterate(fly_balance *b) {
  double length = INFINITY;
  for (int k = 0; k < MOST_PLAIN_STEPS && length > TINY_STEP; k++) {
    if (!plain_factor(b) || !correction(b, &b->now, b->p))
      return STUCK;
    length = fly_balance_length(b, b->p);
    if (b->nx == 0 && !(curvature(b) > 0) && length > 1e-8)
      return STUCK; // uphill; controllers have no hills
    b->out->iterations++;
    if (!shorten(b, length)) {
      if (length > 1e-8)
        return STUCK;
      break;
    }
    b->next.size = INFINITY; // not known yet
    fly_balance_accept(b, b->delta);
  }
  bool rests = length <= 1e-8 && fly_balance_project(b, b->now.q) && fly_balance_at(b, &b->now);
  return rests && fly_balance_residual(b, &b->now) <= GOOD_ENOUGH ? FOUND : STUCK;
}

// ------------------------------------------------------------------------------------------ the iteration with a shift

// Work done over what the linear equations predict; the force is taken as linear between the two ends.
static double work_ratio(const fly_balance *b, double sigma) {
  fly_balance_mass(b, b->Mp, b->p);
  double before = fly_balance_dot(b->now.z, b->Mp, b->nv), after = fly_balance_dot(b->next.z, b->Mp, b->nv);
  double predicted = before + sigma * fly_balance_dot(b->p, b->Mp, b->nv);
  return (before + after) / predicted;
}

static verdict descend(fly_balance *b, int most) {
  double sigma = 0, trusted = 0.5, length, angle;
  for (int k = 0; k < most; k++) {
    if (fly_balance_residual(b, &b->now) <= BALANCED)
      return FOUND;
    fly_balance_mass(b, b->Ma, b->now.z);
    if (!find_step(b, &sigma, trusted))
      return fly_balance_residual(b, &b->now) <= GOOD_ENOUGH ? FOUND : STUCK;
    double step = fly_balance_weighted(b, b->p);
    bool last = sigma == 0 && step <= TINY_STEP;
    b->out->iterations++;
    bool reached = take_step(b);
    double ratio = reached ? work_ratio(b, sigma) : -1;
    bool falls = reached && b->next.size < 0.5 * b->now.size;
    if (step < 1e-6 && !falls && fly_balance_residual(b, &b->now) <= GOOD_ENOUGH)
      return FOUND;
    if (!falls && !(ratio > 0.1)) {
      trusted = step / 4;
      if (!(step > 1e-14))
        return STUCK;
      continue;
    }
    fly_balance_accept(b, b->p);
    if (last)
      return FOUND;
    if (fly_balance_far(b, &length, &angle))
      return RAN_AWAY;
    if (falls || ratio > 0.6) {
      trusted = fmax(trusted, 3 * step);
      sigma = sigma < 1e-3 * fly_balance_weighted(b, b->now.z) / trusted ? 0 : sigma / 10;
    }
  }
  return STUCK;
}

bool fly_statics_polish(fly_balance *b) { return (b->nx > 0 ? iterate(b) : descend(b, 30)) == FOUND; }

// ------------------------------------------------------------------------------------------ letting go along a path

// r(q, lambda) = (1 - s) r(start), S-release: u = (q, lambda, y, s)
typedef struct path {
  double *held;  // r(start): the forces that hold the start in balance (n)
  double *t;     // direction of the path, last (n), and
  double ts;     // its part along s
  double *u, *w; // work (n)
  double s;
  double furthest; // largest s it came to
} path;

static double path_dot(const fly_balance *b, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < b->nv; i++)
    sum += x[i] * y[i] / (b->system->scale[i] * b->system->scale[i]);
  return sum;
}

// du/ds: the column of s in the equations is r(start).
static void path_slope(fly_balance *b, path *h) {
  for (int i = 0; i < b->n; i++)
    h->u[i] = -h->held[i];
  fly_lu_solve(b->tangent.lu, h->u);
}

// The direction in which the path goes on: that of the last one, if there was one.
static bool path_direction(fly_balance *b, path *h) {
  if (!fly_balance_factor(b, 0.0))
    return false;
  path_slope(b, h);
  double length = sqrt(path_dot(b, h->u, h->u) + 1);
  double sign = path_dot(b, h->u, h->t) + h->ts < 0 ? -1 : 1;
  for (int i = 0; i < b->n; i++)
    h->t[i] = sign * h->u[i] / length;
  h->ts = sign / length;
  return isfinite(length);
}

static void path_move(fly_balance *b, path *h, const double *du, double ds) {
  fly_eval_plus(&b->e, b->now.q, b->now.q, du);
  for (int i = b->nv; i < b->n; i++)
    b->now.z[i] += du[i];
  h->s += ds;
}

// Back to the path, at right angles to its direction (at = s: at fixed s instead).
static bool path_correct(fly_balance *b, path *h, bool fixed) {
  for (int k = 0; k < 8; k++) {
    if (!fly_balance_factor(b, 0.0) || !correction(b, &b->now, h->w))
      return false;
    path_slope(b, h);
    for (int i = 0; i < b->n; i++) // the correction of r - (1 - s) held
      h->w[i] -= (1 - h->s) * h->u[i];
    double ds = fixed ? 0 : -path_dot(b, h->w, h->t) / (path_dot(b, h->u, h->t) + h->ts);
    for (int i = 0; i < b->n; i++)
      h->w[i] += ds * h->u[i];
    if (!(stretch(b, h->w, 1.0) < 1))
      return false;
    path_move(b, h, h->w, ds);
    if (fly_balance_weighted(b, h->w) < 1e-9)
      return true;
  }
  return false;
}

static verdict follow(fly_balance *b, path *h) {
  double step = 0.05, length, angle;
  fly_rest from = b->next; // its arrays serve as the place to go back to
  size_t nq = (size_t)b->e.p.nq * sizeof(double), n = (size_t)b->n * sizeof(double);
  for (int k = 0; k < MOST_PATH_STEPS && step > 1e-7; k++) {
    double s = h->s;
    memcpy(from.q, b->now.q, nq);
    memcpy(from.z, b->now.z, n);
    if (!path_direction(b, h))
      return STUCK;
    if (!isfinite(fly_balance_weighted(b, h->t)))
      return STUCK;
    bool ends = s + step * h->ts >= 1;
    double go = ends ? (1 - s) / h->ts : step;
    for (int i = 0; i < b->n; i++)
      h->w[i] = go * h->t[i];
    memcpy(b->delta, h->w, (size_t)b->nv * sizeof *b->delta);
    path_move(b, h, h->w, go * h->ts);
    b->out->iterations++;
    if (!path_correct(b, h, ends)) {
      memcpy(b->now.q, from.q, nq);
      memcpy(b->now.z, from.z, n);
      h->s = s;
      step /= 4;
      continue;
    }
    (void)fly_system_accept(b->system, b->t, b->now.q, b->rest);
    for (int i = 0; i < b->nv; i++)
      b->way[i] += b->delta[i];
    h->furthest = fmax(h->furthest, h->s);
    if (ends)
      return FOUND;
    if (h->s < -1 || fly_balance_far(b, &length, &angle))
      return RAN_AWAY;
    step = fmin(1.5 * step, 0.5);
  }
  return STUCK;
}

static verdict release(fly_balance *b, double *furthest) {
  fly_arena memory = {0};
  size_t n = (size_t)b->n;
  path h = {.held = fly_arena_doubles(&memory, n),
            .t = fly_arena_doubles(&memory, n),
            .u = fly_arena_doubles(&memory, n),
            .w = fly_arena_doubles(&memory, n),
            .ts = 1};
  verdict v = STUCK;
  b->starved = b->starved || memory.failed;
  if (!memory.failed && fly_balance_rewind(b)) {
    fly_balance_mass(b, h.held, b->now.z); // r = -M a
    for (int i = 0; i < b->nv; i++)
      h.held[i] = -h.held[i];
    v = follow(b, &h);
  }
  if (v == FOUND)
    v = fly_balance_at(b, &b->now) ? descend(b, 30) : STUCK;
  *furthest = h.furthest;
  fly_arena_free(&memory);
  return v;
}

// ------------------------------------------------------------------------------------------ failures

// Nothing holds the direction p: no stiffness along it at the start, and far away the same force as there.
static bool is_free(fly_balance *b, double *p, double *force) {
  double scale = fly_balance_weighted(b, p);
  for (int i = 0; i < b->nv; i++)
    p[i] /= scale;
  fly_balance_mass(b, b->Mp, p);
  *force = fly_balance_dot(b->now.z, b->Mp, b->nv);
  if (!fly_balance_rewind(b))
    return false;
  double before = fly_balance_dot(b->now.z, b->Mp, b->nv);
  memset(p + b->nv, 0, (size_t)(b->n - b->nv) * sizeof *p);
  (void)fly_balance_factor(b, 0.0); // singular it is, but filled
  memset(b->work, 0, (size_t)b->n * sizeof *b->work);
  fly_csc_multiply_add(b->work, &b->tangent.a, 1.0, p);
  double stiffness = fly_balance_dot(p, b->work, b->nv);
  return fabs(*force - before) <= 1e-6 * fabs(before) && fabs(stiffness) <= 1e-6 * fabs(before);
}

static fly_status tell_free(fly_balance *b, double force, fly_error *error) {
  char motion[160];
  int body = fly_balance_motion_text(b, b->p, motion, sizeof motion);
  bool turns = strstr(motion, "turns") != NULL;
  b->free = true;
  return fly_fail_at(
      error, FLY_NO_CONVERGENCE, b->t, b->model->spec->item[b->model->body[body].item].place, NULL,
      "There is no equilibrium: %s and nothing holds it; wherever it is, %.3g %s push it on. Hold it by a "
      "joint, a spring or a motion, or take that load away.",
      motion, turns ? force : force / b->model->size, turns ? "N m" : "N");
}

// motion: in which it ran away, or "".
static fly_status tell_failure(fly_balance *b, const char *motion, double furthest, fly_error *error) {
  char left[160];
  fly_balance_force_text(b, &b->near, left, sizeof left);
  fly_fail(error, FLY_NO_CONVERGENCE, b->t,
           "No equilibrium was found%s%s%s. Where the forces come nearest to balance, "
           "what is left is %s.",
           motion[0] ? ": " : "", motion, motion[0] ? " on and on" : "", left);
  if (furthest > 0)
    fly_error_append(error, " Of the forces that would hold the start, %.0f %% can be let go, not all.",
                     100 * furthest);
  fly_error_append(error, " Look for a load that is too large or a spring that is missing, or start nearer.");
  return FLY_NO_CONVERGENCE;
}

fly_status fly_statics_tell_far(fly_balance *b, fly_error *error) {
  char motion[160];
  double force;
  memcpy(b->p, b->way, (size_t)b->nv * sizeof *b->p);
  fly_balance_motion_text(b, b->p, motion, sizeof motion);
  return is_free(b, b->p, &force) ? tell_free(b, force, error) : tell_failure(b, motion, 0.0, error);
}

fly_status fly_statics_newton(fly_balance *b, fly_error *error) {
  double furthest = 0, force;
  char motion[160] = "";
  if (iterate(b) == FOUND)
    return FLY_OK;
  if (b->nx > 0)
    return fly_statics_tell_states(b, error);
  if (!fly_balance_rewind(b))
    return fly_fail(error, FLY_SINGULAR, b->t, "Forces and reactions cannot be found where the model is assembled.");
  verdict first = descend(b, MOST_STEPS);
  if (first == FOUND)
    return FLY_OK;
  if (first == RAN_AWAY)
    fly_balance_motion_text(b, b->p, motion, sizeof motion);
  if (first == RAN_AWAY && is_free(b, b->p, &force))
    return tell_free(b, force, error);
  verdict second = release(b, &furthest);
  if (second != FOUND)
    return tell_failure(b, motion, furthest, error);
  fly_balance_note(b,
                   "Newton's iteration %s; found by letting go the forces that hold the start, step by step along a "
                   "path.",
                   first == RAN_AWAY ? "ran away" : "got stuck");
  return FLY_OK;
}
