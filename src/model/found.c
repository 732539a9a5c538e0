#include "model/found.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/spec.h"

static int by_bodies(const void *one, const void *other) {
  const int *a = one, *b = other;
  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

static bool are_joined(const fly_model *m, int a, int b) {
  const int pair[2] = {a < b ? a : b, a < b ? b : a};
  return m->njoined > 0 && bsearch(pair, m->joined, (size_t)m->njoined, sizeof *m->joined, by_bodies);
}

bool fly_found_may_touch(const fly_model *m, const fly_model_found *f, int a, int b) {
  const fly_member *i = &f->member[a], *k = &f->member[b];
  const bool planes = i->solid.core == FLY_CORE_PLANE && k->solid.core == FLY_CORE_PLANE;
  return i->body != k->body && ((i->one && k->other) || (i->other && k->one)) && !(i->except && k->except) && !planes &&
         !are_joined(m, i->body, k->body);
}

static double back_of(const fly_model_found *f, int a, int b) {
  int low = 0, high = f->nrelaxed;
  while (low < high) {
    const int middle = (low + high) / 2;
    const fly_relaxed *r = &f->relaxed[middle];
    if (r->a < a || (r->a == a && r->b < b))
      low = middle + 1;
    else
      high = middle;
  }
  return low < f->nrelaxed && f->relaxed[low].a == a && f->relaxed[low].b == b ? f->relaxed[low].back : 0.0;
}

// The first is of the first group, unless a plane is the other.
void fly_found_pair(fly_contact *contact, fly_contact_pair *pair, int marker[2], const fly_model_found *f, int a,
                    int b) {
  const bool swapped = !(f->member[a].one && f->member[b].other);
  const fly_member *i = &f->member[swapped ? b : a], *k = &f->member[swapped ? a : b];
  const bool turned = k->solid.core == FLY_CORE_PLANE;
  const fly_member *first = turned ? k : i, *second = turned ? i : k;
  *pair = (fly_contact_pair){.a = first->solid, .b = second->solid, .shape = {first->shape, second->shape}};
  pair->spots = fly_touch_spots(&pair->a, &pair->b);
  pair->stiffness = f->soft > 0 ? fly_contact_hertz(&pair->a, &pair->b, f->soft) : f->stiffness;
  pair->back = back_of(f, a, b);
  *contact = f->law;
  contact->whose = turned;
  contact->npair = 1;
  contact->nspot = pair->spots;
  contact->pair = pair;
  marker[0] = first->marker;
  marker[1] = second->marker;
}

static int shapes_of(const fly_model *m, const fly_member *i) {
  return fly_item_value(fly_spec_find(m->spec, "bodies", i->name), "shapes")->count;
}

void fly_found_name(char *text, size_t size, const fly_model *m, const fly_model_found *f, int a, int b) {
  const fly_member *of[2] = {&f->member[a], &f->member[b]};
  int n = snprintf(text, size, "%s.", m->spec->item[f->item].name);
  for (int k = 0; k < 2 && n >= 0 && (size_t)n < size; k++) {
    n += snprintf(text + n, size - (size_t)n, "%s%s", k ? "-" : "", of[k]->name);
    if (shapes_of(m, of[k]) > 1 && (size_t)n < size)
      n += snprintf(text + n, size - (size_t)n, ":%d", of[k]->shape + 1);
  }
}
