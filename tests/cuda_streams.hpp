// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// CUDA streams and graphs for the length of a test.
#include <Kokkos_Core.hpp>
#include <stdexcept>
#include <string>

#ifdef KOKKOS_ENABLE_CUDA
namespace abax::tests {

/// An exception, not an assertion of Catch2: threads of a test call this, too.
inline void check_cuda(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

/// Two streams that wait neither for one another nor for the legacy default stream.
struct streams {
  cudaStream_t handle[2];
  streams() {
    for (cudaStream_t& s : handle)
      check_cuda(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  ~streams() {
    for (const cudaStream_t s : handle) static_cast<void>(cudaStreamDestroy(s));
  }
  streams(const streams&) = delete;
};

/// What is launched on a stream between the constructor and end(), as a graph: nothing of it runs before launch().
/// Its kernels must have been launched before: the first launch of a kernel loads it, which no capture allows.
class captured {
 public:
  explicit captured(cudaStream_t stream) : stream_(stream) {
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  }
  void end() {
    cudaGraph_t graph = nullptr;
    check_cuda(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
    const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
    static_cast<void>(cudaGraphDestroy(graph));
    check_cuda(status, "cudaGraphInstantiate");
  }
  ~captured() {
    if (graph_ != nullptr) static_cast<void>(cudaGraphExecDestroy(graph_));
  }
  captured(const captured&) = delete;

  void launch() const { check_cuda(cudaGraphLaunch(graph_, stream_), "cudaGraphLaunch"); }

 private:
  cudaStream_t stream_;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace abax::tests
#endif
