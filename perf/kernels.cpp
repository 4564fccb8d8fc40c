// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows.
#include "kernels.hpp"

#include "workloads.hpp"

namespace abax::perf {
namespace {

template <template <class, class> class Kernel, class T>
std::unique_ptr<workload> prepare(backend where, const extents& e, int sets) {
  using host = Kokkos::DefaultHostExecutionSpace;
  using device = Kokkos::DefaultExecutionSpace;  // the host's again where there is no GPU
  if (where == backend::host) return std::make_unique<prepared<host, T, Kernel<host, T>>>(e, sets);
  return std::make_unique<prepared<device, T, Kernel<device, T>>>(e, sets);
}

double none(const extents&) { return 0; }
double product_flops(const extents& e) { return 2.0 * e.m * e.n * e.k; }
double product_elements(const extents& e) { return 1.0 * e.m * e.k + 1.0 * e.k * e.n + 1.0 * e.m * e.n; }
double in_and_out(const extents& e) { return 2.0 * e.m * e.n; }
double sums(const extents& e) { return 1.0 * e.m * e.n; }

constexpr kernel rows[] = {
    {"gemv N", "f32", 4, roof::read, product_elements, product_flops, prepare<gemv_n, float>},
    {"gemv N", "f64", 8, roof::read, product_elements, product_flops, prepare<gemv_n, double>},
    {"gemv T", "f32", 4, roof::read, product_elements, product_flops, prepare<gemv_t, float>},
    {"gemv T", "f64", 8, roof::read, product_elements, product_flops, prepare<gemv_t, double>},
    {"gemm", "f32", 4, roof::fma, product_elements, product_flops, prepare<gemm_kernel, float>},
    {"gemm", "f64", 8, roof::fma, product_elements, product_flops, prepare<gemm_kernel, double>},
    {"transpose", "f32", 4, roof::copy, in_and_out, none, prepare<transpose_kernel, float>},
    {"transpose", "f64", 8, roof::copy, in_and_out, none, prepare<transpose_kernel, double>},
    {"increment", "f32", 4, roof::copy, in_and_out, sums, prepare<increment_kernel, float>},
};

}  // namespace

std::span<const kernel> kernels() { return rows; }

}  // namespace abax::perf
