// Words for parameter tables, for the files that hold rows of the list of elements.
#ifndef FLY_ELEMENT_TABLE_H
#define FLY_ELEMENT_TABLE_H

#include <math.h>
#include <stddef.h>

// Of a row: low, high, words.
#define ANY -INFINITY, INFINITY, NULL
#define POSITIVE 1e-300, INFINITY, NULL
#define NOT_NEGATIVE 0.0, INFINITY, NULL
#define KNOWS(words) -INFINITY, INFINITY, words
#define END                                                                                                            \
  { 0 }

// Of what events may switch off and on.
#define SWITCH                                                                                                         \
  { "on", FLY_NUMBER, 1, "", "1", false, 0.0, 1.0, NULL, "1: it is there at the start; 0: not until an event sets it" }

// Rows that bodies share.
#define HOLD(words)                                                                                                    \
  { "hold", FLY_WORD, 0, "", NULL, false, -INFINITY, INFINITY, words, "what assembly may not move at the start" }
#define PLACEMENT                                                                                                      \
  {"position", FLY_NUMBER, 3, "m", "[0, 0, 0]", false, ANY, "where the body's frame starts, in space"},                \
      {"orientation", FLY_ORIENTATION, 9, "", NULL, false, ANY, "how it is turned at the start"},                      \
      {"velocity", FLY_NUMBER, 3, "m/s", "[0, 0, 0]", false, ANY, "velocity of its frame at the start, in space"}, {   \
    "angular_velocity", FLY_NUMBER, 3, "rad/s", "[0, 0, 0]", false, ANY, "at the start, in space axes"                 \
  }
#define CARRIES(text) {"markers", FLY_MARKERS, 0, "", NULL, false, ANY, text}, LOOKS
#define COLORS "red orange yellow green teal blue purple pink brown black gray white steel brass copper"
#define LOOKS                                                                                                          \
  {"shapes", FLY_SHAPES, 0, "", NULL, false, ANY, "what it looks like; a link between its markers if not given"},      \
      {"material", FLY_WORD, 1, "", NULL, false, ANY, "of its shapes, for contacts by `materials`: any name"}, {       \
    "color", FLY_WORD, 1, "", NULL, false, -INFINITY, INFINITY, COLORS, "what it looks like"                           \
  }

// Rows of beams: what their sections are of, and how large (section.h).
#define SECTION                                                                                                        \
  {"youngs_modulus", FLY_NUMBER, 1, "Pa", NULL, true, POSITIVE, "Young's modulus E"},                                  \
      {"shear_modulus", FLY_NUMBER, 1, "Pa", NULL, true, POSITIVE, "shear modulus G"}, SECTION_SIZE
#define SECTION_SIZE                                                                                                   \
  {"circle", FLY_NUMBER, 1, "m", NULL, false, POSITIVE, "its section is a circle: the diameter"},                      \
      {"tube", FLY_NUMBER, 2, "m", NULL, false, POSITIVE, "or a tube: outer and inner diameter"},                      \
      {"rectangle", FLY_NUMBER, 2, "m", NULL, false, POSITIVE, "or a rectangle: along y and along z of the beam"}, {   \
    "area", FLY_NUMBER, 1, "m^2", NULL, false, POSITIVE, "or any other: its area, with `moments`"                      \
  }

#endif
