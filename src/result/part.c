#include "result/part.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "flyball/words.h"
#include "result/formats.h"

static fly_status is_taken(const fly_part *p, fly_error *error) {
  return fly_fail(
      error, FLY_BAD_INPUT, NAN,
      "%s: another run is writing this result and has it locked; nothing of it was touched. Wait for it, or "
      "give this one another name (--out).",
      p->path);
}

static fly_status cannot_open(const char *path, int reason, fly_error *error) {
  char why[400];
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: cannot be written: %s.", path,
                  fly_why_not_written(why, sizeof why, path, reason));
}

fly_status fly_part_open(fly_part *p, const char *base, const char *ending, fly_error *error) {
  char *stem = fly_result_path(base, ".part");
  *p = (fly_part){
      .path = stem != NULL ? fly_result_path(stem, ending) : NULL, .final = fly_result_path(base, ending), .lock = -1};
  free(stem);
  if (p->path == NULL || p->final == NULL)
    return fly_result_no_memory(error);
  int reason = fly_file_replaceable(p->final);
  if (reason != 0)
    return cannot_open(p->final, reason, error);
  p->lock = fly_file_lock(p->path, &reason);
  if (p->lock >= 0)
    return FLY_OK;
  return reason == EWOULDBLOCK ? is_taken(p, error) : cannot_open(reason == ELOOP ? p->path : p->final, reason, error);
}

fly_status fly_part_commit(fly_part *p, const char *from, fly_error *error) {
  const char *source = from != NULL ? from : p->path;
  int reason = fly_file_sync(source);
  if (reason == 0)
    reason = fly_file_rename(source, p->final);
  if (reason != 0)
    return fly_result_cannot_write(p->final, reason, error);
  if (from != NULL)
    remove(p->path);
  return FLY_OK;
}

fly_status fly_part_abandon(fly_part *p, fly_error *error) {
  return fly_file_exists(p->final) ? FLY_OK : fly_part_commit(p, NULL, error);
}

void fly_part_discard(fly_part *p) {
  if (p->lock >= 0)
    remove(p->path);
}

void fly_part_free(fly_part *p) {
  if (p->path != NULL)
    fly_file_unlock(p->lock);
  free(p->path);
  free(p->final);
  *p = (fly_part){.lock = -1};
}
