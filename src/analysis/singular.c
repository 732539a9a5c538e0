// Singular positions told in words: rows, joints, bodies and what moves them.
#include "analysis/singular.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { MOST_NAMES = 6, MOST_FREEDOMS = 3 };

void fly_drive_note(fly_drive *d, const char *format, ...) {
  enum { ROOM = 400 };
  size_t used = strlen(d->notes), size = sizeof d->notes;
  va_list arguments;
  va_start(arguments, format);
  if (used + ROOM < size) {
    vsnprintf(d->notes + used, size - used - 1, format, arguments);
    strcat(d->notes, "\n");
    if (strlen(d->notes) + ROOM >= size)
      strncat(d->notes, "There may be more of this kind.\n", size - strlen(d->notes) - 1);
  }
  va_end(arguments);
}

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static void
say(char *text, size_t size, size_t *used, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (*used < size) {
    int n = vsnprintf(text + *used, size - *used, format, arguments);
    *used += n > 0 ? (size_t)n : 0;
  }
  va_end(arguments);
}

// ------------------------------------------------------------------------------------------ rows that depend

static bool is_among(const int *list, int n, int x) {
  for (int k = 0; k < n; k++)
    if (list[k] == x)
      return true;
  return false;
}

// Elements by the weight of their rows in the combination that is nearly zero.
void fly_tell_rows(char *text, size_t size, fly_drive *d) {
  const fly_square *s = &d->square;
  const fly_model *m = s->system->model;
  int named[MOST_NAMES], n = 0;
  double first = 0;
  size_t used = 0;
  fly_square_null(&d->square, d->null_left, d->null_right);
  text[0] = 0;
  for (; n < MOST_NAMES; n++) {
    double most = 0.02 * first;
    named[n] = -1;
    for (int k = 0; k < s->n; k++) {
      int item = s->row[k] < s->nrow ? m->row[s->system->active[s->row[k]]].item : -1;
      if (item >= 0 && fabs(d->null_left[k]) > most && !is_among(named, n, item)) {
        most = fabs(d->null_left[k]);
        named[n] = item;
      }
    }
    if (named[n] < 0)
      break;
    first = n == 0 ? most : first;
    say(text, size, &used, "%s`%s`", n ? ", " : "", m->spec->item[named[n]].name);
  }
}

// ------------------------------------------------------------------------------------------ the end of the way

static const char *unit_of(const fly_model *m, int motion) {
  return m->row[m->motion[motion].row].angular ? "rad" : "m";
}

static const char *motion_name(const fly_model *m, int motion) { return m->spec->item[m->motion[motion].item].name; }

static fly_status not_finite(const fly_drive *d, int motion, double t, const double f[3], fly_error *error) {
  static const char *const of[] = {"position", "velocity", "acceleration"};
  int level = isfinite(f[0]) ? isfinite(f[1]) ? 2 : 1 : 0;
  return fly_fail_at(error, FLY_NOT_FINITE, t, FLY_NOWHERE, motion_name(d->square.system->model, motion),
                     "Motion `%s` gives a %s of %g at t = %.9g s. Check its expression.",
                     motion_name(d->square.system->model, motion), of[level], f[level], t);
}

// A motion that is not finite behind the last point, or jumps there.
static fly_status tell_motion(const fly_drive *d, double h, fly_error *error) {
  const fly_model *m = d->square.system->model;
  for (int k = 0; k < m->nmotion; k++) {
    double a[3], b[3];
    fly_motion_at(&d->square.system->motion[k], d->now.t, a);
    fly_motion_at(&d->square.system->motion[k], d->now.t + h, b);
    for (int l = 0; l < 3; l++)
      if (!isfinite(a[l]) || !isfinite(b[l]))
        return not_finite(d, k, isfinite(a[l]) ? d->now.t + h : d->now.t, isfinite(a[l]) ? b : a, error);
    double size = m->row[m->motion[k].row].angular ? 1.0 : m->size, jump = b[0] - a[0];
    if (fabs(jump) > 1e-3 * size && fabs(jump) > 10 * h * (fabs(a[1]) + fabs(b[1])))
      return fly_fail_at(
          error, FLY_NO_CONVERGENCE, d->now.t, FLY_NOWHERE, motion_name(m, k),
          "Motion `%s` jumps by %.4g %s at t = %.9g s: no velocity does that. Let it pass over in a finite "
          "time, as step(time, t0, a, t1, b) does.",
          motion_name(m, k), jump, unit_of(m, k), d->now.t);
  }
  return FLY_OK;
}

// What moves fastest: its body, and how fast.
static void tell_fastest(char *text, size_t size, const fly_drive *d, const double *v) {
  const fly_model *m = d->square.system->model;
  const fly_body *body = NULL;
  int column = 0;
  double most = 0;
  for (int k = 0; k < m->nbody; k++)
    for (int c = 0; c < m->body[k].columns; c++) {
      double w = fabs(v[m->body[k].iv + c]) / d->square.e.p.scale_v[m->body[k].iv + c];
      if (w > most) {
        most = w;
        body = &m->body[k];
        column = c;
      }
    }
  text[0] = 0;
  if (body)
    snprintf(text, size, "`%s` %s at %.3g %s", body->name, fly_body_is_length(body, column) ? "moves" : "turns",
             fabs(v[body->iv + column]), fly_body_is_length(body, column) ? "m/s" : "rad/s");
}

// Motions among the rows that depend on each other: how far they come.
static void tell_reach(char *text, size_t size, const fly_drive *d) {
  const fly_square *s = &d->square;
  const fly_model *m = s->system->model;
  size_t used = 0;
  text[0] = 0;
  for (int k = 0; k < m->nmotion; k++) {
    int place = s->place[m->motion[k].row];
    double f[3];
    if (place < 0 || fabs(d->null_left[place]) < 1e-3)
      continue;
    fly_motion_at(&s->system->motion[k], d->now.t, f);
    say(text, size, &used, " `%s` gets no further than %.6g %s.", motion_name(m, k), f[0], unit_of(m, k));
  }
}

static fly_status singular_start(fly_drive *d, fly_error *error) {
  char rows[500] = "rows of its joints";
  if (d->square.rcond > 0)
    fly_tell_rows(rows, sizeof rows, d);
  return fly_fail(
      error, FLY_SINGULAR, d->now.t,
      "The mechanism starts at a dead point, or where branches of its motion cross: %s depend on each other "
      "there, and which way it goes is not determined. Start it beside that position.",
      rows);
}

// By name, if it is a force given by expressions.
static fly_status force_not_finite(fly_drive *d, fly_error *error) {
  const fly_model *m = d->square.system->model;
  const fly_dae_state at = fly_pose_state(&d->trial);
  for (int k = 0; k < m->napplied; k++) {
    double f[6] = {0};
    fly_system_components(d->square.system, &at, k, f);
    for (int c = 0; c < 6; c++)
      if (!isfinite(f[c]))
        return fly_fail_at(error, FLY_NOT_FINITE, at.t, FLY_NOWHERE, m->spec->item[m->applied[k].item].name,
                           "Force `%s` is %g at t = %.9g s. Check its expression.",
                           m->spec->item[m->applied[k].item].name, f[c], at.t);
  }
  return fly_fail(error, FLY_NOT_FINITE, at.t, "Forces or reactions are not finite at t = %.9g s.", at.t);
}

static fly_status dead_point(fly_drive *d, fly_error *error) {
  char rows[500], fastest[200], reach[300];
  fly_tell_rows(rows, sizeof rows, d);
  tell_reach(reach, sizeof reach, d);
  tell_fastest(fastest, sizeof fastest, d, d->now.v);
  return fly_fail(error, FLY_SINGULAR, d->now.t,
                  "At t = %.9g s the mechanism locks up: it is at a dead point, beyond which its joints cannot be "
                  "closed.%s Dependent on each other there are %s; towards it velocities grow without bound (%s). "
                  "Let the motion turn back before, drive another joint, or check lengths.",
                  d->now.t, reach, rows, fastest);
}

fly_status fly_tell_stuck(fly_drive *d, fly_solved why, double h, fly_error *error) {
  const fly_pose *p = &d->now;
  if (why == FLY_CROWDED)
    return fly_fail(error, FLY_NO_MEMORY, p->t, "Out of memory at t = %.9g s.", p->t);
  fly_status status = tell_motion(d, h, error);
  if (status)
    return status;
  fly_solved here = fly_square_factor(&d->square, p->t, p->q);
  if (why == FLY_ROWS_DEPENDENT && h == 0)
    return singular_start(d, error);
  if (here == FLY_FOUND && d->square.rcond < 1e-3)
    return dead_point(d, error);
  fly_dae_state at = fly_pose_state(&d->trial);
  fly_status left = fly_assembly_check_to(d->assembly, &at, 1e-7, error);
  if (left)
    return left;
  if (why == FLY_NAN)
    return force_not_finite(d, error);
  return fly_fail(error, FLY_NO_CONVERGENCE, p->t,
                  "No way on was found at t = %.9g s, although the position there is regular. Check the motions.",
                  p->t);
}

// ------------------------------------------------------------------------------------------ freedom

// A one for each mode, in a column of its own from `first` on: bodies that deform are stiff.
static int append_modes(const fly_model *m, int first, int *row, int *col, int n) {
  for (int k = 0; k < m->nbody; k++)
    for (int c = m->body[k].type->nv; c < m->body[k].columns; c++, n++) {
      row[n] = m->body[k].iv + c;
      col[n] = first + row[n];
    }
  return n;
}

// Columns of the independent rows as rows, of which the dependent ones are free coordinates.
static fly_status free_columns(fly_assembly *a, fly_csc *Gt, fly_rank *rank, fly_error *error) {
  fly_csc *G = &a->system.G;
  const int own = fly_csc_nnz(G), most = own + G->cols;
  int n = own;
  fly_arena work = {0};
  int *row = fly_arena_ints(&work, (size_t)most), *col = fly_arena_ints(&work, (size_t)most);
  int *place = fly_arena_ints(&work, (size_t)most);
  fly_status status = work.failed ? fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d rows.", G->rows) : FLY_OK;
  for (int j = 0, k = 0; j < G->cols && status == FLY_OK; j++)
    for (; k < G->start[j + 1]; k++) {
      row[k] = j;
      col[k] = G->row[k];
    }
  if (status == FLY_OK) {
    n = append_modes(&a->mechanism->model, G->rows, row, col, own);
    status = fly_csc_from_entries(Gt, G->cols, G->rows + G->cols, n, row, col, place, error);
  }
  if (status == FLY_OK) {
    fly_csc_zero(G);
    a->system.dae.constraint_jacobian(G->val, 0.0, fly_solver_state(a->solver).q, &a->system);
    for (int k = 0; k < n; k++)
      Gt->val[place[k]] = k < own ? G->val[k] : 1.0;
    status = fly_rank_find(rank, Gt, 1e-9, error);
  }
  fly_arena_free(&work);
  return status;
}

// The motion that is free with one coordinate: 1 for it, what follows for the others.
static void free_motion(const fly_rank *rank, int which, double *z, int n) {
  memset(z, 0, (size_t)n * sizeof *z);
  z[rank->dependent[which]] = 1;
  for (int k = rank->support_start[which]; k < rank->support_start[which + 1]; k++)
    z[rank->support[k]] = -rank->coefficient[k];
}

typedef struct mover {
  double rate; // in sizes of the model, or radians
  int item;
  bool turn;
  int axis; // of a body
} mover;

static mover fastest_joint(fly_assembly *a, const double *z) {
  const fly_model *m = &a->mechanism->model;
  fly_dae_state at = fly_solver_state(a->solver);
  mover best = {0};
  at.v = z;
  for (int k = 0; k < m->spec->nitem; k++) {
    const fly_item *item = &m->spec->item[k];
    double c[4];
    if (m->joint_pair[k] < 0 || (!fly_joint_turns(item) && !fly_joint_slides(item)))
      continue;
    fly_system_coordinates(&a->system, &at, m->joint_pair[k], c);
    const bool grounded = m->marker[m->pair[m->joint_pair[k]].mi].body == FLY_GROUND; // where motors stand
    const double weight = grounded ? 10 : 1;
    const mover both[] = {{fly_joint_slides(item) ? weight * fabs(c[1]) / m->size : 0.0, k, false, 2},
                          {fly_joint_turns(item) ? weight * fabs(c[3]) : 0.0, k, true, 2}};
    for (int i = 0; i < 2; i++)
      if (both[i].rate > best.rate * (1 + 1e-9))
        best = both[i];
  }
  return best;
}

static mover fastest_body(fly_assembly *a, const double *z) {
  const fly_model *m = &a->mechanism->model;
  mover best = {0};
  for (int k = 0; k < m->nbody; k++)
    for (int c = 0; c < m->body[k].columns; c++) {
      bool turn = !fly_body_is_length(&m->body[k], c);
      double rate = fabs(z[m->body[k].iv + c]) / (turn ? 1.0 : m->size);
      if (rate > best.rate * (1 + 1e-9))
        best = (mover){rate, m->body[k].item, turn, m->body[k].column[c] % 3};
    }
  return best;
}

static void tell_freedoms(char *text, size_t size, char *advice, size_t room, fly_assembly *a, const fly_rank *rank,
                          double *z) {
  const fly_spec *spec = a->mechanism->model.spec;
  size_t used = 0;
  text[0] = advice[0] = 0;
  for (int k = 0; k < rank->ndependent && k < MOST_FREEDOMS; k++) {
    free_motion(rank, k, z, a->mechanism->model.nv);
    mover joint = fastest_joint(a, z), body = fastest_body(a, z);
    say(text, size, &used, "%sbody `%s` can still %s %c", k ? "; " : "", spec->item[body.item].name,
        body.turn ? "turn about" : "move along", "xyz"[body.axis]);
    if (joint.rate > 1e-6)
      say(text, size, &used, ", with joint `%s`", spec->item[joint.item].name);
    if (joint.rate > 1e-6 && !advice[0])
      snprintf(advice, room, ", such as {joint: %s, %s: ...}", spec->item[joint.item].name,
               joint.turn ? "angle" : "displacement");
    else if (!advice[0])
      snprintf(advice, room, ", such as {from: ground, to: %s, direction: %s%c, %s: ...}", spec->item[body.item].name,
               body.turn ? "about-" : "", "xyz"[body.axis], body.turn ? "angle" : "displacement");
  }
  if (rank->ndependent > MOST_FREEDOMS)
    say(text, size, &used, "; and %d more", rank->ndependent - MOST_FREEDOMS);
}

fly_status fly_tell_freedom(fly_assembly *a, int left, fly_error *error) {
  const fly_model *m = &a->mechanism->model;
  fly_csc Gt = {0};
  fly_rank rank = {0};
  fly_arena work = {0};
  double *z = fly_arena_doubles(&work, (size_t)m->nv);
  char text[500] = "", advice[200] = "";
  if (z && free_columns(a, &Gt, &rank, NULL) == FLY_OK)
    tell_freedoms(text, sizeof text, advice, sizeof advice, a, &rank, z);
  fly_rank_free(&rank);
  fly_csc_free(&Gt);
  fly_arena_free(&work);
  return fly_fail(error, FLY_SINGULAR, 0.0,
                  "%s leave %d %s of freedom where the model starts: %s. Kinematics and inverse dynamics need all of "
                  "them given: add motions%s, or let forces move it by `flyball run`.%s",
                  m->nmotion ? "The joints and motions" : "The model has no motions, and its joints", left,
                  left == 1 ? "degree" : "degrees", text, advice,
                  m->nmotion ? " (A driven mechanism that starts in line or at a dead point has a freedom more there: "
                               "start it beside.)"
                             : "");
}
