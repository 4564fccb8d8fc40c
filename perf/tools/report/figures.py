# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function for each kind of figure. What a number comes from -- a model, a clock, a counter -- is said beside it and
shown in how it is drawn."""

import math
import re

from drawing import (  # fmt: skip
    Drawing, Drawn, SERIES, SMALL, SOURCES, UNITS, WIDTH, chunks, cut, marker, measure, plain_number,
    plural, source_of, spoken, text_width, tick_text, ticks_linear, ticks_log, wrapped,
)
from reading import shown

# ---------------------------------------------------------------------------------------------------------------------
# Bars and ladders: a row's name above its mark, so that both may be long.


COUNTING = (
    "Not counted: the model stands alone. Counts come from <code>perf/tools/counters.py</code>, which runs Nsight Compute over "
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
