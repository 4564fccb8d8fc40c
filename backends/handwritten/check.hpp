// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns CUDA errors and unusable arguments into exceptions that say what went wrong.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace abax::handwritten {

/// Throws std::runtime_error naming `call` unless `status` is success. After a launch, pass cudaGetLastError(): it
/// answers for the launch itself; what fails while the kernel runs is reported by a later call on the stream.
inline void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string("abax::handwritten: ") + call + ": " + cudaGetErrorName(status) + " (" +
                           cudaGetErrorString(status) + ")");
}

/// Throws std::invalid_argument: "abax::handwritten::FUNCTION: OPERAND is VALUE, expected EXPECTED".
[[noreturn]] inline void refuse(const char* function, const char* operand, std::int64_t value,
                                const std::string& expected) {
  throw std::invalid_argument(std::string("abax::handwritten::") + function + ": " + operand + " is " +
                              std::to_string(value) + ", expected " + expected);
}

/// An extent counts elements, so it is never negative.
inline void expect_extent(const char* function, const char* operand, std::int64_t extent) {
  if (extent < 0) refuse(function, operand, extent, "0 or more");
}

/// The leading dimension of a row-major matrix is at least its number of columns.
inline void expect_leading_dimension(const char* function, const char* operand, std::int64_t ld,
                                     const char* columns_name, std::int64_t columns) {
  if (ld >= columns) return;
  refuse(function, operand, ld, std::string("at least ") + columns_name + " = " + std::to_string(columns));
}

/// Lets blocks of `kernel` have `bytes` of dynamic shared memory, also more than 48 KB.
template <class... Arguments>
void allow_shared(void (*kernel)(Arguments...), int bytes) {
  check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "cudaFuncSetAttribute");
}

/// Rows that can be read and written 16 bytes at a time: so aligned, and so far apart.
template <class T>
void expect_words(const char* function, const char* operand, const T* data, std::int64_t ld) {
  constexpr std::int64_t wide = 16 / sizeof(T);
  if (reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && ld % wide == 0) return;
  throw std::invalid_argument(std::string("abax::handwritten::") + function + ": rows of " + operand +
                              " are not aligned to 16 bytes");
}

}  // namespace abax::handwritten
