// Reactions: what expressions can ask about the force and the torque of a joint on its second body.
//
//   W = (F, T)   generalized force of the joint on body j: F in space, T in body axes about its mass centre
//   M = R_j (T - s_j x R_j^T F)   the torque about the marker on body j, in space
//
// A reaction is a component of F or M along an axis of marker c, or the size of one; the sizes have zero derivatives
// where they vanish. Of a triple, a is the joint's marker on the first body, b that on the second, c gives the axes.
#ifndef FLY_ELEMENT_REACTION_H
#define FLY_ELEMENT_REACTION_H

#include "element/applied.h"

typedef enum fly_reaction_kind {
  FLY_REACTION_FX,
  FLY_REACTION_FY,
  FLY_REACTION_FZ,
  FLY_REACTION_FM,
  FLY_REACTION_TX,
  FLY_REACTION_TY,
  FLY_REACTION_TZ,
  FLY_REACTION_TM,
  FLY_REACTION_KINDS
} fly_reaction_kind;

typedef struct fly_reaction_type {
  const char *name;
  const char *unit;
  const char *text;
} fly_reaction_type;

extern const fly_reaction_type fly_reaction_types[FLY_REACTION_KINDS];

int fly_reaction_find(const char *name); // a fly_reaction_kind, or -1
bool fly_reaction_is_size(fly_reaction_kind kind);

double fly_reaction_value(fly_reaction_kind kind, const double W[6], const fly_triple *p);
// d value = dW . dW + dq . dq: dW (6) with respect to W, dq (18) with respect to the moves of the triple at fixed W.
void fly_reaction_gradient(double dW[6], double dq[18], fly_reaction_kind kind, const double W[6], const fly_triple *p);

#endif
