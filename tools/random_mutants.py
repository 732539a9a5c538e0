#!/usr/bin/env python3
"""Plants faults at random and says which no test notices.

    tools/random_mutants.py 300 [SEED]      so many, over all rooms of src

Each fault changes one token of one line of code: an operator, a comparison, a sign, a small number, a condition. A
first run with counters tells which fast tests reach a line (kept in build-mutants until the tree changes); with a fault
those run, short ones of the same room first, until one fails. What survives is printed with its line, to be explained
or to get a test: tests/mutants/survivors.txt. Faults that do not compile are drawn again.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import tempfile

import mutants

SWAPS = [(r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" < ", " <= "), (r" > ", " >= "), (r" <= ", " < "),
         (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "),
         (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"\b0\.5\b", "0.25"), (r"\b2\b", "3"), (r"\b1\b", "0"),
         (r" \+= ", " -= "), (r" -= ", " += "), (r"fmax\(", "fmin("), (r"fmin\(", "fmax("), (r"if \(", "if (!")]


def is_code(line):
    bare = line.strip()
    other = ("//", "#", "*", "static const char", "{", "}", "enum", "case", "default")
    return bool(bare) and not bare.startswith(other)


def code_part(line):
    """Up to a comment or a text: faults in those are no faults."""
    for mark in ("//", '"'):
        if mark in line:
            line = line[:line.index(mark)]
    return line


def draw(rng, files):
    while True:
        path = rng.choice(files)
        lines = path.read_text().split("\n")
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


class Reached:
    """Which lines each fast test reaches, and the seconds it takes: from one run with counters, kept for the next."""

    def __init__(self, folder, jobs, longest):
        kept = folder / "reached.json"
        bench = mutants.Bench(folder, "coverage", "-O1 --coverage")
        stamp = "%s %g" % (fingerprint(bench.source), longest)
        data = json.loads(kept.read_text()) if kept.exists() else {}
        if data.get("stamp") != stamp:
            data = {"stamp": stamp, "seconds": {}, "lines": {}, "functions": {}}
            tests = fast_tests(bench.source)
            bench.make(tests)
            with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
                for test, found in zip(tests, pool.map(lambda test: watch(bench, test, longest), tests)):
                    add(data, test, found)
            kept.write_text(json.dumps(data))
        self.planted = {(mutant.file, mutant.test) for mutant in mutants.read_list(mutants.LIST.read_text())}
        self.seconds, self.lines, self.functions = data["seconds"], data["lines"], data["functions"]

    def tests(self, name, number):
        """Tests that reach a line; one without counters of its own has those of its neighbours in the function, and
        outside of functions those of the whole file."""
        lines = {int(line): tests for line, tests in self.lines.get(name, {}).items()}
        inside = [(a, b) for a, b in self.functions.get(name, []) if a <= number <= b]
        if number in lines:
            found = set(lines[number])
        elif inside:
            near = [n for n in lines if inside[-1][0] <= n <= inside[-1][1]]
            ends = [max([n for n in near if n < number], default=0), min([n for n in near if n > number], default=0)]
            found = {test for n in ends for test in lines.get(n, [])}
        else:
            found = {test for tests in lines.values() for test in tests}
        return sorted(found, key=lambda test: (self.seconds[test] + 0.3) * self.weight(name, test))

    def weight(self, name, test):
        """Small for a test that catches planted faults of the same file, or is of the same room."""
        return 1 if (name, test) in self.planted else 2 if test.startswith(name.split("/")[1] + "/") else 6


def fingerprint(root):
    """Of all that is built and run."""
    hashed = hashlib.sha256()
    for path in sorted(path for path in root.rglob("*") if path.is_file() and path.suffix != ".py"):
        hashed.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return hashed.hexdigest()


def fast_tests(root):
    names = []
    for path in sorted(root.glob("tests/*/test_*.*")):
        head = path.read_text(errors="replace")[:2000]
        if path.suffix in (".c", ".sh") and not re.search(r"^(//|#) labels:.*\bslow\b", head, re.MULTILINE):
            names.append(path.parent.name + "/" + path.stem[len("test_"):])
    return names


def watch(bench, test, longest):
    """(seconds of the processor, what gcov counted) of one test, or None if it fails or lasts longer."""
    with tempfile.TemporaryDirectory(prefix="reached-") as folder:
        counts = pathlib.Path(folder)
        passed, seconds = bench.test(test, counts / "nothing", longest,
                                     {"GCOV_PREFIX": folder, "GCOV_ERROR_FILE": "/dev/null"})
        counters = [str(path) for path in counts.rglob("*.gcda") if "flyball-objects" in str(path)]
        for path in counters:
            notes = path[:-len("gcda")] + "gcno"
            os.symlink(notes[len(folder):], notes)
        text = mutants.run(["gcov", "--json-format", "--stdout", *counters], folder) if passed and counters else ""
        return (seconds, [json.loads(line) for line in text.splitlines() if line]) if passed else None


def add(data, test, found):
    if not found:
        print("left out, it fails or lasts too long: " + test, flush=True)
        return
    data["seconds"][test] = found[0]
    for file in (file for part in found[1] for file in part["files"]):
        name = "src/" + file["file"].partition("source/src/")[2]
        lines = data["lines"].setdefault(name, {})
        for line in file["lines"]:
            tests = lines.setdefault(line["line_number"], [])
            if line["count"] and test not in tests[-1:]:
                tests.append(test)
        data["functions"][name] = [(f["start_line"], f["end_line"]) for f in file["functions"]]


def within(tests, seconds, patience):
    """The first tests, as many as run in so many seconds."""
    used = [sum(seconds[test] for test in tests[:k]) for k in range(len(tests))]
    return [test for test, before in zip(tests, used) if before < patience]


def judge(bench, reached, fault, patience):
    """(word, remark) for a fault, or None if it does not compile."""
    path, number, old, new = fault
    lines = path.read_text().split("\n")
    name = str(path.relative_to(bench.source))
    text = "\n".join(lines[:number] + [new] + lines[number + 1:])
    reaching = reached.tests(name, number + 1)
    tests = within(reaching, reached.seconds, patience)
    try:
        caught = bench.caught_by(path, text, tests, lambda test: 10 + 3 * reached.seconds[test])
        same = not caught and bench.same_code(path, text)
    except mutants.ListError:
        return None
    word = "caught" if caught else "SAME CODE" if same else "SURVIVED" if tests else "UNREACHED"
    by = f"by {caught}" if caught else f"{len(tests)} of {len(reaching)} tests that reach it"
    return word, f"{word} {name}:{number + 1} ({by})\n     - {old.strip()}\n     + {new.strip()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, help="so many faults")
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="faults side by side")
    parser.add_argument("--longest", type=float, default=600, help="seconds of the longest test that is used")
    parser.add_argument("--patience", type=float, default=1e9, help="seconds of tests that a fault gets at most")
    parser.add_argument("--folder", type=pathlib.Path, default=mutants.ROOT / "build-mutants", help="where to build")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    reached, bench = Reached(folder, arguments.jobs, arguments.longest), mutants.Bench(folder)
    bench.make(reached.seconds)
    bench.healthy = dict.fromkeys(reached.seconds, True)  # seen in the run with counters
    rng = random.Random(arguments.seed)
    files = sorted(bench.source.glob("src/*/*.c"))
    words = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        while len(words) < arguments.count:
            faults = [draw(rng, files) for _ in range(arguments.count - len(words))]
            verdicts = pool.map(lambda fault: judge(bench, reached, fault, arguments.patience), faults)
            for found in filter(None, verdicts):
                words.append(found[0])
                print(f"{len(words):4} {found[1]}", flush=True)
    print(", ".join(f"{words.count(word)} {word}" for word in sorted(set(words))))


if __name__ == "__main__":
    main()
