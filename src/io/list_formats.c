// The kinds of model files beside the model language, as the program walks them. A test that needs one of its own
// defines FLY_MORE_FORMATS(row) and includes this file, as with element/list.c.
#include <stddef.h>

#include "io/format.h"

#define FLY_FORMAT_LIST(row)

#ifndef FLY_MORE_FORMATS
#define FLY_MORE_FORMATS(row)
#endif

#define DECLARE(name) extern const fly_format fly_format_##name;
FLY_FORMAT_LIST(DECLARE)
FLY_MORE_FORMATS(DECLARE)

#define ADDRESS(name) &fly_format_##name,
const fly_format *const fly_formats[] = {FLY_FORMAT_LIST(ADDRESS) FLY_MORE_FORMATS(ADDRESS) NULL};
