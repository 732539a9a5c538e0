// Force and torque at a marker, and what their expressions push.
#include "element/applied.h"

#include <string.h>

#include "element/block.h"
#include "element/list.h"
#include "element/load.h"
#include "element/table.h"

// Columns of a triple.
enum { RA = 0, TA = 3, RB = 6, TB = 9, TC = 15 };

static const double IDENTITY[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// Axes of c: B_c = R_c A_c.
static const double *turn_of_c(const fly_triple *p) { return p->bc ? p->bc->R : IDENTITY; }

static const double *axes_of_c(const fly_triple *p) { return p->bc ? p->mc->A : IDENTITY; }

// y = R_b^T (p_a - r_b): where the reaction acts, seen from b.
static void reaction_point(double y[3], const fly_triple *p) {
  double d[3];
  fly_marker_point(d, p->ba, p->ma);
  for (int k = 0; k < 3; k++)
    d[k] -= p->bb->r[k];
  fly_to_body(y, p->bb->R, d);
}

//   Q_a = (B_c F, s_a x R_a^T B_c F + R_a^T B_c T),   Q_b = -(B_c F, y x R_b^T B_c F + R_b^T B_c T)
void fly_applied_matrix(double *P, const fly_triple *p) {
  double B[9], RB_c[9], SB[9], y[3];
  memset(P, 0, 6 * FLY_TRIPLE * sizeof *P);
  fly_multiply3(B, turn_of_c(p), axes_of_c(p));
  fly_add_block(P, 6, RA, 0, B, 1.0);
  fly_multiply3_transposed(RB_c, p->ba->R, B);
  fly_skew_times(SB, p->ma->s, RB_c);
  fly_add_block(P, 6, TA, 0, SB, 1.0);
  fly_add_block(P, 6, TA, 3, RB_c, 1.0);
  if (!p->bb)
    return;
  reaction_point(y, p);
  fly_add_block(P, 6, RB, 0, B, -1.0);
  fly_multiply3_transposed(RB_c, p->bb->R, B);
  fly_skew_times(SB, y, RB_c);
  fly_add_block(P, 6, TB, 0, SB, -1.0);
  fly_add_block(P, 6, TB, 3, RB_c, -1.0);
}

// Force and torque in axes of body c (fixed), and how they turn into those of another body.
typedef struct load {
  double fc[3], tc[3]; // in axes of body c
  double F[3], T[3];   // in space
} load;

static load load_of(const double *f, const fly_triple *p) {
  load l = {0};
  fly_to_space(l.fc, axes_of_c(p), f);
  fly_to_space(l.tc, axes_of_c(p), f + 3);
  fly_to_space(l.F, turn_of_c(p), l.fc);
  fly_to_space(l.T, turn_of_c(p), l.tc);
  return l;
}

// Torque (s x R^T F + R^T T) of a body: by its own rotation at fixed s, and by that of c.
static void add_torque(double *H, int row, const double R[9], const double s[3], const load *l, const fly_triple *p,
                       double sign) {
  double f[3], t[3], N[9], NF[9], B[9];
  fly_to_body(f, R, l->F);
  fly_to_body(t, R, l->T);
  fly_skew_skew(B, s, f);
  fly_add_block(H, FLY_TRIPLE, row, row, B, sign);
  fly_skew(B, t);
  fly_add_block(H, FLY_TRIPLE, row, row, B, sign);
  if (!p->bc)
    return;
  fly_multiply3_transposed(N, R, p->bc->R);
  fly_times_skew(NF, N, l->fc);
  fly_skew_times(B, s, NF);
  fly_add_block(H, FLY_TRIPLE, row, TC, B, -sign);
  fly_times_skew(B, N, l->tc);
  fly_add_block(H, FLY_TRIPLE, row, TC, B, -sign);
}

// What -y x f gains when y moves: f x dy, with dy = R_b^T (dr_a - dr_b) - N [s_a] dtheta_a + [y] dtheta_b
static void add_moving_point(double *H, const double y[3], const load *l, const fly_triple *p) {
  double f[3], N[9], NS[9], B[9];
  fly_to_body(f, p->bb->R, l->F);
  fly_times_skew(B, p->bb->R, f); // R_b [f] = ([f]^T R_b^T)^T = -([f] R_b^T)^T
  fly_add_block_transposed(H, FLY_TRIPLE, TB, RA, B, -1.0);
  fly_add_block_transposed(H, FLY_TRIPLE, TB, RB, B, 1.0);
  fly_multiply3_transposed(N, p->bb->R, p->ba->R);
  fly_times_skew(NS, N, p->ma->s);
  fly_skew_times(B, f, NS);
  fly_add_block(H, FLY_TRIPLE, TB, TA, B, -1.0);
  fly_skew_skew(B, f, y);
  fly_add_block(H, FLY_TRIPLE, TB, TB, B, 1.0);
}

void fly_applied_curvature(double *H, const double *f, const fly_triple *p) {
  double B[9], y[3];
  load l = load_of(f, p);
  add_torque(H, TA, p->ba->R, p->ma->s, &l, p, 1.0);
  fly_times_skew(B, turn_of_c(p), l.fc);
  if (p->bc)
    fly_add_block(H, FLY_TRIPLE, RA, TC, B, -1.0);
  if (!p->bb)
    return;
  if (p->bc)
    fly_add_block(H, FLY_TRIPLE, RB, TC, B, 1.0);
  reaction_point(y, p);
  add_torque(H, TB, p->bb->R, y, &l, p, -1.0);
  add_moving_point(H, y, &l, p);
}

// ------------------------------------------------------------------------------------------ the row

static const fly_quantity QUANTITIES[] = {FLY_ALONG("f", "N", "force", "the axes it is given in"),
                                          FLY_ALONG("t", "N m", "torque", "the axes it is given in"),
                                          {0}};

const fly_load_type fly_load_wrench = {.marker = {"at", "against", "axes"},
                                       .parameter = {"force", "force", "force", "torque", "torque", "torque"},
                                       .place = {0, 1, 2, 0, 1, 2},
                                       .component = {"fx", "fy", "fz", "tx", "ty", "tz"},
                                       .unit = {"N", "N", "N", "N m", "N m", "N m"},
                                       .turning = "torque",
                                       .quantity = QUANTITIES,
                                       .matrix = fly_applied_matrix,
                                       .curvature = fly_applied_curvature};

static const fly_parameter PARAMETERS[] = {
    {"at", FLY_MARKER, 1, "", NULL, true, ANY, "where it acts"},
    {"force", FLY_EXPRESSION, 3, "N", NULL, false, ANY, "components along the axes of `axes`"},
    {"torque", FLY_EXPRESSION, 3, "N m", NULL, false, ANY, "components along the axes of `axes`"},
    {"axes", FLY_MARKER, 1, "", "ground", false, ANY, "marker whose axes the components have"},
    {"against", FLY_MARKER, 1, "", NULL, false, ANY, "marker that takes the reaction; nothing takes it if not given"},
    SWITCH,
    END};

const fly_element_type fly_forces_force = FLY_ELEMENT(
    "forces", "force", "force and torque at a marker, each component an expression",
    "motor: {type: force, at: crank, torque: [0, 0, 0.033]}", .parameters = PARAMETERS, .load = &fly_load_wrench);
