// Surfaces: tensor products of curves, which are linear in their values. Along each row goes the curve through its
// values; across, row k weighs by the curve that is 1 there and 0 at the others.
#include <stddef.h>

#include "expr/expr.h"

typedef struct grid {
  int n, rows;               // points of a row, rows
  const double *x, *y;       // abscissas of both
  const double *values;      // given
  int step, next;            // from a point to the next, from a row to the next, in what is given
  double *value, *slope;     // of the rows (rows x n)
  double *unit, *unit_slope; // of what they weigh (rows x rows)
  double *work;
} grid;

static bool take(grid *g, fly_arena *memory) {
  const size_t n = (size_t)g->n, rows = (size_t)g->rows;
  g->value = fly_arena_doubles(memory, n * rows);
  g->slope = fly_arena_doubles(memory, n * rows);
  g->unit = fly_arena_doubles(memory, rows * rows);
  g->unit_slope = fly_arena_doubles(memory, rows * rows);
  g->work = fly_arena_doubles(memory, n);
  return !memory->failed;
}

static void set_row(const grid *g, int k, fly_spline along[FLY_SURFACES], fly_spline across[FLY_SURFACES]) {
  double *value = g->value + (ptrdiff_t)k * g->n, *slope = g->slope + (ptrdiff_t)k * g->n;
  double *unit = g->unit + (ptrdiff_t)k * g->rows, *unit_slope = g->unit_slope + (ptrdiff_t)k * g->rows;
  for (int i = 0; i < g->n; i++)
    value[i] = g->values[(ptrdiff_t)k * g->next + (ptrdiff_t)i * g->step];
  unit[k] = 1;
  fly_spline_cubic(slope, g->x, value, g->n, g->work);
  fly_spline_cubic(unit_slope, g->y, unit, g->rows, g->work);
  along[FLY_SURFACE_LINEAR] = (fly_spline){.n = g->n, .x = g->x, .y = value};
  along[FLY_SURFACE_CUBIC] = (fly_spline){.n = g->n, .x = g->x, .y = value, .slope = slope};
  across[FLY_SURFACE_LINEAR] = (fly_spline){.n = g->rows, .x = g->y, .y = unit};
  across[FLY_SURFACE_CUBIC] = (fly_spline){.n = g->rows, .x = g->y, .y = unit, .slope = unit_slope};
}

// The sum goes over the fewer of the two.
bool fly_expr_surface_make(fly_expr_table *table, const char *name, int nx, const double *x, int ny, const double *y,
                           const double *values, fly_arena *memory) {
  const bool swapped = nx < ny;
  grid g = swapped ? (grid){.n = ny, .rows = nx, .x = y, .y = x, .values = values, .step = nx, .next = 1}
                   : (grid){.n = nx, .rows = ny, .x = x, .y = y, .values = values, .step = 1, .next = nx};
  fly_spline *along[FLY_SURFACES], *across[FLY_SURFACES];
  for (int kind = 0; kind < FLY_SURFACES; kind++) {
    along[kind] = fly_arena_take(memory, (size_t)g.rows, sizeof *along[kind]);
    across[kind] = fly_arena_take(memory, (size_t)g.rows, sizeof *across[kind]);
  }
  if (!take(&g, memory))
    return false;
  *table = (fly_expr_table){.name = name, .rows = g.rows, .swapped = swapped};
  for (int k = 0; k < g.rows; k++) {
    fly_spline one[FLY_SURFACES], other[FLY_SURFACES];
    set_row(&g, k, one, other);
    for (int kind = 0; kind < FLY_SURFACES; kind++) {
      along[kind][k] = one[kind];
      across[kind][k] = other[kind];
    }
  }
  for (int kind = 0; kind < FLY_SURFACES; kind++) {
    table->along[kind] = along[kind];
    table->across[kind] = across[kind];
  }
  return true;
}
