// Room on a disk.
#ifndef FLY_BASE_DISK_H
#define FLY_BASE_DISK_H

#include <stddef.h>

// Makes sure that the first `size` bytes of an open file have their place on the disk, without changing its length. 0,
// or why not, as in errno. File systems that cannot promise anything are believed.
int fly_disk_reserve(int descriptor, unsigned long long size);
double fly_disk_free(const char *file);  // bytes left where a file is to be; INFINITY: not known
void fly_disk_give_back(int descriptor); // what lies beyond the file's length

// Writes at a place of an open file. 0, or why not, as in errno.
int fly_disk_write(int descriptor, const void *bytes, size_t size, unsigned long long at);
int fly_disk_again(int descriptor); // another descriptor of the same file, -1: none; to be given to fly_disk_close
void fly_disk_close(int descriptor);

#endif
