// Beams: their stiffness matrix, and how they are made.
#include "element/beam.h"

#include <math.h>
#include <string.h>

#include "element/list.h"
#include "element/section.h"
#include "element/table.h"

enum { X, Y, Z, PHI_X, PHI_Y, PHI_Z };

static void set(double *K, int i, int j, double k) { K[6 * i + j] = K[6 * j + i] = k; }

// Bending in a plane: displacement u, turn phi; side is the sign of their coupling.
static void bend(double *K, int u, int phi, double side, double EI, double Phi, double L) {
  double c = EI / (L * L * L * (1 + Phi));
  set(K, u, u, 12 * c);
  set(K, u, phi, side * 6 * L * c);
  set(K, phi, phi, (4 + Phi) * L * L * c);
}

fly_bushing fly_beam_bushing(const fly_beam *b) {
  fly_bushing k = {.free = {b->length}};
  double L = b->length, EI_y = b->young * b->moment[0], EI_z = b->young * b->moment[1];
  double GAL2 = b->shear * b->area * L * L;
  set(k.stiffness, X, X, b->young * b->area / L);
  set(k.stiffness, PHI_X, PHI_X, b->shear * b->torsion / L);
  bend(k.stiffness, Y, PHI_Z, -1.0, EI_z, 12 * EI_z * b->shear_ratio[0] / GAL2, L);
  bend(k.stiffness, Z, PHI_Y, 1.0, EI_y, 12 * EI_y * b->shear_ratio[1] / GAL2, L);
  for (int i = 0; i < 36; i++)
    k.damping[i] = b->damping * k.stiffness[i];
  return k;
}

// ------------------------------------------------------------------------------------------ the row

// x along d, z towards up. False: there is no such z.
static bool beam_axes(double A[9], const double d[3], const double up[3]) {
  double x[3], y[3], z[3], l = sqrt(fly_dot3(d, d));
  for (int k = 0; k < 3; k++)
    x[k] = d[k] / l;
  fly_cross(y, up, x);
  double n = sqrt(fly_dot3(y, y));
  if (!(n > 1e-6 * sqrt(fly_dot3(up, up))))
    return false;
  for (int k = 0; k < 3; k++)
    y[k] /= n;
  fly_cross(z, x, y);
  fly_columns3(A, x, y, z);
  return true;
}

static fly_status check_ends(const fly_maker *from) {
  for (int i = 0; i < 2; i++)
    if (from->cannot_turn[i])
      return from->refuse(from, "ends at the %s `%s`, which cannot turn; give it an inertia, or use a spring.",
                          from->cannot_turn[i], from->body[i]);
  return FLY_OK;
}

// Of a beam that is straight as the model is given.
fly_status fly_beam_axes(double A[9], bool *own, const fly_maker *from) {
  double at[2][3], d[3], up[3];
  fly_status status = check_ends(from);
  *own = status == FLY_OK && strcmp(from->word(from, "axes"), "start") == 0;
  if (!*own)
    return status;
  for (int i = 0; i < 2; i++)
    fly_marker_point(at[i], from->start.marker[i].body, from->start.marker[i].marker);
  for (int i = 0; i < 3; i++)
    d[i] = at[1][i] - at[0][i];
  if (!(fly_dot3(d, d) > 0))
    return from->refuse(from, "its ends coincide at the start.");
  from->numbers(from, "up", 3, up);
  if (!beam_axes(A, d, up) && (from->given(from, "up") || !beam_axes(A, d, (const double[]){1, 0, 0})))
    return from->refuse(from, "`up` is along the beam; give a direction across it.");
  return FLY_OK;
}

static fly_status make(void *to, const fly_maker *from) {
  fly_section section;
  fly_status status = fly_section_read(&section, from, 0);
  if (status)
    return status;
  fly_beam b = {.length = from->given(from, "length")
                              ? from->number(from, "length")
                              : fly_seen_distance(&from->start.marker[0], &from->start.marker[1]),
                .young = from->number(from, "youngs_modulus"),
                .shear = from->number(from, "shear_modulus"),
                .area = section.area,
                .torsion = section.torsion,
                .moment = {section.moment[0], section.moment[1]},
                .damping = from->number(from, "damping_time")};
  if (!(b.length > 0))
    return from->refuse(from, "its ends coincide at the start, and no `length` is given.");
  from->numbers(from, "shear_ratios", 2, b.shear_ratio);
  *(fly_bushing *)to = fly_beam_bushing(&b);
  return FLY_OK;
}

static const fly_force_type TYPE = {.look = "rod", .axes = fly_beam_axes, .make = make, FLY_BUSHING_LAW};

static const fly_parameter PARAMETERS[] = {
    {"from", FLY_MARKER, 1, "", NULL, true, ANY, "one end"},
    {"to", FLY_MARKER, 1, "", NULL, true, ANY, "other end"},
    SECTION,
    {"moments", FLY_NUMBER, 3, "m^4", NULL, false, POSITIVE,
     "with `area`: torsion constant, then the second moments of area about y and z of the beam"},
    {"shear_ratios", FLY_NUMBER, 2, "", "[0, 0]", false, NOT_NEGATIVE,
     "area over shear area along y and z: 1.2 for a rectangle, 10/9 for a circle; 0: rigid in shear (Euler-Bernoulli)"},
    {"length", FLY_NUMBER, 1, "m", NULL, false, POSITIVE, "without load; as at the start if not given"},
    {"damping_time", FLY_NUMBER, 1, "s", "0", false, NOT_NEGATIVE, "damping over stiffness"},
    {"axes", FLY_WORD, 1, "", "start", false, KNOWS("start markers"),
     "start: x from end to end and no load (but for `length`) as the model is given; markers: x of `from`, and no load "
     "where `to` is `length` along it and turned alike"},
    {"up", FLY_NUMBER, 3, "", "[0, 0, 1]", false, ANY,
     "with axes: start, the direction in space to which z of the beam leans"},
    SWITCH,
    END};

const fly_element_type fly_forces_beam = FLY_ELEMENT(
    "forces", "beam", "a straight, massless, linearly elastic beam between two markers",
    "rod: {type: beam, from: ground, to: crank.pin, youngs_modulus: 210*GPa, shear_modulus: 81*GPa, area: 4*cm^2, "
    "moments: [2.2*cm^4, 1.3*cm^4, 1.3*cm^4]}",
    .parameters = PARAMETERS, .force = &TYPE);
