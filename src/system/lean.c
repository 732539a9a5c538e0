// Derivatives for Newton's iteration whose entries are as many as the modes of a body, not as their square
// (docs/theory/flexible.md, "What a step costs"):
//
//   J about L + U^T W
//
// A force at a marker sees six columns: what it does to all modes, W, are six rows, and U = J of the marker spreads its
// load over them again. In L a body's loose velocities have no entries beside the diagonal among themselves: what is
// left out there is how loads turn with their markers, how joints bend, and what the inertia of quick modes feels of
// each other. The residuals, and J itself, have all of it.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "system/frames.h"

// Six loads a marker are eliminated in place of the modes' block where that is at least so many times wider.
enum { WORTH = 2 };

static int loose(const fly_body *b) { return b->type->loose ? b->type->loose(&b->own) : 0; }

// ------------------------------------------------------------------------------------------ which

static void mark_frames(const fly_system *s, int count, const int *marker, int *load) {
  for (int k = 0; k < count; k++)
    if (marker[k] >= 0 && s->model->marker[marker[k]].frame >= 0)
      load[s->model->marker[marker[k]].frame] = 0;
}

// Frames that forces act on: their stiffness and damping may be of any size.
static void find_forced(const fly_system *s, int *load) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nframe; k++)
    load[k] = -1;
  for (int k = 0; k < s->nlive; k++)
    mark_frames(s, s->forces[s->live[k]].count, s->forces[s->live[k]].marker, load);
  for (int k = 0; k < m->napplied; k++)
    mark_frames(s, 3, m->applied[k].marker, load);
}

static int count_forced(const fly_system *s, const int *load, const fly_body *b) {
  int n = 0;
  for (int k = 0; k < s->model->nframe; k++)
    n += load[k] >= 0 && fly_frame_body(s, k) == b;
  return n;
}

// How many of its first velocities each body keeps whole, and the loads of its frames. False: nothing is lean.
static bool choose(fly_system *s, fly_lean_join *l) {
  const fly_model *m = s->model;
  bool any = false;
  find_forced(s, l->load);
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    const bool lean = loose(b) > 0 && !s->softness.ode && 6 * WORTH * count_forced(s, l->load, b) <= loose(b);
    l->first[k] = b->columns - (lean ? loose(b) : 0);
    any = any || lean;
    for (int j = 0; j < b->columns; j++)
      l->body[b->iv + j] = k;
  }
  for (int k = 0; k < m->nframe; k++) {
    const int body = (int)(fly_frame_body(s, k) - m->body);
    const bool lean = l->first[body] < m->body[body].columns;
    l->load[k] = lean && l->load[k] >= 0 ? l->dae.nload : -1;
    l->dae.nload += l->load[k] >= 0 ? 6 : 0;
  }
  return any;
}

// ------------------------------------------------------------------------------------------ entries

// What becomes of a wide entry: it is spread over the first ni of its rows and nj of its columns; or belongs to the
// block of a body; or tells how a load answers.
typedef enum fate { SPREAD, OWN, ANSWER } fate;
typedef struct part {
  fate fate;
  int ni, nj;
} part;

static bool is_loose(const fly_system *s, const fly_lean_join *l, int velocity) {
  const int body = l->body[velocity];
  return velocity - s->model->body[body].iv >= l->first[body];
}

// Of a frame's columns those that are not loose; of a single velocity itself.
static int tight(const fly_system *s, const fly_lean_join *l, fly_span of) {
  return of.frame >= 0 ? l->first[l->body[of.first]] : !is_loose(s, l, of.first);
}

static part part_of_own(const fly_system *s, const fly_lean_join *l, fly_span rows, fly_span columns) {
  if (rows.frame >= 0 && columns.frame >= 0)
    return (part){OWN, 1, 1};
  if (rows.frame >= 0 || columns.frame >= 0)
    return (part){SPREAD, tight(s, l, rows), tight(s, l, columns)};
  const bool kept = rows.first == columns.first || !is_loose(s, l, rows.first) || !is_loose(s, l, columns.first);
  return (part){SPREAD, kept, kept};
}

static part part_of(const fly_system *s, const fly_lean_join *l, int row, int column) {
  const fly_span rows = fly_system_span(s, row), columns = fly_system_span(s, column);
  const int wide = fly_wide(s->model);
  if (row >= wide || column >= wide)
    return (part){SPREAD, rows.count, columns.count};
  if (rows.frame >= 0 && l->load[rows.frame] >= 0)
    return (part){ANSWER, 1, columns.count};
  if (l->body[rows.first] == l->body[columns.first])
    return part_of_own(s, l, rows, columns);
  const bool felt = columns.frame >= 0 && l->load[columns.frame] >= 0;
  return (part){SPREAD, tight(s, l, rows), felt ? columns.count : tight(s, l, columns)};
}

// ------------------------------------------------------------------------------------------ patterns

// Entries of L and W in turn, and the wide ones they come from; without room they are only counted.
typedef struct lists {
  int kept;
  fly_entries L, W;
} lists;

static void list_part(const fly_system *s, const fly_lean_join *l, int row, int column, part p, fly_entries *to) {
  const fly_span rows = fly_system_span(s, row), columns = fly_system_span(s, column);
  const int first = p.fate == ANSWER ? l->load[rows.frame] + rows.of : rows.first;
  for (int i = 0; i < p.ni && p.fate != OWN; i++)
    for (int j = 0; j < p.nj; j++) {
      if (to->row)
        fly_entries_add(to, first + i, columns.first + j);
      else
        to->count++;
    }
}

static void list_entries(const fly_system *s, fly_lean_join *l, lists *to) {
  const fly_csc *wide = &s->join_J.wide;
  for (int c = 0; c < wide->cols; c++) {
    for (int e = wide->start[c]; e < wide->start[c + 1]; e++) {
      const part p = part_of(s, l, wide->row[e], c);
      if (p.ni == 0 || p.nj == 0)
        continue;
      list_part(s, l, wide->row[e], c, p, p.fate == ANSWER ? &to->W : &to->L);
      if (l->kept)
        l->kept[to->kept] = e;
      to->kept++;
    }
    if (l->kept_start)
      l->kept_start[c + 1] = to->kept;
  }
}

// Of U: the columns of each load are those of its body.
static void list_arms(const fly_system *s, const fly_lean_join *l, fly_entries *to) {
  for (int k = 0; k < s->model->nframe; k++)
    for (int i = 0; l->load[k] >= 0 && i < 6 * fly_frame_body(s, k)->columns; i++) {
      if (to->row)
        fly_entries_add(to, l->load[k] + i % 6, fly_frame_body(s, k)->iv + i / 6);
      else
        to->count++;
    }
}

static fly_entries room_for(fly_arena *work, int count) {
  return (fly_entries){0, fly_arena_ints(work, (size_t)count + 1), fly_arena_ints(work, (size_t)count + 1)};
}

static fly_status make_patterns(fly_system *s, fly_lean_join *l, fly_arena *work, fly_error *error) {
  const fly_csc *wide = &s->join_J.wide;
  lists count = {0};
  fly_entries arms = {0};
  list_entries(s, l, &count);
  list_arms(s, l, &arms);
  l->kept = fly_arena_ints(&s->memory, (size_t)count.kept);
  l->kept_start = fly_arena_ints(&s->memory, (size_t)wide->cols + 1);
  l->place_L = fly_arena_ints(&s->memory, (size_t)count.L.count);
  l->place_W = fly_arena_ints(&s->memory, (size_t)count.W.count + 1);
  l->place_U = fly_arena_ints(&s->memory, (size_t)arms.count + 1);
  l->base = fly_arena_ints(&s->memory, (size_t)s->model->nv);
  lists of = {0, room_for(work, count.L.count), room_for(work, count.W.count)};
  arms = room_for(work, arms.count);
  if (work->failed || s->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d velocities of bodies that bend.", s->model->nv);
  list_entries(s, l, &of);
  list_arms(s, l, &arms);
  const struct {
    fly_csc *to;
    int rows, cols, *place;
    const fly_entries *of;
  } list[] = {{&l->L, s->J.rows, s->J.cols, l->place_L, &of.L},
              {&l->U, l->dae.nload, s->model->nv, l->place_U, &arms},
              {&l->W, l->dae.nload, s->model->nv, l->place_W, &of.W}};
  fly_status status = FLY_OK;
  for (int k = 0; k < 3 && status == FLY_OK; k++)
    status = fly_csc_from_entries(list[k].to, list[k].rows, list[k].cols, list[k].of->count, list[k].of->row,
                                  list[k].of->col, list[k].place, error);
  return status;
}

static fly_lean_join *take(fly_system *s) {
  const fly_model *m = s->model;
  fly_lean_join *l = fly_arena_take(&s->memory, 1, sizeof *l);
  if (!l)
    return NULL;
  l->first = fly_arena_ints(&s->memory, (size_t)m->nbody);
  l->body = fly_arena_ints(&s->memory, (size_t)m->nv);
  l->load = fly_arena_ints(&s->memory, (size_t)m->nframe);
  return s->memory.failed ? NULL : l;
}

fly_status fly_system_make_lean(fly_system *s, fly_error *error) {
  if (s->model->nframe == 0)
    return FLY_OK;
  fly_lean_join *l = take(s);
  if (!l)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d frames of markers.", s->model->nframe);
  if (!choose(s, l))
    return FLY_OK;
  fly_arena work = {0};
  const fly_status status = make_patterns(s, l, &work, error);
  fly_arena_free(&work);
  s->lean = l;
  if (status)
    return status;
  for (int k = 0; k < s->model->nv; k++)
    l->base[k] = fly_csc_find(&l->L, s->model->body[l->body[k]].iv, k);
  l->dae.rest = (fly_pattern){l->L.start, l->L.row};
  l->dae.arms = (fly_pattern){l->U.start, l->U.row};
  l->dae.answers = (fly_pattern){l->W.start, l->W.row};
  l->dae.jacobian = fly_lean_jacobian;
  return FLY_OK;
}

void fly_system_free_lean(fly_system *s) {
  if (!s->lean)
    return;
  fly_csc_free(&s->lean->L);
  fly_csc_free(&s->lean->U);
  fly_csc_free(&s->lean->W);
}

// ------------------------------------------------------------------------------------------ values

static fly_own_block block_of(const fly_system *s, const fly_body *b) {
  return (fly_own_block){s->lean->base + b->iv, b->columns, s->lean->first[b - s->model->body]};
}

// Where the next entries go.
typedef struct places {
  const int *L, *W;
} places;

// Loads feel no accelerations: outputs do.
static void join_answer(const double x[3], const fly_frame_map *map, fly_span columns, const int *place,
                        double *const W[2]) {
  for (int j = 0; j < columns.count; j++) {
    const int at = columns.count * columns.of + j;
    W[0][place[j]] += map ? x[1] * map->J[at] : x[1];
    W[1][place[j]] += map ? x[2] * map->J[at] + x[1] * map->rates[at] : x[2];
  }
}

static void join_part(const fly_system *s, const double x[3], part p, fly_span rows, fly_span columns, const int *place,
                      double *const L[3]) {
  const fly_frame_map *map = columns.frame >= 0 ? &s->map[columns.frame] : NULL;
  for (int i = 0; i < p.ni; i++) {
    const double factor = rows.frame < 0 ? 1.0 : s->map[rows.frame].J[rows.count * rows.of + i];
    for (int j = 0; j < p.nj; j++)
      fly_frames_add_entry(x, factor, map, columns.count * columns.of + j, L, *place++);
  }
}

static void join_column(fly_system *s, int c, places *place, const fly_lean_values *out) {
  const fly_lean_join *l = s->lean;
  const fly_join *join = &s->join_J;
  const fly_span columns = fly_system_span(s, c);
  const fly_frame_map *map = columns.frame >= 0 ? &s->map[columns.frame] : NULL;
  fly_own_rows own = fly_own_rows_begin(s, columns.count);
  for (int k = l->kept_start[c]; k < l->kept_start[c + 1]; k++) {
    const int e = l->kept[k], row = join->wide.row[e];
    const double x[3] = {join->value[0][e], join->value[1][e], join->value[2][e]};
    const fly_span rows = fly_system_span(s, row);
    const part p = part_of(s, l, row, c);
    if (p.fate == OWN)
      fly_own_rows_add(&own, x, s->map[rows.frame].J + (ptrdiff_t)rows.count * rows.of, rows.count);
    else if (p.fate == ANSWER) {
      join_answer(x, map, columns, place->W, out->W);
      place->W += p.nj;
    } else {
      join_part(s, x, p, rows, columns, place->L, out->L);
      place->L += p.ni * p.nj;
    }
  }
  if (map) {
    const fly_own_block block = block_of(s, fly_frame_body(s, columns.frame));
    fly_own_rows_close(&own, map, columns.of, &block, out->L);
  }
}

static void add_arms(const fly_system *s, double *U) {
  const int *place = s->lean->place_U;
  for (int k = 0; k < s->model->nframe; k++) {
    const int n = fly_frame_body(s, k)->columns;
    for (int i = 0; s->lean->load[k] >= 0 && i < 6 * n; i++)
      U[*place++] = s->map[k].J[n * (i % 6) + i / 6];
  }
}

static void add_load_slopes(fly_system *s, const double *w, double *L2) {
  for (int k = 0; k < s->model->nframe; k++) {
    const fly_body *b = fly_frame_body(s, k);
    const fly_own_block block = block_of(s, b);
    const double *W = s->body_block;
    b->type->frames->loads(s->body_block, s->q_seen + b->iq, w + fly_frame_column(s->model, k), block.first < block.n,
                           fly_frame_marker(s, k), &b->own);
    for (int j = 0; j < block.n; j++) {
      const int rows = j < block.first ? block.n : block.first;
      for (int i = 0; i < rows; i++)
        L2[block.base[j] + i] += W[block.n * i + j];
      if (j >= block.first)
        L2[block.base[j] + rows] += W[(block.n + 1) * j];
    }
  }
}

int fly_lean_jacobian(const fly_lean_values *out, const fly_dae_state *at, void *user) {
  fly_system *s = user;
  fly_join *join = &s->join_J;
  s->leans = true;
  int status = fly_problem_jacobian(fly_join_begin(join, 0), fly_join_begin(join, 1), fly_join_begin(join, 2), at, s);
  s->leans = false;
  if (status)
    return status;
  fly_frames_find_slopes(s, at);
  places place = {s->lean->place_L, s->lean->place_W};
  for (int c = 0; c < join->wide.cols; c++)
    join_column(s, c, &place, out);
  add_arms(s, out->U);
  const double *w = fly_frames_find_loads(s, at, &status);
  if (w)
    add_load_slopes(s, w, out->L[2]);
  return status;
}
