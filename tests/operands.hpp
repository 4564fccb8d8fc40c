// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Operands for tests: logical matrices stored in any layout, in any memory, with guard values in every element of the
/// storage that is not theirs.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bits.hpp"

namespace abax::tests {

enum class layout { left, right, stride };

/// How a matrix lies in memory.
struct placement {
  layout how = layout::left;
  index_t pad = 0;     ///< elements between the end of a line and the next line
  index_t offset = 0;  ///< elements from an aligned address to the first element
  index_t step = 1;    ///< elements from one element of a line to the next; other than 1 only with layout::stride
  bool rows = false;   ///< lines are rows; for layout::stride, the others say it themselves

  std::string text() const {
    const char* names[] = {"left", "right", "stride"};
    return std::string(names[static_cast<int>(how)]) + "(pad " + std::to_string(pad) + ", offset " +
           std::to_string(offset) + ", step " + std::to_string(step) + (rows ? ", by rows)" : ")");
  }
};

/// One placement for each of Kokkos' layouts, with padding and odd offsets, and the four that are worth a test of their
/// own: packed and aligned, lines along the other index, a stride between elements, lines that start aligned.
inline constexpr std::array<placement, 3> one_per_layout{
    {{layout::left, 3, 1}, {layout::right, 2, 3}, {layout::stride, 1, 2, 2}}};
inline constexpr std::array<placement, 7> all_placements{{{layout::left, 0, 0},
                                                          {layout::right, 0, 0},
                                                          {layout::left, 3, 1},
                                                          {layout::right, 2, 3},
                                                          {layout::stride, 1, 2, 2},
                                                          {layout::stride, 5, 0, 3, true},
                                                          {layout::stride, 0, 0, 1, true}}};

/// How the three operands of a product lie.
struct placements {
  placement a, b, c;
};

/// Rotates through all placements, so that neighbouring cases meet different ones.
inline std::vector<placements> some_placements(std::uint64_t turn) {
  const auto pick = [&](std::uint64_t i) { return all_placements[i % all_placements.size()]; };
  return {{pick(turn), pick(turn), pick(turn)}, {pick(turn + 1), pick(turn + 3), pick(2 * turn + 2)}};
}
/// Every layout of B and C with every placement of A that is named.
inline std::vector<placements> every_layout(std::span<const placement> of_a) {
  std::vector<placements> all;
  for (const placement& a : of_a)
    for (const placement& b : one_per_layout)
      for (const placement& c : one_per_layout) all.push_back({a, b, c});
  return all;
}

template <class T, class Exec>
class operand {
 public:
  using memory = typename Exec::memory_space;
  using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

  operand(const matrix<T>& values, placement where)
      : rows_(values.rows),
        cols_(values.cols),
        where_(where),
        by_rows_(where.how == layout::right || (where.how == layout::stride && where.rows)) {
    const bool by_rows = by_rows_;
    const index_t line = by_rows ? cols_ : rows_;
    const index_t ld = std::max<index_t>(1, line * where.step + where.pad);
    row_stride_ = by_rows ? ld : where.step;
    col_stride_ = by_rows ? where.step : ld;
    first_ = guard + where.offset;
    const index_t lines = by_rows ? rows_ : cols_;
    storage_ = Kokkos::View<T*, memory>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "operand"),
                                        first_ + ld * std::max<index_t>(1, lines) + guard);
    image_.assign(storage_.extent(0), guard_value<T>());
    place(values, image_);
    upload();
  }

  index_t rows() const { return rows_; }
  index_t cols() const { return cols_; }
  T* data() const { return storage_.data() + first_; }

  /// The operand as a View of that layout, which must be the placement's.
  template <class Layout, class Value = T>
  Kokkos::View<Value**, Layout, memory, unmanaged> view() const {
    using View = Kokkos::View<Value**, Layout, memory, unmanaged>;
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
      return View(data(), Kokkos::LayoutStride(rows_, row_stride_, cols_, col_stride_));
    } else {
      // As a user has it: a block of a larger matrix.
      constexpr bool left = std::is_same_v<Layout, Kokkos::LayoutLeft>;
      const View parent = left ? View(data(), col_stride_, cols_) : View(data(), rows_, row_stride_);
      return Kokkos::subview(parent, std::pair<index_t, index_t>(0, rows_), std::pair<index_t, index_t>(0, cols_));
    }
  }
  /// Calls use(view) with the View of the placement's layout.
  template <class Value = T, class Use>
  void visit(Use&& use) const {
    switch (where_.how) {
      case layout::left:
        return use(view<Kokkos::LayoutLeft, Value>());
      case layout::right:
        return use(view<Kokkos::LayoutRight, Value>());
      case layout::stride:
        return use(view<Kokkos::LayoutStride, Value>());
    }
  }
  /// The same for an operand of one column: a View of rank 1.
  template <class Value = T, class Use>
  void visit_vector(Use&& use) const {
    const auto extent = static_cast<std::size_t>(rows_);
    if (row_stride_ != 1)
      use(Kokkos::View<Value*, Kokkos::LayoutStride, memory, unmanaged>(data(),
                                                                        Kokkos::LayoutStride(rows_, row_stride_)));
    else if (where_.how == layout::left)
      use(Kokkos::View<Value*, Kokkos::LayoutLeft, memory, unmanaged>(data(), extent));
    else
      use(Kokkos::View<Value*, Kokkos::LayoutRight, memory, unmanaged>(data(), extent));
  }

  /// Empty if the memory holds `want` in the operand's elements and everywhere else what it held before.
  std::string difference_from(const matrix<T>& want) const {
    std::vector<T> expected = image_;
    place(want, expected);
    return compare(expected);
  }
  /// Empty if nothing was written.
  std::string change() const { return compare(image_); }

  /// The operand's elements as they are now.
  matrix<T> values() const {
    const std::vector<T> now = download();
    matrix<T> result(rows_, cols_);
    for (index_t j = 0; j < cols_; ++j)
      for (index_t i = 0; i < rows_; ++i) std::memcpy(&result(i, j), &now[at(i, j)], sizeof(T));
    return result;
  }
  /// The memory as it was built, for the next run on the same operand.
  void restore() const { upload(); }

 private:
  static constexpr index_t guard = 64;  // a multiple of any alignment that matters, and longer than any vector

  index_t at(index_t i, index_t j) const { return first_ + i * row_stride_ + j * col_stride_; }
  void place(const matrix<T>& values, std::vector<T>& to) const {
    for (index_t j = 0; j < cols_; ++j)
      for (index_t i = 0; i < rows_; ++i) std::memcpy(&to.at(at(i, j)), &values(i, j), sizeof(T));
  }
  void upload() const {
    Kokkos::deep_copy(storage_, Kokkos::View<const T*, Kokkos::HostSpace, unmanaged>(image_.data(), image_.size()));
  }
  std::vector<T> download() const {
    std::vector<T> now(image_.size());
    Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace, unmanaged>(now.data(), now.size()), storage_);
    return now;
  }
  std::string compare(const std::vector<T>& expected) const {
    const std::vector<T> now = download();
    return difference(now.data(), expected.data(), static_cast<index_t>(now.size()),
                      [&](index_t e) { return name(e); });
  }
  std::string name(index_t e) const {
    const index_t o = e - first_;
    const bool by_rows = by_rows_;
    const index_t ld = by_rows ? row_stride_ : col_stride_, step = by_rows ? col_stride_ : row_stride_;
    const index_t line = o / ld, along = o % ld / step;
    const index_t i = by_rows ? line : along, j = by_rows ? along : line;
    if (o >= 0 && o % ld % step == 0 && i < rows_ && j < cols_)
      return "element (" + std::to_string(i) + ", " + std::to_string(j) + ")";
    return "memory outside of the operand, " + std::to_string(o) + " elements from its first,";
  }

  index_t rows_, cols_, row_stride_ = 1, col_stride_ = 1, first_ = 0;
  placement where_;
  bool by_rows_;
  Kokkos::View<T*, memory> storage_;
  std::vector<T> image_;
};

}  // namespace abax::tests
