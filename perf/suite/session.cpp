// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.hpp"

#include <sched.h>

#include <Kokkos_Core.hpp>
#include <abax/probe.hpp>
#include <set>
#include <type_traits>

#include "abax/detail/backends/openmp/kernels.hpp"
#include "ranks/ranks.hpp"

namespace abax::perf {
namespace {

constexpr int no_gpu = 77;
using host = Kokkos::DefaultHostExecutionSpace;

std::string version_text(int version, int step) {
  return std::to_string(version / step) + "." + std::to_string(version / (step / 100) % 100);
}

}  // namespace

bool with_kokkos(const std::function<bool()>& job) {
  std::string problem;
#if defined(KOKKOS_ENABLE_CUDA)
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0)
    problem = std::string("this build needs a GPU, and none is visible here (") +
              (error != cudaSuccess ? cudaGetErrorString(error) : "no device") + ")";
#endif
  ranks::require_all(problem, no_gpu);
  Kokkos::InitializationSettings settings;
#if defined(KOKKOS_ENABLE_CUDA)
  if (ranks::self().local >= 0) settings.set_device_id(ranks::self().local % count);  // one of several on this node
#endif
  // Whether threads are bound stands in the table's head, so Kokkos need not warn of it.
  const Kokkos::ScopeGuard kokkos(settings.set_disable_warnings(true));
  require_right_views(host());
  require_right_views(Kokkos::DefaultExecutionSpace());
  return job();
}

bool has_device() { return !std::is_same_v<Kokkos::DefaultExecutionSpace, host>; }

std::string backend_name(backend where) {
  const std::string name = where == backend::host ? host::name() : Kokkos::DefaultExecutionSpace::name();
  return name == "Cuda" ? "CUDA" : name;
}

std::string compilers() {
  std::string text = "Kokkos " + version_text(KOKKOS_VERSION, 10000) + "." + std::to_string(KOKKOS_VERSION % 100);
#if defined(__clang__)
  text += ", Clang " __clang_version__;
#elif defined(__GNUC__)
  text += ", GCC " __VERSION__;
#endif
#if defined(KOKKOS_ENABLE_CUDA)
  text += ", CUDA " + std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
#endif
  return text;
}

void on_all_threads(const std::function<void(int)>& work) {
  using one_each = Kokkos::RangePolicy<host, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<int>>;
  Kokkos::parallel_for("abax-perf::threads", one_each(0, host_threads()).set_chunk_size(1), work);
  host().fence();
}

int host_threads() { return host().concurrency(); }

std::string host_execution() {
  std::string text;
#if defined(KOKKOS_ENABLE_OPENMP)
  if (host_threads() > 1 && omp_get_proc_bind() == omp_proc_bind_false) text += ", not bound to cores";
  text += "; inner loops: " + std::string(openmp::kernels<float>().name);
#endif
  return text;
}

std::vector<int> allowed_cpus() {
  std::set<int> all;
#if defined(KOKKOS_ENABLE_OPENMP)
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> cpus(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, cpus.data());
    all.insert(cpus.begin(), cpus.end());
  }
#endif
  cpu_set_t set;
  if (all.empty() && sched_getaffinity(0, sizeof set, &set) == 0)
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set)) all.insert(cpu);
  return {all.begin(), all.end()};
}

#if defined(KOKKOS_ENABLE_CUDA)
int used_gpu() { return Kokkos::Cuda().cuda_device(); }
void* gpu_stream() { return Kokkos::Cuda().cuda_stream(); }
std::size_t gpu_team_scratch() {
  return static_cast<std::size_t>(Kokkos::TeamPolicy<Kokkos::Cuda>::scratch_size_max(0));
}
#else
int used_gpu() { return -1; }
void* gpu_stream() { return nullptr; }
std::size_t gpu_team_scratch() { return 0; }
#endif

}  // namespace abax::perf
