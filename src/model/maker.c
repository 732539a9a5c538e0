// What elements are made from: what the user gave, by name, as they may ask for it.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "element/inertia.h"
#include "model/compile.h"
#include "model/hull.h"

static const fly_making *making_of(const fly_maker *from) { return (const fly_making *)from; }

static bool ask_given(const fly_maker *from, const char *parameter) {
  return fly_item_given(making_of(from)->item, parameter);
}

static double ask_number(const fly_maker *from, const char *parameter) {
  return fly_item_number(making_of(from)->item, parameter);
}

static void ask_numbers(const fly_maker *from, const char *parameter, int count, double *out) {
  fly_item_numbers(making_of(from)->item, parameter, count, out);
}

static int ask_count(const fly_maker *from, const char *parameter) {
  return fly_item_value(making_of(from)->item, parameter)->count;
}

static const char *ask_word(const fly_maker *from, const char *parameter) {
  return fly_item_word(making_of(from)->item, parameter, 0);
}

static double *take_room(const fly_maker *from, size_t count) {
  return fly_arena_doubles(&making_of(from)->m->memory, count);
}

static void warn(const fly_maker *from, const char *text) {
  fly_compile_warn(making_of(from)->m, making_of(from)->item, text);
}

static fly_status refuse(const fly_maker *from, const char *format, ...) {
  char text[600];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return fly_item_fail(making_of(from)->item, making_of(from)->error, "%s", text);
}

// It was seen to be one where it was read.
static void add_hull(fly_inertia *part, const char *word, const double *number) {
  fly_arena work = {0};
  fly_hull hull;
  double middle[3];
  fly_error none;
  *part = (fly_inertia){0};
  if (fly_hull_of_word(&hull, middle, word, number[FLY_SHAPE_SIZE], &work, &none) == FLY_OK)
    fly_hull_inertia(part, &hull, middle);
  part->mass *= number[FLY_SHAPE_DENSITY];
  for (int i = 0; i < 9; i++)
    part->I[i] *= number[FLY_SHAPE_DENSITY];
  fly_arena_free(&work);
}

// Mass, centre and inertia of the shapes that have a density, in the body's frame. False: none has one.
static bool add_shapes(const fly_maker *from, fly_inertia *sum) {
  const fly_value *shapes = fly_item_value(making_of(from)->item, "shapes");
  bool any = false;
  *sum = (fly_inertia){0};
  for (int k = 0; shapes->given && k < shapes->count; k++) {
    const double *n = shapes->number + (size_t)k * FLY_SHAPE_NUMBERS;
    fly_inertia part;
    const int kind = fly_shape_find(shapes->word[k]); // a mesh has none and is only seen
    const bool hull = fly_shape_is_hull(shapes->word[k]);
    if ((kind < 0 && !hull) || isnan(n[FLY_SHAPE_DENSITY]))
      continue;
    if (hull)
      add_hull(&part, shapes->word[k], n);
    else
      fly_shape_inertia(&part, (fly_shape_kind)kind, n + FLY_SHAPE_SIZE, n[FLY_SHAPE_DENSITY]);
    fly_inertia_place(&part, &part, n + FLY_SHAPE_AT, n + FLY_SHAPE_AXES);
    fly_inertia_add(sum, &part);
    any = true;
  }
  return any;
}

static const fly_maker MAKER = {.given = ask_given,
                                .number = ask_number,
                                .numbers = ask_numbers,
                                .count = ask_count,
                                .word = ask_word,
                                .shapes = add_shapes,
                                .room = take_room,
                                .warn = warn,
                                .refuse = refuse};

fly_making fly_making_of(fly_model *m, const fly_item *item, fly_error *error) {
  return (fly_making){.maker = MAKER, .m = m, .item = item, .error = error};
}
