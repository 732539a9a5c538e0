#include "margins.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "plot.h"

static const double TAU = 6.283185307179586;
enum { MOST_SHOWN = 6 };

static double decibels(double factor) { return 20 * log10(factor); }

static void print_at(double frequency) {
  if (frequency == 0)
    printf(" at frequency 0\n");
  else if (isinf(frequency))
    printf(" at high frequencies\n");
  else
    printf(" at %.6g rad/s (%.6g Hz)\n", frequency, frequency / TAU);
}

static void print_factor(const char *label, double factor, double frequency, const char *none) {
  printf("  %-22s", label);
  if (isnan(frequency)) {
    printf("%s\n", none);
    return;
  }
  printf("%.6g (%.4g dB)", factor, decibels(factor));
  print_at(frequency);
}

static const char *plural(int n) { return n == 1 ? "" : "s"; }

static int on_axis(const fly_loop *l) { return l->closed_axis - l->closed_untouched; }

static void print_stability(const fly_loop *l) {
  printf("  %-22s", "closed loop");
  if (l->closed_unstable > 0)
    printf("UNSTABLE: %d pole%s right of the axis", l->closed_unstable, plural(l->closed_unstable));
  else if (on_axis(l) > 0)
    printf("not stable: %d pole%s on the axis", on_axis(l), plural(on_axis(l)));
  else
    printf("stable");
  printf(", the rightmost at %.6g", l->rightmost);
  if (l->rightmost_imag > 0)
    printf(" +- %.6gi", l->rightmost_imag);
  printf(" 1/s\n  %-22s%d pole%s right of the axis, %d on it; L goes round -1 %d time%s", "open loop", l->open_unstable,
         plural(l->open_unstable), l->open_axis, abs(l->encirclements), plural(abs(l->encirclements)));
  printf(l->encirclements == 0 ? "\n" : l->encirclements > 0 ? ", counterclockwise\n" : ", clockwise\n");
}

static void print_phase(const fly_loop *l) {
  printf("  %-22s", "phase margin");
  if (isnan(l->phase_at))
    printf("none: |L| is nowhere 1\n");
  else {
    printf("%.6g deg", l->phase);
    print_at(l->phase_at);
    if (l->closed_unstable + on_axis(l) == 0) {
      printf("  %-22s%.6g s", "delay margin", l->delay);
      print_at(l->delay_at);
    }
  }
}

static void print_crossings(const char *label, const fly_loop_crossing *x, int n) {
  printf("\n  %s\n%18s %14s %12s %14s\n", label, "rad/s", "Hz", "|L|", "lag left, deg");
  for (int k = 0; k < n && k < MOST_SHOWN; k++)
    printf("%18.9g %14.6g %12.6g %14.6g\n", x[k].frequency, x[k].frequency / TAU, x[k].gain, x[k].phase);
  if (n > MOST_SHOWN)
    printf("  and %d more (--json)\n", n - MOST_SHOWN);
}

static void print_notes(const fly_loop *l) {
  if (l->closed_untouched > 0)
    printf("  note: %d pole%s on the axis that the loop does not move, such as of what may turn on freely\n",
           l->closed_untouched, plural(l->closed_untouched));
  if (l->closed_unstable > 0 || on_axis(l) > 0)
    printf("  note: the loop is not stable as it is; the margins say where a pole is on the axis, not what is left\n");
  if (l->held > 0)
    printf("  note: %d number%s that events set %s constant here; what goes round through samples is not in L\n",
           l->held, plural(l->held), l->held == 1 ? "is" : "are");
  if (l->delays > 0)
    printf("  note: %d delay%s as exp(-s T), %s\n", l->delays, plural(l->delays),
           "by no rational function; poles by Chebyshev's polynomials, then exactly");
  if (!l->whole)
    printf("  note: looked at up to %.6g rad/s only: the curve is too rough to go on\n", l->to);
}

void cli_print_loop(const fly_loop *l) {
  printf("\nLoop opened at `%s`: L = -(what it becomes)/(what is put in its place), closed it is 1 + L = 0\n",
         l->variable);
  print_stability(l);
  print_factor("gain margin, up", l->gain_up, l->gain_up_at, "none: no larger gain puts a pole on the axis");
  print_factor("gain margin, down", l->gain_down, l->gain_down_at, "none: no smaller gain puts a pole on the axis");
  print_phase(l);
  printf("  %-22s%.6g (|S| = |1/(1 + L)|; L comes as near to -1 as %.4g)", "peak of sensitivity", l->peak, 1 / l->peak);
  print_at(l->peak_at);
  printf("  %-22s", "bandwidth");
  if (isnan(l->bandwidth))
    printf("none: |L/(1 + L)| does not fall through 0.707 for good\n");
  else
    printf("%.6g rad/s (%.6g Hz), above which |L/(1 + L)| < 0.707\n", l->bandwidth, l->bandwidth / TAU);
  if (l->ncrossover > 1)
    print_crossings("where |L| = 1", l->crossover, l->ncrossover);
  if (l->nreal > 1)
    print_crossings("where L is real and negative", l->real, l->nreal);
  print_notes(l);
}

// ---------------------------------------------------------------------------------------------- curves

// Without its jumps by a turn.
static void unwrap(double *phase, int n) {
  for (int k = 1; k < n; k++)
    phase[k] -= 360 * round((phase[k] - phase[k - 1]) / 360);
}

// Nyquist's curve with its mirror image, where it is not far outside; and -1.
static bool plot_nyquist(const fly_loop *l, const cli_plot_style *style) {
  const double far = 3;
  const size_t n = (size_t)l->count, all = 2 * n + 3;
  double *x = malloc(all * sizeof *x), *y = malloc(all * sizeof *y);
  bool good = x != NULL && y != NULL;
  for (size_t k = 0; good && k < n; k++) {
    const bool seen = hypot(l->re[k], l->im[k]) < far;
    x[k] = x[all - 1 - k] = seen ? l->re[k] : (double)NAN;
    y[k] = seen ? l->im[k] : (double)NAN;
    y[all - 1 - k] = -y[k];
  }
  if (good) {
    x[n] = x[n + 2] = y[n] = y[n + 2] = NAN;
    x[n + 1] = -1;
    y[n + 1] = 0;
    const cli_curve curve = {"imaginary over real part of L (Nyquist), with -1, inside |L| = 3", x, y, all};
    good = cli_plot(stdout, &curve, 1, style);
  }
  free(x);
  free(y);
  return good;
}

bool cli_plot_loop(const fly_loop *l) {
  cli_plot_style style = cli_plot_style_default();
  const size_t n = (size_t)l->count;
  double *gain = malloc(n * sizeof *gain), *phase = malloc(n * sizeof *phase);
  bool good = gain != NULL && phase != NULL;
  for (size_t k = 0; good && k < n; k++) {
    gain[k] = decibels(hypot(l->re[k], l->im[k]));
    phase[k] = atan2(l->im[k], l->re[k]) * 360 / TAU;
  }
  if (good) {
    unwrap(phase, l->count);
    const cli_curve bode[] = {{"|L| [dB]", l->frequency, gain, n}, {"phase of L [deg]", l->frequency, phase, n}};
    style.log_x = true;
    style.x_unit = " rad/s";
    printf("\n");
    good = cli_plot(stdout, bode, 2, &style);
    style.log_x = false;
    style.x_unit = "";
    printf("\n");
  }
  free(gain);
  free(phase);
  return good && plot_nyquist(l, &style);
}
