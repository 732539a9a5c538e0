// A straight beam that bends, stretches and twists (Euler and Bernoulli's, with rotary inertia), clamped in its frame
// at its beginning: docs/theory/flexible.md. Each of the four ways has shapes of its own, on [0, 1] along it,
//
//   bending: xi^2 P_i(2 xi - 1);   stretching and twisting: xi P_i(2 xi - 1);   P_i: Legendre's polynomials
//
// which hold every deflection by loads at the end from two of bending and one of the others on. The modes are those
// of the clamped beam in their span, with a deflection of 1 m at its end (twisting: an angle of 1 m over its length).
#include <math.h>
#include <string.h>

#include "element/flexible.h"
#include "element/list.h"
#include "element/section.h"
#include "element/table.h"
#include "math/constants.h"
#include "math/eigen.h"

enum { ALONG_Y, ALONG_Z, STRETCH, TWIST, WAYS, MOST = 12, POINTS = 16 };

typedef struct flexible_beam {
  fly_flexible flexible;
  fly_flexible_points points; // of one that stiffens
  double length;
  int count[WAYS];
  double X[WAYS][MOST * MOST]; // shapes to modes: mode j in column j
} flexible_beam;

// What a piece of unit length has.
typedef struct section {
  double mass, I[3];      // about x, y, z
  double stiffness[WAYS]; // E Iz, E Iy, E A, G J
} section;

// ------------------------------------------------------------------------------------------ shapes

// A function and its first two derivatives.
typedef struct bent {
  double f, d, dd;
} bent;

// xi^power P_i(2 xi - 1), i < count
static void shapes_at(bent *out, int count, int power, double xi) {
  const double t = 2 * xi - 1, a = power, x0 = power == 2 ? xi : 1, x = x0 * xi; // xi^(a - 1), xi^a
  bent P = {1, 0, 0}, before = {0};
  for (int k = 0; k < count; k++) {
    out[k].f = x * P.f;
    out[k].d = a * x0 * P.f + 2 * x * P.d;
    out[k].dd = a * (a - 1) * P.f + 4 * a * x0 * P.d + 4 * x * P.dd;
    const double n = 2 * k + 1, m = k, over = 1.0 / (k + 1);
    const bent next = {(n * t * P.f - m * before.f) * over, (n * (P.f + t * P.d) - m * before.d) * over,
                       (n * (2 * P.d + t * P.dd) - m * before.dd) * over};
    before = P;
    P = next;
  }
}

static int power_of(int way) { return way == ALONG_Y || way == ALONG_Z ? 2 : 1; }

// Those of the modes of one way, by the length along the beam.
static void modes_at(bent *out, const flexible_beam *b, int way, double xi) {
  const int n = b->count[way];
  const double L = b->length;
  bent f[MOST];
  shapes_at(f, n, power_of(way), xi);
  for (int j = 0; j < n; j++) {
    out[j] = (bent){0};
    for (int i = 0; i < n; i++) {
      out[j].f += b->X[way][n * i + j] * f[i].f;
      out[j].d += b->X[way][n * i + j] * f[i].d / L;
      out[j].dd += b->X[way][n * i + j] * f[i].dd / (L * L);
    }
  }
}

// Along y it turns about z, along z about -y.
static void put_shapes(double *phi, double *theta, const flexible_beam *b, double xi) {
  int mode = 0;
  memset(phi, 0, 3 * (size_t)b->flexible.modes * sizeof *phi);
  memset(theta, 0, 3 * (size_t)b->flexible.modes * sizeof *theta);
  for (int way = 0; way < WAYS; way++) {
    bent f[MOST];
    modes_at(f, b, way, xi);
    for (int j = 0; j < b->count[way]; j++, mode++) {
      if (way == TWIST)
        theta[3 * mode] = f[j].f;
      else
        phi[3 * mode + (way == STRETCH ? 0 : way == ALONG_Y ? 1 : 2)] = f[j].f;
      if (way == ALONG_Y)
        theta[3 * mode + 2] = f[j].d;
      if (way == ALONG_Z)
        theta[3 * mode + 1] = -f[j].d;
    }
  }
}

// ------------------------------------------------------------------------------------------ sums along it

typedef struct rule {
  double xi[POINTS], weight[POINTS];
} rule;

// Gauss and Legendre's, on [0, 1]: exact up to the power 31.
static void gauss(rule *r) {
  for (int k = 0; k < POINTS; k++) {
    double t = cos(FLY_PI * (k + 0.75) / (POINTS + 0.5)), slope = 1;
    for (int round = 0; round < 20; round++) {
      double P = 1, before = 0;
      for (int n = 0; n < POINTS; n++) {
        const double next = ((2 * n + 1) * t * P - n * before) / (n + 1);
        before = P;
        P = next;
      }
      slope = POINTS * (before - t * P) / (1 - t * t);
      t -= P / slope;
    }
    r->xi[k] = (1 + t) / 2;
    r->weight[k] = 1 / ((1 - t * t) * slope * slope);
  }
}

// One metre at the end, where the modes of a clamped beam are never zero.
static void scale_modes(flexible_beam *b, int way) {
  const int n = b->count[way];
  bent end[MOST];
  modes_at(end, b, way, 1);
  for (int i = 0; i < n * n; i++)
    b->X[way][i] /= end[i % n].f * (way == TWIST ? b->length : 1);
}

// Modes of one way, with the squares of their frequencies.
static bool find_modes(flexible_beam *b, int way, const section *s, const rule *r, double *squares) {
  const int n = b->count[way];
  double K[MOST * MOST] = {0}, M[MOST * MOST] = {0};
  const bool bends = power_of(way) == 2;
  const double turns = way == ALONG_Y ? s->I[2] : way == ALONG_Z ? s->I[1] : 0, L = b->length;
  for (int i = 0; i < n * n; i++)
    b->X[way][i] = i / n == i % n;
  for (int k = 0; k < POINTS; k++) {
    bent f[MOST];
    modes_at(f, b, way, r->xi[k]);
    for (int i = 0; i < n * n; i++) {
      const bent *x = &f[i / n], *y = &f[i % n];
      K[i] += r->weight[k] * L * s->stiffness[way] * (bends ? x->dd * y->dd : x->d * y->d);
      M[i] += r->weight[k] * L * ((way == TWIST ? s->I[0] : s->mass) * x->f * y->f + turns * x->d * y->d);
    }
  }
  const bool good = fly_eigen_pair(n, K, M, b->X[way], squares);
  if (good)
    scale_modes(b, way);
  return good;
}

// What bending takes from its length up to xi: h_ij = integral of f_i' f_j', of modes in one plane.
static void put_shortening(double *h, const flexible_beam *b, const rule *r, double xi) {
  const int n = b->flexible.modes;
  memset(h, 0, (size_t)(n * n) * sizeof *h);
  for (int way = ALONG_Y; way <= ALONG_Z; way++) {
    const int count = b->count[way], first = way == ALONG_Y ? 0 : b->count[ALONG_Y];
    for (int k = 0; k < POINTS; k++) {
      bent f[MOST];
      modes_at(f, b, way, xi * r->xi[k]);
      for (int i = 0; i < count * count; i++)
        h[n * (first + i / count) + first + i % count] +=
            r->weight[k] * xi * b->length * f[i / count].d * f[i % count].d;
    }
  }
}

static fly_flexible_point point_of(const flexible_beam *b, const section *s, const rule *r, int k) {
  const double piece = r->weight[k] * b->length;
  fly_flexible_point p = {.s = {r->xi[k] * b->length}, .mass = piece * s->mass};
  for (int i = 0; i < 3; i++)
    p.I[4 * i] = piece * s->I[i];
  return p;
}

static void add_points(flexible_beam *b, const section *s, const rule *r) {
  double phi[3 * WAYS * MOST], theta[3 * WAYS * MOST];
  for (int k = 0; k < POINTS; k++) {
    fly_flexible_point p = point_of(b, s, r, k);
    p.phi = phi;
    p.theta = theta;
    put_shapes(phi, theta, b, r->xi[k]);
    fly_flexible_add(&b->flexible, &p);
  }
}

// Its masses at points that move by what bending takes; sums of what turns alone.
static fly_status put_points(flexible_beam *b, const section *s, const rule *r, const fly_maker *from) {
  fly_flexible_points *to = &b->points;
  const int n = b->flexible.modes;
  if (!fly_flexible_take_points(to, POINTS, n, from))
    return from->refuse(from, "Out of memory for its %d modes.", n);
  for (int k = 0; k < POINTS; k++) {
    fly_flexible_marker *kept = (fly_flexible_marker *)to->at[k].own;
    fly_flexible_point p = point_of(b, s, r, k);
    kept->s[0] = p.s[0];
    put_shapes(kept->shape, kept->shape + 3 * n, b, r->xi[k]);
    put_shortening(kept->shape + 6 * n, b, r, r->xi[k]);
    to->mass[k] = p.mass;
    p.mass = 0;
    p.phi = kept->shape;
    p.theta = kept->shape + 3 * n;
    fly_flexible_add(&to->turns, &p);
  }
  memcpy(to->turns.K, b->flexible.K, (size_t)(n * n) * sizeof *to->turns.K);
  memcpy(to->turns.D, b->flexible.D, (size_t)(n * n) * sizeof *to->turns.D);
  b->flexible.shortens = true;
  b->flexible.points = to;
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ what the user gave

static fly_status count_modes(int count[WAYS], const fly_maker *from) {
  static const char *const names[] = {"bends", "bends", "stretches", "twists"};
  double given[WAYS];
  from->numbers(from, "bends", 2, given);
  given[STRETCH] = from->number(from, "stretches");
  given[TWIST] = from->number(from, "twists");
  for (int way = 0; way < WAYS; way++) {
    if (given[way] != floor(given[way]) || given[way] > MOST)
      return from->refuse(from, "`%s` takes whole numbers up to %d.", names[way], (int)MOST);
    count[way] = (int)given[way];
  }
  return FLY_OK;
}

static fly_status more(int *modes, const fly_maker *from) {
  int count[WAYS];
  fly_status status = count_modes(count, from);
  if (status)
    return status;
  *modes = count[0] + count[1] + count[2] + count[3];
  if (*modes == 0)
    return from->refuse(from, "it neither bends, stretches nor twists: a rigid body is of type `rigid`.");
  for (int k = 0; k < 2; k++) {
    const char *name = k == 0 ? "deformed" : "deforming";
    if (from->given(from, name) && from->count(from, name) != *modes)
      return from->refuse(from,
                          "`%s` takes a number for each of its %d modes: those along y, along z, stretching, twisting.",
                          name, *modes);
  }
  return FLY_OK;
}

static fly_status read_section(section *s, const fly_maker *from) {
  const double density = from->number(from, "density");
  const double E = from->number(from, "youngs_modulus"), G = from->number(from, "shear_modulus");
  fly_section of;
  fly_status status = fly_section_read(&of, from, 2);
  if (status)
    return status;
  const double *I = of.moment;
  *s = (section){density * of.area,
                 {density * (I[0] + I[1]), density * I[0], density * I[1]},
                 {E * I[1], E * I[0], E * of.area, G * of.torsion}};
  return FLY_OK;
}

static void set_stiffness(fly_flexible *k, const double *squares, const fly_maker *from) {
  const double ratio = from->number(from, "damping_ratio"), time = from->number(from, "damping_time");
  for (int j = 0; j < k->modes; j++) {
    const int jj = (k->modes + 1) * j;
    k->K[jj] = squares[j] * k->M[jj];
    k->D[jj] = (2 * ratio * sqrt(squares[j]) + time * squares[j]) * k->M[jj];
  }
}

static void warn_of_units(const double *squares, int modes, const fly_maker *from) {
  double slowest = INFINITY;
  for (int j = 0; j < modes; j++)
    slowest = fmin(slowest, sqrt(squares[j]) / (2 * FLY_PI));
  if (slowest > 1e6)
    from->warn(from, "its slowest vibration is above a million hertz: look at the units of its modulus [Pa], moments "
                     "[m^4] and density [kg/m^3]");
}

static fly_status make(fly_body_own *own, double *q, double *v, const fly_maker *from) {
  flexible_beam *b = own->k;
  double squares[WAYS * MOST];
  int modes = 0;
  rule r;
  section s;
  fly_status status = read_section(&s, from);
  if (status == FLY_OK)
    status = count_modes(b->count, from);
  if (status)
    return status;
  b->length = from->number(from, "length");
  gauss(&r);
  for (int way = 0; way < WAYS; modes += b->count[way++])
    if (b->count[way] > 0 && !find_modes(b, way, &s, &r, squares + modes))
      return from->refuse(from,
                          "its modes cannot be found: its density, area or moments are too small for its length.");
  if (!fly_flexible_take(&b->flexible, modes, from))
    return from->refuse(from, "Out of memory for its %d modes.", modes);
  add_points(b, &s, &r);
  set_stiffness(&b->flexible, squares, from);
  warn_of_units(squares, modes, from);
  own->mass = s.mass * b->length;
  fly_flexible_start(own, q, v, from);
  return strcmp(from->word(from, "stiffening"), "on") == 0 ? put_points(b, &s, &r, from) : FLY_OK;
}

// A marker moves with its section; one beyond an end with the section there.
static void attach(void *kept, double offset[3], const fly_marker *m, const fly_body_own *own) {
  const flexible_beam *b = own->k;
  fly_flexible_marker *k = kept;
  const double xi = fmin(fmax(m->s[0] / b->length, 0), 1);
  k->s[0] = xi * b->length;
  for (int i = 0; i < 3; i++)
    offset[i] = m->s[i] - k->s[i];
  put_shapes(k->shape, k->shape + 3 * b->flexible.modes, b, xi);
  if (b->flexible.shortens) {
    rule r;
    gauss(&r);
    put_shortening(k->shape + 6 * b->flexible.modes, b, &r, xi);
  }
}

// Of its end and the points of the rule.
static double reach(double *moves, double *turns, const fly_body_own *own) {
  const flexible_beam *b = own->k;
  double phi[3 * WAYS * MOST], theta[3 * WAYS * MOST];
  rule r;
  gauss(&r);
  for (int k = 0; k <= POINTS; k++) {
    put_shapes(phi, theta, b, k < POINTS ? r.xi[k] : 1);
    fly_flexible_reach(moves, turns, b->flexible.modes, phi, theta);
  }
  return b->length;
}

// ------------------------------------------------------------------------------------------ the row

static const fly_body_type TYPE = {.noun = "flexible beam",
                                   .size = sizeof(flexible_beam),
                                   .more = more,
                                   .make = make,
                                   .attach = attach,
                                   .reach = reach,
                                   FLY_BODY_OF_MODES};

static const fly_parameter PARAMETERS[] = {
    {"length", FLY_NUMBER, 1, "m", NULL, true, POSITIVE, "along x of its frame, which is clamped to its beginning"},
    {"density", FLY_NUMBER, 1, "kg/m^3", NULL, true, POSITIVE, "mass of a cubic metre"},
    SECTION,
    {"moments", FLY_NUMBER, 3, "m^4", NULL, false, POSITIVE,
     "with `area`, of it: Iy (bending along z), Iz (bending along y), and the constant of torsion"},
    {"bends", FLY_NUMBER, 2, "", "[3, 3]", false, NOT_NEGATIVE, "modes of bending along y and along z, up to 12 each"},
    {"stretches", FLY_NUMBER, 1, "", "1", false, NOT_NEGATIVE, "modes along it, up to 12"},
    {"twists", FLY_NUMBER, 1, "", "1", false, NOT_NEGATIVE, "modes of torsion, up to 12"},
    {"damping_ratio", FLY_NUMBER, 1, "", "0", false, NOT_NEGATIVE, "of every mode: 1 is critical"},
    {"damping_time", FLY_NUMBER, 1, "s", "0", false, NOT_NEGATIVE, "damping over stiffness, added to it"},
    {"stiffening", FLY_WORD, 1, "", "off", false, KNOWS("off on"),
     "on: where it is bent it is shorter, so that tension, as of a fast turn, stiffens it and pressure buckles it"},
    {"deformed", FLY_NUMBER, 0, "m", NULL, false, ANY, "the modes at the start (channels mode1, mode2 ...)"},
    {"deforming", FLY_NUMBER, 0, "m/s", NULL, false, ANY, "their rates at the start"},
    PLACEMENT,
    HOLD("x y z orientation all"),
    CARRIES("points and frames that move with its sections"),
    END};

const fly_element_type fly_bodies_flexible_beam =
    FLY_ELEMENT("bodies", "flexible-beam", "a straight beam that bends, stretches and twists",
                "rod: {type: flexible-beam, length: 1, density: 7850, youngs_modulus: 2.1e11, shear_modulus: 8e10, "
                "area: 1e-4, moments: [1e-9, 1e-9, 2e-9]}",
                .parameters = PARAMETERS, .body = &TYPE);
