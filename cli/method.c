#include "method.h"

#include <math.h>
#include <string.h>

typedef struct named_number {
  const char *name;
  double value;
} named_number;

void cli_method_describe(char *text, size_t size, const fly_method_request *request, const fly_newmark *method) {
  const named_number given[] = {{"rho", request->rho},         {"alpha", request->alpha},
                                {"gamma", request->gamma},     {"beta", request->beta},
                                {"phi0", request->phi0},       {"alpha_m", request->alpha_m},
                                {"alpha_f", request->alpha_f}, {"constraint", request->constraint},
                                {"z0", request->z0},           {"stages", request->stages}};
  int used = snprintf(text, size, "%s", request->name);
  const int name = used;
  for (size_t i = 0; i < sizeof given / sizeof given[0] && used >= 0 && (size_t)used < size; i++)
    if (!isnan(given[i].value))
      used += snprintf(text + used, size - (size_t)used, ", %s = %g", given[i].name, given[i].value);
  if (!method || used != name || used < 0 || (size_t)used >= size || strcmp(request->name, "trapezoid") == 0)
    return;
  if (strcmp(request->name, "hht") == 0)
    snprintf(text + used, size - (size_t)used, ", alpha = %g", -method->alpha_f);
  else
    snprintf(text + used, size - (size_t)used, ", rho = %g", fly_newmark_stability(method).rho_infinity);
}

void cli_method_print(FILE *out, const fly_newmark *method, const fly_theta *states) {
  fprintf(out, "  parameters    alpha_m = %.9g, alpha_f = %.9g, beta = %.9g, gamma = %.9g\n", method->alpha_m,
          method->alpha_f, method->beta, method->gamma);
  if (states != NULL)
    fprintf(out, "  for x         delta_m = %.9g, delta_f = %.9g, theta = %.9g\n", states->delta_m, states->delta_f,
            states->theta);
}

void cli_method_json(fly_json *j, const fly_newmark *method, const fly_theta *states) {
  const named_number all[] = {{"alpha_m", method->alpha_m}, {"alpha_f", method->alpha_f}, {"beta", method->beta},
                              {"gamma", method->gamma},     {"delta_m", states->delta_m}, {"delta_f", states->delta_f},
                              {"theta", states->theta}};
  fly_json_begin_object(j);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    fly_json_key(j, all[i].name);
    fly_json_number(j, all[i].value);
  }
  fly_json_end_object(j);
}
