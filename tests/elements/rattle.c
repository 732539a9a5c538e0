// A point mass m that carries n masses m_k on springs along x of space: q = (r, s_1 ... s_n), as many as the user
// gives.
//
//   T = m |r'|^2/2 + sum m_k |r' + s_k' e_x|^2/2,   V = sum k_k s_k^2/2 less the work of gravity
//   M = ((m + sum m_k) 1, m_k e_x; m_k e_x^T, m_k),   f = ((m + sum m_k) g, m_k g_x - k_k s_k)
#include <string.h>

#include "element/body.h"
#include "element/table.h"

enum { MOST = 40 };

typedef struct rattle {
  int n;
  double own, mass[MOST], stiffness[MOST];
} rattle;

static fly_status more(int *count, const fly_maker *from) {
  *count = from->count(from, "masses");
  if (*count > MOST || *count != from->count(from, "stiffnesses"))
    return from->refuse(from, "takes up to %d masses, and as many stiffnesses.", MOST);
  return FLY_OK;
}

static fly_status make(fly_body_own *own, double *q, double *v, const fly_maker *from) {
  rattle *r = own->k;
  r->n = from->count(from, "masses");
  own->mass = r->own = from->number(from, "mass");
  from->numbers(from, "masses", r->n, r->mass);
  from->numbers(from, "stiffnesses", r->n, r->stiffness);
  for (int k = 0; k < r->n; k++)
    own->mass += r->mass[k];
  from->numbers(from, "position", 3, q);
  from->numbers(from, "velocity", 3, v);
  return FLY_OK;
}

static void place(double *q, double *v, const fly_kinematics *from, const fly_kinematics *to) {
  (void)from;
  memcpy(q, to->r, sizeof to->r);
  memcpy(v, to->v, sizeof to->v);
}

static void position(fly_kinematics *at, const double *q) {
  memcpy(at->r, q, sizeof at->r);
  memcpy(at->R, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof at->R);
}

static void velocity(fly_kinematics *at, const double *v) { memcpy(at->v, v, sizeof at->v); }

static void quaternion(double e[4], const double *q) {
  (void)q;
  memcpy(e, (double[4]){1, 0, 0, 0}, 4 * sizeof *e);
}

static double turned(const double *from, const double *to) {
  (void)from, (void)to;
  return 0;
}

static void mass(double *M, const fly_body_at *at, const fly_body_own *own) {
  const rattle *r = own->k;
  const int n = 3 + r->n;
  (void)at;
  memset(M, 0, (size_t)(n * n) * sizeof *M);
  for (int k = 0; k < 3; k++)
    M[(n + 1) * k] = own->mass;
  for (int k = 3; k < n; k++)
    M[(n + 1) * k] = M[k] = M[n * k] = r->mass[k - 3];
}

static void force(double *f, const fly_body_at *at, const double g[3], const fly_body_own *own) {
  const rattle *r = own->k;
  for (int k = 0; k < 3; k++)
    f[k] += own->mass * g[k];
  for (int k = 0; k < r->n; k++)
    f[3 + k] += r->mass[k] * g[0] - r->stiffness[k] * at->q[3 + k];
}

static void derivatives(double *K, double *C, const fly_body_at *at, const double g[3], const fly_body_own *own) {
  const rattle *r = own->k;
  const int n = 3 + r->n;
  (void)at, (void)g;
  memset(K, 0, (size_t)(n * n) * sizeof *K);
  memset(C, 0, (size_t)(n * n) * sizeof *C);
  for (int k = 0; k < r->n; k++)
    K[(n + 1) * (3 + k)] = -r->stiffness[k];
}

static double kinetic(const fly_body_at *at, const fly_body_own *own) {
  const rattle *r = own->k;
  double sum = r->own * fly_dot3(at->v, at->v) / 2;
  for (int k = 0; k < r->n; k++) {
    const double u[3] = {at->v[0] + at->v[3 + k], at->v[1], at->v[2]};
    sum += r->mass[k] * fly_dot3(u, u) / 2;
  }
  return sum;
}

static double weight(const fly_body_at *at, const double g[3], const fly_body_own *own) {
  const rattle *r = own->k;
  double sum = -own->mass * fly_dot3(g, at->q);
  for (int k = 0; k < r->n; k++)
    sum -= r->mass[k] * g[0] * at->q[3 + k];
  return sum;
}

static double elastic(const fly_body_at *at, const fly_body_own *own) {
  const rattle *r = own->k;
  double sum = 0;
  for (int k = 0; k < r->n; k++)
    sum += r->stiffness[k] * at->q[3 + k] * at->q[3 + k] / 2;
  return sum;
}

static const fly_quantity STATE[] = {{"x", "m", "along x of space"},
                                     {"y", "m", "along y of space"},
                                     {"z", "m", "along z of space"},
                                     {"vx", "m/s", "velocity, along x of space"},
                                     {"vy", "m/s", "velocity, along y of space"},
                                     {"vz", "m/s", "velocity, along z of space"},
                                     {0}};
static const fly_quantity ACCELERATION[] = {{"accx", "m/s^2", "acceleration, along x of space"},
                                            {"accy", "m/s^2", "acceleration, along y of space"},
                                            {"accz", "m/s^2", "acceleration, along z of space"},
                                            {0}};
static const int COLUMNS[] = {0, 1, 2};

static const fly_body_type TYPE = {.noun = "rattle",
                                   .size = sizeof(rattle),
                                   .nq = 3,
                                   .nv = 3,
                                   .turn_q = -1,
                                   .turn_v = -1,
                                   .column = COLUMNS,
                                   .block = 0,
                                   .blocks = 3,
                                   .state = STATE,
                                   .acceleration = ACCELERATION,
                                   .more = more,
                                   .more_name = "shift",
                                   .more_unit = "m",
                                   .more_column = FLY_COLUMN_OWN_LENGTH,
                                   .make = make,
                                   .place = place,
                                   .position = position,
                                   .velocity = velocity,
                                   .quaternion = quaternion,
                                   .turned = turned,
                                   .mass = mass,
                                   .force = force,
                                   .stiff = true,
                                   .derivatives = derivatives,
                                   .kinetic = kinetic,
                                   .weight = weight,
                                   .elastic = elastic};

static const fly_parameter PARAMETERS[] = {
    {"mass", FLY_NUMBER, 1, "kg", NULL, true, POSITIVE, "of the point itself"},
    {"masses", FLY_NUMBER, 0, "kg", NULL, true, POSITIVE, "that it carries"},
    {"stiffnesses", FLY_NUMBER, 0, "N/m", NULL, true, POSITIVE, "of their springs"},
    {"position", FLY_NUMBER, 3, "m", "[0, 0, 0]", false, ANY, "where it starts"},
    {"velocity", FLY_NUMBER, 3, "m/s", "[0, 0, 0]", false, ANY, "velocity at the start"},
    LOOKS,
    HOLD("x y z all"),
    END};

const fly_element_type fly_bodies_rattle = {.section = "bodies",
                                            .name = "rattle",
                                            .text = "a point mass that carries others on springs",
                                            .example = "box: {type: rattle, mass: 1, masses: [0.1, 0.2], "
                                                       "stiffnesses: [10, 20]}",
                                            .parameters = PARAMETERS,
                                            .body = &TYPE};
