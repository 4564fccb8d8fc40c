// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a CUDA kernel has for the functions of <abax/team.hpp>: copies by cp.async, FP64 tensor cores, shuffles.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/async_copy.hpp"
#include "abax/detail/backends/cuda/mma.hpp"
#include "abax/detail/backends/portable/in_kernel.hpp"
#include "abax/detail/tile/operand.hpp"

namespace abax::cuda {

/// A thread's place in its team, lanes of its vector counted, as TeamVectorRange counts.
struct in_team {
  int thread, threads;

  KOKKOS_FORCEINLINE_FUNCTION in_team() : thread(0), threads(1) {
#ifdef __CUDA_ARCH__
    thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
    threads = static_cast<int>(blockDim.x * blockDim.y);
#endif
  }
};

/// Lanes of a level of a running sum (tile/running_sum.hpp), two for each lane of a whole warp.
template <class T>
struct warp_lanes {
  T lane[2];

  KOKKOS_FORCEINLINE_FUNCTION void clear() { lane[0] = lane[1] = T(0); }
  KOKKOS_FORCEINLINE_FUNCTION void add(int l, T term) {
    if (l % 32 == in_team().thread % 32) lane[l / 32] = lane[l / 32] + term;
  }
  KOKKOS_FORCEINLINE_FUNCTION T sum() const {
    T s = lane[0] + lane[1];
#ifdef __CUDA_ARCH__
    for (int half = 16; half > 0; half /= 2) s = s + lower(s, half);
    s = first(s);
#endif
    return s;
  }

 private:
#ifdef __CUDA_ARCH__
  template <class Real>
  __device__ static Real lower(Real s, int by) {
    return __shfl_down_sync(0xFFFFFFFFu, s, by);
  }
  template <class Real>
  __device__ static tile::complex<Real> lower(const tile::complex<Real>& s, int by) {
    return {lower(s.re, by), lower(s.im, by)};
  }
  template <class Real>
  __device__ static Real first(Real s) {
    return __shfl_sync(0xFFFFFFFFu, s, 0);
  }
  template <class Real>
  __device__ static tile::complex<Real> first(const tile::complex<Real>& s) {
    return {first(s.re), first(s.im)};
  }
#endif
};

/// Chunks in one access each: the compiler takes structures apart, and stores each element by itself.
struct whole_chunks {
  /// To memory of any kind.
  template <class T, int Count>
  KOKKOS_FORCEINLINE_FUNCTION static void store(tile::chunk<T, Count>* to, const tile::chunk<T, Count>& value) {
#ifdef __CUDA_ARCH__
    if constexpr (Count > 1 && sizeof(value) == 16) {
      const auto word = __builtin_bit_cast(uint4, value);
      asm volatile("st.v4.b32 [%0], {%1, %2, %3, %4};\n" ::"l"(to), "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w)
                   : "memory");
      return;
    } else if constexpr (Count > 1 && sizeof(value) == 8) {
      const auto word = __builtin_bit_cast(uint2, value);
      asm volatile("st.v2.b32 [%0], {%1, %2};\n" ::"l"(to), "r"(word.x), "r"(word.y) : "memory");
      return;
    }
#endif
    *to = value;
  }
};

struct in_kernel : portable::in_kernel {
  using chunks = whole_chunks;

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION static int threads(const Member&) {
    return in_team().threads;
  }

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION static int thread(const Member&) {
    return in_team().thread;
  }

  /// Told so, the compiler uses the loads and stores of shared memory.
  KOKKOS_FORCEINLINE_FUNCTION static void assume_scratch([[maybe_unused]] const void* memory) {
#ifdef __CUDA_ARCH__
#ifdef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
    if (!__isShared(memory)) Kokkos::abort("abax::scratch_tile: its memory is not scratch of level 0");
#endif
    __builtin_assume(__isShared(memory));
#endif
  }

  /// Tensor cores: double, extents that are known and multiples of the instruction's, one block of terms.
  template <class A, class B, class C>
  static constexpr bool has_product() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    constexpr int m = C::static_rows, n = C::static_cols, k = A::static_cols;
    return std::is_same_v<typename C::value, double> && m > 0 && m % 16 == 0 && n > 0 && n % 8 == 0 && k > 0 &&
           k % 4 == 0 && k <= tile::canon_block;
#else
    return false;
#endif
  }
  /// c <- epilogue(a b) by the team's whole warps; false if it has none.
  template <class Member, class A, class B, class C>
  KOKKOS_FORCEINLINE_FUNCTION static bool product(const Member&, const A& a, const B& bt, const C& c,
                                                  const tile::epilogue<double>& epilogue) {
    constexpr int m = C::static_rows, n = C::static_cols;
    const int warps = in_team().threads / 32;
    if (warps == 0) return false;
    if constexpr (m % 32 == 0 && n % 32 == 0)
      if (m / 32 * (n / 32) >= warps) return by_warps<2, 4>(warps, a, bt, c, epilogue);
    if constexpr (m % 16 == 0 && n % 16 == 0)
      if (m / 16 * (n / 16) >= warps) return by_warps<1, 2>(warps, a, bt, c, epilogue);
    return by_warps<1, 1>(warps, a, bt, c, epilogue);
  }

  /// From global memory to scratch by cp.async; between other memory at once.
  template <class T, int Count>
  struct staged_move {
    KOKKOS_FORCEINLINE_FUNCTION void operator()(const T* from, T* to) const {
#ifdef __CUDA_ARCH__
      if (__isShared(to) && __isGlobal(from)) return copy_async<Count* int(sizeof(T))>(to, from);
#endif
      for (int v = 0; v < Count; ++v) to[v] = from[v];
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION static void end_stage() { commit_copies(); }
  template <int Pending>
  KOKKOS_FORCEINLINE_FUNCTION static void await_stages() {
    wait_copies<Pending>();
  }

  /// A whole warp sums a block of the canon by two lanes of it a thread. Teams smaller than a warp have a thread for a
  /// block.
  template <class Member, class T>
  KOKKOS_FUNCTION static T dot(const Member& member, const tile::dot<T>& terms) {
    const in_team at;
    const int warps = at.threads / 32, warp = at.thread / 32;
    if (warps == 0) return portable::in_kernel::dot(member, terms);
    const index_t blocks = tile::reduction_blocks(terms.operand[0].size);
    const int members_in_warp = 32 * member.team_size() / at.threads;
    T own = T(0);
    tile::running_sum<T, warp_lanes<T>> sums;  // of whole warps
    for (index_t first = 0; first < blocks; first += warps) {
      if (warp < warps && first + warp < blocks) own = block_of(terms, first + warp);
      for (int w = 0; w < warps && first + w < blocks; ++w) {
        T sum = own;
        if (blocks > 1) member.team_broadcast(sum, w * members_in_warp);
        if (warp < warps) sums.add(sum);
      }
    }
    T total = warp < warps ? tile::canonical(sums.total()) : T(0);
    member.team_broadcast(total, 0);
    return total;
  }

 private:
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T block_of(const tile::dot<T>& terms, index_t block) {
    const index_t begin = block * tile::reduction_block,
                  end = tile::min(terms.operand[0].size, begin + tile::reduction_block);
    warp_lanes<T> lanes;
    lanes.clear();
    for (index_t i = begin + in_team().thread % 32; i < end; i += 64)
      for (int h = 0; h < 2; ++h)
        if (const index_t at = i + 32 * h; at < end) {
          typename tile::dot<T>::element t[tile::dot<T>::operands];
          for (int o = 0; o < tile::dot<T>::operands; ++o) t[o] = terms.operand[o](at);
          terms.take(lanes.lane[h], t, at);
        }
    return lanes.sum();
  }

  /// A warp has tiles of (16 TilesRows) x (8 TilesCols) outputs, one after another.
  template <int TilesRows, int TilesCols, class A, class B, class C>
  KOKKOS_FORCEINLINE_FUNCTION static bool by_warps(int warps, const A& a, const B& bt, const C& c,
                                                   const tile::epilogue<double>& epilogue) {
    constexpr int rows = 16 * TilesRows, cols = 8 * TilesCols, across = C::static_rows / rows;
    constexpr int tiles = across * (C::static_cols / cols);
    const int thread = in_team().thread, lane = thread % 32, g = lane / 4, q = lane % 4;
    if (thread / 32 >= warps) return true;
#ifdef __CUDA_ARCH__
    __syncwarp();  // mma.sync is for all lanes together
#endif
    for (int t = thread / 32; t < tiles; t += warps) {
      const int row = t % across * rows + g, col = t / across * cols;
      double part[TilesRows][TilesCols][4] = {};
#pragma unroll 4
      for (int p = 0; p < A::static_cols; p += 4) {
        double left[TilesRows][2], right[TilesCols][1];
        for (int x = 0; x < TilesRows; ++x)
          for (int h = 0; h < 2; ++h) left[x][h] = a(row + 16 * x + 8 * h, p + q);
        for (int y = 0; y < TilesCols; ++y) right[y][0] = bt(col + 8 * y + g, p + q);
        for (int x = 0; x < TilesRows; ++x)
          for (int y = 0; y < TilesCols; ++y) mma(part[x][y], left[x], right[y]);
      }
      constexpr int near = C::run == tile::fast::col ? 2 : 1;
      if (near > 1 && c.template has_chunks<near>())
        store<near>(part, c, epilogue, row, col + 2 * q);
      else
        store<1>(part, c, epilogue, row, col + 2 * q);
    }
    return true;
  }
  /// c <- epilogue(sums) for a lane's outputs: rows eight apart, and pairs of columns, whose elements are moved as one
  /// where Near is 2.
  template <int Near, int TilesRows, int TilesCols, class C>
  KOKKOS_FORCEINLINE_FUNCTION static void store(double (&sums)[TilesRows][TilesCols][4], const C& c,
                                                const tile::epilogue<double>& epilogue, int row, int col) {
    using chunk_type = tile::chunk<double, Near>;
    const auto each = [&](const auto& visit) {
      for (int x = 0; x < TilesRows; ++x)
        for (int y = 0; y < TilesCols; ++y)
          for (int e = 0; e < 4; e += Near)
            visit(sums[x][y] + e, reinterpret_cast<chunk_type*>(&c(row + 16 * x + e / 2 * 8, col + 8 * y + e % 2)));
    };
    each([&](double* sum, const chunk_type* out) {  // all of C is loaded before the first of it is stored
      chunk_type old = epilogue.beta != 0 ? *out : chunk_type{};
      for (int v = 0; v < Near; ++v) sum[v] = epilogue(sum[v], &old.element[v]);
    });
    each([](const double* sum, chunk_type* out) {
      chunk_type now;
      for (int v = 0; v < Near; ++v) now.element[v] = sum[v];
      chunks::store(out, now);
    });
  }
};

}  // namespace abax::cuda
