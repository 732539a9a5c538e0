#include "dae/eval.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/phase.h"
#include "math/sizes.h"
#include "math/so3.h"

int fly_eval_note(fly_eval *e, const char *name, int code, const double *out, int n) {
  if (code == 0 && (!out || fly_all_finite(out, n)))
    return 0;
  for (int i = 0; i < n && code == 0; i++)
    if (!isfinite(out[i])) {
      e->failed_index = i;
      code = FLY_EVAL_NAN;
    }
  e->failed = name;
  e->failed_code = code;
  return code;
}

// n positions that are no rotations, mostly the three of a body.
static inline void add_plain(double *q1, const double *q0, const double *delta, int n) {
  if (n == 3) {
    const double moved[3] = {q0[0] + delta[0], q0[1] + delta[1], q0[2] + delta[2]};
    memcpy(q1, moved, sizeof moved);
    return;
  }
  for (int i = 0; i < n; i++)
    q1[i] = q0[i] + delta[i];
}

void fly_eval_plus(const fly_eval *e, double *q1, const double *q0, const double *delta) {
  for (int k = 0; k < e->nplain; k++) {
    const fly_plain *at = &e->plain[k];
    add_plain(q1 + at->q, q0 + at->q, delta + at->v, at->count);
  }
  if (e->p.nrotation > 0)
    fly_quats_plus(q1, q0, delta, e->p.nrotation, e->p.rotation_q, e->p.rotation_v);
}

void fly_eval_minus(const fly_eval *e, double *delta, const double *q1, const double *q0) {
  for (int i = 0; i < e->p.nv; i++)
    if (e->q_of_v[i] >= 0)
      delta[i] = q1[e->q_of_v[i]] - q0[e->q_of_v[i]];
  for (int k = 0; k < e->p.nrotation; k++) {
    const double *a = q0 + e->p.rotation_q[k], inverse[4] = {a[0], -a[1], -a[2], -a[3]};
    double turn[4];
    fly_quat_multiply(turn, inverse, q1 + e->p.rotation_q[k]);
    fly_quat_log(delta + e->p.rotation_v[k], turn);
  }
}

// ------------------------------------------------------------------------------------------ one by one

int fly_eval_constraint(fly_eval *e, double *g, double t, const double *q) {
  if (e->p.ng == 0)
    return 0;
  const fly_phase before = fly_phase_enter(FLY_PHASE_KINEMATICS);
  const int code = fly_eval_note(e, "constraint", e->p.constraint(g, t, q, e->p.user), g, e->p.ng);
  fly_phase_leave(before);
  return code;
}

int fly_eval_constraint_jacobian(fly_eval *e, double *values, double t, const double *q) {
  if (e->p.ng == 0)
    return 0;
  if (!e->p.constraint_jacobian)
    return fly_differences_constraint_jacobian(e, values, t, q);
  int n = fly_csc_nnz(&e->G);
  if (!e->p.rows_written)
    memset(values, 0, (size_t)n * sizeof *values);
  return fly_eval_note(e, "constraint_jacobian", e->p.constraint_jacobian(values, t, q, e->p.user), values, n);
}

int fly_eval_constraint_rate(fly_eval *e, double *gt, double t, const double *q) {
  if (e->p.ng == 0)
    return 0;
  if (!e->p.constraint_rate)
    return fly_differences_rate(e, gt, t, q);
  memset(gt, 0, (size_t)e->p.ng * sizeof *gt);
  return fly_eval_note(e, "constraint_rate", e->p.constraint_rate(gt, t, q, e->p.user), gt, e->p.ng);
}

int fly_eval_nonholonomic_rate(fly_eval *e, double *b, double t, const double *q) {
  memset(b, 0, (size_t)e->p.nb * sizeof *b);
  if (e->p.nb == 0 || !e->p.nonholonomic_rate)
    return 0;
  return fly_eval_note(e, "nonholonomic_rate", e->p.nonholonomic_rate(b, t, q, e->p.user), b, e->p.nb);
}

static int eval_nonholonomic(fly_eval *e, double *values, double t, const double *q) {
  if (e->p.nb == 0)
    return 0;
  int n = fly_csc_nnz(&e->B);
  memset(values, 0, (size_t)n * sizeof *values);
  return fly_eval_note(e, "nonholonomic", e->p.nonholonomic(values, t, q, e->p.user), values, n);
}

static int eval_mass(fly_eval *e, double *values, double t, const double *q) {
  int n = fly_csc_nnz(&e->M);
  memset(values, 0, (size_t)n * sizeof *values);
  return fly_eval_note(e, "mass", e->p.mass(values, t, q, e->p.user), values, n);
}

static int eval_gamma(fly_eval *e, double *gamma, bool holonomic, double t, const double *q, const double *v) {
  int n = holonomic ? e->p.ng : e->p.nb;
  fly_velocity_fn *given = holonomic ? e->p.constraint_gamma : e->p.nonholonomic_gamma;
  if (n == 0)
    return 0;
  if (!given)
    return fly_differences_gamma(e, gamma, holonomic, t, q, v);
  memset(gamma, 0, (size_t)n * sizeof *gamma);
  const char *name = holonomic ? "constraint_gamma" : "nonholonomic_gamma";
  return fly_eval_note(e, name, given(gamma, t, q, v, e->p.user), gamma, n);
}

int fly_eval_gamma(fly_eval *e, double *gamma, double t, const double *q, const double *v) {
  const fly_phase before = fly_phase_enter(FLY_PHASE_KINEMATICS);
  int code = eval_gamma(e, gamma, true, t, q, v);
  if (code == 0)
    code = eval_gamma(e, gamma + e->p.ng, false, t, q, v);
  fly_phase_leave(before);
  return code;
}

// ------------------------------------------------------------------------------------------ together

int fly_eval_kinematics(fly_eval *e, double t, const double *q) {
  const fly_phase before = fly_phase_enter(FLY_PHASE_KINEMATICS);
  int code = 0;
  e->places++;
  if (!(e->p.mass_constant && e->mass_known))
    code = eval_mass(e, e->M.val, t, q);
  if (code == 0) {
    e->mass_known = true;
    code = fly_eval_constraint_jacobian(e, e->G.val, t, q);
  }
  if (code == 0)
    code = eval_nonholonomic(e, e->B.val, t, q);
  fly_phase_leave(before);
  return code;
}

int fly_eval_rates(fly_eval *e, double *r, double t, const double *q) {
  int code = fly_eval_constraint_rate(e, r, t, q);
  return code ? code : fly_eval_nonholonomic_rate(e, r + e->p.ng, t, q);
}

int fly_eval_velocity_rows(fly_eval *e, double *r, double t, const double *q, const double *v) {
  int code = fly_eval_rates(e, r, t, q);
  if (code)
    return code;
  if (e->p.ng)
    fly_csc_multiply_add(r, &e->G, 1.0, v);
  if (e->p.nb)
    fly_csc_multiply_add(r + e->p.ng, &e->B, 1.0, v);
  return 0;
}

int fly_eval_velocity_rows_at(fly_eval *e, double *r, bool holonomic, double t, const double *q, const double *v) {
  int code;
  if (holonomic) {
    code = fly_eval_constraint_rate(e, r, t, q);
    if (code == 0)
      code = fly_eval_constraint_jacobian(e, e->Gm.val, t, q);
  } else {
    code = fly_eval_nonholonomic_rate(e, r, t, q);
    if (code == 0)
      code = eval_nonholonomic(e, e->Bm.val, t, q);
  }
  if (code == 0)
    fly_csc_multiply_add(r, holonomic ? &e->Gm : &e->Bm, 1.0, v);
  return code;
}

int fly_eval_acceleration_rows_at(fly_eval *e, double *r, const fly_dae_state *s, const double *q, const double *v) {
  int code = fly_eval_gamma(e, r, s->t, q, v);
  if (code == 0)
    code = fly_eval_constraint_jacobian(e, e->Gm.val, s->t, q);
  if (code == 0)
    code = eval_nonholonomic(e, e->Bm.val, s->t, q);
  if (code == 0 && e->p.ng)
    fly_csc_multiply_add(r, &e->Gm, 1.0, s->vdot);
  if (code == 0 && e->p.nb)
    fly_csc_multiply_add(r + e->p.ng, &e->Bm, 1.0, s->vdot);
  return code;
}

int fly_eval_bend(fly_eval *e, double *out, const fly_dae_state *s, const double *dq, const double *dv, double *work) {
  memset(out, 0, (size_t)e->nl * sizeof *out);
  if (e->nl == 0)
    return 0;
  if (!e->p.bend)
    return fly_differences_bend(e, out, s, dq, dv, work);
  return fly_eval_note(e, "bend", e->p.bend(out, s, dq, dv, e->p.user), out, e->nl);
}

// As the callbacks of the equations get it.
static fly_dae_state held(const fly_eval *e, const fly_dae_state *s) {
  fly_dae_state at = *s;
  at.side = e->side;
  return at;
}

static int applied(fly_eval *e, double *r, const fly_dae_state *at) {
  const fly_dae_problem *p = &e->p;
  const fly_dae_state state = held(e, at), *s = &state;
  e->residuals++;
  memset(r, 0, (size_t)e->nrow * sizeof *r);
  int code = fly_eval_note(e, "force", p->force(r, s, p->user), r, p->nv);
  if (code == 0 && p->nx)
    code = fly_eval_note(e, "states", p->states(r + p->nv, s, p->user), r + p->nv, p->nx);
  double *h = r + p->nv + p->nx;
  if (code == 0 && p->ny)
    code = fly_eval_note(e, "outputs", p->outputs(h, s, p->user), h, p->ny);
  for (int i = 0; i < p->nv; i++)
    r[i] = -r[i];
  for (int i = 0; i < p->ny; i++)
    h[i] = -h[i];
  return code;
}

int fly_eval_applied(fly_eval *e, double *r, const fly_dae_state *s) {
  const fly_phase before = fly_phase_enter(FLY_PHASE_RESIDUAL);
  const int code = applied(e, r, s);
  fly_phase_leave(before);
  return code;
}

static int equations(fly_eval *e, double *r, const fly_dae_state *s) {
  int code = applied(e, r, s);
  if (code)
    return code;
  if (e->p.ng)
    fly_csc_multiply_transposed_add(r, &e->G, 1.0, s->lambda);
  if (e->p.nb)
    fly_csc_multiply_transposed_add(r, &e->B, 1.0, s->lambda + e->p.ng);
  for (int i = 0; i < e->p.ny; i++)
    r[e->p.nv + e->p.nx + i] += s->y[i];
  return 0;
}

int fly_eval_equations(fly_eval *e, double *r, const fly_dae_state *s) {
  const fly_phase before = fly_phase_enter(FLY_PHASE_RESIDUAL);
  const int code = equations(e, r, s);
  fly_phase_leave(before);
  return code;
}

int fly_eval_motion(fly_eval *e, double *r, const fly_dae_state *s) {
  int code = fly_eval_kinematics(e, s->t, s->q);
  if (code == 0)
    code = fly_eval_equations(e, r, s);
  if (code == 0)
    fly_csc_multiply_add(r, &e->M, 1.0, s->vdot);
  return code;
}

static int eval_velocity_jacobian(fly_eval *e, bool holonomic, const fly_dae_state *s) {
  fly_csc *Z = holonomic ? &e->Zg : &e->Zb;
  fly_velocity_fn *given = holonomic ? e->p.constraint_velocity_jacobian : e->p.nonholonomic_velocity_jacobian;
  if (Z->rows == 0)
    return 0;
  fly_csc_zero(Z);
  if (!given)
    return fly_differences_velocity(e, Z->val, holonomic, s->t, s->q, s->v);
  const char *name = holonomic ? "constraint_velocity_jacobian" : "nonholonomic_velocity_jacobian";
  return fly_eval_note(e, name, given(Z->val, s->t, s->q, s->v, e->p.user), Z->val, fly_csc_nnz(Z));
}

static int eval_lean(fly_eval *e, const fly_dae_state *at) {
  const fly_lean_values out = {{e->J[0].val, e->J[1].val, e->J[2].val}, e->U.val, {e->W[0].val, e->W[1].val}};
  fly_csc_zero(&e->U);
  fly_csc_zero(&e->W[0]);
  fly_csc_zero(&e->W[1]);
  return e->p.lean->jacobian(&out, at, e->p.user);
}

static int eval_equations_jacobian(fly_eval *e, const fly_dae_state *s) {
  for (int k = 0; k < 3; k++)
    fly_csc_zero(&e->J[k]);
  if (!e->p.jacobian)
    return fly_differences_jacobian(e, s);
  const fly_dae_state at = held(e, s);
  int code = e->lean ? eval_lean(e, &at) : e->p.jacobian(e->J[0].val, e->J[1].val, e->J[2].val, &at, e->p.user);
  for (int k = 0; k < 3 && code == 0; k++)
    code = fly_eval_note(e, "jacobian", code, e->J[k].val, fly_csc_nnz(&e->J[k]));
  for (int k = 0; k < 2 && code == 0; k++)
    code = fly_eval_note(e, "jacobian", code, e->W[k].val, fly_csc_nnz(&e->W[k]));
  return code ? fly_eval_note(e, "jacobian", code, NULL, 0) : 0;
}

int fly_eval_jacobian(fly_eval *e, const fly_dae_state *s) {
  e->jacobians++;
  const fly_phase before = fly_phase_enter(FLY_PHASE_JACOBIAN);
  int code = fly_eval_kinematics(e, s->t, s->q);
  if (code == 0)
    code = eval_velocity_jacobian(e, true, s);
  if (code == 0)
    code = eval_velocity_jacobian(e, false, s);
  if (code == 0)
    code = eval_equations_jacobian(e, s);
  e->rates_known = code == 0;
  fly_phase_leave(before);
  return code;
}

int fly_eval_index1(fly_eval *e, const fly_dae_state *s) {
  return e->p.rates_constant && e->rates_known ? fly_eval_kinematics(e, s->t, s->q) : fly_eval_jacobian(e, s);
}

// ------------------------------------------------------------------------------------------ creation

static fly_status check_sizes(const fly_dae_problem *p, fly_error *error) {
  if (p->nv < 0 || p->nv + p->nx < 1 || p->ng < 0 || p->nb < 0 || p->nx < 0 || p->ny < 0 || p->nroot < 0 ||
      p->nrotation < 0)
    return fly_fail(
        error, FLY_BAD_INPUT, NAN,
        "problem: sizes must be nv + nx >= 1 and all >= 0, but nv = %d, ng = %d, nb = %d, nx = %d, ny = %d, "
        "nroot = %d, nrotation = %d.",
        p->nv, p->ng, p->nb, p->nx, p->ny, p->nroot, p->nrotation);
  if (p->nq != p->nv + p->nrotation)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "problem: nq = %d, but nv + nrotation = %d.", p->nq,
                    p->nv + p->nrotation);
  return FLY_OK;
}

static fly_status check_callbacks(const fly_dae_problem *p, fly_error *error) {
  const char *missing = NULL;
  if (!p->mass)
    missing = "mass";
  else if (!p->force)
    missing = "force";
  else if (p->nx && !p->states)
    missing = "states";
  else if (p->ny && !p->outputs)
    missing = "outputs";
  else if (p->tree && !(p->tree->own && p->tree->put_back && p->tree->accelerate))
    missing = "tree";
  else if (p->ng && !p->constraint)
    missing = "constraint";
  else if (p->nb && !p->nonholonomic)
    missing = "nonholonomic";
  else if (p->nroot && !p->roots)
    missing = "roots";
  if (missing)
    return fly_fail_at(error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, missing,
                       "problem: the callback `%s` is needed for these sizes, but is NULL.", missing);
  return FLY_OK;
}

static fly_status check_rotations(const fly_dae_problem *p, fly_error *error) {
  if (p->nrotation > 0 && !(p->rotation_q && p->rotation_v))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "problem: %d rotations, but rotation_q or rotation_v is NULL.",
                    p->nrotation);
  for (int k = 0; k < p->nrotation; k++) {
    int iq = p->rotation_q[k], iv = p->rotation_v[k];
    bool ordered = k == 0 || (iq >= p->rotation_q[k - 1] + 4 && iv >= p->rotation_v[k - 1] + 3);
    if (iq < 0 || iv < 0 || iq + 4 > p->nq || iv + 3 > p->nv || !ordered)
      return fly_fail(error, FLY_BAD_INPUT, NAN,
                      "problem: rotation %d at q[%d], v[%d] is out of range or overlaps the one before it.", k, iq, iv);
  }
  for (int i = 0; p->scale_v && i < p->nv; i++)
    if (!(p->scale_v[i] > 0) || !isfinite(p->scale_v[i]))
      return fly_fail(error, FLY_BAD_INPUT, NAN, "problem: scale_v[%d] = %g must be positive.", i, p->scale_v[i]);
  for (int i = 0; p->scale_x && i < p->nx; i++)
    if (!(p->scale_x[i] > 0) || !isfinite(p->scale_x[i]))
      return fly_fail(error, FLY_BAD_INPUT, NAN, "problem: scale_x[%d] = %g must be positive.", i, p->scale_x[i]);
  if (!(p->evaluation_operations >= 0 && p->leap_operations >= 0) ||
      !isfinite(p->evaluation_operations + p->leap_operations))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "problem: operations of %g and %g must be counts.",
                    p->evaluation_operations, p->leap_operations);
  return FLY_OK;
}

static void pair_positions(fly_eval *e) {
  int iq = 0, k = 0, skipped = 0;
  for (int iv = 0; iv < e->p.nv;) {
    if (k < e->p.nrotation && e->p.rotation_v[k] == iv) {
      for (int j = 0; j < 3; j++) {
        e->q_of_v[iv + j] = -1;
        e->rotation_of[iv + j] = k;
      }
      iv += 3;
      k++;
      continue;
    }
    for (; skipped < e->p.nrotation && e->p.rotation_q[skipped] == iq; skipped++)
      iq += 4;
    e->rotation_of[iv] = -1;
    e->q_of_v[iv++] = iq++;
  }
}

// Plain positions that follow each other where their velocities do.
static void list_plain(fly_eval *e) {
  e->nplain = 0;
  for (int i = 0, count; i < e->p.nv; i += count) {
    const int q = e->q_of_v[i];
    for (count = 1; q >= 0 && i + count < e->p.nv && e->q_of_v[i + count] == q + count;)
      count++;
    if (q >= 0)
      e->plain[e->nplain++] = (fly_plain){q, i, count};
  }
}

static fly_status create_matrices(fly_eval *e, fly_error *error) {
  const fly_dae_problem *p = &e->p;
  const fly_lean whole = {.rest = p->jacobian_pattern}, *lean = e->lean ? p->lean : &whole;
  const int loads = lean->nload;
  const struct {
    fly_csc *matrix;
    int rows, cols;
    const fly_pattern *pattern;
    fly_status (*join)(fly_csc *a, fly_error *error); // of those that are multiplied in every correction
    fly_csc *alike[2];                                // others of the same pattern
  } list[] = {{&e->M, p->nv, p->nv, &p->mass_pattern, fly_csc_join_blocks, {NULL, NULL}},
              {&e->G, p->ng, p->nv, &p->constraint_pattern, fly_csc_join_columns, {&e->Gm, &e->Zg}},
              {&e->B, p->nb, p->nv, &p->nonholonomic_pattern, fly_csc_join_columns, {&e->Bm, &e->Zb}},
              {&e->J[0], e->nrow, e->ncol, &lean->rest, NULL, {&e->J[1], &e->J[2]}},
              {&e->U, loads, p->nv, &lean->arms, NULL, {NULL, NULL}},
              {&e->W[0], loads, p->nv, &lean->answers, NULL, {&e->W[1], NULL}}};
  fly_status status = FLY_OK;
  for (size_t k = 0; k < sizeof list / sizeof *list && status == FLY_OK; k++) {
    status =
        fly_csc_create(list[k].matrix, list[k].rows, list[k].cols, list[k].pattern->start, list[k].pattern->row, error);
    if (status == FLY_OK && list[k].join)
      status = list[k].join(list[k].matrix, error);
    for (int i = 0; i < 2 && list[k].alike[i] && status == FLY_OK; i++)
      status = fly_csc_create_like(list[k].alike[i], list[k].matrix, error);
  }
  return status;
}

static void take_work(fly_eval *e) {
  fly_arena *m = &e->memory;
  const fly_dae_problem *p = &e->p;
  int rows = e->nrow > e->nl ? e->nrow : e->nl;
  const struct {
    double **at;
    int count;
  } list[] = {{&e->dq, p->nq}, {&e->delta, p->nv}, {&e->dv, p->nv},  {&e->da, p->nv},
              {&e->dl, e->nl}, {&e->dx, p->nx},    {&e->dxd, p->nx}, {&e->dy, p->ny}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    *list[k].at = fly_arena_doubles(m, (size_t)list[k].count);
  double **samples[] = {&e->pair[0],   &e->pair[1],   &e->pair[2],  &e->opposite, &e->middle,
                        &e->missed[0], &e->missed[1], &e->row_unit, &e->slope};
  for (size_t k = 0; k < sizeof samples / sizeof *samples; k++)
    *samples[k] = fly_arena_doubles(m, (size_t)rows);
  e->outer_q = fly_arena_doubles(m, (size_t)p->nq);
  e->outer_plus = fly_arena_doubles(m, (size_t)rows);
  e->outer_minus = fly_arena_doubles(m, (size_t)rows);
  e->q_of_v = fly_arena_ints(m, (size_t)p->nv);
  e->rotation_of = fly_arena_ints(m, (size_t)p->nv);
  e->plain = fly_arena_take(m, (size_t)(p->nv < 2 * p->nrotation + 1 ? p->nv : 2 * p->nrotation + 1), sizeof *e->plain);
}

static fly_status colour_missing(fly_eval *e, fly_error *error) {
  const fly_dae_problem *p = &e->p;
  fly_status status = FLY_OK;
  if (p->ng && !(p->constraint_jacobian && p->constraint_velocity_jacobian))
    status = fly_eval_colour(&e->colour_G, &e->G, &e->memory, error);
  if (status == FLY_OK && e->colour_G.count > 0)
    e->width_G = fly_arena_take(&e->memory, (size_t)e->colour_G.count, sizeof *e->width_G);
  if (status == FLY_OK && p->nb && !p->nonholonomic_velocity_jacobian)
    status = fly_eval_colour(&e->colour_B, &e->B, &e->memory, error);
  if (status == FLY_OK && !p->jacobian)
    status = fly_eval_colour(&e->colour_J, &e->J[0], &e->memory, error);
  if (status == FLY_OK && e->memory.failed)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the differences of %d constraint rows.", p->ng);
  return status;
}

static fly_status create(fly_eval *e, const fly_dae_problem *problem, bool lean, fly_error *error) {
  *e = (fly_eval){.p = *problem, .lean = lean, .time_widest = 1e-3};
  fly_status status = check_sizes(problem, error);
  if (status == FLY_OK)
    status = check_callbacks(problem, error);
  if (status == FLY_OK)
    status = check_rotations(problem, error);
  if (status)
    return status;
  e->nl = problem->ng + problem->nb;
  e->nrow = problem->nv + problem->nx + problem->ny;
  e->ncol = e->nrow + e->nl;
  status = create_matrices(e, error);
  if (status)
    return status;
  take_work(e);
  if (e->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a problem with nv = %d.", problem->nv);
  pair_positions(e);
  list_plain(e);
  return colour_missing(e, error);
}

fly_status fly_eval_create(fly_eval *e, const fly_dae_problem *problem, fly_error *error) {
  return create(e, problem, false, error);
}

fly_status fly_eval_create_lean(fly_eval *e, const fly_dae_problem *problem, fly_error *error) {
  return create(e, problem, problem->lean && problem->jacobian, error);
}

void fly_eval_forget_widths(fly_eval *e, double time_widest) {
  const fly_width none = {0};
  e->time_widest = time_widest;
  e->width_rate = e->width_gamma = e->width_nonholonomic = none;
  for (int k = 0; e->width_G && k < e->colour_G.count; k++)
    e->width_G[k] = none;
}

void fly_eval_free(fly_eval *e) {
  fly_csc *list[] = {&e->Gm, &e->Zg, &e->Bm,   &e->Zb,   &e->J[1], &e->J[2], &e->M,
                     &e->G,  &e->B,  &e->J[0], &e->W[1], &e->U,    &e->W[0]};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    fly_csc_free(list[k]);
  fly_arena_free(&e->memory);
}

// ------------------------------------------------------------------------------------------ travelling

void fly_eval_image(fly_eval *e, fly_image *m) {
  fly_csc *list[] = {&e->M, &e->G, &e->B, &e->Zg, &e->Zb, &e->J[0], &e->J[1], &e->J[2], &e->U, &e->W[0], &e->W[1]};
  for (size_t k = 0; k < (e->U.rows > 0 ? 11 : 8); k++)
    if (fly_image_same(m, (uint64_t)fly_csc_nnz(list[k])))
      fly_image_bytes(m, list[k]->val, (size_t)fly_csc_nnz(list[k]) * sizeof(double));
  fly_image_arena(m, &e->memory);
  FLY_IMAGE_FROM(m, e, residuals, &e->memory);
}

uint64_t fly_eval_fingerprint(const fly_eval *e) {
  const fly_csc *list[] = {&e->M, &e->G, &e->B, &e->J[0]};
  const int sizes[] = {e->p.nq, e->p.nv, e->p.ng, e->p.nb, e->p.nx, e->p.ny, e->p.nroot, e->p.nrotation};
  uint64_t hash = fly_fingerprint(0, sizes, sizeof sizes);
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    hash = fly_fingerprint(hash, list[k]->start, ((size_t)list[k]->cols + 1) * sizeof(int));
    hash = fly_fingerprint(hash, list[k]->row, (size_t)fly_csc_nnz(list[k]) * sizeof(int));
  }
  return hash;
}
