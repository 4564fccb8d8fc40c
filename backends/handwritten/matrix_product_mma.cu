// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tuned matrix product on the FP64 tensor cores of sm_90, which round after every term and so follow the canon: a
// ring of stages in shared memory, fragments a step ahead.

#include "matrix_product_tuned.hpp"

namespace abax::handwritten {
namespace {

/// WarpRows x WarpCols warps, each of (16 TilesRows) x (8 TilesCols) outputs; `Step` terms, 4 or 8, go into one
/// instruction.
template <int WarpRows, int WarpCols, int TilesRows, int TilesCols, int Depth, int Step, int Stages, int Residents>
struct mma_tile {
  static constexpr int warp_rows = WarpRows, tiles_rows = TilesRows, tiles_cols = TilesCols;
  static constexpr int depth = Depth, step = Step, stages = Stages;
  static constexpr int rows = 16 * TilesRows * WarpRows, cols = 8 * TilesCols * WarpCols;
  static constexpr int threads = 32 * WarpRows * WarpCols, residents = Residents;
};
using tile = mma_tile<4, 2, 2, 8, 16, 4, 3, 1>;  // 128 x 128 x 16, three stages
static_assert(tile::rows == product_rows && tile::cols == product_cols<double> && tile::depth == product_depth);

/// Lane l, where g = l / 4 and q = l % 4, holds
/// a: (g, q) (g + 8, q), then (g, q + 4) (g + 8, q + 4); b: (q, g), then (q + 4, g);
/// c: (g, 2q) (g, 2q + 1) (g + 8, 2q) (g + 8, 2q + 1).
__device__ __forceinline__ void mma(double (&c)[4], const double (&a)[2], const double (&b)[1]) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};\n"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(b[0]));
#else
  __trap();
#endif
}
/// Element i of line `line`, lines `Length` long: fours of elements change places with the line, so that a fragment's
/// lanes (4 terms of 8 outer indices) meet distinct banks whichever index the lines run along.
template <int Length>
__device__ __forceinline__ int place(int line, int i) {
  return line * Length + (i ^ (line & 3) * 4);
}

/// Where a lane finds term 4 t + q of outer index 8 u + g of its warp.
template <bool OuterContiguous, int Length>
__device__ __forceinline__ int fragment_place(int u, int g, int t, int q) {
  if constexpr (OuterContiguous)
    return (4 * t + q) * Length + u / 2 * 16 + ((u % 2 * 8 + g) ^ 4 * q);
  else
    return (8 * u + g) * Length + (t ^ (g & 3)) * 4 + q;
}

template <class Tile, bool OuterA, bool OuterB, int Width>
__global__ void __launch_bounds__(Tile::threads, Tile::residents)
    matrix_product_mma_kernel(const __grid_constant__ product_arguments<double> g) {
  constexpr int depth = Tile::depth, step = Tile::step, steps = depth / step, stages = Tile::stages;
  constexpr int threads = Tile::threads, tiles_rows = Tile::tiles_rows, tiles_cols = Tile::tiles_cols;
  constexpr int line_a = OuterA ? Tile::rows : depth, line_b = OuterB ? Tile::cols : depth;
  constexpr int size_a = depth * Tile::rows, stage_size = depth * (Tile::rows + Tile::cols);
  static_assert(steps % 2 == 0);
  extern __shared__ __align__(128) double mma_shared[];

  const product_share mine = share_of(g);
  const int thread = static_cast<int>(threadIdx.x), lane_g = thread % 32 / 4, lane_q = thread % 4;
  const int row = thread / 32 % Tile::warp_rows * 16 * tiles_rows, col = thread / 32 / Tile::warp_rows * 8 * tiles_cols;
  const int first_row = mine.row_tile * Tile::rows, first_col = mine.col_tile * Tile::cols;
  const int rows = min(Tile::rows, g.m - first_row), cols = min(Tile::cols, g.n - first_col);
  const int first = mine.first_block * canon_block;
  int left = min(g.k, mine.last_block * canon_block) - first;  // terms to fetch

  // A stage: A as [term][row] or [row][term], then B likewise.
  tile_copy<double, OuterA, Width, Tile::rows, depth, threads> a(
      OuterA ? g.A + first_row + first * g.lda : g.A + first_row * g.lda + first, g.lda, rows, thread);
  tile_copy<double, OuterB, Width, Tile::cols, depth, threads> b(
      OuterB ? g.B + first_col + first * g.ldb : g.B + first_col * g.ldb + first, g.ldb, cols, thread);
  const auto fetch = [&](double* to) {
    a.template copy<false>(to, left, [](int line, int i) { return place<line_a>(line, i); });
    b.template copy<false>(to + size_a, left, [](int line, int i) { return place<line_b>(line, i); });
    commit_copies();
    left -= depth;
  };

  double fragment_a[2][tiles_rows][step / 2], fragment_b[2][tiles_cols][step / 4];
  double part[tiles_rows][tiles_cols][4];
  // Terms s to s + step of a stage of `terms`: beyond the end stands the pair (+0, -0), which leaves every sum as it
  // is.
  const auto load = [&]<bool Whole>(std::bool_constant<Whole>, int f, const double* stage, int s, int terms) {
    const double* const stage_a = stage + row * (OuterA ? 1 : line_a);
    const double* const stage_b = stage + size_a + col * (OuterB ? 1 : line_b);
#pragma unroll
    for (int x = 0; x < step / 4; ++x) {
      const int t = s / 4 + x;
      const bool in = Whole || 4 * t + lane_q < terms;
#pragma unroll
      for (int u = 0; u < 2 * tiles_rows; ++u)
        fragment_a[f][u / 2][2 * x + u % 2] = in ? stage_a[fragment_place<OuterA, line_a>(u, lane_g, t, lane_q)] : 0.0;
#pragma unroll
      for (int u = 0; u < tiles_cols; ++u)
        fragment_b[f][u][x] = in ? stage_b[fragment_place<OuterB, line_b>(u, lane_g, t, lane_q)] : -0.0;
    }
  };
  const auto multiply_add = [&](int f) {
#pragma unroll
    for (int i = 0; i < tiles_rows; ++i)
#pragma unroll
      for (int j = 0; j < tiles_cols; ++j) mma(part[i][j], fragment_a[f][i], fragment_b[f][j]);
  };
  int upcoming = 0, ready = 0;  // where stages begin
  const auto advance = [&] {
    wait_copies<stages - 2>();
    __syncthreads();  // the upcoming stage is whole, and nobody reads the one before any longer
    ready = upcoming;
    upcoming = upcoming == (stages - 1) * stage_size ? 0 : upcoming + stage_size;
    load(std::true_type(), 0, mma_shared + ready, 0, depth);
    fetch(mma_shared + (ready == 0 ? (stages - 1) * stage_size : ready - stage_size));
  };
  const auto for_outputs = [&](const auto& f) {  // f(its place among the thread's, the element)
#pragma unroll
    for (int i = 0; i < tiles_rows; ++i)
#pragma unroll
      for (int j = 0; j < tiles_cols; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) f((i * tiles_cols + j) * 4 + e, part[i][j][e]);
  };
  double* const total = mma_shared + stages * stage_size + thread;
  const auto fold = [&](bool first_of_all, bool last_of_all) {
    if (!first_of_all) for_outputs([&](int e, double& sum) { sum = total[e * threads] + sum; });
    if (!last_of_all) for_outputs([&](int e, double sum) { total[e * threads] = sum; });
  };

  constexpr int outputs = 4 * tiles_rows * tiles_cols;
  const int blocks = (g.k + canon_block - 1) / canon_block;
  double* const my_sums = g.sums + static_cast<std::int64_t>(mine.shared) * blocks * (outputs * threads) + thread;
  const auto sums_of = [&](int block) { return my_sums + static_cast<std::int64_t>(block) * (outputs * threads); };
  for_outputs([](int, double& sum) { sum = 0; });
#pragma unroll
  for (int s = 0; s < stages - 1; ++s) fetch(mma_shared + s * stage_size);
  advance();
  for (int block = mine.first_block; block < mine.last_block; ++block) {
    const int terms = min(canon_block, g.k - block * canon_block), rest = terms % depth;
    for_outputs([](int, double& sum) { sum = 0; });
    for (int p = 0; p < terms - rest; p += depth) {
      const double* const stage = mma_shared + ready;
#pragma unroll
      for (int s = 0; s < steps; ++s) {
        if (s + 1 < steps)
          load(std::true_type(), (s + 1) % 2, stage, (s + 1) * step, depth);
        else
          advance();
        multiply_add(s % 2);
      }
    }
#pragma unroll 1
    for (int s = 0; s < rest; s += step) {
      load(std::false_type(), 0, mma_shared + ready, s, rest);
      multiply_add(0);
    }
    if (mine.teams == 1)
      fold(block == 0, block + 1 == blocks);
    else
      for_outputs([&](int e, double sum) { sums_of(block)[e * threads] = sum; });
  }

  if (mine.teams > 1) {
    if (!last_arrival(g.arrivals + mine.shared, static_cast<unsigned>(mine.teams))) return;
    for (int block = 0; block < blocks; ++block) {
      for_outputs([&](int e, double& sum) { sum = sums_of(block)[e * threads]; });
      fold(block == 0, block + 1 == blocks);
    }
  }

  double* const C = g.C + first_row + first_col * g.ldc;
#pragma unroll
  for (int i = 0; i < tiles_rows; ++i)
#pragma unroll
    for (int j = 0; j < tiles_cols; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int r = row + 16 * i + lane_g + e / 2 * 8, c = col + 8 * j + 2 * lane_q + e % 2;
        if (r < rows && c < cols) C[r + c * g.ldc] = one_nan(part[i][j][e]);
      }
}

}  // namespace

void matrix_product_tuned(const tuned_product<double>& product, cudaStream_t stream) {
  run_product<double, tile>(product,
                            [&]<bool OuterA, bool OuterB>(const product_arguments<double>& g, unsigned blocks) {
                              const auto kernel = matrix_product_mma_kernel<tile, OuterA, OuterB, 2>;
                              constexpr int stages = tile::stages * tile::depth * (tile::rows + tile::cols);
                              constexpr int with_total = stages + tile::rows * tile::cols;
                              allow_shared(kernel, sizeof(double) * with_total);
                              const int elements = g.k > canon_block ? with_total : stages;
                              kernel<<<blocks, tile::threads, sizeof(double) * elements, stream>>>(g);
                            });
}

}  // namespace abax::handwritten
