// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloaded under Netlib's Fortran testers: routines of real numbers that libabax_blas offers, with operands on the
// device. Each copies what it is given there, calls libabax_blas' routine of the same name, and copies what was written
// back. A call that must be refused, or has nothing to do, is passed on as it is.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "FAIL: %s\n", what);
  std::abort();
}

/// The function of this name that would have been called without this file.
template <class Function>
Function* next(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  require(found != nullptr, name);
  return reinterpret_cast<Function*>(found);
}

/// `count` elements on the device for as long as this lives.
template <class T>
class on_device {
 public:
  on_device(T* from, std::ptrdiff_t count) : from_(from), bytes_(sizeof(T) * static_cast<std::size_t>(count)) {
    static const bool there = [] {
      int devices = 0;
      return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
    }();
    require(there, "no GPU for ABAX_BLAS_BACKEND=device");
    void* memory = nullptr;
    require(cudaMalloc(&memory, bytes_) == cudaSuccess, "cudaMalloc");
    require(cudaMemcpy(memory, from, bytes_, cudaMemcpyDefault) == cudaSuccess, "cudaMemcpy to the device");
    memory_ = static_cast<T*>(memory);
  }
  ~on_device() {
    if constexpr (!std::is_const_v<T>)
      require(cudaMemcpy(from_, memory_, bytes_, cudaMemcpyDefault) == cudaSuccess, "cudaMemcpy to the host");
    cudaFree(const_cast<std::remove_const_t<T>*>(memory_));
  }
  on_device(const on_device&) = delete;
  operator T*() const { return memory_; }

 private:
  T* from_;
  std::size_t bytes_;
  T* memory_;
};

std::ptrdiff_t span(int n, int inc) { return 1 + std::ptrdiff_t(n - 1) * std::abs(inc); }
bool turned(const char* trans) { return *trans != 'N' && *trans != 'n'; }
bool known(const char* trans) {
  const char c = static_cast<char>(*trans & ~0x20);
  return c == 'N' || c == 'T' || c == 'C';
}

template <class T>
void gemm(const char* name, const char* ta, const char* tb, const int* m, const int* n, const int* k, const T* alpha,
          const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc) {
  auto* const call = next<void(const char*, const char*, const int*, const int*, const int*, const T*, const T*,
                               const int*, const T*, const int*, const T*, T*, const int*)>(name);
  const int rows_a = turned(ta) ? *k : *m, rows_b = turned(tb) ? *n : *k;
  if (!known(ta) || !known(tb) || *m < 1 || *n < 1 || *k < 1 || *lda < rows_a || *ldb < rows_b || *ldc < *m)
    return call(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  const on_device<const T> A(a, std::ptrdiff_t(*lda) * ((turned(ta) ? *m : *k) - 1) + rows_a);
  const on_device<const T> B(b, std::ptrdiff_t(*ldb) * ((turned(tb) ? *k : *n) - 1) + rows_b);
  const on_device<T> C(c, std::ptrdiff_t(*ldc) * (*n - 1) + *m);
  call(ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

template <class T>
void gemv(const char* name, const char* trans, const int* m, const int* n, const T* alpha, const T* a, const int* lda,
          const T* x, const int* incx, const T* beta, T* y, const int* incy) {
  auto* const call = next<void(const char*, const int*, const int*, const T*, const T*, const int*, const T*,
                               const int*, const T*, T*, const int*)>(name);
  if (!known(trans) || *m < 1 || *n < 1 || *lda < *m || *incx == 0 || *incy == 0)
    return call(trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
  const on_device<const T> A(a, std::ptrdiff_t(*lda) * (*n - 1) + *m), X(x, span(turned(trans) ? *m : *n, *incx));
  const on_device<T> Y(y, span(turned(trans) ? *n : *m, *incy));
  call(trans, m, n, alpha, A, lda, X, incx, beta, Y, incy);
}

template <class T>
T dot(const char* name, const int* n, const T* x, const int* incx, const T* y, const int* incy) {
  auto* const call = next<T(const int*, const T*, const int*, const T*, const int*)>(name);
  if (*n < 1) return call(n, x, incx, y, incy);
  const on_device<const T> X(x, span(*n, *incx)), Y(y, span(*n, *incy));
  return call(n, X, incx, Y, incy);
}

template <class T>
void axpy(const char* name, const int* n, const T* alpha, const T* x, const int* incx, T* y, const int* incy) {
  auto* const call = next<void(const int*, const T*, const T*, const int*, T*, const int*)>(name);
  if (*n < 1) return call(n, alpha, x, incx, y, incy);
  const on_device<const T> X(x, span(*n, *incx));
  const on_device<T> Y(y, span(*n, *incy));
  call(n, alpha, X, incx, Y, incy);
}

template <class T>
void scal(const char* name, const int* n, const T* alpha, T* x, const int* incx) {
  auto* const call = next<void(const int*, const T*, T*, const int*)>(name);
  if (*n < 1 || *incx < 1) return call(n, alpha, x, incx);
  const on_device<T> X(x, span(*n, *incx));
  call(n, alpha, X, incx);
}

template <class T>
void copy(const char* name, const int* n, const T* x, const int* incx, T* y, const int* incy) {
  auto* const call = next<void(const int*, const T*, const int*, T*, const int*)>(name);
  if (*n < 1) return call(n, x, incx, y, incy);
  const on_device<const T> X(x, span(*n, *incx));
  const on_device<T> Y(y, span(*n, *incy));
  call(n, X, incx, Y, incy);
}

}  // namespace

extern "C" {

void sgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
            const int* ldc) {
  gemm("sgemm_", ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void dgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc) {
  gemm("dgemm_", ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void sgemv_(const char* trans, const int* m, const int* n, const float* alpha, const float* a, const int* lda,
            const float* x, const int* incx, const float* beta, float* y, const int* incy) {
  gemv("sgemv_", trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}
void dgemv_(const char* trans, const int* m, const int* n, const double* alpha, const double* a, const int* lda,
            const double* x, const int* incx, const double* beta, double* y, const int* incy) {
  gemv("dgemv_", trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}
float sdot_(const int* n, const float* x, const int* incx, const float* y, const int* incy) {
  return dot("sdot_", n, x, incx, y, incy);
}
double ddot_(const int* n, const double* x, const int* incx, const double* y, const int* incy) {
  return dot("ddot_", n, x, incx, y, incy);
}
void saxpy_(const int* n, const float* alpha, const float* x, const int* incx, float* y, const int* incy) {
  axpy("saxpy_", n, alpha, x, incx, y, incy);
}
void daxpy_(const int* n, const double* alpha, const double* x, const int* incx, double* y, const int* incy) {
  axpy("daxpy_", n, alpha, x, incx, y, incy);
}
void sscal_(const int* n, const float* alpha, float* x, const int* incx) { scal("sscal_", n, alpha, x, incx); }
void dscal_(const int* n, const double* alpha, double* x, const int* incx) { scal("dscal_", n, alpha, x, incx); }
void scopy_(const int* n, const float* x, const int* incx, float* y, const int* incy) {
  copy("scopy_", n, x, incx, y, incy);
}
void dcopy_(const int* n, const double* x, const int* incx, double* y, const int* incy) {
  copy("dcopy_", n, x, incx, y, incy);
}

}  // extern "C"
