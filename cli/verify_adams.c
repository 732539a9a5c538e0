// flyball verify adams: the tables of DADS 7.4 by its own formulas, and what the code of variable order and step needs
// on the same problem.
#include <math.h>

#include "verify.h"

// y' = y, y(0) = 1. user: evaluations so far.
static int exponential(double *f, double t, const double *y, void *user) {
  (void)t;
  long *count = user;
  ++*count;
  f[0] = y[0];
  return 0;
}

// The text's formula of order k after `steps` steps h.
static double fixed(fly_adams_formula formula, int k, double h, long steps, long *count) {
  const fly_adams_fixed a = {.f = exponential, .user = count, .n = 1, .formula = formula, .order = k};
  double y = 1;
  *count = 0;
  return fly_adams_run_fixed(&a, &y, 0, h, steps, NULL) == FLY_OK ? y : (double)NAN;
}

// ---------------------------------------------------------------------------------------------- the tables

enum { ORDERS = 5, POINTS = 10 };

// As printed.
static const double table_6[POINTS][ORDERS] = {
    {1.100000, 1.100000, 1.100000, 1.100000, 1.100000}, {1.210000, 1.215000, 1.215000, 1.215000, 1.215000},
    {1.331000, 1.342250, 1.342875, 1.342875, 1.342875}, {1.464100, 1.482838, 1.484093, 1.484013, 1.484013},
    {1.610510, 1.638151, 1.640119, 1.640038, 1.640126}, {1.771561, 1.809731, 1.812549, 1.812525, 1.812679},
    {1.948717, 1.999284, 2.003109, 2.003146, 2.003305}, {2.143589, 2.208689, 2.213703, 2.213811, 2.213988},
    {2.357948, 2.440029, 2.446348, 2.446631, 2.446842}, {2.593742, 2.695599, 2.703641, 2.703938, 2.704177}};

static void verify_table_6(verify *v) {
  int agree = 0;
  long count;
  verify_table_begin(v, "i | k = 1 | k = 2 | k = 3 | k = 4 | k = 5 | print differs",
                     "Table 7.4.6: e^(0.1 i) by Adams-Bashforth predictors, h = 0.1.");
  for (int i = 0; i < POINTS; i++) {
    double y[ORDERS];
    char differs[40] = "";
    for (int k = 0; k < ORDERS; k++) {
      y[k] = fixed(FLY_ADAMS_BASHFORTH, k + 1, 0.1, i + 1, &count);
      if (fabs(y[k] - table_6[i][k]) <= 0.51e-6)
        agree++;
      else
        snprintf(differs, sizeof differs, "k = %d: %.6f", k + 1, table_6[i][k]);
    }
    verify_row(v, "%d | %.6f | %.6f | %.6f | %.6f | %.6f | %s", i + 1, y[0], y[1], y[2], y[3], y[4], differs);
  }
  verify_table_end(v);
  verify_check(v, agree, AT_LEAST, POINTS * ORDERS - 1, "Table 7.4.6, numbers of 50 that agree in all printed digits");
  verify_note(
      v, "The one that does not, 2.446348 for i = 9, k = 3, has two digits exchanged: the error printed beside it, "
         "0.535 %%, is that of 2.446438, ours.");
}

typedef struct summary {
  const char *name;
  fly_adams_formula formula;
  double h;
  double printed[ORDERS];
  double right[ORDERS]; // where the print is wrong: what the formulas give, computed apart from this program; 0: print
  double unit;          // of the last digit printed
} summary;

static const summary summaries[] = {
    {"7.4.8", FLY_ADAMS_BASHFORTH, 0.1, {13780.612, 21090.171, 21841.518, 21904.347, 21911.635}, {0}, 1e-3},
    {"7.4.9", FLY_ADAMS_BASHFORTH, 0.01, {20959.155, 22016.255, 22025.280, 22025.356, 22025.361}, {0}, 1e-3},
    {"7.4.11",
     FLY_ADAMS_PECE,
     0.1,
     {21688.414370387, 21980.499079835, 21994.743244024, 21990.708589885, 21986.702800628},
     {0, 21997.230964, 22020.660495, 22022.572665, 22022.740598},
     1e-6},
    {"7.4.12",
     FLY_ADAMS_PECE,
     0.01,
     {22022.822441367, 22026.251549431, 22026.188149769, 22026.130130982, 22026.088790048},
     {0, 22026.433429, 22026.461874, 22026.462117, 22026.462120},
     1e-6}};

static void verify_summary(verify *v, const summary *s) {
  double worst = 0;
  long count;
  verify_table_begin(v, "k | printed | ours | expected | error | evaluations",
                     "Table %s: e^10 = 22026.465795 by %s, h = %g.", s->name,
                     s->formula == FLY_ADAMS_PECE ? "predictor and corrector" : "Adams-Bashforth predictors", s->h);
  for (int k = 0; k < ORDERS; k++) {
    const double y = fixed(s->formula, k + 1, s->h, lround(10 / s->h), &count);
    const double expected = s->right[k] > 0 ? s->right[k] : s->printed[k];
    worst = fmax(worst, fabs(y - expected) / s->unit);
    verify_row(v, "%d | %.6f | %.6f | %s | %.6f | %ld", k + 1, s->printed[k], y,
               s->right[k] > 0 ? "corrected" : "print", y - exp(10), count);
  }
  verify_table_end(v);
  verify_check(v, worst, AT_MOST, 1, "Table %s, largest deviation in units of the last digit", s->name);
}

// ---------------------------------------------------------------------------------------------- variable order and
// step

static double variable(double error, fly_adams_stats *stats, long *count) {
  const fly_adams_problem p = {.n = 1, .f = exponential, .user = count};
  fly_adams_options o = fly_adams_options_default();
  o.error = error;
  o.relative = true;
  double y = 1;
  *count = 0;
  return fly_adams_run(&p, &o, &y, 0, 10, stats, NULL) == FLY_OK ? y : (double)NAN;
}

static double relative_error(double y) { return fabs(y / exp(10) - 1); }

// Evaluations of the best fixed-step formula that reaches the error, by its curve; of the variable code at that error.
static void draw_fixed(verify_figure *f, int k, double *error, long *count) {
  char title[64], style[64];
  snprintf(title, sizeof title, "fixed steps, k = %d", k);
  snprintf(style, sizeof style, "linespoints lc %d pt %d", k, 4 + k);
  verify_curve(f, title, style);
  *error = HUGE_VAL;
  for (long steps = 50; steps <= 51200; steps *= 2) {
    const double e = relative_error(fixed(FLY_ADAMS_PECE, k, 10.0 / (double)steps, steps, count));
    verify_point(f, (double)*count, e);
    *error = e;
  }
}

void verify_adams(verify *v) {
  verify_say(
      v,
      "The initial-value problem y' = y, y(0) = 1 by the formulas of DADS 7.4 as the text has them: equal steps, order "
      "rising by one from step to step to k. gamma_5 is 95/288 in place of the misprinted 95/298. Tables 7.4.11 and "
      "7.4.12 are wrong in print "
      "for k >= 2; expected there is what the formulas give.");
  verify_table_6(v);
  for (size_t i = 0; i < sizeof summaries / sizeof *summaries; i++)
    verify_summary(v, &summaries[i]);
  verify_heading(v, "Variable order and step");
  verify_say(v,
             "The same problem to t = 10 by the code of variable order and step, asked for a relative error per run.");
  verify_figure f;
  verify_figure_begin(&f, v, "adams");
  verify_panel(
      &f,
      "set xlabel 'evaluations of f'\nset ylabel 'relative error at t = 10'\nset logscale xy\nset format y '10^{%L}'\n"
      "set key top right\nset yrange [1e-15:1e2]");
  double fixed_error = 0, reached = 0;
  long fixed_count = 0, count = 0;
  for (int k = 1; k <= ORDERS; k += 2)
    draw_fixed(&f, k, &fixed_error, &fixed_count);
  verify_curve(&f, "variable order and step", "linespoints lc 8 lw 2 pt 7");
  verify_table_begin(v, "asked | error | steps | rejected | evaluations | highest order",
                     "Adams-Bashforth-Moulton, variable order and step.");
  for (int i = 4; i <= 12; i += 2) {
    fly_adams_stats stats = {0};
    const double e = relative_error(variable(pow(10, -i), &stats, &count));
    verify_point(&f, (double)count, e);
    verify_row(v, "1e-%02d | %.1e | %ld | %ld | %ld | %d", i, e, stats.steps, stats.rejected_error, count,
               stats.order_highest);
    if (i == 10) {
      reached = e;
      verify_check(v, e, AT_MOST, 1e-10, "error of the variable code asked for 1e-10");
      verify_check(v, (double)count, AT_MOST, 400, "its evaluations");
    }
  }
  verify_table_end(v);
  verify_figure_end(
      &f, v,
      "Error against evaluations: the text's formulas of order k with equal steps, and variable order and step.");
  verify_check(v, fixed_error / reached, AT_LEAST, 1,
               "error of the fixed formulas with k = 5 and %ld evaluations over that of the variable code",
               fixed_count);
}
