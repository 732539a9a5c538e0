#!/usr/bin/env python3
"""Method auto against the best single method, on every problem and every example: counted work and seconds.

    python3 tools/auto.py build/flyball                          # the whole table: an hour
    python3 tools/auto.py build/flyball --errors 1e-5 --cells FILE
    python3 tools/auto.py build/flyball --only chain,balance --stretches

Each cell is a process of its own, cut after --cap seconds of its own time (user), without pilots unless --pilots: pilots
multiply all methods alike. FILE keeps what was measured, so that the table can be made in pieces. Seconds are those of the
process less those of one that takes a single step. Cells in which no single method gets through within the cap are left out.
"""
import argparse
import json
import math
import os
import resource
import subprocess
import sys

METHODS = ["partition", "radau", "ch"]
FAILS_ON_PURPOSE = {"redundant", "lock"}


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
    return found


def run(command, cap):
    """What a process printed, and the seconds it took of its own (user)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(cap), math.ceil(cap) + 1))
    p = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    return p, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def measure(flyball, command, method, error, a):
    out = ["--out", os.path.join(a.scratch, "auto-%d" % os.getpid())] if command[0] == "run" else []
    plain = [] if a.pilots else ["--calibrate", "no", "--estimate-error", "no"]
    p, seconds = run([flyball] + command + out + ["--method", method, "--error", repr(error), "--json"] + plain, a.cap)
    cell = {"seconds": seconds, "status": "cut", "work": None}
    try:
        record = json.loads(p.stdout)
        stats = record.get("stats") or {}
        if not p.returncode < 0 and record["status"] not in ("stopped", "interrupted", "interrupted by a signal"):
            cell["status"] = record["status"]
        cell["message"] = record.get("message")
        cell.update(work=stats.get("work"), steps=stats.get("steps"), switches=stats.get("switches"))
        cell["stretches"] = ["%s %.4g-%.4g s: %s" % (m["method"], m["from"], m["to"], m["why"])
                             for m in record.get("methods") or []]
    except (ValueError, KeyError):
        cell["message"] = (p.stdout + p.stderr)[:200]
    return cell


def done(cell):
    return cell["status"] in ("ok", "error not kept", "none")


def row(cells):
    """(ratio of work, of seconds, best method, note) of one subject and error."""
    best = [m for m in METHODS if done(cells[m])]
    if not best:
        return None
    by_work = min(best, key=lambda m: cells[m]["work"])
    by_time = min(best, key=lambda m: cells[m]["seconds"])
    if not done(cells["auto"]):
        return (math.inf, math.inf, by_work, "auto: " + cells["auto"]["status"])
    return (cells["auto"]["work"] / cells[by_work]["work"],
            (cells["auto"]["seconds"] + 1e-3) / (cells[by_time]["seconds"] + 1e-3), by_work, "")


def summary(name, ratios):
    finite = sorted(r for r in ratios if math.isfinite(r))
    if not finite:
        return
    mean = math.exp(sum(map(math.log, finite)) / len(finite))
    at = lambda share: finite[min(len(finite) - 1, int(share * len(finite)))]
    print("%s: geometric mean %.2f, median %.2f, 95 %% %.2f, worst %.2f of %d cells; auto fails in %d where another does not"
          % (name, mean, at(0.5), at(0.95), finite[-1], len(finite), len(ratios) - len(finite)))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("flyball")
    p.add_argument("--errors", default="1e-3,1e-5,1e-7,1e-9")
    p.add_argument("--only", help="titles, or parts of them, with commas between")
    p.add_argument("--cells", help="file that keeps what was measured")
    p.add_argument("--cap", type=float, default=20)
    p.add_argument("--scratch", default="/tmp")
    p.add_argument("--pilots", action="store_true")
    p.add_argument("--stretches", action="store_true", help="who integrated what, and why")
    a = p.parse_args()
    known = {}
    if a.cells and os.path.exists(a.cells):
        known = {tuple(k): c for k, c in map(json.loads, open(a.cells))}
    keep = open(a.cells, "a") if a.cells else None
    start = min(run([a.flyball, "--version"], 5)[1] for _ in range(3))
    work, seconds, long_ones = [], [], []
    print("%-32s %6s %12s %12s %12s %12s  %8s %8s" % ("", "error", *METHODS, "auto", "work", "seconds"))
    for title, command in subjects(a.flyball):
        if a.only and not any(o in title for o in a.only.split(",")):
            continue
        for error in map(float, a.errors.split(",")):
            cells = {}
            for m in METHODS + ["auto"]:
                key = (title, m, error)
                if key not in known:
                    known[key] = measure(a.flyball, command, m, error, a)
                    if keep:
                        keep.write(json.dumps([key, known[key]]) + "\n")
                        keep.flush()
                cells[m] = dict(known[key], seconds=max(known[key]["seconds"] - start, 0))
            found = row(cells)
            text = ["%.4g" % c["work"] if done(c) and c["work"] else c["status"][:12] for c in map(cells.get, METHODS + ["auto"])]
            tail = "%8.2f %8.2f  %s" % (found[0], found[1], found[3]) if found else "       -        -"
            print("%-32s %6.0e %12s %12s %12s %12s  %s" % (title, error, *text, tail), flush=True)
            if a.stretches:
                print("\n".join("    " + line for line in cells["auto"].get("stretches") or []))
            if found:
                work.append(found[0])
                seconds.append(found[1])
                if min(c["seconds"] for c in cells.values() if done(c)) > 5e-3:
                    long_ones.append(found[1])
    summary("counted work", work)
    summary("seconds (+ 1 ms)", seconds)
    summary("seconds, runs over 5 ms", long_ones)
    return 0


if __name__ == "__main__":
    sys.exit(main())
