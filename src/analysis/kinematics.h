// Kinematic analysis: the motion of a mechanism whose motions leave it no freedom, and with forces the inverse dynamics
// of it (docs/theory/kinematics.md). Steps follow a branch of the solutions; between their ends any point is found.
#ifndef FLY_ANALYSIS_KINEMATICS_H
#define FLY_ANALYSIS_KINEMATICS_H

#include "analysis/assembly.h"
#include "analysis/square.h"

typedef struct fly_drive {
  fly_assembly *assembly;
  fly_square square;                      // on assembly->all
  bool forces;                            // multipliers too
  double end, output, h, h_min;           // [s]
  fly_pose last, now, trial, dense;       // ends of the last step, and work
  fly_pose left, right;                   // work: where a singular position is located
  signed char *sign, *trial_sign;         // of the blocks of A at now, at trial (as many as there are blocks)
  double *delta, *null_left, *null_right; // work (nv)
  double last_h;
  bool crosses, crossed; // the trial, the last step passes a crossing of branches,
  double crossing;       // and when [s]
  bool reselected;       // other rows were tried where the last step ended
  fly_stats stats;
  fly_certificate certificate;
  fly_step_record record;
  double best, now_rcond;        // rcond of A: the largest on the way, at the last point
  double rcond, rcond_t;         // the smallest on the way, and when [s]
  int bifurcations, kinks, gaps; // singular positions passed; jumps of a motion's velocity; points without multipliers
  char notes[2000];              // of them, a line each
  fly_share share;               // how redundant joints share loads, once it was asked for
  fly_arena memory;
} fly_drive;

// Starts where the assembly, which is started, stands. Steps end at the points of output, and where they must between.
// d: zeroed; to be freed also after a failure.
fly_status fly_drive_create(fly_drive *d, fly_assembly *a, bool forces, double output, fly_error *error);
void fly_drive_free(fly_drive *d);
// To be called after fly_system_accept at the last point: turns are counted from there.
fly_status fly_drive_step(fly_drive *d, fly_error *error);
bool fly_drive_done(const fly_drive *d);
// The point at t inside the last step, or its end. Contents until the next call.
fly_status fly_drive_interpolate(fly_drive *d, double t, fly_dae_state *out, fly_error *error);
// What is reported of a state: multipliers of redundant rows are the smallest that do the same. Contents until the next
// call.
fly_status fly_drive_report(fly_drive *d, fly_dae_state *at, fly_error *error);
// Residuals of all constraints at the last point, on the three levels, and how well A is conditioned there.
void fly_drive_certify(fly_drive *d);

#endif
