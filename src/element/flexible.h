// Bodies that deform by modes, seen from a frame that floats with them (docs/theory/flexible.md): a point that stands
// at s where nothing is deformed is at
//
//   rho = s + Phi eta,   turned by E = cay(Theta eta)
//
// and the body is a sum of masses m and inertias I at such points. Of them only these sums are kept, so a step costs
// what the modes cost and not what the mesh does:
//
//   S = sum m s,   X = sum m s s^T,   N_j = sum m phi_j,   Q_j = sum m phi_j s^T,   P_ji = sum m phi_j phi_i^T
//   JR = sum I,   NR_j = sum I theta_j,   M_ji = sum m phi_j . phi_i + theta_j . I theta_i
#ifndef FLY_ELEMENT_FLEXIBLE_H
#define FLY_ELEMENT_FLEXIBLE_H

#include "element/body.h"

enum {
  FLY_MODES_MOST = 200,   // modes at most,
  FLY_MODES_SHORTEN = 48, // and of a body that shortens
  FLY_MODES_SOFT = 12     // the first, slowest ones, that may turn as fast as they vibrate
};

// First in the parameters of every such type.
typedef struct fly_flexible {
  int modes;
  double S[3], X[9], JR[9];
  double *N, *NR;                           // 3 a mode, mode by mode
  double *Q, *P;                            // 9 a mode, 9 a pair of modes (P_ji at 9 (modes i + j))
  double *M, *K;                            // modes x modes
  double *D;                                // damping, modes x modes
  bool orthogonal;                          // M, K and D are diagonal: only their diagonals are read
  bool apart;                               // P is zero
  bool shortens;                            // points move by what bending takes, too (flexible_points.c)
  const struct fly_flexible_points *points; // NULL: the sums above are all of it
} fly_flexible;

// A body that shortens is not a matter of sums: its masses stand at points, and these sums hold what turns, K and D.
typedef struct fly_flexible_points {
  int count;
  fly_marker *at; // with fly_flexible_marker, (count)
  double *mass;   // (count)
  fly_flexible turns;
  fly_body_own rest; // of these sums, without mass
} fly_flexible_points;

// Room for points of a body of `modes` that shortens; false: out of memory.
bool fly_flexible_take_points(fly_flexible_points *p, int count, int modes, const fly_maker *from);
void fly_flexible_points_mass(double *M, const fly_body_at *at, const fly_body_own *own);
void fly_flexible_points_mass_slope(double *D, const fly_body_at *at, const double *a, const fly_body_own *own);
void fly_flexible_points_force(double *f, const fly_body_at *at, const double g[3], const fly_body_own *own);
void fly_flexible_points_derivatives(double *K, double *C, const fly_body_at *at, const double g[3],
                                     const fly_body_own *own);
double fly_flexible_points_kinetic(const fly_body_at *at, const fly_body_own *own);
double fly_flexible_points_weight(const fly_body_at *at, const double g[3], const fly_body_own *own);

// A point with a mass: shapes of the modes there, 3 a mode.
typedef struct fly_flexible_point {
  double s[3], mass, I[9];
  const double *phi, *theta;
} fly_flexible_point;

// What a type keeps of a marker: where its point is, and the shapes there, 3 a mode.
typedef struct fly_flexible_marker {
  double s[3];
  double shape[]; // phi, then theta; of a body that shortens also h (modes x modes): it is shorter by eta . h eta/2
} fly_flexible_marker;

size_t fly_flexible_marker_size(const fly_body_own *own);

// Sums of no points; false: out of memory, which the maker knows.
bool fly_flexible_take(fly_flexible *k, int modes, const fly_maker *from);
void fly_flexible_add(fly_flexible *k, const fly_flexible_point *p);
// Shapes of a point, 3 a mode, into the largest there are.
void fly_flexible_reach(double *moves, double *turns, int modes, const double *phi, const double *theta);
// Start of the frame and of the modes.
void fly_flexible_start(fly_body_own *own, double *q, double *v, const fly_maker *from);

extern const fly_body_frames fly_flexible_frames;
extern const fly_quantity fly_flexible_state[], fly_flexible_acceleration[];

// What every such type has in its row.
#define FLY_BODY_OF_MODES                                                                                              \
  FLY_BODY_THAT_TURNS, .blocks = 6, .state = fly_flexible_state, .acceleration = fly_flexible_acceleration,            \
                       .more_name = "mode", .more_unit = "m", .more_column = FLY_COLUMN_OWN_LENGTH,                    \
                       .apart = fly_flexible_apart, .loose = fly_flexible_loose, .frames = &fly_flexible_frames,       \
                       .kept = fly_flexible_marker_size, .remembered = fly_flexible_remembered,                        \
                       .mass = fly_flexible_mass, .mass_slope = fly_flexible_mass_slope, .force = fly_flexible_force,  \
                       .stiff = true, .derivatives = fly_flexible_derivatives, .kinetic = fly_flexible_kinetic,        \
                       .weight = fly_flexible_weight, .elastic = fly_flexible_elastic,                                 \
                       .dissipation = fly_flexible_dissipation

// The row behind j of column i in a block of n modes whose off-diagonal entries from mode `loose` on are left out: both
// run from 0 to n - 1, and j = -1 asks for the first.
static inline int fly_next_mode(int j, int i, int loose, int n) {
  j++;
  return i >= loose && j >= loose && j != i ? (j < i ? i : n) : j;
}

int fly_flexible_apart(const fly_body_own *own);
int fly_flexible_loose(const fly_body_own *own);
size_t fly_flexible_remembered(const fly_body_own *own);
void fly_flexible_mass(double *M, const fly_body_at *at, const fly_body_own *own);
void fly_flexible_mass_slope(double *D, const fly_body_at *at, const double *a, const fly_body_own *own);
void fly_flexible_force(double *f, const fly_body_at *at, const double g[3], const fly_body_own *own);
void fly_flexible_derivatives(double *K, double *C, const fly_body_at *at, const double g[3], const fly_body_own *own);
double fly_flexible_kinetic(const fly_body_at *at, const fly_body_own *own);
double fly_flexible_weight(const fly_body_at *at, const double g[3], const fly_body_own *own);
double fly_flexible_elastic(const fly_body_at *at, const fly_body_own *own);
double fly_flexible_dissipation(const fly_body_at *at, const fly_body_own *own);

#endif
