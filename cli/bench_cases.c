// The cases of flyball bench: those of the IFToMM library of multibody benchmarks with their own measures, rods of any
// number, and a stiff one.
#include <string.h>

#include "bench.h"

// Two bars with a stiff, damped torsion spring between them: of its two motions one is gone after a hundredth of a
// second, and only its stiffness stays.
static const char STIFF[] = "flyball: 1\n"
                            "name: stiff double pendulum\n"
                            "gravity: [0, -9.81, 0]\n"
                            "bodies:\n"
                            "  upper: {type: planar, mass: 1, inertia: 1/12, position: [0.5, 0]}\n"
                            "  lower: {type: planar, mass: 1, inertia: 1/12, position: [1.5, 0]}\n"
                            "joints:\n"
                            "  shoulder: {type: revolute, bodies: [ground, upper], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                            "  elbow: {type: revolute, bodies: [upper, lower], at: [1, 0, 0], axis: [0, 0, 1]}\n"
                            "forces:\n"
                            "  knee: {type: torsion-spring, joint: elbow, stiffness: 1e5, damping: 1e3}\n"
                            "outputs:\n"
                            "  upper: az(upper, ground)\n"
                            "  lower: az(lower, ground)\n"
                            "simulate: {end: 2}\n";

#define RODS(n)                                                                                                        \
  {                                                                                                                    \
    .name = "rods-" #n, .about = #n " rods of 0.4 m on each other, straight, let go at 60 degrees",                    \
    .example = "n-pendulum", .set = {"N=" #n, "bend=0", "speed=0"}, .end = 1, .measure = BENCH_OUTPUTS,                \
    .precision = 1e-5, .unit = "m", .reference = "partition"                                                           \
  }

const bench_case bench_cases[] = {
    {.name = "pendulum",
     .about = "a point mass on a bar (IFToMM A01)",
     .example = "simple-pendulum",
     .end = 10,
     .measure = BENCH_ENERGY,
     .precision = 5e-5,
     .unit = "J"},
    {.name = "four-bars",
     .about = "40 windows of bars, through singular positions (IFToMM A02)",
     .example = "n-four-bar",
     .set = {"N=40"},
     .end = 10,
     .measure = BENCH_ENERGY,
     .precision = 0.1,
     .unit = "J"},
    {.name = "seven-body",
     .about = "Andrews' squeezer mechanism (IFToMM A03)",
     .example = "seven-body-planar",
     .end = 0.05,
     .measure = BENCH_OUTPUTS,
     .precision = 1e-4,
     .unit = "rad",
     .reference = "partition"},
    {.name = "bricard",
     .about = "Bricard's mechanism, a redundant loop in space (IFToMM A04)",
     .example = "bricard",
     .end = 10,
     .measure = BENCH_OUTPUTS,
     .precision = 3e-4,
     .unit = "m",
     .reference = "partition"},
    RODS(10),
    RODS(100),
    RODS(1000),
    {.name = "stiff",
     .about = "a double pendulum with a stiff, damped elbow",
     .text = STIFF,
     .end = 2,
     .measure = BENCH_OUTPUTS,
     .precision = 1e-4,
     .unit = "rad",
     .reference = "radau"},
};
_Static_assert(sizeof bench_cases / sizeof *bench_cases <= BENCH_CASES, "BENCH_CASES is too small");
const int bench_case_count = sizeof bench_cases / sizeof *bench_cases;

const bench_case *bench_case_find(const char *name) {
  for (int k = 0; k < bench_case_count; k++)
    if (strcmp(bench_cases[k].name, name) == 0)
      return &bench_cases[k];
  return NULL;
}
