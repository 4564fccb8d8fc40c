// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What the program runs on and how it was built.
#include <cstddef>
#include <string>
#include <vector>

namespace abax::perf {

/// One line each: the CPU and its threads, the GPU, the build.
std::vector<std::string> describe_machine();

/// The last cache's bytes, all instances together; 0 where the system does not say.
std::size_t host_cache_bytes();
std::size_t device_cache_bytes();

/// Seconds that the calling thread has been ready to run while other programs had its CPU; 0 where the system does not
/// say.
double seconds_waited();

/// Whether this build has a GPU backend.
bool has_device();

}  // namespace abax::perf
