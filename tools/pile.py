#!/usr/bin/env python3
"""A pile of balls in a pit by flyball, MuJoCo and ODE: seconds of the processor, overlap and kinetic energy at the end, and how they grow.

    python3 tools/pile.py build/flyball --peers DIRECTORY --counts 8,27,64

DIRECTORY has the programs pile_mujoco and pile_ode, built from bench/peers (Debian: libmujoco-dev, libode-dev):
    cc -O2 bench/peers/pile_mujoco.c -o DIRECTORY/pile_mujoco -lmujoco
    cc -O2 bench/peers/pile_ode.c -o DIRECTORY/pile_ode -lode -lm
"""
import argparse
import json
import math
import os
import random
import resource
import subprocess
import tempfile

RADIUS, END = 0.05, 1.0  # m, s


def start(count):
    """Layers over a square, a little out of place; half the width of the pit."""
    random.seed(count)
    side = max(2, round(count ** (1 / 3)))
    pitch, out = 2.15 * RADIUS, []
    for k in range(count):
        i, j, layer = k % side, k // side % side, k // side ** 2
        out.append([pitch * (i - (side - 1) / 2) + 0.002 * random.uniform(-1, 1), pitch * (j - (side - 1) / 2) + 0.002 * random.uniform(-1, 1), 1.5 * RADIUS + pitch * layer])
    return out, pitch * side / 2 + 0.2 * RADIUS


def model(balls, width):
    lines = ["flyball: 1", "name: pile", "gravity: [0, 0, -9.81]", "bodies:", "  ground:", "    shapes:", "    - {type: plane, width: 1}"]
    for at, x in (("%g, 0, 0" % width, "z: [-1, 0, 0], x: [0, 1, 0]"), ("%g, 0, 0" % -width, "z: [1, 0, 0], x: [0, 1, 0]"), ("0, %g, 0" % width, "z: [0, -1, 0], x: [1, 0, 0]"), ("0, %g, 0" % -width, "z: [0, 1, 0], x: [1, 0, 0]")):
        lines.append("    - {type: plane, width: 1, at: [%s], orientation: {%s}}" % (at, x))
    lines += ["  b%d: {position: [%.9g, %.9g, %.9g], material: ball, shapes: [{type: sphere, radius: %g, density: 1000}]}" % (k, *x, RADIUS) for k, x in enumerate(balls)]
    law = "stiffness: 1e6, restitution: 0.3, friction: {law: regularized, mu: 0.3, transition_speed: 0.01}"
    lines += ["contacts:", "  each: {materials: [ball, ball], %s}" % law, "  pit: {bodies: [ground], with: [%s], %s}" % (", ".join("b%d" % k for k in range(len(balls))), law)]
    lines += ["simulate: {end: %g, output: 0.1}" % END]
    return "\n".join(lines) + "\n"


def spend(arguments, text, cap):
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (cap, cap + 30))
    p = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=limit)
    p.stdin.write(text)
    p.stdin.close()
    out = p.stdout.read()
    _, _, used = os.wait4(p.pid, 0)
    return out, used.ru_utime


def ours(a, balls, width):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "pile.yaml")
        with open(file, "w", encoding="utf-8") as out:
            out.write(model(balls, width))
        how = ["--method", a.method, "--error", repr(a.error), "--error-per", "step", "--calibrate", "no", "--estimate-error", "no", "--channels", "bodies", "--json", "-o", os.path.join(folder, "out")]
        text, seconds = spend([a.flyball, "run", file] + how, "", a.cap)
        _, begin = spend([a.flyball, "run", file, "--end", "1e-9"] + how, "", a.cap)
    try:
        record = json.loads(text)
    except ValueError:
        return None
    deepest = max((h.get("deepest", 0) for h in record["hottest"]), default=0)
    ledger = record["ledger"]
    return {"seconds": seconds - begin, "read": begin, "most": deepest, "energy": ledger["end"].get("kinetic", math.nan), "open": ledger["relative"], "t": record["t"], "steps": record["stats"]["steps"]}


def peer(a, program, balls, width):
    text, _ = spend([os.path.join(a.peers, program), repr(width), repr(END)], "%d\n" % len(balls) + "\n".join("%.9g %.9g %.9g" % tuple(x) for x in balls) + "\n", a.peer_cap)
    row = [float(x) for x in text.split()]
    return {"seconds": row[0], "last": row[1], "most": row[2], "energy": row[3], "contacts": int(row[4])} if len(row) == 5 else None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("flyball")
    p.add_argument("--peers", default="build")
    p.add_argument("--counts", default="8,27,64")
    p.add_argument("--method", default="ch")
    p.add_argument("--error", type=float, default=3e-4)
    p.add_argument("--cap", type=int, default=600, help="seconds of the processor for one run")
    p.add_argument("--peer-cap", type=int, default=120, help="and for one of another program")
    a = p.parse_args()
    print("| balls | flyball: s, steps, deepest mm, kinetic J, ledger open % | MuJoCo: s, deepest mm, kinetic J | ODE: s, deepest mm, kinetic J |\n|---|---|---|---|")
    for count in map(int, a.counts.split(",")):
        balls, width = start(count)
        own, mujoco, ode = ours(a, balls, width), peer(a, "pile_mujoco", balls, width), peer(a, "pile_ode", balls, width)
        told = ["%.3g (to %.2f s), %d, %.3g, %.2g, %.1f" % (own["seconds"], own["t"], own["steps"], 1e3 * own["most"], own["energy"], 100 * own["open"]) if own else "–"]
        told += ["%.3g, %.3g, %.2g" % (r["seconds"], 1e3 * r["most"], r["energy"]) if r else "–" for r in (mujoco, ode)]
        print("| %d | %s |" % (count, " | ".join(told)), flush=True)


if __name__ == "__main__":
    main()
