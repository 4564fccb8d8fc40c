# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debian's NumPy over a preloaded libabax_blas.

preload.py LIBRARY: matmul has that library's bits. preload.py --linalg: NumPy's own tests of linear algebra pass.
Run with the library in LD_PRELOAD. (PyPI's wheels carry a BLAS under names of its own, which no preload reaches.)
"""

import ctypes
import pathlib
import sys

try:
    import numpy
except ImportError:
    sys.exit(f"skipped: no NumPy for {sys.executable} (Debian: python3-numpy)")


def canonical(gemm, scalar, a, b):
    """a b by the library's own cblas_?gemm."""
    m, k = a.shape
    n = b.shape[1]
    c = numpy.full((m, n), numpy.nan, a.dtype)
    order, plain = 101, 111
    gemm(order, plain, plain, m, n, k, scalar(1), a.ctypes, k, b.ctypes, n, scalar(0), c.ctypes, n)
    return c


def check_bits(library):
    blas = ctypes.CDLL(library)
    random = numpy.random.default_rng(1)
    checked = 0
    types = (numpy.float32, ctypes.c_float, "cblas_sgemm"), (numpy.float64, ctypes.c_double, "cblas_dgemm")
    for type, scalar, name in types:
        gemm = getattr(blas, name)
        gemm.restype = None
        for m, n, k in ((2, 3, 4), (64, 64, 64), (301, 203, 4099), (1000, 10, 100)):
            a = random.standard_normal((m, k)).astype(type)
            b = random.standard_normal((k, n)).astype(type)
            if (a @ b).tobytes() != canonical(gemm, scalar, a, b).tobytes():
                sys.exit(f"{m} x {n} x {k} in {type.__name__}: matmul does not have libabax_blas' bits")
            checked += 1
    print(f"{checked} products have libabax_blas' bits")


def run_linalg_tests():
    if "libabax_blas" not in pathlib.Path("/proc/self/maps").read_text():
        sys.exit("libabax_blas is not preloaded")
    try:
        import hypothesis  # noqa: F401, which NumPy's tests are configured with
        import pytest
    except ImportError as missing:
        sys.exit(f"skipped: {missing} (Debian: python3-pytest, python3-hypothesis)")


    class Skipped:
        """Tests that found another's xerbla_ in the place of NumPy's own."""

        reports = []

        def pytest_runtest_logreport(self, report):
            if report.skipped and "xerbla" in str(report.longrepr):
                self.reports.append(report.nodeid)

    status = pytest.main(["--pyargs", "numpy.linalg", "-q", "-p", "no:cacheprovider"], plugins=[Skipped()])
    sys.exit(f"skipped for its xerbla_: {Skipped.reports}" * bool(Skipped.reports) or status)


if __name__ == "__main__":
    if sys.argv[1] == "--linalg":
        run_linalg_tests()
    else:
        check_bits(sys.argv[1])
