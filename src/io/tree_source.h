// The text of one file: read, checked character by character before any parser sees it, and shown in messages.
#ifndef FLY_IO_TREE_SOURCE_H
#define FLY_IO_TREE_SOURCE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "flyball/status.h"

// UTF-8 without control characters, ended by a 0 that does not count. A carriage return counts as nothing, neither as a
// character nor as the end of a line: it belongs to CRLF, or was put in to break a long line of JSON.
struct fly_source {
  char *path; // as in messages
  char *text; // (length + 1)
  size_t length;
  bool quiet; // its lines are not shown: a model may include any file, and nothing says yet that this one is a model
};
typedef struct fly_source fly_source;

// A place in a text, walked to from the one before.
typedef struct fly_cursor {
  size_t offset;    // [bytes]
  int line, column; // from 1; columns count characters
} fly_cursor;

// Both fail with a message about the path; free it in any case.
fly_status fly_source_read(fly_source *source, const char *path, fly_error *error);
fly_status fly_source_copy(fly_source *source, const char *name, const char *text, size_t length, fly_error *error);
void fly_source_free(fly_source *source);

// Takes away a byte order mark, refuses what is not text, and breaks the long lines of JSON.
fly_status fly_source_check_text(fly_source *source, fly_error *error); // the first two, of files that are no models
fly_status fly_source_check(fly_source *source, fly_error *error);

// Moves the cursor to an offset, back as well as on.
void fly_cursor_move(fly_cursor *cursor, const fly_source *source, size_t offset);
// The offset of a line and column that count a lone carriage return as the end of a line, as the parser does.
size_t fly_source_offset(const fly_source *source, int line, int column);

// "path:line:column: message", and the line with a caret below if there is room.
fly_status fly_source_fail(const fly_source *source, int line, int column, fly_error *error, const char *format,
                           va_list arguments);
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
fly_status
fly_source_fail_at(const fly_source *source, size_t offset, fly_error *error, const char *format, ...);

#endif
