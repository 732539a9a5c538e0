#include "expr/expr.h"

// SI all the way through: a number with a unit is multiplied by it, as in 150*mm or 50*km/h.
// There is no t for the tonne: whoever writes sin(2*t) means the time, and must be told.
static const fly_expr_number units[] = {
    {"m", 1, "metre"},
    {"cm", 1e-2, "centimetre"},
    {"mm", 1e-3, "millimetre"},
    {"um", 1e-6, "micrometre"},
    {"km", 1e3, "kilometre"},
    {"in", 0.0254, "inch"},
    {"ft", 0.3048, "foot"},
    {"mi", 1609.344, "mile"},
    {"kg", 1, "kilogram"},
    {"g", 1e-3, "gram (the acceleration is g0)"},
    {"tonne", 1e3, "1000 kg"},
    {"lb", 0.45359237, "pound (mass)"},
    {"s", 1, "second"},
    {"ms", 1e-3, "millisecond"},
    {"us", 1e-6, "microsecond"},
    {"min", 60, "minute"},
    {"h", 3600, "hour"},
    {"N", 1, "newton"},
    {"mN", 1e-3, "millinewton"},
    {"kN", 1e3, "kilonewton"},
    {"MN", 1e6, "meganewton"},
    {"lbf", 0.45359237 * 9.80665, "pound (force)"},
    {"kgf", 9.80665, "kilopond"},
    {"Pa", 1, "pascal"},
    {"kPa", 1e3, "kilopascal"},
    {"MPa", 1e6, "megapascal, N/mm^2"},
    {"GPa", 1e9, "gigapascal"},
    {"bar", 1e5, "bar"},
    {"psi", 0.45359237 * 9.80665 / (0.0254 * 0.0254), "pound (force) per square inch"},
    {"J", 1, "joule"},
    {"kJ", 1e3, "kilojoule"},
    {"W", 1, "watt"},
    {"kW", 1e3, "kilowatt"},
    {"rad", 1, "radian"},
    {"mrad", 1e-3, "milliradian"},
    {"deg", 3.14159265358979323846 / 180, "degree"},
    {"rev", 2 * 3.14159265358979323846, "revolution, 2 pi"},
    {"rpm", 2 * 3.14159265358979323846 / 60, "revolutions per minute, as an angular velocity in rad/s"},
    {"Hz", 1, "1/s: cycles, not radians; an angular velocity of 50 Hz is 50*rev/s"},
    {"kHz", 1e3, "kilohertz"},
    {"pi", 3.14159265358979323846, "3.14159..."},
    {"g0", 9.80665, "standard acceleration of gravity"},
};
enum { nunits = sizeof units / sizeof units[0] };

const fly_expr_number *fly_expr_units(int *count) {
  *count = nunits;
  return units;
}

fly_expr_scope fly_expr_scope_default(void) { return (fly_expr_scope){.nunits = nunits, .unit = units}; }
