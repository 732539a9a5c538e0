#include "base/image.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// ------------------------------------------------------------------------------------------ bytes

fly_image fly_image_write(void) { return (fly_image){0}; }

fly_image fly_image_read(const void *bytes, size_t size) {
  return (fly_image){.reading = true, .bytes = (unsigned char *)bytes, .size = size}; // only read
}

void fly_image_free(fly_image *m) {
  if (!m->reading)
    free(m->bytes);
  *m = (fly_image){0};
}

static bool reserve(fly_image *m, size_t more) {
  if (more <= m->capacity - m->size)
    return true;
  const size_t capacity = 2 * m->capacity + more + 4096;
  unsigned char *bytes = realloc(m->bytes, capacity);
  if (!bytes) {
    m->failure = FLY_IMAGE_NO_MEMORY;
    return false;
  }
  m->bytes = bytes;
  m->capacity = capacity;
  return true;
}

void fly_image_bytes(fly_image *m, void *data, size_t size) {
  if (m->failure || size == 0)
    return;
  if (!m->reading) {
    if (reserve(m, size))
      memcpy(m->bytes + m->size, data, size);
    m->size += m->failure ? 0 : size;
    return;
  }
  if (size > m->size - m->at) {
    m->failure = FLY_IMAGE_STRANGE;
    return;
  }
  memcpy(data, m->bytes + m->at, size);
  m->at += size;
}

bool fly_image_same(fly_image *m, uint64_t number) {
  uint64_t there = number;
  fly_image_bytes(m, &there, sizeof there);
  if (!m->failure && there != number)
    m->failure = FLY_IMAGE_STRANGE;
  return !m->failure;
}

void fly_image_arena(fly_image *m, const fly_arena *arena) {
  fly_image_same(m, (uint64_t)arena->count);
  for (int k = 0; k < arena->count && fly_image_same(m, arena->block[k].size); k++)
    fly_image_bytes(m, arena->block[k].start, arena->block[k].size);
}

// ------------------------------------------------------------------------------------------ fields

// Blocks of all arenas are numbered through.
typedef struct place {
  uint64_t block, offset;
} place;

// A pointer may lead to the end of a block, as that of an empty array behind another does: but where another block
// begins there, it is that one's.
static bool find_place(const fly_arena *const *home, const char *to, place *out) {
  uint64_t number = 0;
  bool at_end = false;
  for (; to && *home; home++)
    for (int k = 0; k < (*home)->count; k++, number++) {
      const fly_arena_block *b = &(*home)->block[k];
      const uintptr_t offset = (uintptr_t)to - (uintptr_t)b->start; // large where it lies before
      if (offset > b->size)
        continue;
      *out = (place){number, offset};
      if (offset < b->size || offset == 0)
        return true;
      at_end = true;
    }
  return at_end;
}

static char *find_pointer(const fly_arena *const *home, const place *p) {
  uint64_t number = p->block;
  for (; *home; home++) {
    if (number < (uint64_t)(*home)->count)
      return p->offset <= (*home)->block[number].size ? (char *)(*home)->block[number].start + p->offset : NULL;
    number -= (uint64_t)(*home)->count;
  }
  return NULL;
}

static void write_word(fly_image *m, char *word, size_t size, const fly_arena *const *home) {
  char *to = NULL;
  place there;
  if (size == sizeof to)
    memcpy(&to, word, sizeof to);
  unsigned char leads = find_place(home, to, &there);
  fly_image_bytes(m, &leads, 1);
  if (leads)
    fly_image_bytes(m, &there, sizeof there);
  else
    fly_image_bytes(m, word, size);
}

// Where a pointer was put down one must stand.
static void read_word(fly_image *m, char *word, size_t size, const fly_arena *const *home) {
  char *to = NULL;
  place there = {0};
  unsigned char leads = 0, here;
  if (size == sizeof to)
    memcpy(&to, word, sizeof to);
  here = find_place(home, to, &there);
  fly_image_bytes(m, &leads, 1);
  if (m->failure)
    return;
  if (!leads && !here) {
    fly_image_bytes(m, word, size);
    return;
  }
  fly_image_bytes(m, &there, sizeof there);
  to = find_pointer(home, &there);
  if (!leads || !here || !to)
    m->failure = FLY_IMAGE_STRANGE;
  if (!m->failure)
    memcpy(word, &to, sizeof to);
}

void fly_image_fields(fly_image *m, void *object, size_t first, size_t size, const fly_arena *const *home) {
  char *bytes = object;
  fly_image_same(m, size);
  for (size_t at = first; at < size && !m->failure; at += sizeof(char *)) {
    const size_t left = size - at < sizeof(char *) ? size - at : sizeof(char *);
    if (m->reading)
      read_word(m, bytes + at, left, home);
    else
      write_word(m, bytes + at, left, home);
  }
}

// ------------------------------------------------------------------------------------------ seals

typedef struct header {
  char magic[8], version[24], kind[8];
  uint64_t build; // of the machine: how it stores numbers and structs
  uint64_t fingerprint, size, checksum;
} header;

static const char MAGIC[8] = "flystate";

uint64_t fly_fingerprint(uint64_t hash, const void *data, size_t size) {
  const unsigned char *byte = data;
  for (size_t k = 0; k < size; k++)
    hash = (hash ^ byte[k]) * 0x100000001B3u + 0x9E3779B97F4A7C15u;
  return hash;
}

// Eight bytes at a time: checkpoints are megabytes.
static uint64_t checksum(const unsigned char *bytes, size_t size) {
  uint64_t hash = 0x666C79u, word;
  size_t k = 0;
  for (; k + sizeof word <= size; k += sizeof word) {
    memcpy(&word, bytes + k, sizeof word);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return fly_fingerprint(hash, bytes + k, size - k);
}

static uint64_t build_of(void) {
  const double one = 1.0;
  const size_t sizes[] = {sizeof(void *), sizeof(long), sizeof(bool), sizeof(fly_status)};
  return fly_fingerprint(fly_fingerprint(0, &one, sizeof one), sizes, sizeof sizes);
}

static header header_of(const fly_seal *seal, const unsigned char *bytes, size_t size) {
  header h;
  memset(&h, 0, sizeof h); // what is behind the end of a text is part of the seal
  memcpy(h.magic, MAGIC, sizeof h.magic);
  memcpy(h.kind, seal->kind, sizeof h.kind);
  snprintf(h.version, sizeof h.version, "%s", fly_version());
  h.build = build_of();
  h.fingerprint = seal->fingerprint;
  h.size = size;
  h.checksum = checksum(bytes, size);
  return h;
}

static fly_status no_memory(const char *kind, fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the state of a %.8s.", kind);
}

fly_status fly_image_close(fly_image *m, const fly_seal *seal, void **bytes, size_t *size, fly_error *error) {
  unsigned char *out = m->failure ? NULL : malloc(sizeof(header) + m->size);
  if (!out) {
    fly_image_free(m);
    return no_memory(seal->kind, error);
  }
  const header h = header_of(seal, m->bytes, m->size);
  memcpy(out, &h, sizeof h);
  memcpy(out + sizeof h, m->bytes, m->size);
  *bytes = out;
  *size = sizeof h + m->size;
  fly_image_free(m);
  return FLY_OK;
}

fly_status fly_image_open(fly_image *m, const fly_seal *seal, const void *bytes, size_t size, fly_error *error) {
  header h;
  if (size >= sizeof h)
    memcpy(&h, bytes, sizeof h);
  if (size < sizeof h || memcmp(h.magic, MAGIC, sizeof h.magic) != 0 || memcmp(h.kind, seal->kind, sizeof h.kind) != 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "These %zu bytes are not the saved state of a %.8s.", size, seal->kind);
  const unsigned char *inside = (const unsigned char *)bytes + sizeof h;
  const header expected = header_of(seal, inside, size - sizeof h);
  h.version[sizeof h.version - 1] = 0;
  if (strcmp(h.version, fly_version()) != 0 || h.build != build_of())
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "This state of a %.8s was saved by version %s%s, and is read by that only; this is %s. Run again "
                    "from the start.",
                    seal->kind, h.version, h.build == build_of() ? "" : " on another kind of machine", fly_version());
  if (h.size != expected.size || h.checksum != expected.checksum ||
      memcmp(h.version, expected.version, sizeof h.version) != 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "This state of a %.8s is damaged: %zu bytes do not have the length or the checksum they were saved "
                    "with.",
                    seal->kind, size);
  if (h.fingerprint != seal->fingerprint)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "This state belongs to another %.8s: one of another model or problem, or with other options. "
                    "Create one like that it was saved from.",
                    seal->kind);
  *m = fly_image_read(inside, size - sizeof h);
  return FLY_OK;
}

fly_status fly_image_end(const fly_image *m, const char *kind, fly_error *error) {
  if (m->failure == FLY_IMAGE_NO_MEMORY)
    return no_memory(kind, error);
  if (m->failure || m->at != m->size)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "This state does not fit the %.8s: it was saved from one that was made otherwise.", kind);
  return FLY_OK;
}
