// Linear analysis of the Newmark family: FAMILY Figs. 4.3, 4.7, 4.8 and 5.4.
#include <math.h>
#include <string.h>

#include "verify.h"

static fly_newmark method_of(const char *name, double rho) {
  fly_dae_options o = fly_dae_options_default();
  char text[64];
  if (strcmp(name, "hht") == 0)
    snprintf(text, sizeof text, "hht %.17g", -(1 - rho) / (1 + rho));
  else if (strcmp(name, "gen") == 0)
    snprintf(text, sizeof text, "gen %.17g 0", rho);
  else
    snprintf(text, sizeof text, "%s %.17g", name, rho);
  verify_method(&o, text, NULL);
  return o.method;
}

// ---------------------------------------------------------------------------------------------- Fig. 4.3

static void verify_intervals(verify *v) {
  static const double less[] = {0, 0.1, 0.3, 0.6};
  verify_figure f;
  bool ends = true;
  double widest = 0;
  verify_heading(v, "Fig. 4.3: stable at zero and infinity, not between");
  verify_say(v, "CH(0.6) with a smaller alpha_m and all else unchanged: conditions (4.18) and (4.22) hold, (4.24) does "
                "not. The paper, without numbers: such methods possess an instability interval, and are of order one. "
                "Its alpha_m are not in the text; these are ours.");
  verify_figure_begin(&f, v, "damping-interval");
  verify_panel(&f, "set title 'CH(0.6) with other α_m: spectral radius'\nset xlabel 'z = hω'\nset logscale x\n"
                   "set format x '10^{%L}'\nset key bottom left");
  verify_table_begin(v, "alpha_m | order | radius at infinity | largest radius | at z", "Spectral radii.");
  for (int k = 0; k < 4; k++) {
    fly_newmark m = method_of("ch", 0.6);
    char title[32];
    double re[3], im[3], largest = 0, where = 0;
    m.alpha_m -= less[k];
    const fly_stability s = fly_newmark_stability(&m);
    snprintf(title, sizeof title, "α_m = %.3g", m.alpha_m);
    verify_curve(&f, title, "lines");
    for (double z = 1e-2; z < 1e4; z *= 1.05) {
      const double radius = fly_newmark_roots(re, im, &m, z);
      verify_point(&f, z, radius);
      where = radius > largest ? z : where;
      largest = fmax(largest, radius);
    }
    verify_row(v, "%.3f | %d | %.3f | %.5f | %.2g", m.alpha_m, s.order, s.rho_infinity, largest, where);
    ends = ends && s.zero_stable && s.stable_at_infinity && s.unconditional == (k == 0) && s.order == (k ? 1 : 2);
    widest = k > 0 && (widest == 0 || largest < widest) ? largest : widest;
  }
  verify_table_end(v);
  verify_figure_end(&f, v, "Instability between zero and infinity (FAMILY Fig. 4.3).");
  verify_check_that(v, ends,
                    "stable at zero and infinity; unconditionally, and of order two, for CH's own alpha_m only");
  verify_check(v, widest, AT_LEAST, 1.0001, "smallest of the largest radii with another alpha_m");
}

// ---------------------------------------------------------------------------------------------- 3 x 3 matrices

typedef struct matrix3 {
  double a[3][3];
} matrix3;

static matrix3 product(const matrix3 *A, const matrix3 *B) {
  matrix3 C = {{{0}}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        C.a[i][j] += A->a[i][k] * B->a[k][j];
  return C;
}

static double norm(const matrix3 *A) {
  double sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      sum += A->a[i][j] * A->a[i][j];
  return sqrt(sum);
}

// (q, hv, h^2 a) over a step on q'' + 2 xi q' + (xi^2 + omega^2) q = 0 (FAMILY 4.14, 4.15); x = h xi, w2 = h^2 (xi^2 +
// omega^2). q1 and v1 put into the third row leave one equation for a1. infinite: the limit of large w2.
static matrix3 amplification(const fly_newmark *m, double x, double w2, bool infinite) {
  const double one = infinite ? 0 : 1, k = infinite ? 1 : w2, d = infinite ? 0 : 2 * x, f = 1 - m->alpha_f;
  const double lead = f * (k * m->beta + d * m->gamma) + one * (1 - m->alpha_m);
  const double q1[3] = {1, 1, 0.5 - m->beta}, v1[3] = {0, 1, 1 - m->gamma},
               old[3] = {-m->alpha_f * k, -m->alpha_f * d, -one * m->alpha_m};
  matrix3 T;
  for (int j = 0; j < 3; j++) {
    T.a[2][j] = (old[j] - f * (k * q1[j] + d * v1[j])) / lead;
    T.a[0][j] = q1[j] + m->beta * T.a[2][j];
    T.a[1][j] = v1[j] + m->gamma * T.a[2][j];
  }
  return T;
}

// By squaring: |T^(2^k)|^(1/2^k), the size taken out every time.
static double spectral_radius(matrix3 T) {
  double logarithm = 0, share = 1;
  for (int k = 0; k < 24; k++, share /= 2) {
    const double size = norm(&T);
    if (!(size > 0))
      return 0;
    logarithm += share * log(size);
    for (int i = 0; i < 9; i++)
      T.a[i / 3][i % 3] /= size;
    T = product(&T, &T);
  }
  return exp(logarithm);
}

// ---------------------------------------------------------------------------------------------- Fig. 4.7

enum { POWERS = 40 };

// The Jordan forms (4.32), as their largest sum over a row.
static double jordan_norm(const char *name, double rho, int n) {
  const double p = pow(rho, n), p1 = n * pow(rho, n - 1), p2 = n * (n - 1) / 2.0 * pow(rho, n - 2);
  return strcmp(name, "ch") == 0 ? p + p1 + p2 : strcmp(name, "hht") == 0 ? p + p1 : p;
}

static void verify_powers(verify *v) {
  static const char *const names[] = {"ch", "hht", "gen"};
  static const double rho = 0.8;
  verify_figure f;
  double jordan[3] = {0}, real[3] = {0};
  verify_heading(v, "Fig. 4.7: powers of the amplification matrix at infinity");
  verify_say(v, "rho = 0.8 (not in the text): norms of the n-th powers of the Jordan forms (4.32), and of T(infinity) "
                "itself in (q, hv, h^2 a). The paper, without numbers: growth in the first steps, quadratic for CH, "
                "linear for HHT, none "
                "in the Jordan form of Gen(rho, 0), whose T is still amplified.");
  verify_figure_begin(&f, v, "damping-powers");
  for (int what = 0; what < 2; what++) {
    verify_panel(&f, what ? "set title 'T(∞)^n'\nset xlabel 'n'\nset logscale y\nset key top right"
                          : "set title 'Jordan forms'\nset xlabel 'n'\nset logscale y\nset key top right");
    for (int k = 0; k < 3; k++) {
      const fly_newmark m = method_of(names[k], rho);
      const matrix3 T = amplification(&m, 0, 0, true);
      matrix3 P = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
      verify_curve(&f, names[k], "lines");
      for (int n = 1; n <= POWERS; n++) {
        P = product(&P, &T);
        const double size = what ? norm(&P) : jordan_norm(names[k], rho, n);
        double *largest = what ? &real[k] : &jordan[k];
        *largest = fmax(*largest, size);
        verify_point(&f, n, size);
      }
    }
  }
  verify_table_begin(v, "method | Jordan form | T(infinity)", "Largest norm of a power up to 40.");
  for (int k = 0; k < 3; k++)
    verify_row(v, "%s | %.2f | %.2f", names[k], jordan[k], real[k]);
  verify_table_end(v);
  verify_figure_end(&f, v, "Growth of powers at infinite stiffness (FAMILY Fig. 4.7).");
  verify_check_that(v, jordan[0] > jordan[1] && jordan[1] > jordan[2], "Jordan forms: CH above HHT above Gen");
  verify_check_that(v, real[0] > real[1] && real[0] > real[2] && real[2] > 1, "T: CH above both, and Gen above 1");
}

// ---------------------------------------------------------------------------------------------- Fig. 4.8

static double radius_at(const fly_newmark *m, double x, double w) {
  return spectral_radius(amplification(m, x, x * x + w * w, false));
}

// The growing motions (xi < 0) that a method damps all the same begin beyond some -h xi.
static double boundary(const fly_newmark *m, double w) {
  double low = 0, high = 100;
  if (radius_at(m, -high, w) > 1 + 1e-5)
    return NAN;
  for (int k = 0; k < 40; k++) {
    const double middle = (low + high) / 2;
    *(radius_at(m, -middle, w) > 1 + 1e-5 ? &low : &high) = middle;
  }
  return high;
}

static void verify_regions(verify *v) {
  static const char *const names[] = {"ch", "hht", "wbz", "gen"};
  verify_figure f;
  double worst = 0;
  verify_heading(v, "Fig. 4.8: stability regions");
  verify_say(v,
             "Methods with rho = 3/4 on q'' + 2 xi q' + (xi^2 + omega^2) q = 0 (4.14). The paper compares the regions "
             "of the four settings in a figure. Ours: stable wherever the motion does not grow, and how far growing "
             "motions have to go before they are damped.");
  verify_figure_begin(&f, v, "damping-regions");
  verify_panel(&f, "set title 'edge of the stable region, ρ = 0.75'\nset xlabel '−hξ'\nset ylabel 'hω'\nset key below");
  verify_table_begin(v, "method | radius, h xi = 0 to 1e3 | edge: -h xi at h omega = 0 | 1 | 2 | 4", "Regions.");
  for (int k = 0; k < 4; k++) {
    const fly_newmark m = method_of(names[k], 0.75);
    double largest = 0;
    for (double x = 1e-2; x < 1e3; x *= 1.5)
      for (double w = 0; w < 1e3; w = w * 1.5 + 0.1)
        largest = fmax(largest, radius_at(&m, x, w));
    verify_curve(&f, names[k], "lines");
    for (double w = 0; w < 8; w += 0.1)
      verify_point(&f, boundary(&m, w), w);
    verify_row(v, "%s | %.5f | %.2f | %.2f | %.2f | %.2f", names[k], largest, boundary(&m, 0), boundary(&m, 1),
               boundary(&m, 2), boundary(&m, 4));
    worst = fmax(worst, largest);
  }
  verify_table_end(v);
  verify_figure_end(&f, v, "Stability regions in the sense of Gladwell and Thomas (FAMILY Fig. 4.8).");
  verify_check(v, worst, AT_MOST, 1 + 1e-5, "largest radius where the motion does not grow");
}

// ---------------------------------------------------------------------------------------------- Fig. 5.4

// Largest |mu_2|, |mu_3| of (5.26): (h^2 v / delta, h^2 a) over a step, s = delta/h.
static double damped_radius(const fly_newmark *m, double s) {
  const double f = 1 - m->alpha_f, a = 1 - m->alpha_m, det = s * a + m->gamma * f;
  const double T[2][2] = {{(a * s - m->gamma * m->alpha_f) / det, (a * (1 - m->gamma) - m->gamma * m->alpha_m) / det},
                          {(-f * s - s * m->alpha_f) / det, (-f * (1 - m->gamma) - s * m->alpha_m) / det}};
  const double half = (T[0][0] + T[1][1]) / 2, product = T[0][0] * T[1][1] - T[0][1] * T[1][0];
  const double under = half * half - product;
  return under < 0 ? sqrt(product) : fabs(half) + sqrt(under);
}

static double best_rho(void) {
  double best = 2, where = 0;
  for (int i = 0; i <= 100000; i++) {
    const fly_newmark m = {0, 0, 1, 0};
    fly_newmark ch = m;
    const double rho = 1e-5 * i;
    ch.alpha_m = (2 * rho - 1) / (rho + 1);
    ch.alpha_f = rho / (rho + 1);
    ch.gamma = 0.5 - ch.alpha_m + ch.alpha_f;
    const double radius = damped_radius(&ch, 0);
    where = radius < best ? rho : where;
    best = fmin(best, radius);
  }
  return where;
}

static void verify_damped_eigenvalues(verify *v) {
  static const char *const names[] = {"ch", "hht", "wbz"};
  static const double ratios[] = {0, 0.1, 1, 10};
  verify_figure f;
  double worst = 0;
  verify_heading(v, "Fig. 5.4: eigenvalues for dampers over delta/h");
  verify_say(v,
             "q'' + q'/delta = 0 (Example 5.27): the larger of the two eigenvalues that are not 1. The paper, without "
             "numbers: bounded by one for all delta/h, and for delta = 0 as in index 2, where that of CH is smallest "
             "at rho = 3 - 2 sqrt 2; that of HHT tends to infinity for rho to 0, outside its range.");
  verify_figure_begin(&f, v, "damping-delta");
  verify_table_begin(v, "method | rho | delta/h = 0 | 0.1 | 1 | 10", "Largest modulus.");
  for (int k = 0; k < 3; k++) {
    char setup[200];
    snprintf(setup, sizeof setup, "set title '%s'\nset xlabel 'ρ'\nset yrange [0:1.1]\nset key bottom right", names[k]);
    verify_panel(&f, setup);
    for (int j = 0; j < 4; j++) {
      char title[32];
      snprintf(title, sizeof title, "δ/h = %g", ratios[j]);
      verify_curve(&f, title, "lines");
      for (double rho = k == 1 ? 0.5 : 0; rho < 1.0001; rho += 0.02) {
        const fly_newmark m = method_of(names[k], fmin(rho, 1));
        verify_point(&f, rho, damped_radius(&m, ratios[j]));
        worst = fmax(worst, damped_radius(&m, ratios[j]));
      }
    }
    for (double rho = 0.5; rho < 1; rho += 0.3) {
      const fly_newmark m = method_of(names[k], rho);
      verify_row(v, "%s | %g | %.3f | %.3f | %.3f | %.3f", names[k], rho, damped_radius(&m, 0), damped_radius(&m, 0.1),
                 damped_radius(&m, 1), damped_radius(&m, 10));
    }
  }
  verify_table_end(v);
  verify_figure_end(&f, v, "Eigenvalues for dampers (FAMILY Fig. 5.4).");
  const fly_newmark beyond = {0, 0.99 / 1.01, 1 / (1.01 * 1.01), 2.99 / 2.02}; // HHT(rho) at rho = 0.01
  verify_check(v, worst, AT_MOST, 1 + 1e-12, "largest modulus for delta/h = 0 to 10");
  verify_check_near(v, best_rho(), 3 - 2 * sqrt(2), 1e-3, "CH, delta = 0: rho of the smallest");
  verify_check(v, damped_radius(&beyond, 0), AT_LEAST, 10, "HHT, delta = 0, rho = 0.01, outside its range");
}

void verify_damping(verify *v) {
  verify_intervals(v);
  verify_powers(v);
  verify_regions(v);
  verify_damped_eigenvalues(v);
}
