// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The CUDA driver's functions that Kokkos calls, looked up when first called.
///
/// Kokkos links libcuda, which comes with a GPU's driver: without one, a CUDA program would fail to load, before its
/// main() could say what is missing. In a program that links this file these functions take the place of libcuda's,
/// and the linker drops libcuda (LINKER:--as-needed). A Kokkos that calls more of the driver is linked as before.
#include <cuda.h>
#include <dlfcn.h>

namespace {

/// The driver's function of exactly this name (a suffix such as _v2 is part of a signature), or null without a driver.
template <class Function>
Function* driver(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

template <class... Parameters, class... Arguments>
CUresult call(CUresult (*function)(Parameters...), Arguments... arguments) {
  return function ? function(arguments...) : CUDA_ERROR_NO_DEVICE;
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuStreamGetCtx(CUstream stream, CUcontext* context) {
  return call(driver<decltype(cuStreamGetCtx)>("cuStreamGetCtx"), stream, context);
}

CUresult CUDAAPI cuCtxPushCurrent_v2(CUcontext context) {
  return call(driver<decltype(cuCtxPushCurrent_v2)>("cuCtxPushCurrent_v2"), context);
}

CUresult CUDAAPI cuCtxGetDevice(CUdevice* device) {
  return call(driver<decltype(cuCtxGetDevice)>("cuCtxGetDevice"), device);
}

}  // extern "C"
