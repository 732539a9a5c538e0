#!/usr/bin/env python3
"""Method auto against the best single method, on every problem, example and verified mechanism: counted work and seconds.

    python3 tools/auto.py build/flyball --markdown docs/performance-auto.md     # the whole table: half an hour
    python3 tools/auto.py build/flyball --errors 1e-5 --cells FILE
    python3 tools/auto.py build/flyball --only chain,balance --stretches

Each cell is a process of its own, without pilots unless --pilots: pilots multiply all methods alike. auto is cut after --cap
seconds of its own time (user), the others when they have taken five times as long as auto did and a third of a second more. FILE keeps what was measured, so that the table can be made in pieces. Seconds are those from
the start of the run to its end, in the process, with a single row of output: the smallest of --repeats. Cells in which no
single method gets through within the cap are left out.

A run is short if auto takes less than 5 ms, or in counted work 5 times MILLISECOND: there auto may take a millisecond more.
"""
import argparse
import json
import math
import os
import resource
import signal
import subprocess
import sys

METHODS = ["partition", "radau", "ch"]
MILLISECOND = 1e6  # of work, about: models do 0.4 to 2.5 of these in a millisecond of one machine, problems in C 1.3 to 3.2
SHORT = 5  # milliseconds
MOST = 2.0  # auto over the best, and a millisecond more where it is short
FAILS_ON_PURPOSE = {"redundant", "lock"}
# What `flyball verify mechanisms` makes of the examples beyond what they are.
VERIFIED = [("n-four-bar.yaml N=2", "n-four-bar", ["--set", "N=2", "--end", "10"]),
            ("n-four-bar.yaml N=40", "n-four-bar", ["--set", "N=40", "--end", "10"]),
            ("seven-body-planar.yaml A03", "seven-body-planar", ["--set", "beta=-0.0620", "--end", "0.05"]),
            ("bricard.yaml 10 s", "bricard", ["--end", "10"])]


def subjects(flyball):
    """(title, command) of every problem, with its variants, and of every example."""
    text = subprocess.run([flyball, "problem"], capture_output=True, text=True, check=True).stdout
    found, name = [], None
    for line in text.splitlines()[1:]:
        if not line.strip():
            break
        word = line.split()
        if line[0] != " ":
            name = word[0]
            if name not in FAILS_ON_PURPOSE:
                found.append((name, ["problem", name]))
        elif word[0] == "variants:" and name not in FAILS_ON_PURPOSE:
            found.pop()
            found += [(name + " " + v, ["problem", name, "--variant", v]) for v in word[1:]]
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples")
    for file in sorted(os.listdir(folder)):
        if file.endswith(".yaml"):
            found.append((file, ["run", os.path.join(folder, file)]))
    return found + [(title, ["run", os.path.join(folder, name + ".yaml"), *options]) for title, name, options in VERIFIED]


def run(command, cap):
    """What a process printed, and the seconds it took of its own (user)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    limit = lambda: signal.setitimer(signal.ITIMER_VIRTUAL, cap)
    p = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    return p, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def measure_all(flyball, command, error, a):
    """A cell of each method. Short runs are repeated, all methods in turn, so that a busy minute is nobody's: the smallest
    time counts."""
    cells = {}
    for m in ["auto"] + METHODS:
        auto = cells.get("auto")
        cap = min(a.cap, 5 * auto["process"] + 0.33) if auto and done(auto) else a.cap
        cells[m] = measure(flyball, command, m, error, a, cap)
    for _ in range(a.repeats - 1):
        for m, cell in cells.items():
            if done(cell) and cell["seconds"] < a.again:
                cell["seconds"] = min(cell["seconds"], measure(flyball, command, m, error, a, a.cap)["seconds"])
    return cells


def measure(flyball, command, method, error, a, cap):
    base = os.path.join(a.scratch, "auto-%d" % os.getpid())
    out = ["--out", base, "--output", "1e9"] if command[0] == "run" else []
    plain = [] if a.pilots else ["--calibrate", "no", "--estimate-error", "no"]
    p, seconds = run([flyball] + command + out + ["--method", method, "--error", repr(error), "--json"] + plain, cap)
    cell = {"seconds": seconds, "process": seconds, "status": "cut", "work": None}
    try:
        record = json.loads(p.stdout)
        stats = record.get("stats") or {}
        if not p.returncode < 0 and record["status"] not in ("stopped", "interrupted", "interrupted by a signal"):
            cell["status"] = record["status"]
        cell["message"] = record.get("message")
        cell["seconds"] = stats.get("wall_s", seconds)
        cell.update(work=stats.get("work"), steps=stats.get("steps"), switches=stats.get("switches"))
        cell["stretches"] = ["%s %.4g-%.4g s: %s" % (m["method"], m["from"], m["to"], m["why"])
                             for m in record.get("methods") or []]
    except (ValueError, KeyError):
        cell["message"] = (p.stdout + p.stderr)[:200]
    return cell


def done(cell):
    return cell["status"] in ("ok", "error not kept", "none")


def compare(auto, best, unit):
    """(auto over the best, whether the run is short, whether it is beyond the limit); unit: of a millisecond."""
    short = auto < SHORT * unit
    return auto / best, short, auto > MOST * best + (unit if short else 0)


def row(cells):
    """Counted work and seconds of one subject and error, each as compare tells; None: no single method gets through."""
    best = [m for m in METHODS if done(cells[m])]
    if not best:
        return None
    if not done(cells["auto"]):
        return [(math.inf, False, True), (math.inf, False, True)]
    return [compare(cells["auto"][key], min(cells[m][key] for m in best), unit)
            for key, unit in (("work", MILLISECOND), ("seconds", 1e-3))]


def summary(name, found):
    """A line of the summary, over the runs that are not short; of all how many are beyond the limit."""
    finite = sorted(r for r, short, _ in found if math.isfinite(r) and not short)
    if not finite:
        return "%s: no run is long enough" % name
    mean = math.exp(sum(map(math.log, finite)) / len(finite))
    at = lambda share: finite[min(len(finite) - 1, int(share * len(finite)))]
    failed = sum(not math.isfinite(r) for r, _, _ in found)
    return ("%s: geometric mean %.2f, median %.2f, 95 %% %.2f, worst %.2f of %d runs over %d ms; of all %d beyond %g times (short: + 1 ms) "
            "%d; auto fails in %d where another does not" % (name, mean, at(0.5), at(0.95), finite[-1], len(finite), SHORT, len(found),
                                                             MOST, sum(b for _, _, b in found), failed))


def text_of(cell, key, form):
    return form % cell[key] if done(cell) and cell[key] else cell["status"]


def write_markdown(path, rows, lines, counts):
    """The table of all as a page: counts first, seconds beside them unless only counts are asked for."""
    with open(path, "w", encoding="utf-8") as f:
        seconds = "" if counts else ", milliseconds from the start of a run to its end"
        f.write("# Method auto against the best single method\n\n"
                "Made by `python3 tools/auto.py build/flyball --markdown docs/performance-auto.md%s`: every problem, every example and every verified mechanism at\n"
                "four errors, without pilots, with one row of output. Counted work in units of 10^6 ([auto](theory/auto.md), section 1)%s.\n"
                "A run is short below %d ms, or %.3g of work, and may then take a millisecond more; *beyond*: more than %g times the best. "
                "cut: longer than\nfive times auto, or %g s.\n\n" % (" --counts" if counts else "", seconds, SHORT, SHORT * MILLISECOND / 1e6, MOST, rows[0][3]))
        for line in lines:
            f.write("* %s\n" % line)
        names = METHODS + ["auto", "auto / best"]
        head = ["subject", "error"] + names + ([] if counts else ["ms: " + names[0]] + names[1:])
        f.write("\n| %s |\n|%s\n" % (" | ".join(head), "---|" * len(head)))
        for title, error, cells, _, found in rows:
            ordered = [cells[m] for m in METHODS + ["auto"]]
            ratios = ["–" if not found else "%.2f%s" % (r, " *beyond*" if beyond else " (short)" if short else "")
                      for r, short, beyond in found or [(0, 0, 0)] * 2]
            line = [title, "%.0e" % error] + ["%.3g" % (c["work"] / 1e6) if done(c) else c["status"] for c in ordered] + ratios[:1]
            if not counts:
                line += ["%.3g" % (1e3 * c["seconds"]) if done(c) else "" for c in ordered] + ratios[1:]
            f.write("| %s |\n" % " | ".join(line))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("flyball")
    p.add_argument("--errors", default="1e-3,1e-5,1e-7,1e-9")
    p.add_argument("--only", help="titles, or parts of them, with commas between")
    p.add_argument("--cells", help="file that keeps what was measured")
    p.add_argument("--cap", type=float, default=20)
    p.add_argument("--scratch", default="/tmp")
    p.add_argument("--repeats", type=int, default=3)
    p.add_argument("--again", type=float, default=0.3, help="seconds below which a run is repeated")
    p.add_argument("--counts", action="store_true", help="no seconds in the table: the machine is not quiet")
    p.add_argument("--markdown", metavar="FILE", help="write the table to FILE")
    p.add_argument("--pilots", action="store_true")
    p.add_argument("--stretches", action="store_true", help="who integrated what, and why")
    a = p.parse_args()
    known = {}
    if a.cells and os.path.exists(a.cells):
        known = {tuple(k): c for k, c in map(json.loads, open(a.cells))}
    keep = open(a.cells, "a") if a.cells else None
    found, rows = {}, []
    print("%-32s %6s %12s %12s %12s %12s  %8s %8s" % ("", "error", *METHODS, "auto", "work", "seconds"))
    for title, command in subjects(a.flyball):
        if a.only and not any(o in title for o in a.only.split(",")):
            continue
        for error in map(float, a.errors.split(",")):
            cells = known.get((title, error))
            if not cells:
                cells = measure_all(a.flyball, command, error, a)
                if keep:
                    keep.write(json.dumps([[title, error], cells]) + "\n")
                    keep.flush()
            pair = row(cells)
            rows.append((title, error, cells, a.cap, pair))
            tail = "%8.2f %8.2f%s" % (pair[0][0], pair[1][0], "  beyond" if pair[0][2] else "  short" if pair[0][1] else "") if pair else "       -        -"
            print("%-32s %6.0e %12s %12s %12s %12s  %s" % (title, error, *[text_of(cells[m], "work", "%.4g")[:12] for m in METHODS + ["auto"]], tail), flush=True)
            if a.stretches:
                print("\n".join("    " + line for line in cells["auto"].get("stretches") or []))
            if pair:
                found.setdefault(error, []).append(pair)
    lines = []
    for error, pairs in sorted(found.items(), reverse=True):
        lines += [summary("%.0e, counted work" % error, [p[0] for p in pairs]), summary("%.0e, seconds" % error, [p[1] for p in pairs])][:1 if a.counts else 2]
    if len(found) > 1:
        pairs = [p for list_of in found.values() for p in list_of]
        lines += [summary("all, counted work", [p[0] for p in pairs]), summary("all, seconds", [p[1] for p in pairs])][:1 if a.counts else 2]
    print("\n".join(lines))
    if a.markdown:
        write_markdown(a.markdown, rows, lines, a.counts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
