// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What this machine can do at most, measured here: kernels are held against it, not against a data sheet.
#include <string>

#include "kernels.hpp"

namespace abax::perf {

struct ceilings {
  /// Bytes a second, beyond the caches, of what is read and of what is written: y <- x, a sum, x <- f(x), z <- f(x, y).
  double copy, read, update, combine;
  double fma_f32, fma_f64;             ///< operations a second, in registers; an fma is two
  std::string fma_f32_by, fma_f64_by;  ///< with which instructions

  /// `part`: bytes of the real numbers that arithmetic is done with.
  double of(roof bound, int part) const {
    if (bound == roof::copy) return copy;
    if (bound == roof::read) return read;
    if (bound == roof::update) return update;
    if (bound == roof::combine) return combine;
    return part == 4 ? fma_f32 : fma_f64;
  }
};

/// `seconds`: for each of a few ways to reach each of them.
ceilings measure_ceilings(backend where, double seconds = 0.5);

/// The host's part of it.
struct effort;
ceilings measure_host_ceilings(const effort& each);

/// The higher of each: a ceiling is what the machine can do.
ceilings best_of(const ceilings& a, const ceilings& b);

}  // namespace abax::perf
