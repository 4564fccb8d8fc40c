# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels' Python signatures."""

import ctypes
from numbers import Complex, Real

from ._library import HOST, NORMS, NUMBERS, InvalidArgument, call
from ._operands import new_array, operand, real_part, require_alike, require_complex, require_extent


def _op(matrix, turn):
    rows, cols = matrix.shape
    return (rows, cols) if turn == b"N" else (cols, rows)


def _letter(function, name, value, letters=(b"T", b"N")):
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return letters[0] if value else letters[1]
    except (TypeError, ValueError) as error:  # an array has no truth
        raise InvalidArgument(f"abax.{function}: {name} must be True or False, not {value!r}") from error


def _turn(function, transposed, conjugated, suffix=""):
    """What abax.h takes for op(X)."""
    turn = _letter(function, f"transpose{suffix}", transposed)
    return _letter(function, f"conjugate_transpose{suffix}", conjugated, (b"C", turn))


def _number(function, name, value, letter):
    kind, abstract, words = (complex, Complex, "complex") if letter in "cz" else (float, Real, "real")
    try:
        if isinstance(value, (str, bytes, bytearray)) or isinstance(value, Complex) and not isinstance(value, abstract):
            raise TypeError
        return kind(value)
    except (OverflowError, TypeError, ValueError) as error:
        raise InvalidArgument(f"abax.{function}: {name} must be a {words} number, not {value!r}") from error


def _factors(function, alpha, beta, letter):
    return _number(function, "alpha", alpha, letter), _number(function, "beta", beta, letter)


def _result(function, out, shape, beta, inputs):
    """`out`, or a new array of `shape`; and it as an operand."""
    if out is None:
        if beta != 0:
            raise InvalidArgument(f"abax.{function}: beta is {beta}, but there is no out for it to multiply")
        out = new_array(function, shape, inputs)
    (name, (first, _)), *_ = inputs.items()
    result = operand(function, "out", out, len(shape), writable=True, letters="i" if first.letter == "i" else "sdcz")
    require_alike(function, {"out": result, name: first})
    return out, result


class _Items:
    """An operand of a batch whose items have that rank: how many there are (None: one for all), and the strides from
    one to the next and within one."""

    def __init__(self, one, rank):
        self.count = one.shape[0] if len(one.shape) > rank else None
        self.shape = one.shape[-rank:]
        self.strides = one.strides if len(one.shape) > rank else (0, *one.strides)
        self.address = one.address


def _count(function, out, operands):
    """How many items they have. None where all are shared and `out` says it."""
    counts = [(name, items.count) for name, items in operands.items() if items.count is not None]
    if not counts and out is None:
        raise InvalidArgument(f"abax.{function}: out must be given where all items share {' and '.join(operands)}")
    for name, count in counts[1:]:
        require_extent(function, f"extent 0 of {counts[0][0]}", counts[0][1], f"extent 0 of {name}", count)
    return counts[0][1] if counts else None


def _require_items(function, count, result):
    """`out` has as many."""
    if count is not None:
        require_extent(function, "the number of items", count, "extent 0 of out", result.shape[0])


_EXTENTS_OF_A = {"m": "extent 0 of A", "n": "extent 1 of A"}


def gemm(A, B, out=None, alpha=1.0, beta=0.0, transpose_a=False, transpose_b=False,
         conjugate_transpose_a=False, conjugate_transpose_b=False):
    """out <- alpha op(A) op(B) + beta out, op(X) being X or, where asked for, its transpose or conjugate transpose
    (which of real arrays is the transpose).

    Shapes: op(A) (m, k), op(B) (k, n), out (m, n). beta = 0 does not read `out`. Returns `out`, or a new array.
    Raises InvalidArgument where extents, types or memories disagree, or `out` shares memory with A or B.
    """
    a = operand("gemm", "A", A, 2)
    b = operand("gemm", "B", B, 2)
    turn_a = _turn("gemm", transpose_a, conjugate_transpose_a, "_a")
    turn_b = _turn("gemm", transpose_b, conjugate_transpose_b, "_b")
    alpha, beta = _factors("gemm", alpha, beta, a.letter)
    require_alike("gemm", {"A": a, "B": b})
    (m, k), (other_k, n) = _op(a, turn_a), _op(b, turn_b)
    require_extent("gemm", "extent 1 of op(A)", k, "extent 0 of op(B)", other_k)
    out, c = _result("gemm", out, (m, n), beta, {"A": (a, A), "B": (b, B)})
    require_extent("gemm", "extent 0 of op(A)", m, "extent 0 of out", c.shape[0])
    require_extent("gemm", "extent 1 of op(B)", n, "extent 1 of out", c.shape[1])
    names = {"C": "out", "m": "extent 0 of op(A)", "n": "extent 1 of op(B)", "k": "extent 1 of op(A)"}
    call(c.place, "gemm", c.letter, names, turn_a, turn_b, m, n, k, alpha, a.address, *a.strides, b.address,
         *b.strides, beta, c.address, *c.strides)
    return out


def gemm_batched(A, B, out=None, alpha=1.0, beta=0.0, transpose_a=False, transpose_b=False,
                 conjugate_transpose_a=False, conjugate_transpose_b=False):
    """out[i] <- alpha op(A[i]) op(B[i]) + beta out[i] for every item i, with the bits of gemm.

    Shapes: op(A[i]) (m, k), op(B[i]) (k, n), out (items, m, n). A or B of rank 2 is one matrix for all items; where
    both are, `out` must be given. All else as in gemm.
    """
    a_all = operand("gemm_batched", "A", A, 2, 3)
    b_all = operand("gemm_batched", "B", B, 2, 3)
    turn_a = _turn("gemm_batched", transpose_a, conjugate_transpose_a, "_a")
    turn_b = _turn("gemm_batched", transpose_b, conjugate_transpose_b, "_b")
    alpha, beta = _factors("gemm_batched", alpha, beta, a_all.letter)
    require_alike("gemm_batched", {"A": a_all, "B": b_all})
    a, b = _Items(a_all, 2), _Items(b_all, 2)
    (m, k), (other_k, n) = _op(a, turn_a), _op(b, turn_b)
    require_extent("gemm_batched", "extent 1 of an item of op(A)", k, "extent 0 of one of op(B)", other_k)
    items = _count("gemm_batched", out, {"A": a, "B": b})
    out, c = _result("gemm_batched", out, (items, m, n), beta, {"A": (a_all, A), "B": (b_all, B)})
    _require_items("gemm_batched", items, c)
    require_extent("gemm_batched", "extent 0 of an item of op(A)", m, "extent 1 of out", c.shape[1])
    require_extent("gemm_batched", "extent 1 of an item of op(B)", n, "extent 2 of out", c.shape[2])
    names = {"C": "out", "items": "extent 0 of out", "m": "extent 1 of out", "n": "extent 2 of out",
             "k": "extent 1 of an item of op(A)"}
    call(c.place, "gemm_batched", c.letter, names, turn_a, turn_b, c.shape[0], m, n, k, alpha, a.address, *a.strides,
         b.address, *b.strides, beta, c.address, *c.strides)
    return out


def gemmt(A, B, out=None, alpha=1.0, beta=0.0, transpose_a=False, transpose_b=False, lower=True,
          conjugate_transpose_a=False, conjugate_transpose_b=False):
    """One triangle of out <- alpha op(A) op(B) + beta out, lower or upper: gemm's bits at half its work.

    Shapes: op(A) (n, k), op(B) (k, n), out (n, n). The other triangle is neither read nor written; in a new array it is
    zero. beta = 0 does not read `out`. Returns `out`, or a new array.
    Raises InvalidArgument where extents, types or memories disagree, or `out` shares memory with A or B.
    """
    a = operand("gemmt", "A", A, 2)
    b = operand("gemmt", "B", B, 2)
    turn_a = _turn("gemmt", transpose_a, conjugate_transpose_a, "_a")
    turn_b = _turn("gemmt", transpose_b, conjugate_transpose_b, "_b")
    uplo = _letter("gemmt", "lower", lower, (b"L", b"U"))
    alpha, beta = _factors("gemmt", alpha, beta, a.letter)
    require_alike("gemmt", {"A": a, "B": b})
    (n, k), (other_k, other_n) = _op(a, turn_a), _op(b, turn_b)
    require_extent("gemmt", "extent 1 of op(A)", k, "extent 0 of op(B)", other_k)
    require_extent("gemmt", "extent 0 of op(A)", n, "extent 1 of op(B)", other_n)
    out, c = _result("gemmt", out, (n, n), beta, {"A": (a, A), "B": (b, B)})
    require_extent("gemmt", "extent 0 of op(A)", n, "extent 0 of out", c.shape[0])
    require_extent("gemmt", "extent 1 of op(B)", n, "extent 1 of out", c.shape[1])
    names = {"C": "out", "n": "extent 0 of op(A)", "k": "extent 1 of op(A)"}
    call(c.place, "gemmt", c.letter, names, uplo, turn_a, turn_b, n, k, alpha, a.address, *a.strides, b.address,
         *b.strides, beta, c.address, *c.strides)
    return out


def syrk(A, out=None, alpha=1.0, beta=0.0, transpose=False, lower=True):
    """One triangle of out <- alpha op(A) op(A)^T + beta out: A A^T, or A^T A where `transpose` asks for it.

    Shapes: op(A) (n, k), out (n, n). All else as in gemmt.
    """
    a = operand("syrk", "A", A, 2)
    return _rank_k("syrk", A, a, out, _factors("syrk", alpha, beta, a.letter), _letter("syrk", "transpose", transpose),
                   lower)


def herk(A, out=None, alpha=1.0, beta=0.0, conjugate_transpose=False, lower=True):
    """One triangle of out <- alpha op(A) op(A)^H + beta out, of complex arrays, alpha and beta real: A A^H, or A^H A
    where `conjugate_transpose` asks for it. The diagonal becomes real.

    Shapes: op(A) (n, k), out (n, n). All else as in gemmt.
    """
    a = operand("herk", "A", A, 2)
    require_complex("herk", "A", a)
    return _rank_k("herk", A, a, out, _factors("herk", alpha, beta, real_part(a).letter),
                   _letter("herk", "conjugate_transpose", conjugate_transpose, (b"C", b"N")), lower)


def _rank_k(function, A, a, out, factors, turn, lower):
    uplo = _letter(function, "lower", lower, (b"L", b"U"))
    alpha, beta = factors
    n, k = _op(a, turn)
    out, c = _result(function, out, (n, n), beta, {"A": (a, A)})
    require_extent(function, "extent 0 of op(A)", n, "extent 0 of out", c.shape[0])
    require_extent(function, "extent 0 of op(A)", n, "extent 1 of out", c.shape[1])
    names = {"C": "out", "n": "extent 0 of op(A)", "k": "extent 1 of op(A)"}
    call(c.place, function, c.letter, names, uplo, turn, n, k, alpha, a.address, *a.strides, beta, c.address,
         *c.strides)
    return out


def gemv(A, x, out=None, alpha=1.0, beta=0.0, transpose=False, conjugate_transpose=False):
    """out <- alpha op(A) x + beta out.

    Shapes: op(A) (m, k), x (k,), out (m,). beta = 0 does not read `out`. Returns `out`, or a new array.
    Raises InvalidArgument where extents, types or memories disagree, or `out` shares memory with A or x.
    """
    a = operand("gemv", "A", A, 2)
    v = operand("gemv", "x", x, 1)
    turn = _turn("gemv", transpose, conjugate_transpose)
    alpha, beta = _factors("gemv", alpha, beta, a.letter)
    require_alike("gemv", {"A": a, "x": v})
    m, k = _op(a, turn)
    require_extent("gemv", "extent 1 of op(A)", k, "the extent of x", v.shape[0])
    out, y = _result("gemv", out, (m,), beta, {"A": (a, A), "x": (v, x)})
    require_extent("gemv", "extent 0 of op(A)", m, "the extent of out", y.shape[0])
    names = {"y": "out", **_EXTENTS_OF_A}
    call(y.place, "gemv", y.letter, names, turn, *a.shape, alpha, a.address, *a.strides, v.address, *v.strides, beta,
         y.address, *y.strides)
    return out


def gemv_batched(A, x, out=None, alpha=1.0, beta=0.0, transpose=False, conjugate_transpose=False):
    """out[i] <- alpha op(A[i]) x[i] + beta out[i] for every item i, with the bits of gemv.

    Shapes: op(A[i]) (m, k), x (items, k), out (items, m). A of rank 2 or x of rank 1 is one for all items; where both
    are, `out` must be given. All else as in gemv.
    """
    a_all = operand("gemv_batched", "A", A, 2, 3)
    v_all = operand("gemv_batched", "x", x, 1, 2)
    turn = _turn("gemv_batched", transpose, conjugate_transpose)
    alpha, beta = _factors("gemv_batched", alpha, beta, a_all.letter)
    require_alike("gemv_batched", {"A": a_all, "x": v_all})
    a, v = _Items(a_all, 2), _Items(v_all, 1)
    m, k = _op(a, turn)
    require_extent("gemv_batched", "extent 1 of an item of op(A)", k, "the extent of one of x", v.shape[0])
    items = _count("gemv_batched", out, {"A": a, "x": v})
    out, y = _result("gemv_batched", out, (items, m), beta, {"A": (a_all, A), "x": (v_all, x)})
    _require_items("gemv_batched", items, y)
    require_extent("gemv_batched", "extent 0 of an item of op(A)", m, "extent 1 of out", y.shape[1])
    names = {"y": "out", "items": "extent 0 of out", "m": "extent 0 of an item of A", "n": "extent 1 of an item of A"}
    call(y.place, "gemv_batched", y.letter, names, turn, y.shape[0], *a.shape, alpha, a.address, *a.strides, v.address,
         *v.strides, beta, y.address, *y.strides)
    return out


def dot(x, y, out=None):
    """The sum of x_i y_i, no element conjugated: a float or a complex number; or out <- that sum.

    Shapes: x and y (n,), out (). Returns `out`, if there is one; on a GPU it must be given.
    Raises InvalidArgument where extents, types or memories disagree, or `out` is an element of x or y.
    """
    return _dot("dot", "dotu", x, y, out)


def dotc(x, y, out=None):
    """The sum of conj(x_i) y_i, which of real arrays is dot's. As dot."""
    return _dot("dotc", "dotc", x, y, out)


def _dot(function, of_complex, x, y, out):
    v = operand(function, "x", x, 1)
    w = operand(function, "y", y, 1)
    require_alike(function, {"x": v, "y": w})
    require_extent(function, "the extent of x", v.shape[0], "the extent of y", w.shape[0])
    if out is None and v.place == HOST:
        result = NUMBERS[v.letter]()
        address = ctypes.addressof(result)
    else:
        out, r = _result(function, out, (), 0, {"x": (v, x), "y": (w, y)})
        address = r.address
    names = {"result": "out", "n": "the extent of x", "dot": function}
    call(v.place, of_complex if v.letter in "cz" else "dot", v.letter, names, v.shape[0], v.address, *v.strides,
         w.address, *w.strides, address)
    return result.value if out is None else out


def _reduce(function, x, v, out):
    """`v`: x as an operand. The result is real."""
    real = real_part(v)
    if out is None and v.place == HOST:
        result = NUMBERS[real.letter]()
        address = ctypes.addressof(result)
    else:
        out, r = _result(function, out, (), 0, {"x": (real, x)})
        address = r.address
    names = {"result": "out", "n": "the extent of x"}
    call(v.place, function, NORMS[v.letter], names, v.shape[0], v.address, *v.strides, address)
    return result.value if out is None else out


def nrm2(x, out=None):
    """The square root of the sum of |x_i|^2, which nothing overflows: a float; or out <- that root.

    Shapes: x (n,), out (), which is real. Returns `out`, if there is one; on a GPU it must be given.
    Raises InvalidArgument where types or memories disagree, or `out` is an element of x.
    """
    return _reduce("nrm2", x, operand("nrm2", "x", x, 1), out)


def asum(x, out=None):
    """The sum of |x_i|, of complex arrays of |Re x_i| + |Im x_i|: a float; or out <- that sum. As nrm2."""
    return _reduce("asum", x, operand("asum", "x", x, 1), out)


def sum(x, out=None):
    """The sum of x_i, which are real: a float; or out <- that sum. As nrm2."""
    v = operand("sum", "x", x, 1)
    require_complex("sum", "x", v, wanted=False)
    return _reduce("sum", x, v, out)


def iamax(x):
    """The lowest index of an element of largest magnitude (as asum has it), or of the first NaN; -1 without elements.

    Shapes: x (n,), in host memory. Raises InvalidArgument where it is not.
    """
    v = operand("iamax", "x", x, 1)
    if v.place != HOST:
        raise InvalidArgument("abax.iamax: x is in a GPU's memory, expected the host's")
    result = ctypes.c_int64()
    names = {"n": "the extent of x"}
    call(v.place, "amax", "i" + v.letter, names, v.shape[0], v.address, *v.strides, ctypes.addressof(result))
    return result.value


def transpose(A, out=None):
    """out <- A^T, bits untouched.

    Shapes: A (m, n), out (n, m). Returns `out`, or a new array.
    Raises InvalidArgument where extents, types or memories disagree, or `out` shares memory with A.
    """
    return _transpose("transpose", A, out)


def conjugate_transpose(A, out=None):
    """out <- A^H, which of real arrays is A^T. As transpose."""
    return _transpose("conjugate_transpose", A, out)


def _transpose(function, A, out):
    a = operand(function, "A", A, 2)
    out, b = _result(function, out, a.shape[::-1], 0, {"A": (a, A)})
    require_extent(function, "extent 0 of A", a.shape[0], "extent 1 of out", b.shape[1])
    require_extent(function, "extent 1 of A", a.shape[1], "extent 0 of out", b.shape[0])
    names = {"B": "out", "transpose": function, **_EXTENTS_OF_A}
    call(b.place, function if b.letter in "cz" else "transpose", b.letter, names, *a.shape, a.address, *a.strides,
         b.address, *b.strides)
    return out
