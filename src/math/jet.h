// Numbers and vectors that carry two derivatives in time, and how all three change along a small move. Whatever is
// calculated with them has its derivatives exactly: sums, products and functions follow Leibniz's and the chain rule.
#ifndef FLY_MATH_JET_H
#define FLY_MATH_JET_H

// [0]: value, first and second derivative in time; [1]: their changes along the move.
typedef struct fly_jet {
  double at[2][3];
} fly_jet;

typedef struct fly_jet3 {
  fly_jet c[3]; // x, y, z
} fly_jet3;

// a + factor b
static inline fly_jet fly_jet_sum(fly_jet a, double factor, fly_jet b) {
  for (int k = 0; k < 2; k++)
    for (int n = 0; n < 3; n++)
      a.at[k][n] += factor * b.at[k][n];
  return a;
}

static inline fly_jet fly_jet_product(fly_jet a, fly_jet b) {
  static const double binomial[3][3] = {{1}, {1, 1}, {1, 2, 1}};
  fly_jet out = {{{0}}};
  for (int n = 0; n < 3; n++)
    for (int i = 0; i <= n; i++) {
      out.at[0][n] += binomial[n][i] * a.at[0][i] * b.at[0][n - i];
      out.at[1][n] += binomial[n][i] * (a.at[1][i] * b.at[0][n - i] + a.at[0][i] * b.at[1][n - i]);
    }
  return out;
}

// f(a), from f and its first three derivatives at the value of a.
static inline fly_jet fly_jet_function(fly_jet a, const double f[4]) {
  const double *u = a.at[0], *d = a.at[1];
  const fly_jet out = {{{f[0], f[1] * u[1], f[2] * u[1] * u[1] + f[1] * u[2]},
                        {f[1] * d[0], f[2] * d[0] * u[1] + f[1] * d[1],
                         f[3] * d[0] * u[1] * u[1] + 2 * f[2] * u[1] * d[1] + f[2] * d[0] * u[2] + f[1] * d[2]}}};
  return out;
}

static inline fly_jet fly_jet_inverse(fly_jet a) {
  const double r = 1 / a.at[0][0];
  return fly_jet_function(a, (double[]){r, -r * r, 2 * r * r * r, -6 * r * r * r * r});
}

// The derivative in time; what would be its second is not known.
static inline fly_jet fly_jet_rate(fly_jet a) {
  const fly_jet out = {{{a.at[0][1], a.at[0][2], 0}, {a.at[1][1], a.at[1][2], 0}}};
  return out;
}

static inline fly_jet3 fly_jet3_sum(fly_jet3 a, double factor, fly_jet3 b) {
  for (int c = 0; c < 3; c++)
    a.c[c] = fly_jet_sum(a.c[c], factor, b.c[c]);
  return a;
}

static inline fly_jet3 fly_jet3_rate(fly_jet3 a) {
  for (int c = 0; c < 3; c++)
    a.c[c] = fly_jet_rate(a.c[c]);
  return a;
}

static inline fly_jet3 fly_jet3_scaled(fly_jet f, fly_jet3 a) {
  for (int c = 0; c < 3; c++)
    a.c[c] = fly_jet_product(f, a.c[c]);
  return a;
}

static inline fly_jet fly_jet3_dot(fly_jet3 a, fly_jet3 b) {
  fly_jet out = fly_jet_product(a.c[0], b.c[0]);
  for (int c = 1; c < 3; c++)
    out = fly_jet_sum(out, 1.0, fly_jet_product(a.c[c], b.c[c]));
  return out;
}

static inline fly_jet3 fly_jet3_cross(fly_jet3 a, fly_jet3 b) {
  fly_jet3 out;
  for (int c = 0; c < 3; c++) {
    const int i = (c + 1) % 3, j = (c + 2) % 3;
    out.c[c] = fly_jet_sum(fly_jet_product(a.c[i], b.c[j]), -1.0, fly_jet_product(a.c[j], b.c[i]));
  }
  return out;
}

#endif
