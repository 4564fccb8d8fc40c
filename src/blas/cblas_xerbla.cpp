// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weak, so that a program may define either of the two alone.
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "abax/cblas.h"

namespace {

void print(std::int64_t info, const char* routine, const char* format, std::va_list arguments) {
  const auto exchange = [&](int a, int b) { info = info == a ? b : info == b ? a : info; };
  // The callers of gemmt and gemmtr have exchanged what there is.
  if (RowMajorStrg != 0 && std::strstr(routine, "gemm") != nullptr && std::strstr(routine, "gemmt") == nullptr) {
    exchange(4, 5);
    exchange(9, 11);
  } else if (RowMajorStrg != 0 && std::strstr(routine, "gemv") != nullptr) {
    exchange(3, 4);
  }
  if (info != 0) std::fprintf(stderr, "Parameter %" PRId64 " to routine %s was incorrect\n", info, routine);
  std::vfprintf(stderr, format, arguments);
}

}  // namespace

extern "C" {

int RowMajorStrg = 0;

[[gnu::weak]] void cblas_xerbla(std::int32_t info, const char* routine, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  print(info, routine, format, arguments);
  va_end(arguments);
}

[[gnu::weak]] void cblas_xerbla_64(std::int64_t info, const char* routine, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  print(info, routine, format, arguments);
  va_end(arguments);
}

}  // extern "C"
