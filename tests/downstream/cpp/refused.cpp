// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that do not compile. Behind each stands the sentence that is the compiler's one error for it.
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <vector>

// clang-format off

using exec = Kokkos::DefaultHostExecutionSpace;
using matrix = Kokkos::View<double**, Kokkos::HostSpace>;
using vector = Kokkos::View<double*, Kokkos::HostSpace>;
using single = Kokkos::View<float**, Kokkos::HostSpace>;
using constant = Kokkos::View<const double**, Kokkos::HostSpace>;
using whole = Kokkos::View<int**, Kokkos::HostSpace>;
using number = Kokkos::View<double, Kokkos::HostSpace>;
/// An execution space that the library is not compiled for.
struct elsewhere : Kokkos::DefaultHostExecutionSpace {
  using execution_space = elsewhere;
};

void calls(exec e, matrix A, vector x, single F, constant K, whole I, number r, std::vector<double> v) {
  abax::gemm(e, "N", "N", 1, A, F, 0, A);     // abax: all operands of a call must hold the same type
  abax::gemm("N", "N", 1, F, F, 0, A);        // abax: all operands of a call must hold the same type
  abax::gemm(e, "N", "N", 1, A, A, 0, K);     // abax: the output must not be const
  abax::gemm(e, "N", "N", 1, A, x, 0, A);     // abax::gemm: A, B and C must be Views of rank 2
  abax::gemm("N", "N", 1, A, A, 0, v);        // abax::gemm: A, B and C must be Views of rank 2
  abax::gemm(e, "N", "N", 1, I, I, 0, I);     // abax: operands must hold float, double, or complex numbers of them
  abax::gemm(elsewhere(), "N", "N", 1, A, A, 0, A);  // abax: no kernels are compiled for this execution space
  abax::gemv(e, "N", 1, A, A, 0, x);          // abax::gemv: A must be a View of rank 2, x and y Views of rank 1
  abax::gemv("N", 1, F, x, 0, x);             // abax: all operands of a call must hold the same type
  abax::dot(e, x, x, x);                      // abax: a dot product needs Views x and y of rank 1 and a result
  abax::dot(x, A, r);                         // abax: a dot product needs Views x and y of rank 1 and a result
  abax::dot(x, A);                            // abax: a dot product needs Views x and y of rank 1
  abax::transpose(e, K, K);                   // abax: the output must not be const
  abax::transpose(x);                         // abax::transpose: A must be a View of rank 2
  abax::axpby(e, 1, A, 1, x);                 // abax::axpby: x and y must be Views of the same rank, 1 or 2
  abax::scal(A, 1, r);                        // abax::scal: y and x must be Views of the same rank, 1 or 2
  abax::copy(e, F, A);                        // abax: all operands of a call must hold the same type
  abax::triad(1, F, A, A);                    // abax: all operands of a call must hold the same type
  abax::increment(1, v);                      // abax::increment: x must be a View of rank 1
  abax::linalg::matrix_product(e, v, v, v);   // abax::linalg::matrix_product: A, B and C must be mdspans of rank 2
  abax::linalg::matrix_product(e, A.to_mdspan(), A.to_mdspan(), abax::linalg::scaled(2.0, A.to_mdspan()));
  //                                             abax::linalg: the output must be plain and not const
  abax::linalg::matrix_product(e, A.to_mdspan(), F.to_mdspan(), A.to_mdspan());
  //                                             abax::linalg: all operands of a call must hold the same type
}
