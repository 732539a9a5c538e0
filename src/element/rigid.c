// A rigid body: q = (r, quaternion), v = (dr/dt, w), w in body axes.
//
//   M = diag(m, m, m, J),   f = (m g, -w x J w)
#include <math.h>
#include <string.h>

#include "element/body.h"
#include "element/inertia.h"
#include "element/list.h"
#include "element/table.h"
#include "math/so3.h"

double fly_body_kinetic(const fly_body_at *at, const fly_body_own *own) {
  const double *v = at->frame->v, *w = at->frame->w;
  double L[3];
  fly_to_space(L, own->J, w);
  return 0.5 * (own->mass * fly_dot3(v, v) + fly_dot3(w, L));
}

double fly_body_weight(const fly_body_at *at, const double g[3], const fly_body_own *own) {
  return -(own->mass * fly_dot3(g, at->frame->r));
}

// ------------------------------------------------------------------------------------------ what the user gave

static fly_status given_inertia(double J[9], const fly_maker *from) {
  const int count = from->count(from, "inertia");
  double I[6];
  if (count == 3 || count == 6)
    from->numbers(from, "inertia", count, I);
  if (count == 3)
    memcpy(J, (double[9]){I[0], 0, 0, 0, I[1], 0, 0, 0, I[2]}, 9 * sizeof *J);
  else if (count == 6)
    memcpy(J, (double[9]){I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}, 9 * sizeof *J);
  else
    return from->refuse(from, "`inertia` takes 3 or 6 numbers, not %d.", count);
  return FLY_OK;
}

// What is given wins over what the shapes say: another mass scales their inertia.
static fly_status join_inertia(bool shaped, fly_inertia *sum, const fly_maker *from) {
  const bool mass = from->given(from, "mass"), inertia = from->given(from, "inertia");
  if (!shaped && !mass)
    return from->refuse(from, "`mass` is missing [kg]: give it, or a density to its shapes.");
  if (!shaped && !inertia)
    return from->refuse(from, "`inertia` is missing [kg m^2]: give it, or a density to its shapes.");
  if (shaped && !(sum->mass > 0))
    return from->refuse(from, "its shapes have a mass of %.4g kg in all; holes (of negative density) lie in something.",
                        sum->mass);
  if (shaped && !inertia && from->given(from, "center"))
    return from->refuse(from, "`center` is given, but the inertia of its shapes is about their own mass centre; give "
                              "`inertia` too, or no `center`.");
  if (mass) {
    const double given = from->number(from, "mass");
    for (int k = 0; shaped && k < 9; k++)
      sum->I[k] *= given / sum->mass;
    sum->mass = given;
  }
  if (!shaped || from->given(from, "center"))
    from->numbers(from, "center", 3, sum->center);
  return inertia ? given_inertia(sum->I, from) : FLY_OK;
}

static fly_status set_inertia(fly_body_own *own, const fly_maker *from) {
  fly_inertia sum;
  const bool shaped = from->shapes(from, &sum);
  fly_status status = join_inertia(shaped, &sum, from);
  if (status)
    return status;
  const fly_inertia_report report = fly_inertia_check(&sum);
  if (report.verdict != FLY_INERTIA_GOOD)
    return from->refuse(from, "%s. Its principal moments are %.4g, %.4g and %.4g kg m^2.",
                        fly_inertia_texts[report.verdict], report.moment[0], report.moment[1], report.moment[2]);
  own->mass = sum.mass;
  memcpy(own->center, sum.center, sizeof own->center);
  memcpy(own->J, sum.I, sizeof own->J);
  return FLY_OK;
}

// Frame of the user to mass centre: r + R c, v + w x R c; angular velocity from space to body axes.
void fly_turning_start(double *q, double *v, const fly_body_own *own, const fly_maker *from) {
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, w[3], rc[3], wrc[3];
  if (from->given(from, "orientation"))
    from->numbers(from, "orientation", 9, R);
  from->numbers(from, "position", 3, q);
  from->numbers(from, "velocity", 3, v);
  from->numbers(from, "angular_velocity", 3, w);
  fly_to_space(rc, R, own->center);
  fly_cross(wrc, w, rc);
  for (int k = 0; k < 3; k++) {
    q[k] += rc[k];
    v[k] += wrc[k];
  }
  fly_quat_of_matrix(q + 3, R);
  fly_to_body(v + 3, R, w);
}

static fly_status make(fly_body_own *own, double *q, double *v, const fly_maker *from) {
  fly_status status = set_inertia(own, from);
  fly_turning_start(q, v, own, from);
  return status;
}

void fly_turning_place(double *q, double *v, const fly_kinematics *from, const fly_kinematics *to) {
  (void)from;
  memcpy(q, to->r, sizeof to->r);
  memcpy(v, to->v, sizeof to->v);
  fly_quat_of_matrix(q + 3, to->R);
  memcpy(v + 3, to->w, sizeof to->w);
}

// ------------------------------------------------------------------------------------------ where it is

void fly_turning_position(fly_kinematics *at, const double *q) {
  memcpy(at->r, q, sizeof at->r);
  fly_quat_matrix(at->R, q + 3);
}

void fly_turning_velocity(fly_kinematics *at, const double *v) {
  memcpy(at->v, v, sizeof at->v);
  memcpy(at->w, v + 3, sizeof at->w);
}

void fly_turning_quaternion(double e[4], const double *q) { memcpy(e, q + 3, 4 * sizeof *e); }

double fly_turning_turned(const double *from, const double *to) {
  const double back[4] = {from[3], -from[4], -from[5], -from[6]};
  double turn[4], angle[3];
  fly_quat_multiply(turn, back, to + 3);
  fly_quat_log(angle, turn);
  return sqrt(fly_dot3(angle, angle));
}

// ------------------------------------------------------------------------------------------ what it weighs

static void mass(double *M, const fly_body_at *at, const fly_body_own *own) {
  (void)at;
  memset(M, 0, 36 * sizeof *M);
  for (int k = 0; k < 3; k++)
    M[7 * k] = own->mass;
  for (int k = 0; k < 9; k++)
    M[6 * (3 + k / 3) + 3 + k % 3] = own->J[k];
}

static void force(double *f, const fly_body_at *at, const double g[3], const fly_body_own *own) {
  double L[3], wL[3];
  for (int c = 0; c < 3; c++)
    f[c] += own->mass * g[c];
  fly_to_space(L, own->J, at->frame->w);
  fly_cross(wL, at->frame->w, L);
  for (int c = 0; c < 3; c++)
    f[3 + c] -= wL[c];
}

// -d(w x J w)/dw = [J w] - [w] J
static void derivatives(double *K, double *C, const fly_body_at *at, const double g[3], const fly_body_own *own) {
  const double *w = at->frame->w;
  double L[3], W[9], WJ[9], S[9];
  (void)K, (void)g;
  fly_to_space(L, own->J, w);
  fly_skew(W, w);
  fly_multiply3(WJ, W, own->J);
  fly_skew(S, L);
  for (int k = 0; k < 9; k++)
    C[k] = S[k] - WJ[k];
}

// ------------------------------------------------------------------------------------------ the row

static const fly_quantity STATE[] = {FLY_ALONG("", "m", "mass centre", "space"),
                                     FLY_QUATERNION("body"),
                                     FLY_ALONG("v", "m/s", "velocity of the mass centre", "space"),
                                     FLY_ALONG("w", "rad/s", "angular velocity", "space"),
                                     {0}};
static const fly_quantity ACCELERATION[] = {FLY_ALONG("acc", "m/s^2", "acceleration of the mass centre", "space"),
                                            FLY_ALONG("wdt", "rad/s^2", "angular acceleration", "space"),
                                            {0}};

const int fly_turning_columns[] = {0, 1, 2, 3, 4, 5};

static const fly_body_type TYPE = {.noun = "rigid body",
                                   .block = 3,
                                   .blocks = 3,
                                   .inertias = 6,
                                   .derivatives = derivatives,
                                   FLY_BODY_THAT_TURNS,
                                   FLY_BODY_OF_ONE_FRAME};

static const fly_parameter PARAMETERS[] = {
    {"mass", FLY_NUMBER, 1, "kg", NULL, false, POSITIVE, "mass; without it that of its shapes with a density"},
    {"inertia", FLY_NUMBER, 0, "kg m^2", NULL, false, ANY,
     "about the mass centre, in body axes: [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] (products as in the "
     "matrix); without it that of its shapes, scaled to `mass`"},
    {"center", FLY_NUMBER, 3, "m", "[0, 0, 0]", false, ANY,
     "mass centre, from the body's frame, in its axes; without it that of its shapes with a density"},
    PLACEMENT,
    HOLD("x y z orientation all"),
    CARRIES("points and frames fixed to the body"),
    END};

const fly_element_type fly_bodies_rigid =
    FLY_ELEMENT("bodies", "rigid", "a rigid body", "crank: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}",
                .parameters = PARAMETERS, .body = &TYPE);
