// The file, headers of objects, groups, attributes.
#include "result/hdf5_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "result/hdf5_undo.h"

bool fly_h5_fault(fly_h5 *f, const char *format, ...) {
  if (f->fault[0] != 0)
    return false;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->fault, sizeof f->fault, format, arguments);
  va_end(arguments);
  return false;
}

bool fly_h5_out_of_memory(fly_h5 *f) {
  f->no_memory = true;
  return fly_h5_fault(f, "not enough memory");
}

// ------------------------------------------------------------------------------------------------ bytes

bool fly_h5_load(fly_h5 *f, uint64_t at, void *out, size_t size) {
  if (at > f->size || size > f->size - at)
    return fly_h5_fault(f, "bytes at %llu are beyond its end", (unsigned long long)at);
  if (fseek(f->file, (long)at, SEEK_SET) != 0 || fread(out, 1, size, f->file) != size)
    return fly_h5_fault(f, "bytes at %llu cannot be read", (unsigned long long)at);
  fly_undo_apply(f, at, out, size);
  return true;
}

fly_h5_bytes fly_h5_part(fly_h5_bytes *b, size_t size) {
  fly_h5_bytes part = {b->at, size, false};
  if (b->bad || size > b->left) {
    b->bad = true;
    return (fly_h5_bytes){b->at, 0, true};
  }
  b->at += size;
  b->left -= size;
  return part;
}

uint64_t fly_h5_number(fly_h5_bytes *b, int size) {
  const fly_h5_bytes part = fly_h5_part(b, (size_t)size);
  uint64_t number = 0;
  for (int k = size - 1; k >= 0 && !part.bad; k--)
    number = number << 8 | part.at[k];
  return number;
}

// A structure of the file that begins with four letters; the rest of it.
static bool load_named(fly_h5 *f, uint64_t at, const char *letters, unsigned char *out, size_t size,
                       fly_h5_bytes *rest) {
  if (!fly_h5_load(f, at, out, size))
    return false;
  if (memcmp(out, letters, 4) != 0)
    return fly_h5_fault(f, "there is no %s at %llu", letters, (unsigned long long)at);
  *rest = (fly_h5_bytes){out + 4, size - 4, false};
  return true;
}

// ------------------------------------------------------------------------------------------------ the file

// Superblock, versions 0 and 1: addresses and lengths of 8 bytes, nothing before it, nothing missing at the end.
static bool read_superblock(fly_h5 *f) {
  unsigned char bytes[100] = {0};
  fly_h5_bytes b = {bytes, sizeof bytes, false};
  if (!fly_h5_load(f, 0, bytes, f->size < sizeof bytes ? (size_t)f->size : sizeof bytes))
    return false;
  fly_h5_part(&b, 8); // the signature
  const uint64_t version = fly_h5_number(&b, 1);
  if (version > 1)
    return fly_h5_fault(f, "its superblock has version %d; h5repack writes it anew", (int)version);
  fly_h5_part(&b, 4);
  const uint64_t address_size = fly_h5_number(&b, 1), length_size = fly_h5_number(&b, 1);
  if (address_size != 8 || length_size != 8)
    return fly_h5_fault(f, "its addresses do not have 8 bytes");
  fly_h5_part(&b, version == 0 ? 9 : 13);
  const uint64_t base = fly_h5_number(&b, 8);
  fly_h5_part(&b, 8);
  const uint64_t end = fly_h5_number(&b, 8);
  fly_h5_part(&b, 16);
  f->root = fly_h5_number(&b, 8);
  if (base != 0 || b.bad)
    return fly_h5_fault(f, "it does not begin with its superblock");
  if (end > f->size)
    return fly_h5_fault(f, "it has %llu bytes of %llu", (unsigned long long)f->size, (unsigned long long)end);
  return true;
}

bool fly_h5_open(fly_h5 *f, const char *path) {
  *f = (fly_h5){.file = fopen(path, "rb")};
  if (f->file == NULL)
    return errno == ENOMEM ? fly_h5_out_of_memory(f) : fly_h5_fault(f, "%s", strerror(errno));
  long size = fseek(f->file, 0, SEEK_END) == 0 ? ftell(f->file) : -1;
  if (size < 0)
    return fly_h5_fault(f, "%s", strerror(errno));
  f->size = (uint64_t)size;
  return fly_undo_find(f) && read_superblock(f);
}

void fly_h5_close(fly_h5 *f) {
  if (f->file != NULL)
    fclose(f->file);
  free(f->undo);
  f->file = NULL;
  f->undo = NULL;
  f->undo_size = 0;
}

// ------------------------------------------------------------------------------------------------ headers

enum { BLOCKS = 64, BLOCK_BYTES = 1 << 18 }; // of one header: no result comes near

typedef struct blocks {
  struct block {
    uint64_t at, size;
  } block[BLOCKS];
  int count;
} blocks;

static bool add_block(fly_h5 *f, blocks *h, uint64_t at, uint64_t size) {
  if (h->count == BLOCKS || size > BLOCK_BYTES)
    return fly_h5_fault(f, "a header is too long");
  h->block[h->count++] = (struct block){at, size};
  return true;
}

static bool read_messages(fly_h5 *f, blocks *h, fly_h5_bytes b, fly_h5_message_fn *fn, void *user) {
  const int is_shared = 2;
  while (b.left >= 8) {
    const int type = (int)fly_h5_number(&b, 2);
    const size_t size = (size_t)fly_h5_number(&b, 2);
    const int flags = (int)fly_h5_number(&b, 1);
    fly_h5_part(&b, 3);
    fly_h5_bytes body = fly_h5_part(&b, size);
    if (b.bad)
      return fly_h5_fault(f, "a header is cut");
    if (type != FLY_H5_CONTINUED) {
      if (!fn(f, type, (flags & is_shared) != 0, body, user))
        return false;
      continue;
    }
    const uint64_t at = fly_h5_number(&body, 8), length = fly_h5_number(&body, 8);
    if (body.bad || !add_block(f, h, at, length))
      return fly_h5_fault(f, "a header is cut");
  }
  return true;
}

static bool read_block(fly_h5 *f, blocks *h, int k, fly_h5_message_fn *fn, void *user) {
  const size_t size = (size_t)h->block[k].size;
  unsigned char *bytes = malloc(size + 1);
  if (bytes == NULL)
    return fly_h5_out_of_memory(f);
  const bool ok =
      fly_h5_load(f, h->block[k].at, bytes, size) && read_messages(f, h, (fly_h5_bytes){bytes, size, false}, fn, user);
  free(bytes);
  return ok;
}

bool fly_h5_messages(fly_h5 *f, uint64_t at, fly_h5_message_fn *fn, void *user) {
  unsigned char prefix[16] = {0};
  blocks h = {.count = 0};
  if (!fly_h5_load(f, at, prefix, sizeof prefix))
    return false;
  if (prefix[0] != 1)
    return fly_h5_fault(f, "a header does not have version 1; h5repack writes it anew");
  fly_h5_bytes b = {prefix + 8, 4, false};
  if (!add_block(f, &h, at + sizeof prefix, fly_h5_number(&b, 4)))
    return false;
  for (int k = 0; k < h.count; k++)
    if (!read_block(f, &h, k, fn, user))
      return false;
  return true;
}

// ------------------------------------------------------------------------------------------------ types and shapes

// Doubles as all machines of today have them; integers and texts.
bool fly_h5_read_type(fly_h5 *f, fly_h5_bytes b, fly_h5_shape *shape) {
  static const unsigned char ieee[12] = {0, 0, 64, 0, 52, 11, 0, 52, 0xFF, 3, 0, 0};
  const int class = (int)fly_h5_number(&b, 1) & 15;
  const uint64_t bits = fly_h5_number(&b, 3);
  shape->bytes = (uint32_t)fly_h5_number(&b, 4);
  if (b.bad || shape->bytes == 0)
    return fly_h5_fault(f, "a type is cut");
  shape->kind = FLY_H5_OTHER;
  if (class == 0 && (bits & 1) == 0)
    shape->kind = FLY_H5_INTEGER;
  if (class == 1 && shape->bytes == 8 && (bits & 0x41) == 0 && b.left >= sizeof ieee &&
      memcmp(b.at, ieee, sizeof ieee) == 0)
    shape->kind = FLY_H5_DOUBLE;
  if (class == 3)
    shape->kind = FLY_H5_TEXT;
  return true;
}

bool fly_h5_read_space(fly_h5 *f, fly_h5_bytes b, fly_h5_shape *shape) {
  const uint64_t most = (uint64_t)1 << 48; // elements: whatever is multiplied with it stays a number
  const int version = (int)fly_h5_number(&b, 1), rank = (int)fly_h5_number(&b, 1);
  fly_h5_part(&b, version == 1 ? 6 : 1);
  const bool simple = version == 1 || (version == 2 && fly_h5_number(&b, 1) == (rank > 0));
  if (!simple || rank > 2)
    return fly_h5_fault(f, "a table has not one or two dimensions");
  shape->rank = rank;
  for (int k = 0; k < rank; k++)
    shape->size[k] = fly_h5_number(&b, 8);
  if (b.bad || (rank > 0 && shape->size[0] > most) || (rank > 1 && shape->size[1] > most / (shape->size[0] + 1)))
    return fly_h5_fault(f, "the size of a table is impossible");
  return true;
}

// ------------------------------------------------------------------------------------------------ attributes

typedef struct wanted_integer {
  const char *name;
  int *value;
  bool found;
} wanted_integer;

static size_t padded(size_t size, int version) { return version == 1 ? (size + 7) / 8 * 8 : size; }

// Attributes of other names, whatever they are, are none of ours.
static bool take_integer(fly_h5 *f, int type, bool shared, fly_h5_bytes b, void *user) {
  wanted_integer *w = user;
  if (type != FLY_H5_ATTRIBUTE || shared)
    return true;
  const int version = (int)fly_h5_number(&b, 1);
  fly_h5_part(&b, 1);
  const size_t name_size = (size_t)fly_h5_number(&b, 2), type_size = (size_t)fly_h5_number(&b, 2),
               space_size = (size_t)fly_h5_number(&b, 2);
  if (version == 3)
    fly_h5_part(&b, 1);
  const fly_h5_bytes name = fly_h5_part(&b, padded(name_size, version));
  if (b.bad || name_size != strlen(w->name) + 1 || memcmp(name.at, w->name, name_size) != 0)
    return true;
  fly_h5_shape shape = {.kind = FLY_H5_OTHER};
  if (!fly_h5_read_type(f, fly_h5_part(&b, padded(type_size, version)), &shape) ||
      !fly_h5_read_space(f, fly_h5_part(&b, padded(space_size, version)), &shape))
    return false;
  if (shape.kind != FLY_H5_INTEGER || shape.bytes != 4 || shape.rank != 0 || b.bad || b.left < 4)
    return fly_h5_fault(f, "its attribute %s is not one integer", w->name);
  *w->value = (int)(uint32_t)fly_h5_number(&b, 4);
  w->found = true;
  return true;
}

bool fly_h5_integer(fly_h5 *f, uint64_t at, const char *name, int *value) {
  wanted_integer wanted = {.name = name, .value = value};
  return fly_h5_messages(f, at, take_integer, &wanted) && wanted.found;
}

// ------------------------------------------------------------------------------------------------ groups

typedef struct group {
  uint64_t tree, heap;
  uint64_t names, names_size; // the bytes of the heap
  bool found;
  fly_h5_link_fn *fn;
  void *user;
} group;

static bool take_table(fly_h5 *f, int type, bool shared, fly_h5_bytes b, void *user) {
  group *g = user;
  if (type != FLY_H5_TABLE || shared)
    return true;
  g->tree = fly_h5_number(&b, 8);
  g->heap = fly_h5_number(&b, 8);
  g->found = !b.bad;
  return b.bad ? fly_h5_fault(f, "a group is cut") : true;
}

static bool open_heap(fly_h5 *f, group *g) {
  unsigned char bytes[32];
  fly_h5_bytes b = {bytes, 0, true};
  if (!load_named(f, g->heap, "HEAP", bytes, sizeof bytes, &b))
    return false;
  fly_h5_part(&b, 4);
  g->names_size = fly_h5_number(&b, 8);
  fly_h5_part(&b, 8);
  g->names = fly_h5_number(&b, 8);
  if (g->names > f->size || g->names_size > f->size - g->names)
    return fly_h5_fault(f, "the names of a group are beyond its end");
  return true;
}

// One link: where its name is, and the header; a link by name has kind 2.
static bool read_link(fly_h5 *f, const group *g, uint64_t at) {
  unsigned char bytes[40];
  char name[256] = "";
  fly_h5_bytes b = {bytes, sizeof bytes, false};
  if (!fly_h5_load(f, at, bytes, sizeof bytes))
    return false;
  const uint64_t offset = fly_h5_number(&b, 8), header = fly_h5_number(&b, 8);
  const int kind = (int)fly_h5_number(&b, 4);
  if (offset >= g->names_size)
    return fly_h5_fault(f, "the name of a link is beyond the names of its group");
  const uint64_t left = g->names_size - offset;
  const size_t size = left < sizeof name ? (size_t)left : sizeof name;
  if (!fly_h5_load(f, g->names + offset, name, size))
    return false;
  if (memchr(name, 0, size) == NULL)
    return fly_h5_fault(f, "the name of a link does not end");
  return g->fn(f, name, kind == 2 ? FLY_H5_NOWHERE : header, g->user);
}

static bool read_leaf(fly_h5 *f, const group *g, uint64_t at) {
  unsigned char bytes[8];
  fly_h5_bytes b = {bytes, 0, true};
  if (!load_named(f, at, "SNOD", bytes, sizeof bytes, &b))
    return false;
  fly_h5_part(&b, 2);
  const int count = (int)fly_h5_number(&b, 2);
  for (int k = 0; k < count; k++)
    if (--f->budget < 0 || !read_link(f, g, at + 8 + (uint64_t)k * 40))
      return fly_h5_fault(f, "a group has no end");
  return true;
}

// A node of the tree of names: children between keys of 8 bytes. above: the level of its parent.
static bool read_node(fly_h5 *f, const group *g, uint64_t at, int above) {
  unsigned char bytes[24];
  fly_h5_bytes b = {bytes, 0, true};
  if (!load_named(f, at, "TREE", bytes, sizeof bytes, &b))
    return false;
  const int type = (int)fly_h5_number(&b, 1), level = (int)fly_h5_number(&b, 1), count = (int)fly_h5_number(&b, 2);
  if (type != 0 || level >= above)
    return fly_h5_fault(f, "a tree of names is damaged");
  for (int k = 0; k < count; k++) {
    unsigned char child[8];
    if (--f->budget < 0)
      return fly_h5_fault(f, "a group has no end");
    if (!fly_h5_load(f, at + 24 + 8 + (uint64_t)k * 16, child, sizeof child))
      return false;
    b = (fly_h5_bytes){child, sizeof child, false};
    const uint64_t next = fly_h5_number(&b, 8);
    if (!(level > 0 ? read_node(f, g, next, level) : read_leaf(f, g, next)))
      return false;
  }
  return true;
}

bool fly_h5_links(fly_h5 *f, uint64_t at, fly_h5_link_fn *fn, void *user) {
  enum { LEVELS = 12, PIECES = 1 << 20 };
  group g = {.fn = fn, .user = user};
  if (!fly_h5_messages(f, at, take_table, &g))
    return false;
  if (!g.found)
    return fly_h5_fault(f, "a group has no table of names of the old kind; h5repack writes it anew");
  f->budget = PIECES;
  return open_heap(f, &g) && read_node(f, &g, g.tree, LEVELS);
}

typedef struct wanted_link {
  const char *name;
  uint64_t header; // FLY_H5_NOWHERE: not found yet
} wanted_link;

static bool take_link(fly_h5 *f, const char *name, uint64_t header, void *user) {
  wanted_link *w = user;
  if (strcmp(name, w->name) != 0)
    return true;
  if (header == FLY_H5_NOWHERE)
    return fly_h5_fault(f, "'%.40s' is a link to something else", w->name);
  w->header = header;
  return true;
}

bool fly_h5_find(fly_h5 *f, uint64_t at, const char *name, uint64_t *header) {
  wanted_link wanted = {name, FLY_H5_NOWHERE};
  const bool read = fly_h5_links(f, at, take_link, &wanted);
  *header = wanted.header;
  return read && wanted.header != FLY_H5_NOWHERE;
}
