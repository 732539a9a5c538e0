// Beam elements for large turns: screw, load, derivatives, and how they are made.
//
// With y = (d, phi), f the load of x = (u, phi) and p = phi',
//
//   load of y:                 G^T f = (P^T f_u, D^T f_u + f_phi),   D = dP/dphi d
//   d(G^T f)/dy  at fixed f:   (0, d(P^T f_u)/dphi; its transpose, the Hessian of f_u . P d by phi)
//   d(G y')/dy   at fixed y':  (P', d(P d')/dphi + d(D p)/dphi; 0, 0)
#include "element/exact_beam.h"

#include <math.h>
#include <string.h>

#include "element/beam.h"
#include "element/block.h"
#include "element/list.h"
#include "element/relative.h"
#include "element/section.h"
#include "element/table.h"

// ------------------------------------------------------------------------------------------ the screw

typedef struct screw {
  fly_relative w;
  double b[3];       // of P, with its derivatives
  double P[9], D[9]; // du = P dd + D dphi
  double x[6], xdot[6];
  double q[2]; // de = du_x + q_y du_y + q_z du_z
} screw;

// P = 1 - [phi]/2 + b [phi]^2
static void find_screw(screw *s) {
  const double *d = s->w.x, *phi = s->w.x + 3;
  double S[9];
  fly_inverse_tangent(s->b, fly_dot3(phi, phi));
  fly_skew_skew(s->P, phi, phi);
  fly_skew(S, phi);
  for (int i = 0; i < 9; i++)
    s->P[i] = (i % 4 == 0 ? 1 : 0) - S[i] / 2 + s->b[0] * s->P[i];
  fly_to_space(s->x, s->P, d);
  memcpy(s->x + 3, phi, 3 * sizeof *phi);
}

static void look(screw *s, const fly_pair *p) {
  fly_relative_look(&s->w, p);
  find_screw(s);
}

static void watch(screw *s, const fly_pair *p) {
  double more[3];
  fly_relative_watch(&s->w, p);
  find_screw(s);
  const double *ddot = s->w.xdot, *phidot = s->w.xdot + 3;
  fly_inverse_tangent_slope(s->D, s->w.x + 3, s->b, -1.0, s->w.x);
  fly_to_space(s->xdot, s->P, ddot);
  fly_to_space(more, s->D, phidot);
  fly_add3(s->xdot, more, 1);
  memcpy(s->xdot + 3, phidot, 3 * sizeof *phidot);
}

// x with the length e in place of u_x
static void strain(double out[6], const double x[6], const fly_exact_beam *k) {
  memcpy(out, x, 6 * sizeof *out);
  out[0] += (k->bowing[0] * x[1] * x[1] + k->bowing[1] * x[2] * x[2]) / 2;
}

// Against growing strain.
static void load(double f[6], screw *s, const fly_exact_beam *k) {
  double now[6], rate[6];
  strain(now, s->x, k);
  memcpy(rate, s->xdot, sizeof rate);
  for (int i = 0; i < 2; i++) {
    s->q[i] = k->bowing[i] * s->x[1 + i];
    rate[0] += s->q[i] * s->xdot[1 + i];
  }
  for (int i = 0; i < 6; i++)
    f[i] = k->stiffness[i] * (now[i] - k->free[i]) + k->damping[i] * rate[i];
}

// Of f, the load of u.
static void load_of_screw(double out[3], const screw *s, const double f[6]) {
  out[0] = f[0];
  for (int i = 0; i < 2; i++)
    out[1 + i] = f[1 + i] + s->q[i] * f[0];
}

// Of f, the load of y.
static void load_of_ends(double out[6], const screw *s, const double f[6]) {
  double u[3];
  load_of_screw(u, s, f);
  fly_to_body(out, s->P, u);
  fly_to_body(out + 3, s->D, u);
  fly_add3(out + 3, f + 3, 1);
}

// ------------------------------------------------------------------------------------------ second derivatives

static void add_outer(double A[9], const double a[3], const double b[3], double factor) {
  for (int i = 0; i < 9; i++)
    A[i] += factor * a[i / 3] * b[i % 3];
}

static void add_unit(double A[9], double factor) {
  for (int i = 0; i < 3; i++)
    A[4 * i] += factor;
}

// Of f . P d = f . d - f . (phi x d)/2 + b s, s = (f . phi)(d . phi) - (phi . phi)(f . d): the Hessian by phi.
static void bend_of_load(double H[9], const screw *s, const double f[3]) {
  const double *d = s->w.x, *phi = s->w.x + 3, *b = s->b;
  const double fd = fly_dot3(f, d), fp = fly_dot3(f, phi), dp = fly_dot3(d, phi), z = fly_dot3(phi, phi);
  const double value = fp * dp - z * fd;
  double slope[3];
  for (int i = 0; i < 3; i++)
    slope[i] = f[i] * dp + d[i] * fp - 2 * phi[i] * fd;
  memset(H, 0, 9 * sizeof *H);
  add_outer(H, f, d, b[0]);
  add_outer(H, d, f, b[0]);
  add_unit(H, -2 * b[0] * fd + 2 * b[1] * value);
  add_outer(H, phi, slope, 2 * b[1]);
  add_outer(H, slope, phi, 2 * b[1]);
  add_outer(H, phi, phi, 4 * b[2] * value);
}

// P' = -[p]/2 + b ([phi][p] + [p][phi]) + 2 b' (phi . p) [phi]^2
static void turning_screw(double A[9], const screw *s) {
  const double *phi = s->w.x + 3, *p = s->w.xdot + 3;
  double B[9], C[9], F[9], S[9];
  fly_skew(S, p);
  fly_skew_skew(B, phi, p);
  fly_skew_skew(C, p, phi);
  fly_skew_skew(F, phi, phi);
  for (int i = 0; i < 9; i++)
    A[i] = -S[i] / 2 + s->b[0] * (B[i] + C[i]) + 2 * s->b[1] * fly_dot3(phi, p) * F[i];
}

// d(D p)/dphi, D p = -p x d/2 + 2 b' (phi . p) g + b g(p) with g = phi (phi . d) - (phi . phi) d and its derivative
// along e, g(e) = e (phi . d) + phi (e . d) - 2 (phi . e) d
static void bend_of_rate(double A[9], const screw *s) {
  const double *d = s->w.x, *phi = s->w.x + 3, *p = s->w.xdot + 3, *b = s->b;
  const double dp = fly_dot3(d, phi), z = fly_dot3(phi, phi), pp = fly_dot3(phi, p), pd = fly_dot3(p, d);
  double g[3], gp[3], row[3];
  for (int i = 0; i < 3; i++) {
    g[i] = phi[i] * dp - z * d[i];
    gp[i] = p[i] * dp + phi[i] * pd - 2 * pp * d[i];
    row[i] = 2 * b[1] * p[i] + 4 * b[2] * pp * phi[i];
  }
  memset(A, 0, 9 * sizeof *A);
  add_outer(A, g, row, 1);
  add_unit(A, 2 * b[1] * pp * dp + b[0] * pd);
  add_outer(A, phi, d, 2 * b[1] * pp);
  add_outer(A, d, phi, -4 * b[1] * pp);
  add_outer(A, gp, phi, 2 * b[1]);
  add_outer(A, p, d, b[0]);
  add_outer(A, d, p, -2 * b[0]);
}

// ------------------------------------------------------------------------------------------ the element

void fly_exact_beam_stiffness(fly_exact_beam *k, const double rigidity[6], double L) {
  for (int i = 0; i < 6; i++)
    k->stiffness[i] = rigidity[i] / L;
  for (int i = 1; i < 3; i++) { // shear along y goes with bending about z
    const double shear = rigidity[i] > 0 ? 1 / rigidity[i] : 0, soft = L * L / (12 * rigidity[6 - i]) + shear;
    const double s = shear / soft;
    k->stiffness[i] = 1 / (soft * L);
    k->bowing[i - 1] = (1 - s * s + (1 - s) * (1 - s) / 5) / L;
  }
}

void fly_exact_beam_screw(double x[6], const fly_pair *p) {
  screw s;
  look(&s, p);
  memcpy(x, s.x, sizeof s.x);
}

void fly_exact_beam_load(double f[6], const fly_pair *p, const fly_exact_beam *k) {
  screw s;
  watch(&s, p);
  load(f, &s, k);
}

void fly_exact_beam_force(double Q[12], const fly_pair *p, const fly_exact_beam *k) {
  screw s;
  double f[6], ends[6];
  watch(&s, p);
  load(f, &s, k);
  load_of_ends(ends, &s, f);
  fly_relative_force(Q, &s.w, ends);
}

// A (6 x 6) += G^T diag(c) B
static void add_weighed(double A[36], const double G[36], const double c[6], const double B[36]) {
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        A[6 * i + j] += G[6 * k + i] * c[k] * B[6 * k + j];
}

// G = (P, D; 0, 1) and R = d(G y')/dy
static void screw_by_ends(double G[36], double R[36], const screw *s) {
  double A[9];
  fly_add_block(G, 6, 0, 0, s->P, 1.0);
  fly_add_block(G, 6, 0, 3, s->D, 1.0);
  for (int i = 3; i < 6; i++)
    G[7 * i] = 1;
  turning_screw(A, s);
  fly_add_block(R, 6, 0, 0, A, 1.0);
  fly_inverse_tangent_slope(A, s->w.x + 3, s->b, -1.0, s->w.xdot);
  fly_add_block(R, 6, 0, 3, A, 1.0);
  bend_of_rate(A, s);
  fly_add_block(R, 6, 0, 3, A, 1.0);
}

// Their first rows become those of the length e.
static void length_by_ends(double G[36], double R[36], const screw *s, const fly_exact_beam *k) {
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 6; j++) {
      const double along = G[6 * (1 + i) + j];
      R[j] += s->q[i] * R[6 * (1 + i) + j] + k->bowing[i] * s->xdot[1 + i] * along;
      G[j] += s->q[i] * along;
    }
}

// Of the load of y: by y and by y'.
static void derivatives_of_ends(double by_x[36], double by_xdot[36], const screw *s, const fly_exact_beam *k,
                                const double f[6]) {
  double G[36] = {0}, R[36] = {0}, A[9], u[3];
  screw_by_ends(G, R, s);
  add_weighed(by_x, G, (const double[6]){0, k->bowing[0] * f[0], k->bowing[1] * f[0]}, G);
  length_by_ends(G, R, s, k);
  add_weighed(by_x, G, k->stiffness, G);
  add_weighed(by_x, G, k->damping, R);
  add_weighed(by_xdot, G, k->damping, G);
  load_of_screw(u, s, f);
  fly_inverse_tangent_slope(A, s->w.x + 3, s->b, 1.0, u);
  fly_add_block(by_x, 6, 0, 3, A, 1.0);
  fly_add_block_transposed(by_x, 6, 3, 0, A, 1.0);
  bend_of_load(A, s, u);
  fly_add_block(by_x, 6, 3, 3, A, 1.0);
}

void fly_exact_beam_derivatives(double *K, double *C, const fly_pair *p, const fly_exact_beam *k) {
  screw s;
  double f[6], ends[6], by_x[36] = {0}, by_xdot[36] = {0};
  watch(&s, p);
  load(f, &s, k);
  load_of_ends(ends, &s, f);
  derivatives_of_ends(by_x, by_xdot, &s, k, f);
  fly_relative_derivatives(K, C, &s.w, &(fly_relative_law){ends, by_x, by_xdot});
}

double fly_exact_beam_energy(const fly_pair *p, const fly_exact_beam *k) {
  screw s;
  double now[6], sum = 0;
  look(&s, p);
  strain(now, s.x, k);
  for (int i = 0; i < 6; i++)
    sum += k->stiffness[i] * (now[i] - k->free[i]) * (now[i] - k->free[i]) / 2;
  return sum;
}

double fly_exact_beam_dissipation(const fly_pair *p, const fly_exact_beam *k) {
  screw s;
  double sum = 0;
  watch(&s, p);
  for (int i = 0; i < 6; i++) {
    const double bows = i == 0 ? k->bowing[0] * s.x[1] * s.xdot[1] + k->bowing[1] * s.x[2] * s.xdot[2] : 0;
    sum += k->damping[i] * (s.xdot[i] + bows) * (s.xdot[i] + bows);
  }
  return sum;
}

// ------------------------------------------------------------------------------------------ what the user gave

// EA, GA_y, GA_z, GJ, EI_y, EI_z
static fly_status read_rigidities(double out[6], const fly_maker *from) {
  fly_section s;
  double ratio[2];
  if (from->given(from, "rigidities")) {
    from->numbers(from, "rigidities", 6, out);
    for (int i = 0; i < 6; i += i == 0 ? 3 : 1)
      if (!(out[i] > 0))
        return from->refuse(from,
                            "of its `rigidities` [EA, GAy, GAz, GJ, EIy, EIz] only those of shear may be 0, "
                            "which means rigid; number %d is %g.",
                            i + 1, out[i]);
    return FLY_OK;
  }
  if (!from->given(from, "youngs_modulus") || !from->given(from, "shear_modulus"))
    return from->refuse(from, "it needs `youngs_modulus`, `shear_modulus` and a section (circle, tube, rectangle, or "
                              "area and moments), or `rigidities`.");
  fly_status status = fly_section_read(&s, from, 0);
  if (status)
    return status;
  const double E = from->number(from, "youngs_modulus"), G = from->number(from, "shear_modulus");
  from->numbers(from, "shear_ratios", 2, ratio);
  memcpy(out,
         (double[6]){E * s.area, ratio[0] > 0 ? G * s.area / ratio[0] : 0, ratio[1] > 0 ? G * s.area / ratio[1] : 0,
                     G * s.torsion, E * s.moment[0], E * s.moment[1]},
         6 * sizeof *out);
  return FLY_OK;
}

// Without load: as at the start, or a given length and curvature.
static fly_status read_free(double free[6], double *length, const fly_maker *from) {
  const fly_pair p = fly_force_pair(&from->start);
  double bent[3];
  fly_exact_beam_screw(free, &p);
  *length = from->given(from, "length") ? from->number(from, "length") : sqrt(fly_dot3(free, free));
  if (!(*length > 0))
    return from->refuse(from, "its ends coincide at the start, and no `length` is given.");
  if (!from->given(from, "length") && !from->given(from, "curvature"))
    return FLY_OK;
  from->numbers(from, "curvature", 3, bent);
  for (int i = 0; i < 3; i++) {
    free[i] = i == 0 ? *length : 0;
    free[3 + i] = *length * bent[i];
  }
  return FLY_OK;
}

static fly_status make(void *to, const fly_maker *from) {
  fly_exact_beam *k = to;
  double rigidity[6], x[6], length;
  const double time = from->number(from, "damping_time");
  fly_status status = read_rigidities(rigidity, from);
  if (status == FLY_OK)
    status = read_free(k->free, &length, from);
  if (status)
    return status;
  fly_exact_beam_stiffness(k, rigidity, length);
  memcpy(x, k->free, sizeof x);
  strain(k->free, x, k);
  for (int i = 0; i < 6; i++)
    k->damping[i] = time * k->stiffness[i];
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ the row

static void force(double *Q, const fly_force_at *at, const void *k) {
  const fly_pair p = fly_force_pair(at);
  fly_exact_beam_force(Q, &p, k);
}

static void derivatives(double *K, double *C, const fly_force_at *at, const void *k) {
  const fly_pair p = fly_force_pair(at);
  fly_exact_beam_derivatives(K, C, &p, k);
}

static double energy(const fly_force_at *at, const void *k) {
  const fly_pair p = fly_force_pair(at);
  return fly_exact_beam_energy(&p, k);
}

static double dissipation(const fly_force_at *at, const void *k) {
  const fly_pair p = fly_force_pair(at);
  return fly_exact_beam_dissipation(&p, k);
}

static bool damps(const void *k) { return ((const fly_exact_beam *)k)->damping[0] > 0; }

static void values(double *out, const fly_force_at *at, const void *k) {
  const fly_pair p = fly_force_pair(at);
  fly_exact_beam_load(out, &p, k);
}

static const fly_quantity QUANTITIES[] = {{"tension", "N", "force along the beam"},
                                          {"shear_y", "N", "shear force, along y of the beam"},
                                          {"shear_z", "N", "shear force, along z of the beam"},
                                          {"torque", "N m", "moment about the beam"},
                                          {"moment_y", "N m", "bending moment in its middle, about y of the beam"},
                                          {"moment_z", "N m", "bending moment in its middle, about z of the beam"},
                                          {0}};

static const fly_force_type TYPE = {.size = sizeof(fly_exact_beam),
                                    .look = "curve",
                                    .quantity = QUANTITIES,
                                    .axes = fly_beam_axes,
                                    .make = make,
                                    .force = force,
                                    .derivatives = derivatives,
                                    .energy = energy,
                                    .dissipation = dissipation,
                                    .damps = damps,
                                    .values = values};

static const fly_parameter PARAMETERS[] = {
    {"from", FLY_MARKER, 1, "", NULL, true, ANY, "one end"},
    {"to", FLY_MARKER, 1, "", NULL, true, ANY, "other end"},
    {"youngs_modulus", FLY_NUMBER, 1, "Pa", NULL, false, POSITIVE, "Young's modulus E"},
    {"shear_modulus", FLY_NUMBER, 1, "Pa", NULL, false, POSITIVE, "shear modulus G"},
    SECTION_SIZE,
    {"moments", FLY_NUMBER, 3, "m^4", NULL, false, POSITIVE,
     "with `area`: torsion constant, then the second moments of area about y and z of the beam"},
    {"shear_ratios", FLY_NUMBER, 2, "", "[0, 0]", false, NOT_NEGATIVE,
     "area over shear area along y and z: 1.2 for a rectangle, 10/9 for a circle; 0: rigid in shear (Euler-Bernoulli)"},
    {"rigidities", FLY_NUMBER, 6, "N, N m^2", NULL, false, NOT_NEGATIVE,
     "instead of moduli and section: EA, GAy, GAz (0: rigid in shear), GJ, EIy, EIz"},
    {"length", FLY_NUMBER, 1, "m", NULL, false, POSITIVE, "along it without load; as at the start if not given"},
    {"curvature", FLY_NUMBER, 3, "rad/m", "[0, 0, 0]", false, ANY,
     "twist and curvature about y and z without load; as at the start if neither this nor `length` is given"},
    {"damping_time", FLY_NUMBER, 1, "s", "0", false, NOT_NEGATIVE, "damping over stiffness"},
    {"axes", FLY_WORD, 1, "", "start", false, KNOWS("start markers"),
     "start: x from end to end as the model is given; markers: those of the two markers, x along the beam"},
    {"up", FLY_NUMBER, 3, "", "[0, 0, 1]", false, ANY,
     "with axes: start, the direction in space to which z of the beam leans"},
    SWITCH,
    END};

const fly_element_type fly_forces_exact_beam = FLY_ELEMENT(
    "forces", "exact-beam", "a piece of a beam or cable that may turn, bend and twist far, between two markers",
    "piece: {type: exact-beam, from: node1, to: node2, youngs_modulus: 210*GPa, shear_modulus: 81*GPa, circle: 8*mm}",
    .parameters = PARAMETERS, .force = &TYPE);
