// Outputs that a step is stiff in: the load y = k g + d G v of a joint that gives way. An iteration leaves a little in
// the positions, a polynomial between the ends of a step a little more; k times that is no load. What the stages carry
// is: there y is an unknown beside v', and in balance with it (docs/theory/soft.md, S-held).
#include <math.h>
#include <string.h>

#include "dae/solver.h"

static const double ROUNDED = 4.0; // times the rounding of a position
static const double STIFF = 1.0;   // what a change of y moves its own row by in a step, beside the change

// Of each column of outputs the largest acceleration that it makes, by itself and seen by the masses on the diagonal.
static void find_pushes(const fly_solver *s, const double *J0, const double *mass, double *push) {
  const fly_csc *J = &s->e.J[0];
  const int nv = s->e.p.nv, first = nv + s->e.nl + s->e.p.nx;
  memset(push, 0, (size_t)s->e.p.ny * sizeof *push);
  for (int i = 0; i < s->e.p.ny; i++)
    for (int k = J->start[first + i]; k < J->start[first + i + 1]; k++)
      if (J->row[k] < nv && mass[J->row[k]] > 0)
        push[i] = fmax(push[i], fabs(J0[k]) / mass[J->row[k]]);
}

static void find_masses(const fly_solver *s, double *mass) {
  const fly_csc *M = &s->e.M;
  memset(mass, 0, (size_t)s->e.p.nv * sizeof *mass);
  for (int j = 0; j < s->e.p.nv; j++)
    for (int k = M->start[j]; k < M->start[j + 1]; k++)
      if (M->row[k] == j)
        mass[j] = fabs(M->val[k]);
}

// How far the row of an output moves for a unit of acceleration of each velocity, over a step.
static void find_answers(const fly_solver *s, double h, double *answer) {
  const int first = s->e.p.nv + s->e.p.nx;
  memset(answer, 0, (size_t)s->e.p.ny * sizeof *answer);
  for (int what = 1; what <= 2; what++)
    for (int k = 0; k < s->e.J[what].start[s->e.p.nv]; k++)
      if (s->e.J[what].row[k] >= first)
        answer[s->e.J[what].row[k] - first] += (what == 1 ? h : h * h) * fabs(s->e.J[what].val[k]);
}

// Only what positions and velocities alone tell can be kept while the rest is found anew.
static void exclude_feedback(const fly_solver *s, const double *J0, bool *held) {
  const fly_csc *J = &s->e.J[0];
  const int rows = s->e.p.nv + s->e.p.nx, columns = s->e.p.nv + s->e.nl + s->e.p.nx;
  for (int j = 0; j < s->e.ncol; j++)
    for (int k = J->start[j]; k < J->start[j + 1]; k++)
      if (J->row[k] >= rows && J0[k] != 0 && j != columns + J->row[k] - rows)
        held[J->row[k] - rows] = false;
}

void fly_find_held(fly_solver *s, double h, const double *J0, double *mass, double *push, bool *held) {
  if (s->e.p.ny == 0)
    return;
  find_masses(s, mass);
  find_pushes(s, J0, mass, push);
  find_answers(s, h, s->rough);
  for (int i = 0; i < s->e.p.ny; i++)
    held[i] = push[i] * s->rough[i] > STIFF;
  exclude_feedback(s, J0, held);
}

void fly_find_rough(const fly_solver *s, double *rough) {
  const fly_csc *J2 = &s->e.J[2];
  const int first = s->e.p.nv + s->e.p.nx;
  double position, velocity;
  fly_rounding(s, &position, &velocity);
  memset(rough, 0, (size_t)s->e.p.ny * sizeof *rough);
  for (int k = 0; k < J2->start[s->e.p.nv]; k++)
    if (J2->row[k] >= first)
      rough[J2->row[k] - first] += ROUNDED * position * fabs(J2->val[k]);
}
