// Rows of blocks: what expressions cannot say, or only at length. Those that are linear are put together from states,
// variables, held numbers and events before a model is compiled (model/block_linear.c).
#include "element/list.h"
#include "element/table.h"

#define SAMPLED                                                                                                        \
  {"every",                                                                                                            \
   FLY_NUMBER,                                                                                                         \
   1,                                                                                                                  \
   "s",                                                                                                                \
   NULL,                                                                                                               \
   false,                                                                                                              \
   POSITIVE,                                                                                                           \
   "it is sampled: it works at these times only, so far apart, and its outputs stay as they are between them"},        \
      {"first", FLY_NUMBER, 1, "s", "0", false, NOT_NEGATIVE, "with every: the first time"}, {                         \
    "scale", FLY_NUMBER, 1, "", "1", false, POSITIVE,                                                                  \
        "how large its states are: the error asked for is meant relative to it"                                        \
  }

static const fly_parameter STATE_SPACE[] = {
    {"A", FLY_MATRIX, 0, "", NULL, true, ANY, "rates of the states by the states (n x n); sampled: their next values"},
    {"B", FLY_MATRIX, 0, "", NULL, true, ANY, "by the inputs (n x m); a list: its only column"},
    {"C", FLY_MATRIX, 0, "", NULL, false, ANY,
     "outputs by the states (p x n); a list: its only row; if not given, the outputs are the states"},
    {"D", FLY_MATRIX, 0, "", NULL, false, ANY, "outputs by the inputs (p x m); nothing if not given"},
    {"inputs", FLY_EXPRESSION, 0, "", NULL, true, ANY, "what goes in: an expression, or a list of them"},
    {"start", FLY_NUMBER, 0, "", NULL, false, ANY, "the states at the start (n); 0 if not given"},
    SAMPLED,
    END};

static const fly_parameter TRANSFER[] = {
    {"numerator", FLY_NUMBER, 0, "", NULL, true, ANY, "coefficients of powers of s, the highest first; sampled: of z"},
    {"denominator", FLY_NUMBER, 0, "", NULL, true, ANY, "likewise; its degree is not below that of the numerator"},
    {"input", FLY_EXPRESSION, 1, "", NULL, true, ANY, "what goes in"},
    {"start", FLY_NUMBER, 1, "", "0", false, ANY, "its output at the start, at rest there"},
    SAMPLED,
    END};

static const fly_parameter DELAY[] = {
    {"input", FLY_EXPRESSION, 1, "", NULL, true, ANY, "what comes out later"},
    {"time", FLY_NUMBER, 1, "s", NULL, true, POSITIVE, "so much later"},
    {"start", FLY_NUMBER, 1, "", "0", false, ANY, "what comes out until then: the input before the start"},
    {"room", FLY_NUMBER, 1, "", "20000", false, 10, 1e7, NULL,
     "pieces of steps it can remember: one a step, more where its input does much in one"},
    {"pade", FLY_NUMBER, 1, "", NULL, false, 1, 10, NULL,
     "instead of remembering: the rational function of this order next to exp(-s*time), as a linear system"},
    END};

static const fly_parameter PLUGIN[] = {
    {"file", FLY_WORD, 1, "", NULL, true, ANY,
     "the shared library, beside the model; flyball/plugin.h says what it has"},
    {"inputs", FLY_EXPRESSION, 0, "", NULL, false, ANY, "what goes in: an expression, or a list of them"},
    {"parameters", FLY_SETTINGS, 0, "", NULL, false, ANY, "its parameters, as it calls them, and their values"},
    END};

const fly_element_type fly_blocks_state_space = FLY_ELEMENT(
    "blocks", "state-space",
    "a linear system x' = A x + B u, y = C x + D u; sampled: the next x. Expressions know plant.x1, plant.x2, "
    "..., plant.y and plant.u, or plant.y1, ... if there are several",
    "plant: {type: state-space, A: [[0, 1], [-4, -0.4]], B: [0, 4], C: [1, 0], inputs: sin(time)}",
    .parameters = STATE_SPACE);
const fly_element_type fly_blocks_transfer = FLY_ELEMENT(
    "blocks", "transfer",
    "a transfer function, numerator over denominator, as a linear system with output lag.y and input lag.u",
    "lag: {type: transfer, numerator: [1], denominator: [0.1, 1], input: sin(time)}", .parameters = TRANSFER);
const fly_element_type fly_blocks_delay =
    FLY_ELEMENT("blocks", "delay", "its input as it was some time ago: late.y is late.u then",
                "late: {type: delay, input: sin(time), time: 20*ms}", .parameters = DELAY);
const fly_element_type fly_blocks_plugin = {
    .section = "blocks",
    .name = "plugin",
    .text =
        "code of your own, in a shared library: motor.y are its outputs, motor.x1 ... its states. It runs only with "
        "--allow-plugins",
    .example = "motor: {type: plugin, file: ./motor.so, inputs: sin(time), parameters: {R: 2}}",
    .parameters = PLUGIN};
