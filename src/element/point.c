// A point mass: q = r, v = dr/dt; M = diag(m, m, m), f = m g. Its frame does not turn.
#include <string.h>

#include "element/body.h"
#include "element/list.h"
#include "element/table.h"

static fly_status make(fly_body_own *own, double *q, double *v, const fly_maker *from) {
  own->mass = from->number(from, "mass");
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

static void mass(double *M, const double *q, const fly_body_own *own) {
  (void)q;
  memcpy(M, (double[9]){own->mass, 0, 0, 0, own->mass, 0, 0, 0, own->mass}, 9 * sizeof *M);
}

static void force(double *f, const fly_body_at *at, const double g[3], const fly_body_own *own) {
  (void)at;
  for (int c = 0; c < 3; c++)
    f[c] += own->mass * g[c];
}

// ------------------------------------------------------------------------------------------ the row

static const fly_quantity STATE[] = {{"x", "m", "position, along x of space"},
                                     {"y", "m", "position, along y of space"},
                                     {"z", "m", "position, along z of space"},
                                     {"vx", "m/s", "velocity, along x of space"},
                                     {"vy", "m/s", "velocity, along y of space"},
                                     {"vz", "m/s", "velocity, along z of space"},
                                     {0}};
static const fly_quantity ACCELERATION[] = {{"accx", "m/s^2", "acceleration, along x of space"},
                                            {"accy", "m/s^2", "acceleration, along y of space"},
                                            {"accz", "m/s^2", "acceleration, along z of space"},
                                            {0}};

static const int COLUMNS[] = {0, 1, 2};

static const fly_body_type TYPE = {.noun = "point mass",
                                   .nq = 3,
                                   .nv = 3,
                                   .turn_q = -1,
                                   .turn_v = -1,
                                   .column = COLUMNS,
                                   .state = STATE,
                                   .acceleration = ACCELERATION,
                                   .make = make,
                                   .place = place,
                                   .position = position,
                                   .velocity = velocity,
                                   .quaternion = quaternion,
                                   .turned = turned,
                                   .mass = mass,
                                   .force = force,
                                   .kinetic = fly_body_kinetic,
                                   .weight = fly_body_weight};

static const fly_parameter PARAMETERS[] = {
    {"mass", FLY_NUMBER, 1, "kg", NULL, true, POSITIVE, "mass"},
    {"position", FLY_NUMBER, 3, "m", "[0, 0, 0]", false, ANY, "where it starts"},
    {"velocity", FLY_NUMBER, 3, "m/s", "[0, 0, 0]", false, ANY, "velocity at the start"},
    LOOKS,
    HOLD("x y z all"),
    END};

const fly_element_type fly_bodies_point = {.section = "bodies",
                                           .name = "point",
                                           .text = "a mass without extent",
                                           .example = "bob: {type: point, mass: 1, position: [1, 0, 0]}",
                                           .parameters = PARAMETERS,
                                           .body = &TYPE};
