// Bodies as a table of types. A type has coordinates q (nq) and velocities v (nv) of its own, and says where its frame
// is, what it weighs, and what acts on it by itself. A body is one file in this room and one row in list.h
// (docs/adding-a-body.md).
//
//   M(q) v' = f(q, v) + what elements give
//
// Elements see frames: position, rotation and velocity (fly_kinematics) with the six columns (dr in space, dtheta in
// body axes), and markers fixed in them. Of a rigid body, a planar one and a point there is one frame, and its columns
// are velocities of the body or nothing.
#ifndef FLY_ELEMENT_BODY_H
#define FLY_ELEMENT_BODY_H

#include <stdbool.h>

#include "element/force.h"
#include "element/frame.h"

// What a body is made of.
typedef struct fly_body_own {
  double mass, J[9]; // J about the mass centre, body axes, row by row
  double center[3];  // mass centre in the frame the user gave (markers there are moved by it)
  void *k;           // parameters of its type
} fly_body_own;

typedef struct fly_body_type {
  const char *noun;          // what messages call it
  size_t size;               // of its own parameters
  int nq, nv;                // coordinates and velocities
  int turn_q, turn_v;        // where its quaternion and its angular velocity stand among them; -1: it has none
  const int *column;         // of the frame that each velocity is: 0, 1, 2 along space, 3, 4, 5 about body axes (nv)
  int block, blocks;         // first and number of the velocities that M couples and whose forces depend on v (or q)
  bool flat;                 // it stays in the x-y plane
  bool turns;                // it has axes, and can turn
  const fly_quantity *state; // names of q, then v with angular velocities along space; ended by a row without one
  const fly_quantity *acceleration; // likewise of v'
  int inertias;                     // numbers that tell its inertia, for pictures: 6, 1, 0

  // Parameters and start from what the user gave.
  fly_status (*make)(fly_body_own *own, double *q, double *v, const fly_maker *from);
  // The start is moved from one place of the frame to another.
  void (*place)(double *q, double *v, const fly_kinematics *from, const fly_kinematics *to);
  void (*position)(fly_kinematics *at, const double *q);  // r, R; v and w keep their values
  void (*velocity)(fly_kinematics *at, const double *v);  // v, w, where they can be other than zero
  void (*quaternion)(double e[4], const double *q);       // of the frame, continuous in q
  double (*turned)(const double *from, const double *to); // angle between two positions [rad]
  void (*mass)(double *M, const fly_body_own *own);       // nv x nv, row by row
  // f += weight in gravity g and inertia forces; C = df/dv, of its block (blocks x blocks, row by row).
  void (*force)(double *f, const fly_kinematics *at, const double g[3], const fly_body_own *own);
  void (*derivatives)(double *C, const fly_kinematics *at, const fly_body_own *own); // NULL: zero
} fly_body_type;

// What all of these rows do alike.
double fly_body_kinetic(const fly_kinematics *at, const fly_body_own *own);

#endif
