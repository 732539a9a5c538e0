// What a run answers, at any time: before its start, after a failure, and where there is none (NULL) too.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run.h"
#include "analysis/verdict.h"
#include "dae/solver.h"

static const char *text(const char *given) { return given ? given : ""; }
static bool is_over(const fly_run *r) { return r->stage == FLY_RUN_FAILED || r->stage == FLY_RUN_ENDED; }
static bool has_begun(const fly_run *r) { return r && (r->drive || r->assembly.solver); }

fly_record fly_run_record_of(const fly_run *r) {
  return (fly_record){.spec = &r->mechanism->spec,
                      .settings = &r->settings,
                      .running = !is_over(r),
                      .shown = r->shown,
                      .status = r->outcome.status,
                      .message = r->outcome.message,
                      .time = fly_run_time(r),
                      .verdict = fly_run_verdict(r),
                      .promise = r->promise,
                      .channel = &r->channels,
                      .info = fly_run_info(r),
                      .assembly = &r->assembly,
                      .redundancy = r->assembly.redundancy,
                      .equilibrium = r->rested ? &r->equilibrium : NULL,
                      .lines = r->shown ? fly_run_rest_lines(r) : 0,
                      .run = r,
                      .notes = fly_run_notes(r),
                      .warnings = r->mechanism->model.warnings,
                      .start_warnings = r->assembly.warnings,
                      .left_out = r->channels.left_out,
                      .not_finite = r->not_finite,
                      .conditioning = r->drive ? r->drive->rcond : (double)NAN,
                      .conditioning_time = r->drive ? r->drive->rcond_t : (double)NAN,
                      .certificate = fly_run_certificate(r),
                      .ledger = r->book.ledger,
                      .stats = fly_run_stats(r),
                      .profile = r->profile,
                      .rows = r->rows,
                      .channels = r->channels.count,
                      .hash = r->hash,
                      .wall_s = r->wall_s};
}

bool fly_run_record(const fly_run *r, bool texts, fly_sink *sink, void *user) {
  if (!r || !sink)
    return false;
  fly_record record = fly_run_record_of(r);
  return fly_record_write(&record, texts, sink, user);
}

// ------------------------------------------------------------------------------------------ what it is

int fly_run_channel(const fly_run *r, const char *name) {
  if (name && strcmp(name, "time") == 0)
    return r ? 0 : -1;
  for (int k = 0; r && name && k < r->channels.count; k++)
    if (strcmp(r->channels.channel[k].name, name) == 0)
      return 1 + k;
  return -1;
}

const char *fly_run_channel_name(const fly_run *r, int place, const char **unit) {
  static const fly_channel time = {.name = "time", .unit = "s"};
  if (!r || place < 0 || place > r->channels.count)
    return NULL;
  const fly_channel *c = place == 0 ? &time : &r->channels.channel[place - 1];
  if (unit)
    *unit = c->unit;
  return c->name;
}

fly_mechanism_info fly_run_info(const fly_run *r) {
  if (!r)
    return (fly_mechanism_info){.name = ""};
  const fly_model *m = &r->mechanism->model;
  const fly_assembly *a = &r->assembly;
  const int rank = fly_run_follows(r) ? fly_follow_rank(&r->follow) : a->start_lit > 0 ? a->start_rank : a->rank;
  const int rows = fly_run_follows(r) ? m->nrow : a->start_lit > 0 ? a->start_lit : a->all.nactive;
  int stiffened = 0;
  for (int row = 0; row < m->nrow && r->settings.soft.rigid; row++)
    stiffened += m->row[row].stiffness > 0;
  return (fly_mechanism_info){
      m->spec->name, m->nbody,    m->nv,     rows,       rank,
      rows - rank,   m->nsliprow, m->nstate, m->noutput, r->drive ? 0 : r->assembly.all.soft.count,
      stiffened};
}

double fly_run_end(const fly_run *r) { return r ? r->settings.end : (double)NAN; }
const fly_dae_options *fly_run_dae_options(const fly_run *r) { return r ? &r->settings.dae : NULL; }
const fly_dae_problem *fly_run_problem(const fly_run *r) { return has_begun(r) ? &r->system->dae : NULL; }
const char *fly_run_left_out(const fly_run *r) { return text(r ? r->channels.left_out : NULL); }
const char *fly_run_warnings(const fly_run *r) { return text(r ? r->assembly.warnings : NULL); }
const char *fly_run_redundancy(const fly_run *r) { return text(r ? r->assembly.redundancy : NULL); }

// ------------------------------------------------------------------------------------------ how it goes

fly_dae_state fly_run_state(const fly_run *r) { return r && r->mover ? r->mover->state(r) : fly_solver_state(NULL); }

int fly_run_events(const fly_run *r) { return has_begun(r) ? r->system->model->nevent : 0; }

fly_event_told fly_run_event(const fly_run *r, int event) {
  if (event < 0 || event >= fly_run_events(r))
    return (fly_event_told){.last = NAN};
  const fly_system *s = r->system;
  const fly_model_event *e = &s->model->event[event];
  const fly_item *item = &s->model->spec->item[e->item];
  const double last = s->happened_last[event];
  return (fly_event_told){.name = item->name,
                          .part = e->part,
                          .message = e->part ? NULL : fly_item_word(item, "message", 0),
                          .count = s->happened[event],
                          .last = s->happened[event] > 0 ? last : (double)NAN,
                          .ended = s->model->event[event].stop && s->happened[event] > 0};
}

double fly_run_time(const fly_run *r) { return fly_run_state(r).t; }
long fly_run_rows(const fly_run *r) { return r ? r->rows : 0; }
fly_not_finite fly_run_not_finite(const fly_run *r) { return r ? r->not_finite : (fly_not_finite){0}; }
fly_ledger fly_run_ledger(const fly_run *r) { return r ? r->book.ledger : (fly_ledger){0}; }
// Puts one into a list that the hottest begin.
static int put_hot(fly_hot_contact *list, int count, int most, fly_hot_contact one) {
  int at = count < most ? count : most;
  while (at > 0 &&
         (one.heat > list[at - 1].heat || (one.heat == list[at - 1].heat && one.largest > list[at - 1].largest)))
    at--;
  for (int k = (count < most ? count : most - 1); k > at; k--)
    list[k] = list[k - 1];
  if (at < most)
    list[at] = one;
  return count < most ? count + 1 : most;
}

static int by_heat(const void *one, const void *other) {
  const fly_taken *a = &((const fly_slot_taken *)one)->taken, *b = &((const fly_slot_taken *)other)->taken;
  return a->heat != b->heat ? (a->heat < b->heat) - (a->heat > b->heat)
                            : (a->largest < b->largest) - (a->largest > b->largest);
}

// Pairs that were found: of those that ever touched.
static int put_found(fly_system *s, fly_hot_contact *list, int count, int most) {
  const int room = fly_system_pairs_taken(s);
  fly_slot_taken *all = room > 0 ? malloc((size_t)room * sizeof *all) : NULL;
  const int pairs = all ? fly_system_taken_by_pairs(s, all, room) : 0;
  if (pairs > 0)
    qsort(all, (size_t)pairs, sizeof *all, by_heat);
  for (int k = 0; k < pairs && k < most; k++) {
    const fly_taken *t = &all[k].taken;
    count = put_hot(list, count, most,
                    (fly_hot_contact){fly_system_pair_name(s, &all[k].of), t->heat, t->largest, t->when, t->deepest});
  }
  free(all);
  return count;
}

int fly_run_hottest(const fly_run *r, fly_hot_contact *list, int most) {
  int count = 0;
  if (!r || !r->system || most <= 0)
    return 0;
  for (int k = 0; k < fly_model_listed(r->system->model); k++)
    if (r->system->model->force[k].type->near) {
      const fly_taken *t = &r->system->taken[k];
      const char *name = r->system->model->force[k].name;
      count = put_hot(list, count, most, (fly_hot_contact){name, t->heat, t->largest, t->when, t->deepest});
    }
  return put_found(r->system, list, count, most);
}

const fly_promise *fly_run_promise(const fly_run *r) { return r ? r->promise : NULL; }

fly_profile fly_run_profile(const fly_run *r) { return r ? r->profile : (fly_profile){0}; }

fly_stats fly_run_stats(const fly_run *r) { return r && r->mover ? r->mover->stats(r) : fly_solver_stats(NULL); }

const char *fly_run_method(const fly_run *r, const char **because) {
  if (because)
    *because = r ? r->settings.because : NULL;
  return r ? r->settings.method : NULL;
}

bool fly_run_setting_place(const fly_run *r, const char *key, const char **file, int *line) {
  const fly_place place = r && key ? fly_setting_place(&r->settings, r->mechanism->model.spec, key) : FLY_NOWHERE;
  if (file)
    *file = place.file;
  if (line)
    *line = place.file ? place.line : 0;
  return place.file != NULL;
}

int fly_run_stretches(const fly_run *r, fly_stretch *list, int most) {
  return r && !r->drive ? fly_solver_stretches(r->assembly.solver, list, most) : 0;
}

fly_certificate fly_run_certificate(const fly_run *r) {
  if (!r || !r->mover)
    return fly_solver_certificate(NULL);
  fly_certificate c = r->mover->certificate(r);
  c.start_position += r->assembly.moved_q;
  c.start_velocity += r->assembly.moved_v;
  return c;
}

// What friction takes for rest, in sizes of the model or radians a second; 0: none sticks.
static double rest_of_friction(const fly_model *m) {
  double most = 0;
  for (int k = 0; k < m->nfriction; k++)
    if (m->friction[k].stuck >= 0)
      most = fmax(most, m->friction[k].rest / (m->friction[k].component[0] >= 3 ? 1.0 : m->size));
  return most;
}

static bool has_contacts(const fly_run *r) {
  fly_hot_contact one;
  return r->mechanism->model.nfound > 0 || fly_run_hottest(r, &one, 1) > 0;
}

static const char *grazed(const fly_run *r, fly_graze *nearest) {
  const fly_model *m = &r->mechanism->model;
  if (r->drive || !r->assembly.solver || !fly_solver_graze(r->assembly.solver, nearest))
    return NULL;
  return m->spec->item[m->event[nearest->root].item].name;
}

static double mass_of(const fly_model *m) {
  double mass = 0;
  for (int k = 0; k < m->nbody; k++)
    mass += m->body[k].own.mass;
  return mass;
}

static fly_verdict_case case_of(const fly_run *r) {
  fly_graze nearest = {0};
  const char *name = grazed(r, &nearest);
  return (fly_verdict_case){.grazed = name,
                            .graze_t = nearest.t,
                            .graze = nearest.share,
                            .settings = &r->settings,
                            .shown = r->shown || !is_over(r),
                            .status = r->outcome.status,
                            .message = r->outcome.message,
                            .promise = r->promise,
                            .channels = &r->channels,
                            .hidden = r->system ? fly_system_hidden_force(r->system) : NULL,
                            .unsure = fly_run_stats(r).unsure,
                            .start = fly_run_equilibrium(r),
                            .rubs = r->mechanism->model.nfriction > 0,
                            .rest = rest_of_friction(&r->mechanism->model),
                            .touches = has_contacts(r),
                            .faces = r->mechanism->model.faces_meet,
                            .soft = !r->drive && r->assembly.all.soft.count > 0,
                            .size = r->mechanism->model.size,
                            .mass = mass_of(&r->mechanism->model),
                            .ledger = fly_run_ledger(r)};
}

fly_verdict fly_run_verdict(const fly_run *r) {
  if (!r)
    return (fly_verdict){.state = FLY_VERDICT_NONE};
  const fly_verdict_case c = case_of(r);
  return fly_verdict_find(&c);
}

fly_status fly_run_judge_faces(const fly_run *r, fly_error *error) {
  const fly_verdict_case c = case_of(r);
  return fly_verdict_judge_faces(&c, error);
}

const fly_equilibrium *fly_run_equilibrium(const fly_run *r) { return r && r->rested ? &r->equilibrium : NULL; }
int fly_run_rest_lines(const fly_run *r) { return r && r->rested ? fly_statics_lines(&r->balance) : 0; }

fly_rest_line fly_run_rest_line(const fly_run *r, int line) {
  const fly_rest_line none = {.section = "", .name = "", .type = ""};
  return line >= 0 && line < fly_run_rest_lines(r) ? fly_statics_line(&r->balance, line) : none;
}

const char *fly_run_notes(const fly_run *r) { return text(!r ? NULL : r->drive ? r->drive->notes : r->grind.sentence); }

double fly_run_conditioning(const fly_run *r, double *time) {
  const bool driven = r && r->drive;
  if (time)
    *time = driven ? r->drive->rcond_t : 0.0;
  return driven ? r->drive->rcond : 1.0;
}
