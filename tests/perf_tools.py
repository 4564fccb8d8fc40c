# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tools of abax-perf in a test's own process, where starting them a hundred times would take a minute."""

import contextlib
import io
import os
import pathlib
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parents[1]
SCHEMA = (ROOT / "docs" / "results.schema.json").read_text()

sys.path.append(str(ROOT / "perf" / "tools"))
sys.modules["results_schema"] = types.ModuleType("results_schema")
sys.modules["results_schema"].TEXT = SCHEMA
try:
    import compare
except SystemExit:  # a package is missing; Debian's Python has what Debian's packages bring
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", "-B", *sys.argv])
    print("skipped: compare needs Python 3 with NumPy and jsonschema")
    sys.exit(0)

failures = []


def expect(what, met, output=""):
    if not met:
        failures.append(what)
        print(f"NOT AS EXPECTED: {what}\n{output}", flush=True)


def compared(before, after, threshold=None, fail_on=None, everything=False, json=""):
    """Status and output, of both streams, of `abax-perf compare`."""
    output = io.StringIO()
    threshold = threshold or fail_on or 0.05
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        arguments = (str(threshold), str(fail_on or ""), "all" if everything else "", str(json))
        status = compare.main(str(before), str(after), *arguments)
    return status, output.getvalue()


def finish():
    print(f"{len(failures)} not as expected")
    sys.exit(1 if failures else 0)
