#!/usr/bin/env python3
"""Work against precision, and scaling, measured with the program: tools/bench.py [PROGRAM] [--plot FILE.svg]

Precision is the largest difference of q and v at the end from a run with a hundredth of the tightest tolerance.
"""
import argparse
import json
import shutil
import subprocess
import sys

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
    arguments = parser.parse_args()
    curves, failures = work_precision(arguments.program)
    if arguments.plot:
        plot(curves, arguments.plot)
    failures += scaling(arguments.program)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
