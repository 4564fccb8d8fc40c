# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels' Python signatures."""

from ._library import call
from ._operands import operand, require_alike, require_extent


def _op(matrix, transposed):
    rows, cols = matrix.shape
    return (cols, rows) if transposed else (rows, cols)


def _letter(transposed):
    return b"T" if transposed else b"N"


def gemm(A, B, out, alpha=1.0, beta=0.0, transpose_a=False, transpose_b=False):
    """out <- alpha op(A) op(B) + beta out, op(X) being X or, where asked for, its transpose.

    Shapes: op(A) (m, k), op(B) (k, n), out (m, n). beta = 0 does not read `out`. Returns `out`.
    Raises InvalidArgument where extents, types or memories disagree, or `out` shares memory with A or B.
    """
    a = operand("gemm", "A", A, 2)
    b = operand("gemm", "B", B, 2)
    c = operand("gemm", "out", out, 2, writable=True)
    require_alike("gemm", {"out": c, "A": a, "B": b})
    (m, k), (other_k, n) = _op(a, transpose_a), _op(b, transpose_b)
    require_extent("gemm", "extent 0 of op(A)", m, "extent 0 of out", c.shape[0])
    require_extent("gemm", "extent 1 of op(A)", k, "extent 0 of op(B)", other_k)
    require_extent("gemm", "extent 1 of op(B)", n, "extent 1 of out", c.shape[1])
    call(c.place, "gemm", c.letter, _letter(transpose_a), _letter(transpose_b), m, n, k, alpha, a.address, *a.strides,
         b.address, *b.strides, beta, c.address, *c.strides)
    return out


def gemv(A, x, out, alpha=1.0, beta=0.0, transpose=False):
    """out <- alpha op(A) x + beta out.

    Shapes: op(A) (m, k), x (k,), out (m,). beta = 0 does not read `out`. Returns `out`.
    Raises InvalidArgument where extents, types or memories disagree, or `out` shares memory with A or x.
    """
    a = operand("gemv", "A", A, 2)
    v = operand("gemv", "x", x, 1)
    y = operand("gemv", "out", out, 1, writable=True)
    require_alike("gemv", {"out": y, "A": a, "x": v})
    m, k = _op(a, transpose)
    require_extent("gemv", "extent 0 of op(A)", m, "the extent of out", y.shape[0])
    require_extent("gemv", "extent 1 of op(A)", k, "the extent of x", v.shape[0])
    call(y.place, "gemv", y.letter, _letter(transpose), *a.shape, alpha, a.address, *a.strides, v.address, *v.strides,
         beta, y.address, *y.strides)
    return out


def transpose(A, out):
    """out <- A^T, bits untouched.

    Shapes: A (m, n), out (n, m). Returns `out`.
    Raises InvalidArgument where extents, types or memories disagree, or `out` shares memory with A.
    """
    a = operand("transpose", "A", A, 2)
    b = operand("transpose", "out", out, 2, writable=True)
    require_alike("transpose", {"out": b, "A": a})
    require_extent("transpose", "extent 0 of A", a.shape[0], "extent 1 of out", b.shape[1])
    require_extent("transpose", "extent 1 of A", a.shape[1], "extent 0 of out", b.shape[0])
    call(b.place, "transpose", b.letter, *a.shape, a.address, *a.strides, b.address, *b.strides)
    return out
