#!/usr/bin/env python3
"""The tubular steel frame of an all-terrain vehicle as beams, in Abaqus's keywords, for `flyball reduce`.

    python3 frame.py > frame.inp
    flyball reduce frame.inp $(python3 frame.py --interfaces) --modes 32 --out frame.h5

Negrut, Rampalli, Ottarsson and Sajdak (2007) say of their frame that it has 134 modes and no more. This geometry is
ours: two rails, 1.25 m long and 0.3 m apart, an upper loop that carries steering column and seat, and struts between
them; tubes of 28 mm and 22 mm with walls of 2 mm. x points back, y to the right, z up; metres. With 18 interfaces of six
unknowns and 32 modes that are held there, less the six motions as a whole, 134 modes are left.
"""
import argparse
import sys

HALF = 0.15
# Points of the right half; the left one is mirrored. Those with y = 0 are there once.
POINTS = {
    "nose": (0.00, 0.12, 0.05), "front_low": (0.12, HALF, 0.00), "arm_low": (0.28, HALF, 0.00),
    "peg": (0.65, HALF, 0.00), "swing": (0.95, HALF, 0.02), "tail_low": (1.20, 0.12, 0.10),
    "front_up": (0.14, HALF, 0.32), "tank": (0.50, HALF, 0.38), "seat": (0.85, HALF, 0.36), "tail_up": (1.25, 0.13, 0.34),
    "arm_up": (0.27, HALF, 0.18), "shock_front": (0.26, HALF, 0.36), "shock_rear": (1.00, HALF, 0.36),
    "engine_side": (0.575, HALF, 0.19), "head": (0.30, 0.0, 0.42), "engine_front": (0.45, 0.0, 0.02),
    "engine_rear": (0.80, 0.0, 0.04), "saddle": (0.85, 0.0, 0.36),
}
# Tubes: from, to, outer radius [m].
TUBES = [
    ("nose", "front_low", 14), ("front_low", "arm_low", 14), ("arm_low", "peg", 14),
    ("peg", "swing", 14), ("swing", "tail_low", 14), ("tail_low", "tail_up", 11), ("nose", "front_up", 14),
    ("front_up", "shock_front", 14), ("shock_front", "tank", 14), ("tank", "seat", 14), ("seat", "shock_rear", 14),
    ("shock_rear", "tail_up", 14), ("front_low", "front_up", 11), ("arm_low", "tank", 11), ("peg", "engine_side", 11),
    ("engine_side", "tank", 11), ("peg", "seat", 11), ("swing", "shock_rear", 11), ("arm_low", "arm_up", 11),
    ("arm_up", "shock_front", 11), ("shock_front", "head", 14), ("tank", "head", 11), ("arm_low", "engine_front", 11),
    ("peg", "engine_front", 11), ("peg", "engine_rear", 11), ("swing", "engine_rear", 11), ("seat", "saddle", 11),
]
ACROSS = [("nose", 14), ("front_low", 11), ("swing", 11), ("tail_low", 11), ("tail_up", 14), ("front_up", 11),
          ("shock_rear", 11)]
# Places for joints: arms of the suspension, dampers, steering column, engine, rider.
INTERFACES = ["arm_low", "arm_up", "swing", "shock_front", "shock_rear", "engine_side", "peg", "head", "engine_front",
              "engine_rear", "saddle"]
PIECES = 4  # elements a tube


def sides(name):
    """The point by its name: once in the middle, else right and left."""
    return [name] if POINTS[name][1] == 0 else [name + "_r", name + "_l"]


def on_side(name, side):
    return name if POINTS[name][1] == 0 else name + side


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--interfaces", action="store_true", help="options for flyball reduce instead of the mesh")
    arguments = parser.parse_args()
    number, place = {}, []
    for name, (x, y, z) in POINTS.items():
        for one in sides(name):
            place.append((x, -y if one.endswith("_l") and y > 0 else y, z))
            number[one] = len(place)
    if arguments.interfaces:
        print(" ".join("--interface %s=%d" % (one, number[one]) for name in INTERFACES for one in sides(name)))
        return
    lines = []
    for a, b, radius in TUBES:
        both = {(on_side(a, side), on_side(b, side)) for side in ("_r", "_l")}
        lines += [(p, q, radius) for p, q in sorted(both)]
    lines += [(name + "_r", name + "_l", radius) for name, radius in ACROSS]
    elements = {11: [], 14: []}
    for a, b, radius in lines:
        last = number[a]
        for k in range(1, PIECES + 1):
            if k < PIECES:
                p, q = place[number[a] - 1], place[number[b] - 1]
                place.append(tuple(p[i] + (q[i] - p[i]) * k / PIECES for i in range(3)))
            following = len(place) if k < PIECES else number[b]
            elements[radius].append((last, following))
            last = following
    out = sys.stdout
    out.write("*HEADING\n frame of an all-terrain vehicle\n*NODE\n")
    for k, p in enumerate(place, 1):
        out.write("%d, %.9g, %.9g, %.9g\n" % (k, *p))
    count = 0
    for radius, list_of in elements.items():
        out.write("*ELEMENT, TYPE=B31, ELSET=TUBE%d\n" % radius)
        for a, b in list_of:
            count += 1
            out.write("%d, %d, %d\n" % (count, a, b))
    out.write("*MATERIAL, NAME=STEEL\n*ELASTIC\n2.1e11, 0.3\n*DENSITY\n7850\n")
    for radius in elements:
        out.write("*BEAM SECTION, SECTION=PIPE, ELSET=TUBE%d, MATERIAL=STEEL\n%g, 0.002\n0.13, 0.37, 0.92\n"
                  % (radius, radius / 1000))


if __name__ == "__main__":
    main()
