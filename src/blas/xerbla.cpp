// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In a file of its own: from a static library it is linked only into programs that have none.
#include "blas/xerbla.hpp"

#include <cinttypes>
#include <cstdio>

extern "C" {

void xerbla_(const char* routine, const std::int32_t* info, std::size_t length) {
  const std::int64_t wide = *info;
  xerbla_64_(routine, &wide, length);
}

void xerbla_64_(const char* routine, const std::int64_t* info, std::size_t length) {
  while (length > 0 && routine[length - 1] == ' ') --length;
  std::fprintf(stderr, " ** On entry to %.*s parameter number %2" PRId64 " had an illegal value\n",
               static_cast<int>(length), routine, *info);
}

}  // extern "C"
