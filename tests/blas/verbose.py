# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ABAX_VERBOSE=1 prints: verbose.py LIBRARY host|device."""

import ctypes
import os
import re
import subprocess
import sys
import threading

NUMBER = r"\d+\.\d{3}"
LIBRARY_LINE = r"ABAX_VERBOSE Abax \d+\.\d+\.\d+, canon \d+; host \w+(; device \d+ .+)?"
SHAPE = "m=8,n=8,k=8,alpha=1,lda=8,ldb=8,beta=0,ldc=8"
COL_MAJOR, ROW_MAJOR, NO_TRANS, TRANS, CONJ_TRANS, UPPER = 102, 101, 111, 112, 113, 121


class Library:
    """The library, and calls of its routines as Fortran has them."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.abax_message.restype = ctypes.c_char_p
        self.library.ddot_.restype = ctypes.c_double

    def __getattr__(self, name):
        return getattr(self.library, name)

    def fortran(self, name, *arguments, integer=ctypes.c_int32, real=ctypes.c_double, elements=64):
        """Numbers by address; a text is one character, and None an operand of so many elements."""
        kinds = {int: integer, float: real, str: lambda text: ctypes.c_char(text.encode()),
                 complex: lambda number: (real * 2)(number.real, number.imag)}
        given = [(real * elements)() if a is None else ctypes.byref(kinds[type(a)](a)) for a in arguments]
        getattr(self.library, name)(*given)


def gemm(library, name="dgemm_", **kinds):
    library.fortran(name, "N", "N", 8, 8, 8, 1.0, None, 8, None, 8, 0.0, None, 8, **kinds)


def host_calls(library):
    gemm(library)
    gemm(library, "sgemm_64_", integer=ctypes.c_int64, real=ctypes.c_float)
    library.fortran("dgemm_", "T", "n", 300, 300, 300, 0.5, None, 301, None, 302, -2.0, None, 303, elements=303 * 300)
    library.fortran("dgemmtr_", "L", "N", "T", 8, 7, 1.0, None, 8, None, 8, 0.0, None, 8)
    library.fortran("dsyrk_", "u", "T", 300, 300, 0.5, None, 301, -2.0, None, 303, elements=303 * 300)
    library.fortran("dgemv_", "N", 3, 5, 1.0, None, 4, None, -2, 0.0, None, 1)
    library.fortran("ddot_", 9, None, 1, None, 2)
    for name in ("dnrm2_", "dasum_", "idamax_"):
        library.fortran(name, 9, None, 2)
    library.fortran("daxpy_", 9, 1.5, None, 1, None, 0)
    library.fortran("dscal_", 9, 0.0, None, 1)
    library.fortran("dscal_", 9, 1.0, None, 1)
    library.fortran("dcopy_", 9, None, 1, None, 1)
    library.fortran("domatcopy_", "R", "T", 70, 90, 2.0, None, 90, None, 71, elements=6390)  # too many to run at once
    library.fortran("dgemm_", "N", "N", 8, -1, 8, 1.0, None, 8, None, 8, 0.0, None, 8)  # has no line of its own
    library.fortran("zherk_", "U", "C", 8, 7, 0.5, None, 8, 0.0, None, 8, elements=128)
    library.fortran("zscal_", 9, 0.5 - 2j, None, 1)
    library.fortran("zdscal_", 9, 0.5, None, 2)
    x, one = (ctypes.c_double * 64)(), ctypes.c_double(1)
    library.cblas_zgemm(ROW_MAJOR, CONJ_TRANS, NO_TRANS, 3, 5, 2, x, x, 3, x, 5, (ctypes.c_double * 2)(0, -1), x, 6)
    library.cblas_zdotc_sub(9, x, 1, x, 2, (ctypes.c_double * 2)())
    long = ctypes.c_int64
    library.cblas_dgemm_64(ROW_MAJOR, TRANS, NO_TRANS, long(3), long(5), long(2), one, x, long(3), x, long(5), one, x,
                           long(6))
    library.cblas_idamax_64(long(0), x, long(1))
    library.cblas_dgemv(COL_MAJOR, TRANS, 3, 5, one, x, 4, x, 1, one, x, 1)
    library.cblas_dsyrk(ROW_MAJOR, UPPER, TRANS, 3, 2, one, x, 3, one, (ctypes.c_double * 9)(), 3)
    y = (ctypes.c_double * 64)()
    library.cblas_dgemm_batch_strided(ROW_MAJOR, TRANS, NO_TRANS, 3, 5, 2, one, x, 3, 0, x, 5, 10, one, y, 6, 20, 3)
    stream = ctypes.c_void_p()
    assert library.abax_open(0, None, 0, ctypes.byref(stream)) == 0
    assert library.abax_dtriad(stream, long(3), one, x, long(1), x, long(2), y, long(0)) == 1
    assert library.abax_dtriad(stream, long(3), one, x, long(1), x, long(2), y, long(4)) == 0
    assert library.abax_dsum(stream, long(3), x, long(2), y) == 0
    assert library.abax_dgemv(stream, ctypes.c_char(b"N"), long(2), long(3), ctypes.c_double(0), None, long(1), long(2),
                              None, long(1), ctypes.c_double(0.25), y, long(1)) == 0
    assert library.abax_fence(stream) == 0
    library.abax_close(stream)


def on_host(row, threads=r"1"):
    return rf' host threads={threads} row="{row}" us={NUMBER}'


HOST_LINES = [
    re.escape(f"dgemm_(transA=N,transB=N,{SHAPE})") + on_host(r"\w+"),
    re.escape(f"sgemm_64_(transA=N,transB=N,{SHAPE})") + on_host(r"\w+"),
    re.escape("dgemm_(transA=T,transB=n,m=300,n=300,k=300,alpha=0.5,lda=301,ldb=302,beta=-2,ldc=303)")
    + on_host(".+", "2"),
    re.escape("dgemmtr_(uplo=L,transA=N,transB=T,n=8,k=7,alpha=1,lda=8,ldb=8,beta=0,ldc=8)") + on_host(r"\w+"),
    re.escape("dsyrk_(uplo=u,trans=T,n=300,k=300,alpha=0.5,lda=301,beta=-2,ldc=303)") + on_host(".+", "2"),
    re.escape("dgemv_(trans=N,m=3,n=5,alpha=1,lda=4,incx=-2,beta=0,incy=1)") + on_host(".+"),
    re.escape("ddot_(n=9,incx=1,incy=2)") + on_host("immediate"),
    re.escape("dnrm2_(n=9,incx=2)") + on_host("immediate"),
    re.escape("dasum_(n=9,incx=2)") + on_host("immediate"),
    re.escape("idamax_(n=9,incx=2)") + on_host("immediate"),
    re.escape("daxpy_(n=9,alpha=1.5,incx=1,incy=0)") + on_host("loop"),
    re.escape("dscal_(n=9,alpha=0,incx=1)") + on_host("loop"),
    re.escape("dscal_(n=9,alpha=1,incx=1)") + on_host(""),
    re.escape("dcopy_(n=9,incx=1,incy=1)") + on_host(".+"),
    re.escape("domatcopy_(order=R,trans=T,rows=70,cols=90,alpha=2,lda=90,ldb=71)") + on_host(r"[^+]+\+[^+]+", "2"),
    r" ?\*\* On entry to DGEMM parameter number  4 had an illegal value",
    re.escape("zherk_(uplo=U,trans=C,n=8,k=7,alpha=0.5,lda=8,beta=0,ldc=8)") + on_host(".+"),
    re.escape("zscal_(n=9,alpha=(0.5,-2),incx=1)") + on_host(".+"),
    re.escape("zdscal_(n=9,alpha=0.5,incx=2)") + on_host(".+"),
    re.escape("cblas_zgemm(layout=RowMajor,transA=C,transB=N,m=3,n=5,k=2,alpha=(0,0),lda=3,ldb=5,beta=(0,-1),ldc=6)")
    + on_host(".+"),
    re.escape("cblas_zdotc_sub(n=9,incx=1,incy=2)") + on_host(".+"),
    re.escape("cblas_dgemm_64(layout=RowMajor,transA=T,transB=N,m=3,n=5,k=2,alpha=1,lda=3,ldb=5,beta=1,ldc=6)")
    + on_host(".+"),
    re.escape("cblas_idamax_64(n=0,incx=1)") + on_host(""),
    re.escape("cblas_dgemv(layout=ColMajor,trans=T,m=3,n=5,alpha=1,lda=4,incx=1,beta=1,incy=1)") + on_host(".+"),
    re.escape("cblas_dsyrk(layout=RowMajor,uplo=U,trans=T,n=3,k=2,alpha=1,lda=3,beta=1,ldc=3)") + on_host(".+"),
    re.escape("cblas_dgemm_batch_strided(layout=RowMajor,transA=T,transB=N,m=3,n=5,k=2,alpha=1,lda=3,stridea=0,ldb=5,"
              "strideb=10,beta=1,ldc=6,stridec=20,batch_size=3)") + on_host(".+"),
    re.escape("abax_dtriad(n=3,alpha=1,incx=1,incy=2,incz=0)")
    + rf' host threads=1 row="" failed="invalid argument" us={NUMBER}',
    re.escape("abax_dtriad(n=3,alpha=1,incx=1,incy=2,incz=4)") + on_host(".+"),
    re.escape("abax_dsum(n=3,incx=2)") + on_host("immediate"),
    re.escape("abax_dgemv(trans=N,m=2,n=3,alpha=0,rsA=1,csA=2,incx=1,beta=0.25,incy=1)") + on_host(".+"),
]


def device_calls(library):
    gemm(library)
    library.fortran("ddot_", 9, None, 1, None, 2)
    library.fortran("zgemm_", "C", "N", 8, 8, 8, 1 + 0j, None, 8, None, 8, 0j, None, 8, elements=128)


DEVICE_LINES = [
    re.escape(f"dgemm_(transA=N,transB=N,{SHAPE})") + rf' device=\d+ staged row=".+" us={NUMBER}',
    re.escape("ddot_(n=9,incx=1,incy=2)") + rf' device=\d+ staged row=".+" us={NUMBER}',
    re.escape("zgemm_(transA=C,transB=N,m=8,n=8,k=8,alpha=(1,0),lda=8,ldb=8,beta=(0,0),ldc=8)")
    + rf' device=\d+ staged row=".+" us={NUMBER}',
]


def many_calls(library):
    threads = [threading.Thread(target=lambda: [gemm(library) for _ in range(100)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def word_in_c(library):
    """A word that is unknown: abax.h says so."""
    stream = ctypes.c_void_p()
    assert library.abax_open(0, None, 0, ctypes.byref(stream)) == 0
    x = (ctypes.c_double * 4)()
    assert library.abax_dincrement(stream, ctypes.c_int64(4), ctypes.c_double(1), x, ctypes.c_int64(1)) == 4
    print(library.abax_message(stream).decode(), list(x), file=sys.stderr)


def output_of(path, calls, place, word="1"):
    variables = {**os.environ, "OMP_NUM_THREADS": "2", "ABAX_BLAS_BACKEND": place, "ABAX_VERBOSE": word}
    done = subprocess.run([sys.executable, "-B", __file__, path, calls.__name__], env=variables, capture_output=True,
                          text=True)
    if 'ABAX_BLAS_BACKEND is "device"' in done.stderr:
        sys.exit(f"skipped: {done.stderr}")
    return done.returncode, done.stderr.splitlines()


def require_lines(got, wanted):
    assert re.fullmatch(LIBRARY_LINE, got[0]), got[0]
    for line, pattern in zip(got[1:], wanted):
        assert re.fullmatch("(ABAX_VERBOSE )?" + pattern, line), (line, pattern)
        assert line.startswith("ABAX_VERBOSE ") or "On entry" in line, line
    assert len(got) == 1 + len(wanted), got[1 + len(wanted):]


def main(path, place):
    if place == "device":
        code, lines = output_of(path, device_calls, place)
        assert code == 0, lines
        return require_lines(lines, DEVICE_LINES)
    code, lines = output_of(path, host_calls, place)
    assert code == 0, lines
    require_lines(lines, HOST_LINES)
    code, lines = output_of(path, many_calls, place)
    assert code == 0, lines
    require_lines(lines, [HOST_LINES[0]] * 800)
    for word in ("", "0"):
        assert output_of(path, many_calls, place, word) == (0, [])
    for word in ("2", "yes", "01"):
        code, lines = output_of(path, many_calls, place, word)
        fault = f'ABAX_VERBOSE is "{word}", expected 0 or 1'
        assert code != 0 and set(lines) == {f"abax_blas: {fault}"}, (code, lines)
        assert output_of(path, word_in_c, place, word) == (0, [f"abax: {fault} [0.0, 0.0, 0.0, 0.0]"])


if __name__ == "__main__":
    if sys.argv[2] in ("host", "device"):
        main(*sys.argv[1:])
        print("each call has its line")
    else:
        globals()[sys.argv[2]](Library(sys.argv[1]))
