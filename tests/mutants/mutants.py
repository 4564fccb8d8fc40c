#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks the kernels one line at a time, and runs the tests that should notice (docs/contributing.md).

All mutants of mutants.txt are built once, into a copy of the source in which each place asks at run time whether its
mutant is on (mutants.hpp). Tests are first run with none on, to see that they pass, how long each takes and which
mutants it meets; then each mutant is on in turn, and the tests that meet it run, the shortest first, until one fails.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ROOMS = ["src/team", "src/tile", "src/launch", "src/blas", "src/c", "backends/openmp", "backends/portable",
         "backends/cuda"]
KINDS = {"guard", "barrier", "operand", "block end", "fma", "epilogue", "plan", "argument", "index", "sync"}
COPIED = ["CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE", ".ci", "src", "backends", "tests", "perf",
          "docs"]
# Where a program's devices are there, and what is put behind it there.
STARTS = {"tests/main.cpp": "const Kokkos::ScopeGuard kokkos;"}
TESTS = "tests/CMakeLists.txt"
# What is added there: tests take a third less time to compile so (Abax itself is compiled as ever), and some can be
# left out.
FASTER = ("include(catch2.cmake)", 'string(REPLACE "-O3" "-O1" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")')
FEWER = ("file(GLOB sources CONFIGURE_DEPENDS *.cpp)", 'list(FILTER sources INCLUDE REGEX "/(%s)\\\\.cpp$")')


class Mutant:
    def __init__(self, number, kind, file):
        self.number, self.kind, self.file = number, kind, file
        self.inside = self.was = self.now = self.equivalent = self.needs = self.on = None

    @property
    def backend(self):
        return self.on or ("cuda" if self.file.startswith("backends/cuda/") else "openmp")

    @property
    def room(self):
        return next(room for room in ROOMS if self.file.startswith(room + "/"))

    def text(self):
        return f"{self.number:4} {self.file}: {self.kind}: {self.was!r} -> {self.now!r}"


def read_list(path):
    """The mutants of a list: a line with a file, below it "NUMBER KIND", below that "in", "was", "now" and others."""
    mutants, file, mutant, key = [], None, None, None
    names = {"in": "inside", "was": "was", "now": "now", "equivalent": "equivalent", "needs": "needs", "on": "on"}
    for at, line in enumerate(path.read_text().split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            file, mutant = line.strip(), None
        elif match := re.fullmatch(r"  (\d+) ([a-z ]+)", line):
            mutant = Mutant(int(match[1]), match[2], file)
            mutants.append(mutant)
        elif match := re.fullmatch(r"    ([a-z]+)(?: +(.*))?", line):
            if mutant is None or match[1] not in names:
                raise ValueError(f"{path.name}:{at}: {line.strip()!r} is no part of a mutant")
            key = names[match[1]]
            setattr(mutant, key, match[2] or "")
        elif line.startswith("      ") and mutant is not None and key is not None:
            setattr(mutant, key, getattr(mutant, key) + " " + line.strip())
        else:
            raise ValueError(f"{path.name}:{at}: {line.strip()!r} is not understood")
    return mutants


def spans_of(text, fragment):
    """Where a fragment stands in a text; a space in it stands for any that there is."""
    pattern = r"\s+".join(re.escape(word) for word in fragment.split())
    return [match.span() for match in re.finditer(pattern, text)]


def place_of(mutant, text):
    """The one span of what the mutant replaces."""
    begin, end = 0, len(text)
    if mutant.inside:
        around = spans_of(text, mutant.inside)
        if len(around) != 1:
            raise ValueError(f"{mutant.file} has {mutant.inside!r} {len(around)} times, not once")
        begin, end = around[0]
    found = [(b + begin, e + begin) for b, e in spans_of(text[begin:end], mutant.was)]
    if len(found) != 1:
        where = repr(mutant.inside) if mutant.inside else mutant.file
        raise ValueError(f"{where} has {mutant.was!r} {len(found)} times, not once")
    return found[0]


def fault_of_place(mutant, before):
    """Why what the mutant replaces cannot be chosen at run time."""
    code = re.sub(r"//[^\n]*|^#[^\n]*", "", before[-1000:], flags=re.MULTILINE).rstrip()
    if mutant.was.endswith(";"):
        if mutant.now and not mutant.now.endswith((";", "}")):
            return "it replaces statements by what is none"
        if not code.endswith((";", "{", "}", ")", "else")):
            return "it begins amid a statement"
    elif mutant.was.startswith("{") or not mutant.now:
        return "it replaces what is no expression, or by none"
    return None


def faults_of(mutants, root):
    """What is wrong with a list."""
    faults, numbers = [], set()
    texts, taken = {}, {}
    for mutant in mutants:
        def wrong(what, mutant=mutant):
            faults.append(f"mutant {mutant.number}: {what}")
        if mutant.number in numbers or not 0 < mutant.number < 1024:
            wrong("its number is taken, or not between 1 and 1023")
        numbers.add(mutant.number)
        if mutant.kind not in KINDS:
            wrong(f"{mutant.kind!r} is no kind of mutant")
        if not mutant.was or mutant.now is None or mutant.was == mutant.now:
            wrong("it changes nothing")
            continue
        if not any(mutant.file.startswith(room + "/") for room in ROOMS):
            wrong(f"{mutant.file} is in no room that holds kernels")
            continue
        path = root / mutant.file
        if not path.is_file():
            wrong(f"{mutant.file} is not there")
            continue
        text = texts.setdefault(mutant.file, path.read_text())
        try:
            span = place_of(mutant, text)
        except ValueError as error:
            wrong(str(error))
            continue
        if what := fault_of_place(mutant, text[: span[0]]):
            wrong(what)
        for other, number in taken.setdefault(mutant.file, {}).items():
            if other != span and other[0] < span[1] and span[0] < other[1]:
                wrong(f"it overlaps mutant {number}")
        taken[mutant.file][span] = mutant.number
    return faults


def mutated(text, mutants):
    """A file's text in which each mutant can be on; lines keep their numbers."""
    by_span = {}
    for mutant in mutants:
        by_span.setdefault(place_of(mutant, text), []).append(mutant)
    for (begin, end), here in sorted(by_span.items(), reverse=True):
        was = text[begin:end]
        if was.rstrip().endswith(";"):  # statements
            choices = "".join(f"if (::abax_mutants::on({m.number})) {{ {m.now} }} else " for m in here)
            new = f"{{ {choices}{{ {was} }} }}"
        else:  # an expression
            new = f"({''.join(f'::abax_mutants::on({m.number}) ? ({m.now}) : ' for m in here)}({was}))"
        text = text[:begin] + new + text[end:]
    return text


def write(path, text):
    """Writes a file unless it is that already, so that builds have nothing to do."""
    if path.is_file() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def copy_source(mutants, source, test_sources):
    """The source with all mutants in it, and of the test program's sources those that are named, or all."""
    by_file = {}
    for mutant in mutants:
        by_file.setdefault(mutant.file, []).append(mutant)
    include = f'#include "{source}/tests/mutants/mutants.hpp"  '  # before the comment that is each file's first line
    kept = set()
    for name in COPIED:
        start = ROOT / name
        for path in [start] if start.is_file() else sorted(start.rglob("*")):
            if not path.is_file() or "__pycache__" in path.parts:
                continue
            relative = path.relative_to(ROOT)
            to = source / relative
            kept.add(to)
            if str(relative) in by_file:
                write(to, include + mutated(path.read_text(), by_file[str(relative)]))
            elif str(relative) in STARTS:
                mark = STARTS[str(relative)]
                text = path.read_text()
                if text.count(mark) != 1:
                    raise SystemExit(f"mutants: {relative} has {mark!r} not once")
                write(to, include + text.replace(mark, mark + " ::abax_mutants::start_devices();"))
            elif str(relative) == TESTS:
                text = path.read_text()
                fewer = "|".join(["main", "mutants_listener", *test_sources])
                for mark, line in [FASTER, (FEWER[0], FEWER[1] % fewer)] if test_sources else [FASTER]:
                    if text.count(mark) != 1:
                        raise SystemExit(f"mutants: {relative} has {mark!r} not once")
                    text = text.replace(mark, mark + "\n" + line)
                write(to, text)
            elif not to.is_file() or to.read_bytes() != path.read_bytes():
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, to)
    kept.add(source / "tests/mutants_listener.cpp")
    write(source / "tests/mutants_listener.cpp",
          (HERE / "listener.cpp").read_text().replace('"mutants.hpp"', '"mutants/mutants.hpp"'))
    for path in sorted(source.rglob("*")):
        if path.is_file() and path not in kept:
            path.unlink()


def build(options, mutants, source, folder):
    """Configures and builds; what does not compile is laid to the mutants of that line."""
    command = ["cmake", "-S", str(source), "-B", str(folder), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
               "-DKokkos_ENABLE_OPENMP=ON", "-DABAX_BLAS=ON"]
    if options.backend == "cuda":
        command += ["-DKokkos_ENABLE_CUDA=ON"]
    subprocess.run(command + [f"-D{option}" for option in options.cmake], check=True, stdout=subprocess.DEVNULL)
    started = time.monotonic()
    done = subprocess.run(["cmake", "--build", str(folder), "-j", str(options.build_jobs), "--target",
                           *options.targets], text=True, capture_output=True)
    print(f"built in {time.monotonic() - started:.0f} s")
    if done.returncode == 0:
        return
    errors = sorted(set(re.findall(r"([^\s:(]+\.[a-z]+)[:(](\d+)[^\n]{0,12}\berror\b[^\n]*", done.stdout)))
    lines = {}
    for mutant in mutants:
        text = (ROOT / mutant.file).read_text()
        begin, _ = place_of(mutant, text)
        lines.setdefault((mutant.file, text.count("\n", 0, begin) + 1), []).append(mutant)
    for file, line in errors:
        for (path, at), here in lines.items():
            if os.path.realpath(folder / file).endswith("/" + path) and abs(at - int(line)) <= 1:
                for mutant in here:
                    print("does not compile?", mutant.text())
    print(done.stdout[-20000:])
    raise SystemExit("mutants: the build failed")


class Run:
    """A program with its arguments and environment: cases of Catch2, or all of it at once."""

    def __init__(self, name, command, environment=None, has_cases=False, spec=None):
        self.name, self.command, self.environment, self.has_cases = name, command, environment or {}, has_cases
        self.spec = spec or []


def runs_of(options, folder):
    """What may notice a mutant, in the order in which it is tried; programs that were not built are left out."""
    tests = folder / "tests"
    golden = "perf/suite/verify/golden.txt"
    cases = [str(tests / "abax_tests")]
    if options.backend == "cuda":
        all_runs = [Run("tests", cases, has_cases=True, spec=options.tests),
                    Run("plans", [str(tests / "abax_plan_grid"), str(ROOT / "tests/plans")]),
                    Run("placement", [str(tests / "blas/abax_blas_placement")], {"ABAX_BLAS_BACKEND": "device"})]
    else:
        sets = ["avx512", "avx2", "portable"]
        all_runs = [Run("tests", cases, has_cases=True, spec=options.tests)]
        all_runs += [Run(f"complex {cpu}", cases, {"ABAX_CPU": cpu}, True, ["[complex]"]) for cpu in sets[1:]]
        all_runs += [Run("plans", [str(tests / "abax_plan_grid"), str(ROOT / "tests/plans")]),
                     Run("golden serial", [str(tests / "abax_golden_serial"), str(ROOT / golden)]),
                     Run("fork", [str(tests / "blas/abax_blas_fork")]),
                     Run("fuzz tunings", [str(tests / "fuzz/abax_fuzz"), "--tunings", "20000"])]
        all_runs += [Run(f"fuzz {cpu} {calls}", [str(tests / "fuzz/abax_fuzz"), "--seed", "1", "--calls", calls],
                         {"ABAX_BLAS_BACKEND": "host", "ABAX_CPU": cpu}) for calls in ["2000", "50000"] for cpu in sets]
        all_runs += [Run(f"golden {cpu}", [str(folder / "perf/abax-perf"), "verify"], {"ABAX_CPU": cpu})
                     for cpu in sets]
    built = [run for run in all_runs if pathlib.Path(run.command[0]).is_file()]
    if not built:
        raise SystemExit(f"mutants: {folder} has none of the programs that are run")
    for run in built:
        run.command = shlex.split(options.under) + run.command
    return built


def execute(run, number, arguments, limit, path=None):
    """How a program failed, "" where all passed, "timeout" where it did not end; its output; and the seconds."""
    environment = {**os.environ, "OMP_NUM_THREADS": "4", "OMP_PROC_BIND": "false", "OMP_WAIT_POLICY": "passive",
                   **run.environment}
    for name in ["ABAX_MUTANT", "ABAX_MUTANT_TRACE"]:
        environment.pop(name, None)
    if number is not None:
        environment["ABAX_MUTANT"] = str(number)
    if path:
        environment["ABAX_MUTANT_TRACE"] = str(path)

    def before():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.setsid()

    started = time.monotonic()
    process = subprocess.Popen(run.command + arguments, env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, preexec_fn=before)
    try:
        output, _ = process.communicate(timeout=limit)
        failure = "" if process.returncode in (0, 77) else f"exit {process.returncode}"
        if process.returncode < 0:
            failure = signal.Signals(-process.returncode).name
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # the program and what it has started
        output, _ = process.communicate()
        failure = "timeout"
    return failure, output.decode(errors="replace"), time.monotonic() - started


class Traced:
    """A run with no mutant on: its cases with their seconds, and the mutants that each meets."""

    def __init__(self, run, paths):
        rows = [line.split("\t") for path in paths for line in path.read_text().split("\n") if line]
        rows = [(float(seconds), name, {int(n) for n in met.split()}) for seconds, name, met in rows]
        self.run = run
        if run.has_cases:
            self.cases = [row for row in rows if row[1] != "*"]
        else:  # a program that starts others tells several times
            self.cases = [(max(row[0] for row in rows), "*", set().union(*(row[2] for row in rows)))]


def trace(options, runs, folder):
    """Runs all with no mutant on, cases in several portions at a time; ends the program if one fails. Seconds are those
    of a program that is traced."""
    def trace_part(run, part, parts):
        path = folder / f"trace {run.name} {part}.txt"
        if options.no_trace and path.is_file():
            return "", "", path
        path.unlink(missing_ok=True)
        portion = []
        if parts > 1:
            portion = ["--shard-count", str(parts), "--shard-index", str(part), "--allow-running-no-tests"]
        failure, output, _ = execute(run, -1, run.spec + portion, 7200, path)
        if not failure and parts > 1 and "No tests ran" in output:  # there are fewer cases than portions
            path.write_text("")
        if not failure and not path.is_file():
            failure = "it tells nothing"
        return failure, output, path

    traced = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = []
        for run in runs:
            parts = 8 if run.has_cases else 1
            jobs.append((run, [pool.submit(trace_part, run, part, parts) for part in range(parts)]))
        for run, parts in jobs:
            paths = []
            for part in parts:
                failure, output, path = part.result()
                if failure:
                    pool.shutdown(wait=False, cancel_futures=True)
                    print(output[-8000:])
                    raise SystemExit(f"mutants: with no mutant on, {run.name} fails: {failure}")
                paths.append(path)
            traced.append(Traced(run, paths))
            cases = traced[-1].cases
            if not cases:
                raise SystemExit(f"mutants: no case of {run.name} is {' '.join(run.spec)!r}")
            met = set().union(*(case[2] for case in cases))
            print(f"{run.name}: {len(cases)} cases, {sum(case[0] for case in cases):.0f} s, meet {len(met)} mutants",
                  flush=True)
    return traced


def portions(traced, number, longest):
    """(traced run, cases) of those that meet a mutant: of all runs the short cases first, so that most mutants are
    found in seconds. Cases that take longer than `longest` seconds are left out."""
    left = [(one, sorted(case for case in one.cases if number in case[2] and case[0] <= longest)) for one in traced]
    limit = 1.0
    while any(cases for _, cases in left):
        for one, cases in left:
            portion = []
            while cases and sum(case[0] for case in portion) + cases[0][0] <= limit:
                portion.append(cases.pop(0))
            if portion:
                yield one, portion
        limit *= 4


def try_mutant(mutant, traced, folder, longest):
    """(outcome, by what, seconds): "killed", "hung", "survived" or "never met"."""
    spent, met = 0.0, False
    for one, portion in portions(traced, mutant.number, longest):
        met = True
        names, arguments = folder / f"cases {mutant.number}.txt", []
        if one.run.has_cases:
            names.write_text("".join(f'"{escaped(name)}"\n' for _, name, _ in portion))
            arguments = ["--input-file", str(names), "--abort"]
        limit = 30 + 20 * sum(case[0] for case in portion)
        failure, output, seconds = execute(one.run, mutant.number, arguments, limit)
        spent += seconds
        names.unlink(missing_ok=True)
        if failure:
            by = one.run.name
            if one.run.has_cases:
                last = re.findall(r"^-{70,}\n([^\n]+)\n(?!\.\.\.)", output, re.MULTILINE)
                by += f": {last[-1]}" if last else f": one of {len(portion)}"
            return ("hung" if failure == "timeout" else "killed"), f"{by} ({failure})", spent
    return ("survived" if met else "never met"), "", spent


def escaped(name):
    return re.sub(r'([\\,\[\]"])', r"\\\1", name)


def report(results, path):
    """The table, and whether all is well."""
    lines, counts = [], {}
    for mutant, (outcome, by, seconds) in sorted(results.items(), key=lambda item: item[0].number):
        room = counts.setdefault(mutant.room, {})
        if outcome in ("survived", "never met") and mutant.equivalent is not None:
            outcome = f"equivalent ({outcome})"
            by = mutant.equivalent
        what = outcome.split(" (")[0]
        room[what] = room.get(what, 0) + 1
        lines.append(f"{outcome:10} {seconds:6.1f} s {mutant.text()}{'  ' if by else ''}{by}")
    names = ["killed", "hung", "survived", "never met", "equivalent"]
    total = {name: sum(room.get(name, 0) for room in counts.values()) for name in names}
    lines.append(f"{'room':20}" + "".join(f"{name:>12}" for name in names))
    for room, of in [*sorted(counts.items()), ("all", total)]:
        lines.append(f"{room:20}" + "".join(f"{of.get(name, 0):12}" for name in names))
    alive = total["survived"] + total["never met"]
    dead = total["killed"] + total["hung"]
    if dead + alive:
        lines.append(f"{dead} of {dead + alive} killed ({100 * dead / (dead + alive):.1f} %), {alive} survive, "
                     f"{total['equivalent']} more are argued to be equivalent")
    text = "\n".join(lines)
    print(text)
    path.write_text(text + "\n")
    return alive == 0


def self_test():
    """Whether places are found and rewritten, and wrong lists refused."""
    def one(was, now, inside=None, number=1):
        mutant = Mutant(number, "guard", "src/team/a.hpp")
        mutant.was, mutant.now, mutant.inside = was, now, inside
        return mutant

    text = "for (i = 0;\n     i < n; ++i) f(i);\nbarrier();\n"
    wanted = ("for (i = 0;\n     (::abax_mutants::on(1) ? (i <= n) : (i < n)); ++i) f(i);\n"
              "{ if (::abax_mutants::on(2)) {  } else { barrier(); } }\n")
    assert mutated(text, [one("i < n", "i <= n"), one("barrier();", "", None, 2)]) == wanted
    two = mutated("a < b", [one("a < b", "a > b"), one("a < b", "a == b", None, 2)])
    assert two == "(::abax_mutants::on(1) ? (a > b) : ::abax_mutants::on(2) ? (a == b) : (a < b))"
    assert spans_of(text, "i = 0; i < n;") == [(5, 23)]
    assert place_of(one("i", "j", "f(i)"), text) == (text.index("f(i)") + 2, text.index("f(i)") + 3)
    for wrong in [one("i", "j"), one("absent", "j"), one("f", "g", "absent")]:
        try:
            place_of(wrong, text)
        except ValueError:
            continue
        raise AssertionError(wrong.text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="look whether the list still fits the source, and end")
    parser.add_argument("--list", action="store_true", help="print the mutants, and end")
    parser.add_argument("--only", help="numbers and ranges of them, such as 3,17,20-29")
    parser.add_argument("--rooms", help="folders, such as src/team,backends/openmp")
    parser.add_argument("--backend", choices=["openmp", "cuda"], default="openmp")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/mutants", help="where all of it is made")
    parser.add_argument("--jobs", type=int, default=1, help="mutants that are tried at a time")
    parser.add_argument("--build-jobs", type=int, default=os.cpu_count())
    parser.add_argument("--targets", default="", help="what is built (default: all programs that are run)")
    parser.add_argument("--test-sources", default="", help="of abax_tests, such as gemm,gemv,stream (default: all)")
    parser.add_argument("--tests", action="append", default=[], help="Catch2's names or tags, if not all")
    parser.add_argument("--longest", type=float, default=float("inf"), metavar="SECONDS",
                        help="leave out cases that take longer: a mutant that survives is then asked again without it")
    parser.add_argument("--under", default="", metavar="COMMAND",
                        help="run the programs by another, such as 'compute-sanitizer --tool racecheck "
                             "--error-exitcode 1', which sees a barrier that is lost where no bit shows it")
    parser.add_argument("--cmake", action="append", default=[], metavar="NAME=VALUE", help="for the configuration")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--no-build", action="store_true", help="the programs are there already")
    parser.add_argument("--no-trace", action="store_true", help="what tests meet is known from the last time")
    options = parser.parse_args()

    mutants = read_list(HERE / "mutants.txt")
    faults = faults_of(mutants, ROOT)
    if options.check:
        self_test()
        faults += [f"{room} has none" for room in ROOMS if not any(m.file.startswith(room + "/") for m in mutants)]
    print(*faults, sep="\n", end="\n" if faults else "")
    if faults or options.check:
        print(f"{len(mutants)} mutants, {len(faults)} faults of the list")
        return 1 if faults else 0

    wanted = [m for m in mutants if m.backend == options.backend]
    if options.only:
        numbers = set()
        for part in options.only.split(","):
            first, _, last = part.partition("-")
            numbers |= set(range(int(first), int(last or first) + 1))
        wanted = [m for m in mutants if m.number in numbers]
    if options.rooms:
        wanted = [m for m in wanted if m.room in options.rooms.split(",")]
    if options.list:
        for mutant in wanted:
            print(mutant.text())
        print(f"{len(wanted)} mutants")
        return 0

    options.work = options.work.resolve()
    source, folder = options.work / "source", options.work / options.backend
    every = ["abax_tests", "abax_plan_grid"]
    if options.backend == "cuda":
        every += ["abax_blas_placement"]
    else:
        every += ["abax_fuzz", "abax_golden_serial", "abax_blas_fork", "abax-perf"]
    options.targets = options.targets.split(",") if options.targets else every
    if not options.no_build:
        copy_source(mutants, source, options.test_sources.split(",") if options.test_sources else [])
        build(options, mutants, source, folder)
    if options.build_only:
        return 0

    traced = trace(options, runs_of(options, folder), folder)
    results = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = {pool.submit(try_mutant, mutant, traced, folder, options.longest): mutant for mutant in wanted}
        for job in concurrent.futures.as_completed(jobs):
            mutant = jobs[job]
            results[mutant] = job.result()
            outcome, by, seconds = results[mutant]
            print(f"{len(results)}/{len(wanted)} {outcome} {seconds:.1f} s {mutant.text()} {by}", flush=True)
    return 0 if report(results, folder / "mutants.txt") else 1


if __name__ == "__main__":
    sys.exit(main())
