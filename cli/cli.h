// The program: what its subcommands share.
#ifndef FLYBALL_CLI_H
#define FLYBALL_CLI_H

#include "flyball/status.h"

// Exit status of the program.
enum {
  CLI_DONE = 0,         // done as asked
  CLI_FAILED = 1,       // the analysis could not do it; the message says why
  CLI_USAGE = 2,        // bad input or usage
  CLI_INTERRUPTED = 130 // Ctrl-C
};

// The subcommands. argv[0] is the subcommand's name; they return the exit status.
int cmd_bench(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_inverse(int argc, char **argv);
int cmd_kinematics(int argc, char **argv);
int cmd_modes(int argc, char **argv);
int cmd_new(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_problem(int argc, char **argv);
int cmd_reduce(int argc, char **argv);
int cmd_render(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_schema(int argc, char **argv);
int cmd_stability(int argc, char **argv);
int cmd_statics(int argc, char **argv);
int cmd_stress(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_view(int argc, char **argv);

// One line "flyball: ..." on stderr.
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void cli_message(const char *format, ...);
void cli_cannot_write(const char *path); // why, by errno

// Exit status that belongs to a status of the library.
int cli_exit_status(fly_status status);

#endif
