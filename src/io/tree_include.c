// Loading a file with those it includes, and merging them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/forms.h"
#include "io/tree_nodes.h"

// A file that was read or is being read.
typedef struct piece {
  const char *path; // as opened
  const char *name; // the same without . and .., to know it again
  const fly_tree_node *root;
  bool open; // being read: to meet it again is a cycle
} piece;

typedef struct loader {
  fly_tree *tree;
  fly_error *error;
  piece *part; // in the order in which they were met (nparts)
  int nparts, capacity;
  int *order; // numbers of parts, those included before those that include them (norder)
  int norder, order_capacity;
  int chain[FLY_TREE_INCLUDES]; // the files being read, each included by the one before (depth)
  int depth;
} loader;

static const char include[] = "include";

// ------------------------------------------------------------------------------------------------ paths

static bool is_up(const char *segment, size_t length) { return length == 2 && strncmp(segment, "..", 2) == 0; }

static bool is_here(const char *segment, size_t length) { return length == 0 || (length == 1 && segment[0] == '.'); }

// The start of the last segment of the path [first, end), which ends in '/'.
static char *last_segment(char *first, char *end) {
  char *s = end > first ? end - 1 : end;
  while (s > first && s[-1] != '/')
    s--;
  return s;
}

// Takes "." and "name/.." out of a path, in place.
static void normalize(char *path) {
  char *first = path + (path[0] == '/'), *out = first;
  for (char *in = first; *in != 0;) {
    size_t length = strcspn(in, "/"), step = length + (in[length] == '/');
    char *last = last_segment(first, out);
    if (is_up(in, length) && out > first && !is_up(last, (size_t)(out - last - 1))) {
      out = last;
    } else if (!is_here(in, length)) {
      memmove(out, in, step);
      out += step;
    }
    in += step;
  }
  *out = 0;
}

// The path of a file named in another one.
static char *join(fly_tree *tree, const char *including, const char *name) {
  const char *slash = strrchr(including, '/');
  size_t folder = slash == NULL || name[0] == '/' ? 0 : (size_t)(slash - including) + 1;
  char *path = fly_tree_take(tree, folder + strlen(name) + 1);
  if (path != NULL) {
    memcpy(path, including, folder);
    strcpy(path + folder, name);
  }
  return path;
}

// ------------------------------------------------------------------------------------------------ parts

// The number of the part with this path, met before or not; -1 without memory.
static int find_part(loader *l, const char *path, bool *new) {
  char *name = fly_tree_copy_text(l->tree, path, strlen(path));
  if (name == NULL)
    return -1;
  normalize(name);
  *new = false;
  for (int i = 0; i < l->nparts; i++)
    if (strcmp(l->part[i].name, name) == 0)
      return i;
  if (!fly_reserve(&l->part, &l->capacity, l->nparts + 1, sizeof *l->part) ||
      !fly_reserve(&l->order, &l->order_capacity, l->nparts + 1, sizeof *l->order))
    return -1;
  *new = true;
  l->part[l->nparts] = (piece){.path = path, .name = name, .open = true};
  return l->nparts++;
}

// ------------------------------------------------------------------------------------------------ loading

static fly_status load_part(loader *l, int number, const fly_tree_node *from);

static fly_status include_cycle(const loader *l, const fly_tree_node *node, int number) {
  char chain[400] = "";
  int first = 0;
  while (l->chain[first] != number)
    first++;
  for (int i = first; i < l->depth; i++) {
    size_t used = strlen(chain);
    snprintf(chain + used, sizeof chain - used, "%s includes ", l->part[l->chain[i]].path);
  }
  return fly_tree_fail(node, l->error, "the includes go in a circle: %s%s.", chain, l->part[number].path);
}

// Loads the file that a node names.
static fly_status load_included(loader *l, const fly_tree_node *node) {
  if (node->kind != FLY_TREE_SCALAR || fly_tree_is_null(node))
    return fly_tree_fail(node, l->error, "include takes the name of a file, or a list of them, not %s.",
                         fly_tree_kind_name(node));
  bool new = false;
  const char *path = join(l->tree, fly_tree_path(node), node->text);
  int number = path != NULL ? find_part(l, path, &new) : -1;
  if (number < 0)
    return fly_tree_no_memory(l->error);
  if (!new)
    return l->part[number].open ? include_cycle(l, node, number) : FLY_OK;
  if (l->depth == FLY_TREE_INCLUDES)
    return fly_tree_fail(node, l->error, "more than %d files include each other in a chain.", FLY_TREE_INCLUDES);
  return load_part(l, number, node);
}

static fly_status load_includes(loader *l, const fly_tree_node *root) {
  const fly_tree_node *node = fly_tree_find(root, include);
  if (node == NULL)
    return FLY_OK;
  if (node->kind != FLY_TREE_SEQUENCE)
    return load_included(l, node);
  fly_status status = FLY_OK;
  for (int i = 0; status == FLY_OK && i < node->count; i++)
    status = load_included(l, node->entry[i].value);
  return status;
}

// Reads the text of a part. A file that cannot be read is the fault of the one that names it.
static fly_status read_part(loader *l, const piece *p, fly_source *source, const fly_tree_node *from) {
  fly_error fault;
  fly_status status = fly_source_read(source, p->path, &fault);
  if (status == FLY_BAD_INPUT && from != NULL)
    return fly_tree_fail(from, l->error, "cannot include %s", fault.message);
  return status == FLY_OK ? FLY_OK : fly_fail(l->error, status, NAN, "%s", fault.message);
}

// Whether a document may be shown in messages: it has the sections of a model or of a part and nothing else.
static bool is_model(const fly_tree_node *root) {
  bool known = root->count > 0;
  for (int i = 0; known && i < root->count; i++)
    known = fly_is_top_key(root->entry[i].key) || fly_is_part_key(root->entry[i].key);
  return known;
}

// The same of a file, whose parts are the last of the tree. What holds only parts is a model without anything.
static fly_status judge_file(fly_tree *tree, fly_source *source, int parts, fly_tree_node **root, fly_error *error) {
  bool known = *root == NULL || is_model(*root);
  for (int i = parts; i < tree->nparts; i++)
    known = known && is_model(tree->part[i]);
  source->quiet = source->quiet && !known;
  if (*root != NULL)
    return FLY_OK;
  fly_tree_node *empty = fly_tree_take(tree, sizeof *empty);
  if (empty == NULL)
    return fly_tree_no_memory(error);
  *empty = (fly_tree_node){.kind = FLY_TREE_MAPPING, .line = 1, .column = 1, .source = source};
  *root = empty;
  return FLY_OK;
}

static fly_status only_parts(const fly_tree *tree, fly_error *error) {
  return fly_tree_fail(tree->part[0], error,
                       "there are only parts in this file; a model is a document without 'part', which uses them.");
}

static fly_status load_part(loader *l, int number, const fly_tree_node *from) {
  fly_tree_node *root = NULL;
  fly_source *source = fly_tree_add_source(l->tree);
  const int parts = l->tree->nparts;
  if (source == NULL)
    return fly_tree_no_memory(l->error);
  l->chain[l->depth++] = number;
  fly_status status = read_part(l, &l->part[number], source, from);
  source->quiet = from != NULL;
  if (status == FLY_OK)
    status = fly_source_check(source, l->error);
  if (status == FLY_OK)
    status = fly_tree_parse_source(l->tree, source, &root, l->error);
  if (status == FLY_OK && from == NULL && root == NULL)
    return only_parts(l->tree, l->error);
  if (status == FLY_OK)
    status = judge_file(l->tree, source, parts, &root, l->error);
  if (status == FLY_OK)
    status = load_includes(l, root);
  l->part[number].root = root;
  l->part[number].open = false;
  l->order[l->norder++] = number;
  l->depth--;
  return status;
}

// ------------------------------------------------------------------------------------------------ merging

// A section is what a top-level key holds. Parts that give the same one put their entries together.
typedef struct section {
  fly_tree_entry *entry; // of all parts, if there is more than one (count)
  int count, capacity;
} section;

typedef struct merger {
  loader *loader;
  fly_tree_table top; // the sections by key
  section *section;   // (top.count)
  int capacity;
} merger;

static bool append_entries(section *s, const fly_tree_node *node) {
  if (node->count == 0)
    return true;
  if (!fly_reserve(&s->entry, &s->capacity, s->count + node->count, sizeof *s->entry))
    return false;
  memcpy(s->entry + s->count, node->entry, (size_t)node->count * sizeof *s->entry);
  s->count += node->count;
  return true;
}

static bool add_section(merger *m, fly_tree_entry entry) {
  int number = m->top.count;
  if (!fly_reserve(&m->section, &m->capacity, number + 1, sizeof *m->section))
    return false;
  m->section[number] = (section){0};
  return fly_tree_table_add(&m->top, entry);
}

static bool same_scalar(const fly_tree_node *a, const fly_tree_node *b) {
  return a->kind == FLY_TREE_SCALAR && b->kind == FLY_TREE_SCALAR && strcmp(a->text, b->text) == 0;
}

// Entries of a section that later files may change: each replaces one of the same key, or is added.
static bool override_entries(section *s, const fly_tree_node *node) {
  for (int i = 0; i < node->count; i++) {
    fly_tree_entry *same = NULL;
    for (int k = 0; s->entry != NULL && k < s->count && same == NULL; k++)
      if (strcmp(s->entry[k].key, node->entry[i].key) == 0)
        same = &s->entry[k];
    fly_tree_node one = *node;
    one.count = 1;
    one.entry = &node->entry[i];
    if (same != NULL)
      *same = node->entry[i];
    else if (!append_entries(s, &one))
      return false;
  }
  return true;
}

// One more definition of a section. To say the same word twice (flyball: 1) does no harm.
static fly_status extend_section(merger *m, const fly_tree_entry *first, const fly_tree_entry *second) {
  if (same_scalar(first->value, second->value))
    return FLY_OK;
  if (first->value->kind != FLY_TREE_MAPPING || second->value->kind != FLY_TREE_MAPPING)
    return fly_tree_given_twice(first, second, m->loader->error);
  section *s = &m->section[first - m->top.entry];
  bool ok = s->entry != NULL || append_entries(s, first->value);
  if (ok) // how to simulate is the last word of the file that includes; elements are defined once
    ok = strcmp(first->key, "simulate") == 0 ? override_entries(s, second->value) : append_entries(s, second->value);
  return ok ? FLY_OK : fly_tree_no_memory(m->loader->error);
}

static fly_status merge_part(merger *m, const fly_tree_node *root) {
  fly_status status = FLY_OK;
  for (int i = 0; status == FLY_OK && i < root->count; i++) {
    const fly_tree_entry *entry = &root->entry[i];
    if (strcmp(entry->key, include) == 0)
      continue;
    const fly_tree_entry *first = fly_tree_table_find(&m->top, entry->key);
    if (first != NULL)
      status = extend_section(m, first, entry);
    else if (!add_section(m, *entry))
      status = fly_tree_no_memory(m->loader->error);
  }
  return status;
}

// A mapping with these entries, otherwise like another one.
static fly_status new_mapping(loader *l, const fly_tree_node **out, const fly_tree_node *like,
                              const fly_tree_entry *entry, int count) {
  fly_tree_node *node = fly_tree_take(l->tree, sizeof *node);
  if (node == NULL)
    return fly_tree_no_memory(l->error);
  *node = *like;
  node->slot = NULL;
  *out = node;
  return fly_tree_close(l->tree, node, entry, count, l->error);
}

static fly_status merge_parts(merger *m, const fly_tree_node **root) {
  loader *l = m->loader;
  fly_status status = FLY_OK;
  for (int i = 0; status == FLY_OK && i < l->norder; i++)
    status = merge_part(m, l->part[l->order[i]].root);
  for (int i = 0; status == FLY_OK && i < m->top.count; i++) {
    fly_tree_entry *entry = &m->top.entry[i];
    if (m->section[i].entry != NULL)
      status = new_mapping(l, &entry->value, entry->value, m->section[i].entry, m->section[i].count);
  }
  return status == FLY_OK ? new_mapping(l, root, l->part[0].root, m->top.entry, m->top.count) : status;
}

static fly_status merge(loader *l, const fly_tree_node **root) {
  *root = l->part[0].root;
  if (fly_tree_find(*root, include) == NULL)
    return FLY_OK;
  merger m = {.loader = l};
  fly_status status = merge_parts(&m, root);
  for (int i = 0; i < m.top.count; i++)
    free(m.section[i].entry);
  free(m.section);
  fly_tree_table_free(&m.top);
  return status;
}

// ------------------------------------------------------------------------------------------------ files of parts

// The part of a source that is read: the last of its documents.
static fly_status finish_part(fly_tree *tree, fly_source *source, const fly_tree_node **part, fly_error *error) {
  const int parts = tree->nparts;
  fly_tree_node *root = NULL;
  fly_status status = fly_source_check(source, error);
  if (status == FLY_OK)
    status = fly_tree_parse_source(tree, source, &root, error);
  if (status != FLY_OK)
    return status;
  if (root != NULL)
    return fly_tree_fail(root, error, "this is no part: it begins with 'part: NAME'.");
  *part = tree->part[tree->nparts - 1];
  return judge_file(tree, source, parts, &root, error);
}

// The last part that stands in a file; NULL: it was not read yet.
static const fly_tree_node *part_of(const fly_tree *tree, const char *path) {
  for (int i = tree->nparts - 1; i >= 0; i--)
    if (strcmp(fly_tree_path(tree->part[i]), path) == 0)
      return tree->part[i];
  return NULL;
}

fly_status fly_tree_load_part(fly_tree *tree, const fly_tree_node **part, const fly_tree_node *named,
                              fly_error *error) {
  char *path = join(tree, fly_tree_path(named), named->text);
  if (path == NULL)
    return fly_tree_no_memory(error);
  normalize(path);
  *part = part_of(tree, path);
  if (*part != NULL)
    return FLY_OK;
  fly_source *source = fly_tree_add_source(tree);
  if (source == NULL)
    return fly_tree_no_memory(error);
  fly_error fault;
  const fly_status status = fly_source_read(source, path, &fault);
  source->quiet = true;
  if (status == FLY_BAD_INPUT)
    return fly_tree_fail(named, error, "cannot use %s", fault.message);
  return status != FLY_OK ? fly_fail(error, status, NAN, "%s", fault.message) : finish_part(tree, source, part, error);
}

fly_status fly_tree_parse_part(fly_tree *tree, const fly_tree_node **part, const char *name, const char *text,
                               size_t length, fly_error *error) {
  *part = part_of(tree, name);
  if (*part != NULL)
    return FLY_OK;
  fly_source *source = fly_tree_add_source(tree);
  if (source == NULL)
    return fly_tree_no_memory(error);
  const fly_status status = fly_source_copy(source, name, text, length, error);
  return status != FLY_OK ? status : finish_part(tree, source, part, error);
}

// ------------------------------------------------------------------------------------------------ the two ways in

static fly_status finish(fly_tree **out, fly_tree *tree, fly_status status) {
  *out = status == FLY_OK ? tree : NULL;
  if (status != FLY_OK)
    fly_tree_free(tree);
  return status;
}

static fly_status load(loader *l, const char *path) {
  bool new;
  const char *copy = fly_tree_copy_text(l->tree, path, strlen(path));
  if (copy == NULL || find_part(l, copy, &new) < 0)
    return fly_tree_no_memory(l->error);
  fly_status status = load_part(l, 0, NULL);
  return status == FLY_OK ? merge(l, &l->tree->root) : status;
}

fly_status fly_tree_load(fly_tree **out, const char *path, fly_error *error) {
  loader l = {.error = error};
  *out = NULL;
  fly_status status = fly_tree_create(&l.tree, error);
  if (status != FLY_OK)
    return status;
  status = load(&l, path);
  free(l.part);
  free(l.order);
  return finish(out, l.tree, status);
}

static fly_status parse(fly_tree *tree, const char *name, const char *text, size_t length, fly_error *error) {
  fly_tree_node *root = NULL;
  fly_source *source = fly_tree_add_source(tree);
  if (source == NULL)
    return fly_tree_no_memory(error);
  fly_status status = fly_source_copy(source, name, text, length, error);
  if (status == FLY_OK)
    status = fly_source_check(source, error);
  if (status == FLY_OK)
    status = fly_tree_parse_source(tree, source, &root, error);
  tree->root = root;
  if (status == FLY_OK && root == NULL)
    return only_parts(tree, error);
  const fly_tree_entry *entry = status == FLY_OK ? fly_tree_find_entry(root, include) : NULL;
  return entry == NULL ? status : fly_tree_fail_key(entry, error, "only a file can include others.");
}

fly_status fly_tree_parse(fly_tree **out, const char *name, const char *text, size_t length, fly_error *error) {
  fly_tree *tree = NULL;
  *out = NULL;
  fly_status status = fly_tree_create(&tree, error);
  return status == FLY_OK ? finish(out, tree, parse(tree, name, text, length, error)) : status;
}
