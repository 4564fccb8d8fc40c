// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The functor of tests that are not about functors: products are compiled once more for each functor's type, so these
/// tests share one.
#include <Kokkos_Core.hpp>
#include <abax/epilogue.hpp>

namespace abax::tests {

struct difference_of_places {
  template <class T>
  KOKKOS_FUNCTION T operator()(index_t i, index_t j, T value) const {
    return value + T(i - 2 * j);
  }
};

}  // namespace abax::tests
