// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm: arguments checked, roles settled, launched.
#include "launch/gemv.hpp"
#include "launch/product.hpp"

namespace abax::launch {

template <class Exec, class T>
struct gemm {
  static void run(const Exec& exec, const char* trans_a, const char* trans_b, T alpha, const tile::matrix<const T>& A,
                  const tile::matrix<const T>& B, T beta, const tile::matrix<T>& c, sharing memory = sharing::checked);
};

// Operands by reference: a copy of what the caller has just written costs more than the check of it.
// Outside the class, and so not inline: only then does `extern template` keep it out of a user's translation unit, and
// the user's floating-point flags out of Abax' kernels.
template <class Exec, class T>
void gemm<Exec, T>::run(const Exec& exec, const char* trans_a, const char* trans_b, T alpha,
                        const tile::matrix<const T>& A, const tile::matrix<const T>& B, T beta,
                        const tile::matrix<T>& c, sharing memory) {
  constexpr const char* function = "abax::gemm";
  if (memory == sharing::checked) {
    require_injective(function, "C", footprint_of(c));
    require_disjoint(function, "C", footprint_of(c), "A", footprint_of(A));
    require_disjoint(function, "C", footprint_of(c), "B", footprint_of(B));
  }
  const auto a = transposition(function, "transA", trans_a) == 'N' ? A : A.transposed();
  const auto b = transposition(function, "transB", trans_b) == 'N' ? B : B.transposed();
  require_equal(function, "extent 0 of op(A)", a.rows, "extent 0 of C", c.rows);
  require_equal(function, "extent 1 of op(A)", a.cols, "extent 0 of op(B)", b.rows);
  require_equal(function, "extent 1 of op(B)", b.cols, "extent 1 of C", c.cols);
  tile::product<T> problem{a, b, c, {alpha, beta}};
  // C^T = op(B)^T op(A)^T: primitives write C along its rows index. Each product and sum stays the same.
  if (c.rows == 1 || (c.row_stride != 1 && c.col_stride == 1 && c.cols != 1))
    problem = {b.transposed(), a.transposed(), c.transposed(), {alpha, beta}};
  if (problem.c.cols == 1)
    gemv<Exec, T>::launch(function, exec, problem);
  else
    product<shape::matrix>(function, exec, problem);
}

#ifdef KOKKOS_ENABLE_OPENMP
extern template struct gemm<Kokkos::OpenMP, float>;
extern template struct gemm<Kokkos::OpenMP, double>;
extern template void run_product<backends::backend_for_t<Kokkos::OpenMP>, shape::matrix, float>(
    const char*, const Kokkos::OpenMP&, const tile::product<float>&, const tile::product_plan&, index_t);
extern template void run_product<backends::backend_for_t<Kokkos::OpenMP>, shape::matrix, double>(
    const char*, const Kokkos::OpenMP&, const tile::product<double>&, const tile::product_plan&, index_t);
#endif
#ifdef KOKKOS_ENABLE_CUDA
extern template struct gemm<Kokkos::Cuda, float>;
extern template struct gemm<Kokkos::Cuda, double>;
extern template void run_product<backends::backend_for_t<Kokkos::Cuda>, shape::matrix, float>(
    const char*, const Kokkos::Cuda&, const tile::product<float>&, const tile::product_plan&, index_t);
extern template void run_product<backends::backend_for_t<Kokkos::Cuda>, shape::matrix, double>(
    const char*, const Kokkos::Cuda&, const tile::product<double>&, const tile::product_plan&, index_t);
#endif

}  // namespace abax::launch
