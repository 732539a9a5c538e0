// Measures, family by family, with their derivatives.
#include "element/measure.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "element/block.h"
#include "math/so3.h"

// Columns of a triple.
enum { RA = 0, TA = 3, RB = 6, TB = 9, TC = 15 };

static const fly_kinematics GROUND = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
static const fly_marker ORIGIN = {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

// Below this sine of a nutation the direction of its axis is rounding: gimbal lock.
static const double LOCKED = 1e-10;

// Measures that are computed alike.
typedef struct scene scene;
typedef struct gradient gradient;
typedef struct fly_measure_family {
  double (*value)(const fly_measure_type *type, const scene *s);
  void (*gradient)(gradient *g, const fly_measure_type *type, const scene *s); // adds
} family;

struct gradient {
  double *q, *v, *a; // (18) each; v and a may be NULL
};

// Everything a measure may look at.
struct scene {
  fly_triple p; // complete: ground where a marker was left out
  const double *a;
};

// out += factor (u x w)
static void add_cross(double out[3], const double u[3], const double w[3], double factor) {
  double c[3];
  fly_cross(c, u, w);
  fly_add3(out, c, factor);
}

// ------------------------------------------------------------------------------------------ vectors of one body
// Each is t + R h: t in space, h in axes of the body.

typedef enum vector { DISPLACEMENT, VELOCITY, ACCELERATION, SPIN, SPIN_RATE } vector;

// h, which a turn of the body carries along
static void body_part(double h[3], vector what, const fly_kinematics *b, const double s[3], const double *a) {
  double ws[3];
  memset(h, 0, 3 * sizeof *h);
  switch (what) {
  case DISPLACEMENT:
    fly_add3(h, s, 1.0);
    break;
  case VELOCITY:
    add_cross(h, b->w, s, 1.0);
    break;
  case ACCELERATION:
    fly_cross(ws, b->w, s);
    add_cross(h, b->w, ws, 1.0);
    add_cross(h, a + 3, s, 1.0);
    break;
  case SPIN:
    fly_add3(h, b->w, 1.0);
    break;
  case SPIN_RATE:
    fly_add3(h, a + 3, 1.0);
    break;
  }
}

static void body_vector(double u[3], vector what, const fly_kinematics *b, const double s[3], const double *a) {
  double h[3];
  body_part(h, what, b, s, a);
  fly_to_space(u, b->R, h);
  if (what == DISPLACEMENT)
    fly_add3(u, b->r, 1.0);
  else if (what == VELOCITY)
    fly_add3(u, b->v, 1.0);
  else if (what == ACCELERATION)
    fly_add3(u, a, 1.0);
}

// out (6) += factor z . d(t + R h) with respect to the rate that h and t hold linearly: (z, s x z_b) or (0, z_b)
static void add_linear(double *out, vector what, const double z[3], const double zb[3], const double s[3],
                       double factor) {
  if (what == SPIN || what == SPIN_RATE) {
    fly_add3(out + 3, zb, factor);
    return;
  }
  fly_add3(out, z, factor);
  add_cross(out + 3, s, zb, factor);
}

// Adds factor z . du for a fixed direction z in space, in the six columns of one body from `column` on.
static void project_body(gradient *g, int column, vector what, const double z[3], const fly_kinematics *b,
                         const double s[3], const double *a, double factor) {
  double h[3], zb[3], c[3];
  fly_to_body(zb, b->R, z);
  body_part(h, what, b, s, a);
  add_cross(g->q + column + 3, h, zb, factor); // z . R (dtheta x h)
  switch (what) {
  case DISPLACEMENT:
    fly_add3(g->q + column, z, factor);
    break;
  case VELOCITY:
  case SPIN:
    add_linear(g->v + column, what, z, zb, s, factor);
    break;
  case ACCELERATION: // d(w x (w x s)) = dw x (w x s) + w x (dw x s)
    fly_cross(c, b->w, s);
    add_cross(g->v + column + 3, c, zb, factor);
    fly_cross(c, zb, b->w);
    add_cross(g->v + column + 3, s, c, factor);
    add_linear(g->a + column, what, z, zb, s, factor);
    break;
  case SPIN_RATE:
    add_linear(g->a + column, what, z, zb, s, factor);
    break;
  }
}

// ------------------------------------------------------------------------------------------ vectors between two

static const double *accelerations(const scene *s, int body) { return s->a ? s->a + 6L * body : NULL; }

static void relative(double u[3], vector what, const scene *s) {
  double ub[3];
  body_vector(u, what, s->p.ba, s->p.ma->s, accelerations(s, 0));
  body_vector(ub, what, s->p.bb, s->p.mb->s, accelerations(s, 1));
  fly_add3(u, ub, -1.0);
}

static void project(gradient *g, vector what, const double z[3], const scene *s) {
  project_body(g, RA, what, z, s->p.ba, s->p.ma->s, accelerations(s, 0), 1.0);
  project_body(g, RB, what, z, s->p.bb, s->p.mb->s, accelerations(s, 1), -1.0);
}

// Its value, of one vector along axis 0, 1, 2 of c; axis 3: its magnitude.
enum { MAGNITUDE = 3 };

static double component_value(const fly_measure_type *type, const scene *s) {
  double u[3], z[3];
  relative(u, (vector)type->vector, s);
  if (type->which == MAGNITUDE)
    return sqrt(fly_dot3(u, u));
  fly_axis_space(z, s->p.bc, s->p.mc, type->which);
  return fly_dot3(u, z);
}

static void component_gradient(gradient *g, const fly_measure_type *type, const scene *s) {
  double u[3], z[3], z0[3], uc[3];
  relative(u, (vector)type->vector, s);
  if (type->which == MAGNITUDE) {
    if (!fly_direction(z, u))
      return;
  } else {
    fly_axis(z0, s->p.mc, type->which);
    fly_to_space(z, s->p.bc->R, z0);
    fly_to_body(uc, s->p.bc->R, u);
    add_cross(g->q + TC, z0, uc, 1.0); // u . R_c (dtheta x z0)
  }
  project(g, (vector)type->vector, z, s);
}

// Rate of the distance: n . u', n = e/|e|; d(n . e') = n . de' + (e' - (n . e') n)/|e| . de
static double approach_value(const fly_measure_type *type, const scene *s) {
  (void)type;
  double e[3], de[3];
  relative(e, DISPLACEMENT, s);
  relative(de, VELOCITY, s);
  double l = sqrt(fly_dot3(e, e));
  return l == 0 ? 0 : fly_dot3(e, de) / l;
}

static void approach_gradient(gradient *g, const fly_measure_type *type, const scene *s) {
  (void)type;
  double e[3], de[3], across[3];
  relative(e, DISPLACEMENT, s);
  relative(de, VELOCITY, s);
  double l = sqrt(fly_dot3(e, e));
  if (l == 0)
    return;
  for (int k = 0; k < 3; k++)
    e[k] /= l;
  double rate = fly_dot3(e, de);
  for (int k = 0; k < 3; k++)
    across[k] = (de[k] - rate * e[k]) / l;
  project(g, VELOCITY, e, s);
  project(g, DISPLACEMENT, across, s);
}

// ------------------------------------------------------------------------------------------ angles
// Functions of the entries E_kl = (axis k of b) . (axis l of a) of the turn from b to a.

typedef struct entry {
  int k, l;
  double sign;
} entry;

static double entry_value(entry e, const scene *s) {
  double b[3], a[3];
  fly_axis_space(b, s->p.bb, s->p.mb, e.k);
  fly_axis_space(a, s->p.ba, s->p.ma, e.l);
  return e.sign * fly_dot3(b, a);
}

static void entry_gradient(gradient *g, entry e, const scene *s, double factor) {
  double a0[3], b0[3], a[3], b[3], c[3];
  fly_axis(a0, s->p.ma, e.l);
  fly_axis(b0, s->p.mb, e.k);
  fly_to_space(a, s->p.ba->R, a0);
  fly_to_space(b, s->p.bb->R, b0);
  fly_to_body(c, s->p.ba->R, b);
  add_cross(g->q + TA, a0, c, factor * e.sign);
  fly_to_body(c, s->p.bb->R, a);
  add_cross(g->q + TB, b0, c, factor * e.sign);
}

// An angle about one axis: atan2(u, w). In gimbal lock: atan2 of the second pair; 0 if that has no signs.
typedef struct turn {
  entry u, w, locked_u, locked_w;
} turn;

// An angle between: atan2(hypot(across), along) for a nutation, atan2(along, hypot(across)) for an elevation.
typedef struct tilt {
  entry along, across[2];
  bool elevation;
} tilt;

static const turn TURNS[] = {
    {{2, 1, 1}, {1, 1, 1}, {0}, {0}},              // ax
    {{0, 2, 1}, {2, 2, 1}, {0}, {0}},              // ay
    {{1, 0, 1}, {0, 0, 1}, {0}, {0}},              // az
    {{0, 2, 1}, {1, 2, -1}, {1, 0, 1}, {0, 0, 1}}, // psi
    {{2, 0, 1}, {2, 1, 1}, {0}, {0}},              // phi
    {{1, 0, 1}, {0, 0, 1}, {0, 1, -1}, {1, 1, 1}}, // yaw
    {{2, 1, 1}, {2, 2, 1}, {0}, {0}},              // roll
};
enum { AX, AY, AZ, PSI, PHI, YAW, ROLL };

static const tilt TILTS[] = {
    {{2, 2, 1}, {{0, 2, 1}, {1, 2, 1}}, false}, // theta
    {{2, 0, 1}, {{0, 0, 1}, {1, 0, 1}}, true},  // pitch
};
enum { THETA, PITCH };

// The pair that counts, with its values; rho2 = 0: no pair does.
typedef struct chosen {
  entry u, w;
  double sine, cosine, rho2;
} chosen;

static chosen choose(const turn *t, const scene *s) {
  chosen c = {t->u, t->w, entry_value(t->u, s), entry_value(t->w, s), 0};
  c.rho2 = c.sine * c.sine + c.cosine * c.cosine;
  if (c.rho2 >= LOCKED * LOCKED)
    return c;
  c = (chosen){t->locked_u, t->locked_w, 0, 0, 0};
  if (t->locked_u.sign == 0)
    return c;
  c.sine = entry_value(c.u, s);
  c.cosine = entry_value(c.w, s);
  c.rho2 = c.sine * c.sine + c.cosine * c.cosine;
  return c;
}

static double turn_value(const fly_measure_type *type, const scene *s) {
  chosen c = choose(&TURNS[type->which], s);
  return c.rho2 == 0 ? 0 : atan2(c.sine, c.cosine);
}

static void turn_gradient(gradient *g, const fly_measure_type *type, const scene *s) {
  chosen c = choose(&TURNS[type->which], s);
  if (c.rho2 == 0)
    return;
  entry_gradient(g, c.u, s, c.cosine / c.rho2);
  entry_gradient(g, c.w, s, -c.sine / c.rho2);
}

static double tilt_across(const tilt *t, const scene *s) {
  return hypot(entry_value(t->across[0], s), entry_value(t->across[1], s));
}

static double tilt_value(const fly_measure_type *type, const scene *s) {
  const tilt *t = &TILTS[type->which];
  double along = entry_value(t->along, s), across = tilt_across(t, s);
  return t->elevation ? atan2(along, across) : atan2(across, along);
}

// along = cos(nutation) or sin(elevation), across is the other one
static void tilt_gradient(gradient *g, const fly_measure_type *type, const scene *s) {
  const tilt *t = &TILTS[type->which];
  double across = tilt_across(t, s);
  if (across >= LOCKED)
    entry_gradient(g, t->along, s, (t->elevation ? 1 : -1) / across);
}

// ------------------------------------------------------------------------------------------ the list

static const family COMPONENTS = {component_value, component_gradient}, APPROACH = {approach_value, approach_gradient},
                    TURNING = {turn_value, turn_gradient}, TILTING = {tilt_value, tilt_gradient};

#define AB "; without b: against ground"
#define ABC "; without b: against ground; without c: along the axes of space"
#define ALONG(name, level, unit, text, vector, axis)                                                                   \
  { name, 3, level, unit, false, text ABC, &COMPONENTS, vector, axis }
#define SIZE(name, level, unit, text, vector)                                                                          \
  { name, 2, level, unit, false, text AB, &COMPONENTS, vector, MAGNITUDE }
#define TURN(name, text, which)                                                                                        \
  { name, 2, FLY_OF_POSITION, "rad", true, text AB, &TURNING, 0, which }
#define TILT(name, text, which)                                                                                        \
  { name, 2, FLY_OF_POSITION, "rad", false, text AB, &TILTING, 0, which }

const fly_measure_type fly_measure_types[FLY_MEASURE_KINDS] = {
    [FLY_MEASURE_DX] = ALONG("dx", FLY_OF_POSITION, "m", "displacement of a from b, along x of c", DISPLACEMENT, 0),
    [FLY_MEASURE_DY] = ALONG("dy", FLY_OF_POSITION, "m", "displacement of a from b, along y of c", DISPLACEMENT, 1),
    [FLY_MEASURE_DZ] = ALONG("dz", FLY_OF_POSITION, "m", "displacement of a from b, along z of c", DISPLACEMENT, 2),
    [FLY_MEASURE_DM] = SIZE("dm", FLY_OF_POSITION, "m", "distance of a from b", DISPLACEMENT),
    [FLY_MEASURE_AX] = TURN("ax", "angle of y of a from y of b, about x of b; for turns about that axis", AX),
    [FLY_MEASURE_AY] = TURN("ay", "angle of z of a from z of b, about y of b; for turns about that axis", AY),
    [FLY_MEASURE_AZ] = TURN("az", "angle of x of a from x of b, about z of b; for turns about that axis", AZ),
    [FLY_MEASURE_PSI] = TURN("psi", "first of the 3-1-3 Euler angles of a against b", PSI),
    [FLY_MEASURE_THETA] = TILT("theta", "second of the 3-1-3 Euler angles of a against b, from 0 to pi", THETA),
    [FLY_MEASURE_PHI] = TURN("phi", "third of the 3-1-3 Euler angles of a against b", PHI),
    [FLY_MEASURE_YAW] = TURN("yaw", "first of the 3-2-1 angles of a against b, about z", YAW),
    [FLY_MEASURE_PITCH] =
        TILT("pitch", "second of the 3-2-1 angles of a against b, about -y: nose up if x is ahead and z up", PITCH),
    [FLY_MEASURE_ROLL] = TURN("roll", "third of the 3-2-1 angles of a against b, about x", ROLL),
    [FLY_MEASURE_VX] = ALONG("vx", FLY_OF_VELOCITY, "m/s", "velocity of a minus that of b, along x of c", VELOCITY, 0),
    [FLY_MEASURE_VY] = ALONG("vy", FLY_OF_VELOCITY, "m/s", "velocity of a minus that of b, along y of c", VELOCITY, 1),
    [FLY_MEASURE_VZ] = ALONG("vz", FLY_OF_VELOCITY, "m/s", "velocity of a minus that of b, along z of c", VELOCITY, 2),
    [FLY_MEASURE_VM] = SIZE("vm", FLY_OF_VELOCITY, "m/s", "size of the velocity of a minus that of b", VELOCITY),
    [FLY_MEASURE_VR] = {"vr", 2, FLY_OF_VELOCITY, "m/s", false,
                        "rate of the distance of a from b, positive as they part" AB, &APPROACH, 0, 0},
    [FLY_MEASURE_WX] = ALONG("wx", FLY_OF_VELOCITY, "rad/s", "angular velocity of a against b, along x of c", SPIN, 0),
    [FLY_MEASURE_WY] = ALONG("wy", FLY_OF_VELOCITY, "rad/s", "angular velocity of a against b, along y of c", SPIN, 1),
    [FLY_MEASURE_WZ] = ALONG("wz", FLY_OF_VELOCITY, "rad/s", "angular velocity of a against b, along z of c", SPIN, 2),
    [FLY_MEASURE_WM] = SIZE("wm", FLY_OF_VELOCITY, "rad/s", "size of the angular velocity of a against b", SPIN),
    [FLY_MEASURE_ACCX] =
        ALONG("accx", FLY_OF_ACCELERATION, "m/s^2", "acceleration of a minus that of b, along x of c", ACCELERATION, 0),
    [FLY_MEASURE_ACCY] =
        ALONG("accy", FLY_OF_ACCELERATION, "m/s^2", "acceleration of a minus that of b, along y of c", ACCELERATION, 1),
    [FLY_MEASURE_ACCZ] =
        ALONG("accz", FLY_OF_ACCELERATION, "m/s^2", "acceleration of a minus that of b, along z of c", ACCELERATION, 2),
    [FLY_MEASURE_ACCM] =
        SIZE("accm", FLY_OF_ACCELERATION, "m/s^2", "size of the acceleration of a minus that of b", ACCELERATION),
    [FLY_MEASURE_WDTX] = ALONG("wdtx", FLY_OF_ACCELERATION, "rad/s^2",
                               "angular acceleration of a minus that of b, along x of c", SPIN_RATE, 0),
    [FLY_MEASURE_WDTY] = ALONG("wdty", FLY_OF_ACCELERATION, "rad/s^2",
                               "angular acceleration of a minus that of b, along y of c", SPIN_RATE, 1),
    [FLY_MEASURE_WDTZ] = ALONG("wdtz", FLY_OF_ACCELERATION, "rad/s^2",
                               "angular acceleration of a minus that of b, along z of c", SPIN_RATE, 2),
    [FLY_MEASURE_WDTM] = SIZE("wdtm", FLY_OF_ACCELERATION, "rad/s^2",
                              "size of the angular acceleration of a minus that of b", SPIN_RATE),
};

int fly_measure_find(const char *name) {
  for (int k = 0; k < FLY_MEASURE_KINDS; k++)
    if (strcmp(fly_measure_types[k].name, name) == 0)
      return k;
  return -1;
}

bool fly_measure_is_size(fly_measure_kind kind) {
  return fly_measure_types[kind].family == &COMPONENTS && fly_measure_types[kind].which == MAGNITUDE;
}

static scene complete(const fly_triple *p, const double *a) {
  scene s = {*p, a};
  if (!s.p.bb) {
    s.p.bb = &GROUND;
    s.p.mb = &ORIGIN;
  }
  if (!s.p.bc) {
    s.p.bc = &GROUND;
    s.p.mc = &ORIGIN;
  }
  return s;
}

double fly_measure_value(fly_measure_kind kind, const fly_triple *p, const double *a) {
  const fly_measure_type *type = &fly_measure_types[kind];
  assert(a || type->level < FLY_OF_ACCELERATION);
  scene s = complete(p, a);
  return type->family->value(type, &s);
}

void fly_measure_gradient(double *dq, double *dv, double *da, fly_measure_kind kind, const fly_triple *p,
                          const double *a) {
  const fly_measure_type *type = &fly_measure_types[kind];
  assert(dv || type->level < FLY_OF_VELOCITY);
  assert((a && da) || type->level < FLY_OF_ACCELERATION);
  gradient g = {dq, dv, da};
  scene s = complete(p, a);
  memset(dq, 0, FLY_TRIPLE * sizeof *dq);
  if (dv)
    memset(dv, 0, FLY_TRIPLE * sizeof *dv);
  if (da)
    memset(da, 0, FLY_TRIPLE * sizeof *da);
  type->family->gradient(&g, type, &s);
}
