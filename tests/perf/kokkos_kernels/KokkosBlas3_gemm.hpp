// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A stand-in for Kokkos Kernels: the same calls, computed in the plainest way.
#include <Kokkos_Core.hpp>

namespace KokkosBlas {

template <class A, class B, class C>
struct stand_in_gemm {
  bool a_transposed, b_transposed;
  A a;
  B b;
  C c;

  KOKKOS_FUNCTION void operator()(int i) const {
    const std::size_t terms = a_transposed ? a.extent(0) : a.extent(1);
    for (std::size_t j = 0; j < c.extent(1); ++j) {
      typename C::value_type sum = 0;
      for (std::size_t p = 0; p < terms; ++p)
        sum += (a_transposed ? a(p, i) : a(i, p)) * (b_transposed ? b(j, p) : b(p, j));
      c(i, j) = sum;
    }
  }
};

template <class Exec, class A, class B, class C>
void gemm(const Exec& exec, const char a_is[], const char b_is[], typename A::const_value_type&, const A& a, const B& b,
          typename C::const_value_type&, const C& c) {
  Kokkos::parallel_for("stand-in", Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(c.extent(0))),
                       stand_in_gemm<A, B, C>{a_is[0] == 'T', b_is[0] == 'T', a, b, c});
}

}  // namespace KokkosBlas
