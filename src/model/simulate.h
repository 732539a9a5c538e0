// The keys of the section `simulate`: explanations, reference, schema and the messages of the analysis follow from
// them.
#ifndef FLY_MODEL_SIMULATE_H
#define FLY_MODEL_SIMULATE_H

#include "element/type.h"

enum { FLY_SIMULATE_MOST = 40 };                // rows, at most
extern const fly_parameter fly_simulate_rows[]; // ended by a row without a name

#endif
