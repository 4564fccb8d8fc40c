// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend's catalogue of the steps of products by way of integers.
#include "abax/detail/backends/cuda/complex_rows.hpp"
#include "abax/detail/backends/cuda/integer_lines.hpp"
#include "abax/detail/backends/cuda/integer_mma_product.hpp"
#include "abax/detail/backends/cuda/integer_wgmma_product.hpp"
#include "abax/detail/backends/cuda/rows.hpp"
#include "abax/detail/backends/portable/rows.hpp"

namespace abax::cuda {

/// Whether the GPU has sm_90a's instructions for four warps at once, and their kernel was compiled for them.
bool has_wgmma(const machine& m);

template <class T>
struct integer_line_row {
  static constexpr const char* name = "integer lines";
  using primitives = integer_lines<T, member>;
  static constexpr auto serves = backends::always;
  static typename primitives::parameters parameters(const auto&, const machine&) { return byte_moduli_of; }
};
struct wgmma_residue_row {
  static constexpr const char* name = "residues by wgmma";
  using primitives = wgmma_residue_product<member>;
  static bool serves(const tile::residue_product& problem, const machine& m) {
    return problem.a.order == tile::plane_order::blocks && has_wgmma(m);
  }
  static bool serves(const tile::byte_product& problem, const machine& m) { return serves(problem.product, m); }
  static typename primitives::parameters parameters(const auto&, const machine&) { return sum_divisors_of; }
};
struct mma_residue_row {
  static constexpr const char* name = "residues by mma";
  using primitives = mma_residue_product<member>;
  static bool serves(const tile::residue_product& problem, const machine& m) {
    return problem.a.order == tile::plane_order::blocks && m.byte_tensor_cores;
  }
  static bool serves(const tile::byte_product& problem, const machine& m) { return serves(problem.product, m); }
  static typename primitives::parameters parameters(const auto&, const machine&) { return sum_divisors_of; }
};

template <class T>
using integer_line_rows = backends::rows<integer_line_row<T>>;
using residue_product_rows = backends::rows<wgmma_residue_row, mma_residue_row,
                                            portable_row<portable::only_row<portable::residue_product<member>>>>;

}  // namespace abax::cuda
