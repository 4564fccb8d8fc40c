// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu.hpp"

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

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
}

std::string yes_or_no(int value) { return value != 0 ? "yes" : "no"; }

property_sheet gpu_sheet(int device, const cudaDeviceProp& gpu) {
  const bool used = device == used_gpu();
  property_sheet sheet{"CUDA device " + std::to_string(device) + (used ? " (Abax runs here)" : ""), {}};
  const auto add = [&](const std::string& name, const std::string& value) { sheet.lines.emplace_back(name, value); };
  const auto count = [&](const std::string& name, long long value, const std::string& of) {
    add(name, std::to_string(value) + of);
  };
  const auto bytes = [&](const std::string& name, double value, const std::string& of) {
    add(name, bytes_text(value) + of);
  };
  add("GPU", gpu.name);
  add("UUID", uuid_of(gpu));
  add("PCI", gpu_pci(device));
  add("architecture", architecture_of(gpu));
  count("multiprocessors", gpu.multiProcessorCount, "");
  add("clock", number(attribute(cudaDevAttrClockRate, device) * 1e-6, 2, "GHz at most"));
  add("memory", bytes_text(static_cast<double>(gpu.totalGlobalMem)) +
                    (used ? ", of it free " + bytes_text(free_memory(backend::device)) : "") + "; ECC " +
                    (gpu.ECCEnabled != 0 ? "on" : "off"));
  add("memory bus", std::to_string(gpu.memoryBusWidth) + " bits at " +
                        number(attribute(cudaDevAttrMemoryClockRate, device) * 1e-6, 2, "GHz"));
  bytes("L2 cache", gpu.l2CacheSize,
        ", of it " + bytes_text(gpu.persistingL2CacheMaxSize) + " can be set aside for data that stays");
  bytes("constant memory", static_cast<double>(gpu.totalConstMem), "");
  bytes("scratch", static_cast<double>(gpu.sharedMemPerMultiprocessor), " a multiprocessor");
  bytes("scratch a team", static_cast<double>(gpu.sharedMemPerBlock),
        ", " + bytes_text(static_cast<double>(gpu.sharedMemPerBlockOptin)) + " where a kernel asks, " +
            bytes_text(static_cast<double>(gpu.reservedSharedMemPerBlock)) + " kept by CUDA; Kokkos gives " +
            bytes_text(static_cast<double>(gpu_team_scratch())));
  count("registers", gpu.regsPerMultiprocessor, " a multiprocessor, " + std::to_string(gpu.regsPerBlock) + " a team");
  count("threads", gpu.maxThreadsPerMultiProcessor,
        " a multiprocessor, " + std::to_string(gpu.maxThreadsPerBlock) + " a team, in warps of " +
            std::to_string(gpu.warpSize));
  count("teams", gpu.maxBlocksPerMultiProcessor, " a multiprocessor");
  add("largest team", std::to_string(gpu.maxThreadsDim[0]) + " x " + std::to_string(gpu.maxThreadsDim[1]) + " x " +
                          std::to_string(gpu.maxThreadsDim[2]));
  add("largest league", std::to_string(gpu.maxGridSize[0]) + " x " + std::to_string(gpu.maxGridSize[1]) + " x " +
                            std::to_string(gpu.maxGridSize[2]));
  count("copy engines", gpu.asyncEngineCount, "");
  add("concurrent kernels", yes_or_no(gpu.concurrentKernels));
  add("host memory", "mapped: " + yes_or_no(gpu.canMapHostMemory) +
                         "; unified addresses: " + yes_or_no(gpu.unifiedAddressing) +
                         "; pageable reached in place: " + yes_or_no(gpu.pageableMemoryAccess));
  bytes("longest pitch", static_cast<double>(gpu.memPitch), "");
  add("L1 caches globals", yes_or_no(gpu.globalL1CacheSupported));
  return sheet;
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
