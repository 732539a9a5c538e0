// Writing a tree as YAML.
#include <string.h>

#include "base/utf8.h"
#include "io/tree.h"
#include "io/tree_source.h"

enum { WIDTH = 100 }; // bytes of a {} or [] on a line, at most

// ------------------------------------------------------------------------------------------------ scalars

static unsigned code_point(const char *s, size_t length) {
  unsigned code = (unsigned char)s[0];
  if (length > 1)
    code &= 0xFFu >> (length + 1);
  for (size_t i = 1; i < length; i++)
    code = code << 6 | ((unsigned char)s[i] & 0x3F);
  return code;
}

// Control characters, and what might be taken for the end of a line or for a byte order mark.
static bool needs_escape(unsigned code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 || code == 0xFEFF ||
         code == 0xFFFE || code == 0xFFFF;
}

static bool is_flow_sign(char c) { return c != 0 && strchr(",[]{}", c) != NULL; }

// Whether a text may begin without quotes.
static bool begins_plain(const char *s, bool in_flow) {
  if (s[0] == '-' || s[0] == '?' || s[0] == ':')
    return s[1] != 0 && s[1] != ' ' && !(in_flow && is_flow_sign(s[1]));
  return strchr(",[]{}#&*!|>'\"%@` ", s[0]) == NULL; // neither "", where the final 0 is found
}

// Whether a character would end a text that has no quotes.
static bool ends_plain(const char *s, bool in_flow) {
  if (*s == ':')
    return s[1] == ' ' || s[1] == 0 || (in_flow && is_flow_sign(s[1]));
  return (*s == ' ' && (s[1] == '#' || s[1] == 0)) || (in_flow && is_flow_sign(*s));
}

// Whether a text can stand without quotes and read back as it is.
static bool can_be_plain(const char *text, bool in_flow) {
  int open = 0;
  if (!begins_plain(text, in_flow))
    return false;
  for (const char *s = text; *s != 0;) {
    size_t length = fly_utf8_length(s);
    if (ends_plain(s, in_flow) || length == 0 || needs_escape(code_point(s, length)))
      return false;
    open += *s == '(' ? 1 : *s == ')' ? -1 : 0;
    s += length;
  }
  return !in_flow || open == 0; // the reader asks for quotes then
}

static void write_quoted(FILE *file, const char *text) {
  fputc('"', file);
  for (const char *s = text; *s != 0;) {
    size_t length = fly_utf8_length(s);
    unsigned code = code_point(s, length);
    if (*s == '"' || *s == '\\')
      fprintf(file, "\\%c", *s);
    else if (*s == '\n')
      fputs("\\n", file);
    else if (needs_escape(code))
      fprintf(file, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
    else
      fwrite(s, 1, length, file);
    s += length > 0 ? length : 1;
  }
  fputc('"', file);
}

void fly_tree_write_scalar(FILE *file, const char *text, bool quoted, bool in_flow) {
  if (quoted || !can_be_plain(text, in_flow))
    write_quoted(file, text);
  else
    fputs(text, file);
}

// ------------------------------------------------------------------------------------------------ layout

static bool is_empty_plain(const fly_tree_node *node) {
  return node->kind == FLY_TREE_SCALAR && !node->quoted && node->text[0] == 0;
}

// Bytes of a node on one line, roughly; more than WIDTH if it needs its own lines.
static int width_of(const fly_tree_node *node) {
  if (node->kind == FLY_TREE_SCALAR) {
    bool fits = node->quoted || can_be_plain(node->text, true);
    return fits && strlen(node->text) < WIDTH ? (int)strlen(node->text) + 2 : WIDTH + 1;
  }
  int width = 4;
  for (int i = 0; width <= WIDTH && i < node->count; i++)
    width += width_of(node->entry[i].value) + (node->entry[i].key != NULL ? (int)strlen(node->entry[i].key) + 2 : 0);
  return width;
}

static void write_key(FILE *file, const char *key, bool in_flow) {
  bool marker = strncmp(key, "---", 3) == 0 || strncmp(key, "...", 3) == 0;
  fly_tree_write_scalar(file, key, marker, in_flow);
  fputc(':', file);
}

static void write_flow(FILE *file, const fly_tree_node *node) {
  bool mapping = node->kind == FLY_TREE_MAPPING;
  if (node->kind == FLY_TREE_SCALAR) {
    fly_tree_write_scalar(file, node->text, node->quoted, true);
    return;
  }
  fputc(mapping ? '{' : '[', file);
  for (int i = 0; i < node->count; i++) {
    if (i > 0)
      fputs(", ", file);
    if (mapping) {
      write_key(file, node->entry[i].key, true);
      fputc(' ', file);
    }
    write_flow(file, node->entry[i].value);
  }
  fputc(mapping ? '}' : ']', file);
}

static void write_block(FILE *file, const fly_tree_node *node, int indent);

// What follows "key:" or "-", to the end of the line or of the lines below.
static void write_value(FILE *file, const fly_tree_node *node, int indent) {
  if (node->kind == FLY_TREE_SCALAR) {
    fputc(' ', file);
    if (!is_empty_plain(node))
      fly_tree_write_scalar(file, node->text, node->quoted, false);
    fputc('\n', file);
  } else if (node->count == 0 || width_of(node) <= WIDTH) {
    fputc(' ', file);
    write_flow(file, node);
    fputc('\n', file);
  } else {
    fputc('\n', file);
    write_block(file, node, indent + 2);
  }
}

static void write_block(FILE *file, const fly_tree_node *node, int indent) {
  for (int i = 0; i < node->count; i++) {
    fprintf(file, "%*s", indent, "");
    if (node->kind == FLY_TREE_MAPPING)
      write_key(file, node->entry[i].key, false);
    else
      fputc('-', file);
    write_value(file, node->entry[i].value, indent);
  }
}

bool fly_tree_write(FILE *file, const fly_tree_node *node) {
  if (node->kind == FLY_TREE_SCALAR || node->count == 0) {
    write_flow(file, node);
    fputc('\n', file);
  } else {
    write_block(file, node, 0);
  }
  return fflush(file) == 0 && !ferror(file);
}
