// Reactions of joints, with their derivatives.
#include "element/reaction.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/so3.h"

enum { TB = 9, TC = 15 }; // columns of a triple
enum { MAGNITUDE = 3 };   // of the four kinds of a force or a torque

#define OF " of joint j on its second body"
#define ALONG(axis) ", along " axis " of m; without m: of the joint's first marker"

const fly_reaction_type fly_reaction_types[FLY_REACTION_KINDS] = {
    [FLY_REACTION_FX] = {"fx", "N", "force" OF ALONG("x")},
    [FLY_REACTION_FY] = {"fy", "N", "force" OF ALONG("y")},
    [FLY_REACTION_FZ] = {"fz", "N", "force" OF ALONG("z")},
    [FLY_REACTION_FM] = {"fm", "N", "size of the force" OF},
    [FLY_REACTION_TX] = {"tx", "N m", "torque" OF " about its marker" ALONG("x")},
    [FLY_REACTION_TY] = {"ty", "N m", "torque" OF " about its marker" ALONG("y")},
    [FLY_REACTION_TZ] = {"tz", "N m", "torque" OF " about its marker" ALONG("z")},
    [FLY_REACTION_TM] = {"tm", "N m", "size of the torque" OF " about its marker"},
};

int fly_reaction_find(const char *name) {
  for (int k = 0; k < FLY_REACTION_KINDS; k++)
    if (strcmp(fly_reaction_types[k].name, name) == 0)
      return k;
  return -1;
}

bool fly_reaction_is_size(fly_reaction_kind kind) { return kind == FLY_REACTION_FM || kind == FLY_REACTION_TM; }

static bool is_torque(fly_reaction_kind kind) { return kind >= FLY_REACTION_TX; }

static int component(fly_reaction_kind kind) { return (int)kind % 4; }

// Force in space, or torque about the marker in space; f and m: in axes of j.
static void vector_of(double u[3], double f[3], double m[3], fly_reaction_kind kind, const double W[6],
                      const fly_triple *p) {
  double moment[3];
  fly_to_body(f, p->bb->R, W);
  fly_cross(moment, p->mb->s, f);
  for (int k = 0; k < 3; k++)
    m[k] = W[3 + k] - moment[k];
  if (is_torque(kind))
    fly_to_space(u, p->bb->R, m);
  else
    memcpy(u, W, 3 * sizeof *u);
}

double fly_reaction_value(fly_reaction_kind kind, const double W[6], const fly_triple *p) {
  double u[3], f[3], m[3], z[3];
  vector_of(u, f, m, kind, W, p);
  if (component(kind) == MAGNITUDE)
    return sqrt(fly_dot3(u, u));
  fly_axis_space(z, p->bc, p->mc, component(kind));
  return fly_dot3(z, u);
}

// With z the axis in space and z_j = R_j^T z:
//   z . F                            dF = z
//   z . M = z_j . (T - s x R_j^T F)  dT = z_j,  dF = R_j (s x z_j),  dtheta_j = m x z_j - (z_j x s) x f
//   axis of c: dtheta_c = z0 x R_c^T u.  A size is the component along its own direction, which need not be varied.
void fly_reaction_gradient(double dW[6], double dq[18], fly_reaction_kind kind, const double W[6],
                           const fly_triple *p) {
  double u[3], f[3], m[3], z[3], z0[3], zj[3], uc[3], sz[3], turn[3], moved[3];
  memset(dW, 0, 6 * sizeof *dW);
  memset(dq, 0, FLY_TRIPLE * sizeof *dq);
  vector_of(u, f, m, kind, W, p);
  if (component(kind) == MAGNITUDE) {
    if (!fly_direction(z, u))
      return;
  } else {
    fly_axis(z0, p->mc, component(kind));
    fly_to_space(z, p->bc->R, z0);
    fly_to_body(uc, p->bc->R, u);
    fly_cross(dq + TC, z0, uc);
  }
  if (!is_torque(kind)) {
    memcpy(dW, z, sizeof z);
    return;
  }
  fly_to_body(zj, p->bb->R, z);
  fly_cross(sz, p->mb->s, zj);
  fly_to_space(dW, p->bb->R, sz);
  memcpy(dW + 3, zj, sizeof zj);
  fly_cross(turn, m, zj);
  fly_cross(moved, sz, f);
  for (int k = 0; k < 3; k++)
    dq[TB + k] = turn[k] + moved[k]; // -(z_j x s) = s x z_j
}
