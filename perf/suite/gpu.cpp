// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine.hpp"

#if defined(ABAX_PERF_CUDA)
#include <cuda_runtime_api.h>

#include <cstdio>

#include "sensors.hpp"
#include "table.hpp"

namespace abax::perf {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string uuid_of(const cudaDeviceProp& gpu) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char two[4];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(gpu.uuid.bytes[i]));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += "-";
    text += two;
  }
  return text;
}

std::string architecture_of(const cudaDeviceProp& gpu) {
  return "sm_" + std::to_string(gpu.major) + std::to_string(gpu.minor);
}

std::string gigahertz(cudaDeviceAttr which, int device) {
  int kilohertz = 0;
  cudaDeviceGetAttribute(&kilohertz, which, device);
  return number(kilohertz * 1e-6, 2, "GHz");
}

property_sheet gpu_sheet(int device, const cudaDeviceProp& gpu) {
  const bool used = device == used_gpu();
  const auto bytes = [](std::size_t n) { return bytes_text(static_cast<double>(n)); };
  const auto text = [](int n) { return std::to_string(n); };
  return {
      "CUDA device " + text(device) + (used ? " (Abax runs here)" : ""),
      {{"GPU", gpu.name},
       {"UUID", uuid_of(gpu)},
       {"PCI", gpu_pci(device)},
       {"architecture", architecture_of(gpu)},
       {"multiprocessors", text(gpu.multiProcessorCount)},
       {"clock", gigahertz(cudaDevAttrClockRate, device) + " at most"},
       {"memory", bytes(gpu.totalGlobalMem) + (used ? ", of it free " + bytes_text(free_memory(backend::device)) : "") +
                      "; ECC " + (gpu.ECCEnabled != 0 ? "on" : "off")},
       {"memory bus", text(gpu.memoryBusWidth) + " bits at " + gigahertz(cudaDevAttrMemoryClockRate, device)},
       {"L2 cache", bytes(static_cast<std::size_t>(gpu.l2CacheSize))},
       {"scratch", bytes(gpu.sharedMemPerMultiprocessor) + " a multiprocessor"},
       {"scratch a team", bytes(gpu.sharedMemPerBlock) + ", " + bytes(gpu.sharedMemPerBlockOptin) +
                              " where a kernel asks, " + bytes(gpu.reservedSharedMemPerBlock) +
                              " kept by CUDA; Kokkos gives " + bytes(gpu_team_scratch())},
       {"registers", text(gpu.regsPerMultiprocessor) + " a multiprocessor, " + text(gpu.regsPerBlock) + " a team"},
       {"threads", text(gpu.maxThreadsPerMultiProcessor) + " a multiprocessor, " + text(gpu.maxThreadsPerBlock) +
                       " a team, in warps of " + text(gpu.warpSize)},
       {"teams", text(gpu.maxBlocksPerMultiProcessor) + " a multiprocessor"},
       {"copy engines", text(gpu.asyncEngineCount)},
       {"pageable memory", gpu.pageableMemoryAccess != 0 ? "reached in place" : "not reached"}}};
}

cudaDeviceProp used_properties() {
  cudaDeviceProp gpu{};
  cudaGetDeviceProperties(&gpu, used_gpu());
  return gpu;
}

}  // namespace

std::string gpu_pci(int device) {
  char address[32] = "";
  return cudaDeviceGetPCIBusId(address, sizeof address, device) == cudaSuccess ? address : "";
}

text_lines describe_gpu() {
  const cudaDeviceProp gpu = used_properties();
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  const std::string version = gpu_driver_version();
  return {{"GPU", std::string(gpu.name) + ", " + std::to_string(gpu.multiProcessorCount) + " multiprocessors, " +
                      architecture_of(gpu)},
          {"GPU UUID", uuid_of(gpu) + ", PCI " + gpu_pci(used_gpu())},
          {"GPU driver", (version.empty() ? "" : version + ", ") + "CUDA " + version_text(driver) + ", runtime " +
                             version_text(runtime)}};
}

std::vector<property_sheet> gpu_sheets() {
  std::vector<property_sheet> sheets;
  int count = 0;
  cudaDeviceProp gpu;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return sheets;
  for (int device = 0; device < count; ++device)
    if (cudaGetDeviceProperties(&gpu, device) == cudaSuccess) sheets.push_back(gpu_sheet(device, gpu));
  return sheets;
}

double gpu_free_memory() {
  std::size_t left = 0, all = 0;
  return cudaMemGetInfo(&left, &all) == cudaSuccess ? static_cast<double>(left) : 0;
}

std::size_t device_cache_bytes() { return static_cast<std::size_t>(used_properties().l2CacheSize); }

}  // namespace abax::perf
#else
namespace abax::perf {

std::string gpu_pci(int) { return ""; }
text_lines describe_gpu() { return {}; }
std::vector<property_sheet> gpu_sheets() { return {}; }
double gpu_free_memory() { return 0; }
std::size_t device_cache_bytes() { return 0; }

}  // namespace abax::perf
#endif
