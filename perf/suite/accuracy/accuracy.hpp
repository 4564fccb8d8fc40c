// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// `abax-perf accuracy`: how far products are from the exact ones.
#include "../run.hpp"

namespace abax::perf::accuracy {

/// Prints a row for each kind of data, type and number of terms (what.sizes; 1024, 2048 and 4096 where there are none),
/// and writes what.json. False if a product is further from the exact one than its canon allows, or two backends
/// differ.
bool run(const selection& what);

}  // namespace abax::perf::accuracy
