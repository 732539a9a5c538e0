// A body in the x-y plane: q = (x, y, angle), v their rates; M = diag(m, m, J_zz), f = (m g, 0).
#include <math.h>
#include <string.h>

#include "element/body.h"
#include "element/list.h"
#include "element/table.h"

static fly_status make(fly_body_own *own, double *q, double *v, const fly_maker *from) {
  double p[2], u[2], angle = from->number(from, "angle"), w = from->number(from, "angular_velocity");
  own->mass = from->number(from, "mass");
  own->J[8] = from->number(from, "inertia");
  from->numbers(from, "center", 2, own->center);
  from->numbers(from, "position", 2, p);
  from->numbers(from, "velocity", 2, u);
  double c = cos(angle), s = sin(angle);
  double x = c * own->center[0] - s * own->center[1], y = s * own->center[0] + c * own->center[1];
  memcpy(q, (double[3]){p[0] + x, p[1] + y, angle}, 3 * sizeof(double));
  memcpy(v, (double[3]){u[0] - w * y, u[1] + w * x, w}, 3 * sizeof(double));
  return FLY_OK;
}

// The turns with which it is drawn are kept.
static void place(double *q, double *v, const fly_kinematics *from, const fly_kinematics *to) {
  const double *A = from->R, *B = to->R;
  memcpy(q, to->r, 2 * sizeof *q);
  memcpy(v, to->v, 2 * sizeof *v);
  q[2] += atan2(A[0] * B[3] - A[3] * B[0], A[0] * B[0] + A[3] * B[3]);
  v[2] = to->w[2];
}

static void position(fly_kinematics *at, const double *q) {
  const double c = cos(q[2]), s = sin(q[2]);
  memcpy(at->r, (double[3]){q[0], q[1], 0}, sizeof at->r);
  memcpy(at->R, (double[9]){c, -s, 0, s, c, 0, 0, 0, 1}, sizeof at->R);
}

static void velocity(fly_kinematics *at, const double *v) {
  memcpy(at->v, (double[3]){v[0], v[1], 0}, sizeof at->v);
  at->w[2] = v[2];
}

static void quaternion(double e[4], const double *q) {
  memcpy(e, (double[4]){cos(q[2] / 2), 0, 0, sin(q[2] / 2)}, 4 * sizeof *e);
}

static double turned(const double *from, const double *to) { return fabs(to[2] - from[2]); }

static void mass(double *M, const fly_body_at *at, const fly_body_own *own) {
  (void)at;
  memcpy(M, (double[9]){own->mass, 0, 0, 0, own->mass, 0, 0, 0, own->J[8]}, 9 * sizeof *M);
}

static void force(double *f, const fly_body_at *at, const double g[3], const fly_body_own *own) {
  (void)at;
  f[0] += own->mass * g[0];
  f[1] += own->mass * g[1];
}

// ------------------------------------------------------------------------------------------ the row

static const fly_quantity STATE[] = {FLY_ALONG_PLANE("", "m", "mass centre"),
                                     {"angle", "rad", "angle about z, turns counted"},
                                     FLY_ALONG_PLANE("v", "m/s", "velocity of the mass centre"),
                                     {"w", "rad/s", "angular velocity about z"},
                                     {0}};
static const fly_quantity ACCELERATION[] = {FLY_ALONG_PLANE("acc", "m/s^2", "acceleration of the mass centre"),
                                            {"wdt", "rad/s^2", "angular acceleration about z"},
                                            {0}};

static const int COLUMNS[] = {0, 1, 5};

static const fly_body_type TYPE = {.noun = "planar body",
                                   .nq = 3,
                                   .nv = 3,
                                   .turn_q = -1,
                                   .turn_v = -1,
                                   .flat = true,
                                   .turns = true,
                                   .inertias = 1,
                                   FLY_BODY_OF_ITS_FRAME,
                                   FLY_BODY_OF_ONE_FRAME};

static const fly_parameter PARAMETERS[] = {
    {"mass", FLY_NUMBER, 1, "kg", NULL, true, POSITIVE, "mass"},
    {"inertia", FLY_NUMBER, 1, "kg m^2", NULL, true, POSITIVE, "about the mass centre, about z"},
    {"center", FLY_NUMBER, 2, "m", "[0, 0]", false, ANY, "mass centre, from the body's frame, in its axes"},
    {"position", FLY_NUMBER, 2, "m", "[0, 0]", false, ANY, "where the body's frame starts"},
    {"angle", FLY_NUMBER, 1, "rad", "0", false, ANY, "turn about z at the start"},
    {"velocity", FLY_NUMBER, 2, "m/s", "[0, 0]", false, ANY, "velocity of its frame at the start"},
    {"angular_velocity", FLY_NUMBER, 1, "rad/s", "0", false, ANY, "about z at the start"},
    HOLD("x y angle all"),
    CARRIES("points and frames fixed to the body"),
    END};

const fly_element_type fly_bodies_planar =
    FLY_ELEMENT("bodies", "planar", "a rigid body that moves in the x-y plane",
                "bar: {type: planar, mass: 1, inertia: 0.1}", .parameters = PARAMETERS, .body = &TYPE);
