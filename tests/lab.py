# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one experiment of abax-lab, small, and examines what it says: lab.py PROGRAM FOLDER EXPERIMENT host|device"""
import json
import math
import pathlib
import re
import subprocess
import sys

KINDS = {"bank_grid", "line_grid", "predicted_counted", "lines", "bars", "ladder", "timeline", "table"}


def fail(what):
    sys.exit(f"lab.py: {what}")


def expect(condition, what):
    if not condition:
        fail(what)


def find(cases, pattern, variant=None):
    found = [c for c in cases if re.fullmatch(pattern, c["name"]) and variant in (None, c["variant"])]
    expect(found, f"no case {pattern} ({variant})")
    return found


def transpose_ladder(cases, device):
    for rung in ("copy", "naive", "tiled", "padded", "swizzled", "production"):
        expect(all(c["measured"]["bytes_per_second"] > 0 for c in find(cases, rf"\d+/{rung}")), f"{rung} has no rate")
    conflicts = {}
    for c in find(cases, r"\d+/(tiled|padded|swizzled)", "portable"):
        for a in c["accesses"]:
            if a["space"] == "scratch":
                conflicts.setdefault(c["name"].split("/")[1], []).append(a["model"]["wavefronts"] / a["model"]["wavefronts_ideal"])
    expect(conflicts == {"tiled": [1, 32], "padded": [1, 1], "swizzled": [1, 1]}, f"conflicts are {conflicts}")
    if device:
        find(cases, r"\d+/(naive|tiled|padded|swizzled)", "handwritten")


def product_ladder(cases, device):
    for rung in ("naive", "tiled 16 x 16, k by 16", "tiled 16 x 16, k by 64", "tiled 32 x 32, k by 32", "production"):
        expect(all(c["measured"]["flops_per_second"] > 0 for c in find(cases, rf"\d+/{rung}")), f"{rung} has no rate")
    if device:
        find(cases, r"\d+/production, with the copies")
        find(cases, r"\d+/scratch of 227 KB")


def vector(cases, device):
    for rung in ("nothing staged", "x staged, static 256", "x staged, run-time 100", "A and x staged", "production"):
        expect(all("partial tiles" in c["checked"] for c in find(cases, rung)), f"{rung}: partial tiles")
    if device:
        find(cases, "y in the host's memory", "handwritten")


def copies(cases, device):
    find(cases, "to the device/page-locked, asynchronous" if device else "copy, deep_copy", "portable")
    if device:
        for c in find(cases, r"increment and copies, \d stream.*"):
            expect(c["measured"]["seconds_until_queued"] > 0, "queueing takes time")
        find(cases, "increment/pitched rows", "handwritten")
        find(cases, "increment/mapped host memory", "handwritten")


def ordering(cases, device):
    messages = [c for c in cases if "messages" in c["measured"]]
    expect(messages, "no messages")
    for c in messages:
        m = c["measured"]
        outcomes = ("flag_and_data", "neither", "data_without_flag", "flag_without_data")
        expect(sum(m[o] for o in outcomes) == m["messages"], f"{c['name']}: outcomes are missing")
        expect(m["flag_and_data"] + m["flag_without_data"] > 0, f"{c['name']}: no flag arrived")
        if "forbidden" in c["notes"]["flag without data"]:
            expect(m["flag_without_data"] == 0, f"{c['name']}: a forbidden outcome")
    if device:
        expect(len(messages) == 14, "twelve ways of the twins, two of the portable kernel")
    find(cases, "reverse a tile/with the barrier", "portable")


def carveout(cases, device):
    for league in ("just enough", "four times as many", "a sixteenth of the"):
        find(cases, f"threads and elements/{league} threads", "portable")
    if device:
        for c in find(cases, "a kernel that lives on scratch/.*"):
            expect(c["measured"]["teams_per_multiprocessor"] >= 1, "no team was seen")


def memory(cases, device):
    chases = find(cases, "latency/memory, .*", "portable")
    steps = [c["measured"]["nanoseconds_per_step"] for c in chases]
    expect(steps[-1] > 2 * steps[0], f"far memory is not slower than near: {steps}")
    if device:
        for kind in ("registers", "scratch", "L1 cache", "L2 cache", "global memory", "constant, 2 KB"):
            find(cases, f"latency/{kind}", "handwritten")
            find(cases, f"bandwidth/{kind}", "handwritten")
    else:
        find(cases, "bandwidth/registers")
        find(cases, "bandwidth/memory, .*")


def main():
    program, folder, name, where = sys.argv[1:]
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    file = pathlib.Path(folder, f"{name}.{where}.json")
    file.unlink(missing_ok=True)
    run = subprocess.run([program, "run", name, "--quick", "--backend", where, "--seconds", "0.005", "--json", file],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    print(run.stdout)
    if run.returncode == 77:
        print("skipped: no GPU is visible")
        return
    expect(run.returncode == 0, f"{name} ended with {run.returncode}")
    (result,) = json.loads(file.read_text())["experiments"]
    cases = result["cases"]
    if where == "device" and not cases:
        print("skipped: this build has no GPU backend")
        return
    expect(result["name"] == name and result["title"] and result["text"], "the experiment does not explain itself")
    expect(where == "device" or result["left_out"], "the host leaves nothing out, and does not say what")
    expect(cases, "no cases")
    for c in cases:
        expect(c["checked"], f"{c['name']} was not checked")
        expect((c["backend"] == "CUDA") == (where == "device"), f"{c['name']} ran on {c['backend']}")
        for quantity, value in c["measured"].items():
            expect(math.isfinite(value) and value >= 0, f"{c['name']}: {quantity} is {value}")
        if "seconds_median" in c["measured"]:
            m = c["measured"]
            expect(0 < m["seconds_low"] <= m["seconds_median"] <= m["seconds_high"], f"{c['name']}: times")
    names = {(c["name"], c["backend"], c["variant"]) for c in cases}
    expect(len(names) == len(cases), "two cases have one name")
    labels = [c["label"] for c in cases if c["label"]]
    expect(len(labels) == len(set(labels)), "two cases have one label")
    expect(result["figures"] or name == "ordering", "no figures")  # the host's part of ordering draws nothing
    for f in result["figures"]:
        expect(f["kind"] in KINDS, f"a figure of kind {f['kind']}")
        expect(f["title"] and f["caption"].count(".") >= 2, f"{f['title']}: its caption says too little")
    globals()[name](cases, where == "device")


main()
