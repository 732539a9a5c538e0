// Plugins of a model: shared libraries with a system of the user's (flyball/plugin.h).
#ifndef FLY_MODEL_PLUGIN_H
#define FLY_MODEL_PLUGIN_H

#include "flyball/plugin.h"
#include "model/spec.h"

// The library of a block that is a plugin; false: why says why.
bool fly_plugin_open(const fly_item *item, const fly_plugin **code, void **library, char *why, size_t size);

// Its parameters: those of the model file, over the parameters of the model, and else its own (code->parameters).
bool fly_plugin_parameters(const fly_spec *spec, const fly_item *item, const fly_plugin *code, double *out, char *why,
                           size_t size);

// Everything a plugin computes, in this order: rates of its states, outputs, roots, and then, for each root, the states
// and the held numbers behind its event.
int fly_plugin_components(const fly_plugin *code);
int fly_plugin_plain(const fly_plugin *code); // those before the last: what the Jacobian has
// The name of one of them, as a variable of the model.
void fly_plugin_name(char *name, size_t size, const fly_spec *spec, int block, const fly_plugin *code, int component);

#endif
