// Loads: forces whose components are expressions. A type says what they push.
//
//   Q = P(q) f     f: the components, up to six; Q in the 18 columns of a triple
//
// What the expressions feel is no matter of this room: the chain rule is applied where they are known.
#ifndef FLY_ELEMENT_LOAD_H
#define FLY_ELEMENT_LOAD_H

#include "element/force.h"
#include "element/measure.h"

enum { FLY_LOAD_COMPONENTS = 6, FLY_LOAD_WORDS = 2 };

// A word that its expressions know, and the measure it stands for, between markers of the triple (-1: none).
typedef struct fly_load_word {
  const char *word;
  fly_measure_kind measure;
  int marker[3];
} fly_load_word;

typedef struct fly_load_type {
  // Parameters that name its markers, the first required; NULL: the two of the force it stands for.
  const char *marker[3];
  // Parameter and place in it of each component; NULL: there is none.
  const char *parameter[FLY_LOAD_COMPONENTS];
  int place[FLY_LOAD_COMPONENTS];
  const char *component[FLY_LOAD_COMPONENTS]; // what inputs of state spaces call it; NULL: it is the only one
  const char *unit[FLY_LOAD_COMPONENTS];
  const char *turning; // parameter that only a body that turns can feel; NULL: none
  fly_load_word word[FLY_LOAD_WORDS];
  const fly_quantity *quantity;                   // that it shows: its coordinate if it has one, then its components
  void (*matrix)(double *P, const fly_triple *p); // 18 x 6, row by row
  void (*curvature)(double *H, const double *f, const fly_triple *p); // H += d(P f)/dq at fixed f, 18 x 18
  double (*coordinate)(const fly_triple *p);                          // what it pushes along; NULL: more than one
} fly_load_type;

extern const fly_load_type fly_load_wrench; // force and torque at a, along the axes of c, against b
extern const fly_load_type fly_load_length; // lets the distance of two markers grow
extern const fly_load_type fly_load_angle;  // lets the angle of b about z of a grow

#endif
