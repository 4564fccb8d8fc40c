// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of complex numbers, in a source of their own: their kernels take as long to compile as the real ones'.
#include "workloads.hpp"

namespace abax::perf {
namespace {

constexpr extents cube(index_t n) { return {n, n, n}; }
constexpr extents triangle(index_t n, index_t k) { return {n, n, k}; }
constexpr extents matrix(index_t rows, index_t cols) { return {rows, 1, cols}; }
constexpr extents vectors(index_t n) { return {1, 1, n}; }
constexpr extents product_host[] = {cube(512), cube(1024), cube(2048)};
constexpr extents product_nn_host[] = {cube(8),          cube(16),         cube(32),       cube(64),   cube(128),
                                       cube(512),        cube(1000),       cube(1024),     cube(2048), {2048, 64, 2048},
                                       {64, 2048, 2048}, {2048, 2048, 64}, {64, 64, 50000}};
constexpr extents product_device[] = {cube(1024), cube(2048), cube(4096), cube(8192)};
constexpr extents product_nn_device[] = {cube(256),        cube(512),        cube(1000),       cube(1024),
                                         cube(2048),       cube(4096),       cube(4097),       cube(8192),
                                         {8192, 64, 8192}, {64, 8192, 8192}, {8192, 8192, 64}, {256, 256, 131072}};
constexpr extents triangle_host[] = {triangle(300, 300), triangle(1000, 64), triangle(1000, 1000)};
constexpr extents triangle_device[] = {triangle(1024, 1024), triangle(4096, 64), triangle(4096, 4096)};
constexpr extents matrices_host[] = {matrix(1024, 1024), matrix(4096, 4096), matrix(100000, 64), matrix(64, 100000)};
constexpr extents matrices_device[] = {matrix(1024, 1024), matrix(4096, 4096), matrix(16384, 16384),
                                       matrix(1000000, 64), matrix(64, 1000000)};
constexpr extents vectors_host[] = {vectors(100000), vectors(5000000)};
constexpr extents vectors_device[] = {vectors(10000000), vectors(1 << 27)};
constexpr extents transpose_host[] = {{1024, 1024, 1}, {4096, 4096, 1}};
constexpr extents transpose_device[] = {{4096, 4096, 1}, {8192, 8192, 1}, {10007, 4099, 1}};
constexpr extents batched_host[] = {{1, 10000, 4}, {1, 10000, 8}, {1, 2000, 16}, {1, 1000, 32}, {1, 1000, 33}};
constexpr extents batched_device[] = {{1, 500000, 4}, {1, 100000, 8}, {1, 50000, 16}, {1, 10000, 32}, {1, 10000, 33}};

template <class T>
bool add_rows() {
  bool added = true;
  for (const kernel& k : {row<gemm_nn, T>("gemm NN", product_nn_host, product_nn_device),
                          row<gemm_nt, T>("gemm NT", product_host, product_device),
                          row<gemm_tn, T>("gemm TN", product_host, product_device),
                          row<gemm_tt, T>("gemm TT", product_host, product_device),
                          row<gemm_nc, T>("gemm NC", product_host, product_device),
                          row<gemm_cn, T>("gemm CN", product_host, product_device),
                          row<syrk_n, T>("syrk N", triangle_host, triangle_device),
                          row<syrk_t, T>("syrk T", triangle_host, triangle_device),
                          row<herk_n, T>("herk N", triangle_host, triangle_device),
                          row<herk_c, T>("herk C", triangle_host, triangle_device),
                          row<gemv_n, T>("gemv N", matrices_host, matrices_device),
                          row<gemv_t, T>("gemv T", matrices_host, matrices_device),
                          row<gemv_c, T>("gemv C", matrices_host, matrices_device),
                          row<gemm_batched_dense, T>("gemm_batched", batched_host, batched_device),
                          row<dot_kernel, T>("dot", vectors_host, vectors_device),
                          row<dotc_kernel, T>("dotc", vectors_host, vectors_device),
                          row<transpose_kernel, T>("transpose", transpose_host, transpose_device),
                          row<conjugate_transpose_kernel, T>("transpose conj", transpose_host, transpose_device)})
    added = add_kernel(k) && added;
  return added;
}

[[maybe_unused]] const bool rows = add_rows<tile::complex<float>>() && add_rows<tile::complex<double>>();

}  // namespace
}  // namespace abax::perf
