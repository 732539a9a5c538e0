// Which entries of J Newton's iteration may do without: what couples the modes of one body where only joints load it.
// Reactions turn with a marker, by which its modes feel each other's motion: d(Theta^T T(eta))/deta, of the size of a
// load times a turn squared, beside a stiffness K that lets the load itself turn it little (docs/theory/flexible.md,
// F-slight). Without it their block is diagonal, and a factorization costs what the modes do, not their cube.
#include <math.h>

#include "base/error.h"
#include "system/parts.h"

static int loose(const fly_body *b) { return b->type->loose ? b->type->loose(&b->own) : 0; }

static bool is_on(const fly_system *s, int body, int count, const int *marker) {
  for (int k = 0; k < count; k++)
    if (marker[k] >= 0 && s->model->marker[marker[k]].body == body)
      return true;
  return false;
}

// Forces have stiffness and damping of their own, of any size: of a body that they act on nothing is slight.
static bool is_forced(const fly_system *s, int body) {
  const fly_model *m = s->model;
  bool forced = s->softness.ode;
  for (int k = 0; k < m->nforce && !forced; k++)
    forced = is_on(s, body, m->force[k].count, m->force[k].marker);
  for (int k = 0; k < m->napplied && !forced; k++)
    forced = is_on(s, body, 3, m->applied[k].marker);
  return forced;
}

// Between a mode and any other velocity, but for those of its own frame.
static void mark(fly_system *s, const fly_body *b) {
  const int behind = b->iv + b->columns, first = behind - loose(b);
  for (int j = 0; j < s->model->nv; j++)
    for (int k = s->J.start[j]; k < s->J.start[j + 1] && s->J.row[k] < s->model->nv; k++) {
      const int i = s->J.row[k];
      const bool row = i >= first && i < behind, column = j >= first && j < behind;
      const bool own = i >= b->iv && i < behind && j >= b->iv && j < behind && !(row && column);
      s->slight[k] = s->slight[k] || ((row || column) && i != j && !own);
    }
}

fly_status fly_system_mark_slight(fly_system *s, fly_error *error) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nbody; k++) {
    if (loose(&m->body[k]) == 0 || is_forced(s, k))
      continue;
    if (!s->slight)
      s->slight = fly_arena_take(&s->memory, (size_t)fly_csc_nnz(&s->J), sizeof *s->slight);
    if (!s->slight)
      return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the modes of `%s`.", m->body[k].name);
    mark(s, &m->body[k]);
  }
  return FLY_OK;
}
