#include "support/page.h"

#include "base/json_check.h"

char *page_read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    fail_msg("%s is not there", path);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  const long size = ftell(file);
  char *text = malloc((size_t)size + 1);
  assert_non_null(text);
  rewind(file);
  assert_int_equal(fread(text, 1, (size_t)size, file), size);
  text[size] = 0;
  fclose(file);
  return text;
}

static int page_letter(char c) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *found = strchr(letters, c);
  assert_true(c != 0 && found != NULL);
  return (int)(found - letters);
}

// Base64 up to the next <; every group is of four.
static const char *page_decode(const char *text, unsigned char *out, size_t *size) {
  *size = 0;
  for (; *text != '<'; text += 4) {
    unsigned bits = 0;
    int bytes = 3;
    for (int k = 0; k < 4; k++) {
      bytes -= text[k] == '=';
      bits = bits << 6 | (unsigned)(text[k] == '=' ? 0 : page_letter(text[k]));
    }
    for (int k = 0; k < bytes; k++)
      out[(*size)++] = (unsigned char)(bits >> (16 - 8 * k));
  }
  return text;
}

void page_open(page *p, const char *path) {
  static const char begin[] = "<script type=\"application/json\" id=\"flyball-head\">",
                    block[] = "<script type=\"text/plain\" class=\"flyball-block\" data-codec=\"raw\">";
  *p = (page){.text = page_read_file(path)};
  fly_error error = {0};
  const char *head = strstr(p->text, begin);
  assert_non_null(head);
  head += strlen(begin);
  const char *end = strstr(head, "</script>");
  assert_non_null(end);
  assert_null(strstr(end, begin));
  assert_null(memchr(head, '<', (size_t)(end - head))); // nothing in it can end the element
  assert_true(fly_json_is_object(head, (size_t)(end - head)));
  if (fly_tree_parse(&p->head, "head", head, (size_t)(end - head), &error) != FLY_OK)
    fail_msg("%s", error.message);
  for (const char *at = end; (at = strstr(at, block)) != NULL; p->nblock++) {
    assert_true(p->nblock < PAGE_BLOCKS);
    at += strlen(block);
    p->block[p->nblock] = malloc(strcspn(at, "<") + 1);
    assert_non_null(p->block[p->nblock]);
    at = page_decode(at, p->block[p->nblock], &p->size[p->nblock]);
  }
}

void page_close(page *p) {
  for (int k = 0; k < p->nblock; k++)
    free(p->block[k]);
  fly_tree_free(p->head);
  free(p->text);
}

const fly_tree_node *page_get(const fly_tree_node *node, const char *key) {
  const fly_tree_node *found = fly_tree_find(node, key);
  if (found == NULL)
    fail_msg("there is no '%s'", key);
  return found;
}

double page_number(const fly_tree_node *node, const char *key) {
  double x = NAN;
  assert_true(fly_tree_number(page_get(node, key), &x));
  return x;
}

const fly_tree_node *page_result(const page *p, int k) {
  const fly_tree_node *results = page_get(p->head->root, "results");
  assert_true(k < results->count);
  return results->entry[k].value;
}

bool page_notes(const fly_tree_node *result, const char *part) {
  const fly_tree_node *notes = page_get(result, "notes");
  for (int k = 0; k < notes->count; k++)
    if (strstr(notes->entry[k].value->text, part) != NULL)
      return true;
  return false;
}

const fly_tree_node *page_table(const fly_tree_node *result, const char *kind) {
  const fly_tree_node *tables = page_get(result, "tables");
  for (int k = 0; k < tables->count; k++)
    if (strcmp(page_get(tables->entry[k].value, "kind")->text, kind) == 0)
      return tables->entry[k].value;
  return NULL;
}

double *page_column(const page *p, const fly_tree_node *table, int channel) {
  const fly_tree_node *columns = page_get(table, "columns");
  const size_t rows = (size_t)page_number(table, "rows");
  for (int k = 0; k < columns->count; k++) {
    const fly_tree_node *c = columns->entry[k].value;
    if ((int)page_number(c, "channel") != channel)
      continue;
    const int block = (int)page_number(c, "block");
    const size_t offset = (size_t)page_number(c, "offset");
    const bool exact = strcmp(page_get(c, "type")->text, "f64") == 0;
    const size_t bytes = exact ? 8 : 4;
    assert_true(block < p->nblock && offset % bytes == 0 && offset + rows * bytes <= p->size[block]);
    double *out = malloc((rows + 1) * sizeof *out);
    assert_non_null(out);
    for (size_t i = 0; i < rows; i++) {
      uint64_t bits = 0;
      for (size_t b = 0; b < bytes; b++)
        bits |= (uint64_t)p->block[block][offset + bytes * i + b] << 8 * b;
      const uint32_t half = (uint32_t)bits;
      float single;
      memcpy(&single, &half, sizeof single);
      memcpy(&out[i], &bits, sizeof bits);
      out[i] = exact ? out[i] : (double)single;
    }
    return out;
  }
  return NULL;
}
