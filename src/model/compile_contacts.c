// Contacts: the shapes of two bodies become solids that can touch, with a law for all of their pairs
// (docs/theory/contact.md).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "element/contact.h"
#include "element/inertia.h"
#include "math/constants.h"
#include "math/so3.h"
#include "model/compile.h"
#include "model/contacts.h"
#include "model/curve.h"
#include "model/hull.h"
#include "model/surface.h"
#include "model/touching.h"

// ------------------------------------------------------------------------------------------ shapes

bool fly_contact_takes(const fly_contact_shapes *s, int k) { return s->only == 0 || s->only == k + 1; }

fly_status fly_contact_find_shapes(fly_contact_shapes *out, const fly_model *m, const fly_item *item, const char *name,
                                   fly_error *error) {
  const fly_item *body = fly_spec_find(m->spec, "bodies", name);
  *out = (fly_contact_shapes){.body = fly_model_body(m, name), .name = name};
  const int row = body ? fly_parameter_find(body->type, "shapes") : -1;
  const fly_value *shapes = row >= 0 ? fly_item_row(body, row) : NULL;
  if (!shapes || !shapes->given || shapes->count == 0)
    return fly_item_fail(item, error, "`%s` has no shapes that could touch anything: give it `shapes`.", name);
  out->value = shapes;
  if (out->body == FLY_GROUND)
    return FLY_OK;
  out->marker = m->body[out->body].first_marker;
  memcpy(out->center, m->body[out->body].own.center, sizeof out->center);
  return FLY_OK;
}

static bool deforms(const fly_model *m, int body) { return body != FLY_GROUND && m->body[body].type->frames; }

static bool is_same(const double *a, const double *b, int n) {
  int k = 0;
  while (k < n && a[k] == b[k])
    k++;
  return k == n;
}

// A marker of a body that deforms at the place of one of its shapes: one that is there, or a new one.
static int marker_at(fly_model *m, const fly_contact_shapes *s, const double at[3]) {
  for (int k = 0; k < m->nmarker; k++)
    if (m->marker[k].body == s->body && is_same(m->marker[k].m.s, at, 3) && is_same(m->marker[k].m.A, FLY_UNIT, 9))
      return k;
  return fly_add_marker(m, s->name, s->body, at, FLY_UNIT);
}

// Shapes of a body that deforms are rigid, and fixed to the point of it that is nearest: all to one.
static fly_status fix_shapes(fly_contact_shapes *s, fly_model *m, const fly_item *item, fly_error *error) {
  int first = -1;
  for (int k = 0; s->value && deforms(m, s->body) && k < s->value->count; k++) {
    if (!fly_contact_takes(s, k))
      continue;
    const int marker = marker_at(m, s, s->value->number + (size_t)k * FLY_SHAPE_NUMBERS + FLY_SHAPE_AT);
    double center[3];
    if (m->memory.failed)
      return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the markers of contacts.");
    for (int c = 0; c < 3; c++)
      center[c] = m->marker[marker].m.s[c] - m->marker[marker].offset[c];
    if (first >= 0 && !is_same(center, s->center, 3))
      return fly_item_fail(item, error,
                           "`%s` deforms, and its shapes %d and %d are fixed to different points of it: make a contact "
                           "for each, which `shapes: [%d, 0]` chooses.",
                           s->name, first + 1, k + 1, k + 1);
    first = first < 0 ? k : first;
    s->marker = marker;
    memcpy(s->center, center, sizeof center);
  }
  return FLY_OK;
}

// Where the frame of its shapes is at the start, and how it moves there, its modes at rest.
static void start_of(const fly_model *m, const fly_contact_shapes *s, fly_kinematics *k) {
  const fly_marker *at = &m->marker[s->marker].m;
  double arm[3], turn[3];
  fly_start_kinematics(m, s->body, k);
  if (!deforms(m, s->body))
    return;
  const fly_body *b = &m->body[s->body];
  double r[3], w[3];
  memcpy(r, k->r, sizeof r);
  fly_to_space(w, k->R, k->w);
  b->type->frames->position(k, b->q0, at, &b->own);
  for (int c = 0; c < 3; c++)
    arm[c] = k->r[c] - r[c];
  fly_cross(turn, w, arm);
  for (int c = 0; c < 3; c++)
    k->v[c] += turn[c];
  fly_to_body(k->w, k->R, w);
}

// Its corners, and its frame in the middle of them.
static fly_status make_hull(fly_solid *out, fly_model *m, const char *word, double scale, fly_error *error) {
  fly_hull *hull = fly_arena_take(&m->memory, 1, sizeof *hull);
  double middle[3];
  if (!hull)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a hull.");
  const fly_status status = fly_hull_of_word(hull, middle, word, scale, &m->memory, error);
  if (status)
    return status;
  out->core = FLY_CORE_HULL;
  out->hull = hull;
  for (int c = 0; c < 3; c++)
    out->at[c] += fly_dot3(out->A + 3 * c, middle);
  return FLY_OK;
}

static fly_status make_curve(fly_solid *out, fly_model *m, const char *word, double scale, fly_error *error) {
  fly_curve *curve = fly_arena_take(&m->memory, 1, sizeof *curve);
  if (!curve)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a curve.");
  out->core = FLY_CORE_CURVE;
  out->curve = curve;
  const fly_status status = fly_curve_of_word(curve, word, scale, &m->memory, error);
  out->radius = curve->kind == FLY_CURVE_CIRCLE ? curve->radius : 0;
  return status;
}

// Without a core: contact knows no such shape.
fly_status fly_contact_solid(fly_solid *out, fly_model *m, const fly_item *item, const fly_contact_shapes *s, int k,
                             fly_error *error) {
  const double *number = s->value->number + (size_t)k * FLY_SHAPE_NUMBERS, *size = number + FLY_SHAPE_SIZE;
  *out = (fly_solid){.core = FLY_CORES};
  for (int c = 0; c < 3; c++)
    out->at[c] = number[FLY_SHAPE_AT + c] - s->center[c];
  memcpy(out->A, number + FLY_SHAPE_AXES, sizeof out->A);
  if (fly_shape_is_hull(s->value->word[k]))
    return make_hull(out, m, s->value->word[k], size[0], error);
  if (fly_curve_type_of(s->value->word[k]))
    return make_curve(out, m, s->value->word[k], size[0], error);
  if (strncmp(s->value->word[k], FLY_SHAPE_MESH, strlen(FLY_SHAPE_MESH)) == 0) {
    out->core = FLY_CORE_SURFACE;
    return fly_surface_of_mesh(&out->surface, m, item, s->value->word[k], s->value->place.file, size[0], error);
  }
  switch (fly_shape_find(s->value->word[k])) {
  case FLY_SHAPE_PLANE:
    out->core = FLY_CORE_PLANE;
    break;
  case FLY_SHAPE_SPHERE:
    out->core = FLY_CORE_POINT;
    out->radius = size[0];
    break;
  case FLY_SHAPE_CAPSULE:
    out->core = FLY_CORE_SEGMENT;
    out->radius = size[0];
    out->half[2] = size[1] / 2;
    break;
  case FLY_SHAPE_CYLINDER:
    out->core = FLY_CORE_CYLINDER;
    out->half[0] = out->half[1] = size[0];
    out->half[2] = size[1] / 2;
    break;
  case FLY_SHAPE_BOX:
    out->core = FLY_CORE_BOX;
    for (int c = 0; c < 3; c++)
      out->half[c] = size[c] / 2;
    break;
  case FLY_SHAPE_CONE: // its own frame is at its base
    out->core = FLY_CORE_CONE;
    out->half[0] = out->half[1] = size[0];
    out->half[2] = size[1] / 2;
    for (int c = 0; c < 3; c++)
      out->at[c] += out->A[3 * c + 2] * size[1] / 2;
    break;
  case FLY_SHAPE_ELLIPSOID:
    out->core = FLY_CORE_ELLIPSOID;
    for (int c = 0; c < 3; c++)
      out->half[c] = size[c] / 2;
    break;
  default:
    break;
  }
  return FLY_OK;
}

fly_status fly_contact_unknown(const fly_item *item, const fly_contact_shapes s[2], int a, int b, fly_error *error) {
  return fly_item_fail(
      item, error,
      "it is not known how the %.*s of `%s` and the %.*s of `%s` touch. Known are spheres, capsules, boxes, "
      "cylinders, cones, ellipsoids, hulls and closed meshes among themselves and on a plane. In a plane a circle "
      "touches all curves, and segments and polylines touch arcs, splines and cams.",
      (int)strcspn(s[0].value->word[a], " "), s[0].value->word[a], s[0].name, (int)strcspn(s[1].value->word[b], " "),
      s[1].value->word[b], s[1].name);
}

// ------------------------------------------------------------------------------------------ laws

typedef struct law_row {
  const char *name;
  fly_press_law law;
  const char *needs;      // a parameter that it cannot do without,
  const char *not_for[3]; // and those that mean nothing to it
} law_row;

static const law_row LAWS[] = {
    {"hunt-crossley", FLY_PRESS_HUNT_CROSSLEY, "stiffness", {"young", "depth", NULL}},
    {"hertz", FLY_PRESS_HERTZ, "young", {"stiffness", "depth", "exponent"}},
    {"impact", FLY_PRESS_IMPACT, "depth", {"young", "restitution", NULL}},
    {"linear", FLY_PRESS_LINEAR, "stiffness", {"young", "restitution", "exponent"}},
};

static const law_row *law_of(const fly_item *item) {
  const char *name = fly_item_word(item, "law", 0);
  size_t k = 0;
  while (k + 1 < sizeof LAWS / sizeof *LAWS && strcmp(LAWS[k].name, name) != 0)
    k++;
  return &LAWS[k];
}

static fly_status check_law(const fly_item *item, const law_row *law, fly_error *error) {
  const char *needs[2] = {law->needs, law->law == FLY_PRESS_IMPACT ? "stiffness" : NULL};
  for (int k = 0; k < 2 && needs[k]; k++)
    if (!fly_item_given(item, needs[k]))
      return fly_item_fail(item, error, "the law %s needs `%s`.", law->name, needs[k]);
  for (int k = 0; k < 3 && law->not_for[k]; k++)
    if (fly_item_given(item, law->not_for[k]))
      return fly_item_fail(item, error, "`%s` means nothing to the law %s: take it away.", law->not_for[k], law->name);
  if (fly_item_given(item, "restitution") && fly_item_given(item, "damping"))
    return fly_item_fail(item, error, "`restitution` and `damping` say the same thing: take one of them away.");
  if (fly_item_given(item, "surface_velocity") && !fly_item_given(item, "friction"))
    return fly_item_fail(item, error,
                         "`surface_velocity` does nothing without `friction`: add `friction: {mu: 0.3}`, or take it "
                         "away.");
  return FLY_OK;
}

static fly_press press_of(const fly_item *item, const law_row *law) {
  const bool rebounds = fly_item_given(item, "restitution");
  return (fly_press){.law = law->law,
                     .exponent = law->law == FLY_PRESS_LINEAR ? 1 : fly_item_number(item, "exponent"),
                     .damping = fly_item_number(item, "damping"),
                     .depth = fly_item_given(item, "depth") ? fly_item_number(item, "depth") : 1,
                     .alpha = rebounds ? fly_press_alpha(fly_item_number(item, "restitution")) : 0,
                     .slow = fly_item_number(item, "slow")};
}

// 1/E* = (1 - nu_1^2)/E_1 + (1 - nu_2^2)/E_2; 0: of another law.
static double softness(const fly_item *item, const law_row *law) {
  double young[2], poisson[2];
  if (law->law != FLY_PRESS_HERTZ)
    return 0;
  fly_item_numbers(item, "young", 2, young);
  fly_item_numbers(item, "poisson", 2, poisson);
  return (1 - poisson[0] * poisson[0]) / young[0] + (1 - poisson[1] * poisson[1]) / young[1];
}

static fly_status pair_stiffness(fly_contact_pair *pair, const fly_item *item, const law_row *law, fly_error *error) {
  if (law->law != FLY_PRESS_HERTZ) {
    pair->stiffness = fly_item_number(item, "stiffness");
    return FLY_OK;
  }
  if (pair->a.core == FLY_CORE_CURVE)
    return fly_item_fail(item, error,
                         "the law hertz is of solids, and curves in a plane have no width: give a stiffness.");
  pair->stiffness = fly_contact_hertz(&pair->a, &pair->b, softness(item, law));
  return isfinite(pair->stiffness)
             ? FLY_OK
             : fly_item_fail(item, error, "the law hertz is of round shapes, and neither is: give a stiffness.");
}

typedef struct rub_number {
  const char *key;
  double fallback; // NAN: it must be given
  fly_sign sign;
  double *to;
} rub_number;

static fly_status read_rub_law(fly_rub *k, const fly_item *item, fly_error *error) {
  static const char *const laws[] = {
      [FLY_RUB_REGULARIZED] = "regularized", [FLY_RUB_LUGRE] = "lugre", [FLY_RUB_STICK] = "stick"};
  const char *name = fly_setting(item, "friction", "law");
  k->law = FLY_RUB_STICK;
  while (name && k->law > FLY_RUB_NOT && strcmp(laws[k->law], name) != 0)
    k->law--;
  return k->law ? FLY_OK
                : fly_item_fail(item, error, "`friction`: `law` is stick, lugre or regularized, not `%s`.", name);
}

static const double BREAK_AWAY = 1e-5; // [m]: how far a spring along the surface gives, if nothing is said
static const double WEIGHT =
    9.81; // [m/s^2]: what is pressed by its weight swings by half of critical damping, likewise

static fly_status read_friction(fly_rub *k, const fly_model *m, const fly_item *item, fly_error *error) {
  if (!fly_item_given(item, "friction"))
    return FLY_OK;
  fly_status status = read_rub_law(k, item, error);
  if (status == FLY_OK)
    status = fly_setting_number(m, item, "friction", "mu", NAN, FLY_POSITIVE, &k->mu, error);
  if (status)
    return status;
  const bool creeps = k->law == FLY_RUB_REGULARIZED;
  const rub_number list[] = {
      {"mu_static", k->mu, FLY_POSITIVE, &k->mu_static},
      {"stribeck_speed", 1e-3, FLY_POSITIVE, &k->speed},
      {"transition_speed", creeps ? (double)NAN : 1.0, FLY_POSITIVE, &k->transition},
      {"stiffness", k->mu / BREAK_AWAY, FLY_POSITIVE, &k->stiffness},
  };
  for (int n = 0; n < 4 && status == FLY_OK; n++)
    status = fly_setting_number(m, item, "friction", list[n].key, list[n].fallback, list[n].sign, list[n].to, error);
  if (status == FLY_OK)
    status = fly_setting_number(m, item, "friction", "damping", sqrt(k->stiffness / WEIGHT), FLY_NOT_NEGATIVE,
                                &k->damping, error);
  if (status == FLY_OK && k->mu_static < k->mu)
    status = fly_item_fail(item, error, "`friction`: `mu_static` is %.6g, below `mu` %.6g.", k->mu_static, k->mu);
  return status;
}

// ------------------------------------------------------------------------------------------ the start

static const double BESIDE = 1e-3; // of the smaller one, and [rad]: how far the planes of two curves may be off

// Curves touch in one plane: of two, z of the first in space, and how far the second is beside it.
static fly_status check_plane(const fly_item *item, const fly_contact_pair *pair, const fly_kinematics body[2],
                              const fly_contact_shapes s[2], fly_error *error) {
  double z[2][3], o[2][3], sine[3], beside = 0;
  for (int i = 0; i < 2; i++) {
    const fly_solid *solid = i ? &pair->b : &pair->a;
    fly_to_space(z[i], body[i].R, (double[3]){solid->A[2], solid->A[5], solid->A[8]});
    fly_to_space(o[i], body[i].R, solid->at);
  }
  fly_cross(sine, z[0], z[1]);
  for (int c = 0; c < 3; c++)
    beside += z[0][c] * (o[1][c] + body[1].r[c] - o[0][c] - body[0].r[c]);
  const double size = fmin(fly_solid_reach(&pair->a), fly_solid_reach(&pair->b));
  if (fly_dot3(sine, sine) > BESIDE * BESIDE)
    return fly_item_fail(item, error,
                         "curves of `%s` and `%s` lie in planes at %.3g deg to each other; they touch only in one "
                         "plane: turn a shape, so that both z axes are parallel.",
                         s[0].name, s[1].name, asin(fmin(sqrt(fly_dot3(sine, sine)), 1)) / FLY_PI * 180);
  if (fabs(beside) > BESIDE * size)
    return fly_item_fail(item, error,
                         "curves of `%s` and `%s` lie in planes %.3g mm apart; they touch only in one plane: shift a "
                         "shape along z.",
                         s[0].name, s[1].name, 1e3 * fabs(beside));
  return FLY_OK;
}

static fly_status check_planes(const fly_model *m, const fly_item *item, const fly_contact *k,
                               const fly_contact_shapes s[2], fly_error *error) {
  fly_kinematics body[2];
  fly_status status = FLY_OK;
  for (int i = 0; i < 2; i++)
    start_of(m, &s[i], &body[i]);
  for (int n = 0; n < k->npair && status == FLY_OK; n++)
    if (k->pair[n].a.core == FLY_CORE_CURVE)
      status = check_plane(item, &k->pair[n], body, s, error);
  return status;
}

// How deep the solids of a pair are in each other.
double fly_contact_depth(const fly_contact *k, const fly_contact_pair *pair, const fly_force_at *at) {
  double gap = 0;
  for (int n = pair->first; n < pair->first + pair->spots; n++)
    gap = fmin(gap, fly_contact_force.near(n, at, k).gap);
  return -gap;
}

void fly_contact_warn_overlap(fly_model *m, const fly_item *item, const fly_contact *k, const fly_force_at *at,
                              const fly_contact_shapes s[2], const fly_contact_pair *worst, double depth) {
  char text[500];
  double out[FLY_FORCE_VALUES];
  const char *a = s[0].value->word[worst->shape[0]], *b = s[1].value->word[worst->shape[1]];
  fly_contact_force.values(out, at, k);
  snprintf(text, sizeof text,
           "the %.*s of `%s` and the %.*s of `%s` overlap by %.3g mm where the model is written down, and push with "
           "%.3g N from there. With `overlap: relax` they only touch, with `simulate: {start: equilibrium}` all comes "
           "to rest first.",
           (int)strcspn(a, " "), a, s[0].name, (int)strcspn(b, " "), b, s[1].name, 1e3 * depth, out[1]);
  fly_compile_warn(m, item, text);
}

// Solids that overlap where the model starts push each other apart from there: said, with how much. Or their surfaces
// are taken back.
static void check_start(fly_model *m, const fly_item *item, const fly_model_force *f, const fly_contact_shapes s[2]) {
  fly_contact *k = f->k;
  fly_kinematics body[2];
  fly_force_at at = {.count = 2};
  const fly_contact_pair *worst = NULL;
  const bool relax = strcmp(fly_item_word(item, "overlap", 0), "relax") == 0;
  double most = 1e-12;
  for (int i = 0; i < 2; i++) {
    start_of(m, &s[i], &body[i]);
    at.marker[i] = (fly_seen){&body[i], &m->marker[f->marker[i]].m};
  }
  for (int n = 0; n < k->npair; n++) {
    const double depth = fly_contact_depth(k, &k->pair[n], &at);
    if (depth > most) {
      most = depth;
      worst = &k->pair[n];
    }
    k->pair[n].back = relax ? depth : 0;
  }
  if (worst && !relax)
    fly_contact_warn_overlap(m, item, k, &at, s, worst, most);
}

// ------------------------------------------------------------------------------------------ all of it

bool fly_contact_has_faces(const fly_solid *s) {
  return s->core == FLY_CORE_BOX || s->core == FLY_CORE_HULL || s->core == FLY_CORE_SURFACE;
}

// Spots of two meshes come and go where they are deep in each other, those of hulls less often: of convex ones the
// hulls touch.
static void meet_faces(fly_model *m, fly_contact_pair *pair) {
  const fly_solid before = pair->a;
  m->faces_meet = m->faces_meet || (fly_contact_has_faces(&pair->a) && fly_contact_has_faces(&pair->b));
  if (pair->a.core == FLY_CORE_SURFACE && pair->b.core == FLY_CORE_SURFACE && fly_surface_as_hull(&pair->a, m) &&
      !fly_surface_as_hull(&pair->b, m))
    pair->a = before;
}

static fly_status fill_pairs(fly_model *m, fly_contact *k, const fly_item *item, const law_row *law,
                             const fly_contact_shapes s[2], fly_error *error) {
  fly_status status = FLY_OK;
  for (int a = 0; a < s[0].value->count; a++)
    for (int b = 0; b < s[1].value->count && status == FLY_OK; b++) {
      if (!fly_contact_takes(&s[0], a) || !fly_contact_takes(&s[1], b))
        continue;
      fly_contact_pair *pair = &k->pair[k->npair];
      status = fly_contact_solid(&pair->a, m, item, &s[0], a, error);
      if (status == FLY_OK)
        status = fly_contact_solid(&pair->b, m, item, &s[1], b, error);
      if (status)
        return status;
      if (pair->a.core == FLY_CORES || pair->b.core == FLY_CORES)
        return fly_contact_unknown(item, s, a, b, error);
      meet_faces(m, pair);
      pair->spots = fly_touch_spots(&pair->a, &pair->b);
      if (pair->spots == 0)
        return fly_contact_unknown(item, s, a, b, error);
      pair->first = k->nspot;
      pair->shape[0] = a;
      pair->shape[1] = b;
      status = pair_stiffness(pair, item, law, error);
      k->nspot += pair->spots;
      k->npair++;
    }
  return status;
}

fly_status fly_contact_law(fly_contact *k, const fly_model *m, const fly_item *item, fly_error *error) {
  const law_row *law = law_of(item);
  const fly_status status = check_law(item, law, error);
  if (status)
    return status;
  k->press = press_of(item, law);
  k->all = strcmp(fly_item_word(item, "pairs", 0), "all") == 0;
  k->roll = (fly_roll){fly_item_number(item, "rolling"), fly_item_number(item, "spinning"),
                       fly_item_number(item, "slow_turn")};
  fly_item_numbers(item, "surface_velocity", 3, k->belt);
  return read_friction(&k->rub, m, item, error);
}

fly_status fly_contact_stiffness(fly_contact_pair *pair, const fly_item *item, fly_error *error) {
  return pair_stiffness(pair, item, law_of(item), error);
}

double fly_contact_softness(const fly_item *item) { return softness(item, law_of(item)); }

static fly_status make_contact(fly_model *m, const fly_item *item, fly_contact *k, const fly_contact_shapes s[2],
                               fly_error *error) {
  const fly_status status = fly_contact_law(k, m, item, error);
  if (status)
    return status;
  k->pair = fly_arena_take(&m->memory, (size_t)(s[0].value->count * s[1].value->count), sizeof *k->pair);
  if (!k->pair)
    return fly_fail_at(error, FLY_NO_MEMORY, NAN, FLY_NOWHERE, item->name, "Out of memory for the contact `%s`.",
                       item->name);
  return fill_pairs(m, k, item, law_of(item), s, error);
}

// States of the springs along the surface. Their rates are the force's own; as expressions they are nothing.
static fly_status add_springs(fly_model *m, int item, fly_model_force *f, fly_error *error) {
  const fly_contact *k = f->k;
  int nothing = -1;
  f->state = m->nstate;
  f->states = fly_contact_force.states(k);
  if (f->states == 0)
    return FLY_OK;
  fly_status status = fly_compile_own(m, &m->spec->item[item], "friction", "0", NULL, NULL, &nothing, error);
  for (int n = 0; n < f->states && status == FLY_OK; n++) {
    const char *pair = strchr(f->name + strlen(m->spec->item[item].name), '.'); // of one of several
    const size_t size = 30 + (pair ? strlen(pair) : 0);
    char *part = fly_arena_take(&m->memory, size, 1);
    if (!part)
      return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d states of contacts.", f->states);
    snprintf(part, size, k->nspot > 1 ? "%s%sspring_%c%d" : "%s%sspring_%c", pair ? pair + 1 : "", pair ? "." : "",
             "xyz"[n % 3], n / 3 + 1);
    m->state[m->nstate++] =
        (fly_model_state){.item = item, .rate = nothing, .scale = k->rub.mu_static / k->rub.stiffness, .part = part};
  }
  return status;
}

// ------------------------------------------------------------------------------------------ one of them

static bool has_plane(const fly_contact_shapes *s) {
  for (int k = 0; k < s->value->count; k++)
    if (fly_contact_takes(s, k) && fly_shape_find(s->value->word[k]) == FLY_SHAPE_PLANE)
      return true;
  return false;
}

static fly_status check_pair(const fly_model *m, const fly_item *item, const fly_contact_shapes s[2],
                             const fly_touching *t, fly_error *error) {
  const fly_item *joint = fly_touching_joint(m->spec, t);
  if (s[0].body == s[1].body)
    return fly_item_fail(item, error, "`%s` cannot touch itself.", s[0].name);
  if (joint && fly_item_is(joint, "fixed"))
    return fly_item_fail(
        item, error,
        "`%s` and `%s` are fixed to each other by the joint `%s`: they never come nearer or farther, and "
        "a contact would only press for nothing. Take it out; among more bodies such pairs are left out "
        "anyway.",
        s[0].name, s[1].name, joint->name);
  return FLY_OK;
}

// Which of its shapes: `shapes` has a number for `bodies`, and one for `with`.
fly_status fly_contact_choose(fly_contact_shapes *s, const fly_item *item, int which, fly_error *error) {
  double number[2] = {0, 0};
  if (fly_item_given(item, "shapes"))
    fly_item_numbers(item, "shapes", 2, number);
  s->only = (int)number[which];
  if (s->value && (s->only != number[which] || s->only > s->value->count))
    return fly_item_fail(item, error, "`shapes`: `%s` has the shapes 1 to %d, and 0 means all; not %g.", s->name,
                         s->value->count, number[which]);
  return FLY_OK;
}

// Springs along the surface stand in axes of the first body: a plane comes first, on which others may roll.
static fly_status add_pair(fly_model *m, int item, fly_model_force *f, const fly_touching *t, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  fly_contact_shapes s[2] = {{0}, {0}};
  fly_status status = FLY_OK;
  for (int i = 0; i < 2 && status == FLY_OK; i++)
    status = fly_contact_find_shapes(&s[i], m, it, t->body[i], error);
  for (int i = 0; i < 2 && status == FLY_OK; i++)
    status = fly_contact_choose(&s[i], it, i, error);
  if (status == FLY_OK)
    status = check_pair(m, it, s, t, error);
  for (int i = 0; i < 2 && status == FLY_OK; i++)
    status = fix_shapes(&s[i], m, it, error);
  if (status || !s[0].value || !s[1].value)
    return status;
  const bool turned = has_plane(&s[1]) && !has_plane(&s[0]);
  if (turned) {
    const fly_contact_shapes first = s[0];
    s[0] = s[1];
    s[1] = first;
  }
  ((fly_contact *)f->k)->whose = turned;
  f->count = 2;
  for (int i = 0; i < 2; i++)
    f->marker[i] = s[i].marker;
  status = make_contact(m, it, f->k, s, error);
  if (status == FLY_OK)
    status = check_planes(m, it, f->k, s, error);
  if (status)
    return status;
  check_start(m, it, f, s);
  return add_springs(m, item, f, error);
}

static fly_status name_pair(fly_model *m, fly_model_force *f, const fly_touching *t, fly_error *error) {
  const size_t size = strlen(f->name) + strlen(t->body[0]) + strlen(t->body[1]) + 3;
  char *name = fly_arena_take(&m->memory, size, 1);
  if (!name)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the name of a contact.");
  snprintf(name, size, "%s.%s-%s", f->name, t->body[0], t->body[1]);
  f->name = name;
  return FLY_OK;
}

fly_status fly_add_contact(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  const int pairs = fly_contact_pairs(m->spec, it);
  fly_status status = FLY_OK;
  fly_touching t;
  status = fly_touching_check(m->spec, it, error);
  if (status)
    return status;
  if (fly_contact_is_found(m->spec, it))
    return fly_add_found(m, item, error);
  if (pairs == 0)
    fly_compile_warn(m, it, "no two of its bodies can touch: joints join them all, or `except` names them.");
  fly_model_force *f = pairs > 0 ? &m->force[m->force_of_item[item]] : NULL;
  for (fly_touching_walk w = fly_touching_begin(m->spec, it); status == FLY_OK && f && fly_touching_next(&w, &t); f++) {
    if (pairs > 1)
      status = name_pair(m, f, &t, error);
    if (status == FLY_OK)
      status = add_pair(m, item, f, &t, error);
  }
  return status;
}
