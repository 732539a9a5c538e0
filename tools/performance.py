#!/usr/bin/env python3
"""docs/performance.md, from what flyball bench --json and the programs of bench/peers wrote:
    tools/performance.py FLYBALL.json [PEER.json...] > docs/performance.md
    tools/performance.py --table FLYBALL.json [PEER.json...]        the first table only
"""
import json
import sys

OURS = "flyball"
BY_HAND = {"ida-angles"}  # equations that a person derived for one case: shown, not compared with
WHOLE = """## Work and precision

![work and precision](figures/work-precision.svg)

*All tolerances from 1e-2 to 1e-11, as long as a run took less than a few seconds: counted work ([auto](theory/auto.md), section 1; no clock has a say)
over the error that came out. `auto` is the broad grey line. Made by `flyball bench pendulum seven-body bricard rods-10 stiff --whole --json whole.json;
tools/work_precision.py whole.json docs/figures/work-precision.svg`.*

`auto` against the best single method on every problem and every example, at four errors: [performance-auto](performance-auto.md).
"""


def load(files):
    """{case: {method: result}}, names of cases and methods in the order of the files."""
    table, programs = {}, []
    for name in files:
        with open(name, encoding="utf-8") as file:
            data = json.load(file)
        program = "%s %s" % (data["program"], data["version"])
        programs += [program] if program not in programs else []
        for result in data["results"]:
            result["ours"] = data["program"] == OURS
            table.setdefault(result["case"], {})[result["method"]] = result
    return table, programs


def milliseconds(result):
    if result is None or result["seconds"] is None:
        return "–"
    return "%.3g" % (1e3 * result["seconds"])


def fastest(results, ours):
    times = [r["seconds"] for m, r in results.items()
             if r["ours"] == ours and r["seconds"] is not None and m not in BY_HAND]
    return min(times) if times else None


def print_table(table, methods):
    print("| case, precision | %s | auto / best of ours | auto / best peer |" % " | ".join(methods))
    print("|---|" + "---|" * (len(methods) + 2))
    for case, results in table.items():
        any_result = next(iter(results.values()))
        auto = results.get("auto", {}).get("seconds")
        ratios = ["%.2f" % (auto / best) if auto and best else "–" for best in (fastest(results, True), fastest(results, False))]
        print("| %s, %g %s | %s | %s |" % (case, any_result["precision"], any_result["unit"],
                                          " | ".join(milliseconds(results.get(m)) for m in methods), " | ".join(ratios)))


def says_who_is_ahead(table):
    ratios = {}
    for case, results in table.items():
        auto, peer = results.get("auto", {}).get("seconds"), fastest(results, False)
        if auto and peer:
            ratios[case] = peer / auto
    ahead = ["%s %.1f" % (case, r) for case, r in ratios.items() if r > 1]
    behind = ["%s %.1f" % (case, 1 / r) for case, r in ratios.items() if r <= 1]
    return "`auto` is ahead of the best peer in %d of %d, by times: %s.%s" % (
        len(ahead), len(ratios), ", ".join(ahead), " Behind, by times: %s." % ", ".join(behind) if behind else "")


def print_settings(table):
    print("| case | method | setting | error | steps | ms |\n|---|---|---|---|---|---|")
    for case, results in table.items():
        for method, r in results.items():
            if r["seconds"] is not None:
                setting = r.get("setting") or "error %.1e" % r["tolerance"]
                print("| %s | %s | %s | %.1e | %d | %.3g |" % (case, method, setting, r["error"], r["steps"], 1e3 * r["seconds"]))


HEAD = """# Performance

Made by `make bench-peers` (tools/peers.sh, tools/performance.py) with %s. Milliseconds of the processor, the smallest of three to thirty (0.1 s), on one
core, in one process, from the first step to the last: without reading, start and output. Each at its fastest setting that
reaches the precision of the case: of ours the loosest tolerance (in steps of a root of ten), without pilot runs; of the
peers integrator and step, or tolerance, and how constraints are held (`bench/peers`, one program each):

- mujoco: joint coordinates, loops closed by its soft constraints. Its reader takes no bodies nested deeper than 100.
  Its steps are tried in hundreds a run, because the rows must fall on them: where few are enough it may be up to twice as fast as it is here.
- simbody: joint coordinates, loops closed exactly; all of its integrators.
- ida: BDF on the stabilized equations of index 2, three coordinates a body, exact derivatives, KLU; planar cases.
- ida-angles: IDA too, on equations in angles that were derived by hand for that case alone. Not compared with.
- ode: six coordinates a body, steps of first order; cases without springs.

All errors are measured alike: of the energy at every step, or of the outputs at a hundred times against a reference
(`flyball bench --references`). Read ratios, and not their second digit. A dash: not reached within the patience of the search, or not
one of its cases. `flyball bench --list` tells what the cases are; `tools/peers.sh build 0.01` asks for a hundred times the precision.
"""


def main():
    files = [a for a in sys.argv[1:] if a != "--table"]
    if not files:
        sys.exit(__doc__)
    table, programs = load(files)
    methods = list(dict.fromkeys(m for results in table.values() for m in results))
    if "--table" in sys.argv:
        print_table(table, methods)
        return
    print(HEAD % ", ".join(programs))
    print_table(table, methods)
    print("\n" + says_who_is_ahead(table))
    print("\nAt other precisions: [performance-precisions](performance-precisions.md). What a step costs, phase by phase, and which factors serve which models: [cost](theory/cost.md).")
    print("\n" + WHOLE)
    print("## Settings\n")
    print_settings(table)


if __name__ == "__main__":
    main()
