// Meshes in Abaqus's keywords, as CalculiX reads them too: *NODE, *ELEMENT (C3D10, B31, B33), *NSET, *ELSET,
// *MATERIAL with *ELASTIC and *DENSITY, *SOLID SECTION, *BEAM SECTION (RECT, CIRC, PIPE, GENERAL). Everything else is
// told with its line and left out.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "fem/mesh.h"

enum { WORD = 64, NUMBERS = 16, LEFT_OUT = 8 };

// Elements of a set are of a material, and have a section if they are beams.
typedef struct assignment {
  char set[WORD], material[WORD];
  int section, line;
} assignment;

typedef struct keywords {
  fly_fem_lines l;
  fly_fem_mesh *m;
  char *line;     // the one that is looked at; NULL: no more
  char key[WORD]; // of its keyword, in capitals
  char *options;  // behind it
  int material;   // the last, -1
  int assignments, assignment_room, left_out, elements_left_out;
  assignment *assignment;
  int node_room, *node_line; // of each node
} keywords;

static fly_status no_memory(const keywords *k) {
  return fly_fail(k->l.error, FLY_NO_MEMORY, NAN, "%s: out of memory for this mesh.", k->l.path);
}

// ------------------------------------------------------------------------------------------ lines

static void step(keywords *k) {
  do
    k->line = fly_fem_line(&k->l);
  while (k->line && (k->line[0] == 0 || strncmp(k->line, "**", 2) == 0));
}

static bool is_data(const keywords *k) { return k->line && k->line[0] != '*'; }

static void capitals(char *out, const char *from, size_t length) {
  const size_t n = length < WORD - 1 ? length : WORD - 1;
  for (size_t i = 0; i < n; i++)
    out[i] = (char)toupper((unsigned char)from[i]);
  out[n] = 0;
  for (size_t i = n; i > 0 && out[i - 1] == ' '; i--)
    out[i - 1] = 0;
}

static void split_key(keywords *k) {
  const size_t length = strcspn(k->line + 1, ",");
  capitals(k->key, k->line + 1, length);
  k->options = k->line + 1 + length;
}

// The value of an option NAME=VALUE; "" of one without a value. False: it is not there.
static bool option(const keywords *k, const char *name, char out[WORD]) {
  for (const char *s = k->options; *s;) {
    char word[WORD];
    s += strspn(s, ", \t");
    const size_t length = strcspn(s, ","), equals = strcspn(s, "=,");
    capitals(word, s, equals);
    if (strcmp(word, name) == 0) {
      const char *value = s + equals + (s[equals] == '=');
      value += strspn(value, " \t");
      capitals(out, value, (size_t)(s + length - value));
      return true;
    }
    s += length;
  }
  return false;
}

static int numbers_of(char *line, double *x) {
  int n = 0;
  while (n < NUMBERS && fly_fem_number(&line, &x[n]))
    n++;
  return n;
}

// ------------------------------------------------------------------------------------------ nodes and sets

// By the line of the second.
static fly_status check_numbers(keywords *k) {
  const fly_fem_mesh *m = k->m;
  fly_fem_lines l = k->l;
  if (!fly_fem_sort(k->m))
    return no_memory(k);
  for (int i = 1; i < m->nodes; i++) {
    const int a = m->by_number[i - 1], b = m->by_number[i];
    if (m->number[a] != m->number[b])
      continue;
    l.line = k->node_line[b];
    return fly_fem_fault(&l, "node %d is there twice, first in line %d.", m->number[b], k->node_line[a]);
  }
  return FLY_OK;
}

static fly_status read_nodes(keywords *k) {
  char name[WORD];
  fly_fem_set *s = option(k, "NSET", name) ? fly_fem_add_set(k->m, name, false) : NULL;
  for (step(k); is_data(k); step(k)) {
    char *at = k->line;
    int number;
    double x[3];
    if (!fly_fem_whole(&at, &number) || !fly_fem_number(&at, &x[0]) || !fly_fem_number(&at, &x[1]) ||
        !fly_fem_number(&at, &x[2]))
      return fly_fem_fault(&k->l, "a node is `number, x, y, z`.");
    fly_status status = fly_fem_check_place(&k->l, number, x);
    if (status)
      return status;
    if (!fly_reserve(&k->node_line, &k->node_room, k->m->nodes + 1, sizeof *k->node_line))
      return no_memory(k);
    k->node_line[k->m->nodes] = k->l.line;
    if (!fly_fem_add_node(k->m, number, x) || (s && !fly_fem_add_member(s, k->m->nodes - 1)))
      return no_memory(k);
  }
  return check_numbers(k);
}

static fly_status add_to_set(keywords *k, const char *name, bool elements, int number) {
  fly_fem_set *s = fly_fem_add_set(k->m, name, elements);
  if (elements)
    return s && fly_fem_add_member(s, number) ? FLY_OK : no_memory(k);
  if (!k->m->by_number && !fly_fem_sort(k->m))
    return no_memory(k);
  const int node = fly_fem_find(k->m, number);
  if (node < 0)
    return fly_fem_fault(&k->l, "set %s has node %d, which the mesh does not have.", name, number);
  return s && fly_fem_add_member(s, node) ? FLY_OK : no_memory(k);
}

// Members of a set that is named in another.
static fly_status add_set_to_set(keywords *k, const char *name, bool elements, const char *other) {
  for (int i = 0; i < k->m->sets; i++) {
    if (k->m->set[i].elements != elements || strcmp(k->m->set[i].name, other) != 0)
      continue;
    for (int j = 0; j < k->m->set[i].count; j++) {
      fly_fem_set *s = fly_fem_add_set(k->m, name, elements);
      if (!s || !fly_fem_add_member(s, k->m->set[i].member[j]))
        return no_memory(k);
    }
    return FLY_OK;
  }
  return fly_fem_fault(&k->l, "set %s names set %s, which is not there.", name, other);
}

static fly_status read_range(keywords *k, const char *name, bool elements) {
  char *at = k->line;
  int first, last, by = 1;
  fly_status status = FLY_OK;
  if (!fly_fem_whole(&at, &first) || !fly_fem_whole(&at, &last))
    return fly_fem_fault(&k->l, "GENERATE takes `first, last, step`.");
  fly_fem_whole(&at, &by);
  for (long n = first; by > 0 && n <= last && status == FLY_OK; n += by)
    status = add_to_set(k, name, elements, (int)n);
  return status;
}

static fly_status read_members(keywords *k, const char *name, bool elements) {
  fly_status status = FLY_OK;
  for (char *at = k->line; status == FLY_OK;) {
    int number;
    char other[WORD];
    at += strspn(at, ", \t");
    if (*at == 0)
      break;
    if (fly_fem_whole(&at, &number)) {
      status = add_to_set(k, name, elements, number);
      continue;
    }
    const size_t length = strcspn(at, ",");
    capitals(other, at, length);
    at += length;
    status = add_set_to_set(k, name, elements, other);
  }
  return status;
}

static fly_status read_set(keywords *k, bool elements) {
  char name[WORD], none[WORD];
  if (!option(k, elements ? "ELSET" : "NSET", name))
    return fly_fem_fault(&k->l, "*%s needs a name: %s=NAME.", k->key, elements ? "ELSET" : "NSET");
  const bool range = option(k, "GENERATE", none);
  fly_status status = FLY_OK;
  for (step(k); is_data(k) && status == FLY_OK; step(k))
    status = range ? read_range(k, name, elements) : read_members(k, name, elements);
  return status;
}

// ------------------------------------------------------------------------------------------ elements

static fly_status skip(keywords *k, const char *what) {
  if (k->left_out++ < LEFT_OUT)
    fly_fem_note(k->m, "%s:%d: %s is left out", k->l.path, k->l.line, what);
  for (step(k); is_data(k);)
    step(k);
  return FLY_OK;
}

// Elements of a type that is not known: counted by the lines that begin one, those that do not follow a comma.
static fly_status skip_elements(keywords *k, const char *type) {
  const int line = k->l.line;
  int count = 0;
  bool goes_on = false;
  for (step(k); is_data(k); step(k)) {
    count += !goes_on;
    goes_on = k->line[strlen(k->line) - 1] == ',';
  }
  k->elements_left_out += count;
  fly_fem_note(k->m, "%s:%d: %d element%s of type %s: left out (known: C3D10, B31, B33)", k->l.path, line, count,
               count == 1 ? "" : "s", type[0] ? type : "?");
  return FLY_OK;
}

// An element may go on over several lines.
static fly_status read_element(keywords *k, fly_fem_element *e, int count) {
  char *at = k->line;
  e->line = k->l.line;
  if (!fly_fem_whole(&at, &e->number))
    return fly_fem_fault(&k->l, "an element begins with its number.");
  for (int i = 0; i < count; i++) {
    int number;
    while (!fly_fem_whole(&at, &number)) {
      at += strspn(at, ", \t");
      if (*at != 0)
        return fly_fem_fault(&k->l, "element %d: `%.20s` is no number of a node.", e->number, at);
      step(k);
      if (!is_data(k))
        return fly_fem_fault(&k->l, "element %d has %d nodes, not %d.", e->number, count, i);
      at = k->line;
    }
    e->node[i] = fly_fem_find(k->m, number);
    if (e->node[i] < 0)
      return fly_fem_fault(&k->l, "element %d has node %d, which the mesh does not have.", e->number, number);
  }
  return FLY_OK;
}

static fly_status read_elements(keywords *k) {
  char type[WORD] = "", set[WORD] = "";
  fly_status status = FLY_OK;
  option(k, "TYPE", type);
  const bool named = option(k, "ELSET", set), beam = strcmp(type, "B31") == 0 || strcmp(type, "B33") == 0;
  if (!beam && strcmp(type, "C3D10") != 0)
    return skip_elements(k, type);
  if (!fly_fem_sort(k->m))
    return no_memory(k);
  for (step(k); is_data(k) && status == FLY_OK; step(k)) {
    // a beam without shear is told from one with it by its section: -2
    fly_fem_element e = {.kind = beam ? FLY_FEM_BEAM : FLY_FEM_TETRAHEDRON, .material = -1};
    e.section = strcmp(type, "B33") == 0 ? -2 : -1;
    status = read_element(k, &e, beam ? 2 : 10);
    if (status == FLY_OK && !fly_fem_add_element(k->m, &e))
      status = no_memory(k);
    if (status == FLY_OK && named)
      status = add_to_set(k, set, true, e.number);
  }
  return status;
}

// ------------------------------------------------------------------------------------------ what they are of

static fly_status read_material(keywords *k) {
  char name[WORD];
  if (!option(k, "NAME", name))
    return fly_fem_fault(&k->l, "*MATERIAL needs NAME=.");
  k->material = fly_fem_add_material(k->m, name);
  step(k);
  return k->material >= 0 ? FLY_OK : no_memory(k);
}

static fly_status read_property(keywords *k, bool elastic) {
  double x[NUMBERS];
  if (k->material < 0)
    return fly_fem_fault(&k->l, "*%s stands behind its *MATERIAL.", k->key);
  step(k);
  const int n = is_data(k) ? numbers_of(k->line, x) : 0;
  if (n < (elastic ? 2 : 1))
    return fly_fem_fault(&k->l,
                         elastic ? "*ELASTIC takes Young's modulus and Poisson's ratio." : "*DENSITY takes a number.");
  fly_fem_material *m = &k->m->material[k->material];
  if (elastic) {
    m->E = x[0];
    m->nu = x[1];
  } else {
    m->density = x[0];
  }
  while (is_data(k))
    step(k);
  return FLY_OK;
}

// Axis 1 of Abaqus's section is y here, 2 is z.
static bool make_section(fly_fem_section *s, const char *shape, const double *x, int n) {
  const int sizes = strcmp(shape, "CIRC") == 0 ? 1 : strcmp(shape, "GENERAL") == 0 ? 0 : 2;
  for (int i = 0; i < sizes && i < n; i++)
    if (!(x[i] > 0)) // squares would hide a sign
      return false;
  if (strcmp(shape, "RECT") == 0 && n >= 2)
    fly_fem_section_rectangle(s, x[0], x[1]);
  else if (strcmp(shape, "CIRC") == 0 && n >= 1)
    fly_fem_section_circle(s, x[0]);
  else if (strcmp(shape, "PIPE") == 0 && n >= 2 && x[1] < x[0])
    fly_fem_section_tube(s, x[0], x[1]);
  else if (strcmp(shape, "GENERAL") == 0 && n >= 5 && x[2] == 0) {
    s->area = x[0];
    s->Iy = x[1];
    s->Iz = x[3];
    s->J = x[4];
    s->shear[0] = s->shear[1] = 5.0 / 6;
  } else
    return false;
  return s->area > 0 && s->Iy > 0 && s->Iz > 0 && s->J > 0;
}

static fly_status read_beam_section(keywords *k, assignment *a) {
  char shape[WORD] = "GENERAL";
  double x[NUMBERS] = {0};
  fly_fem_section s = {.y = {0, 0, -1}}; // Abaqus's direction if none is given
  option(k, "SECTION", shape);
  step(k);
  if (!is_data(k) || !make_section(&s, shape, x, numbers_of(k->line, x)))
    return fly_fem_fault(&k->l,
                         "a beam's section of kind %s is not understood: RECT takes `a, b`, CIRC `r`, PIPE `r, "
                         "wall`, GENERAL `A, I11, 0, I22, J`, all positive.",
                         shape);
  step(k);
  if (is_data(k)) {
    if (numbers_of(k->line, x) >= 3)
      memcpy(s.y, x, sizeof s.y);
    step(k);
  }
  a->section = fly_fem_add_section(k->m, &s);
  return a->section >= 0 ? FLY_OK : no_memory(k);
}

static fly_status read_section(keywords *k, bool beam) {
  assignment a = {.section = -1, .line = k->l.line};
  fly_status status = FLY_OK;
  if (!option(k, "ELSET", a.set) || !option(k, "MATERIAL", a.material))
    return fly_fem_fault(&k->l, "*%s needs ELSET= and MATERIAL=.", k->key);
  if (beam)
    status = read_beam_section(k, &a);
  else
    for (step(k); is_data(k);)
      step(k);
  if (status)
    return status;
  if (!fly_reserve(&k->assignment, &k->assignment_room, k->assignments + 1, sizeof a))
    return no_memory(k);
  k->assignment[k->assignments++] = a;
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ who is of what

static int compare(const void *a, const void *b) {
  const int *p = a, *q = b;
  return p[0] < q[0] ? -1 : p[0] > q[0] ? 1 : p[1] - q[1];
}

// Elements by number: pairs of number and index.
static int *sort_elements(const fly_fem_mesh *m) {
  int *pair = calloc(2 * (size_t)m->elements + 2, sizeof *pair);
  for (int i = 0; pair && i < m->elements; i++) {
    pair[2 * i] = m->element[i].number;
    pair[2 * i + 1] = i;
  }
  if (pair)
    qsort(pair, (size_t)m->elements, 2 * sizeof *pair, compare);
  return pair;
}

static int find_element(const int *pair, int count, int number) {
  int low = 0, high = count - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (pair[2 * (size_t)middle] < number)
      low = middle + 1;
    else
      high = middle;
  }
  return count > 0 && pair[2 * (size_t)low] == number ? pair[2 * (size_t)low + 1] : -1;
}

// Of beams without shear there is a section of their own.
static fly_status give_section(keywords *k, fly_fem_element *e, int section) {
  if (e->kind != FLY_FEM_BEAM || section < 0)
    return FLY_OK;
  if (e->section != -2) {
    e->section = section;
    return FLY_OK;
  }
  fly_fem_section slender = k->m->section[section];
  slender.shear[0] = slender.shear[1] = 0;
  e->section = fly_fem_add_section(k->m, &slender);
  return e->section >= 0 ? FLY_OK : no_memory(k);
}

static fly_status assign(keywords *k, const assignment *a, const int *pair) {
  fly_fem_lines l = k->l;
  const fly_fem_set *s = NULL;
  fly_status status = FLY_OK;
  l.line = a->line;
  for (int i = 0; i < k->m->sets; i++)
    if (k->m->set[i].elements && strcmp(k->m->set[i].name, a->set) == 0)
      s = &k->m->set[i];
  if (!s && k->elements_left_out > 0)
    return FLY_OK; // all of them may be of kinds that were left out
  if (!s)
    return fly_fem_fault(&l, "there is no set of elements %s.", a->set);
  const int material = fly_fem_find_material(k->m, a->material);
  if (material < 0)
    return fly_fem_fault(&l, "there is no material %s.", a->material);
  for (int i = 0; i < s->count && status == FLY_OK; i++) {
    const int e = find_element(pair, k->m->elements, s->member[i]);
    if (e < 0)
      continue; // of a kind that was left out
    k->m->element[e].material = material;
    status = give_section(k, &k->m->element[e], a->section);
  }
  return status;
}

static fly_status check_elements(const keywords *k, const int *pair) {
  fly_fem_lines l = k->l;
  for (int i = 1; i < k->m->elements; i++)
    if (pair[2 * (size_t)i] == pair[2 * (size_t)i - 2]) {
      l.line = k->m->element[pair[2 * (size_t)i + 1]].line;
      return fly_fem_fault(&l, "element %d is there twice, first in line %d.", pair[2 * (size_t)i],
                           k->m->element[pair[2 * (size_t)i - 1]].line);
    }
  return FLY_OK;
}

static fly_status assign_all(keywords *k) {
  int *pair = sort_elements(k->m);
  fly_status status = pair ? check_elements(k, pair) : no_memory(k);
  for (int i = 0; i < k->assignments && status == FLY_OK; i++)
    status = assign(k, &k->assignment[i], pair);
  free(pair);
  return status;
}

// ------------------------------------------------------------------------------------------ the file

static fly_status read_keyword(keywords *k) {
  char what[WORD + 2];
  split_key(k);
  if (strcmp(k->key, "NODE") == 0)
    return read_nodes(k);
  if (strcmp(k->key, "ELEMENT") == 0)
    return read_elements(k);
  if (strcmp(k->key, "NSET") == 0 || strcmp(k->key, "ELSET") == 0)
    return read_set(k, k->key[0] == 'E');
  if (strcmp(k->key, "MATERIAL") == 0)
    return read_material(k);
  if (strcmp(k->key, "ELASTIC") == 0 || strcmp(k->key, "DENSITY") == 0)
    return read_property(k, k->key[0] == 'E');
  if (strcmp(k->key, "SOLID SECTION") == 0)
    return read_section(k, false);
  if (strcmp(k->key, "BEAM SECTION") == 0 || strcmp(k->key, "BEAM GENERAL SECTION") == 0)
    return read_section(k, true);
  if (strcmp(k->key, "HEADING") == 0) {
    for (step(k); is_data(k);)
      step(k);
    return FLY_OK;
  }
  snprintf(what, sizeof what, "*%s", k->key);
  return skip(k, what);
}

fly_status fly_fem_read_keywords(fly_fem_mesh *m, const char *path, char *text, fly_error *error) {
  keywords k = {.l = {.path = path, .next = text, .error = error}, .m = m, .material = -1};
  fly_status status = FLY_OK;
  step(&k);
  if (k.line && k.line[0] != '*')
    status = fly_fem_fault(&k.l, "this is no mesh: neither Gmsh's ($MeshFormat) nor Abaqus's keywords (*NODE).");
  while (status == FLY_OK && k.line)
    status = read_keyword(&k);
  if (status == FLY_OK)
    status = assign_all(&k);
  if (status == FLY_OK && k.left_out > LEFT_OUT)
    fly_fem_note(m, "%s: %d more keywords are left out", path, k.left_out - LEFT_OUT);
  free(k.assignment);
  free(k.node_line);
  return status;
}
