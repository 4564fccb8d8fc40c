# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python signatures of products by way of integers, and of products of bytes."""

import ctypes
import operator
from dataclasses import replace

from ._kernels import _EXTENTS_OF_A, _factors, _letter, _op, _result, _turn
from ._library import VERIFY_PRODUCTS, InvalidArgument, Prepared, call
from ._operands import operand, require_alike, require_extent


def _whole(function, name, value, least, most):
    try:
        number = operator.index(value)
        if not least <= number <= most:
            raise TypeError
        return number
    except TypeError as error:
        words = f"abax.{function}: {name} must be a whole number from {least} to {most}, not {value!r}"
        raise InvalidArgument(words) from error


def _bits(function, bits):
    return 0 if bits is None else _whole(function, "bits", bits, 1, 2**31 - 1)


class IntegerOperand:
    """op(A) in integers, as the left or the right operand of gemm_integer, which takes this in A's or B's place: made
    once for many products, whose bits stay the same. op(A) is A or, where asked for, its transpose or conjugate
    transpose (which of a real A is the transpose); bits as in gemm_integer.

    A is kept, and must stay as it is. `with` or close() frees what was made, which takes 8 to 11 bytes an element of
    float32 and 14 to 20 of float64, twice as many of complex numbers on the left and four times on the right; else that
    is freed with the object. Calls of other threads that still use it are none the worse.
    Raises InvalidArgument for an A that is no matrix of such numbers, and for a number of bits that there is not.
    """

    def __init__(self, A, left=True, transpose=False, bits=None, conjugate_transpose=False):
        function = "IntegerOperand"
        a = operand(function, "A", A, 2)
        turn = _turn(function, transpose, conjugate_transpose)
        side = _letter(function, "left", left, (b"L", b"R"))
        made = Prepared()
        names = {"X": "A", "integer_operand": function, **_EXTENTS_OF_A}
        call(a.place, "integer_operand", a.letter, names, side, turn, *a.shape, a.address, *a.strides,
             _bits(function, bits), ctypes.byref(made.handle))
        self._made, self._array, self._is_left = made, A, side == b"L"
        self._operand = replace(a, shape=_op(a, turn))

    @property
    def shape(self):
        """Of op(A)."""
        return self._operand.shape

    def close(self):
        """Frees what was made; no product can take it any more."""
        self._made = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


class _Factor:
    """An operand of a product by way of integers: op(X) as `shape` and what abax.h takes."""

    def __init__(self, name, X, transposed, conjugated, is_left):
        function, which = "gemm_integer", name.lower()
        self.turn = _turn(function, transposed, conjugated, f"_{which}")
        if isinstance(X, IntegerOperand):
            self.made, self.array, self.operand = X._made, X._array, X._operand
            if self.made is None:
                raise InvalidArgument(f"abax.{function}: {name} is closed")
            if X._is_left != is_left:
                found, wanted = ("left", "right") if X._is_left else ("right", "left")
                raise InvalidArgument(
                    f"abax.{function}: {name} was prepared as the {found} operand, expected the {wanted} one"
                )
            if self.turn != b"N":
                asked = f"{'conjugate_' if self.turn == b'C' else ''}transpose_{which}"
                raise InvalidArgument(f"abax.{function}: {asked} must be False where {name} is prepared")
            self.shape = self.operand.shape
            self.arguments = (None, 0, 0, self.made.handle)
        else:
            self.array, self.operand = X, operand(function, name, X, 2)
            self.shape = _op(self.operand, self.turn)
            self.arguments = (self.operand.address, *self.operand.strides, None)


def gemm_integer(A, B, out=None, alpha=1.0, beta=0.0, transpose_a=False, transpose_b=False, bits=None, workspace=None,
                 verify=False, conjugate_transpose_a=False, conjugate_transpose_b=False):
    """gemm by way of exact integers: each row of op(A) and each column of op(B) is rounded to the grid of its largest
    element, of which `bits` digits count (without: 24 of float32 and complex64, 53 of float64 and complex128; up to 8
    more or fewer), and each sum is rounded once. Complex ones by parts: two sums of twice the terms, and a line's
    largest part.

    A and B may be what is prepared of them (IntegerOperand). `workspace`: the most bytes that the call takes beside its
    operands; without, 2 GiB or more. `verify`: products of integers are checked, and a wrong one raises Failure, after
    which `out` may hold parts of the result. Neither changes a bit. All else as in gemm.
    Raises InvalidArgument also for an operand that is closed, or prepared for the other side or with other bits, and
    Failure where `workspace` does not do.
    """
    function = "gemm_integer"
    a = _Factor("A", A, transpose_a, conjugate_transpose_a, True)
    b = _Factor("B", B, transpose_b, conjugate_transpose_b, False)
    alpha, beta = _factors(function, alpha, beta, a.operand.letter)
    digits = _bits(function, bits)
    most = 0 if workspace is None else _whole(function, "workspace", workspace, 1, 2**63 - 1)
    options = _letter(function, "verify", verify, (VERIFY_PRODUCTS, 0))
    require_alike(function, {"A": a.operand, "B": b.operand})
    (m, k), (other_k, n) = a.shape, b.shape
    require_extent(function, "extent 1 of op(A)", k, "extent 0 of op(B)", other_k)
    out, c = _result(function, out, (m, n), beta, {"A": (a.operand, a.array), "B": (b.operand, b.array)})
    require_extent(function, "extent 0 of op(A)", m, "extent 0 of out", c.shape[0])
    require_extent(function, "extent 1 of op(B)", n, "extent 1 of out", c.shape[1])
    names = {"C": "out", "m": "extent 0 of op(A)", "n": "extent 1 of op(B)", "k": "extent 1 of op(A)"}
    call(c.place, "gemm_integer_with", c.letter, names, a.turn, b.turn, m, n, k, alpha, *a.arguments, *b.arguments,
         beta, c.address, *c.strides, digits, most, options)
    return out


def gemm_integer_lost(A, left=True, transpose=False, bits=None, conjugate_transpose=False):
    """How many elements of op(A) lose bits as the left or the right operand of gemm_integer: those off the grid of the
    largest element of their row or column; of complex numbers, how many parts. 0 says that A is multiplied as it is.

    Raises InvalidArgument as IntegerOperand does.
    """
    function = "gemm_integer_lost"
    a = operand(function, "A", A, 2)
    turn = _turn(function, transpose, conjugate_transpose)
    side = _letter(function, "left", left, (b"L", b"R"))
    lost = ctypes.c_int64()
    names = {"X": "A", **_EXTENTS_OF_A}
    call(a.place, function, a.letter, names, side, turn, *a.shape, a.address, *a.strides, _bits(function, bits),
         ctypes.byref(lost))
    return lost.value


def gemm_int8(A, B, out=None, alpha=1, beta=0, transpose_a=False, transpose_b=False):
    """gemm of int8, into int32: out <- alpha op(A) op(B) + beta out in the integers, modulo 2^32; alpha and beta are
    whole numbers that int32 holds. All else as in gemm.
    """
    function = "gemm_int8"
    a = operand(function, "A", A, 2, letters="b")
    b = operand(function, "B", B, 2, letters="b")
    turn_a = _letter(function, "transpose_a", transpose_a)
    turn_b = _letter(function, "transpose_b", transpose_b)
    alpha = _whole(function, "alpha", alpha, -(2**31), 2**31 - 1)
    beta = _whole(function, "beta", beta, -(2**31), 2**31 - 1)
    require_alike(function, {"A": a, "B": b})
    (m, k), (other_k, n) = _op(a, turn_a), _op(b, turn_b)
    require_extent(function, "extent 1 of op(A)", k, "extent 0 of op(B)", other_k)
    out, c = _result(function, out, (m, n), beta, {"A": (replace(a, letter="i"), A), "B": (b, B)})
    require_extent(function, "extent 0 of op(A)", m, "extent 0 of out", c.shape[0])
    require_extent(function, "extent 1 of op(B)", n, "extent 1 of out", c.shape[1])
    names = {"gemm": function, "C": "out", "m": "extent 0 of op(A)", "n": "extent 1 of op(B)",
             "k": "extent 1 of op(A)"}
    call(c.place, function, "", names, turn_a, turn_b, m, n, k, alpha, a.address, *a.strides, b.address, *b.strides,
         beta, c.address, *c.strides)
    return out
