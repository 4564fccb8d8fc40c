# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one experiment of abax-lab, small, and examines what it says: lab.py PROGRAM FOLDER EXPERIMENT host|device"""
import json
import os
import math
import pathlib
import re
import subprocess
import sys

KINDS = {"bank_grid", "line_grid", "predicted_counted", "lines", "bars", "ladder", "timeline", "table"}
# Which names may stand where: what a clock says, what the case gives, and what kernels, a tool or the runtime answer.
MEMBERS = {"measured": r"(seconds|nanoseconds|cycles)_\w+|\w+_per_second",
           "given": r"(asked_)?bytes|bytes_of_a_thread|flops|steps|rounds|messages",
           "output": r"flag_and_data|neither|data_without_flag|flag_without_data|hazards|bank_bytes|"
                     r"teams_per_multiprocessor|looks_while_waiting"}
# What may have timed a case.
CLOCKS = {"host": ("the host's",),
          "device": ("events on the device", "the host's, until the device is done",
                     "events on the device; until all was queued, the host's")}


def fail(what):
    sys.exit(f"lab.py: {what}")


def expect(condition, what):
    if not condition:
        fail(what)


def find(cases, pattern, variant=None):
    found = [c for c in cases if re.fullmatch(pattern, c["name"]) and variant in (None, c["variant"])]
    expect(found, f"no case {pattern} ({variant})")
    return found


def figures_of(file):
    return file["experiments"][0]["figures"]


def bytes_of(text):
    """Of "60 MiB, ..." or "64 KB" at the end or the beginning of a text."""
    amount, unit = re.search(r"([\d.]+) ([KMG])i?B", text).groups()
    return float(amount) * 1024 ** (1 + "KMG".index(unit))


def gpu_of(file):
    """The property sheet of the GPU that Abax runs on, or None."""
    return next((sheet for title, sheet in file["device"].items() if title.startswith("CUDA device")
                 and "Abax" in title), None)


def wavefronts(case):
    """Of the launch: loads from scratch, stores to scratch."""
    return tuple(sum(a["model"]["wavefronts"] for a in case["accesses"] if a["what"] == what)
                 for what in ("load from scratch", "store to scratch"))


def tile(cases, file, device):
    ways = {"rows, read rows": (32, 32), "columns, read columns": (1024, 1024), "rows, read columns": (1024, 32),
            "columns, read rows": (32, 1024)}
    for way, plain in ways.items():
        for form in ("static", "dynamic", "padded", "dynamic, padded", "swizzled", "dynamic, swizzled"):
            expected = plain if form in ("static", "dynamic") else (32, 32)
            for c in find(cases, f"32x32/write {way}/{form}"):
                expect(wavefronts(c) == expected, f"{c['name']}: {wavefronts(c)} wavefronts, not {expected}")
    for c in find(cases, "16x32/write rows, read columns/.*"):
        expected = (256, 16) if c["name"].rsplit("/", 1)[1] in ("static", "dynamic") else (16, 16)
        expect(wavefronts(c) == expected, f"{c['name']}: {wavefronts(c)} wavefronts, not {expected}")
    for c in find(cases, "4x4/.*"):
        printed = c["notes"]["printed"]
        expect(printed == "0 4 8 12 1 5 9 13 2 6 10 14 3 7 11 15", f"{c['name']}: {printed}")
    (shown,) = [f for f in figures_of(file) if f["title"].startswith("What a round over a tile")]
    expect(len(shown["data"]["rows"]) == (24 if device else 12), "a bar for each way and form")
    rows = next(f for f in figures_of(file) if f["title"].startswith("A warp reads a row"))
    expect(all(p["wavefronts"] == 1 for p in rows["data"]["panels"]), "a row has conflicts")
    if device:
        find(cases, "32x32/write rows, read columns/dynamic, swizzled", "handwritten")


def sweep(cases, file, device):
    for width, least in ((4, 8), (8, 16), (16, 32)):
        for c in find(cases, rf"{width} bytes/stride (1|3|31|33)"):
            expect(wavefronts(c) == (least, least), f"{c['name']}: {wavefronts(c)} wavefronts")
        for c in find(cases, f"{width} bytes/stride 32"):
            expect(wavefronts(c) == (256, 256), f"{c['name']}: {wavefronts(c)} wavefronts")
        for c in find(cases, f"{width} bytes/32 lanes a word, stride 1"):
            expected = (max(8, least // 2), least)  # a load takes twice as many lanes at a time
            expect(wavefronts(c) == expected, f"{c['name']}: {wavefronts(c)} wavefronts, not {expected}")
    for title, last in (("Lanes that share a word, side by side", (1, 1, 2)),
                        ("Lanes that share a word, 32", (2, 2, 2))):
        (shown,) = [f for f in figures_of(file) if f["title"].startswith(title)]
        ends = tuple(s["points"][-1][1] for s in shown["data"]["series"])
        expect(ends == last, f"{title}: {ends} wavefronts where most share one")
    (shown,) = [f for f in figures_of(file) if f["title"].startswith("Conflicts that go")]
    nanoseconds = {}
    for row in shown["data"]["rows"]:
        nanoseconds.setdefault(row["group"], []).append(row["value"])
    expect(set(nanoseconds) == ({"handwritten", "portable"} if device else {"portable"}), f"{nanoseconds}")
    for variant, (conflicts, none, hidden, still) in nanoseconds.items():
        for share, how in ((1 - none / conflicts, "without arithmetic"), (1 - still / hidden, "with it")):
            found = re.search(rf"{variant} [^;]*?(-?\d+) % {how}", shown["caption"])
            expect(found and abs(int(found[1]) - 100 * share) <= 0.6, f"{shown['caption']} {nanoseconds}")
    if device:  # what the caption is about
        conflicts, none, hidden, still = nanoseconds["handwritten"]
        expect(none < 0.75 * conflicts and still > 0.85 * hidden,
               f"conflicts do not show, or are not hidden: {nanoseconds}")


def coalescing(cases, file, device):
    def moved(name):
        (c, *_) = find(cases, name)
        model = c["accesses"][0]["model"]
        return model["lines"], model["sectors"], model["share_of_lines"], model["share_of_sectors"]

    for name, expected in {
        "bytes 0-127 in a mixed order": (1, 4, 1, 1),
        "one word for all lanes": (1, 1, 0.03125, 0.125),
        "bytes 96-223": (2, 4, 0.5, 1),
        "bytes 96-223 by one team, 0-95 by another": (3, 7, 0.5, 1),
        "32 bytes each at 0, 128, 256 and 480": (4, 4, 0.25, 1),
    }.items():
        expect(moved(f"classic/{name}") == expected, f"{name}: {moved(f'classic/{name}')}, not {expected}")
    for c in find(cases, "classic/bytes 96-223 by one team, 0-95 by another"):
        model = c["accesses"][0]["model"]
        together = tuple(model[q] for q in ("bytes_asked_once", "sectors_once", "lines_once"))
        expect(together == (224, 7, 2), f"{c['name']}: together {together}")
    (shown,) = [f for f in figures_of(file) if f["title"].startswith("The five classic reads")]
    rows = {row[0]: row[1:5] for row in shown["data"]["rows"]}
    expect(rows["bytes 96-223 by one team, 0-95 by another"] == ["3", "58.33 %", "7", "100 %"], f"{rows}")
    expect(rows["the same, both teams together"] == ["2", "87.5 %", "7", "100 %"], f"{rows}")
    expect(rows["one word for all lanes"] == ["1", "3.125 %", "1", "12.5 %"], f"{rows}")
    expect(moved("stride/32 words")[1] == 32 * 32, "a sector for each thread")
    expect(moved("offset/1 words")[1] == 5 * 32, "a sector more for each warp")


def transpose_ladder(cases, file, device):
    for rung in ("copy", "naive", "tiled", "padded", "swizzled", "production"):
        expect(all(c["measured"]["bytes_per_second"] > 0 for c in find(cases, rf"\d+/{rung}")), f"{rung} has no rate")
    conflicts = {}
    for c in find(cases, r"\d+/(tiled|padded|swizzled)", "portable"):
        for a in c["accesses"]:
            if a["space"] == "scratch":
                times = a["model"]["wavefronts"] / a["model"]["wavefronts_ideal"]
                conflicts.setdefault(c["name"].split("/")[1], []).append(times)
    expect(conflicts == {"tiled": [1, 32], "padded": [1, 1], "swizzled": [1, 1]}, f"conflicts are {conflicts}")
    if device:
        find(cases, r"\d+/(naive|tiled|padded|swizzled)", "handwritten")


def product_ladder(cases, file, device):
    for rung in ("naive", "tiled 16 x 16, k by 16", "tiled 16 x 16, k by 64", "tiled 32 x 32, k by 32", "production"):
        expect(all(c["measured"]["flops_per_second"] > 0 for c in find(cases, rf"\d+/{rung}")), f"{rung} has no rate")
    if device:
        find(cases, r"\d+/production, with the copies")
        find(cases, r"\d+/scratch of 227 KB")


def in_kernel(cases, file, device):
    for way in ("a thread for each output", "team::gemm, plain tiles", "team::gemm, any size", "team::gemm"):
        found = find(cases, rf"(float|double)/[^/]*/{way}")
        expect(len(found) == 6, f"{way}: {len(found)} cases")
        expect(all(c["measured"]["flops_per_second"] > 0 for c in found), f"{way} has no rate")
    find(cases, r"\d+/the tutorial's")


def vector(cases, file, device):
    for rung in ("nothing staged", "x staged, static 256", "x staged, run-time 100", "A and x staged", "production"):
        expect(all("partial tiles" in c["checked"] for c in find(cases, rung)), f"{rung}: partial tiles")
    if device:
        for c in find(cases, "production"):
            expect(c["notes"]["clock"] == "events on the device", f"{c['name']} was timed by {c['notes']['clock']}")
        for c in find(cases, "y in the host's memory", "handwritten"):
            expect(c["notes"]["clock"].startswith("the host's"), f"{c['name']} was timed by {c['notes']['clock']}")


def copies(cases, file, device):
    find(cases, "to the device/page-locked, asynchronous" if device else "copy, deep_copy", "portable")
    if device:
        for c in find(cases, r"increment and copies, \d stream.*"):
            expect(c["measured"]["seconds_until_queued"] > 0, "queueing takes time")
        find(cases, "increment/pitched rows", "handwritten")
        find(cases, "increment/mapped host memory", "handwritten")


def ordering(cases, file, device):
    messages = [c for c in cases if "messages" in c["given"]]
    one_thread = len(os.sched_getaffinity(0)) == 1 or os.environ.get("OMP_NUM_THREADS") == "1"
    expect(messages or (one_thread and not device), "no messages")
    for c in messages:
        m = c["output"]
        outcomes = ("flag_and_data", "neither", "data_without_flag", "flag_without_data")
        expect(sum(m[o] for o in outcomes) == c["given"]["messages"], f"{c['name']}: outcomes are missing")
        expect(m["flag_and_data"] + m["flag_without_data"] > 0, f"{c['name']}: no flag arrived")
        if "forbidden" in c["notes"]["flag without data"]:
            expect(m["flag_without_data"] == 0, f"{c['name']}: a forbidden outcome")
    if device:
        expect(len(messages) == 14, "twelve ways of the twins, two of the portable kernel")
    find(cases, "reverse a tile/with the barrier", "portable")


def carveout(cases, file, device):
    for league in ("just enough", "four times as many", "a sixteenth of the"):
        find(cases, f"threads and elements/{league} threads", "portable")
    if device:
        for c in find(cases, "a kernel limited by scratch/.*"):
            expect(c["output"]["teams_per_multiprocessor"] >= 1, "no team was seen")
        (shown,) = [f for f in figures_of(file) if f["title"].startswith("Requests")]
        for request, *_, effect in shown["data"]["rows"][1:]:
            differs = False
            for kernel in ("the L1", "scratch"):
                (asked,), (none,) = (find(cases, re.escape(f"a kernel limited by {kernel}/{r}"))
                                     for r in (request, "no request"))
                a, b = asked["measured"], none["measured"]
                differs |= a["seconds_low"] > 1.01 * b["seconds_high"] or 1.01 * a["seconds_high"] < b["seconds_low"]
                differs |= asked["output"] != none["output"]
            expect((effect == "seen") == differs, f"{request}: {effect}, but its times say otherwise")


def memory(cases, file, device):
    chases = find(cases, "latency/memory, .*", "portable")
    steps = [c["measured"]["nanoseconds_per_step"] for c in chases]
    cache = bytes_of(gpu_of(file)["L2 cache"]) if device else 0
    # A ring that fits the L2 with room to spare is found there: it answers in far less time than memory.
    held = [s for c, s in zip(chases, steps) if bytes_of(c["name"]) <= cache / 4]
    expect(all(s < 0.75 * steps[-1] for s in held), f"a ring within {cache} bytes of L2 is as slow as memory: {steps}")
    expect(steps[-1] > 2 * steps[0], f"far memory is not slower than near: {steps}")
    if device:
        for kind in ("registers", "scratch", "L1 cache", "L2 cache", "global memory", "constant, 2 KB"):
            find(cases, f"latency/{kind}", "handwritten")
            find(cases, f"bandwidth/{kind}", "handwritten")
    else:
        find(cases, "bandwidth/registers")
        for c in find(cases, "bandwidth/memory, .*"):
            pages = c["notes"]["pages"]
            expect(pages == "first touched by the threads that read them", f"{c['name']}: {pages}")


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
    written = json.loads(file.read_text())
    (result,) = written["experiments"]
    cases = result["cases"]
    if where == "device" and gpu_of(written) is None:
        expect(not cases, "cases of a GPU, and no GPU")
        print("skipped: this build has no GPU backend")
        return
    expect(result["name"] == name and result["title"] and result["text"], "the experiment does not explain itself")
    expect(where == "device" or result["left_out"], "the host leaves nothing out, and does not say what")
    expect(cases, "no cases")
    for c in cases:
        expect(c["checked"], f"{c['name']} was not checked")
        expect((c["backend"] == "CUDA") == (where == "device"), f"{c['name']} ran on {c['backend']}")
        for member, names in MEMBERS.items():
            for quantity, value in c[member].items():
                expect(re.fullmatch(names, quantity), f"{c['name']}: {quantity} stands among {member}")
                expect(math.isfinite(value) and value >= 0, f"{c['name']}: {quantity} is {value}")
        if "seconds_median" in c["measured"]:
            m = c["measured"]
            expect(0 < m["seconds_low"] <= m["seconds_median"] <= m["seconds_high"], f"{c['name']}: times")
            expect(c["notes"]["clock"] in CLOCKS[where], f"{c['name']} was timed by {c['notes']['clock']}")
    names = {(c["name"], c["backend"], c["variant"]) for c in cases}
    expect(len(names) == len(cases), "two cases have one name")
    labels = [c["label"] for c in cases if c["label"]]
    expect(len(labels) == len(set(labels)), "two cases have one label")
    expect(result["figures"] or name == "ordering", "no figures")  # the host's part of ordering draws nothing
    for f in result["figures"]:
        expect(f["kind"] in KINDS, f"a figure of kind {f['kind']}")
        expect(f["title"] and f["caption"].count(".") >= 2, f"{f['title']}: its caption says too little")
    globals()[name](cases, written, where == "device")


main()
