#include "io/mesh.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "io/tree_source.h"

// A mesh being built.
typedef struct builder {
  fly_mesh *mesh;
  int vertex_room, triangle_room;
  int *slot; // open addressing: number of a vertex + 1, 0: empty (slots, a power of two, at most half full)
  unsigned slots;
  const fly_source *source;
  fly_error *error;
} builder;

static fly_status no_memory(const builder *b) {
  return fly_fail(b->error, FLY_NO_MEMORY, NAN, "%s: not enough memory for this mesh.", b->source->path);
}

// ------------------------------------------------------------------------------------------ vertices, triangles

static unsigned hash_of(const float p[3]) {
  unsigned hash = 2166136261u;
  for (int k = 0; k < 3; k++) {
    uint32_t bits;
    memcpy(&bits, &p[k], sizeof bits);
    hash = (hash ^ bits) * 16777619u;
    hash ^= hash >> 15;
  }
  return hash;
}

static bool same(const float a[3], const float b[3]) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

static int *find_slot(const builder *b, const float p[3]) {
  unsigned k = hash_of(p) & (b->slots - 1);
  while (b->slot[k] != 0 && !same(b->mesh->vertex + 3 * (size_t)(b->slot[k] - 1), p))
    k = (k + 1) & (b->slots - 1);
  return &b->slot[k];
}

static bool grow_vertices(builder *b) {
  const int room = b->vertex_room > 0 ? 2 * b->vertex_room : 1024;
  float *vertex = realloc(b->mesh->vertex, 3 * (size_t)room * sizeof *vertex);
  if (vertex)
    b->mesh->vertex = vertex;
  int *slot = vertex ? calloc(2 * (size_t)room, sizeof *slot) : NULL;
  if (!slot)
    return false;
  free(b->slot);
  b->slot = slot;
  b->slots = 2 * (unsigned)room;
  b->vertex_room = room;
  for (int k = 0; k < b->mesh->nvertex; k++)
    *find_slot(b, vertex + 3 * (size_t)k) = k + 1;
  return true;
}

static int add_vertex(builder *b, const float p[3]) {
  fly_mesh *m = b->mesh;
  memcpy(m->vertex + 3 * (size_t)m->nvertex, p, 3 * sizeof *p);
  return m->nvertex++;
}

// Number of a vertex that may be there already; -1: out of memory.
static int weld_vertex(builder *b, const float p[3]) {
  if (b->mesh->nvertex == b->vertex_room && !grow_vertices(b))
    return -1;
  const float q[3] = {p[0] + 0.0f, p[1] + 0.0f, p[2] + 0.0f}; // -0 becomes 0
  int *slot = find_slot(b, q);
  if (*slot == 0)
    *slot = add_vertex(b, q) + 1;
  return *slot - 1;
}

static fly_status add_triangle(builder *b, int i, int j, int k) {
  fly_mesh *m = b->mesh;
  if (m->ntriangle == FLY_MESH_TRIANGLES)
    return fly_fail(b->error, FLY_BAD_INPUT, NAN, "%s: this mesh has more than %d triangles; simplify it.",
                    b->source->path, FLY_MESH_TRIANGLES);
  if (!fly_reserve(&m->triangle, &b->triangle_room, m->ntriangle + 1, 3 * sizeof *m->triangle))
    return no_memory(b);
  int *t = m->triangle + 3 * (size_t)m->ntriangle++;
  t[0] = i;
  t[1] = j;
  t[2] = k;
  return FLY_OK;
}

static fly_status add_facet(builder *b, const float p[9]) {
  int v[3];
  for (int k = 0; k < 3; k++) {
    v[k] = weld_vertex(b, p + 3 * k);
    if (v[k] < 0)
      return no_memory(b);
  }
  return add_triangle(b, v[0], v[1], v[2]);
}

// ------------------------------------------------------------------------------------------ binary STL

enum { STL_HEAD = 80, STL_COUNT = 4, STL_FACET = 50 };

// Little end first, whatever the machine.
static uint32_t word_at(const char *bytes) {
  const unsigned char *b = (const unsigned char *)bytes;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static bool is_binary_stl(const fly_source *s) {
  return s->length >= STL_HEAD + STL_COUNT &&
         s->length == STL_HEAD + STL_COUNT + STL_FACET * (size_t)word_at(s->text + STL_HEAD);
}

static fly_status read_binary(builder *b) {
  const uint32_t count = word_at(b->source->text + STL_HEAD);
  fly_status status = FLY_OK;
  for (uint32_t k = 0; k < count && status == FLY_OK; k++) {
    const char *facet = b->source->text + STL_HEAD + STL_COUNT + STL_FACET * (size_t)k;
    float p[9];
    for (int i = 0; i < 9; i++) {
      const uint32_t bits = word_at(facet + 12 + 4 * i); // after the normal
      memcpy(&p[i], &bits, sizeof bits);
      if (!isfinite(p[i]))
        return fly_fail(b->error, FLY_BAD_INPUT, NAN, "%s: triangle %u has a corner that is not a finite number.",
                        b->source->path, (unsigned)k + 1);
    }
    status = add_facet(b, p);
  }
  return status;
}

// ------------------------------------------------------------------------------------------ text

// The next word of a line, moved over; its length, 0 at the end of the line.
static size_t next_word(const char **text, const char **word) {
  const char *s = *text + strspn(*text, " \t\r");
  const size_t length = strcspn(s, " \t\r\n");
  *word = s;
  *text = s + length;
  return length;
}

static bool is_word(const char *word, size_t length, const char *what) {
  return strlen(what) == length && strncmp(word, what, length) == 0;
}

static fly_status fail_at(const builder *b, const char *at, const char *what) {
  return fly_source_fail_at(b->source, (size_t)(at - b->source->text), b->error, "%s", what);
}

static fly_status read_point(const builder *b, const char *text, float p[3]) {
  for (int k = 0; k < 3; k++) {
    const char *word;
    double x;
    const size_t length = next_word(&text, &word);
    if (!fly_number_read(word, length, &x) || fabs(x) > 1e30)
      return fail_at(b, word, "a corner of a mesh takes three numbers.");
    p[k] = (float)x;
  }
  return FLY_OK;
}

static const char *next_line(const char *line) {
  line += strcspn(line, "\n");
  return *line ? line + 1 : line;
}

static fly_status read_text_stl(builder *b) {
  float p[9] = {0};
  int corners = 0;
  fly_status status = FLY_OK;
  for (const char *line = b->source->text; *line && status == FLY_OK; line = next_line(line)) {
    const char *rest = line, *word;
    const size_t length = next_word(&rest, &word);
    if (is_word(word, length, "vertex") && corners == 3)
      status = fail_at(b, word, "a facet with more than three corners.");
    else if (is_word(word, length, "vertex"))
      status = read_point(b, rest, p + 3 * corners++);
    else if (is_word(word, length, "endloop") && corners != 3)
      status = fail_at(b, word, "a facet with less than three corners.");
    else if (is_word(word, length, "endloop")) {
      status = add_facet(b, p);
      corners = 0;
    }
  }
  if (status == FLY_OK && corners > 0)
    status =
        fly_fail(b->error, FLY_BAD_INPUT, NAN, "%s: this mesh is cut off in the middle of a facet.", b->source->path);
  return status;
}

// "7", "7/1", "7//3", or from the end "-1": number of the vertex, -1: none.
static int corner_of(const builder *b, const char *word) {
  char *end;
  const long number = strtol(word, &end, 10), count = b->mesh->nvertex;
  if (end == word || !strchr("/ \t\r\n", *end))
    return -1;
  const long index = number < 0 ? count + number : number - 1;
  return number != 0 && index >= 0 && index < count ? (int)index : -1;
}

// A polygon, as a fan.
static fly_status read_face(builder *b, const char *text) {
  int first = -1, last = -1, corners = 0;
  fly_status status = FLY_OK;
  const char *word = text;
  while (status == FLY_OK && next_word(&text, &word) > 0) {
    const int corner = corner_of(b, word);
    if (corner < 0)
      return fail_at(b, word, "a face names a vertex that is not there.");
    if (++corners == 1)
      first = corner;
    else if (corners > 2)
      status = add_triangle(b, first, last, corner);
    last = corner;
  }
  return status || corners >= 3 ? status : fail_at(b, word, "a face has three corners at least.");
}

// Vertices are numbered as they stand: none are welded.
static fly_status read_obj(builder *b) {
  fly_status status = FLY_OK;
  for (const char *line = b->source->text; *line && status == FLY_OK; line = next_line(line)) {
    const char *rest = line, *word;
    float p[3];
    const size_t length = next_word(&rest, &word);
    if (is_word(word, length, "v")) {
      status = read_point(b, rest, p);
      if (status == FLY_OK && b->mesh->nvertex == b->vertex_room && !grow_vertices(b))
        status = no_memory(b);
      if (status == FLY_OK)
        add_vertex(b, p);
    } else if (is_word(word, length, "f")) {
      status = read_face(b, rest);
    }
  }
  return status;
}

// ------------------------------------------------------------------------------------------ any

// Whether a line begins with a word.
static bool has_line(const char *text, const char *what) {
  for (const char *line = text; *line; line = next_line(line)) {
    const char *rest = line, *word;
    const size_t length = next_word(&rest, &word);
    if (is_word(word, length, what))
      return true;
  }
  return false;
}

static fly_status read_any(builder *b) {
  const fly_source *s = b->source;
  if (is_binary_stl(s))
    return read_binary(b);
  if (memchr(s->text, 0, s->length))
    return fly_fail(b->error, FLY_BAD_INPUT, NAN,
                    s->length >= STL_HEAD + STL_COUNT &&
                            STL_HEAD + STL_COUNT + STL_FACET * (size_t)word_at(s->text + STL_HEAD) > s->length
                        ? "%s: this is no mesh, or a binary STL file that is cut short."
                        : "%s: this is no mesh: neither STL nor OBJ.",
                    s->path);
  if (has_line(s->text, "facet"))
    return read_text_stl(b);
  if (has_line(s->text, "v"))
    return read_obj(b);
  return fly_fail(b->error, FLY_BAD_INPUT, NAN, "%s: this is no mesh: neither STL nor OBJ.", s->path);
}

fly_status fly_mesh_read(fly_mesh *mesh, const char *path, fly_error *error) {
  fly_source source;
  builder b = {.mesh = mesh, .source = &source, .error = error};
  *mesh = (fly_mesh){0};
  fly_status status = fly_source_read(&source, path, error);
  if (status == FLY_OK)
    status = read_any(&b);
  if (status == FLY_OK && mesh->ntriangle == 0)
    status = fly_fail(error, FLY_BAD_INPUT, NAN, "%s: there are no triangles in this mesh.", path);
  free(b.slot);
  fly_source_free(&source);
  if (status)
    fly_mesh_free(mesh);
  return status;
}

void fly_mesh_free(fly_mesh *mesh) {
  free(mesh->vertex);
  free(mesh->triangle);
  *mesh = (fly_mesh){0};
}
