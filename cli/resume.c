#include "resume.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "flyball/model.h"

static const char SEPARATOR = '\x1f'; // of words: no terminal types it

static int find(int argc, char **argv) {
  for (int k = 1; k < argc; k++)
    if (strcmp(argv[k], "--resume") == 0 || strncmp(argv[k], "--resume=", 9) == 0)
      return k;
  return 0;
}

static int split(cli_resume *r, char *command) {
  int n = 0;
  r->word[n++] = command;
  for (char *s = r->note; s && *s && n < CLI_RESUME_WORDS - 1;) {
    r->word[n++] = s;
    s = strchr(s, SEPARATOR);
    if (s)
      *s++ = 0;
  }
  return n;
}

int cli_resume_read(cli_resume *r, int *argc, char ***argv) {
  const int at = find(*argc, *argv);
  fly_error error = {0};
  if (at == 0)
    return -1;
  const char *result = strchr((*argv)[at], '=') ? strchr((*argv)[at], '=') + 1
                       : at + 1 < *argc         ? (*argv)[at + 1]
                                                : NULL;
  if (!result || *argc != (strchr((*argv)[at], '=') ? 2 : 3)) {
    cli_message("--resume takes a result and stands alone: all else is as it was asked for when the run was started.");
    return CLI_USAGE;
  }
  const fly_status status = fly_checkpoint_note(&r->note, &r->base, result, &error);
  if (status) {
    cli_message("%s", error.message);
    return cli_exit_status(status);
  }
  *argc = split(r, (*argv)[0]);
  *argv = r->word;
  return -1;
}

void cli_resume_keep(cli_resume *r, int argc, char **argv) {
  size_t size = 1, n = 0;
  for (int k = 1; k < argc; k++)
    size += strlen(argv[k]) + 1;
  r->kept = calloc(1, size);
  for (int k = 1; r->kept && k < argc; k++) {
    if (k > 1)
      r->kept[n++] = SEPARATOR;
    strcpy(r->kept + n, argv[k]);
    n += strlen(argv[k]);
  }
}

void cli_resume_free(cli_resume *r) {
  free(r->kept);
  free(r->note);
  free(r->base);
}
