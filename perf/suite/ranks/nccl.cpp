// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NCCL, by its own header where there is one, loaded when the links are measured.
#include <algorithm>
#include <stdexcept>

#include "findings.hpp"
#include "links.hpp"

#if defined(ABAX_PERF_CUDA) && __has_include(<nccl.h>)
#include <cuda_runtime_api.h>
#include <nccl.h>

#include "../loaded.hpp"

namespace abax::perf::ranks {
namespace {

void* library() {
  static void* const found = load_first({"libnccl.so.2"}, RTLD_NOW | RTLD_LOCAL);
  return found;
}

/// NCCL's function of that type and name.
template <class F>
F* function(const char* name) {
  return symbol<F>(library(), name);
}

[[noreturn]] void fail(const char* what, const char* why) {
  std::fprintf(stderr, "abax-perf: rank %d on %s: %s: %s\n", self().rank, self().host.c_str(), what, why);
  abort(2);
}
void require(ncclResult_t result, const char* what) {
  if (result != ncclSuccess) fail(what, function<decltype(ncclGetErrorString)>("ncclGetErrorString")(result));
}
void require(cudaError_t result, const char* what) {
  if (result != cudaSuccess) fail(what, cudaGetErrorString(result));
}

class gpu_wire final : public wire {
 public:
  /// `members`: the ranks of the group; `id`: its name.
  gpu_wire(const std::vector<int>& members, const ncclUniqueId& id) : members_(members) {
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    for (void** buffer : {&out_, &in_}) require(cudaMalloc(buffer, long_message), "cudaMalloc");
    require(function<decltype(ncclCommInitRank)>("ncclCommInitRank")(&group_, static_cast<int>(members.size()), id,
                                                                     at(self().rank)),
            "ncclCommInitRank");
  }
  ~gpu_wire() override {
    for (void* buffer : {out_, in_}) cudaFree(buffer);
    cudaStreamDestroy(stream_);
  }
  void begin(const std::vector<unsigned char>& message) override {
    bytes_ = message.size();
    require(cudaMemcpy(out_, message.data(), bytes_, cudaMemcpyHostToDevice), "cudaMemcpy");
    require(cudaMemset(in_, 0xff, bytes_), "cudaMemset");
  }
  void send(int other, bool back) override {
    static const auto call = function<decltype(ncclSend)>("ncclSend");
    require(call(back ? in_ : out_, bytes_, ncclInt8, at(other), group_, stream_), "ncclSend");
  }
  void receive(int other) override {
    static const auto call = function<decltype(ncclRecv)>("ncclRecv");
    require(call(in_, bytes_, ncclInt8, at(other), group_, stream_), "ncclRecv");
  }
  void wait() override { require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }
  std::vector<unsigned char> came() override {
    std::vector<unsigned char> bytes(bytes_);
    require(cudaMemcpy(bytes.data(), in_, bytes_, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return bytes;
  }

 private:
  int at(int rank) const {
    return static_cast<int>(std::find(members_.begin(), members_.end(), rank) - members_.begin());
  }

  std::vector<int> members_;
  void *out_ = nullptr, *in_ = nullptr;
  std::size_t bytes_ = 0;
  cudaStream_t stream_ = nullptr;
  ncclComm_t group_ = nullptr;
};

}  // namespace

std::unique_ptr<wire> nccl_wire(const std::vector<int>& members, std::string& note) {
  if (largest(library() == nullptr ? 1 : 0) > 0) {
    note = "left out: libnccl.so.2 is not where the loader looks (LD_LIBRARY_PATH), on one rank at least";
    return nullptr;
  }
  int version = 0;
  require(function<decltype(ncclGetVersion)>("ncclGetVersion")(&version), "ncclGetVersion");
  note = std::to_string(version);
  ncclUniqueId id{};
  if (self().rank == members[0])
    require(function<decltype(ncclGetUniqueId)>("ncclGetUniqueId")(&id), "ncclGetUniqueId");
  const std::vector<int> bytes(std::begin(id.internal), std::end(id.internal));
  const std::vector<int> of_first = gathered_of(bytes)[static_cast<std::size_t>(members[0])];
  std::copy(of_first.begin(), of_first.end(), std::begin(id.internal));
  if (std::find(members.begin(), members.end(), self().rank) == members.end()) return nullptr;
  return std::make_unique<gpu_wire>(members, id);
}

}  // namespace abax::perf::ranks
#else
namespace abax::perf::ranks {

std::unique_ptr<wire> nccl_wire(const std::vector<int>&, std::string& note) {
  note = "left out: this program was built without nccl.h";
  return nullptr;
}

}  // namespace abax::perf::ranks
#endif
