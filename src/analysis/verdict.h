// What a run is worth: the verdict in words, and what is known of the error of each channel.
#ifndef FLY_ANALYSIS_VERDICT_H
#define FLY_ANALYSIS_VERDICT_H

#include "analysis/channels.h"
#include "analysis/settings.h"
#include "flyball/json.h"
#include "flyball/promise.h"

typedef struct fly_verdict_case {
  const fly_run_settings *settings;
  bool shown; // it has not ended, or was only looked at
  fly_status status;
  const char *message;
  const fly_promise *promise; // NULL: none
  const fly_channels *channels;
  const char *hidden;           // a force that may act in a short stretch of the motion; NULL: none
  long unsure;                  // steps through which it could not be followed
  const char *grazed;           // what came nearest to its switch without doing it, or hardly did it; NULL: none,
  double graze_t, graze;        // when [s], and how near, over what the error asked for leaves open of it
  const fly_equilibrium *start; // it began at; NULL: at none
  bool rubs;                    // a joint does, by its reaction
  double rest;                  // rate that it takes for rest, in the norm of errors [1/s]
  bool touches;                 // bodies do,
  bool faces;                   // and boxes, hulls or meshes may touch each other
  bool soft;                    // joints give way
  double size;                  // of the model [m], in which errors of lengths are meant
  double mass;                  // of all bodies [kg]
  fly_ledger ledger;
} fly_verdict_case;

fly_verdict fly_verdict_find(const fly_verdict_case *c);
// Of a run that is complete: boxes, hulls or meshes that touched each other have made or lost energy by it (contact.md,
// T-facets).
fly_status fly_verdict_judge_faces(const fly_verdict_case *c, fly_error *error);

// The object `error` of a record: what was asked, what came out, channel by channel. null: nothing is known.
void fly_errors_put(fly_json *j, const fly_promise *p, const fly_channels *c);
// The attachment errors.json: running maxima over time. Layout: docs/library.md.
fly_status fly_errors_attach(fly_result_writer *w, const fly_promise *p, const fly_channels *c, fly_error *error);

#endif
