// What C17 cannot say about files.
#ifndef FLY_BASE_FILE_H
#define FLY_BASE_FILE_H

#include <stdbool.h>

// True if there is something at the path that is no ordinary file, such as a device or a pipe: it can be written to,
// but must not be replaced.
bool fly_file_is_special(const char *path);
bool fly_file_is_link(const char *path); // a name that stands for another file
bool fly_file_is_folder(const char *path);
bool fly_file_exists(const char *path);

// Why a file at this path could not be replaced, as in errno; 0: it can, or there is none.
int fly_file_replaceable(const char *path);

// Makes a file if there is none, without changing one that is there, and locks it against others who do the same. A
// descriptor, which unlocks when it is closed; or -1, and why in *reason, as in errno: EWOULDBLOCK: another has it.
int fly_file_lock(const char *path, int *reason);
void fly_file_unlock(int descriptor); // -1 is fine

// Waits until what was written to a file is on the disk. 0, or why not, as in errno.
int fly_file_sync(const char *path);
// Gives a file another name, in place of what had it; when this returns the disk knows. 0, or why not, as in errno.
int fly_file_rename(const char *from, const char *to);

#endif
