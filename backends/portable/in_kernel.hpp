// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a kernel on any machine has for the functions of <abax/team.hpp>: nothing but its threads.
#include <Kokkos_Core.hpp>

#include "abax/detail/tile/register_tile.hpp"
#include "abax/detail/tile/running_sum.hpp"

namespace abax::portable {

struct in_kernel {
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION static int threads(const Member& member) {
    return member.team_size();
  }
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION static int thread(const Member& member) {
    return member.team_rank();
  }
  /// Says where a scratch tile's memory is.
  KOKKOS_FORCEINLINE_FUNCTION static void assume_scratch(const void*) {}
  /// Whether scratch has banks, so that scratch tiles lie by their layouts and not by plain strides.
  static constexpr bool has_banks = true;
  /// How chunks of a register tile's outputs move to C.
  using chunks = tile::plain_chunks;
  /// Whether product() serves all operands, so that no register tiles are compiled.
  static constexpr bool computes_products = false;
  /// Whether product() may serve such operands: register tiles do where it answers false.
  template <class A, class B, class C>
  static constexpr bool has_product() {
    return false;
  }

  /// Starts to copy one element or chunk to scratch; here it ends it, too.
  template <class T, int Count>
  struct staged_move {
    KOKKOS_FORCEINLINE_FUNCTION void operator()(const T* from, T* to) const {
      for (int v = 0; v < Count; ++v) to[v] = from[v];
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION static void end_stage() {}
  template <int Pending>
  KOKKOS_FORCEINLINE_FUNCTION static void await_stages() {}

  /// work() in the canon's arithmetic, whatever mode the calling thread is in: machines but CPUs have no other.
  template <class Work>
  KOKKOS_FORCEINLINE_FUNCTION static void under_ieee(const Work& work) {
    work();
  }

  /// The canon's sum of `blocks` blocks, to every thread. Each thread sums a block, and tells all others.
  template <class T, class Member, class BlockSum>
  KOKKOS_FUNCTION static T joined_blocks(const Member& member, index_t blocks, const BlockSum& sum_of) {
    const int threads = member.team_size();
    T own = T{0};
    tile::running_sum<T, tile::own_lanes<T>> sums;
    for (index_t first = 0; first < blocks; first += threads) {
      if (const index_t block = first + member.team_rank(); block < blocks) own = sum_of(block);
      for (int rank = 0; rank < threads && first + rank < blocks; ++rank) {
        T sum = own;
        if (threads > 1) member.team_broadcast(sum, rank);
        sums.add(sum);
      }
    }
    return tile::canonical(sums.total());
  }
  template <class Member, class T>
  KOKKOS_FUNCTION static T dot(const Member& member, const tile::dot<T>& terms) {
    return joined_blocks<T>(member, tile::reduction_blocks(terms.operand[0].size),
                            [&](index_t block) { return block_sum(terms, block); });
  }

 private:
  /// A block's sum with few registers: lane after lane, in the order in which halves meet, each sum being added to the
  /// one that waits for it.
  template <class T>
  KOKKOS_FUNCTION static T block_sum(const tile::dot<T>& terms, index_t block) {
    using dot = tile::dot<T>;
    constexpr int levels = 6;
    static_assert(tile::reduction_lanes == 1 << levels);
    const index_t begin = block * tile::reduction_block;
    const index_t end = tile::min(begin + tile::reduction_block, terms.operand[0].size);
    T waiting[levels], sum = T{0};
    for (int turn = 0; turn < tile::reduction_lanes; ++turn) {
      int lane = 0;
      for (int level = 0; level < levels; ++level) lane = 2 * lane + (turn >> level & 1);
      sum = T{0};
      for (index_t i = begin + lane; i < end; i += tile::reduction_lanes) {
        typename dot::element t[dot::operands];
        for (int o = 0; o < dot::operands; ++o) t[o] = terms.operand[o](i);
        terms.take(sum, t, i);
      }
      int level = 0;
      for (; turn >> level & 1; ++level) sum = waiting[level] + sum;
      if (level < levels) waiting[level] = sum;
    }
    return sum;
  }
};

}  // namespace abax::portable
