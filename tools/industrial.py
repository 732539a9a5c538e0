#!/usr/bin/env python3
"""The industrial models of HHT (Negrut, Rampalli, Ottarsson, Sajdak 2005, section 4) by several methods at equal accuracy: tables and figures.

    python3 tools/industrial.py build/flyball belt                         # run what is missing, print the tables
    python3 tools/industrial.py build/flyball belt track --page docs/industrial.md --figures docs/figures
    python3 tools/industrial.py build/flyball track --end 1 --only hht:1e-5,bdf:1e-2

Each cell is a process of its own, one after the other, cut after --cap seconds of the processor; what it wrote is kept in --cells, so that a
table can be made in pieces. Seconds are those of the processor, without those of a run that ends at once (reading, equilibrium). All
tolerances are of a step, as in the paper, without pilots. Errors are the largest difference from the reference, a run 100 times tighter than those
compared (--reference), over the largest value of the reference. Equal accuracy: of each method the fastest run that keeps what the case
allows, or a quarter of it. bdf wants a program built with SUNDIALS (-DFLYBALL_BDF=ON).

A model more is a row more in CASES.
"""
import argparse
import csv
import json
import math
import os
import resource
import subprocess
import sys

from curves import Panel, draw

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PARTED = 0.05  # of the largest value: trajectories that differ by more have parted
ROWS = 1.0  # of the rows of a result: so many must be as near to the reference as a case allows (--rows)
LEVELS = [1, 1 / 4]  # of what a case allows: where methods are compared


class Quantity:
    """An output of the model, what it is called, and how far it may be off, over its size."""

    def __init__(self, channel, title, unit, within):
        self.channel, self.title, self.unit, self.within = channel, title, unit, within


class Case:
    """A model, how far it runs, what is compared, who runs it, and what the paper says."""

    def __init__(self, model, end, output, quantities, cells, reference, published, equations, parts=False):
        self.model = os.path.join(ROOT, model)
        self.end, self.output, self.quantities, self.cells = end, output, quantities, cells
        self.reference, self.published, self.equations = reference, published, equations
        self.parts = parts  # its trajectories part from each other: compared until then, by statistics behind


# Methods, formulations and tolerances. hht as in the paper, index 3; the others as they come.
LADDER = [("hht", "index3", [1e-3, 1e-4, 1e-5]), ("ch", "ggl", [1e-3, 1e-4]), ("auto", "ggl", [1e-3, 1e-4]), ("bdf", "ggl", [1e-1, 1e-2, 1e-3])]

CASES = {
    "belt": Case("examples/large/belt.yaml", 0.2, 5e-4,
                 [Quantity("reaction", "reaction Fx of the alternator", "N", 0.03),
                  Quantity("alternator_speed", "angular velocity of the alternator", "rad/s", 0.01)],
                 LADDER, ("hht", "index3", 1e-6),
                 "GSTIFF 1e-4 1286 s, HHT 1e-5 485 s: 2.65; reactions within 3 %, angular velocities within 1 % of each other", 3725),
    "track": Case("examples/large/track.yaml", 14, 1e-2,
                  [Quantity("link8_speed", "velocity of link 8", "m/s", 0.03),
                   Quantity("link8_acceleration", "acceleration of link 8", "m/s^2", 0.1),
                   Quantity("speed", "velocity of the frame", "m/s", 0.01)],
                  LADDER, ("hht", "index3", 1e-6),
                  "GSTIFF SI2 1e-2 8988 s, HHT index 3 1e-5 1713 s: 5.25", 4675, parts=True),
}


# ------------------------------------------------------------------------------------------ runs

def command(a, case, cell, base):
    method, formulation, error = cell
    how = [] if method == "auto" else ["--formulation", formulation]
    return [a.flyball, "run", case.model, "--method", method, "--error", repr(error), "--error-per", "step", "--calibrate", "no", "--estimate-error", "no",
            "--end", repr(a.end or case.end), "--output", repr(case.output), "--channels", "outputs", "--csv", "--json", "-o", base] + how


def spend(arguments, cap):
    """What a process printed, and its seconds of the processor. At the cap it ends as at Ctrl-C: what it reached is kept."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (cap, cap + 60))
    p = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=limit)
    text = p.stdout.read()
    _, _, used = os.wait4(p.pid, 0)
    return text, used.ru_utime


def measure(a, name, case, cell):
    """A cell: taken from what is kept, or run."""
    label = "%s-%s-%s-%g" % ((name,) + cell)
    if a.end:
        label += "-%g" % a.end
    base = os.path.join(a.cells, label)
    if not os.path.exists(base + ".json"):
        print("%s ..." % label, file=sys.stderr, flush=True)
        text, seconds = spend(command(a, case, cell, base), a.cap)
        try:
            record = json.loads(text)
        except ValueError:
            record = {"status": "cut", "t": 0, "stats": {}, "system": {}}
        with open(base + ".json", "w", encoding="utf-8") as file:
            json.dump({"seconds": seconds, "status": record["status"], "t": record["t"], "stats": record["stats"], "system": record["system"]}, file)
    with open(base + ".json", encoding="utf-8") as file:
        found = json.load(file)
    found.update(method=cell[0], formulation=cell[1], tolerance=cell[2], rows=read_rows(base))
    return found


def read_rows(base):
    """{channel: values} of a CSV file; what was cut has its rows in BASE.part.csv."""
    file = next((base + end for end in (".csv", ".part.csv") if os.path.exists(base + end)), None)
    if file is None:
        return {"time": []}
    with open(file, encoding="utf-8") as lines:
        table = list(csv.reader(lines))
    names = [name.split(" [")[0] for name in table[0]]
    return {name: [float(row[k]) for row in table[1:] if len(row) == len(names)] for k, name in enumerate(names)}


def begin_seconds(a, name, case):
    """Of the processor: for reading the model and finding its equilibrium."""
    file = os.path.join(a.cells, name + "-begin.json")
    if not os.path.exists(file):
        arguments = command(argparse.Namespace(flyball=a.flyball, end=1e-9), case, ("hht", "index3", 1e-3), os.path.join(a.cells, name + "-begin"))
        _, seconds = spend(arguments, a.cap)
        with open(file, "w", encoding="utf-8") as out:
            json.dump(seconds, out)
    with open(file, encoding="utf-8") as text:
        return json.load(text)


# ------------------------------------------------------------------------------------------ comparison

def size(values):
    return max((abs(x) for x in values), default=0)


def until(cell, reference, quantity, limit):
    """When a quantity is first off by more than limit times its size; infinity: never, as far as both go."""
    x, y, t = cell["rows"].get(quantity.channel, []), reference["rows"][quantity.channel], reference["rows"]["time"]
    most = limit * size(y)
    return next((t[k] for k in range(min(len(x), len(y))) if abs(x[k] - y[k]) > most), math.inf)


def error(cell, reference, quantity, end=math.inf):
    """The largest difference until then, of all rows or of most of them, over the size of the quantity."""
    x, y, t = cell["rows"].get(quantity.channel, []), reference["rows"][quantity.channel], reference["rows"]["time"]
    off = sorted(abs(x[k] - y[k]) for k in range(min(len(x), len(y))) if t[k] <= end)
    return off[min(len(off) - 1, int(ROWS * len(off)))] / size(y) if off else 0


def whole(cell, a, case):
    return cell["status"] == "ok" and cell["t"] >= (a.end or case.end) * (1 - 1e-9)


def kept(cell, reference, a, case, level):
    return whole(cell, a, case) and all(error(cell, reference, q) <= level * q.within for q in case.quantities)


def chosen(cells, reference, a, case, level=1):
    """Of each method its fastest run that keeps so much of what the case allows."""
    best = {}
    for cell in sorted(cells, key=lambda c: -c["seconds"]):
        if kept(cell, reference, a, case, level):
            best[cell["method"]] = cell
    return best


def mean(values):
    return sum(values) / len(values) if values else math.nan


def middle(values, part):
    """Of sorted values that at this part of the way: 0.5 is the median."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else math.nan


# ------------------------------------------------------------------------------------------ tables

def percent(x):
    return "%.2g %%" % (100 * x) if x < 1 else "parted"


def counts(stats):
    """Steps and attempts that were given up; iterations of the corrector; factorizations."""
    if "steps" not in stats:
        return ["–"] * 3
    given_up = sum(stats.get("rejected_" + why, 0) for why in ("error", "newton", "callback", "singular"))
    return ["%d + %d" % (stats["steps"], given_up), "%d" % stats.get("newton_iterations", 0), "%d" % (stats.get("factorizations", 0) + stats.get("refactorizations", 0))]


def cost_table(case, cells, reference, a, begin):
    lines = ["| method, tolerance | " + " | ".join("error of " + q.title for q in case.quantities) + " | steps + given up | iterations | factorizations | seconds | times real time | "
             + " | ".join("bdf over it, within " + ", ".join("%.2g %%" % (100 * level * q.within) for q in case.quantities) for level in LEVELS) + " |",
             "|---|" + "---|" * (len(case.quantities) + 5 + len(LEVELS))]
    best = [chosen(cells, reference, a, case, level) for level in LEVELS]
    for cell in cells + [reference]:
        seconds = cell["seconds"] - begin
        reached = cell["t"] or math.nan
        ratios = ["%.2f" % ((b["bdf"]["seconds"] - begin) / seconds) if "bdf" in b and b.get(cell["method"]) is cell else "" for b in best]
        off = ["reference"] * len(case.quantities) if cell is reference else [percent(error(cell, reference, q)) for q in case.quantities]
        name = "%s %s, %g%s" % (cell["method"], cell["formulation"], cell["tolerance"], "" if whole(cell, a, case) else ", to %.3g s: %s" % (reached, cell["status"]))
        lines.append("| %s | %s | %s | %.3g | %.3g | %s |" % (name, " | ".join(off), " | ".join(counts(cell["stats"])), seconds, seconds / reached, " | ".join(ratios)))
    return lines


def parting_table(case, cells, reference):
    """Until trajectories part, and what they have in common behind: means, and of rough quantities the median and the ninth decile of their sizes."""
    lines = ["| method, tolerance | " + " | ".join("%s: parted at, mean, median, 9 of 10 below" % q.title for q in case.quantities) + " |", "|---|" + "---|" * len(case.quantities)]
    for cell in cells + [reference]:
        told = []
        for q in case.quantities:
            x = cell["rows"].get(q.channel, [])
            part = until(cell, reference, q, PARTED)
            told.append("%s, %.4g, %.4g, %.4g" % ("–" if cell is reference else "never" if math.isinf(part) else "%.2f s" % part, mean(x), middle([abs(y) for y in x], 0.5), middle([abs(y) for y in x], 0.9)))
        lines.append("| %s %s, %g | %s |" % (cell["method"], cell["formulation"], cell["tolerance"], " | ".join(told)))
    return lines


def tables(name, case, cells, reference, a, begin):
    system = reference["system"]
    n, m = system.get("coordinates", 0), system.get("rows", 0)
    lines = ["Published: %s." % case.published, "",
             "%d bodies, %d coordinates, %d constraint rows: hht in index 3 solves for %d unknowns (accelerations and reactions), ch and bdf for more, as [theory](theory/newmark.md) tells; the paper counts %d equations. "
             "Reading the model and its equilibrium: %.2g s, not counted below." % (system.get("bodies", 0), n, m, n + m, case.equations, begin), ""]
    lines += cost_table(case, cells, reference, a, begin)
    if case.parts:
        lines += [""] + parting_table(case, cells, reference)
    return lines


def put(page, name, lines):
    """Between <!-- NAME --> and <!-- end of NAME --> of the page."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    first, last = "<!-- %s -->" % name, "<!-- end of %s -->" % name
    begin, end = text.index(first) + len(first), text.index(last)
    with open(page, "w", encoding="utf-8") as file:
        file.write(text[:begin] + "\n" + "\n".join(lines) + "\n" + text[end:])


# ------------------------------------------------------------------------------------------ figures

def figure(file, case, best):
    """Of each quantity two panels: by hht and bdf; and the differences of all from bdf (or from hht, if bdf did not get through)."""
    base = best.get("bdf") or best.get("hht")
    panels = []
    for q in case.quantities:
        label = "[%s]" % q.unit.replace("^2", "²")
        values = lambda m: best[m]["rows"][q.channel]
        panels.append(Panel(q.title, label, [(m, best[m]["rows"]["time"], values(m)) for m in ("bdf", "hht") if m in best]))
        others = [m for m in best if best[m] is not base]
        differences = [("%s − %s" % (m, base["method"]), best[m]["rows"]["time"], [x - y for x, y in zip(values(m), base["rows"][q.channel])]) for m in others]
        if others:
            panels.append(Panel(q.title + ": differences", label, differences))
    draw(file, panels, 2)


# ------------------------------------------------------------------------------------------ all of it

def wanted(a, case):
    """Cells of the case, or those of --only; tolerances of a method from loose to tight."""
    ladder = [(method, form, tolerance) for method, form, tolerances in case.cells for tolerance in tolerances]
    if not a.only:
        return ladder
    form = {method: f for method, f, _ in case.cells}
    pairs = [word.split(":") for word in a.only.split(",")]
    return [(m, form.get(m, "ggl"), float(tolerance)) for m, tolerance in pairs]


def do(name, a):
    case = CASES[name]
    begin = begin_seconds(a, name, case)
    cells = [measure(a, name, case, cell) for cell in wanted(a, case)]
    reference = measure(a, name, case, case.reference if not a.reference else (a.reference.split(":")[0], case.reference[1], float(a.reference.split(":")[1])))
    lines = tables(name, case, cells, reference, a, begin)
    print("\n## %s\n\n%s" % (name, "\n".join(lines)))
    best = {**chosen(cells, reference, a, case), **chosen(cells, reference, a, case, LEVELS[-1])}
    if a.figures and best:
        figure(os.path.join(a.figures, name + ".svg"), case, best)
    if a.page:
        put(a.page, name, lines)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("flyball")
    p.add_argument("case", nargs="+", choices=list(CASES))
    p.add_argument("--cells", default="build/industrial", help="folder of what was measured")
    p.add_argument("--cap", type=int, default=3600, help="seconds of the processor for one run")
    p.add_argument("--end", type=float, help="another end than the paper's [s]")
    p.add_argument("--only", help="METHOD:TOLERANCE,...")
    p.add_argument("--reference", help="METHOD:TOLERANCE")
    p.add_argument("--page", help="put the tables into this page")
    p.add_argument("--figures", help="folder for NAME.svg")
    p.add_argument("--rows", type=float, default=1.0, help="compare so many of the rows, from the nearest on; 0.99 leaves out one of a hundred")
    a = p.parse_args()
    global ROWS
    ROWS = a.rows
    os.makedirs(a.cells, exist_ok=True)
    for name in a.case:
        do(name, a)


if __name__ == "__main__":
    main()
