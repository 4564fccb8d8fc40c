// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peers.hpp"

#if defined(ABAX_CUBLAS)
#include <cublas_v2.h>

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
    return h;
  }();
  return all;
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
  bool gemm(char trans_a, char trans_b, index_t m, index_t n, index_t k, T alpha, const T* a, index_t lda, const T* b,
            index_t ldb, T beta, T* c, index_t ldc) const override {
    require(of_type<T>(cublasSgemm, cublasDgemm)(handle(), operation(trans_a), operation(trans_b), int(m), int(n),
                                                 int(k), &alpha, a, int(lda), b, int(ldb), &beta, c, int(ldc)),
            "gemm");
    return true;
  }
  bool syrk(char uplo, char trans, index_t n, index_t k, T alpha, const T* a, index_t lda, T beta, T* c,
            index_t ldc) const override {
    const cublasFillMode_t part = uplo == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
    require(of_type<T>(cublasSsyrk, cublasDsyrk)(handle(), part, operation(trans), int(n), int(k), &alpha, a, int(lda),
                                                 &beta, c, int(ldc)),
            "syrk");
    return true;
  }
  bool gemv(char trans, index_t m, index_t n, T alpha, const T* a, index_t lda, const T* x, T beta,
            T* y) const override {
    require(of_type<T>(cublasSgemv, cublasDgemv)(handle(), operation(trans), int(m), int(n), &alpha, a, int(lda), x, 1,
                                                 &beta, y, 1),
            "gemv");
    return true;
  }
  bool gemm_batched(index_t n, index_t items, const T* a, const T* b, T* c) const override {
    const T one = 1, zero = 0;
    require(of_type<T>(cublasSgemmStridedBatched, cublasDgemmStridedBatched)(
                handle(), CUBLAS_OP_N, CUBLAS_OP_N, int(n), int(n), int(n), &one, a, int(n), n * n, b, int(n), n * n,
                &zero, c, int(n), n * n, int(items)),
            "gemmStridedBatched");
    return true;
  }
  bool gemv_batched(index_t n, index_t items, const T* a, const T* x, T* y) const override {
    const T one = 1, zero = 0;
    require(of_type<T>(cublasSgemvStridedBatched, cublasDgemvStridedBatched)(
                handle(), CUBLAS_OP_N, int(n), int(n), &one, a, int(n), n * n, x, 1, n, &zero, y, 1, n, int(items)),
            "gemvStridedBatched");
    return true;
  }
  /// The result stays in the device's memory, so that the host does not wait.
  bool dot(index_t n, const T* x, const T* y, T* result) const override {
    require(cublasSetPointerMode(handle(), CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
    require(of_type<T>(cublasSdot, cublasDdot)(handle(), int(n), x, 1, y, 1, result), "dot");
    require(cublasSetPointerMode(handle(), CUBLAS_POINTER_MODE_HOST), "cublasSetPointerMode");
    return true;
  }
  bool transpose(index_t m, index_t n, const T* a, index_t lda, T* b, index_t ldb) const override {
    const T one = 1, zero = 0;
    require(of_type<T>(cublasSgeam, cublasDgeam)(handle(), CUBLAS_OP_T, CUBLAS_OP_N, int(n), int(m), &one, a, int(lda),
                                                 &zero, b, int(ldb), b, int(ldb)),
            "geam");
    return true;
  }
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
