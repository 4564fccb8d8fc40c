#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a ceiling is one, and whether other libraries have all cores: perf_roofs.py PROGRAM LIBRARY FOLDER

No kernel may stand above its roof by more than 10 %, which is what medians and ceilings differ by on a quiet machine
that others share; and twice as many operations go into float as into double. LIBRARY is the BLAS of
perf/threaded_blas.cpp.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

program, library, folder = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)
TOLERANCE, BUSY = 1.10, 10  # BUSY: per cent of the time that other programs may have had


def run(*arguments, **variables):
    command = [program, *arguments, "--allow-debug"] if arguments[0] == "run" else [program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables})


def results_of(kernels, shapes, seconds):
    """A short run's results; None where other programs had much of the time."""
    file = folder / "roofs.json"
    chosen = ["--backend", "host", "--variant", "abax", "--kernel", kernels, "--shape", shapes]
    done = run("run", *chosen, "--seconds", seconds, "--passes", "3", "--patience", "1", "--json", str(file))
    if done.returncode != 0:
        sys.exit(f"status {done.returncode}: {done.stdout}{done.stderr}")
    results = json.loads(file.read_text())
    if float(results["context"]["Waited"].split()[0]) > BUSY:
        return None
    return results


def measured():
    """What is wrong, by its name; None where the machine was busy."""
    results = results_of("gemm NN,gemv,dot,copy,triad,increment", "4194304,2048x2048,512x512x512", "0.1")
    if results is None:
        return None
    wrong, fma = {}, {}
    for c in results["cases"]:
        share = c["amount"] / c["variants"][0]["median"] / c["roof_rate"]
        if share > TOLERANCE:
            wrong[f"{c['kernel']} {c['type']} {c['shape']}"] = f"{100 * share:.0f} % of {c['roof']}"
        if c["roof"] == "fma":
            fma[c["type"]] = c["roof_rate"]
    if not 1.8 < fma["f32"] / fma["f64"] < 2.2:
        wrong["FMA"] = f"{fma['f32']:.3g} in float, {fma['f64']:.3g} in double"
    if fma["c64"] != fma["f32"] or fma["c128"] != fma["f64"]:
        wrong["complex arithmetic is that of its parts"] = str(fma)
    return wrong


said = folder / "threads"
said.unlink(missing_ok=True)
done = run(
    "list",
    "--backend",
    "host",
    "--variant",
    "openblas",
    "--library",
    f"openblas={library}",
    OMP_NUM_THREADS="2",
    OMP_PROC_BIND="spread",
    OMP_PLACES="threads",
    ABAX_TEST_THREADS=str(said),
)
if done.returncode == 77:
    print("skipped: no GPU")
    sys.exit(0)
cpus = said.read_text() if said.exists() else "no"
if cpus != str(len(os.sched_getaffinity(0))):
    sys.exit(f"a library's own thread may run on {cpus} CPUs: {done.stdout}{done.stderr}")
devices = run("list", "--backend", "device")
why = "this build has no GPU backend" if "no GPU backend" in devices.stderr else "it is none of the chosen [^\\n]+"
done = run("list", "--backend", "host", "--variant", "twin")
if done.returncode != 2 or not re.fullmatch(rf"abax-perf: --variant twin was not found: {why}\n", done.stderr):
    sys.exit(f"a peer that is not there is an error: {done}")
# Another program may take memory from a ceiling in one attempt and from a kernel in the next. A ceiling that is too low
# is so every time: what stands above it in three quiet attempts does.
wrong, quiet = {}, 0
if results_of("dot", "1000", "0.01") is not None:  # a busy machine is found soon
    for attempt in range(5):
        found = measured()
        if found is None:
            continue
        quiet += 1
        wrong = found if quiet == 1 else {what: found[what] for what in wrong if what in found}
        if not wrong:
            sys.exit(0)
        if quiet == 3:
            sys.exit("above their roofs in three attempts:\n" + "\n".join(f"{w}: {why}" for w, why in wrong.items()))
print("skipped: the machine is busy")
