// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What an algorithm may ask of a machine. `backends/portable/` answers all of it in plain Kokkos.
///
/// Part of every contract: fused multiply-adds with k ascending, one chain per output, nothing outside the operands
/// read or written; of a reduction, the canon's lanes and halves. The concepts check the shape; tests/ check the bits.
#include <concepts>
#include <type_traits>

#include "abax/detail/tile/batch.hpp"
#include "abax/detail/tile/reduction.hpp"
#include "abax/detail/tile/stream.hpp"
#include "abax/detail/tile/transpose.hpp"

namespace abax::backends {

// The comments beside the requirements are part of the contract.
// clang-format off

/// One team's tile of a product. A stage holds `depth` terms of both operands; `part` and `total`, the sum of the
/// current block and of the blocks before it, live wherever the machine wants them.
template <class P, class T, class Team>
concept product_primitives = requires(P tile, const Team& team, const typename P::parameters& parameters,
                                      const tile::product<T>& problem, index_t p, int terms, T* sums) {
  { P::scratch_bytes(parameters) } -> std::convertible_to<std::size_t>;
  { P::elements(parameters) } -> std::convertible_to<index_t>;  // what save() writes
  P(team, parameters, problem, terms, terms);                   // of tile (row tile, column tile)
  { tile.depth() } -> std::convertible_to<int>;                 // terms in a full stage; divides the canon's block
  { tile.elements() } -> std::convertible_to<index_t>;
  tile.start(team, p, p);                            // terms [begin, end) will be staged; may begin to fetch
  tile.stage(team);                                  // the next `depth` terms, fewer at the end; whole for all threads
  tile.clear();                                      // part <- +0
  tile.multiply_add(team, tile.stage(team), terms);  // part <- fma chain over the stage's terms, k ascending
  tile.fold(true, true);                             // (first, last): total <- part if first, else total + part
  tile.save(team, sums);                             // sums <- part
  tile.join(team, sums, terms);  // total <- the sums of `terms` blocks, as saved, in ascending order
  // Primitives that join what this kind has saved, and do so for several kinds; void where a second launch never does.
  requires std::is_void_v<typename P::joiner> || requires(typename P::joiner * joiner) {
    joiner->join(team, sums, terms);
  };
  // Whether a team that has a tile to itself ends it in its last stage: multiply_add, fold and store at once.
  { P::finishes } -> std::convertible_to<bool>;
  requires !P::finishes || requires { tile.finish(team, tile.stage(team), terms, true); };  // (true: the first block)
  tile.store(team);                                                                         // C tile <- epilogue(total)
  tile.store_without_product(team);  // C tile <- what a product without terms leaves
  // The same for a tile::product<T, Functor>: product::ended is asked once for each element, after the last store or in
  // its place.
  typename P::template ending_in<tile::no_functor>;
};

/// A team's pieces of a batch of products, each of one block of terms.
template <class P, class T, class Team>
concept batch_primitives = requires(const Team& team, const typename P::parameters& parameters,
                                    const tile::batch<T>& batch, index_t piece) {
  { P::scratch_bytes() } -> std::convertible_to<std::size_t>;
  // A piece and, where teams may be fewer than pieces, every one that is a multiple of so many behind it.
  P::multiply(team, parameters, batch, piece, piece);
};

/// Blocks of a reduction, of its operands or, on a further level, of the states that blocks have left.
template <class P, class Kernel, class Team>
concept reduction_primitives = requires(const Team& team, const typename P::parameters& parameters,
                                        const Kernel& kernel, const tile::block_states<Kernel>& level, index_t b,
                                        typename Kernel::state* states) {
  { P::scratch_bytes() } -> std::convertible_to<std::size_t>;
  // states[b] <- what block b leaves, begin <= b < end, in the canon's order; states[0] is there for rank 0 at return.
  P::reduce(team, parameters, kernel, b, b, states);
  P::reduce(team, parameters, level, b, b, states);
};

/// One team's tile of a transpose.
template <class P, class T, class Team>
concept transpose_primitives = requires(const Team& team, const typename P::parameters& parameters,
                                        const tile::matrix<const T>& from, const tile::matrix<T>& to, P tile) {
  { P::scratch_bytes() } -> std::convertible_to<std::size_t>;
  { parameters.rows } -> std::convertible_to<int>;  // of a tile
  { parameters.cols } -> std::convertible_to<int>;
  { parameters.skip_rows } -> std::convertible_to<int>;  // that the first tiles lack
  { parameters.skip_cols } -> std::convertible_to<int>;
  { P::reach } -> std::convertible_to<int>;  // columns of the next tile that are staged too
  P(team, parameters);
  // to(i, j) <- from(i, j) in this tile's columns; a stage may be the operand itself. (True where they begin the rows
  // of `to`.) Of its `reach` columns more, a row's first few may be stored too, if the next tile leaves as many to
  // this one: a number that is the same for all tiles of a row, and that no tile leaves which begins it.
  tile.store(team, tile.stage(team, from), to, true);
};

/// One team's tiles of a square matrix that is transposed where it lies. Every element is read before its place is
/// written.
template <class P, class T, class Team>
concept in_place_transpose_primitives = requires(const Team& team, const typename P::parameters& parameters,
                                                 const tile::matrix<T>& a, P tile) {
  { P::scratch_bytes() } -> std::convertible_to<std::size_t>;
  { parameters.size } -> std::convertible_to<int>;  // of a tile, which is square
  { parameters.skip } -> std::convertible_to<int>;  // rows and columns that the first tiles lack
  P(team, parameters);
  tile.exchange(team, a, a);  // (a, b) of as many rows and columns: a(i, j) <-> b(i, j); b runs along the other index
  tile.turn(team, a);         // a(i, j) <-> a(j, i)
};

/// A run of elements of a streaming kernel.
template <class P, class Kernel, class Team>
concept stream_primitives = requires(const Team& team, const typename P::parameters& parameters, const Kernel& kernel) {
  { P::run(parameters) } -> std::convertible_to<index_t>;  // elements of one team
  { P::scratch_bytes() } -> std::convertible_to<std::size_t>;
  P::apply(team, parameters, kernel);
};

// clang-format on

}  // namespace abax::backends
