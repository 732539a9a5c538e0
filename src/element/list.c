// The list as the program walks it. A test that needs an element of its own defines FLY_MORE_ELEMENTS(row), its rows in
// the manner of list.h, and includes this file: the linker takes that list and leaves this one in the library.
#include "element/list.h"

#include <stddef.h>

#ifndef FLY_MORE_ELEMENTS
#define FLY_MORE_ELEMENTS(row)
#endif

FLY_MORE_ELEMENTS(FLY_ELEMENT_DECLARE)

#define ADDRESS(section, name) &fly_##section##_##name,

const fly_element_type *const fly_element_types[] = {FLY_ELEMENT_LIST(ADDRESS) FLY_MORE_ELEMENTS(ADDRESS) NULL};
