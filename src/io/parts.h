// The parts that come with the program, built in (parts/*.yaml, cmake/examples.cmake).
#ifndef FLY_IO_PARTS_H
#define FLY_IO_PARTS_H

#include <stddef.h>

typedef struct fly_shipped_part {
  const char *name; // of the file without its ending, and of the part in it
  const char *text;
  size_t length;
} fly_shipped_part;

extern const fly_shipped_part fly_shipped_parts[]; // by name
extern const int fly_shipped_part_count;

#endif
