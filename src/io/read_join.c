// The model of its own sections and those of its parts.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/expansion.h"

bool fly_gather(fly_reader *r, fly_gathered *s, fly_tree_entry entry) {
  if (entry.key == NULL && entry.value == NULL)
    return false;
  if (!fly_reserve(&s->entry, &s->capacity, s->count + 1, sizeof *s->entry))
    return fly_reader_no_memory(r);
  s->entry[s->count++] = entry;
  return true;
}

fly_gathered *fly_gathered_section(fly_expansion *x, const char *name) {
  for (int k = 0; k < x->nsections; k++)
    if (strcmp(x->section[k].name, name) == 0)
      return &x->section[k];
  x->section[x->nsections] = (fly_gathered){.name = name};
  return &x->section[x->nsections++];
}

// ------------------------------------------------------------------------------------------ the model

// Ground of the model with what parts put there.
static bool join_ground(fly_expansion *x) {
  if (x->marker.count == 0 && x->shape.count == 0)
    return true;
  fly_gathered *bodies = fly_gathered_section(x, "bodies");
  int own = 0;
  while (own < bodies->count && strcmp(bodies->entry[own].key, "ground") != 0)
    own++;
  const fly_tree_node *old = own < bodies->count ? bodies->entry[own].value : NULL;
  const fly_tree_node *markers = fly_tree_find(old, "markers"), *shapes = fly_tree_find(old, "shapes");
  const fly_tree_node *like = old != NULL ? old : (x->marker.count > 0 ? x->marker : x->shape).entry[0].value;
  if (old != NULL && (old->kind != FLY_TREE_MAPPING || (markers != NULL && markers->kind != FLY_TREE_MAPPING) ||
                      (shapes != NULL && shapes->kind != FLY_TREE_SEQUENCE)))
    return true; // the reader says what is wrong
  fly_tree_entry pair[8];
  int count = 0;
  for (int k = 0; markers != NULL && k < markers->count; k++)
    if (!fly_gather(x->r, &x->marker, markers->entry[k]))
      return false;
  for (int k = 0; shapes != NULL && k < shapes->count; k++)
    if (!fly_gather(x->r, &x->shape, shapes->entry[k]))
      return false;
  for (int k = 0; old != NULL && k < old->count && count < 6; k++)
    if (strcmp(old->entry[k].key, "markers") != 0 && strcmp(old->entry[k].key, "shapes") != 0)
      pair[count++] = old->entry[k];
  const fly_tree_node *all = fly_naming_make(x->r, like, FLY_TREE_MAPPING, x->marker.entry, x->marker.count);
  const fly_tree_node *seen = fly_naming_make(x->r, like, FLY_TREE_SEQUENCE, x->shape.entry, x->shape.count);
  pair[count++] = (fly_tree_entry){"markers", like->line, like->column, all};
  pair[count++] = (fly_tree_entry){"shapes", like->line, like->column, seen};
  const fly_tree_node *ground =
      all != NULL && seen != NULL ? fly_naming_make(x->r, like, FLY_TREE_MAPPING, pair, count) : NULL;
  if (ground == NULL)
    return false;
  if (old == NULL)
    return fly_gather(x->r, bodies, (fly_tree_entry){"ground", like->line, like->column, ground});
  bodies->entry[own].value = ground;
  return true;
}

// The markers of a body, and behind them those that parts put on it.
static const fly_tree_node *tie_markers(fly_expansion *x, const fly_tree_entry *body) {
  const fly_tree_node *old = fly_tree_find(body->value, "markers");
  fly_gathered all = {0}, keys = {0};
  bool good = true;
  for (int k = 0; good && old != NULL && old->kind == FLY_TREE_MAPPING && k < old->count; k++)
    good = fly_gather(x->r, &all, old->entry[k]);
  for (int k = 0; good && k < x->tied.count; k++)
    if (strcmp(x->tied.entry[k].key, body->key) == 0)
      good = fly_gather(x->r, &all, x->tied_name.entry[k]);
  for (int k = 0; good && k < body->value->count; k++)
    if (strcmp(body->value->entry[k].key, "markers") != 0)
      good = fly_gather(x->r, &keys, body->value->entry[k]);
  const fly_tree_node *markers =
      good ? fly_naming_make(x->r, old != NULL ? old : body->value, FLY_TREE_MAPPING, all.entry, all.count) : NULL;
  const fly_tree_entry entry = {"markers", body->key_line, body->key_column, markers};
  good = markers != NULL && fly_gather(x->r, &keys, entry);
  const fly_tree_node *made =
      good ? fly_naming_make(x->r, body->value, FLY_TREE_MAPPING, keys.entry, keys.count) : NULL;
  free(all.entry);
  free(keys.entry);
  return made;
}

static bool is_tied(const fly_expansion *x, int k) {
  for (int i = 0; i < k; i++)
    if (strcmp(x->tied.entry[i].key, x->tied.entry[k].key) == 0)
      return true;
  return false;
}

static bool join_tied(fly_expansion *x) {
  bool good = true;
  for (int k = 0; good && k < x->tied.count; k++) {
    const fly_gathered *bodies = fly_gathered_section(x, "bodies");
    int body = 0;
    while (body < bodies->count && strcmp(bodies->entry[body].key, x->tied.entry[k].key) != 0)
      body++;
    if (body == bodies->count || bodies->entry[body].value->kind != FLY_TREE_MAPPING)
      good = fly_reader_fault_key(x->r, &x->tied_name.entry[k], "there is no body '%.60s' that could have this marker.",
                                  x->tied.entry[k].key);
    else if (!is_tied(x, k)) {
      bodies->entry[body].value = tie_markers(x, &bodies->entry[body]);
      good = bodies->entry[body].value != NULL;
    }
  }
  return good;
}

// What is no section is for the reader to tell.
static bool is_fit(const fly_tree_node *section) {
  return section->kind == FLY_TREE_MAPPING || fly_tree_is_null(section);
}

// The keys of the model, with the sections that were made in the place of its own.
const fly_tree_node *fly_join_model(fly_expansion *x, const fly_tree_node *root) {
  fly_gathered top = {0};
  bool good = join_ground(x) && join_tied(x);
  for (int k = 0; k < root->count && good; k++) {
    const fly_tree_entry *entry = &root->entry[k];
    if (strcmp(entry->key, "use") != 0 && !(fly_is_made_section(entry->key) && is_fit(entry->value)))
      good = fly_gather(x->r, &top, *entry);
  }
  for (int k = 0; k < x->nsections && good; k++) {
    const fly_gathered *s = &x->section[k];
    const fly_tree_entry *own = fly_tree_find_entry(root, s->name);
    const fly_tree_node *like = own != NULL ? own->value : root;
    const bool any = s->count > 0 && (own == NULL || is_fit(own->value));
    const fly_tree_node *node = any ? fly_naming_make(x->r, like, FLY_TREE_MAPPING, s->entry, s->count) : NULL;
    if (any)
      good = node != NULL && fly_gather(x->r, &top, (fly_tree_entry){s->name, like->line, like->column, node});
  }
  const fly_tree_node *made = good ? fly_naming_make(x->r, root, FLY_TREE_MAPPING, top.entry, top.count) : NULL;
  free(top.entry);
  return made;
}
