#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the lab's page: lab_report.py PROGRAM FOLDER [browser].

PROGRAM is abax-lab. Without `browser`: the pages of lab_sample.json, which has figures of every kind, and of a short
run hold what they must and load nothing, and wrong files are refused. With it: these pages are loaded in Chromium, at
a phone's and a desk's width, and every figure must have drawn something, inside the window.
"""

import copy
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

SAMPLE = pathlib.Path(__file__).parent / "lab_sample.json"
KINDS = {"bank_grid", "line_grid", "predicted_counted", "lines", "bars", "ladder", "timeline", "table"}
HOSTILE = '</svg><script>alert(1)</script>&"\'\u202e $x_{$ \u0000 <img src=http://example.org/a onerror=b>'
failures = 0


def expect(what, holds):
    global failures
    if not holds:
        failures += 1
        print(f"not so: {what}", flush=True)


def run(*arguments, **more):
    return subprocess.run([*map(str, arguments)], capture_output=True, text=True, timeout=300, **more)


def sample():
    return json.loads(SAMPLE.read_text("utf-8"))


def written(folder, **files):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, file in files.items():
        (folder / f"{name}.json").write_text(json.dumps(file), encoding="utf-8")
    return folder


def drawn(program, folder, *options):
    """The page, as text and as elements, and what must hold of any page."""
    name, end = folder.name, run(program, "report", folder, *options)
    if "needs Python with" in end.stderr:
        print("skipped: no Matplotlib, Jinja2 or jsonschema")
        sys.exit(0)
    expect(f"{name} is drawn: {end.stderr}", end.returncode == 0 and not end.stderr)
    text = (folder / "index.html").read_text("utf-8")
    page = xml.etree.ElementTree.fromstring(text)
    tags, attributes = {e.tag for e in page.iter()}, {a for e in page.iter() for a in e.keys()}
    expect(f"{name}: runs nothing", "script" not in tags and not any(a.startswith("on") for a in attributes))
    loading = {"link", "img", "image", "iframe", "object", "embed", "base", "audio", "video"}
    expect(f"{name}: loads nothing", not tags & loading and not attributes & {"src", "srcset", "data", "action"})
    expect(f"{name}: its style loads nothing", not re.search(r"url\(|@import", page.find("head/style").text))
    identities = [e.get("id") for e in page.iter() if e.get("id")]
    expect(f"{name}: names each part once", len(identities) == len(set(identities)))
    uses = {e.get("href") for e in page.iter() if e.get("href")}
    uses |= {f"#{m}" for m in re.findall(r"url\(#(\w+)\)", text)}
    expect(f"{name}: what it refers to is there", uses and uses <= {f"#{i}" for i in identities})
    for svg in page.iter("svg"):
        title = svg.find("title").text
        expect(f"{name}: {title}: told in words", title and svg.find("desc").text)
        expect(f"{name}: {title}: has marks", svg.find(".//path") is not None)
        for e in svg.iter():
            values = " ".join(e.get(a, "") for a in ("x", "y", "width", "height", "d", "viewBox"))
            expect(f"{name}: {title}: {values}", not re.search("nan|inf", values))
    return text, page


def shown(element):
    return " ".join("".join(element.itertext()).split())


def charts(page):
    return [e for e in page.iter("div") if (e.get("class") or "").startswith("chart ")]


def check_all(program, folder, file):
    """That the page shows the whole file."""
    text, page = drawn(program, folder)
    figures = [f for e in file["experiments"] for f in e["figures"]]
    counts = [len(f["data"].get("panels", [1])) for f in figures]
    expect(f"{folder.name}: shows all figures", len(charts(page)) == sum(counts))
    captions = [shown(c) for c in page.iter("figcaption")]
    wanted = {(e["name"], f["caption"]) for e in file["experiments"] for f in e["figures"]}
    expect(f"{folder.name}: a caption under each", len(captions) == len(wanted) and all(captions))
    for figure in page.iter("figure"):
        told = next(figure.iter("table"), None) is not None or "nothing that a profiler could count" in shown(figure)
        expect(f"{folder.name}: {shown(figure)[:40]}: its numbers", told)
    for chart in charts(page):
        source = next(chart.iter("span"), None)
        expect(f"{folder.name}: {shown(chart.find('h4'))}: where its numbers come from", source is not None)
    thumbnails = [a.find("svg") is not None for a in page.find(".//nav")]
    expect(f"{folder.name}: a thumbnail each", thumbnails == [bool(e["figures"]) for e in file["experiments"]])
    body = [e.tag for e in page.find("body")]
    ordered = body.index("nav") < body.index("section") and body[-1] == "details"
    expect(f"{folder.name}: experiments are first, machines last and folded", ordered)
    tables = sum(1 for e in page.iter("details") if e.get("class") == "cases")
    expect(f"{folder.name}: a table of cases each", tables == sum(bool(e["cases"]) for e in file["experiments"]))
    return text, page


def check_sample(program, folder):
    file = sample()
    expect("the sample has all kinds", {f["kind"] for e in file["experiments"] for f in e["figures"]} == KINDS)
    text, page = check_all(program, written(folder / "sample", run=file), file)
    heads = [shown(c.find("h4")) for c in charts(page)]
    place = lambda word: [i for i, h in enumerate(heads) if word in h]
    expect("a GPU's before the host's", place("offset, by the clock: CUDA") < place("offset, by the clock: OpenMP"))
    about = {shown(c.find("h4")): shown(c.find("p")) for c in charts(page)}
    product = "Product of 4096 × 4096 floats on"
    expect("each says its unit and its machine", "GFLOP/s · NVIDIA H200" in about[f"{product} CUDA"])
    expect("also a host's", "GFLOP/s · Intel Xeon Processor, 16 cores" in about[f"{product} OpenMP"])
    expect("n³ and × are set", "2 n³ operations" in text and "n^3" not in text and not re.search(r"\d x \d", text))
    expect("variants have a key, and hatches", text.count(">handwritten</text>") > 1 and "<pattern id=" in text)
    expect("what was left out is said", "Left out here" in text)
    expect("counts are compared", "8 of 8 counts are as predicted" in text and "1\u202f024 = 1\u202f024" in text)
    # Counts that differ, or are missing; another run's counts, of this GPU and of another.
    timed, other = sample(), sample()
    tile = other["experiments"][0]
    tile["cases"][1]["counted"]["scratch_load_wavefronts"] += 1
    for c in timed["experiments"][0]["cases"] + timed["experiments"][1]["cases"]:
        c["counted"] = {}
    other["experiments"][1]["cases"], other["experiments"] = [], other["experiments"][:2]
    at = written(folder / "counted", counters=other, run=timed)
    text, _ = drawn(program, at, "--leave-out", "OpenBLAS = one core alone")
    expect("counts stand within the run of their GPU", "<h3>counters" not in text and "≠" in text)
    expect("a count that differs stands out", "✕ 7 of 8 counts" in text and ">differs<" in text)
    expect("what is left out is said", text.count("OpenBLAS") == 1 and "<li>OpenBLAS: one core alone</li>" in text)
    expect("and nothing else is", "cuBLAS" in text and "OpenBLAS" in (folder / "sample" / "index.html").read_text())
    other["experiments"][0]["cases"][0]["name"] = "block of 16 x 16"
    text, _ = drawn(program, written(folder / "typeset", run=other), "--leave-out", "16 x 16 = too small")
    expect("a name is typeset as the page is", "<li>16 × 16: too small</li>" in text and "block of 16 ×" not in text)
    end = run(program, "report", folder / "typeset", "--leave-out", "nothing = so named")
    expect(f"a name of no case is refused: {end}", end.returncode == 2 and "no case has “nothing”" in end.stderr)
    other = json.loads(json.dumps(other).replace("NVIDIA H200", "Another GPU"))
    text, _ = drawn(program, written(folder / "elsewhere", counters=other, run=timed))
    expect("counts of another GPU stand by themselves", "<h3>counters" in text and "<h3>run" in text)
    expect("what was not counted has its remedy", "NVreg_RestrictProfilingToAdminUsers" in text)


def hostile(value, key=""):
    """All texts of a file made hostile, but for those that choose among a few."""
    if isinstance(value, dict):
        free = key in ("context", "device", "notes")
        return {(k + HOSTILE if free else k): hostile(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [hostile(v, key) for v in value]
    return value + HOSTILE if isinstance(value, str) and key not in ("kind", "source", "schema") else value


def check_hostile(program, folder):
    text, _ = drawn(program, written(folder / "hostile", run=hostile(sample())))
    expect("names stay texts", "<script>" not in text and "<img" not in text and "&lt;script&gt;" in text)
    expect("nothing is hidden", "\u202e" not in text and "\x00" not in text and "$x_{$" in text)


def refused(program, folder, why, said=r"[^\n]+", **more):
    """A wrong folder gives one line and status 2, and leaves the page as it was."""
    page = folder / "index.html"
    before = page.read_bytes() if page.is_file() else None
    end = run(program, "report", folder, **more)
    right = end.returncode == 2 and re.fullmatch(rf"abax-lab: {said}\n", end.stderr)
    expect(f"{why}: one line and status 2, not {end.returncode} {end.stderr[-300:]!r}", right)
    after = page.read_bytes() if page.is_file() else None
    expect(f"{why}: nothing was written", before == after and not list(folder.glob(".index*")))


def changed(path, value):
    """The sample with one value replaced (or removed: ...)."""
    file = copy.deepcopy(sample())
    at = file
    for key in path[:-1]:
        at = at[key]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return file


def check_refusals(program, folder):
    text, place = json.dumps(sample()), {}
    for i, e in enumerate(sample()["experiments"]):
        place.update({f["kind"]: ("experiments", i, "figures", j, "data") for j, f in enumerate(e["figures"])})
    wrong = {"an empty file": "", "half a file": text[: len(text) // 2], "a list": "[]", "deep nesting": "[" * 200000,
             "another schema": text.replace("abax-lab/1", "abax-lab/2"), "not UTF-8": None,
             "an infinite number": text.replace('"predicted": 1024', '"predicted": 1e999', 1)}  # fmt: skip
    for path, value in (
        (("experiments", 0, "name"), ...), (("experiments", 0, "cases", 0, "checked"), ...), (("device",), "a GPU"),
        (("experiments", 0, "cases", 0, "measured"), {"seconds": "fast"}),
        (("experiments", 0, "figures", 0, "kind"), "pie"), ((*place["bank_grid"], "panels", 0, "rows"), 10**9),
        ((*place["bank_grid"], "panels", 0, "cells"), [[{"lane": 0, "bank": 32}]]),
        ((*place["line_grid"], "panels", 0, "lanes"), [10**400]),
        ((*place["line_grid"], "panels", 0, "lines"), [4096]),
        ((*place["predicted_counted"], "rows", 0, "predicted"), "<b>"), ((*place["lines"], "series"), []),
        ((*place["lines"], "series", 0, "points"), [[0, 1]]), ((*place["lines"], "source"), "a guess"),
        ((*place["bars"], "rows", 0, "low"), 1e9), ((*place["ladder"], "rows", 0, "low"), -1),
        ((*place["timeline"], "lanes", 0, "spans", 0, "end"), -1), ((*place["table"], "rows"), [["too", "few"]]),
    ):  # fmt: skip
        file = changed(path, value)
        file["experiments"] = file["experiments"][path[1] : path[1] + 1] if len(path) > 1 else []  # and no other
        wrong[f"{'.'.join(map(str, path))} = {str(value)[:40]}"] = json.dumps(file)
    at = written(folder / "wrong")
    (at / "index.html").write_text("as it was")
    for why, content in wrong.items():
        (at / "result.json").write_bytes(b'{"schema": "\xff"}' if content is None else content.encode())
        refused(program, at, why, r"[^\n]+: [^\n]+")
    refused(program, folder / "none", "no folder")
    refused(program, written(folder / "empty"), "no results")
    at = written(folder / "unwritable", run=sample())
    (at / "index.html").mkdir()
    refused(program, at, "a folder in the page's place")
    # A Python that does not find one of the packages.
    at = written(folder / "bare", run=sample())
    (at / "sitecustomize.py").write_text("import sys\nsys.modules['jinja2'] = None\n")
    needs = r"the page needs Python with Matplotlib, Jinja2 and jsonschema: install [^\n]*python3-jinja2[^\n]*"
    refused(program, at, "no Jinja2", needs, env={**os.environ, "PYTHONPATH": str(at)})


def short_run(program, folder):
    """What a run of the host writes; None where the program does not run here."""
    file = folder / "real" / "host.json"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        end = run(program, "run", "--backend", "host", "--quick", "--seconds", "0.001", "--json", file)
        if end.returncode == 77:
            return None
        expect(f"the lab runs: {end.stderr}", end.returncode == 0)
    return json.loads(file.read_text("utf-8"))


# ---------------------------------------------------------------------------------------------------------------------
# In a browser. A frame of the wanted width holds the page; a script beside it measures what was drawn.

SELF_CHECK = """<!DOCTYPE html><meta charset="utf-8"><body style="margin:0"><pre id="found">nothing</pre>
<iframe id="frame" style="border:0;width:{width}px;height:900px" srcdoc="{page}"></iframe>
<script>
document.getElementById("frame").onload = function () {{
  const page = this.contentDocument, wrong = [], svgs = page.querySelectorAll("svg");
  for (const d of page.querySelectorAll("details")) d.open = true;
  const wide = page.documentElement.scrollWidth;
  if (wide > {width}) wrong.push("the page is " + wide + " wide");
  for (const e of page.querySelectorAll("body *"))
    if (e.getBoundingClientRect().right > {width} + 1 && !e.closest(".scroll"))
      wrong.push("<" + e.tagName + "> leaves the page");
  for (const svg of svgs) {{
    const all = svg.getBoundingClientRect(), bounds = svg.viewBox.baseVal;
    const name = svg.querySelector("title").textContent, small = svg.closest("nav") !== null;
    let visible = 0;
    for (const m of svg.querySelectorAll("path")) {{ const b = m.getBBox(); if (b.width + b.height > 0) ++visible; }}
    if (all.width < 60 || all.height < 25 || visible === 0)
      wrong.push(name + ": " + visible + " marks in " + all.width + " x " + all.height);
    for (const t of svg.querySelectorAll("text")) {{
      const b = t.getBBox(), turned = t.hasAttribute("transform");
      if (!turned && (b.x < -2 || b.x + b.width > bounds.width + 2 || b.y + b.height > bounds.height + 3))
        wrong.push(name + ": '" + t.textContent + "' leaves the picture");
      const size = parseFloat(getComputedStyle(t).fontSize) * all.width / bounds.width;
      if (small || size < (/^(\\d\\d?|all|\\d+\\+)$/.test(t.textContent) ? 4.5 : 7))
        wrong.push(name + ": '" + t.textContent + "' is " + size + " px high");
    }}
  }}
  document.getElementById("found").textContent = "drawn " + svgs.length + "\\n" + wrong.join("\\n");
}};
</script>"""


def look(program, folder):
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not chromium:
        print("skipped: no Chromium")
        sys.exit(0)
    pages = [written(folder / "sample", run=sample())] + [folder / "real"] * (short_run(program, folder) is not None)
    for at in pages:
        text, _ = drawn(program, at)
        for width in (390, 1280):
            test = at / f"at-{width}.html"
            test.write_text(SELF_CHECK.format(width=width, page=html.escape(text)), encoding="utf-8")
            options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"]
            options += [f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=10000"]
            end = run(chromium, *options, test.as_uri())
            found = re.search(r'<pre id="found">([^<]*)</pre>', end.stdout)
            expect(f"{test}: Chromium opens it: {end.stderr[-400:]}", found)
            first, *wrong = html.unescape(found[1]).strip().split("\n") if found else [""]
            expect(f"{test}: all is drawn: {first}", first == f"drawn {text.count('<svg ')}")
            for line in wrong:
                expect(f"{at.name} at {width} px: {line}", False)
    shutil.rmtree(folder / "profile", ignore_errors=True)


def main(program, folder, *how):
    folder = pathlib.Path(folder)
    if how:
        look(program, folder)
    else:
        check_sample(program, folder)
        check_hostile(program, folder)
        check_refusals(program, folder)
        shutil.rmtree(folder / "real", ignore_errors=True)
        real = short_run(program, folder)
        if real:
            check_all(program, folder / "real", real)
        known = run(program, "list").stdout
        tutorial = (pathlib.Path(__file__).parent.parent / "docs" / "scratch_memory.md").read_text()
        for name in set(re.findall(r"abax-lab run (\w+)", tutorial)):
            expect(f"the tutorial's experiment {name} exists", re.search(rf"^{name}\b", known, re.MULTILINE))
        if real is None and not failures:
            print("skipped: the page of a real run, which needs a GPU")
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
