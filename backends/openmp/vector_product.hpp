// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Primitives of gemv on a CPU core: the operand itself, and an accumulator strip in cache.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstring>

#include "abax/detail/backends/openmp/team.hpp"

namespace abax::openmp {

/// How a product by a vector is cut.
template <class T>
struct vector_parameters {
  tile::product_tile size;
  const kernel_set<T>* kernels;
  bool from_memory = false;  // A is complex, and more than the cores' second caches hold together
};

/// gemv: each element of A is used once, so packing it would only move it twice: the cache is the scratch, a stage is
/// the operand itself. Only x is made contiguous where it is not, and its conjugate where that is wanted. Few outputs
/// of several blocks would wait for their chains: their blocks are gathered, and multiplied together.
template <class T, class Team, class Functor = tile::no_functor>
class vector_product {
 public:
  template <class Other>
  using ending_in = vector_product<T, Team, Other>;
  using parameters = vector_parameters<T>;
  using joiner = void;
  static constexpr bool finishes = true;

  static std::size_t scratch_bytes(const parameters& p) {
    return sizeof(T) * (std::size_t(p.size.depth) + 2 * p.size.rows) + 3 * alignment_slack;
  }
  static index_t elements(const parameters& p) { return p.size.rows; }

  KOKKOS_FUNCTION vector_product(const Team& team, const parameters& p, const tile::product<T, Functor>& problem,
                                 int row_tile, int)
      : p_(p),
        k_(*p.kernels),
        problem_(problem),
        epilogue_(problem.epilogue),
        row_(index_t(row_tile) * p.size.rows),
        a_(problem.a.block(row_, 0, p.size.rows, problem.a.cols)),
        x_{problem.b.data, problem.b.rows, problem.b.row_stride},
        y_(problem.c.block(row_, 0, p.size.rows, 1)),
        staged_x_(take<T>(team, p.size.depth)),
        part_(take<T>(team, p.size.rows)),
        total_(take<T>(team, p.size.rows)) {}

  KOKKOS_FUNCTION int depth() const { return p_.size.depth; }
  KOKKOS_FUNCTION index_t elements() const { return p_.size.rows; }
  KOKKOS_FUNCTION void start(const Team&, index_t begin, index_t end) {
    next_ = begin;
    end_ = end;
    const bool one_pass = y_.rows == 1 || a_.row_stride != 1 || a_.col_stride <= 2 * few_outputs;  // over A's memory
    gathers_ = y_.rows <= few_outputs && one_pass && end - begin > tile::canon_block_of<T>;
  }

  struct stage_type {
    const T* a;  // element (i, p) at the operand's own strides
    const T* x;  // contiguous, or gathered at its own stride
  };
  KOKKOS_FUNCTION stage_type stage(const Team&) {
    const index_t p = next_, terms = tile::min<index_t>(p_.size.depth, end_ - p);
    next_ += terms;
    const bool conjugates = tile::is_complex<T> && problem_.conjugated_b;
    if (gathers_ || (x_.stride == 1 && !conjugates)) return {&a_(0, p), &x_(p)};
    for (index_t q = 0; q < terms; ++q) staged_x_[q] = tile::conjugate_if(conjugates, x_(p + q));
    return {&a_(0, p), staged_x_};
  }
  KOKKOS_FUNCTION void clear() {}
  KOKKOS_FUNCTION void multiply_add(const Team&, const stage_type& stage, int terms) {  // of a whole block
    if (!gathers_) {
      std::fill_n(part_, y_.rows, T{});
      return multiply(terms, stage);
    }
    if (gathered_++ == 0) first_ = stage;
    last_terms_ = terms;
  }
  /// Few columns of real values go from the registers to y: no pass over the sums remains.
  KOKKOS_FUNCTION void finish(const Team& team, const stage_type& stage, int terms, bool first) {
    if constexpr (!tile::is_complex<T>)
      if (first && terms <= few_terms && a_.row_stride == 1) {
        k_.multiply_store_vector({.outputs = y_.rows,
                                  .depth = terms,
                                  .a = stage.a,
                                  .stride_output = a_.row_stride,
                                  .stride_k = a_.col_stride,
                                  .x = stage.x,
                                  .stride_x = 1,
                                  .alpha = epilogue_.alpha,
                                  .beta = epilogue_.beta,
                                  .y = y_.data,
                                  .stride_y = y_.row_stride});
        return tile::apply_functor(problem_, y_, row_, 0);
      }
    multiply_add(team, stage, terms);
    fold(first, true);
    store(team);
  }
  KOKKOS_FUNCTION void fold(bool first, bool) {
    if (!gathers_) {
      add_to_total(first);
    } else if (is_full()) {
      const bool begins = gathered_blocks_ == 0;
      multiply_gathered([&](int b, const T* sums) {
        std::memcpy(part_, sums, sizeof(T) * y_.rows);
        add_to_total(begins && b == 0);
      });
    }
  }
  KOKKOS_FUNCTION void save(const Team&, T* sums) {
    if (!gathers_) {
      std::memcpy(sums, part_, sizeof(T) * y_.rows);
    } else if (is_full()) {
      T* const from = sums - (gathered_ - 1) * elements();  // those of one block after another's
      multiply_gathered(
          [&](int b, const T* of_block) { std::memcpy(from + b * elements(), of_block, sizeof(T) * y_.rows); });
    }
  }
  KOKKOS_FUNCTION void load(const Team&, const T* sums) { std::memcpy(part_, sums, sizeof(T) * y_.rows); }
  KOKKOS_FUNCTION void join(const Team& team, const T* sums, int blocks) {
    gathers_ = false;
    tile::join_by_loading(*this, team, sums, blocks);
  }
  KOKKOS_FUNCTION void store(const Team&) const { store(total_); }
  KOKKOS_FUNCTION void store_without_product(const Team&) const { store(nullptr); }

 private:
  static constexpr int few_outputs = most_outputs_of_blocks, most_gathered = tile::is_complex<T> ? 4 : 8;

  // What the loops of real and of complex values take differently.

  KOKKOS_FUNCTION void multiply(int terms, const stage_type& stage) {
    if constexpr (tile::is_complex<T>)
      k_.multiply_add_vector(y_.rows, terms, stage.a, a_.row_stride, a_.col_stride, p_.from_memory,
                             problem_.conjugated_a, problem_.turned, stage.x, part_);
    else
      k_.multiply_add_vector(y_.rows, terms, stage.a, a_.row_stride, a_.col_stride, stage.x, part_);
  }
  KOKKOS_FUNCTION void multiply_blocks(index_t terms, T* sums) {
    if constexpr (tile::is_complex<T>)
      for (index_t i = 0; i < y_.rows; ++i)
        k_.multiply_add_blocks(terms, first_.a + i * a_.row_stride, a_.col_stride, problem_.conjugated_a,
                               problem_.turned, first_.x, x_.stride, problem_.conjugated_b, sums + i * gathered_);
    else
      k_.multiply_add_blocks(y_.rows, terms, first_.a, a_.row_stride, a_.col_stride, first_.x, x_.stride, sums);
  }
  KOKKOS_FUNCTION void add_to_total(bool first) {
    if (first)
      Kokkos::kokkos_swap(part_, total_);
    else if constexpr (tile::is_complex<T>)
      k_.parts->fold(2 * y_.rows, &part_->re, &total_->re);
    else
      k_.fold(y_.rows, part_, total_);
  }

  KOKKOS_FUNCTION bool is_full() const { return gathered_ == most_gathered || next_ == end_; }
  /// Hands the sums of each gathered block to `take`.
  template <class Take>
  KOKKOS_FUNCTION void multiply_gathered(const Take& take) {
    T sums[few_outputs * most_gathered] = {};
    multiply_blocks((gathered_ - 1) * tile::canon_block_of<T> + last_terms_, sums);
    for (int b = 0; b < gathered_; ++b) {
      T of_block[few_outputs];
      for (index_t i = 0; i < y_.rows; ++i) of_block[i] = sums[i * gathered_ + b];
      take(b, of_block);
    }
    gathered_blocks_ += gathered_;
    gathered_ = 0;
  }
  KOKKOS_FUNCTION void store(const T* total) const {
    k_.store_vector(y_.rows, total, epilogue_.alpha, epilogue_.beta, y_.data, y_.row_stride);
    tile::apply_functor(problem_, y_, row_, 0);
  }

  const parameters& p_;
  const kernel_set<T>& k_;
  const tile::product<T, Functor>& problem_;
  tile::epilogue<T> epilogue_;
  index_t row_;
  tile::matrix<const T> a_;
  tile::vector<const T> x_;
  tile::matrix<T> y_;
  T *staged_x_, *part_, *total_;
  index_t next_ = 0, end_ = 0;
  bool gathers_ = false;
  int gathered_ = 0, gathered_blocks_ = 0, last_terms_ = 0;  // blocks that wait; those that were multiplied
  stage_type first_{};                                       // of the blocks that wait
};

}  // namespace abax::openmp
