# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dense kernels with the same bits on CPU and GPU: gemm, gemv and transpose on arrays as they lie, without a copy.

An operand is anything that speaks the buffer protocol (NumPy, array.array, memoryview) or DLPack (PyTorch, CuPy, JAX,
NumPy): float32 or float64, one type a call, any strides, all in host memory or all on the GPU that the library was
built for. Results are written into `out`, which is returned; it shares no memory with an input. When a call returns,
its result is there. What cannot be used raises abax.InvalidArgument before anything is written, with a message that
names the operand.
"""

from ._library import InvalidArgument, Failure
from ._kernels import gemm, gemv, transpose

__all__ = ["Failure", "InvalidArgument", "gemm", "gemv", "transpose"]
