// Sections of beams: a circle, a tube, a rectangle, or what the user gives.
#ifndef FLY_ELEMENT_SECTION_H
#define FLY_ELEMENT_SECTION_H

#include "element/force.h"

typedef struct fly_section {
  double area;      // A [m^2]
  double moment[2]; // I_y, I_z: second moments of area [m^4]
  double torsion;   // J: torsion constant [m^4]
} fly_section;

// Of a type whose table has SECTION and `moments`: which of the three is the torsion constant; the others are I_y, I_z.
fly_status fly_section_read(fly_section *s, const fly_maker *from, int torsion);

// Saint-Venant's torsion constant of a rectangle with sides a and b.
double fly_section_rectangle_torsion(double a, double b);

#endif
