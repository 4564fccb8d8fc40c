# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debian's NumPy over a preloaded libabax_blas.

preload.py LIBRARY: matmul and vdot have that library's bits. preload.py --linalg: NumPy's own tests of linear algebra
pass. Run with the library in LD_PRELOAD. (PyPI's wheels carry a BLAS under names of its own, which no preload reaches.)
"""

import ctypes
import pathlib
import sys

try:
    import numpy
except ImportError:
    sys.exit(f"skipped: no NumPy for {sys.executable} (Debian: python3-numpy)")


def canonical(gemm, a, b):
    """a b by the library's own cblas_?gemm, which takes complex factors by address."""
    m, k = a.shape
    n = b.shape[1]
    c = numpy.full((m, n), numpy.nan, a.dtype)
    scalar = {"f": ctypes.c_float, "d": ctypes.c_double}.get(a.dtype.char)
    one, zero = (scalar(v) if scalar else numpy.array(v, a.dtype).ctypes for v in (1, 0))
    order, plain = 101, 111
    gemm(order, plain, plain, m, n, k, one, a.ctypes, k, b.ctypes, n, zero, c.ctypes, n)
    return c


def check_bits(library):
    blas = ctypes.CDLL(library)
    random = numpy.random.default_rng(1)
    checked = 0
    for letter, type in zip("sdcz", (numpy.float32, numpy.float64, numpy.complex64, numpy.complex128)):
        gemm = getattr(blas, f"cblas_{letter}gemm")
        gemm.restype = None

        def numbers(*shape):
            parts = random.standard_normal((2, *shape))
            return (parts[0] + 1j * parts[1] if letter in "cz" else parts[0]).astype(type)

        for m, n, k in ((2, 3, 4), (64, 64, 64), (301, 203, 4099), (1000, 10, 100)):
            a, b = numbers(m, k), numbers(k, n)
            if (a @ b).tobytes() != canonical(gemm, a, b).tobytes():
                sys.exit(f"{m} x {n} x {k} in {type.__name__}: matmul does not have libabax_blas' bits")
            checked += 1
        if letter in "cz":
            x, y, result = numbers(4099), numbers(4099), numpy.empty(1, type)
            getattr(blas, f"cblas_{letter}dotc_sub")(4099, x.ctypes, 1, y.ctypes, 1, result.ctypes)
            if numpy.vdot(x, y).tobytes() != result.tobytes():
                sys.exit(f"{type.__name__}: vdot does not have libabax_blas' bits")
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
