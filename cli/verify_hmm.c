// A start that rings, and averages over a short run that resolves the ringing (FAMILY 6.6, heterogeneous multiscale
// methods): the accelerations of the first long step come from there.
#include <math.h>
#include <stdio.h>

#include "verify.h"

static const double PI = 3.14159265358979323846;

enum { PER_PERIOD = 40, LONGEST = 16, SHORTEST = 4, SAMPLES = LONGEST * PER_PERIOD };

// Accelerations of the pendulum on its spring around the start: at k eta/n, k = -n ... n.
typedef struct micro {
  int n; // even
  double eta;
  double rhs[2 * SAMPLES + 1][2];
} micro;

// The window: some periods of the spring, 2 pi epsilon, whole ones, so that the kernel takes them out.
static int periods(double epsilon) {
  const double wanted = 0.1 / (2 * PI * epsilon);
  return wanted < SHORTEST ? SHORTEST : wanted > LONGEST ? LONGEST : (int)lrint(wanted);
}

static fly_status check_window(double eta, double run, fly_error *error) {
  if (eta <= run)
    return FLY_OK;
  snprintf(error->message, sizeof error->message,
           "The window of %g s over which accelerations are averaged is longer than the run of %g s: take fewer "
           "periods, or a run that lasts longer.",
           eta, run);
  return FLY_BAD_INPUT;
}

// One half: forward, or with the velocity turned round, which the motion without friction follows backwards.
static bool follow(micro *m, const double *q0, const double *v0, double epsilon, int sign) {
  fly_problem p;
  fly_solver *solver = NULL;
  fly_error error = {0};
  fly_dae_options o = fly_dae_options_default();
  if (fly_problem_make(&p, "pendulum-family", NULL, 0, &error) != FLY_OK)
    return false;
  for (int i = 0; i < 2; i++) {
    p.q0[i] = q0[i];
    p.v0[i] = sign * v0[i];
  }
  o.step = m->eta / m->n;
  bool going = verify_method(&o, "radau", &error) &&
               fly_problem_soften(&p, FLY_SOFT_STIFF, epsilon, false, &error) == FLY_OK &&
               fly_solver_create(&solver, &p.dae, &o, &error) == FLY_OK &&
               fly_solver_start(solver, 0, m->eta, p.q0, p.v0, NULL, &error) == FLY_OK;
  for (int k = 0; going && k <= m->n; k++) {
    const fly_dae_state s = fly_solver_state(solver);
    for (int i = 0; i < 2; i++)
      m->rhs[m->n + sign * k][i] = s.vdot[i];
    going = k == m->n || fly_solver_step(solver, &error) == FLY_OK;
  }
  fly_solver_free(solver);
  fly_problem_free(&p);
  return going;
}

// (6.5): the kernel (1 + cos)/eta over a window of the width eta in the middle of which sample `centre` lies. Its ends
// are zero, so that the trapezoid rule is the sum.
static void average(double mean[2], const micro *m, int centre) {
  mean[0] = mean[1] = 0;
  for (int k = -m->n / 2; k <= m->n / 2; k++)
    for (int i = 0; i < 2; i++)
      mean[i] += (1 + cos(2 * PI * k / m->n)) / m->n * m->rhs[centre + k][i];
}

// v' and a of a step h whose a belongs to t + d_alpha h.
static fly_status averages(double vdot[2], double a[2], const double *q0, const double *v0, double epsilon, double h,
                           double d_alpha, double run, fly_error *error) {
  static micro m; // large
  m.n = periods(epsilon) * PER_PERIOD;
  m.eta = periods(epsilon) * 2 * PI * epsilon;
  const fly_status status = check_window(m.eta, run, error);
  if (status != FLY_OK)
    return status;
  if (!follow(&m, q0, v0, epsilon, 1) || !follow(&m, q0, v0, epsilon, -1))
    return FLY_NO_CONVERGENCE;
  double later[2], before[2];
  average(vdot, &m, m.n);
  average(later, &m, m.n + m.n / 2);
  average(before, &m, m.n - m.n / 2);
  for (int i = 0; i < 2; i++)
    a[i] = vdot[i] + h * d_alpha * (later[i] - before[i]) / m.eta;
  return FLY_OK;
}

// ---------------------------------------------------------------------------------------------- Fig. 6.12

enum { SPRINGS = 5, STARTS = 4 };

static double end_error(verify *v, const char *method, double epsilon, int start, double d_alpha) {
  static const double h = 2e-3, run = 2, zero[2] = {0, 0};
  const double root = sqrt(0.5) * (1 + h * h), q0[2] = {root, root}, v0[2] = {-1, 1};
  double vdot[2], a[2];
  fly_error error = {0};
  verify_case c = {.problem = "pendulum-family",
                   .method = method,
                   .start = FLY_START_PLAIN,
                   .step = h,
                   .end = run,
                   .softness = epsilon,
                   .soft = FLY_SOFT_STIFF,
                   .disturb_q = start == 1 ? 0 : h * h};
  if (start == 2) {
    if (averages(vdot, a, q0, v0, epsilon, h, d_alpha, run, &error) != FLY_OK)
      return NAN;
    c.start_vdot = vdot;
    c.start_a = a;
  } else if (start == 3)
    c.start_vdot = c.start_a = zero;
  return verify_run(v, &c, true, NULL, NULL).end_q;
}

void verify_averages(verify *v) {
  static const char *const titles[] = {"plain", "projected", "averaged (HMM)", "a0 = v0' = 0"};
  double e[STARTS][SPRINGS], unused[2];
  verify_figure f;
  fly_error error = {0};
  fly_dae_options o = fly_dae_options_default();
  verify_method(&o, "ch 0.7", NULL);
  verify_heading(v, "Fig. 6.12: averages over a short run");
  verify_say(v, "The pendulum of chapter 1 by CH(0.7), h = 2e-3, springs, start at q (1 + h^2), as in Fig. 1.3; the "
                "accelerations of "
                "the first step are averages (6.5), by the kernel (1 + cos)/eta over whole periods of the spring, of "
                "runs by radau that resolve it, before and after the start. The paper, without numbers: this \"may "
                "lower the negative influence of the initial perturbations\", and even a0 = 0 \"keeps the numerical "
                "results from diverging at the cost of order reduction in q\". We replace v0' with a0.");
  verify_figure_begin(&f, v, "soft-averages");
  verify_panel(&f, "set title 'pendulum-family, CH(0.7), h = 2e-3 s, start off by h²'\nset xlabel 'ε'\n"
                   "set ylabel '|error of q|, t = 2 s'\nset logscale xy\nset format xy '10^{%L}'\nset key below");
  verify_table_begin(v, "start | epsilon = 1e-2 | 1e-3 | 1e-4 | 1e-5 | 1e-6",
                     "Distance from the rigid pendulum at t = 2.");
  for (int k = 0; k < STARTS; k++) {
    verify_curve(&f, titles[k], "linespoints");
    for (int i = 0; i < SPRINGS; i++) {
      const double epsilon = pow(10, -2 - i);
      verify_progress(v, "averages, epsilon = %g", epsilon);
      e[k][i] = end_error(v, "ch 0.7", epsilon, k, o.method.alpha_m - o.method.alpha_f);
      verify_point(&f, epsilon, e[k][i]);
    }
    verify_row(v, "%s | %.1e | %.1e | %.1e | %.1e | %.1e", titles[k], e[k][0], e[k][1], e[k][2], e[k][3], e[k][4]);
  }
  verify_table_end(v);
  verify_figure_end(&f, v, "Starts off the constraint with averaged accelerations (FAMILY Fig. 6.12).");
  verify_check(v, e[2][4] / e[0][4], AT_MOST, 0.01, "averaged over plain, epsilon = 1e-6");
  verify_check(v, e[3][4] / e[0][4], AT_MOST, 0.1, "a0 = 0 over plain, epsilon = 1e-6");
  const fly_status refused = averages(unused, unused, o.start_a, NULL, 0.1, 2e-3, 0, 2, &error);
  verify_note(v, "%s", error.message);
  verify_check_that(v, refused == FLY_BAD_INPUT, "a window longer than the run is refused");
}
