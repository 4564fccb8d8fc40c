#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the hardware counted: perf/tools/counters.py ABAX_LAB FOLDER [EXPERIMENT...] runs experiments of abax-lab (all,
if none is named) once each under Nsight Compute (ncu), each by itself and for --time-limit seconds at most; writes
FOLDER/counters.json, a result file of `abax-lab run` with `counted` filled in, keeps ncu's own output beside it
(counters.csv), and prints what the models predicted beside what was counted. perf/tools/counters.py --table FOLDER does
the last part anew from those files.
A difference is explained where a second counter, which counts by instruction, equals the prediction: the data pipe's
own counter adds the times that it served something else. Ends with 1 where a difference is not explained or an
experiment was not counted, with 2 where nothing could be counted."""

import argparse
import contextlib
import csv
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

# A name of `counted`, the counter behind it, and what predicts it: accesses of a space that begin with a word, and the
# name in their model.
COUNTERS = {
    "scratch_load_requests": ("smsp__inst_executed_op_shared_ld.sum", "scratch", "load", "requests"),
    "scratch_store_requests": ("smsp__inst_executed_op_shared_st.sum", "scratch", "store", "requests"),
    "scratch_load_wavefronts": (
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "scratch", "load", "wavefronts"),
    "scratch_store_wavefronts": (
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "scratch", "store", "wavefronts"),
    "scratch_load_bank_conflicts": (
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "scratch", "load", "bank_conflicts"),
    "scratch_store_bank_conflicts": (
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "scratch", "store", "bank_conflicts"),
    "scratch_wavefronts": ("memory_l1_wavefronts_shared", "scratch", "", "wavefronts"),
    "scratch_wavefronts_ideal": ("memory_l1_wavefronts_shared_ideal", "scratch", "", "wavefronts_ideal"),
    "global_load_requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global", "load", "requests"),
    "global_store_requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global", "store", "requests"),
    "global_load_sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global", "load", "sectors"),
    "global_store_sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "global", "store", "sectors"),
}  # fmt: skip
# Counted without a prediction: what the L1 asked the L2 for, and what the L2 did not have (ncu empties the caches
# first).
MORE = {
    "l2_load_sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_load_misses": "lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum",
}

ALLOW = """the driver lets only the administrator read counters (ERR_NVGPUCTRPERM). Run this as root, or let everybody:
  echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvidia-profiling.conf
as root, and load the driver anew (a reboot does). In a container: start it with --cap-add=SYS_ADMIN.
Without counters `abax-lab report` shows the models alone, and says so."""


def fail(why):
    print(f"counters: {why}", file=sys.stderr)
    sys.exit(2)


ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # each ends this program, by way of end()


class NotCounted(Exception):
    """An experiment that ncu did not come to an end with; the others may."""


def with_signals():
    """What a child begins with: signals that end it as they end any program."""
    for number in ENDS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)


def stopped_after(limit, command):
    """Runs the command with all its children; its status, or None where it took longer and was killed."""
    # Blocked while the child is not known yet, and while it is killed: a signal then would leave it running.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    child = None
    try:
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True, preexec_fn=with_signals)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return child.wait(limit)
    except subprocess.TimeoutExpired:
        return None
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
        if child is not None:
            with contextlib.suppress(ProcessLookupError):  # also what ncu left behind when it ended
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end(number, _):
    for other in ENDS:
        signal.signal(other, signal.SIG_IGN)
    sys.exit(128 + number)  # by way of each `finally`: nothing goes on counting


def count(program, experiment, limit, folder):
    """ncu's table and the result file of one experiment."""
    raw, model = folder / f"{experiment}.csv", folder / f"{experiment}.json"
    counters = [counter for counter, *_ in COUNTERS.values()] + list(MORE.values())
    command = ["ncu", "--clock-control", "none", "--nvtx", "--print-nvtx-rename", "kernel"]
    command += ["--profile-from-start", "off", "--metrics", ",".join(counters)]
    command += ["--csv", "--page", "raw", "--print-units", "base", "--log-file", str(raw)]
    command += [program, "run", experiment, "--backend", "device", "--once", "--json", str(model)]
    status = stopped_after(limit, command)
    said = raw.read_text() if raw.exists() else ""
    if "ERR_NVGPUCTRPERM" in said:
        fail(ALLOW)
    if status == 77:
        fail("abax-lab needs a GPU, and none is visible here")
    if status is None:
        raise NotCounted(f"{experiment}: stopped after {limit:g} seconds (--time-limit)")
    if status != 0 or not model.exists():
        lines = [line for line in said.splitlines() if not line.startswith('"')]
        raise NotCounted("\n".join([f"{experiment}: ncu or abax-lab failed:", *lines[-5:]]))
    return said, json.loads(model.read_text())


def replace(file, text):
    incoming = file.with_name(file.name + ".incoming")
    incoming.write_text(text)
    incoming.replace(file)


def run(program, folder, experiments, limit):
    """Counts one experiment after another and keeps what there is after each; returns those that were not counted."""
    if shutil.which("ncu") is None:
        fail("ncu is not on the PATH. It is a part of the CUDA toolkit: nsight-compute, or /usr/local/cuda/bin.")
    if not experiments:
        try:
            listed = subprocess.run([program, "list"], capture_output=True, text=True, timeout=60, check=True).stdout
        except (OSError, subprocess.SubprocessError) as error:
            fail(f"{program} list: {error}")
        experiments = [line.split()[0] for line in listed.splitlines()]
    folder.mkdir(parents=True, exist_ok=True)
    raw, model = folder / "counters.csv", folder / "counters.json"
    said, result, missing = "", None, []
    with tempfile.TemporaryDirectory() as parts:
        for experiment in experiments:
            try:
                more, part = count(program, experiment, limit, pathlib.Path(parts))
            except NotCounted as why:
                print(f"counters: {why}", file=sys.stderr, flush=True)
                missing.append(experiment)
                continue
            said += more
            if result is None:
                result = part
            else:
                result["experiments"] += part["experiments"]
            replace(raw, said)
            replace(model, json.dumps(result, indent=1) + "\n")
    if result is None:
        fail("no experiment could be counted")
    return missing


def number(text):
    try:
        return float(text.replace(",", ""))
    except (AttributeError, ValueError):
        return None


def counted_by_label(raw):
    """For each label the sums over its launches: a kernel's name begins with the range that it ran in."""
    lines = [line for line in raw.read_text().splitlines() if line.startswith('"')]
    tables = [i for i, line in enumerate(lines) if line.startswith('"ID"')] + [len(lines)]  # one of each run of ncu
    parts = [csv.DictReader(lines[begin:end]) for begin, end in zip(tables, tables[1:])]
    rows = [row for part in parts for row in part if row["ID"].isdigit()]  # without the line of units
    names = {name: counter for name, (counter, *_) in COUNTERS.items()} | MORE
    found = {}
    for row in rows:
        label = re.match(r"(.*/(?:portable|handwritten|vendor))/", row["Kernel Name"])
        if label is None:
            fail(f"{raw}: a kernel without a label: {row['Kernel Name']}")
        sums = found.setdefault(label[1], {"launches": 0})
        sums["launches"] += 1
        for name, counter in names.items():
            value = number(row.get(counter))
            if value is not None:
                sums[name] = sums.get(name, 0) + value
    return found


def prediction(case, name):
    """Of all accesses of the launch, or nothing where the model does not say."""
    _, space, begin, quantity = COUNTERS[name]
    modelled = [a for a in case["accesses"] if a["space"] == space and a["what"].startswith(begin)]
    if not modelled or any(quantity not in a["model"] for a in modelled):
        return None
    return sum(a["model"][quantity] for a in modelled)


def explained(case, name, predicted, seen):
    """Whether more wavefronts were counted in the data pipe than the instructions themselves took."""
    expected = prediction(case, "scratch_wavefronts")
    if expected is None or case["counted"].get("scratch_wavefronts") != expected:
        return False
    return seen > predicted and name.endswith(("_wavefronts", "_bank_conflicts"))


def join(folder):
    raw, model = folder / "counters.csv", folder / "counters.json"
    for file in (raw, model):
        if not file.exists():
            fail(f"{file} is not there: run perf/tools/counters.py ABAX_LAB {folder} first")
    result = json.loads(model.read_text())
    counted = counted_by_label(raw)
    cases = [case for e in result["experiments"] for case in e["cases"] if case["label"]]
    wrong = []
    totals = {name: [0, 0, 0] for name in COUNTERS}  # equal, explained, different
    for case in cases:
        case["counted"] = counted.pop(case["label"], {})
        if not case["counted"]:
            wrong.append(f"{case['label']}: nothing was counted")
        for name in COUNTERS:
            predicted, seen = prediction(case, name), case["counted"].get(name)
            if predicted is None:
                continue
            if seen is None:
                if case["counted"]:
                    wrong.append(f"{case['label']}: {name}: predicted {predicted:g}, not counted")
                continue
            kind = 0 if predicted == seen else 1 if explained(case, name, predicted, seen) else 2
            totals[name][kind] += 1
            if kind == 2:
                wrong.append(f"{case['label']}: {name}: predicted {predicted:g}, counted {seen:g}")
    wrong += [f"{label}: counted, but no case of that label" for label in counted]
    replace(model, json.dumps(result, indent=1) + "\n")
    return totals, wrong


def table(folder):
    totals, wrong = join(folder)
    if not sum(map(sum, totals.values())):
        fail(f"no count in {folder / 'counters.csv'} that a model predicts: another chip, or another ncu?")
    print(f"{'counter':<30} {'equal':>8} {'explained':>10} {'different':>10}")
    for name, (equal, more, different) in totals.items():
        print(f"{name:<30} {equal:>8} {more:>10} {different:>10}")
    for line in wrong:
        print(line)
    print(f"{sum(map(sum, totals.values()))} comparisons, {sum(n for _, n, _ in totals.values())} explained, "
          f"{len(wrong)} differences")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(
        prog="counters", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--table", metavar="FOLDER", type=pathlib.Path, help="compare the files of this folder again")
    parser.add_argument(
        "--time-limit", metavar="SECONDS", type=float, default=600, help="for each experiment (%(default)g)"
    )
    parser.add_argument("program", metavar="ABAX_LAB", nargs="?")
    parser.add_argument("folder", metavar="FOLDER", nargs="?", type=pathlib.Path)
    parser.add_argument("experiments", metavar="EXPERIMENT", nargs="*")
    what = parser.parse_args()
    if what.table is not None:
        return table(what.table)
    if what.folder is None:
        parser.error("expected ABAX_LAB and FOLDER, or --table FOLDER")
    if not what.time_limit > 0:
        parser.error("--time-limit: expected seconds, more than 0")
    for number in ENDS:
        signal.signal(number, end)
    missing = run(what.program, what.folder, list(dict.fromkeys(what.experiments)), what.time_limit)
    status = table(what.folder)
    if missing:
        print(f"not counted: {', '.join(missing)}")
    return 1 if missing else status


if __name__ == "__main__":
    sys.exit(main())
