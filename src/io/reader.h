// A model file being read. For the files read*.c only.
#ifndef FLY_IO_READER_H
#define FLY_IO_READER_H

#include "base/memory.h"
#include "expr/expr.h"
#include "io/faults.h"
#include "io/tree.h"
#include "model/spec.h"

enum {
  FLY_READER_INDICES = 4, // repetitions inside each other
};

// A name that must be that of something in the model.
typedef struct fly_reference {
  const fly_tree_node *node;
  int item, parameter; // where it stands
} fly_reference;

// A fault that was told.
typedef struct fly_told {
  const fly_source *source;
  int line, column;
} fly_told;

typedef bool fly_made_use(const fly_tree_entry *use, void *user);

typedef struct fly_reader {
  fly_spec *spec;
  fly_tree *tree; // of the file, and what repetitions make of it
  fly_faults faults;
  bool checking; // everything is read, and is looked at once more
  bool files;    // the model comes from a file, and may name others
  int ntold;
  const struct fly_read_options *options;
  fly_told told[FLY_FAULTS];    // faults then, and in parts (ntold)
  const char *path, *path_copy; // file of the last place, in the tree and in the spec
  double *number;               // scratch (number_capacity)
  int number_capacity;
  fly_reference *reference; // (references)
  int references, reference_capacity;
  fly_expr_number *parameter; // those of the spec, for expressions, then the indices (spec->nparameter + nindex)
  fly_expr_names names;       // of those of the spec
  struct fly_hidden *hidden;  // parameters that have the name of a unit (nhidden)
  int nhidden, nformula;
  int own_parts;                   // documents of the model and of what it includes: the first of the tree
  int nindex;                      // of the repetitions being read, the outermost first
  long made;                       // elements made by repetitions so far
  long made_nodes;                 // by uses of parts
  struct fly_use *use, **last_use; // of parts, in the order in which they were met; and where the next is put
  fly_expr_formula *formula;       // functions of the model (nformula)
  fly_expr_table *table;           // likewise, or NULL (spec->ntable)
  fly_arena memory;                // of parameter and table
  const char **signals;            // while checking: names of states, variables, inputs and held numbers, ended by NULL
  fly_made_use *made_use;          // takes the uses that repetitions make (read_use.c), with
  void *maker;
  const fly_tree_node **node; // of each item of the spec (node_capacity)
  int node_capacity;
} fly_reader;

// Whether to go on: memory is there, and not too many faults were found.
bool fly_reader_goes_on(const fly_reader *r);

// All of these return false.
#if defined(__GNUC__)
#define FLY_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define FLY_PRINTF(text, first)
#endif
bool fly_reader_fault(fly_reader *r, const fly_tree_node *node, const char *format, ...) FLY_PRINTF(3, 4);
bool fly_reader_fault_key(fly_reader *r, const fly_tree_entry *entry, const char *format, ...) FLY_PRINTF(3, 4);
bool fly_reader_fault_text(fly_reader *r, const char *format, ...) FLY_PRINTF(2, 3); // at no place
bool fly_reader_no_memory(fly_reader *r);
bool fly_reader_knows(const char *const *words, const char *word); // words: ended by NULL, or NULL
// Of a file named in the model: its path, to be freed; NULL: it was told why.
char *fly_reader_path(fly_reader *r, const fly_tree_node *node);

// " Did you mean 'mass'?" or "" into text. The words end with NULL.
void fly_reader_suggest(char *text, size_t size, const char *typed, const char *const *words);
// The same among `type` and the rows of an element's table.
void fly_reader_suggest_row(char *text, size_t size, const char *typed, const fly_parameter *rows);

fly_place fly_reader_place(fly_reader *r, const fly_tree_node *node);
fly_place fly_reader_key_place(fly_reader *r, const fly_tree_entry *entry);

// Names that expressions and references can use: letters, digits and _, not a digit first. what: "body".
bool fly_reader_check_name(fly_reader *r, const fly_tree_entry *entry, const char *what);

// One number: finite, in the range of the row.
bool fly_reader_value(fly_reader *r, const fly_tree_node *node, const fly_parameter *row, double *out); // of any size
bool fly_reader_number(fly_reader *r, const fly_tree_node *node, const fly_parameter *row, double *out);
// Numbers of a row into the scratch array; between low and high of them. The count, or -1.
int fly_reader_numbers(fly_reader *r, const fly_tree_node *node, const fly_parameter *row, int low, int high);
// Text of a scalar that has one; NULL: a fault. takes: "the name of a joint".
const char *fly_reader_text(fly_reader *r, const fly_tree_node *node, const char *name, const char *takes);

// Fields of a mapping after a table of numbers and orientations: values (9 each) and whether each is given. Rows with
// other types only note their node. Every key is in the table, or in also (ended by NULL), which are left to the
// caller.
typedef struct fly_field {
  const fly_tree_entry *entry; // NULL: not given
  int count;
  double number[9];
} fly_field;
bool fly_reader_fields(fly_reader *r, const fly_tree_node *node, const char *what, const fly_parameter *rows,
                       const char *const *also, fly_field *field);

bool fly_reader_orientation(fly_reader *r, const fly_tree_node *node, double A[9]);
bool fly_reader_markers(fly_reader *r, fly_item *item, const fly_tree_node *node);
bool fly_reader_shapes(fly_reader *r, fly_item *item, int parameter, const fly_tree_node *node);
// A matrix, row by row, into the scratch array. columns: 0 of a list of numbers, which is one row or one column.
bool fly_reader_matrix(fly_reader *r, const fly_tree_node *node, const fly_parameter *row, int *rows, int *columns);
bool fly_reader_reserve(fly_reader *r, int count); // room in the scratch array
bool fly_reader_keep_node(fly_reader *r, int item, const fly_tree_node *node);
bool fly_reader_blocks(fly_reader *r);         // what the blocks that were read are made of is added to the spec
bool fly_reader_equations(fly_reader *r);      // states and variables with equations get what they are made of
char *fly_reader_put_slopes(const char *text); // an equation as it is understood, the caller's to free
bool fly_reader_reduced(fly_reader *r);        // bodies of finite elements get the numbers of their files
bool fly_reader_input_files(fly_reader *r);    // inputs that follow files are curves from now on
bool fly_reader_tables(fly_reader *r, const fly_tree_node *node);
bool fly_reader_parameters(fly_reader *r, const fly_tree_node *node, int nset, const char *const *set);
// Value of an expression over parameters and units; name is what it is for.
bool fly_reader_evaluate(fly_reader *r, const fly_tree_node *node, const char *name, double *out);
// An expression of time and measures: well formed, and its markers exist. words: what it knows beside, or NULL. fixed:
// it stays as it is while a model runs, and so must the parameters it uses.
bool fly_reader_check_expression(fly_reader *r, const fly_tree_node *node, const char *name, const char *words,
                                 bool fixed);
// The text of a function of the model: the same.
bool fly_reader_check_formula(fly_reader *r, const fly_tree_node *node, const char *name);
// All names of states, variables, inputs, held numbers and outputs, ended by NULL; NULL without memory.
const char **fly_reader_signal_names(const fly_reader *r);
// Copies the words of a row, separated by zeros, and points to each; ended by NULL.
void fly_reader_split_words(char copy[300], const char *words[32], const char *text);
// Parameters that hide units are not used as units: a fault where m is in 6*m; noted where they stand in other
// products.
bool fly_reader_check_units(fly_reader *r, const fly_tree_node *node, const char *name);
bool fly_reader_check_units_set(fly_reader *r, const char *name,
                                const char *text); // of a parameter given by the caller
bool fly_reader_list_hidden(fly_reader *r, const fly_tree_node *parameters);
void fly_reader_warn_hidden(fly_reader *r);           // of those that stand in products
fly_expr_scope fly_reader_scope(const fly_reader *r); // parameters, units, tables

// The model with its parts put in; *out is root if it uses none.
bool fly_reader_expand(fly_reader *r, const fly_tree_node *root, const fly_tree_node **out);
// Where the uses put their parts, once parameters are known; and the elements of the parts put there.
bool fly_reader_places(fly_reader *r);
bool fly_reader_place_items(fly_reader *r);
// Notes in an item which use made it.
bool fly_reader_note_use(fly_reader *r, fly_item *item, const fly_tree_node *node);
// Functions, before all numbers that may call them.
bool fly_reader_functions(fly_reader *r, const fly_tree_node *root);

// A section of a mapping that is there and is a mapping itself, else *out is NULL; an empty one is as good as none.
bool fly_reader_section(fly_reader *r, const fly_tree_node *node, const char *name, const fly_tree_node **out);
// Elements of a section, with numbers put into names (link$i).
bool fly_reader_filled_items(fly_reader *r, const char *section, const fly_tree_node *node);
// The elements of a section that repetitions make.
bool fly_reader_repetitions(fly_reader *r, const fly_tree_node *root, const char *section);
// The text of an expression with the indices of repetitions as numbers: the node itself, or a copy; NULL: no memory.
const fly_tree_node *fly_reader_put_indices(fly_reader *r, const fly_tree_node *node);
bool fly_reader_items(fly_reader *r, const char *section, const fly_tree_node *node);
bool fly_reader_add_reference(fly_reader *r, const fly_tree_node *node, int item, int parameter);
// What can be said only when everything is there: references, and parameters that exclude or need each other.
bool fly_reader_check(fly_reader *r);
// Whether there is a marker body.marker, a body or ground of that name; an element of a section. If not, why says so.
bool fly_reader_find_marker(const fly_reader *r, const char *reference, char *why, size_t size);
bool fly_reader_find_item(const fly_reader *r, const char *section, const char *name, char *why, size_t size);

#endif
