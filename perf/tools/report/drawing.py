# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers, texts and SVG: what all figures are drawn with."""

import html
import math

from reading import shown

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


def plural(n, word):
    return f"{plain_number(n)} {word}{'' if n == 1 else 's'}"


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


SERIES = 6  # colours of the style sheet
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


def chunks(rows, most):
    count = math.ceil(len(rows) / most)
    size = math.ceil(len(rows) / max(count, 1))
    return [rows[i : i + size] for i in range(0, len(rows), size)]


class Drawn:
    """A figure's pictures, and the same as a table."""

    def __init__(self, sources=(), wide=False):
        self.pictures, self.columns, self.rows = [], [], []
        self.sources, self.wide, self.before, self.notes = set(sources), wide, "", []
