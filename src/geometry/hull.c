// Point by point: triangles that see a new one give way to those between it and the edge of what they leave (as de Berg
// and others, Computational Geometry, 2008, chapter 11, without its sorting: n points against f triangles). Then
// triangles of one plane become one face.
#include "geometry/hull.h"

#include <math.h>
#include <string.h>

#include "math/so3.h"

static const double THIN = 1e-9; // of the size: in the plane
enum { TRIANGLES = 2 * FLY_HULL_CORNERS + 8, EDGES = 3 * TRIANGLES };

typedef struct triangle {
  int of[3];
  double n[3], far;
  int face; // its own, -1: none yet
  bool gone;
} triangle;

typedef struct making {
  int count, triangles, edges;
  const double (*point)[3];
  double thin;
  triangle *triangle; // (TRIANGLES)
  int (*edge)[2];     // of the hole (EDGES)
  int *used;          // number of a point as a corner, -1: it is none (count)
} making;

// ------------------------------------------------------------------------------------------ the first four

static double far_from(const double x[3], const double o[3], double basis[2][3], int n) {
  double d[3] = {x[0] - o[0], x[1] - o[1], x[2] - o[2]};
  for (int k = 0; k < n; k++) {
    const double along = fly_dot3(d, basis[k]);
    for (int c = 0; c < 3; c++)
      d[c] -= along * basis[k][c];
  }
  return sqrt(fly_dot3(d, d));
}

// The point farthest from what those before it span.
static int farthest(const making *m, const int *of, double basis[2][3], int n, double *far) {
  int best = 0;
  *far = -1;
  for (int k = 0; k < m->count; k++) {
    const double here = far_from(m->point[k], m->point[of[0]], basis, n);
    if (here > *far) {
      *far = here;
      best = k;
    }
  }
  return best;
}

static void keep_direction(double basis[2][3], int n, const double x[3], const double o[3]) {
  double d[3] = {x[0] - o[0], x[1] - o[1], x[2] - o[2]};
  for (int k = 0; k < n; k++) {
    const double along = fly_dot3(d, basis[k]);
    for (int c = 0; c < 3; c++)
      d[c] -= along * basis[k][c];
  }
  const double size = sqrt(fly_dot3(d, d));
  for (int c = 0; c < 3; c++)
    basis[n][c] = d[c] / size;
}

static fly_hull_verdict first_four(making *m, int of[4]) {
  static const fly_hull_verdict flat[3] = {FLY_HULL_ONE_PLACE, FLY_HULL_ONE_LINE, FLY_HULL_ONE_PLANE};
  double basis[2][3] = {{0}}, far;
  of[0] = 0;
  for (int n = 0; n < 3; n++) {
    of[n + 1] = farthest(m, of, basis, n, &far);
    if (far <= m->thin)
      return flat[n];
    if (n < 2)
      keep_direction(basis, n, m->point[of[n + 1]], m->point[of[0]]);
  }
  return FLY_HULL_GOOD;
}

// ------------------------------------------------------------------------------------------ one more

static bool add_triangle(making *m, int i, int j, int k) {
  triangle *t = &m->triangle[m->triangles];
  double e[2][3];
  if (m->triangles == TRIANGLES)
    return false;
  *t = (triangle){.of = {i, j, k}, .face = -1};
  for (int c = 0; c < 3; c++) {
    e[0][c] = m->point[j][c] - m->point[i][c];
    e[1][c] = m->point[k][c] - m->point[i][c];
  }
  fly_cross(t->n, e[0], e[1]);
  const double size = sqrt(fly_dot3(t->n, t->n));
  for (int c = 0; c < 3; c++)
    t->n[c] = size > 0 ? t->n[c] / size : 0.0;
  t->far = fly_dot3(t->n, m->point[i]);
  m->triangles++;
  return true;
}

static void start(making *m, const int of[4]) {
  static const int order[2][4][3] = {{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}},
                                     {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
  add_triangle(m, of[0], of[1], of[2]);
  const bool up = fly_dot3(m->triangle[0].n, m->point[of[3]]) > m->triangle[0].far;
  m->triangles = 0;
  for (int k = 0; k < 4; k++)
    add_triangle(m, of[order[up][k][0]], of[order[up][k][1]], of[order[up][k][2]]);
}

// The edge of a neighbour that is gone too runs the other way, and goes with it.
static void add_edge(making *m, int i, int j) {
  for (int k = 0; k < m->edges; k++)
    if (m->edge[k][0] == j && m->edge[k][1] == i) {
      m->edges--;
      m->edge[k][0] = m->edge[m->edges][0];
      m->edge[k][1] = m->edge[m->edges][1];
      return;
    }
  m->edge[m->edges][0] = i;
  m->edge[m->edges++][1] = j;
}

static bool add_point(making *m, int p) {
  int kept = 0;
  m->edges = 0;
  for (int k = 0; k < m->triangles; k++) {
    triangle *t = &m->triangle[k];
    t->gone = fly_dot3(t->n, m->point[p]) - t->far > m->thin;
    for (int c = 0; t->gone && c < 3; c++)
      add_edge(m, t->of[c], t->of[(c + 1) % 3]);
  }
  if (m->edges == 0)
    return true;
  for (int k = 0; k < m->triangles; k++)
    if (!m->triangle[k].gone)
      m->triangle[kept++] = m->triangle[k];
  m->triangles = kept;
  bool good = true;
  for (int k = 0; good && k < m->edges; k++)
    good = add_triangle(m, m->edge[k][0], m->edge[k][1], p);
  return good;
}

// ------------------------------------------------------------------------------------------ faces

static bool lies_in(const making *m, const triangle *t, const triangle *plane) {
  for (int c = 0; c < 3; c++)
    if (fabs(fly_dot3(plane->n, m->point[t->of[c]]) - plane->far) > m->thin)
      return false;
  return true;
}

static bool are_neighbours(const triangle *a, const triangle *b) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      if (a->of[i] == b->of[(j + 1) % 3] && a->of[(i + 1) % 3] == b->of[j])
        return true;
  return false;
}

// All triangles that a triangle reaches within its plane.
static void spread(making *m, int seed, int face) {
  bool more = true;
  m->triangle[seed].face = face;
  while (more) {
    more = false;
    for (int k = 0; k < m->triangles; k++) {
      const bool flat = m->triangle[k].face < 0 && lies_in(m, &m->triangle[k], &m->triangle[seed]);
      for (int i = 0; flat && m->triangle[k].face < 0 && i < m->triangles; i++)
        if (m->triangle[i].face == face && are_neighbours(&m->triangle[k], &m->triangle[i])) {
          m->triangle[k].face = face;
          more = true;
        }
    }
  }
}

// Triangles that are needles have no normal of their own: others take them in first.
static int find_faces(making *m, int *seed) {
  int faces = 0;
  for (;;) {
    int best = -1;
    double most = -1;
    for (int k = 0; k < m->triangles; k++) {
      const triangle *t = &m->triangle[k];
      const double *a = m->point[t->of[0]], *b = m->point[t->of[1]], *c = m->point[t->of[2]];
      const double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, f[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
      double n[3];
      fly_cross(n, e, f);
      if (t->face < 0 && fly_dot3(n, n) > most) {
        most = fly_dot3(n, n);
        best = k;
      }
    }
    if (best < 0)
      return faces;
    seed[faces] = best;
    spread(m, best, faces++);
  }
}

// The edges around a face, chained: of[] gets its corners; how many.
static int walk_around(making *m, int face, int *of) {
  m->edges = 0;
  for (int k = 0; k < m->triangles; k++)
    for (int c = 0; m->triangle[k].face == face && c < 3; c++)
      add_edge(m, m->triangle[k].of[c], m->triangle[k].of[(c + 1) % 3]);
  for (int n = 0; n < m->edges; n++) {
    of[n] = m->edge[n][0];
    for (int k = n + 1; k < m->edges; k++)
      if (m->edge[k][0] == m->edge[n][1]) {
        const int keep[2] = {m->edge[n + 1][0], m->edge[n + 1][1]};
        memcpy(m->edge[n + 1], m->edge[k], sizeof keep);
        memcpy(m->edge[k], keep, sizeof keep);
        break;
      }
  }
  return m->edges;
}

static void number_corners(fly_hull *out, making *m, int total) {
  for (int k = 0; k < total; k++) {
    const int p = out->of[k];
    if (m->used[p] < 0) {
      m->used[p] = out->count;
      memcpy(out->corner[out->count++], m->point[p], sizeof out->corner[0]);
    }
    out->of[k] = m->used[p];
  }
}

static void measure(fly_hull *out) {
  out->thickness = INFINITY;
  for (int k = 0; k < out->faces; k++) {
    double low = 0;
    const double *o = out->corner[out->of[out->start[k]]];
    for (int c = 0; c < out->count; c++)
      low = fmin(low, fly_dot3(out->normal[k], out->corner[c]) - fly_dot3(out->normal[k], o));
    out->thickness = fmin(out->thickness, -low / 2);
  }
  for (int c = 0; c < out->count; c++)
    out->reach = fmax(out->reach, sqrt(fly_dot3(out->corner[c], out->corner[c])));
}

static fly_hull_verdict make_faces(fly_hull *out, making *m, fly_arena *memory, fly_arena *work) {
  int *seed = fly_arena_ints(work, TRIANGLES);
  const size_t n = (size_t)m->triangles;
  *out = (fly_hull){.corner = fly_arena_take(memory, n, sizeof *out->corner),
                    .normal = fly_arena_take(memory, n, sizeof *out->normal),
                    .start = fly_arena_ints(memory, n + 1),
                    .of = fly_arena_ints(memory, 3 * n)};
  if (memory->failed || work->failed || !out->of || !out->start || !out->normal || !seed)
    return FLY_HULL_NO_MEMORY;
  out->faces = find_faces(m, seed);
  for (int k = 0; k < out->faces; k++) {
    out->start[k + 1] = out->start[k] + walk_around(m, k, out->of + out->start[k]);
    memcpy(out->normal[k], m->triangle[seed[k]].n, sizeof out->normal[0]);
  }
  number_corners(out, m, out->start[out->faces]);
  measure(out);
  return FLY_HULL_GOOD;
}

// ------------------------------------------------------------------------------------------ all of it

// Points from the middle of the box around them; its size.
static double centre(double (*to)[3], double middle[3], int count, const double *point) {
  double size = 0;
  for (int c = 0; c < 3; c++) {
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < count; k++) {
      low = fmin(low, point[3 * (size_t)k + (size_t)c]);
      high = fmax(high, point[3 * (size_t)k + (size_t)c]);
    }
    middle[c] = (low + high) / 2;
    size = fmax(size, high - low);
    for (int k = 0; k < count; k++)
      to[k][c] = point[3 * (size_t)k + (size_t)c] - middle[c];
  }
  return size;
}

static fly_hull_verdict build(fly_hull *out, double middle[3], int count, const double *point, fly_arena *memory,
                              fly_arena *work) {
  double(*own)[3] = fly_arena_take(work, (size_t)count, sizeof *own);
  making m = {.count = count,
              .triangle = fly_arena_take(work, TRIANGLES, sizeof *m.triangle),
              .edge = fly_arena_take(work, EDGES, sizeof *m.edge),
              .used = fly_arena_ints(work, (size_t)count)};
  int of[4];
  if (work->failed || !own || !m.used)
    return FLY_HULL_NO_MEMORY;
  m.thin = THIN * centre(own, middle, count, point);
  m.point = (const double(*)[3])own;
  memset(m.used, -1, (size_t)count * sizeof *m.used);
  const fly_hull_verdict verdict = first_four(&m, of);
  if (verdict)
    return verdict;
  start(&m, of);
  for (int k = 0; k < count; k++)
    if (!add_point(&m, k))
      return FLY_HULL_MANY;
  return make_faces(out, &m, memory, work);
}

fly_hull_verdict fly_hull_build(fly_hull *out, double middle[3], int count, const double *point, fly_arena *memory) {
  fly_arena work = {0};
  const fly_hull_verdict verdict = build(out, middle, count, point, memory, &work);
  fly_arena_free(&work);
  return verdict;
}
