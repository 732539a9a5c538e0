// The cases of flyball bench that move in a plane: bodies with places and speeds of their centres, and pins.
#ifndef FLYBALL_BENCH_PLANAR_H
#define FLYBALL_BENCH_PLANAR_H

#include "peer.h"

typedef struct planar_body {
  double mass, inertia, x, y, angle, vx, vy, omega;
} planar_body;

// Two points that coincide, in the axes of their bodies; a < 0: of the ground, in the plane.
typedef struct planar_pin {
  int a, b;
  double ax, ay, bx, by;
} planar_pin;

typedef struct planar_model {
  int bodies, pins;
  planar_body *body;
  planar_pin *pin;                       // an open tree first: each with one body that no earlier one has
  double gravity;                        // along -y
  double torque;                         // on the first body
  double stiffness, damping;             // of a torsion spring at the second pin
  double spring, length, cx, cy, dx, dy; // from c on the ground to d on body `sprung`
  int sprung;
  double tip_x, tip_y; // on the last body: what the outputs follow; or
  int angles;          // the outputs are the angles of so many bodies
} planar_model;

static inline planar_model planar_make(int bodies, int pins) {
  planar_model m;
  memset(&m, 0, sizeof m);
  m.bodies = bodies;
  m.pins = pins;
  m.body = (planar_body *)calloc((size_t)bodies, sizeof *m.body);
  m.pin = (planar_pin *)calloc((size_t)pins, sizeof *m.pin);
  m.gravity = 9.81;
  m.sprung = -1;
  return m;
}

static inline void planar_free(planar_model *m) {
  free(m->body);
  free(m->pin);
}

static inline planar_pin planar_pin_make(int a, double ax, double ay, int b, double bx, double by) {
  planar_pin p = {a, b, ax, ay, bx, by};
  return p;
}

// examples/n-pendulum.yaml, straight, at 60 degrees.
static inline planar_model planar_rods(int n) {
  const double length = 0.4, radius = 0.01, pi = 3.14159265358979323846, angle = -30 * pi / 180;
  const double mass = 2700 * pi * radius * radius * length;
  planar_model m = planar_make(n, n);
  for (int k = 0; k < n; k++) {
    const double along = (k + 0.5) * length;
    const planar_body b = {
        mass, mass * (3 * radius * radius + length * length) / 12, along * cos(angle), along * sin(angle), angle, 0, 0,
        0};
    m.body[k] = b;
    m.pin[k] = planar_pin_make(k - 1, k > 0 ? length / 2 : 0, 0, k, -length / 2, 0);
  }
  m.tip_x = length / 2;
  return m;
}

// examples/n-four-bar.yaml: posts 0 to n, then roofs.
static inline planar_model planar_windows(int n) {
  planar_model m = planar_make(2 * n + 1, 3 * n + 1);
  for (int k = 0; k <= n; k++) {
    const double at = k;
    const planar_body post = {1, 1.0 / 12, at, 0.5, 0, 0.5, 0, -1}, roof = {1, 1.0 / 12, at + 0.5, 1, 0, 1, 0, 0};
    m.body[k] = post;
    m.pin[k] = planar_pin_make(-1, k, 0, k, 0, -0.5);
    if (k == n)
      break;
    m.body[n + 1 + k] = roof;
    m.pin[n + 1 + k] = planar_pin_make(k, 0, 0.5, n + 1 + k, -0.5, 0);
    m.pin[2 * n + 1 + k] = planar_pin_make(n + 1 + k, 0.5, 0, k + 1, 0, 0.5);
  }
  return m;
}

// examples/simple-pendulum.yaml: a point mass, on a bar of 1 m without mass.
static inline planar_model planar_pendulum(void) {
  planar_model m = planar_make(1, 1);
  const planar_body bob = {1, 0, -1, 0, 0, 0, 0, 0};
  m.body[0] = bob;
  m.pin[0] = planar_pin_make(-1, 0, 0, 0, 1, 0);
  return m;
}

// The stiff double pendulum of flyball bench.
static inline planar_model planar_stiff(void) {
  planar_model m = planar_make(2, 2);
  const planar_body upper = {1, 1.0 / 12, 0.5, 0, 0, 0, 0, 0}, lower = {1, 1.0 / 12, 1.5, 0, 0, 0, 0, 0};
  m.body[0] = upper;
  m.body[1] = lower;
  m.pin[0] = planar_pin_make(-1, 0, 0, 0, -0.5, 0);
  m.pin[1] = planar_pin_make(0, 0.5, 0, 1, -0.5, 0);
  m.stiffness = 1e5;
  m.damping = 1e3;
  m.angles = 2;
  return m;
}

// examples/seven-body-planar.yaml in its letters.
static inline planar_model planar_seven(void) {
  const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874,
               sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449,
               zf = 0.02, zt = 0.04, fa = 0.01421, xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273,
               beta = -0.0617138900142764496, gamma = 0.455279819163070380, Phi = 0.222668390165885885,
               delta = 0.487364979543842550, epsilon = 1.23054744454982119, phi4 = Phi + delta, phi6 = epsilon - Phi;
  planar_model m = planar_make(7, 10);
  const planar_body body[] = {
      {0.04325, 2.194e-6, ra * cos(beta), ra * sin(beta), beta, 0, 0, 0},
      {0.00365, 4.410e-7, rr * cos(beta) - da * cos(beta), rr * sin(beta) - da * sin(beta), beta, 0, 0, 0},
      {0.02373, 5.255e-6, xb + sb * cos(gamma) + sa * sin(gamma), yb + sb * sin(gamma) - sa * cos(gamma), gamma, 0, 0,
       0},
      {0.00706, 5.667e-7, xa + zt * cos(delta) + (e - ea) * sin(phi4), ya + zt * sin(delta) - (e - ea) * cos(phi4),
       phi4, 0, 0, 0},
      {0.07050, 1.169e-5, xa + ta * cos(delta) - tb * sin(delta), ya + ta * sin(delta) + tb * cos(delta), delta, 0, 0,
       0},
      {0.00706, 5.667e-7, xa + u * sin(epsilon) + (zf - fa) * cos(phi6), ya - u * cos(epsilon) + (zf - fa) * sin(phi6),
       phi6, 0, 0, 0},
      {0.05498, 1.912e-5, xa - ub * cos(epsilon) + ua * sin(epsilon), ya - ub * sin(epsilon) - ua * cos(epsilon),
       epsilon, 0, 0, 0}};
  const planar_pin pin[] = {{-1, 0, 0, 0, -ra, 0},          {-1, 2, xb, yb, -sb, sa},
                            {-1, 4, xa, ya, -ta, -tb},      {-1, 6, xa, ya, ub, ua},
                            {0, 1, rr - ra, 0, da, 0},      {4, 3, zt - ta, -tb, 0, e - ea},
                            {6, 5, ub, ua - u, fa - zf, 0}, {1, 2, da - d, 0, -sb, sa - ss},
                            {1, 3, da - d, 0, 0, -ea},      {1, 5, da - d, 0, fa, 0}};
  memcpy(m.body, body, sizeof body);
  memcpy(m.pin, pin, sizeof pin);
  m.gravity = 0;
  m.torque = 0.033;
  m.spring = 4530;
  m.length = 0.07785;
  m.cx = 0.014;
  m.cy = 0.072;
  m.dx = sd - sb;
  m.dy = sa - sc;
  m.sprung = 2;
  m.angles = 1;
  return m;
}

// The pin by which a body hangs in the tree.
static inline const planar_pin *planar_joint_of(const planar_model *m, int body) {
  for (int k = 0; k < m->bodies; k++)
    if (m->pin[k].b == body)
      return &m->pin[k];
  return NULL;
}

static inline double planar_energy(const planar_model *m, const planar_body *b) {
  double sum = 0;
  for (int k = 0; k < m->bodies; k++)
    sum += b[k].mass * (0.5 * (b[k].vx * b[k].vx + b[k].vy * b[k].vy) + m->gravity * b[k].y) +
           0.5 * b[k].inertia * b[k].omega * b[k].omega;
  return sum;
}

// The outputs of where bodies are.
static inline void planar_outputs(const planar_model *m, const planar_body *b, double *out) {
  const planar_body *last = &b[m->bodies - 1];
  for (int k = 0; k < m->angles; k++)
    out[k] = b[k].angle;
  if (m->angles == 0) {
    out[0] = last->x + cos(last->angle) * m->tip_x - sin(last->angle) * m->tip_y;
    out[1] = last->y + sin(last->angle) * m->tip_x + cos(last->angle) * m->tip_y;
  }
}

// The planar cases, with their references. How many.
enum { PLANAR_CASES = 6 };
typedef struct planar_case {
  peer_case c;
  planar_model model;
  bool there; // its reference was
} planar_case;

static inline int planar_list(planar_case *list, int argc, char **argv) {
  const char *references = argc > 1 ? argv[1] : "";
  const double factor = peer_factor(argc, argv);
  list[0].c = peer_case_make("four-bars", "J", 10, 0.1 * factor, 0);
  list[1].c = peer_case_make("seven-body", "rad", 0.05, 1e-4 * factor, 1);
  list[2].c = peer_case_make("rods-10", "m", 1, 1e-5 * factor, 2);
  list[3].c = peer_case_make("rods-100", "m", 1, 1e-5 * factor, 2);
  list[4].c = peer_case_make("rods-1000", "m", 1, 1e-5 * factor, 2);
  list[5].c = peer_case_make("stiff", "rad", 2, 1e-4 * factor, 2);
  list[0].model = planar_windows(40);
  list[1].model = planar_seven();
  list[2].model = planar_rods(10);
  list[3].model = planar_rods(100);
  list[4].model = planar_rods(1000);
  list[5].model = planar_stiff();
  for (int k = 0; k < PLANAR_CASES; k++) {
    list[k].there = peer_wants(list[k].c.name, argc, argv) && peer_read_reference(&list[k].c, references);
    if (!list[k].there && peer_wants(list[k].c.name, argc, argv))
      fprintf(stderr, "%s: there is no reference in %s\n", list[k].c.name, references);
  }
  return PLANAR_CASES;
}

#endif
