#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gatherer of a run on several ranks, before ranks that are made up here: perf_gatherer.py PROGRAM FOLDER

What no launcher shows: strangers at its port, GPUs whose links fail, limits of time, signals in the middle of a product.
"""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
failures = []


def expect(what, met, seen):
    if not met:
        failures.append(what)
        print(f"NOT AS EXPECTED: {what}\n{seen}", flush=True)


class Gatherer:
    def __init__(self, name, *arguments):
        self.file = folder / f"{name}.json"
        self.file.unlink(missing_ok=True)
        ours, theirs = socket.socketpair()
        self.process = subprocess.Popen(
            [program, "run", "--backend", "host", "--allow-debug", "--json", self.file, *arguments],
            env={**os.environ, "ABAX_PERF_PART": "gatherer"},
            close_fds=False,
            preexec_fn=lambda: os.dup2(theirs.fileno(), 3),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        port, self.token = ours.makefile().readline().split()
        self.port, self.begin = int(port), time.monotonic()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def ended(self):
        self.output = self.process.communicate(timeout=60)[0]
        self.seconds = time.monotonic() - self.begin
        return json.loads(self.file.read_text())


CASE = {
    **{"kernel": "dot", "type": "f32", "shape": "8", "backend": "OpenMP", "m": 1, "n": 1, "k": 8, "operand_sets": 1},
    **{"bits": "same", "compared": 1, "amount": 64.0, "unit": "B", "roof": "read", "roof_rate": 1e9, "converged": True},
    **{"passes": [5], "sensors": {}, "throttled_by": []},
    "variants": [
        {"name": "abax", "calls_per_sample": 1, "samples": [1e-6, 1.01e-6, 1e-6, 1.02e-6, 1e-6]}
        | {name: 1e-6 for name in ("median", "median_low", "median_high", "minimum", "deviation")}
        | {name: 1 for name in ("ratio", "ratio_low", "ratio_high")}
    ],
}


class Rank(threading.Thread):
    """Does what is asked of it; `answers` has what it says to an order that begins so, and otherwise: nothing, a text, or
    lines. A number among them is a time to wait."""

    def __init__(self, gatherer, rank, size, context=(), **answers):
        super().__init__(daemon=True)
        self.gatherer, self.rank, self.size, self.context = gatherer, rank, size, list(context)
        self.answers = {word.replace("_", " "): answer for word, answer in answers.items()}
        self.start()

    def run(self):
        line = self.gatherer.connect()
        say = lambda text: line.sendall((text if isinstance(text, str) else "w " + json.dumps(text)).encode() + b"\n")
        say(f"hello {self.gatherer.token} {self.rank} {self.size} {os.getpid()} node{self.rank} 0-1 A made-up MPI")
        say({"ready": True})
        presented = stepping = False
        for order in line.makefile():
            order = order.strip()
            own = next((a for word, a in self.answers.items() if order.startswith(word)), None)
            if own is not None:
                for answer in own:
                    time.sleep(answer) if isinstance(answer, float) else say(answer)
            elif order == "w go" and not presented:
                presented = True
                say({"context": [["CPU", "made up"], *self.context], "fma": [1e9, 1e9], "free": 0, "steps": [["dot f32 8 OpenMP", 0.01]]})
            elif order == "w go":
                say({"case": CASE})
            elif order == "w step":
                say({"ready": True})
            elif order.startswith("link "):
                say("link 1 1e-6 1e-6 1e-6")
            elif order.startswith("stop"):
                say("bye")
                break
        line.close()


def strangers():
    g = Gatherer("strangers", "--passes", "1")
    silent = [g.connect() for _ in range(300)]
    bad = [b"hello wrong 0 2 1 node 0 MPI\n", f"hello {g.token} 2 2 1 node 0 MPI\n".encode(), b"GET / HTTP/1.0\r\n\r\n"]
    for text in bad:
        silent.append(g.connect())
        silent[-1].sendall(text)
    endless = g.connect()
    ranks = [Rank(g, r, 2) for r in range(2)]
    sent = 0
    try:
        while sent < 64 << 20:
            sent += endless.send(b"x" * (1 << 20))
    except OSError:
        pass
    file = g.ended()
    expect("a stranger that never ends its line is cut off", sent < 64 << 20, sent)
    expect("strangers keep no rank out", (g.process.returncode, file["status"]) == (0, "complete"), g.output)
    expect("nor long", g.seconds < 30, g.seconds)
    expect("both ranks are there", [p["host"] for p in file["ranks"]] == ["node0", "node1"], file["ranks"])

    g = Gatherer("late", "--passes", "1")
    first = Rank(g, 0, 2, w_step=[1.0, {"ready": True}])
    second = Rank(g, 1, 2)
    time.sleep(0.5)
    try:
        g.connect()
        late = "taken"
    except ConnectionRefusedError:
        late = "refused"
    expect("who comes after the ranks finds nobody", late == "refused", late)
    expect("and the run goes on", g.ended()["status"] == "complete", g.output)


def nccl():
    gpu = lambda r: [["GPU UUID", f"GPU-{r}"]]
    g = Gatherer("nccl", "--passes", "1")
    nccl = {"w_id": [{"nccl": "00"}], "w_join": [{"nccl": "22203"}]}
    Rank(g, 0, 3, gpu(0), **nccl, w_link=[])  # waits for ever
    Rank(g, 1, 3, gpu(1), **nccl, w_link=[0.3, {"failed": "ncclSend: unhandled system error"}])
    Rank(g, 2, 3, gpu(2), **nccl)
    file = g.ended()
    expect("it ends soon", g.seconds < 30, g.seconds)
    expect("the rank that failed is named, not the one that waits", [f["rank"] for f in file["failures"]] == [1], file["failures"])
    expect("with what it said", re.search(r"^FAILED: rank 1 on node1 .*NCCL between.*unhandled system error", g.output, re.M), g.output)
    expect("the rest is there", (g.process.returncode, file["status"], len(file["links"])) == (1, "complete", 3), g.output)


def limits():
    g = Gatherer("limits", "pgemm", "--passes", "1", "--time-limit", "4", "--shape", "9999x9999x9999")
    for r in range(4):
        Rank(g, r, 4, link=[0.6, "link 1 1e-6 1e-6 1e-6"])
    file = g.ended()
    expect("a limit holds for links and products", g.seconds < 6, g.seconds)
    expect("what is missing is said", file["status"] == "out of time: 1 of 3 cases, without all links, without all products", file["status"])
    expect("what was measured is kept", 0 < len(file["links"]) < 6, file["links"])


def interrupted():
    g = Gatherer("interrupted", "pgemm", "--passes", "1", "--no-links", "--type", "f64", "--shape", "64x64x64")
    lines = ["pgemm engine made up", "pgemm variant abax|here|same|4", "pgemm variant Netlib|there|same|4"]
    samples = [f"pgemm sample {v} {1e-3 * (1 + v)}" for _ in range(3) for v in (0, 1)] + ["pgemm sample 0 1e-3"]
    Rank(g, 0, 2, pgemm=[*lines, *samples, 0.2, "interrupted 15"])
    Rank(g, 1, 2, pgemm=[])
    file = g.ended()
    expect("the status is the signal's", g.process.returncode == 143, g.output)
    expect("the file says so", file["status"].startswith("interrupted: "), file["status"])
    product = [c for c in file["cases"] if c["kernel"] == "pgemm"]
    expect("the product's samples are kept", [len(v["samples"]) for c in product for v in c["variants"]] == [3, 3], product)
    read = subprocess.run([program, "compare", g.file, g.file], capture_output=True, text=True)
    expect("other commands read it", read.returncode == 0, read.stderr)


for part in (strangers, nccl, limits, interrupted):
    part()
print(f"{len(failures)} not as expected")
sys.exit(1 if failures else 0)
