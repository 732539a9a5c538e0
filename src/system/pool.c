// Pairs of solids that are found as they come near each other: each gets a slot, a force behind those that are listed,
// with room for its springs, relations and memory, for as long as it is near (docs/theory/contact.md, T-found). A
// system has a model of its own then, which has these forces and states. If slots run out there are twice as many from
// the next crossing on; those that were there stay where they are.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/found.h"
#include "system/parts.h"

enum { SPARE = 8 };               // slots of a contact beyond those that are taken at the start
static const double FADED = 1e-9; // of what a spring gives before it breaks away: what is left of one is nothing

// ------------------------------------------------------------------------------------------ the model

static int states_of(const fly_model_found *f) { return fly_contact_force.states(&f->law); }

static int listed_states(const fly_model *m) { return m->nslot > 0 ? m->force[fly_model_listed(m)].state : m->nstate; }

// At the start: for those who are near, half as many again, and a few.
static int slots_at_start(const fly_model_found *f) { return f->near + f->near / 2 + SPARE; }

static int count_at_start(const fly_model *m) {
  int count = 0;
  for (int k = 0; k < m->nfound; k++)
    count += slots_at_start(&m->found[k]);
  return count;
}

static void kinds_at_start(int *kind, const fly_model *m) {
  for (int k = 0; k < m->nfound; k++)
    for (int i = slots_at_start(&m->found[k]); i > 0; i--)
      *kind++ = k;
}

static void add_slot(fly_model *m, int kind) {
  const fly_model_found *f = &m->found[kind];
  fly_model_force *to = &m->force[m->nforce++];
  *to = (fly_model_force){.type = &fly_contact_force,
                          .item = f->item,
                          .count = 2,
                          .name = m->spec->item[f->item].name,
                          .k = (void *)&f->law,
                          .state = m->nstate,
                          .states = states_of(f)};
  for (int i = 0; i < to->states; i++)
    m->state[m->nstate++] = (fly_model_state){
        .item = f->item, .rate = f->nothing, .scale = f->law.rub.mu_static / f->law.rub.stiffness, .part = "spring"};
}

static fly_model *with_kinds(const fly_model *m, int slots, int *kind, fly_arena *memory) {
  const int listed = fly_model_listed(m), states = listed_states(m);
  size_t springs = 0;
  for (int k = 0; k < slots; k++)
    springs += (size_t)states_of(&m->found[kind[k]]);
  fly_model *own = fly_arena_take(memory, 1, sizeof *own);
  fly_model_force *force = fly_arena_take(memory, (size_t)(listed + slots), sizeof *force);
  fly_model_state *state = fly_arena_take(memory, (size_t)states + springs, sizeof *state);
  if (!own || !force || !state)
    return NULL;
  if (listed > 0)
    memcpy(force, m->force, (size_t)listed * sizeof *force);
  if (states > 0)
    memcpy(state, m->state, (size_t)states * sizeof *state);
  *own = *m;
  own->nslot = slots;
  own->slot_kind = kind;
  own->force = force;
  own->state = state;
  own->nforce = listed;
  own->nstate = states;
  for (int k = 0; k < slots; k++)
    add_slot(own, kind[k]);
  return own;
}

const fly_model *fly_pool_model(const fly_model *m, int slots, const int *kind, fly_arena *memory) {
  if (m->nfound == 0)
    return m;
  if (!kind)
    slots = m->nslot > 0 ? m->nslot : count_at_start(m);
  int *own = fly_arena_ints(memory, (size_t)slots);
  if (!own)
    return NULL;
  if (kind || m->nslot > 0)
    memcpy(own, kind ? kind : m->slot_kind, (size_t)slots * sizeof *own);
  else
    kinds_at_start(own, m);
  return with_kinds(m, slots, own, memory);
}

fly_status fly_pool_grow(fly_system *s, const int *more, fly_error *error) {
  const fly_model *m = s->model;
  fly_arena work = {0};
  int slots = m->nslot;
  for (int k = 0; k < m->nfound; k++)
    slots += more[k];
  int *kind = fly_arena_ints(&work, (size_t)slots), n = m->nslot;
  if (kind)
    memcpy(kind, m->slot_kind, (size_t)n * sizeof *kind);
  for (int k = 0; kind && k < m->nfound; k++)
    for (int i = more[k]; i > 0; i--)
      kind[n++] = k;
  const fly_status status = kind ? fly_system_use_kinds(s, slots, kind, error) : FLY_NO_MEMORY;
  fly_arena_free(&work);
  return status;
}

// ------------------------------------------------------------------------------------------ memory

bool fly_pool_take(fly_system *s) {
  const fly_model *m = s->model;
  fly_pool *p = &s->near.pool;
  const size_t count = (size_t)m->nslot;
  p->count = m->nslot;
  if (m->nfound == 0)
    return true;
  p->slot = fly_arena_take(&s->held, count, sizeof *p->slot);
  p->contact = fly_arena_take(&s->work, count, sizeof *p->contact);
  p->pair = fly_arena_take(&s->work, count, sizeof *p->pair);
  p->want = fly_arena_take(&s->work, count, sizeof *p->want);
  p->next = fly_arena_ints(&s->work, count);
  p->nhead = fly_grid_slots(m->nslot);
  p->head = fly_arena_ints(&s->work, (size_t)p->nhead);
  if (s->work.failed || s->held.failed)
    return false;
  for (int k = 0; k < p->count; k++)
    p->slot[k] = (fly_slot){m->slot_kind[k], -1, -1};
  memset(p->head, 0, (size_t)p->nhead * sizeof *p->head);
  return true;
}

void fly_pool_free(fly_system *s) {
  fly_pool *p = &s->near.pool;
  free(p->log);
  p->log = NULL;
  p->nlog = p->log_room = 0;
  fly_arena_free(&p->names);
}

// ------------------------------------------------------------------------------------------ who is in which slot

static unsigned hash_of(const fly_slot *o) {
  return (unsigned)o->a * 2654435761U ^ (unsigned)o->b * 2246822519U ^ (unsigned)o->found * 3266489917U;
}

static int *head_of(const fly_pool *p, const fly_slot *o) { return &p->head[hash_of(o) & (unsigned)(p->nhead - 1)]; }

// Its slot; -1: it has none. Heads and followers are counted from 1.
static int find(const fly_pool *p, const fly_slot *o) {
  int k = *head_of(p, o) - 1;
  while (k >= 0 && (p->slot[k].a != o->a || p->slot[k].b != o->b || p->slot[k].found != o->found))
    k = p->next[k] - 1;
  return k;
}

static int force_of(const fly_system *s, int slot) { return fly_model_listed(s->model) + slot; }

static void sit_down(fly_system *s, int k, const fly_slot *who) {
  fly_pool *p = &s->near.pool;
  fly_model_force *f = &s->forces[force_of(s, k)];
  p->slot[k] = *who;
  fly_found_pair(&p->contact[k], &p->pair[k], f->marker, &s->model->found[who->found], who->a, who->b);
  f->k = &p->contact[k];
  f->states = fly_contact_force.states(f->k);
  fly_system_place_force(s, force_of(s, k));
  int *head = head_of(p, who);
  p->next[k] = *head;
  *head = k + 1;
}

// What it took of the run is written down, if it touched.
static void write_down(fly_system *s, int k) {
  fly_pool *p = &s->near.pool;
  fly_taken *taken = &s->taken[force_of(s, k)];
  if (taken->largest > 0 && fly_reserve(&p->log, &p->log_room, p->nlog + 1, sizeof *p->log))
    p->log[p->nlog++] = (fly_slot_taken){p->slot[k], *taken};
  *taken = (fly_taken){0};
}

static void stand_up(fly_system *s, int k) {
  fly_pool *p = &s->near.pool;
  int *at = head_of(p, &p->slot[k]);
  while (*at != k + 1)
    at = &p->next[*at - 1];
  *at = p->next[k];
  p->slot[k].a = p->slot[k].b = -1;
  const int force = force_of(s, k);
  s->forces[force].k = s->model->force[force].k;
  s->forces[force].states = s->model->force[force].states;
}

// ------------------------------------------------------------------------------------------ the search

void fly_pool_begin_search(fly_system *s) { s->near.pool.wanted = 0; }

bool fly_pool_lacks(const fly_system *s) { return s->near.pool.wanted > 0; }

void fly_pool_note(fly_system *s, int a, int b) {
  const fly_model *m = s->model;
  fly_pool *p = &s->near.pool;
  for (int k = 0; k < m->nfound; k++) {
    const int i = p->member[a * m->nfound + k] - 1, j = p->member[b * m->nfound + k] - 1;
    if (i < 0 || j < 0 || !fly_found_may_touch(m, &m->found[k], i, j))
      continue;
    const fly_slot who = {k, i < j ? i : j, i < j ? j : i};
    const int slot = find(p, &who);
    if (slot >= 0)
      s->near.next[force_of(s, slot)] = true;
    else if (p->wanted++ < p->count)
      p->want[p->wanted - 1] = who;
  }
}

// ------------------------------------------------------------------------------------------ coming and going

// Nobody is in it, and its springs have faded; those behind the nx states that there were are new.
static bool is_free(const fly_system *s, int k, const double *x, int nx) {
  const fly_model_force *f = &s->model->force[force_of(s, k)];
  bool faded = s->near.pool.slot[k].a < 0;
  for (int i = f->state; faded && i < f->state + f->states && i < nx; i++)
    faded = fabs(x[i]) <= FADED * s->model->state[i].scale;
  return faded;
}

static void leave(fly_system *s) {
  for (int k = 0; k < s->near.pool.count; k++)
    if (s->near.pool.slot[k].a >= 0 && !s->near.next[force_of(s, k)]) {
      write_down(s, k);
      stand_up(s, k);
    }
}

// Those who find a slot sit down; more: who did not, of each contact, and as many again.
static bool come(fly_system *s, const double *x, int nx, int *more) {
  fly_pool *p = &s->near.pool;
  const int seen = p->wanted < p->count ? p->wanted : p->count;
  bool all = p->wanted == seen;
  for (int kind = 0; kind < s->model->nfound; kind++) {
    int k = 0, left = 0;
    for (int i = 0; i < seen; i++) {
      if (p->want[i].found != kind)
        continue;
      while (k < p->count && (p->slot[k].found != kind || !is_free(s, k, x, nx)))
        k++;
      if (k == p->count) {
        left++;
        continue;
      }
      const fly_slot who = p->want[i];
      sit_down(s, k, &who);
      s->near.next[force_of(s, k)] = true;
    }
    all = all && left == 0;
    if (more)
      more[kind] = left > 0 ? 2 * left : 0;
  }
  return all;
}

// Twice as many at least; who was not even seen is sought again then.
static void ask_for_more(const fly_system *s, int *more) {
  const fly_pool *p = &s->near.pool;
  int sum = 0;
  for (int k = 0; k < s->model->nfound; k++)
    sum += more[k];
  for (int k = 0; k < s->model->nfound && sum < p->count; k++)
    if (more[k] > 0 || sum == 0) {
      more[k] += p->count - sum;
      sum = p->count;
    }
}

bool fly_pool_seat(fly_system *s, const double *x, int nx, int *more) {
  leave(s);
  const bool all = come(s, x, nx, more);
  s->near.pool.wanted = 0;
  if (!all && more)
    ask_for_more(s, more);
  return all;
}

bool fly_pool_copy(fly_system *s, const fly_system *from) {
  fly_pool *p = &s->near.pool;
  const fly_pool *o = &from->near.pool;
  if (p->count < o->count || !fly_reserve(&p->log, &p->log_room, o->nlog, sizeof *p->log))
    return false;
  for (int k = 0; k < p->count; k++)
    if (p->slot[k].a >= 0)
      stand_up(s, k);
  for (int k = 0; k < o->count; k++)
    if (o->slot[k].a >= 0)
      sit_down(s, k, &o->slot[k]);
  for (int k = 0; k < p->count; k++)
    s->near.near[force_of(s, k)] = k < o->count && from->near.near[force_of(from, k)];
  if (o->nlog > 0)
    memcpy(p->log, o->log, (size_t)o->nlog * sizeof *p->log);
  p->nlog = o->nlog;
  return true;
}

void fly_system_copy_slots(fly_system *s, const fly_system *from) {
  if (s != from && fly_pool_copy(s, from))
    fly_system_list_live(s);
}

// ------------------------------------------------------------------------------------------ put down and taken up

static bool are_kinds(const fly_model *m, int slots, const int *kind) {
  bool fit = true;
  for (int k = 0; k < slots && fit; k++)
    fit = kind[k] >= 0 && kind[k] < m->nfound;
  return fit;
}

void fly_pool_image_slots(fly_system *s, fly_image *m) {
  fly_arena work = {0};
  uint64_t slots = (uint64_t)s->model->nslot;
  if (s->model->nfound == 0)
    return;
  fly_image_bytes(m, &slots, sizeof slots);
  int *kind = m->failure || (m->reading && slots > m->size) ? NULL : fly_arena_ints(&work, (size_t)slots);
  if (kind && !m->reading)
    memcpy(kind, s->model->slot_kind, (size_t)slots * sizeof *kind);
  if (kind)
    fly_image_bytes(m, kind, (size_t)slots * sizeof *kind);
  if (m->reading && !m->failure && (!kind || !are_kinds(s->model, (int)slots, kind)))
    m->failure = FLY_IMAGE_STRANGE;
  if (m->reading && !m->failure && fly_system_use_kinds(s, (int)slots, kind, NULL))
    m->failure = FLY_IMAGE_NO_MEMORY;
  fly_arena_free(&work);
}

// Who was read to be in a slot is so.
static void sit_again(fly_system *s) {
  fly_pool *p = &s->near.pool;
  memset(p->head, 0, (size_t)p->nhead * sizeof *p->head);
  for (int k = 0; k < p->count; k++) {
    const fly_slot who = p->slot[k];
    const int force = force_of(s, k);
    s->forces[force] = s->model->force[force];
    if (who.a >= 0)
      sit_down(s, k, &who);
  }
  fly_system_list_live(s);
}

void fly_pool_image_taken(fly_system *s, fly_image *m) {
  fly_pool *p = &s->near.pool;
  uint64_t count = (uint64_t)p->nlog;
  if (s->model->nfound == 0)
    return;
  fly_image_bytes(m, &count, sizeof count);
  if (m->failure || (m->reading && count > m->size))
    return;
  if (!fly_reserve(&p->log, &p->log_room, (int)count, sizeof *p->log)) {
    m->failure = FLY_IMAGE_NO_MEMORY;
    return;
  }
  if (count > 0)
    fly_image_bytes(m, p->log, (size_t)count * sizeof *p->log);
  p->nlog = (int)count;
  if (m->reading && !m->failure)
    sit_again(s);
}

void fly_pool_use_model(fly_system *s) { sit_again(s); }

// ------------------------------------------------------------------------------------------ what they took

static int by_pair(const void *one, const void *other) {
  const fly_slot *a = &((const fly_slot_taken *)one)->of, *b = &((const fly_slot_taken *)other)->of;
  const int of[3] = {a->found - b->found, a->a - b->a, a->b - b->b};
  return of[0] ? of[0] : of[1] ? of[1] : of[2];
}

static void add_taken(fly_taken *to, const fly_taken *more) {
  to->heat += more->heat;
  to->deepest = fmax(to->deepest, more->deepest);
  if (more->largest > to->largest) {
    to->largest = more->largest;
    to->when = more->when;
  }
}

// Those who came back are one again.
static void join_taken(fly_pool *p) {
  int n = 0;
  if (p->nlog == 0)
    return;
  qsort(p->log, (size_t)p->nlog, sizeof *p->log, by_pair);
  for (int k = 1; k < p->nlog; k++)
    if (by_pair(&p->log[n], &p->log[k]) == 0)
      add_taken(&p->log[n].taken, &p->log[k].taken);
    else
      p->log[++n] = p->log[k];
  p->nlog = n + 1;
}

int fly_system_taken_by_pairs(fly_system *s, fly_slot_taken *list, int most) {
  fly_pool *p = &s->near.pool;
  int count = 0;
  join_taken(p);
  for (int k = 0; k < p->nlog && count < most; k++)
    list[count++] = p->log[k];
  for (int k = 0; k < p->count; k++) {
    const fly_slot_taken now = {p->slot[k], s->taken[force_of(s, k)]};
    if (now.of.a < 0 || !(now.taken.largest > 0))
      continue;
    const fly_slot_taken *before = p->nlog > 0 ? bsearch(&now, p->log, (size_t)p->nlog, sizeof now, by_pair) : NULL;
    if (before && before - p->log < most)
      add_taken(&list[before - p->log].taken, &now.taken);
    else if (!before && count < most)
      list[count++] = now;
  }
  return count;
}

int fly_pool_near(const fly_system *s) {
  int count = s->near.pool.wanted;
  for (int k = 0; k < s->near.pool.count; k++)
    count += s->near.next[force_of(s, k)];
  return count;
}

int fly_system_pairs_taken(const fly_system *s) { return s->near.pool.nlog + s->near.pool.count; }

const char *fly_system_pair_name(fly_system *s, const fly_slot *pair) {
  char text[300];
  fly_found_name(text, sizeof text, s->model, &s->model->found[pair->found], pair->a, pair->b);
  char *name = fly_arena_take(&s->near.pool.names, strlen(text) + 1, 1);
  return name ? strcpy(name, text) : "";
}
