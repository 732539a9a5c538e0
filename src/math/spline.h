// Curves through tables of points: piecewise cubics. Pure functions; the memory is the caller's.
//
// Between x[i] and x[i+1] the curve is the cubic that has the values y and the slopes of these two points; outside the
// table it goes on as a straight line. What differs is where the slopes come from:
//   cubic  natural spline: y'' is continuous, and 0 at both ends. Smoothest, but one wild point is felt everywhere.
//          Exact for straight lines; of order 4 in the inside, of order 2 near an end where y'' is not 0.
//   akima  H. Akima, J. ACM 17 (1970) 589-602: a slope depends on five points only, and straight pieces of the table
//          stay straight. y' is continuous, y'' jumps at the points. Exact for parabolas if x is evenly spaced.
// Without slopes: straight from point to point, and on along the first and the last piece; or a staircase, which has
// the value of the last point at or before x, and that of the first before it.
#ifndef FLY_MATH_SPLINE_H
#define FLY_MATH_SPLINE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct fly_spline {
  int n;               // points, at least 2
  const double *x;     // strictly increasing (n)
  const double *y;     // values (n)
  const double *slope; // dy/dx (n), from one of the functions below; NULL: straight pieces,
  bool hold;           // or none: the value of a point until the next
  bool noise;          // instead of all that: noise with a point at every whole number (noise.h)
  uint64_t seed;       // of it
} fly_spline;

// The first i whose x or y is not finite, or whose x is not above x[i-1]; n if the table is good.
int fly_spline_check(const double *x, const double *y, int n);

// Slopes (n) of a table that passed the check, n >= 2; work (n).
void fly_spline_cubic(double *slope, const double *x, const double *y, int n, double *work);
void fly_spline_akima(double *slope, const double *x, const double *y, int n);

// Value, first, second and third derivative. At a point of the table those from the right.
void fly_spline_evaluate(double out[4], const fly_spline *s, double x);

#endif
