// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend's catalogues of reductions, transposes and streams: the first row that serves is taken.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/machine.hpp"
#include "abax/detail/backends/cuda/reduction.hpp"
#include "abax/detail/backends/cuda/stream.hpp"
#include "abax/detail/backends/cuda/transpose.hpp"

namespace abax::cuda {

using member = Kokkos::TeamPolicy<Kokkos::Cuda>::member_type;

/// True where a vector's elements come 16 bytes at a time.
inline constexpr auto is_wide = [](const auto& v) { return wide_access(v.data, v.stride, 0); };

/// Bytes in flight are what counts.
inline constexpr reduction_shape reduction_shape_default{.warps = 4, .residents = 3, .words = 32};

template <class Kernel, bool Pairs, reduction_shape Shape = reduction_shape_default>
struct reduction_row {
  static constexpr const char* name = Pairs ? "reduction by pairs" : "reduction by elements";
  using primitives = reduction<Pairs, Shape, member>;
  static bool serves(const tile::reduction<Kernel>& problem, const machine&) {
    for (const auto& x : problem.kernel.operand)
      if (Pairs && !is_wide(x)) return false;
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
struct transpose_by_chunks {
  static constexpr const char* name = "transpose by chunks";
  using primitives = wide_transpose<T, transpose_shape{.rows = 64, .cols = 64, .threads = 256}, member>;
  static bool serves(const tile::transpose<T>& p, const machine&) {
    return wide_access(p.from.data, p.from.row_stride, p.from.col_stride) &&
           wide_access(p.to.data, p.to.col_stride, p.to.row_stride);
  }
  static typename primitives::parameters parameters(const tile::transpose<T>& p, const machine&) {
    return {past_boundary(p.from.data), past_boundary(p.to.data)};
  }
};
template <class T, bool Pieces>
struct transpose_by_elements {
  static constexpr const char* name = Pieces ? "transpose by sectors" : "transpose by elements";
  using primitives = transpose<T, transpose_shape{.rows = 64, .cols = 512 / sizeof(T), .threads = 256}, Pieces, member>;
  static bool serves(const tile::transpose<T>& p, const machine&) { return !Pieces || p.to.col_stride == 1; }
  static typename primitives::parameters parameters(const tile::transpose<T>&, const machine&) { return {}; }
};
template <class T>
using transpose_rows =
    backends::rows<transpose_by_chunks<T>, transpose_by_elements<T, true>, transpose_by_elements<T, false>>;

template <class T>
inline constexpr transpose_shape in_place_shape{.rows = 256 / sizeof(T), .cols = 256 / sizeof(T), .threads = 128};
template <class T>
struct in_place_by_chunks {
  static constexpr const char* name = "in place by chunks";
  using primitives = in_place_transpose<T, wide_transpose<T, in_place_shape<T>, member>, member>;
  static bool serves(const tile::matrix<T>& a, const machine&) {
    return wide_access(a.data, a.row_stride, a.col_stride);
  }
  static typename primitives::parameters parameters(const tile::matrix<T>& a, const machine&) {
    return {past_boundary(a.data)};
  }
};
template <class T>
struct in_place_by_elements {
  static constexpr const char* name = "in place by elements";
  using primitives = in_place_transpose<T, transpose<T, in_place_shape<T>, false, member>, member>;
  static constexpr auto serves = backends::always;
  static typename primitives::parameters parameters(const tile::matrix<T>&, const machine&) { return {}; }
};
template <class T>
using in_place_transpose_rows = backends::rows<in_place_by_chunks<T>, in_place_by_elements<T>>;

template <class Kernel>
struct stream_by_chunks;
template <template <class> class Kernel, class T>
struct stream_by_chunks<Kernel<T>> {
  static constexpr const char* name = "stream by chunks";
  using primitives = stream<16 / sizeof(T), member>;
  static bool serves(const Kernel<T>& kernel, const machine&) { return kernel.all_vectors(is_wide); }
  static typename primitives::parameters parameters(const Kernel<T>&, const machine&) { return {}; }
};
template <class Kernel>
struct stream_by_elements {
  static constexpr const char* name = "stream by elements";
  using primitives = stream<1, member>;
  static constexpr auto serves = backends::always;
  static typename primitives::parameters parameters(const Kernel&, const machine&) { return {}; }
};
template <class Kernel>
struct stream_catalogue {
  using rows = backends::rows<stream_by_chunks<Kernel>, stream_by_elements<Kernel>>;
};
template <class T>
struct stream_catalogue<tile::combine_matrices<T>> {
  using rows = backends::rows<stream_by_elements<tile::combine_matrices<T>>>;
};
template <class Kernel>
using stream_rows = typename stream_catalogue<Kernel>::rows;

}  // namespace abax::cuda
