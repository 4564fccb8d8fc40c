// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weak, so that a program may define either of the two alone.
#include "blas/xerbla.hpp"

#include <cinttypes>
#include <cstdio>

extern "C" {

[[gnu::weak]] void xerbla_(const char* routine, const std::int32_t* info, std::size_t length) {
  const std::int64_t wide = *info;
  xerbla_64_(routine, &wide, length);
}

[[gnu::weak]] void xerbla_64_(const char* routine, const std::int64_t* info, std::size_t length) {
  while (length > 0 && routine[length - 1] == ' ') --length;
  std::fprintf(stderr, " ** On entry to %.*s parameter number %2" PRId64 " had an illegal value\n",
               static_cast<int>(length), routine, *info);
}

}  // extern "C"
