// Why a file cannot be written: "No such file" of a file that is to be made says nothing about the folder it lacks.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flyball/words.h"

enum { LONGEST = 4096 };

// "a" of "a/b", "." of "b", "/" of "/b"
static void folder_of(char *folder, const char *path) {
  const char *slash = strrchr(path, '/');
  if (slash == NULL)
    snprintf(folder, LONGEST, ".");
  else
    snprintf(folder, LONGEST, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

const char *fly_why_not_written(char *text, size_t size, const char *path, int reason) {
  char folder[LONGEST];
  struct stat seen;
  folder_of(folder, path);
  const bool missing = stat(folder, &seen) != 0;
  if (missing && errno == ENOENT)
    snprintf(text, size, "there is no folder '%.300s'; make it first (mkdir -p)", folder);
  else if (!missing && !S_ISDIR(seen.st_mode))
    snprintf(text, size, "'%.300s' is a file, not a folder", folder);
  else if ((reason == EACCES || reason == EPERM || reason == EROFS) && access(folder, W_OK) != 0)
    snprintf(text, size, "you may not write in the folder '%.300s' (%s)", folder, strerror(reason));
  else
    snprintf(text, size, "%s", strerror(reason));
  return text;
}
