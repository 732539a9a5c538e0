// Damped methods beside the Newmark family: FAMILY Fig. 4.9, the weight misprinted in (4.34), and what accuracy costs.
#include <math.h>

#include "verify.h"

static fly_tableau tableau_of(const char *name, double rho, double z0) {
  fly_method_request r = fly_method_request_default();
  fly_tableau t = {0};
  r.name = name;
  r.rho = rho;
  r.z0 = z0;
  fly_tableau_make(&t, &r, NULL);
  return t;
}

// ---------------------------------------------------------------------------------------------- Fig. 4.9

typedef struct example {
  const char *name;
  double rho, z0;
  int panel;
} example;

static const example EXAMPLES[] = {
    {"lobatto-cd", 0.3, NAN, 0}, {"lobatto-cd", 0.8, NAN, 0}, {"lobatto-acd", 0.3, 3, 0}, {"lobatto-acd", 0.3, 10, 0},
    {"lobatto-acd", 0.8, 3, 0},  {"lobatto-acd", 0.8, 10, 0}, {"sdirk", 0.3, NAN, 1},     {"sdirk", 0.8, NAN, 1},
    {"bdf-alpha", 0.3, NAN, 1},  {"bdf-alpha", 0.8, NAN, 1},  {"ch-first", 0.3, NAN, 1},  {"ch-first", 0.8, NAN, 1}};
enum { NEXAMPLE = sizeof EXAMPLES / sizeof *EXAMPLES };

typedef struct curve {
  double infinity, largest, least, at_z0;
} curve;

static curve draw(verify_figure *f, const example *x) {
  const fly_tableau t = tableau_of(x->name, x->rho, x->z0);
  char title[64];
  double re[2], im[2];
  curve c = {.least = 1, .at_z0 = isnan(x->z0) ? (double)NAN : fly_tableau_roots(re, im, &t, x->z0)};
  snprintf(title, sizeof title, isnan(x->z0) ? "%s(%g)" : "%s(%g, %g)", x->name, x->rho, x->z0);
  verify_curve(f, title, "lines");
  for (double z = 1e-2; z < 1e4; z *= 1.05) {
    const double radius = fly_tableau_roots(re, im, &t, z);
    c.largest = fmax(c.largest, radius);
    c.least = fmin(c.least, radius);
    verify_point(f, z, radius);
  }
  c.infinity = fly_tableau_roots(re, im, &t, INFINITY);
  return c;
}

static void verify_blends(verify *v) {
  static const char *const setups[] = {
      "set title 'blended Lobatto, two stages'\nset xlabel 'z = hω'\nset logscale x\nset format x '10^{%L}'\n"
      "set yrange [0:1.05]\nset key bottom left",
      "set title 'SDIRK, BDF-α, generalized-α of first order'\nset xlabel 'z = hω'\nset logscale x\n"
      "set format x '10^{%L}'\nset yrange [0:1.05]\nset key bottom left"};
  verify_figure f;
  double off = 0, above = 0, miss = 0, dip = 0;
  verify_heading(v, "Fig. 4.9: amplification of the rivals");
  verify_say(v,
             "Methods of Remark 4.22 on q'' + omega^2 q = 0. The paper, without numbers: the amplification at infinity "
             "is rho, "
             "that of A-C-D(rho, z0) is (1 + rho)/2 at z0; C-D \"may obtain non-monotone dissipation behavior along "
             "the imaginary axis\"; SDIRK is A-stable. Its z0 are not in the text.");
  verify_figure_begin(&f, v, "rivals-damping");
  verify_table_begin(v, "method | rho | z0 | at infinity | at z0 | largest | least", "Spectral radii.");
  for (int i = 0; i < NEXAMPLE; i++) {
    const example *x = &EXAMPLES[i];
    if (i == 0 || x->panel != x[-1].panel)
      verify_panel(&f, setups[x->panel]);
    const curve c = draw(&f, x);
    verify_row(v, "%s | %g | %g | %.6f | %.6f | %.6f | %.3f", x->name, x->rho, x->z0, c.infinity, c.at_z0, c.largest,
               c.least);
    off = fmax(off, fabs(c.infinity - x->rho));
    above = fmax(above, c.largest);
    miss = isnan(x->z0) ? miss : fmax(miss, fabs(c.at_z0 - (1 + x->rho) / 2));
    dip = i < 2 ? fmax(dip, x->rho - c.least) : dip;
  }
  verify_table_end(v);
  verify_figure_end(&f, v, "Damping of the rivals (FAMILY Fig. 4.9).");
  verify_check(v, off, AT_MOST, 1e-7, "largest |radius at infinity - rho|");
  verify_check(v, above, AT_MOST, 1 + 1e-12, "largest radius");
  verify_check(v, miss, AT_MOST, 1e-10, "A-C-D: largest |radius at z0 - (1 + rho)/2|");
  verify_check(v, dip, AT_LEAST, 0.01, "C-D: how far below its rho a radius is");
}

// ---------------------------------------------------------------------------------------------- (4.34)

// nu_D instead of the one in t: a11 = (1 - nu_A)/2 - nu_D/4, a21 = 1/2 + nu_D/4.
static fly_tableau with_weight(fly_tableau t, double nu_d) {
  const double nu_a = 2 * (t.a[1][1] - t.a[0][0]), a11 = (1 - nu_a) / 2 - nu_d / 4;
  t.a[0][0] = a11;
  t.a[0][1] = -a11;
  t.a[1][0] = 0.5 + nu_d / 4;
  t.a[1][1] = a11 + nu_a / 2;
  return t;
}

static void verify_weight(verify *v) {
  static const double rhos[] = {0.3, 0.8}, z0[] = {3, 10};
  double least = INFINITY, right = 0, re[2], im[2];
  verify_heading(v, "(4.34): a weight that is misprinted");
  verify_say(v,
             "nu_D of A-C-D(rho, z0) as printed, -(2 rho nu_A - rho)/(rho + 1), and as |R(infinity)| = rho asks for, "
             "2 rho (1 - nu_A)/(1 + rho). nu_A is as printed in both.");
  verify_table_begin(v, "rho | z0 | printed: at infinity | at z0 | corrected: at infinity | at z0", "Amplification.");
  for (int i = 0; i < 4; i++) {
    const double rho = rhos[i / 2], z = z0[i % 2];
    const fly_tableau t = tableau_of("lobatto-acd", rho, z);
    const double nu_a = 2 * (t.a[1][1] - t.a[0][0]);
    const fly_tableau printed = with_weight(t, -(2 * rho * nu_a - rho) / (rho + 1)),
                      same = with_weight(t, 2 * rho * (1 - nu_a) / (1 + rho));
    const double p[2] = {fly_tableau_roots(re, im, &printed, INFINITY), fly_tableau_roots(re, im, &printed, z)};
    const double c[2] = {fly_tableau_roots(re, im, &same, INFINITY), fly_tableau_roots(re, im, &same, z)};
    verify_row(v, "%g | %g | %.4f | %.4f | %.4f | %.4f", rho, z, p[0], p[1], c[0], c[1]);
    least = fmin(least, fmin(fabs(p[0] - rho), fabs(p[1] - (1 + rho) / 2)));
    right = fmax(right, fmax(fabs(c[0] - rho), fabs(c[1] - (1 + rho) / 2)));
  }
  verify_table_end(v);
  verify_check(v, right, AT_MOST, 1e-10, "corrected weight: largest deviation from rho and (1 + rho)/2");
  verify_check(v, least, AT_LEAST, 0.04, "printed weight: smallest deviation");
}

// ---------------------------------------------------------------------------------------------- work and precision

enum { STEPS = 4 };

typedef struct contest {
  const char *problem;
  double end, step;
} contest;

typedef struct entrant {
  const char *method;
  fly_formulation formulation;
} entrant;

static const entrant ENTRANTS[] = {{"ch 0.8", FLY_GGL},
                                   {"ch 0.8", FLY_INDEX2},
                                   {"ch-first 0.8", FLY_INDEX2},
                                   {"bdf-alpha 0.8", FLY_INDEX2},
                                   {"sdirk 0.8", FLY_INDEX2},
                                   {"lobatto-cd 0.8", FLY_INDEX2},
                                   {"lobatto-acd 0.8 3", FLY_INDEX2},
                                   {"radau", FLY_GGL}};
enum { NENTRANT = sizeof ENTRANTS / sizeof *ENTRANTS };

// Work at which an error is reached, along the line through both ends.
static double work_for(const double *work, const double *error, double wanted) {
  const double slope = log(error[0] / error[STEPS - 1]) / log(work[0] / work[STEPS - 1]);
  return work[0] * pow(wanted / error[0], 1 / slope);
}

static double compete(verify *v, verify_figure *f, const contest *p, const entrant *x, double wanted, double *order) {
  double work[STEPS], error[STEPS];
  char title[64];
  snprintf(title, sizeof title, "%s, %s", x->method, verify_formulation_name(x->formulation));
  verify_curve(f, title, "linespoints");
  for (int i = 0; i < STEPS; i++) {
    const verify_case c = {.problem = p->problem,
                           .method = x->method,
                           .formulation = x->formulation,
                           .step = p->step * pow(2, -i),
                           .end = p->end};
    verify_progress(v, "%s, %s", p->problem, x->method);
    const verify_result r = verify_run(v, &c, true, NULL, NULL);
    work[i] = r.stats.work;
    error[i] = r.weighted;
    verify_point(f, work[i], error[i]);
  }
  *order = verify_order(error[1], error[2], 2);
  const double needed = work_for(work, error, wanted);
  verify_row(v, "%s | %s | %.1e | %.1e | %.1e | %.1e | %.2f | %.3g", x->method, verify_formulation_name(x->formulation),
             error[0], error[1], error[2], error[3], *order, needed / 1e6);
  return needed;
}

static void verify_contest(verify *v, const contest *p, double wanted) {
  verify_figure f;
  char name[64], setup[300];
  double needed[NENTRANT], least = INFINITY;
  snprintf(name, sizeof name, "rivals-%s", p->problem);
  snprintf(setup, sizeof setup,
           "set title '%s, fixed steps'\nset xlabel 'work [products]'\nset ylabel 'largest error'\n"
           "set logscale xy\nset format xy '10^{%%L}'\nset key below",
           p->problem);
  verify_figure_begin(&f, v, name);
  verify_panel(&f, setup);
  verify_table_begin(v, "method | formulation | h | h/2 | h/4 | h/8 | order | 10^6 products",
                     "%s, h = %g s: largest weighted error of q, and the counted work at which it would be %g.",
                     p->problem, p->step, wanted);
  for (int k = 0; k < NENTRANT; k++) {
    double order;
    needed[k] = compete(v, &f, p, &ENTRANTS[k], wanted, &order);
    least = fmin(least, order);
  }
  verify_table_end(v);
  verify_figure_end(&f, v, "Error and work at fixed steps, %s.", p->problem);
  verify_check(v, least, AT_LEAST, 1.9, "%s: least order", p->problem);
  verify_check(v, needed[NENTRANT - 1] / needed[0], AT_MOST, 1, "%s: work of radau over that of ch, ggl, for %g",
               p->problem, wanted);
}

void verify_rivals(verify *v) {
  static const contest list[] = {{"pendulum-family", 2, 8e-3}, {"seven-body", 0.02, 8e-5}};
  verify_damping(v);
  verify_blends(v);
  verify_weight(v);
  verify_heading(v, "Work and precision at fixed steps");
  verify_say(v, "rho = 0.8 and fixed steps h, h/2, h/4, h/8. Work is counted in products with an entry of triangular "
                "factors, evaluations included (docs/theory/auto.md); it is what is compared, not time.");
  for (int i = 0; i < (v->quick ? 1 : 2); i++)
    verify_contest(v, &list[i], 1e-5);
}
