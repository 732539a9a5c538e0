#include "model/touching.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "geometry/solid.h"

// ------------------------------------------------------------------------------------------ joints

static bool joins(const fly_item *joint, const fly_touching *t) {
  const int row = fly_parameter_find(joint->type, "bodies");
  bool both[2] = {false, false};
  char body[2][200] = {"", ""};
  for (int i = 0; i < 2; i++) { // by `bodies`, or by the bodies of its markers
    const char *word = row >= 0 && joint->value[row].given ? joint->value[row].word[i] : NULL;
    const char *end = i == 0 ? "from" : "to";
    if (!word && fly_parameter_find(joint->type, end) >= 0)
      word = fly_item_word(joint, end, 0);
    snprintf(body[i], sizeof body[i], "%s", word ? word : "");
  }
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      const size_t length = strlen(t->body[i]);
      both[i] =
          both[i] || (strncmp(body[k], t->body[i], length) == 0 && (body[k][length] == 0 || body[k][length] == '.'));
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

static int group_size(const fly_touching_group *g) {
  return g->material ? g->spec->nitem : g->list ? g->list->count : 0;
}

// Place k of it; NULL: there is none of this material.
static const char *group_body(const fly_touching_group *g, int k) {
  if (!g->material)
    return g->list->word[k];
  const fly_item *item = &g->spec->item[k];
  if (strcmp(item->type->section, "bodies") != 0 || !fly_item_given(item, "material"))
    return NULL;
  return strcmp(fly_item_word(item, "material", 0), g->material) == 0 ? item->name : NULL;
}

static bool is_named(const fly_value *list, const char *body) {
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
  return !(is_named(w->except, t->body[0]) && is_named(w->except, t->body[1]));
}

bool fly_touching_next(fly_touching_walk *w, fly_touching *out) {
  const int ones = group_size(&w->one), others = group_size(&w->other);
  for (++w->k; w->i < ones; ++w->k) {
    if (w->k >= others || !group_body(&w->one, w->i)) {
      ++w->i;
      w->k = w->among ? w->i : -1;
      continue;
    }
    *out = (fly_touching){{group_body(&w->one, w->i), group_body(&w->other, w->k)}};
    if (out->body[0] && out->body[1] && may_touch(w, out))
      return true;
  }
  return false;
}

int fly_contact_pairs(const fly_spec *spec, const fly_item *item) {
  fly_touching t;
  int count = 0;
  for (fly_touching_walk w = fly_touching_begin(spec, item); fly_touching_next(&w, &t);)
    count++;
  return count;
}

static int count_shapes(const fly_spec *spec, const char *name) {
  const fly_item *body = fly_spec_find(spec, "bodies", name);
  const int row = body ? fly_parameter_find(body->type, "shapes") : -1;
  return row >= 0 ? body->value[row].count : 0;
}

static bool has_frames(const fly_spec *spec) {
  for (int k = 0; k < spec->nitem; k++)
    if (spec->item[k].type->body && spec->item[k].type->body->frames)
      return true;
  return false;
}

int fly_contact_markers(const fly_spec *spec, const fly_item *item) {
  fly_touching t;
  int count = 0;
  for (fly_touching_walk w = fly_touching_begin(spec, item); has_frames(spec) && fly_touching_next(&w, &t);)
    count += count_shapes(spec, t.body[0]) + count_shapes(spec, t.body[1]);
  return count;
}

int fly_contact_states(const fly_spec *spec, const fly_item *item) {
  enum { MOST = 3 * FLY_SPOTS }; // of a pair: three at each spot
  fly_touching t;
  int count = 0;
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
    while (k < group_size(&g) && !group_body(&g, k))
      k++;
    if (k == group_size(&g))
      return fly_item_fail(it, error, "no body has the material `%s`: give it with `material: %s`.", g.material,
                           g.material);
  }
  return FLY_OK;
}
