// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What the program runs on and how it was built.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "peers/peers.hpp"

namespace abax::perf {

/// What a figure depends on, by name: the host, the CPU and its threads, the GPU, the build.
std::vector<std::pair<std::string, std::string>> describe_machine();

/// The commit that the program was built from.
std::string commit();

/// The variables of the environment that steer threads, libraries, GPUs and the batch system's binding: those that are
/// set, in the order of their names.
std::vector<std::pair<std::string, std::string>> describe_environment();

/// The CPU that each of the host's threads is on now.
std::vector<int> thread_cpus();

/// A GPU's names, as CUDA counts them; "" where there is none. used_gpu() is the one that Abax runs on, or -1.
int used_gpu();
std::string gpu_uuid(int device);
std::string gpu_pci(int device);

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
