// The list of elements, one row each: the model language is this file. row(section, name) stands for the
// fly_element_type fly_section_name, which lies in a file of this room. Section by section; the first of a section is
// its default type. docs/adding-a-force.md, docs/adding-an-element.md.
#ifndef FLY_ELEMENT_LIST_H
#define FLY_ELEMENT_LIST_H

#include "element/type.h"

// clang-format off
#define FLY_ELEMENT_LIST(row) \
  row(functions, function) \
  row(bodies, rigid) \
  row(bodies, planar) \
  row(bodies, point) \
  row(bodies, flexible_beam) \
  row(bodies, flexible) \
  row(joints, revolute) \
  row(joints, fixed) \
  row(joints, spherical) \
  row(joints, translational) \
  row(joints, cylindrical) \
  row(joints, universal) \
  row(joints, planar) \
  row(joints, screw) \
  row(joints, distance) \
  row(joints, in_line) \
  row(joints, in_plane) \
  row(joints, orientation) \
  row(joints, parallel) \
  row(joints, perpendicular) \
  row(joints, constant_velocity) \
  row(joints, revolute_spherical) \
  row(joints, rolling) \
  row(joints, knife_edge) \
  row(joints, gear) \
  row(joints, rack_pinion) \
  row(joints, coupler) \
  row(motions, motion) \
  row(forces, spring) \
  row(forces, torsion_spring) \
  row(forces, bushing) \
  row(forces, beam) \
  row(forces, exact_beam) \
  row(forces, force) \
  row(contacts, contact) \
  row(states, state) \
  row(variables, variable) \
  row(inputs, input) \
  row(held, held) \
  row(events, event) \
  row(blocks, state_space) \
  row(blocks, transfer) \
  row(blocks, delay) \
  row(blocks, plugin) \
  row(outputs, output) \
  row(trails, trail)
// clang-format on

#define FLY_ELEMENT_DECLARE(section, name) extern const fly_element_type fly_##section##_##name;
FLY_ELEMENT_LIST(FLY_ELEMENT_DECLARE)

#endif
