// A model written by a program: places and what stands there, put into the text of a model file, which is read as any
// other. So everything a file can say a program can, with the same words and the same checks; of a fault the place is
// named as the program named it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flyball/model.h"
#include "flyball/spec.h"

enum { DEEPEST = 16, LONGEST = 4000 };

typedef struct node {
  char *key, *text; // text NULL: what is below it stands there
  struct node *below, *next;
} node;

struct fly_draft {
  char *name;
  node root;
};

// ------------------------------------------------------------------------------------------ life

static fly_status no_memory(fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a model that is being written.");
}

static char *copy_of(const char *text, size_t length) {
  char *copy = calloc(1, length + 1);
  return copy ? memcpy(copy, text, length) : NULL;
}

static void free_below(node *n) {
  for (node *child = n->below, *next; child; child = next) {
    next = child->next;
    free_below(child);
    free(child->key);
    free(child->text);
    free(child);
  }
  n->below = NULL;
}

fly_status fly_draft_create(fly_draft **out, const char *name, fly_error *error) {
  if (!out || !name)
    return fly_missing(error, "fly_draft_create", out ? "name" : "place for the draft");
  *out = calloc(1, sizeof **out);
  char *copy = copy_of(name, strlen(name));
  if (!*out || !copy) {
    free(*out);
    free(copy);
    *out = NULL;
    return no_memory(error);
  }
  (*out)->name = copy;
  return fly_draft_set(*out, "flyball", "1", error);
}

void fly_draft_free(fly_draft *d) {
  if (!d)
    return;
  free_below(&d->root);
  free(d->name);
  free(d);
}

// ------------------------------------------------------------------------------------------ places

// The node of a key below another, made if there is none.
static node *child_of(node *n, const char *key, size_t length) {
  node **at = &n->below;
  for (; *at; at = &(*at)->next)
    if (strlen((*at)->key) == length && memcmp((*at)->key, key, length) == 0)
      return *at;
  node *fresh = calloc(1, sizeof *fresh);
  char *copy = copy_of(key, length);
  if (fresh && copy) {
    fresh->key = copy;
    *at = fresh;
    return fresh;
  }
  free(fresh);
  free(copy);
  return NULL;
}

static fly_status bad_place(const char *place, const char *why, fly_error *error) {
  return fly_fail_at(error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, place,
                     "fly_draft_set: `%.100s` %s. A place is written section/element/key, as bodies/arm/mass.", place,
                     why);
}

static fly_status find(fly_draft *d, const char *place, node **out, fly_error *error) {
  node *n = &d->root;
  const char *key = place;
  for (int depth = 0; n; depth++) {
    const size_t length = strcspn(key, "/");
    if (length == 0 || depth == DEEPEST || strcspn(key, "\n\r:#{}[]\"'") < length)
      return bad_place(place, length ? "is no place" : "has an empty part", error);
    n = child_of(n, key, length);
    if (!n)
      return no_memory(error);
    if (key[length] == 0)
      break;
    free(n->text); // what stood there makes way for what is below it
    n->text = NULL;
    key += length + 1;
  }
  *out = n;
  return FLY_OK;
}

fly_status fly_draft_set(fly_draft *d, const char *place, const char *text, fly_error *error) {
  node *n = NULL;
  if (!d || !place || !text)
    return fly_missing(error, "fly_draft_set", !d ? "draft" : !place ? "place" : "text");
  if (strpbrk(text, "\n\r") || strlen(text) > LONGEST)
    return bad_place(place, "is given more than a line, or more than 4000 characters", error);
  const fly_status status = find(d, place, &n, error);
  if (status || !n)
    return status;
  char *copy = copy_of(text, strlen(text));
  if (!copy)
    return no_memory(error);
  free_below(n);
  free(n->text);
  n->text = copy;
  return FLY_OK;
}

fly_status fly_draft_number(fly_draft *d, const char *place, double value, fly_error *error) {
  return fly_draft_numbers(d, place, 0, &value, error);
}

// count 0: one number, which is no list.
fly_status fly_draft_numbers(fly_draft *d, const char *place, int count, const double *value, fly_error *error) {
  if (!d || !place || !value || count < 0)
    return fly_missing(error, "fly_draft_numbers", !d ? "draft" : !place ? "place" : "list of numbers");
  const size_t room = 30 * (size_t)(count + 1) + 3;
  char *text = calloc(1, room);
  if (!text)
    return no_memory(error);
  size_t n = count ? (size_t)snprintf(text, room, "[") : 0;
  for (int k = 0; k < (count ? count : 1); k++) {
    if (!isfinite(value[k])) {
      free(text);
      return bad_place(place, "is given a number that is not finite", error);
    }
    n += (size_t)snprintf(text + n, room - n, "%s%.17g", k ? ", " : "", value[k]);
  }
  snprintf(text + n, room - n, "%s", count ? "]" : "");
  const fly_status status = fly_draft_set(d, place, text, error);
  free(text);
  return status;
}

// ------------------------------------------------------------------------------------------ the text

typedef struct page {
  char *text;
  size_t used, room;
  bool failed;
} page;

static void put(page *p, const char *text) {
  const size_t length = strlen(text);
  if (p->failed || p->used + length + 1 > p->room) {
    char *larger = p->failed ? NULL : realloc(p->text, 2 * p->room + length + 100);
    p->failed = p->failed || !larger;
    if (p->failed)
      return;
    p->text = larger;
    p->room = 2 * p->room + length + 100;
  }
  memcpy(p->text + p->used, text, length + 1);
  p->used += length;
}

static void put_below(page *p, const node *n, int depth) {
  for (const node *child = n->below; child; child = child->next) {
    for (int k = 0; k < depth; k++)
      put(p, "  ");
    put(p, child->key);
    put(p, child->text ? ": " : ":");
    put(p, child->text ? child->text : "");
    put(p, "\n");
    put_below(p, child, depth + 1);
  }
}

char *fly_draft_text(const fly_draft *d) {
  page p = {0};
  if (!d)
    return NULL;
  put_below(&p, &d->root, 0);
  if (p.failed)
    free(p.text);
  return p.failed ? NULL : p.text;
}

// Of line `line` of the text its place; what is left of `line` behind the nodes before it.
static bool name_line(const node *n, int *line, char *place, size_t size) {
  const size_t length = strlen(place);
  for (const node *child = n->below; child; child = child->next) {
    snprintf(place + length, size - length, "%s%s", length ? "/" : "", child->key);
    if (--*line == 0 || name_line(child, line, place, size))
      return true;
    place[length] = 0;
  }
  return false;
}

// "NAME:12:5: ..." becomes "NAME: bodies/arm/mass: ...".
static void name_place(const fly_draft *d, fly_error *error) {
  char place[300] = "", written[400];
  int line = error ? error->line : 0;
  if (line == 0 || strcmp(error->file, d->name) != 0 || !name_line(&d->root, &line, place, sizeof place))
    return;
  const fly_error told = *error;
  fly_place_text(written, sizeof written, (fly_place){told.file, told.line, told.column});
  const size_t length = strncmp(told.message, written, strlen(written)) == 0 ? strlen(written) : 0;
  fly_fail(error, told.status, told.time, "%s: %s: %s", d->name, place, told.message + length);
  fly_error_locate(error, (fly_place){d->name, 0, 0}, place);
}

fly_status fly_draft_build(fly_mechanism **out, const fly_draft *d, fly_error *error) {
  if (!out || !d)
    return fly_missing(error, "fly_draft_build", d ? "place for the mechanism" : "draft");
  *out = NULL;
  char *text = fly_draft_text(d);
  if (!text)
    return no_memory(error);
  const fly_status status = fly_mechanism_parse(out, d->name, text, strlen(text), 0, NULL, error);
  free(text);
  if (status)
    name_place(d, error);
  return status;
}
