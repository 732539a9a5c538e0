#!/usr/bin/env python3
"""The ATV of examples/atv by several methods against a run a hundred times tighter, for docs/industrial-atv.md.

    python3 tools/atv.py --folder /tmp/atv --figures docs/figures

Reduces the frame, runs `hht`, `ch` and `auto` at 1e-5 and `bdf` at 1e-4 (if the program has it; it takes minutes), and `ch` at
1e-7; then tells seconds of the processor, errors of the reaction and of the angular velocity, and the ten highest stresses, and
draws the figures. A result that is in the folder is not made again. Needs the program and libflyball.so beside it.
"""
import argparse
import ctypes
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys

from curves import Panel, draw as draw_curves

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = {"hht": ("hht", "1e-5"), "ch": ("ch", "1e-5"), "auto": ("auto", "1e-5"), "bdf": ("bdf", "1e-4"), "reference": ("ch", "1e-7")}
CHANNELS = {"ball_z": "reaction at the ball joint [N]", "engine_pitch": "angular velocity of the engine [rad/s]"}


class Info(ctypes.Structure):
    _fields_ = [("path", ctypes.c_char_p), ("format", ctypes.c_int), ("count", ctypes.c_int), ("channel", ctypes.c_void_p),
                ("rows", ctypes.c_long)]


def read(library, path, names):
    """Time and channels of a result, one list each."""
    result = ctypes.c_void_p()
    library.fly_result_info_of.restype = ctypes.POINTER(Info)
    library.fly_result_read.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int, ctypes.c_long, ctypes.c_long, ctypes.c_void_p]
    if library.fly_result_open(ctypes.byref(result), str(path).encode(), None):
        sys.exit("%s cannot be read" % path)
    rows = library.fly_result_info_of(result).contents.rows
    columns = [0] + [library.fly_result_find(result, name.encode()) for name in names]
    out = (ctypes.c_double * (rows * len(columns)))()
    failed = min(columns) < 0 or library.fly_result_read(result, out, (ctypes.c_int * len(columns))(*columns), len(columns), 0,
                                                        rows, None)
    library.fly_result_close(result)
    if failed:
        sys.exit("%s lacks some of %s" % (path, names))
    return [out[rows * k:rows * (k + 1)] for k in range(len(columns))]


def reduce_frame(program, folder):
    mesh, out = folder / "frame.inp", folder / "frame.h5"
    shutil.copy(ROOT / "examples/atv/atv.yaml", folder)
    if out.exists():
        return
    script = str(ROOT / "examples/atv/frame.py")
    mesh.write_text(subprocess.run([sys.executable, script], check=True, capture_output=True, text=True).stdout)
    faces = subprocess.run([sys.executable, script, "--interfaces"], check=True, capture_output=True, text=True).stdout.split()
    subprocess.run([program, "reduce", mesh, *faces, "--modes", "32", "--out", out], check=True, stdout=subprocess.DEVNULL)


def run(program, folder, name, end, limit):
    """Seconds of the processor; None: not run."""
    told = folder / (name + ".seconds")
    if (folder / (name + ".h5")).exists():
        return float(told.read_text()) if told.exists() else None
    method, error = RUNS[name]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    code = subprocess.run([program, "run", folder / "atv.yaml", "--end", str(end), "--method", method, "--error", error, "--out",
                           folder / name, "--max-time", str(limit), "--estimate-error", "no", "--calibrate", "no"], stdout=subprocess.DEVNULL).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    told.write_text("%g\n" % seconds)
    print("%s: exit status %d" % (name, code))
    return seconds


def compare(library, folder, name, seconds):
    reference = read(library, folder / "reference.h5", CHANNELS)
    here = read(library, folder / (name + ".h5"), CHANNELS)
    row = {round(t, 9): k for k, t in enumerate(reference[0])}
    both = [(k, row[round(t, 9)]) for k, t in enumerate(here[0]) if round(t, 9) in row]
    line = "%-10s %8s s of the processor, to t = %g" % (name, "-" if seconds is None else "%.1f" % seconds, here[0][-1])
    for c, text in enumerate(CHANNELS, 1):
        size = max(abs(reference[c][j]) for _, j in both)
        line += ", %s %.2e" % (text, max(abs(here[c][k] - reference[c][j]) for k, j in both) / size)
    print(line)


def stresses(program, folder, name):
    out = folder / (name + ".json")
    if not out.exists():
        out.write_bytes(subprocess.run([program, "stress", folder / (name + ".h5"), "frame", folder / "frame.h5", "--json"],
                                       check=True, capture_output=True).stdout)
    return json.loads(out.read_text())["spots"]


def hot_spots(program, folder, one, other):
    second = {s["node"]: s for s in stresses(program, folder, other)}
    print(" no.   node   %s [MPa]  time [s]   %s [MPa]  time [s]   difference" % (one, other))
    for k, s in enumerate(stresses(program, folder, one), 1):
        o = second.get(s["node"])
        right = "%12.2f %10.3f %11.3f %%" % (o["von_mises"] / 1e6, o["time"], 100 * (s["von_mises"] / o["von_mises"] - 1)) if o else ""
        print("%4d %6d %11.2f %10.3f %s" % (k, s["node"], s["von_mises"] / 1e6, s["time"], right))


def draw(library, folder, figures, names):
    """Every second row, which is more than a figure shows."""
    parts = {"ball_z": ("atv-reaction.svg", "reaction along z [N]"), "engine_pitch": ("atv-pitch.svg", "angular velocity [rad/s]")}
    for channel, (file, label) in parts.items():
        curves = [(name, *read(library, folder / (name + ".h5"), [channel])) for name in names]
        draw_curves(figures / file, [Panel("", label, [(n, t[::2], x[::2]) for n, t, x in curves])])
    *others, last = [(name, *read(library, folder / (name + ".h5"), ["engine_pitch"])) for name in names]
    row = {round(t, 9): x for t, x in zip(*last[1:])}
    size = max(abs(x) for x in last[2])
    curves = []
    for name, t, x in others:
        both = [(a, 100 * (b - row[round(a, 9)]) / size) for a, b in zip(t, x) if round(a, 9) in row][::2]
        curves.append(("%s less %s" % (name, last[0]), *zip(*both)))
    draw_curves(figures / "atv-difference.svg", [Panel("", "difference [% of the largest]", curves)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flyball", default=str(ROOT / "build/flyball"))
    parser.add_argument("--folder", default="/tmp/atv", type=pathlib.Path)
    parser.add_argument("--end", type=float, default=2)
    parser.add_argument("--limit", type=float, default=3600, help="seconds of the clock a run may take")
    parser.add_argument("--runs", nargs="*", default=list(RUNS), choices=list(RUNS))
    parser.add_argument("--figures", type=pathlib.Path)
    a = parser.parse_args()
    a.folder.mkdir(parents=True, exist_ok=True)
    library = ctypes.CDLL(os.path.join(os.path.dirname(a.flyball), "libflyball.so"))
    reduce_frame(a.flyball, a.folder)
    seconds = {name: run(a.flyball, a.folder, name, a.end, a.limit) for name in a.runs}
    made = [name for name in a.runs if (a.folder / (name + ".h5")).exists()]
    for name in made:
        if "reference" in made and name != "reference":
            compare(library, a.folder, name, seconds[name])
    for name in made:
        if "reference" in made and name != "reference":
            hot_spots(a.flyball, a.folder, name, "reference")
    if a.figures and made:
        draw(library, a.folder, a.figures, made)


if __name__ == "__main__":
    main()
