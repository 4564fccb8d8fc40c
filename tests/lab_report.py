#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the lab's page: lab_report.py PROGRAM FOLDER [browser].

PROGRAM is abax-lab. Without `browser`: pages from a file with figures of every kind and from a short real run hold
what they must, load nothing, and are refused where a file or folder is wrong. With it: they are loaded in Chromium, at
a phone's and a desk's width, and every figure must have drawn something, inside the window.
"""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

SVG_KINDS = {"bank_grid", "line_grid", "predicted_counted", "lines", "bars", "ladder", "timeline"}
HOSTILE = '</svg><script>alert(1)</script>&"\'\u202e x\u0000 <img src=http://example.org/a onerror=b>'


# ---------------------------------------------------------------------------------------------------------------------
# A result with every kind of figure, and values that are easily drawn wrong.


def bank_panel(title, address, rows=32, cols=32, width=4, pad=0, by_column=True):
    """A tile of `rows` lines; the access goes down its first column, or along its first row."""
    cells = []
    for r in range(rows):
        line = []
        for c in range(cols + pad):
            asked = (c == 0 and r < 32) if by_column else (r == 0 and c < 32)
            cell = {"lane": (r if by_column else c) if asked else -1, "bank": address(r, c) // 4 % 32}
            line.append({**cell, "pad": True} if c >= cols else cell)
        cells.append(line)
    per_bank = [0] * 32
    for line in cells:
        for cell in line:
            if cell["lane"] >= 0:
                for b in range(width // 4):
                    per_bank[cell["bank"] + b] += 1
    return {"title": title, "width": width, "rows": rows, "cols": cols, "banks": 32, "cells": cells,
            "wavefronts": max(per_bank), "ideal": width // 4}  # fmt: skip


def line_panel(title, lanes, width=4):
    touched = [a + w for a in lanes if a >= 0 for w in range(width)]
    sectors, lines = sorted({a // 32 * 32 for a in touched}), sorted({a // 128 * 128 for a in touched})
    asked = len(set(touched))
    return {"title": title, "first_byte": 0, "bytes": 512, "lanes": lanes, "width": width, "sectors": sectors, "lines": lines,
            "asked_share_sectors": asked / (32 * len(sectors)), "asked_share_lines": asked / (128 * len(lines))}  # fmt: skip


def case(name, backend, variant, label="", counted=None, **more):
    return {
        "name": name, "backend": backend, "variant": variant, "label": label, "checked": "1024 of 1024 words as on the host",
        "accesses": [{"what": "load from scratch", "space": "scratch", "width": 4, "addresses": [128 * l for l in range(32)],
                      "model": {"wavefronts": 1024, "wavefronts_ideal": 32, "requests": 32}}],
        "given": {"bytes": 8060}, "output": {"hazards": 2},
        "measured": {"seconds_median": 3.1e-6, "seconds_low": 3.0e-6, "seconds_high": 3.4e-6, "bytes_per_second": 2.6e9},
        "counted": counted or {}, "notes": {"teams": "1 of 32 x 32 threads"}, **more,
    }  # fmt: skip


def figure(kind, title, data, caption=None, x="", y=""):
    caption = caption or ("A sentence that says what is drawn. Another one, that says what a reader should see in it. And a third that "
                          "says why it matters.")  # fmt: skip
    return {"kind": kind, "title": title, "caption": caption, "x": x, "y": y, "data": data}


def fixture():
    plain, padded = (lambda r, c: 4 * (32 * r + c)), (lambda r, c: 4 * (33 * r + c))
    swizzled = lambda r, c: 4 * (32 * r + (c ^ r % 32))
    double = lambda r, c: 8 * (17 * r + c)
    banks = {"panels": [bank_panel("plain", plain), bank_panel("padded by one word", padded, pad=1), bank_panel("swizzled", swizzled)]}
    odd_banks = {"panels": [bank_panel("a 4 x 4 tile", lambda r, c: 4 * (4 * r + c), 4, 4),
                            bank_panel("words of eight bytes", double, 16, 16, 8, 1),
                            bank_panel("along a row", plain, 2, 64, by_column=False)]}  # fmt: skip
    odd_banks["panels"][0]["cells"][0][0]["lanes"] = list(range(32))  # all lanes read one word
    lines = {"panels": [line_panel("bytes 0 to 127, in reverse", [124 - 4 * l for l in range(32)]),
                        line_panel("one word for all", [64] * 32),
                        line_panel("bytes 96 to 223", [96 + 4 * l for l in range(32)]),
                        line_panel("four pieces of 32 bytes", [128 * (l // 8) + (96 if l >= 24 else 0) + 4 * (l % 8) for l in range(32)]),
                        line_panel("32 words apart, sixteen bytes each, half the lanes", [4096 * l if l % 2 else -1 for l in range(32)], 16)]}  # fmt: skip
    counted = [case("square/write rows, read columns/plain", "CUDA", v, f"tile/square/plain/{v}", {"load_wavefronts": n, "nothing": 0})
               for v, n in (("portable", 1024), ("handwritten", 1000))]  # fmt: skip
    rows = [{"label": c["label"], "what": what, "predicted": n} for c in counted for what, n in (("load_wavefronts", 1024), ("nothing", 0))]
    counted += [case(f"many/{i}", "CUDA", "portable", f"many/{i}", {"load_wavefronts": i}) for i in range(100)]
    rows += [{"label": f"many/{i}", "what": "load_wavefronts", "predicted": i, "text": "loads, in wavefronts"} for i in range(100)]
    uncounted = [{"label": f"tile/{i}", "what": "store_wavefronts", "predicted": n} for i, n in enumerate((0, 1, 32, 1024, 7.5))]
    strides = [[s, 32 // max(1, 32 // s) if s <= 32 else 1] for s in range(1, 34)]
    sizes = [2**i for i in range(10, 28)]
    sweep = {"series": [{"name": f"{b} bytes", "points": [[s, w * b // 4] for s, w in strides]} for b in (4, 8, 16)],
             "log_x": False, "log_y": False, "unit": "", "source": "model"}  # fmt: skip
    both = {"series": [{"name": "predicted", "source": "model", "points": [[x, 100 + 0.001 * x] for x in range(0, 5)]},
                       {"name": "timed, with an interval around each of its medians", "source": "clock",
                        "points": [[x, 101 + x % 3, 99 + x % 3, 104 + x % 3] for x in range(0, 5)]},
                       {"name": "counted", "source": "counter", "points": [[x, 100 - x] for x in range(0, 5)]}],
            "log_x": False, "log_y": False, "unit": "ns"}  # fmt: skip
    logs = {"series": [{"name": "CUDA", "points": [[s, s / 3e9 + 2e-6] for s in sizes]},
                       {"name": "OpenMP", "points": [[s, s / 1e10 + 1e-6] for s in sizes]}],
            "log_x": True, "log_y": True, "unit": "s", "source": "clock"}  # fmt: skip
    ladder = [(("registers", 4e13), ("scratch", 2.9e13), ("L1", 2.5e13), ("L2", 7e12), ("global", 4.4e12)),
              (("L1d", 4.1e11), ("L2", 2e11), ("memory of the other socket, through the link between the two", 1.5e10))]  # fmt: skip
    device = {"CUDA 0": {"name": "A GPU", "multiprocessors": 132, "scratch per team": "227 KB", "bytes_of_L2": 52428800, "nested": {"clock_hertz": 1.98e9}},
              "Host": {"CPU": "A processor", "caches": ["48 KB", "2 MB", {"L3": "33 MB"}], "AVX-512": True, "unknown": None}}  # fmt: skip
    figures = [
        figure("bank_grid", "Reading a column of a 32 x 32 tile", banks),
        figure("bank_grid", "Other tiles", odd_banks),
        figure("line_grid", "Five patterns of a warp's reads", lines),
        figure("predicted_counted", "Wavefronts", {"rows": rows + uncounted}),
        figure("predicted_counted", "Nothing to count", {"rows": []}),
        figure("lines", "Stride and wavefronts", sweep, x="stride, words", y="wavefronts a request"),
        figure("lines", "Three kinds of numbers", both, x="padding, words", y="time"),
        figure("lines", "Latency over size", logs, x="bytes", y="time of a call"),
        figure("lines", "One point, and a constant", {"series": [{"name": "", "points": [[0, 0]]}], "log_x": False, "log_y": False, "unit": "", "source": "clock"}),
        figure("bars", "Percent of copy", {"unit": "GB/s", "source": "clock", "rows": [
            {"label": "copy", "value": 4280, "low": 4270, "high": 4300, "share": 1},
            {"label": "the naive transpose, which writes one word of each line at a time", "value": 900, "share": 0.21},
            {"label": "nothing", "value": 0, "share": 0}, {"label": "padded", "value": 3600, "low": 3000, "high": 4200, "share": 0.84},
            {"label": "predicted by the model", "value": 4000, "source": "model"}]}),
        figure("bars", "Below zero", {"unit": "%", "source": "clock", "rows": [{"label": "lost", "value": -3.5, "low": -4, "high": -3}, {"label": "won", "value": 1}]}),
        figure("ladder", "Bandwidth", {"unit": "B/s", "source": "clock", "rows": [
            {"label": l, "value": v, "low": 0.9 * v, "high": v * 1.2, "group": g} for g, rungs in zip(("CUDA", "OpenMP"), ladder) for l, v in rungs]}),
        figure("timeline", "One stream, and four", {"unit": "ms", "source": "clock", "lanes": [
            {"name": f"stream {s}", "spans": [{"label": f"{k} {s}", "begin": s + 1.3 * i, "end": s + 1.3 * i + (1.2 if i else 0)}
                                              for i, k in enumerate(("in", "kernel", "out"))]} for s in range(4)] + [{"name": "an idle stream with a long name", "spans": []}]}),
        figure("table", "Carve-out", {"source": "clock", "columns": ["wish", "given", "time, µs"], "rows": [["shared", "ignored", 3.25], ["L1", None, True]]}),
    ]  # fmt: skip
    hostile = [figure(k, HOSTILE, d, HOSTILE, HOSTILE, HOSTILE) for k, d in (
        ("bank_grid", {"panels": [{**odd_banks["panels"][0], "title": HOSTILE}]}),
        ("line_grid", {"panels": [{**lines["panels"][0], "title": HOSTILE}]}),
        ("predicted_counted", {"rows": [{"label": HOSTILE, "what": HOSTILE, "predicted": 1}]}),
        ("lines", {"series": [{"name": HOSTILE, "points": [[1, 1], [2, 2]]}] * 2, "log_x": False, "log_y": False, "unit": HOSTILE, "source": "clock"}),
        ("bars", {"unit": HOSTILE, "source": "clock", "rows": [{"label": HOSTILE, "group": HOSTILE, "value": 1}]}),
        ("ladder", {"unit": HOSTILE, "source": "clock", "rows": [{"label": HOSTILE, "value": 1}]}),
        ("timeline", {"unit": HOSTILE, "source": "clock", "lanes": [{"name": HOSTILE, "spans": [{"label": HOSTILE, "begin": 0, "end": 1}]}]}),
        ("table", {"source": "clock", "columns": [HOSTILE], "rows": [[HOSTILE]]}))]  # fmt: skip
    return {"schema": "abax-lab/1", "version": "0.1.0", "commit": "0123456789ab", "context": {"CPU": "A processor", HOSTILE: HOSTILE},
            "device": {**device, HOSTILE: {HOSTILE: HOSTILE}},
            "experiments": [{"name": "tile", "title": "A tile's rows and columns", "text": ["What this teaches.", "And how."], "left_out": [],
                             "cases": counted + [case("square/write rows, read columns/plain", "OpenMP", "portable")], "figures": figures},
                            {"name": HOSTILE, "title": HOSTILE, "text": [HOSTILE], "left_out": ["CUDA: none visible", HOSTILE],
                             "cases": [case(HOSTILE, HOSTILE, HOSTILE, HOSTILE, {HOSTILE: 1})], "figures": hostile}]}  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------------

failures = 0


def expect(what, holds):
    global failures
    if not holds:
        failures += 1
        print(f"not so: {what}", flush=True)


def run(*arguments, **more):
    return subprocess.run([*map(str, arguments)], capture_output=True, text=True, timeout=300, **more)


def written(folder, results, name="result.json"):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / name).write_text(json.dumps(results))
    return folder


def check_page(folder, results):
    """What must hold of any page, and that it shows all figures of `results`."""
    text = (folder / "index.html").read_text()
    name = folder.name
    expect(f"{name}: for phones, for dark rooms and for paper", all(t in text for t in ("width=device-width", "prefers-color-scheme: dark", "@media print")))
    try:
        page = xml.etree.ElementTree.fromstring(text)
    except xml.etree.ElementTree.ParseError as error:
        expect(f"{name}: is well formed ({error})", False)
        return
    tags, attributes = {e.tag for e in page.iter()}, {a for e in page.iter() for a in e.keys()}
    expect(f"{name}: runs nothing", "script" not in tags and not any(a.startswith("on") for a in attributes))
    expect(f"{name}: loads nothing", not tags & {"link", "img", "image", "iframe", "object", "embed", "use", "base", "audio", "video"}
           and not attributes & {"src", "srcset", "data", "action"} and not re.search(r"url\(|@import", page.find("head/style").text))  # fmt: skip
    expect(f"{name}: leads nowhere else", all(e.get("href", "#").startswith("#") for e in page.iter()))
    identities = [e.get("id") for e in page.iter() if e.get("id")]
    expect(f"{name}: names each part once", len(identities) == len(set(identities)))
    targets = [e.get("href")[1:] for e in page.iter("a")]
    expect(f"{name}: its links find their parts", targets and set(targets) <= set(identities))
    wanted = [f for r in results for e in r["experiments"] for f in e["figures"]]
    drawn = list(page.iter("figure"))
    expect(f"{name}: shows all figures ({len(drawn)} of {len(wanted)})", len(drawn) == len(wanted))
    for f, data in zip(drawn, (f["data"] for f in wanted)):
        if data.get("rows") == []:  # nothing that could be counted: it says so
            continue
        pictures = list(f.iter("svg"))
        kind = f.get("class").split()[0].replace("-", "_")
        expect(f"{name}: {f.get('id')} is drawn", kind == "table" or any(p.get("id") for p in pictures))
        expect(f"{name}: {f.get('id')} has its numbers, too", next(f.iter("table"), None) is not None)
        expect(f"{name}: {f.get('id')} has a caption", len("".join(next(f.iter("figcaption")).itertext())) > 20)
        expect(f"{name}: {f.get('id')} says what its numbers come from", next(f.find("h4").iter("span"), None) is not None)
        for p in pictures:
            if p.get("id"):
                expect(f"{name}: {p.get('id')} has marks", sum(1 for m in p.iter() if m.tag in ("rect", "path", "circle")) > 0)
                expect(f"{name}: {p.get('id')} is told in words", p.find("title").text and p.find("desc").text)
            for m in p.iter():
                for value in (m.get(a, "") for a in ("x", "y", "width", "height", "d", "viewBox")):
                    expect(f"{name}: {p.get('id')}: {value}", not re.search("nan|inf|None", value))
                expect(f"{name}: no negative sizes", float(m.get("width", 0)) >= 0 and float(m.get("height", 0)) >= 0)
    return page


def refused(program, folder, why):
    """A wrong folder gives one line and status 2, and leaves the page as it was."""
    before = (folder / "index.html").read_bytes() if (folder / "index.html").is_file() else None
    end = run(program, "report", folder)
    expect(f"{why}: status 2, not {end.returncode}", end.returncode == 2)
    expect(f"{why}: one line, not {end.stderr!r}", re.fullmatch(r"abax-lab: [^\n]*\n", end.stderr) is not None)
    after = (folder / "index.html").read_bytes() if (folder / "index.html").is_file() else None
    expect(f"{why}: nothing was written", before == after and not list(folder.glob(".index*")) if folder.is_dir() else True)


def changed(results, path, value):
    """The results with one value replaced (or removed: ...)."""
    copy = json.loads(json.dumps(results))
    at = copy
    for key in path[:-1]:
        at = at[key]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = json.loads(json.dumps(value))
    return copy


def check_refusals(program, folder, good):
    text = json.dumps(good)
    figures = ("experiments", 0, "figures")
    of = {}
    for i, f in enumerate(good["experiments"][0]["figures"]):
        of.setdefault(f["kind"], i)
    wrong = {
        "an empty file": "", "half a file": text[: len(text) // 2], "no JSON": "<html></html>", "a list": "[]", "a number": "1",
        "another schema": text.replace("abax-lab/1", "abax-lab/2"), "no schema": json.dumps(changed(good, ("schema",), ...)),
        "deep nesting": "[" * 200000, "not UTF-8": None,
        "NaN": text.replace('"predicted": 1024', '"predicted": NaN', 1), "an infinite number": text.replace('"predicted": 1024', '"predicted": 1e999', 1),
    }  # fmt: skip
    for path, values in {
        ("experiments",): (1, {"a": 1}),
        ("experiments", 0, "name"): (..., 3),
        ("experiments", 0, "cases", 0, "checked"): (...,),
        ("experiments", 0, "cases", 0, "measured"): ({"seconds": "fast"}, [1]),
        ("experiments", 0, "cases", 0, "given"): ({"bytes": "many"}, 1),
        (*figures, 0, "kind"): ("pie", ...),
        (*figures, of["bank_grid"], "data", "panels", 0, "cells"): ([], [[{"lane": 0, "bank": 32}]], [[{"lane": 0.5, "bank": 1}]], [[7]]),
        (*figures, of["bank_grid"], "data", "panels", 0, "rows"): (10**9, -1, True),
        (*figures, of["line_grid"], "data", "panels", 0, "lanes"): ([], ["a"], [10**400]),
        (*figures, of["predicted_counted"], "data", "rows", 0, "predicted"): ("<b>", None),
        (*figures, of["lines"], "data", "series"): ([], [{"name": "a", "points": [[1]]}], [{"name": "a", "points": [[1, 2, 3, 4, 5]]}]),
        (*figures, of["lines"], "data", "source"): ("a guess",),
        (*figures, of["bars"], "data", "rows", 0, "low"): (1e9,),
        (*figures, of["ladder"], "data", "rows", 0, "low"): (0, -1),
        (*figures, of["timeline"], "data", "lanes", 0, "spans", 0, "end"): (-1,),
        (*figures, of["timeline"], "data", "lanes"): ([],),
        (*figures, of["table"], "data", "rows"): ([["too", "few"]],),
        ("device",): ("a GPU", 3),
        ("context",): ({"CPU": ["a"]},),
    }.items():
        for value in values:
            wrong[f"{'.'.join(map(str, path))} = {value}"] = json.dumps(changed(good, path, value))
    at = written(folder / "wrong", good)
    run(program, "report", at)
    for why, content in wrong.items():
        (at / "result.json").write_bytes(b'{"schema": "\xff"}' if content is None else content.encode())
        refused(program, at, why)
    refused(program, folder / "none", "no folder")
    refused(program, written(folder / "empty", good, "result.txt"), "no results")
    at = written(folder / "unwritable", good)
    (at / "index.html").mkdir()
    refused(program, at, "a folder in the page's place")
    if os.geteuid() != 0:  # who may write everywhere
        at = written(folder / "locked", good)
        at.chmod(0o500)
        refused(program, at, "a folder that is not ours to write")
        at.chmod(0o700)


def check_counts(program, folder, good):
    """Counts of a run of its own, on the same GPU, stand in the page of the timed run; on another GPU they do not."""
    timed = changed(good, ("experiments",), good["experiments"][:1])
    timed["device"] = {"CUDA device 0": {"GPU": "one"}}
    for c in timed["experiments"][0]["cases"]:
        c["counted"] = {}
    for gpu in ("one", "other"):
        counted = changed(good, ("experiments",), good["experiments"][:1])
        counted["device"] = {"CUDA device 0": {"GPU": gpu}}
        at = written(folder / f"counts_{gpu}", timed)
        (at / "counters.json").write_text(json.dumps(counted))
        end = run(program, "report", at)
        expect(f"counts of {gpu} are drawn: {end.stderr}", end.returncode == 0)
        page = check_page(at, [timed] if gpu == "one" else [timed, counted])
        text = (at / "index.html").read_text()
        expect(f"counts of {gpu} stand where they belong", ("The machines" in text) == (gpu == "other") and "1\u202f024 = 1\u202f024" in text)
        cells = [td.text or "" for td in page.iter("td")]
        expect(f"counts of {gpu} are in the table", any("load wavefronts 1\u202f024" in c for c in cells))


def check_repeats(program, folder, good):
    """What several files have in common stands there once."""
    one = changed(good, ("experiments",), good["experiments"][:1])
    one["experiments"][0]["cases"][0]["counted"] = {}
    one["device"] = {"Host": {"CPU": "only one", "memory": "free 5"}, "Same": {"clock": "steady"}}
    two = changed(one, ("device", "Host", "memory"), "free 6")
    at = written(folder / "repeats", one)
    (at / "second.json").write_text(json.dumps(two))
    end = run(program, "report", at)
    expect(f"two files are drawn: {end.stderr}", end.returncode == 0)
    page = check_page(at, [one, two])
    told = [c for c in map("".join, (c.itertext() for c in page.iter("figcaption"))) if not c.startswith("As is said")]
    expect("each caption is told once", len(told) == len(set(told)) and len(told) < len(list(page.iter("figure"))))
    properties = [[td.text for td in tr] for table in page.iter("table") if table.get("class") == "properties" for tr in table.iter("tr")]
    expect("a property is shown once", properties.count(["CPU", "only one"]) == 1 and properties.count(["clock", "steady"]) == 1)
    expect("and where it differs, twice", ["memory", "free 5"] in properties and ["memory", "free 6"] in properties)


def results_of(program, folder, again=True):
    """Two folders with pages: of the fixture, and of a short real run, where the program can run. `again`: also where
    there has been one."""
    good = fixture()
    at = written(folder / "fixture", good)
    end = run(program, "report", at)
    expect(f"the fixture is drawn: {end.stderr}", end.returncode == 0)
    real = folder / "real"
    if again or not (real / "host.json").exists():
        shutil.rmtree(real, ignore_errors=True)
        real.mkdir(parents=True)
        end = run(program, "run", "--backend", "host", "--quick", "--seconds", "0.001", "--json", real / "host.json")
        if end.returncode == 77:
            return [(at, [good])]
        expect(f"the lab runs: {end.stderr}", end.returncode == 0)
    end = run(program, "report", real)
    expect(f"the real run is drawn: {end.stderr}", end.returncode == 0)
    return [(at, [good]), (real, [json.loads((real / "host.json").read_text())])]


# ---------------------------------------------------------------------------------------------------------------------
# In a browser. A frame of the wanted width holds the page; a script beside it measures what was drawn.

SELF_CHECK = """<!DOCTYPE html><meta charset="utf-8"><body style="margin:0"><pre id="found">nothing</pre>
<iframe id="frame" style="border:0;width:{width}px;height:900px" srcdoc="{page}"></iframe>
<script>
document.getElementById("frame").onload = function () {{
  const page = this.contentDocument, wrong = [];
  for (const d of page.querySelectorAll("details")) d.open = true;
  let drawn = 0;
  if (page.documentElement.scrollWidth > {width}) {{
    wrong.push("the page is " + page.documentElement.scrollWidth + " wide");
    for (const e of page.querySelectorAll("body *"))
      if (e.getBoundingClientRect().right > {width} + 1 && !e.closest(".scroll")) {{ wrong.push("<" + e.tagName + "> " + e.className); break; }}
  }}
  for (const figure of page.querySelectorAll("figure")) {{
    const box = figure.getBoundingClientRect();
    if (box.width < 100 || box.height < 20) wrong.push(figure.id + ": " + box.width + " x " + box.height);
    if (box.left < 0 || box.right > {width} + 0.5) wrong.push(figure.id + " ends at " + box.right);
    for (const svg of figure.querySelectorAll("svg[id]")) {{
      const all = svg.getBoundingClientRect(), marks = svg.querySelectorAll("rect, path");
      let visible = 0;
      for (const m of marks) {{ const b = m.getBBox(); if (b.width + b.height > 0) ++visible; }}
      if (all.width < 100 || all.height < 30 || visible === 0) wrong.push(svg.id + ": " + visible + " marks in " + all.width + " x " + all.height);
      const bounds = svg.viewBox.baseVal;
      for (const t of svg.querySelectorAll("text")) {{
        const b = t.getBBox();
        if (b.x < bounds.x - 1 || b.x + b.width > bounds.width + 1 || b.y + b.height > bounds.height + 2)
          wrong.push(svg.id + ": '" + t.textContent + "' leaves the picture (" + b.x.toFixed() + " to " + (b.x + b.width).toFixed() + " of " + bounds.width + ")");
        const size = parseFloat(t.getAttribute("font-size")) * all.width / bounds.width;
        if (size < (t.classList.contains("t") ? 8.5 : 6.5)) wrong.push(svg.id + ": '" + t.textContent + "' is " + size.toFixed(1) + " px high");
      }}
      ++drawn;
    }}
    ++drawn;
  }}
  document.getElementById("found").textContent = "drawn " + drawn + "\\n" + wrong.join("\\n");
}};
</script>"""


def browser():
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def look(program, folder, chromium):
    pages = results_of(program, folder, again=False)
    for at, results in pages:
        page = (at / "index.html").read_text()
        drawings = sum(len(re.findall("<svg id=", f)) for f in page.split("<figure ")[1:]) + page.count("<figure ")
        for width in (390, 1280):
            test = at / f"at-{width}.html"
            test.write_text(SELF_CHECK.format(width=width, page=html.escape(page)))
            end = run(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={folder / 'profile'}",
                      "--virtual-time-budget=10000", "--dump-dom", test.as_uri())  # fmt: skip
            found = re.search(r'<pre id="found">([^<]*)</pre>', end.stdout)
            expect(f"{test}: Chromium opens it: {end.stderr[-400:]}", found)
            if found:
                first, *wrong = html.unescape(found[1]).strip().split("\n")
                expect(f"{test}: all is drawn ({first} of {drawings})", first == f"drawn {drawings}")
                for line in wrong:
                    expect(f"{at.name} at {width} px: {line}", False)
    shutil.rmtree(folder / "profile", ignore_errors=True)
    return pages


def main(program, folder, *how):
    folder = pathlib.Path(folder)
    if how:
        chromium = browser()
        if not chromium:
            print("skipped: no Chromium")
            return 0
        pages = look(program, folder, chromium)
    else:
        pages = results_of(program, folder)
        for at, results in pages:
            check_page(at, results)
            text = (at / "index.html").read_text()
            expect(f"{at.name}: says of each number what it comes from", "source not stated" not in text)
        page = (folder / "fixture" / "index.html").read_text()
        first = next(r for r in xml.etree.ElementTree.fromstring(page).iter("tr") if r.find("td") is not None and len(r) == 10)
        expect("what is given does not stand with what was measured",
               (first[4].text, first[8].text) == ("bytes 8\u202f060 B", "hazards 2") and "8\u202f060" not in first[6].text)  # fmt: skip
        expect("counts that differ from the model's stand out", "1\u202f024 ≠ 1\u202f000" in page and "1\u202f024 = 1\u202f024" in page)
        expect("and it says how many agree", "103 of 104 counts are as predicted" in page)
        expect("what was not counted has its remedy", "NVreg_RestrictProfilingToAdminUsers" in page)
        expect("names stay texts", "<script>alert" not in page and "&lt;script&gt;" in page and "\u202e" not in page and "\x00" not in page)
        check_refusals(program, folder, fixture())
        check_counts(program, folder, fixture())
        check_repeats(program, folder, fixture())
        known = run(program, "list").stdout
        tutorial = (pathlib.Path(__file__).parent.parent / "docs" / "scratch_memory.md").read_text()
        for name in set(re.findall(r"abax-lab run (\w+)", tutorial)):
            expect(f"the tutorial's experiment {name} exists", re.search(rf"^{name}\b", known, re.MULTILINE))
    print(f"{failures} failures")
    if len(pages) == 1 and not failures:
        print("skipped: the page of a real run, which needs a GPU")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
