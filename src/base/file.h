// What C17 cannot say about files.
#ifndef FLY_BASE_FILE_H
#define FLY_BASE_FILE_H

#include <stdbool.h>

// True if there is something at the path that is no ordinary file, such as a device or a pipe: it can be written to,
// but must not be replaced.
bool fly_file_is_special(const char *path);
bool fly_file_is_link(const char *path); // a name that stands for another file

#endif
