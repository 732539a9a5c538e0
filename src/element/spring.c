// Springs between two points, and the law in their place.
#include "element/spring.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "element/list.h"
#include "element/load.h"
#include "element/primitive.h"
#include "element/table.h"
#include "math/so3.h"

// ------------------------------------------------------------------------------------------ along any coordinate

double fly_coordinate_rate(const double G[12], const double v[12]) {
  double rate = 0;
  for (int i = 0; i < FLY_PAIR; i++)
    rate += G[i] * v[i];
  return rate;
}

void fly_coordinate_force(double Q[12], double F, const double G[12]) {
  for (int i = 0; i < FLY_PAIR; i++)
    Q[i] = -F * G[i];
}

void fly_coordinate_derivatives(double *K, double *C, double F, double k, double c, const double v[12],
                                const double G[12], const double H[144]) {
  double dF[FLY_PAIR]; // dF/dq = k G + c Z
  for (int j = 0; j < FLY_PAIR; j++) {
    double Z = 0;
    for (int i = 0; i < FLY_PAIR; i++)
      Z += v[i] * H[FLY_PAIR * i + j];
    dF[j] = k * G[j] + c * Z;
  }
  for (int i = 0; i < FLY_PAIR; i++)
    for (int j = 0; j < FLY_PAIR; j++) {
      int at = FLY_PAIR * i + j;
      K[at] = -G[i] * dF[j] - F * H[at];
      C[at] = -c * G[i] * G[j];
    }
}

void fly_coordinate_matrix(double *P, const double G[12]) {
  memset(P, 0, 6 * FLY_TRIPLE * sizeof *P);
  for (int i = 0; i < FLY_PAIR; i++)
    P[6 * i] = G[i];
}

void fly_coordinate_curvature(double *H, double f, const double K[144]) {
  for (int i = 0; i < FLY_PAIR; i++)
    for (int j = 0; j < FLY_PAIR; j++)
      H[FLY_TRIPLE * i + j] += f * K[FLY_PAIR * i + j];
}

// ------------------------------------------------------------------------------------------ between two points

// With D = d(p_j - p_i)/dq and n = (p_j - p_i)/l: G = n^T D, and H = D^T (1 - n n^T) D / l + d(D^T n)/dq at fixed n.
static void length_curvature(double *H, const double n[3], double l, const double *G, const fly_pair *p) {
  double D[3 * FLY_PAIR];
  fly_primitive_types[FLY_POINT].jacobian(D, p, NULL);
  for (int i = 0; i < FLY_PAIR; i++)
    for (int j = 0; j < FLY_PAIR; j++) {
      double DD = 0;
      for (int m = 0; m < 3; m++)
        DD += D[FLY_PAIR * m + i] * D[FLY_PAIR * m + j];
      H[FLY_PAIR * i + j] = (DD - G[i] * G[j]) / l;
    }
  fly_primitive_types[FLY_POINT].curvature(H, n, p, NULL);
}

// G = (-n, -s_i x R_i^T n, n, s_j x R_j^T n)
static void length_jacobian(double *G, const double n[3], const fly_pair *p) {
  double c[3], u[3];
  fly_to_body(c, p->bi->R, n);
  fly_cross(u, c, p->mi->s); // -s_i x c
  fly_to_body(c, p->bj->R, n);
  fly_cross(G + 9, p->mj->s, c);
  for (int k = 0; k < 3; k++) {
    G[k] = -n[k];
    G[3 + k] = u[k];
    G[6 + k] = n[k];
  }
}

double fly_length(double *G, double *H, const fly_pair *p) {
  double e[3], own[FLY_PAIR];
  fly_primitive_types[FLY_POINT].value(e, p, NULL);
  double l = sqrt(fly_dot3(e, e) + FLY_LENGTH_TINY * FLY_LENGTH_TINY);
  const double n[3] = {e[0] / l, e[1] / l, e[2] / l};
  if (G || H)
    length_jacobian(own, n, p);
  if (G)
    memcpy(G, own, sizeof own);
  if (H)
    length_curvature(H, n, l, own, p);
  return l;
}

// l' = n . (v_j - v_i), without the Jacobian
static double length_rate(const fly_pair *p) {
  double e[3], vi[3], vj[3];
  fly_primitive_types[FLY_POINT].value(e, p, NULL);
  fly_point_velocity(vi, p->bi, p->mi);
  fly_point_velocity(vj, p->bj, p->mj);
  return (fly_dot3(e, vj) - fly_dot3(e, vi)) / fly_length(NULL, NULL, p);
}

static double tension(double l, double rate, const fly_spring *k) {
  return k->stiffness * (l - k->free_length) + k->damping * rate + k->preload;
}

double fly_spring_tension(const fly_pair *p, const fly_spring *k) {
  return tension(fly_length(NULL, NULL, p), length_rate(p), k);
}

void fly_spring_force(double Q[12], const fly_pair *p, const fly_spring *k) {
  double G[FLY_PAIR], v[FLY_PAIR];
  double l = fly_length(G, NULL, p);
  fly_pair_velocities(v, p);
  fly_coordinate_force(Q, tension(l, fly_coordinate_rate(G, v), k), G);
}

void fly_spring_derivatives(double *K, double *C, const fly_pair *p, const fly_spring *k) {
  double G[FLY_PAIR], v[FLY_PAIR], H[FLY_PAIR * FLY_PAIR];
  double l = fly_length(G, H, p);
  fly_pair_velocities(v, p);
  fly_coordinate_derivatives(K, C, tension(l, fly_coordinate_rate(G, v), k), k->stiffness, k->damping, v, G, H);
}

double fly_spring_energy(const fly_pair *p, const fly_spring *k) {
  double stretch = fly_length(NULL, NULL, p) - k->free_length;
  return (k->stiffness * stretch / 2 + k->preload) * stretch;
}

double fly_spring_dissipation(const fly_pair *p, const fly_spring *k) {
  double rate = length_rate(p);
  return k->damping * rate * rate;
}

// ------------------------------------------------------------------------------------------ the row

static fly_status make(void *to, const fly_maker *from) {
  fly_spring *k = to;
  *k = (fly_spring){.stiffness = from->number(from, "stiffness"),
                    .damping = from->number(from, "damping"),
                    .free_length = fly_seen_distance(&from->start.marker[0], &from->start.marker[1]),
                    .preload = from->number(from, "preload")};
  if (from->given(from, "free_length"))
    k->free_length = from->number(from, "free_length");
  return FLY_OK;
}

static void force(double *Q, const fly_force_at *at, const void *k) {
  fly_pair p = fly_force_pair(at);
  fly_spring_force(Q, &p, k);
}

static void derivatives(double *K, double *C, const fly_force_at *at, const void *k) {
  fly_pair p = fly_force_pair(at);
  fly_spring_derivatives(K, C, &p, k);
}

static double energy(const fly_force_at *at, const void *k) {
  fly_pair p = fly_force_pair(at);
  return fly_spring_energy(&p, k);
}

static double dissipation(const fly_force_at *at, const void *k) {
  fly_pair p = fly_force_pair(at);
  return fly_spring_dissipation(&p, k);
}

static bool damps(const void *k) { return ((const fly_spring *)k)->damping != 0; }

static void values(double *out, const fly_force_at *at, const void *k) {
  fly_pair p = fly_force_pair(at);
  out[0] = fly_length(NULL, NULL, &p);
  out[1] = -fly_spring_tension(&p, k);
}

static void direction(double *Q, const fly_force_at *at) {
  fly_pair p = fly_force_pair(at);
  fly_length(Q, NULL, &p);
}

static const fly_quantity QUANTITIES[] = {
    {"length", "m", "distance of the ends"}, {"force", "N", "pushing the ends apart"}, {0}};

static const fly_force_type TYPE = {.size = sizeof(fly_spring), .look = "spring", .unit = "N", FLY_FORCE_ALONG};

static const fly_parameter PARAMETERS[] = {
    {"from", FLY_MARKER, 1, "", NULL, true, ANY, "one end"},
    {"to", FLY_MARKER, 1, "", NULL, true, ANY, "other end"},
    {"stiffness", FLY_NUMBER, 1, "N/m", "0", false, NOT_NEGATIVE, "stiffness"},
    {"damping", FLY_NUMBER, 1, "N s/m", "0", false, NOT_NEGATIVE, "damping"},
    {"free_length", FLY_NUMBER, 1, "m", NULL, false, NOT_NEGATIVE,
     "length without force; as at the start if not given"},
    {"preload", FLY_NUMBER, 1, "N", "0", false, ANY, "force added, pulling the ends together"},
    {"force", FLY_EXPRESSION, 1, "N", NULL, false, KNOWS("length rate"),
     "instead of these: force that pushes the ends apart, also of its `length` [m] and the `rate` of it [m/s]"},
    SWITCH,
    END};

const fly_element_type fly_forces_spring =
    FLY_ELEMENT("forces", "spring", "spring and damper between two points",
                "spring: {type: spring, from: crank.pin, to: ground, stiffness: 1e4}", .parameters = PARAMETERS,
                .force = &TYPE, .load = &fly_load_length);

// ------------------------------------------------------------------------------------------ a law in its place

static void law_matrix(double *P, const fly_triple *t) {
  fly_pair p = {t->ba, t->bb, t->ma, t->mb};
  double G[FLY_PAIR];
  fly_length(G, NULL, &p);
  fly_coordinate_matrix(P, G);
}

static void law_curvature(double *H, const double *f, const fly_triple *t) {
  fly_pair p = {t->ba, t->bb, t->ma, t->mb};
  double K[FLY_PAIR * FLY_PAIR];
  fly_length(NULL, K, &p);
  fly_coordinate_curvature(H, f[0], K);
}

static double law_coordinate(const fly_triple *t) {
  fly_pair p = {t->ba, t->bb, t->ma, t->mb};
  return fly_length(NULL, NULL, &p);
}

const fly_load_type fly_load_length = {
    .parameter = {"force"},
    .unit = {"N"},
    .word = {{"length", FLY_MEASURE_DM, {1, 0, -1}}, {"rate", FLY_MEASURE_VR, {1, 0, -1}}},
    .quantity = QUANTITIES,
    .matrix = law_matrix,
    .curvature = law_curvature,
    .coordinate = law_coordinate};
