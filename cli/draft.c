#define _POSIX_C_SOURCE 200809L
#include "draft.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

enum { LONGEST = 4096 };

// What is there and no ordinary file is written at its place: a link would be lost, a device cannot be replaced.
static bool is_replaced(const char *path) {
  struct stat seen;
  return lstat(path, &seen) != 0 || S_ISREG(seen.st_mode);
}

static int check_folder_of(const char *path) {
  char folder[LONGEST];
  const char *slash = strrchr(path, '/');
  const int length = !slash ? 1 : slash == path ? 1 : (int)(slash - path);
  snprintf(folder, sizeof folder, "%.*s", length, slash ? path : ".");
  struct stat seen;
  if (stat(folder, &seen) != 0)
    return errno;
  if (!S_ISDIR(seen.st_mode))
    return ENOTDIR;
  return access(folder, W_OK | X_OK) == 0 ? 0 : errno;
}

// 0, or why it cannot be written, as in errno.
static int check_path(const char *path) {
  struct stat seen;
  if (strlen(path) >= LONGEST)
    return ENAMETOOLONG;
  if (stat(path, &seen) == 0 && S_ISDIR(seen.st_mode))
    return EISDIR;
  if (stat(path, &seen) == 0 && access(path, W_OK) != 0)
    return errno;
  return is_replaced(path) ? check_folder_of(path) : 0;
}

bool cli_draft_possible(const char *path) {
  if (path[0] == 0) {
    cli_message("the name of the file to be written is empty.");
    return false;
  }
  const int reason = check_path(path);
  if (reason == 0)
    return true;
  errno = reason;
  cli_cannot_write(path);
  return false;
}

bool cli_draft_open(cli_draft *d, const char *path) {
  *d = (cli_draft){.path = path};
  fflush(stdout); // what was printed comes before, should both go to the same place
  snprintf(d->part, sizeof d->part, "%.*s%s", LONGEST, path, is_replaced(path) ? ".part" : "");
  d->file = fopen(d->part, "w");
  if (d->file == NULL)
    cli_cannot_write(path);
  return d->file != NULL;
}

// Closes it; 0, or why something of it is missing, as in errno.
static int finish(FILE *file) {
  const bool whole = fflush(file) == 0 && ferror(file) == 0;
  const int reason = whole ? 0 : errno != 0 ? errno : EIO;
  if (fclose(file) != 0 && reason == 0)
    return errno;
  return reason;
}

bool cli_draft_close(cli_draft *d, bool keep) {
  const bool beside = strcmp(d->part, d->path) != 0;
  int reason = finish(d->file);
  if (keep && reason == 0 && beside && rename(d->part, d->path) != 0)
    reason = errno;
  if (beside && (!keep || reason != 0))
    remove(d->part);
  if (!keep || reason == 0)
    return true;
  errno = reason;
  cli_cannot_write(d->path);
  return false;
}
