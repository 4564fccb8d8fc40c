#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spoils result files at random and has them read: readers.py FOLDER [FILES [SEED]]. `abax-perf compare` and `plot`,
and `abax-lab report`, must take each of the FILES (1000) or refuse it in one line; FOLDER is for the spoilt ones."""

import contextlib
import copy
import io
import json
import pathlib
import random
import sys
import traceback
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from perf_tools import ROOT, expect, finish

sys.path.append(str(ROOT / "perf" / "tools" / "report"))
sys.modules["lab_schema"] = types.ModuleType("lab_schema")
sys.modules["lab_schema"].TEXT = (ROOT / "docs" / "lab" / "lab.schema.json").read_text()
sys.modules["page_template"] = types.ModuleType("page_template")
sys.modules["page_template"].TEXT = (ROOT / "perf" / "tools" / "report" / "page.template.html").read_text()
import compare

try:
    import page
    import plot
except SystemExit:
    print("skipped: no Matplotlib or Jinja2")
    sys.exit(0)

ODD = [None, True, False, 0, -0.0, 1, -1, 2, 31, 32, 1e-320, 1e-9, 1e308, -1e308, 2**31, 2**63, 10**19, 10**400, "",
       "x", "\u0000", "\ud800", "\u202e", "a\nb", "x" * 20000, "NaN", "$x_{$", "{}", [], {}, [[]], [0] * 1000, {"": ""},
       [None], "</svg>", "gemm", "CUDA", "abax", "copy"]  # fmt: skip


def places(value, at=()):
    """The paths of all parts of a file."""
    yield at
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*at, key))


def part(value, path):
    for key in path:
        value = value[key]
    return value


def spoil(value, draw):
    """One part removed, doubled, named otherwise, or replaced: by something odd, another part, or a number near it."""
    paths = [*places(value)][1:]
    if not paths:
        return
    path = draw.choice(paths)
    owner, key, own = part(value, path[:-1]), path[-1], part(value, path)
    how = draw.randrange(6)
    if how == 0:
        del owner[key]
    elif how == 1 and isinstance(owner, list):
        owner.insert(draw.randrange(len(owner) + 1), copy.deepcopy(own))
    elif how == 2:
        owner[key] = copy.deepcopy(part(value, draw.choice(paths)))
    elif how == 3 and isinstance(own, (int, float)) and not isinstance(own, bool):
        owner[key] = draw.choice([own + 1, own - 1, -own, own * 2, own * 1e300, own / 3, int(own)])
    elif how == 4 and isinstance(owner, dict):
        owner[draw.choice(["", key.upper(), "x"])] = owner.pop(key)
    else:
        owner[key] = copy.deepcopy(draw.choice(ODD))


def spoilt_bytes(data, draw):
    """Bytes changed, lost, doubled, or the rest cut off."""
    data = bytearray(data)
    for _ in range(draw.choice([1, 1, 1, 4, 64])):
        at, how = draw.randrange(len(data)), draw.randrange(5)
        if how == 0:
            data[at] = draw.randrange(256)
        elif how == 1:
            del data[at : at + draw.choice([1, 10, 1000])]
        elif how == 2:
            data[at:at] = draw.choice([b'"', b"{", b"[", b",", b"\\", b"\0", b"\xff", b"[" * 100000, b"9" * 5000, b"-"])
        elif how == 3:
            data[at:at] = data[at : at + draw.choice([1, 20, 300])]
        else:
            del data[at:]
        data = data or bytearray(b" ")
    return bytes(data)


def file_of(number, seed, samples):
    """File `number` of the seed: its kind and its bytes."""
    draw = random.Random(f"{seed} {number}")
    kind = draw.choice([*samples])
    text = draw.choice(samples[kind])
    if draw.randrange(4) == 0:
        return kind, spoilt_bytes(text.encode(), draw)
    value = json.loads(text)
    for _ in range(draw.choice([1, 1, 1, 2, 3, 10])):
        spoil(value, draw)
    try:
        return kind, json.dumps(value, separators=(",", ":")).encode()
    except ValueError:  # a number of too many digits: as text
        return kind, b"[" + b"9" * 5000 + b"]"


def smaller(lab):
    """The lab's sample, an experiment to a file, so that drawing one takes no time."""
    for experiment in lab["experiments"]:
        for figure in experiment["figures"]:
            yield json.dumps({**lab, "experiments": [{**experiment, "figures": [figure]}]})


def main(folder, files="1000", seed="1"):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    results = [ROOT / "perf" / "results" / name for name in ("sample.json", "sample_version_1.json")]
    texts = [file.read_text() for file in results]
    lab = json.loads((ROOT / "tests" / "lab_sample.json").read_text("utf-8"))
    samples = {"compare": texts, "plot": texts, "report": [*smaller(lab)]}
    path, statuses = folder / "spoilt.json", {}
    readers = {
        "compare": lambda: compare.main(str(results[0]), str(path), "0.05", "", "", ""),
        "plot": lambda: plot.main(str(folder / "plots"), str(path)),
        "report": lambda: page.main(str(folder / "index.html"), "", str(path)),
    }
    for number in range(int(files)):
        kind, data = file_of(number, seed, samples)
        path.write_bytes(data)
        output, errors = io.StringIO(), io.StringIO()
        try:
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
                status = readers[kind]()
            wrong = "" if status in (0, 1) or errors.getvalue().count("\n") == 1 else errors.getvalue()
        except Exception:
            status, wrong = "crash", traceback.format_exc()
        if wrong:
            path.rename(folder / f"{kind}-{seed}-{number}.json")
        expect(f"{kind} takes or refuses file {number} of seed {seed}", not wrong, wrong[-1500:])
        statuses[kind, status] = statuses.get((kind, status), 0) + 1
    for (kind, status), count in sorted(statuses.items(), key=str):
        print(f"{kind}: status {status}: {count} files")


main(*sys.argv[1:])
finish()
