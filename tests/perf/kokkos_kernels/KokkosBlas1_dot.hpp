// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A stand-in for Kokkos Kernels: the same calls, computed in the plainest way.
#include <Kokkos_Core.hpp>

namespace KokkosBlas {

template <class Result, class X, class Y>
struct stand_in_dot {
  Result result;
  X x;
  Y y;

  KOKKOS_FUNCTION void operator()(int) const {
    typename Result::value_type sum = 0;
    for (std::size_t i = 0; i < x.extent(0); ++i) sum += x(i) * y(i);
    result() = sum;
  }
};

template <class Exec, class Result, class X, class Y>
void dot(const Exec& exec, const Result& result, const X& x, const Y& y) {
  Kokkos::parallel_for("stand-in", Kokkos::RangePolicy<Exec>(exec, 0, 1), stand_in_dot<Result, X, Y>{result, x, y});
}

}  // namespace KokkosBlas
