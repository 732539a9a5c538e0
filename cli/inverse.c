// flyball inverse: the forces that a given motion takes.
#include "cli.h"
#include "driven.h"

static const cli_option options[] = {
    {"What to do (each overrides the model's `simulate` section)", CLI_HEADING, 0, NULL, NULL, NULL},
    {"follow", CLI_TEXT, offsetof(driven_settings, follow), "RESULT", NULL,
     "take the motion of all bodies from this result (CSV or HDF5), row by row, and find the\nforces that are missing "
     "in the model for it"},
    DRIVEN_OPTIONS("which: bodies, accelerations, joints (reactions), coordinates (of joints), motions (what\nthey "
                   "push), forces, missing (with --follow), markers, energies, outputs, all, and elements\nby their "
                   "names: bodies,joints,forces,motions,missing,energies,outputs"),
};

static const cli_command command = {
    .name = "inverse",
    .usage = "inverse MODEL.yaml [--follow RESULT] [options]",
    .about = "Inverse dynamics: driving forces and torques and all reactions, for a motion that is given. Either the\n"
             "model's motions leave no freedom (they may be expressions or curves through tables), or --follow takes\n"
             "the motion from a result; then what the model lacks to move so is found too.",
    .options = options,
    .notes = "Examples\n"
             "  flyball inverse examples/slider-crank.yaml\n"
             "  flyball run examples/double-pendulum.yaml --channels bodies,accelerations --out swing\n"
             "  flyball inverse examples/double-pendulum.yaml --follow swing --out forces",
    .max_words = 1,
};

int cmd_inverse(int argc, char **argv) { return driven_main(&command, FLY_INVERSE, argc, argv); }
