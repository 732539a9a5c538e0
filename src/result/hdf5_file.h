// Reading HDF5 without the HDF5 library: the few structures that a result has, each checked before it is believed. A
// result may come from anybody, and the library was not made to be shown such files: it follows links and storage into
// other files, loads filters, and has crashed on damaged headers. What is read here is what version 1 of the format's
// specification calls superblock 0 and 1, object headers 1, groups by symbol table, contiguous and chunked storage 3,
// and the filters deflate and shuffle: what the library writes for us, and h5repack and h5py unless told otherwise.
// (The HDF Group: HDF5 File Format Specification Version 3.0, sections II.A, III.A-E, IV.A.) Everything else is refused
// with a sentence. For this room only.
#ifndef FLY_RESULT_HDF5_FILE_H
#define FLY_RESULT_HDF5_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct fly_h5 {
  FILE *file;
  uint64_t size;       // of the file [bytes]
  uint64_t root;       // address of the header of the root group
  long budget;         // pieces of trees that may still be visited: trees that bite their tail end
  unsigned char *undo; // what was overwritten by a flush that was not completed (undo_size); NULL: nothing
  size_t undo_size;
  bool no_memory;  // this was the fault
  char fault[160]; // what was found wrong first; "": nothing yet
} fly_h5;

bool fly_h5_open(fly_h5 *f, const char *path); // false: see fault
void fly_h5_close(fly_h5 *f);
bool fly_h5_fault(fly_h5 *f, const char *format, ...); // keeps the first; false
bool fly_h5_out_of_memory(fly_h5 *f);                  // false
bool fly_h5_load(fly_h5 *f, uint64_t at, void *out, size_t size);

// Bytes that are taken from the front. What is not there is 0, and they are bad from then on.
typedef struct fly_h5_bytes {
  const unsigned char *at;
  size_t left;
  bool bad;
} fly_h5_bytes;

uint64_t fly_h5_number(fly_h5_bytes *b, int size); // little end first
fly_h5_bytes fly_h5_part(fly_h5_bytes *b, size_t size);

// An address that stands for nothing.
#define FLY_H5_NOWHERE UINT64_MAX

enum fly_h5_message {
  FLY_H5_SPACE = 1,
  FLY_H5_TYPE = 3,
  FLY_H5_EXTERNAL = 7,
  FLY_H5_LAYOUT = 8,
  FLY_H5_FILTERS = 11,
  FLY_H5_ATTRIBUTE = 12,
  FLY_H5_CONTINUED = 16,
  FLY_H5_TABLE = 17
};

// Called for each message of an object's header; false ends it.
typedef bool fly_h5_message_fn(fly_h5 *f, int type, bool shared, fly_h5_bytes body, void *user);
bool fly_h5_messages(fly_h5 *f, uint64_t header, fly_h5_message_fn *fn, void *user);

// A type and a shape, as datasets and attributes have them.
typedef enum fly_h5_kind { FLY_H5_OTHER, FLY_H5_INTEGER, FLY_H5_DOUBLE, FLY_H5_TEXT } fly_h5_kind;
typedef struct fly_h5_shape {
  fly_h5_kind kind;
  uint32_t bytes; // of one element
  int rank;       // 0, 1, 2
  uint64_t size[2];
} fly_h5_shape;

bool fly_h5_read_type(fly_h5 *f, fly_h5_bytes body, fly_h5_shape *shape);
bool fly_h5_read_space(fly_h5 *f, fly_h5_bytes body, fly_h5_shape *shape);

// The value of an attribute that is one integer of 4 bytes. False without a fault: there is none of this name.
bool fly_h5_integer(fly_h5 *f, uint64_t header, const char *name, int *value);

// Called for each link of a group, in order of the names; header FLY_H5_NOWHERE: a link to a name, not to an object.
typedef bool fly_h5_link_fn(fly_h5 *f, const char *name, uint64_t header, void *user);
bool fly_h5_links(fly_h5 *f, uint64_t group, fly_h5_link_fn *fn, void *user);

// The header of a member of a group. False without a fault: there is none, and header is FLY_H5_NOWHERE.
bool fly_h5_find(fly_h5 *f, uint64_t group, const char *name, uint64_t *header);

// ------------------------------------------------------------------------------------------------ datasets

typedef struct fly_h5_chunk {
  uint64_t row, column; // where it begins
  uint64_t address;
  uint32_t stored;  // bytes in the file
  uint32_t skipped; // bit k: without filter k
} fly_h5_chunk;

typedef struct fly_h5_set {
  fly_h5_shape shape;
  bool has_type, has_space, has_layout;
  bool chunked;
  uint64_t address, stored; // contiguous: of the bytes; chunked: address of the tree
  int chunk_rank;
  uint32_t side[2];       // of a chunk, in elements (chunk_rank)
  int nfilter, filter[2]; // in the order of writing
  size_t chunk_bytes;     // of a chunk in memory
  long nchunk;
  fly_h5_chunk *chunk;                    // row by row (nchunk)
  unsigned char *packed, *buffer, *other; // a chunk as it is stored, and in memory
  long loaded;                            // the chunk in the buffer, -1: none
} fly_h5_set;

// Checks everything but the bytes of chunks; that nothing announced is missing. Free it whatever happens.
bool fly_h5_set_open(fly_h5 *f, uint64_t header, fly_h5_set *set);
void fly_h5_set_free(fly_h5_set *set);
// The nodes of the tree of chunks that change when chunks are appended: the last of each level, the root first. How
// many; -1: a fault.
int fly_h5_set_last_nodes(fly_h5 *f, uint64_t header, uint64_t *node, int most);
uint64_t fly_h5_set_count(const fly_h5_set *set);                              // elements
bool fly_h5_set_bytes(fly_h5 *f, fly_h5_set *set, unsigned char *out);         // all of a list (count * bytes)
const unsigned char *fly_h5_set_chunk(fly_h5 *f, fly_h5_set *set, long chunk); // NULL: a fault
double fly_h5_double(const unsigned char *at);

#endif
