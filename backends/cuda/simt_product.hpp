// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm primitives on the FMA units: both operands in scratch, an 8 x 8 register tile a thread.
#include <Kokkos_Core.hpp>

#include "backends/cuda/operand.hpp"
#include "backends/cuda/scratch.hpp"
#include "tile/product.hpp"

namespace abax::cuda {

/// A team of 32 x WarpRows x WarpCols threads owns (64 WarpRows) x (32 WarpCols) outputs. A warp owns 64 x 32, its
/// lanes lie 8 x 4, and a lane's outputs are 2 x 2 groups of 4 x 4, so that a warp's fragment loads are 16-byte
/// accesses whose lanes fall into distinct banks or broadcast.
///
/// Two stages: while one is multiplied, the next arrives, by cp.async where the operand's outer index is contiguous,
/// through registers (which transposes it) where k is. Scratch holds both operands as [term][outer].
template <class T, int WarpRows, int WarpCols, int Depth, along A, along B, int Width, class Team>
class simt_product {
 public:
  static constexpr int rows = 64 * WarpRows, cols = 32 * WarpCols;
  static constexpr int team_size = 32 * WarpRows * WarpCols;
  static constexpr int residents = sizeof(T) == 4 ? 512 / team_size : 1;

  struct parameters {
    bool several_blocks;
  };

  // Bounded without the private layout below: no operand is padded by more than 4 elements a line.
  static constexpr std::size_t most_scratch = sizeof(T) * (2 * Depth * (rows + cols + 8) + rows * cols) + scratch_slack;
  static std::size_t scratch_bytes(const parameters& p) {
    return sizeof(T) * (stages * stage_elements + (p.several_blocks ? outputs * team_size : 0)) + scratch_slack;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr index_t elements() { return rows * cols; }
  static index_t elements(const parameters&) { return elements(); }

  KOKKOS_FORCEINLINE_FUNCTION simt_product(const Team& team, const parameters& parameters,
                                           const tile::product<T>& problem, int row_tile, int col_tile)
      : thread_(team.team_rank()),
        row_(thread_ / 32 % WarpRows * 64 + thread_ % 8 * 4),
        col_(thread_ / 32 / WarpRows * 32 + thread_ % 32 / 8 * 4),
        problem_(problem),
        row_tile_(row_tile),
        col_tile_(col_tile),
        a_(problem.a.block(index_t(row_tile) * rows, 0, rows, problem.a.cols), thread_),
        b_(problem.b.block(0, index_t(col_tile) * cols, problem.b.rows, cols).transposed(), thread_),
        scratch_(
            take_scratch<T>(team, stages * stage_elements + (parameters.several_blocks ? outputs * team_size : 0))) {}

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int depth() { return Depth; }

  struct stage_type {
    const T* a;  // (Depth, rows) lines ld_a apart
    const T* b;  // (Depth, cols) lines ld_b apart
  };

  KOKKOS_FORCEINLINE_FUNCTION void start(const Team&, index_t begin, index_t end) {
    a_.skip(begin);
    b_.skip(begin);
    to_fetch_.start(begin, end);
    fetch(0);
  }

  KOKKOS_FORCEINLINE_FUNCTION stage_type stage(const Team& team) {
    T* const ready = scratch_ + current_ * stage_elements;
    land(ready);
    wait_copies<0>();
    team.team_barrier();  // this stage is whole, and nobody still reads the other
    current_ ^= 1;
    fetch(current_);
    return {ready, ready + Depth * ld_a};
  }

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
#pragma unroll
    for (int e = 0; e < outputs; ++e) part_[e] = T(0);
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const Team&, const stage_type& stage, int terms) {
    const T* a = stage.a + row_;
    const T* b = stage.b + col_;
    if (terms == Depth) {
      fragment fa[2], fb[2];  // the next term's operands are loaded while this one's are multiplied
      load(fa[0], a, 32);
      load(fb[0], b, 16);
#pragma unroll
      for (int q = 0; q < Depth; ++q) {
        if (q + 1 < Depth) {
          load(fa[(q + 1) & 1], a + (q + 1) * ld_a, 32);
          load(fb[(q + 1) & 1], b + (q + 1) * ld_b, 16);
        }
        multiply_add(fa[q & 1], fb[q & 1]);
      }
    } else {  // the last stage of all; terms beyond k must not be touched
#pragma unroll 1
      for (int q = 0; q < terms; ++q) {
        fragment fa, fb;
        load(fa, a + q * ld_a, 32);
        load(fb, b + q * ld_b, 16);
        multiply_add(fa, fb);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void fold(bool first, bool last) {
    T* total = scratch_ + stages * stage_elements + thread_;  // each thread its own, a warp side by side
    if (!first) {
#pragma unroll
      for (int e = 0; e < outputs; ++e) part_[e] = total[e * team_size] + part_[e];
    }
    if (!last) {
#pragma unroll
      for (int e = 0; e < outputs; ++e) total[e * team_size] = part_[e];
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void save(const Team&, T* sums) const {
#pragma unroll
    for (int e = 0; e < outputs; ++e) sums[e * team_size + thread_] = part_[e];
  }
  KOKKOS_FORCEINLINE_FUNCTION void load(const Team&, const T* sums) {
#pragma unroll
    for (int e = 0; e < outputs; ++e) part_[e] = sums[e * team_size + thread_];
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const Team&) const {
    const tile::matrix<T> c = output();
    const tile::epilogue<T> epilogue = problem_.epilogue;
    const bool wide = c.row_stride == 1 && c.col_stride % (16 / sizeof(T)) == 0 &&
                      reinterpret_cast<std::uintptr_t>(c.data) % 16 == 0 && c.rows == rows;
    for_columns(c, [&](int e, index_t row, index_t col) {
      if (wide) {
        auto* const at = reinterpret_cast<pack<T, 4>*>(&c(row, col));
        pack<T, 4> out{};
        if (epilogue.beta != T(0)) out = *at;
#pragma unroll
        for (int x = 0; x < 4; ++x) out.element[x] = epilogue(part_[e + x], &out.element[x]);
        *at = out;
      } else {
#pragma unroll
        for (int x = 0; x < 4; ++x)
          if (row + x < c.rows) c(row + x, col) = epilogue(part_[e + x], &c(row + x, col));
      }
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_without_product(const Team&) const {
    const tile::matrix<T> c = output();
    for_columns(c, [&](int, index_t row, index_t col) {
      for (int x = 0; x < 4; ++x)
        if (row + x < c.rows) c(row + x, col) = problem_.epilogue.without_product(&c(row + x, col));
    });
  }

 private:
  static constexpr int outputs = 64;  // of a thread: part_[((i 2 + j) 4 + y) 4 + x] is row 32 i + x, column 16 j + y
  static constexpr int stages = 2;
  // A transposing store writes 4 lines at once: the padding takes them to different banks; 16-byte loads stay aligned.
  static constexpr int ld_a = rows + (A == along::terms ? 4 : 0), ld_b = cols + (B == along::terms ? 4 : 0);
  static constexpr int stage_elements = Depth * (ld_a + ld_b);

  using operand_a = operand<T, A, Width, rows, Depth, team_size>;
  using operand_b = operand<T, B, Width, cols, Depth, team_size>;
  struct nothing {};
  template <along Direction, class Operand>
  struct held {
    using type = nothing;
  };
  template <class Operand>
  struct held<along::terms, Operand> {
    using type = typename Operand::in_flight;
  };

  struct fragment {
    pack<T, 4> group[2];
  };
  KOKKOS_FORCEINLINE_FUNCTION static void load(fragment& f, const T* from, int apart) {
    f.group[0] = *reinterpret_cast<const pack<T, 4>*>(from);
    f.group[1] = *reinterpret_cast<const pack<T, 4>*>(from + apart);
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const fragment& a, const fragment& b) {
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j)
#pragma unroll
        for (int y = 0; y < 4; ++y)
#pragma unroll
          for (int x = 0; x < 4; ++x) {
            T& sum = part_[((i * 2 + j) * 4 + y) * 4 + x];
            sum = Kokkos::fma(a.group[i].element[x], b.group[j].element[y], sum);
          }
  }

  KOKKOS_FORCEINLINE_FUNCTION void fetch(int buffer) {
    if (to_fetch_.left <= 0) return;
    const int terms = to_fetch_.terms();
    --to_fetch_.left;
    T* const to = scratch_ + buffer * stage_elements;
    if constexpr (A == along::outer)
      a_.template copy<ld_a>(to, terms);
    else
      a_.fetch(held_a_, terms);
    if constexpr (B == along::outer)
      b_.template copy<ld_b>(to + Depth * ld_a, terms);
    else
      b_.fetch(held_b_, terms);
    commit_copies();
  }
  KOKKOS_FORCEINLINE_FUNCTION void land(T* to) const {
    if constexpr (A == along::terms) a_.template land<ld_a>(held_a_, to);
    if constexpr (B == along::terms) b_.template land<ld_b>(held_b_, to + Depth * ld_a);
  }

  // Computed when it is needed: held through the main loop it would cost registers.
  KOKKOS_FORCEINLINE_FUNCTION tile::matrix<T> output() const {
    return problem_.c.block(index_t(row_tile_) * rows, index_t(col_tile_) * cols, rows, cols);
  }

  // f(first of 4 elements, row, column) for each run of 4 rows inside the tile's columns
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_columns(const tile::matrix<T>& c, const F& f) const {
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int y = 0; y < 4; ++y) {
        const index_t col = col_ + 16 * j + y;
        if (col < c.cols) {
#pragma unroll
          for (int i = 0; i < 2; ++i) f(((i * 2 + j) * 4 + y) * 4, row_ + 32 * i, col);
        }
      }
  }

  int thread_, row_, col_;
  int current_ = 0;
  stages_to_fetch<Depth> to_fetch_;
  const tile::product<T>& problem_;
  int row_tile_, col_tile_;
  operand_a a_;
  operand_b b_;
  T* scratch_;
  typename held<A, operand_a>::type held_a_;
  typename held<B, operand_b>::type held_b_;
  T part_[outputs];
};

}  // namespace abax::cuda
