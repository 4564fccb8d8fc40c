// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The portable backend's catalogue: few rows, with tiles whose level-0 scratch is within 32 KB.
#include "abax/detail/backends/backend.hpp"
#include "abax/detail/backends/portable/integer.hpp"
#include "abax/detail/backends/portable/product.hpp"
#include "abax/detail/backends/portable/reduction.hpp"
#include "abax/detail/backends/portable/stream.hpp"
#include "abax/detail/backends/portable/transpose.hpp"

namespace abax::portable {

/// What a row of products has beside its name, its cost and its tile.
template <class Row, class T, class Team>
struct product_row {
  using primitives = product<T, Team>;
  static constexpr bool takes_functors = true;
  static constexpr auto serves = backends::always;
  static tile::product_tile tile_for(const tile::product<T>&, const backends::machine&) { return Row::size; }
  static tile::product_tile parameters(const tile::product<T>&, const tile::product_tile& size,
                                       const backends::machine&) {
    return size;
  }
};

template <class T, class Team>
struct gemm_32x32x16 : product_row<gemm_32x32x16<T, Team>, T, Team> {
  static constexpr const char* name = "32x32x16";
  static constexpr tile::product_cost cost{};
  static constexpr tile::product_tile size{.rows = 32, .cols = 32, .depth = 16, .residents = 1};
};
template <class T, class Team>
struct gemm_16x16x16 : product_row<gemm_16x16x16<T, Team>, T, Team> {
  static constexpr const char* name = "16x16x16";
  static constexpr tile::product_cost cost{.rate = 0.7};
  static constexpr tile::product_tile size{.rows = 16, .cols = 16, .depth = 16, .residents = 1};
};
template <class T, class Team>
struct gemv_64x1x32 : product_row<gemv_64x1x32<T, Team>, T, Team> {
  static constexpr const char* name = "64x1x32";
  static constexpr tile::product_cost cost{};
  static constexpr tile::product_tile size{.rows = 64, .cols = 1, .depth = 32, .residents = 1};
};

/// For elements of 16 bytes.
template <class T, class Team>
struct gemv_64x1x16 : product_row<gemv_64x1x16<T, Team>, T, Team> {
  static constexpr const char* name = "64x1x16";
  static constexpr tile::product_cost cost{};
  static constexpr tile::product_tile size{.rows = 64, .cols = 1, .depth = 16, .residents = 1};
};

template <class T, class Team>
struct matrix_rows {
  using groups = backends::groups<backends::rows<gemm_32x32x16<T, Team>, gemm_16x16x16<T, Team>>>;
  static int group_of(const tile::product<T>&, const backends::machine&) { return 0; }
  static int preferred(const tile::product<T>&, const backends::machine&) { return backends::by_cost; }
  using immediate = backends::rows<>;
  static constexpr auto gain_by_copies = backends::never_copied;
};
template <class T, class Team>
struct vector_rows {
  using groups = backends::groups<
      backends::rows<std::conditional_t<(sizeof(T) > 8), gemv_64x1x16<T, Team>, gemv_64x1x32<T, Team>>>>;
  static int group_of(const tile::product<T>&, const backends::machine&) { return 0; }
  static int preferred(const tile::product<T>&, const backends::machine&) { return backends::by_cost; }
  using immediate = backends::rows<>;
};

/// The one row of any other kernel.
template <class Primitives>
struct only_row {
  using primitives = Primitives;
  static constexpr const char* name = "portable";
  static constexpr auto serves = backends::always;
  static constexpr auto parameters = [](const auto&, const backends::machine&) {
    return typename Primitives::parameters{};
  };
};

template <class T, class Team>
struct portable_transpose : only_row<transpose<T, Team>> {
  static typename transpose<T, Team>::parameters parameters(const tile::transpose<T>& problem,
                                                            const backends::machine&) {
    return {problem.conjugated};
  }
};

template <class Team>
struct portable_reduction : only_row<reduction<Team>> {
  static index_t run(index_t, const backends::machine&) { return 32; }
};

}  // namespace abax::portable
