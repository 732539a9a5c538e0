// flyball kinematics: the motion of a driven mechanism.
#include "cli.h"
#include "driven.h"

static const cli_option options[] = {
    {"What to do (each overrides the model's `simulate` section)", CLI_HEADING, 0, NULL, NULL, NULL},
    DRIVEN_OPTIONS(
        "which: bodies, accelerations, coordinates (of joints), markers, variables, outputs, all, and\nelements by "
        "their names: bodies,accelerations,coordinates,outputs"),
};

static const cli_command command = {
    .name = "kinematics",
    .usage = "kinematics MODEL.yaml [options]",
    .about = "Positions, velocities and accelerations of a mechanism whose motions leave it no freedom, to rounding.\n"
             "Forces play no part. Dead points and positions where branches cross are found and explained.",
    .options = options,
    .notes = "Examples\n"
             "  flyball kinematics examples/slider-crank.yaml\n"
             "  flyball kinematics examples/slider-crank.yaml --set speed=10 --end 1 --output 0.01 --report",
    .max_words = 1,
};

int cmd_kinematics(int argc, char **argv) { return driven_main(&command, FLY_KINEMATICS, argc, argv); }
