#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What limits each GPU kernel: perf/tools/profile.py ABAX_PERF FOLDER runs Abax' kernels and their hand-written twins
once each under Nsight Compute (ncu) and writes FOLDER/profile.csv, a line a kernel, and ncu's own output beside it
(raw.csv). perf/tools/profile.py --table FOLDER prints the former anew from the latter."""

import csv
import pathlib
import re
import subprocess
import sys

# Every kernel and tile that the plans choose between, at sizes that fill the machine. (One number: a square matrix that
# is transposed in place, or the length of vectors.)
CHOSEN = [
    (
        "gemm,gemv,transpose",
        "4096x4096x4096,1024x1024x1024,8192x8192x128," "16384x16384,2048x2048,1000000x64,64x1000000,10007x4099,16384",
    ),
    ("dot,copy,triad,increment", "268435456"),
]
OURS = "regex:_team<|handwritten"

SECTIONS = ["LaunchStats", "Occupancy", "SpeedOfLight", "SourceCounters"]
STALLS = [
    "barrier", "branch_resolving", "dispatch_stall", "drain", "imc_miss", "lg_throttle", "long_scoreboard",
    "math_pipe_throttle", "membar", "mio_throttle", "no_instruction", "not_selected", "short_scoreboard", "sleeping",
    "tex_throttle", "wait",
]  # fmt: skip
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"

# Column of profile.csv: the counters it may come from, the first that the machine has.
COLUMNS = {
    "us": ["gpu__time_duration.sum"],
    "registers": ["launch__registers_per_thread"],
    "threads": ["launch__block_size"],
    "blocks": ["launch__grid_size"],
    "shared_bytes": ["launch__shared_mem_per_block"],
    "spills_executed": ["sass__inst_executed_register_spilling"],
    "occupancy_possible_%": ["sm__maximum_warps_per_active_cycle_pct"],
    "occupancy_%": ["sm__warps_active.avg.pct_of_peak_sustained_active"],
    "issue_%": ["smsp__issue_active.avg.pct_of_peak_sustained_active", "smsp__issue_active.avg.pct"],
    "fma_%": ["sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active"],
    "fp64_tensor_%": [
        "sm__pipe_tensor_op_dmma_cycles_active.avg.pct_of_peak_sustained_active",
        "sm__inst_executed_pipe_tensor_op_dmma.avg.pct_of_peak_sustained_active",
        "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active",
    ],
    "shared_pipe_%": ["l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed"],
    "l2_%": ["lts__throughput.avg.pct_of_peak_sustained_elapsed"],
    "dram_%": ["dram__throughput.avg.pct_of_peak_sustained_elapsed"],
    "dram_read_bytes": ["dram__bytes_read.sum"],
    "dram_write_bytes": ["dram__bytes_write.sum"],
    "shared_wavefronts": ["memory_l1_wavefronts_shared"],
    "shared_wavefronts_ideal": ["memory_l1_wavefronts_shared_ideal"],
    "shared_wavefronts_excessive": ["derived__memory_l1_wavefronts_shared_excessive"],
    "clock_hz": ["smsp__cycles_elapsed.avg.per_second"],
}


def run(program, folder):
    folder.mkdir(parents=True, exist_ok=True)
    counters = [name for names in COLUMNS.values() for name in names if "." in name]
    counters += [STALL.format(stall) for stall in STALLS]
    known = subprocess.run(["ncu", "--query-metrics"], capture_output=True, text=True).stdout
    known = set(re.findall(r"^(\w+)", known, re.MULTILINE))
    if known:  # an unknown name ends ncu
        counters = [name for name in counters if name.split(".")[0] in known]
    command = ["ncu", "--clock-control", "none", "--kernel-name-base", "demangled", "--kernel-name", OURS]
    for section in SECTIONS:
        command += ["--section", section]
    command += ["--metrics", ",".join(counters), "--csv", "--page", "raw", "--print-units", "base"]
    with open(folder / "raw.csv", "w") as raw:
        for kernels, shapes in CHOSEN:
            part = folder / "part.csv"
            suite = [program, "run", "--once", "-b", "device", "-p", "twin", "-k", kernels, "--shape", shapes]
            subprocess.run([*command, "--log-file", str(part), *suite], check=True)
            raw.write(part.read_text())
            part.unlink()


def short(name):
    """The algorithm and its primitives with their parameters, or the hand-written kernel."""
    bare = re.sub(r"(?:(?:\w+|<unnamed>|\(anonymous namespace\))::)+(?=\w)", "", name)
    found = re.search(r"(\w+)_team<(.*?), (?:Cuda)?TeamMember\w*>", bare)
    return f"{found[1]}: {found[2]}>" if found else re.sub(r"^void |\(.*$", "", bare)


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def table(folder):
    lines = (folder / "raw.csv").read_text().splitlines()
    rows = list(csv.DictReader(line for line in lines if line.startswith('"')))
    rows = [row for row in rows if row["ID"].isdigit()]  # without the lines of units, and of names once more
    with open(folder / "profile.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["kernel", *COLUMNS, "stalls: warps a cycle of issue"])
        for row in rows:
            values = []
            for column, names in COLUMNS.items():
                value = next((number(row[n]) for n in names if row.get(n)), None)
                if column == "us" and value is not None:
                    value /= 1000
                values.append("" if value is None else f"{value:.6g}")
            stalls = {s: number(row.get(STALL.format(s)) or "") or 0 for s in STALLS}
            worst = sorted(stalls, key=stalls.get, reverse=True)[:3]
            out.writerow([short(row["Kernel Name"]), *values, ", ".join(f"{s} {stalls[s]:.2f}" for s in worst)])
    print((folder / "profile.csv").read_text(), end="")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if sys.argv[1] != "--table":
        run(sys.argv[1], pathlib.Path(sys.argv[2]))
    table(pathlib.Path(sys.argv[2]))
