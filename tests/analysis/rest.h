// What the tests of equilibrium share: finding it by the public interface, and the discrete catenary.
#ifndef FLY_TESTS_ANALYSIS_REST_H
#define FLY_TESTS_ANALYSIS_REST_H

#include "analysis/simulation.h"
#include "base/check.h"

static const double G = 9.81;
static const char *const WAYS[] = {"newton", "energy", "settling"};

typedef struct rest {
  fly_mechanism *mechanism;
  fly_run *run;
  fly_status status;
  fly_error error;
  const fly_equilibrium *at;
} rest;

static inline rest find_in(fly_mechanism *m, const char *by) {
  rest r = {.mechanism = m};
  fly_run_options o = fly_run_options_default();
  o.end = 1;
  assert_ok(fly_run_create(&r.run, m, &o, &r.error), &r.error);
  r.status = fly_run_rest(r.run, by, &r.error);
  r.at = fly_run_equilibrium(r.run);
  assert_int_equal(r.at != NULL, r.status == FLY_OK);
  return r;
}

static inline rest find(const char *text, const char *by, int nset, const char *const *set) {
  fly_mechanism *m = NULL;
  fly_error error = {0};
  assert_ok(fly_mechanism_parse(&m, "model", text, strlen(text), nset, set, &error), &error);
  return find_in(m, by);
}

static inline rest find_example(const char *name, const char *by, const char *set) {
  char file[500];
  fly_mechanism *m = NULL;
  fly_error error = {0};
  snprintf(file, sizeof file, "%s/examples/%s.yaml", FLY_TEST_SOURCE_DIR, name);
  assert_ok(fly_mechanism_load(&m, file, set != NULL, &set, &error), &error);
  return find_in(m, by);
}

static inline void done(rest *r) {
  fly_run_free(r->run);
  fly_mechanism_free(r->mechanism);
}

// A number of the lists: "arm", "x".
static inline double value(const rest *r, const char *name, const char *label) {
  for (int k = 0; k < fly_run_rest_lines(r->run); k++) {
    fly_rest_line line = fly_run_rest_line(r->run, k);
    for (int c = 0; strcmp(line.name, name) == 0 && c < line.count; c++)
      if (strcmp(line.label[c], label) == 0)
        return line.value[c];
  }
  fail_msg("%s has no %s", name, label);
  return NAN;
}

static inline void assert_found(const rest *r, fly_poise poise) {
  assert_ok(r->status, &r->error);
  assert_int_equal(r->at->poise, poise);
  assert_true(r->at->residual <= 1e-9);
}

// ------------------------------------------------------------------------------------------ the hanging chain

// Sum of length cos(theta_i) - span, tan(theta_i) = (i - (n + 1)/2) w / H
static inline double span_left(int n, double length, double w, double span, double H) {
  double sum = -span;
  for (int i = 1; i <= n; i++)
    sum += length / hypot(1.0, (i - (n + 1) / 2.0) * w / H);
  return sum;
}

static inline double horizontal_pull(int n, double length, double w, double span) {
  double low = 1e-6 * n * w, high = 1e3 * n * w;
  for (int k = 0; k < 300; k++) {
    double middle = (low + high) / 2;
    *(span_left(n, length, w, span, middle) < 0 ? &low : &high) = middle;
  }
  return (low + high) / 2;
}

static inline void check_chain(const rest *r, int n, double tolerance) {
  double length = 1.0 / n, w = 0.2 * G, H = horizontal_pull(n, length, w, 0.6), x = 0, y = 0, off = 0;
  for (int i = 1; i <= n; i++) {
    char name[20];
    double tangent = (i - (n + 1) / 2.0) * w / H, along = length / hypot(1.0, tangent);
    snprintf(name, sizeof name, "link%d", i);
    fly_rest_line line = fly_run_rest_line(r->run, i - 1);
    if (strcmp(line.name, name) != 0) // an odd one out comes from the order of the file
      fail_msg("link %d is called %s", i, line.name);
    off = fmax(off, hypot(line.value[0] - (x + along / 2), line.value[1] - (y + along * tangent / 2)));
    x += along;
    y += along * tangent;
  }
  assert_near(x, 0.6, 1e-13);
  assert_near(off, 0.0, tolerance);
  assert_near(value(r, "hook", "fx"), -H, tolerance * H * n);
  assert_near(value(r, "hook", "fy"), n * w / 2, tolerance * w * n * n);
}

#endif
