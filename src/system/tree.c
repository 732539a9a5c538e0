// Mechanisms without loops: rigid and planar bodies and point masses that hang on each other by joints, each on one.
// Where they are and how they accelerate follows joint after joint, without equations (docs/theory/statespace.md,
// section 9).
//
// A body c hangs on a body p, or on the ground. Seen from p, with space axes and places counted from the mass centres,
//
//   a_c = X a_p + c + S s',   a = (dv/dt, dw/dt),   X = | 1  -[D] |,   D = r_c - r_p                         (SS-tree)
//                                                       | 0   1   |
//
// where the columns of S are what the joint leaves free. Inertias of all that hangs on a body are gathered from the
// outermost bodies inwards (Featherstone, Int. J. Robotics Res. 2, 1983), one free direction at a time.
#include <math.h>

#include "element/list.h"
#include "system/tree.h"

// ------------------------------------------------------------------------------------------ what hangs on what

static bool kept(const fly_system *s, int term) {
  const int *row = s->term_row + 3 * (size_t)term;
  return row[0] >= 0 || row[1] >= 0 || row[2] >= 0;
}

static bool is_dot(const fly_term *t, int i, int j) {
  return t->kind == FLY_DOT && t->k.c == 0 && t->k.axis_i == i && t->k.axis_j == j;
}

static shape shape_of(const fly_system *s, int body) {
  const fly_body_type *type = s->model->body[body].type;
  return type == fly_bodies_rigid.body    ? RIGID
         : type == fly_bodies_point.body  ? POINT
         : type == fly_bodies_planar.body ? FLAT
                                          : OTHER;
}

static bool lies_flat(const fly_marker *m, int axis) { return fabs(m->A[6 + axis]) < 1e-13; }

// Likewise of a planar body on another or on the ground, whose joints have those rows only that they feel.
static bool understand_flat(const fly_system *s, fly_branch *b) {
  const fly_pair *p = &s->pair[b->pair];
  int points = 0, planes = 0, dots = 0;
  for (int k = b->term; k < b->term + b->terms; k++) {
    const fly_term *t = &s->model->term[k];
    points += t->kind == FLY_POINT && t->rows == (X_AXIS | Y_AXIS);
    planes += t->kind == FLY_PLANE && t->k.c == 0 && lies_flat(p->mi, t->k.axis_i);
    dots += t->kind == FLY_DOT && t->k.c == 0 && lies_flat(p->mi, t->k.axis_i) && lies_flat(p->mj, t->k.axis_j);
    if (t->kind == FLY_PLANE)
      b->slot = k;
  }
  if (dots > 1 || planes > 2 || points > 1 || (points == 1 && planes > 0) ||
      points + planes + dots + b->link != b->terms)
    return false;
  b->turning = dots == 1 ? TURNS_WITH : TURNS_FREELY;
  b->slides = points == 1 || planes == 2 || b->link ? 0 : planes == 1 ? SLOT : ALL_AXES;
  const bool ground = b->on == s->model->nbody;
  return (ground || shape_of(s, b->on) == FLAT) && !(b->slides == SLOT && b->first && dots == 0);
}

// What the rows of a joint are: false: nothing that is known here.
static bool understand(const fly_system *s, fly_branch *b) {
  const fly_model *m = s->model;
  int held = 0, tilts = 0, about = 0, locks = 0, dots = 0;
  const bool flat = b->shape == FLAT;
  b->link = m->term[b->term].kind == FLY_DISTANCE && b->terms == 1;
  for (int k = b->term; k < b->term + b->terms; k++) {
    const fly_term *t = &m->term[k];
    const fly_row *row = &m->row[t->row];
    const int all = (1 << fly_primitive_types[t->kind].rows) - 1;
    if (t->factor != 1 || (t->rows != all && !flat) || row->counted || row->motion >= 0)
      return false;
    for (int r = 0; r < fly_primitive_types[t->kind].rows; r++)
      if (s->term_row[3 * k + r] < 0 && t->rows & 1 << r)
        return false;
    if (t->kind == FLY_POINT)
      held |= ALL_AXES;
    else if (t->kind == FLY_PLANE && t->k.c == 0)
      held |= 1 << t->k.axis_i;
    else if (t->kind != FLY_DOT && !b->link)
      return false;
    dots += t->kind == FLY_DOT;
    tilts += is_dot(t, 0, 2) || is_dot(t, 1, 2);
    locks += is_dot(t, 2, 0) || is_dot(t, 2, 1);
    about += is_dot(t, 0, 1);
  }
  if (flat)
    return understand_flat(s, b);
  b->turning = dots == 0 ? TURNS_FREELY : dots == 2 && tilts == 2 ? TURNS_ABOUT_Z : TURNS_WITH;
  if (b->turning == TURNS_WITH && !(dots == 3 && about == 1 && (tilts == 2 || locks == 2)))
    return false;
  b->slides = b->link ? 0 : ALL_AXES & ~held;
  if (dots > 0 && (b->shape == POINT || (b->on < m->nbody && shape_of(s, b->on) == POINT)))
    return false;
  const bool along = b->slides == Z_AXIS || b->slides == (X_AXIS | Y_AXIS);
  return b->slides == 0 || b->slides == ALL_AXES || (along && !(b->turning == TURNS_FREELY && b->first));
}

static void set_free(fly_branch *b) {
  static const int ways[] = {[TURNS_FREELY] = 3, [TURNS_ABOUT_Z] = 1, [TURNS_WITH] = 0};
  const bool flat = b->shape == FLAT;
  const int about = b->shape == POINT ? 0 : flat ? b->turning == TURNS_FREELY : ways[b->turning];
  const int slides = (b->slides & 1) + (b->slides >> 1 & 1) + (b->slides >> 2 & !flat) + (b->slides == SLOT);
  b->free = about + slides + (b->link ? 2 - flat : 0);
}

// Velocities that are its own, whatever it hangs on does.
static void set_own(const fly_system *s, const fly_branch *b, bool *own) {
  const fly_body *body = &s->model->body[b->body];
  for (int c = 0; c < body->columns; c++)
    own[body->iv + c] = body->column[c] < 3 ? b->slides != 0 || b->link : b->turning != TURNS_WITH;
}

static void set_markers(const fly_system *s, fly_branch *b) {
  fly_quat_of_matrix(b->near, fly_near_marker(s, b)->A);
  fly_quat_of_matrix(b->far, fly_far_marker(s, b)->A);
}

// A branch as it is found; false: its joint is none that is known here.
static bool describe(const fly_system *s, const fly_hanging *h, fly_branch *b) {
  b->body = h->body;
  b->on = h->on;
  b->at = h->at;
  b->pair = h->pair;
  b->slides = ALL_AXES;
  b->shape = shape_of(s, h->body);
  if (h->pair >= 0) {
    b->first = body_index(s, s->model->pair[h->pair].mi) == h->body;
    b->term = h->term;
    b->terms = h->terms;
    if (!understand(s, b))
      return false;
  }
  set_free(b);
  return true;
}

// Work of the search. Terms of a pair follow each other where it is a joint's; if not, there is no tree.
typedef struct search {
  const fly_system *s;
  struct fly_branches *t;
  int *first, *terms;  // of each pair (npair)
  int *start, *joined; // pairs with terms of each body, and of ground behind them (nbody + 2), (2 npair)
  int *at;             // branch of each body; -1: not found (nbody)
  size_t free;         // directions
  int next;            // branch of which nobody knows yet what hangs on it
} search;

static bool list_terms(search *w) {
  const fly_model *m = w->s->model;
  for (int k = 0; k < m->nterm; k++) {
    const int pair = m->term[k].pair;
    if (!kept(w->s, k))
      continue;
    if (w->terms[pair] > 0 && k != w->first[pair] + w->terms[pair])
      return false;
    if (w->terms[pair]++ == 0)
      w->first[pair] = k;
  }
  return true;
}

static void list_joined(search *w) {
  const fly_model *m = w->s->model;
  for (int pass = 0; pass < 2; pass++) { // counted, then put down from the end of each list, which ends as its start
    for (int k = m->npair - 1; k >= 0; k--)
      for (int side = 0; side < 2 && w->terms[k] > 0; side++) {
        const int body = body_index(w->s, side ? m->pair[k].mj : m->pair[k].mi);
        if (pass == 0)
          w->start[body]++;
        else
          w->joined[--w->start[body]] = k;
      }
    for (int b = 0; b <= m->nbody && pass == 0; b++)
      w->start[b + 1] += w->start[b];
  }
}

static bool add_branch(search *w, int body, int on, int pair) {
  const fly_system *s = w->s;
  fly_hanging *h = &w->t->hanging[w->t->count];
  *h = (fly_hanging){.body = body, .on = on, .at = on < s->model->nbody ? w->at[on] : -1, .pair = pair};
  if (pair >= 0) {
    h->term = w->first[pair];
    h->terms = w->terms[pair];
  }
  fly_branch b = {.body = body};
  if (!describe(s, h, &b))
    return false;
  set_own(s, &b, w->t->own);
  w->free += (size_t)b.free;
  w->at[body] = w->t->count++;
  return true;
}

// All that hangs on a body. False: that closes a loop, or is no joint that is known here.
static bool hang(search *w, int on) {
  const int ground = w->s->model->nbody, own = on < ground ? w->t->hanging[w->at[on]].pair : -1;
  for (int i = w->start[on]; i < w->start[on + 1]; i++) {
    const fly_model_pair *pair = &w->s->model->pair[w->joined[i]];
    const int mi = body_index(w->s, pair->mi), body = mi == on ? body_index(w->s, pair->mj) : mi;
    if (w->joined[i] == own)
      continue;
    if (body == ground || w->at[body] >= 0 || !add_branch(w, body, on, w->joined[i]))
      return false;
  }
  return true;
}

static bool grow(search *w) {
  bool fine = true;
  for (; w->next < w->t->count && fine; w->next++)
    fine = hang(w, w->t->hanging[w->next].body);
  return fine;
}

static bool find_branches(search *w) {
  const int n = w->s->model->nbody;
  for (int k = 0; k < n; k++)
    w->at[k] = -1;
  bool fine = list_terms(w);
  if (fine)
    list_joined(w);
  fine = fine && hang(w, n) && grow(w);
  for (int root = 0; root < n && fine; root++)
    if (w->at[root] < 0)
      fine = add_branch(w, root, n, -1) && grow(w);
  return fine;
}

static bool all_known(const fly_system *s) {
  for (int k = 0; k < s->model->nbody; k++)
    if (shape_of(s, k) == OTHER)
      return false;
  return s->model->nbody > 0 && s->model->nframe == 0;
}

// ------------------------------------------------------------------------------------------ creation

void fly_tree_fill(fly_system *s) {
  struct fly_branches *t = s->branches;
  direction *along = t->along;
  for (int k = 0; k < t->count; k++) {
    fly_branch *b = &t->branch[k];
    (void)describe(s, &t->hanging[k], b); // it was once
    if (b->pair >= 0)
      set_markers(s, b);
    b->along = along;
    along += b->free;
  }
  t->filled = true;
}

bool fly_system_find_tree(fly_system *s) {
  const fly_model *m = s->model;
  const size_t bodies = (size_t)m->nbody, pairs = (size_t)m->npair;
  fly_arena work = {0};
  s->branches = NULL;
  if (!all_known(s) || m->nsliprow > 0)
    return true;
  struct fly_branches *t = fly_arena_take(&s->memory, 1, sizeof *t);
  if (!t)
    return false;
  search w = {s,
              t,
              fly_arena_ints(&work, pairs),
              fly_arena_ints(&work, pairs),
              fly_arena_ints(&work, bodies + 2),
              fly_arena_ints(&work, 2 * pairs),
              fly_arena_ints(&work, bodies),
              0,
              0};
  t->hanging = fly_arena_take(&s->memory, bodies, sizeof *t->hanging);
  t->branch = fly_arena_take(&s->memory, bodies, sizeof *t->branch);
  t->own = fly_arena_take(&s->memory, (size_t)m->nv, sizeof *t->own);
  const bool fine = !work.failed && !s->memory.failed;
  if (fine && find_branches(&w) && (t->along = fly_arena_take(&s->memory, w.free, sizeof *t->along)) != NULL) {
    t->tree = (fly_joint_tree){t->own, fly_tree_put_back, fly_tree_accelerate};
    s->branches = t;
  }
  fly_arena_free(&work);
  return fine && !s->memory.failed;
}

const fly_joint_tree *fly_system_tree(const fly_system *s) { return s->branches ? &s->branches->tree : NULL; }
