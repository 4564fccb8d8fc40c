// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What figures depend on: the machine that the program runs on, its build, its environment.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "session.hpp"

namespace abax::perf {

using text_lines = std::vector<std::pair<std::string, std::string>>;

/// The host, the CPU and its threads, the GPU, the build.
text_lines describe_machine();
/// The variables of the environment that steer threads, libraries, GPUs and the batch system's binding: those that are
/// set, in the order of their names.
text_lines describe_environment();
/// Both, and when the run began.
text_lines describe_run();

struct property_sheet {
  std::string title;
  text_lines lines;
};
/// In detail: the program, the host, each CUDA device.
std::vector<property_sheet> property_sheets();
/// Prints them: `abax-perf devices`, `abax-lab devices`.
void devices();

/// The commit that the program was built from.
std::string commit();
/// What `program` is and was built with: --version.
std::string about(const std::string& program);

/// The CPU that each of the host's threads is on now.
std::vector<int> thread_cpus();
/// "0-3,8"
std::string ranges_text(const std::vector<int>& ascending);

/// The last cache's bytes, all instances together, this rank's share of them; 0 where the system does not say.
std::size_t host_cache_bytes();
std::size_t device_cache_bytes();
/// Bytes to work through, so that none of them is in the cache when its turn comes again: several times the last cache,
/// and at least 256 MiB, because a virtual machine may report a smaller cache than it has.
std::size_t bytes_past_cache(backend where);
/// Sets of operands of `bytes` each to rotate through, so that one has left the cache by the time its turn comes again.
int sets_past_cache(backend where, double bytes);

/// Seconds that the calling thread has been ready to run while other programs had its CPU; 0 where the system does not
/// say.
double seconds_waited();
/// Bytes that can be had; 0 where the system does not say.
double free_memory(backend where);
/// Whether so many bytes can be had; true where the system does not say.
bool is_free(double bytes, backend where);
/// Throws where `what` needs more.
void require_free(const std::string& what, double bytes, backend where);

// What CUDA says of its devices; nothing in a build without it.
text_lines describe_gpu();
std::vector<property_sheet> gpu_sheets();
double gpu_free_memory();
/// "" where there is no such GPU.
std::string gpu_pci(int device);

}  // namespace abax::perf
