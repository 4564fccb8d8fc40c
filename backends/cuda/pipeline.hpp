// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a product's pipeline of stages has still to fetch.
#include "abax/detail/tile/matrix.hpp"

namespace abax::cuda {

/// What a team of a matrix product is told beside its problem.
struct product_parameters {
  bool several_blocks;  // of the canon along k: there is a total
};

/// The stages still to be fetched: all of Depth terms but the last.
template <int Depth>
struct stages_to_fetch {
  int left = 0, last_terms = 0;

  KOKKOS_FORCEINLINE_FUNCTION void start(index_t begin, index_t end) {
    left = static_cast<int>((end - begin + Depth - 1) / Depth);
    last_terms = static_cast<int>(end - begin - index_t(left - 1) * Depth);
  }
  /// Of the next one, if there is one.
  KOKKOS_FORCEINLINE_FUNCTION int terms() const { return left > 1 ? Depth : last_terms; }
  /// The same for a loop that does not branch: counts the stage as fetched, and after the last one there are none.
  KOKKOS_FORCEINLINE_FUNCTION int take() {
    const int terms = left > 1 ? Depth : left == 1 ? last_terms : 0;
    --left;
    return terms;
  }
};

/// The same, told apart: `whole` stages in which nothing of the tile is missing come first and are fetched without a
/// branch, in the midst of arithmetic.
template <int Depth>
struct tile_stages {
  int whole = 0;
  bool taken = false;  // the last fetch was of a whole stage
  stages_to_fetch<Depth> rest;

  KOKKOS_FORCEINLINE_FUNCTION void start(index_t begin, index_t end, bool whole_tile) {
    whole = whole_tile ? static_cast<int>((end - begin) / Depth) : 0;
    rest.start(begin + index_t(whole) * Depth, end);
  }
  /// True if there is another whole stage, which is then to be fetched.
  KOKKOS_FORCEINLINE_FUNCTION bool take() {
    taken = whole > 0;
    whole -= taken;
    return taken;
  }
  /// If take() had none, fetch(terms) for another stage, if there is one.
  template <class Fetch>
  KOKKOS_FORCEINLINE_FUNCTION void make_up(const Fetch& fetch) {
    if (taken || rest.left <= 0) [[likely]]
      return;
    const int terms = rest.terms();
    --rest.left;
    fetch(terms);
  }
};

}  // namespace abax::cuda
