// Numbers as base64, in the elements of the page that hold the channels (web/README.md, Blocks).
#ifndef FLY_REPORT_BLOCKS_H
#define FLY_REPORT_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { FLY_BLOCK_BYTES = 24 << 20 }; // the most

// A block being written: bytes wait until there are three.
typedef struct fly_block {
  FILE *file;
  unsigned char held[3];
  int count;
} fly_block;

void fly_block_begin(fly_block *b, FILE *file);
void fly_block_doubles(fly_block *b, const double *x, size_t n); // little end first, whatever the machine
void fly_block_floats(fly_block *b, const float *x, size_t n);
void fly_block_end(fly_block *b);

#endif
