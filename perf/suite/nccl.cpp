// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nccl.hpp"

#include <stdexcept>

#if ABAX_PERF_CUDA
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <sstream>
#include <vector>
#endif

namespace abax::perf {

#if ABAX_PERF_CUDA
namespace {

// As nccl.h has them since its version 2.7.
struct unique_id {
  std::array<char, 128> bytes;
};
constexpr int as_bytes = 0;  // ncclInt8

template <class F>
F* function(const char* name) {
  static void* const library = [] {
    for (const char* file : {"libnccl.so.2", "libnccl.so"})
      if (void* const found = dlopen(file, RTLD_NOW | RTLD_LOCAL)) return found;
    throw std::runtime_error("no NCCL: libnccl.so.2 is not where the loader looks (LD_LIBRARY_PATH)");
  }();
  void* const found = dlsym(library, name);
  if (found == nullptr) throw std::runtime_error(std::string("this NCCL has no ") + name);
  return reinterpret_cast<F*>(found);
}

void require(int result, const char* what) {
  if (result != 0)
    throw std::runtime_error(std::string(what) + ": " + function<const char*(int)>("ncclGetErrorString")(result));
}
void require(cudaError_t result, const char* what) {
  if (result != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(result));
}

/// Bytes on the GPU.
class buffer {
 public:
  explicit buffer(std::size_t size) { require(cudaMalloc(&data_, size), "cudaMalloc"); }
  ~buffer() { cudaFree(data_); }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

std::string samples(void* group, bool first, int other, std::size_t bytes) {
  constexpr int rounds = 25;
  constexpr double shortest = 2e-3, longest = 0.5;  // seconds: of a sample, of all
  const auto send = function<int(const void*, std::size_t, int, int, void*, cudaStream_t)>("ncclSend");
  const auto receive = function<int(void*, std::size_t, int, int, void*, cudaStream_t)>("ncclRecv");
  const buffer out(bytes), in(bytes);
  std::vector<unsigned char> sent(bytes), came(bytes);
  for (std::size_t i = 0; i < bytes; ++i) sent[i] = static_cast<unsigned char>((i * 2654435761u) >> 13);
  require(cudaMemcpy(out.data(), sent.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  require(cudaMemset(in.data(), 0xff, bytes), "cudaMemset");
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  const auto batch = [&](int calls) {
    const auto begin = std::chrono::steady_clock::now();
    for (int c = 0; c < calls; ++c) {
      if (first) require(send(out.data(), bytes, as_bytes, other, group, stream), "ncclSend");
      require(receive(in.data(), bytes, as_bytes, other, group, stream), "ncclRecv");
      if (!first) require(send(in.data(), bytes, as_bytes, other, group, stream), "ncclSend");
    }
    require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / (2 * calls);
  };
  batch(5);  // connections are made at the first message
  double plan[2] = {1, rounds};
  const buffer shared(sizeof plan);
  if (first) {
    const double once = std::max(2 * batch(20), 1e-9);
    plan[0] = std::clamp(shortest / once, 1.0, 1e5);
    plan[1] = std::clamp(longest / (once * plan[0]), 5.0, 1.0 * rounds);
    require(cudaMemcpy(shared.data(), plan, sizeof plan, cudaMemcpyHostToDevice), "cudaMemcpy");
    require(send(shared.data(), sizeof plan, as_bytes, other, group, stream), "ncclSend");
    require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  } else {
    batch(20);
    require(receive(shared.data(), sizeof plan, as_bytes, other, group, stream), "ncclRecv");
    require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    require(cudaMemcpy(plan, shared.data(), sizeof plan, cudaMemcpyDeviceToHost), "cudaMemcpy");
  }
  std::string text;
  for (int s = 0; s < static_cast<int>(plan[1]); ++s) {
    char number[32];
    std::snprintf(number, sizeof number, " %.5g", batch(static_cast<int>(plan[0])));
    text += number;
  }
  require(cudaMemcpy(came.data(), in.data(), bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  require(cudaStreamDestroy(stream), "cudaStreamDestroy");
  return first ? (came == sent ? "1" : "0") + text : "";
}

}  // namespace

std::string gpu_links::answer(const std::string& order) {
  std::istringstream words(order);
  std::string verb;
  words >> verb;
  if (verb == "id") {
    unique_id id{};
    require(function<int(unique_id*)>("ncclGetUniqueId")(&id), "ncclGetUniqueId");
    std::string text;
    for (const char c : id.bytes) {
      char two[3];
      std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(c));
      text += two;
    }
    return text;
  }
  if (verb == "join") {
    std::string name;
    int size = 0;
    words >> name >> rank_ >> size;
    unique_id id{};
    for (std::size_t i = 0; i < id.bytes.size() && 2 * i + 1 < name.size(); ++i)
      id.bytes[i] = static_cast<char>(std::stoi(name.substr(2 * i, 2), nullptr, 16));
    require(function<int(void**, int, unique_id, int)>("ncclCommInitRank")(&group_, size, id, rank_),
            "ncclCommInitRank");
    int version = 0;
    require(function<int(int*)>("ncclGetVersion")(&version), "ncclGetVersion");
    return std::to_string(version);
  }
  int from = 0, to = 0;
  std::size_t bytes = 0;
  words >> from >> to >> bytes;
  if (group_ == nullptr) throw std::runtime_error("this GPU is in no NCCL group");
  return samples(group_, rank_ == from, rank_ == from ? to : from, bytes);
}
#else
std::string gpu_links::answer(const std::string&) {
  static_cast<void>(group_);
  static_cast<void>(rank_);
  throw std::runtime_error("this build has no GPU backend");
}
#endif

}  // namespace abax::perf
