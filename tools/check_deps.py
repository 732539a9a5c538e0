#!/usr/bin/env python3
"""Who may include whom. The table of rooms (docs: "The house") lives here; a forbidden #include fails the build.

    tools/check_deps.py               check the tree; prints file:line of each violation
    tools/check_deps.py --self-test   plant violations in a scratch tree and see each of them found
    tools/check_deps.py --table       print the table
"""
import argparse
import os
import pathlib
import re
import sys
import tempfile

# room -> rooms it may include directly. Nothing is transitive; a room always includes itself.
ROOMS = {
    "base": "",
    "math": "base",
    "sparse": "base",
    "expr": "base math",
    "dae": "base math sparse",
    "geometry": "base math",
    "element": "base math geometry",
    "model": "base math geometry expr element",
    "system": "base math expr element model dae sparse",
    "result": "base",
    "analysis": "base math sparse model system dae result",
    "fem": "base math sparse result",
    "io": "base math expr element model result",
    "report": "base result",
}
ROOMS = {room: set(allowed.split()) for room, allowed in ROOMS.items()}

# Each public header speaks for one room: to include it from src is to include that room. A public header that speaks
# for all of them is for users.
PUBLIC = {"status.h": "base", "json.h": "base", "profile.h": "base", "words.h": "base", "dae.h": "dae", "ode.h": "dae", "promise.h": "dae", "soft.h": "dae", "model.h": "model",
          "modes.h": "analysis", "run.h": "analysis", "spec.h": "io", "plugin.h": "model",
          "result.h": "result", "report.h": "report", "reduce.h": "fem", "flyball.h": None}

C_LIBRARY = set(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic "
    "stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype".split()
)
PURE_C = set("assert complex float limits math stdbool stddef stdint string".split())  # no files, no memory
POSIX = set("dirent dlfcn fcntl langinfo malloc pthread sched unistd sys/ioctl sys/file sys/mman sys/resource sys/stat sys/statvfs sys/time sys/types sys/wait".split())

# Libraries of others, and the only rooms that know them.
OTHERS = {
    "suitesparse": {"sparse"},
    "xmmintrin": {"base"},
    "cblas": {"sparse"},
    "lapacke": {"sparse"},
    "hdf5": {"result", "tests"},
    "zlib": {"result"},
    "libfyaml": {"io"},
    "sundials": {"dae", "bench"},
    "ida": {"dae", "bench"},
    "nvector": {"dae", "bench"},
    "sunlinsol": {"dae", "bench"},
    "sunmatrix": {"dae", "bench"},
    "mujoco": {"bench"},
    "ode": {"bench"},
    "cmocka": {"tests"},
    "ccd": {"tests"},
    "dlfcn": {"tests"},
    "execinfo": {"tests"},
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:(<)([^>]*)>|"([^"]*)"|(.*))')


def area_of(path):
    """The room or folder that owns a file: 'dae' for src/dae/x.c, 'tests' for tests/dae/test_x.c."""
    return path.parts[1] if path.parts[0] == "src" else path.parts[0]


def resolve(root, path, target):
    """The file of the tree that an include names, relative to root, or None if it is not one of ours."""
    for base in (path.parent, pathlib.Path("include"), pathlib.Path("src"), pathlib.Path("."), pathlib.Path("problems"),
                 pathlib.Path("tests")):
        if (root / base / target).is_file():
            return pathlib.Path(os.path.normpath(base / target))
    return None


def check_system(area, target):
    """Why a header outside the tree may not be included from this area, or None."""
    name = target[:-2] if target.endswith(".h") else target
    if name in C_LIBRARY:
        if area == "math" and name not in PURE_C:
            return "math is pure functions: no files, no memory"
        return None
    if name in POSIX:
        return None if area in {"base", "cli", "tests", "bench", "fuzz"} else "platform code lives in base"
    owners = OTHERS.get(name) or OTHERS.get(name.split("/")[0])
    if owners is None:
        return "an unknown library: name its room in tools/check_deps.py"
    return None if area in owners else "only " + ", ".join(sorted(owners)) + " may know it"


def check_public(area, name):
    """Why a room of src may not include flyball/<name>, or None."""
    if name not in PUBLIC:
        return "a new public header: name its room in tools/check_deps.py"
    room = PUBLIC[name]
    if room is None:
        return "flyball/%s is for users; include what you need" % name
    if room != area and room not in ROOMS[area]:
        return "it belongs to %s, which %s may not include" % (room, area)
    return None


def check_project(area, found):
    """Why a file of the tree may not be included from this area, or None."""
    owner = area_of(found)
    if found.suffix != ".h":
        return "only headers are included"
    if area in ROOMS:
        if owner == "include":
            return check_public(area, found.name)
        if owner == area or owner in ROOMS[area]:
            return None
        if owner in ROOMS:
            return "%s may include %s" % (area, ", ".join(sorted(ROOMS[area])) or "the C library only")
        return "src does not know %s" % owner
    if owner == area or owner == "include":
        return None
    if owner == "problems":
        if area in {"cli", "bench", "fuzz"} and found.name not in {"problems.h", "reference.h"}:
            return "of the problems only problems.h and reference.h are visible"
        return None if area in {"cli", "tests", "bench", "fuzz"} else "%s does not know the problems" % area
    if owner in ROOMS:
        return None if area in {"tests", "fuzz"} else "%s sees public headers only" % area
    return "%s does not know %s" % (area, owner)


def check_include(root, path, line):
    """One line of a file: (reason or None, included file of the tree or None)."""
    match = INCLUDE.match(line)
    if not match:
        return None, None
    angle, target = match.group(1), match.group(2) or match.group(3)
    if target is None:
        return "an include that is a macro cannot be checked", None
    area = area_of(path)
    if target.startswith("/") or (".." in pathlib.PurePosixPath(target).parts and area != "tests"):
        return "say room/file.h, not a path", None
    found = resolve(root, path, target)
    if found is None or (angle and found.parts[0] != "include"):
        return check_system(area, target), None
    if target.startswith("src/"):
        return "say room/file.h, not src/room/file.h", None
    return check_project(area, found), found


def files(root):
    for folder in ("include", "src", "problems", "cli", "tests", "bench", "fuzz", "examples"):
        for path in sorted((root / folder).rglob("*.[ch]")):
            relative = path.relative_to(root)
            if relative.parts[:2] != ("tests", "package"):  # a stranger's code
                yield relative


def without_block_comments(text):
    return re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)


def cycles(graph):
    """Cycles of a graph {node: [(neighbour, where)]}, as lists of nodes."""
    state, stack, found = {}, [], []

    def visit(node):
        state[node] = "open"
        stack.append(node)
        for neighbour in graph.get(node, []):
            if state.get(neighbour) == "open":
                found.append(stack[stack.index(neighbour):] + [neighbour])
            elif neighbour not in state:
                visit(neighbour)
        stack.pop()
        state[node] = "done"

    for node in sorted(graph):
        if node not in state:
            visit(node)
    return found


def check(root):
    """All violations in a tree, as lines of text, and the number of files read."""
    problems, graph, count = [], {}, 0
    for path in files(root):
        count += 1
        if path.parts[0] == "src" and (len(path.parts) != 3 or path.parts[1] not in ROOMS):
            problems.append("%s:1: not in a room of the table" % path)
            continue
        text = without_block_comments((root / path).read_text(encoding="utf-8"))
        for number, line in enumerate(text.splitlines(), 1):
            reason, found = check_include(root, path, line)
            if reason:
                problems.append("%s:%d: %s (%s)" % (path, number, line.strip(), reason))
            elif found:
                graph.setdefault(path, []).append(found)
    for cycle in cycles(graph):
        problems.append("%s:1: include cycle %s" % (cycle[0], " -> ".join(map(str, cycle))))
    return problems, count


# Planted in a scratch tree: path, include line, and a piece of the message, or None where it is allowed.
PLANTED = [
    ("src/base/a.c", "#include <stdlib.h>", None),
    ("src/base/a.c", '#include "base/own.h"', None),
    ("src/base/a.c", '#include "own.h"', None),
    ("src/base/a.c", '#include "flyball/status.h"', None),
    ("src/base/a.c", '#include "math/own.h"', "C library only"),
    ("src/base/a.c", "#include <suitesparse/klu.h>", "only sparse"),
    ("src/math/a.c", "#include <stdio.h>", "pure functions"),
    ("src/math/a.c", "#include <unistd.h>", "platform"),
    ("src/math/a.c", '#include "sparse/own.h"', "math may include base"),
    ("src/sparse/a.c", "#include <suitesparse/klu.h>", None),
    ("src/sparse/a.c", '#include "math/own.h"', "sparse may include base"),
    ("src/sparse/a.c", '#include "flyball/dae.h"', "belongs to dae"),
    ("src/dae/a.c", '#include "sparse/own.h"', None),
    ("src/dae/a.c", '#include "flyball/dae.h"', None),
    ("src/dae/a.c", '#include "flyball/flyball.h"', "for users"),
    ("src/dae/a.c", '#include "flyball/secret.h"', "new public header"),
    ("src/dae/a.c", "#include <flyball/dae.h>", None),
    ("src/dae/a.c", '  #  include "element/own.h"', "dae may include"),
    ("src/dae/a.c", '#include "model/own.h"', "dae may include"),
    ("src/dae/a.c", '#include "../model/own.h"', "not a path"),
    ("src/dae/a.c", '#include "src/sparse/own.h"', "not src/"),
    ("src/dae/a.c", '#include "problems/problems.h"', "does not know problems"),
    ("src/dae/a.c", '#include "own.c"', "only headers"),
    ("src/dae/a.c", "#include HEADER", "macro"),
    ("src/dae/a.c", "#include <strange.h>", "unknown library"),
    ("src/dae/a.c", "/* #include <strange.h> */ // #include <strange.h>", None),
    ("src/element/a.c", '#include "model/own.h"', "element may include"),
    ("src/model/a.c", '#include "dae/own.h"', "model may include"),
    ("src/system/a.c", '#include "dae/own.h"', None),
    ("src/io/a.c", '#include "dae/own.h"', "io may include"),
    ("src/report/a.c", '#include "model/own.h"', "report may include"),
    ("src/attic/a.c", "#include <math.h>", "not in a room"),
    ("src/loose.c", "#include <math.h>", "not in a room"),
    ("include/flyball/a.h", '#include "flyball/status.h"', None),
    ("include/flyball/a.h", '#include "base/own.h"', "public headers only"),
    ("problems/a.c", '#include "flyball/dae.h"', None),
    ("problems/a.c", '#include "problems.h"', None),
    ("problems/a.c", '#include "base/own.h"', "public headers only"),
    ("problems/a.c", "#include <unistd.h>", "platform"),
    ("cli/a.c", '#include "problems/problems.h"', None),
    ("cli/a.c", '#include "own.h"', None),
    ("cli/a.c", '#include "problems/own.h"', "only problems.h and reference.h"),
    ("cli/a.c", '#include "dae/own.h"', "public headers only"),
    ("tests/dae/test_a.c", '#include "dae/own.h"', None),
    ("tests/dae/test_a.c", '#include "problems/problems.h"', None),
    ("tests/dae/test_a.c", "#include <cmocka.h>", None),
    ("tests/dae/test_a.c", '#include "../base/test_a.h"', None),
    ("tests/dae/test_a.c", '#include "cli/own.h"', "tests does not know cli"),
    ("tests/dae/test_a.c", '#include "../../cli/own.h"', "tests does not know cli"),
    ("examples/a.c", '#include "flyball/flyball.h"', None),
    ("examples/a.c", '#include "problems/problems.h"', "does not know the problems"),
    ("src/math/loop.h", '#include "math/own.h"', "include cycle"),
]


def scratch_tree(root):
    """A tree with one empty header own.h in each place; src/math/own.h includes loop.h if that exists."""
    for place in ["src/" + room for room in ROOMS] + ["problems", "cli"]:
        (root / place).mkdir(parents=True)
        (root / place / "own.h").touch()
    (root / "src/dae/own.c").touch()
    (root / "tests/base").mkdir(parents=True)
    (root / "tests/base/test_a.h").touch()
    (root / "problems/problems.h").touch()
    (root / "include/flyball").mkdir(parents=True)
    for name in list(PUBLIC) + ["secret.h"]:
        (root / "include/flyball" / name).touch()
    (root / "src/math/own.h").write_text('#include "math/loop.h"\n')
    (root / "src/math/loop.h").touch()


def self_test():
    failures = []
    if cycles(ROOMS):
        failures.append("the table itself has a cycle: %s" % cycles(ROOMS))
    for room, allowed in ROOMS.items():
        if not allowed <= set(ROOMS):
            failures.append("%s may include an unknown room" % room)
    for place, line, expected in PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            scratch_tree(root)
            (root / place).parent.mkdir(parents=True, exist_ok=True)
            (root / place).write_text("// first line\n" + line + "\n")
            found, _ = check(root)
        ok = not found if expected is None else len(found) == 1 and expected in found[0]
        if ok and expected not in (None, "not in a room", "include cycle"):
            ok = found[0].startswith(place + ":2: ")
        if not ok:
            failures.append("%s with %s: expected %s, got %s" % (place, line, expected or "nothing", found or "nothing"))
    for failure in failures:
        print("self-test: " + failure)
    print("%d passed, %d failed" % (len(PLANTED) + 1 - len(failures), len(failures)))
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description="check which room includes which")
    parser.add_argument("--self-test", action="store_true", help="plant violations and see them found")
    parser.add_argument("--table", action="store_true", help="print the table of rooms")
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    if arguments.table:
        for room, allowed in ROOMS.items():
            print("%-10s %s" % (room, " ".join(sorted(allowed))))
        return 0
    problems, count = check(arguments.root)
    for problem in problems:
        print(problem)
    if not problems:
        print("%d files, %d rooms: every include is allowed" % (count, len(ROOMS)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
