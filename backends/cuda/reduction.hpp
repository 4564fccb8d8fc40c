// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Reduction primitives: a warp to a block of the canon, two of its lanes to a thread, straight from global memory.
#include <Kokkos_Core.hpp>
#include <bit>
#include <cstring>

#include "abax/detail/backends/cuda/access.hpp"
#include "abax/detail/tile/reduction.hpp"

namespace abax::cuda {

struct reduction_shape {
  int warps;      ///< of a team
  int residents;  ///< teams of a multiprocessor
  int words;      ///< that a thread loads at once: its lanes' next terms
};

/// What the thread `distance` from this one has, one more or one less as that bit of this one's number is 0 or 1.
template <class State>
KOKKOS_FORCEINLINE_FUNCTION State from_mirror(const State& mine, [[maybe_unused]] int distance) {
  State theirs = mine;
#ifdef __CUDA_ARCH__
  static_assert(sizeof(State) % sizeof(int) == 0);
  int words[sizeof(State) / sizeof(int)];
  std::memcpy(words, &mine, sizeof(State));
#pragma unroll
  for (int& word : words) word = __shfl_xor_sync(~0u, word, distance);
  std::memcpy(&theirs, words, sizeof(State));
#endif
  return theirs;
}

/// Two neighbouring terms from an even one on, in one access.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION pack<T, 2> pair_of(const tile::vector<const T>& contiguous, index_t term) {
  return *reinterpret_cast<const pack<T, 2>*>(contiguous.data + term);
}
/// Those of complex vectors are the parts of one element.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION pack<Real, 2> pair_of(const tile::parts<Real>& of, index_t term) {
  return *reinterpret_cast<const pack<Real, 2>*>(of.data + term * of.stride);
}

/// Operands that lie in memory of their own: a complex dot's third one is the second with its parts swapped.
template <class Terms>
inline constexpr int operands_in_memory = Terms::operands;
template <class Real>
inline constexpr int operands_in_memory<tile::dot<tile::complex<Real>>> = 2;

/// Pairs: a thread's lanes are neighbours, and two terms of an operand can be read in one access; else they are 32
/// apart, so that the threads of a warp are neighbours.
template <bool Pairs, reduction_shape Shape, class Team>
class reduction {
 public:
  struct parameters {};
  static constexpr int team_size = 32 * Shape.warps, residents = Shape.residents;
  static std::size_t scratch_bytes() { return 0; }

  template <class Kernel>
  KOKKOS_FORCEINLINE_FUNCTION static void reduce(const Team& team, const parameters&, const Kernel& kernel,
                                                 index_t begin, index_t end, typename Kernel::state* states) {
    reduce_blocks<Pairs>(team, kernel, begin, end, states);
  }
  template <class Kernel>  // whose terms may begin anywhere
  KOKKOS_FORCEINLINE_FUNCTION static void reduce(const Team& team, const parameters&,
                                                 const tile::block_states<Kernel>& level, index_t begin, index_t end,
                                                 typename Kernel::state* states) {
    reduce_blocks<false>(team, level, begin, end, states);
  }

 private:
  template <bool Neighbours, class Terms>
  KOKKOS_FORCEINLINE_FUNCTION static void reduce_blocks(const Team& team, const Terms& terms, index_t begin,
                                                        index_t end, typename Terms::state* states) {
    const int thread = team.team_rank() % 32, warp = team.team_rank() / 32;
    for (index_t b = begin + warp; b < end; b += Shape.warps) {
      const index_t first = b * tile::reduction_block, left = terms.operand[0].size - first;
      const auto state = left >= tile::reduction_block
                             ? block_state<Neighbours, true>(terms, first, tile::reduction_block, thread)
                             : block_state<Neighbours, false>(terms, first, static_cast<int>(left), thread);
      if (thread == 0) states[b] = state;
    }
  }

  /// `here` terms from `first` on.
  template <bool Neighbours, bool Whole, class Terms>
  KOKKOS_FORCEINLINE_FUNCTION static typename Terms::state block_state(const Terms& terms, index_t first, int here,
                                                                       int thread) {
    using element = typename Terms::element;
    constexpr int operands = Terms::operands, lanes = tile::reduction_lanes, block = tile::reduction_block;
    constexpr int loaded = Neighbours ? operands_in_memory<Terms> : operands;
    constexpr int words = 2 * loaded * sizeof(element) / 4;  // of one term of both lanes
    constexpr int steps = std::bit_floor(unsigned(tile::min(block / lanes, Shape.words / words)));
    constexpr int apart = Neighbours ? 1 : lanes / 2;
    typename Terms::state low = Terms::none(), high = Terms::none();
    const int mine = Neighbours ? 2 * thread : thread;  // the first of this thread's lanes
#pragma unroll 1
    for (int batch = mine; batch < (Whole ? block : here); batch += steps * lanes) {
      element at[steps][2][operands];
#pragma unroll
      for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int o = 0; o < loaded; ++o) {
          const int term = batch + s * lanes;
          if constexpr (Whole && Neighbours) {
            const auto pair = pair_of(terms.operand[o], first + term);
            at[s][0][o] = pair.element[0];
            at[s][1][o] = pair.element[1];
          } else {
            if (Whole || term < here) at[s][0][o] = terms.operand[o](first + term);
            if (Whole || term + apart < here) at[s][1][o] = terms.operand[o](first + term + apart);
          }
        }
#pragma unroll
      for (int s = 0; s < steps; ++s) {
        const int term = batch + s * lanes;
        if constexpr (loaded < operands) {
          at[s][0][loaded] = at[s][1][loaded - 1];
          at[s][1][loaded] = at[s][0][loaded - 1];
        }
        if (Whole || term < here) terms.take(low, at[s][0], first + term);
        if (Whole || term + apart < here) terms.take(high, at[s][1], first + term + apart);
      }
    }
    if (!Neighbours) low = Terms::joined(low, high);
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
      low = Terms::joined(low, from_mirror(low, distance));
      if (Neighbours) high = Terms::joined(high, from_mirror(high, distance));
    }
    return Neighbours ? Terms::joined(low, high) : low;
  }
};

}  // namespace abax::cuda
