// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What the host's and the device's part of experiment "copies" share.
#include <Kokkos_Core.hpp>
#include <string>

#include "../suite/check.hpp"
#include "rungs.hpp"

namespace abax::lab {

namespace copies {
inline constexpr const char* experiment_name = "copies";
inline constexpr float increase = 0.5F;

/// Element i of `found` is that of operand 1, with `more` added.
inline void require_floats(const case_result& c, const float* found, index_t n, float more) {
  for (index_t i = 0; i < n; ++i)
    if (Kokkos::bit_cast<std::uint32_t>(found[i]) != Kokkos::bit_cast<std::uint32_t>(perf::input<float>(1, i) + more))
      throw wrong_output(c, "element " + std::to_string(i) + " is wrong");
}

struct wrong_input {
  const float* x;
  float more;

  KOKKOS_FUNCTION void operator()(index_t i, index_t& found) const {
    found += Kokkos::bit_cast<std::uint32_t>(x[i]) != Kokkos::bit_cast<std::uint32_t>(perf::input<float>(1, i) + more);
  }
};
}  // namespace copies

void run_device_copies(const settings& how, experiment_result& result);

}  // namespace abax::lab
