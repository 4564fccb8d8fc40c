# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads result files of `abax-perf run` and `abax-perf accuracy`. A file may be anybody's: it is held to a schema
(docs/results.schema.json is a run's), and to what no schema can say; a file that differs is refused with one line that
names the place."""

import json
import math
import pathlib
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit(3)  # another Python may have it, or the program says what to install

import results_schema

LARGEST = 64 << 20


class Refused(Exception):
    pass


def printable(text):
    return "".join("?" if ord(c) < 32 or ord(c) == 127 else c for c in str(text))


def unique(pairs):
    names = dict(pairs)
    if len(names) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return names


def finite(text):
    if not math.isfinite(value := float(text)):
        raise ValueError(f"{text} is no finite number")
    return value


def parsed(path):
    file = pathlib.Path(path)
    try:
        if not file.is_file():
            raise Refused(f"{path}: not a file")
        if file.stat().st_size > LARGEST:
            raise Refused(f"{path}: expected at most 64 MiB")
        return json.loads(file.read_text("utf-8"), object_pairs_hook=unique, parse_float=finite, parse_constant=finite)
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise Refused(f"{path}: not JSON, or cut off: {error}") from None


def read(path):
    return checked(path, parsed(path))


def object_of(**properties):
    return {"type": "object", "required": [name for name in properties if not name.endswith("_")],
            "properties": {name.rstrip("_"): kind for name, kind in properties.items()}}  # fmt: skip


TEXT, NUMBER, COUNT = {"type": "string"}, {"type": "number", "minimum": 0}, {"type": "integer", "minimum": 1}
PRODUCT = object_of(name=TEXT, bits_=COUNT, error=NUMBER, of_bound_=NUMBER)
ACCURACY_CASE = object_of(
    data=TEXT,
    type={"enum": ["f32", "f64"]},
    terms=COUNT,
    backend=TEXT,
    right={"type": "boolean"},
    products={"type": "array", "minItems": 1, "maxItems": 100, "items": PRODUCT},
)
ACCURACY = object_of(
    schema={"const": "abax-accuracy 1"},
    context={"type": "object", "additionalProperties": TEXT},
    rows=COUNT,
    cols=COUNT,
    cases={"type": "array", "maxItems": 10000, "items": ACCURACY_CASE},
)


def is_accuracy(value):
    return isinstance(value, dict) and str(value.get("schema", "")).startswith("abax-accuracy")


def read_either(path):
    """That of a run, or of accuracy."""
    value = parsed(path)
    if not is_accuracy(value):
        return checked(path, value)
    for error in Draft202012Validator(ACCURACY).iter_errors(value):
        raise Refused(f"{path}: {error.json_path}: {error.message[:200]}")
    return value


def checked(path, value):
    """A run's content. Samples are many, and so checked here in the place of the schema's validator."""
    schema = json.loads(results_schema.TEXT)
    schema["$defs"]["times"] = {"type": "array", "minItems": 1, "maxItems": 100000}
    for error in Draft202012Validator(schema).iter_errors(value):
        raise Refused(f"{path}: {error.json_path}: {error.message[:200]}")

    def expect(place, holds, what):
        if not holds:
            raise Refused(f"{path}: {place}: expected {what}")

    def times(place, samples):
        right = all(isinstance(s, (int, float)) and not isinstance(s, bool) and s > 0 for s in samples)
        expect(place, right, "numbers above 0")

    ranks = len(value.get("ranks", []))
    for place in ("ranks", "failures", "slow"):
        for i, one in enumerate(value.get(place, [])):
            right = one["rank"] == i if place == "ranks" else one["rank"] < ranks
            expect(f"{place}[{i}].rank", right and one.get("cases", 0) <= one.get("of", 0), "the number of a rank")
    for i, link in enumerate(value.get("links", [])):
        expect(f"links[{i}]", link["from"] != link["to"] and max(link["from"], link["to"]) < ranks, "two ranks")
        times(f"links[{i}].samples", link["samples"])
    known = set()
    for i, case in enumerate(value["cases"]):
        place = f"cases[{i}]"
        key = key_of(case)
        expect(place, key not in known, "a case that does not stand above")
        known.add(key)
        of_case = [r["rank"] for r in case.get("ranks", [])]
        right = len(set(of_case)) == len(of_case) and all(r < ranks for r in of_case)
        expect(f"{place}.ranks", right and set(case.get("slow", [])) <= set(of_case), "each rank once")
        case.setdefault("passes", [len(case["variants"][0]["samples"])])
        case.setdefault("converged", True)
        names = [v["name"] for v in case["variants"]]
        expect(f"{place}.variants", len(set(names)) == len(names), "each variant once")
        for v in case["variants"]:
            for name in [n for n in ("samples", "device_samples") if n in v]:
                times(f"{place}.{v['name']}.{name}", v[name])
                expect(f"{place}.{v['name']}.{name}", len(v[name]) == sum(case["passes"]), "as many as all passes have")
            marked = max(v.get("throttled", [0]))
            expect(f"{place}.{v['name']}.throttled", marked < len(v["samples"]), "numbers of samples")
            v["median"] = sorted(v["samples"])[len(v["samples"]) // 2]
    return value


def key_of(case):
    return tuple(printable(case[name]) for name in ("kernel", "type", "shape", "backend"))
