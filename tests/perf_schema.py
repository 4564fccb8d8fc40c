#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether result files keep docs/results.schema.json, and whether abax-perf refuses what that refuses:
perf_schema.py PROGRAM SCHEMA NEW_FILE FILE... (NEW_FILE is of the newest version; it is also spoilt in many ways)"""

import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    from jsonschema import Draft202012Validator
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])  # Debian's has what Debian's packages bring
    print("skipped: no jsonschema for Python")
    sys.exit(0)

MISSING = object()
CASE, VARIANT = ("cases", 0), ("cases", 0, "variants", 0)
SPOILT = [  # where, and what stands there instead
    *(((name,), MISSING) for name in ("schema", "status", "context", "cases")),
    *((CASE + (name,), MISSING) for name in (
        "kernel", "type", "shape", "m", "n", "k", "backend", "operand_sets", "bits", "compared", "amount", "unit", "roof",
        "roof_rate", "converged", "passes", "sensors", "throttled_by", "variants")),
    *((VARIANT + (name,), MISSING) for name in (
        "name", "median", "minimum", "deviation", "median_low", "median_high", "ratio", "ratio_low", "ratio_high", "calls_per_sample", "samples")),
    (("schema",), "abax-perf 3"), (("schema",), 2), (("status",), None), (("status",), "x" * 10001),
    (("context",), ["CPU"]), (("context", "CPU"), 7), (("cases",), {}), (("cases",), [7]),
    *((CASE + (name,), 7) for name in ("kernel", "type", "shape", "backend", "bits", "unit", "roof", "variants", "passes")),
    *((CASE + (name,), -1) for name in ("m", "n", "k", "operand_sets", "compared", "amount", "roof_rate")),
    *((CASE + (name,), 0) for name in ("amount", "roof_rate")),
    (CASE + ("m",), 1.5), (CASE + ("m",), 10**19), (CASE + ("operand_sets",), 2**31), (CASE + ("unit",), "apples"),
    (CASE + ("roof",), "sky"), (CASE + ("converged",), "yes"), (CASE + ("passes",), []), (CASE + ("passes",), [0]),
    (CASE + ("sensors",), []), (CASE + ("sensors",), {"power_W": [1, 2]}), (CASE + ("sensors",), {"power_W": ["1", 2, 3]}),
    (CASE + ("throttled_by",), "power cap"), (CASE + ("throttled_by",), [7]), (CASE + ("variants",), []),
    (VARIANT + ("name",), None), (VARIANT + ("median_low",), 0), (VARIANT + ("ratio",), "1"), (VARIANT + ("samples",), []),
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
    (("ranks",), []), (RANK + ("rank",), -1), (RANK + ("pid",), "1"), (RANK + ("host",), None), (RANK + ("context",), []),
    (RANK + ("context", "CPU"), 7), (LINK + ("by",), "wire"), (LINK + ("from",), -1), (LINK + ("to",), 0.5),
    (LINK + ("intact",), "yes"), (LINK + ("rate",), 0), (LINK + ("latency",), -1e-6), (LINK + ("samples",), []),
    (LINK + ("samples", 0), "fast"), (OF_CASE + ("median",), 0), (OF_CASE + ("deviation",), -1e-9),
    (OF_CASE + ("bits",), 7), (("cases", 0, "ranks"), []), (("cases", 0, "slow"), [-1]), (("cases", 0, "slow"), 1),
    (("failures",), [{"rank": -1, "what": "", "why": ""}]), (("failures",), [{"rank": 0, "what": 1, "why": ""}]),
    (("slow",), [{"rank": 0, "cases": 1, "of": 1, "factor": 0}]), (("slow",), [{"rank": 0, "cases": 1, "of": 1}]),
]  # fmt: skip
CONTRADICTIONS = [  # what no schema can say
    (RANK + ("rank",), 1), (LINK + ("from",), 99), (LINK + ("to",), 0), (OF_CASE + ("rank",), 99), (OF_CASE + ("rank",), 1),
    (("cases", 0, "slow"), [99]), (("failures",), [{"rank": 99, "what": "", "why": ""}]),
    (("slow",), [{"rank": 99, "cases": 1, "of": 1, "factor": 2}]), (("slow",), [{"rank": 0, "cases": 2, "of": 1, "factor": 2}]),
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


def main(program, schema_file, new_file, *files):
    if not os.path.exists(new_file):  # of a program that needs a GPU
        print("skipped: no new result")
        return True
    schema = json.loads(pathlib.Path(schema_file).read_text())
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    wrong = []

    def run(file):
        return subprocess.run([program, "compare", new_file, file], capture_output=True, text=True)

    for file in (new_file, *files):
        for error in validator.iter_errors(json.loads(pathlib.Path(file).read_text())):
            wrong.append(f"{file}: {error.json_path}: {error.message[:200]}")
        if run(file).returncode == 2:
            wrong.append(f"{file} is not read")
    read = {file: json.loads(pathlib.Path(file).read_text()) for file in (new_file, *files)}
    good, of_ranks = read[new_file], next(text for text in read.values() if len(text.get("ranks", [])) > 1)
    with tempfile.TemporaryDirectory() as folder:
        bad_file = os.path.join(folder, "bad.json")

        def refused(what, text):
            pathlib.Path(bad_file).write_text(text)
            answer = run(bad_file)
            if answer.returncode != 2 or answer.stderr.count("\n") != 1:
                wrong.append(f"abax-perf takes {what}: status {answer.returncode}, {answer.stderr!r}")

        spoilt = [*((good, *one) for one in SPOILT), *((of_ranks, *one) for one in SPOILT_OF_RANKS + CONTRADICTIONS)]
        for base, where, value in spoilt:
            bad = spoil(base, where, value)
            what = f"{'.'.join(map(str, where))} {'missing' if value is MISSING else repr(value)[:40]}"
            contradiction = (where, value) in CONTRADICTIONS
            if validator.is_valid(bad) and not contradiction:
                wrong.append(f"the schema takes {what}")
            if contradiction or "samples" in where:  # what the program checks beside the schema
                refused(what, json.dumps(bad))
        for where, value in SPOILT[::12]:
            refused(where, json.dumps(spoil(good, where, value)))
        text = json.dumps({**of_ranks, "cases": of_ranks["cases"][:1]})
        for part in range(1, 5):
            refused(f"a file cut off after {part} fifths", text[: len(text) * part // 5])
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{1 + len(files)} files, {len(spoilt)} spoilt ones: {len(wrong)} not as they should be")
    return not wrong


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
