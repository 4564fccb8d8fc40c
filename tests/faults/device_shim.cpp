// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA runtime's functions that take something of the device, which the linker calls in their place (--wrap). One
// that is refused fails as the runtime's own do, which leaves an error for cudaGetLastError().
#include <cuda_runtime_api.h>

#include <atomic>
#include <limits>

#include "shim.hpp"

using namespace abax::tests::faults;

extern "C" {
decltype(cudaMalloc) __real_cudaMalloc;
decltype(cudaMallocFromPoolAsync) __real_cudaMallocFromPoolAsync;
decltype(cudaHostAlloc) __real_cudaHostAlloc;
decltype(cudaMallocHost) __real_cudaMallocHost;
decltype(cudaMemPoolCreate) __real_cudaMemPoolCreate;
decltype(cudaMemPoolSetAttribute) __real_cudaMemPoolSetAttribute;
decltype(cudaLaunchKernel) __real_cudaLaunchKernel;
decltype(cudaLaunchKernelExC) __real_cudaLaunchKernelExC;
decltype(cudaFuncSetAttribute) __real_cudaFuncSetAttribute;
decltype(cudaStreamCreate) __real_cudaStreamCreate;
decltype(cudaStreamCreateWithFlags) __real_cudaStreamCreateWithFlags;
decltype(cudaEventCreateWithFlags) __real_cudaEventCreateWithFlags;
decltype(cudaMemsetAsync) __real_cudaMemsetAsync;
decltype(cudaMemcpyAsync) __real_cudaMemcpyAsync;
decltype(cudaMemcpy2DAsync) __real_cudaMemcpy2DAsync;
decltype(cudaEventRecord) __real_cudaEventRecord;
decltype(cudaStreamWaitEvent) __real_cudaStreamWaitEvent;
decltype(cudaFree) __real_cudaFree;
decltype(cudaFreeAsync) __real_cudaFreeAsync;
decltype(cudaFreeHost) __real_cudaFreeHost;
decltype(cudaStreamDestroy) __real_cudaStreamDestroy;
decltype(cudaEventDestroy) __real_cudaEventDestroy;
decltype(cudaMemPoolDestroy) __real_cudaMemPoolDestroy;
}

namespace {

constinit std::atomic<long> live = 0;

/// What the runtime answers to a request that nothing can meet.
cudaError_t refusal(resource of) {
  if (of == resource::launches || of == resource::orders)
    return __real_cudaFuncSetAttribute(nullptr, cudaFuncAttributeMaxDynamicSharedMemorySize, 0);
  void* none = nullptr;
  return __real_cudaMalloc(&none, std::numeric_limits<std::size_t>::max() / 2);
}
template <class... Parameters, class... Arguments>
cudaError_t unless_refused(resource of, cudaError_t (*real)(Parameters...), Arguments... arguments) {
  return is_refused(of) ? refusal(of) : real(arguments...);
}
template <class... Parameters, class... Arguments>
cudaError_t made(resource of, cudaError_t (*real)(Parameters...), Arguments... arguments) {
  const cudaError_t status = unless_refused(of, real, arguments...);
  if (status == cudaSuccess) ++live;
  return status;
}
template <class Parameter, class... Rest>
cudaError_t gone(cudaError_t (*real)(Parameter, Rest...), Parameter what, Rest... rest) {
  if (what != nullptr) --live;
  return real(what, rest...);
}

}  // namespace

long abax::tests::faults::live_on_device() { return live; }

extern "C" {

cudaError_t __wrap_cudaMalloc(void** memory, size_t bytes) {
  return made(resource::device_memory, __real_cudaMalloc, memory, bytes);
}
cudaError_t __wrap_cudaMallocFromPoolAsync(void** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return made(resource::device_memory, __real_cudaMallocFromPoolAsync, memory, bytes, pool, stream);
}
cudaError_t __wrap_cudaHostAlloc(void** memory, size_t bytes, unsigned flags) {
  return made(resource::device_memory, __real_cudaHostAlloc, memory, bytes, flags);
}
cudaError_t __wrap_cudaMallocHost(void** memory, size_t bytes) {
  return made(resource::device_memory, __real_cudaMallocHost, memory, bytes);
}
cudaError_t __wrap_cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return made(resource::device_memory, __real_cudaMemPoolCreate, pool, properties);
}
cudaError_t __wrap_cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr what, void* value) {
  return unless_refused(resource::device_memory, __real_cudaMemPoolSetAttribute, pool, what, value);
}
cudaError_t __wrap_cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                    cudaStream_t stream) {
  return unless_refused(resource::launches, __real_cudaLaunchKernel, kernel, grid, block, arguments, shared, stream);
}
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* how, const void* kernel, void** arguments) {
  return unless_refused(resource::launches, __real_cudaLaunchKernelExC, how, kernel, arguments);
}
cudaError_t __wrap_cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute what, int value) {
  return unless_refused(resource::launches, __real_cudaFuncSetAttribute, kernel, what, value);
}
cudaError_t __wrap_cudaStreamCreate(cudaStream_t* stream) {
  return made(resource::queues, __real_cudaStreamCreate, stream);
}
cudaError_t __wrap_cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return made(resource::queues, __real_cudaStreamCreateWithFlags, stream, flags);
}
cudaError_t __wrap_cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return made(resource::queues, __real_cudaEventCreateWithFlags, event, flags);
}
cudaError_t __wrap_cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
  return unless_refused(resource::orders, __real_cudaMemsetAsync, memory, value, bytes, stream);
}
cudaError_t __wrap_cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return unless_refused(resource::orders, __real_cudaMemcpyAsync, to, from, bytes, kind, stream);
}
cudaError_t __wrap_cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return unless_refused(resource::orders, __real_cudaMemcpy2DAsync, to, to_pitch, from, from_pitch, width, height, kind,
                        stream);
}
cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return unless_refused(resource::orders, __real_cudaEventRecord, event, stream);
}
cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return unless_refused(resource::orders, __real_cudaStreamWaitEvent, stream, event, flags);
}

cudaError_t __wrap_cudaFree(void* memory) { return gone(__real_cudaFree, memory); }
cudaError_t __wrap_cudaFreeAsync(void* memory, cudaStream_t stream) {
  return gone(__real_cudaFreeAsync, memory, stream);
}
cudaError_t __wrap_cudaFreeHost(void* memory) { return gone(__real_cudaFreeHost, memory); }
cudaError_t __wrap_cudaStreamDestroy(cudaStream_t stream) { return gone(__real_cudaStreamDestroy, stream); }
cudaError_t __wrap_cudaEventDestroy(cudaEvent_t event) { return gone(__real_cudaEventDestroy, event); }
cudaError_t __wrap_cudaMemPoolDestroy(cudaMemPool_t pool) { return gone(__real_cudaMemPoolDestroy, pool); }

}  // extern "C"
