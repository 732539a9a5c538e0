// The tree of a model file: places, faults and their messages, includes, round trips.
// labels: valgrind
#define _POSIX_C_SOURCE 200809L // mkdtemp, open_memstream
#include "base/allocations.h"
#include "base/check.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/tree.h"

// ---------------------------------------------------------------------------------- helpers

static fly_tree *parse(const char *text) {
  fly_error error;
  fly_tree *tree;
  if (fly_tree_parse(&tree, "t.yaml", text, strlen(text), &error) != FLY_OK)
    fail_msg("%s\n%s", text, error.message);
  return tree;
}

static const fly_tree_node *at(const fly_tree_node *node, int i) {
  assert_true(i < node->count);
  return node->entry[i].value;
}

static void assert_place(const fly_tree_node *node, int line, int column) {
  assert_non_null(node);
  assert_int_equal(node->line, line);
  assert_int_equal(node->column, column);
}

// The message is, or begins with, what is expected up to its end of line.
static void assert_message(const char *message, const char *expected, const char *what) {
  size_t length = strlen(expected);
  if (strncmp(message, expected, length) != 0 || (message[length] != 0 && message[length] != '\n'))
    fail_msg("%.200s\nsays:  %s\nnot:   %s", what, message, expected);
}

// ---------------------------------------------------------------------------------- what is read

static void scalars_lists_and_mappings(void **state) {
  fly_tree *tree = parse("name: slider crank\n"
                         "gravity: [0, -9.81, 0]\n"
                         "bodies:\n"
                         "  crank: {mass: 0.36, markers: {pin: [r/2, 0, 0]}}\n"
                         "  rod:\n"
                         "    mass: 1\n"
                         "list:\n"
                         "- a\n"
                         "- \"b c\"\n"
                         "- ~\n");
  const fly_tree_node *root = tree->root;
  assert_int_equal(root->kind, FLY_TREE_MAPPING);
  assert_int_equal(root->count, 4);
  assert_string_equal(fly_tree_find(root, "name")->text, "slider crank");
  assert_int_equal(fly_tree_find(root, "gravity")->kind, FLY_TREE_SEQUENCE);
  assert_string_equal(at(fly_tree_find(root, "gravity"), 1)->text, "-9.81");
  const fly_tree_node *crank = fly_tree_find(fly_tree_find(root, "bodies"), "crank");
  assert_string_equal(at(fly_tree_find(fly_tree_find(crank, "markers"), "pin"), 0)->text, "r/2");
  assert_true(fly_tree_find(crank, "mass")->in_flow);
  assert_false(crank->in_flow);
  assert_true(at(fly_tree_find(root, "list"), 1)->quoted);
  assert_true(fly_tree_is_null(at(fly_tree_find(root, "list"), 2)));
  assert_null(fly_tree_find(root, "nothing"));
  assert_null(fly_tree_find(NULL, "nothing"));
  assert_null(fly_tree_find(fly_tree_find(root, "name"), "nothing"));
  assert_string_equal(fly_tree_path(root), "t.yaml");
  fly_tree_free(tree);
  fly_tree_free(NULL);
}

static void places_of_keys_and_values(void **state) {
  fly_tree *tree = parse("# comment\n"
                         "a:  1\n"
                         "\xC3\xA4\xC3\xB6: \"\xC3\xBC\"\n" // letters of two bytes are one column
                         "b: {c: [1,\t2], d:\n  'x'}\n"
                         "e:\n"
                         "f: |\n"
                         "  text\n");
  const fly_tree_entry *entry = tree->root->entry;
  assert_place(tree->root, 2, 1);
  assert_place(entry[0].value, 2, 5);
  assert_int_equal(entry[1].key_line, 3);
  assert_place(entry[1].value, 3, 5);
  assert_place(fly_tree_find(entry[2].value, "c"), 4, 8);
  assert_place(at(fly_tree_find(entry[2].value, "c"), 1), 4, 12);
  assert_int_equal(fly_tree_find_entry(entry[2].value, "d")->key_column, 16);
  assert_place(fly_tree_find(entry[2].value, "d"), 5, 3);
  assert_place(entry[3].value, 6, 1); // an empty value has the place of its key
  assert_int_equal(entry[4].key_line, 7);
  fly_tree_free(tree);
}

static void windows_files(void **state) {
  fly_tree *tree = parse("\xEF\xBB\xBF"
                         "a: 1\r\nb:\r\n  c: x\r\n");
  assert_string_equal(tree->root->entry[0].key, "a");
  assert_int_equal(tree->root->entry[0].key_column, 1);
  assert_string_equal(fly_tree_find(tree->root, "a")->text, "1");
  assert_place(fly_tree_find(fly_tree_find(tree->root, "b"), "c"), 3, 6);
  fly_tree_free(tree);
}

static void numbers_and_other_scalars(void **state) {
  static const struct {
    const char *text;
    double value; // NAN: not a number
  } cases[] = {
      {"1", 1},           {"-2.5e3", -2500},    {"+.5", 0.5},        {"3.", 3},      {"1E-2", 0.01}, {"0", 0},
      {".inf", INFINITY}, {"-.inf", -INFINITY}, {"1e999", INFINITY}, {"1e", NAN},    {"e1", NAN},    {".", NAN},
      {"-", NAN},         {"1 2", NAN},         {"0x10", NAN},       {"nan", NAN},   {"inf", NAN},   {"1_000", NAN},
      {"30*deg", NAN},    {"\"1\"", NAN},       {"'1'", NAN},        {"1.5.2", NAN}, {"--1", NAN},   {"~", NAN},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[60];
    double value = 0;
    snprintf(text, sizeof text, "a: %s\n", cases[i].text);
    fly_tree *tree = parse(strcmp(cases[i].text, "-") == 0 ? "a: '-'" : text);
    bool number = fly_tree_number(fly_tree_find(tree->root, "a"), &value);
    if (number == isnan(cases[i].value) || (number && value != cases[i].value))
      fail_msg("%s is %g", text, value);
    fly_tree_free(tree);
  }
}

static void nulls_and_bools(void **state) {
  bool value = false;
  double number;
  fly_tree *tree = parse("{a: ~, b: null, c: , d: 'null', e: true, f: false, g: 'true', h: .nan, i: [], j: {}, k: x}");
  const fly_tree_entry *e = tree->root->entry;
  assert_true(fly_tree_is_null(e[0].value) && fly_tree_is_null(e[1].value) && fly_tree_is_null(e[2].value));
  assert_false(fly_tree_is_null(e[3].value));
  assert_true(fly_tree_bool(e[4].value, &value) && value);
  assert_true(fly_tree_bool(e[5].value, &value) && !value);
  assert_false(fly_tree_bool(e[6].value, &value));
  assert_true(fly_tree_number(e[7].value, &number) && isnan(number));
  static const char *const kinds[] = {"nothing", "nothing",  "nothing", "a text",    "true or false", "true or false",
                                      "a text",  "a number", "a list",  "a mapping", "a text"};
  for (int i = 0; i < tree->root->count; i++)
    assert_string_equal(fly_tree_kind_name(e[i].value), kinds[i]);
  fly_tree_free(tree);
}

static void numbers_ignore_the_locale(void **state) {
  fly_tree *tree = parse("a: 1.5e-3");
  double value = 0;
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL) {
    fly_tree_free(tree);
    skip();
  }
  bool number = fly_tree_number(fly_tree_find(tree->root, "a"), &value);
  setlocale(LC_NUMERIC, "C");
  assert_true(number && value == 1.5e-3);
  fly_tree_free(tree);
}

// Texts on which libfyaml itself stumbles, and the rest of what quotes can do.
static void texts_in_quotes(void **state) {
  static const struct {
    const char *yaml, *text;
  } cases[] = {
      {"''", ""},
      {"'it''s'", "it's"},
      {"'a''''b'", "a''b"},
      {"''''''", "''"},
      {"'a\\n\"'", "a\\n\""},
      {"'a  \n   b\n\n\n  c '", "a b\n\nc "},
      {"'a\r\n  b'", "a b"},
      {"\"\"", ""},
      {"\"a'b\\\"c\\\\\"", "a'b\"c\\"},
      {"\"\\a\\b\\t\\n\\v\\f\\r\\e\\ \\/\"", "\a\b\t\n\v\f\r\x1B /"},
      {"\"\\U0010FFFF\"", "\xF4\x8F\xBF\xBF"}, // the last there is
      {"\"\\x41\\u00e9\\U0001F600\"", "A\xC3\xA9\xF0\x9F\x98\x80"},
      {"\"\\N\\_\\L\\P\"", "\xC2\x85\xC2\xA0\xE2\x80\xA8\xE2\x80\xA9"},
      {"\"\\ud83d\\ude00\"", "\xF0\x9F\x98\x80"},
      {"\"a  \n   b\n\n\n  c \"", "a b\n\nc "},
      {"\"a \\\n   b\"", "a b"},
      {"\"a\\\\\\\n  b\"", "a\\b"},
      {"\"a\\t \n  b\"", "a\t b"},
      {"\"a\\\n\n  b\"", "a\nb"},
      {"\"a\\ \n  \\ b\"", "a   b"},
      {"\"\\L\\L\\L\\L\"", "\xE2\x80\xA8\xE2\x80\xA8\xE2\x80\xA8\xE2\x80\xA8"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char yaml[200];
    snprintf(yaml, sizeof yaml, "a: [x, %s]\n", cases[i].yaml);
    fly_tree *tree = parse(yaml);
    assert_string_equal(at(fly_tree_find(tree->root, "a"), 1)->text, cases[i].text);
    assert_true(at(fly_tree_find(tree->root, "a"), 1)->quoted);
    fly_tree_free(tree);
  }
}

static void blocks_of_text(void **state) {
  fly_tree *tree = parse("a: |\n  x\n   y\n\nb: >-\n  x\n  y\n\n  z\nc:\n  d: |+\n    x\n\n  e:\n    - |2\n        x\n"
                         "    - >\n      y\nf: |\n");
  assert_string_equal(fly_tree_find(tree->root, "a")->text, "x\n y\n");
  assert_string_equal(fly_tree_find(tree->root, "b")->text, "x y\nz");
  const fly_tree_node *c = fly_tree_find(tree->root, "c");
  assert_string_equal(fly_tree_find(c, "d")->text, "x\n\n");
  assert_string_equal(at(fly_tree_find(c, "e"), 0)->text, "  x\n");
  assert_string_equal(at(fly_tree_find(c, "e"), 1)->text, "y\n");
  assert_string_equal(fly_tree_find(tree->root, "f")->text, "");
  fly_tree_free(tree);
}

static void aliases_are_the_same_node(void **state) {
  fly_tree *tree = parse("a: &pin {x: [1, 2]}\nb: *pin\nc: [*pin, &n 3, *n]\n");
  const fly_tree_node *a = fly_tree_find(tree->root, "a");
  assert_ptr_equal(fly_tree_find(tree->root, "b"), a);
  assert_ptr_equal(at(fly_tree_find(tree->root, "c"), 0), a);
  assert_string_equal(at(fly_tree_find(tree->root, "c"), 2)->text, "3");
  assert_place(fly_tree_find(tree->root, "b"), 1, 9);
  fly_tree_free(tree);
}

// One line of JSON, long enough to be broken behind the scenes: nothing of that shows.
static void one_line_of_json(void **state) {
  enum { N = 3000 };
  static char text[40 * N];
  size_t n = (size_t)sprintf(text, "{\"s\": \"a,b\\\\\\\"c,\", \"list\": [");
  size_t place[N];
  for (int i = 0; i < N; i++) {
    place[i] = n + 1;
    n += (size_t)sprintf(text + n, "{\"n\":%d,\"t\":\"x,\\\\\"},", i);
  }
  sprintf(text + n, "{}], \"end\": 1}");
  fly_tree *tree = parse(text);
  assert_string_equal(fly_tree_find(tree->root, "s")->text, "a,b\\\"c,");
  const fly_tree_node *list = fly_tree_find(tree->root, "list");
  assert_int_equal(list->count, N + 1);
  for (int i = 0; i < N; i++) {
    assert_place(at(list, i), 1, (int)place[i]);
    assert_string_equal(fly_tree_find(at(list, i), "t")->text, "x,\\");
  }
  fly_tree_free(tree);
}

// What looks like JSON at first but has the quotes of YAML is left as it is.
static void one_line_that_only_looks_like_json(void **state) {
  static char text[8000];
  size_t n = (size_t)sprintf(text, "{a: 5\" pipe, ");
  for (int i = 0; i < 300; i++)
    n += (size_t)sprintf(text + n, "k%d: \"x, y\", ", i);
  sprintf(text + n, "z: 1}");
  fly_tree *tree = parse(text);
  assert_string_equal(fly_tree_find(tree->root, "a")->text, "5\" pipe");
  for (int i = 0; i < 300; i++)
    assert_string_equal(at(tree->root, i + 1)->text, "x, y");
  fly_tree_free(tree);
}

static void large_mappings_are_found_by_hash(void **state) {
  static char text[30000];
  char key[20];
  size_t n = 0;
  for (int i = 0; i < 1000; i++)
    n += (size_t)sprintf(text + n, "key%d: %d\n", i, i);
  fly_tree *tree = parse(text);
  for (int i = 0; i < 1000; i++) {
    sprintf(key, "key%d", i);
    assert_ptr_equal(fly_tree_find_entry(tree->root, key), &tree->root->entry[i]);
  }
  assert_null(fly_tree_find(tree->root, "key1000"));
  fly_tree_free(tree);
  sprintf(text + n, "key500: 1\n");
  fly_error error;
  assert_int_equal(fly_tree_parse(&tree, "t.yaml", text, strlen(text), &error), FLY_BAD_INPUT);
  assert_message(error.message, "t.yaml:1001:1: 'key500' is given twice, first on line 501.", "1000 keys");
}

// ---------------------------------------------------------------------------------- what is refused

#define BYTES(text) (text), sizeof(text) - 1

static const struct {
  const char *text;
  size_t length;
  const char *message;
} faults[] = {
    // nothing there
    {BYTES(""), "t.yaml:1:1: this file is empty."},
    {BYTES("# only words\n\n"), "t.yaml:1:1: this file is empty: there are only comments and blanks in it."},
    {BYTES("   \n"), "t.yaml:1:1: this file is empty: there are only comments and blanks in it."},
    {BYTES("---\n"),
     "t.yaml:1:1: a file begins with keys, such as 'bodies:'. Is a colon with a blank after it missing?"},
    // not text
    {BYTES("a: \0"), "t.yaml:1:4: the byte 0x00 is a control character. Is this a text file?"},
    {BYTES("\x7F"
           "ELF\2\1\1\0\0"),
     "t.yaml:1:1: the byte 0x7F is a control character. Is this a text file?"},
    {BYTES("\x89PNG\r\n\x1A\n"), "t.yaml:1:1: the byte 0x89 is not UTF-8; save the file as UTF-8."},
    {BYTES("a: 1\nb: \xE4\n"), "t.yaml:2:4: the byte 0xE4 is not UTF-8; save the file as UTF-8."},
    {BYTES("a: \xC3"), "t.yaml:1:4: the byte 0xC3 is not UTF-8; save the file as UTF-8."},
    {BYTES("a: \xC0\x80"), "t.yaml:1:4: the byte 0xC0 is not UTF-8; save the file as UTF-8."},
    {BYTES("a: \xED\xA0\x80"), "t.yaml:1:4: the byte 0xED is not UTF-8; save the file as UTF-8."},
    {BYTES("a: \xC2\x85"), "t.yaml:1:4: the byte 0xC2 begins a control character. Is this a text file?"},
    {BYTES("\xFF\xFE"
           "a\0:\0"),
     "t.yaml:1:1: this file is UTF-16; save it as UTF-8."},
    {BYTES("a: 1\rb: 2\r"),
     "t.yaml:1:5: the byte 0x0D is a carriage return without a line feed; save the file with the "
     "line ends of Unix or Windows."},
    // not a mapping
    {BYTES("just text"), "t.yaml:1:1: a file begins with keys, such as 'bodies:'. Is a colon with a blank after it "
                         "missing?"},
    {BYTES("a:1\n"),
     "t.yaml:1:1: a file begins with keys, such as 'bodies:'. Is a colon with a blank after it missing?"},
    {BYTES("- a\n- b\n"), "t.yaml:1:1: a file begins with keys, such as 'bodies:', not with a list."},
    {BYTES("[1, 2]"), "t.yaml:1:1: a file begins with keys, such as 'bodies:', not with a list."},
    // indentation
    {BYTES("\ta: 1"), "t.yaml:1:1: a tab cannot indent; use spaces."},
    {BYTES("a:\n\tb: 1\n"), "t.yaml:2:1: a tab cannot indent; use spaces."},
    {BYTES("a:\n  b: 1\n c: 2\n"), "t.yaml:3:2: this line is indented like none above it."},
    {BYTES("a: 1\n b: 2\n"),
     "t.yaml:1:4: this text and the next line are read as one, and then a ':' follows. Is a ':' "
     "missing here, or is the next line indented by mistake?"},
    {BYTES("a\nb: 1\n"), "t.yaml:1:1: this text and the next line are read as one, and then a ':' follows. Is a ':' "
                         "missing here, or is the next line indented by mistake?"},
    {BYTES("a: [\n1]\n"), "t.yaml:2:1: inside {} or [] the lines that follow must be indented more than the key. The "
                          "bracket of line 1, column 4 is still open."},
    {BYTES("a: - 1\n"), "t.yaml:1:4: a list of '-' begins on a new line."},
    {BYTES("a:\n- 1\n-\n"), "t.yaml:4:1: a value is missing before this."}, // a fault of libfyaml: it is YAML
    {BYTES("a:\n  b: |\n  c: 1\n"),                                         // libfyaml takes the next key for the text
     "t.yaml:3:1: the text after | or > is missing, or not indented more than its key."},
    {BYTES("a: |x\n b\n"), "t.yaml:1:5: the text after | or > begins on a new line."},
    // brackets and commas
    {BYTES("a: [1, 2"), "t.yaml:1:4: this bracket is not closed."},
    {BYTES("a: 1\nb: {c: 1,\n  d: {e: 2}\n"), "t.yaml:2:4: this bracket is not closed."},
    {BYTES("a: {b: 1\nc: 2\n"),
     "t.yaml:2:2: a comma is missing between two entries. The bracket of line 1, column 4 is still open."},
    {BYTES("a: {b: 1 c: 2}"), "t.yaml:1:11: a comma is missing between two entries."},
    {BYTES("{a: 1}}"), "t.yaml:1:7: this bracket closes nothing."},
    {BYTES("a: ]"), "t.yaml:1:4: this bracket closes nothing."},
    {BYTES("a: {b: [1, 2}}"), "t.yaml:1:13: this bracket is not of the kind that is open."},
    {BYTES("a: [1, , 2]"), "t.yaml:1:8: a value is missing before this comma."},
    {BYTES("a: [, 2]"), "t.yaml:1:5: a value is missing before this comma."},
    {BYTES("a: [1] 2"), "t.yaml:1:8: this does not belong here. Is a ':' with a blank after it missing?"},
    // quotes and colons
    {BYTES("a: \"x\n"), "t.yaml:1:5: this quote is not closed."},
    {BYTES("a: 'x\nb: 1\n"), "t.yaml:1:4: this quote is not closed, or the lines that follow are not indented."},
    {BYTES("a: 'it's'"),
     "t.yaml:1:8: something follows the closing quote. A quote inside is written \\\" or, in single ones, ''."},
    {BYTES("a: \"\\"), "t.yaml:1:5: this quote is not closed."}, // the last byte: libfyaml asserts on it
    {BYTES("a: b: c"), "t.yaml:1:5: a second ': ' on this line; put quotes around a text that contains one."},
    {BYTES("a: 1\nb\n"), "t.yaml:2:1: this does not belong here. Is a ':' with a blank after it missing?"},
    {BYTES("a: @x"), "t.yaml:1:4: a text that begins with this character needs quotes."},
    {BYTES("a: %x"), "t.yaml:1:4: a text that begins with this character needs quotes."},
    {BYTES("a: \"\\0\""), "t.yaml:1:4: this text has an escape (\\0, \\u, \\x) that is not a character."},
    {BYTES("a: \"\\ud800\""), "t.yaml:1:5: this is not YAML: double-quoted scalar has invalid UTF8 escape."},
    {BYTES("a: {b: step(time, 0, 1)}"),
     "t.yaml:1:8: 'step(time' has an unbalanced parenthesis. A call with commas inside "
     "{} or [] needs quotes: \"step(time, 0, 1)\"."},
    {BYTES("a: [dx(p, q)]"),
     "t.yaml:1:5: 'dx(p' has an unbalanced parenthesis. A call with commas inside {} or [] needs "
     "quotes: \"step(time, 0, 1)\"."},
    // keys
    {BYTES("a: 1\nb: 2\na: 3\n"), "t.yaml:3:1: 'a' is given twice, first on line 1."},
    {BYTES("a: {b: 1, 'b': 2}"), "t.yaml:1:11: 'b' is given twice, first on line 1."},
    {BYTES("? [a]\n: b\n"), "t.yaml:1:3: a key must be a word, not a list."},
    {BYTES("? {a: 1}\n: b\n"), "t.yaml:1:3: a key must be a word, not a mapping."},
    {BYTES(": x"), "t.yaml:1:1: a key is missing before ':'."},
    {BYTES("a: {<<: {b: 1}}"), "t.yaml:1:5: merging by '<<' is not part of YAML 1.2; write the keys out."},
    {BYTES("? c:\t? x\n"), // libfyaml frees a key twice on this
     "t.yaml:1:1: keys that begin with '?' are not used in model files; put a text in quotes."},
    // what YAML has and model files have not
    {BYTES("a: 1\n---\nb: 2\n"), "t.yaml:3:1: a second model begins here, the first is on line 1; other documents are "
                                 "parts, and begin with 'part: NAME'."},
    {BYTES("part: p\n---\npart: q\n"), "t.yaml:1:1: there are only parts in this file; a model is a document without "
                                       "'part', which uses them."},
    {BYTES("%YAML 1.2\n---\na: 1\n"),
     "t.yaml:1:1: a line cannot begin with %: directives are not used in model files."},
    {BYTES("a: !!str 1"), "t.yaml:1:4: tags (words that begin with !) are not used in model files."},
    {BYTES("a: *b"), "t.yaml:1:5: there is no anchor &b above this alias."},
    {BYTES("a: &x [*x]"), "t.yaml:1:9: the alias *x stands inside its own anchor."},
    {BYTES("a: &x 1\nb: &x 2\n"), "t.yaml:2:7: the anchor &x is given twice, first on line 1."},
    {BYTES("a: &x 1\nb: {*x : 2}\n"), "t.yaml:2:6: a key must be a word, not an alias."},
    {BYTES("&x a: 1"), "t.yaml:1:4: an anchor belongs to a value: write 'a: &name ...'."},
    {BYTES("include: other.yaml"), "t.yaml:1:1: only a file can include others."},
};

static void faults_are_explained(void **state) {
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    fly_error error = {0};
    fly_tree *tree;
    assert_int_equal(fly_tree_parse(&tree, "t.yaml", faults[i].text, faults[i].length, &error), FLY_BAD_INPUT);
    assert_null(tree);
    assert_message(error.message, faults[i].message, faults[i].text);
    assert_int_equal(fly_tree_parse(&tree, "t.yaml", faults[i].text, faults[i].length, NULL), FLY_BAD_INPUT);
  }
}

// A text of n times a piece between a head and a tail.
static char *repeat(const char *head, const char *piece, int n, const char *tail) {
  size_t length = strlen(piece);
  char *text = malloc(strlen(head) + (size_t)n * length + strlen(tail) + 1), *s = text;
  assert_non_null(text);
  s += sprintf(s, "%s", head);
  for (int i = 0; i < n; i++, s += length)
    memcpy(s, piece, length);
  strcpy(s, tail);
  return text;
}

static void assert_refused(char *text, const char *message) {
  fly_error error = {0};
  fly_tree *tree;
  assert_int_equal(fly_tree_parse(&tree, "t.yaml", text, strlen(text), &error), FLY_BAD_INPUT);
  assert_message(error.message, message, text);
  free(text);
}

static void large_faults(void **state) {
  assert_refused(repeat("a: ", "[1,", 1000, ""), "t.yaml:1:301: mappings and lists are nested more than 100 deep.");
  assert_refused(repeat("", "- ", 200, "x"),
                 "t.yaml:1:1: a file begins with keys, such as 'bodies:', not with a list.");
  assert_refused(repeat("a:\n", "- ", 200, "x"), "t.yaml:2:199: mappings and lists are nested more than 100 deep.");
  assert_refused(repeat("a: ", "[", 200, ""), "t.yaml:1:104: more than 100 brackets are opened in a row.");
  assert_refused(repeat("a: ", "x", 10000000, ""),
                 "t.yaml:1:1: this line has 10000003 bytes; a line may have 1048576. Break it.");
  assert_refused(repeat("a: 1\nb: [", "1,", 5000000, "1]\nc: 2"),
                 "t.yaml:2:1: this line has 10000006 bytes; a line may have 1048576. Break it.");
  assert_refused(repeat("", "k", 201, ": 1"), "t.yaml:1:1: this key has 201 bytes; a key may have 200.");
  assert_refused(repeat("a:\n", "\n", 100000, "b: c: d"),
                 "t.yaml:100002:5: a second ': ' on this line; put quotes around "
                 "a text that contains one.");
}

static void hundred_levels_are_allowed(void **state) {
  char *open = repeat("a: ", "[1,", 99, ""), *text = repeat(open, "]", 99, "");
  fly_tree *tree = parse(text);
  fly_tree_free(tree);
  free(open);
  free(text);
}

// Ten lines that stand for 10^9 values; and for a hundred levels.
static void aliases_do_not_explode(void **state) {
  char text[2000] = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n", deep[6000] = "a0: &a0 [1]\n";
  for (int i = 1; i < 10; i++)
    sprintf(text + strlen(text), "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i, i, i - 1, i - 1,
            i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
  for (int i = 1; i < 120; i++)
    sprintf(deep + strlen(deep), "a%d: &a%d [*a%d]\n", i, i, i - 1);
  fly_error error;
  fly_tree *tree;
  assert_int_equal(fly_tree_parse(&tree, "t.yaml", text, strlen(text), &error), FLY_BAD_INPUT);
  assert_message(error.message,
                 "t.yaml:6:39: the aliases up to here stand for more than 1000000 values (long texts count as many).",
                 text);
  assert_int_equal(fly_tree_parse(&tree, "t.yaml", deep, strlen(deep), &error), FLY_BAD_INPUT);
  assert_message(error.message, "t.yaml:100:13: mappings and lists are nested more than 100 deep.", deep);
}

static void messages_show_the_line(void **state) {
  fly_error error;
  fly_tree *tree = parse("bodies:\n  crank: {mas: 1}\n");
  const fly_tree_node *crank = fly_tree_find(fly_tree_find(tree->root, "bodies"), "crank");
  assert_int_equal(fly_tree_fail_key(&crank->entry[0], &error, "a body has no '%s'; do you mean '%s'?", "mas", "mass"),
                   FLY_BAD_INPUT);
  assert_string_equal(error.message, "t.yaml:2:11: a body has no 'mas'; do you mean 'mass'?\n"
                                     "      crank: {mas: 1}\n"
                                     "              ^");
  fly_tree_fail(crank->entry[0].value, &error, "1 is not enough.");
  assert_string_equal(error.message, "t.yaml:2:16: 1 is not enough.\n"
                                     "      crank: {mas: 1}\n"
                                     "                   ^");
  assert_int_equal(fly_tree_fail(crank, NULL, "nobody listens"), FLY_BAD_INPUT);
  fly_tree_free(tree);
}

static void messages_show_a_part_of_long_lines(void **state) {
  fly_error error;
  char *text = repeat("a: [", "12345, ", 1000, "x]");
  fly_tree *tree = parse(text);
  fly_tree_fail(at(fly_tree_find(tree->root, "a"), 500), &error, "here.");
  char *line = strchr(error.message, '\n') + 1, *caret = strchr(line, '\n') + 1;
  assert_memory_equal(error.message, "t.yaml:1:3505: here.\n", 21);
  assert_true(caret - line < 110);
  assert_memory_equal(line + strcspn(caret, "^"), "12345,", 6);
  fly_tree_fail(at(fly_tree_find(tree->root, "a"), 500), &error, "%s", text); // longer than a message can be
  assert_true(strlen(error.message) < sizeof error.message);
  fly_tree_free(tree);
  free(text);
}

static void messages_show_the_end_of_long_paths(void **state) {
  fly_tree *tree = NULL;
  fly_error error = {0};
  char *path = repeat("/", "folder/", 40, "model.yaml");
  assert_int_equal(fly_tree_parse(&tree, path, "a: [", 4, &error), FLY_BAD_INPUT);
  assert_memory_equal(error.message, "...", 3);
  assert_memory_equal(error.message + 3, path + strlen(path) - 160, 160);
  assert_memory_equal(error.message + 163, ":1:", 3);
  free(path);
}

static void tabs_keep_the_caret_in_place(void **state) {
  fly_error error;
  fly_tree *tree = parse("a:\t\xC3\xA4 b\n");
  fly_tree_fail(fly_tree_find(tree->root, "a"), &error, "so.");
  assert_string_equal(error.message, "t.yaml:1:4: so.\n    a:\t\xC3\xA4 b\n      \t^");
  fly_tree_free(tree);
}

// ---------------------------------------------------------------------------------- files

static char folder[] = "/tmp/flyball-tree-XXXXXX";

static int make_folder(void **state) { return mkdtemp(folder) == NULL; }

static int remove_folder(void **state) {
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static const char *path_of(const char *name) {
  static char path[300];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void put_file(const char *name, const char *text) {
  FILE *file = fopen(path_of(name), "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static fly_tree *load(const char *name) {
  fly_error error;
  fly_tree *tree;
  if (fly_tree_load(&tree, path_of(name), &error) != FLY_OK)
    fail_msg("%s", error.message);
  return tree;
}

// The message, in which FOLDER stands for the folder of the test.
static void assert_load_fails(const char *name, const char *expected) {
  fly_error error;
  fly_tree *tree;
  char message[1024] = "";
  for (const char *s = expected; *s != 0; s++) {
    bool here = strncmp(s, "FOLDER", 6) == 0;
    snprintf(message + strlen(message), sizeof message - strlen(message), here ? "%s" : "%.1s", here ? folder : s);
    s += here ? 5 : 0;
  }
  assert_int_equal(fly_tree_load(&tree, path_of(name), &error), FLY_BAD_INPUT);
  assert_null(tree);
  assert_message(error.message, message, name);
}

static void files_that_cannot_be_read(void **state) {
  mkdir(path_of("sub"), 0777);
  put_file("empty.yaml", "");
  put_file("bad.yaml", "a: 1\nb: c: d\n");
  assert_load_fails("none.yaml", "FOLDER/none.yaml: there is no such file.");
  assert_load_fails("none/none.yaml", "FOLDER/none/none.yaml: there is no such file.");
  assert_load_fails("sub", "FOLDER/sub: this is a folder, not a file.");
  assert_load_fails("empty.yaml", "FOLDER/empty.yaml:1:1: this file is empty.");
  assert_load_fails("bad.yaml",
                    "FOLDER/bad.yaml:2:5: a second ': ' on this line; put quotes around a text that contains "
                    "one.");
}

static void includes_are_merged(void **state) {
  mkdir(path_of("sub"), 0777);
  put_file("main.yaml", "flyball: 1\ninclude: [sub/parts.yaml, common.yaml]\nbodies:\n  crank: {mass: 1}\nname: x\n");
  put_file("sub/parts.yaml", "flyball: 1\ninclude: ../common.yaml\nbodies:\n  rod: {mass: 2}\n");
  put_file("common.yaml", "parameters: {r: 0.1}\nbodies:\n  wheel: {mass: 3}\n");
  fly_tree *tree = load("main.yaml");
  assert_int_equal(tree->root->count, 4);
  assert_null(fly_tree_find(tree->root, "include"));
  const fly_tree_node *bodies = fly_tree_find(tree->root, "bodies");
  assert_int_equal(bodies->count, 3);
  static const char *const order[] = {"wheel", "rod", "crank"};
  for (int i = 0; i < 3; i++)
    assert_string_equal(bodies->entry[i].key, order[i]);
  const char *path = fly_tree_path(at(bodies, 1));
  assert_string_equal(path + strlen(path) - 14, "sub/parts.yaml");
  assert_place(at(bodies, 1), 4, 8);
  fly_tree_free(tree);
}

static void large_includes_keep_their_hash(void **state) {
  static char text[20000];
  char key[20];
  for (int part = 0; part < 2; part++) {
    size_t n = (size_t)sprintf(text, "%sbodies:\n", part == 0 ? "include: [./big1.yaml]\n" : "");
    for (int i = 0; i < 500; i++)
      n += (size_t)sprintf(text + n, "  b%d: {mass: %d}\n", 500 * part + i, i);
    put_file(part == 0 ? "big0.yaml" : "big1.yaml", text);
  }
  fly_tree *tree = load("big0.yaml");
  const fly_tree_node *bodies = fly_tree_find(tree->root, "bodies");
  assert_int_equal(bodies->count, 1000);
  for (int i = 0; i < 1000; i++) {
    sprintf(key, "b%d", i);
    assert_non_null(fly_tree_find(bodies, key));
  }
  fly_tree_free(tree);
}

static void faulty_includes(void **state) {
  mkdir(path_of("sub"), 0777);
  put_file("i1.yaml", "a: 1\ninclude: nowhere.yaml\n");
  assert_load_fails("i1.yaml", "FOLDER/i1.yaml:2:10: cannot include FOLDER/nowhere.yaml: there is no such file.");
  put_file("i2.yaml", "include: [sub]\n");
  assert_load_fails("i2.yaml", "FOLDER/i2.yaml:1:11: cannot include FOLDER/sub: this is a folder, not a file.");
  put_file("i3.yaml", "include: {a: 1}\n");
  assert_load_fails("i3.yaml",
                    "FOLDER/i3.yaml:1:10: include takes the name of a file, or a list of them, not a mapping.");
  put_file("i4.yaml", "include:\n");
  assert_load_fails("i4.yaml", "FOLDER/i4.yaml:1:1: include takes the name of a file, or a list of them, not nothing.");
  put_file("i5.yaml", "include: i6.yaml\n");
  put_file("i6.yaml", "a: [\n");
  assert_load_fails("i5.yaml", "FOLDER/i6.yaml:1:4: this bracket is not closed.");
  put_file("i7.yaml", "include: sub/i8.yaml\n");
  put_file("sub/i8.yaml", "x: 1\ninclude: ['.././i7.yaml']\n");
  assert_load_fails("i7.yaml", "FOLDER/sub/i8.yaml:2:11: the includes go in a circle: FOLDER/i7.yaml includes "
                               "FOLDER/sub/i8.yaml includes FOLDER/i7.yaml.");
  put_file("i9.yaml", "include: i9.yaml\n");
  assert_load_fails("i9.yaml",
                    "FOLDER/i9.yaml:1:10: the includes go in a circle: FOLDER/i9.yaml includes FOLDER/i9.yaml.");
  put_file("i10.yaml", "include: i11.yaml\nbodies: {crank: 1}\n");
  put_file("i11.yaml", "bodies:\n  crank: 2\n");
  assert_load_fails("i10.yaml", "FOLDER/i10.yaml:2:10: 'crank' is given twice, first at FOLDER/i11.yaml:2:3.");
  put_file("i12.yaml", "include: i11.yaml\nbodies: 1\n");
  assert_load_fails("i12.yaml", "FOLDER/i12.yaml:2:1: 'bodies' is given twice, first at FOLDER/i11.yaml:1:1.");
  put_file("i13.yaml", "include: i14.yaml\nname: a\n");
  put_file("i14.yaml", "name: b\n");
  assert_load_fails("i13.yaml", "FOLDER/i13.yaml:2:1: 'name' is given twice, first at FOLDER/i14.yaml:1:1.");
}

static void long_chains_of_includes(void **state) {
  char name[20], text[60];
  for (int i = 0; i < 20; i++) {
    sprintf(name, "c%d.yaml", i);
    sprintf(text, "include: c%d.yaml\nk%d: 1\n", i + 1, i);
    put_file(name, text);
  }
  assert_load_fails("c0.yaml", "FOLDER/c15.yaml:1:10: more than 16 files include each other in a chain.");
  put_file("c16.yaml", "k16: 1\n");
  fly_tree *tree = load("c1.yaml");
  assert_int_equal(tree->root->count, 16);
  fly_tree_free(tree);
}

// ---------------------------------------------------------------------------------- round trips

static void assert_same(const fly_tree_node *a, const fly_tree_node *b) {
  assert_int_equal(a->kind, b->kind);
  assert_int_equal(a->quoted, b->quoted);
  if (a->kind == FLY_TREE_SCALAR) {
    assert_string_equal(a->text, b->text);
    return;
  }
  assert_int_equal(a->count, b->count);
  for (int i = 0; i < a->count; i++) {
    if (a->kind == FLY_TREE_MAPPING)
      assert_string_equal(a->entry[i].key, b->entry[i].key);
    assert_same(a->entry[i].value, b->entry[i].value);
  }
}

static char *written(const fly_tree *tree) {
  char *text = NULL;
  size_t length;
  FILE *file = open_memstream(&text, &length);
  assert_true(fly_tree_write(file, tree->root));
  fclose(file);
  return text;
}

static void round_trip(const char *text) {
  fly_tree *tree = parse(text);
  char *once = written(tree);
  fly_tree *again = parse(once);
  char *twice = written(again);
  assert_same(tree->root, again->root);
  assert_string_equal(once, twice);
  fly_tree_free(tree);
  fly_tree_free(again);
  free(once);
  free(twice);
}

static void trees_survive_a_round_trip(void **state) {
  round_trip("{}");
  round_trip("flyball: 1\nname: slider crank\ngravity: [0, -9.81, 0]\nparameters: {r: 0.15, speed: 120*rpm}\n"
             "bodies:\n  crank: {mass: 0.36, inertia: [1e-5, 0.0027, 0.0027], markers: {pin: [r/2, 0, 0]}}\n"
             "motions:\n  drive: {joint: main, angle: 'step(time, 0, 1)'}\n"
             "simulate: {end: 0.1, method: hht}\nempty:\nnull: ~\n");
  round_trip("a: ''\nb: ' x '\nc: \"1\"\nd: 'true'\ne: \"tab\\tquote\\\"back\\\\slash\\nline\"\nf: |\n  text\n   more\n"
             "g: >-\n  folded\n  text\n");
  round_trip("a: [[], {}, [[]], [{}], '', ~]\n");
  round_trip("-x: -y\n'- z': ?a\n'a: b': 'c #d'\n'[': ']'\n'#': '&a'\n'---': 1\n'---x': ---\n\"\\x01\": \"\\x85\"\n");
  round_trip("a: x,y [z] {w}\nb: (\nc: {d: '('}\ne: http://x:80/y\nf: a:b\n");
  round_trip("\xC3\xA4: \xE2\x80\x93\nb: \"\\u2028\\uFEFF\xF0\x9F\x98\x80\"\nc: \"\\ud83d\\ude00\"\n");
  round_trip("list:\n  - a\n  - - b\n    - c\n  -\n  - d: 1\n    e:\n  - {f: }\n");
  round_trip("a: &x [1, {b: 2}]\nc: *x\n");
}

static void long_things_take_lines(void **state) {
  char *items = repeat("table: [", "[0.123456789, 1.5], ", 20, "[1, 2]]\nmap: {");
  char *text = repeat(items, "x", 1,
                      ": {y: 1, z: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                      "aaaaaaaaaaaaaaaaaaaaaaaaaaa}}\n");
  round_trip(text);
  fly_tree *tree = parse(text);
  char *out = written(tree);
  assert_memory_equal(out, "table:\n  - [0.123456789, 1.5]\n", 30);
  fly_tree_free(tree);
  free(out);
  free(text);
  free(items);
}

static void scalars_get_quotes_where_needed(void **state) {
  static const struct {
    const char *text;
    bool quoted, in_flow;
    const char *expected;
  } cases[] = {
      {"abc", false, false, "abc"},      {"abc", true, false, "\"abc\""},    {"a, b", false, false, "a, b"},
      {"a, b", false, true, "\"a, b\""}, {"", false, false, "\"\""},         {"a: b", false, false, "\"a: b\""},
      {"a:b", false, false, "a:b"},      {"a:", false, false, "\"a:\""},     {"- a", false, false, "\"- a\""},
      {"-a", false, false, "-a"},        {"a #b", false, false, "\"a #b\""}, {"a\nb", false, false, "\"a\\nb\""},
      {"f(1", false, true, "\"f(1\""},   {"f(1", false, false, "f(1"},       {" a", false, false, "\" a\""},
      {"-1.5", false, true, "-1.5"},     {"@", false, false, "\"@\""},       {"a\"b", true, false, "\"a\\\"b\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    fly_tree_write_scalar(file, cases[i].text, cases[i].quoted, cases[i].in_flow);
    fclose(file);
    assert_string_equal(text, cases[i].expected);
    free(text);
  }
}

static void a_full_disk_is_noticed(void **state) {
  FILE *file = fopen("/dev/full", "w");
  if (file == NULL)
    skip();
  fly_tree *tree = parse("a: 1");
  assert_false(fly_tree_write(file, tree->root));
  fclose(file);
  fly_tree_free(tree);
}

// ---------------------------------------------------------------------------------- memory

// Makes each allocation fail in turn: no leak, no crash, the right status; in the end it succeeds.
static void memory_may_run_out(void **state) {
  static char text[40000];
  size_t n = (size_t)sprintf(text, "include: m2.yaml\nx: &a [1]\ny: [*a, &b 2, &c 3]\nbodies:\n");
  for (int i = 0; i < 300; i++)
    n += (size_t)sprintf(text + n, "  b%d: {mass: %d, position: [1, 2, 3], note: \"some text to fill a block\"}\n", i,
                         i);
  put_file("m1.yaml", text);
  put_file("m2.yaml", "{\"include\": \"m3.yaml\", \"bodies\": {\"c\": 1}}");
  char *json = repeat("{\"list\": [", "123456, ", 500, "1]}");
  put_file("m3.yaml", json);
  free(json);
  const char *path = path_of("m1.yaml");
  fly_status status = FLY_NO_MEMORY;
  int failures = 0;
  for (int i = 1; status != FLY_OK; i++) {
    fly_error error;
    fly_tree *tree;
    allocations_reset(i);
    status = fly_tree_load(&tree, path, &error);
    allocations_reset(0);
    fly_tree_free(tree);
    if (status != FLY_OK) {
      failures++;
      assert_int_equal(status, FLY_NO_MEMORY);
      assert_null(tree);
    }
  }
  assert_true(failures > 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scalars_lists_and_mappings),
      cmocka_unit_test(places_of_keys_and_values),
      cmocka_unit_test(windows_files),
      cmocka_unit_test(numbers_and_other_scalars),
      cmocka_unit_test(nulls_and_bools),
      cmocka_unit_test(numbers_ignore_the_locale),
      cmocka_unit_test(texts_in_quotes),
      cmocka_unit_test(blocks_of_text),
      cmocka_unit_test(aliases_are_the_same_node),
      cmocka_unit_test(one_line_of_json),
      cmocka_unit_test(one_line_that_only_looks_like_json),
      cmocka_unit_test(large_mappings_are_found_by_hash),
      cmocka_unit_test(faults_are_explained),
      cmocka_unit_test(large_faults),
      cmocka_unit_test(hundred_levels_are_allowed),
      cmocka_unit_test(aliases_do_not_explode),
      cmocka_unit_test(messages_show_the_line),
      cmocka_unit_test(messages_show_a_part_of_long_lines),
      cmocka_unit_test(messages_show_the_end_of_long_paths),
      cmocka_unit_test(tabs_keep_the_caret_in_place),
      cmocka_unit_test(files_that_cannot_be_read),
      cmocka_unit_test(includes_are_merged),
      cmocka_unit_test(large_includes_keep_their_hash),
      cmocka_unit_test(faulty_includes),
      cmocka_unit_test(long_chains_of_includes),
      cmocka_unit_test(trees_survive_a_round_trip),
      cmocka_unit_test(long_things_take_lines),
      cmocka_unit_test(scalars_get_quotes_where_needed),
      cmocka_unit_test(a_full_disk_is_noticed),
      cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
