// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Operands of fuzzed calls: anywhere in memory that ends at pages that are not there, with every byte around and
/// between their elements known.
#include <Kokkos_Complex.hpp>
#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "../inputs.hpp"
#include "../pages.hpp"
#include "choices.hpp"

namespace abax::tests::fuzz {

template <class T>
struct parts_of {
  using type = T;
};
template <class R>
struct parts_of<Kokkos::complex<R>> {
  using type = R;
};
template <class T>
using real_of = typename parts_of<T>::type;
template <class T>
inline constexpr bool is_complex = has_parts<T>;

/// Memory for one operand: it begins and ends with a page.
class room {
 public:
  static constexpr index_t size = 1 << 25;
  room() : memory_(size, page_edge::before) {}
  char* begin() const { return memory_.data(); }
  char* end() const { return begin() + size; }

 private:
  paged<char> memory_;
};

/// Where elements lie: (i, j) at i row_stride + j col_stride from element (0, 0).
struct layout {
  index_t rows, cols, row_stride, col_stride;

  bool is_empty() const { return rows == 0 || cols == 0; }
  /// Elements from the one with the lowest address to (0, 0), and to the highest.
  index_t before() const { return is_empty() ? 0 : std::max<index_t>(0, -down()) + std::max<index_t>(0, -across()); }
  index_t after() const { return is_empty() ? 0 : std::max<index_t>(0, down()) + std::max<index_t>(0, across()); }
  index_t span() const { return is_empty() ? 0 : before() + after() + 1; }

 private:
  index_t down() const { return (rows - 1) * row_stride; }
  index_t across() const { return (cols - 1) * col_stride; }
};

template <class T>
class operand {
 public:
  using R = real_of<T>;

  /// Filled with random numbers, at an end of the room, or in it, aligned as R is.
  operand(const room& in, choices& choose, const layout& where) : layout_(where) {
    constexpr index_t canaries = 16 * index_t(sizeof(double));
    const index_t bytes = where.span() * index_t(sizeof(T));
    if (bytes > room::size - 64 * index_t(sizeof(R)) - 2 * canaries) throw std::logic_error("an operand has no room");
    const int place = choose.below(4);
    if (place == 0)
      begin_ = in.end() - bytes;
    else
      begin_ = in.begin() + (place == 1 ? 0 : canaries + index_t(sizeof(R)) * choose.below(64));
    from_ = std::max(in.begin(), begin_ - canaries);
    to_ = std::min(in.end(), begin_ + bytes + canaries);
    std::fill(reinterpret_cast<R*>(from_), reinterpret_cast<R*>(to_), guard_value<R>());
    const int kind = choose.below(8);
    random_bits random(choose.seed());
    const numbers kinds[] = {numbers::unit, numbers::unit,    numbers::unit,      numbers::wide,
                             numbers::wide, numbers::special, numbers::subnormal, numbers::vanishing};
    const R small = std::numeric_limits<R>::min(), vanishing = random.below(2) == 0 ? small : -small;
    for (index_t j = 0; j < where.cols; ++j)
      for (index_t i = 0; i < where.rows; ++i)
        for (std::size_t part = 0; part < sizeof(T); part += sizeof(R)) {
          const R r = kinds[kind] == numbers::vanishing ? vanishing : random_number<R>(random, kinds[kind]);
          std::memcpy(at(i, j) + part, &r, sizeof r);
        }
    expected_.assign(from_, to_);
  }

  /// Element (0, 0), and the one with the lowest address: Fortran's, whatever the sign of an increment.
  T* first() const { return reinterpret_cast<T*>(begin_) + layout_.before(); }
  T* lowest() const { return reinterpret_cast<T*>(begin_); }
  const layout& where() const { return layout_; }

  matrix<T> values() const {
    matrix<T> result(layout_.rows, layout_.cols);
    T* to = result.elements.data();
    for (index_t j = 0; j < layout_.cols; ++j)
      for (index_t i = 0; i < layout_.rows; ++i) std::memcpy(static_cast<void*>(to++), at(i, j), sizeof(T));
    return result;
  }
  void expect(const matrix<T>& values) {
    for (index_t j = 0; j < layout_.cols; ++j)
      for (index_t i = 0; i < layout_.rows; ++i)
        std::memcpy(expected_.data() + (at(i, j) - from_), &values(i, j), sizeof(T));
  }

  /// What is not as expected: an element, or what lies between and around them.
  std::string difference(const char* name) const {
    if (std::memcmp(from_, expected_.data(), expected_.size()) == 0) return "";
    for (index_t j = 0; j < layout_.cols; ++j)
      for (index_t i = 0; i < layout_.rows; ++i) {
        T got, want;
        std::memcpy(static_cast<void*>(&got), at(i, j), sizeof got);
        std::memcpy(static_cast<void*>(&want), expected_.data() + (at(i, j) - from_), sizeof want);
        if (!same_bits(got, want))
          return std::string(name) + "(" + std::to_string(i) + ", " + std::to_string(j) + ") is " + hex(got) +
                 ", expected " + hex(want);
      }
    const auto [got, want] = std::mismatch(from_, to_, expected_.data());
    return std::string(name) + " was written outside of its elements, " + std::to_string(got - begin_) +
           " bytes from the lowest";
  }

 private:
  char* at(index_t i, index_t j) const {
    return begin_ + index_t(sizeof(T)) * (layout_.before() + i * layout_.row_stride + j * layout_.col_stride);
  }

  layout layout_;
  char* begin_;
  char *from_, *to_;  ///< with the canaries
  std::vector<char> expected_;
};

}  // namespace abax::tests::fuzz
