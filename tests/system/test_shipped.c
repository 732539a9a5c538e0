// The parts that come with the program inside the solver: all derivatives, coupling blocks included, against
// differences, and orders of convergence of the smooth ones in positions, states and accelerations against an
// independent integration of the same laws.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "system/checks.h"
#include "system/orders.h"

#include "io/parts.h"
#include "support/parts.h"

// ------------------------------------------------------------------------------------------ derivatives

// Differences move all states by as much: numbers near 1, and not pressures beside angles.
static const part_model MILD[] = {
    {"dc-motor", PART_ARM "use: {p: {part: dc-motor, voltage: 12*sin(time), ratio: 2, L: 0.5, connect: {axle: pin}}}\n",
     ""},
    {"gearbox",
     PART_ARM "use: {p: {part: gearbox, torque: 2*sin(3*time), ratio: 2, rotor: 0.5, friction: 0.1, stiffness: 3, "
              "damping: 2, gap: 1, edge: 0.3, connect: {axle: pin}}}\n",
     ""},
    {"hydraulic-cylinder",
     PART_MASS(
         "0.8") "use: {p: {part: hydraulic-cylinder, opening: 0.5*sin(3*time) + dz(mass), A_a: 2, A_b: 1.2, dead: "
                "0.3, bulk: 3, p_supply: 2, p_tank: 0.1, K: 2, lap: 0.3, lag: 0.5, leak: 0.2, K_check: 1, e: 0.2, "
                "friction: 0.3, stop_stiffness: 3, stop_damping: 2, stop_edge: 0.3, connect: {base: ground, rod: "
                "mass}}}\n",
     ""},
    {"hydraulic-damper",
     PART_MASS(
         "0.5") "use: {p: {part: hydraulic-damper, A_comp: 0.8, A_reb: 0.5, V_comp: 1.6, V_reb: 1.2, bulk: 3, p_res: "
                "0.4, K_max: 2, K_min: 0.2, K_check: 3, e: 0.2, i_min: -3, i_max: 3, length: dm(mass), rate: "
                "vr(mass), current: vz(mass) + dz(mass)}}\n"
                "forces: {strut: {type: spring, from: ground, to: mass, force: p.force}}\n",
     ""},
    {"tyre",
     PART_WHEEL "use: {p: {part: tyre, connect: {hub: hub}, road: 0.1*sin(dx(hub)), road_rate: 0.1*vx(hub), radius: 2, "
                "stiffness: 3, damping: 2, edge: 0.5, cornering: 2, load: 1, low: 0.5}}\n",
     ""},
    {"tyre-slip",
     PART_WHEEL "  wheel: {mass: 20, inertia: [0.5, 0.9, 0.5], position: [0, 0, 0.31]}\n"
                "use: {p: {part: tyre-slip, connect: {hub: hub, wheel: wheel}, road: 0.1*sin(dx(hub)), road_rate: "
                "0.1*vx(hub), radius: 2, stiffness: 3, damping: 2, edge: 0.5, cornering: 2, driving: 3, load: 1, low: "
                "0.5}}\n",
     ""},
};

static const part_model *mild_model_of(const char *part) {
  for (size_t k = 0; k < sizeof MILD / sizeof *MILD; k++)
    if (strcmp(MILD[k].part, part) == 0)
      return &MILD[k];
  return part_model_of(part);
}

static void every_part_has_its_derivatives(void **state) {
  for (int k = 0; k < fly_shipped_part_count; k++) {
    const part_model *p = mild_model_of(fly_shipped_parts[k].name);
    uint64_t seed = 5;
    if (p == NULL) {
      fail_msg("tests/support/parts.h has no model for the part %s", fly_shipped_parts[k].name);
      return;
    }
    machine *m = machine_text(p->text);
    machine_all_rows(m);
    check_round_trip(m, p->part, &seed);
    for (int trial = 0; trial < 20; trial++) {
      fly_derivative_check check;
      fly_error error = {0};
      random_state r = state_of(&m->system, &seed);
      assert_ok(fly_dae_check(&check, &m->system.dae, &r.at, &error), &error);
      say("%-20s derivatives %.1e %s\n", p->part, check.worst, check.where);
      if (!(check.worst < 1e-6))
        fail_msg("%s: %g, %s", p->part, check.worst, check.where);
      state_free(&r);
    }
    machine_free(m);
  }
}

// ------------------------------------------------------------------------------------------ laws

static const double PI = 3.14159265358979323846;

static double cart_acceleration(double x, double force) { return (-50 * (x - 0.4) + force) / 2; }
static double arm_acceleration(double angle, double torque) {
  return (torque - 2 * 9.81 * 0.5 * cos(angle)) / (0.1 + 2 * 0.25);
}
static double seen(double t, const double *y) { return 0.3 * sin(3 * t) + y[0]; } // `signal`

static void low_pass(double *s, double t, const double *y) {
  s[0] = y[1];
  s[1] = cart_acceleration(y[0], y[2]);
  s[2] = 2 * PI * 2 * (-2 * seen(t, y) - y[2]);
}

// out'' + 2 D w out' + w^2 out = w^2 gain u, with y = out'/w
static void low_pass_2(double *s, double t, const double *y) {
  const double w = 2 * PI * 2;
  s[0] = y[1];
  s[1] = cart_acceleration(y[0], y[2]);
  s[2] = w * y[3];
  s[3] = (w * w * -2 * seen(t, y) - 2 * 0.4 * w * s[2] - w * w * y[2]) / w;
}

static void high_pass(double *s, double t, const double *y) {
  s[0] = y[1];
  s[1] = cart_acceleration(y[0], -2 * (seen(t, y) - y[2]));
  s[2] = 2 * PI * (seen(t, y) - y[2]);
}

static void notch(double *s, double t, const double *y) {
  const double w = 2 * PI, u = seen(t, y);
  s[0] = y[1];
  s[1] = cart_acceleration(y[0], u - (1 - 0.1) * 2 * 0.5 * y[3]);
  s[2] = w * y[3];
  s[3] = w * (u - y[2]) - 2 * 0.5 * w * y[3];
}

static void lead_lag(double *s, double t, const double *y) {
  s[0] = y[1];
  s[2] = (seen(t, y) - y[2]) / 0.05;
  s[1] = cart_acceleration(y[0], -(y[2] + 0.1 * s[2]));
}

static void pi_law(double *s, double t, const double *y) {
  (void)t;
  s[0] = y[1];
  s[1] = cart_acceleration(y[0], 40 * (0.7 - y[0]) + y[2]);
  s[2] = 30 * (0.7 - y[0]);
}

static void pid_law(double *s, double t, const double *y) {
  (void)t;
  s[0] = y[1];
  s[2] = 30 * (0.7 - y[0]);
  s[3] = (0.7 - y[0] - y[3]) / 0.05;
  s[1] = cart_acceleration(y[0], 40 * (0.7 - y[0]) + y[2] + 8 * s[3]);
}

static void motor(double *s, double t, const double *y) {
  s[0] = y[1];
  s[1] = arm_acceleration(y[0], 20 * (0.05 * y[2] - 1e-3 * 20 * y[1]));
  s[2] = (12 * sin(t) - y[2] - 0.05 * 20 * y[1]) / 0.05;
}

static void servo(double *s, double t, const double *y) {
  const double error = 0.5 * sin(t) - y[0];
  s[0] = y[1];
  s[1] = arm_acceleration(y[0], 100 * error + 5 * (0.5 * cos(t) - y[1]) + y[2]);
  s[2] = 50 * error;
}

// Teeth pressed by half of the slopes of two roots, written as the integral of a smooth step from flank to flank.
static void gearbox(double *s, double t, const double *y) {
  const double x = y[2] / 10 - y[0], a = x + 0.05, b = x - 0.05, e = 0.02;
  const double far = sqrt(a * a + e * e), near = sqrt(b * b + e * e);
  const double tooth = 200 * (x - (far - near) / 2) + 5 * (1 - (a / far - b / near) / 2) * (y[3] / 10 - y[1]);
  s[0] = y[1];
  s[1] = arm_acceleration(y[0], tooth);
  s[2] = y[3];
  s[3] = (2 * sin(3 * t) - 0.01 * y[3] - tooth / 10) / 1e-3;
}

static double orifice(double p, double e) { return p / sqrt(sqrt(p * p + e * e)); }
static double above(double p, double e) { return (p + sqrt(p * p + e * e)) / 2 * (1 + tanh(p / e)) / 2; }

// (length, rate, rebound, compression)
static void damper(double *s, double t, const double *y) {
  const double Ac = 8e-4, Ar = 5.2e-4, bulk = 1e7, res = 4e5, check = 2e-6, e = 1e5, out = y[0] - 0.5;
  const double K = 2e-7 - (2e-7 - 2.5e-8) * (1 + 0.5 * sin(5 * t) - 0.3) / 1.3;
  const double valve = K * orifice(y[2] - res, e), piston = check * orifice(above(y[3] - y[2], e), e);
  const double base = check * orifice(above(res - y[3], e), e);
  s[0] = y[1];
  s[1] = (y[3] * Ac - y[2] * Ar + 3000 - 2e4 * out) / 300 - 9.81;
  s[2] = bulk / (1.2e-4 - Ar * out) * (Ar * y[1] + piston - valve);
  s[3] = bulk / (1.6e-4 + Ac * out) * (-Ac * y[1] - piston + base);
}

// (length, rate, spool, a, b)
static void cylinder(double *s, double t, const double *y) {
  const double Aa = 2e-3, Ab = 1.2e-3, bulk = 1e8, e = 1e6, K = 2e-7, ps = 150e5, pt = 1e5, out = y[0] - 0.6;
  const double one = (y[2] + sqrt(y[2] * y[2] + 4 * 0.002 * 0.002)) / 2, other = one - y[2];
  const double leak = 1e-13 * (y[3] - y[4]);
  const double qa =
      K * (one * orifice(ps - y[3], e) - other * orifice(y[3] - pt, e)) + 1e-6 * orifice(above(pt - y[3], e), e);
  const double qb =
      K * (other * orifice(ps - y[4], e) - one * orifice(y[4] - pt, e)) + 1e-6 * orifice(above(pt - y[4], e), e);
  s[0] = y[1];
  s[1] = (y[3] * Aa - y[4] * Ab - 200 * y[1]) / 300 - 9.81;
  s[2] = (0.5 * sin(3 * t) - y[2]) / 0.05;
  s[3] = bulk / (1e-4 + Aa * out) * (qa - Aa * y[1] - leak);
  s[4] = bulk / (1e-4 + Ab * (0.4 - out)) * (qb + Ab * y[1] + leak);
}

// (x, y, z and their rates, slip angle), always on the road
static void tyre(double *s, double t, const double *y) {
  const double road = 0.002 * (1 - cos(y[0])), road_rate = 0.002 * sin(y[0]) * y[3];
  const double Fz = 2.2e5 * (0.32 - (y[2] - road)) - 400 * (y[5] - road_rate);
  const double Fy = -0.9 * Fz * tanh(15 / 0.9 * y[6]), speed = sqrt(y[3] * y[3] + 0.01);
  (void)t;
  memcpy(s, y + 3, 3 * sizeof *s);
  s[3] = 0;
  s[4] = Fy / 400;
  s[5] = Fz / 400 - 9.81;
  s[6] = speed / 0.4 * (atan(y[4] / speed) - y[6]);
}

// (x, y, z, angle of the wheel and their rates, slips)
static void tyre_slip(double *s, double t, const double *y) {
  const double *v = y + 4, kx = y[8], ky = y[9], speed = sqrt(v[0] * v[0] + 0.01);
  const double Fz = 2.2e5 * (0.32 - y[2]) - 400 * v[2];
  const double k = sqrt(pow(20 * kx, 2) + pow(15 * ky, 2) + 0.81e-12) / 0.9, share = Fz * tanh(k) / k;
  const double Fx = share * 20 * kx, Fy = share * 15 * ky;
  (void)t;
  memcpy(s, v, 4 * sizeof *s);
  s[4] = Fx / 420;
  s[5] = Fy / 420;
  s[6] = Fz / 420 - 9.81;
  s[7] = (-y[2] * Fx - 300 * tanh(v[3])) / 0.9;
  s[8] = speed / 0.4 * ((0.32 * v[3] - v[0]) / speed - kx);
  s[9] = speed / 0.4 * (-v[1] / speed - ky);
}

// ------------------------------------------------------------------------------------------ orders

typedef struct smooth {
  const char *part, *text;
  ode *law;
  double h, end;
  int coordinates, states;
  int q[4], v[4]; // where they are; -1: not looked at
  double start[10];
} smooth;

#define CART_AT                                                                                                        \
  {0}, { 0 }
#define ARM_AT                                                                                                         \
  {2}, { 2 }
#define MASS_AT                                                                                                        \
  {2}, { 2 }
#define LEVEL "joints: {level: {type: orientation, bodies: [ground, hub]}}\n"

static const smooth SMOOTH[] = {
    {"low-pass",
     PART_PUSHED "use: {p: {part: low-pass, input: signal, gain: -2, frequency: 2}}\n",
     low_pass,
     0.02,
     1,
     1,
     1,
     CART_AT,
     {0.5}},
    {"low-pass-2",
     PART_PUSHED "use: {p: {part: low-pass-2, input: signal, gain: -2, frequency: 2, damping: 0.4}}\n",
     low_pass_2,
     0.02,
     1,
     1,
     2,
     CART_AT,
     {0.5}},
    {"high-pass",
     PART_PUSHED "use: {p: {part: high-pass, input: signal, gain: -2, frequency: 1, start: 0.3}}\n",
     high_pass,
     0.02,
     1,
     1,
     1,
     CART_AT,
     {0.5, 0, 0.3}},
    {"notch",
     PART_PUSHED "use: {p: {part: notch, input: signal, frequency: 1, depth: 0.1, start: 0.2}}\n",
     notch,
     0.02,
     1,
     1,
     2,
     CART_AT,
     {0.5, 0, 0.2}},
    {"lead-lag",
     PART_PUSHED "use: {p: {part: lead-lag, input: signal, gain: -1, lead: 0.1, lag: 0.05}}\n",
     lead_lag,
     0.01,
     1,
     1,
     1,
     CART_AT,
     {0.5}},
    {"pi",
     PART_PUSHED "use: {p: {part: pi, error: 0.7 - dx(cart), kp: 40, ki: 30, start: 1}}\n",
     pi_law,
     0.02,
     1,
     1,
     1,
     CART_AT,
     {0.5, 0, 1}},
    {"pid",
     PART_PUSHED "use: {p: {part: pid, error: 0.7 - dx(cart), kp: 40, ki: 30, kd: 8, tf: 0.05, before: 0.2}}\n",
     pid_law,
     0.01,
     1,
     1,
     2,
     CART_AT,
     {0.5, 0, 0, 0.2}},
    {"dc-motor",
     PART_ARM "use: {p: {part: dc-motor, voltage: 12*sin(time), ratio: 20, L: 0.05, friction: 1e-3, start: 2, connect: "
              "{axle: pin}}}\n",
     motor,
     0.01,
     1,
     1,
     1,
     ARM_AT,
     {0, 0, 2}},
    {"servo",
     PART_ARM "use: {p: {part: servo, target: 0.5*sin(time), target_rate: 0.5*cos(time), ki: 50, start: 9, connect: "
              "{axle: pin}}}\n",
     servo,
     0.01,
     0.5,
     1,
     1,
     ARM_AT,
     {0, 0, 9}},
    {"gearbox",
     PART_ARM
     "use: {p: {part: gearbox, torque: 2*sin(3*time), rotor: 1e-3, friction: 0.01, stiffness: 200, damping: 5, "
     "gap: 0.1, edge: 0.02, start: 0.1, start_speed: -1, connect: {axle: pin}}}\n",
     gearbox,
     0.004,
     0.5,
     1,
     2,
     ARM_AT,
     {0, 0, 0.1, -1}},
    {"hydraulic-damper",
     PART_MASS(
         "0.5") "use: {p: {part: hydraulic-damper, bulk: 1e7, e: 1e5, length: dm(mass), rate: vr(mass), current: 1 "
                "+ 0.5*sin(5*time)}}\n"
                "forces: {strut: {type: spring, from: ground, to: mass, force: p.force + 3000 - 2e4*(length - "
                "0.5)}}\n",
     damper,
     2e-4,
     0.04,
     1,
     2,
     MASS_AT,
     {0.5, 0.5, 4e5, 4e5}},
    {"hydraulic-cylinder",
     PART_MASS("0.8") "use: {p: {part: hydraulic-cylinder, opening: 0.5*sin(3*time), bulk: 1e8, e: 1e6, lag: 0.05, "
                      "friction: 200, connect: {base: ground, rod: mass}}}\n",
     cylinder,
     2e-3,
     0.2,
     1,
     3,
     MASS_AT,
     {0.8, 0.5, 0, 75e5, 125e5}},
    {"tyre",
     PART_WHEEL LEVEL "use: {p: {part: tyre, connect: {hub: hub}, road: 0.002*(1 - cos(dx(hub))), road_rate: "
                      "0.002*sin(dx(hub))*vx(hub)}}\n",
     tyre,
     2e-3,
     0.2,
     3,
     1,
     {0, 1, 2},
     {0, 1, 2},
     {0, 0, 0.31, 10, 1, 0}},
    {"tyre-slip",
     PART_WHEEL "  wheel: {mass: 20, inertia: [0.5, 0.9, 0.5], position: [0, 0, 0.31], velocity: [10, 1, 0]}\n"
                "joints:\n  level: {type: orientation, bodies: [ground, hub]}\n"
                "  axle: {type: revolute, bodies: [hub, wheel], at: [0, 0, 0.31], axis: [0, 1, 0], angular_velocity: "
                "31}\n"
                "forces: {brake: {type: torsion-spring, joint: axle, torque: -300*tanh(rate)}}\n"
                "use: {p: {part: tyre-slip, connect: {hub: hub, wheel: wheel}}}\n",
     tyre_slip,
     5e-4,
     0.1,
     4,
     2,
     {0, 1, 2, -1},
     {0, 1, 2, 10},
     {0, 0, 0.31, 0, 10, 1, 0, 31}},
};

static const smooth *now; // what is looked at

// Positions, velocities, states; then accelerations and rates.
static void see_smooth(machine *m, const fly_dae_state *at, double *out) {
  const int n = now->coordinates, all = 2 * n + now->states;
  (void)m;
  for (int k = 0; k < n; k++) {
    out[k] = now->q[k] < 0 ? 0.0 : at->q[now->q[k]];
    out[n + k] = at->v[now->v[k]];
    out[all + n + k] = at->vdot[now->v[k]];
  }
  for (int k = 0; k < now->states; k++) {
    out[2 * n + k] = at->x[k];
    out[all + 2 * n + k] = at->xdot[k];
  }
}

static void check_numbers(const family *by, const double *exact, const double size[MOST]) {
  const int n = now->coordinates, all = 2 * n + now->states;
  double error[2][MOST] = {{0}};
  for (int level = 0; level < 2; level++) {
    double out[MOST] = {0};
    run_fixed(now->text, by, now->h / (level + 1), now->end, see_smooth, out);
    for (int i = 0; i < 2 * all; i++)
      error[level][i] = fabs(out[i] - exact[i]) / size[i];
  }
  for (int i = 0; i < 2 * all; i++) {
    const bool rate = i >= all;
    if ((i < n && now->q[i] < 0) || (rate && i < all + n)) // rates of positions are velocities
      continue;
    const double order = log2(error[0][i] / error[1][i]), wanted = rate ? by->order_y : by->order;
    say("%-20s %-10s %2d: %.2e %.2e  order %.2f\n", now->part, by->name, i, error[0][i], error[1][i], order);
    if (error[1][i] > 1e-10 && !(order > wanted - 0.4))
      fail_msg("%s by %s: number %d has order %.2f, not %g", now->part, by->name, i, order, wanted);
  }
}

static void smooth_parts_keep_the_orders(void **state) {
  for (size_t k = 0; k < sizeof SMOOTH / sizeof *SMOOTH; k++) {
    now = &SMOOTH[k];
    double exact[MOST] = {0}, size[MOST] = {0};
    const int all = 2 * now->coordinates + now->states;
    reference(now->law, all, now->start, now->end, exact);
    now->law(exact + all, now->end, exact);
    for (int i = 0; i < 2 * all; i++)
      size[i] = fmax(1, fabs(exact[i]));
    for (int i = 0; i < FAMILIES; i++)
      check_numbers(&families[i], exact, size);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_part_has_its_derivatives),
      cmocka_unit_test(smooth_parts_keep_the_orders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
