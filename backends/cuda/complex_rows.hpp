// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend's catalogue for complex values: the portable primitives, on teams of a fixed size.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/rows.hpp"
#include "abax/detail/backends/portable/rows.hpp"
#include "abax/detail/tile/complex_value.hpp"

namespace abax::cuda {

/// Portable primitives as a launch of this backend wants them.
template <class Primitives>
struct on_fixed_team : Primitives {
  using Primitives::Primitives;
  static constexpr int team_size = 256, residents = 1;
};
template <class Primitives>
struct product_on_fixed_team : on_fixed_team<Primitives> {
  using on_fixed_team<Primitives>::on_fixed_team;
  template <class Functor>
  using ending_in = product_on_fixed_team<typename Primitives::template ending_in<Functor>>;
};

template <class Row>
struct portable_product_row : Row {
  using primitives = product_on_fixed_team<typename Row::primitives>;
};
template <class Row>
struct portable_row : Row {
  using primitives = on_fixed_team<typename Row::primitives>;
};

template <class T>
struct complex_matrix_rows {
  using groups = backends::groups<backends::rows<portable_product_row<portable::gemm_32x32x16<T, member>>,
                                                 portable_product_row<portable::gemm_16x16x16<T, member>>>>;
  static int group_of(const tile::product<T>&, const machine&) { return 0; }
  static int preferred(const tile::product<T>&, const machine&) { return backends::by_cost; }
  using immediate = backends::rows<>;
  static constexpr auto gain_by_copies = backends::never_copied;
};
template <class T>
struct complex_vector_rows {
  using groups = backends::groups<backends::rows<portable_product_row<portable::gemv_64x1x16<T, member>>>>;
  static int group_of(const tile::product<T>&, const machine&) { return 0; }
  static int preferred(const tile::product<T>&, const machine&) { return backends::by_cost; }
  using immediate = backends::rows<>;
};

template <class Row>
using complex_row = backends::rows<portable_row<Row>>;

/// Whether a kernel that is named by the type of its elements has complex ones.
template <class Kernel>
inline constexpr bool of_complex = false;
template <template <class> class Kernel, class Real>
inline constexpr bool of_complex<Kernel<tile::complex<Real>>> = true;
template <template <class, class> class Kernel, class Real, class Functor>
inline constexpr bool of_complex<Kernel<tile::complex<Real>, Functor>> = true;

/// The rows of a type of elements, and of a kernel.
template <class T, class OfReal, class OfComplex>
using rows_by_type = std::conditional_t<tile::is_complex<T>, OfComplex, OfReal>;
template <class Kernel, class OfReal, class OfComplex>
using rows_by_kernel = std::conditional_t<of_complex<Kernel>, OfComplex, OfReal>;

}  // namespace abax::cuda
