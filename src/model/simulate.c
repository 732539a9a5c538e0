#include "model/simulate.h"

#include <math.h>
#include <stddef.h>

#define ANY -INFINITY, INFINITY, NULL
#define POSITIVE 1e-300, INFINITY, NULL
#define WORDS(words) -INFINITY, INFINITY, words
#define YES_NO WORDS("yes no true false")

// The ranges are those of what reads them (analysis/settings.c and dae); here they are told.
const fly_parameter fly_simulate_rows[] = {
    {"end", FLY_NUMBER, 1, "s", NULL, false, POSITIVE, "end time; a run needs it, here or as --end"},
    {"output", FLY_NUMBER, 1, "s", NULL, false, POSITIVE, "interval of the rows; a thousandth of `end` if not given"},
    {"channels", FLY_WORD, 0, "", NULL, false, ANY,
     "which: bodies, accelerations, joints, coordinates, motions, forces, markers, energies, states, variables, "
     "inputs, "
     "outputs, all, and elements by their names; bodies, joints, forces, motions, energies, states, variables, inputs "
     "and outputs if not given"},
    {"start", FLY_WORD, 1, "", "smooth", false, WORDS("smooth given equilibrium"),
     "where the model is assembled, what gives way opened by what it carries, or closed; or where it rests"},
    {"error", FLY_NUMBER, 1, "", "1e-5", false, POSITIVE,
     "error of the run, in radians and sizes of the model; give it or `step`"},
    {"error_per", FLY_WORD, 1, "", "run", false, WORDS("run step"), "what `error` is the error of"},
    {"calibrate", FLY_WORD, 1, "", "yes", false, YES_NO,
     "cheap pilot runs find the tolerance of the steps that keeps the error of the run"},
    {"estimate_error", FLY_WORD, 1, "", "yes", false, YES_NO, "the error of the run is estimated"},
    {"step", FLY_NUMBER, 1, "s", NULL, false, POSITIVE, "a fixed step, instead of `error`"},
    {"step_max", FLY_NUMBER, 1, "s", NULL, false, POSITIVE,
     "largest step that may follow the error; a tenth of `end` if not given"},
    {"step_min", FLY_NUMBER, 1, "s", NULL, false, POSITIVE,
     "smallest such step; 1e-11 of the largest so far if not given"},
    {"max_steps", FLY_NUMBER, 1, "", NULL, false, 1, 1e15, NULL, "the run ends after so many steps, accepted or not"},
    {"max_time", FLY_NUMBER, 1, "s", NULL, false, POSITIVE, "the run ends after so many seconds of the clock"},
    {"method", FLY_WORD, 1, "", "auto", false,
     WORDS("trapezoid newmark hht wbz ch gen custom direct baumgarte partition hybrid radau bdf auto sdirk lobatto-cd "
           "lobatto-acd bdf-alpha ch-first"),
     "how it is integrated; auto: by partition, radau or ch, chosen and changed while it runs; those from sdirk on: "
     "with "
     "`step` and formulation index2"},
    {"formulation", FLY_WORD, 1, "", "ggl", false, WORDS("ggl index3 index2 index1 stiff damped stiff-ode damped-ode"),
     "of the constraints; index1: bdf only; stiff, damped: springs or dampers hold what says nothing of compliance"},
    {"epsilon", FLY_NUMBER, 1, "", NULL, false, POSITIVE, "of stiff: stiffnesses are 1/epsilon^2 [N/m, N m/rad]"},
    {"delta", FLY_NUMBER, 1, "", NULL, false, POSITIVE, "of damped: dampings are 1/delta [N s/m, N m s/rad]"},
    {"rho", FLY_NUMBER, 1, "", NULL, false, 0, 1, NULL,
     "damping at infinite frequency, 1: none; 0.6 if not given (ch, wbz, gen, newmark); hht: 0.5 to 1"},
    {"alpha", FLY_NUMBER, 1, "", NULL, false, ANY, "hht: -1/3 to 0, -0.3 if not given; baumgarte, hybrid: in 1/s"},
    {"gamma", FLY_NUMBER, 1, "", NULL, false, ANY, "newmark: at least 1/2"},
    {"beta", FLY_NUMBER, 1, "", NULL, false, ANY, "newmark: (gamma+1/2)^2/4 if not given; baumgarte, hybrid: in 1/s"},
    {"constraint", FLY_NUMBER, 1, "", NULL, false, POSITIVE,
     "hybrid: constraint error beyond which coordinates are put back; `error` if not given"},
    {"stages", FLY_NUMBER, 1, "", NULL, false, 3, 5, NULL,
     "radau: 3 (order 5), or 5 (order 9) for smooth stiff models at errors of 1e-7 and below; 3 if not given"},
    {"strict", FLY_WORD, 1, "", "no", false, YES_NO, "what is odd in the model or its start is an error"},
    {"allow_nan", FLY_WORD, 1, "", "no", false, YES_NO, "values of channels may be NaN or infinite"},
    {0}};
