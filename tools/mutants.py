#!/usr/bin/env python3
"""Plants faults in the source and expects a named test to catch each: a test that cannot fail is found out.

    tools/mutants.py [NAME...]        run all mutants of tests/mutants/list.txt, or those whose name contains a NAME
    tools/mutants.py --check          only see that every text is found exactly once and every test exists
    tools/mutants.py --self-test      try the reader on planted mistakes

The list is written by hand. A line of four or more '=' ends in the name of the next mutant; short texts stand on one
line, long ones under a line 'old' and 'new'. Lines before the first mutant, and '#' lines above 'old', are comments.

    ==== newmark-beta
    file: src/dae/method.c
    test: dae/method
    old: h * h * beta
    new: h * h * gamma

    ==== predictor without its last term
    file: src/dae/predict.c
    test: dae/predict
    ---- old
      sum += c[k];
      sum += d[k];
    ---- new
      sum += c[k];

The old text must occur exactly once in the file. Each mutant is built and its one test is run in a copy of the tree.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "mutants" / "list.txt"
KEYS = ("file", "test", "old", "new")
TIMEOUT = 120  # seconds for one test; a mutant that never ends is caught

Mutant = collections.namedtuple("Mutant", "name line file test old new")


class ListError(Exception):
    """The list cannot be read; says where and why."""


def read_list(text):
    """The mutants of a list."""
    mutants, fields, name, start, long_key = [], None, None, 0, None

    def finish():
        if fields is None:
            return
        for key in ("old", "new"):
            if isinstance(fields.get(key), list):
                fields[key] = "\n".join(fields[key]).rstrip("\n")
        missing = [key for key in KEYS if key not in fields]
        if missing:
            raise ListError("line %d: mutant '%s' has no %s" % (start, name, ", ".join(missing)))
        if fields["old"] == fields["new"] or not fields["old"].strip():
            raise ListError("line %d: mutant '%s' changes nothing" % (start, name))
        mutants.append(Mutant(name, start, **fields))

    for number, line in enumerate(text.splitlines(), 1):
        heading = re.match(r"={4,}\s*(.*?)\s*$", line)
        section = re.match(r"-{4,}\s*(old|new)\s*$", line)
        if heading:
            finish()
            fields, name, start, long_key = {}, heading.group(1), number, None
            if not name or name in [m.name for m in mutants]:
                raise ListError("line %d: a mutant needs a name of its own" % number)
        elif fields is None:
            continue
        elif section:
            long_key = section.group(1)
            if long_key in fields:
                raise ListError("line %d: '%s' is said twice" % (number, long_key))
            fields[long_key] = []
        elif long_key:
            fields[long_key].append(line)
        elif line.strip() and not line.startswith("#"):
            key, colon, value = line.partition(":")
            if not colon or key not in KEYS or key in fields:
                raise ListError("line %d: expected one of %s, once, followed by ':'" % (number, ", ".join(KEYS)))
            fields[key] = value.strip()
    finish()
    return mutants


def mutate(text, mutant):
    """The file's text with the fault planted, or a ListError."""
    count = text.count(mutant.old)
    if count != 1:
        raise ListError("its old text occurs %d times in %s, not once" % (count, mutant.file))
    return text.replace(mutant.old, mutant.new)


def test_file(root, test):
    """The source of a ctest name, or a ListError."""
    room, _, name = test.partition("/")
    for suffix in (".c", ".sh"):
        path = root / "tests" / room / ("test_" + name + suffix)
        if path.is_file():
            return path
    raise ListError("there is no test %s" % test)


def check(root, mutant):
    """Why a mutant cannot be tried, or None."""
    try:
        path = root / mutant.file
        if not path.is_file():
            raise ListError("there is no file %s" % mutant.file)
        mutate(path.read_text(encoding="utf-8"), mutant)
        test_file(root, mutant.test)
    except ListError as error:
        return str(error)
    return None


class Tree:
    """A copy of the source tree with its build folder, in which one mutant after another is tried."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder) / "source"
        self.build = pathlib.Path(folder) / "build"
        shutil.copytree(ROOT, self.root, symlinks=True, ignore=shutil.ignore_patterns("build", "build-*", ".git"))
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        # -O1 builds faster; a warning is no reason for a mutant to be caught.
        self.run(["cmake", "-S", self.root, "-B", self.build, *generator, "-DFLYBALL_TESTS=ON", "-DFLYBALL_WERROR=OFF",
                  "-DCMAKE_C_FLAGS_RELEASE=-O1"])

    @staticmethod
    def run(command):
        done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise ListError("does not build: " + " ".join(map(str, command)) + "\n" + done.stdout[-3000:])

    def make(self, tests):
        targets = set()
        for test in tests:
            script = test_file(self.root, test).suffix == ".sh"
            targets.add("flyball-program" if script else "test-" + test.replace("/", "-"))
        self.run(["cmake", "--build", self.build, "--target", *sorted(targets)])

    def passes(self, test):
        done = subprocess.run(
            ["ctest", "--test-dir", str(self.build), "--no-tests=error", "--timeout", str(TIMEOUT), "-R",
             "^" + re.escape(test) + "$"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if "No tests were found" in done.stdout:
            raise ListError("ctest knows no test " + test)
        return done.returncode == 0

    def try_mutant(self, mutant):
        """(caught, remark)"""
        path = self.root / mutant.file
        original = path.read_text(encoding="utf-8")
        started = time.monotonic()
        try:
            path.write_text(mutate(original, mutant), encoding="utf-8")
            self.make([mutant.test])
            caught = not self.passes(mutant.test)
            return caught, "%.1f s" % (time.monotonic() - started) if caught else "SURVIVED"
        except ListError as error:
            return False, str(error)
        finally:
            path.write_text(original, encoding="utf-8")


def run_all(mutants, jobs):
    """Tries the mutants, some trees side by side; prints the table; number of failures."""
    failures = 0
    width = max([len(m.name) for m in mutants] + [6])
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        trees = queue.Queue()
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            made = list(pool.map(lambda k: Tree(os.path.join(folder, str(k))), range(jobs)))
            tests = sorted({m.test for m in mutants})
            list(pool.map(lambda tree: tree.make(tests), made))
            healthy = list(pool.map(lambda k: made[k % jobs].passes(tests[k]), range(len(tests))))
            sick = [test for test, passed in zip(tests, healthy) if not passed]
            if sick:
                raise ListError("fails without any mutant: " + ", ".join(sick))
            for tree in made:
                trees.put(tree)

            def work(mutant):
                tree = trees.get()
                try:
                    return tree.try_mutant(mutant)
                finally:
                    trees.put(tree)

            print("%-*s  caught by" % (width, "mutant"), flush=True)
            for mutant, (caught, remark) in zip(mutants, pool.map(work, mutants)):
                failures += not caught
                print("%-*s  %s (%s)" % (width, mutant.name, mutant.test if caught else "NOT CAUGHT by " + mutant.test,
                                         remark), flush=True)
    return failures


GOOD = """notes
==== one
# why
file: a.c
test: dae/a
old: x + y
new: x - y

==== two words
file: a.c
test: dae/a
---- old
  a;
  b;
---- new
  a;

"""
BAD = {
    "no new": "==== a\nfile: f\ntest: t\nold: x\n",
    "changes nothing": "==== a\nfile: f\ntest: t\nold: x\nnew: x\n",
    "name of its own": GOOD + "==== one\n",
    "expected one of": "==== a\nfiles: f\n",
    "said twice": "==== a\n---- old\n---- old\n",
}


def self_test():
    failures = []
    one, two = read_list(GOOD)
    if (one.old, one.new, one.test) != ("x + y", "x - y", "dae/a"):
        failures.append("short form: %s" % (one,))
    if (two.name, two.old, two.new) != ("two words", "  a;\n  b;", "  a;"):
        failures.append("long form: %s" % (two,))
    for expected, text in BAD.items():
        try:
            read_list(text)
            failures.append("accepted: " + expected)
        except ListError as error:
            if expected not in str(error):
                failures.append("expected '%s', got '%s'" % (expected, error))
    for text in ("none", "x + y; x + y"):
        try:
            mutate(text, one)
            failures.append("planted in '%s'" % text)
        except ListError:
            pass
    for failure in failures:
        print("self-test: " + failure)
    print("%d passed, %d failed" % (len(BAD) + 4 - len(failures), len(failures)))
    return len(failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only mutants whose name contains it")
    parser.add_argument("--check", action="store_true", help="only check the list against the source")
    parser.add_argument("--self-test", action="store_true", help="check the reader of the list")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth mutant")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="trees side by side")
    parser.add_argument("--list", type=pathlib.Path, default=LIST, help="the list of mutants")
    arguments = parser.parse_args()
    if arguments.self_test:
        return 1 if self_test() else 0
    if not arguments.list.is_file():
        print("there is no %s" % arguments.list)
        return 1
    try:
        mutants = read_list(arguments.list.read_text(encoding="utf-8"))
        mutants = [m for m in mutants if not arguments.names or any(n in m.name for n in arguments.names)]
        mutants = mutants[:: max(1, arguments.every)]
        bad = [(m, reason) for m in mutants for reason in [check(ROOT, m)] if reason]
        for mutant, reason in bad:
            print("%s:%d: %s: %s" % (arguments.list.name, mutant.line, mutant.name, reason))
        if bad or arguments.check:
            failures = len(bad)
        else:
            failures = run_all(mutants, arguments.jobs) if mutants else 0
    except ListError as error:
        print("mutants: %s" % error)
        return 1
    print("%d passed, %d failed" % (len(mutants) - failures, failures))
    return 1 if failures or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())
