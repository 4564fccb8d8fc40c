// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Kokkos' life in this program, for sources that do not include it.
#include <functional>
#include <stdexcept>

namespace abax::perf {

/// The GPU that this build needs is not there.
struct no_gpu : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs `job` between Kokkos' start and its end. Throws no_gpu, where Kokkos itself would abort.
bool with_kokkos(const std::function<bool()>& job);

}  // namespace abax::perf
