// A small model for every part that comes with the program: the part is `p`, and it works on a cart, an arm, a mass or
// a wheel.
#ifndef FLY_TESTS_SUPPORT_PARTS_H
#define FLY_TESTS_SUPPORT_PARTS_H

#include <string.h>

#define PART_CART                                                                                                      \
  "flyball: 1\nbodies: {cart: {type: point, mass: 2, position: [0.5, 0, 0]}}\n"                                        \
  "joints: {rail: {type: in-line, bodies: [ground, cart], at: [0.5, 0, 0], axis: [1, 0, 0]}}\n"                        \
  "variables: {signal: 0.3*sin(3*time) + dx(cart)}\n"                                                                  \
  "forces:\n  spring: {type: spring, from: ground, to: cart, stiffness: 50, free_length: 0.4}\n"
#define PART_PUSHED PART_CART "  push: {type: force, at: cart, force: [p.out, 0, 0]}\n"
#define PART_ARM                                                                                                       \
  "flyball: 1\ngravity: [0, -9.81, 0]\nbodies: {arm: {type: planar, mass: 2, inertia: 0.1, position: [0.5, 0]}}\n"     \
  "joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0]}}\n"
#define PART_MASS(where)                                                                                               \
  "flyball: 1\ngravity: [0, 0, -9.81]\n"                                                                               \
  "bodies: {mass: {type: point, mass: 300, position: [0, 0, " where "], velocity: [0, 0, 0.5]}}\n"                     \
  "joints: {rail: {type: in-line, bodies: [ground, mass], at: [0, 0, " where "], axis: [0, 0, 1]}}\n"
#define PART_WHEEL                                                                                                     \
  "flyball: 1\ngravity: [0, 0, -9.81]\n"                                                                               \
  "bodies:\n  hub: {mass: 400, inertia: [20, 20, 20], position: [0, 0, 0.31], velocity: [10, 1, 0]}\n"

typedef struct part_model {
  const char *part, *text;
  const char *out; // what it gives
} part_model;

static const part_model PART_MODELS[] = {
    {"dc-motor", PART_ARM "use: {p: {part: dc-motor, voltage: 12*sin(time), ratio: 20, connect: {axle: pin}}}\n",
     "p.torque"},
    {"dead-band", PART_PUSHED "use: {p: {part: dead-band, input: signal, high: 0.55, gain: -3}}\n", "p.out"},
    {"discrete-pid",
     PART_PUSHED "use: {p: {part: discrete-pid, error: 0.7 - dx(cart), kp: 40, ki: 30, kd: 8, high: 5, "
                 "low: -5, period: 0.02}}\n",
     "p.out"},
    {"gearbox",
     PART_ARM "use: {p: {part: gearbox, torque: 2*sin(3*time), gap: 0.01, damping: 5, connect: {axle: pin}}}\n",
     "p.tooth"},
    {"high-pass", PART_PUSHED "use: {p: {part: high-pass, input: signal, gain: -2}}\n", "p.out"},
    {"hydraulic-cylinder",
     PART_MASS(
         "0.8") "use: {p: {part: hydraulic-cylinder, opening: 0.5*sin(3*time), connect: {base: ground, rod: mass}}}\n",
     "p.force"},
    {"hydraulic-damper",
     PART_MASS(
         "0.5") "use: {p: {part: hydraulic-damper, length: dm(mass), rate: vr(mass), current: 1 + 0.5*sin(5*time)}}\n"
                "forces: {strut: {type: spring, from: ground, to: mass, force: p.force + 3000 - 2e4*(length - 0.5)}}\n",
     "p.force"},
    {"hysteresis", PART_PUSHED "use: {p: {part: hysteresis, input: signal, gap: 0.1, start: 0.5}}\n", "p.out"},
    {"integrator", PART_PUSHED "use: {p: {part: integrator, input: vx(cart), high: 0.05, low: -0.02}}\n", "p.out"},
    {"lead-lag", PART_PUSHED "use: {p: {part: lead-lag, input: signal, gain: -1}}\n", "p.out"},
    {"low-pass", PART_PUSHED "use: {p: {part: low-pass, input: signal, gain: -2}}\n", "p.out"},
    {"low-pass-2", PART_PUSHED "use: {p: {part: low-pass-2, input: signal, gain: -2}}\n", "p.out"},
    {"notch", PART_PUSHED "use: {p: {part: notch, input: signal, frequency: 1, depth: 0.1}}\n", "p.out"},
    {"pi", PART_PUSHED "use: {p: {part: pi, error: 0.7 - dx(cart), kp: 40, ki: 30, high: 5, low: -5}}\n", "p.out"},
    {"pid",
     PART_PUSHED "use: {p: {part: pid, error: 0.7 - dx(cart), kp: 40, ki: 30, kd: 8, high: 5, low: -5, before: 0.2}}\n",
     "p.out"},
    {"quantizer", PART_PUSHED "use: {p: {part: quantizer, input: signal, size: 0.03}}\n", "p.out"},
    {"rate-limit", PART_PUSHED "use: {p: {part: rate-limit, input: signal, start: 0.5, up: 0.4, lag: 0.01}}\n",
     "p.out"},
    {"relay", PART_PUSHED "use: {p: {part: relay, input: signal, on: 0.6, off: 0.5}}\n", "p.out"},
    {"sample-hold", PART_PUSHED "use: {p: {part: sample-hold, input: signal}}\n", "p.out"},
    {"saturation", PART_PUSHED "use: {p: {part: saturation, input: signal, high: 0.6, low: 0.2, gain: 1.5}}\n",
     "p.out"},
    {"rod",
     "flyball: 1\ngravity: [0, 0, -9.81]\n"
     "use: {p: {part: rod, length: 1, elements: 3, mass: 1, rotary_y: 0.1, rotary_z: 0.2, EA: 300, GJ: 2, EIy: 3, EIz: "
     "1, curvature: 0.5, damping_time: 0.02}}\n"
     "joints: {clamp: {type: fixed, bodies: [ground, p.node0], at: [0, 0, 0]}}\n",
     "p.node3.z"},
    {"servo", PART_ARM "use: {p: {part: servo, target: 0.5*sin(time), ki: 50, limit: 30, connect: {axle: pin}}}\n",
     "p.torque"},
    {"tyre", PART_WHEEL "use: {p: {part: tyre, connect: {hub: hub}, road: 0.01*(1 - cos(dx(hub)))}}\n", "p.Fy"},
    {"tyre-slip",
     PART_WHEEL "  wheel: {mass: 20, inertia: [0.5, 0.9, 0.5], position: [0, 0, 0.31], velocity: [10, 1, 0]}\n"
                "joints: {axle: {type: revolute, bodies: [hub, wheel], at: [0, 0, 0.31], axis: [0, 1, 0], "
                "angular_velocity: 31}}\n"
                "forces: {brake: {type: torsion-spring, joint: axle, torque: -300*tanh(rate)}}\n"
                "use: {p: {part: tyre-slip, connect: {hub: hub, wheel: wheel}}}\n",
     "p.Fx"},
};
enum { PART_MODEL_COUNT = sizeof PART_MODELS / sizeof *PART_MODELS };

// NULL: there is none.
static inline const part_model *part_model_of(const char *part) {
  for (int k = 0; k < PART_MODEL_COUNT; k++)
    if (strcmp(PART_MODELS[k].part, part) == 0)
      return &PART_MODELS[k];
  return NULL;
}

#endif
