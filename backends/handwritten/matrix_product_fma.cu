// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tuned matrix product on the FMA units (float): a register tile a thread, two stages of both operands in shared
// memory, the canon's order for any number of terms.

#include "matrix_product_tuned.hpp"

namespace abax::handwritten {
namespace {

/// WarpRows x WarpCols warps, each of (32 GroupRows) x (16 GroupCols) outputs; the lanes of a warp lie 8 x 4, and a
/// lane has GroupRows x GroupCols groups of 4 x 4.
template <int WarpRows, int WarpCols, int GroupRows, int GroupCols, int Depth, int Residents>
struct fma_tile {
  static constexpr int warp_rows = WarpRows, group_rows = GroupRows, group_cols = GroupCols, depth = Depth;
  static constexpr int rows = 32 * GroupRows * WarpRows, cols = 16 * GroupCols * WarpCols;
  static constexpr int threads = 32 * WarpRows * WarpCols, residents = Residents;

  /// Lines of shared memory; a transposing store writes two terms at once, and the padding parts them.
  static constexpr __host__ __device__ int ld(int outer, bool outer_contiguous) {
    return outer + (outer_contiguous ? 0 : 4);
  }
  static constexpr __host__ __device__ int stage(bool outer_a, bool outer_b) {
    return depth * (ld(rows, outer_a) + ld(cols, outer_b));
  }
};
using tile = fma_tile<2, 2, 2, 2, 16, 3>;  // 128 x 64 x 16, 8 x 8 outputs a thread
static_assert(tile::rows == product_rows && tile::cols == product_cols<float> && tile::depth == product_depth);

/// One thread's part in bringing tiles whose terms are contiguous to lines along the outer index: by way of registers.
/// Two neighbouring lanes take the halves of 8 terms, half of the threads go down the outer index.
template <int Width, int Outer, int Depth, int Threads>
struct turned_tile {
  static constexpr int step = Threads / 2, passes = Outer / step, term_passes = Depth / 8;
  static_assert(passes * step == Outer && term_passes * 8 == Depth);

  int term, line;
  const float* from;
  int pass_stride;
  chunk<float> held[passes][term_passes] = {};

  __device__ __forceinline__ turned_tile(const float* data, std::int64_t ld, int outer, int thread)
      : term(thread % 2 * 4),
        line(thread / 2),
        from(data + (line < outer ? line : 0) * ld + term),
        pass_stride(line + step < outer ? static_cast<int>(step * ld) : 0) {
    static_assert(passes <= 2);
  }

  template <bool Whole>
  __device__ __forceinline__ void load(int left) {
#pragma unroll
    for (int i = 0; i < passes; ++i)
#pragma unroll
      for (int j = 0; j < term_passes; ++j) {
        const float* const at = from + i * pass_stride + j * 8;
        if constexpr (Width == 4) {
          if (Whole || term + j * 8 < left) held[i][j] = *reinterpret_cast<const chunk<float>*>(at);
        } else {
#pragma unroll
          for (int v = 0; v < 4; ++v)
            if (Whole || term + j * 8 + v < left) held[i][j].element[v] = at[v];
        }
      }
    from += Depth;
  }
  /// One of `parts` parts of the tile.
  template <int Ld>
  __device__ __forceinline__ void store(float* shared, int part, int parts) const {
    float* const to = shared + term * Ld + line;
#pragma unroll
    for (int i = 0; i < passes; ++i)
#pragma unroll
      for (int j = 0; j < term_passes; ++j)
        if ((i * term_passes + j) * parts / (passes * term_passes) == part) {
#pragma unroll
          for (int v = 0; v < 4; ++v) to[(j * 8 + v) * Ld + i * step] = held[i][j].element[v];
        }
  }
};

template <class Tile, bool OuterA, bool OuterB, int Width>
__global__ void __launch_bounds__(Tile::threads, Tile::residents)
    matrix_product_fma_kernel(const __grid_constant__ product_arguments<float> g) {
  constexpr int depth = Tile::depth, threads = Tile::threads, group_rows = Tile::group_rows,
                group_cols = Tile::group_cols, outputs = 16 * group_rows * group_cols;
  constexpr int ld_a = Tile::ld(Tile::rows, OuterA), ld_b = Tile::ld(Tile::cols, OuterB);
  constexpr int stage_size = Tile::stage(OuterA, OuterB);
  constexpr int landing = depth * 3 / 4;  // the term from which on the next stage moves from registers
  extern __shared__ __align__(128) float fma_shared[];

  const product_share mine = share_of(g);
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  const int row = warp % Tile::warp_rows * (32 * group_rows) + (thread % 2 + thread % 32 / 8 * 2) * 4;
  const int col = warp / Tile::warp_rows * (16 * group_cols) + thread % 8 / 2 * 4;
  const int first_row = mine.row_tile * Tile::rows, first_col = mine.col_tile * Tile::cols;
  const int rows = min(Tile::rows, g.m - first_row), cols = min(Tile::cols, g.n - first_col);
  const int first = mine.first_block * canon_block;
  int left = min(g.k, mine.last_block * canon_block) - first;  // terms to fetch

  // A stage: (depth, rows) of A, then (depth, cols) of B.
  std::conditional_t<OuterA, tile_copy<float, true, Width, Tile::rows, depth, threads>,
                     turned_tile<Width, Tile::rows, depth, threads>>
      a(OuterA ? g.A + first_row + first * g.lda : g.A + first_row * g.lda + first, g.lda, rows, thread);
  std::conditional_t<OuterB, tile_copy<float, true, Width, Tile::cols, depth, threads>,
                     turned_tile<Width, Tile::cols, depth, threads>>
      b(OuterB ? g.B + first_col + first * g.ldb : g.B + first_col * g.ldb + first, g.ldb, cols, thread);
  const auto fetch_stage = [&]<bool Whole>(std::bool_constant<Whole>, float* to) {
    if constexpr (OuterA)
      a.template copy<Whole>(to, left, [](int line, int i) { return line * ld_a + i; });
    else
      a.template load<Whole>(left);
    if constexpr (OuterB)
      b.template copy<Whole>(to + depth * ld_a, left, [](int line, int i) { return line * ld_b + i; });
    else
      b.template load<Whole>(left);
  };
  const auto fetch = [&](float* to) {  // two ways: predicates would cost registers, and those instructions
    if (left >= depth) [[likely]]
      fetch_stage(std::true_type(), to);
    else
      fetch_stage(std::false_type(), to);
    commit_copies();
    left -= depth;
  };
  const auto land = [&](float* to, int part, int parts) {
    if constexpr (!OuterA) a.template store<ld_a>(to, part, parts);
    if constexpr (!OuterB) b.template store<ld_b>(to + depth * ld_a, part, parts);
  };

  // The operands of a term are loaded while those of the one before are multiplied.
  chunk<float> fragment_a[2][group_rows], fragment_b[2][group_cols];
  float part[outputs];  // ((i group_cols + j) 4 + y) 4 + x: row 32 i + x, column 16 j + y of the thread
  const auto load = [&](int f, const float* stage, int q) {
#pragma unroll
    for (int i = 0; i < group_rows; ++i)
      fragment_a[f][i] = *reinterpret_cast<const chunk<float>*>(stage + row + q * ld_a + 32 * i);
#pragma unroll
    for (int j = 0; j < group_cols; ++j)
      fragment_b[f][j] = *reinterpret_cast<const chunk<float>*>(stage + depth * ld_a + col + q * ld_b + 16 * j);
  };
  // Back and forth over the rows: each multiply-add shares an operand with the one before.
  const auto multiply_add = [&](int f) {
#pragma unroll
    for (int c = 0; c < 4 * group_cols; ++c)
#pragma unroll
      for (int s = 0; s < 4 * group_rows; ++s) {
        const int r = c % 2 == 0 ? s : 4 * group_rows - 1 - s, i = r / 4, x = r % 4, j = c / 4, y = c % 4;
        float& sum = part[((i * group_cols + j) * 4 + y) * 4 + x];
        sum = fmaf(fragment_a[f][i].element[x], fragment_b[f][j].element[y], sum);
      }
  };
  int upcoming = 0, ready = 0;  // where stages begin
  const auto advance = [&] {
    wait_copies<0>();
    __syncthreads();  // the upcoming stage is whole, and nobody reads the one before any longer
    ready = upcoming;
    upcoming = stage_size - upcoming;
    load(0, fma_shared + ready, 0);
    fetch(fma_shared + upcoming);
  };
  const auto clear = [&] {
#pragma unroll
    for (int e = 0; e < outputs; ++e) part[e] = 0.0f;
  };
  // The total of the blocks: each thread's own place in shared memory.
  float* const total = fma_shared + 2 * stage_size + thread;
  const auto fold = [&](bool first_of_all, bool last_of_all) {
    if (!first_of_all) {
#pragma unroll
      for (int e = 0; e < outputs; ++e) part[e] = total[e * threads] + part[e];
    }
    if (!last_of_all) {
#pragma unroll
      for (int e = 0; e < outputs; ++e) total[e * threads] = part[e];
    }
  };

  const int blocks = (g.k + canon_block - 1) / canon_block;
  float* const my_sums = g.sums + static_cast<std::int64_t>(mine.shared) * blocks * (outputs * threads) + thread;
  clear();
  fetch(fma_shared);
  land(fma_shared, 0, 1);
  advance();
  for (int block = mine.first_block; block < mine.last_block; ++block) {
    const int terms = min(canon_block, g.k - block * canon_block), rest = terms % depth;
    clear();
    for (int p = 0; p < terms - rest; p += depth) {
      const float* const stage = fma_shared + ready;
#pragma unroll
      for (int q = 0; q < depth; ++q) {
        if (q + 1 < depth) {
          load((q + 1) & 1, stage, q + 1);
          if (q >= landing) land(fma_shared + upcoming, q - landing, depth - 1 - landing);
        } else {
          advance();
        }
        multiply_add(q & 1);
      }
    }
#pragma unroll 1
    for (int q = 0; q < rest; ++q) {
      load(0, fma_shared + ready, q);
      multiply_add(0);
    }
    if (mine.teams == 1) {
      fold(block == 0, block + 1 == blocks);
    } else {
#pragma unroll
      for (int e = 0; e < outputs; ++e) my_sums[(static_cast<std::int64_t>(block) * outputs + e) * threads] = part[e];
    }
  }

  if (mine.teams > 1) {
    if (!last_arrival(g.arrivals + mine.shared, static_cast<unsigned>(mine.teams))) return;
    for (int block = 0; block < blocks; ++block) {
#pragma unroll
      for (int e = 0; e < outputs; ++e) part[e] = my_sums[(static_cast<std::int64_t>(block) * outputs + e) * threads];
      fold(block == 0, block + 1 == blocks);
    }
  }

  float* const C = g.C + first_row + first_col * g.ldc;
  const bool wide = g.ldc % 4 == 0 && reinterpret_cast<std::uintptr_t>(C) % 16 == 0 && rows == Tile::rows;
#pragma unroll
  for (int j = 0; j < group_cols; ++j)
#pragma unroll
    for (int y = 0; y < 4; ++y) {
      const int c = col + 16 * j + y;
      if (c < cols) {
#pragma unroll
        for (int i = 0; i < group_rows; ++i) {
          const float* const from = part + ((i * group_cols + j) * 4 + y) * 4;
          float* const to = C + row + 32 * i + c * g.ldc;
          if (wide) {
            *reinterpret_cast<chunk<float>*>(to) = {
                {one_nan(from[0]), one_nan(from[1]), one_nan(from[2]), one_nan(from[3])}};
          } else {
#pragma unroll
            for (int x = 0; x < 4; ++x)
              if (row + 32 * i + x < rows) to[x] = one_nan(from[x]);
          }
        }
      }
    }
}

}  // namespace

void matrix_product_tuned(const tuned_product<float>& product, cudaStream_t stream) {
  run_product<float, tile>(product, [&]<bool OuterA, bool OuterB>(const product_arguments<float>& g, unsigned blocks) {
    const auto kernel = matrix_product_fma_kernel<tile, OuterA, OuterB, 4>;
    constexpr int stages = 2 * tile::stage(OuterA, OuterB);
    constexpr int with_total = stages + tile::rows * tile::cols;
    allow_shared(kernel, sizeof(float) * with_total);
    const int elements = g.k > canon_block ? with_total : stages;
    kernel<<<blocks, tile::threads, sizeof(float) * elements, stream>>>(g);
  });
}

}  // namespace abax::handwritten
