// Forces as a table of types. A type takes markers as they stand and move, and its own parameters, and gives
// generalized forces in six columns a marker with their exact derivatives, energy and heat. A force is one file in this
// room and one row in list.h; nothing else knows its name (docs/adding-a-force.md).
//
// With n markers there are 6 n columns, (dr, dtheta) of each marker's body in turn, dtheta in body axes:
//
//   Q (6 n)            Q . v is the power
//   K = dQ/dq, C = dQ/dv (6 n x 6 n, row by row)
//   Q . v = -dE/dt - D      E: its energy, D: what it turns into heat
#ifndef FLY_ELEMENT_FORCE_H
#define FLY_ELEMENT_FORCE_H

#include <stdbool.h>
#include <stddef.h>

#include "element/frame.h"
#include "element/type.h"
#include "flyball/status.h"

enum {
  FLY_FORCE_MARKERS = 4, // of a force, at most
  FLY_FORCE_COLUMNS = 6 * FLY_FORCE_MARKERS,
  FLY_FORCE_VALUES = 14 // that it shows, at most
};

// A number that people are shown.
typedef struct fly_quantity {
  const char *name, *unit, *text;
} fly_quantity;

// Three of them, along the axes of something: fx, fy, fz.
#define FLY_ALONG(name, unit, text, whose)                                                                             \
  {name "x", unit, text ", along x of " whose}, {name "y", unit, text ", along y of " whose}, {                        \
    name "z", unit, text ", along z of " whose                                                                         \
  }
// Two of them, along space, of what stays in a plane.
#define FLY_ALONG_PLANE(name, unit, text)                                                                              \
  {name "x", unit, text ", along x of space"}, { name "y", unit, text ", along y of space" }
// Those of a quaternion from the axes of something to space.
#define FLY_QUATERNION(whose)                                                                                          \
  {"e0", "", "quaternion from " whose " to space, real part"}, {"e1", "", "quaternion, x"},                            \
      {"e2", "", "quaternion, y"}, {                                                                                   \
    "e3", "", "quaternion, z"                                                                                          \
  }

// Where it acts.
typedef struct fly_force_at {
  int count;
  fly_seen marker[FLY_FORCE_MARKERS];
  double angle;            // of types that count turns: of the second marker about z of the first
  const signed char *side; // of types with relations: the side on which each is held, 0: as it comes; NULL: all of them
  const double *x;         // of types with states: theirs; NULL: all 0
  const double *memory;    // of types that remember: their numbers; NULL: all 0
} fly_force_at;

// A place of a force that acts only where a gap closes.
typedef struct fly_force_near {
  double gap, rate; // [m, m/s]
  double u[3];      // velocity of the middle of one solid against the other [m/s],
  double spin;      // how fast it turns against it [rad/s],
  double reach;     // and how far it reaches: the gap changes by |u| + spin reach at most [m]
  double thickness; // how far it can close before it opens again on the other side [m]
  bool hollow;      // one of both is: what is nearest now need not be what closes first
} fly_force_near;

// A solid that such a force acts on, as others see it who look for what is near: a box with rounded edges.
typedef struct fly_force_bound {
  int which;          // solid of its body: two with the same number are one
  bool half_space;    // all below z = 0 of its frame; nothing of the box counts
  double at[3], A[9]; // its frame on the body: origin, and axes in columns, row by row
  double half[3];     // half the edges of the box,
  double radius;      // what is around it,
  double reach;       // and how far from `at` it is at most [m]
} fly_force_bound;

static inline fly_pair fly_force_pair(const fly_force_at *at) {
  return (fly_pair){at->marker[0].body, at->marker[1].body, at->marker[0].marker, at->marker[1].marker};
}

// What the user gave, by the names of the parameter table, and the markers where the model starts. The first of what
// goes wrong is kept.
struct fly_inertia;
typedef struct fly_maker fly_maker;
struct fly_maker {
  fly_force_at start;
  const char *body[FLY_FORCE_MARKERS];        // what carries each marker,
  const char *cannot_turn[FLY_FORCE_MARKERS]; // and what it is if it cannot turn ("point mass"); NULL: it can
  bool (*given)(const fly_maker *from, const char *parameter);
  double (*number)(const fly_maker *from, const char *parameter); // given, or its fallback
  void (*numbers)(const fly_maker *from, const char *parameter, int count, double *out);
  int (*count)(const fly_maker *from, const char *parameter); // of numbers given
  const char *(*word)(const fly_maker *from, const char *parameter);
  // Of bodies: mass, centre and inertia of the shapes that have a density, in the frame given. False: none has one.
  bool (*shapes)(const fly_maker *from, struct fly_inertia *sum);
  double *(*room)(const fly_maker *from, size_t count);  // zeros, for as long as the model lives; NULL: no memory
  void (*warn)(const fly_maker *from, const char *text); // odd, but not refused
#if defined(__GNUC__)
  __attribute__((format(printf, 2, 3)))
#endif
  fly_status (*refuse)(const fly_maker *from, const char *format, ...); // with the place in the file
};

// What a force with n states does with them, row by row; all come in zeroed.
typedef struct fly_force_slopes {
  double *Q_x;             // dQ/dx (columns x n)
  double *rate_q, *rate_v; // of the rates (n x columns)
  double *rate_x;          // (n x n)
} fly_force_slopes;

typedef struct fly_force_type {
  size_t size;                  // of its parameters
  const char *look;             // what it is drawn as: spring, coil, bushing, rod (web/src/scene/forces.ts)
  bool turns;                   // it feels the angle of its second marker about z of its first, turns counted
  const fly_quantity *quantity; // that it shows, ended by a row without a name
  // Of a beam: axes in space that its markers take where they stand. NULL, *own false: it takes them as they are.
  fly_status (*axes)(double A[9], bool *own, const fly_maker *from);
  fly_status (*make)(void *k, const fly_maker *from); // parameters, which were zero
  void (*force)(double *Q, const fly_force_at *at, const void *k);
  void (*derivatives)(double *K, double *C, const fly_force_at *at, const void *k);
  // NULL, NULL: its power is that of a load from outside. NULL, D: it only brakes, and does nothing at rest.
  double (*energy)(const fly_force_at *at, const void *k);
  double (*dissipation)(const fly_force_at *at, const void *k);
  double (*driven)(const fly_force_at *at, const void *k); // power that comes in from outside; NULL: none
  bool (*damps)(const void *k);                            // can the dissipation be other than zero? NULL: no
  void (*values)(double *out, const fly_force_at *at, const void *k); // of its quantities
  // What it takes beyond what its sizes tell, in operations of expressions, about: for method auto. NULL: little.
  double (*operations)(const void *k);
  // Relations by which it changes its law, and the margins of each (fly_relations_fn). NULL, NULL: it has none.
  int (*relations)(const void *k);
  bool (*jumps)(int which, const void *k); // the force jumps where that one changes; NULL: it does at all of them
  void (*margins)(double *margin, const fly_force_at *at, const void *k);
  // Numbers that it remembers, brought up to date at accepted points, where force and derivatives must not jump by it.
  int (*memory)(const void *k);
  void (*remember)(double *memory, const fly_force_at *at, const void *k, bool start);
  // First-order states of its own, their rates, and the derivatives of these and of Q. NULL: it has none.
  int (*states)(const void *k);
  void (*rates)(double *rate, const fly_force_at *at, const void *k);
  void (*slopes)(const fly_force_slopes *out, const fly_force_at *at, const void *k);
  // Of a force that does nothing while gaps are open: each of them, one for every two relations. NULL: it always acts.
  fly_force_near (*near)(int gap, const fly_force_at *at, const void *k);
  // Likewise, if it does nothing at all then: the solids of a pair of them, that of the first marker's body and that of
  // the second; false: it has no such pair. NULL: nobody can tell where it acts.
  bool (*bounds)(fly_force_bound out[2], int pair, const void *k);
  double fades; // and then its states are x' = -x/fades [s]
  // Of a force along one coordinate, for inputs of state spaces: Q of a unit more of it. NULL: none.
  void (*direction)(double *Q, const fly_force_at *at);
  const char *unit; // of that
} fly_force_type;

// Distance of two markers.
double fly_seen_distance(const fly_seen *a, const fly_seen *b);

// Of a row whose file gives them these names: a force along one coordinate, with springs and dampers.
#define FLY_FORCE_ALONG                                                                                                \
  .quantity = QUANTITIES, .make = make, .force = force, .derivatives = derivatives, .energy = energy,                  \
  .dissipation = dissipation, .damps = damps, .values = values, .direction = direction

#endif
