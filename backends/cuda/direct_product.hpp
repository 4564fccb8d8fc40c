// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm primitives for few terms: most of the time goes into C.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/epilogue.hpp"
#include "abax/detail/backends/cuda/pipeline.hpp"
#include "abax/detail/tile/product.hpp"

namespace abax::cuda {

struct direct_shape {
  int rows, cols;  ///< outputs of a thread
  int depth;       ///< terms whose operands are loaded at a time
  int residents;   ///< teams of a multiprocessor
};

/// Of products of one block alone whose C has contiguous columns. Warps divide a tile's columns among them. A lane has
/// rows x cols outputs: rows 32 apart, so that a warp's lie side by side, and neighbouring columns, whose terms of B
/// are the same for all lanes. What a team does once costs more instructions than a few terms of an output, so each
/// thread has many outputs.
///
/// Nothing is staged: operands come through the caches, those of `depth` terms at once. Outputs that C does not have
/// read what its last row or column reads.
template <class T, direct_shape Shape, class Team, class Functor = tile::no_functor>
class direct_product {
  static constexpr int Warps = 8, Rows = Shape.rows, Cols = Shape.cols, Depth = Shape.depth, outputs = Rows * Cols;

 public:
  static constexpr int rows = 32 * Rows, cols = Warps * Cols;
  static constexpr int team_size = 32 * Warps, residents = Shape.residents;

  template <class Other>
  using ending_in = direct_product<T, Shape, Team, Other>;
  using parameters = product_parameters;
  using joiner = void;
  static constexpr bool finishes = false;

  static std::size_t scratch_bytes(const parameters&) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr index_t elements() { return rows * cols; }
  static index_t elements(const parameters&) { return elements(); }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int depth() { return Depth; }

  KOKKOS_FORCEINLINE_FUNCTION direct_product(const Team& team, const parameters&,
                                             const tile::product<T, Functor>& problem, int row_tile, int col_tile)
      : thread_(team.team_rank()),
        problem_(problem),
        first_row_(index_t(row_tile) * rows),
        first_col_(index_t(col_tile) * cols) {
#pragma unroll
    for (int x = 0; x < Rows; ++x) a_[x] = &problem.a(tile::min(first_row_ + row(x), problem.c.rows - 1), 0);
#pragma unroll
    for (int y = 0; y < Cols; ++y) b_[y] = &problem.b(0, tile::min(first_col_ + col(y), problem.c.cols - 1));
  }

  KOKKOS_FORCEINLINE_FUNCTION void start(const Team&, index_t begin, index_t) { skip(begin); }

  using stage_type = int;  // operands are read where they are
  KOKKOS_FORCEINLINE_FUNCTION stage_type stage(const Team&) const { return 0; }

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
#pragma unroll
    for (int e = 0; e < outputs; ++e) part_[e] = T(0);
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const Team&, stage_type, int terms) {
    T a[Depth][Rows], b[Depth][Cols];
#pragma unroll
    for (int p = 0; p < Depth; ++p) {
      if (p >= terms) break;
#pragma unroll
      for (int x = 0; x < Rows; ++x) a[p][x] = a_[x][p * problem_.a.col_stride];
#pragma unroll
      for (int y = 0; y < Cols; ++y) b[p][y] = b_[y][p * problem_.b.row_stride];
    }
#pragma unroll
    for (int p = 0; p < Depth; ++p) {
      if (p >= terms) break;
#pragma unroll
      for (int y = 0; y < Cols; ++y)
#pragma unroll
        for (int x = 0; x < Rows; ++x) {
          T& sum = part_[y * Rows + x];
          sum = Kokkos::fma(a[p][x], b[p][y], sum);
        }
    }
    skip(terms);
  }

  // There is one block: its sums are the totals, and no teams share a tile.
  KOKKOS_FORCEINLINE_FUNCTION void fold(bool, bool) {}
  KOKKOS_FORCEINLINE_FUNCTION void save(const Team&, T* sums) const {
#pragma unroll
    for (int e = 0; e < outputs; ++e) sums[e * team_size + thread_] = part_[e];
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(const Team&, const T* sums, int) {
#pragma unroll
    for (int e = 0; e < outputs; ++e) part_[e] = sums[e * team_size + thread_];
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const Team&) const {
    problem_.epilogue.beta == T(0) ? store_by<false>() : store_by<true>();
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_without_product(const Team&) const {
    cuda::store_without_product<team_size>(thread_, output(), problem_, first_row_, first_col_);
  }

 private:
  // Of the tile, as output().
  KOKKOS_FORCEINLINE_FUNCTION int row(int x) const { return thread_ % 32 + 32 * x; }
  KOKKOS_FORCEINLINE_FUNCTION int col(int y) const { return thread_ / 32 * Cols + y; }
  KOKKOS_FORCEINLINE_FUNCTION tile::matrix<T> output() const {
    return problem_.c.block(first_row_, first_col_, rows, cols);
  }

  KOKKOS_FORCEINLINE_FUNCTION void skip(index_t terms) {
#pragma unroll
    for (int x = 0; x < Rows; ++x) a_[x] += terms * problem_.a.col_stride;
#pragma unroll
    for (int y = 0; y < Cols; ++y) b_[y] += terms * problem_.b.row_stride;
  }
  template <bool Reads>
  KOKKOS_FORCEINLINE_FUNCTION void store_by() const {
    const tile::epilogue<T> epilogue{problem_.epilogue.alpha, Reads ? problem_.epilogue.beta : T(0)};
    const tile::matrix<T> c = output();
    T* const first = &c(row(0), col(0));
    const auto each = [&](const auto& visit) {
#pragma unroll
      for (int y = 0; y < Cols; ++y)
#pragma unroll
        for (int x = 0; x < Rows; ++x)
          if (row(x) < c.rows && col(y) < c.cols) visit(x, y, first[32 * x + y * c.col_stride]);
    };
    T old[outputs] = {};  // all of C is loaded before the first of it is stored, so that the loads overlap
    if constexpr (Reads) each([&](int x, int y, const T& at) { old[y * Rows + x] = at; });
    each([&](int x, int y, T& at) {
      const int e = y * Rows + x;
      at = problem_.ended(first_row_ + row(x), first_col_ + col(y), epilogue(part_[e], &old[e]));
    });
  }

  int thread_;
  const tile::product<T, Functor>& problem_;
  index_t first_row_, first_col_;
  const T *a_[Rows], *b_[Cols];  // the next term of each of this thread's rows and columns
  T part_[outputs];
};

}  // namespace abax::cuda
