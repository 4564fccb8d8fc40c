// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What the command lines of abax-perf and abax-lab write in notations of their own, and what they refuse.
#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "peers/peers.hpp"

namespace abax::perf {

// Each throws CLI::ValidationError, which says what was expected.

/// "512", or a range: "256:8192:*2" for 256, 512, ..., 8192 and "100:500:+100" for 100, 200, ..., 500.
std::vector<index_t> sizes_of(const std::string& text);

/// "512x64x1024"
std::vector<index_t> shape_of(const std::string& text);

/// "mkl=/opt/lib/libmkl_rt.so.2"
peer_file peer_file_of(const std::string& text);

/// "5%" is 0.05; with "slower=" `before` it, "slower=5%" is.
double fraction_of(const std::string& text, const std::string& before = "");

/// ": did you mean \"gemm\"?", or nothing where no name is near.
std::string suggestion(const std::string& name, std::span<const std::string> known);

/// Refuses an unknown name, with the one that is nearest.
CLI::Validator one_of(const std::vector<std::string>& known);

/// A number, and not NaN.
CLI::Validator between(double least, double most);

}  // namespace abax::perf
