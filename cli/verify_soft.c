// Constraints that give way: FAMILY Figs. 1.3, 6.6 and 6.8; the others in verify_soft_limits.c, verify_soft_start.c
// and verify_hmm.c.
#include <math.h>

#include "verify.h"

// ---------------------------------------------------------------------------------------------- Fig. 1.3

enum { PARAMETERS = 11 }; // 1e-2, 1e-3, ... 1e-12

typedef struct disturbed {
  const char *label, *style;
  fly_soft_form form;
  double q, v; // of the start
} disturbed;

// The error at t = 2 for each epsilon^2 or delta.
static void fall(verify *v, verify_figure *f, const disturbed *d, double e[PARAMETERS]) {
  verify_curve(f, d->label, d->style);
  for (int i = 0; i < PARAMETERS; i++) {
    const double parameter = pow(10, -2 - i);
    const verify_case c = {.problem = "pendulum-family",
                           .method = "ch 0.7",
                           .start = FLY_START_PLAIN,
                           .step = 2e-3,
                           .end = 2,
                           .softness = d->form == FLY_SOFT_STIFF ? sqrt(parameter) : parameter,
                           .soft = d->form,
                           .disturb_q = d->q,
                           .disturb_v = d->v};
    e[i] = verify_run(v, &c, true, NULL, NULL).end_q;
    verify_point(f, parameter, e[i]);
  }
  verify_row(v, "%s | %.1e | %.1e | %.1e | %.1e | %.1e | %.1e", d->label, e[0], e[2], e[4], e[6], e[8], e[10]);
}

static void verify_disturbed(verify *v) {
  static const double h = 2e-3;
  static const disturbed runs[] = {
      {"springs, start on the constraint", "linespoints lc 1 pt 7", FLY_SOFT_STIFF, 0, 0},
      {"springs, Δq = h²", "linespoints lc 1 pt 6 dt 2", FLY_SOFT_STIFF, h * h, 0},
      {"dampers, start on the constraint", "linespoints lc 2 pt 7", FLY_SOFT_DAMPED, 0, 0},
      {"dampers, Δq = h²", "linespoints lc 2 pt 6 dt 2", FLY_SOFT_DAMPED, h * h, 0},
      {"dampers, Δv = h", "linespoints lc 2 pt 4 dt 3", FLY_SOFT_DAMPED, 0, h},
  };
  verify_figure f;
  double e[5][PARAMETERS];
  verify_heading(v, "Fig. 1.3: disturbed starts");
  verify_say(
      v,
      "The pendulum of FAMILY chapter 1 by CH(0.7), h = 2e-3, plain start: the rod is a spring 1/epsilon^2 or a damper "
      "1/delta, its force an unknown; the start is moved to q (1 + Δq), v + Δv (1, 1). The paper prints a figure "
      "without "
      "numbers and says: the error falls with epsilon and delta; \"if the deviation from g = 0 is in the magnitude of "
      "h^2 "
      "the spring model does not approximate the original model sufficiently accurate anymore. This [..] may be "
      "avoided "
      "if we change to the damper model. If the deviation from dg/dt becomes larger, even the damper model does no "
      "longer converge\".");
  verify_figure_begin(&f, v, "soft-start");
  verify_panel(
      &f, "set title 'pendulum-family, CH(0.7), h = 2e-3 s, t = 2 s'\nset xlabel 'ε², δ'\nset ylabel '|error of q|'\n"
          "set logscale xy\nset format xy '10^{%L}'\nset key below");
  verify_table_begin(v, "start | 1e-2 | 1e-4 | 1e-6 | 1e-8 | 1e-10 | 1e-12",
                     "Distance from the rigid pendulum at t = 2 for epsilon^2 or delta.");
  for (int i = 0; i < 5; i++)
    fall(v, &f, &runs[i], e[i]);
  verify_table_end(v);
  verify_check(v, e[0][10], AT_MOST, 1e-3, "springs from the constraint: error at epsilon^2 = 1e-12");
  verify_check(v, e[1][10] / e[0][10], AT_LEAST, 100, "springs, Δq = h²: error over that from the constraint");
  verify_check(v, e[3][10], AT_MOST, 1e-3, "dampers, Δq = h²: error at delta = 1e-12");
  verify_check(v, e[4][10] / e[2][10], AT_LEAST, 100, "dampers, Δv = h: error over that from the constraint");
  verify_figure_end(&f, v, "Deviation from the rigid pendulum for disturbed starts (FAMILY Fig. 1.3).");
}

// ---------------------------------------------------------------------------------------------- Figs. 6.6, 6.8

typedef struct family {
  const char *name, *problem, *method, *letter;
  fly_soft_form form;
  double end, step; // the largest step, halved again and again
  double parameter; // the largest, a tenth again and again
  int order;        // in the parameter
} family;

enum { STEPS = 6, SOFT = 5 };

static double error_of(verify *v, const family *m, double h, double parameter) {
  const verify_case c = {
      .problem = m->problem, .method = m->method, .step = h, .end = m->end, .softness = parameter, .soft = m->form};
  const verify_result r = verify_run(v, &c, true, NULL, NULL);
  return m->form == FLY_SOFT_DAMPED ? fmax(r.q, r.v) : r.q;
}

static void draw(verify_figure *f, const family *m, double e[SOFT][STEPS]) {
  char title[64];
  for (int k = 0; k < SOFT; k++) {
    snprintf(title, sizeof title, "%s = %.0e", m->letter, m->parameter * pow(10, -k));
    verify_curve(f, title, "linespoints");
    for (int i = 0; i < STEPS; i++)
      verify_point(f, m->step * pow(2, -i), e[k][i]);
  }
}

static void measure_orders(verify *v, const family *m) {
  double e[SOFT][STEPS];
  verify_figure f;
  char head[96];
  snprintf(head, sizeof head, "%s | h = %.0e | h/2 | h/4 | h/8 | h/16 | h/32", m->letter, m->step);
  verify_table_begin(v, head, "Largest error of %s against the rigid motion.",
                     m->form == FLY_SOFT_DAMPED ? "q and v" : "q");
  for (int k = 0; k < SOFT; k++) {
    for (int i = 0; i < STEPS; i++) {
      verify_progress(v, "%s, %s %.0e", m->problem, m->letter, m->parameter * pow(10, -k));
      e[k][i] = error_of(v, m, m->step * pow(2, -i), m->parameter * pow(10, -k));
    }
    verify_row(v, "%.0e | %.1e | %.1e | %.1e | %.1e | %.1e | %.1e", m->parameter * pow(10, -k), e[k][0], e[k][1],
               e[k][2], e[k][3], e[k][4], e[k][5]);
  }
  verify_table_end(v);
  verify_check_near(v, verify_order(e[SOFT - 1][2], e[SOFT - 1][3], 2), 2, 0.15, "%s: order in h", m->problem);
  verify_check_near(v, verify_order(e[0][STEPS - 1], e[1][STEPS - 1], 10), m->order, 0.15, "%s: order in %s",
                    m->problem, m->letter);
  verify_figure_begin(&f, v, m->name);
  verify_panel(
      &f, "set xlabel 'h [s]'\nset ylabel 'largest error'\nset logscale xy\nset format xy '10^{%L}'\nset key below");
  draw(&f, m, e);
  verify_figure_end(&f, v, "%s by %s, against the rigid motion.", m->problem, m->method);
}

void verify_soft(verify *v) {
  static const family damped = {.name = "soft-damped",
                                .problem = "seven-body",
                                .method = "ch 0.75",
                                .letter = "delta",
                                .form = FLY_SOFT_DAMPED,
                                .end = 0.03,
                                .step = 2e-4,
                                .parameter = 1e-4,
                                .order = 1};
  static const family stiff = {.name = "soft-stiff",
                               .problem = "double-pendulum",
                               .method = "ch 0.8",
                               .letter = "epsilon",
                               .form = FLY_SOFT_STIFF,
                               .end = 1,
                               .step = 1e-2,
                               .parameter = 1e-2,
                               .order = 2};
  verify_disturbed(v);
  verify_soft_start(v);
  verify_averages(v);
  if (v->quick)
    return;
  verify_heading(v, "Fig. 6.6: a strongly damped mechanism");
  verify_say(v, "Seven-body by CH(0.75) to 0.03 s, hinges as dampers 1/delta. The paper: second order in h, and for "
                "small h the error "
                "saturates at a level that grows linearly with delta (Corollary 5.33).");
  measure_orders(v, &damped);
  verify_heading(v, "Fig. 6.8: a stiff mechanism");
  verify_say(v, "The double pendulum by CH(0.8) to 1 s, rods as springs 1/epsilon^2. The paper: second order in h and "
                "in epsilon.");
  measure_orders(v, &stiff);
  verify_soft_limits(v);
}
