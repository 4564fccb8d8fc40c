// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Product primitives of a CPU core: panels packed into the core's cache, SIMD micro-kernels (gemm); the operand
/// itself and an accumulator strip in cache (gemv).
#include <Kokkos_Core.hpp>
#include <cstring>

#include "backends/openmp/kernels.hpp"
#include "tile/product.hpp"

namespace abax::openmp {

// KOKKOS_FUNCTION throughout, although none of this ever runs on a device: algorithms are compiled for both sides.

/// The next `count` values of the team's scratch; each part starts a cache line.
template <class T, class Team>
KOKKOS_FUNCTION T* take(const Team& team, index_t count) {
  return static_cast<T*>(team.take_scratch(sizeof(T) * count));
}
inline constexpr std::size_t alignment_slack = 64;

/// gemm: a team is one thread, a stage both operand panels of `depth` terms, packed into scratch.
template <class T, class Team>
class matrix_product {
 public:
  struct parameters {
    tile::product_plan plan;
    const kernel_set<T>* kernels;
    bool several_blocks;

    // The register tile need not divide the plan's tile: panels are whole.
    KOKKOS_FUNCTION index_t row_panels() const { return tile::ceil_div<index_t>(plan.rows, kernels->rows); }
    KOKKOS_FUNCTION index_t col_panels() const { return tile::ceil_div<index_t>(plan.cols, kernels->cols); }
    KOKKOS_FUNCTION index_t elements() const { return row_panels() * kernels->rows * col_panels() * kernels->cols; }
  };

  static std::size_t scratch_bytes(const parameters& p) {
    const index_t packed = p.plan.depth * (p.row_panels() * p.kernels->rows + p.col_panels() * p.kernels->cols);
    return sizeof(T) * (packed + (p.several_blocks ? 2 : 1) * p.elements()) + 4 * alignment_slack;
  }
  static index_t elements(const parameters& p) { return p.elements(); }

  KOKKOS_FUNCTION matrix_product(const Team& team, const parameters& p, const tile::product<T>& problem, int row_tile,
                                 int col_tile)
      : p_(p),
        k_(*p.kernels),
        epilogue_(problem.epilogue),
        a_(problem.a.block(index_t(row_tile) * p.plan.rows, 0, p.plan.rows, problem.a.cols)),
        b_(problem.b.block(0, index_t(col_tile) * p.plan.cols, problem.b.rows, p.plan.cols)),
        c_(problem.c.block(index_t(row_tile) * p.plan.rows, index_t(col_tile) * p.plan.cols, p.plan.rows, p.plan.cols)),
        row_panels_(tile::ceil_div<index_t>(c_.rows, k_.rows)),
        col_panels_(tile::ceil_div<index_t>(c_.cols, k_.cols)),
        packed_a_(take<T>(team, p.plan.depth * p.row_panels() * k_.rows)),
        packed_b_(take<T>(team, p.plan.depth * p.col_panels() * k_.cols)),
        part_(take<T>(team, p.elements())),
        total_(p.several_blocks ? take<T>(team, p.elements()) : nullptr) {}

  KOKKOS_FUNCTION int depth() const { return p_.plan.depth; }
  KOKKOS_FUNCTION index_t elements() const { return p_.elements(); }
  KOKKOS_FUNCTION void start(const Team&, index_t begin, index_t end) {
    next_ = begin;
    end_ = end;
  }

  struct stage_type {
    const T* a;  // panels of k_.rows: [panel][p][row]
    const T* b;  // panels of k_.cols: [panel][p][col]
  };
  KOKKOS_FUNCTION stage_type stage(const Team&) {
    const index_t p = next_, terms = tile::min<index_t>(p_.plan.depth, end_ - p);
    next_ += terms;
    k_.pack(a_.rows, terms, &a_(0, p), a_.row_stride, a_.col_stride, k_.rows, packed_a_);
    k_.pack(b_.cols, terms, &b_(p, 0), b_.col_stride, b_.row_stride, k_.cols, packed_b_);
    return {packed_a_, packed_b_};
  }
  KOKKOS_FUNCTION void clear() { fresh_ = true; }
  KOKKOS_FUNCTION void multiply_add(const Team&, const stage_type& stage, int terms) {
    k_.multiply_add(row_panels_, col_panels_, terms, stage.a, stage.b, part_, fresh_);
    fresh_ = false;
  }
  KOKKOS_FUNCTION void fold(bool first, bool last) {
    if (first && last)
      total_ = part_;  // one block: its sum is the total
    else if (first)
      Kokkos::kokkos_swap(part_, total_);
    else
      k_.fold(used(), part_, total_);
  }
  KOKKOS_FUNCTION void save(const Team&, T* sums) const { std::memcpy(sums, part_, sizeof(T) * used()); }
  KOKKOS_FUNCTION void load(const Team&, const T* sums) { std::memcpy(part_, sums, sizeof(T) * used()); }
  KOKKOS_FUNCTION void store(const Team&) const { store(total_); }
  KOKKOS_FUNCTION void store_without_product(const Team&) const { store(nullptr); }

 private:
  KOKKOS_FUNCTION index_t used() const { return row_panels_ * k_.rows * col_panels_ * k_.cols; }
  KOKKOS_FUNCTION void store(const T* total) const {
    k_.store(c_.rows, c_.cols, total, epilogue_.alpha, epilogue_.beta, c_.data, c_.row_stride, c_.col_stride);
  }

  const parameters& p_;
  const kernel_set<T>& k_;
  tile::epilogue<T> epilogue_;
  tile::matrix<const T> a_, b_;
  tile::matrix<T> c_;
  index_t row_panels_, col_panels_;
  T *packed_a_, *packed_b_, *part_, *total_;
  index_t next_ = 0, end_ = 0;
  bool fresh_ = true;
};

/// gemv: each element of A is used once, so packing it would only move it twice: the cache is the scratch, a stage is
/// the operand itself. Only x is made contiguous where it is not.
template <class T, class Team>
class vector_product {
 public:
  struct parameters {
    tile::product_plan plan;
    const kernel_set<T>* kernels;
  };

  static std::size_t scratch_bytes(const parameters& p) {
    return sizeof(T) * (std::size_t(p.plan.depth) + 2 * p.plan.rows) + 3 * alignment_slack;
  }
  static index_t elements(const parameters& p) { return p.plan.rows; }

  KOKKOS_FUNCTION vector_product(const Team& team, const parameters& p, const tile::product<T>& problem, int row_tile,
                                 int)
      : p_(p),
        k_(*p.kernels),
        epilogue_(problem.epilogue),
        a_(problem.a.block(index_t(row_tile) * p.plan.rows, 0, p.plan.rows, problem.a.cols)),
        x_{problem.b.data, problem.b.rows, problem.b.row_stride},
        y_(problem.c.block(index_t(row_tile) * p.plan.rows, 0, p.plan.rows, 1)),
        staged_x_(take<T>(team, p.plan.depth)),
        part_(take<T>(team, p.plan.rows)),
        total_(take<T>(team, p.plan.rows)) {}

  KOKKOS_FUNCTION int depth() const { return p_.plan.depth; }
  KOKKOS_FUNCTION index_t elements() const { return p_.plan.rows; }
  KOKKOS_FUNCTION void start(const Team&, index_t begin, index_t end) {
    next_ = begin;
    end_ = end;
  }

  struct stage_type {
    const T* a;  // element (i, p) at the operand's own strides
    const T* x;  // contiguous
  };
  KOKKOS_FUNCTION stage_type stage(const Team&) {
    const index_t p = next_, terms = tile::min<index_t>(p_.plan.depth, end_ - p);
    next_ += terms;
    const T* x = &x_(p);
    if (x_.stride != 1) {
      for (index_t q = 0; q < terms; ++q) staged_x_[q] = x_(p + q);
      x = staged_x_;
    }
    return {&a_(0, p), x};
  }
  KOKKOS_FUNCTION void clear() { std::memset(part_, 0, sizeof(T) * y_.rows); }
  KOKKOS_FUNCTION void multiply_add(const Team&, const stage_type& stage, int terms) {
    k_.multiply_add_vector(y_.rows, terms, stage.a, a_.row_stride, a_.col_stride, stage.x, part_);
  }
  KOKKOS_FUNCTION void fold(bool first, bool) {
    if (first)
      Kokkos::kokkos_swap(part_, total_);
    else
      k_.fold(y_.rows, part_, total_);
  }
  KOKKOS_FUNCTION void save(const Team&, T* sums) const { std::memcpy(sums, part_, sizeof(T) * y_.rows); }
  KOKKOS_FUNCTION void load(const Team&, const T* sums) { std::memcpy(part_, sums, sizeof(T) * y_.rows); }
  KOKKOS_FUNCTION void store(const Team&) const { store(total_); }
  KOKKOS_FUNCTION void store_without_product(const Team&) const { store(nullptr); }

 private:
  KOKKOS_FUNCTION void store(const T* total) const {
    k_.store_vector(y_.rows, total, epilogue_.alpha, epilogue_.beta, y_.data, y_.row_stride);
  }

  const parameters& p_;
  const kernel_set<T>& k_;
  tile::epilogue<T> epilogue_;
  tile::matrix<const T> a_;
  tile::vector<const T> x_;
  tile::matrix<T> y_;
  T *staged_x_, *part_, *total_;
  index_t next_ = 0, end_ = 0;
};

}  // namespace abax::openmp
