// flyball/reduce.h: from files to a file.
#include "fem/reduce.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "result/arrays.h"

fly_reduce_options fly_reduce_options_default(void) {
  return (fly_reduce_options){.youngs_modulus = NAN, .poisson_ratio = NAN, .density = NAN, .highest = NAN, .modes = 20};
}

fly_status fly_reduce_no_memory(const fly_reduction *r) {
  return fly_fail(r->error, FLY_NO_MEMORY, NAN, "Out of memory: a mesh of %d nodes, %d unknowns.", r->mesh.nodes,
                  r->s.unknowns);
}

void fly_reduce_note(fly_reduction *r, const char *format, ...) {
  va_list list;
  va_start(list, format);
  fly_fem_add_line(r->notes, sizeof r->notes, format, list);
  va_end(list);
}

void fly_reduce_tell(const fly_reduction *r, const char *phase, double share) {
  if (r->o.tell)
    r->o.tell(phase, share, r->o.user);
}

void fly_reduce_rigid(double *x, const fly_fem_system *s, int way) {
  memset(x, 0, (size_t)s->unknowns * sizeof *x);
  for (int g = 0; g < s->groups; g++) {
    const double *p = s->place + 3 * (size_t)g;
    double *u = x + s->start[g];
    const int a = way % 3, b = (way + 1) % 3, c = (way + 2) % 3;
    if (way < 3) {
      u[way] = 1;
      continue;
    }
    u[b] = -p[c]; // e_a x p
    u[c] = p[b];
    if (s->start[g + 1] - s->start[g] == 6)
      u[3 + a] = 1;
  }
}

// ------------------------------------------------------------------------------------------ what is given

// "tube 0.02 0.002"
static fly_status read_section(fly_reduction *r, fly_fem_section *s) {
  char kind[20] = "";
  double a = NAN, b = NAN;
  const int n = sscanf(r->o.section, "%19s %lf %lf", kind, &a, &b);
  if (strcmp(kind, "circle") == 0 && n >= 2 && a > 0)
    fly_fem_section_circle(s, a);
  else if (strcmp(kind, "tube") == 0 && n == 3 && b > 0 && b < a)
    fly_fem_section_tube(s, a, b);
  else if (strcmp(kind, "rectangle") == 0 && n == 3 && a > 0 && b > 0)
    fly_fem_section_rectangle(s, a, b);
  else
    return fly_fail(r->error, FLY_BAD_INPUT, NAN,
                    "`%s` is no section: circle RADIUS, tube RADIUS WALL, rectangle ALONG_Y ALONG_Z, in metres.",
                    r->o.section);
  return FLY_OK;
}

// A direction for y of a section that has none: not along the beam.
static void choose_y(fly_fem_section *s, const fly_fem_mesh *m, const fly_fem_element *e) {
  int axis = 0;
  double d[3];
  for (int i = 0; i < 3; i++)
    d[i] = fabs(m->place[3 * (size_t)e->node[1] + (size_t)i] - m->place[3 * (size_t)e->node[0] + (size_t)i]);
  for (int i = 1; i < 3; i++)
    if (d[i] < d[axis])
      axis = i;
  memset(s->y, 0, sizeof s->y);
  s->y[axis] = 1;
}

// Materials that are not complete, and beams without a section, take what was given for all.
static fly_status fill_in(fly_reduction *r) {
  fly_fem_mesh *m = &r->mesh;
  int all = -1;
  for (int k = 0; k < m->materials; k++) {
    fly_fem_material *a = &m->material[k];
    a->E = isnan(a->E) ? r->o.youngs_modulus : a->E;
    a->nu = isnan(a->nu) ? r->o.poisson_ratio : a->nu;
    a->density = isnan(a->density) ? r->o.density : a->density;
  }
  for (int e = 0; e < m->elements; e++) {
    fly_fem_element *q = &m->element[e];
    if (q->material < 0 && all < 0) {
      all = fly_fem_add_material(m, "given");
      if (all < 0)
        return fly_reduce_no_memory(r);
      m->material[all] = (fly_fem_material){"given", r->o.youngs_modulus, r->o.poisson_ratio, r->o.density};
    }
    if (q->material < 0)
      q->material = all;
    if (q->kind != FLY_FEM_BEAM || q->section >= 0 || !r->o.section)
      continue;
    fly_fem_section s = {0};
    fly_status status = read_section(r, &s);
    if (status)
      return status;
    choose_y(&s, m, q);
    q->section = fly_fem_add_section(m, &s);
    if (q->section < 0)
      return fly_reduce_no_memory(r);
  }
  return FLY_OK;
}

static fly_status read_matrices(fly_reduction *r) {
  if (!r->o.stiffness || !r->o.mass || !r->o.nodes)
    return fly_fail(r->error, FLY_BAD_INPUT, NAN,
                    "A body is reduced from a mesh, or from a stiffness matrix, a mass matrix and a table of nodes.");
  fly_status status = fly_fem_read_table(&r->mesh, &r->file_unknowns, r->o.nodes, r->error);
  if (status == FLY_OK)
    status = fly_fem_read_market(&r->K, r->o.stiffness, r->error);
  if (status == FLY_OK)
    status = fly_fem_read_market(&r->M, r->o.mass, r->error);
  if (status)
    return status;
  long unknowns = 0;
  for (int n = 0; n < r->mesh.nodes; n++)
    unknowns += r->file_unknowns[n];
  if (r->K.n != r->M.n || r->K.n != unknowns)
    return fly_fail(r->error, FLY_BAD_INPUT, NAN,
                    "%s has %d rows, %s has %d, and the nodes of %s have %ld unknowns: these must be the same.",
                    r->o.stiffness, r->K.n, r->o.mass, r->M.n, r->o.nodes, unknowns);
  return FLY_OK;
}

static fly_status check_nodes(fly_reduction *r) {
  int unused = 0;
  if (!r->mesh.by_number && !fly_fem_sort(&r->mesh))
    return fly_reduce_no_memory(r);
  for (int k = 1; k < r->mesh.nodes; k++)
    if (r->mesh.number[r->mesh.by_number[k]] == r->mesh.number[r->mesh.by_number[k - 1]])
      return fly_fail(r->error, FLY_BAD_INPUT, NAN, "Node %d is there twice.", r->mesh.number[r->mesh.by_number[k]]);
  for (int n = 0; n < r->mesh.nodes; n++)
    unused += r->s.group && r->s.group[n] < 0;
  if (unused > 0)
    fly_reduce_note(r, "%d nodes belong to no element and are left out", unused);
  return FLY_OK;
}

static fly_status assemble(fly_reduction *r) {
  fly_reduce_tell(r, "reading", 0);
  fly_status status = r->o.mesh ? fly_fem_read(&r->mesh, r->o.mesh, r->error) : read_matrices(r);
  if (status == FLY_OK && r->o.mesh)
    status = fill_in(r);
  if (status == FLY_OK)
    status = check_nodes(r);
  if (status == FLY_OK)
    status = fly_reduce_interface_find(r);
  fly_reduce_tell(r, "matrices", 0);
  if (status == FLY_OK)
    status = fly_fem_assemble(&r->s, &r->mesh, r->ties, r->tie, r->file_unknowns ? &r->K : NULL, &r->M,
                              r->file_unknowns, r->error);
  if (status == FLY_OK)
    status = check_nodes(r);
  if (status == FLY_OK)
    status = fly_reduce_interface_check(r);
  fly_fem_entries_free(&r->K);
  fly_fem_entries_free(&r->M);
  return status;
}

// ------------------------------------------------------------------------------------------ the file

fly_status fly_reduce_write(const fly_reduction *r) {
  const size_t m = (size_t)r->info.modes, kept = (size_t)r->info.kept, faces = (size_t)r->o.ninterface;
  double whole[22];
  const char **name = calloc(faces + 1, sizeof *name);
  if (!name)
    return fly_reduce_no_memory(r);
  whole[0] = r->info.mass;
  memcpy(whole + 1, r->S, sizeof r->S);
  memcpy(whole + 4, r->X, sizeof r->X);
  memcpy(whole + 13, r->JR, sizeof r->JR);
  for (size_t k = 0; k < faces; k++)
    name[k] = r->o.interface[k].name;
  const fly_array array[] = {{"whole", 1, 22, whole, NULL},
                             {"frequency", m, 1, r->frequency, NULL},
                             {"N", m, 3, r->N, NULL},
                             {"NR", m, 3, r->NR, NULL},
                             {"Q", m, 9, r->Q, NULL},
                             {"P", m * m, 9, r->P, NULL},
                             {"M", m, m, r->Mm, NULL},
                             {"K", m, m, r->Km, NULL},
                             {"nodes", kept, 4, r->kept, NULL},
                             {"phi", kept, 3 * m, r->phi, NULL},
                             {"theta", kept, 3 * m, r->theta, NULL},
                             {"interface_rows", faces, 1, r->interface_row, NULL},
                             {"interface_names", faces, 1, NULL, name},
                             {"stress_at", (size_t)r->info.stresses, 3, r->stress_at, NULL},
                             {"stress", (size_t)r->info.stresses, 6 * m, r->stress, NULL},
                             {"G", m * m, 9, r->G, NULL}}; // the last: not in every file
  const int count = (int)(sizeof array / sizeof *array) - (r->G ? 0 : 1);
  fly_status status = fly_arrays_write(r->o.out, "flyball_body", 1, count, array, r->error);
  free(name);
  return status;
}

// ------------------------------------------------------------------------------------------ all of it

static void tell_oddities(fly_reduction *r) {
  if (r->frequency[0] > 1e6)
    fly_reduce_note(r,
                    "its slowest vibration has %.3g Hz: look at the units. Lengths are metres, moduli Pa, densities "
                    "kg/m^3; a mesh in millimetres goes with MPa and t/mm^3 and then has its masses in tonnes",
                    r->frequency[0]);
  if (r->info.coupling > 1e-6)
    fly_reduce_note(r, "the modes are not orthogonal: %.2g is left of their products", r->info.coupling);
  if (r->info.modes > 200)
    fly_reduce_note(r, "%d modes: a model takes 200 at most; choose some of them there, or a highest frequency here",
                    r->info.modes);
}

static fly_status reduce(fly_reduction *r) {
  fly_status status = assemble(r);
  if (status == FLY_OK)
    status = fly_reduce_stiffening_check(r);
  if (status == FLY_OK)
    status = fly_reduce_modes(r);
  if (status == FLY_OK)
    status = fly_reduce_sums(r);
  if (status == FLY_OK)
    status = fly_reduce_stiffening(r);
  if (status == FLY_OK)
    status = fly_reduce_recover(r);
  if (status)
    return status;
  r->info.nodes = r->mesh.nodes;
  r->info.elements = r->mesh.elements;
  r->info.unknowns = r->s.unknowns;
  r->info.ties = r->ties;
  tell_oddities(r);
  fly_reduce_tell(r, "writing", 0);
  return r->o.out ? fly_reduce_write(r) : FLY_OK;
}

fly_status fly_reduce(fly_reduction **out, const fly_reduce_options *options, fly_error *error) {
  fly_reduction *r = calloc(1, sizeof *r);
  *out = r;
  if (!r)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory.");
  r->o = *options;
  r->error = error;
  fly_status status = reduce(r);
  if (r->mesh.notes[0]) {
    r->mesh.notes[strlen(r->mesh.notes) - 1] = 0; // the end of its last line
    fly_reduce_note(r, "%s", r->mesh.notes);
  }
  r->info.frequency = r->frequency;
  r->info.fixed_mode = r->fixed_mode;
  r->info.notes = r->notes;
  if (status) {
    fly_reduction_free(r);
    *out = NULL;
  }
  return status;
}

void fly_reduction_free(fly_reduction *r) {
  if (!r)
    return;
  fly_fem_mesh_free(&r->mesh);
  fly_fem_entries_free(&r->K);
  fly_fem_entries_free(&r->M);
  fly_fem_system_free(&r->s);
  free(r->file_unknowns);
  free(r->B);
  free(r->Phi);
  free(r->phi);
  free(r->theta);
  free(r->stress);
  fly_arena_free(&r->memory);
  free(r);
}

const fly_reduce_info *fly_reduction_info(const fly_reduction *r) { return &r->info; }
