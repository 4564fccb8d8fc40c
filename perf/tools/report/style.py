# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page's style sheet: for light, dark and paper."""

from drawing import SERIES

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
