// Models of mechanisms: read, compile, check, simulate.
#ifndef FLYBALL_MODEL_H
#define FLYBALL_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "flyball/dae.h"
#include "flyball/profile.h"
#include "flyball/promise.h"
#include "flyball/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fly_mechanism fly_mechanism; // a model as written and as compiled

// Reads a model file and compiles it. set: "name=value" for parameters, nset of them.
fly_status fly_mechanism_load(fly_mechanism **out, const char *file, int nset, const char *const *set,
                              fly_error *error);
// The same of a text in memory; name stands for the file in messages. It cannot include or name other files.
fly_status fly_mechanism_parse(fly_mechanism **out, const char *name, const char *text, size_t length, int nset,
                               const char *const *set, fly_error *error);
// The same of a file, with more to say. Begin with fly_load_options_default(); new fields come last.
typedef struct fly_load_options {
  size_t size; // of this struct, as the program knows it
  int nset;
  const char *const *set; // "name=value" for parameters (nset)
  int ninput;
  const char *const *input; // "name=file.csv": an input of the model follows a table of times and values (ninput)
  bool plugins;             // the model may load shared libraries, which run with all rights of the program
} fly_load_options;
fly_load_options fly_load_options_default(void);
fly_status fly_mechanism_load_with(fly_mechanism **out, const char *file, const fly_load_options *options,
                                   fly_error *error);
void fly_mechanism_free(fly_mechanism *m); // NULL is fine
// What is odd in the model but was not refused, one a line; "" if nothing is.
const char *fly_mechanism_warnings(const fly_mechanism *m);

// What `flyball check` tells.
typedef struct fly_mechanism_info {
  const char *name;
  int bodies, coordinates; // moving bodies and their degrees of freedom without constraints
  int rows;                // constraint rows
  int rank;                // independent ones at the assembled start
  int redundant;           // rows - rank
  int rolling;             // nonholonomic rows: of what rolls or does not move sideways
  int states, variables;   // of the model; variables: outputs too
  int soft;                // rows that give way; not among `rows`
  int stiffened;           // rows that would, taken for rigid: by kinematics and inverse dynamics
} fly_mechanism_info;

typedef enum fly_analysis {
  FLY_DYNAMICS,   // forces move it
  FLY_KINEMATICS, // its motions do, and leave it no freedom: positions, velocities, accelerations
  FLY_INVERSE     // the same, and the forces and torques this takes
} fly_analysis;

// How to run. NAN, NULL, 0: as the model's `simulate` section says, or the default. Begin with
// fly_run_options_default(); new fields come last, and programs that do not know them go on.
typedef struct fly_run_options {
  size_t size; // of this struct, as the program knows it
  fly_analysis analysis;
  const char *follow; // FLY_INVERSE: the motion is that of this result, not of the model's motions
  fly_method_request method;
  const char *formulation; // ggl, index3, index2; bdf: index1 too; stiff, damped, stiff-ode, damped-ode: all gives way
  double end;              // [s]
  double error, step;      // tolerance, or a fixed step [s]
  double step_max, step_min; // limits of steps that follow the error [s]
  const char *channels; // which: groups (bodies, joints, markers ... all) and elements, separated by commas or blanks
  double output;        // interval of the results [s]; NAN: a thousandth of the interval
  const char *out;      // base name of the result files; NULL: none are written
  bool csv, hdf5;       // which
  // Every so many simulated seconds the state of the run is put into the file BASE.checkpoint beside the results, from
  // which a run that was interrupted can go on; NAN: never. No bit of the run depends on it.
  double checkpoint;
  const char *note; // kept with them, for whoever goes on; may be NULL
  bool resume; // fly_run_start takes up the checkpoint of `out`: same model, same options, same bits as without the
               // interruption; rows that were given before are not given to `row` and `state` again
  const char *error_per;      // run, step
  const char *calibrate;      // yes: pilot runs find the tolerance that keeps the error of the run; no
  const char *estimate_error; // yes: of the run, by its difference from a pilot; no
  const char *start;          // smooth: as the model is assembled, what gives way opened by what it carries; given:
                              // all closed; equilibrium: where it rests
  bool strict;                // what is odd in the model or its start (fly_run_warnings) is an error
  bool allow_nan;             // values of channels may be NaN or infinite; else such a run ends with FLY_NOT_FINITE
  double max_steps; // accepted and rejected together; then the run ends. Given, it is also never judged hopeless
  double max_time;  // of the clock [s], from the creation of the run: then it ends with FLY_STOPPED
  // Called once in a while with the time reached; false stops the run there.
  bool (*progress)(double t, double end, long steps, void *user);
  // Asked often, inside of long steps and of the start too; true ends the run with FLY_STOPPED, its results are kept.
  bool (*stop)(void *user);
  // Asked when the run was ended so: by what, in words, for its message and its record. NULL: nobody says.
  const char *(*why)(void *user);
  // A sentence about what makes the run slow, as soon as that is known; the run goes on.
  void (*notice)(const char *sentence, void *user);
  void (*state)(const fly_dae_state *state, void *user); // called with each row's state
  void (*row)(const double *row, void *user);            // called with each row of the results: time, then the channels
  void *user;
  bool profile; // fly_run_go looks at the clock between the phases of steps (fly_run_profile). No bit depends on it
  double epsilon, delta; // of formulation stiff: 1/epsilon^2 holds what says nothing itself; damped: dampers of 1/delta
} fly_run_options;
fly_run_options fly_run_options_default(void);

// Energy ledger [J]: what there was, what came in and what went out. It must balance:
//   (kinetic + gravity + springs) - (the same at the start) = forces + motions - damping + events
typedef struct fly_ledger {
  double kinetic, gravity, springs; // springs: torsion springs and bushings too
  double start_kinetic, start_gravity, start_springs;
  double forces;    // work done on the model by forces and laws given as expressions
  double motions;   // by motions
  double damping;   // lost in dampers
  double events;    // what events have added or taken, by blows and new values
  double imbalance; // left side - right side
  double worst;     // largest |imbalance| after an accepted step
  double moved;     // largest kinetic energy, change of potential energy, or work: what to compare the imbalance with
  double contacts, start_contacts; // stored in contacts now and at the start: among springs
  double contact_heat;             // lost in contacts: among damping
} fly_ledger;

// What a contact took in a run.
typedef struct fly_hot_contact {
  const char *name;
  double heat;    // what it lost, as the ends of steps tell [J]
  double largest; // force that pressed [N]
  double when;    // it did [s]
  double deepest; // [m]
} fly_hot_contact;

// How an equilibrium stands against small pushes, by the eigenvalues of its stiffness.
typedef enum fly_poise { FLY_POISE_UNKNOWN, FLY_POISE_STABLE, FLY_POISE_NEUTRAL, FLY_POISE_UNSTABLE } fly_poise;

// An equilibrium and how it was found: docs/theory/statics.md.
typedef struct fly_equilibrium {
  const char *by; // newton, energy, settling: what found it
  fly_poise poise;
  int freedoms;          // directions in which the joints let it move,
  int unstable, neutral; // of them those in which it leaves, or stays wherever it is put
  double lowest;         // smallest eigenvalue of stiffness over mass [1/s^2]; NAN: there is none, or it is not known
  double residual;       // what is not balanced, relative to all forces
  long iterations;
  double time;          // by settling: simulated until it rested [s]
  double moved, turned; // from where it was assembled: the most of any body [m], [rad]
  char notes[2000];     // what to know about it, one a line
} fly_equilibrium;

// A line of what an equilibrium looks like: where a body stands, what a joint carries, what a force does.
typedef struct fly_rest_line {
  const char *section; // bodies, joints, forces
  const char *name, *type;
  int count;
  const char *label[14], *unit[14]; // (count)
  double value[14];
} fly_rest_line;

// Values of the results that are NaN or infinite.
typedef struct fly_not_finite {
  long values, rows;   // how many, and in how many rows
  int channels;        // in so many channels
  const char *channel; // of the first; NULL: there are none
  double value, time;  // what it was, and when [s]
  long row;            // from 1
} fly_not_finite;

typedef struct fly_run fly_run; // one simulation of a mechanism
fly_status fly_run_create(fly_run **out, const fly_mechanism *m, const fly_run_options *options, fly_error *error);
void fly_run_free(fly_run *r);
// Assembles the model and finds consistent velocities, accelerations and reactions. Once: a run that was started is
// refused.
fly_status fly_run_start(fly_run *r, fly_error *error);
// Instead of starting: assembles the model and finds an equilibrium, at which it rests; motions hold their value at
// t = 0. by: newton, energy, settling; NULL: newton, then settling. fly_run_go goes on from there, fly_run_show writes
// it. `simulate: {start: equilibrium}` makes fly_run_start do the same.
fly_status fly_run_rest(fly_run *r, const char *by, fly_error *error);
const fly_equilibrium *fly_run_equilibrium(const fly_run *r); // NULL: none was asked for, or found
int fly_run_rest_lines(const fly_run *r);                     // of the equilibrium: bodies, joints, then forces
fly_rest_line fly_run_rest_line(const fly_run *r, int line);
// To the end. Results are written as they are reached; what was reached before a failure stays.
fly_status fly_run_go(fly_run *r, fly_error *error);
// All that a run goes on from, as bytes (the caller's to free), between its start and its going, and back: also in
// another run of the same model with the same options, which was started. See fly_solver_save. Results that were
// written stay where they are. Runs that motions or data move, and the method bdf, cannot be saved.
fly_status fly_run_save(fly_run *r, void **bytes, size_t *size, fly_error *error);
fly_status fly_run_restore(fly_run *r, const void *bytes, size_t size, fly_error *error);
// The note that was left with the checkpoint of a result, and the base name of its files: the caller's to free. result:
// a base name, or any file of it.
fly_status fly_checkpoint_note(char **note, char **base, const char *result, fly_error *error);
// Instead of going: writes the assembled start as the only row of the results.
fly_status fly_run_show(fly_run *r, fly_error *error);
fly_mechanism_info fly_run_info(const fly_run *r);
fly_stats fly_run_stats(const fly_run *r);
fly_profile fly_run_profile(const fly_run *r); // where its time went, pilots included; see fly_run_options.profile
fly_certificate fly_run_certificate(const fly_run *r);
// How it is integrated; because, if not NULL: the option that decided where no method was named (fly_method_meant).
const char *fly_run_method(const fly_run *r, const char **because);
// The file and line where the model says a key of `simulate` ("method"). False: the caller said it, or nobody did.
bool fly_run_setting_place(const fly_run *r, const char *key, const char **file, int *line);
int fly_run_stretches(const fly_run *r, fly_stretch *list, int most); // method auto: fly_solver_stretches
fly_ledger fly_run_ledger(const fly_run *r);                          // after the last accepted step
// The contacts that lost most, the hottest first, at most so many: how many. 0: the model has none.
int fly_run_hottest(const fly_run *r, fly_hot_contact *list, int most);
const fly_dae_options *fly_run_dae_options(const fly_run *r);
const fly_dae_problem *fly_run_problem(const fly_run *r); // after its start: for fly_dae_distance
// The error of the run as pilots show it, each channel with it (values 0, 1 ... are places 1, 2 ... of a row); NULL: no
// pilots were flown.
const fly_promise *fly_run_promise(const fly_run *r);
// What the run is worth, for people.
typedef enum fly_verdict_state {
  FLY_VERDICT_NONE,         // it has not ended, or was only looked at
  FLY_VERDICT_KEPT,         // the error was controlled, and estimated: it is kept
  FLY_VERDICT_CONTROLLED,   // the error was controlled, but not estimated, or something is open (the sentence says it)
  FLY_VERDICT_UNCONTROLLED, // it was not controlled: a fixed step, an error of each step
  FLY_VERDICT_WRONG         // something is wrong
} fly_verdict_state;
typedef struct fly_verdict {
  fly_verdict_state state;
  char sentence[800]; // what was checked, and what came out
} fly_verdict;
fly_verdict fly_run_verdict(const fly_run *r);
const char *fly_verdict_word(fly_verdict_state state); // none, kept, controlled, uncontrolled, wrong
double fly_run_time(const fly_run *r);
double fly_run_end(const fly_run *r);
// Events of the model, in the order they are told of: how often one has happened, what it is called and says (NULL:
// nothing), and whether it has ended the run.
typedef struct fly_event_told {
  const char *name, *message;
  long count;
  double last; // when it did so last [s]; NAN: never
  bool ended;
  const char *part; // it is one of an element of this name, as of a joint that "breaks_away"; NULL: an event
} fly_event_told;
int fly_run_events(const fly_run *r);
fly_event_told fly_run_event(const fly_run *r, int event);
long fly_run_rows(const fly_run *r);                                              // of the results
fly_not_finite fly_run_not_finite(const fly_run *r);                              // among them
int fly_run_channel(const fly_run *r, const char *name);                          // its place in a row; -1: none
const char *fly_run_channel_name(const fly_run *r, int place, const char **unit); // NULL: no such place
// The record of the run as JSON, as it is attached to the results: what was asked and how it went (docs/library.md).
// texts: with those of the model files. False if it could not be written.
bool fly_run_record(const fly_run *r, bool texts, fly_sink *sink, void *user);
// What to know of the way, a line each; "" if nothing. Kinematics and inverse dynamics: singular positions that were
// passed, jumps of a motion's velocity, data that had to be moved. Dynamics: what made the run slow.
const char *fly_run_notes(const fly_run *r);
// There too: the smallest ratio of pivots of the constraint Jacobian on the way, rows scaled, and when; 1 in dynamics.
double fly_run_conditioning(const fly_run *r, double *time);
// Outputs that are not among the channels because the analysis does not know what they need, in words; "" if none.
const char *fly_run_left_out(const fly_run *r);
// Starts that nobody may have meant, a line each, after fly_run_start: bodies that were moved far, velocities that were
// changed to fit the joints, bodies that nothing holds; "" if none. Those of the model: fly_mechanism_warnings.
const char *fly_run_warnings(const fly_run *r);
// Redundant rows in words, one a line, for people; "" if none.
const char *fly_run_redundancy(const fly_run *r);

// The model language.
// What an element or a form (orientation, marker, shape, table, repeat) takes: units, defaults, an example. NULL or a
// section: what there is. An unknown name is FLY_BAD_INPUT, and the message has the nearest.
fly_status fly_explain(const char *name, fly_sink *sink, void *user, fly_error *error);
bool fly_schema_write(fly_sink *sink, void *user);    // JSON Schema, for editors
bool fly_reference_write(fly_sink *sink, void *user); // the reference manual, Markdown

#ifdef __cplusplus
}
#endif
#endif
