// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// dot, transpose and streaming primitives of a CPU core: thin calls into the SIMD loops.
#include <Kokkos_Core.hpp>

#include "backends/openmp/kernels.hpp"
#include "tile/dot.hpp"
#include "tile/stream.hpp"
#include "tile/transpose.hpp"

namespace abax::openmp {

/// This CPU's loops; callable, in form, where algorithms are compiled for both sides.
template <class T>
KOKKOS_FUNCTION const kernel_set<T>* loops() {
  KOKKOS_IF_ON_HOST((return &kernels<T>();))
  KOKKOS_IF_ON_DEVICE((return nullptr;))
}

template <class T, class Team>
class dot {
 public:
  static constexpr int blocks = 32;  // two vectors' worth of lanes
  static std::size_t scratch_bytes() { return 0; }

  KOKKOS_FUNCTION dot(const Team&, const tile::dot<T>& problem, index_t group)
      : first_(group * blocks),
        x_(problem.x.block(first_ * tile::canon_block, blocks * tile::canon_block)),
        y_(problem.y.block(first_ * tile::canon_block, blocks * tile::canon_block)) {}

  KOKKOS_FUNCTION index_t depth() const { return tile::canon_block; }
  KOKKOS_FUNCTION void start(const Team&) {}
  KOKKOS_FUNCTION index_t stage(const Team&, index_t p) { return p; }  // the operands themselves
  KOKKOS_FUNCTION void multiply_add(const Team&, index_t, index_t) {
    loops<T>()->dot_blocks(x_.size, tile::canon_block, x_.data, x_.stride, y_.data, y_.stride, part_);
  }
  KOKKOS_FUNCTION void save(const Team&, T* sums) const {
    for (index_t b = 0; b < tile::canon_blocks(x_.size); ++b) sums[first_ + b] = part_[b];
  }
  KOKKOS_FUNCTION void join(const Team&, const T* sums, index_t count, T* result) const {
    T total = count > 0 ? sums[0] : T(0);
    for (index_t b = 1; b < count; ++b) total = total + sums[b];
    *result = tile::canonical(total);
  }

 private:
  index_t first_;
  tile::vector<const T> x_, y_;
  alignas(64) T part_[blocks];
};

template <class T, class Team>
class transpose {
 public:
  struct parameters {
    int rows = 256, cols = 256;
  };
  static std::size_t scratch_bytes() { return 0; }

  KOKKOS_FUNCTION explicit transpose(const Team&) {}

  KOKKOS_FUNCTION tile::matrix<const T> stage(const Team&, const tile::matrix<const T>& from) { return from; }
  KOKKOS_FUNCTION void store(const Team&, const tile::matrix<const T>& from, const tile::matrix<T>& to) const {
    loops<T>()->copy(to.rows, to.cols, from.data, from.row_stride, from.col_stride, to.data, to.row_stride,
                     to.col_stride);
  }
};

template <class Team>
struct stream {
  static constexpr index_t run = index_t(1) << 15;  // elements of one team

  template <class T>
  KOKKOS_FUNCTION static void apply(const Team&, const tile::combine<T>& k) {
    const auto [alpha, beta] = k.epilogue;
    if (alpha != T(0))
      loops<T>()->combine(k.size(), alpha, k.x.data, k.x.stride, beta, k.y.data, k.y.stride, k.z.data, k.z.stride);
    else if (beta != T(0))  // x is not read: beta y is what remains
      loops<T>()->combine(k.size(), beta, k.y.data, k.y.stride, T(0), nullptr, 1, k.z.data, k.z.stride);
    else
      loops<T>()->store_vector(k.size(), nullptr, T(0), T(0), k.z.data, k.z.stride);
  }
  template <class T>
  KOKKOS_FUNCTION static void apply(const Team&, const tile::increment<T>& k) {
    loops<T>()->increment(k.size(), k.value, k.x.data, k.x.stride);
  }
  template <class T>
  KOKKOS_FUNCTION static void apply(const Team&, const tile::copy<T>& k) {
    loops<T>()->copy(k.size(), 1, k.x.data, k.x.stride, 0, k.y.data, k.y.stride, 0);
  }
};

}  // namespace abax::openmp
