// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Products, copies and sums inside a user's kernel, by the whole team of a member, without scratch of their own.
/// `Machine` is the execution space's answer to backends/in_kernel_for.hpp.
#include <Kokkos_Core.hpp>

#include "abax/detail/tile/register_tile.hpp"
#include "abax/detail/tile/running_sum.hpp"

namespace abax::team {

/// Outputs of a thread that are computed together.
struct register_shape {
  int rows, cols;
};

/// What is tried, largest first: the first of which there are as many as threads is taken.
inline constexpr register_shape register_shapes[] = {{8, 8}, {8, 4}, {4, 4}, {2, 2}, {1, 1}};
inline constexpr int register_shape_count = 5;

/// Threads for each tile of a shape that may be idle beside the one that has it, for want of tiles: those of 4 x 4 use
/// what they read often enough to be worth it, smaller ones do not.
constexpr int threads_for(register_shape shape) { return shape.rows * shape.cols == 16 ? 4 : 1; }

/// Whether a tile of that shape is compiled for an m x n product of k terms (tile::any: not known). More than 16
/// outputs would take too many registers beside addresses and totals that are not known, and in any case more than 256
/// bytes of them. Behind one that serves the largest team none is needed.
template <class T>
constexpr bool is_compiled(int which, int m, int n, int k) {
  const auto [rows, cols] = register_shapes[which];
  const bool known = m != tile::any && n != tile::any;
  const bool one_block = k != tile::any && k <= tile::canon_block;
  if ((m != tile::any && rows > m) || (n != tile::any && cols > n)) return false;
  if (rows * cols > 16 && !(known && one_block && m * n >= 32 * rows * cols)) return false;
  if (rows * cols * int(sizeof(T)) > 256) return false;
  constexpr int most_threads = 1024;
  for (int w = 0; w < which; ++w) {
    const register_shape larger = register_shapes[w];
    if (known && is_compiled<T>(w, m, n, k) &&
        m / larger.rows * (n / larger.cols) * threads_for(larger) >= most_threads)
      return false;
  }
  return true;
}
template <class T>
constexpr bool is_last(int which, int m, int n, int k) {
  for (int w = which + 1; w < register_shape_count; ++w)
    if (is_compiled<T>(w, m, n, k)) return false;
  return true;
}

/// The least power of two that is not less than n, up to 32.
KOKKOS_FORCEINLINE_FUNCTION constexpr int lanes_for(int n) {
  return n <= 1 ? 1 : n <= 2 ? 2 : n <= 4 ? 4 : n <= 8 ? 8 : n <= 16 ? 16 : 32;
}

/// All of C by register tiles of Rows x Cols. 32 neighbouring threads take 8 x 4 tiles or, where there are fewer along
/// an index, other ways to make 32: each element of A and B that they read serves several. Threads l and l ^ 1 share
/// columns, l and l ^ 2 rows, so that banks serve twice as many at a time (tile/banks.hpp).
template <int Rows, int Cols, bool Chunks, class Member, class T, class A, class B, class C>
KOKKOS_FORCEINLINE_FUNCTION void product_by(const Member& member, const A& a, const B& bt, const C& c,
                                            const tile::epilogue<T>& epilogue) {
  constexpr int wide = tile::chunk_of<T>;
  constexpr int near_rows = Chunks && A::run == tile::fast::row ? tile::min(Rows, wide) : 1;
  constexpr int near_cols = Chunks && B::run == tile::fast::row ? tile::min(Cols, wide) : 1;
  const int m = c.rows(), n = c.cols(), row_tiles = tile::ceil_div(m, Rows), col_tiles = tile::ceil_div(n, Cols);
  const int lane_rows = row_tiles < 8 ? lanes_for(row_tiles) : 32 / tile::min(4, lanes_for(col_tiles));
  const int lane_cols = 32 / lane_rows;
  const int row_groups = tile::ceil_div(row_tiles, lane_rows), col_groups = tile::ceil_div(col_tiles, lane_cols);
  Kokkos::parallel_for(Kokkos::TeamVectorRange(member, row_groups * col_groups * 32), [&](int t) {
    const int lane = t % 32, group = t / 32;
    const int lane_col = lane_rows == 1 ? lane : lane / 2 % lane_cols;
    const int lane_row = lane_rows == 1 ? 0 : lane % 2 + lane / (2 * lane_cols) * 2;
    const int row = group % row_groups * lane_rows + lane_row, col = group / row_groups * lane_cols + lane_col;
    if (row >= row_tiles || col >= col_tiles) return;
    tile::register_tile<Chunks, Rows, Cols>(
        a, bt, c, epilogue, tile::spread<Rows, near_rows>{row * near_rows, row_tiles * near_rows, m - near_rows},
        tile::spread<Cols, near_cols>{col * near_cols, col_tiles * near_cols, n - near_cols});
  });
}

/// By the largest tile of which there are as many as threads.
template <int Which, class Machine, class Member, class T, class A, class B, class C>
KOKKOS_FORCEINLINE_FUNCTION void choose_product(const Member& member, const A& a, const B& bt, const C& c,
                                                const tile::epilogue<T>& epilogue) {
  constexpr int m = C::static_rows, n = C::static_cols, k = A::static_cols;
  constexpr auto shape = register_shapes[Which];
  if constexpr (is_compiled<T>(Which, m, n, k)) {
    constexpr bool last = is_last<T>(Which, m, n, k);
    const auto tiles = index_t(tile::ceil_div(c.rows(), shape.rows)) * tile::ceil_div(c.cols(), shape.cols);
    if (last || threads_for(shape) * tiles >= Machine::threads(member)) {
      // Chunks pay for tiles that use each of them several times.
      if constexpr (shape.rows * shape.cols >= 16 && A::run != tile::fast::unknown && B::run != tile::fast::unknown)
        if (a.template has_chunks<tile::chunk_of<T>>() && bt.template has_chunks<tile::chunk_of<T>>())
          return product_by<shape.rows, shape.cols, true>(member, a, bt, c, epilogue);
      return product_by<shape.rows, shape.cols, false>(member, a, bt, c, epilogue);
    }
  }
  if constexpr (Which + 1 < register_shape_count) choose_product<Which + 1, Machine>(member, a, bt, c, epilogue);
}

/// c <- epilogue(a b) by the canon. a: m x k, bt: n x k, c: m x n. One barrier, at the end.
template <class Machine, class Member, class T, class AnyA, class AnyB, class AnyC>
KOKKOS_FUNCTION void product_in_kernel(const Member& member, const AnyA& any_a, const AnyB& any_b, const AnyC& any_c,
                                       const tile::epilogue<T>& epilogue) {
  // An extent that one operand's type has, the others have, too.
  constexpr int m = tile::known(AnyC::static_rows, AnyA::static_rows);
  constexpr int n = tile::known(AnyC::static_cols, AnyB::static_rows);
  constexpr int k = tile::known(AnyA::static_cols, AnyB::static_cols);
  const auto a = any_a.template with_extents<m, k>();
  const auto bt = any_b.template with_extents<n, k>();
  const auto c = any_c.template with_extents<m, n>();
  if (tile::has_no_terms(a, epilogue)) {
    if (!epilogue.keeps_output())
      Kokkos::parallel_for(Kokkos::TeamVectorRange(member, c.rows() * c.cols()), [&](int e) {
        T& at = c(e % c.rows(), e / c.rows());
        at = epilogue.without_product(&at);
      });
  } else if (c.rows() > 0 && c.cols() > 0) {
    constexpr bool has_product = Machine::template has_product<decltype(a), decltype(bt), decltype(c)>();
    bool done = false;
    if constexpr (has_product) done = Machine::product(member, a, bt, c, epilogue);
    if constexpr (!Machine::computes_products)
      if (!done) {
        if constexpr (has_product)  // of a team that is too small for it: few registers
          product_by<1, 1, false>(member, a, bt, c, epilogue);
        else
          choose_product<0, Machine>(member, a, bt, c, epilogue);
      }
  }
  member.team_barrier();
}

/// move(from, to, count) for all elements of two matrices of equal extents, by chunks of `Count` elements along memory
/// where `Count` > 1. Neighbouring threads follow each other along `Run`.
template <tile::fast Run, int Count, class Member, class From, class To, class Move>
KOKKOS_FORCEINLINE_FUNCTION void move_all(const Member& member, const From& from, const To& to, const Move& move) {
  const int length = (Run == tile::fast::row ? to.rows() : to.cols()) / Count;
  const int lines = Run == tile::fast::row ? to.cols() : to.rows();
  Kokkos::parallel_for(Kokkos::TeamVectorRange(member, length * lines), [&](int e) {
    const int line = e / length, at = (e - line * length) * Count;
    if constexpr (Run == tile::fast::row)
      move(&from(at, line), &to(at, line));
    else
      move(&from(line, at), &to(line, at));
  });
}

/// Elements by plain loads and stores, bits untouched.
template <class T, int Count>
struct plain_move {
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const T* from, T* to) const {
    if constexpr (Count == 1)
      *to = *from;
    else
      *reinterpret_cast<tile::chunk<T, Count>*>(to) = *reinterpret_cast<const tile::chunk<T, Count>*>(from);
  }
};

/// to(i, j) <- from(i, j) by Move<T, Count>, 16 bytes at a time where both sides' memory allows it. Without a barrier.
template <template <class, int> class Move, class Member, class From, class To>
KOKKOS_FORCEINLINE_FUNCTION void copy_in_kernel(const Member& member, const From& from, const To& to) {
  using T = typename To::value;
  using tile::fast;
  constexpr fast known = From::run != fast::unknown ? From::run : To::run;
  constexpr fast run = known == fast::unknown ? fast::col : known;
  if constexpr (From::run == To::run && run == From::run)
    if (from.template has_chunks<tile::chunk_of<T>>() && to.template has_chunks<tile::chunk_of<T>>())
      return move_all<run, tile::chunk_of<T>>(member, from, to, Move<T, tile::chunk_of<T>>());
  move_all<run, 1>(member, from, to, Move<T, 1>());
}

}  // namespace abax::team
