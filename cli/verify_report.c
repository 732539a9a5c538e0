// The report of flyball verify: paragraphs, tables and verdicts, as text, as Markdown, as JSON.
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "flyball/json.h"
#include "verify.h"

enum { WIDTH = 110 }; // of a paragraph of text

// ---------------------------------------------------------------------------------------------- letters

// On the page the multipliers have their Greek letter; names that end in it stay words.
static void put_page(FILE *page, const char *text) {
  for (const char *c = text; *c != 0; c++)
    if (strncmp(c, "lambda", 6) == 0 && !isalnum((unsigned char)c[6]) && (c == text || c[-1] != '-')) {
      fputs("λ", page);
      c += 5;
    } else {
      fputc(*c, page);
    }
}

// Words in lines of WIDTH letters, each line behind the same indent.
static void put_wrapped(FILE *out, const char *first, const char *indent, const char *text) {
  int column = fprintf(out, "%s", first);
  const char *word = text;
  for (bool start = true; *word != 0; start = false) {
    const int length = (int)strcspn(word, " ");
    if (!start && column + 1 + length > WIDTH)
      column = fprintf(out, "\n%s", indent) - 1;
    else if (!start)
      column += fprintf(out, " ");
    column += fprintf(out, "%.*s", length, word);
    word += length;
    word += strspn(word, " ");
  }
  fputc('\n', out);
}

// Ends a list of verdicts before something else follows.
static void end_list(verify *v) {
  cli_progress_clear(&v->progress);
  if (v->in_list && v->text != NULL)
    fputc('\n', v->text);
  if (v->in_list && v->page != NULL)
    fputc('\n', v->page);
  v->in_list = false;
}

static void begin_list(verify *v) {
  cli_progress_clear(&v->progress);
  v->in_list = true;
}

static void put_item(verify *v, const char *kind, const char *text) {
  fly_json_begin_object(v->json);
  fly_json_key(v->json, "kind");
  fly_json_string(v->json, kind);
  fly_json_key(v->json, "text");
  fly_json_string(v->json, text);
  fly_json_end_object(v->json);
}

// Writes the arguments behind `format` into the array `text`.
#define FORMAT(text, format)                                                                                           \
  do {                                                                                                                 \
    va_list list;                                                                                                      \
    va_start(list, format);                                                                                            \
    vsnprintf(text, sizeof(text), format, list);                                                                       \
    va_end(list);                                                                                                      \
  } while (0)

// ---------------------------------------------------------------------------------------------- paragraphs

void verify_say(verify *v, const char *format, ...) {
  char text[4000];
  FORMAT(text, format);
  end_list(v);
  if (v->text != NULL) {
    put_wrapped(v->text, "", "", text);
    fputc('\n', v->text);
  }
  if (v->page != NULL) {
    put_page(v->page, text);
    fputs("\n\n", v->page);
  }
  if (v->json != NULL)
    put_item(v, "text", text);
}

void verify_page(verify *v, const char *format, ...) {
  char text[2000];
  FORMAT(text, format);
  end_list(v);
  if (v->page != NULL)
    put_page(v->page, text);
}

void verify_heading(verify *v, const char *format, ...) {
  char text[400];
  FORMAT(text, format);
  end_list(v);
  if (v->text != NULL)
    fprintf(v->text, "-- %s\n\n", text);
  if (v->page != NULL) {
    fputs("### ", v->page);
    put_page(v->page, text);
    fputs("\n\n", v->page);
  }
  if (v->json != NULL)
    put_item(v, "heading", text);
}

void verify_note(verify *v, const char *format, ...) {
  char text[2000];
  FORMAT(text, format);
  begin_list(v);
  if (v->text != NULL)
    put_wrapped(v->text, "        ", "        ", text);
  if (v->page != NULL) {
    fputs("- ", v->page);
    put_page(v->page, text);
    fputc('\n', v->page);
  }
  if (v->json != NULL)
    put_item(v, "note", text);
}

// ---------------------------------------------------------------------------------------------- tables

// Splits "a | b | c" into cells; returns their number.
static int split(char cells[VERIFY_COLUMNS][VERIFY_CELL], const char *line) {
  int n = 0;
  for (const char *start = line; n < VERIFY_COLUMNS; start++) {
    const size_t length = strcspn(start, "|");
    size_t from = strspn(start, " "), to = length;
    from = from < length ? from : length;
    while (to > from && start[to - 1] == ' ')
      to--;
    snprintf(cells[n++], VERIFY_CELL, "%.*s", (int)(to - from), start + from);
    start += length;
    if (*start == 0)
      break;
  }
  return n;
}

void verify_table_begin(verify *v, const char *head, const char *caption, ...) {
  char text[sizeof v->table.caption];
  FORMAT(text, caption);
  v->table.rows = 0;
  memcpy(v->table.caption, text, sizeof text);
  v->table.columns = split(v->table.head, head);
}

void verify_row(verify *v, const char *format, ...) {
  char text[VERIFY_COLUMNS * VERIFY_CELL];
  FORMAT(text, format);
  if (v->table.rows == VERIFY_ROWS)
    return;
  char(*cells)[VERIFY_CELL] = v->table.cell[v->table.rows++];
  memset(cells, 0, sizeof v->table.cell[0]);
  split(cells, text);
  for (int c = 0; c < v->table.columns; c++)
    if (strstr(cells[c], "nan") != NULL) // there is no such number: the first of a column of ratios, a failed run
      strcpy(cells[c], "-");
}

static void put_text_table(const verify_table *t, FILE *out) {
  int width[VERIFY_COLUMNS] = {0};
  for (int c = 0; c < t->columns; c++) {
    width[c] = (int)strlen(t->head[c]);
    for (int r = 0; r < t->rows; r++)
      width[c] = width[c] > (int)strlen(t->cell[r][c]) ? width[c] : (int)strlen(t->cell[r][c]);
  }
  put_wrapped(out, "", "", t->caption);
  for (int r = -1; r < t->rows; r++) {
    for (int c = 0; c < t->columns; c++)
      fprintf(out, c == 0 ? "  %-*s" : "  %*s", width[c], r < 0 ? t->head[c] : t->cell[r][c]);
    fputc('\n', out);
  }
  fputc('\n', out);
}

static void put_page_table(const verify_table *t, FILE *page) {
  put_page(page, t->caption);
  fputs("\n\n|", page);
  for (int c = 0; c < t->columns; c++) {
    fputc(' ', page);
    put_page(page, t->head[c]);
    fputs(" |", page);
  }
  fputs("\n|", page);
  for (int c = 0; c < t->columns; c++)
    fputs(c == 0 ? "---|" : "--:|", page);
  for (int r = 0; r < t->rows; r++) {
    fputs("\n|", page);
    for (int c = 0; c < t->columns; c++) {
      fputc(' ', page);
      put_page(page, t->cell[r][c]);
      fputs(" |", page);
    }
  }
  fputs("\n\n", page);
}

static void put_json_row(fly_json *j, const char cells[VERIFY_COLUMNS][VERIFY_CELL], int columns) {
  fly_json_begin_array(j);
  for (int c = 0; c < columns; c++)
    fly_json_string(j, cells[c]);
  fly_json_end_array(j);
}

static void put_json_table(const verify_table *t, fly_json *j) {
  fly_json_begin_object(j);
  fly_json_key(j, "kind");
  fly_json_string(j, "table");
  fly_json_key(j, "text");
  fly_json_string(j, t->caption);
  fly_json_key(j, "columns");
  put_json_row(j, t->head, t->columns);
  fly_json_open_array(j, "rows");
  for (int r = 0; r < t->rows; r++)
    put_json_row(j, t->cell[r], t->columns);
  fly_json_end_array(j);
  fly_json_end_object(j);
}

void verify_table_end(verify *v) {
  end_list(v);
  if (v->text != NULL)
    put_text_table(&v->table, v->text);
  if (v->page != NULL)
    put_page_table(&v->table, v->page);
  if (v->json != NULL)
    put_json_table(&v->table, v->json);
}

// ---------------------------------------------------------------------------------------------- verdicts

static void put_json_check(fly_json *j, bool passed, const char *text, double value, const char *limit) {
  fly_json_begin_object(j);
  fly_json_key(j, "kind");
  fly_json_string(j, "check");
  fly_json_key(j, "text");
  fly_json_string(j, text);
  fly_json_key(j, "value");
  fly_json_number(j, value);
  fly_json_key(j, "limit");
  fly_json_string(j, limit);
  fly_json_key(j, "passed");
  fly_json_bool(j, passed);
  fly_json_end_object(j);
}

// `measured` stands behind the text: "0.93, at most 1".
static bool judge(verify *v, bool passed, const char *text, double value, const char *limit) {
  char line[1200];
  if (limit[0] != 0)
    snprintf(line, sizeof line, "%s: %.4g (%s)", text, value, limit);
  else
    snprintf(line, sizeof line, "%s", text);
  v->checks++;
  v->failed += !passed;
  begin_list(v);
  if (v->text != NULL)
    put_wrapped(v->text, passed ? "  PASS  " : "  FAIL  ", "        ", line);
  if (v->page != NULL) {
    fputs(passed ? "- PASS: " : "- **FAIL**: ", v->page);
    put_page(v->page, line);
    fputc('\n', v->page);
  }
  if (v->json != NULL)
    put_json_check(v->json, passed, text, value, limit);
  return passed;
}

bool verify_check(verify *v, double value, verify_relation relation, double limit, const char *format, ...) {
  char text[1000];
  FORMAT(text, format);
  char words[64];
  snprintf(words, sizeof words, "%s %g", relation == AT_MOST ? "at most" : "at least", limit);
  return judge(v, isfinite(value) && (relation == AT_MOST ? value <= limit : value >= limit), text, value, words);
}

bool verify_check_near(verify *v, double value, double center, double width, const char *format, ...) {
  char text[1000];
  FORMAT(text, format);
  char words[64];
  snprintf(words, sizeof words, "%g +- %g", center, width);
  return judge(v, fabs(value - center) <= width, text, value, words);
}

bool verify_check_that(verify *v, bool holds, const char *format, ...) {
  char text[1000];
  FORMAT(text, format);
  return judge(v, holds, text, holds, "");
}

// ---------------------------------------------------------------------------------------------- groups

void verify_group_begin(verify *v, const verify_group *group) {
  v->group = group;
  v->checks = v->failed = 0;
  v->group_started = cli_seconds();
  if (v->text != NULL)
    fprintf(v->text, "=== %s: %s\n\n", group->name, group->title);
  if (v->page != NULL)
    fprintf(v->page, "## `%s`: %s\n\n", group->name, group->title);
  if (v->json == NULL)
    return;
  fly_json_begin_object(v->json);
  fly_json_key(v->json, "name");
  fly_json_string(v->json, group->name);
  fly_json_key(v->json, "title");
  fly_json_string(v->json, group->title);
  fly_json_key(v->json, "items");
  fly_json_begin_array(v->json);
}

void verify_group_end(verify *v) {
  const double seconds = cli_seconds() - v->group_started;
  v->weight_done += v->group->seconds;
  v->all_checks += v->checks;
  v->all_failed += v->failed;
  end_list(v);
  if (v->text != NULL)
    fprintf(v->text, "%s: %d of %d checks passed, %.1f s\n\n\n", v->group->name, v->checks - v->failed, v->checks,
            seconds);
  if (v->json == NULL)
    return;
  fly_json_end_array(v->json);
  fly_json_key(v->json, "checks");
  fly_json_integer(v->json, v->checks);
  fly_json_key(v->json, "failed");
  fly_json_integer(v->json, v->failed);
  fly_json_key(v->json, "seconds");
  fly_json_number(v->json, seconds);
  fly_json_end_object(v->json);
}

void verify_progress(verify *v, const char *format, ...) {
  char text[200];
  FORMAT(text, format);
  char line[240];
  const double elapsed = cli_seconds() - v->group_started, part = fmin(elapsed, 0.98 * v->group->seconds);
  snprintf(line, sizeof line, "%s: %s", v->group->name, text);
  cli_progress_show(&v->progress, (v->weight_done + part) / fmax(v->weight_all, 1e-9), line);
}
