// Failures in words: what, which row or coordinate, when, why, what to try.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "dae/solver.h"

void fly_constraint_text(const fly_eval *e, int row, char *text, size_t size) {
  if (e->p.row_name)
    e->p.row_name(text, size, row, e->p.user);
  else if (row < e->p.ng)
    snprintf(text, size, "constraint row %d", row);
  else
    snprintf(text, size, "nonholonomic row %d", row - e->p.ng);
}

fly_status fly_explain_callback(const fly_solver *s, double t, fly_error *error) {
  const char *name = s->e.failed ? s->e.failed : "a callback";
  if (s->e.failed_code == FLY_EVAL_NAN)
    return fly_fail_at(
        error, FLY_NOT_FINITE, t, FLY_NOWHERE, name,
        "At t = %.9g s the callback `%s` returned NaN or infinity (first at index %d). Check it for divisions "
        "by zero, roots of negative numbers and uninitialized values.",
        t, name, s->e.failed_index);
  if (s->e.failed_code < 0)
    return fly_fail_at(error, FLY_CALLBACK, t, FLY_NOWHERE, name,
                       "At t = %.9g s the callback `%s` stopped the run (it returned %d).", t, name, s->e.failed_code);
  return fly_fail_at(error, FLY_CALLBACK, t, FLY_NOWHERE, name,
                     "At t = %.9g s the callback `%s` refused its arguments (it returned %d).", t, name,
                     s->e.failed_code);
}

// ------------------------------------------------------------------------------------------ dependent rows

fly_status fly_stack_rows(const fly_eval *e, fly_csc *out, fly_error *error) {
  int nG = fly_csc_nnz(&e->G), nB = fly_csc_nnz(&e->B), k = 0;
  fly_arena work = {0};
  int *row = fly_arena_ints(&work, (size_t)(nG + nB) + 1), *col = fly_arena_ints(&work, (size_t)(nG + nB) + 1);
  fly_status status = FLY_OK;
  if (work.failed)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the rank of %d constraint rows.", e->nl);
  for (int part = 0; part < 2 && status == FLY_OK; part++) {
    const fly_csc *a = part ? &e->B : &e->G;
    for (int j = 0; j < a->cols; j++)
      for (int m = a->start[j]; m < a->start[j + 1]; m++, k++) {
        row[k] = a->row[m] + (part ? e->p.ng : 0);
        col[k] = j;
      }
  }
  if (status == FLY_OK)
    status = fly_csc_from_entries(out, e->nl, e->p.nv, k, row, col, NULL, error);
  if (status == FLY_OK)
    fly_stack_values(e, out);
  fly_arena_free(&work);
  return status;
}

// In every column the rows of G come before those of B, and both ascend.
void fly_stack_values(const fly_eval *e, fly_csc *out) {
  double *to = out->val;
  if (e->p.nb == 0) {
    memcpy(to, e->G.val, (size_t)fly_csc_nnz(&e->G) * sizeof *to);
    return;
  }
  for (int j = 0; j < e->p.nv; j++)
    for (int part = 0; part < 2; part++) {
      const fly_csc *a = part ? &e->B : &e->G;
      int count = a->start[j + 1] - a->start[j];
      memcpy(to, a->val + a->start[j], (size_t)count * sizeof *to);
      to += count;
    }
}

static void describe_dependence(const fly_eval *e, const fly_rank *r, fly_error *error) {
  char name[160];
  for (int k = 0; k < r->ndependent && k < 4; k++) {
    fly_constraint_text(e, r->dependent[k], name, sizeof name);
    fly_error_append(error, "%s `%s` depends on", k ? ";" : "", name);
    int first = r->support_start[k], count = r->support_start[k + 1] - first;
    for (int m = 0; m < count && m < 4; m++) {
      fly_constraint_text(e, r->support[first + m], name, sizeof name);
      fly_error_append(error, "%s `%s`", m ? "," : "", name);
    }
    if (count > 4)
      fly_error_append(error, " and %d more", count - 4);
    if (count == 0)
      fly_error_append(error, " nothing: it is zero");
  }
  if (r->ndependent > 4)
    fly_error_append(error, "; and %d more rows", r->ndependent - 4);
  fly_error_append(error, ".");
}

// Are the rows those that the caller knows to be independent, but for rounding errors? The elimination that told so has
// made as many of its own.
static bool known_independent(fly_solver *s) {
  const fly_csc *G = &s->e.G, *known = s->known_rows;
  if (!known || s->e.p.nb > 0 || known->rows != G->rows || known->cols != G->cols ||
      memcmp(known->start, G->start, ((size_t)G->cols + 1) * sizeof *G->start) != 0 ||
      memcmp(known->row, G->row, (size_t)fly_csc_nnz(G) * sizeof *G->row) != 0)
    return false;
  double *size = s->rows2;
  memset(size, 0, (size_t)G->rows * sizeof *size);
  for (int k = 0; k < fly_csc_nnz(G); k++)
    size[G->row[k]] = fmax(size[G->row[k]], fabs(known->val[k]));
  for (int k = 0; k < fly_csc_nnz(G); k++)
    if (!(fabs(G->val[k] - known->val[k]) <= 1e-14 * size[G->row[k]]))
      return false;
  return true;
}

// Looks for dependent constraint rows at (t, q), with tolerances from 1e-11 up to `widest`. Returns FLY_OK if there are
// none, `status` and its message if there are, or what went wrong on the way.
static fly_status dependent_rows(fly_solver *s, double t, const double *q, double widest, fly_status status,
                                 fly_error *error) {
  fly_csc rows = {0};
  fly_rank rank = {0};
  bool start = status == FLY_REDUNDANT;
  double tolerance = 1e-11;
  if (fly_eval_kinematics(&s->e, t, q))
    return fly_explain_callback(s, t, error);
  if (start && known_independent(s))
    return FLY_OK;
  fly_status found = fly_stack_rows(&s->e, &rows, error);
  for (; found == FLY_OK; tolerance *= 10) {
    fly_rank_free(&rank);
    found = fly_rank_find(&rank, &rows, tolerance, error);
    if (rank.ndependent > 0 || tolerance * 9 > widest)
      break;
  }
  if (found == FLY_OK && rank.ndependent > 0) {
    found = fly_fail(error, status, t, "At t = %.9g s %d of %d constraint rows %s (rank %d, to %.0e):", t,
                     rank.ndependent, s->e.nl, start ? "are redundant" : "have become dependent", rank.rank, tolerance);
    describe_dependence(&s->e, &rank, error);
    fly_error_append(error, start ? " Remove them, or start away from a singular position."
                                  : " The mechanism is in a singular position: its branches meet or it locks there.");
  }
  fly_rank_free(&rank);
  fly_csc_free(&rows);
  return found;
}

fly_status fly_check_rank(fly_solver *s, double t, const double *q, fly_error *error) {
  return dependent_rows(s, t, q, 1e-11, FLY_REDUNDANT, error);
}

fly_status fly_explain_singular(fly_solver *s, double t, const double *q, fly_error *error) {
  fly_status found = dependent_rows(s, t, q, 1e-2, FLY_SINGULAR, error);
  if (found)
    return found;
  return fly_fail(error, FLY_SINGULAR, t,
                  "At t = %.9g s the matrix of the accelerations is singular although the constraint rows are "
                  "independent: a mass is zero where no constraint holds it, or an equation d or y is degenerate.",
                  t);
}

// ------------------------------------------------------------------------------------------ missing callbacks

typedef struct missing {
  const char *name;
  bool is;
  double error; // of what stands for it, relative; 0: it serves Newton's iteration only
} missing;

static double worst_width(const fly_eval *e) {
  double worst = 0;
  for (int k = 0; e->width_G && k < e->colour_G.count; k++)
    worst = fmax(worst, e->width_G[k].error);
  return worst;
}

void fly_explain_missing(const fly_solver *s, fly_error *error) {
  const fly_eval *e = &s->e;
  const fly_dae_problem *p = &e->p;
  const missing list[] = {
      {"constraint_jacobian", p->ng && !p->constraint_jacobian, worst_width(e)},
      {"constraint_rate", p->ng && !p->constraint_rate, e->width_rate.error},
      {"constraint_gamma", p->ng && !p->constraint_gamma, e->width_gamma.error},
      {"constraint_velocity_jacobian", p->ng && !p->constraint_velocity_jacobian, 0},
      {"nonholonomic_gamma", p->nb && !p->nonholonomic_gamma, e->width_nonholonomic.error},
      {"nonholonomic_velocity_jacobian", p->nb && !p->nonholonomic_velocity_jacobian, 0},
      {"jacobian", !p->jacobian, 0},
  };
  int count = 0;
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    if (!list[k].is)
      continue;
    fly_error_append(error, "%s `%s`",
                     count++ ? "," : " Differences stand for callbacks that are not given:", list[k].name);
    if (list[k].error > 0)
      fly_error_append(error, " (right to about %.0e)", list[k].error);
  }
  if (count)
    fly_error_append(error, ". Give them, and check them with fly_dae_check.");
}

// ------------------------------------------------------------------------------------------ failed steps

static int worst_coordinate(const fly_solver *s) {
  int worst = 0;
  double largest = -1;
  for (int i = 0; i < s->e.p.nv; i++) {
    double d = fabs(s->at.du[i]) / (s->e.p.scale_v ? s->e.p.scale_v[i] : 1.0);
    if (!(d <= largest)) {
      largest = d;
      worst = i;
    }
  }
  return worst;
}

static fly_status explain_step(fly_solver *s, fly_outcome why, bool error_test, double h, fly_error *error) {
  double t = s->now.t;
  if (why == FLY_FATAL || why == FLY_NOT_HERE) {
    fly_status status = fly_explain_callback(s, t, error);
    if (status == FLY_CALLBACK && s->e.failed_code > 0)
      fly_error_append(error, " Smaller steps did not help.");
    return status;
  }
  if (why == FLY_OUT_OF_MEMORY)
    return fly_fail(error, FLY_NO_MEMORY, t, "Out of memory while factorizing at t = %.9g s.", t);
  fly_status status = why == FLY_NO_FACTOR ? FLY_SINGULAR : error_test ? FLY_STEP_TOO_SMALL : FLY_NO_CONVERGENCE;
  int worst = worst_coordinate(s);
  // constraint rows close to dependent are the reason, whatever gave up first
  if (s->e.nl > 0 && dependent_rows(s, t, s->now.q, 1e-2, status, error) != FLY_OK) {
    fly_error_append(error, " (%s at a step of %.2g s.)",
                     error_test ? "The error test failed" : "Newton's iteration failed", h);
    return status;
  }
  if (why == FLY_NO_FACTOR)
    return fly_fail(error, status, t,
                    "At t = %.9g s the matrix of the step is singular at every step tried, down to %.2g s.", t, h);
  if (error_test)
    return fly_fail(
        error, status, t,
        "At t = %.9g s the error asked for (%g) needs steps below %.2g s. A force may jump there: give it a "
        "root function, or smooth it; or ask for a larger error.%s",
        t, s->o.error, h,
        s->step.kind == FLY_MATRIX_INDEX3 && s->e.p.ng > 0
            ? " If constraints are less exact than double precision, use the stabilized formulation (ggl)."
            : "");
  return fly_fail(
      error, status, t,
      "At t = %.9g s Newton's iteration does not converge, down to a step of %.2g s; velocity %d resists most. "
      "Check the derivatives with fly_dae_check and the forces there for jumps.",
      t, h, worst);
}

fly_status fly_explain_failure(fly_solver *s, fly_outcome why, bool error_test, double h, fly_error *error) {
  const fly_status status = explain_step(s, why, error_test, h, error);
  if (status == FLY_STEP_TOO_SMALL || status == FLY_NO_CONVERGENCE || status == FLY_SINGULAR) {
    fly_explain_missing(s, error);
    fly_advise(s, error);
  }
  return status;
}
