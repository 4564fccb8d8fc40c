// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Who is told of a bad argument.
#include <cstddef>
#include <cstdint>

extern "C" {
// The program's, or another library's. None of ours: in the place of another BLAS it would take the place of those that
// other libraries bring for themselves, as NumPy does.
[[gnu::weak]] void xerbla_(const char* routine, const std::int32_t* info, std::size_t length);
[[gnu::weak]] void xerbla_64_(const char* routine, const std::int64_t* info, std::size_t length);
}

namespace abax::blas {

/// Tells the xerbla of the width of the routine's integers; if there is none, prints the reference's message (the
/// reference's own stops the program): nothing has been written.
void complain(const char* routine, std::int32_t info);
void complain(const char* routine, std::int64_t info);

}  // namespace abax::blas
