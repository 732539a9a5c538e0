#include <string.h>

#include "base/image.h"
#include "model/spec.h"

static uint64_t text(uint64_t hash, const char *t) { return fly_fingerprint(hash, t ? t : "", t ? strlen(t) + 1 : 1); }

static uint64_t numbers(uint64_t hash, const double *x, int count) {
  return x ? fly_fingerprint(hash, x, (size_t)count * sizeof *x) : hash;
}

static uint64_t value(uint64_t hash, const fly_value *v) {
  hash = fly_fingerprint(hash, &v->given, sizeof v->given);
  if (!v->given)
    return hash;
  hash = fly_fingerprint(hash, &v->count, sizeof v->count);
  hash = numbers(hash, v->number, v->count);
  for (int k = 0; v->word && k < v->count; k++)
    hash = text(hash, v->word[k]);
  return hash;
}

static uint64_t item(uint64_t hash, const fly_item *it) {
  hash = text(text(hash, it->type->name), it->name);
  for (int k = 0; it->type->parameters[k].name; k++)
    hash = value(hash, fly_item_row(it, k));
  for (int k = 0; k < it->nmarker; k++) {
    hash = text(hash, it->marker[k].name);
    hash = numbers(numbers(hash, it->marker[k].at, 3), it->marker[k].A, 9);
  }
  return hash;
}

uint64_t fly_spec_fingerprint(const fly_spec *spec) {
  uint64_t hash = numbers(0, spec->gravity, 3);
  for (int k = 0; k < spec->nitem; k++)
    hash = item(hash, &spec->item[k]);
  for (int k = 0; k < spec->nparameter; k++)
    hash = numbers(text(hash, spec->parameter_name[k]), &spec->parameter_value[k], 1);
  for (int k = 0; k < spec->nsetting; k++)
    hash = text(text(hash, spec->setting_key[k]), spec->setting_text[k]);
  for (int k = 0; k < spec->ntable; k++) {
    const int rows = spec->table_rows ? spec->table_rows[k] : 0;
    hash = text(hash, spec->table_name[k]);
    hash = numbers(hash, spec->table_x[k], spec->table_count[k]);
    hash = numbers(hash, spec->table_y[k], spec->table_count[k] * (rows > 0 ? rows : 1));
    hash = numbers(hash, rows > 0 ? spec->table_across[k] : NULL, rows);
  }
  return hash;
}
