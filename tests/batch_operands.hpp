// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The operands of a batch: every layout of items and matrices, in memory that is guarded.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "batch_layouts.hpp"
#include "inputs.hpp"

namespace abax::tests {

inline constexpr int lies = 8;  ///< that any operand of real numbers may have

template <class T>
struct operand_of {
  index_t items, rows, cols;
  lie how;
  index_t offset;
  index_t item_stride, row_stride, col_stride;
  std::vector<T> memory;

  operand_of(index_t items_, index_t rows_, index_t cols_, lie how_, index_t offset_, numbers kind, std::uint64_t seed)
      : items(items_), rows(rows_), cols(cols_), how(how_), offset(offset_ + 5) {
    std::tie(item_stride, row_stride, col_stride) = strides_of(how, items, rows, cols);
    const index_t r = std::max<index_t>(1, rows), c = std::max<index_t>(1, cols), b = std::max<index_t>(1, items);
    memory.assign(offset + (b - 1) * item_stride + (r - 1) * row_stride + (c - 1) * col_stride + 1 + 9,
                  guard_value<T>());
    for (index_t i = 0; i < (how == lie::shared ? 1 : items); ++i)
      put(memory, i, random_matrix<T>(rows, cols, kind, seed + 2 * i));
  }
  index_t at(index_t item, index_t i, index_t j) const {
    return offset + item * item_stride + i * row_stride + j * col_stride;
  }
  void put(std::vector<T>& to, index_t item, const matrix<T>& values) const {
    for (index_t j = 0; j < cols; ++j)
      for (index_t i = 0; i < rows; ++i) std::memcpy(&to[at(item, i, j)], &values(i, j), sizeof(T));
  }
  matrix<T> item(index_t b) const {
    matrix<T> m(rows, cols);
    for (index_t j = 0; j < cols; ++j)
      for (index_t i = 0; i < rows; ++i) std::memcpy(&m(i, j), &memory[at(b, i, j)], sizeof(T));
    return m;
  }
};

/// The memory of an operand where `Exec` computes.
template <class T, class Exec>
struct placed {
  const operand_of<T>& host;
  Kokkos::View<T*, typename Exec::memory_space> memory;

  explicit placed(const operand_of<T>& given)
      : host(given), memory(Kokkos::view_alloc(Kokkos::WithoutInitializing, "operand"), given.memory.size()) {
    Kokkos::deep_copy(memory, Kokkos::View<const T*, Kokkos::HostSpace>(given.memory.data(), given.memory.size()));
  }
  template <class Value, int Rank>
  auto view() const {
    using traits = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    using space = typename Exec::memory_space;
    const operand_of<T>& o = host;
    T* const data = memory.data() + o.offset;
    if constexpr (Rank == 3)
      return Kokkos::View<Value***, Kokkos::LayoutStride, space, traits>(
          data, Kokkos::LayoutStride(o.items, o.item_stride, o.rows, o.row_stride, o.cols, o.col_stride));
    else
      return Kokkos::View<Value**, Kokkos::LayoutStride, space, traits>(
          data, Kokkos::LayoutStride(o.rows, o.row_stride, o.cols, o.col_stride));
  }
  std::string difference_from(const std::vector<T>& want) const {
    std::vector<T> got(want.size());
    Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace>(got.data(), got.size()), memory);
    return difference(got.data(), want.data(), static_cast<index_t>(want.size()),
                      [](index_t e) { return "element " + std::to_string(e) + " of the memory"; });
  }
};

}  // namespace abax::tests
