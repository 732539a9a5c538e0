// Conditions of events inside a step: where one comes true, or ceases to be, between the places at which it is looked
// at. It is followed along the motion in cells over which five points tell what it can do (docs/theory/control.md,
// C-conditions).
#include <float.h>
#include <math.h>

#include "system/cells.h"
#include "system/parts.h"

static const double FEWEST = 64; // roundings of the time: no cell is shorter
static const double ROUNDED = 2; // times what rounding errors of its inputs make of a condition: that is none
static const double DOUBT = 4;   // times what the step's own multipliers are off by in its middle
static const double FINE = 0.1;  // of what the error leaves open: how near is known
enum { CELLS = 4000, SAMPLES = FLY_EXPR_SAMPLES };

// It feels accelerations, reactions or what follows from them, which a step knows well at its end only.
static bool feels_reactions(const fly_model *m, const fly_expr *e) {
  int count;
  const int *input = fly_expr_inputs(e, &count);
  bool any = false;
  for (int k = 0; k < count; k++) {
    const fly_model_measure *of = input[k] == FLY_EXPR_TIME ? NULL : &m->measure[input[k] - 1];
    any = any || (of && (of->output >= 0 || fly_model_measure_level(of) == FLY_OF_ACCELERATION));
  }
  return any;
}

bool fly_system_find_conditions(fly_system *s) {
  const fly_model *m = s->model;
  s->late_condition = fly_arena_take(&s->memory, (size_t)m->nroot, sizeof *s->late_condition);
  s->hard_condition = fly_arena_take(&s->memory, (size_t)m->nroot, sizeof *s->hard_condition);
  if (s->memory.failed)
    return false;
  for (int k = 0; k < m->nroot; k++) {
    const fly_expr *when = m->expression[m->event[k].when];
    s->late_condition[k] = fly_trace_reads_delay(m, when, s->sudden);
    s->hard_condition[k] = feels_reactions(m, when);
  }
  return m->nroot == 0 || fly_cells_take(s);
}

const char *fly_system_hidden_condition(const fly_system *s) {
  const fly_model *m = s->model;
  return m->nroot > 0 ? m->spec->item[m->event[0].item].name : NULL;
}

typedef struct walk {
  fly_system *s;
  const fly_step_taken *step;
  fly_noise_fn *noise;
  int root;
  const fly_expr *condition;
  double side;  // of the condition where the walk begins, 1: it holds, or -1
  double least; // beyond its switch by less is nothing; NAN: not known yet
  double doubt; // nearer to its switch than this, what it feels has to be exact
  double open;  // nearer than this, it is asked how near
  bool near;    // and it came so near
  bool touched; // it came to its switch, as far as can be told
  int cells;
  fly_sighting *first;
} walk;

static double least_of(walk *w, double a, const double *input) {
  if (isnan(w->least))
    w->least = ROUNDED * fly_expr_margin_rounding(w->condition, input) + w->noise(w->root, a, w->step->motion);
  return w->least;
}

static void judge(walk *w, double a, double b, const double *value) {
  double *nearest = &w->first->nearest[w->root];
  for (int k = 1; k < SAMPLES; k++) {
    *nearest = w->side * value[k] > 0 ? fmin(*nearest, w->side * value[k]) : *nearest;
    w->touched = w->touched || w->side * value[k] <= w->least;
    if (w->side * value[k] < -w->least) {
      w->first->t = fmin(w->first->t, fly_cell_time(a, b, k));
      return;
    }
  }
}

// Does what five points tell suffice? *same: all of the cell is on the side that the walk began on, or at its edge.
static bool tells(walk *w, int level, double a, double b, fly_margin_along *m, bool *same) {
  const double *input[SAMPLES];
  for (int k = 0; k < SAMPLES; k++)
    input[k] = fly_cell_at(w->s, level, k);
  const bool told = !w->s->late_condition[w->root] || fly_past_resolves(w->s, a, b);
  fly_expr_margin_along(w->condition, input, b - a, m);
  const double away = w->side > 0 ? m->lo : -m->hi;
  *same = told && away > fmax(w->doubt, w->open);
  if (*same)
    return true;
  w->near = w->doubt > 0 && !(told && away > w->doubt);
  const double least = least_of(w, a, input[0]);
  *same = told && fmax(-m->lo, m->hi) <= least;
  w->touched = w->touched || *same;
  const bool enough = m->hi - m->lo <= FINE * w->open || fmax(w->open, least) < fmax(m->lo, -m->hi);
  return *same || (told && (m->steady || (enough && (m->lo > least || m->hi < -least))));
}

static void follow(walk *w, int level, double a, double b) {
  fly_margin_along m;
  bool same;
  if (a >= w->first->t)
    return;
  const bool told = tells(w, level, a, b, &m, &same);
  w->cells++;
  if ((told && same) || w->near)
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

// Reactions inside a step are what its polynomials say, which no test has held to the equations: by how much a
// condition is off for that is seen in the middle.
static double doubt_of(fly_system *s, const fly_step_taken *step, int root) {
  const fly_expr *condition = s->model->expression[s->model->event[root].when];
  if (!s->hard_condition[root] || !step->exact)
    return 0;
  const double middle = fly_cell_time(step->from, step->to, SAMPLES / 2);
  const fly_dae_state at = step->exact(middle, step->motion);
  const double exact = fly_expr_margin(condition, fly_system_felt(s, &at));
  return DOUBT * fabs(exact - fly_expr_margin(condition, fly_cell_at(s, 0, SAMPLES / 2)));
}

// A load that comes within rounding errors of what is held, and goes again: whether it broke away nobody can tell.
static bool is_undecided(walk *w, double before) {
  const double *end = fly_cell_at(w->s, 0, SAMPLES - 1);
  return w->s->hard_condition[w->root] && w->touched && !(w->first->t <= w->step->to) && before > w->least &&
         w->side * fly_expr_margin(w->condition, end) > w->least;
}

// Along a motion that `step` gives; the points of the whole step are at hand. False: it came nearer than doubt allows.
static bool walk_along(fly_system *s, fly_sighting *first, const fly_step_taken *step, int root, double before,
                       double doubt, fly_noise_fn *noise) {
  walk w = {.s = s,
            .step = step,
            .noise = noise,
            .root = root,
            .condition = s->model->expression[s->model->event[root].when],
            .side = before > 0 ? 1 : -1,
            .least = NAN,
            .doubt = doubt,
            .open = first->open[root],
            .first = first};
  follow(&w, 0, step->from, step->to);
  if (!w.near && is_undecided(&w, fabs(before)))
    first->unsure = true;
  return !w.near;
}

void fly_problem_watch(fly_sighting *first, const fly_step_taken *step, const double *before, fly_noise_fn *noise,
                       void *user) {
  fly_system *s = user;
  fly_step_taken exact = *step;
  bool at_hand = false;
  exact.at = step->exact;
  first->all = true;
  for (int k = 0; k < s->model->nroot; k++) {
    if (before[k] == 0)
      continue;
    if (!at_hand)
      fly_cell_whole(s, step);
    at_hand = true;
    const double nearest = first->nearest[k];
    if (walk_along(s, first, step, k, before[k], doubt_of(s, step, k), noise))
      continue;
    first->nearest[k] = nearest;
    fly_cell_whole(s, &exact);
    walk_along(s, first, &exact, k, before[k], 0, noise);
    at_hand = false;
  }
}
