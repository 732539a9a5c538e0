// Feeds bytes to the reader of results, as a file. What it accepts is read to the end; what it refuses must be refused
// with a message that names the file. Run by tools/fuzz.sh.
#define _GNU_SOURCE // memfd_create
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "result/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool ok, const char *what, const char *detail) {
  if (ok)
    return;
  fprintf(stderr, "%s: %s\n", what, detail);
  abort();
}

static void read_attachments(fly_result *r) {
  const fly_result_info *info = fly_result_info_of(r);
  for (int k = 0; k < info->nattachment; k++) {
    char *bytes;
    size_t size;
    fly_error error = {.message = ""};
    const fly_status status = fly_result_attachment(r, info->attachment[k], &bytes, &size, &error);
    demand((status == FLY_OK) == (bytes != NULL), "attachment", info->attachment[k]);
    demand(status == FLY_OK || error.message[0] != 0, "attachment without a message", info->attachment[k]);
    free(bytes);
  }
}

static void look(const char *path) {
  fly_error error = {.message = ""};
  fly_result *r;
  uint64_t hash;
  if (fly_result_open(&r, path, &error) != FLY_OK) {
    demand(r == NULL && strncmp(error.message, path, strlen(path)) == 0, "message", error.message);
    return;
  }
  const fly_result_info *info = fly_result_info_of(r);
  demand(info->count >= 1 && info->rows >= 0 && fly_result_find(r, "time") == 0, "info", path);
  read_attachments(r);
  demand(fly_result_rehash(r, &hash, &error) == FLY_OK || error.message[0] != 0, "rows without a message", path);
  fly_result_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[40];
  const int file = memfd_create("result", 0);
  if (file < 0)
    return 0;
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  if (write(file, data, size) == (ssize_t)size)
    look(path);
  close(file);
  return 0;
}
