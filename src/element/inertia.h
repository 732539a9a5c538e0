// Mass, mass centre and inertia of bodies: of shapes with a density, of several together, seen in other axes; and
// whether given numbers can belong to a body at all.
#ifndef FLY_ELEMENT_INERTIA_H
#define FLY_ELEMENT_INERTIA_H

typedef struct fly_inertia {
  double mass;      // [kg]
  double center[3]; // mass centre, in some frame [m]
  double I[9];      // about the mass centre, in axes of that frame, row by row [kg m^2]; products as in the matrix
} fly_inertia;

// ------------------------------------------------------------------------------------------ shapes

typedef enum fly_shape_kind {
  FLY_SHAPE_BOX,
  FLY_SHAPE_CYLINDER,
  FLY_SHAPE_SPHERE,
  FLY_SHAPE_CAPSULE,
  FLY_SHAPE_CONE,
  FLY_SHAPE_TUBE,
  FLY_SHAPE_PLANE,
  FLY_SHAPE_ELLIPSOID,
  FLY_SHAPE_KINDS
} fly_shape_kind;

enum { FLY_SHAPE_SIZES = 3 };

// The frame of a shape: z is its axis. Its origin is the middle; of a cone, the middle of its base, with the tip at
// z = height.
typedef struct fly_shape_type {
  const char *name;
  int nsize;
  const char *size[FLY_SHAPE_SIZES]; // what its lengths are called [m]
  const char *text;
  void (*solid)(fly_inertia *out, const double *size); // at density 1; private
} fly_shape_type;

extern const fly_shape_type fly_shape_types[FLY_SHAPE_KINDS];

int fly_shape_find(const char *name); // a fly_shape_kind, or -1
// Index of the first size that no shape can have (not finite, not positive, inner radius not below the outer), or -1.
int fly_shape_check(fly_shape_kind kind, const double *size);
// density [kg/m^3]; a hole is a shape of negative density.
void fly_shape_inertia(fly_inertia *out, fly_shape_kind kind, const double *size, double density);

// ------------------------------------------------------------------------------------------ moving and adding

void fly_inertia_rotate(double out[9], const double A[9], const double I[9]); // A I A^T; out may not alias
// The same body in a frame where its own frame stands at `at` with axes A (columns). out may alias in.
void fly_inertia_place(fly_inertia *out, const fly_inertia *in, const double at[3], const double A[9]);
// sum += part, both in one frame, not one object. Start from {0}. The sum of masses must not vanish unless both do.
void fly_inertia_add(fly_inertia *sum, const fly_inertia *part);
void fly_inertia_about(double out[9], const fly_inertia *in, const double point[3]); // about any point of the frame

// ------------------------------------------------------------------------------------------ sense

// Principal moments, ascending, and axes: I = A diag(moment) A^T, columns of A right-handed.
void fly_inertia_principal(double moment[3], double A[9], const double I[9]);

typedef enum fly_inertia_verdict {
  FLY_INERTIA_GOOD,
  FLY_INERTIA_NOT_FINITE,
  FLY_INERTIA_NO_MASS,       // mass not positive
  FLY_INERTIA_NOT_SYMMETRIC, // matrix
  FLY_INERTIA_NEGATIVE,      // a principal moment is
  FLY_INERTIA_TRIANGLE,      // one principal moment exceeds the sum of the others
  FLY_INERTIA_THIN,          // a thin rod or a point: possible, but nothing resists some rotation
  FLY_INERTIA_VERDICTS
} fly_inertia_verdict;

typedef struct fly_inertia_report {
  fly_inertia_verdict verdict;
  double moment[3]; // principal moments, ascending; zero if they could not be computed
  double axes[9];   // their axes
  double excess;    // triangle: (largest - sum of the others)/largest; else 0
} fly_inertia_report;

// Rounding is forgiven: 1e-12 of the largest moment, 1e-9 for symmetry, 1e-6 for the triangle, whose numbers people
// round.
fly_inertia_report fly_inertia_check(const fly_inertia *in);
extern const char *const fly_inertia_texts[FLY_INERTIA_VERDICTS]; // a clause for messages: "the inertia ..."

#endif
