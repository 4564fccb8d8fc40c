#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether result files keep docs/results.schema.json, and whether abax-perf refuses what that refuses:
perf_schema.py NEW_FILE FILE... (NEW_FILE is of the newest version; it is also spoilt in many ways)"""

import copy
import json
import os
import pathlib
import re
import sys

from perf_tools import SCHEMA, compared, expect, finish
from jsonschema import Draft202012Validator  # which perf_tools has found a Python for

MISSING = object()
CASE, VARIANT = ("cases", 0), ("cases", 0, "variants", 0)
SPOILT = [  # where, and what stands there instead
    *(((name,), MISSING) for name in ("schema", "status", "context", "cases")),
    *((CASE + (name,), MISSING) for name in (
        "kernel", "type", "shape", "m", "n", "k", "backend", "operand_sets", "bits", "compared", "amount", "unit",
        "roof", "roof_rate", "converged", "passes", "sensors", "throttled_by", "variants")),
    *((VARIANT + (name,), MISSING) for name in (
        "name", "median", "minimum", "deviation", "median_low", "median_high", "ratio", "ratio_low", "ratio_high",
        "calls_per_sample", "samples")),
    (("schema",), "abax-perf 3"), (("schema",), 2), (("status",), None), (("status",), "x" * 10001),
    (("context",), ["CPU"]), (("context", "CPU"), 7), (("cases",), {}), (("cases",), [7]),
    *((CASE + (name,), 7) for name in ("kernel", "type", "shape", "backend", "bits", "unit", "roof",
                                          "variants", "passes")),
    *((CASE + (name,), -1) for name in ("m", "n", "k", "operand_sets", "compared", "amount", "roof_rate")),
    *((CASE + (name,), 0) for name in ("amount", "roof_rate")),
    (CASE + ("m",), 1.5), (CASE + ("m",), 10**19), (CASE + ("operand_sets",), 2**31), (CASE + ("unit",), "apples"),
    (CASE + ("roof",), "sky"), (CASE + ("converged",), "yes"), (CASE + ("passes",), []), (CASE + ("passes",), [0]),
    (CASE + ("sensors",), []), (CASE + ("sensors",), {"power_W": [1, 2]}),
    (CASE + ("sensors",), {"power_W": ["1", 2, 3]}),
    (CASE + ("throttled_by",), "power cap"), (CASE + ("throttled_by",), [7]), (CASE + ("variants",), []),
    (VARIANT + ("name",), None), (VARIANT + ("median_low",), 0), (VARIANT + ("ratio",), "1"),
    (VARIANT + ("samples",), []),
    (VARIANT + ("samples", 0), -1e-6), (VARIANT + ("samples", 0), "fast"), (VARIANT + ("calls_per_sample",), -1),
    (VARIANT + ("throttled",), []), (VARIANT + ("throttled",), [-1]), (VARIANT + ("device_samples",), []),
]  # fmt: skip
RANK, LINK, OF_CASE = ("ranks", 0), ("links", 0), ("cases", 0, "ranks", 0)
SPOILT_OF_RANKS = [  # the same, of a run on several
    *(((name,), MISSING) for name in ("ranks", "links", "failures", "slow")),
    *(((name,), 7) for name in ("ranks", "links", "failures", "slow")),
    *(((name,), [{}]) for name in ("ranks", "links", "failures", "slow")),
    *((RANK + (name,), MISSING) for name in ("rank", "host", "pid", "mpi", "cpus", "ended", "context")),
    *((LINK + (name,), MISSING) for name in (
        "by", "from", "to", "same_host", "intact", "slow", "latency", "rate", "samples")),
    *((OF_CASE + (name,), MISSING) for name in ("rank", "median", "minimum", "deviation", "bits")),
    *((("cases", 0, name), MISSING) for name in ("ranks", "slow")),
    (("ranks",), []), (RANK + ("rank",), -1), (RANK + ("pid",), "1"), (RANK + ("host",), None),
    (RANK + ("context",), []),
    (RANK + ("context", "CPU"), 7), (LINK + ("by",), "wire"), (LINK + ("from",), -1), (LINK + ("to",), 0.5),
    (LINK + ("intact",), "yes"), (LINK + ("rate",), 0), (LINK + ("latency",), -1e-6), (LINK + ("samples",), []),
    (LINK + ("samples", 0), "fast"), (OF_CASE + ("median",), 0), (OF_CASE + ("deviation",), -1e-9),
    (OF_CASE + ("bits",), 7), (("cases", 0, "ranks"), []), (("cases", 0, "slow"), [-1]), (("cases", 0, "slow"), 1),
    (("failures",), [{"rank": -1, "what": "", "why": ""}]), (("failures",), [{"rank": 0, "what": 1, "why": ""}]),
    (("slow",), [{"rank": 0, "cases": 1, "of": 1, "factor": 0}]), (("slow",), [{"rank": 0, "cases": 1, "of": 1}]),
]  # fmt: skip
CONTRADICTIONS = [  # what no schema can say
    (RANK + ("rank",), 1), (LINK + ("from",), 99), (LINK + ("to",), 0), (OF_CASE + ("rank",), 99),
    (OF_CASE + ("rank",), 1),
    (("cases", 0, "slow"), [99]), (("failures",), [{"rank": 99, "what": "", "why": ""}]),
    (("slow",), [{"rank": 99, "cases": 1, "of": 1, "factor": 2}]),
    (("slow",), [{"rank": 0, "cases": 2, "of": 1, "factor": 2}]),
]  # fmt: skip


def spoil(good, where, value):
    bad = copy.deepcopy(good)
    place = bad
    for step in where[:-1]:
        place = place[step]
    if value is MISSING:
        del place[where[-1]]
    else:
        place[where[-1]] = value
    return bad


def main(new_file, *files):
    if not os.path.exists(new_file):  # of a program that needs a GPU
        print("skipped: no new result")
        return
    schema = json.loads(SCHEMA)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    read = {file: json.loads(pathlib.Path(file).read_text()) for file in (new_file, *files)}
    for file, content in read.items():
        wrong = [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(content)]
        expect(f"{file} keeps the schema", not wrong, wrong)
        expect(f"{file} is read", compared(new_file, file)[0] < 2)
    good, of_ranks = read[new_file], next(text for text in read.values() if len(text.get("ranks", [])) > 1)
    bad_file = pathlib.Path(new_file).with_name("bad.json")

    def refused(what, text):
        bad_file.write_text(text)
        status, output = compared(new_file, bad_file)
        expect(f"{what} is refused", status == 2 and re.fullmatch(r"abax-perf: [^\n]*\n", output), output)

    spoilt = [*((good, *one) for one in SPOILT), *((of_ranks, *one) for one in SPOILT_OF_RANKS + CONTRADICTIONS)]
    for base, where, value in spoilt:
        bad = spoil(base, where, value)
        what = f"{'.'.join(map(str, where))} {'missing' if value is MISSING else repr(value)[:40]}"
        contradiction = (where, value) in CONTRADICTIONS
        expect(f"the schema refuses {what}", contradiction or not validator.is_valid(bad))
        if contradiction or "samples" in where:  # what the tools check beside the schema
            refused(what, json.dumps(bad))
    for where, value in SPOILT[::12]:
        refused(where, json.dumps(spoil(good, where, value)))
    bad_file.unlink()


main(*sys.argv[1:])
finish()
