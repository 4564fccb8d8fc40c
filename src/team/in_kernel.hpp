// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Products, copies and sums inside a user's kernel, by the whole team of a member, without scratch of their own.
/// `Machine` is the execution space's answer to backends/in_kernel_for.hpp.
#include <Kokkos_Core.hpp>
#include <iterator>

#include "abax/detail/team/operands.hpp"
#include "abax/detail/tile/register_tile.hpp"
#include "abax/detail/tile/running_sum.hpp"

namespace abax::team {

/// Outputs of a thread that are computed together.
struct register_shape {
  int rows, cols;
};

/// Largest first. A product takes the first that is compiled for it and of which there are as many as threads; sums
/// that stay in registers take the one that fits their threads.
inline constexpr register_shape register_shapes[] = {{8, 8}, {8, 4}, {4, 4}, {2, 2}, {1, 1}};
inline constexpr int register_shape_count = int(std::size(register_shapes));

/// Threads for each tile of a shape that may be idle beside the one that has it, for want of tiles: those of 4 x 4 use
/// what they read often enough to be worth it, smaller ones do not.
constexpr int threads_for(register_shape shape) { return shape.rows * shape.cols == 16 ? 4 : 1; }

/// Whether a tile of that shape is compiled for an m x n product of T with k terms (tile::any: not known). Behind one
/// that serves the largest team none is needed.
template <class T>
constexpr bool is_compiled(int which, int m, int n, int k) {
  const auto [rows, cols] = register_shapes[which];
  const bool known = m != tile::any && n != tile::any;
  if ((m != tile::any && rows > m) || (n != tile::any && cols > n)) return false;
  // Every thread of a kernel has the registers of its largest tile. Larger ones have shown that they pay in float,
  // where they fill C in whole warps, and a thread keeps no sums of earlier blocks.
  const bool is_one_block = k != tile::any && k <= tile::canon_block_of<T>;
  if (rows * cols > 16 && (!known || m % 64 != 0 || n % 64 != 0 || !is_one_block || sizeof(T) > sizeof(float)))
    return false;
  constexpr int most_threads = 1024;
  for (int w = 0; w < which; ++w) {
    const register_shape larger = register_shapes[w];
    const int threads = m / larger.rows * (n / larger.cols) * threads_for(larger);
    if (known && threads >= most_threads && is_compiled<T>(w, m, n, k)) return false;
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

/// Where tile t of row_tiles x col_tiles lies; past them where there is none. 32 neighbouring threads take 8 x 4 tiles
/// or, where there are fewer along an index, other ways to make 32: each element of A and B that they read serves
/// several. Threads l and l ^ 1 share columns, l and l ^ 2 rows, so that banks serve twice as many at a time
/// (tile/banks.hpp).
struct tile_grid {
  int row_tiles, col_tiles, lane_rows, row_groups;

  KOKKOS_FORCEINLINE_FUNCTION constexpr tile_grid(int rows, int cols)
      : row_tiles(rows),
        col_tiles(cols),
        lane_rows(rows < 8 ? lanes_for(rows) : 32 / tile::min(4, lanes_for(cols))),
        row_groups(tile::ceil_div(rows, lane_rows)) {}
  KOKKOS_FORCEINLINE_FUNCTION constexpr int threads() const {
    return row_groups * tile::ceil_div(col_tiles, 32 / lane_rows) * 32;
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int row(unsigned t) const {
    return t / 32 % row_groups * lane_rows + (lane_rows == 1 ? 0 : t % 2 + t % 32 / (64 / lane_rows) * 2);
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int col(unsigned t) const {
    return t / 32 / row_groups * (32 / lane_rows) + (lane_rows == 1 ? t % 32 : t % 32 / 2 % (32 / lane_rows));
  }
};

/// Where the outputs of a tile lie along an index of C, of `extent`: in chunks where the operand has them along it.
template <int Count, bool Chunks, class Operand>
KOKKOS_FORCEINLINE_FUNCTION auto spread_of(int tile, int tiles, int extent) {
  constexpr int wide = tile::chunk_of<typename Operand::value>;
  constexpr int near = Chunks && Operand::run == tile::fast::row ? tile::min(Count, wide) : 1;
  return tile::spread<Count, near>{tile * near, tiles * near, extent};
}

/// All of C by register tiles of Rows x Cols.
template <int Rows, int Cols, bool Chunks, class Machine, class Member, class T, class A, class B, class C>
KOKKOS_FORCEINLINE_FUNCTION void product_by(const Member& member, const A& a, const B& bt, const C& c,
                                            const tile::epilogue<T>& epilogue) {
  const tile_grid grid(tile::ceil_div(c.rows(), Rows), tile::ceil_div(c.cols(), Cols));
  Kokkos::parallel_for(Kokkos::TeamVectorRange(member, grid.threads()), [&](int t) {
    const int row = grid.row(t), col = grid.col(t);
    if (row >= grid.row_tiles || col >= grid.col_tiles) return;
    tile::register_tile<Chunks, Rows, Cols, typename Machine::chunks>(
        a, bt, c, epilogue, spread_of<Rows, Chunks, A>(row, grid.row_tiles, c.rows()),
        spread_of<Cols, Chunks, B>(col, grid.col_tiles, c.cols()));
  });
}

template <class A, class B>
KOKKOS_FORCEINLINE_FUNCTION bool have_chunks(const A& a, const B& bt) {
  constexpr int wide = tile::chunk_of<typename A::value>;
  return a.template has_chunks<wide>() && bt.template has_chunks<wide>();
}

/// Sums of an M x N tile of a product, in the registers of a team's threads, which grow by the terms of stage after
/// stage: what A's and B's tiles hold. A thread has one register tile.
template <class Machine, class ATile, class BTile, int Threads>
class register_sums {
  using A = decltype(operand_of<Machine>(std::declval<ATile>()));
  using B = decltype(operand_of<Machine>(std::declval<BTile>()).transposed());
  using T = typename A::value;
  static constexpr int m = A::static_rows, n = B::static_rows;
  static constexpr int which() {
    for (int w = 0; w < register_shape_count; ++w)
      if (register_shapes[w].rows * register_shapes[w].cols * Threads == m * n && m % register_shapes[w].rows == 0 &&
          n % register_shapes[w].cols == 0)
        return w;
    return -1;
  }
  static_assert(which() >= 0, "abax::team::sums: so many threads share the tile in no shape of 8 x 8 to 1 x 1 outputs");
  static constexpr register_shape shape = register_shapes[which() < 0 ? 0 : which()];
  static constexpr int row_tiles = m / shape.rows, col_tiles = n / shape.cols;
  static_assert(which() < 0 || tile_grid(row_tiles, col_tiles).threads() == Threads,
                "abax::team::sums: threads and tile make no whole number of warps of 8 x 4 register tiles");
  // A thread keeps its sums twice, those of a block and those of all blocks before it.
  static_assert(
      shape.rows * shape.cols * int(sizeof(T)) <= 256,
      "abax::team::sums: a thread has registers for 64 sums of float, 32 of double or complex<float>, or 16 of "
      "complex<double>: take more threads");

 public:
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION explicit register_sums(const Member& member) : thread_(Machine::thread(member)) {
    tile::fill(part_, T{0});
    tile::fill(total_, -T{0});
  }

  template <class AStage, class BStage>
  KOKKOS_FORCEINLINE_FUNCTION void add(const AStage& a, const BStage& bt) {
    constexpr int block = static_cast<int>(tile::canon_block_of<T>), wide = tile::chunk_of<T>;
    const auto row = rows_of(a.rows());
    const auto col = cols_of(bt.rows());
    const bool chunks = have_chunks(a, bt);
    for (int begin = 0, end; begin < a.cols(); begin = end) {
      if (terms_ == block) end_block();
      end = begin + tile::min(a.cols() - begin, block - terms_);
      // Where a block ends within a chunk of terms, the next begins there.
      const int whole = chunks ? tile::min(end, tile::ceil_div(begin, wide) * wide) : end;
      tile::add_terms<false>(part_, a, bt, begin, whole, row, col);
      tile::add_terms<true>(part_, a, bt, whole, end, row, col);
      terms_ += end - begin;
    }
  }
  /// c <- epilogue(sums).
  template <class C>
  KOKKOS_FORCEINLINE_FUNCTION void store(const C& c, const tile::epilogue<T>& epilogue) {
    if (terms_ > 0) tile::fold(total_, part_);
    tile::store<typename Machine::chunks>(total_, c, epilogue, rows_of(c.rows()), cols_of(c.cols()));
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION auto rows_of(int extent) const {
    return spread_of<shape.rows, true, A>(tile_grid(row_tiles, col_tiles).row(thread_), row_tiles, extent);
  }
  KOKKOS_FORCEINLINE_FUNCTION auto cols_of(int extent) const {
    return spread_of<shape.cols, true, B>(tile_grid(row_tiles, col_tiles).col(thread_), col_tiles, extent);
  }
  KOKKOS_FORCEINLINE_FUNCTION void end_block() {
    tile::fold(total_, part_);
    tile::fill(part_, T{0});
    terms_ = 0;
  }

  int thread_, terms_ = 0;  // terms of the block that is being summed
  T part_[shape.cols][shape.rows], total_[shape.cols][shape.rows];
};

/// By the largest tile of which there are as many as threads.
template <int Which, class Machine, class Member, class T, class A, class B, class C>
KOKKOS_FORCEINLINE_FUNCTION void choose_product(const Member& member, const A& a, const B& bt, const C& c,
                                                const tile::epilogue<T>& epilogue) {
  constexpr int m = C::static_rows, n = C::static_cols, k = A::static_cols;
  constexpr register_shape shape = register_shapes[Which];
  if constexpr (is_compiled<T>(Which, m, n, k)) {
    constexpr bool last = is_last<T>(Which, m, n, k);
    const auto tiles = index_t(tile::ceil_div(c.rows(), shape.rows)) * tile::ceil_div(c.cols(), shape.cols);
    if (last || threads_for(shape) * tiles >= Machine::threads(member)) {
      // Chunks pay for tiles that use each of them several times.
      if constexpr (shape.rows * shape.cols >= 16 && A::run != tile::fast::unknown && B::run != tile::fast::unknown)
        if (have_chunks(a, bt)) return product_by<shape.rows, shape.cols, true, Machine>(member, a, bt, c, epilogue);
      return product_by<shape.rows, shape.cols, false, Machine>(member, a, bt, c, epilogue);
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
      Machine::under_ieee([&] {
        Kokkos::parallel_for(Kokkos::TeamVectorRange(member, c.rows() * c.cols()), [&](int e) {
          T& at = c(e % c.rows(), e / c.rows());
          at = epilogue.without_product(&at);
        });
      });
  } else if (c.rows() > 0 && c.cols() > 0) {
    constexpr bool has_product = Machine::template has_product<decltype(a), decltype(bt), decltype(c)>();
    bool done = false;
    if constexpr (has_product) done = Machine::product(member, a, bt, c, epilogue);
    if constexpr (!Machine::computes_products)
      if (!done) {
        if constexpr (has_product)  // of a team that is too small for it: few registers
          product_by<1, 1, false, Machine>(member, a, bt, c, epilogue);
        else
          choose_product<0, Machine>(member, a, bt, c, epilogue);
      }
  }
  member.team_barrier();
  tile::change_hands<typename AnyC::value>();
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
    if constexpr (Count == 1 && !tile::is_complex<T>)
      *to = *from;
    else
      *reinterpret_cast<tile::chunk<T, Count>*>(to) = *reinterpret_cast<const tile::chunk<T, Count>*>(from);
  }
};

/// Their conjugates: one bit of each changes.
template <class T, int Count>
struct conjugating_move {
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const T* from, T* to) const {
    auto some = *reinterpret_cast<const tile::chunk<T, Count>*>(from);
    for (int v = 0; v < Count; ++v) some.element[v] = tile::conjugate_if(true, some.element[v]);
    *reinterpret_cast<tile::chunk<T, Count>*>(to) = some;
  }
};

/// An element by Move: a complex one, which is aligned as its parts are, by these.
template <template <class, int> class Move, class T>
struct element_move : Move<T, 1> {};
template <template <class, int> class Move, class Real>
struct element_move<Move, tile::complex<Real>> {
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const tile::complex<Real>* from, tile::complex<Real>* to) const {
    Move<Real, 1>()(&from->re, &to->re);
    Move<Real, 1>()(&from->im, &to->im);
  }
};
template <class Real>
struct element_move<conjugating_move, tile::complex<Real>> {
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const tile::complex<Real>* from, tile::complex<Real>* to) const {
    *to = tile::conjugate_if(true, *from);
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
  move_all<run, 1>(member, from, to, element_move<Move, T>());
}

}  // namespace abax::team
