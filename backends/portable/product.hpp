// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Product primitives in plain Kokkos: right on every machine, fast on none.
#include <Kokkos_Core.hpp>

#include "abax/detail/tile/product.hpp"

namespace abax::portable {

/// Both operand tiles and both sums lie in level-0 scratch; threads share every loop over elements.
template <class T, class Team, class Functor = tile::no_functor>
class product {
 public:
  template <class Other>
  using ending_in = product<T, Team, Other>;
  using parameters = tile::product_tile;
  using joiner = void;
  static constexpr bool finishes = false;

  static std::size_t scratch_bytes(const parameters& tile) {
    return sizeof(T) * (std::size_t(tile.depth) * (tile.rows + tile.cols) + 2 * std::size_t(tile.rows) * tile.cols) +
           4 * alignof(std::max_align_t);
  }
  static index_t elements(const parameters& tile) { return index_t(tile.rows) * tile.cols; }

  KOKKOS_FUNCTION product(const Team& team, const parameters& tile, const tile::product<T, Functor>& problem,
                          int row_tile, int col_tile)
      : team_(team),
        tile_(tile),
        problem_(problem),
        row_(index_t(row_tile) * tile.rows),
        col_(index_t(col_tile) * tile.cols),
        a_(problem.a.block(row_, 0, tile.rows, problem.a.cols)),
        b_(problem.b.block(0, col_, problem.b.rows, tile.cols)),
        c_(problem.c.block(row_, col_, tile.rows, tile.cols)),
        staged_a_(take(index_t(tile.depth) * tile.rows)),
        staged_b_(take(index_t(tile.depth) * tile.cols)),
        part_(take(elements())),
        total_(take(elements())) {}

  KOKKOS_FUNCTION int depth() const { return tile_.depth; }
  KOKKOS_FUNCTION index_t elements() const { return index_t(tile_.rows) * tile_.cols; }
  KOKKOS_FUNCTION void start(const Team&, index_t begin, index_t end) {
    next_ = begin;
    end_ = end;
  }

  struct stage_type {
    const T* a;  // (depth, rows): element (p, i) at p rows + i
    const T* b;  // (depth, cols): element (p, j) at p cols + j
  };
  KOKKOS_FUNCTION stage_type stage(const Team&) {
    const index_t terms = tile::min<index_t>(tile_.depth, end_ - next_);
    copy(staged_a_, tile_.rows, a_.block(0, next_, a_.rows, terms).transposed(), problem_.conjugated_a);
    copy(staged_b_, tile_.cols, b_.block(next_, 0, terms, b_.cols), problem_.conjugated_b);
    next_ += terms;
    return {staged_a_, staged_b_};
  }

  KOKKOS_FUNCTION void clear() {
    each(elements(), [=, part = part_](index_t e) { part[e] = T{0}; });
  }
  KOKKOS_FUNCTION void multiply_add(const Team&, const stage_type& stage, int terms) {
    each_output([=, part = part_, rows = tile_.rows, cols = tile_.cols,
                 turned = tile::is_complex<T> && problem_.turned](index_t e, index_t i, index_t j) {
      T sum = part[e];
      for (int p = 0; p < terms; ++p) {
        const T &a = stage.a[p * rows + i], &b = stage.b[p * cols + j];
        sum = turned ? tile::multiply_add(b, a, sum) : tile::multiply_add(a, b, sum);
      }
      part[e] = sum;
    });
  }
  KOKKOS_FUNCTION void fold(bool first, bool) {
    each_output([=, part = part_, total = total_](index_t e, index_t, index_t) {
      total[e] = first ? part[e] : total[e] + part[e];
    });
  }
  KOKKOS_FUNCTION void save(const Team&, T* sums) const {
    each_output([=, part = part_](index_t e, index_t, index_t) { sums[e] = part[e]; });
  }
  KOKKOS_FUNCTION void load(const Team&, const T* sums) {
    each_output([=, part = part_](index_t e, index_t, index_t) { part[e] = sums[e]; });
  }
  KOKKOS_FUNCTION void join(const Team& team, const T* sums, int blocks) {
    tile::join_by_loading(*this, team, sums, blocks);
  }
  KOKKOS_FUNCTION void store(const Team&) const {
    each_output([=, *this](index_t e, index_t i, index_t j) {
      c_(i, j) = problem_.ended(row_ + i, col_ + j, problem_.epilogue(total_[e], &c_(i, j)));
    });
  }
  KOKKOS_FUNCTION void store_without_product(const Team&) const {
    each_output([=, *this](index_t, index_t i, index_t j) {
      c_(i, j) = problem_.ended_without_product(row_ + i, col_ + j, &c_(i, j));
    });
  }

 private:
  KOKKOS_FUNCTION T* take(index_t count) const {
    return static_cast<T*>(team_.team_scratch(0).get_shmem_aligned(sizeof(T) * count, alignof(T)));
  }
  template <class F>
  KOKKOS_FUNCTION void each(index_t count, const F& f) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team_, static_cast<int>(count)), f);
    team_.team_barrier();  // ranges may map an element to another thread next time
  }
  template <class F>
  KOKKOS_FUNCTION void each_output(const F& f) const {
    each(c_.rows * c_.cols, [=, rows = c_.rows, ld = tile_.rows](index_t e) {
      const index_t i = e % rows, j = e / rows;
      f(j * ld + i, i, j);
    });
  }
  // to(p, o) <- from(p, o) or its conjugate, to's rows ld apart
  KOKKOS_FUNCTION void copy(T* to, int ld, const tile::matrix<const T>& from, bool conjugated) const {
    each(from.rows * from.cols, [=](index_t e) {
      const index_t p = e / from.cols, o = e % from.cols;
      to[p * ld + o] = tile::conjugate_if(conjugated, from(p, o));
    });
  }

  const Team& team_;
  parameters tile_;
  const tile::product<T, Functor>& problem_;
  index_t row_, col_;
  tile::matrix<const T> a_, b_;
  tile::matrix<T> c_;
  T *staged_a_, *staged_b_, *part_, *total_;
  index_t next_ = 0, end_ = 0;
};

}  // namespace abax::portable
