#include "model/surface.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "geometry/hull.h"
#include "geometry/surface.h"
#include "math/so3.h"
#include "model/compile.h"
#include "model/hull.h"

static fly_status refuse(const fly_item *item, const char *word, fly_surface_verdict verdict, int wrong,
                         fly_error *error) {
  const char *name = word + strlen(FLY_SHAPE_MESH);
  if (verdict == FLY_SURFACE_NO_MEMORY)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the mesh %s.", name);
  if (verdict == FLY_SURFACE_INSIDE_OUT)
    return fly_item_fail(item, error,
                         "the mesh `%s` is inside out: its triangles run with the clock, seen from outside. Turn them "
                         "round.",
                         name);
  if (verdict == FLY_SURFACE_THIN)
    return fly_item_fail(item, error, "triangle %d of the mesh `%s` has no area: contact needs a surface without such.",
                         wrong + 1, name);
  return fly_item_fail(
      item, error,
      "the mesh `%s` is not closed: an edge of triangle %d is not that of exactly one other which runs "
      "along it the other way. Contact needs a closed surface; or take {type: hull, file: ...}.",
      name, wrong + 1);
}

// Corners in metres, and triangles turned round where a scale below 0 mirrors them.
static fly_status build(fly_surface *out, fly_model *m, const fly_item *item, const fly_spec_mesh *mesh, double scale,
                        fly_error *error) {
  fly_arena work = {0};
  double(*corner)[3] = fly_arena_take(&m->memory, (size_t)mesh->corners, sizeof *corner);
  int(*of)[3] = fly_arena_take(&work, (size_t)mesh->triangles, sizeof *of), wrong = 0;
  fly_surface_verdict verdict = FLY_SURFACE_NO_MEMORY;
  if (corner && of) {
    for (int k = 0; k < 3 * mesh->corners; k++)
      corner[k / 3][k % 3] = scale * (double)mesh->corner[k];
    for (int k = 0; k < 3 * mesh->triangles; k++)
      of[k / 3][k % 3] = mesh->of[scale < 0 ? 3 * (k / 3) + 2 - k % 3 : k];
    verdict = fly_surface_build(out, &wrong, mesh->corners, (const double(*)[3])corner, mesh->triangles,
                                (const int(*)[3])of, &m->memory);
  }
  fly_arena_free(&work);
  return verdict == FLY_SURFACE_GOOD ? FLY_OK : refuse(item, mesh->word, verdict, wrong, error);
}

fly_status fly_surface_of_mesh(const fly_surface **out, fly_model *m, const fly_item *item, const char *word,
                               const char *file, double scale, fly_error *error) {
  const fly_spec_mesh *mesh = fly_spec_mesh_find(m->spec, word, file);
  for (const fly_model_surface *s = m->surface; s && mesh; s = s->next)
    if (s->mesh == mesh && s->scale == scale) {
      *out = s->surface;
      return FLY_OK;
    }
  fly_model_surface *entry = fly_arena_take(&m->memory, 1, sizeof *entry);
  fly_surface *surface = fly_arena_take(&m->memory, 1, sizeof *surface);
  if (!mesh)
    return fly_item_fail(item, error, "the triangles of the mesh `%s` are not known.", word + strlen(FLY_SHAPE_MESH));
  if (!entry || !surface)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a mesh.");
  const fly_status status = build(surface, m, item, mesh, scale, error);
  if (status)
    return status;
  *entry = (fly_model_surface){.mesh = mesh, .scale = scale, .surface = surface, .next = m->surface};
  m->surface = entry;
  *out = surface;
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ convex ones

static const double SAME = 1e-6;    // of its volume
enum { MOST_HULL_CORNERS = 20000 }; // as many points as a hull is made of at most

static double volume_of(const fly_surface *s) {
  double volume = 0;
  for (int k = 0; k < s->triangles; k++) {
    double cross[3];
    fly_cross(cross, s->corner[s->of[k][1]], s->corner[s->of[k][2]]);
    volume += fly_dot3(s->corner[s->of[k][0]], cross) / 6;
  }
  return volume;
}

// Is there as much in it as in the hull around it?
static void ask(fly_model_surface *entry, fly_arena *memory) {
  fly_hull *hull = fly_arena_take(memory, 1, sizeof *hull);
  fly_inertia all;
  entry->asked = true;
  if (!hull || entry->mesh->corners > MOST_HULL_CORNERS ||
      fly_hull_build(hull, entry->middle, entry->mesh->corners, entry->surface->corner[0], memory))
    return;
  fly_hull_inertia(&all, hull, entry->middle);
  if (fabs(all.mass - volume_of(entry->surface)) <= SAME * all.mass)
    entry->hull = hull;
}

bool fly_surface_as_hull(fly_solid *solid, fly_model *m) {
  fly_model_surface *entry = m->surface;
  while (entry && entry->surface != solid->surface)
    entry = entry->next;
  if (!entry)
    return false;
  if (!entry->asked)
    ask(entry, &m->memory);
  if (!entry->hull)
    return false;
  solid->core = FLY_CORE_HULL;
  solid->hull = entry->hull;
  for (int c = 0; c < 3; c++)
    solid->at[c] += fly_dot3(solid->A + 3 * c, entry->middle);
  return true;
}
