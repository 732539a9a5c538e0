#!/usr/bin/env python3
"""Plants faults at random and says which no test notices.

    tools/random_mutants.py 300 [SEED]      so many, over all rooms of src

Each fault changes one token of one line of code: an operator, a comparison, a sign, a small number, a condition. The
tree is copied once, built with the tests' settings, and for every fault rebuilt in part; then the fast tests run, those
of the same room first. What survives is printed with its line, to be explained or to get a test. Slow: minutes each on
two cores; faults that do not compile are drawn again.
"""
import glob
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

SWAPS = [(r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" < ", " <= "), (r" > ", " >= "), (r" <= ", " < "),
         (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "),
         (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"\b0\.5\b", "0.25"), (r"\b2\b", "3"), (r"\b1\b", "0"),
         (r" \+= ", " -= "), (r" -= ", " += "), (r"fmax\(", "fmin("), (r"fmin\(", "fmax("), (r"if \(", "if (!")]


def is_code(line):
    bare = line.strip()
    return bool(bare) and not bare.startswith(("//", "#", "*", "static const char", "{", "}", "enum", "case", "default"))


def code_part(line):
    """Up to a comment or a text: faults in those are no faults."""
    for mark in ("//", '"'):
        if mark in line:
            line = line[:line.index(mark)]
    return line


def draw(rng, files):
    while True:
        path = rng.choice(files)
        lines = open(path).read().split("\n")
        number = rng.randrange(len(lines))
        if not is_code(lines[number]):
            continue
        code = code_part(lines[number])
        options = [(m.span(), new) for old, new in SWAPS for m in re.finditer(old, code)]
        if options:
            (begin, end), new = rng.choice(options)
            text = code[:begin] + new + lines[number][end:]
            if "if (!" in new:  # the whole condition is turned around, if it stands on one line
                if not re.search(r"if \(!.*\)\s*\{?$", text) or text.count("(") != text.count(")"):
                    continue
                text = re.sub(r"if \(!(.*)\)(\s*\{?)$", r"if (!(\1))\2", text)
            return path, number, lines[number], text


def run(command, folder, seconds):
    try:
        return subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=seconds).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def tests_pass(folder, room):
    one = ["ctest", "--test-dir", "build", "-j2", "--stop-on-failure", "--timeout", "120", "-LE", "slow"]
    return run(one + ["-R", "^" + room + "/"], folder, 900) and run(one + ["-E", "^" + room + "/"], folder, 1800)


def write(path, lines):
    with open(path, "w") as file:
        file.write("\n".join(lines))


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rng = random.Random(seed)
    top = subprocess.run(["git", "rev-parse", "--show-toplevel"], capture_output=True, text=True).stdout.strip()
    folder = tempfile.mkdtemp(prefix="flyball-mutants-")
    subprocess.run("git archive HEAD | tar x -C " + folder, cwd=top, shell=True, check=True)
    build = ["cmake", "--build", "build", "-j2", "--target", "all", "tests"]
    run(["cmake", "-S", ".", "-B", "build", "-DFLYBALL_TESTS=ON"], folder, 600)
    if not run(build, folder, 7200):
        sys.exit("random_mutants: the tree does not build")
    files = sorted(glob.glob(folder + "/src/*/*.c"))
    survivors = done = 0
    while done < count:
        path, number, old, new = draw(rng, files)
        lines = open(path).read().split("\n")
        write(path, lines[:number] + [new] + lines[number + 1:])
        if run(build, folder, 3600):
            done += 1
            name = os.path.relpath(path, folder)
            caught = not tests_pass(folder, name.split("/")[1])
            survivors += not caught
            print(f"{done:4} {'caught' if caught else 'SURVIVED'} {name}:{number + 1}\n     - {old.strip()}\n     + "
                  f"{new.strip()}", flush=True)
        write(path, lines)
    shutil.rmtree(folder)
    print(f"{count} faults, {survivors} survived")


if __name__ == "__main__":
    main()
