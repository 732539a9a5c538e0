#include "element/spring.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "element/primitive.h"
#include "math/so3.h"

// ------------------------------------------------------------------------------------------ along any coordinate

static double rate_of(const double G[12], const double v[12]) {
  double rate = 0;
  for (int i = 0; i < FLY_PAIR; i++)
    rate += G[i] * v[i];
  return rate;
}

void fly_pair_velocities(double v[12], const fly_pair *p) {
  const double *part[4] = {p->bi->v, p->bi->w, p->bj->v, p->bj->w};
  for (int i = 0; i < FLY_PAIR; i++)
    v[i] = part[i / 3][i % 3];
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
  fly_coordinate_force(Q, tension(l, rate_of(G, v), k), G);
}

void fly_spring_derivatives(double *K, double *C, const fly_pair *p, const fly_spring *k) {
  double G[FLY_PAIR], v[FLY_PAIR], H[FLY_PAIR * FLY_PAIR];
  double l = fly_length(G, H, p);
  fly_pair_velocities(v, p);
  fly_coordinate_derivatives(K, C, tension(l, rate_of(G, v), k), k->stiffness, k->damping, v, G, H);
}

double fly_spring_energy(const fly_pair *p, const fly_spring *k) {
  double stretch = fly_length(NULL, NULL, p) - k->free_length;
  return (k->stiffness * stretch / 2 + k->preload) * stretch;
}

double fly_spring_dissipation(const fly_pair *p, const fly_spring *k) {
  double rate = length_rate(p);
  return k->damping * rate * rate;
}

// ------------------------------------------------------------------------------------------ about a joint

static double torque(const fly_torsion *k, double theta, double rate) {
  return k->stiffness * (theta - k->free_angle) + k->damping * rate;
}

void fly_torsion_force(double Q[12], const fly_torsion *k, double theta, double rate, const double G[12]) {
  fly_coordinate_force(Q, torque(k, theta, rate), G);
}

void fly_torsion_derivatives(double *K, double *C, const fly_torsion *k, double theta, const double v[12],
                             const double G[12], const double H[144]) {
  double T = torque(k, theta, rate_of(G, v));
  fly_coordinate_derivatives(K, C, T, k->stiffness, k->damping, v, G, H);
}

double fly_torsion_energy(const fly_torsion *k, double theta) {
  double turn = theta - k->free_angle;
  return k->stiffness * turn * turn / 2;
}

double fly_torsion_dissipation(const fly_torsion *k, double rate) { return k->damping * rate * rate; }
