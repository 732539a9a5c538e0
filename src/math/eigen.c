// Cholesky's factor makes the problem an ordinary one, Jacobi's rotations solve it (Golub and Van Loan, 8.5 and 8.7).
#include "math/eigen.h"

#include <math.h>

// M = L L^T, in its lower half
static bool factor(int n, double *M) {
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      double sum = M[n * i + j];
      for (int k = 0; k < j; k++)
        sum -= M[n * i + k] * M[n * j + k];
      if (i == j && !(sum > 0))
        return false;
      M[n * i + j] = i == j ? sqrt(sum) : sum / M[n * j + j];
    }
  }
  return true;
}

// x = L^-1 x over n numbers that stand `step` apart
static void solve(int n, const double *L, double *x, int step) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++)
      x[i * step] -= L[n * i + k] * x[k * step];
    x[i * step] /= L[(n + 1) * i];
  }
}

static void solve_transposed(int n, const double *L, double *x, int step) {
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      x[i * step] -= L[n * k + i] * x[k * step];
    x[i * step] /= L[(n + 1) * i];
  }
}

// Rows p and q of A turned, or columns where `step` is n and `next` 1.
static void turn(double *a, double *b, int n, int step, double c, double s) {
  for (int k = 0; k < n; k++) {
    const double x = a[k * step], y = b[k * step];
    a[k * step] = c * x - s * y;
    b[k * step] = s * x + c * y;
  }
}

static void rotate(int n, double *A, double *X, int p, int q) {
  const double apq = A[n * p + q];
  if (apq == 0)
    return;
  const double tau = (A[(n + 1) * q] - A[(n + 1) * p]) / (2 * apq);
  const double t = (tau >= 0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1 + tau * tau)), c = 1 / sqrt(1 + t * t), s = t * c;
  turn(A + n * p, A + n * q, n, 1, c, s);
  turn(A + p, A + q, n, n, c, s);
  turn(X + p, X + q, n, n, c, s);
}

static double off_diagonal(int n, const double *A) {
  double sum = 0;
  for (int i = 0; i < n * n; i++)
    sum += i / n != i % n ? A[i] * A[i] : 0;
  return sum;
}

static void exchange(int n, double *X, double *lambda, int i, int j) {
  const double one = lambda[i];
  lambda[i] = lambda[j];
  lambda[j] = one;
  for (int k = 0; k < n; k++) {
    const double x = X[n * k + i];
    X[n * k + i] = X[n * k + j];
    X[n * k + j] = x;
  }
}

static void sort(int n, double *X, double *lambda) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (lambda[j] < lambda[i])
        exchange(n, X, lambda, i, j);
}

bool fly_eigen_pair(int n, double *K, double *M, double *X, double *lambda) {
  if (!factor(n, M))
    return false;
  for (int j = 0; j < n; j++)
    solve(n, M, K + j, n);
  for (int i = 0; i < n; i++)
    solve(n, M, K + n * i, 1);
  for (int i = 0; i < n * n; i++)
    X[i] = i / n == i % n;
  for (int sweep = 0; sweep < 30 && off_diagonal(n, K) > 0; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++)
        rotate(n, K, X, p, q);
  for (int j = 0; j < n; j++) {
    lambda[j] = K[(n + 1) * j];
    solve_transposed(n, M, X + j, n);
  }
  sort(n, X, lambda);
  return true;
}
