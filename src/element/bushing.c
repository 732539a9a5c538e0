// Bushings: displacement, load, derivatives, and how they are made.
#include "element/bushing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "element/list.h"
#include "element/relative.h"
#include "element/table.h"

fly_bushing fly_bushing_diagonal(const double stiffness[6], const double damping[6]) {
  fly_bushing k = {0};
  for (int i = 0; i < 6; i++) {
    k.stiffness[7 * i] = stiffness[i];
    k.damping[7 * i] = damping[i];
  }
  return k;
}

// ------------------------------------------------------------------------------------------ the element

static void stretch(double y[6], const fly_relative *w, const fly_bushing *k) {
  for (int i = 0; i < 6; i++)
    y[i] = w->x[i] - k->free[i];
}

static void load(double f[6], const fly_relative *w, const fly_bushing *k) {
  double y[6];
  stretch(y, w, k);
  memcpy(f, k->preload, 6 * sizeof *f);
  fly_six_times(f, k->stiffness, y);
  fly_six_times(f, k->damping, w->xdot);
}

void fly_bushing_displacement(double x[6], const fly_pair *p) {
  fly_relative w;
  fly_relative_look(&w, p);
  memcpy(x, w.x, sizeof w.x);
}

void fly_bushing_load(double f[6], const fly_pair *p, const fly_bushing *k) {
  fly_relative w;
  fly_relative_watch(&w, p);
  load(f, &w, k);
}

void fly_bushing_force(double Q[12], const fly_pair *p, const fly_bushing *k) {
  fly_relative w;
  double f[6];
  fly_relative_watch(&w, p);
  load(f, &w, k);
  fly_relative_force(Q, &w, f);
}

void fly_bushing_derivatives(double *K, double *C, const fly_pair *p, const fly_bushing *k) {
  fly_relative w;
  double f[6];
  fly_relative_watch(&w, p);
  load(f, &w, k);
  fly_relative_derivatives(K, C, &w, &(fly_relative_law){f, k->stiffness, k->damping});
}

double fly_bushing_energy(const fly_pair *p, const fly_bushing *k) {
  fly_relative w;
  double y[6], energy;
  fly_relative_look(&w, p);
  stretch(y, &w, k);
  energy = fly_six_form(k->stiffness, y) / 2;
  for (int i = 0; i < 6; i++)
    energy += k->preload[i] * y[i];
  return energy;
}

double fly_bushing_dissipation(const fly_pair *p, const fly_bushing *k) {
  fly_relative w;
  fly_relative_watch(&w, p);
  return fly_six_form(k->damping, w.xdot);
}

// ------------------------------------------------------------------------------------------ the row

// No negative pivot in L D L^T with diagonal pivoting, to rounding; the rows are scaled alike first, because forces and
// torques have different units.
static bool is_semidefinite(const double A[36]) {
  double B[36], scale[6];
  for (int i = 0; i < 6; i++)
    scale[i] = A[7 * i] > 0 ? 1 / sqrt(A[7 * i]) : 1.0;
  for (int i = 0; i < 36; i++)
    B[i] = A[i] * scale[i / 6] * scale[i % 6];
  bool done[6] = {false};
  for (int step = 0; step < 6; step++) {
    int k = -1;
    for (int i = 0; i < 6; i++)
      if (!done[i] && (k < 0 || B[7 * i] > B[7 * k]))
        k = i;
    done[k] = true;
    double pivot = B[7 * k];
    for (int i = 0; i < 6 && pivot <= 1e-12; i++) // what is left must be zero
      for (int j = 0; j < 6; j++)
        if ((!done[i] || i == k) && (!done[j] || j == k) && fabs(B[6 * i + j]) > 1e-9)
          return false;
    if (pivot <= 1e-12)
      return true;
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        if (!done[i] && !done[j])
          B[6 * i + j] -= B[6 * i + k] * B[6 * k + j] / pivot;
  }
  return true;
}

// A matrix of a bushing: its diagonal, or all of it.
static fly_status read_matrix(double A[36], const char *diagonal, const char *full, const fly_maker *from) {
  double d[6] = {0}, largest = 0;
  if (!from->given(from, full)) {
    from->numbers(from, diagonal, 6, d);
    for (int i = 0; i < 6; i++)
      A[7 * i] = d[i];
    return FLY_OK;
  }
  from->numbers(from, full, 36, A);
  for (int i = 0; i < 36; i++)
    largest = fmax(largest, fabs(A[i]));
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < i; j++)
      if (fabs(A[6 * i + j] - A[6 * j + i]) > 1e-9 * largest)
        return from->refuse(from, "`%s` is not symmetric: %g in row %d, column %d, but %g in row %d, column %d.", full,
                            A[6 * i + j], i + 1, j + 1, A[6 * j + i], j + 1, i + 1);
  if (!is_semidefinite(A)) {
    char text[200];
    snprintf(text, sizeof text, "`%s` is not positive semidefinite: there is a displacement it drives on.", full);
    from->warn(from, text);
  }
  return FLY_OK;
}

static fly_status make(void *to, const fly_maker *from) {
  fly_bushing *k = to;
  fly_status status = read_matrix(k->stiffness, "stiffness", "stiffness_matrix", from);
  if (status == FLY_OK)
    status = read_matrix(k->damping, "damping", "damping_matrix", from);
  from->numbers(from, "preload", 6, k->preload);
  for (int i = 0; i < 6; i++)
    k->preload[i] = -k->preload[i]; // given as it acts on `to`
  return status;
}

void fly_bushing_row_force(double *Q, const fly_force_at *at, const void *k) {
  fly_pair p = fly_force_pair(at);
  fly_bushing_force(Q, &p, k);
}

void fly_bushing_row_derivatives(double *K, double *C, const fly_force_at *at, const void *k) {
  fly_pair p = fly_force_pair(at);
  fly_bushing_derivatives(K, C, &p, k);
}

double fly_bushing_row_energy(const fly_force_at *at, const void *k) {
  fly_pair p = fly_force_pair(at);
  return fly_bushing_energy(&p, k);
}

double fly_bushing_row_dissipation(const fly_force_at *at, const void *k) {
  fly_pair p = fly_force_pair(at);
  return fly_bushing_dissipation(&p, k);
}

bool fly_bushing_row_damps(const void *k) {
  const double *damping = ((const fly_bushing *)k)->damping;
  for (int i = 0; i < 36; i++)
    if (damping[i] != 0)
      return true;
  return false;
}

void fly_bushing_row_values(double *out, const fly_force_at *at, const void *k) {
  fly_pair p = fly_force_pair(at);
  fly_bushing_load(out, &p, k);
  for (int c = 0; c < 6; c++)
    out[c] = -out[c];
}

const fly_quantity fly_bushing_quantities[] = {FLY_ALONG("f", "N", "force on the second body", "the first marker"),
                                               FLY_ALONG("t", "N m", "torque on the second body", "the first marker"),
                                               {0}};

static const fly_force_type TYPE = {.look = "bushing", .make = make, FLY_BUSHING_LAW};

static const fly_parameter PARAMETERS[] = {
    {"from", FLY_MARKER, 1, "", NULL, true, ANY, "marker whose axes the bushing has"},
    {"to", FLY_MARKER, 1, "", NULL, true, ANY, "marker it is tied to"},
    {"stiffness", FLY_NUMBER, 6, "N/m, N m/rad", NULL, false, NOT_NEGATIVE, "along x, y, z, then about x, y, z"},
    {"damping", FLY_NUMBER, 6, "N s/m, N m s/rad", "[0, 0, 0, 0, 0, 0]", false, NOT_NEGATIVE, "likewise"},
    {"stiffness_matrix", FLY_NUMBER, 36, "N/m, N/rad, N, N m/rad", NULL, false, ANY,
     "instead of stiffness: the full symmetric matrix, row by row"},
    {"damping_matrix", FLY_NUMBER, 36, "N s/m, N s/rad, N s, N m s/rad", NULL, false, ANY,
     "instead of damping: the full symmetric matrix, row by row"},
    {"preload", FLY_NUMBER, 6, "N, N m", "[0, 0, 0, 0, 0, 0]", false, ANY,
     "force and torque on `to` where the markers coincide, along and about the axes of `from`"},
    SWITCH,
    END};

const fly_element_type fly_forces_bushing =
    FLY_ELEMENT("forces", "bushing", "six springs and dampers between two markers",
                "mount: {type: bushing, from: frame.mount, to: engine.foot, stiffness: [1e6, 1e6, 2e6, 100, 100, 100]}",
                .parameters = PARAMETERS, .force = &TYPE);
