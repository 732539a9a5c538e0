// Joints that stay open where a model fits as well as it can.
#include "analysis/open.h"

#include <math.h>
#include <string.h>

static const double PART = 1e-3; // of the worst row: less is what solving left

void fly_open_create(fly_open *o, const fly_model *m, fly_arena *memory) {
  o->q = fly_arena_doubles(memory, (size_t)m->nq);
  o->g = fly_arena_doubles(memory, (size_t)m->nrow);
}

void fly_open_note(fly_open *o, const fly_model *m, const double *q, const double *g) {
  if (o->found)
    return;
  memcpy(o->q, q, (size_t)m->nq * sizeof *q);
  memcpy(o->g, g, (size_t)m->nrow * sizeof *g);
  o->found = true;
}

static bool covers(const fly_term *t, int row) {
  int rows = 0;
  for (int bit = t->rows; bit; bit >>= 1)
    rows += bit & 1;
  return row >= t->row && row < t->row + rows;
}

const char *fly_row_unit(const fly_model *m, int row) {
  const char *unit = NULL;
  for (int k = 0; k < m->nterm; k++) {
    const fly_term *t = &m->term[k];
    if (!covers(t, row))
      continue;
    const char *one = t->kind == FLY_DOT || t->kind == FLY_ANGLE ? "rad" : "m";
    if (unit && one != unit)
      return "";
    unit = one;
  }
  return unit ? unit : "";
}

static int worst_row(const double *g, int count) {
  int worst = 0;
  for (int k = 1; k < count; k++)
    if (fabs(g[k]) > fabs(g[worst]))
      worst = k;
  return worst;
}

// Two unit vectors that should be perpendicular leave the sine of the angle that lacks.
static double angle_of(const fly_model *m, int row, double g) {
  for (int k = 0; k < m->nterm; k++)
    if (covers(&m->term[k], row) && m->term[k].kind == FLY_DOT)
      return asin(fmax(-1.0, fmin(g, 1.0)));
  return g;
}

// Rows of a joint are perpendicular to each other: what they leave open adds up as the sides of a box do.
static void add_row(fly_open_joint *j, const fly_model *m, int row, double g) {
  const char *unit = fly_row_unit(m, row);
  if (strcmp(unit, "m") == 0)
    j->length = hypot(j->length, g);
  else if (strcmp(unit, "rad") == 0)
    j->angle = hypot(j->angle, angle_of(m, row, g));
}

int fly_open_joints(const fly_open *o, const fly_model *m, fly_open_joint *list, int most) {
  int count = 0, last = -1;
  if (!o->found || m->nrow == 0)
    return 0;
  const int worst = worst_row(o->g, m->nrow);
  for (int k = 0; k < m->nrow; k++) {
    const int item = m->row[k].item;
    if (!(fabs(o->g[k]) > PART * fabs(o->g[worst])))
      continue;
    if (item != last && count == most)
      break;
    if (item != last)
      list[count++] = (fly_open_joint){.name = m->spec->item[item].name};
    add_row(&list[count - 1], m, k, o->g[k]);
    last = item;
  }
  const char *first = m->spec->item[m->row[worst].item].name;
  for (int k = 1; k < count; k++)
    if (list[k].name == first) {
      const fly_open_joint joint = list[k];
      memmove(list + 1, list, (size_t)k * sizeof *list);
      list[0] = joint;
    }
  return count;
}
