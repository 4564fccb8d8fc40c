// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What all names of the BLAS for Fortran share.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../c/verbose.hpp"
#include "xerbla.hpp"

namespace abax::blas {
namespace fortran {  // the CBLAS has a `perform` of the same calls, which tells another function

/// call.run(), told under the `name` that was called; or tells the xerbla of this width of integers, which may jump out
/// of here, and to which "dgemm_64_" is "DGEMM ", six characters at least.
template <class Int, class Call>
auto perform(const char* name, const Call& call) {
  if (const int info = call.check(); info != 0) [[unlikely]] {
    char routine[24] = "      ";
    const std::size_t length = std::strlen(name) - (sizeof(Int) == 4 ? 1 : 4);
    for (std::size_t i = 0; i < length; ++i)
      routine[i] = static_cast<char>(name[i] >= 'a' ? name[i] - ('a' - 'A') : name[i]);  // nrm2
    complain(routine, Int{info});
    return decltype(call.run())();
  }
  return c::told(
      name, c::timing::of_all, [&](c::line& text) { call.describe(text); }, [&] { return call.run(); });
}

}  // namespace fortran

inline char itself(char trans) { return trans; }

}  // namespace abax::blas
