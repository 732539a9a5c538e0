#include "expr/expr.h"

#include <string.h>

#include "expr/lexer.h"
#include "math/constants.h"

// SI all the way through: a number with a unit is multiplied by it, as in 150*mm or 50*km/h.
// There is no t for the tonne: whoever writes sin(2*t) means the time, and must be told.
static const fly_expr_number units[] = {
    {"m", 1, "metre"},
    {"cm", 1e-2, "centimetre"},
    {"mm", 1e-3, "millimetre"},
    {"um", 1e-6, "micrometre"},
    {"km", 1e3, "kilometre"},
    {"in", 0.0254, "inch"},
    {"inch", 0.0254, "inch"},
    {"ft", 0.3048, "foot"},
    {"mi", 1609.344, "mile"},
    {"kg", 1, "kilogram"},
    {"g", 1e-3, "gram (the acceleration is g0)"},
    {"tonne", 1e3, "1000 kg"},
    {"lb", 0.45359237, "pound (mass)"},
    {"lbm", 0.45359237, "pound (mass)"},
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
    {"Nm", 1, "newton metre, N*m"},
    {"kNm", 1e3, "kilonewton metre"},
    {"J", 1, "joule"},
    {"kJ", 1e3, "kilojoule"},
    {"W", 1, "watt"},
    {"kW", 1e3, "kilowatt"},
    {"rad", 1, "radian"},
    {"mrad", 1e-3, "milliradian"},
    {"deg", FLY_PI / 180, "degree"},
    {"rev", FLY_TAU, "revolution, 2 pi"},
    {"rpm", FLY_TAU / 60, "revolutions per minute, as an angular velocity in rad/s"},
    {"Hz", 1, "1/s: cycles, not radians; an angular velocity of 50 Hz is 50*rev/s"},
    {"kHz", 1e3, "kilohertz"},
    {"pi", FLY_PI, "3.14159..."},
    {"g0", 9.80665, "standard acceleration of gravity"},
};
enum { nunits = sizeof units / sizeof units[0] };

const fly_expr_number *fly_expr_units(int *count) {
  *count = nunits;
  return units;
}

const fly_expr_number *fly_expr_unit_named(const char *name) {
  for (int k = 0; k < nunits; k++)
    if (strcmp(units[k].name, name) == 0)
      return &units[k];
  return NULL;
}

// The parameter of a scope that a word of a text is and that hides a unit; -1: none. *unit: the word is the name of
// one.
static int hidden(const char *text, const fly_token *t, const fly_expr_scope *scope, bool *unit) {
  char name[16]; // longer than all of them
  *unit = false;
  if (t->kind != FLY_TOKEN_WORD || t->length >= (int)sizeof name)
    return -1;
  memcpy(name, text + t->offset, (size_t)t->length);
  name[t->length] = 0;
  *unit = fly_expr_unit_named(name) != NULL;
  for (int k = 0; *unit && k < scope->nparameters; k++)
    if (strcmp(scope->parameter[k].name, name) == 0)
      return k;
  return -1;
}

static bool is_product(fly_token_kind kind) { return kind == FLY_TOKEN_TIMES || kind == FLY_TOKEN_OVER; }

int fly_expr_hidden_unit(const char *text, const fly_expr_scope *scope, bool *as_unit, int *offset) {
  fly_token_kind before = FLY_TOKEN_END;
  bool quantity = false; // a number, or a number times units, stands before
  for (fly_token t = fly_token_at(text, 0); t.kind != FLY_TOKEN_END && t.kind != FLY_TOKEN_BAD;) {
    const fly_token next = fly_token_at(text, t.offset + t.length);
    bool unit = false;
    const int parameter = next.kind == FLY_TOKEN_OPEN ? -1 : hidden(text, &t, scope, &unit);
    *as_unit = parameter >= 0 && is_product(before) && quantity;
    if (parameter >= 0 && t.offset >= *offset && (is_product(before) || is_product(next.kind))) {
      *offset = t.offset;
      return parameter;
    }
    if (t.kind == FLY_TOKEN_NUMBER)
      quantity = quantity || before != FLY_TOKEN_POWER;
    else if (t.kind == FLY_TOKEN_WORD)
      quantity =
          next.kind != FLY_TOKEN_OPEN && unit && (*as_unit || parameter < 0) && (quantity || !is_product(before));
    else if (!is_product(t.kind) && t.kind != FLY_TOKEN_POWER)
      quantity = false;
    before = t.kind;
    t = next;
  }
  return -1;
}

fly_expr_scope fly_expr_scope_default(void) { return (fly_expr_scope){.nunits = nunits, .unit = units}; }
