#include "element/approach.h"

#include <string.h>

#include "math/so3.h"

fly_approach fly_approach_of(const fly_kinematics *first, const fly_kinematics *second) {
  fly_approach r = {.i = first, .j = second};
  double way[3], speed[3], turn[3], Rw[3];
  for (int k = 0; k < 3; k++) {
    way[k] = r.j->r[k] - r.i->r[k];
    speed[k] = r.j->v[k] - r.i->v[k];
  }
  fly_to_body(r.p, r.i->R, way);
  fly_multiply3_transposed(r.R, r.i->R, r.j->R);
  fly_to_body(r.dp, r.i->R, speed);
  fly_cross(turn, r.p, r.i->w);
  fly_to_space(Rw, r.R, r.j->w);
  for (int k = 0; k < 3; k++) {
    r.dp[k] += turn[k];
    r.dw[k] = Rw[k] - r.i->w[k];
  }
  return r;
}

// X = dx/dq, 6 x 12: dp = R_i^T (dr_j - dr_i) + p x dtheta_i, dphi = R dtheta_j - dtheta_i.
void fly_approach_moves(double M[FLY_APPROACH][FLY_PAIR], const fly_approach *r) {
  double P[9];
  memset(M, 0, FLY_APPROACH * sizeof *M);
  fly_skew(P, r->p);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      M[a][b] = -r->i->R[3 * b + a];
      M[a][6 + b] = r->i->R[3 * b + a];
      M[a][3 + b] = P[3 * a + b];
      M[3 + a][3 + b] = -(a == b);
      M[3 + a][9 + b] = r->R[3 * a + b];
    }
}

// Z = d(x')/dq at fixed velocities: dp' = (R_i^T (v_j - v_i)) x dtheta_i + dp x w_i, dw = dphi x R w_j.
void fly_approach_rates(double Z[FLY_APPROACH][FLY_PAIR], double M[FLY_APPROACH][FLY_PAIR], const fly_approach *r) {
  double speed[3], way[3], Rw[3];
  for (int k = 0; k < 3; k++)
    speed[k] = r->j->v[k] - r->i->v[k];
  fly_to_body(way, r->i->R, speed);
  fly_to_space(Rw, r->R, r->j->w);
  for (int c = 0; c < FLY_PAIR; c++) {
    const double dp[3] = {M[0][c], M[1][c], M[2][c]}, dphi[3] = {M[3][c], M[4][c], M[5][c]};
    const double unit[3] = {c == 3, c == 4, c == 5};
    double first[3], second[3], third[3];
    fly_cross(first, way, unit);
    fly_cross(second, dp, r->i->w);
    fly_cross(third, dphi, Rw);
    for (int k = 0; k < 3; k++) {
      Z[k][c] = first[k] + second[k];
      Z[3 + k][c] = third[k];
    }
  }
}
