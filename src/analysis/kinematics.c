// The motion of a mechanism without freedom, from position to position.
#include "analysis/kinematics.h"

#include <math.h>
#include <string.h>

#include "analysis/singular.h"
#include "base/error.h"
#include "math/so3.h"

// In sizes of the model and radians:
static const double MOST_STEP[] = {
    0.5, 0.06};                        // how far anything may move in a step; with forces less: their work is summed up
static const double MOST_APART = 0.02; // how far a point may be from where it was predicted,
static const double AIM_APART = 0.002; // and how far it should be
static const double MOST_LEFT = 1e-6;  // of rows that were taken out, where the others hold
static const double MOST_SLIDING = 1e-4; // and of their velocities, relative to what moves fastest
static const double CLOSE = 1e-5;        // a crossing is looked for down to such an rcond, relative to the best,
static const double BRACKET = 1e-7;      // of a step: a singular position is located that well
// Where A is nearer to singular than this, relative to the best on the way, rounding is felt: in positions as 1/rcond,
// in velocities as its square, in accelerations as its cube.
static const double NEAR = 1e-3, HOPELESS = 1e-7;
static const double SMALLEST_STEP = 1e-11; // of the end time

// ------------------------------------------------------------------------------------------ life

static fly_status take(fly_drive *d, fly_error *error) {
  fly_pose *const poses[] = {&d->last, &d->now, &d->trial, &d->dense, &d->left, &d->right};
  size_t n = (size_t)d->square.n;
  for (size_t k = 0; k < sizeof poses / sizeof *poses; k++)
    fly_pose_take(poses[k], &d->square, &d->memory);
  d->sign = fly_arena_take(&d->memory, n, 1);
  d->trial_sign = fly_arena_take(&d->memory, n, 1);
  d->delta = fly_arena_doubles(&d->memory, n);
  d->null_left = fly_arena_doubles(&d->memory, n);
  d->null_right = fly_arena_doubles(&d->memory, n);
  return d->memory.failed ? fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d coordinates.", d->square.n)
                          : FLY_OK;
}

// Velocities, accelerations and, if they are wanted, multipliers, where positions are found and A is factorized.
static fly_solved complete(fly_drive *d, fly_pose *p) {
  fly_solved solved = fly_square_rates(&d->square, p, NULL, NULL);
  if (solved == FLY_FOUND && d->forces)
    solved = fly_square_forces(&d->square, p);
  return solved;
}

static double largest_row(const fly_square *s) {
  double most = 0;
  for (int k = 0; k < s->held; k++)
    if (!(fabs(s->rows[k]) <= most))
      most = fabs(s->rows[k]);
  return most;
}

void fly_drive_certify(fly_drive *d) {
  fly_square *s = &d->square;
  const fly_pose *p = &d->now;
  fly_certificate *c = &d->certificate;
  fly_eval_constraint(&s->e, s->rows, p->t, p->q);
  d->record.position = largest_row(s);
  fly_eval_constraint_rate(&s->e, s->rows, p->t, p->q);
  fly_csc_multiply_add(s->rows, &s->e.G, 1.0, p->v);
  d->record.velocity = largest_row(s);
  fly_eval_gamma(&s->e, s->rows, p->t, p->q, p->v);
  fly_csc_multiply_add(s->rows, &s->e.G, 1.0, p->vdot);
  d->record.acceleration = largest_row(s);
  c->position = fmax(c->position, d->record.position);
  c->velocity = fmax(c->velocity, d->record.velocity);
  c->acceleration = fmax(c->acceleration, d->record.acceleration);
  if (s->rcond < d->rcond) {
    d->rcond = s->rcond;
    d->rcond_t = p->t;
  }
  d->best = fmax(d->best, s->rcond);
  d->now_rcond = s->rcond;
}

// Bodies that deform are as the model gives them, wherever assembly bent them to, and stay so.
static void make_stiff(fly_drive *d) {
  const fly_model *m = d->square.system->model;
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    const int modes = b->nq - b->type->nq;
    if (modes == 0)
      continue;
    memcpy(d->now.q + b->iq + b->type->nq, b->q0 + b->type->nq, (size_t)modes * sizeof *d->now.q);
    fly_drive_note(d, "`%s` is stiff here: its %d modes stay as they start, and what holds them is no joint's load.",
                   b->name, modes);
  }
}

static fly_status start(fly_drive *d, fly_error *error) {
  fly_dae_state at = fly_solver_state(d->assembly->solver);
  double moved;
  d->now.t = 0.0; // the solver may have begun behind a break
  memcpy(d->now.q, at.q, (size_t)d->square.e.p.nq * sizeof(double));
  make_stiff(d);
  fly_solved solved = fly_square_positions(&d->square, &d->now, 1.0, &moved);
  if (solved == FLY_FOUND && d->square.rcond < HOPELESS)
    solved = FLY_ROWS_DEPENDENT;
  if (solved == FLY_FOUND)
    solved = complete(d, &d->now);
  if (solved)
    return fly_tell_stuck(d, solved, 0.0, error);
  fly_lu_signs(d->square.lu, d->sign);
  fly_drive_certify(d);
  fly_pose_copy(&d->last, &d->now, &d->square);
  return FLY_OK;
}

fly_status fly_drive_create(fly_drive *d, fly_assembly *a, bool forces, double output, fly_error *error) {
  const fly_model *m = &a->mechanism->model;
  int found = 0, modes = 0;
  bool same;
  d->assembly = a;
  d->forces = forces;
  d->end = a->end;
  d->output = output;
  d->h = d->end / 100;
  d->h_min = SMALLEST_STEP * d->end;
  d->rcond = 1;
  d->certificate = fly_solver_certificate(a->solver);
  d->certificate = (fly_certificate){.energy_start = NAN,
                                     .energy_drift = NAN,
                                     .estimate = NAN,
                                     .time = FLY_TIME_BOUNDED,
                                     .start_position = d->certificate.start_position,
                                     .start_velocity = d->certificate.start_velocity};
  fly_status status = fly_system_derive(&a->all, error);
  if (status == FLY_OK)
    status = fly_square_create(&d->square, &a->all, a->all.nactive, error);
  if (status == FLY_OK)
    status = fly_square_stiffen(&d->square, &modes, error);
  if (status == FLY_OK && modes == 0 && a->rank < m->nv)
    return fly_tell_freedom(a, m->nv - a->rank, error);
  if (status == FLY_OK)
    status = take(d, error);
  if (status == FLY_OK)
    status = fly_square_choose(&d->square, 0.0, fly_solver_state(a->solver).q, 1e-9, false, &found, &same, error);
  if (status == FLY_OK && found < m->nv)
    status = fly_tell_freedom(a, m->nv - found, error);
  for (int k = 0; k < d->square.nrow + m->nv && !forces && status == FLY_OK; k++) // what is not asked for is not known
    d->last.lambda[k] = d->now.lambda[k] = d->trial.lambda[k] = d->dense.lambda[k] = NAN;
  return status ? status : start(d, error);
}

fly_status fly_drive_report(fly_drive *d, fly_dae_state *at, fly_error *error) {
  const fly_square *s = &d->square;
  fly_status status = FLY_OK;
  if (!d->forces)
    return FLY_OK;
  if (d->share.system && !fly_share_fits(&d->share, s->place))
    fly_share_free(&d->share);
  if (!d->share.system)
    status = fly_share_create(&d->share, s->system, s->place, s->held, s->n, error);
  if (status == FLY_OK)
    at->lambda = fly_share_of_multipliers(&d->share, at->t, at->q, at->lambda);
  return status;
}

void fly_drive_free(fly_drive *d) {
  fly_share_free(&d->share);
  fly_square_free(&d->square);
  fly_arena_free(&d->memory);
}

bool fly_drive_done(const fly_drive *d) { return d->now.t >= d->end; }

// ------------------------------------------------------------------------------------------ prediction

// q0 (+) (h v + h^2/2 v')
static void predict(fly_drive *d, fly_pose *p, const fly_pose *from) {
  double h = p->t - from->t;
  for (int i = 0; i < d->square.n; i++)
    d->delta[i] = h * (from->v[i] + h / 2 * from->vdot[i]);
  fly_eval_plus(&d->square.e, p->q, from->q, d->delta);
}

// The step in which the fastest coordinate moves as far as it may.
static double longest_step(const fly_drive *d) {
  double v = fly_square_size(&d->square, d->now.v), a = fly_square_size(&d->square, d->now.vdot);
  double most = MOST_STEP[d->forces];
  return 2 * most / (v + sqrt(v * v + 2 * most * a) + 1e-300);
}

// First and second derivative of the increment that leads from a to b, at b, into slope and curvature: on rotations
// v = T(D) D', so D' = T^-1 v and D'' = T^-1 v' + (T^-1)' v, with T^-1 = 1 + [D]/2 + [D]^2/12 + O(D^4).
static void end_derivatives(const fly_drive *d, const double *D, const fly_pose *b, double *slope, double *curvature) {
  const fly_dae_problem *p = &d->square.e.p;
  memcpy(slope, b->v, (size_t)p->nv * sizeof *slope);
  memcpy(curvature, b->vdot, (size_t)p->nv * sizeof *curvature);
  for (int k = 0; k < p->nrotation; k++) {
    const int i = p->rotation_v[k];
    const double *v = b->v + i, *a = b->vdot + i;
    double Ti[9], Dv[3], sv[3], DsV[3], sDv[3];
    fly_so3_tangent_inverse(Ti, D + i);
    for (int c = 0; c < 3; c++) {
      slope[i + c] = Ti[3 * c] * v[0] + Ti[3 * c + 1] * v[1] + Ti[3 * c + 2] * v[2];
      curvature[i + c] = Ti[3 * c] * a[0] + Ti[3 * c + 1] * a[1] + Ti[3 * c + 2] * a[2];
    }
    fly_cross(Dv, D + i, v);
    fly_cross(sv, slope + i, v);
    fly_cross(DsV, D + i, sv);
    fly_cross(sDv, slope + i, Dv);
    for (int c = 0; c < 3; c++)
      curvature[i + c] += sv[c] / 2 + (DsV[c] + sDv[c]) / 12;
  }
}

// Between a and b, by the quintic through position, velocity and acceleration of both.
static void predict_between(fly_drive *d, fly_pose *p, const fly_pose *a, const fly_pose *b) {
  const fly_square *s = &d->square;
  const double h = b->t - a->t, r = (p->t - a->t) / h, r2 = r * r, r3 = r2 * r;
  double *D = d->delta, *slope = d->null_left, *curvature = d->null_right;
  fly_eval_minus(&s->e, D, b->q, a->q);
  end_derivatives(d, D, b, slope, curvature);
  for (int i = 0; i < s->n; i++)
    D[i] = D[i] * r3 * (10 - 15 * r + 6 * r2) + h * a->v[i] * (r - r3 * (6 - 8 * r + 3 * r2)) +
           h * slope[i] * r3 * (-4 + 7 * r - 3 * r2) +
           h * h / 2 * (a->vdot[i] * (r2 - r3 * (3 - 3 * r + r2)) + curvature[i] * r3 * (1 - 2 * r + r2));
  fly_eval_plus(&s->e, p->q, a->q, D);
}

// ------------------------------------------------------------------------------------------ motions

// Cubic through values and slopes at both ends of a step, half way.
static double halfway(const double a[3], const double b[3], double h) {
  return (a[0] + b[0]) / 2 + h * (a[1] - b[1]) / 8;
}

// How far a motion is from smooth over a step, in sizes of the model or radians: half way from the cubic.
static double roughness(const fly_drive *d, int motion, double t, double h) {
  const fly_model *m = d->square.system->model;
  fly_motion *f = &d->square.system->motion[motion];
  double a[3], b[3], middle[3];
  fly_motion_at(f, t, a);
  fly_motion_at(f, t + h, b);
  fly_motion_at(f, t + h / 2, middle);
  return fabs(middle[0] - halfway(a, b, h)) / (m->row[m->motion[motion].row].angular ? 1.0 : m->size);
}

static bool motions_are_smooth(const fly_drive *d, double h) {
  for (int k = 0; k < d->square.system->model->nmotion; k++)
    if (!(roughness(d, k, d->now.t, h) <= MOST_APART))
      return false;
  return true;
}

// What the accelerations of both ends of [t0, t1] do not explain of the change of a motion's velocity.
static double unexplained(fly_motion *f, double t0, double t1, double *speed) {
  double a[3], b[3];
  fly_motion_at(f, t0, a);
  fly_motion_at(f, t1, b);
  *speed = fabs(a[1]) + fabs(b[1]);
  return fabs(b[1] - a[1] - (t1 - t0) / 2 * (a[2] + b[2]));
}

// A jump of a motion's velocity in [t0, t1] is what halving the interval does not make smaller; by half where it meets
// the jump. Returns it, and where it is in *at.
static double kink(fly_motion *f, double t0, double t1, double *at) {
  double speed, jump = unexplained(f, t0, t1, &speed), first = jump;
  if (!(jump > 1e-3 * speed))
    return 0.0;
  for (int i = 0; i < 30 && jump > 0.4 * first; i++) {
    double middle = (t0 + t1) / 2, left = unexplained(f, t0, middle, &speed),
           right = unexplained(f, middle, t1, &speed);
    *(right > left ? &t0 : &t1) = middle;
    jump = fmax(left, right);
  }
  *at = t1;
  return jump > 0.4 * first ? first : 0.0;
}

static void look_for_kinks(fly_drive *d, double t0, double t1) {
  const fly_model *m = d->square.system->model;
  for (int k = 0; k < m->nmotion; k++) {
    double at = t1, jump = kink(&d->square.system->motion[k], t0, t1, &at);
    if (jump == 0)
      continue;
    d->kinks++;
    fly_drive_note(d,
                   "At t = %.9g s the velocity that motion `%s` gives jumps by %.3g %s: accelerations and forces are "
                   "infinite there, and missing in the results.",
                   at, m->spec->item[m->motion[k].item].name, jump, m->row[m->motion[k].row].angular ? "rad/s" : "m/s");
  }
}

// ------------------------------------------------------------------------------------------ singular positions

static bool is_near_singular(const fly_drive *d) { return d->square.rcond < NEAR * d->best; }

static fly_solved solve_between(fly_drive *d, fly_pose *p, double t, const fly_pose *a, const fly_pose *b) {
  double moved;
  p->t = t;
  predict_between(d, p, a, b);
  fly_solved solved = fly_square_positions(&d->square, p, MOST_APART, &moved);
  return solved ? solved : fly_square_rates(&d->square, p, NULL, NULL);
}

static bool same_signs(const fly_drive *d, const signed char *a) {
  return memcmp(a, d->sign, (size_t)fly_lu_blocks(d->square.lu)) == 0;
}

static double smallest_singular_value(fly_drive *d, const fly_pose *p) {
  return fly_square_factor(&d->square, p->t, p->q) ? 0.0 : fly_square_null(&d->square, d->null_left, d->null_right);
}

// When the smallest singular value vanishes between left and right, towards which it goes in proportion to time.
static double vanishing_time(fly_drive *d) {
  double before = smallest_singular_value(d, &d->left), after = smallest_singular_value(d, &d->right);
  return before + after > 0 ? (d->left.t * after + d->right.t * before) / (before + after)
                            : (d->left.t + d->right.t) / 2;
}

// A determinant changed its sign over the step. If left and right of where it does so are the same place, branches
// cross there, at d->crossing; if they are not, the step went from one branch to another. Rounding is felt long before
// A is singular, so that halving ends early.
static bool is_crossing(fly_drive *d) {
  fly_square *s = &d->square;
  const double limit = BRACKET * (d->trial.t - d->now.t);
  double before = d->now_rcond, after = s->rcond;
  fly_pose_copy(&d->left, &d->now, s);
  fly_pose_copy(&d->right, &d->trial, s);
  while (d->right.t - d->left.t > limit && fmin(before, after) > CLOSE * d->best) {
    fly_solved solved = solve_between(d, &d->dense, (d->left.t + d->right.t) / 2, &d->left, &d->right);
    if (solved == FLY_ROWS_DEPENDENT || s->rcond < CLOSE * d->best)
      break;
    if (solved)
      return false;
    fly_lu_signs(s->lu, d->trial_sign);
    bool left = same_signs(d, d->trial_sign);
    fly_pose_copy(left ? &d->left : &d->right, &d->dense, s);
    *(left ? &before : &after) = s->rcond;
  }
  d->crossing = vanishing_time(d);
  double way = (d->right.t - d->left.t) * fmax(fly_square_size(s, d->left.v), fly_square_size(s, d->right.v));
  fly_eval_minus(&s->e, d->delta, d->right.q, d->left.q);
  return fly_square_size(s, d->delta) <= 2 * way + 1e-7;
}

// Which rows depend on each other there, from just before; A is that of the trial again afterwards.
static void note_crossing(fly_drive *d) {
  char rows[600] = "rows";
  if (fly_square_factor(&d->square, d->left.t, d->left.q) == FLY_FOUND)
    fly_tell_rows(rows, sizeof rows, d);
  d->bifurcations++;
  fly_drive_note(d,
                 "At t = %.9g s the motion is not unique (a bifurcation): there branches of it cross, because %s "
                 "depend on each other. The smooth one was followed.",
                 d->crossing, rows);
  (void)fly_square_factor(&d->square, d->trial.t, d->trial.q);
}

// ------------------------------------------------------------------------------------------ steps

// Rows that were taken out hold where the others do: in positions as data are good, and, because beyond a dead point
// those in use can be met without the others, in velocities.
static bool others_hold(fly_drive *d) {
  fly_square *s = &d->square;
  const double size = fmax(1.0, s->system->model->size), speed = size * fly_square_size(s, d->trial.v);
  if (s->nrow == s->n)
    return true;
  fly_eval_constraint(&s->e, s->rows, d->trial.t, d->trial.q);
  if (!(largest_row(s) <= MOST_LEFT * size))
    return false;
  fly_eval_constraint_rate(&s->e, s->rows, d->trial.t, d->trial.q);
  fly_csc_multiply_add(s->rows, &s->e.G, 1.0, d->trial.v);
  return largest_row(s) <= MOST_SLIDING * speed + 1e-12;
}

// Of redundant rows others may be independent at p where those in use are not. True: they are used from now on.
static bool reselect(fly_drive *d, const fly_pose *p) {
  fly_square *s = &d->square;
  fly_error error = {0};
  int found;
  bool same;
  if (d->reselected || s->nrow == s->n)
    return false;
  d->reselected = true;
  if (fly_square_choose(s, p->t, p->q, 1e-3, false, &found, &same, &error) || same || found < s->n ||
      fly_square_factor(s, d->now.t, d->now.q) || complete(d, &d->now))
    return false;
  fly_lu_signs(s->lu, d->sign);
  return true;
}

// A step of h into trial.
static fly_solved attempt(fly_drive *d, double h, double *moved) {
  d->trial.t = d->now.t + h;
  if (!motions_are_smooth(d, h))
    return FLY_FAR;
  predict(d, &d->trial, &d->now);
  fly_solved solved = fly_square_positions(&d->square, &d->trial, MOST_APART, moved);
  if (solved == FLY_FOUND)
    solved = complete(d, &d->trial);
  if (solved == FLY_FOUND && !others_hold(d))
    return FLY_FAR;
  if (solved)
    return solved;
  fly_lu_signs(d->square.lu, d->trial_sign);
  d->crosses = !same_signs(d, d->trial_sign);
  if (!d->crosses)
    return FLY_FOUND;
  if (!is_crossing(d) || reselect(d, &d->left))
    return FLY_FAR;
  return fly_square_factor(&d->square, d->trial.t, d->trial.q);
}

// A step of h; where it would end near a crossing of branches a little more, beyond it. Near a dead point there is no
// beyond.
static fly_solved attempt_about(fly_drive *d, double *h, double *moved) {
  static const double further[] = {1.0, 1.1, 1.3};
  double first = *h;
  fly_solved solved = FLY_FAR;
  for (size_t k = 0; k < sizeof further / sizeof *further; k++) {
    *h = further[k] * first;
    solved = attempt(d, *h, moved);
    if ((solved == FLY_FOUND && !is_near_singular(d)) || (solved != FLY_FOUND && solved != FLY_ROWS_DEPENDENT))
      break;
  }
  if (solved == FLY_FOUND && !is_near_singular(d))
    return solved;
  *h = first;
  return attempt(d, first, moved);
}

static void accept(fly_drive *d, double h, double moved) {
  fly_stats *s = &d->stats;
  fly_pose last = d->last;
  d->last = d->now;
  d->now = d->trial;
  d->trial = last;
  fly_lu_signs(d->square.lu, d->sign);
  fly_drive_certify(d);
  d->last_h = h;
  d->reselected = false;
  s->steps++;
  s->h_min = s->steps == 1 ? h : fmin(s->h_min, h);
  s->h_max = fmax(s->h_max, h);
  d->record.t = d->now.t;
  d->record.h = h;
  d->record.estimate = moved;
  d->record.ratio = fmin(moved / MOST_APART, 1.0);
  double grown = h * fmin(2.0, fmax(0.5, cbrt(AIM_APART / (moved + 1e-300))));
  d->h = h < d->h && grown < d->h && moved < AIM_APART ? d->h : grown; // cut short by a point of output
}

static void count(fly_drive *d) {
  fly_lu_counts c = fly_lu_count(d->square.lu);
  d->stats.newton_iterations = d->square.iterations;
  d->stats.residuals = d->square.e.residuals;
  d->stats.factorizations = c.factorizations;
  d->stats.refactorizations = c.refactorizations;
  d->stats.solves = c.solves;
}

// The next break of a motion or a force.
static double next_break(const fly_drive *d) {
  fly_break found = {.after = d->now.t};
  do {
    if (!fly_system_next_break(&found, found.after, d->end, d->square.system))
      return INFINITY;
  } while (!(found.before > d->now.t));
  return found.before;
}

// What is left to the next point of output, to a break, or to the end.
static double room(const fly_drive *d) {
  double next = (floor(d->now.t / d->output * (1 + 1e-12) + 1e-9) + 1) * d->output;
  return fmin(fmin(next, next_break(d)), d->end) - d->now.t;
}

fly_status fly_drive_step(fly_drive *d, fly_error *error) {
  double left = room(d), h = fmin(d->h, longest_step(d)), moved = 0, tried;
  fly_solved solved;
  h = fly_system_longest_step(d->now.t, fmin(h, left), d->square.system);
  h = h >= left ? left : h > 0.6 * left ? left / 2 : h;
  for (;; h *= 0.5) {
    tried = h;
    solved = attempt_about(d, &tried, &moved);
    if (solved == FLY_FOUND || solved == FLY_CROWDED)
      break;
    d->stats.rejected_newton++;
    d->stats.rejected_singular += solved == FLY_ROWS_DEPENDENT;
    d->stats.rejected_callback += solved == FLY_NAN;
    if (h < 1e-3 * d->last_h && reselect(d, &d->now))
      h = d->last_h;
    if (h < d->h_min)
      break;
  }
  count(d);
  if (solved)
    return fly_tell_stuck(d, solved, tried, error);
  look_for_kinks(d, d->now.t, d->trial.t);
  d->crossed = d->crosses;
  if (d->crosses)
    note_crossing(d);
  accept(d, tried, moved);
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ dense output

// In which something moves by 0.01.
static double gap(const fly_drive *d) {
  return 0.01 / fmax(fly_square_size(&d->square, d->last.v), fly_square_size(&d->square, d->now.v));
}

// Near a crossing of branches: from a little before and after, where rounding is not felt; between it is smooth.
static fly_solved bridge(fly_drive *d, double t) {
  const double from = fmax(t - gap(d), d->last.t), to = fmin(t + gap(d), d->now.t);
  fly_solved solved = solve_between(d, &d->left, from, &d->last, &d->now);
  if (solved == FLY_FOUND)
    solved = solve_between(d, &d->right, to, &d->last, &d->now);
  if (solved)
    return solved;
  double h = to - from, r = (t - from) / h;
  const double *v0 = d->left.v, *v1 = d->right.v, *a0 = d->left.vdot, *a1 = d->right.vdot;
  d->dense.t = t;
  predict_between(d, &d->dense, &d->left, &d->right);
  for (int i = 0; i < d->square.n; i++) { // the cubic of the velocities, and its slope
    double jump = v1[i] - v0[i];
    d->dense.v[i] =
        v0[i] + r * (h * a0[i] + r * (3 * jump - h * (2 * a0[i] + a1[i]) + r * (h * (a0[i] + a1[i]) - 2 * jump)));
    d->dense.vdot[i] = a0[i] + r * (2 * (3 * jump / h - 2 * a0[i] - a1[i]) + 3 * r * (a0[i] + a1[i] - 2 * jump / h));
  }
  solved = fly_square_factor(&d->square, t, d->dense.q);
  if (solved == FLY_FOUND && d->forces)
    return fly_square_forces(&d->square, &d->dense);
  for (int k = 0; k < d->square.nrow + d->square.n; k++)
    d->dense.lambda[k] = NAN;
  d->gaps += d->forces;
  return FLY_FOUND;
}

static fly_solved solve_inside(fly_drive *d, double t) {
  if (d->crossed && fabs(t - d->crossing) < gap(d) / 2)
    return bridge(d, t);
  fly_solved solved = solve_between(d, &d->dense, t, &d->last, &d->now);
  if (solved == FLY_ROWS_DEPENDENT)
    return bridge(d, t);
  return solved == FLY_FOUND && d->forces ? fly_square_forces(&d->square, &d->dense) : solved;
}

fly_status fly_drive_interpolate(fly_drive *d, double t, fly_dae_state *out, fly_error *error) {
  if (t >= d->now.t || d->last_h == 0) {
    *out = fly_pose_state(&d->now);
    return FLY_OK;
  }
  fly_solved solved = solve_inside(d, fmax(t, d->last.t));
  count(d);
  *out = fly_pose_state(&d->dense);
  if (solved == FLY_FOUND)
    return FLY_OK;
  return fly_fail(error, FLY_NO_CONVERGENCE, t,
                  "No position was found at t = %.9g s, between two that were, %.3g s apart: something moves too fast "
                  "there. Check the motions.",
                  t, d->last_h);
}
