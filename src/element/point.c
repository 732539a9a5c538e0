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

static void mass(double *M, const fly_body_at *at, const fly_body_own *own) {
  (void)at;
  memcpy(M, (double[9]){own->mass, 0, 0, 0, own->mass, 0, 0, 0, own->mass}, 9 * sizeof *M);
}

static void force(double *f, const fly_body_at *at, const double g[3], const fly_body_own *own) {
  (void)at;
  for (int c = 0; c < 3; c++)
    f[c] += own->mass * g[c];
}

// ------------------------------------------------------------------------------------------ the row

static const fly_quantity STATE[] = {
    FLY_ALONG("", "m", "position", "space"), FLY_ALONG("v", "m/s", "velocity", "space"), {0}};
static const fly_quantity ACCELERATION[] = {FLY_ALONG("acc", "m/s^2", "acceleration", "space"), {0}};

static const int COLUMNS[] = {0, 1, 2};

static const fly_body_type TYPE = {
    .noun = "point mass", .nq = 3, .nv = 3, .turn_q = -1, .turn_v = -1, FLY_BODY_OF_ITS_FRAME, FLY_BODY_OF_ONE_FRAME};

static const fly_parameter PARAMETERS[] = {
    {"mass", FLY_NUMBER, 1, "kg", NULL, true, POSITIVE, "mass"},
    {"position", FLY_NUMBER, 3, "m", "[0, 0, 0]", false, ANY, "where it starts"},
    {"velocity", FLY_NUMBER, 3, "m/s", "[0, 0, 0]", false, ANY, "velocity at the start"},
    LOOKS,
    HOLD("x y z all"),
    END};

const fly_element_type fly_bodies_point =
    FLY_ELEMENT("bodies", "point", "a mass without extent", "bob: {type: point, mass: 1, position: [1, 0, 0]}",
                .parameters = PARAMETERS, .body = &TYPE);
