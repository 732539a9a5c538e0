#define _GNU_SOURCE // flock, O_CLOEXEC
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool fly_file_is_special(const char *path) {
  struct stat what;
  return stat(path, &what) == 0 && !S_ISREG(what.st_mode);
}

bool fly_file_is_link(const char *path) {
  struct stat what;
  return lstat(path, &what) == 0 && S_ISLNK(what.st_mode);
}

bool fly_file_is_folder(const char *path) {
  struct stat what;
  return stat(path, &what) == 0 && S_ISDIR(what.st_mode);
}

bool fly_file_exists(const char *path) {
  struct stat what;
  return lstat(path, &what) == 0;
}

int fly_file_replaceable(const char *path) {
  struct stat what;
  if (stat(path, &what) != 0)
    return 0;
  if (S_ISDIR(what.st_mode))
    return EISDIR;
  if (!S_ISREG(what.st_mode))
    return EINVAL;
  return access(path, W_OK) == 0 ? 0 : errno;
}

// ------------------------------------------------------------------------------------------------ locks

// Whether the path still is the name of the open file: the one who had the lock may have renamed it meanwhile.
static bool is_at(int descriptor, const char *path) {
  struct stat open_one, named;
  return fstat(descriptor, &open_one) == 0 && lstat(path, &named) == 0 && open_one.st_ino == named.st_ino &&
         open_one.st_dev == named.st_dev;
}

int fly_file_lock(const char *path, int *reason) {
  for (int tries = 0; tries < 100; tries++) {
    const int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (descriptor < 0) {
      *reason = errno;
      return -1;
    }
    const bool locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    *reason = locked ? 0 : errno;
    if (locked && is_at(descriptor, path))
      return descriptor;
    close(descriptor);
    if (!locked)
      return -1;
  }
  *reason = EWOULDBLOCK;
  return -1;
}

void fly_file_unlock(int descriptor) {
  if (descriptor >= 0)
    close(descriptor);
}

// ------------------------------------------------------------------------------------------------ the disk

static int sync_path(const char *path, int flags) {
  const int descriptor = open(path, flags | O_CLOEXEC);
  if (descriptor < 0)
    return errno;
  const int reason = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  return reason;
}

int fly_file_sync(const char *path) { return sync_path(path, O_RDONLY); }

// Some file systems do not sync folders, and say EINVAL: they are believed.
static int sync_folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  const int length = slash == NULL ? 0 : slash == path ? 1 : (int)(slash - path);
  char folder[4096]; // as long as a path can be
  if (length >= (int)sizeof folder)
    return ENAMETOOLONG;
  snprintf(folder, sizeof folder, "%.*s", length > 0 ? length : 1, length > 0 ? path : ".");
  const int reason = sync_path(folder, O_RDONLY | O_DIRECTORY);
  return reason == EINVAL || reason == EACCES ? 0 : reason;
}

int fly_file_rename(const char *from, const char *to) { return rename(from, to) == 0 ? sync_folder_of(to) : errno; }
