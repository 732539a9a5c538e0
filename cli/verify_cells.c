#include "verify_cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

// A cell is a line: key, text, kind, beyond, steps, ratio, cases, worst, where, then the ratios; tabs between them.
struct verify_cells {
  FILE *file;
  char *text; // of the lines that were there
};

static char *read_all(FILE *file) {
  fseek(file, 0, SEEK_END);
  const long length = ftell(file);
  char *text = length >= 0 ? calloc((size_t)length + 2, 1) : NULL;
  if (text == NULL)
    return NULL;
  rewind(file);
  text[0] = '\n'; // every line has one before it
  if (fread(text + 1, 1, (size_t)length, file) != (size_t)length)
    text[1] = 0;
  fseek(file, 0, SEEK_END);
  return text;
}

verify_cells *verify_cells_open(const char *file) {
  if (file == NULL)
    return NULL;
  verify_cells *c = calloc(1, sizeof *c);
  if (c != NULL && (c->file = fopen(file, "a+")) != NULL && (c->text = read_all(c->file)) != NULL)
    return c;
  cli_cannot_write(file);
  verify_cells_close(c);
  return NULL;
}

void verify_cells_close(verify_cells *c) {
  if (c == NULL)
    return;
  if (c->file != NULL)
    fclose(c->file);
  free(c->text);
  free(c);
}

static const char *find_line(const char *text, const char *key) {
  const size_t length = strlen(key);
  for (; (text = strchr(text, '\n')) != NULL; text++)
    if (strncmp(text + 1, key, length) == 0 && text[1 + length] == '\t')
      return text + 1 + length + 1;
  return NULL;
}

// Up to the next tab or the end of the line; returns what is behind it.
static const char *take_field(char *to, size_t size, const char *from) {
  const size_t length = strcspn(from, "\t\n");
  snprintf(to, size, "%.*s", (int)length, from);
  return from[length] == '\t' ? from + length + 1 : from + length;
}

static const char *take_number(double *to, const char *from) {
  char field[40];
  from = take_field(field, sizeof field, from);
  *to = strtod(field, NULL);
  return from;
}

bool verify_cells_find(const verify_cells *c, const char *key, verify_piece *piece) {
  const char *at = c != NULL ? find_line(c->text, key) : NULL;
  double kind, beyond, cases;
  if (at == NULL)
    return false;
  at = take_field(piece->text, sizeof piece->text, at);
  at = take_number(&piece->steps, take_number(&beyond, take_number(&kind, at)));
  at = take_number(&piece->worst, take_number(&cases, take_number(&piece->ratio, at)));
  at = take_field(piece->where, sizeof piece->where, at);
  piece->kind = (verify_kind)kind;
  piece->beyond = beyond != 0;
  piece->cases = (int)cases < VERIFY_CASES ? (int)cases : VERIFY_CASES;
  for (int k = 0; k < piece->cases; k++)
    at = take_number(&piece->coverage[k], at);
  return true;
}

void verify_cells_add(verify_cells *c, const char *key, const verify_piece *piece) {
  if (c == NULL)
    return;
  fprintf(c->file, "%s\t%s\t%d\t%d\t%.0f\t%.9g\t%d\t%.9g\t%s", key, piece->text, (int)piece->kind, piece->beyond,
          piece->steps, piece->ratio, piece->cases, piece->worst, piece->where);
  for (int k = 0; k < piece->cases; k++)
    fprintf(c->file, "\t%.5g", piece->coverage[k]);
  fputc('\n', c->file);
  fflush(c->file);
}
