#include "result/hdf5_undo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/disk.h"

enum { LETTERS = 16, HEAD = 32, PIECE = 16, LEVELS = 4, NODE_BYTES = 24 + 64 * 40 + 32 };

static const char letters[LETTERS + 1] = "flyball-undo \r\n\032";

uint64_t fly_undo_sum(const unsigned char *bytes, size_t size) { return crc32(0, bytes, (unsigned)size); }

// ------------------------------------------------------------------------------------------------ writing

typedef struct record {
  unsigned char bytes[FLY_UNDO_BYTES];
  size_t size; // with the head
} record;

static void put_number(unsigned char *at, uint64_t number) {
  for (int k = 0; k < 8; k++)
    at[k] = (unsigned char)(number >> 8 * k);
}

// A piece of the file, as far as there is any.
static bool add_piece(fly_h5 *f, record *r, uint64_t at, size_t size) {
  unsigned char *piece = r->bytes + r->size;
  if (at > f->size || r->size + PIECE + size > sizeof r->bytes)
    return fly_h5_fault(f, "the metadata is larger than foreseen");
  size = f->size - at < size ? (size_t)(f->size - at) : size;
  if (!fly_h5_load(f, at, piece + PIECE, size))
    return false;
  put_number(piece, at);
  put_number(piece + 8, size);
  r->size += PIECE + size;
  return true;
}

static bool collect(fly_h5 *f, record *r) {
  uint64_t node[LEVELS], header;
  if (!fly_h5_find(f, f->root, "data", &header))
    return fly_h5_fault(f, "there is no table");
  const int count = fly_h5_set_last_nodes(f, header, node, LEVELS);
  bool ok = count >= 0 && add_piece(f, r, 0, FLY_UNDO_METADATA);
  for (int k = 0; ok && k < count; k++)
    ok = node[k] + NODE_BYTES <= FLY_UNDO_METADATA || add_piece(f, r, node[k], NODE_BYTES);
  return ok;
}

int fly_undo_arm(const char *path, int descriptor, uint64_t place) {
  record *r = malloc(sizeof *r);
  fly_h5 f;
  if (r == NULL)
    return ENOMEM;
  r->size = HEAD;
  const bool ok = fly_h5_open(&f, path) && collect(&f, r);
  int reason = ok ? 0 : f.no_memory ? ENOMEM : EIO;
  fly_h5_close(&f);
  if (ok) {
    memcpy(r->bytes, letters, LETTERS);
    put_number(r->bytes + 16, r->size - HEAD);
    put_number(r->bytes + 24, fly_undo_sum(r->bytes + HEAD, r->size - HEAD));
    reason = fly_disk_write(descriptor, r->bytes, r->size, place);
  }
  free(r);
  return reason;
}

int fly_undo_disarm(int descriptor, uint64_t place) {
  static const unsigned char nothing[LETTERS];
  return fly_disk_write(descriptor, nothing, sizeof nothing, place);
}

// ------------------------------------------------------------------------------------------------ reading

static bool next_piece(fly_h5_bytes *b, uint64_t *at, fly_h5_bytes *piece) {
  *at = fly_h5_number(b, 8);
  const uint64_t size = fly_h5_number(b, 8);
  *piece = fly_h5_part(b, size <= SIZE_MAX ? (size_t)size : SIZE_MAX);
  return !b->bad;
}

// The record at `at`, if there is one that is whole.
static bool load_record(fly_h5 *f, uint64_t at) {
  unsigned char head[HEAD];
  if (f->size < HEAD || at > f->size - HEAD)
    return true;
  if (!fly_h5_load(f, at, head, HEAD))
    return false;
  fly_h5_bytes b = {head + LETTERS, HEAD - LETTERS, false};
  const uint64_t size = fly_h5_number(&b, 8), sum = fly_h5_number(&b, 8);
  if (memcmp(head, letters, LETTERS) != 0 || size > FLY_UNDO_BYTES - HEAD || size > f->size - HEAD - at)
    return true;
  unsigned char *bytes = malloc((size_t)size + 1);
  if (bytes == NULL)
    return fly_h5_out_of_memory(f);
  const bool ok = fly_h5_load(f, at + HEAD, bytes, (size_t)size);
  if (ok && fly_undo_sum(bytes, (size_t)size) == sum) {
    f->undo = bytes;
    f->undo_size = (size_t)size;
  } else
    free(bytes);
  return ok;
}

bool fly_undo_find(fly_h5 *f) {
  for (uint64_t at = FLY_UNDO_PAGE; at < FLY_UNDO_REACH && f->undo == NULL; at += FLY_UNDO_PAGE)
    if (!load_record(f, at))
      return false;
  return true;
}

void fly_undo_apply(const fly_h5 *f, uint64_t at, unsigned char *out, size_t size) {
  fly_h5_bytes b = {f->undo, f->undo_size, false}, piece;
  uint64_t from;
  while (b.left > 0 && next_piece(&b, &from, &piece)) {
    if (from > f->size || piece.left > f->size - from)
      continue;
    const uint64_t first = from > at ? from : at, end = from + piece.left < at + size ? from + piece.left : at + size;
    if (first < end)
      memcpy(out + (first - at), piece.at + (first - from), (size_t)(end - first));
  }
}
