// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm, as the library has it for common spaces and types: what gemm_def.hpp defines.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/checks.hpp"
#include "abax/detail/tile/complex_value.hpp"
#include "abax/detail/tile/functor.hpp"
#include "abax/detail/tile/matrix.hpp"

namespace abax::launch {

template <class Exec, class T>
struct gemm {
  static void run(const Exec& exec, const char* trans_a, const char* trans_b, T alpha, const tile::matrix<const T>& A,
                  const tile::matrix<const T>& B, T beta, const tile::matrix<T>& c, sharing memory = sharing::checked);
  using input = tile::conjugable<tile::matrix<const T>>;
  /// C <- alpha A B + beta E, where E is exactly C's elements or none of them, unless beta is 0; `function` is what
  /// errors name.
  static void update(const char* function, const Exec& exec, T alpha, const input& a, const input& b, T beta,
                     const input& e, const tile::matrix<T>& c);
  /// The same for the triangle `uplo` of a square C.
  static void run_triangle(const Exec& exec, const char* uplo, const char* trans_a, const char* trans_b, T alpha,
                           const tile::matrix<const T>& A, const tile::matrix<const T>& B, T beta,
                           const tile::matrix<T>& c, sharing memory = sharing::checked);
  /// And with op(A)^T for op(B).
  static void run_rank_k(const Exec& exec, const char* uplo, const char* trans, T alpha, const tile::matrix<const T>& A,
                         T beta, const tile::matrix<T>& c, sharing memory = sharing::checked);
  /// C <- alpha op(A) op(A)^H + beta C for the triangle `uplo`, whose diagonal becomes real; complex types alone.
  static void run_hermitian_rank_k(const Exec& exec, const char* uplo, const char* trans, tile::real_of<T> alpha,
                                   const tile::matrix<const T>& A, tile::real_of<T> beta, const tile::matrix<T>& c,
                                   sharing memory = sharing::checked) requires tile::is_complex<T>;
  /// C <- alpha A A^T + beta E for a triangle, where E is exactly C's elements, unless beta is 0; `function` is what
  /// errors name.
  static void update_rank_k(const char* function, const Exec& exec, const char* uplo, T alpha, const input& a, T beta,
                            const tile::matrix<const T>& e, const tile::matrix<T>& c);
  /// The same with A^H for A^T; beta must be real.
  static void update_hermitian_rank_k(const char* function, const Exec& exec, const char* uplo, tile::real_of<T> alpha,
                                      const input& a, T beta, const tile::matrix<const T>& e,
                                      const tile::matrix<T>& c) requires tile::is_complex<T>;
  /// Operands that have been checked.
  static void launch(const char* function, const Exec& exec, const tile::product<T>& problem);
};

extern template struct gemm<Kokkos::DefaultHostExecutionSpace, float>;
extern template struct gemm<Kokkos::DefaultHostExecutionSpace, double>;
extern template struct gemm<Kokkos::DefaultHostExecutionSpace, tile::complex<float>>;
extern template struct gemm<Kokkos::DefaultHostExecutionSpace, tile::complex<double>>;
#ifdef KOKKOS_ENABLE_CUDA
extern template struct gemm<Kokkos::Cuda, float>;
extern template struct gemm<Kokkos::Cuda, double>;
extern template struct gemm<Kokkos::Cuda, tile::complex<float>>;
extern template struct gemm<Kokkos::Cuda, tile::complex<double>>;
#endif

}  // namespace abax::launch
