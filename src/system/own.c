// States of forces of types, as the springs of a contact that sticks: their rows x' - rate = 0, and what they do to the
// forces. As states of the model they have a rate that is nothing; here it gets its own.
#include <string.h>

#include "system/parts.h"

// Of a force with n states between c columns: dQ/dx (c x n), then d rate/dq, v (n x c), then d rate/dx (n x n).
static size_t places_of(const fly_model_force *f) {
  const size_t n = (size_t)f->states, c = 6 * (size_t)f->count;
  return 2 * n * c + n * n;
}

size_t fly_system_count_own_places(const fly_model *m) {
  size_t n = 0;
  for (int k = 0; k < m->nforce; k++)
    n += places_of(&m->force[k]);
  return n;
}

void fly_system_take_own(fly_system *s) {
  const fly_model *m = s->model;
  size_t most = 0;
  for (int k = 0; k < m->nforce; k++) {
    const size_t n = places_of(&m->force[k]) + 6 * (size_t)(m->force[k].count * m->force[k].states);
    most = n > most ? n : most;
  }
  s->own_place = fly_arena_ints(&s->memory, fly_system_count_own_places(m));
  s->own_slope = fly_arena_doubles(&s->work, most);
}

void fly_system_own_rates(fly_system *s, const fly_dae_state *at, double *d) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nforce; k++) {
    const fly_model_force *f = &s->forces[k];
    if (f->states == 0 || !fly_system_is_on(s, f->item))
      continue;
    if (s->near.near[k])
      f->type->rates(s->own_slope, fly_system_force_at(s, at->t, k), f->k);
    for (int i = 0; !s->near.near[k] && i < f->states; i++)
      s->own_slope[i] = -at->x[f->state + i] / f->type->fades;
    for (int i = 0; i < f->states; i++)
      d[f->state + i] -= s->own_slope[i];
  }
}

// ------------------------------------------------------------------------------------------ J

// Of a pair that is far apart every state fades by itself.
static int append_fading(const fly_system *s, const fly_model_force *f, int *place, int *row, int *col, int n,
                         int first) {
  const int blocks = 12 * f->count * f->states;
  for (int i = 0; i < f->states; i++)
    n = fly_system_append_place(&place[blocks + (f->states + 1) * i], fly_state_row(s, f->state + i),
                                fly_state_column(s, f->state + i), row, col, n, first);
  return n;
}

int fly_system_append_own(fly_system *s, int *row, int *col, int n, int first) {
  const fly_model *m = s->model;
  int *place = s->own_place, column[FLY_FORCE_COLUMNS];
  for (int k = 0; k < m->nforce; k++) {
    const fly_model_force *f = &s->forces[k];
    const int columns = 6 * f->count;
    int *own = place;
    for (size_t i = places_of(&m->force[k]); i > 0; i--) // a slot has room for more than who is in it may need
      *place++ = -1;
    if (!s->near.near[k]) {
      n = append_fading(s, f, own, row, col, n, first);
      continue;
    }
    fly_system_marker_columns(m, f->count, f->marker, column);
    for (int i = 0; i < columns * f->states; i++)
      n = fly_system_append_place(own++, column[i / f->states], fly_state_column(s, f->state + i % f->states), row, col,
                                  n, first);
    for (int i = 0; i < columns * f->states; i++)
      n = fly_system_append_place(own++, fly_state_row(s, f->state + i / columns), column[i % columns], row, col, n,
                                  first);
    for (int i = 0; i < f->states * f->states; i++)
      n = fly_system_append_place(own++, fly_state_row(s, f->state + i / f->states),
                                  fly_state_column(s, f->state + i % f->states), row, col, n, first);
  }
  return n;
}

static void scatter(const int *place, size_t n, const double *value, double *J) {
  for (size_t i = 0; i < n; i++)
    if (place[i] >= 0)
      J[place[i]] -= value[i];
}

void fly_system_own_derivatives(const fly_system *s, double t, double *J1, double *J2) {
  const fly_model *m = s->model;
  const int *place = s->own_place;
  for (int k = 0; k < m->nforce; place += places_of(&m->force[k++])) { // room of a slot, whoever is in it
    const fly_model_force *f = &s->forces[k];
    const size_t n = (size_t)f->states, block = 6 * (size_t)f->count * n;
    if (n == 0 || !fly_system_is_on(s, f->item))
      continue;
    double *w = s->own_slope;
    const fly_force_slopes slopes = {w, w + block, w + 2 * block, w + 3 * block};
    memset(w, 0, (3 * block + n * n) * sizeof *w);
    if (s->near.near[k])
      f->type->slopes(&slopes, fly_system_force_at(s, t, k), f->k);
    for (size_t i = 0; !s->near.near[k] && i < n; i++)
      slopes.rate_x[(n + 1) * i] = -1 / f->type->fades;
    scatter(place, block, slopes.Q_x, J1);
    scatter(place + block, block, slopes.rate_q, J2);
    scatter(place + block, block, slopes.rate_v, J1);
    scatter(place + 2 * block, n * n, slopes.rate_x, J1);
  }
}
