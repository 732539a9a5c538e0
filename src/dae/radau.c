// Radau IIA: the family's table, attempts and the choice of steps. The stages are solved in radau_stages.c.
#include "dae/radau.h"
#include "math/sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/largest.h"

static const double LOST = 4.0;             // a fixed step with an error of several units has found another root
static const double AMPLIFIED = 100.0;      // times the rounding error of a position: near a singular one
static const double NEARLY_SINGULAR = 10.0; // likewise: steps have three stages there
static const double SAFETY = 0.9;
static const int PATIENCE = 2;       // attempts at a step with five stages,
static const int CALM = 4;           // and steps with three behind one that took more
static const int OFTEN = 3;          // rejections in a row after which steps are short, where none before it tells
static const double FORGOTTEN = 0.7; // of a recent step with every later one
static const double GROW = 5.0, SHRINK = 0.15;        // of one step
static const double KEEP_LOW = 1.0, KEEP_HIGH = 1.25; // steps are kept equal within these, and so are the matrices

// ------------------------------------------------------------------------------------------ creation

static void take_point(fly_arena *m, fly_point *p, const fly_eval *e) {
  double **sized[] = {&p->q, &p->v, &p->vdot, &p->lambda, &p->x, &p->xdot, &p->y};
  const int size[] = {e->p.nq, e->p.nv, e->p.nv, e->nl, e->p.nx, e->p.nx, e->p.ny};
  for (size_t k = 0; k < sizeof sized / sizeof *sized; k++)
    *sized[k] = fly_arena_doubles(m, (size_t)size[k]);
}

static int pairs(const fly_radau *r) { return fly_radau_of(r, r->most)->pairs; }

// What only dense output over five stages needs.
static void take_sums(fly_radau *r, size_t nv, size_t nx) {
  fly_arena *m = &r->memory;
  for (int k = 0; k < FLY_RADAU_NODES; k++)
    r->bend[k] = fly_arena_doubles(m, nv);
  r->rate_node = fly_arena_doubles(m, nv);
  r->bend_node = fly_arena_doubles(m, nv);
  r->miss_theta = fly_arena_doubles(m, nv);
  r->miss_rate = fly_arena_doubles(m, nv);
  r->miss_x = fly_arena_doubles(m, nx);
}

static void take_memory(fly_radau *r, const fly_solver *s) {
  fly_arena *m = &r->memory;
  size_t n = (size_t)s->step.n, nv = (size_t)s->e.p.nv, nx = (size_t)s->e.p.nx;
  for (int j = 0; j < r->most; j++) {
    r->K[j] = fly_arena_doubles(m, n);
    r->K_last[j] = fly_arena_doubles(m, n);
    r->R[j] = fly_arena_doubles(m, n);
    r->theta[j] = fly_arena_doubles(m, nv);
    r->v[j] = fly_arena_doubles(m, nv);
  }
  for (int k = 0; k < pairs(r); k++)
    r->S[k] = fly_arena_take(m, 9 * (size_t)s->e.p.nrotation, sizeof **r->S);
  double **v_sized[] = {&r->omega,    &r->theta_raw,   &r->v_raw, &r->theta_end, &r->rate_end,
                        &r->bend_end, &r->dense_theta, &r->v_low, &r->v_low_next};
  for (size_t k = 0; k < sizeof v_sized / sizeof *v_sized; k++)
    *v_sized[k] = fly_arena_doubles(m, nv);
  for (int k = 0; k < fly_radau_nodes(r->most); k++)
    r->node[k] = fly_arena_doubles(m, (size_t)s->e.ncol);
  r->q = fly_arena_doubles(m, (size_t)s->e.p.nq);
  r->x = fly_arena_doubles(m, nx);
  r->x_raw = fly_arena_doubles(m, nx);
  r->x_rate = fly_arena_doubles(m, nx);
  r->x_rate_last = fly_arena_doubles(m, nx);
  r->rows = fly_arena_doubles(m, (size_t)s->e.nrow);
  r->core = fly_arena_doubles(m, (size_t)s->e.ncol);
  r->z = fly_arena_take(m, n, sizeof *r->z);
  r->T = fly_arena_doubles(m, 9 * (size_t)s->e.p.nrotation);
  r->Ti = fly_arena_doubles(m, 9 * (size_t)s->e.p.nrotation);
  r->rough = fly_arena_doubles(m, (size_t)s->e.p.ny);
  r->held = fly_arena_take(m, (size_t)s->e.p.ny, sizeof *r->held);
  take_point(m, &r->start, &s->e);
  take_point(m, &r->end, &s->e);
  if (r->most == 5)
    take_sums(r, nv, nx);
}

static fly_status no_memory(const fly_radau *r, fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a solver with %d unknowns.", r->most * r->n);
}

// Matrices in the patterns of the problem.
static void size(fly_solver *s) {
  fly_radau *r = s->own;
  fly_step_matrix_size(&s->step, FLY_MATRIX_GGL, &s->e);
  fly_step_matrix_size(&r->kkt, FLY_MATRIX_KKT, &s->e);
  r->n = s->step.n;
}

static fly_status shape(fly_solver *s, fly_error *error) {
  fly_radau *r = s->own;
  fly_status status = fly_step_matrix_build(&s->step, &s->e, error);
  for (int k = 0; k < pairs(r) && status == FLY_OK; k++)
    status = fly_complex_lu_create(&r->lu[k], &s->step.a, error);
  if (status == FLY_OK)
    status = fly_step_matrix_build(&r->kkt, &s->e, error);
  if (status)
    return status;
  for (int k = 0; k < pairs(r); k++)
    r->val[k] = fly_arena_take(&r->shaped, (size_t)fly_csc_nnz(&s->step.a), sizeof **r->val);
  r->J0 = fly_arena_doubles(&r->shaped, (size_t)fly_csc_nnz(&s->e.J[0]));
  r->wide = fly_arena_take(&r->shaped, (size_t)s->step.a.cols, sizeof *r->wide);
  return r->shaped.failed ? no_memory(r, error) : FLY_OK;
}

static void free_shape(fly_solver *s) {
  fly_radau *r = s->own;
  fly_step_matrix_free(&s->step);
  fly_step_matrix_free(&r->kkt);
  for (int k = 0; k < FLY_RADAU_PAIRS; k++) {
    fly_complex_lu_free(r->lu[k]);
    r->lu[k] = NULL;
  }
  fly_arena_free(&r->shaped);
}

static void unshape(fly_solver *s) {
  fly_radau *r = s->own;
  free_shape(s);
  for (int k = 0; k < FLY_RADAU_PAIRS; k++)
    r->val[k] = NULL;
  r->J0 = NULL;
  r->wide = NULL;
  r->factored = r->nodes_known = false;
  r->rate = 0;
  size(s);
}

static fly_status create(fly_solver *s, fly_error *error) {
  if (s->o.formulation != FLY_GGL)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "Method radau integrates the stabilized index-2 form only: use the formulation ggl, which is the "
                    "default.");
  fly_radau *r = fly_family_own(s, sizeof *r, error);
  if (!r)
    return FLY_NO_MEMORY;
  r->solver = s;
  for (int k = 0; k < 2; k++)
    fly_radau_table_make(&r->tables[k], k == 0 ? 3 : 5);
  r->wanted = r->stages = r->stages_last = fly_radau_stages(&s->o);
  r->most = s->o.family == FLY_FAMILY_AUTO ? FLY_STAGES : r->wanted;
  size(s);
  take_memory(r, s);
  return r->memory.failed ? no_memory(r, error) : FLY_OK;
}

static void free_own(fly_solver *s) {
  fly_radau *r = s->own;
  if (!r)
    return;
  free_shape(s);
  fly_arena_free(&r->memory);
  free(r);
}

// ------------------------------------------------------------------------------------------ start

int fly_radau_stages(const fly_dae_options *o) { return o->family == FLY_FAMILY_RADAU && o->stages == 5 ? 5 : 3; }

void fly_radau_take(fly_radau *r, int stages) {
  if (stages == r->wanted)
    return;
  r->wanted = stages;
  r->h_accepted = 0; // what it says goes with another power of the step
}

// The estimate of a step grows like its sixth power, or its tenth; per run it is measured against h.
static double exponent(const fly_solver *s) {
  const fly_radau *r = s->own;
  return 1.0 / (2 * r->stages - (s->o.error_per == FLY_PER_RUN ? 1 : 0));
}

double fly_radau_share(const fly_radau *r) {
  const fly_solver *s = r->solver;
  return s->o.error_per == FLY_PER_RUN ? r->h / (s->t_end - s->t0) : 1.0;
}

// The errors of steps add up over a run, those between their ends do not.
static double error_ratio(const fly_radau *r, double estimate) {
  return fmax(estimate / fly_radau_share(r), r->between) / r->solver->o.error;
}

// Where a singular position amplifies rounding errors so that they alone, in positions or through velocities, spend the
// step's share of the error, it is counted as such. Nothing is forgiven there: steps do not come near enough for that.
static void note_singular(fly_radau *r) {
  fly_solver *s = r->solver;
  double noise = fmax(r->rounding_q, r->rounding_v);
  fly_roundings_add(&s->roundings, r->rounding_q, r->rounding_free, s->t_end - s->at.end.t);
  if (noise > NEARLY_SINGULAR * fly_round_off(s))
    r->calm = 0; // few long steps would see little of it
  s->at.singular = s->o.step == 0 && noise > AMPLIFIED * fly_round_off(s) && noise > s->o.error * fly_radau_share(r);
  if (s->at.singular)
    s->at.estimate = fmax(s->at.estimate, noise);
}

// As if speeds and accelerations told the time scale of the motion; the error test has the last word.
static double first_step(const fly_solver *s) {
  double span = s->t_end - s->t0, h = fmin(s->step_max, 1e-2 * span);
  if (s->o.step_initial > 0)
    return fmin(s->o.step_initial, s->step_max);
  double a = fly_weighted(s, s->now.vdot), v = fly_weighted(s, s->now.v), share = pow(fmin(s->o.error, 1), exponent(s));
  if (a > 0)
    h = fmin(h, share * sqrt(1.0 / a));
  if (v > 0)
    h = fmin(h, share / v);
  return fmax(h, 1e-10 * span);
}

static void begin(fly_radau *r) {
  r->factored = false;
  r->stages = r->wanted;
  r->calm = CALM;
  r->tries = 0;
  r->rate = 0;
  r->h_accepted = r->h_recent = 0;
  memset(r->v_low, 0, (size_t)r->solver->e.p.nv * sizeof *r->v_low);
  if (r->solver->o.step == 0)
    r->solver->h_next = first_step(r->solver);
}

static fly_status forget(fly_radau *r, fly_error *error) {
  fly_solver *s = r->solver;
  const fly_coef limit = {0};
  for (int k = 0; k < pairs(r); k++)
    fly_complex_lu_forget(r->lu[k]);
  fly_step_matrix_forget(&r->kkt);
  fly_step_matrix_fill(&r->kkt, &s->e, &limit, NULL); // now, so that no step takes memory for it
  if (fly_step_matrix_factor(&r->kkt) == FLY_NO_MEMORY)
    return fly_fail(error, FLY_NO_MEMORY, s->now.t, "Out of memory while factorizing the start's matrix.");
  return FLY_OK;
}

static fly_status restart(fly_solver *s, fly_error *error) {
  begin(s->own);
  return s->stats.steps > 0 ? FLY_OK : forget(s->own, error);
}

static fly_status enter(fly_solver *s, bool first, fly_error *error) {
  fly_radau *r = s->own;
  begin(r);
  if (!first)
    return FLY_OK;
  fly_lu_forget(s->step.lu);
  return forget(r, error);
}

// ------------------------------------------------------------------------------------------ other rows

// The stages of the last step, which predict those of the next, and the ends of that step.
static void carry(fly_solver *s) {
  fly_radau *r = s->own;
  const int nv = s->e.p.nv;
  if (s->stats.steps == 0)
    return;
  for (int j = 0; j < r->stages_last; j++) {
    fly_eval_plus(&s->e, r->q, r->start.q, r->theta[j]);
    fly_rows_carry(s, r->start.t + fly_radau_of(r, r->stages_last)->c[j] * r->h_dense, r->q, r->K_last[j] + nv);
  }
  fly_rows_carry(s, r->start.t, r->start.q, r->start.lambda);
  fly_rows_carry(s, r->end.t, r->end.q, r->end.lambda);
}

static fly_status reshape(fly_solver *s, fly_error *error) {
  unshape(s);
  return shape(s, error);
}

// ------------------------------------------------------------------------------------------ attempts

// Which formulas: those of fewer stages where steps fail again and again, as beside a kink, and some steps behind it.
static void choose_stages(fly_radau *r) {
  if (++r->tries > PATIENCE)
    r->calm = 0;
  r->stages = r->calm >= CALM || r->solver->o.step > 0 ? r->wanted : 3;
}

// The last stage lies at the end of the step and is its result (RI-stiff); accelerations and multipliers are found from
// it once more, which raises their order to the method's. What stiff joints carry is that of the stage (S-held).
static fly_outcome finish(fly_radau *r) {
  fly_solver *s = r->solver;
  fly_point *end = &s->at.end;
  const fly_dae_problem *p = &s->e.p;
  const int last = r->stages - 1;
  const double *a = fly_radau_now(r)->A[last], *K = r->K[last];
  double *theta = r->theta[last];
  fly_radau_sum(end->v, a, r->K, r->stages, 0, p->nv);
  fly_radau_sum(end->x, a, r->K, r->stages, p->nv + s->e.nl, p->nx);
  for (int i = 0; i < p->nv; i++) {
    const double more = r->h * end->v[i] + r->v_low[i];
    end->v[i] = s->now.v[i] + more;
    r->v_low_next[i] = fly_rounded_off(s->now.v[i], more, end->v[i]);
    theta[i] = 0;
    for (int j = 0; j <= last; j++)
      theta[i] += r->h * a[j] * r->K[j][s->step.ncore + i];
  }
  for (int i = 0; i < p->nx; i++)
    end->x[i] = s->now.x[i] + r->h * end->x[i];
  fly_eval_plus(&s->e, end->q, s->now.q, theta);
  memcpy(s->at.u, K, (size_t)s->e.ncol * sizeof *K); // the rest of `end` lies in it
  return fly_find_others(s, end->t, end->q, end->v, end->x, s->at.u, r->held);
}

static fly_outcome attempt(fly_solver *s, double h, double end) {
  fly_radau *r = s->own;
  s->at.h = r->h = h;
  s->at.end.t = end;
  choose_stages(r);
  fly_radau_predict(r, 1);
  return fly_radau_solve(r);
}

static void swap_stages(fly_radau *r) {
  for (int j = 0; j < r->stages; j++) {
    double *K = r->K[j];
    r->K[j] = r->K_last[j];
    r->K_last[j] = K;
  }
  r->stages_last = r->stages;
}

static fly_status accept(fly_solver *s, double end, fly_error *error) {
  fly_radau *r = s->own;
  r->h_recent = fmax(r->h, FORGOTTEN * r->h_recent);
  r->cleaned = false;
  r->tries = 0;
  r->calm++;
  note_singular(r);
  memcpy(r->v_low, r->v_low_next, (size_t)s->e.p.nv * sizeof *r->v_low);
  fly_radau_leave(r);
  fly_radau_remember(r);
  swap_stages(r);
  return fly_accept(s, end, error);
}

// The last step once more from where it began, but only to t: what lies inside a step is less accurate than its end,
// and where something changes there it is the state that the motion goes on from (RI-shorten).
static bool shorten_to(fly_solver *s, double t) {
  fly_radau *r = s->own;
  fly_point_copy(&s->dense, &s->now, &s->e);
  fly_point_copy(&s->now, &r->start, &s->e);
  s->at.h = r->h = t - s->now.t;
  r->stages = r->stages_last;
  s->at.end.t = t;
  fly_radau_predict(r, 0);
  fly_outcome outcome = fly_radau_solve(r);
  if (outcome == FLY_SOLVED)
    outcome = finish(r);
  if (outcome != FLY_SOLVED || fly_eval_kinematics(&s->e, t, s->at.end.q)) {
    fly_point_copy(&s->now, &s->dense, &s->e);
    return false;
  }
  if (s->e.p.nx > 0)
    fly_radau_estimate(r, false); // dense output wants to know what is stiff
  fly_radau_remember(r);
  swap_stages(r);
  s->h_last = r->h;
  fly_point_copy(&s->now, &s->at.end, &s->e);
  return true;
}

// Gustafsson's predictive control: the change of the ratio over the last two steps is expected to go on (RI-control).
static double next_factor(const fly_radau *r, double ratio) {
  const fly_solver *s = r->solver;
  double e = exponent(s), tired = (2.0 * s->o.newton_max + 1) / (2.0 * s->o.newton_max + r->iterations);
  double factor = SAFETY * tired * pow(fmax(ratio, 1e-12), -e);
  if (r->h_accepted > 0)
    factor = fmin(factor, factor * r->h / r->h_accepted * pow(fmax(r->ratio_accepted, 1e-6) / fmax(ratio, 1e-12), e));
  return fmin(fmax(factor, SHRINK), GROW);
}

// The same of what dense output of states may be off by, which goes with one power of h more than there are stages, so
// that the choice of steps may take it for the other (RI-states), and of what that says of the step. Where errors of
// steps fade away and steps are controlled to more than was asked for, what lies between their ends is not among them.
static double states_ratio(fly_radau *r) {
  fly_solver *s = r->solver;
  if (s->e.p.nx == 0)
    return 0;
  const double gap = fly_radau_states_gap(r), share = fly_radau_share(r);
  const double estimate = r->stages == 3 ? fly_radau_estimate_by_gap(r) : 0;
  const double between = gap / fmin(s->o.error, fly_error_asked(s));
  s->at.estimate = fly_larger(s->at.estimate, fly_larger(estimate, gap * share)); // over a run: the mean of these
  return fly_larger(estimate / share / s->o.error, pow(between, 1 / (exponent(s) * (r->stages + 1))));
}

static void choose_next(fly_radau *r, double ratio, bool rejected) {
  fly_solver *s = r->solver;
  double factor = next_factor(r, ratio);
  if (rejected)
    factor = fmin(factor, 1.0);
  if (factor >= KEEP_LOW && factor < KEEP_HIGH)
    factor = 1.0;
  r->h_accepted = r->h;
  r->ratio_accepted = fmax(ratio, 1e-2);
  s->h_next = r->h * factor;
}

// Perhaps a stiff transient is leapt over: then the estimate that is damped counts.
static fly_outcome judge_fixed(fly_radau *r) {
  fly_solver *s = r->solver;
  s->at.estimate = fly_radau_estimate(r, false);
  s->at.ratio = NAN;
  if (!(s->at.estimate <= LOST))
    s->at.estimate = fly_radau_estimate(r, true);
  return s->at.estimate <= LOST ? finish(r) : FLY_UNSOLVED;
}

static void shorten(fly_radau *r, double ratio, double power) {
  r->solver->h_next = r->h * fmin(fmax(SAFETY * pow(ratio, -power), SHRINK), 0.8);
}

// What an iteration has left of the constraints is small beside the error of its own step. A much shorter one sees it
// as a jump of velocities, which states that follow them (a pressure) multiply, and no step is short enough for that.
static void clean_before_short_steps(fly_radau *r, int failed) {
  fly_solver *s = r->solver;
  if (r->cleaned || s->e.nl == 0 || !(fly_radau_is_short(r) || failed >= OFTEN))
    return;
  r->cleaned = true;
  fly_point_copy(&s->dense, &s->now, &s->e);
  if (!fly_radau_clean(r, &s->dense))
    return;
  fly_point_copy(&s->now, &s->dense, &s->e);
  memset(r->v_low, 0, (size_t)s->e.p.nv * sizeof *r->v_low);
}

static fly_outcome judge(fly_solver *s, double h, int failed, double *ratio) {
  fly_radau *r = s->own;
  (void)h;
  if (s->o.step > 0)
    return judge_fixed(r);
  s->at.estimate = fly_radau_estimate(r, false);
  *ratio = error_ratio(r, s->at.estimate);
  if (!(*ratio <= 1) && (failed > 0 || s->h_last == 0)) {
    s->at.estimate = fly_radau_estimate(r, true);
    *ratio = error_ratio(r, s->at.estimate);
  }
  const fly_outcome outcome = *ratio <= 1 ? finish(r) : FLY_SOLVED;
  if (outcome != FLY_SOLVED)
    return outcome;
  if (*ratio <= 1)
    *ratio = fly_larger(*ratio, states_ratio(r));
  s->at.ratio = *ratio;
  if (!(*ratio <= 1)) {
    clean_before_short_steps(r, failed);
    shorten(r, *ratio, exponent(s));
    return FLY_SOLVED;
  }
  const double gap = fly_radau_gap(r) / s->o.error;
  if (gap > 1) {
    *ratio = gap;
    shorten(r, gap, 1.0 / 3);
  }
  return FLY_SOLVED;
}

static void choose(fly_solver *s, double ratio, bool rejected) { choose_next(s->own, ratio, rejected); }

static fly_status step(fly_solver *s, fly_error *error) {
  static const fly_attempts method = {attempt, judge, accept, choose};
  return fly_attempts_step(s, &method, error);
}

static double work(const fly_solver *s) { return fly_radau_count(s).work; }

static int order(const fly_solver *s) { return 2 * ((const fly_radau *)s->own)->stages_last - 1; }

static void image(fly_solver *s, fly_image *m) {
  fly_radau *r = s->own;
  fly_step_matrix_image(&s->step, &s->e, m);
  fly_step_matrix_image(&r->kkt, &s->e, m);
  fly_image_arena(m, &r->memory);
  fly_image_arena(m, &r->shaped);
  FLY_IMAGE_FROM(m, r, val, &r->memory, &r->shaped);
  for (int k = 0; k < pairs(r) && r->lu[k]; k++)
    fly_complex_lu_image(r->lu[k], m, r->val[k]);
}

const fly_family fly_family_radau = {FLY_FAMILY_OWN,
                                     FLY_FAMILY_SHAPE,
                                     .work = work,
                                     .dense = fly_radau_dense,
                                     .glance = fly_radau_glance,
                                     .shorten = shorten_to,
                                     .settle = fly_radau_settle,
                                     .exact = fly_radau_refine,
                                     .refine = fly_radau_refine,
                                     .order = order,
                                     .count = fly_radau_count};
