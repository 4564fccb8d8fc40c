// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The reader of the file that ABAX_TUNING names: whatever the text, it is taken or refused.
#include <string>

#include "choices.hpp"

namespace abax::tests::fuzz {

/// A file as `abax-perf tune` writes it, spoilt here and there.
std::string drawn_tuning(choices& choose);

/// What was wrong with the reading of `text`, empty if nothing was: a text that is taken must be written again as
/// something that is taken and means the same; one that is refused is told in words that name file and line. Any other
/// exception passes.
std::string tuning_fault(const std::string& text);

}  // namespace abax::tests::fuzz
