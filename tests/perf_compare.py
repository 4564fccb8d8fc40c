#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`abax-perf compare` on result files made here: perf_compare.py PROGRAM FOLDER"""

import json
import pathlib
import random
import re
import subprocess
import sys

from perf_tools import compared, expect, finish

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
FIELDS = ("median", "median_low", "median_high", "minimum", "deviation", "ratio", "ratio_low", "ratio_high")


def case(kernel, abax, mkl, noise=4, seed=1, **others):
    """A case with the variants abax and MKL of so many microseconds each, `noise` per cent about them."""
    chance, variants = random.Random(seed), []
    for name, median in (("abax", abax), ("mkl", mkl)):
        samples = [1e-6 * median * (1 + 0.01 * noise * chance.uniform(-1, 1)) for _ in range(100)]
        variants.append({"name": name, "calls_per_sample": 1, "samples": samples} | {field: 1 for field in FIELDS})
    return (
        {
            "kernel": kernel,
            "type": "f32",
            "shape": "8 x 8",
            "m": 8,
            "n": 8,
            "k": 8,
            "backend": "OpenMP",
            "operand_sets": 1,
        }
        | {"bits": "same", "compared": 64, "amount": 1024.0, "unit": "FLOP", "roof": "fma", "roof_rate": 1e9}
        | {"converged": True, "passes": 10 * [10], "sensors": {}, "throttled_by": [], "variants": variants}
        | others
    )


def file(name, *cases, **context):
    path = folder / f"{name}.json"
    results = {"schema": "abax-perf 2", "status": "complete", "context": {"CPU": "one"} | context, "cases": cases}
    path.write_text(json.dumps(results))
    return path


def twenty(name, microseconds, of_7, seed, **context):
    """Twenty cases with noise; another run has its own."""
    cases = [case(f"gemm {c}", of_7 if c == 7 else microseconds, microseconds, 4, 100 * c + seed) for c in range(1, 21)]
    return file(name, *cases, **context)


def found(what, expected_status, pattern, *arguments, without=None, **options):
    status, output = compared(*arguments, **options)
    met = (
        status == expected_status and re.search(pattern, output, re.S) and not (without and re.search(without, output))
    )
    expect(what, met, f"status {status}, expected {expected_status} and {pattern}\n{output}")


before, again = twenty("before", 100, 100, 11), twenty("again", 100, 100, 22)
slower = twenty("slower", 100, 110, 22)  # gemm 7, by a tenth
found(
    "a second run is the same",
    0,
    r"The runs are: same\n.*20 compared: 0 slower, 0 faster, 20 same",
    before,
    again,
    fail_on=0.05,
)
answer = folder / "verdicts.json"
command = [program, "compare", before, slower, "--fail-on", "slower=5%", "--json", answer]  # as users call it
done = subprocess.run(command, capture_output=True, text=True)
expect("a slow-down by a tenth fails", done.returncode == 1, done)
expect(
    "it is found, and nothing else",
    re.search(r"The runs are: slower\n.*20 compared: 1 slower, 0 faster, 19 same", done.stdout, re.S),
    done,
)
expect("in the right case", re.search(r"gemm 7 +f32 +8 x 8 +OpenMP +[^\n]*slower", done.stdout), done)
verdicts = json.loads(answer.read_text())
expect("the file says so: as a whole", verdicts["verdict"] == "slower", verdicts)
for one in verdicts["cases"]:
    right = "slower" if one["kernel"] == "gemm 7" else "same"
    expect(f"the file says so: {one}", one["verdict"] == right and 0.98 < one["peers"]["mkl"]["ratio"] < 1.02)
found("the other way round it is faster", 0, "0 slower, 1 faster, 19 same", slower, before, fail_on=0.05)
found("without --fail-on nothing fails", 0, "1 slower", before, slower)
found("a larger threshold lets it pass", 0, "0 slower, 0 faster, 20 same", before, slower, fail_on=0.2)

# What cannot be told is said so, whichever way it points.
quiet, noisy = file("quiet", case("gemm", 100, 100, 4, 5)), file("noisy", case("gemm", 104, 100, 60, 6))
found(
    "noise is no verdict",
    0,
    r"gemm +f32 +8 x 8 +OpenMP +[^\n]*uncertain.*The runs are: uncertain",
    quiet,
    noisy,
    fail_on=0.05,
    everything=True,
)
slow_peer = file("slow_peer", case("gemm", 100, 120, 4, 6))
found("a peer's slow-down is told, and fails nothing", 0, "its peers 1.[12].* 0 slower", quiet, slow_peer, fail_on=0.05)

# Nor is the machine's own change Abax'.
slow = case("gemm", 110, 110, 4, 6)
found(
    "a ceiling that fell is named, and not held against Abax",
    0,
    "OpenMP's ceiling fma f32 differs: before 1.00 GFLOP/s, after 0.90.* 0 slower",
    quiet,
    file("slow_machine", slow | {"roof_rate": 0.9e9}),
)
found(
    "one that rose hides nothing, and is warned of",
    0,
    " 1 slower.*own ceilings are others",
    quiet,
    file("fast_machine", slow | {"roof_rate": 1.1e9}),
)
found("but only then", 0, " 1 slower", quiet, file("slow", slow), without="ceiling")

# Nor what befalls peers, too, whose code is the same: the machine is slower by a tenth. Not where they are others.
drifted = twenty("drifted", 110, 121, 22)
found(
    "the slower machine is told from the slower case",
    0,
    r"The machine took 1\.(09|1).*20 compared: 1 slower",
    before,
    drifted,
)
found(
    "another library says nothing of the machine",
    0,
    " 20 slower",
    before,
    twenty("other_library", 110, 121, 22, mkl="another"),
    without="The machine took",
)

# What cannot be compared is named.
other = file("other", case("gemm", 100, 100, 4, 5), case("dot", 100, 100, 4, 5), CPU="another")
found("another machine is named", 0, "CPU differs:\n +before +one\n +after +another", quiet, other)
found("what only one run has is named", 0, "Only after:\n +dot f32 8 x 8 OpenMP", quiet, other)
cold = file("cold", case("gemm", 200, 200, 4, 5, operand_sets=100))
found("warm is not held against cold", 0, "Not compared[^\n]*\n +gemm f32", quiet, cold, fail_on=0.05)
wrong = file("wrong", case("gemm", 100, 100, 4, 5, bits="3 of 64 wrong"))
found("wrong bits fail", 1, "gemm f32 8 x 8 OpenMP: 3 of 64 wrong", quiet, wrong)

# A file may be anything: each of these is refused, in one line that names it. perf_schema.py tries what the schema
# refuses.
good, bad = quiet.read_text(), folder / "bad.json"


def refused(what, text):
    expect("the test changes something", text != good, what)
    bad.write_text(text)
    status, output = compared(quiet, bad)
    expect(f"{what} is refused", status == 2 and re.fullmatch(r"abax-perf: [^\n]*bad.json[^\n]*\n", output), output)


for what, text in (
    ("an empty file", ""),
    ("what is no JSON", "kernel,type\n"),
    ("a bare value", "7"),
    ("an empty object", "{}"),
    ("a nest of arrays", 100000 * "["),
):
    refused(what, text)
for part in range(1, 10):
    refused(f"a file cut off after {part} tenths", good[: len(good) * part // 10])
for what, there, instead in (
    ("NaN", '"roof_rate": 1000000000.0', '"roof_rate": NaN'),
    ("a number beyond all", '"roof_rate": 1000000000.0', '"roof_rate": 1e999'),
    ("a name that stands twice", '"m": 8', '"m": 8,"m": 9'),
    ("a variant with fewer samples than another", '"samples": [', '"samples": [1e-6], "more": ['),
    ("a variant twice", '"name": "mkl"', '"name": "abax"'),
):
    refused(what, good.replace(there, instead))
bad.write_text(good.replace('"kernel": "gemm"', '"kernel": "\\u001b[2Jgemm"'))
expect("a terminal is not steered by a file", "\x1b" not in compared(bad, bad, everything=True)[1])

for name in (folder / "none.json", folder, "/dev/zero"):
    status, output = compared(quiet, name)
    expect(f"{name} is refused", status == 2 and re.fullmatch(r"abax-perf: [^\n]*\n", output), output)

# The program refuses these arguments before it starts the tool.
for wrong in (
    ["--threshold", "5"],
    ["--fail-on", "slower"],
    ["--fail-on", "faster=5%"],
    ["--fail-on", "slower=0%"],
    ["--fail-on", "slower=-5%"],
    ["--fail-on", "slower=nan%"],
    ["--json", folder / "no" / "folder" / "x.json"],
):
    done = subprocess.run([program, "compare", quiet, quiet, *wrong], capture_output=True, text=True)
    expect(
        f"compare {wrong} is refused", done.returncode == 2 and re.fullmatch(r"abax-perf: [^\n]*\n", done.stderr), done
    )
finish()
