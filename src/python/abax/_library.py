# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libabax_blas and its streams: one for each thread and place, opened at the first use."""

import ctypes
import os
import pathlib
import re
import threading

HOST, DEVICE = 0, 1
VERIFY_PRODUCTS = 2


class Failure(RuntimeError):
    """The machine could not do it: no memory, no such device, or an error of the device."""


class InvalidArgument(ValueError):
    """An argument cannot be used; nothing has been written."""


class _Complex:
    """A structure of two parts, as which abax.h has a complex number."""

    @classmethod
    def from_param(cls, value):
        return cls(value.real, value.imag)

    @property
    def value(self):
        return complex(self.re, self.im)


class _ComplexFloat(_Complex, ctypes.Structure):
    _fields_ = [("re", ctypes.c_float), ("im", ctypes.c_float)]


class _ComplexDouble(_Complex, ctypes.Structure):
    _fields_ = [("re", ctypes.c_double), ("im", ctypes.c_double)]


NUMBERS = {"s": ctypes.c_float, "d": ctypes.c_double, "c": _ComplexFloat, "z": _ComplexDouble}
NORMS = {"s": "s", "d": "d", "c": "sc", "z": "dz"}  # the letters of functions with a real result


def _load():
    """The library beside this module, or what a link there points to; ABAX_LIBRARY names another."""
    beside = pathlib.Path(__file__).parent / "libabax_blas.so"
    library = ctypes.CDLL(os.environ.get("ABAX_LIBRARY", str(beside.resolve())))
    library.abax_message.restype = ctypes.c_char_p
    library.abax_message.argtypes = [ctypes.c_void_p]
    library.abax_status_text.restype = ctypes.c_char_p
    library.abax_close.argtypes = [ctypes.c_void_p]
    library.abax_fence.argtypes = [ctypes.c_void_p]
    library.abax_open.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_uint, ctypes.POINTER(ctypes.c_void_p)]
    char, size, data = ctypes.c_char, ctypes.c_int64, ctypes.c_void_p
    matrix = [data, size, size]
    vector = [data, size]
    matrices = [data, size, size, size]
    vectors = [data, size, size]
    reduction, rank_k = [size, *vector, data], [char, char, size, size]
    number, handle = ctypes.c_int, ctypes.c_void_p
    prepared = [char, char, size, size, *matrix, number]
    library.abax_free_integer_operand.argtypes = [handle]
    library.abax_gemm_int8.argtypes = [handle, char, char, size, size, size, ctypes.c_int32, *matrix, *matrix,
                                       ctypes.c_int32, *matrix]
    for letter, scalar in NUMBERS.items():
        functions = [
            ("gemm", [char, char, size, size, size, scalar, *matrix, *matrix, scalar, *matrix]),
            ("gemm_batched", [char, char, size, size, size, size, scalar, *matrices, *matrices, scalar, *matrices]),
            ("gemmt", [char, char, char, size, size, scalar, *matrix, *matrix, scalar, *matrix]),
            ("syrk", [*rank_k, scalar, *matrix, scalar, *matrix]),
            ("gemv", [char, size, size, scalar, *matrix, *vector, scalar, *vector]),
            ("gemv_batched", [char, size, size, size, scalar, *matrices, *vectors, scalar, *vectors]),
            ("transpose", [size, size, *matrix, *matrix]),
            ("gemm_integer_with", [char, char, size, size, size, scalar, *matrix, handle, *matrix, handle, scalar,
                                   *matrix, number, size, ctypes.c_uint]),
            ("integer_operand", [*prepared, ctypes.POINTER(handle)]),
            ("gemm_integer_lost", [*prepared, ctypes.POINTER(size)]),
        ]
        if letter in "cz":
            real = NUMBERS["s" if letter == "c" else "d"]
            functions += [
                ("herk", [*rank_k, real, *matrix, real, *matrix]),
                ("dotu", [size, *vector, *vector, data]),
                ("dotc", [size, *vector, *vector, data]),
                ("conjugate_transpose", [size, size, *matrix, *matrix]),
            ]
        else:
            functions += [("dot", [size, *vector, *vector, data]), ("sum", reduction)]
        for name, arguments in functions:
            getattr(library, f"abax_{letter}{name}").argtypes = [ctypes.c_void_p, *arguments]
        for name in (f"{NORMS[letter]}nrm2", f"{NORMS[letter]}asum", f"i{letter}amax"):
            getattr(library, f"abax_{name}").argtypes = [ctypes.c_void_p, *reduction]
    return library


_library = _load()
_streams = threading.local()


def version():
    """What the library says it is, as in "0.1.0"."""
    number = _library.abax_version()
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


class _Stream:
    def __init__(self, place):
        self.handle = ctypes.c_void_p()
        status = _library.abax_open(place, None, 0, ctypes.byref(self.handle))
        if status:
            where = ("host", "device")[place]
            raise Failure(f"abax: no stream on the {where}: {_library.abax_status_text(status).decode()}")

    def __del__(self):
        _library.abax_close(self.handle)


class Prepared:
    """What abax_?integer_operand has made, `handle`; it is freed with the last reference."""

    def __init__(self):
        self.handle = ctypes.c_void_p()

    def __del__(self):
        _library.abax_free_integer_operand(self.handle)


def call(place, function, letter, names, *arguments):
    """Calls abax_<letter><function> on the calling thread's stream, and waits for its end. `names`: what the library
    calls an operand or an extent, and what Python does."""
    streams = _streams.__dict__
    if place not in streams:
        streams[place] = _Stream(place)
    handle = streams[place].handle
    status = getattr(_library, f"abax_{letter}{function}")(handle, *arguments) or _library.abax_fence(handle)
    if status:
        message = _library.abax_message(handle).decode().replace("abax::", "abax.", 1)
        message = re.sub(r"(?:(?:in|out)put )?\b(\w+)", lambda word: names.get(word[1], word[1]), message)
        raise (InvalidArgument if status == 1 else Failure)(message or _library.abax_status_text(status).decode())
