// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A register tile: the outputs of a product that one thread computes from operands that it reads where they lie.
#include "abax/detail/tile/canon.hpp"
#include "abax/detail/tile/ieee_math.hpp"
#include "abax/detail/tile/operand.hpp"

namespace abax::tile {

/// Where `Count` outputs of a thread lie along an index of C: groups of `Near` neighbours, `step` apart. What would lie
/// past the end is read from the last place, and not stored.
template <int Count, int Near>
struct spread {
  static constexpr int near = Near;
  int first, step, extent;

  KOKKOS_FORCEINLINE_FUNCTION int wanted(int x) const { return first + x / Near * step + x % Near; }
  KOKKOS_FORCEINLINE_FUNCTION bool has(int x) const { return wanted(x) < extent; }
  KOKKOS_FORCEINLINE_FUNCTION int operator()(int x) const { return min(wanted(x), extent - 1); }
  /// Of a group that begins with x, where all groups are whole.
  KOKKOS_FORCEINLINE_FUNCTION int group(int x) const { return min(wanted(x), extent - Near); }
};

/// to[p][x] <- of(place(x), first + p), or its conjugate, for an operand whose terms run along its second index. By
/// chunks of 16 bytes where `Chunks`: along the terms or along the outputs, whichever its memory has.
template <bool Chunks, int Terms, class T, int Count, int Near, class Operand>
KOKKOS_FORCEINLINE_FUNCTION void load(T (&to)[Terms][Count], const Operand& of, int first,
                                      const spread<Count, Near>& place) {
  if constexpr (Chunks && Operand::run == fast::row) {
    for (int p = 0; p < Terms; ++p)
      for (int x = 0; x < Count; x += Near) {
        const auto some = *reinterpret_cast<const chunk<T, Near>*>(&of(place.group(x), first + p));
        for (int v = 0; v < Near; ++v) to[p][x + v] = some.element[v];
      }
  } else if constexpr (Chunks && Terms > 1) {
    for (int x = 0; x < Count; ++x) {
      const auto some = *reinterpret_cast<const chunk<T, Terms>*>(&of(place(x), first));
      for (int v = 0; v < Terms; ++v) to[v][x] = some.element[v];
    }
  } else {
    for (int p = 0; p < Terms; ++p)
      for (int x = 0; x < Count; ++x) to[p][x] = of.load(place(x), first + p);
  }
  if constexpr (Operand::conjugates)
    for (int p = 0; p < Terms; ++p)
      for (int x = 0; x < Count; ++x) to[p][x] = conjugate_if(true, to[p][x]);
}

/// What `Terms` terms of a register tile take from A and B, in registers; b(p, j) comes as its transpose.
template <bool Chunks, int Terms, class T, int Rows, int Cols>
struct fragments {
  T left[Terms][Rows], right[Terms][Cols];

  template <class A, class B, class RowPlace, class ColPlace>
  KOKKOS_FORCEINLINE_FUNCTION void load(const A& a, const B& bt, int first, const RowPlace& row, const ColPlace& col) {
    tile::load<Chunks>(left, a, first, row);
    tile::load<Chunks>(right, bt, first, col);
  }
  /// part(x, y) <- chain of multiply_add over the terms.
  KOKKOS_FORCEINLINE_FUNCTION void add_to(T (&part)[Cols][Rows]) const {
    for (int p = 0; p < Terms; ++p)
      for (int y = 0; y < Cols; ++y)
        for (int x = 0; x < Rows; ++x) part[y][x] = multiply_add(left[p][x], right[p][y], part[y][x]);
  }
};

/// part(x, y) <- chain over terms [begin, end) of a(row(x), p) bt(col(y), p). a: m x k, bt: n x k. `Chunks`: both
/// have chunks of 16 bytes, along the terms or along the outputs.
template <bool Chunks, class T, int Rows, int Cols, class A, class B, class RowPlace, class ColPlace>
KOKKOS_FORCEINLINE_FUNCTION void add_terms(T (&part)[Cols][Rows], const A& a, const B& bt, int begin, int end,
                                           const RowPlace& row, const ColPlace& col) {
  constexpr int terms = Chunks && (A::run == fast::col || B::run == fast::col) ? chunk_of<T> : 1;
  using fragments_type = fragments<Chunks, terms, T, Rows, Cols>;
  int p = begin;
  // The next terms are on their way while these are multiplied. Larger tiles have no registers for the fragments of
  // two steps.
  if constexpr (terms > 1 && Rows * Cols <= 16)
    if (p + terms <= end) {
      fragments_type even, odd;
      even.load(a, bt, p, row, col);
      for (; p + 3 * terms <= end; p += 2 * terms) {
        odd.load(a, bt, p + terms, row, col);
        even.add_to(part);
        even.load(a, bt, p + 2 * terms, row, col);
        odd.add_to(part);
      }
      even.add_to(part);
      p += terms;
    }
  for (; p + terms <= end; p += terms) {
    fragments_type all;
    all.load(a, bt, p, row, col);
    all.add_to(part);
  }
  if constexpr (terms > 1)
    for (; p < end; ++p) {
      fragments<Chunks, 1, T, Rows, Cols> one;
      one.load(a, bt, p, row, col);
      one.add_to(part);
    }
}

template <class T, int Rows, int Cols>
KOKKOS_FORCEINLINE_FUNCTION void fill(T (&sums)[Cols][Rows], T value) {
  for (int y = 0; y < Cols; ++y)
    for (int x = 0; x < Rows; ++x) sums[y][x] = value;
}
/// total <- part <- total + part; a total begins as -0: -0 + s is s, whatever s.
template <class T, int Rows, int Cols>
KOKKOS_FORCEINLINE_FUNCTION void fold(T (&total)[Cols][Rows], T (&part)[Cols][Rows]) {
  for (int y = 0; y < Cols; ++y)
    for (int x = 0; x < Rows; ++x) part[y][x] = total[y][x] = total[y][x] + part[y][x];
}

/// A chunk moves as the compiler moves a structure. A machine may know better.
struct plain_chunks {
  template <class Chunk>
  KOKKOS_FORCEINLINE_FUNCTION static void store(Chunk* to, const Chunk& value) {
    *to = value;
  }
};

/// store() where C has chunks of `Near` elements along memory, which are groups of the places: each is moved as one.
template <class Chunks, int Near, class T, int Rows, int Cols, class C, class RowPlace, class ColPlace>
KOKKOS_FORCEINLINE_FUNCTION void store_chunks(const T (&sums)[Cols][Rows], const C& c, const epilogue<T>& epilogue,
                                              const RowPlace& row, const ColPlace& col) {
  constexpr bool by_rows = C::run == fast::row;
  constexpr int height = by_rows ? Near : 1, width = by_rows ? 1 : Near;
  using chunk_type = chunk<T, Near>;
  const auto at = [&](int x, int y) { return reinterpret_cast<chunk_type*>(&c(row(x), col(y))); };
  chunk_type old[Cols / width][Rows / height] = {};
  if (epilogue.beta != T{0})  // all of C is loaded before the first of it is stored, so that the loads overlap
    for (int y = 0; y < Cols; y += width)
      for (int x = 0; x < Rows; x += height)
        if (row.has(x) && col.has(y)) old[y / width][x / height] = *at(x, y);
  for (int y = 0; y < Cols; y += width)
    for (int x = 0; x < Rows; x += height) {
      if (!row.has(x) || !col.has(y)) continue;
      chunk_type now;
      for (int v = 0; v < Near; ++v)
        now.element[v] = epilogue(by_rows ? sums[y][x + v] : sums[y + v][x], &old[y / width][x / height].element[v]);
      Chunks::store(at(x, y), now);
    }
}

/// c(row(x), col(y)) <- epilogue(sums(x, y)), where c has it.
template <class Chunks = plain_chunks, class T, int Rows, int Cols, class C, class RowPlace, class ColPlace>
KOKKOS_FORCEINLINE_FUNCTION void store(const T (&sums)[Cols][Rows], const C& c, const epilogue<T>& epilogue,
                                       const RowPlace& row, const ColPlace& col) {
  constexpr int near = C::run == fast::row ? RowPlace::near : C::run == fast::col ? ColPlace::near : 1;
  if constexpr (near > 1)
    if (c.template has_chunks<near>()) return store_chunks<Chunks, near>(sums, c, epilogue, row, col);
  T old[Cols][Rows] = {};
  if (epilogue.beta != T{0})  // all of C is loaded before the first of it is stored, so that the loads overlap
    for (int y = 0; y < Cols; ++y)
      for (int x = 0; x < Rows; ++x)
        if (row.has(x) && col.has(y)) old[y][x] = c(row(x), col(y));
  for (int y = 0; y < Cols; ++y)
    for (int x = 0; x < Rows; ++x)
      if (row.has(x) && col.has(y)) c(row(x), col(y)) = epilogue(sums[y][x], &old[y][x]);
}

/// c(row(x), col(y)) <- epilogue(canonical sum over a(row(x), p) bt(col(y), p)) for one thread's Rows x Cols outputs.
/// There are terms. `HasChunks`: both operands have chunks of 16 bytes; C's, if it has any, move by `Chunks`.
template <bool HasChunks, int Rows, int Cols, class Chunks = plain_chunks, class T, class A, class B, class C,
          class RowPlace, class ColPlace>
KOKKOS_FORCEINLINE_FUNCTION void register_tile(const A& a, const B& bt, const C& c, const epilogue<T>& epilogue,
                                               const RowPlace& row, const ColPlace& col) {
  constexpr int block = static_cast<int>(canon_block_of<T>);
  constexpr bool one_block = A::static_cols != any && A::static_cols <= block;
  const int k = a.cols();
  T part[Cols][Rows], total[Cols][Rows];
  fill(total, -T{0});
  int begin = 0;
  do {
    const int end = one_block ? k : begin + min(k - begin, block);
    fill(part, T{0});
    add_terms<HasChunks>(part, a, bt, begin, end, row, col);
    if constexpr (!one_block) fold(total, part);
    begin = end;
  } while (!one_block && begin < k);
  store<Chunks>(part, c, epilogue, row, col);
}

/// True if neither operand is read: alpha is 0 or there are no terms.
template <class T, class A>
KOKKOS_FORCEINLINE_FUNCTION bool has_no_terms(const A& a, const epilogue<T>& epilogue) {
  return is_zero(epilogue.alpha) || a.cols() == 0;
}

/// c <- epilogue(a b) by one thread, register tile after register tile. a: m x k, bt: n x k, c: m x n.
template <class T, class A, class B, class C>
KOKKOS_FORCEINLINE_FUNCTION void serial_product(const A& a, const B& bt, const C& c, const epilogue<T>& epilogue) {
  constexpr int rows = C::static_rows != any && C::static_rows < 4 ? max(1, C::static_rows) : 4;
  constexpr int cols = C::static_cols != any && C::static_cols < 4 ? max(1, C::static_cols) : 4;
  const bool leaves = has_no_terms(a, epilogue);
  if (leaves && epilogue.keeps_output()) return;
  for (int j = 0; j < c.cols(); j += cols)
    for (int i = 0; i < c.rows(); i += rows) {
      const spread<rows, 1> row{i, 1, c.rows()};
      const spread<cols, 1> col{j, 1, c.cols()};
      if (!leaves) {
        register_tile<false, rows, cols>(a, bt, c, epilogue, row, col);
        continue;
      }
      for (int y = 0; y < cols; ++y)
        for (int x = 0; x < rows; ++x)
          if (row.has(x) && col.has(y)) c(row(x), col(y)) = epilogue.without_product(&c(row(x), col(y)));
    }
}

}  // namespace abax::tile
