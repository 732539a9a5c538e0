// A user's program, compiled against the installed package: the mathematical pendulum in a plane, m = L = 1.
#include <flyball/flyball.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int mass(double *M, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  M[0] = M[3] = 1;
  return 0;
}

static int force(double *f, const fly_dae_state *s, void *user) {
  (void)s, (void)user;
  f[0] = 0;
  f[1] = -9.81;
  return 0;
}

static int constraint(double *g, double t, const double *q, void *user) {
  (void)t, (void)user;
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  return 0;
}

static int constraint_jacobian(double *G, double t, const double *q, void *user) {
  (void)t, (void)user;
  G[0] = q[0];
  G[1] = q[1];
  return 0;
}

static int run(fly_error *error) {
  fly_dae_problem pendulum = {.name = "pendulum", .nq = 2, .nv = 2, .ng = 1, .mass_constant = true};
  pendulum.mass = mass;
  pendulum.force = force;
  pendulum.constraint = constraint;
  pendulum.constraint_jacobian = constraint_jacobian;
  fly_dae_options options = fly_dae_options_default();
  options.error = 1e-4;

  fly_solver *solver = NULL;
  fly_status status = fly_solver_create(&solver, &pendulum, &options, error);
  if (!status)
    status = fly_solver_start(solver, 0, 1, (double[]){1, 0}, (double[]){0, 0}, NULL, error);
  if (!status)
    status = fly_solver_advance(solver, 1, error);
  if (!status) {
    fly_dae_state s = fly_solver_state(solver);
    printf("t %g, length %.6f\n", s.t, hypot(s.q[0], s.q[1]));
    if (fabs(hypot(s.q[0], s.q[1]) - 1) > 1e-6)
      status = FLY_INCONSISTENT;
  }
  fly_solver_free(solver);
  return status;
}

int main(int argc, char **argv) {
  if (argc != 2 || strcmp(argv[1], fly_version()) != 0) {
    fprintf(stderr, "the package says version %s, the library %s\n", argc == 2 ? argv[1] : "?", fly_version());
    return 1;
  }
  fly_error error = {0};
  if (run(&error) != FLY_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  return 0;
}
