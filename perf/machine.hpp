// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What the program runs on and how it was built.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "peers.hpp"

namespace abax::perf {

/// What a figure depends on, by name: the CPU and its threads, the GPU, the build.
std::vector<std::pair<std::string, std::string>> describe_machine();

/// The variables of the environment that steer threads and instruction sets, those that are set.
std::vector<std::pair<std::string, std::string>> describe_environment();

/// "OpenMP", "CUDA"
std::string backend_name(backend where);

/// The last cache's bytes, all instances together, this rank's share of them; 0 where the system does not say.
std::size_t host_cache_bytes();
std::size_t device_cache_bytes();
/// Sets of operands of `bytes` each to rotate through, so that one has left the cache by the time its turn comes again.
int sets_past_cache(backend where, double bytes);

/// Seconds that the calling thread has been ready to run while other programs had its CPU; 0 where the system does not
/// say.
double seconds_waited();

/// Bytes that can be had; 0 where the system does not say.
double free_memory(backend where);

/// Whether this build has a GPU backend.
bool has_device();

}  // namespace abax::perf
