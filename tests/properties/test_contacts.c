// Forces that act in a short stretch of the motion only: stops, bumps, bells, detents, pulses that feel time and
// motion. Steps that know nothing of them would leap over: at random places and widths, by every method, none is passed
// over, and no result is wrong and called right. The judge: the same one-dimensional equation by Runge and Kutta's
// rule, in steps that resolve the narrowest of its features.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "flyball/model.h"
#include "support/motion.h"

enum { TEXT = 2000, ROWS = 11, FEATURES = 3 };

typedef enum feature_kind { STOP, BELL, BUMP, DETENT, KICK, MIXED, KINDS } feature_kind;

// At `at`, so wide, as strong as its size.
typedef struct feature {
  feature_kind kind;
  double at, width, size;
} feature;

typedef struct moving {
  double end, m, v, g; // mass, speed at the start, a constant force
  int count;
  feature feature[FEATURES];
  char text[TEXT];
} moving;

// ------------------------------------------------------------------------------------------ the features

static double rise(double u) { return u <= 0 ? 0 : u >= 1 ? 1 : u * u * (3 - 2 * u); }

// A stop pushes back like 1e4/m of what a spring of its width would need to hold v; the others change v by about size.
static double feature_force(const feature *f, double t, double x, double v) {
  const double u = (x - f->at) / f->width, w = (t - f->at) / f->width;
  switch (f->kind) {
  case STOP:
    return u <= 0 ? 0 : -fmax(0, f->size * pow(x - f->at, 1.5) + 0.1 * v * rise(u));
  case BELL:
    return f->size / f->width * exp(-u * u);
  case BUMP:
    return fabs(u) >= 1 ? 0 : f->size / f->width * (1 - fabs(u));
  case DETENT:
    return fabs(u) >= 1 ? 0 : f->size / f->width * sin(3.14159265358979323846 * u);
  case KICK:
    return f->size / f->width * (rise(u) - rise(u - 1));
  default:
    return f->size / f->width * exp(-w * w - 0.01 * x * x);
  }
}

static int feature_text(const feature *f, int k, char *out) {
  const double a = f->at, w = f->width, z = f->size / f->width;
  switch (f->kind) {
  case STOP:
    return sprintf(out, " - impact(%.17g - dx(b), -vx(b), 0, %.17g, 1.5, 0.1, %.17g)", a, f->size, w);
  case BELL:
    return sprintf(out, " + %.17g*exp(-((dx(b) - %.17g)/%.17g)^2)", z, a, w);
  case BUMP:
    return sprintf(out, " + linear(dx(b), bump%d)", k);
  case DETENT:
    return sprintf(out, " + if(abs(dx(b) - %.17g) < %.17g, %.17g*sin(pi*(dx(b) - %.17g)/%.17g), 0)", a, w, z, a, w);
  case KICK:
    return sprintf(out, " + step(dx(b), %.17g, 0, %.17g, %.17g) - step(dx(b), %.17g, 0, %.17g, %.17g)", a, a + w, z,
                   a + w, a + 2 * w, z);
  default:
    return sprintf(out, " + %.17g*exp(-((time - %.17g)/%.17g)^2 - 0.01*dx(b)^2)", z, a, w);
  }
}

// ------------------------------------------------------------------------------------------ the models

static feature random_feature(uint64_t *seed, const moving *m, bool last) {
  feature f = {.kind = last && random_int(seed, 2) ? STOP : (feature_kind)(1 + random_int(seed, KINDS - 1))};
  f.width = pow(10, uniform(seed, -4, -1.5));
  f.at = f.kind == MIXED ? uniform(seed, 0.1, 0.9) * m->end : uniform(seed, 0.1, 0.8) * m->end * m->v;
  f.size = f.kind == STOP ? m->m * m->v * m->v / pow(f.width, 2.5) * uniform(seed, 0.1, 10)
                          : m->m * m->v * uniform(seed, 0.02, 0.1);
  return f;
}

static moving random_moving(uint64_t *seed) {
  moving m = {.end = uniform(seed, 2, 10), .m = uniform(seed, 0.5, 2), .v = uniform(seed, 0.5, 2)};
  m.g = random_int(seed, 2) * uniform(seed, 0, 0.1);
  m.count = 1 + random_int(seed, FEATURES);
  for (int k = 0; k < m.count; k++)
    m.feature[k] = random_feature(seed, &m, k == m.count - 1);
  char *t = m.text + sprintf(m.text, "flyball: 1\ngravity: [0, 0, 0]\ntables:\n");
  for (int k = 0; k < m.count; k++) {
    const feature *f = &m.feature[k];
    t += sprintf(t, "  bump%d: {x: [-1000, %.17g, %.17g, %.17g, 1000], y: [0, 0, %.17g, 0, 0]}\n", k, f->at - f->width,
                 f->at, f->at + f->width, f->size / f->width);
  }
  t += sprintf(t, "bodies:\n  b: {type: point, mass: %.17g, velocity: [%.17g, 0, 0]}\nforces:\n", m.m, m.v);
  t += sprintf(t, "  f: {type: force, at: b, force: [\"%.17g", m.g);
  for (int k = 0; k < m.count; k++)
    t += feature_text(&m.feature[k], k, t);
  sprintf(t, "\", 0, 0]}\noutputs: {x: dx(b)}\n");
  return m;
}

// ------------------------------------------------------------------------------------------ the judge

static double acceleration(const moving *m, double t, double x, double v) {
  double f = m->g;
  for (int k = 0; k < m->count; k++)
    f += feature_force(&m->feature[k], t, x, v);
  return f / m->m;
}

static void runge_kutta(const moving *m, double t, double h, double *x, double *v) {
  const double k1 = acceleration(m, t, *x, *v), v2 = *v + h / 2 * k1;
  const double k2 = acceleration(m, t + h / 2, *x + h / 2 * *v, v2), v3 = *v + h / 2 * k2;
  const double k3 = acceleration(m, t + h / 2, *x + h / 2 * v2, v3), v4 = *v + h * k3;
  const double k4 = acceleration(m, t + h, *x + h * v3, v4);
  *x += h / 6 * (*v + 2 * v2 + 2 * v3 + v4);
  *v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

// A thousandth of the way over the nearest feature, or half of the way to it.
static double judge_step(const moving *m, double t, double x, double v) {
  double h = 0.01;
  for (int k = 0; k < m->count; k++) {
    const feature *f = &m->feature[k];
    const double speed = f->kind == MIXED ? 1 : fabs(v) + 0.1, away = fabs((f->kind == MIXED ? t : x) - f->at);
    const double reach = 8 * f->width, fine = f->width / 1000 / speed;
    h = fmin(h, fmax(fine, (away - reach) / speed / 2));
  }
  return h;
}

static void judge(const moving *m, double row[ROWS]) {
  double t = 0, x = 0, v = m->v;
  row[0] = 0;
  for (int r = 1; r < ROWS; r++) {
    const double until = m->end * r / (ROWS - 1);
    while (t < until) {
      const double h = fmin(judge_step(m, t, x, v), until - t);
      runge_kutta(m, t, h, &x, &v);
      t = until - t <= h ? until : t + h;
    }
    row[r] = x;
  }
}

// ------------------------------------------------------------------------------------------ the runs

typedef struct rows {
  int count;
  double x[ROWS];
} rows;

static void keep_row(const double *row, void *user) {
  rows *r = user;
  if (r->count < ROWS)
    r->x[r->count++] = row[1];
}

// Largest error of a row over that asked for.
static fly_status run_model(const moving *m, const char *method, double asked, const double *truth, double *wrong,
                            fly_error *error) {
  rows r = {0};
  fly_mechanism *mechanism = NULL;
  fly_run *run = NULL;
  fly_run_options o = fly_run_options_default();
  o.method.name = method;
  o.end = m->end;
  o.error = asked;
  o.output = m->end / (ROWS - 1);
  o.channels = "outputs";
  o.row = keep_row;
  o.user = &r;
  fly_status status = fly_mechanism_parse(&mechanism, "contacts", m->text, strlen(m->text), 0, NULL, error);
  if (status == FLY_OK)
    status = fly_run_create(&run, mechanism, &o, error);
  if (status == FLY_OK)
    status = fly_run_start(run, error);
  if (status == FLY_OK)
    status = fly_run_go(run, error);
  *wrong = 0;
  for (int k = 0; k < r.count; k++)
    *wrong = fmax(*wrong, fabs(r.x[k] - truth[k]) / asked);
  if (getenv("FLY_SHOW_RESIDUALS"))
    printf("%-9s %.0e: %-8.3g %s %ld steps, %ld leaps, %ld unsure\n", method, asked, *wrong, status ? "NOT OK" : "ok",
           fly_run_stats(run).steps, fly_run_stats(run).leaps, fly_run_stats(run).unsure);
  fly_run_free(run);
  fly_mechanism_free(mechanism);
  return status;
}

// A run may say that its error was not kept, now and then.
static void try_models(uint64_t seed, int count) {
  int refused = 0;
  static const char *const method[] = {"ch", "hht", "radau", "partition", "hybrid", "direct"};
  for (int k = 0; k < count; k++) {
    const moving m = random_moving(&seed);
    double truth[ROWS], wrong;
    judge(&m, truth);
    for (int w = 0; w < 6; w++) {
      fly_error error = {0};
      const double asked = (k + w) % 2 ? 1e-4 : 1e-6;
      const fly_status status = run_model(&m, method[w], asked, truth, &wrong, &error);
      refused += status != FLY_OK;
      if ((status != FLY_OK && status != FLY_NOT_KEPT) || (status == FLY_OK && wrong > 10))
        fail_msg("model %d by %s at %g: %g times the error asked for, %s\n%s", k, method[w], asked, wrong,
                 error.message, m.text);
    }
  }
  assert_in_range(refused, 0, count * 6 / 10);
}

static void nothing_on_the_way_is_leapt_over(void **state) {
  const char *given = getenv("FLY_CONTACT_MODELS"); // "seed count": more of them
  unsigned long seed = 2026;
  int count = 10;
  if (given)
    sscanf(given, "%lu %d", &seed, &count);
  try_models(seed, count);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_on_the_way_is_leapt_over)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
