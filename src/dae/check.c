// A user's derivatives against differences: each callback that is given is replaced by differences in turn, the rest of
// the problem staying as it is.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "dae/eval.h"

typedef enum derivative {
  CONSTRAINT_JACOBIAN,
  CONSTRAINT_RATE,
  CONSTRAINT_GAMMA,
  CONSTRAINT_VELOCITY_JACOBIAN,
  NONHOLONOMIC_GAMMA,
  NONHOLONOMIC_VELOCITY_JACOBIAN,
  EQUATIONS_JACOBIAN,
  BEND,
  DERIVATIVES
} derivative;

// Where the callbacks are, and of which rows; a mechanism without such rows does not use them.
enum { HOLONOMIC = 1, NONHOLONOMIC = 2, MOTION = 4 };
#define CALLBACK(name, rows)                                                                                           \
  { #name, offsetof(fly_dae_problem, name), (rows) }
static const struct {
  const char *name;
  size_t place;
  int rows;
} LIST[DERIVATIVES] = {
    [CONSTRAINT_JACOBIAN] = CALLBACK(constraint_jacobian, HOLONOMIC),
    [CONSTRAINT_RATE] = CALLBACK(constraint_rate, HOLONOMIC),
    [CONSTRAINT_GAMMA] = CALLBACK(constraint_gamma, HOLONOMIC),
    [CONSTRAINT_VELOCITY_JACOBIAN] = CALLBACK(constraint_velocity_jacobian, HOLONOMIC),
    [NONHOLONOMIC_GAMMA] = CALLBACK(nonholonomic_gamma, NONHOLONOMIC),
    [NONHOLONOMIC_VELOCITY_JACOBIAN] = CALLBACK(nonholonomic_velocity_jacobian, NONHOLONOMIC),
    [EQUATIONS_JACOBIAN] = CALLBACK(jacobian, MOTION),
    [BEND] = CALLBACK(bend, HOLONOMIC | NONHOLONOMIC),
};

// Takes one callback away; false if it was not there. Function pointers are of one size.
static bool take_away(fly_dae_problem *p, derivative which) {
  const int there = MOTION | (p->ng > 0 ? HOLONOMIC : 0) | (p->nb > 0 ? NONHOLONOMIC : 0);
  void (*given)(void), (*none)(void) = NULL;
  memcpy(&given, (char *)p + LIST[which].place, sizeof given);
  memcpy((char *)p + LIST[which].place, &none, sizeof none);
  return given && (LIST[which].rows & there);
}

// Along a direction in which every coordinate and every velocity moves. rows: (nl), and then what the call needs.
static int evaluate_bend(fly_eval *e, const fly_dae_state *s, double *rows) {
  double *dq = rows + e->nl, *dv = dq + e->p.nv;
  for (int i = 0; i < e->p.nv; i++) {
    dq[i] = cos(1.0 + i) * (e->p.scale_v ? e->p.scale_v[i] : 1.0);
    dv[i] = sin(2.0 + i) * (e->p.scale_v ? e->p.scale_v[i] : 1.0);
  }
  return fly_eval_bend(e, rows, s, dq, dv, dv + e->p.nv);
}

static size_t room_for_rows(const fly_eval *e) { return (size_t)(2 * e->nl + 3 * e->p.nv + e->p.nq); }

// Evaluates what the derivative feeds. rows holds gamma, the rate or the bend (nl).
static int evaluate(fly_eval *e, derivative which, const fly_dae_state *s, double *rows) {
  switch (which) {
  case CONSTRAINT_JACOBIAN:
    return fly_eval_kinematics(e, s->t, s->q);
  case CONSTRAINT_RATE:
    return fly_eval_constraint_rate(e, rows, s->t, s->q);
  case CONSTRAINT_GAMMA:
  case NONHOLONOMIC_GAMMA:
    return fly_eval_gamma(e, rows, s->t, s->q, s->v);
  case BEND:
    return evaluate_bend(e, s, rows);
  default:
    return fly_eval_jacobian(e, s);
  }
}

typedef struct comparison {
  fly_derivative_check *out;
  const char *name;
} comparison;

static void compare(comparison *c, double given, double difference, const char *where) {
  double error = fabs(given - difference) / (1 + fabs(difference));
  if (error <= c->out->worst)
    return;
  c->out->worst = error;
  snprintf(c->out->where, sizeof c->out->where, "%s%s is %.8g, differences give %.8g", c->name, where, given,
           difference);
}

static void compare_matrix(comparison *c, const fly_csc *given, const fly_csc *difference, const char *level) {
  for (int j = 0; j < given->cols; j++)
    for (int k = given->start[j]; k < given->start[j + 1]; k++) {
      char where[64];
      snprintf(where, sizeof where, "%s: row %d, column %d", level, given->row[k], j);
      compare(c, given->val[k], difference->val[k], where);
    }
}

static void compare_all(comparison *c, derivative which, const fly_eval *a, const fly_eval *b, const double *rows_a,
                        const double *rows_b) {
  static const char *const level[] = {", J0", ", J1", ", J2"};
  if (which == CONSTRAINT_JACOBIAN)
    compare_matrix(c, &a->G, &b->G, "");
  else if (which == CONSTRAINT_VELOCITY_JACOBIAN)
    compare_matrix(c, &a->Zg, &b->Zg, "");
  else if (which == NONHOLONOMIC_VELOCITY_JACOBIAN)
    compare_matrix(c, &a->Zb, &b->Zb, "");
  else if (which == EQUATIONS_JACOBIAN)
    for (int k = 0; k < 3; k++)
      compare_matrix(c, &a->J[k], &b->J[k], level[k]);
  else
    for (int i = 0; i < (which == CONSTRAINT_RATE ? a->p.ng : a->nl); i++) {
      char where[32];
      snprintf(where, sizeof where, ": row %d", i);
      compare(c, rows_a[i], rows_b[i], where);
    }
}

static fly_status check_one(fly_derivative_check *check, fly_eval *a, derivative which, const fly_dae_state *s,
                            fly_error *error) {
  fly_dae_problem without = a->p;
  if (!take_away(&without, which))
    return FLY_OK;
  fly_eval b;
  fly_arena work = {0};
  comparison c = {check, LIST[which].name};
  fly_status status = fly_eval_create(&b, &without, error);
  double *rows_a = fly_arena_doubles(&work, room_for_rows(a)), *rows_b = fly_arena_doubles(&work, room_for_rows(a));
  if (status == FLY_OK && work.failed)
    status = fly_fail(error, FLY_NO_MEMORY, s->t, "Out of memory for a check of derivatives.");
  if (status == FLY_OK) {
    int code = evaluate(a, which, s, rows_a);
    if (code == 0)
      code = evaluate(&b, which, s, rows_b);
    if (code)
      status = fly_fail_at(error, code == FLY_EVAL_NAN ? FLY_NOT_FINITE : FLY_CALLBACK, s->t, FLY_NOWHERE,
                           b.failed ? b.failed : a->failed, "The callback `%s` failed while derivatives were checked.",
                           b.failed ? b.failed : a->failed);
    else
      compare_all(&c, which, a, &b, rows_a, rows_b);
  }
  fly_eval_free(&b);
  fly_arena_free(&work);
  return status;
}

fly_status fly_dae_check(fly_derivative_check *check, const fly_dae_problem *problem, const fly_dae_state *state,
                         fly_error *error) {
  fly_eval a;
  if (!check || !problem || !state)
    return fly_missing(error, "fly_dae_check", !check ? "place for the check" : problem ? "state" : "problem");
  *check = (fly_derivative_check){0};
  fly_status status = fly_eval_create(&a, problem, error);
  for (int which = 0; which < DERIVATIVES && status == FLY_OK; which++) {
    status = check_one(check, &a, (derivative)which, state, error);
    if (which == CONSTRAINT_JACOBIAN && check->worst > 1e-5)
      break; // the others are judged by differences of it
  }
  fly_eval_free(&a);
  return status;
}
