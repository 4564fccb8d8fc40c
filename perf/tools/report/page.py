# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the lab's result files on one page: `abax-lab report` runs this with the page's path and the files'.

The page is one file that loads nothing and runs nothing. Charts are as wide as a phone, and stand side by side where
there is room; their colours are the page's, so that they follow the reader's light, dark or paper.
"""

import json
import os
import pathlib
import re
import sys
import tempfile

from drawing import Drawn, SOURCES, badge, esc, plain_number, plural, source_of, spoken, with_unit
from figures import bars, lines, predicted_counted, timeline
from grids import bank_grid, line_grid
from reading import Node, Refused, read, shown
from style import STYLE


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


def caption_html(figure, identity, told):
    """What has been told of another figure of the experiment is not told again."""
    text, title = figure.text("caption", ""), figure.text("title", "")
    if text in told:
        first, of = told[text]
        return f'As is said of <a href="#{esc(first)}">{esc(of)}</a>.' if of != title else f'As is said of <a href="#{esc(first)}">the one above</a>.'
    if text:
        told[text] = (identity, title)
    return esc(text)


def figure_html(figure, cases, identity, told):
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
    out.append(f"<figcaption>{caption_html(figure, identity, told)}</figcaption>")
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


def devices_html(stem, node, seen):
    """A file's devices. Of one that an earlier file has shown, only what is different here. `seen`: (file, its sheet) by name."""
    fresh, same, other = {}, [], []
    for name, sheet in node.members():
        if name not in seen or not isinstance(sheet.value, dict):
            fresh[name] = sheet.value
            seen.setdefault(name, (stem, sheet.value if isinstance(sheet.value, dict) else {}))
            continue
        before, known = seen[name]
        changed = {key: value for key, value in sheet.value.items() if known.get(key) != value}
        changed.update((key, "not stated") for key in known if key not in sheet.value)
        if changed:
            title = f"<h3>{esc(spoken(name))}, where it differs from {esc(before)}</h3>"
            other.append(f'<div class="sheet">{title}{sheet_html(Node(changed, sheet.where))}</div>')
        else:
            same.append(f"{spoken(name)} (see {before})")
    out = f'<div class="sheets">{sheet_html(Node(fresh, node.where))}{"".join(other)}</div>' if fresh or other else ""
    return out + (f"<p>The same: {esc(', '.join(same))}.</p>" if same else "")


def slug(text, taken):
    base = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "part"
    name, n = base, 2
    while name in taken:
        name, n = f"{base}-{n}", n + 1
    taken.add(name)
    return name


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
    taken, merged, seen = set(), {}, {}
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
        if root.has("device"):
            out.append(devices_html(stem, root.entry("device"), seen))
        context = "".join(f'<tr><th scope="row">{esc(k)}</th><td>{esc(cell_text(v))}</td></tr>' for k, v in root.items("context"))
        if context or version:
            version = f'<tr><th scope="row">Abax</th><td>{esc(version)}</td></tr>' if version else ""
            out.append(f'<details><summary>How it was run</summary><table class="properties"><tbody>{version}{context}</tbody></table></details>')
    out.append('<h2 id="contents">Experiments</h2><nav><ol>')
    out += [f'<li><a href="#{names[name]}">{esc(parts[0][1].text("title", name))}</a></li>' for name, parts in merged.items()]
    out.append("</ol></nav>")
    for name, parts in merged.items():
        first, told = parts[0][1], {}
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
                    out.append(figure_html(f, by_label, identity, told) if counted is None else figure_html(counted, counts.cases, identity, told))
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


def main(target, *files):
    try:
        results = [(path.stem, read(path)) for path in map(pathlib.Path, files)]
        write_whole(pathlib.Path(target), page(results))
    except Refused as refused:
        sys.stderr.write(f"abax-lab: {shown(str(refused)).replace(chr(10), ' ')}\n")
        return 2
    print(target)
    return 0
