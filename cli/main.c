// The program: a table of subcommands.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "flyball/words.h"
#include "guard.h"
#include "terminal.h"

typedef struct subcommand {
  const char *name;
  const char *summary;
  int (*run)(int argc, char **argv);
} subcommand;

static const subcommand subcommands[] = {
    {"new", "write a first model to start from", cmd_new},
    {"run", "simulate a model as it says, write results, print the certificate", cmd_run},
    {"kinematics", "the motion of a mechanism that its motions leave no freedom", cmd_kinematics},
    {"inverse", "the same, and the forces and torques it takes; or those a recorded motion takes", cmd_inverse},
    {"check", "read, assemble, count degrees of freedom, explain redundancy", cmd_check},
    {"statics", "where a model rests, whether it is stable there, and what holds it", cmd_statics},
    {"modes", "linearize: frequencies, damping, mode shapes, state matrices", cmd_modes},
    {"reduce", "a body of finite elements to a few modes, for bodies of type flexible", cmd_reduce},
    {"stress", "where a flexible body is stressed most in a run, when, and how often", cmd_stress},
    {"info", "what a result file holds: channels, units, rows, time", cmd_info},
    {"plot", "channels of a result in the terminal", cmd_plot},
    {"report", "results as one HTML page: the mechanism moving, its plots, the solver's story", cmd_report},
    {"view", "a model as it is assembled, as such a page: geometry and axes before any run", cmd_view},
    {"render", "a picture or a film of a result: PNG, MP4, WebM", cmd_render},
    {"explain", "what an element of a model takes", cmd_explain},
    {"schema", "the JSON Schema of model files, for editors", cmd_schema},
    {"problem", "run one of the papers' DAE problems, any method, any formulation", cmd_problem},
    {"stability", "linear stability, damping and order of a method", cmd_stability},
    {"verify", "recompute published tables, show digits of agreement", cmd_verify},
    {"bench", "how long named cases take, by each method, to the same precision", cmd_bench},
};
enum { NSUBCOMMAND = sizeof subcommands / sizeof subcommands[0] };

static void print_usage(FILE *out) {
  fprintf(out, "usage: flyball SUBCOMMAND [options]\n\n"
               "Simulates constrained mechanical systems by the Newmark family, to the error asked for.\n\n");
  for (int i = 0; i < NSUBCOMMAND; i++)
    fprintf(out, "  flyball %-12s %s\n", subcommands[i].name, subcommands[i].summary);
  fprintf(out,
          "\n  flyball SUBCOMMAND --help   its options and their defaults\n"
          "  flyball --version           the version of the library\n\n"
          "Exit status: 0 done as asked; 1 the analysis could not do it; 2 bad input or usage; 130 interrupted.\n");
}

static int fail_unknown(const char *word) {
  const char *words[NSUBCOMMAND + 1] = {NULL};
  for (int i = 0; i < NSUBCOMMAND; i++)
    words[i] = subcommands[i].name;
  const char *nearest = fly_nearest_word(word, words);
  if (nearest != NULL)
    cli_message("there is no subcommand '%s'; did you mean %s?", word, nearest);
  else
    cli_message("there is no subcommand '%s'; see flyball --help.", word);
  return CLI_USAGE;
}

static int dispatch(int argc, char **argv) {
  if (argc < 2) {
    print_usage(stderr);
    return CLI_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
    print_usage(stdout);
    return CLI_DONE;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("flyball %s\n", fly_version());
    return CLI_DONE;
  }
  for (int i = 0; i < NSUBCOMMAND; i++)
    if (strcmp(argv[1], subcommands[i].name) == 0)
      return subcommands[i].run(argc - 1, argv + 1);
  return fail_unknown(argv[1]);
}

// Threads of OpenBLAS that found no memory would be waited for at exit, for ever.
static int leave(int exit_status) {
  if (fly_memory_check(NULL) == FLY_OK)
    return exit_status;
  fflush(NULL);
  _exit(exit_status);
}

// A full disk or a closed pipe must not look like success.
int main(int argc, char **argv) {
  cli_guard_output();
  cli_ignore_limits();
  cli_leave_on_interrupt();
  const int exit_status = dispatch(argc, argv);
  if (fflush(stdout) == 0 && ferror(stdout) == 0)
    return leave(exit_status);
  cli_message("standard output could not be written.");
  return leave(exit_status == CLI_DONE ? CLI_FAILED : exit_status);
}
