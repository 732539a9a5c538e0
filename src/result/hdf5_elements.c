// Groups for people who open the file in MATLAB or Python: /elements/crank tells which columns of /data are the
// crank's.
#include <stdlib.h>
#include <string.h>

#include "result/hdf5_support.h"

enum { MOST_BYTES = 60000 }; // of an attribute: a header takes 64 KB

typedef struct element {
  const char *name; // of its first channel,
  size_t length;    // of which so much is the element's
  const fly_channel *channel;
  const int *column; // numbers of its channels (count)
  int count;
} element;

// The part of a channel's name before the last dot; 0: it is nobody's.
static size_t element_length(const char *name) {
  const char *dot = strrchr(name, '.');
  const size_t length = dot != NULL ? (size_t)(dot - name) : 0;
  return memchr(name, '/', length) != NULL || (length == 1 && name[0] == '.') ? 0 : length;
}

static bool put_attribute(hid_t group, const char *name, hid_t type, int count, const void *values) {
  const hsize_t size = (hsize_t)count;
  hid_t space = H5Screate_simple(1, &size, NULL);
  hid_t attribute = H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool ok = attribute >= 0 && H5Awrite(attribute, type, values) >= 0;
  H5Aclose(attribute);
  H5Sclose(space);
  return ok;
}

static const char *text_of(const element *e, int k, int which) {
  const fly_channel *c = &e->channel[e->column[k]];
  return which == 0 ? c->name + e->length + 1 : which == 1 ? c->unit : c->description;
}

// A list of texts, each in as many bytes as the longest has. One that is too long for a header is left out.
static bool put_texts(hid_t group, const char *name, const element *e, int which) {
  size_t longest = 1;
  for (int k = 0; k < e->count; k++) {
    const size_t size = strlen(text_of(e, k, which));
    longest = size > longest ? size : longest;
  }
  if (longest > MOST_BYTES / (size_t)e->count)
    return true;
  char *texts = calloc((size_t)e->count, longest);
  hid_t type = H5Tcopy(H5T_C_S1);
  bool ok = texts != NULL && H5Tset_size(type, longest) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
            H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
  for (int k = 0; ok && k < e->count; k++)
    memcpy(texts + (size_t)k * longest, text_of(e, k, which), strlen(text_of(e, k, which)));
  ok = ok && put_attribute(group, name, type, e->count, texts);
  H5Tclose(type);
  free(texts);
  return ok;
}

static bool put_element(hid_t elements, const element *e) {
  char name[256];
  if (e->length >= sizeof name)
    return true;
  memcpy(name, e->name, e->length);
  name[e->length] = 0;
  hid_t group = H5Gcreate2(elements, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const bool short_enough = (size_t)e->count * sizeof(int) < MOST_BYTES;
  const bool ok = group >= 0 && put_texts(group, "names", e, 0) && put_texts(group, "units", e, 1) &&
                  put_texts(group, "descriptions", e, 2) &&
                  (!short_enough || put_attribute(group, "columns", H5T_NATIVE_INT, e->count, e->column));
  H5Gclose(group);
  return ok;
}

// For qsort, which hands over nothing but two entries: names beside column numbers.
typedef struct entry {
  const char *name;
  size_t length;
  int column;
} entry;

static int compare_elements(const entry *a, const entry *b) {
  const size_t shorter = a->length < b->length ? a->length : b->length;
  const int order = memcmp(a->name, b->name, shorter);
  return order != 0 ? order : a->length < b->length ? -1 : a->length > b->length;
}

static int compare_entries(const void *a, const void *b) {
  const entry *x = a, *y = b;
  const int order = compare_elements(x, y);
  return order != 0 ? order : x->column < y->column ? -1 : 1;
}

// The channels of elements, those of one together.
static int sort_channels(entry *list, int *column, const fly_channel *channel, int width) {
  int count = 0;
  for (int i = 1; i < width; i++) {
    const size_t length = element_length(channel[i].name);
    if (length > 0)
      list[count++] = (entry){channel[i].name, length, i};
  }
  qsort(list, (size_t)count, sizeof *list, compare_entries);
  for (int k = 0; k < count; k++)
    column[k] = list[k].column;
  return count;
}

bool fly_hdf5_put_elements(hid_t file, const fly_channel *channel, int width) {
  entry *list = calloc((size_t)width, sizeof *list);
  int *column = calloc((size_t)width, sizeof *column);
  hid_t elements = H5Gcreate2(file, "elements", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = list != NULL && column != NULL && elements >= 0;
  const int count = ok ? sort_channels(list, column, channel, width) : 0;
  for (int first = 0, end; ok && first < count; first = end) {
    for (end = first + 1; end < count && compare_elements(&list[first], &list[end]) == 0;)
      end++;
    ok = put_element(elements, &(element){.name = list[first].name,
                                          .length = list[first].length,
                                          .channel = channel,
                                          .column = column + first,
                                          .count = end - first});
  }
  H5Gclose(elements);
  free(column);
  free(list);
  return ok;
}
