// The state of an object put down as bytes, and taken up again by it or by another of the same make.
//
// Nothing is listed number by number, so that nothing can be forgotten: memory is copied whole, an arena block by
// block, a struct from one of its fields to its end. Fields before that one belong to the object itself (its problem,
// its tables, its matrices), the others travel; those that point into the object's own memory are put down as places in
// it. One function of an object does both ways. The bytes mean something to the same build only: who keeps them says
// with which it was (fly_seal).
#ifndef FLY_BASE_IMAGE_H
#define FLY_BASE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "flyball/status.h"

typedef enum fly_image_failure {
  FLY_IMAGE_FINE,
  FLY_IMAGE_NO_MEMORY,
  FLY_IMAGE_STRANGE // what is read was put down by something of another make
} fly_image_failure;

typedef struct fly_image {
  bool reading;
  unsigned char *bytes; // written: its own (capacity); read: the caller's (size)
  size_t size, capacity;
  size_t at; // reading: how far
  fly_image_failure failure;
} fly_image;

fly_image fly_image_write(void);
fly_image fly_image_read(const void *bytes, size_t size);
void fly_image_free(fly_image *m); // of one that was written

void fly_image_bytes(fly_image *m, void *data, size_t size); // without pointers
// Reading: whether what was put down here is this number; else it is strange.
bool fly_image_same(fly_image *m, uint64_t number);
// All blocks.
void fly_image_arena(fly_image *m, const fly_arena *arena);
// The fields of an object from `first` to its end; pointers among them that lead into one of the arenas (NULL ends
// their list) are put down as places.
void fly_image_fields(fly_image *m, void *object, size_t first, size_t size, const fly_arena *const *home);
#define FLY_IMAGE_FROM(m, object, field, ...)                                                                          \
  fly_image_fields(m, object, (size_t)((char *)&(object)->field - (char *)(object)), sizeof *(object),                 \
                   (const fly_arena *const[]){__VA_ARGS__, NULL})

// Around what was written: what it is, for whom (a fingerprint), by which build, how long, and a checksum.
typedef struct fly_seal {
  char kind[8]; // "solver", "run"
  uint64_t fingerprint;
} fly_seal;
// The bytes, sealed, in memory that becomes the caller's; m is freed.
fly_status fly_image_close(fly_image *m, const fly_seal *seal, void **bytes, size_t *size, fly_error *error);
// An image to read, of what the seal encloses; or a message that says why these are not such bytes.
fly_status fly_image_open(fly_image *m, const fly_seal *seal, const void *bytes, size_t size, fly_error *error);
// After reading: FLY_OK, or what went wrong.
fly_status fly_image_end(const fly_image *m, const char *kind, fly_error *error);

// A hash of bytes, for fingerprints: start with 0.
uint64_t fly_fingerprint(uint64_t hash, const void *data, size_t size);

#endif
