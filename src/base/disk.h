// Room on a disk.
#ifndef FLY_BASE_DISK_H
#define FLY_BASE_DISK_H

// Makes sure that the first `size` bytes of an open file have their place on the disk, without changing its length. 0,
// or why not, as in errno. File systems that cannot promise anything are believed.
int fly_disk_reserve(int descriptor, unsigned long long size);
double fly_disk_free(const char *file);  // bytes left where a file is to be; INFINITY: not known
void fly_disk_give_back(int descriptor); // what lies beyond the file's length

#endif
