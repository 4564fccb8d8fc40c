// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// `abax-perf demo`: the main job on real sizes, each result checked, then timed.

namespace abax::perf {

/// Prints the table. True if every result has the canon's bits.
bool demo();

}  // namespace abax::perf
