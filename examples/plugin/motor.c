// A direct-current motor as a plugin: i' = (u - k w - R i)/L, torque k i. Inputs are the voltage u and the speed w of
// the shaft, the output is the torque. A fuse blows when the current grows beyond `fuse`: an event sets z, and the
// voltage is gone.
//
//   make && flyball run motor.yaml --allow-plugins
#include <flyball/plugin.h>

#include <stdlib.h>
#include <string.h>

enum { R, L, K, FUSE, PARAMETERS };

static const char *const names[] = {"R", "L", "k", "fuse"};
static const double values[] = {2, 0.01, 0.5, 100}; // ohm, H, N m/A, A

typedef struct motor {
  double p[PARAMETERS];
} motor;

static int create(void **self, const double *parameter) {
  motor *m = malloc(sizeof *m);
  if (m == NULL)
    return 1;
  memcpy(m->p, parameter, sizeof m->p);
  *self = m;
  return m->p[L] > 0 ? 0 : 2;
}

static void start(void *self, double *x, double *z) {
  (void)self;
  x[0] = 0;
  z[0] = 1; // the fuse is whole
}

static int evaluate(void *self, const fly_plugin_at *at, double *xdot, double *y, double *root) {
  const motor *m = self;
  const double i = at->x[0];
  xdot[0] = (at->z[0] * at->u[0] - m->p[K] * at->u[1] - m->p[R] * i) / m->p[L];
  y[0] = m->p[K] * i;
  root[0] = i - m->p[FUSE];
  return 0;
}

// Rows: i', torque, root; columns: u, w, i.
static int jacobian(void *self, const fly_plugin_at *at, double *J) {
  const motor *m = self;
  const double rows[] = {at->z[0] / m->p[L], -m->p[K] / m->p[L], -m->p[R] / m->p[L], 0, 0, m->p[K], 0, 0, 1};
  memcpy(J, rows, sizeof rows);
  return 0;
}

static int blow(void *self, int root, const fly_plugin_at *at, double *x, double *z) {
  (void)self, (void)root, (void)at, (void)x;
  z[0] = 0;
  return 0;
}

static const fly_plugin plugin = {.version = FLYBALL_PLUGIN_VERSION,
                                  .inputs = 2,
                                  .states = 1,
                                  .held = 1,
                                  .outputs = 1,
                                  .roots = 1,
                                  .parameters = PARAMETERS,
                                  .parameter_name = names,
                                  .parameter_value = values,
                                  .create = create,
                                  .destroy = free,
                                  .start = start,
                                  .evaluate = evaluate,
                                  .jacobian = jacobian,
                                  .event = blow};

const fly_plugin *flyball_plugin(void) { return &plugin; }
