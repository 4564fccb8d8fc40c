// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm of bytes, as the library has it for common spaces: what gemm_bytes_def.hpp defines.
#include <Kokkos_Core.hpp>
#include <cstdint>

#include "abax/detail/launch/checks.hpp"
#include "abax/detail/tile/matrix.hpp"

namespace abax::launch {

template <class Exec>
struct gemm_bytes {
  static void run(const Exec& exec, const char* trans_a, const char* trans_b, std::int32_t alpha,
                  const tile::matrix<const std::int8_t>& A, const tile::matrix<const std::int8_t>& B, std::int32_t beta,
                  const tile::matrix<std::int32_t>& c, sharing memory = sharing::checked);
};

extern template struct gemm_bytes<Kokkos::DefaultHostExecutionSpace>;
#ifdef KOKKOS_ENABLE_CUDA
extern template struct gemm_bytes<Kokkos::Cuda>;
#endif

}  // namespace abax::launch
