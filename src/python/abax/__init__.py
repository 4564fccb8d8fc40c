# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dense kernels with the same bits on CPU and GPU: gemm, also by way of integers, gemv, batches of both, gemmt, syrk,
herk, transposes, reductions of arrays where they lie.

An operand is anything that speaks the buffer protocol (NumPy, array.array, memoryview) or DLPack (PyTorch, CuPy, JAX,
NumPy): float32, float64, complex64 or complex128, one type a call, any strides, all in host memory or all on the GPU
that Kokkos chose (the first that the process sees). Results are written into `out`, which is returned; it shares no
memory with an input. When a call returns, its result is there. What cannot be used raises abax.InvalidArgument before
anything is written, with a message that names the argument.

Without `out` the result is a new array in row-major order: NumPy's, if an operand is NumPy's, else a memoryview, which
cannot hold complex numbers. On a GPU `out` must be given.
"""

from ._library import Failure, InvalidArgument, version
from ._integer import IntegerOperand, gemm_int8, gemm_integer, gemm_integer_lost
from ._kernels import (
    asum,
    conjugate_transpose,
    dot,
    dotc,
    gemm,
    gemm_batched,
    gemmt,
    gemv,
    gemv_batched,
    herk,
    iamax,
    nrm2,
    sum,
    syrk,
    transpose,
)

__all__ = [
    "Failure",
    "IntegerOperand",
    "InvalidArgument",
    "asum",
    "conjugate_transpose",
    "dot",
    "dotc",
    "gemm",
    "gemm_batched",
    "gemm_int8",
    "gemm_integer",
    "gemm_integer_lost",
    "gemmt",
    "gemv",
    "gemv_batched",
    "herk",
    "iamax",
    "nrm2",
    "sum",
    "syrk",
    "transpose",
]
__version__ = version()
