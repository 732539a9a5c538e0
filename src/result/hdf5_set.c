// Datasets: their headers, their chunks, their bytes.
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "result/hdf5_file.h"

enum { DEFLATE = 1, SHUFFLE = 2, MOST_CHUNK_BYTES = 1 << 26, DENSEST = 1032 }; // deflate: one byte stands for 1032

// ------------------------------------------------------------------------------------------------ header

// Chunks: of so many dimensions and one more, for the bytes of an element.
static bool read_chunked(fly_h5 *f, fly_h5_bytes *b, fly_h5_set *set) {
  const int dimensions = (int)fly_h5_number(b, 1);
  set->address = fly_h5_number(b, 8);
  if (dimensions < 2 || dimensions > 3)
    return fly_h5_fault(f, "chunks have not one or two dimensions");
  set->chunk_rank = dimensions - 1;
  for (int k = 0; k < dimensions - 1; k++)
    set->side[k] = (uint32_t)fly_h5_number(b, 4);
  set->chunked = true;
  return true;
}

static bool read_layout(fly_h5 *f, fly_h5_bytes b, fly_h5_set *set) {
  const int version = (int)fly_h5_number(&b, 1), class = (int)fly_h5_number(&b, 1);
  if (version != 3 || class < 1 || class > 2)
    return fly_h5_fault(f, "its numbers are stored in a way (%d, %d) that is not read; h5repack writes it anew",
                        version, class);
  if (class == 1) {
    set->address = fly_h5_number(&b, 8);
    set->stored = fly_h5_number(&b, 8);
  } else if (!read_chunked(f, &b, set))
    return false;
  set->has_layout = !b.bad;
  return b.bad ? fly_h5_fault(f, "a layout is cut") : true;
}

// Version 1 names each filter and pads; version 2 does not name those of HDF5 itself.
static bool read_filters(fly_h5 *f, fly_h5_bytes b, fly_h5_set *set) {
  const int version = (int)fly_h5_number(&b, 1);
  set->nfilter = (int)fly_h5_number(&b, 1);
  if (set->nfilter > 2 || version < 1 || version > 2)
    return fly_h5_fault(f, "its numbers are stored through %d filters", set->nfilter);
  fly_h5_part(&b, version == 1 ? 6 : 0);
  for (int k = 0; k < set->nfilter; k++) {
    set->filter[k] = (int)fly_h5_number(&b, 2);
    if (set->filter[k] != DEFLATE && set->filter[k] != SHUFFLE)
      return fly_h5_fault(f, "its numbers are stored through filter %d, which is not known here", set->filter[k]);
    const size_t name = version == 1 ? (size_t)fly_h5_number(&b, 2) : 0;
    fly_h5_part(&b, 2);
    const size_t values = (size_t)fly_h5_number(&b, 2);
    fly_h5_part(&b, (name + 7) / 8 * 8);
    fly_h5_part(&b, 4 * (version == 1 ? (values + 1) / 2 * 2 : values));
  }
  return b.bad ? fly_h5_fault(f, "a list of filters is cut") : true;
}

static bool take_message(fly_h5 *f, int type, bool shared, fly_h5_bytes body, void *user) {
  fly_h5_set *set = user;
  const bool ours = type == FLY_H5_SPACE || type == FLY_H5_TYPE || type == FLY_H5_LAYOUT || type == FLY_H5_FILTERS;
  if (type == FLY_H5_EXTERNAL)
    return fly_h5_fault(f, "its numbers lie in other files");
  if (ours && shared)
    return fly_h5_fault(f, "a table shares its description with others");
  if (type == FLY_H5_SPACE)
    return set->has_space = fly_h5_read_space(f, body, &set->shape);
  if (type == FLY_H5_TYPE)
    return set->has_type = fly_h5_read_type(f, body, &set->shape);
  if (type == FLY_H5_LAYOUT)
    return read_layout(f, body, set);
  return type == FLY_H5_FILTERS ? read_filters(f, body, set) : true;
}

// ------------------------------------------------------------------------------------------------ chunks

static bool add_chunk(fly_h5 *f, fly_h5_set *set, const fly_h5_chunk *chunk) {
  const long n = set->nchunk;
  if ((n & (n - 1)) == 0) { // full: doubled
    fly_h5_chunk *more = realloc(set->chunk, (size_t)(n > 0 ? 2 * n : 1) * sizeof *more);
    if (more == NULL)
      return fly_h5_out_of_memory(f);
    set->chunk = more;
  }
  set->chunk[set->nchunk++] = *chunk;
  return true;
}

// One entry of a node: bytes stored, filters skipped, where the chunk begins, its address.
static bool read_entry(fly_h5 *f, const fly_h5_set *set, uint64_t at, fly_h5_chunk *chunk) {
  unsigned char bytes[40];
  const size_t size = 24 + 8 * (size_t)set->shape.rank;
  fly_h5_bytes b = {bytes, size, false};
  if (!fly_h5_load(f, at, bytes, size))
    return false;
  chunk->stored = (uint32_t)fly_h5_number(&b, 4);
  chunk->skipped = (uint32_t)fly_h5_number(&b, 4);
  chunk->row = fly_h5_number(&b, 8);
  chunk->column = set->shape.rank > 1 ? fly_h5_number(&b, 8) : 0;
  fly_h5_part(&b, 8);
  chunk->address = fly_h5_number(&b, 8);
  return true;
}

// What is stored for a chunk is in the file, and can be that chunk: no smaller than deflate at its best makes it.
static bool check_chunk(fly_h5 *f, const fly_h5_set *set, const fly_h5_chunk *c) {
  const bool plain = set->nfilter == 0;
  const uint64_t stored = c->stored, bytes = set->chunk_bytes;
  if (c->address > f->size || stored > f->size - c->address)
    return fly_h5_fault(f, "a chunk is beyond its end");
  if (plain ? stored != bytes : stored > bytes + bytes / 100 + 1024 || bytes > (stored + 1) * DENSEST)
    return fly_h5_fault(f, "a chunk of %llu bytes cannot be stored in %llu", (unsigned long long)bytes,
                        (unsigned long long)stored);
  if (c->row % set->side[0] != 0 || c->row >= set->shape.size[0] ||
      (set->shape.rank > 1 && (c->column % set->side[1] != 0 || c->column >= set->shape.size[1])))
    return fly_h5_fault(f, "a chunk is outside its table");
  return true;
}

static bool read_node(fly_h5 *f, fly_h5_set *set, uint64_t at, int above) {
  unsigned char bytes[24];
  fly_h5_chunk entry;
  if (!fly_h5_load(f, at, bytes, sizeof bytes))
    return false;
  const int level = bytes[5], count = bytes[6] | bytes[7] << 8;
  if (memcmp(bytes, "TREE\1", 5) != 0 || level >= above)
    return fly_h5_fault(f, "a tree of chunks is damaged");
  for (int k = 0; k < count; k++) {
    if (--f->budget < 0)
      return fly_h5_fault(f, "a tree of chunks has no end");
    if (!read_entry(f, set, at + 24 + (uint64_t)k * (24 + 8 * (uint64_t)set->shape.rank), &entry))
      return false;
    if (!(level > 0 ? read_node(f, set, entry.address, level)
                    : check_chunk(f, set, &entry) && add_chunk(f, set, &entry)))
      return false;
  }
  return true;
}

int fly_h5_set_last_nodes(fly_h5 *f, uint64_t header, uint64_t *node, int most) {
  fly_h5_set set = {.loaded = -1};
  int n = 0;
  if (!fly_h5_messages(f, header, take_message, &set))
    return -1;
  for (uint64_t at = set.address; at != FLY_H5_NOWHERE && n < most;) {
    unsigned char bytes[24];
    fly_h5_chunk last;
    if (!fly_h5_load(f, at, bytes, sizeof bytes))
      return -1;
    node[n++] = at;
    const int level = bytes[5], count = bytes[6] | bytes[7] << 8;
    if (level == 0 || count == 0)
      break;
    if (!read_entry(f, &set, at + 24 + (uint64_t)(count - 1) * (24 + 8 * (uint64_t)set.shape.rank), &last))
      return -1;
    at = last.address;
  }
  return n;
}

static int compare_chunks(const void *a, const void *b) {
  const fly_h5_chunk *x = a, *y = b;
  if (x->row != y->row)
    return x->row < y->row ? -1 : 1;
  return x->column < y->column ? -1 : x->column > y->column;
}

// All chunks of the table are there, each once, and together no larger than the file.
static bool check_chunks(fly_h5 *f, fly_h5_set *set) {
  const uint64_t rows = (set->shape.size[0] + set->side[0] - 1) / set->side[0];
  const uint64_t columns = set->shape.rank > 1 ? (set->shape.size[1] + set->side[1] - 1) / set->side[1] : 1;
  uint64_t stored = 0;
  if (set->nchunk > 1)
    qsort(set->chunk, (size_t)set->nchunk, sizeof *set->chunk, compare_chunks);
  for (long k = 0; k < set->nchunk; k++) {
    stored += set->chunk[k].stored;
    if (k > 0 && compare_chunks(&set->chunk[k - 1], &set->chunk[k]) == 0)
      return fly_h5_fault(f, "a chunk is there twice");
  }
  if ((uint64_t)set->nchunk != rows * columns)
    return fly_h5_fault(f, "%llu rows are announced that it does not hold", (unsigned long long)set->shape.size[0]);
  if (stored > f->size)
    return fly_h5_fault(f, "its chunks are larger than itself");
  return true;
}

static bool read_chunks(fly_h5 *f, fly_h5_set *set) {
  enum { LEVELS = 12, PIECES = 1 << 22 };
  const uint64_t second = set->shape.rank > 1 ? set->side[1] : 1;
  if (set->shape.rank < 1 || set->chunk_rank != set->shape.rank || set->side[0] == 0 || second == 0 ||
      set->shape.bytes > MOST_CHUNK_BYTES || set->side[0] > MOST_CHUNK_BYTES / set->shape.bytes ||
      second > MOST_CHUNK_BYTES || set->side[0] * second > MOST_CHUNK_BYTES / set->shape.bytes)
    return fly_h5_fault(f, "the size of its chunks is impossible");
  set->chunk_bytes = (size_t)(set->side[0] * second * set->shape.bytes);
  f->budget = PIECES;
  if (set->address != FLY_H5_NOWHERE && !read_node(f, set, set->address, LEVELS))
    return false;
  return check_chunks(f, set);
}

// ------------------------------------------------------------------------------------------------ life

uint64_t fly_h5_set_count(const fly_h5_set *set) {
  uint64_t count = 1;
  for (int k = 0; k < set->shape.rank; k++)
    count *= set->shape.size[k];
  return count;
}

static bool check_contiguous(fly_h5 *f, const fly_h5_set *set) {
  const uint64_t count = fly_h5_set_count(set);
  if (count == 0)
    return true;
  if (set->nfilter > 0 || set->stored / set->shape.bytes < count)
    return fly_h5_fault(f, "a list is shorter than announced");
  if (set->address > f->size || set->stored > f->size - set->address)
    return fly_h5_fault(f, "a list is beyond its end");
  return true;
}

bool fly_h5_set_open(fly_h5 *f, uint64_t header, fly_h5_set *set) {
  *set = (fly_h5_set){.loaded = -1};
  if (!fly_h5_messages(f, header, take_message, set))
    return false;
  if (!set->has_type || !set->has_space || !set->has_layout)
    return fly_h5_fault(f, "a table has no type, no size or no layout");
  return set->chunked ? read_chunks(f, set) : check_contiguous(f, set);
}

void fly_h5_set_free(fly_h5_set *set) {
  free(set->chunk);
  free(set->packed);
  free(set->buffer);
  free(set->other);
  *set = (fly_h5_set){.loaded = -1};
}

// ------------------------------------------------------------------------------------------------ bytes

static bool make_buffers(fly_h5 *f, fly_h5_set *set) {
  uint32_t most = 1;
  for (long k = 0; k < set->nchunk; k++)
    most = set->chunk[k].stored > most ? set->chunk[k].stored : most;
  set->packed = malloc(most);
  set->buffer = malloc(set->chunk_bytes);
  set->other = malloc(set->chunk_bytes);
  return set->packed != NULL && set->buffer != NULL && set->other != NULL ? true : fly_h5_out_of_memory(f);
}

// Byte j of all elements lies together.
static void unshuffle(unsigned char *out, const unsigned char *in, size_t size, size_t element) {
  const size_t count = size / element;
  for (size_t j = 0; j < element; j++)
    for (size_t i = 0; i < count; i++)
      out[i * element + j] = in[j * count + i];
}

static void swap_buffers(fly_h5_set *set) {
  unsigned char *other = set->other;
  set->other = set->buffer;
  set->buffer = other;
}

static bool inflate_chunk(fly_h5 *f, fly_h5_set *set, size_t stored) {
  uLongf size = (uLongf)set->chunk_bytes;
  const int status = uncompress(set->buffer, &size, set->packed, (uLong)stored);
  if (status == Z_MEM_ERROR)
    return fly_h5_out_of_memory(f);
  return status == Z_OK && size == set->chunk_bytes ? true : fly_h5_fault(f, "a chunk cannot be unpacked");
}

// Undoes the filters, the last first. Deflate, if it was used, must have been the last: only it changes the size.
static bool unpack(fly_h5 *f, fly_h5_set *set, const fly_h5_chunk *c) {
  const int last = set->nfilter - 1;
  const bool packed = last >= 0 && set->filter[last] == DEFLATE && (c->skipped >> last & 1) == 0;
  if (packed ? !inflate_chunk(f, set, c->stored) : c->stored != set->chunk_bytes)
    return fly_h5_fault(f, "a chunk has the wrong size");
  if (!packed)
    memcpy(set->buffer, set->packed, set->chunk_bytes);
  for (int k = last; k >= 0; k--) {
    if (k < last && set->filter[k] == DEFLATE)
      return fly_h5_fault(f, "its filters have an order that is not known here");
    if (set->filter[k] == SHUFFLE && (c->skipped >> k & 1) == 0) {
      unshuffle(set->other, set->buffer, set->chunk_bytes, set->shape.bytes);
      swap_buffers(set);
    }
  }
  return true;
}

const unsigned char *fly_h5_set_chunk(fly_h5 *f, fly_h5_set *set, long chunk) {
  if (set->loaded == chunk)
    return set->buffer;
  set->loaded = -1;
  if (set->buffer == NULL && !make_buffers(f, set))
    return NULL;
  const fly_h5_chunk *c = &set->chunk[chunk];
  if (!fly_h5_load(f, c->address, set->packed, c->stored) || !unpack(f, set, c))
    return NULL;
  set->loaded = chunk;
  return set->buffer;
}

bool fly_h5_set_bytes(fly_h5 *f, fly_h5_set *set, unsigned char *out) {
  const uint64_t size = fly_h5_set_count(set) * set->shape.bytes;
  if (!set->chunked)
    return size == 0 || fly_h5_load(f, set->address, out, (size_t)size);
  for (long k = 0; k < set->nchunk; k++) {
    const uint64_t at = set->chunk[k].row * set->shape.bytes, left = size - at;
    const unsigned char *bytes = fly_h5_set_chunk(f, set, k);
    if (bytes == NULL)
      return false;
    memcpy(out + at, bytes, (size_t)(left < set->chunk_bytes ? left : set->chunk_bytes));
  }
  return true;
}

double fly_h5_double(const unsigned char *at) {
  fly_h5_bytes b = {at, 8, false};
  const uint64_t bits = fly_h5_number(&b, 8);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
