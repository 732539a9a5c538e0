// What is switched off and on. A joint or motion that is off has no rows; a force that is off gives nothing. Rows come
// and go between two steps: they are chosen anew among those that are there, so that redundant ones stay out.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sparse/sparse.h"
#include "system/parts.h"

static const double RANK = 1e-9; // tolerance of the rank of the rows that are there
static const double OFF = 1e-6;  // of the size of the model: how far apart what is joined may be

bool fly_system_is_on(const fly_system *s, int item) {
  const int held = s->model->switch_of_item[item];
  return held < 0 || fly_system_held(s, held) != 0;
}

bool fly_system_row_is_on(const fly_system *s, int row) {
  const fly_row *r = &s->model->row[row];
  return (r->held < 0 || fly_system_held(s, r->held) != 0) && fly_system_is_on(s, r->item) &&
         (r->along < 0 || fly_system_is_on(s, r->along));
}

int fly_system_list_rows(const fly_system *s, int *row) {
  int n = 0;
  for (int k = 0; k < s->model->nrow; k++)
    if (fly_system_row_is_on(s, k) && !fly_system_gives_way(s, k))
      row[n++] = k;
  return n;
}

// ------------------------------------------------------------------------------------------ coming

// Where a row that is counted holds: at the limit that is met, else where it is.
static double held_at(const fly_system *s, int row, double value) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nlimit; k++)
    if (m->limit[k].row == row)
      return fly_system_held(s, m->limit[k].side) > 0 ? m->limit[k].high : m->limit[k].low;
  return value;
}

// A motion that is given by its rate goes on from where its coordinate is, a coupler keeps the sum it finds, a joint
// must fit.
static bool take_up(fly_system *s, double t, int row) {
  const fly_model *m = s->model;
  const fly_row *r = &m->row[row];
  const double value = fly_system_row_value(s, t, row);
  const double allowed = OFF * fmax(1.0, m->size);
  double f[3] = {0};
  if (r->counted)
    s->offset[row] = held_at(s, row, value);
  if (r->motion >= 0 && s->motion[r->motion].level > 0) {
    fly_motion *motion = &s->motion[r->motion];
    *motion = (fly_motion){.expression = motion->expression, .level = motion->level, .t = t, .s = value};
    motion->v = fly_system_row_rate(s, row);
  } else if (r->motion >= 0) {
    fly_motion_at(&s->motion[r->motion], t, f);
  }
  const double left = r->counted                                         ? 0.0
                      : r->motion >= 0 && s->motion[r->motion].level > 0 ? 0.0
                      : r->angular                                       ? remainder(value - f[0], FLY_TAU)
                                                                         : value - f[0];
  if (fabs(left) <= allowed)
    return true;
  const fly_item *item = &m->spec->item[r->item];
  char place[300];
  fly_place_text(place, sizeof place, item->place);
  snprintf(s->refusal, sizeof s->refusal,
           "%sAt t = %.9g s the %s `%s` is switched on, but %s%s off by %.3g: nothing could bring it together in no "
           "time. Switch it on where it fits, or take a motion given by its `velocity`, which holds what it finds.",
           place, t, item->type->name, item->name, r->direction, r->direction[0] ? " is" : "its parts are", left);
  return false;
}

static bool take_up_all(fly_system *s, double t) {
  for (int k = 0; k < s->model->nrow; k++)
    if (fly_system_row_is_on(s, k) && !s->lit[k] && !take_up(s, t, k))
      return false;
  return true;
}

// ------------------------------------------------------------------------------------------ choosing

// Of `count` rows those that are independent at q: how many; -1: no memory.
int fly_system_independent(const fly_system *s, double t, const double *q, int count, int *row) {
  fly_system all;
  fly_csc G = {0};
  fly_rank rank = {0};
  int n = 0;
  fly_status status = fly_system_create_soft(&all, s->model, &s->softness, count, row, NULL);
  if (status == FLY_OK)
    status = fly_csc_create(&G, count, s->model->nv, all.G.start, all.G.row, NULL);
  if (status == FLY_OK) {
    fly_system_copy_grips(&all, s);
    all.dae.constraint_jacobian(G.val, t, q, &all);
    status = fly_rank_find(&rank, &G, RANK, NULL);
  }
  for (int k = 0, d = 0; k < count && status == FLY_OK; k++) {
    const bool dependent = d < rank.ndependent && rank.dependent[d] == k;
    d += dependent;
    if (!dependent)
      row[n++] = row[k];
  }
  fly_rank_free(&rank);
  fly_csc_free(&G);
  fly_system_free(&all);
  return status ? -1 : n;
}

static bool keep_independent(fly_system *s, double t, const double *q) {
  fly_arena work = {0};
  int *row = fly_arena_ints(&work, (size_t)s->model->nrow);
  int n = work.failed ? -1 : fly_system_independent(s, t, q, fly_system_list_rows(s, row), row);
  const bool kept = n >= 0 && fly_system_keep(s, n, row, NULL) == FLY_OK;
  if (!kept)
    snprintf(s->refusal, sizeof s->refusal, "Out of memory for %d constraint rows.", s->model->nrow);
  fly_arena_free(&work);
  return kept;
}

static bool any_changed(const fly_system *s) {
  for (int k = 0; k < s->model->nrow; k++)
    if (fly_system_row_is_on(s, k) != s->lit[k])
      return true;
  return false;
}

bool fly_system_switch(fly_system *s, double t, const double *q, const double *v) {
  fly_system_align_grips(s, q);
  if (!fly_system_pass(s, t, q, v))
    return false;
  if (!any_changed(s))
    return true;
  fly_system_update(s, q, v);
  if (!take_up_all(s, t) || !keep_independent(s, t, q))
    return false;
  for (int k = 0; k < s->model->nrow; k++)
    s->lit[k] = fly_system_row_is_on(s, k);
  s->switched++;
  return true;
}
