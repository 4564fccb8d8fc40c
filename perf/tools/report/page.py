# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the lab's result files on one page, for `abax-lab report`: main(PAGE, LEAVE_OUT, FILE...). The page is one file
that loads nothing and runs nothing."""

import importlib.util
import json
import os
import pathlib
import re
import sys

if not all(map(importlib.util.find_spec, ("jinja2", "jsonschema", "matplotlib"))):
    sys.exit(3)  # another Python may have them, or the program says what to install

import lab_schema
from jsonschema import Draft202012Validator
from results import Refused, parsed, printable

HIDING = "\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff"  # what stands beside it


def typeset(value):
    """All texts of a file, without what does harm in a page or a terminal; with n³ and 32 × 32."""
    if isinstance(value, str):
        value = re.sub(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{HIDING}]", "\ufffd", value)
        value = re.sub(r"\^(\d+)", lambda m: "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(d)] for d in m[1]), value)
        value = re.sub(r"(?<!\b0)(?<=\d)x(?=\d)|(?<=[\dkmns] )x(?= ([kmn]\b|\d|columns|terms))", "×", value)
        return re.sub("`(.*?)`", r"“\1”", value).replace("<-", "←")
    if isinstance(value, list):
        return [*map(typeset, value)]
    return {typeset(k): typeset(v) for k, v in value.items()} if isinstance(value, dict) else value


def read(path):
    file = parsed(path)
    for error in Draft202012Validator(json.loads(lab_schema.TEXT)).iter_errors(file):
        raise Refused(f"{path}: {error.json_path}: {error.message[:200]}")
    return {**typeset(file), "stem": typeset(pathlib.Path(path).stem)}


def leave_out(file, name, why):
    """Drops cases and bars whose names hold `name`; the experiments that had any say so. How many cases there were."""
    count = 0
    for experiment in file["experiments"]:
        cases = [case for case in experiment["cases"] if name not in case["name"]]
        if len(cases) < len(experiment["cases"]):
            count += len(experiment["cases"]) - len(cases)
            experiment.update(cases=cases, left_out=[*experiment["left_out"], f"{name}: {why}"])
        for figure in [f for f in experiment["figures"] if f["kind"] in ("bars", "ladder")]:
            figure["data"]["rows"] = [row for row in figure["data"]["rows"] if name not in row["label"]]
            if not figure["data"]["rows"]:
                experiment["figures"].remove(figure)
    return count


def write_whole(path, text):
    """Replaces `path`, or leaves it as it is."""
    beside = path.with_name(f".index-{os.getpid()}")
    try:
        try:
            beside.write_text(text, encoding="utf-8")
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise Refused(f"{path}: could not be written: {error.strerror}") from None


def main(target, left_out, *paths):
    try:
        files = [*map(read, paths)]
        name, _, why = (typeset(part.strip()) for part in left_out.partition("="))
        if left_out and not (name and why):
            raise Refused("--leave-out: expected NAME=WHY")
        if left_out and not sum(leave_out(file, name, why) for file in files):
            raise Refused(f"--leave-out: no case has “{name}” in its name")
        import content  # brings Matplotlib, which takes its time

        write_whole(pathlib.Path(target), content.page(files))
    except Refused as refused:
        print(f"abax-lab: {printable(typeset(str(refused)))}", file=sys.stderr)
        return 2
    print(target)
    return 0
