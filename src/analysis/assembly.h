// A model brought to where its joints fit: redundant rows removed, positions, velocities and accelerations consistent
// at the start. Every analysis begins here.
#ifndef FLY_ANALYSIS_ASSEMBLY_H
#define FLY_ANALYSIS_ASSEMBLY_H

#include "analysis/kept.h"
#include "analysis/open.h"
#include "analysis/share.h"
#include "model/mechanism.h"
#include "system/system.h"

typedef struct fly_assembly {
  const fly_mechanism *mechanism;
  fly_dae_options dae;                 // of the solver
  double end;                          // [s]
  fly_softness softness;               // how rows are held that may give way; set before it is created
  bool smooth;                         // likewise: those start where what they carry has opened them
  fly_system all;                      // with every row that is there, to find which are needed
  fly_system system;                   // with the independent ones
  fly_solver *solver;                  // of that system
  int rank;                            // how many rows are independent
  char redundancy[2000];               // in words, a line a removed row
  char warnings[3000];                 // starts that nobody may have meant, a line each (start.c)
  double moved_q, moved_v;             // by what is held at the start
  bool resting;                        // the whole model goes to equilibrium next: states that start there need not yet
  int levels;                          // positions, velocities, accelerations: those on which removed rows must hold
  int *keep;                           // the independent rows (model->nrow)
  fly_csc independent;                 // G where they were found, if they are all there are and it has not started yet;
                                       // its arrays are those of `all`
  double *g;                           // work: values of all rows (model->nrow)
  double *y_guess;                     // where the search for variables begins (model->ny)
  double *q, *v, *x;                   // where the solver starts (nq), (nv), (room_x)
  int room_x;                          // states of the system: no fewer than those of the model
  bool *reached;                       // work: bodies that something holds or pushes (nbody)
  double *start_q, *start_v, *start_x; // where it was started, consistent (nq), (nv), (nstate),
  int *start_rows, start_rank;         // with these rows (start_rank),
  int start_lit;                       // of so many that were there; 0: it has not been yet, or there was none
  fly_open open;                       // where it cannot be closed
  double *q_given;                     // work: where it started first (nq)
  fly_kept kept;                       // the rows kept, watched, once a run has begun where some are redundant,
  fly_share share;                     // and how joints share loads there
  double *spread;                      // work: multipliers of all rows (model->nrow)
  long changes;                        // how often other rows took the place of those kept
  long switched;                       // how often rows have come or gone, as far as is known here
  bool crossed;                        // events have taken place since the start
  fly_arena memory;
} fly_assembly;

// What does not depend on rows, for fly_assembly_start_as. a: zeroed; to be freed also after a failure.
fly_status fly_assembly_prepare(fly_assembly *a, const fly_mechanism *m, const fly_dae_options *dae, double end,
                                fly_error *error);
// Systems and solver, with the rows that are independent where the model is given. a: likewise.
fly_status fly_assembly_create(fly_assembly *a, const fly_mechanism *m, const fly_dae_options *dae, double end,
                               fly_error *error);
// Assembles: the solver is started at t = 0, and fly_solver_state(a->solver) is consistent.
fly_status fly_assembly_start(fly_assembly *a, fly_error *error);
// The solver stands at its start: so that others can start there.
void fly_assembly_note_start(fly_assembly *a);
// Starts where another assembly of the same model, or itself, did, with its rows and without looking for them, and with
// other options.
fly_status fly_assembly_start_as(fly_assembly *a, const fly_assembly *of, const fly_dae_options *dae, fly_error *error);
// Both.
fly_status fly_assemble(fly_assembly *a, const fly_mechanism *m, const fly_dae_options *dae, double end,
                        fly_error *error);
void fly_assembly_free(fly_assembly *a);

// a->g, of the rows that are there, becomes that of all rows of the model: of others 0.
void fly_assembly_spread(fly_assembly *a);
// Goes on with these rows and options, from nothing: the solver is not started.
fly_status fly_assembly_use(fly_assembly *a, const fly_dae_options *dae, int rank, const int *rows, fly_error *error);
fly_status fly_assembly_create_solver(fly_assembly *a, const fly_dae_options *dae, fly_error *error); // of the system
// Systems, solver, rows kept and shares, both ways, of an assembly that was started from the same model.
fly_status fly_assembly_image(fly_assembly *a, fly_image *m, fly_error *error);

// Rows that were removed must go on holding, to a part of the model's size: motions may agree at the start and part
// later. at: an accepted point.
fly_status fly_assembly_check_to(fly_assembly *a, const fly_dae_state *at, double tolerance, fly_error *error);
fly_status fly_assembly_check(fly_assembly *a, const fly_dae_state *at, fly_error *error); // as runs need it

// Before a step from the accepted point at, which a step h led to: where rows were taken out, and those left hardly
// suffice any more, others take their place, and the solver goes on with them.
fly_status fly_assembly_watch(fly_assembly *a, const fly_dae_state *at, double h, fly_error *error);

// Behind what took place between two steps: rows may have come or gone.
fly_status fly_assembly_crossed(fly_assembly *a, fly_error *error);
// These rows are there from now on, of those switched on; nothing is known of how they depend on each other.
fly_status fly_assembly_use_lit(fly_assembly *a, int count, const int *rows, fly_error *error);

// What is reported of a state of the solver: where rows are redundant, every row has a multiplier, and these are the
// smallest that do the same. *system: to which *at belongs afterwards; its arrays are the assembly's.
fly_status fly_assembly_report(fly_assembly *a, fly_dae_state *at, fly_system **system, fly_error *error);

#endif
