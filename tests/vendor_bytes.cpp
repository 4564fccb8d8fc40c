// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemm of bytes against cuBLAS' product of 8-bit integers, which is as exact: the engine under gemm_integer and the
// vendor's give the same bits.
#include <cublas_v2.h>

#include <abax/gemm.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>

#include "inputs.hpp"

using abax::index_t;
using abax::tests::random_bits;

namespace {

using bytes = Kokkos::View<std::int8_t**, Kokkos::LayoutLeft, Kokkos::CudaSpace>;
using sums = Kokkos::View<std::int32_t**, Kokkos::LayoutLeft, Kokkos::CudaSpace>;

template <class View>
View drawn(index_t rows, index_t cols, std::uint64_t seed, bool extreme) {
  View view("operand", static_cast<std::size_t>(rows), static_cast<std::size_t>(cols));
  const auto host = Kokkos::create_mirror_view(view);
  random_bits random(seed);
  for (std::size_t e = 0; e < host.size(); ++e)
    host.data()[e] = static_cast<typename View::value_type>(extreme ? -128 : random.next());
  Kokkos::deep_copy(view, host);
  return view;
}

/// Closes the library's handle.
struct library {
  cublasHandle_t handle = nullptr;
  explicit library(cudaStream_t stream) {
    REQUIRE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cublasSetStream(handle, stream) == CUBLAS_STATUS_SUCCESS);
  }
  library(const library&) = delete;
  ~library() { cublasDestroy(handle); }
};

}  // namespace

TEST_CASE("gemm of bytes has the sums of cuBLAS", "[integer][handwritten]") {
  const Kokkos::Cuda exec;
  const library vendor(exec.cuda_stream());
  const auto check = [&](index_t m, index_t n, index_t k, char op_a, char op_b, std::int32_t beta, bool extreme) {
    const auto A = op_a == 'N' ? drawn<bytes>(m, k, 1, extreme) : drawn<bytes>(k, m, 1, extreme);
    const auto B = op_b == 'N' ? drawn<bytes>(k, n, 2, extreme) : drawn<bytes>(n, k, 2, extreme);
    const auto C = drawn<sums>(m, n, 3, false), wanted = drawn<sums>(m, n, 3, false);
    const char ops[] = {op_a, '\0', op_b, '\0'};
    abax::gemm(exec, ops, ops + 2, std::int32_t(1), A, B, beta, C);
    const std::int32_t one = 1;
    const auto ld = [](const auto& view) { return static_cast<int>(view.stride(1)); };
    CAPTURE(m, n, k, op_a, op_b, beta, extreme);
    REQUIRE(cublasGemmEx(vendor.handle, op_a == 'N' ? CUBLAS_OP_N : CUBLAS_OP_T,
                         op_b == 'N' ? CUBLAS_OP_N : CUBLAS_OP_T, static_cast<int>(m), static_cast<int>(n),
                         static_cast<int>(k), &one, A.data(), CUDA_R_8I, ld(A), B.data(), CUDA_R_8I, ld(B), &beta,
                         wanted.data(), CUDA_R_32I, ld(wanted), CUBLAS_COMPUTE_32I,
                         CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
    exec.fence();
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C);
    const auto by_vendor = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), wanted);
    bool same = true;
    for (std::size_t e = 0; e < found.size(); ++e) same = same && found.data()[e] == by_vendor.data()[e];
    REQUIRE(same);
  };
  // cuBLAS takes columns of whole words alone.
  for (const char op_a : {'N', 'T'})
    for (const char op_b : {'N', 'T'}) {
      check(132, 260, 1028, op_a, op_b, 0, false);
      check(512, 384, 4096, op_a, op_b, 1, false);
    }
  check(256, 128, 131072, 'T', 'N', 0, true);  // the sum of as many products of -128 by itself passes 2^31
}
