// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm primitives on the FP64 tensor cores (sm_90): a ring of scratch stages filled by cp.async.
#include <Kokkos_Core.hpp>

#include "backends/cuda/operand.hpp"
#include "backends/cuda/scratch.hpp"
#include "tile/product.hpp"

namespace abax::cuda {

/// c (16 x 8) <- a (16 x 8) b (8 x 8) + c, each element an fma chain with k ascending: the FP64 tensor cores round
/// after every term, so they follow the canon. Lane l, g = l / 4, q = l % 4, holds
///   a: (g, q) (g+8, q) (g, q+4) (g+8, q+4)   b: (q, g) (q+4, g)   c: (g, 2q) (g, 2q+1) (g+8, 2q) (g+8, 2q+1)
KOKKOS_FORCEINLINE_FUNCTION void mma_16x8x8([[maybe_unused]] double (&c)[4], [[maybe_unused]] const double (&a)[4],
                                            [[maybe_unused]] const double (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#elif defined(__CUDA_ARCH__)
  __trap();  // the backend chooses this path on sm_90 and later only
#endif
}

/// A team of WarpRows x WarpCols warps owns (32 WarpRows) x (32 WarpCols) outputs, a warp 32 x 32 of them: 2 x 4
/// tensor-core tiles. Operands lie in scratch as they lie in memory, [term][outer] or [outer][term], padded by 4
/// elements, which takes a fragment's lanes to distinct banks either way.
template <int WarpRows, int WarpCols, int Depth, int Stages, along A, along B, int Width, class Team>
class mma_product {
 public:
  static constexpr int rows = 32 * WarpRows, cols = 32 * WarpCols;
  static constexpr int team_size = 32 * WarpRows * WarpCols;
  static constexpr int residents = 2;

  struct parameters {
    bool several_blocks;
  };

  // Both operands padded by 4 elements a line, whichever way they lie.
  static constexpr std::size_t most_scratch =
      sizeof(double) * (Stages * (Depth + 4) * (rows + 4 + cols + 4) + rows * cols) + scratch_slack;
  static std::size_t scratch_bytes(const parameters& p) {
    return sizeof(double) * (Stages * stage_elements + (p.several_blocks ? outputs * team_size : 0)) + scratch_slack;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr index_t elements() { return rows * cols; }
  static index_t elements(const parameters&) { return elements(); }

  KOKKOS_FORCEINLINE_FUNCTION mma_product(const Team& team, const parameters& parameters,
                                          const tile::product<double>& problem, int row_tile, int col_tile)
      : thread_(team.team_rank()),
        row_(thread_ / 32 % WarpRows * 32),
        col_(thread_ / 32 / WarpRows * 32),
        problem_(problem),
        row_tile_(row_tile),
        col_tile_(col_tile),
        a_(problem.a.block(index_t(row_tile) * rows, 0, rows, problem.a.cols), thread_),
        b_(problem.b.block(0, index_t(col_tile) * cols, problem.b.rows, cols).transposed(), thread_),
        scratch_(take_scratch<double>(
            team, Stages * stage_elements + (parameters.several_blocks ? outputs * team_size : 0))) {}

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int depth() { return Depth; }

  struct stage_type {
    const double* a;
    const double* b;
  };

  KOKKOS_FORCEINLINE_FUNCTION void start(const Team&, index_t begin, index_t end) {
    a_.skip(begin);
    b_.skip(begin);
    to_fetch_.start(begin, end);
#pragma unroll
    for (int s = 0; s < Stages - 1; ++s) fetch(s);
  }

  KOKKOS_FORCEINLINE_FUNCTION stage_type stage(const Team& team) {
    wait_copies<Stages - 2>();
    team.team_barrier();  // this stage is whole, and nobody still reads the one that is filled next
    const double* const ready = scratch_ + current_ * stage_elements;
    fetch(current_ == 0 ? Stages - 1 : current_ - 1);
    current_ = current_ + 1 == Stages ? 0 : current_ + 1;
    return {ready, ready + size_a};
  }

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
#pragma unroll
    for (int e = 0; e < outputs; ++e) at(e) = 0;
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const Team&, const stage_type& stage, int terms) {
    if (terms == Depth) {
#pragma unroll
      for (int q = 0; q < Depth; q += 8) multiply_add<true>(stage, q, terms);
    } else {
#pragma unroll 1
      for (int q = 0; q < terms; q += 8) multiply_add<false>(stage, q, terms);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void fold(bool first, bool last) {
    double* total = scratch_ + Stages * stage_elements + thread_;
    if (!first) {
#pragma unroll
      for (int e = 0; e < outputs; ++e) at(e) = total[e * team_size] + at(e);
    }
    if (!last) {
#pragma unroll
      for (int e = 0; e < outputs; ++e) total[e * team_size] = at(e);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void save(const Team&, double* sums) const {
#pragma unroll
    for (int e = 0; e < outputs; ++e) sums[e * team_size + thread_] = at(e);
  }
  KOKKOS_FORCEINLINE_FUNCTION void load(const Team&, const double* sums) {
#pragma unroll
    for (int e = 0; e < outputs; ++e) at(e) = sums[e * team_size + thread_];
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const Team&) const {
    const tile::epilogue<double> epilogue = problem_.epilogue;
    double old[outputs] = {};  // all of C is loaded before the first element is stored, so that the loads overlap
    if (epilogue.beta != 0) for_outputs([&](int e, const double* c) { old[e] = *c; });
    for_outputs([&](int e, double* c) { *c = epilogue(at(e), &old[e]); });
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_without_product(const Team&) const {
    for_outputs([&](int, double* c) { *c = problem_.epilogue.without_product(c); });
  }

 private:
  static constexpr int tiles_m = 2, tiles_n = 4, outputs = tiles_m * tiles_n * 4;
  static constexpr int ld_a = (A == along::outer ? rows : Depth) + 4, ld_b = (B == along::outer ? cols : Depth) + 4;
  static constexpr int size_a = ld_a * (A == along::outer ? Depth : rows);
  static constexpr int size_b = ld_b * (B == along::outer ? Depth : cols);
  static constexpr int stage_elements = size_a + size_b;

  KOKKOS_FORCEINLINE_FUNCTION double& at(int e) { return part_[e / (4 * tiles_n)][e / 4 % tiles_n][e % 4]; }
  KOKKOS_FORCEINLINE_FUNCTION const double& at(int e) const { return part_[e / (4 * tiles_n)][e / 4 % tiles_n][e % 4]; }

  KOKKOS_FORCEINLINE_FUNCTION void fetch(int buffer) {
    if (to_fetch_.left > 0) {
      const int terms = to_fetch_.terms();
      --to_fetch_.left;
      double* const to = scratch_ + buffer * stage_elements;
      a_.template copy<ld_a>(to, terms);
      b_.template copy<ld_b>(to + size_a, terms);
    }
    commit_copies();  // also an empty group: waiting counts groups
  }

  template <bool Whole>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const stage_type& stage, int q0, int terms) {
    const int lane = thread_ % 32, g = lane / 4, q = q0 + lane % 4;
    const bool in[2] = {Whole || q < terms, Whole || q + 4 < terms};
    double a[tiles_m][4], b[tiles_n][2];
    // Terms beyond k are padded with the pair (+0, -0), the one that leaves every sum as it is, -0 included.
#pragma unroll
    for (int i = 0; i < tiles_m; ++i)
#pragma unroll
      for (int x = 0; x < 4; ++x) {
        const int row = row_ + 16 * i + g + 8 * (x & 1), term = q + 4 * (x >> 1);
        a[i][x] = in[x >> 1] ? stage.a[A == along::outer ? term * ld_a + row : row * ld_a + term] : 0.0;
      }
#pragma unroll
    for (int j = 0; j < tiles_n; ++j)
#pragma unroll
      for (int x = 0; x < 2; ++x) {
        const int col = col_ + 8 * j + g, term = q + 4 * x;
        b[j][x] = in[x] ? stage.b[B == along::outer ? term * ld_b + col : col * ld_b + term] : -0.0;
      }
#pragma unroll
    for (int i = 0; i < tiles_m; ++i)
#pragma unroll
      for (int j = 0; j < tiles_n; ++j) mma_16x8x8(part_[i][j], a[i], b[j]);
  }

  // f(output, its place in C) for each output inside C
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_outputs(const F& f) const {
    const tile::matrix<double> c = problem_.c.block(index_t(row_tile_) * rows, index_t(col_tile_) * cols, rows, cols);
    const int lane = thread_ % 32, g = lane / 4, q = lane % 4;
#pragma unroll
    for (int e = 0; e < outputs; ++e) {
      const index_t row = row_ + e / (4 * tiles_n) * 16 + g + e % 4 / 2 * 8;
      const index_t col = col_ + e / 4 % tiles_n * 8 + 2 * q + e % 2;
      if (row < c.rows && col < c.cols) f(e, &c(row, col));
    }
  }

  int thread_, row_, col_;
  int current_ = 0;
  stages_to_fetch<Depth> to_fetch_;
  const tile::product<double>& problem_;
  int row_tile_, col_tile_;
  operand<double, A, Width, rows, Depth, team_size> a_;
  operand<double, B, Width, cols, Depth, team_size> b_;
  double* scratch_;
  double part_[tiles_m][tiles_n][4];
};

}  // namespace abax::cuda
