// flyball run --resume: what was asked for when the run was started is kept with its checkpoint.
#ifndef FLYBALL_CLI_RESUME_H
#define FLYBALL_CLI_RESUME_H

#include <stdbool.h>

#include <stddef.h>

enum { CLI_RESUME_WORDS = 200, CLI_RESUME_FILES = 65 };

typedef struct cli_resume {
  char *kept;                   // the words of the command, to be kept with its checkpoints
  char *base;                   // of the results that go on; NULL: nothing goes on
  char *note;                   // what was kept with theirs
  char *word[CLI_RESUME_WORDS]; // in the note
  const char *way;              // in the note: from the folder of the results to that in which the run was started
  char *file[CLI_RESUME_FILES]; // names of files as they are seen from here
  int nfile;
} cli_resume;

// If the command is `run --resume RESULT`: argc and argv become those the run was started with. Returns < 0 to go on,
// or the exit status, after a message.
int cli_resume_read(cli_resume *r, int *argc, char ***argv);
// The words of a command, to be kept.
void cli_resume_keep(cli_resume *r, int argc, char **argv);
// And where they hold, seen from the results `out`, so that a run goes on wherever one stands.
void cli_resume_keep_place(cli_resume *r, const char *out);
// The folder in front of names of files that were given when the run was started: where that was if `file` (the model)
// is there, "" if it is here. NULL: it is nowhere, after a message that says where it was looked for. The caller's to
// free.
char *cli_resume_folder(const cli_resume *r, const char *file);
// A name with the folder before the file in it, which begins at `at`; it lives as long as r.
const char *cli_resume_name(cli_resume *r, const char *folder, const char *name, size_t at);
void cli_resume_free(cli_resume *r);

#endif
