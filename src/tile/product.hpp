// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A product C <- alpha A B + beta C cut into teams' shares: the problem, a team's tile, and which share is whose.
#include "abax/detail/tile/canon.hpp"
#include "abax/detail/tile/functor.hpp"
#include "abax/detail/tile/ieee_math.hpp"
#include "abax/detail/tile/triangle.hpp"

namespace abax::tile {

/// What one team computes.
struct product_tile {
  int rows, cols;  ///< outputs of one team
  int depth;       ///< terms of k in one stage; divides the canon's block
  int residents;   ///< teams that one processor wants at once
};

/// How long a tile takes beside others. `residents` teams share a processor; what they take together is `rate`.
struct product_cost {
  double rate = 1;   ///< speed of a full processor beside the other rows of the catalogue
  double ends = 60;  ///< what a team does before its first term and after its last, in terms
  /// A team that has a processor to itself is bound by its chains: it takes as long as so many share a full one.
  double alone = 1;
  double join = 27;  ///< what the last team of a tile takes to add one block's sum of an output, in terms
  int shares = 1;    ///< teams along k for one tile where there are tiles enough; 0: one team in any case
  int least = 0;     ///< tiles a processor, without which it is not chosen
};

/// A: m x k, B: k x n, C: m x n or a triangle of it, transpositions already taken into the strides. gemv is n == 1.
template <class T>
struct product<T, no_functor> {
  matrix<const T> a, b;
  output<T> c;
  tile::epilogue<T> epilogue;
  // Lines of the operand may be read on to the next multiple of 16 bytes.
  bool a_padded = false, b_padded = false;
  index_t items = 1;                                ///< of a batch (tile/batch.hpp), whose first this is
  bool conjugated_a = false, conjugated_b = false;  ///< the conjugates of its elements are multiplied
  /// A, B and C are the transposes of what the caller calls B, A and C; a complex term is made in the caller's order.
  bool turned = false;

  KOKKOS_FORCEINLINE_FUNCTION index_t terms() const { return a.cols; }
  /// What C gets at (i, j) where the epilogue leaves `value`.
  KOKKOS_FORCEINLINE_FUNCTION static T ended(index_t, index_t, T value) { return value; }
  /// And without terms, where C has *c.
  KOKKOS_FORCEINLINE_FUNCTION T ended_without_product(index_t, index_t, const T* c) const {
    return epilogue.without_product(c);
  }
};

/// The same, at whose end a functor of the caller's stands: C(i, j) <- functor(i, j, value), once for each element.
template <class T, class Functor>
struct product : product<T> {
  Functor functor;

  KOKKOS_FORCEINLINE_FUNCTION T ended(index_t i, index_t j, T value) const {
    return canonical(this->turned ? functor(j, i, value) : functor(i, j, value));
  }
  KOKKOS_FORCEINLINE_FUNCTION T ended_without_product(index_t i, index_t j, const T* c) const {
    return ended(i, j, canonical(this->epilogue.without_product(c)));
  }
};

/// True where C's rows are contiguous, or its only one.
template <class T>
bool is_along_cols(const output<T>& c) {
  return c.rows == 1 || (c.row_stride != 1 && c.col_stride == 1 && c.cols != 1);
}
/// The same as its transpose: C^T = B^T A^T.
template <class T>
KOKKOS_FUNCTION product<T> turned(const product<T>& p) {
  product<T> other{p.b.transposed(), p.a.transposed(), p.c.transposed(), p.epilogue};
  other.conjugated_a = p.conjugated_b;
  other.conjugated_b = p.conjugated_a;
  other.turned = !p.turned;
  return other;
}
template <class T, class Functor>
KOKKOS_FUNCTION product<T, Functor> turned(const product<T, Functor>& p) {
  return {turned(static_cast<const product<T>&>(p)), p.functor};
}
/// The same as primitives want it, which write C along its rows index. Each product and sum stays the same.
template <class T, class Functor>
product<T, Functor> along_rows(const product<T, Functor>& p) {
  return is_along_cols(p.c) ? turned(p) : p;
}

/// How many teams share a C tile along k: one each of the first `whole` tiles, `splits` each of the others.
struct cut {
  index_t splits = 1;
  index_t whole = 0;

  /// The tiles, of so many, that several teams share, and the teams of all.
  index_t shared_of(index_t tiles) const { return splits == 1 ? 0 : tiles - whole; }
  index_t teams_of(index_t tiles) const { return tiles + shared_of(tiles) * (splits - 1); }
};

/// A team takes a run of the canon's blocks along k: all of a tile that is its own (the first `whole` of them; all,
/// with one split), which it finishes, or a part of one that `splits` teams share. Of a shared tile every block sum
/// goes to `sums`, and the team that arrives last joins them in ascending order: which team that is changes from run to
/// run, the order of the additions never. Where there are very many, a second launch joins them, `joiners` teams a
/// tile.
template <class T>
struct division {
  int row_tiles, col_tiles;
  int splits;
  T* sums;             ///< shared tile, block, then the tile's outputs in the primitives' own order
  unsigned* arrivals;  ///< one counter a shared tile, zero at the start and at the end
  int tile_rows = 0, tile_cols = 0;
  bool folded = false;  ///< column tiles are taken from both ends in turn: two of a triangle are as much as any two
  int whole = 0;
  int joiners = 0;  ///< 0: the tile's last team joins
};

/// One team's share of a division.
struct share {
  int teams;                    ///< that share the tile
  int tile;                     ///< its number among shared tiles, for `sums` and `arrivals`
  int row_tile, col_tile;       ///< its place
  int first_block, last_block;  ///< its blocks along k, half open
};

/// total <- the sums of `blocks` blocks: what join() is for primitives that load what they have saved.
template <class Primitives, class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION void join_by_loading(Primitives& tile, const Team& team, const T* sums, int blocks) {
  for (int block = 0; block < blocks; ++block) {
    tile.load(team, sums + block * tile.elements());
    tile.fold(block == 0, block + 1 == blocks);
  }
}

/// Which share a league rank has. Neighbouring ranks take neighbouring row tiles of one column tile, in bands eight
/// row tiles high, so that teams that run together share operand tiles in the cache below scratch.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION share share_of(const division<T>& d, int rank, int blocks) {
  if (d.row_tiles == 1 && d.col_tiles == 1 && d.splits == 1) return {1, 0, 0, 0, 0, blocks};  // divisions take time
  const int teams = rank < d.whole ? 1 : d.splits;
  // Divisions of 32 bits: on a GPU those of 64 would cost a short product more than its arithmetic.
  const int shared = (rank - d.whole) / teams, split = (rank - d.whole) % teams;
  const int tile = d.whole + shared;
  const int band = min(8, d.row_tiles), in_band = band * d.col_tiles;
  const int first_row = tile / in_band * band, within = tile % in_band;
  const int height = min(band, d.row_tiles - first_row);
  const int in_turn = within / height;
  const int col_tile = !d.folded ? in_turn : in_turn % 2 == 0 ? in_turn / 2 : d.col_tiles - 1 - in_turn / 2;
  const int each = blocks / teams, more = blocks % teams;  // the first `more` splits take one block more
  const int first = split * each + min(split, more);
  return {teams, shared, first_row + within % height, col_tile, first, first + each + (split < more)};
}

}  // namespace abax::tile
