// Orders of convergence of whole models against an independent integration.
#ifndef FLY_TESTS_SYSTEM_ORDERS_H
#define FLY_TESTS_SYSTEM_ORDERS_H

#include <math.h>

#include "system/machine.h"

// ------------------------------------------------------------------------------------------ an independent integrator

typedef void ode(double *slope, double t, const double *y);
enum { MOST = 24 };

// Runge and Kutta's classical formula, with Richardson's extrapolation: order 5.
static inline void rk4(ode *f, int n, double *y, double end, int steps) {
  const double h = end / steps;
  for (int k = 0; k < steps; k++) {
    double a[MOST], b[MOST], c[MOST], d[MOST], z[MOST];
    const double t = k * h;
    f(a, t, y);
    for (int i = 0; i < n; i++)
      z[i] = y[i] + h / 2 * a[i];
    f(b, t + h / 2, z);
    for (int i = 0; i < n; i++)
      z[i] = y[i] + h / 2 * b[i];
    f(c, t + h / 2, z);
    for (int i = 0; i < n; i++)
      z[i] = y[i] + h * c[i];
    f(d, t + h, z);
    for (int i = 0; i < n; i++)
      y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
  }
}

static inline void reference(ode *f, int n, const double *start, double end, double *out) {
  double fine[MOST];
  memcpy(fine, start, (size_t)n * sizeof *fine);
  memcpy(out, start, (size_t)n * sizeof *out);
  rk4(f, n, out, end, 20000);
  rk4(f, n, fine, end, 40000);
  for (int i = 0; i < n; i++)
    out[i] = fine[i] + (fine[i] - out[i]) / 15;
}

// ------------------------------------------------------------------------------------------ runs of fixed steps

typedef struct family {
  const char *name;
  fly_method_family family;
  double order, order_y; // of q, v, x; of y and reactions
} family;

static const family families[] = {
    {"ch", FLY_FAMILY_NEWMARK, 2, 2}, {"radau", FLY_FAMILY_RADAU, 5, 3}, {"partition", FLY_FAMILY_PARTITION, 4, 4}};
enum { FAMILIES = sizeof families / sizeof *families };

// Values at the end of a run of fixed steps: states, then what else is compared.
typedef void look(machine *m, const fly_dae_state *at, double *out);

static inline void run_fixed(const char *text, const family *by, double h, double end, look *see, double *out) {
  machine *m = machine_text(text);
  fly_dae_options o = fly_dae_options_default();
  fly_method_request method = fly_method_request_default();
  fly_error error = {0};
  method.name = by->name;
  assert_ok(fly_dae_options_method(&o, &method, &error), &error);
  o.step = h;
  machine_independent_rows(m);
  assert_ok(fly_solver_create(&m->solver, &m->system.dae, &o, &error), &error);
  assert_ok(fly_solver_start(m->solver, 0.0, end, m->system.q0, m->system.v0, m->system.x0, &error), &error);
  const fly_dae_state at = machine_at(m, end);
  see(m, &at, out);
  machine_free(m);
}

#endif
