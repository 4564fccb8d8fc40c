// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The calls that `abax-perf verify --minutes` makes, the same for a seed on all ranks.
#include <vector>

#include "../kernels.hpp"

namespace abax::perf::verify {

struct drawn_call {
  const kernel* what;
  extents shape;
  std::vector<backend> where;  ///< one, or all
  bool load;                   ///< large: repeated for a while, on all threads; else drawn with layouts and scales
};

/// What they are drawn from.
struct drawing {
  std::vector<const kernel*> kernels;
  std::vector<backend> backends;
  unsigned seed;
  double most_bytes;    ///< of a call's operands
  double most_threads;  ///< that a rank's host has
};

/// Call `number`: in turn a large product, a drawn call, a large call that is bound by memory, a drawn call; of what is
/// among the kernels. Throws where none is.
drawn_call draw(const drawing& from, int number);

}  // namespace abax::perf::verify
