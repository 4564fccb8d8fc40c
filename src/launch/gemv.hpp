// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemv: arguments checked, launched as the product with one column that it is.
#include "launch/product.hpp"

namespace abax::launch {

template <class Exec, class T>
struct gemv {
  static void run(const Exec& exec, const char* trans, T alpha, tile::matrix<const T> a, tile::vector<const T> x,
                  T beta, tile::vector<T> y, sharing memory = sharing::checked);
  /// One column of C, whose extents agree.
  static void launch(const char* function, const Exec& exec, const tile::product<T>& problem);
};

// Outside the class, and so not inline: only then does `extern template` keep it out of a user's translation unit, and
// the user's floating-point flags out of Abax' kernels.
template <class Exec, class T>
void gemv<Exec, T>::run(const Exec& exec, const char* trans, T alpha, tile::matrix<const T> a, tile::vector<const T> x,
                        T beta, tile::vector<T> y, sharing memory) {
  constexpr const char* function = "abax::gemv";
  if (memory == sharing::checked) {
    require_injective(function, "y", footprint_of(y));
    require_disjoint(function, "y", footprint_of(y), "A", footprint_of(a));
    require_disjoint(function, "y", footprint_of(y), "x", footprint_of(x));
  }
  if (transposition(function, "trans", trans) != 'N') a = a.transposed();
  require_equal(function, "extent 0 of op(A)", a.rows, "the extent of y", y.size);
  require_equal(function, "extent 1 of op(A)", a.cols, "the extent of x", x.size);
  launch(function, exec,
         tile::product<T>{a, {x.data, x.size, 1, x.stride, 0}, {y.data, y.size, 1, y.stride, 0}, {alpha, beta}});
}

template <class Exec, class T>
void gemv<Exec, T>::launch(const char* function, const Exec& exec, const tile::product<T>& problem) {
  product<shape::vector>(function, exec, problem);
}

#ifdef KOKKOS_ENABLE_OPENMP
extern template struct gemv<Kokkos::OpenMP, float>;
extern template struct gemv<Kokkos::OpenMP, double>;
extern template void run_product<backends::backend_for_t<Kokkos::OpenMP>, shape::vector, float>(
    const char*, const Kokkos::OpenMP&, const tile::product<float>&, const tile::product_plan&, index_t);
extern template void run_product<backends::backend_for_t<Kokkos::OpenMP>, shape::vector, double>(
    const char*, const Kokkos::OpenMP&, const tile::product<double>&, const tile::product_plan&, index_t);
#endif
#ifdef KOKKOS_ENABLE_CUDA
extern template struct gemv<Kokkos::Cuda, float>;
extern template struct gemv<Kokkos::Cuda, double>;
extern template void run_product<backends::backend_for_t<Kokkos::Cuda>, shape::vector, float>(
    const char*, const Kokkos::Cuda&, const tile::product<float>&, const tile::product_plan&, index_t);
extern template void run_product<backends::backend_for_t<Kokkos::Cuda>, shape::vector, double>(
    const char*, const Kokkos::Cuda&, const tile::product<double>&, const tile::product_plan&, index_t);
#endif

}  // namespace abax::launch
