// Blocks: systems that are put together from states, variables, held numbers and events of the spec, so that every
// analysis has them. What is made carries the name of its block before a dot.
#ifndef FLY_MODEL_BLOCK_H
#define FLY_MODEL_BLOCK_H

#include "model/spec.h"

// Why a block cannot be made. parameter: the one at fault, NULL: the whole; no_memory: nothing is at fault.
typedef struct fly_block_fault {
  const char *parameter;
  bool no_memory;
  char text[400];
} fly_block_fault;

// Adds what a block is made of to the spec; items move. False: nothing can be done with it, and why.
bool fly_block_make(fly_spec *spec, int item, fly_block_fault *fault);

// ------------------------------------------------------------------------------------------ for the blocks

enum { FLY_BLOCK_NAME = 300 }; // the longest name, with what is behind the dot

// "plant.x3"; number 0: "plant.y".
void fly_block_name(char name[FLY_BLOCK_NAME], const fly_spec *spec, int block, const char *letter, int number);
bool fly_block_says(fly_block_fault *fault, const char *parameter, const char *format, ...); // false

// Items of a section that belong to a block; NULL: no memory, or the name is taken.
fly_item *fly_block_add(fly_spec *spec, int block, const char *section, const char *name, fly_block_fault *fault);
bool fly_block_number(fly_spec *spec, fly_item *item, const char *parameter, double value, fly_block_fault *fault);
bool fly_block_words(fly_spec *spec, fly_item *item, const char *parameter, int count, const char *const *word,
                     fly_block_fault *fault);

// x' = A x + B u, y = C x + D u; sampled: x that follows. Matrices row by row.
typedef struct fly_linear_block {
  int n, m, p; // states, inputs, outputs
  const double *A, *B, *C, *D;
  const double *start;      // (n)
  const char *const *input; // expressions (m)
  double scale;             // of its states
  double every, first;      // sampled: when; every 0: it is not
} fly_linear_block;
bool fly_block_make_linear(fly_spec *spec, int block, const fly_linear_block *linear, fly_block_fault *fault);

// block_plugin.c
bool fly_block_make_plugin(fly_spec *spec, int block, fly_block_fault *fault);

#endif
