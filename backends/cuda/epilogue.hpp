// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The epilogue of a tile of C: by way of scratch, registers -> strips of columns there -> whole lines of C; and of a
/// product without terms. `end(row, column, value)` is what C gets where the epilogue leaves `value`
/// (tile::product::ended).
#include "abax/detail/backends/cuda/access.hpp"
#include "abax/detail/backends/cuda/scratch_lines.hpp"
#include "abax/detail/tile/banks.hpp"
#include "abax/detail/tile/product.hpp"

namespace abax::cuda {

/// Four numbers from registers to scratch that is aligned to 16 bytes, 16 bytes in one access: left to itself, the
/// compiler takes most of these apart, and single numbers of lanes that are 16 bytes apart meet in four banks.
KOKKOS_FORCEINLINE_FUNCTION void store_four([[maybe_unused]] float* to, [[maybe_unused]] const float* from) {
#ifdef __CUDA_ARCH__
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};\n" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "f"(from[0]), "f"(from[1]), "f"(from[2]), "f"(from[3])
               : "memory");
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void store_four([[maybe_unused]] double* to, [[maybe_unused]] const double* from) {
#ifdef __CUDA_ARCH__
  asm volatile("st.shared.v2.f64 [%0], {%1, %2};\nst.shared.v2.f64 [%0 + 16], {%3, %4};\n" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "d"(from[0]), "d"(from[1]), "d"(from[2]), "d"(from[3])
               : "memory");
#endif
}

/// A strip of Rows x Cols sums in scratch. What a thread holds in registers lies scattered over C: stored from there it
/// takes addresses, comparisons and code of its own for every output, more instructions than a short product has.
template <class T, int Rows, int Cols, int Threads>
struct strip {
  static constexpr int elements = Rows * Cols;

  /// Where column `col` lies from row `row` on, as far as the next multiple of 32 bytes. Columns 4 apart differ in
  /// banks.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int offset(int col, int row) {
    return scratch_lines<Rows, 0, 32 / sizeof(T), 4, 4>::offset(col, row);
  }

  /// c(row, column(s)) <- end of the epilogue of the sum in row `row`, column s of the strip, where c has it.
  template <class Column, class End>
  KOKKOS_FORCEINLINE_FUNCTION static void store(int thread, const T* sums, const Column& column,
                                                const tile::matrix<T>& c, const tile::epilogue<T>& epilogue,
                                                const End& end) {
    constexpr int wide = 16 / sizeof(T);
    if (wide_access(c.data, c.row_stride, c.col_stride) && c.rows % wide == 0)
      store_by<wide>(thread, sums, column, c, epilogue, end);
    else
      store_by<1>(thread, sums, column, c, epilogue, end);
  }

 private:
  template <int Width, class Column, class End>
  KOKKOS_FORCEINLINE_FUNCTION static void store_by(int thread, const T* sums, const Column& column,
                                                   const tile::matrix<T>& c, const tile::epilogue<T>& epilogue,
                                                   const End& end) {
    constexpr int lanes = Rows / Width, step = Threads / lanes;
    constexpr int batch =
        tile::min(Width > 1 ? 4 : int(64 / sizeof(T)), Cols / step);  // columns on their way at a time
    static_assert(Threads % lanes == 0 && batch > 0 && Cols % (batch * step) == 0);
    static_assert(Width == 1 || tile::banks::free_of_conflicts(16, [](int lane) {
                    return sizeof(T) * offset(lane / lanes, lane % lanes * Width);
                  }));
    const int row = thread % lanes * Width;
    if (row >= c.rows) return;
#pragma unroll 1
    for (int s = thread / lanes; s < Cols; s += batch * step) {
      // All of C is loaded before the first of it is stored, so that the loads overlap.
      pack<T, Width> old[batch] = {};
      if (epilogue.beta != T(0)) {
#pragma unroll
        for (int b = 0; b < batch; ++b)
          if (const int col = column(s + b * step); col < c.cols)
            old[b] = *reinterpret_cast<const pack<T, Width>*>(&c(row, col));
      }
#pragma unroll
      for (int b = 0; b < batch; ++b)
        if (const int col = column(s + b * step); col < c.cols) {
          pack<T, Width> out = *reinterpret_cast<const pack<T, Width>*>(sums + offset(s + b * step, row));
#pragma unroll
          for (int v = 0; v < Width; ++v)
            out.element[v] = end(row + v, col, epilogue(out.element[v], &old[b].element[v]));
          *reinterpret_cast<pack<T, Width>*>(&c(row, col)) = out;
        }
    }
  }
};

/// Brings a tile of C that the epilogue will read to the L2 cache while the product is computed. Of a product of
/// several blocks it might be gone from there by the time, and its loads are a small part of the whole.
template <int Threads, class T>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_output(int thread, const tile::matrix<T>& c,
                                                 const tile::epilogue<T>& epilogue, index_t begin, index_t end) {
  constexpr int line = 128 / sizeof(T);
  if (epilogue.beta == T(0) || c.row_stride != 1 || begin != 0 || end > tile::canon_block_of<T>) return;
  const int rows = static_cast<int>(c.rows), cols = static_cast<int>(c.cols), lines = rows / line + 1;
#pragma unroll 1
  for (int e = thread; e < lines * cols; e += Threads) prefetch(&c(tile::min(e % lines * line, rows - 1), e / lines));
}

/// c <- what a product without terms leaves in the tile of C whose first element is (row, col).
template <int Threads, class T, class Functor>
KOKKOS_FORCEINLINE_FUNCTION void store_without_product(int thread, const tile::matrix<T>& c,
                                                       const tile::product<T, Functor>& problem, index_t row,
                                                       index_t col) {
  const int rows = static_cast<int>(c.rows), outputs = rows * static_cast<int>(c.cols);
#pragma unroll 1
  for (int e = thread; e < outputs; e += Threads) {
    T* const at = &c(e % rows, e / rows);
    *at = problem.ended_without_product(row + e % rows, col + e / rows, at);
  }
}

}  // namespace abax::cuda
