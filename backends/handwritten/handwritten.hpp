// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hand-written CUDA kernels, classic and tuned, callable from plain C++: for tests and measurements beside Abax' own.
#pragma once

#include <cstdint>

using cudaStream_t = struct CUstream_st*;  // as CUDA declares it: this header serves builds without CUDA, too

/// What all functions here share, where they do not say otherwise:
///
/// Operands   Matrices are row-major in device memory: element (i, j) of A is A[i * lda + j]. Vectors are contiguous.
///            An output overlaps no other operand. Only elements of the stated shapes are read or written.
/// Stream     The work is queued on `stream` of the current device; the call returns without waiting for it.
/// Order      An element of a product is one chain: s = +0; for p ascending over all of k: s = fma(a[p], b[p], s).
///            Up to k = 2048 this equals the canon (docs/canon.md) bit for bit. Beyond, the canon joins blocks of 2048
///            terms while these kernels stay with the one chain, so there the two are compared with an error bound.
///            A NaN result is a NaN, but its sign and payload are the machine's, not the canon's single NaN.
/// Empty      No output elements: nothing is launched. An empty sum (k = 0) stores +0.
/// Errors     std::invalid_argument before anything is launched, naming the operand, its value and what was expected:
///            a negative extent, a leading dimension shorter than a row, a block size outside 1..1024, or a grid of
///            more than 2^31 - 1 blocks along x (in practice only tiny run-time block sizes can get there).
///            std::runtime_error, naming the call, for any error that CUDA reports.
/// Types      float and double; increment also takes int.
namespace abax::handwritten {

/// x[i] <- x[i] + value for 0 <= i < n; one rounded addition per element (int: the sum must be representable).
/// Source: the first kernel of most CUDA courses.
template <class T>
void increment(std::int64_t n, T value, T* x, cudaStream_t stream);

/// x[b] <- b for 0 <= b < blocks, each by a block of 128 threads of its own: what a launch costs, and next to nothing
/// else. blocks < 2^31.
template <class T>
void number_blocks(std::int64_t blocks, T* x, cudaStream_t stream);

/// Threads of a block, and entries of x in its shared memory, in matrix_vector_static and matrix_vector_mapped.
inline constexpr int static_block_size = 256;

/// y <- A x, with the block's piece of x in shared memory whose size is known to the compiler.
/// Shapes: A m x n, lda >= n; x n; y m. One thread per row.
/// Source: the staged product of the CUDA C++ Programming Guide, "Shared Memory", with a single column.
template <class T>
void matrix_vector_static(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, const T* x, T* y,
                          cudaStream_t stream);

/// The same with `block_size` threads and as many entries of x in shared memory, chosen at run time: any number from 1
/// to 1024, a multiple of the warp or not. The block size never changes a bit of y.
template <class T>
void matrix_vector_dynamic(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, const T* x, T* y,
                           int block_size, cudaStream_t stream);

/// An array in page-locked host memory that kernels reach in place, through the address `device()` (zero-copy).
/// It belongs to the device that is current at construction. Its entries start out undefined. Synchronise every stream
/// that uses it before reading through `host()` and before its destruction.
/// Source: CUDA C++ Programming Guide, "Mapped Memory".
template <class T>
class mapped_array {
 public:
  /// Throws std::invalid_argument if count < 0 or its bytes cannot be counted, std::runtime_error if CUDA refuses.
  explicit mapped_array(std::int64_t count);
  ~mapped_array();
  mapped_array(const mapped_array&) = delete;
  mapped_array& operator=(const mapped_array&) = delete;

  std::int64_t size() const { return size_; }
  T* host() { return host_; }
  const T* host() const { return host_; }
  T* device() { return device_; }

 private:
  std::int64_t size_ = 0;
  T* host_ = nullptr;    // the memory as the host addresses it; null if size_ == 0
  T* device_ = nullptr;  // the same memory as kernels address it
};

/// matrix_vector_static with y in mapped host memory: the result crosses the bus as the kernel stores it, and no copy
/// follows. Entries 0..m-1 of y are written; throws std::invalid_argument if it holds fewer.
/// Synchronise `stream` before reading y.host().
template <class T>
void matrix_vector_mapped(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, const T* x, mapped_array<T>& y,
                          cudaStream_t stream);

/// C <- A B, one thread per element of C, every operand read from global memory.
/// Shapes: A m x k, lda >= k; B k x n, ldb >= n; C m x n, ldc >= n.
/// Source: CUDA C++ Programming Guide, "Shared Memory", the first of its two products.
template <class T>
void matrix_product_naive(std::int64_t m, std::int64_t n, std::int64_t k, const T* A, std::int64_t lda, const T* B,
                          std::int64_t ldb, T* C, std::int64_t ldc, cudaStream_t stream);

/// The tiles that matrix_product_tiled is compiled for.
template <int Tile, int Depth>
inline constexpr bool has_tile = (Tile == 16 && (Depth == 16 || Depth == 64)) || (Tile == 32 && Depth == 32);

/// C <- A B, one thread per element of C; a block computes Tile x Tile of them and stages Depth terms of k at a time in
/// shared memory: matrix_product_tiled<16, 16>, <16, 64> or <32, 32>. Shapes as in matrix_product_naive, same bits.
/// Source: CUDA C++ Programming Guide, "Shared Memory", the second of its two products.
template <int Tile, int Depth, class T>
requires(has_tile<Tile, Depth>) void matrix_product_tiled(std::int64_t m, std::int64_t n, std::int64_t k, const T* A,
                                                          std::int64_t lda, const T* B, std::int64_t ldb, T* C,
                                                          std::int64_t ldc, cudaStream_t stream);

/// B <- A^T, bits untouched. Shapes: A m x n, lda >= n; B n x m, ldb >= m.
/// Reads rows of A and writes columns of B straight away: neighbouring threads store ldb elements apart.
/// Source, of all three: G. Ruetsch and P. Micikevicius, Optimizing Matrix Transpose in CUDA, NVIDIA, 2009.
template <class T>
void transpose_naive(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, T* B, std::int64_t ldb,
                     cudaStream_t stream);

/// The same through a 32 x 32 tile in shared memory: rows are read and rows are written, but a warp reads a column of
/// the tile, and all of that column lies in the same banks.
template <class T>
void transpose_tiled(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, T* B, std::int64_t ldb,
                     cudaStream_t stream);

/// The same with the tile's rows padded to 33 elements, which spreads a column over the banks.
template <class T>
void transpose_padded(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, T* B, std::int64_t ldb,
                      cudaStream_t stream);

/// The tuned kernels: the tiles and paths of Abax' own, without Kokkos, so that what portability costs is a number. All
/// of the canon's bits, its NaN included, for any k. Where nothing else is said, rows must allow 16-byte accesses (data
/// and leading dimensions): std::invalid_argument.

/// B <- A^T as above, through tiles of 64 x 64 in 16-byte chunks. m, n < 2^31.
template <class T>
void transpose_wide(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, T* B, std::int64_t ldb,
                    cudaStream_t stream);

/// Outputs of a block in matrix_vector_ring and vector_matrix_ring.
inline constexpr int ring_rows = 32, ring_columns = 128;

/// y <- A x in the canon's order for any n. Some warps copy pieces of rows to a ring of stages in shared memory, others
/// run a chain per row. `splits` blocks share the terms of their rows, each a run of the canon's blocks; the last to
/// finish joins the block sums.
/// Shapes: A m x n, lda >= n; x n; y m. n must be a multiple of 16 bytes' worth, too; 1 <= splits <= ceil(n / 2048).
/// Workspace where splits > 1: sums, m rounded up to ring_rows * ceil(n / 2048) elements; arrivals, ceil(m / ring_rows)
/// counters, zero before and after.
template <class T>
void matrix_vector_ring(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, const T* x, T* y, int splits,
                        T* sums, unsigned* arrivals, cudaStream_t stream);

/// y <- x A, likewise: y[j] is the sum over i of x[i] A[i * lda + j], ring_columns of them to a block.
/// Shapes: A m x n, lda >= n; x m; y n, both multiples of 16 bytes' worth; 1 <= splits <= ceil(m / 2048).
template <class T>
void vector_matrix_ring(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, const T* x, T* y, int splits,
                        T* sums, unsigned* arrivals, cudaStream_t stream);

/// The same without shared memory: a thread takes the terms of 16 bytes' worth of columns straight from memory, and a
/// block has 128 of them.
template <class T>
void vector_matrix_registers(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, const T* x, T* y, int splits,
                             T* sums, unsigned* arrivals, cudaStream_t stream);

/// The tile of matrix_product_tuned, one of Abax' own for large products: rows, terms of a stage, columns.
inline constexpr int product_rows = 128, product_depth = 16;
template <class T>
inline constexpr int product_cols = sizeof(T) == 4 ? 64 : 128;

/// C <- op(A) op(B) in the canon's order for any k; op(X) is X ('N') or its transpose ('T').
/// Column-major, unlike the others, as in BLAS: op(A) m x k, op(B) k x n, C m x n, element (i, j) of C at C[i + ldc j].
/// float: register tiles of multiply-adds; double: FP64 tensor cores, so sm_90 only. The first `whole` tiles are one
/// block's each; `splits` blocks share the terms of any other, each a run of the canon's blocks, and the last to finish
/// joins the block sums.
/// Rows as stored must be multiples of 16 bytes' worth, too. 1 <= splits <= ceil(k / 2048); 0 <= whole <= tiles;
/// extents < 2^30, lda and ldb < 2^24.
/// Workspace where splits > 1: sums, shared tiles * outputs of a tile * ceil(k / 2048) elements; arrivals, as many
/// counters as shared tiles, zero before and after.
template <class T>
struct tuned_product {
  char trans_a, trans_b;
  std::int64_t m, n, k;
  const T* A;
  std::int64_t lda;
  const T* B;
  std::int64_t ldb;
  T* C;
  std::int64_t ldc;
  int splits, whole;
  T* sums;
  unsigned* arrivals;
};
void matrix_product_tuned(const tuned_product<float>& product, cudaStream_t stream);
void matrix_product_tuned(const tuned_product<double>& product, cudaStream_t stream);

}  // namespace abax::handwritten
