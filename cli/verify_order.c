// Orders of convergence at fixed steps: the family in index 3 and GGL, the starts, the forms; alternating steps.
#include <math.h>
#include <string.h>

#include "verify.h"

enum { METHODS = 4, STEPS = 5 };
static const char *const methods[METHODS] = {"hht -0.3", "wbz 0.6", "ch 0.6", "gen 0.6 1.5"};

// A problem and the steps it is taken through, each half the one before.
typedef struct study {
  const char *problem;
  double end;  // [s]
  double step; // the coarsest [s]
  int steps;
} study;

static const study studies[] = {
    {"pendulum-family", 4, 4e-3, 4},
    {"heavy-top", 0.5, 1e-3, 4},
    {"seven-body", 0.03, 2e-5, 4},
};

// Largest errors of q, v, lambda at each step.
typedef struct errors {
  double q[STEPS], v[STEPS], lambda[STEPS];
  bool failed;
} errors;

static errors find_errors(verify *v, const study *s, verify_case c) {
  errors e = {.failed = false};
  c.problem = s->problem;
  c.end = s->end;
  for (int i = 0; i < s->steps; i++) {
    c.step = ldexp(s->step, -i);
    const verify_result r = verify_run(v, &c, true, NULL, NULL);
    e.q[i] = r.q;
    e.v[i] = r.v;
    e.lambda[i] = r.lambda;
    e.failed = e.failed || r.status != FLY_OK;
  }
  return e;
}

static double last_order(const double *error, int n) { return verify_order(error[n - 2], error[n - 1], 2); }

// One row: the largest lambda errors, and the orders of the finest pair.
static void put_row(verify *v, const char *method, const char *label, const errors *e, int n) {
  char lambdas[200] = "";
  size_t used = 0;
  for (int i = 0; i < n; i++)
    used += (size_t)snprintf(lambdas + used, sizeof lambdas - used, "%.3e | ", e->lambda[i]);
  verify_row(v, "%s | %s | %s %.3f | %.3f | %.3f", method, label, lambdas, last_order(e->q, n), last_order(e->v, n),
             last_order(e->lambda, n));
}

static void begin_table(verify *v, const study *s, const char *second, const char *caption) {
  char head[300];
  size_t used = (size_t)snprintf(head, sizeof head, "method | %s | ", second);
  for (int i = 0; i < s->steps; i++)
    used += (size_t)snprintf(head + used, sizeof head - used, "h = %.3g | ", ldexp(s->step, -i));
  snprintf(head + used, sizeof head - used, "order q | v | lambda");
  verify_table_begin(v, head, "%s", caption);
}

static void widen(double *worst, double order) {
  const double off = isfinite(order) ? fabs(order - 2) : HUGE_VAL;
  *worst = fmax(*worst, off);
}

static void check_family(verify *v, const study *s) {
  const fly_formulation formulations[] = {FLY_INDEX3, FLY_GGL};
  double worst[3] = {0, 0, 0};
  char caption[300];
  snprintf(caption, sizeof caption,
           "%s, T = %g s, corrected start. Largest error of lambda at each step, and orders of the finest pair.",
           s->problem, s->end);
  begin_table(v, s, "formulation", caption);
  for (int m = 0; m < METHODS; m++)
    for (int f = 0; f < 2; f++) {
      const errors e = find_errors(v, s, (verify_case){.method = methods[m], .formulation = formulations[f]});
      put_row(v, methods[m], verify_formulation_name(formulations[f]), &e, s->steps);
      widen(&worst[0], last_order(e.q, s->steps));
      widen(&worst[1], last_order(e.v, s->steps));
      widen(&worst[2], last_order(e.lambda, s->steps));
    }
  verify_table_end(v);
  const char *const names[] = {"q", "v", "lambda"};
  for (int k = 0; k < 3; k++)
    verify_check(v, worst[k], AT_MOST, 0.1, "%s: largest |order - 2| in %s over the eight rows", s->problem, names[k]);
}

// ---------------------------------------------------------------------------------------------- plain start

static void draw(verify_figure *f, const char *title, const char *style, const study *s, const errors *e) {
  verify_curve(f, title, style);
  for (int i = 0; i < s->steps; i++)
    verify_point(f, ldexp(s->step, -i), e->lambda[i]);
}

static void draw_slopes(verify_figure *f, const study *s, double first, double second) {
  verify_curve(f, "order 1, order 2", "lines dt 3 lc rgb 'gray40'");
  for (int order = 1; order <= 2; order++) {
    for (int i = 0; i < s->steps; i += s->steps - 1)
      verify_point(f, ldexp(s->step, -i), (order == 1 ? first : second) * ldexp(1, -i * order));
    verify_point(f, NAN, NAN);
  }
}

static void check_plain(verify *v, const study *s, verify_figure *f) {
  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  char setup[300];
  snprintf(setup, sizeof setup,
           "set title '%s, CH(0.6)'\nset xlabel 'h [s]'\nset ylabel 'largest error of λ'\nset logscale xy\n"
           "set format '10^{%%L}'\nset key bottom right",
           s->problem);
  verify_panel(f, setup);
  begin_table(v, s, "formulation", "Plain start, a_0 = v'(0): largest error of lambda, and orders of the finest pair.");
  for (int m = 0; m < METHODS; m++)
    for (int g = 0; g < 2; g++) {
      verify_case c = {.method = methods[m], .formulation = g == 0 ? FLY_INDEX3 : FLY_GGL, .start = FLY_START_PLAIN};
      const errors e = find_errors(v, s, c);
      put_row(v, methods[m], verify_formulation_name(c.formulation), &e, s->steps);
      const double order = last_order(e.lambda, s->steps);
      if (g == 0) {
        lowest = isfinite(order) ? fmin(lowest, order) : -HUGE_VAL;
        highest = fmax(highest, order);
      }
      if (m != 2)
        continue;
      c.start = FLY_START_CORRECTED;
      const errors corrected = find_errors(v, s, c);
      draw(f, g == 0 ? "index 3, plain" : "GGL, plain", g == 0 ? "linespoints lc 1 pt 6" : "linespoints lc 2 pt 4", s,
           &e);
      draw(f, g == 0 ? "index 3, corrected" : "GGL, corrected",
           g == 0 ? "linespoints lc 1 pt 7" : "linespoints lc 2 pt 5", s, &corrected);
      if (g == 0)
        draw_slopes(f, s, 0.7 * e.lambda[0], 0.7 * corrected.lambda[0]);
    }
  verify_table_end(v);
  verify_check_near(v, lowest, 1, 0.1, "%s, plain start in index 3: lowest order in lambda", s->problem);
  verify_check_near(v, highest, 1, 0.1, "%s, plain start in index 3: highest order in lambda", s->problem);
}

// ---------------------------------------------------------------------------------------------- numerics.md

// Figures of a prototype that shares nothing with this code: largest lambda errors, each step half the one before.
typedef struct prototype {
  study s;
  const char *method;
  fly_start start;
  double lambda[3];
} prototype;

static const prototype prototypes[] = {
    {{"heavy-top", 0.2, 5e-4, 3}, "ch 0.6", FLY_START_CORRECTED, {0.542, 0.136, 0.0339}},
    {{"heavy-top", 0.2, 5e-4, 3}, "ch 0.6", FLY_START_PLAIN, {13.1, 6.67, 3.35}},
    {{"pendulum-family", 1, 4e-3, 3}, "ch 0.7", FLY_START_CORRECTED, {8.0e-3, 2.0e-3, 5.0e-4}},
    {{"pendulum-family", 1, 4e-3, 3}, "ch 0.7", FLY_START_PLAIN, {9.9e-2, 5.0e-2, 2.5e-2}},
};

static void check_prototypes(verify *v) {
  double worst = 0;
  verify_table_begin(v, "problem | method | start | T [s] | h [s] | prototype | ours | off",
                     "Largest error of lambda, index 3, against an independent prototype (two or three digits).");
  for (size_t i = 0; i < sizeof prototypes / sizeof prototypes[0]; i++) {
    const prototype *p = &prototypes[i];
    const errors e =
        find_errors(v, &p->s, (verify_case){.method = p->method, .formulation = FLY_INDEX3, .start = p->start});
    for (int k = 0; k < p->s.steps; k++) {
      const double off = 100 * (e.lambda[k] / p->lambda[k] - 1);
      verify_row(v, "%s | %s | %s | %g | %g | %.3g | %.4g | %+.1f %%", p->s.problem, p->method,
                 p->start == FLY_START_PLAIN ? "plain" : "corrected", p->s.end, ldexp(p->s.step, -k), p->lambda[k],
                 e.lambda[k], off);
      worst = fmax(worst, isfinite(off) ? fabs(off) : HUGE_VAL);
    }
  }
  verify_table_end(v);
  if (verify_check(v, worst, AT_MOST, 2, "largest deviation from the prototype in percent"))
    verify_note(
        v, "Without the cross term (1/12) omega x omega' in the offset E the prototype finds 6.37, 3.24, 1.62 on the "
           "heavy top, order 1: that our errors are 0.54, 0.14, 0.034 shows that the term is there and right.");
}

// ---------------------------------------------------------------------------------------------- residual form

static void check_forms(verify *v, const study *s) {
  const char *const names[] = {"acceleration", "residual", "residual-printed"};
  double order[3][3] = {{0}};
  char caption[300];
  snprintf(caption, sizeof caption,
           "%s, T = %g s, HHT(-0.3), index 3: the acceleration form, the residual form with M at "
           "q_0 + (1 - alpha_f) h v_0, and HHT (11a) as printed.",
           s->problem, s->end);
  begin_table(v, s, "form", caption);
  for (int form = 0; form < 3; form++) {
    const errors e =
        find_errors(v, s, (verify_case){.method = "hht -0.3", .formulation = FLY_INDEX3, .form = (fly_form)form});
    put_row(v, "hht -0.3", names[form], &e, s->steps);
    order[form][0] = last_order(e.q, s->steps);
    order[form][1] = last_order(e.v, s->steps);
    order[form][2] = last_order(e.lambda, s->steps);
  }
  verify_table_end(v);
  const char *const what[] = {"q", "v", "lambda"};
  for (int k = 0; k < 3; k++)
    verify_check_near(v, order[1][k], 2, 0.1, "%s, residual form, order in %s", s->problem, what[k]);
  for (int k = 0; k < 3; k += 2)
    verify_check_near(v, order[2][k], 1, 0.1, "%s, printed residual form (negative test), order in %s", s->problem,
                      what[k]);
}

void verify_orders(verify *v) {
  verify_figure f;
  verify_say(
      v, "Largest errors over the interval at fixed steps. hht has alpha = -0.3, wbz, ch and gen rho = 0.6, gen "
         "phi_0 = 1.5. `flyball problem NAME --method M --formulation F --step H --end T`. The order is that of the "
         "finest pair, log2(error(2h)/error(h)); it must be 2.0 +- 0.1 in q, v and lambda.");
  for (int i = 0; i < 3; i++)
    check_family(v, &studies[i]);
  verify_say(v,
             "With a plain start lambda is of first order in index 3: the transient error of the first steps is O(h). "
             "The seven-body mechanism starts at rest, where the two starts agree.");
  verify_figure_begin(&f, v, "order-start");
  for (int i = 0; i < 2; i++)
    check_plain(v, &studies[i], &f);
  verify_figure_end(&f, v, "Largest error of lambda over h, plain and corrected start, CH(0.6).");
  check_prototypes(v);
  check_forms(v, &studies[2]);
}

// ---------------------------------------------------------------------------------------------- alternating steps

enum { SEQUENCE_STEPS = 5 };

typedef struct sequence_errors {
  double q[SEQUENCE_STEPS], v[SEQUENCE_STEPS], vdot[SEQUENCE_STEPS], x[SEQUENCE_STEPS];
} sequence_errors;

static sequence_errors run_sequence(verify *v, fly_step_change change, const double *H) {
  static const double fractions[2] = {0.3, 0.7};
  sequence_errors e;
  for (int i = 0; i < SEQUENCE_STEPS; i++) {
    const verify_case c = {.problem = "spring-mass",
                           .method = "ch 0.8",
                           .change = change,
                           .step = H[i],
                           .sequence = fractions,
                           .nsequence = 2,
                           .end = 5};
    const verify_result r = verify_run(v, &c, true, NULL, NULL);
    e.q[i] = r.q;
    e.v[i] = r.v;
    e.vdot[i] = r.vdot;
    e.x[i] = r.x;
  }
  return e;
}

void verify_sequence(verify *v) {
  static const char *const names[] = {"shift", "gamma", "none"};
  const double H[SEQUENCE_STEPS] = {0.1, 0.05, 0.025, 0.0125, 0.00625};
  verify_say(v,
             "The controlled spring-mass system of GENALPHA with CH(0.8) for q and x, as in the paper; every step H is "
             "divided into 0.3 H and 0.7 H; largest errors up to t = 5 s. `flyball problem spring-mass --rho 0.8 "
             "--sequence 0.3,0.7 --step H --end 5 --step-change C`. Orders of the finest pair.");
  verify_table_begin(v, "step change | H = 0.1: q | x | H = 0.00625: q | v | v' | x | order q | v | v' | x",
                     "Largest errors and orders.");
  double order[3][4];
  for (int c = 0; c < 3; c++) {
    const sequence_errors e = run_sequence(v, (fly_step_change)c, H);
    const double *all[] = {e.q, e.v, e.vdot, e.x};
    for (int k = 0; k < 4; k++)
      order[c][k] = last_order(all[k], SEQUENCE_STEPS);
    const int n = SEQUENCE_STEPS - 1;
    verify_row(v, "%s | %.2e | %.2e | %.2e | %.2e | %.2e | %.2e | %.3f | %.3f | %.3f | %.3f", names[c], e.q[0], e.x[0],
               e.q[n], e.v[n], e.vdot[n], e.x[n], order[c][0], order[c][1], order[c][2], order[c][3]);
  }
  verify_table_end(v);
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 4; k++)
      verify_check_near(v, order[c][k], c < 2 ? 2 : 1, 0.1, "step change %s: order in %s", names[c],
                        (const char *const[]){"q", "v", "v'", "x"}[k]);
}
