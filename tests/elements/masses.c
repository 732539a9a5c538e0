// A reader, as docs/adding-a-reader.md tells: lists of point masses and rods.
//
//   gravity 0 0 -9.81
//   mass a 2.5 0 0 0        name, mass [kg], place [m]
//   rod a b                 a massless link of fixed length
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element/type.h"
#include "io/format.h"

enum { WORDS = 6 };

// A line of the text, cut into words.
typedef struct line {
  int count;
  size_t offset[WORDS];
  char word[WORDS][64];
} line;

static line cut(const char *text, size_t from, size_t to) {
  line l = {0};
  for (size_t k = from; k < to && text[k] != '#' && l.count < WORDS;) {
    const size_t space = strspn(text + k, " \t\r"), length = strcspn(text + k + space, " \t\r\n#");
    k += space;
    if (k >= to || length == 0)
      break;
    l.offset[l.count] = k;
    snprintf(l.word[l.count++], sizeof l.word[0], "%.*s", (int)length, text + k);
    k += length;
  }
  return l;
}

static bool read_numbers(fly_import *in, const line *l, int first, int count, double *out) {
  for (int k = 0; k < count; k++) {
    char *end;
    if (first + k >= l->count)
      return fly_import_fault(in, l->offset[0], "'%s' takes %d numbers, and has %d.", l->word[0], count, k);
    out[k] = strtod(l->word[first + k], &end);
    if (*end != 0)
      return fly_import_fault(in, l->offset[first + k], "'%s' is no number.", l->word[first + k]);
  }
  return true;
}

static bool set_numbers(fly_import *in, fly_item *item, const char *name, int count, const double *number,
                        fly_place at) {
  return fly_spec_set_numbers(in->spec, item, fly_parameter_find(item->type, name), count, number, at) ||
         fly_import_no_memory(in);
}

static bool set_word(fly_import *in, fly_item *item, const char *name, const char *word, fly_place at) {
  return fly_spec_set_words(in->spec, item, fly_parameter_find(item->type, name), 1, &word, at) ||
         fly_import_no_memory(in);
}

static fly_item *add(fly_import *in, const line *l, const char *section, const char *type, const char *name) {
  fly_error error = {0};
  fly_item *item =
      fly_spec_add(in->spec, fly_element_type_find(section, type), name, fly_import_place(in, l->offset[0]), &error);
  if (item == NULL)
    fly_import_fault(in, l->offset[0], "%s", error.message);
  return item;
}

static bool read_mass(fly_import *in, const line *l) {
  double number[4];
  if (l->count < 2)
    return fly_import_fault(in, l->offset[0], "'mass' takes a name, and has none.");
  if (!read_numbers(in, l, 2, 4, number))
    return false;
  fly_item *item = add(in, l, "bodies", "point", l->word[1]);
  const fly_place at = fly_import_place(in, l->offset[0]);
  return item != NULL && set_numbers(in, item, "mass", 1, number, at) &&
         set_numbers(in, item, "position", 3, number + 1, at);
}

static bool read_rod(fly_import *in, const line *l) {
  char name[140];
  if (l->count != 3)
    return fly_import_fault(in, l->offset[0], "'rod' takes the names of two masses.");
  snprintf(name, sizeof name, "%s_%s", l->word[1], l->word[2]);
  fly_item *item = add(in, l, "joints", "distance", name);
  const fly_place at = fly_import_place(in, l->offset[0]);
  return item != NULL && set_word(in, item, "from", l->word[1], at) && set_word(in, item, "to", l->word[2], at);
}

static bool read_line(fly_import *in, const line *l) {
  if (l->count == 0)
    return true;
  if (strcmp(l->word[0], "gravity") == 0)
    return read_numbers(in, l, 1, 3, in->spec->gravity);
  if (strcmp(l->word[0], "mass") == 0)
    return read_mass(in, l);
  if (strcmp(l->word[0], "rod") == 0)
    return read_rod(in, l);
  return fly_import_fault(in, l->offset[0], "'%s' is none of gravity, mass and rod.", l->word[0]);
}

static bool read(fly_import *in) {
  const char *text = in->source->text;
  bool good = true;
  for (size_t from = 0; from < in->source->length && fly_faults_go_on(&in->faults);) {
    const size_t to = from + strcspn(text + from, "\n");
    const line l = cut(text, from, to);
    good = read_line(in, &l) && good;
    from = to + 1;
  }
  return good;
}

static bool recognize(const char *text, size_t length) { return length > 9 && strncmp(text, "# masses\n", 9) == 0; }

const fly_format fly_format_masses = {
    .name = "a list of masses", .endings = ".masses", .recognize = recognize, .read = read};
