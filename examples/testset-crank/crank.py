#!/usr/bin/env python3
"""Writes crank.yaml: the slider crank of the Test Set for IVP Solvers (Simeon 1996), its rod by the numbers of its own matrices.

    python3 crank.py > crank.yaml

The rod bends by two sines q1, q2 and stretches by a quadratic of its middle q3 and its end q4. The test set's mass of (q3, q4) is
rho b h l (8, 1; 1, 2), which is 15 times the integral of the shapes, and its pi is 3.1415927: both are taken over here.
"""
import math

PI = 3.1415927
R, L, H, RHO, E = 0.15, 0.30, 0.008, 7870.0, 2e11
MASS = RHO * H * H * L
TURN = 0.0045339259 - MASS * L * L / 3  # of the sections: what the test set's inertia has more
FK = E * H * H / L
STRETCH_M = [[8 * MASS, MASS], [MASS, 2 * MASS]]
STRETCH_K = [[FK * 16 / 3, -FK * 8 / 3], [-FK * 8 / 3, FK * 7 / 3]]
Q = [0, 0, 0.103339863e-4, 0.169327969e-4]
# of the test set, put on its constraints along M^-1 G^T
V = [0.4448961125815999, 0.004634339319238302, -0.178591076e-5, -0.268938672e-5]
TURNS = -74.99576703969452379


def product(A, x, y):
    return sum(x[i] * A[i][j] * y[j] for i in range(2) for j in range(2))


def stretching():
    """Modes (q3, q4) that are orthogonal in both matrices, the larger entry 1."""
    (a, b), (_, d), (e, f), (_, g) = *STRETCH_K, *STRETCH_M
    # det(K - w M) = A w^2 - B w + C
    A, B, C = e * g - f * f, a * g + d * e - 2 * b * f, a * d - b * b
    root = math.sqrt(B * B - 4 * A * C)
    modes = []
    for w in ((2 * C) / (B + root), (B + root) / (2 * A)):
        x = [-(b - w * f), a - w * e]
        largest = max(x, key=abs)
        modes.append([v / largest for v in x])
    return modes


def lists():
    """The numbers of a reduced body (src/element/reduced.h), with a word for each group."""
    along = stretching()
    n = 4
    area = [[2 / PI, 0], [1 / PI, -1 / (2 * PI)]]  # of the sines: the mean of sin, and of xi sin
    mean = [sum(m[i] * (2 / 3, 1 / 6)[i] for i in range(2)) for m in along]
    moment = [sum(m[i] * (1 / 3, 1 / 6)[i] for i in range(2)) for m in along]
    both = [[16 / PI**3, 1 / PI - 8 / PI**3], [0, -1 / (2 * PI)]]  # of sine j and q3, q4
    N = [[0, MASS * area[0][j], 0] for j in range(2)] + [[MASS * m, 0, 0] for m in mean]
    Q0 = [[0] * 9 for _ in range(n)]
    for j in range(2):
        Q0[j][3] = MASS * L * area[1][j]  # y x
        Q0[2 + j][0] = MASS * L * moment[j]  # x x
    P = [[[0] * 9 for _ in range(n)] for _ in range(n)]
    M = [[0] * n for _ in range(n)]
    K = [[0] * n for _ in range(n)]
    for j in range(2):
        M[j][j] = P[j][j][4] = MASS / 2
        K[j][j] = FK * PI**4 * (H / L)**2 * (1 / 24, 2 / 3)[j]
        M[2 + j][2 + j] = P[2 + j][2 + j][0] = product(STRETCH_M, along[j], along[j])
        K[2 + j][2 + j] = product(STRETCH_K, along[j], along[j])
        for i in range(2):
            c = MASS * sum(along[i][k] * both[j][k] for k in range(2))
            P[j][2 + i][3] = P[2 + i][j][1] = c  # y x, and x y
    nodes = []
    for number, xi in enumerate((0, 0.25, 0.5, 1), 1):
        bend = [0 if xi in (0, 1) else math.sin((j + 1) * math.pi * xi) for j in range(2)]
        shape = [4 * xi * (1 - xi), xi * (2 * xi - 1)]
        phi = [[0, b, 0] for b in bend] + [[sum(m[i] * shape[i] for i in range(2)), 0, 0] for m in along]
        nodes.append([number, xi * L, 0, 0] + sum(phi, []) + [0] * (3 * n))
    X = [MASS * L * L / 3] + [0] * 8
    JR = [0] * 8 + [TURN]
    yield "modes, nodes, mass", [n, len(nodes), MASS]
    yield "S", [MASS * L / 2, 0, 0]
    yield "X", X
    yield "J_R", JR
    yield "N", sum(N, [])
    yield "N_R", [0] * (3 * n)
    yield "Q", sum(Q0, [])
    for j in range(n):
        yield "P_%di" % (j + 1), sum(P[j], [])
    yield "M", sum(M, [])
    yield "K", sum(K, [])
    for node in nodes:
        yield "node %d" % node[0], node


def of_modes(q):
    """Coordinates of the modes: stretching is orthogonal in M."""
    along = stretching()
    return q[:2] + [product(STRETCH_M, m, q[2:]) / product(STRETCH_M, m, m) for m in along]


def numbers(list_):
    return "[" + ", ".join("%.17g" % x for x in list_) + "]"


def data():
    lines = ["        %s, # %s" % (numbers(x)[1:-1], word) for word, x in lists()]
    return "\n".join(lines)


HEAD = """# The slider crank with a flexible rod of the Test Set for IVP Solvers (B. Simeon, Math. Modelling of Systems 2, 1996), with the
# rod's own matrices: crank.py, which wrote this file, has them and says where they are not those of a beam.
# Shows: a flexible body by its numbers alone; after 0.1 s angle, slider and all four deformations are those that are published.
"""


def main():
    print(HEAD + """flyball: 1
name: slider crank of the test set
parameters: {r: 150*mm, l: 300*mm, speed: 150}
bodies:
  crank: {type: planar, mass: 0.36, inertia: 0.002727, angular_velocity: speed, markers: {pin: [r, 0]}, color: steel}
  rod:
    type: flexible
    data: [
%s
      ]
    deformed: %s
    deforming: %s
    position: [r, 0, 0]
    velocity: [0, speed*r, 0]
    angular_velocity: [0, 0, %.16g]
    markers: {crank: [0, 0, 0], quarter: [l/4, 0, 0], middle: [l/2, 0, 0], slider: [l, 0, 0]}
    color: orange
  slider: {type: planar, mass: 0.075552, inertia: 1e-5, position: [0.450016933, 0], velocity: [-0.268938672e-5, 0], color: blue}
joints:
  main: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}
  crank_pin: {type: revolute, from: crank.pin, to: rod.crank}
  slider_pin: {type: in-line, from: slider, to: rod.slider}
  guide: {type: translational, bodies: [ground, slider], at: [0.450016933, 0, 0], axis: [1, 0, 0]}
motions:
  drive: {joint: main, angle: speed*time}
outputs:
  angle: "atan2(dy(rod.slider, rod.crank), dx(rod.slider, rod.crank))"
  place: dx(slider)
  q1: "dy(rod.middle, rod.crank, rod.crank)"
  q2: "dy(rod.quarter, rod.crank, rod.crank) - q1*sqrt(0.5)"
  q3: "dx(rod.middle, rod.crank, rod.crank) - l/2"
  q4: "dx(rod.slider, rod.crank, rod.crank) - l"
simulate: {end: 0.1, output: 1*ms, error: 1e-6}""" % (data(), numbers(of_modes(Q)), numbers(of_modes(V)), TURNS))


main()
