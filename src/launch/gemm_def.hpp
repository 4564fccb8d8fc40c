// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm: arguments checked, roles settled, launched.
#include <string>

#include "abax/detail/launch/functor.hpp"
#include "abax/detail/launch/gemm.hpp"
#include "abax/detail/launch/gemv_def.hpp"
#include "abax/detail/launch/product.hpp"
#include "abax/detail/launch/transpose_def.hpp"

namespace abax::launch {

// Operands by reference: a copy of what the caller has just written costs more than the check of it.

template <class Exec, class T>
[[gnu::always_inline]] inline void product_of_any_shape(const char* function, const Exec& exec,
                                                        const tile::product<T>& problem) {
  const tile::product<T> written_along_rows = tile::along_rows(problem);
  if (written_along_rows.c.cols == 1)
    gemv<Exec, T>::launch(function, exec, tile::product<T>(written_along_rows));
  else
    product<shape::matrix>(function, exec, written_along_rows);
}

/// Throws unless the operands of gemm or gemmt have memory, and C has its own.
template <class T>
[[gnu::always_inline]] inline void require_separate(const char* function, T alpha, const tile::matrix<const T>& A,
                                                    const tile::matrix<const T>& B, const tile::matrix<T>& c) {
  require_memory_of(function, alpha, "A", A, "B", B, "C", c);
  require_injective(function, "C", footprint_of(c));
  require_disjoint(function, "C", footprint_of(c), "A", footprint_of(A));
  require_disjoint(function, "C", footprint_of(c), "B", footprint_of(B));
}
/// Throws unless op(A) op(B) has C's extents.
template <class T>
[[gnu::always_inline]] inline void require_extents(const char* function, const tile::matrix<const T>& a,
                                                   const tile::matrix<const T>& b, const tile::matrix<T>& c) {
  require_equal(function, "extent 0 of op(A)", a.rows, "extent 0 of C", c.rows);
  require_equal(function, "extent 1 of op(A)", a.cols, "extent 0 of op(B)", b.rows);
  require_equal(function, "extent 1 of op(B)", b.cols, "extent 1 of C", c.cols);
}

/// C <- alpha op(A) op(B) + beta C as a problem; throws where that is none.
template <class T>
[[gnu::always_inline]] inline tile::product<T> checked_product(const char* function, const char* trans_a,
                                                               const char* trans_b, T alpha,
                                                               const tile::matrix<const T>& A,
                                                               const tile::matrix<const T>& B, T beta,
                                                               const tile::matrix<T>& c, sharing memory) {
  if (memory == sharing::checked) require_separate(function, alpha, A, B, c);
  const char op_a = transposition(function, "transA", trans_a), op_b = transposition(function, "transB", trans_b);
  tile::product<T> p{op_a == 'N' ? A : A.transposed(), op_b == 'N' ? B : B.transposed(), c, {alpha, beta}};
  p.conjugated_a = op_a == 'C';
  p.conjugated_b = op_b == 'C';
  require_extents(function, p.a, p.b, c);
  return p;
}

// Outside the class, and so not inline: only then does `extern template` keep it out of a user's translation unit, and
// the user's floating-point flags out of Abax' kernels.
template <class Exec, class T>
void gemm<Exec, T>::run(const Exec& exec, const char* trans_a, const char* trans_b, T alpha,
                        const tile::matrix<const T>& A, const tile::matrix<const T>& B, T beta,
                        const tile::matrix<T>& c, sharing memory) {
  constexpr const char* function = "abax::gemm";
  product_of_any_shape(function, exec, checked_product(function, trans_a, trans_b, alpha, A, B, beta, c, memory));
}

/// The same with a functor at its end.
template <class Exec, class T, class Functor>
void gemm_ending_in(const Exec& exec, const char* trans_a, const char* trans_b, T alpha, const tile::matrix<const T>& A,
                    const tile::matrix<const T>& B, T beta, const tile::matrix<T>& c, const Functor& functor) {
  constexpr const char* function = "abax::gemm";
  const auto product_alone = checked_product(function, trans_a, trans_b, alpha, A, B, beta, c, sharing::checked);
  check_functor(functor, {function, "C", "extent 0 of C", "extent 1 of C", footprint_of(c)});
  const auto problem = tile::along_rows(tile::product<T, Functor>{product_alone, functor});
  if (problem.c.cols == 1)
    product<shape::vector>(function, exec, problem);
  else
    product<shape::matrix>(function, exec, problem);
}

inline tile::triangle part_of(const char* function, const char* uplo) {
  return triangle(function, "uplo", uplo) == 'L' ? tile::triangle::lower : tile::triangle::upper;
}

template <class Exec, class T>
void gemm<Exec, T>::run_triangle(const Exec& exec, const char* uplo, const char* trans_a, const char* trans_b, T alpha,
                                 const tile::matrix<const T>& A, const tile::matrix<const T>& B, T beta,
                                 const tile::matrix<T>& c, sharing memory) {
  constexpr const char* function = "abax::gemmt";
  tile::product<T> problem = checked_product(function, trans_a, trans_b, alpha, A, B, beta, c, memory);
  require_equal(function, "extent 0 of C", c.rows, "extent 1 of C", c.cols);
  problem.c = {c, part_of(function, uplo)};
  launch(function, exec, problem);
}

/// C <- alpha A A^T + beta C, C square; `rows` is what errors call A's first extent.
template <class T>
void check_rank_k(const char* function, const char* rows, T alpha, const tile::matrix<const T>& a,
                  const tile::matrix<T>& c, sharing memory) {
  if (memory == sharing::checked) {
    require_memory_of(function, alpha, "A", a, "A", a, "C", c);
    require_injective(function, "C", footprint_of(c));
    require_disjoint(function, "C", footprint_of(c), "A", footprint_of(a));
  }
  require_equal(function, "extent 0 of C", c.rows, "extent 1 of C", c.cols);
  require_equal(function, rows, a.rows, "extent 0 of C", c.rows);
}

template <class Exec, class T>
void gemm<Exec, T>::run_rank_k(const Exec& exec, const char* uplo, const char* trans, T alpha,
                               const tile::matrix<const T>& A, T beta, const tile::matrix<T>& c, sharing memory) {
  constexpr const char* function = "abax::syrk";
  const tile::triangle part = part_of(function, uplo);
  const char op = tile::is_complex<T>
                      ? transposition(function, "trans", trans, 'C', "\"N\" or \"T\" (herk takes \"C\")")
                      : transposition(function, "trans", trans);
  const auto a = op == 'N' ? A : A.transposed();
  check_rank_k(function, "extent 0 of op(A)", alpha, a, c, memory);
  launch(function, exec, tile::product<T>{a, a.transposed(), {c, part}, {alpha, beta}});
}

/// C <- alpha A A^H + beta C, operands checked.
template <class Exec, class Real>
void hermitian_rank_k(const char* function, const Exec& exec, Real alpha,
                      const tile::conjugable<tile::matrix<const tile::complex<Real>>>& A, Real beta,
                      const tile::output<tile::complex<Real>>& c) {
  using T = tile::complex<Real>;
  const auto& a = A.elements;
  tile::product<T> problem{a, a.transposed(), c, {T{alpha}, T{beta}}};
  problem.conjugated_a = A.conjugated;
  problem.conjugated_b = !A.conjugated;
  const bool adds = !tile::is_zero(alpha) && a.cols != 0;
  if (c.rows == 0 || (!adds && tile::is_one(beta))) return;  // C stays as it is, its diagonal too
  const tile::matrix<Real> imaginary{&c.data->im, c.rows, 1, 2 * (c.row_stride + c.col_stride), 0};
  const tile::matrix<const Real> unread{imaginary.data, c.rows, 1, imaginary.row_stride, 0};
  const auto make_diagonal_real = [&] {
    stream<Exec, Real>::combine(function, exec, Real(0), unread, Real(0), "C", unread, "C", imaginary,
                                sharing::trusted);
  };
  if (!tile::is_zero(beta) && !tile::is_one(beta))
    make_diagonal_real();  // a factor would bring what lies there into re
  gemm<Exec, T>::launch(function, exec, problem);
  make_diagonal_real();
}

template <class Exec, class T>
void gemm<Exec, T>::run_hermitian_rank_k(const Exec& exec, const char* uplo, const char* trans, tile::real_of<T> alpha,
                                         const tile::matrix<const T>& A, tile::real_of<T> beta,
                                         const tile::matrix<T>& c, sharing memory) requires tile::is_complex<T> {
  constexpr const char* function = "abax::herk";
  const tile::triangle part = part_of(function, uplo);
  const char op = transposition(function, "trans", trans, 'T', "\"N\" or \"C\"");
  const auto a = op == 'N' ? A : A.transposed();
  check_rank_k(function, "extent 0 of op(A)", T{alpha}, a, c, memory);
  if constexpr (tile::is_complex<T>)  // which Clang 14 does not ask before it instantiates a class
    hermitian_rank_k(function, exec, alpha, {a, op == 'C'}, beta, {c, part});
}

template <class Exec, class T>
void gemm<Exec, T>::update(const char* function, const Exec& exec, T alpha, const input& A, const input& B, T beta,
                           const input& E, const tile::matrix<T>& c) {
  const tile::matrix<const T>&a = A.elements, &b = B.elements, &e = E.elements;
  const bool reads = !tile::is_zero(beta);
  const bool separate = reads && !same_elements(footprint_of(e), footprint_of(c));
  require_equal(function, "extent 0 of E", e.rows, "extent 0 of C", c.rows);
  require_equal(function, "extent 1 of E", e.cols, "extent 1 of C", c.cols);
  require_equal(function, "extent 0 of A", a.rows, "extent 0 of C", c.rows);
  require_equal(function, "extent 1 of A", a.cols, "extent 0 of B", b.rows);
  require_equal(function, "extent 1 of B", b.cols, "extent 1 of C", c.cols);
  require_memory_of(function, alpha, "A", a, "B", b, "C", c);
  require_memory(function, "E", footprint_of(e), separate);
  require_injective(function, "C", footprint_of(c));
  if (separate) require_disjoint(function, "C", footprint_of(c), "E", footprint_of(e));
  require_disjoint(function, "C", footprint_of(c), "A", footprint_of(a));
  require_disjoint(function, "C", footprint_of(c), "B", footprint_of(b));
  if (separate || (reads && E.conjugated)) copy_addend<Exec, T>(exec, E, c);
  tile::product<T> problem{a, b, c, {alpha, beta}};
  problem.conjugated_a = A.conjugated;
  problem.conjugated_b = B.conjugated;
  launch(function, exec, problem);
}

template <class Exec, class T>
void gemm<Exec, T>::update_rank_k(const char* function, const Exec& exec, const char* uplo, T alpha, const input& A,
                                  T beta, const tile::matrix<const T>& e, const tile::matrix<T>& c) {
  const tile::matrix<const T>& a = A.elements;
  if (!tile::is_zero(beta)) require_same(function, "C", footprint_of(c), "E", footprint_of(e));
  check_rank_k(function, "extent 0 of A", alpha, a, c, sharing::checked);
  tile::product<T> problem{a, a.transposed(), {c, part_of(function, uplo)}, {alpha, beta}};
  problem.conjugated_a = problem.conjugated_b = A.conjugated;
  launch(function, exec, problem);
}

template <class Exec, class T>
void gemm<Exec, T>::update_hermitian_rank_k(const char* function, const Exec& exec, const char* uplo,
                                            tile::real_of<T> alpha, const input& A, T beta,
                                            const tile::matrix<const T>& e,
                                            const tile::matrix<T>& c) requires tile::is_complex<T> {
  if constexpr (tile::is_complex<T>) {  // as above
    if (!tile::is_zero(beta.im)) throw invalid_argument(std::string(function) + ": E's factor is not real");
    if (!tile::is_zero(beta)) require_same(function, "C", footprint_of(c), "E", footprint_of(e));
    check_rank_k(function, "extent 0 of A", T{alpha}, A.elements, c, sharing::checked);
    hermitian_rank_k(function, exec, alpha, A, beta.re, {c, part_of(function, uplo)});
  }
}

template <class Exec, class T>
void gemm<Exec, T>::launch(const char* function, const Exec& exec, const tile::product<T>& problem) {
  product_of_any_shape(function, exec, problem);
}

#ifdef KOKKOS_ENABLE_OPENMP
extern template struct gemm<openmp::instance, float>;
extern template struct gemm<openmp::instance, double>;
extern template struct gemm<openmp::instance, tile::complex<float>>;
extern template struct gemm<openmp::instance, tile::complex<double>>;
extern template struct product_rows<openmp::backend, shape::matrix, float>;
extern template struct product_rows<openmp::backend, shape::matrix, double>;
extern template struct product_rows<openmp::backend, shape::matrix, tile::complex<float>>;
extern template struct product_rows<openmp::backend, shape::matrix, tile::complex<double>>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
extern template struct product_rows<cuda::backend, shape::matrix, float>;
extern template struct product_rows<cuda::backend, shape::matrix, double>;
extern template struct product_rows<cuda::backend, shape::matrix, tile::complex<float>>;
extern template struct product_rows<cuda::backend, shape::matrix, tile::complex<double>>;
#endif

}  // namespace abax::launch
