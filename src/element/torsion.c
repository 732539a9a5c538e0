// Springs about joints, and the law in their place.
#include "element/torsion.h"

#include "element/list.h"
#include "element/load.h"
#include "element/primitive.h"
#include "element/table.h"

static double torque(const fly_torsion *k, double theta, double rate) {
  return k->stiffness * (theta - k->free_angle) + k->damping * rate;
}

void fly_torsion_force(double Q[12], const fly_torsion *k, double theta, double rate, const double G[12]) {
  fly_coordinate_force(Q, torque(k, theta, rate), G);
}

void fly_torsion_derivatives(double *K, double *C, const fly_torsion *k, double theta, const double v[12],
                             const double G[12], const double H[144]) {
  double T = torque(k, theta, fly_coordinate_rate(G, v));
  fly_coordinate_derivatives(K, C, T, k->stiffness, k->damping, v, G, H);
}

double fly_torsion_energy(const fly_torsion *k, double theta) {
  double turn = theta - k->free_angle;
  return k->stiffness * turn * turn / 2;
}

double fly_torsion_dissipation(const fly_torsion *k, double rate) { return k->damping * rate * rate; }

// ------------------------------------------------------------------------------------------ the row

static const fly_primitive ABOUT_Z = {2, 0, 0.0};

static fly_status make(void *to, const fly_maker *from) {
  fly_torsion *k = to;
  *k = (fly_torsion){from->number(from, "stiffness"), from->number(from, "damping"), from->number(from, "free_angle")};
  return FLY_OK;
}

static void force(double *Q, const fly_force_at *at, const void *k) {
  fly_pair p = fly_force_pair(at);
  double G[FLY_PAIR];
  fly_primitive_types[FLY_ANGLE].jacobian(G, &p, &ABOUT_Z);
  fly_torsion_force(Q, k, at->angle, fly_primitive_rate(FLY_ANGLE, &p, &ABOUT_Z), G);
}

static void derivatives(double *K, double *C, const fly_force_at *at, const void *k) {
  fly_pair p = fly_force_pair(at);
  double G[FLY_PAIR], v[FLY_PAIR], H[FLY_PAIR * FLY_PAIR] = {0}, one = 1.0;
  fly_primitive_types[FLY_ANGLE].jacobian(G, &p, &ABOUT_Z);
  fly_primitive_types[FLY_ANGLE].curvature(H, &one, &p, &ABOUT_Z);
  fly_pair_velocities(v, &p);
  fly_torsion_derivatives(K, C, k, at->angle, v, G, H);
}

static double energy(const fly_force_at *at, const void *k) { return fly_torsion_energy(k, at->angle); }

static double dissipation(const fly_force_at *at, const void *k) {
  fly_pair p = fly_force_pair(at);
  return fly_torsion_dissipation(k, fly_primitive_rate(FLY_ANGLE, &p, &ABOUT_Z));
}

static bool damps(const void *k) { return ((const fly_torsion *)k)->damping != 0; }

static void values(double *out, const fly_force_at *at, const void *k) {
  fly_pair p = fly_force_pair(at);
  out[0] = at->angle;
  out[1] = -torque(k, at->angle, fly_primitive_rate(FLY_ANGLE, &p, &ABOUT_Z));
}

static void direction(double *Q, const fly_force_at *at) {
  fly_pair p = fly_force_pair(at);
  fly_primitive_types[FLY_ANGLE].jacobian(Q, &p, &ABOUT_Z);
}

static const fly_quantity QUANTITIES[] = {{"angle", "rad", "of the second marker about z of the first, turns counted"},
                                          {"torque", "N m", "on the second body, about z of the first marker"},
                                          {0}};

static const fly_force_type TYPE = {
    .size = sizeof(fly_torsion), .look = "coil", .turns = true, .unit = "N m", FLY_FORCE_ALONG};

static const fly_parameter PARAMETERS[] = {
    {"joint", FLY_JOINT, 1, "", NULL, true, ANY, "a revolute, cylindrical or screw joint"},
    {"stiffness", FLY_NUMBER, 1, "N m/rad", "0", false, NOT_NEGATIVE, "stiffness"},
    {"damping", FLY_NUMBER, 1, "N m s/rad", "0", false, NOT_NEGATIVE, "damping"},
    {"free_angle", FLY_NUMBER, 1, "rad", "0", false, ANY, "angle without torque; 0 is the start"},
    {"torque", FLY_EXPRESSION, 1, "N m", NULL, false, KNOWS("angle rate"),
     "instead of these: torque that turns the second body on, also of the joint's `angle` [rad] and its `rate` "
     "[rad/s]"},
    SWITCH,
    END};

const fly_element_type fly_forces_torsion_spring =
    FLY_ELEMENT("forces", "torsion-spring", "spring and damper about the axis of a joint",
                "coil: {type: torsion-spring, joint: pin, stiffness: 10}", .parameters = PARAMETERS, .force = &TYPE,
                .load = &fly_load_angle);

// ------------------------------------------------------------------------------------------ a law in its place

static void law_matrix(double *P, const fly_triple *t) {
  fly_pair p = {t->ba, t->bb, t->ma, t->mb};
  double G[FLY_PAIR];
  fly_primitive_types[FLY_ANGLE].jacobian(G, &p, &ABOUT_Z);
  fly_coordinate_matrix(P, G);
}

static void law_curvature(double *H, const double *f, const fly_triple *t) {
  fly_pair p = {t->ba, t->bb, t->ma, t->mb};
  double K[FLY_PAIR * FLY_PAIR] = {0}, one = 1.0;
  fly_primitive_types[FLY_ANGLE].curvature(K, &one, &p, &ABOUT_Z);
  fly_coordinate_curvature(H, f[0], K);
}

static double law_coordinate(const fly_triple *t) {
  fly_pair p = {t->ba, t->bb, t->ma, t->mb};
  double angle;
  fly_primitive_types[FLY_ANGLE].value(&angle, &p, &ABOUT_Z);
  return angle;
}

static const fly_quantity LAW_QUANTITIES[] = {{"angle", "rad", "of the second marker about z of the first, -pi to pi"},
                                              {"torque", "N m", "on the second body, about z of the first marker"},
                                              {0}};

const fly_load_type fly_load_angle = {
    .parameter = {"torque"},
    .unit = {"N m"},
    .word = {{"angle", FLY_MEASURE_AZ, {1, 0, -1}}, {"rate", FLY_MEASURE_WZ, {1, 0, 0}}},
    .quantity = LAW_QUANTITIES,
    .matrix = law_matrix,
    .curvature = law_curvature,
    .coordinate = law_coordinate};
