#!/usr/bin/env python3
"""The whole table of `flyball verify promise`, a process a subject and a core: hours become half of them on two cores.

    tools/promise.py build/flyball FOLDER [--jobs N] [--only TITLE,...] [--ways all|judged|reported|partition|...]

Every subject keeps its cells in a file of FOLDER; what is there is not measured again, so that an interrupted
measurement goes on. At the end the table is printed from all cells, and kept as FOLDER/promise.txt. No clock decides
anything: cells are the same whatever else the machine does.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

LAST = ["car.yaml", "engine-governor.yaml", "double-pendulum"]  # take longest


def subjects(program, only):
    titles = subprocess.run([program, "verify", "promise", "--list"], check=True, capture_output=True, text=True)
    titles = [t for t in titles.stdout.split("\n") if t and (only is None or t in only)]
    return sorted(titles, key=lambda t: LAST.index(t) if t in LAST else -1)


def measure(program, folder, ways, title):
    cells = folder / (re.sub(r"[^A-Za-z0-9.]+", "-", title) + ".cells")
    log = cells.with_suffix(".log")
    with open(log, "w") as out:
        subprocess.run([program, "verify", "promise", "--ways", ways, "--only", title, "--keep", cells], stdout=out, stderr=out)
    print(f"{title}: done", flush=True)
    return cells


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--ways", default="all")
    parser.add_argument("--only", type=lambda text: text.split(","))
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    titles = subjects(given.program, given.only)
    with ThreadPoolExecutor(given.jobs) as pool:
        files = list(pool.map(lambda title: measure(given.program, given.folder, given.ways, title), titles))
    whole = given.folder / "all.cells"
    whole.write_bytes(b"".join(f.read_bytes() for f in files))
    table = subprocess.run([given.program, "verify", "promise", "--ways", given.ways, "--only", ",".join(titles), "--keep",
                            whole], capture_output=True, text=True)
    (given.folder / "promise.txt").write_text(table.stdout)
    print(table.stdout)
    return table.returncode


if __name__ == "__main__":
    sys.exit(main())
