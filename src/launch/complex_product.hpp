// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A complex product by the kernels of real ones, for machines whose catalogue has nothing better: its bits are those
/// of a real product of twice the terms.
#include <Kokkos_Core.hpp>
#include <new>

#include "abax/detail/launch/gemm.hpp"
#include "abax/detail/launch/product.hpp"
#include "abax/detail/launch/stream_def.hpp"
#include "abax/detail/tile/parts.hpp"

namespace abax::launch {

/// A real matrix in a workspace, its lines on whole multiples of 128 bytes.
template <class Real>
struct matrix_aside {
  index_t rows, cols;
  bool along_cols;  ///< rows are contiguous

  index_t line() const { return aligned_length<Real>(along_cols ? cols : rows); }
  index_t elements() const { return line() * (along_cols ? rows : cols); }
  tile::matrix<Real> at(Real* memory) const {
    return along_cols ? tile::matrix<Real>{memory, rows, cols, line(), 1}
                      : tile::matrix<Real>{memory, rows, cols, 1, line()};
  }
};
template <class T>
tile::matrix<const T> to_read(const tile::matrix<T>& m) {
  return {m.data, m.rows, m.cols, m.row_stride, m.col_stride};
}

/// C <- epilogue(A B) of complex matrices that have terms and outputs, alpha not 0; false, and nothing done, where
/// there is no memory for the real ones. A is left where it lies if its rows are contiguous and it is not to be
/// conjugated.
template <class Exec, class Real, class Functor>
bool multiply_parts(const char* function, const Exec& exec,
                    const tile::product<tile::complex<Real>, Functor>& problem) {
  using T = tile::complex<Real>;
  using backend = backends::backend_for_t<Exec>;
  const index_t m = problem.c.rows, n = problem.c.cols, k = problem.terms();
  const auto runs_along_cols = [](const auto& x) { return x.row_stride != 1 && x.col_stride == 1; };
  const bool a_along_terms = runs_along_cols(problem.a), b_along_cols = runs_along_cols(problem.b);
  const bool c_along_cols = runs_along_cols(problem.c);
  const bool copies_a = !a_along_terms || problem.conjugated_a;
  const matrix_aside<Real> left{m, 2 * k, a_along_terms}, right{2 * k, 2 * n, b_along_cols},
      result{m, 2 * n, c_along_cols};
  const index_t left_size = copies_a ? left.elements() : 0;
  try {
    const typename backend::workspace workspace(exec, sizeof(Real) * (left_size + right.elements() + result.elements()),
                                                0);
    auto* const memory = static_cast<Real*>(workspace.sums());
    const tile::matrix<Real> b = right.at(memory + left_size), sums = result.at(memory + left_size + right.elements());
    tile::matrix<const Real> a{&problem.a.data->re, m, 2 * k, 2 * problem.a.row_stride, 1};
    if (copies_a) {
      a = to_read(left.at(memory));
      run_stream<backend>(function, exec,
                          tile::left_parts<T>{problem.a, left.at(memory), problem.conjugated_a, {m, k, a_along_terms}});
    }
    run_stream<backend>(function, exec, tile::right_parts<T>{problem.b, b, problem.conjugated_b, {k, n, b_along_cols}});
    gemm<Exec, Real>::launch(function, exec, tile::product<Real>{a, to_read(b), sums, {Real(1), Real(0)}});
    run_stream<backend>(function, exec, tile::joined_parts<T, Functor>{problem, to_read(sums), {m, n, c_along_cols}});
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  } catch (const resource_error&) {  // for the real product; C is as it was
    return false;
  }
}

/// Whether that takes less time than the backend's own kernels for complex products.
template <class Backend, class T, class Functor>
bool gains_by_parts(const tile::product<T, Functor>& problem) {
  if constexpr (tile::is_complex<T> && Backend::multiplies_parts) {
    constexpr double least = 32.0 * 32 * 32;  // terms of outputs, which are worth four launches
    return problem.c.cols > 1 && problem.c.rows > 1 && !tile::is_zero(problem.epilogue.alpha) &&
           double(problem.c.rows) * double(problem.c.cols) * double(problem.terms()) >= least;
  } else {
    return false;
  }
}

}  // namespace abax::launch
