// What a kind of body is checked beside: a marker on ground, a rigid body, a planar one.
#ifndef FLY_TESTS_SYSTEM_NEIGHBOURS_H
#define FLY_TESTS_SYSTEM_NEIGHBOURS_H

#include "system/checks.h"

#define NEIGHBOURS                                                                                                     \
  "  ground: {markers: {m: {at: [0.2, 0.1, -0.3], axis: [1, 2, 2]}}}\n"                                                \
  "  b: {mass: 0.7, inertia: [0.3, 0.2, 0.25, 0.01, 0.02, 0.03], position: [-0.4, 0.5, 0.2],\n"                        \
  "    orientation: {euler313: [0.3, 0.5, -0.8]}, markers: {m: {at: [-0.3, 0.4, 0.2], axis: [-1, 1, 0.5]}}}\n"         \
  "  p: {type: planar, mass: 2, inertia: 0.3, position: [1, 0.5], markers: {m: [0.3, -0.1]}}\n"
#define GRAVITY "gravity: [1, -2, -9.81]\n"

static inline void check_text(const char *name, const char *text, int properties) {
  machine *m = machine_text(text);
  check_machine(m, name, 0.2, properties);
  machine_free(m);
}

#endif
