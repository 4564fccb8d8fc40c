// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Transpose primitives: a tile in scratch, filled along one index and emptied along the other.
#include <Kokkos_Core.hpp>
#include <cstdint>

#include "abax/detail/backends/cuda/access.hpp"
#include "abax/detail/backends/cuda/async_copy.hpp"
#include "abax/detail/backends/cuda/scratch.hpp"
#include "abax/detail/tile/banks.hpp"
#include "abax/detail/tile/complex.hpp"
#include "abax/detail/tile/transpose.hpp"

namespace abax::cuda {

/// All copies that the team has started arrive.
template <class Team>
KOKKOS_FORCEINLINE_FUNCTION void await_copies(const Team& team) {
  commit_copies();
  wait_copies<0>();
  barrier(team);
}

/// Elements from a boundary of 256 bytes to p. Stretches of 256 bytes that cross such boundaries, as those of a View
/// do, whose elements begin 128 bytes into what was allocated, cost a transpose 4 to 6 %.
template <class T>
int past_boundary(const T* p) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) % 256 / sizeof(T));
}

/// Whether a transpose conjugates, which is asked of complex elements alone.
template <class T>
struct may_conjugate {
  static constexpr bool conjugated = false;
};
template <class Real>
struct may_conjugate<tile::complex<Real>> {
  bool conjugated = false;
};

struct transpose_shape {
  int rows, cols;  ///< of a tile
  int threads;     ///< of a team
};

/// A tile of Rows x Cols, element by element. Elements lie on multiples of their size. Warps take whole lines: columns
/// of the tile on its way in, rows on its way out. With Pieces, for rows of `to` that lie dense in memory, a row's
/// piece begins and ends where a sector of 32 bytes does: a sector that two teams write, each a part of it, costs
/// twice.
template <class T, transpose_shape Shape, bool Pieces, class Team>
class transpose {
  static constexpr int Rows = Shape.rows, Cols = Shape.cols, Threads = Shape.threads;
  static constexpr int lanes = 32, warps = Threads / lanes, sector = 32 / sizeof(T);
  static constexpr int ld = Rows + 1;  // odd: a row of the tile touches every bank
  static_assert(Threads % lanes == 0 && Rows % lanes == 0 && Cols % lanes == 0 && Rows % warps == 0);
  static_assert(tile::banks::free_of_conflicts(sizeof(T), [](int l) { return sizeof(T) * l; }) &&      // along a row
                tile::banks::free_of_conflicts(sizeof(T), [](int l) { return sizeof(T) * ld * l; }));  // along a column

 public:
  struct parameters : may_conjugate<T> {  // known to the compiler: teams are short, and dividing by a variable shows
    static constexpr int rows = Rows, cols = Cols, skip_rows = 0, skip_cols = 0;
  };
  static constexpr int team_size = Threads, residents = 4, reach = Pieces ? sector : 0;
  static constexpr std::size_t scratch_bytes() { return sizeof(T) * (Cols + reach) * ld + scratch_slack; }

  KOKKOS_FORCEINLINE_FUNCTION transpose(const Team& team, const may_conjugate<T>& how)
      : lane_(team.team_rank() % lanes),
        warp_(team.team_rank() / lanes),
        how_(how),
        scratch_(take_scratch<T>(team, (Cols + reach) * ld)) {}

  /// (Rows, Cols + reach) of the tile at scratch[col ld + row].
  KOKKOS_FORCEINLINE_FUNCTION const T* stage(const Team& team, const tile::matrix<const T>& from) const {
    fetch(from);
    await_copies(team);
    return staged();
  }
  KOKKOS_FORCEINLINE_FUNCTION const T* staged() const { return scratch_; }
  /// Sends the tile on its way.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(const tile::matrix<const T>& from) const {
    const int rows = static_cast<int>(from.rows), cols = static_cast<int>(from.cols);
#pragma unroll 4
    for (int n = 0; n < tile::ceil_div(Cols + reach, warps); ++n) {
      const int j = n * warps + warp_;
#pragma unroll
      for (int r = 0; r < Rows; r += lanes) {
        const int i = r + lane_;
        if (i < rows && j < cols) copy_async<sizeof(T)>(scratch_ + j * ld + i, &from(i, j));
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(const Team&, const T* staged, const tile::matrix<T>& to,
                                         bool begins_rows = true) const {
    const int rows = static_cast<int>(to.rows), cols = static_cast<int>(to.cols);
    if (!Pieces && to.row_stride == 1) {  // both sides run along their rows: a copy
      for (int j = warp_; j < cols; j += warps)
        for (int i = lane_; i < rows; i += lanes) move(&to(i, j), staged + j * ld + i);
      return;
    }
#pragma unroll 4
    for (int n = 0; n < Rows / warps; ++n) {
      const int i = n * warps + warp_;
      if (i >= rows) break;
      T* const line = &to(i, 0);
      const index_t stride = Pieces ? 1 : to.col_stride;
      const int head = Pieces ? elements_to_sector(line) : 0;
      if (Pieces && begins_rows && lane_ < tile::min(head, cols)) move(line + lane_, staged + lane_ * ld + i);
#pragma unroll
      for (int l = 0; l < Cols; l += lanes) {
        const int j = head + l + lane_;
        if (j < cols) move(line + j * stride, staged + j * ld + i);
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void move(T* to, const T* from) const {
    using whole = pack<T, 1>;
    whole one = *reinterpret_cast<const whole*>(from);
    one.element[0] = tile::conjugate_if(how_.conjugated, one.element[0]);
    *reinterpret_cast<whole*>(to) = one;
  }
  /// Depends on the row alone, since a tile's columns are whole sectors.
  KOKKOS_FORCEINLINE_FUNCTION static int elements_to_sector(const T* p) {
    return static_cast<int>(-(reinterpret_cast<std::uintptr_t>(p) / sizeof(T)) % sector);
  }
  int lane_, warp_;
  [[no_unique_address]] may_conjugate<T> how_;
  T* scratch_;
};

/// The same in accesses of 16 bytes, where `from` allows them along its rows and `to` along its columns: patches of
/// wide x wide elements are transposed in registers before they are stored.
/// Scratch: [col][row], the chunks of 16 bytes of a line exchanged by an XOR with the number of the patch the line is
/// in. Chunks written along a line, and those read along the patches of one row of them, fall into distinct banks.
template <class T, transpose_shape Shape, class Team>
class wide_transpose {
  static constexpr int Rows = Shape.rows, Cols = Shape.cols, Threads = Shape.threads;
  static constexpr int wide = 16 / sizeof(T), chunks = Rows / wide, patches = Cols / wide;
  static_assert((chunks & (chunks - 1)) == 0 && chunks >= 8 && patches % 8 == 0);
  static_assert(chunks * Cols % Threads == 0);

 public:
  struct parameters : may_conjugate<T> {  // known to the compiler: teams are short, and dividing by a variable shows
    static constexpr int rows = Rows, cols = Cols;
    int skip_rows = 0, skip_cols = 0;
  };
  static constexpr int team_size = Threads, residents = 4, reach = 0;
  static constexpr std::size_t scratch_bytes() { return sizeof(T) * Cols * Rows + scratch_slack; }

  KOKKOS_FORCEINLINE_FUNCTION wide_transpose(const Team& team, const may_conjugate<T>& how)
      : thread_(team.team_rank()), how_(how), scratch_(take_scratch<T>(team, Cols * Rows)) {}

  KOKKOS_FORCEINLINE_FUNCTION const T* stage(const Team& team, const tile::matrix<const T>& from) const {
    fetch(from);
    await_copies(team);
    return staged();
  }
  KOKKOS_FORCEINLINE_FUNCTION const T* staged() const { return scratch_; }
  KOKKOS_FORCEINLINE_FUNCTION void fetch(const tile::matrix<const T>& from) const {
    static_assert(filled_without_conflicts() && emptied_without_conflicts());
    const int rows = static_cast<int>(from.rows), cols = static_cast<int>(from.cols);
    const auto each_chunk = [&](const auto& copy) {
#pragma unroll
      for (int n = 0; n < chunks * Cols / Threads; ++n) {
        const int e = n * Threads + thread_, i = e % chunks * wide, j = e / chunks;
        if (i < rows && j < cols) copy(at(i, j), from.data + i + j * from.col_stride, rows - i);
      }
    };
    if (rows % wide == 0)
      each_chunk([](T* to, const T* chunk, int) { copy_async<16>(to, chunk); });
    else
      each_chunk([](T* to, const T* chunk, int exist) { copy_chunk_if<wide>(true, to, chunk, exist); });
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(const Team&, const T*, const tile::matrix<T>& to, bool = true) const {
    const int rows = static_cast<int>(to.rows), cols = static_cast<int>(to.cols);
#pragma unroll
    for (int n = 0; n < tile::ceil_div(chunks * patches, Threads); ++n) {
      const int e = n * Threads + thread_, j = e % patches * wide, i = e / patches * wide;
      if (i >= rows || j >= cols) continue;
      group lines[wide];
#pragma unroll
      for (int v = 0; v < wide; ++v) lines[v] = *reinterpret_cast<const group*>(at(i, j + v));
      if (i + wide <= rows && j + wide <= cols) {
#pragma unroll
        for (int u = 0; u < wide; ++u) {
          group turned;
#pragma unroll
          for (int v = 0; v < wide; ++v) turned.element[v] = stored(lines[v].element[u]);
          store_chunk(to.data + (i + u) * to.row_stride + j, turned);
        }
      } else {
#pragma unroll
        for (int u = 0; u < wide; ++u)
#pragma unroll
          for (int v = 0; v < wide; ++v)
            if (i + u < rows && j + v < cols) to(i + u, j + v) = stored(lines[v].element[u]);
      }
    }
  }

 private:
  using group = pack<T, wide>;

  KOKKOS_FORCEINLINE_FUNCTION T stored(const T& element) const { return tile::conjugate_if(how_.conjugated, element); }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int offset(int i, int j) {
    return j * Rows + (i / wide ^ j / wide % chunks) * wide;
  }
  KOKKOS_FORCEINLINE_FUNCTION T* at(int i, int j) const { return scratch_ + offset(i, j); }
  // Chunks come in along the lines.
  static constexpr bool filled_without_conflicts() {
    bool all = true;
    for (int j = 0; j < 8 * wide; j += wide)
      all = all && tile::banks::free_of_conflicts(
                       16, [=](int l) { return sizeof(T) * offset(l % chunks * wide, j + l / chunks); });
    return all;
  }
  // A patch's lines go out, neighbouring lanes in neighbouring patches.
  static constexpr bool emptied_without_conflicts() {
    bool all = true;
    for (int i = 0; i < 8 * wide; i += wide)
      all = all && tile::banks::free_of_conflicts(
                       16, [=](int l) { return sizeof(T) * offset(i + l / patches * wide, l % patches * wide); });
    return all;
  }
  int thread_;
  [[no_unique_address]] may_conjugate<T> how_;
  T* scratch_;
};

/// Two tiles of a square matrix change places by way of scratch. `Tile` is one of the above, square.
template <class T, class Tile, class Team>
class in_place_transpose {
  static constexpr int Size = Tile::parameters::rows;
  static_assert(Size == Tile::parameters::cols);

 public:
  struct parameters {
    static constexpr int size = Size;
    int skip = 0;
  };
  static constexpr std::size_t scratch_bytes() { return 2 * Tile::scratch_bytes(); }
  static constexpr int team_size = Tile::team_size;
  static constexpr std::size_t of_multiprocessor = 200 << 10;  // scratch, with what the system keeps left out
  static constexpr int residents = tile::min<int>(256 / Size, of_multiprocessor / scratch_bytes());

  KOKKOS_FORCEINLINE_FUNCTION in_place_transpose(const Team& team, const parameters&)
      : one_(team, {}), other_(team, {}) {}

  KOKKOS_FORCEINLINE_FUNCTION void exchange(const Team& team, const tile::matrix<T>& a,
                                            const tile::matrix<T>& b) const {
    one_.fetch(a.as_input());
    other_.fetch(b.transposed().as_input());
    await_copies(team);
    one_.store(team, one_.staged(), b);
    other_.store(team, other_.staged(), a.transposed());
  }
  KOKKOS_FORCEINLINE_FUNCTION void turn(const Team& team, const tile::matrix<T>& a) const {
    one_.store(team, one_.stage(team, a.as_input()), a.transposed());
  }

 private:
  Tile one_, other_;
};

}  // namespace abax::cuda
