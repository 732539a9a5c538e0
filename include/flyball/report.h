// Reports: results as one HTML page that opens anywhere, from disk, without a network.
#ifndef FLYBALL_REPORT_H
#define FLYBALL_REPORT_H

#include <stdbool.h>

#include "flyball/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fly_report_options {
  const char *title; // of the page; NULL: what the models are called
  double limit; // bytes of channels that a page holds of each result; what is larger is thinned without losing peaks
} fly_report_options;

fly_report_options fly_report_options_default(void); // 32 MB

enum { FLY_REPORT_NOTES = 12 };

// What became of a result in the page.
typedef struct fly_report_result {
  long rows, kept; // of the file; in the page, for the animation
  int notes;       // what the page says about it at the top: thinned, without a scene, values that are not finite ...
  char note[FLY_REPORT_NOTES][300];
} fly_report_result;

enum { FLY_REPORT_RESULTS = 2 }; // in one page, to be compared

// Writes a page of one or two results (files, or base names as for fly_result_open). It is written beside its place and
// then put there, so that a page that was there stays until the new one is complete. done may be NULL (count).
fly_status fly_report_write(const char *file, int count, const char *const *results, const fly_report_options *options,
                            fly_report_result *done, fly_error *error);

#ifdef __cplusplus
}
#endif
#endif
