// The Newmark family by name: what each method takes, its range, its parameters (FAMILY 4.3, 4.4, example 4.17 and the
// set after 4.32; first-order states: GENALPHA 13).
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "dae/tableau.h"
#include "flyball/words.h"
#include "math/constants.h"

static const double default_rho = 0.6;
static const double default_alpha = -0.3; // of hht
static const double default_z0 = 3;       // of lobatto-acd

enum {
  TAKES_RHO = 1 << 0,
  TAKES_ALPHA = 1 << 1,
  TAKES_GAMMA = 1 << 2,
  TAKES_PHI0 = 1 << 3,
  TAKES_ALPHA_M = 1 << 4,
  TAKES_ALPHA_F = 1 << 5,
  TAKES_BETA = 1 << 6,
  TAKES_CONSTRAINT = 1 << 7,
  TAKES_Z0 = 1 << 8,
  TAKES_STAGES = 1 << 9
};

static const struct {
  const char *name;
  unsigned flag;
  size_t offset; // in fly_method_request
} parameters[] = {
    {"rho", TAKES_RHO, offsetof(fly_method_request, rho)},
    {"alpha", TAKES_ALPHA, offsetof(fly_method_request, alpha)},
    {"gamma", TAKES_GAMMA, offsetof(fly_method_request, gamma)},
    {"phi0", TAKES_PHI0, offsetof(fly_method_request, phi0)},
    {"alpha_m", TAKES_ALPHA_M, offsetof(fly_method_request, alpha_m)},
    {"alpha_f", TAKES_ALPHA_F, offsetof(fly_method_request, alpha_f)},
    {"beta", TAKES_BETA, offsetof(fly_method_request, beta)},
    {"constraint", TAKES_CONSTRAINT, offsetof(fly_method_request, constraint)},
    {"z0", TAKES_Z0, offsetof(fly_method_request, z0)},
    {"stages", TAKES_STAGES, offsetof(fly_method_request, stages)},
};
enum { NPARAMETER = sizeof parameters / sizeof parameters[0] };

// Writes the parameters of a request that is known to hold nothing foreign.
typedef fly_status make_fn(fly_newmark *method, fly_theta *states, const fly_method_request *r, fly_error *error);

typedef struct method_row {
  const char *name;
  const char *takes_text; // for messages
  unsigned takes;
  make_fn *make;
} method_row;

static bool given(double x) { return !isnan(x); }

static double or_default(double x, double fallback) { return given(x) ? x : fallback; }

static double square(double x) { return x * x; }

static fly_status check_range(const char *method, const char *parameter, double value, double low, double high,
                              const char *meaning, fly_error *error) {
  if (value >= low && value <= high)
    return FLY_OK;
  return fly_fail(error, FLY_BAD_INPUT, NAN, "method %s: %s = %g is out of range; %s", method, parameter, value,
                  meaning);
}

static fly_status check_rho(const char *method, double rho, fly_error *error) {
  return check_range(method, "rho", rho, 0.0, 1.0,
                     "rho, the damping at infinite frequency, lies between 0 (all of it in one step) and 1 (none).",
                     error);
}

// Second order: gamma = 1/2 - alpha_m + alpha_f (FAMILY 4.3).
static double gamma_of_order_two(double alpha_m, double alpha_f) { return 0.5 - alpha_m + alpha_f; }

// The principal roots meet at infinity (FAMILY, "optimal dissipation relation").
static double beta_optimal(double gamma) { return square(gamma + 0.5) / 4.0; }

static fly_newmark newmark_of(double alpha_m, double alpha_f, double beta) {
  return (fly_newmark){
      .alpha_m = alpha_m, .alpha_f = alpha_f, .beta = beta, .gamma = gamma_of_order_two(alpha_m, alpha_f)};
}

// GENALPHA 13: damping rho at infinity also for x.
static fly_theta theta_of(double rho) {
  const double delta_m = (3.0 * rho - 1.0) / (2.0 * (rho + 1.0)), delta_f = rho / (rho + 1.0);
  return (fly_theta){.delta_m = delta_m, .delta_f = delta_f, .theta = 0.5 - delta_m + delta_f};
}

static fly_status make_trapezoid(fly_newmark *method, fly_theta *states, const fly_method_request *r,
                                 fly_error *error) {
  (void)r, (void)error;
  *method = (fly_newmark){.alpha_m = 0.0, .alpha_f = 0.0, .beta = 0.25, .gamma = 0.5};
  *states = (fly_theta){.delta_m = 0.0, .delta_f = 0.0, .theta = 0.5};
  return FLY_OK;
}

// Refuses what would blow up, and says which condition it breaks. The parameters stay written, for analysis.
static fly_status check_stable(const char *name, const fly_newmark *method, fly_error *error) {
  const fly_stability s = fly_newmark_stability(method);
  if (s.zero_stable && s.stable_at_infinity)
    return FLY_OK;
  return fly_fail(error, FLY_BAD_INPUT, NAN, "method %s with these parameters is unstable. %s", name, s.violated);
}

static fly_status make_newmark_rho(fly_newmark *method, double rho, fly_error *error) {
  const fly_status status = check_rho("newmark", rho, error);
  if (status == FLY_OK)
    *method = (fly_newmark){.beta = 1.0 / square(1.0 + rho), .gamma = 2.0 / (1.0 + rho) - 0.5};
  return status;
}

static fly_status make_newmark(fly_newmark *method, fly_theta *states, const fly_method_request *r, fly_error *error) {
  if (given(r->rho) && (given(r->gamma) || given(r->beta)))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "method newmark takes rho, or gamma and beta, not both.");
  if (given(r->beta) && !given(r->gamma))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "method newmark: beta is given, so gamma must be given too.");
  fly_status status = FLY_OK;
  if (given(r->gamma)) {
    *method = (fly_newmark){.beta = or_default(r->beta, beta_optimal(r->gamma)), .gamma = r->gamma};
    status = check_stable("newmark", method, error);
  } else {
    status = make_newmark_rho(method, or_default(r->rho, default_rho), error);
  }
  if (status == FLY_OK)
    *states = (fly_theta){.delta_m = 0.0, .delta_f = 0.0, .theta = method->gamma};
  return status;
}

// HHT(rho): alpha_f = (1-rho)/(1+rho) = -alpha.
static fly_status hht_alpha(double *alpha, const fly_method_request *r, fly_error *error) {
  *alpha = or_default(r->alpha, default_alpha);
  if (given(r->rho)) {
    *alpha = (r->rho - 1.0) / (1.0 + r->rho);
    return check_range("hht", "rho", r->rho, 0.5, 1.0,
                       "hht takes rho, the damping at infinite frequency, from 1/2 (most damping) to 1 (none). "
                       "Method ch goes down to 0.",
                       error);
  }
  return check_range("hht", "alpha", *alpha, -1.0 / 3.0, 0.0,
                     "hht takes alpha from -1/3 (most damping: rho = 1/2) to 0 (none: the trapezoid). Above 0 it is "
                     "unstable, below -1/3 it damps less again.",
                     error);
}

static fly_status make_hht(fly_newmark *method, fly_theta *states, const fly_method_request *r, fly_error *error) {
  if (given(r->alpha) && given(r->rho))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "method hht takes alpha or rho, not both.");
  double alpha = 0.0;
  const fly_status status = hht_alpha(&alpha, r, error);
  if (status != FLY_OK)
    return status;
  *method = newmark_of(0.0, -alpha, square(1.0 - alpha) / 4.0);
  *states = theta_of((1.0 + alpha) / (1.0 - alpha));
  return FLY_OK;
}

// Methods of one number: alpha_m and alpha_f follow from rho, which also damps first-order states.
static fly_status make_of_rho(const char *name, fly_newmark *method, fly_theta *states, const fly_method_request *r,
                              fly_newmark (*of)(double rho), fly_error *error) {
  const double rho = or_default(r->rho, default_rho);
  const fly_status status = check_rho(name, rho, error);
  if (status != FLY_OK)
    return status;
  *method = of(rho);
  *states = theta_of(rho);
  return FLY_OK;
}

static fly_newmark wbz_of(double rho) { return newmark_of((rho - 1.0) / (rho + 1.0), 0.0, 1.0 / square(1.0 + rho)); }

static fly_newmark ch_of(double rho) {
  return newmark_of((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0), 1.0 / square(1.0 + rho));
}

static fly_status make_wbz(fly_newmark *method, fly_theta *states, const fly_method_request *r, fly_error *error) {
  return make_of_rho("wbz", method, states, r, wbz_of, error);
}

static fly_status make_ch(fly_newmark *method, fly_theta *states, const fly_method_request *r, fly_error *error) {
  return make_of_rho("ch", method, states, r, ch_of, error);
}

// Gen(rho, phi0): the principal roots at infinity are rho exp(+-i(pi - (pi-phi0)(1-rho))) instead of a double -rho.
static fly_status make_gen(fly_newmark *method, fly_theta *states, const fly_method_request *r, fly_error *error) {
  const double rho = or_default(r->rho, default_rho), phi0 = or_default(r->phi0, 0.0);
  fly_status status = check_rho("gen", rho, error);
  if (status == FLY_OK)
    status = check_range("gen", "phi0", phi0, 0.0, FLY_PI,
                         "phi0, an angle in radians, lies between 0 (roots at infinity far apart) and pi (all equal: "
                         "method ch).",
                         error);
  if (status != FLY_OK)
    return status;
  // 1 + rho^2 - 2 rho cos(x) with cos(x) = 2 cos^2(x/2) - 1: no cancellation near x = pi
  const double beta = 1.0 / (square(1.0 + rho) - 4.0 * rho * square(cos(0.5 * (phi0 - phi0 * rho + FLY_PI * rho))));
  const double alpha_f = rho / (rho + 1.0);
  *method = newmark_of(alpha_f + (rho * rho - 1.0) * beta, alpha_f, beta);
  *states = theta_of(rho);
  return FLY_OK;
}

static fly_status make_custom(fly_newmark *method, fly_theta *states, const fly_method_request *r, fly_error *error) {
  if (!given(r->alpha_m) || !given(r->alpha_f))
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "method custom needs alpha_m and alpha_f (gamma: 1/2 - alpha_m + alpha_f if not given, beta: "
                    "(gamma+1/2)^2/4).");
  method->alpha_m = r->alpha_m;
  method->alpha_f = r->alpha_f;
  method->gamma = or_default(r->gamma, gamma_of_order_two(r->alpha_m, r->alpha_f));
  method->beta = or_default(r->beta, beta_optimal(method->gamma));
  *states = (fly_theta){.delta_m = method->alpha_m, .delta_f = method->alpha_f, .theta = method->gamma};
  return check_stable("custom", method, error);
}

static const method_row methods[] = {
    {"trapezoid", "no parameters", 0, make_trapezoid},
    {"newmark", "rho (0 to 1), or gamma (at least 1/2) and beta (at least gamma/2)",
     TAKES_RHO | TAKES_GAMMA | TAKES_BETA, make_newmark},
    {"hht", "alpha (-1/3 to 0) or rho (1/2 to 1)", TAKES_ALPHA | TAKES_RHO, make_hht},
    {"wbz", "rho (0 to 1)", TAKES_RHO, make_wbz},
    {"ch", "rho (0 to 1)", TAKES_RHO, make_ch},
    {"gen", "rho (0 to 1) and phi0 (0 to pi)", TAKES_RHO | TAKES_PHI0, make_gen},
    {"custom", "alpha_m, alpha_f, beta and gamma", TAKES_ALPHA_M | TAKES_ALPHA_F | TAKES_BETA | TAKES_GAMMA,
     make_custom},
};
enum { NMETHOD = sizeof methods / sizeof methods[0] };

// The other families.
static const struct {
  method_row row;
  fly_method_family family;
} others[] = {
    {{"direct", "no parameters", 0, NULL}, FLY_FAMILY_DIRECT},
    {{"baumgarte", "alpha and beta (positive [1/s])", TAKES_ALPHA | TAKES_BETA, NULL}, FLY_FAMILY_BAUMGARTE},
    {{"partition", "no parameters", 0, NULL}, FLY_FAMILY_PARTITION},
    {{"hybrid", "alpha and beta (positive [1/s]) and constraint (positive, in the units of the constraints)",
      TAKES_ALPHA | TAKES_BETA | TAKES_CONSTRAINT, NULL},
     FLY_FAMILY_HYBRID},
    {{"radau", "stages (3 or 5)", TAKES_STAGES, NULL}, FLY_FAMILY_RADAU},
    {{"bdf", "no parameters", 0, NULL}, FLY_FAMILY_BDF},
    {{"sdirk", "rho (0 to 1)", TAKES_RHO, NULL}, FLY_FAMILY_TABLEAU},
    {{"lobatto-cd", "rho (0 to 1)", TAKES_RHO, NULL}, FLY_FAMILY_TABLEAU},
    {{"lobatto-acd", "rho (0 to 1) and z0 (positive)", TAKES_RHO | TAKES_Z0, NULL}, FLY_FAMILY_TABLEAU},
    {{"bdf-alpha", "rho (0 to 1)", TAKES_RHO, NULL}, FLY_FAMILY_TABLEAU},
    {{"ch-first", "rho (0 to 1)", TAKES_RHO, NULL}, FLY_FAMILY_TABLEAU},
    {{"auto", "no parameters", 0, NULL}, FLY_FAMILY_AUTO},
};
enum { NOTHER = sizeof others / sizeof others[0] };

static fly_status fail_unknown(const char *name, fly_error *error) {
  fly_fail(error, FLY_BAD_INPUT, NAN, "unknown method '%.60s'.", name);
  const char *names[NMETHOD + NOTHER + 1] = {NULL};
  for (int i = 0; i < NMETHOD + NOTHER; i++)
    names[i] = i < NMETHOD ? methods[i].name : others[i - NMETHOD].row.name;
  const char *nearest = fly_nearest_word(name, names);
  if (nearest)
    fly_error_append(error, " Did you mean %s?", nearest);
  fly_error_append(error, " The methods are");
  for (int i = 0; names[i]; i++)
    fly_error_append(error, "%s%s", i == 0 ? " " : ", ", names[i]);
  fly_error_append(error, ".");
  return FLY_BAD_INPUT;
}

// Those who take a parameter, for a message.
static void say_who_takes(unsigned flag, fly_error *error) {
  fly_error_append(error, " Methods that take it:");
  for (int i = 0, said = 0; i < NMETHOD + NOTHER; i++) {
    const method_row *row = i < NMETHOD ? &methods[i] : &others[i - NMETHOD].row;
    if (row->takes & flag)
      fly_error_append(error, "%s %s", said++ ? "," : "", row->name);
  }
  fly_error_append(error, ".");
}

static fly_status check_foreign(const method_row *row, const fly_method_request *request, fly_error *error) {
  for (int i = 0; i < NPARAMETER; i++) {
    double value = NAN;
    memcpy(&value, (const char *)request + parameters[i].offset, sizeof value);
    if (given(value) && (row->takes & parameters[i].flag) == 0) {
      fly_fail_at(error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, parameters[i].name,
                  "method %s does not take %s; it takes %s.", row->name, parameters[i].name, row->takes_text);
      say_who_takes(parameters[i].flag, error);
      return FLY_BAD_INPUT;
    }
    if (isinf(value))
      return fly_fail(error, FLY_BAD_INPUT, NAN, "method %s: %s is not a finite number.", row->name,
                      parameters[i].name);
  }
  return FLY_OK;
}

fly_method_request fly_method_request_default(void) {
  const double not_given = NAN;
  fly_method_request request = {.name = "ch"};
  for (int i = 0; i < NPARAMETER; i++)
    memcpy((char *)&request + parameters[i].offset, &not_given, sizeof not_given);
  return request;
}

// Parameters that one method alone has, or is known for, before those of others.
static const struct {
  unsigned flag;
  const char *method;
} owners[] = {{TAKES_CONSTRAINT, "hybrid"},
              {TAKES_STAGES, "radau"},
              {TAKES_PHI0, "gen"},
              {TAKES_ALPHA_M | TAKES_ALPHA_F, "custom"},
              {TAKES_RHO, "ch"}};

// The first parameter given of those that the flag names; NULL: none.
static const char *parameter_given(const fly_method_request *request, unsigned flag) {
  for (int i = 0; i < NPARAMETER; i++) {
    double value = NAN;
    memcpy(&value, (const char *)request + parameters[i].offset, sizeof value);
    if ((parameters[i].flag & flag) && given(value))
      return parameters[i].name;
  }
  return NULL;
}

const char *fly_method_meant(const fly_method_request *request, fly_formulation formulation, const char *newmark_only,
                             const char **because) {
  const char *option = NULL, *name = request ? request->name : NULL;
  const bool open = !name || strcmp(name, "auto") == 0;
  for (size_t k = 0; request && open && !option && k < sizeof owners / sizeof *owners; k++)
    if ((option = parameter_given(request, owners[k].flag)))
      name = owners[k].method;
  if (open && !option) {
    option = formulation != FLY_GGL ? "formulation" : newmark_only;
    name = formulation == FLY_INDEX1 ? "bdf" : option ? "ch" : "auto";
  }
  if (because)
    *because = option;
  return name;
}

fly_status fly_method_make(fly_newmark *method, fly_theta *states, const fly_method_request *request,
                           fly_error *error) {
  if (!method || !states || !request)
    return fly_missing(error, "fly_method_make", request ? "place for the parameters" : "request");
  const char *name = request->name != NULL ? request->name : "ch";
  for (int i = 0; i < NMETHOD; i++)
    if (strcmp(name, methods[i].name) == 0) {
      const fly_status status = check_foreign(&methods[i], request, error);
      return status != FLY_OK ? status : methods[i].make(method, states, request, error);
    }
  for (int i = 0; i < NOTHER; i++)
    if (strcmp(name, others[i].row.name) == 0)
      return fly_fail(error, FLY_BAD_INPUT, NAN, "method %s is not of the Newmark family.", name);
  return fail_unknown(name, error);
}

static fly_status check_positive(const method_row *row, const fly_method_request *r, fly_error *error) {
  const struct {
    const char *name;
    double value;
  } list[] = {{"alpha", r->alpha}, {"beta", r->beta}, {"constraint", r->constraint}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (given(list[i].value) && !(list[i].value > 0))
      return fly_fail(error, FLY_BAD_INPUT, NAN, "method %s: %s = %g is not positive; it takes %s.", row->name,
                      list[i].name, list[i].value, row->takes_text);
  return FLY_OK;
}

// Weights of A-C-D(rho, z0) that are not negative: below some z0 C-D(rho) alone is above (1 + rho)/2 there.
static fly_status make_acd(fly_tableau *t, double rho, double z0, fly_error *error) {
  const double nu_a = z0 > 0 ? fly_tableau_share(rho, z0) : -1;
  if (!(nu_a >= 0) || !(nu_a < 1))
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "method lobatto-acd: z0 = %g is too small for rho = %g: at that h omega the blend without IIIA, "
                    "lobatto-cd, already has an amplification above (1 + rho)/2. Try z0 = 3.",
                    z0, rho);
  *t = fly_tableau_lobatto(rho, nu_a, false);
  return FLY_OK;
}

static fly_status make_tableau(fly_tableau *t, const char *name, const fly_method_request *r, fly_error *error) {
  const double rho = or_default(r->rho, default_rho);
  const fly_status status = check_rho(name, rho, error);
  if (status != FLY_OK)
    return status;
  if (strcmp(name, "lobatto-acd") == 0)
    return make_acd(t, rho, or_default(r->z0, default_z0), error);
  *t = strcmp(name, "sdirk") == 0        ? fly_tableau_sdirk(rho)
       : strcmp(name, "lobatto-cd") == 0 ? fly_tableau_lobatto(rho, 0, false)
       : strcmp(name, "bdf-alpha") == 0  ? fly_tableau_bdf_alpha(rho)
                                         : fly_tableau_ch_first(rho);
  return FLY_OK;
}

fly_status fly_tableau_make(fly_tableau *tableau, const fly_method_request *request, fly_error *error) {
  if (!tableau || !request)
    return fly_missing(error, "fly_tableau_make", request ? "place for the tableau" : "request");
  const char *name = request->name != NULL ? request->name : "ch";
  for (int i = 0; i < NOTHER; i++)
    if (others[i].family == FLY_FAMILY_TABLEAU && strcmp(name, others[i].row.name) == 0) {
      const fly_status status = check_foreign(&others[i].row, request, error);
      return status != FLY_OK ? status : make_tableau(tableau, name, request, error);
    }
  return fly_fail(error, FLY_BAD_INPUT, NAN,
                  "method %.60s has no tableau; sdirk, lobatto-cd, lobatto-acd, bdf-alpha and ch-first have.", name);
}

fly_status fly_dae_options_method(fly_dae_options *o, const fly_method_request *request, fly_error *error) {
  if (!o || !request)
    return fly_missing(error, "fly_dae_options_method", o ? "request" : "options");
  for (int i = 0; i < NOTHER && request->name; i++) {
    if (strcmp(request->name, others[i].row.name) != 0)
      continue;
    fly_status status = check_foreign(&others[i].row, request, error);
    if (status == FLY_OK)
      status = check_positive(&others[i].row, request, error);
    if (status == FLY_OK && given(request->stages) && request->stages != 3 && request->stages != 5)
      status = fly_fail(error, FLY_BAD_INPUT, NAN, "method radau: stages = %g: there are 3 (order 5) and 5 (order 9).",
                        request->stages);
    o->family = others[i].family;
    if (status == FLY_OK && o->family == FLY_FAMILY_TABLEAU)
      status = make_tableau(&o->tableau, request->name, request, error);
    if (o->family == FLY_FAMILY_BDF)
      o->error_per = FLY_PER_STEP; // the only one IDA controls
    o->baumgarte_alpha = or_default(request->alpha, 0.0);
    o->baumgarte_beta = or_default(request->beta, 0.0);
    o->constraint_error = or_default(request->constraint, 0.0);
    o->stages = given(request->stages) ? (int)request->stages : 0;
    return status;
  }
  o->family = FLY_FAMILY_NEWMARK;
  return fly_method_make(&o->method, &o->states, request, error);
}
