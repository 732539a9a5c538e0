#!/usr/bin/env python3
"""Runs the C tests labelled 'valgrind', and those of the lowest rooms, under valgrind: tools/valgrind.py BUILD"""
import concurrent.futures
import json
import os
import subprocess
import sys

ROOMS = {"base", "math", "sparse"}  # quick, and the only ones that handle memory of their own
VALGRIND = ["valgrind", "--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect,possible",
            "--show-leak-kinds=definite,indirect,possible", "--error-exitcode=99"]


def tests(build):
    """(name, command) of each test to run."""
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, stdout=subprocess.PIPE)
    for test in json.loads(shown.stdout)["tests"]:
        labels = {label for p in test["properties"] if p["name"] == "LABELS" for label in p["value"]}
        if os.path.basename(test["command"][0]) != "bash" and "slow" not in labels and ("valgrind" in labels or labels & ROOMS):
            yield test["name"], test["command"]


def run(test):
    name, command = test
    done = subprocess.run(VALGRIND + command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return name, done.returncode, done.stdout


def main():
    chosen = list(tests(sys.argv[1] if len(sys.argv) > 1 else "build"))
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, status, output in pool.map(run, chosen):
            failures += status != 0
            print("valgrind %s: %s" % (name, "ok" if status == 0 else "FAILED\n" + output), flush=True)
    print("%d passed, %d failed" % (len(chosen) - failures, failures))
    return 1 if failures or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
