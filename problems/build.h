// Shared by the problem files: taking a problem's memory, saying what is wrong, and the list of makers.
#ifndef FLY_PROBLEMS_BUILD_H
#define FLY_PROBLEMS_BUILD_H

#include <stddef.h>

#include "problems.h"

#define FLY_PI 3.14159265358979323846

// What a problem is made of. Everything is copied; arrays that are NULL become zeros of the right length.
typedef struct fly_problem_parts {
  const fly_dae_problem *dae;
  double t_end;               // [s], from 0
  const double *q0, *v0, *x0; // start (nq), (nv), (nx)
  const char *const *q_names; // (nq)
  const void *data;           // what the callbacks see as user (data_size bytes)
  size_t data_size;           // 0: none
  size_t pattern_ints;        // size of fly_problem.patterns, to be filled by the problem; 0: none
  const double *reference_q;  // (nq), NULL: none
  const double *reference_v;  // (nv), NULL: none
  double reference_t;         // [s]
} fly_problem_parts;

// Takes the memory and copies the parts. On failure *out is empty and nothing has to be freed.
fly_status fly_problem_build(fly_problem *out, const fly_problem_parts *parts, fly_error *error);

// Fills error (may be NULL) and returns status.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
fly_status
fly_problem_fail(fly_error *error, fly_status status, const char *format, ...);

bool fly_variant_is(const char *variant, const char *name); // variant may be NULL: the default, whose name is not asked

typedef fly_status fly_problem_maker(fly_problem *out, const char *variant, int n, fly_error *error);

fly_problem_maker fly_make_pendulum, fly_make_pendulum_family, fly_make_double_pendulum, fly_make_stiff_double_pendulum;
fly_problem_maker fly_make_seven_body, fly_make_seven_body_cartesian, fly_make_slider_crank, fly_make_slider_crank_ida;
fly_problem_maker fly_make_spring_mass, fly_make_oscillator, fly_make_heavy_top, fly_make_four_bar, fly_make_chain;
fly_problem_maker fly_make_rolling_coin, fly_make_knife_edge, fly_make_redundant, fly_make_lock;

#endif
