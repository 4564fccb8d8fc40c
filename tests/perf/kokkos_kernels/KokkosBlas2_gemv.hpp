// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A stand-in for Kokkos Kernels: the same calls, computed in the plainest way.
#include <Kokkos_Core.hpp>

namespace KokkosBlas {

template <class A, class X, class Y>
struct stand_in_gemv {
  bool transposed;
  A a;
  X x;
  Y y;

  KOKKOS_FUNCTION void operator()(int i) const {
    typename Y::value_type sum = 0;
    for (std::size_t p = 0; p < x.extent(0); ++p) sum += (transposed ? a(p, i) : a(i, p)) * x(p);
    y(i) = sum;
  }
};

template <class Exec, class A, class X, class Y>
void gemv(const Exec& exec, const char trans[], typename A::const_value_type&, const A& a, const X& x,
          typename Y::const_value_type&, const Y& y) {
  Kokkos::parallel_for("stand-in", Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(y.extent(0))),
                       stand_in_gemv<A, X, Y>{trans[0] == 'T', a, x, y});
}

}  // namespace KokkosBlas
