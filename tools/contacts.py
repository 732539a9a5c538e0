#!/usr/bin/env python3
"""Errors of contact models that are not chaotic, over the error asked for, against a run by radau a hundred times tighter.

    python3 tools/contacts.py build/flyball [--tolerances 1e-3,1e-4] [--only geneva] [--cap 60]

E is the largest difference of positions at the rows of the result, over the longest way that a coordinate goes (and of angles), over the error asked for; 1: as asked.
A cell says if the run did not end as asked.
"""
import argparse
import csv
import json
import os
import resource
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODELS = {"bouncing ball": "examples/bouncing-ball.yaml", "rolling after sliding": "examples/rolling-ball.yaml", "cam": "examples/cam.yaml",
          "geneva": "examples/large/geneva.yaml", "block on a slope, pushed": "examples/box-on-slope.yaml"}


def run(a, model, method, error, folder):
    """Its record, and {channel: rows} of places."""
    base = os.path.join(folder, "out")
    for end in (".csv", ".part.csv"):
        if os.path.exists(base + end):
            os.remove(base + end)
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (a.cap, a.cap + 20))
    p = subprocess.run([a.flyball, "run", os.path.join(ROOT, model), "--method", method, "--error", repr(error), "--channels", "bodies", "--csv", "--json", "-o", base],
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=limit, check=False)
    try:
        record = json.loads(p.stdout)
    except ValueError:
        return None, {}
    if not os.path.exists(base + ".csv"):
        return record, {}
    with open(base + ".csv", encoding="utf-8") as file:
        table = list(csv.reader(file))
    names = [name.split(" [")[0] for name in table[0]]
    places = [k for k, name in enumerate(names) if name.endswith((".x", ".y", ".z", ".e0", ".e1", ".e2", ".e3"))]
    return record, {names[k]: [float(row[k]) for row in table[1:]] for k in places}


def worst(rows, right, size):
    """Of places over the size, of Euler parameters twice their difference: the angle."""
    weight = lambda name: 2 if name[-2] == "e" else 1 / size
    return max((weight(name) * abs(x - y) for name in right for x, y in zip(rows.get(name, []), right[name])), default=float("nan"))


def cell(a, model, method, tolerance, right, size, folder):
    record, rows = run(a, model, method, tolerance, folder)
    if record is None or record["status"] != "ok" or not rows:
        return record["status"] if record else "cut"
    return "%.2g" % (worst(rows, right, size) / tolerance)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("flyball")
    p.add_argument("--tolerances", default="1e-3,1e-4,1e-5,1e-6")
    p.add_argument("--methods", default="ch,radau,partition,auto")
    p.add_argument("--only")
    p.add_argument("--cap", type=int, default=120, help="seconds of the processor for one run")
    a = p.parse_args()
    tolerances = [float(x) for x in a.tolerances.split(",")]
    print("| model | method | " + " | ".join("%g" % t for t in tolerances) + " |\n|---|---|" + "---|" * len(tolerances))
    with tempfile.TemporaryDirectory() as folder:
        for name in [a.only] if a.only else MODELS:
            record, right = run(a, MODELS[name], "radau", min(tolerances) / 100, folder)
            if record is None or not right:
                print("| %s | no reference: %s | |" % (name, record["status"] if record else "cut"), flush=True)
                continue
            size = max((max(x) - min(x) for name, x in right.items() if name[-2] != "e"), default=0) or 1
            for method in a.methods.split(","):
                print("| %s | %s | %s |" % (name, method, " | ".join(cell(a, MODELS[name], method, t, right, size, folder) for t in tolerances)), flush=True)


if __name__ == "__main__":
    main()
