// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The models, asked about every access of a launch: warp by warp, with the addresses that the kernel computes itself.
#include <functional>
#include <string>

#include "experiment.hpp"

namespace abax::lab {

/// What a launch consists of, as far as one of its accesses goes.
struct launch_shape {
  int teams, threads;  ///< of a team
  int steps = 1;       ///< times that a thread makes the access
};

/// Bytes from an origin that is a multiple of 128, or -1.
using address = std::function<long(int team, int thread, int step)>;

/// `what` begins with "load" or "store".
access scratch_access(std::string what, int width, const launch_shape& shape, const address& at);
access global_access(std::string what, int width, const launch_shape& shape, const address& at);

/// Adds what all warps of the launch touch together, each piece once: what comes from memory if the L2 keeps it for
/// those who ask again. For words of 4 bytes.
void add_union(access& a, const launch_shape& shape, const address& at);

}  // namespace abax::lab
