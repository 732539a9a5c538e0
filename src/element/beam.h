// Two-node beam: a straight, massless, prismatic beam between two markers as a bushing with a full stiffness matrix.
//
// The beam leaves marker i along its x axis and ends in marker j, whose axes are parallel to those of i without load.
// Of the small displacements u and turns phi of its end, with Phi_y = 12 E I_z a_y / (G A L^2) (shear, a_y = 0: none):
//
//   F_x = E A / L u_x                     T_x = G J / L phi_x
//   F_y = c_z (12 u_y - 6 L phi_z)        T_z = c_z ((4 + Phi_y) L^2 phi_z - 6 L u_y)     c_z = E I_z / (L^3 (1 +
//   Phi_y)) F_z = c_y (12 u_z + 6 L phi_y)        T_y = c_y ((4 + Phi_z) L^2 phi_y + 6 L u_z)     c_y = E I_y / (L^3 (1
//   + Phi_z))
//
// (Przemieniecki, Theory of Matrix Structural Analysis, 1968, ch. 5.6). The bushing takes the displacement along the
// axes of marker i and the rotation vector, so rigid motions of any size load nothing, and action equals reaction
// exactly. What is linear is the deformation of one beam: divide a slender one into several.
#ifndef FLY_ELEMENT_BEAM_H
#define FLY_ELEMENT_BEAM_H

#include "element/bushing.h"

typedef struct fly_beam {
  double length;         // L without load [m]
  double young, shear;   // E, G [Pa]
  double area;           // A [m^2]
  double torsion;        // J: torsion constant [m^4]
  double moment[2];      // I_y, I_z: second moments of area [m^4]
  double shear_ratio[2]; // a_y, a_z: area over shear area, along y and z; 0: rigid in shear (Euler-Bernoulli)
  double damping;        // damping over stiffness [s]
} fly_beam;

fly_bushing fly_beam_bushing(const fly_beam *b);

// Of a row with the parameters `axes` and `up`: a beam that is straight as the model is given.
fly_status fly_beam_axes(double A[9], bool *own, const fly_maker *from);

#endif
