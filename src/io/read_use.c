// Parts: `use` makes the sections of the model from those of its parts, every name with that of the use before it.
//
//   part: pid                                                  # a document of its own, before or behind the model
//   parameters: {kp: 1}
//   inputs: {error: 0}
//   variables: {out: kp*error}
//   ---
//   use: {speed: {part: pid, kp: 2, error: target - wz(rotor)}}
//
// becomes the parameter speed.kp, the variable speed.error, which is what was given for the input, and the variable
// speed.out: speed.kp*speed.error. What is behind this file reads one model, and knows nothing of parts.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/expansion.h"
#include "io/forms.h"
#include "io/read.h"

enum { DEEPEST = 16, MOST_SETTINGS = 500, MOST_HIDDEN = 64 };

// A document, and how its names become those of the model.
typedef struct scope {
  fly_expansion *x;
  const fly_tree_node *root;
  fly_naming naming;
  fly_tree_table names;
  int depth;
} scope;

// A use: what it says, with what it takes from another.
typedef struct settings {
  const fly_tree_entry *use;
  int count;
  fly_tree_entry entry[MOST_SETTINGS];
} settings;

// ------------------------------------------------------------------------------------------ sections

// Adds an entry whose name and value are made; false: one of them is not.
static bool add_made(fly_expansion *x, const char *name, const fly_tree_entry *from, const char *key,
                     const fly_tree_node *value) {
  if (key == NULL || value == NULL)
    return false;
  return fly_gather(x->r, fly_gathered_section(x, name),
                    (fly_tree_entry){key, from->key_line, from->key_column, value});
}

// ------------------------------------------------------------------------------------------ names

// All names of a document, for expressions: those of a part hide units.
static bool list_names(scope *s) {
  for (int k = 0; k < s->root->count; k++) {
    const fly_tree_node *node = s->root->entry[k].value;
    const char *key = s->root->entry[k].key;
    if ((!fly_is_made_section(key) && strcmp(key, "use") != 0) || strcmp(key, "repeat") == 0 ||
        node->kind != FLY_TREE_MAPPING)
      continue;
    for (int i = 0; i < node->count; i++)
      if (fly_tree_table_find(&s->names, node->entry[i].key) == NULL && !fly_tree_table_add(&s->names, node->entry[i]))
        return fly_reader_no_memory(s->x->r);
  }
  return true;
}

// ------------------------------------------------------------------------------------------ what a use says

static const fly_tree_entry *find_setting(const settings *s, const char *key) {
  for (int k = 0; k < s->count; k++)
    if (strcmp(s->entry[k].key, key) == 0)
      return &s->entry[k];
  return NULL;
}

static bool add_setting(fly_reader *r, settings *s, const fly_tree_entry *entry) {
  for (int k = 0; k < s->count; k++)
    if (strcmp(s->entry[k].key, entry->key) == 0) {
      s->entry[k] = *entry;
      return true;
    }
  if (s->count == MOST_SETTINGS)
    return fly_reader_fault_key(r, entry, "a use takes at most %d keys.", MOST_SETTINGS);
  s->entry[s->count++] = *entry;
  return true;
}

// Connections are overridden one by one.
static bool add_connections(fly_reader *r, settings *s, const fly_tree_entry *entry) {
  const fly_tree_entry *old = find_setting(s, "connect");
  if (old == NULL || old->value->kind != FLY_TREE_MAPPING || entry->value->kind != FLY_TREE_MAPPING)
    return add_setting(r, s, entry);
  const int most = old->value->count + entry->value->count;
  fly_tree_entry *both = fly_tree_take(r->tree, (size_t)most * sizeof *both);
  int count = 0;
  if (both == NULL)
    return fly_reader_no_memory(r);
  for (int k = 0; k < old->value->count; k++)
    if (fly_tree_find(entry->value, old->value->entry[k].key) == NULL)
      both[count++] = old->value->entry[k];
  for (int k = 0; k < entry->value->count; k++)
    both[count++] = entry->value->entry[k];
  fly_tree_entry joined = *entry;
  joined.value = fly_naming_make(r, entry->value, FLY_TREE_MAPPING, both, count);
  return joined.value != NULL && add_setting(r, s, &joined);
}

// All that a use says: after what it is like.
static bool read_settings(const scope *in, const fly_tree_entry *use, settings *s, int depth) {
  fly_reader *r = in->x->r;
  const fly_tree_node *node = use->value, *like = fly_tree_find(node, "like");
  if (node->kind != FLY_TREE_MAPPING)
    return fly_reader_fault(r, node, "a use takes a mapping {part: pid, ...}, not %s.", fly_tree_kind_name(node));
  if (like != NULL) {
    const fly_tree_entry *other =
        like->kind == FLY_TREE_SCALAR ? fly_tree_find_entry(fly_tree_find(in->root, "use"), like->text) : NULL;
    if (other == NULL)
      return fly_reader_fault(r, like, "'like' takes the name of another use%s%.60s%s.",
                              like->kind == FLY_TREE_SCALAR ? "; there is no '" : "",
                              like->kind == FLY_TREE_SCALAR ? like->text : "",
                              like->kind == FLY_TREE_SCALAR ? "'" : "");
    if (depth == DEEPEST)
      return fly_reader_fault(r, like, "these uses are like each other in a circle, or more than %d deep.", DEEPEST);
    if (!read_settings(in, other, s, depth + 1))
      return false;
  }
  for (int k = 0; k < node->count; k++) {
    const fly_tree_entry *entry = &node->entry[k];
    const bool connect = strcmp(entry->key, "connect") == 0;
    if (strcmp(entry->key, "like") != 0 && !(connect ? add_connections(r, s, entry) : add_setting(r, s, entry)))
      return false;
  }
  return true;
}

static void append_keys(char *list, size_t size, const fly_tree_node *node) {
  for (int k = 0; node != NULL && node->kind == FLY_TREE_MAPPING && k < node->count; k++) {
    const size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%.60s", used > 0 ? ", " : "", node->entry[k].key);
  }
}

static bool unknown_setting(fly_reader *r, const scope *part, const fly_tree_entry *entry) {
  char parameters[300] = "", inputs[200] = "", suggestion[100] = "";
  const fly_tree_node *section[] = {fly_tree_find(part->root, "parameters"), fly_tree_find(part->root, "inputs")};
  const char *words[MOST_SETTINGS + 16];
  int count = 0;
  for (; count < FLY_USE_ROWS; count++)
    words[count] = fly_use_form[count].name;
  for (int i = 0; i < 2; i++)
    for (int k = 0; section[i] != NULL && k < section[i]->count && count < MOST_SETTINGS; k++)
      words[count++] = section[i]->entry[k].key;
  words[count] = NULL;
  append_keys(parameters, sizeof parameters, section[0]);
  append_keys(inputs, sizeof inputs, section[1]);
  fly_reader_suggest(suggestion, sizeof suggestion, entry->key, words);
  return fly_reader_fault_key(r, entry,
                              "the part '%.60s' has no parameter and no input '%.60s'.%s Its parameters: %s. "
                              "Its inputs: %s.",
                              fly_part_name(part->root), entry->key, suggestion,
                              parameters[0] != 0 ? parameters : "none", inputs[0] != 0 ? inputs : "none");
}

static bool check_settings(const scope *part, const settings *s) {
  const fly_tree_node *parameters = fly_tree_find(part->root, "parameters"),
                      *inputs = fly_tree_find(part->root, "inputs");
  bool good = true;
  for (int k = 0; k < s->count; k++) {
    const fly_tree_entry *entry = &s->entry[k];
    const bool known = fly_tree_find(parameters, entry->key) != NULL || fly_tree_find(inputs, entry->key) != NULL;
    if (!known && !fly_is_use_key(entry->key))
      good = unknown_setting(part->x->r, part, entry);
    else if (known && (entry->value->kind != FLY_TREE_SCALAR || fly_tree_is_null(entry->value)))
      good = fly_reader_fault(part->x->r, entry->value, "'%.60s' takes a number or an expression, not %s.", entry->key,
                              fly_tree_kind_name(entry->value));
  }
  return good;
}

// ------------------------------------------------------------------------------------------ parameters and inputs

// The value of a parameter or input of a part: itself, or that in {value, unit, text}.
static const fly_tree_node *default_of(const fly_tree_entry *entry) {
  const fly_tree_node *value =
      entry->value->kind == FLY_TREE_MAPPING ? fly_tree_find(entry->value, "value") : entry->value;
  return value != NULL && !fly_tree_is_null(value) ? value : NULL;
}

static bool is_missing(const scope *part, const fly_tree_entry *entry, const char *what) {
  const fly_tree_entry *use = part->naming.use->entry;
  return fly_reader_fault_key(part->x->r, use, "'%.60s' needs '%.60s', %s of the part '%.60s' that has no value there.",
                              use->key, entry->key, what, fly_part_name(part->root));
}

static bool check_parameter(fly_reader *r, const fly_tree_entry *entry) {
  static const char *const keys[] = {"value", "unit", "text", NULL};
  const fly_tree_node *node = entry->value;
  for (int k = 0; node->kind == FLY_TREE_MAPPING && k < node->count; k++)
    if (!fly_reader_knows(keys, node->entry[k].key))
      return fly_reader_fault_key(
          r, &node->entry[k], "a parameter of a part takes value, unit and text, but no '%.60s'.", node->entry[k].key);
  return true;
}

static bool add_parameters(const scope *outer, scope *part, const settings *s) {
  const fly_tree_node *node = fly_tree_find(part->root, "parameters");
  bool good = true;
  for (int k = 0; node != NULL && k < node->count && fly_reader_goes_on(part->x->r); k++) {
    const fly_tree_entry *entry = &node->entry[k], *given = find_setting(s, entry->key);
    const fly_tree_node *value = given != NULL ? given->value : default_of(entry);
    const fly_naming *naming = given != NULL ? &outer->naming : &part->naming;
    if (!check_parameter(part->x->r, entry))
      good = false;
    else if (value == NULL)
      good = is_missing(part, entry, "a parameter");
    else
      good = add_made(part->x, "parameters", given != NULL ? given : entry, fly_naming_key(&part->naming, entry),
                      fly_naming_value(naming, value, FLY_NAMING_EXPRESSION, NULL)) &&
             good;
  }
  return good;
}

// An input that is given is a variable: {value: what was given, unit: of the input}.
static const fly_tree_node *given_input(const scope *outer, const fly_tree_entry *entry, const fly_tree_entry *given) {
  const fly_tree_node *value = fly_naming_value(&outer->naming, given->value, FLY_NAMING_EXPRESSION, NULL);
  const fly_tree_entry *unit = fly_tree_find_entry(entry->value, "unit");
  if (value == NULL || unit == NULL)
    return value;
  fly_tree_entry pair[2] = {{"value", given->key_line, given->key_column, value}, *unit};
  return fly_naming_make(outer->x->r, value, FLY_TREE_MAPPING, pair, 2);
}

static bool add_inputs(const scope *outer, scope *part, const settings *s) {
  const fly_tree_node *node = fly_tree_find(part->root, "inputs");
  bool good = true;
  for (int k = 0; node != NULL && k < node->count && fly_reader_goes_on(part->x->r); k++) {
    const fly_tree_entry *entry = &node->entry[k], *given = find_setting(s, entry->key);
    const char *key = fly_naming_key(&part->naming, entry);
    if (given != NULL)
      good = add_made(part->x, "variables", given, key, given_input(outer, entry, given)) && good;
    else if (default_of(entry) == NULL)
      good = is_missing(part, entry, "an input");
    else
      good = add_made(part->x, "inputs", entry, key, fly_naming_element(&part->naming, "inputs", entry)) && good;
  }
  return good;
}

// ------------------------------------------------------------------------------------------ connections

static bool bad_connection(const scope *part, const fly_tree_entry *entry) {
  char list[200] = "";
  append_keys(list, sizeof list, fly_tree_find(part->root, "connect"));
  return fly_reader_fault_key(part->x->r, entry, "the part '%.60s' has no connection '%.60s'. It has: %s.",
                              fly_part_name(part->root), entry->key, list[0] != 0 ? list : "none");
}

static bool connect_one(const scope *outer, const scope *part, const fly_tree_entry *declared,
                        const fly_tree_node *given, fly_connection *out) {
  static const char *const kinds[] = {"body", "marker", "joint", NULL};
  fly_reader *r = part->x->r;
  const fly_tree_node *kind = declared->value;
  const fly_tree_entry *use = part->naming.use->entry, *to = fly_tree_find_entry(given, declared->key);
  if (kind->kind != FLY_TREE_SCALAR || !fly_reader_knows(kinds, kind->text))
    return fly_reader_fault(r, kind, "a connection is a body, a marker or a joint.");
  if (to == NULL)
    return fly_reader_fault_key(r, use, "'%.60s' needs connect: {%.60s: ...}, the %s that the part '%.60s' is tied to.",
                                use->key, declared->key, kind->text, fly_part_name(part->root));
  if (to->value->kind != FLY_TREE_SCALAR || fly_tree_is_null(to->value))
    return fly_reader_fault(r, to->value, "'%.60s' takes the name of a %s, not %s.", to->key, kind->text,
                            fly_tree_kind_name(to->value));
  const fly_tree_node *name = fly_naming_value(&outer->naming, to->value, FLY_NAMING_REFERENCE, NULL);
  if (name == NULL)
    return false;
  const fly_tree_node *own = fly_tree_find(fly_tree_find(part->root, "bodies"), declared->key);
  *out = (fly_connection){declared->key, kind->text, name->text, fly_tree_find(own, "markers")};
  return true;
}

static bool connect(const scope *outer, scope *part, const settings *s) {
  const fly_tree_node *declared = fly_tree_find(part->root, "connect");
  const fly_tree_entry *connect = find_setting(s, "connect");
  const fly_tree_node *given = connect != NULL ? connect->value : NULL;
  const int count = declared != NULL && declared->kind == FLY_TREE_MAPPING ? declared->count : 0;
  bool good = true;
  if (given != NULL && given->kind != FLY_TREE_MAPPING)
    return fly_reader_fault(part->x->r, given, "'connect' takes a mapping {name: body.marker}, not %s.",
                            fly_tree_kind_name(given));
  for (int k = 0; given != NULL && k < given->count; k++)
    if (fly_tree_find(declared, given->entry[k].key) == NULL)
      good = bad_connection(part, &given->entry[k]);
  fly_connection *list = fly_tree_take(part->x->r->tree, (size_t)count * sizeof *list);
  if (list == NULL)
    return fly_reader_no_memory(part->x->r);
  for (int k = 0; k < count && good; k++)
    good = connect_one(outer, part, &declared->entry[k], given, &list[k]);
  part->naming.connection = list;
  part->naming.nconnections = good ? count : 0;
  return good;
}

// ------------------------------------------------------------------------------------------ the sections of a document

// Markers and shapes of ground go to that of the model.
static bool add_ground(scope *s, const fly_tree_entry *entry) {
  fly_expansion *x = s->x;
  const fly_tree_node *node = entry->value;
  bool good = node->kind == FLY_TREE_MAPPING ||
              fly_reader_fault(x->r, node, "ground takes markers and shapes, not %s.", fly_tree_kind_name(node));
  for (int k = 0; good && k < node->count; k++) {
    const fly_tree_node *list = node->entry[k].value;
    const bool markers = strcmp(node->entry[k].key, "markers") == 0 && list->kind == FLY_TREE_MAPPING,
               shapes = strcmp(node->entry[k].key, "shapes") == 0 && list->kind == FLY_TREE_SEQUENCE;
    if (!markers && !shapes)
      return fly_reader_fault_key(x->r, &node->entry[k],
                                  "ground takes markers {name: [x, y, z]} and a list of shapes.");
    for (int i = 0; i < list->count && good; i++) {
      fly_tree_entry one = list->entry[i];
      one.key = markers ? fly_naming_key(&s->naming, &one) : NULL;
      one.value = fly_naming_value(&s->naming, one.value, FLY_NAMING_EXPRESSION, NULL);
      good =
          one.value != NULL && (shapes || one.key != NULL) && fly_gather(x->r, markers ? &x->marker : &x->shape, one);
    }
  }
  return good;
}

static const fly_connection *find_connection(const scope *s, const char *name) {
  for (int k = 0; k < s->naming.nconnections; k++)
    if (strcmp(s->naming.connection[k].name, name) == 0)
      return &s->naming.connection[k];
  return NULL;
}

// Markers that a part puts on a body it is tied to, where they lie in the frame of the part.
static bool add_tied(scope *s, const fly_connection *connection, const fly_tree_entry *entry) {
  fly_expansion *x = s->x;
  const fly_tree_node *node = entry->value, *markers = connection->markers;
  if (strcmp(connection->kind, "body") != 0 || node->kind != FLY_TREE_MAPPING || node->count != 1 || markers == NULL ||
      markers->kind != FLY_TREE_MAPPING)
    return fly_reader_fault_key(x->r, entry,
                                "'%.60s' is what the part is tied to: a body takes markers {name: [x, y, z]} here, and "
                                "nothing else.",
                                entry->key);
  bool good = true;
  for (int k = 0; k < markers->count && good; k++) {
    fly_tree_entry one = markers->entry[k], on = one;
    one.key = fly_naming_key(&s->naming, &one);
    one.value = fly_naming_value(&s->naming, one.value, FLY_NAMING_EXPRESSION, NULL);
    on.key = connection->stands_for;
    on.value = one.value;
    if (one.key == NULL || one.value == NULL)
      return false;
    good = strcmp(on.key, "ground") == 0 ? fly_gather(x->r, &x->marker, one)
                                         : fly_gather(x->r, &x->tied_name, one) && fly_gather(x->r, &x->tied, on);
  }
  return good;
}

static bool add_element(scope *s, const char *section, const fly_tree_entry *from) {
  fly_tree_entry entry = *from;
  if (strcmp(section, "functions") == 0 && !fly_reader_function_form(s->x->r, from, &entry))
    return false;
  if (s->naming.use == NULL)
    return fly_gather(s->x->r, fly_gathered_section(s->x, section), entry);
  if (strcmp(section, "bodies") == 0 && strcmp(entry.key, "ground") == 0)
    return add_ground(s, &entry);
  const fly_connection *tied = strcmp(section, "bodies") == 0 ? find_connection(s, entry.key) : NULL;
  if (tied != NULL)
    return add_tied(s, tied, &entry);
  const fly_tree_node *value = strcmp(section, "repeat") == 0 ? fly_naming_repeat(&s->naming, entry.value)
                               : strcmp(section, "tables") == 0
                                   ? fly_naming_value(&s->naming, entry.value, FLY_NAMING_EXPRESSION, NULL)
                                   : fly_naming_element(&s->naming, section, &entry);
  return add_made(s->x, section, &entry, fly_naming_key(&s->naming, &entry), value);
}

static bool add_sections(scope *s) {
  bool good = true;
  for (int k = 0; k < s->root->count; k++) {
    const char *section = s->root->entry[k].key;
    const fly_tree_node *node = s->root->entry[k].value;
    const bool done = s->naming.use != NULL && (strcmp(section, "parameters") == 0 || strcmp(section, "inputs") == 0);
    if (!fly_is_made_section(section) || done || node->kind != FLY_TREE_MAPPING)
      continue;
    for (int i = 0; i < node->count && fly_reader_goes_on(s->x->r); i++)
      good = add_element(s, section, &node->entry[i]) && good;
  }
  return good;
}

// ------------------------------------------------------------------------------------------ uses

static bool expand(scope *s);

static bool within_itself(const scope *in, const fly_tree_node *part, const fly_tree_entry *entry) {
  char chain[400] = "";
  for (const fly_use *use = in->naming.use; use != NULL; use = use->outer) {
    char before[300];
    snprintf(before, sizeof before, "%.299s", chain);
    snprintf(chain, sizeof chain, "'%.40s' uses %s", use->part, before);
    if (use->root == part)
      return fly_reader_fault_key(in->x->r, entry, "the part is within itself: %s'%.40s'.", chain, use->part);
  }
  return true;
}

static bool check_use_name(const scope *in, const fly_tree_entry *entry) {
  fly_reader *r = in->x->r;
  if (strchr(entry->key, '.') != NULL)
    return fly_reader_fault_key(
        r, entry, "'%.60s' cannot be the name of a use: the dot stands before the names inside.", entry->key);
  if (!fly_reader_check_name(r, entry, "use"))
    return false;
  if (strcmp(entry->key, "ground") == 0)
    return fly_reader_fault_key(r, entry, "a use cannot be called ground.");
  for (int k = 0; k < in->root->count; k++) {
    const fly_tree_node *section = in->root->entry[k].value;
    const fly_tree_entry *other = fly_tree_find_entry(section, entry->key);
    if (fly_is_made_section(in->root->entry[k].key) && other != NULL)
      return fly_reader_fault_key(r, entry, "the name '%.60s' is taken in %s, on line %d: '%.40s.x' could mean both.",
                                  entry->key, in->root->entry[k].key, other->key_line, entry->key);
  }
  return true;
}

static fly_use *new_use(const scope *in, const fly_tree_entry *entry, const fly_tree_node *root) {
  fly_reader *r = in->x->r;
  fly_use *use = fly_tree_take(r->tree, sizeof *use);
  const char *prefix = fly_naming_key(&in->naming, entry);
  if (use == NULL || prefix == NULL) {
    if (use == NULL)
      fly_reader_no_memory(r);
    return NULL;
  }
  *use = (fly_use){.prefix = prefix,
                   .part = fly_part_name(root),
                   .entry = entry,
                   .root = root,
                   .outer = in->naming.use,
                   .mirror = -1};
  if (r->last_use == NULL)
    r->last_use = &r->use;
  *r->last_use = use;
  r->last_use = &use->next;
  return use;
}

static bool read_mirror(fly_reader *r, fly_use *use, const fly_tree_entry *entry) {
  const fly_tree_node *node = entry->value;
  const bool word = node->kind == FLY_TREE_SCALAR && strlen(node->text) == 1 && strchr("xyz", node->text[0]) != NULL;
  if (node->kind == FLY_TREE_SCALAR && strcmp(node->text, "none") == 0)
    return true;
  if (!word)
    return fly_reader_fault(r, node, "'mirror' takes x, y or z, the axis that is turned round, or none.");
  use->mirror = node->text[0] - 'x';
  return true;
}

// The frame of a part on ground, for what names ground in it.
static bool add_frame(scope *part, const fly_use *use) {
  fly_tree_node *zero = fly_tree_take(part->x->r->tree, sizeof *zero);
  fly_tree_entry point[3];
  if (zero == NULL)
    return fly_reader_no_memory(part->x->r);
  *zero = *use->entry->value;
  zero->kind = FLY_TREE_SCALAR;
  zero->text = "0";
  zero->slot = NULL;
  zero->use = use;
  for (int k = 0; k < 3; k++)
    point[k] = (fly_tree_entry){.value = zero};
  fly_tree_entry frame = *use->entry;
  frame.key = use->prefix;
  frame.value = fly_naming_make(part->x->r, zero, FLY_TREE_SEQUENCE, point, 3);
  return frame.value != NULL && fly_gather(part->x->r, &part->x->marker, frame);
}

// Where a use puts its part; numbers are read when parameters are known.
static bool read_place(const scope *in, scope *part, const settings *s, fly_use *use) {
  const fly_tree_entry *at = find_setting(s, "at"), *turned = find_setting(s, "orientation"),
                       *mirror = find_setting(s, "mirror");
  if (at != NULL)
    use->at = fly_naming_value(&in->naming, at->value, FLY_NAMING_EXPRESSION, NULL);
  if (turned != NULL)
    use->orientation = fly_naming_value(&in->naming, turned->value, FLY_NAMING_EXPRESSION, NULL);
  if ((at != NULL && use->at == NULL) || (turned != NULL && use->orientation == NULL) ||
      (mirror != NULL && !read_mirror(in->x->r, use, mirror)))
    return false;
  const fly_use *outer = use->outer;
  use->mirrored = (use->mirror >= 0) != (outer != NULL && outer->mirrored);
  use->placed = at != NULL || turned != NULL || mirror != NULL || (outer != NULL && outer->placed);
  return !use->placed || add_frame(part, use);
}

// Parameters of a part that have the name of a unit.
static int list_hidden(const fly_tree_node *root, fly_expr_number hidden[MOST_HIDDEN]) {
  const fly_tree_node *node = fly_tree_find(root, "parameters");
  int count = 0;
  for (int k = 0; node != NULL && k < node->count && count < MOST_HIDDEN; k++)
    if (fly_expr_unit_named(node->entry[k].key) != NULL)
      hidden[count++] = (fly_expr_number){.name = node->entry[k].key};
  return count;
}

static bool expand_part(const scope *in, const settings *s, const fly_tree_node *root) {
  scope part = {.x = in->x, .root = root, .depth = in->depth + 1};
  if (!within_itself(in, root, s->use) || !fly_reader_check_part(in->x->r, root))
    return false;
  if (part.depth > DEEPEST)
    return fly_reader_fault_key(in->x->r, s->use, "parts are used inside each other more than %d deep.", DEEPEST);
  fly_use *use = new_use(in, s->use, root);
  if (use == NULL)
    return false;
  fly_expr_number hidden[MOST_HIDDEN];
  part.naming = (fly_naming){.r = in->x->r, .use = use, .names = &part.names, .hidden = hidden};
  part.naming.nhidden = list_hidden(root, hidden);
  const bool good = list_names(&part) && check_settings(&part, s) && read_place(in, &part, s, use) &&
                    connect(in, &part, s) && add_parameters(in, &part, s) && add_inputs(in, &part, s) && expand(&part);
  fly_tree_table_free(&part.names);
  return good;
}

static bool expand_use(const scope *in, const fly_tree_entry *entry) {
  fly_reader *r = in->x->r;
  settings *s = calloc(1, sizeof *s);
  if (s == NULL)
    return fly_reader_no_memory(r);
  s->use = entry;
  bool good = check_use_name(in, entry) && read_settings(in, entry, s, 0);
  const fly_tree_entry *part = good ? find_setting(s, "part") : NULL;
  if (good && part == NULL)
    good = fly_reader_fault_key(r, entry, "'%.60s' needs 'part': the name of a part, or of a file that holds one.",
                                entry->key);
  else if (good && (part->value->kind != FLY_TREE_SCALAR || fly_tree_is_null(part->value)))
    good =
        fly_reader_fault(r, part->value, "'part' takes the name of a part, not %s.", fly_tree_kind_name(part->value));
  else if (good) {
    const fly_tree_node *root = fly_reader_find_part(r, part->value);
    good = root != NULL && expand_part(in, s, root);
  }
  free(s);
  return good;
}

// Does a list of repetitions, or one inside, use parts?
static const fly_tree_entry *repeated_use(const fly_tree_node *list) {
  for (int k = 0; list != NULL && list->kind == FLY_TREE_MAPPING && k < list->count; k++) {
    const fly_tree_node *one = list->entry[k].value;
    const fly_tree_entry *inner = repeated_use(fly_tree_find(one, "repeat"));
    if (inner != NULL || fly_tree_find(one, "use") != NULL)
      return inner != NULL ? inner : &list->entry[k];
  }
  return NULL;
}

static bool expand_made(const fly_tree_entry *use, void *user) { return expand_use(user, use); }

// Parameters of the model as far as it has them before its parts are known: of those, `count` is made.
static bool read_own_parameters(fly_reader *early, const fly_tree_node *root) {
  const fly_tree_node *node = fly_tree_find(root, "parameters");
  const int nset = early->options != NULL ? early->options->nset : 0;
  const char **own = calloc((size_t)nset + 1, sizeof *own);
  int count = 0;
  if (own == NULL)
    return fly_reader_no_memory(early);
  for (int k = 0; k < nset; k++) {
    char name[FLY_TREE_KEY + 1];
    const char *set = early->options->set[k];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(set, "="), set);
    if (fly_tree_find(node, name) != NULL)
      own[count++] = set;
  }
  const bool fit = node == NULL || node->kind == FLY_TREE_MAPPING; // else it is told later
  const bool good = !fit || fly_reader_parameters(early, node, count, own);
  free(own);
  return good;
}

// Uses inside of repetitions, of the model itself: by a reader of their own, which knows its parameters.
static bool expand_repeated(scope *s) {
  fly_reader *r = s->x->r;
  const fly_tree_entry *repetition = repeated_use(fly_tree_find(s->root, "repeat"));
  if (repetition == NULL)
    return true;
  if (s->naming.use != NULL)
    return fly_reader_fault_key(r, repetition,
                                "a repetition inside of a part cannot use other parts; repeat the use of the part "
                                "instead.");
  fly_error own = {0};
  fly_spec spec;
  fly_spec_create(&spec);
  fly_reader early = {.spec = &spec,
                      .tree = r->tree,
                      .files = r->files,
                      .options = r->options,
                      .made_use = expand_made,
                      .maker = s,
                      .faults = {.error = &own}};
  const bool good = read_own_parameters(&early, s->root) && fly_reader_repetitions(&early, s->root, "use");
  if (early.faults.status == FLY_NO_MEMORY)
    fly_reader_no_memory(r);
  else if (early.faults.status != FLY_OK)
    fly_faults_add(&r->faults, &own);
  free(early.number);
  fly_arena_free(&early.memory);
  fly_spec_free(&spec);
  return good;
}

static bool expand(scope *s) {
  const fly_tree_node *uses;
  bool good = add_sections(s) && fly_reader_section(s->x->r, s->root, "use", &uses);
  for (int k = 0; good && uses != NULL && k < uses->count && fly_reader_goes_on(s->x->r); k++) {
    fly_tree_entry *entry = fly_tree_take(s->x->r->tree, sizeof *entry);
    if (entry == NULL)
      return fly_reader_no_memory(s->x->r);
    *entry = uses->entry[k];
    good = expand_use(s, entry) && good;
  }
  return good && expand_repeated(s);
}

// ------------------------------------------------------------------------------------------ the model

bool fly_reader_expand(fly_reader *r, const fly_tree_node *root, const fly_tree_node **out) {
  fly_expansion *x = calloc(1, sizeof *x);
  *out = root;
  if (x == NULL)
    return fly_reader_no_memory(r);
  x->r = r;
  r->own_parts = r->tree->nparts;
  scope model = {.x = x, .root = root, .naming = {.r = r}};
  model.naming.names = &model.names;
  const bool needed = fly_tree_find(root, "use") != NULL || fly_tree_find(root, "functions") != NULL ||
                      repeated_use(fly_tree_find(root, "repeat")) != NULL;
  bool good = !needed || expand(&model);
  if (needed && good)
    *out = fly_join_model(x, root);
  for (int k = 0; k < x->nsections; k++)
    free(x->section[k].entry);
  free(x->marker.entry);
  free(x->shape.entry);
  free(x->tied.entry);
  free(x->tied_name.entry);
  free(x);
  return good && *out != NULL;
}
