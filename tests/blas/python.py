# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python module, on buffers of Python's own, on DLPack, and on NumPy's arrays where there is NumPy. Whole numbers
throughout, so that every order of summation gives the same result."""

import array
import gc
import inspect
import random
import re
import sys
import threading

import abax

try:
    import numpy
except ImportError:
    numpy = None


def matrix(code, rows, cols, seed):
    numbers = random.Random(seed)
    values = array.array(code, (numbers.randrange(-9, 10) for _ in range(rows * cols)))
    return memoryview(values).cast("B").cast(code, (rows, cols))


def empty(code, *shape):
    count = 1
    for extent in shape:
        count *= extent
    return memoryview(array.array(code, [float("nan")] * count)).cast("B").cast(code, shape)


def turned(rows):
    return [list(column) for column in zip(*rows)]


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in turned(b)] for row in a]


class OnlyDLPack:
    """Hides the buffer protocol of a NumPy array."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def refused(words, call, *arguments, begins=False, **options):
    try:
        call(*arguments, **options)
    except abax.InvalidArgument as error:
        assert str(error).startswith(words) if begins else words in str(error), (words, str(error))
    else:
        raise AssertionError(f"not refused: {words}")


def test_buffers(code):
    a, b, c = matrix(code, 5, 7, 1), matrix(code, 7, 4, 2), empty(code, 5, 4)
    assert abax.gemm(a, b, c) is c
    want = product(a.tolist(), b.tolist())
    assert c.tolist() == want
    abax.gemm(a, b, c, alpha=2, beta=-1)
    assert c.tolist() == want
    d = empty(code, 7, 7)
    abax.gemm(a, a, d, transpose_a=True)
    assert d.tolist() == product(turned(a.tolist()), a.tolist())
    e = empty(code, 5, 5)
    abax.gemm(a, a, e, transpose_b=True)
    assert e.tolist() == product(a.tolist(), turned(a.tolist()))
    x, y, z = memoryview(array.array(code, range(7))), empty(code, 5), empty(code, 7)
    abax.gemv(a, x, y)
    assert y.tolist() == [row[0] for row in product(a.tolist(), [[v] for v in x.tolist()])]
    abax.gemv(a, y, z, alpha=3, transpose=True)
    assert z.tolist() == [3 * row[0] for row in product(turned(a.tolist()), [[v] for v in y.tolist()])]
    t = empty(code, 7, 5)
    abax.transpose(a, t)
    assert t.tolist() == turned(a.tolist())
    dot = abax.dot(x, z)
    assert type(dot) is float and dot == sum(v * w for v, w in zip(x.tolist(), z.tolist()))
    # Without out: new memory of the same type.
    for new, want in (
        (abax.gemm(a, b), product(a.tolist(), b.tolist())),
        (abax.gemm(a, a, transpose_a=True), d.tolist()),
        (abax.gemv(a, x), y.tolist()),
        (abax.gemv(a, y, alpha=3, transpose=True), z.tolist()),
        (abax.transpose(a), t.tolist()),
    ):
        assert type(new) is memoryview and new.format == code and new.tolist() == want


def test_errors():
    a, c = matrix("d", 5, 7, 1), empty("d", 5, 5)
    refused("extent 1 of op(A) is 7, but extent 0 of op(B) is 5", abax.gemm, a, a, c)
    refused("abax.gemm: B has rank 1, expected 2", abax.gemm, a, empty("d", 7), c)
    refused("A and B hold different types", abax.gemm, matrix("f", 5, 7, 1), a, c)
    refused("A must hold float32, float64, complex64 or complex128, not 'i'", abax.transpose, matrix("i", 2, 2, 1), c)
    refused("x speaks neither the buffer protocol nor DLPack", abax.gemv, a, object(), empty("d", 5))
    refused("out is read-only", abax.transpose, a, matrix("d", 7, 5, 1).toreadonly())
    square = matrix("d", 5, 5, 1)
    refused("abax.transpose: out (5 x 5) shares memory with A (5 x 5)", abax.transpose, square, square)
    x, y = matrix("d", 1, 7, 1).cast("B").cast("d"), empty("d", 5)
    refused("abax.gemv: out has rank 2, expected 1", abax.gemv, a, x, c)
    refused("abax.gemm: out and A hold different types", abax.gemm, a, a, empty("f", 5, 5), transpose_b=True)
    refused("abax.gemm: beta is 2.0, but there is no out", abax.gemm, a, a, beta=2, transpose_b=True)
    refused("abax.gemm: alpha must be a real number, not 'two'", abax.gemm, a, a, alpha="two", transpose_b=True)
    refused("abax.gemv: beta must be a real number, not 1j", abax.gemv, a, x, y, beta=1j)
    for number in ("2", b"2", 10**400):
        refused("abax.gemv: beta must be a real number, not", abax.gemv, a, x, y, beta=number)
    refused("abax.gemm: transpose_a must be True or False, not 'N'", abax.gemm, a, a, transpose_a="N")
    refused("abax.dot: the extent of x is 7, but the extent of y is 5", abax.dot, x, y)
    refused("abax.dot: x has rank 2, expected 1", abax.dot, a, y)


class NoDevice:
    def __dlpack__(self, **options):
        return None


def test_names():
    """Whatever argument is wrong, the message begins with the function and the argument's own name."""
    m, v = matrix("d", 3, 3, 1), memoryview(array.array("d", range(3)))
    right = {
        abax.gemm: {"A": m, "B": matrix("d", 3, 3, 2), "out": empty("d", 3, 3)},
        abax.gemm_batched: {"A": matrix("d", 6, 3, 1).cast("B").cast("d", (2, 3, 3)), "out": empty("d", 2, 3, 3),
                            "B": matrix("d", 6, 3, 2).cast("B").cast("d", (2, 3, 3))},
        abax.gemv_batched: {"A": matrix("d", 6, 3, 1).cast("B").cast("d", (2, 3, 3)), "x": matrix("d", 2, 3, 1),
                            "out": empty("d", 2, 3)},
        abax.gemmt: {"A": m, "B": matrix("d", 3, 3, 2), "out": empty("d", 3, 3)},
        abax.syrk: {"A": m, "out": empty("d", 3, 3)},
        abax.gemv: {"A": m, "x": v, "out": empty("d", 3)},
        abax.dot: {"x": v, "y": v, "out": memoryview(bytearray(8)).cast("d", ())},
        abax.dotc: {"x": v, "y": v, "out": memoryview(bytearray(8)).cast("d", ())},
        abax.transpose: {"A": m, "out": empty("d", 3, 3)},
        abax.conjugate_transpose: {"A": m, "out": empty("d", 3, 3)},
        abax.gemm_integer: {"A": m, "B": matrix("d", 3, 3, 2), "out": empty("d", 3, 3)},
    }
    for function in (abax.nrm2, abax.asum, abax.sum):
        right[function] = {"x": v, "out": memoryview(bytearray(8)).cast("d", ())}
    for function, arguments in right.items():
        function(**arguments)
        options = set(inspect.signature(function).parameters) - set(arguments)
        turns = {conjugate + "transpose" + which for conjugate in ("", "conjugate_") for which in ("", "_a", "_b")}
        whole = options & {"bits", "workspace"}
        assert options <= {"alpha", "beta", "lower", "verify"} | turns | whole, options
        wrong = {name: [object(), NoDevice(), empty("d", 2, 2, 2, 2), array.array("i", [1])] for name in arguments}
        wrong["out"].append(b"12345678")
        numbers = options & {"alpha", "beta"}
        wrong |= {name: ["2", 1j, object()] if name in numbers else ["N", b"T", NoTruth()] for name in options - whole}
        wrong |= {name: ["2", 1.5, 0, -1, 2**70, object()] for name in whole}
        for name, values in wrong.items():
            for value in values:
                refused(f"abax.{function.__name__}: {name} ", function, **{**arguments, name: value}, begins=True)
        # What the library itself finds.
        for name in set(arguments) - {"out"}:
            if arguments["out"].shape:
                cols = 1 if function in (abax.gemv, abax.gemv_batched) else 3
                words = f"abax.{function.__name__}: out (3 x {cols}) shares memory with {name} ("
                shared = arguments[name].cast("B")[: arguments["out"].nbytes].cast("d", arguments["out"].shape)
                refused(words, function, **{**arguments, "out": shared}, begins=True)
    refused("abax.dot: out (1 x 1) shares memory with y (3 x 1)", abax.dot, matrix("d", 1, 3, 2).cast("B").cast("d"), v,
            v.cast("B")[8:16].cast("d", ()), begins=True)
    refused("abax.asum: out (1 x 1) shares memory with x (3 x 1)", abax.asum, v, v.cast("B")[8:16].cast("d", ()),
            begins=True)
    refused("abax.iamax: x ", abax.iamax, object(), begins=True)


class NoTruth:
    def __bool__(self):
        raise ValueError("neither")


def test_extents():
    """Extents that no memory holds, by strides of zero."""
    one = numpy.ones(1, numpy.float32)  # NumPy counts bytes in 63 bits
    far = numpy.lib.stride_tricks.as_strided
    many = 2**60

    def wide(*shape):
        return far(one, shape, (0,) * len(shape))

    for words, call in (
        ("abax.dot: the extent of x is", lambda: abax.dot(wide(many), wide(many))),
        ("abax.nrm2: the extent of x is", lambda: abax.nrm2(wide(many))),
        ("abax.iamax: the extent of x is", lambda: abax.iamax(wide(many))),
        ("abax.gemm: extent 1 of op(A) is", lambda: abax.gemm(wide(1, many), wide(many, 1))),
        ("abax.gemv: extent 1 of A is", lambda: abax.gemv(wide(1, many), wide(many))),
        ("abax.gemv: extent 0 of A is", lambda: abax.gemv(wide(many, 1), wide(many), transpose=True)),
    ):
        refused(f"{words} {many}, expected less than 2^60", call, begins=True)
    try:
        abax.gemm(wide(1, 2**50), wide(2**50, 1))
    except abax.Failure as error:
        assert str(error).startswith("abax.gemm: 1125899906842624 terms"), error
    else:
        raise AssertionError("2^50 terms are counted")


def test_numpy(dtype):
    numbers = numpy.random.default_rng(1)
    big = numbers.integers(-9, 9, (60, 80)).astype(dtype)
    a, b = big[::2, 40:10:-1], big[:30:, 5:11]
    out = numpy.full((40, 20), numpy.nan, dtype, order="F")
    c = out[5:35, 3:15:2]
    abax.gemm(a, b, c)
    assert (c == a @ b).all()
    assert numpy.isnan(out).sum() == out.size - c.size
    for new, want in (
        (abax.gemm(a, b), c),
        (abax.gemm(a, memoryview(b)), c),
        (abax.gemmt(a, a.T), numpy.tril(a @ a.T)),
        (abax.gemmt(a, a, transpose_b=True, lower=False), numpy.triu(a @ a.T)),
        (abax.syrk(a), numpy.tril(a @ a.T)),
        (abax.syrk(a, transpose=True, lower=False, alpha=2), numpy.triu(2 * a.T @ a)),
        (abax.gemv(a, b[:, 0]), c[:, 0]),
        (abax.transpose(a), a.T),
        (abax.gemm(a[:, :0], b[:0]), numpy.zeros((30, 6))),
        (abax.gemm(a[:0], b), numpy.zeros((0, 6))),
    ):
        assert type(new) is numpy.ndarray and new.dtype == dtype and new.flags.c_contiguous and (new == want).all()
        assert new.shape == want.shape
    many, few = numbers.integers(-9, 9, (5, 8, 6)).astype(dtype), numbers.integers(-9, 9, (5, 6, 7)).astype(dtype)
    for new, want in (
        (abax.gemm_batched(many, few), many @ few),
        (abax.gemm_batched(many[::-2, :, ::2], few[::2, ::2]), many[::-2, :, ::2] @ few[::2, ::2]),
        (abax.gemm_batched(many, few[0]), many @ few[0]),
        (abax.gemm_batched(many[0], few, alpha=2), 2 * many[0] @ few),
        (abax.gemm_batched(few, many, transpose_a=True, transpose_b=True), (many @ few).transpose(0, 2, 1)),
        (abax.gemm_batched(many[:0], few[0]), numpy.zeros((0, 8, 7))),
        (abax.gemm_batched(many[:, :, :0], few[0, :0]), numpy.zeros((5, 8, 7))),
        (abax.gemv_batched(many, few[:, :, 3]), (many @ few)[:, :, 3]),
        (abax.gemv_batched(many, few[2, :, 3]), (many @ few[2])[:, :, 3]),
        (abax.gemv_batched(many[1], few[::-1, :, 3]), (many[1] @ few[::-1])[:, :, 3]),
        (abax.gemv_batched(many, many[:, :, 0], transpose=True), (many.transpose(0, 2, 1) @ many)[:, :, 0]),
    ):
        assert type(new) is numpy.ndarray and new.dtype == dtype and new.flags.c_contiguous and (new == want).all()
        assert new.shape == want.shape
    interleaved = numpy.full((5, 8, 7), numpy.nan, dtype, order="F")
    assert abax.gemm_batched(many[0], few[0], interleaved) is interleaved and (interleaved == many[0] @ few[0]).all()
    abax.gemm_batched(many, few, interleaved, beta=-1)
    assert (interleaved == many @ few - many[0] @ few[0]).all()
    refused("abax.gemm_batched: out must be given where all items share A and B", abax.gemm_batched, many[0], few[0])
    refused("abax.gemm_batched: extent 0 of A is 5, but extent 0 of B is 4", abax.gemm_batched, many, few[1:])
    refused("the number of items is 5, but extent 0 of out is 4", abax.gemm_batched, many, few[0], interleaved[1:])
    refused("extent 1 of an item of op(A) is 8, but extent 0 of one of op(B) is 6", abax.gemm_batched, many, few,
            transpose_a=True)
    refused("extent 0 of an item of op(A) is 8, but extent 1 of out is 7", abax.gemm_batched, many, few,
            interleaved[:, 1:])
    refused("extent 1 of an item of op(B) is 7, but extent 2 of out is 6", abax.gemm_batched, many, few,
            interleaved[:, :, 1:])
    refused("abax.gemm_batched: A has rank 1, expected 2 or 3", abax.gemm_batched, many[0, 0], few)
    refused("abax.gemv_batched: x has rank 3, expected 1 or 2", abax.gemv_batched, many, few)
    refused("extent 1 of an item of op(A) is 6, but the extent of one of x is 7", abax.gemv_batched, many, few[:, 0])
    square = numpy.full((30, 30), numpy.nan, dtype)
    square[numpy.tril_indices(30)] = 1
    assert abax.syrk(a, square, beta=3) is square
    assert (numpy.tril(square) == numpy.tril(a @ a.T + 3)).all() and numpy.isnan(square).sum() == 15 * 29
    refused("abax.syrk: extent 0 of op(A) is 30, but extent 1 of out is 29", abax.syrk, a, square[:, 1:])
    refused("abax.gemmt: extent 0 of op(A) is 30, but extent 1 of op(B) is 6", abax.gemmt, a, b)
    sum_there = numpy.full((), numpy.nan, dtype)
    assert abax.dot(a[0], a[1], sum_there) is sum_there and sum_there == abax.dot(a[0], a[1]) == a[0] @ a[1]
    masked = numpy.ma.masked_greater(a, 3)
    refused("abax.gemm: A is a masked array", abax.gemm, masked, b, c)
    refused("abax.gemm: out is a masked array", abax.gemm, a, b, numpy.ma.array(c))
    abax.gemm(OnlyDLPack(a.copy()), OnlyDLPack(numpy.asfortranarray(b)), OnlyDLPack(c.base[5:35, 3:15:2]), alpha=-1)
    assert (c == -(a @ b)).all()
    refused("shares memory", abax.gemm, a, b, a[:, :6])
    refused("must hold float32, float64, complex64 or complex128", abax.gemm, OnlyDLPack(a.astype(int)), a, c)
    fixed = c.copy()
    fixed.flags.writeable = False
    refused("abax.gemm: alpha must be a real number, not", abax.gemm, a, b, c, alpha=numpy.complex128(3 + 1j))
    exports_read_only = numpy.lib.NumpyVersion(numpy.__version__) >= "2.1.0"
    words = "out is read-only" if exports_read_only else "out cannot be reached through DLPack"
    refused(words, abax.gemm, a, b, OnlyDLPack(fixed))


def test_complex(dtype):
    """Of NumPy's arrays; whole numbers again."""
    numbers = numpy.random.default_rng(2)

    def random(*shape):
        return (numbers.integers(-9, 10, shape) + 1j * numbers.integers(-9, 10, shape)).astype(dtype)

    real = numpy.zeros(0, dtype).real.dtype
    big = random(60, 80)
    a, b = big[::2, 40:10:-1], big[:30:, 5:11]
    out = numpy.full((40, 20), numpy.nan, dtype, order="F")
    c = out[5:35, 3:15:2]
    assert abax.gemm(a, b, c, alpha=2 - 1j) is c and (c == (2 - 1j) * (a @ b)).all()
    abax.gemm(a, b, c, alpha=1j, beta=numpy.complex64(1 + 1j))
    assert (c == (2 - 1j) * (1 + 1j) * (a @ b) + 1j * (a @ b)).all()
    assert numpy.isnan(out).sum() == out.size - c.size
    H = lambda x: x.conj().swapaxes(-1, -2)
    many, few = random(5, 8, 6), random(5, 6, 7)
    for new, want in (
        (abax.gemm(a, b), a @ b),
        (abax.gemm(a, memoryview(b)), a @ b),
        (abax.gemm(a, a, conjugate_transpose_a=True), H(a) @ a),
        (abax.gemm(a, a, transpose_a=True), a.T @ a),
        (abax.gemm(a, a, conjugate_transpose_b=True, alpha=1j), 1j * a @ H(a)),
        (abax.gemm(b, a, conjugate_transpose_a=True, transpose_b=True), H(b) @ a.T),
        (abax.gemmt(a, a, conjugate_transpose_b=True), numpy.tril(a @ H(a))),
        (abax.syrk(a, alpha=3j), numpy.tril(3j * a @ a.T)),
        (abax.syrk(a, transpose=True, lower=False), numpy.triu(a.T @ a)),
        (abax.herk(a, alpha=-2), numpy.tril(-2 * a @ H(a))),
        (abax.herk(a, conjugate_transpose=True, lower=False), numpy.triu(H(a) @ a)),
        (abax.gemv(a, b[:, 0]), (a @ b)[:, 0]),
        (abax.gemv(a, b[:, 0], transpose=True), a.T @ b[:, 0]),
        (abax.gemv(a, b[:, 0], conjugate_transpose=True), H(a) @ b[:, 0]),
        (abax.gemm_batched(many, few), many @ few),
        (abax.gemm_batched(few, many, conjugate_transpose_a=True, conjugate_transpose_b=True), H(few) @ H(many)),
        (abax.gemv_batched(many, many[:, :, 0], conjugate_transpose=True), (H(many) @ many)[:, :, 0]),
        (abax.transpose(a), a.T),
        (abax.conjugate_transpose(a), H(a)),
        (abax.gemm(a[:, :0], b[:0]), numpy.zeros((30, 6))),
    ):
        assert type(new) is numpy.ndarray and new.dtype == dtype and new.flags.c_contiguous
        assert new.shape == want.shape and (new == want).all()
    x, y = a[0], a[1]
    for got, want in ((abax.dot(x, y), (x * y).sum()), (abax.dotc(x, y), numpy.vdot(x, y))):
        assert type(got) is complex and got == want
    sum_there = numpy.full((), numpy.nan, dtype)
    assert abax.dotc(x, y, sum_there) is sum_there and sum_there == numpy.vdot(x, y)
    assert abax.dotc(x.real, y.imag) == abax.dot(x.real, y.imag)
    norm_there = numpy.full((), numpy.nan, real)
    assert type(abax.nrm2(x)) is float and abax.nrm2(numpy.array([3 - 4j, 12j], dtype)) == 13
    magnitudes = abs(x.real) + abs(x.imag)
    assert abax.asum(x) == magnitudes.sum() and abax.asum(x, norm_there) is norm_there == magnitudes.sum()
    assert abax.iamax(x) == magnitudes.argmax()
    abax.gemm(OnlyDLPack(a.copy()), OnlyDLPack(numpy.asfortranarray(b)), OnlyDLPack(c), alpha=-1j)
    assert (c == -1j * (a @ b)).all()
    square = numpy.full((30, 30), 1 + 2j, dtype)
    assert abax.herk(a, square, beta=3) is square
    want = a @ H(a) + (3 + 6j)
    numpy.fill_diagonal(want, want.diagonal().real)
    assert (square == numpy.where(numpy.tri(30, dtype=bool), want, 1 + 2j)).all()
    refused("abax.gemm: A and B hold different types", abax.gemm, a, b.real)
    refused("abax.gemm: alpha must be a complex number, not '1j'", abax.gemm, a, b, alpha="1j")
    refused("abax.gemv: beta must be a real number, not 1j", abax.gemv, a.real, b[:, 0].real, beta=1j)
    refused("abax.herk: alpha must be a real number, not 1j", abax.herk, a, alpha=1j)
    refused("abax.herk: A holds real numbers, expected complex ones", abax.herk, a.real)
    refused("abax.sum: x holds complex numbers, expected real ones", abax.sum, x)
    refused("abax.nrm2: out and x hold different types", abax.nrm2, x, sum_there)
    refused("abax.gemm: conjugate_transpose_a must be True or False", abax.gemm, a, b, conjugate_transpose_a="C")
    refused("abax.gemm: out must be given for a complex result", abax.gemm, memoryview(a), memoryview(b))
    refused("abax.dotc: out (1 x 1) shares memory with x (30 x 1)", abax.dotc, x, y, x[3:4].reshape(()), begins=True)
    refused("abax.conjugate_transpose: out (30 x 30) shares memory with A (30 x 30)", abax.conjugate_transpose, square,
            square, begins=True)
    # Numbers of any size, within the canon's bound: 2 n u for n terms, of each part, and some for NumPy's own.
    p, q = [(numbers.uniform(-1, 1, shape) + 1j * numbers.uniform(-1, 1, shape)).astype(dtype)
            for shape in ((40, 300), (300, 30))]
    error = abs(abax.gemm(p, q) - p.astype(numpy.complex128) @ q.astype(numpy.complex128))
    assert (error <= 4 * 300 * numpy.finfo(dtype).eps * (abs(p) @ abs(q))).all()


def test_integers(code):
    """Products by way of integers, and what is prepared for them."""
    digits = {"f": 24, "d": 53}[code]
    a, b = matrix(code, 5, 7, 1), matrix(code, 7, 4, 2)
    want = product(a.tolist(), b.tolist())
    new = abax.gemm_integer(a, b)
    assert type(new) is memoryview and new.format == code and new.tolist() == want
    c = empty(code, 5, 4)
    assert abax.gemm_integer(a, b, c, bits=digits - 8, workspace=10**7, verify=True) is c and c.tolist() == want
    abax.gemm_integer(a, b, c, alpha=2, beta=-1)
    assert c.tolist() == want
    assert abax.gemm_integer(a, a, transpose_b=True).tolist() == product(a.tolist(), turned(a.tolist()))
    # The bits of numbers that are rounded, with and without preparation, by all ways.
    numbers = random.Random(3)
    p, q = [memoryview(array.array(code, (numbers.uniform(-1, 1) for _ in range(3000)))).cast("B").cast(code, (60, 50))
            for _ in range(2)]
    want = abax.gemm_integer(p, q, transpose_a=True).tobytes()
    with abax.IntegerOperand(p, transpose=True) as left, abax.IntegerOperand(q, left=False) as right:
        assert left.shape == (50, 60) and right.shape == (60, 50)
        for x, y, options in ((left, q, {}), (p, right, {"transpose_a": True}), (left, right, {}),
                              (left, right, {"bits": digits, "verify": True})):
            c = empty(code, 50, 50)
            assert abax.gemm_integer(x, y, c, **options) is c and c.tobytes() == want
            assert abax.gemm_integer(x, y, **options).tobytes() == want
    few = abax.gemm_integer(p, q, transpose_a=True, bits=digits - 8).tobytes()
    assert few != want
    left = abax.IntegerOperand(p, transpose=True, bits=digits - 8)
    assert abax.gemm_integer(left, q).tobytes() == few

    out = empty(code, 50, 50)
    name = "abax.gemm_integer: "
    refused(f"{name}A was prepared with {digits - 8} bits, but {digits} were", abax.gemm_integer, left, q, out,
            bits=digits, begins=True)
    right = abax.IntegerOperand(q, left=False)
    refused(f"{name}B was prepared with {digits} bits, but {digits - 8} were", abax.gemm_integer, left, right, out,
            begins=True)
    refused(f"{name}A was prepared as the right operand, expected the left one", abax.gemm_integer, right, q, out,
            begins=True)
    refused(f"{name}B was prepared as the left operand, expected the right one", abax.gemm_integer, p, left, out,
            transpose_a=True, begins=True)
    refused(f"{name}transpose_a must be False where A is prepared", abax.gemm_integer, left, q, out, transpose_a=True,
            begins=True)
    refused(f"{name}transpose_b must be False where B is prepared", abax.gemm_integer, p, right, out, transpose_b=True,
            begins=True)
    refused(f"{name}extent 1 of op(A) is 60, but extent 0 of op(B) is 50", abax.gemm_integer, left, q, out,
            transpose_b=True, begins=True)
    refused(f"{name}extent 0 of op(A) is 50, but extent 0 of out is 49", abax.gemm_integer, left, q,
            empty(code, 49, 50), begins=True)
    other = "d" if code == "f" else "f"
    of_others = abax.IntegerOperand(matrix(other, 60, 50, 1), transpose=True)
    refused(f"{name}A and B hold different types", abax.gemm_integer, of_others, q, begins=True)
    refused(f"{name}out and A hold different types", abax.gemm_integer, left, q, empty(other, 50, 50), begins=True)
    refused(f"{name}bits is 99, but", abax.gemm_integer, p, q, out, transpose_a=True, bits=99, begins=True)
    refused(f"{name}out (60 x 50) shares memory with A (60 x 50)", abax.gemm_integer, abax.IntegerOperand(p),
            matrix(code, 50, 50, 1), p, begins=True)
    left.close()
    left.close()
    refused(f"{name}A is closed", abax.gemm_integer, left, q, out, begins=True)
    with right:
        pass
    refused(f"{name}B is closed", abax.gemm_integer, p, right, out, transpose_a=True, begins=True)
    assert all(v != v for row in out.tolist() for v in row)
    try:
        abax.gemm_integer(p, q, transpose_a=True, workspace=1)
    except abax.Failure as error:
        assert str(error).startswith(name + "a workspace of 1 bytes was allowed"), error
    else:
        raise AssertionError("one byte is enough")

    name = "abax.IntegerOperand: "
    for A in (object(), NoDevice(), empty(code, 3), matrix("i", 2, 2, 1)):
        refused(f"{name}A ", abax.IntegerOperand, A, begins=True)
        refused("abax.gemm_integer_lost: A ", abax.gemm_integer_lost, A, begins=True)
    for option in ("left", "transpose"):
        refused(f"{name}{option} must be True or False", abax.IntegerOperand, p, **{option: "L"}, begins=True)
        refused(f"abax.gemm_integer_lost: {option} must be True or False", abax.gemm_integer_lost, p, **{option: "L"},
                begins=True)
    for bits in ("2", 0, 1.5, 2**40):
        refused(f"{name}bits must be a whole number from 1 to", abax.IntegerOperand, p, bits=bits, begins=True)
    refused(f"{name}bits is {digits + 9}, but", abax.IntegerOperand, p, bits=digits + 9, begins=True)
    refused("abax.gemm_integer_lost: bits is 1, but", abax.gemm_integer_lost, p, bits=1, begins=True)
    assert abax.gemm_integer_lost(a) == abax.gemm_integer_lost(a, left=False, transpose=True) == 0
    wide = memoryview(array.array(code, [1, 2.0**-100, 0, 2.0**-100])).cast("B").cast(code, (2, 2))
    assert abax.gemm_integer_lost(wide) == 1 == abax.gemm_integer_lost(wide, left=False, transpose=True)
    assert abax.gemm_integer_lost(wide, left=False) == 0 == abax.gemm_integer_lost(wide, transpose=True)


def test_lives():
    """What is prepared keeps its array and its memory as long as it is needed."""
    values = array.array("d", range(2000))
    view = memoryview(values).cast("B").cast("d", (40, 50))
    before = sys.getrefcount(view)
    left = abax.IntegerOperand(view)
    assert sys.getrefcount(view) > before
    want = abax.gemm_integer(view, view, transpose_b=True).tobytes()
    held = view
    del view
    gc.collect()
    assert abax.gemm_integer(left, held, transpose_b=True).tobytes() == want
    # Closed by one thread while others multiply: each call ends right, or finds it closed.
    wrong, begun = [], threading.Barrier(4)

    def multiply():
        begun.wait()
        for _ in range(50):
            try:
                if abax.gemm_integer(left, held, transpose_b=True).tobytes() != want:
                    wrong.append("bits")
            except abax.InvalidArgument as error:
                if str(error) != "abax.gemm_integer: A is closed":
                    wrong.append(str(error))

    threads = [threading.Thread(target=multiply) for _ in range(3)]
    for thread in threads:
        thread.start()
    begun.wait()
    left.close()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


def test_bytes():
    numbers = random.Random(5)

    def some(rows, cols):
        values = array.array("b", (numbers.randrange(-128, 128) for _ in range(rows * cols)))
        return memoryview(values).cast("B").cast("b", (rows, cols))

    a, b, c = some(5, 300), some(300, 4), memoryview(array.array("i", [7] * 20)).cast("B").cast("i", (5, 4))
    want = product(a.tolist(), b.tolist())
    new = abax.gemm_int8(a, b)
    assert type(new) is memoryview and new.format == "i" and new.tolist() == want
    assert abax.gemm_int8(a, b, c, alpha=100_000, beta=-3) is c
    wrapped = [[(100_000 * v - 21 + 2**31) % 2**32 - 2**31 for v in row] for row in want]
    assert c.tolist() == wrapped and any(abs(100_000 * v) >= 2**31 for row in want for v in row)
    assert abax.gemm_int8(a, a, transpose_b=True).tolist() == product(a.tolist(), turned(a.tolist()))
    name = "abax.gemm_int8: "
    for which in ("A", "B"):
        for value in (object(), NoDevice(), matrix("d", 5, 5, 1), matrix("i", 5, 5, 1), some(1, 5).cast("B").cast("b")):
            refused(f"{name}{which} ", abax.gemm_int8, **{"A": a, "B": b, which: value}, begins=True)
    for value in (object(), empty("d", 5, 4), some(5, 4), c.toreadonly(), c.cast("B").cast("i")):
        refused(f"{name}out ", abax.gemm_int8, a, b, value, begins=True)
    for which in ("alpha", "beta"):
        for value in ("2", 1.5, 2**31, -(2**31) - 1):
            refused(f"{name}{which} must be a whole number", abax.gemm_int8, a, b, c, **{which: value}, begins=True)
    refused(f"{name}transpose_a must be True or False", abax.gemm_int8, a, b, c, transpose_a="N", begins=True)
    refused(f"{name}beta is 2, but there is no out", abax.gemm_int8, a, b, beta=2, begins=True)
    refused(f"{name}extent 1 of op(A) is 300, but extent 0 of op(B) is 5", abax.gemm_int8, a, a, begins=True)
    refused(f"{name}extent 1 of op(B) is 5, but extent 1 of out is 4", abax.gemm_int8, a, a, c, transpose_b=True,
            begins=True)
    refused(f"{name}out (5 x 4) shares memory with A (5 x 16)", abax.gemm_int8, c.cast("B").cast("b", (5, 16)),
            some(16, 4), c, begins=True)
    assert c.tolist() == wrapped
    refused("abax.gemm: A must hold float32, float64, complex64 or complex128, not 'b'", abax.gemm, a, b)
    if numpy:
        x, y = numpy.asarray(a)[::2, ::-3], numpy.asarray(b)[::-3]
        for new in (abax.gemm_int8(x, y), abax.gemm_int8(OnlyDLPack(x.copy()), y)):
            assert type(new) is numpy.ndarray and new.dtype == numpy.int32
            assert (new == x.astype(numpy.int32) @ y.astype(numpy.int32)).all()
        refused("abax.gemm: A must hold float32, float64, complex64 or complex128", abax.gemm, OnlyDLPack(x.copy()), y)


def test_integers_of_numpy(dtype):
    numbers = numpy.random.default_rng(4)
    a, b = numbers.uniform(-1, 1, (60, 80)).astype(dtype)[::2, 40:10:-1], numbers.uniform(-1, 1, (30, 6)).astype(dtype)
    a[3, 5], b[2, 1] = numpy.inf, numpy.nan  # lines with these are read of the arrays themselves
    want = abax.gemm_integer(a, b)
    assert type(want) is numpy.ndarray and want.dtype == dtype and numpy.isnan(want[:, 1]).all()
    left, right = abax.IntegerOperand(a), abax.IntegerOperand(b, left=False)
    for new in (abax.gemm_integer(left, b), abax.gemm_integer(a, right), abax.gemm_integer(left, right)):
        assert type(new) is numpy.ndarray and new.tobytes() == want.tobytes()
    there = numpy.asfortranarray(numpy.zeros((30, 6), dtype))
    assert abax.gemm_integer(left, right, there) is there and there.copy("C").tobytes() == want.tobytes()
    finite = numpy.isfinite(want)
    exact = numpy.where(numpy.isfinite(a), a, 0).astype(numpy.longdouble) @ numpy.where(numpy.isfinite(b), b, 0)
    assert (abs(want - exact)[finite & (numpy.arange(30) != 3)[:, None]] <= 30 * numpy.finfo(dtype).eps).all()
    assert abax.gemm_integer(abax.IntegerOperand(a[:0]), b).shape == (0, 6)
    assert (abax.gemm_integer(abax.IntegerOperand(a[:, :0]), b[:0]) == 0).all()


def test_integers_of_complex(dtype):
    numbers = numpy.random.default_rng(5)
    a, b = [(numbers.uniform(-1, 1, shape) + 1j * numbers.uniform(-1, 1, shape)).astype(dtype)
            for shape in ((30, 40), (40, 6))]
    want = abax.gemm_integer(a, b)
    assert type(want) is numpy.ndarray and want.dtype == dtype
    exact = a.astype(numpy.clongdouble) @ b.astype(numpy.clongdouble)
    assert (abs(want - exact) <= 160 * numpy.finfo(dtype).eps).all()
    ah, bh = a.conj().T.copy(), b.conj().T.copy()
    both = {"conjugate_transpose_a": True, "conjugate_transpose_b": True}
    assert abax.gemm_integer(ah, bh, **both, verify=True, workspace=10**7).tobytes() == want.tobytes()
    assert abax.gemm_integer(a.T, b.T, transpose_a=True, transpose_b=True).tobytes() == want.tobytes()
    with abax.IntegerOperand(ah, conjugate_transpose=True) as left, abax.IntegerOperand(b, left=False) as right:
        assert left.shape == (30, 40) and right.shape == (40, 6)
        for x, y in ((left, b), (a, right), (left, right)):
            assert abax.gemm_integer(x, y).tobytes() == want.tobytes()
        refused("abax.gemm_integer: conjugate_transpose_a must be False where A is prepared", abax.gemm_integer, left,
                b, conjugate_transpose_a=True, begins=True)
    c = numpy.ones((30, 6), dtype)
    whole = [(numbers.integers(-9, 10, x.shape) + 1j * numbers.integers(-9, 10, x.shape)).astype(dtype) for x in (a, b)]
    assert (abax.gemm_integer(*whole, c, alpha=2 - 1j, beta=3j) == (2 - 1j) * (whole[0] @ whole[1]) + 3j).all()
    refused("abax.gemm_integer: A and B hold different types", abax.gemm_integer, a, b.real.copy(), begins=True)
    wide = whole[0].copy()
    wide[2, :2] = 2.0**60, 1j + 2.0**-3  # of which the imaginary and the real part are off their line's grid
    assert abax.gemm_integer_lost(wide) >= 2
    assert abax.gemm_integer_lost(whole[0], left=False, conjugate_transpose=True) == 0


if __name__ == "__main__":
    assert re.fullmatch(r"\d+\.\d+\.\d+", abax.__version__), abax.__version__
    for code in "fd":
        test_buffers(code)
        test_integers(code)
    test_lives()
    test_bytes()
    test_errors()
    test_names()
    if numpy:
        test_extents()
        test_numpy(numpy.float32)
        test_numpy(numpy.float64)
        test_complex(numpy.complex64)
        test_complex(numpy.complex128)
        test_integers_of_numpy(numpy.float32)
        test_integers_of_numpy(numpy.float64)
        test_integers_of_complex(numpy.complex64)
        test_integers_of_complex(numpy.complex128)
    print("abax for Python is right on buffers", "DLPack and NumPy" if numpy else "alone: no NumPy here")
