// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A tile in a team's scratch whose layout is free of bank conflicts.
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <type_traits>

#include "abax/detail/tile/operand.hpp"
#include "abax/detail/tile/own_type.hpp"

namespace abax {

/// The first rows x cols elements of a scratch tile, where they lie in it.
template <class Tile>
class scratch_part;

/// Rows x Cols elements in a team's scratch, for the functions of <abax/team.hpp> and for any kernel: tile(i, j) is an
/// element, as of a View. Where it lies was chosen when the kernel was compiled: the smallest of the plain, exchanged
/// and padded layouts in which none of the declared accesses (abax::access) has a bank conflict. If there is none, the
/// tile does not compile. Without declared accesses the layout is plain.
///
///     using tile = abax::scratch_tile<float, 32, 32, abax::access::write_rows, abax::access::read_columns>;
///     policy.set_scratch_size(0, Kokkos::PerTeam(2 * tile::shmem_size()));
///     ...
///     tile A(member.team_scratch(0)), B(member.team_scratch(0));
///
/// Scratch of level 0. A CPU has no banks: there the layout is plain. Source of the model: docs/lab/README.md.
template <class T, int Rows, int Cols, access... Accesses>
class scratch_tile {
  using real = tile::real_of<tile::own_t<T>>;
  static_assert(std::is_same_v<real, float> || std::is_same_v<real, double>,
                "abax::scratch_tile: T must be float, double or a Kokkos::complex of them");
  static_assert(Rows > 0 && Cols > 0, "abax::scratch_tile: a tile has at least one row and one column");

 public:
  using value_type = T;
  static constexpr bool is_scratch_operand = true;
  /// On a GPU; its `rows` are 0 where there is none.
  static constexpr tile::scratch_layout layout = tile::conflict_free_layout<Accesses...>(Rows, Cols, sizeof(T));
  static_assert(layout.rows > 0, "abax::scratch_tile: no layout is free of bank conflicts for all declared accesses");

  /// Bytes of scratch that a tile takes, for set_scratch_size(); those that align it are counted.
  static constexpr std::size_t shmem_size() { return sizeof(T) * layout.size() + alignment; }

  /// Takes its place from the team's scratch of level 0: member.team_scratch(0). Aborts the kernel if too little of it
  /// is left.
  template <class Space>
  KOKKOS_FUNCTION explicit scratch_tile(const Space& scratch)
      : data_(static_cast<T*>(scratch.get_shmem_aligned(sizeof(T) * layout.size(), alignment))) {
    if (data_ == nullptr) Kokkos::abort("abax::scratch_tile: the team has less scratch than its tiles take");
  }

  KOKKOS_FORCEINLINE_FUNCTION T& operator()(int i, int j) const { return data_[offset(i, j)]; }
  KOKKOS_FORCEINLINE_FUNCTION T* data() const { return data_; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t rank() { return 2; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t extent(int index) { return index == 0 ? Rows : Cols; }
  /// Its first rows and columns: a tile at the edge of a matrix.
  KOKKOS_FORCEINLINE_FUNCTION scratch_part<scratch_tile> part(int rows, int cols) const { return {*this, rows, cols}; }

  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION auto operand(const Place& place) const {
    return tile::operand<tile::own_t<T>, Place, Rows, Cols>{tile::own_elements(data_), place, Rows, Cols};
  }

 private:
  static constexpr std::size_t alignment = 16;
  KOKKOS_FORCEINLINE_FUNCTION static index_t offset(int i, int j) {
    KOKKOS_IF_ON_HOST((return layout.by_columns ? j * Rows + i : i * Cols + j;))
    KOKKOS_IF_ON_DEVICE((return tile::laid_out<layout>()(i, j);))
  }

  T* data_;
};

template <class Tile>
class scratch_part {
 public:
  using value_type = typename Tile::value_type;
  static constexpr bool is_scratch_operand = true;
  static constexpr tile::scratch_layout layout = Tile::layout;

  KOKKOS_FORCEINLINE_FUNCTION scratch_part(const Tile& tile, int rows, int cols)
      : tile_(tile), rows_(rows), cols_(cols) {}

  KOKKOS_FORCEINLINE_FUNCTION value_type& operator()(int i, int j) const { return tile_(i, j); }
  KOKKOS_FORCEINLINE_FUNCTION value_type* data() const { return tile_.data(); }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t rank() { return 2; }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t extent(int index) const { return index == 0 ? rows_ : cols_; }

  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION auto operand(const Place& place) const {
    return tile::operand<tile::own_t<value_type>, Place>{tile::own_elements(tile_.data()), place, rows_, cols_};
  }

 private:
  Tile tile_;
  int rows_, cols_;
};

}  // namespace abax
