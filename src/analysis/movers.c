// Who moves a run: its forces, its motions, or data.
#include <math.h>

#include "analysis/run.h"
#include "base/error.h"
#include "dae/glance.h"

// What is asked of a step that was made, by functions whose names begin with who made it.
#define ANSWERS(who)                                                                                                   \
  .state = who##_state, .last_step = who##_last_step, .step_end = who##_step_end, .record = who##_record,              \
  .stats = who##_stats, .counts = who##_counts, .certificate = who##_certificate, .report = who##_report

// What is put into the forces is no unknown that an expression could feel.
static bool reads_reactions(const fly_run *r, fly_error *error) {
  const fly_model *m = &r->mechanism->model;
  for (int k = 0; k < m->nmeasure; k++)
    if (m->measure[k].joint >= 0 && m->measure[k].output >= 0) {
      const fly_item *item = &m->spec->item[m->measure[k].joint];
      fly_fail_at(error, FLY_BAD_INPUT, NAN, item->place, item->name,
                  "An expression or a friction feels the reaction of `%s`, which formulation %s puts into the forces: "
                  "take %s, where it stays an unknown.",
                  item->name, r->settings.soft.damping > 0 ? "damped-ode" : "stiff-ode",
                  r->settings.soft.damping > 0 ? "damped" : "stiff");
      return true;
    }
  return false;
}

// Blows are shared by what is rigid.
static bool rebounds(const fly_run *r, fly_error *error) {
  const fly_model *m = &r->mechanism->model;
  if (m->nlimit == 0)
    return false;
  const fly_item *item = &m->spec->item[m->limit[0].item];
  fly_fail_at(
      error, FLY_BAD_INPUT, NAN, item->place, item->name,
      "The limit of `%s` has a `restitution`, which is a blow between rigid joints, but with formulation %s all "
      "of them give way. Give the limit a `stiffness` and a `damping`.",
      item->name, r->settings.soft.damping > 0 ? "damped" : "stiff");
  return true;
}

// Of what is followed the data say where it starts, else the model does.
fly_status fly_run_create_motion(fly_run *r, fly_error *error) {
  const fly_run_settings *s = &r->settings;
  r->system = &r->assembly.system;
  r->mover = &fly_mover_dynamics;
  if (s->soft.ode && reads_reactions(r, error))
    return FLY_BAD_INPUT;
  if ((s->soft.stiffness > 0 || s->soft.damping > 0) && rebounds(r, error))
    return FLY_BAD_INPUT;
  r->assembly.softness = s->soft;
  r->assembly.smooth = s->smooth;
  if (!fly_run_follows(r))
    return fly_assembly_create(&r->assembly, r->mechanism, &s->dae, s->end, error);
  r->system = &r->follow.system;
  r->mover = &fly_mover_data;
  fly_status status = fly_follow_create(&r->follow, r->mechanism, s->follow, s->end, error);
  r->drive = status == FLY_OK ? &r->follow.drive : NULL;
  return status;
}

fly_status fly_run_create_channels(fly_run *r, fly_error *error) {
  const fly_square *s = &r->follow.drive.square;
  const int first = fly_run_follows(r) ? fly_follow_rank(&r->follow) : 0;
  const fly_channels_known known = {
      .multipliers = r->settings.analysis != FLY_KINEMATICS,
      .ledger = fly_run_has_ledger(r),
      .why = fly_run_follows(r)
                 ? "the work of forces that are missing in the model is not counted."
                 : "kinematics knows no forces; flyball inverse does. (--channels overrides the model's.)",
      .nmissing = fly_run_follows(r) ? s->n - first : 0,
      .missing = fly_run_follows(r) ? s->row + first : NULL,
      .nrow = fly_run_follows(r) ? s->nrow : 0,
      .active = fly_run_follows(r) ? s->system->active : NULL};
  const fly_model *model = fly_run_follows(r) ? &r->follow.with.model : &r->mechanism->model;
  return fly_channels_make_known(&r->channels, model, &known, r->settings.channels, &r->memory, error);
}

// ------------------------------------------------------------------------------------------ dynamics

static fly_dae_state solver_state(const fly_run *r) { return fly_solver_state(r->assembly.solver); }

static fly_status solver_step(fly_run *r, fly_error *error) { return fly_solver_step(r->assembly.solver, error); }

static bool solver_done(const fly_run *r) { return fly_solver_done(r->assembly.solver); }

static fly_status solver_inside(void *run, double t, fly_dae_state *out, fly_error *error) {
  fly_run *r = run;
  return fly_solver_interpolate(r->assembly.solver, t, out, error);
}

static fly_status solver_glance(void *run, double t, fly_dae_state *out, fly_error *error) {
  fly_run *r = run;
  return fly_solver_glance(r->assembly.solver, t, out, error);
}

static double solver_last_step(const fly_run *r) { return fly_solver_last_step(r->assembly.solver); }

static double solver_step_end(const fly_run *r) { return fly_solver_step_record(r->assembly.solver).before; }

static fly_step_record solver_record(const fly_run *r) { return fly_solver_step_record(r->assembly.solver); }

static fly_stats solver_stats(const fly_run *r) { return fly_solver_stats(r->assembly.solver); }

static const fly_stats *solver_counts(const fly_run *r) { return fly_solver_counts(r->assembly.solver); }

static fly_certificate solver_certificate(const fly_run *r) { return fly_solver_certificate(r->assembly.solver); }

static fly_status solver_report(fly_run *r, fly_dae_state *at, fly_system **system, fly_error *error) {
  return fly_assembly_report(&r->assembly, at, system, error);
}

const fly_mover fly_mover_dynamics = {
    .step = solver_step, .done = solver_done, .inside = solver_inside, .glance = solver_glance, ANSWERS(solver)};

// ------------------------------------------------------------------------------------------ motions

static fly_dae_state drive_state(const fly_run *r) { return fly_pose_state(&r->drive->now); }

static fly_status drive_step(fly_run *r, fly_error *error) { return fly_drive_step(r->drive, error); }

static bool drive_done(const fly_run *r) { return fly_drive_done(r->drive); }

static fly_status drive_inside(void *run, double t, fly_dae_state *out, fly_error *error) {
  fly_run *r = run;
  const fly_status status = fly_drive_interpolate(r->drive, t, out, error);
  return status && r->stopped ? fly_run_stop_here(r, error) : status; // it failed by that
}

static double drive_last_step(const fly_run *r) { return r->drive->last_h; }

static double drive_step_end(const fly_run *r) { return r->drive->now.t; }

static fly_step_record drive_record(const fly_run *r) { return r->drive->record; }

static fly_stats drive_stats(const fly_run *r) { return r->drive->stats; }

static const fly_stats *drive_counts(const fly_run *r) { return &r->drive->stats; }

static fly_certificate drive_certificate(const fly_run *r) { return r->drive->certificate; }

static fly_status drive_report(fly_run *r, fly_dae_state *at, fly_system **system, fly_error *error) {
  (void)system;
  return fly_drive_report(r->drive, at, error);
}

const fly_mover fly_mover_motions = {
    .step = drive_step, .done = drive_done, .inside = drive_inside, .glance = drive_inside, ANSWERS(drive)};

// ------------------------------------------------------------------------------------------ data

static fly_status data_step(fly_run *r, fly_error *error) { return fly_follow_step(&r->follow, error); }

static bool data_done(const fly_run *r) { return fly_follow_done(&r->follow); }

// Between its rows nothing is known.
const fly_mover fly_mover_data = {.step = data_step, .done = data_done, ANSWERS(drive)};
