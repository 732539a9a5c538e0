#include "dae/family.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/error.h"
#include "dae/solver.h"

static const struct {
  const char *name;
  const fly_family *family;
} families[] = {
    [FLY_FAMILY_NEWMARK] = {"newmark", &fly_family_newmark},
    [FLY_FAMILY_DIRECT] = {"direct", &fly_family_statespace},
    [FLY_FAMILY_BAUMGARTE] = {"baumgarte", &fly_family_statespace},
    [FLY_FAMILY_PARTITION] = {"partition", &fly_family_statespace},
    [FLY_FAMILY_HYBRID] = {"hybrid", &fly_family_statespace},
    [FLY_FAMILY_RADAU] = {"radau", &fly_family_radau},
    [FLY_FAMILY_BDF] = {"bdf", NULL}, // fly_family_bdf()
    [FLY_FAMILY_TABLEAU] = {"of a tableau", &fly_family_tableau},
    [FLY_FAMILY_AUTO] = {"auto", &fly_family_radau}, // begins with it: choice.h
};

const fly_family *fly_family_of(fly_method_family family) {
  return family == FLY_FAMILY_BDF ? fly_family_bdf() : families[family].family;
}

const char *fly_family_name(fly_method_family family) { return families[family].name; }

void *fly_family_own(fly_solver *s, size_t size, fly_error *error) {
  s->own = calloc(1, size);
  if (!s->own)
    fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a solver.");
  return s->own;
}
