// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The OpenMP backend's catalogue for complex values: products by panels, and what complex.hpp has.
#include "abax/detail/backends/openmp/batch.hpp"
#include "abax/detail/backends/openmp/complex.hpp"
#include "abax/detail/backends/openmp/rows.hpp"

namespace abax::openmp {

/// Products that are over before a second core has begun: one team's work, without a plan.
template <class T>
struct small_complex_gemm {
  using primitives = matrix_product<T, member>;
  static bool serves(const tile::product<T>& problem) {
    return is_small(problem.c.rows, problem.c.cols, 4 * problem.terms(), 4 * tile::canon_block_of<T>);
  }
  static typename primitives::parameters parameters(const tile::product<T>& problem) {
    const tile::product_tile whole{static_cast<int>(problem.c.rows), static_cast<int>(problem.c.cols), 256, 1};
    return primitives::parameters_for(problem, whole, kernels<T>());
  }
};
template <class T>
struct small_complex_gemv {
  using primitives = complex_vector_product<T, member>;
  static bool serves(const tile::product<T>& problem) {
    return is_small_vector<T>(problem.c.rows, problem.terms()) && problem.terms() <= tile::canon_block_of<T>;
  }
  static typename primitives::parameters parameters(const tile::product<T>& problem) {
    const tile::product_tile whole{static_cast<int>(problem.c.rows), 1, static_cast<int>(tile::canon_block_of<T>), 1};
    return {whole, &kernels<T>()};
  }
};

template <class Real>
struct matrix_rows<tile::complex<Real>> {
  using T = tile::complex<Real>;
  using groups = backends::groups<backends::rows<fitted_gemm<T>>>;
  static int group_of(const tile::product<T>&, const machine&) { return 0; }
  static int preferred(const tile::product<T>&, const machine&) { return 0; }
  using immediate = backends::rows<small_complex_gemm<T>>;
  static constexpr auto gain_by_copies = backends::never_copied;
};

template <class T>
struct complex_gemv {
  using primitives = complex_vector_product<T, member>;
  static constexpr const char* name = "fitted";
  static constexpr bool takes_functors = true;
  static constexpr tile::product_cost cost{};
  static constexpr auto serves = backends::always;
  static tile::product_tile tile_for(const tile::product<T>& problem, const machine& m) {
    const bool by_rows = problem.a.row_stride != 1 && problem.a.col_stride == 1;
    tile::product_tile size = fitted_strip<T>(m.teams_at_once, problem.c.rows, problem.terms(), by_rows);
    size.depth = static_cast<int>(tile::canon_block_of<T>);
    return size;
  }
  static typename primitives::parameters parameters(const tile::product<T>&, const tile::product_tile& size,
                                                    const machine& m) {
    return {size, &m.template loops<T>()};
  }
};

template <class Real>
struct vector_rows<tile::complex<Real>> {
  using T = tile::complex<Real>;
  using groups = backends::groups<backends::rows<complex_gemv<T>>>;
  static int group_of(const tile::product<T>&, const machine&) { return 0; }
  static int preferred(const tile::product<T>&, const machine&) { return 0; }
  using immediate = backends::rows<small_complex_gemv<T>>;
};

/// A reduction of complex elements.
template <template <class> class Kernel, class Real>
struct simd_reduction<Kernel<tile::complex<Real>>> : simd_reduction<Kernel<Real>> {
  using primitives = complex_reduction<Real, member>;
  static typename primitives::parameters parameters(const tile::reduction<Kernel<tile::complex<Real>>>&,
                                                    const machine& m) {
    return {&m.template loops<tile::complex<Real>>()};
  }
};

template <class Real>
struct simd_transpose<tile::complex<Real>> {
  using T = tile::complex<Real>;
  using primitives = complex_transpose<T, member>;
  static constexpr const char* name = "transpose";
  static constexpr auto serves = backends::always;
  static typename primitives::parameters parameters(const tile::transpose<T>& problem, const machine& m) {
    return {&m.template loops<T>(), problem.conjugated};
  }
};

template <template <class> class Kernel, class Real>
struct simd_stream<Kernel<tile::complex<Real>>> {
  using primitives = complex_stream<tile::complex<Real>, member>;
  static constexpr const char* name = "stream";
  static constexpr auto serves = backends::always;
  static typename primitives::parameters parameters(const Kernel<tile::complex<Real>>&, const machine& m) {
    return {&m.template loops<tile::complex<Real>>()};
  }
};

template <template <class, class> class Kernel, class Real, class Functor>
struct simd_stream<Kernel<tile::complex<Real>, Functor>> {
  using kernel = Kernel<tile::complex<Real>, Functor>;
  using primitives = complex_stream<tile::complex<Real>, member>;
  static constexpr const char* name = "stream";
  static constexpr auto serves = backends::always;
  static typename primitives::parameters parameters(const kernel&, const machine& m) {
    return {&m.template loops<tile::complex<Real>>()};
  }
};

/// Whether `Kernel` is of complex elements.
template <class Kernel>
inline constexpr bool of_complex = false;
template <template <class> class Kernel, class Real>
inline constexpr bool of_complex<Kernel<tile::complex<Real>>> = true;

}  // namespace abax::openmp
