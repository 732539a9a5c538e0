#include "result/waiting.h"

#include <stdlib.h>
#include <string.h>

static char *copy_text(fly_arena *memory, const char *text) {
  char *copy = fly_arena_take(memory, strlen(text) + 1, 1);
  return copy ? strcpy(copy, text) : NULL;
}

// The texts of a channel one after the other: as many allocations as there are channels.
static fly_channel copy_channel(fly_arena *memory, const fly_channel *c) {
  const size_t name = strlen(c->name) + 1, unit = strlen(c->unit) + 1, description = strlen(c->description) + 1;
  char *texts = fly_arena_take(memory, name + unit + description, 1);
  if (!texts)
    return (fly_channel){0};
  memcpy(texts, c->name, name);
  memcpy(texts + name, c->unit, unit);
  memcpy(texts + name + unit, c->description, description);
  return (fly_channel){.name = texts, .unit = texts + name, .description = texts + name + unit};
}

bool fly_waiting_channels(fly_waiting *w, const fly_channel *channel, int count) {
  w->channel = fly_arena_take(&w->memory, (size_t)count, sizeof *w->channel);
  w->count = count;
  for (int k = 0; k < count && !w->memory.failed; k++)
    w->channel[k] = copy_channel(&w->memory, &channel[k]);
  return !w->memory.failed;
}

bool fly_waiting_attach(fly_waiting *w, const char *name, const void *bytes, size_t size) {
  if (!fly_reserve(&w->attachment, &w->capacity, w->nattachment + 1, sizeof *w->attachment))
    return false;
  struct fly_waiting_bytes *a = &w->attachment[w->nattachment];
  *a = (struct fly_waiting_bytes){copy_text(&w->memory, name), fly_arena_take(&w->memory, size, 1), size};
  if (w->memory.failed)
    return false;
  if (size > 0)
    memcpy(a->bytes, bytes, size);
  w->nattachment++;
  w->size += size;
  return true;
}

static bool comes_again(const fly_waiting *w, int k) {
  for (int later = k + 1; later < w->nattachment; later++)
    if (strcmp(w->attachment[later].name, w->attachment[k].name) == 0)
      return true;
  return false;
}

fly_status fly_waiting_create(const fly_waiting *w, fly_hdf5_writer **out, const char *path, fly_error *error) {
  fly_status status = fly_hdf5_create(out, path, w->channel, w->count, FLY_GROWING, error);
  for (int k = 0; status == FLY_OK && k < w->nattachment; k++)
    if (!comes_again(w, k))
      status = fly_hdf5_attach(*out, w->attachment[k].name, w->attachment[k].bytes, w->attachment[k].size, error);
  return status;
}

void fly_waiting_free(fly_waiting *w) {
  fly_arena_free(&w->memory);
  free(w->attachment);
  *w = (fly_waiting){0};
}
