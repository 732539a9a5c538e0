// The plain part of YAML, which is what programs write and most people: mappings by indentation, {} and [] on one line,
// words, numbers and texts in quotes without escapes, comments, ASCII. libfyaml takes a hundred thousand instructions
// for a body and its joint, this a tenth. It never says what is wrong: whatever it does not know for certain (and all
// that is at fault) is left to libfyaml, the whole file, so that there is one meaning and one set of messages.
// tests/io/test_tree_plain.c holds the trees of both against each other.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/tree_nodes.h"

// A mapping by indentation that is not closed yet.
typedef struct level {
  fly_tree_node *node;
  int indent; // blanks before its keys
  int first;  // its first entry among the pending ones
  bool keyed; // a key waits for what is indented below it:
  fly_tree_entry key;
} level;

typedef struct plain {
  fly_tree *tree;
  const fly_source *source;
  const char *s;               // next character
  const char *begin;           // of its line,
  int line;                    // which is this one, from 1
  level level[FLY_TREE_DEPTH]; // (levels)
  int levels, depth;           // and with the brackets that are open
  fly_tree_entry *pending;     // entries of what is open (count)
  int count, capacity;
  bool no_memory;
} plain;

// ------------------------------------------------------------------------------------------------ characters

enum { WORD = 1, BEGINS = 2, INSIDE = 4 }; // in a key; first in a text without quotes; anywhere in it

#define LETTER (WORD | BEGINS | INSIDE)
static const unsigned char class_of[128] = {
    ['0'] = LETTER, ['1'] = LETTER,          ['2'] = LETTER,          ['3'] = LETTER, ['4'] = LETTER, ['5'] = LETTER,
    ['6'] = LETTER, ['7'] = LETTER,          ['8'] = LETTER,          ['9'] = LETTER, ['A'] = LETTER, ['B'] = LETTER,
    ['C'] = LETTER, ['D'] = LETTER,          ['E'] = LETTER,          ['F'] = LETTER, ['G'] = LETTER, ['H'] = LETTER,
    ['I'] = LETTER, ['J'] = LETTER,          ['K'] = LETTER,          ['L'] = LETTER, ['M'] = LETTER, ['N'] = LETTER,
    ['O'] = LETTER, ['P'] = LETTER,          ['Q'] = LETTER,          ['R'] = LETTER, ['S'] = LETTER, ['T'] = LETTER,
    ['U'] = LETTER, ['V'] = LETTER,          ['W'] = LETTER,          ['X'] = LETTER, ['Y'] = LETTER, ['Z'] = LETTER,
    ['a'] = LETTER, ['b'] = LETTER,          ['c'] = LETTER,          ['d'] = LETTER, ['e'] = LETTER, ['f'] = LETTER,
    ['g'] = LETTER, ['h'] = LETTER,          ['i'] = LETTER,          ['j'] = LETTER, ['k'] = LETTER, ['l'] = LETTER,
    ['m'] = LETTER, ['n'] = LETTER,          ['o'] = LETTER,          ['p'] = LETTER, ['q'] = LETTER, ['r'] = LETTER,
    ['s'] = LETTER, ['t'] = LETTER,          ['u'] = LETTER,          ['v'] = LETTER, ['w'] = LETTER, ['x'] = LETTER,
    ['y'] = LETTER, ['z'] = LETTER,          ['_'] = LETTER,          ['*'] = INSIDE, ['/'] = INSIDE, ['('] = INSIDE,
    [')'] = INSIDE, ['+'] = BEGINS | INSIDE, ['.'] = BEGINS | INSIDE, ['^'] = INSIDE, [' '] = INSIDE, ['-'] = INSIDE,
};

static bool is(char c, int class) { return (unsigned char)c < 128 && (class_of[(unsigned char)c] & class) != 0; }

static void skip_blanks(plain *p) {
  while (*p->s == ' ')
    p->s++;
}

// ------------------------------------------------------------------------------------------------ nodes

static fly_tree_node *new_node(plain *p, fly_tree_kind kind, bool in_flow) {
  fly_tree_node *node = fly_tree_take(p->tree, sizeof *node);
  if (node == NULL) {
    p->no_memory = true;
    return NULL;
  }
  node->kind = (unsigned char)kind;
  node->in_flow = in_flow;
  node->line = p->line;
  node->column = (int)(p->s - p->begin) + 1;
  node->source = p->source;
  return node;
}

static bool push(plain *p, fly_tree_entry entry) {
  if (!fly_reserve(&p->pending, &p->capacity, p->count + 1, sizeof *p->pending))
    p->no_memory = true;
  else
    p->pending[p->count++] = entry;
  return !p->no_memory;
}

static bool close_node(plain *p, fly_tree_node *node, int first) {
  const int count = p->count - first;
  const fly_status status = fly_tree_close(p->tree, node, count > 0 ? p->pending + first : NULL, count, NULL);
  p->no_memory = p->no_memory || status == FLY_NO_MEMORY;
  p->count = first;
  p->depth--;
  return status == FLY_OK;
}

static const char *copy(plain *p, const char *text, size_t length) {
  const char *copied = fly_tree_copy_text(p->tree, text, length);
  p->no_memory = p->no_memory || copied == NULL;
  return copied;
}

// ------------------------------------------------------------------------------------------------ words

// A key and the colon behind it, with a blank or the end of the line to follow.
static bool read_key(plain *p, fly_tree_entry *entry) {
  const char *start = p->s;
  while (is(*p->s, WORD))
    p->s++;
  const size_t length = (size_t)(p->s - start);
  if (length == 0 || length > FLY_TREE_KEY || p->s[0] != ':' || (p->s[1] != ' ' && p->s[1] != '\n'))
    return false;
  entry->key = copy(p, start, length);
  entry->key_line = p->line;
  entry->key_column = (int)(start - p->begin) + 1;
  p->s++;
  return entry->key != NULL;
}

// Those of a call whose commas were taken for ends of entries are not balanced.
static bool balanced(const char *text) {
  int open = 0;
  for (; *text != 0; text++)
    open += (*text == '(') - (*text == ')');
  return open == 0;
}

// A text in quotes, without any of what changes its meaning.
static bool read_quoted(plain *p, fly_tree_node *node) {
  const char quote = *p->s++, *start = p->s;
  while (*p->s >= ' ' && *p->s < 0x7F && *p->s != quote && *p->s != '\\')
    p->s++;
  node->quoted = true;
  if (*p->s != quote || p->s[1] == quote)
    return false;
  node->text = copy(p, start, (size_t)(p->s++ - start));
  return node->text != NULL;
}

static bool read_word(plain *p, fly_tree_node *node, bool in_flow) {
  const char *start = p->s;
  const bool minus = *p->s == '-' && (is(p->s[1], WORD) || p->s[1] == '.' || p->s[1] == '(');
  if (!minus && !is(*p->s, BEGINS))
    return false;
  while (is(*p->s, INSIDE) || (*p->s == ',' && !in_flow))
    p->s++;
  while (p->s[-1] == ' ')
    p->s--;
  node->text = copy(p, start, (size_t)(p->s - start));
  return node->text != NULL && (!in_flow || balanced(node->text));
}

// ------------------------------------------------------------------------------------------------ values on a line

static bool read_flow(plain *p, const fly_tree_node **value, bool in_flow);

static bool read_value(plain *p, const fly_tree_node **value, bool in_flow) {
  if (*p->s == '{' || *p->s == '[')
    return read_flow(p, value, in_flow);
  fly_tree_node *node = new_node(p, FLY_TREE_SCALAR, in_flow);
  *value = node;
  if (node == NULL)
    return false;
  return *p->s == '"' || *p->s == '\'' ? read_quoted(p, node) : read_word(p, node, in_flow);
}

static bool read_flow_entry(plain *p, bool keyed) {
  fly_tree_entry entry = {.key = NULL};
  skip_blanks(p);
  if (keyed && !read_key(p, &entry))
    return false;
  skip_blanks(p);
  if (!read_value(p, &entry.value, true))
    return false;
  skip_blanks(p);
  return push(p, entry);
}

// {...} or [...], up to its end on the same line.
static bool read_flow(plain *p, const fly_tree_node **value, bool in_flow) {
  const bool keyed = *p->s == '{';
  const char end = keyed ? '}' : ']';
  const int first = p->count;
  fly_tree_node *node =
      p->depth++ < FLY_TREE_DEPTH ? new_node(p, keyed ? FLY_TREE_MAPPING : FLY_TREE_SEQUENCE, in_flow) : NULL;
  *value = node;
  if (node == NULL)
    return false;
  do {
    p->s++;
    if (!read_flow_entry(p, keyed))
      return false;
  } while (*p->s == ',');
  return *p->s++ == end && close_node(p, node, first);
}

// ------------------------------------------------------------------------------------------------ lines

// Blanks, perhaps a comment, and the end of the line; false if anything else stands there.
static bool end_line(plain *p) {
  const bool blank = *p->s == ' ';
  skip_blanks(p);
  if (*p->s == '#' && (blank || p->s == p->begin))
    while (*p->s >= ' ' && *p->s < 0x7F)
      p->s++;
  if (*p->s != '\n')
    return false;
  p->begin = ++p->s;
  p->line++;
  return true;
}

// Passes lines without anything in them; the blanks before the first that has something.
static bool next_line(plain *p, int *indent) {
  while (*p->s != 0) {
    skip_blanks(p);
    *indent = (int)(p->s - p->begin);
    if (*p->s != '#' && *p->s != '\n')
      return true;
    p->s = p->begin;
    if (!end_line(p))
      return false;
  }
  *indent = -1;
  return true;
}

// The innermost mapping has all of its keys: it is the value of the key that waits for it.
static bool close_level(plain *p) {
  const level *last = &p->level[--p->levels];
  if (last->keyed || !close_node(p, last->node, last->first))
    return false;
  if (p->levels == 0)
    return true;
  level *outer = &p->level[p->levels - 1];
  outer->key.value = last->node;
  outer->keyed = false;
  return push(p, outer->key);
}

static bool open_level(plain *p, int indent) {
  const bool allowed = p->levels == 0 ? indent == 0 : p->level[p->levels - 1].keyed;
  fly_tree_node *node = allowed && p->depth++ < FLY_TREE_DEPTH ? new_node(p, FLY_TREE_MAPPING, false) : NULL;
  if (node == NULL)
    return false;
  p->level[p->levels++] = (level){.node = node, .indent = indent, .first = p->count};
  return true;
}

// Closes and opens mappings until the innermost is the one whose keys stand here.
static bool find_level(plain *p, int indent) {
  while (p->levels > 0 && p->level[p->levels - 1].indent > indent)
    if (!close_level(p))
      return false;
  if (p->levels == 0 || p->level[p->levels - 1].indent < indent)
    return open_level(p, indent);
  return !p->level[p->levels - 1].keyed;
}

// "key: value", or "key:" with its value below.
static bool read_entry(plain *p) {
  level *here = &p->level[p->levels - 1];
  here->key = (fly_tree_entry){.key = NULL};
  if (!read_key(p, &here->key))
    return false;
  const char *behind = p->s;
  skip_blanks(p);
  here->keyed = *p->s == '\n' || *p->s == '#';
  if (here->keyed) {
    p->s = behind;
    return end_line(p);
  }
  return read_value(p, &here->key.value, false) && push(p, here->key) && end_line(p);
}

static bool read_lines(plain *p) {
  int indent;
  while (next_line(p, &indent)) {
    if (indent < 0)
      break;
    if (!find_level(p, indent) || !read_entry(p))
      return false;
  }
  while (p->levels > 1)
    if (!close_level(p))
      return false;
  return *p->s == 0 && p->levels == 1 && close_level(p);
}

fly_status fly_tree_parse_plain(fly_tree *tree, const fly_source *source, fly_tree_node **root, fly_error *error) {
  plain p = {.tree = tree, .source = source, .s = source->text, .begin = source->text, .line = 1};
  const bool read = read_lines(&p) && p.s == source->text + source->length;
  *root = read ? p.level[0].node : NULL;
  free(p.pending);
  return p.no_memory ? fly_tree_no_memory(error) : FLY_OK;
}
