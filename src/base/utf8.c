#include "base/utf8.h"

#include <stdbool.h>

size_t fly_utf8_length(const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  size_t length = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 0;
  for (size_t i = 1; i < length; i++)
    if ((s[i] & 0xC0) != 0x80) // the final 0 stops here too
      return 0;
  bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
  bool outside = (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF4 && s[1] > 0x8F);
  return overlong || outside ? 0 : length;
}
