// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devices.hpp"

#include <sched.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "machine.hpp"
#include "table.hpp"

namespace abax::perf {
namespace {

namespace fs = std::filesystem;

/// Nothing where the system does not say.
void print(const std::string& name, const std::string& value) {
  if (!value.empty()) std::printf("  %-17s %s\n", name.c_str(), value.c_str());
}

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// The first line of /proc/cpuinfo or /proc/meminfo that begins so, without that.
std::string value_in(const char* file, const std::string& name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(name)) {
      const std::size_t begin = line.find_first_not_of(" \t", line.find(':') + 1);
      return begin == std::string::npos ? "" : line.substr(begin);
    }
  return "";
}

std::string bytes_text(double bytes) {
  constexpr double kibi = 1024;
  if (bytes < kibi * kibi) return number(bytes / kibi, 0, "KiB");
  if (bytes < kibi * kibi * kibi) return number(bytes / (kibi * kibi), 0, "MiB");
  return number(bytes / (kibi * kibi * kibi), 1, "GiB");
}

std::string memory_text(const std::string& kilobytes) {
  return kilobytes.empty() ? "" : bytes_text(1024 * std::strtod(kilobytes.c_str(), nullptr));
}

/// The folders cpu0, cpu1, ... or node0, node1, ..., in that order.
std::vector<fs::path> numbered(const fs::path& folder, const std::string& stem) {
  std::map<long, fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(stem) && name.size() > stem.size() &&
        name.find_first_not_of("0123456789", stem.size()) == std::string::npos)
      found[std::strtol(name.c_str() + stem.size(), nullptr, 10)] = entry.path();
  }
  std::vector<fs::path> folders;
  for (const auto& [n, path] : found) folders.push_back(path);
  return folders;
}

std::size_t distinct(const std::vector<fs::path>& folders, const char* file) {
  std::set<std::string> answers;
  for (const fs::path& folder : folders)
    if (const std::string answer = first_line(folder / file); !answer.empty()) answers.insert(answer);
  return answers.size();
}

void print_caches(const std::vector<fs::path>& cpus) {
  if (cpus.empty()) return;
  for (const fs::path& cache : numbered(cpus[0] / "cache", "index")) {
    const std::string type = first_line(cache / "type"), level = first_line(cache / "level");
    const std::string shared = "cache/" + cache.filename().string() + "/shared_cpu_list";
    const std::size_t instances = distinct(cpus, shared.c_str());
    const std::size_t users = instances == 0 ? 0 : cpus.size() / instances;
    print("L" + level +
              (type == "Data"          ? " data"
               : type == "Instruction" ? " instructions"
                                       : " cache"),
          memory_text(first_line(cache / "size")) + ", " + std::to_string(instances) + " of them, each for " +
              std::to_string(users) + (users == 1 ? " CPU" : " CPUs") + "; lines of " +
              first_line(cache / "coherency_line_size") + " bytes");
  }
}

/// Those that a dense kernel can use.
std::string instruction_sets() {
  std::string flags = value_in("/proc/cpuinfo", "flags");
  if (flags.empty()) flags = value_in("/proc/cpuinfo", "Features");
  static const std::set<std::string> wanted{"sse4_2",   "avx",         "avx2",        "fma",         "f16c",
                                            "avx_vnni", "avx512f",     "avx512dq",    "avx512bw",    "avx512vl",
                                            "avx512cd", "avx512_bf16", "avx512_fp16", "avx512_vnni", "amx_tile",
                                            "amx_bf16", "amx_int8",    "amx_fp16",    "asimd",       "asimdhp",
                                            "fphp",     "bf16",        "sve",         "sve2",        "sme"};
  std::istringstream in(flags);
  std::string found;
  for (std::string flag; in >> flag;)
    if (wanted.count(flag) > 0) found += flag + " ";
  return found;
}

std::string allowed_cpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return "";
  std::string text;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &set)) continue;
    int last = cpu;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    if (!text.empty()) text += ",";
    text += std::to_string(cpu);
    if (last > cpu) text.append("-").append(std::to_string(last));
    cpu = last;
  }
  return text;
}

std::string threads_text() {
  const std::vector<int> cpus = thread_cpus();
  std::string text = std::to_string(cpus.size()) + ", now on the CPUs";
  for (const int cpu : cpus) text.append(" ").append(std::to_string(cpu));
  if (std::set<int>(cpus.begin(), cpus.end()).size() < cpus.size()) text += " (some share one)";
  return text;
}

void print_host() {
  const fs::path system = "/sys/devices/system";
  const std::vector<fs::path> cpus = numbered(system / "cpu", "cpu");
  std::printf("%s\n", backend_name(backend::host).c_str());
  print("CPU", value_in("/proc/cpuinfo", "model name"));
  const auto count = [&](const char* file) { return std::to_string(distinct(cpus, file)); };
  print("sockets", count("topology/physical_package_id"));
  print("cores", count("topology/core_cpus_list"));
  print("logical CPUs", std::to_string(cpus.size()));
  if (const std::string clock = first_line(system / "cpu/cpu0/cpufreq/scaling_max_freq"); !clock.empty())
    print("clock", number(std::strtod(clock.c_str(), nullptr) * 1e-6, 2, "GHz at most, governor ") +
                       first_line(system / "cpu/cpu0/cpufreq/scaling_governor"));
  print_caches(cpus);
  print("memory",
        memory_text(value_in("/proc/meminfo", "MemTotal")) + ", of it free " + bytes_text(free_memory(backend::host)));
  print("huge pages", first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
  for (const fs::path& node : numbered(system / "node", "node"))
    print("NUMA " + node.filename().string(), "CPUs " + first_line(node / "cpulist"));
  print("instruction sets", instruction_sets());
  print("threads", threads_text());
  print("allowed CPUs", allowed_cpus());
  for (const auto& [name, value] : describe_environment()) print(name, value);
}

#if defined(KOKKOS_ENABLE_CUDA)
int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
}

void print_gpu(int device) {
  cudaDeviceProp gpu;
  if (cudaGetDeviceProperties(&gpu, device) != cudaSuccess) return;
  const bool used = device == Kokkos::Cuda().cuda_device();
  std::printf("\nCUDA device %d%s\n", device, used ? " (Abax runs here)" : "");
  print("GPU", gpu.name);
  print("UUID", gpu_uuid(device));
  print("PCI", gpu_pci(device));
  print("architecture", "sm_" + std::to_string(gpu.major) + std::to_string(gpu.minor));
  print("multiprocessors", std::to_string(gpu.multiProcessorCount));
  print("clock", number(attribute(cudaDevAttrClockRate, device) * 1e-6, 2, "GHz at most"));
  print("memory", bytes_text(static_cast<double>(gpu.totalGlobalMem)) +
                      (used ? ", of it free " + bytes_text(free_memory(backend::device)) : "") + "; ECC " +
                      (gpu.ECCEnabled != 0 ? "on" : "off"));
  print("memory bus", std::to_string(gpu.memoryBusWidth) + " bits at " +
                          number(attribute(cudaDevAttrMemoryClockRate, device) * 1e-6, 2, "GHz"));
  print("L2 cache", bytes_text(gpu.l2CacheSize));
  print("shared memory", bytes_text(static_cast<double>(gpu.sharedMemPerMultiprocessor)) + " a multiprocessor, " +
                             bytes_text(static_cast<double>(gpu.sharedMemPerBlockOptin)) + " a block at most");
  print("registers", std::to_string(gpu.regsPerMultiprocessor) + " a multiprocessor");
  print("threads", std::to_string(gpu.maxThreadsPerMultiProcessor) + " a multiprocessor, in warps of " +
                       std::to_string(gpu.warpSize));
}
#endif

}  // namespace

void devices() {
  std::printf("Abax\n");
  for (const auto& [name, value] : describe_machine()) print(name, value);
  std::printf("\n");
  print_host();
#if defined(KOKKOS_ENABLE_CUDA)
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return;
  for (int device = 0; device < count; ++device) print_gpu(device);
#endif
}

}  // namespace abax::perf
