// Rows that give way: springs of stiffness k and dampers of damping d hold them, and what they carry stays an unknown,
// an output y behind those of the expressions (docs/theory/soft.md, S-row):
//
//   M v' + G^T y = f,   y = k g + d (G v + g_t)
//
// so that Newton's matrix tends to that of the rigid rows for k -> infinity. As an ODE y is put into the forces. A row
// that is switched off carries nothing, y = 0.
#include <math.h>
#include <string.h>

#include "system/parts.h"

// ------------------------------------------------------------------------------------------ which

// Rows that come and go, as those of what sticks or rests on a limit, are rigid always.
static bool may_give_way(const fly_row *r) { return r->held < 0; }

fly_row_law fly_system_row_law(const fly_system *s, int row) {
  const fly_row_law rigid = {0};
  return s->softness.rigid ? rigid : fly_system_own_law(s, row);
}

fly_row_law fly_system_own_law(const fly_system *s, int row) {
  const fly_row *r = &s->model->row[row];
  if (!may_give_way(r))
    return (fly_row_law){0};
  if (r->stiffness > 0 || r->damping > 0)
    return (fly_row_law){r->stiffness, r->damping};
  return (fly_row_law){s->softness.stiffness, s->softness.damping};
}

bool fly_system_gives_way(const fly_system *s, int row) {
  const fly_row_law law = fly_system_row_law(s, row);
  return law.stiffness > 0 || law.damping > 0;
}

void fly_system_take_soft(fly_system *s) {
  const size_t nrow = (size_t)s->model->nrow;
  fly_soft_rows *g = &s->soft;
  g->row = fly_arena_ints(&s->memory, nrow);
  g->of = fly_arena_ints(&s->memory, nrow);
  g->value = fly_arena_doubles(&s->work, nrow);
  g->rate = fly_arena_doubles(&s->work, nrow);
  g->lambda = fly_arena_doubles(&s->work, nrow);
  g->start = fly_arena_ints(&s->memory, (size_t)s->model->nterm + 1);
  g->first = fly_arena_ints(&s->memory, nrow + 1);
}

void fly_system_choose_soft(fly_system *s) {
  fly_soft_rows *g = &s->soft;
  g->count = 0;
  for (int row = 0; row < s->model->nrow; row++) {
    const bool soft = s->place_of[row] < 0 && fly_system_gives_way(s, row);
    g->of[row] = soft ? g->count : -1;
    if (soft)
      g->row[g->count++] = row;
  }
}

// ------------------------------------------------------------------------------------------ gaps

static void add_term(fly_system *s, double t, int k) {
  const fly_term *term = &s->model->term[k];
  const fly_pair p = pair_of(s, term->pair);
  const fly_primitive_type *type = &fly_primitive_types[term->kind];
  const double *velocity[] = {p.bi->v, p.bi->w, p.bj->v, p.bj->w};
  double g[3], rows[3 * FLY_PAIR];
  fly_system_term_value(s, t, k, &p, g);
  type->jacobian(rows, &p, &term->k);
  for (int r = 0, row = term->row; r < type->rows; r++) {
    const int soft = term->rows & (1 << r) ? s->soft.of[row++] : -1;
    if (soft < 0)
      continue;
    s->soft.value[soft] += term->factor * g[r];
    for (int c = 0; c < FLY_PAIR; c++)
      s->soft.rate[soft] += term->factor * rows[FLY_PAIR * r + c] * velocity[c / 3][c % 3];
  }
}

static bool is_soft_term(const fly_system *s, int k) { return s->soft.start[k + 1] > s->soft.start[k]; }

// g, and G v + g_t, where bodies are and as they move.
void fly_system_gaps(fly_system *s, double t) {
  const fly_model *m = s->model;
  fly_soft_rows *soft = &s->soft;
  double f[3];
  for (int i = 0; i < soft->count; i++) {
    soft->value[i] = -s->offset[soft->row[i]];
    soft->rate[i] = 0;
  }
  for (int k = 0; k < m->nterm; k++)
    if (is_soft_term(s, k))
      add_term(s, t, k);
  for (int k = 0; k < m->nmotion; k++) {
    const int i = soft->of[m->motion[k].row];
    if (i < 0)
      continue;
    fly_motion_at(&s->motion[k], t, f);
    soft->value[i] -= f[0];
    soft->value[i] = m->row[soft->row[i]].angular ? remainder(soft->value[i], FLY_TAU) : soft->value[i];
    soft->rate[i] -= f[1];
  }
  for (int i = 0; i < soft->count; i++)
    if (!s->lit[soft->row[i]])
      soft->value[i] = soft->rate[i] = 0;
}

// What the springs and dampers carry.
static double carried(const fly_system *s, int i) {
  const fly_row_law law = fly_system_row_law(s, s->soft.row[i]);
  return law.stiffness * s->soft.value[i] + law.damping * s->soft.rate[i];
}

void fly_system_soft_outputs(fly_system *s, double t, double *h) {
  if (s->soft.count == 0 || s->softness.ode)
    return;
  fly_system_gaps(s, t);
  for (int i = 0; i < s->soft.count; i++)
    h[s->model->ny + i] = carried(s, i);
}

void fly_system_find_carried(fly_system *s, double t) {
  if (s->soft.count == 0 || !s->softness.ode)
    return;
  fly_system_gaps(s, t);
  for (int i = 0; i < s->soft.count; i++)
    s->soft.lambda[i] = carried(s, i);
}

void fly_system_carry(fly_system *s, const fly_dae_state *at) {
  fly_system_update(s, at->q, at->v);
  fly_system_find_carried(s, at->t);
}

int fly_system_soft_count(const fly_system *s) { return s->softness.ode ? 0 : s->soft.count; }

double fly_system_multiplier(const fly_system *s, const fly_dae_state *at, int row) {
  const int kept = s->place_of[row], soft = s->soft.of[row];
  return kept >= 0         ? at->lambda[kept]
         : soft < 0        ? 0.0
         : s->softness.ode ? s->soft.lambda[soft]
                           : at->y[s->model->ny + soft];
}

// ------------------------------------------------------------------------------------------ rows of G

static void fill_rows(fly_system *s, bool velocities) {
  fly_soft_rows *soft = &s->soft;
  for (int k = 0; k < s->model->nterm; k++) {
    const fly_term *term = &s->model->term[k];
    if (!is_soft_term(s, k))
      continue;
    const fly_pair p = pair_of(s, term->pair);
    double rows[3 * FLY_PAIR], rates[3 * FLY_PAIR] = {0};
    fly_primitive_types[term->kind].jacobian(rows, &p, &term->k);
    if (velocities)
      fly_primitive_velocity(rates, term->kind, &p, &term->k);
    for (int e = soft->start[k]; e < soft->start[k + 1]; e++) {
      const double factor = s->lit[soft->row[soft->at[e]]] ? term->factor : 0.0;
      soft->G[e] = factor * rows[soft->from[e]];
      soft->Z[e] = factor * rates[soft->from[e]];
    }
  }
}

// f -= G^T y
void fly_system_soft_forces(fly_system *s, const fly_dae_state *at, double *f) {
  fly_soft_rows *soft = &s->soft;
  if (soft->count == 0)
    return;
  fly_system_find_carried(s, at->t);
  fill_rows(s, false);
  for (int e = 0; e < soft->entries; e++)
    f[soft->col[e]] -= soft->G[e] * fly_system_multiplier(s, at, soft->row[soft->at[e]]);
}

// ------------------------------------------------------------------------------------------ derivatives

// Entries of a term; from NULL: they are counted.
static int append_term(const fly_system *s, int k, fly_soft_rows *to, int n) {
  const fly_term *term = &s->model->term[k];
  int column[FLY_PAIR];
  fly_system_pair_columns(s->model, term->pair, column);
  for (int r = 0, row = term->row; r < 3; r++) {
    const int soft = term->rows & (1 << r) ? s->soft.of[row++] : -1;
    for (int c = 0; c < FLY_PAIR && soft >= 0; c++) {
      if (column[c] < 0 || !(fly_primitive_types[term->kind].columns[r] >> c & 1))
        continue;
      if (to->from) {
        to->at[n] = soft;
        to->col[n] = column[c];
        to->from[n] = (unsigned char)(FLY_PAIR * r + c);
      }
      n++;
    }
  }
  return n;
}

// Entries by rows: products of an ODE are those of a row with itself.
static void sort_entries(fly_soft_rows *soft) {
  memset(soft->first, 0, ((size_t)soft->count + 1) * sizeof *soft->first);
  for (int e = 0; e < soft->entries; e++)
    soft->first[soft->at[e] + 1]++;
  for (int i = 0; i < soft->count; i++)
    soft->first[i + 1] += soft->first[i];
  for (int e = 0; e < soft->entries; e++)
    soft->order[soft->first[soft->at[e]]++] = e;
  for (int i = soft->count; i > 0; i--)
    soft->first[i] = soft->first[i - 1];
  soft->first[0] = 0;
}

bool fly_system_list_soft(fly_system *s) {
  fly_soft_rows *soft = &s->soft;
  int n = 0;
  if (soft->place) // rows do not change while a system lives
    return true;
  soft->from = NULL;
  const int terms = soft->count > 0 ? s->model->nterm : 0;
  for (int k = 0; k < terms; k++)
    n = append_term(s, k, soft, n);
  const size_t most = (size_t)n;
  soft->at = fly_arena_ints(&s->memory, most);
  soft->col = fly_arena_ints(&s->memory, most);
  soft->order = fly_arena_ints(&s->memory, most);
  soft->G = fly_arena_doubles(&s->work, most);
  soft->Z = fly_arena_doubles(&s->work, most);
  soft->from = fly_arena_take(&s->memory, most, sizeof *soft->from);
  soft->entries = n;
  soft->places = 0;
  if (s->memory.failed || s->work.failed)
    return false;
  for (int k = 0; k < terms; k++)
    soft->start[k + 1] = append_term(s, k, soft, soft->start[k]);
  sort_entries(soft);
  soft->places = s->softness.ode && soft->count > 0 ? 0 : 2 * most;
  for (int i = 0; i < soft->count && s->softness.ode; i++) {
    const size_t width = (size_t)(soft->first[i + 1] - soft->first[i]);
    soft->places += width * width;
  }
  soft->place = fly_arena_ints(&s->memory, soft->places);
  return !s->memory.failed;
}

// Entries of J from n on: G^T in the columns of y and G in its rows, or their products.
int fly_system_append_soft(fly_system *s, int *row, int *col, int n) {
  fly_soft_rows *soft = &s->soft;
  const int ny = s->model->ny;
  for (int i = 0; i < soft->count && s->softness.ode; i++)
    for (int a = soft->first[i]; a < soft->first[i + 1]; a++)
      for (int b = soft->first[i]; b < soft->first[i + 1]; b++) {
        row[n] = soft->col[soft->order[a]];
        col[n++] = soft->col[soft->order[b]];
      }
  for (int e = 0; e < soft->entries && !s->softness.ode; e++) {
    row[n] = soft->col[e];
    col[n++] = fly_output_column(s, ny + soft->at[e]);
    row[n] = fly_output_row(s, ny + soft->at[e]);
    col[n++] = soft->col[e];
  }
  return n;
}

// J1 and J2 += G^T dy/dv and G^T dy/dq
static void add_products(const fly_system *s, double *J1, double *J2) {
  const fly_soft_rows *soft = &s->soft;
  const int *place = soft->place;
  for (int i = 0; i < soft->count; i++) {
    const fly_row_law law = fly_system_row_law(s, soft->row[i]);
    for (int a = soft->first[i]; a < soft->first[i + 1]; a++)
      for (int b = soft->first[i]; b < soft->first[i + 1]; b++, place++) {
        const double G = soft->G[soft->order[b]], Z = soft->Z[soft->order[b]], by = soft->G[soft->order[a]];
        J1[*place] += by * law.damping * G;
        J2[*place] += by * (law.stiffness * G + law.damping * Z);
      }
  }
}

void fly_system_soft_derivatives(fly_system *s, double *J0, double *J1, double *J2) {
  const fly_soft_rows *soft = &s->soft;
  if (soft->count == 0)
    return;
  fill_rows(s, true);
  if (s->softness.ode) {
    add_products(s, J1, J2);
    return;
  }
  for (int e = 0; e < soft->entries; e++) {
    const fly_row_law law = fly_system_row_law(s, soft->row[soft->at[e]]);
    const int column = soft->place[2 * e], row = soft->place[2 * e + 1];
    J0[column] += soft->G[e];
    J1[row] -= law.damping * soft->G[e];
    J2[row] -= law.stiffness * soft->G[e] + law.damping * soft->Z[e];
  }
}

// ------------------------------------------------------------------------------------------ energy

double fly_system_soft_energy(fly_system *s, double t) {
  double energy = 0;
  if (s->soft.count > 0)
    fly_system_gaps(s, t);
  for (int i = 0; i < s->soft.count; i++)
    energy += 0.5 * fly_system_row_law(s, s->soft.row[i]).stiffness * s->soft.value[i] * s->soft.value[i];
  return energy;
}

// Dampers beside springs are counted by the work on both, from which the ledger takes what the springs hold (E-soft): a
// rate between the ends of a step is off by a little, and a strong damper squares that. As an ODE y is that of the
// rate.
static bool is_counted_by_work(const fly_system *s, const fly_row_law *law) {
  return !s->softness.ode && law->stiffness > 0 && law->damping > 0;
}

double fly_system_soft_heat(fly_system *s, const fly_dae_state *at) {
  double power = 0;
  if (s->soft.count > 0)
    fly_system_gaps(s, at->t);
  for (int i = 0; i < s->soft.count; i++) {
    const fly_row_law law = fly_system_row_law(s, s->soft.row[i]);
    const double rate = s->soft.rate[i];
    power += rate * (is_counted_by_work(s, &law) ? fly_system_multiplier(s, at, s->soft.row[i]) : law.damping * rate);
  }
  return power;
}

double fly_system_soft_lent(fly_system *s, double t) {
  double energy = 0;
  if (s->soft.count > 0)
    fly_system_gaps(s, t);
  for (int i = 0; i < s->soft.count; i++) {
    const fly_row_law law = fly_system_row_law(s, s->soft.row[i]);
    if (is_counted_by_work(s, &law))
      energy += 0.5 * law.stiffness * s->soft.value[i] * s->soft.value[i];
  }
  return energy;
}

double fly_system_soft_motions(fly_system *s, const fly_dae_state *at) {
  const fly_model *m = s->model;
  double power = 0, f[3];
  for (int k = 0; k < m->nmotion; k++)
    if (s->soft.of[m->motion[k].row] >= 0) {
      fly_motion_at(&s->motion[k], at->t, f);
      power -= fly_system_multiplier(s, at, m->motion[k].row) * f[1];
    }
  return power;
}

// How far a joint has given way: of its places [m], of its turns [rad].
void fly_system_gap(fly_system *s, const fly_dae_state *at, int item, double out[2]) {
  double square[2] = {0};
  fly_system_update(s, at->q, at->v);
  if (s->soft.count > 0)
    fly_system_gaps(s, at->t);
  for (int i = 0; i < s->soft.count; i++) {
    const fly_row *r = &s->model->row[s->soft.row[i]];
    if (r->item == item)
      square[r->turning] += s->soft.value[i] * s->soft.value[i];
  }
  out[0] = sqrt(square[0]);
  out[1] = sqrt(square[1]);
}
