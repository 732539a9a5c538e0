// What assembly did to the start, where that may surprise.
#include "analysis/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/constants.h"
#include "math/so3.h"

static const double FAR = 0.1;     // of the model's size
static const double TURNED = 10;   // [degrees]
static const double BENT = 1e-5;   // of the model's size
static const double CHANGED = 0.1; // of the velocity that was given
static const double DEGREES = 180 / FLY_PI;
enum { MOST = 5 }; // lines of a kind

typedef struct story {
  fly_assembly *a;
  const fly_model *m;
  fly_dae_state now; // assembled
  int told;          // lines of this kind
} story;

static void tell(story *s, const char *line) {
  char *text = s->a->warnings;
  size_t used = strlen(text), size = sizeof s->a->warnings;
  if (s->told++ < MOST)
    snprintf(text + used, size - used, "%s\n", line);
}

static void end_kind(story *s, const char *what) {
  char line[200];
  const int more = s->told - MOST;
  s->told = 0;
  if (more <= 0)
    return;
  snprintf(line, sizeof line, "... and %d more %s", more, what);
  tell(s, line);
  s->told = 0;
}

static bool touches(const fly_model *m, int pair, int body) {
  return m->marker[m->pair[pair].mi].body == body || m->marker[m->pair[pair].mj].body == body;
}

// The row at a body that is furthest from met, by the values in a->g; -1: none.
static int worst_row(const story *s, int body) {
  int worst = -1;
  for (int k = 0; k < s->m->nterm; k++) {
    const fly_term *t = &s->m->term[k];
    for (int row = t->row, bits = t->rows; bits; bits >>= 1)
      if (bits & 1) {
        if (touches(s->m, t->pair, body) && (worst < 0 || fabs(s->a->g[row]) > fabs(s->a->g[worst])))
          worst = row;
        row++;
      }
  }
  return worst;
}

// "; most by `pin` (x, 0.4 m)" or "", where it is the joints of this body that asked.
static void blame(char *text, size_t size, const story *s, int body, const char *per) {
  text[0] = 0;
  int row = s->told < MOST ? worst_row(s, body) : -1;
  if (row < 0 || !(fabs(s->a->g[row]) > 1e-6))
    return;
  const fly_row *r = &s->m->row[row];
  const char *unit = fly_row_unit(s->m, row);
  snprintf(text, size, "; `%s`%s%s was open by %.3g%s%s%s", s->m->spec->item[r->item].name,
           r->direction[0] ? " in " : "", r->direction, fabs(s->a->g[row]), unit[0] ? " " : "", unit,
           unit[0] ? per : "");
}

static double apart(const double *a, const double *b, int n) {
  double sum = 0;
  for (int c = 0; c < n; c++)
    sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sqrt(sum);
}

static void look_at_positions(story *s) {
  s->a->all.dae.constraint(s->a->g, 0.0, s->a->all.q0, &s->a->all);
  fly_assembly_spread(s->a);
  for (int k = 0; k < s->m->nbody; k++) {
    const fly_body *b = &s->m->body[k];
    const double *q0 = s->a->all.q0 + b->iq, *q1 = s->now.q + b->iq;
    const double moved = apart(q0, q1, fly_body_places(b)), angle = DEGREES * b->type->turned(q0, q1);
    char line[500], why[250];
    if (!(moved > FAR * s->m->size || angle > TURNED))
      continue;
    blame(why, sizeof why, s, k, "");
    snprintf(line, sizeof line, "`%.60s` was moved by %.3g m and turned by %.3g degrees to fit the joints%s.", b->name,
             moved, angle, why);
    tell(s, line);
  }
  end_kind(s, "bodies that were moved far.");
}

// A body that deforms can be bent until it fits: rarely what was meant, as it then springs back. The values in a->g are
// still those of the positions given.
static void look_at_bending(story *s) {
  for (int k = 0; k < s->m->nbody; k++) {
    const fly_body *b = &s->m->body[k];
    const double *q0 = s->a->all.q0 + b->iq, *q1 = s->now.q + b->iq;
    char line[600], why[250];
    double most = 0;
    int mode = 0;
    for (int c = b->type->nq; c < b->nq; c++)
      if (fabs(q1[c] - q0[c]) > most) {
        most = fabs(q1[c] - q0[c]);
        mode = c - b->type->nq + 1;
      }
    if (!(most > BENT * s->m->size))
      continue;
    blame(why, sizeof why, s, k, "");
    snprintf(line, sizeof line,
             "`%.60s` was bent to fit the joints, by %.3g %s of %s%d%s: put it where its joints are, or give its start "
             "as `deformed`.",
             b->name, most, b->type->more_unit, b->type->more_name, mode, why);
    tell(s, line);
  }
  end_kind(s, "bodies that were bent.");
}

static void look_at_velocity(story *s, int body, int first, int count, const char *what, const char *unit) {
  const fly_body *b = &s->m->body[body];
  const double *v0 = s->a->all.v0 + b->iv + first, *v1 = s->now.v + b->iv + first, none[6] = {0};
  const double given = apart(v0, none, count), changed = apart(v0, v1, count);
  char line[500], why[250];
  if (!(changed > CHANGED * given) || given == 0)
    return;
  blame(why, sizeof why, s, body, "/s");
  snprintf(line, sizeof line, "`%.60s` was given %s of %.3g %s and starts with %.3g %s, to fit the joints%s.", b->name,
           what, given, unit, apart(v1, none, count), unit, why);
  tell(s, line);
}

// Only where velocities were given: what stood still is set in motion by others.
static void look_at_velocities(story *s) {
  fly_system *all = &s->a->all;
  all->dae.constraint_rate(s->a->g, 0.0, s->now.q, all);
  fly_csc_zero(&all->G);
  all->dae.constraint_jacobian(all->G.val, 0.0, s->now.q, all);
  fly_csc_multiply_add(s->a->g, &all->G, 1.0, all->v0);
  fly_assembly_spread(s->a);
  for (int k = 0; k < s->m->nbody; k++) {
    const int places = fly_body_places(&s->m->body[k]), turns = s->m->body[k].framed - places;
    look_at_velocity(s, k, 0, places, "a velocity", "m/s");
    if (turns > 0)
      look_at_velocity(s, k, places, turns, "an angular velocity", "rad/s");
  }
  end_kind(s, "velocities that were changed.");
}

static void mark(const story *s, int marker) {
  if (marker >= 0 && s->m->marker[marker].body != FLY_GROUND)
    s->a->reached[s->m->marker[marker].body] = true;
}

static void mark_pair(const story *s, int pair) {
  mark(s, s->m->pair[pair].mi);
  mark(s, s->m->pair[pair].mj);
}

// The bodies that a joint, a force or a motion reaches.
static void mark_reached(const story *s) {
  const fly_model *m = s->m;
  memset(s->a->reached, 0, (size_t)m->nbody * sizeof *s->a->reached);
  for (int k = 0; k < m->nterm; k++)
    mark_pair(s, m->term[k].pair);
  for (int k = 0; k < m->nforce; k++)
    for (int i = 0; i < m->force[k].count; i++)
      mark(s, m->force[k].marker[i]);
  for (int k = 0; k < m->napplied; k++) {
    mark(s, m->applied[k].marker[0]);
    mark(s, m->applied[k].marker[1]); // the third gives axes only
  }
}

static void look_at_loose_bodies(story *s) {
  int reached = 0;
  char line[300];
  mark_reached(s);
  for (int k = 0; k < s->m->nbody; k++)
    reached += s->a->reached[k];
  for (int k = 0; k < s->m->nbody && reached > 0; k++)
    if (!s->a->reached[k]) {
      snprintf(line, sizeof line, "`%.60s` is loose: no joint holds it, and no force but gravity acts on it.",
               s->m->body[k].name);
      tell(s, line);
    }
  end_kind(s, "bodies that are loose.");
}

// ------------------------------------------------------------------------------------------ inputs

// The table of its own that an input follows; -1: none.
static int table_of(const fly_spec *spec, const fly_item *input) {
  char name[200];
  if (strcmp(input->type->section, "inputs") != 0)
    return -1;
  snprintf(name, sizeof name, "%s.file", input->name);
  for (int k = 0; k < spec->ntable; k++)
    if (strcmp(spec->table_name[k], name) == 0)
      return k;
  return -1;
}

// An input whose table does not reach from the start to the end of a run, and says nothing about that, or that it must:
// a line about it. false: there is nothing to tell.
static bool ends_early(const fly_spec *spec, const fly_item *input, double end, bool must, char line[400]) {
  const int table = table_of(spec, input);
  if (table < 0 || !isfinite(end))
    return false;
  const char *beyond = fly_item_given(input, "beyond") ? fly_item_word(input, "beyond", 0) : "";
  if (strcmp(beyond, must ? "error" : "") != 0)
    return false;
  const double from = spec->table_x[table][0], to = spec->table_x[table][spec->table_count[table] - 1];
  const bool stays = strcmp(fly_item_word(input, "interpolation", 0), "hold") == 0;
  char place[300];
  fly_place_text(place, sizeof place, input->place);
  if (from <= 0 && to >= end * (1 - 1e-9))
    return false;
  snprintf(line, 400,
           "%.120sinput `%.60s` follows a table from %.6g s to %.6g s, the time of its last row, and the run goes from "
           "0 to %.6g s",
           place, input->name, from, to, end);
  if (!must) {
    const size_t used = strlen(line);
    snprintf(line + used, 400 - used, ": beyond, %s (`beyond: line`, `hold` or `error` says what is meant).",
             stays ? "its value stays" : "it goes straight on");
  }
  return true;
}

static void look_at_inputs(story *s) {
  const fly_spec *spec = s->m->spec;
  char line[400];
  for (int k = 0; k < spec->nitem; k++)
    if (ends_early(spec, &spec->item[k], s->a->end, false, line))
      tell(s, line);
  end_kind(s, "inputs that end before the run.");
}

fly_status fly_start_check_inputs(const fly_model *m, double end, fly_error *error) {
  char line[400];
  for (int k = 0; k < m->spec->nitem; k++)
    if (ends_early(m->spec, &m->spec->item[k], end, true, line))
      return fly_fail(error, FLY_BAD_INPUT, NAN,
                      "%s. Its `beyond: error` asks for rows all the way: let the run end "
                      "earlier (`end`), or add rows.",
                      line);
  return FLY_OK;
}

void fly_start_look(fly_assembly *a) {
  story s = {.a = a, .m = &a->mechanism->model, .now = fly_solver_state(a->solver)};
  a->warnings[0] = 0;
  look_at_positions(&s);
  look_at_bending(&s);
  look_at_velocities(&s);
  look_at_loose_bodies(&s);
  look_at_inputs(&s);
}

fly_status fly_start_refuse(const fly_assembly *a, fly_error *error) {
  const char *own = a->mechanism->model.warnings;
  if (!own[0] && !a->warnings[0])
    return FLY_OK;
  return fly_fail(error, FLY_BAD_INPUT, 0.0, "Strict: what is odd in the model is refused.\n%.600s%.300s", a->warnings,
                  own);
}
