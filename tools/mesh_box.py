#!/usr/bin/env python3
"""A box of ten-node tetrahedra, in Abaqus's keywords or Gmsh's format, for `flyball reduce`.

    tools/mesh_box.py 0.4 0.05 0.03 --cells 24 4 3 > box.inp
    tools/mesh_box.py 1 1 1 --cells 23 23 23 --gmsh > cube.msh      # 103823 nodes

The sets of nodes LEFT and RIGHT are its ends along x.
"""
import argparse
import itertools
import sys

# Abaqus's order of the nodes on edges; Gmsh exchanges the last two.
EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]


def tetrahedra(cell):
    """Kuhn's six of a cell, each from its lowest to its highest corner; corners on the grid of half cells."""
    for order in itertools.permutations(range(3)):
        corner = [2 * c for c in cell]
        corners = [tuple(corner)]
        for axis in order:
            corner[axis] += 2
            corners.append(tuple(corner))
        a, b, c = ([corners[k][i] - corners[0][i] for i in range(3)] for k in (1, 2, 3))
        volume = (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
                  + a[2] * (b[0] * c[1] - b[1] * c[0]))
        if volume < 0:
            corners[1], corners[2] = corners[2], corners[1]
        yield corners + [tuple((corners[i][k] + corners[j][k]) // 2 for k in range(3)) for i, j in EDGES]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", type=float, nargs=3, help="along x, y, z [m]")
    parser.add_argument("--cells", type=int, nargs=3, default=[8, 2, 2], help="along x, y, z")
    parser.add_argument("--material", type=float, nargs=3, default=[2.1e11, 0.3, 7850], help="E [Pa], nu, density")
    parser.add_argument("--gmsh", action="store_true", help="Gmsh's format 2.2, without the material")
    a = parser.parse_args()
    nx, ny, nz = (2 * n + 1 for n in a.cells)

    def number(p):
        return 1 + p[0] + nx * (p[1] + ny * p[2])

    def place(p):
        return [a.size[i] * p[i] / (2 * a.cells[i]) for i in range(3)]

    nodes = [(i, j, k) for k in range(nz) for j in range(ny) for i in range(nx)]
    elements = [t for cell in itertools.product(*map(range, a.cells)) for t in tetrahedra(cell)]
    ends = {"LEFT": [p for p in nodes if p[0] == 0], "RIGHT": [p for p in nodes if p[0] == nx - 1]}
    out = sys.stdout
    if a.gmsh:
        out.write('$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n0 1 "LEFT"\n0 2 "RIGHT"\n3 3 "BOX"\n'
                  "$EndPhysicalNames\n$Nodes\n%d\n" % len(nodes))
        for p in nodes:
            out.write("%d %.17g %.17g %.17g\n" % (number(p), *place(p)))
        count = len(elements) + sum(map(len, ends.values()))
        out.write("$EndNodes\n$Elements\n%d\n" % count)
        rows = [(15, 1 + tag, [p]) for tag, end in enumerate(ends.values()) for p in end]
        rows += [(11, 3, t[:8] + [t[9], t[8]]) for t in elements]
        for k, (kind, tag, corners) in enumerate(rows, 1):
            out.write("%d %d 2 %d %d %s\n" % (k, kind, tag, tag, " ".join(str(number(p)) for p in corners)))
        out.write("$EndElements\n")
        return
    out.write("*HEADING\n a box of %g m x %g m x %g m\n*NODE\n" % tuple(a.size))
    for p in nodes:
        out.write("%d, %.17g, %.17g, %.17g\n" % (number(p), *place(p)))
    out.write("*ELEMENT, TYPE=C3D10, ELSET=BOX\n")
    for k, t in enumerate(elements, 1):
        out.write("%d, %s\n" % (k, ", ".join(str(number(p)) for p in t)))
    for name, end in ends.items():
        out.write("*NSET, NSET=%s\n" % name)
        for p in end:
            out.write("%d,\n" % number(p))
    out.write("*MATERIAL, NAME=GIVEN\n*ELASTIC\n%.17g, %.17g\n*DENSITY\n%.17g\n" % tuple(a.material))
    out.write("*SOLID SECTION, ELSET=BOX, MATERIAL=GIVEN\n")


if __name__ == "__main__":
    main()
