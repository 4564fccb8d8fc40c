// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemv: arguments checked, launched as the product with one column that it is.
#include "abax/detail/launch/functor.hpp"
#include "abax/detail/launch/gemv.hpp"
#include "abax/detail/launch/product.hpp"
#include "abax/detail/launch/stream_def.hpp"

namespace abax::launch {

// Operands by reference: a copy of what the caller has just written costs more than the check of it.

/// y <- alpha op(A) x + beta y as a problem; throws where that is none.
template <class T>
[[gnu::always_inline]] inline tile::product<T> checked_product(const char* function, const char* trans, T alpha,
                                                               const tile::matrix<const T>& A,
                                                               const tile::vector<const T>& x, T beta,
                                                               const tile::vector<T>& y, sharing memory) {
  if (memory == sharing::checked) {
    require_memory_of(function, alpha, "A", A, "x", tile::column(x), "y", tile::column(y));
    require_injective(function, "y", footprint_of(y));
    require_disjoint(function, "y", footprint_of(y), "A", footprint_of(A));
    require_disjoint(function, "y", footprint_of(y), "x", footprint_of(x));
  }
  const char op = transposition(function, "trans", trans);
  const tile::matrix<const T> a = op == 'N' ? A : A.transposed();
  require_equal(function, "extent 0 of op(A)", a.rows, "the extent of y", y.size);
  require_equal(function, "extent 1 of op(A)", a.cols, "the extent of x", x.size);
  tile::product<T> p{a, tile::column(x), tile::column(y), {alpha, beta}};
  p.conjugated_a = op == 'C';
  return p;
}

// Outside the class, and so not inline: only then does `extern template` keep it out of a user's translation unit, and
// the user's floating-point flags out of Abax' kernels.
template <class Exec, class T>
void gemv<Exec, T>::run(const Exec& exec, const char* trans, T alpha, const tile::matrix<const T>& a,
                        const tile::vector<const T>& x, T beta, const tile::vector<T>& y, sharing memory) {
  constexpr const char* function = "abax::gemv";
  product<shape::vector>(function, exec, checked_product(function, trans, alpha, a, x, beta, y, memory));
}

/// A functor of elements as one of a matrix of one column.
template <class Functor>
struct functor_of_column {
  Functor functor;

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(index_t i, index_t, T value) const {
    return functor(i, value);
  }
};
/// The same with a functor at its end.
template <class Exec, class T, class Functor>
void gemv_ending_in(const Exec& exec, const char* trans, T alpha, const tile::matrix<const T>& a,
                    const tile::vector<const T>& x, T beta, const tile::vector<T>& y, const Functor& functor) {
  constexpr const char* function = "abax::gemv";
  const auto product_alone = checked_product(function, trans, alpha, a, x, beta, y, sharing::checked);
  check_functor(functor, {function, "y", "the extent of y", "the one column of y", footprint_of(y)});
  product<shape::vector>(function, exec, tile::product<T, functor_of_column<Functor>>{product_alone, {functor}});
}

/// c <- e, or its conjugate, which may be c's own.
template <class Exec, class T>
void copy_addend(const Exec& exec, const tile::conjugable<tile::matrix<const T>>& e, const tile::matrix<T>& c) {
  if constexpr (tile::is_complex<T>) {
    if (e.conjugated) return transpose<Exec, T>::run_conjugated(exec, e.elements.transposed(), c, sharing::trusted);
  }
  stream<Exec, T>::copy(exec, e.elements, c, sharing::trusted);
}

template <class Exec, class T>
void gemv<Exec, T>::update(const char* function, const Exec& exec, T alpha,
                           const tile::conjugable<tile::matrix<const T>>& A, const input& X, T beta, const input& Y,
                           const tile::vector<T>& z) {
  const tile::matrix<const T>& a = A.elements;
  const tile::vector<const T>&x = X.elements, &y = Y.elements;
  const bool reads = !tile::is_zero(beta);
  const bool separate = reads && !same_elements(footprint_of(y), footprint_of(z));
  require_equal(function, "the extent of y", y.size, "the extent of z", z.size);
  require_equal(function, "extent 0 of A", a.rows, "the extent of z", z.size);
  require_equal(function, "extent 1 of A", a.cols, "the extent of x", x.size);
  require_memory_of(function, alpha, "A", a, "x", tile::column(x), "z", tile::column(z));
  require_memory(function, "y", footprint_of(y), separate);
  require_injective(function, "z", footprint_of(z));
  if (separate) require_disjoint(function, "z", footprint_of(z), "y", footprint_of(y));
  require_disjoint(function, "z", footprint_of(z), "A", footprint_of(a));
  require_disjoint(function, "z", footprint_of(z), "x", footprint_of(x));
  if (separate || (reads && Y.conjugated)) copy_addend<Exec, T>(exec, {tile::column(y), Y.conjugated}, tile::column(z));
  tile::product<T> problem{a, tile::column(x), tile::column(z), {alpha, beta}};
  problem.conjugated_a = A.conjugated;
  problem.conjugated_b = X.conjugated;
  launch(function, exec, problem);
}

template <class Exec, class T>
void gemv<Exec, T>::launch(const char* function, const Exec& exec, const tile::product<T>& problem) {
  product<shape::vector>(function, exec, problem);
}

#ifdef KOKKOS_ENABLE_OPENMP
extern template struct gemv<openmp::instance, float>;
extern template struct gemv<openmp::instance, double>;
extern template struct gemv<openmp::instance, tile::complex<float>>;
extern template struct gemv<openmp::instance, tile::complex<double>>;
extern template struct product_rows<openmp::backend, shape::vector, float>;
extern template struct product_rows<openmp::backend, shape::vector, double>;
extern template struct product_rows<openmp::backend, shape::vector, tile::complex<float>>;
extern template struct product_rows<openmp::backend, shape::vector, tile::complex<double>>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
extern template struct product_rows<cuda::backend, shape::vector, float>;
extern template struct product_rows<cuda::backend, shape::vector, double>;
extern template struct product_rows<cuda::backend, shape::vector, tile::complex<float>>;
extern template struct product_rows<cuda::backend, shape::vector, tile::complex<double>>;
#endif

}  // namespace abax::launch
