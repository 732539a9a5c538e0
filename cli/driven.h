// flyball kinematics and flyball inverse: what they share.
#ifndef FLYBALL_CLI_DRIVEN_H
#define FLYBALL_CLI_DRIVEN_H

#include <stdbool.h>
#include <stddef.h>

#include "flyball/model.h"
#include "load.h"
#include "options.h"

typedef struct driven_settings {
  double end, output;
  const char *out, *channels, *follow, *set; // set: taken out before
  bool stats, json, report, allow_nan, strict, plugins;
  bool csv; // a CSV file too
} driven_settings;

#define DRIVEN_OPTIONS(groups)                                                                                         \
  {"set", CLI_TEXT, offsetof(driven_settings, set), "P=V", NULL, "give parameter P the value V; may be repeated"},     \
      {"strict", CLI_FLAG, offsetof(driven_settings, strict),                                                          \
       NULL,     NULL,     "what is odd in the model or its start (the warnings) is an error"},                        \
      {"end", CLI_POSITIVE, offsetof(driven_settings, end), "T", NULL, "end time [s]: the model's"},                   \
      {"Results", CLI_HEADING, 0, NULL, NULL, NULL},                                                                   \
      {"output", CLI_POSITIVE, offsetof(driven_settings, output),                                                      \
       "DT",     NULL,         "interval of the results [s]: the model's, or a thousandth of T"},                      \
      {"channels", CLI_TEXT, offsetof(driven_settings, channels), "LIST", NULL, groups},                               \
      {"out", CLI_TEXT, offsetof(driven_settings, out), "BASE", NULL, "write BASE.h5: the model's name"},              \
      {"csv", CLI_FLAG, offsetof(driven_settings, csv),                                                                \
       NULL,  NULL,     "write BASE.csv too: the same numbers for eyes and spreadsheets"},                             \
      {"report", CLI_FLAG, offsetof(driven_settings, report),                                                          \
       NULL,     NULL,     "write BASE.html too: what flyball report makes of it"},                                    \
      {"allow-nan", CLI_FLAG, offsetof(driven_settings, allow_nan),                                                    \
       NULL,        NULL,     "values of channels may be NaN or infinite; else it is not done as asked"},              \
      {"stats", CLI_FLAG, offsetof(driven_settings, stats), NULL, NULL, "print what it cost"},                         \
      {"json", CLI_FLAG, offsetof(driven_settings, json),                                                              \
       NULL,   NULL,     "print the record, a JSON object, instead of the report"},                                    \
      CLI_PLUGINS_OPTION(offsetof(driven_settings, plugins)), {                                                        \
    0                                                                                                                  \
  }

int driven_main(const cli_command *command, fly_analysis analysis, int argc, char **argv);

#endif
