// Data of the papers' figures: the mechatronic example, lambda by formulation, spectral radii.
#include <math.h>
#include <string.h>

#include "verify.h"

// ---------------------------------------------------------------------------------------------- GENALPHA Figs. 3-6

typedef struct mechatronic {
  verify_figure *f;
  int what;                // 0: q, 1: desired force, 2: actuator force
  double q, x, a;          // relative errors at the last point: position, state, acceleration
  double exact_q, exact_x; // there
} mechatronic;

// Of the problem spring-mass.
static const double MASS = 1, STIFFNESS = 1, LEAK = 0.1, GAIN = 1.4, MOST = 1;

static double acceleration(double q, double x) { return (MOST * tanh(x / MOST) - STIFFNESS * q) / MASS; }

static void compare(mechatronic *m, double q, double x, double a) {
  m->q = fabs(q / m->exact_q - 1);
  m->x = fabs(x / m->exact_x - 1);
  m->a = fabs(a / acceleration(m->exact_q, m->exact_x) - 1);
}

static void watch_mechatronic(const fly_solver *solver, const fly_dae_state *reference, void *user) {
  mechatronic *m = user;
  const fly_dae_state s = fly_solver_state(solver);
  if (m->f != NULL)
    verify_point(m->f, s.t, m->what == 0 ? s.q[0] : s.y[m->what - 1]);
  if (reference == NULL)
    return;
  m->exact_q = reference->q[0];
  m->exact_x = reference->x[0];
  compare(m, s.q[0], s.x[0], s.vdot[0]);
}

// The same run as classical codes do it: equilibrium is weighted between the ends of the step, and what stands in the
// place of the acceleration is what is measured. It belongs to another time, t + (alpha_m - alpha_f) h.
typedef struct classical {
  double q, v, a, x, w, f, force; // f = x', w what the formula has for it; force = k q - g
} classical;

static classical classical_step(const classical *o, double h) {
  const double rho = 0.8, am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), dm = (3 * rho - 1) / (2 * (rho + 1));
  const double beta = 1 / ((1 + rho) * (1 + rho)), gamma = 0.5 - am + af, theta = 0.5 - dm + af;
  const double c = h * theta / (1 - dm);
  classical n = *o;
  for (int k = 0; k < 60; k++) {
    n.q = o->q + h * o->v + h * h * ((0.5 - beta) * o->a + beta * n.a);
    n.x = (o->x + h * (1 - theta) * o->w + c * (af * o->f - dm * o->w) - c * (1 - af) * GAIN * n.a) /
          (1 + c * (1 - af) * LEAK);
    n.force = -MASS * acceleration(n.q, n.x);
    n.a = -(am * MASS * o->a + (1 - af) * n.force + af * o->force) / (MASS * (1 - am));
  }
  n.v = o->v + h * ((1 - gamma) * o->a + gamma * n.a);
  n.f = -LEAK * n.x - GAIN * n.a;
  n.w = ((1 - af) * n.f + af * o->f - dm * o->w) / (1 - dm);
  return n;
}

static void run_classical(mechatronic *m, double h, double end) {
  classical s = {.q = 5};
  s.a = acceleration(s.q, s.x);
  s.f = s.w = -LEAK * s.x - GAIN * s.a;
  s.force = -MASS * s.a;
  for (long k = lround(end / h); k > 0; k--)
    s = classical_step(&s, h);
  compare(m, s.q, s.x, s.a);
}

static void draw_motion(verify *v, verify_figure *f) {
  static const char *const titles[] = {"q", "desired force", "actuator force"};
  const verify_case c = {.problem = "spring-mass", .method = "ch 0.8", .formulation = FLY_GGL, .step = 0.1};
  for (int i = 0; i < 3; i++) {
    if (i == 0)
      verify_panel(f, "set title 'Fig. 3: position of the mass'\nset xlabel 't [s]'\nset ylabel 'q [m]'");
    if (i == 1)
      verify_panel(f, "set title 'Fig. 4: actuator force'\nset xlabel 't [s]'\nset ylabel 'force [N]'");
    mechatronic m = {.f = f, .what = i};
    verify_curve(f, titles[i], i == 1 ? "lines dt 2 lc 2" : "lines lc 1");
    verify_run(v, &c, false, watch_mechatronic, &m);
  }
}

enum { SIZES = 7 };

// Relative errors at t = 5 s, and their order on the finest pair.
typedef struct convergence {
  double h[SIZES], q[SIZES], x[SIZES], a[SIZES];
} convergence;

static void note(convergence *e, int i, double h, const mechatronic *m) {
  e->h[i] = h;
  e->q[i] = m->q;
  e->x[i] = m->x;
  e->a[i] = m->a;
}

static convergence converge(verify *v, bool alternate, fly_step_change change, convergence *old) {
  static const double fractions[] = {0.3, 0.7};
  convergence e;
  for (int i = 0; i < SIZES; i++) {
    mechatronic m = {.q = HUGE_VAL, .x = HUGE_VAL, .a = HUGE_VAL};
    const double h = ldexp(0.2, -i);
    const verify_case c = {.problem = "spring-mass",
                           .method = "ch 0.8",
                           .formulation = FLY_GGL,
                           .change = change,
                           .step = h,
                           .sequence = alternate ? fractions : NULL,
                           .nsequence = alternate ? 2 : 0,
                           .end = 5};
    if (verify_run(v, &c, true, watch_mechatronic, &m).status != FLY_OK)
      m.q = m.x = m.a = HUGE_VAL;
    note(&e, i, h, &m);
    run_classical(&m, h, c.end);
    note(old, i, h, &m);
  }
  return e;
}

static void draw_convergence(verify_figure *f, const char *title, int colour, const convergence *e) {
  for (int k = 0; k < 2; k++) {
    char text[64], style[64];
    snprintf(text, sizeof text, "%s, %s", title, k == 0 ? "q" : "x");
    snprintf(style, sizeof style, "linespoints lc %d pt %d dt %d", colour, k == 0 ? 7 : 6, k + 1);
    verify_curve(f, text, style);
    for (int i = 0; i < SIZES; i++)
      verify_point(f, e->h[i], k == 0 ? e->q[i] : e->x[i]);
  }
}

// Accelerations, and the state that follows them: consistent, and as a weighted equilibrium has them.
static void compare_accelerations(verify *v, verify_figure *f, const convergence *ours, const convergence *old) {
  const convergence *const e[] = {ours, old};
  static const char *const labels[] = {"equilibrium at the ends of steps", "weighted equilibrium"};
  const int n = SIZES - 1;
  verify_table_begin(
      v, "formulation | h = 0.2: acceleration | x | h = 0.003125: acceleration | x | order acceleration | order x",
      "Fixed steps: the acceleration that is fed back, and the state that follows it, at t = 5 s.");
  verify_panel(f, "set title 'Acceleration fed back'\nset xlabel 'h [s]'\nset ylabel 'relative error, t = 5 s'\n"
                  "set logscale xy\nset format '10^{%L}'\nset key bottom right");
  for (int i = 0; i < 2; i++) {
    verify_row(v, "%s | %.2e | %.2e | %.2e | %.2e | %.3f | %.3f", labels[i], e[i]->a[0], e[i]->x[0], e[i]->a[n],
               e[i]->x[n], verify_order(e[i]->a[n - 1], e[i]->a[n], 2), verify_order(e[i]->x[n - 1], e[i]->x[n], 2));
    verify_curve(f, labels[i], i == 0 ? "linespoints lc 1 pt 7" : "linespoints lc 3 pt 6");
    for (int k = 0; k < SIZES; k++)
      verify_point(f, e[i]->h[k], e[i]->a[k]);
  }
  verify_table_end(v);
  for (int i = 0; i < 2; i++) {
    verify_check_near(v, verify_order(e[i]->a[n - 1], e[i]->a[n], 2), 2 - i, 0.1, "%s: order in the acceleration",
                      labels[i]);
    verify_check_near(v, verify_order(e[i]->x[n - 1], e[i]->x[n], 2), 2 - i, 0.1, "%s: order in x", labels[i]);
  }
}

void verify_mechatronic(verify *v) {
  static const struct {
    const char *label;
    bool alternate;
    fly_step_change change;
    int order;
  } runs[] = {{"fixed steps", false, FLY_CHANGE_SHIFT, 2},
              {"fixed gamma, theta", true, FLY_CHANGE_NONE, 1},
              {"updated (29)", true, FLY_CHANGE_GAMMA, 2},
              {"shift", true, FLY_CHANGE_SHIFT, 2}};
  verify_figure f;
  convergence e[4], old;
  verify_say(
      v,
      "The controlled spring-mass system of GENALPHA with CH(0.8), h = 0.1 s (Figs. 3 and 4), and relative errors of "
      "q and x at t = 5 s over the step (Fig. 5) and over the macro step H of alternating steps 0.3 H, 0.7 H "
      "(Fig. 6). The paper prints no numbers; it states order 2, order 2 with gamma and theta updated by its "
      "(29), and less without. `shift` is ours. What is fed back is an acceleration: codes that weight the equilibrium "
      "between "
      "the ends of a step have one that belongs to another time, and are of first order there.");
  verify_figure_begin(&f, v, "mechatronic");
  if (f.data != NULL)
    draw_motion(v, &f);
  verify_table_begin(v, "steps | H = 0.2: q | x | H = 0.003125: q | x | order q | order x",
                     "Relative errors at t = 5 s; orders of the finest pair.");
  for (int i = 0; i < 4; i++) {
    e[i] = converge(v, runs[i].alternate, runs[i].change, &old);
    const int n = SIZES - 1;
    verify_row(v, "%s | %.2e | %.2e | %.2e | %.2e | %.3f | %.3f", runs[i].label, e[i].q[0], e[i].x[0], e[i].q[n],
               e[i].x[n], verify_order(e[i].q[n - 1], e[i].q[n], 2), verify_order(e[i].x[n - 1], e[i].x[n], 2));
    if (i < 2)
      verify_panel(
          &f, i == 0 ? "set title 'Fig. 5: fixed steps'\nset xlabel 'h [s]'\nset ylabel 'relative error, t = 5 s'\n"
                       "set logscale xy\nset format '10^{%L}'\nset key bottom right"
                     : "set title 'Fig. 6: 0.3 H, 0.7 H in turn'\nset xlabel 'H [s]'\nset ylabel 'relative error, "
                       "t = 5 s'\nset logscale xy\nset format '10^{%L}'\nset key bottom right\nset yrange [1e-8:0.1]");
    draw_convergence(&f, runs[i].label, i == 0 ? 1 : i, &e[i]);
  }
  verify_table_end(v);
  for (int i = 0; i < 4; i++) {
    const int n = SIZES - 1;
    verify_check_near(v, verify_order(e[i].q[n - 1], e[i].q[n], 2), runs[i].order, 0.1, "%s: order in q",
                      runs[i].label);
    verify_check_near(v, verify_order(e[i].x[n - 1], e[i].x[n], 2), runs[i].order, 0.1, "%s: order in x",
                      runs[i].label);
  }
  compare_accelerations(v, &f, &e[0], &old);
  verify_figure_end(&f, v, "GENALPHA Figs. 3 to 6, and the acceleration that is fed back.");
}

// ---------------------------------------------------------------------------------------------- FAMILY Fig. 1.2

typedef struct transient {
  verify_figure *f;
  bool soft;                   // the multiplier is an output
  int steps, peak;             // taken; at which the error was largest
  double first, largest, late; // error of lambda after the first step; largest; largest after t = 0.2 s
} transient;

static void watch_transient(const fly_solver *solver, const fly_dae_state *reference, void *user) {
  transient *t = user;
  const fly_dae_state s = fly_solver_state(solver);
  const double error = fabs((t->soft ? s.y : s.lambda)[0] - reference->lambda[0]);
  t->steps++;
  if (t->steps == 1)
    t->first = error;
  if (error > t->largest) {
    t->largest = error;
    t->peak = t->steps;
  }
  if (s.t > 0.2)
    t->late = fmax(t->late, error);
  if (s.t < 0.2)
    verify_point(t->f, s.t, error);
}

void verify_pendulum_lambda(verify *v) {
  static const struct {
    const char *label, *style;
    fly_formulation formulation;
    fly_start start;
    double softness;
    fly_soft_form soft;
    bool smooth;
  } runs[] = {
      {"index 3, plain start", "linespoints lc 1 pt 6 ps 0.5", FLY_INDEX3, FLY_START_PLAIN, 0, FLY_SOFT_STIFF, false},
      {"index 2, plain start", "linespoints lc 2 pt 4 ps 0.5", FLY_INDEX2, FLY_START_PLAIN, 0, FLY_SOFT_STIFF, false},
      {"GGL, plain start", "linespoints lc 3 pt 8 ps 0.5 dt 2", FLY_GGL, FLY_START_PLAIN, 0, FLY_SOFT_STIFF, false},
      {"index 3, corrected", "lines lc 1 lw 2", FLY_INDEX3, FLY_START_CORRECTED, 0, FLY_SOFT_STIFF, false},
      {"index 2, corrected", "lines lc 2 lw 2", FLY_INDEX2, FLY_START_CORRECTED, 0, FLY_SOFT_STIFF, false},
      {"GGL, corrected", "lines lc 3 lw 2 dt 2", FLY_GGL, FLY_START_CORRECTED, 0, FLY_SOFT_STIFF, false},
      {"spring, plain start", "linespoints lc 4 pt 10 ps 0.5", FLY_GGL, FLY_START_PLAIN, 1e-3, FLY_SOFT_STIFF, false},
      {"damper, plain start", "linespoints lc 5 pt 12 ps 0.5", FLY_GGL, FLY_START_PLAIN, 1e-6, FLY_SOFT_DAMPED, false},
      {"spring, smooth start", "lines lc 4 lw 2", FLY_GGL, FLY_START_CORRECTED, 1e-3, FLY_SOFT_STIFF, true},
      {"damper, smooth start", "lines lc 5 lw 2", FLY_GGL, FLY_START_CORRECTED, 1e-6, FLY_SOFT_DAMPED, true}};
  verify_figure f;
  transient t[10];
  verify_say(
      v, "The pendulum of FAMILY chapter 1 by CH(0.7) with h = 2e-3 s, as in its Fig. 1.2: error of lambda from the "
         "start. The paper compares the position constraint (index 3), the velocity constraint (index 2), and "
         "two substitute models, a spring 1e6 and a damper 1e6; we add GGL, and starts that are corrected. The paper: "
         "\"the "
         "error terms in the two substitute formulations are substantially bigger in the first time steps\", and in "
         "index 3 and of the spring they \"are not damped out instantaneously but instead increase\".");
  verify_figure_begin(&f, v, "pendulum-lambda");
  verify_panel(&f,
               "set title 'pendulum-family, CH(0.7), h = 2e-3 s'\nset xlabel 't [s]'\nset ylabel '|error of λ|'\n"
               "set logscale y\nset format y '10^{%L}'\nset key top right\nset xrange [0:0.2]\nset yrange [1e-6:0.2]");
  verify_table_begin(v, "run | after one step | largest | at step | largest after 0.2 s",
                     "Error of lambda up to t = 1 s.");
  for (int i = 0; i < 10; i++) {
    t[i] = (transient){.f = &f, .soft = runs[i].softness > 0};
    verify_curve(&f, runs[i].label, runs[i].style);
    const verify_case c = {.problem = "pendulum-family",
                           .method = "ch 0.7",
                           .formulation = runs[i].formulation,
                           .start = runs[i].start,
                           .step = 2e-3,
                           .end = 1,
                           .softness = runs[i].softness,
                           .soft = runs[i].soft,
                           .smooth = runs[i].smooth};
    verify_run(v, &c, true, watch_transient, &t[i]);
    verify_row(v, "%s | %.2e | %.2e | %d | %.2e", runs[i].label, t[i].first, t[i].largest, t[i].peak, t[i].late);
  }
  verify_table_end(v);
  verify_check_that(v, t[0].peak > 1 && t[0].peak < 20, "index 3, plain start: the error grows before it is damped");
  verify_check(v, t[0].largest / t[3].largest, AT_LEAST, 10, "index 3: largest error, plain over corrected start");
  verify_check(v, t[6].largest / t[8].largest, AT_LEAST, 10, "spring: largest error, plain over smooth start");
  verify_check(v, t[7].largest / t[9].largest, AT_LEAST, 10, "damper: largest error, plain over smooth start");
  verify_check_that(v, t[6].first > t[0].first && t[7].first > t[1].first, "spring and damper: larger after one step");
  verify_figure_end(&f, v, "Error of lambda in the first 100 steps (FAMILY Fig. 1.2).");
}

// ---------------------------------------------------------------------------------------------- FAMILY Figs. 4.1, 4.6

static fly_newmark make_method(const char *name, double rho) {
  fly_dae_options o = fly_dae_options_default();
  char text[64];
  if (strcmp(name, "hht") == 0)
    snprintf(text, sizeof text, "hht %.17g", -(1 - rho) / (1 + rho));
  else
    snprintf(text, sizeof text, "%s %.17g", name, rho);
  verify_method(&o, text, NULL);
  return o.method;
}

// The principal root at z: of the complex pair the one with positive imaginary part. False if the roots are real.
static bool principal_root(const fly_newmark *m, double z, double *modulus, double *angle) {
  double re[3], im[3];
  fly_newmark_roots(re, im, m, z);
  for (int i = 0; i < 3; i++)
    if (im[i] > 1e-12) {
      *modulus = hypot(re[i], im[i]);
      *angle = atan2(im[i], re[i]);
      return true;
    }
  return false;
}

enum { RADIUS, DISPERSION, DAMPING };

// Spectral radius; relative error of the period; algorithmic damping.
static double property(const fly_newmark *m, double z, int what) {
  double re[3], im[3], modulus = NAN, angle = NAN;
  if (what == RADIUS)
    return fly_newmark_roots(re, im, m, z);
  if (!principal_root(m, z, &modulus, &angle))
    return NAN;
  return what == DISPERSION ? z / angle - 1 : -log(modulus) / angle;
}

static void draw_property(verify_figure *f, const char *title, const char *style, const fly_newmark *m, int what,
                          double from, double to, bool logarithmic) {
  enum { POINTS = 120 };
  verify_curve(f, title, style);
  for (int i = 0; i <= POINTS; i++) {
    const double part = (double)i / POINTS, z = logarithmic ? from * pow(to / from, part) : from + (to - from) * part;
    verify_point(f, z, property(m, z, what));
  }
}

static void draw_radii(verify_figure *f) {
  verify_panel(f, "set title 'Fig. 4.1: CH(ρ), spectral radius'\nset xlabel 'z = hω'\nset logscale x\n"
                  "set format x '10^{%L}'\nset yrange [0:1.05]\nset key bottom left");
  for (int i = 0; i <= 5; i++) {
    char title[32], style[32];
    const fly_newmark m = make_method("ch", 0.2 * i);
    snprintf(title, sizeof title, "%.1f", 0.2 * i);
    snprintf(style, sizeof style, "lines lc %d", i + 1);
    draw_property(f, title, style, &m, RADIUS, 1e-2, 1e4, true);
  }
}

static void draw_comparison(verify_figure *f, int what) {
  static const char *const names[] = {"ch", "hht", "wbz"}, *const colours[] = {"#2060c0", "#208040", "#e08020"};
  static const char *const setups[] = {
      "set title 'Fig. 4.6: spectral radius'\nset xlabel 'z'\nset logscale x\nset format x '10^{%L}'\nset yrange "
      "[0.5:1.02]\n"
      "set key bottom left",
      "set title 'Fig. 4.6: relative error of the period'\nset xlabel 'z'\nset key top left\nset yrange [*:*]",
      "set title 'Fig. 4.6: algorithmic damping'\nset xlabel 'z'\nset key top left\nset yrange [*:*]"};
  verify_panel(f, setups[what]);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++) {
      char title[32], style[64];
      const fly_newmark m = make_method(names[i], k == 0 ? 0.55 : 0.9);
      snprintf(title, sizeof title, "%s %s", names[i], k == 0 ? "0.55" : "0.9");
      snprintf(style, sizeof style, "lines lc rgb '%s' dt %d", colours[i], k + 1);
      draw_property(f, title, style, &m, what, 0.01, what == RADIUS ? 1e4 : 2, what == RADIUS);
    }
}

// Fig. 4.1: radii fall from 1 to rho, those of a larger rho are never below, and rho = 1 damps nothing. Returns the
// largest that any is above where it should be.
static double misplaced_radius(void) {
  double worst = 0;
  for (double z = 1e-2; z < 1e4; z *= 1.1) {
    double below = 0;
    for (int i = 0; i <= 5; i++) {
      const fly_newmark m = make_method("ch", 0.2 * i);
      const double radius = property(&m, z, RADIUS);
      worst = fmax(worst, fmax(radius - 1, fmax(0.2 * i - radius, below - radius)));
      below = radius;
    }
    worst = fmax(worst, 1 - below);
  }
  return worst;
}

// Fig. 4.6: the largest of CH over that of another method, of a property that is better the smaller it is, where all
// have a principal pair.
static double best_of_three(double rho, int what) {
  double worst = 0;
  for (double z = 0.05; z <= 2; z += 0.05) {
    const fly_newmark ch = make_method("ch", rho);
    const double own = what == RADIUS ? 1 - property(&ch, z, what) : property(&ch, z, what);
    for (int i = 0; i < 2; i++) {
      const fly_newmark other = make_method(i ? "wbz" : "hht", rho);
      const double theirs = what == RADIUS ? 1 - property(&other, z, what) : property(&other, z, what);
      worst = fmax(worst, own / theirs);
    }
  }
  return worst;
}

static void check_statements(verify *v) {
  static const char *const names[] = {"1 - radius", "error of the period", "algorithmic damping"};
  verify_check(v, misplaced_radius(), AT_MOST, 1e-7,
               "Fig. 4.1: how far a radius of CH(0, 0.2, ..., 1) is above 1, below rho or below that of a smaller rho");
  for (int what = RADIUS; what <= DAMPING; what++)
    verify_check(v, fmax(best_of_three(0.55, what), best_of_three(0.9, what)), AT_MOST, 1,
                 "Fig. 4.6: %s of CH over that of HHT and WBZ, z = 0.05 to 2, at most", names[what]);
}

void verify_stability(verify *v) {
  static const char *const names[] = {"ch", "hht", "wbz"};
  static const double rhos[] = {0.55, 0.9};
  double off = 0, best = 0;
  verify_figure f;
  verify_say(
      v,
      "Methods on q'' + omega^2 q = 0, z = h omega: spectral radius of the amplification matrix, error of the period "
      "z/arg(mu) - 1 and algorithmic damping -ln|mu|/arg(mu) of the principal root mu. FAMILY on Fig. 4.1: rho "
      "controls "
      "the damping of high frequencies; on Fig. 4.6 (rho = 0.55 and 0.9): \"For all three categories, the CH(rho) "
      "setting performs best\". The paper prints no numbers; its rho of Fig. 4.1 are not in the text, these are ours. "
      "`flyball stability --method M --rho R`.");
  verify_table_begin(v,
                     "method | rho | radius at z = infinity | radius at z = 1 | period error, z = 1 | damping, z = 1",
                     "Damping and dispersion.");
  for (int k = 0; k < 2; k++) {
    double ch = NAN;
    for (int i = 0; i < 3; i++) {
      const fly_newmark m = make_method(names[i], rhos[k]);
      const double infinity = property(&m, (double)INFINITY, RADIUS), damping = property(&m, 1, DAMPING);
      verify_row(v, "%s | %g | %.12f | %.6f | %.5f | %.3e", names[i], rhos[k], infinity, property(&m, 1, RADIUS),
                 property(&m, 1, DISPERSION), damping);
      off = fmax(off, fabs(infinity - rhos[k]));
      ch = i == 0 ? damping : ch;
      best = i > 0 ? fmax(best, ch / damping) : best;
    }
  }
  verify_table_end(v);
  verify_check(v, off, AT_MOST, 1e-7, "largest |radius at infinity - rho|");
  verify_check(v, best, AT_MOST, 1, "damping of CH over that of the others at z = 1");
  check_statements(v);
  verify_figure_begin(&f, v, "stability");
  draw_radii(&f);
  for (int what = 0; what < 3; what++)
    draw_comparison(&f, what);
  verify_figure_end(&f, v, "Spectral radii of CH(rho) (FAMILY Fig. 4.1) and comparison of CH, HHT, WBZ (Fig. 4.6).");
}
