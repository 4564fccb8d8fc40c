// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Cases drawn at random, the same for a seed on every machine.
#include <functional>
#include <string_view>
#include <vector>

#include "kernels.hpp"

namespace abax::perf {

/// "gemm" of "gemm TN".
std::string_view first_word(std::string_view name);

/// Of those whose operands a case may place: what has one first word and one type together, in the order of names.
std::vector<std::vector<const kernel*>> groups_of(const std::vector<const kernel*>& kernels);

struct drawn_case {
  const kernel* what;
  extents shape;
};

/// The number-th case of a seed: one of `kernels`, a group of these.
/// Draws again until it is `acceptable`, and throws where none of many is.
drawn_case draw_case(const std::vector<const kernel*>& kernels, unsigned seed, int number,
                     const std::function<bool(const drawn_case&)>& acceptable);

}  // namespace abax::perf
