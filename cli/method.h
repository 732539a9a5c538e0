// The options that name a method; shared by subcommands.
#ifndef FLYBALL_CLI_METHOD_H
#define FLYBALL_CLI_METHOD_H

#include <stdio.h>

#include "flyball/dae.h"
#include "flyball/json.h"
#include "options.h"

// Rows of an option table for a struct `type` with a member `fly_method_request method`; named: the method if none is.
#define CLI_METHOD_OPTIONS(type, named)                                                                                  \
  {"method",                                                                                                             \
   CLI_TEXT,                                                                                                             \
   offsetof(type, method.name),                                                                                          \
   "M",                                                                                                                  \
   named,                                                                                                                \
   "auto: partition, radau or ch, chosen and changed while it runs, unless an option given\n"                            \
   "belongs to one method (--rho: ch); trapezoid, newmark, hht, wbz, ch (generalized-alpha), gen\n"                      \
   "or custom; state-space: direct, baumgarte, partition, hybrid; radau (order 5 or 9), bdf (IDA; its\n"                 \
   "error is per step); with fixed steps and constraints on velocities also sdirk, lobatto-cd,\n"                        \
   "lobatto-acd, bdf-alpha, ch-first"},                                                                                  \
      {"rho",                                                                                                            \
       CLI_NUMBER,                                                                                                       \
       offsetof(type, method.rho),                                                                                       \
       "R",                                                                                                              \
       NULL,                                                                                                             \
       "damping at infinite frequency, 0 (all) to 1 (none); ch, wbz, gen, newmark and\n"                                 \
       "the methods with fixed steps only: default 0.6; hht: 0.5 to 1"},                                                 \
      {"alpha", CLI_NUMBER, offsetof(type, method.alpha),                                                                \
       "A",     NULL,       "hht: -1/3 (most damping) to 0; default -0.3; baumgarte, hybrid: [1/s]"},                    \
      {"gamma", CLI_NUMBER, offsetof(type, method.gamma),                                                                \
       "G",     NULL,       "newmark: at least 1/2; custom: default 1/2 - alpha_m + alpha_f"},                           \
      {"beta", CLI_NUMBER, offsetof(type, method.beta),                                                                  \
       "B",    NULL,       "newmark, custom: default (gamma+1/2)^2/4; baumgarte, hybrid: [1/s]"},                        \
      {"constraint",                                                                                                     \
       CLI_NUMBER,                                                                                                       \
       offsetof(type, method.constraint),                                                                                \
       "G",                                                                                                              \
       NULL,                                                                                                             \
       "hybrid: constraint error beyond which coordinates are put back, in its\n"                                        \
       "units; default: the error asked for"},                                                                           \
      {"z0", CLI_NUMBER, offsetof(type, method.z0),                                                                      \
       "Z",  NULL,       "lobatto-acd: h omega at which the amplification is (1 + rho)/2; default 3"},                   \
      {"stages", CLI_NUMBER, offsetof(type, method.stages),                                                              \
       "S",      NULL,       "radau: 3 (order 5) or 5 (order 9); for smooth stiff models at 1e-7 and below; default 3"}, \
      {"phi0", CLI_NUMBER, offsetof(type, method.phi0), "P", NULL, "gen: 0 to pi; default 0"},                           \
      {"alpha-m", CLI_NUMBER, offsetof(type, method.alpha_m),                                                            \
       "A",       NULL,       "custom: weight of the old pseudo-acceleration"},                                          \
  {                                                                                                                      \
    "alpha-f", CLI_NUMBER, offsetof(type, method.alpha_f), "A", NULL, "custom: weight of the old acceleration"           \
  }

// "ch, rho = 0.6" from what was asked for, defaults included. method: NULL if it is not of the Newmark family.
void cli_method_describe(char *text, size_t size, const fly_method_request *request, const fly_newmark *method);
// Two lines with the parameters, for positions and for first-order states.
void cli_method_print(FILE *out, const fly_newmark *method, const fly_theta *states);
// The object of the parameters.
void cli_method_json(fly_json *j, const fly_newmark *method, const fly_theta *states);

#endif
