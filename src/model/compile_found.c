// Contacts whose pairs are found while a model runs: who takes part, by which law, and who is near or overlaps at the
// start (docs/theory/contact.md, T-found). Time and memory grow as the shapes and the pairs near each other do.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/grid.h"
#include "math/so3.h"
#include "model/contacts.h"
#include "model/curve.h"
#include "model/found.h"
#include "model/touching.h"

static const double BESIDE = 0.3; // of the size of a solid: what is no farther than that from it is near at the start

static fly_status no_memory(const fly_item *item, fly_error *error) {
  return fly_fail_at(error, FLY_NO_MEMORY, NAN, FLY_NOWHERE, item->name, "Out of memory for the contact `%s`.",
                     item->name);
}

// ------------------------------------------------------------------------------------------ joints

// The body of a word that names it, or a marker of it; names of both may have dots.
static int body_of(const fly_model *m, const char *word) {
  char name[256];
  snprintf(name, sizeof name, "%s", word);
  int body = fly_model_body(m, name);
  for (char *dot = strrchr(name, '.'); body < FLY_GROUND && dot; dot = strrchr(name, '.')) {
    *dot = 0;
    body = fly_model_body(m, name);
  }
  return body;
}

static int by_bodies(const void *one, const void *other) {
  const int *a = one, *b = other;
  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

// Once for all contacts of the model.
static bool list_joined(fly_model *m) {
  int joints = 0;
  for (int k = 0; k < m->spec->nitem; k++)
    joints += strcmp(m->spec->item[k].type->section, "joints") == 0;
  if (m->joined || joints == 0)
    return true;
  m->joined = fly_arena_take(&m->memory, (size_t)joints, sizeof *m->joined);
  for (int k = 0; m->joined && k < m->spec->nitem; k++) {
    const fly_item *joint = &m->spec->item[k];
    if (strcmp(joint->type->section, "joints") != 0)
      continue;
    const int a = body_of(m, fly_touching_joined(joint, 0)), b = body_of(m, fly_touching_joined(joint, 1));
    if (a < FLY_GROUND || b < FLY_GROUND)
      continue;
    m->joined[m->njoined][0] = a < b ? a : b;
    m->joined[m->njoined++][1] = a < b ? b : a;
  }
  if (m->joined)
    qsort(m->joined, (size_t)m->njoined, sizeof *m->joined, by_bodies);
  return m->joined != NULL;
}

// ------------------------------------------------------------------------------------------ who takes part

// Those of a contact that are being listed.
typedef struct listing {
  fly_model *m;
  const fly_item *item;
  fly_model_found *f;
  int room;   // for members
  int *first; // of each body, ground last: 1 + its first member; 0: none yet (nbody + 1)
} listing;

static int slot_of(const listing *l, int body) { return body == FLY_GROUND ? l->m->nbody : body; }

static fly_status check_shape(const listing *l, const fly_contact_shapes *s, int k, const fly_solid *solid,
                              fly_error *error) {
  if (solid->core == FLY_CORES)
    return fly_contact_unknown(l->item, (const fly_contact_shapes[2]){*s, *s}, k, k, error);
  if (solid->core == FLY_CORE_CURVE)
    return fly_item_fail(l->item, error,
                         "pairs of curves, as those of `%s`, are not found while running: say `pairs: near`.", s->name);
  return FLY_OK;
}

static fly_status add_member(listing *l, const fly_contact_shapes *s, int k, int group, fly_error *error) {
  fly_model_found *f = l->f;
  if (!fly_reserve(&f->member, &l->room, f->count + 1, sizeof *f->member))
    return no_memory(l->item, error);
  fly_member *i = &f->member[f->count];
  *i = (fly_member){.body = s->body, .marker = s->marker, .shape = k, .name = s->name};
  i->one = group == 0;
  i->other = group == 1;
  i->except = fly_touching_is_named(fly_item_value(l->item, "except"), s->name);
  fly_status status = fly_contact_solid(&i->solid, l->m, l->item, s, k, error);
  if (status == FLY_OK)
    status = check_shape(l, s, k, &i->solid, error);
  f->count += status == FLY_OK;
  return status;
}

// A body that is in both groups, with the same shapes, is in them once.
static bool is_there(const listing *l, const fly_contact_shapes *s, int group) {
  const int first = l->first[slot_of(l, s->body)] - 1;
  for (int k = first; k >= 0 && k < l->f->count && l->f->member[k].body == s->body; k++) {
    l->f->member[k].one = l->f->member[k].one || group == 0;
    l->f->member[k].other = l->f->member[k].other || group == 1;
  }
  return first >= 0;
}

static fly_status add_body(listing *l, const char *name, int group, fly_error *error) {
  fly_contact_shapes s;
  fly_status status = fly_contact_find_shapes(&s, l->m, l->item, name, error);
  if (status == FLY_OK)
    status = fly_contact_choose(&s, l->item, group, error);
  if (status || is_there(l, &s, group))
    return status;
  l->first[slot_of(l, s.body)] = l->f->count + 1;
  for (int k = 0; k < s.value->count && status == FLY_OK; k++)
    if (fly_contact_takes(&s, k))
      status = add_member(l, &s, k, group, error);
  return status;
}

static fly_status add_group(listing *l, const fly_touching_group *g, int group, fly_error *error) {
  fly_status status = FLY_OK;
  for (int k = 0; k < fly_touching_group_size(g) && status == FLY_OK; k++) {
    const char *name = fly_touching_group_body(g, k);
    if (name)
      status = add_body(l, name, group, error);
  }
  return status;
}

static fly_status list_members(listing *l, fly_error *error) {
  const fly_touching_walk w = fly_touching_begin(l->m->spec, l->item);
  fly_status status = fly_item_given(l->item, "shapes") && w.among
                          ? fly_item_fail(l->item, error, "`shapes` chooses of `bodies` and of `with`: give both.")
                          : FLY_OK;
  if (status == FLY_OK)
    status = add_group(l, &w.one, 0, error);
  if (status == FLY_OK)
    status = add_group(l, w.among ? &w.one : &w.other, 1, error);
  return status;
}

// Each kind of core with each: spots of the pair that has most, and whether the law can be.
static fly_status check_kinds(fly_model_found *f, const fly_item *item, fly_error *error) {
  const fly_member *of[FLY_CORES] = {NULL};
  fly_status status = FLY_OK;
  for (int k = 0; k < f->count; k++)
    of[f->member[k].solid.core] = &f->member[k];
  for (int a = 0; a < FLY_CORES; a++)
    for (int b = a; b < FLY_CORES && status == FLY_OK; b++) {
      if (!of[a] || !of[b] || (a == FLY_CORE_PLANE && b == FLY_CORE_PLANE))
        continue;
      fly_contact_pair pair = {.a = of[a]->solid, .b = of[b]->solid};
      const int spots = fly_touch_spots(&pair.a, &pair.b);
      f->law.nspot = spots > f->law.nspot ? spots : f->law.nspot;
      status = fly_contact_stiffness(&pair, item, error);
    }
  return status;
}

// ------------------------------------------------------------------------------------------ the start

// Who is looked at where the model is written down.
typedef struct start {
  fly_model *m;
  fly_model_found *f;
  const fly_item *item;
  fly_kinematics *body; // of each member (count)
  bool relax, failed;
  int room; // for pairs that are relaxed
  int overlaps, worst[2];
  double deepest;
} start;

static fly_box box_of(const start *s, int k) {
  const fly_member *i = &s->f->member[k];
  const fly_force_bound of = fly_contact_bound(&i->solid, i->shape);
  fly_box box;
  for (int c = 0; c < 3; c++) {
    const double middle = s->body[k].r[c] + fly_dot3(s->body[k].R + 3 * c, of.at), reach = (1 + BESIDE) * of.reach;
    box.lo[c] = middle - reach;
    box.hi[c] = middle + reach;
  }
  return box;
}

static double depth_at_start(const start *s, int a, int b, fly_contact *k, fly_contact_pair *pair, fly_force_at *at) {
  int marker[2];
  fly_found_pair(k, pair, marker, s->f, a, b);
  *at = (fly_force_at){.count = 2};
  for (int i = 0; i < 2; i++) {
    const int of = (marker[i] == s->f->member[a].marker) ? a : b;
    at->marker[i] = (fly_seen){&s->body[of], &s->m->marker[marker[i]].m};
  }
  return fly_contact_depth(k, pair, at);
}

static void relax(start *s, int a, int b, double depth) {
  fly_model_found *f = s->f;
  s->failed = s->failed || !fly_reserve(&f->relaxed, &s->room, f->nrelaxed + 1, sizeof *f->relaxed);
  if (!s->failed)
    f->relaxed[f->nrelaxed++] = (fly_relaxed){a, b, depth};
}

static void look_at(int a, int b, void *user) {
  start *s = user;
  fly_contact k;
  fly_contact_pair pair;
  fly_force_at at;
  if (!fly_found_may_touch(s->m, s->f, a, b))
    return;
  s->f->near++;
  const double depth = depth_at_start(s, a, b, &k, &pair, &at);
  if (!(depth > 1e-12))
    return;
  if (s->relax)
    relax(s, a, b, depth);
  s->overlaps++;
  if (depth > s->deepest) {
    s->deepest = depth;
    s->worst[0] = a;
    s->worst[1] = b;
  }
}

// Half-spaces have no boxes.
static void look_at_planes(start *s) {
  const fly_model_found *f = s->f;
  for (int p = 0; p < f->count; p++)
    for (int k = 0; f->member[p].solid.core == FLY_CORE_PLANE && k < f->count; k++)
      if (f->member[k].solid.core != FLY_CORE_PLANE)
        look_at(p < k ? p : k, p < k ? k : p, s);
}

static void warn_worst(start *s) {
  fly_contact k;
  fly_contact_pair pair;
  fly_force_at at;
  double out[FLY_FORCE_VALUES];
  char text[500], name[200];
  (void)depth_at_start(s, s->worst[0], s->worst[1], &k, &pair, &at);
  fly_contact_force.values(out, &at, &k);
  fly_found_name(name, sizeof name, s->m, s->f, s->worst[0], s->worst[1]);
  snprintf(text, sizeof text,
           "%d of its pairs overlap where the model is written down, by %.3g mm at most (`%.200s`, which push with "
           "%.3g N from there). With `overlap: relax` they only touch.",
           s->overlaps, 1e3 * s->deepest, name, out[1]);
  fly_compile_warn(s->m, s->item, text);
}

static int by_members(const void *one, const void *other) {
  const fly_relaxed *a = one, *b = other;
  return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

// What grew becomes the model's; NULL: no memory.
static void *keep(void *grown, size_t bytes, fly_arena *memory) {
  void *to = fly_arena_take(memory, bytes, 1);
  if (to && bytes > 0)
    memcpy(to, grown, bytes);
  free(grown);
  return to;
}

static bool look_at_start(start *s) {
  fly_arena work = {0};
  const size_t count = (size_t)s->f->count;
  fly_grid grid = {.slots = fly_grid_slots(s->f->count)};
  fly_box *box = fly_arena_take(&work, count, sizeof *box);
  s->body = fly_arena_take(&work, count, sizeof *s->body);
  grid.first = fly_arena_ints(&work, (size_t)grid.slots + 1);
  grid.entry = fly_arena_take(&work, count, sizeof *grid.entry);
  const bool fine = !work.failed;
  for (int k = 0; fine && k < s->f->count; k++) {
    fly_start_kinematics(s->m, s->f->member[k].body, &s->body[k]);
    box[k] = box_of(s, k);
  }
  if (fine) {
    fly_grid_pairs(&grid, box, s->f->count, look_at, s);
    look_at_planes(s);
    if (s->overlaps > 0 && !s->relax)
      warn_worst(s);
  }
  fly_arena_free(&work);
  return fine && !s->failed;
}

// ------------------------------------------------------------------------------------------ all of it

static fly_status add_law(fly_model *m, fly_model_found *f, const fly_item *item, fly_error *error) {
  f->nothing = -1;
  f->stiffness = fly_item_given(item, "stiffness") ? fly_item_number(item, "stiffness") : 0.0;
  fly_status status = fly_contact_law(&f->law, m, item, error);
  f->soft = fly_contact_softness(item);
  if (status == FLY_OK && fly_rub_has_state(&f->law.rub))
    status = fly_compile_own(m, item, "friction", "0", NULL, NULL, &f->nothing, error);
  return status;
}

// Frames of bodies that are not rigid have patterns of their own, which do not change.
static fly_status check_bodies(const listing *l, fly_error *error) {
  for (int k = 0; k < l->m->nbody; k++)
    if (l->m->body[k].type->frames)
      return fly_item_fail(l->item, error,
                           "pairs are not found while running where a body deforms, as `%s` does: say `pairs: near`.",
                           l->m->body[k].name);
  return FLY_OK;
}

static void note_faces(fly_model *m, const fly_model_found *f) {
  int faces = 0;
  for (int k = 0; k < f->count; k++)
    faces += fly_contact_has_faces(&f->member[k].solid);
  m->faces_meet = m->faces_meet || faces > 1;
}

static fly_status fill(listing *l, fly_error *error) {
  fly_status status = check_bodies(l, error);
  if (status == FLY_OK)
    status = add_law(l->m, l->f, l->item, error);
  if (status == FLY_OK)
    status = list_members(l, error);
  note_faces(l->m, l->f);
  return status ? status : check_kinds(l->f, l->item, error);
}

fly_status fly_add_found(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  fly_model_found *f = &m->found[m->nfound++];
  fly_arena work = {0};
  listing l = {.m = m, .item = it, .f = f, .first = fly_arena_ints(&work, (size_t)m->nbody + 1)};
  f->item = item;
  fly_status status = l.first && list_joined(m) ? fill(&l, error) : no_memory(it, error);
  fly_arena_free(&work);
  f->member = keep(f->member, (size_t)f->count * sizeof *f->member, &m->memory);
  if (status == FLY_OK && !f->member)
    status = no_memory(it, error);
  if (status)
    return status;
  start s = {.m = m, .f = f, .item = it, .relax = strcmp(fly_item_word(it, "overlap", 0), "relax") == 0};
  const bool fine = look_at_start(&s);
  f->relaxed = keep(f->relaxed, (size_t)f->nrelaxed * sizeof *f->relaxed, &m->memory);
  if (!fine || !f->relaxed)
    return no_memory(it, error);
  qsort(f->relaxed, (size_t)f->nrelaxed, sizeof *f->relaxed, by_members);
  return FLY_OK;
}
