// Contacts that come and go: of all pairs that could touch only those act, and have entries in the matrix, that can do
// so before the next search (docs/theory/contact.md, T-near). At an accepted point every solid gets a box that holds it
// for some steps; pairs whose boxes overlap are near. As long as all solids are in their boxes no other pair can touch.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/so3.h"
#include "model/found.h"
#include "system/parts.h"

enum { FEWEST = 16 };             // forces that can be far apart: of fewer all are near always
static const double AHEAD = 8;    // steps that a box is to hold
static const double SOON = 2.5;   // and that it must hold still, else it is made anew
static const double FREE = 0.05;  // of the size of a solid: how far it may go in any case
static const double CHANGE = 0.5; // of its speed: by how much that may change
static const double WIDE = 3;     // times all of that, where pairs come or go: they do so less often
static const double SURE = 2;     // times what three points of a step tell of how bent a way is
enum { OFTEN = 50 };              // steps: so many after a search there is another, for steps may have become short
enum { HALVINGS = 12 };
enum {
  CROWD = 8,
  SHORTER = 4,
  SHORTEST = 5
}; // pairs that are found, of a solid: of more boxes are made for a quarter
   // of the time, so often at most

// ------------------------------------------------------------------------------------------ solids

static int index_of(const fly_system *s, int marker) {
  const int body = s->model->marker[marker].body;
  return body == FLY_GROUND ? s->model->nbody : body;
}

static bool moves(const fly_system *s, const fly_near_solid *n) { return n->body < s->model->nbody; }

// The middle of a solid and half of the edges of the box around it, where it stands.
typedef struct stand {
  double c[3], e[3];
} stand;

static stand stand_of(const fly_system *s, const fly_near_solid *n) {
  const fly_kinematics *b = &s->body[n->body];
  stand out;
  for (int i = 0; i < 3; i++) {
    out.c[i] = b->r[i] + fly_dot3(b->R + 3 * i, n->of.at);
    out.e[i] = n->of.radius;
    for (int k = 0; k < 3; k++) {
      const double axis[3] = {n->of.A[k], n->of.A[3 + k], n->of.A[6 + k]};
      out.e[i] += fabs(fly_dot3(b->R + 3 * i, axis)) * n->of.half[k];
    }
    out.e[i] = fmin(out.e[i], n->of.reach);
  }
  return out;
}

static void velocity_of(double u[3], const fly_system *s, const fly_near_solid *n) {
  const fly_kinematics *b = &s->body[n->body];
  double turn[3];
  fly_cross(turn, b->w, n->of.at);
  fly_to_space(u, b->R, turn);
  for (int i = 0; i < 3; i++)
    u[i] += b->v[i];
}

// Accelerations of the body, as far as its velocities are those along axes of space.
static void acceleration_of(double a[3], const fly_system *s, const fly_near_solid *n, const double *vdot) {
  const fly_body *b = &s->model->body[n->body];
  const int places = fly_body_places(b);
  for (int i = 0; i < 3; i++)
    a[i] = i < places ? vdot[b->iv + i] : 0.0;
}

// From where to where u t + a t^2/2 leads for some time, in one direction.
static void range_of(double *lo, double *hi, double u, double a, double time) {
  const double end = u * time + a * time * time / 2, turns = u * a < 0 ? -u / a : time;
  const double middle = turns < time ? u * turns / 2 : end;
  *lo = fmin(0, fmin(end, middle));
  *hi = fmax(0, fmax(end, middle));
}

static double length(const double a[3]) { return sqrt(fly_dot3(a, a)); }

// By how much the box of a solid may grow as it turns for some time: balls do not.
static double turning(const fly_system *s, const fly_near_solid *n, double time) {
  return fmin(length(s->body[n->body].w) * time, 1.0) * length(n->of.half);
}

// Where it comes to in some time, going on as it does, and how far it may go beside that: share of its size and way.
static fly_box sweep(const fly_system *s, const fly_near_solid *n, const double *vdot, double time, double share) {
  const stand at = stand_of(s, n);
  double u[3] = {0}, a[3] = {0}, room = 0;
  fly_box box;
  if (moves(s, n)) {
    velocity_of(u, s, n);
    acceleration_of(a, s, n, vdot);
    room = share * (FREE * n->size + CHANGE * length(u) * time) + turning(s, n, time);
  }
  for (int i = 0; i < 3; i++) {
    double lo, hi;
    range_of(&lo, &hi, u[i], a[i], time);
    box.lo[i] = at.c[i] + lo - at.e[i] - room;
    box.hi[i] = at.c[i] + hi + at.e[i] + room;
  }
  return box;
}

static fly_box box_around(const stand *at, double room) {
  fly_box box;
  for (int i = 0; i < 3; i++) {
    box.lo[i] = at->c[i] - at->e[i] - room;
    box.hi[i] = at->c[i] + at->e[i] + room;
  }
  return box;
}

static void unite(fly_box *all, const fly_box *with) {
  for (int i = 0; i < 3; i++) {
    all->lo[i] = fmin(all->lo[i], with->lo[i]);
    all->hi[i] = fmax(all->hi[i], with->hi[i]);
  }
}

static bool is_inside(const fly_box *box, const fly_box *in) {
  bool inside = true;
  for (int i = 0; i < 3; i++)
    inside = inside && box->lo[i] >= in->lo[i] && box->hi[i] <= in->hi[i];
  return inside;
}

// ------------------------------------------------------------------------------------------ tables

static unsigned hash_of(int a, int b) { return (unsigned)a * 2654435761U ^ (unsigned)b * 2246822519U; }

// The solid of a bound, new if there is none: by a hash of body and number, slots above all of them.
static int solid_number(fly_nearby *n, int *slot, int slots, int body, const fly_force_bound *of) {
  unsigned at = hash_of(body, of->which) & (unsigned)(slots - 1);
  while (slot[at] > 0) {
    const fly_near_solid *there = &n->solid[slot[at] - 1];
    if (there->body == body && there->of.which == of->which)
      return slot[at] - 1;
    at = (at + 1) & (unsigned)(slots - 1);
  }
  const double edge = of->radius + fmin(of->half[0], fmin(of->half[1], of->half[2]));
  n->solid[n->nsolid] = (fly_near_solid){body, edge > 0 ? edge : of->reach / 10, *of};
  slot[at] = ++n->nsolid;
  return n->nsolid - 1;
}

// Of all forces that can be far away; *forces: how many these are.
static int count_pairs(fly_system *s, int *forces) {
  fly_force_bound of[2];
  int pairs = 0;
  *forces = 0;
  for (int k = 0; k < fly_model_listed(s->model); k++) {
    const fly_model_force *f = &s->forces[k];
    const int before = pairs;
    for (int i = 0; f->type->bounds && f->type->bounds(of, i, f->k); i++)
      pairs++;
    s->near.stays[k] = pairs == before;
    *forces += pairs > before;
  }
  return pairs;
}

static void list_pairs(fly_system *s, int *slot, int slots) {
  fly_nearby *n = &s->near;
  fly_force_bound of[2];
  for (int k = 0; k < fly_model_listed(s->model); k++) {
    const fly_model_force *f = &s->forces[k];
    for (int i = 0; f->type->bounds && f->type->bounds(of, i, f->k); i++) {
      const int a = solid_number(n, slot, slots, index_of(s, f->marker[0]), &of[0]);
      const int b = solid_number(n, slot, slots, index_of(s, f->marker[1]), &of[1]);
      n->link[n->nlink++] = (fly_near_link){a, b, k, -1};
    }
  }
}

static int count_members(const fly_model *m) {
  int count = 0;
  for (int k = 0; k < m->nfound; k++)
    count += m->found[k].count;
  return count;
}

// Members of contacts that are found, one contact after the other: the solid of each.
static void list_members(fly_system *s, int *slot, int slots, int *solid) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nfound; k++)
    for (int i = 0; i < m->found[k].count; i++) {
      const fly_member *of = &m->found[k].member[i];
      const fly_force_bound bound = fly_contact_bound(&of->solid, of->shape);
      *solid++ = solid_number(&s->near, slot, slots, index_of(s, of->marker), &bound);
    }
}

// And of each solid its number among them; number: what solids are called by now.
static void find_members(fly_system *s, const int *solid, const int *number) {
  const fly_model *m = s->model;
  s->near.pool.member = fly_arena_ints(&s->memory, (size_t)s->near.nsolid * (size_t)m->nfound);
  for (int k = 0; s->near.pool.member && k < m->nfound; k++)
    for (int i = 0; i < m->found[k].count; i++)
      s->near.pool.member[number[*solid++] * m->nfound + k] = i + 1;
}

// Half-spaces behind all others; number: work (nsolid).
static void order_solids(fly_nearby *n, int *number, fly_near_solid *sorted) {
  int count = 0;
  for (int last = 0; last < 2; last++) {
    for (int k = 0; k < n->nsolid; k++)
      if (n->solid[k].of.half_space == (last == 1)) {
        sorted[count] = n->solid[k];
        number[k] = count++;
      }
    if (last == 0)
      n->nbox = count;
  }
  memcpy(n->solid, sorted, (size_t)n->nsolid * sizeof *sorted);
  for (int k = 0; k < n->nlink; k++) {
    const int a = number[n->link[k].a], b = number[n->link[k].b];
    n->link[k].a = a < b ? a : b;
    n->link[k].b = a < b ? b : a;
  }
}

static void hash_links(fly_nearby *n) {
  for (int k = 0; k < n->nhead; k++)
    n->head[k] = -1;
  for (int k = n->nlink - 1; k >= 0; k--) {
    fly_near_link *l = &n->link[k];
    if (l->b >= n->nbox) {
      n->always[n->nalways++] = k;
      continue;
    }
    int *head = &n->head[hash_of(l->a, l->b) & (unsigned)(n->nhead - 1)];
    l->next = *head;
    *head = k;
  }
}

static bool make_tables(fly_system *s, int pairs) {
  fly_nearby *n = &s->near;
  fly_arena *a = &s->memory, work = {0};
  const int members = count_members(s->model);
  const size_t ends = 2 * (size_t)pairs + (size_t)members;
  const int slots = fly_grid_slots(4 * pairs + 2 * members);
  n->link = fly_arena_take(a, (size_t)pairs, sizeof *n->link);
  n->always = fly_arena_ints(a, (size_t)pairs);
  n->nhead = fly_grid_slots(pairs);
  n->head = fly_arena_ints(a, (size_t)n->nhead);
  n->solid = fly_arena_take(a, ends, sizeof *n->solid);
  int *slot = fly_arena_ints(&work, (size_t)slots), *number = fly_arena_ints(&work, ends);
  fly_near_solid *sorted = fly_arena_take(&work, ends, sizeof *sorted);
  int *solid = fly_arena_ints(&work, (size_t)members);
  const bool fine = !a->failed && !work.failed;
  if (fine) {
    list_pairs(s, slot, slots);
    list_members(s, slot, slots, solid);
    order_solids(n, number, sorted);
    find_members(s, solid, number);
    hash_links(n);
  }
  fly_arena_free(&work);
  return fine && !a->failed;
}

static void take_search(fly_system *s) {
  fly_nearby *n = &s->near;
  const size_t count = (size_t)n->nbox;
  n->box = fly_arena_take(&s->held, count, sizeof *n->box);
  n->trial = fly_arena_take(&s->work, count, sizeof *n->trial);
  n->velocity = fly_arena_take(&s->work, count, sizeof *n->velocity);
  n->grid.slots = fly_grid_slots(n->nbox);
  n->grid.first = fly_arena_ints(&s->work, (size_t)n->grid.slots + 1);
  n->grid.entry = fly_arena_take(&s->work, count, sizeof *n->grid.entry);
}

void fly_system_list_live(fly_system *s) {
  s->nlive = s->near.naway = 0;
  for (int k = 0; k < s->model->nforce; k++)
    if (s->near.near[k])
      s->live[s->nlive++] = k;
    else
      s->near.away[s->near.naway++] = k;
}

// Frames of bodies that are not rigid have patterns of their own: there all pairs are near always.
bool fly_system_take_nearby(fly_system *s) {
  const fly_model *m = s->model;
  const size_t count = (size_t)m->nforce;
  fly_nearby *n = &s->near;
  int forces;
  s->forces = fly_arena_take(&s->work, count, sizeof *s->forces);
  s->live = fly_arena_ints(&s->work, count);
  n->away = fly_arena_ints(&s->work, count);
  n->stays = fly_arena_take(&s->memory, count, sizeof *n->stays);
  n->near = fly_arena_take(&s->held, count, sizeof *n->near);
  n->next = fly_arena_take(&s->held, count, sizeof *n->next);
  if (s->work.failed || s->held.failed || s->memory.failed)
    return false;
  for (size_t k = 0; k < count; k++) {
    s->forces[k] = m->force[k];
    n->near[k] = (int)k < fly_model_listed(m);
  }
  fly_system_list_live(s);
  const int pairs = count_pairs(s, &forces);
  n->there = (forces >= FEWEST && m->nframe == 0) || m->nfound > 0;
  if (!n->there)
    return true;
  if (!make_tables(s, pairs) || !fly_pool_take(s))
    return false;
  take_search(s);
  return !s->work.failed && !s->held.failed;
}

// ------------------------------------------------------------------------------------------ the search

// Boxes overlap at corners long before what is round in them does: as a core and a radius are in a box, the core is in
// the box less the radius, and cores that stay farther apart than both radii leave a gap.
static bool stay_apart(const fly_nearby *n, int a, int b) {
  const double radii = n->solid[a].of.radius + n->solid[b].of.radius;
  double apart = 0;
  for (int i = 0; i < 3; i++) {
    const double gap = fmax(n->trial[a].lo[i] - n->trial[b].hi[i], n->trial[b].lo[i] - n->trial[a].hi[i]) + radii;
    apart += gap > 0 ? gap * gap : 0;
  }
  return apart > radii * radii;
}

static void note_pair(int a, int b, void *system) {
  fly_system *s = system;
  const fly_nearby *n = &s->near;
  if (stay_apart(n, a, b))
    return;
  for (int k = n->head[hash_of(a, b) & (unsigned)(n->nhead - 1)]; k >= 0; k = n->link[k].next)
    if (n->link[k].a == a && n->link[k].b == b)
      n->next[n->link[k].force] = true;
  if (n->pool.count > 0)
    fly_pool_note(s, a, b);
}

// A box and a half-space, which is at rest or near always: how far the lowest corner is above it.
static bool is_above(const fly_system *s, const fly_box *box, const fly_near_solid *plane) {
  const fly_kinematics *b = &s->body[plane->body];
  const double own[3] = {plane->of.A[2], plane->of.A[5], plane->of.A[8]};
  double z[3], height = 0;
  fly_to_space(z, b->R, own);
  for (int i = 0; i < 3; i++) {
    const double o = b->r[i] + fly_dot3(b->R + 3 * i, plane->of.at);
    height += fmin(z[i] * (box->lo[i] - o), z[i] * (box->hi[i] - o));
  }
  return height > 0 && !moves(s, plane);
}

// Half-spaces of contacts that are found, with all that may touch them.
static void note_planes(fly_system *s) {
  const fly_nearby *n = &s->near;
  for (int plane = n->nbox; n->pool.count > 0 && plane < n->nsolid; plane++)
    for (int k = 0; k < n->nbox; k++)
      if (!is_above(s, &n->trial[k], &n->solid[plane]))
        fly_pool_note(s, k, plane);
}

void fly_system_find_pairs(fly_system *s) {
  fly_nearby *n = &s->near;
  fly_pool_begin_search(s);
  for (int k = 0; k < s->model->nforce; k++)
    n->next[k] = n->stays[k];
  fly_grid_pairs(&n->grid, n->trial, n->nbox, note_pair, s);
  note_planes(s);
  for (int k = 0; k < n->nalways; k++) {
    const fly_near_link *l = &n->link[n->always[k]];
    if (l->a >= n->nbox || !is_above(s, &n->trial[l->a], &n->solid[l->b]))
      n->next[l->force] = true;
  }
}

// Boxes that hold for some time.
static void search(fly_system *s, const double *vdot, double time, double share) {
  fly_nearby *n = &s->near;
  for (int k = 0; k < n->nbox; k++)
    n->trial[k] = sweep(s, &n->solid[k], vdot, time, share);
  fly_system_find_pairs(s);
  s->near_searches++;
  s->near_since = 0;
}

// Of contacts that are found, what goes far in a step would be near to everybody.
static void search_found(fly_system *s, const double *vdot, double time, double share) {
  search(s, vdot, time, share);
  for (int k = 0; k < SHORTEST && s->near.pool.count > 0 && fly_pool_near(s) > CROWD * s->near.nsolid; k++)
    search(s, vdot, time /= SHORTER, share);
}

static void keep_boxes(fly_nearby *n) { memcpy(n->box, n->trial, (size_t)n->nbox * sizeof *n->box); }

// All pairs that were found are near already; *count: so many they are.
static bool are_near(const fly_system *s, int *count) {
  const fly_nearby *n = &s->near;
  bool all = !fly_pool_lacks(s);
  *count = 0;
  for (int k = 0; k < s->model->nforce; k++) {
    all = all && (n->near[k] || !n->next[k]);
    *count += n->next[k];
  }
  return all;
}

// And not much else is.
static bool suffices(const fly_system *s) {
  int count;
  return are_near(s, &count) && 2 * count + FEWEST >= s->nlive;
}

static bool holds(const fly_system *s, const double *vdot, double time) {
  const fly_nearby *n = &s->near;
  bool all = true;
  for (int k = 0; k < n->nbox && all; k++)
    if (moves(s, &n->solid[k])) {
      const fly_box soon = sweep(s, &n->solid[k], vdot, time, 0);
      all = is_inside(&soon, &n->box[k]);
    }
  return all;
}

static bool same(const fly_system *s) {
  return !fly_pool_lacks(s) && memcmp(s->near.near, s->near.next, (size_t)s->model->nforce * sizeof *s->near.near) == 0;
}

fly_effect fly_system_search(fly_system *s, const fly_dae_state *at, const fly_step_taken *step) {
  if (!s->near.there)
    return FLY_EFFECT_NOTHING;
  const double h = step ? step->to - step->from : 0.0;
  s->near_pace = step ? fmax(h, s->near_pace / 2) : 0.0;
  fly_system_update(s, at->q, at->v);
  if (step && ++s->near_since < OFTEN && holds(s, at->vdot, SOON * s->near_pace))
    return s->near_due ? FLY_EFFECT_SMOOTH : FLY_EFFECT_NOTHING;
  search_found(s, at->vdot, AHEAD * s->near_pace, 1);
  s->near_due = !step || !suffices(s);
  if (s->near_due)
    search_found(s, at->vdot, AHEAD * s->near_pace, WIDE);
  s->near_due = s->near_due && !same(s);
  keep_boxes(&s->near);
  if (!step && fly_pool_lacks(s))
    return FLY_EFFECT_JUMP; // they may touch already
  return s->near_due ? FLY_EFFECT_SMOOTH : FLY_EFFECT_NOTHING;
}

void fly_system_near_start(fly_system *s) {
  if (s->model->nfound == 0)
    return;
  fly_system_update(s, s->q0, s->v0);
  search(s, s->v0, 0, WIDE); // in no time: accelerations do not matter
  s->near_searches = 0;
  for (int k = 0; k < fly_model_listed(s->model); k++)
    s->near.next[k] = true;
  (void)fly_pool_seat(s, s->x0, 0, NULL); // who finds no slot comes at the first search
  for (int k = 0; k < s->model->nforce; k++)
    s->near.near[k] = s->near.next[k];
  fly_system_list_live(s);
}

// ------------------------------------------------------------------------------------------ coming and going

bool fly_system_use_near(fly_system *s) {
  if (!s->near.there)
    return true;
  fly_system_list_live(s);
  fly_csc_free(&s->J);
  s->J = (fly_csc){0};
  if (fly_system_jacobian_pattern(s, NULL))
    return false;
  fly_system_jacobian_places(s);
  s->dae.jacobian_pattern = (fly_pattern){s->J.start, s->J.row};
  return true;
}

// What they remember is as it is here, where nothing touches yet.
static void remember_new(fly_system *s, double t) {
  for (int k = 0; k < s->model->nforce; k++)
    if (s->near.next[k] && !s->near.near[k])
      fly_system_remember_one(s, t, k, true);
}

static bool no_memory(fly_system *s) {
  snprintf(s->refusal, sizeof s->refusal, "Out of memory for %d contacts that are near.", s->nlive);
  return false;
}

// Slots for all that are near, by the boxes that were made at the accepted point: more of them, if need be.
static bool seat_all(fly_system *s, const double *x) {
  const int nx = s->dae.nx; // as it was before there were more
  if (s->model->nfound == 0)
    return true;
  fly_arena work = {0};
  int *more = fly_arena_ints(&work, (size_t)s->model->nfound);
  bool fine = more != NULL, seated = false;
  while (fine && !seated) {
    memcpy(s->near.trial, s->near.box, (size_t)s->near.nbox * sizeof *s->near.box);
    fly_system_find_pairs(s);
    seated = fly_pool_seat(s, x, nx, more);
    if (!seated)
      fine = fly_pool_grow(s, more, NULL) == FLY_OK;
  }
  fly_arena_free(&work);
  return fine;
}

bool fly_system_regroup(fly_system *s, double t, const double *q, const double *v, const double *x) {
  if (!s->near_due)
    return true;
  s->near_due = false;
  s->near_changes++;
  fly_system_update(s, q, v);
  if (!seat_all(s, x))
    return no_memory(s);
  fly_system_update(s, q, v);
  remember_new(s, t);
  memcpy(s->near.near, s->near.next, (size_t)s->model->nforce * sizeof *s->near.near);
  return fly_system_use_near(s) || no_memory(s);
}

void fly_system_copy_near(fly_system *s, const fly_system *from) {
  const fly_model *fewer = s->model->nforce < from->model->nforce ? s->model : from->model; // slots differ
  const size_t count = (size_t)fewer->nforce;
  if (!s->near.there)
    return;
  (void)fly_pool_copy(s, from);
  memcpy(s->near.near, from->near.near, count * sizeof *s->near.near);
  memcpy(s->near.next, from->near.next, count * sizeof *s->near.next);
  memcpy(s->near.box, from->near.box, (size_t)s->near.nbox * sizeof *s->near.box);
  s->near_due = from->near_due;
  s->near_pace = from->near_pace;
  s->near_since = from->near_since;
  s->near_searches = from->near_searches;
  s->near_changes = from->near_changes;
}

// ------------------------------------------------------------------------------------------ inside a step

// A way leaves its chord by |u'| time^2 / 8 at most, and u' is seen by what velocities change by.
static double bend_of(const double u[3], const double before[3], double time) {
  const double change[3] = {u[0] - before[0], u[1] - before[1], u[2] - before[2]};
  return SURE * length(change) * time / 8;
}

// The box of a solid at a point of a step, and on the way there from the point that was looked at last, `time` before.
static fly_box box_at(fly_system *s, int k, double time) {
  const fly_near_solid *solid = &s->near.solid[k];
  const stand here = stand_of(s, solid);
  double u[3] = {0}, room = 0;
  if (moves(s, solid))
    velocity_of(u, s, solid);
  if (moves(s, solid) && time > 0)
    room = bend_of(u, s->near.velocity[k], time) + turning(s, solid, time / 2);
  memcpy(s->near.velocity[k], u, sizeof u);
  return box_around(&here, room);
}

// From the start of a step on, so many parts of this length: all that solids pass through, in trial. Are they in their
// boxes then?
static bool pass_through(fly_system *s, const fly_step_taken *step, int parts, double time) {
  const fly_nearby *n = &s->near;
  bool all = true;
  for (int i = 0; i <= parts; i++) {
    const fly_dae_state at = step->at(step->from + i * time, step->motion);
    fly_system_update(s, at.q, at.v);
    for (int k = 0; k < n->nbox; k++) {
      const fly_box here = box_at(s, k, i == 0 ? 0 : time);
      if (i == 0)
        n->trial[k] = here;
      else
        unite(&n->trial[k], &here);
      all = all && (i < parts || !moves(s, &n->solid[k]) || is_inside(&n->trial[k], &n->box[k]));
    }
  }
  return all;
}

// A step that leaves the boxes is good all the same if it has met no pair that was not near. Else it is cut where all
// are still inside; there they are made anew.
void fly_system_near_leap(fly_system *s, const fly_step_taken *step, fly_leap *first) {
  double part = (step->to - step->from) / 2;
  int count;
  if (!s->near.there || pass_through(s, step, 2, part))
    return;
  fly_system_find_pairs(s);
  if (are_near(s, &count))
    return;
  for (int k = 0; k < HALVINGS && !pass_through(s, step, 1, part); k++)
    part /= 2;
  if (!first->found || step->from + part < first->from)
    *first =
        (fly_leap){.from = step->from + part, .length = part, .found = true, .corner = true, .unsure = first->unsure};
}
