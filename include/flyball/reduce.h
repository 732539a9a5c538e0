// Bodies of finite elements, reduced to a few modes after Craig and Bampton: stiffness and mass from a mesh or from
// matrices in, one HDF5 file out, which bodies of type `flexible` take (docs/theory/flexible.md). And what is made of
// such a file and a run: stresses.
#ifndef FLYBALL_REDUCE_H
#define FLYBALL_REDUCE_H

#include <stdbool.h>

#include "flyball/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// A place for joints: a node, or a point that a set of nodes is tied to rigidly.
typedef struct fly_reduce_interface {
  const char *name; // letters, digits, _
  const char *set;  // of nodes
  double at[3];     // [m]
  int node;         // its number, where set is NULL
  bool placed;      // the point is `at`, else in the middle of the set
} fly_reduce_interface;

typedef enum fly_reduce_points { FLY_REDUCE_SURFACE, FLY_REDUCE_ALL, FLY_REDUCE_INTERFACE } fly_reduce_points;

// NULL, 0, NAN: not given.
typedef struct fly_reduce_options {
  const char *mesh;                     // Gmsh's .msh (2.2, 4.1), or Abaqus's keywords; or
  const char *stiffness, *mass, *nodes; // matrices in Matrix Market files, and a table of nodes
  const char *out;                      // the file to write; NULL: none
  // Of elements whose mesh has no material: [Pa], [], [kg/m^3]. Of beams without a section: "tube 0.02 0.002" (radius,
  // wall), "circle 0.01", "rectangle 0.02 0.01" (along y, z) [m].
  double youngs_modulus, poisson_ratio, density;
  const char *section;
  int ninterface;
  const fly_reduce_interface *interface;
  int modes;                // with the interface held; 20 if not given, -1: all there are
  double highest;           // modes above this frequency are left out [Hz]
  fly_reduce_points points; // nodes that are kept in the file for markers, stresses and pictures
  bool no_stress;
  // An interface: held there the body turns about the origin of its mesh, and what tension does to its stiffness is
  // written for `stiffening: on`.
  const char *stiffening;
  void (*tell)(const char *phase, double share, void *user); // how far it is; may be NULL
  void *user;
} fly_reduce_options;
fly_reduce_options fly_reduce_options_default(void);

// A mode with the interface held: the mass that takes part in it, by a motion of the interface along x, y, z [kg] and
// about them [kg m^2].
typedef struct fly_reduce_mode {
  double frequency; // [Hz]
  double effective[6];
} fly_reduce_mode;

typedef struct fly_reduction fly_reduction;
typedef struct fly_reduce_info {
  int nodes, elements, unknowns, ties; // of the mesh; unknowns of the matrices
  int interface_unknowns;              // static modes
  int fixed;                           // modes with the interface held that were taken,
  int fixed_possible;                  // of so many
  int modes;                           // of the reduced body, rigid ones taken out
  int rigid;                           // of them
  int cut;                             // left out above the highest frequency
  int kept;                            // nodes in the file
  int stresses;                        // places of stresses there
  double mass, center[3], inertia[9];  // about the centre, in the axes of the mesh [kg], [m], [kg m^2]
  double effective[6], total[6];       // of all modes with the interface held; of what moves in them
  double coupling;                     // largest of the modes' products in M where they should be 0, of unit modes
  double factor_entries;               // of the factorization
  const double *frequency;             // of the modes [Hz] (modes)
  const fly_reduce_mode *fixed_mode;   // (fixed)
  const char *notes;                   // lines for people: what was left out, what is odd
} fly_reduce_info;

fly_status fly_reduce(fly_reduction **out, const fly_reduce_options *options, fly_error *error);
void fly_reduction_free(fly_reduction *r); // NULL is fine
const fly_reduce_info *fly_reduction_info(const fly_reduction *r);

// ------------------------------------------------------------------------------------------------ stresses

// Where a stress is: a node, of a beam also the element and the point of its section (0: the mean over the tetrahedra
// at the node).
typedef struct fly_stress_spot {
  int node, element, point;
  double stress; // von Mises's, the largest over time [Pa]
  double time;   // of it [s]
} fly_stress_spot;

// Stresses of a body of type flexible over a run: its modes in a result, and the file that it was made from.
typedef struct fly_stress fly_stress;
// mode: numbers in the file of the modes that were on, from 1 (count); count 0: all were.
fly_status fly_stress_open(fly_stress **out, const char *result, const char *body, const char *file, int count,
                           const int *mode, fly_error *error);
void fly_stress_close(fly_stress *s); // NULL is fine
long fly_stress_rows(const fly_stress *s);
const double *fly_stress_times(const fly_stress *s); // (rows)
// The highest, one a node, the largest first; how many there are is in *found, at most `most`.
fly_status fly_stress_spots(fly_stress *s, int most, fly_stress_spot *spot, int *found, fly_error *error);
// Von Mises's stress over time (rows) at the place of a spot; `sign`: with the sign of the mean stress, for counting
// cycles. element, point 0: the highest of the node.
fly_status fly_stress_history(fly_stress *s, const fly_stress_spot *at, bool sign, double *out, fly_error *error);

// The body as it is stressed and moved at some times of the run, evenly chosen: at most 200, fewer of a large body.
typedef struct fly_contour {
  int nodes, lines, frames;
  double *node;  // number, x, y, z, where nothing is deformed (nodes x 4)
  int *line;     // two nodes of each, counted from 0 (lines x 2); of beams: solids have none
  double *time;  // (frames)
  double *mises; // of a node the highest of its places [Pa] (frames x nodes)
  double *move;  // in the axes of the body [m] (frames x nodes x 3)
} fly_contour;
fly_status fly_stress_contour(fly_stress *s, fly_contour *out, fly_error *error); // the arrays are those of s

// Cycles of a history by the rainflow method of ASTM E1049 (5.4.4).
typedef struct fly_cycle {
  double range, mean;
  double count; // 1, or 0.5 of those that do not close
} fly_cycle;
// At most n of them into cycle; how many, or -1 without memory.
long fly_rainflow(const double *x, long n, fly_cycle *cycle);

#ifdef __cplusplus
}
#endif
#endif
