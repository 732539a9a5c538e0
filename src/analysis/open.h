// Joints that cannot be closed: where a model fits as well as it can, and what is left open there.
#ifndef FLY_ANALYSIS_OPEN_H
#define FLY_ANALYSIS_OPEN_H

#include "model/model.h"

typedef struct fly_open {
  bool found; // a start that does not fit
  double *q;  // there: positions (nq),
  double *g;  // and what is left of each row (model->nrow)
} fly_open;

typedef struct fly_open_joint {
  const char *name;     // of the joint or motion
  double length, angle; // left open [m], [rad]
} fly_open_joint;

void fly_open_create(fly_open *o, const fly_model *m, fly_arena *memory);
// The first start that does not fit is kept: it is the one that messages tell of.
void fly_open_note(fly_open *o, const fly_model *m, const double *q, const double *g);
// At most so many, the worst first; those that are open by less than a thousandth of it are not counted. How many.
int fly_open_joints(const fly_open *o, const fly_model *m, fly_open_joint *list, int most);
const char *fly_row_unit(const fly_model *m, int row); // what a row is measured in; "": lengths and angles

#endif
