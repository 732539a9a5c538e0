// A mesh of finite elements: nodes, elements of our own, what they are made of, and named sets of nodes. Lengths in
// metres, or in whatever goes with the moduli and densities.
#ifndef FLY_FEM_MESH_H
#define FLY_FEM_MESH_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "flyball/status.h"

enum { FLY_FEM_NAME = 64, FLY_FEM_NODES = 10, FLY_FEM_POINTS = 8 };

typedef enum fly_fem_kind { FLY_FEM_TETRAHEDRON, FLY_FEM_BEAM } fly_fem_kind;

typedef struct fly_fem_material {
  char name[FLY_FEM_NAME];
  double E, nu, density; // [Pa], [], [kg/m^3]; NAN: not given
} fly_fem_material;

// Of a beam: y and z are the axes of its section, x along it.
typedef struct fly_fem_section {
  double area, Iy, Iz, J;          // [m^2], [m^4]
  double shear[2];                 // share of the area that takes shear along y and z; 0: Euler and Bernoulli's beam
  double y[3];                     // a direction that y is seen in
  int points;                      // where stresses are recovered
  double point[FLY_FEM_POINTS][2]; // y, z [m]
} fly_fem_section;

typedef struct fly_fem_element {
  fly_fem_kind kind;
  int number, line;        // as the file has them
  int node[FLY_FEM_NODES]; // corners, then between 1-2, 2-3, 3-1, 1-4, 2-4, 3-4; of a beam its two ends
  int material, section;   // -1: not given
} fly_fem_element;

typedef struct fly_fem_set {
  char name[FLY_FEM_NAME];
  bool elements; // not of nodes
  int count, capacity;
  int *member; // indices of nodes (count)
} fly_fem_set;

typedef struct fly_fem_mesh {
  int nodes, elements, sets, materials, sections;
  int node_room, place_room, element_room, set_room, material_room, section_room;
  int *number;   // of each node (nodes)
  double *place; // (3 nodes)
  fly_fem_element *element;
  fly_fem_set *set;
  fly_fem_material *material;
  fly_fem_section *section;
  // nodes by number, sorted when all are there
  int *by_number;   // indices (nodes); NULL: not sorted
  char notes[2000]; // lines for people: what was left out
} fly_fem_mesh;

void fly_fem_mesh_free(fly_fem_mesh *m);
// All of these are false without memory.
bool fly_fem_add_node(fly_fem_mesh *m, int number, const double x[3]);
bool fly_fem_add_element(fly_fem_mesh *m, const fly_fem_element *e);
fly_fem_set *fly_fem_add_set(fly_fem_mesh *m, const char *name, bool elements); // that of this name, made if need be
bool fly_fem_add_member(fly_fem_set *s, int index);
int fly_fem_add_material(fly_fem_mesh *m, const char *name);                  // its index, -1
int fly_fem_add_section(fly_fem_mesh *m, const fly_fem_section *s);           // its index, -1
bool fly_fem_sort(fly_fem_mesh *m);                                           // before nodes are looked for
int fly_fem_find(const fly_fem_mesh *m, int number);                          // index of a node, -1: there is none
const fly_fem_set *fly_fem_find_set(const fly_fem_mesh *m, const char *name); // of nodes; NULL
int fly_fem_find_material(const fly_fem_mesh *m, const char *name);           // -1
void fly_fem_note(fly_fem_mesh *m, const char *format, ...);
// Adds a line to notes, as far as there is room.
void fly_fem_add_line(char *notes, size_t size, const char *format, va_list list);

// Sections, with points at their rim.
void fly_fem_section_circle(fly_fem_section *s, double radius);
void fly_fem_section_tube(fly_fem_section *s, double radius, double wall);
void fly_fem_section_rectangle(fly_fem_section *s, double along_y, double along_z);

// By what is in the file: Gmsh's .msh (2.2 and 4.1, text), else Abaqus's keywords. Messages begin with path and line.
fly_status fly_fem_read(fly_fem_mesh *m, const char *path, fly_error *error);
fly_status fly_fem_read_gmsh(fly_fem_mesh *m, const char *path, char *text, fly_error *error);
fly_status fly_fem_read_keywords(fly_fem_mesh *m, const char *path, char *text, fly_error *error);

// A text, line by line.
typedef struct fly_fem_lines {
  const char *path;
  char *next;
  int line; // of the one that was taken last
  fly_error *error;
} fly_fem_lines;
char *fly_fem_line(fly_fem_lines *l); // without its end, blanks around it; NULL: no more
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
fly_status
fly_fem_fault(const fly_fem_lines *l, const char *format, ...);
fly_status fly_fem_check_place(const fly_fem_lines *l, int number, const double x[3]); // coordinates that can be used
bool fly_fem_number(char **at, double *x); // the next number of a line, separated by blanks or commas
bool fly_fem_whole(char **at, int *n);
fly_status fly_fem_load(char **text, const char *path, fly_error *error); // all of a file, ended by 0; to be freed

#endif
