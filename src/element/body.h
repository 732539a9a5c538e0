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

// Where it is and how it moves: its own frame, and its coordinates.
typedef struct fly_body_at {
  const fly_kinematics *frame;
  const double *q, *v;
  bool lean;      // of derivatives those between two different loose velocities are not asked for
  double *memory; // what the type has computed at some q, for itself, zero at first; NULL: there is no room for it
} fly_body_at;

// Of a body that is not rigid every marker has a frame of its own, with s = 0 in it, whose motion is
//
//   (dr/dt, w) = J(q) v,   (d2r/dt2, dw/dt) = J v' + b,   b = (dJ/dt) v
//
// for a marker m that stands at s, with axes A, where nothing is deformed. Derivatives are along the moves of q that v
// stands for; matrices row by row.
typedef struct fly_body_frames {
  void (*position)(fly_kinematics *f, const double *q, const fly_marker *m, const fly_body_own *own); // r, R
  void (*jacobian)(double *J, const double *q, const fly_marker *m, const fly_body_own *own);         // 6 x nv
  void (*bias)(double b[6], const double *q, const double *v, const fly_marker *m, const fly_body_own *own);
  // d(J v)/dq, 6 x nv
  void (*rates)(double *Z, const double *q, const double *v, const fly_marker *m, const fly_body_own *own);
  // d(J^T w)/dq, nv x nv, for a load w (6) in the columns of the frame; lean: as of fly_body_at
  void (*loads)(double *W, const double *q, const double w[6], bool lean, const fly_marker *m, const fly_body_own *own);
  // db/dq and db/dv, 6 x nv
  void (*biases)(double *Bq, double *Bv, const double *q, const double *v, const fly_marker *m,
                 const fly_body_own *own);
} fly_body_frames;

// A velocity that is no column of the frame: of a pure number, or of a length.
enum { FLY_COLUMN_OWN = 6, FLY_COLUMN_OWN_LENGTH = 7 };

typedef struct fly_body_type {
  const char *noun;   // what messages call it
  size_t size;        // of its own parameters
  int nq, nv;         // coordinates and velocities
  int turn_q, turn_v; // where its quaternion and its angular velocity stand among them; -1: it has none
  const int
      *column; // of the frame that each velocity is: 0, 1, 2 along space, 3, 4, 5 about body axes, or its own (nv)
  int block, blocks;         // first and number of the velocities that M couples and whose forces depend on v or q
  bool flat;                 // it stays in the x-y plane
  bool turns;                // it has axes, and can turn
  const fly_quantity *state; // names of q, then v with angular velocities along space; ended by a row without one
  const fly_quantity *acceleration; // likewise of v'
  // So many coordinates more, as the user asks for them, behind the others: each adds up and belongs to the block.
  // Their names are own_name and a number. NULL: none.
  fly_status (*more)(int *count, const fly_maker *from);
  const char *more_name, *more_unit;
  int more_column;
  int inertias; // numbers that tell its inertia, for pictures: 6, 1, 0

  // Parameters and start from what the user gave.
  fly_status (*make)(fly_body_own *own, double *q, double *v, const fly_maker *from);
  // The start is moved from one place of the frame to another.
  void (*place)(double *q, double *v, const fly_kinematics *from, const fly_kinematics *to);
  // Its own frame.
  void (*position)(fly_kinematics *at, const double *q);  // r, R; v and w keep their values
  void (*velocity)(fly_kinematics *at, const double *v);  // v, w, where they can be other than zero
  void (*quaternion)(double e[4], const double *q);       // of it, continuous in q
  double (*turned)(const double *from, const double *to); // angle between two positions [rad]
  const fly_body_frames *frames;                          // of its markers; NULL: they are fixed in its own
  // What is kept of a marker (so many bytes), and where it stands in its frame; NULL: nothing, in the origin.
  size_t (*kept)(const fly_body_own *own);
  void (*attach)(void *kept, double offset[3], const fly_marker *m, const fly_body_own *own);

  // How far a unit of each of the coordinates that it has more moves any of its points [m], and turns it [rad], at
  // most; returned: how far they stand from the origin of its frame where nothing is deformed [m]. NULL: it has none.
  double (*reach)(double *moves, double *turns, const fly_body_own *own);

  // So many numbers it wants to remember of the last place; NULL: none.
  size_t (*remembered)(const fly_body_own *own);
  // Of so many of its last velocities M has nothing off its diagonal among themselves; NULL: of none.
  int (*apart)(const fly_body_own *own);
  // Of so many of its last velocities, whose M is such, its own forces have nothing off the diagonals of K and C either
  // that Newton's iteration would miss. NULL: of none.
  int (*loose)(const fly_body_own *own);
  // M (nv x nv, row by row) with entries on the diagonal and in the block; others need not be written.
  void (*mass)(double *M, const fly_body_at *at, const fly_body_own *own);
  // d(M a)/dq of the block (blocks x blocks); NULL: M is constant.
  void (*mass_slope)(double *D, const fly_body_at *at, const double *a, const fly_body_own *own);
  // f += weight in gravity g, inertia and elastic forces; K = df/dq and C = df/dv of the block.
  void (*force)(double *f, const fly_body_at *at, const double g[3], const fly_body_own *own);
  bool stiff; // K is not zero
  void (*derivatives)(double *K, double *C, const fly_body_at *at, const double g[3],
                      const fly_body_own *own); // NULL: both are zero
  double (*kinetic)(const fly_body_at *at, const fly_body_own *own);
  double (*weight)(const fly_body_at *at, const double g[3], const fly_body_own *own); // potential of gravity
  double (*elastic)(const fly_body_at *at, const fly_body_own *own);                   // energy; NULL: none
  double (*dissipation)(const fly_body_at *at, const fly_body_own *own);               // power; NULL: none
} fly_body_type;

// Of a row whose file gives them these names, and whose mass is in its frame.
#define FLY_BODY_OF_ONE_FRAME                                                                                          \
  .state = STATE, .acceleration = ACCELERATION, .make = make, .mass = mass, .force = force,                            \
  .kinetic = fly_body_kinetic, .weight = fly_body_weight
// Of one that has a frame of its own kind, too.
#define FLY_BODY_OF_ITS_FRAME                                                                                          \
  .column = COLUMNS, .place = place, .position = position, .velocity = velocity, .quaternion = quaternion,             \
  .turned = turned
// Of one whose q begins with (r, quaternion) and v with (dr/dt, w) of its frame: rigid.c has it.
#define FLY_BODY_THAT_TURNS                                                                                            \
  .nq = 7, .nv = 6, .turn_q = 3, .turn_v = 3, .turns = true, .column = fly_turning_columns,                            \
  .place = fly_turning_place, .position = fly_turning_position, .velocity = fly_turning_velocity,                      \
  .quaternion = fly_turning_quaternion, .turned = fly_turning_turned

extern const int fly_turning_columns[];
void fly_turning_start(double *q, double *v, const fly_body_own *own, const fly_maker *from); // by PLACEMENT
void fly_turning_place(double *q, double *v, const fly_kinematics *from, const fly_kinematics *to);
void fly_turning_position(fly_kinematics *at, const double *q);
void fly_turning_velocity(fly_kinematics *at, const double *v);
void fly_turning_quaternion(double e[4], const double *q);
double fly_turning_turned(const double *from, const double *to);

// What a body does whose mass is in its frame.
double fly_body_kinetic(const fly_body_at *at, const fly_body_own *own);
double fly_body_weight(const fly_body_at *at, const double g[3], const fly_body_own *own);

#endif
