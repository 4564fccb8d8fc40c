// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peers.hpp"

#if defined(ABAX_CUBLAS)
#include <cublas_v2.h>

#include <new>
#include <stdexcept>

#include "../session.hpp"

namespace abax::perf {
namespace {

void require(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cuBLAS: ") + what + ": " + cublasGetStatusString(status));
}

cublasHandle_t handle() {
  static const cublasHandle_t all = [] {
    cublasHandle_t h = nullptr;
    require(cublasCreate(&h), "cublasCreate");
    require(cublasSetStream(h, static_cast<cudaStream_t>(gpu_stream())), "cublasSetStream");
    require(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
    return h;
  }();
  return all;
}

/// alpha and beta in the device's memory: then nothing waits for the host, and a dot product's result stays there.
template <class T>
const T* one_and_zero() {
  static const T* const values = [] {
    const T host[] = {T(1), T(0)};
    void* device = nullptr;
    if (cudaMalloc(&device, sizeof host) != cudaSuccess) throw std::bad_alloc();
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    return static_cast<const T*>(device);
  }();
  return values;
}

cublasOperation_t operation(char trans) { return trans == 'N' ? CUBLAS_OP_N : CUBLAS_OP_T; }

template <class T, class Single, class Double>
constexpr auto of_type(Single single, Double double_) {
  if constexpr (sizeof(T) == 4)
    return single;
  else
    return double_;
}

template <class T>
class cublas final : public routines<T> {
 public:
  bool gemm(char trans_a, char trans_b, index_t m, index_t n, index_t k, const T* a, const T* b, T* c) const override {
    const int rows_a = int(trans_a == 'N' ? m : k), rows_b = int(trans_b == 'N' ? k : n);
    require(of_type<T>(cublasSgemm, cublasDgemm)(handle(), operation(trans_a), operation(trans_b), int(m), int(n),
                                                 int(k), one(), a, rows_a, b, rows_b, zero(), c, int(m)),
            "gemm");
    return true;
  }
  bool gemv(char trans, index_t m, index_t n, const T* a, const T* x, T* y) const override {
    require(of_type<T>(cublasSgemv, cublasDgemv)(handle(), operation(trans), int(m), int(n), one(), a, int(m), x, 1,
                                                 zero(), y, 1),
            "gemv");
    return true;
  }
  bool dot(index_t n, const T* x, const T* y, T* result) const override {
    require(of_type<T>(cublasSdot, cublasDdot)(handle(), int(n), x, 1, y, 1, result), "dot");
    return true;
  }
  bool transpose(index_t m, index_t n, const T* a, T* b) const override {
    require(of_type<T>(cublasSgeam, cublasDgeam)(handle(), CUBLAS_OP_T, CUBLAS_OP_N, int(n), int(m), one(), a, int(m),
                                                 zero(), b, int(n), b, int(n)),
            "geam");
    return true;
  }

 private:
  static const T* one() { return one_and_zero<T>(); }
  static const T* zero() { return one_and_zero<T>() + 1; }
};

std::string cublas_version() {
  int version = 0;
  require(cublasGetVersion(handle(), &version), "cublasGetVersion");
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace

finding find_cublas(backend where, const std::string&) {
  if (where == backend::host) return {};
  return {peer{"cuBLAS", cublas_version(), true, std::make_unique<cublas<float>>(), std::make_unique<cublas<double>>()},
          ""};
}

}  // namespace abax::perf
#else
namespace abax::perf {

finding find_cublas(backend where, const std::string&) {
  if (where == backend::host) return {};
  return {{}, "this build was configured without it"};
}

}  // namespace abax::perf
#endif
