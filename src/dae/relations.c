// Relations inside the equations, as in a spring that only pushes: held on one of their sides within a step, so that it
// is smooth, and located where they change inside of it. There the step ends, and the next one begins on the other side
// (docs/theory/control.md, C-relations).
#include <float.h>
#include <math.h>
#include <string.h>

#include "dae/solver.h"

enum { PARTS = 2 };                  // of a step, at whose ends relations are looked at
enum { ROUNDS = 8 };                 // of a search for what comes first
static const double TOGETHER = 1e-9; // of a step: relations that change so close to each other do it at once
static const double AT_ONCE = 1e-6;  // of a step: one that changes back so soon slides
static const double OFTEN = 1e-3;    // of the mean time between changes: one that comes sooner,
static const int QUICK = 20;         // so often in a row, has no end
static const double NEAR = 1.0 / 64; // of the room there is: where the two sides are compared
static const double NOISE = 1e-9;    // of a row: no difference
static const double SOON = 1e-8;     // of the run: where one that starts on its edge has gone

// Many contacts begin and end all the time; ending a step at each of them costs a new start each. Where more than MANY
// of the last steps, some MEMORY of them, ended so, firm relations at which nothing jumps come as they come, until they
// change in fewer than FEW: a kink of the forces is an error of the order of a step's own, which its test sees.
static const double MANY = 0.25, FEW = 0.1, MEMORY = 30;

void fly_relations_take(fly_solver *s) {
  fly_relations *r = &s->relations;
  fly_arena *m = &s->memory;
  const size_t n = (size_t)s->e.p.nrelation;
  if (n == 0)
    return;
  r->side = fly_arena_take(m, n, sizeof *r->side);
  r->left = fly_arena_take(m, n, sizeof *r->left);
  r->turns = fly_arena_take(m, n, sizeof *r->turns);
  r->count = fly_arena_take(m, n, sizeof *r->count);
  r->before = fly_arena_doubles(m, n);
  r->start = fly_arena_doubles(m, n);
  r->margin = fly_arena_doubles(m, n);
  r->changed = fly_arena_doubles(m, n);
  r->quick = fly_arena_ints(m, n);
  for (int k = 0; k < 3; k++)
    r->rows[k] = fly_arena_doubles(m, (size_t)s->e.nrow);
  s->e.side = r->side;
}

void fly_relations_begin(fly_solver *s) {
  fly_relations *r = &s->relations;
  r->until = NAN;
  r->busy = 0;
  r->crowded = false;
  for (int i = 0; i < s->e.p.nrelation; i++) {
    r->side[i] = 0;
    r->left[i] = r->turns[i] = false;
    r->changed[i] = -INFINITY;
    r->count[i] = r->quick[i] = 0;
  }
}

void fly_relations_copy(fly_solver *s, const fly_solver *old) {
  fly_relations *r = &s->relations;
  const fly_relations *o = &old->relations;
  r->until = o->until;
  r->busy = o->busy;
  r->crowded = o->crowded;
  for (int i = 0; i < s->e.p.nrelation && i < old->e.p.nrelation; i++) { // new ones come behind them
    r->side[i] = o->side[i];
    r->left[i] = o->left[i];
    r->turns[i] = o->turns[i];
    r->changed[i] = o->changed[i];
    r->count[i] = o->count[i];
    r->quick[i] = o->quick[i];
    r->before[i] = o->before[i];
  }
}

static fly_status evaluate(fly_solver *s, double *out, const fly_point *at, fly_error *error) {
  fly_dae_state state = fly_point_state(at);
  state.side = s->relations.side;
  return s->e.p.relations(out, &state, s->e.p.user) ? fly_explain_callback(s, at->t, error) : FLY_OK;
}

static fly_status margins_at(fly_solver *s, double t, fly_error *error) {
  fly_dense_at(s, t, &s->dense);
  return evaluate(s, s->relations.margin, &s->dense, error);
}

static fly_status glance_at(fly_solver *s, double t, fly_error *error) {
  fly_glance_at(s, t, &s->dense);
  return evaluate(s, s->relations.margin, &s->dense, error);
}

// ------------------------------------------------------------------------------------------ sides

// One that is on neither side, or that nothing depends on, comes as it comes until it is somewhere.
static signed char side_of(double margin) { return (signed char)((margin > 0) - (margin < 0)); }

// Is it one of those that come as they come where there are many?
static bool gives_way(const fly_solver *s, int i) {
  const int firm = i - (s->e.p.nrelation - s->e.p.nfirm);
  return firm >= 0 && s->e.p.firm_jumps && !s->e.p.firm_jumps[firm];
}

static bool is_loose(const fly_solver *s, int i) {
  return s->relations.left[i] || (s->relations.crowded && gives_way(s, i));
}

// At an accepted point.
static void decide(fly_solver *s, const double *margin) {
  fly_relations *r = &s->relations;
  for (int i = 0; i < s->e.p.nrelation; i++)
    r->side[i] = (signed char)(is_loose(s, i) ? 0 : side_of(margin[i]));
}

static void turn(fly_solver *s, int i) {
  fly_relations *r = &s->relations;
  r->side[i] = (signed char)(is_loose(s, i) ? 0 : -r->side[i]);
  r->changed[i] = s->now.t;
  r->count[i]++;
  s->stats.relations++;
}

// One that a new start finds exactly on its edge, where the equations may jump, is on the side that the velocities take
// it to; at rest it comes as it comes.
static fly_status leave_edges(fly_solver *s, fly_error *error) {
  fly_relations *r = &s->relations;
  fly_point *ahead = &s->dense;
  const double soon = SOON * (s->t_end - s->t0);
  fly_point_copy(ahead, &s->now, &s->e);
  for (int i = 0; i < s->e.p.nv; i++)
    s->work[i] = soon * s->now.v[i];
  fly_eval_plus(&s->e, ahead->q, s->now.q, s->work);
  ahead->t += soon;
  const fly_status status = evaluate(s, r->margin, ahead, error);
  for (int i = 0; i < s->e.p.nrelation && status == FLY_OK; i++)
    if (r->before[i] == 0 && r->side[i] == 0 && !is_loose(s, i) && r->margin[i] != 0) {
      r->side[i] = side_of(r->margin[i]);
      r->changed[i] = s->now.t;
    }
  return status;
}

// Those whose time it is turn; what else has changed the motion here may have taken others to their other side.
fly_status fly_relations_turn(fly_solver *s, fly_error *error) {
  fly_relations *r = &s->relations;
  const int n = s->e.p.nrelation;
  const bool due = r->until == s->now.t;
  r->until = NAN;
  if (n == 0)
    return FLY_OK;
  for (int i = 0; i < n; i++)
    if (due && r->turns[i])
      turn(s, i);
  const fly_status status = evaluate(s, r->before, &s->now, error);
  for (int i = 0; i < n && status == FLY_OK && s->started; i++)
    if (!(due && r->turns[i]))
      r->side[i] = (signed char)(is_loose(s, i) ? 0 : side_of(r->before[i]));
  return status == FLY_OK ? leave_edges(s, error) : status;
}

// ------------------------------------------------------------------------------------------ how much changes

static void swap_sides(fly_relations *r, int n) {
  for (int i = 0; i < n; i++)
    if (r->turns[i])
      r->side[i] = (signed char)-r->side[i];
}

// The equations at t, with the sides as they are and as they will be.
static bool both_sides(fly_solver *s, double t) {
  fly_relations *r = &s->relations;
  fly_dense_at(s, t, &s->dense);
  const fly_dae_state at = fly_point_state(&s->dense);
  bool fine = fly_eval_applied(&s->e, r->rows[0], &at) == 0;
  swap_sides(r, s->e.p.nrelation);
  fine = fly_eval_applied(&s->e, r->rows[1], &at) == 0 && fine;
  swap_sides(r, s->e.p.nrelation);
  return fine;
}

// What the two differ by grows from where they meet: not at all where they jump, in proportion to the time behind a
// kink, faster where they are smooth. near, far: at one distance and at twice that.
static int order_of(double near, double far, double size) {
  if (!(fabs(far) > NOISE * size))
    return 2;
  const double growth = fabs(far / near);
  return growth < 1.4 ? 0 : growth < 2.5 ? 1 : 2;
}

// The lowest derivative of the equations that jumps at t where those that turn do: 0, 1, or 2 for all others.
static int order_at(fly_solver *s, double t) {
  fly_relations *r = &s->relations;
  const double ahead = s->now.t - t, behind = s->last.t - t, room = ahead > -behind ? ahead : behind;
  int order = 2;
  if (!both_sides(s, t + NEAR * room))
    return 2;
  for (int i = 0; i < s->e.nrow; i++)
    r->rows[2][i] = r->rows[1][i] - r->rows[0][i];
  if (!both_sides(s, t + 2 * NEAR * room))
    return 2;
  for (int i = 0; i < s->e.nrow; i++) {
    const int its = order_of(r->rows[2][i], r->rows[1][i] - r->rows[0][i], fabs(r->rows[0][i]) + fabs(r->rows[1][i]));
    order = its < order ? its : order;
  }
  return order;
}

// ------------------------------------------------------------------------------------------ where

static bool has_crossed(const fly_relations *r, int i) { return r->side[i] * r->margin[i] < 0; }

static bool any_crossed(const fly_relations *r, int n) {
  bool any = false;
  for (int i = 0; i < n; i++)
    any = any || has_crossed(r, i);
  return any;
}

static fly_status inside_at(fly_solver *s, int i, double t, double *value, fly_error *error) {
  const fly_status status = margins_at(s, t, error);
  *value = s->relations.side[i] * s->relations.margin[i];
  return status;
}

// Of those that turn the one that a straight line from a to where they are takes across first; -1: none has crossed.
static int likely_first(const fly_relations *r, int n) {
  int first = -1;
  double soonest = INFINITY;
  for (int i = 0; i < n; i++) {
    const double before = fmax(r->side[i] * r->before[i], DBL_MIN), share = before / (before + fabs(r->margin[i]));
    if (r->turns[i] && has_crossed(r, i) && share < soonest) {
      soonest = share;
      first = i;
    }
  }
  return first;
}

// Where those that have crossed by b did so first, in (a, b]; and which of them did it there. One of them is located;
// then only those count that have crossed before it.
static fly_status find_first_of(fly_solver *s, double a, double b, double *first, fly_error *error) {
  fly_relations *r = &s->relations;
  const int n = s->e.p.nrelation;
  const double together = TOGETHER * (s->now.t - s->last.t), end = b;
  fly_status status = FLY_OK;
  for (int i = 0; i < n; i++)
    r->turns[i] = has_crossed(r, i);
  *first = b;
  for (int k = 0, i; k < n && status == FLY_OK && b > a && (i = likely_first(r, n)) >= 0; k++) {
    const double before = fmax(r->side[i] * r->before[i], DBL_MIN), beyond = r->side[i] * r->margin[i];
    status = fly_locate(s, inside_at, i, a, before, b, beyond, first, error);
    b = fmax(a, *first - together);
    if (status == FLY_OK)
      status = margins_at(s, b, error);
  }
  if (status == FLY_OK)
    status = margins_at(s, fmin(*first + together, end), error);
  for (int i = 0; i < n; i++)
    r->turns[i] = r->turns[i] && has_crossed(r, i);
  return status;
}

// One that has crossed and come back by b, or has come back and crossed again, as where one spot of a contact takes
// over from another, is still across just before the place that was found: then it did so before.
static fly_status find_first(fly_solver *s, double a, double b, double *first, fly_error *error) {
  const fly_relations *r = &s->relations;
  const double little = AT_ONCE * (s->now.t - s->last.t);
  fly_status status = find_first_of(s, a, b, first, error);
  for (int k = 0; k < ROUNDS && status == FLY_OK && *first - little > a; k++) {
    const double before = *first - little;
    status = margins_at(s, before, error);
    if (status || !any_crossed(r, s->e.p.nrelation))
      break;
    status = find_first_of(s, a, before, first, error);
  }
  return status;
}

// It came back at once from where it went, or comes and goes ever more often.
static bool has_no_end(fly_solver *s, int i, double t) {
  fly_relations *r = &s->relations;
  const double since = t - r->changed[i];
  if (since < AT_ONCE * (s->now.t - s->last.t))
    return true;
  r->quick[i] = since * (double)r->count[i] < OFTEN * (t - s->t0) ? r->quick[i] + 1 : 0;
  return r->quick[i] >= QUICK;
}

static void end_step(fly_solver *s, double t) {
  fly_relations *r = &s->relations;
  const bool worth = order_at(s, t) < 2;
  const int firm = s->e.p.nrelation - s->e.p.nfirm;
  for (int i = 0; i < s->e.p.nrelation; i++)
    if (r->turns[i])
      r->left[i] = (!worth && i < firm) || has_no_end(s, i, t);
  fly_dense_at(s, t, &s->dense);
  fly_step_cut(s, t);
  r->until = t;
  s->done = false;
  fly_cross_announce(s, FLY_EFFECT_JUMP);
}

void fly_relations_inside(const fly_solver *s, double *from, double *to) {
  const fly_relations *r = &s->relations;
  const double h = *to - *from, a = *from;
  if (r->until == *to)
    *to -= TOGETHER * h;
  for (int i = 0; i < s->e.p.nrelation; i++)
    if (r->changed[i] == a)
      *from = a + TOGETHER * h;
}

static bool any_held(const fly_relations *r, int n) {
  bool any = false;
  for (int i = 0; i < n; i++)
    any = any || !r->left[i];
  return any;
}

// Did one of those that may come as they come change between the ends of the step?
static bool any_changed(const fly_solver *s) {
  const fly_relations *r = &s->relations;
  bool any = false;
  for (int i = 0; i < s->e.p.nrelation && !any; i++)
    any = gives_way(s, i) && !r->left[i] && r->start[i] * r->margin[i] < 0;
  return any;
}

static void count_busy(fly_solver *s, bool changed) {
  fly_relations *r = &s->relations;
  r->busy += ((changed ? 1 : 0) - r->busy) / MEMORY;
  r->crowded = r->busy > (r->crowded ? FEW : MANY);
}

// The parts of the last step; *at: where relations changed first; NAN: nowhere.
static fly_status look_through(fly_solver *s, double *at, fly_error *error) {
  fly_relations *r = &s->relations;
  const int n = s->e.p.nrelation;
  const double from = s->last.t, to = s->now.t;
  fly_status status = FLY_OK;
  *at = NAN;
  for (int k = 1; k <= PARTS && status == FLY_OK; k++) {
    double a = from + (to - from) * (k - 1) / PARTS, b = k < PARTS ? from + (to - from) * k / PARTS : to;
    status = glance_at(s, b, error);
    if (status == FLY_OK && any_crossed(r, n))
      status = margins_at(s, b, error);
    if (status == FLY_OK && any_crossed(r, n))
      return find_first(s, a, b, at, error);
    memcpy(r->before, r->margin, (size_t)n * sizeof *r->margin);
  }
  return status;
}

fly_status fly_relations_check(fly_solver *s, fly_error *error) {
  fly_relations *r = &s->relations;
  const int n = s->e.p.nrelation;
  double at;
  if (!(s->now.t > s->last.t) || !any_held(r, n))
    return FLY_OK;
  memcpy(r->start, r->before, (size_t)n * sizeof *r->start);
  fly_status status = look_through(s, &at, error);
  if (status == FLY_OK && !isnan(at) && fly_dense_shorten(s, at)) {
    memcpy(r->before, r->start, (size_t)n * sizeof *r->start);
    status = look_through(s, &at, error);
  }
  if (status)
    return status;
  count_busy(s, !isnan(at) || (r->crowded && any_changed(s)));
  if (isnan(at))
    decide(s, r->margin);
  else
    end_step(s, at);
  return FLY_OK;
}
