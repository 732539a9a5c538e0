// A body of finite elements that was reduced to a few modes (docs/theory/flexible.md): its numbers come from a file as
// one list, in the order of fly_reduced_layout. Its frame is that of its mesh.
#include <math.h>
#include <string.h>

#include "element/flexible.h"
#include "element/list.h"
#include "element/reduced.h"
#include "element/table.h"
#include "math/constants.h"
#include "math/so3.h"

typedef struct flexible_body {
  fly_flexible flexible;
  int nodes;    // that markers may stand on
  double *node; // x, y, z, then phi and theta of the modes in use (nodes x (3 + 6 modes))
} flexible_body;

// ------------------------------------------------------------------------------------------ what the user gave

// What is taken of the list: how much there is, and which modes are in use.
typedef struct taken {
  int all, nodes, modes;
  size_t count;             // of numbers
  int mode[FLY_MODES_MOST]; // (modes)
  fly_reduced_layout at;
} taken;

static fly_status read_list(taken *t, const fly_maker *from) {
  double head[FLY_REDUCED_HEAD] = {0};
  const int count = from->given(from, "data") ? from->count(from, "data") : 0;
  if (count < FLY_REDUCED_HEAD)
    return from->refuse(from, "it needs a `file`, as `flyball reduce` writes it.");
  from->numbers(from, "data", FLY_REDUCED_HEAD, head);
  t->all = (int)head[0];
  t->nodes = (int)head[1];
  if (head[0] != t->all || head[1] != t->nodes || t->all < 1 || t->nodes < 0 || t->all > FLY_REDUCED_MODES)
    return from->refuse(from, "its numbers are not those of a reduced body.");
  t->at = fly_reduced_layout_of(t->all, t->nodes);
  t->count = (size_t)count;
  if (t->count != t->at.count && t->count != fly_reduced_count(&t->at, t->all, true))
    return from->refuse(from, "its numbers are %d, where %d modes and %d nodes make %zu.", count, t->all, t->nodes,
                        t->at.count);
  return FLY_OK;
}

// Marks the modes of a list, counted from 1.
static fly_status mark(bool *on, int all, bool value, const char *name, const fly_maker *from) {
  double list[FLY_REDUCED_MODES] = {0};
  const int count = from->count(from, name);
  if (count > FLY_REDUCED_MODES)
    return from->refuse(from, "`%s` has more modes than the body.", name);
  from->numbers(from, name, count, list);
  for (int k = 0; k < count; k++) {
    if (list[k] != floor(list[k]) || list[k] < 1 || list[k] > all)
      return from->refuse(from, "`%s`: it has modes 1 to %d, and no mode %g.", name, all, list[k]);
    on[(int)list[k] - 1] = value;
  }
  return FLY_OK;
}

static fly_status choose_modes(taken *t, const fly_maker *from) {
  bool on[FLY_REDUCED_MODES] = {false};
  fly_status status = FLY_OK;
  for (int j = 0; j < t->all; j++)
    on[j] = !from->given(from, "modes");
  if (from->given(from, "modes"))
    status = mark(on, t->all, true, "modes", from);
  if (status == FLY_OK && from->given(from, "modes_off"))
    status = mark(on, t->all, false, "modes_off", from);
  t->modes = 0;
  for (int j = 0; j < t->all && status == FLY_OK; j++)
    if (on[j] && t->modes++ < FLY_MODES_MOST)
      t->mode[t->modes - 1] = j;
  if (status)
    return status;
  if (t->modes > FLY_MODES_MOST)
    return from->refuse(from, "it has %d modes, and %d at most can be on: choose them by `modes`.", t->modes,
                        (int)FLY_MODES_MOST);
  if (t->modes == 0)
    return from->refuse(from, "none of its modes is on: a rigid body is of type `rigid`.");
  return FLY_OK;
}

static fly_status take_stock(taken *t, const fly_maker *from) {
  fly_status status = read_list(t, from);
  return status ? status : choose_modes(t, from);
}

static fly_status more(int *modes, const fly_maker *from) {
  taken t = {0};
  fly_status status = take_stock(&t, from);
  if (status)
    return status;
  *modes = t.modes;
  for (int k = 0; k < 2; k++) {
    const char *name = k == 0 ? "deformed" : "deforming";
    if (from->given(from, name) && from->count(from, name) != t.modes)
      return from->refuse(from, "`%s` takes a number for each of the %d modes that are on.", name, t.modes);
  }
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ sums

// Of the modes in use.
static void copy_sums(fly_flexible *k, const double *data, const taken *t) {
  const fly_reduced_layout *at = &t->at;
  const int n = t->modes;
  memcpy(k->S, data + at->S, sizeof k->S);
  memcpy(k->X, data + at->X, sizeof k->X);
  memcpy(k->JR, data + at->JR, sizeof k->JR);
  for (int j = 0; j < n; j++) {
    const size_t m = (size_t)t->mode[j];
    memcpy(k->N + 3 * j, data + at->N + 3 * m, 3 * sizeof *k->N);
    memcpy(k->NR + 3 * j, data + at->NR + 3 * m, 3 * sizeof *k->NR);
    memcpy(k->Q + 9 * j, data + at->Q + 9 * m, 9 * sizeof *k->Q);
    for (int i = 0; i < n; i++) {
      const size_t pair = (size_t)t->all * m + (size_t)t->mode[i];
      memcpy(k->P + 9 * (size_t)(n * i + j), data + at->P + 9 * pair, 9 * sizeof *k->P);
      k->M[n * j + i] = data[at->M + pair];
      k->K[n * j + i] = data[at->K + pair];
    }
  }
}

// P + G (F-stiffening): a second-order part of the inertia, as P is, so nothing else knows of it.
static fly_status stiffen(fly_flexible *k, const double *data, const taken *t, const fly_maker *from) {
  const int n = t->modes;
  if (strcmp(from->word(from, "stiffening"), "on") != 0)
    return FLY_OK;
  if (t->count == t->at.count)
    return from->refuse(from, "`stiffening: on` needs a file of `flyball reduce --stiffening NAME`, with the interface "
                              "that holds the body.");
  if (strcmp(from->word(from, "coupling"), "full") != 0)
    return from->refuse(from, "`stiffening: on` goes with `coupling: full`: it is of second order in the deformation.");
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      const double *G = data + t->at.G + 9 * ((size_t)t->all * (size_t)t->mode[j] + (size_t)t->mode[i]);
      for (int c = 0; c < 9; c++)
        k->P[9 * (n * i + j) + c] += G[c];
    }
  return FLY_OK;
}

// Terms that are switched off, in the order of commercial codes: what is of second order in the deformation; what makes
// the inertia depend on it at all. What is left is still that of one kinetic energy, so power and energy balance.
static void drop_coupling(fly_flexible *k, const char *coupling) {
  const size_t n = (size_t)k->modes;
  if (strcmp(coupling, "full") == 0)
    return;
  memset(k->P, 0, 9 * n * n * sizeof *k->P);
  k->apart = true;
  if (strcmp(coupling, "partial") == 0)
    return;
  for (size_t j = 0; j < n; j++) { // d_j stays, as a part of N_R
    double *Q = k->Q + 9 * j, *NR = k->NR + 3 * j;
    NR[0] += Q[7] - Q[5];
    NR[1] += Q[2] - Q[6];
    NR[2] += Q[3] - Q[1];
    memset(Q, 0, 9 * sizeof *Q);
  }
}

static fly_status check_modes(const fly_flexible *k, const taken *t, const fly_maker *from) {
  const int n = k->modes;
  for (int j = 0; j < n; j++)
    if (!(k->M[(n + 1) * j] > 0) || !(k->K[(n + 1) * j] > 0))
      return from->refuse(from, "mode %d has no mass or no stiffness; those of the body as a whole are taken out.",
                          t->mode[j] + 1);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) { // both triangles: matrices need not be symmetric
      const double m = k->M[n * j + i] / sqrt(k->M[(n + 1) * j] * k->M[(n + 1) * i]);
      const double s = k->K[n * j + i] / sqrt(k->K[(n + 1) * j] * k->K[(n + 1) * i]);
      if (i != j && !(fabs(m) <= 1e-6 && fabs(s) <= 1e-6))
        return from->refuse(from,
                            "modes %d and %d are not orthogonal: of unit modes their product in M is %.2g, in K %.2g. "
                            "Reduce the body anew.",
                            t->mode[i < j ? i : j] + 1, t->mode[i < j ? j : i] + 1, m, s);
    }
  return FLY_OK;
}

// What rounding left off the diagonals would make every step cost the square of the modes.
static void clean(fly_flexible *k) {
  const int n = k->modes;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      if (i != j)
        k->M[n * j + i] = k->K[n * j + i] = 0;
  k->orthogonal = true;
}

// ------------------------------------------------------------------------------------------ damping

// Pairs: up to a frequency [Hz], this ratio; the last beyond its frequency too.
static double ratio_in_bands(const double *band, int count, double frequency) {
  int k = 0;
  while (k + 2 < count && frequency > band[k])
    k += 2;
  return band[k + 1];
}

static fly_status set_damping(fly_flexible *k, const fly_maker *from) {
  enum { MOST = 2 * FLY_MODES_MOST };
  double ratio[FLY_MODES_MOST] = {0}, band[MOST] = {0};
  const int n = k->modes, given = from->given(from, "damping_ratio") ? from->count(from, "damping_ratio") : 0;
  const int bands = from->given(from, "damping_bands") ? from->count(from, "damping_bands") : 0;
  if (given > 1 && given != n)
    return from->refuse(from, "`damping_ratio` takes one number, or one for each of the %d modes that are on.", n);
  if (bands % 2 != 0 || bands > MOST)
    return from->refuse(from, "`damping_bands` takes pairs [up to Hz, ratio], such as [[100, 0.01], [1000, 0.1]].");
  if (given > 0)
    from->numbers(from, "damping_ratio", given, ratio);
  if (bands > 0)
    from->numbers(from, "damping_bands", bands, band);
  for (int b = 2; b < bands; b += 2)
    if (!(band[b] > band[b - 2]))
      return from->refuse(from, "`damping_bands`: frequencies must ascend; %g does not follow %g.", band[b],
                          band[b - 2]);
  const double time = from->number(from, "damping_time");
  for (int j = 0; j < n; j++) {
    const double square = k->K[(n + 1) * j] / k->M[(n + 1) * j], w = sqrt(square);
    const double own = given == 0 ? 0 : ratio[given > 1 ? j : 0];
    const double more_of_it = bands > 0 ? ratio_in_bands(band, bands, w / (2 * FLY_PI)) : 0;
    if (own < 0 || more_of_it < 0)
      return from->refuse(from, "a damping ratio cannot be negative.");
    k->D[(n + 1) * j] = (2 * (own + more_of_it) * w + time * square) * k->M[(n + 1) * j];
  }
  return FLY_OK;
}

static void warn_of_units(const fly_flexible *k, const fly_maker *from) {
  double slowest = INFINITY;
  for (int j = 0; j < k->modes; j++)
    slowest = fmin(slowest, sqrt(k->K[(k->modes + 1) * j] / k->M[(k->modes + 1) * j]) / (2 * FLY_PI));
  if (slowest > 1e6)
    from->warn(from, "its slowest vibration is above a million hertz: look at the units of its mesh [m], modulus [Pa] "
                     "and density [kg/m^3]");
}

// ------------------------------------------------------------------------------------------ making it

static bool copy_nodes(flexible_body *b, const double *data, const taken *t, const fly_maker *from) {
  const size_t n = (size_t)t->modes, wide = 3 + 6 * n;
  b->nodes = t->nodes;
  b->node = from->room(from, (size_t)t->nodes * wide);
  for (int k = 0; b->node && k < t->nodes; k++) {
    const double *in = data + t->at.nodes + (size_t)k * t->at.node;
    double *out = b->node + (size_t)k * wide;
    memcpy(out, in + 1, 3 * sizeof *out);
    for (size_t j = 0; j < n; j++) {
      memcpy(out + 3 + 3 * j, in + 4 + 3 * (size_t)t->mode[j], 3 * sizeof *out);
      memcpy(out + 3 + 3 * (n + j), in + 4 + 3 * (size_t)(t->all + t->mode[j]), 3 * sizeof *out);
    }
  }
  return b->node != NULL;
}

static fly_status fill(flexible_body *b, const double *data, const taken *t, const fly_maker *from) {
  if (!fly_flexible_take(&b->flexible, t->modes, from) || !copy_nodes(b, data, t, from))
    return from->refuse(from, "Out of memory for its %d modes.", t->modes);
  copy_sums(&b->flexible, data, t);
  fly_status status = check_modes(&b->flexible, t, from);
  clean(&b->flexible);
  drop_coupling(&b->flexible, from->word(from, "coupling"));
  if (status == FLY_OK)
    status = stiffen(&b->flexible, data, t, from);
  return status ? status : set_damping(&b->flexible, from);
}

static fly_status make(fly_body_own *own, double *q, double *v, const fly_maker *from) {
  flexible_body *b = own->k;
  taken t = {0};
  fly_status status = take_stock(&t, from);
  if (status)
    return status;
  double *data = from->room(from, t.count);
  if (!data)
    return from->refuse(from, "Out of memory for its %d modes.", t.modes);
  from->numbers(from, "data", (int)t.count, data);
  own->mass = data[FLY_REDUCED_MASS];
  if (!(own->mass > 0))
    return from->refuse(from, "its file says that it has a mass of %g kg.", own->mass);
  status = fill(b, data, &t, from);
  if (status)
    return status;
  warn_of_units(&b->flexible, from);
  fly_flexible_start(own, q, v, from);
  return FLY_OK;
}

// A marker moves with the node that is nearest to it.
static void attach(void *kept, double offset[3], const fly_marker *m, const fly_body_own *own) {
  const flexible_body *b = own->k;
  const size_t n = (size_t)b->flexible.modes, wide = 3 + 6 * n;
  fly_flexible_marker *k = kept;
  double least = INFINITY;
  memset(k->shape, 0, 6 * n * sizeof *k->shape);
  memset(k->s, 0, sizeof k->s);
  for (int i = 0; i < b->nodes; i++) {
    const double *node = b->node + (size_t)i * wide;
    const double d[3] = {m->s[0] - node[0], m->s[1] - node[1], m->s[2] - node[2]}, far = fly_dot3(d, d);
    if (!(far < least))
      continue;
    least = far;
    memcpy(k->s, node, sizeof k->s);
    memcpy(k->shape, node + 3, 6 * n * sizeof *k->shape);
  }
  for (int i = 0; i < 3; i++)
    offset[i] = m->s[i] - k->s[i];
}

// Of the nodes that its file has.
static double reach(double *moves, double *turns, const fly_body_own *own) {
  const flexible_body *b = own->k;
  const size_t n = (size_t)b->flexible.modes, wide = 3 + 6 * n;
  double farthest = 0;
  for (int k = 0; k < b->nodes; k++) {
    const double *node = b->node + (size_t)k * wide;
    fly_flexible_reach(moves, turns, b->flexible.modes, node + 3, node + 3 + 3 * n);
    farthest = fmax(farthest, sqrt(fly_dot3(node, node)));
  }
  return farthest;
}

// ------------------------------------------------------------------------------------------ the row

static const fly_body_type TYPE = {.noun = "flexible body",
                                   .size = sizeof(flexible_body),
                                   .more = more,
                                   .make = make,
                                   .attach = attach,
                                   .reach = reach,
                                   FLY_BODY_OF_MODES};

static const fly_parameter PARAMETERS[] = {
    {"file", FLY_WORD, 1, "", NULL, false, ANY, "what `flyball reduce` wrote, beside the model"},
    {"data", FLY_NUMBER, 0, "", NULL, false, ANY,
     "the numbers of the file, where there is none: as models are written"},
    {"modes", FLY_NUMBER, 0, "", NULL, false, ANY, "numbers of the modes that are on, from 1: all"},
    {"modes_off", FLY_NUMBER, 0, "", NULL, false, ANY, "numbers of modes that are off"},
    {"damping_ratio", FLY_MATRIX, 0, "", NULL, false, ANY, "of every mode, or one for each that is on: 1 is critical"},
    {"damping_bands", FLY_MATRIX, 0, "", NULL, false, ANY,
     "ratios by frequency, added to it: rows [up to Hz, ratio], the last beyond too"},
    {"damping_time", FLY_NUMBER, 1, "s", "0", false, NOT_NEGATIVE, "damping over stiffness, added to it"},
    {"deformed", FLY_NUMBER, 0, "m", NULL, false, ANY, "the modes at the start (channels mode1, mode2 ...)"},
    {"deforming", FLY_NUMBER, 0, "m/s", NULL, false, ANY, "their rates at the start"},
    {"coupling", FLY_WORD, 1, "", "full", false, -INFINITY, INFINITY, "full partial constant",
     "how the inertia follows the deformation: all of it; to first order; not at all"},
    {"stiffening", FLY_WORD, 1, "", "off", false, KNOWS("off on"),
     "on: a turn about the origin of its mesh stiffens it (`flyball reduce --stiffening`)"},
    PLACEMENT,
    HOLD("x y z orientation all"),
    CARRIES("points and frames that move with its nodes: {node: NUMBER or NAME}, or a place near one"),
    END};

const fly_element_type fly_bodies_flexible =
    FLY_ELEMENT("bodies", "flexible", "a body of finite elements, reduced to modes by `flyball reduce`",
                "frame: {type: flexible, file: frame.h5, damping_ratio: 0.01, markers: {front: {node: front}}}",
                .parameters = PARAMETERS, .body = &TYPE);
