# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws result files: `abax-perf plot`.

One figure is as wide as a phone; the page sets several side by side where there is room. Everything an SVG needs is in
it: where the reader prefers dark, a style sheet replaces the colours that are drawn.
"""

import html
import io
import math
import pathlib
import re
import sys

try:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit(3)

from results import Refused, is_accuracy, printable, read_either

PAPER, INK, GRID = "#ffffff", "#23272b", "#d9dde1"
DARK = {PAPER: "#15191d", INK: "#e4e8ec", GRID: "#3a4148"}
# Okabe and Ito's colours, which colour-blind readers tell apart, and lighter ones of the same hues for dark paper.
SERIES = [("#0072b2", "o", "#56b4e9"), ("#d55e00", "s", "#ff8f45"), ("#008f68", "^", "#3ccfa0"),
          ("#b0508c", "D", "#e39cc8"), ("#86690a", "v", "#f0d442"), ("#5b6670", "P", "#aab4be")]  # fmt: skip
DARK.update({light: dark for light, _, dark in SERIES})
SIZE = {"f32": 4, "f64": 8, "c64": 8, "c128": 16}
PART = {"c64": "f32", "c128": "f64"}  # of a complex number, whose multiply-add is four of these

plt.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "abax", "font.family": "sans-serif", "font.size": 9,
    "figure.facecolor": PAPER, "axes.facecolor": PAPER, "savefig.facecolor": PAPER, "legend.frameon": False,
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
    "grid.color": GRID, "axes.grid": True, "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False,
    "legend.fontsize": 8, "axes.titlesize": 10, "axes.titlelocation": "left",
    "figure.constrained_layout.use": True, "figure.constrained_layout.w_pad": 0.1,
    "figure.constrained_layout.h_pad": 0.08,
})  # fmt: skip


def plain(text):
    return text.replace("$", r"\$")  # Matplotlib would take it for a formula


def dark_style():
    rules = "".join(
        f'[style*="{kind}: {light}"]{{{kind}:{dark}!important}}'
        for light, dark in DARK.items()
        for kind in ("fill", "stroke")
    )
    return f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>"


def svg(figure, title):
    text = io.StringIO()
    figure.savefig(
        text, format="svg", metadata={"Title": title, "Date": None, "Creator": None, "Format": None, "Type": None}
    )
    plt.close(figure)
    drawn = text.getvalue()
    drawn = drawn[drawn.index("<svg") :]
    return re.sub(r"(<svg[^>]*>)", lambda m: m[1] + dark_style(), drawn, count=1)


def rates(case, variant, scale):
    """Median and its interval, in `scale` a second."""
    low, high = variant.get("median_low", variant["median"]), variant.get("median_high", variant["median"])
    return tuple(case["amount"] / seconds / scale for seconds in (variant["median"], high, low))


def arms(middle, low, high):
    """Of a bar from `low` to `high`, to either side of its mark, which a file may have beside it."""
    return max(0, middle - low), max(0, high - middle)


def scaled(unit, largest):
    """What an axis up to `largest` is written in: how much that is, and its name."""
    scale, prefix = (1e12, "T") if largest >= 5e12 else (1e9, "G")
    return scale, f"{prefix}{unit}/s"


def legend_above(axes, title):
    """The title, and the legend between it and the figure, where it hides nothing."""
    rows = math.ceil(len(axes.get_legend_handles_labels()[1]) / 4)
    axes.set_title(plain(title), pad=8 + 12 * rows)
    axes.legend(
        loc="lower left", bbox_to_anchor=(-0.02, 1), borderaxespad=0.1, ncol=4, handletextpad=0.4, columnspacing=1.2
    )


def figure_text(x):
    return f"{x:.0f}" if x >= 100 else f"{x:.3g}"


def write_beside(axes, text, at, **options):
    box = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.8, "alpha": 0.8}
    axes.annotate(text, at, textcoords="offset points", fontsize=8, bbox=box, **options)


def styles(cases):
    """Each variant's colour and marker, the same in all figures of a file; Abax has the first."""
    names = dict.fromkeys(["abax"] + [v["name"] for c in cases for v in c["variants"]])
    return {name: SERIES[min(i, len(SERIES) - 1)][:2] for i, name in enumerate(names)}


def label(name):
    return "Abax" if name == "abax" else plain(name)


def numbers(case):
    return [int(n) for n in case["shape"].partition(",")[0].split(" x ") if n.isdigit()] or [1]


def length(case):
    """The edge of the square or the cube that is as large."""
    return math.prod(numbers(case)) ** (1 / len(numbers(case)))


def log_axis(axis, values):
    axis.set_major_formatter(lambda x, _: f"{x:g}" if 1e-3 <= abs(x) < 1e5 else f"{x:.0e}")
    if (span := max(values) / min(values)) < 9:  # no power of ten may be in sight
        subs = (1, 1.5, 2, 3, 5, 7) if span > 2.5 else (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
        axis.set_major_locator(matplotlib.ticker.LogLocator(subs=subs))
    axis.set_minor_formatter(matplotlib.ticker.NullFormatter())


def roofline(cases, backend):
    """Products of all kinds against what arithmetic and memory allow."""
    shown = [c for c in cases if c["roof"] in ("fma", "read") and c["type"] in SIZE]
    if not shown:
        return None
    part = lambda of: PART.get(of, of)
    roofs = {part(c["type"]): c["roof_rate"] for c in shown if c["roof"] == "fma"}
    tops = sorted(roofs.items(), key=lambda top: top[1])
    read = next((c["roof_rate"] for c in shown if c["roof"] == "read"), None)
    points = {}  # by kernel and type
    for c in shown:
        flops = (8.0 if c["type"] in PART else 2.0) * c["m"] * c["n"] * c["k"]
        moved = SIZE[c["type"]] * (1.0 * c["m"] * c["k"] + 1.0 * c["k"] * c["n"] + 1.0 * c["m"] * c["n"])
        of_kind = points.setdefault((c["kernel"].split(" ")[0], c["type"]), ([], []))
        of_kind[0].append(flops / moved)
        of_kind[1].append(flops / c["variants"][0]["median"])
    intensities, reached = ([x for of_kind in points.values() for x in of_kind[axis]] for axis in (0, 1))
    left, right = min(intensities) / 2, max(intensities) * 2
    top = max(reached + [rate for _, rate in tops])
    scale, written = scaled("FLOP", top)

    figure, axes = plt.subplots(figsize=(4.6, 4))
    for of, rate in tops:
        axes.plot([max(left, rate / read) if read else left, right], [rate / scale] * 2, color=INK, linewidth=1.2,
                  linestyle="-" if of == "f32" else "--")  # fmt: skip
    if tops:
        names = [f"FMA {of} {figure_text(r / scale)}{'' if of == 'f32' else ' (dashed)'}" for of, r in tops[::-1]]
        write_beside(axes, "\n".join(names), (right, tops[-1][1] / scale), ha="right", va="bottom", xytext=(0, 3))
    if read:
        end = tops[-1][1] / read if tops else right
        axes.plot([left, end], [left * read / scale, end * read / scale], color=INK, linewidth=1.2)
        memory, name = scaled("B", read)
        middle = left * (end / left) ** 0.62
        write_beside(axes, f"read {figure_text(read / memory)} {name}", (middle, middle * read / scale), ha="right",
                     va="bottom", xytext=(-6, 2))  # fmt: skip
    kernels = list(dict.fromkeys((kernel, of in PART) for kernel, of in points))
    for (kernel, of), (x, y) in points.items():
        colour, marker, _ = SERIES[kernels.index((kernel, of in PART)) % len(SERIES)]
        axes.plot(x, [rate / scale for rate in y], marker, color=colour, markersize=5, alpha=0.85,
                  markerfacecolor=colour if part(of) == "f32" else PAPER, label=plain(f"{kernel} {of}"))  # fmt: skip
    axes.set(xscale="log", yscale="log", xlim=(left, right), ylim=(min(reached) / 2 / scale, top * 3 / scale),
             xlabel="FLOP for each byte that must be moved", ylabel=written)  # fmt: skip
    log_axis(axes.xaxis, axes.get_xlim())
    log_axis(axes.yaxis, axes.get_ylim())
    axes.set_title(plain(f"Abax and its roofs, {backend}"))
    axes.legend(loc="lower right")
    return figure


def rate_over_size(cases, style):
    """One kernel and type. The squares make a line, with the interval of each median as a band; others stand alone."""
    if len(cases) < 2:
        return None
    first = cases[0]
    fastest = max(c["amount"] / v["median"] for c in cases for v in c["variants"])
    scale, written = scaled(first["unit"], max(fastest, first["roof_rate"]))
    square = lambda case: len(set(numbers(case))) == 1
    figure, axes = plt.subplots(figsize=(4.6, 3.3))
    for name, (colour, marker) in style.items():
        of_name = [(c, v) for c in sorted(cases, key=length) for v in c["variants"] if v["name"] == name]
        mine = [(length(c), *rates(c, v, scale), c["converged"]) for c, v in of_name if square(c)]
        if mine:
            x, middle, low, high, _ = zip(*mine)
            axes.fill_between(x, low, high, color=colour, alpha=0.22, linewidth=0)
            axes.plot(x, middle, color=colour, marker=marker, markersize=4, linewidth=1.3, label=label(name))
            hollow = [p for p in mine if not p[4]]
            axes.plot([p[0] for p in hollow], [p[1] for p in hollow], marker, color=colour, markersize=4,
                      markerfacecolor=PAPER)  # fmt: skip
        alone = [(length(c), *rates(c, v, scale)) for c, v in of_name if not square(c)]
        if alone:
            x, middle, low, high = zip(*alone)
            bars = [*zip(*map(arms, middle, low, high))]
            axes.errorbar(x, middle, bars, fmt=marker, color=colour, markersize=3, linewidth=0.9, alpha=0.7,
                          label=None if mine else label(name))  # fmt: skip
    roof = first["roof_rate"] / scale
    axes.axhline(roof, color=INK, linewidth=1, linestyle="--", label=f"roof: {first['roof']} {figure_text(roof)}")
    axes.set_xscale("log")
    log_axis(axes.xaxis, [length(c) for c in cases])
    axes.set_ylim(bottom=0)
    axes.set_xlabel(
        "size" if all(map(square, cases)) else "edge of the square or cube as large; lone marks: other shapes"
    )
    axes.set_ylabel(written)
    legend_above(axes, f"{first['kernel']} {first['type']}, {first['backend']}")
    return figure


def ratio_to_peers(cases, style, backend, kernel):
    """A row for each case, a mark for each peer, with its interval."""
    rows = [c for c in cases if len(c["variants"]) > 1]
    if not rows:
        return None
    figure, axes = plt.subplots(figsize=(4.6, 1.5 + 0.17 * len(rows)))
    ends, named = [0.8, 1.25], set()
    for y, c in enumerate(rows):
        for v in c["variants"][1:]:
            colour, marker = style[v["name"]]
            bar = [[arm] for arm in arms(v["ratio"], v["ratio_low"], v["ratio_high"])]
            axes.errorbar(v["ratio"], y, xerr=bar, fmt=marker, color=colour, markersize=4, linewidth=1.4,
                          markerfacecolor=colour if c["converged"] else PAPER,
                          label=None if v["name"] in named else label(v["name"]))  # fmt: skip
            named.add(v["name"])
            ends += [v["ratio_low"], v["ratio_high"]]
    axes.axvline(1, color=INK, linewidth=1.2)
    axes.set(xscale="log", xlim=(min(ends) / 1.05, max(ends) * 1.05), ylim=(len(rows) - 0.4, -0.6))
    log_axis(axes.xaxis, ends)
    names = [plain(f"{c['kernel']} {c['type']}  {c['shape'].replace(' x ', '×')}") for c in rows]
    axes.set_yticks(range(len(rows)), names, fontsize=8)
    axes.set_xlabel("its time / Abax' time\nright of 1, Abax is the faster")
    legend_above(axes, f"{kernel} beside others, {backend}")
    return figure


def grouped(cases, key):
    groups = {}
    for c in cases:
        groups.setdefault(key(c), []).append(c)
    return groups.items()


def product_name(product):
    return f"{product['name']}, {product['bits']} bits" if "bits" in product else product["name"]


def errors_of_kinds(cases, backend):
    """A panel for each type, a row for each kind of data, a mark for each product, of the most terms that there are."""
    panels = grouped(cases, lambda c: c["type"])
    most = {of: max(c["terms"] for c in own) for of, own in panels}
    shown = {of: [c for c in own if c["terms"] == most[of]] for of, own in panels}
    rows = sum(map(len, shown.values()))
    size = (4.6, 1.2 * len(shown) + 0.2 * rows)
    figure, panel = plt.subplots(len(shown), 1, sharex=True, squeeze=False, figsize=size)
    others = [("#5b6670", marker, "#aab4be") for marker in "x+1234"]
    for axes, (of, own) in zip(panel[:, 0], shown.items()):
        integers = [product_name(p) for p in own[0]["products"] if "bits" in p]
        style = dict(zip(["gemm", *integers], SERIES))
        for c in own:
            for name in map(product_name, c["products"]):
                style.setdefault(name, others[(len(style) - len(SERIES)) % len(others)])
        for name, (colour, marker, _) in style.items():
            marks = [(p["error"], y) for y, c in enumerate(own) for p in c["products"] if product_name(p) == name]
            x, y = [x for x, _ in marks if x > 0], [y for x, y in marks if x > 0]
            axes.plot(x, y, marker, color=colour, markersize=4, label=plain(name.replace("gemm_integer, ", "")))
        axes.axvline(1, color=INK, linewidth=1)
        axes.set(xscale="log", ylim=(len(own) - 0.5, -0.5))
        axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
        axes.set_yticks(range(len(own)), [plain(c["data"]) for c in own], fontsize=8)
        legend_above(axes, f"{of}, sums of {most[of]} terms, {backend}")
    panel[-1, 0].set_xlabel("largest |error| / (u |A| |B|)\ngemm, and gemm_integer with so many bits")
    return figure


def figures(results):
    """(name, title, figure) of one result file."""
    if is_accuracy(results):
        for backend, cases in grouped(results["cases"], lambda c: c["backend"]):
            yield f"accuracy {backend}", f"Errors of products on {backend}", errors_of_kinds(cases, backend)
        return
    style = styles(results["cases"])
    for backend, cases in grouped(results["cases"], lambda c: c["backend"]):
        yield f"roofline {backend}", f"Abax and its roofs on {backend}", roofline(cases, backend)
        for kernel, own in grouped(cases, lambda c: c["kernel"].split(" ")[0]):
            title = f"{kernel} beside others on {backend}"
            yield f"ratio {kernel} {backend}", title, ratio_to_peers(own, style, backend, kernel)
        for (kernel, of), own in grouped(cases, lambda c: (c["kernel"], c["type"])):
            title = f"{kernel} {of} on {backend}: rate over size"
            yield f"rate {kernel} {of} {backend}", title, rate_over_size(own, style)


PAGE_STYLE = f"""
:root {{ color-scheme: light dark; --paper: {PAPER}; --ink: {INK}; --line: {GRID}; }}
@media (prefers-color-scheme: dark) {{ :root {{ --paper: {DARK[PAPER]}; --ink: {DARK[INK]}; --line: {DARK[GRID]}; }} }}
body {{ margin: 0 auto; padding: 1rem; max-width: 100rem; background: var(--paper); color: var(--ink);
       font: 16px/1.5 system-ui, sans-serif; }}
.figures {{ columns: 24rem; column-gap: 1rem; margin-top: 1.5rem; }}
figure {{ margin: 0 0 1rem; break-inside: avoid; }}
svg {{ width: 100%; height: auto; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-size: 14px; }}
th, td {{ padding: .15rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }}
td.number {{ text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }}
.context td {{ overflow-wrap: anywhere; }}
"""


def cells(*texts):
    return "".join(f"<td>{html.escape(str(t))}</td>" for t in texts)


def throttled(case, variant):
    marks = len(variant.get("throttled", []))
    return (
        f", {100 * marks / len(variant['samples']):.0f} % throttled ({', '.join(case['throttled_by'])})"
        if marks
        else ""
    )


def table_of(results):
    """What the pictures show, for those who cannot see them."""
    if is_accuracy(results):
        heads = ("data", "type", "terms", "backend", "product", "largest |error| / (u |A| |B|)")
        yield "<table><tr>" + "".join(f"<th>{head}" for head in heads) + "</tr>"
        for c in results["cases"]:
            for p in c["products"]:
                yield "<tr>" + cells(c["data"], c["type"], c["terms"], c["backend"], product_name(p)) + (
                    f'<td class="number">{p["error"]:.3g}</td></tr>')  # fmt: skip
        yield "</table>"
        return
    heads = ("kernel", "type", "shape", "backend", "variant", "median, µs", "by device events", "rate", "of its roof",
             "time / Abax' (95 %)", "bits")  # fmt: skip
    yield "<table><tr>" + "".join(f"<th>{head}" for head in heads) + "</tr>"
    for c in results["cases"]:
        for v in c["variants"]:
            part = f"{100 * c['amount'] / v['median'] / c['roof_rate']:.0f} % of {c['roof']}"
            ratio = "" if v["name"] == "abax" else f"{v['ratio']:.2f} ({v['ratio_low']:.2f}–{v['ratio_high']:.2f})"
            rate = c["amount"] / v["median"]
            scale, written = scaled(c["unit"], rate)
            events = f"{v['device_median'] * 1e6:.4g}" if "device_median" in v else ""
            values = (f"{v['median'] * 1e6:.4g}", events, f"{rate / scale:.4g} {written}", part, ratio)
            yield "<tr>" + cells(c["kernel"], c["type"], c["shape"], c["backend"], v["name"]) + "".join(
                f'<td class="number">{html.escape(t)}</td>' for t in values
            ) + cells(c["bits"] + ("" if c["converged"] else ", not converged") + throttled(c, v)) + "</tr>"
    yield "</table>"


def write(folder, results_of):
    page = ["<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">",
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Abax: results</title>",
            f"<style>{PAGE_STYLE}</style></head><body><h1>Abax: results</h1>",
            "<p>Bands and bars are 95 % intervals; hollow marks in rates and ratios are medians that did not converge. "
            "Roofs were measured in the same run.</p>"]  # fmt: skip
    taken = set()
    for file, results in results_of.items():
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", pathlib.Path(file).stem).strip(".-") or "result"
        while stem in taken:
            stem += "-"
        taken.add(stem)
        context = "".join(
            f"<tr><th>{html.escape(name)}</th>{cells(value)}</tr>" for name, value in results["context"].items()
        )
        page.append(f"<h2>{html.escape(file)}</h2>")
        if results.get("status", "complete") != "complete":
            page.append(f"<p><strong>Not completed: {html.escape(results['status'])}.</strong></p>")
        page.append(f'<table class="context">{context}</table><div class="figures">')
        for name, title, figure in figures(results):
            if figure is None:
                continue
            drawn = svg(figure, title)
            slug = re.sub(r"[^a-z0-9]+", "-", name.lower())
            (folder / f"{stem}-{slug}.svg").write_text(drawn, encoding="utf-8")
            drawn = drawn.replace("<svg", f'<svg role="img" aria-label="{html.escape(title)}"', 1)
            page.append(f"<figure>{drawn}</figure>")
        page.append('</div><details><summary>All figures as a table</summary><div class="wide">')
        page.extend(table_of(results))
        page.append("</div></details>")
    page.append("</body></html>\n")
    (folder / "index.html").write_text("\n".join(page), encoding="utf-8")
    print(folder / "index.html")


def main(folder, *files):
    try:
        results = {file: read_either(file) for file in files}
        for file in [f for f in files if not results[f]["cases"]]:
            raise Refused(f"{file}: has no cases")
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        write(pathlib.Path(folder), results)
    except (Refused, OSError) as error:
        print(f"abax-perf: {printable(error)}", file=sys.stderr)
        return 2
    return 0
