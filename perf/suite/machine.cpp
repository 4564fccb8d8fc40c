// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string_view>
#include <type_traits>

#include "backends/openmp/kernels.hpp"
#include "commit.hpp"
#include "flags.hpp"
#include "ranks.hpp"
#include "sensors.hpp"

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

/// The CPU of each thread, as the loops of a kernel are dealt out.
struct note_cpu {
  int* cpus;

  void operator()(int thread) const { cpus[thread] = sched_getcpu(); }
};

std::string host_name() {
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::string system_text() {
  utsname names{};
  return uname(&names) == 0 ? std::string(names.sysname) + " " + names.release + " " + names.machine : "";
}

std::string binding_text() {
  std::string text = "threads on the CPUs";
  for (const int cpu : thread_cpus()) text.append(" ").append(std::to_string(cpu));
  return text;
}

#if defined(KOKKOS_ENABLE_CUDA)
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}
#endif

}  // namespace

std::vector<int> thread_cpus() {
  using host = Kokkos::DefaultHostExecutionSpace;
  const int threads = host().concurrency();
  std::vector<int> cpus(static_cast<std::size_t>(threads), -1);
  using one_each = Kokkos::RangePolicy<host, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<int>>;
  Kokkos::parallel_for("abax-perf::devices", one_each(0, threads).set_chunk_size(1), note_cpu{cpus.data()});
  host().fence();
  return cpus;
}

#if defined(KOKKOS_ENABLE_CUDA)
int used_gpu() { return Kokkos::Cuda().cuda_device(); }

std::string gpu_uuid(int device) {
  cudaDeviceProp gpu;
  if (cudaGetDeviceProperties(&gpu, device) != cudaSuccess) return "";
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char two[4];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(gpu.uuid.bytes[i]));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += "-";
    text += two;
  }
  return text;
}

std::string gpu_pci(int device) {
  char address[32] = "";
  return cudaDeviceGetPCIBusId(address, sizeof address, device) == cudaSuccess ? address : "";
}
#else
int used_gpu() { return -1; }
std::string gpu_uuid(int) { return ""; }
std::string gpu_pci(int) { return ""; }
#endif

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
  const auto rotated = std::clamp<std::size_t>(4 * cache, std::size_t(256) << 20, std::size_t(1) << 30);
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
  std::vector<std::pair<std::string, std::string>> lines{{"Host", host_name()}, {"System", system_text()}};

  const std::size_t cores = distinct("topology/thread_siblings_list");
  std::string cpu = cpu_model() + ", ";
  if (cores > 0) cpu += count(cores, "core") + ", ";
  cpu += count(static_cast<std::size_t>(host().concurrency()), "thread");
#if defined(KOKKOS_ENABLE_OPENMP)
  if (host().concurrency() > 1 && omp_get_proc_bind() == omp_proc_bind_false) cpu += ", not bound to cores";
  cpu += "; inner loops: " + std::string(openmp::kernels<float>().name);
#endif
  lines.emplace_back("CPU", cpu);
  lines.emplace_back("Binding", binding_text());

#if defined(KOKKOS_ENABLE_CUDA)
  const cudaDeviceProp& gpu = Kokkos::Cuda().cuda_device_prop();
  lines.emplace_back("GPU", std::string(gpu.name) + ", " +
                                count(static_cast<std::size_t>(gpu.multiProcessorCount), "multiprocessor") + ", sm_" +
                                std::to_string(gpu.major) + std::to_string(gpu.minor));
  lines.emplace_back("GPU UUID", gpu_uuid(used_gpu()) + ", PCI " + gpu_pci(used_gpu()));
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  const std::string version = gpu_driver_version();
  lines.emplace_back("GPU driver", (version.empty() ? "" : version + ", ") + "CUDA " + version_text(driver) +
                                       ", runtime " + version_text(runtime));
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
  lines.emplace_back("Build", build + "; commit " + commit());
  lines.emplace_back("Flags", ABAX_FLAGS);
  return lines;
}

std::string commit() { return ABAX_COMMIT; }

std::vector<std::pair<std::string, std::string>> describe_environment() {
  std::map<std::string, std::string> found;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    for (const std::string_view begin :
         {"ABAX_", "BLIS_", "CUDA_", "GOMP_", "KMP_", "KOKKOS_", "LD_PRELOAD=", "MKL_",
          "NVIDIA_TF32_OVERRIDE=", "NVIDIA_VISIBLE_DEVICES=", "OMP_", "OPENBLAS_", "SLURM_CPU",
          "SLURM_DISTRIBUTION=", "SLURM_GPU", "SLURM_JOB_ID=", "SLURM_NTASKS"})
      if (equals != std::string_view::npos && text.starts_with(begin))
        found.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return {found.begin(), found.end()};
}

std::string backend_name(backend where) {
  const std::string name =
      where == backend::host ? Kokkos::DefaultHostExecutionSpace::name() : Kokkos::DefaultExecutionSpace::name();
  return name == "Cuda" ? "CUDA" : name;
}

}  // namespace abax::perf
