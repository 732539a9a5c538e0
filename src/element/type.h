// What an element takes: its parameter table is the schema of the model language. Reader, writer, checks, JSON Schema
// and reference manual follow from it.
#ifndef FLY_ELEMENT_TYPE_H
#define FLY_ELEMENT_TYPE_H

#include <stdbool.h>
#include <string.h>

typedef enum fly_value_type {
  FLY_NUMBER,      // `count` numbers; each an expression over parameters and units. count 0: any number of them. One
                   // number may be one of `words` instead
  FLY_ORIENTATION, // a turn: {euler313: [..]}, {axis: [..], angle: ..}, {quaternion: [..]}, {x: [..], z: [..]}: 9
                   // numbers
  FLY_WORD,        // one of `words`; count 0: or a list of them
  FLY_BODY,        // name of a body, or ground
  FLY_BODIES,      // `count` of them; 0: any number
  FLY_MARKER,      // body.marker, a body's name (its frame), or ground
  FLY_JOINT,       // name of a joint
  FLY_JOINTS,      // `count` of them; 0: any number
  FLY_EXPRESSION,  // over time, parameters and measures; `count` of them
  FLY_TABLE,       // name of a table
  FLY_MARKERS,     // markers of a body: {name: point or {at, orientation or axis}}
  FLY_SHAPES,      // shapes of a body, for inertia and pictures
  FLY_SETTINGS,    // {name: expression}; words: name, expression, name, expression ...
  FLY_MATRIX       // rows of numbers, or {file: name}; numbers row by row, and how many are in a row
} fly_value_type;

typedef struct fly_parameter {
  const char *name;
  fly_value_type type;
  int count;            // see the type; 1 for scalars
  const char *unit;     // SI, "" for pure numbers and words
  const char *fallback; // as a user would write it; NULL: none
  bool required;
  double low, high;  // range of numbers, both ends allowed; -INFINITY, INFINITY: any
  const char *words; // separated by spaces. FLY_WORD, FLY_NUMBER: the choice; FLY_EXPRESSION: what it knows beside time
                     // and measures
  const char *text;  // one line of documentation
} fly_parameter;

struct fly_body_type;
struct fly_force_type;
struct fly_load_type;

typedef struct fly_element_type {
  const char *section;              // bodies, joints, motions, forces, tables, outputs
  const char *name;                 // revolute
  const char *text;                 // one line
  const char *example;              // one YAML line that works inside its section
  const fly_parameter *parameters;  // ended by a row without a name
  const struct fly_body_type *body; // of bodies: what they are (body.h)
  // Of forces: what they do (force.h), and what expressions do in their place (load.h); one of them may be NULL.
  const struct fly_force_type *force;
  const struct fly_load_type *load;
} fly_element_type;

// A row: what every type has, then its parameters and what else it is.
#define FLY_ELEMENT(in, called, says, shows, ...)                                                                      \
  { .section = (in), .name = (called), .text = (says), .example = (shows), __VA_ARGS__ }

// All types, section by section, ended by NULL (list.h). The first of a section is its default type.
extern const fly_element_type *const fly_element_types[];

const fly_element_type *fly_element_type_find(const char *section, const char *name); // name NULL: the default; or NULL
int fly_parameter_find(const fly_element_type *type, const char *name);               // index, or -1

// The first two letters tell most names apart: a large file asks some hundred thousand times.
static inline bool fly_parameter_is(const fly_parameter *row, const char *name) {
  const char *known = row->name;
  return known == name || (known[0] == name[0] && known[1] == name[1] && strcmp(known, name) == 0);
}

#endif
