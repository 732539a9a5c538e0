// Code of your own inside of a model: a block of type `plugin` loads a shared library that has this one function,
//
//   const fly_plugin *flyball_plugin(void);
//
// and is a system with inputs u, states x, numbers z that only its events change, and parameters:
//
//   x' = f(t, u, x, z),   y = g(t, u, x, z),   an event wherever a root r(t, u, x, z) grows through 0.
//
// Its x and y are unknowns of the same iteration as the mechanism's. f, g and r must be functions: the same arguments,
// the same results, however often and in whatever order they are asked for; what is remembered belongs in x and z. A
// model with plugins runs them only with --allow-plugins (fly_load_options.plugins). examples/plugin has one.
#ifndef FLYBALL_PLUGIN_H
#define FLYBALL_PLUGIN_H

#ifdef __cplusplus
extern "C" {
#endif

enum { FLYBALL_PLUGIN_VERSION = 1 }; // of what follows: a library of another version is refused

typedef struct fly_plugin_at {
  double t;            // [s]
  const double *u;     // (inputs)
  const double *x, *z; // (states), (held)
} fly_plugin_at;

typedef struct fly_plugin {
  int version; // FLYBALL_PLUGIN_VERSION
  int inputs, states, held, outputs, roots, parameters;
  const char *const *parameter_name; // (parameters); NULL if there are none
  const double *parameter_value;     // what they are if the model does not say (parameters)
  const double *input_size;          // how large inputs and states are, for differences and errors (inputs), (states);
  const double *state_size;          // NULL: 1

  // All that may fail return 0, or a number of your own: then a shorter step is tried, and if none helps the run ends
  // with that number, the name of the plugin and the time.
  int (*create)(void **self, const double *parameter); // one for every run, which may be in other threads; may be NULL
  void (*destroy)(void *self);                         // may be NULL
  void (*start)(void *self, double *x, double *z);     // at the start; they come in as 0. May be NULL
  int (*evaluate)(void *self, const fly_plugin_at *at, double *xdot, double *y, double *root);
  // Derivatives of (xdot, y, root) in (u, x), row by row. NULL: they are found by differences.
  int (*jacobian)(void *self, const fly_plugin_at *at, double *J);
  // A root has grown through 0: x and z come in as they are, and go out as they are to be. NULL if there are none.
  int (*event)(void *self, int root, const fly_plugin_at *at, double *x, double *z);
} fly_plugin;

const fly_plugin *flyball_plugin(void);

#ifdef __cplusplus
}
#endif
#endif
