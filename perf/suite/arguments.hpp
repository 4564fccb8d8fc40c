// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What the command line writes in a notation of its own. Each throws bad_argument, which says what was expected.
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "peers/peers.hpp"

namespace abax::perf {

struct bad_argument : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "512", or a range: "256:8192:*2" for 256, 512, ..., 8192 and "100:500:+100" for 100, 200, ..., 500.
std::vector<index_t> sizes_of(const std::string& text);

/// "512x64x1024"
std::vector<index_t> shape_of(const std::string& text);

/// "mkl=/opt/lib/libmkl_rt.so.2"
peer_file peer_file_of(const std::string& text);

/// "5%" is 0.05
double fraction_of(const std::string& text);

/// "slower=5%" is 0.05
double slowdown_of(const std::string& text);

/// ": did you mean \"gemm\"?", or nothing where no name is near.
std::string suggestion(const std::string& name, std::span<const std::string> known);

}  // namespace abax::perf
