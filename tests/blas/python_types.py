# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What mypy --strict says to a program that uses the Python module: nothing where it is right, an error in each line
that is marked, for a mark without an error is one itself."""

from array import array

import numpy
from numpy.typing import NDArray

import abax

A = numpy.ones((3, 4))
x = memoryview(array("d", range(4)))
C: NDArray[numpy.float64] = abax.gemm(A, A, numpy.empty((3, 3)), alpha=2, transpose_b=True)
many: NDArray[numpy.float64] = abax.gemm_batched(numpy.ones((2, 3, 4)), A, numpy.empty((2, 3, 3)), transpose_b=True)
y: memoryview = abax.gemv(A, x, memoryview(array("d", [0] * 3)), beta=numpy.float32(0))
s: float = abax.dot(array("d", range(4)), array("d", range(4)))
either: complex = abax.dotc(x, x)
Z: NDArray[numpy.complex64] = numpy.ones((3, 4), numpy.complex64)
W: NDArray[numpy.complex64] = abax.gemm(Z, Z, numpy.empty((3, 3), Z.dtype), alpha=1j, conjugate_transpose_b=True)
H: NDArray[numpy.complex64] = abax.herk(Z, W, alpha=numpy.float32(2))
turned: NDArray[numpy.complex64] = abax.conjugate_transpose(Z)
there: NDArray[numpy.float64] = abax.dot(x, x, numpy.empty(()))
new: NDArray[numpy.float64] = abax.transpose(A)
version: str = abax.__version__
try:
    abax.gemm(A, A)
except (abax.InvalidArgument, abax.Failure) as error:
    print(error, isinstance(error, ValueError))

with abax.IntegerOperand(A, transpose=True, bits=50) as left:
    rows: int = left.shape[0]
    by_integers: NDArray[numpy.float64] = abax.gemm_integer(left, A, numpy.empty((4, 4)), verify=True)
    right = abax.IntegerOperand(A, left=False)
    either_prepared: NDArray[numpy.float64] = abax.gemm_integer(left, right, workspace=10**6)
lost: int = abax.gemm_integer_lost(x, left=False)
few = array("b", range(4))
sums: memoryview = abax.gemm_int8(few, few, memoryview(array("i", [0])), alpha=2)

abax.gemm(A)  # type: ignore[call-overload]
abax.gemv_batched(A)  # type: ignore[call-overload]
abax.gemm(A, A, transpose_a="N")  # type: ignore[call-overload]
abax.gemm(A, A, alpha="2")  # type: ignore[call-overload]
abax.gemv(A, [1.0, 2.0])  # type: ignore[call-overload]
abax.dot(A, A, transpose=True)  # type: ignore[call-overload]
abax.herk(Z, alpha=1j)  # type: ignore[call-overload]
abax.gemm(left, A)  # type: ignore[call-overload]
abax.gemm_integer(A, A, left)  # type: ignore[call-overload]
abax.gemm_integer(A, A, alpha="2")  # type: ignore[call-overload]
abax.gemm_integer(A, A, bits=1.5)  # type: ignore[call-overload]
abax.gemm_int8(few, few, alpha=1.5)  # type: ignore[call-overload]
abax.IntegerOperand(A, "L")  # type: ignore[arg-type]
abax.axpy(x, x)  # type: ignore[attr-defined]
wrong: memoryview = abax.gemm(A, A, numpy.empty((3, 3)))  # type: ignore[assignment]
number: str = abax.nrm2(x)  # type: ignore[assignment]
