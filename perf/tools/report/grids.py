# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of tiles over banks, and of a warp over memory."""

from drawing import Drawing, Drawn, FONT, SMALL, esc, plural, text_width

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


