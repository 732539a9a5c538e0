// What the files of trees share (tree.c: what hangs on what; tree_places.c: where bodies are; tree_accelerations.c).
#ifndef FLY_SYSTEM_TREE_H
#define FLY_SYSTEM_TREE_H

#include "base/quad.h"
#include "system/parts.h"

typedef enum turns { TURNS_FREELY, TURNS_ABOUT_Z, TURNS_WITH } turns;

enum { X_AXIS = 1, Y_AXIS = 2, Z_AXIS = 4, ALL_AXES = 7, SLOT = 8 };

typedef enum shape { RIGID, POINT, FLAT, OTHER } shape;

// Vectors of six numbers, and columns of matrices, are pairs of three, and each three have a fourth, which is zero.
//
// A free direction: U = I S, over = 1/(S . U), u = -S . p.
typedef struct direction {
  quad S[2], U[2];
  double over, u;
  double lost[4]; // rounding errors of its acceleration, in units of rounding: by a unit of dv/dt, dw/dt; by forces,
                  // torques
} direction;

typedef struct fly_branch {
  int body, on; // on: the body it hangs on; that of ground behind the others
  int at;       // the same in the list of branches; -1: ground
  int pair;     // of the joint; -1: it hangs on nothing
  bool first;   // it is the first body of that pair
  shape shape;  // a point mass has no turns, a planar body moves in its plane
  bool link;    // its marker is at a distance from the other, whatever the direction
  turns turning;
  int slides;             // along axes of the marker that it hangs on: bits; of a planar body one way: SLOT,
  int slot;               // across the axis of this term
  int free;               // directions
  int term, terms;        // of the joint
  double near[4], far[4]; // axes of the markers in the axes of their bodies: what it hangs on, its own
  double arm[3], hand[3]; // from the mass centre of the other body, and from its own, to its marker
  double way[3], length;  // of a link: from the other marker to its own
  double D[3];            // as above
  double off[2];          // inertia that was taken off here and beyond, along and about [kg, kg m^2],
  double forces[2];       // and forces and torques at the time [N, N m]
  quad turned[3];         // columns of [D]
  quad c[2];              // as above
  quad A[3], B[3];        // inertia of all that hangs here, by columns: forces by dv/dt, by dw/dt,
  quad T[3], C[3];        // torques
  quad p[2], a[2];        // forces that are needed without acceleration; acceleration
  direction *along;       // (free)
} fly_branch;

// What a branch is found by; the names are those above.
typedef struct fly_hanging {
  int body, on, at, pair, term, terms;
} fly_hanging;

struct fly_branches {
  fly_joint_tree tree;
  int count;
  fly_hanging *hanging; // each behind the one it hangs on (count)
  bool filled;          // what follows is; a kB a body, which nobody touches who solves equations
  fly_branch *branch;   // (count)
  direction *along;     // of all
  bool *own;            // (nv)
};

void fly_tree_fill(fly_system *s); // at the first use

// Its marker, and that of what it hangs on.
static inline const fly_marker *fly_far_marker(const fly_system *s, const fly_branch *b) {
  return b->first ? s->pair[b->pair].mi : s->pair[b->pair].mj;
}
static inline const fly_marker *fly_near_marker(const fly_system *s, const fly_branch *b) {
  return b->first ? s->pair[b->pair].mj : s->pair[b->pair].mi;
}

// tree_places.c. The axes along which it slides, where bodies stand; how many they are.
int fly_tree_slides(const fly_system *s, const fly_branch *b, double axis[3][3]);
fly_put_back_fn fly_tree_put_back;
fly_accelerate_fn fly_tree_accelerate; // tree_accelerations.c

#endif
