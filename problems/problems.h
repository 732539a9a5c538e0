// The papers' DAE problems by name. Each is written against the public header, as a user would write it.
#ifndef FLYBALL_PROBLEMS_H
#define FLYBALL_PROBLEMS_H

#include "flyball/dae.h"
#include "flyball/soft.h"

// A problem ready to run: its start and its data. Freed with fly_problem_free.
typedef struct fly_problem {
  fly_dae_problem dae;
  double t0, t_end;      // the interval of its source [s]
  double *q0, *v0, *x0;  // start (nq), (nv), (nx or NULL)
  const char **q_names;  // names of positions (nq), or NULL
  void *data;            // what the callbacks use (dae.user)
  double *reference_q;   // published or independent end values at reference_t (nq), or NULL
  double *reference_v;   // (nv), or NULL
  double reference_t;    // [s]
  int *patterns;         // memory of sparse patterns, or NULL
  fly_soft *soft;        // its constraints give way, or NULL
  fly_dae_problem rigid; // as it was before
} fly_problem;

typedef struct fly_problem_info {
  const char *name;
  const char *source;   // paper or data set
  const char *summary;  // one line
  const char *variants; // names separated by spaces, the default first; "" if there is one only
  bool sized;           // takes --n
  fly_status (*make)(fly_problem *out, const char *variant, int n, fly_error *error);
} fly_problem_info;

// The list, ended by a row with name == NULL.
extern const fly_problem_info fly_problem_list[];

// variant NULL: the default; n 0: the default size. The message of an unknown name lists the names that exist.
fly_status fly_problem_make(fly_problem *out, const char *name, const char *variant, int n, fly_error *error);
// Replaces the constraints by springs or dampers (fly_soft_create); smooth: the start follows (fly_soft_start).
fly_status fly_problem_soften(fly_problem *p, fly_soft_form form, double parameter, bool smooth, fly_error *error);
void fly_problem_free(fly_problem *p);

#endif
