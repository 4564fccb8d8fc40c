#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random cases: perf_random.py PROGRAM LIBRARY FOLDER. The same for a seed, within their bounds, and what a small run
says of them; LIBRARY is libabax_blas, which is then a peer."""

import json
import math
import os
import pathlib
import re
import subprocess
import sys

from perf_tools import SCHEMA, expect, finish
from jsonschema import Draft202012Validator  # which perf_tools has found a Python for

program, library, folder = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)
# These stay what they are: results of one seed are compared from machine to machine.
GOLDEN = """
dot           f32  2, at 0 0 4
dot           f64  331
gemm TN       f32  10 x 19 x 36, ld 36 64 32, at 7 11 0, alpha 0, beta -1
gemm NN       f64  26 x 4 x 1533, ld 32 1536 32, alpha 0.625, beta -1
gemv N        f32  13948 x 229, by rows, ld 229, at 0 12 12
gemv T        f64  1 x 4, ld 8, at 0 14 15, alpha 0, beta -1
transpose     f32  4 x 12478, by rows, ld 55 12478, at 0 14 0
transpose     f64  20 x 1, ld 32, at 0 6 0
dot           f32  39, at 6 0 0
dot           f64  740, at 0 3 11
gemm NT       f32  657 x 1469 x 84, by rows, ld 119 84 1472, at 15 0 14
gemm NN       f64  2 x 3 x 1, ld 32 14, at 13 0 0, alpha -1, beta 0.625
""".strip().split("\n")
COMPLEX = """
gemv N        c128 48 x 43, by rows, ld 80, at 0 10 0
gemv N        c64  39 x 4645, ld 46, at 0 14 15, alpha 0, beta -1
herk N        c128 242 x 879, by rows, ld 896 295, at 0 11 0, beta -1
herk C        c64  178 x 2, ld 55 178, at 0 6 0, beta 1
gemv N        c128 1465 x 3569, ld 1465, at 0 3 0, alpha -1, beta 1
gemv N        c64  32 x 119, ld 62, at 0 11 6, beta 1
herk C        c128 14 x 1394, by rows, ld 32 14, at 1 0 0
herk N        c64  30 x 3553, ld 75 66, alpha -1
""".strip().split("\n")


def run(*arguments):
    done = subprocess.run([program, *arguments, "--backend", "host"], capture_output=True, text=True)
    if "needs a GPU" in done.stderr:
        print("skipped: this program needs a GPU")
        sys.exit(0)
    return done.returncode, done.stdout + done.stderr


def listed(*arguments):
    """The cases, without the backend's name."""
    status, output = run("list", *arguments)
    expect(f"{arguments} are listed", status == 0, output)
    return [line.rsplit(maxsplit=1)[0] for line in output.split("\n\n")[0].split("\n")]


def stored(kernel, numbers, shape):
    """Elements of all operands with their gaps; NaN where a leading dimension is less than a line."""
    word, _, trans = kernel.partition(" ")
    if word == "gemm":
        m, n, k = numbers
        matrices = [(m, k) if trans[0] == "N" else (k, m), (k, n) if trans[1] == "N" else (n, k), (m, n)]
    elif word in ("syrk", "herk"):
        n, k = numbers
        matrices = [(n, k) if trans == "N" else (k, n), (n, n)]
    else:
        matrices = {"gemv": [numbers], "transpose": [numbers[::-1], numbers]}.get(word, [])
    all = {"gemv": sum(numbers), "dot": 2 * numbers[0] + 1, "dotc": 2 * numbers[0] + 1}.get(word, 0)
    found = re.search(r"ld ([\d ]+)", shape)
    leading = [int(n) for n in found[1].split()] if found else []
    for rows, cols in matrices:
        length, count = (cols, rows) if "by rows" in shape else (rows, cols)
        gap = leading.pop(0) if count > 1 else length
        all += gap * (count - 1) + length if gap >= length else math.nan
    return all if not leading else math.nan


chosen = ("--kernel", "gemm,gemv,dot,transpose", "--type", "f32,f64")
expect("a seed's cases are known", listed("--random", "2", "--seed", "7", *chosen)[: len(GOLDEN)] == GOLDEN)
expect("and so are those of complex numbers",
       listed("--random", "2", "--seed", "7", "--kernel", "gemv,herk", "--type", "c64,c128") == COMPLEX)
expect("more of them begin with the same", listed("--random", "9", "--seed", "7", *chosen)[: len(GOLDEN)] == GOLDEN)
expect("one kernel's are those that it has among all",
       set(listed("--random", "2", "--seed", "7", "--kernel", "dot", "--type", "f32,f64")) ==
       {c for c in GOLDEN if c.startswith("dot")})
expect("another seed has others", not set(GOLDEN) & set(listed("--random", "2", "--seed", "8", *chosen)))

BOUND, COUNT, BYTES = 1 << 20, 300, {"f32": 4, "f64": 8, "c64": 8, "c128": 16}
kinds, rows_of_c, octaves = set(), 0, [0] * 14
every = "gemm,syrk,herk,gemv,dot,dotc,transpose"
for case in listed("--random", str(COUNT), "--max-bytes", "1MiB", "--kernel", every):
    kernel, precision, shape = re.fullmatch(r"(.+?) +(f32|f64|c64|c128) +(.+?) *", case).groups()
    numbers = [int(n) for n in shape.split(",")[0].split(" x ")]
    terms = {"gemm": 2, "syrk": 1, "herk": 1, "gemv": 1 if kernel == "gemv N" else 0, "dot": 0, "dotc": 0}.get(
        kernel.split()[0])  # fmt: skip
    for place, n in enumerate(numbers):
        expect(f"{case}: extents keep their bounds", 1 <= n <= (10**6 if place == terms else 16384))
    expect(f"{case}: so do bytes", stored(kernel, numbers, shape) * BYTES[precision] <= BOUND)
    offsets = [int(n) for n in (re.search(r"at ([\d ]+)", shape) or ["", "0"])[1].split()]
    expect(f"{case}: so do offsets", all(0 <= n < 16 for n in offsets))
    kinds.add((kernel, precision, "by rows" in shape))
    if kernel.startswith("transpose"):
        octaves[min(13, numbers[0].bit_length() - 1)] += 1
expect("all transpositions and layouts are drawn",
       len(kinds) == 2 * (2 * (4 + 2 + 2 + 1) + 1) + 2 * (2 * (6 + 2 + 2 + 3 + 2) + 2), kinds)
expect("small extents are as many as large ones", sum(octaves[:5]) > COUNT < 3 * sum(octaves[7:]), octaves)
everything = listed("--random", str(COUNT), "--kernel", "gemm", "--type", "f32")
for text in (", at", "alpha -1", "alpha 0.625", "alpha 0,", "beta 1", "beta -1", "beta 0.625"):
    expect(f"some have {text}", any(text in case for case in everything))
expect("some have neither", any("alpha" not in case and "beta" not in case for case in everything))

# A small run, the whole way.
file = folder / "random.json"
small = ("--random", "4", "--seed", "3", "--max-bytes", "64KiB", "--kernel", "gemm,syrk,herk,gemv,dot,dotc")
status, output = run("run", *small, "--seconds", "0.002", "--passes", "2", "--patience", "1", "--library",
                     f"openblas={library}", "--variant", "openblas", "--json", str(file), "--allow-debug")
expect("a run succeeds", status == 0 and "All have the canon's bits" in output, output)
results = json.loads(file.read_text())
wrong = [error.message[:200] for error in Draft202012Validator(json.loads(SCHEMA)).iter_errors(results)]
expect("its file keeps the schema", not wrong, wrong)
expect("which says what was drawn", results["context"]["Random"] == "4 of a kernel and type, seed 3, up to 64 KiB")
cases = results["cases"]
expect("all cases are there, and right", len(cases) == 4 * (2 * 4 + 2 * 6) and all(c["bits"] == "same" for c in cases))
named = {f"{c['kernel']:13} {c['type']:4} {c['shape']}" for c in cases}
expect("they are those that are listed", named == {case.rstrip() for case in listed(*small)}, named)
for c in cases:
    rows = c.get("rows", [])
    expect(f"{c['shape']}: one row is chosen", [row["chosen"] for row in rows].count(True) == (len(rows) > 0), rows)
    has_rows = c["type"] in ("f32", "f64") or c["kernel"].startswith(("gemm ", "gemv "))
    expect(f"{c['shape']}: where a product is, rows are", rows or not has_rows or "alpha 0" in c["shape"])
ratios = sorted(c["variants"][1]["ratio"] for c in cases
                if c["kernel"].startswith("gemm") and c["type"] == "f32" and len(c["variants"]) > 1)
if ratios:
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    line = re.search(r"OpenBLAS +gemm +f32 +(\d+) +([\d.]+) +([\d.]+) +([\d.]+)\n", output)
    expect("the table is made of them", line and int(line[1]) == len(ratios), output)
    expect("the mean is", abs(float(line[2]) - mean) < 2e-3 * mean + 1e-3, (line, mean))
    expect("and the least", abs(float(line[4]) - ratios[0]) < 0.01, (line, ratios))

for bad in (["0"], ["-1"], ["1.5"], ["many"], ["3", "--sizes", "8"], ["3", "--shape", "8x8x8"], ["3", "--seed", "-1"],
            ["3", "--seed", "x"], ["3", "--max-bytes", "0"], ["3", "--max-bytes", "8 apples"],
            ["3", "--kernel", "triad"]):
    status, output = run("run", "--allow-debug", "--random", *bad)
    expect(f"--random {bad} is refused", status == 2 and re.fullmatch(r"abax-perf: [^\n]*\n", output), output)
for alone in (["--seed", "3"], ["--max-bytes", "1MiB"]):
    status, output = run("run", "--allow-debug", *alone)
    expect(f"{alone} without --random is refused", status == 2 and "requires --random" in output, output)
finish()
