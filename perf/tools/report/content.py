# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stands on the page: figures and tables of experiments, put into the page's template."""

import re

import jinja2
from markupsafe import Markup

import figures
import page_template

# Where a number comes from.
SOURCES = {
    "model": "what the model predicts: nothing was run for it",
    "clock": "what a clock measured",
    "counter": "what the profiler's hardware counters counted",
    "output": "what the kernels' own outputs show, or a checker saw in them",
    "given": "what the case itself says: how many bytes, operations or steps a rate is of",
}
UNITS = {"seconds": (1e6, "µs"), "nanoseconds": (1, "ns"), "bytes_per_second": (1e-9, "GB/s"),
         "flops_per_second": (1e-9, "GFLOP/s")}  # fmt: skip


def with_counts(files):
    """Files of counted runs stand beside the timed ones of their GPU, whose `counts` they become, not by themselves."""
    gpus = lambda file: {sheet["GPU"] for sheet in file["device"].values() if "GPU" in sheet}
    counted = [f for f in files if any(c["counted"] for e in f["experiments"] for c in e["cases"])]
    timed = [f for f in files if f not in counted]
    for file in timed:
        file["counts"] = {e["name"]: e for c in counted if gpus(c) & gpus(file) for e in c["experiments"]}
    return timed + [c for c in counted if not any(gpus(c) & gpus(f) for f in timed)]


def labelled(experiment):
    return {c["label"]: c for c in experiment["cases"] if c["label"]}


def where(figure, experiment):
    """The backends that a chart's numbers come from; none: they are the model's, or the file does not say."""
    data, rows = figure["data"], figure["data"].get("rows", [])
    if figure["kind"] in ("timeline", "predicted_counted"):
        return ["CUDA"]  # streams, and what a profiler knows
    if figure["kind"].endswith("_grid") or data.get("source") == "model":
        return []
    words = " ".join([figure["title"], *(s["name"] for s in data.get("series", [])), *map(str, rows)])
    labels = {re.sub(r" \(\w+\)$", "", row["label"]) for row in rows if isinstance(row, dict)}
    backends = lambda cases: sorted({case["backend"] for case in cases}, key=lambda name: (name != "CUDA", name))
    said = [backend for backend in backends(experiment["cases"]) if backend in words]
    return said or backends(case for case in experiment["cases"] if case["name"] in labels)


def machine(file, backends):
    names = [file["context"].get("GPU" if backend == "CUDA" else "CPU", backend) for backend in backends]
    short = [re.split(r"[,;] (?!\d+ cores)", re.sub(r"\((R|TM)\)", "", name))[0] for name in names]
    return ", ".join(dict.fromkeys(short))


def quantities(numbers):
    """(name, text) with the unit of the name; an interval stands with its median."""
    for key, value in numbers.items():
        unit_of = next((e for e in UNITS if re.search(rf"(^|_){e}(_|$)", key)), "")
        scale, unit = UNITS.get(unit_of, (1, ""))
        write = lambda x: figures.number(float(f"{x * scale:.4g}") if unit else x)
        ends = [numbers.get(f"{unit_of}_{end}") for end in ("low", "high")]
        between = None not in ends and key.endswith(("_median", "_per_step"))
        if not key.endswith(("_low", "_high")):
            name = " ".join(filter(None, (key.replace(unit_of, "") if unit else key).split("_"))) or "rate"
            interval = f" ({' to '.join(map(write, ends))})" if between else ""
            yield f"{name}, {unit}" if unit else name, write(value) + interval


def case_table(cases, counted):
    """A row for each case; where cases of one name have several variants, a row for the name: what these share, as a
    model's numbers, has one column, and else each has its own. Columns of equal texts are one, and what is equal in the
    whole table is said once, above it."""
    variants = list(dict.fromkeys(f"{case['backend']} {case['variant']}" for case in cases))
    pivot = 1.5 * len(cases) > len({case["name"] for case in cases}) * len(variants)
    table, rows, once, columns = {}, {}, {}, {}  # table: (source, quantity) -> row -> variant -> text
    for case in cases:
        same = counted.get(case["label"], case)
        same = same if same["accesses"] == case["accesses"] else case  # else it was another launch
        variant = f"{case['backend']} {case['variant']}"
        row = (case["name"],) if pivot else (case["name"], variant)
        rows.setdefault(row, []).append(variant)
        table.setdefault(("", "run by"), {})[row] = {"": ", ".join(rows[row])}
        parts = [("model", f"{a['what']}: ", {"bytes_a_lane": a["width"], **a["model"]}) for a in case["accesses"]]
        parts += [("given", "", case["given"]), ("clock", "", case["measured"]), ("counter", "", same["counted"]),
                  ("output", "", case["output"])]  # fmt: skip
        texts = [("", "checked", case["checked"]), *(("notes", key, text) for key, text in case["notes"].items())]
        texts += [(source, of + key, text) for source, of, numbers in parts for key, text in quantities(numbers)]
        for source, key, text in texts:
            of = table.setdefault((source, key), {}).setdefault(row, {})
            of[variant] = f"{of[variant]}, {text}" if variant in of else text  # two accesses of one kind
    for source, key in sorted(table, key=lambda column: ["", *SOURCES, "notes"].index(column[0])):
        of = [table[source, key].get(row, {}) for row in rows]
        shared = not pivot or (source != "clock" and all(len({*texts.values()}) < 2 for texts in of))
        for v in [""] if shared else variants:
            texts = tuple(texts.get(v, "") if v else next(iter(texts.values()), "") for texts in of)
            known, name = {*texts} - {""}, f"{key}, {v}" if v else key
            if len(known) == 1 and len(cases) > 1:
                once.setdefault(source, []).append(f"{name}: {known.pop()}")
            elif known:
                columns.setdefault(texts, []).append((source, name))
    cells = [[[text, 1] for text in (name, *texts)] for (name, *_), *texts in zip(rows, *columns)]
    for above, below in zip(cells[-2::-1], cells[:0:-1]):
        for a, b in zip(above, below):
            if a[0] == b[0] and len(a[0]) > 12:  # a long text is written once for the rows that it is the same in
                a[1], b[1] = b[1] + 1, 0
    return {"once": once, "heads": list(columns.values()), "rows": cells}


def figures_of(file, experiment, identity):
    """Figures by their captions, as those of one caption stand together, a GPU's before the host's; and a thumbnail."""
    counts = file.get("counts", {}).get(experiment["name"], {"figures": [], "cases": []})
    counted = {f["title"]: f for f in counts["figures"] if f["kind"] == "predicted_counted"}
    out, first = {}, None
    for figure in sorted(experiment["figures"], key=lambda f: where(f, experiment)[:1] not in ([], ["CUDA"])):
        name, title, kind = identity(f"{experiment['name']} {figure['title']}"), figure["title"], figure["kind"]
        cases = labelled(counts if title in counted else experiment)
        drawn = figures.KINDS[kind](counted.get(title, figure), cases)
        unit = figure["y"] if kind == "lines" else figure["data"].get("unit", "")
        about = " · ".join(filter(None, (unit, machine(file, where(figure, experiment)))))
        charts = []
        for i, (heading, verdict, picture) in enumerate(drawn.charts):
            of = f"{title}: {heading}" if heading else title
            told = ". ".join(filter(None, (about, verdict, "The numbers stand below.")))
            charts.append((of, verdict, Markup(figures.svg(picture, f"{name}-{i}", of, told))))
        first = first or (drawn.charts and drawn.charts[0][2])
        out.setdefault(figure["caption"], []).append({
            "id": name, "kind": kind, "title": title, "drawn": drawn, "charts": charts, "about": about,
            "sources": [s for s in SOURCES if s in drawn.sources]})  # fmt: skip
    if not first and experiment["figures"]:
        first = figures.shares(next(iter(out.values()))[0]["drawn"].rows)
    small = first and figures.thumbnail(first, identity(f"small {experiment['name']}"), experiment["title"])
    return out, Markup(small or "")


def page(files):
    taken, experiments, files = [], {}, with_counts(files)

    def identity(text):
        taken.append(re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "part")
        return taken[-1] + (f"_{taken.count(taken[-1])}" if taken.count(taken[-1]) > 1 else "")

    for file in files:
        file["id"] = identity(f"machine {file['stem']}")
        file["machine"] = machine(file, ["CUDA", "OpenMP"] if "GPU" in file["context"] else ["OpenMP"])
        for e in file["experiments"]:
            drawn, thumbnail = figures_of(file, e, identity)
            if e["name"] not in experiments:
                experiments[e["name"]] = {**e, "id": identity(e["name"]), "thumbnail": thumbnail, "parts": []}
            parts = experiments[e["name"]]["parts"]
            counts = labelled(file.get("counts", {}).get(e["name"], {"cases": []}))
            parts.append({**e, "stem": file["stem"], "figures": drawn, "table": case_table(e["cases"], counts)})
            if e["text"] == parts[0]["text"] and len(parts) > 1:
                parts[-1]["text"] = []
    jinja = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    return jinja.from_string(page_template.TEXT).render(
        files=files, experiments=experiments.values(), sources=SOURCES, classes=figures.CLASSES
    )
