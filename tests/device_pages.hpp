// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Device memory that ends exactly where a GPU may not look: one element too far ends the kernel with an error, even
/// where the value read would have been thrown away. (pages.hpp is the same for a host.)
#include <cuda.h>
#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace abax::tests {

/// `bytes` of the current device's memory before addresses that nothing is mapped to. The pages are kept for the next
/// one: mapping them takes longer than most tests.
class device_pages {
 public:
  explicit device_pages(std::size_t bytes) {
    auto& all = idle();
    for (std::size_t r = 0; r < all.size(); ++r)
      if (all[r].bytes >= bytes && (mine_.bytes == 0 || all[r].bytes < mine_.bytes)) mine_ = all[r];
    if (mine_.bytes == 0)
      mine_ = mapped(bytes);
    else
      std::erase_if(all, [&](const region& r) { return r.begin == mine_.begin; });
    data_ = reinterpret_cast<char*>(mine_.begin) + (mine_.bytes - bytes);
  }
  ~device_pages() { idle().push_back(mine_); }
  device_pages(const device_pages&) = delete;

  void* data() const { return data_; }

 private:
  struct region {
    CUdeviceptr begin = 0;
    std::size_t bytes = 0;
  };

  static std::vector<region>& idle() {
    static std::vector<region> regions;
    return regions;
  }

  /// Calls one of the driver's functions, of exactly this name: tests load without a driver.
  template <class Function, class... Arguments>
  static void call(const char* name, Arguments... arguments) {
    static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    auto* const function = driver != nullptr ? reinterpret_cast<Function*>(dlsym(driver, name)) : nullptr;
    const CUresult status = function != nullptr ? function(arguments...) : CUDA_ERROR_NOT_FOUND;
    if (status != CUDA_SUCCESS) throw std::runtime_error(std::string(name) + ": error " + std::to_string(status));
  }

  static region mapped(std::size_t bytes) {
    CUdevice device = 0;
    call<decltype(cuCtxGetDevice)>("cuCtxGetDevice", &device);
    CUmemAllocationProp own = {};
    own.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    own.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    std::size_t page = 0;
    call<decltype(cuMemGetAllocationGranularity)>("cuMemGetAllocationGranularity", &page, &own,
                                                  CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    region all{0, (bytes + page - 1) / page * page};
    CUmemGenericAllocationHandle memory = 0;
    call<decltype(cuMemAddressReserve)>("cuMemAddressReserve", &all.begin, all.bytes + page, 0, 0, 0);
    call<decltype(cuMemCreate)>("cuMemCreate", &memory, all.bytes, &own, 0);
    call<decltype(cuMemMap)>("cuMemMap", all.begin, all.bytes, 0, memory, 0);
    CUmemAccessDesc access = {};
    access.location = own.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    call<decltype(cuMemSetAccess)>("cuMemSetAccess", all.begin, all.bytes, &access, 1);
    return all;
  }

  region mine_;
  char* data_ = nullptr;
};

}  // namespace abax::tests
