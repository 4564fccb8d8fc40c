// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend's catalogues of reductions, transposes and streams: the first row that serves is taken.
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "abax/detail/backends/cuda/access.hpp"
#include "abax/detail/backends/cuda/machine.hpp"
#include "abax/detail/backends/cuda/matrix_stream.hpp"
#include "abax/detail/backends/cuda/reduction.hpp"
#include "abax/detail/backends/cuda/stream.hpp"
#include "abax/detail/backends/cuda/transpose.hpp"
#include "abax/detail/backends/portable/rows.hpp"

namespace abax::cuda {

using member = Kokkos::TeamPolicy<Kokkos::Cuda>::member_type;

/// Portable primitives as a launch of this backend wants them.
template <class Primitives>
struct on_fixed_team : Primitives {
  using Primitives::Primitives;
  static constexpr int team_size = 256, residents = 1;
};
template <class Row>
struct portable_row : Row {
  using primitives = on_fixed_team<typename Row::primitives>;
};

/// True where a vector's elements come 16 bytes at a time.
inline constexpr auto is_wide = [](const auto& v) { return wide_access(v.data, v.stride, 0); };

/// True where two of a vector's terms can be read at once.
template <class T>
bool has_pairs(const tile::vector<const T>& v) {
  return is_wide(v);
}
template <class Real>
bool has_pairs(const tile::parts<Real>& v) {
  return reinterpret_cast<std::uintptr_t>(v.data) % (2 * sizeof(Real)) == 0;
}

/// Bytes in flight are what counts.
inline constexpr reduction_shape reduction_shape_default{.warps = 4, .residents = 3, .words = 32};

template <class Kernel, bool Pairs, reduction_shape Shape = reduction_shape_default>
struct reduction_row {
  static constexpr const char* name = Pairs ? "reduction by pairs" : "reduction by elements";
  using primitives = reduction<Pairs, Shape, member>;
  static bool serves(const tile::reduction<Kernel>& problem, const machine&) {
    for (const auto& x : problem.kernel.operand)
      if (Pairs && !has_pairs(x)) return false;
    return true;
  }
  static typename primitives::parameters parameters(const tile::reduction<Kernel>&, const machine&) { return {}; }
  /// Two waves of teams or more, where there are blocks for them.
  static index_t run(index_t blocks, const machine& m) {
    index_t run = Shape.warps;
    while (run < tile::reduction_block && 4 * run * m.teams_at_once * Shape.residents <= blocks) run *= 2;
    return run;
  }
};
template <class Kernel>
using reduction_rows = backends::rows<reduction_row<Kernel, true>, reduction_row<Kernel, false>>;

template <class T>
may_conjugate<T> conjugation_of(const tile::transpose<T>& problem) {
  if constexpr (tile::is_complex<T>)
    return {problem.conjugated};
  else
    return {};
}

template <class T>
struct transpose_by_chunks {
  static constexpr const char* name = "transpose by chunks";
  using primitives = wide_transpose<T, transpose_shape{.rows = 64, .cols = 64, .threads = 256}, member>;
  static bool serves(const tile::transpose<T>& p, const machine&) {
    return wide_access(p.from.data, p.from.row_stride, p.from.col_stride) &&
           wide_access(p.to.data, p.to.col_stride, p.to.row_stride);
  }
  static typename primitives::parameters parameters(const tile::transpose<T>& p, const machine&) {
    return {conjugation_of(p), past_boundary(p.from.data), past_boundary(p.to.data)};
  }
};
template <class T, bool Pieces>
struct transpose_by_elements {
  static constexpr const char* name = Pieces ? "transpose by sectors" : "transpose by elements";
  using primitives = transpose<T, transpose_shape{.rows = 64, .cols = 512 / sizeof(T), .threads = 256}, Pieces, member>;
  static bool serves(const tile::transpose<T>& p, const machine&) {
    if (Pieces && p.to.col_stride != 1) return false;
    return lies_on_elements(p.from) && lies_on_elements(p.to);
  }
  static typename primitives::parameters parameters(const tile::transpose<T>& p, const machine&) {
    return {conjugation_of(p)};
  }
};
/// Elements of 16 bytes are chunks of their own.
template <template <class> class Row, class T>
using if_smaller_than_chunks = std::conditional_t<(sizeof(T) < 16), backends::rows<Row<T>>, backends::rows<>>;
/// The portable row, for complex elements alone: they need not lie on multiples of their size.
template <class Row, class T>
using if_complex = std::conditional_t<tile::is_complex<T>, backends::rows<portable_row<Row>>, backends::rows<>>;
template <class T>
using transpose_rows = backends::joined<if_smaller_than_chunks<transpose_by_chunks, T>,
                                        backends::rows<transpose_by_elements<T, true>, transpose_by_elements<T, false>>,
                                        if_complex<portable::portable_transpose<T, member>, T>>;

template <class T>
inline constexpr int in_place_size = tile::max<int>(32, 256 / sizeof(T));
template <class T>
inline constexpr transpose_shape in_place_shape{.rows = in_place_size<T>, .cols = in_place_size<T>, .threads = 128};
template <class T>
struct in_place_by_chunks {
  static constexpr const char* name = "in place by chunks";
  using primitives = in_place_transpose<T, wide_transpose<T, in_place_shape<T>, member>, member>;
  static bool serves(const tile::matrix<T>& a, const machine&) {
    return wide_access(a.data, a.row_stride, a.col_stride);
  }
  static typename primitives::parameters parameters(const tile::matrix<T>& a, const machine&) {
    return {.skip = past_boundary(a.data)};
  }
};
template <class T>
struct in_place_by_elements {
  static constexpr const char* name = "in place by elements";
  using primitives = in_place_transpose<T, transpose<T, in_place_shape<T>, false, member>, member>;
  static bool serves(const tile::matrix<T>& a, const machine&) { return lies_on_elements(a); }
  static typename primitives::parameters parameters(const tile::matrix<T>&, const machine&) { return {}; }
};
template <class T>
using in_place_transpose_rows =
    backends::joined<if_smaller_than_chunks<in_place_by_chunks, T>, backends::rows<in_place_by_elements<T>>,
                     if_complex<portable::only_row<portable::in_place_transpose<T, member>>, T>>;

template <class Kernel>
struct stream_by_chunks;
template <template <class> class Kernel, class T>
struct stream_by_chunks<Kernel<T>> {
  static constexpr const char* name = "stream by chunks";
  using primitives = stream<16 / sizeof(T), 1, member>;
  static bool serves(const Kernel<T>& kernel, const machine&) { return kernel.all_vectors(is_wide); }
  static typename primitives::parameters parameters(const Kernel<T>&, const machine&) { return {}; }
};
template <class Kernel>
struct stream_by_elements;
template <template <class> class Kernel, class T>
struct stream_by_elements<Kernel<T>> {
  static constexpr const char* name = "stream by elements";
  using primitives = stream<1, 16 / sizeof(T), member>;
  static bool serves(const Kernel<T>& kernel, const machine&) {
    return kernel.all_vectors([](const auto& v) { return lies_on_elements(v); });
  }
  static typename primitives::parameters parameters(const Kernel<T>&, const machine&) { return {}; }
};
template <class T>
struct stream_by_elements<tile::combine_matrices<T>> {
  static constexpr const char* name = "stream of matrices";
  using primitives = matrix_stream<T, 16 / sizeof(T), member>;
  static bool serves(const tile::combine_matrices<T>& k, const machine&) {
    return lies_on_elements(k.x) && lies_on_elements(k.y) && lies_on_elements(k.z);
  }
  static typename primitives::parameters parameters(const tile::combine_matrices<T>& k, const machine&) {
    return typename primitives::parameters(k);
  }
};
template <class Kernel>
struct stream_by_parts {
  static constexpr const char* name = "stream by parts";
  using primitives = stream<0, 1, member>;
  static constexpr auto serves = backends::always;
  static typename primitives::parameters parameters(const Kernel&, const machine&) { return {}; }
};

template <class Kernel>
struct stream_catalogue;
template <template <class> class Kernel, class T>
struct stream_catalogue<Kernel<T>> {
  template <class OfT>
  using by_chunks = stream_by_chunks<Kernel<OfT>>;
  static constexpr bool has_vectors = !std::is_same_v<Kernel<T>, tile::combine_matrices<T>>;
  using chunks = std::conditional_t<has_vectors, if_smaller_than_chunks<by_chunks, T>, backends::rows<>>;
  using parts = std::conditional_t<tile::is_complex<T>, backends::rows<stream_by_parts<Kernel<T>>>, backends::rows<>>;
  using rows = backends::joined<chunks, backends::rows<stream_by_elements<Kernel<T>>>, parts>;
};
template <class Kernel>
using stream_rows = typename stream_catalogue<Kernel>::rows;

}  // namespace abax::cuda
