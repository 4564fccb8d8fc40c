// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Primitives of complex values on a CPU core that real ones do not have alike: thin calls into the SIMD loops.
#include <Kokkos_Core.hpp>
#include <cstring>

#include "abax/detail/backends/openmp/vector_product.hpp"
#include "abax/detail/tile/reduction.hpp"
#include "abax/detail/tile/stream.hpp"
#include "abax/detail/tile/transpose.hpp"

namespace abax::openmp {

/// gemv: the operand itself, and an accumulator strip in cache; x is made contiguous, and its conjugate where wanted.
template <class T, class Team, class Functor = tile::no_functor>
class complex_vector_product {
 public:
  template <class Other>
  using ending_in = complex_vector_product<T, Team, Other>;
  using parameters = vector_parameters<T>;
  using joiner = void;
  static constexpr bool finishes = false;

  static std::size_t scratch_bytes(const parameters& p) {
    return sizeof(T) * (std::size_t(p.size.depth) + 2 * p.size.rows) + 3 * alignment_slack;
  }
  static index_t elements(const parameters& p) { return p.size.rows; }

  KOKKOS_FUNCTION complex_vector_product(const Team& team, const parameters& p,
                                         const tile::product<T, Functor>& problem, int row_tile, int)
      : p_(p),
        k_(*p.kernels),
        problem_(problem),
        row_(index_t(row_tile) * p.size.rows),
        a_(problem.a.block(row_, 0, p.size.rows, problem.a.cols)),
        y_(problem.c.block(row_, 0, p.size.rows, 1)),
        staged_x_(take<T>(team, p.size.depth)),
        part_(take<T>(team, p.size.rows)),
        total_(take<T>(team, p.size.rows)) {}

  KOKKOS_FUNCTION int depth() const { return p_.size.depth; }
  KOKKOS_FUNCTION index_t elements() const { return p_.size.rows; }
  KOKKOS_FUNCTION void start(const Team&, index_t begin, index_t end) {
    next_ = begin;
    end_ = end;
  }

  struct stage_type {
    const T* a;  // element (i, p) at the operand's own strides
    const T* x;  // contiguous
  };
  KOKKOS_FUNCTION stage_type stage(const Team&) {
    const index_t p = next_, terms = tile::min<index_t>(p_.size.depth, end_ - p);
    next_ += terms;
    const tile::matrix<const T>& x = problem_.b;
    if (x.row_stride == 1 && !problem_.conjugated_b) return {&a_(0, p), &x(p, 0)};
    for (index_t q = 0; q < terms; ++q) staged_x_[q] = tile::conjugate_if(problem_.conjugated_b, x(p + q, 0));
    return {&a_(0, p), staged_x_};
  }
  KOKKOS_FUNCTION void clear() { std::fill_n(part_, y_.rows, T{}); }
  KOKKOS_FUNCTION void multiply_add(const Team&, const stage_type& stage, int terms) {
    k_.multiply_add_vector(y_.rows, terms, stage.a, a_.row_stride, a_.col_stride, problem_.conjugated_a,
                           problem_.turned, stage.x, part_);
  }
  KOKKOS_FUNCTION void fold(bool first, bool) {
    if (first)
      Kokkos::kokkos_swap(part_, total_);
    else
      k_.parts->fold(2 * y_.rows, &part_->re, &total_->re);
  }
  KOKKOS_FUNCTION void save(const Team&, T* sums) const { std::memcpy(sums, part_, sizeof(T) * y_.rows); }
  KOKKOS_FUNCTION void load(const Team&, const T* sums) { std::memcpy(part_, sums, sizeof(T) * y_.rows); }
  KOKKOS_FUNCTION void join(const Team& team, const T* sums, int blocks) {
    tile::join_by_loading(*this, team, sums, blocks);
  }
  KOKKOS_FUNCTION void store(const Team&) const { store(total_); }
  KOKKOS_FUNCTION void store_without_product(const Team&) const { store(nullptr); }

 private:
  KOKKOS_FUNCTION void store(const T* total) const {
    k_.store_vector(y_.rows, total, problem_.epilogue.alpha, problem_.epilogue.beta, y_.data, y_.row_stride);
    tile::apply_functor(problem_, y_, row_, 0);
  }

  const parameters& p_;
  const kernel_set<T>& k_;
  const tile::product<T, Functor>& problem_;
  index_t row_;
  tile::matrix<const T> a_;
  tile::matrix<T> y_;
  T *staged_x_, *part_, *total_;
  index_t next_ = 0, end_ = 0;
};

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
    using kind = tile::iamax<T>;
    for (index_t b = begin; b < end; ++b) {
      const index_t first = b * tile::reduction_block;
      const auto x = k.operand[0].block(first, tile::reduction_block);
      Real magnitudes[tile::reduction_block];
      p.loops->magnitudes(x.size, x.data, x.stride, magnitudes);
      const index_t at = p.loops->parts->iamax(x.size, magnitudes, 1);
      states[b] = kind::none();
      if (at >= 0) states[b] = {first + at, kind::key_of(x(at))};
    }
  }
  template <class Kernel>
  KOKKOS_FUNCTION static void reduce(const Team&, const parameters&, const tile::block_states<Kernel>& level,
                                     index_t begin, index_t end, typename Kernel::state* states) {
    for (index_t b = begin; b < end; ++b) states[b] = tile::block_state(level, b);
  }

 private:
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
  };
  static constexpr index_t run = index_t(1) << 14;  // elements of one team
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
