#!/usr/bin/env python3
"""Work against precision, one panel a case, from what flyball bench --whole --json wrote; drawn by gnuplot:
    flyball bench pendulum seven-body bricard rods-10 stiff --whole --json whole.json
    tools/work_precision.py whole.json docs/figures/work-precision.svg
"""
import json
import subprocess
import sys

STYLES = {"auto": "lw 4 lc rgb '#c0c0c0' pt 7 ps 0.9", "ch": "lw 1.5 lc rgb '#2060c0' pt 5 ps 0.5",
          "radau": "lw 1.5 lc rgb '#208040' pt 9 ps 0.6", "partition": "lw 1.5 lc rgb '#e08020' pt 13 ps 0.6"}


def points(result):
    """(error, counted work) of the runs that ended."""
    return [(p["error"], p["work"]) for p in result["curve"] if p["error"] and p["work"]]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)["results"]
    cases = list(dict.fromkeys(r["case"] for r in results))
    columns = 2 if len(cases) > 1 else 1
    rows = -(-len(cases) // columns)
    lines = ["set terminal svg size 980,%d dynamic background rgb 'white' font 'sans,11'" % (330 * rows),
             "set output '%s'" % sys.argv[2], "set encoding utf8", "set logscale xy", "set format xy '10^{%T}'", "set grid",
             "set key outside below center horizontal", "set multiplot layout %d,%d" % (rows, columns)]
    for case in cases:
        curves = [r for r in results if r["case"] == case and points(r)]
        for k, r in enumerate(curves):
            lines += ["$c%d << end" % k] + ["%.9g %.9g" % p for p in points(r)] + ["end"]
        lines += ["set title '%s'" % case, "set xlabel 'error [%s]'" % curves[0]["unit"], "set ylabel 'counted work'",
                  "plot " + ", ".join("$c%d with linespoints %s title '%s'" % (k, STYLES.get(r["method"], ""), r["method"])
                                      for k, r in enumerate(curves))]
    subprocess.run(["gnuplot"], input="\n".join(lines) + "\n", text=True, check=True)


if __name__ == "__main__":
    main()
