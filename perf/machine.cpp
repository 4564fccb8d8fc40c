// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <type_traits>

#include "backends/openmp/kernels.hpp"
#include "commit.hpp"
#include "ranks.hpp"

namespace abax::perf {
namespace {

std::string count(std::size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) return line.substr(line.find(": ") + 2);
  return "unknown CPU";
}

std::string cpu_file(int cpu, const char* file) {
  std::ifstream in("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/" + file);
  std::string text;
  std::getline(in, text);
  return text;
}

/// How many different answers the CPUs give: of their cores, or of their caches.
std::size_t distinct(const char* file) {
  std::set<std::string> answers;
  for (int cpu = 0;; ++cpu) {
    const std::string answer = cpu_file(cpu, file);
    if (answer.empty()) return answers.size();
    answers.insert(answer);
  }
}

std::string compiler() {
  std::string text;
#if defined(__clang__)
  text = "Clang " __clang_version__;
#elif defined(__GNUC__)
  text = "GCC " __VERSION__;
#else
  text = "an unknown compiler";
#endif
#if defined(KOKKOS_ENABLE_CUDA)
  text += ", CUDA " + std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
#endif
  return text;
}

}  // namespace

bool has_device() { return !std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>; }

std::size_t host_cache_bytes() {
  const std::string size = cpu_file(0, "cache/index3/size");  // "32768K"
  return std::strtoull(size.c_str(), nullptr, 10) * 1024 * distinct("cache/index3/shared_cpu_list") / neighbours();
}

std::size_t device_cache_bytes() {
#if defined(KOKKOS_ENABLE_CUDA)
  return static_cast<std::size_t>(Kokkos::Cuda().cuda_device_prop().l2CacheSize);
#else
  return 0;
#endif
}

int sets_past_cache(backend where, double bytes) {
  const std::size_t cache = where == backend::host ? host_cache_bytes() : device_cache_bytes();
  const auto rotated = std::clamp<std::size_t>(4 * cache, std::size_t(256) << 20, std::size_t(2) << 30);
  constexpr double most = 4096;  // of operands so small that their way from memory is not what they are timed for
  return static_cast<int>(std::min(1 + static_cast<double>(rotated) / bytes, most));
}

double seconds_waited() {
  std::ifstream in("/proc/thread-self/schedstat");  // nanoseconds run, nanoseconds waited, slices
  double run = 0, waited = 0;
  return in >> run >> waited ? waited * 1e-9 : 0;
}

double free_memory([[maybe_unused]] backend where) {
#if defined(KOKKOS_ENABLE_CUDA)
  if (where == backend::device) {
    std::size_t left = 0, all = 0;
    return cudaMemGetInfo(&left, &all) == cudaSuccess ? static_cast<double>(left) : 0;
  }
#endif
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("MemAvailable:")) return 1024 * std::strtod(line.c_str() + line.find(':') + 1, nullptr);
  return 0;
}

std::vector<std::pair<std::string, std::string>> describe_machine() {
  using host = Kokkos::DefaultHostExecutionSpace;
  std::vector<std::pair<std::string, std::string>> lines;

  const std::size_t cores = distinct("topology/thread_siblings_list");
  std::string cpu = cpu_model() + ", ";
  if (cores > 0) cpu += count(cores, "core") + ", ";
  cpu += count(static_cast<std::size_t>(host().concurrency()), "thread");
#if defined(KOKKOS_ENABLE_OPENMP)
  if (host().concurrency() > 1 && omp_get_proc_bind() == omp_proc_bind_false) cpu += ", not bound to cores";
  cpu += "; inner loops: " + std::string(openmp::kernels<float>().name);
#endif
  lines.emplace_back("CPU", cpu);

#if defined(KOKKOS_ENABLE_CUDA)
  const cudaDeviceProp& gpu = Kokkos::Cuda().cuda_device_prop();
  lines.emplace_back("GPU", std::string(gpu.name) + ", " +
                                count(static_cast<std::size_t>(gpu.multiProcessorCount), "multiprocessor") + ", sm_" +
                                std::to_string(gpu.major) + std::to_string(gpu.minor));
#endif

  std::string build;
#if !defined(NDEBUG)
  build += "NOT OPTIMISED: these figures mean nothing; ";
#endif
#if defined(ABAX_BUILD_TYPE)
  build += ABAX_BUILD_TYPE ", ";
#endif
  build += "Kokkos " + std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
           std::to_string(KOKKOS_VERSION % 100) + ", " + compiler();
  lines.emplace_back("Build", build + "; commit " ABAX_COMMIT);
  return lines;
}

std::vector<std::pair<std::string, std::string>> describe_environment() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const char* name : {"ABAX_CPU", "OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY",
                           "MKL_ENABLE_INSTRUCTIONS", "OPENBLAS_CORETYPE", "BLIS_ARCH_TYPE"})
    if (const char* const value = std::getenv(name)) found.emplace_back(name, value);
  return found;
}

std::string backend_name(backend where) {
  const std::string name =
      where == backend::host ? Kokkos::DefaultHostExecutionSpace::name() : Kokkos::DefaultExecutionSpace::name();
  return name == "Cuda" ? "CUDA" : name;
}

}  // namespace abax::perf
