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

The old text must occur exactly once in the file. The tree is copied and built once, into build-mutants; a mutant
costs the object of its file and the link and the run of its one test.
"""
import argparse
import collections
import concurrent.futures
import filecmp
import json
import math
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "mutants" / "list.txt"
KEYS = ("file", "test", "old", "new")
TIMEOUT = 120  # seconds for one test; a mutant that never ends is caught
MEMORY = 8 << 20  # kilobytes for one test
FIRST_INCLUDE = re.compile(r"^#include .*$", re.M)
SONAME = re.compile(r"-soname,(\S+)")
LINKED = re.compile(r" -o (?:tests/)?(test-[\w-]+|libflyball\.so|flyball)(?:[.\d]*) ")

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


class Bench:
    """A copy of the tree, built once. A fault then costs the object of its file and a link of each test it is tried by:
    the changed object stands on the command line before the library, which so keeps its own at home."""

    def __init__(self, folder, name="plain", flags="-O1"):  # -O1 builds faster
        self.source, self.build, self.healthy = folder / "source", folder / name, {}
        copy_tree(self.source)
        # A warning is no reason for a mutant to be caught.
        run(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DFLYBALL_TESTS=ON", "-DFLYBALL_WERROR=OFF",
             "-DCMAKE_C_FLAGS_RELEASE=" + flags])
        commands = json.loads((self.build / "compile_commands.json").read_text())
        self.compile = {entry["file"]: entry for entry in commands}

    def make(self, tests):
        targets = {target(self.source, test) for test in tests}
        run(["cmake", "--build", self.build, "-j2", "--target", "flyball-program", *sorted(targets)])
        lines = run(["ninja", "-C", self.build, "-t", "commands", "flyball-program", *sorted(targets)]).splitlines()
        outputs = [(LINKED.search(line), line) for line in lines]
        self.link = {found.group(1): line for found, line in outputs if found}

    def test(self, test, lab, seconds=TIMEOUT, extra=None):
        """Whether a test passes, and the seconds of a processor it took, of which it may use so many."""
        if target(self.source, test) == "flyball-program":
            program = lab / "flyball"
            program = program if program.exists() else self.build / "flyball"
            command = ["bash", test_file(self.source, test), program, self.source]
        else:
            program = lab / target(self.source, test)
            command = [program if program.exists() else self.build / "tests" / program.name]
        limited = ["bash", "-c", 'ulimit -t %d -v %d; exec "$@"' % (math.ceil(seconds), MEMORY), "-", *command]
        environment = dict(os.environ, LD_LIBRARY_PATH="%s:%s" % (lab, self.build), **(extra or {}))
        child = subprocess.Popen(limited, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
                                 cwd=self.build / "tests", start_new_session=True)
        patience = threading.Timer(60 + 20 * seconds, os.killpg, (child.pid, signal.SIGKILL))
        patience.start()
        _, status, usage = os.wait4(child.pid, 0)
        patience.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        return child.returncode == 0, usage.ru_utime + usage.ru_stime

    def passes_unharmed(self, test, lab, seconds):
        if test not in self.healthy:
            self.healthy[test] = self.test(test, lab / "nothing", seconds)[0]
        return self.healthy[test]

    def compile_text(self, file, text, lab):
        """The object of a text in the place of a file."""
        entry = self.compile[str(file)]
        (lab / "mutant.c").write_text(text, encoding="utf-8")
        command = [str(lab / "mutant.c") if word == entry["file"] else word for word in shlex.split(entry["command"])]
        place = command.index("-o") + 1
        original, command[place] = command[place], str(lab / "mutant.o")
        run(command, entry["directory"])
        return command[place], original

    def same_code(self, file, text):
        """Whether the compiler makes the same of a changed text."""
        with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
            lab, objects = pathlib.Path(folder), []
            for one in (text, file.read_text(encoding="utf-8")):
                objects.append(pathlib.Path(self.compile_text(file, one, lab)[0]).read_bytes())
        return objects[0] == objects[1]

    def link_test(self, name, mutant, original, lab):
        """Links what a test runs, with the changed object: the program itself, if that is of it, or the library."""
        if name == "flyball-program" and " " + original + " " in self.link["flyball"]:
            line = self.link["flyball"].replace(" " + original + " ", " " + mutant + " ")
            run(["sh", "-c", re.sub(r" -o \S+", " -o %s/flyball" % lab, line)], self.build)
        elif name == "flyball-program" or name.startswith("test-cli-"):
            line = self.link["libflyball.so"].replace(" " + original + " ", " " + mutant + " ")
            run(["sh", "-c", re.sub(r" -o \S+", " -o %s/%s" % (lab, SONAME.search(line).group(1)), line)], self.build)
        if name != "flyball-program":
            line = self.link[name].replace(" libflyball.a ", " %s libflyball.a " % mutant)
            run(["sh", "-c", re.sub(r" -o \S+", " -o %s/%s" % (lab, name), line)], self.build)

    def caught_by(self, file, text, tests, seconds=lambda test: TIMEOUT):
        """The first test that fails with the file's text changed, or None; a ListError if it does not compile."""
        with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
            lab = pathlib.Path(folder)
            mutant, original = self.compile_text(file, text, lab)
            for test in tests:
                self.link_test(target(self.source, test), mutant, original, lab)
                if not self.test(test, lab, seconds(test))[0]:
                    if self.passes_unharmed(test, lab, seconds(test)):
                        return test
                    print("fails without any mutant: " + test, flush=True)
                (lab / target(self.source, test)).unlink(missing_ok=True)
        return None

    def users_of(self, header):
        """Files of the library that include a header, themselves or by another."""
        users, one = set(), None
        for line in run(["ninja", "-C", self.build, "-t", "deps"]).splitlines():
            if not line.startswith(" "):
                one = None
            elif one is None:
                one = (self.build / line.strip()).resolve()
            elif (self.build / line.strip()).resolve() == header.resolve():
                users.add(one)
        return sorted(user for user in users if user.suffix == ".c" and self.source.resolve() / "src" in user.parents)

    def planted(self, mutant):
        """Files that are compiled, one at a time, and their texts with the fault planted. That of a header stands in each
        file that includes it, before the header itself, whose guard then keeps it out; parts are bytes in a file of C."""
        path = self.source / mutant.file
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".c":
            yield path, mutate(text, mutant)
        elif path.suffix == ".h":
            name = path.relative_to(self.source / "src")
            for one in self.users_of(path):
                whole, include = one.read_text(encoding="utf-8"), '#include "%s"' % name
                first = include if include in whole else FIRST_INCLUDE.search(whole).group()
                kept = "" if first == include else "\n" + first
                yield one, whole.replace(first, mutate(text, mutant) + kept, 1)
        else:
            parts = self.build / "parts.c"
            yield parts, parts.read_text().replace(c_bytes(text), c_bytes(mutate(text, mutant)))

    def try_mutant(self, mutant):
        """(caught, remark)"""
        started = time.monotonic()
        try:
            caught = any(self.caught_by(file, text, [mutant.test]) is not None for file, text in self.planted(mutant))
            return caught, "%.1f s" % (time.monotonic() - started) if caught else "SURVIVED"
        except ListError as error:
            return False, str(error)


def run(command, folder=None):
    """What a command prints, or a ListError."""
    done = subprocess.run([str(c) for c in command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode:
        raise ListError("does not build: " + " ".join(map(str, command))[:500] + "\n" + done.stdout[-3000:])
    return done.stdout


def copy_tree(folder):
    """Copies what git knows or would take; files that are alike stay, with their times."""
    names = set(run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"]).splitlines())
    for name in names:
        old, new = ROOT / name, folder / name
        if old.is_file() and not (new.is_file() and filecmp.cmp(old, new, shallow=False)):
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(old, new)
    for path in folder.rglob("*"):
        if path.is_file() and not (ROOT / path.relative_to(folder)).is_file():
            path.unlink()


def target(root, test):
    """What is built for a test."""
    return "flyball-program" if test_file(root, test).suffix == ".sh" else "test-" + test.replace("/", "-")


def c_bytes(text):
    return "".join("0x%02x," % byte for byte in text.encode())


def run_all(mutants, bench, jobs):
    """Tries the mutants, some side by side; prints the table; number of failures."""
    failures = 0
    width = max([len(m.name) for m in mutants] + [6])
    bench.make({m.test for m in mutants})
    print("%-*s  caught by" % (width, "mutant"), flush=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for mutant, (caught, remark) in zip(mutants, pool.map(bench.try_mutant, mutants)):
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
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="mutants side by side")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build-mutants", help="where to build")
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
            failures = run_all(mutants, Bench(arguments.folder.resolve()), arguments.jobs) if mutants else 0
    except ListError as error:
        print("mutants: %s" % error)
        return 1
    print("%d passed, %d failed" % (len(mutants) - failures, failures))
    return 1 if failures or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())
