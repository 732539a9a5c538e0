// POSIX can only reserve what the file grows by, so this is Linux.
#define _GNU_SOURCE

#include "base/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

int fly_disk_reserve(int descriptor, unsigned long long size) {
  struct rlimit most;
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY && size > most.rlim_cur)
    return EFBIG;
  errno = 0;
  if (fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, (off_t)size) == 0)
    return 0;
  bool full = errno == ENOSPC || errno == EFBIG || errno == EIO || errno == EDQUOT;
  return full ? errno : 0;
}

void fly_disk_give_back(int descriptor) {
  struct stat now;
  if (fstat(descriptor, &now) == 0 && ftruncate(descriptor, now.st_size) != 0)
    errno = 0; // it stays reserved
}

double fly_disk_free(const char *file) {
  char folder[4096];
  struct statvfs disk;
  snprintf(folder, sizeof folder, "%s", file);
  char *slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder] = 0; // the root keeps its own
  return statvfs(slash ? folder : ".", &disk) == 0 ? (double)disk.f_bavail * (double)disk.f_frsize : (double)INFINITY;
}

int fly_disk_write(int descriptor, const void *bytes, size_t size, unsigned long long at) {
  for (size_t done = 0; done < size;) {
    errno = EIO;
    const ssize_t n = pwrite(descriptor, (const char *)bytes + done, size - done, (off_t)(at + done));
    if (n <= 0 && errno != EINTR)
      return errno;
    done += n > 0 ? (size_t)n : 0;
  }
  return 0;
}

int fly_disk_again(int descriptor) { return descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0) : -1; }

void fly_disk_close(int descriptor) {
  if (descriptor >= 0)
    close(descriptor);
}
