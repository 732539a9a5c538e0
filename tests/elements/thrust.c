// A force along x of its marker, which turns with it: it has no energy, and what it does is work from outside.
//
//   Q = (F R a, s x F a),   a: the axis in body axes;   dQ_r = -F R [a] dtheta
#include <string.h>

#include "element/block.h"
#include "element/force.h"
#include "element/table.h"

typedef struct thrust {
  double force; // F [N]
} thrust;

static fly_status make(void *to, const fly_maker *from) {
  ((thrust *)to)->force = from->number(from, "force");
  return FLY_OK;
}

static void force(double *Q, const fly_force_at *at, const void *k) {
  const fly_seen *m = &at->marker[0];
  double F = ((const thrust *)k)->force, a[3];
  fly_axis(a, m->marker, 0);
  for (int i = 0; i < 3; i++)
    a[i] *= F;
  fly_to_space(Q, m->body->R, a);
  fly_cross(Q + 3, m->marker->s, a);
}

static void derivatives(double *K, double *C, const fly_force_at *at, const void *k) {
  double a[3], RA[9];
  fly_axis(a, at->marker[0].marker, 0);
  fly_times_skew(RA, at->marker[0].body->R, a);
  memset(K, 0, 36 * sizeof *K);
  memset(C, 0, 36 * sizeof *C);
  fly_add_block(K, 6, 0, 3, RA, -((const thrust *)k)->force);
}

static void values(double *out, const fly_force_at *at, const void *k) {
  (void)at;
  out[0] = ((const thrust *)k)->force;
}

static const fly_quantity QUANTITIES[] = {{"force", "N", "along x of the marker"}, {0}};

static const fly_force_type TYPE = {.size = sizeof(thrust),
                                    .look = "none",
                                    .quantity = QUANTITIES,
                                    .make = make,
                                    .force = force,
                                    .derivatives = derivatives,
                                    .values = values};

static const fly_parameter PARAMETERS[] = {{"at", FLY_MARKER, 1, "", NULL, true, ANY, "where it acts, along x"},
                                           {"force", FLY_NUMBER, 1, "N", NULL, true, ANY, "its size"},
                                           END};

const fly_element_type fly_forces_thrust = {.section = "forces",
                                            .name = "thrust",
                                            .text = "a force along an axis of the body it acts on",
                                            .example = "jet: {type: thrust, at: a.m, force: 2}",
                                            .parameters = PARAMETERS,
                                            .force = &TYPE};
