# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from array import array
from typing import Any, Optional, Protocol, SupportsComplex, SupportsFloat, SupportsIndex, TypeVar, Union, overload

class _SupportsDLPack(Protocol):
    def __dlpack__(self, *arguments: Any, **options: Any) -> Any: ...
    def __dlpack_device__(self) -> Any: ...

_Array = Union[memoryview, array[float], _SupportsDLPack]
_Bytes = Union[memoryview, array[int], _SupportsDLPack]
_Number = Union[complex, SupportsFloat, SupportsComplex]
_Out = TypeVar("_Out", bound=_Array)
_Sums = TypeVar("_Sums", bound=_Bytes)

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
__version__: str

class Failure(RuntimeError): ...
class InvalidArgument(ValueError): ...

class IntegerOperand:
    def __init__(
        self,
        A: _Array,
        left: bool = True,
        transpose: bool = False,
        bits: Optional[SupportsIndex] = None,
        conjugate_transpose: bool = False,
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def close(self) -> None: ...
    def __enter__(self) -> "IntegerOperand": ...
    def __exit__(self, *error: object) -> None: ...

_Factor = Union[_Array, IntegerOperand]

@overload
def gemm(
    A: _Array,
    B: _Array,
    out: None = None,
    alpha: _Number = 1.0,
    beta: _Number = 0.0,
    transpose_a: bool = False,
    transpose_b: bool = False,
    conjugate_transpose_a: bool = False,
    conjugate_transpose_b: bool = False,
) -> Any: ...
@overload
def gemm(
    A: _Array,
    B: _Array,
    out: _Out,
    alpha: _Number = 1.0,
    beta: _Number = 0.0,
    transpose_a: bool = False,
    transpose_b: bool = False,
    conjugate_transpose_a: bool = False,
    conjugate_transpose_b: bool = False,
) -> _Out: ...
@overload
def gemm_integer(
    A: _Factor,
    B: _Factor,
    out: None = None,
    alpha: _Number = 1.0,
    beta: _Number = 0.0,
    transpose_a: bool = False,
    transpose_b: bool = False,
    bits: Optional[SupportsIndex] = None,
    workspace: Optional[SupportsIndex] = None,
    verify: bool = False,
    conjugate_transpose_a: bool = False,
    conjugate_transpose_b: bool = False,
) -> Any: ...
@overload
def gemm_integer(
    A: _Factor,
    B: _Factor,
    out: _Out,
    alpha: _Number = 1.0,
    beta: _Number = 0.0,
    transpose_a: bool = False,
    transpose_b: bool = False,
    bits: Optional[SupportsIndex] = None,
    workspace: Optional[SupportsIndex] = None,
    verify: bool = False,
    conjugate_transpose_a: bool = False,
    conjugate_transpose_b: bool = False,
) -> _Out: ...
def gemm_integer_lost(
    A: _Array,
    left: bool = True,
    transpose: bool = False,
    bits: Optional[SupportsIndex] = None,
    conjugate_transpose: bool = False,
) -> int: ...
@overload
def gemm_int8(
    A: _Bytes,
    B: _Bytes,
    out: None = None,
    alpha: SupportsIndex = 1,
    beta: SupportsIndex = 0,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> Any: ...
@overload
def gemm_int8(
    A: _Bytes,
    B: _Bytes,
    out: _Sums,
    alpha: SupportsIndex = 1,
    beta: SupportsIndex = 0,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> _Sums: ...
@overload
def gemm_batched(
    A: _Array,
    B: _Array,
    out: None = None,
    alpha: _Number = 1.0,
    beta: _Number = 0.0,
    transpose_a: bool = False,
    transpose_b: bool = False,
    conjugate_transpose_a: bool = False,
    conjugate_transpose_b: bool = False,
) -> Any: ...
@overload
def gemm_batched(
    A: _Array,
    B: _Array,
    out: _Out,
    alpha: _Number = 1.0,
    beta: _Number = 0.0,
    transpose_a: bool = False,
    transpose_b: bool = False,
    conjugate_transpose_a: bool = False,
    conjugate_transpose_b: bool = False,
) -> _Out: ...
@overload
def gemmt(
    A: _Array,
    B: _Array,
    out: None = None,
    alpha: _Number = 1.0,
    beta: _Number = 0.0,
    transpose_a: bool = False,
    transpose_b: bool = False,
    lower: bool = True,
    conjugate_transpose_a: bool = False,
    conjugate_transpose_b: bool = False,
) -> Any: ...
@overload
def gemmt(
    A: _Array,
    B: _Array,
    out: _Out,
    alpha: _Number = 1.0,
    beta: _Number = 0.0,
    transpose_a: bool = False,
    transpose_b: bool = False,
    lower: bool = True,
    conjugate_transpose_a: bool = False,
    conjugate_transpose_b: bool = False,
) -> _Out: ...
@overload
def syrk(
    A: _Array,
    out: None = None,
    alpha: _Number = 1.0,
    beta: _Number = 0.0,
    transpose: bool = False,
    lower: bool = True,
) -> Any: ...
@overload
def syrk(
    A: _Array,
    out: _Out,
    alpha: _Number = 1.0,
    beta: _Number = 0.0,
    transpose: bool = False,
    lower: bool = True,
) -> _Out: ...
@overload
def herk(
    A: _Array,
    out: None = None,
    alpha: SupportsFloat = 1.0,
    beta: SupportsFloat = 0.0,
    conjugate_transpose: bool = False,
    lower: bool = True,
) -> Any: ...
@overload
def herk(
    A: _Array,
    out: _Out,
    alpha: SupportsFloat = 1.0,
    beta: SupportsFloat = 0.0,
    conjugate_transpose: bool = False,
    lower: bool = True,
) -> _Out: ...
@overload
def gemv(
    A: _Array,
    x: _Array,
    out: None = None,
    alpha: _Number = 1.0,
    beta: _Number = 0.0,
    transpose: bool = False,
    conjugate_transpose: bool = False,
) -> Any: ...
@overload
def gemv(
    A: _Array,
    x: _Array,
    out: _Out,
    alpha: _Number = 1.0,
    beta: _Number = 0.0,
    transpose: bool = False,
    conjugate_transpose: bool = False,
) -> _Out: ...
@overload
def gemv_batched(
    A: _Array,
    x: _Array,
    out: None = None,
    alpha: _Number = 1.0,
    beta: _Number = 0.0,
    transpose: bool = False,
    conjugate_transpose: bool = False,
) -> Any: ...
@overload
def gemv_batched(
    A: _Array,
    x: _Array,
    out: _Out,
    alpha: _Number = 1.0,
    beta: _Number = 0.0,
    transpose: bool = False,
    conjugate_transpose: bool = False,
) -> _Out: ...
@overload
def dot(x: array[float], y: array[float], out: None = None) -> float: ...
@overload
def dot(x: _Array, y: _Array, out: None = None) -> Any: ...
@overload
def dot(x: _Array, y: _Array, out: _Out) -> _Out: ...
@overload
def dotc(x: array[float], y: array[float], out: None = None) -> float: ...
@overload
def dotc(x: _Array, y: _Array, out: None = None) -> Any: ...
@overload
def dotc(x: _Array, y: _Array, out: _Out) -> _Out: ...
@overload
def nrm2(x: _Array, out: None = None) -> float: ...
@overload
def nrm2(x: _Array, out: _Out) -> _Out: ...
@overload
def asum(x: _Array, out: None = None) -> float: ...
@overload
def asum(x: _Array, out: _Out) -> _Out: ...
@overload
def sum(x: _Array, out: None = None) -> float: ...
@overload
def sum(x: _Array, out: _Out) -> _Out: ...
def iamax(x: _Array) -> int: ...
@overload
def transpose(A: _Array, out: None = None) -> Any: ...
@overload
def transpose(A: _Array, out: _Out) -> _Out: ...
@overload
def conjugate_transpose(A: _Array, out: None = None) -> Any: ...
@overload
def conjugate_transpose(A: _Array, out: _Out) -> _Out: ...
