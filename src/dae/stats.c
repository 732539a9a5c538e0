// What a run has counted, field by field: one list for all who write it down.
#include <stddef.h>

#include "flyball/dae.h"

typedef enum kind { LONG, INT, DOUBLE } kind;

static const struct {
  const char *name;
  kind kind;
  size_t at;
} fields[] = {
#define LONG_FIELD(field)                                                                                              \
  { #field, LONG, offsetof(fly_stats, field) }
    LONG_FIELD(steps),
    LONG_FIELD(rejected_error),
    LONG_FIELD(rejected_newton),
    LONG_FIELD(rejected_callback),
    LONG_FIELD(rejected_singular),
    LONG_FIELD(cut_steps),
    LONG_FIELD(newton_iterations),
    LONG_FIELD(residuals),
    LONG_FIELD(jacobians),
    LONG_FIELD(factorizations),
    LONG_FIELD(refactorizations),
    LONG_FIELD(factor_entries),
    LONG_FIELD(solves),
    LONG_FIELD(kkt_solves),
    LONG_FIELD(shifts),
    LONG_FIELD(line_searches),
    LONG_FIELD(singular_steps),
    LONG_FIELD(round_off_steps),
    LONG_FIELD(corrections),
    LONG_FIELD(repartitions),
    LONG_FIELD(stiff_steps),
    {"order_highest", INT, offsetof(fly_stats, order_highest)},
    LONG_FIELD(events),
    LONG_FIELD(relations),
    LONG_FIELD(breaks),
    LONG_FIELD(restarts),
    LONG_FIELD(corners),
    LONG_FIELD(looks),
    LONG_FIELD(surprises),
    LONG_FIELD(leaps),
    LONG_FIELD(switches),
    LONG_FIELD(unsure),
    {"h_min", DOUBLE, offsetof(fly_stats, h_min)},
    {"h_max", DOUBLE, offsetof(fly_stats, h_max)},
    {"work", DOUBLE, offsetof(fly_stats, work)},
    {"wall_s", DOUBLE, offsetof(fly_stats, wall_s)},
#undef LONG_FIELD
};

const char *fly_stats_field(const fly_stats *s, int k, double *value, bool *counts) {
  if (k < 0 || (size_t)k >= sizeof fields / sizeof *fields)
    return NULL;
  const void *at = (const char *)s + fields[k].at;
  *counts = fields[k].kind != DOUBLE;
  *value = fields[k].kind == LONG  ? (double)*(const long *)at
           : fields[k].kind == INT ? (double)*(const int *)at
                                   : *(const double *)at;
  return fields[k].name;
}
