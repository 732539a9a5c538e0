#!/usr/bin/env python3
"""Work against precision, and scaling, measured with the program:
    tools/bench.py [PROGRAM] [--plot FILE.svg] [--only precision|points|chains|corrections]

Precision is the largest difference of q and v at the end from a run with a hundredth of the tightest tolerance.
Chains of rigid bodies are measured by flyball-steps, which lies beside the program: processor time of the steps that
keep their matrix.
"""
import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

PROBLEMS = [("pendulum", None), ("seven-body", 0.03), ("slider-crank", 0.1)]
TOLERANCES = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]
SIZES = [10, 100, 1000, 10000, 100000]


def run(program, *arguments):
    """The JSON object of one run, or None if it failed."""
    command = [program, "problem", *map(str, arguments), "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        print("failed: %s\n%s" % (" ".join(command), done.stderr.strip()))
        return None
    return json.loads(done.stdout)


def difference(a, b):
    return max(abs(x - y) for key in "qv" for x, y in zip(a[key], b[key]))


def row(result, reference, tolerance):
    s = result["stats"]
    return "%9.0e %10.2e %8d %8d %8d %8d %10.4f" % (
        tolerance, difference(result, reference), s["steps"], s["rejected_error"] + s["rejected_newton"],
        s["jacobians"], s["residuals"], s["wall_s"])


def work_precision(program):
    """Prints the tables; returns curves [(title, [(difference, seconds)])] and the number of failed runs."""
    curves, failures = [], 0
    for problem, end in PROBLEMS:
        until = [] if end is None else ["--end", end]
        reference = run(program, problem, "--error", TOLERANCES[-1] / 100, *until)
        if reference is None:
            failures += 1
            continue
        for formulation in ("index3", "ggl"):
            for per in ("run", "step"):
                title = "%s, %s, error per %s" % (problem, formulation, per)
                print("\n%s\n%9s %10s %8s %8s %8s %8s %10s" % (
                    title, "error", "obtained", "steps", "rejected", "jacobian", "residual", "seconds"))
                curve = []
                for tolerance in TOLERANCES:
                    result = run(program, problem, "--error", tolerance, "--formulation", formulation, "--error-per",
                                 per, *until)
                    if result is None:
                        failures += 1
                        continue
                    print(row(result, reference, tolerance), flush=True)
                    curve.append((difference(result, reference), result["stats"]["wall_s"]))
                curves.append((title, curve))
    return curves, failures


def scaling(program):
    """Seconds a step of a chain of n links; the number of failed runs."""
    failures = 0
    print("\nchain of n links, 20 steps\n%9s %12s %16s" % ("n", "seconds", "us/step/link"))
    for n in SIZES:
        result = run(program, "chain", "--n", n, "--step", 1e-3, "--end", 0.02)
        if result is None:
            failures += 1
            continue
        s = result["stats"]
        print("%9d %12.4f %16.3f" % (n, s["wall_s"], 1e6 * s["wall_s"] / (max(s["steps"], 1) * n)), flush=True)
    return failures


def chain(kind, n):
    """A model of n rods of 1 m in a zigzag, held at one end, with spherical or revolute joints; axes alternate."""
    bodies, joints, at = [], [], [0.0, 0.0, 0.0]
    for k in range(n):
        angle = 0.3 if k % 2 else -0.3
        level = k // 2 % 2  # the zigzag goes sideways, then up and down
        along = [math.cos(angle), math.sin(angle) if level else 0.0, 0.0 if level else math.sin(angle)]
        center = [a + d / 2 for a, d in zip(at, along)]
        bodies.append("  b%d: {mass: 1, inertia: [0.01, 0.0833, 0.0833], position: [%.12g, %.12g, %.12g], "
                      "orientation: {axis: %s, angle: %g}}" % (k, *center, "[0, 0, 1]" if level else "[0, -1, 0]", angle))
        axis = ", axis: [0, %d, %d]" % (k % 2, 1 - k % 2) if kind == "revolute" else ""
        joints.append("  j%d: {type: %s, bodies: [%s, b%d], at: [%.12g, %.12g, %.12g]%s}" % (
            k, kind, "ground" if k == 0 else "b%d" % (k - 1), k, *at, axis))
        at = [a + d for a, d in zip(at, along)]
    return "\n".join(["flyball: 1", "name: chain", "gravity: [0, 0, -9.81]", "bodies:", *bodies, "joints:", *joints,
                      "simulate: {end: 0.1, output: 0.1}", ""])


def closed_chain(n):
    """A ring of n rods with spherical joints, held at the middle of one."""
    corners = [(math.cos(2 * math.pi * k / n), math.sin(2 * math.pi * k / n)) for k in range(n)]
    bodies, joints = [], []
    for k, (x, y) in enumerate(corners):
        nx, ny = corners[(k + 1) % n]
        bodies.append("  b%d: {mass: 1, inertia: [0.001, 0.001, 0.001], position: [%.15g, %.15g, 0], "
                      "orientation: {axis: [0, 0, 1], angle: %.15g}}" % (k, (x + nx) / 2, (y + ny) / 2, math.atan2(ny - y, nx - x)))
        joints.append("  j%d: {type: spherical, bodies: [b%d, b%d], at: [%.15g, %.15g, 0]}" % (k, (k - 1) % n, k, x, y))
    middle = [(a + b) / 2 for a, b in zip(corners[0], corners[1])]
    joints.append("  held: {type: spherical, bodies: [ground, b0], at: [%.15g, %.15g, 0]}" % tuple(middle))
    return "\n".join(["flyball: 1", "name: closed chain", "gravity: [0, 0, -9.81]", "bodies:", *bodies, "joints:", *joints,
                      "simulate: {end: 0.1, output: 0.1}", ""])


def grid(n):
    """n x n windows of planar bars, standing on the ground."""
    bodies, joints, at = [], [], {}

    def add(name, x, y, ends):
        bodies.append("  %s: {type: planar, mass: 1, inertia: 0.0833, position: [%g, %g]}" % (name, x, y))
        for end in ends:
            at.setdefault(end, []).append(name)

    for i in range(n + 1):
        for k in range(n):
            add("post%dx%d" % (i, k), i, k + 0.5, [(i, k), (i, k + 1)])
            if i < n:
                add("roof%dx%d" % (i, k), i + 0.5, k + 1, [(i, k + 1), (i + 1, k + 1)])
    for (i, k), names in at.items():
        first, others = ("ground", names) if k == 0 else (names[0], names[1:])
        for other in others:
            joints.append("  j%d: {type: revolute, bodies: [%s, %s], at: [%d, %d, 0], axis: [0, 0, 1]}" % (
                len(joints), first, other, i, k))
    return "\n".join(["flyball: 1", "name: grid", "gravity: [1, -9.81, 0]", "bodies:", *bodies, "joints:", *joints,
                      "simulate: {end: 0.1, output: 0.1}", ""])


def model(kind, n):
    return closed_chain(n) if kind == "closed" else grid(n) if kind == "grid" else chain(kind, n)


def corrections(program):
    """What a correction costs with the matrix kept, and what renewing it costs, a body; the number of failed runs."""
    steps, failures = os.path.join(os.path.dirname(program) or ".", "flyball-steps"), 0
    print("\nus a body: a correction with the matrix kept; a step over its corrections; what a refactorization adds, and its "
          "factors alone;\nwhat one with new derivatives adds\n%-10s %7s %7s %12s %12s %12s %12s %12s %12s" % (
              "model", "n", "bodies", "correction", "step's share", "refactoring", "factors", "renewing", "corrections"))
    for kind, n in CORRECTIONS:
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "model.yaml")
            with open(file, "w", encoding="ascii") as out:
                out.write(model(kind, n))
            # steps of all numbers of corrections; of long models one in hundreds is a refactorization
            end, repeats = ("2", "1") if n <= 1000 else ("0.8", "4")
            done = subprocess.run([steps, file, "--error", "1e-3", "--end", end, "--repeats", repeats, "--formulation",
                                   "ggl"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            print("failed: %s, n = %d\n%s" % (kind, n, done.stderr.strip()))
            failures += 1
            continue
        r = json.loads(done.stdout)
        print("%-10s %7d %7d %12.3f %12.3f %12.3f %12.3f %12.3f %12.2f" % (
            kind, n, r["bodies"], r["correction_us"], r["share_us"], r["factoring_us"], r["factors_us"], r["renewing_us"],
            r["corrections"]), flush=True)
    return failures


def slope(x, y):
    """Exponent of a power law through points."""
    lx, ly = [math.log(v) for v in x], [math.log(v) for v in y]
    mx, my = sum(lx) / len(lx), sum(ly) / len(ly)
    return sum((a - mx) * (b - my) for a, b in zip(lx, ly)) / sum((a - mx) ** 2 for a in lx)


CORRECTIONS = [("spherical", 100), ("spherical", 1000), ("spherical", 100000), ("revolute", 100), ("revolute", 1000),
               ("revolute", 100000), ("closed", 100), ("grid", 30)]
CHAINS = [("ggl", "--error", 1e-5, 0.2), ("ggl", "--step", 1e-3, 0.1), ("index3", "--step", 1e-3, 0.1)]


def chains(program, sizes):
    """Cost of a step of chains of rigid bodies; the number of failed runs."""
    steps, failures = os.path.join(os.path.dirname(program) or ".", "flyball-steps"), 0
    head = "%9s %7s %12s %12s %12s %10s %10s %10s" % ("n", "steps", "corrections", "us/body/step", "median", "read [s]",
                                                      "start [s]", "kB/body")
    for kind in ("spherical", "revolute"):
        for formulation, option, value, end in CHAINS:
            print("\nchain of n rods, %s joints, %s, %s %g\n%s" % (kind, formulation, option, value, head))
            done = []
            for n in sizes:
                with tempfile.TemporaryDirectory() as folder:
                    file = os.path.join(folder, "chain.yaml")
                    with open(file, "w", encoding="ascii") as out:
                        out.write(chain(kind, n))
                    run_ = subprocess.run([steps, file, option, str(value), "--end", str(end), "--formulation",
                                           formulation], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                if run_.returncode:
                    print("failed: n = %d\n%s" % (n, run_.stderr.strip()))
                    failures += 1
                    continue
                r = json.loads(run_.stdout)
                print("%9d %7d %12.2f %12.2f %12.2f %10.2f %10.2f %10.1f" % (
                    n, r["kept"], r["corrections"], r["smallest_us"], r["median_us"], r["load_s"], r["start_s"],
                    r["bytes"] / n / 1e3), flush=True)
                done.append((n, r))
            large = [(n, r) for n, r in done if n >= 1000]
            if len(large) > 1:
                x = [n for n, _ in large]
                print("exponents from n = %d on: time %.2f, memory %.2f, read and start %.2f" % (
                    x[0], slope(x, [n * r["median_us"] for n, r in large]), slope(x, [r["bytes"] for _, r in large]),
                    slope(x, [r["load_s"] + r["start_s"] for _, r in large])))
    return failures


def plot(curves, file):
    if not shutil.which("gnuplot"):
        return
    lines = ["set terminal svg size 900,600", "set output '%s'" % file, "set logscale xy", "set format xy '%.0e'",
             "set xlabel 'difference obtained'", "set ylabel 'seconds'", "set key outside",
             "plot " + ", ".join("'-' with linespoints title '%s'" % title for title, _ in curves)]
    for _, curve in curves:
        lines += ["%.17g %.17g" % point for point in curve] + ["e"]
    subprocess.run(["gnuplot"], input="\n".join(lines) + "\n", text=True, check=True)
    print("\nplot: " + file)


def main():
    parser = argparse.ArgumentParser(description="work against precision, and scaling")
    parser.add_argument("program", nargs="?", default="build/flyball")
    parser.add_argument("--plot", metavar="FILE.svg", help="draw the work-precision curves")
    parser.add_argument("--only", choices=["precision", "points", "chains", "corrections"], help="one part")
    parser.add_argument("--most", type=int, default=SIZES[-1], metavar="N", help="longest chain")
    arguments = parser.parse_args()
    failures = 0
    if arguments.only in (None, "precision"):
        curves, failures = work_precision(arguments.program)
        if arguments.plot:
            plot(curves, arguments.plot)
    if arguments.only in (None, "points"):
        failures += scaling(arguments.program)
    if arguments.only in (None, "corrections"):
        failures += corrections(arguments.program)
    if arguments.only in (None, "chains"):
        failures += chains(arguments.program, [n for n in SIZES if n <= arguments.most])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
