#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keeps the figures of docs/performance.md equal to perf/results/MACHINE/results.csv.

table.py                             writes the page's tables anew, between their markers
table.py --check                     ends with status 1 if the page's tables are not what the CSV files give
table.py --keep MACHINE RUN.json...  writes MACHINE's CSV file from result files of abax-perf run
table.py --draw                      draws docs/pictures/MACHINE.svg of each machine (needs Matplotlib)
"""

import csv
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "performance.md"
COLUMNS = ["run", "kernel", "type", "shape", "operand_sets", "rate", "unit", "roof", "percent_of_roof", "peer", "ratio",
           "ratio_low", "ratio_high", "known"]  # fmt: skip
CONTEXT = ["CPU", "GPU", "GPU driver", "Build", "OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES", "MKL", "OpenBLAS",
           "BLIS", "cuBLAS", "OpenMP", "CUDA"]  # fmt: skip

GEMM, GEMV = ["gemm NN", "gemm NT", "gemm TN", "gemm TT"], ["gemv N", "gemv T"]


def cube(*sizes):
    return [f"{n} x {n} x {n}" for n in sizes]


def square(*sizes):
    return [f"{n} x {n}" for n in sizes]


# What the page shows of the CSV files: the kernels whose ratios share a cell, and the shapes, a row each.
GPU_ROWS = [
    (GEMM, cube(1000, 1024, 2048, 4096, 4097, 16384)),
    (GEMM, ["64 x 16384 x 16384", "16384 x 16384 x 64", "256 x 256 x 262144"]),
    (GEMV, square(1024, 4096, 16384)),
    (GEMV, ["1000000 x 64", "64 x 1000000", "4097 x 8191"]),
    (["dot"], ["10000000", "268435456"]),
    (["transpose"], [*square(8192, 16384), "10007 x 4099"]),
    (["transpose in place"], ["8192"]),
]
CPU_ROWS = [
    (GEMM, cube(8, 512, 2048, 4096, 8192)),
    (GEMM, ["64 x 4096 x 4096", "4096 x 4096 x 64"]),
    (GEMV, square(1024, 4096, 16384)),
    (["dot"], ["10000000"]),
    (["transpose"], square(8192)),
    (["transpose in place"], ["8192"]),
]
MACHINES = {"h200": "one H200, beside cuBLAS", "h100": "one H100, beside cuBLAS",
            "xeon": "two cores of a Xeon, beside MKL", "xeon16": "16 cores of a Xeon, beside MKL",
            "epyc": "two cores of an EPYC (Zen 4), beside MKL"}  # fmt: skip
MARKS = {"f32": (0.14, "#0072b2", "o"), "f64": (-0.14, "#d55e00", "s"), "c64": (0.32, "#008f68", "D"),
         "c128": (-0.32, "#b0508c", "v")}  # fmt: skip
NAMES = {"f32": ("circle", "float"), "f64": ("square", "double"), "c64": ("diamond", "complex float"),
         "c128": ("wedge", "complex double")}  # fmt: skip
LEAST, MOST = 0.65, 2.5  # the ratios that a picture has room for
VENDOR = {"h200": "cuBLAS", "h100": "cuBLAS", "xeon": "MKL", "xeon16": "MKL", "epyc": "MKL"}


def csv_file(machine):
    return ROOT / "perf" / "results" / machine / "results.csv"


def figures(machine):
    """Lines of the CSV file by (kernel, type, shape, peer); of several runs the first that has it."""
    found = {}
    with csv_file(machine).open(newline="") as file:
        for line in csv.DictReader(line for line in file if not line.startswith("#")):
            found.setdefault((line["kernel"], line["type"], line["shape"], line["peer"]), line)
    return found


# ---------------------------------------------------------------------------------------------------------------------
# From result files to a CSV file.


def number(value, digits=5):
    return f"{value:#.{digits}g}".removesuffix(".") if value < 10**digits else f"{value:.0f}"


def lines_of(run, result):
    for case in result["cases"]:
        ours, *peers = case["variants"]
        rate = case["amount"] / ours["median"]
        unit = "GFLOP/s" if case["unit"] == "FLOP" else "GB/s"
        start = [run, case["kernel"], case["type"], case["shape"], case["operand_sets"], number(rate / 1e9), unit,
                 case["roof"], number(100 * rate / case["roof_rate"], 4)]  # fmt: skip
        known = {True: "yes", False: "no"}.get(case.get("converged"), "")
        for peer in peers or [None]:
            ratios = [number(peer[key]) for key in ("ratio", "ratio_low", "ratio_high")] if peer else ["", "", ""]
            yield [*start, peer["name"] if peer else "", *ratios, known]


def keep(machine, files):
    results = [json.loads(pathlib.Path(file).read_text()) for file in files]
    path = csv_file(machine)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        for run, result in enumerate(results, 1):
            context = result["context"]
            told = [f"{key} {context[key]}" for key in CONTEXT if key in context]
            file.write(f"# run {run}: {context['Begun']}; {'; '.join(told)}\n")
        file.write("# ratio: the peer's time over Abax'. known: whether the medians are known to 2 %.\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for run, result in enumerate(results, 1):
            writer.writerows(lines_of(run, result))
    print(f"{path}: {path.stat().st_size} bytes")


# ---------------------------------------------------------------------------------------------------------------------
# From CSV files to the page.


def ratios(found, kernels, type_, shape, peer):
    """The ratios of the kernels to the peer, one after another; ~ before one whose medians are not known to 2 %."""
    lines = [found.get((kernel, type_, shape, peer)) for kernel in kernels]
    return ", ".join(("~" if line["known"] == "no" else "") + f"{float(line['ratio']):.2f}" for line in lines if line)


def first(found, kernels, type_, shape, peer):
    return next((found[key] for key in ((kernel, type_, shape, peer) for kernel in kernels) if key in found), None)


def label(kernels, shape):
    sides = shape.split(" x ")
    family = kernels[0].split()[0] if len(kernels) > 1 else kernels[0]
    return f"{family} {sides[0] if len(set(sides)) == 1 else shape}"


def gpu_table(machine):
    found = figures(machine)
    yield "| | float: rate | cuBLAS | twin | double: rate | cuBLAS | twin |"
    yield "|---|---|---|---|---|---|---|"
    for kernels, shapes in GPU_ROWS:
        for shape in shapes:
            cells = []
            for type_ in ("f32", "f64"):
                line = first(found, kernels, type_, shape, VENDOR[machine])
                rate = f"{number(float(line['rate']) / 1000, 3)}, {float(line['percent_of_roof']):.0f} %"
                cells += [rate, *(ratios(found, kernels, type_, shape, peer) for peer in (VENDOR[machine], "twin"))]
            yield f"| {label(kernels, shape)} | {' | '.join(cells)} |"


def cpu_table(*machines):
    of = {machine: figures(machine) for machine in machines}
    yield "| | " + " | ".join(f"{machine}, {type_}" for machine in machines for type_ in ("float", "double")) + " |"
    yield "|---|" + "---|" * (2 * len(machines))
    for kernels, shapes in CPU_ROWS:
        for shape in shapes:
            cells = []
            for machine, found in of.items():
                for type_ in ("f32", "f64"):
                    line = first(found, kernels, type_, shape, VENDOR[machine])
                    peers = ratios(found, kernels, type_, shape, VENDOR[machine])
                    cells.append(f"{number(float(line['rate']), 3)} ({peers})" if line else "")
            yield f"| {label(kernels, shape)} | {' | '.join(cells)} |"


TABLES = {"h200": lambda: gpu_table("h200"), "h100": lambda: gpu_table("h100"),
          "cpu": lambda: cpu_table("xeon", "xeon16", "epyc")}  # fmt: skip


def page_with_tables(text):
    for name, table in TABLES.items():
        begin, end = f"<!-- table {name}: perf/tools/table.py writes it -->\n", f"<!-- end of table {name} -->"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        if len(pattern.findall(text)) != 1:
            sys.exit(f"{PAGE}: no table {name}, or more than one")
        text = pattern.sub(lambda _: begin + "\n".join(table()) + "\n" + end, text)
    return text


# ---------------------------------------------------------------------------------------------------------------------
# Pictures.


def draw(machine):
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "abax", "font.size": 9})
    points = {}
    for (kernel, type_, _, peer), line in figures(machine).items():
        if peer == VENDOR[machine] and kernel != "copy":
            points.setdefault(kernel, []).append((type_, float(line["ratio"]), line["known"] != "no"))
    kernels = list(points)[::-1]
    figure, axes = plt.subplots(figsize=(6.4, 0.8 + 0.28 * len(kernels)), layout="constrained")
    for row, kernel in enumerate(kernels):
        for type_, ratio, known in points[kernel]:
            shift, colour, mark = MARKS[type_]
            x, mark = (MOST, ">") if ratio > MOST else (LEAST, "<") if ratio < LEAST else (ratio, mark)
            axes.plot(x, row + shift, mark, color=colour, markersize=4, fillstyle="full" if known else "none")
    axes.axvline(1, color="#23272b", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xlim(0.95 * LEAST, 1.05 * MOST)
    axes.set_xticks([0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 2.5])
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    axes.set_ylim(-0.5, len(kernels) - 0.5)
    axes.set_yticks(range(len(kernels)), kernels)
    axes.grid(axis="x", color="#d9dde1")
    axes.set_axisbelow(True)
    shown = {type_ for of_kernel in points.values() for type_, _, _ in of_kernel}
    marks = ", ".join(f"{mark} {name}" for type_, (mark, name) in NAMES.items() if type_ in shown)
    ends = f"pointing left: below {LEAST}, right: above {MOST}"
    axes.set_xlabel(f"time of {VENDOR[machine]} / time of Abax; {ends}\n{marks}")
    axes.set_title(MACHINES[machine], loc="left", fontsize=10)
    path = ROOT / "docs" / "pictures" / f"{machine}.svg"
    figure.savefig(path, metadata={"Title": MACHINES[machine], "Date": None, "Creator": None})
    plt.close(figure)
    print(f"{path}: {path.stat().st_size} bytes")


def main(arguments):
    if arguments[:1] == ["--keep"] and len(arguments) > 2 and arguments[1] in MACHINES:
        keep(arguments[1], arguments[2:])
    elif arguments == ["--draw"]:
        for machine in MACHINES:
            draw(machine)
    elif arguments in ([], ["--check"]):
        text = PAGE.read_text()
        wanted = page_with_tables(text)
        if arguments and wanted != text:
            sys.exit(f"{PAGE} is not what perf/results gives: python3 perf/tools/table.py writes its tables anew")
        if wanted != text:
            PAGE.write_text(wanted)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
