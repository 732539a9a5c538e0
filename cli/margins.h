// The loop of a model as a table and as curves.
#ifndef FLYBALL_CLI_MARGINS_H
#define FLYBALL_CLI_MARGINS_H

#include "flyball/modes.h"

void cli_print_loop(const fly_loop *l);
bool cli_plot_loop(const fly_loop *l); // Bode's and Nyquist's; false without memory

#endif
