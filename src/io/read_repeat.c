// Repetitions: elements made many times over, each time with another number in their names.
//
//   repeat:
//     links:
//       count: N
//       bodies: {link$i: {mass: m*i}}              # link1: {mass: m*1}, link2: {mass: m*2}, ...
//       joints: {pin$i: {from: link$(i-1).tip, to: link$i}}
//
// In names, references and expressions $i, or $(i + 1), stands for a whole number; outside of repetitions too, where it
// is over parameters. In numbers and expressions i itself is a number.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/forms.h"
#include "io/reader.h"
#include "io/tree_nodes.h"

enum { MOST_MADE = 1000000, DIGITS = 12, LONGEST_PIECE = 200 };

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// ------------------------------------------------------------------------------------------ numbers in names

// A text that holds a number: a scalar, or the key of an entry.
typedef struct origin {
  const fly_tree_node *node;
  const fly_tree_entry *entry; // NULL: the scalar
} origin;

static bool fault_at(fly_reader *r, origin from, size_t offset, const char *why) {
  if (from.entry != NULL) {
    fly_tree_entry at = *from.entry;
    at.key_column += (int)offset;
    return fly_reader_fault_key(r, &at, "%s", why);
  }
  fly_tree_node at = *from.node;
  at.column += (int)offset + at.quoted;
  return fly_reader_fault(r, &at, "%s", why);
}

// Length of the name, or of the parentheses with what is in them, at s; 0: it is neither.
static size_t piece_length(const char *s) {
  size_t length = 0;
  if (is_letter(*s)) {
    while (is_letter(s[length]) || is_digit(s[length]))
      length++;
    return length;
  }
  for (int open = 0; s[length] != 0; length++) {
    open += s[length] == '(' ? 1 : s[length] == ')' ? -1 : 0;
    if (open == 0)
      return length > 0 ? length + 1 : 0;
  }
  return 0;
}

// What $piece stands for. Faults are told at an offset of the text.
static bool evaluate_piece(fly_reader *r, origin from, size_t offset, const char *piece, double *value) {
  char why[400];
  fly_error one = {0};
  const fly_expr_scope scope = fly_reader_scope(r);
  const fly_expr_number *number = fly_expr_find_number(&scope, piece); // mostly it is $i, and needs no parser
  if (number != NULL) {
    *value = number->value;
    return true;
  }
  const fly_status status = fly_expr_evaluate(value, piece, &scope, &one);
  if (status == FLY_NO_MEMORY)
    return fly_reader_no_memory(r);
  if (status == FLY_OK)
    return true;
  const char *colon = strstr(one.message, ": "), *said = colon != NULL ? colon + 2 : one.message; // not "column 3: "
  const char *end = strchr("?.)", said[strlen(said) - 1]) != NULL ? "" : ".";
  snprintf(why, sizeof why, "'$%.60s': %.300s%s", piece, said, end);
  return fault_at(r, from, offset, why);
}

// The whole number that stands behind a $ at an offset of a text; *length: of what it replaces, with the $.
static bool number_at(fly_reader *r, origin from, const char *text, size_t offset, long *number, size_t *length) {
  char piece[LONGEST_PIECE], why[400];
  const size_t count = piece_length(text + offset + 1);
  double value = 0;
  if (count == 0 || count >= sizeof piece)
    return fault_at(r, from, offset,
                    "$ is followed by the name of a whole number, or by an expression in parentheses: link$i, "
                    "link$(i + 1).");
  snprintf(piece, sizeof piece, "%.*s", (int)count, text + offset + 1);
  if (!evaluate_piece(r, from, offset, piece, &value))
    return false;
  if (!(value >= 0 && value <= 1e9 && value == floor(value))) {
    snprintf(why, sizeof why, "'$%.60s' is %g; a number in a name is whole and not negative.", piece, value);
    return fault_at(r, from, offset, why);
  }
  *number = (long)value;
  *length = count + 1;
  return true;
}

// A text with its numbers put in; NULL: a fault.
static const char *fill_text(fly_reader *r, origin from, const char *text) {
  size_t dollars = 0;
  for (const char *s = text; *s != 0; s++)
    dollars += *s == '$';
  char *filled = fly_tree_take_text(r->tree, strlen(text) + dollars * DIGITS + 1), *out = filled;
  if (filled == NULL) {
    fly_reader_no_memory(r);
    return NULL;
  }
  for (const char *s = text; *s != 0;) {
    long number = 0;
    size_t length = 0;
    if (*s != '$') {
      *out++ = *s++;
      continue;
    }
    if (!number_at(r, from, text, (size_t)(s - text), &number, &length))
      return NULL;
    out += sprintf(out, "%ld", number);
    s += length;
  }
  *out = 0;
  if (from.entry != NULL && out - filled > FLY_TREE_KEY) {
    fault_at(r, from, 0, "this name becomes too long.");
    return NULL;
  }
  return filled;
}

static bool has_numbers(const fly_tree_node *node) {
  if (node->kind == FLY_TREE_SCALAR)
    return strchr(node->text, '$') != NULL;
  for (int k = 0; k < node->count; k++)
    if ((node->entry[k].key != NULL && strchr(node->entry[k].key, '$') != NULL) || has_numbers(node->entry[k].value))
      return true;
  return false;
}

static const fly_tree_node *fill(fly_reader *r, const fly_tree_node *node);

// An entry with its numbers put in.
static bool fill_entry(fly_reader *r, fly_tree_entry *out, const fly_tree_entry *entry) {
  *out = *entry;
  if (entry->key != NULL && strchr(entry->key, '$') != NULL)
    out->key = fill_text(r, (origin){entry->value, entry}, entry->key);
  out->value = fill(r, entry->value);
  return (entry->key == NULL || out->key != NULL) && out->value != NULL;
}

static bool fill_entries(fly_reader *r, fly_tree_node *copy, const fly_tree_node *node) {
  fly_tree_entry *entry = fly_tree_take(r->tree, (size_t)node->count * sizeof *entry);
  fly_error one = {0};
  if (entry == NULL)
    return fly_reader_no_memory(r);
  for (int k = 0; k < node->count; k++)
    if (!fill_entry(r, &entry[k], &node->entry[k]))
      return false;
  const fly_status status = fly_tree_close(r->tree, copy, entry, node->count, &one);
  if (status == FLY_NO_MEMORY)
    return fly_reader_no_memory(r);
  return status == FLY_OK || fly_reader_fault_text(r, "%s", one.message); // a key twice
}

// What has no numbers to put in is not copied.
static const fly_tree_node *fill(fly_reader *r, const fly_tree_node *node) {
  if (!r->tree->memory->dollars || !has_numbers(node))
    return node;
  fly_tree_node *copy = fly_tree_take(r->tree, sizeof *copy);
  if (copy == NULL) {
    fly_reader_no_memory(r);
    return NULL;
  }
  *copy = *node;
  copy->made = true;
  copy->from = NULL;
  copy->slot = NULL;
  if (node->kind != FLY_TREE_SCALAR)
    return fill_entries(r, copy, node) ? copy : NULL;
  copy->text = fill_text(r, (origin){node, NULL}, node->text);
  return copy->text != NULL ? copy : NULL;
}

bool fly_reader_filled_items(fly_reader *r, const char *section, const fly_tree_node *node) {
  const fly_tree_node *filled = fill(r, node);
  return filled != NULL && fly_reader_items(r, section, filled);
}

// ------------------------------------------------------------------------------------------ the index in expressions

// The length of the word at s, dots included: link3.tip.
static size_t word_length(const char *s) {
  size_t length = 0;
  while (is_letter(s[length]) || is_digit(s[length]) || s[length] == '.')
    length++;
  return length;
}

static const fly_expr_number *find_index(const fly_reader *r, const char *word, size_t length) {
  const fly_expr_number *index = r->parameter + r->spec->nparameter;
  for (int k = 0; k < r->nindex; k++)
    if (strlen(index[k].name) == length && strncmp(index[k].name, word, length) == 0)
      return &index[k];
  return NULL;
}

const fly_tree_node *fly_reader_put_indices(fly_reader *r, const fly_tree_node *node) {
  if (r->nindex == 0)
    return node;
  const size_t length = strlen(node->text); // an index has at least one letter, and becomes (123)
  char *text = fly_tree_take_text(r->tree, length * (DIGITS + 2) + 1), *out = text;
  fly_tree_node *copy = fly_tree_take(r->tree, sizeof *copy);
  bool found = false;
  if (text == NULL || copy == NULL) {
    fly_reader_no_memory(r);
    return NULL;
  }
  for (const char *s = node->text; *s != 0;) {
    const size_t word = word_length(s);
    const fly_expr_number *index = find_index(r, s, word);
    if (index != NULL)
      out += sprintf(out, "(%.0f)", index->value);
    else
      out = (char *)memcpy(out, s, word > 0 ? word : 1) + (word > 0 ? word : 1);
    found = found || index != NULL;
    s += word > 0 ? word : 1;
  }
  if (!found)
    return node;
  *out = 0;
  *copy = *node;
  copy->made = true;
  copy->from = NULL;
  copy->text = text;
  return copy;
}

// ------------------------------------------------------------------------------------------ uses of parts

// What a use says, with the index put into its expressions; NULL: a fault.
static const fly_tree_node *put_everywhere(fly_reader *r, const fly_tree_node *node) {
  if (node->kind == FLY_TREE_SCALAR)
    return node->text != NULL ? fly_reader_put_indices(r, node) : node;
  fly_tree_node *copy = fly_tree_take(r->tree, sizeof *copy);
  fly_tree_entry *entry = fly_tree_take(r->tree, ((size_t)node->count + 1) * sizeof *entry);
  fly_error one = {0};
  if (copy == NULL || entry == NULL) {
    fly_reader_no_memory(r);
    return NULL;
  }
  *copy = *node;
  copy->made = true;
  copy->from = NULL;
  copy->slot = NULL;
  for (int k = 0; k < node->count; k++) {
    static const char *const names[] = {"part", "like", "mirror", "connect"};
    bool name = false;
    entry[k] = node->entry[k];
    for (int i = 0; i < 4 && entry[k].key != NULL; i++)
      name = name || strcmp(entry[k].key, names[i]) == 0;
    entry[k].value = name ? entry[k].value : put_everywhere(r, entry[k].value);
    if (entry[k].value == NULL)
      return NULL;
  }
  if (fly_tree_close(r->tree, copy, entry, node->count, &one)) {
    fly_reader_no_memory(r);
    return NULL;
  }
  return copy;
}

// The uses of a repetition once.
static bool make_uses(fly_reader *r, const char *name, const fly_tree_node *section) {
  (void)name;
  for (int k = 0; k < section->count; k++)
    if (strchr(section->entry[k].key, '$') == NULL)
      return fly_reader_fault_key(r, &section->entry[k],
                                  "a use in a repetition has its number in its name, as '%.60s$i': else all of them "
                                  "would be called the same.",
                                  section->entry[k].key);
  const fly_tree_node *filled = fill(r, section);
  for (int k = 0; filled != NULL && k < filled->count; k++) {
    fly_tree_entry *use = fly_tree_take(r->tree, sizeof *use);
    if (use == NULL)
      return fly_reader_no_memory(r);
    *use = filled->entry[k];
    use->value = put_everywhere(r, use->value);
    if (use->value == NULL || !r->made_use(use, r->maker))
      return false;
  }
  return filled != NULL;
}

// ------------------------------------------------------------------------------------------ repetitions

static bool read_repetitions(fly_reader *r, const fly_tree_node *node, const char *section);

typedef struct repetition {
  const fly_tree_entry *entry;
  fly_field field[FLY_REPEAT_ROWS];
  const char *index; // its name
  int count, first;
} repetition;

static bool whole(fly_reader *r, const fly_field *field, const char *name, int *out) {
  const double value = field->number[0];
  if (value != floor(value))
    return fly_reader_fault(r, field->entry->value, "'%s' must be a whole number, but is %g.", name, value);
  *out = (int)value;
  return true;
}

// The word that names the index: no parameter, and no index around it.
static bool read_index(fly_reader *r, repetition *p) {
  const fly_tree_entry *entry = p->field[FLY_REPEAT_INDEX].entry;
  p->index = "i";
  if (entry != NULL) {
    p->index = fly_reader_text(r, entry->value, "index", "a name");
    fly_tree_entry named = {p->index, entry->value->line, entry->value->column, entry->value};
    if (p->index != NULL && fly_expr_unit_named(p->index) != NULL)
      return fly_reader_fault(r, entry->value, "the index '%.20s' has the name of a unit (%s); give it another.",
                              p->index, fly_expr_unit_named(p->index)->about);
    if (p->index == NULL || !fly_reader_check_name(r, &named, "index"))
      return false;
  }
  const fly_expr_scope scope = fly_reader_scope(r);
  const fly_expr_number *taken = fly_expr_find_number(&scope, p->index);
  if (taken != NULL)
    return fly_reader_fault_key(
        r, entry != NULL ? entry : p->entry, "the index '%.60s' is also the name of %s; give it another with 'index'.",
        p->index, taken - r->parameter < r->spec->nparameter ? "a parameter" : "the index of the repetition around it");
  return r->nindex < FLY_READER_INDICES ||
         fly_reader_fault_key(r, p->entry, "more than %d repetitions stand inside each other.", FLY_READER_INDICES);
}

static bool read_form(fly_reader *r, repetition *p) {
  const char *also[18] = {"repeat"};
  int count = 1;
  for (int k = 0; fly_repeated_sections[k] != NULL; k++)
    also[count++] = fly_repeated_sections[k];
  also[count] = "use";
  const fly_tree_node *node = p->entry->value;
  if (!fly_reader_fields(r, node, "a repetition", fly_repeat_form, also, p->field))
    return false;
  if (p->field[FLY_REPEAT_COUNT].entry == NULL)
    return fly_reader_fault_key(r, p->entry, "the repetition '%.60s' needs 'count': how often.", p->entry->key);
  bool any = fly_tree_find(node, "repeat") != NULL || fly_tree_find(node, "use") != NULL;
  for (int k = 0; fly_repeated_sections[k] != NULL; k++)
    any = any || fly_tree_find(node, fly_repeated_sections[k]) != NULL;
  if (!any)
    return fly_reader_fault_key(r, p->entry,
                                "the repetition '%.60s' makes nothing: give it bodies, joints, motions, "
                                "forces, states, variables, outputs or uses of parts.",
                                p->entry->key);
  p->first = 1;
  return whole(r, &p->field[FLY_REPEAT_COUNT], "count", &p->count) &&
         (p->field[FLY_REPEAT_FIRST].entry == NULL || whole(r, &p->field[FLY_REPEAT_FIRST], "first", &p->first)) &&
         read_index(r, p);
}

static bool count_made(fly_reader *r, const repetition *p, int more) {
  r->made += more;
  return r->made <= MOST_MADE ||
         fly_reader_fault(r, p->field[FLY_REPEAT_COUNT].entry->value,
                          "the repetitions of this model make more than %d elements.", MOST_MADE);
}

static bool fill_items(fly_reader *r, const char *name, const fly_tree_node *section) {
  return fly_reader_filled_items(r, name, section);
}

// One section of a repetition once. The index has its value.
static bool make_once(fly_reader *r, const repetition *p, const char *name) {
  const fly_tree_node *section, *inner;
  if (!fly_reader_section(r, p->entry->value, name, &section) ||
      !fly_reader_section(r, p->entry->value, "repeat", &inner))
    return false;
  const bool uses = strcmp(name, "use") == 0;
  if (section != NULL && !(count_made(r, p, section->count) && (uses ? make_uses : fill_items)(r, name, section)))
    return false;
  return inner == NULL || (count_made(r, p, 1) && read_repetitions(r, inner, name));
}

// Does a repetition make anything of a section, itself or by those inside? What makes nothing is not done 10^9 times.
// What is no mapping is a fault, to be told.
static bool makes(const fly_tree_node *node, const char *section) {
  if (node->kind != FLY_TREE_MAPPING)
    return true;
  const fly_tree_node *own = fly_tree_find(node, section), *inner = fly_tree_find(node, "repeat");
  bool any = (own != NULL && (own->kind != FLY_TREE_MAPPING || own->count > 0)) ||
             (inner != NULL && inner->kind != FLY_TREE_MAPPING);
  for (int k = 0; inner != NULL && !any && k < inner->count; k++)
    any = makes(inner->entry[k].value, section);
  return any;
}

static bool read_repetition(fly_reader *r, const fly_tree_entry *entry, const char *section) {
  repetition p = {.entry = entry};
  if (!fly_reader_check_name(r, entry, "repetition") || !read_form(r, &p))
    return false;
  if (!makes(entry->value, section))
    return true;
  fly_expr_number *index = &r->parameter[r->spec->nparameter + r->nindex++];
  bool good = true;
  index->name = p.index;
  for (int k = 0; k < p.count && good; k++) { // what is wrong once is wrong again
    index->value = p.first + k;
    good = make_once(r, &p, section);
  }
  r->nindex--;
  return good;
}

static bool read_repetitions(fly_reader *r, const fly_tree_node *node, const char *section) {
  bool good = true;
  for (int k = 0; k < node->count && fly_reader_goes_on(r); k++)
    good = read_repetition(r, &node->entry[k], section) && good;
  return good;
}

bool fly_reader_repetitions(fly_reader *r, const fly_tree_node *root, const char *section) {
  const fly_tree_node *node;
  const bool good = fly_reader_section(r, root, "repeat", &node);
  return node != NULL ? read_repetitions(r, node, section) : good;
}
