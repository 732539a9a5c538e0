// The list as the program walks it. For a test that has elements of its own this file is compiled once more with
// FLY_MORE_ELEMENTS(row), their rows in the manner of list.h, and the linker takes that one (tests/CMakeLists.txt).
#include "element/list.h"

#include <stddef.h>

#ifndef FLY_MORE_ELEMENTS
#define FLY_MORE_ELEMENTS(row)
#endif

FLY_MORE_ELEMENTS(FLY_ELEMENT_DECLARE)

#define ADDRESS(section, name) &fly_##section##_##name,

const fly_element_type *const fly_element_types[] = {FLY_ELEMENT_LIST(ADDRESS) FLY_MORE_ELEMENTS(ADDRESS) NULL};
