// What forces are, for expressions: their channels by name, s.force, coil.torque, wind.fx. Each is a text over what the
// force is made of, put in where it is used, so that nothing is added to the equations and derivatives are exact.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/compile.h"

const fly_item *fly_acting_item(const fly_spec *spec, const char *name) {
  const char *dot = strrchr(name, '.');
  char head[200];
  if (!dot || (size_t)(dot - name) >= sizeof head)
    return NULL;
  snprintf(head, sizeof head, "%.*s", (int)(dot - name), name);
  return fly_spec_find(spec, "forces", head);
}

static const char *const *quantities_of(const fly_item *force) {
  static const char *const spring[] = {"length", "force", NULL}, *const torsion[] = {"angle", "torque", NULL};
  static const char *const applied[] = {"fx", "fy", "fz", "tx", "ty", "tz", NULL}, *const none[] = {NULL};
  return fly_item_is(force, "spring")           ? spring
         : fly_item_is(force, "torsion-spring") ? torsion
         : fly_item_is(force, "force")          ? applied
                                                : none;
}

int fly_acting_quantity(const fly_item *force, const char *name) {
  const char *const *list = quantities_of(force), *last = strrchr(name, '.') + 1;
  for (int k = 0; list[k]; k++)
    if (strcmp(list[k], last) == 0)
      return k;
  return -1;
}

// ------------------------------------------------------------------------------------------ texts

typedef struct page {
  fly_arena *memory;
  char *text;
  size_t used, room;
} page;

static void put(page *p, const char *text, size_t length) {
  if (p->used + length + 1 > p->room) {
    const size_t room = 2 * (p->used + length) + 200;
    char *larger = fly_arena_take(p->memory, room, 1);
    if (!larger)
      return; // the arena remembers
    if (p->used > 0)
      memcpy(larger, p->text, p->used);
    p->text = larger;
    p->room = room;
  }
  memcpy(p->text + p->used, text, length);
  p->used += length;
  p->text[p->used] = 0;
}

static void say(page *p, const char *text) { put(p, text, strlen(text)); }

static void say_number(page *p, double x) {
  char text[FLY_NUMBER_SIZE];
  fly_number_text(text, x);
  say(p, text);
}

// Length and rate of a spring, angle and rate of a torsion spring.
static void say_coordinate(page *p, const fly_item *force, bool rate) {
  if (fly_item_is(force, "spring")) {
    say(p, rate ? "vr(" : "dm(");
    say(p, fly_item_word(force, "to", 0));
    say(p, ", ");
    say(p, fly_item_word(force, "from", 0));
    say(p, ")");
  } else {
    say(p, fly_item_word(force, "joint", 0));
    say(p, rate ? ".w" : ".angle");
  }
}

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// The law of a force: what it calls length, angle and rate is put in.
static void say_law(page *p, const fly_item *force, const char *law) {
  const char *coordinate = fly_item_is(force, "spring") ? "length" : "angle";
  for (const char *s = law; *s;) {
    size_t length = 0;
    while (is_word(s[length]))
      length++;
    const bool rate = length == 4 && strncmp(s, "rate", 4) == 0;
    if (rate || (length == strlen(coordinate) && strncmp(s, coordinate, length) == 0))
      say_coordinate(p, force, rate);
    else
      put(p, s, length > 0 ? length : 1);
    s += length > 0 ? length : 1;
  }
}

static double free_of(const fly_model *m, const fly_item *force) {
  if (!fly_item_is(force, "spring"))
    return fly_item_number(force, "free_angle");
  if (fly_item_given(force, "free_length"))
    return fly_item_number(force, "free_length");
  const int from = fly_model_marker_find(m, fly_item_word(force, "from", 0)),
            to = fly_model_marker_find(m, fly_item_word(force, "to", 0));
  return from >= 0 && to >= 0 ? fly_start_distance(m, &(fly_model_pair){from, to}) : 0;
}

// -(k (x - x0) + c x' + p)
static void say_spring(page *p, const fly_model *m, const fly_item *force) {
  say(p, "-(");
  say_number(p, fly_item_number(force, "stiffness"));
  say(p, "*(");
  say_coordinate(p, force, false);
  say(p, " - (");
  say_number(p, free_of(m, force));
  say(p, ")) + ");
  say_number(p, fly_item_number(force, "damping"));
  say(p, "*");
  say_coordinate(p, force, true);
  say(p, " + (");
  say_number(p, fly_item_is(force, "spring") ? fly_item_number(force, "preload") : 0.0);
  say(p, "))");
}

static bool is_switched(const fly_model *m, const fly_item *force) {
  char name[210];
  snprintf(name, sizeof name, "%s.on", force->name);
  for (int k = 0; k < m->spec->nitem; k++) {
    const fly_item *item = &m->spec->item[k];
    const fly_value *set = strcmp(item->type->section, "events") == 0 ? fly_item_value(item, "set") : NULL;
    for (int i = 0; set && set->given && i < set->count; i += 2)
      if (strcmp(set->word[i], name) == 0)
        return true;
  }
  return fly_item_given(force, "on");
}

// A component of a force given by expressions; 0 if it has none.
static void say_component(page *p, const fly_item *force, int k) {
  const char *parameter = k < 3 ? "force" : "torque";
  say(p, fly_item_given(force, parameter) ? fly_item_word(force, parameter, k % 3) : "0");
}

const char *fly_acting_text(fly_model *m, const fly_item *force, int quantity) {
  page p = {.memory = &m->memory};
  const bool applied = fly_item_is(force, "force");
  if (!applied && quantity == 0) {
    say_coordinate(&p, force, false);
    return p.text;
  }
  if (is_switched(m, force)) {
    say(&p, force->name);
    say(&p, ".on*");
  }
  const char *law = applied ? NULL : fly_item_is(force, "spring") ? "force" : "torque";
  say(&p, "(");
  if (applied)
    say_component(&p, force, quantity);
  else if (fly_item_given(force, law))
    say_law(&p, force, fly_item_word(force, law, 0));
  else
    say_spring(&p, m, force);
  say(&p, ")");
  return m->memory.failed ? NULL : p.text;
}
