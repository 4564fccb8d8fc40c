// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What the rows of the CUDA backend's gemm have in common.
#include <Kokkos_Core.hpp>
#include <type_traits>

#include "abax/detail/backends/cuda/access.hpp"
#include "abax/detail/backends/cuda/machine.hpp"
#include "abax/detail/backends/cuda/pipeline.hpp"

namespace abax::cuda {

using member = Kokkos::TeamPolicy<Kokkos::Cuda>::member_type;

/// `serves` of rows that multiply on FP64 tensor cores.
inline constexpr auto where_tensor_cores_are = [](const auto&, const machine& m) { return m.tensor_cores; };

/// What a row of the gemm has beside its name, its cost, its primitives and what it serves.
template <class Row>
struct gemm_row {
  template <class T>
  static tile::product_tile tile_for(const tile::product<T>&, const machine&) {
    using primitives = typename Row::primitives;
    return {primitives::rows, primitives::cols, primitives::depth(), primitives::residents};
  }
  template <class T>
  static product_parameters parameters(const tile::product<T>& problem, const tile::product_tile&, const machine&) {
    const index_t blocks = tile::canon_blocks_of<T>(problem.terms());
    return {blocks > 1};
  }
};

/// A row for products of few terms, whichever way A and B lie, into a C whose columns are contiguous.
template <class Row, index_t MostTerms>
struct few_terms_row : gemm_row<Row> {
  static constexpr const char* name = "few terms";
  static constexpr bool takes_functors = false;
  static_assert(MostTerms <= tile::canon_block, "direct_product is for one block");
  template <class T>
  static bool serves(const tile::product<T>& problem, const machine&) {
    return 0 < problem.terms() && problem.terms() <= MostTerms && problem.c.row_stride == 1;
  }
};

/// How an operand's outer and terms indices lie, the outer one being its rows.
template <class T>
along direction_of(const tile::matrix<const T>& m) {
  return m.row_stride != 1 && m.col_stride == 1 ? along::terms : along::outer;
}

/// Rates by how A and B lie.
struct rates {
  double outer_outer, outer_terms, terms_outer, terms_terms;

  constexpr double of(along a, along b) const {
    if (a == along::outer) return b == along::outer ? outer_outer : outer_terms;
    return b == along::outer ? terms_outer : terms_terms;
  }
};

/// What of a row's cost differs where operands are copied element by element.
struct element_cost {
  double rate, ends, alone = 1;
};
/// What a row costs by how many elements are copied at a time; as `chunks` where these are 16 bytes.
template <int Width>
constexpr tile::product_cost by_width(const tile::product_cost& chunks, const element_cost& elements) {
  tile::product_cost cost = chunks;
  if (Width == 1) {
    cost.rate = elements.rate;
    cost.ends = elements.ends;
    cost.alone = elements.alone;
  }
  return cost;
}

/// Rows whose operands are copied 16 bytes at a time or not at all.
template <int Width, class... Row>
using only_by_chunks = std::conditional_t<(Width > 1), backends::rows<Row...>, backends::rows<>>;

}  // namespace abax::cuda
