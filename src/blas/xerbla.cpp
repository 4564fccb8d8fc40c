// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "xerbla.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace abax::blas {

void complain(const char* routine, std::int32_t info) {
  if (xerbla_ != nullptr) return xerbla_(routine, &info, std::strlen(routine));
  complain(routine, std::int64_t{info});
}

void complain(const char* routine, std::int64_t info) {
  if (xerbla_64_ != nullptr) return xerbla_64_(routine, &info, std::strlen(routine));
  const int length = static_cast<int>(std::strcspn(routine, " "));
  std::fprintf(stderr, " ** On entry to %.*s parameter number %2" PRId64 " had an illegal value\n", length, routine,
               info);
}

}  // namespace abax::blas
