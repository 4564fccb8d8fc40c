#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A disk that is full when a result file is written: full_disk.py PROGRAM FOLDER, PROGRAM being abax-perf. It says so
and fails, of the file of the run before no byte is lost, and nothing else is left behind. By a limit on files, and on
a file system of two pages, one of them free, where this user may mount one (there the script runs as its own child)."""

import pathlib
import resource
import shutil
import signal
import subprocess
import sys

program, folder, mounted = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:] == ["mounted"]
COMMANDS = (
    "run dot --type f64 --backend host --variant abax --sizes 1000 --seconds 0.001 --passes 1 --patience 1 --warm "
    "--allow-debug --json {}",
    "accuracy --type f32 --backend host --variant abax --terms 64 --json {}",
    "verify --backend host --kernel iamax --type f32 --json {}",
)
wrong = []


def limit_files():
    """From here on no file grows beyond 200 bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))


def run(command, reason, before=None):
    def expect(what, condition):
        if not condition:
            wrong.append(f"{command}: {what}: status {done.returncode}\n{done.stdout}{done.stderr}")

    file, old = folder / "result", "x" * 150
    file.write_text(old)
    before_it = set(folder.iterdir())
    done = subprocess.run([program, *command.format(file).split()], text=True, capture_output=True, preexec_fn=before)
    expect("failed", done.returncode == 2)
    expect(f"said {reason}", f"could not write {file}: {reason}" in done.stderr)
    expect("left the old file as it was", file.read_text() == old)
    expect("left nothing beside it", set(folder.iterdir()) == before_it)


if mounted:
    (folder / "other").write_text("x" * 4096)
    for command in COMMANDS:
        run(command, "No space left on device")
else:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for command in COMMANDS:
        run(command, "File too large", before=limit_files)
    own_root = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    mount = 'mount -t tmpfs -o size=8k tmpfs "$0"'
    tried = shutil.which("unshare") and subprocess.run([*own_root, mount, folder], capture_output=True)
    may_mount = tried and tried.returncode == 0
    if may_mount:
        again = [sys.executable, "-B", __file__, program, folder, "mounted"]
        if subprocess.run([*own_root, mount + ' && exec "$@"', folder, *again]).returncode != 0:
            wrong.append("on a file system of its own: see above")
    print("with a limit on files" + (" and on a full file system" if may_mount else "; this user may mount nothing"))
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
