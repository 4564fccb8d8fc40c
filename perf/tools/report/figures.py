# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws a result file's figures with Matplotlib: a function for each kind, which returns charts and a table of them."""

import html
import io
import math
import re
import textwrap

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from results import Refused

INK, SOFT, LINE, PALE, TINT = "#1f2428", "#5b646d", "#d8dde2", "#eceff2", "#cfe3f3"
# Okabe and Ito's colours, which colour-blind readers tell apart; hatches and markers tell the same without colour.
BLUE, ORANGE, GREEN, RED = "#0072b2", "#e69f00", "#009e73", "#d55e00"
VARIANTS = {"portable": (BLUE, "", "o"), "handwritten": (ORANGE, "////", "s"), "vendor": (GREEN, "xxx", "D")}
SERIES = [(BLUE, "o", "-", ""), (RED, "s", "--", "////"), (GREEN, "^", "-.", "xxx"), ("#b0508c", "D", ":", "\\\\\\"),
          ("#86690a", "v", "-", "++"), (SOFT, "P", "--", "||")]  # fmt: skip
WIDTH = 4.3  # inches: a chart is as wide as a phone
CLASSES = {}  # of the page's style sheet: what marks have in common is said there once
plt.rcParams.update({
    "svg.fonttype": "none", "text.parse_math": False, "font.size": 9, "hatch.linewidth": 0.6, "hatch.color": "white",
    "figure.facecolor": "none", "axes.facecolor": "none", "figure.max_open_warning": 0, "legend.frameon": False,
    "legend.fontsize": 9, "legend.loc": "lower left", "legend.borderaxespad": 0, "legend.borderpad": 0,
    "legend.handletextpad": 0.5, "legend.columnspacing": 1.5, "text.color": INK, "axes.labelcolor": SOFT,
    "axes.edgecolor": SOFT, "xtick.color": SOFT, "ytick.color": SOFT, "grid.color": LINE, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "xtick.bottom": False, "ytick.left": False,
    "lines.markersize": 4.5,
})  # fmt: skip


def number(x, _=None):
    """Four digits, more where they are whole; groups of three stand apart."""
    if x == int(x) and abs(x) < 1e12:
        return f"{int(x):,}".replace(",", "\u202f")
    if 9999 <= abs(x) < 1e12:
        return number(round(float(f"{x:.4g}")))
    return f"{x:.4g}" if 1e-3 <= abs(x) < 9999 else f"{x:.3e}"


def svg(figure, identity, title, description):
    """As an element of a page. Groups, clips (nothing is drawn outside) and names that nothing refers to are left out;
    what marks look like stands in the page's style sheet; and the names that are left are this picture's alone."""
    with plt.rc_context({"svg.hashsalt": identity}):
        file = io.StringIO()
        figure.savefig(file, format="svg", bbox_inches="tight", pad_inches=0.04,
                       metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))  # fmt: skip
    box = re.search(r'viewBox="0 0 (\S+) (\S+)"[^>]*>', file.getvalue())
    text = file.getvalue()[box.end() :]
    for drop in (r"xlink:|<!--.*?-->|<(metadata|style|clipPath)\b.*?</\1>|</?g\b[^>]*>", r' clip-path="[^"]*"',
                 r'<path d="[^"]*" style="fill: none"/>| transform="rotate\(-0 [^"]*"', r"(?<=>)\s+(?=<)",
                 "<defs></defs>"):  # fmt: skip
        text = re.sub(drop, "", text, flags=re.DOTALL)

    def class_of(style):
        style = re.sub(r"font: ([\d.]+px)[^;]*", r"font-size: \1", re.sub(r"font-family: [^;]*; ", "", style[1]))
        return f' class="{CLASSES.setdefault(style, f"s{len(CLASSES)}")}"'

    text = re.sub(r' style="([^"(]*)"', class_of, text)
    rounded = lambda m: re.sub(r"-?\d+\.\d+", lambda n: f"{float(n[0]):.1f}".removesuffix(".0"), m[0])
    text = re.sub(r"<[^>]*>", rounded, text)
    text = re.sub(r' d="[^"]*"', lambda m: re.sub(r'\s*([MLCQz"])\s*', r"\1", m[0]), text)
    text = re.sub(r"M(\S+) ([^\sL]+)L(\S+) \2L\3 ([^\sL]+)L\1 \4z", r"M\1 \2H\3V\4H\1z", text)  # rectangles
    while (fewer := re.sub(r'(<path d="[^"]*)("[^>]*>)<path d="([^"]*)\2', r"\1\3\2", text)) != text:
        text = fewer  # paths of one style, one after another
    return (f'<svg viewBox="0 0 {box[1]} {box[2]}" style="--natural:{box[1]}px" role="img">'
            f"<title>{html.escape(title)}</title><desc>{html.escape(description)}</desc>{text}")  # fmt: skip


def thumbnail(figure, identity, title):
    """The same drawing, small and without its words."""
    figure.set_size_inches(1.7, 1)
    for axes in figure.axes:
        axes.axis("off")
        axes.set_title("", loc="left")
        for word in (*axes.texts, *filter(None, [axes.get_legend()])):
            word.remove()
        for line in axes.lines:
            line.set_markersize(min(line.get_markersize(), 3))
    return svg(figure, identity, title, "A small drawing of this experiment's first figure.")


class Drawn:
    """A figure's charts (heading, verdict, Matplotlib's figure), the same as a table, and its numbers' sources."""

    def __init__(self, figure, columns=(), said=""):
        self.charts, self.columns, self.rows, self.notes, self.said = [], [*columns], [], [], said
        self.sources = {figure["data"].get("source", "model")}


def new_axes(height, width=WIDTH):
    figure = plt.figure(figsize=(width, height))
    return figure, figure.add_axes([0, 0, 1, 1])


def legend(axes, handles):
    """Above the axes, in as many columns as there is room for."""
    width, height = 72 * axes.figure.get_size_inches()
    longest = max(len(handle.get_label()) for handle in handles)
    axes.legend(handles=handles, bbox_to_anchor=(-0.01, 1 + 3 / height), ncol=max(1, int(width / (4.2 * longest + 27))))


# ---------------------------------------------------------------------------------------------------------------------
# Grids: lanes of a warp over banks, or over lines of memory.


def squares(axes, boxes, **style):
    """(x, y, width, height): one path."""
    corners = [((x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)) for x, y, w, h in boxes]
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * len(corners)
    if corners:
        axes.add_patch(PathPatch(Path([c for box in corners for c in box], codes), **{"linewidth": 0, **style}))


def lanes_over(axes, cells):
    """(x, y, width): lanes. Dark to light with the lane, through hues that colour-blind readers tell apart as well."""
    by_lane = {}
    for (x, y, width), lanes in cells.items():
        by_lane.setdefault(lanes[0] % 32, []).append((x + 0.05, y + 0.05, width - 0.1, 0.9))
        name = str(lanes[0]) if len(lanes) == 1 else "all" if len(lanes) == 32 else f"{lanes[0]}+"
        axes.text(x + width / 2, y + 0.5, name, ha="center", va="center_baseline", fontsize=6 if len(name) < 3 else 5,
                  color="white" if lanes[0] % 32 < 17 else "black")  # fmt: skip
    for lane, boxes in by_lane.items():
        squares(axes, boxes, facecolor=plt.cm.viridis(lane / 31))


def grid_axes(rows, names, columns, above):
    figure, axes = new_axes(0.13 * rows, 0.13 * 32)
    axes.set(xlim=(0, 32), ylim=(rows, 0))
    axes.set_xticks(*zip(*columns))
    axes.set_yticks(*zip(*names))
    axes.tick_params(labeltop=True, labelbottom=False, pad=2, labelsize=8)
    axes.spines[:].set_visible(False)
    axes.set_title(f"byte ↓   {above} →", loc="left", fontsize=8, color=SOFT, pad=16)
    return figure, axes


def bank_grid(figure, _):
    drawn = Drawn(figure, ["panel", "banks of lanes 0, 1, 2, …"],
                  "A column is a bank, a row 128 bytes of scratch. Coloured words carry their lane's number, pale ones "
                  "are not asked for, hollow ones are padding. Below: words asked of each bank.")  # fmt: skip
    for panel in figure["data"]["panels"]:
        depth, asked, cells, padding, banks = [0] * 32, [0] * 32, {}, [], {}
        span = max(1, panel["width"] // 4)
        for cell in (cell for row in panel["cells"] for cell in row):
            bank, lane = cell["bank"], cell["lane"]
            if bank + span > 32:
                raise Refused(f"{figure['title']}: expected words of {panel['width']} bytes that end within 32 banks")
            if lane >= 0:
                cells[bank, depth[bank], span] = [lane]
                banks[lane] = bank
            elif cell.get("pad"):
                padding.append((bank + 0.05, depth[bank] + 0.05, span - 0.1, 0.9))
            for b in range(bank, bank + span):
                depth[b] += 1
                asked[b] += lane >= 0
        deep, even, most = max(depth), min(depth), max(1, *asked)
        picture, axes = grid_axes(deep + 3.4, [(r + 0.5, 128 * r) for r in range(0, deep, 4)],
                                  [(b + 0.5, b) for b in (*range(0, 32, 4), 31)], "bank")  # fmt: skip
        squares(axes, [(0, r, 32, 0.9) for r in range(even)], facecolor=PALE)
        squares(axes, [(b, even, 1, n - even - 0.1) for b, n in enumerate(depth) if n > even], facecolor=PALE)
        squares(axes, [(b - 0.05, 0, 0.1, deep) for b in range(33)], facecolor="white")
        squares(axes, padding, facecolor="white", edgecolor=SOFT, linewidth=0.6)
        lanes_over(axes, cells)
        bars_below = [(b + 0.1, deep + 2.4 - 2 * n / most, 0.8, 2 * n / most) for b, n in enumerate(asked) if n]
        squares(axes, bars_below, facecolor=SOFT)
        axes.text(0, deep + 2.6, f"words asked of one bank: at most {most}", va="top", fontsize=8, color=SOFT)
        mark = "✓" if panel["wavefronts"] <= panel["ideal"] else "✕"
        verdict = f"{mark} wavefronts: {panel['wavefronts']}, ideally {panel['ideal']}"
        drawn.charts.append((panel["title"], verdict, picture))
        drawn.rows.append([panel["title"], " ".join(str(banks[lane]) for lane in sorted(banks))])
    return drawn


def line_grid(figure, _):
    drawn = Drawn(figure, ["panel", "bytes of lanes 0, 1, 2, …"],
                  "A row is a line of 128 bytes of memory, a frame a sector of 32; a tinted sector is moved whole. "
                  "Coloured words carry their lane's number.")  # fmt: skip
    for panel in figure["data"]["panels"]:
        sectors, lines = {s // 32 for s in panel["sectors"]}, sorted({s // 128 for s in panel["lines"]})
        gaps = [i and line != lines[i - 1] + 1 for i, line in enumerate(lines)]  # untouched memory between
        place = {line: 1.25 * i + sum(gaps[: i + 1]) for i, line in enumerate(lines)}
        words = {}
        for lane, address in enumerate(panel["lanes"]):
            for word in range(address // 4, (address + panel["width"] - 1) // 4 + 1) if address >= 0 else ():
                if word // 32 not in place:
                    raise Refused(f"{figure['title']}: expected the lines of all lanes")
                words.setdefault((word % 32, place[word // 32], 1), []).append(lane)
        picture, axes = grid_axes(1.25 + max(place.values()), [(y + 0.5, 128 * line) for line, y in place.items()],
                                  [(8 * s + 0.6, f"+{32 * s}") for s in range(4)], "within the line")  # fmt: skip
        for moved, face, edge in ((True, TINT, BLUE), (False, "none", LINE)):
            boxes = [(8 * s + 0.08, y, 7.84, 1) for line, y in place.items() for s in range(4)
                     if (4 * line + s in sectors) == moved]  # fmt: skip
            squares(axes, boxes, facecolor=face, edgecolor=edge, linewidth=0.8)
        lanes_over(axes, words)
        share = lambda key: f" ({100 * panel[key]:.4g} % of them asked for)" if key in panel else ""
        verdict = f"sectors: {len(sectors)}{share('asked_share_sectors')}"
        verdict += f"; lines: {len(lines)}{share('asked_share_lines')}"
        drawn.charts.append((panel["title"], verdict, picture))
        drawn.rows.append([panel["title"], " ".join(str(a) if a >= 0 else "–" for a in panel["lanes"])])
    return drawn


# ---------------------------------------------------------------------------------------------------------------------
# What was predicted, what was counted.

COUNTING = (
    "Not counted: the model stands alone. Counts come from perf/tools/counters.py, which runs Nsight Compute over "
    "abax-lab on an NVIDIA GPU. Where that says ERR_NVGPUCTRPERM, it needs root, or the driver's setting "
    "NVreg_RestrictProfilingToAdminUsers=0."
)


def predicted_counted(figure, cases):
    """Counts over predictions: where both agree, a mark is on the diagonal."""
    rows, marks, table, together = figure["data"]["rows"], {}, {}, {}
    names = list(dict.fromkeys(row["what"].replace("_", " ") for row in rows))
    drawn = Drawn(figure, ["case", *(f"{name}: predicted, counted" for name in names), "variants"])
    for row in rows:
        case = cases.get(row["label"], {"name": row["label"], "variant": "", "counted": {}})
        predicted, counted, name = row["predicted"], case["counted"].get(row["what"]), row["what"].replace("_", " ")
        shown = "not counted" if counted is None else number(counted)
        sign = "," if counted is None else "=" if counted == predicted else "≠"
        marks.setdefault((name, counted is None), []).append((predicted, predicted if counted is None else counted))
        table.setdefault((case["name"], case["variant"]), {})[name] = f"{number(predicted)} {sign} {shown}"
    for (case, variant), texts in table.items():
        together.setdefault((case, *(texts.get(name, "") for name in names)), []).append(variant)
    drawn.rows = [[*row, ", ".join(variants)] for row, variants in together.items()]
    if not rows:
        drawn.notes.append("Nothing ran on a GPU here, so there is nothing that a profiler could count.")
        return drawn
    picture, axes = new_axes(2.4, WIDTH - 0.8)
    high = 2 * max(1, *(v for points in marks.values() for point in points for v in point))
    axes.plot([0, high], [0, high], color=SOFT, linewidth=0.8)
    for (name, uncounted), points in marks.items():
        colour, marker, *_ = SERIES[names.index(name) % len(SERIES)]
        label = textwrap.fill(f"{name}{', not counted' * uncounted} ({len(points)})", 60)
        axes.plot(*zip(*sorted(set(points))), marker, color=colour, fillstyle="none", label=label, linestyle="none",
                  markersize=5 + 3 * (names.index(name) % 3), markeredgewidth=1.3)  # fmt: skip
    compared = [point for (_, uncounted), points in marks.items() if not uncounted for point in points]
    wrong = [(predicted, counted) for predicted, counted in compared if predicted != counted]
    if wrong:
        axes.plot(*zip(*wrong), "x", color="#b3400a", markersize=9, label="differs")
    if compared:
        drawn.sources.add("counter")
    if len(compared) < len(rows):
        drawn.notes.append(COUNTING)
    axes.set(xscale="symlog", yscale="symlog", xlim=(-0.3, high), ylim=(-0.3, high),
             xlabel="predicted by the model, a launch", ylabel="counted by the profiler, a launch")  # fmt: skip
    for axis in (axes.xaxis, axes.yaxis):
        axis.set(major_locator=FixedLocator([0, *(10**p for p in range(int(math.log10(high)) + 1))]),
                 minor_locator=NullLocator(), major_formatter=FuncFormatter(number))  # fmt: skip
    legend(axes, axes.get_legend_handles_labels()[0])
    verdict = f"{'✕' if wrong else '✓'} {len(compared) - len(wrong)} of {len(compared)} counts are as predicted"
    drawn.charts.append(("", verdict if compared else "", picture))
    return drawn


# ---------------------------------------------------------------------------------------------------------------------
# Bars and ladders: a row's name above its marks, so that both may be long; the variants of one name together.


def bars(figure, _, logarithmic=False):
    data, entries, values = figure["data"], {}, []
    drawn = Drawn(figure, ["what", "variant", data["unit"] or "value", "from", "to"])
    drawn.columns += ["share"] * any("share" in row for row in data["rows"])
    drawn.sources = {row.get("source", data.get("source", "")) for row in data["rows"]}
    prefixes = {re.match(r"(\d+/)?", row["label"])[0] for row in data["rows"]}
    for row in data["rows"]:
        value = row["value"]
        low, high = row.get("low", value), row.get("high", value)
        if not low <= value <= high or (logarithmic and low <= 0):
            raise Refused(f"{figure['title']}: {row['label']}: expected {'0 < ' * logarithmic}low <= value <= high")
        label = row["label"].removeprefix(next(iter(prefixes)) if len(prefixes) == 1 else "")
        name, variant = re.fullmatch(r"(.*?)(?: \((portable|handwritten|vendor)\))?", label, re.DOTALL).groups()
        variant = variant or (row["group"] if row.get("group") in VARIANTS else "")
        share = f"{100 * row['share']:.3g} %" if "share" in row else ""
        values += [low, high]
        entries.setdefault(name, []).append((variant, value, low, high, share))
        ends = (number(low), number(high)) if low < high else ("", "")
        drawn.rows.append([name, variant, number(value), *ends, share][: len(drawn.columns)])
    y, (picture, axes), start, end = 4, new_axes(1), min(0, *values), max(0, *values)
    if logarithmic:
        start = min(values) / 1.6
        axes.set(xscale="log", xlim=(start, end * (3 * end / min(values)) ** 0.3))
        subs = (1,) if end > 99 * min(values) else (1, 2, 5)
        axes.xaxis.set(major_locator=LogLocator(10, subs, numticks=6), minor_locator=NullLocator())
    else:
        axes.set_xlim(start, end + 0.36 * (end - start or 1))
        axes.xaxis.set_major_locator(MaxNLocator(5))
    handles = {}
    for name, row in entries.items():
        for line in textwrap.wrap(name, 56):
            axes.annotate(line, (0, y + 9), (1, 0), ("axes fraction", "data"), "offset points", va="baseline")
            y += 13
        for variant, value, low, high, share in row:
            colour, hatch, marker = VARIANTS.get(variant, (SOFT, "", "v"))
            if logarithmic:
                axes.plot([start, value], [y + 5] * 2, color=LINE, linewidth=1)
                (handles[variant],) = axes.plot([value], [y + 5], marker, color=colour, markersize=7, label=variant)
            else:
                look = {"color": colour, "hatch": hatch, "edgecolor": "white", "label": variant}
                handles[variant] = axes.barh([y + 5], [value], 9, **look)
            if low < high:
                axes.plot([low, high], [y + 5] * 2, color=INK, linewidth=1)
            written = " · ".join(filter(None, (number(float(f"{value:.4g}")), share)))
            axes.annotate(written, (max(high, 0), y + 5), (6, 0), textcoords="offset points", va="center_baseline")
            y += 11
        y += 5
    picture.set_size_inches(WIDTH, y / 72)
    axes.set(ylim=(y, 0), yticks=[])
    axes.spines["left"].set_visible(start < 0)
    axes.grid(axis="x")
    axes.xaxis.set_major_formatter(FuncFormatter(number))
    axes.set_xlabel(textwrap.fill(data["unit"] + ", logarithmic scale" * logarithmic, 60), loc="left")
    known = [handles[variant] for variant in VARIANTS if variant in handles]
    if known:
        legend(axes, known)
    drawn.charts.append(("", "", picture))
    return drawn


# ---------------------------------------------------------------------------------------------------------------------
# Sweeps, and who worked when.


def bytes_text(x, _=None):
    power = 0 if x < 1024 else min(3, int(math.log2(x)) // 10)
    return f"{x / 1024**power:g} {('', 'Ki', 'Mi', 'Gi')[power]}".strip()


def lines(figure, _):
    data, table = figure["data"], {}
    names = [series["name"] for series in data["series"]]
    drawn = Drawn(figure, [figure["x"] or "x", *(name or figure["y"] or "y" for name in names)])
    drawn.sources = {series.get("source", data.get("source", "")) for series in data["series"]}
    picture, axes = new_axes(2.5, WIDTH - 0.5)
    for i, series in enumerate(data["series"]):
        source = series.get("source", data.get("source", ""))
        points = sorted([*p, p[1], p[1]][:4] if len(p) < 4 else p for p in series["points"])
        if (data.get("log_x") and points[0][0] <= 0) or (data.get("log_y") and min(min(p[1:]) for p in points) <= 0):
            raise Refused(f"{figure['title']}: {series['name']}: expected values above 0 on a logarithmic scale")
        x, y, low, high = zip(*points)
        colour, marker, style, _ = SERIES[i % len(SERIES)]
        if series["name"] in VARIANTS:
            colour, _, marker = VARIANTS[series["name"]]
        if low != high:
            axes.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
        axes.plot(x, y, color=colour, marker=marker, linestyle="none" if source == "counter" else style,
                  fillstyle="none" if source == "model" else "full", markevery=max(1, len(x) // 8),
                  label=textwrap.fill(series["name"], 56))  # fmt: skip
        for a, b, low, high in points:
            text = number(b) + (f" ({number(low)} to {number(high)})" if low < high else "")
            table.setdefault(a, [""] * len(names))[i] = text
    drawn.rows = [[number(a), *texts] for a, texts in sorted(table.items())]
    for axis, values in (("x", list(table)), ("y", [*axes.dataLim.intervaly])):
        low, high, log = min(values), max(values), data.get(f"log_{axis}")
        doubling = log and high > low and all(math.log2(a) % 1 == 0 or math.log2(a / 1.5) % 1 == 0 for a in values)
        if log:
            axes.set(**{f"{axis}scale": matplotlib.scale.LogScale(axis, base=2 if doubling else 10)})
            locator = LogLocator(2, numticks=9) if doubling else LogLocator(10, (1,) if high > 99 * low else (1, 2, 5))
        else:
            locator = MaxNLocator(8, integer=all(a == int(a) for a in values))
        formatter = FuncFormatter(bytes_text if doubling and axis == "x" else number)
        axis = getattr(axes, f"{axis}axis")
        axis.set(major_locator=locator, minor_locator=NullLocator(), major_formatter=formatter)
    if not data.get("log_y") and min(axes.dataLim.intervaly) >= 0:
        axes.set_ylim(bottom=0)
    axes.grid(axis="y")
    unit = data.get("unit", "")
    y_text = figure["y"] + (f", {unit}" if unit not in figure["y"] else "")
    axes.set(xlabel=textwrap.fill(figure["x"], 60), ylabel=textwrap.fill(y_text, 34))
    if names[0]:
        legend(axes, axes.get_legend_handles_labels()[0])
    drawn.charts.append(("", "", picture))
    return drawn


def timeline(figure, _):
    data, kinds = figure["data"], {}
    lanes, unit = data["lanes"], data["unit"]
    drawn = Drawn(figure, ["lane", "what", f"begin, {unit}", f"end, {unit}"])
    picture, axes = new_axes(0.3 * len(lanes), 1.5 * WIDTH)
    for y, lane in enumerate(lanes):
        for span in lane["spans"]:
            begin, end = span["begin"], span["end"]
            if end < begin:
                raise Refused(f"{figure['title']}: {lane['name']}: expected an end not before its begin")
            kind = re.sub(r"[\s\d]+$", "", span["label"])  # "in 3" is an "in"
            colour, _, _, hatch = SERIES[[*kinds, kind].index(kind) % len(SERIES)]
            kinds[kind] = axes.barh([y], [end - begin], 0.72, begin, facecolor=colour, edgecolor="white", hatch=hatch,
                                    linewidth=0.5, label=textwrap.fill(kind, 60))  # fmt: skip
            drawn.rows.append([lane["name"], span["label"], *(number(float(f"{t:.4g}")) for t in (begin, end))])
    axes.set_yticks(range(len(lanes)), [textwrap.fill(lane["name"], 24) for lane in lanes])
    axes.set(ylim=(len(lanes) - 0.4, -0.6), xlabel=unit, xlim=(min(0, axes.dataLim.x0), None))
    axes.grid(axis="x")
    if kinds:
        legend(axes, list(kinds.values()))
    drawn.charts.append(("", "", picture))
    return drawn


def cell_text(value):
    if value is None or isinstance(value, bool):
        return {None: "", True: "yes", False: "no"}[value]
    return value if isinstance(value, str) else number(value)


def table(figure, _):
    data = figure["data"]
    drawn = Drawn(figure, data["columns"])
    drawn.rows = [[*map(cell_text, row)] for row in data["rows"]]
    if any(len(row) != len(drawn.columns) for row in drawn.rows):
        raise Refused(f"{figure['title']}: expected rows of {len(drawn.columns)} cells")
    return drawn


def shares(rows):
    """A small drawing of a table: each row's numbers, one after another."""
    picture, axes = new_axes(1)
    for y, row in enumerate(rows):
        numbers = [float(c) if re.fullmatch(r"\d+(\.\d+)?", c) else 0 for c in row]
        for x, n in enumerate(numbers):
            axes.barh([y], [n], 0.8, sum(numbers[:x]), color=SERIES[x % len(SERIES)][0])
    return picture


KINDS = {"bank_grid": bank_grid, "line_grid": line_grid, "predicted_counted": predicted_counted, "lines": lines,
         "bars": bars, "ladder": lambda figure, cases: bars(figure, cases, True), "timeline": timeline,
         "table": table}  # fmt: skip
