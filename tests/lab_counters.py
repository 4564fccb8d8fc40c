# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests perf/tools/counters.py without a GPU: python3 lab_counters.py COUNTERS FOLDER. What ncu would write is written
here."""

import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

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
expect(
    "equal counts are equal", done.returncode == 0 and "8 comparisons, 0 explained, 0 differences" in done.stdout, done
)
cases = json.loads((FOLDER / "counters.json").read_text())["experiments"][0]["cases"]
expect("counts stand with their case", cases[0]["counted"]["scratch_load_wavefronts"] == 1024, done)
expect("and nowhere else", cases[2]["counted"] == {} and cases[0]["measured"] == {}, done)

write(FOLDER, load="1,023")
done = run("--table", str(FOLDER))
found = f"{LABEL}/portable: scratch_load_wavefronts: predicted 1024, counted 1023" in done.stdout
expect("a difference is found and named", done.returncode == 1 and found, done)

write(FOLDER, load="1,030")
done = run("--table", str(FOLDER))
expect(
    "more in the pipe than by instruction is explained", done.returncode == 0 and " 1 explained" in done.stdout, done
)
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


def tool(name, script):
    (tools / name).write_text("#!/bin/sh\n" + script)
    (tools / name).chmod(0o755)


WITH_TOOLS = f"{tools}:/usr/bin:/bin"
LOG = 'while [ "$1" != --log-file ]; do shift; done\nlog=$2\n'
tool("ncu", LOG + """
echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters' > "$log"
exit 1
""")
done = run("abax-lab", str(FOLDER / "new"), "tile", path=WITH_TOOLS)
allowed = "NVreg_RestrictProfilingToAdminUsers=0" in done.stderr
expect("where counters are not allowed, it says what to do", done.returncode == 2 and allowed, done)

# An ncu that never comes to an end with "slow", nor does the program under it, and that counts the others.
write(FOLDER / "counted")
tool("abax-lab", "echo 'tile  A tile'; echo 'slow  Another one'; echo 'again  And a third'")
tool("ncu", LOG + f"""
while [ "$1" != run ]; do shift; done
experiment=$2
if [ $experiment = slow ]; then sh -c 'echo $$ > "{FOLDER}/child"; exec sleep 1000' & wait; fi
while [ "$1" != --json ]; do shift; done
sed s,tile/,$experiment/,g "{FOLDER}/counted/counters.csv" > "$log"
sed s,tile/,$experiment/,g "{FOLDER}/counted/counters.json" > "$2"
""")


def runs(file):
    """Whether the process whose number is in the file still runs."""
    state = pathlib.Path(f"/proc/{int(file.read_text())}/stat")
    return state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] != "Z"


for chosen in ((), ("tile", "slow", "again")):  # all that there are, or these
    done = run("--time-limit", "3", str(tools / "abax-lab"), str(FOLDER / "new"), *chosen, path=WITH_TOOLS)
    expect("an experiment that takes too long is named", "slow: stopped after 3 seconds" in done.stderr, done)
    expect(
        "the others are kept",
        done.returncode == 1 and "16 comparisons, 0 explained, 0 differences" in done.stdout,
        done,
    )
    expect("what is missing is said at the end", done.stdout.endswith("not counted: slow\n"), done)
    expect("nothing of it goes on", not runs(FOLDER / "child"), done)
    experiments = json.loads((FOLDER / "new" / "counters.json").read_text())["experiments"]
    counts = [e["cases"][0]["counted"].get("scratch_load_wavefronts") for e in experiments]
    expect("each with its own counts", counts == [1024, 1024], done)
done = run("--time-limit", "1", str(tools / "abax-lab"), str(FOLDER / "none"), "slow", path=WITH_TOOLS)
expect(
    "where nothing is left, it says so", done.returncode == 2 and "no experiment could be counted" in done.stderr, done
)

# Told to end when what it started is at work; also before it knows that it has started it.
(FOLDER / "slow").mkdir()
(FOLDER / "slow" / "sitecustomize.py").write_text("""
import subprocess, time
begin = subprocess.Popen.__init__
def begin_slowly(*arguments, **named):
    begin(*arguments, **named)
    time.sleep(1)
subprocess.Popen.__init__ = begin_slowly
""")
for more in ({}, {"PYTHONPATH": str(FOLDER / "slow")}):
    (FOLDER / "child").unlink()
    alone = subprocess.Popen([sys.executable, COUNTERS, str(tools / "abax-lab"), str(FOLDER / "new"), "slow"],
                             env={**os.environ, "PATH": WITH_TOOLS, **more})  # fmt: skip
    until = time.monotonic() + 20
    while time.monotonic() < until and not ((FOLDER / "child").exists() and (FOLDER / "child").read_text().strip()):
        time.sleep(0.05)
    alone.terminate()
    ended, goes_on = alone.wait(20), runs(FOLDER / "child")
    if goes_on:
        os.kill(int((FOLDER / "child").read_text()), signal.SIGKILL)
    if ended != 128 + 15 or goes_on:
        sys.exit(f"told to end, it ended with {ended}, or what it had started goes on")
kept = json.loads((FOLDER / "new" / "counters.json").read_text())["experiments"]
expect("what was there before is still there", len(kept) == 2, done)
done = run("--time-limit", "0", "abax-lab", str(FOLDER / "none"), path=WITH_TOOLS)
expect("a limit of no time is none", done.returncode == 2 and "--time-limit" in done.stderr, done)
shutil.rmtree(FOLDER)
