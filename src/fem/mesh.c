#include "fem/mesh.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "math/constants.h"

void fly_fem_mesh_free(fly_fem_mesh *m) {
  for (int k = 0; k < m->sets; k++)
    free(m->set[k].member);
  free(m->number);
  free(m->place);
  free(m->element);
  free(m->set);
  free(m->material);
  free(m->section);
  free(m->by_number);
  *m = (fly_fem_mesh){0};
}

bool fly_fem_add_node(fly_fem_mesh *m, int number, const double x[3]) {
  if (!fly_reserve(&m->number, &m->node_room, m->nodes + 1, sizeof *m->number) ||
      !fly_reserve(&m->place, &m->place_room, m->nodes + 1, 3 * sizeof *m->place))
    return false;
  m->number[m->nodes] = number;
  memcpy(m->place + 3 * (size_t)m->nodes++, x, 3 * sizeof *x);
  free(m->by_number);
  m->by_number = NULL;
  return true;
}

bool fly_fem_add_element(fly_fem_mesh *m, const fly_fem_element *e) {
  if (!fly_reserve(&m->element, &m->element_room, m->elements + 1, sizeof *m->element))
    return false;
  m->element[m->elements++] = *e;
  return true;
}

fly_fem_set *fly_fem_add_set(fly_fem_mesh *m, const char *name, bool elements) {
  for (int k = 0; k < m->sets; k++)
    if (m->set[k].elements == elements && strcmp(m->set[k].name, name) == 0)
      return &m->set[k];
  if (!fly_reserve(&m->set, &m->set_room, m->sets + 1, sizeof *m->set))
    return NULL;
  fly_fem_set *s = &m->set[m->sets++];
  *s = (fly_fem_set){.elements = elements};
  snprintf(s->name, sizeof s->name, "%s", name);
  return s;
}

bool fly_fem_add_member(fly_fem_set *s, int index) {
  if (!fly_reserve(&s->member, &s->capacity, s->count + 1, sizeof *s->member))
    return false;
  s->member[s->count++] = index;
  return true;
}

int fly_fem_find_material(const fly_fem_mesh *m, const char *name) {
  for (int k = 0; k < m->materials; k++)
    if (strcmp(m->material[k].name, name) == 0)
      return k;
  return -1;
}

int fly_fem_add_material(fly_fem_mesh *m, const char *name) {
  const int found = fly_fem_find_material(m, name);
  if (found >= 0)
    return found;
  if (!fly_reserve(&m->material, &m->material_room, m->materials + 1, sizeof *m->material))
    return -1;
  m->material[m->materials] = (fly_fem_material){.E = NAN, .nu = NAN, .density = NAN};
  snprintf(m->material[m->materials].name, FLY_FEM_NAME, "%s", name);
  return m->materials++;
}

int fly_fem_add_section(fly_fem_mesh *m, const fly_fem_section *s) {
  if (!fly_reserve(&m->section, &m->section_room, m->sections + 1, sizeof *m->section))
    return -1;
  m->section[m->sections] = *s;
  return m->sections++;
}

// ------------------------------------------------------------------------------------------ nodes by number

typedef struct numbered {
  int number, index;
} numbered;

static int compare(const void *a, const void *b) {
  const numbered *p = a, *q = b;
  return p->number < q->number ? -1 : p->number > q->number ? 1 : p->index - q->index;
}

bool fly_fem_sort(fly_fem_mesh *m) {
  numbered *list = calloc((size_t)m->nodes + 1, sizeof *list);
  free(m->by_number);
  m->by_number = calloc((size_t)m->nodes + 1, sizeof *m->by_number);
  const bool good = list && m->by_number;
  for (int k = 0; good && k < m->nodes; k++)
    list[k] = (numbered){m->number[k], k};
  if (good)
    qsort(list, (size_t)m->nodes, sizeof *list, compare);
  for (int k = 0; good && k < m->nodes; k++)
    m->by_number[k] = list[k].index;
  free(list);
  return good;
}

int fly_fem_find(const fly_fem_mesh *m, int number) {
  int low = 0, high = m->nodes - 1;
  while (low <= high && m->by_number) {
    const int middle = low + (high - low) / 2, there = m->number[m->by_number[middle]];
    if (there == number)
      return m->by_number[middle];
    if (there < number)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return -1;
}

const fly_fem_set *fly_fem_find_set(const fly_fem_mesh *m, const char *name) {
  for (int k = 0; k < m->sets; k++)
    if (!m->set[k].elements && strcmp(m->set[k].name, name) == 0)
      return &m->set[k];
  return NULL;
}

void fly_fem_add_line(char *notes, size_t size, const char *format, va_list list) {
  const size_t used = strlen(notes);
  if (used + 2 >= size)
    return;
  vsnprintf(notes + used, size - used - 1, format, list);
  strcat(notes, "\n");
}

void fly_fem_note(fly_fem_mesh *m, const char *format, ...) {
  va_list list;
  va_start(list, format);
  fly_fem_add_line(m->notes, sizeof m->notes, format, list);
  va_end(list);
}

// ------------------------------------------------------------------------------------------ sections

static void ring(fly_fem_section *s, double radius) {
  s->points = FLY_FEM_POINTS;
  for (int k = 0; k < FLY_FEM_POINTS; k++) {
    s->point[k][0] = radius * cos(2 * FLY_PI * k / FLY_FEM_POINTS);
    s->point[k][1] = radius * sin(2 * FLY_PI * k / FLY_FEM_POINTS);
  }
}

// Cowper (1966), with Poisson's ratio 0.3: 6 (1 + nu)/(7 + 6 nu).
void fly_fem_section_circle(fly_fem_section *s, double radius) {
  const double r2 = radius * radius;
  s->area = FLY_PI * r2;
  s->Iy = s->Iz = FLY_PI * r2 * r2 / 4;
  s->J = 2 * s->Iy;
  s->shear[0] = s->shear[1] = 6 * 1.3 / (7 + 6 * 0.3);
  ring(s, radius);
}

// Cowper: 6 (1 + nu)(1 + k^2)^2/((7 + 6 nu)(1 + k^2)^2 + (20 + 12 nu) k^2), k the ratio of the radii.
void fly_fem_section_tube(fly_fem_section *s, double radius, double wall) {
  const double inner = radius - wall, k2 = inner * inner / (radius * radius), nu = 0.3, a = (1 + k2) * (1 + k2);
  s->area = FLY_PI * (radius * radius - inner * inner);
  s->Iy = s->Iz = FLY_PI * (pow(radius, 4) - pow(inner, 4)) / 4;
  s->J = 2 * s->Iy;
  s->shear[0] = s->shear[1] = 6 * (1 + nu) * a / ((7 + 6 * nu) * a + (20 + 12 * nu) * k2);
  ring(s, radius);
}

// Torsion: Roark's formula, right to half a percent. Shear: Cowper's 10 (1 + nu)/(12 + 11 nu).
void fly_fem_section_rectangle(fly_fem_section *s, double along_y, double along_z) {
  const double a = fmax(along_y, along_z) / 2, b = fmin(along_y, along_z) / 2;
  s->area = along_y * along_z;
  s->Iz = along_z * pow(along_y, 3) / 12;
  s->Iy = along_y * pow(along_z, 3) / 12;
  s->J = a * b * b * b * (16.0 / 3 - 3.36 * b / a * (1 - pow(b / a, 4) / 12));
  s->shear[0] = s->shear[1] = 10 * 1.3 / (12 + 11 * 0.3);
  s->points = 4;
  for (int k = 0; k < 4; k++) {
    s->point[k][0] = (k == 0 || k == 3 ? 1 : -1) * along_y / 2;
    s->point[k][1] = (k < 2 ? 1 : -1) * along_z / 2;
  }
}

// ------------------------------------------------------------------------------------------ texts

char *fly_fem_line(fly_fem_lines *l) {
  if (*l->next == 0)
    return NULL;
  char *line = l->next;
  const size_t length = strcspn(line, "\n");
  l->next = line + length + (line[length] == '\n');
  l->line++;
  line[length] = 0;
  for (size_t k = length; k > 0 && isspace((unsigned char)line[k - 1]); k--)
    line[k - 1] = 0;
  return line + strspn(line, " \t\r");
}

fly_status fly_fem_fault(const fly_fem_lines *l, const char *format, ...) {
  char text[700];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  const fly_place at = {l->path, l->line, 1};
  return fly_fail_at(l->error, FLY_BAD_INPUT, NAN, at, NULL, "%s", text);
}

// Far below what overflows in products of lengths, far above what a body is.
static const double LARGEST = 1e12; // [m]

fly_status fly_fem_check_place(const fly_fem_lines *l, int number, const double x[3]) {
  for (int i = 0; i < 3; i++)
    if (!(fabs(x[i]) <= LARGEST))
      return fly_fem_fault(l, "node %d has the coordinate %c = %.3g m, beyond %g m: look at its units.", number,
                           "xyz"[i], x[i], LARGEST);
  return FLY_OK;
}

static size_t next_word(char **at) {
  *at += strspn(*at, " \t\r,");
  return strcspn(*at, " \t\r,\n");
}

bool fly_fem_number(char **at, double *x) {
  const size_t length = next_word(at);
  if (length == 0 || !fly_number_read(*at, length, x))
    return false;
  *at += length;
  return true;
}

bool fly_fem_whole(char **at, int *n) {
  double x;
  char *start = *at;
  if (!fly_fem_number(at, &x) || x != floor(x) || fabs(x) > INT_MAX) {
    *at = start;
    return false;
  }
  *n = (int)x;
  return true;
}

static char *read_all(FILE *file, size_t *size) {
  size_t room = 1 << 16, used = 0;
  char *text = malloc(room + 1);
  while (text) {
    used += fread(text + used, 1, room - used, file);
    if (used < room)
      break;
    char *larger = realloc(text, 2 * room + 1);
    if (!larger)
      free(text);
    text = larger;
    room *= 2;
  }
  if (text)
    text[used] = 0;
  *size = used;
  return text;
}

fly_status fly_fem_load(char **text, const char *path, fly_error *error) {
  size_t size = 0;
  *text = NULL;
  FILE *file = fopen(path, "rb");
  if (!file)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: cannot be read: %s.", path, strerror(errno));
  *text = read_all(file, &size);
  const bool bad = ferror(file) != 0;
  fclose(file);
  if (*text && !bad && memchr(*text, 0, size) == NULL)
    return FLY_OK;
  const bool memory = *text == NULL;
  free(*text);
  *text = NULL;
  return memory ? fly_fail(error, FLY_NO_MEMORY, NAN, "%s: out of memory for this file.", path)
                : fly_fail(error, FLY_BAD_INPUT, NAN,
                           "%s: this is no text. Of Gmsh's files those are read that are saved as text (Mesh.Binary = "
                           "0).",
                           path);
}

fly_status fly_fem_read(fly_fem_mesh *m, const char *path, fly_error *error) {
  char *text;
  *m = (fly_fem_mesh){0};
  fly_status status = fly_fem_load(&text, path, error);
  if (status || !text)
    return status;
  status = strncmp(text + strspn(text, " \t\r\n"), "$MeshFormat", 11) == 0
               ? fly_fem_read_gmsh(m, path, text, error)
               : fly_fem_read_keywords(m, path, text, error);
  free(text);
  if (status == FLY_OK && m->elements == 0)
    status = fly_fail(error, FLY_BAD_INPUT, NAN,
                      "%s: there are no elements in it that are known here: ten-node tetrahedra and beams.%s%s", path,
                      m->notes[0] ? "\n" : "", m->notes);
  if (status)
    fly_fem_mesh_free(m);
  return status;
}
