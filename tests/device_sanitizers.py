#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the test program's reduced set under compute-sanitizer: device_sanitizers.py PROGRAM, or --self-test.

Each case is a process of its own under each tool, several at once, so that one that takes too long takes only itself.
Prints a table of tools, then each finding and each case that did not end. Status 0: all ended, none found anything.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

# What each tool runs. racecheck and synccheck watch every access to shared memory and every barrier: for them each row
# once is enough, and many placements of operands ([exact]) would take hours.
TOOLS = {
    "memcheck": "[sanitizer]",
    "initcheck": "[sanitizer]",
    "racecheck": "[sanitizer]~[exact]",
    "synccheck": "[sanitizer]~[exact]",
}
SUMMARY = re.compile(r"^=+ (?:ERROR SUMMARY: (\d+) errors?|RACECHECK SUMMARY: (\d+) hazards? displayed)", re.MULTILINE)
FINDING = re.compile(r"^=+ (?!COMPUTE-SANITIZER)(?!ERROR SUMMARY)(?!RACECHECK SUMMARY)(\S.*)$", re.MULTILINE)
PLACE = re.compile(r"^=+ +(at .+\+0x[0-9a-f]+)", re.MULTILINE)  # an instruction of a kernel
SKIPPED, FAILED = 4, 42  # Catch2's status where all tests were skipped; what a tool that found something ends with


class Result:
    """How one case ended under one tool."""

    def __init__(self, tool, case, state, errors, seconds, text):
        self.tool, self.case, self.state, self.errors = tool, case, state, errors
        self.seconds, self.text = seconds, text


def names_of(program, tests):
    """The cases that `tests` selects."""
    command = [program, tests, "--list-tests", "--verbosity", "quiet"]
    listed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    names = [line.strip() for line in listed.stdout.splitlines() if line.strip()]
    if not names:
        raise SystemExit(f"device_sanitizers: {program} has no tests {tests}")
    return names


def filter_for(name):
    """The name as Catch2 takes it for that case alone."""
    return re.sub(r"([\\,\[\]*])", r"\\\1", name)


def judged(tool, case, status, text, seconds):
    """What a process' status and words say. A tool without its summary has not done its work."""
    found = [int(first or second) for first, second in SUMMARY.findall(text)]
    errors = sum(found)
    if status in (77, SKIPPED):
        state = "skipped"
    elif errors > 0 or status == FAILED:
        state, errors = "found", max(errors, 1)
    elif status != 0 or not found:
        state = "failed"
    else:
        state = "clean"
    return Result(tool, case, state, errors, seconds, text)


def run(arguments, tool, case, deadline):
    """Runs the case under the tool, until it ends, its limit passes or all time is spent."""
    start = time.monotonic()
    limit = min(arguments.limit, deadline - start)
    if limit <= 0:
        return Result(tool, case, "not begun", 0, 0.0, "")
    command = [arguments.sanitizer, "--tool", tool, "--error-exitcode", str(FAILED), "--print-limit", "5"]
    if tool == "racecheck":
        command += ["--racecheck-report", "all"]
    command += [arguments.program, filter_for(case)]
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        # A session of its own: the tool's children end with it.
        with subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True) as process:
            try:
                status = process.wait(limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                status = None
        output.seek(0)
        text = output.read()
    seconds = time.monotonic() - start
    if status is None:
        return Result(tool, case, "not ended", 0, seconds, text)
    return judged(tool, case, status, text, seconds)


def distinct(lines):
    """Each once, in their order."""
    return list(dict.fromkeys(lines))


def report(results, tools, spans):
    """The table, and below it what is to be looked at."""
    lines = ["| tool | cases | ended | skipped | with errors | errors | seconds |", "|---|---|---|---|---|---|---|"]
    for tool in tools:
        mine = [result for result in results if result.tool == tool]
        count = {state: sum(result.state == state for result in mine) for state in ("clean", "found", "skipped")}
        errors = sum(result.errors for result in mine)
        lines.append(f"| {tool} | {len(mine)} | {count['clean'] + count['found']} | {count['skipped']} "
                     f"| {count['found']} | {errors} | {spans[tool]:.0f} |")
    for result in results:
        if result.state not in ("clean", "skipped"):
            lines.append(f"{result.tool}: {result.case}: {result.state} after {result.seconds:.0f} s")
            shown = FINDING.findall(result.text)[:12] or result.text.splitlines()[-12:]
            shown = distinct(shown) + distinct(PLACE.findall(result.text))
            lines += [f"    {line}" for line in (shown if result.state in ("found", "failed") else [])]
    return "\n".join(lines)


def watch(arguments):
    """Runs all tools, prints the report and returns the program's status."""
    results, spans = [], {}
    deadline = time.monotonic() + arguments.budget
    for tool in arguments.tools:
        names = names_of(arguments.program, arguments.tests or TOOLS[tool])
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            running = [pool.submit(run, arguments, tool, name, deadline) for name in names]
            for future in concurrent.futures.as_completed(running):
                result = future.result()
                results.append(result)
                print(f"{tool}: {result.state} in {result.seconds:.0f} s: {result.case}", flush=True)
        spans[tool] = time.monotonic() - start
    print(report(results, arguments.tools, spans))
    return 0 if all(result.state in ("clean", "skipped") for result in results) else 1


# A program and a tool that stand in for the real ones: the case's name says how it is to end.
STAND_IN_PROGRAM = r"""#!/usr/bin/env python3
import sys
names = ["clean, with [a] comma", "two errors", "a hazard", "skipped", "crashes", "says nothing", "takes long"]
if "--list-tests" in sys.argv:
    print("\n".join(name for name in names if sys.argv[1] != "[sanitizer]~[exact]" or name != "two errors"))
"""
STAND_IN_TOOL = r"""#!/usr/bin/env python3
import subprocess, sys
tool, name = sys.argv[2], sys.argv[-1]
summary = "RACECHECK SUMMARY: %d hazards displayed (%d errors, 0 warnings)" if tool == "racecheck" else \
    "ERROR SUMMARY: %d errors"
def end(errors, status):
    print("========= COMPUTE-SANITIZER")
    for _ in range(errors):
        print("========= Invalid __global__ read of size 4 bytes")
        print("=========     at void kernel<(int)3>(float *)+0x40")
    print("========= " + summary % ((errors,) * summary.count("%d")))
    sys.exit(status)
if name == r"clean\, with \[a\] comma":
    end(0, 0)
if name == "two errors":
    end(2, 42)
if name == "a hazard":
    end(int(tool == "racecheck"), 42 if tool == "racecheck" else 0)
if name == "skipped":
    end(0, 4)
if name == "crashes":
    sys.exit(139)
if name == "says nothing":
    sys.exit(0)
if name == "takes long":
    subprocess.run(["sleep", "60"])
sys.exit("no such case: " + name)
"""


def self_test():
    """Every way to end, with stand-ins."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("program", STAND_IN_PROGRAM), ("tool", STAND_IN_TOOL)):
            path = pathlib.Path(folder, name)
            path.write_text(text)
            path.chmod(0o755)
        command = [sys.executable, "-B", __file__, f"{folder}/program", "--sanitizer", f"{folder}/tool", "--jobs", "4"]
        whole = subprocess.run([*command, "--limit", "2"], stdout=subprocess.PIPE, text=True, check=False)
        late = subprocess.run([*command, "--budget", "0", "--tools", "memcheck"], stdout=subprocess.PIPE, text=True,
                              check=False)
        clean = subprocess.run([*command, "--tests", "[one]", "--tools", "memcheck", "--budget", "60", "--limit", "1"],
                               stdout=subprocess.PIPE, text=True, check=False)
    rows = dict(re.findall(r"^\| (\w+check) \| (.*) \| \d+ \|$", whole.stdout, re.MULTILINE))
    expected = {
        "memcheck": "7 | 3 | 1 | 1 | 2",
        "initcheck": "7 | 3 | 1 | 1 | 2",
        "racecheck": "6 | 2 | 1 | 1 | 1",
        "synccheck": "6 | 2 | 1 | 0 | 0",
    }
    checks = [
        ("the table's rows", rows == expected),
        ("a status for findings", whole.returncode == 1),
        ("what was found", "    Invalid __global__ read of size 4 bytes" in whole.stdout),
        ("each finding and each place once", whole.stdout.count("+0x40\n") == 3 and
         whole.stdout.count("    Invalid __global__ read") == 3 and
         "    at void kernel<(int)3>(float *)+0x40" in whole.stdout),
        ("a tool without a summary", "memcheck: says nothing: failed" in whole.stdout),
        ("a crash", "memcheck: crashes: failed" in whole.stdout),
        ("a limit", "racecheck: takes long: not ended after 2 s" in whole.stdout),
        ("time that is spent", late.stdout.count(": not begun after") == 7 and late.returncode == 1),
        ("a case's own errors are no other's", "clean, with [a] comma: found" not in whole.stdout),
        ("tests that are asked for", "| memcheck | 7 |" in clean.stdout),
    ]
    for what, holds in checks:
        if not holds:
            print(f"device_sanitizers: wrong: {what}\n{whole.stdout}\n{late.stdout}\n{clean.stdout}")
            return 1
    print("device_sanitizers: its own tests pass")
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="abax_tests of a CUDA build")
    parser.add_argument("--tools", default=",".join(TOOLS), help="with commas between them (default: all four)")
    parser.add_argument("--tests", help="what Catch2 is to run in the place of each tool's own set")
    parser.add_argument("--jobs", type=int, default=8, help="processes at once (default: 8)")
    parser.add_argument("--limit", type=float, default=300, help="seconds for one case under one tool (default: 300)")
    parser.add_argument("--budget", type=float, default=3600, help="seconds for all (default: 3600)")
    parser.add_argument("--sanitizer", default="compute-sanitizer", help="the tool, where PATH has it not")
    arguments = parser.parse_args()
    arguments.tools = arguments.tools.split(",")
    if not set(arguments.tools) <= set(TOOLS):
        parser.error("tools are " + ", ".join(TOOLS))
    return watch(arguments)


if __name__ == "__main__":
    sys.exit(main())
