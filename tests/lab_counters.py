# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests perf/lab/counters without a GPU: python3 lab_counters.py COUNTERS FOLDER. What ncu would write is written here."""

import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys

COUNTERS, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
LOAD = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
STORE = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
BOTH = "memory_l1_wavefronts_shared"  # by instruction
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
LABEL = "tile/32x32/write rows, read columns/static"


def case(variant, label):
    scratch = {"space": "scratch", "width": 4, "addresses": []}
    return {
        "name": "32x32/write rows, read columns/static", "backend": "CUDA", "variant": variant, "label": label,
        "checked": "all", "measured": {}, "counted": {}, "notes": {},
        "accesses": [
            {"what": "store to scratch", **scratch, "model": {"wavefronts": 32}},
            {"what": "load from scratch", **scratch, "model": {"wavefronts": 1024}},
            {"what": "store to global", **scratch, "space": "global", "model": {"sectors": 128}},
        ],
    }  # fmt: skip


def write(folder, load="1,024", both="1,056"):
    """A result of two kernels and one that only a host ran, and ncu's table, its units and chatter."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    cases = [case(v, f"{LABEL}/{v}") for v in ("portable", "handwritten")] + [case("portable", "")]
    experiment = {"name": "tile", "title": "", "text": [], "left_out": [], "cases": cases, "figures": []}
    (folder / "counters.json").write_text(json.dumps({"schema": "abax-lab/1", "experiments": [experiment]}))
    with open(folder / "counters.csv", "w", newline="") as file:
        file.write("==PROF== Connected to process 1\n")
        out = csv.writer(file, quoting=csv.QUOTE_ALL)
        out.writerow(["ID", "Kernel Name", LOAD, STORE, BOTH, SECTORS])
        out.writerow(["", "", "", "", "", "sector"])
        out.writerow(["0", f"{LABEL}/portable/void launch<int>(a, b)", load, "32", both, "128"])
        out.writerow(["1", f"{LABEL}/handwritten/tile_kernel(int *)", "1,024", "32", "1,056", "128"])


def run(*arguments, path=None):
    environment = dict(os.environ) if path is None else {**os.environ, "PATH": path}
    return subprocess.run([sys.executable, COUNTERS, *arguments], capture_output=True, text=True, env=environment)


def expect(what, condition, done):
    if not condition:
        sys.exit(f"{what}\nstatus {done.returncode}\n{done.stdout}{done.stderr}")


write(FOLDER)
done = run("--table", str(FOLDER))
expect("equal counts are equal", done.returncode == 0 and "8 comparisons, 0 explained, 0 differences" in done.stdout, done)
cases = json.loads((FOLDER / "counters.json").read_text())["experiments"][0]["cases"]
expect("counts stand with their case", cases[0]["counted"]["scratch_load_wavefronts"] == 1024, done)
expect("and nowhere else", cases[2]["counted"] == {} and cases[0]["measured"] == {}, done)

write(FOLDER, load="1,023")
done = run("--table", str(FOLDER))
found = f"{LABEL}/portable: scratch_load_wavefronts: predicted 1024, counted 1023" in done.stdout
expect("a difference is found and named", done.returncode == 1 and found, done)

write(FOLDER, load="1,030")
done = run("--table", str(FOLDER))
expect("more in the pipe than by instruction is explained", done.returncode == 0 and " 1 explained" in done.stdout, done)
write(FOLDER, load="1,030", both="1,062")
done = run("--table", str(FOLDER))
expect("but not where the instructions took more", done.returncode == 1 and " 0 explained" in done.stdout, done)

write(FOLDER)
lines = (FOLDER / "counters.csv").read_text().splitlines()
(FOLDER / "counters.csv").write_text("\n".join(lines[:-1]) + "\n")
done = run("--table", str(FOLDER))
expect("a kernel that was not counted is named", done.returncode == 1 and "nothing was counted" in done.stdout, done)

done = run("--table", str(FOLDER / "none"))
expect("files that are not there are named", done.returncode == 2 and "counters.csv is not there" in done.stderr, done)

tools = FOLDER / "tools"
tools.mkdir()
done = run("abax-lab", str(FOLDER / "new"), path=str(tools))
expect("without ncu it says so", done.returncode == 2 and "ncu is not on the PATH" in done.stderr, done)
ncu = tools / "ncu"
ncu.write_text("""#!/bin/sh
while [ "$1" != --log-file ]; do shift; done
echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters' > "$2"
exit 1
""")
ncu.chmod(0o755)
done = run("abax-lab", str(FOLDER / "new"), path=f"{tools}:/usr/bin:/bin")
allowed = "NVreg_RestrictProfilingToAdminUsers=0" in done.stderr
expect("where counters are not allowed, it says what to do", done.returncode == 2 and allowed, done)
shutil.rmtree(FOLDER)
