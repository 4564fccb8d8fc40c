// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Who is told of a bad argument. A program's own function of one of these names takes the place of ours.
#include <cstddef>
#include <cstdint>

extern "C" {
/// Prints the reference's message and returns (the reference's own stops the program): nothing has been written.
void xerbla_(const char* routine, const std::int32_t* info, std::size_t length);
void xerbla_64_(const char* routine, const std::int64_t* info, std::size_t length);
}
