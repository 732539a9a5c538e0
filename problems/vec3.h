// Vectors of three numbers, 3 x 3 matrices, unit quaternions (w,x,y,z) from body to space: for the spatial problems.
#ifndef FLY_PROBLEMS_VEC3_H
#define FLY_PROBLEMS_VEC3_H

typedef struct mat3 {
  double row[3][3];
} mat3;

static inline double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// out = a x b; out may not alias.
static inline void cross3(double out[3], const double a[3], const double b[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

// [a], so that [a] b = a x b.
static inline mat3 skew3(const double a[3]) { return (mat3){{{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}}}; }

static inline mat3 multiply3(mat3 A, mat3 B) {
  mat3 C;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C.row[i][j] = A.row[i][0] * B.row[0][j] + A.row[i][1] * B.row[1][j] + A.row[i][2] * B.row[2][j];
  return C;
}

// out = A b and out = A^T b; out may not alias.
static inline void apply3(double out[3], mat3 A, const double b[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = dot3(A.row[i], b);
}

static inline void apply_transposed3(double out[3], mat3 A, const double b[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = A.row[0][i] * b[0] + A.row[1][i] * b[1] + A.row[2][i] * b[2];
}

// Rotation matrix of the unit quaternion p; row i holds the body components of space axis i.
static inline mat3 rotation3(const double p[4]) {
  const double w = p[0], x = p[1], y = p[2], z = p[3];
  return (mat3){{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                 {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                 {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

#endif
