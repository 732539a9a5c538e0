#define _POSIX_C_SOURCE 200809L // stat, lstat
#include "base/file.h"

#include <sys/stat.h>

bool fly_file_is_special(const char *path) {
  struct stat what;
  return stat(path, &what) == 0 && !S_ISREG(what.st_mode);
}

bool fly_file_is_link(const char *path) {
  struct stat what;
  return lstat(path, &what) == 0 && S_ISLNK(what.st_mode);
}
