#include "element/frame.h"

#include "math/so3.h"

void fly_axis(double out[3], const fly_marker *m, int k) {
  for (int i = 0; i < 3; i++)
    out[i] = m->A[3 * i + k];
}

void fly_to_space(double out[3], const double R[9], const double u[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = R[3 * i] * u[0] + R[3 * i + 1] * u[1] + R[3 * i + 2] * u[2];
}

void fly_to_body(double out[3], const double R[9], const double u[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = R[i] * u[0] + R[3 + i] * u[1] + R[6 + i] * u[2];
}

void fly_axis_space(double out[3], const fly_kinematics *b, const fly_marker *m, int k) {
  double u[3];
  fly_axis(u, m, k);
  fly_to_space(out, b->R, u);
}

void fly_point(double out[3], const fly_kinematics *b, const fly_marker *m) {
  fly_to_space(out, b->R, m->s);
  for (int i = 0; i < 3; i++)
    out[i] += b->r[i];
}

void fly_point_velocity(double out[3], const fly_kinematics *b, const fly_marker *m) {
  double ws[3];
  fly_cross(ws, b->w, m->s);
  fly_to_space(out, b->R, ws);
  for (int i = 0; i < 3; i++)
    out[i] += b->v[i];
}

void fly_centripetal(double out[3], const fly_kinematics *b, const double u[3]) {
  double wu[3], wwu[3];
  fly_cross(wu, b->w, u);
  fly_cross(wwu, b->w, wu);
  fly_to_space(out, b->R, wwu);
}

double fly_dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

void fly_skew(double out[9], const double u[3]) {
  out[0] = out[4] = out[8] = 0;
  out[1] = -u[2];
  out[2] = u[1];
  out[3] = u[2];
  out[5] = -u[0];
  out[6] = -u[1];
  out[7] = u[0];
}

void fly_multiply3(double out[9], const double a[9], const double b[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

void fly_multiply3_transposed(double out[9], const double a[9], const double b[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
}
