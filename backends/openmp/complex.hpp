// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Primitives of complex values on a CPU core that real ones do not have alike: thin calls into the SIMD loops.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/openmp/elementwise.hpp"
#include "abax/detail/tile/reduction.hpp"
#include "abax/detail/tile/stream.hpp"
#include "abax/detail/tile/transpose.hpp"

namespace abax::openmp {

/// Reductions over parts: where elements follow one another these are real vectors, else a block at a time is gathered.
template <class Real, class Team>
struct complex_reduction {
  using T = tile::complex<Real>;
  struct parameters {
    const kernel_set<T>* loops;
  };
  static std::size_t scratch_bytes() { return 0; }

  KOKKOS_FUNCTION static void reduce(const Team&, const parameters& p, const tile::dot<T>& k, index_t begin,
                                     index_t end, T* sums) {
    const auto loop = k.conjugated ? p.loops->dotc : p.loops->dotu;
    for (index_t b = begin, blocks; b < end; b += blocks) {
      const bool together = k.operand[0].stride == 1 && k.operand[1].stride == 1;
      blocks = together ? end - b : 1;
      const auto x = block_of(k.operand[0], b, blocks), y = block_of(k.operand[1], b, blocks);
      Real xs[tile::reduction_block], ys[tile::reduction_block];
      loop(x.size / 2, elements(side_by_side(x, xs)), elements(side_by_side(y, ys)), sums + b);
    }
  }
  KOKKOS_FUNCTION static void reduce(const Team&, const parameters& p, const tile::asum<T>& k, index_t begin,
                                     index_t end, Real* sums) {
    each_run(k.operand[0], begin, end,
             [&](index_t b, index_t n, const Real* x) { p.loops->parts->asum(n, x, 1, nullptr, 0, sums + b); });
  }
  KOKKOS_FUNCTION static void reduce(const Team&, const parameters& p, const tile::nrm2<T>& k, index_t begin,
                                     index_t end, typename tile::nrm2<T>::state* states) {
    static_assert(sizeof(*states) == 3 * sizeof(Real));
    each_run(k.operand[0], begin, end, [&](index_t b, index_t n, const Real* x) {
      p.loops->parts->nrm2(n, x, 1, nullptr, 0, reinterpret_cast<Real*>(states + b));
    });
  }
  KOKKOS_FUNCTION static void reduce(const Team&, const parameters& p, const tile::iamax<T>& k, index_t begin,
                                     index_t end, typename tile::iamax<T>::state* states) {
    for (index_t b = begin; b < end; ++b) states[b] = largest_of_block(*p.loops, k, b);
  }
  template <class Kernel>
  KOKKOS_FUNCTION static void reduce(const Team&, const parameters&, const tile::block_states<Kernel>& level,
                                     index_t begin, index_t end, typename Kernel::state* states) {
    for (index_t b = begin; b < end; ++b) states[b] = tile::block_state(level, b);
  }

  // All of a reduction of at most `most_blocks_at_once` blocks whose elements follow one another. In line: the call
  // waits for every step.

  [[gnu::always_inline]] static T reduced(const kernel_set<T>& loops, const tile::dot<T>& k) {
    const tile::parts<Real>&x = k.operand[0], &y = k.operand[1];
    T sums[most_blocks_at_once], all;
    (k.conjugated ? loops.dotc : loops.dotu)(x.size / 2, elements(x.data), elements(y.data), sums);
    const index_t blocks = tile::reduction_blocks(x.size);
    if (blocks == 1) return k.finish(sums[0]);
    loops.parts->sum(blocks, &sums[0].re, 2, nullptr, 0, &all.re);
    loops.parts->sum(blocks, &sums[0].im, 2, nullptr, 0, &all.im);
    return k.finish(all);
  }
  /// A sum over parts, in which those of one element are two terms like any others.
  template <template <class> class Kernel>
  [[gnu::always_inline]] static Real reduced(const kernel_set<T>& loops, const Kernel<T>& k) {
    const tile::parts<Real>& x = k.operand[0];
    return reduction<Real, Team>::reduced(*loops.parts, Kernel<Real>{{{x.data, x.size, 1}}});
  }
  [[gnu::always_inline]] static index_t reduced(const kernel_set<T>& loops, const tile::iamax<T>& k) {
    typename tile::iamax<T>::state best = tile::iamax<T>::none();
    for (index_t b = 0; b < tile::reduction_blocks(k.operand[0].size); ++b)
      best = k.joined(best, largest_of_block(loops, k, b));
    return k.finish(best);
  }

 private:
  KOKKOS_FUNCTION static typename tile::iamax<T>::state largest_of_block(const kernel_set<T>& loops,
                                                                         const tile::iamax<T>& k, index_t block) {
    using kind = tile::iamax<T>;
    const index_t first = block * tile::reduction_block;
    const auto x = k.operand[0].block(first, tile::reduction_block);
    Real magnitudes[tile::reduction_block];
    loops.magnitudes(x.size, x.data, x.stride, magnitudes);
    const index_t at = loops.parts->iamax(x.size, magnitudes, 1);
    return at < 0 ? kind::none() : typename kind::state{first + at, kind::key_of(x(at))};
  }
  KOKKOS_FUNCTION static const T* elements(const Real* parts) { return reinterpret_cast<const T*>(parts); }
  KOKKOS_FUNCTION static tile::parts<Real> block_of(const tile::parts<Real>& x, index_t block, index_t blocks) {
    return x.block(block * tile::reduction_block, blocks * tile::reduction_block);
  }
  KOKKOS_FUNCTION static const Real* side_by_side(const tile::parts<Real>& x, Real* to) {
    if (x.stride == 1) return x.data;
    for (index_t i = 0; i < x.size; ++i) to[i] = x(i);
    return to;
  }
  /// run(first block, parts, where they lie side by side): all blocks at once if they do, else one after another.
  template <class Run>
  KOKKOS_FUNCTION static void each_run(const tile::parts<Real>& x, index_t begin, index_t end, const Run& run) {
    for (index_t b = begin, blocks; b < end; b += blocks) {
      blocks = x.stride == 1 ? end - b : 1;
      Real gathered[tile::reduction_block];
      const auto parts = block_of(x, b, blocks);
      run(b, parts.size, side_by_side(parts, gathered));
    }
  }
};

template <class T, class Team>
struct complex_stream {
  struct parameters {
    const kernel_set<T>* loops;
    index_t run;  // elements of a team
  };
  static constexpr index_t most = index_t(1) << 14;  // work of a team, in elements
  KOKKOS_FUNCTION static index_t run(const parameters& p) { return p.run; }
  static std::size_t scratch_bytes() { return 0; }

  KOKKOS_FUNCTION static void apply(const Team&, const parameters& p, const tile::combine<T>& k) {
    p.loops->combine(k.size(), k.epilogue.alpha, k.x.data, k.x.stride, k.epilogue.beta, k.y.data, k.y.stride, k.z.data,
                     k.z.stride);
  }
  KOKKOS_FUNCTION static void apply(const Team& team, const parameters& p, const tile::combine_matrices<T>& k) {
    k.each_line([&](const tile::combine<T>& line) { apply(team, p, line); });
  }
  template <class Kernel>
  KOKKOS_FUNCTION static void apply(const Team&, const parameters&, const Kernel& k) {
    for (index_t i = 0; i < k.size(); ++i) k(i);
  }
  KOKKOS_FUNCTION static void apply(const Team&, const parameters& p, const tile::copy<T>& k) {
    if (k.x.stride == 1 && k.y.stride == 1)
      p.loops->parts->copy(2 * k.size(), 1, &k.x.data->re, 1, 0, &k.y.data->re, 1, 0);
    else
      p.loops->copy(k.size(), 1, k.x.data, k.x.stride, 0, k.y.data, k.y.stride, 0);
  }
};

template <class T, class Team>
class complex_transpose {
 public:
  struct parameters {
    const kernel_set<T>* loops;
    bool conjugated;
    static constexpr int rows = 256, cols = 256, skip_rows = 0, skip_cols = 0;
  };
  static constexpr int reach = 0;
  static std::size_t scratch_bytes() { return 0; }

  KOKKOS_FUNCTION complex_transpose(const Team&, const parameters& parameters) : parameters_(parameters) {}

  KOKKOS_FUNCTION tile::matrix<const T> stage(const Team&, const tile::matrix<const T>& from) { return from; }
  KOKKOS_FUNCTION void store(const Team&, const tile::matrix<const T>& from, const tile::matrix<T>& to, bool) const {
    const kernel_set<T>& k = *parameters_.loops;
    if (to.data != from.data)
      k.copy(to.rows, to.cols, from.data, from.row_stride, from.col_stride, to.data, to.row_stride, to.col_stride);
    if (!parameters_.conjugated) return;
    if (to.row_stride == 1)
      k.conjugate(to.rows, to.cols, to.data, to.row_stride, to.col_stride);
    else
      k.conjugate(to.cols, to.rows, to.data, to.col_stride, to.row_stride);
  }

 private:
  const parameters& parameters_;
};

}  // namespace abax::openmp
