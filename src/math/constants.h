// Numbers that everybody needs.
#ifndef FLY_MATH_CONSTANTS_H
#define FLY_MATH_CONSTANTS_H

#define FLY_PI 3.14159265358979323846
#define FLY_TAU (2 * FLY_PI) // a turn [rad]

#endif
