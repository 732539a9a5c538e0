#define _GNU_SOURCE // fopencookie
#include "guard.h"

#include <stdbool.h>
#include <unistd.h>

typedef struct guard {
  int descriptor;
  bool after_c2; // the last byte was 0xC2: with 0x80 to 0x9F it would be a control character in UTF-8
} guard;

static guard guards[2] = {{STDOUT_FILENO, false}, {STDERR_FILENO, false}};
static FILE *plain_error;

static char harmless(guard *g, char byte) {
  const unsigned char c = (unsigned char)byte;
  const bool is_control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
  const bool ends_control = g->after_c2 && c >= 0x80 && c < 0xA0;
  g->after_c2 = c == 0xC2;
  return is_control ? '?' : ends_control ? '\xBF' : byte; // an inverted question mark
}

static bool write_fully(int descriptor, const char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t n = write(descriptor, bytes, size);
    if (n <= 0)
      return false;
    bytes += n;
    size -= (size_t)n;
  }
  return true;
}

static ssize_t write_guarded(void *cookie, const char *bytes, size_t size) {
  guard *g = cookie;
  char copy[4096];
  for (size_t done = 0; done < size;) {
    size_t n = size - done < sizeof copy ? size - done : sizeof copy;
    for (size_t k = 0; k < n; k++)
      copy[k] = harmless(g, bytes[done + k]);
    if (!write_fully(g->descriptor, copy, n))
      return 0;
    done += n;
  }
  return (ssize_t)size;
}

static FILE *guarded(guard *g, int buffering) {
  FILE *file = fopencookie(g, "w", (cookie_io_functions_t){.write = write_guarded});
  if (file != NULL)
    setvbuf(file, NULL, buffering, BUFSIZ);
  return file;
}

void cli_guard_output(void) {
  FILE *out = guarded(&guards[0], isatty(STDOUT_FILENO) == 1 ? _IOLBF : _IOFBF), *error = guarded(&guards[1], _IONBF);
  plain_error = stderr;
  stdout = out != NULL ? out : stdout;
  stderr = error != NULL ? error : stderr;
}

FILE *cli_unguarded(void) { return plain_error != NULL ? plain_error : stderr; }
