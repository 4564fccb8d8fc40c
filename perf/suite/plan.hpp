// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Which cases a run has.
#include <string>
#include <vector>

#include "kernels.hpp"
#include "run.hpp"

namespace abax::perf {

struct job {
  const kernel* what;
  extents shape;
  backend where;
  bool warm;

  double bytes() const { return what->stored_bytes(shape); }
  /// With the peers' own results.
  double bytes_of_all_sets() const;
  /// Arithmetic on a CPU is timed with its operands where the call before left them, as a code that works on blocks
  /// finds them. Everything else finds none of its operands in a cache.
  int sets() const;
};

std::string text(const job& j);

/// Those that are asked for. Throws where there are none, or where one is not known.
std::vector<backend> backends_of(const selection& what);
std::vector<const kernel*> kernels_of(const selection& what);
std::vector<job> jobs_of(const selection& what);

/// Throws where one of them would not fit: nothing is measured where a later case is going to fail.
void require_memory(const std::vector<job>& jobs);

}  // namespace abax::perf
