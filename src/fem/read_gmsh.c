// Gmsh's .msh files, 2.2 and 4.1 as text (Gmsh reference manual, "MSH file format"): nodes, ten-node tetrahedra, lines
// as beams, and named physical groups as sets of nodes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "fem/mesh.h"

enum { LINE = 1, LINE3 = 8, TETRA10 = 11, TYPES = 32, NAMES = 256, ENTITIES = 4096 };

static const int NODES_OF[TYPES] = {
    [1] = 2,   [2] = 3,   [3] = 4,   [4] = 4,   [5] = 8,  [6] = 6,  [7] = 5,   [8] = 3,   [9] = 6,  [10] = 9,
    [11] = 10, [12] = 27, [13] = 18, [14] = 14, [15] = 1, [16] = 8, [17] = 20, [18] = 15, [19] = 13};

typedef struct group {
  int dimension, tag;
  char name[FLY_FEM_NAME];
} group;

typedef struct entity { // of 4.1: the first physical group it belongs to
  int dimension, tag, group;
} entity;

typedef struct gmsh {
  fly_fem_lines l;
  fly_fem_mesh *m;
  double version;
  int groups, entities;
  group group[NAMES];
  entity *entity;
  int entity_room;
  int left_out[TYPES + 1]; // elements that are not ours
} gmsh;

static fly_status no_memory(const gmsh *g) {
  return fly_fail(g->l.error, FLY_NO_MEMORY, NAN, "%s: out of memory for this mesh.", g->l.path);
}

static fly_status cut_short(const gmsh *g) { return fly_fem_fault(&g->l, "the file ends in the middle of a section."); }

// A line that must be there.
static fly_status next(gmsh *g, char **line) {
  *line = fly_fem_line(&g->l);
  return *line ? FLY_OK : cut_short(g);
}

static fly_status read_count(gmsh *g, int *count) {
  char *line;
  fly_status status = next(g, &line);
  if (status == FLY_OK && (!fly_fem_whole(&line, count) || *count < 0))
    status = fly_fem_fault(&g->l, "a number of entries is expected here.");
  return status;
}

static fly_status read_format(gmsh *g) {
  char *line;
  fly_status status = next(g, &line);
  double kind = 0;
  if (status)
    return status;
  if (!fly_fem_number(&line, &g->version) || !fly_fem_number(&line, &kind) || kind != 0)
    return fly_fem_fault(&g->l, "this file is binary; save it as text (Mesh.Binary = 0).");
  if (fabs(g->version - 2.2) > 0.05 && fabs(g->version - 4.1) > 0.05)
    return fly_fem_fault(&g->l, "version %g of Gmsh's format; 2.2 and 4.1 are read (Mesh.MshFileVersion).", g->version);
  return FLY_OK;
}

static fly_status read_names(gmsh *g) {
  int count = 0;
  fly_status status = read_count(g, &count);
  for (int k = 0; k < count && status == FLY_OK; k++) {
    char *line;
    group one = {0};
    status = next(g, &line);
    if (status)
      break;
    if (!fly_fem_whole(&line, &one.dimension) || !fly_fem_whole(&line, &one.tag) ||
        sscanf(line, " \"%63[^\"]\"", one.name) != 1)
      status = fly_fem_fault(&g->l, "a physical name is `dimension tag \"name\"`.");
    else if (g->groups < NAMES)
      g->group[g->groups++] = one;
  }
  return status;
}

// 4.1: of points 3 coordinates, of others 6, then the groups.
static fly_status read_entities(gmsh *g) {
  char *line;
  int count[4] = {0};
  fly_status status = next(g, &line);
  for (int d = 0; d < 4 && status == FLY_OK; d++)
    if (!fly_fem_whole(&line, &count[d]))
      return fly_fem_fault(&g->l, "four numbers of entities are expected here.");
  for (int d = 0; d < 4 && status == FLY_OK; d++)
    for (int k = 0; k < count[d] && status == FLY_OK; k++) {
      entity e = {.dimension = d};
      double x;
      int groups = 0;
      status = next(g, &line);
      if (status)
        break;
      bool good = fly_fem_whole(&line, &e.tag);
      for (int i = 0; good && i < (d == 0 ? 3 : 6); i++)
        good = fly_fem_number(&line, &x);
      if (!good || !fly_fem_whole(&line, &groups))
        return fly_fem_fault(&g->l, "an entity is not complete.");
      if (groups > 0)
        fly_fem_whole(&line, &e.group);
      if (!fly_reserve(&g->entity, &g->entity_room, g->entities + 1, sizeof *g->entity))
        return no_memory(g);
      g->entity[g->entities++] = e;
    }
  return status;
}

// ------------------------------------------------------------------------------------------ nodes

static fly_status add_node(gmsh *g, int number, char *line) {
  double x[3];
  for (int i = 0; i < 3; i++)
    if (!fly_fem_number(&line, &x[i]))
      return fly_fem_fault(&g->l, "a node has three coordinates.");
  fly_status status = fly_fem_check_place(&g->l, number, x);
  if (status)
    return status;
  return fly_fem_add_node(g->m, number, x) ? FLY_OK : no_memory(g);
}

static fly_status read_nodes2(gmsh *g) {
  int count = 0, number = 0;
  fly_status status = read_count(g, &count);
  for (int k = 0; k < count && status == FLY_OK; k++) {
    char *line;
    status = next(g, &line);
    if (status == FLY_OK)
      status = fly_fem_whole(&line, &number) ? add_node(g, number, line)
                                             : fly_fem_fault(&g->l, "a node begins with its number.");
  }
  return status;
}

// A block: its entity and the number of its nodes; their numbers, then their coordinates.
static fly_status read_block4(gmsh *g) {
  char *line;
  int head[4] = {0}, *number = NULL;
  fly_status status = next(g, &line);
  for (int i = 0; i < 4 && status == FLY_OK; i++)
    if (!fly_fem_whole(&line, &head[i]))
      return fly_fem_fault(&g->l, "a block of nodes begins with four whole numbers.");
  if (status || head[3] < 0)
    return status ? status : fly_fem_fault(&g->l, "a block of nodes of a negative number.");
  number = calloc((size_t)head[3] + 1, sizeof *number);
  if (!number)
    return no_memory(g);
  for (int k = 0; k < head[3] && status == FLY_OK; k++) {
    status = next(g, &line);
    if (status == FLY_OK && !fly_fem_whole(&line, &number[k]))
      status = fly_fem_fault(&g->l, "the number of a node is expected here.");
  }
  for (int k = 0; k < head[3] && status == FLY_OK; k++) {
    status = next(g, &line);
    if (status == FLY_OK)
      status = add_node(g, number[k], line);
  }
  free(number);
  return status;
}

static fly_status read_nodes4(gmsh *g) {
  int blocks = 0;
  fly_status status = read_count(g, &blocks);
  for (int k = 0; k < blocks && status == FLY_OK; k++)
    status = read_block4(g);
  return status;
}

// ------------------------------------------------------------------------------------------ elements

static const group *find_group(const gmsh *g, int dimension, int tag) {
  for (int k = 0; k < g->groups; k++)
    if (g->group[k].dimension == dimension && g->group[k].tag == tag)
      return &g->group[k];
  return NULL;
}

static int dimension_of(int type) {
  return type == 15                                                        ? 0
         : type == LINE || type == LINE3                                   ? 1
         : type == 2 || type == 3 || type == 9 || type == 10 || type == 16 ? 2
                                                                           : 3;
}

static fly_status read_corners(gmsh *g, int type, char *line, int *node) {
  for (int i = 0; i < NODES_OF[type]; i++) {
    int number;
    if (!fly_fem_whole(&line, &number))
      return fly_fem_fault(&g->l, "an element of type %d has %d nodes.", type, NODES_OF[type]);
    node[i] = fly_fem_find(g->m, number);
    if (node[i] < 0)
      return fly_fem_fault(&g->l, "an element has node %d, which the mesh does not have.", number);
  }
  return FLY_OK;
}

// Gmsh's ninth and tenth node of a tetrahedron are the other way round.
static fly_status add_element(gmsh *g, int number, int type, const int *node, const group *in) {
  fly_fem_element e = {.number = number, .line = g->l.line, .material = -1, .section = -1};
  e.kind = type == TETRA10 ? FLY_FEM_TETRAHEDRON : FLY_FEM_BEAM;
  memcpy(e.node, node, (type == TETRA10 ? 10 : 2) * sizeof *node);
  if (type == TETRA10) {
    e.node[8] = node[9];
    e.node[9] = node[8];
  }
  if (in) {
    e.material = fly_fem_add_material(g->m, in->name);
    if (e.material < 0)
      return no_memory(g);
  }
  return fly_fem_add_element(g->m, &e) ? FLY_OK : no_memory(g);
}

static fly_status take_element(gmsh *g, int number, int type, int tag, char *line) {
  int node[27] = {0};
  if (type < 1 || type >= TYPES || NODES_OF[type] == 0)
    return fly_fem_fault(&g->l, "elements of Gmsh's type %d are not known here.", type);
  fly_status status = read_corners(g, type, line, node);
  if (status)
    return status;
  const group *in = find_group(g, dimension_of(type), tag);
  if (in) {
    fly_fem_set *s = fly_fem_add_set(g->m, in->name, false);
    for (int i = 0; s && i < NODES_OF[type]; i++)
      if (!fly_fem_add_member(s, node[i]))
        s = NULL;
    if (!s)
      return no_memory(g);
  }
  if (type == TETRA10 || type == LINE)
    return add_element(g, number, type, node, in);
  g->left_out[type]++;
  return FLY_OK;
}

static fly_status read_elements2(gmsh *g) {
  int count = 0;
  fly_status status = read_count(g, &count);
  for (int k = 0; k < count && status == FLY_OK; k++) {
    char *line;
    int number = 0, type = 0, tags = 0, tag = 0, other;
    status = next(g, &line);
    if (status)
      break;
    if (!fly_fem_whole(&line, &number) || !fly_fem_whole(&line, &type) || !fly_fem_whole(&line, &tags))
      return fly_fem_fault(&g->l, "an element begins with its number, its type and its number of tags.");
    for (int i = 0; i < tags; i++)
      if (!fly_fem_whole(&line, i == 0 ? &tag : &other))
        return fly_fem_fault(&g->l, "an element has fewer tags than it says.");
    status = take_element(g, number, type, tag, line);
  }
  return status;
}

static int group_of_entity(const gmsh *g, int dimension, int tag) {
  for (int k = 0; k < g->entities; k++)
    if (g->entity[k].dimension == dimension && g->entity[k].tag == tag)
      return g->entity[k].group;
  return 0;
}

static fly_status read_elements4(gmsh *g) {
  int blocks = 0;
  fly_status status = read_count(g, &blocks);
  for (int k = 0; k < blocks && status == FLY_OK; k++) {
    char *line;
    int head[4] = {0};
    status = next(g, &line);
    for (int i = 0; i < 4 && status == FLY_OK; i++)
      if (!fly_fem_whole(&line, &head[i]))
        return fly_fem_fault(&g->l, "a block of elements begins with four whole numbers.");
    const int tag = status ? 0 : group_of_entity(g, head[0], head[1]);
    for (int i = 0; status == FLY_OK && i < head[3]; i++) {
      int number;
      status = next(g, &line);
      if (status == FLY_OK)
        status = fly_fem_whole(&line, &number) ? take_element(g, number, head[2], tag, line)
                                               : fly_fem_fault(&g->l, "an element begins with its number.");
    }
  }
  return status;
}

static void note_left_out(const gmsh *g) {
  for (int t = 1; t < TYPES; t++)
    if (g->left_out[t] > 0)
      fly_fem_note(g->m, "%d elements of Gmsh's type %d (%d nodes) are no bodies here and only name sets of nodes%s",
                   g->left_out[t], t, NODES_OF[t],
                   t == 4 ? ": make the tetrahedra of second order (Mesh.ElementOrder = 2)" : "");
}

// ------------------------------------------------------------------------------------------ the file

static fly_status read_section(gmsh *g, const char *name) {
  const bool old = g->version < 3;
  if (strcmp(name, "$MeshFormat") == 0)
    return read_format(g);
  if (strcmp(name, "$PhysicalNames") == 0)
    return read_names(g);
  if (strcmp(name, "$Entities") == 0)
    return read_entities(g);
  if (strcmp(name, "$Nodes") == 0) {
    fly_status status = old ? read_nodes2(g) : read_nodes4(g);
    return status || fly_fem_sort(g->m) ? status : no_memory(g);
  }
  if (strcmp(name, "$Elements") == 0)
    return old ? read_elements2(g) : read_elements4(g);
  return FLY_OK; // what else there is says nothing about the body
}

fly_status fly_fem_read_gmsh(fly_fem_mesh *m, const char *path, char *text, fly_error *error) {
  gmsh *g = calloc(1, sizeof *g);
  if (!g)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "%s: out of memory for this mesh.", path);
  *g = (gmsh){.l = {.path = path, .next = text, .error = error}, .m = m};
  fly_status status = FLY_OK;
  for (char *line; status == FLY_OK && (line = fly_fem_line(&g->l)) != NULL;)
    if (line[0] == '$' && strncmp(line, "$End", 4) != 0)
      status = read_section(g, line);
  if (status == FLY_OK)
    note_left_out(g);
  free(g->entity);
  free(g);
  return status;
}
