// Constraints that give way: what orders can be had (FAMILY 5.43 and Figs. 6.7, 6.9), and how they drift (Fig. 6.10).
#include <math.h>
#include <string.h>

#include "verify.h"

// ---------------------------------------------------------------------------------------------- orders

typedef struct subject {
  const char *problem;
  double end, step;      // the step that is halved
  double fine;           // with the parameters that are divided by 2
  double delta, epsilon; // those
} subject;

static verify_result soft_run(verify *v, const subject *s, fly_soft_form form, double parameter, double h, double end) {
  const verify_case c = {.problem = s->problem,
                         .method = "ch 0.8",
                         .start = FLY_START_PLAIN,
                         .step = h,
                         .end = end,
                         .softness = parameter,
                         .soft = form,
                         .split = true};
  verify_progress(v, "%s, %g, h = %g", s->problem, parameter, h);
  return verify_run(v, &c, true, NULL, NULL);
}

static double halved(double coarse, double fine) { return verify_order(coarse, fine, 2); }

static void damped_row(verify *v, const subject *s) {
  const double hard = 1e-10 * s->step;
  const verify_result a = soft_run(v, s, FLY_SOFT_DAMPED, hard, s->step, s->end),
                      b = soft_run(v, s, FLY_SOFT_DAMPED, hard, s->step / 2, s->end),
                      c = soft_run(v, s, FLY_SOFT_DAMPED, s->delta, s->fine, s->end),
                      d = soft_run(v, s, FLY_SOFT_DAMPED, s->delta / 2, s->fine, s->end);
  const double order[4] = {halved(a.q, b.q), halved(a.v, b.v), halved(c.q, d.q), halved(c.v, d.v)};
  verify_row(v, "%s | %.2f | %.2f | %.2f | %.2f", s->problem, order[0], order[1], order[2], order[3]);
  verify_check_near(v, fmin(order[0], order[1]), 2, 0.2, "%s, dampers: least order of q, v in h", s->problem);
  verify_check_near(v, fmin(order[2], order[3]), 1, 0.2, "%s, dampers: least order of q, v in delta", s->problem);
}

// Across the constraints the first steps tell: h rho^n and epsilon, before what is h^2 and epsilon^2 has grown over
// them.
static void stiff_row(verify *v, const subject *s) {
  const double hard = 1e-3 * s->step, early = s->end / 20;
  const verify_result a = soft_run(v, s, FLY_SOFT_STIFF, hard, s->step, s->end),
                      b = soft_run(v, s, FLY_SOFT_STIFF, hard, s->step / 2, s->end),
                      ea = soft_run(v, s, FLY_SOFT_STIFF, hard, s->step, early),
                      eb = soft_run(v, s, FLY_SOFT_STIFF, hard, s->step / 2, early),
                      c = soft_run(v, s, FLY_SOFT_STIFF, s->epsilon, s->fine, s->end),
                      d = soft_run(v, s, FLY_SOFT_STIFF, s->epsilon / 2, s->fine, s->end),
                      ec = soft_run(v, s, FLY_SOFT_STIFF, s->epsilon, s->fine, early),
                      ed = soft_run(v, s, FLY_SOFT_STIFF, s->epsilon / 2, s->fine, early);
  const double order[] = {halved(a.q, b.q), halved(a.along, b.along), halved(ea.across, eb.across),
                          halved(c.q, d.q), halved(c.along, d.along), halved(ec.across, ed.across)};
  verify_row(v, "%s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f", s->problem, order[0], order[1], order[2], order[3],
             order[4], order[5]);
  verify_check_near(v, fmin(order[0], order[1]), 2, 0.2, "%s, springs: least order of q, Pv in h", s->problem);
  verify_check_near(v, order[2], 1, 0.25, "%s, springs: order of Gv in h, first steps", s->problem);
  verify_check_near(v, fmin(order[3], order[4]), 2, 0.3, "%s, springs: least order of q, Pv in epsilon", s->problem);
  verify_check_near(v, order[5], 1, 0.25, "%s, springs: order of Gv in epsilon, first steps", s->problem);
}

// fmax that keeps NaN.
static double worse(double a, double b) { return isnan(a) || isnan(b) ? (double)NAN : fmax(a, b); }

// The rounding of g, over epsilon^2, is more than the force below it.
static const double LEAST_EPSILON = 9e-11;

// Corrections a step for a parameter and six decades below: half of how far they differ.
static double iterations_row(verify *v, const subject *s, fly_soft_form form) {
  enum { DECADES = 7 };
  const double largest = fmax(s->step / 20, 1e-5);
  double n[DECADES], least = INFINITY, most = 0;
  for (int k = 0; k < DECADES; k++) {
    n[k] = NAN;
    if (form == FLY_SOFT_STIFF && largest * pow(10, -k) < LEAST_EPSILON)
      continue;
    const verify_case c = {.problem = s->problem,
                           .method = "ch 0.8",
                           .start = FLY_START_PLAIN,
                           .step = s->step,
                           .end = s->end,
                           .softness = largest * pow(10, -k),
                           .soft = form};
    const verify_result r = verify_run(v, &c, false, NULL, NULL);
    n[k] = r.complete ? (double)r.stats.newton_iterations / (double)r.stats.steps : (double)NAN;
    least = fmin(least, n[k]);
    most = worse(most, n[k]);
  }
  verify_row(v, "%s | %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f", s->problem,
             form == FLY_SOFT_STIFF ? "springs" : "dampers", n[0], n[1], n[2], n[3], n[4], n[5], n[6]);
  return (most - least) / 2;
}

static void verify_limits(verify *v) {
  static const subject list[] = {{"pendulum-family", 1, 4e-3, 5e-4, 4e-4, 2e-2},
                                 {"double-pendulum", 1, 4e-3, 5e-4, 4e-4, 1e-2},
                                 {"seven-body", 0.01, 4e-5, 1e-5, 2e-4, 2e-3},
                                 {"heavy-top", 0.2, 2.5e-4, 2e-4, 2e-5, 1e-3}};
  const int count = (int)(sizeof list / sizeof *list);
  verify_heading(v, "Orders in the step and in the parameters (5.43)");
  verify_say(v, "CH(0.8), plain starts on the constraints, the largest error of the run against the rigid motion. "
                "FAMILY: dampers "
                "q, v of h^2 + delta; springs q and Pv of h^2 + epsilon^2, Gv of h^2 + h rho^n + epsilon, so that of "
                "all velocities only what lies across the constraints loses an order, and that in the first steps. P "
                "projects mass-orthogonally onto the constraints of the rigid motion. The heavy top is not in the "
                "paper.");
  verify_table_begin(v, "problem | q in h | v in h | q in delta | v in delta", "Dampers: orders.");
  for (int i = 0; i < count; i++)
    damped_row(v, &list[i]);
  verify_table_end(v);
  verify_table_begin(v, "problem | q in h | Pv in h | Gv in h | q in epsilon | Pv in epsilon | Gv in epsilon",
                     "Springs: orders; of Gv in the first twentieth of the run.");
  for (int i = 0; i < count; i++)
    stiff_row(v, &list[i]);
  verify_table_end(v);
  double apart = 0;
  verify_table_begin(v, "problem | form | largest | 1e-1 | 1e-2 | 1e-3 | 1e-4 | 1e-5 | 1e-6 of it",
                     "Corrections a step for epsilon or delta from h/20 on, or 1e-5 if that is larger; springs down to "
                     "1e-10.");
  for (int i = 0; i < 2 * count; i++) {
    apart = worse(apart, iterations_row(v, &list[i / 2], i % 2 ? FLY_SOFT_DAMPED : FLY_SOFT_STIFF));
  }
  verify_table_end(v);
  verify_check(v, apart, AT_MOST, 1, "corrections a step over five to six decades: the same, plus or minus");
}

// ---------------------------------------------------------------------------------------------- Fig. 6.7

enum { STEPS = 4, DELTAS = 3 };

static const fly_newmark unusual = {2.0 / 7, 3.0 / 7, 1.0 / 7, 9.0 / 14}; // alpha_m, alpha_f, beta, gamma

static verify_result squeezer(verify *v, const fly_newmark *custom, fly_soft_form form, double parameter, double h,
                              double dq, double dv, double end) {
  const verify_case c = {.problem = "seven-body",
                         .method = "ch 0.75",
                         .custom = custom,
                         .start = FLY_START_PLAIN,
                         .step = h,
                         .end = end,
                         .softness = parameter,
                         .soft = form,
                         .disturb_q = dq,
                         .disturb_v = dv};
  verify_progress(v, "seven-body, %g, h = %g", parameter, h);
  return verify_run(v, &c, true, NULL, NULL);
}

static void squeezer_row(verify *v, verify_figure *f, double delta, double e[STEPS]) {
  char title[32];
  snprintf(title, sizeof title, "delta = %.0e", delta);
  verify_curve(f, title, "linespoints");
  for (int i = 0; i < STEPS; i++) {
    const double h = 1.6e-4 * pow(2, -i);
    const verify_result r = squeezer(v, &unusual, FLY_SOFT_DAMPED, delta, h, 0.1 * h * h, delta, 0.03);
    e[i] = fmax(r.q, r.v);
    verify_point(f, h, e[i]);
  }
  verify_row(v, "%.0e | %.1e | %.1e | %.1e | %.1e", delta, e[0], e[1], e[2], e[3]);
}

static void draw_radius(verify_figure *f, double *least) {
  double re[3], im[3];
  verify_panel(f, "set title 'spectral radius on the oscillator'\nset xlabel 'z = hω'\nset logscale x\n"
                  "set format x '10^{%L}'\nset yrange [0.5:2]\nset key off");
  verify_curve(f, "", "lines lw 2");
  *least = INFINITY;
  for (double z = 0.02; z < 1e4; z *= 1.1) {
    const double radius = fly_newmark_roots(re, im, &unusual, z);
    verify_point(f, z, radius);
    *least = fmin(*least, radius);
  }
}

static void verify_unusual(verify *v) {
  verify_figure f;
  double e[DELTAS][STEPS], least;
  verify_heading(v, "Fig. 6.7: parameters that are stable for dampers only");
  verify_say(v, "Seven-body, 0.03 s, alpha_m = 2/7, alpha_f = 3/7, gamma = 9/14, beta = 1/7, the start disturbed by "
                "q (1 + h^2/10) and v + delta (the paper: terms of size h^2 and delta). The paper, without numbers: as "
                "in Fig. 6.6, second order in h and first in delta; on the oscillator \"for no step size h > 0 the "
                "error "
                "amplification is contractive\"; with springs, epsilon = 1e-3 and h = 3e-4, it \"completely fails\".");
  verify_figure_begin(&f, v, "soft-unusual");
  verify_panel(&f, "set title 'seven-body, dampers'\nset xlabel 'h [s]'\nset ylabel 'largest error of q, v'\n"
                   "set logscale xy\nset format xy '10^{%L}'\nset key below");
  verify_table_begin(v, "delta | h = 1.6e-4 | h/2 | h/4 | h/8", "Largest error of q and v.");
  for (int k = 0; k < DELTAS; k++)
    squeezer_row(v, &f, pow(10, -4 - 2 * k), e[k]);
  verify_table_end(v);
  draw_radius(&f, &least);
  verify_figure_end(&f, v, "Dampers by parameters that are unstable for springs (FAMILY Fig. 6.7).");
  const verify_result failed = squeezer(v, &unusual, FLY_SOFT_STIFF, 1e-3, 3e-4, 0, 0, 0.03),
                      sound = squeezer(v, NULL, FLY_SOFT_STIFF, 1e-5, 3e-4, 0, 0, 0.03);
  verify_note(v, "springs, h = 3e-4: %s at t = %.4f s; CH(0.75) with epsilon = 1e-5 has an error of %.1e rad",
              failed.complete ? "ends, with nothing right," : "the run breaks down", failed.t, sound.q);
  verify_check_near(v, verify_order(e[DELTAS - 1][2], e[DELTAS - 1][3], 2), 2, 0.2, "dampers: order in h");
  verify_check_near(v, verify_order(e[0][STEPS - 1], e[1][STEPS - 1], 100), 1, 0.2, "dampers: order in delta");
  verify_check(v, least, AT_LEAST, 1 + 1e-9, "smallest spectral radius on the oscillator, z = 0.02 to 1e4");
  verify_check_that(v, !failed.complete || failed.q > 100 * sound.q, "springs: the run fails");
}

// ---------------------------------------------------------------------------------------------- Fig. 6.9

enum { SWEEP = 7, HARDNESS = 6 };
static const double OFF_STEP = 2.5e-3; // [s]

typedef struct pair {
  double all, along; // (q, v) and (q, Pv)
} pair;

static pair swinging(verify *v, const char *method, double epsilon, double h, double disturb) {
  static const double q0[] = {0, -1}, v0[] = {1, 0};
  const verify_case c = {.problem = "pendulum-family",
                         .method = method,
                         .q0 = q0,
                         .v0 = v0,
                         .start = FLY_START_PLAIN,
                         .step = h,
                         .end = 2,
                         .softness = epsilon,
                         .soft = FLY_SOFT_STIFF,
                         .disturb_q = disturb,
                         .split = true};
  const verify_result r = verify_run(v, &c, true, NULL, NULL);
  return (pair){fmax(r.q, r.v), fmax(r.q, r.along)};
}

static void sweep(verify *v, pair e[HARDNESS][SWEEP]) {
  for (int k = 0; k < HARDNESS; k++) {
    const double epsilon = pow(10, -2 - k);
    for (int i = 0; i < SWEEP; i++) {
      verify_progress(v, "pendulum-family, epsilon %.0e", epsilon);
      e[k][i] = swinging(v, "ch 0.9", epsilon, 0.02 * pow(2, -i), epsilon * epsilon);
    }
    verify_row(v, "%.0e | %.1e, %.1e | %.1e, %.1e | %.1e, %.1e | %.1e, %.1e", epsilon, e[k][0].all, e[k][0].along,
               e[k][2].all, e[k][2].along, e[k][4].all, e[k][4].along, e[k][6].all, e[k][6].along);
  }
}

static void draw_sweep(verify_figure *f, pair e[HARDNESS][SWEEP], bool along) {
  verify_panel(f, along ? "set title '(q, Pv)'\nset xlabel 'h [s]'\nset logscale xy\nset format xy '10^{%L}'\nset key "
                          "below"
                        : "set title '(q, v)'\nset xlabel 'h [s]'\nset ylabel 'largest error'\nset logscale xy\n"
                          "set format xy '10^{%L}'\nset key below");
  for (int k = 0; k < HARDNESS; k++) {
    char title[32];
    snprintf(title, sizeof title, "epsilon = %.0e", pow(10, -2 - k));
    verify_curve(f, title, "linespoints");
    for (int i = 0; i < SWEEP; i++)
      verify_point(f, 0.02 * pow(2, -i), along ? e[k][i].along : e[k][i].all);
  }
}

// The start off the constraint by h^2: what CH and SDIRK make of it at one h as the springs become harder.
static void off_the_constraint(verify *v, verify_figure *f, double e[2][HARDNESS]) {
  static const char *const methods[] = {"ch 0.9", "sdirk 0.9"}, *const titles[] = {"CH(0.9)", "SDIRK(0.9)"};
  verify_panel(f, "set title '(q, Pv), start off the constraint by h²'\nset xlabel 'ε'\nset logscale xy\n"
                  "set format xy '10^{%L}'\nset key below");
  verify_table_begin(v, "method | 1e-2 | 1e-3 | 1e-4 | 1e-5 | 1e-6 | 1e-7",
                     "Largest error of (q, Pv), start at q (1 + h^2), h = 2.5e-3, for epsilon.");
  for (int m = 0; m < 2; m++) {
    verify_curve(f, titles[m], "linespoints");
    for (int k = 0; k < HARDNESS; k++) {
      verify_progress(v, "pendulum-family, %s", methods[m]);
      e[m][k] = swinging(v, methods[m], pow(10, -2 - k), OFF_STEP, OFF_STEP * OFF_STEP).along;
      verify_point(f, pow(10, -2 - k), e[m][k]);
    }
    verify_row(v, "%s | %.1e | %.1e | %.1e | %.1e | %.1e | %.1e", titles[m], e[m][0], e[m][1], e[m][2], e[m][3],
               e[m][4], e[m][5]);
  }
  verify_table_end(v);
}

static void verify_projected(verify *v) {
  pair e[HARDNESS][SWEEP];
  double off[2][HARDNESS];
  verify_figure f;
  verify_heading(v, "Fig. 6.9: velocities along and across the constraint");
  verify_say(v, "The pendulum from q = (0, -1), v = (1, 0) by CH(0.9) to 2 s, a rod of 1/epsilon^2, start at "
                "q (1 + epsilon^2). The "
                "paper, without numbers: leaving the part across the constraint out of the error of (q, v) raises the "
                "order in h from one to two; second order in epsilon; it saturates; from g = h^2 it does not converge, "
                "where SDIRK does, of first order, as its stages are of order 1 (3.26).");
  verify_figure_begin(&f, v, "soft-projected");
  verify_table_begin(v, "epsilon | h = 2e-2 | h/4 | h/16 | h/64", "Largest error of (q, v), and of (q, Pv).");
  sweep(v, e);
  verify_table_end(v);
  draw_sweep(&f, e, false);
  draw_sweep(&f, e, true);
  off_the_constraint(v, &f, off);
  verify_figure_end(&f, v, "Orders along and across the constraint, and a start off it (FAMILY Fig. 6.9).");
  verify_check_near(v, verify_order(e[5][3].all, e[5][5].all, 4), 1, 0.2, "(q, v): order in h, epsilon = 1e-7");
  verify_check_near(v, verify_order(e[5][3].along, e[5][5].along, 4), 2, 0.2, "(q, Pv): order in h, epsilon = 1e-7");
  verify_check_near(v, verify_order(e[0][6].along, e[1][6].along, 10), 2, 0.4, "(q, Pv): order in epsilon, h = 3e-4");
  verify_check(v, off[0][3] / off[0][1], AT_LEAST, 10, "off by h^2, CH: error at epsilon = 1e-5 over that at 1e-3");
  verify_check(v, off[1][5] / off[1][3], AT_MOST, 2, "off by h^2, SDIRK: error at epsilon = 1e-7 over that at 1e-5");
  const double fine = OFF_STEP / 4, finer = swinging(v, "sdirk 0.9", 1e-7, fine, fine * fine).along;
  verify_check_near(v, verify_order(off[1][5], finer, 4), 1, 0.35, "off by h^2, SDIRK: order in h");
}

// ---------------------------------------------------------------------------------------------- Fig. 6.10

// |g| and |G v| over a run.
typedef struct residuals {
  double early_g, early_v; // largest within the first tenth of a second
  double late_g, late_v;   // largest from t = 1 on
  double end_g;
  double ring; // largest from 0.3 s to 0.5 s, of the row that is not held, or of the one that is
} residuals;

static double largest_of(const double *x, int n) {
  double m = 0;
  for (int i = 0; i < n; i++)
    m = fmax(m, fabs(x[i]));
  return m;
}

static void look(const fly_problem *p, const fly_dae_state *s, double *g, double *gv) {
  double row[2], G[8] = {0}, rate[2] = {0, 0};
  p->rigid.constraint(row, s->t, s->q, p->rigid.user);
  p->rigid.constraint_jacobian(G, s->t, s->q, p->rigid.user);
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 2; i++)
      rate[i] += G[2 * j + i] * s->v[j];
  *g = largest_of(row, 2);
  *gv = largest_of(rate, 2);
}

// Positions of the start off by a share h^2 along the rods, velocities by h across none: q (1 + h^2), v + h q.
static bool begin(fly_problem *p, fly_solver **solver, fly_soft_form form, double rho, double h) {
  fly_dae_options o = fly_dae_options_default();
  char method[32];
  snprintf(method, sizeof method, "ch %g", rho);
  fly_error error = {0};
  if (fly_problem_make(p, "double-pendulum", NULL, 0, &error) != FLY_OK)
    return false;
  for (int i = 0; i < 4; i++) {
    p->v0[i] += h * p->q0[i];
    p->q0[i] *= 1 + h * h;
  }
  o.start = FLY_START_PLAIN;
  o.step = h;
  return verify_method(&o, method, &error) &&
         fly_problem_soften(p, form, form == FLY_SOFT_STIFF ? 1e-4 : 1e-6, false, &error) == FLY_OK &&
         fly_solver_create(solver, &p->dae, &o, &error) == FLY_OK &&
         fly_solver_start(*solver, 0, 5, p->q0, p->v0, NULL, &error) == FLY_OK;
}

static residuals drift(verify_figure *f, fly_soft_form form, double rho, bool velocity) {
  residuals r = {0};
  fly_problem p = {0};
  fly_solver *solver = NULL;
  char title[32];
  snprintf(title, sizeof title, "ρ = %g", rho);
  verify_curve(f, title, "lines");
  bool going = begin(&p, &solver, form, rho, 0.005);
  int count = 0;
  while (going && !fly_solver_done(solver)) {
    going = fly_solver_step(solver, NULL) == FLY_OK;
    const fly_dae_state s = fly_solver_state(solver);
    double g, gv;
    look(&p, &s, &g, &gv);
    if (count++ % 4 == 0)
      verify_point(f, s.t, velocity ? gv : g);
    const bool early = s.t<0.1, late = s.t> 1, between = s.t > 0.3 && s.t < 0.5;
    r.early_g = early ? fmax(r.early_g, g) : r.early_g;
    r.early_v = early ? fmax(r.early_v, gv) : r.early_v;
    r.late_g = late ? fmax(r.late_g, g) : r.late_g;
    r.late_v = late ? fmax(r.late_v, gv) : r.late_v;
    r.ring = between ? fmax(r.ring, gv) : r.ring;
    r.end_g = g;
  }
  fly_solver_free(solver);
  fly_problem_free(&p);
  return going ? r : (residuals){NAN, NAN, NAN, NAN, NAN, NAN};
}

static void verify_soft_drift(verify *v) {
  static const double rhos[] = {0.5, 0.8, 0.95};
  static const char *const setups[] = {
      "set title 'dampers: |g|'\nset xlabel 't [s]'\nset logscale y\nset format y '10^{%L}'\nset key below",
      "set title 'dampers: |Gv|'\nset xlabel 't [s]'\nset logscale y\nset format y '10^{%L}'\nset key below",
      "set title 'springs: |g|'\nset xlabel 't [s]'\nset logscale y\nset format y '10^{%L}'\nset key below",
      "set title 'springs: |Gv|'\nset xlabel 't [s]'\nset logscale y\nset format y '10^{%L}'\nset key below"};
  verify_figure f;
  residuals r[4][3];
  verify_heading(v, "Fig. 6.10: drift");
  verify_say(v,
             "The double pendulum by CH(rho), h = 0.005, to 5 s, dampers with delta = 1e-6 or springs with epsilon = "
             "1e-4; the start off by h^2 in g and h in Gv. The paper, without numbers: smaller rho damps faster, "
             "residuals "
             "approach those of the smooth motion instead of zero, and only what is imposed stays in a neighbourhood "
             "of zero whose size is that of the parameter: Gv of dampers, g of springs; g of dampers drifts.");
  verify_figure_begin(&f, v, "soft-drift");
  for (int k = 0; k < 4; k++) {
    verify_panel(&f, setups[k]);
    for (int i = 0; i < 3; i++)
      r[k][i] = drift(&f, k < 2 ? FLY_SOFT_DAMPED : FLY_SOFT_STIFF, rhos[i], k % 2 == 1);
  }
  verify_table_begin(v, "form | rho | g, first 0.1 s | Gv, first 0.1 s | Gv, 0.3 to 0.5 s | g from 1 s | Gv from 1 s",
                     "Largest residuals of the constraints.");
  for (int k = 0; k < 4; k += 2)
    for (int i = 0; i < 3; i++)
      verify_row(v, "%s | %g | %.1e | %.1e | %.1e | %.1e | %.1e", k ? "springs" : "dampers", rhos[i], r[k][i].early_g,
                 r[k][i].early_v, r[k][i].ring, r[k][i].late_g, r[k][i].late_v);
  verify_table_end(v);
  verify_figure_end(&f, v, "Residuals of the constraints over time (FAMILY Fig. 6.10).");
  verify_check_that(v, r[0][0].ring <= r[0][1].ring && r[0][1].ring < r[0][2].ring && r[2][1].ring < r[2][2].ring,
                    "smaller rho damps faster, dampers and springs");
  verify_check(v, r[0][0].late_v, AT_MOST, 1e-3, "dampers: Gv, which is imposed (lambda is some 100, delta 1e-6)");
  verify_check(v, r[0][0].late_g / r[0][0].late_v, AT_LEAST, 10, "dampers: g, which is not, over Gv");
  verify_check(v, r[2][0].late_g, AT_MOST, 1e-5, "springs: g, which is imposed (lambda is some 100, epsilon^2 1e-8)");
}

void verify_soft_limits(verify *v) {
  verify_limits(v);
  verify_unusual(v);
  verify_projected(v);
  verify_soft_drift(v);
}
