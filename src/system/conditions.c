// Conditions of events inside a step: where one comes true, or ceases to be, between the places at which it is looked
// at. It is followed along the motion in cells over which five points tell what it can do (docs/theory/control.md,
// C-conditions).
#include <float.h>
#include <math.h>

#include "system/cells.h"
#include "system/parts.h"

static const double FEWEST = 64; // roundings of the time: no cell is shorter
static const double ROUNDED = 2; // times what rounding errors of its inputs make of a condition: that is none
enum { CELLS = 4000, SAMPLES = FLY_EXPR_SAMPLES };

// Those of limits and frictions are made for the places at which roots are looked at.
static bool is_watched(const fly_model_event *e) { return e->part == NULL; }

static int count_watched(const fly_model *m) {
  int n = 0;
  for (int k = 0; k < m->nroot; k++)
    n += is_watched(&m->event[k]);
  return n;
}

bool fly_system_find_conditions(fly_system *s) {
  s->nwatched = count_watched(s->model);
  s->late_condition = fly_arena_take(&s->memory, (size_t)s->model->nroot, sizeof *s->late_condition);
  if (s->memory.failed)
    return false;
  for (int k = 0; k < s->model->nroot; k++)
    s->late_condition[k] = fly_trace_reads_delay(s->model, s->model->expression[s->model->event[k].when], s->sudden);
  return s->nwatched == 0 || fly_cells_take(s);
}

const char *fly_system_hidden_condition(const fly_system *s) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nroot; k++)
    if (is_watched(&m->event[k]))
      return m->spec->item[m->event[k].item].name;
  return NULL;
}

typedef struct walk {
  fly_system *s;
  const fly_step_taken *step;
  fly_noise_fn *noise;
  int root;
  const fly_expr *condition;
  double side;  // of the condition where the walk begins, 1: it holds, or -1
  double least; // beyond its switch by less is nothing; NAN: not known yet
  int cells;
  fly_sighting *first;
} walk;

static double least_of(walk *w, double a, const double *input) {
  if (isnan(w->least))
    w->least = ROUNDED * fly_expr_margin_rounding(w->condition, input) + w->noise(w->root, a, w->step->motion);
  return w->least;
}

static void judge(walk *w, double a, double b, const double *value) {
  for (int k = 1; k < SAMPLES; k++)
    if (w->side * value[k] < -w->least) {
      w->first->t = fmin(w->first->t, fly_cell_time(a, b, k));
      return;
    }
}

// Does what five points tell suffice? *same: all of the cell is on the side that the walk began on, or at its edge.
static bool tells(walk *w, int level, double a, double b, fly_margin_along *m, bool *same) {
  const double *input[SAMPLES];
  for (int k = 0; k < SAMPLES; k++)
    input[k] = fly_cell_at(w->s, level, k);
  const bool told = !w->s->late_condition[w->root] || fly_past_resolves(w->s, a, b);
  fly_expr_margin_along(w->condition, input, b - a, m);
  *same = told && (w->side > 0 ? m->lo > 0 : m->hi < 0);
  if (*same)
    return true;
  const double least = least_of(w, a, input[0]);
  *same = told && fmax(-m->lo, m->hi) <= least;
  return *same || (told && (m->steady || m->lo > least || m->hi < -least));
}

static void follow(walk *w, int level, double a, double b) {
  fly_margin_along m;
  bool same;
  if (a >= w->first->t)
    return;
  const bool told = tells(w, level, a, b, &m, &same);
  w->cells++;
  if (told && same)
    return;
  const bool shortest = level == FLY_CELL_DEPTH || b - a < FEWEST * DBL_EPSILON * fmax(fabs(a), fabs(b));
  if (told || shortest || w->cells > CELLS) {
    w->first->unsure = w->first->unsure || w->cells > CELLS;
    judge(w, a, b, m.value);
    return;
  }
  const double middle = fly_cell_time(a, b, SAMPLES / 2);
  fly_cell_half(w->s, w->step, level + 1, 0, a, middle);
  follow(w, level + 1, a, middle);
  if (middle >= w->first->t)
    return;
  fly_cell_half(w->s, w->step, level + 1, 1, middle, b);
  follow(w, level + 1, middle, b);
}

void fly_problem_watch(fly_sighting *first, const fly_step_taken *step, const double *before, fly_noise_fn *noise,
                       void *user) {
  fly_system *s = user;
  const fly_model *m = s->model;
  fly_cell_whole(s, step);
  first->all = s->nwatched == m->nroot;
  for (int k = 0; k < m->nroot; k++) {
    if (!is_watched(&m->event[k]) || before[k] == 0)
      continue;
    walk w = {s, step, noise, k, m->expression[m->event[k].when], before[k] > 0 ? 1 : -1, NAN, 0, first};
    follow(&w, 0, step->from, step->to);
  }
}
