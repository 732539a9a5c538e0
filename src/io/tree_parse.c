// From the events of libfyaml to our tree. Its document builder is not used: it takes quadratic time.
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <libfyaml.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/tree_nodes.h"

// A mapping or sequence that is not closed yet.
typedef struct frame {
  fly_tree_node *node;
  bool flow;  // written with {} or []
  int first;  // its first entry among the pending ones
  int height; // containers inside each other from here on, this one included
  int anchor; // its number among the anchors, or -1
  bool keyed; // a key waits for its value:
  fly_tree_entry key;
} frame;

// What is known of an anchor beside its name and node.
typedef struct anchor {
  bool open;  // its node is not closed yet
  int height; // of its node
  long nodes; // in it, aliases expanded
} anchor;

typedef struct builder {
  fly_tree *tree;
  const fly_source *source;
  fly_error *error;
  struct fy_parser *parser;
  struct fy_diag *diag;
  fly_cursor cursor;           // place of the last event that has one
  size_t after;                // offset behind the last token
  fly_tree_node *root;         // of the document
  fly_tree_node *main;         // of that which is no part; NULL: none yet
  int parts;                   // so far
  frame frame[FLY_TREE_DEPTH]; // open mappings and sequences (depth)
  int depth;
  fly_tree_entry *pending; // entries of the open ones (count)
  int count, capacity;
  fly_tree_table anchors; // by name
  anchor *anchor;         // in the same order (anchors.count)
  int anchor_capacity;
  long nodes, expanded; // so far, aliases expanded; by aliases
} builder;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static fly_status
fail(const builder *b, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fly_status status = fly_source_fail(b->source, b->cursor.line, b->cursor.column, b->error, format, arguments);
  va_end(arguments);
  return status;
}

static frame *top(builder *b) { return b->depth > 0 ? &b->frame[b->depth - 1] : NULL; }

static bool wants_key(builder *b) {
  const frame *f = top(b);
  return f != NULL && f->node->kind == FLY_TREE_MAPPING && !f->keyed;
}

// Moves to the start of a token; that of a quoted text is its quote, which the parser's mark leaves out. Without a
// token (an empty value) the cursor stays where it is.
static void move_to(builder *b, struct fy_token *token) {
  const struct fy_mark *mark = token != NULL ? fy_token_start_mark(token) : NULL;
  if (mark == NULL || mark->input_pos > b->source->length)
    return;
  enum fy_scalar_style style = fy_token_scalar_style(token);
  size_t quote = (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) && mark->input_pos > 0;
  fly_cursor_move(&b->cursor, b->source, mark->input_pos - quote);
}

static fly_tree_node *new_node(builder *b, fly_tree_kind kind) {
  fly_tree_node *node = fly_tree_take(b->tree, sizeof *node);
  const frame *f = top(b);
  if (node == NULL)
    return NULL;
  *node = (fly_tree_node){.kind = (unsigned char)kind,
                          .in_flow = f != NULL && f->flow,
                          .line = b->cursor.line,
                          .column = b->cursor.column,
                          .source = b->source};
  return node;
}

// ------------------------------------------------------------------------------------------------ attaching

static fly_status push_entry(builder *b, fly_tree_entry entry) {
  if (!fly_reserve(&b->pending, &b->capacity, b->count + 1, sizeof *b->pending))
    return fly_tree_no_memory(b->error);
  b->pending[b->count++] = entry;
  return FLY_OK;
}

// Puts a complete node where it belongs: the value of the key that waits, the next of a list, or the root.
static fly_status attach(builder *b, const fly_tree_node *node, int height) {
  frame *f = top(b);
  if (f == NULL)
    return FLY_OK; // the root: kept when it began
  fly_tree_entry entry = f->keyed ? f->key : (fly_tree_entry){.key = NULL};
  entry.value = node;
  f->keyed = false;
  if (height + 1 > f->height)
    f->height = height + 1;
  return push_entry(b, entry);
}

// ------------------------------------------------------------------------------------------------ anchors

static fly_status too_deep(const builder *b) {
  return fail(b, "mappings and lists are nested more than %d deep.", FLY_TREE_DEPTH);
}

static bool add_anchor(builder *b, int number) {
  if (!fly_reserve(&b->anchor, &b->anchor_capacity, number + 1, sizeof *b->anchor))
    return false;
  b->anchor[number] = (anchor){.open = true, .nodes = -b->nodes};
  return true;
}

// Notes the anchor of a node that begins here; its number or -1 goes to *number.
static fly_status note_anchor(builder *b, struct fy_token *token, const fly_tree_node *node, int *number) {
  *number = -1;
  if (token == NULL)
    return FLY_OK;
  size_t length = 0;
  const char *text = fy_token_get_text(token, &length);
  const char *name = fly_tree_copy_text(b->tree, text, text != NULL ? length : 0);
  if (name == NULL)
    return fly_tree_no_memory(b->error);
  const fly_tree_entry *first = fly_tree_table_find(&b->anchors, name);
  if (first != NULL)
    return fail(b, "the anchor &%.60s is given twice, first on line %d.", name, first->key_line);
  fly_tree_entry entry = {.key = name, .key_line = node->line, .key_column = node->column, .value = node};
  *number = b->anchors.count;
  return fly_tree_table_add(&b->anchors, entry) && add_anchor(b, *number) ? FLY_OK : fly_tree_no_memory(b->error);
}

static void close_anchor(builder *b, int number, int height) {
  if (number < 0)
    return;
  anchor *a = &b->anchor[number];
  a->open = false;
  a->height = height;
  a->nodes += b->nodes;
}

// An alias is the node of its anchor once more. What it would be if written out is counted, so that a few lines of
// aliases of aliases cannot stand for a tree that nobody could walk through.
static fly_status on_alias(builder *b, struct fy_event *event) {
  move_to(b, fy_event_get_token(event));
  if (wants_key(b))
    return fail(b, "a key must be a word, not an alias.");
  size_t length = 0;
  const char *text = fy_token_get_text(fy_event_get_token(event), &length);
  const char *name = fly_tree_copy_text(b->tree, text, text != NULL ? length : 0);
  if (name == NULL)
    return fly_tree_no_memory(b->error);
  const fly_tree_entry *found = fly_tree_table_find(&b->anchors, name);
  if (found == NULL)
    return fail(b, "there is no anchor &%.60s above this alias.", name);
  const anchor *a = &b->anchor[found - b->anchors.entry];
  if (a->open)
    return fail(b, "the alias *%.60s stands inside its own anchor.", name);
  if (b->depth + a->height > FLY_TREE_DEPTH)
    return too_deep(b);
  b->nodes += a->nodes;
  b->expanded += a->nodes;
  if (b->expanded > FLY_TREE_EXPANSION)
    return fail(b, "the aliases up to here stand for more than %d values (long texts count as many).",
                FLY_TREE_EXPANSION);
  return attach(b, found->value, a->height);
}

// ------------------------------------------------------------------------------------------------ scalars

// In {angle: step(time, 0, 1)} the commas separate entries, and the text is "step(time".
static fly_status check_parentheses(const builder *b, const char *text) {
  int open = 0;
  for (const char *s = text; *s != 0; s++)
    open += *s == '(' ? 1 : *s == ')' ? -1 : 0;
  if (open == 0)
    return FLY_OK;
  return fail(b,
              "'%.60s' has an unbalanced parenthesis. A call with commas inside {} or [] needs quotes: "
              "\"step(time, 0, 1)\".",
              text);
}

static bool is_quoted(struct fy_token *token) { return token != NULL && fy_token_scalar_style(token) != FYSS_PLAIN; }

// The column that the lines of a block of text must be beyond: that of its key, or of the dash before it.
static int block_column(const frame *f) { return f->keyed ? f->key.key_column : f->node->column; }

static const char *decode(builder *b, struct fy_token *token, bool *decoded) {
  size_t start = fy_token_start_mark(token)->input_pos, end = fy_token_end_mark(token)->input_pos;
  const char *text = b->source->text;
  enum fy_scalar_style style = fy_token_scalar_style(token);
  assert(start <= end && end <= b->source->length);
  if (style == FYSS_LITERAL || style == FYSS_FOLDED)
    return fly_tree_decode_block(b->tree, text + b->after, text + end, block_column(top(b)), decoded);
  return fly_tree_decode(b->tree, text + start, end - start,
                         style == FYSS_DOUBLE_QUOTED   ? FLY_TREE_DOUBLE
                         : style == FYSS_SINGLE_QUOTED ? FLY_TREE_SINGLE
                                                       : FLY_TREE_PLAIN,
                         decoded);
}

// The text of a scalar, copied.
static const char *scalar_text(builder *b, struct fy_token *token, fly_status *status) {
  bool decoded = true, in_flow = top(b)->flow;
  const char *text = token != NULL ? decode(b, token, &decoded) : "";
  if (text == NULL)
    *status = fly_tree_no_memory(b->error);
  else if (!decoded && fy_token_scalar_style(token) == FYSS_DOUBLE_QUOTED)
    *status = fail(b, "this text has an escape (\\0, \\u, \\x) that is not a character.");
  else if (!decoded)
    *status = fail(b, "the text after | or > is missing, or not indented more than its key.");
  else if (in_flow && !is_quoted(token))
    *status = check_parentheses(b, text);
  return text;
}

static fly_status set_key(builder *b, const char *text, bool anchored) {
  if (text[0] == 0)
    return fail(b, "a key is missing before ':'.");
  if (strlen(text) > FLY_TREE_KEY)
    return fail(b, "this key has %zu bytes; a key may have %d.", strlen(text), FLY_TREE_KEY);
  if (strcmp(text, "<<") == 0)
    return fail(b, "merging by '<<' is not part of YAML 1.2; write the keys out.");
  if (anchored)
    return fail(b, "an anchor belongs to a value: write '%s: &name ...'.", text);
  frame *f = top(b);
  f->keyed = true;
  f->key = (fly_tree_entry){.key = text, .key_line = b->cursor.line, .key_column = b->cursor.column};
  return FLY_OK;
}

static fly_status add_scalar(builder *b, const char *text, bool quoted, struct fy_token *anchor_token) {
  int number;
  fly_tree_node *node = new_node(b, FLY_TREE_SCALAR);
  if (node == NULL)
    return fly_tree_no_memory(b->error);
  node->text = text;
  node->quoted = quoted;
  fly_status status = note_anchor(b, anchor_token, node, &number);
  if (status != FLY_OK)
    return status;
  b->nodes += 1 + (long)(strlen(text) / FLY_TREE_LONG);
  close_anchor(b, number, 0);
  return attach(b, node, 0);
}

static fly_status on_scalar(builder *b, struct fy_event *event) {
  struct fy_token *token = event->scalar.value;
  fly_status status = FLY_OK;
  move_to(b, token);
  const char *text = scalar_text(b, token, &status);
  if (status != FLY_OK)
    return status;
  if (wants_key(b))
    return set_key(b, text, event->scalar.anchor != NULL);
  return add_scalar(b, text, is_quoted(token), event->scalar.anchor);
}

// ------------------------------------------------------------------------------------------------ mappings, sequences

static fly_status on_start(builder *b, struct fy_event *event, fly_tree_kind kind) {
  move_to(b, fy_event_get_token(event));
  if (wants_key(b))
    return fail(b, "a key must be a word, not %s.", kind == FLY_TREE_MAPPING ? "a mapping" : "a list");
  if (b->depth == FLY_TREE_DEPTH)
    return too_deep(b);
  fly_tree_node *node = new_node(b, kind);
  if (node == NULL)
    return fly_tree_no_memory(b->error);
  int number;
  fly_status status = note_anchor(b, fy_event_get_anchor_token(event), node, &number);
  if (status != FLY_OK)
    return status;
  b->nodes++;
  bool flow = fy_event_get_node_style(event) == FYNS_FLOW;
  b->frame[b->depth++] = (frame){.node = node, .flow = flow, .first = b->count, .height = 1, .anchor = number};
  if (b->root == NULL)
    b->root = node;
  return FLY_OK;
}

// A document is complete: a part, or what the file is.
static fly_status file_document(builder *b) {
  if (fly_tree_find(b->root, "part") != NULL) {
    b->parts++;
    return fly_tree_add_part(b->tree, b->root, b->error);
  }
  if (b->main != NULL)
    return fly_tree_fail(b->root, b->error,
                         "a second model begins here, the first is on line %d; other documents are parts, and begin "
                         "with 'part: NAME'.",
                         b->main->line);
  b->main = b->root;
  return FLY_OK;
}

static fly_status on_end(builder *b) {
  assert(b->depth > 0);
  frame f = b->frame[b->depth - 1];
  const int count = b->count - f.first;
  fly_status status = fly_tree_close(b->tree, f.node, count > 0 ? b->pending + f.first : NULL, count, b->error);
  if (status != FLY_OK)
    return status;
  b->count = f.first;
  b->depth--;
  close_anchor(b, f.anchor, f.height);
  return b->depth == 0 ? file_document(b) : attach(b, f.node, f.height);
}

// ------------------------------------------------------------------------------------------------ events

// Anchors are those of their document.
static void on_document(builder *b, struct fy_event *event) {
  move_to(b, event->document_start.document_start);
  fly_tree_table_free(&b->anchors);
  b->root = NULL;
}

// Sees to it that the root is a mapping, before a scalar or a list is taken in.
static fly_status check_root(builder *b, struct fy_event *event) {
  if (b->depth > 0 || event->type == FYET_MAPPING_START)
    return FLY_OK;
  move_to(b, fy_event_get_token(event));
  if (event->type == FYET_SEQUENCE_START)
    return fail(b, "a file begins with keys, such as 'bodies:', not with a list.");
  return fail(b, "a file begins with keys, such as 'bodies:'. Is a colon with a blank after it missing?");
}

static fly_status check_tag(builder *b, struct fy_event *event) {
  struct fy_token *tag = fy_event_get_tag_token(event);
  if (tag == NULL)
    return FLY_OK;
  move_to(b, tag);
  return fail(b, "tags (words that begin with !) are not used in model files.");
}

static fly_status on_node(builder *b, struct fy_event *event) {
  fly_status status = check_root(b, event);
  if (status == FLY_OK)
    status = check_tag(b, event);
  if (status != FLY_OK)
    return status;
  if (event->type == FYET_SCALAR)
    return on_scalar(b, event);
  return on_start(b, event, event->type == FYET_MAPPING_START ? FLY_TREE_MAPPING : FLY_TREE_SEQUENCE);
}

static fly_status on_event(builder *b, struct fy_event *event) {
  switch (event->type) {
  case FYET_DOCUMENT_START:
    on_document(b, event);
    return FLY_OK;
  case FYET_MAPPING_START:
  case FYET_SEQUENCE_START:
  case FYET_SCALAR:
    return on_node(b, event);
  case FYET_MAPPING_END:
  case FYET_SEQUENCE_END:
    return on_end(b);
  case FYET_ALIAS:
    return on_alias(b, event);
  default:
    return FLY_OK;
  }
}

// ------------------------------------------------------------------------------------------------ faults of the text

// What the parser says, and what a user can do with it. The first that fits counts.
static const struct {
  const char *says, *means;
} words[] = {
    {"tab", "a tab cannot indent; use spaces."},
    {"without closing quote", "this quote is not closed."},
    {"trailing content", "something follows the closing quote. A quote inside is written \\\" or, in single ones, ''."},
    {"wrongly indented single-quoted", "this quote is not closed, or the lines that follow are not indented."},
    {"wrongly indented double-quoted", "this quote is not closed, or the lines that follow are not indented."},
    {"quoted scalar used as key", "this text spans lines and is used as a key. Is a quote not closed?"},
    {"wrongly indented", "inside {} or [] the lines that follow must be indented more than the key."},
    {"invalid nested block mapping", "a second ': ' on this line; put quotes around a text that contains one."},
    {"multiline plain key", "this text and the next line are read as one, and then a ':' follows. Is a ':' missing "
                            "here, or is the next line indented by mistake?"},
    {"plain scalar cannot start", "a text that begins with this character needs quotes."},
    {"missing comma", "a comma is missing between two entries."},
    {"extra comma", "a value is missing before this comma."},
    {"comma in the beginning", "a value is missing before this comma."},
    {"extra closing", "this bracket closes nothing."},
    {"mismatched flow", "this bracket is not of the kind that is open."},
    {"invalid value after mapping", "this does not belong here. Is a ':' with a blank after it missing?"},
    {"indentation", "this line is indented like none above it."},
    {"on the same line as a mapping key", "a list of '-' begins on a new line."},
    {"expected node content", "a value is missing before this."},
    {"no linebreak found", "the text after | or > begins on a new line."},
};

// NULL if the parser's own words must do.
static const char *explain(const char *says) {
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strstr(says, words[i].says) != NULL)
      return words[i].means;
  return NULL;
}

// The innermost bracket that is open, or NULL.
static const fly_tree_node *open_bracket(builder *b) {
  const frame *f = top(b);
  return f != NULL && f->flow ? f->node : NULL;
}

// The first thing the parser complained about.
static fly_status syntax_error(builder *b) {
  void *iterator = NULL;
  const struct fy_diag_error *found = fy_diag_errors_iterate(b->diag, &iterator);
  if (found == NULL || found->msg == NULL)
    return fail(b, "this is not YAML from here on.");
  size_t offset = fly_source_offset(b->source, found->line, found->column);
  const fly_tree_node *bracket = open_bracket(b);
  if (offset >= b->source->length && bracket != NULL)
    return fly_tree_fail(bracket, b->error, "this bracket is not closed.");
  char still_open[80] = "";
  if (bracket != NULL && bracket->line < found->line)
    snprintf(still_open, sizeof still_open, " The bracket of line %d, column %d is still open.", bracket->line,
             bracket->column);
  const char *means = explain(found->msg);
  if (means != NULL)
    return fly_source_fail_at(b->source, offset, b->error, "%s%s", means, still_open);
  return fly_source_fail_at(b->source, offset, b->error, "this is not YAML: %s.%s", found->msg, still_open);
}

static void pass(builder *b, struct fy_token *token) {
  const struct fy_mark *end = token != NULL ? fy_token_end_mark(token) : NULL;
  if (end != NULL && end->input_pos > b->after && end->input_pos <= b->source->length)
    b->after = end->input_pos;
}

static fly_status read_events(builder *b) {
  bool ended = false;
  fly_status status = FLY_OK;
  while (status == FLY_OK && !ended) {
    struct fy_event *event = fy_parser_parse(b->parser);
    if (event == NULL)
      return syntax_error(b);
    ended = event->type == FYET_STREAM_END;
    status = on_event(b, event);
    pass(b, fy_event_get_token(event));
    fy_parser_event_free(b->parser, event);
  }
  if (status == FLY_OK && b->main == NULL && b->parts == 0)
    return fail(b, "this file is empty%s.", b->source->length > 0 ? ": there are only comments and blanks in it" : "");
  return status;
}

static bool open_parser(builder *b) {
  struct fy_diag_cfg diag_options;
  fy_diag_cfg_default(&diag_options);
  diag_options.fp = NULL; // what it has to say is collected
  b->diag = fy_diag_create(&diag_options);
  if (b->diag == NULL)
    return false;
  fy_diag_set_collect_errors(b->diag, true);
  const struct fy_parse_cfg options = {
      .flags = FYPCF_QUIET | FYPCF_DISABLE_DEPTH_LIMIT | FYPCF_JSON_NONE | FYPCF_DEFAULT_VERSION_1_2, .diag = b->diag};
  b->parser = fy_parser_create(&options);
  return b->parser != NULL && fy_parser_set_string(b->parser, b->source->text, b->source->length) == 0;
}

fly_status fly_tree_parse_events(fly_tree *tree, const fly_source *source, fly_tree_node **root, fly_error *error) {
  builder b = {.tree = tree, .source = source, .error = error, .cursor = {.line = 1, .column = 1}};
  fly_status status = open_parser(&b) ? read_events(&b) : fly_tree_no_memory(error);
  *root = b.main;
  if (b.parser != NULL)
    fy_parser_destroy(b.parser);
  if (b.diag != NULL)
    fy_diag_destroy(b.diag);
  fly_tree_table_free(&b.anchors);
  free(b.anchor);
  free(b.pending);
  return status;
}

fly_status fly_tree_parse_source(fly_tree *tree, const fly_source *source, fly_tree_node **root, fly_error *error) {
  const fly_status status = fly_tree_parse_plain(tree, source, root, error);
  if (status != FLY_OK)
    return status;
  const bool plain = *root != NULL;
  tree->memory->dollars = tree->memory->dollars || !plain || memchr(source->text, '$', source->length) != NULL;
  if (!plain)
    return fly_tree_parse_events(tree, source, root, error);
  if (fly_tree_find(*root, "part") == NULL)
    return FLY_OK;
  const fly_tree_node *part = *root;
  *root = NULL;
  return fly_tree_add_part(tree, part, error);
}
