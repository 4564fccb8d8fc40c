// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functors at the end of products that do not compile. Behind each stands the sentence that is the compiler's one error
// for it.
#include <Kokkos_Core.hpp>
#include <abax/epilogue.hpp>

// clang-format off

using exec = Kokkos::DefaultHostExecutionSpace;
using matrix = Kokkos::View<double**, Kokkos::HostSpace>;
using vector = Kokkos::View<double*, Kokkos::HostSpace>;
using single = Kokkos::View<float**, Kokkos::HostSpace>;
using singles = Kokkos::View<float*, Kokkos::HostSpace>;
using complexes = Kokkos::View<Kokkos::complex<double>*, Kokkos::HostSpace>;
using complex_matrix = Kokkos::View<Kokkos::complex<double>**, Kokkos::HostSpace>;
struct of_elements {
  KOKKOS_FUNCTION double operator()(abax::index_t, double value) const { return value; }
};
struct changing {
  KOKKOS_FUNCTION double operator()(abax::index_t, abax::index_t, double value) { return value; }
};
struct silent {
  KOKKOS_FUNCTION void operator()(abax::index_t, abax::index_t, double) const {}
};
namespace ends = abax::epilogue;

auto pair(vector x) { return ends::then(ends::column_bias(x), ends::relu()); }

void calls(exec e, matrix A, vector x, single F, singles f) {
  abax::gemm(e, "N", "N", 1, A, A, 0, A, of_elements());  // abax::gemm: the epilogue must be callable, const,
  abax::gemm("N", "N", 1, A, A, 0, A, changing());  // abax::gemm: the epilogue must be callable, const,
  abax::gemm("N", "N", 1, A, A, 0, A, silent());  // abax::gemm: the epilogue must be callable, const,
  abax::gemm("N", "N", 1, A, F, 0, A, ends::relu());  // abax: all operands of a call must hold the same type
  abax::gemm("N", "N", 1, A, x, 0, A, ends::relu());  // abax::gemm: A, B and C must be Views of rank 2
  abax::gemv(e, "N", 1, A, x, 0, x, ends::column_bias(x));  // abax::gemv: the epilogue must be callable, const,
  abax::gemm("N", "N", 1, A, A, 0, A, ends::column_bias(f));  // abax::gemm: the epilogue must be callable, const,
  abax::gemv("N", 1, A, x, 0, x, pair(x));  // abax::gemv: the epilogue must be callable, const,
  abax::gemv("N", 1, A, x, 0, x, changing());  // abax::gemv: the epilogue must be callable, const,
}
void of_complex(complex_matrix A, complexes x, vector y) {
  abax::gemv("N", 1, A, x, 0, x, ends::relu());  // abax::epilogue::relu: a complex number is not less than 0, nor more
  abax::gemm("N", "N", 1, A, A, 0, A, ends::row_scale(y));  // abax::gemm: the epilogue must be callable, const,
}
