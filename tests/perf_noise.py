#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether `abax-perf compare` believes in noise: perf_noise.py FOLDER

Pairs of made-up runs of one program on a machine that others share, and the same pairs with one case a tenth slower in
the second. The noise is as it was seen on such a machine, between quick runs of the suite: passes that
are slower for a while, some of them by much; samples that are interrupted; each process a little different from the
next, and launches, which wait for threads, by far more.
"""

import json
import math
import pathlib
import random
import statistics
import sys

from perf_tools import compare, compared, expect, finish

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
CASES, LONG, PAIRS, SLOWED = 72, 34, 3, 20


def samples(random, seconds, passes):
    all = []
    for _ in range(passes):
        held = random.expovariate(1 / 0.025) + (random.uniform(0.1, 1) if random.random() < 0.04 else 0)
        for _ in range(10):
            burst = random.expovariate(1 / 0.3) if random.random() < 0.08 else 0
            all.append(seconds * (1 + held) * (1 + random.expovariate(1 / 0.015) + burst))
    return all


def run(seed, slowed=None):
    """A process: 72 cases beside two peers; those that take long have fewer passes."""
    chance = random.Random(seed)
    cases = []
    for c in range(CASES):
        launch = c < 2
        kernel = "launch own" if launch else "dot" if c >= CASES - LONG else "gemm NN"
        passes = 7 if c >= CASES - LONG else 18
        memory, variants = chance.gauss(0, 0.006), []
        for name in ("abax", "OpenBLAS", "BLIS"):
            seconds = 1e-6 * 1.2 ** (c / 2) * (1 + memory + chance.gauss(0, 0.08 if launch else 0.006))
            taken = samples(chance, seconds * (1.1 if c == slowed and name == "abax" else 1), passes)
            rest = ("median", "median_low", "median_high", "minimum", "deviation", "ratio", "ratio_low", "ratio_high")
            variants.append({"name": name, "calls_per_sample": 1, "samples": taken, **{r: 1 for r in rest}})
        cases.append(
            {"kernel": kernel, "type": "f32", "shape": str(c), "m": 1, "n": 1, "k": 1, "backend": "OpenMP"}
            | {"operand_sets": 2, "bits": "same", "compared": 1, "amount": 1, "unit": "B", "roof": "copy"}
            | {"roof_rate": 1, "converged": False, "passes": [10] * passes, "sensors": {}, "throttled_by": []}
            | {"variants": variants}
        )
    file = folder / f"{seed}{'' if slowed is None else '-slower'}.json"
    file.write_text(json.dumps({"schema": "abax-perf 2", "status": "complete", "context": {}, "cases": cases}))
    return file


def verdicts(before, after):
    """Status, the verdict of the whole, those of the cases that moved; and what was printed."""
    answer = folder / "verdicts.json"
    status, output = compared(before, after, fail_on=0.05, json=answer)
    told = json.loads(answer.read_text())
    moved = {c["shape"]: c["verdict"] for c in told["cases"] if c["verdict"] in ("slower", "faster")}
    return (status, told["verdict"], moved), output


# How far medians are off, and how far they are said to be, where passes differ more than the samples in one.
chance = random.Random(1)
for passes in (2, 5, 18):
    runs = [
        [p + chance.gauss(0, 0.01) for p in (chance.gauss(1, 0.02) for _ in range(passes)) for _ in range(10)]
        for _ in range(200)
    ]
    true = statistics.stdev(math.log(statistics.median(samples)) for samples in runs)
    said = statistics.fmean(compare.median_error(samples, passes * [10]) for samples in runs)
    expect(f"{passes} passes: medians scatter by {true:.4f}, and are said to by {said:.4f}", 0.85 < said / true < 1.15)

for pair in range(PAIRS):
    before = run(2 * pair)
    found, output = verdicts(before, run(2 * pair + 1))
    expect(f"pair {pair}, nothing changed: {found}", found == (0, "same", {}), output)
    found, output = verdicts(before, run(2 * pair + 1, SLOWED))
    expect(f"pair {pair}, one is slower: {found}", found == (1, "slower", {str(SLOWED): "slower"}), output)
finish()
