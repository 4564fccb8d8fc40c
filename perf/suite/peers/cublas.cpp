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

cublasOperation_t operation(char trans) {
  return trans == 'N' ? CUBLAS_OP_N : trans == 'T' ? CUBLAS_OP_T : CUBLAS_OP_C;
}
cublasFillMode_t part(char uplo) { return uplo == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER; }

template <class T, class Single, class Double>
constexpr auto of_precision(Single single, Double double_) {
  if constexpr (sizeof(tile::real_of<T>) == 4)
    return single;
  else
    return double_;
}
/// The routine for T of the four, in BLAS' order.
template <class T, class S, class D, class C, class Z>
constexpr auto of_type(S s, D d, C c, Z z) {
  if constexpr (tile::is_complex<T>)
    return of_precision<T>(c, z);
  else
    return of_precision<T>(s, d);
}

// Numbers as cuBLAS has them.
template <class T>
struct native {
  using type = T;
};
template <>
struct native<tile::complex<float>> {
  using type = cuComplex;
};
template <>
struct native<tile::complex<double>> {
  using type = cuDoubleComplex;
};
template <class T>
const typename native<T>::type* cu(const T* x) {
  return reinterpret_cast<const typename native<T>::type*>(x);
}
template <class T>
typename native<T>::type* cu(T* x) {
  return reinterpret_cast<typename native<T>::type*>(x);
}
template <class T>
typename native<T>::type number(const T& x) {
  if constexpr (tile::is_complex<T>)
    return {x.re, x.im};
  else
    return x;
}

template <class T>
class cublas final : public routines<T> {
  using real = tile::real_of<T>;

 public:
  bool gemm(char trans_a, char trans_b, index_t m, index_t n, index_t k, T alpha, const T* a, index_t lda, const T* b,
            index_t ldb, T beta, T* c, index_t ldc) const override {
    const auto by = number(alpha), kept = number(beta);
    require(of_type<T>(cublasSgemm, cublasDgemm, cublasCgemm, cublasZgemm)(
                handle(), operation(trans_a), operation(trans_b), int(m), int(n), int(k), &by, cu(a), int(lda), cu(b),
                int(ldb), &kept, cu(c), int(ldc)),
            "gemm");
    return true;
  }
  bool syrk(char uplo, char trans, index_t n, index_t k, T alpha, const T* a, index_t lda, T beta, T* c,
            index_t ldc) const override {
    const auto by = number(alpha), kept = number(beta);
    require(of_type<T>(cublasSsyrk, cublasDsyrk, cublasCsyrk, cublasZsyrk)(
                handle(), part(uplo), operation(trans), int(n), int(k), &by, cu(a), int(lda), &kept, cu(c), int(ldc)),
            "syrk");
    return true;
  }
  bool herk(char uplo, char trans, index_t n, index_t k, real alpha, const T* a, index_t lda, real beta, T* c,
            index_t ldc) const override {
    if constexpr (tile::is_complex<T>)
      require(of_precision<T>(cublasCherk, cublasZherk)(handle(), part(uplo), operation(trans), int(n), int(k), &alpha,
                                                        cu(a), int(lda), &beta, cu(c), int(ldc)),
              "herk");
    return tile::is_complex<T>;
  }
  bool gemv(char trans, index_t m, index_t n, T alpha, const T* a, index_t lda, const T* x, T beta,
            T* y) const override {
    const auto by = number(alpha), kept = number(beta);
    require(of_type<T>(cublasSgemv, cublasDgemv, cublasCgemv, cublasZgemv)(
                handle(), operation(trans), int(m), int(n), &by, cu(a), int(lda), cu(x), 1, &kept, cu(y), 1),
            "gemv");
    return true;
  }
  bool gemm_batched(index_t n, index_t items, const T* a, const T* b, T* c) const override {
    const auto one = number(T(1)), zero = number(T(0));
    require(of_type<T>(cublasSgemmStridedBatched, cublasDgemmStridedBatched, cublasCgemmStridedBatched,
                       cublasZgemmStridedBatched)(handle(), CUBLAS_OP_N, CUBLAS_OP_N, int(n), int(n), int(n), &one,
                                                  cu(a), int(n), n * n, cu(b), int(n), n * n, &zero, cu(c), int(n),
                                                  n * n, int(items)),
            "gemmStridedBatched");
    return true;
  }
  bool gemv_batched(index_t n, index_t items, const T* a, const T* x, T* y) const override {
    const auto one = number(T(1)), zero = number(T(0));
    require(of_type<T>(cublasSgemvStridedBatched, cublasDgemvStridedBatched, cublasCgemvStridedBatched,
                       cublasZgemvStridedBatched)(handle(), CUBLAS_OP_N, int(n), int(n), &one, cu(a), int(n), n * n,
                                                  cu(x), 1, n, &zero, cu(y), 1, n, int(items)),
            "gemvStridedBatched");
    return true;
  }
  bool dot(index_t n, const T* x, const T* y, T* result) const override {
    reduce(of_type<T>(cublasSdot, cublasDdot, cublasCdotu, cublasZdotu), n, x, y, result);
    return true;
  }
  bool dotc(index_t n, const T* x, const T* y, T* result) const override {
    if constexpr (tile::is_complex<T>) reduce(of_precision<T>(cublasCdotc, cublasZdotc), n, x, y, result);
    return tile::is_complex<T>;
  }
  bool transpose(char trans, index_t m, index_t n, const T* a, index_t lda, T* b, index_t ldb) const override {
    const auto one = number(T(1)), zero = number(T(0));
    require(of_type<T>(cublasSgeam, cublasDgeam, cublasCgeam, cublasZgeam)(handle(), operation(trans), CUBLAS_OP_N,
                                                                           int(n), int(m), &one, cu(a), int(lda), &zero,
                                                                           cu(b), int(ldb), cu(b), int(ldb)),
            "geam");
    return true;
  }

 private:
  /// The result stays in the device's memory, so that the host does not wait.
  template <class Routine>
  static void reduce(Routine* routine, index_t n, const T* x, const T* y, T* result) {
    require(cublasSetPointerMode(handle(), CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
    require(routine(handle(), int(n), cu(x), 1, cu(y), 1, cu(result)), "dot");
    require(cublasSetPointerMode(handle(), CUBLAS_POINTER_MODE_HOST), "cublasSetPointerMode");
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
  return {peer{"cuBLAS", cublas_version(), true, all_routines<cublas>()}, ""};
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
