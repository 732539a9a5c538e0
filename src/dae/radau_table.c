// Radau IIA of three and of five stages (RI-table): collocation at the zeros of Radau's polynomial, the eigenvectors of
// its matrix, the weights of the embedded difference. Of five, everything follows from the places and the eigenvalues.
#include "dae/radau.h"

#include <math.h>

// ------------------------------------------------------------------------------------------ collocation

// Coefficients of the polynomial that is 1 at c_j and 0 at the other places.
static void lagrange(double p[FLY_STAGES], const fly_radau_table *t, int j) {
  int degree = 0;
  p[0] = 1;
  for (int k = 0; k < t->stages; k++) {
    if (k == j)
      continue;
    const double over = 1 / (t->c[j] - t->c[k]);
    p[degree + 1] = p[degree] * over;
    for (int i = degree; i > 0; i--)
      p[i] = (p[i - 1] - t->c[k] * p[i]) * over;
    p[0] *= -t->c[k] * over;
    degree++;
  }
}

// a_ij: the integral of that polynomial from 0 to c_i. The embedded difference is gamma0 h (u0' - p(0)), with p through
// the derivatives of the stages.
static void collocate(fly_radau_table *t) {
  for (int j = 0; j < t->stages; j++) {
    double p[FLY_STAGES];
    lagrange(p, t, j);
    t->embedded[j] = -t->gamma0 * p[0];
    for (int i = 0; i < t->stages; i++) {
      double sum = 0;
      for (int k = t->stages - 1; k >= 0; k--)
        sum = t->c[i] * (p[k] / (k + 1) + sum);
      t->A[i][j] = sum;
    }
  }
}

// Third divided differences over the first four places, and over the last four.
static void difference(fly_radau_table *t) {
  for (int first = 0; first + 4 <= t->stages; first++)
    for (int j = first; j < first + 4; j++) {
      double w = 1;
      for (int k = first; k < first + 4; k++)
        w *= k == j ? 1 : t->c[j] - t->c[k];
      t->third[first][j] = 1 / w;
    }
}

// ------------------------------------------------------------------------------------------ eigenvectors

// Rows of a, n of them with n + 1 columns, become those of the identity; the solution stands in the last column.
static void eliminate(double complex a[FLY_STAGES][FLY_STAGES + 1], int n) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      pivot = cabs(a[i][k]) > cabs(a[pivot][k]) ? i : pivot;
    for (int j = 0; j <= n; j++) {
      const double complex keep = a[k][j];
      a[k][j] = a[pivot][j];
      a[pivot][j] = keep;
    }
    for (int i = 0; i < n; i++) {
      const double complex share = i == k ? 0 : a[i][k] / a[k][k];
      for (int j = 0; j <= n; j++)
        a[i][j] -= share * a[k][j];
    }
  }
  for (int k = 0; k < n; k++)
    a[k][n] /= a[k][k];
}

// Eigenvector of A, whose last number is 1.
static void eigenvector(double complex w[FLY_STAGES], const fly_radau_table *t, double complex eigenvalue) {
  double complex a[FLY_STAGES][FLY_STAGES + 1];
  const int n = t->stages - 1;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      a[i][j] = t->A[i][j] - (i == j ? eigenvalue : 0);
    a[i][n] = -t->A[i][n];
  }
  eliminate(a, n);
  for (int i = 0; i < n; i++)
    w[i] = a[i][n];
  w[n] = 1;
}

// Wi = W^-1, a column at a time.
static void invert(fly_radau_table *t) {
  for (int column = 0; column < t->stages; column++) {
    double complex a[FLY_STAGES][FLY_STAGES + 1];
    for (int i = 0; i < t->stages; i++) {
      for (int j = 0; j < t->stages; j++)
        a[i][j] = t->W[i][j];
      a[i][t->stages] = i == column;
    }
    eliminate(a, t->stages);
    for (int i = 0; i < t->stages; i++)
      t->Wi[i][column] = creal(a[i][t->stages]);
  }
}

// A (Re w, Im w) (a, b) = (Re w, Im w) times conj(eigenvalue) (a + i b): eigen is that conjugate.
static void diagonalize(fly_radau_table *t) {
  double complex w[FLY_STAGES];
  eigenvector(w, t, t->gamma0);
  for (int i = 0; i < t->stages; i++)
    t->W[i][0] = creal(w[i]);
  for (int k = 0; k < t->pairs; k++) {
    eigenvector(w, t, conj(t->eigen[k]));
    for (int i = 0; i < t->stages; i++) {
      t->W[i][2 * k + 1] = creal(w[i]);
      t->W[i][2 * k + 2] = cimag(w[i]);
    }
  }
  invert(t);
}

// ------------------------------------------------------------------------------------------ five stages

// Places and eigenvalues are roots of polynomials of degree 4 and 5.
static void make_five(fly_radau_table *t) {
  *t = (fly_radau_table){
      .stages = 5,
      .pairs = 2,
      .c = {0.057104196114517682193, 0.27684301363812382768, 0.58359043236891682006, 0.86024013565621944785, 1},
      .gamma0 = 0.15906584442746912048};
  t->eigen[0] = fly_complex(0.065065778545743618594, -0.11646852774031707573);
  t->eigen[1] = fly_complex(0.13317907701829959895, -0.074994511835818522924);
  collocate(t);
  difference(t);
  diagonalize(t);
}

// ------------------------------------------------------------------------------------------ three stages

static double complex cross_entry(double complex a, double complex b, double complex c, double complex d) {
  return a * d - b * c;
}

// Eigenvector of A: the cross product of two rows of A - eigenvalue.
static void crossed(double complex w[3], const fly_radau_table *t, double complex eigenvalue) {
  double complex a[3], b[3];
  for (int j = 0; j < 3; j++) {
    a[j] = t->A[0][j] - (j == 0 ? eigenvalue : 0);
    b[j] = t->A[1][j] - (j == 1 ? eigenvalue : 0);
  }
  w[0] = cross_entry(a[1], a[2], b[1], b[2]);
  w[1] = cross_entry(a[2], a[0], b[2], b[0]);
  w[2] = cross_entry(a[0], a[1], b[0], b[1]);
  double complex last = w[2];
  for (int j = 0; j < 3; j++)
    w[j] /= last;
}

// Wi = W^-1 by cofactors.
static void invert3(fly_radau_table *t) {
  double det = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      t->Wi[j][i] = t->W[a][c] * t->W[b][d] - t->W[a][d] * t->W[b][c];
    }
  for (int j = 0; j < 3; j++)
    det += t->W[0][j] * t->Wi[j][0];
  for (int k = 0; k < 9; k++)
    t->Wi[k / 3][k % 3] /= det;
}

// In closed form: the same bits as ever.
static void make_three(fly_radau_table *t) {
  const double r = sqrt(6.0), root9 = cbrt(9.0), root81 = cbrt(81.0);
  *t = (fly_radau_table){.stages = 3,
                         .pairs = 1,
                         .c = {(4 - r) / 10, (4 + r) / 10, 1},
                         .A = {{(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225},
                               {(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225},
                               {(16 - r) / 36, (16 + r) / 36, 1.0 / 9}},
                         .gamma0 = (6 + root81 - root9) / 30};
  double complex eigen = fly_complex((12 - root81 + root9) / 60, (root81 + root9) * sqrt(3.0) / 60);
  t->eigen[0] = conj(eigen);
  double complex real[3], pair[3];
  crossed(real, t, t->gamma0);
  crossed(pair, t, eigen);
  for (int i = 0; i < 3; i++) {
    t->W[i][0] = creal(real[i]);
    t->W[i][1] = creal(pair[i]);
    t->W[i][2] = cimag(pair[i]);
  }
  invert3(t);
  const double e[] = {t->gamma0 / 3 * (-13 - 7 * r), t->gamma0 / 3 * (-13 + 7 * r), -t->gamma0 / 3};
  for (int j = 0; j < 3; j++)
    t->embedded[j] = e[0] * t->A[0][j] + e[1] * t->A[1][j] + e[2] * t->A[2][j];
}

void fly_radau_table_make(fly_radau_table *t, int stages) { (stages == 5 ? make_five : make_three)(t); }
