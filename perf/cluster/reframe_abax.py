# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""abax-perf as a ReFrame check (ReFrame 4): reframe -c reframe_abax.py -r -S abax_folder=.../build/cuda/perf

References are a site's own: set them with `-S`, in a subclass, or from `reframe --performance-report` of a run that
was looked at. What the check demands without them: the canon's bits on every rank, and no rank that is slow.
"""

import json
import os

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import performance_function, run_after, run_before, sanity_function, variable


@rfm.simple_test
class abax_perf(rfm.RunOnlyRegressionTest):
    descr = "Dense kernels on every GPU or NUMA domain of the nodes, and the links between them"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    abax_folder = variable(str, value="")
    ranks_per_node = variable(int, value=4)
    nodes = variable(int, value=2)
    cpus = variable(int, value=16)
    options = variable(str, value="--quick")

    @run_after("init")
    def prepare(self):
        self.num_tasks = self.nodes * self.ranks_per_node
        self.num_tasks_per_node = self.ranks_per_node
        self.num_cpus_per_task = self.cpus
        self.exclusive_access = True
        self.time_limit = "30m"
        self.env_vars = {"OMP_NUM_THREADS": str(self.cpus), "OMP_PROC_BIND": "spread", "OMP_PLACES": "cores"}
        self.executable = os.path.join(self.abax_folder, "abax-perf")
        self.executable_opts = ["run", *self.options.split(), "--json", "abax.json"]
        self.keep_files = ["abax.json"]

    def result(self):
        with open(os.path.join(self.stagedir, "abax.json")) as file:
            return json.load(file)

    @sanity_function
    def bits_and_ranks(self):
        file = self.result()
        return sn.all(
            [
                sn.assert_eq(file["status"], "complete"),
                sn.assert_eq(file["failures"], [], msg="ranks failed: {0}"),
                sn.assert_eq(file["slow"], [], msg="ranks are slow: {0}"),
                sn.assert_true(all(case["bits"] == "same" for case in file["cases"]), msg="wrong bits"),
            ]
        )

    @run_before("performance")
    def rates_of_cases(self):
        """Each case's rate at the median rank, and the slowest link of each kind."""
        file = self.result()
        for case in file["cases"]:
            name = "_".join([case["kernel"], case["type"], case["shape"], case["backend"]]).replace(" ", "")
            rate = case["amount"] / case["variants"][0]["median"] * 1e-9
            unit = "GFLOP/s" if case["unit"] == "FLOP" else "GB/s"
            self.perf_variables[name] = sn.make_performance_function(sn.defer(rate), unit)
        for by in sorted({link["by"] for link in file["links"]}):
            slowest = min(link["rate"] for link in file["links"] if link["by"] == by) * 1e-9
            self.perf_variables[f"slowest_link_{by}"] = sn.make_performance_function(sn.defer(slowest), "GB/s")

    @performance_function("ranks")
    def ranks(self):
        return len(self.result()["ranks"])
