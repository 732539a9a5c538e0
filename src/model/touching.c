#include "model/touching.h"

#include <string.h>

#include "base/error.h"
#include "geometry/solid.h"
#include "model/curve.h"

// ------------------------------------------------------------------------------------------ joints

const char *fly_touching_joined(const fly_item *joint, int i) {
  const int row = fly_parameter_find(joint->type, "bodies");
  const fly_value *bodies = row >= 0 ? fly_item_row(joint, row) : NULL;
  const char *word = bodies && bodies->given ? bodies->word[i] : NULL;
  const char *end = i == 0 ? "from" : "to";
  if (!word && fly_parameter_find(joint->type, end) >= 0)
    word = fly_item_word(joint, end, 0);
  return word ? word : "";
}

static bool joins(const fly_item *joint, const fly_touching *t) {
  bool both[2] = {false, false};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      const char *body = fly_touching_joined(joint, k);
      const size_t length = strlen(t->body[i]);
      both[i] = both[i] || (strncmp(body, t->body[i], length) == 0 && (body[length] == 0 || body[length] == '.'));
    }
  return both[0] && both[1];
}

static bool has_joints(const fly_spec *spec) {
  for (int k = 0; k < spec->nitem; k++)
    if (strcmp(spec->item[k].type->section, "joints") == 0)
      return true;
  return false;
}

const fly_item *fly_touching_joint(const fly_spec *spec, const fly_touching *t) {
  for (int k = 0; k < spec->nitem; k++)
    if (strcmp(spec->item[k].type->section, "joints") == 0 && joins(&spec->item[k], t))
      return &spec->item[k];
  return NULL;
}

int fly_touching_group_size(const fly_touching_group *g) {
  return g->material ? g->spec->nitem : g->list ? g->list->count : 0;
}

// Place k of it; NULL: there is none of this material.
const char *fly_touching_group_body(const fly_touching_group *g, int k) {
  if (!g->material)
    return g->list->word[k];
  const fly_item *item = &g->spec->item[k];
  if (strcmp(item->type->section, "bodies") != 0 || !fly_item_given(item, "material"))
    return NULL;
  return strcmp(fly_item_word(item, "material", 0), g->material) == 0 ? item->name : NULL;
}

bool fly_touching_is_named(const fly_value *list, const char *body) {
  for (int k = 0; list->given && k < list->count; k++)
    if (strcmp(list->word[k], body) == 0)
      return true;
  return false;
}

fly_touching_walk fly_touching_begin(const fly_spec *spec, const fly_item *item) {
  const fly_value *one = fly_item_value(item, "bodies"), *two = fly_item_value(item, "with");
  const fly_value *materials = fly_item_value(item, "materials");
  fly_touching_walk w = {.one = {spec, one, NULL}, .other = {spec, two->given ? two : one, NULL}, .among = !two->given};
  if (materials->given) {
    w.one.material = materials->word[0];
    w.other.material = materials->word[1];
    w.among = strcmp(w.one.material, w.other.material) == 0;
  }
  w.alone = w.among && !materials->given && one->count == 2;
  w.joined = has_joints(spec);
  w.except = fly_item_value(item, "except");
  w.k = w.among ? 0 : -1;
  return w;
}

static bool may_touch(const fly_touching_walk *w, const fly_touching *t) {
  if (strcmp(t->body[0], t->body[1]) == 0 || (w->joined && fly_touching_joint(w->one.spec, t)))
    return w->alone;
  return !(fly_touching_is_named(w->except, t->body[0]) && fly_touching_is_named(w->except, t->body[1]));
}

bool fly_touching_next(fly_touching_walk *w, fly_touching *out) {
  const int ones = fly_touching_group_size(&w->one), others = fly_touching_group_size(&w->other);
  for (++w->k; w->i < ones; ++w->k) {
    if (w->k >= others || !fly_touching_group_body(&w->one, w->i)) {
      ++w->i;
      w->k = w->among ? w->i : -1;
      continue;
    }
    *out = (fly_touching){{fly_touching_group_body(&w->one, w->i), fly_touching_group_body(&w->other, w->k)}};
    if (out->body[0] && out->body[1] && may_touch(w, out))
      return true;
  }
  return false;
}

// ------------------------------------------------------------------------------------------ how many

static const double MOST_LISTED = 1e4; // pairs; if nothing is said, more are found while running,
static const double MOST_EACH = 8;     // if they are more than so many for each that takes part

static int count_group(const fly_touching_group *g) {
  int count = 0;
  for (int k = 0; k < fly_touching_group_size(g); k++)
    count += fly_touching_group_body(g, k) != NULL;
  return count;
}

static const fly_value *shapes_of(const fly_spec *spec, const char *name) {
  const fly_item *body = fly_spec_find(spec, "bodies", name);
  const int row = body ? fly_parameter_find(body->type, "shapes") : -1;
  return row >= 0 ? fly_item_row(body, row) : NULL;
}

static bool has_curves(const fly_touching_group *g) {
  for (int k = 0; k < fly_touching_group_size(g); k++) {
    const char *name = fly_touching_group_body(g, k);
    const fly_value *shapes = name ? shapes_of(g->spec, name) : NULL;
    for (int i = 0; shapes && i < shapes->count; i++)
      if (fly_curve_type_of(shapes->word[i]))
        return true;
  }
  return false;
}

static bool has_frames(const fly_spec *spec) {
  for (int k = 0; k < spec->nitem; k++)
    if (spec->item[k].type->body && spec->item[k].type->body->frames)
      return true;
  return false;
}

bool fly_contact_is_found(const fly_spec *spec, const fly_item *item) {
  const fly_touching_walk w = fly_touching_begin(spec, item);
  if (fly_item_given(item, "pairs"))
    return strcmp(fly_item_word(item, "pairs", 0), "found") == 0;
  const double one = count_group(&w.one), other = w.among ? 0 : count_group(&w.other);
  const double pairs = w.among ? one * (one - 1) / 2 : one * other;
  return pairs > MOST_LISTED && pairs > MOST_EACH * (one + other) && !has_frames(spec) && !has_curves(&w.one) &&
         !has_curves(&w.other);
}

int fly_contact_pairs(const fly_spec *spec, const fly_item *item) {
  fly_touching t;
  int count = 0;
  if (fly_contact_is_found(spec, item))
    return 0;
  for (fly_touching_walk w = fly_touching_begin(spec, item); fly_touching_next(&w, &t);)
    count++;
  return count;
}

static int count_shapes(const fly_spec *spec, const char *name) {
  const fly_value *shapes = shapes_of(spec, name);
  return shapes ? shapes->count : 0;
}

int fly_contact_markers(const fly_spec *spec, const fly_item *item) {
  fly_touching t;
  int count = 0;
  if (fly_contact_is_found(spec, item))
    return 0;
  for (fly_touching_walk w = fly_touching_begin(spec, item); has_frames(spec) && fly_touching_next(&w, &t);)
    count += count_shapes(spec, t.body[0]) + count_shapes(spec, t.body[1]);
  return count;
}

int fly_contact_states(const fly_spec *spec, const fly_item *item) {
  enum { MOST = 3 * FLY_SPOTS }; // of a pair: three at each spot
  fly_touching t;
  int count = 0;
  if (fly_contact_is_found(spec, item))
    return 0;
  for (fly_touching_walk w = fly_touching_begin(spec, item); fly_touching_next(&w, &t);)
    count += MOST * count_shapes(spec, t.body[0]) * count_shapes(spec, t.body[1]);
  return fly_item_given(item, "friction") ? count : 0;
}

// ------------------------------------------------------------------------------------------ what is said wrongly

fly_status fly_touching_check(const fly_spec *spec, const fly_item *it, fly_error *error) {
  const bool bodies = fly_item_given(it, "bodies"), materials = fly_item_given(it, "materials");
  if (bodies == materials || (materials && (fly_item_given(it, "with") || fly_item_given(it, "shapes"))))
    return fly_item_fail(it, error,
                         "whose shapes touch is said by `bodies` (and `with`, `shapes`), or by `materials` alone.");
  if (bodies && fly_item_value(it, "bodies")->count < 2 && !fly_item_given(it, "with"))
    return fly_item_fail(it, error, "`bodies` names one body, and `with` none that it could touch.");
  for (int n = 0; materials && n < 2; n++) {
    const fly_touching_group g = {spec, NULL, fly_item_word(it, "materials", n)};
    int k = 0;
    while (k < fly_touching_group_size(&g) && !fly_touching_group_body(&g, k))
      k++;
    if (k == fly_touching_group_size(&g))
      return fly_item_fail(it, error, "no body has the material `%s`: give it with `material: %s`.", g.material,
                           g.material);
  }
  return FLY_OK;
}
