// Planar four-bar linkage: crank, coupler and rocker as bars with q = (x, y, phi) at their mass centres, phi the
// direction of the bar; 9 coordinates, 4 revolute joints, 8 rows (planar.h). SI units, gravity 9.81 along -y.
//
// Crank pivot at (0,0), rocker pivot at (l4,0); lengths l = (crank, coupler, rocker, ground). Closure:
//   l1 e(phi1) + l2 e(phi2) = (l4,0) + l3 e(phi3)
//
// Default `parallelogram`: IFToMM library A02 with one window: bars of 1 m, 1 kg, upright, crank at -1 rad/s (top
// moving to +x), 10 s. Each time the bars lie on the x axis G loses rank and a second branch opens; on the right
// branch phi2 = 0 and phi1 = phi3 = pi/2 - theta with theta'' = 1.2 g sin theta.
// Reference: float128 extrapolation of that equation.
//
// Variant `grashof`: crank-rocker 0.3, 0.9, 0.8 m, 1 kg/m (0.3 + 1 < 0.9 + 0.8: never singular), crank upright at
// 6 rad/s, 5 s. Reference: index-1 extrapolation in long double, 12 digits.
//
// Variant `large`: the same, all lengths by 10, times by sqrt(10): in angles the same motion. Its coordinates of most
// motion are metres, which turn back twice a revolution, not the angle of the crank.
#include "planar.h"

#include <math.h>

enum { NBODY = 3, NJOINT = 4, NV = 9, NG = 8 };

static int force(double *f, const fly_dae_state *s, void *user) {
  (void)s;
  fly_planar_gravity(f, user);
  return 0;
}

static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)J1;
  fly_planar_reaction_jacobian(J2, s, user);
  return 0;
}

static void set_model(fly_planar *model, const double l[4], double density) {
  const double a = l[0] / 2, b = l[1] / 2, c = l[2] / 2; // half lengths
  *model = (fly_planar){.nbody = NBODY,
                        .njoint = NJOINT,
                        .gravity = 9.81,
                        .joint = {{"crank pivot", 0, FLY_GROUND, {-a, 0}, {0, 0}},
                                  {"crank-coupler hinge", 0, 1, {a, 0}, {-b, 0}},
                                  {"coupler-rocker hinge", 1, 2, {b, 0}, {c, 0}},
                                  {"rocker pivot", 2, FLY_GROUND, {-c, 0}, {l[3], 0}}}};
  for (int i = 0; i < NBODY; i++)
    model->body[i] = (fly_planar_body){density * l[i], density * l[i] * l[i] * l[i] / 12};
}

// Angles of coupler and rocker, and their rates, from those of the crank: the position with the hinge on the left of
// the line from the crank's end to the rocker's pivot, seen from the rocker.
static void close_loop(double phi[3], double rate[3], const double l[4]) {
  const double dx = l[3] - l[0] * cos(phi[0]), dy = -l[0] * sin(phi[0]), d = hypot(dx, dy);
  const double corner = acos((l[1] * l[1] + d * d - l[2] * l[2]) / (2 * l[1] * d)); // between d and the coupler
  phi[1] = atan2(dy, dx) + corner;
  phi[2] = atan2(-dy + l[1] * sin(phi[1]), -dx + l[1] * cos(phi[1]));
  const double s = sin(phi[1] - phi[2]);
  rate[1] = -rate[0] * l[0] * sin(phi[0] - phi[2]) / (l[1] * s);
  rate[2] = rate[0] * l[0] * sin(phi[1] - phi[0]) / (l[2] * s);
}

// The bars where the angles and their rates put them.
static void place(double q[NV], double v[NV], const double phi[3], const double rate[3], const double l[4]) {
  double x = 0, y = 0, vx = 0, vy = 0; // end of the chain so far
  for (int i = 0; i < NBODY; i++) {
    if (i == 2)
      x = l[3], y = 0, vx = 0, vy = 0;
    const double hx = l[i] * cos(phi[i]) / 2, hy = l[i] * sin(phi[i]) / 2;
    q[3 * i] = x + hx;
    q[3 * i + 1] = y + hy;
    q[3 * i + 2] = phi[i];
    v[3 * i] = vx - rate[i] * hy;
    v[3 * i + 1] = vy + rate[i] * hx;
    v[3 * i + 2] = rate[i];
    x += 2 * hx, y += 2 * hy, vx -= 2 * rate[i] * hy, vy += 2 * rate[i] * hx;
  }
}

static const char *const names[] = {"x1", "y1", "phi1", "x2", "y2", "phi2", "x3", "y3", "phi3"};

static const fly_dae_problem dae = {
    .nq = NV,
    .nv = NV,
    .ng = NG,
    .mass_constant = true,
    .mass = fly_planar_mass,
    .force = force,
    .constraint = fly_planar_constraint,
    .constraint_jacobian = fly_planar_constraint_jacobian,
    .constraint_rate = fly_planar_constraint_rate,
    .constraint_gamma = fly_planar_constraint_gamma,
    .constraint_velocity_jacobian = fly_planar_constraint_velocity_jacobian,
    .jacobian = jacobian,
    .energy = fly_planar_energy,
    .row_name = fly_planar_row_name,
};

static fly_status build(fly_problem *out, fly_problem_parts parts, const double l[4], double speed, fly_error *error) {
  fly_planar model;
  double phi[3] = {FLY_PI / 2}, rate[3] = {speed}, q0[NV], v0[NV];
  set_model(&model, l, 1);
  close_loop(phi, rate, l);
  place(q0, v0, phi, rate, l);
  parts.dae = &dae;
  parts.q_names = names;
  parts.q0 = q0;
  parts.v0 = v0;
  parts.data = &model;
  parts.data_size = sizeof model;
  parts.pattern_ints = fly_planar_pattern_ints(&model);
  const fly_status status = fly_problem_build(out, &parts, error);
  if (status == FLY_OK)
    fly_planar_set_patterns(out, &model);
  return status;
}

fly_status fly_make_four_bar(fly_problem *out, const char *variant, int n, fly_error *error) {
  (void)n;
  const bool large = fly_variant_is(variant, "large"), grashof = large || fly_variant_is(variant, "grashof");
  const double size = large ? 10 : 1, time = sqrt(size);
  const double crank_rocker[4] = {0.3 * size, 0.9 * size, 0.8 * size, size}, equal[4] = {1, 1, 1, 1};
  const double *l = grashof ? crank_rocker : equal, t = (grashof ? 5 : 10) * time;
  const double theta = 31.914741297738024509, theta_rate = 1.9669347194403194563;
  double phi[3] = {FLY_PI / 2 - theta, 0, FLY_PI / 2 - theta}, rate[3] = {-theta_rate, 0, -theta_rate}, q[NV], v[NV];
  if (grashof) {
    phi[0] = 50.975384149798;
    rate[0] = 11.000937958864 / time;
    close_loop(phi, rate, l);
  }
  place(q, v, phi, rate, l);
  const fly_problem_parts parts = {.t_end = t, .reference_q = q, .reference_v = v, .reference_t = t};
  return build(out, parts, l, grashof ? 6 / time : -1, error);
}
