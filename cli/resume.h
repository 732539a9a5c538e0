// flyball run --resume: what was asked for when the run was started is kept with its checkpoint.
#ifndef FLYBALL_CLI_RESUME_H
#define FLYBALL_CLI_RESUME_H

#include <stdbool.h>

enum { CLI_RESUME_WORDS = 200 };

typedef struct cli_resume {
  char *kept;                   // the words of the command, to be kept with its checkpoints
  char *base;                   // of the results that go on; NULL: nothing goes on
  char *note;                   // what was kept with theirs
  char *word[CLI_RESUME_WORDS]; // in the note
} cli_resume;

// If the command is `run --resume RESULT`: argc and argv become those the run was started with. Returns < 0 to go on,
// or the exit status, after a message.
int cli_resume_read(cli_resume *r, int *argc, char ***argv);
// The words of a command, to be kept.
void cli_resume_keep(cli_resume *r, int argc, char **argv);
void cli_resume_free(cli_resume *r);

#endif
