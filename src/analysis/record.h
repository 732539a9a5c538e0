// The record of a run as JSON: what was asked, with which program, how it went. Layout: docs/library.md.
#ifndef FLY_ANALYSIS_RECORD_H
#define FLY_ANALYSIS_RECORD_H

#include <stdint.h>

#include "analysis/assembly.h"
#include "analysis/settings.h"
#include "analysis/verdict.h"
#include "result/result.h"

#define FLY_RECORD "record.json" // name of the attachment

typedef struct fly_record {
  const fly_spec *spec;
  const fly_run_settings *settings;
  bool running; // it has no outcome yet
  bool shown;   // it was assembled to be looked at, and not run
  fly_status status;
  const char *message;
  double time; // reached [s]; NAN: it did not start
  fly_verdict verdict;
  const fly_promise *promise;  // NULL: nothing is known of its error
  const fly_channels *channel; // its channels
  fly_mechanism_info info;
  const fly_assembly *assembly;           // of its start; NULL: it was made elsewhere
  const char *redundancy;                 // one a line
  const fly_equilibrium *equilibrium;     // where it starts or rests; NULL: none
  const fly_run *run;                     // that has
  int lines;                              // so many lines of it to be written
  const char *notes;                      // likewise: of kinematics
  const char *warnings;                   // of the model, one a line
  const char *start_warnings;             // of its start, likewise
  const char *left_out;                   // outputs that are not there, in words
  fly_not_finite not_finite;              // values of the results
  double conditioning, conditioning_time; // likewise; NAN: dynamics
  fly_certificate certificate;
  fly_ledger ledger;
  fly_stats stats;
  fly_profile profile;
  long rows; // of the results
  int channels;
  uint64_t hash; // of the rows
  double wall_s;
} fly_record;

// texts: with those of the model files. False if it could not be written.
bool fly_record_write(const fly_record *r, bool texts, fly_sink *sink, void *user);
fly_status fly_record_attach(fly_result_writer *w, const fly_record *r, fly_error *error);

#endif
