# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From an array of any library to an address, a shape and strides."""

import ctypes
import sys
from dataclasses import dataclass, replace

from ._library import DEVICE, HOST, InvalidArgument


@dataclass
class Operand:
    """`strides` count elements. `owner` keeps the memory alive during a call."""

    place: int
    letter: str  # "s", "d", "c" or "z"; of integers "b" or "i"
    address: int
    shape: tuple
    strides: tuple
    owner: object


class _Tensor(ctypes.Structure):
    """DLTensor of DLPack, which has not changed since its first version."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned, DLPack 1."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_READ_ONLY = 1
_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13
_LETTERS = {(2, 32): "s", (2, 64): "d", (5, 64): "c", (5, 128): "z", (0, 8): "b", (0, 32): "i"}  # by code and bits
_FORMATS = {"f": "s", "d": "d", "Zf": "c", "Zd": "z", "b": "b", "i": "i"}
_NAMES = {"s": "float32", "d": "float64", "c": "complex64", "z": "complex128", "b": "int8", "i": "int32"}
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _types(letters):
    *names, last = (_NAMES[letter] for letter in letters)
    return f"{', '.join(names)} or {last}" if names else last


def _row_major(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def _exported(array):
    """The DLPack capsule, its tensor, and whether it may be written, as far as its version says so."""
    # The legacy default stream: what the producer has queued is done before anything on it, and ours waits for that.
    options = {"stream": 1} if array.__dlpack_device__()[0] in (_CUDA, _CUDA_MANAGED) else {}
    try:
        capsule = array.__dlpack__(max_version=(1, 0), **options)
    except TypeError:  # a producer older than DLPack 1
        capsule = array.__dlpack__(**options)
    if _is_valid(capsule, b"dltensor_versioned"):
        whole = ctypes.cast(_pointer_of(capsule, b"dltensor_versioned"), ctypes.POINTER(_Versioned)).contents
        return capsule, whole.tensor, not whole.flags & _READ_ONLY
    return capsule, ctypes.cast(_pointer_of(capsule, b"dltensor"), ctypes.POINTER(_Tensor)).contents, True


def _from_dlpack(function, name, array, writable, letters):
    try:
        capsule, tensor, may_be_written = _exported(array)
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as error:
        raise InvalidArgument(f"abax.{function}: {name} cannot be reached through DLPack: {error}") from error
    if writable and not may_be_written:
        raise InvalidArgument(f"abax.{function}: {name} is read-only")
    letter = _LETTERS.get((tensor.code, tensor.bits))
    if letter is None or letter not in letters or tensor.lanes != 1:
        raise InvalidArgument(f"abax.{function}: {name} must hold {_types(letters)}")
    if tensor.device_type not in (_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED):
        raise InvalidArgument(f"abax.{function}: {name} lies on device {tensor.device_type}, expected CPU or CUDA")
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else _row_major(shape)
    place = DEVICE if tensor.device_type in (_CUDA, _CUDA_MANAGED) else HOST
    return Operand(place, letter, (tensor.data or 0) + tensor.byte_offset, shape, strides, capsule)


def _from_buffer(function, name, view, writable, letters):
    letter = _FORMATS.get(view.format.removeprefix("<").removeprefix("="))
    if letter is None or letter not in letters:
        raise InvalidArgument(f"abax.{function}: {name} must hold {_types(letters)}, not '{view.format}'")
    if writable and view.readonly:
        raise InvalidArgument(f"abax.{function}: {name} is read-only")
    if any(stride % view.itemsize for stride in view.strides):
        raise InvalidArgument(f"abax.{function}: {name}'s strides are no multiples of its elements")
    address = _address_of(view)
    strides = tuple(stride // view.itemsize for stride in view.strides)
    return Operand(HOST, letter, address, view.shape, strides, view)


class _Buffer(ctypes.Structure):
    """Py_buffer as far as its address (Python's C API, stable ABI)."""

    _fields_ = [("buf", ctypes.c_void_p), ("rest", ctypes.c_byte * 256)]


def _address_of(view):
    buffer = _Buffer()
    strided, read_only = 0x10 | 0x08, 0
    get, release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
    get.argtypes = [ctypes.py_object, ctypes.c_void_p, ctypes.c_int]
    release.argtypes = [ctypes.c_void_p]
    get(view, ctypes.byref(buffer), strided | read_only)
    address = buffer.buf or 0
    release(ctypes.byref(buffer))
    return address


def operand(function, name, array, *ranks, writable=False, letters="sdcz"):
    """`array` as an operand of one of those ranks and types; raises InvalidArgument naming it."""
    masked = sys.modules.get("numpy.ma")
    if masked and isinstance(array, masked.MaskedArray):
        raise InvalidArgument(f"abax.{function}: {name} is a masked array, whose mask a kernel would not see")
    try:
        view = memoryview(array)
    except (TypeError, ValueError, BufferError):  # none, of a kind it cannot describe, or not in host memory
        view = None
    if view is not None:
        result = _from_buffer(function, name, view, writable, letters)
    elif hasattr(array, "__dlpack__"):
        result = _from_dlpack(function, name, array, writable, letters)
    else:
        raise InvalidArgument(f"abax.{function}: {name} speaks neither the buffer protocol nor DLPack")
    if len(result.shape) not in ranks:
        expected = " or ".join(map(str, ranks))
        raise InvalidArgument(f"abax.{function}: {name} has rank {len(result.shape)}, expected {expected}")
    return result


def new_array(function, shape, inputs):
    """Zeros for a result: NumPy's where an input is, else a memoryview. `inputs`: by name, operand and array."""
    (name, (first, _)), *_ = inputs.items()
    if first.place != HOST:
        raise InvalidArgument(f"abax.{function}: out must be given where {name} lies on a GPU")
    numpy = sys.modules.get("numpy")
    if numpy and any(isinstance(array, numpy.ndarray) for _, array in inputs.values()):
        return numpy.zeros(shape, _NAMES[first.letter])
    if first.letter in "cz":  # a memoryview cannot make such a format
        raise InvalidArgument(f"abax.{function}: out must be given for a complex result, unless an operand is NumPy's")
    if 0 in shape:
        raise InvalidArgument(
            f"abax.{function}: out must be given for a result without elements, unless an operand is NumPy's"
        )
    code, size = {"s": ("f", 4), "d": ("d", 8), "i": ("i", 4)}[first.letter]
    for extent in shape:
        size *= extent
    return memoryview(bytearray(size)).cast("B").cast(code, shape)


def require_alike(function, operands):
    """All of one type and in one place."""
    (first_name, first), *others = operands.items()
    for name, other in others:
        if other.letter != first.letter:
            raise InvalidArgument(f"abax.{function}: {first_name} and {name} hold different types")
        if other.place != first.place:
            raise InvalidArgument(f"abax.{function}: {first_name} and {name} lie in different memories")


def require_extent(function, what, extent, other_what, other):
    if extent != other:
        raise InvalidArgument(f"abax.{function}: {what} is {extent}, but {other_what} is {other}")


def real_part(one):
    """An operand of the real type that the parts of its elements have."""
    return replace(one, letter={"c": "s", "z": "d"}.get(one.letter, one.letter))


def require_complex(function, name, one, wanted=True):
    if (one.letter in "cz") != wanted:
        expected, found = ("complex", "real") if wanted else ("real", "complex")
        raise InvalidArgument(f"abax.{function}: {name} holds {found} numbers, expected {expected} ones")
