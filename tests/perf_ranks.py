#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""abax-perf on four ranks of this machine: perf_ranks.py PART LAUNCHER ABAX_PERF RANK_PROGRAM FOLDER

PART is what is done to them: "hindered" (one slow, one with wrong bits, one whose worker aborts), "killed" (a rank's
own process, by SIGKILL), "worker" (the process that measures for it), "interrupted", "pgemm".
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

part, launcher, abax_perf, program, folder = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)
result = folder / f"{part}.json"
result.unlink(missing_ok=True)
environment = {
    **os.environ,
    "ABAX_PERF": abax_perf,
    "OMP_NUM_THREADS": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}
failures = []


def expect(what, met, output):
    if not met:
        failures.append(what)
        print(f"NOT AS EXPECTED: {what}\n{output}", flush=True)


def start(*arguments, **variables):
    options = []
    if "openmpi" in launcher:
        options = ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
    command = [launcher, *options, "-np", "4", program, "run", "--backend", "host", "--peer", "copy", "--allow-debug"]
    return subprocess.Popen(
        [*command, "--json", str(result), *arguments],
        env={**environment, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run(*arguments, **variables):
    process = start(*arguments, **variables)
    output = process.communicate(timeout=100)[0]
    return process.returncode, output


def written():
    return json.loads(result.read_text())


def measuring():
    """A run that would go on for minutes, once a case of it has been measured: the process and what it has printed."""
    process = start("--no-links", "--kernel", "gemm", "--sizes", "64", "--passes", "1", "--seconds", "5")
    lines = []
    for line in process.stdout:
        lines.append(line)
        if " same" in line:
            return process, lines
    sys.exit("ended too early:\n" + "".join(lines))


def process_of(rank, lines):
    """As the table of ranks has it."""
    for line in lines:
        if found := re.match(rf" *{rank}  \S+ +(\d+)  ", line):
            return int(found[1])
    sys.exit("no such rank:\n" + "".join(lines))


def ended(process, lines):
    begin = time.monotonic()
    rest = process.communicate(timeout=60)[0]
    return time.monotonic() - begin, "".join(lines) + rest


if part == "hindered":
    hindered = "slow 2 3; wrong 1 dot f64; abort 3 dot f32; throw 0 gemm TT"
    code, output = run(
        *("--kernel", "gemm,dot", "--sizes", "64", "--passes", "1", "--seconds", "0.05"), ABAX_PERF_TEST=hindered
    )
    expect("the status says that ranks failed", code == 1, output)
    expect("the slow rank is named, and no other", re.findall(r"^SLOW: rank (\d)", output, re.M) == ["2"], output)
    expect("wrong bits are named", re.search(r"^FAILED: rank 1 on \S+: dot f64 .*bits: \d+ of \d+ wrong", output, re.M), output)
    expect("an aborted worker is named", re.search(r"^FAILED: rank 3 on \S+: dot f32 .*signal 6", output, re.M), output)
    expect("an exception is named", re.search(r"^FAILED: rank 0 on \S+: gemm TT f32 .*throws here", output, re.M), output)
    file = written()
    expect("the rest went on to the end", file["status"] == "complete" and len(file["cases"]) == 10, file["status"])
    who = {c["kernel"] + " " + c["type"]: [r["rank"] for r in c["ranks"]] for c in file["cases"]}
    expect("with those that could", who["gemm NN f32"] == [0, 1, 2, 3] and who["gemm TT f32"] == [1, 2, 3], who)
    expect("and without those that could not", who["dot f64"] == [0, 1, 2], who)
    expect("the file names the slow one", [s["rank"] for s in file["slow"]] == [2], file["slow"])
    expect("by how much", 2 < file["slow"][0]["factor"] < 4, file["slow"])
    expect("and those that failed", {f["rank"] for f in file["failures"]} == {0, 1, 3}, file["failures"])
    expect("every link is there", len(file["links"]) == 6 and all(link["intact"] for link in file["links"]), file["links"])
    expect("with its figures", all(l["rate"] > 0 and l["latency"] > 0 and l["samples"] for l in file["links"]), "")
    expect("the ranks are described", [len(r["context"]) > 3 for r in file["ranks"]] == 4 * [True], file["ranks"])
    expect("the hindrance stands in the context", file["context"].get("ABAX_PERF_TEST") == hindered, file["context"])
    compared = subprocess.run([abax_perf, "compare", str(result), str(result)], capture_output=True, text=True)
    expect("other commands read the file", "expected" not in compared.stderr and compared.returncode < 2, compared)
    code, output = run("--kernel", "gem")
    expect("bad arguments are refused once", code == 2 and output.count("did you mean") == 1, output)
elif part == "killed":
    process, lines = measuring()
    os.kill(process_of(2, lines), signal.SIGKILL)
    seconds, output = ended(process, lines)
    expect("it ends soon", seconds < 30, f"{seconds} s")
    expect("it fails", process.returncode != 0, output)
    expect("the rank is named", re.search(r"abax-perf: rank 2 on \S+, process \d+: it ended without a word", output), output)
elif part == "worker":
    process, lines = measuring()
    rank = process_of(2, lines)
    children = pathlib.Path(f"/proc/{rank}/task/{rank}/children").read_text().split()
    expect("a rank has one worker", len(children) == 1, children)
    os.kill(int(children[0]), signal.SIGKILL)
    seconds, output = ended(process, lines)
    expect("it ends soon", seconds < 30, f"{seconds} s")
    expect("it fails", process.returncode == 2, output)
    expect("the rank is named", re.search(r"abax-perf: rank 2 on \S+: its worker was ended by signal 9", output), output)
elif part == "interrupted":
    process, lines = measuring()
    process.send_signal(signal.SIGTERM)
    seconds, output = ended(process, lines)
    expect("it ends soon", seconds < 30, f"{seconds} s")
    expect("it says so", "interrupted; " in output, output)
elif part == "pgemm":
    code, output = run("pgemm", "--no-links", "--shape", "200x150x170", "--passes", "1", "--seconds", "0.05")
    built = (pathlib.Path(abax_perf).parent / "../src/blas/libabax_blas.so").exists()
    lacking = "no ScaLAPACK" if built else "no (?:ScaLAPACK|libabax_blas)"
    if found := re.search(f"pgemm    left out: ({lacking}.*)", output):
        print("skipped: " + found[1])
        sys.exit(0)
    expect("it runs", code == 0, output)
    cases = written()["cases"]
    expect("in both types", [c["type"] for c in cases] == ["f32", "f64"], cases)
    expect("all operations went through Abax, and every bit is right", all(c["bits"] == "same" for c in cases), output)
    expect("which is timed", all(c["variants"][0]["name"] == "abax" for c in cases), cases)
    expect("the library is named", re.search(r"pgemm, abax +\d+ products .*libabax_blas", output), output)

if part in ("killed", "worker", "interrupted"):
    for _ in range(50):  # the file may be the last thing that is written
        if result.exists() and written()["status"] != "unfinished":
            break
        time.sleep(0.1)
    file = written()
    how = "interrupted: 1 of" if part == "interrupted" else "failed: 1 of"
    expect("the file says how far it came", file["status"].startswith(how), file["status"])
    expect("and names the rank", part == "interrupted" or "rank 2 on" in file["status"], file["status"])
    expect("what was measured stands in it", len(file["cases"]) == 1 and len(file["cases"][0]["ranks"]) == 4, file)

print(f"{part}: {len(failures)} not as expected")
sys.exit(1 if failures else 0)
