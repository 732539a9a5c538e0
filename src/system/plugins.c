// Plugins: what they compute of their arguments, and its derivatives, by their own Jacobian or by differences.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model/plugin.h"
#include "system/parts.h"

static const fly_model_plugin *plugin_at(const fly_system *s, int k) { return &s->model->plugin[k]; }

static int columns_of(const fly_plugin *code) { return code->inputs + code->states; }

// ------------------------------------------------------------------------------------------ memory

static void widest(const fly_model *m, size_t *arguments, size_t *numbers, size_t *entries) {
  *arguments = *numbers = *entries = 0;
  for (int k = 0; k < m->nplugin; k++) {
    const fly_plugin *code = m->plugin[k].code;
    const size_t n = (size_t)m->plugin[k].components, c = (size_t)columns_of(code), all = c + (size_t)code->held;
    *arguments = all > *arguments ? all : *arguments;
    *numbers = n > *numbers ? n : *numbers;
    *entries += n * c;
  }
}

void fly_plugins_take(fly_system *s) {
  size_t arguments, numbers, entries;
  widest(s->model, &arguments, &numbers, &entries);
  s->plugin_value = fly_arena_doubles(&s->work, (size_t)s->model->nplugged);
  s->plugin_argument = fly_arena_doubles(&s->work, arguments);
  s->plugin_work = fly_arena_doubles(&s->work, 2 * numbers);
  s->plugin_slope = fly_arena_doubles(&s->work, entries);
}

static void destroy(const fly_system *s, void *const *self, int count) {
  for (int k = 0; k < count; k++)
    if (plugin_at(s, k)->code->destroy)
      plugin_at(s, k)->code->destroy(self[k]);
}

bool fly_plugins_create(fly_system *s) {
  void **self = fly_arena_take(&s->memory, (size_t)s->model->nplugin, sizeof *self);
  for (int k = 0; self && k < s->model->nplugin; k++) {
    const fly_model_plugin *p = plugin_at(s, k);
    s->plugin_code = p->code->create ? p->code->create(&self[k], p->parameter) : 0;
    if (s->plugin_code != 0) {
      s->plugin_fault = k;
      destroy(s, self, k);
      return false;
    }
  }
  s->plugin_self = self;
  return true;
}

void fly_plugins_free(fly_system *s) {
  if (s->plugin_self)
    destroy(s, s->plugin_self, s->model->nplugin);
}

// ------------------------------------------------------------------------------------------ values

// Behind the event of each root.
static int behind_events(const fly_system *s, int k, const fly_plugin_at *at, double *out) {
  const fly_plugin *code = plugin_at(s, k)->code;
  int fault = 0;
  for (int root = 0; root < code->roots && fault == 0; root++) {
    double *x = out + root * (code->states + code->held), *z = x + code->states;
    for (int i = 0; i < code->states; i++)
      x[i] = at->x[i];
    for (int i = 0; i < code->held; i++)
      z[i] = at->z[i];
    fault = code->event(s->plugin_self[k], root, at, x, z);
  }
  return fault;
}

static bool refuse(fly_system *s, int k, double t, int code) {
  s->plugin_fault = k;
  s->plugin_code = code;
  s->plugin_time = t;
  return false;
}

// Everything it computes of s->plugin_argument: u, x, z. False: it fails, or gives what is no number.
static bool compute(fly_system *s, int k, double t, double *out) {
  const fly_plugin *code = plugin_at(s, k)->code;
  const double *u = s->plugin_argument;
  const fly_plugin_at at = {t, u, u + code->inputs, u + code->inputs + code->states};
  int fault = code->evaluate(s->plugin_self[k], &at, out, out + code->states, out + code->states + code->outputs);
  if (fault == 0)
    fault = behind_events(s, k, &at, out + fly_plugin_plain(code));
  bool finite = true;
  for (int i = 0; i < plugin_at(s, k)->components && fault == 0; i++)
    finite = finite && isfinite(out[i]);
  return (fault == 0 && finite) || refuse(s, k, t, fault);
}

static void take_arguments(const fly_system *s, int k) {
  const fly_model_plugin *p = plugin_at(s, k);
  double *to = s->plugin_argument;
  for (int i = 0; i < p->code->inputs; i++)
    *to++ = s->input[1 + p->input[i]];
  for (int i = 0; i < p->code->states; i++)
    *to++ = s->input[1 + p->x[i]];
  for (int i = 0; i < p->code->held; i++)
    *to++ = s->input[1 + p->z[i]];
}

bool fly_plugins_evaluate(fly_system *s) {
  bool good = true;
  for (int k = 0; k < s->model->nplugin && good; k++) {
    take_arguments(s, k);
    good = compute(s, k, s->input[0], s->plugin_value + plugin_at(s, k)->first);
  }
  return good;
}

// ------------------------------------------------------------------------------------------ derivatives

static double size_of(const fly_plugin *code, int argument) {
  const double *size = argument < code->inputs ? code->input_size : code->state_size;
  return size ? fabs(size[argument < code->inputs ? argument : argument - code->inputs]) : 1.0;
}

// Central differences: h^2/6 of the third derivative, and rounding eps f/h, are least together for h about the cubic
// root of eps.
static bool differ(fly_system *s, int k, int column, double *J) {
  const fly_model_plugin *p = plugin_at(s, k);
  double *a = &s->plugin_argument[column], *high = s->plugin_work, *low = high + p->components;
  const double here = *a, h = cbrt(DBL_EPSILON) * fmax(fabs(here), size_of(p->code, column));
  const double above = here + h, below = here - h;
  *a = above;
  bool good = compute(s, k, s->input[0], high);
  *a = below;
  good = good && compute(s, k, s->input[0], low);
  *a = here;
  for (int i = 0; i < p->components && good; i++)
    J[i * columns_of(p->code) + column] = (high[i] - low[i]) / (above - below);
  return good;
}

// Of what comes behind events there are differences only.
static bool differentiate(fly_system *s, int k, double *J) {
  const fly_plugin *code = plugin_at(s, k)->code;
  const double *u = s->plugin_argument;
  const fly_plugin_at at = {s->input[0], u, u + code->inputs, u + code->inputs + code->states};
  bool good = true;
  for (int c = 0; c < columns_of(code) && good && (!code->jacobian || code->roots > 0); c++)
    good = differ(s, k, c, J);
  const int fault = good && code->jacobian ? code->jacobian(s->plugin_self[k], &at, J) : 0;
  return good && (fault == 0 || refuse(s, k, s->input[0], fault));
}

bool fly_plugins_differentiate(fly_system *s) {
  double *J = s->plugin_slope;
  bool good = true;
  for (int k = 0; k < s->model->nplugin && good; k++) {
    take_arguments(s, k);
    good = differentiate(s, k, J);
    J += plugin_at(s, k)->components * columns_of(plugin_at(s, k)->code);
  }
  return good;
}

int fly_plugin_columns(const fly_model *m, int plugin) { return columns_of(m->plugin[plugin].code); }

const double *fly_plugin_slopes(const fly_system *s, int plugin, int component) {
  const double *J = s->plugin_slope;
  for (int k = 0; k < plugin; k++)
    J += plugin_at(s, k)->components * columns_of(plugin_at(s, k)->code);
  return J + component * columns_of(plugin_at(s, plugin)->code);
}

const fly_model_measure *fly_plugin_argument(const fly_model *m, int plugin, int column) {
  const fly_model_plugin *p = &m->plugin[plugin];
  return &m->measure[column < p->code->inputs ? p->input[column] : p->x[column - p->code->inputs]];
}

fly_status fly_plugin_tell(const fly_system *s, double t, fly_error *error) {
  const fly_item *item = &s->model->spec->item[plugin_at(s, s->plugin_fault)->item];
  char what[60] = "gives a number that is not finite";
  if (s->plugin_code)
    snprintf(what, sizeof what, "fails with %d", s->plugin_code);
  return fly_fail_at(error, FLY_CALLBACK, t, item->place, item->name,
                     "the plugin `%s` (%s) %s at t = %.9g s, however short the step.", item->name,
                     fly_item_word(item, "file", 0), what, s->plugin_time);
}
