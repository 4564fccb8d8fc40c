#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""abax-perf on four ranks of this machine: perf_ranks.py PART LAUNCHER PROGRAM BLAS FOLDER

PROGRAM is the suite with perf/extended.cpp and perf/slow_links.cpp. PART is what befalls the ranks: "hindered" (one is
slow and throws in a case, a link is slow), "killed" (one, by SIGKILL), "interrupted", "pgemm" (ScaLAPACK's product),
"flipped" (one of two has a wrong bit).
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

part, launcher, program, blas, folder = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)
result = folder / f"{part}.json"
result.unlink(missing_ok=True)
environment = {
    **os.environ,
    "ABAX_BLAS_LIBRARY": blas,
    "OMP_NUM_THREADS": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}
failures = []


def expect(what, met, output):
    if not met:
        failures.append(what)
        print(f"NOT AS EXPECTED: {what}\n{output}", flush=True)


RUN = ("run", "--backend", "host", "--peer", "copy", "--allow-debug")


def start(*arguments, what=RUN, ranks=4, **variables):
    options = []
    if "openmpi" in launcher:
        options = ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
    command = [launcher, *options, "-np", str(ranks), program, *what]
    return subprocess.Popen(
        [*command, "--json", str(result), *arguments],
        env={**environment, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run(*arguments, **options):
    process = start(*arguments, **options)
    output = process.communicate(timeout=100)[0]
    return process.returncode, output


def written():
    return json.loads(result.read_text())


def runs(pid):
    state = pathlib.Path(f"/proc/{pid}/stat")
    try:
        return state.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def processes():
    """The ranks' own processes."""
    found = []
    for line in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = line.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if words[0] == program and str(result) in words:
            found.append(int(line.parent.name))
    return found


if part == "hindered":
    shapes = ("--shape", "512x8x8,16x8x9")
    code, output = run(
        *("--kernel", "gemm NN", "--type", "f32", *shapes, "--passes", "1", "--seconds", "0.05"),
        **{"ABAX_TEST_RANK": "2", "ABAX_TEST_PACE": "2", "ABAX_TEST_SLOWER": "400", "ABAX_TEST_THROWS": "9"},
        ABAX_TEST_SLOW_LINK="1",
    )
    expect("the status says that a rank failed", code == 1, output)
    # Four ranks share what cores there are, so their calls sleep for most of what they last. The one that is woken late
    # may be held up a little, but not by half.
    slow_ranks = re.findall(r"^SLOW: rank (\d) .* cases; ([\d.]+) times", output, re.M)
    expect("the slow rank is named, and no other", [r for r, by in slow_ranks if float(by) > 1.5] == ["2"], output)
    expect(
        "an exception is named",
        re.search(r"^FAILED: rank 2 on \S+: gemm NN f32 16 .*throws here", output, re.M),
        output,
    )
    # Links of ranks that share a core are slow, too, but not as slow.
    found = re.findall(r"^SLOW: the link by MPI from rank (\d) .* to rank (\d) on \S+, ([\d.]+) GB/s", output, re.M)
    rates = {(a, b): float(rate) for a, b, rate in found}
    slowest = rates.get(("0", "1"), 0)
    others = [rate for link, rate in rates.items() if link != ("0", "1")]
    expect(
        "the slow link is named, as by far the slowest", slowest > 0 and all(r > 3 * slowest for r in others), output
    )
    file = written()
    expect("the rest went on to the end", file["status"] == "complete" and len(file["cases"]) == 2, file["status"])
    who = {c["m"]: [r["rank"] for r in c["ranks"]] for c in file["cases"]}
    expect("with those that could", who == {512: [0, 1, 2, 3], 16: [0, 1, 3]}, who)
    slow = {s["rank"]: s["factor"] for s in file["slow"]}
    expect("the file names the slow one", [r for r, by in slow.items() if by > 1.5] == [2], file["slow"])
    expect("by how much", slow.get(2, 0) > 3, file["slow"])
    expect("and the one that failed", {f["rank"] for f in file["failures"]} == {2}, file["failures"])
    expect(
        "every link is there", len(file["links"]) == 6 and all(link["intact"] for link in file["links"]), file["links"]
    )
    expect("with its figures", all(l["rate"] > 0 and l["latency"] > 0 and l["samples"] for l in file["links"]), "")
    expect("the ranks are described", [len(r["context"]) > 3 for r in file["ranks"]] == 4 * [True], file["ranks"])
    expect(
        "and the MPI",
        file["context"]["MPI"].lower().replace(" ", "").startswith(launcher.split(".")[-1]),
        file["context"],
    )
    compared = subprocess.run([program, "compare", str(result), str(result)], capture_output=True, text=True)
    expect("other commands read the file", "expected" not in compared.stderr and compared.returncode < 2, compared)
    code, output = run("--kernel", "gem")
    expect("bad arguments are refused once", code == 2 and output.count("did you mean") == 1, output)
elif part in ("killed", "interrupted"):
    process = start("--no-links", "--kernel", "gemm", "--sizes", "64:1000:+1", "--passes", "1", "--seconds", "0.02")
    lines = []
    while not any(" same" in line for line in lines[-1:]):
        lines.append(process.stdout.readline())
        if not lines[-1]:
            sys.exit("ended too early:\n" + "".join(lines))
    ranks = {int(m[1]): int(m[2]) for m in (re.match(r" *(\d)  \S+ +(\d+)  ", line) for line in lines) if m}
    expect("all processes are told", len(ranks) == 4, lines)
    begin = time.monotonic()
    if part == "killed":
        os.kill(ranks[2], signal.SIGKILL)
    else:
        process.send_signal(signal.SIGTERM)
    output = "".join(lines) + process.communicate(timeout=60)[0]
    expect("it ends soon", time.monotonic() - begin < 30, output)
    # A launcher that is told to end may itself say that all is well: MPICH's does at times.
    expect("it fails", process.returncode != 0 or (part == "interrupted" and "mpich" in launcher), output)
    if part == "interrupted":
        expect("it says so", "abax-perf: interrupted" in output, output)
    begin = time.monotonic()
    while (running := [r for r, pid in ranks.items() if runs(pid)]) and time.monotonic() - begin < 20:
        time.sleep(0.1)
    expect("all ranks end", not running, running)
    file = written()
    how = "unfinished" if part == "killed" else ("unfinished", "interrupted: ")
    expect("the file says that it is not whole", file["status"].startswith(how), file["status"])
    expect("what was complete stands in it", [len(c["ranks"]) for c in file["cases"][:1]] == [4], file)
    if part == "interrupted":  # on one rank alone, in a later pass, most of whose time goes to the ceilings
        result.unlink()
        process = start("--no-links", "--kernel", "dot", "--sizes", "1000", "--passes", "100", "--seconds", "0.5")
        lines = [process.stdout.readline()]
        while lines[-1] and not re.match(r" *2  \S+ +\d+  ", lines[-1]):
            lines.append(process.stdout.readline())
        begin = time.monotonic()
        while not result.exists() or not written()["cases"]:
            if process.poll() is not None or time.monotonic() - begin > 30:
                sys.exit("no case after its first pass:\n" + "".join(lines))
            time.sleep(0.1)
        time.sleep(1)
        os.kill(int(lines[-1].split()[2]), signal.SIGTERM)
        try:
            output = "".join(lines) + process.communicate(timeout=30)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            sys.exit("a signal to one rank in a later pass does not end the run")
        expect("a signal to one rank ends all", "abax-perf: interrupted" in output, output)
        expect("and the file says so", written()["status"].startswith("interrupted: "), written()["status"])
    # The same of a job that verifies.
    result.unlink(missing_ok=True)
    what = ("verify", "--backend", "host", "--kernel", "gemm TN", "--type", "f32", "--max-bytes", "1MiB")
    process = start("--minutes", "5", what=what)
    lines = []
    while not any("golden hashes" in line for line in lines[-1:]):
        lines.append(process.stdout.readline())
        if not lines[-1]:
            sys.exit("verify ended too early:\n" + "".join(lines))
    ranks = processes()
    if len(ranks) != 4:
        process.kill()
        sys.exit(f"not four ranks verify: {ranks}")
    begin = time.monotonic()
    os.kill(ranks[2], signal.SIGKILL if part == "killed" else signal.SIGTERM)
    output = "".join(lines) + process.communicate(timeout=60)[0]
    expect("verify ends soon", time.monotonic() - begin < 30, output)
    expect("and fails", process.returncode != 0, output)
    begin = time.monotonic()
    while (running := [r for r in ranks if runs(r)]) and time.monotonic() - begin < 20:
        time.sleep(0.1)
    expect("on all ranks", not running, running)
    if part == "interrupted":
        expect("verify says that it was interrupted", "abax-perf: interrupted" in output, output)
        expect("and so does its file", written()["status"] == "interrupted", written()["status"])
    elif result.exists():  # of a job that had twenty seconds
        expect("its file says that it is not whole", written()["status"] == "unfinished", written()["status"])
elif part == "pgemm":
    code, output = run("pgemm", "--no-links", "--shape", "200x150x170", "--passes", "1", "--seconds", "0.05")
    lacking = "no ScaLAPACK" if pathlib.Path(blas).exists() else "no (?:ScaLAPACK|libabax_blas)"
    if found := re.search(f"pgemm +left out: ({lacking}.*)", output):
        print("skipped: " + found[1])
        sys.exit(0)
    expect("it runs", code == 0, output)
    cases = written()["cases"]
    expect("in both types", [c["type"] for c in cases] == ["f32", "f64"], cases)
    expect("all operations went through Abax, and every bit is right", all(c["bits"] == "same" for c in cases), output)
    expect("which is timed", all(c["variants"][0]["name"] == "abax" for c in cases), cases)
    expect("the library is named", re.search(r"pgemm, abax +\d+ products .*libabax_blas", output), output)
elif part == "flipped":
    what = ("verify", "--backend", "host", "--kernel", "gemm TN", "--type", "f32", "--max-bytes", "1MiB")
    arguments = ("--minutes", "0.01")
    pattern = r"^DIFFERS: rank (\d) on \S+, \w+: gemm TN f32 .*?\(([^()]*)\): element .*?: found (\w+), expected (\w+);"
    code, output = run(*arguments, what=what, ranks=2)
    expect("without a fault nothing differs", code == 0 and "on each of 2 ranks" in output, output)
    file = written()
    expect("the report has both ranks", [r["place"]["rank"] for r in file["ranks"]] == [0, 1], file)
    expect("which were at work", all(w["calls"] > 0 for r in file["ranks"] for w in r["work"]), file)
    # Of two ranks that always differ, the scalar reference says which is wrong, whichever it is.
    for when, rank in (("3", 1), ("always", 1), ("always", 0)):
        beside = "backends and ranks" if when == "always" else "repeat"
        code, output = run(*arguments, what=what, ranks=2, ABAX_TEST_RANK=str(rank), ABAX_TEST_FLIP=when)
        found = re.findall(pattern, output, re.M)
        case = f"a wrong bit ({when}, rank {rank})"
        expect(f"{case} is found", code == 1 and any(f[1] == beside for f in found), output)
        expect(f"{case}: that rank is named, and no other", {int(f[0]) for f in found} == {rank}, output)
        expect(f"{case}: the bit is right", all(int(f[2], 16) ^ int(f[3], 16) == 8 for f in found), output)
        named = [(r["place"]["rank"], d) for r in written()["ranks"] for d in r["differences"]]
        expect(f"{case}: the file names it", named and all(d["rank"] == rank for _, d in named), named)
        own = [d for by, d in named if by == rank]
        expect(f"{case}: with its clock", all((d["clock_MHz"], d["temperature_C"]) == (1234, 56.5) for d in own), own)
    code, output = run("--kernel", "gem", what=("verify",), ranks=2)
    expect("bad arguments are refused once", code == 2 and output.count("abax-perf:") == 1, output)

print(f"{part}: {len(failures)} not as expected")
sys.exit(1 if failures else 0)
