// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix-vector products: a thread per row, with x staged in shared memory of static or run-time size.

#include <cstddef>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>

#include "check.hpp"
#include "grid.hpp"
#include "handwritten.hpp"

namespace abax::handwritten {
namespace {

/// The block's rows of y <- A x: `piece` threads, thread t on row blockIdx.x * piece + t.
/// Every row needs all of x, so the block fetches it once, `piece` entries at a time, each thread one of them.
/// The price of a thread per row is that neighbouring threads read A a whole row apart.
template <class T>
__device__ void multiply_rows(std::int64_t m, std::int64_t n, const T* __restrict__ A, std::int64_t lda,
                              const T* __restrict__ x, T* __restrict__ y,
                              T* x_piece,  // shared, (piece)
                              int piece) {
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * piece + thread;

  T sum = T(0);
  for (std::int64_t first = 0; first < n; first += piece) {
    // The last piece may be shorter. Its loop is cut, not padded with zeros: fma(+0, +0, -0) is +0, so a padded chain
    // would lose a -0.
    const int terms = static_cast<int>(min(static_cast<std::int64_t>(piece), n - first));
    if (thread < terms) x_piece[thread] = x[first + thread];
    __syncthreads();  // the piece is complete
    if (row < m) {
      for (int p = 0; p < terms; ++p) sum = fma(A[row * lda + first + p], x_piece[p], sum);
    }
    __syncthreads();  // every thread is done with the piece; threads without a row must come here too
  }
  if (row < m) y[row] = sum;
}

template <class T>
__global__ void __launch_bounds__(static_block_size)
    matrix_vector_static_kernel(std::int64_t m, std::int64_t n, const T* __restrict__ A, std::int64_t lda,
                                const T* __restrict__ x, T* __restrict__ y) {
  __shared__ T x_piece[static_block_size];  // (static_block_size)
  multiply_rows(m, n, A, lda, x, y, x_piece, static_block_size);
}

template <class T>
__global__ void __launch_bounds__(1024)
    matrix_vector_dynamic_kernel(std::int64_t m, std::int64_t n, const T* __restrict__ A, std::int64_t lda,
                                 const T* __restrict__ x, T* __restrict__ y) {
  // The launch says how many bytes. All kernels of a file share this one symbol, so it cannot be of type T in a
  // template: it is raw memory, aligned for the largest type.
  extern __shared__ __align__(alignof(double)) unsigned char dynamic_shared[];
  T* x_piece = reinterpret_cast<T*>(dynamic_shared);  // (blockDim.x)
  multiply_rows(m, n, A, lda, x, y, x_piece, static_cast<int>(blockDim.x));
}

void expect_operands(const char* function, std::int64_t m, std::int64_t n, std::int64_t lda) {
  expect_extent(function, "m", m);
  expect_extent(function, "n", n);
  expect_leading_dimension(function, "lda", lda, "n", n);
}

/// The launch that the static and the mapped product share; the arguments are checked already.
template <class T>
void launch_static(const char* function, std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, const T* x, T* y,
                   cudaStream_t stream) {
  const unsigned blocks = blocks_along_x(function, "m", m, static_block_size);
  if (m == 0) return;
  matrix_vector_static_kernel<<<blocks, static_block_size, 0, stream>>>(m, n, A, lda, x, y);
  check(cudaGetLastError(), (std::string("launch of ") + function).c_str());
}

}  // namespace

template <class T>
void matrix_vector_static(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, const T* x, T* y,
                          cudaStream_t stream) {
  expect_operands("matrix_vector_static", m, n, lda);
  launch_static("matrix_vector_static", m, n, A, lda, x, y, stream);
}

template <class T>
void matrix_vector_dynamic(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, const T* x, T* y,
                           int block_size, cudaStream_t stream) {
  expect_operands("matrix_vector_dynamic", m, n, lda);
  if (block_size < 1 || block_size > 1024) refuse("matrix_vector_dynamic", "block_size", block_size, "1 to 1024");
  const unsigned blocks = blocks_along_x("matrix_vector_dynamic", "m", m, block_size);
  if (m == 0) return;
  // Whole 16-byte words: the compiler may read the last elements as part of one. 8 KB at most: needs no opt-in.
  const std::size_t shared_bytes = (block_size * sizeof(T) + 15) / 16 * 16;
  matrix_vector_dynamic_kernel<<<blocks, block_size, shared_bytes, stream>>>(m, n, A, lda, x, y);
  check(cudaGetLastError(), "launch of matrix_vector_dynamic");
}

template <class T>
mapped_array<T>::mapped_array(std::int64_t count) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(T));
  if (count < 0 || count > most) refuse("mapped_array", "count", count, "0 to " + std::to_string(most));
  if (count == 0) return;  // CUDA has no device address for an empty allocation

  void* host = nullptr;
  check(cudaHostAlloc(&host, count * sizeof(T), cudaHostAllocMapped), "cudaHostAlloc");
  void* device = nullptr;
  const cudaError_t status = cudaHostGetDevicePointer(&device, host, 0);
  if (status != cudaSuccess) cudaFreeHost(host);  // the destructor will not run; the first error is the one to report
  check(status, "cudaHostGetDevicePointer");

  size_ = count;
  host_ = static_cast<T*>(host);
  device_ = static_cast<T*>(device);
}

template <class T>
mapped_array<T>::~mapped_array() {
  const cudaError_t status = host_ == nullptr ? cudaSuccess : cudaFreeHost(host_);
  // A destructor must not throw, so this error can only be said aloud.
  if (status != cudaSuccess) std::fprintf(stderr, "abax::handwritten: cudaFreeHost: %s\n", cudaGetErrorString(status));
}

template <class T>
void matrix_vector_mapped(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, const T* x, mapped_array<T>& y,
                          cudaStream_t stream) {
  expect_operands("matrix_vector_mapped", m, n, lda);
  if (y.size() < m) refuse("matrix_vector_mapped", "size of y", y.size(), "at least m = " + std::to_string(m));
  launch_static("matrix_vector_mapped", m, n, A, lda, x, y.device(), stream);
}

template void matrix_vector_static<float>(std::int64_t, std::int64_t, const float*, std::int64_t, const float*, float*,
                                          cudaStream_t);
template void matrix_vector_static<double>(std::int64_t, std::int64_t, const double*, std::int64_t, const double*,
                                           double*, cudaStream_t);
template void matrix_vector_dynamic<float>(std::int64_t, std::int64_t, const float*, std::int64_t, const float*, float*,
                                           int, cudaStream_t);
template void matrix_vector_dynamic<double>(std::int64_t, std::int64_t, const double*, std::int64_t, const double*,
                                            double*, int, cudaStream_t);
template class mapped_array<unsigned>;
template class mapped_array<float>;
template class mapped_array<double>;
template void matrix_vector_mapped<float>(std::int64_t, std::int64_t, const float*, std::int64_t, const float*,
                                          mapped_array<float>&, cudaStream_t);
template void matrix_vector_mapped<double>(std::int64_t, std::int64_t, const double*, std::int64_t, const double*,
                                           mapped_array<double>&, cudaStream_t);

}  // namespace abax::handwritten
