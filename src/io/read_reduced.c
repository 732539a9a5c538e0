// Bodies of type flexible: their files, of which the sums of inertia are taken, the interface nodes, and the nodes that
// markers stand on or are nearest to.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "element/reduced.h"
#include "io/reader.h"
#include "result/arrays.h"

typedef struct reduced {
  fly_reader *r;
  const fly_tree_node *at; // the name of the file
  fly_arrays *file;
  size_t modes, nodes, faces; // nodes in the file, interfaces
  double *node, *face;        // number, x, y, z (nodes x 4); rows of the interfaces (faces)
  int *row;                   // that are taken (rows)
  int rows;
  bool stiffened; // it has G
  fly_error error;
  fly_arena memory;
} reduced;

static bool tell(reduced *b) {
  if (b->error.status == FLY_NO_MEMORY)
    return fly_reader_no_memory(b->r);
  return fly_reader_fault(b->r, b->at, "the body cannot be read: %.*s", (int)strcspn(b->error.message, "\n"),
                          b->error.message);
}

static bool read_table(reduced *b, const char *name, size_t first, size_t rows, double *out) {
  return fly_arrays_read(b->file, name, first, rows, out, &b->error) == FLY_OK || tell(b);
}

static bool has_size(reduced *b, const char *name, size_t rows, size_t columns) {
  size_t r, c;
  if (fly_arrays_size(b->file, name, &r, &c, &b->error) != FLY_OK)
    return tell(b);
  return (r == rows && c == columns) ||
         fly_reader_fault(b->r, b->at, "the body cannot be read: its table %s has %zu rows of %zu, not %zu of %zu.",
                          name, r, c, rows, columns);
}

// How many modes and nodes there are, and that all tables agree.
static bool take_sizes(reduced *b) {
  size_t columns;
  if (fly_arrays_size(b->file, "K", &b->modes, &columns, &b->error) != FLY_OK ||
      fly_arrays_size(b->file, "nodes", &b->nodes, &columns, &b->error) != FLY_OK ||
      fly_arrays_size(b->file, "interface_rows", &b->faces, &columns, &b->error) != FLY_OK)
    return tell(b);
  const size_t m = b->modes;
  if (m < 1 || m > FLY_REDUCED_MODES || b->nodes > INT_MAX / 2)
    return fly_reader_fault(b->r, b->at, "the body has %zu modes; from 1 to %d are taken.", m, (int)FLY_REDUCED_MODES);
  b->stiffened = fly_arrays_has(b->file, "G");
  return (!b->stiffened || has_size(b, "G", m * m, 9)) && has_size(b, "whole", 1, 22) && has_size(b, "N", m, 3) &&
         has_size(b, "NR", m, 3) && has_size(b, "Q", m, 9) && has_size(b, "P", m * m, 9) && has_size(b, "M", m, m) &&
         has_size(b, "K", m, m) && has_size(b, "nodes", b->nodes, 4) && has_size(b, "phi", b->nodes, 3 * m) &&
         has_size(b, "theta", b->nodes, 3 * m) && has_size(b, "interface_rows", b->faces, 1);
}

static bool take_nodes(reduced *b, const fly_item *item) {
  b->node = fly_arena_doubles(&b->memory, 4 * b->nodes);
  b->face = fly_arena_doubles(&b->memory, b->faces);
  b->row = fly_arena_ints(&b->memory, b->faces + (size_t)item->nmarker);
  if (b->memory.failed)
    return fly_reader_no_memory(b->r);
  if (!read_table(b, "nodes", 0, b->nodes, b->node) || !read_table(b, "interface_rows", 0, b->faces, b->face))
    return false;
  for (size_t k = 0; k < b->faces; k++)
    if (!(b->face[k] >= 0 && b->face[k] < (double)b->nodes))
      return fly_reader_fault(b->r, b->at, "the body cannot be read: an interface stands on no node of it.");
  return true;
}

// ------------------------------------------------------------------------------------------ markers

static void use_row(reduced *b, int row) {
  for (int k = 0; k < b->rows; k++)
    if (b->row[k] == row)
      return;
  b->row[b->rows++] = row;
}

static int nearest(const reduced *b, const double at[3]) {
  double least = INFINITY;
  int found = 0;
  for (size_t k = 0; k < b->nodes; k++) {
    const double *x = b->node + 4 * k + 1;
    const double d = hypot(hypot(x[0] - at[0], x[1] - at[1]), x[2] - at[2]);
    if (d < least) {
      least = d;
      found = (int)k;
    }
  }
  return found;
}

// By the name of an interface, or its number in the mesh; -1: there is none.
static int find_node(reduced *b, const char *word) {
  char name[100], *end;
  for (size_t k = 0; k < b->faces; k++)
    if (fly_arrays_text(b->file, "interface_names", k, name, sizeof name, &b->error) == FLY_OK &&
        strcmp(name, word) == 0)
      return (int)b->face[k];
  const double number = strtod(word, &end);
  for (size_t k = 0; *end == 0 && end != word && k < b->nodes; k++)
    if (b->node[4 * k] == number)
      return (int)k;
  return -1;
}

static bool no_node(reduced *b, const fly_tree_node *word) {
  char names[300] = "", name[100];
  for (size_t k = 0; k < b->faces && strlen(names) < 180; k++)
    if (fly_arrays_text(b->file, "interface_names", k, name, sizeof name, &b->error) == FLY_OK)
      strcat(strcat(names, names[0] ? ", " : ""), name);
  return fly_reader_fault(b->r, word,
                          "the body has no node '%.60s'. Its interfaces are %s; %zu nodes are in its file (flyball "
                          "reduce --points all keeps every one).",
                          word->text, names[0] ? names : "none", b->nodes);
}

// The key `node` of a marker as it was written; NULL: it has none.
static const fly_tree_node *word_of(const fly_tree_node *body, const char *marker) {
  const fly_tree_node *markers = fly_tree_find(body, "markers");
  const fly_tree_node *one = markers && markers->kind == FLY_TREE_MAPPING ? fly_tree_find(markers, marker) : NULL;
  return one && one->kind == FLY_TREE_MAPPING ? fly_tree_find(one, "node") : NULL;
}

static bool place_markers(reduced *b, fly_item *item, const fly_tree_node *body) {
  for (size_t k = 0; k < b->faces; k++)
    use_row(b, (int)b->face[k]);
  for (int k = 0; k < item->nmarker && b->nodes > 0; k++) {
    fly_spec_marker *m = &item->marker[k];
    const fly_tree_node *word = word_of(body, m->name);
    const int row = word ? find_node(b, word->text) : nearest(b, m->at);
    if (row < 0)
      return no_node(b, word);
    for (int i = 0; word && i < 3; i++)
      m->at[i] += b->node[4 * (size_t)row + 1 + (size_t)i];
    use_row(b, row);
  }
  return true;
}

// ------------------------------------------------------------------------------------------ the numbers

static bool read_node(reduced *b, double *out, int row) {
  memcpy(out, b->node + 4 * (size_t)row, 4 * sizeof *out);
  return read_table(b, "phi", (size_t)row, 1, out + 4) &&
         read_table(b, "theta", (size_t)row, 1, out + 4 + 3 * b->modes);
}

static bool read_numbers(reduced *b, double *data, const fly_reduced_layout *at) {
  double whole[22];
  const size_t m = b->modes;
  if (!read_table(b, "whole", 0, 1, whole))
    return false;
  data[0] = (double)m;
  data[1] = b->rows;
  memcpy(data + FLY_REDUCED_MASS, whole, sizeof whole); // mass, S, X, JR
  bool good = read_table(b, "N", 0, m, data + at->N) && read_table(b, "NR", 0, m, data + at->NR) &&
              read_table(b, "Q", 0, m, data + at->Q) && read_table(b, "P", 0, m * m, data + at->P) &&
              read_table(b, "M", 0, m, data + at->M) && read_table(b, "K", 0, m, data + at->K) &&
              (!b->stiffened || read_table(b, "G", 0, m * m, data + at->G));
  for (int k = 0; k < b->rows && good; k++)
    good = read_node(b, data + at->nodes + (size_t)k * at->node, b->row[k]);
  return good;
}

static bool put_numbers(reduced *b, fly_item *item) {
  const fly_reduced_layout at = fly_reduced_layout_of((int)b->modes, b->rows);
  const size_t count = fly_reduced_count(&at, (int)b->modes, b->stiffened);
  if (count > INT_MAX)
    return fly_reader_fault(b->r, b->at, "the body has too many modes and nodes in use.");
  double *data = fly_arena_doubles(&b->memory, count);
  if (!data)
    return fly_reader_no_memory(b->r);
  return read_numbers(b, data, &at) && (fly_spec_set_numbers(b->r->spec, item, fly_parameter_find(item->type, "data"),
                                                             (int)count, data, fly_reader_place(b->r, b->at)) ||
                                        fly_reader_no_memory(b->r));
}

static bool read_body(fly_reader *r, fly_item *item, const fly_tree_node *body) {
  reduced b = {.r = r, .at = fly_tree_find(body, "file")};
  if (!b.at)
    return true; // its numbers are there, or it is told when it is compiled
  char *path = fly_reader_path(r, b.at);
  if (!path)
    return false;
  const bool good = (fly_arrays_open(&b.file, path, "flyball_body", 1, &b.error) == FLY_OK || tell(&b)) &&
                    take_sizes(&b) && take_nodes(&b, item) && place_markers(&b, item, body) && put_numbers(&b, item);
  free(path);
  fly_arrays_close(b.file);
  fly_arena_free(&b.memory);
  return good;
}

// Nodes are named on these bodies only.
static bool refuse_nodes(fly_reader *r, const fly_item *item, const fly_tree_node *body) {
  for (int k = 0; k < item->nmarker; k++) {
    const fly_tree_node *word = word_of(body, item->marker[k].name);
    if (word)
      return fly_reader_fault(r, word, "only a body of type flexible has nodes; this one takes {at: [x, y, z]}.");
  }
  return true;
}

bool fly_reader_reduced(fly_reader *r) {
  bool good = true;
  for (int k = 0; k < r->spec->nitem && fly_reader_goes_on(r); k++) {
    fly_item *item = &r->spec->item[k];
    if (strcmp(item->type->section, "bodies") != 0 || r->node[k]->kind != FLY_TREE_MAPPING)
      continue;
    const int data = fly_parameter_find(item->type, "data");
    if (data >= 0 && !fly_item_row(item, data)->given)
      good = read_body(r, item, r->node[k]) && good;
    else if (data < 0)
      good = refuse_nodes(r, item, r->node[k]) && good;
  }
  return good;
}
