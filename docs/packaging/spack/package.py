# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Abax as a Spack package: copy to a repository of your own, packages/abax/package.py."""

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Abax(CMakePackage, CudaPackage):
    """Dense kernels on Kokkos team policies and scratch memory, with the same bits on CPU and GPU."""

    # homepage, url or git: where you keep the source, as in
    #   git = "file:///path/to/abax"

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")

    variant("blas", default=True, description="libabax_blas: BLAS, CBLAS and the C interface")
    variant("perf", default=False, description="abax-perf, the performance suite, and abax-lab")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("kokkos@4.7:5 +openmp", type=("build", "link"))
    depends_on("kokkos@4.7:5 +openmp +pic", when="+blas", type=("build", "link"))
    depends_on("catch2@3:", type="test")
    depends_on("cli11@2.1:2", when="+perf", type="build")
    depends_on("nlohmann-json@3.10:3", when="+perf", type="build")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos +cuda +cmake_lang cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
    conflicts("cuda_arch=none", when="+cuda", msg="Name the GPU: Kokkos is built for one")

    def cmake_args(self):
        return [
            self.define_from_variant("ABAX_BLAS", "blas"),
            self.define_from_variant("ABAX_PERF", "perf"),
            self.define("ABAX_TESTS", self.run_tests),
            self.define("ABAX_DOWNLOAD", False),
            self.define_from_variant("Kokkos_ENABLE_CUDA", "cuda"),
        ]
