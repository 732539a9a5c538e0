// An elastic rope from a marker over a second to a third, where it runs without friction; docs/adding-a-force.md. It is
// always taut: with s its length,
//
//   s = |p_1 - p_0| + |p_2 - p_1|,   Q = -F G^T,   F = k (s - s0) + c s',   G = ds/dq,   s' = G v
//   K = -G^T (k G + c Z) - F H,   C = -c G^T G,   H = d(G^T)/dq,   Z = v^T H
//
// and G, H of the two stretches, as springs have them, added up in the 18 columns of the three markers.
#include <string.h>

#include "element/force.h"
#include "element/spring.h"
#include "element/table.h"

typedef struct rope {
  double stiffness, damping, free_length; // [N/m], [N s/m], [m]
} rope;

enum { N = 18 };

static fly_pair stretch(const fly_force_at *at, int k) {
  const fly_seen *a = &at->marker[k], *b = &at->marker[k + 1];
  return (fly_pair){a->body, b->body, a->marker, b->marker};
}

// Length, G (18) and H (18 x 18); H may be NULL.
static double length_of(double *G, double *H, const fly_force_at *at) {
  double length = 0, g[FLY_PAIR], h[FLY_PAIR * FLY_PAIR] = {0};
  memset(G, 0, N * sizeof *G);
  if (H)
    memset(H, 0, N * N * sizeof *H);
  for (int k = 0; k < 2; k++) {
    fly_pair p = stretch(at, k);
    length += fly_length(g, H ? h : NULL, &p);
    for (int i = 0; i < FLY_PAIR; i++)
      G[6 * k + i] += g[i];
    for (int i = 0; H && i < FLY_PAIR * FLY_PAIR; i++)
      H[N * (6 * k + i / FLY_PAIR) + 6 * k + i % FLY_PAIR] += h[i];
  }
  return length;
}

static double velocity(const fly_force_at *at, int i) {
  const fly_kinematics *b = at->marker[i / 6].body;
  return i % 6 < 3 ? b->v[i % 6] : b->w[i % 6 - 3];
}

static double rate_of(const double *G, const fly_force_at *at) {
  double rate = 0;
  for (int i = 0; i < N; i++)
    rate += G[i] * velocity(at, i);
  return rate;
}

static double tension(const rope *k, double length, double rate) {
  return k->stiffness * (length - k->free_length) + k->damping * rate;
}

static fly_status make(void *to, const fly_maker *from) {
  rope *k = to;
  double G[N];
  *k = (rope){from->number(from, "stiffness"), from->number(from, "damping"), length_of(G, NULL, &from->start)};
  if (from->given(from, "free_length"))
    k->free_length = from->number(from, "free_length");
  if (!(k->free_length > 1e-9))
    return from->refuse(from, "it has no length at the start, and no `free_length` is given.");
  return FLY_OK;
}

static void force(double *Q, const fly_force_at *at, const void *k) {
  double G[N], length = length_of(G, NULL, at), F = tension(k, length, rate_of(G, at));
  for (int i = 0; i < N; i++)
    Q[i] = -F * G[i];
}

static void derivatives(double *K, double *C, const fly_force_at *at, const void *of) {
  const rope *k = of;
  double G[N], H[N * N], length = length_of(G, H, at), F = tension(k, length, rate_of(G, at));
  for (int j = 0; j < N; j++) {
    double Z = 0;
    for (int i = 0; i < N; i++)
      Z += velocity(at, i) * H[N * i + j];
    for (int i = 0; i < N; i++) {
      K[N * i + j] = -G[i] * (k->stiffness * G[j] + k->damping * Z) - F * H[N * i + j];
      C[N * i + j] = -k->damping * G[i] * G[j];
    }
  }
}

static double energy(const fly_force_at *at, const void *of) {
  const rope *k = of;
  double G[N], stretched = length_of(G, NULL, at) - k->free_length;
  return k->stiffness * stretched * stretched / 2;
}

static double dissipation(const fly_force_at *at, const void *of) {
  double G[N];
  length_of(G, NULL, at);
  return ((const rope *)of)->damping * rate_of(G, at) * rate_of(G, at);
}

static bool damps(const void *k) { return ((const rope *)k)->damping != 0; }

static void values(double *out, const fly_force_at *at, const void *k) {
  double G[N];
  out[0] = length_of(G, NULL, at);
  out[1] = tension(k, out[0], rate_of(G, at));
}

static void direction(double *Q, const fly_force_at *at) { length_of(Q, NULL, at); }

static const fly_quantity QUANTITIES[] = {{"length", "m", "of the rope"}, {"tension", "N", "in the rope"}, {0}};

static const fly_force_type TYPE = {.size = sizeof(rope),
                                    .look = "rod",
                                    .quantity = QUANTITIES,
                                    .make = make,
                                    .force = force,
                                    .derivatives = derivatives,
                                    .energy = energy,
                                    .dissipation = dissipation,
                                    .damps = damps,
                                    .values = values,
                                    .direction = direction,
                                    .unit = "N"};

static const fly_parameter PARAMETERS[] = {
    {"from", FLY_MARKER, 1, "", NULL, true, ANY, "one end"},
    {"over", FLY_MARKER, 1, "", NULL, true, ANY, "where it runs"},
    {"to", FLY_MARKER, 1, "", NULL, true, ANY, "other end"},
    {"stiffness", FLY_NUMBER, 1, "N/m", NULL, true, NOT_NEGATIVE, "stiffness"},
    {"damping", FLY_NUMBER, 1, "N s/m", "0", false, NOT_NEGATIVE, "damping"},
    {"free_length", FLY_NUMBER, 1, "m", NULL, false, POSITIVE, "length without force; as at the start if not given"},
    END};

const fly_element_type fly_forces_rope = {.section = "forces",
                                          .name = "rope",
                                          .text = "an elastic rope that runs over a point",
                                          .example =
                                              "rope: {type: rope, from: ground, over: a.m, to: b.m, stiffness: 1e4}",
                                          .parameters = PARAMETERS,
                                          .force = &TYPE};
