// Bodies whose markers have frames of their own: elements answer in six columns a marker, and here those become the
// body's. "Wide" vectors and matrices have the columns of v, then six for each such frame; every other file of this
// room fills these. With (dr/dt, w) = J v of the frames and T = (1; J),
//
//   f = T^T f_wide,   G = G_wide T,   d(G v)/dq = Z_wide T + G_wide d(T v)/dq,   gamma = gamma_wide + G_wide b
//   J0 = L^T J0_wide T
//   J1 = L^T (J1_wide T + J0_wide db/dv)
//   J2 = L^T (J2_wide T + J1_wide d(T v)/dq + J0_wide (d(T v')/dq + db/dq)) + d(T^T w)/dq,   w = G_wide^T lambda -
//   f_wide
//
// with L = T in the rows of motion and 1 in those of states and outputs, and b the bias (docs/theory/elements.md,
// E-frames). A model without such bodies has none of this: its wide columns are those of v.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "system/frames.h"

// ------------------------------------------------------------------------------------------ frames

const fly_body *fly_frame_body(const fly_system *s, int frame) {
  return &s->model->body[s->model->marker[s->map[frame].marker].body];
}

const fly_marker *fly_frame_marker(const fly_system *s, int frame) { return &s->model->marker[s->map[frame].marker].m; }

bool fly_system_take_frames(fly_system *s) {
  const fly_model *m = s->model;
  const size_t n = (size_t)m->nframe, wide = (size_t)fly_wide(m);
  fly_arena *a = &s->work;
  s->frame = fly_arena_take(a, n, sizeof *s->frame);
  s->frame_marker = fly_arena_take(a, n, sizeof *s->frame_marker);
  s->map = fly_arena_take(a, n, sizeof *s->map);
  for (int k = 0; k < 5; k++)
    s->wide[k] = fly_arena_doubles(a, n > 0 ? wide : 0);
  for (int k = 0; k < m->nmarker && !a->failed; k++) {
    const int frame = m->marker[k].frame;
    if (frame < 0)
      continue;
    const size_t columns = 6 * (size_t)m->body[m->marker[k].body].columns;
    fly_frame_map *map = &s->map[frame];
    map->marker = k;
    map->J = fly_arena_doubles(a, columns);
    map->rates = fly_arena_doubles(a, columns);
    map->swing = fly_arena_doubles(a, columns);
    map->bias_v = fly_arena_doubles(a, columns);
    memcpy(s->frame_marker[frame].A, m->marker[k].m.A, sizeof m->marker[k].m.A);
    memcpy(s->frame_marker[frame].s, m->marker[k].offset, sizeof m->marker[k].offset);
  }
  return !a->failed;
}

fly_seen fly_system_seen(const fly_system *s, int marker) {
  const fly_model_marker *m = &s->model->marker[marker];
  if (m->frame >= 0)
    return (fly_seen){&s->frame[m->frame], &s->frame_marker[m->frame]};
  return (fly_seen){&s->body[body_index(s, marker)], &m->m};
}

void fly_system_place_frames(fly_system *s) {
  for (int k = 0; k < s->model->nframe; k++) {
    const fly_body *b = fly_frame_body(s, k);
    const double *q = s->q_seen + b->iq;
    b->type->frames->position(&s->frame[k], q, fly_frame_marker(s, k), &b->own);
    b->type->frames->jacobian(s->map[k].J, q, fly_frame_marker(s, k), &b->own);
  }
}

// out (6) = A x, A (6 x n)
static void times(double out[6], const double *A, const double *x, int n) {
  for (int i = 0; i < 6; i++) {
    out[i] = 0;
    for (int j = 0; j < n; j++)
      out[i] += A[n * i + j] * x[j];
  }
}

void fly_system_move_frames(fly_system *s) {
  for (int k = 0; k < s->model->nframe; k++) {
    const fly_body *b = fly_frame_body(s, k);
    const double *q = s->q_seen + b->iq, *v = s->v_seen + b->iv;
    fly_frame_map *map = &s->map[k];
    double motion[6];
    times(motion, map->J, v, b->columns);
    memcpy(s->frame[k].v, motion, sizeof s->frame[k].v);
    memcpy(s->frame[k].w, motion + 3, sizeof s->frame[k].w);
    b->type->frames->bias(map->bias, q, v, fly_frame_marker(s, k), &b->own);
  }
  s->rates_known = false;
}

// d(J v)/dq of the frames where q and v were seen: derivatives alone ask for it.
static void find_rates(fly_system *s) {
  for (int k = 0; k < s->model->nframe && !s->rates_known; k++) {
    const fly_body *b = fly_frame_body(s, k);
    b->type->frames->rates(s->map[k].rates, s->q_seen + b->iq, s->v_seen + b->iv, fly_frame_marker(s, k), &b->own);
  }
  s->rates_known = true;
}

// What a change of q and v does to the accelerations of the frames.
static void find_swings(fly_system *s, const fly_dae_state *at) {
  for (int k = 0; k < s->model->nframe; k++) {
    const fly_body *b = fly_frame_body(s, k);
    const double *q = at->q + b->iq;
    fly_frame_map *map = &s->map[k];
    b->type->frames->rates(map->swing, q, at->vdot + b->iv, fly_frame_marker(s, k), &b->own);
    b->type->frames->biases(s->body_block, map->bias_v, q, at->v + b->iv, fly_frame_marker(s, k), &b->own);
    for (int i = 0; i < 6 * b->columns; i++)
      map->swing[i] += s->body_block[i];
  }
}

void fly_frames_find_slopes(fly_system *s, const fly_dae_state *at) {
  find_swings(s, at);
  find_rates(s);
}

const double *fly_system_wide_accelerations(fly_system *s, const fly_dae_state *at) {
  const fly_model *m = s->model;
  s->wide_acceleration = at->vdot;
  if (m->nframe == 0 || !at->vdot)
    return at->vdot;
  double *wide = s->wide[0];
  memcpy(wide, at->vdot, (size_t)m->nv * sizeof *wide);
  for (int k = 0; k < m->nframe; k++) {
    double *own = wide + fly_frame_column(m, k);
    const fly_body *b = fly_frame_body(s, k);
    times(own, s->map[k].J, at->vdot + b->iv, b->columns);
    for (int c = 0; c < 6; c++)
      own[c] += s->map[k].bias[c];
  }
  return s->wide_acceleration = wide;
}

fly_wide_move fly_system_wide_move(fly_system *s, const fly_dae_state *at, const double *dq, const double *dv) {
  const fly_model *m = s->model;
  fly_wide_move move = {fly_system_wide_accelerations(s, at), dq, dv, NULL};
  if (m->nframe == 0)
    return move;
  double *const wide[3] = {s->wide[1], s->wide[2], s->wide[3]};
  fly_frames_find_slopes(s, at);
  memset(wide[2], 0, (size_t)fly_wide(m) * sizeof *wide[2]);
  memcpy(wide[0], dq, (size_t)m->nv * sizeof *dq);
  memcpy(wide[1], dv, (size_t)m->nv * sizeof *dv);
  for (int k = 0; k < m->nframe; k++) {
    const fly_body *b = fly_frame_body(s, k);
    const fly_frame_map *map = &s->map[k];
    const int first = fly_frame_column(m, k);
    double by_q[6], by_v[6];
    times(wide[0] + first, map->J, dq + b->iv, b->columns);
    times(wide[1] + first, map->J, dv + b->iv, b->columns);
    times(by_q, map->rates, dq + b->iv, b->columns);
    for (int c = 0; c < 6; c++)
      wide[1][first + c] += by_q[c];
    times(by_q, map->swing, dq + b->iv, b->columns);
    times(by_v, map->bias_v, dv + b->iv, b->columns);
    for (int c = 0; c < 6; c++)
      wide[2][first + c] = by_q[c] + by_v[c];
  }
  return (fly_wide_move){move.a, wide[0], wide[1], wide[2]};
}

// ------------------------------------------------------------------------------------------ vectors

static double *cleared(const fly_system *s, double *wide) {
  memset(wide, 0, (size_t)fly_wide(s->model) * sizeof *wide);
  return wide;
}

double *fly_system_open(fly_system *s, double *out) { return cleared(s, s->model->nframe > 0 ? s->wide[1] : out); }

// out += A^T w of each frame, w from the wide vector
static void add_transposed(const fly_system *s, const double *wide, double *out) {
  for (int k = 0; k < s->model->nframe; k++) {
    const fly_body *b = fly_frame_body(s, k);
    const double *w = wide + fly_frame_column(s->model, k);
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < b->columns; j++)
        out[b->iv + j] += s->map[k].J[b->columns * i + j] * w[i];
  }
}

void fly_system_close(const fly_system *s, double *out) {
  if (s->model->nframe == 0)
    return;
  memcpy(out, s->wide[1], (size_t)s->model->nv * sizeof *out);
  add_transposed(s, s->wide[1], out);
}

fly_slopes fly_system_open_slopes(fly_system *s, const fly_slopes *out) {
  fly_slopes wide = *out;
  if (s->model->nframe > 0) {
    wide.q = s->wide[2];
    wide.v = s->wide[3];
    wide.vdot = s->wide[4];
  }
  cleared(s, wide.q);
  cleared(s, wide.v);
  cleared(s, wide.vdot);
  return wide;
}

void fly_system_close_slopes(fly_system *s, const fly_dae_state *at, const fly_slopes *wide, const fly_slopes *out) {
  const fly_model *m = s->model;
  if (m->nframe == 0)
    return;
  fly_frames_find_slopes(s, at);
  memcpy(out->q, wide->q, (size_t)m->nv * sizeof *out->q);
  memcpy(out->v, wide->v, (size_t)m->nv * sizeof *out->v);
  memcpy(out->vdot, wide->vdot, (size_t)m->nv * sizeof *out->vdot);
  for (int k = 0; k < m->nframe; k++) {
    const fly_body *b = fly_frame_body(s, k);
    const fly_frame_map *map = &s->map[k];
    for (int i = 0; i < 6; i++)
      for (int j = 0, at_wide = fly_frame_column(m, k) + i; j < b->columns; j++) {
        const int e = b->columns * i + j;
        const double q = wide->q[at_wide], v = wide->v[at_wide], a = wide->vdot[at_wide];
        out->q[b->iv + j] += q * map->J[e] + v * map->rates[e] + a * map->swing[e];
        out->v[b->iv + j] += v * map->J[e] + a * map->bias_v[e];
        out->vdot[b->iv + j] += a * map->J[e];
      }
  }
}

// ------------------------------------------------------------------------------------------ patterns

fly_span fly_system_span(const fly_system *s, int wide) {
  const fly_model *m = s->model;
  if (wide < m->nv)
    return (fly_span){wide, 1, -1, 0};
  if (wide >= fly_wide(m))
    return (fly_span){wide - 6 * m->nframe, 1, -1, 0};
  const int frame = (wide - m->nv) / 6;
  const fly_body *b = fly_frame_body(s, frame);
  return (fly_span){b->iv, b->columns, frame, (wide - m->nv) % 6};
}

// Rows are those of constraints, or wide as the columns are.
static fly_span row_span(const fly_system *s, const fly_join *j, int row) {
  return j->rows_are_wide ? fly_system_span(s, row) : (fly_span){row, 1, -1, 0};
}

static size_t count_entries(const fly_system *s, const fly_join *join) {
  size_t n = 0;
  for (int c = 0; c < join->wide.cols; c++)
    for (int e = join->wide.start[c]; e < join->wide.start[c + 1]; e++)
      n += (size_t)row_span(s, join, join->wide.row[e]).count * (size_t)fly_system_span(s, c).count;
  return n;
}

static void list_entries(const fly_system *s, const fly_join *join, int *row, int *col) {
  for (int c = 0; c < join->wide.cols; c++)
    for (int e = join->wide.start[c]; e < join->wide.start[c + 1]; e++) {
      const fly_span rows = row_span(s, join, join->wide.row[e]), columns = fly_system_span(s, c);
      for (int i = 0; i < rows.count; i++)
        for (int j = 0; j < columns.count; j++) {
          *row++ = rows.first + i;
          *col++ = columns.first + j;
        }
    }
}

// The pattern that was made is the wide one; in its place stands that of the solver.
static fly_status join_pattern(fly_system *s, fly_csc *pattern, fly_join *join, bool rows_are_wide, fly_error *error) {
  *join = (fly_join){.wide = *pattern, .rows_are_wide = rows_are_wide};
  *pattern = (fly_csc){0};
  if (!join->wide.start) // there are no such rows
    return FLY_OK;
  const size_t n = count_entries(s, join), own = (size_t)fly_csc_nnz(&join->wide);
  const int less = 6 * s->model->nframe;
  fly_arena work = {0};
  int *row = fly_arena_ints(&work, n), *col = fly_arena_ints(&work, n);
  join->place = fly_arena_ints(&s->memory, n);
  for (int k = 0; k < 3; k++)
    join->value[k] = fly_arena_doubles(&s->work, own);
  fly_status status = FLY_OK;
  if (work.failed || s->memory.failed || s->work.failed)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d frames of markers.", s->model->nframe);
  if (status == FLY_OK) {
    list_entries(s, join, row, col);
    status = fly_csc_from_entries(pattern, join->wide.rows - (rows_are_wide ? less : 0), join->wide.cols - less, (int)n,
                                  row, col, join->place, error);
  }
  fly_arena_free(&work);
  return status;
}

fly_status fly_system_join_patterns(fly_system *s, fly_error *error) {
  const fly_model *m = s->model;
  if (m->nframe == 0)
    return FLY_OK;
  fly_status status = join_pattern(s, &s->G, &s->join_G, false, error);
  if (status == FLY_OK)
    status = join_pattern(s, &s->B, &s->join_B, false, error);
  if (status == FLY_OK)
    status = join_pattern(s, &s->J, &s->join_J, true, error);
  for (int k = 0; k < m->nframe && status == FLY_OK; k++) {
    const fly_body *b = fly_frame_body(s, k);
    s->map[k].base = fly_arena_ints(&s->memory, (size_t)b->columns);
    if (s->memory.failed)
      return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d frames of markers.", m->nframe);
    for (int j = 0; j < b->columns; j++)
      s->map[k].base[j] = fly_csc_find(&s->J, b->iv, b->iv + j);
  }
  return status;
}

double *fly_join_begin(fly_join *join, int k) {
  if (join->wide.start)
    memset(join->value[k], 0, (size_t)fly_csc_nnz(&join->wide) * sizeof *join->value[k]);
  return join->value[k];
}

// ------------------------------------------------------------------------------------------ rows of constraints

// out += A T + R d(T v)/dq; R NULL: none
static void join_rows(const fly_system *s, const fly_join *join, const double *A, const double *R, double *out) {
  const int *place = join->place;
  for (int c = 0; c < join->wide.cols; c++) {
    const fly_span columns = fly_system_span(s, c);
    const fly_frame_map *map = columns.frame >= 0 ? &s->map[columns.frame] : NULL;
    for (int e = join->wide.start[c]; e < join->wide.start[c + 1]; e++)
      for (int j = 0; j < columns.count; j++) {
        const int at = columns.count * columns.of + j;
        out[*place++] += map ? A[e] * map->J[at] + (R ? R[e] * map->rates[at] : 0.0) : A[e];
      }
  }
}

// gamma += A b
static void add_biases(const fly_system *s, const fly_join *join, const double *A, double *gamma) {
  for (int c = s->model->nv; c < join->wide.cols; c++) {
    const fly_span columns = fly_system_span(s, c);
    for (int e = join->wide.start[c]; e < join->wide.start[c + 1]; e++)
      gamma[join->wide.row[e]] += A[e] * s->map[columns.frame].bias[columns.of];
  }
}

// One of the two kinds of rows.
typedef struct kind {
  fly_position_fn *rows;
  fly_velocity_fn *rates, *gamma;
} kind;
static const kind HOLONOMIC = {fly_problem_constraint_jacobian, fly_problem_constraint_velocity_jacobian,
                               fly_problem_constraint_gamma};
static const kind NONHOLONOMIC = {fly_problem_nonholonomic, fly_problem_nonholonomic_velocity_jacobian,
                                  fly_problem_nonholonomic_gamma};

static int give_rows(fly_system *s, fly_join *join, const kind *of, double *out, double t, const double *q) {
  int status = of->rows(fly_join_begin(join, 0), t, q, s);
  if (status == 0)
    join_rows(s, join, join->value[0], NULL, out);
  return status;
}

static int give_rates(fly_system *s, fly_join *join, const kind *of, double *out, double t, const double *q,
                      const double *v) {
  int status = of->rows(fly_join_begin(join, 0), t, q, s);
  if (status == 0)
    status = of->rates(fly_join_begin(join, 1), t, q, v, s);
  find_rates(s);
  if (status == 0)
    join_rows(s, join, join->value[1], join->value[0], out);
  return status;
}

static int give_gamma(fly_system *s, fly_join *join, const kind *of, double *out, double t, const double *q,
                      const double *v) {
  int status = of->rows(fly_join_begin(join, 0), t, q, s);
  if (status == 0)
    status = of->gamma(out, t, q, v, s);
  if (status == 0)
    add_biases(s, join, join->value[0], out);
  return status;
}

// The three callbacks of a kind.
#define CALLBACKS(rows, rates, gamma, kind, join)                                                                      \
  int rows(double *out, double t, const double *q, void *user) {                                                       \
    fly_system *s = user;                                                                                              \
    return give_rows(s, &s->join, &(kind), out, t, q);                                                                 \
  }                                                                                                                    \
  int rates(double *out, double t, const double *q, const double *v, void *user) {                                     \
    fly_system *s = user;                                                                                              \
    return give_rates(s, &s->join, &(kind), out, t, q, v);                                                             \
  }                                                                                                                    \
  int gamma(double *out, double t, const double *q, const double *v, void *user) {                                     \
    fly_system *s = user;                                                                                              \
    return give_gamma(s, &s->join, &(kind), out, t, q, v);                                                             \
  }

CALLBACKS(fly_framed_constraint_jacobian, fly_framed_constraint_velocity_jacobian, fly_framed_constraint_gamma,
          HOLONOMIC, join_G)
CALLBACKS(fly_framed_nonholonomic, fly_framed_nonholonomic_velocity_jacobian, fly_framed_nonholonomic_gamma,
          NONHOLONOMIC, join_B)

// ------------------------------------------------------------------------------------------ forces

int fly_framed_force(double *f, const fly_dae_state *at, void *user) {
  fly_system *s = user;
  int status = fly_problem_force(fly_system_open(s, f), at, s);
  fly_system_close(s, f);
  return status;
}

// w += A^T lambda in the wide columns.
static void add_reactions(const fly_join *join, const double *A, const double *lambda, double *w) {
  for (int c = 0; c < join->wide.cols; c++)
    for (int e = join->wide.start[c]; e < join->wide.start[c + 1]; e++)
      w[c] += A[e] * lambda[join->wide.row[e]];
}

// What constraints and forces do to the frames, as it stands in the equations of motion: G^T lambda - f.
static int find_loads(fly_system *s, const fly_dae_state *at, double *w) {
  const int n = fly_wide(s->model);
  int status = fly_problem_force(w, at, s);
  for (int i = 0; i < n; i++)
    w[i] = -w[i];
  if (status == 0)
    status = fly_problem_constraint_jacobian(fly_join_begin(&s->join_G, 0), at->t, at->q, s);
  if (status == 0)
    add_reactions(&s->join_G, s->join_G.value[0], at->lambda, w);
  if (status == 0 && s->join_B.wide.start) {
    status = fly_problem_nonholonomic(fly_join_begin(&s->join_B, 0), at->t, at->q, s);
    add_reactions(&s->join_B, s->join_B.value[0], at->lambda + s->nactive, w);
  }
  return status;
}

const double *fly_frames_find_loads(fly_system *s, const fly_dae_state *at, int *status) {
  double *w = cleared(s, s->wide[1]);
  *status = find_loads(s, at, w);
  return *status ? NULL : w;
}

static void add_load_slopes(fly_system *s, const double *w, double *J2) {
  for (int k = 0; k < s->model->nframe; k++) {
    const fly_body *b = fly_frame_body(s, k);
    const int n = b->columns;
    b->type->frames->loads(s->body_block, s->q_seen + b->iq, w + fly_frame_column(s->model, k), false,
                           fly_frame_marker(s, k), &b->own);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        J2[s->map[k].base[j] + i] += s->body_block[n * i + j];
  }
}

void fly_frames_add_entry(const double x[3], double factor, const fly_frame_map *map, int at, double *const J[3],
                          int place) {
  if (!map) {
    for (int k = 0; k < 3; k++)
      J[k][place] += factor * x[k];
    return;
  }
  J[0][place] += factor * x[0] * map->J[at];
  J[1][place] += factor * (x[1] * map->J[at] + x[0] * map->bias_v[at]);
  J[2][place] += factor * (x[2] * map->J[at] + x[1] * map->rates[at] + x[0] * map->swing[at]);
}

void fly_own_rows_add(fly_own_rows *own, const double x[3], const double *J, int n) {
  for (int k = 0; k < 3; k++) {
    own->any[k] = own->any[k] || x[k] != 0;
    for (int i = 0; x[k] != 0 && i < n; i++)
      own->z[k][i] += x[k] * J[i];
  }
}

// out += z row^T in the block of a body.
static void add_rank_one(double *out, const fly_own_block *b, const double *z, const double *row) {
  for (int j = 0; j < b->n; j++) {
    const int rows = j < b->first ? b->n : b->first;
    for (int i = 0; row[j] != 0 && i < rows; i++)
      out[b->base[j] + i] += z[i] * row[j];
    if (j >= b->first)
      out[b->base[j] + rows] += z[j] * row[j];
  }
}

// Of the modes' block, which is square in their number, each wide column then is a product of two vectors, not of two
// matrices.
void fly_own_rows_close(const fly_own_rows *own, const fly_frame_map *map, int of, const fly_own_block *b,
                        double *const J[3]) {
  const int at = b->n * of;
  if (own->any[0]) {
    add_rank_one(J[0], b, own->z[0], map->J + at);
    add_rank_one(J[1], b, own->z[0], map->bias_v + at);
    add_rank_one(J[2], b, own->z[0], map->swing + at);
  }
  if (own->any[1]) {
    add_rank_one(J[1], b, own->z[1], map->J + at);
    add_rank_one(J[2], b, own->z[1], map->rates + at);
  }
  if (own->any[2])
    add_rank_one(J[2], b, own->z[2], map->J + at);
}

fly_own_rows fly_own_rows_begin(fly_system *s, int n) {
  double *z = s->body_block; // of the widest body, and 3 <= n there
  memset(z, 0, 3 * (size_t)n * sizeof *z);
  return (fly_own_rows){{z, z + n, z + 2 * n}, {false}};
}

// Rows of one wide entry that are not such, one after another in `place`; returns what follows.
static const int *join_entry(const fly_system *s, const double x[3], fly_span rows, fly_span columns, const int *place,
                             double *const J[3]) {
  const fly_frame_map *map = columns.frame >= 0 ? &s->map[columns.frame] : NULL;
  for (int i = 0; i < rows.count; i++) {
    const double factor = rows.frame < 0 ? 1.0 : s->map[rows.frame].J[rows.count * rows.of + i];
    for (int j = 0; j < columns.count; j++)
      fly_frames_add_entry(x, factor, map, columns.count * columns.of + j, J, *place++);
  }
  return place;
}

static void join_square(fly_system *s, const fly_join *join, double *const J[3]) {
  const int *place = join->place;
  for (int c = 0; c < join->wide.cols; c++) {
    const fly_span columns = fly_system_span(s, c);
    const int n = columns.count;
    fly_own_rows own = fly_own_rows_begin(s, n);
    for (int e = join->wide.start[c]; e < join->wide.start[c + 1]; e++) {
      const fly_span rows = row_span(s, join, join->wide.row[e]);
      const double x[3] = {join->value[0][e], join->value[1][e], join->value[2][e]};
      if (columns.frame >= 0 && rows.frame >= 0 && rows.first == columns.first) {
        fly_own_rows_add(&own, x, s->map[rows.frame].J + (ptrdiff_t)n * rows.of, n);
        place += n * n;
      } else
        place = join_entry(s, x, rows, columns, place, J);
    }
    if (columns.frame >= 0) {
      const fly_frame_map *map = &s->map[columns.frame];
      fly_own_rows_close(&own, map, columns.of, &(fly_own_block){map->base, n, n}, J);
    }
  }
}

int fly_framed_jacobian(double *J0, double *J1, double *J2, const fly_dae_state *at, void *user) {
  fly_system *s = user;
  fly_join *join = &s->join_J;
  int status = fly_problem_jacobian(fly_join_begin(join, 0), fly_join_begin(join, 1), fly_join_begin(join, 2), at, s);
  if (status)
    return status;
  fly_frames_find_slopes(s, at);
  join_square(s, join, (double *const[3]){J0, J1, J2});
  const double *w = fly_frames_find_loads(s, at, &status);
  if (w)
    add_load_slopes(s, w, J2);
  return status;
}

// ------------------------------------------------------------------------------------------ mass

int fly_framed_mass(double *M, double t, const double *q, void *user) {
  const fly_system *s = user;
  const fly_model *m = s->model;
  int status = fly_problem_mass(M, t, q, user);
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    if (!b->type->mass_slope)
      continue;
    b->type->mass(s->body_block, &(fly_body_at){.q = q + b->iq, .memory = s->body_memory[k]}, &b->own);
    for (int j = 0; j < b->columns; j++)
      for (int e = s->M.start[b->iv + j]; e < s->M.start[b->iv + j + 1]; e++)
        M[e] = s->body_block[b->columns * (s->M.row[e] - b->iv) + j];
  }
  return status;
}
