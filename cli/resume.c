#define _XOPEN_SOURCE 700 // realpath
#include "resume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "flyball/model.h"

static const char SEPARATOR = '\x1f'; // of words: no terminal types it
static const char PLACE[] = "in:";    // before the first of them, the way to where they hold

static int find(int argc, char **argv) {
  for (int k = 1; k < argc; k++)
    if (strcmp(argv[k], "--resume") == 0 || strncmp(argv[k], "--resume=", 9) == 0)
      return k;
  return 0;
}

static int split(cli_resume *r, char *command) {
  int n = 0;
  char *s = r->note;
  r->word[n++] = command;
  if (s && strncmp(s, PLACE, strlen(PLACE)) == 0) {
    r->way = s + strlen(PLACE);
    s = strchr(s, SEPARATOR);
    if (s)
      *s++ = 0;
  }
  while (s && *s && n < CLI_RESUME_WORDS - 1) {
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

// ------------------------------------------------------------------------------------------ where its files are

// Two texts, one behind the other.
static char *joined(const char *a, const char *b) {
  char *both = malloc(strlen(a) + strlen(b) + 1);
  if (both)
    strcat(strcpy(both, a), b);
  return both;
}

// The folder of a file, with its slash; "": here.
static char *folder_of(const char *file) {
  const char *slash = strrchr(file, '/');
  char *folder = joined(file, "");
  if (folder)
    folder[slash ? slash - file + 1 : 0] = 0;
  return folder;
}

// Characters that two paths from the root have in common, in whole names.
static size_t common(const char *a, const char *b) {
  size_t same = 0, i = 0;
  for (; a[i] && a[i] == b[i]; i++)
    if (a[i] == '/')
      same = i;
  return (a[i] == 0 || a[i] == '/') && (b[i] == 0 || b[i] == '/') ? i : same;
}

// From one folder to another, both from the root: "../models/". Nobody learns where they lie.
static char *way_between(const char *from, const char *to) {
  from = strcmp(from, "/") == 0 ? "" : from;
  to = strcmp(to, "/") == 0 ? "" : to;
  const size_t same = common(from, to);
  const char *down = to[same] == '/' ? to + same + 1 : to + same;
  char *way = calloc(1, 3 * strlen(from + same) + strlen(down) + 2);
  for (const char *s = from + same; way && *s; s++)
    if (*s == '/')
      strcat(way, "../");
  if (way && *down)
    strcat(strcat(way, down), "/");
  return way;
}

// From the folder of the results to here; "": the same, or it cannot be told.
static char *way_to_here(const char *out) {
  char *folder = folder_of(out), *from = folder ? realpath(*folder ? folder : ".", NULL) : NULL;
  char *to = realpath(".", NULL), *way = from && to ? way_between(from, to) : joined("", "");
  free(folder);
  free(from);
  free(to);
  return way;
}

// Of a run that goes on its first place counts: that is where its words hold.
void cli_resume_keep_place(cli_resume *r, const char *out) {
  char *way = r->way ? joined(r->way, "") : way_to_here(out), *words = r->kept;
  const size_t size = way && words ? strlen(PLACE) + strlen(way) + strlen(words) + 2 : 0;
  char *kept = size ? malloc(size) : NULL;
  if (kept) {
    snprintf(kept, size, "%s%s%c%s", PLACE, way, SEPARATOR, words);
    r->kept = kept;
    free(words);
  }
  free(way);
}

char *cli_resume_folder(const cli_resume *r, const char *file) {
  const bool movable = r->base && r->way && file[0] != '/' && strcmp(file, "-") != 0;
  if (!movable)
    return joined("", "");
  char *beside = folder_of(r->base), *folder = beside ? joined(beside, r->way) : NULL;
  char *there = folder ? joined(folder, file) : NULL;
  const bool found = there && access(there, F_OK) == 0, here = !found && access(file, F_OK) == 0;
  if (there && !found && !here)
    cli_message("%s: there is no such file. The run was started with this model: it is not %s, where it was as seen "
                "from the result, nor is it to be found from here. Put it back, or go to where it is.",
                file, there);
  if (folder && here)
    folder[0] = 0;
  if (!found && !here) {
    free(folder);
    folder = NULL;
  }
  free(beside);
  free(there);
  return folder;
}

const char *cli_resume_name(cli_resume *r, const char *folder, const char *name, size_t at) {
  if (*folder == 0 || name[at] == '/' || r->nfile == CLI_RESUME_FILES)
    return name;
  const size_t size = strlen(folder) + strlen(name) + 1;
  char *whole = malloc(size);
  if (!whole)
    return name;
  snprintf(whole, size, "%.*s%s%s", (int)at, name, folder, name + at);
  r->file[r->nfile++] = whole;
  return whole;
}

void cli_resume_free(cli_resume *r) {
  for (int k = 0; k < r->nfile; k++)
    free(r->file[k]);
  free(r->kept);
  free(r->note);
  free(r->base);
}
