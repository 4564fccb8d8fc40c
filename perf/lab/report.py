# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the lab's result files: `abax-lab report` runs this with the page's path and the files'.

The page is one file that loads nothing and runs nothing. Charts are as wide as a phone, and stand side by side where
there is room; their colours are the page's, so that they follow the reader's light, dark or paper. What a number comes
from -- a model, a clock, a counter -- is said beside it and shown in how it is drawn.

A file may be anybody's: each value is asked for by name and kind, and what is not as it should be is named.
"""

import sys

sys.path = [folder for folder in sys.path if folder]  # a json.py where the user happens to be is none of this

import html
import json
import math
import os
import pathlib
import re
import tempfile

SCHEMA = "abax-lab/1"
LARGEST_FILE = 256 << 20


class Refused(Exception):
    """One line: which file, where in it, and what was expected there."""


# ---------------------------------------------------------------------------------------------------------------------
# Reading.


class Node:
    """A value of a file, and where it stands, for messages."""

    def __init__(self, value, where):
        self.value, self.where = value, where

    def wrong(self, expected):
        return Refused(f"{self.where}: expected {expected}")

    def entry(self, key):
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        return Node(self.value.get(key), f"{self.where}.{key}")

    def has(self, key):
        return self.entry(key).value is not None

    def members(self):
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        return [(k, Node(v, f"{self.where}.{shown(k)}")) for k, v in self.value.items()]

    def items(self, key):
        """Of an object that may be missing."""
        return self.entry(key).members() if self.has(key) else []

    def each(self, key, most, least=0):
        return self.entry(key).elements(most, least)

    def elements(self, most, least=0):
        value = [] if self.value is None and least == 0 else self.value
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise self.wrong(f"a list of {least} to {most}")
        return [Node(v, f"{self.where}[{i}]") for i, v in enumerate(value)]

    def text(self, key, default=None):
        node = self.entry(key)
        value = default if node.value is None else node.value
        if not isinstance(value, str):
            raise node.wrong("a text")
        return value

    def flag(self, key):
        node = self.entry(key)
        if node.value not in (None, True, False):
            raise node.wrong("true or false")
        return bool(node.value)

    def as_number(self):
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            raise self.wrong("a number")
        try:
            finite = self.value == 0 or 1e-100 < abs(self.value) < 1e100
        except OverflowError:
            finite = False
        if not finite:
            raise self.wrong("a finite number of ordinary size")
        return self.value

    def number(self, key):
        return self.entry(key).as_number()

    def as_whole(self, low, high):
        value = self.as_number()
        if value != int(value) or not low <= value <= high:
            raise self.wrong(f"a whole number from {low} to {high}")
        return int(value)

    def whole(self, key, low, high):
        return self.entry(key).as_whole(low, high)

    def choice(self, key, allowed, default):
        value = self.text(key, default)
        if value not in allowed:
            raise self.entry(key).wrong("one of " + ", ".join(allowed))
        return value


def shown(text):
    """What cannot do harm in a terminal or a page, nor hide what stands beside it."""
    hidden = "\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff"
    return re.sub(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{hidden}]", "\ufffd", text)


def read(path):
    try:
        if not path.is_file():
            raise Refused(f"{path}: is no file")
        if path.stat().st_size > LARGEST_FILE:
            raise Refused(f"{path}: is larger than {LARGEST_FILE >> 20} MiB")
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Refused(f"{path}: is no UTF-8 text") from None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused(f"{path}: is no whole JSON text ({error})") from None
    root = Node(value, str(path))
    schema = value.get("schema") if isinstance(value, dict) else None
    if schema != SCHEMA:
        raise Refused(f"{path}: is no result of abax-lab: its schema is {json.dumps(schema)[:60]}, not {SCHEMA}")
    return root


# ---------------------------------------------------------------------------------------------------------------------
# Writing numbers and texts.


def esc(text):
    return html.escape(shown(str(text)))


def plain_number(x):
    """Four digits, more where they are whole; groups of three stand apart."""
    if x == int(x) and abs(x) < 1e12:
        return f"{int(x):,}".replace(",", "\u202f")
    if 1e-3 <= abs(x) < 1e5:
        return f"{x:.4g}"
    return f"{x:.3e}"


UNITS = {"seconds": "s", "nanoseconds": "ns", "bytes_per_second": "B/s", "flops_per_second": "FLOP/s", "bytes": "B", "hertz": "Hz"}
PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p"))


def measure(x, unit, digits=4):
    """A number and its unit, with a prefix where the unit is a plain one."""
    if x == 0 and unit in UNITS.values():
        return "0"
    if unit == "ns":
        x, unit = x * 1e-9, "s"
    if unit in UNITS.values():
        factor, prefix = next((f for f in PREFIXES if abs(x) >= f[0] * 0.9995), PREFIXES[-1])
        return f"{x / factor:.{digits}g} {prefix}{unit}"
    return f"{plain_number(float(f'{x:.{digits}g}'))} {unit}".rstrip()


def with_unit(key, x):
    """A number whose name says its unit."""
    for ending, unit in UNITS.items():
        if key == ending or key.startswith(ending + "_") or key.endswith("_" + ending):
            return plain_number(x) + " B" if unit == "B" and x == int(x) else measure(x, unit)
    return plain_number(x)


def spoken(key):
    return shown(key) if key.isupper() else shown(key).replace("_", " ")  # a variable of the environment keeps its name


def tick_text(x, in_bytes=False, unit=""):
    if unit in UNITS.values():
        return measure(x, unit, 10)
    if in_bytes and x >= 1024:
        for power, prefix in ((30, "Gi"), (20, "Mi"), (10, "Ki")):
            if x >= 2**power and x % 2**power == 0:
                return f"{int(x) >> power} {prefix}"
    if x == 0 or 1e-4 < abs(x) < 1e6:
        return f"{x:.10g}"
    power = math.floor(math.log10(abs(x)) + 1e-9)
    lead = f"{x / 10**power:.3g}"
    raised = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return ("" if lead == "1" else lead + "·") + "10" + raised


def ticks_linear(low, high, about=5):
    step = 10 ** math.floor(math.log10((high - low) / about))
    step *= next((f for f in (1, 2, 5) if (high - low) / (step * f) <= about), 10)
    first = math.ceil(low / step - 1e-9)
    return [n * step for n in range(first, math.floor(high / step + 1e-9) + 1)]


def ticks_log(low, high, doubling=False, most=7):
    if doubling:
        powers = list(range(math.ceil(math.log2(low) - 1e-9), math.floor(math.log2(high) + 1e-9) + 1))
        return [2.0**p for p in powers[:: max(1, math.ceil(len(powers) / most))]]
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7)):
        ticks = [f * 10.0**p for p in powers for f in factors if low * 0.999 <= f * 10.0**p <= high * 1.001]
        if len(ticks) >= 3:
            break
    return ticks[:: max(1, math.ceil(len(ticks) / most))]


# ---------------------------------------------------------------------------------------------------------------------
# SVG. Lengths are those of a phone's screen; nobody's font is known here, so a text's width is guessed, rather long.

WIDTH, FONT, SMALL = 360, 12, 11


def text_width(text, size=FONT):
    return 0.6 * size * len(text)


def cut(text, width, size=FONT):
    """As much of a text as fits."""
    room = max(2, int(width / (0.6 * size)))
    text = shown(text)
    return text if len(text) <= room else text[: room - 1] + "…"


def wrapped(text, width, size=FONT):
    lines, room = [""], max(4, int(width / (0.62 * size)))
    for word in shown(text).split():
        while len(word) > room:  # longer than any line
            lines += [word[:room], ""]
            word = word[room:]
        if lines[-1] and len(lines[-1]) + 1 + len(word) > room:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return [line for line in lines if line] or [""]


class Drawing:
    def __init__(self, width=WIDTH):
        self.width, self.height, self.marks = width, 0, []

    def add(self, tag, text=None, **attributes):
        written = []
        for key, value in attributes.items():
            if isinstance(value, float):
                assert math.isfinite(value)
                value = f"{value:.2f}".rstrip("0").rstrip(".")
            written.append(f' {key.rstrip("_").replace("_", "-")}="{esc(value)}"')
        self.marks.append(f"<{tag}{''.join(written)}/>" if text is None else f"<{tag}{''.join(written)}>{text}</{tag}>")

    def text(self, x, y, text, anchor="start", size=FONT, cls="t"):
        self.add("text", esc(text), x=float(x), y=float(y), class_=cls, text_anchor=anchor, font_size=size)

    def rect(self, x, y, width, height, cls, tip=None, **more):
        title = None if tip is None else f"<title>{esc(tip)}</title>"
        self.add("rect", title, x=float(x), y=float(y), width=float(width), height=float(height), class_=cls, **more)

    def line(self, x1, y1, x2, y2, cls):
        self.add("path", d=f"M{x1:.2f} {y1:.2f}L{x2:.2f} {y2:.2f}", class_=cls)

    def svg(self, identity, title, description):
        return (
            f'<svg id="{esc(identity)}" viewBox="0 0 {self.width:g} {self.height:g}" role="img" '
            f'aria-labelledby="{esc(identity)}-title {esc(identity)}-desc" style="--natural:{self.width:g}px">'
            f'<title id="{esc(identity)}-title">{esc(title)}</title><desc id="{esc(identity)}-desc">{esc(description)}</desc>'
            + "".join(self.marks)
            + "</svg>"
        )


MARKERS = 6


def marker(drawing, x, y, shape, cls, tip, size=3.2):
    """Told apart by shape, for those who cannot tell colours."""
    r = size
    paths = [
        f"M{x - r:.2f} {y:.2f}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0z",
        f"M{x - r:.2f} {y - r:.2f}h{2 * r}v{2 * r}h{-2 * r}z",
        f"M{x:.2f} {y - 1.2 * r:.2f}l{1.2 * r:.2f} {2.2 * r:.2f}h{-2.4 * r:.2f}z",
        f"M{x:.2f} {y - 1.3 * r:.2f}l{1.3 * r:.2f} {1.3 * r:.2f}l{-1.3 * r:.2f} {1.3 * r:.2f}l{-1.3 * r:.2f} {-1.3 * r:.2f}z",
        f"M{x:.2f} {y + 1.2 * r:.2f}l{1.2 * r:.2f} {-2.2 * r:.2f}h{-2.4 * r:.2f}z",
        f"M{x - r:.2f} {y - r / 2.5:.2f}h{2 * r}v{r / 1.25:.2f}h{-2 * r}z",
    ]
    drawing.add("path", f"<title>{esc(tip)}</title>", d=paths[shape % MARKERS], class_=cls)


# Where a number comes from. Hollow and dashed: a model's; full: a clock's; full, and no line: a counter's.
SOURCES = {
    "model": ("model", "what the model predicts: nothing was run for it"),
    "clock": ("clock", "what a clock measured"),
    "counter": ("counter", "what the profiler's hardware counters counted"),
    "output": ("output", "what the kernels' own outputs show, or a checker saw in them"),
    "given": ("given", "what the case itself says: how many bytes, operations or steps a rate is of"),
    "": ("source not stated", "the file does not say what these numbers come from"),
}
SOURCE_NAMES = tuple(SOURCES)


def badge(source):
    name, meaning = SOURCES[source]
    return f'<span class="badge {source or "unstated"}" title="{esc(meaning)}">{esc(name)}</span>'


def source_of(node, default):
    return node.choice("source", SOURCE_NAMES, default)


class Drawn:
    """A figure's pictures, and the same as a table."""

    def __init__(self, sources=(), wide=False):
        self.pictures, self.columns, self.rows = [], [], []
        self.sources, self.wide, self.before, self.notes = set(sources), wide, "", []


# ---------------------------------------------------------------------------------------------------------------------
# Tiles over banks, and a warp over memory.

LANES = 32


def lane_colours():
    """Dark to light with the lane, through hues that colour-blind readers tell apart as well."""
    anchors = [(0x3B, 0x1A, 0x6E), (0x41, 0x44, 0x8B), (0x2F, 0x6D, 0x8F), (0x1F, 0x97, 0x8B), (0x4B, 0xBE, 0x6E), (0xA9, 0xDA, 0x34), (0xFD, 0xE7, 0x25)]  # fmt: skip
    for lane in range(LANES):
        at = lane / (LANES - 1) * (len(anchors) - 1)
        i = min(int(at), len(anchors) - 2)
        yield "#" + "".join(f"{round(a + (b - a) * (at - i)):02x}" for a, b in zip(anchors[i], anchors[i + 1]))


LANE_COLOURS = list(lane_colours())
CELL = 14


def lane_cell(drawing, x, y, width, lanes, tip, height=CELL):
    lane = lanes[0] % LANES
    drawing.rect(x + 0.5, y + 0.5, width - 1, height - 1, "cell", tip, fill=LANE_COLOURS[lane])
    name = str(lanes[0]) if len(lanes) == 1 else "all" if len(lanes) == LANES else f"{lanes[0]}+"
    if text_width(name, 8.5) <= width + 3:
        drawing.text(x + width / 2, y + height / 2 + 3.2, name, "middle", 8.5, "on-dark" if lane < 15 else "on-light")


def lane_key(what):
    """The colours' meaning, once a figure."""
    drawing = Drawing(8 * LANES + 100)
    for lane in range(LANES):
        drawing.rect(46 + 8 * lane, 3, 8, 10, "cell", None, fill=LANE_COLOURS[lane])
    drawing.text(0, 12, "lane 0", size=SMALL)
    drawing.text(50 + 8 * LANES, 12, "31", size=SMALL)
    drawing.height = 16
    marks = "".join(drawing.marks)
    return f'<p class="key"><svg viewBox="0 0 {drawing.width} {drawing.height}" aria-hidden="true">{marks}</svg> {what}</p>'


def bank_panel(panel, drawn, figure_title):
    title = panel.text("title", "")
    rows, columns = panel.whole("rows", 1, 256), panel.whole("cols", 1, 256)
    banks = panel.whole("banks", 1, 64) if panel.has("banks") else 32
    width = panel.whole("width", 1, 16) if panel.has("width") else 4
    wavefronts, ideal = panel.whole("wavefronts", 0, 10**9), panel.whole("ideal", 0, 10**9)
    left, top = 38, 36
    drawing = Drawing(left + banks * CELL + 4)
    drawing.text(left, 11, "bank", size=SMALL, cls="t soft")
    for bank in sorted({*range(0, banks, 4), banks - 1}):
        if bank == banks - 1 or banks - 1 - bank > 1:
            drawing.text(left + (bank + 0.5) * CELL, 28, str(bank), "middle", SMALL, "t soft")
    asked, span = [0] * banks, max(1, width // 4)  # banks of one word
    height, empty, paddings = [0] * banks, [], []  # words that lie in each bank so far: the next one lies below them
    for r, row in enumerate(panel.each("cells", 256, 1)):
        for c, cell in enumerate(row.elements(1024, 1)):
            bank = cell.whole("bank", 0, banks - span)
            lanes = [n.as_whole(0, 1023) for n in cell.each("lanes", 1024)]
            if not lanes and cell.whole("lane", -1, 1023) >= 0:
                lanes = [cell.whole("lane", -1, 1023)]
            x, y = left + bank * CELL, top + height[bank] * CELL
            for b in range(bank, bank + span):
                height[b] += 1
                asked[b] += bool(lanes)
            if lanes:
                word = f"row {r}, column {c}"
                whose = f"lane {lanes[0]}" if len(lanes) == 1 else f"lanes {', '.join(map(str, lanes))}"
                lane_cell(drawing, x, y, span * CELL, lanes, f"{whose}: {word}, bank {bank}")
                drawn.rows.append([title, whose, word, bank])
            elif cell.flag("pad"):
                paddings.append(f"M{x + 2} {y + CELL - 2}l{span * CELL - 4} {4 - CELL}")
            else:
                empty.append(f"M{x + 0.5} {y + 0.5}h{span * CELL - 1}v{CELL - 1}h{1 - span * CELL}z")
    deep = max(height)
    for r in sorted({*range(0, deep, 4), deep - 1}):
        if r == deep - 1 or deep - 1 - r > 1:
            drawing.text(left - 5, top + (r + 1) * CELL - 3, str(r * 4 * banks), "end", SMALL, "t soft")
    if empty:
        drawing.marks.insert(0, f'<path class="empty" d="{"".join(empty)}"/>')
    if paddings:
        drawing.add("path", d="".join(paddings), class_="pad")
    drawing.text(left - 5, top - 8, "byte", "end", SMALL, "t soft")
    # What makes the conflict: words that one bank is asked for.
    most = max(max(asked), 1)
    y = top + deep * CELL + 10
    bar = min(36.0, 6.0 * most)
    for bank, n in enumerate(asked):
        if n:
            drawing.rect(left + bank * CELL + 2, y + bar * (1 - n / most), CELL - 4, bar * n / most, "asked", f"bank {bank}: words asked {n}")
    drawing.line(left, y + bar + 0.5, left + banks * CELL, y + bar + 0.5, "axis")
    y += bar + 15
    drawing.text(left, y, f"words asked of each bank: at most {max(asked)}", size=SMALL, cls="t soft")
    drawing.height = y + 6
    verdict = f"{plural(wavefronts, 'wavefront')}, ideally {ideal}"
    drawn.columns = ["panel", "lane", "word", "bank"]
    heading = f'<h5>{esc(title)}</h5><p class="verdict {"good" if wavefronts <= ideal else "bad"}">{esc(verdict)}</p>'
    return heading, drawing, f"{figure_title}, {title}: {rows} x {columns} words of {width} bytes over {banks} banks; {verdict}."


def plural(n, word):
    return f"{plain_number(n)} {word}{'' if n == 1 else 's'}"


def bank_grid(data, title):
    drawn = Drawn(["model"], wide=True)
    drawn.before = lane_key("A column is a bank, a row 128 bytes of scratch; pale words are not asked for in this access, crossed out ones are padding.")
    drawn.pictures = [bank_panel(panel, drawn, title) for panel in data.each("panels", 16, 1)]
    return drawn


LINE, SECTOR, WORD = 128, 32, 4


def line_panel(panel, drawn, figure_title):
    title, width = panel.text("title", ""), panel.whole("width", 1, 16)
    addresses = [a.as_whole(-1, 2**62) for a in panel.each("lanes", 1024, 1)]
    sectors = {s.as_whole(0, 2**62) // SECTOR for s in panel.each("sectors", 4096, 1)}
    lines = sorted({s.as_whole(0, 2**62) // LINE for s in panel.each("lines", 1024, 1)})
    words = {}
    for lane, address in enumerate(addresses):
        if address < 0:  # takes no part
            continue
        for at in range(address // WORD, (address + width - 1) // WORD + 1):
            words.setdefault(at, []).append(lane)
        drawn.rows.append([title, lane, address, address // SECTOR, address // LINE])
    drawn.columns = ["panel", "lane", "byte", "sector of 32", "line of 128"]
    per_line = LINE // WORD
    left, y = 46, 30
    drawing = Drawing(left + per_line * CELL + 4)
    drawing.text(left - 5, 12, "byte", "end", SMALL, "t soft")
    for s in range(LINE // SECTOR):
        drawing.text(left + s * SECTOR // WORD * CELL, 12, f"+{s * SECTOR}", size=SMALL, cls="t soft")
    before = None
    for line in lines:
        if before is not None and line != before + 1:  # untouched memory between
            drawing.text(left + per_line * CELL / 2, y + 3, "⋯", "middle", FONT, "t soft")
            y += 12
        before = line
        drawing.text(left - 5, y + CELL - 3, str(line * LINE), "end", SMALL, "t soft")
        for s in range(LINE // SECTOR):
            number = line * LINE // SECTOR + s
            touched = number in sectors
            drawing.rect(left + s * 8 * CELL + 1, y, 8 * CELL - 2, CELL, "sector" + (" touched" if touched else ""),
                         f"sector {number}: {'moved' if touched else 'not moved'}")  # fmt: skip
        for w in range(per_line):
            lanes = words.get(line * per_line + w)
            if lanes:
                whose = f"lane {lanes[0]}" if len(lanes) == 1 else f"lanes {', '.join(map(str, lanes))}"
                lane_cell(drawing, left + w * CELL, y, CELL, lanes, f"{whose}: byte {(line * per_line + w) * WORD}")
        y += CELL + 4
    drawing.height = y + 2
    asked = lambda key: f" ({100 * panel.number(key):.4g} % of it asked for)" if panel.has(key) else ""
    verdict = f"{plural(len(sectors), 'sector')}{asked('asked_share_sectors')}, {plural(len(lines), 'line')}{asked('asked_share_lines')}"
    heading = f'<h5>{esc(title)}</h5><p class="verdict">{esc(verdict)}</p>'
    return heading, drawing, f"{figure_title}, {title}: {verdict}"


def line_grid(data, title):
    drawn = Drawn(["model"], wide=True)
    drawn.before = lane_key("A row is a line of 128 bytes, a frame a sector of 32; a framed and tinted sector is moved whole.")
    drawn.pictures = [line_panel(panel, drawn, title) for panel in data.each("panels", 16, 1)]
    return drawn


# ---------------------------------------------------------------------------------------------------------------------
# Bars and ladders: a row's name above its mark, so that both may be long.


def chunks(rows, most):
    count = math.ceil(len(rows) / most)
    size = math.ceil(len(rows) / max(count, 1))
    return [rows[i : i + size] for i in range(0, len(rows), size)]


COUNTING = (
    "Not counted: the model stands alone. Counts come from <code>perf/lab/counters</code>, which runs Nsight Compute over "
    "<code>abax-lab</code> on an NVIDIA GPU. Where that says ERR_NVGPUCTRPERM, it needs root, or the driver's setting "
    "<code>NVreg_RestrictProfilingToAdminUsers=0</code>."
)


def predicted_counted(data, title, cases):
    """The counted bar lies in the predicted one, and fills it where the two are equal."""
    drawn = Drawn(["model"], wide=True)
    rows = []
    for row in data.each("rows", 2000):
        label, what, predicted = row.text("label"), row.text("what"), row.number("predicted")
        case = cases.get(label)
        counted = None
        if case is not None and case.entry("counted").value is not None and case.entry("counted").has(what):
            counted = case.entry("counted").number(what)
        backend = " · ".join(case.text(key) for key in ("backend", "variant") if case.has(key)) if case is not None else ""
        name = case.text("name", label) if case is not None else label
        rows.append((name, backend, row.text("text", spoken(what)), predicted, counted))
    if any(counted is not None for *_, counted in rows):
        drawn.sources.add("counter")
    if any(counted is None for *_, counted in rows):
        drawn.notes.append(COUNTING)
    if not rows:
        drawn.notes.append("Nothing ran on a GPU here, so there is nothing that a profiler could count.")
        return drawn
    most = max(max(abs(p), abs(c or 0)) for *_, p, c in rows) or 1
    equal = sum(c == p for *_, p, c in rows)
    uncounted = sum(c is None for *_, c in rows)
    rows.sort(key=lambda row: row[4] is None or row[4] == row[3])  # those that differ come first
    left, room = 162, WIDTH - 162 - 94
    for part in chunks(rows, min(16, max(5, math.ceil(len(rows) / 3)))):
        drawing, y, heading = Drawing(), 4, None
        for name, backend, what, predicted, counted in part:
            if (name, backend) != heading:
                heading = (name, backend)
                for line in wrapped(name, WIDTH):
                    y += 15
                    drawing.text(0, y, line, cls="t strong")
                for line in wrapped(backend, WIDTH, SMALL) if backend else []:
                    y += 14
                    drawing.text(0, y, line, size=SMALL, cls="t soft")
            y += 5
            what_lines = wrapped(what, left - 4, SMALL)
            for n, line in enumerate(what_lines):
                drawing.text(0, y + 10 + 13 * n, line, size=SMALL)
            drawing.rect(left + 0.5, y + 0.5, max(1.5, room * abs(predicted) / most), 12, "bar model" + (" short" if room * abs(predicted) < 8 * most else ""),
                         f"predicted {plain_number(predicted)}")
            end = room * abs(predicted) / most
            if counted is None:
                written, cls = f"{plain_number(predicted)}", "t model-text"
            else:
                drawing.rect(left + 0.5, y + 3.5, max(1.5, room * abs(counted) / most), 6, "bar counter", f"counted {plain_number(counted)}")
                end = max(end, room * abs(counted) / most)
                written = f"{plain_number(predicted)} = {plain_number(counted)}" if counted == predicted else f"{plain_number(predicted)} ≠ {plain_number(counted)}"
                cls = "t" if counted == predicted else "t strong differs"
            drawing.text(left + min(end, room) + 6, y + 10, written, cls=cls, size=SMALL)
            y += 13 * len(what_lines) + 1
            drawn.rows.append([name, backend, what, plain_number(predicted), "not counted" if counted is None else plain_number(counted)])
        drawing.height = y + 2
        drawn.pictures.append(("", drawing, f"{title}: predicted and counted, side by side."))
    drawn.columns = ["case", "where", "what", "predicted (model)", "counted (counter)"]
    counts = f"; {equal} of {len(rows) - uncounted} counts are as predicted" if uncounted < len(rows) else ""
    drawn.before = f'<p class="key"><span class="swatch model"></span> predicted <span class="swatch counter"></span> counted{counts}</p>'
    return drawn


def measured_rows(data, drawn, default):
    for row in data.each("rows", 1000, 1):
        value = row.number("value")
        low = row.number("low") if row.has("low") else value
        high = row.number("high") if row.has("high") else value
        if not low <= value <= high:
            raise row.wrong("low <= value <= high")
        source = source_of(row, default)
        drawn.sources.add(source)
        share = row.number("share") if row.has("share") else None
        yield row, row.text("label"), row.text("group", row.text("backend", "")), value, low, high, source, share


def value_text(value, unit, share):
    """With the unit alone, not with what it is of: that stands below the axis."""
    return measure(value, re.split(r",| of | a | written", unit)[0]) + ("" if share is None else f" · {100 * share:.3g} %")


def bars(data, title, logarithmic=False):
    drawn, unit = Drawn(), data.text("unit", "")
    rows = [r[1:] for r in measured_rows(data, drawn, source_of(data, ""))]
    if logarithmic and min(low for *_, low, _, _, _ in rows) <= 0:
        raise data.entry("rows").wrong("values above 0 on a logarithmic scale")
    lowest, highest = min(r[3] for r in rows), max(r[4] for r in rows)
    most_beside = 0.55 * WIDTH
    beside = min(most_beside, max(text_width(value_text(r[2], unit, r[6]), SMALL) for r in rows))
    left, room = 4, WIDTH - 4 - 24
    if logarithmic:
        start = lowest / 1.6
        span = math.log(highest * 1.15 / start)
        place = lambda x: left + room * math.log(x / start) / span
        ticks = ticks_log(start, highest * 1.15, most=5)
    else:
        room = max(WIDTH / 3, WIDTH - left - beside - 14)
        start, end = min(0, lowest), max(0, highest)
        span = (end - start) or 1
        place = lambda x: left + room * (x - start) / span
        ticks = [t for t in ticks_linear(start, start + span, 4)]
    for part in chunks(rows, 18):
        drawing, y, marks, heading = Drawing(), 4, [], None
        for label, group, value, low, high, source, share in part:
            if group != heading and group:
                y += 6 if marks else 0
                for line in wrapped(group, WIDTH):
                    y += 14
                    drawing.text(0, y, line, cls="t strong")
            heading = group
            label_lines = wrapped(label, WIDTH - (beside if logarithmic else 0))
            for line in label_lines:
                y += 14
                drawing.text(0, y, line, size=SMALL)
            written = cut(value_text(value, unit, share), most_beside, SMALL)
            if logarithmic:
                drawing.text(WIDTH, y, written, "end", SMALL, "t number")
            y += 5
            marks.append((y, value, low, high, source, written, label))
            y += 16
        bottom, texts, drawing.marks = y + 2, drawing.marks, []
        for t in ticks:
            drawing.line(place(t), 8, place(t), bottom, "grid")
            drawing.text(place(t), bottom + 13, tick_text(t, unit=unit), "middle" if place(t) > 16 else "start", SMALL, "t soft")
        drawing.marks += texts
        for y, value, low, high, source, written, label in marks:
            cls = source or "unstated"
            tip = f"{label}: {written}" + (f" ({plain_number(low)} to {plain_number(high)})" if low < high else "")
            if logarithmic:
                drawing.line(left, y + 5, place(value), y + 5, f"stem {cls}")
                if low < high:
                    drawing.line(place(low), y + 5, place(high), y + 5, f"interval {cls}")
                marker(drawing, place(value), y + 5, 0, f"mark {cls}", tip, 4.5)
            else:
                zero, end = place(min(max(0, start), start + span)), place(value)
                drawing.rect(min(zero, end), y, max(1.0, abs(end - zero)), 10, f"bar {cls}", tip)
                if low < high:
                    drawing.line(place(low), y + 5, place(high), y + 5, "whisker")
                drawing.text(max(place(high), zero) + 6, y + 9, written, size=SMALL, cls="t number")
        drawing.line(left, bottom, left + room, bottom, "axis")
        y = bottom + 16
        said = [] if unit in UNITS.values() else [unit]  # the ticks have plain units themselves
        for line in wrapped(", ".join(said + ["logarithmic scale"] * logarithmic), WIDTH - left, SMALL):
            y += 13
            drawing.text(left, y, line, size=SMALL, cls="t soft")
        drawing.height = y + 5
        drawn.pictures.append(("", drawing, f"{title}, in {unit or 'numbers'}."))
    drawn.columns = ["group", "what", unit or "value", "from", "to", "share", "source"]
    drawn.rows = [
        [g, l, plain_number(v), plain_number(lo), plain_number(hi), "" if sh is None else f"{100 * sh:.3g} %", SOURCES[s][0]]
        for l, g, v, lo, hi, s, sh in rows
    ]
    return drawn


# ---------------------------------------------------------------------------------------------------------------------
# Sweeps.

SERIES = 6  # colours of the style sheet


def doubles(values):
    """Powers of two, and what lies half way between two of them."""
    power = lambda v: math.log2(v) == int(math.log2(v))
    return len(set(values)) > 2 and all(v > 0 and (power(v) or power(v / 1.5)) for v in values)


def axis(values, logarithmic, from_zero):
    """(place in 0..1, ticks)"""
    low, high = min(values), max(values)
    if logarithmic:
        if low == high:
            low, high = low / 2, high * 2
        doubling = doubles(values)
        low, high = low / (high / low) ** 0.02, high * (high / low) ** 0.04
        return (lambda v: math.log(v / low) / math.log(high / low)), ticks_log(low, high, doubling)
    if from_zero:
        low, high = min(0, low), max(0, high)
    if low == high:
        low, high = low - 1, high + 1
    margin = (high - low) * 0.05
    low, high = low - (0 if from_zero and low == 0 else margin), high + margin
    return (lambda v: (v - low) / (high - low)), ticks_linear(low, high)


def spread(wanted, gap, low, high):
    """Places as wanted, but for a gap between any two."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    placed = list(wanted)
    for before, i in zip([None] + order, order):
        placed[i] = max(placed[i], low if before is None else placed[before] + gap)
    ceiling = high
    for i in reversed(order):
        placed[i] = min(placed[i], ceiling)
        ceiling = placed[i] - gap
    return placed


def lines(data, title, x_text, y_text):
    default, drawn = source_of(data, ""), Drawn()
    log_x, log_y, unit = data.flag("log_x"), data.flag("log_y"), data.text("unit", "")
    series = []
    for node in data.each("series", 64, 1):
        points = []
        for point in node.each("points", 5000, 1):
            numbers = [n.as_number() for n in point.elements(4, 2)]
            x, y = numbers[:2]
            low, high = (numbers[2:] + [y, y])[:2] if len(numbers) == 4 else (y, y)
            if (log_x and x <= 0) or (log_y and min(y, low, high) <= 0):
                raise point.wrong("values above 0 on a logarithmic scale")
            points.append((x, y, min(low, y), max(high, y)))
        source = source_of(node, default)
        drawn.sources.add(source)
        name = node.text("name", "") + (f" ({node.text('backend')})" if node.has("backend") else "")
        series.append((shown(name), sorted(points), source))
    place_x, ticks_x = axis([p[0] for _, points, _ in series for p in points], log_x, False)
    place_y, ticks_y = axis([v for _, points, _ in series for p in points for v in p[1:]], log_y, True)
    in_bytes = log_x and max(p[0] for _, points, _ in series for p in points) > 65536 and doubles([p[0] for _, ps, _ in series for p in ps])

    drawing = Drawing()
    longest = max(1.12 * text_width(name, SMALL) for name, *_ in series)  # they are bold
    direct = 1 < len(series) <= 8 and longest <= 110 and len(drawn.sources) == 1
    written = [tick_text(t, unit=unit) for t in ticks_y]
    left = 10 + max([text_width(t, SMALL) for t in written] or [0])
    right = WIDTH - 12 - (longest + 6 if direct else 0)
    y = 0
    if len(series) > 1 and not direct:  # a key above, a series a line
        for i, (name, _, source) in enumerate(series):
            for n, line in enumerate(wrapped(name, WIDTH - 40, SMALL)):
                y += 15
                if n == 0:
                    if source != "counter":
                        drawing.line(0, y - 4, 22, y - 4, f"series c{i % SERIES} {source or 'unstated'}")
                    marker(drawing, 11, y - 4, i, f"mark c{i % SERIES} {source or 'unstated'}", name)
                drawing.text(28, y, line, size=SMALL)
        y += 8
    said = [y_text] if y_text != unit else []
    said += [unit] if unit not in UNITS.values() and unit not in y_text else []
    for line in wrapped(", ".join(said), WIDTH, SMALL) if said else []:
        y += 14
        drawing.text(0, y, line, size=SMALL, cls="t soft")
    top, bottom = y + 10, y + 10 + 190
    at_x = lambda v: left + (right - left) * place_x(v)
    at_y = lambda v: bottom - (bottom - top) * place_y(v)
    for t, name in zip(ticks_y, written):
        drawing.line(left, at_y(t), right, at_y(t), "grid")
        drawing.text(left - 5, at_y(t) + 4, name, "end", SMALL, "t soft")
    for t in ticks_x:
        drawing.line(at_x(t), bottom, at_x(t), bottom + 4, "axis")
        drawing.text(at_x(t), bottom + 16, tick_text(t, in_bytes), "middle", SMALL, "t soft")
    drawing.line(left, bottom, right, bottom, "axis")
    y = bottom + 20
    for line in wrapped(x_text, WIDTH - left, SMALL):
        y += 13
        drawing.text(left, y, line, size=SMALL, cls="t soft")
    drawing.height = y + 6

    for i, (name, points, source) in enumerate(series):
        cls = f"c{i % SERIES} {source or 'unstated'}"
        if any(p[2] < p[3] for p in points):
            edge = [(p[0], p[3]) for p in points] + [(p[0], p[2]) for p in reversed(points)]
            drawing.add("path", d="M" + "L".join(f"{at_x(a):.2f} {at_y(b):.2f}" for a, b in edge) + "z", class_=f"band c{i % SERIES}")
        if len(points) > 1 and source != "counter":
            drawing.add("path", d="M" + "L".join(f"{at_x(p[0]):.2f} {at_y(p[1]):.2f}" for p in points), class_=f"series {cls}")
        for p in points:
            tip = f"{name}: {plain_number(p[0])}, {plain_number(p[1])}" + (f" ({plain_number(p[2])} to {plain_number(p[3])})" if p[2] < p[3] else "")
            marker(drawing, at_x(p[0]), at_y(p[1]), i, f"mark {cls}", tip, 3.2 if len(points) <= 40 else 2)
            drawn.rows.append([name, SOURCES[source][0], plain_number(p[0]), *map(plain_number, p[1:])])
    if direct:
        ends = spread([at_y(points[-1][1]) + 4 for _, points, _ in series], 14, top + 6, bottom)
        for i, ((name, *_), y) in enumerate(zip(series, ends)):
            drawing.text(right + 8, y, name, size=SMALL, cls=f"t strong tc{i % SERIES}")
    drawn.columns = ["series", "source", x_text or "x", y_text or "y", "from", "to"]
    drawn.pictures.append(("", drawing, f"{title}: {y_text} over {x_text}, {plural(len(series), 'series').replace('seriess', 'series')}."))
    return drawn


# ---------------------------------------------------------------------------------------------------------------------
# Who worked when.


def timeline(data, title):
    drawn, unit = Drawn(wide=True), data.text("unit", "")
    drawn.sources.add(source_of(data, ""))
    lanes, kinds = [], []
    for lane in data.each("lanes", 64, 1):
        spans = []
        for span in lane.each("spans", 5000):
            begin, end, label = span.number("begin"), span.number("end"), span.text("label", "")
            if end < begin:
                raise span.wrong("an end not before its begin")
            kind = re.sub(r"[\s\d]+$", "", shown(label))  # "in 3" is an "in"
            if kind not in kinds:
                kinds.append(kind)
            spans.append((begin, end, label, kind))
        lanes.append((lane.text("name", ""), spans))
    every = [s for _, spans in lanes for s in spans]
    if not every:
        raise data.entry("lanes").wrong("at least one span")
    low, high = min(s[0] for s in every), max(s[1] for s in every)
    span = (high - low) or 1
    drawing = Drawing(640)
    left = min(200, 12 + 1.1 * max(text_width(name, SMALL) for name, _ in lanes))
    right, y = drawing.width - 12, 6
    at = lambda v: left + (right - left) * (v - low) / span
    x = 0
    if len(kinds) > 1:
        for i, kind in enumerate(kinds[:6]):
            drawing.rect(x, y, 11, 11, f"span c{i % SERIES}")
            drawing.text(x + 15, y + 10, cut(kind, 80, SMALL), size=SMALL)
            x += 28 + min(80, text_width(kind, SMALL))
        y += 24
    first = y
    for name, spans in lanes:
        lines_of_name = wrapped(name, left - 8, SMALL)
        for n, line in enumerate(lines_of_name):
            drawing.text(left - 8, y + 15 + 12 * n, line, "end", SMALL)
        for begin, end, label, kind in spans:
            width = max(1.0, at(end) - at(begin) - 0.5)
            tip = f"{label}: {plain_number(begin)} to {plain_number(end)} {unit}"
            drawing.rect(at(begin), y + 2, width, 18, f"span c{kinds.index(kind) % SERIES}", tip)
            if text_width(label, SMALL) < width - 2:
                drawing.text(at(begin) + width / 2, y + 15, label, "middle", SMALL, f"t on-span oc{kinds.index(kind) % SERIES}")
            drawn.rows.append([name, label, plain_number(begin), plain_number(end), plain_number(float(f"{end - begin:.4g}"))])
        y += max(26, 12 * len(lines_of_name) + 6)
        drawing.line(left, y - 2, right, y - 2, "grid")
    grid = []
    for t in ticks_linear(low, low + span, 6):
        grid.append(f'<path class="grid" d="M{at(t):.2f} {first}V{y}"/>')
        drawing.text(at(t), y + 13, tick_text(t), "middle", SMALL, "t soft")
    drawing.marks = grid + drawing.marks
    drawing.text(left, y + 29, cut(unit, right - left, SMALL), size=SMALL, cls="t soft")
    drawing.height = y + 34
    drawn.columns = ["lane", "what", f"begin, {unit}", f"end, {unit}", f"for, {unit}"]
    drawn.pictures.append(("", drawing, f"{title}: {plural(len(lanes), 'lane')} over {plain_number(float(f'{span:.4g}'))} {unit}."))
    return drawn


# ---------------------------------------------------------------------------------------------------------------------
# The page.


def cell_text(node):
    """A cell of a table: text, number, flag or nothing."""
    if node.value is None:
        return ""
    if isinstance(node.value, bool):
        return "yes" if node.value else "no"
    return node.value if isinstance(node.value, str) else plain_number(node.as_number())


def html_table(columns, rows, cls=""):
    """`rows` of texts; those that are numbers stand on the right."""
    is_number = re.compile(r"[-−]?[\d\u202f.]+(?:e[-+]\d+)?(?: %)?$")
    out = [f'<div class="scroll"><table class="{cls}"><thead><tr>', *(f'<th scope="col">{esc(c)}</th>' for c in columns), "</tr></thead><tbody>"]
    for row in rows:
        out.append("<tr>")
        for text in map(str, row):
            out.append(f'<td class="number">{esc(text)}</td>' if is_number.match(text) else f"<td>{esc(text)}</td>")
        out.append("</tr>")
    return "".join(out) + "</tbody></table></div>"


def draw(figure, cases):
    kind, data, title = figure.text("kind"), figure.entry("data"), figure.text("title", "")
    if kind == "bank_grid":
        return bank_grid(data, title)
    if kind == "line_grid":
        return line_grid(data, title)
    if kind == "predicted_counted":
        return predicted_counted(data, title, cases)
    if kind in ("bars", "ladder"):
        return bars(data, title, kind == "ladder")
    if kind == "lines":
        return lines(data, title, shown(figure.text("x", "")), shown(figure.text("y", "")))
    if kind == "timeline":
        return timeline(data, title)
    if kind == "table":
        drawn = Drawn([source_of(data, "")])
        drawn.columns = [cell_text(c) for c in data.each("columns", 64, 1)]
        drawn.rows = [[cell_text(c) for c in row.elements(64)] for row in data.each("rows", 5000)]
        for row, node in zip(drawn.rows, data.each("rows", 5000)):
            if len(row) != len(drawn.columns):
                raise node.wrong(f"{len(drawn.columns)} cells")
        return drawn
    raise figure.entry("kind").wrong("a kind of figure that this page can draw")


SHOWN = 6  # pictures of a figure that are seen at once


def figure_html(figure, cases, identity):
    drawn = draw(figure, cases)
    is_table = figure.text("kind") == "table"
    title = figure.text("title", "")
    sources = " ".join(badge(s) for s in SOURCES if s in drawn.sources)
    wide = " wide" if drawn.wide or is_table or len(drawn.pictures) > 1 else ""
    out = [f'<figure id="{esc(identity)}" class="{esc(figure.text("kind")).replace("_", "-")}{wide}"><h4>{esc(title)} {sources}</h4>']
    if drawn.before:
        out.append(drawn.before)
    if is_table:
        out.append(html_table(drawn.columns, drawn.rows))
    elif drawn.pictures:
        panels = [
            f'<div class="panel">{heading}<div class="scroll">{drawing.svg(f"{identity}_{n}", title, description)}</div></div>'
            for n, (heading, drawing, description) in enumerate(drawn.pictures)
        ]
        out.append(f'<div class="panels">{"".join(panels[:SHOWN])}</div>')
        if panels[SHOWN:]:
            out.append(f'<details><summary>And {len(panels) - SHOWN} more like these</summary><div class="panels">{"".join(panels[SHOWN:])}</div></details>')
    out.append(f"<figcaption>{esc(figure.text('caption', ''))}</figcaption>")
    out += [f'<p class="note">{note}</p>' for note in drawn.notes]
    if drawn.pictures:
        out.append(f"<details><summary>The numbers</summary>{html_table(drawn.columns, drawn.rows)}</details>")
    return "".join(out) + "</figure>"


def numbers_of(case, key):
    return "\n".join(f"{spoken(name)} {with_unit(name, value.as_number())}" for name, value in case.items(key))


def model_of(case):
    texts = []
    for access in case.each("accesses", 256):
        numbers = []
        for name, value in access.items("model"):
            numbers.append(f"{spoken(name)} {plain_number(value.as_number())}" if not isinstance(value.value, str) else f"{spoken(name)} {value.value}")
        width = f", {access.whole('width', 1, 1024)} bytes a lane" if access.has("width") else ""
        texts.append(f"{access.text('what', '')}{width}: " + ", ".join(numbers))
    return "\n".join(texts)


def cases_html(cases, counts):
    """Everything that was run, one row a case and variant; those of one name, on whatever backend, stand together."""
    order = list(dict.fromkeys(c.text("name") for c in cases))
    together = sorted(cases, key=lambda c: order.index(c.text("name")))
    head = f"<th>case</th><th>backend</th><th>variant</th><th>checked</th><th>{badge('given')}</th><th>{badge('model')}</th><th>{badge('clock')}</th><th>{badge('counter')}</th><th>{badge('output')}</th><th>notes</th>"
    out = [f'<details class="cases"><summary>All {plural(len(cases), "case")}: checked, given, predicted, timed, counted</summary><div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>']
    for case in together:
        notes = "\n".join(f"{spoken(k)}: {cell_text(v)}" for k, v in case.items("notes"))
        cells = [case.text("name"), case.text("backend", ""), case.text("variant", ""), case.text("checked"), numbers_of(case, "given"), model_of(case),
                 numbers_of(case, "measured"), numbers_of(counts.case_like(case), "counted"), numbers_of(case, "output"), notes]  # fmt: skip
        out.append("<tr>" + "".join(f"<td>{esc(c)}</td>" for c in cells) + "</tr>")
    return "".join(out) + "</tbody></table></div></details>"


def sheet_html(node):
    """Whatever a device tells, in tables; objects in it become tables beside it."""
    out, rows = [], []
    for key, child in node.members():
        if isinstance(child.value, dict):
            out.append(f'<div class="sheet"><h3>{esc(spoken(key))}</h3>{sheet_html(child)}</div>')
        elif isinstance(child.value, list):
            texts = [json.dumps(e.value, ensure_ascii=False)[:400] if isinstance(e.value, (dict, list)) else cell_text(e) for e in child.elements(4096)]
            rows.append((spoken(key), ", ".join(texts)))
        else:
            rows.append((spoken(key), cell_text(child) if isinstance(child.value, (str, bool, type(None))) else with_unit(key, child.as_number())))
    table = "".join(f'<tr><th scope="row">{esc(k)}</th><td>{esc(v)}</td></tr>' for k, v in rows)
    return (f'<table class="properties"><tbody>{table}</tbody></table>' if table else "") + "".join(out)


def slug(text, taken):
    base = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "part"
    name, n = base, 2
    while name in taken:
        name, n = f"{base}-{n}", n + 1
    taken.add(name)
    return name


STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1f2428; --soft: #5b646d; --line: #d8dde2; --pale: #eceff2;
  --model: #6b4fa0; --clock: #0067a5; --counter: #c05000; --tint: #d9e9f5; --good: #1a7f45; --bad: #b3400a;
  --c0: #0067a5; --c1: #c84f00; --c2: #00805d; --c3: #a9478c; --c4: #7d6300; --c5: #55606a; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181c; --ink: #e3e7eb; --soft: #9aa5af; --line: #39424a; --pale: #20272d;
  --model: #b9a2e8; --clock: #5bb4e8; --counter: #ff9a52; --tint: #1d3a4f; --good: #5fd08e; --bad: #ff9a5c;
  --c0: #5bb4e8; --c1: #ff9a52; --c2: #41cfa4; --c3: #e79fcc; --c4: #e6cb4a; --c5: #aab4be; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0 auto; padding: 1rem 1rem 4rem; max-width: 96rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; overflow-wrap: break-word; }
h1, h2, h3, h4, h5 { line-height: 1.25; margin: 0; font-weight: 600; }
h1 { font-size: 1.9rem; margin: 1rem 0 .5rem; }
h2 { font-size: 1.45rem; margin: 3.5rem 0 .75rem; padding-top: .75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
h4 { font-size: 1rem; margin: 0 0 .35rem; }
h5 { font-size: .95rem; }
p, .text, nav, figcaption, .note { max-width: 44rem; }
p { margin: .5rem 0; }
a { color: var(--clock); }
code { font-size: .92em; }
.soft, .checked { color: var(--soft); }
nav ol { padding-left: 1.4rem; columns: 20rem; }
nav li { break-inside: avoid; }
.sheets { columns: 21rem; column-gap: 2.5rem; }
.sheets tr { break-inside: avoid; }
.figures { display: grid; gap: 2.75rem 2.5rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); align-items: start;
  margin-top: 1.5rem; }
figure { margin: 0; min-width: 0; }
figure.wide { grid-column: 1 / -1; }
figcaption { font-size: .93rem; margin-top: .5rem; }
.panels { display: grid; gap: 1.25rem 2rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); align-items: start; }
.panel { min-width: 0; }
.scroll { overflow-x: auto; max-width: 100%; }
svg { display: block; width: 100%; height: auto; max-width: calc(1.35 * var(--natural)); font-family: inherit; }
.bank-grid .scroll svg, .line-grid .scroll svg { max-width: var(--natural); }
@media (max-width: 30rem) { .bank-grid .scroll svg, .line-grid .scroll svg { min-width: 25.5rem; } }
.timeline .panels { grid-template-columns: 1fr; }
.timeline .scroll svg { min-width: 34rem; max-width: calc(1.25 * var(--natural)); }
.key { font-size: .85rem; color: var(--soft); margin: .1rem 0 .6rem; max-width: none; }
.key svg { display: inline-block; width: 23rem; max-width: 100%; vertical-align: middle; }
.verdict { margin: 0 0 .3rem; font-size: .88rem; color: var(--model); }
.verdict.good::before { content: "✓ "; color: var(--good); }
.verdict.bad::before { content: "✕ "; color: var(--bad); }
.note { font-size: .88rem; border-left: 3px solid var(--line); padding-left: .7rem; color: var(--soft); }
.badge { display: inline-block; font: 600 .7rem/1.5 system-ui, sans-serif; padding: 0 .5em; border-radius: 1em; vertical-align: .12em; white-space: nowrap; }
.badge.model { border: 1.5px dashed var(--model); color: var(--model); }
.badge.clock { border: 1.5px solid var(--ink); background: var(--ink); color: var(--paper); }
.badge.counter { border: 1.5px solid var(--ink); border-left-width: .7em; border-radius: 2px; color: var(--ink); }
.badge.output { border: 1.5px solid var(--soft); color: var(--soft); }
.badge.given { border: 1.5px solid var(--line); color: var(--soft); }
.badge.unstated { border: 1.5px dotted var(--soft); color: var(--soft); }
.legend { display: grid; grid-template-columns: auto 1fr; gap: .3rem .8rem; align-items: baseline; max-width: 44rem; }
.legend dt, .legend dd { margin: 0; }
.swatch { display: inline-block; width: 1.6em; height: .75em; margin-left: .6em; }
.swatch.model { border: 1.5px dashed var(--model); }
.swatch.counter { background: var(--counter); }
details { margin: .5rem 0; font-size: .9rem; }
summary { cursor: pointer; color: var(--soft); padding: .35rem 0; }
table { border-collapse: collapse; font-size: .85rem; line-height: 1.4; font-variant-numeric: tabular-nums; }
th, td { padding: .22rem .9rem .22rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { font-weight: 600; }
td.number { text-align: right; white-space: nowrap; }
.cases td { white-space: pre-line; min-width: 6rem; }
.properties { width: 100%; }
.properties th { font-weight: 400; color: var(--soft); width: 45%; }
.properties td { overflow-wrap: anywhere; }
text { fill: var(--ink); }
.soft, text.soft { fill: var(--soft); }
.strong { font-weight: 600; }
.number { font-variant-numeric: tabular-nums; }
.model-text { fill: var(--model); }
.differs { fill: var(--bad); }
.axis { stroke: var(--soft); stroke-width: 1; fill: none; }
.grid { stroke: var(--line); stroke-width: 1; fill: none; }
.empty { fill: var(--pale); }
.pad { stroke: var(--soft); stroke-width: 1; fill: none; }
.cell { stroke: var(--ink); stroke-opacity: .35; stroke-width: .5; }
.on-dark { fill: #fff; }
.on-light { fill: #10151a; }
.sector { fill: none; stroke: var(--line); stroke-width: 1; }
.sector.touched { fill: var(--tint); stroke: var(--clock); }
.bar.model, .mark.model { fill: var(--paper); stroke: var(--model); stroke-width: 1.2; }
.bar.model { stroke-dasharray: 3 2; fill: none; }
.bar.model.short { stroke-dasharray: none; }
.asked { fill: var(--model); fill-opacity: .3; stroke: var(--model); stroke-width: .8; }
.bar.clock, .mark.clock { fill: var(--clock); }
.bar.counter, .mark.counter { fill: var(--counter); }
.bar.unstated, .mark.unstated { fill: var(--pale); stroke: var(--soft); stroke-dasharray: 1 2; }
.stem { fill: none; stroke-width: 1; stroke: var(--line); }
.interval { fill: none; stroke-width: 5; stroke-opacity: .3; }
.interval.clock { stroke: var(--clock); } .interval.counter { stroke: var(--counter); } .interval.model { stroke: var(--model); }
.interval.unstated { stroke: var(--soft); }
.whisker { stroke: var(--ink); stroke-width: 1.2; fill: none; }
.series { fill: none; stroke-width: 1.5; stroke-linejoin: round; }
.series.model { stroke-dasharray: 5 3; stroke-width: 1.1; }
.series.unstated { stroke-dasharray: 1 3; }
.band { stroke: none; fill-opacity: .18; }
"""
for number in range(SERIES):
    STYLE += (
        f".series.c{number} {{ stroke: var(--c{number}); }} .band.c{number}, .span.c{number}, .tc{number} {{ fill: var(--c{number}); }}\n"
        f".mark.c{number} {{ fill: var(--c{number}); }} .mark.model.c{number}, .mark.unstated.c{number} {{ fill: var(--paper); stroke: var(--c{number}); stroke-width: 1.2; }}\n"
    )
STYLE += """
.on-span { fill: var(--paper); }
@media print {
  :root { color-scheme: light; --paper: #fff; --ink: #000; --soft: #444; --line: #ccc; --pale: #eee; --model: #6b4fa0; --clock: #0067a5;
    --counter: #c05000; --tint: #d9e9f5; --good: #1a7f45; --bad: #b3400a; --c0: #0067a5; --c1: #c84f00; --c2: #00805d; --c3: #a9478c; --c4: #7d6300; --c5: #55606a; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  html { font-size: 75%; }
  body { font-size: 1rem; max-width: none; padding: 0; }
  details { display: none; }
  .figures, .panels { grid-template-columns: repeat(2, 1fr); gap: 1.2rem; }
  .bank-grid .panels, .line-grid .panels { grid-template-columns: repeat(3, 1fr); }
  figure:not(.wide) .panels { grid-template-columns: 1fr; }
  .scroll { overflow: visible; }
  .bank-grid .scroll svg, .line-grid .scroll svg, .timeline .scroll svg { min-width: 0; }
  figure:not(.wide), .panel, tr { break-inside: avoid; }
  h2, h3, h4, h5 { break-after: avoid; }
}
"""


def source_table():
    terms = "".join(f"<dt>{badge(s)}</dt><dd>{esc(SOURCES[s][1])}</dd>" for s in SOURCES if s)
    return f'<dl class="legend">{terms}</dl>'


class Counts:
    """What a run under the profiler counted for one experiment: a result of its own, whose launches may be smaller."""

    def __init__(self, experiment=None):
        self.cases = {} if experiment is None else labelled_cases(experiment)
        figures = [] if experiment is None else experiment.each("figures", 200)
        self.figures = {f.text("title", ""): f for f in figures if f.text("kind") == "predicted_counted"}

    def case_like(self, case):
        """The counted case, if it was the same launch."""
        other = self.cases.get(case.text("label", ""))
        same = other is not None and other.entry("accesses").value == case.entry("accesses").value
        return other if same else case

    def figure_like(self, figure):
        """The figure and its cases, as the counted run predicts and counts them."""
        return self.figures.get(figure.text("title", "")) if figure.text("kind") == "predicted_counted" else None


def labelled_cases(experiment):
    return {c.text("label"): c for c in experiment.each("cases", 20000) if c.text("label", "")}


def gpus_of(root):
    sheets = [sheet for _, sheet in root.items("device") if isinstance(sheet.value, dict)]
    return {sheet.text("GPU") for sheet in sheets if isinstance(sheet.value.get("GPU"), str)}


def with_counts(results):
    """(name, result, counts of its experiments): counted runs stand beside the others of their GPU, not by themselves."""
    is_counted = lambda root: any(c.items("counted") for e in root.each("experiments", 200) for c in e.each("cases", 20000))
    counted = [(stem, root) for stem, root in results if is_counted(root)]
    others = [(stem, root) for stem, root in results if not is_counted(root)]
    out, used = [], set()
    for stem, root in others:
        counts = {}
        for name, run in counted:
            if gpus_of(run) & gpus_of(root):
                used.add(name)
                counts.update((e.text("name"), Counts(e)) for e in run.each("experiments", 200))
        out.append((stem, root, counts))
    return out + [(stem, root, {}) for stem, root in counted if stem not in used]


def page(results):
    taken, merged = set(), {}
    results = with_counts(results)
    several = len(results) > 1
    for stem, root, counts in results:
        for experiment in root.each("experiments", 200):
            name = experiment.text("name")
            merged.setdefault(name, []).append((stem, experiment, counts.get(name, Counts())))
    names = {name: slug(name, taken) for name in merged}
    out = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>',
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
        f"<title>Abax lab: scratch memory</title><style>{STYLE}</style></head><body>",
        "<h1>Scratch memory, predicted, run and counted</h1>",
        "<p>Each experiment is a kernel small enough to understand. A model says beforehand what its accesses cost; the kernel "
        "runs, its output is checked, and only then is it timed; where a profiler may count, the counts stand beside the "
        "prediction. What a number comes from is marked, and shown in how it is drawn:</p>",
        source_table(),
        "<h2 id=\"machine\">The machine</h2>" if not several else '<h2 id="machine">The machines</h2>',
    ]
    for stem, root, _ in results:
        if several:
            out.append(f"<h3>{esc(stem)}</h3>")
        version = " ".join(x for x in (root.text("version", ""), root.text("commit", "")) if x)
        out.append('<div class="sheets">' + (sheet_html(root.entry("device")) if root.has("device") else "") + "</div>")
        context = "".join(f'<tr><th scope="row">{esc(k)}</th><td>{esc(cell_text(v))}</td></tr>' for k, v in root.items("context"))
        if context or version:
            version = f'<tr><th scope="row">Abax</th><td>{esc(version)}</td></tr>' if version else ""
            out.append(f'<details><summary>How it was run</summary><table class="properties"><tbody>{version}{context}</tbody></table></details>')
    out.append('<h2 id="contents">Experiments</h2><nav><ol>')
    out += [f'<li><a href="#{names[name]}">{esc(parts[0][1].text("title", name))}</a></li>' for name, parts in merged.items()]
    out.append("</ol></nav>")
    for name, parts in merged.items():
        first = parts[0][1]
        out.append(f'<section><h2 id="{names[name]}">{esc(first.text("title", name))}</h2>')
        for n, (stem, experiment, counts) in enumerate(parts):
            if several:
                out.append(f"<h3>{esc(stem)}</h3>")
            texts = [cell_text(t) for t in experiment.each("text", 100)]
            if n == 0 or texts != [cell_text(t) for t in first.each("text", 100)]:
                out += [f"<p>{esc(t)}</p>" for t in texts]
            cases = experiment.each("cases", 20000)
            left_out = "".join(f"<li>{esc(cell_text(t))}</li>" for t in experiment.each("left_out", 1000))
            if left_out:
                out.append(f'<div class="note">Left out here:<ul>{left_out}</ul></div>')
            by_label = labelled_cases(experiment)
            figures = experiment.each("figures", 200)
            if figures:
                out.append('<div class="figures">')
                for f in figures:
                    identity, counted = slug(f"{name} {f.text('title', '')}", taken), counts.figure_like(f)
                    out.append(figure_html(f, by_label, identity) if counted is None else figure_html(counted, counts.cases, identity))
                out.append("</div>")
            if cases:
                out.append(cases_html(cases, counts))
        out.append("</section>")
    return "".join(out) + "</body></html>\n"


def write_whole(path, text):
    """Replaces `path`, or leaves it as it is."""
    try:
        file, temporary = tempfile.mkstemp(dir=path.parent, prefix=".index-")
        try:
            with os.fdopen(file, "w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
                mask = os.umask(0)
                os.umask(mask)
                os.fchmod(stream.fileno(), 0o666 & ~mask)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise Refused(f"{path}: could not be written: {error.strerror}") from None


def main(target, files):
    results = [(path.stem, read(path)) for path in map(pathlib.Path, files)]
    write_whole(pathlib.Path(target), page(results))
    print(target)


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2:])
    except Refused as refused:
        sys.stderr.write(f"abax-lab: {shown(str(refused)).replace(chr(10), ' ')}\n")
        sys.exit(2)
