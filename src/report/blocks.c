#include "report/blocks.h"

#include <stdint.h>
#include <string.h>

static void put_group(const fly_block *b) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned bits = (unsigned)b->held[0] << 16 | (unsigned)b->held[1] << 8 | b->held[2];
  char text[4];
  for (int k = 0; k < 4; k++)
    text[k] = k <= b->count ? letters[bits >> (18 - 6 * k) & 63] : '=';
  fwrite(text, 1, 4, b->file);
}

static void put_byte(fly_block *b, unsigned char byte) {
  b->held[b->count++] = byte;
  if (b->count < 3)
    return;
  put_group(b);
  memset(b->held, 0, sizeof b->held);
  b->count = 0;
}

void fly_block_begin(fly_block *b, FILE *file) {
  *b = (fly_block){.file = file};
  fputs("<script type=\"text/plain\" class=\"flyball-block\" data-codec=\"raw\">", file);
}

// The least first.
static void put_bytes(fly_block *b, uint64_t bits, int n) {
  for (int k = 0; k < n; k++)
    put_byte(b, (unsigned char)(bits >> 8 * k));
}

void fly_block_doubles(fly_block *b, const double *x, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    put_bytes(b, bits, 8);
  }
}

void fly_block_floats(fly_block *b, const float *x, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint32_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    put_bytes(b, bits, 4);
  }
}

void fly_block_end(fly_block *b) {
  if (b->count > 0)
    put_group(b);
  fputs("</script>\n", b->file);
}
