// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Kokkos' life in this program, and what it says of the machine, for sources that do not include it: only what
/// includes Kokkos needs the device's compiler.
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "peers/peers.hpp"

namespace abax::perf {

/// Runs `job` between Kokkos' start and its end. Throws ranks::refused with status 77, where the GPU that this build
/// needs is not there, and Kokkos itself would abort.
bool with_kokkos(const std::function<bool()>& job);

/// Whether this build has a GPU backend.
bool has_device();
/// "OpenMP", "CUDA"
std::string backend_name(backend where);
/// "Kokkos 4.7.0, GCC 12.2.0, CUDA 13.0"
std::string compilers();

/// work(t) on each of the host's threads, t < host_threads(), always on the same.
void on_all_threads(const std::function<void(int)>& work);
int host_threads();
/// "; inner loops: avx512", and whether the threads are bound.
std::string host_execution();
/// The CPUs that this process may use: what OpenMP's places are made of, where the calling thread is bound to one of
/// them.
std::vector<int> allowed_cpus();

// Of the GPU that Abax runs on; -1, nullptr and 0 where there is none.
int used_gpu();
void* gpu_stream();
std::size_t gpu_team_scratch();  ///< bytes that Kokkos gives

}  // namespace abax::perf
