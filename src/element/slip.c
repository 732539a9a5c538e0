#include "element/slip.h"

#include <math.h>
#include <string.h>

#include "math/carried.h"

const fly_slip_type fly_slip_types[FLY_SLIPS] = {
    [FLY_SLIP_KNIFE] = {1, {"sideways"}}, [FLY_SLIP_ROLL] = {2, {"slip along x", "slip along y"}}};

enum { RI = 0, TI = 3, RJ = 6, TJ = 9, PARTS = 1 + FLY_PAIR };

// A vector, then its derivatives with respect to the columns of the pair; a number likewise.
typedef double vector[PARTS][3];
typedef double number[PARTS];

// Which body, and where its columns begin.
typedef struct side {
  const fly_kinematics *body;
  const fly_marker *marker;
  int move, turn;
} side;

// R u of a vector fixed to a body: d(R u) = R (dtheta x u).
static void fixed(vector out, const side *s, const double u[3]) {
  memset(out, 0, sizeof(vector));
  fly_to_space(out[0], s->body->R, u);
  for (int k = 0; k < 3; k++) {
    double unit[3] = {k == 0, k == 1, k == 2}, turned[3];
    fly_cross(turned, unit, u);
    fly_to_space(out[1 + s->turn + k], s->body->R, turned);
  }
}

static void axis(vector out, const side *s, int k) {
  double u[3];
  fly_axis(u, s->marker, k);
  fixed(out, s, u);
}

static void point(vector out, const side *s) {
  fixed(out, s, s->marker->s);
  for (int k = 0; k < 3; k++) {
    out[0][k] += s->body->r[k];
    out[1 + s->move + k][k] += 1;
  }
}

// R^T x in the axes of a body: d(R^T x) = R^T dx - dtheta x R^T x.
static void into_body(vector out, const side *s, vector x) {
  for (int k = 0; k < PARTS; k++)
    fly_to_body(out[k], s->body->R, x[k]);
  for (int k = 0; k < 3; k++) {
    double unit[3] = {k == 0, k == 1, k == 2}, turned[3];
    fly_cross(turned, out[0], unit);
    for (int c = 0; c < 3; c++)
      out[1 + s->turn + k][c] += turned[c];
  }
}

static void cross(vector out, vector a, vector b) { fly_carried_cross(PARTS, out, a, b); }

// out += f a
static void add(vector out, const number f, vector a) { fly_carried_add(PARTS, out, f, a); }

// Where the disc touches: its centre less radius times the steepest direction in it.
static void touch(vector out, const side *i, const side *j, double radius) {
  vector n, z, e;
  number tilt, over;
  axis(n, i, 2);
  axis(z, j, 2);
  fly_carried_split(PARTS, tilt, e, n, z);
  const double s = sqrt(1 - tilt[0] * tilt[0]); // |e|
  over[0] = -radius / s;
  for (int k = 1; k < PARTS; k++)
    over[k] = -radius * tilt[0] * tilt[k] / (s * s * s);
  point(out, j);
  add(out, over, e);
}

// A row along t at p, and its derivatives.
static void write_row(double *B, double *D, const side *i, const side *j, vector t, vector p) {
  const side *const both[] = {i, j};
  for (int s = 0; s < 2; s++) {
    vector arm, c, own, moment;
    const double sign = s ? 1 : -1;
    memcpy(arm, p, sizeof arm);
    for (int k = 0; k < 3; k++) {
      arm[0][k] -= both[s]->body->r[k];
      arm[1 + both[s]->move + k][k] -= 1;
    }
    into_body(c, both[s], arm);
    into_body(own, both[s], t);
    cross(moment, c, own);
    for (int k = 0; k < 3; k++) {
      B[both[s]->move + k] = sign * t[0][k];
      B[both[s]->turn + k] = sign * moment[0][k];
      for (int q = 0; D && q < FLY_PAIR; q++) {
        D[FLY_PAIR * (both[s]->move + k) + q] = sign * t[1 + q][k];
        D[FLY_PAIR * (both[s]->turn + k) + q] = sign * moment[1 + q][k];
      }
    }
  }
}

void fly_slip_rows(double *B, double *D, fly_slip_kind kind, const fly_pair *pair, double radius) {
  const side i = {pair->bi, pair->mi, RI, TI}, j = {pair->bj, pair->mj, RJ, TJ};
  vector p, t;
  if (kind == FLY_SLIP_KNIFE) {
    point(p, &j);
    axis(t, &j, 1);
    write_row(B, D, &i, &j, t, p);
    return;
  }
  touch(p, &i, &j, radius);
  for (int row = 0; row < FLY_SLIP_ROWS; row++) {
    axis(t, &i, row);
    write_row(B + FLY_PAIR * row, D ? D + FLY_PAIR * FLY_PAIR * row : NULL, &i, &j, t, p);
  }
}
