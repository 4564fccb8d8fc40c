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

/// Takes no property of which the system says nothing.
struct filled_sheet : property_sheet {
  void add(const std::string& name, const std::string& value) {
    if (!value.empty()) lines.emplace_back(name, value);
  }
};

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

void add_caches(filled_sheet& sheet, const std::vector<fs::path>& cpus) {
  if (cpus.empty()) return;
  for (const fs::path& cache : numbered(cpus[0] / "cache", "index")) {
    const std::string type = first_line(cache / "type"), level = first_line(cache / "level");
    const std::string shared = "cache/" + cache.filename().string() + "/shared_cpu_list";
    const std::size_t instances = distinct(cpus, shared.c_str());
    const std::size_t users = instances == 0 ? 0 : cpus.size() / instances;
    sheet.add("L" + level +
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

property_sheet host_sheet() {
  const fs::path system = "/sys/devices/system";
  const std::vector<fs::path> cpus = numbered(system / "cpu", "cpu");
  filled_sheet sheet{{backend_name(backend::host), {}}};
  sheet.add("CPU", value_in("/proc/cpuinfo", "model name"));
  const auto count = [&](const char* file) { return std::to_string(distinct(cpus, file)); };
  sheet.add("sockets", count("topology/physical_package_id"));
  sheet.add("cores", count("topology/core_cpus_list"));
  sheet.add("logical CPUs", std::to_string(cpus.size()));
  if (const std::string clock = first_line(system / "cpu/cpu0/cpufreq/scaling_max_freq"); !clock.empty())
    sheet.add("clock", number(std::strtod(clock.c_str(), nullptr) * 1e-6, 2, "GHz at most, governor ") +
                           first_line(system / "cpu/cpu0/cpufreq/scaling_governor"));
  add_caches(sheet, cpus);
  sheet.add("memory", memory_text(value_in("/proc/meminfo", "MemTotal")) + ", of it free " +
                          bytes_text(free_memory(backend::host)));
  sheet.add("huge pages", first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
  for (const fs::path& node : numbered(system / "node", "node"))
    sheet.add("NUMA " + node.filename().string(), "CPUs " + first_line(node / "cpulist"));
  sheet.add("instruction sets", instruction_sets());
  sheet.add("threads", threads_text());
  sheet.add("allowed CPUs", allowed_cpus());
  for (const auto& [name, value] : describe_environment()) sheet.add(name, value);
  return sheet;
}

#if defined(KOKKOS_ENABLE_CUDA)
int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
}

std::string yes_or_no(int value) { return value != 0 ? "yes" : "no"; }

property_sheet gpu_sheet(int device, const cudaDeviceProp& gpu) {
  const bool used = device == Kokkos::Cuda().cuda_device();
  filled_sheet sheet{{"CUDA device " + std::to_string(device) + (used ? " (Abax runs here)" : ""), {}}};
  const auto count = [&](const std::string& name, long long value, const std::string& of) {
    sheet.add(name, std::to_string(value) + of);
  };
  const auto bytes = [&](const std::string& name, double value, const std::string& of) {
    sheet.add(name, bytes_text(value) + of);
  };
  sheet.add("GPU", gpu.name);
  sheet.add("UUID", gpu_uuid(device));
  sheet.add("PCI", gpu_pci(device));
  sheet.add("architecture", "sm_" + std::to_string(gpu.major) + std::to_string(gpu.minor));
  count("multiprocessors", gpu.multiProcessorCount, "");
  sheet.add("clock", number(attribute(cudaDevAttrClockRate, device) * 1e-6, 2, "GHz at most"));
  sheet.add("memory", bytes_text(static_cast<double>(gpu.totalGlobalMem)) +
                          (used ? ", of it free " + bytes_text(free_memory(backend::device)) : "") + "; ECC " +
                          (gpu.ECCEnabled != 0 ? "on" : "off"));
  sheet.add("memory bus", std::to_string(gpu.memoryBusWidth) + " bits at " +
                              number(attribute(cudaDevAttrMemoryClockRate, device) * 1e-6, 2, "GHz"));
  bytes("L2 cache", gpu.l2CacheSize,
        ", of it " + bytes_text(gpu.persistingL2CacheMaxSize) + " can be set aside for data that stays");
  bytes("constant memory", static_cast<double>(gpu.totalConstMem), "");
  bytes("scratch", static_cast<double>(gpu.sharedMemPerMultiprocessor), " a multiprocessor");
  bytes("scratch a team", static_cast<double>(gpu.sharedMemPerBlock),
        ", " + bytes_text(static_cast<double>(gpu.sharedMemPerBlockOptin)) + " where a kernel asks, " +
            bytes_text(static_cast<double>(gpu.reservedSharedMemPerBlock)) + " kept by CUDA; Kokkos gives " +
            bytes_text(static_cast<double>(Kokkos::TeamPolicy<Kokkos::Cuda>::scratch_size_max(0))));
  count("registers", gpu.regsPerMultiprocessor, " a multiprocessor, " + std::to_string(gpu.regsPerBlock) + " a team");
  count("threads", gpu.maxThreadsPerMultiProcessor,
        " a multiprocessor, " + std::to_string(gpu.maxThreadsPerBlock) + " a team, in warps of " +
            std::to_string(gpu.warpSize));
  count("teams", gpu.maxBlocksPerMultiProcessor, " a multiprocessor");
  sheet.add("largest team", std::to_string(gpu.maxThreadsDim[0]) + " x " + std::to_string(gpu.maxThreadsDim[1]) +
                                " x " + std::to_string(gpu.maxThreadsDim[2]));
  sheet.add("largest league", std::to_string(gpu.maxGridSize[0]) + " x " + std::to_string(gpu.maxGridSize[1]) + " x " +
                                  std::to_string(gpu.maxGridSize[2]));
  count("copy engines", gpu.asyncEngineCount, "");
  sheet.add("concurrent kernels", yes_or_no(gpu.concurrentKernels));
  sheet.add("host memory", "mapped: " + yes_or_no(gpu.canMapHostMemory) +
                               "; unified addresses: " + yes_or_no(gpu.unifiedAddressing) +
                               "; pageable reached in place: " + yes_or_no(gpu.pageableMemoryAccess));
  bytes("longest pitch", static_cast<double>(gpu.memPitch), "");
  sheet.add("L1 caches globals", yes_or_no(gpu.globalL1CacheSupported));
  return sheet;
}
#endif

}  // namespace

std::vector<property_sheet> property_sheets() {
  std::vector<property_sheet> sheets{{"Abax", describe_machine()}, host_sheet()};
#if defined(KOKKOS_ENABLE_CUDA)
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return sheets;
  cudaDeviceProp gpu;
  for (int device = 0; device < count; ++device)
    if (cudaGetDeviceProperties(&gpu, device) == cudaSuccess) sheets.push_back(gpu_sheet(device, gpu));
#endif
  return sheets;
}

void devices() {
  const char* between = "";
  for (const property_sheet& sheet : property_sheets()) {
    std::printf("%s%s\n", between, sheet.title.c_str());
    for (const auto& [name, value] : sheet.lines) std::printf("  %-18s %s\n", name.c_str(), value.c_str());
    between = "\n";
  }
}

}  // namespace abax::perf
