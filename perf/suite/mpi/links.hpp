// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Ping-pong between two ranks, through MPI, from and to host memory.
#include <string>

namespace abax::perf {

/// To be called by both ranks; the rank `from` gets "SAME s1 s2 ...": whether what came back is what was sent (1 or 0),
/// then the seconds that a message of `bytes` took one way, sample by sample.
std::string link_samples(int from, int to, long long bytes);

}  // namespace abax::perf
