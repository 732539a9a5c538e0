// Finite elements: stiffness and mass of one, and the stresses that displacements of its nodes make. Row by row; the
// unknowns of a node are its displacements, then, of a beam, its turns.
#ifndef FLY_FEM_ELEMENT_H
#define FLY_FEM_ELEMENT_H

#include "fem/mesh.h"

enum { FLY_FEM_UNKNOWNS = 30 }; // the most of an element

static inline int fly_fem_nodes_of(fly_fem_kind kind) { return kind == FLY_FEM_TETRAHEDRON ? 10 : 2; }
static inline int fly_fem_unknowns_of(fly_fem_kind kind) { return kind == FLY_FEM_TETRAHEDRON ? 3 : 6; } // a node

// x: places of its nodes. False: a tetrahedron is turned inside out, or a beam has no length or no direction of y.
bool fly_fem_tetrahedron(double *K, double *M, const double x[10][3], const fly_fem_material *m);
bool fly_fem_beam(double *K, double *M, const double x[2][3], const fly_fem_material *m, const fly_fem_section *s);

// Geometric stiffness by the stresses that displacements u of its nodes make: int grad N^T sigma grad N of a
// tetrahedron; of a beam its axial force N alone, int N v' v' of both deflections.
bool fly_fem_tetrahedron_stiffening(double *G, const double x[10][3], const double u[30], const fly_fem_material *m);
bool fly_fem_beam_stiffening(double *G, const double x[2][3], const double u[12], const fly_fem_material *m,
                             const fly_fem_section *s);

// Of a tetrahedron at its node k: slopes of its shapes, and by them gradient[3 * j + i] of displacement i along j.
bool fly_fem_tetrahedron_slopes(double g[10][3], int k, const double x[10][3]);
void fly_fem_gradient(double gradient[9], const double g[10][3], const double u[30]);
// xx, yy, zz, xy, yz, zx
void fly_fem_stress(double stress[6], const double gradient[9], const fly_fem_material *m);
// At a point of the section of its end (0, 1), in the axes of the section: bending, stretching, and torsion as of a
// round section; not the shear of the transverse force.
bool fly_fem_beam_stress(double stress[6], int end, const double point[2], const double x[2][3], const double u[12],
                         const fly_fem_material *m, const fly_fem_section *s);

#endif
