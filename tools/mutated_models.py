#!/usr/bin/env python3
"""Models that are damaged in thousands of ways, given to a program built with sanitizers.

    tools/mutated_models.py PROGRAM [--count 1000] [--first 0] [--jobs 1] [--keep FOLDER] [MODEL...]

Every model must end in an answer or a message: no signal, no finding of a sanitizer, no status that is not documented,
no failure without a word, nothing that takes the processor for more than ten seconds, or hangs. Number k always gives the same model, so that a
finding can be made again: --first k --count 1. Those with a finding are kept in FOLDER. A program to give it to:

    cmake -S . -B build-sanitizers -DFLYBALL_SANITIZE=address,undefined && cmake --build build-sanitizers
"""
import argparse
import concurrent.futures
import glob
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

LIMIT, PATIENCE = 10, 120  # seconds of the processor, and of the clock: others may be busy
NUMBERS = ["0", "-0", "1", "-1", "1e308", "-1e308", "1e-308", "5e-324", "1e999", "-1e999", "nan", "inf", "-inf", ".nan", ".inf",
           "1e16", "1e9", "2147483647", "2147483648", "-2147483648", "9223372036854775808", "0x10", "1_000", "1e", "--1",
           "0.1.2", "1/0", "sqrt(-1)", "t", "1e5*t", "10 GHz", "3 deg", "1 furlong", "1e-9", "1000000"]
WORDS = ["ground", "null", "~", "true", "[]", "{}", "''", "\"", "&a", "*a", "<<", "!!int", "!!binary", "---", "...", "- -",
         "? :", "|", ">", "%YAML 1.1", "\t", "\0", "\r", "\u2028", "\ufeff", "#", "include: /etc/passwd", "flyball: 2",
         "repeat: 1000000", "time", "x" * 300, "${a}", "\x1b[2J", "if(t>0,1,0)", "step(t)", "a.b.c.d", "revolute", "motion",
         "bodies:", "joints:", "forces:", "simulate:", "parameters:", "type: spherical", "at: [0, 0, 0]"]
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")
WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9.-]*")


def replace_one(rng, text, pattern, choices):
    found = list(pattern.finditer(text))
    if not found:
        return text
    at = rng.choice(found)
    return text[:at.start()] + rng.choice(choices) + text[at.end():]


def change_byte(rng, text):
    if not text:
        return text
    at = rng.randrange(len(text))
    return text[:at] + rng.choice([chr(rng.randrange(256)), "", text[at] * 2, "\U0001f600"]) + text[at + 1:]


def change_number(rng, text):
    return replace_one(rng, text, NUMBER, NUMBERS)


def scale_number(rng, text):
    found = list(NUMBER.finditer(text))
    if not found:
        return text
    at = rng.choice(found)
    value = float(at.group()) * rng.choice([-1, 0, 1e-12, 1e-3, 10, 1e3, 1e6, 1e12, 1.0000001])
    return text[:at.start()] + "%.17g" % value + text[at.end():]


def change_word(rng, text):
    return replace_one(rng, text, WORD, WORDS + WORD.findall(text)[:200])


def swap_lines(rng, text):
    lines = text.split("\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return "\n".join(lines)


def drop_line(rng, text):
    lines = text.split("\n")
    del lines[rng.randrange(len(lines))]
    return "\n".join(lines)


def double_lines(rng, text):
    lines = text.split("\n")
    a = rng.randrange(len(lines))
    b = min(len(lines), a + rng.randrange(1, 6))
    return "\n".join(lines[:b] + lines[a:b] + lines[b:])


def indent_line(rng, text):
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    lines[at] = rng.choice(["  " + lines[at], lines[at][2:], "\t" + lines[at], "- " + lines[at]])
    return "\n".join(lines)


def nest(rng, text):
    depth = rng.choice([5, 70, 300, 5000])
    opening, closing = rng.choice([("[", "]"), ("{a: ", "}"), ("(", ")"), ("sin(", ")"), ("-", ""), ("- ", "")])
    return replace_one(rng, text, NUMBER, [opening * depth + "1" + closing * depth])


def cut(rng, text):
    return text[:rng.randrange(len(text) + 1)]


def repeat(rng, text):
    return replace_one(rng, text, WORD, ["x" * 5000, "a, " * 3000])


CHANGES = [(change_byte, 4), (change_number, 8), (scale_number, 6), (change_word, 6), (swap_lines, 2), (drop_line, 3),
           (double_lines, 2), (indent_line, 2), (nest, 1), (cut, 1), (repeat, 1)]


def mutate(number, models):
    rng = random.Random(number)
    text = models[rng.randrange(len(models))]
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        text = rng.choices([c for c, _ in CHANGES], [w for _, w in CHANGES])[0](rng, text)
    return text


def command_of(number, program, file, folder):
    """Most are run for a little while; the others are asked for something else."""
    out = os.path.join(folder, "out")
    run = [program, "run", file, "--out", out, "--end", "0.05", "--max-time", "4"]
    rest = [[program, "check", file], [program, "statics", file], [program, "modes", file],
            [program, "kinematics", file, "--out", out, "--end", "0.05"],
            [program, "view", file, "--out", out + ".html"]]
    return run if number % 2 == 0 else rest[number // 2 % len(rest)]


def judge(status, errors):
    """What is wrong with this end, None: nothing."""
    if "Sanitizer" in errors or "runtime error:" in errors:
        return "sanitizer"
    if status in (128 + signal.SIGXCPU, -signal.SIGKILL):
        return "more than %d s of the processor" % LIMIT
    if status not in (0, 1, 2):
        return "status %d" % status
    if status != 0 and not errors.strip():
        return "no message"
    return None


def limit_processor():
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 2))


def try_one(number, options, models):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "model.yaml")
        with open(file, "wb") as f:
            f.write(mutate(number, models).encode("utf-8", "surrogateescape"))
        command = command_of(number, options.program, file, folder)
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1:max_allocation_size_mb=2000",
                           UBSAN_OPTIONS="print_stacktrace=1", OPENBLAS_NUM_THREADS="1")
        try:
            end = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=PATIENCE, env=environment,
                                 cwd=folder, check=False, preexec_fn=limit_processor)
            found, errors = judge(end.returncode, end.stderr.decode("utf-8", "replace")), end.stderr.decode("utf-8", "replace")
        except subprocess.TimeoutExpired as late:
            found, errors = "more than %d s" % PATIENCE, (late.stderr or b"").decode("utf-8", "replace")
        if found and options.keep:
            shutil.copy(file, os.path.join(options.keep, "%d.yaml" % number))
        return number, found, command[1], errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    files = options.models or sorted(glob.glob(os.path.join(here, "examples", "*.yaml")))
    models = [open(f, encoding="utf-8").read() for f in files]
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    findings = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        numbers = range(options.first, options.first + options.count)
        for number, found, command, errors in pool.map(lambda k: try_one(k, options, models), numbers):
            if found:
                findings += 1
                print("%d (%s): %s\n%s" % (number, command, found, errors[-3000:]), flush=True)
    print("%d models, %d findings" % (options.count, findings))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
